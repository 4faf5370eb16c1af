//! The regions of a disk that have an open intent: there the backing may differ from the log after a power cut (rule I11).
//!
//! ```text
//!   Closed ──intent durable──> Open ──no mutation since the last check──> (closing) ──quiet──> Closed
//! ```

use std::ops::Range;

use block::{ByteRange, PAGE};

use crate::types::units::PageNumber;

pub(crate) struct Regions {
    region_bytes: u64,
    disk_pages: u64,
    states: Vec<RegionState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RegionState {
    Closed,
    /// Open, and changed since the last check.
    Busy,
    /// Open, and nothing was.
    Idle,
}

impl Regions {
    pub(crate) fn new(region_pages: u32, disk_bytes: u64) -> Self {
        let region_bytes = u64::from(region_pages) * PAGE;
        let states = vec![RegionState::Closed; disk_bytes.div_ceil(region_bytes) as usize];
        Self { region_bytes, disk_pages: disk_bytes.div_ceil(PAGE), states }
    }

    /// Sets a new size of the disk, in bytes, not less than before. New regions are closed: nothing has changed them here.
    pub(crate) fn grow(&mut self, disk_bytes: u64) {
        assert!(disk_bytes.div_ceil(PAGE) >= self.disk_pages, "a disk does not shrink");
        self.disk_pages = disk_bytes.div_ceil(PAGE);
        self.states.resize(disk_bytes.div_ceil(self.region_bytes) as usize, RegionState::Closed);
    }

    /// Returns the regions that share a byte with `range` and have no open intent.
    pub(crate) fn closed_in(&self, range: &ByteRange) -> Vec<u32> {
        self.touched_by(range).filter(|region| self.states[*region as usize] == RegionState::Closed).collect()
    }

    /// Records that a region's intent is open. One that the disk does not have any more, because it shrank, is ignored.
    pub(crate) fn open(&mut self, region: u32) {
        if let Some(state) = self.states.get_mut(region as usize) {
            *state = RegionState::Busy;
        }
    }

    /// Records that every region's intent is open.
    pub(crate) fn open_all(&mut self) {
        self.states.fill(RegionState::Busy);
    }

    /// Returns the number of regions of the disk.
    pub(crate) fn count(&self) -> u32 {
        self.states.len() as u32
    }

    /// Returns true if the region has an open intent.
    pub(crate) fn is_open(&self, region: u32) -> bool {
        self.states[region as usize] != RegionState::Closed
    }

    /// Returns true if the region of a page has an open intent.
    pub(crate) fn is_open_at(&self, page: PageNumber) -> bool {
        self.states
            .get((page.offset() / self.region_bytes) as usize)
            .is_some_and(|state| *state != RegionState::Closed)
    }

    /// Records a mutation. Its regions are open.
    pub(crate) fn mutate(&mut self, range: &ByteRange) {
        for region in self.touched_by(range) {
            assert_ne!(
                self.states[region as usize],
                RegionState::Closed,
                "an intent comes before a mutation"
            );
            self.states[region as usize] = RegionState::Busy;
        }
    }

    /// Returns the open regions that were not changed since the last check, and starts the next interval.
    pub(crate) fn look(&mut self) -> Vec<u32> {
        let mut idle = Vec::new();
        for (region, state) in (0u32..).zip(&mut self.states) {
            match *state {
                RegionState::Closed => {}
                RegionState::Busy => *state = RegionState::Idle,
                RegionState::Idle => idle.push(region),
            }
        }
        idle
    }

    /// Returns true if no region has an open intent.
    pub(crate) fn all_closed(&self) -> bool {
        self.states.iter().all(|state| *state == RegionState::Closed)
    }

    /// Returns true if the region is open, and was not changed since the last check.
    pub(crate) fn is_idle(&self, region: u32) -> bool {
        self.states[region as usize] == RegionState::Idle
    }

    /// Records that a region's intent is closed.
    pub(crate) fn close(&mut self, region: u32) {
        self.states[region as usize] = RegionState::Closed;
    }

    /// Returns the pages of a region that the disk has.
    pub(crate) fn pages(&self, region: u32) -> Range<u64> {
        let region_pages = self.region_bytes / PAGE;
        let start = u64::from(region) * region_pages;
        start.min(self.disk_pages)..(start + region_pages).min(self.disk_pages)
    }

    /// Returns the bytes of a region.
    pub(crate) fn range(&self, region: u32) -> ByteRange {
        ByteRange::at(u64::from(region) * self.region_bytes, self.region_bytes)
    }

    fn touched_by(&self, range: &ByteRange) -> Range<u32> {
        (range.start / self.region_bytes) as u32..range.end.div_ceil(self.region_bytes) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_idle_when_nothing_changed_it_between_two_looks() {
        let mut regions = Regions::new(16, 1 << 20);
        let range = ByteRange::new(65_000, 66_000);
        assert_eq!(regions.closed_in(&range), [0, 1]);
        regions.open(0);
        regions.open(1);
        regions.open(99);
        assert!(regions.look().is_empty());
        regions.mutate(&ByteRange::new(0, 512));
        assert_eq!(regions.look(), [1]);
        assert!(regions.is_idle(1));
        regions.close(1);
        assert_eq!(regions.look(), [0]);
        assert!(regions.is_open(0) && !regions.is_open(1) && !regions.all_closed());
        assert_eq!(regions.closed_in(&range), [1]);
    }

    #[test]
    fn regions_of_a_disk_that_grew_are_closed_where_it_is_new_and_as_they_were_elsewhere() {
        let mut regions = Regions::new(16, (1 << 20) + 512);
        regions.open(16);
        regions.grow((1 << 20) + (96 << 10));
        assert_eq!((regions.count(), regions.is_open(16), regions.is_open(17)), (18, true, false));
        assert_eq!([regions.pages(16), regions.pages(17)], [256..272, 272..280]);
        assert_eq!(regions.closed_in(&ByteRange::new(0, 512)), [0]);
    }

    #[test]
    fn the_last_region_ends_with_the_disk() {
        let regions = Regions::new(16, (1 << 20) + 512);
        assert_eq!(regions.pages(16), 256..257);
        assert_eq!(regions.pages(1), 16..32);
    }
}
