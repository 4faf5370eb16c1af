//! A range of bytes on a device: the one type for the extent of requests, locks and failures.

use std::fmt;

/// Half-open range of bytes, `start..end`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ByteRange {
    /// First byte.
    pub start: u64,
    /// One beyond the last byte; never below `start`.
    pub end: u64,
}

impl ByteRange {
    /// Creates the range `start..end`. Panics if it runs backwards.
    pub fn new(start: u64, end: u64) -> Self {
        assert!(start <= end, "range runs backwards: {start}..{end}");
        Self { start, end }
    }

    /// Returns the range of `length` bytes at `offset`, or `None` if it would pass the largest address.
    pub fn checked(offset: u64, length: u64) -> Option<Self> {
        Some(Self { start: offset, end: offset.checked_add(length)? })
    }

    /// Returns the range of `length` bytes at `offset`.
    pub fn at(offset: u64, length: u64) -> Self {
        Self::checked(offset, length).expect("callers check requests against the size of the device first")
    }

    /// Returns the bytes covered.
    pub fn len(&self) -> u64 {
        self.end - self.start
    }

    /// Returns true if no byte is covered.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Returns true if at least one byte is in both.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Returns true if every byte of `other` is in this range.
    pub fn contains(&self, other: &Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns the bytes that are in both; empty at `self.start` if there are none.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let start = self.start.max(other.start);
        let end = self.end.min(other.end);
        if start < end { Self { start, end } } else { Self { start: self.start, end: self.start } }
    }

    /// Returns the smallest range of whole units of `unit` bytes that covers this one.
    #[must_use]
    pub fn widened(&self, unit: u64) -> Self {
        Self { start: self.start / unit * unit, end: self.end.div_ceil(unit) * unit }
    }

    /// Returns the largest range of whole units of `unit` bytes inside this one; empty if there is none.
    #[must_use]
    pub fn narrowed(&self, unit: u64) -> Self {
        let start = self.start.div_ceil(unit) * unit;
        let end = self.end / unit * unit;
        if start < end { Self { start, end } } else { Self { start, end: start } }
    }

    /// Returns true if both ends lie on a multiple of `unit`.
    pub fn is_aligned(&self, unit: u64) -> bool {
        self.start.is_multiple_of(unit) && self.end.is_multiple_of(unit)
    }
}

impl fmt::Display for ByteRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}", self.start, self.len())
    }
}

impl fmt::Debug for ByteRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widening_and_narrowing_go_to_whole_units() {
        let range = ByteRange::new(512, 9000);
        assert_eq!(range.widened(4096), ByteRange::new(0, 12288));
        assert_eq!(range.narrowed(4096), ByteRange::new(4096, 8192));
        assert!(ByteRange::new(100, 200).narrowed(4096).is_empty());
    }

    #[test]
    fn ranges_that_only_touch_do_not_overlap() {
        assert!(!ByteRange::new(0, 10).overlaps(&ByteRange::new(10, 20)));
        assert!(ByteRange::new(0, 11).overlaps(&ByteRange::new(10, 20)));
        assert!(ByteRange::new(0, 10).intersection(&ByteRange::new(10, 20)).is_empty());
    }

    #[test]
    fn a_range_past_the_largest_address_is_refused() {
        assert_eq!(ByteRange::checked(u64::MAX - 10, 11), None);
    }
}
