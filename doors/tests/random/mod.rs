//! Numbers for seeded tests.

/// Xorshift (Marsaglia, 2003): all that is needed here is that one seed is one sequence.
pub(crate) struct Random(u64);

impl Random {
    /// Creates the sequence of a seed from 1 on, which is printed.
    pub(crate) fn of(seed: u64) -> Self {
        println!("seed {seed}");
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}
