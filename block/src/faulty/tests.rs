//! Tests that each injected fault has its effect.

use super::*;
use crate::executor::{Executor, Order, VirtualTime};

fn run<T>(test: impl AsyncFnOnce(crate::executor::LocalHost, Faults) -> T) -> T {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(1));
    let faults = Faults::new(Memory::new(1 << 20), 7);
    let host = executor.host();
    executor.run(test(host, faults)).expect("nothing waits for ever")
}

async fn put<H: Host>(device: &Faulty<H>, byte: u8, sectors: usize) -> Result<(), BlockError> {
    device.write(0, Buffer::copy_of(&vec![byte; sectors * SECTOR as usize])).await.1
}

fn sectors(faults: &Faults, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count * SECTOR as usize];
    faults.peek(0, &mut bytes);
    for sector in bytes.chunks(SECTOR as usize) {
        assert!(sector.iter().all(|byte| *byte == sector[0]), "sectors never tear inside");
    }
    bytes.chunks(SECTOR as usize).map(|sector| sector[0]).collect()
}

#[test]
fn a_power_cut_keeps_what_was_flushed_and_any_part_of_the_rest() {
    run(async |host, faults| {
        let device = faults.reopen(host);
        put(&device, 1, 64).await.unwrap();
        device.flush().await.unwrap();
        put(&device, 2, 64).await.unwrap();
        put(&device, 3, 64).await.unwrap();
        assert_eq!(sectors(&faults, 64), [3; 64]);
        faults.power_cut();
        let after = sectors(&faults, 64);
        assert!((1..=3).all(|version| after.contains(&version)), "{after:?}");
        assert_eq!(put(&device, 4, 1).await.unwrap_err().kind, ErrorKind::Gone);
        assert_eq!(sectors(&faults, 64), after);
    });
}

#[test]
fn a_power_cut_that_keeps_everything_or_nothing_leaves_no_mix() {
    for (kept, byte) in [(SurvivingWrites::Everything, 3), (SurvivingWrites::Nothing, 1)] {
        run(async |host, faults| {
            let device = Rc::new(faults.reopen(host.clone()));
            put(&device, 1, 64).await.unwrap();
            device.flush().await.unwrap();
            put(&device, 2, 64).await.unwrap();
            faults.delay(100, 100);
            host.spawn(async move { drop(put(&device, 3, 64).await) });
            host.sleep(50).await;
            faults.power_cut_keeping(kept);
            assert_eq!(sectors(&faults, 64), [byte; 64]);
        });
    }
}

#[test]
fn a_flush_covers_only_what_was_written_before_it_started() {
    run(async |host, faults| {
        let device = Rc::new(faults.reopen(host.clone()));
        put(&device, 1, 64).await.unwrap();
        faults.delay(100, 100);
        let flushing = Rc::clone(&device);
        host.spawn(async move { flushing.flush().await.unwrap() });
        host.sleep(50).await;
        faults.delay(0, 0);
        put(&device, 2, 64).await.unwrap();
        host.sleep(1000).await;
        faults.power_cut();
        let after = sectors(&faults, 64);
        assert!(after.contains(&1) && after.contains(&2) && !after.contains(&0), "{after:?}");
    });
}

#[test]
fn a_kill_keeps_what_completed_and_lets_a_write_in_flight_land_late() {
    let mut late = 0;
    for seed in 0..32 {
        let executor = Executor::new(VirtualTime::new(), Order::Fifo);
        let faults = Faults::new(Memory::new(1 << 20), seed);
        let device = faults.reopen(executor.host());
        let host = executor.host();
        executor.run(async {
            put(&device, 1, 8).await.unwrap();
            faults.delay(1000, 1000);
            let device = Rc::new(device);
            host.spawn(async move { drop(put(&device, 2, 8).await) });
            host.sleep(10).await;
        });
        drop(executor);
        faults.kill();
        let before = sectors(&faults, 8);
        assert!(!before.contains(&0));
        faults.land_late();
        late += u64::from(sectors(&faults, 8) != before);
    }
    assert!(late > 0, "some write has to come late");
}

#[test]
fn a_failed_flush_is_not_made_good_by_the_next_one() {
    run(async |host, faults| {
        let device = faults.reopen(host);
        put(&device, 1, 64).await.unwrap();
        faults.fail_after(Operation::Flush, 0);
        assert!(device.flush().await.is_err());
        device.flush().await.unwrap();
        faults.power_cut();
        assert!(sectors(&faults, 64).contains(&0), "doomed sectors are lost by chance");
    });
}

#[test]
fn the_nth_operation_fails_and_the_others_do_not() {
    run(async |host, faults| {
        let device = faults.reopen(host);
        faults.fail_after(Operation::Write, 2);
        let outcomes = [put(&device, 1, 1).await, put(&device, 2, 1).await, put(&device, 3, 1).await];
        assert_eq!(outcomes.map(|outcome| outcome.is_ok()), [true, true, false]);
        assert!(put(&device, 4, 1).await.is_ok());
        assert_eq!(faults.counts().failed, 1);
    });
}

