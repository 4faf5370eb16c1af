//! Whose segments hold what the backing does not have, how much of that has room, and who holds more than it may.

use super::{Segments, State, VOID};
use crate::knowledge::holders::{self, Holder};
use crate::words::limits::NOTE_SEGMENTS;
use crate::words::units::{DiskId, SegmentNumber};

impl Segments {
    /// Notes whether there may be something in a disk's segments that its backing does not have.
    pub(crate) fn set_dirty(&mut self, disk: DiskId, dirty: bool) {
        self.holders.entry(disk).or_insert(Holder::UNKNOWN).dirty = dirty;
    }

    /// True if there may be.
    pub(crate) fn is_dirty(&self, disk: DiskId) -> bool {
        self.holders.get(&disk).is_some_and(|holder| holder.dirty)
    }

    /// Notes whether what a disk's guests write stays on flash for a while.
    pub(crate) fn set_writes_back(&mut self, disk: DiskId, writes_back: bool) {
        if let Some(holder) = self.holders.get_mut(&disk) {
            let before = std::mem::replace(&mut holder.writes_back, writes_back);
            self.writing_back = self.writing_back + u32::from(writes_back) - u32::from(before);
        }
    }

    /// Disks of which that is so.
    pub(crate) fn writing_back(&self) -> u32 {
        self.writing_back
    }

    /// True if not even reclaim gets a segment.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.space.left() <= NOTE_SEGMENTS - self.noted()
    }

    /// Segments that a disk keeps when others need room.
    pub(crate) fn kept_by(&self, disk: DiskId) -> u32 {
        let kept = holders::kept(self.reserved, self.usable());
        self.holders.get(&disk).map_or(0, kept)
    }

    /// Gives back a victim that could not be emptied: it is the oldest of its disk, as before. One that was disowned meanwhile
    /// belongs to nobody, and nobody knows who still reads it: the next start finds it free.
    pub(crate) fn put_back(&mut self, segment: SegmentNumber) {
        let line = &mut self.lines[segment.0 as usize];
        assert_eq!(line.state, State::Reclaiming);
        if line.life.is_none_or(|(owner, _)| owner == VOID) {
            return;
        }
        line.state = State::Sealed;
        self.sealed.push_front(segment);
    }

    /// An attached disk that holds more than it may, after its limit was lowered.
    pub(crate) fn over_limit(&self) -> Option<DiskId> {
        let known = |holder: &Holder| !holder.dirty || holder.indexed;
        let over =
            |holder: &Holder| holder.home.is_some() && holder.held > holder.share.limit && known(holder);
        self.holders.iter().find(|(_, holder)| over(holder)).map(|(disk, _)| *disk)
    }

    /// True if a disk holds more than it may, after its limit was lowered.
    pub(crate) fn exceeds_limit(&self, disk: DiskId) -> bool {
        self.holders.get(&disk).is_some_and(|holder| holder.held > holder.share.limit)
    }
}
