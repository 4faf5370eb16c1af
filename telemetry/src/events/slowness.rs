//! Detection of a backing that takes much longer than usual, and damping of conditions that come and go, so that they do not fill the list.
//!
//! Pure: the caller passes request times and the present time.

use std::time::Duration;

/// Period that is judged at once.
const MINUTE: Duration = Duration::from_mins(1);
/// Number of requests below which a mean is not significant.
const REQUESTS_MIN: u64 = 20;
/// Number of consecutive minutes that must be slow, or not slow, before a change is reported.
const MINUTES: u32 = 3;
/// Number of minutes after which the usual time is known.
const MINUTES_KNOWN: u32 = 10;
/// Weight of a minute in the usual time, which thereby covers about the last half hour with requests.
const WEIGHT: f64 = 1.0 / 32.0;
/// Factor of the usual time from which on a backing is slow.
const TIMES_USUAL: f64 = 4.0;
/// Minimum time of a slow request in milliseconds: guests do not mind a fast device that has become four times slower.
const MILLIS_MIN: f64 = 50.0;
/// Maximum factor of the time that larger requests are allowed over usual ones.
const TIMES_LARGER_MAX: f64 = 4.0;
/// Maximum of a usual time, in milliseconds.
const MILLIS_MAX: f64 = 1_000.0;

/// Requests to a backing, and their times, since a disk was attached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// Requests that have ended.
    pub requests: u64,
    /// Time that they took, in nanoseconds.
    pub ns: u64,
    /// Bytes that went to and from the backing meanwhile.
    pub bytes: u64,
}

/// Verdict on a backing, with the means of a request in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pace {
    Same,
    Slow { millis: f64, over: Duration, usual: Option<f64> },
    AsUsual { millis: f64 },
}

/// A request, on average.
#[derive(Clone, Copy, Debug)]
struct Mean {
    millis: f64,
    bytes: f64,
}

impl Mean {
    #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
    fn of(waits: &Waits) -> Self {
        let each = |sum: u64| sum as f64 / waits.requests as f64;
        Self { millis: each(waits.ns) / 1e6, bytes: each(waits.bytes) }
    }

    fn towards(self, other: Self) -> Self {
        let towards = |from: f64, to: f64| from + (to - from) * WEIGHT;
        Self { millis: towards(self.millis, other.millis), bytes: towards(self.bytes, other.bytes) }
    }

    /// Returns the longest normal time of a request of such a size, if `self` is usual: larger requests take longer.
    fn millis_max(self, bytes: f64) -> f64 {
        let times_larger =
            if self.bytes > 0.0 { (bytes / self.bytes).clamp(1.0, TIMES_LARGER_MAX) } else { 1.0 };
        MILLIS_MIN.max(TIMES_USUAL * self.millis * times_larger)
    }
}

/// State of the detection for one backing.
#[derive(Debug, Default)]
pub(super) struct Slowness {
    /// Begin of the minute.
    began: Option<(Duration, Waits)>,
    usual: Option<Mean>,
    minutes_known: u32,
    /// Consecutive minutes that contradict the last report.
    against: u32,
    is_told: bool,
}

impl Slowness {
    /// Takes the totals up to `now`.
    pub(super) fn see(&mut self, now: Duration, waits: Waits) -> Pace {
        let (at, before) = *self.began.get_or_insert((now, waits));
        // The counters were reset, or belong to another attachment.
        if waits.requests < before.requests || waits.ns < before.ns || waits.bytes < before.bytes {
            self.began = Some((now, waits));
            return Pace::Same;
        }
        let since = Waits {
            requests: waits.requests - before.requests,
            ns: waits.ns - before.ns,
            bytes: waits.bytes - before.bytes,
        };
        if now < at + MINUTE || since.requests < REQUESTS_MIN {
            return Pace::Same;
        }
        self.began = Some((now, waits));
        self.judge(now.saturating_sub(at), Mean::of(&since))
    }

