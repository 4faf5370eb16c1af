//! Dirty log: the pages of a guest that were written, for a migration. A bitmap that a front end shares while it copies the memory.
//!
//! One bit for 4 KiB of guest memory, from address zero on (vhost-user specification, section "Migration"). The front end takes bits while
//! we set others, so they are set one by one, atomically, each after the write to its page. Pages beyond the bitmap are not recorded: the
//! front end made it too short for its own memory.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};

use vm_memory::VolatileMemory;

use super::memory::{Mapping, map_file};
use super::stores::may_store;

const PAGE: u64 = 4096;

/// The bitmap of a connection, once it has one.
#[derive(Default)]
pub(crate) struct DirtyLog {
    /// True if writes are recorded now. Used by one thread only; a lock would be taken with every request.
    on: AtomicBool,
    bitmap: Mutex<Option<Mapping>>,
}

impl DirtyLog {
    /// Records writes in a part of `file` from now on, if they are to be recorded.
    pub(crate) fn set(&self, file: OwnedFd, offset: u64, bytes: u64) -> Result<(), String> {
        let mapping = map_file(file, offset, bytes)?;
        self.bitmap().replace(mapping);
        Ok(())
    }

    /// Sets whether writes are to be recorded.
    pub(crate) fn turn(&self, on: bool) {
        self.on.store(on, Ordering::Relaxed);
    }

    /// Records a write to guest memory.
    pub(crate) fn note(&self, at: u64, length: u64) {
        if length == 0 || !self.on.load(Ordering::Relaxed) {
            return;
        }
        let bitmap = self.bitmap();
        let Some(bitmap) = bitmap.as_ref() else { return };
        for page in at / PAGE..=at.saturating_add(length - 1) / PAGE {
            let byte = usize::try_from(page / 8).unwrap_or(usize::MAX);
            let Ok(bits) = bitmap.get_atomic_ref::<AtomicU8>(byte) else { return };
            if may_store() {
                bits.fetch_or(1 << (page % 8), Ordering::Release);
            }
        }
    }

    fn bitmap(&self) -> std::sync::MutexGuard<'_, Option<Mapping>> {
        self.bitmap.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::FileExt;

    use super::*;
    use crate::vhost::memory::tests::file_of;

    #[test]
    fn each_page_that_a_write_touches_has_its_bit_and_no_other() {
        let file = File::from(file_of(4096));
        let log = DirtyLog::default();
        log.note(0, 1 << 20);
        log.set(file.try_clone().unwrap().into(), 0, 4096).unwrap();
        log.note(0, 1 << 20);
        log.turn(true);
        log.note(PAGE - 1, 2);
        log.note(9 * PAGE, PAGE);
        log.note(12 * PAGE, 0);
        // The last page in the bitmap, and pages beyond it.
        log.note((4096 * 8 - 1) * PAGE, 3 * PAGE);
        log.note(u64::MAX - 1, 100);
        let mut bytes = vec![0; 4096];
        file.read_exact_at(&mut bytes, 0).unwrap();
        assert_eq!((bytes[0], bytes[1], bytes[4095]), (0b11, 0b10, 0b1000_0000));
        assert!(bytes[2..4095].iter().all(|&byte| byte == 0));
    }
}
