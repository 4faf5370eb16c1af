//! The RAM tier of one disk: recent pages in least-recently-used order, never the only copy of anything.
//!
//! A page enters when it was read from the backing or written by the guest. On its way out it is offered to flash:
//! [`Ram::offer`] walks the cold end and hands out pages that are not on flash yet, which stay readable here until
//! [`Ram::settle`] says that flash has them. A page that is on its way is never evicted, so the page itself is the
//! token that its content is still current: a write removes it, and then `settle` finds it gone.

use std::ops::Range;

use hashbrown::HashTable;

use super::hash::hash;
use super::learned::{Coming, History};
use crate::words::limits::PAGE_BYTES;
use crate::words::units::{PageNumber, Sequence};

const CHUNK_PAGES: usize = 64;
const NONE: u32 = u32::MAX;

pub(crate) struct Ram {
    capacity: usize,
    table: HashTable<u32>,
    slots: Vec<Slot>,
    chunks: Vec<Box<[u8]>>,
    free: Vec<u32>,
    /// Pages that stand as new, so that nobody looks for any when there are none.
    new: usize,
    /// Most and least recently used.
    newest: u32,
    oldest: u32,
}

#[derive(Clone, Copy)]
struct Slot {
    page: PageNumber,
    sequence: Sequence,
    newer: u32,
    older: u32,
    history: History,
    standing: Standing,
}

/// Where else a page's content is, seen from flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Not on flash, not offered yet.
    New,
    /// Being written to flash.
    Moving,
    /// On flash too.
    OnFlash,
    /// Offered, and flash was not earned.
    Rejected,
}

/// A page that RAM gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Evicted {
    pub(crate) page: PageNumber,
    pub(crate) standing: Standing,
    pub(crate) history: History,
}

/// A page that is to be written to flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offered {
    pub(crate) page: PageNumber,
    pub(crate) sequence: Sequence,
    slot: u32,
}

impl Ram {
    /// An empty tier of at most so many pages.
    pub(crate) fn new(capacity: usize) -> Self {
        assert!(capacity > 0 && capacity < NONE as usize);
        Self {
            capacity,
            table: HashTable::new(),
            slots: Vec::new(),
            chunks: Vec::new(),
            free: Vec::new(),
            new: 0,
            newest: NONE,
            oldest: NONE,
        }
    }

    /// Pages held.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// Pages that fit.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// True if the page is here; touches nothing.
    pub(crate) fn contains(&self, page: PageNumber) -> bool {
        self.find(page).is_some()
    }

    /// The page's content, which thereby becomes the most recently used; `used` says what is known of it then.
    pub(crate) fn read(&mut self, page: PageNumber, used: impl FnOnce(History) -> History) -> Option<&[u8]> {
        let slot = self.find(page)?;
        if self.newest != slot {
            self.unlink(slot);
            self.link_newest(slot);
        }
        let entry = &mut self.slots[slot as usize];
        entry.history = used(entry.history);
        if entry.standing == Standing::Rejected {
            self.stand(slot, Standing::New);
        }
        Some(self.bytes_of(slot))
    }

    /// The page's content, touching nothing.
    pub(crate) fn peek(&self, page: PageNumber) -> Option<&[u8]> {
        Some(self.bytes_of(self.find(page)?))
    }

    /// Puts a page in, the most recently used; `bytes` shorter than a page are followed by zeroes. Replaces what was
    /// there under the same number. `history` is what is known of it. Returns the page that had to leave, if one had to.
    pub(crate) fn insert(
        &mut self,
        page: PageNumber,
        bytes: &[u8],
        sequence: Sequence,
        standing: Standing,
        history: History,
    ) -> Option<Evicted> {
        self.remove_one(page);
        let evicted = if self.len() >= self.capacity { self.evict() } else { None };
        if self.len() >= self.capacity {
            // Everything is on its way to flash; the newcomer is the one that is given up.
            return Some(Evicted { page, standing, history });
        }
        let slot = self.take_slot();
        self.slots[slot as usize] = Slot { page, sequence, newer: NONE, older: NONE, history, standing };
        self.new += usize::from(standing == Standing::New);
        let place = self.bytes_of_mut(slot);
        place[..bytes.len()].copy_from_slice(bytes);
        place[bytes.len()..].fill(0);
        self.link_newest(slot);
        let slots = &self.slots;
        self.table.insert_unique(hash(page.0), slot, |&slot| hash(slots[slot as usize].page.0));
        evicted
    }

