//! Classic races of a cache, each by name: a request is held at its most critical moment while another one runs.
//!
//! The devices are slow for exactly the operation that is to be held; virtual time does the rest. Each race runs under several seeds,
//! because a slow read may take its bytes at its beginning or at its end.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::cell::Cell;
use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::faulty::{Faults, Faulty};
use block::{BlockDevice, Buffer, ByteRange, Geometry, Host, Memory, Operation, PAGE, Unmap};
use cache::{
    Admission, Cache, CachedDisk, DirtyData, DiskId, DiskSettings, Mode, PoolId, RecoveryContext, SessionIds,
    Shape,
};

type Env = (Faulty<LocalHost>, Faulty<LocalHost>, LocalHost);
type Disk = CachedDisk<Env>;

const SIZE: u64 = 2 << 20;
const SEGMENT: u64 = 32 << 10;
/// Longer than any request that is not held.
const HELD: u64 = 1_000_000;

struct Bench {
    host: LocalHost,
    cache: Rc<Cache<Env>>,
    disk: Rc<Disk>,
    backing: Faults,
    flash: Faults,
}

fn settings() -> DiskSettings {
    DiskSettings {
        reserve_bytes: 16 * SEGMENT,
        limit_bytes: 16 * SEGMENT,
        ram_bytes: 16 * PAGE,
        ..DiskSettings::plain(DiskId(1))
    }
}

/// Runs a race under sixteen seeds, on a disk whose pages hold zeroes.
#[expect(clippy::needless_pass_by_value, reason = "closures read better by value")]
fn race(run: impl AsyncFn(&Bench)) {
    for seed in 0..16 {
        let executor = Executor::new(VirtualTime::new(), Order::Seeded(seed));
        let geometry = Geometry { physical_block: 4096, ..Geometry::plain(SIZE) };
        let backing = Faults::new(Memory::with_geometry(geometry), seed);
        let flash = Faults::new(Memory::new((128 << 10) + 20 * SEGMENT), seed);
        let host = executor.host();
        let ran = executor.run(async {
            let device = flash.reopen(host.clone());
            let shape = Shape { segment_bytes: SEGMENT, region_bytes: 256 << 10 };
            cache::format(&device, PoolId([1; 16]), Some(shape)).await.unwrap();
            let cache::Opened { cache, .. } =
                Cache::open(vec![device], host.clone(), &SessionIds { new: 1, known: vec![0], epoch: None })
                    .await
                    .unwrap();
            let past = RecoveryContext::none(SIZE);
            let disk = cache.attach(settings(), backing.reopen(host.clone()), past).await.unwrap();
            let bench =
                Bench { host: host.clone(), cache, disk, backing: backing.clone(), flash: flash.clone() };
            run(&bench).await;
        });
        assert!(ran.is_some(), "seed {seed}: everything waits");
    }
}

impl Bench {
    async fn read(&self, page: u64, pages: u64) -> Vec<u8> {
        let (buffer, result) = self.disk.read(page * PAGE, Buffer::zeroed((pages * PAGE) as usize)).await;
        result.unwrap();
        buffer.to_vec()
    }

    /// Returns the byte that fills a page, as a guest reads it.
    async fn see(&self, page: u64) -> u8 {
        let bytes = self.read(page, 1).await;
        assert!(bytes.iter().all(|byte| *byte == bytes[0]), "torn page");
        bytes[0]
    }

    /// Returns the byte that fills a page on the backing.
    fn home(&self, page: u64) -> u8 {
        let mut bytes = [0; PAGE as usize];
        self.backing.peek(page * PAGE, &mut bytes);
        bytes[0]
    }

    async fn write(&self, page: u64, byte: u8) {
        self.disk.write(page * PAGE, Buffer::copy_of(&[byte; PAGE as usize])).await.1.unwrap();
    }

