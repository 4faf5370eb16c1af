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
pub(super) enum Looked {
    /// Another one.
    Again,
    /// Sleep.
    Enough,
}

/// State of adaptive polling. Times are nanoseconds of one clock.
#[derive(Debug)]
pub(super) struct Looking {
    /// The longest poll; 0 for none.
    max: u64,
    is_worth_it: bool,
    /// Times that it is left out still.
    skipped: u8,
    /// Since when nothing is there to do, if that is so.
    rests_since: Option<u64>,
    /// Time of the last poll, while polling.
    looks: Option<u64>,
    not_before: u64,
    pause: u64,
}

impl Looking {
    /// Creates the state for polls of at most `max` nanoseconds; none for 0.
    pub(super) fn new(max: u64) -> Self {
        Self {
            max,
            is_worth_it: false,
            skipped: 0,
            rests_since: None,
            looks: None,
            not_before: 0,
            pause: PAUSE_MIN_NS,
        }
    }

    /// Returns true if polling is enabled at all.
    pub(super) fn is_wanted(&self) -> bool {
        self.max > 0
    }

    /// Returns true from [`Self::begin`] until [`Self::came`].
    pub(super) fn rests(&self) -> bool {
        self.rests_since.is_some()
    }

    /// Records that there is no work. Returns true if the queue is to be polled now.
    pub(super) fn begin(&mut self, now: u64) -> bool {
        let looked_before = self.rests_since.is_some();
        self.rests_since.get_or_insert(now);
        let begins = self.is_worth_it && !looked_before && now >= self.not_before;
        self.looks = begins.then_some(now);
        begins
    }

    /// Records a poll that found nothing. Returns what to do next.
    pub(super) fn look(&mut self, now: u64) -> Looked {
        if self.pauses_if_it_lost_time(now) {
            return Looked::Enough;
        }
        self.looks = Some(now);
        if self.rests_since.is_none_or(|since| now.saturating_sub(since) >= self.max) {
            (self.is_worth_it, self.skipped, self.looks) = (false, SKIPPED, None);
            return Looked::Enough;
        }
        Looked::Again
    }

    /// Pauses polling if this is much later than the last poll.
    fn pauses_if_it_lost_time(&mut self, now: u64) -> bool {
        if self.looks.is_none_or(|before| now.saturating_sub(before) <= LOST * self.max) {
            return false;
        }
        if now.saturating_sub(self.not_before) > PAUSES_FORGOTTEN * self.pause {
            self.pause = PAUSE_MIN_NS;
        }
        self.not_before = now + self.pause;
        self.pause = (2 * self.pause).min(PAUSE_MAX_NS);
        self.looks = None;
        true
    }

    /// Records that a request arrived, perhaps found by polling.
    pub(super) fn came(&mut self, now: u64) {
        self.pauses_if_it_lost_time(now);
        self.looks = None;
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
    fn rest(looking: &mut Looking, from: u64, after: u64) -> u64 {
        let mut now = from;
        if looking.begin(now) {
            while now < from + after && looking.look(now) == Looked::Again {
                now += 1_000;
            }
        }
        looking.came(from + after);
        now - from
    }

    #[test]
    fn it_looks_where_requests_come_soon_and_sleeps_where_they_do_not() {
        let mut looking = Looking::new(MAX);
        assert_eq!(rest(&mut looking, 0, 70_000), 0, "nothing is known");
        assert_eq!(rest(&mut looking, 1_000_000, 30_000), 30_000, "until it came");
        assert_eq!(rest(&mut looking, 2_000_000, 80_000), 50_000, "in vain");
        for time in 1..u64::from(SKIPPED) {
            assert_eq!(rest(&mut looking, 2_000_000 + time * 1_000_000, 10_000), 0, "{time}");
        }
        assert_eq!(rest(&mut looking, 18_000_000, 10_000), 0, "it is worth it again, as this shows");
        assert_eq!(rest(&mut looking, 31_000_000, 10_000), 10_000);
        assert_eq!(rest(&mut looking, 32_000_000, 10_000_000), 50_000);
        assert_eq!(rest(&mut looking, 60_000_000, 10_000_000), 0, "idle");
    }

    #[test]
    fn who_lost_the_processor_does_not_look_for_longer_each_time() {
        let mut looking = Looking::new(MAX);
        let (mut now, mut pauses) = (0, Vec::new());
        rest(&mut looking, now, 10_000);
        for time in 0..9 {
            now += 1_000_000;
            assert!(looking.begin(now));
            now += LOST * MAX + 1;
            // Something may have arrived meanwhile, or not.
            if time % 2 == 0 {
                assert_eq!(looking.look(now), Looked::Enough);
            }
            looking.came(now);
            let lost = now;
            while rest(&mut looking, now, 10_000) == 0 {
                now += 10_000_000;
            }
            pauses.push((now - lost).div_ceil(PAUSE_MIN_NS));
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 100, 100]);
        now += (PAUSES_FORGOTTEN + 1) * PAUSE_MAX_NS;
        assert!(looking.begin(now));
        looking.look(now + LOST * MAX + 1);
        looking.came(now + LOST * MAX + 1);
        assert!(looking.begin(now + 2 * PAUSE_MIN_NS), "the shortest pause again");
    }

    #[test]
    fn without_a_time_it_never_looks() {
        let mut looking = Looking::new(0);
        assert!(!looking.is_wanted());
        for time in 0..10 {
            assert_eq!(rest(&mut looking, time * 100, 1), 0);
        }
    }
}
