//! Whether a shard looks for completions for a moment before it sleeps.
//!
//! A client that has one request at a time sends the next one some microseconds after an answer. To sleep in between costs it
//! more than the request does: a CPU that idles takes tens of microseconds to wake, in a virtual machine above all. A shard
//! whose waits end that soon therefore looks at its ring for a while, as QEMU's event loop does (`poll-max-ns`, 32 us there);
//! one whose waits take longer sleeps at once, so that an idle shard costs nothing.
//!
//! Only waits for others than devices count: a device takes longer than it pays to look.

use std::cell::Cell;

/// The longest look: nanoseconds.
pub(super) const LOOK_NS: u64 = 50_000;
/// So many waits in a row that end soon, and a shard begins to look.
const ENOUGH: u8 = 4;
/// A wait that takes long counts for so many that do not.
const COST_OF_LONG: u8 = 2;

/// What the last waits were like.
#[derive(Default)]
pub(super) struct Spin {
    score: Cell<u8>,
}

impl Spin {
    /// True if it pays to look before sleeping.
    pub(super) fn pays(&self) -> bool {
        self.score.get() >= ENOUGH
    }

    /// Notes how long a wait took, whether it was slept or looked through: nanoseconds.
    pub(super) fn note(&self, waited_ns: u64) {
        let score = self.score.get();
        let next = if waited_ns <= LOOK_NS {
            (score + 1).min(2 * ENOUGH)
        } else {
            score.saturating_sub(COST_OF_LONG)
        };
        self.score.set(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_waits_make_it_look_and_long_ones_make_it_sleep() {
        let spin = Spin::default();
        assert!(!spin.pays());
        (0..ENOUGH).for_each(|_| spin.note(LOOK_NS));
        assert!(spin.pays());
        // However many there were, a few long ones are enough.
        (0..100).for_each(|_| spin.note(1000));
        (0..3).for_each(|_| spin.note(LOOK_NS + 1));
        assert!(!spin.pays());
    }

    #[test]
    fn it_sleeps_if_half_of_the_waits_are_long() {
        let spin = Spin::default();
        for _ in 0..100 {
            spin.note(1000);
            spin.note(10 * LOOK_NS);
        }
        assert!(!spin.pays());
    }
}
