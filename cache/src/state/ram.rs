//! The RAM tier of one disk: recent pages, never the only copy of anything.
//!
//! ```text
//!   enters, or is used ──> warm, by LRU ──considered──┬──worth flash────> waiting ──stage──> moving ──settle──┐
//!                            ^                        ├──there already──> spare <───────────────────────────┤
//!                            │                        └──worth none─────> cold <──── the write failed ────────┘
//!                            └──────────────────── used again ────────────┴──> evicted, spare ones first
//! ```
//! The warm list ends some way before RAM is full: pages that leave it are considered ([`Ram::consider`]). An accepted page waits
//! until there is enough of it for a batch ([`Ram::stage`]), and stays readable until [`Ram::settle`] reports that flash has
//! it; the others are evicted when their place is needed. A page that is on its way is never evicted, so the page itself is the
//! token that its content is still current: a write removes it, and then `settle` finds it gone.

#[cfg(test)]
mod tests;

use std::ops::Range;

use block::Part;
use hashbrown::HashTable;

use super::hash::hash;
use super::learned::History;
use super::pages::Pages;
use crate::types::units::{PageNumber, Sequence};

const NONE: u32 = u32::MAX;

pub(crate) struct Ram {
    capacity: usize,
    table: HashTable<u32>,
    slots: Vec<RamSlot>,
    /// Page in each slot.
    pages: Pages,
    free: Vec<u32>,
    /// By [`RamList`], save those that are nowhere.
    lists: [PageList; 4],
    /// Pages that are being written to flash.
    moving: usize,
}

/// Some of the pages in an order.
#[derive(Clone, Copy)]
struct PageList {
    newest: u32,
    oldest: u32,
    len: usize,
}

impl PageList {
    const EMPTY: Self = Self { newest: NONE, oldest: NONE, len: 0 };
}

/// List of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RamList {
    /// By the last use.
    Warm = 0,
    /// Evicted first: flash has it too.
    Spare = 1,
    /// Evicted next.
    Cold = 2,
    /// Waits for a batch.
    Waiting = 3,
    /// In none: on its way to flash, and not used since.
    Nowhere = 4,
}

#[derive(Clone, Copy)]
struct RamSlot {
    page: PageNumber,
    sequence: Sequence,
    newer: u32,
    older: u32,
    history: History,
    standing: PromotionState,
    place: RamList,
}

/// Standing of a page with respect to flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PromotionState {
    /// Not on flash, not considered since it was used.
    New,
    /// Accepted for flash, and waits for a batch.
    Waiting,
    /// Being written to flash.
    Moving,
    /// On flash too.
    OnFlash,
    /// Considered, and flash was not earned.
    Rejected,
}

/// A page that was evicted from RAM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EvictedPage {
    pub(crate) page: PageNumber,
    pub(crate) standing: PromotionState,
    pub(crate) history: History,
}

/// A page that is to be written to flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PromotionOffer {
    pub(crate) page: PageNumber,
    pub(crate) sequence: Sequence,
    slot: u32,
}

/// Place of a page; valid as long as nothing enters or leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot(u32);

impl Ram {
    /// Creates an empty tier of at most `capacity` pages.
    pub(crate) fn new(capacity: usize) -> Self {
        assert!(capacity > 0 && capacity < NONE as usize);
        Self {
            capacity,
            table: HashTable::new(),
            slots: Vec::new(),
            pages: Pages::new(capacity),
            free: Vec::new(),
            lists: [PageList::EMPTY; 4],
            moving: 0,
        }
    }

    /// Returns the number of pages held.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns the number of pages that fit.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns true if the page is in RAM; does not count as a use.
    pub(crate) fn contains(&self, page: PageNumber) -> bool {
        self.find(page).is_some()
    }

    /// Returns the content of a page that was found, which becomes the most recently used; `used` updates its history.
    pub(crate) fn read_at(&mut self, Spot(slot): Spot, used: impl FnOnce(History) -> History) -> &[u8] {
        if self.lists[RamList::Warm as usize].newest != slot {
            self.unlink(slot);
            self.link_newest(slot, RamList::Warm);
        }
        let entry = &mut self.slots[slot as usize];
        entry.history = used(entry.history);
        if matches!(entry.standing, PromotionState::Rejected | PromotionState::Waiting) {
            self.stand(slot, PromotionState::New);
        }
        self.pages.bytes(slot as usize)
    }

    /// Returns the page's content, touching nothing.
    pub(crate) fn peek(&self, page: PageNumber) -> Option<&[u8]> {
        Some(self.bytes_at(self.find(page)?))
    }

