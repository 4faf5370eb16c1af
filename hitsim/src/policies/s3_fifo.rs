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

/// The parameters in which variants of S3-FIFO differ.
pub(super) struct Rules {
    /// Uses are counted up to this.
    pub(super) uses_max: u8,
    /// So many uses after it came, a block goes from the small queue to the main one.
    pub(super) uses_for_main: u8,
    /// A use does not count before so many blocks entered the small queue, the one that is used among them.
    pub(super) window: u32,
}

/// Blocks of the small queue.
pub(super) fn small_max(capacity: usize) -> usize {
    (capacity / 10).max(1)
}

/// S3-FIFO.
pub struct S3Fifo {
    capacity: usize,
    small_max: usize,
    ghosts_max: usize,
    rules: Rules,
    lists: Lists,
    uses: Vec<u8>,
    /// Of each block how many had entered the small queue when it did.
    entered_at: Vec<u32>,
    entered: u32,
}

impl S3Fifo {
    /// An empty cache of `capacity` blocks with numbers below `blocks`.
    pub fn new(capacity: usize, blocks: u32) -> Self {
        Self::with_rules(capacity, blocks, Rules { uses_max: 3, uses_for_main: 2, window: 0 })
    }

    /// The same of a variant.
    pub(super) fn with_rules(capacity: usize, blocks: u32, rules: Rules) -> Self {
        let small_max = small_max(capacity);
        Self {
            capacity,
            small_max,
            ghosts_max: (capacity - small_max).max(1),
            rules,
            lists: Lists::new(blocks, 2, 1),
            uses: vec![0; blocks as usize],
            entered_at: vec![0; blocks as usize],
            entered: 0,
        }
    }

    fn is_in_window(&self, block: u32) -> bool {
        self.lists.is_in(SMALL, block) && self.entered - self.entered_at[block as usize] < self.rules.window
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
        if self.uses[block as usize] >= self.rules.uses_for_main {
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
        if self.holds(block) {
            if !self.is_in_window(block) {
                let uses = &mut self.uses[block as usize];
                *uses = (*uses + 1).min(self.rules.uses_max);
            }
            return Access::Hit;
        }
        let to = if self.lists.is_in(GHOST, block) { MAIN } else { SMALL };
        self.lists.remove(block);
        self.evict();
        self.uses[block as usize] = 0;
        if to == SMALL {
            self.entered += 1;
            self.entered_at[block as usize] = self.entered;
        }
        self.lists.put_first(to, block);
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
