//! Long trace in little memory: the memory of a reader and a gauge does not grow with the trace.
//!
//! There is one test, as it measures the process.

use std::io::{self, Read};

use trace::{Gauge, Options, Trace};

/// Lines of a trace that is stored nowhere: requests that jump over a terabyte.
struct Endless {
    line: u64,
    left: Vec<u8>,
    lines: u64,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left.is_empty() && self.line < self.lines {
            let sector = self.line.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
            self.left = format!("{}.125,104,1,4096,{},0.097,4096\n", self.line, sector * 512).into_bytes();
            self.line += 1;
        }
        let count = buffer.len().min(self.left.len());
        buffer[..count].copy_from_slice(&self.left[..count]);
        self.left.drain(..count);
        Ok(count)
    }
}

/// Returns the peak memory of this process, in bytes.
fn memory_max() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux has it");
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().expect("a number");
    kilobytes << 10
}

#[test]
fn two_million_requests_over_a_terabyte_take_less_than_forty_megabytes() {
    let endless = Endless { line: 0, left: Vec::new(), lines: 2_000_000 };
    let mut trace = Trace::from_bytes("t", endless, &Options::default()).expect("known");
    let mut gauge = Gauge::new();
    for request in &mut trace {
        gauge.add(&request.expect("sound"));
    }
    let info = gauge.finish(&trace);
    assert_eq!(info.survey.requests, 2_000_000);
    // Two blocks of 2^28 each, nearly all of them different.
    assert!(!info.touched.is_exact && info.touched.accesses > 3_700_000);
    let expected = info.touched.accesses - info.touched.accesses / 1000 * 7;
    assert!(info.touched.blocks.abs_diff(expected) < 40_000, "{:?}", info.touched);
    assert!(memory_max() < 40 << 20, "{} bytes", memory_max());
}
