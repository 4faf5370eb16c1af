//! Scans: long sequential runs of what nobody asks for again, as a backup or a virus check reads them.
//!
//! The time of a disk is counted in accesses. A scan of some times the cache would make all that is cached as old as what nobody
//! uses, and newcomers take its place. So time stands still while a scan reads, and what it reads counts as used as long ago as the
//! cache is large: it is not young either.
//!
//! A run is a scan if it is long, takes more than its share of accesses, and what it reads was not there lately: each other access
//! pays for one of a run, and so does what comes back, for then it is a loop that is larger than the cache.

use crate::words::settings::SequentialCutoff;

/// Runs of so many bytes are long.
const LONG_BYTES: u64 = SequentialCutoff::AUTO_BYTES;
/// Long runs may take this part of what the cache holds before others have to pay for it.
const ALLOWANCE_PART: u64 = 16;

/// What long runs of a disk may take of its time.
pub(super) struct Scans {
    /// Blocks that long runs may read before time stands still.
    allowance: u64,
    allowance_max: u64,
}

impl Scans {
    /// Of a disk whose cache holds so many blocks.
    pub(super) fn new(capacity: u64) -> Self {
        Self { allowance: 0, allowance_max: (capacity / ALLOWANCE_PART).max(1) }
    }

    /// Takes a request for so many blocks, the next of a run of so many bytes. True if it is a part of a scan.
    pub(super) fn takes(&mut self, run_bytes: u64, blocks: u64) -> bool {
        if self.is_scan(run_bytes, blocks) {
            return true;
        }
        if run_bytes < LONG_BYTES {
            self.pay(blocks);
        } else {
            self.allowance -= blocks;
        }
        false
    }

    /// True if a request would be a part of a scan.
    pub(super) fn is_scan(&self, run_bytes: u64, blocks: u64) -> bool {
        run_bytes >= LONG_BYTES && self.allowance < blocks
    }

    /// Pays for so many accesses.
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
        assert!(!scans.takes(LONG_BYTES - 1, 1_000), "a short run, which pays for what may be had at most");
        let scanned: Vec<_> = (0..5).map(|_| scans.takes(LONG_BYTES, 32)).collect();
        assert_eq!(scanned, [false, false, false, true, true], "100 blocks were paid for");
        assert!(!scans.takes(0, 28), "others");
        assert!(!scans.is_scan(LONG_BYTES, 32) && !scans.takes(LONG_BYTES, 32));
        assert!(scans.is_scan(LONG_BYTES, 1) && !scans.is_scan(LONG_BYTES - 1, 1));
        scans.pay(32);
        assert!(!scans.takes(LONG_BYTES, 32), "what it read came back");
    }

    #[test]
    fn a_log_that_is_written_beside_as_many_others_is_none_however_long() {
        let mut scans = Scans::new(16);
        scans.pay(1);
        for run_bytes in (LONG_BYTES..1 << 40).step_by(1 << 30) {
            assert!(!scans.takes(run_bytes, 1) && !scans.takes(0, 1));
        }
    }

    #[test]
    fn a_cache_of_any_size_and_a_request_of_any_length_are_taken() {
        for capacity in [0, 1, u64::MAX] {
            let mut scans = Scans::new(capacity);
            assert!(scans.takes(u64::MAX, u64::MAX) && !scans.takes(0, u64::MAX));
            assert!(!scans.takes(u64::MAX, 1) && !scans.takes(u64::MAX, 0));
        }
    }
}