    /// Returns the same of a page that was found.
    pub(crate) fn bytes_at(&self, Spot(slot): Spot) -> &[u8] {
        self.pages.bytes(slot as usize)
    }

    /// Returns the place of a page, if it is in RAM; does not count as a use.
    pub(crate) fn find(&self, page: PageNumber) -> Option<Spot> {
        let is_it = |&slot: &u32| self.slots[slot as usize].page == page;
        self.table.find(hash(page.0), is_it).copied().map(Spot)
    }

    /// Inserts a page, the most recently used; `bytes` shorter than a page are followed by zeroes. Replaces the page that was there under
    /// the same number. `history` is its history. Returns the page that had to leave, if one had to.
    pub(crate) fn insert(
        &mut self,
        page: PageNumber,
        bytes: &[u8],
        sequence: Sequence,
        standing: PromotionState,
        history: History,
    ) -> Option<EvictedPage> {
        self.remove_one(page);
        let evicted = if self.len() >= self.capacity { self.evict() } else { None };
        if self.len() >= self.capacity {
            // All pages are on their way to flash; the new one is evicted.
            return Some(EvictedPage { page, standing, history });
        }
        let slot = self.take_slot();
        let place = RamList::Nowhere;
        self.slots[slot as usize] =
            RamSlot { page, sequence, newer: NONE, older: NONE, history, standing, place };
        let place = self.pages.bytes_mut(slot as usize);
        place[..bytes.len()].copy_from_slice(bytes);
        place[bytes.len()..].fill(0);
        self.link_newest(slot, RamList::Warm);
        self.table.insert_unique(hash(page.0), slot, |&slot| hash(self.slots[slot as usize].page.0));
        evicted
    }

    /// Returns the memory to populate for future pages, if any is due and was not requested yet.
    pub(crate) fn wants_in_memory(&mut self) -> Option<Part> {
        self.pages.wants_in_memory(self.slots.len())
    }

    /// Returns the history of a page in RAM.
    pub(crate) fn history(&self, page: PageNumber) -> Option<History> {
        self.find(page).map(|Spot(slot)| self.slots[slot as usize].history)
    }

    /// Calls back with the history of each of these pages that is in RAM, in no order.
    pub(crate) fn histories(&self, pages: &Range<u64>, mut tell: impl FnMut(PageNumber, History)) {
        let mut tell = |slot: u32| tell(self.slots[slot as usize].page, self.slots[slot as usize].history);
        if pages.end.saturating_sub(pages.start) <= self.len() as u64 {
            return pages
                .clone()
                .filter_map(|page| self.find(PageNumber(page)))
                .for_each(|Spot(slot)| tell(slot));
        }
        let is_inside = |slot: &u32| pages.contains(&self.slots[*slot as usize].page.0);
        self.table.iter().copied().filter(is_inside).for_each(tell);
    }

    /// Takes pages out. Returns how many were here.
    pub(crate) fn remove(&mut self, pages: Range<u64>) -> u64 {
        if pages.end.saturating_sub(pages.start) <= self.len() as u64 {
            return pages.map(|page| u64::from(self.remove_one(PageNumber(page)))).sum();
        }
        let slots = self.table.iter().map(|&slot| self.slots[slot as usize].page);
        let inside: Vec<PageNumber> = slots.filter(|page| pages.contains(&page.0)).collect();
        inside.into_iter().map(|page| u64::from(self.remove_one(page))).sum()
    }

    /// Drops all pages, which is allowed since nothing here is the only copy. The memory is kept.
    pub(crate) fn clear(&mut self) {
        self.table.clear();
        self.slots.clear();
        self.free.clear();
        (self.lists, self.moving) = ([PageList::EMPTY; 4], 0);
    }

    /// Changes how many pages fit, and keeps the pages that do. Returns those that had to leave, coldest first.
    pub(crate) fn resize(&mut self, capacity: usize) -> Vec<EvictedPage> {
        assert!(capacity > 0 && capacity < NONE as usize);
        self.capacity = capacity;
        let mut evicted = Vec::new();
        while self.len() > capacity {
            // If all that is left waits for flash or is on its way there, some of that goes: it is written, but not kept here.
            let Some(page) = self.evict().or_else(|| self.evict_any()) else { break };
            evicted.push(page);
        }
        self.move_down();
        self.pages.resize(capacity, self.slots.len());
        evicted
    }

    /// Gives up the page that has waited longest for flash, or else one that is being written there.
    fn evict_any(&mut self) -> Option<EvictedPage> {
        let oldest = self.lists[RamList::Waiting as usize].oldest;
        let slot = if oldest == NONE { *self.table.iter().next()? } else { oldest };
        let RamSlot { page, standing, history, .. } = self.slots[slot as usize];
        self.remove_one(page);
        Some(EvictedPage { page, standing, history })
    }