    /// What is known of a page that is here.
    pub(crate) fn history(&self, page: PageNumber) -> Option<History> {
        self.find(page).map(|slot| self.slots[slot as usize].history)
    }

    /// What is known of the pages among these that are here, in no order.
    pub(crate) fn histories(&self, pages: &Range<u64>) -> Vec<(PageNumber, History)> {
        let of = |slot: u32| (self.slots[slot as usize].page, self.slots[slot as usize].history);
        if pages.end.saturating_sub(pages.start) <= self.len() as u64 {
            return pages.clone().filter_map(|page| self.find(PageNumber(page))).map(of).collect();
        }
        self.table.iter().map(|&slot| of(slot)).filter(|(page, _)| pages.contains(&page.0)).collect()
    }

    /// Whether a page that comes now stands right behind the one that came last.
    pub(crate) fn coming(&self, page: PageNumber) -> Coming {
        let newest = (self.newest != NONE).then(|| self.slots[self.newest as usize].page.0);
        if newest.is_some_and(|newest| newest + 1 == page.0) { Coming::InRow } else { Coming::Alone }
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

    /// Changes how many pages fit. Everything is given up, which is allowed since nothing here is the only copy.
    pub(crate) fn resize(&mut self, capacity: usize) {
        *self = Self::new(capacity);
    }

    /// Pages among the `depth` coldest that are not on flash and have not been offered since they were last used.
    pub(crate) fn has_to_offer(&self, depth: usize) -> bool {
        self.new > 0 && self.coldest(depth).any(|slot| self.slots[slot as usize].standing == Standing::New)
    }

    /// Offers new pages among the `depth` coldest, at most `count`, to `admits(page, history)`. Those admitted are
    /// moving from now on and must be settled; the others are rejected. Sorted by page.
    pub(crate) fn offer(
        &mut self,
        depth: usize,
        count: usize,
        mut admits: impl FnMut(PageNumber, History) -> bool,
    ) -> (Vec<Offered>, u64) {
        let cold: Vec<u32> = self.coldest(depth).collect();
        let (mut offered, mut rejected) = (Vec::new(), 0);
        for slot in cold {
            let Slot { page, sequence, history, standing, .. } = self.slots[slot as usize];
            if standing != Standing::New {
                continue;
            }
            if offered.len() == count {
                break;
            }
            if admits(page, history) {
                self.stand(slot, Standing::Moving);
                offered.push(Offered { page, sequence, slot });
            } else {
                self.stand(slot, Standing::Rejected);
                rejected += 1;
            }
        }
        offered.sort_unstable_by_key(|offered| offered.page);
        (offered, rejected)
    }

    /// The content of a page on its way; call before anything is awaited.
    pub(crate) fn offered_bytes(&self, offered: &Offered) -> &[u8] {
        debug_assert_eq!(self.slots[offered.slot as usize].page, offered.page);
        self.bytes_of(offered.slot)
    }

    /// Ends the way of a page. True if the same content is still here, so that its copy may be believed; only then
    /// its standing changes.
    pub(crate) fn settle(&mut self, offered: &Offered, standing: Standing) -> bool {
        let Some(slot) = self.find(offered.page) else { return false };
        let entry = &self.slots[slot as usize];
        let current = entry.sequence == offered.sequence && entry.standing == Standing::Moving;
        if current {
            self.stand(slot, standing);
        }
        current
    }

    /// Notes that a page's copy on flash is gone: it is offered again, now if it stands as new, and once it was used if it stands as
    /// rejected.
    pub(crate) fn lost_on_flash(&mut self, page: PageNumber, standing: Standing) {
        if let Some(slot) = self.find(page)
            && self.slots[slot as usize].standing == Standing::OnFlash
        {
            self.stand(slot, standing);
        }
    }

    fn find(&self, page: PageNumber) -> Option<u32> {
        self.table.find(hash(page.0), |&slot| self.slots[slot as usize].page == page).copied()
    }

    fn remove_one(&mut self, page: PageNumber) -> bool {
        let slots = &self.slots;
        let Ok(entry) = self.table.find_entry(hash(page.0), |&slot| slots[slot as usize].page == page) else {
            return false;
        };
        let (slot, _) = entry.remove();
        self.new -= usize::from(self.slots[slot as usize].standing == Standing::New);
        self.unlink(slot);
        self.free.push(slot);
        true
    }

    fn stand(&mut self, slot: u32, standing: Standing) {
        let entry = &mut self.slots[slot as usize];
        self.new -= usize::from(entry.standing == Standing::New);
        self.new += usize::from(standing == Standing::New);
        entry.standing = standing;
    }

    /// Gives up the coldest page that is not moving.
    fn evict(&mut self) -> Option<Evicted> {
        let slot =
            self.coldest(self.len()).find(|&slot| self.slots[slot as usize].standing != Standing::Moving)?;
        let Slot { page, standing, history, .. } = self.slots[slot as usize];
        self.remove_one(page);
        Some(Evicted { page, standing, history })
    }

    fn coldest(&self, depth: usize) -> impl Iterator<Item = u32> + '_ {
        let first = (self.oldest != NONE).then_some(self.oldest);
        let newer = |&slot: &u32| Some(self.slots[slot as usize].newer).filter(|&newer| newer != NONE);
        std::iter::successors(first, newer).take(depth)
    }

