//! Folder for the files and sockets of one run, removed at its end.
//!
//! It is in the system's folder for temporary files: set `TMPDIR` to measure another file system. One without `O_DIRECT` (tmpfs) would
//! measure RAM, and the report states that.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Counter that distinguishes the folders of one process.
static FOLDERS_MADE: AtomicU32 = AtomicU32::new(0);

/// Folder of Linux for files in memory.
const MEMORY: &str = "/dev/shm";

/// The folder. Dropping it removes it with its content.
pub(super) struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// Creates a folder; its path is short, since paths of sockets have to be.
    pub(super) fn new() -> Result<Self, String> {
        Self::within(&std::env::temp_dir())
    }

    /// Creates one in memory; returns none if this system has no place for it.
    pub(super) fn in_memory() -> Result<Option<Self>, String> {
        let place = Path::new(MEMORY);
        if place.is_dir() { Self::within(place).map(Some) } else { Ok(None) }
    }

    fn within(place: &Path) -> Result<Self, String> {
        let number = FOLDERS_MADE.fetch_add(1, Ordering::Relaxed);
        let folder = place.join(format!("forebay-bench-{}-{number}", std::process::id()));
        fs::create_dir(&folder)
            .map_err(|error| format!("Could not make the folder {}: {error}.", folder.display()))?;
        Ok(Self { folder })
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Creates a folder of this name in it.
    pub(super) fn folder(&self, name: &str) -> Result<PathBuf, String> {
        let path = self.path(name);
        match fs::create_dir(&path) {
            Ok(()) => Ok(path),
            Err(error) => Err(format!("Could not make the folder {}: {error}.", path.display())),
        }
    }

    /// Removes a folder before the run ends.
    pub(super) fn remove_folder(&self, path: &Path) -> Result<(), String> {
        assert!(path.starts_with(&self.folder), "only what is ours is removed");
        fs::remove_dir_all(path)
            .map_err(|error| format!("Could not remove the folder {}: {error}.", path.display()))
    }

    /// Creates a file of `bytes` that takes no room before it is written.
    pub(super) fn sparse_file(&self, name: &str, bytes: u64) -> Result<PathBuf, String> {
        let path = self.path(name);
        let made = File::create_new(&path).and_then(|file| file.set_len(bytes));
        made.map_err(|error| format!("Could not make the file {}: {error}.", path.display()))?;
        Ok(path)
    }

    /// Creates a file of `bytes` (whole MiB) of zeroes that are written, not only reserved.
    pub(super) fn zeroed_file(&self, name: &str, bytes: u64) -> Result<PathBuf, String> {
        let path = self.path(name);
        fill(&path, bytes, Content::Zeroes)
            .map_err(|error| format!("Could not fill the file {}: {error}.", path.display()))?;
        Ok(path)
    }

    /// Creates a file of `bytes` (whole MiB) without zeroes or repetitions, and waits until it is on the disk.
    pub(super) fn filled_file(&self, name: &str, bytes: u64) -> Result<PathBuf, String> {
        let path = self.path(name);
        fill(&path, bytes, Content::Anything)
            .map_err(|error| format!("Could not fill the file {}: {error}.", path.display()))?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            eprintln!("Could not remove the folder {}: {error}. Remove it by hand.", self.folder.display());
        }
    }
}

/// Content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Zeroes,
    /// Neither zeroes nor repetitions.
    Anything,
}

fn fill(path: &Path, bytes: u64, content: Content) -> std::io::Result<()> {
    const CHUNK: u64 = 1 << 20;
    assert!(bytes.is_multiple_of(CHUNK), "files of this tool have whole MiB, not {bytes} bytes");
    let mut file = File::create_new(path)?;
    let mut state = bytes | 1;
    let mut chunk = Vec::with_capacity(CHUNK as usize);
    for _ in 0..bytes / CHUNK {
        chunk.clear();
        while (chunk.len() as u64) < CHUNK {
            // The constants are Knuth's for a linear congruential generator of 64 bits (MMIX).
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let word = if content == Content::Zeroes { 0 } else { state };
            chunk.extend_from_slice(&word.to_le_bytes());
        }
        file.write_all(&chunk)?;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_and_its_files_are_gone_afterwards() {
        let scratch = Scratch::new().expect("there is a folder for temporary files");
        let file = scratch.filled_file("data", 2 << 20).expect("two MiB fit");
        assert_eq!(file.metadata().expect("it was made just now").len(), 2 << 20);
        drop(scratch);
        assert!(!file.exists());
    }
}
