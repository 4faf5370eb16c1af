//! The rate limit of log messages that clients and front ends can cause as often as they like: one a minute. Writes no log itself.

use std::cell::Cell;

/// Least time between two messages, in nanoseconds.
const MESSAGE_INTERVAL_NS: u64 = 60_000_000_000;

/// The rate limit of one message.
#[derive(Default)]
pub(crate) struct LogThrottle {
    last: Cell<Option<u64>>,
    suppressed: Cell<u64>,
}

impl LogThrottle {
    /// Counts one more occurrence at `now`, in nanoseconds. Returns how many were suppressed before it if it is to be logged, else none.
    pub(crate) fn admit(&self, now: u64) -> Option<u64> {
        if self.last.get().is_some_and(|last| now.saturating_sub(last) < MESSAGE_INTERVAL_NS) {
            self.suppressed.set(self.suppressed.get() + 1);
            return None;
        }
        self.last.set(Some(now));
        Some(self.suppressed.replace(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_often_is_logged_once_a_minute_with_how_often() {
        let throttle = LogThrottle::default();
        assert_eq!(throttle.admit(5), Some(0));
        assert_eq!([throttle.admit(6), throttle.admit(MESSAGE_INTERVAL_NS)], [None, None]);
        assert_eq!(throttle.admit(5 + MESSAGE_INTERVAL_NS), Some(2));
        assert_eq!(throttle.admit(6 + MESSAGE_INTERVAL_NS), None);
    }
}