    fn judge(&mut self, over: Duration, mean: Mean) -> Pace {
        let usual = self.usual.filter(|_| self.minutes_known >= MINUTES_KNOWN);
        let Mean { millis, bytes } = mean;
        let is_slow = millis >= MILLIS_MAX || usual.is_some_and(|usual| millis >= usual.millis_max(bytes));
        // A minute that is not slow only because its requests were large does not count for others.
        if !is_slow && usual.is_none_or(|usual| millis < usual.millis_max(0.0)) {
            self.usual = Some(self.usual.map_or(mean, |usual| usual.towards(mean)));
            self.minutes_known = self.minutes_known.saturating_add(1);
        }
        self.against = if is_slow == self.is_told { 0 } else { self.against + 1 };
        if self.against < MINUTES {
            return Pace::Same;
        }
        self.against = 0;
        self.is_told = is_slow;
        let usual = usual.map(|usual| usual.millis);
        if is_slow { Pace::Slow { millis, over, usual } } else { Pace::AsUsual { millis } }
    }
}

/// Time that a condition must be over before its end is reported: at first, and at most.
const STEADY_MIN: Duration = Duration::from_mins(1);
const STEADY_MAX: Duration = Duration::from_hours(1);

/// Condition that may begin and end quickly. The first begin and end are reported at once. After quick repetitions, an end is reported only
/// once the condition has been over for longer and longer.
#[derive(Debug, Default)]
pub(super) struct Flapping {
    is_told: bool,
    over_since: Option<Duration>,
    told_over_at: Option<Duration>,
    /// Time for which the condition must be over before that is reported.
    steady: Duration,
}

/// Change to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConditionChange {
    None,
    Began,
    Over,
}

