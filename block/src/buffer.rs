//! Memory that belongs to one operation at a time, aligned so that `O_DIRECT` accepts it.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Alignment of every buffer in memory: the largest that a block device asks for here.
pub const ALIGNMENT: usize = 4096;

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

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.len > 0 {
            // SAFETY: `start` came from `alloc_zeroed` with this very layout, and nothing else frees it.
            unsafe { dealloc(self.start.as_ptr(), Self::layout(self.len)) }
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `start` is valid for `len` initialised bytes (zeroed at birth) as long as `self` lives; for length
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
}
