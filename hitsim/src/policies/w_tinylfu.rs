//! W-TinyLFU: a small LRU window in front of a segmented LRU; a block that leaves the window enters only if it was used more often than the
//! block that it would evict, by a sketch of ageing counts.
//!
//! G. Einziger, R. Friedman, B. Manes: `TinyLFU`: A Highly Efficient Cache Admission Policy. ACM Transactions on Storage 13(4),
//! 2017, section 4; counts are halved every ten accesses per cached block (3.3), and a protected part takes 80 % of the main
//! one. The sketch is a count-min sketch of four rows with counts up to 15, without the paper's door-keeper.

use super::lists::{ListId, Lists};
use super::{Access, ReplacementPolicy};

const WINDOW: ListId = ListId(0);
const PROBATION: ListId = ListId(1);
const PROTECTED: ListId = ListId(2);

const ROWS: usize = 4;
const COUNT_MAX: u8 = 15;
/// Number of accesses per cached block after which counts are halved.
const SAMPLE: usize = 10;

/// W-TinyLFU with a window of a given size.
pub struct WTinyLfu {
    capacity: usize,
    window_max: usize,
    protected_max: usize,
    lists: Lists,
    sketch: Sketch,
}

impl WTinyLfu {
    /// Creates an empty cache of `capacity` blocks with numbers below `blocks`, with a window in hundredths.
    pub fn new(capacity: usize, blocks: u32, window_percent: u8) -> Self {
        let window_max = (capacity * usize::from(window_percent) / 100).max(1);
        let protected_max = capacity.saturating_sub(window_max) * 4 / 5;
        Self {
            capacity,
            window_max,
            protected_max,
            lists: Lists::new(blocks, 3, 0),
            sketch: Sketch::new(capacity),
        }
    }

    fn hit(&mut self, list: ListId, block: u32) {
        if list == WINDOW {
            self.lists.put_first(WINDOW, block);
            return;
        }
        self.lists.put_first(PROTECTED, block);
        if self.lists.len(PROTECTED) > self.protected_max
            && let Some(last) = self.lists.back(PROTECTED)
        {
            self.lists.put_first(PROBATION, last);
        }
    }

    /// Moves the window's last block to the main part, or evicts it.
    fn pass_on(&mut self) {
        let Some(candidate) = self.lists.back(WINDOW) else { return };
        if self.len() <= self.capacity {
            self.lists.put_first(PROBATION, candidate);
            return;
        }
        let victim = self.lists.back(PROBATION).or_else(|| self.lists.back(PROTECTED));
        match victim {
            Some(victim) if self.sketch.count(candidate) > self.sketch.count(victim) => {
                self.lists.remove(victim);
                self.lists.put_first(PROBATION, candidate);
            }
            _ => self.lists.remove(candidate),
        }
    }
}

impl ReplacementPolicy for WTinyLfu {
    fn access(&mut self, block: u32) -> Access {
        self.sketch.add(block);
        if let Some(list) = self.lists.list_of(block) {
            self.hit(list, block);
            return Access::Hit;
        }
        self.lists.put_first(WINDOW, block);
        if self.lists.len(WINDOW) > self.window_max {
            self.pass_on();
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

/// Estimate of recent uses of blocks, too high rather than too low.
struct Sketch {
    rows: [Vec<u8>; ROWS],
    added: usize,
    sample: usize,
}

impl Sketch {
    fn new(capacity: usize) -> Self {
        let width = (8 * capacity).max(64).next_power_of_two();
        Self { rows: std::array::from_fn(|_| vec![0; width]), added: 0, sample: SAMPLE * capacity }
    }

    fn place(&self, row: usize, block: u32) -> usize {
        // Finaliser of MurmurHash3, 64 bits, of the block and its row.
        let mut hash = u64::from(block) | (row as u64 + 1) << 32;
        hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        (hash ^ (hash >> 33)) as usize & (self.rows[row].len() - 1)
    }

    fn count(&self, block: u32) -> u8 {
        let counts = (0..ROWS).map(|row| self.rows[row][self.place(row, block)]);
        counts.min().expect("there are rows")
    }

    /// Adds one to the lowest counts only, which keeps the others from growing needlessly.
    fn add(&mut self, block: u32) {
        let least = self.count(block);
        for row in 0..ROWS {
            let place = self.place(row, block);
            let count = &mut self.rows[row][place];
            if *count == least {
                *count = (least + 1).min(COUNT_MAX);
            }
        }
        self.added += 1;
        if self.added >= self.sample {
            self.added /= 2;
            self.rows.iter_mut().flatten().for_each(|count| *count /= 2);
        }
    }
}
