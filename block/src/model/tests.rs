//! The figures that the model promises, in virtual time.
#![expect(clippy::cast_precision_loss, reason = "figures within 5 %")]

use std::cell::Cell;
use std::rc::Rc;

use super::*;
use crate::Memory;
use crate::executor::{Executor, LocalHost, Order, VirtualTime};

const SIZE: u64 = 64 << 30;
const SECOND: f64 = 1e9;

struct Measurement {
    iops: f64,
    mean_ms: f64,
    work: Work,
}

/// Random 8 KiB requests over the whole device for some thousand operations, so many at a time.
fn measure(profile: &str, depth: u64, writes: bool) -> Measurement {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(11));
    let host = executor.host();
    let model = Rc::new(Model::new(Memory::new(SIZE), host.clone(), profile.parse().unwrap()));
    let (operations, waited) = (Rc::new(Cell::new(0u32)), Rc::new(Cell::new(0)));
    for _ in 0..depth {
        let (model, host): (_, LocalHost) = (Rc::clone(&model), host.clone());
        let (operations, waited) = (Rc::clone(&operations), Rc::clone(&waited));
        executor.host().spawn(async move {
            for _ in 0..2000 {
                let offset = host.random() % (SIZE / 8192) * 8192;
                let started = host.now();
                let buffer = Buffer::zeroed(8192);
                let outcome =
                    if writes { model.write(offset, buffer).await } else { model.read(offset, buffer).await };
                outcome.1.unwrap();
                operations.set(operations.get() + 1);
                waited.set(waited.get() + host.now() - started);
            }
        });
    }
    let total = 2000 * depth;
    executor.run(async {
        while u64::from(operations.get()) < total {
            host.sleep(1_000_000).await;
        }
    });
    let (count, seconds) = (f64::from(operations.get()), host.now() as f64 / SECOND);
    Measurement { iops: count / seconds, mean_ms: waited.get() as f64 / count / 1e6, work: model.work() }
}

fn assert_near(value: f64, expected: f64) {
    assert!((value / expected - 1.0).abs() < 0.05, "{value} is not within 5 % of {expected}");
}

#[test]
fn one_15k_spindle_serves_217_random_reads_a_second_in_4_6_ms_each() {
    let measured = measure("hdd-15k", 1, false);
    assert_near(measured.iops, 217.0);
    assert_near(measured.mean_ms, 4.6);
    assert_near(measure("hdd-15k", 8, false).iops, 217.0);
}

#[test]
fn five_spindles_serve_nearly_five_times_as_many_when_enough_is_asked() {
    let measured = measure("hdd-15k-raid5x5", 64, false);
    assert_near(measured.iops, 5.0 * 217.0);
    assert_near(measure("hdd-15k-raid5x5", 1, false).mean_ms, 4.6);
}

#[test]
fn a_small_write_costs_four_operations_on_raid5_and_two_on_raid10() {
    let per_write = |profile| measure(profile, 1, true).work.operations as f64 / 2000.0;
    // Chunks are 64 KiB and requests are 8 KiB at multiples of it: none crosses a chunk.
    assert_near(per_write("hdd-15k-raid5x5"), 4.0);
    assert_near(per_write("hdd-15k-raid10x4"), 2.0);
    assert_near(per_write("hdd-15k-raid0x4"), 1.0);
}

#[test]
fn whole_rows_are_written_with_their_parity_and_nothing_is_read() {
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let model = Model::new(Memory::new(SIZE), executor.host(), "hdd-15k-raid5x5".parse().unwrap());
    let row = 4 * (64 << 10);
    executor.run(model.write(row * 3, Buffer::zeroed(row as usize)));
    assert_eq!(model.work().operations, 5);
}

#[test]
fn sequential_reads_stream_at_the_rate_of_the_platter() {
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    let model = Model::new(Memory::new(SIZE), host.clone(), "hdd-15k".parse().unwrap());
    executor.run(async {
        for request in 0..1000 {
            model.read(request << 20, Buffer::zeroed(1 << 20)).await.1.unwrap();
        }
    });
    assert_near(f64::from(1000 << 20) / (host.now() as f64 / SECOND), 180e6);
}

#[test]
fn profiles_read_what_they_print_and_refuse_what_cannot_be() {
    for text in ["hdd-7k2", "hdd-10k-raid0x11", "hdd-15k-raid5x5", "hdd-15k-raid10x4"] {
        assert_eq!(text.parse::<Profile>().unwrap().to_string(), text);
    }
    for text in
        ["ssd", "hdd-15k-raid5x2", "hdd-15k-raid10x3", "hdd-15k-raid6x5", "hdd-15k-raid5x", "hdd-15kraid5x5"]
    {
        let error = text.parse::<Profile>().unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
}
