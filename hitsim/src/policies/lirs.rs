//! LIRS: blocks that are reused soon stay; the rest gets one place in a hundred.
//!
//! S. Jiang, X. Zhang: LIRS: An Efficient Low Inter-reference Recency Set Replacement Policy to Improve Buffer Cache Performance.
//! SIGMETRICS 2002, section 3. The stack is the paper's S, the queue its Q. The paper does not bound the number of remembered blocks; here
//! it is twice the cache.

use super::lists::{ListId, Lists};
use super::{Access, ReplacementPolicy};

const STACK: ListId = ListId(0);
/// Cached blocks outside the LIR set.
const QUEUE: ListId = ListId(0);
/// Blocks that are not cached, and still in the stack.
const GONE: ListId = ListId(1);

/// LIRS.
pub struct Lirs {
    capacity: usize,
    low_max: usize,
    low: usize,
    stack: Lists,
    /// `QUEUE` and `GONE`; a block in neither is in the LIR set, or unknown.
    others: Lists,
    /// True for blocks in the LIR set.
    is_low: Vec<bool>,
}

impl Lirs {
    /// Creates an empty cache of `capacity` blocks with numbers below `blocks`.
    pub fn new(capacity: usize, blocks: u32) -> Self {
        let low_max = capacity - (capacity / 100).max(1);
        let is_low = vec![false; blocks as usize];
        Self {
            capacity,
            low_max,
            low: 0,
            stack: Lists::new(blocks, 1, 0),
            others: Lists::new(blocks, 1, 1),
            is_low,
        }
    }

    /// Removes blocks outside the LIR set from the bottom of the stack.
    fn prune(&mut self) {
        while let Some(block) = self.stack.back(STACK) {
            if self.is_low[block as usize] {
                return;
            }
            self.stack.remove(block);
            if self.others.is_in(GONE, block) {
                self.others.remove(block);
            }
        }
    }

    /// Moves a block into the LIR set, in place of the one at the stack's bottom if the set is full.
    fn lower(&mut self, block: u32) {
        self.others.remove(block);
        self.is_low[block as usize] = true;
        self.stack.put_first(STACK, block);
        self.low += 1;
        if self.low > self.low_max {
            self.prune();
            if let Some(last) = self.stack.pop_back(STACK) {
                self.is_low[last as usize] = false;
                self.low -= 1;
                self.others.put_first(QUEUE, last);
            }
        }
        self.prune();
    }

    fn evict(&mut self) {
        let Some(block) = self.others.pop_back(QUEUE) else { return };
        if !self.stack.is_in(STACK, block) {
            return;
        }
        self.others.put_first(GONE, block);
        if self.others.len(GONE) > 2 * self.capacity
            && let Some(oldest) = self.others.pop_back(GONE)
        {
            self.stack.remove(oldest);
        }
    }

    fn miss(&mut self, block: u32) {
        let is_known = self.others.is_in(GONE, block);
        if is_known {
            // Removed first, so that making room does not forget it.
            self.others.remove(block);
        }
        if self.len() == self.capacity {
            self.evict();
        }
        if self.low < self.low_max || is_known && self.low_max > 0 {
            self.lower(block);
        } else {
            self.stack.put_first(STACK, block);
            self.others.put_first(QUEUE, block);
        }
    }
}

impl ReplacementPolicy for Lirs {
    fn access(&mut self, block: u32) -> Access {
        if self.is_low[block as usize] {
            self.stack.put_first(STACK, block);
            self.prune();
            return Access::Hit;
        }
        if self.others.is_in(QUEUE, block) {
            if self.stack.is_in(STACK, block) && self.low_max > 0 {
                self.lower(block);
            } else {
                self.stack.put_first(STACK, block);
                self.others.put_first(QUEUE, block);
            }
            return Access::Hit;
        }
        self.miss(block);
        Access::Miss
    }

    fn holds(&self, block: u32) -> bool {
        self.is_low[block as usize] || self.others.holds(block)
    }

    fn invalidate(&mut self, block: u32) {
        if std::mem::take(&mut self.is_low[block as usize]) {
            self.low -= 1;
            self.stack.remove(block);
            self.prune();
        } else if self.others.holds(block) {
            self.others.remove(block);
            self.stack.remove(block);
        }
    }

    fn len(&self) -> usize {
        self.low + self.others.cached()
    }
}
