//! The gate of flushes: those of the backing of one disk, joined.
//!
//! Flushes that arrive while one runs share the next one: never the running one, which was submitted too early for them (rule I5). The
//! first failed flush is final: the data that it should have made durable may be gone, and a later success would not prove otherwise, so
//! every later flush fails as well until the disk is attached again. There are three exceptions. A backing that lost its connection knows
//! what it lost, and its failed flush has informed the guest. A backing that has not answered for too long was not flushed at all. Of a device
//! with [`block::Geometry::atomic_flushes`] a later flush covers everything that a failed one did not make durable.
//!
//! A group that goes to such a device (`backing_group.rs`) holds the gate from its first change until its flush has ended, so that no other
//! flush makes a part of it durable. What may still land of an abandoned group is dropped before the next flush.

use std::cell::{Cell, RefCell};

use block::{BlockDevice, BlockError, ErrorKind, Operation};
use tokio::sync::{Mutex, MutexGuard};

use crate::types::canary::{self, Bug};

/// Origin of a flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    /// A guest's: it gets the error of an earlier flush that was none of a guest's.
    Guest,
    /// Our own, or an administrator's: it fails with an error that is pending for the guest, and the error stays pending.
    Ourselves,
}

/// Joins the flushes of one disk.
pub(crate) struct FlushGate {
    /// Flushes that arrived, counted.
    arrived: Cell<u64>,
    /// Flushes that are covered by one that completed.
    covered: Cell<u64>,
    failed: RefCell<Option<BlockError>>,
    /// Epoch of the backing at the last flush.
    epoch: Cell<u64>,
    /// The last flush that failed because the backing lost its connection, and the flushes that had arrived by then: none
    /// of them may succeed.
    lost: RefCell<Option<(u64, BlockError)>>,
    /// Set when a flush failed in that way that was none of the guest's: the guest's next one fails as well.
    untold: RefCell<Option<BlockError>>,
    running: Mutex<()>,
    /// Set while requests of an abandoned group may still land.
    may_land: Cell<bool>,
    /// Set when the disk moves to another shard, which has a gate of its own: that gate would not know of a failure that is found here.
    stopped: Cell<bool>,
}

impl FlushGate {
    /// Creates the gate for a backing in this epoch.
    pub(crate) fn new(epoch: u64) -> Self {
        Self {
            arrived: Cell::new(0),
            covered: Cell::new(0),
            failed: RefCell::new(None),
            epoch: Cell::new(epoch),
            lost: RefCell::new(None),
            untold: RefCell::new(None),
            running: Mutex::new(()),
            may_land: Cell::new(false),
            stopped: Cell::new(false),
        }
    }

