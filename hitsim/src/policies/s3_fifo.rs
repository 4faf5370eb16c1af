//! S3-FIFO: a small FIFO that filters what is used only once, a main one with second chances, and a memory of what the
//! small one gave up.
//!
//! J. Yang, Y. Zhang, Z. Qiu, Y. Yue, K. V. Rashmi: FIFO Queues are All You Need for Cache Eviction. SOSP 2023, algorithm 1,
//! with its shares: a tenth for the small queue, and as many remembered as fit the main one.
//!
//! A variant of that algorithm, in three things: the main queue has no share of its own, only both queues together are held to the
//! capacity (there, a full main queue gives up a block for one that moves in); a block that moves to the main queue begins anew
//! with no uses; and an empty main queue has the small one give up a block also where that is below its tenth.

use super::lists::{ListId, Lists};
use super::{Access, Policy};

const SMALL: ListId = ListId(0);
const MAIN: ListId = ListId(1);
const GHOST: ListId = ListId(2);

/// Uses are counted up to this.
const USES_MAX: u8 = 3;
/// So many uses after it came, a block goes from the small queue to the main one.
const USES_FOR_MAIN: u8 = 2;

/// S3-FIFO.
pub struct S3Fifo {
    capacity: usize,
    small_max: usize,
    ghosts_max: usize,
    lists: Lists,
    uses: Vec<u8>,
}

impl S3Fifo {
    /// An empty cache of `capacity` blocks with numbers below `blocks`.
    pub fn new(capacity: usize, blocks: u32) -> Self {
        let small_max = (capacity / 10).max(1);
        let ghosts_max = (capacity - small_max).max(1);
        Self { capacity, small_max, ghosts_max, lists: Lists::new(blocks, 3), uses: vec![0; blocks as usize] }
    }

    fn evict(&mut self) {
        while self.len() >= self.capacity {
            if self.lists.len(SMALL) >= self.small_max || self.lists.len(MAIN) == 0 {
                self.evict_small();
            } else {
                self.evict_main();
            }
        }
    }

    fn evict_small(&mut self) {
        let Some(block) = self.lists.back(SMALL) else { return };
        if self.uses[block as usize] >= USES_FOR_MAIN {
            self.uses[block as usize] = 0;
            self.lists.put_first(MAIN, block);
            return;
        }
        self.lists.put_first(GHOST, block);
        if self.lists.len(GHOST) > self.ghosts_max {
            self.lists.pop_back(GHOST);
        }
    }

    fn evict_main(&mut self) {
        while let Some(block) = self.lists.back(MAIN) {
            let uses = &mut self.uses[block as usize];
            if *uses == 0 {
                self.lists.remove(block);
                return;
            }
            *uses -= 1;
            self.lists.put_first(MAIN, block);
        }
    }
}

impl Policy for S3Fifo {
    fn access(&mut self, block: u32) -> Access {
        let list = self.lists.list_of(block);
        if let Some(SMALL | MAIN) = list {
            let uses = &mut self.uses[block as usize];
            *uses = (*uses + 1).min(USES_MAX);
            return Access::Hit;
        }
        let to = if list.is_some() { MAIN } else { SMALL };
        self.lists.remove(block);
        self.evict();
        self.uses[block as usize] = 0;
        self.lists.put_first(to, block);
        Access::Miss
    }

    fn holds(&self, block: u32) -> bool {
        matches!(self.lists.list_of(block), Some(SMALL | MAIN))
    }

    fn void(&mut self, block: u32) {
        if self.holds(block) {
            self.lists.remove(block);
        }
    }

    fn len(&self) -> usize {
        self.lists.len(SMALL) + self.lists.len(MAIN)
    }
}
