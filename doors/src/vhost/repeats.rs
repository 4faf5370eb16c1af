//! Warnings that come again and again, told once a minute: a front end that cannot be served tries each second, for as long as
//! its guest lives. The first one is told at once, and another reason is not kept back. Writes no log itself.

use std::cell::RefCell;

/// A reason that was told is not told again for so long: nanoseconds.
const QUIET_NS: u64 = 60_000_000_000;

/// What was told last.
#[derive(Default)]
pub(crate) struct Repeats {
    told: RefCell<Option<Told>>,
}

struct Told {
    reason: String,
    at: u64,
    /// How often it came since.
    since: u64,
}

impl Repeats {
    /// What to say of a reason at this time in nanoseconds: nothing if it was told less than a minute ago, and otherwise how often
    /// it came since without being told.
    pub(crate) fn to_tell(&self, reason: &str, now: u64) -> Option<u64> {
        let mut told = self.told.borrow_mut();
        let mut since = 0;
        if let Some(told) = told.as_mut().filter(|told| told.reason == reason) {
            if now < told.at.saturating_add(QUIET_NS) {
                told.since += 1;
                return None;
            }
            since = told.since;
        }
        *told = Some(Told { reason: reason.to_owned(), at: now, since: 0 });
        Some(since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn a_reason_is_told_once_a_minute_with_how_often_it_came() {
        let repeats = Repeats::default();
        assert_eq!(repeats.to_tell("no memory", 0), Some(0));
        for second in 1..60 {
            assert_eq!(repeats.to_tell("no memory", second * SECOND), None);
        }
        assert_eq!(repeats.to_tell("no memory", 60 * SECOND), Some(59));
        assert_eq!(repeats.to_tell("no memory", 61 * SECOND), None);
    }

    #[test]
    fn another_reason_is_told_at_once() {
        let repeats = Repeats::default();
        for reason in ["no memory", "too many regions", "no memory"] {
            assert_eq!(repeats.to_tell(reason, 0), Some(0));
        }
    }
}
