//! Short fuzzing in every build: the checks of the fuzz targets on seeded damage to valid traces.

#[path = "../../fuzz/trace_checks.rs"]
mod checks;

use std::io::Cursor;

use trace::{Format, Gauge, Kind, LENGTH_MAX, Options, Request, Trace, Writer};

const ROUNDS: u64 = 20_000;
/// Lines of 32 MiB each whose number of blocks is estimated slightly too high.
const LINES: std::ops::Range<u64> = 166..226;
/// Byte that chooses `lis` among fifteen formats, with the bit for the largest unit.
const LIS_WITH_LARGEST_UNIT: u8 = 0x80 | 9;
const _: () = assert!(LIS_WITH_LARGEST_UNIT % 15 == 2);

/// Valid traces, one of each kind of format.
const SOUND: &[&[u8]] = &[
    b"1 8 0 0\n16 8 0 1\n",
    b"7\n*\n\n9\n",
    b"0.000,104,1,4096,8192,0.097,4096\n0.5,104,0,4096,8192,0.097,4096\n",
    b"0.000 0 8192 4096 0\n0.001 1 8192 4096 1\n",
    b"89 4253 nfsd 16 8 W 6 0 88b93b628d\n",
    b"0 0 303567 7 0\n26214000 0 16 8 1\n",
    b"128166372003061629,hm,1,Write,8192,4096,1331\r\n",
    b"  8,0 3 1 0.000000000 697 Q W 16 + 8 [k]\n  8,0 3 1 0.1 697 D R 16 + 8 [k]\nCPU0\n",
    b"fio version 2 iolog\n/dev/a wait 5 0\n/dev/a read 8192 4096\n",
    b"fio version 3 iolog\n0 /dev/a add\n1 /dev/a read 8192 4096\n",
    b"107, 107762807, 1, 4096, 3940352, 0\n411, 303866776, 0, 4096, 3371008, 0x0000\n",
    b"0, 28357, 0, 4096, 8192\n0, 1, 2, 4096, 0\n",
    b"\x07\x74\x61\x65\x01\0\0\0\x01\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\0\x10\0\0\x01\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    b"\0\0\0\0\0\x10\0\0\x01\0\0\0\x28\0\0\x01\x08\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0",
];

/// Xorshift (Marsaglia, 2003): a seed must give one sequence, no more.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Changes, cuts off, repeats or mixes a few bytes.
    fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..self.below(5) {
            if bytes.is_empty() {
                return;
            }
            let at = self.below(bytes.len());
            match self.below(5) {
                0 => bytes[at] = self.next() as u8,
                1 => bytes[at] = b"0123456789 ,.\n-\xff"[self.below(16)],
                2 => bytes.truncate(at),
                3 => bytes.extend_from_within(at..),
                _ => bytes.extend(SOUND[self.below(SOUND.len())]),
            }
        }
    }
}

fn sound() -> Vec<Vec<u8>> {
    let mut writer = Writer::new(Vec::new(), Format::Forebay).expect("memory takes it");
    for at in 0..50 {
        let kind = if at % 3 == 0 { Kind::Write } else { Kind::Read };
        let request =
            Request { at_us: Some(at * 7), kind, offset: at % 9 * 4096, length: 4096, ..Request::default() };
        writer.add(&request).expect("it is sound");
    }
    let compact = writer.finish(3).expect("memory takes it");
    let packed = zstd::encode_all(SOUND[2], 3).expect("memory takes it");
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gz, SOUND[3]).expect("memory takes it");
    let gz = gz.finish().expect("memory takes it");
    let xz = liblzma::encode_all(SOUND[0], 1).expect("memory takes it");
    SOUND.iter().map(|bytes| bytes.to_vec()).chain([compact, packed, gz, xz]).collect()
}

#[test]
fn damaged_traces_of_any_format_are_read_or_refused() {
    let (mut random, sound) = (Random(0x5eed), sound());
    for _ in 0..ROUNDS {
        let mut bytes = vec![random.next() as u8];
        bytes.extend(&sound[random.below(sound.len())]);
        random.damage(&mut bytes);
        checks::readers(&bytes);
    }
}

#[test]
fn a_footprint_too_large_to_be_exact_is_checked_as_an_estimate() {
    // The third format, lis, with the largest unit: 8192 blocks a line, of which more than 2^19 are too many to keep.
    let lines: Vec<String> = LINES.map(|line| format!("{line} 1 0 {line}")).collect();
    let bytes = lines.join("\n").into_bytes();
    let options = Options { format: Some(Format::Lis), unit_bytes: Some(LENGTH_MAX), ..Options::default() };
    let mut trace = Trace::from_bytes("t", Cursor::new(bytes.clone()), &options).expect("it is chosen");
    let mut gauge = Gauge::new();
    for request in trace.by_ref() {
        gauge.add(&request.expect("it is sound"));
    }
    let touched = gauge.finish(&trace).touched;
    assert!(!touched.is_exact && touched.blocks > touched.accesses, "{touched:?} shows nothing here");
    checks::readers(&[&[LIS_WITH_LARGEST_UNIT], &bytes[..]].concat());
}

#[test]
fn frames_of_any_bytes_are_read_or_refused() {
    let mut random = Random(0x5eed);
    for _ in 0..ROUNDS {
        let bytes: Vec<u8> = (0..random.below(100)).map(|_| random.next() as u8 >> random.below(4)).collect();
        checks::frame(&bytes);
    }
}