    /// Starts `operation` and lets it run until a slow backing holds it.
    async fn hold(&self, operation: impl Future<Output = ()> + 'static) -> Rc<Cell<bool>> {
        let done = Rc::new(Cell::new(false));
        let finished = Rc::clone(&done);
        self.backing.delay(HELD, HELD);
        self.host.spawn(async move {
            operation.await;
            finished.set(true);
        });
        self.host.sleep(HELD / 10).await;
        self.backing.delay(0, 0);
        assert!(!done.get(), "not held");
        done
    }

    async fn hold_read(&self, page: u64, pages: u64) -> Rc<Cell<bool>> {
        let disk = Rc::clone(&self.disk);
        self.hold(async move {
            disk.read(page * PAGE, Buffer::zeroed((pages * PAGE) as usize)).await.1.unwrap();
        })
        .await
    }

    async fn hold_write(&self, offset: u64, bytes: Vec<u8>) -> Rc<Cell<bool>> {
        let disk = Rc::clone(&self.disk);
        self.hold(async move {
            disk.write(offset, Buffer::copy_of(&bytes)).await.1.unwrap();
        })
        .await
    }

    async fn until(&self, done: &Cell<bool>) {
        self.host.sleep(2 * HELD).await;
        assert!(done.get());
    }

    fn counts(&self) -> cache::DiskCounts {
        self.disk.statistics().counts
    }

    /// Pushes everything out of RAM, so that pages are on flash or nowhere.
    async fn fill_ram_with_others(&self) {
        for page in 100..140 {
            self.see(page).await;
            self.host.sleep(1000).await;
        }
        self.host.sleep(HELD).await;
    }
}

#[test]
fn each_second_in_which_a_read_or_a_write_is_answered_counts_once() {
    const SECOND: u64 = 1_000_000_000;
    race(async |bench| {
        let next_second = async || bench.host.sleep(SECOND - bench.host.now() % SECOND).await;
        next_second().await;
        bench.see(1).await;
        bench.write(2, 7).await;
        bench.see(2).await;
        assert_eq!(bench.counts().active_seconds, 1);
        next_second().await;
        bench.disk.flush().await.unwrap();
        assert_eq!(bench.counts().active_seconds, 1, "that is neither");
        bench.write(3, 7).await;
        assert_eq!(bench.counts().active_seconds, 2);
        bench.host.sleep(60 * SECOND).await;
        bench.see(1).await;
        assert_eq!(bench.counts().active_seconds, 3, "nothing came in between");
    });
}

#[test]
fn a_fill_is_discarded_if_a_write_began_after_its_backing_read() {
    race(async |bench| {
        let read = bench.hold_read(0, 4).await;
        bench.write(1, 7).await;
        bench.until(&read).await;
        assert_eq!(bench.counts().fills_discarded, 1);
        assert_eq!(bench.see(1).await, 7);
        bench.disk.evict().await.unwrap();
        assert_eq!(bench.see(1).await, 7);
    });
}

#[test]
fn a_fill_is_discarded_if_a_write_was_in_flight_when_it_began() {
    race(async |bench| {
        // In this mode a read does not wait for the write.
        let around = DiskSettings { mode: Mode::WriteAround, ..settings() };
        bench.cache.reconfigure(&bench.disk, around).unwrap();
        let write = bench.hold_write(PAGE, vec![7; PAGE as usize]).await;
        assert!([0, 7].contains(&bench.see(1).await));
        assert_eq!(bench.counts().fills_discarded, 1);
        bench.until(&write).await;
        assert_eq!(bench.see(1).await, 7);
    });
}

#[test]
fn a_read_of_what_is_being_written_waits_for_the_write_and_hits() {
    race(async |bench| {
        let write = bench.hold_write(PAGE, vec![7; PAGE as usize]).await;
        assert_eq!(bench.see(1).await, 7);
        assert!(write.get());
        assert_eq!(bench.counts().backing_reads, 0);
        assert_eq!(bench.counts().read_hits_ram, 1);
    });
}

