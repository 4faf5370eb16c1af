//! Request of a trace, and the blocks that it touches.

use std::ops::Range;

/// Unit of addresses and lengths, in bytes.
pub const SECTOR: u64 = 512;
/// Maximum length of a request of a trace in bytes: that of a door.
pub const LENGTH_MAX: u32 = 32 << 20;

/// Request of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Arrival time in microseconds, since a moment that depends on the trace. `None` if the format has no times. There are traces whose
    /// times run backwards.
    pub at_us: Option<u64>,
    /// Recorded latency in microseconds, if the trace has it.
    pub latency_us: Option<u64>,
    /// Read, write, or unknown.
    pub kind: Kind,
    /// Number of the disk, of several in one trace; 0 where the format has only one.
    pub device: u32,
    /// Offset in bytes, a multiple of [`SECTOR`]. `offset + length` is less than 2^64.
    pub offset: u64,
    /// Length in bytes, a multiple of [`SECTOR`], from 512 to [`LENGTH_MAX`].
    pub length: u32,
}

/// Direction of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Read.
    Read,
    /// Write.
    Write,
    /// Not recorded in the format.
    #[default]
    Unknown,
}

impl Request {
    /// Returns the first byte behind it.
    pub fn end(&self) -> u64 {
        self.offset + u64::from(self.length)
    }

    /// Checks the request against the limits of its fields.
    ///
    /// # Errors
    /// Expected and found values.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Self { offset, length, .. } = *self;
        if length == 0 || length > LENGTH_MAX || !u64::from(length).is_multiple_of(SECTOR) {
            return Err(format!(
                "expected a length of 512 bytes to 32 MiB in sectors of 512, found {length}"
            ));
        }
        if !offset.is_multiple_of(SECTOR) {
            return Err(format!("expected an offset in sectors of 512 bytes, found {offset}"));
        }
        if offset.checked_add(u64::from(length)).is_none() {
            return Err(format!("expected an offset below 2^64 - {length}, found {offset}"));
        }
        Ok(())
    }
}

/// Returns the numbers of the blocks of `block_bytes` that a request touches, partly or in full: its accesses.
///
/// On device 0 these are the numbers of blocks from the start of the disk. Those of each other device begin at a number of its own; the
/// first thousand devices, and those of Linux with usual numbers, are at least 2^40 blocks apart.
///
/// # Panics
/// If `block_bytes` is less than a sector.
pub fn blocks(request: &Request, block_bytes: u64) -> Range<u64> {
    assert!(block_bytes >= SECTOR, "a block is a sector or more");
    // The golden ratio of 64 bits (Knuth, The Art of Computer Programming, volume 3, section 6.4) spreads small numbers
    // far apart. Below 2^63, so that adding a block number, which is below 2^55, cannot overflow.
    let first = u64::from(request.device).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1;
    first + request.offset / block_bytes..first + request.end().div_ceil(block_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(offset: u64, length: u32) -> Request {
        Request { offset, length, ..Request::default() }
    }

    #[test]
    fn every_block_that_is_touched_counts_once() {
        for (offset, length, touched) in [
            (0, 4096, 0..1),
            (0, 512, 0..1),
            (3584, 1024, 0..2),
            (4096, 4096, 1..2),
            (4608, 8192, 1..4),
            (u64::MAX - 4095, 3584, (1 << 52) - 1..1 << 52),
        ] {
            assert_eq!(blocks(&request(offset, length), 4096), touched, "{offset} {length}");
        }
        assert_eq!(blocks(&request(65536, 512), 65536), 1..2);
    }

    #[test]
    fn blocks_of_different_devices_are_different() {
        let on = |device| Request { device, ..request(u64::MAX - 4095, 3584) };
        let linux = [8_u32, 65, 252, 253, 259]
            .into_iter()
            .flat_map(|major| (0..64).map(move |minor| major << 20 | minor));
        let firsts: Vec<u64> = (0..1000).chain(linux).map(|device| blocks(&on(device), 512).start).collect();
        for (at, first) in firsts.iter().enumerate() {
            assert!(firsts[..at].iter().all(|other| other.abs_diff(*first) > 1 << 40), "{at}");
        }
    }

    #[test]
    fn what_cannot_be_a_request_is_told() {
        assert!(request(0, 512).check().is_ok());
        assert!(request(0, LENGTH_MAX).check().is_ok());
        for (offset, length, reason) in [
            (0, 0, "length"),
            (0, 100, "found 100"),
            (0, LENGTH_MAX + 512, "32 MiB"),
            (100, 512, "found 100"),
            (u64::MAX - 511, 1024, "2^64"),
        ] {
            let message = request(offset, length).check().expect_err("it cannot be");
            assert!(message.contains(reason), "{message}");
        }
    }
}
