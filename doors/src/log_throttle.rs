//! What the log says once a minute, however often it happens: clients and front ends can make it happen as often as they like.
//! Writes no log itself.

use std::cell::Cell;

/// How long the log says nothing of what it has just said, in nanoseconds.
const TELL_INTERVAL_NS: u64 = 60_000_000_000;

/// When something was last said, so that it is not said for each of a million connections.
#[derive(Default)]
pub(crate) struct Told {
    last: Cell<Option<u64>>,
    unsaid: Cell<u64>,
}

impl Told {
    /// Counts one more at this time in nanoseconds; if it is time to say so, how many were not said before it.
    pub(crate) fn tell(&self, now: u64) -> Option<u64> {
        if self.last.get().is_some_and(|last| now.saturating_sub(last) < TELL_INTERVAL_NS) {
            self.unsaid.set(self.unsaid.get() + 1);
            return None;
        }
        self.last.set(Some(now));
        Some(self.unsaid.replace(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_often_is_said_once_a_minute_with_how_often() {
        let told = Told::default();
        assert_eq!(told.tell(5), Some(0));
        assert_eq!([told.tell(6), told.tell(TELL_INTERVAL_NS)], [None, None]);
        assert_eq!(told.tell(5 + TELL_INTERVAL_NS), Some(2));
        assert_eq!(told.tell(6 + TELL_INTERVAL_NS), None);
    }
}
