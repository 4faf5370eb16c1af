//! The consistency set of a disk, as the disk knows it: without the other disks.

use std::pin::Pin;

use redo::{RingError, SetId};

use crate::types::units::DiskId;

/// Reason for which no cut of a consistency set counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetWait {
    /// This number of its disks is not attached.
    NotAttached(u32),
    /// This disk is not ready, or its ring took no group.
    Disk(DiskId),
}

/// State of a consistency set, for statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetStatistics {
    /// Identity of the set.
    pub id: SetId,
    /// Disks that belong to the set, attached or not.
    pub members: u32,
    /// Of these, disks that are attached.
    pub attached: u32,
    /// Of these, disks that promise something: they are part of cuts.
    pub promising: u32,
    /// Time as of which all of these are if all flash is lost, in nanoseconds since 1970; none until a cut counts.
    pub taken_at: Option<u64>,
    /// Reason for which no cut counts at present.
    pub waits_for: Option<SetWait>,
}

impl SetWait {
    /// Returns the failure of a disk that waits.
    pub(super) fn failure(self) -> RingError {
        match self {
            Self::NotAttached(missing) => RingError::WaitsForMissing { missing },
            Self::Disk(disk) => RingError::WaitsForDisk { disk: u64::from(disk.0) },
        }
    }
}

/// A consistency set to which a disk belongs.
pub(crate) trait SetLink {
    /// Returns the state of the set.
    fn statistics(&self) -> SetStatistics;

    /// Records that a disk joins, leaves, or does not promise anything any more: the next cut has other members than the one before, also
    /// if they have the same numbers.
    fn record_change(&self);

    /// Returns true if the next cut has other members than the last one: it is to count soon, so that rings say who belongs to them.
    fn is_changed(&self) -> bool;

    /// Returns the nanoseconds until the next cut may begin.
    fn rest(&self, now: u64) -> u64;

    /// Decides, after a start, whether groups count that rings had when they were opened; and brings all members to a cut. `leader` is the
    /// member that wants it. Failures of rings are left to their disks.
    ///
    /// # Errors
    /// The reason for which no cut counts.
    fn cut(&self, leader: DiskId) -> Pin<Box<dyn Future<Output = Result<(), SetWait>> + '_>>;

    /// Removes a disk.
    fn remove(&self, disk: DiskId);

    /// Ends the pauses of members whose rings are full: no group of another member counts until there is room.
    fn end_full_pauses(&self);

    /// Wakes those who wait for destage of any member, because it may be their turn to end a pause.
    fn wake_waiters(&self);
}
