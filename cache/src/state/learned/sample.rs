//! A sample of the blocks, watched whether they are cached or not. The policy learns from it. Small model caches of the same relative size
//! are simulated on it; the serving cache is compared with them on the very same accesses.
//!
//! ```text
//!   sampled accesses ──> newest blocks: a cache in small by LRU │ older blocks, REACH times as many in all │ no longer watched
//!                                   └── some of them: a cache in small by density ──┘
//! ```
//! Which blocks are sampled is decided by a hash of their numbers (SHARDS: Waldspurger, Park, Garthwaite and Ahmad, FAST 2015).

use std::collections::BTreeSet;

use hashbrown::HashTable;

use super::ages::{Ages, ArrivalClass, History, Moment};
use super::dice::Dice;
use super::hazards::{HazardTable, ReuseCounts, table};
use super::parts::Parts;
use super::worth::Worth;
use crate::format::fields::{FieldReader, FieldWriter, Malformed};
use crate::state::hash::hash;

/// Blocks that are watched at most.
const WATCHED_MAX: usize = 16_384;
/// Reach of watching, in cache sizes: a block is watched until blocks for this many cache sizes were used. With four, blocks that return
/// later teach nothing: less of the gap is closed, most of all on disks with loops (docs/dev/notes/hit-ratio.md).
const REACH: usize = 12;
/// Blocks compared to find one that leaves the cache by density.
const CANDIDATES: usize = 16;

const NONE: u16 = u16::MAX;
const _: () = assert!(WATCHED_MAX + 1 < NONE as usize, "one more than are watched has a number");

/// Blocks that are watched.
pub(super) struct Sample {
    /// Inverse of the share of blocks that are sampled.
    one_of: f32,
    /// Hashes below are sampled.
    below: u64,
    /// Blocks of a cache in small.
    capacity: usize,
    numbers: HashTable<u16>,
    watched: Vec<SampledBlock>,
    free: Vec<u16>,
    /// Those of the cache by LRU, and those that left it.
    lists: [LruList; 2],
    /// The cache by density.
    dense: Vec<u16>,
}

/// A block that is watched, as another sample needs it.
struct SampleEntry {
    block: u64,
    history: History,
    by_lru: Parts,
    by_density: Parts,
    /// It is in the cache by density.
    is_dense: bool,
}

struct SampledBlock {
    block: u64,
    history: History,
    newer: u16,
    older: u16,
    /// Its place in the cache by density.
    place: u16,
    age: Age,
    /// The parts of it in the model caches: those used since it entered.
    by_lru: Parts,
    by_density: Parts,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Age {
    Newest = 0,
    Older = 1,
}

#[derive(Clone, Copy)]
struct LruList {
    front: u16,
    back: u16,
    len: usize,
}

/// Model caches that had a sampled block.
#[derive(Clone, Copy)]
pub(super) struct ModelHits {
    pub(super) by_lru: bool,
    pub(super) by_density: bool,
    /// The block was used before, and left the cache by LRU since.
    pub(super) came_back: bool,
}

impl Sample {
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    pub(super) fn new(capacity: usize) -> Self {
        let reach = capacity.saturating_mul(REACH).max(1);
        let watched = reach.min(WATCHED_MAX);
        Self {
            one_of: reach as f32 / watched as f32,
            below: (u128::from(u64::MAX) * watched as u128 / reach as u128) as u64,
            capacity: (watched / REACH).max(1),
            numbers: HashTable::new(),
            watched: Vec::new(),
            free: Vec::new(),
            lists: [LruList { front: NONE, back: NONE, len: 0 }; 2],
            dense: Vec::new(),
        }
    }

    /// Returns the sample of a cache of another size: of the blocks that are watched those that are sampled there too.
    pub(super) fn resized(&self, capacity: usize) -> Self {
        let mut resized = Self::new(capacity);
        let below = resized.below;
        resized.fill(self.entries().filter(|entry| hash(entry.block) <= below).collect());
        resized
    }

