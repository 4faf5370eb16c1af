//! Rule for writes, in one place, for served disks and for policies from papers alike. It is the behaviour of a disk in write-through:
//!
//! ```text
//!   read                      a hit if the block is cached; if not, it enters
//!   write of all of it        the same; the version on flash is invalid, and the new one, in RAM, has to be written to flash again
//!   write of a part of it     cached in RAM: updated there, as above
//!                             cached on flash alone: invalidated
//!                             not cached: it stays so, as its rest is not known
//! ```
//! A write is a hit if the block was cached before it. A policy from a paper has no RAM of its own: a block counts as in RAM if it is among
//! the most recently used blocks, as many as the RAM of a served disk of the same size holds. RAM is part of the size for both.

use crate::policies::{Access, Lru, ReplacementPolicy};

/// Treatment of a trace's writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writes {
    /// They are writes: an overwrite by a guest invalidates a page on flash, and the new version has to be admitted again.
    #[default]
    AsTheyAre,
    /// They are writes of all pages that they touch, as from a guest whose partitions begin at a page: this has the cost of overwriting,
    /// and not that of pages of which the rest is unknown.
    OfWholePages,
    /// They count as reads, as in papers.
    AsReads,
}

/// Part of the block that an access writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effect {
    /// None: it reads.
    #[default]
    Reads,
    /// All of it.
    Replaces,
    /// A part.
    Patches,
}

/// Policy from a paper that follows the rule.
pub(crate) struct WriteThrough<'a> {
    policy: Box<dyn ReplacementPolicy + 'a>,
    /// Blocks that count as in RAM, if they are cached at all.
    ram: Lru,
    written: u64,
}

impl<'a> WriteThrough<'a> {
    /// Wraps a policy of blocks below `blocks`, of which `ram_blocks` count as in RAM: at least one.
    pub(crate) fn new(policy: Box<dyn ReplacementPolicy + 'a>, ram_blocks: usize, blocks: u32) -> Self {
        Self { policy, ram: Lru::new(ram_blocks.max(1), blocks), written: 0 }
    }

    pub(crate) fn access(&mut self, block: u32, effect: Effect) -> Access {
        let held = self.policy.holds(block);
        if effect == Effect::Patches && !(held && self.ram.holds(block)) {
            self.policy.invalidate(block);
            self.ram.invalidate(block);
            return if held { Access::Hit } else { Access::Miss };
        }
        self.ram.access(block);
        let access = self.policy.access(block);
        self.written += u64::from(access == Access::Miss || effect != Effect::Reads);
        access
    }

    /// Returns the number of blocks written to flash so far, as without RAM in front and without a log: each that entered, and each new
    /// version.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    pub(crate) fn len(&self) -> usize {
        self.policy.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policies::Reference;

    /// Returns hits (`H`) and misses of accesses to a cache of eight blocks, two of them in RAM; then blocks cached, and blocks written.
    fn play(reference: Reference, accesses: &[(u32, Effect)]) -> (String, usize, u64) {
        let blocks: Vec<u32> = accesses.iter().map(|(block, _)| *block).collect();
        let effects: Vec<Effect> = accesses.iter().map(|(_, effect)| *effect).collect();
        let next = crate::policies::next_uses(&blocks, &effects, 16, 1);
        let mut cache = WriteThrough::new(reference.make(8, 16, &next), 2, 16);
        let hit = |(block, effect): &(u32, Effect)| match cache.access(*block, *effect) {
            Access::Hit => 'H',
            Access::Miss => '.',
        };
        let answers = accesses.iter().map(hit).collect();
        (answers, cache.len(), cache.written())
    }

    use Effect::{Patches, Reads, Replaces};

    #[test]
    fn a_part_that_is_written_is_kept_in_ram_void_on_flash_and_unknown_if_not_cached() {
        for reference in Reference::ALL {
            let in_ram = [(1, Reads), (1, Patches), (1, Reads)];
            assert_eq!(play(reference, &in_ram), (".HH".to_owned(), 1, 2), "{reference}");
            // Two others were accessed since.
            let on_flash = [(1, Reads), (2, Reads), (3, Reads), (1, Patches), (1, Reads)];
            assert_eq!(play(reference, &on_flash).0, "...H.", "{reference}");
            assert_eq!(play(reference, &on_flash[..4]).1, 2, "{reference}");
            assert_eq!(play(reference, &[(1, Patches), (1, Patches), (1, Reads)]).0, "...", "{reference}");
        }
    }

    #[test]
    fn what_is_written_whole_is_cached_and_written_to_flash_again() {
        for reference in Reference::ALL {
            let whole = [(1, Replaces), (1, Replaces), (1, Reads)];
            assert_eq!(play(reference, &whole), (".HH".to_owned(), 1, 2), "{reference}");
        }
    }
}
