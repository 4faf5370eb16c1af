//! Words in a file that is mapped into memory: the next process finds the values that one process wrote there, also if the first was killed
//! in the middle. On a file system in memory that costs no I/O and ends with the host.

use std::fs::File;
use std::io;
use std::num::NonZeroUsize;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use nix::fcntl::{FallocateFlags, fallocate};
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};

/// Words that are shared with a file.
pub struct SharedWords {
    start: NonNull<AtomicU64>,
    count: usize,
    bytes: usize,
    /// Keeps the file, and any lock on it.
    file: Arc<File>,
}

// SAFETY: The mapping belongs to the process and not to a thread; it is unmapped once, by the last owner, and its content is accessed as
// atomics.
unsafe impl Send for SharedWords {}

impl SharedWords {
    /// Maps the first `count` words of a file, which grows to hold them. Its storage is taken now: later there would be
    /// no way to report that there is none.
    ///
    /// # Errors
    /// Those of the system: no room, or a file that cannot be mapped.
    pub fn map(file: File, count: usize) -> io::Result<Self> {
        Self::map_open(Arc::new(file), count)
    }

    fn map_open(file: Arc<File>, count: usize) -> io::Result<Self> {
        let bytes = NonZeroUsize::new(count * size_of::<AtomicU64>())
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no words to map"))?;
        let length = i64::try_from(bytes.get()).map_err(io::Error::other)?;
        fallocate(&file, FallocateFlags::empty(), 0, length)?;
        let (protection, flags) = (ProtFlags::PROT_READ | ProtFlags::PROT_WRITE, MapFlags::MAP_SHARED);
        // SAFETY: A new mapping at an address of the kernel's choice touches nothing that is there already.
        let start = unsafe { mmap(None, bytes, protection, flags, &file, 0) }?;
        Ok(Self { start: start.cast(), count, bytes: bytes.get(), file })
    }

    /// Returns the same words and more, up to `count`: of the same file, even if its name is another's by now.
    ///
    /// # Errors
    /// As [`Self::map`].
    pub fn larger(&self, count: usize) -> io::Result<Self> {
        Self::map_open(Arc::clone(&self.file), count)
    }

    /// Returns the words.
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: The mapping is page-aligned, as long as `count` words, readable and writable, and lives as long as
        // `self`. Its storage was taken by `map`. Others who map the file may change it at any time, which atomics allow.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.count) }
    }
}

impl Drop for SharedWords {
    fn drop(&mut self) {
        // SAFETY: The mapping was made by `map` with this length, and nothing borrows from it any more.
        let unmapped = unsafe { munmap(self.start.cast(), self.bytes) };
        if let Err(error) = unmapped {
            tracing::error!(%error, "Memory that is shared with a file cannot be given back");
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn what_is_written_is_found_by_whoever_maps_the_file_next() {
        let path = std::env::temp_dir().join(format!("forebay-words-{}", std::process::id()));
        let open =
            || File::options().read(true).write(true).create(true).truncate(false).open(&path).unwrap();
        let words = SharedWords::map(open(), 1000).unwrap();
        assert!(words.words().iter().all(|word| word.load(Ordering::Relaxed) == 0));
        words.words()[999].store(7, Ordering::Relaxed);
        drop(words);
        let words = SharedWords::map(open(), 1000).unwrap();
        assert_eq!(words.words()[999].load(Ordering::Relaxed), 7);
        let larger = words.larger(2000).unwrap();
        larger.words()[999].store(8, Ordering::Relaxed);
        assert_eq!((words.words()[999].load(Ordering::Relaxed), larger.words().len()), (8, 2000));
        assert!(SharedWords::map(open(), 0).is_err());
        std::fs::remove_file(path).unwrap();
    }
}
