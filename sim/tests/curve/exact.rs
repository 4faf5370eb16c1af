//! Exact curves of a stream of requests, by stack distances of all blocks (Mattson and others, 1970), to check the sampled ones of the
//! cache. Memory and time are not limited.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use block::ByteRange;
use cache::Use;

/// One request.
pub(crate) type Request = (ByteRange, Use);

/// Uses of blocks to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Each block of each request.
    Accesses,
    /// Each read once, however many blocks it has; writes use blocks, too.
    Reads,
    /// Each block of each write, with blocks that were written.
    Writes,
}

/// Weights by distance, and in all.
pub(crate) struct Exact {
    /// Weight of hits of a cache with so many blocks.
    hits: Vec<f64>,
    uses: f64,
}

impl Exact {
    pub(crate) fn of(requests: &[Request], block_bytes: u64, what: What) -> Self {
        let blocks = |range: &ByteRange| range.start / block_bytes..range.end.div_ceil(block_bytes);
        let uses: u64 = requests.iter().map(|(range, _)| blocks(range).end - blocks(range).start).sum();
        let mut marks = vec![0_u32; uses as usize + 1];
        let (mut last, mut weights) = (HashMap::<u64, usize, Quick>::default(), Vec::new());
        let (mut now, mut all) = (0, 0.0);
        for (range, usage) in requests {
            if what == What::Writes && *usage == Use::Read {
                continue;
            }
            let counts = what != What::Reads || *usage == Use::Read;
            let count = (blocks(range).end - blocks(range).start) as f64;
            let weight = if what == What::Reads { 1.0 / count } else { 1.0 };
            for number in blocks(range) {
                let before = last.insert(number, now);
                if let Some(before) = before {
                    add(&mut marks, before, u32::MAX);
                    let distance = last.len() - 1 - sum(&marks, before) as usize;
                    if counts {
                        weights.resize(weights.len().max(distance + 1), 0.0);
                        weights[distance] += weight;
                    }
                }
                add(&mut marks, now, 1);
                now += 1;
                all += if counts { weight } else { 0.0 };
            }
        }
        let mut hits = vec![0.0];
        for weight in weights {
            hits.push(hits.last().expect("the first is there") + weight);
        }
        Self { hits, uses: all }
    }

    /// Returns the share of hits of a cache with so many blocks.
    pub(crate) fn hit_ratio(&self, blocks: usize) -> f64 {
        self.hits[blocks.min(self.hits.len() - 1)] / self.uses
    }
}

/// Returns the number of marks up to and including `at`, of all places: those behind are the rest.
fn sum(marks: &[u32], at: usize) -> u32 {
    let (mut sum, mut end) = (0_u32, at + 1);
    while end > 0 {
        sum = sum.wrapping_add(marks[end - 1]);
        end &= end - 1;
    }
    sum
}

fn add(marks: &mut [u32], at: usize, what: u32) {
    let mut at = at;
    while let Some(mark) = marks.get_mut(at) {
        *mark = mark.wrapping_add(what);
        at |= at + 1;
    }
}

type Quick = BuildHasherDefault<QuickHasher>;

/// Fast hasher for millions of numbers that are not adversarial.
#[derive(Default)]
struct QuickHasher(u64);

impl Hasher for QuickHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("numbers only");
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
