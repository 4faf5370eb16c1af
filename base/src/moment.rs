//! Moments of the calendar, for people: whole seconds, in UTC. No decision depends on them, because clocks can be set.

use std::fmt;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

const DAY_SECONDS: u64 = 24 * 60 * 60;
/// Days of any four hundred consecutive years: the calendar repeats after them.
const ERA_DAYS: u64 = 146_097;
const MONTH_DAYS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// Seconds since the beginning of 1970, without leap seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment(pub u64);

impl Moment {
    /// Returns the present time of the host's clock.
    pub fn now() -> Self {
        Self(SystemTime::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_secs()))
    }
}

/// Returns the nanoseconds since 1970 by the host's clock, which may be set at any time.
pub fn nanos_since_1970() -> u64 {
    let elapsed = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
}

/// Form of RFC 3339: `2026-11-21T17:05:09Z`.
impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, seconds) = (self.0 / DAY_SECONDS, self.0 % DAY_SECONDS);
        let (year, month, day) = date(days);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(formatter, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

/// Returns year, month and day, the first of each counted as 1.
fn date(days: u64) -> (u64, u64, u64) {
    let mut year = 1970 + 400 * (days / ERA_DAYS);
    let mut rest = days % ERA_DAYS;
    while rest >= year_days(year) {
        rest -= year_days(year);
        year += 1;
    }
    let mut month = 1;
    for month_days in MONTH_DAYS {
        let month_days = month_days + u64::from(month == 2 && is_leap(year));
        if rest < month_days {
            break;
        }
        rest -= month_days;
        month += 1;
    }
    (year, month, rest + 1)
}

fn year_days(year: u64) -> u64 {
    365 + u64::from(is_leap(year))
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_told_by_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (1_795_281_309, "2026-11-21T17:15:09Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(Moment(seconds).to_string(), text);
        }
        assert!(Moment(u64::MAX).to_string().ends_with('Z'), "however far away");
        assert!(Moment::now().0 > 1_700_000_000);
    }
}