#[test]
fn a_hanging_operation_goes_on_once_released() {
    run(async |host, faults| {
        let device = Rc::new(faults.reopen(host.clone()));
        faults.hang();
        let done = Rc::new(Cell::new(false));
        let (writer, written) = (Rc::clone(&device), Rc::clone(&done));
        host.spawn(async move {
            put(&writer, 1, 1).await.unwrap();
            written.set(true);
        });
        host.sleep(1_000_000).await;
        assert!(!done.get());
        faults.release();
        host.sleep(1).await;
        assert!(done.get());
    });
}

#[test]
#[should_panic(expected = "without end: operations of a device, all at 5 ns")]
fn operations_that_take_no_time_and_have_no_end_are_noticed() {
    run(async |host, faults| {
        let device = faults.reopen(host.clone());
        for _ in 0..3 {
            for _ in 0..AT_ONCE_MAX - 1 {
                device.flush().await.unwrap();
            }
            host.sleep(1).await;
        }
        host.sleep(2).await;
        loop {
            device.flush().await.unwrap();
        }
    });
}

#[test]
fn rot_changes_what_reads_find() {
    run(async |host, faults| {
        let device = faults.reopen(host);
        put(&device, 1, 8).await.unwrap();
        faults.rot(&ByteRange::new(0, 8 * SECTOR), 1);
        let (buffer, result) = device.read(0, Buffer::zeroed(8 * SECTOR as usize)).await;
        result.unwrap();
        assert_eq!(buffer.iter().filter(|&&byte| byte != 1).count(), 1);
    });
}

#[test]
fn a_discard_leaves_old_content_zeroes_or_a_mix_and_is_durable_with_a_flush() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..64 {
        let executor = Executor::new(VirtualTime::new(), Order::Fifo);
        let faults = Faults::new(Memory::new(1 << 20), seed);
        let device = faults.reopen(executor.host());
        assert!(device.wants_discards());
        executor.run(async {
            put(&device, 1, 64).await.unwrap();
            device.flush().await.unwrap();
            device.discard(ByteRange::new(0, 64 * SECTOR)).await.unwrap();
            let after = sectors(&faults, 64);
            device.flush().await.unwrap();
            faults.power_cut();
            assert_eq!(sectors(&faults, 64), after);
            seen.insert((after.contains(&0), after.contains(&1)));
        });
        assert_eq!((faults.counts().discards, faults.counts().discards_cut), (1, 0));
    }
    assert_eq!(seen.len(), 3, "all of it, nothing, or a part: {seen:?}");
}

#[test]
fn a_discard_in_flight_when_its_process_ends_is_over_before_the_next_one() {
    for kills in [true, false] {
        let mut changed = 0;
        for seed in 0..16 {
            let executor = Executor::new(VirtualTime::new(), Order::Fifo);
            let faults = Faults::new(Memory::new(1 << 20), seed);
            let (device, host) = (faults.reopen(executor.host()), executor.host());
            executor.run(async {
                put(&device, 1, 8).await.unwrap();
                faults.hang_discards();
                host.spawn(async move { drop(device.discard(ByteRange::new(0, 8 * SECTOR)).await) });
                host.sleep(10).await;
            });
            assert_eq!(sectors(&faults, 8), [1; 8]);
            drop(executor);
            if kills {
                faults.kill();
                assert_eq!(faults.counts().discards_cut, 1);
            }
            let device = faults.reopen(Executor::new(VirtualTime::new(), Order::Fifo).host());
            let before = sectors(&faults, 8);
            changed += u64::from(before != [1; 8]);
            if !kills {
                faults.land_late();
                assert_eq!(sectors(&faults, 8), before, "nothing is left of the process before");
            }
            drop(device);
        }
        assert!(changed > 0, "some discard has to land");
    }
}

#[test]
fn whoever_uses_what_is_being_discarded_is_noticed() {
    run(async |host, faults| {
        let device = Rc::new(faults.reopen(host.clone()));
        faults.hang_discards();
        let other = Rc::clone(&device);
        host.spawn(async move { other.discard(ByteRange::new(0, 8 * SECTOR)).await.unwrap() });
        host.sleep(10).await;
        let elsewhere = Buffer::zeroed(SECTOR as usize);
        device.write(8 * SECTOR, elsewhere).await.1.unwrap();
        assert_eq!(faults.counts().discards_met, 0);
        put(&device, 2, 1).await.unwrap();
        assert_eq!(faults.counts().discards_met, 1);
        device.read(0, Buffer::zeroed(SECTOR as usize)).await.1.unwrap();
        assert!(faults.counts().discards_met > 1);
        faults.release();
    });
}
