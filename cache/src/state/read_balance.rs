//! Share of clean hits on flash that the backing answers instead.
//!
//! A clean block is on flash and on the backing, as on the two legs of a mirror. Like the read balancing of a mirror, this divides the reads
//! of such blocks between the two by the latencies that were measured: while the backing answers sooner, its share grows; while it answers
//! later, the share shrinks. What is moved makes one slower and the other faster, so the share settles where both answer equally soon: none
//! in front of a slow backing, almost all in front of one that is faster than flash, and something between while flash has more to do than
//! it can. That a cache of the same order of speed as its backing serves more with both together is measured in arXiv 2510.02323 (`NetCAS`)
//! and in Orthus (USENIX FAST 2021, "The Storage Hierarchy is Not a Hierarchy").

/// Parts of a share: this many are all reads.
const ALL: u32 = 1024;
/// The most of them that the backing gets: flash is measured by the rest.
const SHARE_MAX: u32 = ALL - ALL / 32;
/// The smallest step of the share; larger shares change by a quarter.
const STEP_MIN: u32 = ALL / 32;
/// Measurements between two steps.
const STEP_AFTER: u32 = 64;
/// Measurements of either source that a share needs.
const SAMPLES_MIN: u32 = 4;
/// Weight of a new measurement: one in so many.
const WEIGHT: f64 = 16.0;
/// A share grows only if the backing answers in less than this part of the time of flash, and shrinks if it takes longer than flash:
/// between the two it stays.
const FASTER: f64 = 0.8;
/// Bytes whose transfer takes about as long as everything else of a request: latencies of requests of different lengths are compared by it.
const TRANSFER_BYTES: f64 = 65_536.0;
/// Time without a measurement of the backing after which one read finds out how fast it is, in nanoseconds; times the ratio by which the
/// backing was slower, up to [`PROBE_RATIO_MAX`].
const PROBE_AFTER_NS: u64 = 10_000_000_000;
const PROBE_RATIO_MAX: f64 = 8.0;
/// A backing that failed, or was too slow, counts as so many times slower than flash until it was measured again.
const FAILED_RATIO: f64 = 4.0;
/// A read of the backing is given up after so many times its usual latency, and no earlier than [`PATIENCE_MIN_NS`]: flash has the same.
const PATIENCE: f64 = 8.0;
const PATIENCE_MIN_NS: u64 = 5_000_000;

/// Source of a measured read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadSource {
    Flash,
    Backing,
}

/// Latencies of the two sources of a disk, and the division of reads between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadBalance {
    flash: MovingMean,
    backing: MovingMean,
    /// Of [`ALL`] reads that either source could answer, those that the backing gets.
    share: u32,
    /// Parts of reads that the backing is owed.
    owed: u32,
    /// Measurements since the last step.
    since_step: u32,
    /// Time of the last measurement of the backing; before the first one, that of the first measurement of flash.
    backing_at: Option<u64>,
}

/// Moving mean of latencies.
#[derive(Clone, Debug, Default)]
struct MovingMean {
    nanos: f64,
    samples: u32,
}

impl MovingMean {
    fn add(&mut self, nanos: f64) {
        self.samples = self.samples.saturating_add(1);
        // The first ones count equally.
        let weight = f64::from(self.samples).min(WEIGHT);
        self.nanos += (nanos - self.nanos) / weight;
    }

    fn is_known(&self) -> bool {
        self.samples >= SAMPLES_MIN
    }
}

impl ReadBalance {
    /// Records that a read of `bytes` took `nanos` nanoseconds, and ended at `now`.
    #[expect(clippy::cast_precision_loss, reason = "a latency is an estimate")]
    pub(crate) fn measure(&mut self, source: ReadSource, bytes: u64, nanos: u64, now: u64) {
        let comparable = nanos as f64 * TRANSFER_BYTES / (TRANSFER_BYTES + bytes as f64);
        match source {
            ReadSource::Flash => {
                self.flash.add(comparable);
                self.backing_at.get_or_insert(now);
            }
            ReadSource::Backing => {
                self.backing.add(comparable);
                self.backing_at = Some(now);
            }
        }
        self.since_step += 1;
        if self.since_step >= STEP_AFTER && self.flash.is_known() && self.backing.is_known() {
            self.since_step = 0;
            self.step();
        }
    }

    /// Records that the backing failed or was too slow: nothing goes there until it was found faster again.
    pub(crate) fn give_up(&mut self, now: u64) {
        self.share = 0;
        self.owed = 0;
        self.backing_at = Some(now);
        // What it would have taken is not known, and earlier measurements do not count any more.
        self.backing = MovingMean { nanos: self.flash.nanos * FAILED_RATIO, samples: 1 };
    }

    /// Returns true if the backing should answer the next read that either could; then [`Self::take`] it, if it can.
    pub(crate) fn is_due(&self, now: u64) -> bool {
        self.owed + self.share >= ALL || self.is_probe_due(now)
    }

    /// Counts a read that the backing answers, because it was due.
    pub(crate) fn take(&mut self, now: u64) {
        self.owed = (self.owed + self.share).saturating_sub(ALL);
        self.backing_at = Some(now);
    }

    /// Counts a read that flash answers though either could.
    pub(crate) fn pass(&mut self) {
        self.owed = (self.owed + self.share).min(ALL);
    }

