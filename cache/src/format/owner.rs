//! Owners of segments as numbers: a disk has its own, and the highest numbers stand for owners that are no disks.
//!
//! | number | owner |
//! |---|---|
//! | below `0xffff_fffd` | the disk of this number |
//! | `0xffff_fffd` | none: the content is invalid until the segment is free |
//! | `0xffff_fffe` | the notes about regions |
//! | `0xffff_ffff` | none: the segment is free |

use crate::types::units::{DiskId, SegmentOwner};

/// The number in the place of an owner while a segment is free.
pub(super) const FREE: u32 = u32::MAX;
const NOTES: u32 = u32::MAX - 1;
const INVALID: u32 = u32::MAX - 2;

/// The lowest number that no disk may have.
pub(crate) const DISK_NUMBERS_END: u32 = INVALID;

/// Returns the number of an owner.
pub(super) fn number(owner: SegmentOwner) -> u32 {
    match owner {
        SegmentOwner::Disk(DiskId(number)) => {
            assert!(number < DISK_NUMBERS_END, "disks with such numbers are refused when they are attached");
            number
        }
        SegmentOwner::Notes => NOTES,
        SegmentOwner::Invalid => INVALID,
    }
}

/// Returns the owner of a number; none of a free segment.
pub(super) fn from_number(number: u32) -> Option<SegmentOwner> {
    match number {
        FREE => None,
        NOTES => Some(SegmentOwner::Notes),
        INVALID => Some(SegmentOwner::Invalid),
        disk => Some(SegmentOwner::Disk(DiskId(disk))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_have_the_numbers_that_pools_of_this_format_know() {
        let numbers = [
            (Some(SegmentOwner::Disk(DiskId(0))), 0),
            (Some(SegmentOwner::Disk(DiskId(0xffff_fffc))), 0xffff_fffc),
            (Some(SegmentOwner::Invalid), 0xffff_fffd),
            (Some(SegmentOwner::Notes), 0xffff_fffe),
            (None, 0xffff_ffff),
        ];
        for (owner, expected) in numbers {
            assert_eq!((owner.map_or(FREE, number), from_number(expected)), (expected, owner));
        }
    }

    #[test]
    #[should_panic(expected = "refused when they are attached")]
    fn no_disk_has_the_number_of_another_owner() {
        number(SegmentOwner::Disk(DiskId(NOTES)));
    }
}
