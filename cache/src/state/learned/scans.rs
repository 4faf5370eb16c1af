//! Scans: long sequential runs over data that is not used again, as a backup or a virus check reads it.
//!
//! The time of a disk is counted in accesses. A scan of several times the cache's size would make all cached blocks as old as unused ones,
//! and new blocks would replace them. So time stands still while a scan reads, and its blocks count as used as long ago as the cache is
//! large: they are not young either.
//!
//! A run is a scan if it is long, takes more than its share of accesses, and its blocks were not there lately: each other access pays for
//! one of a run, and so does a block that returns, for then it is a loop that is larger than the cache.

/// Part of the cache's capacity that long runs may take before others have to pay for it.
const ALLOWANCE_PART: u64 = 16;

/// Allowance of long runs in a disk's time.
pub(super) struct Scans {
    /// Blocks that long runs may read before time stands still.
    allowance: u64,
    allowance_max: u64,
}

impl Scans {
    /// Creates the allowance of a disk whose cache holds `capacity` blocks.
    pub(super) fn new(capacity: u64) -> Self {
        Self { allowance: 0, allowance_max: (capacity / ALLOWANCE_PART).max(1) }
    }

    /// Records a request for `blocks` blocks; `in_long_run` if it continues a long run of misses. Returns true if it is a part of a scan.
    pub(super) fn takes(&mut self, in_long_run: bool, blocks: u64) -> bool {
        if !in_long_run {
            self.pay(blocks);
            return false;
        }
        let left = self.allowance.checked_sub(blocks);
        self.allowance = left.unwrap_or(self.allowance);
        left.is_none()
    }

    /// Pays for `accesses`.
    pub(super) fn pay(&mut self, accesses: u64) {
        self.allowance = self.allowance.saturating_add(accesses).min(self.allowance_max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_is_a_scan_once_it_takes_more_than_others_pay_for() {
        let mut scans = Scans::new(1_600);
        assert!(!scans.takes(false, 1_000), "a short run, which pays for what may be had at most");
        let scanned: Vec<_> = (0..5).map(|_| scans.takes(true, 32)).collect();
        assert_eq!(scanned, [false, false, false, true, true], "100 blocks were paid for");
        assert!(!scans.takes(false, 28), "others");
        assert!(!scans.takes(true, 32));
        assert!(scans.takes(true, 1) && !scans.takes(false, 0));
        scans.pay(32);
        assert!(!scans.takes(true, 32), "what it read came back");
    }

    #[test]
    fn a_run_beside_which_as_much_else_is_asked_for_is_none_however_long() {
        let mut scans = Scans::new(16);
        scans.pay(1);
        assert!((0..1_000).all(|_| !scans.takes(true, 1) && !scans.takes(false, 1)));
    }

    #[test]
    fn a_cache_of_any_size_and_a_request_of_any_length_are_taken() {
        for capacity in [0, 1, u64::MAX] {
            let mut scans = Scans::new(capacity);
            assert!(scans.takes(true, u64::MAX) && !scans.takes(false, u64::MAX));
            assert!(!scans.takes(true, 1) && !scans.takes(true, 0));
        }
    }
}
