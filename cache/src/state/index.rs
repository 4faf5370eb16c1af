//! The index: which pages of one disk are on flash, where, with which checksum, and how their block was used.
//!
//! Blocks are entries of a table ([`table`]), of sixteen bytes each. An entry holds the place of the block, if it is of one page; the
//! places of the pages of larger ones are packed ([`packed`]) and lie in memory beside it ([`pieces`]). A page that is not in the index is
//! not on flash: nothing else decides that while the pool is open.

mod chain;
mod multi_page;
mod packed;
mod pieces;
mod table;
#[cfg(test)]
mod tests;

use std::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::learned::{Dice, History};
use crate::types::units::{FlashPage, PageNumber};
use multi_page::MultiPageBlocks;
use packed::{BLOCK_PAGES_MAX, pack, pack_run};
pub(crate) use table::PARTS;
use table::{BlockTable, BlockValue};

/// Place of a page on flash, and the plain checksum of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlashLocation {
    pub(crate) flash: FlashPage,
    pub(crate) checksum: u32,
}

/// A page that was taken out, and where it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RemovedPage {
    pub(crate) page: PageNumber,
    pub(crate) flash: FlashPage,
}

pub(crate) struct Index {
    block_pages: u64,
    blocks: Blocks,
    pages: u64,
}

enum Blocks {
    /// Of one page.
    Single(BlockTable<FlashLocation>),
    /// Of several pages.
    MultiPage(MultiPageBlocks),
}

/// Place of a block in the index; valid until one is inserted or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BlockSlot {
    part: u32,
    place: u32,
}

impl BlockValue for FlashLocation {
    /// No data is at the very first page of flash: a batch begins with a header.
    const NOTHING: Self = Self { flash: FlashPage(0), checksum: 0 };

    fn is_nothing(&self) -> bool {
        self.flash.0 == 0
    }
}

impl Index {
    /// Creates an empty index of blocks of `block_pages` pages. The salt is a number unknown to guests.
    pub(crate) fn new(block_pages: u32, salt: u64) -> Self {
        assert!(block_pages.is_power_of_two() && block_pages as usize <= BLOCK_PAGES_MAX);
        let blocks = match block_pages {
            1 => Blocks::Single(BlockTable::new(salt)),
            pages => Blocks::MultiPage(MultiPageBlocks::new(pages as usize, salt)),
        };
        Self { block_pages: u64::from(block_pages), blocks, pages: 0 }
    }

    /// Returns an empty index of blocks of as many pages.
    pub(super) fn emptied(&self, salt: u64) -> Self {
        Self::new(self.block_pages as u32, salt)
    }

    /// Returns the number of pages on flash.
    pub(crate) fn pages(&self) -> u64 {
        self.pages
    }

    /// Returns the number of blocks with at least one page on flash.
    pub(crate) fn blocks(&self) -> u64 {
        match &self.blocks {
            Blocks::Single(table) => table.len() as u64,
            Blocks::MultiPage(multi_page) => multi_page.table().len() as u64,
        }
    }

