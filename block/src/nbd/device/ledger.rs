//! Ledger: the acknowledged changes that no flush covers yet, and whether some of them may be lost.
//!
//! A server that goes away may lose acknowledged changes that it did not make durable, and a client cannot detect
//! whether it did: after a restart it answers as if nothing had happened. So each loss of a connection counts
//! everything as possibly lost that was acknowledged on *any* connection and not flushed: another connection to a
//! server that was restarted may look alive for long. A flush that should have covered such a change fails, once.

use std::cell::Cell;

/// The account of one device. Changes are numbered in the order in which they were acknowledged.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    acknowledged: Cell<u64>,
    /// All changes up to this one were asked of a flush that ended.
    settled: Cell<u64>,
    /// All changes up to this one that were not settled then may be lost.
    lost: Cell<u64>,
    epoch: Cell<u64>,
    flushed_ever: Cell<bool>,
}

/// A flush that has begun: which changes it is to make durable.
#[derive(Debug)]
pub(super) struct Flushing {
    after: u64,
    up_to: u64,
}

impl Ledger {
    /// Records that the server has acknowledged a change. Call before anything else can happen, and before the caller
    /// knows.
    pub(super) fn acknowledge(&self) {
        self.acknowledged.set(self.acknowledged.get() + 1);
    }

    /// Records that a connection is gone.
    pub(super) fn connection_lost(&self) {
        self.epoch.set(self.epoch.get() + 1);
        if self.acknowledged.get() > self.settled.get() {
            self.lost.set(self.acknowledged.get());
        }
    }

    /// See [`crate::BlockDevice::epoch`].
    pub(super) fn epoch(&self) -> u64 {
        self.epoch.get()
    }

    /// Returns true if changes may be lost that no flush has failed for yet.
    pub(super) fn has_lost(&self) -> bool {
        self.lost.get() > self.settled.get()
    }

    /// Begins a flush, before it is sent. Returns `None` if it has nothing to do: a flush has already been sent for
    /// every change. The first one always has, because others may have changed the export before us.
    pub(super) fn begin_flush(&self) -> Option<Flushing> {
        let flushing = Flushing { after: self.settled.get(), up_to: self.acknowledged.get() };
        (flushing.after < flushing.up_to || !self.flushed_ever.get()).then_some(flushing)
    }

    /// Ends a flush that the server has done. Returns false if changes that it should have covered may be lost; later
    /// flushes are not to blame for those.
    pub(super) fn end_flush(&self, flushing: &Flushing) -> bool {
        self.flushed_ever.set(true);
        self.settled.set(self.settled.get().max(flushing.up_to));
        self.lost.get() <= flushing.after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flush(ledger: &Ledger) -> bool {
        ledger.begin_flush().is_none_or(|flushing| ledger.end_flush(&flushing))
    }

    #[test]
    fn only_the_first_flush_and_those_after_changes_have_something_to_do() {
        let ledger = Ledger::default();
        assert!(ledger.begin_flush().is_some());
        assert!(flush(&ledger));
        assert!(ledger.begin_flush().is_none());
        ledger.acknowledge();
        assert!(ledger.begin_flush().is_some(), "and again, if that one failed");
        assert!(flush(&ledger));
        assert!(ledger.begin_flush().is_none());
    }

    #[test]
    fn a_loss_without_open_changes_harms_nobody() {
        let ledger = Ledger::default();
        ledger.connection_lost();
        assert!(flush(&ledger));
        ledger.acknowledge();
        assert!(flush(&ledger));
        ledger.connection_lost();
        assert!(flush(&ledger));
        assert_eq!(ledger.epoch(), 2);
    }

    #[test]
    fn a_loss_with_open_changes_fails_one_flush() {
        let ledger = Ledger::default();
        ledger.acknowledge();
        ledger.connection_lost();
        assert!(!flush(&ledger));
        assert!(flush(&ledger));
    }

    #[test]
    fn all_flushes_that_run_during_a_loss_fail() {
        let ledger = Ledger::default();
        ledger.acknowledge();
        let (one, two) = (ledger.begin_flush(), ledger.begin_flush());
        ledger.connection_lost();
        assert!(!ledger.end_flush(&one.expect("there is a change")));
        assert!(!ledger.end_flush(&two.expect("there is a change")));
        assert!(flush(&ledger));
    }

    #[test]
    fn a_change_behind_a_flush_that_failed_fails_the_next_one_too() {
        let ledger = Ledger::default();
        ledger.acknowledge();
        let early = ledger.begin_flush().expect("there is a change");
        ledger.acknowledge();
        ledger.connection_lost();
        assert!(!ledger.end_flush(&early));
        assert!(!flush(&ledger), "the second change is lost as well");
        assert!(flush(&ledger));
    }
}
