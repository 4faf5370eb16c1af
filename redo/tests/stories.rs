//! Stories of a ring: power cuts at every moment, damage, and rings that are not to be applied.

use std::pin::pin;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::faulty::{Faults, Faulty};
use block::{BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Host, Memory, Operation, PAGE, Unmap};
use futures_util::future::{Either, select};
use redo::{
    Bug, Change, GroupContent, Recovery, RedoRing, RingError, RingId, RingOwner, recover, replay,
    smallest_bytes, verify,
};

const RING: RingId = RingId([1; 16]);
const OWNER: RingOwner = RingOwner { pool: [2; 16], disk: 3 };
/// Bytes before the first group.
const DIRECTORY: u64 = 32 << 10;

fn run<T>(seed: u64, told: impl AsyncFnOnce(LocalHost) -> T) -> T {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(seed));
    let host = executor.host();
    executor.run(told(host)).expect("it ends")
}

fn ring_of(pages: u64) -> Faults {
    seeded_ring_of(pages, 1)
}

fn seeded_ring_of(pages: u64, seed: u64) -> Faults {
    Faults::new(Memory::new(DIRECTORY + pages * PAGE), seed)
}

async fn create(ring: &Faults, host: &LocalHost) -> RedoRing<Faulty<LocalHost>> {
    RedoRing::create(ring.reopen(host.clone()), RING, OWNER).await.expect("nothing fails")
}

/// Gives each page its number and a value as content.
fn content(pages: &[u64], value: u8) -> GroupContent {
    let bytes: Vec<u8> = pages.iter().flat_map(|page| [value ^ *page as u8; PAGE as usize]).collect();
    GroupContent { bytes: Buffer::copy_of(&bytes), damaged: Vec::new() }
}

async fn write<D: BlockDevice>(ring: &RedoRing<D>, taken_at: u64, pages: &[u64]) -> Result<u64, RingError> {
    let changes: Vec<Change> = pages.iter().map(|page| Change::Content(*page)).collect();
    ring.write_group(taken_at, &changes, async |pages: &[u64]| Ok(content(pages, taken_at as u8))).await
}

fn byte_of(device: &Faults, page: u64) -> u8 {
    let mut byte = [0];
    device.peek(page * PAGE, &mut byte);
    byte[0]
}

/// Cuts the power at some time while a ring with many groups gets one more. Returns whether it can be opened then.
fn opens_after_a_cut(seed: u64) -> bool {
    let ring = seeded_ring_of(400, seed);
    run(seed, async |host| {
        let ours = create(&ring, &host).await;
        for taken_at in 1..=90 {
            write(&ours, taken_at, &[]).await.expect("there is room");
        }
        ring.delay(1_000, 30_000);
        select(pin!(write(&ours, 91, &[])), pin!(host.sleep(seed * 997 % 200_000))).await;
    });
    ring.power_cut();
    ring.delay(0, 0);
    run(seed, async |host| match RedoRing::open(ring.reopen(host)).await {
        Ok(ring) => matches!(ring.taken_at(), Some(90 | 91)),
        Err(_) => false,
    })
}

#[test]
fn a_power_cut_while_the_directory_is_written_leaves_one_that_is_whole() {
    for seed in 0..300 {
        assert!(opens_after_a_cut(seed), "seed {seed}");
    }
}

#[test]
fn without_the_flush_between_the_copies_a_power_cut_takes_both() {
    redo::plant(Some(Bug::CopiesTogether));
    let found = (0..300).find(|seed| !opens_after_a_cut(*seed));
    redo::plant(None);
    assert!(found.is_some(), "no seed finds it");
}

#[test]
fn a_group_of_several_chunks_is_applied_in_every_page() {
    const PAGES: u64 = 2_500;
    let (ring, backing) = (ring_of(2_600), Faults::new(Memory::new(PAGES * PAGE), 2));
    let found = run(1, async |host| {
        let ours = create(&ring, &host).await;
        let pages: Vec<u64> = (0..PAGES).collect();
        write(&ours, 1, &pages).await.expect("there is room");
        let checked = verify(&ours, PAGES * PAGE).await.expect("the ring is whole");
        let applied = recover(&ours, &backing.reopen(host.clone())).await.expect("the ring is whole");
        assert_eq!(checked, applied);
        applied
    });
    assert_eq!((found.content_bytes, found.lost), (PAGES * PAGE, Vec::new()));
    for page in 0..PAGES {
        assert_eq!(byte_of(&backing, page), 1 ^ page as u8, "page {page}");
    }
}

