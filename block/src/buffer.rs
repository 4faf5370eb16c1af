//! Memory that belongs to one operation at a time, aligned so that `O_DIRECT` accepts it.
//!
//! An allocator is slow at aligned pages: it takes more, and gives both ends back. So each thread keeps some freed memory for the next
//! buffers. That fits if buffers of similar lengths share a size, so sizes are powers of two where that is at most a third more than the
//! requested pages. The memory is zeroed again as that of the allocator is, or filled: no buffer ever shows the content of an earlier one.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::RefCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Alignment of every buffer in memory: the largest that a block device requires here.
pub const ALIGNMENT: usize = 4096;

/// Sizes of the memory that is kept to be used again: 4 KiB, 8 KiB and so on up to 256 KiB.
const SIZES: usize = 7;
/// Bytes of the largest of them. A longer buffer has exactly its length, and is freed at once.
const SPARE_BYTES_MAX: usize = ALIGNMENT << (SIZES - 1);
/// Bytes that each thread keeps of each size at most, 1.75 MiB in all. Of 4 KiB that is 64, and a disk seldom has as many requests in
/// flight.
const KEPT_BYTES_MAX: usize = SPARE_BYTES_MAX;

thread_local! {
    static SPARES: RefCell<Spares> = const { RefCell::new(Spares([const { Vec::new() }; SIZES])) };
}

/// Freed memory of each size.
struct Spares([Vec<NonNull<u8>>; SIZES]);

/// An owned, aligned stretch of bytes. Moves into an operation and returns with its outcome.
pub struct Buffer {
    start: NonNull<u8>,
    len: usize,
}

impl Buffer {
    /// Creates a buffer of `len` bytes of zeroes.
    pub fn zeroed(len: usize) -> Self {
        if size_of_spare(len).is_some() || len == 0 {
            let mut filling = Filling::new(len);
            filling.put_zeroes(len);
            return filling.finish();
        }
        // SAFETY: the layout has a size above zero, checked just now.
        let start = unsafe { alloc_zeroed(Self::layout(len)) };
        let Some(start) = NonNull::new(start) else { handle_alloc_error(Self::layout(len)) };
        Self { start, len }
    }

    /// Returns a buffer that holds a copy of `bytes`.
    pub fn copy_of(bytes: &[u8]) -> Self {
        let mut filling = Filling::new(bytes.len());
        filling.put(bytes);
        filling.finish()
    }

    /// Returns the memory of a buffer of `len` bytes, which is not 0.
    fn layout(len: usize) -> Layout {
        let bytes = size_of_spare(len).map_or(len, |size| ALIGNMENT << size);
        Layout::from_size_align(bytes, ALIGNMENT)
            .expect("the alignment is a power of two and sizes are far below 2^63")
    }
}

/// Returns the index of the kept size for a buffer of `len` bytes. None if no kept size is close: callers that limit bytes in flight count
/// the requested length.
fn size_of_spare(len: usize) -> Option<usize> {
    let pages = len.div_ceil(ALIGNMENT);
    let taken = pages.next_power_of_two();
    let is_kept = (1..=SPARE_BYTES_MAX).contains(&len) && 3 * taken <= 4 * pages;
    is_kept.then(|| taken.trailing_zeros() as usize)
}

/// A buffer that is filled from front to back, which saves zeroing memory that is overwritten. Bytes are accessible only after they were
/// put there: it becomes a buffer once it is full.
pub struct Filling {
    start: NonNull<u8>,
    len: usize,
    /// Number of bytes that are initialised, from the start on.
    filled: usize,
}

impl Filling {
    /// Creates room for `len` bytes.
    pub fn new(len: usize) -> Self {
        let start = match size_of_spare(len).and_then(Spares::take) {
            Some(start) => start,
            None if len == 0 => NonNull::dangling(),
            None => {
                // SAFETY: the layout has a size above zero, which the arm before checks.
                let start = unsafe { alloc(Buffer::layout(len)) };
                NonNull::new(start).unwrap_or_else(|| handle_alloc_error(Buffer::layout(len)))
            }
        };
        Self { start, len, filled: 0 }
    }

