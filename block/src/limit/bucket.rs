//! A token bucket, kept as the moment at which it is full.
//!
//! ```text
//!             now                 full_at
//!   ───────────┼─────────────────────┼──────────> time      in the bucket: burst - (full_at - now), in nanoseconds of the rate
//! ```
//! Taking moves that moment by the time of the units at the rate; the part beyond `burst` from now is debt. Arithmetic is exact: what
//! a division leaves over is part of the next one. Knows no clock: callers pass the time.

use std::num::NonZeroU64;

const SECOND_NS: u128 = 1_000_000_000;

/// Units that may pass at a rate, with a burst saved up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bucket {
    /// Units a second; none: no limit.
    rate: Option<NonZeroU64>,
    /// Time in nanoseconds for which units are saved up while none pass.
    burst_ns: u64,
    /// Time at which it is full, in nanoseconds.
    full_at: u64,
    /// Billionths of a unit that `full_at` does not count yet; less than the rate.
    remainder: u64,
}

impl Bucket {
    /// Makes a full one.
    pub(super) fn new(rate: Option<NonZeroU64>, burst_ns: u64) -> Self {
        Self { rate, burst_ns, full_at: 0, remainder: 0 }
    }

    /// Returns the earliest moment at which `units` may pass. As many as the bucket never holds may once it is full.
    pub(super) fn admits_at(&self, units: u64) -> u64 {
        let Some(rate) = self.rate else { return 0 };
        let (cost, _) = self.cost(rate, units);
        self.full_at.saturating_add(cost.min(self.burst_ns)).saturating_sub(self.burst_ns)
    }

    /// Takes `units` out, which pass `now`, though it be more than there is.
    pub(super) fn take(&mut self, units: u64, now: u64) {
        let Some(rate) = self.rate else { return };
        if self.full_at < now {
            (self.full_at, self.remainder) = (now, 0);
        }
        let (cost, remainder) = self.cost(rate, units);
        (self.full_at, self.remainder) = (self.full_at.saturating_add(cost), remainder);
    }

    /// Returns the same bucket by a clock that is `nanos` nanoseconds behind this one.
    pub(super) fn earlier_by(self, nanos: u64) -> Self {
        Self { full_at: self.full_at.saturating_sub(nanos), ..self }
    }

    /// Returns the same bucket by a clock that is `nanos` nanoseconds ahead of this one.
    pub(super) fn later_by(self, nanos: u64) -> Self {
        Self { full_at: self.full_at.saturating_add(nanos), ..self }
    }

    /// Returns how many nanoseconds `units` take, and the remainder.
    fn cost(&self, rate: NonZeroU64, units: u64) -> (u64, u64) {
        let rate = u128::from(rate.get());
        let all = u128::from(units) * SECOND_NS + u128::from(self.remainder);
        // The remainder is less than the rate.
        (u64::try_from(all / rate).unwrap_or(u64::MAX), (all % rate) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn bucket(rate: u64, burst_ns: u64) -> Bucket {
        Bucket::new(NonZeroU64::new(rate), burst_ns)
    }

    #[test]
    fn a_burst_passes_at_once_and_then_one_after_the_other() {
        let mut bucket = bucket(10, SECOND);
        let now = 5 * SECOND;
        for _ in 0..10 {
            assert!(bucket.admits_at(1) <= now);
            bucket.take(1, now);
        }
        assert_eq!(bucket.admits_at(1), now + SECOND / 10);
        bucket.take(1, now + SECOND / 10);
        assert_eq!(bucket.admits_at(1), now + SECOND / 5);
        assert_eq!(bucket.admits_at(3), now + SECOND / 5 + 2 * SECOND / 10);
    }

    #[test]
    fn more_than_a_bucket_holds_passes_once_it_is_full_and_is_paid_for_later() {
        let mut bucket = bucket(100, SECOND);
        bucket.take(1, 10 * SECOND);
        assert_eq!(bucket.admits_at(1_000), 10 * SECOND + SECOND / 100);
        bucket.take(1_000, 11 * SECOND);
        // 10 s of units, of which the bucket had one.
        assert_eq!(bucket.admits_at(1), 20 * SECOND + SECOND / 100);
        assert_eq!(bucket.admits_at(0), 20 * SECOND);
    }

    #[test]
    fn no_more_is_saved_up_than_a_burst() {
        let mut bucket = bucket(1_000, SECOND / 10);
        bucket.take(100, 100 * SECOND);
        assert_eq!(bucket.admits_at(1), 100 * SECOND + SECOND / 1_000);
    }

    #[test]
    fn nothing_is_lost_by_rounding() {
        for rate in [3, 7, 999_999_937, 3_000_000_000, 123_456_789_123] {
            let mut bucket = bucket(rate, SECOND);
            let units = rate.div_ceil(100_000);
            for _ in 0..1_000_000 {
                bucket.take(units, 0);
            }
            let exact = u128::from(units) * 1_000_000 * SECOND_NS / u128::from(rate);
            assert_eq!(u128::from(bucket.full_at), exact, "at {rate} a second");
        }
    }

    #[test]
    fn without_a_rate_everything_passes_and_the_largest_numbers_do_not_overflow() {
        let mut none = bucket(0, SECOND);
        none.take(u64::MAX, 7);
        assert_eq!(none.admits_at(u64::MAX), 0);
        let mut slow = bucket(1, u64::MAX);
        slow.take(u64::MAX, u64::MAX);
        slow.take(u64::MAX, u64::MAX);
        assert_eq!(slow.admits_at(u64::MAX), 0, "saturated on both sides");
        let mut fast = bucket(u64::MAX, 1);
        fast.take(u64::MAX, SECOND);
        assert_eq!(fast.admits_at(u64::MAX), 2 * SECOND);
    }
}
