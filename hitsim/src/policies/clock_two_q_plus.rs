//! Clock2Q+: S3-FIFO with a correlation window: uses of a block right after it came do not count.
//!
//! Y. Zhai et al.: Clock2Q+: A Simple and Efficient Replacement Algorithm for Metadata Cache in `VMware` vSAN. arXiv 2511.21958, 2025.
//!
//! Written from the paper's summary: a small FIFO, a main queue that is a clock with one bit, and a queue of ghosts; a block of the small
//! queue that is in the correlation window, the part where newcomers are, does not get its reference bit. Where the summary gives no
//! figure, these are taken: a tenth for the small queue, half of it for the window, as many ghosts as fit the main queue.

use super::lists::{ListId, Lists};
use super::{Access, Policy};

const SMALL: ListId = ListId(0);
const MAIN: ListId = ListId(1);
const GHOST: ListId = ListId(2);

/// S3-FIFO with a correlation window.
pub struct ClockTwoQPlus {
    capacity: usize,
    small_max: usize,
    window: u32,
    ghosts_max: usize,
    lists: Lists,
    referenced: Vec<bool>,
    /// Of each block how many had entered the small queue when it did.
    entered_at: Vec<u32>,
    entered: u32,
}

impl ClockTwoQPlus {
    /// An empty cache of `capacity` blocks with numbers below `blocks`.
    pub fn new(capacity: usize, blocks: u32) -> Self {
        let small_max = (capacity / 10).max(1);
        Self {
            capacity,
            small_max,
            window: (small_max / 2) as u32,
            ghosts_max: (capacity - small_max).max(1),
            lists: Lists::new(blocks, 3),
            referenced: vec![false; blocks as usize],
            entered_at: vec![0; blocks as usize],
            entered: 0,
        }
    }

    fn is_in_window(&self, block: u32) -> bool {
        self.lists.is_in(SMALL, block) && self.entered - self.entered_at[block as usize] < self.window
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
        if std::mem::take(&mut self.referenced[block as usize]) {
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
            if !std::mem::take(&mut self.referenced[block as usize]) {
                self.lists.remove(block);
                return;
            }
            self.lists.put_first(MAIN, block);
        }
    }
}

impl Policy for ClockTwoQPlus {
    fn access(&mut self, block: u32) -> Access {
        if self.holds(block) {
            if !self.is_in_window(block) {
                self.referenced[block as usize] = true;
            }
            return Access::Hit;
        }
        let to = if self.lists.is_in(GHOST, block) { MAIN } else { SMALL };
        self.lists.remove(block);
        self.evict();
        self.referenced[block as usize] = false;
        if to == SMALL {
            self.entered += 1;
            self.entered_at[block as usize] = self.entered;
        }
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
