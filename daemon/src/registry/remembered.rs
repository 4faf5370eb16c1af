//! State of this host, as the registry reads and changes it in `state.json`: one change after another, each
//! durable before it is visible, all on the thread of the store.
//!
//! A change that has begun is always finished, also if its caller stops waiting. Reads wait for no file
//! system.

use base::error::{Error, Result};
use base::store::NotChanged;

use crate::host_record::HostFile;
use crate::state::State;

/// The durable state of this host.
pub(super) struct DurableState(HostFile);

impl DurableState {
    /// Returns access to a state that is `state` in memory. If the file differs, the next change saves it.
    pub(super) fn new(host: HostFile, state: State) -> Self {
        if host.read(|record| record.state != state) {
            host.adopt(|record| record.state = state);
        }
        Self(host)
    }

    /// Returns a copy of the state that was saved last.
    pub(super) fn get(&self) -> State {
        self.read(State::clone)
    }

    /// Returns the result of `of` for the state that was saved last. Changes wait for it, so it must be
    /// short.
    pub(super) fn read<T>(&self, of: impl FnOnce(&State) -> T) -> T {
        self.0.read(|record| of(&record.state))
    }

    /// Makes a change and saves it. Without a difference nothing is saved.
    ///
    /// # Errors
    /// Errors of `change`, and if the state cannot be saved. Then everything is as before.
    pub(super) async fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&mut State) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.0.change(|record| change(&mut record.state)).await
    }

    /// Makes a change as [`Self::change`] does, and blocks this thread until it is saved.
    ///
    /// # Errors
    /// As there, and whether a restart may see the change.
    pub(super) fn change_here(
        &self,
        change: impl FnOnce(&mut State) -> Result<()> + Send + 'static,
    ) -> Result<(), NotChanged> {
        self.0.change_here(|record| change(&mut record.state))
    }

    /// Returns the file, which has more than the state.
    pub(super) fn host(&self) -> &HostFile {
        &self.0
    }
}

/// Returns an error of `change` for a disk that was removed meanwhile.
pub(super) fn gone(name: &str) -> Error {
    Error::missing(format!("There is no disk '{name}' any more"))
}