    /// Appends `bytes`, for which there must be room.
    pub fn put(&mut self, bytes: &[u8]) {
        let to = self.claim(bytes.len());
        // SAFETY: `claim` returns room for as many bytes, which belongs to `self` alone, so `bytes` lie elsewhere.
        unsafe { to.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) }
    }

    /// Appends `count` zeroes, for which there must be room.
    pub fn put_zeroes(&mut self, count: usize) {
        let to = self.claim(count);
        // SAFETY: `claim` returns room for `count` bytes, which belongs to `self` alone.
        unsafe { to.write_bytes(0, count) }
    }

    /// Returns the place of the next `count` bytes, which the caller initialises at once.
    fn claim(&mut self, count: usize) -> NonNull<u8> {
        assert!(count <= self.len - self.filled, "a buffer is filled with no more than it has room for");
        let at = self.filled;
        self.filled += count;
        // SAFETY: `at` is at most `len`, and `len` bytes from `start` on are one allocation, or none for a length of zero.
        unsafe { self.start.add(at) }
    }

    /// Returns the buffer, which must be full.
    pub fn finish(self) -> Buffer {
        assert_eq!(self.filled, self.len, "a buffer is filled with all that it was made for");
        let buffer = Buffer { start: self.start, len: self.len };
        // The memory is the buffer's.
        std::mem::forget(self);
        buffer
    }
}

impl Drop for Filling {
    fn drop(&mut self) {
        // It is freed as a buffer, which reads none of its bytes.
        drop(Buffer { start: self.start, len: self.len });
    }
}

impl Spares {
    /// Takes memory of a size, which belongs to the caller alone from now on.
    fn take(size: usize) -> Option<NonNull<u8>> {
        // A thread that ends has none any more.
        SPARES.try_with(|spares| spares.borrow_mut().0[size].pop()).ok().flatten()
    }

    /// Keeps memory if there is room for one more of its size. Returns false otherwise; then it stays the caller's.
    fn keep(size: usize, start: NonNull<u8>) -> bool {
        let keep = |spares: &RefCell<Self>| {
            let spares = &mut spares.borrow_mut().0[size];
            let has_room = spares.len() < Self::most(size);
            if has_room {
                spares.push(start);
            }
            has_room
        };
        SPARES.try_with(keep).unwrap_or(false)
    }

    /// Returns how many of a size are kept.
    const fn most(size: usize) -> usize {
        KEPT_BYTES_MAX / (ALIGNMENT << size)
    }
}

