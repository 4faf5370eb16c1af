//! What is found on a device, and what formatting and opening leave behind when they are cut at any write.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use block::executor::{Executor, Order, VirtualTime};
use block::faulty::Faults;
use block::{ByteRange, Memory, Operation, PAGE};
use cache::bytes::superblock::SLOTS;
use cache::{Cache, CacheError, Identified, Marks, PoolContent, PoolId, Shape, format, identify};

const SIZE: u64 = 2 << 20;
const SEGMENT: u64 = 32 << 10;
const SHAPE: Shape = Shape { segment_bytes: SEGMENT, region_bytes: 256 << 10 };
const ID: PoolId = PoolId([5; 16]);

fn run<T>(test: impl Future<Output = T>) -> T {
    Executor::new(VirtualTime::new(), Order::Fifo).run(test).expect("nothing waits for ever")
}

fn pool() -> Memory {
    let memory = Memory::new(SIZE);
    run(format(&memory, ID, Some(SHAPE))).unwrap();
    memory
}

fn marks() -> Marks {
    Marks { new: 1, known: vec![0, 1], epoch: None }
}

fn flip(memory: &Memory, offset: u64) {
    let mut byte = [0];
    memory.peek(offset, &mut byte);
    memory.poke(offset, &[byte[0] ^ 1]);
}

#[test]
fn a_pool_is_recognised_also_with_one_damaged_superblock() {
    let memory = pool();
    let number = cache::MemberNumber(0);
    let expected =
        Identified::Pool { id: ID, size_bytes: SIZE, segment_bytes: SEGMENT, devices: 1, number, mark: 0 };
    assert_eq!(run(identify(&memory)), Ok(expected.clone()));
    for slot in SLOTS {
        let memory = memory.duplicate();
        flip(&memory, slot + 100);
        assert_eq!(run(identify(&memory)), Ok(expected.clone()));
    }
}

#[test]
fn damaged_truncated_and_newer_pools_are_told_apart_and_named() {
    let damaged = pool();
    for slot in SLOTS {
        flip(&damaged, slot + 100);
    }
    let Ok(Identified::Damaged { id, .. }) = run(identify(&damaged)) else { panic!("expected Damaged") };
    assert_eq!(id, ID.to_string());

    let whole = pool();
    let mut start = vec![0; SIZE as usize / 2];
    whole.peek(0, &mut start);
    let truncated = Memory::new(SIZE / 2);
    truncated.poke(0, &start);
    let Ok(Identified::Damaged { what, .. }) = run(identify(&truncated)) else { panic!("expected Damaged") };
    assert!(what.contains("the device has only"), "{what}");

    let newer = pool();
    for slot in SLOTS {
        newer.poke(slot + 8, &5u32.to_le_bytes());
    }
    assert_eq!(run(identify(&newer)), Ok(Identified::Newer { id: ID.to_string(), version: 5 }));
}

#[test]
fn what_is_no_pool_is_blank_or_foreign_wherever_its_bytes_are() {
    assert_eq!(run(identify(&Memory::new(SIZE))), Ok(Identified::Blank));
    for offset in [0, 512, 1080, 65_600, SIZE - 512, SIZE - 1] {
        let memory = Memory::new(SIZE);
        memory.poke(offset, &[7]);
        assert!(matches!(run(identify(&memory)), Ok(Identified::Foreign { .. })), "at {offset}");
    }
}

#[test]
fn nothing_but_a_whole_pool_is_opened_and_nothing_else_is_changed() {
    let foreign = Memory::new(SIZE);
    foreign.poke(4000, &[7; 9000]);
    let before = run(identify(&foreign));
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let opened = executor.run(Cache::open(vec![foreign.clone()], executor.host(), &marks())).unwrap();
    assert!(matches!(opened.err(), Some(CacheError::NotAPool(_))));
    assert_eq!(run(identify(&foreign)), before);
}

