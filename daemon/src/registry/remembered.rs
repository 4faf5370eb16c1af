//! `state.json` and the way to change it: one change after another, each durable before anybody sees it.
//!
//! ```text
//!   change ── a copy of what is remembered ── saved on a thread that may wait for the file system ── takes its place
//! ```
//! A change that has begun is always finished, whoever asked for it may give up. Reading waits for no file system.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::problem::{Answer, Problem};
use crate::state::{NotSaved, State};

/// The remembered state of this host. Clones are of the same.
#[derive(Clone)]
pub(super) struct Remembered(Arc<Inner>);

struct Inner {
    /// The folder of the file.
    dir: PathBuf,
    /// State as it was saved last. Locked for moments only.
    state: Mutex<State>,
    /// Held while a change is made and saved; before `state`.
    changing: Mutex<()>,
}

impl Remembered {
    /// Returns the way to a state that stands in the file of `dir`, or is about to be saved there.
    pub(super) fn new(dir: &Path, state: State) -> Self {
        let inner = Inner { dir: dir.to_owned(), state: Mutex::new(state), changing: Mutex::default() };
        Self(Arc::new(inner))
    }

    /// Returns a copy of the state as it was saved last.
    pub(super) fn get(&self) -> State {
        self.read(State::clone)
    }

    /// Returns what `of` makes of the state as it was saved last. To be called with something short: changes wait for it.
    pub(super) fn read<T>(&self, of: impl FnOnce(&State) -> T) -> T {
        of(&lock(&self.0.state))
    }

    /// Makes a change and saves it, on a thread that may wait. A change that changes nothing is not saved.
    ///
    /// # Errors
    /// Those of `change`, and if the state cannot be saved. Then everything is as before.
    pub(super) async fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&mut State) -> Answer<T> + Send + 'static,
    ) -> Answer<T> {
        let remembered = self.clone();
        let changing = tokio::task::spawn_blocking(move || remembered.change_here(change));
        changing.await.expect("changing what is remembered does not panic")
    }

    /// The same on this thread, which may wait.
    fn change_here<T>(&self, change: impl FnOnce(&mut State) -> Answer<T>) -> Answer<T> {
        let (answer, saved) = self.change_with(change, |_, changed| changed.save_or_say(&self.0.dir))?;
        saved.map_err(NotSaved::into_problem)?;
        Ok(answer)
    }

    /// Makes a change on this thread, which may wait, and saves it by `save`, which gets the state before and the one after. What
    /// is seen from then on is the new state if that succeeds. Returns what both returned.
    ///
    /// # Errors
    /// Those of `change`; then `save` is not called.
    pub(super) fn change_with<T, E>(
        &self,
        change: impl FnOnce(&mut State) -> Answer<T>,
        save: impl FnOnce(&State, &State) -> Result<(), E>,
    ) -> Answer<(T, Result<(), E>)> {
        let _changing = lock(&self.0.changing);
        let before = self.get();
        let mut changed = before.clone();
        let answer = change(&mut changed)?;
        if changed == before {
            return Ok((answer, Ok(())));
        }
        let saved = save(&before, &changed);
        if saved.is_ok() {
            *lock(&self.0.state) = changed;
        }
        Ok((answer, saved))
    }

    /// Returns the folder of the file.
    pub(super) fn dir(&self) -> &Path {
        &self.0.dir
    }
}

/// Returns an error of `change` for a disk that went meanwhile.
pub(super) fn gone(name: &str) -> Problem {
    Problem::missing(format!("There is no disk '{name}' any more"))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A state is replaced as a whole: it is one that was saved, also if a change panicked.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::mpsc::channel;

    use super::*;
    use crate::state::STATE_FILE;
    use crate::testing::TempDir;

    fn saved(dir: &TempDir) -> State {
        State::load(dir.path()).expect("it was saved")
    }

    fn run<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.expect("a runtime for one thread").block_on(future)
    }

    #[test]
    fn changes_side_by_side_are_all_saved_and_none_undoes_another() {
        let dir = TempDir::new();
        let remembered = Remembered::new(dir.path(), State::default());
        let numbers = run(async {
            let take = || remembered.change(|state| Ok(state.take_disk_number()));
            let all: Vec<_> = (0..20).map(|_| take()).collect();
            futures_util::future::join_all(all).await
        });
        let mut numbers: Vec<u32> =
            numbers.into_iter().map(|number| number.expect("the folder is ours")).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 20, "each has its own");
        assert_eq!(saved(&dir), remembered.get());
    }

    #[test]
    fn a_change_that_cannot_be_saved_is_none() {
        let dir = TempDir::new();
        let remembered = Remembered::new(&dir.path().join("missing"), State::default());
        let refused = run(remembered.change(|state| Ok(state.take_disk_number())));
        assert!(refused.expect_err("there is no folder").message.contains("Cannot save"));
        assert_eq!(remembered.get(), State::default());
    }

    #[test]
    fn a_change_that_fails_or_changes_nothing_writes_nothing() {
        let dir = TempDir::new();
        let remembered = Remembered::new(dir.path(), State::default());
        let refused: Answer<()> = run(remembered.change(|state| {
            state.take_disk_number();
            Err(gone("web"))
        }));
        assert_eq!(refused, Err(gone("web")));
        assert_eq!(run(remembered.change(|_| Ok(7))), Ok(7));
        assert!(!dir.path().join(STATE_FILE).exists());
        assert_eq!(remembered.get(), State::default());
    }

    #[test]
    fn a_change_whose_asker_has_given_up_is_finished_and_seen() {
        let dir = TempDir::new();
        let remembered = Remembered::new(dir.path(), State::default());
        let (begun, has_begun) = channel();
        run(async {
            let change = remembered.change(move |state| {
                begun.send(()).expect("somebody listens");
                Ok(state.take_disk_number())
            });
            // Asked once, and never again.
            drop(futures_util::future::poll_immediate(Box::pin(change)).await);
        });
        has_begun.recv().expect("it was begun");
        // The next change waits for it.
        run(remembered.change(|state| Ok(state.take_disk_number()))).expect("the folder is ours");
        assert_eq!(saved(&dir).take_disk_number(), State::default().take_disk_number() + 2);
        fs::remove_file(dir.path().join(STATE_FILE)).expect("it was saved");
    }
}
