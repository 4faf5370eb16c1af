//! LRU: evicts the block whose last use is the oldest.

use super::lists::{ListId, Lists};
use super::{Access, ReplacementPolicy};

const ALL: ListId = ListId(0);

/// Least recently used.
pub struct Lru {
    capacity: usize,
    lists: Lists,
}

impl Lru {
    /// Creates an empty cache of `capacity` blocks with numbers below `blocks`.
    pub fn new(capacity: usize, blocks: u32) -> Self {
        Self { capacity, lists: Lists::new(blocks, 1, 0) }
    }
}

impl ReplacementPolicy for Lru {
    fn access(&mut self, block: u32) -> Access {
        let hit = self.lists.is_in(ALL, block);
        if !hit && self.len() == self.capacity {
            self.lists.pop_back(ALL);
        }
        self.lists.put_first(ALL, block);
        if hit { Access::Hit } else { Access::Miss }
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
