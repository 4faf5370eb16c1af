//! Memory for long-lived data that is read at random: mapped as a whole, and taken from the system as it is used.
//!
//! A random read in many GiB of memory costs not only the fetch of the data, but also of the page tables that translate its address. With
//! pages of 2 MiB instead of 4 KiB these are few enough to stay in the processor's caches, and the first touch of each is one fault instead
//! of 512. But the kernel may have to move other pages to make room for such a page, on the thread that first touches it. So another thread
//! makes it ahead of time ([`crate::Host::populate`]), and a touch never creates a large page. Memory in use is not converted either, since
//! threads that touch it meanwhile would wait: 5 ms for each, where it was measured.
//!
//! All of it is one mapping, of which a process may have few, and stays one. When it grows, the pages in use move to a larger mapping,
//! without a copy of their bytes; that adds at most a few mappings.

use std::alloc::{Layout, handle_alloc_error};
use std::num::NonZeroUsize;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::rc::Rc;

use nix::errno::Errno;
use nix::sys::mman::{MRemapFlags, MapFlags, MmapAdvise, ProtFlags, madvise, mmap_anonymous, mremap, munmap};

/// Bytes of a large page of an x86-64, 2 MiB.
const LARGE_PAGE: usize = 2 << 20;
/// Bytes of a page.
const PAGE: usize = 4096;

/// Memory of one owner, zeroes at first. Untouched parts take none.
pub struct Arena {
    mapping: Rc<ArenaMapping>,
}

/// Place of one large page.
pub struct Part {
    mapping: Rc<ArenaMapping>,
    number: usize,
}

/// A mapping of memory, until it is dropped. It does not access the content.
struct ArenaMapping {
    /// A multiple of [`LARGE_PAGE`].
    start: NonNull<u8>,
    /// As well.
    bytes: usize,
}

impl Arena {
    /// Bytes of each [`Part`].
    pub const PART_BYTES: usize = LARGE_PAGE;

    /// Returns true if the system can provide `bytes` bytes at present.
    pub fn can_be(bytes: usize) -> bool {
        ArenaMapping::new(bytes).is_some()
    }

    /// Creates an arena of at least `bytes` bytes of zeroes. Ends the process if the system does not have them, as any allocation does:
    /// where that is limited, or untouched memory counts, call [`Self::can_be`] first.
    pub fn new(bytes: usize) -> Self {
        let Some(mapping) = ArenaMapping::new(bytes) else {
            let wanted = Layout::from_size_align(bytes, LARGE_PAGE);
            handle_alloc_error(wanted.expect("the alignment is a power of two and sizes are far below 2^63"));
        };
        Self { mapping: Rc::new(mapping) }
    }

    /// Makes room for at least `bytes` bytes. The first `used` keep their content, the others are unspecified. Takes twice the size that
    /// it had, if the system allows that, so that pages seldom move: untouched memory takes none. Ends the process as [`Self::new`] does.
    pub fn grow(&mut self, bytes: usize, used: usize) {
        let before = self.mapping.bytes;
        if bytes <= before {
            return;
        }
        let larger = ArenaMapping::new(bytes.max(before.saturating_mul(2)));
        let mut grown = larger.map_or_else(|| Self::new(bytes), |mapping| Self { mapping: Rc::new(mapping) });
        // While the kernel may still populate a part, the old addresses have to stay as they are.
        let is_alone = Rc::get_mut(&mut self.mapping).is_some();
        let used = used.min(before);
        for start in (0..used).step_by(LARGE_PAGE) {
            if !(is_alone && self.mapping.move_part(&grown.mapping, start)) {
                let end = (start + LARGE_PAGE).min(used);
                grown[start..end].copy_from_slice(&self[start..end]);
            }
        }
        *self = grown;
    }

    /// Gives the memory from byte `from` on back to the system. Its content is unspecified from then on; it may be used again.
    pub fn release(&mut self, from: usize) {
        let from = from.next_multiple_of(PAGE);
        let Some(bytes) = self.mapping.bytes.checked_sub(from).filter(|bytes| *bytes > 0) else { return };
        // SAFETY: `from` is inside of the mapping.
        let start = unsafe { self.mapping.start.add(from) }.as_ptr().cast();
        // Memory that is locked, while the kernel uses a disk, is only given back by the second kind.
        let kinds = [nix::libc::MADV_DONTNEED, nix::libc::MADV_DONTNEED_LOCKED];
        // SAFETY: these bytes are mapped, private and anonymous, and this borrow of them is the only one.
        kinds.into_iter().any(|kind| unsafe { nix::libc::madvise(start, bytes, kind) } == 0);
    }