    /// Returns the bytes of RAM taken, checksums and unused room included.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.blocks {
            Blocks::Single(table) => table.bytes(),
            Blocks::MultiPage(multi_page) => multi_page.bytes(),
        }
    }

    /// Returns the place of a page, if it is on flash.
    pub(crate) fn get(&self, page: PageNumber) -> Option<FlashLocation> {
        self.located(self.find(page.0 / self.block_pages)?, page)
    }

    /// Returns the place of a page, if it is on flash, and the history of its block.
    pub(crate) fn get_with_history(&self, page: PageNumber) -> Option<(FlashLocation, History)> {
        let slot = self.find(page.0 / self.block_pages)?;
        Some((self.located(slot, page)?, self.blocks.history(slot)))
    }

    /// Inserts pages that lie next to each other on the disk and on flash. Returns the runs that they replace; most often one, or none.
    pub(crate) fn insert_run(
        &mut self,
        first: PageNumber,
        flash: FlashPage,
        checksums: &[u32],
    ) -> SmallVec<[RemovedPage; 1]> {
        let mut replaced = SmallVec::new();
        let mut done = 0;
        while done < checksums.len() {
            let page = first.0 + done as u64;
            let (block, within) = (page / self.block_pages, (page % self.block_pages) as usize);
            let count = (self.block_pages as usize - within).min(checksums.len() - done);
            let run = &checksums[done..done + count];
            self.change(block, |places| {
                for (at, (place, &checksum)) in places[within..within + count].iter_mut().zip(run).enumerate()
                {
                    let located = FlashLocation { flash: flash.plus((done + at) as u32), checksum };
                    let page = PageNumber(page + at as u64);
                    replaced.extend(place.replace(located).map(|old| RemovedPage { page, flash: old.flash }));
                }
            });
            done += count;
        }
        self.pages += (checksums.len() - replaced.len()) as u64;
        replaced
    }

    /// Inserts those pages of a run of neighbours that are not indexed yet and for which `wanted` returns true. Returns how many. Calls
    /// `wanted` once for each page.
    pub(crate) fn insert_absent(
        &mut self,
        first: PageNumber,
        flash: FlashPage,
        checksums: &[u32],
        wanted: impl Fn(PageNumber) -> bool,
    ) -> u32 {
        let mut entered = 0;
        let mut done = 0;
        while done < checksums.len() {
            let page = first.0 + done as u64;
            let (block, within) = (page / self.block_pages, (page % self.block_pages) as usize);
            let count = (self.block_pages as usize - within).min(checksums.len() - done);
            let run = &checksums[done..done + count];
            let first = flash.plus(done as u32);
            done += count;
            // Called once for each page that is not indexed, and for no other.
            let absent = self.find(block).is_none();
            let mut wants = [false; BLOCK_PAGES_MAX];
            if absent {
                (page..).zip(&mut wants[..count]).for_each(|(page, wants)| *wants = wanted(PageNumber(page)));
                // By far the most: a start enters a hundred million pages, and nothing has to be unpacked for these.
                if wants[..count].iter().all(|wants| *wants) {
                    self.add_run(block, within, first, run);
                    entered += count as u32;
                    continue;
                }
            }
            self.change(block, |places| {
                for (at, (place, &checksum)) in places[within..within + count].iter_mut().zip(run).enumerate()
                {
                    let wants = || if absent { wants[at] } else { wanted(PageNumber(page + at as u64)) };
                    if place.is_none() && wants() {
                        *place = Some(FlashLocation { flash: first.plus(at as u32), checksum });
                        entered += 1;
                    }
                }
            });
        }
        self.pages += u64::from(entered);
        entered
    }

    /// Takes pages out, save those that are to stay. Returns them; most often it is one, or none.
    pub(crate) fn remove(
        &mut self,
        pages: Range<u64>,
        stays: impl Fn(PageNumber) -> bool,
    ) -> SmallVec<[RemovedPage; 1]> {
        if self.block_pages == 1 && pages.end.saturating_sub(pages.start) == 1 {
            return self.remove_single(PageNumber(pages.start), stays).into_iter().collect();
        }
        let mut removed = SmallVec::new();
        for block in self.known_within(&pages) {
            removed.extend(self.remove_in_block(block, &pages, &stays));
        }
        removed
    }

    /// Calls back for each of these pages that is indexed, in no order.
    pub(crate) fn pages_within(&self, pages: Range<u64>, mut tell: impl FnMut(u64)) {
        for block in self.known_within(&pages) {
            let first = block * self.block_pages;
            let own = first.max(pages.start)..(first + self.block_pages).min(pages.end);
            own.filter(|page| self.get(PageNumber(*page)).is_some()).for_each(&mut tell);
        }
    }

    /// Returns the indexed blocks that share a page with these.
    fn known_within(&self, pages: &Range<u64>) -> Vec<u64> {
        let mut blocks = pages.start / self.block_pages..pages.end.div_ceil(self.block_pages);
        if blocks.end.saturating_sub(blocks.start) > self.blocks() {
            return self.known_by_number(|block| blocks.contains(&block));
        }
        blocks.by_ref().filter(|block| self.find(*block).is_some()).collect()
    }

    /// Takes a page out if it is still at `flash`. Returns true if so.
    pub(crate) fn remove_if_at(&mut self, page: PageNumber, flash: FlashPage) -> bool {
        let there = self.get(page).is_some_and(|located| located.flash == flash);
        if there {
            self.remove(page.0..page.0 + 1, |_| false);
        }
        there
    }

    /// Moves a page from one place on flash to another, if it is there. Returns true if so.
    pub(crate) fn relocate(&mut self, page: PageNumber, from: FlashPage, to: FlashPage) -> bool {
        let is_there = self.get(page).is_some_and(|located| located.flash == from);
        if is_there {
            let at = (page.0 % self.block_pages) as usize;
            self.change(page.0 / self.block_pages, |places| {
                places[at].iter_mut().for_each(|located| located.flash = to);
            });
        }
        is_there
    }

    /// Removes everything that lies in a range of flash, by visiting every block: for when a segment's summary cannot be read. Returns the
    /// removed pages.
    pub(crate) fn remove_on_flash(&mut self, flash: Range<u32>) -> Vec<RemovedPage> {
        let mut removed = Vec::new();
        for block in self.known_by_number(|_| true) {
            let first = block * self.block_pages;
            self.change(block, |places| {
                for (page, place) in (first..).map(PageNumber).zip(places) {
                    let gone = place.take_if(|located| flash.contains(&located.flash.0));
                    removed.extend(gone.map(|gone| RemovedPage { page, flash: gone.flash }));
                }
            });
        }
        self.pages -= removed.len() as u64;
        removed
    }

    /// Visits every page, and moves it on flash, or drops it where `place` returns none. Returns those that were dropped.
    pub(crate) fn rearrange(
        &mut self,
        place: impl Fn(PageNumber, FlashPage) -> Option<FlashPage>,
    ) -> Vec<RemovedPage> {
        let mut dropped = Vec::new();
        for block in self.known_by_number(|_| true) {
            let first = block * self.block_pages;
            self.change(block, |places| {
                for (page, slot) in (first..).map(PageNumber).zip(places) {
                    let Some(located) = slot.as_mut() else { continue };
                    match place(page, located.flash) {
                        Some(flash) => located.flash = flash,
                        None => {
                            dropped.extend(slot.take().map(|gone| RemovedPage { page, flash: gone.flash }));
                        }
                    }
                }
            });
        }
        self.pages -= dropped.len() as u64;
        dropped
    }

    /// Returns the history of the page's block; an empty one, if it is not indexed.
    pub(crate) fn history(&self, page: PageNumber) -> History {
        self.find(page.0 / self.block_pages).map_or(History::default(), |slot| self.blocks.history(slot))
    }

    /// Records a use of the block of a page, if the page is at `flash`. Returns the history from before.
    pub(crate) fn use_if_at(
        &mut self,
        page: PageNumber,
        flash: FlashPage,
        used: impl FnOnce(History) -> History,
    ) -> Option<History> {
        let slot = self.find(page.0 / self.block_pages)?;
        self.located(slot, page).filter(|located| located.flash == flash)?;
        let history = self.blocks.history_mut(slot);
        let now = used(*history);
        Some(std::mem::replace(history, now))
    }

    /// Updates the history of the page's block by `used`, if the block is indexed. Returns the new history; without a block `used` gets an
    /// empty one.
    pub(crate) fn update_history(
        &mut self,
        page: PageNumber,
        used: impl FnOnce(History) -> History,
    ) -> History {
        let Some(slot) = self.find(page.0 / self.block_pages) else { return used(History::default()) };
        let history = self.blocks.history_mut(slot);
        *history = used(*history);
        *history
    }

    /// Sets the history of the page's block, if the block is indexed.
    pub(crate) fn set_history(&mut self, page: PageNumber, history: History) {
        if let Some(slot) = self.find(page.0 / self.block_pages) {
            *self.blocks.history_mut(slot) = history;
        }
    }

    /// Returns the blocks of one of the index's [`PARTS`], by number, and how they were used.
    pub(crate) fn histories(&self, part: usize) -> Vec<(u32, History)> {
        match &self.blocks {
            Blocks::Single(table) => table.histories(part),
            Blocks::MultiPage(multi_page) => multi_page.table().histories(part),
        }
    }

    /// Returns the history of a random block. None where the draw finds none.
    pub(crate) fn draw(&self, dice: &mut Dice) -> Option<History> {
        match &self.blocks {
            Blocks::Single(table) => table.draw(dice),
            Blocks::MultiPage(multi_page) => multi_page.table().draw(dice),
        }
    }

    fn find(&self, block: u64) -> Option<BlockSlot> {
        match &self.blocks {
            Blocks::Single(table) => table.find(block),
            Blocks::MultiPage(multi_page) => multi_page.table().find(block),
        }
    }

    fn located(&self, slot: BlockSlot, page: PageNumber) -> Option<FlashLocation> {
        match &self.blocks {
            Blocks::Single(table) => Some(table.value(slot)),
            Blocks::MultiPage(multi_page) => multi_page.located(slot, (page.0 % self.block_pages) as usize),
        }
    }

    fn known_blocks(&self) -> Box<dyn Iterator<Item = u64> + '_> {
        match &self.blocks {
            Blocks::Single(table) => Box::new(table.blocks()),
            Blocks::MultiPage(multi_page) => Box::new(multi_page.table().blocks()),
        }
    }

    /// Returns the numbers of the indexed blocks that are wanted, in ascending order, which is not the order of the table. Removing blocks
    /// in the order of the table would empty one end of it, and each time that a part is rebuilt all the rest would fall into one cluster.
    fn known_by_number(&self, wanted: impl Fn(u64) -> bool) -> Vec<u64> {
        let mut blocks: Vec<u64> = self.known_blocks().filter(|block| wanted(*block)).collect();
        blocks.sort_unstable();
        blocks
    }

    /// Takes out a page that is a block by itself.
    fn remove_single(&mut self, page: PageNumber, stays: impl Fn(PageNumber) -> bool) -> Option<RemovedPage> {
        let Blocks::Single(table) = &mut self.blocks else { return None };
        let slot = table.find(page.0).filter(|_| !stays(page))?;
        let FlashLocation { flash, .. } = table.remove(slot);
        self.pages -= 1;
        Some(RemovedPage { page, flash })
    }

    fn remove_in_block(
        &mut self,
        block: u64,
        pages: &Range<u64>,
        stays: impl Fn(PageNumber) -> bool,
    ) -> Vec<RemovedPage> {
        let own = block * self.block_pages..(block + 1) * self.block_pages;
        let within = |page: u64| (page.clamp(own.start, own.end) - own.start) as usize;
        let mut removed = Vec::new();
        self.change(block, |places| {
            let from = within(pages.start);
            for (place, at) in places[from..within(pages.end)].iter_mut().zip(from as u64..) {
                let page = PageNumber(own.start + at);
                if place.is_some() && !stays(page) {
                    removed.extend(place.take().map(|located| RemovedPage { page, flash: located.flash }));
                }
            }
        });
        self.pages -= removed.len() as u64;
        removed
    }

    /// Changes the places of a block's pages. A block without any left is forgotten.
    fn change(&mut self, block: u64, change: impl FnOnce(&mut [Option<FlashLocation>])) {
        let known = self.find(block);
        match &mut self.blocks {
            Blocks::Single(table) => {
                let mut place = [known.map(|slot| table.value(slot))];
                change(&mut place);
                match (known, place[0]) {
                    (Some(slot), Some(located)) => _ = table.set_value(slot, located),
                    (Some(slot), None) => _ = table.remove(slot),
                    (None, Some(located)) => table.insert(number(block), located),
                    (None, None) => {}
                }
            }
            Blocks::MultiPage(multi_page) => {
                let pages = self.block_pages as usize;
                let mut places = known.map_or_else(|| smallvec![None; pages], |slot| multi_page.places(slot));
                change(&mut places);
                match (known, places.iter().all(Option::is_none)) {
                    (Some(slot), false) => multi_page.set_places(slot, &places),
                    (Some(slot), true) => multi_page.remove(slot),
                    (None, false) => multi_page.insert(number(block), &pack(&places)),
                    (None, true) => {}
                }
            }
        }
    }

    /// Inserts a block that is not indexed, of which one run of neighbours is on flash.
    fn add_run(&mut self, block: u64, within: usize, flash: FlashPage, checksums: &[u32]) {
        match &mut self.blocks {
            Blocks::Single(table) => {
                table.insert(number(block), FlashLocation { flash, checksum: checksums[0] });
            }
            Blocks::MultiPage(multi_page) => {
                let pages = self.block_pages as usize;
                multi_page.insert(number(block), &pack_run(pages, within, flash, checksums));
            }
        }
    }
}

fn number(block: u64) -> u32 {
    u32::try_from(block).expect("checked at attach")
}

impl Blocks {
    fn history(&self, slot: BlockSlot) -> History {
        match self {
            Self::Single(table) => table.history(slot),
            Self::MultiPage(multi_page) => multi_page.table().history(slot),
        }
    }

    fn history_mut(&mut self, slot: BlockSlot) -> &mut History {
        match self {
            Self::Single(table) => table.history_mut(slot),
            Self::MultiPage(multi_page) => multi_page.table_mut().history_mut(slot),
        }
    }
}
