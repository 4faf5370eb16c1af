//! Temporary folders for unit tests, of this crate and of those above (feature `testing`).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

static MADE: AtomicU32 = AtomicU32::new(0);

/// An empty folder, removed when it is dropped.
#[derive(Debug)]
pub struct TempDir(PathBuf);

impl TempDir {
    /// Makes a folder of a new name where the system keeps temporary files.
    ///
    /// # Panics
    /// If it cannot be made.
    #[expect(clippy::new_without_default, reason = "it makes a folder")]
    pub fn new() -> Self {
        Self::within(&std::env::temp_dir())
    }

    /// Makes a folder in RAM, for tests that sync all the time; elsewhere on a system that has no place for it.
    ///
    /// # Panics
    /// If it cannot be made.
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
