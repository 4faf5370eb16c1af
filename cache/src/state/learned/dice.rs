//! Pseudo-random numbers that repeat exactly, so that one seed of a simulation is one run.

/// `xorshift64*` (Vigna, ACM Transactions on Mathematical Software 42(4), 2016).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new() -> Self {
        Self(88_172_645_463_325_252)
    }

    /// Returns a number below `end`, which is above 0 and at most 2^32.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let drawn = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
        (drawn as usize * end) >> 32
    }
}