#[test]
fn a_fill_of_the_neighbourhood_is_discarded_for_a_write_of_half_a_kilobyte() {
    race(async |bench| {
        let read = bench.hold_read(0, 4).await;
        bench.disk.write(2 * PAGE + 512, Buffer::copy_of(&[7; 512])).await.1.unwrap();
        bench.until(&read).await;
        let bytes = bench.read(2, 1).await;
        assert!(bytes[512..1024].iter().all(|byte| *byte == 7));
        assert!(bytes[..512].iter().chain(&bytes[1024..]).all(|byte| *byte == 0));
    });
}

#[test]
fn a_fill_is_discarded_if_a_discard_or_write_zeroes_came_in_between() {
    race(async |bench| {
        bench.write(1, 7).await;
        bench.disk.evict().await.unwrap();
        for unmap in [Unmap::Allowed, Unmap::Forbidden] {
            let read = bench.hold_read(0, 4).await;
            bench.disk.write_zeroes(PageRange(1, 2).bytes(), unmap).await.unwrap();
            bench.until(&read).await;
            assert_eq!(bench.see(1).await, 0);
            bench.write(1, 7).await;
            bench.disk.evict().await.unwrap();
        }
        let read = bench.hold_read(0, 4).await;
        bench.disk.discard(PageRange(1, 2).bytes()).await.unwrap();
        bench.until(&read).await;
        assert_eq!(bench.see(1).await, bench.home(1));
    });
}

#[test]
fn a_fill_is_discarded_if_the_disk_was_evicted_or_given_other_blocks_meanwhile() {
    race(async |bench| {
        let read = bench.hold_read(0, 4).await;
        bench.disk.evict().await.unwrap();
        bench.until(&read).await;
        assert_eq!(bench.counts().fills_discarded, 1);
        let read = bench.hold_read(0, 4).await;
        bench.cache.reconfigure(&bench.disk, DiskSettings { block_bytes: 4096, ..settings() }).unwrap();
        bench.until(&read).await;
        assert_eq!(bench.counts().fills_discarded, 2);
    });
}

#[test]
fn a_mode_switch_with_a_fill_and_a_write_held_leaves_nothing_stale() {
    for mode in [Mode::WriteAround, Mode::PassThrough] {
        race(async |bench| {
            bench.write(1, 3).await;
            let read = bench.hold_read(4, 4).await;
            bench.cache.reconfigure(&bench.disk, DiskSettings { mode, ..settings() }).unwrap();
            bench.write(5, 7).await;
            bench.write(1, 8).await;
            bench.until(&read).await;
            bench.cache.reconfigure(&bench.disk, settings()).unwrap();
            assert_eq!((bench.see(1).await, bench.see(5).await), (8, 7));
        });
    }
}

#[test]
fn a_failed_write_leaves_its_pages_uncached_for_good_even_if_it_lands_late() {
    race(async |bench| {
        bench.write(1, 3).await;
        bench.backing.fail_after(Operation::Write, 0);
        let result = bench.disk.write(PAGE, Buffer::copy_of(&[7; PAGE as usize])).await.1;
        assert!(result.is_err());
        let bytes = bench.read(1, 1).await;
        assert!(bytes.iter().all(|byte| [3, 7].contains(byte)), "old, new or a mix");
        bench.backing.land_late();
        assert_eq!(bench.read(1, 1).await[0], bench.home(1));
        bench.write(1, 9).await;
        let reads = bench.counts().backing_reads;
        assert_eq!((bench.see(1).await, bench.see(1).await), (9, 9));
        assert_eq!(bench.counts().backing_reads, reads + 2, "still read from the backing each time");
    });
}

