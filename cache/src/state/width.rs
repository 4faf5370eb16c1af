//! Width: how many requests destage has at a backing at once while guests use it too.
//!
//! Only the backing can show how many are too many: on an array of many spindles the next request goes to an idle spindle; on one spindle,
//! or where each write is several operations, it delays all others, those of guests too. So one more is tried now and then, and kept if
//! requests take hardly longer than they do alone.

/// Requests at once at most.
pub(crate) const WIDTH_MAX: usize = 8;
/// Rounds between two measurements of how long requests take alone.
const ROUNDS_BETWEEN_LOOKS: u32 = 16;
/// Rounds between two tries with one more than was found right.
const ROUNDS_BETWEEN_TRIES: u32 = 128;
/// Rounds that a try takes: a single one of requests at random addresses is not significant.
const ROUNDS_OF_A_TRY: u64 = 4;
/// Latency of requests compared to alone, in percent: one more is kept up to the first value, and dropped above the second.
const KEPT: u64 = 125;
const GIVEN_UP: u64 = 135;

/// Width of destage rounds: concurrent requests.
#[derive(Debug)]
pub(crate) struct Width {
    kept: usize,
    /// One more is being tried.
    tries: bool,
    /// Rounds so far, modulo [`ROUNDS_BETWEEN_TRIES`].
    rounds: u32,
    /// Recent latency of requests, by the number of concurrent ones.
    took: [Mean; WIDTH_MAX + 1],
}

/// The mean of the latest values.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    nanos: u64,
    /// Number of values, at most [`Mean::MOST`].
    count: u64,
}

impl Mean {
    const MOST: u64 = 8;

    fn add(&mut self, nanos: u64) {
        self.count = (self.count + 1).min(Self::MOST);
        self.nanos = (self.nanos * (self.count - 1) + nanos) / self.count;
    }
}

impl Default for Width {
    fn default() -> Self {
        Self { kept: 1, tries: true, rounds: 0, took: [Mean::default(); WIDTH_MAX + 1] }
    }
}

impl Width {
    /// Returns the number of concurrent requests in the next round.
    pub(crate) fn next(&mut self) -> usize {
        self.rounds = (self.rounds + 1) % ROUNDS_BETWEEN_TRIES;
        if self.rounds == 0 {
            self.start_try();
        }
        let looks_alone = self.rounds % ROUNDS_BETWEEN_LOOKS == ROUNDS_BETWEEN_LOOKS / 2;
        if looks_alone || self.took[1].count < ROUNDS_OF_A_TRY {
            1
        } else {
            self.kept + usize::from(self.tries)
        }
    }

    /// Returns the number of concurrent requests that was found right.
    pub(crate) fn kept(&self) -> usize {
        self.kept
    }

    /// Records that the `width` concurrent requests of a round took `nanos` each, in the mean.
    pub(crate) fn note(&mut self, width: usize, nanos: u64) {
        self.took[width].add(nanos);
        let compared = self.took[width].nanos * 100 / self.took[1].nanos.max(1);
        if width > self.kept && self.took[width].count >= ROUNDS_OF_A_TRY {
            self.tries = false;
            if compared <= KEPT {
                self.kept = width;
                self.start_try();
            }
        } else if width == self.kept && width > 1 && compared > GIVEN_UP {
            self.kept -= 1;
            self.tries = false;
        }
    }

    fn start_try(&mut self) {
        self.tries = self.kept < WIDTH_MAX;
        if self.tries {
            self.took[self.kept + 1] = Mean::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the width after `rounds` at a backing where requests take as long as `took` returns.
    fn after(rounds: u32, width: &mut Width, took: impl Fn(usize) -> u64) -> usize {
        for _ in 0..rounds {
            let next = width.next();
            width.note(next, took(next));
        }
        width.kept
    }

    #[test]
    fn where_requests_wait_for_each_other_there_is_one_at_a_time() {
        assert_eq!(after(100, &mut Width::default(), |width| 5 * width as u64), 1);
    }

    #[test]
    fn where_they_do_not_there_are_soon_as_many_as_can_be() {
        assert_eq!(after(40, &mut Width::default(), |_| 5_000), WIDTH_MAX);
    }

    #[test]
    fn a_backing_that_can_do_some_at_once_is_given_some() {
        let spindles = |width: usize| 1000 + 1000 * width.saturating_sub(4) as u64;
        assert_eq!(after(100, &mut Width::default(), spindles), 4);
    }

    #[test]
    fn it_becomes_narrower_when_guests_need_the_backing_and_wider_afterwards() {
        let mut width = Width::default();
        after(40, &mut width, |_| 5_000);
        assert_eq!(after(20_000, &mut width, |width| 5_000 * width as u64), 1);
        assert_eq!(after(20_000, &mut width, |_| 5_000), WIDTH_MAX);
    }

    #[test]
    fn most_rounds_are_as_wide_as_was_found_right() {
        let mut width = Width::default();
        after(100, &mut width, |width| 5 * width as u64);
        let mut wider = 0;
        for _ in 0..10 * ROUNDS_BETWEEN_TRIES {
            let next = width.next();
            width.note(next, 5 * next as u64);
            wider += usize::from(next > 1);
        }
        assert!((30..=50).contains(&wider), "{wider} of {}", 10 * ROUNDS_BETWEEN_TRIES);
    }
}
