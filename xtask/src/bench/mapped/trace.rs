//! The trace on which block caches are compared: random single pages, by Zipf's law, read or written; and the best possible results on it.
//!
//! It is drawn with the generator of Python (Mersenne Twister), in the order of a script that others have measured with, so that the same
//! seed is the same trace.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Parameters of the trace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    pub(super) requests: usize,
    /// Number of 4 KiB pages that may be touched.
    pub(super) pages: usize,
    /// Exponent of the popularity: the page of rank `n` is `n` to the power of this less frequent than the first.
    pub(super) exponent: f64,
    /// Share of requests that write.
    pub(super) writes: f64,
    pub(super) seed: u32,
}

/// Request for one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) page: u64,
    pub(super) is_write: bool,
}

/// Draws a trace.
pub(super) fn draw(law: Law) -> Vec<Request> {
    let mut sum = 0.0;
    let until: Vec<f64> = (1..=law.pages)
        .map(|place| {
            sum += 1.0 / to_float(place).powf(law.exponent);
            sum
        })
        .collect();
    // The places of popular pages do not change with the seed.
    let mut twister = Twister::new(1);
    let mut places: Vec<u64> = (0..law.pages as u64).collect();
    for at in (1..places.len()).rev() {
        places.swap(at, twister.below(at + 1));
    }
    let mut twister = Twister::new(law.seed);
    let one = |_| {
        let drawn = twister.fraction() * sum;
        let page = places[until.partition_point(|until| *until <= drawn)];
        Request { page, is_write: twister.fraction() < law.writes }
    };
    (0..law.requests).map(one).collect()
}

#[expect(clippy::cast_precision_loss, reason = "pages of a disk of some MiB")]
fn to_float(count: usize) -> f64 {
    count as f64
}

/// Returns the trace in the form of fio's `read_iolog`, of a file `DEV`.
pub(super) fn as_iolog(trace: &[Request]) -> String {
    let mut text = "fio version 2 iolog\nDEV add\nDEV open\n".to_owned();
    for Request { page, is_write } in trace {
        let direction = if *is_write { "write" } else { "read" };
        writeln!(text, "DEV {direction} {} 4096", page * 4096).expect("a string takes it");
    }
    text + "DEV close\n"
}

/// Returns the reads of a trace, and those of pages that were touched before: no cache that fetches only requested pages has more hits.
pub(super) fn most_hits(trace: &[Request]) -> (u64, u64) {
    lru(trace, usize::MAX)
}

/// Returns the reads of a trace, and the hits of an LRU cache of so many pages.
pub(super) fn lru(trace: &[Request], pages: usize) -> (u64, u64) {
    let (mut by_page, mut by_time) = (BTreeMap::new(), BTreeMap::new());
    let (mut reads, mut hits) = (0, 0);
    for (now, request) in trace.iter().enumerate() {
        let before = by_page.insert(request.page, now);
        if !request.is_write {
            reads += 1;
            hits += u64::from(before.is_some());
        }
        before.map(|before| by_time.remove(&before));
        by_time.insert(now, request.page);
        if by_time.len() > pages
            && let Some((_, page)) = by_time.pop_first()
        {
            by_page.remove(&page);
        }
    }
    (reads, hits)
}

/// Mersenne Twister of Matsumoto and Nishimura (MT19937), seeded as Python does it.
struct Twister {
    state: [u32; Self::WORDS],
    next: usize,
}

impl Twister {
    const WORDS: usize = 624;
    const SHIFT: usize = 397;

    fn new(seed: u32) -> Self {
        let mut state = [0_u32; Self::WORDS];
        state[0] = 19_650_218;
        for at in 1..Self::WORDS {
            state[at] = Self::spread(state[at - 1], 1_812_433_253).wrapping_add(at as u32);
        }
        // The key is the seed alone, in one word.
        let mut at = 1;
        for _ in 0..Self::WORDS {
            state[at] = (state[at] ^ Self::spread(state[at - 1], 1_664_525)).wrapping_add(seed);
            at = Self::after(&mut state, at);
        }
        for _ in 1..Self::WORDS {
            state[at] = (state[at] ^ Self::spread(state[at - 1], 1_566_083_941)).wrapping_sub(at as u32);
            at = Self::after(&mut state, at);
        }
        state[0] = 0x8000_0000;
        Self { state, next: Self::WORDS }
    }

    fn spread(word: u32, factor: u32) -> u32 {
        (word ^ (word >> 30)).wrapping_mul(factor)
    }

    /// Returns the place after this one, cyclic from the second on.
    fn after(state: &mut [u32; Self::WORDS], at: usize) -> usize {
        if at + 1 < Self::WORDS {
            return at + 1;
        }
        state[0] = state[Self::WORDS - 1];
        1
    }

    fn word(&mut self) -> u32 {
        if self.next == Self::WORDS {
            for at in 0..Self::WORDS {
                let mixed =
                    (self.state[at] & 0x8000_0000) | (self.state[(at + 1) % Self::WORDS] & 0x7fff_ffff);
                let odd = if mixed & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[at] = self.state[(at + Self::SHIFT) % Self::WORDS] ^ (mixed >> 1) ^ odd;
            }
            self.next = 0;
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// Returns a number from 0 to below 1, of 53 bits.
    fn fraction(&mut self) -> f64 {
        let (high, low) = (self.word() >> 5, self.word() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// Returns a number below this one, which has at most 32 bits.
    fn below(&mut self, end: usize) -> usize {
        let bits = usize::BITS - end.leading_zeros();
        loop {
            let drawn = (self.word() >> (32 - bits)) as usize;
            if drawn < end {
                return drawn;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAW: Law = Law { requests: 20_000, pages: 192 * 256, exponent: 0.8, writes: 0.3, seed: 1 };

    #[test]
    fn the_same_seed_is_the_trace_that_others_were_measured_with() {
        let trace = draw(LAW);
        let log = as_iolog(&trace);
        let begin =
            "fio version 2 iolog\nDEV add\nDEV open\nDEV read 89092096 4096\nDEV write 103931904 4096\n";
        assert!(log.starts_with(begin), "{}", &log[..200]);
        assert_eq!(lru(&trace, 32 * 256), (13_961, 6_425));
        assert_eq!(most_hits(&trace), (13_961, 6_515));
        assert_ne!(draw(Law { seed: 2, ..LAW }), trace);
    }

    #[test]
    fn least_recently_used_pages_go_first_and_a_write_makes_a_page_recent() {
        let of = |pages: &[i64]| -> Vec<Request> {
            pages.iter().map(|page| Request { page: page.unsigned_abs(), is_write: *page < 0 }).collect()
        };
        // A negative number is a write.
        assert_eq!(lru(&of(&[1, 2, -1, 3, 1, 2]), 2), (5, 1));
        assert_eq!(lru(&of(&[1, 2, -1, 3, 1, 2]), 3), (5, 2));
        assert_eq!(most_hits(&of(&[-1, 1, 2])), (2, 1));
    }
}