    /// Appends all blocks that are watched, the one used last first. Times are before `now`.
    pub(super) fn encode(&self, now: Moment, to: &mut FieldWriter) {
        to.u32(self.entries().count() as u32);
        for SampleEntry { block, history, by_lru, by_density, is_dense } in self.entries() {
            to.u64(block);
            to.u32(history.encode(now));
            to.u16(by_lru.bits());
            to.u16(by_density.bits());
            to.u8(u8::from(is_dense));
        }
    }

    /// Takes what [`Self::encode`] appended, for a cache of so many blocks.
    pub(super) fn decode(
        from: &mut FieldReader<'_>,
        capacity: usize,
        now: Moment,
    ) -> Result<Self, Malformed> {
        let count = from.u32()? as usize;
        if count > WATCHED_MAX + 1 {
            return Err(Malformed("too many blocks are watched"));
        }
        let mut sample = Self::new(capacity);
        let mut entries = Vec::with_capacity(count);
        for _ in 0..count {
            let block = from.u64()?;
            let history =
                History::decode(from.u32()?, now).ok_or(Malformed("a block has no such history"))?;
            let (by_lru, by_density) = (Parts::of_bits(from.u16()?), Parts::of_bits(from.u16()?));
            entries.push(SampleEntry { block, history, by_lru, by_density, is_dense: from.u8()? != 0 });
        }
        let mut blocks = BTreeSet::new();
        entries.retain(|entry| hash(entry.block) <= sample.below && blocks.insert(entry.block));
        sample.fill(entries);
        Ok(sample)
    }

    /// Returns what is watched, the block used last first.
    fn entries(&self) -> impl Iterator<Item = SampleEntry> + '_ {
        let from = |number: u16| (number != NONE).then_some(number);
        let list = move |list: &LruList| {
            std::iter::successors(from(list.front), move |number| {
                from(self.watched[usize::from(*number)].older)
            })
        };
        self.lists.iter().flat_map(list).map(|number| {
            let SampledBlock { block, history, by_lru, by_density, place, .. } =
                self.watched[usize::from(number)];
            SampleEntry { block, history, by_lru, by_density, is_dense: place != NONE }
        })
    }

    /// Watches these blocks, each once, as far as there is room, in a sample that watches none yet.
    fn fill(&mut self, mut entries: Vec<SampleEntry>) {
        entries.truncate(self.capacity * REACH);
        let newest = self.capacity.min(entries.len());
        for (rank, entry) in entries.into_iter().enumerate().rev() {
            let (age, by_lru) =
                if rank < newest { (Age::Newest, entry.by_lru) } else { (Age::Older, Parts::NONE) };
            self.watch(entry.block, entry.by_lru, entry.history);
            let number = self.lists[Age::Newest as usize].front;
            self.unlink(number);
            self.link_first(number, age);
            let watched = &mut self.watched[usize::from(number)];
            (watched.by_lru, watched.by_density) = (by_lru, Parts::NONE);
            if entry.is_dense && self.dense.len() < self.capacity {
                (watched.place, watched.by_density) = (self.dense.len() as u16, entry.by_density);
                self.dense.push(number);
            }
        }
    }

    /// Returns the number of accesses that one sampled access stands for.
    pub(super) fn one_of(&self) -> f32 {
        self.one_of
    }

    /// Returns the same as a whole number, rounded up.
    #[expect(clippy::cast_sign_loss, reason = "it is at least one")]
    pub(super) fn stands_for(&self) -> u64 {
        self.one_of.ceil() as u64
    }

    /// Returns true if accesses of a block are sampled.
    pub(super) fn samples(&self, block: u64) -> bool {
        hash(block) <= self.below
    }

    /// Returns the bytes of RAM taken.
    pub(super) fn bytes(&self) -> u64 {
        let numbers = (self.free.capacity() + self.dense.capacity()) * size_of::<u16>();
        (self.numbers.allocation_size() + self.watched.capacity() * size_of::<SampledBlock>() + numbers)
            as u64
    }

