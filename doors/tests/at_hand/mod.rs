//! Data that test devices of both doors have in RAM.

use block::{ByteRange, Memory, WantedRange};

/// Bytes that are given at a time, as a cache gives them in pieces; no divisor of anything.
const PIECE: usize = 1536;

/// Gives those of `wanted` that end within the first `at_hand` bytes of `memory`, in pieces.
pub(crate) fn give(
    memory: &Memory,
    at_hand: u64,
    wanted: &mut [WantedRange],
    take: &mut dyn FnMut(usize, &[u8]),
) {
    for (place, WantedRange { range, given }) in wanted.iter_mut().enumerate() {
        *given = !range.is_empty() && range.end <= at_hand;
        let ByteRange { start, end } = if *given { *range } else { ByteRange::new(0, 0) };
        for start in (start..end).step_by(PIECE) {
            let mut piece = vec![0; PIECE.min((end - start) as usize)];
            memory.peek(start, &mut piece);
            take(place, &piece);
        }
    }
}