#[test]
fn a_recovery_that_ends_halfway_keeps_the_promise_and_the_flash_out() {
    let (ring, backing) = (ring_of(100), Faults::new(Memory::new(8 * PAGE), 2));
    run(1, async |host| {
        let ours = create(&ring, &host).await;
        write(&ours, 1, &[1, 2]).await.expect("there is room");
        write(&ours, 2, &[1, 5]).await.expect("there is room");
        backing.delay(1_000, 1_000);
        let stopped = pin!(host.sleep(1_500));
        let slow = backing.reopen(host.clone());
        assert!(
            matches!(select(pin!(recover(&ours, &slow)), stopped).await, Either::Right(_)),
            "it is halfway"
        );
        let again = RedoRing::open(ring.reopen(host.clone())).await.expect("it is there");
        assert_eq!((again.epoch(), again.taken_at(), again.groups().len()), (1, Some(2), 2));
        let found = recover(&again, &backing.reopen(host)).await.expect("it may be repeated");
        assert_eq!((found.taken_at, again.epoch(), again.taken_at()), (2, 2, None));
    });
    assert_eq!([1, 2, 5].map(|page| byte_of(&backing, page)), [2 ^ 1, 1 ^ 2, 2 ^ 5]);
}

#[test]
fn a_table_of_several_chunks_is_read_back() {
    const RANGES: u64 = 100_000;
    let ring = ring_of(2_000);
    let found = run(1, async |host| {
        let ours = create(&ring, &host).await;
        let changes: Vec<Change> =
            (0..RANGES).map(|at| Change::Zeroes(2 * at..2 * at + 1, Unmap::Allowed)).collect();
        ours.write_group(1, &changes, async |_: &[u64]| Ok(content(&[], 0))).await.expect("there is room");
        let ours = RedoRing::open(ring.reopen(host)).await.expect("it is there");
        verify(&ours, 2 * RANGES * PAGE).await.expect("the ring is whole")
    });
    assert_eq!((found.zeroed_bytes, found.lost), (RANGES * PAGE, Vec::new()));
}

#[test]
fn a_damaged_page_is_listed_and_all_else_is_applied() {
    let (ring, backing) = (ring_of(64), Faults::new(Memory::new(16 * PAGE - 512), 2));
    let found = run(1, async |host| {
        let ours = create(&ring, &host).await;
        write(&ours, 1, &[1, 2, 3, 15]).await.expect("there is room");
        // Behind the table of one page: of pages 2 and 3 one is written again by the next group.
        ring.rot(&ByteRange::at(DIRECTORY + 2 * PAGE, 2 * PAGE), 1);
        ring.rot(&ByteRange::at(DIRECTORY + 2 * PAGE, PAGE), 1);
        ring.rot(&ByteRange::at(DIRECTORY + 3 * PAGE, PAGE), 1);
        write(&ours, 2, &[3]).await.expect("there is room");
        let changes = [Change::Zeroes(5..7, Unmap::Allowed), Change::Lost(8..10)];
        ours.write_group(3, &changes, async |pages: &[u64]| Ok(content(pages, 0)))
            .await
            .expect("there is room");
        let backing = backing.reopen(host.clone());
        backing.write(5 * PAGE, Buffer::copy_of(&[9; 4096])).await.1.expect("nothing fails");
        let ours = RedoRing::open(ring.reopen(host)).await.expect("it is there");
        let found = verify(&ours, 16 * PAGE - 512).await.expect("it can be read");
        assert_eq!(recover(&ours, &backing).await.as_ref(), Ok(&found), "it does what was said");
        found
    });
    let expected = Recovery {
        taken_at: 3,
        groups: 3,
        content_bytes: 3 * PAGE,
        zeroed_bytes: 2 * PAGE,
        lost: vec![2..3, 8..10],
    };
    assert_eq!(found, expected);
    let read = [1, 2, 3, 5, 15].map(|page| byte_of(&backing, page));
    assert_eq!(read, [1 ^ 1, 0, 2 ^ 3, 0, 1 ^ 15]);
}

