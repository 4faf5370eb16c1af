//! SIEVE: FIFO with a hand that walks from the oldest to the newest block, and evicts blocks that were not used since its last visit. The
//! others keep their places.
//!
//! Y. Zhang, J. Yang, Y. Yue, Y. Vigfusson, K. V. Rashmi: SIEVE is Simpler than LRU. NSDI 2024, algorithm 1.

use super::lists::{ListId, Lists};
use super::{Access, ReplacementPolicy};

const ALL: ListId = ListId(0);

/// SIEVE.
pub struct Sieve {
    capacity: usize,
    lists: Lists,
    used: Vec<bool>,
    /// Next block that the hand checks; the oldest block if none.
    hand: Option<u32>,
}

impl Sieve {
    /// Creates an empty cache of `capacity` blocks with numbers below `blocks`.
    pub fn new(capacity: usize, blocks: u32) -> Self {
        Self { capacity, lists: Lists::new(blocks, 1, 0), used: vec![false; blocks as usize], hand: None }
    }

    fn evict(&mut self) {
        while let Some(block) = self.hand.or_else(|| self.lists.back(ALL)) {
            self.hand = self.lists.newer(block);
            if !std::mem::take(&mut self.used[block as usize]) {
                self.lists.remove(block);
                return;
            }
        }
    }
}

impl ReplacementPolicy for Sieve {
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
        if self.hand == Some(block) {
            self.hand = self.lists.newer(block);
        }
        self.lists.invalidate(block);
    }

    fn len(&self) -> usize {
        self.lists.cached()
    }
}
