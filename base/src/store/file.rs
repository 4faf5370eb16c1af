//! Stored files: a value in memory, and the file with the same value.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::descriptors::advice_or;
use crate::error::{Error, Result};
use tokio::sync::oneshot;

use super::{Source, Store, Writing, lock, path};
use crate::durable::NotReplaced;

/// Value that is stored in a file of DIR.
pub trait StoredValue: Clone + PartialEq + Send + 'static {
    /// Name of the file, and of its second copy if it has one.
    const NAMES: &'static [&'static str];

    /// Returns the content of the file.
    fn text(&self) -> Vec<u8>;

    /// Checks that the next start can read the file. A change with another result is a fault of this program.
    ///
    /// # Errors
    /// The fault.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Value as it is durable in its file, and the way to change it. Clones share the value.
pub struct StoredFile<T: StoredValue>(Arc<Inner<T>>);

struct Inner<T> {
    store: Store,
    /// The durable value. Locked briefly only.
    value: Mutex<T>,
    /// Changes that wait to be written.
    waiting: Mutex<Vec<Change<T>>>,
    /// True if the file differs from `value`; the next change then writes it, even if it changes nothing.
    is_stale: AtomicBool,
}

/// Applies one change; returns its answer, which waits for the outcome of writing.
type Change<T> = Box<dyn FnOnce(&mut T) -> Settle + Send>;
type Settle = Box<dyn FnOnce(Result<(), NotSaved>) + Send>;

/// Reason why a value was not saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotSaved {
    reason: String,
    /// True if a restart may see the new value all the same.
    pub in_place: bool,
}

/// Reason why a value was not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotChanged {
    /// The change itself failed.
    Refused(Error),
    /// It could not be saved.
    Unsaved(NotSaved),
}

impl<T: StoredValue> Clone for StoredFile<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: StoredValue> StoredFile<T> {
    /// Returns the thread that writes the file.
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// Creates the file of a value that is in its file already, or that a missing file stands for.
    pub fn new(store: &Store, value: T) -> Self {
        let (value, waiting) = (Mutex::new(value), Mutex::default());
        Self(Arc::new(Inner { store: store.clone(), value, waiting, is_stale: AtomicBool::new(false) }))
    }

    /// Changes the value in memory alone, if the file differs from it, because it could not be replaced or was read in another form. The
    /// next change saves it. To be called without concurrent changes.
    pub fn adopt(&self, change: impl FnOnce(&mut T)) {
        change(&mut lock(&self.0.value));
        self.0.is_stale.store(true, Ordering::Relaxed);
    }

    /// Returns the result of `of` for the value. It must be short, because changes wait for it.
    pub fn read<R>(&self, of: impl FnOnce(&T) -> R) -> R {
        of(&lock(&self.0.value))
    }

    /// Changes the value durably. It is not visible before, and a change that has begun completes even if the caller stops waiting. Writes
    /// nothing if the value stays the same.
    ///
    /// # Errors
    /// Those of `change`, and if the value cannot be saved. Then nothing has changed.
    pub async fn change<R: Send + 'static>(
        &self,
        change: impl FnOnce(&mut T) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let answer = self.submit(change).await.expect(NO_PANIC);
        answer.map_err(NotChanged::into_problem)
    }

    /// Changes the value as [`Self::change`] does, and waits for it on this thread.
    ///
    /// # Errors
    /// As there.
    pub fn change_here<R: Send + 'static>(
        &self,
        change: impl FnOnce(&mut T) -> Result<R> + Send + 'static,
    ) -> Result<R, NotChanged> {
        self.submit(change).blocking_recv().expect(NO_PANIC)
    }

    fn submit<R: Send + 'static>(
        &self,
        change: impl FnOnce(&mut T) -> Result<R> + Send + 'static,
    ) -> oneshot::Receiver<Result<R, NotChanged>> {
        let (done, answer) = oneshot::channel();
        let change = move |value: &mut T| -> Settle {
            let mut changed = value.clone();
            let answer = change(&mut changed);
            if answer.is_ok() {
                assert_eq!(changed.check(), Ok(()), "a value that could not be loaded again is never saved");
                *value = changed;
            }
            Box::new(move |saved| {
                let answer = answer.map_err(NotChanged::Refused);
                drop(
                    done.send(answer.and_then(|answer| saved.map(|()| answer).map_err(NotChanged::Unsaved))),
                );
            })
        };
        lock(&self.0.waiting).push(Box::new(change));
        self.0.store.submit(Arc::<Inner<T>>::clone(&self.0));
        answer
    }
}

/// Reason why there is always an answer.
const NO_PANIC: &str = "a change of what is stored does not panic";

impl<T: StoredValue> Source for Inner<T> {
    fn names(&self) -> &'static [&'static str] {
        T::NAMES
    }

    fn take(self: Arc<Self>) -> Option<Writing> {
        let waiting = mem::take(&mut *lock(&self.waiting));
        let before = lock(&self.value).clone();
        let mut value = before.clone();
        // A panic of one change reaches its caller only, and leaves the value to the others.
        let apply = |change: Change<T>| catch_unwind(AssertUnwindSafe(|| change(&mut value))).ok();
        let settle: Vec<Settle> = waiting.into_iter().filter_map(apply).collect();
        let was_stale = self.is_stale.swap(false, Ordering::Relaxed);
        if value == before && !was_stale || settle.is_empty() {
            self.is_stale.fetch_or(was_stale, Ordering::Relaxed);
            for settle in settle {
                settle(Ok(()));
            }
            return None;
        }
        Some(Writing {
            names: T::NAMES,
            text: value.text(),
            undo: Some(Box::new(move || before.text())),
            settle: Box::new(move |replaced| {
                let saved = replaced.map_err(|not| NotSaved::of(&path(self.store.dir(), T::NAMES), &not));
                match &saved {
                    Ok(()) => *lock(&self.value) = value,
                    // The content in place differs from the value in memory.
                    Err(not) => drop(self.is_stale.fetch_or(was_stale || not.in_place, Ordering::Relaxed)),
                }
                for settle in settle {
                    settle(saved.clone());
                }
            }),
        })
    }
}

impl NotSaved {
    fn of(path: &Path, not: &NotReplaced) -> Self {
        let advice = advice_or(&not.error, "make room or repair its file system");
        let reason = format!("Cannot save {}: {}; {advice}, then try again", path.display(), not.error);
        Self { reason, in_place: not.in_place }
    }

    /// Returns the error for the caller of the change.
    pub fn into_problem(self) -> Error {
        let left = if self.in_place { " (a restart may already see the change)" } else { "" };
        Error::failed(format!("{}{left}", self.reason))
    }
}

impl NotChanged {
    /// Returns the error for the caller of the change.
    pub fn into_problem(self) -> Error {
        match self {
            Self::Refused(problem) => problem,
            Self::Unsaved(not) => not.into_problem(),
        }
    }
}
