//! Adaptive polling: whether to poll an empty queue for a while before its thread sleeps.
//!
//! Sleeping and waking cost two system calls of the guest's side and ours, and on many hosts the wake-up of a processor, which takes longer
//! than a hit. Polling costs a processor. So it is done where requests arrive fast, for a bounded time, and not while other threads need
//! the processor, or other tasks the thread: a poll that finds that time was lost meanwhile is followed by a pause, twice as long each
//! time. (QEMU's `poll-max-ns` adapts by the first of these rules.)

/// Loss of time between two polls, in longest polls, that shows that the processor is shared, or that the thread has other work.
const LOST: u64 = 4;
/// Pause without polling after that, at first and at most, in nanoseconds.
const PAUSE_MIN_NS: u64 = 100_000_000;
const PAUSE_MAX_NS: u64 = 10_000_000_000;
/// Multiple of the next pause after which, without another loss, pauses begin with the shortest again.
const PAUSES_FORGOTTEN: u64 = 16;
/// Number of times that polling is skipped after it was in vain, however soon requests arrive then.
const SKIPPED: u8 = 16;
/// Multiple of the longest poll within which a request has to arrive, counted with the wake-up, to make polling worth a try.
const TRIED_WITHIN: u64 = 2;

/// Consequence of polling an empty queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PollOutcome {
    /// Another one.
    Again,
    /// Sleep.
    Enough,
}

/// State of adaptive polling. Times are nanoseconds of one clock.
#[derive(Debug)]
pub(super) struct AdaptivePoller {
    /// The longest poll; 0 for none.
    max: u64,
    is_worth_it: bool,
    /// Times that it is left out still.
    skipped: u8,
    /// Since when nothing is there to do, if that is so.
    rests_since: Option<u64>,
    /// Time of the last poll, while polling.
    polled_at: Option<u64>,
    not_before: u64,
    pause: u64,
}

impl AdaptivePoller {
    /// Creates the state for polls of at most `max` nanoseconds; none for 0.
    pub(super) fn new(max: u64) -> Self {
        Self {
            max,
            is_worth_it: false,
            skipped: 0,
            rests_since: None,
            polled_at: None,
            not_before: 0,
            pause: PAUSE_MIN_NS,
        }
    }

    /// Returns true if polling is enabled at all.
    pub(super) fn is_wanted(&self) -> bool {
        self.max > 0
    }

    /// Returns true from [`Self::begin`] until [`Self::arrived`].
    pub(super) fn rests(&self) -> bool {
        self.rests_since.is_some()
    }

    /// Records that there is no work. Returns true if the queue is to be polled now.
    pub(super) fn begin(&mut self, now: u64) -> bool {
        let polled_before = self.rests_since.is_some();
        self.rests_since.get_or_insert(now);
        let begins = self.is_worth_it && !polled_before && now >= self.not_before;
        self.polled_at = begins.then_some(now);
        begins
    }

    /// Records a poll that found nothing. Returns what to do next.
    pub(super) fn poll(&mut self, now: u64) -> PollOutcome {
        if self.pauses_if_it_lost_time(now) {
            return PollOutcome::Enough;
        }
        self.polled_at = Some(now);
        if self.rests_since.is_none_or(|since| now.saturating_sub(since) >= self.max) {
            (self.is_worth_it, self.skipped, self.polled_at) = (false, SKIPPED, None);
            return PollOutcome::Enough;
        }
        PollOutcome::Again
    }

    /// Pauses polling if this is much later than the last poll.
    fn pauses_if_it_lost_time(&mut self, now: u64) -> bool {
        if self.polled_at.is_none_or(|before| now.saturating_sub(before) <= LOST * self.max) {
            return false;
        }
        if now.saturating_sub(self.not_before) > PAUSES_FORGOTTEN * self.pause {
            self.pause = PAUSE_MIN_NS;
        }
        self.not_before = now + self.pause;
        self.pause = (2 * self.pause).min(PAUSE_MAX_NS);
        self.polled_at = None;
        true
    }

    /// Records that a request arrived, perhaps found by polling.
    pub(super) fn arrived(&mut self, now: u64) {
        self.pauses_if_it_lost_time(now);
        self.polled_at = None;
        let Some(since) = self.rests_since.take() else { return };
        if self.is_worth_it {
            return;
        }
        if self.skipped > 0 {
            self.skipped -= 1;
        } else {
            self.is_worth_it = now.saturating_sub(since) <= TRIED_WITHIN * self.max;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: u64 = 50_000;

    /// Polls every microsecond until a request arrives `after`, or polling ends. Returns when it stopped.
    fn rest(poller: &mut AdaptivePoller, from: u64, after: u64) -> u64 {
        let mut now = from;
        if poller.begin(now) {
            while now < from + after && poller.poll(now) == PollOutcome::Again {
                now += 1_000;
            }
        }
        poller.arrived(from + after);
        now - from
    }

    #[test]
    fn it_looks_where_requests_come_soon_and_sleeps_where_they_do_not() {
        let mut poller = AdaptivePoller::new(MAX);
        assert_eq!(rest(&mut poller, 0, 70_000), 0, "nothing is known");
        assert_eq!(rest(&mut poller, 1_000_000, 30_000), 30_000, "until it came");
        assert_eq!(rest(&mut poller, 2_000_000, 80_000), 50_000, "in vain");
        for time in 1..u64::from(SKIPPED) {
            assert_eq!(rest(&mut poller, 2_000_000 + time * 1_000_000, 10_000), 0, "{time}");
        }
        assert_eq!(rest(&mut poller, 18_000_000, 10_000), 0, "it is worth it again, as this shows");
        assert_eq!(rest(&mut poller, 31_000_000, 10_000), 10_000);
        assert_eq!(rest(&mut poller, 32_000_000, 10_000_000), 50_000);
        assert_eq!(rest(&mut poller, 60_000_000, 10_000_000), 0, "idle");
    }

    #[test]
    fn who_lost_the_processor_does_not_look_for_longer_each_time() {
        let mut poller = AdaptivePoller::new(MAX);
        let (mut now, mut pauses) = (0, Vec::new());
        rest(&mut poller, now, 10_000);
        for time in 0..9 {
            now += 1_000_000;
            assert!(poller.begin(now));
            now += LOST * MAX + 1;
            // Something may have arrived meanwhile, or not.
            if time % 2 == 0 {
                assert_eq!(poller.poll(now), PollOutcome::Enough);
            }
            poller.arrived(now);
            let lost = now;
            while rest(&mut poller, now, 10_000) == 0 {
                now += 10_000_000;
            }
            pauses.push((now - lost).div_ceil(PAUSE_MIN_NS));
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 100, 100]);
        now += (PAUSES_FORGOTTEN + 1) * PAUSE_MAX_NS;
        assert!(poller.begin(now));
        poller.poll(now + LOST * MAX + 1);
        poller.arrived(now + LOST * MAX + 1);
        assert!(poller.begin(now + 2 * PAUSE_MIN_NS), "the shortest pause again");
    }

    #[test]
    fn without_a_time_it_never_looks() {
        let mut poller = AdaptivePoller::new(0);
        assert!(!poller.is_wanted());
        for time in 0..10 {
            assert_eq!(rest(&mut poller, time * 100, 1), 0);
        }
    }
}
