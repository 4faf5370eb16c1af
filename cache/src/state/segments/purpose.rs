//! Purposes for which segments are taken, and how many free segments each of them leaves to the others.
//!
//! | purpose | within the disk's limit | leaves free | because |
//! |---|---|---|---|
//! | promotion | yes | those of reclaim and of notes | clean content can wait until reclaim has made room |
//! | guest's write | yes | the same | reclaim needs a segment to make room for the next writes |
//! | log record | yes | the same | destage and closing of regions wait for room as writers do |
//! | survivors | no | those of notes | the victim is free afterwards |
//! | notes | no | none | guests' writes wait for notes, and notes wait for nothing |

use crate::types::limits::{KEPT_BACK_SEGMENTS, NOTE_SEGMENTS};

/// A reason to take a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentPurpose {
    /// Clean pages that are copied from RAM.
    Promotion,
    /// Data or zeroes of a guest that the backing lacks.
    GuestWrite,
    /// Records that older entries are destaged, forgotten or lost.
    LogRecord,
    /// Pages and ranges of a segment that is being reclaimed.
    Survivors,
    /// Notes about regions.
    Notes,
}

impl SegmentPurpose {
    /// Returns true if the limit of the disk applies.
    pub(super) fn is_limited(self) -> bool {
        match self {
            Self::Promotion | Self::GuestWrite | Self::LogRecord => true,
            Self::Survivors | Self::Notes => false,
        }
    }

    /// Returns the free segments that are left to others, those that notes may take included.
    pub(super) fn kept_back(self) -> u32 {
        match self {
            Self::Promotion | Self::GuestWrite | Self::LogRecord => KEPT_BACK_SEGMENTS,
            Self::Survivors => NOTE_SEGMENTS,
            Self::Notes => 0,
        }
    }
}
