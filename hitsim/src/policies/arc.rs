//! ARC: one LRU list of blocks used once and one of blocks used more often, whose shares follow the hits in the ghosts of each.
//!
//! N. Megiddo, D. S. Modha: ARC: A Self-Tuning, Low Overhead Replacement Cache. FAST 2003, figure 4. The names `T1`, `T2`,
//! `B1`, `B2` and `target` (there p) are those of the paper.

use super::lists::{ListId, Lists};
use super::{Access, ReplacementPolicy};

/// Cached blocks, used once.
const T1: ListId = ListId(0);
/// Cached blocks, used more often.
const T2: ListId = ListId(1);
/// Ghosts from `T1`.
const B1: ListId = ListId(2);
/// Ghosts from `T2`.
const B2: ListId = ListId(3);

/// Adaptive replacement.
pub struct Arc {
    capacity: usize,
    lists: Lists,
    /// Target size of `T1`: a real number, as in the paper.
    target: f64,
}

impl Arc {
    /// Creates an empty cache of `capacity` blocks with numbers below `blocks`.
    pub fn new(capacity: usize, blocks: u32) -> Self {
        Self { capacity, lists: Lists::new(blocks, 2, 2), target: 0.0 }
    }

    /// Lengths stay far below 2^52.
    #[expect(clippy::cast_precision_loss, reason = "lengths of lists stay below 2^32")]
    fn length(&self, list: ListId) -> f64 {
        self.lists.len(list) as f64
    }

    /// Evicts one block and remembers it: REPLACE of the paper.
    fn replace(&mut self, is_in_b2: bool) {
        // Only invalidated blocks leave room.
        if self.len() < self.capacity {
            return;
        }
        let (length, target) = (self.length(T1), self.target);
        #[expect(
            clippy::float_cmp,
            reason = "the paper compares them; a target that is reached is a whole number"
        )]
        let from_t1 = length >= 1.0 && (length > target || is_in_b2 && length == target);
        let (from, to) = if from_t1 { (T1, B1) } else { (T2, B2) };
        if let Some(block) = self.lists.back(from) {
            self.lists.put_first(to, block);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "capacities stay below 2^32")]
    fn ghost_hit(&mut self, list: ListId, block: u32) {
        if list == B1 {
            let step = (self.length(B2) / self.length(B1)).max(1.0);
            self.target = (self.target + step).min(self.capacity as f64);
        } else {
            let step = (self.length(B1) / self.length(B2)).max(1.0);
            self.target = (self.target - step).max(0.0);
        }
        self.replace(list == B2);
        self.lists.put_first(T2, block);
    }

    fn miss(&mut self, block: u32) {
        let [t1, t2, b1, b2] = [T1, T2, B1, B2].map(|list| self.lists.len(list));
        if t1 + b1 == self.capacity {
            if t1 < self.capacity {
                self.lists.pop_back(B1);
                self.replace(false);
            } else {
                self.lists.pop_back(T1);
            }
        } else if t1 + t2 + b1 + b2 >= self.capacity {
            if t1 + t2 + b1 + b2 == 2 * self.capacity {
                self.lists.pop_back(B2);
            }
            self.replace(false);
        }
        self.lists.put_first(T1, block);
    }
}

impl ReplacementPolicy for Arc {
    fn access(&mut self, block: u32) -> Access {
        match self.lists.list_of(block) {
            Some(T1 | T2) => {
                self.lists.put_first(T2, block);
                return Access::Hit;
            }
            Some(ghost) => self.ghost_hit(ghost, block),
            None => self.miss(block),
        }
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