    /// Returns true if there is a failure to remember: a flush failed, or something may land of an abandoned group.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.borrow().is_some() || self.lost.borrow().is_some() || self.may_land.get()
    }

    /// Waits for the flush that is running, and lets no other begin as long as the returned guard lives.
    pub(crate) async fn hold(&self) -> MutexGuard<'_, ()> {
        self.running.lock().await
    }

    /// Fails all later flushes, if there is no failure to remember. Returns true if so.
    pub(crate) fn stop(&self) -> bool {
        self.stopped.set(!self.has_failed());
        self.stopped.get()
    }

    /// Returns true if the next flush of a guest fails because of an earlier one that was none of its own.
    pub(super) fn has_unreported(&self) -> bool {
        self.untold.borrow().is_some()
    }

    /// As [`Self::flush`], for an asker: a guest gets the pending error of an earlier flush that was none of its own. Nothing else clears
    /// that error.
    pub(super) async fn flush_for<B: BlockDevice>(
        &self,
        backing: &B,
        asker: Asker,
    ) -> Result<(), BlockError> {
        let result = self.flush(backing).await;
        let untold = match asker {
            Asker::Guest => self.untold.take(),
            Asker::Ourselves => self.untold.borrow().clone(),
        };
        match untold {
            Some(error) => Err(error),
            None => result,
        }
    }

    /// Flushes the backing, or shares a flush that is submitted after this call.
    pub(crate) async fn flush<B: BlockDevice>(&self, backing: &B) -> Result<(), BlockError> {
        // The first one is not a guest's: it settles the backing.
        if canary::has(Bug::FlushFromMemory) && self.arrived.get() == 1 {
            self.arrived.set(2);
            self.covered.set(2);
            return Ok(());
        }
        let ticket = self.arrived.get() + 1;
        self.arrived.set(ticket);
        let _running = self.running.lock().await;
        self.check_usable()?;
        if self.covered.get() >= ticket {
            return Ok(());
        }
        if let Some((_, error)) = self.lost.borrow().as_ref().filter(|(through, _)| *through >= ticket) {
            return Err(error.clone());
        }
        self.drop_landed(backing)?;
        let (result, reconnected) = self.submit(backing).await;
        match &result {
            Ok(()) => {}
            Err(error) if reconnected => {
                tracing::error!(%error, "The backing lost its connection, and perhaps writes that no flush had covered");
                self.lost.replace(Some((self.arrived.get(), error.clone())));
                self.untold.replace(Some(error.clone()));
            }
            // Nothing was flushed and nothing is gone: a later one covers all of it.
            Err(error) if error.kind == ErrorKind::Untried || backing.geometry().atomic_flushes => {}
            Err(error) => {
                tracing::error!(%error, "The backing failed a flush; flushes of this disk fail until it is attached again");
                self.failed.replace(Some(error.clone()));
            }
        }
        result
    }

    /// Flushes a group, which holds the gate since its first change. A failure concerns the group alone: changes that went to the backing
    /// past it were flushed before.
    pub(super) async fn flush_group<B: BlockDevice>(
        &self,
        _held: &MutexGuard<'_, ()>,
        backing: &B,
    ) -> Result<(), BlockError> {
        self.check_usable()?;
        self.submit(backing).await.0
    }

    /// Drops what the backing has of a group, under the same guard.
    pub(super) fn abandon_group<B: BlockDevice>(&self, _held: &MutexGuard<'_, ()>, backing: &B) {
        self.abandon(backing);
    }

    /// Drops what landed of an abandoned group, under the guard of [`Self::hold`].
    ///
    /// # Errors
    /// If some of it may still land.
    pub(super) fn drop_landed<B: BlockDevice>(&self, backing: &B) -> Result<(), BlockError> {
        if !self.may_land.get() || canary::has(Bug::NewerBeforeLate) {
            return Ok(());
        }
        if backing.has_unanswered() {
            return Err(BlockError::anywhere(ErrorKind::Untried, Operation::Flush).because(
                "the backing did not answer a write of an abandoned group, which may still be done",
            ));
        }
        self.abandon(backing);
        Ok(())
    }

    fn abandon<B: BlockDevice>(&self, backing: &B) {
        if !canary::has(Bug::GroupNotAbandoned) {
            backing.abandon_group();
        }
        self.may_land.set(backing.has_unanswered());
    }

    fn check_usable(&self) -> Result<(), BlockError> {
        if self.stopped.get() {
            let error = BlockError::anywhere(ErrorKind::Gone, Operation::Flush);
            return Err(error.because("the disk is another shard's now"));
        }
        self.failed.borrow().clone().map_or(Ok(()), Err)
    }

    /// Submits a flush, which covers those that arrived. Returns its result, and whether the backing lost its connection since the last one.
    async fn submit<B: BlockDevice>(&self, backing: &B) -> (Result<(), BlockError>, bool) {
        let covers = self.arrived.get();
        let result = backing.flush().await;
        if result.is_ok() {
            self.covered.set(covers);
        }
        (result, self.epoch.replace(backing.epoch()) != backing.epoch())
    }
}

#[cfg(test)]
mod tests {
    use block::{Buffer, ByteRange, Geometry, Outcome, Unmap};
    use futures_util::FutureExt;

    use super::*;

    /// Loses a connection at the first flush.
    #[derive(Default)]
    struct Losing(Cell<u64>);

    impl BlockDevice for Losing {
        fn geometry(&self) -> Geometry {
            Geometry::plain(0)
        }

        async fn read(&self, _: u64, buffer: Buffer) -> Outcome {
            (buffer, Ok(()))
        }