    /// Returns how long a read of `bytes` from the backing may take, in nanoseconds.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a latency is an estimate, and not negative"
    )]
    pub(crate) fn patience_ns(&self, bytes: u64) -> u64 {
        let usual = self.backing.nanos * (TRANSFER_BYTES + bytes as f64) / TRANSFER_BYTES;
        ((usual * PATIENCE) as u64).max(PATIENCE_MIN_NS)
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a time to wait is an estimate, and not negative"
    )]
    fn is_probe_due(&self, now: u64) -> bool {
        let Some(measured_at) = self.backing_at.filter(|_| self.flash.is_known()) else { return false };
        let ratio = (self.backing.nanos / self.flash.nanos.max(1.0)).clamp(1.0, PROBE_RATIO_MAX);
        now.saturating_sub(measured_at) >= (PROBE_AFTER_NS as f64 * ratio) as u64
    }

    fn step(&mut self) {
        let step = (self.share / 4).max(STEP_MIN);
        if self.backing.nanos < self.flash.nanos * FASTER {
            self.share = (self.share + step).min(SHARE_MAX);
        } else if self.backing.nanos > self.flash.nanos {
            self.share = self.share.saturating_sub(step);
            self.owed = self.owed.min(self.share);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MICRO: u64 = 1_000;
    const PAGE: u64 = 4096;

    /// Two sources that take longer the larger their share of the reads is: microseconds.
    struct Sources {
        flash: f64,
        backing: f64,
        /// Time that each takes longer with all reads than with none.
        load: f64,
    }

    /// Serves so many reads. Returns the share of the last half that the backing answered, and the mean latency of those, in microseconds.
    #[expect(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "small numbers")]
    fn serve(balance: &mut ReadBalance, sources: &Sources, reads: u32) -> (f64, f64) {
        let (mut now, mut answered, mut took_us) = (0, 0u32, 0.0);
        let mut recent = 0.5;
        for read in 0..reads {
            let is_backing = balance.is_due(now);
            recent += (f64::from(u8::from(is_backing)) - recent) / 128.0;
            let us = if is_backing {
                balance.take(now);
                sources.backing + sources.load * recent
            } else {
                balance.pass();
                sources.flash + sources.load * (1.0 - recent)
            };
            let nanos = (us * MICRO as f64) as u64;
            now += nanos;
            let source = if is_backing { ReadSource::Backing } else { ReadSource::Flash };
            balance.measure(source, PAGE, nanos, now);
            if read >= reads / 2 {
                answered += u32::from(is_backing);
                took_us += us;
            }
        }
        let counted = f64::from(reads - reads / 2);
        (f64::from(answered) / counted, took_us / counted)
    }

    #[test]
    fn a_slow_backing_gets_next_to_nothing() {
        let mut balance = ReadBalance::default();
        for _ in 0..SAMPLES_MIN {
            balance.measure(ReadSource::Backing, PAGE, 8_000 * MICRO, 0);
        }
        let sources = Sources { flash: 80.0, backing: 8_000.0, load: 0.0 };
        let (share, mean_us) = serve(&mut balance, &sources, 2_000_000);
        assert!(share < 1e-5, "{share}");
        assert!(mean_us < 80.1, "finding out costs {mean_us} us instead of 80");
    }

    #[test]
    fn a_faster_backing_gets_almost_all_and_is_found_without_a_miss() {
        let mut balance = ReadBalance::default();
        let (share, _) = serve(&mut balance, &Sources { flash: 90.0, backing: 30.0, load: 0.0 }, 1_000_000);
        assert!((0.9..1.0).contains(&share), "{share}");
    }

    #[test]
    fn sources_that_are_equal_under_load_share_so_that_both_answer_sooner() {
        let mut balance = ReadBalance::default();
        // All on flash: 300 us. Divided equally: 200 us.
        let (share, mean_us) =
            serve(&mut balance, &Sources { flash: 100.0, backing: 100.0, load: 200.0 }, 1_000_000);
        assert!((0.25..0.6).contains(&share), "{share}");
        assert!(mean_us < 250.0, "{mean_us}");
    }

    #[test]
    fn load_on_flash_moves_reads_and_its_end_moves_them_back() {
        let mut balance = ReadBalance::default();
        let calm = Sources { flash: 80.0, backing: 200.0, load: 0.0 };
        assert!(serve(&mut balance, &calm, 500_000).0 < 0.001);
        let busy = Sources { flash: 900.0, ..calm };
        assert!(serve(&mut balance, &busy, 500_000).0 > 0.8);
        let calm = Sources { flash: 80.0, ..busy };
        assert!(serve(&mut balance, &calm, 500_000).0 < 0.01);
    }

    #[test]
    fn a_backing_that_fails_gets_nothing_until_it_was_found_faster_again() {
        let mut balance = ReadBalance::default();
        serve(&mut balance, &Sources { flash: 90.0, backing: 30.0, load: 0.0 }, 500_000);
        let now = balance.backing_at.expect("it was measured");
        balance.give_up(now);
        assert!(!balance.is_due(now + PROBE_AFTER_NS), "not at once");
        assert!(balance.is_due(now + 5 * PROBE_AFTER_NS), "but later");
        let fast = Sources { flash: 90.0, backing: 30.0, load: 0.0 };
        assert!(serve(&mut balance, &fast, 1_000).0 < 0.01, "one read proves nothing");
        assert!(serve(&mut balance, &fast, 4_000_000).0 > 0.9);
    }

    #[test]
    fn requests_of_different_lengths_are_compared_by_their_transfer() {
        let mut balance = ReadBalance::default();
        for _ in 0..100 {
            balance.measure(ReadSource::Flash, PAGE, 100 * MICRO, 0);
            // 17 times the time for 256 times the bytes: no slower.
            balance.measure(ReadSource::Backing, 1 << 20, 1_600 * MICRO, 0);
        }
        assert!((balance.flash.nanos / balance.backing.nanos - 1.0).abs() < 0.05);
        assert_eq!(balance.patience_ns(PAGE), PATIENCE_MIN_NS);
        assert!(balance.patience_ns(1 << 20) > 10_000_000);
    }
}
