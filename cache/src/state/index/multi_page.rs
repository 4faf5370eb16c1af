//! Blocks of several pages: each has a piece of memory, of the size that it needs, in which the places of its pages are packed.

use super::packed::{Places, Words, get, pack, unpack};
use super::pieces::{Piece, Pieces};
use super::table::{BlockTable, BlockValue};
use super::{BlockSlot, FlashLocation};

/// Blocks of several pages by their number.
pub(super) struct MultiPageBlocks {
    table: BlockTable<Piece>,
    pieces: Pieces,
    pages: usize,
}

impl BlockValue for Piece {
    const NOTHING: Self = Self::NONE;

    fn is_nothing(&self) -> bool {
        self.is_none()
    }
}

impl MultiPageBlocks {
    /// Creates an empty store for blocks of `pages` pages.
    pub(super) fn new(pages: usize, salt: u64) -> Self {
        Self { table: BlockTable::new(salt), pieces: Pieces::new(), pages }
    }

    /// Returns the table of blocks, without the places of their pages.
    pub(super) fn table(&self) -> &BlockTable<Piece> {
        &self.table
    }

    pub(super) fn table_mut(&mut self) -> &mut BlockTable<Piece> {
        &mut self.table
    }

    /// Returns the bytes of RAM taken, unused room included.
    pub(super) fn bytes(&self) -> u64 {
        self.table.bytes() + self.pieces.bytes()
    }

    /// Returns the place of a page of the block.
    pub(super) fn located(&self, slot: BlockSlot, within: usize) -> Option<FlashLocation> {
        get(self.pieces.get(self.table.value(slot)), self.pages, within)
    }

    /// Returns the places of all its pages.
    pub(super) fn places(&self, slot: BlockSlot) -> Places {
        unpack(self.pieces.get(self.table.value(slot)), self.pages)
    }

    /// Changes where the pages of a block are.
    pub(super) fn set_places(&mut self, slot: BlockSlot, places: &[Option<FlashLocation>]) {
        let words = pack(places);
        if !self.pieces.replace(self.table.value(slot), &words) {
            let piece = self.pieces.put(self.table.block(slot), &words);
            let before = self.table.set_value(slot, piece);
            self.take_away(before);
        }
    }

    /// Enters a block that is not there.
    pub(super) fn insert(&mut self, block: u32, words: &Words) {
        let piece = self.pieces.put(block, words);
        self.table.insert(block, piece);
    }

    /// Takes a block out. Slots that were found before mean nothing any more.
    pub(super) fn remove(&mut self, slot: BlockSlot) {
        let piece = self.table.remove(slot);
        self.take_away(piece);
    }

    /// Removes a piece. Its place then holds another block's piece, if there was one behind it.
    fn take_away(&mut self, piece: Piece) {
        if let Some(moved) = self.pieces.take_away(piece) {
            let slot = self.table.find(moved.into()).expect("whoever has a piece is in the table");
            self.table.set_value(slot, piece);
        }
    }

    /// Fails if not every block has a piece of its own, and every piece its block.
    #[cfg(test)]
    pub(super) fn check(&self) {
        assert_eq!(self.pieces.len(), self.table.len());
        for block in self.table.blocks() {
            let slot = self.table.find(block).expect("it is there");
            assert_eq!(u64::from(self.pieces.owner(self.table.value(slot))), block);
            assert!(self.places(slot).iter().any(Option::is_some));
        }
    }
}