    /// Takes an access to a sampled block.
    pub(super) fn access(
        &mut self,
        block: u64,
        parts: Parts,
        now: Moment,
        arrival: ArrivalClass,
        (ages, worth, seen, dice): (&Ages, &Worth, &mut ReuseCounts, &mut Dice),
    ) -> ModelHits {
        let known =
            self.numbers.find(hash(block), |number| self.watched[usize::from(*number)].block == block);
        let had = if let Some(&number) = known {
            let watched = &mut self.watched[usize::from(number)];
            let had = ModelHits {
                by_lru: watched.by_lru.have(parts),
                by_density: watched.by_density.have(parts),
                came_back: watched.age == Age::Older,
            };
            watched.by_lru.add(parts);
            watched.by_density.add(parts);
            seen.used(watched.history.class(), watched.history.age(now, ages));
            watched.history = watched.history.comes(now, ages, arrival);
            self.unlink(number);
            self.link_first(number, Age::Newest);
            had
        } else {
            self.watch(block, parts, History::first(now, arrival));
            ModelHits { by_lru: false, by_density: false, came_back: false }
        };
        let number = self.lists[Age::Newest as usize].front;
        self.grow_old(now, ages, seen);
        if self.watched[usize::from(number)].place == NONE {
            if self.dense.len() >= self.capacity {
                self.give_up_one(now, ages, worth, dice);
            }
            self.watched[usize::from(number)].place = self.dense.len() as u16;
            self.dense.push(number);
        }
        had
    }

    /// Returns the number of watched blocks by class and age.
    pub(super) fn table(&self, now: Moment, ages: &Ages) -> HazardTable {
        let mut table = table(0.0);
        for list in self.lists {
            let mut next = list.front;
            while next != NONE {
                let SampledBlock { history, older, .. } = self.watched[usize::from(next)];
                table[history.class()][history.age(now, ages)] += 1.0;
                next = older;
            }
        }
        table
    }

    /// Watches one block more.
    fn watch(&mut self, block: u64, parts: Parts, history: History) {
        let entry = SampledBlock {
            block,
            history,
            newer: NONE,
            older: NONE,
            place: NONE,
            age: Age::Newest,
            by_lru: parts,
            by_density: parts,
        };
        let number = if let Some(number) = self.free.pop() {
            self.watched[usize::from(number)] = entry;
            number
        } else {
            self.watched.push(entry);
            (self.watched.len() - 1) as u16
        };
        let watched = &self.watched;
        self.numbers.insert_unique(hash(block), number, |number| hash(watched[usize::from(*number)].block));
        self.link_first(number, Age::Newest);
    }

    fn grow_old(&mut self, now: Moment, ages: &Ages, seen: &mut ReuseCounts) {
        let [newest, _] = self.lists;
        if newest.len > self.capacity {
            self.unlink(newest.back);
            self.link_first(newest.back, Age::Older);
            self.watched[usize::from(newest.back)].by_lru = Parts::NONE;
        }
        let [_, older] = self.lists;
        if older.len > self.capacity * (REACH - 1) {
            let SampledBlock { block, history, place, .. } = self.watched[usize::from(older.back)];
            seen.left(history.class(), history.age(now, ages));
            if place != NONE {
                self.remove_dense(usize::from(place));
            }
            self.unlink(older.back);
            if let Ok(entry) = self.numbers.find_entry(hash(block), |number| *number == older.back) {
                entry.remove();
            }
            self.free.push(older.back);
        }
    }

    fn give_up_one(&mut self, now: Moment, ages: &Ages, worth: &Worth, dice: &mut Dice) {
        let density = |place: usize| {
            let number = usize::from(self.dense[place]);
            worth.density(self.watched[number].history, now, ages)
        };
        let candidates = (0..CANDIDATES).map(|_| dice.below(self.dense.len()));
        if let Some(place) = candidates.min_by(|one, other| density(*one).total_cmp(&density(*other))) {
            self.remove_dense(place);
        }
    }

    fn remove_dense(&mut self, place: usize) {
        let number = self.dense.swap_remove(place);
        let watched = &mut self.watched[usize::from(number)];
        (watched.place, watched.by_density) = (NONE, Parts::NONE);
        if let Some(moved) = self.dense.get(place) {
            self.watched[usize::from(*moved)].place = place as u16;
        }
    }

    fn unlink(&mut self, number: u16) {
        let SampledBlock { newer, older, age, .. } = self.watched[usize::from(number)];
        let list = &mut self.lists[age as usize];
        list.len -= 1;
        match newer {
            NONE => list.front = older,
            newer => self.watched[usize::from(newer)].older = older,
        }
        match older {
            NONE => list.back = newer,
            older => self.watched[usize::from(older)].newer = newer,
        }
    }

