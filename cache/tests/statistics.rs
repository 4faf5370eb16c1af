//! Statistics of a disk, however often they are read.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::faulty::Faults;
use block::{BlockDevice, Buffer, ByteRange, Host, Memory, Operation, PAGE, Unmap, WantedRange};
use cache::{
    Cache, CachedDisk, DiskId, DiskSettings, Mode, PoolId, RecoveryContext, RequestTimes, SessionIds, Shape,
    format,
};

const SEGMENT: u64 = 128 << 10;
const DISK_BYTES: u64 = 64 << 20;
const SECOND: u64 = 1_000_000_000;

type Env<B> = (B, Memory, LocalHost);

/// Returns a pool, and a disk in front of `backing`.
async fn cached<B: BlockDevice + 'static>(
    host: &LocalHost,
    backing: B,
) -> (Rc<Cache<Env<B>>>, Rc<CachedDisk<Env<B>>>) {
    let flash = Memory::new(132 * SEGMENT);
    let shape = Shape { segment_bytes: SEGMENT, region_bytes: 1 << 20 };
    format(&flash, PoolId([3; 16]), Some(shape)).await.unwrap();
    let marks = SessionIds { new: 1, known: vec![0], epoch: None };
    let pool = Cache::open(vec![flash], host.clone(), &marks).await.unwrap().cache;
    let settings = DiskSettings {
        reserve_bytes: 16 * SEGMENT,
        limit_bytes: 64 * SEGMENT,
        ram_bytes: 64 * PAGE,
        block_bytes: PAGE as u32,
        ..DiskSettings::plain(DiskId(1))
    };
    let disk = pool.attach(settings, backing, RecoveryContext::none(DISK_BYTES)).await.unwrap();
    (pool, disk)
}

#[test]
fn what_is_predicted_is_worked_out_anew_after_a_second_or_when_much_was_read() {
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    executor
        .run(async {
            let (_pool, disk) = cached(&host, Memory::new(DISK_BYTES)).await;
            let read = async |pages: std::ops::Range<u64>| {
                for page in pages {
                    disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await.1.unwrap();
                }
            };
            let told = || disk.statistics().hit_ratio_at_double;
            assert_eq!(told(), None, "nothing was read");
            read(0..500).await;
            assert_eq!(told(), Some(0.0), "known at once");
            read(0..500).await;
            let half = told().unwrap();
            assert!((half - 0.5).abs() < 0.01, "twice as many reads are told at once: {half}");
            // A few more reads show a second later only: the computation takes a while, and statistics may be read very often.
            read(0..10).await;
            assert_eq!(told(), Some(half));
            host.sleep(SECOND).await;
            let more = told().unwrap();
            assert!(more > half, "{more} is what it is by now");
            host.sleep(SECOND).await;
            assert_eq!(told(), Some(more), "nothing was read since");
        })
        .unwrap();
}

#[test]
fn of_several_reads_those_at_hand_are_given_in_order_and_counted_as_in_flight_together() {
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    executor
        .run(async {
            let backing = Memory::new(DISK_BYTES);
            let content: Vec<u8> = (0..64 * PAGE as usize).map(|at| (at / 512 % 251) as u8 + 1).collect();
            backing.poke(0, &content);
            let (_pool, disk) = cached(&host, backing).await;
            disk.read(0, Buffer::zeroed(32 * PAGE as usize)).await.1.unwrap();
            let before = disk.statistics();
            // Among pages that are there: two that are not, one whose end is not, one beyond the end, nothing, and one twice.
            let ranges = [
                (3 * PAGE, 5 * PAGE),
                (40 * PAGE, PAGE),
                (512, 512),
                (31 * PAGE, 2 * PAGE),
                (20 * PAGE - 512, 1024),
                (DISK_BYTES, PAGE),
                (7 * PAGE, 0),
                (31 * PAGE, PAGE),
                (33 * PAGE, PAGE),
                (3 * PAGE, 5 * PAGE),
            ]
            .map(|(start, length)| ByteRange::at(start, length));
            let mut wanted = ranges.map(WantedRange::new);
            let mut given: Vec<(usize, Vec<u8>)> = Vec::new();
            disk.try_read_cached(&mut wanted, &mut |place, bytes| match given.last_mut() {
                Some((last, all)) if *last == place => all.extend_from_slice(bytes),
                _ => given.push((place, bytes.to_vec())),
            });
            let there = [0, 2, 4, 7, 9];
            let expected = there.map(|place| {
                let range = ranges[place];
                (place, content[range.start as usize..range.end as usize].to_vec())
            });
            assert!(given == expected);
            for (place, read) in wanted.iter().enumerate() {
                assert_eq!((read.given, read.range), (there.contains(&place), ranges[place]));
            }
            let after = disk.statistics();
            assert_eq!(after.counts.reads - before.counts.reads, 5);
            assert_eq!(after.counts.read_hits_ram - before.counts.read_hits_ram, 5);
            assert_eq!(
                after.counts.read_bytes - before.counts.read_bytes,
                there.iter().map(|place| ranges[*place].len()).sum::<u64>()
            );
            let [early, late] = [&before, &after].map(|one| &one.histograms.reads.outstanding);
            let classes = early.classes().zip(late.classes());
            let more: Vec<_> = classes.map(|((bound, early), (_, late))| (bound, late - early)).collect();
            assert_eq!(more[..4], [(Some(1), 1), (Some(2), 1), (Some(4), 2), (Some(6), 1)], "one to five");
        })
        .unwrap();
}

