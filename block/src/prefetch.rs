//! Memory that is fetched into the processor's caches before it is used.

/// Bytes of a line of those caches, on all processors that this is made for.
const LINE: usize = 64;

/// Prefetches `bytes`, which are read in a moment. Nothing waits for them, and nothing else changes. Does nothing on processors other than
/// x86-64.
pub fn prefetch(bytes: &[u8]) {
    let (lines, rest) = bytes.as_chunks::<LINE>();
    for line in lines {
        prefetch_line(line);
    }
    prefetch_line(rest);
}

#[cfg(target_arch = "x86_64")]
fn prefetch_line(line: &[u8]) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

    // SAFETY: a prefetch is a hint that cannot fault, wherever it points; every x86-64 has it (SSE).
    unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) }
}

#[cfg(not(target_arch = "x86_64"))]
fn prefetch_line(_line: &[u8]) {}