    /// Returns a function that reports whether it is still mapped.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> impl Fn() -> bool + use<> {
        let mapping = Rc::downgrade(&self.mapping);
        move || mapping.upgrade().is_some()
    }

    /// Returns part `number`, from 0 on. It keeps the memory mapped.
    pub fn part(&self, number: usize) -> Part {
        assert!(number < self.mapping.bytes / LARGE_PAGE, "part {number} of {} bytes", self.mapping.bytes);
        Part { mapping: Rc::clone(&self.mapping), number }
    }
}

impl Part {
    /// Returns its start, a multiple of its length.
    pub(crate) fn start(&self) -> NonNull<u8> {
        // SAFETY: the mapping has more parts than this number, so the result is inside of it.
        unsafe { self.mapping.start.add(self.number * LARGE_PAGE) }
    }
}

impl ArenaMapping {
    /// Maps memory. Returns none if the system refuses.
    fn new(bytes: usize) -> Option<Self> {
        let bytes = bytes.max(1).checked_next_multiple_of(LARGE_PAGE)?;
        let more = NonZeroUsize::new(bytes.checked_add(LARGE_PAGE)?)?;
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        let flags = MapFlags::MAP_PRIVATE | MapFlags::MAP_NORESERVE;
        // SAFETY: no address is given, so that nothing else is mapped over.
        let mapped: NonNull<u8> = unsafe { mmap_anonymous(None, more, access, flags) }.ok()?.cast();
        let before = mapped.as_ptr().align_offset(LARGE_PAGE);
        // SAFETY: `before` is less than a large page, so that this and `bytes` behind it are inside of the mapping.
        let start = unsafe { mapped.add(before) };
        if before > 0 {
            // SAFETY: these bytes have just been mapped, and nothing refers to them.
            unsafe { unmap(mapped, before) };
        }
        // SAFETY: as above; they begin where the mapping ends from now on, and there is one at least.
        unsafe { unmap(start.add(bytes), LARGE_PAGE - before) };
        // SAFETY: these are the bytes of the mapping, and their content does not change. It fails in kernels without large pages.
        unsafe { madvise(start.cast(), bytes, MmapAdvise::MADV_NOHUGEPAGE) }.unwrap_or(());
        Some(Self { start, bytes })
    }

    /// Moves the large page at byte `at` of this mapping to the same place of another one. This one reads as zeroes there from then on.
    /// Returns false if the system cannot; then nothing has changed. Ends the process if it has no memory for that.
    fn move_part(&self, to: &Self, at: usize) -> bool {
        debug_assert!(at.is_multiple_of(LARGE_PAGE) && at < self.bytes.min(to.bytes));
        // The old addresses stay mapped until all of the mapping goes: nothing else is put there meanwhile.
        let flags = MRemapFlags::MREMAP_MAYMOVE | MRemapFlags::MREMAP_FIXED | MRemapFlags::MREMAP_DONTUNMAP;
        // SAFETY: both are inside of their mappings.
        let (old, new) = unsafe { (self.start.add(at), to.start.add(at)) };
        // SAFETY: both are mapped, private and anonymous, and do not overlap. The caller owns both, and what was at the new place was not
        // used yet.
        match unsafe { mremap(old.cast(), LARGE_PAGE, LARGE_PAGE, flags, Some(new.cast())) } {
            Ok(_) => true,
            // Kernels before 5.7.
            Err(Errno::EINVAL) => false,
            // The new place may be unmapped by now, where another thread may map something else.
            Err(_) => handle_alloc_error(Layout::new::<[u8; LARGE_PAGE]>()),
        }
    }
}

/// Gives memory back.
///
/// # Safety
/// `bytes` bytes from there on are mapped, and nothing uses them any more.
unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
    // SAFETY: as above.
    let unmapped = unsafe { munmap(start.cast(), bytes) };
    // It fails only where one mapping would become two and the process has all that it may have; then the memory stays.
    debug_assert!(unmapped.is_ok(), "{bytes} bytes stay mapped: {unmapped:?}");
}

impl Drop for ArenaMapping {
    fn drop(&mut self) {
        // SAFETY: all code with access to it, the kernel included, held this mapping.
        unsafe { unmap(self.start, self.bytes) }
    }
}

