//! 2Q: new blocks wait in a FIFO; a block that returns after leaving it enters an LRU list.
//!
//! T. Johnson, D. Shasha: 2Q: A Low Overhead High Performance Buffer Management Replacement Algorithm. VLDB 1994, the full version, with
//! the recommended shares: a quarter of the cache for new blocks, and half as many ghosts as blocks fit the cache.

use super::lists::{ListId, Lists};
use super::{Access, ReplacementPolicy};

const WANTED: ListId = ListId(0);
const NEW: ListId = ListId(1);
const GONE: ListId = ListId(2);

/// 2Q.
pub struct TwoQ {
    capacity: usize,
    new_max: usize,
    gone_max: usize,
    lists: Lists,
}

impl TwoQ {
    /// Creates an empty cache of `capacity` blocks with numbers below `blocks`.
    pub fn new(capacity: usize, blocks: u32) -> Self {
        let (new_max, gone_max) = ((capacity / 4).max(1), (capacity / 2).max(1));
        Self { capacity, new_max, gone_max, lists: Lists::new(blocks, 2, 1) }
    }

    fn reclaim(&mut self) {
        if self.len() < self.capacity {
            return;
        }
        let from_new = self.lists.len(NEW) > self.new_max || self.lists.len(WANTED) == 0;
        if !from_new {
            self.lists.pop_back(WANTED);
        } else if let Some(block) = self.lists.back(NEW) {
            self.lists.put_first(GONE, block);
            if self.lists.len(GONE) > self.gone_max {
                self.lists.pop_back(GONE);
            }
        }
    }
}

impl ReplacementPolicy for TwoQ {
    fn access(&mut self, block: u32) -> Access {
        match self.lists.list_of(block) {
            Some(WANTED) => {
                self.lists.put_first(WANTED, block);
                Access::Hit
            }
            Some(NEW) => Access::Hit,
            Some(_) => {
                // Removed first, so that making room does not forget it.
                self.lists.remove(block);
                self.reclaim();
                self.lists.put_first(WANTED, block);
                Access::Miss
            }
            None => {
                self.reclaim();
                self.lists.put_first(NEW, block);
                Access::Miss
            }
        }
    }

    fn holds(&self, block: u32) -> bool {
        self.lists.holds(block)
    }

    fn invalidate(&mut self, block: u32) {
        self.lists.invalidate(block);
    }

    fn len(&self) -> usize {
        self.lists.cached()
    }
}
