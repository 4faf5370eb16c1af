//! Store of the daemon's small files in DIR: one thread replaces them, and answers when the new content is durable.
//!
//! ```text
//!   change(closure) ─┐            all changes that wait for one file: one new content
//!   replace(bytes)  ─┴─ queue ──> thread "store" ── NAME.new, synced ── renamed ── folder synced once ── answers
//! ```
//! Changes and replacements that arrive while the thread writes are written together. Only this thread waits for a file system; a caller
//! that stops waiting cancels nothing. A failed write leaves the old content in memory and in the file, and the next one tries again.
//! Values that must agree are in one file (`state.json`).
//!
//! **Reasons for plain files instead of an embedded database.** redb 4.6 was measured for this, with its checks on opening and two-phase
//! commits. It cannot keep what these files keep:
//! - *A copy of DIR made while the daemon runs.* 98 of 100 slow copies of a database of 320 KiB, under a commit each millisecond,
//!   could not be opened ("Primary is corrupted"). Each of these files is a whole one in every copy.
//! - *Rot.* A flipped bit in any live byte (24 % of the file) costs the whole database; without the check, 15 % of the flips
//!   gave wrong values, and some a panic. Here it costs the one file; `state.json` has a second copy.
//! - *A full or read-only DIR.* Opening writes: with no room on btrfs, and on a read-only file system after a crash, it fails. A start
//!   reads these files all the same, and serves disks.
//! - *Readers beside the daemon*: `forebay check`, the scripts of the package, and administrators.
//!
//! A second readable copy of each value would solve all four, and would be these files. A commit there took 0.2 ms; replacing 350 KB here,
//! the state of 500 disks, took 0.6 ms.

mod file;
pub mod format;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::error::{Error, Result};
use tokio::sync::oneshot;

use crate::durable::{self, NewFile, NotReplaced};

pub use file::{NotChanged, StoredFile, StoredValue};

/// Handle of the thread that writes the files of one DIR. The thread ends when the last clone is gone and everything is written.
#[derive(Clone)]
pub struct Store {
    dir: Arc<Path>,
    queue: Sender<Arc<dyn Source>>,
}

/// Source of new content for files.
trait Source: Send + Sync {
    /// Returns the names of the files.
    fn names(&self) -> &'static [&'static str];

    /// Takes the new content, if there is any that was not taken yet. To be called once the outcome of the last one is settled.
    fn take(self: Arc<Self>) -> Option<Writing>;
}

/// New content of files that are replaced together, the first of them first.
struct Writing {
    names: &'static [&'static str],
    text: Vec<u8>,
    /// Returns the earlier content, which replaces the new one again if that is in place and not durable.
    undo: Option<Box<dyn FnOnce() -> Vec<u8> + Send>>,
    /// Takes the outcome.
    settle: Box<dyn FnOnce(Result<(), NotReplaced>) + Send>,
}

/// Replacement of a file that is not changed by parts.
struct Replacement {
    names: &'static [&'static str],
    writing: Mutex<Option<Writing>>,
}

impl Source for Replacement {
    fn names(&self) -> &'static [&'static str] {
        self.names
    }

    fn take(self: Arc<Self>) -> Option<Writing> {
        lock(&self.writing).take()
    }
}

impl Store {
    /// Starts the thread for `dir`.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(dir: &Path) -> Result<Self> {
        let dir: Arc<Path> = dir.into();
        let (queue, sources) = channel();
        let folder = Arc::clone(&dir);
        thread::Builder::new().name("store".to_owned()).spawn(move || serve(&folder, &sources)).map_err(
            |error| {
                Error::failed(format!("Cannot start the thread that writes DIR: {error}; free some memory"))
            },
        )?;
        Ok(Self { dir, queue })
    }

    /// Returns the folder of the files.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Replaces a file, after all earlier requests. Completes even if the caller stops waiting.
    ///
    /// # Errors
    /// The error of the system, and which content is in place.
    pub async fn replace(&self, names: &'static [&'static str], text: Vec<u8>) -> Result<(), NotReplaced> {
        let (done, outcome) = oneshot::channel();
        let settle = Box::new(move |replaced| drop(done.send(replaced)));
        let writing = Writing { names, text, undo: None, settle };
        self.submit(Arc::new(Replacement { names, writing: Mutex::new(Some(writing)) }));
        outcome.await.expect("the thread of the store takes what is submitted, and does not panic")
    }

    fn submit(&self, source: Arc<dyn Source>) {
        self.queue.send(source).expect("the thread of the store ends after the last handle");
    }
}

/// Runs the thread: takes everything that waits, and writes it.
fn serve(dir: &Path, sources: &Receiver<Arc<dyn Source>>) {
    while let Ok(first) = sources.recv() {
        let mut batch: Vec<Writing> = Vec::new();
        for source in std::iter::once(first).chain(sources.try_iter()) {
            // A later content of the same file is based on the one before, and is written after it.
            if batch.iter().any(|other| other.names == source.names()) {
                write(dir, std::mem::take(&mut batch));
            }
            batch.extend(source.take());
        }
        write(dir, batch);
    }
}

/// Writes a batch and reports the outcomes.
fn write(dir: &Path, batch: Vec<Writing>) {
    let groups: Vec<Vec<NewFile<'_>>> =
        batch.iter().map(|writing| group(writing.names, &writing.text)).collect();
    let groups: Vec<&[NewFile<'_>]> = groups.iter().map(Vec::as_slice).collect();
    let replaced = durable::replace_groups(dir, &groups);
    for (replaced, Writing { names, undo, settle, .. }) in replaced.into_iter().zip(batch) {
        settle(replaced.map_err(|not| match undo {
            Some(undo) if not.in_place => {
                let undone = durable::replace_groups(dir, &[&group(names, &undo())]);
                NotReplaced { in_place: undone.iter().any(Result::is_err), ..not }
            }
            _ => not,
        }));
    }
}

fn group<'a>(names: &[&'static str], text: &'a [u8]) -> Vec<NewFile<'a>> {
    names.iter().map(|name| (*name, text)).collect()
}

/// Returns the path of a file in DIR for a message.
fn path(dir: &Path, names: &[&str]) -> PathBuf {
    dir.join(names[0])
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Values behind these locks are replaced as a whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