impl Deref for Arena {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `bytes` bytes are mapped as long as the mapping lives, and nothing else reads or writes them; memory that was never
        // written is zeroes.
        unsafe { std::slice::from_raw_parts(self.mapping.start.as_ptr(), self.mapping.bytes) }
    }
}

impl DerefMut for Arena {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above. There is one arena of a mapping, and this borrow of it.
        unsafe { std::slice::from_raw_parts_mut(self.mapping.start.as_ptr(), self.mapping.bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arenas_are_zeroes_aligned_and_do_not_overlap() {
        let mut arenas: Vec<Arena> = (1..12).map(|pages| Arena::new(pages << 18)).collect();
        for (number, arena) in (1..).zip(&mut arenas) {
            assert_eq!(arena.as_ptr().align_offset(LARGE_PAGE), 0);
            assert_eq!(arena.len(), (usize::from(number) << 18).next_multiple_of(LARGE_PAGE));
            assert!(arena.iter().all(|&byte| byte == 0));
            arena.fill(number);
        }
        // Drops some, and creates others in their places.
        arenas.retain(|arena| arena[0] % 3 != 0);
        let more: Vec<Arena> = (0..6).map(|_| Arena::new(1)).collect();
        assert!(more.iter().all(|arena| arena.iter().all(|&byte| byte == 0)));
        assert!(arenas.iter().all(|arena| arena.iter().all(|&byte| byte == arena[0]) && arena[0] > 0));
    }

    /// Fills each page of an arena with its number.
    fn filled(bytes: usize) -> Arena {
        let mut arena = Arena::new(bytes);
        for (number, page) in (0_u64..).zip(arena.chunks_exact_mut(PAGE)) {
            page[..8].copy_from_slice(&number.to_le_bytes());
        }
        arena
    }

    /// Asserts that the first pages still have their numbers.
    fn assert_filled(arena: &Arena, bytes: usize) {
        for (number, page) in (0_u64..).zip(arena[..bytes].chunks_exact(PAGE)) {
            assert_eq!(page[..8], number.to_le_bytes(), "page {number}");
        }
    }

    #[test]
    fn what_is_used_is_kept_when_an_arena_grows_whether_its_pages_can_move_or_not() {
        for is_held in [false, true] {
            let mut arena = filled(3 * LARGE_PAGE);
            for (bytes, expected) in [(3, 3), (4, 6), (9, 12), (40, 40)] {
                let part = is_held.then(|| arena.part(1));
                arena.grow(bytes * LARGE_PAGE, 2 * LARGE_PAGE + PAGE);
                assert_eq!(arena.len(), expected * LARGE_PAGE);
                assert_eq!(arena.as_ptr().align_offset(LARGE_PAGE), 0);
                assert_filled(&arena, 2 * LARGE_PAGE + PAGE);
                drop(part);
            }
            arena.fill(7);
            assert!(arena.iter().all(|&byte| byte == 7), "all of it can be written");
        }
    }

    #[test]
    fn memory_that_is_given_back_reads_as_zeroes_and_can_be_used_again() {
        let mut arena = filled(2 * LARGE_PAGE);
        arena.release(LARGE_PAGE + 1);
        assert_filled(&arena, LARGE_PAGE + PAGE);
        assert!(arena[LARGE_PAGE + PAGE..].iter().all(|&byte| byte == 0));
        arena[LARGE_PAGE + PAGE..].fill(1);
        arena.release(2 * LARGE_PAGE);
        assert!(arena[LARGE_PAGE + PAGE..].iter().all(|&byte| byte == 1), "there was nothing to give back");
    }

    #[test]
    fn what_no_system_has_is_refused() {
        assert!(Arena::can_be(1 << 30));
        assert!(
            [1 << 60, usize::MAX - LARGE_PAGE, usize::MAX].into_iter().all(|bytes| !Arena::can_be(bytes))
        );
    }

    #[test]
    fn a_part_keeps_its_memory_mapped() {
        let arena = Arena::new(3 * LARGE_PAGE);
        let (part, start) = (arena.part(2), arena.as_ptr());
        assert_eq!(part.start().as_ptr().cast_const(), start.wrapping_add(2 * LARGE_PAGE));
        let kept = arena.kept();
        drop(arena);
        assert!(kept());
        drop(part);
        assert!(!kept());
    }
}