#[test]
fn a_replay_empties_the_ring_skips_damaged_pages_and_keeps_the_promise() {
    let (ring, backing) = (ring_of(64), Faults::new(Memory::new(16 * PAGE - 512), 2));
    run(1, async |host| {
        let ours = create(&ring, &host).await;
        write(&ours, 1, &[1, 2, 3, 15]).await.expect("there is room");
        // Behind the table of one page: of pages 2 and 3 one is written again by the next group.
        ring.make_unreadable(ByteRange::at(DIRECTORY + 2 * PAGE, 2 * PAGE));
        write(&ours, 2, &[3]).await.expect("there is room");
        let backing = backing.reopen(host.clone());
        let flush = async || backing.flush().await;
        let gone = BlockError::anywhere(ErrorKind::Gone, Operation::Write);
        let refused = replay(&ours, &backing, flush, || Err(gone.clone())).await;
        assert_eq!((refused, ours.groups().len()), (Err(RingError::Abandoned(gone)), 2));
        let done = replay(&ours, &backing, flush, || Ok(())).await.expect("nothing fails");
        assert_eq!(
            (done.groups, done.content_bytes, done.skipped.as_slice()),
            (2, 3 * PAGE, std::slice::from_ref(&(2..3)))
        );
        assert_eq!((ours.taken_at(), ours.used_bytes()), (Some(2), 0));
        let again = RedoRing::open(ring.reopen(host)).await.expect("it is there");
        let recovered = recover(&again, &backing).await.expect("it promises the same");
        assert_eq!((recovered.taken_at, recovered.groups), (2, 0));
    });
    let read = [1, 2, 3, 15].map(|page| byte_of(&backing, page));
    assert_eq!(read, [1 ^ 1, 0, 2 ^ 3, 1 ^ 15]);
}

#[test]
fn a_replay_does_not_release_what_the_backing_may_not_have() {
    run(1, async |host| {
        let ring = ring_of(64);
        let ours = create(&ring, &host).await;
        write(&ours, 1, &[1, 3]).await.expect("there is room");
        let backing = Faults::new(Memory::new(8 * PAGE), 2);
        let device = backing.reopen(host.clone());
        for at in 0..8 {
            let flush = async || {
                if at == 7 {
                    backing.lose_volatile();
                }
                device.flush().await
            };
            match at {
                0..2 => backing.fail_after(Operation::Write, at),
                2 => backing.fail_after(Operation::Flush, 0),
                // A write that was not answered may still land.
                3.. => {
                    while !device.has_unanswered() {
                        backing.fail_after(Operation::Write, 0);
                        drop(device.write(0, Buffer::copy_of(&[7; PAGE as usize])).await);
                    }
                }
            }
            if at == 7 {
                backing.land_late();
            }
            let failed = replay(&ours, &device, flush, || Ok(())).await;
            assert!(matches!(failed, Err(RingError::Backing(_))), "{at}: {failed:?}");
            assert_eq!(ours.groups().len(), 1);
            if at < 3 {
                backing.land_late();
            }
        }
        replay(&ours, &device, async || device.flush().await, || Ok(())).await.expect("nothing fails");
        assert_eq!(ours.groups().len(), 0);
    });
}

#[test]
fn one_table_of_a_group_is_enough_and_without_both_nothing_is_applied() {
    let backing = Faults::new(Memory::new(8 * PAGE), 2);
    run(1, async |host| {
        let ring = ring_of(64);
        let ours = create(&ring, &host).await;
        write(&ours, 1, &[1]).await.expect("there is room");
        write(&ours, 2, &[2, 4]).await.expect("there is room");
        // The second group begins behind two tables and a page.
        ring.make_unreadable(ByteRange::at(DIRECTORY + 3 * PAGE, PAGE));
        assert_eq!(verify(&ours, 8 * PAGE).await.map(|found| found.groups), Ok(2));
        ring.rot(&ByteRange::at(DIRECTORY + 6 * PAGE, PAGE), 1);
        let damaged = Err(RingError::GroupDamaged { number: 2 });
        assert_eq!(recover(&ours, &backing.reopen(host)).await, damaged);
        assert_eq!((byte_of(&backing, 1), ours.taken_at()), (0, Some(2)), "nothing was changed");
    });
}

#[test]
fn a_ring_that_promises_nothing_or_is_of_another_disk_is_not_applied() {
    run(1, async |host| {
        let (ring, backing) = (ring_of(64), Faults::new(Memory::new(8 * PAGE), 2));
        let ours = create(&ring, &host).await;
        let backing = backing.reopen(host.clone());
        assert_eq!(recover(&ours, &backing).await, Err(RingError::NotConsistent));
        write(&ours, 1, &[8]).await.expect("there is room");
        let behind = Err(RingError::BehindEnd { end: 9 * PAGE, size_bytes: 8 * PAGE });
        assert_eq!(recover(&ours, &backing).await, behind);
        ours.void().await.expect("nothing fails");
        let again = RedoRing::open(ring.reopen(host)).await.expect("it is there");
        assert_eq!(recover(&again, &backing).await, Err(RingError::NotConsistent));
        assert_eq!((again.id(), again.owner(), again.epoch()), (RING, OWNER, 0));
    });
}

