//! The sampled blocks of a disk in the order of their last use: which they are, and how far a use is from the one before.
//!
//! ```text
//!   bound    0 ........ counted ........ tracked ........ 2^32      values of blocks, see `lattice`
//!            counts               on probation    not sampled
//! ```
//! There are never more samples than fit: when one more enters, both bounds sink by a sixteenth, and those above them go.
//! A small working set is therefore sampled whole and a large one in part (fixed-size SHARDS, section 4 of the paper that [`super`]
//! names), and each count stands for as many uses as the bound implies. The paper's bound never rises again, though a
//! nightly backup would then have the curve coarse for ever. Here samples that were not used for long are forgotten, and when few
//! are left the upper bound rises. A sample that enters then is on probation: its last use is not known, so neither it nor its
//! distances count until there was time for that. Never reads a clock: [`Stack::turn`] is called as time passes.

use hashbrown::HashTable;

use super::lattice::{ALL, Stretch};
use super::timeline::{NONE, SampleStatus, Timeline};
use crate::format::fields::{FieldReader, FieldWriter, Malformed};
use crate::state::hash::hash;

/// Turns without a use after which a sample is forgotten.
const FORGOTTEN_AFTER_TURNS: u8 = 48;

/// Turns on probation.
const PROBATION_TURNS: u8 = 12;

/// Kind of use of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// A read.
    Read,
    /// A write.
    Write,
}

/// Distances to compute beside those between uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writes {
    /// None.
    AsUses,
    /// Those between writes.
    Apart,
}

/// Result for a use that counts. Distances are in blocks of the whole disk; none for a first use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ReuseDistance {
    /// Other blocks that were used since this one was.
    pub(super) since_use: Option<u64>,
    /// Other blocks that were written since this one was, if this is a write.
    pub(super) since_write: Option<u64>,
    /// The use before this one was a write: who did not take that in does not have the block now.
    pub(super) was_written: bool,
    /// Uses that this one stands for.
    pub(super) weight: f64,
}

// Thousands of them for each disk.
const _: () = assert!(size_of::<StackSample>() == 16, "the docs say how much memory a curve takes");

#[derive(Clone)]
struct StackSample {
    number: u64,
    used: u16,
    /// [`NONE`] if it was not written, or if these distances are not computed.
    written: u16,
    turn: u8,
    /// Kind of its last use.
    last: Use,
}

#[derive(Clone)]
pub(super) struct Stack {
    /// Pages of a block, as a power of two.
    page_bits: u32,
    samples_max: u16,
    samples: Vec<StackSample>,
    places: HashTable<u16>,
    used: Timeline,
    written: Option<Timeline>,
    bound_max: u64,
    counted: u64,
    tracked: u64,
    turn: u8,
    probation_turns: u8,
}

impl Stack {
    /// Creates a stack for blocks of two to the power of `page_bits` pages, of which those with values below `bound_max` are sampled, at
    /// most.
    pub(super) fn new(page_bits: u32, samples_max: u16, bound_max: u64, writes: Writes) -> Self {
        Self {
            page_bits,
            samples_max,
            samples: Vec::new(),
            places: HashTable::new(),
            used: Timeline::new(samples_max),
            written: (writes == Writes::Apart).then(|| Timeline::new(samples_max)),
            bound_max,
            counted: bound_max,
            tracked: bound_max,
            turn: 0,
            probation_turns: 0,
        }
    }

    /// Returns the bound below which blocks are sampled; callers may skip all others.
    pub(super) fn bound(&self) -> u64 {
        self.tracked
    }

    /// Samples that count.
    pub(super) fn samples(&self) -> u16 {
        self.samples
            .iter()
            .map(|sample| u16::from(self.standing(sample.number) == SampleStatus::Counted))
            .sum()
    }

    /// Returns the number of blocks of the disk for each that counts.
    #[expect(clippy::cast_precision_loss, reason = "both are at most 2^32")]
    pub(super) fn weight(&self) -> f64 {
        ALL as f64 / self.counted as f64
    }