#[test]
fn a_fill_held_while_a_write_fails_is_discarded() {
    race(async |bench| {
        let read = bench.hold_read(0, 4).await;
        bench.backing.fail_after(Operation::Write, 0);
        assert!(bench.disk.write(PAGE, Buffer::copy_of(&[7; PAGE as usize])).await.1.is_err());
        bench.until(&read).await;
        bench.backing.land_late();
        assert_eq!(bench.read(1, 1).await[0], bench.home(1));
    });
}

#[test]
fn a_write_whose_future_is_dropped_counts_as_failed() {
    race(async |bench| {
        {
            let mut write = Box::pin(bench.disk.write(PAGE, Buffer::copy_of(&[7; PAGE as usize])));
            bench.backing.delay(HELD, HELD);
            let polled =
                std::future::poll_fn(|context| std::task::Poll::Ready(write.as_mut().poll(context))).await;
            assert!(polled.is_pending());
            bench.backing.delay(0, 0);
        }
        bench.see(1).await;
        let reads = bench.counts().backing_reads;
        bench.see(1).await;
        assert_eq!(bench.counts().backing_reads, reads + 1, "not cached: the write may still land");
    });
}

#[test]
fn overlapping_writes_take_effect_one_after_another_in_cache_and_backing_alike() {
    race(async |bench| {
        let first = bench.hold_write(0, vec![1; 4 * PAGE as usize]).await;
        let second = bench.hold_write(2 * PAGE, vec![2; 4 * PAGE as usize]).await;
        assert_eq!(bench.counts().overlaps_serialised, 1);
        bench.host.sleep(4 * HELD).await;
        assert!(first.get() && second.get());
        for page in 0..6 {
            assert_eq!(bench.see(page).await, if page < 2 { 1 } else { 2 });
            assert_eq!(bench.home(page), bench.see(page).await);
        }
    });
}

#[test]
fn two_writers_of_parts_of_one_page_both_stay() {
    race(async |bench| {
        let first = bench.hold_write(0, vec![1; 512]).await;
        let second = bench.hold_write(512, vec![2; 512]).await;
        bench.host.sleep(4 * HELD).await;
        assert!(first.get() && second.get());
        let bytes = bench.read(0, 1).await;
        assert!(bytes[..512].iter().all(|byte| *byte == 1) && bytes[512..1024].iter().all(|byte| *byte == 2));
    });
}

#[test]
fn a_part_written_into_a_page_in_ram_leaves_the_rest_of_it_cached() {
    race(async |bench| {
        bench.write(3, 5).await;
        bench.disk.write(3 * PAGE + 1024, Buffer::copy_of(&[6; 512])).await.1.unwrap();
        let reads = bench.counts().backing_reads;
        let bytes = bench.read(3, 1).await;
        assert_eq!(bench.counts().backing_reads, reads, "a RAM hit");
        assert!(bytes[1024..1536].iter().all(|byte| *byte == 6));
        assert!(bytes[..1024].iter().chain(&bytes[1536..]).all(|byte| *byte == 5));
    });
}

#[test]
fn a_read_over_cached_and_absent_pages_does_not_bring_back_what_was_written_meanwhile() {
    race(async |bench| {
        bench.write(1, 3).await;
        let read = bench.hold_read(0, 3).await;
        bench.write(1, 7).await;
        bench.until(&read).await;
        assert_eq!(bench.see(1).await, 7);
    });
}

#[test]
fn a_page_written_while_it_is_promoted_is_not_believed_from_flash() {
    race(async |bench| {
        bench.flash.delay(HELD, HELD);
        for page in 0..16 {
            bench.write(page, 3).await;
        }
        bench.host.sleep(HELD / 10).await;
        for page in 0..16 {
            bench.write(page, 7).await;
        }
        bench.host.sleep(8 * HELD).await;
        bench.flash.delay(0, 0);
        bench.fill_ram_with_others().await;
        for page in 0..16 {
            assert_eq!(bench.see(page).await, 7);
        }
        assert!(bench.counts().promotions > 16);
    });
}