#[test]
fn a_full_ring_takes_groups_again_once_earlier_ones_are_released() {
    run(1, async |host| {
        let ring = ring_of(16);
        let ours = create(&ring, &host).await;
        let pages: Vec<u64> = (0..4).collect();
        let first = write(&ours, 1, &pages).await.expect("there is room");
        let second = write(&ours, 2, &pages).await.expect("there is room");
        assert_eq!(write(&ours, 3, &pages).await, Err(RingError::NoRoom { needed_bytes: 6 * PAGE }));
        ours.release_before(second);
        assert_eq!(ours.used_bytes(), 12 * PAGE, "the directory names it until the next one");
        let third = write(&ours, 3, &pages).await.expect("there is room again");
        assert!(first < second && second < third);
        assert_eq!(ours.groups().len(), 2);
        let many: Vec<u64> = (0..15).collect();
        let too_large = RingError::TooLarge { needed_bytes: 17 * PAGE, ring_bytes: 16 * PAGE };
        assert_eq!(write(&ours, 4, &many).await, Err(too_large));
    });
}

#[test]
fn content_that_flash_lost_meanwhile_is_listed_in_the_group() {
    run(1, async |host| {
        let (ring, backing) = (ring_of(64), Faults::new(Memory::new(8 * PAGE), 2));
        let ours = create(&ring, &host).await;
        let changes = [Change::Content(2), Change::Content(3)];
        let damaged = async |pages: &[u64]| {
            let GroupContent { bytes, .. } = content(pages, 0);
            Ok(GroupContent { bytes, damaged: vec![0] })
        };
        ours.write_group(5, &changes, damaged).await.expect("there is room");
        let found = recover(&ours, &backing.reopen(host)).await.expect("it can be read");
        assert_eq!((found.lost.as_slice(), found.content_bytes), (std::slice::from_ref(&(2..3)), PAGE));
        assert_eq!([2, 3].map(|page| byte_of(&backing, page)), [0, 3]);
    });
}

#[test]
fn a_failed_group_leaves_the_ring_as_it_was() {
    run(1, async |host| {
        let ring = ring_of(64);
        let ours = create(&ring, &host).await;
        write(&ours, 1, &[1]).await.expect("there is room");
        let error = BlockError::anywhere(ErrorKind::Io, Operation::Read);
        let failing = async |_: &[u64]| Err(error.clone());
        let abandoned = ours.write_group(2, &[Change::Content(1)], failing).await;
        assert_eq!(abandoned, Err(RingError::Abandoned(error.clone())));
        for after in 0..4 {
            ring.fail_after(Operation::Write, after);
            assert!(matches!(write(&ours, 2, &[1]).await, Err(RingError::Storage(_))), "write {after}");
            ring.land_late();
        }
        assert_eq!(ours.groups().iter().map(|group| group.taken_at).collect::<Vec<_>>()[..1], [1]);
        write(&ours, 3, &[1]).await.expect("it works again");
        assert_eq!(RedoRing::open(ring.reopen(host)).await.expect("it is there").taken_at(), Some(3));
    });
}

#[test]
fn a_call_that_was_dropped_in_the_middle_ends_the_use_of_the_ring() {
    run(1, async |host| {
        let ring = ring_of(64);
        let ours = create(&ring, &host).await;
        ring.delay(1_000, 2_000);
        select(pin!(write(&ours, 1, &[1])), pin!(host.sleep(1_500))).await;
        assert_eq!(write(&ours, 2, &[1]).await, Err(RingError::GivenUp));
        let again = RedoRing::open(ring.reopen(host)).await.expect("it is there");
        assert_eq!(again.groups().len(), 0);
    });
}

#[test]
fn what_is_no_ring_says_so() {
    run(1, async |host| {
        let open = async |device: &Faults| RedoRing::open(device.reopen(host.clone())).await.map(drop);
        let small = Faults::new(Memory::new(smallest_bytes() - PAGE), 1);
        assert!(matches!(open(&small).await, Err(RingError::NotARing(_))));
        let size_bytes = smallest_bytes() - PAGE;
        let refused = RedoRing::create(small.reopen(host.clone()), RING, OWNER).await.map(drop);
        assert_eq!(refused, Err(RingError::TooSmall { size_bytes, needed_bytes: smallest_bytes() }));
        let ring = ring_of(64);
        assert!(matches!(open(&ring).await, Err(RingError::NotARing(_))));
        drop(create(&ring, &host).await);
        ring.rot(&ByteRange::at(512, 512), 1);
        assert_eq!(open(&ring).await, Ok(()), "the other copy is whole");
        ring.rot(&ByteRange::at((16 << 10) + 512, 512), 1);
        assert_eq!(open(&ring).await, Err(RingError::Damaged));
    });
}
