//! Temporary folders for unit tests, and processes that die between two durable steps: for this crate and those above (feature `testing`).

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

static MADE: AtomicU32 = AtomicU32::new(0);

/// An empty folder, removed when it is dropped.
#[derive(Debug)]
pub struct TempDir(PathBuf);

impl TempDir {
    /// Creates a folder of a new name where the system keeps temporary files.
    ///
    /// # Panics
    /// If it cannot be created.
    #[expect(clippy::new_without_default, reason = "it makes a folder")]
    pub fn new() -> Self {
        Self::within(&std::env::temp_dir())
    }

    /// Creates a folder in RAM, for tests that sync often; elsewhere on a system without a place for it.
    ///
    /// # Panics
    /// If it cannot be created.
    pub fn in_ram() -> Self {
        let shared_memory = Path::new("/dev/shm");
        if shared_memory.is_dir() { Self::within(shared_memory) } else { Self::new() }
    }

    fn within(parent: &Path) -> Self {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("forebay-unit-{}-{number}", std::process::id()));
        std::fs::create_dir(&path).expect("temporary folders can be made");
        Self(path)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).expect("the folder is ours");
    }
}

/// Remaining durable steps, by the folder below which they are done.
static STEPS_LEFT: Mutex<BTreeMap<PathBuf, u32>> = Mutex::new(BTreeMap::new());
/// Remaining durable steps before one that fails, and none after it, by folder.
static STEPS_BEFORE_FAILURE: Mutex<BTreeMap<PathBuf, u32>> = Mutex::new(BTreeMap::new());

/// Makes work below `folder` die after so many durable steps, or continue if there is no number. Returns true if it has died by the
/// previous number.
pub fn die_after(folder: &Path, steps: Option<u32>) -> bool {
    let mut left = STEPS_LEFT.lock().unwrap_or_else(PoisonError::into_inner);
    let before = left.remove(folder);
    left.extend(steps.map(|steps| (folder.to_owned(), steps)));
    before == Some(0)
}

/// Makes one durable step below `folder` fail, after so many that succeed.
pub fn fail_after(folder: &Path, steps: u32) {
    let mut left = STEPS_BEFORE_FAILURE.lock().unwrap_or_else(PoisonError::into_inner);
    left.insert(folder.to_owned(), steps);
}

/// Counts a durable step at `path` that is about to be done.
///
/// # Errors
/// If the process is dead: nothing is done any more; or if this step is to fail.
pub fn survive(path: &Path) -> io::Result<()> {
    let mut all = STEPS_BEFORE_FAILURE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = all.keys().find(|folder| path.starts_with(folder)).cloned();
    if let Some(left) = folder.and_then(|folder| all.remove_entry(&folder)) {
        match left {
            (_, 0) => return Err(io::Error::other("this step fails")),
            (folder, left) => drop(all.insert(folder, left - 1)),
        }
    }
    drop(all);
    let mut all = STEPS_LEFT.lock().unwrap_or_else(PoisonError::into_inner);
    match all.iter_mut().find(|(folder, _)| path.starts_with(folder)) {
        Some((_, 0)) => Err(io::Error::other("this process is dead")),
        Some((_, left)) => {
            *left -= 1;
            Ok(())
        }
        None => Ok(()),
    }
}

/// Runs a future to its end on this thread.
pub fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.expect("a runtime for one thread").block_on(future)
}