/// Rule of every operation that changes a device: cut at its first, second, third... write, the old state or the new one
/// is found, or none, but never a pool that is half made.
#[test]
fn a_format_that_is_cut_at_any_write_leaves_no_pool_or_a_whole_one() {
    for seed in 0..4 {
        for cut in 0.. {
            let faults = Faults::new(Memory::new(SIZE), seed);
            let executor = Executor::new(VirtualTime::new(), Order::Fifo);
            let device = faults.reopen(executor.host());
            faults.fail_after(Operation::Write, cut);
            let formatted = executor.run(format(&device, ID, Some(SHAPE))).unwrap();
            faults.power_cut();
            let device = faults.reopen(executor.host());
            let found = executor.run(identify(&device)).unwrap().unwrap();
            if let Identified::Pool { .. } = found {
                let opened = executor.run(Cache::open(vec![device], executor.host(), &marks())).unwrap();
                assert!(opened.is_ok(), "seed {seed}, cut at write {cut}");
            }
            if formatted.is_ok() {
                assert!(matches!(found, Identified::Pool { .. }), "seed {seed}: complete and flushed");
                break;
            }
        }
    }
}

/// The same for opening: the term must have risen durably before anything else is written (rule I1).
#[test]
fn an_open_that_is_cut_at_any_write_leaves_a_pool_that_opens() {
    for seed in 0..4 {
        for cut in 0.. {
            let faults = Faults::new(pool(), seed);
            let executor = Executor::new(VirtualTime::new(), Order::Fifo);
            faults.fail_after(Operation::Write, cut);
            let device = faults.reopen(executor.host());
            let opened = executor.run(Cache::open(vec![device], executor.host(), &marks())).unwrap().is_ok();
            faults.power_cut();
            let device = faults.reopen(executor.host());
            let again = executor.run(Cache::open(vec![device], executor.host(), &marks())).unwrap();
            assert!(again.is_ok(), "seed {seed}, cut at write {cut}");
            if opened {
                break;
            }
        }
    }
}

/// A copy of the device that was made before bears the earlier mark, and is not believed in its place.
#[test]
fn a_leave_that_is_cut_at_any_write_leaves_the_earlier_mark_or_the_new_one() {
    for seed in 0..4 {
        for cut in 0.. {
            let faults = Faults::new(pool(), seed);
            let executor = Executor::new(VirtualTime::new(), Order::Fifo);
            let open = |marks: Marks| {
                let device = faults.reopen(executor.host());
                executor.run(Cache::open(vec![device], executor.host(), &marks)).unwrap().unwrap()
            };
            let cache = open(Marks { new: 1, known: vec![0], epoch: None }).cache;
            faults.fail_after(Operation::Write, cut);
            let left = executor.run(cache.leave(2)).unwrap().is_ok();
            faults.power_cut();
            let content = open(Marks { new: 3, known: vec![1, 2], epoch: None }).content;
            let PoolContent::Kept { last_mark } = content else {
                panic!("seed {seed}, cut {cut}: {content:?}")
            };
            assert!(last_mark == 2 || last_mark == 1 && !left, "seed {seed}, cut {cut}: mark {last_mark}");
            if left {
                let content = open(Marks { new: 4, known: vec![2], epoch: None }).content;
                assert!(matches!(content, PoolContent::Dropped(_)), "another start came in between");
                break;
            }
        }
    }
}

#[test]
fn rot_in_one_slot_of_the_table_does_not_keep_a_pool_from_opening() {
    let faults = Faults::new(pool(), 1);
    faults.rot(&ByteRange::new(2 * PAGE, 3 * PAGE), 1);
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let device = faults.reopen(executor.host());
    assert!(executor.run(Cache::open(vec![device], executor.host(), &marks())).unwrap().is_ok());
}

/// Made by earlier versions of Forebay, with pages of disk 1 in them.
#[test]
fn pools_of_older_formats_are_recognised_and_not_opened() {
    let images: [&[u8]; 3] =
        [include_bytes!("format-1.pool"), include_bytes!("format-2.pool"), include_bytes!("format-3.pool")];
    for (image, version) in images.into_iter().zip(1..) {
        let memory = Memory::new(image.len() as u64);
        memory.poke(0, image);
        let id = format!("{version}{version}").repeat(16);
        assert_eq!(run(identify(&memory)), Ok(Identified::Older { id, version }));
        let executor = Executor::new(VirtualTime::new(), Order::Fifo);
        let opened = executor.run(Cache::open(vec![memory.clone()], executor.host(), &marks())).unwrap();
        assert!(matches!(opened.err(), Some(CacheError::NotAPool(_))));
    }
}