impl Drop for Spares {
    fn drop(&mut self) {
        for (size, spares) in self.0.iter_mut().enumerate() {
            for start in spares.drain(..) {
                // SAFETY: it was the memory of a buffer of this size, which released it, and nothing took it since.
                unsafe { dealloc(start.as_ptr(), Buffer::layout(ALIGNMENT << size)) }
            }
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let is_kept = || size_of_spare(self.len).is_some_and(|size| Spares::keep(size, self.start));
        if self.len > 0 && !is_kept() {
            // SAFETY: `start` is from `alloc` or `alloc_zeroed` with this very layout, directly or through `Spares`, and nothing else frees
            // it.
            unsafe { dealloc(self.start.as_ptr(), Self::layout(self.len)) }
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `start` is valid for `len` initialised bytes (zeroed, or put by `Filling`, which is full before it is a buffer) as
        // long as `self` lives; for length zero a dangling, aligned pointer is allowed.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `&mut self` makes this the only reference.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

// SAFETY: a buffer owns its memory alone, as a `Box<[u8]>` does.
unsafe impl Send for Buffer {}
// SAFETY: shared references give only shared access to plain bytes.
unsafe impl Sync for Buffer {}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_aligned_zeroed_and_writable() {
        for len in [0, 1, 512, 4096, 5000, 1 << 20] {
            let mut buffer = Buffer::zeroed(len);
            assert_eq!(buffer.len(), len);
            assert_eq!(buffer.as_ptr() as usize % if len == 0 { 1 } else { ALIGNMENT }, 0);
            assert!(buffer.iter().all(|&byte| byte == 0));
            buffer.fill(7);
            assert!(buffer.iter().all(|&byte| byte == 7));
        }
    }

    #[test]
    fn a_buffer_takes_at_most_a_third_more_than_its_pages() {
        for pages in 1..=2 * SPARE_BYTES_MAX / ALIGNMENT {
            let asked = pages * ALIGNMENT;
            let taken = Buffer::layout(asked).size();
            assert!((asked..=asked + asked / 3).contains(&taken), "{taken} bytes for {asked}");
            assert!(
                taken == asked || size_of_spare(asked) == size_of_spare(taken),
                "it is freed as it was taken"
            );
        }
        assert_eq!([1, 2, 3, 4, 64].map(|pages| size_of_spare(pages * ALIGNMENT)), [0, 1, 2, 2, 6].map(Some));
        assert_eq!([5, 33, 65].map(|pages| size_of_spare(pages * ALIGNMENT)), [None; 3]);
    }

    #[test]
    fn what_was_left_in_a_buffer_is_never_seen_in_the_next_one() {
        let addresses =
            |buffers: &[Buffer]| -> Vec<_> { buffers.iter().map(|buffer| buffer.as_ptr()).collect() };
        for (size, len) in
            (0..SIZES).flat_map(|size| [(size, ALIGNMENT << size), (size, (ALIGNMENT << size) - 512)])
        {
            for _ in 0..3 {
                let mut buffers: Vec<_> = (0..2 * Spares::most(size)).map(|_| Buffer::zeroed(len)).collect();
                let mut places = addresses(&buffers);
                places.sort_unstable();
                let are_apart = places.windows(2).all(|pair| pair[0] as usize + len <= pair[1] as usize);
                assert!(are_apart, "no two buffers share memory");
                for buffer in &mut buffers {
                    assert!(buffer.iter().all(|&byte| byte == 0));
                    buffer.fill(7);
                }
            }
            assert_eq!(
                SPARES.with_borrow(|spares| spares.0[size].len()),
                Spares::most(size),
                "the rest went back"
            );
        }
    }

    #[test]
    fn a_buffer_that_is_filled_holds_what_was_put_and_nothing_else() {
        for pages in [1, 2, 3] {
            drop(Buffer::copy_of(&vec![7; pages * ALIGNMENT]));
            let mut filling = Filling::new(pages * ALIGNMENT);
            filling.put(&[1; 100]);
            filling.put_zeroes(pages * ALIGNMENT - 300);
            filling.put(&[2; 200]);
            let buffer = filling.finish();
            assert_eq!(buffer.len(), pages * ALIGNMENT);
            assert!(buffer[..100].iter().all(|byte| *byte == 1));
            assert!(buffer[100..buffer.len() - 200].iter().all(|byte| *byte == 0));
            assert!(buffer[buffer.len() - 200..].iter().all(|byte| *byte == 2));
        }
        assert!(Filling::new(0).finish().is_empty());
        drop(Filling::new(ALIGNMENT));
    }

    #[test]
    #[should_panic(expected = "no more than it has room for")]
    fn a_buffer_is_not_filled_past_its_end() {
        Filling::new(10).put(&[0; 11]);
    }

    #[test]
    #[should_panic(expected = "all that it was made for")]
    fn a_buffer_that_is_not_full_is_none() {
        drop(Filling::new(10).finish());
    }

    #[test]
    fn a_buffer_is_given_back_on_any_thread_even_on_one_that_ends() {
        struct Late(Option<Buffer>);
        impl Drop for Late {
            fn drop(&mut self) {
                drop(self.0.take());
                assert!(Buffer::zeroed(ALIGNMENT).iter().all(|&byte| byte == 0));
            }
        }
        thread_local!(static LATE: RefCell<Late> = const { RefCell::new(Late(None)) });
        let buffer = Buffer::copy_of(&[7; ALIGNMENT]);
        let ended = std::thread::spawn(move || {
            LATE.with_borrow_mut(|late| late.0 = Some(buffer));
            drop(Buffer::zeroed(ALIGNMENT));
        });
        ended.join().expect("nothing is used after it is gone");
    }
}
