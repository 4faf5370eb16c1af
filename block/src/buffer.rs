//! Memory that belongs to one operation at a time, aligned so that `O_DIRECT` accepts it.
//!
//! Most requests are of one page, and an allocator is slow at aligned pages: it takes twice as much, and gives both ends back. So each
//! thread keeps some pages that were given back, for the next buffers. They are made zero again as those of the allocator
//! are: nobody ever sees what another one left in a buffer.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::RefCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Alignment of every buffer in memory: the largest that a block device asks for here.
pub const ALIGNMENT: usize = 4096;

/// Bytes of the buffers that are kept to be used again.
const SPARE_BYTES: usize = ALIGNMENT;
/// So many of them are kept by each thread at most: 256 KiB. As many requests of a disk are seldom in flight.
const SPARES_MAX: usize = 64;

thread_local! {
    static SPARES: RefCell<Spares> = const { RefCell::new(Spares(Vec::new())) };
}

/// Stretches of [`SPARE_BYTES`] that belong to nobody.
struct Spares(Vec<NonNull<u8>>);

/// An owned, aligned stretch of bytes. Moves into an operation and comes back with its outcome.
pub struct Buffer {
    start: NonNull<u8>,
    len: usize,
}

impl Buffer {
    /// `len` bytes of zeroes.
    pub fn zeroed(len: usize) -> Self {
        if len == 0 {
            return Self { start: NonNull::dangling(), len };
        }
        if len == SPARE_BYTES
            && let Some(start) = Spares::take()
        {
            let mut buffer = Self { start, len };
            buffer.fill(0);
            return buffer;
        }
        // SAFETY: the layout has a size above zero, checked just now.
        let start = unsafe { alloc_zeroed(Self::layout(len)) };
        let Some(start) = NonNull::new(start) else { handle_alloc_error(Self::layout(len)) };
        Self { start, len }
    }

    /// A buffer that holds a copy of `bytes`.
    pub fn copy_of(bytes: &[u8]) -> Self {
        let mut buffer = Self::zeroed(bytes.len());
        buffer.copy_from_slice(bytes);
        buffer
    }

    fn layout(len: usize) -> Layout {
        Layout::from_size_align(len, ALIGNMENT)
            .expect("the alignment is a power of two and sizes are far below 2^63")
    }
}

impl Spares {
    /// One that belongs to the caller alone from now on.
    fn take() -> Option<NonNull<u8>> {
        // A thread that ends has none any more.
        SPARES.try_with(|spares| spares.borrow_mut().0.pop()).ok().flatten()
    }

    /// Says whether there was room for one more; else it stays the caller's.
    fn keep(start: NonNull<u8>) -> bool {
        let keep = |spares: &RefCell<Self>| {
            let spares = &mut spares.borrow_mut().0;
            let has_room = spares.len() < SPARES_MAX;
            if has_room {
                spares.push(start);
            }
            has_room
        };
        SPARES.try_with(keep).unwrap_or(false)
    }
}

impl Drop for Spares {
    fn drop(&mut self) {
        for start in self.0.drain(..) {
            // SAFETY: it was the memory of a buffer of this length, which gave it up, and nobody took it since.
            unsafe { dealloc(start.as_ptr(), Buffer::layout(SPARE_BYTES)) }
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.len > 0 && !(self.len == SPARE_BYTES && Spares::keep(self.start)) {
            // SAFETY: `start` came from `alloc_zeroed` with this very layout, directly or through `Spares`, and nothing else frees it.
            unsafe { dealloc(self.start.as_ptr(), Self::layout(self.len)) }
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `start` is valid for `len` initialised bytes (zeroed when they were allocated) as long as `self` lives; for length
        // zero a dangling, aligned pointer is allowed.
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
    fn what_was_left_in_a_buffer_is_never_seen_in_the_next_one() {
        let addresses =
            |buffers: &[Buffer]| -> Vec<_> { buffers.iter().map(|buffer| buffer.as_ptr()).collect() };
        for _ in 0..3 {
            let mut buffers: Vec<_> = (0..2 * SPARES_MAX).map(|_| Buffer::zeroed(SPARE_BYTES)).collect();
            let mut places = addresses(&buffers);
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), buffers.len(), "no two buffers share memory");
            for buffer in &mut buffers {
                assert!(buffer.iter().all(|&byte| byte == 0));
                buffer.fill(7);
            }
        }
        assert_eq!(SPARES.with_borrow(|spares| spares.0.len()), SPARES_MAX, "the rest went back");
    }

    #[test]
    fn a_buffer_is_given_back_on_any_thread_even_on_one_that_ends() {
        struct Late(Option<Buffer>);
        impl Drop for Late {
            fn drop(&mut self) {
                drop(self.0.take());
                assert!(Buffer::zeroed(SPARE_BYTES).iter().all(|&byte| byte == 0));
            }
        }
        thread_local!(static LATE: RefCell<Late> = const { RefCell::new(Late(None)) });
        let buffer = Buffer::copy_of(&[7; SPARE_BYTES]);
        let ended = std::thread::spawn(move || {
            LATE.with_borrow_mut(|late| late.0 = Some(buffer));
            drop(Buffer::zeroed(SPARE_BYTES));
        });
        ended.join().expect("nothing is used after it is gone");
    }
}
