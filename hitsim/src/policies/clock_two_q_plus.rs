//! Clock2Q+: S3-FIFO with a correlation window: uses of a block right after its insertion do not count.
//!
//! Y. Zhai et al.: Clock2Q+: A Simple and Efficient Replacement Algorithm for Metadata Cache in `VMware` vSAN. arXiv 2511.21958, 2025.
//!
//! Written from the abstract alone: there are three queues as in S3-FIFO, and blocks in a window of the small queue do not set their
//! reference bit. All else is assumed: one bit, which is enough to enter the main queue; a tenth of the cache for the small queue; its
//! newer half, rounded up, for the window; and as many ghosts as the other 90 % of the cache hold.

use super::s3_fifo::{Rules, S3Fifo, small_max};
use super::{Access, ReplacementPolicy};

/// S3-FIFO with a correlation window.
pub struct ClockTwoQPlus(S3Fifo);

impl ClockTwoQPlus {
    /// Creates an empty cache of `capacity` blocks with numbers below `blocks`.
    pub fn new(capacity: usize, blocks: u32) -> Self {
        let window = small_max(capacity).div_ceil(2) as u32;
        Self(S3Fifo::with_rules(capacity, blocks, Rules { uses_max: 1, uses_for_main: 1, window }))
    }
}

impl ReplacementPolicy for ClockTwoQPlus {
    fn access(&mut self, block: u32) -> Access {
        self.0.access(block)
    }

    fn holds(&self, block: u32) -> bool {
        self.0.holds(block)
    }

    fn invalidate(&mut self, block: u32) {
        self.0.invalidate(block);
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}
