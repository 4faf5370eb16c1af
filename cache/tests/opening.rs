//! Content of devices when they are opened, and what formatting and opening leave behind when they are cut at any
//! write.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::faulty::{Faults, Faulty};
use block::{ByteRange, Memory, Operation, PAGE};
use cache::format::superblock::SLOTS;
use cache::{Cache, CacheError, Identified, PoolContent, PoolId, SessionIds, Shape, format, identify};

/// A cache over such devices; nothing is attached.
type Over<F> = Cache<(Memory, F, LocalHost)>;

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

fn marks() -> SessionIds {
    SessionIds { new: 1, known: vec![0, 1], epoch: None }
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
        newer.poke(slot + 8, &6u32.to_le_bytes());
    }
    assert_eq!(run(identify(&newer)), Ok(Identified::Newer { id: ID.to_string(), version: 6 }));
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

/// Returns a device of so many bytes that has this at these places.
fn device(size: u64, content: &[(u64, &[u8])]) -> Memory {
    let memory = Memory::new(size);
    for (offset, bytes) in content {
        memory.poke(*offset, bytes);
    }
    memory
}

#[test]
fn data_in_the_middle_of_a_device_is_found_and_its_place_is_named() {
    for offset in [8 << 20, (64 << 20) + 64, 137 << 20, (299 << 20) + 4095] {
        let found = run(identify(&device(300 << 20, &[(offset, b"header")])));
        let Ok(Identified::Foreign { offset: at, .. }) = found else { panic!("at {offset}: {found:?}") };
        assert_eq!(at, offset / 4096 * 4096);
    }
    // Data at two places are two ids, also behind what is read first.
    let ids =
        [9 << 20, 10 << 20].map(|offset| match run(identify(&device(32 << 20, &[(offset, b"data")]))) {
            Ok(Identified::Foreign { id, .. }) => id,
            other => panic!("{other:?}"),
        });
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn what_a_file_system_or_a_volume_manager_left_is_named_wherever_it_keeps_it() {
    const SIZE: u64 = 600 << 20;
    let md: &[u8] = &[0xfc, 0x4e, 0x2b, 0xa9];
    let zfs: &[u8] = &[1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    for (offset, magic, name) in [
        (1024 + 0x38, &b"\x53\xef"[..], "ext4"),
        ((128 << 20) + 0x38, b"\x53\xef", "ext4"),
        ((64 << 20) + 64, b"_BHRfS_M", "btrfs"),
        (SIZE - 512, b"EFI PART", "GPT"),
        (SIZE - 8192, md, "md array"),
        (SIZE - (512 << 10) + 0x4000, zfs, "ZFS"),
        (512 + 24, b"LVM2 001", "LVM"),
        (4086, b"SWAPSPACE2", "swap"),
        (510, b"\x55\xaa", "MBR"),
    ] {
        match run(identify(&device(SIZE, &[(offset, magic)]))) {
            Ok(Identified::Foreign { format: Some(format), .. }) => {
                assert!(format.contains(name), "{name}: {format}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn a_large_device_is_searched_at_its_ends_and_all_over() {
    const SIZE: u64 = 3 << 40;
    assert_eq!(run(identify(&Memory::new(SIZE))), Ok(Identified::Blank));
    for offset in [63 << 20, SIZE - (63 << 20), 128 << 20, (256 << 30) + 64, SIZE / 4] {
        let found = run(identify(&device(SIZE, &[(offset, &[7; 4096])])));
        assert!(matches!(found, Ok(Identified::Foreign { .. })), "at {offset}");
    }
}

#[test]
fn flash_that_reads_as_ones_after_an_erase_is_blank() {
    let memory = Memory::new(SIZE);
    memory.poke(0, &vec![0xff; SIZE as usize / 2]);
    assert_eq!(run(identify(&memory)), Ok(Identified::Blank));
    memory.poke(SIZE / 2 - 1, &[0xfe]);
    assert!(matches!(run(identify(&memory)), Ok(Identified::Foreign { .. })));
}

#[test]
fn nothing_but_a_whole_pool_is_opened_and_nothing_else_is_changed() {
    let foreign = Memory::new(SIZE);
    foreign.poke(4000, &[7; 9000]);
    let before = run(identify(&foreign));
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let opened =
        executor.run(Over::<Memory>::open(vec![foreign.clone()], executor.host(), &marks())).unwrap();
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
                let opened = executor
                    .run(Over::<Faulty<LocalHost>>::open(vec![device], executor.host(), &marks()))
                    .unwrap();
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
            let opened = executor
                .run(Over::<Faulty<LocalHost>>::open(vec![device], executor.host(), &marks()))
                .unwrap()
                .is_ok();
            faults.power_cut();
            let device = faults.reopen(executor.host());
            let again = executor
                .run(Over::<Faulty<LocalHost>>::open(vec![device], executor.host(), &marks()))
                .unwrap();
            assert!(again.is_ok(), "seed {seed}, cut at write {cut}");
            if opened {
                break;
            }
        }
    }
}

/// A copy of the device that was made before has the earlier mark, and is not trusted in its place.
#[test]
fn a_leave_that_is_cut_at_any_write_leaves_the_earlier_mark_or_the_new_one() {
    for seed in 0..4 {
        for cut in 0.. {
            let faults = Faults::new(pool(), seed);
            let executor = Executor::new(VirtualTime::new(), Order::Fifo);
            let open = |marks: SessionIds| {
                let device = faults.reopen(executor.host());
                executor
                    .run(Over::<Faulty<LocalHost>>::open(vec![device], executor.host(), &marks))
                    .unwrap()
                    .unwrap()
            };
            let cache = open(SessionIds { new: 1, known: vec![0], epoch: None }).cache;
            faults.fail_after(Operation::Write, cut);
            let left = executor.run(cache.leave(2)).unwrap().is_ok();
            faults.power_cut();
            let content = open(SessionIds { new: 3, known: vec![1, 2], epoch: None }).content;
            let PoolContent::Kept { last_mark } = content else {
                panic!("seed {seed}, cut {cut}: {content:?}")
            };
            assert!(last_mark == 2 || last_mark == 1 && !left, "seed {seed}, cut {cut}: mark {last_mark}");
            if left {
                let content = open(SessionIds { new: 4, known: vec![2], epoch: None }).content;
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
    assert!(
        executor
            .run(Over::<Faulty<LocalHost>>::open(vec![device], executor.host(), &marks()))
            .unwrap()
            .is_ok()
    );
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
        let opened =
            executor.run(Over::<Memory>::open(vec![memory.clone()], executor.host(), &marks())).unwrap();
        assert!(matches!(opened.err(), Some(CacheError::NotAPool(_))));
    }
}
