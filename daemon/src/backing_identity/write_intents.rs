//! `RUN/touched/ID`: one bit for each page of a disk, in memory that outlives the process but not the host.
//!
//! ```text
//! word 0      magic; 0 while the bits are not valid yet
//! words 1, 2  boot of the host
//! word 3      mark of the start that the bits belong to
//! word 4      bytes of the disk, at most
//! word 512    the first 64 pages
//! ```
//! The bits count only if the host was not booted since, and if no start of the pool in between ignored them.
//! If a process was killed while its disk was about to grow, there may be more bits than needed. If the file
//! cannot be made, a kill costs as much cached content as a power failure.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use base::error::{Error, Result};
use base::memory::MemoryFolders;
use base::units::Size;
use block::SharedWords;
use cache::{SharedBits, words_for};

const MAGIC: u64 = u64::from_le_bytes(*b"FBYTOUCH");
const HEADER_WORDS: usize = 512;
/// Memory for bits that needs no check: that of a disk of 2 TiB.
const MEMORY_UNASKED: u64 = 64 << 20;

/// The bits of one disk.
pub(crate) struct WriteIntentBitmap {
    words: BitmapMemory,
    mark: u64,
}

enum BitmapMemory {
    Shared(SharedWords),
    /// Memory without a file.
    Own(Box<[AtomicU64]>),
}

impl SharedBits for WriteIntentBitmap {
    fn words(&self) -> &[AtomicU64] {
        &self.all()[HEADER_WORDS..]
    }
}

