//! Memory for what is kept long and read at random: as much as a large page of the processor has, and where one could be.
//!
//! A read at random of memory of many GiB costs not only the fetch of what is read, but of the tables that say where it is. With pages
//! of 2 MiB instead of 4 KiB these are few enough to stay in the processor's caches, and the first touch of each is one fault and not 512.
//! But room for such a page may have to be made by moving others, by whoever touches it first. So a shard has it made by somebody
//! else, before it is needed: [`crate::Host::arena`]. Memory in use is not moved to a large page, since whoever touches it meanwhile
//! waits: 5 ms for each, where it was measured.

use std::alloc::{Layout, handle_alloc_error};
use std::num::NonZeroUsize;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap_anonymous, munmap};

/// Bytes of an arena, and what its address is a multiple of: 2 MiB, a large page of an x86-64.
const BYTES: usize = 2 << 20;

/// Whether memory is to be large pages.
#[derive(Clone, Copy)]
pub(crate) enum LargePages {
    /// From the first touch on, which may take long.
    Wanted,
    /// What is one stays one, and nothing is moved.
    AsTheyAre,
}

/// 2 MiB of memory, zeroes at first. What was never touched takes none.
pub struct Arena {
    start: NonNull<u8>,
}

impl Arena {
    /// Bytes of each.
    pub const BYTES: usize = BYTES;

    /// An arena of zeroes.
    pub fn zeroed() -> Self {
        let twice = NonZeroUsize::new(2 * BYTES).expect("it is not zero");
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        let flags = MapFlags::MAP_PRIVATE | MapFlags::MAP_NORESERVE;
        // SAFETY: no address is given, so that nothing else is mapped over.
        let mapped = unsafe { mmap_anonymous(None, twice, access, flags) };
        let Ok(mapped) = mapped else {
            handle_alloc_error(Layout::new::<[u8; BYTES]>());
        };
        let mapped: NonNull<u8> = mapped.cast();
        // The last that fits: the kernel gives addresses from the top down, so that arenas lie side by side, and are one mapping.
        let before = (mapped.as_ptr() as usize + BYTES) / BYTES * BYTES - mapped.as_ptr() as usize;
        // SAFETY: `before` is at most `BYTES`, so that this and the `BYTES` behind it are inside of what was mapped.
        let start = unsafe { mapped.add(before) };
        let after = BYTES - before;
        if before > 0 {
            // SAFETY: these bytes were mapped just now, and nobody knows of them.
            unsafe { unmap(mapped, before) };
        }
        if after > 0 {
            // SAFETY: as above; they begin where the arena ends.
            unsafe { unmap(start.add(BYTES), after) };
        }
        Self { start }
    }

    pub(crate) fn advise(&self, pages: LargePages) {
        let advice = match pages {
            LargePages::Wanted => MmapAdvise::MADV_HUGEPAGE,
            LargePages::AsTheyAre => MmapAdvise::MADV_NOHUGEPAGE,
        };
        // SAFETY: the arena owns these bytes, and none of the two changes them. It fails in kernels without large pages.
        unsafe { madvise(self.start.cast(), BYTES, advice) }.unwrap_or(());
    }
}

/// Gives memory back.
///
/// # Safety
/// So many bytes from there on are mapped, and nobody uses them any more.
unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
    // SAFETY: as above.
    let unmapped = unsafe { munmap(start.cast(), bytes) };
    // It fails only where one mapping would become two and the process has all that it may have; then the memory stays.
    debug_assert!(unmapped.is_ok(), "{bytes} bytes stay mapped: {unmapped:?}");
}

impl Deref for Arena {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: so many bytes are mapped as long as the arena lives, which owns them; memory that was just mapped is zeroes.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), BYTES) }
    }
}

impl DerefMut for Arena {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the borrow is the only one.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), BYTES) }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: the arena owns them, and is not used any more.
        unsafe { unmap(self.start, BYTES) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arenas_are_zeroes_aligned_and_do_not_overlap() {
        let mut arenas: Vec<Arena> = (0..20).map(|_| Arena::zeroed()).collect();
        for (number, arena) in (1..).zip(&mut arenas) {
            assert_eq!(arena.as_ptr() as usize % BYTES, 0);
            assert_eq!(arena.len(), Arena::BYTES);
            assert!(arena.iter().all(|&byte| byte == 0));
            arena.fill(number);
        }
        // Some go, and others come where they were.
        arenas.retain(|arena| arena[0] % 3 != 0);
        let more: Vec<Arena> = (0..6).map(|_| Arena::zeroed()).collect();
        assert!(more.iter().all(|arena| arena.iter().all(|&byte| byte == 0)));
        assert!(arenas.iter().all(|arena| arena.iter().all(|&byte| byte == arena[0]) && arena[0] > 0));
    }
}