    /// Records a use of block `number`, whose value is below the bound. Returns none if that does not count.
    pub(super) fn note(&mut self, number: u64, usage: Use) -> Option<ReuseDistance> {
        let index = if let Some(index) = self.find(number) {
            index
        } else {
            while self.samples.len() == usize::from(self.samples_max) {
                self.thin();
            }
            if self.value(number) >= self.tracked {
                return None;
            }
            self.insert(number)
        };
        let standing = self.standing(number);
        let since_use = self.note_use(index, standing);
        let since_write = match usage {
            Use::Write => self.note_write(index, standing),
            Use::Read => None,
        };
        let sample = &mut self.samples[usize::from(index)];
        sample.turn = self.turn;
        let last = std::mem::replace(&mut sample.last, usage);
        let was_written = since_use.is_some() && last == Use::Write;
        (standing == SampleStatus::Counted).then(|| ReuseDistance {
            since_use,
            since_write,
            was_written,
            weight: self.weight(),
        })
    }

    /// Reduces the share of sampled blocks.
    pub(super) fn thin(&mut self) {
        self.tracked = (self.tracked / 16 * 15).max(1);
        self.counted = self.counted.min(self.tracked);
        let bound = self.tracked;
        self.retain(|stack, sample| stack.value(sample.number) < bound);
    }

    /// Forgets samples that were not used for long, and samples more blocks if few are left. Called as time passes.
    pub(super) fn turn(&mut self) {
        self.turn = self.turn.wrapping_add(1);
        let now = self.turn;
        self.retain(|_, sample| now.wrapping_sub(sample.turn) < FORGOTTEN_AFTER_TURNS);
        if self.tracked > self.counted {
            self.probation_turns -= 1;
            if self.probation_turns == 0 {
                self.counted = self.tracked;
                self.move_uses_together();
                self.move_writes_together();
            }
        } else if self.samples.len() <= usize::from(self.samples_max / 4) && self.counted < self.bound_max {
            // As many as fill half of the place, if they are used as those that are left.
            let more = u64::from(self.samples_max / 2) / (self.samples.len() as u64).max(1);
            self.tracked = (self.counted * more).min(self.bound_max);
            self.probation_turns = PROBATION_TURNS;
        }
    }

    /// Appends the samples in the order of their last use, and which of them are looked at.
    pub(super) fn encode(&self, to: &mut FieldWriter) {
        to.u64(self.counted);
        to.u64(self.tracked);
        to.u8(self.turn);
        to.u8(self.probation_turns);
        let mut ranks = vec![NONE; self.samples.len()];
        to.u16(self.used.samples().count() as u16);
        for (rank, index) in (0..).zip(self.used.samples()) {
            let StackSample { number, turn, last, .. } = self.samples[usize::from(index)];
            ranks[usize::from(index)] = rank;
            to.u64(number);
            to.u8(turn);
            to.u8(u8::from(last == Use::Write));
        }
        let written = || self.written.iter().flat_map(Timeline::samples);
        to.u16(written().count() as u16);
        written().for_each(|index| to.u16(ranks[usize::from(index)]));
    }

    /// Takes what [`Self::encode`] appended, instead of the samples of this stack, which is new.
    pub(super) fn decode(&mut self, from: &mut FieldReader<'_>) -> Result<(), Malformed> {
        (self.counted, self.tracked) = (from.u64()?, from.u64()?);
        (self.turn, self.probation_turns) = (from.u8()?, from.u8()?);
        let is_possible = (1..=self.tracked).contains(&self.counted) && self.tracked <= self.bound_max;
        if !is_possible || self.tracked > self.counted && self.probation_turns == 0 {
            return Err(Malformed("a curve cannot look at so many blocks"));
        }
        for _ in 0..from.u16()? {
            let (number, turn, last) = (from.u64()?, from.u8()?, from.u8()?);
            let is_new = number < 1 << 52 && self.find(number).is_none() && self.value(number) < self.tracked;
            if !is_new || self.samples.len() == usize::from(self.samples_max) {
                return Err(Malformed("a curve cannot have such a sample"));
            }
            let index = self.insert(number);
            let slot = self.used.put(index, self.standing(number));
            let last = if last == 0 { Use::Read } else { Use::Write };
            let sample = &mut self.samples[usize::from(index)];
            (sample.used, sample.turn, sample.last) = (slot, turn, last);
        }
        for _ in 0..from.u16()? {
            let index = from.u16()?;
            let sample = self.samples.get(usize::from(index)).filter(|sample| sample.written == NONE);
            let number = sample.ok_or(Malformed("a curve has no such sample"))?.number;
            let standing = self.standing(number);
            let written = self.written.as_mut().ok_or(Malformed("a curve does not look at writes"))?;
            self.samples[usize::from(index)].written = written.put(index, standing);
        }
        Ok(())
    }

    /// Returns the bytes of RAM taken.
    pub(super) fn bytes(&self) -> usize {
        let timelines = self.used.bytes() + self.written.as_ref().map_or(0, Timeline::bytes);
        self.samples.capacity() * size_of::<StackSample>() + self.places.allocation_size() + timelines
    }