impl WriteIntentBitmap {
    /// Returns the bits of a disk, and whether they are those of the last process. If not, all are zero and
    /// not valid until [`Self::validate`]. A file that cannot be used is removed: the next start would trust
    /// it, though it is outdated.
    ///
    /// # Errors
    /// If such a file cannot be removed.
    pub(super) fn open(dir: &Path, id: u32, disk_bytes: u64, mark: u64) -> Result<(Self, bool)> {
        let count = HEADER_WORDS + words_for(disk_bytes);
        match map(&file(dir, id), count) {
            Ok(shared) => {
                let touched = Self { words: BitmapMemory::Shared(shared), mark };
                if touched.is_valid(disk_bytes) {
                    return Ok((touched, true));
                }
                touched
                    .all()
                    .iter()
                    .filter(|word| word.load(Ordering::Relaxed) != 0)
                    .for_each(|word| word.store(0, Ordering::Relaxed));
                touched.all()[4].store(disk_bytes, Ordering::Relaxed);
                Ok((touched, false))
            }
            Err(error) => {
                let path = file(dir, id);
                let shown = path.display();
                match fs::remove_file(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(Error::failed(format!(
                            "Cannot note which pages of disk {id} change: {shown} can neither be used nor removed ({error}); remove it"
                        )));
                    }
                    _ => tracing::warn!(
                        "Cannot use {shown}: {error}; after a kill, more of disk {id}'s cache is lost than need be"
                    ),
                }
                let own = (0..count).map(|_| AtomicU64::new(0)).collect();
                Ok((Self { words: BitmapMemory::Own(own), mark }, false))
            }
        }
    }

    /// Refuses a disk for whose bits there is no memory: they are allocated from the beginning, with or
    /// without a file.
    ///
    /// # Errors
    /// With the needed and the available memory.
    pub(super) fn check_memory(dir: &Path, id: u32, disk_bytes: u64) -> Result<()> {
        let needed = ((HEADER_WORDS + words_for(disk_bytes)) * size_of::<AtomicU64>()) as u64;
        let taken = fs::metadata(file(dir, id)).map_or(0, |about| about.len());
        let more = needed.saturating_sub(taken);
        match MemoryFolders::default().available().filter(|available| more > available.bytes / 2) {
            Some(available) if more > MEMORY_UNASKED => Err(Error::unavailable(format!(
                "Cannot serve a disk of {}: to note which of its pages change takes {} of memory, and {available}, of which at most half \
                 is for one disk; give the host more, or serve a smaller disk",
                Size(disk_bytes),
                Size(more)
            ))),
            _ => Ok(()),
        }
    }

    /// Returns bits for a disk that is about to have `disk_bytes`: those of `before` in the same memory, and
    /// more. If that has no file, they are copied once [`Self::follow`] is called.
    ///
    /// # Errors
    /// If there is no memory for them; then everything is as before.
    pub(super) fn larger(before: &Self, disk_bytes: u64) -> io::Result<Self> {
        let count = HEADER_WORDS + words_for(disk_bytes);
        let words = match &before.words {
            BitmapMemory::Own(_) => BitmapMemory::Own((0..count).map(|_| AtomicU64::new(0)).collect()),
            BitmapMemory::Shared(shared) => {
                // Not by its name: if it was removed meanwhile, a new file would begin with zeroes.
                let larger = shared.larger(count)?;
                // Bits of an earlier attempt are cleared. They are stored before the size: a kill in between
                // leaves fewer.
                for word in &larger.words()[shared.words().len()..] {
                    word.store(0, Ordering::Relaxed);
                }
                larger.words()[4].store(disk_bytes, Ordering::Release);
                BitmapMemory::Shared(larger)
            }
        };
        Ok(Self { words, mark: before.mark })
    }

    /// Copies the bits of `before`, if they are in other memory. Must be in the step in which these bits
    /// replace them.
    pub(super) fn follow(&self, before: &Self) {
        if let BitmapMemory::Own(words) = &self.words {
            for (word, before) in words.iter().zip(before.all()) {
                word.store(before.load(Ordering::Relaxed), Ordering::Relaxed);
            }
        }
    }

    /// Marks the bits as valid from now on.
    pub(super) fn validate(&self) {
        let words = self.all();
        let boot = boot();
        words[1].store(boot as u64, Ordering::Relaxed);
        words[2].store((boot >> 64) as u64, Ordering::Relaxed);
        words[3].store(self.mark, Ordering::Relaxed);
        words[0].store(MAGIC, Ordering::Release);
    }

    /// Takes over the bits of the previous start, including those of disks that are not attached yet. Removes
    /// all others.
    pub(crate) fn take_over(dir: &Path, last_mark: u64, mark: u64) {
        let Ok(entries) = fs::read_dir(dir) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            let taken = map(&path, HEADER_WORDS).is_ok_and(|header| {
                let words = header.words();
                let valid = words[0].load(Ordering::Relaxed) == MAGIC
                    && is_this_boot(words)
                    && words[3].load(Ordering::Relaxed) == last_mark;
                if valid {
                    words[3].store(mark, Ordering::Relaxed);
                }
                valid
            });
            if !taken && let Err(error) = fs::remove_file(&path) {
                tracing::warn!("Cannot remove {}, which is out of date: {error}", path.display());
            }
        }
    }

    /// Returns the bits that the start with this mark left, if they are valid. Changes nothing.
    pub(super) fn peek(dir: &Path, id: u32, disk_bytes: u64, mark: u64) -> Option<Box<[AtomicU64]>> {
        let needed = HEADER_WORDS + words_for(disk_bytes);
        let mut bytes = Vec::new();
        let bits = File::open(file(dir, id)).ok()?.take((needed * size_of::<AtomicU64>()) as u64);
        BufReader::new(bits).read_to_end(&mut bytes).ok()?;
        let (words, _) = bytes.as_chunks::<8>();
        let words: Box<[AtomicU64]> =
            words.iter().map(|word| AtomicU64::new(u64::from_ne_bytes(*word))).collect();
        if words.len() < needed {
            return None;
        }
        let own = Self { words: BitmapMemory::Own(words), mark };
        let bits = || own.words().iter().map(|word| AtomicU64::new(word.load(Ordering::Relaxed))).collect();
        own.is_valid(disk_bytes).then(bits)
    }

    /// Removes the bits of a disk.
    pub(super) fn forget(dir: &Path, id: u32) {
        drop(fs::remove_file(file(dir, id)));
    }

    fn is_valid(&self, disk_bytes: u64) -> bool {
        let words = self.all();
        words[0].load(Ordering::Acquire) == MAGIC
            && is_this_boot(words)
            && words[3].load(Ordering::Relaxed) == self.mark
            && words[4].load(Ordering::Acquire) >= disk_bytes
    }

    fn all(&self) -> &[AtomicU64] {
        match &self.words {
            BitmapMemory::Shared(shared) => shared.words(),
            BitmapMemory::Own(own) => own,
        }
    }
}

