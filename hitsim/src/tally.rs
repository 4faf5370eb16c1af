//! Counts of hits and misses: of a pass over a workload, and of the stretches right after the first fill.

use cache::DriveWrites;

use crate::policies::Lru;
use crate::rule::{Effect, WriteThrough};

/// Counts of accesses and misses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All accesses.
    pub accesses: u64,
    /// Accesses that were no hits.
    pub misses: u64,
    /// Accesses that read; all of them where writes count as reads.
    pub reads: u64,
    /// Reads that were no hits.
    pub read_misses: u64,
}

impl Tally {
    /// Returns the misses of all accesses; not a number if there are none.
    pub fn miss_ratio(&self) -> f64 {
        ratio(self.misses, self.accesses)
    }

    /// Returns the misses of reads alone; not a number if there are none.
    pub fn read_miss_ratio(&self) -> f64 {
        ratio(self.read_misses, self.reads)
    }

    pub(crate) fn record(&mut self, access: Recorded) {
        let missed = u64::from(!access.is_hit);
        self.accesses += 1;
        self.misses += missed;
        if access.is_read {
            self.reads += 1;
            self.read_misses += missed;
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of accesses are 32 bits")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

/// Access with its result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recorded {
    pub(crate) is_hit: bool,
    pub(crate) is_read: bool,
}

/// The two stretches after the first fill, each of as many accesses as the cache holds blocks. They are the same for every policy: they
/// begin when an LRU of that size is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turnovers {
    /// Number of accesses before the first of them.
    pub start: u64,
    /// Number of accesses of each.
    pub length: u64,
}

impl Turnovers {
    /// Returns those of a cache of `capacity` blocks, numbered in the order of their first accesses; `None` if it never fills.
    pub(crate) fn of(
        blocks: &[u32],
        effects: &[Effect],
        distinct: u32,
        [capacity, ram]: [usize; 2],
    ) -> Option<Self> {
        if effects.is_empty() {
            // Each new block stays until the cache is full.
            let last = capacity.checked_sub(1)? as u32;
            let at = blocks.iter().position(|block| *block == last)?;
            return Some(Self { start: at as u64 + 1, length: capacity as u64 });
        }
        let mut lru = WriteThrough::new(Box::new(Lru::new(capacity, distinct)), ram, distinct);
        for (at, block) in blocks.iter().enumerate() {
            lru.access(*block, effects.get(at).copied().unwrap_or_default());
            if lru.len() == capacity {
                return Some(Self { start: at as u64 + 1, length: capacity as u64 });
            }
        }
        None
    }
}

/// Course of a simulation, beside the settings of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Course {
    /// Number of passes over the workload: at least one. A second pass begins with learned state and a full cache.
    pub passes: u32,
    /// Stretches that are counted apart, in accesses.
    pub turnovers: Option<Turnovers>,
    /// Write budget of the flash: drive writes of its device in a day of [`ACCESS_NS`](crate::served::ACCESS_NS) for each access.
    pub write_budget: Option<DriveWrites>,
}

impl Default for Course {
    /// One pass, with nothing counted apart.
    fn default() -> Self {
        Self { passes: 1, turnovers: None, write_budget: None }
    }
}

/// The tallies of a course.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tallies {
    pub(crate) first: Tally,
    /// Counts of the last pass, if there are several.
    pub(crate) again: Option<Tally>,
    pub(crate) turns: [Tally; 2],
}

impl Tallies {
    /// Begins the next pass.
    pub(crate) fn next_pass(&mut self) {
        self.again = Some(Tally::default());
    }

    pub(crate) fn record(&mut self, access: Recorded, turnovers: Option<Turnovers>) {
        let Some(again) = &mut self.again else {
            if let Some(Turnovers { start, length }) = turnovers {
                let turn = self.first.accesses.checked_sub(start).map(|since| since / length);
                if let Some(turn @ 0..2) = turn {
                    self.turns[turn as usize].record(access);
                }
            }
            self.first.record(access);
            return;
        };
        again.record(access);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HIT: Recorded = Recorded { is_hit: true, is_read: false };
    const MISS: Recorded = Recorded { is_hit: false, is_read: true };

    #[test]
    fn turnovers_begin_when_an_lru_is_full_and_are_as_long_as_the_cache() {
        let blocks = [0, 0, 1, 1, 2, 0, 3];
        assert_eq!(Turnovers::of(&blocks, &[], 4, [3, 1]), Some(Turnovers { start: 5, length: 3 }));
        assert_eq!(Turnovers::of(&blocks[..4], &[], 4, [3, 1]), None);
        assert_eq!(
            Turnovers::of(&blocks, &[Effect::Reads; 7], 4, [3, 1]),
            Turnovers::of(&blocks, &[], 4, [3, 1])
        );
        // A part that is written fills nothing.
        let effects = [Effect::Patches; 7];
        assert_eq!(Turnovers::of(&blocks, &effects, 4, [3, 1]), None);
    }

    #[test]
    fn each_access_counts_in_its_pass_and_its_turnover() {
        let turnovers = Some(Turnovers { start: 1, length: 2 });
        let mut tallies = Tallies::default();
        for access in [MISS, MISS, HIT, HIT, HIT, MISS] {
            tallies.record(access, turnovers);
        }
        tallies.next_pass();
        tallies.record(MISS, turnovers);
        let tally = |accesses, misses, reads| Tally { accesses, misses, reads, read_misses: misses };
        let wanted = Tallies {
            first: tally(6, 3, 3),
            again: Some(tally(1, 1, 1)),
            turns: [tally(2, 1, 1), tally(2, 0, 0)],
        };
        assert_eq!(tallies, wanted);
        assert!((wanted.first.miss_ratio() - 0.5).abs() < 1e-9);
        assert!(wanted.turns[1].read_miss_ratio().is_nan(), "nothing was read");
    }
}
