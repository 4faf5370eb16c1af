//! FIFO: evicts blocks in the order of their insertion, however often they were used.

use super::lists::{ListId, Lists};
use super::{Access, ReplacementPolicy};

const ALL: ListId = ListId(0);

/// First in, first out.
pub struct Fifo {
    capacity: usize,
    lists: Lists,
}

impl Fifo {
    /// Creates an empty cache of `capacity` blocks with numbers below `blocks`.
    pub fn new(capacity: usize, blocks: u32) -> Self {
        Self { capacity, lists: Lists::new(blocks, 1, 0) }
    }
}

impl ReplacementPolicy for Fifo {
    fn access(&mut self, block: u32) -> Access {
        if self.lists.is_in(ALL, block) {
            return Access::Hit;
        }
        if self.len() == self.capacity {
            self.lists.pop_back(ALL);
        }
        self.lists.put_first(ALL, block);
        Access::Miss
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