fn map(path: &Path, count: usize) -> io::Result<SharedWords> {
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
    SharedWords::map(file, count)
}

fn is_this_boot(words: &[AtomicU64]) -> bool {
    let low = u128::from(words[1].load(Ordering::Relaxed));
    let stored = low | u128::from(words[2].load(Ordering::Relaxed)) << 64;
    stored == boot() && stored != 0
}

/// Returns an identity of this boot of the host; 0 if it is unknown.
fn boot() -> u128 {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    u128::from_str_radix(&text.trim().replace('-', ""), 16).unwrap_or(0)
}

fn file(dir: &Path, id: u32) -> PathBuf {
    dir.join(id.to_string())
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    const SIZE: u64 = 1 << 20;

    fn open(dir: &Path, id: u32, disk_bytes: u64, mark: u64) -> (WriteIntentBitmap, bool) {
        WriteIntentBitmap::open(dir, id, disk_bytes, mark).expect("the folder is ours")
    }

    #[test]
    fn a_file_that_cannot_be_used_is_gone_before_bits_change_elsewhere() {
        let dir = TempDir::new();
        // A link to itself cannot be opened.
        std::os::unix::fs::symlink(file(dir.path(), 1), file(dir.path(), 1)).expect("the folder is ours");
        let (touched, kept) = open(dir.path(), 1, SIZE, 10);
        assert!(!kept && matches!(touched.words, BitmapMemory::Own(_)));
        assert!(fs::symlink_metadata(file(dir.path(), 1)).is_err(), "the next start would believe it");
        fs::create_dir(file(dir.path(), 2)).expect("the folder is ours");
        let Err(problem) = WriteIntentBitmap::open(dir.path(), 2, SIZE, 10) else { panic!("it stays") };
        assert!(problem.message.contains("can neither be used nor removed"), "{problem}");
    }

    #[test]
    fn bits_outlive_whoever_set_them_if_the_next_start_takes_them_over() {
        let dir = TempDir::new();
        let (touched, kept) = open(dir.path(), 1, SIZE, 10);
        assert!(!kept);
        touched.words()[3].store(5, Ordering::Relaxed);
        touched.validate();
        drop(touched);
        WriteIntentBitmap::take_over(dir.path(), 10, 11);
        let (touched, kept) = open(dir.path(), 1, SIZE, 11);
        assert!(kept);
        assert_eq!(touched.words()[3].load(Ordering::Relaxed), 5);
        let peeked = WriteIntentBitmap::peek(dir.path(), 1, SIZE, 11).expect("they count for a check too");
        assert_eq!(peeked[3].load(Ordering::Relaxed), 5);
        assert!(WriteIntentBitmap::peek(dir.path(), 1, SIZE, 10).is_none(), "of another start");
        assert!(WriteIntentBitmap::peek(dir.path(), 1, 2 * SIZE, 11).is_none(), "of another size");
    }

    #[test]
    fn bits_of_a_disk_that_grew_or_did_not_are_what_was_set() {
        for grew in [true, false] {
            let dir = TempDir::new();
            let (touched, _) = open(dir.path(), 1, SIZE, 10);
            touched.words()[3].store(5, Ordering::Relaxed);
            touched.validate();
            let larger = WriteIntentBitmap::larger(&touched, 64 * SIZE).expect("there is room");
            larger.follow(&touched);
            touched.words()[4].store(6, Ordering::Relaxed);
            assert_eq!([3, 4].map(|at| larger.words()[at].load(Ordering::Relaxed)), [5, 6]);
            larger.words()[words_for(64 * SIZE) - 1].store(7, Ordering::Relaxed);
            drop((touched, larger));
            WriteIntentBitmap::take_over(dir.path(), 10, 11);
            let size = if grew { 64 * SIZE } else { SIZE };
            let (touched, kept) = open(dir.path(), 1, size, 11);
            assert!(kept, "a kill after the new size was remembered, and before");
            assert_eq!([3, 4].map(|at| touched.words()[at].load(Ordering::Relaxed)), [5, 6]);
            let again = WriteIntentBitmap::larger(&touched, 128 * SIZE).expect("there is room");
            let last = again.words()[words_for(64 * SIZE) - 1].load(Ordering::Relaxed);
            assert_eq!(
                last,
                if grew { 7 } else { 0 },
                "what an attempt left that came to nothing counts for nobody"
            );
        }
    }

    #[test]
    fn bits_whose_file_was_removed_are_not_forgotten_by_a_disk_that_grows() {
        let dir = TempDir::new();
        let (touched, _) = open(dir.path(), 1, SIZE, 10);
        touched.words()[3].store(5, Ordering::Relaxed);
        touched.validate();
        WriteIntentBitmap::forget(dir.path(), 1);
        let larger = WriteIntentBitmap::larger(&touched, 64 * SIZE).expect("there is room");
        larger.follow(&touched);
        touched.words()[4].store(6, Ordering::Relaxed);
        assert_eq!([3, 4].map(|at| larger.words()[at].load(Ordering::Relaxed)), [5, 6]);
        drop((touched, larger));
        WriteIntentBitmap::take_over(dir.path(), 10, 11);
        let (_, kept) = open(dir.path(), 1, 64 * SIZE, 11);
        assert!(!kept, "the next start finds none, and believes less");
    }

    #[test]
    fn bits_without_a_file_follow_in_one_step() {
        let own = |count| BitmapMemory::Own((0..HEADER_WORDS + count).map(|_| AtomicU64::new(0)).collect());
        let touched = WriteIntentBitmap { words: own(words_for(SIZE)), mark: 1 };
        let larger = WriteIntentBitmap::larger(&touched, 2 * SIZE).expect("it needs no file");
        touched.words()[3].store(5, Ordering::Relaxed);
        larger.follow(&touched);
        assert_eq!(larger.words()[3].load(Ordering::Relaxed), 5);
        assert!(larger.words().len() >= words_for(2 * SIZE));
    }

    #[test]
    fn bits_that_somebody_else_should_have_seen_are_forgotten() {
        let dir = TempDir::new();
        let prepare = |validate: bool| {
            let (touched, _) = open(dir.path(), 1, SIZE, 10);
            touched.words()[3].store(5, Ordering::Relaxed);
            if validate {
                touched.validate();
            }
        };
        let is_clean = |size, mark| {
            let (touched, kept) = open(dir.path(), 1, size, mark);
            !kept && touched.words().iter().all(|word| word.load(Ordering::Relaxed) == 0)
        };
        prepare(true);
        WriteIntentBitmap::take_over(dir.path(), 9, 11);
        assert!(is_clean(SIZE, 11), "another start came in between");
        prepare(false);
        WriteIntentBitmap::take_over(dir.path(), 10, 11);
        assert!(is_clean(SIZE, 11), "killed before the bits were complete");
        prepare(true);
        WriteIntentBitmap::take_over(dir.path(), 10, 11);
        assert!(is_clean(2 * SIZE, 11), "the disk has another size");
    }
}