    fn value(&self, number: u64) -> u64 {
        Stretch::of_page(number << self.page_bits).value(number)
    }

    fn standing(&self, number: u64) -> SampleStatus {
        // Most of the time no sample is on probation.
        let counts = self.counted == self.tracked || self.value(number) < self.counted;
        if counts { SampleStatus::Counted } else { SampleStatus::OnProbation }
    }

    fn find(&self, number: u64) -> Option<u16> {
        let is_it = |index: &u16| self.samples[usize::from(*index)].number == number;
        self.places.find(hash(number), is_it).copied()
    }

    fn insert(&mut self, number: u64) -> u16 {
        let index = self.samples.len() as u16;
        self.samples.push(StackSample {
            number,
            used: NONE,
            written: NONE,
            turn: self.turn,
            last: Use::Read,
        });
        let samples = &self.samples;
        self.places.insert_unique(hash(number), index, |index| hash(samples[usize::from(*index)].number));
        index
    }

    /// Puts a sample behind all others; how far it was from there.
    fn note_use(&mut self, index: u16, standing: SampleStatus) -> Option<u64> {
        let slot = self.samples[usize::from(index)].used;
        if slot != NONE && self.used.is_newest(slot) {
            return Some(0);
        }
        let since = (slot != NONE).then(|| self.of_the_disk(self.used.behind(slot)));
        if slot != NONE {
            self.used.take(slot, standing);
        }
        if self.used.is_full() {
            self.move_uses_together();
        }
        self.samples[usize::from(index)].used = self.used.put(index, standing);
        since
    }

    /// Records a write in the same way.
    fn note_write(&mut self, index: u16, standing: SampleStatus) -> Option<u64> {
        let slot = self.samples[usize::from(index)].written;
        let written = self.written.as_mut()?;
        if slot != NONE && written.is_newest(slot) {
            return Some(0);
        }
        let since = (slot != NONE).then(|| written.behind(slot));
        if slot != NONE {
            written.take(slot, standing);
        }
        if written.is_full() {
            self.move_writes_together();
        }
        let slot = self.written.as_mut()?.put(index, standing);
        self.samples[usize::from(index)].written = slot;
        since.map(|since| self.of_the_disk(since))
    }

    /// Returns the number of blocks of the disk that `samples` stand for.
    fn of_the_disk(&self, samples: u16) -> u64 {
        u64::from(samples) * ALL / self.counted
    }

    fn move_uses_together(&mut self) {
        let mut used = std::mem::replace(&mut self.used, Timeline::new(0));
        used.move_together(|index, slot| {
            self.samples[usize::from(index)].used = slot;
            self.standing(self.samples[usize::from(index)].number)
        });
        self.used = used;
    }

    fn move_writes_together(&mut self) {
        let Some(mut written) = self.written.take() else { return };
        written.move_together(|index, slot| {
            self.samples[usize::from(index)].written = slot;
            self.standing(self.samples[usize::from(index)].number)
        });
        self.written = Some(written);
    }

    /// Forgets samples, and brings the rest in order: bounds may have sunk.
    fn retain(&mut self, stays: impl Fn(&Self, &StackSample) -> bool) {
        for index in (0..self.samples.len()).rev() {
            if !stays(self, &self.samples[index]) {
                self.remove(index as u16);
            }
        }
        self.move_uses_together();
        self.move_writes_together();
    }

    /// Forgets one sample. The last one takes its index.
    fn remove(&mut self, index: u16) {
        self.forget_place(index);
        let gone = self.samples.swap_remove(usize::from(index));
        self.used.forget(gone.used);
        let last = self.samples.len() as u16;
        let moved = (index != last).then(|| &self.samples[usize::from(index)]);
        if let Some(moved) = moved {
            self.used.rename(moved.used, index);
            let place = self.places.find_mut(hash(moved.number), |place| *place == last);
            *place.expect("each sample has its place") = index;
        }
        if let Some(written) = &mut self.written {
            written.forget(gone.written);
            if let Some(moved) = moved {
                written.rename(moved.written, index);
            }
        }
    }

