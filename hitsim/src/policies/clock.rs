//! CLOCK, or second chance: FIFO in which a block that was used since its last check goes round once more.
//!
//! F. J. Corbató: A Paging Experiment with the Multics System. MIT Project MAC Report MAC-M-384, 1968.

use super::lists::{ListId, Lists};
use super::{Access, ReplacementPolicy};

const ALL: ListId = ListId(0);

/// Second chance with one bit.
pub struct Clock {
    capacity: usize,
    lists: Lists,
    used: Vec<bool>,
}

impl Clock {
    /// Creates an empty cache of `capacity` blocks with numbers below `blocks`.
    pub fn new(capacity: usize, blocks: u32) -> Self {
        Self { capacity, lists: Lists::new(blocks, 1, 0), used: vec![false; blocks as usize] }
    }

    fn evict(&mut self) {
        while let Some(block) = self.lists.back(ALL) {
            if !std::mem::take(&mut self.used[block as usize]) {
                self.lists.remove(block);
                return;
            }
            self.lists.put_first(ALL, block);
        }
    }
}

impl ReplacementPolicy for Clock {
    fn access(&mut self, block: u32) -> Access {
        if self.lists.is_in(ALL, block) {
            self.used[block as usize] = true;
            return Access::Hit;
        }
        if self.len() == self.capacity {
            self.evict();
        }
        self.used[block as usize] = false;
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
