//! Notes about disks as entries of batches: which intents of a disk are open.
//!
//! | note | kind | page | checksum |
//! |---|---|---|---|
//! | intent opened | `intent` | the intent | number of the disk |
//! | intent closed | `close-intent` | the intent | number of the disk |
//! | complete | `close-intent` | `0xffff_ffff` | number of the owner of notes |
//!
//! | intent | number |
//! |---|---|
//! | one region | that of the region |
//! | dirty data | `0xffff_fffe` |
//! | all regions | `0xffff_ffff` |

use super::batch::{Entry, EntryKind};
use super::owner;
use super::summary::SummaryEntry;
use crate::types::units::{DiskId, PageNumber, SegmentOwner, Sequence};

/// A statement about a disk that holds from the note that opens it to the one that closes it. Notes list the intents of a
/// disk in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Intent {
    /// The backing may be changed in this region.
    Region(u32),
    /// Flash may hold data that the backing lacks.
    DirtyData,
    /// The backing may be changed in every region. Stands for more regions than notes have room for.
    AllRegions,
}

impl Intent {
    const ALL_REGIONS: u32 = u32::MAX;
    const DIRTY_DATA: u32 = u32::MAX - 1;

    fn number(self) -> u32 {
        match self {
            Self::Region(region) => {
                assert!(region < Self::DIRTY_DATA, "a disk of so many regions cannot be indexed");
                region
            }
            Self::DirtyData => Self::DIRTY_DATA,
            Self::AllRegions => Self::ALL_REGIONS,
        }
    }

    fn from_number(number: u32) -> Self {
        match number {
            Self::ALL_REGIONS => Self::AllRegions,
            Self::DIRTY_DATA => Self::DirtyData,
            region => Self::Region(region),
        }
    }

    /// Returns the region, if the intent is about one.
    pub fn region(self) -> Option<u32> {
        if let Self::Region(region) = self { Some(region) } else { None }
    }
}

/// One entry of a segment of notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// An intent of a disk is open.
    Open(DiskId, Intent),
    /// An intent of a disk is closed.
    Close(DiskId, Intent),
    /// The segment lists all intents that were open when it was begun.
    Complete,
}

impl Note {
    /// Returns the note as an entry of a batch.
    pub fn to_entry(self, sequence: Sequence) -> Entry {
        let (kind, intent, owner) = match self {
            Self::Open(disk, intent) => (EntryKind::Intent, intent, SegmentOwner::Disk(disk)),
            Self::Close(disk, intent) => (EntryKind::CloseIntent, intent, SegmentOwner::Disk(disk)),
            Self::Complete => (EntryKind::CloseIntent, Intent::AllRegions, SegmentOwner::Notes),
        };
        let page = PageNumber(u64::from(intent.number()));
        Entry { page, kind, sequence, seeded_checksum: owner::number(owner), place: 0 }
    }

    /// Returns the note of an entry; none of entries that only the log of a disk has.
    pub fn from_entry(entry: &Entry) -> Option<Self> {
        Self::from_fields(entry.kind, entry.page, entry.seeded_checksum)
    }

    /// Returns the note of an entry of a summary, as [`Self::from_entry`].
    pub(crate) fn from_line(line: &SummaryEntry) -> Option<Self> {
        Self::from_fields(line.kind, line.page, line.checksum)
    }

    fn from_fields(kind: EntryKind, page: PageNumber, owner: u32) -> Option<Self> {
        let intent = Intent::from_number(page.0 as u32);
        match (kind, owner::from_number(owner)?) {
            (EntryKind::Intent, SegmentOwner::Disk(disk)) => Some(Self::Open(disk, intent)),
            (EntryKind::CloseIntent, SegmentOwner::Disk(disk)) => Some(Self::Close(disk, intent)),
            (EntryKind::CloseIntent, SegmentOwner::Notes) if intent == Intent::AllRegions => {
                Some(Self::Complete)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_have_the_numbers_that_pools_of_this_format_know() {
        let disk = DiskId(7);
        let notes = [
            (Note::Open(disk, Intent::Region(3)), EntryKind::Intent, 3, 7),
            (Note::Close(disk, Intent::Region(3)), EntryKind::CloseIntent, 3, 7),
            (Note::Open(disk, Intent::DirtyData), EntryKind::Intent, 0xffff_fffe, 7),
            (Note::Close(disk, Intent::AllRegions), EntryKind::CloseIntent, 0xffff_ffff, 7),
            (Note::Complete, EntryKind::CloseIntent, 0xffff_ffff, 0xffff_fffe),
        ];
        for (note, kind, page, seeded_checksum) in notes {
            let entry =
                Entry { page: PageNumber(page), kind, sequence: Sequence(9), seeded_checksum, place: 0 };
            assert_eq!((note.to_entry(Sequence(9)), Note::from_entry(&entry)), (entry, Some(note)));
        }
    }
}
