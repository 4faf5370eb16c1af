//! Addresses and identities, each its own type so that no two can be mixed up; and the units of time.

use std::fmt;

use block::{ByteRange, PAGE};

/// A second of the clock of a shard, in nanoseconds.
pub const SECOND_NS: u64 = 1_000_000_000;

/// A disk of this host. Numbers are never used again, so that old content can never be taken for a new disk's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DiskId(pub u32);

/// The owner of a segment that is not free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SegmentOwner {
    /// The log of a disk.
    Disk(DiskId),
    /// The notes about regions of all disks.
    Notes,
    /// No owner any more: the content is invalid, and the next start finds the segment free.
    Invalid,
}

/// A 4 KiB page of a disk, counted from the disk's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PageNumber(pub u64);

/// A 4 KiB page of the segments of a pool, counted from the first segment on. Its device, and the place there, are
/// known to the code that reads and writes. 32 bits: pools of up to 16 TiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FlashPage(pub u32);

/// A segment of a pool. Those of one device follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SegmentNumber(pub u32);

/// A device of a pool. Numbers are never used again, so that a device that was taken out can never be taken for one
/// that belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemberNumber(pub u32);

/// A shard that uses a pool, counted from the one that opened it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShardNumber(pub u32);

/// A point in the sequence of versions of a pool: the term in the high 24 bits, a count within the term in the low 40.
///
/// The term rises durably at every start before anything is appended (rule I1), so no value is ever drawn twice, even
/// after a crash. Both page versions and segment generations are of this type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sequence(pub u64);

impl Sequence {
    const COUNT_BITS: u32 = 40;

    /// Creates the first moment of a term.
    pub fn first_of(term: u32) -> Self {
        assert!(term < 1 << 24, "terms are 24 bits: sixteen million starts of a pool");
        Self(u64::from(term) << Self::COUNT_BITS)
    }

    /// Returns the term of the moment.
    pub fn term(self) -> u32 {
        (self.0 >> Self::COUNT_BITS) as u32
    }

    /// Returns the next moment of the same term.
    #[must_use]
    pub fn next(self) -> Self {
        let next = Self(self.0 + 1);
        assert!(next.0 & ((1 << Self::COUNT_BITS) - 1) != 0, "a term holds 2^40 moments, decades of writing");
        next
    }
}

impl SegmentOwner {
    /// Returns the disk, if the owner is one.
    pub fn disk(self) -> Option<DiskId> {
        if let Self::Disk(disk) = self { Some(disk) } else { None }
    }
}

impl From<DiskId> for SegmentOwner {
    fn from(disk: DiskId) -> Self {
        Self::Disk(disk)
    }
}

impl FlashPage {
    /// Returns the page `count` pages further on.
    #[must_use]
    pub fn plus(self, count: u32) -> Self {
        Self(self.0 + count)
    }
}

impl PageNumber {
    /// Returns the offset of the page on its disk, in bytes.
    pub fn offset(self) -> u64 {
        self.0 * PAGE
    }

    /// Returns the page's bytes on its disk. The last page of a disk may be cut short by the disk's end.
    pub fn range(self) -> ByteRange {
        ByteRange::at(self.offset(), PAGE)
    }
}

/// Returns the pages that share a byte with `range`.
pub fn pages_touched(range: &ByteRange) -> impl DoubleEndedIterator<Item = PageNumber> + use<> {
    (range.start / PAGE..range.end.div_ceil(PAGE)).map(PageNumber)
}

/// Returns the pages of which only a part is in `range`: two at most.
pub fn pages_cut(range: &ByteRange) -> impl Iterator<Item = PageNumber> + use<> {
    let (first, last) = (range.start / PAGE, range.end.div_ceil(PAGE).saturating_sub(1));
    let ends = [Some(first), (last != first).then_some(last)];
    let range = *range;
    ends.into_iter().flatten().map(PageNumber).filter(move |page| !range.contains(&page.range()))
}

impl fmt::Display for MemberNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for DiskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_term_is_above_every_moment_of_an_earlier_one() {
        let early = Sequence(Sequence::first_of(3).0 + (1 << 40) - 1);
        assert!(Sequence::first_of(4) > early);
        assert!(Sequence::first_of(4).next() > Sequence::first_of(4));
    }

    #[test]
    fn pages_that_are_cut_are_those_at_the_ends() {
        let cut = |start, end| pages_cut(&ByteRange::new(start, end)).map(|page| page.0).collect::<Vec<_>>();
        assert_eq!(cut(0, 8192), []);
        assert_eq!(cut(512, 8192), [0]);
        assert_eq!(cut(4096, 8704), [2]);
        assert_eq!(cut(512, 12_800), [0, 3]);
        assert_eq!(cut(512, 1024), [0]);
    }

    #[test]
    fn touched_pages_include_partial_ones() {
        let pages: Vec<_> = pages_touched(&ByteRange::new(4095, 8193)).collect();
        assert_eq!(pages, [PageNumber(0), PageNumber(1), PageNumber(2)]);
    }
}
