//! S3-FIFO: a small FIFO that filters blocks used only once, a main one with second chances, and ghosts of the small one.
//!
//! J. Yang, Y. Zhang, Z. Qiu, Y. Yue, K. V. Rashmi: FIFO Queues are All You Need for Cache Eviction. SOSP 2023, algorithm 1,
//! with its shares: a tenth for the small queue, and as many remembered as fit the main one.
//!
//! A variant of that algorithm, in three respects. The main queue has no share of its own; only both queues together are limited to the
//! capacity (there, a full main queue evicts a block for one that moves in). The use count of a block that moves to the main queue is
//! reset. If the main queue is empty, the small one evicts a block even below its tenth.

use super::lists::{ListId, Lists};
use super::{Access, ReplacementPolicy};

const SMALL: ListId = ListId(0);
const MAIN: ListId = ListId(1);
const GHOST: ListId = ListId(2);

/// Parameters of variants of S3-FIFO.
pub(super) struct Rules {
    /// Maximum of the use count.
    pub(super) uses_max: u8,
    /// Uses after which a block moves from the small queue to the main one.
    pub(super) uses_for_main: u8,
    /// Number of blocks that must have entered the small queue before a use counts, including the used one.
    pub(super) window: u32,
}

/// Returns the size of the small queue in blocks.
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
    /// For each block, the number of blocks that had entered the small queue when it did.
    entered_at: Vec<u32>,
    entered: u32,
}

impl S3Fifo {
    /// Creates an empty cache of `capacity` blocks with numbers below `blocks`.
    pub fn new(capacity: usize, blocks: u32) -> Self {
        Self::with_rules(capacity, blocks, Rules { uses_max: 3, uses_for_main: 2, window: 0 })
    }

    /// Creates the same of a variant.
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

impl ReplacementPolicy for S3Fifo {
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
