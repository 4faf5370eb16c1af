//! State of a pause of destage in consistent write-back. Nothing here awaits, save the end of the pause.

use std::cell::{Cell, RefCell};

use tokio::sync::Notify;

use crate::types::canary::{self, Bug};

/// The pause of one disk.
#[derive(Default)]
pub(crate) struct Pause {
    state: RefCell<PauseState>,
    ended: Notify,
    /// Number of requests that began or were withdrawn: only the last one counts.
    turn: Cell<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum PauseState {
    #[default]
    No,
    /// The backing is the disk as of this time, in nanoseconds since 1970.
    Since(u64),
    /// It ended before it was resumed, for this reason.
    Ended(String),
}

impl Pause {
    /// Returns the time as of which the backing is the disk, in nanoseconds since 1970; none without a pause.
    pub(crate) fn as_of(&self) -> Option<u64> {
        match *self.state.borrow() {
            PauseState::Since(time) => Some(time),
            PauseState::No | PauseState::Ended(_) => None,
        }
    }

    /// Returns true while destage is paused.
    pub(super) fn is_on(&self) -> bool {
        self.as_of().is_some() && !canary::has(Bug::DestageInPause)
    }

    /// Returns the number of a new request: earlier ones do not count any more.
    pub(super) fn take_turn(&self) -> u64 {
        self.turn.set(self.turn.get() + 1);
        self.turn.get()
    }

    /// Withdraws the request of this number, unless its pause began.
    pub(super) fn withdraw(&self, turn: u64) {
        if self.turn.get() == turn && self.as_of().is_none() {
            self.take_turn();
        }
    }

    /// Begins the pause of the request of this number, as of a time. Returns false if that was withdrawn.
    pub(super) fn begin(&self, turn: u64, as_of: u64) -> bool {
        let counts = self.turn.get() == turn;
        if counts {
            self.state.replace(PauseState::Since(as_of));
        }
        counts
    }

    /// Ends the pause as requested, or the request for one. Returns true if there was one.
    pub(super) fn resume(&self) -> bool {
        self.take_turn();
        matches!(self.state.take(), PauseState::Since(_))
    }

    /// Waits until the pause ends for another reason than [`Self::resume`], and returns that.
    pub(crate) async fn ended(&self) -> String {
        loop {
            let ended = self.ended.notified();
            if let PauseState::Ended(reason) = &*self.state.borrow() {
                return reason.clone();
            }
            ended.await;
        }
    }

    /// Ends it for another reason.
    pub(super) fn end(&self, reason: &str) {
        self.state.replace(PauseState::Ended(reason.to_owned()));
        self.ended.notify_waiters();
    }
}