    /// Moves pages from slots beyond the capacity to free ones below.
    fn move_down(&mut self) {
        let end = self.capacity;
        if self.slots.len() <= end {
            return;
        }
        let mut is_free = vec![false; self.slots.len()];
        for slot in &self.free {
            is_free[*slot as usize] = true;
        }
        self.free.retain(|slot| (*slot as usize) < end);
        for slot in (end..self.slots.len()).filter(|slot| !is_free[*slot]) {
            let to = self.free.pop().expect("no more pages than fit are here");
            self.move_slot(slot as u32, to);
        }
        self.slots.truncate(end);
    }

    /// Moves a page to a free slot, with its place in the order.
    fn move_slot(&mut self, from: u32, to: u32) {
        let entry = self.slots[from as usize];
        let places = self.table.find_mut(hash(entry.page.0), |slot| *slot == from);
        *places.expect("every page is in the table") = to;
        if entry.place != RamList::Nowhere {
            match entry.newer {
                NONE => self.lists[entry.place as usize].newest = to,
                newer => self.slots[newer as usize].older = to,
            }
            match entry.older {
                NONE => self.lists[entry.place as usize].oldest = to,
                older => self.slots[older as usize].newer = to,
            }
        }
        self.slots[to as usize] = entry;
        self.pages.copy(from as usize, to as usize);
    }

    /// Considers the warm pages beyond the last `depth` places: new pages that `admits(page, history)` wait for flash from now on. If
    /// `most` do or are on their way already, the next one stays where it is, and is considered another time unless its place is needed
    /// before. Returns how many were refused.
    pub(crate) fn consider(
        &mut self,
        depth: usize,
        most: usize,
        mut admits: impl FnMut(PageNumber, History) -> bool,
    ) -> u64 {
        let mut refused = 0;
        while self.lists[RamList::Warm as usize].len > self.capacity.saturating_sub(depth) {
            let slot = self.lists[RamList::Warm as usize].oldest;
            let RamSlot { page, history, standing, .. } = self.slots[slot as usize];
            if standing == PromotionState::New && self.waiting() + self.moving >= most {
                break;
            }
            self.unlink(slot);
            if standing != PromotionState::New {
                self.retire(slot);
            } else if admits(page, history) {
                self.stand(slot, PromotionState::Waiting);
                self.link_newest(slot, RamList::Waiting);
            } else {
                self.stand(slot, PromotionState::Rejected);
                self.retire(slot);
                refused += 1;
            }
        }
        refused
    }

    /// Returns the number of pages that wait for a batch.
    pub(crate) fn waiting(&self) -> usize {
        self.lists[RamList::Waiting as usize].len
    }

    /// Takes at most `count` of the waiting pages, in order of arrival. They are moving from now on and must be settled. Sorted by page.
    pub(crate) fn stage(&mut self, count: usize) -> Vec<PromotionOffer> {
        let mut boarding = Vec::with_capacity(count.min(self.waiting()));
        while boarding.len() < count && self.waiting() > 0 {
            let slot = self.lists[RamList::Waiting as usize].oldest;
            self.unlink(slot);
            self.stand(slot, PromotionState::Moving);
            let RamSlot { page, sequence, .. } = self.slots[slot as usize];
            boarding.push(PromotionOffer { page, sequence, slot });
        }
        boarding.sort_unstable_by_key(|offered| offered.page);
        boarding
    }

    /// Empties the queue for flash, because there is no flash to wait for.
    pub(crate) fn give_up_waiting(&mut self) {
        while self.waiting() > 0 {
            let slot = self.lists[RamList::Waiting as usize].oldest;
            self.unlink(slot);
            self.stand(slot, PromotionState::Rejected);
            self.retire(slot);
        }
    }

    /// Puts a page that is in no list where it will be evicted.
    fn retire(&mut self, slot: u32) {
        let is_on_flash = self.slots[slot as usize].standing == PromotionState::OnFlash;
        self.link_newest(slot, if is_on_flash { RamList::Spare } else { RamList::Cold });
    }

    /// Returns the content of a page that boards; call before anything is awaited.
    pub(crate) fn offered_bytes(&self, offered: &PromotionOffer) -> &[u8] {
        debug_assert_eq!(self.slots[offered.slot as usize].page, offered.page);
        self.pages.bytes(offered.slot as usize)
    }

