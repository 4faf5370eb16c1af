//! A request as it is buffered until it is written: small, so that a shard's notes between two takes stay in
//! the caches of its CPU. Cache misses are the main cost of a note.

use trace::{Kind, LENGTH_MAX, Request};

/// Marks an unknown latency. A latency of that length, 71 minutes, is noted as a microsecond less.
const UNKNOWN: u32 = u32::MAX;
/// Flag in the length of a write.
const WRITES: u32 = 1 << 31;
const _: () = assert!(LENGTH_MAX < WRITES, "lengths leave the bit free");
const _: () = assert!(size_of::<Note>() == 24, "documents say how much memory notes take");

/// A read or a write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Note {
    /// Microseconds from the start of the recording to the arrival of the request.
    pub(super) at_us: u64,
    offset: u64,
    latency_us: u32,
    length: u32,
}

impl Note {
    /// Returns the note of `request`, a read or a write, which arrived at `at_us`.
    pub(super) fn new(at_us: u64, request: &Request) -> Self {
        let known = |latency_us: u64| u32::try_from(latency_us).unwrap_or(UNKNOWN).min(UNKNOWN - 1);
        let direction = if request.kind == Kind::Write { WRITES } else { 0 };
        Self {
            at_us,
            offset: request.offset,
            latency_us: request.latency_us.map_or(UNKNOWN, known),
            length: request.length | direction,
        }
    }

    /// Returns the request, with its time.
    pub(super) fn request(self) -> Request {
        let Self { at_us, offset, latency_us, length } = self;
        Request {
            at_us: Some(at_us),
            latency_us: (latency_us != UNKNOWN).then_some(latency_us.into()),
            kind: if length & WRITES == 0 { Kind::Read } else { Kind::Write },
            offset,
            length: length & !WRITES,
            ..Request::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_the_request_again() {
        let longest = u64::from(UNKNOWN) - 1;
        for kind in [Kind::Read, Kind::Write] {
            for latency_us in [None, Some(0), Some(7), Some(longest)] {
                for (offset, length) in [(0, 512), (u64::MAX - (64 << 20) + 1, LENGTH_MAX)] {
                    let request =
                        Request { at_us: Some(1 << 50), latency_us, kind, device: 0, offset, length };
                    assert_eq!(Note::new(1 << 50, &request).request(), request);
                }
            }
        }
        for latency_us in [longest + 1, longest + 2, u64::MAX] {
            let request = Request { latency_us: Some(latency_us), ..Request::default() };
            assert_eq!(Note::new(0, &request).request().latency_us, Some(longest), "{latency_us}");
        }
    }
}