    fn link_first(&mut self, number: u16, age: Age) {
        let list = &mut self.lists[age as usize];
        let second = std::mem::replace(&mut list.front, number);
        list.len += 1;
        if second == NONE {
            list.back = number;
        } else {
            self.watched[usize::from(second)].newer = number;
        }
        let watched = &mut self.watched[usize::from(number)];
        (watched.newer, watched.older, watched.age) = (NONE, second, age);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_in_small_has_the_parts_of_a_block_that_were_used_since_it_came() {
        let (ages, mut seen, mut dice) = (Ages::new(4), ReuseCounts::new(), Dice::new());
        let worth = Worth::new(&ages, seen.hazards(&table(0.0), 1.0));
        let mut sample = Sample::new(4);
        let mut had = |block: u64, bits: u16| {
            let tools = (&ages, &worth, &mut seen, &mut dice);
            sample.access(block, Parts::of_bits(bits), Moment::at(1), ArrivalClass::ALONE, tools)
        };
        assert!(!had(1, 0b0011).by_lru);
        assert!(had(1, 0b0010).by_lru && had(1, 0b0010).by_density);
        assert!(!had(1, 0b0110).by_lru, "one of two parts is not there");
        assert!(had(1, 0b0111).by_lru && had(1, 0b0111).by_density);
        (2..6).for_each(|block| assert!(!had(block, 1).by_lru));
        let gone = had(1, 0b0001);
        assert!(!gone.by_lru && gone.came_back, "others came, and it went");
        assert!(
            !had(1, 0b0001).came_back && !had(9, 0b0001).came_back,
            "it was there, and another one never"
        );
        assert!(had(1, 0b0001).by_lru && !had(1, 0b0010).by_lru, "with its parts");
    }

    #[test]
    fn just_beyond_the_most_that_are_watched_nearly_as_many_are() {
        let most = WATCHED_MAX / REACH;
        let [within, beyond, far] = [most, most + 10, 10 * most].map(Sample::new);
        assert!((within.one_of() - 1.0).abs() < 1e-6 && within.below == u64::MAX);
        assert!((beyond.one_of() - 1.01).abs() < 0.01 && beyond.capacity == most);
        assert!((far.one_of() - 10.0).abs() < 0.01 && far.capacity == most);
        assert!((0..100_000).filter(|block| far.samples(*block)).count().abs_diff(10_000) < 500);
    }

    #[test]
    fn caches_in_small_are_as_large_as_they_should_be_and_memory_is_bounded() {
        let capacity = 100_000;
        let (ages, mut seen, mut dice) = (Ages::new(capacity), ReuseCounts::new(), Dice::new());
        let worth = Worth::new(&ages, seen.hazards(&table(0.0), 1.0));
        let mut sample = Sample::new(capacity);
        let mut had = [0_u32; 2];
        let mut sampled = 0_u32;
        for access in 0..2_000_000_u64 {
            // The whole disk one and a half times as large as the cache, in no order.
            let block = hash(access) % 150_000;
            if sample.samples(block) {
                let now = Moment::at((access / 390) as u32);
                let tools = (&ages, &worth, &mut seen, &mut dice);
                let ModelHits { by_lru, by_density, .. } =
                    sample.access(block, Parts::WHOLE, now, ArrivalClass::ALONE, tools);
                sampled += 1;
                had[0] += u32::from(by_lru);
                had[1] += u32::from(by_density);
            }
        }
        let share = |part: u32| f64::from(part) / f64::from(sampled);
        assert!((share(had[0]) - 0.66).abs() < 0.03, "LRU has two thirds: {}", share(had[0]));
        assert!((share(had[1]) - 0.66).abs() < 0.05, "so has whatever has no memory: {}", share(had[1]));
        assert!(sample.bytes() < 600_000, "{}", sample.bytes());
        let watched: f32 = sample.table(Moment::at(5_200), &ages).iter().flatten().sum();
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let there = (sample.lists[0].len + sample.lists[1].len) as f32;
        assert!((watched - there).abs() < 0.5 && sample.watched.len() <= WATCHED_MAX + 1);
    }
}