#[test]
fn a_page_written_while_it_is_appended_again_keeps_the_write() {
    race(async |bench| {
        for page in 0..64 {
            bench.write(page, 3).await;
            bench.host.sleep(1000).await;
        }
        bench.fill_ram_with_others().await;
        for page in 0..64 {
            bench.see(page).await;
        }
        // Reclaim runs while the warm pages are rewritten again and again.
        bench.flash.delay(1000, HELD / 50);
        for round in 4..40u8 {
            for page in 0..16 {
                bench.write(page * 4, round).await;
                bench.see(150 + u64::from(round) * 8 + page % 8).await;
                bench.host.sleep(2000).await;
            }
            for page in 0..16 {
                assert_eq!(bench.see(page * 4).await, round);
            }
        }
        assert!(bench.counts().reclaims > 0);
    });
}

#[test]
fn a_promotion_that_waits_for_room_leaves_the_log_to_the_survivors_that_make_it() {
    race(async |bench| {
        // Twice the capacity of flash, and pages on flash are read again: old segments are full of warm pages.
        for page in 0..200 {
            bench.see(page).await;
            bench.host.sleep(1000).await;
            bench.see(page.saturating_sub(40)).await;
        }
        let before = bench.counts();
        assert!(before.reappends > 0, "nothing survived: {before:?}");
        bench.disk.evict().await.unwrap();
        bench.fill_ram_with_others().await;
        assert!(bench.counts().promotions > before.promotions, "promotion stands still: {before:?}");
    });
}

#[test]
fn a_copy_that_rotted_on_flash_is_read_from_the_backing_and_counted() {
    race(async |bench| {
        for page in 0..16 {
            bench.write(page, 3).await;
        }
        bench.fill_ram_with_others().await;
        bench.flash.rot(&ByteRange::new(32 << 10, 20 * SEGMENT), 2000);
        for page in 0..16 {
            assert_eq!(bench.see(page).await, 3);
        }
        assert!(bench.counts().checksum_errors > 0);
    });
}

#[test]
fn a_flash_that_fails_is_given_up_without_an_error_for_the_guest() {
    race(async |bench| {
        for page in 0..16 {
            bench.write(page, 3).await;
        }
        bench.flash.fail_after(Operation::Write, 0);
        bench.fill_ram_with_others().await;
        assert!(bench.cache.pool_statistics().failed);
        for page in 0..16 {
            assert_eq!(bench.see(page).await, 3);
        }
        bench.write(3, 9).await;
        bench.fill_ram_with_others().await;
        assert_eq!(bench.see(3).await, 9);
    });
}

#[test]
fn a_flush_that_arrives_while_one_runs_waits_for_the_next_one() {
    race(async |bench| {
        let disk = Rc::clone(&bench.disk);
        let first = bench.hold(async move { disk.flush().await.unwrap() }).await;
        bench.write(0, 7).await;
        let disk = Rc::clone(&bench.disk);
        let second = bench.hold(async move { disk.flush().await.unwrap() }).await;
        bench.host.sleep(3 * HELD).await;
        assert!(first.get() && second.get());
        bench.backing.power_cut();
        assert_eq!(bench.home(0), 7, "covered by the second flush, whatever the cut took");
    });
}

#[test]
fn after_a_failed_flush_no_later_one_is_believed() {
    race(async |bench| {
        bench.write(0, 7).await;
        bench.backing.fail_after(Operation::Flush, 0);
        assert!(bench.disk.flush().await.is_err());
        assert!(
            bench.disk.flush().await.is_err(),
            "the backing says yes now, but for what it lost it says nothing"
        );
    });
}

/// Range of pages, for requests without a buffer.
struct PageRange(u64, u64);

impl PageRange {
    fn bytes(&self) -> ByteRange {
        ByteRange::new(self.0 * PAGE, self.1 * PAGE)
    }
}

