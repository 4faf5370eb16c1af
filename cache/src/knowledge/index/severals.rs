//! Blocks of several pages: a slot for each, which keeps packed extents, and a hash table of slots' numbers.

use hashbrown::HashTable;

use super::{Located, Slot};
use crate::knowledge::extents::{Extents, Places};
use crate::knowledge::hash::hash;
use crate::knowledge::learned::{Dice, History};
use crate::knowledge::slab::Slab;

/// What the allocator keeps beside each small allocation.
const ALLOCATION_OVERHEAD: u64 = 8;

/// Blocks of several pages by their number.
pub(super) struct Severals {
    table: HashTable<u32>,
    slots: Slab<Several>,
    pages: usize,
    extent_bytes: u64,
}

#[derive(Clone, Default)]
struct Several {
    block: u32,
    history: History,
    extents: Extents,
}

impl Severals {
    /// Blocks of so many pages.
    pub(super) fn new(pages: usize) -> Self {
        Self { table: HashTable::new(), slots: Slab::new(), pages, extent_bytes: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// Bytes of RAM taken, extents and free slots included.
    pub(super) fn bytes(&self) -> u64 {
        let beside = self.extent_bytes + self.slots.len() as u64 * ALLOCATION_OVERHEAD;
        self.slots.bytes() + beside + self.table.allocation_size() as u64
    }

    pub(super) fn find(&self, block: u64) -> Option<Slot> {
        let is_its = |slot: &u32| u64::from(self.slots.get(*slot).block) == block;
        self.table.find(hash(block), is_its).map(|slot| Slot { part: 0, place: *slot })
    }

    /// The numbers of all blocks, in no order.
    pub(super) fn blocks(&self) -> impl Iterator<Item = u64> + '_ {
        self.table.iter().map(|slot| u64::from(self.slots.get(*slot).block))
    }

    /// Where a page of the block is.
    pub(super) fn located(&self, slot: Slot, within: usize) -> Option<Located> {
        self.slots.get(slot.place).extents.get(within)
    }

    /// Where all of them are.
    pub(super) fn places(&self, slot: Slot) -> Places {
        self.slots.get(slot.place).extents.unpack(self.pages)
    }

    pub(super) fn history(&self, slot: Slot) -> History {
        self.slots.get(slot.place).history
    }

    pub(super) fn history_mut(&mut self, slot: Slot) -> &mut History {
        &mut self.slots.get_mut(slot.place).history
    }

    /// Changes where the pages of a block are.
    pub(super) fn set_places(&mut self, slot: Slot, places: &[Option<Located>]) {
        let several = self.slots.get_mut(slot.place);
        self.extent_bytes -= several.extents.bytes();
        several.extents.replace(places);
        self.extent_bytes += several.extents.bytes();
    }

    /// Enters a block that is not there.
    pub(super) fn insert(&mut self, block: u32, extents: Extents) {
        self.extent_bytes += extents.bytes();
        let slot = self.slots.insert(Several { block, history: History::default(), extents });
        let slots = &self.slots;
        let hashed = |slot: &u32| hash(slots.get(*slot).block.into());
        self.table.insert_unique(hash(block.into()), slot, hashed);
    }

    /// Takes a block out.
    pub(super) fn remove(&mut self, slot: Slot) {
        let Several { block, extents, .. } = self.slots.remove(slot.place);
        self.extent_bytes -= extents.bytes();
        if let Ok(entry) = self.table.find_entry(hash(block.into()), |&other| other == slot.place) {
            entry.remove();
        }
    }

    /// How some block was used, by chance. None if the place that was drawn has none.
    pub(super) fn draw(&self, dice: &mut Dice) -> Option<History> {
        let several = self.slots.get(self.slots.draw(dice)?);
        (several.extents.bytes() > 0).then_some(several.history)
    }

    /// Fails if the bytes of extents are not what they are counted as.
    #[cfg(test)]
    pub(super) fn check(&self) {
        let counted: u64 = self.table.iter().map(|&slot| self.slots.get(slot).extents.bytes()).sum();
        assert_eq!(self.extent_bytes, counted);
    }
}