#[test]
fn a_read_of_what_is_at_hand_counts_as_any_hit_in_ram_and_one_of_anything_else_not_at_all() {
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    executor
        .run(async {
            let backing = Memory::new(DISK_BYTES);
            let content: Vec<u8> = (0..4 * PAGE as usize).map(|at| (at / 512) as u8 + 1).collect();
            backing.poke(0, &content);
            let (pool, disk) = cached(&host, backing).await;
            let ask = |start, length| {
                let mut given = Vec::new();
                let is_at_hand = disk.try_read_cached_range(ByteRange::at(start, length), &mut |bytes| {
                    given.extend_from_slice(bytes);
                });
                assert_eq!(given.is_empty(), !is_at_hand, "nothing is given of what is not there as a whole");
                is_at_hand.then_some(given)
            };
            disk.read(PAGE, Buffer::zeroed(2 * PAGE as usize)).await.1.unwrap();
            let before = disk.statistics();
            // Hints of any range are accepted, and count as nothing.
            for (start, end) in [
                (PAGE, 2 * PAGE),
                (PAGE + 5, PAGE + 6),
                (2 * PAGE - 1, 3 * PAGE + 1),
                (PAGE, PAGE),
                (0, u64::MAX),
                (u64::MAX - 1, u64::MAX),
                (u64::MAX, u64::MAX),
            ] {
                disk.prefetch(ByteRange { start, end });
            }
            for (start, length) in
                [(0, PAGE), (0, 2 * PAGE), (2 * PAGE, 2 * PAGE), (PAGE, 0), (PAGE, 100), (DISK_BYTES, PAGE)]
            {
                assert_eq!(ask(start, length), None, "{length} bytes at {start}");
            }
            assert_eq!(disk.statistics().counts, before.counts);
            for (start, length) in [(PAGE, 2 * PAGE), (PAGE + 512, 1024), (2 * PAGE - 512, PAGE)] {
                let (at_hand, before) = (ask(start, length), disk.statistics());
                let part = start as usize..(start + length) as usize;
                assert!(at_hand.unwrap() == content[part.clone()]);
                let (waited, result) = disk.read(start, Buffer::zeroed(length as usize)).await;
                assert!(result.is_ok() && waited[..] == content[part]);
                let after = disk.statistics();
                let [early, late] = [&before, &after].map(|one| one.counts.read_hits_ram);
                assert_eq!((late, after.counts.reads), (early + 1, before.counts.reads + 1));
            }
            assert_eq!(disk.statistics().counts.read_hits_ram, 6, "three of each");
            assert_eq!(disk.statistics().counts.reads, 7);
            let settings = DiskSettings { mode: Mode::PassThrough, ..disk.settings() };
            pool.reconfigure(&disk, settings).unwrap();
            assert_eq!(ask(PAGE, PAGE), None, "it is to be read past the cache");
        })
        .unwrap();
}

#[test]
fn every_request_has_its_times_when_it_has_ended_well_or_not() {
    const TOOK: u64 = 5_000_000;
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    executor
        .run(async {
            let faults = Faults::new(Memory::new(DISK_BYTES), 1);
            let (_pool, disk) = cached(&host, faults.reopen(host.clone())).await;
            host.sleep(SECOND).await;
            faults.delay(TOOK, TOOK);
            for fails in [false, true] {
                if fails {
                    for operation in [Operation::Read, Operation::Write, Operation::WriteZeroes] {
                        faults.fail_after(operation, 0);
                    }
                }
                let came = host.now();
                let read = disk.read(0, Buffer::zeroed(PAGE as usize)).await.1;
                assert_eq!(
                    disk.measured(),
                    RequestTimes { came, ended: host.now() },
                    "a read, fails: {fails}"
                );
                assert!(host.now() >= came + TOOK && read.is_err() == fails);
                let came = host.now();
                let written = disk.write(0, Buffer::zeroed(PAGE as usize)).await.1;
                assert_eq!(
                    disk.measured(),
                    RequestTimes { came, ended: host.now() },
                    "a write, fails: {fails}"
                );
                assert!(host.now() >= came + TOOK && written.is_err() == fails);
                let came = host.now();
                let zeroed = disk.write_zeroes(ByteRange::at(0, PAGE), Unmap::Forbidden).await;
                assert_eq!(
                    disk.measured(),
                    RequestTimes { came, ended: host.now() },
                    "zeroes, fails: {fails}"
                );
                assert!(host.now() >= came + TOOK && zeroed.is_err() == fails);
            }
            let now = host.now();
            assert!(disk.read(DISK_BYTES, Buffer::zeroed(PAGE as usize)).await.1.is_err());
            assert_eq!(disk.measured(), RequestTimes { came: now, ended: now }, "refused at once");
        })
        .unwrap();
}