impl Flapping {
    /// Takes the present state of the condition.
    pub(super) fn see(&mut self, now: Duration, is_so: bool) -> ConditionChange {
        if is_so {
            self.over_since = None;
            if std::mem::replace(&mut self.is_told, true) {
                return ConditionChange::None;
            }
            let is_again = self.told_over_at.is_some_and(|over| now < over + STEADY_MAX);
            self.steady =
                if is_again { (self.steady * 2).clamp(STEADY_MIN, STEADY_MAX) } else { Duration::ZERO };
            return ConditionChange::Began;
        }
        if !self.is_told || now < *self.over_since.get_or_insert(now) + self.steady {
            return ConditionChange::None;
        }
        self.is_told = false;
        self.told_over_at = Some(now);
        ConditionChange::Over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Backing that is sampled each second.
    #[derive(Default)]
    struct SampledBacking {
        slowness: Slowness,
        now: Duration,
        waits: Waits,
        /// Bytes of a request.
        size: u64,
    }

    impl SampledBacking {
        /// Continues for so many minutes, with so many requests a second of this length; returns the reports and their times.
        fn minutes(&mut self, minutes: u64, requests: u64, millis: u64) -> Vec<(u64, Pace)> {
            let mut told = Vec::new();
            for second in 1..=minutes * 60 {
                self.now += Duration::from_secs(1);
                self.waits.requests += requests;
                self.waits.ns += requests * millis * 1_000_000;
                self.waits.bytes += requests * self.size;
                match self.slowness.see(self.now, self.waits) {
                    Pace::Same => {}
                    pace => told.push((second.div_ceil(60), pace)),
                }
            }
            told
        }
    }

    fn is_slow(told: &[(u64, Pace)], at_minute: u64) -> bool {
        matches!(told, [(minute, Pace::Slow { .. })] if *minute == at_minute)
    }

    #[test]
    fn a_backing_that_becomes_much_slower_is_told_of_once_and_when_it_is_as_usual_again() {
        let mut backing = SampledBacking::default();
        assert_eq!(backing.minutes(30, 10, 15), []);
        let told = backing.minutes(120, 10, 90);
        assert!(is_slow(&told, 4), "of the first minute a second was fast: {told:?}");
        let Pace::Slow { millis, usual: Some(usual), .. } = told[0].1 else { panic!("{told:?}") };
        assert!((millis - 90.0).abs() < 0.1 && (usual - 15.0).abs() < 3.0, "{told:?}");
        let told = backing.minutes(30, 10, 15);
        assert!(matches!(told[..], [(_, Pace::AsUsual { .. })]), "{told:?}");
    }

    #[test]
    fn a_slow_minute_or_two_and_few_requests_say_nothing() {
        let mut backing = SampledBacking::default();
        backing.minutes(30, 10, 15);
        assert_eq!(backing.minutes(2, 10, 500), []);
        assert_eq!(backing.minutes(10, 10, 15), []);
        let mut quiet = SampledBacking::default();
        quiet.minutes(30, 10, 15);
        for _ in 0..4 {
            assert_eq!(quiet.minutes(1, 0, 0), [], "a request every four minutes");
            quiet.waits.requests += 1;
            quiet.waits.ns += 900_000_000;
        }
    }

    #[test]
    fn what_is_fast_enough_for_guests_is_not_slow_and_what_nobody_bears_always_is() {
        let mut flash = SampledBacking::default();
        flash.minutes(30, 10, 1);
        assert_eq!(flash.minutes(30, 10, 20), [], "twenty times slower, and still fast");
        let mut dying = SampledBacking::default();
        let told = dying.minutes(5, 10, 2_000);
        assert!(is_slow(&told, 4) || is_slow(&told, 3), "{told:?}");
        assert!(matches!(told[0].1, Pace::Slow { usual: None, .. }), "{told:?}");
    }

    #[test]
    fn large_requests_may_take_longer() {
        let mut backing = SampledBacking { size: 4_096, ..SampledBacking::default() };
        backing.minutes(30, 10, 15);
        backing.size = 1 << 20;
        assert_eq!(backing.minutes(60, 10, 80), [], "a backup reads");
        backing.size = 4_096;
        backing.minutes(600, 10, 15);
        assert!(matches!(backing.minutes(60, 10, 80)[..], [(_, Pace::Slow { .. })]), "small ones may not");
    }

    #[test]
    fn what_slowly_becomes_slower_is_usual() {
        let mut backing = SampledBacking::default();
        for millis in 10..200 {
            assert_eq!(backing.minutes(20, 10, millis), [], "{millis}");
        }
    }

    #[test]
    fn counters_that_begin_anew_are_no_news() {
        let mut backing = SampledBacking::default();
        backing.minutes(30, 10, 15);
        backing.waits = Waits::default();
        assert_eq!(backing.minutes(30, 10, 15), []);
    }

    #[test]
    fn what_comes_and_goes_is_told_less_and_less_often() {
        let mut backing = Flapping::default();
        let at = Duration::from_secs;
        assert_eq!(backing.see(at(0), false), ConditionChange::None);
        assert_eq!(backing.see(at(1), true), ConditionChange::Began);
        assert_eq!(backing.see(at(2), true), ConditionChange::None);
        assert_eq!(backing.see(at(3), false), ConditionChange::Over, "at once");
        assert_eq!(backing.see(at(4), true), ConditionChange::Began);
        assert_eq!(backing.see(at(5), false), ConditionChange::None);
        assert_eq!(backing.see(at(6), true), ConditionChange::None, "it was told of");
        assert_eq!(backing.see(at(7), false), ConditionChange::None);
        assert_eq!(backing.see(at(66), false), ConditionChange::None);
        assert_eq!(backing.see(at(67), false), ConditionChange::Over);
        let told = (68..86_468).map(|second| backing.see(at(second), second / 70 % 2 == 0));
        let told = told.filter(|change| *change != ConditionChange::None).count();
        assert!(told < 10, "{told} times a day, for one that changes every 70 s");
    }

    #[test]
    fn what_was_over_for_long_is_told_at_once_again() {
        let mut backing = Flapping::default();
        let at = Duration::from_secs;
        for round in [0, 10_000, 20_000] {
            assert_eq!(backing.see(at(round), true), ConditionChange::Began);
            assert_eq!(backing.see(at(round + 1), false), ConditionChange::Over);
        }
    }
}
