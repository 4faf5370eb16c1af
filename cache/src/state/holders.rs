//! The segments that each disk holds of a pool, and those that it is promised.

use crate::types::units::ShardNumber;

#[derive(Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says something else of a disk, and most go together with others"
)]
pub(super) struct Holder {
    pub(super) held: u32,
    /// Number of these that have no second copy and are none.
    pub(super) singles: u32,
    pub(super) share: Share,
    /// Segments that it is to have of those that disks share; none where nothing was divided.
    pub(super) target: Option<u32>,
    /// Segments that its dirty data takes, which may be more than it reserved.
    pub(super) for_dirty: u32,
    /// True if its index covers its segments: not before its content was loaded.
    pub(super) indexed: bool,
    /// True if its segments may hold dirty data.
    pub(super) dirty: bool,
    /// True if writes of its guests stay on flash for a while.
    pub(super) writes_back: bool,
    /// True if these writes need two copies.
    pub(super) mirrored: bool,
    /// Changes that the loss of a device would undo because the table does not record them yet: second copies that were made, and segments
    /// with one copy that were freed.
    pub(super) unrecorded: u32,
    /// Number of those that are in the table that is being written.
    pub(super) recording: u32,
    /// Set when the disk is being detached: it gets no segments any more.
    pub(super) leaving: bool,
    /// The owner shard, which alone knows the content of its segments.
    pub(super) owner_shard: Option<ShardNumber>,
}

/// Share of a disk, in segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) reserve: u32,
    pub(crate) limit: u32,
}

impl Holder {
    /// A holder with no segments and no reservation, whose content is not known.
    pub(super) const UNKNOWN: Self = Self {
        held: 0,
        singles: 0,
        share: Share { reserve: 0, limit: u32::MAX },
        target: None,
        for_dirty: 0,
        indexed: false,
        dirty: false,
        writes_back: false,
        mirrored: false,
        unrecorded: 0,
        recording: 0,
        leaving: false,
        owner_shard: None,
    };

    /// Returns the segments that no other disk can take from this one.
    pub(super) fn promised(&self) -> u32 {
        self.share.reserve.max(self.for_dirty)
    }

    /// Returns the segments that the disk has to keep: those promised to it, or all if its content is dirty and not loaded.
    pub(super) fn held_for_sure(&self) -> u32 {
        let unknown = if self.dirty && !self.indexed { self.held } else { 0 };
        self.promised().max(unknown)
    }

    /// Returns the segments that the disk has beyond its target, and beyond what is promised to it.
    pub(super) fn beyond_target(&self) -> u32 {
        self.target.map_or(0, |target| self.held.saturating_sub(target.max(self.promised())))
    }

    /// Returns how many of them the disk did not reserve.
    pub(super) fn beyond_reserve(&self) -> u32 {
        self.promised() - self.share.reserve
    }
}

/// Returns the segments that a disk keeps when others need room. A device that is gone may leave less than was promised: then every disk
/// keeps its part of the rest. `reserved` are the segments that were promised to all of them together.
pub(super) fn kept(reserved: u64, usable: u32) -> impl Fn(&Holder) -> u32 {
    move |holder| match u64::from(holder.promised()) {
        reserve if reserved <= u64::from(usable) => reserve as u32,
        reserve => (reserve * u64::from(usable) / reserved) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_that_became_smaller_is_shared_as_it_was_promised() {
        let holder = |reserve| Holder { share: Share { reserve, limit: 100 }, ..Holder::UNKNOWN };
        let holders = [holder(60), holder(20)];
        let before = kept(80, 80);
        assert_eq!(holders.each_ref().map(before), [60, 20]);
        let after = kept(80, 40);
        assert_eq!(holders.each_ref().map(after), [30, 10]);
    }
}
