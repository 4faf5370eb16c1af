//! Parts of a block. Pages are fetched, held and written, also where blocks are larger: a model cache of whole blocks would have hits that
//! no cache of pages can have, and a missed page is not a missed block.

use block::{ByteRange, PAGE};

/// Details of an access to a sampled block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AccessDetails {
    pub(super) parts: Parts,
    /// The requested share of the block.
    pub(super) share: f32,
    /// The served cache has all of it.
    pub(super) is_cached: bool,
}

impl AccessDetails {
    /// Creates the details of an access to `range`, the part of a request in the block of `block_bytes` that begins at `start`. It is not
    /// empty.
    #[expect(clippy::cast_precision_loss, reason = "at most 1 MiB")]
    pub(crate) fn of(range: &ByteRange, start: u64, block_bytes: u64, is_cached: bool) -> Self {
        let pages = range.widened(PAGE);
        let share = pages.len() as f32 / block_bytes as f32;
        Self { parts: Parts::of(&pages, start, block_bytes), share, is_cached }
    }

    /// Creates the details of an access to all of a block of one page.
    #[cfg(test)]
    pub(crate) fn of_whole(is_cached: bool) -> Self {
        Self { parts: Parts::WHOLE, share: 1.0, is_cached }
    }
}

/// Sixteenths of a block, a bit each: the pages themselves, up to 64 KiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts(u16);

impl Parts {
    pub(super) const NONE: Self = Self(0);
    #[cfg(test)]
    pub(super) const WHOLE: Self = Self(u16::MAX);

    /// Returns the parts of these bits.
    pub(super) fn of_bits(bits: u16) -> Self {
        Self(bits)
    }

    fn of(range: &ByteRange, start: u64, block_bytes: u64) -> Self {
        let sixteenth = |at: u64| (at - start) * u64::from(u16::BITS) / block_bytes;
        let (first, last) = (sixteenth(range.start), sixteenth(range.end - 1));
        Self(u16::MAX << first & u16::MAX >> (u64::from(u16::BITS) - 1 - last))
    }

    /// Returns a bit for each.
    pub(super) fn bits(self) -> u16 {
        self.0
    }

    /// Returns true if all of `parts` are among them.
    pub(super) fn have(self, parts: Self) -> bool {
        self.0 & parts.0 == parts.0
    }

    pub(super) fn add(&mut self, parts: Self) {
        self.0 |= parts.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_share_are_what_a_range_touches_of_its_block() {
        const START: u64 = 1 << 20;
        let of = |range, block_bytes| {
            let AccessDetails { parts: Parts(bits), share, .. } =
                AccessDetails::of(&range, START, block_bytes, false);
            (bits, 1.0 / share)
        };
        for block_bytes in [4 << 10, 16 << 10, 64 << 10, 1 << 20] {
            assert_eq!(of(ByteRange::at(START, block_bytes), block_bytes), (u16::MAX, 1.0));
        }
        let page = |number| ByteRange::at(START + number * PAGE, PAGE);
        assert_eq!(of(page(3), 64 << 10), (1 << 3, 16.0));
        assert_eq!(of(page(15), 64 << 10), (1 << 15, 16.0));
        assert_eq!(of(page(1), 16 << 10), (0x00f0, 4.0), "a page is four parts");
        assert_eq!(of(page(255), 1 << 20), (1 << 15, 256.0), "a part has sixteen pages");
        assert_eq!(of(ByteRange::at(START + 512, 512), 64 << 10), (1, 16.0), "a page is fetched as a whole");
    }
}