    /// Ends the move of a page. Returns true if the same content is still here, so that its copy is current; only then its standing
    /// changes.
    pub(crate) fn settle(&mut self, offered: &PromotionOffer, standing: PromotionState) -> bool {
        let Some(Spot(slot)) = self.find(offered.page) else { return false };
        let entry = &self.slots[slot as usize];
        let current = entry.sequence == offered.sequence && entry.standing == PromotionState::Moving;
        if current {
            // Pages that were used during the move, and are still warm, are considered again.
            let is_warm = self.slots[slot as usize].place == RamList::Warm;
            let is_new = is_warm && standing == PromotionState::Rejected;
            self.stand(slot, if is_new { PromotionState::New } else { standing });
            if !is_warm {
                self.unlink(slot);
                self.retire(slot);
            }
        }
        current
    }

    /// Records that a page's copy on flash is gone: it is considered again, soon if it stands as new, and once it was used if it stands as
    /// rejected.
    pub(crate) fn lost_on_flash(&mut self, page: PageNumber, standing: PromotionState) {
        if let Some(Spot(slot)) = self.find(page)
            && self.slots[slot as usize].standing == PromotionState::OnFlash
        {
            self.stand(slot, standing);
            if self.slots[slot as usize].place == RamList::Spare {
                self.unlink(slot);
                match standing {
                    PromotionState::New => self.link_oldest(slot, RamList::Warm),
                    _ => self.retire(slot),
                }
            }
        }
    }

    fn remove_one(&mut self, page: PageNumber) -> bool {
        let slots = &self.slots;
        let Ok(entry) = self.table.find_entry(hash(page.0), |&slot| slots[slot as usize].page == page) else {
            return false;
        };
        let (slot, _) = entry.remove();
        self.moving -= usize::from(self.slots[slot as usize].standing == PromotionState::Moving);
        self.unlink(slot);
        self.free.push(slot);
        true
    }

    fn stand(&mut self, slot: u32, standing: PromotionState) {
        let entry = &mut self.slots[slot as usize];
        self.moving -= usize::from(entry.standing == PromotionState::Moving);
        self.moving += usize::from(standing == PromotionState::Moving);
        entry.standing = standing;
    }

    /// Gives up the coldest page that is not on its way to flash.
    fn evict(&mut self) -> Option<EvictedPage> {
        let is_free = |slot: &u32| self.slots[*slot as usize].standing != PromotionState::Moving;
        let slot = [RamList::Spare, RamList::Cold, RamList::Warm]
            .into_iter()
            .flat_map(|place| self.coldest(place))
            .find(is_free)?;
        let RamSlot { page, standing, history, .. } = self.slots[slot as usize];
        self.remove_one(page);
        Some(EvictedPage { page, standing, history })
    }

    fn coldest(&self, place: RamList) -> impl Iterator<Item = u32> + '_ {
        let oldest = self.lists[place as usize].oldest;
        let first = (oldest != NONE).then_some(oldest);
        let newer = |&slot: &u32| Some(self.slots[slot as usize].newer).filter(|&newer| newer != NONE);
        std::iter::successors(first, newer)
    }

    fn take_slot(&mut self) -> u32 {
        if let Some(slot) = self.free.pop() {
            return slot;
        }
        let slot = self.slots.len();
        let empty = RamSlot {
            page: PageNumber(0),
            sequence: Sequence(0),
            newer: NONE,
            older: NONE,
            history: History::default(),
            standing: PromotionState::New,
            place: RamList::Nowhere,
        };
        self.slots.push(empty);
        slot as u32
    }

    fn unlink(&mut self, slot: u32) {
        let RamSlot { newer, older, place, .. } = self.slots[slot as usize];
        if place == RamList::Nowhere {
            return;
        }
        let list = &mut self.lists[place as usize];
        list.len -= 1;
        match newer {
            NONE => list.newest = older,
            newer => self.slots[newer as usize].older = older,
        }
        match older {
            NONE => list.oldest = newer,
            older => self.slots[older as usize].newer = newer,
        }
        self.slots[slot as usize].place = RamList::Nowhere;
    }

    fn link_newest(&mut self, slot: u32, place: RamList) {
        let list = &mut self.lists[place as usize];
        list.len += 1;
        let second = std::mem::replace(&mut list.newest, slot);
        let entry = &mut self.slots[slot as usize];
        (entry.newer, entry.older, entry.place) = (NONE, second, place);
        match second {
            NONE => list.oldest = slot,
            second => self.slots[second as usize].newer = slot,
        }
    }

    fn link_oldest(&mut self, slot: u32, place: RamList) {
        let list = &mut self.lists[place as usize];
        list.len += 1;
        let second = std::mem::replace(&mut list.oldest, slot);
        let entry = &mut self.slots[slot as usize];
        (entry.newer, entry.older, entry.place) = (second, NONE, place);
        match second {
            NONE => list.newest = slot,
            second => self.slots[second as usize].older = slot,
        }
    }
}
