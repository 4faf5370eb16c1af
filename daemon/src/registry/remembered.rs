//! State of this host, as the registry reads and changes it in `state.json`: one change after another, each durable before anybody
//! sees it, all on the thread of the store.
//!
//! A change that has begun is always finished, also if its caller gives up. Reading waits for no file system.

use base::problem::{Answer, Problem};
use base::store::NotChanged;

use crate::host_record::HostFile;
use crate::state::State;

/// The remembered state of this host.
pub(super) struct Remembered(HostFile);

impl Remembered {
    /// Returns the way to a state that is `state` in memory. If the file has another one, the next change saves it.
    pub(super) fn new(host: HostFile, state: State) -> Self {
        if host.read(|record| record.state != state) {
            host.adopt(|record| record.state = state);
        }
        Self(host)
    }

    /// Returns a copy of the state as it was saved last.
    pub(super) fn get(&self) -> State {
        self.read(State::clone)
    }

    /// Returns what `of` makes of the state as it was saved last. Changes wait for it, so it is to be short.
    pub(super) fn read<T>(&self, of: impl FnOnce(&State) -> T) -> T {
        self.0.read(|record| of(&record.state))
    }

    /// Makes a change and saves it. A change that changes nothing is not saved.
    ///
    /// # Errors
    /// Those of `change`, and if the state cannot be saved. Then everything is as before.
    pub(super) async fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&mut State) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        self.0.change(|record| change(&mut record.state)).await
    }

    /// Makes a change as [`Self::change`] does, and waits for it on this thread.
    ///
    /// # Errors
    /// As there, and whether a restart may see the change.
    pub(super) fn change_here(
        &self,
        change: impl FnOnce(&mut State) -> Answer<()> + Send + 'static,
    ) -> Result<(), NotChanged> {
        self.0.change_here(|record| change(&mut record.state))
    }

    /// Returns the file, which has more than the state.
    pub(super) fn host(&self) -> &HostFile {
        &self.0
    }
}

/// Returns an error of `change` for a disk that went meanwhile.
pub(super) fn gone(name: &str) -> Problem {
    Problem::missing(format!("There is no disk '{name}' any more"))
}
