//! The phase of a door, and waiting for changes.

use std::cell::Cell;

use tokio::sync::Notify;

/// Phase of a door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It lets clients in and serves them.
    Open,
    /// It is at rest, or about to be.
    Held,
    /// It has closed for good.
    Closed,
}

/// The phase of one door. Its tasks call [`Self::notify`] when other state has changed that is waited for.
pub(crate) struct DoorPhase {
    phase: Cell<Phase>,
    changed: Notify,
}

impl DoorPhase {
    /// Returns the phase of a door that was made now.
    pub(crate) fn open() -> Self {
        Self { phase: Cell::new(Phase::Open), changed: Notify::new() }
    }

    pub(crate) fn get(&self) -> Phase {
        self.phase.get()
    }

    pub(crate) fn set(&self, phase: Phase) {
        self.phase.set(phase);
        self.notify();
    }

    /// Makes every [`Self::until`] check again.
    pub(crate) fn notify(&self) {
        self.changed.notify_waiters();
    }

    /// Waits until `condition` holds, which is checked now and after each change: see [`until`].
    pub(crate) async fn until(&self, condition: impl Fn() -> bool) {
        until(&self.changed, condition).await;
    }
}

/// Waits until `condition` holds, which is checked now and whenever all waiters of `changed` are notified. Dropping the future leaves
/// nothing behind.
pub(crate) async fn until(changed: &Notify, condition: impl Fn() -> bool) {
    loop {
        let change = changed.notified();
        if condition() {
            return;
        }
        change.await;
    }
}
