//! Statistics of made-up traces, each small enough to be counted by hand.

use std::io::Cursor;

use super::*;
use crate::Options;

fn of(requests: &[Request]) -> Info {
    with_bound(requests, FOOTPRINT_BLOCKS_MAX)
}

fn with_bound(requests: &[Request], blocks_max: usize) -> Info {
    let mut gauge = Gauge::with_bound(blocks_max);
    for request in requests {
        gauge.add(request);
    }
    gauge.describe(0)
}

fn request(at_us: u64, kind: Kind, block: u64, blocks: u32) -> Request {
    Request { at_us: Some(at_us), kind, offset: block * 4096, length: blocks * 4096, ..Request::default() }
}

#[test]
fn a_small_trace_is_described_exactly() {
    let second = 1_000_000;
    let info = of(&[
        request(5, Kind::Read, 0, 4),
        request(6, Kind::Write, 4, 4),
        request(second, Kind::Read, 4, 1),
        request(3 * second + 5, Kind::Read, 100, 1),
        request(3 * second, Kind::Read, 101, 1),
    ]);
    assert_eq!((info.survey.requests, info.survey.reads, info.survey.writes), (5, 4, 1));
    assert_eq!(info.survey.backwards, 1);
    assert_eq!(info.bytes, Directions { read: 7 * 4096, write: 4 * 4096, unknown: 0 });
    assert_eq!(info.survey.span_us(), Some(3_000_000));
    let class = |up_to_bytes, read, write| LengthClass {
        up_to_bytes,
        requests: Directions { read, write, unknown: 0 },
    };
    assert_eq!(info.lengths, [class(4096, 3, 0), class(8192, 0, 0), class(16384, 1, 1)]);
    // The write continues where the first read ended; so do the read of block 4, and the last one.
    assert_eq!(info.sequential, 3);
    let expected = Touched {
        accesses: 11,
        blocks: 10,
        blocks_by: Directions { read: 7, write: 4, unknown: 0 },
        blocks_once: 9,
        busiest_tenth: 2.0 / 11.0,
        is_exact: true,
    };
    assert_eq!(info.touched, expected);
    assert_eq!(info.window_width, second / 8);
    let window = |requests, reads, blocks_in: u64, blocks, blocks_new| Window {
        requests,
        reads,
        bytes: blocks_in * 4096,
        blocks,
        blocks_new,
    };
    assert_eq!(info.windows.len(), 25);
    assert_eq!(info.windows[0], window(2, 1, 8, 8, 8));
    // The first time is 5 us, so that a second later is the eighth window and not yet the ninth; likewise for three.
    assert_eq!(info.windows[7], window(1, 1, 1, 1, 0));
    assert_eq!([info.windows[23], info.windows[24]], [window(1, 1, 1, 1, 1); 2]);
    assert!(info.windows[8..23].iter().all(|empty| *empty == Window::default()));
}

#[test]
fn windows_widen_and_keep_what_they_counted() {
    // An hour, one request a second, over the same hundred blocks.
    let requests: Vec<Request> =
        (0..3600).map(|at| request(at * 1_000_000, Kind::Write, at % 100, 1)).collect();
    let info = of(&requests);
    assert_eq!(info.window_width, 128_000_000);
    assert_eq!(info.windows.len(), 29);
    assert_eq!(info.windows.iter().map(|window| window.requests).sum::<u64>(), 3600);
    assert!(info.windows[..28].iter().all(|window| window.blocks == 100 && window.requests == 128));
    assert_eq!((info.windows[28].requests, info.windows[28].blocks), (16, 16));
    assert_eq!(info.windows.iter().map(|window| window.blocks_new).collect::<Vec<_>>()[..2], [100, 0]);
}

#[test]
fn times_without_sense_cost_no_memory_and_no_panic() {
    let times = [5, u64::MAX, 0, 1 << 63, 5];
    let info = of(&times.map(|at| request(at, Kind::Read, 1, 1)));
    assert_eq!(info.survey.span_us(), Some(u64::MAX - 5));
    assert_eq!((info.survey.backwards, info.windows.len()), (2, 17));
    assert_eq!(info.windows.iter().map(|window| window.requests).sum::<u64>(), 5);
}

#[test]
fn a_trace_without_times_is_seen_by_requests() {
    let requests: Vec<Request> =
        (0..40_000).map(|at| Request { at_us: None, ..request(0, Kind::Unknown, at, 1) }).collect();
    let info = of(&requests);
    assert_eq!((info.window_width, info.windows.len(), info.survey.span_us()), (2048, 20, None));
    assert_eq!(info.survey.without_time, 40_000);
    assert!(info.windows[..19].iter().all(|window| window.blocks_new == 2048));
    assert_eq!(info.sequential, 39_999);
}

#[test]
fn an_empty_trace_has_nothing_to_say() {
    let info = of(&[]);
    assert_eq!(
        (info.survey, info.touched.blocks, info.windows.len(), info.lengths.len()),
        (Survey::default(), 0, 0, 0)
    );
}

#[test]
fn devices_are_counted_apart_and_never_without_bound() {
    let requests: Vec<Request> =
        (0..1000).map(|at| Request { device: at % 200, ..request(0, Kind::Read, 0, 1) }).collect();
    let info = of(&requests);
    assert_eq!((info.devices.len(), info.has_more_devices, info.devices[3]), (64, true, (3, 5)));
    assert_eq!(info.touched.blocks, 200, "block 0 of each");
    assert_eq!(info.sequential, 0);
}

#[test]
fn a_large_footprint_is_estimated_and_says_so() {
    let requests: Vec<Request> = (0..50_000).map(|at| request(at * 1000, Kind::Read, at * 8, 2)).collect();
    let info = with_bound(&requests, 8192);
    assert!(!info.touched.is_exact);
    assert_eq!(info.touched.accesses, 100_000);
    assert!(info.touched.blocks.abs_diff(100_000) < 5000, "{:?}", info.touched);
    let new: u64 = info.windows.iter().map(|window| window.blocks_new).sum();
    assert_eq!(new, info.touched.blocks);
}

#[test]
fn what_was_left_out_comes_from_the_trace() {
    let mut trace =
        Trace::from_bytes("t", Cursor::new(b"1\n*\n2\n".to_vec()), &Options::default()).expect("ids");
    let mut gauge = Gauge::new();
    for request in &mut trace {
        gauge.add(&request.expect("sound"));
    }
    let info = gauge.finish(&trace);
    assert_eq!((info.survey.requests, info.survey.left_out, info.touched.blocks), (2, 1, 2));
}