    fn forget_place(&mut self, index: u16) {
        let hash = hash(self.samples[usize::from(index)].number);
        let entry = self.places.find_entry(hash, |place| *place == index);
        entry.expect("each sample has its place").remove();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stack of all blocks, exact, in as many steps as there are uses.
    #[derive(Default)]
    struct Exact(Vec<u64>);

    impl Exact {
        fn note(&mut self, number: u64) -> Option<u64> {
            let since = self.0.iter().rev().position(|other| *other == number);
            self.0.retain(|other| *other != number);
            self.0.push(number);
            since.map(|since| since as u64)
        }
    }

    fn note_if_looked_at(stack: &mut Stack, number: u64, usage: Use) -> Option<ReuseDistance> {
        (stack.value(number) < stack.bound()).then(|| stack.note(number, usage)).flatten()
    }

    fn scattered(state: &mut u64, below: u64) -> u64 {
        *state += 1;
        hash(*state) % below
    }

    #[test]
    fn a_small_working_set_is_counted_exactly_reads_and_writes() {
        let mut stack = Stack::new(0, 256, ALL, Writes::Apart);
        let (mut uses, mut writes, mut state) = (Exact::default(), Exact::default(), 1);
        for _ in 0..5_000 {
            let number = scattered(&mut state, 200);
            let usage = if scattered(&mut state, 3) == 0 { Use::Write } else { Use::Read };
            let seen = note_if_looked_at(&mut stack, number, usage).expect("all are looked at");
            assert_eq!(seen.since_use, uses.note(number));
            let since_write = if usage == Use::Write { writes.note(number) } else { None };
            assert_eq!(seen.since_write, since_write);
            assert!((seen.weight - 1.0).abs() < 1e-9);
        }
        assert_eq!(stack.samples(), 200);
    }

    #[test]
    fn a_large_working_set_is_looked_at_in_part_and_stands_for_all() {
        let mut stack = Stack::new(0, 1024, ALL, Writes::AsUses);
        let mut uses = 0.0;
        for number in 0..100_000 {
            uses += note_if_looked_at(&mut stack, number, Use::Read).map_or(0.0, |seen| seen.weight);
        }
        assert!((95_000.0..105_000.0).contains(&uses), "{uses}");
        assert!((900..=1024).contains(&stack.samples()), "{}", stack.samples());
        let footprint = f64::from(stack.samples()) * stack.weight();
        assert!((95_000.0..105_000.0).contains(&footprint), "{footprint}");
        for number in 0..100_000 {
            if let Some(seen) = note_if_looked_at(&mut stack, number, Use::Read) {
                let since = seen.since_use.expect("used before");
                assert!((95_000..105_000).contains(&since), "{since} of a loop of 100,000");
            }
        }
    }

    #[test]
    fn what_was_not_used_for_long_makes_room_for_a_closer_look_without_false_distances() {
        let mut stack = Stack::new(0, 512, ALL, Writes::AsUses);
        let scan = |stack: &mut Stack| {
            for number in 0..500_000 {
                note_if_looked_at(stack, number, Use::Read);
            }
        };
        scan(&mut stack);
        let coarse = stack.bound();
        // From now on, only a tenth is used.
        let mut looked_closer = 0;
        for turn in 0..200_u32 {
            stack.turn();
            for number in 0..5_000 {
                if let Some(seen) = note_if_looked_at(&mut stack, number, Use::Read)
                    && turn > 0
                {
                    let since = seen.since_use;
                    // A sample that has just entered has no known earlier use.
                    assert!(
                        since.is_some_and(|since| since.abs_diff(5_000) < 2_600),
                        "{since:?} in turn {turn}"
                    );
                    looked_closer += usize::from(seen.weight < 20.0);
                }
            }
        }
        assert!(stack.bound() > 20 * coarse, "{} of {coarse}", stack.bound());
        assert!(looked_closer > 10_000, "{looked_closer}");
        assert!(stack.samples() <= 512);
        let before = stack.bound();
        scan(&mut stack);
        assert!(stack.bound() < before, "it sinks again");
    }

    #[test]
    fn samples_come_and_go_and_each_is_found_where_it_is() {
        let mut stack = Stack::new(2, 64, ALL, Writes::Apart);
        let mut state = 7;
        for step in 0..20_000 {
            let number = scattered(&mut state, 400);
            let usage = if step % 2 == 0 { Use::Write } else { Use::Read };
            note_if_looked_at(&mut stack, number, usage);
            if step % 997 == 0 {
                stack.turn();
            }
        }
        for (index, sample) in stack.samples.iter().enumerate() {
            assert_eq!(stack.find(sample.number), Some(index as u16));
        }
        assert_eq!(stack.places.len(), stack.samples.len());
        assert!(stack.samples.len() <= 64);
    }
}