#[test]
fn settings_for_a_disk_that_was_removed_reserve_nothing() {
    race(async |bench| {
        bench.cache.remove(&bench.disk, DirtyData::Refuse).await.unwrap();
        assert!(bench.cache.reconfigure(&bench.disk, settings()).is_err());
        assert_eq!(bench.cache.pool_statistics().reserved_bytes, 0);
    });
}

#[test]
fn more_ram_or_flash_than_there_can_be_is_refused_or_costs_nothing() {
    race(async |bench| {
        let too_much = DiskSettings { ram_bytes: u64::MAX, ..settings() };
        assert!(bench.cache.reconfigure(&bench.disk, too_much).is_err());
        let before = bench.disk.statistics().index_bytes;
        let no_limit = DiskSettings { limit_bytes: u64::MAX, ..settings() };
        bench.cache.reconfigure(&bench.disk, no_limit).unwrap();
        assert!(bench.disk.statistics().index_bytes <= 2 * before, "memory follows the pool, not the limit");
    });
}

#[test]
fn a_block_read_once_is_not_admitted_because_it_has_many_pages() {
    race(async |bench| {
        let twice = DiskSettings { admission: Admission::Repeated(2), ..settings() };
        bench.cache.reconfigure(&bench.disk, twice).unwrap();
        let blocks = SIZE / u64::from(settings().block_bytes);
        for block in 0..blocks {
            bench.read(block * 4, 4).await;
            bench.host.sleep(1000).await;
        }
        bench.host.sleep(HELD).await;
        let counts = bench.counts();
        assert!(counts.rejections > 0, "flash never filled up");
        // One segment is taken before pages are judged; none after that.
        assert!(
            counts.evictions <= SEGMENT / PAGE,
            "{} pages used once gave way to others",
            counts.evictions
        );
    });
}

#[test]
fn a_disk_that_left_while_it_waited_for_room_does_not_stand_before_others() {
    for halves in 1..12 {
        race(async |bench| leave_while_waiting(bench, halves * HELD / 2).await);
    }
}

/// Lets two disks need room at the same time from a slow flash; one of them leaves after `patience`.
async fn leave_while_waiting(bench: &Bench, patience: u64) {
    let flash = Faults::new(Memory::new((128 << 10) + 36 * SEGMENT), 1);
    let device = flash.reopen(bench.host.clone());
    let shape = Shape { segment_bytes: SEGMENT, region_bytes: 256 << 10 };
    cache::format(&device, PoolId([2; 16]), Some(shape)).await.unwrap();
    let marks = SessionIds { new: 1, known: vec![0], epoch: None };
    let cache::Opened { cache, .. } = Cache::open(vec![device], bench.host.clone(), &marks).await.unwrap();
    let attach = async |id| {
        let settings = DiskSettings { id: DiskId(id), ..settings() };
        let backing = Faults::new(Memory::new(SIZE), 2);
        cache.attach(settings, backing.reopen(bench.host.clone()), RecoveryContext::none(SIZE)).await.unwrap()
    };
    let read = async |disk: &Rc<Disk>, pages: std::ops::Range<u64>| {
        for page in pages {
            disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await.1.unwrap();
            bench.host.sleep(1000).await;
        }
    };
    let (stays, leaves) = (attach(1).await, attach(2).await);
    read(&stays, 0..200).await;
    read(&leaves, 0..200).await;
    flash.delay(HELD, HELD);
    read(&stays, 200..240).await;
    read(&leaves, 200..240).await;
    bench.host.sleep(patience).await;
    cache.remove(&leaves, DirtyData::Refuse).await.unwrap();
    flash.delay(0, 0);
    bench.host.sleep(10 * HELD).await;
    let before = stays.statistics().counts.promotions;
    read(&stays, 300..400).await;
    bench.host.sleep(HELD).await;
    assert!(stays.statistics().counts.promotions > before, "nothing is promoted any more");
}