    fn take_slot(&mut self) -> u32 {
        if let Some(slot) = self.free.pop() {
            return slot;
        }
        let slot = self.slots.len();
        if slot == self.chunks.len() * CHUNK_PAGES {
            self.chunks.push(vec![0; CHUNK_PAGES * PAGE_BYTES].into_boxed_slice());
        }
        let empty = Slot {
            page: PageNumber(0),
            sequence: Sequence(0),
            newer: NONE,
            older: NONE,
            history: History::default(),
            standing: Standing::New,
        };
        self.slots.push(empty);
        slot as u32
    }

    fn bytes_of(&self, slot: u32) -> &[u8] {
        let at = slot as usize % CHUNK_PAGES * PAGE_BYTES;
        &self.chunks[slot as usize / CHUNK_PAGES][at..at + PAGE_BYTES]
    }

    fn bytes_of_mut(&mut self, slot: u32) -> &mut [u8] {
        let at = slot as usize % CHUNK_PAGES * PAGE_BYTES;
        &mut self.chunks[slot as usize / CHUNK_PAGES][at..at + PAGE_BYTES]
    }

    fn unlink(&mut self, slot: u32) {
        let Slot { newer, older, .. } = self.slots[slot as usize];
        match newer {
            NONE => self.newest = older,
            newer => self.slots[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.slots[older as usize].newer = newer,
        }
    }

    fn link_newest(&mut self, slot: u32) {
        let second = std::mem::replace(&mut self.newest, slot);
        let entry = &mut self.slots[slot as usize];
        (entry.newer, entry.older) = (NONE, second);
        match second {
            NONE => self.oldest = slot,
            second => self.slots[second as usize].newer = slot,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page_of(byte: u8) -> [u8; PAGE_BYTES] {
        [byte; PAGE_BYTES]
    }

    fn put(ram: &mut Ram, page: u64) -> Option<Evicted> {
        ram.insert(PageNumber(page), &page_of(page as u8), Sequence(page), Standing::New, History::default())
    }

    #[test]
    fn the_least_recently_used_page_leaves_first() {
        let mut ram = Ram::new(3);
        for page in 0..3 {
            assert_eq!(put(&mut ram, page), None);
        }
        assert_eq!(ram.read(PageNumber(0), History::warmer), Some(&page_of(0)[..]));
        let evicted = put(&mut ram, 3).unwrap();
        assert_eq!((evicted.page, evicted.history.heat()), (PageNumber(1), 0));
        assert_eq!(ram.history(PageNumber(0)).map(History::heat), Some(1));
        assert_eq!(ram.len(), 3);
        assert_eq!(ram.peek(PageNumber(1)), None);
        assert_eq!(ram.peek(PageNumber(3)), Some(&page_of(3)[..]));
    }

    #[test]
    fn a_short_page_is_followed_by_zeroes_also_in_a_used_slot() {
        let mut ram = Ram::new(1);
        put(&mut ram, 7);
        ram.insert(PageNumber(1), &[1; 512], Sequence(1), Standing::New, History::default());
        let bytes = ram.peek(PageNumber(1)).unwrap();
        assert!(bytes[..512].iter().all(|&byte| byte == 1) && bytes[512..].iter().all(|&byte| byte == 0));
    }

    #[test]
    fn offered_pages_stay_readable_and_are_not_evicted_until_settled() {
        let mut ram = Ram::new(4);
        for page in 0..4 {
            put(&mut ram, page);
        }
        let (offered, rejected) = ram.offer(4, 2, |page, _| page.0 != 1);
        assert_eq!(offered.iter().map(|offered| offered.page.0).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(rejected, 1);
        assert_eq!(put(&mut ram, 9).unwrap().page, PageNumber(1), "0 is colder, but on its way");
        assert!(ram.settle(&offered[0], Standing::OnFlash));
        assert!(!ram.settle(&offered[0], Standing::OnFlash), "settled once");
        assert!(ram.contains(PageNumber(2)));
    }

    #[test]
    fn a_page_that_was_replaced_on_its_way_is_not_believed() {
        let mut ram = Ram::new(4);
        put(&mut ram, 0);
        put(&mut ram, 1);
        let (offered, _) = ram.offer(4, 4, |_, _| true);
        ram.insert(PageNumber(0), &page_of(9), Sequence(99), Standing::New, History::default());
        ram.remove(1..2);
        assert!(!ram.settle(&offered[0], Standing::OnFlash), "another version is here now");
        assert!(!ram.settle(&offered[1], Standing::OnFlash), "gone");
        assert!(ram.has_to_offer(1));
    }

    #[test]
    fn when_everything_is_on_its_way_the_newcomer_is_given_up() {
        let mut ram = Ram::new(2);
        put(&mut ram, 0);
        put(&mut ram, 1);
        let (offered, _) = ram.offer(2, 2, |_, _| true);
        assert_eq!(offered.len(), 2);
        assert_eq!(put(&mut ram, 5).unwrap().page, PageNumber(5));
        assert!(ram.contains(PageNumber(0)) && ram.contains(PageNumber(1)));
    }

    #[test]
    fn rejected_pages_are_offered_again_once_used() {
        let mut ram = Ram::new(2);
        put(&mut ram, 0);
        assert_eq!(ram.offer(2, 2, |_, _| false).1, 1);
        assert!(!ram.has_to_offer(2));
        ram.read(PageNumber(0), History::warmer);
        assert!(ram.has_to_offer(2));
    }

    #[test]
    fn removing_a_range_larger_than_the_tier_looks_only_at_what_is_here() {
        let mut ram = Ram::new(8);
        for page in 0..8 {
            put(&mut ram, page * 1000);
        }
        assert_eq!(ram.remove(1000..u64::MAX), 7);
        assert_eq!(ram.len(), 1);
    }
}