        async fn write(&self, _: u64, buffer: Buffer) -> Outcome {
            (buffer, Ok(()))
        }

        async fn flush(&self) -> Result<(), BlockError> {
            match self.0.replace(1) {
                0 => Err(BlockError::anywhere(ErrorKind::Io, Operation::Flush)),
                _ => Ok(()),
            }
        }

        async fn write_zeroes(&self, _: ByteRange, _: Unmap) -> Result<(), BlockError> {
            Ok(())
        }

        async fn discard(&self, _: ByteRange) -> Result<(), BlockError> {
            Ok(())
        }

        fn epoch(&self) -> u64 {
            self.0.get()
        }
    }

    /// Takes groups, one write of which was not answered.
    #[derive(Default)]
    struct TakesGroups {
        has_unanswered: Cell<bool>,
        abandoned: Cell<u64>,
        fails: Cell<bool>,
    }

    impl BlockDevice for TakesGroups {
        fn geometry(&self) -> Geometry {
            Geometry { atomic_flushes: true, ..Geometry::plain(0) }
        }

        async fn read(&self, _: u64, buffer: Buffer) -> Outcome {
            (buffer, Ok(()))
        }

        async fn write(&self, _: u64, buffer: Buffer) -> Outcome {
            (buffer, Ok(()))
        }

        async fn flush(&self) -> Result<(), BlockError> {
            if self.fails.take() {
                return Err(BlockError::anywhere(ErrorKind::Io, Operation::Flush));
            }
            Ok(())
        }

        async fn write_zeroes(&self, _: ByteRange, _: Unmap) -> Result<(), BlockError> {
            Ok(())
        }

        async fn discard(&self, _: ByteRange) -> Result<(), BlockError> {
            Ok(())
        }

        fn has_unanswered(&self) -> bool {
            self.has_unanswered.get()
        }

        fn abandon_group(&self) {
            self.abandoned.set(self.abandoned.get() + 1);
        }
    }

    #[test]
    fn what_lands_of_an_abandoned_group_is_dropped_before_the_next_flush_and_none_passes_until_then() {
        let (gate, backing) = (FlushGate::new(0), TakesGroups::default());
        let flush = || gate.flush(&backing).now_or_never();
        let held = gate.hold().now_or_never().expect("nothing flushes");
        assert!(flush().is_none(), "a group is on its way");
        backing.has_unanswered.set(true);
        gate.abandon_group(&held, &backing);
        drop(held);
        let error = flush().expect("the gate is free").expect_err("something may land");
        assert_eq!((error.kind, backing.abandoned.get()), (ErrorKind::Untried, 1));
        assert!(gate.has_failed(), "another gate would not know");
        backing.has_unanswered.set(false);
        flush().expect("the gate is free").expect("nothing lands any more");
        flush().expect("the gate is free").expect("nothing lands any more");
        assert!(backing.abandoned.get() == 2 && !gate.has_failed());
    }

    #[test]
    fn a_later_flush_covers_what_a_failed_one_of_atomic_flushes_did_not() {
        let (gate, backing) = (FlushGate::new(0), TakesGroups::default());
        backing.fails.set(true);
        gate.flush(&backing).now_or_never().expect("nothing is waited for").expect_err("it fails");
        gate.flush(&backing).now_or_never().expect("nothing is waited for").expect("it is repeated");
        assert!(!gate.has_failed());
    }

    #[test]
    fn what_a_flush_of_our_own_finds_is_told_to_the_next_guest_whoever_else_asks_before() {
        let (gate, backing) = (FlushGate::new(0), Losing::default());
        let flush = |asker| gate.flush_for(&backing, asker).now_or_never().expect("nothing is waited for");
        flush(Asker::Ourselves).expect_err("a connection is lost");
        flush(Asker::Ourselves).expect_err("the guest does not know yet");
        flush(Asker::Guest).expect_err("now it does");
        assert!(!gate.has_unreported());
        flush(Asker::Guest).expect("later flushes are not to blame");
        flush(Asker::Ourselves).expect("nor is anybody else");
    }
}
