//! Learned state as bytes, for the time in which the disk is not served.
//!
//! Times are saved as accesses before now, so that a new clock can read them. Learned state of a cache of another size, or with another
//! aim, is converted into its classes.

use std::ops::Range;

use super::ages::{Clock, History};
use super::ghosts::Ghosts;
use super::hazards::ReuseCounts;
use super::sample::Sample;
use super::strictness::Strictness;
use super::{Aim, Learned, ghosts_for_each};
use crate::format::fields::{FieldReader, FieldWriter, Malformed};

/// Ratio by which a cache may have become smaller, if it had more than [`BLOCKS_MIN`] blocks for each.
const SIZE_RATIO_MAX: u64 = 16;
const BLOCKS_MIN: u64 = 1 << 16;

impl Learned {
    /// Appends all but ghosts.
    pub(crate) fn encode(&self, to: &mut FieldWriter) {
        let now = self.clock.now();
        to.u64(self.capacity);
        to.u32(self.clock.unit());
        to.u8(u8::from(self.was_full));
        to.f32(self.written);
        to.f32(self.void.max(0.0));
        to.f32(self.worth.rent());
        self.seen.encode(to);
        self.strictness.encode(to);
        self.sample.encode(now, to);
        to.u32(self.packing().step);
    }

    /// Returns how many buckets of ghosts there are.
    pub(crate) fn ghost_buckets(&self) -> usize {
        self.ghosts.buckets()
    }

    /// Appends some buckets of ghosts.
    pub(crate) fn encode_ghosts(&self, buckets: Range<usize>, to: &mut FieldWriter) {
        self.ghosts.encode(buckets, self.clock.now(), to);
    }

    /// Takes what [`Self::encode`] appended, then the number of bytes of ghosts and these bytes, none if they could not be saved, then
    /// histories up to the end, for a cache of `capacity` blocks.
    pub(crate) fn decode(from: &mut FieldReader<'_>, capacity: u64, aim: Aim) -> Result<Self, Malformed> {
        let saved_capacity = from.u64()?;
        // What a cache of quite another size learned is of little use, and takes as much memory as that one did.
        if saved_capacity == 0 || saved_capacity / SIZE_RATIO_MAX > capacity.max(BLOCKS_MIN) {
            return Err(Malformed("it was learned by a cache of quite another size"));
        }
        let clock = Clock::with_unit(from.u32()?);
        let now = clock.now();
        let mut learned = Self::at(saved_capacity, aim, clock);
        learned.was_full = from.u8()? != 0;
        learned.written = from.f32()?;
        learned.void = from.f32()?.min(1.0);
        let rent = from.f32()?;
        learned.seen = ReuseCounts::decode(from)?;
        learned.strictness = Strictness::decode(from, aim)?;
        let blocks = usize::try_from(saved_capacity).unwrap_or(usize::MAX);
        learned.sample = Sample::decode(from, blocks, now)?;
        let packing = Packing { step: Ghosts::check_step(from.u32()?)? };
        let ghosts_bytes = usize::try_from(from.u64()?).unwrap_or(usize::MAX);
        let ghosts = from.bytes(ghosts_bytes)?;
        let buckets = learned.ghosts.buckets();
        if !ghosts.is_empty() {
            learned.ghosts = Ghosts::decode(packing.step, ghosts, now)?;
        }
        learned.histories = Some(SavedHistories { bytes: from.rest().into(), packing });
        learned.worth = learned.judged_at(rent);
        if saved_capacity != capacity.max(1) || learned.ghosts.buckets() != buckets {
            let ghosts = learned.ghosts.resized(capacity, ghosts_for_each(aim), &learned.clock);
            learned.resize_with(capacity, ghosts);
        }
        Ok(learned)
    }

    /// Returns the format in which [`Self::encode`] says that histories are packed.
    pub(crate) fn packing(&self) -> Packing {
        Packing { step: self.ghosts.step() }
    }

    /// Returns in a byte about how a block was used. None if nothing is known.
    pub(crate) fn pack(&self, history: History, packing: Packing) -> Option<u8> {
        Ghosts::pack(history, packing.step, self.clock.now())
    }

    /// Returns the history in such a byte, of a block that was used so before the clock began.
    pub(crate) fn unpack(&self, packed: u8, packing: Packing) -> History {
        Ghosts::unpack(packed, packing.step, self.clock.now())
    }

    /// Returns saved histories that were not taken yet.
    pub(crate) fn take_histories(&mut self) -> Option<SavedHistories> {
        self.histories.take()
    }
}

/// Format of packed histories, which depends on the size of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packing {
    step: u32,
}

/// Histories of blocks on flash, saved and not taken over yet.
pub(crate) struct SavedHistories {
    /// For each part of the index the number of its blocks, then of each the distance of its number from the one before, and a byte.
    pub(crate) bytes: Box<[u8]>,
    pub(crate) packing: Packing,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::hash::hash;
    use crate::state::learned::ages::{ArrivalClass, By};
    use crate::state::learned::{AccessDetails, Dice};

    const CAPACITY: u64 = 2_000;

    /// Learned state of a disk half of whose reads go to 900 blocks and the others to no block twice.
    fn learned() -> Learned {
        let mut learned = Learned::new(CAPACITY, Aim::Balance);
        learned.note_full();
        let mut on_flash = vec![History::default(); CAPACITY as usize];
        for at in 0..80_000_u64 {
            let is_hot = at.is_multiple_of(2);
            let block = if is_hot { hash(at) % 900 } else { 1_000_000 + at };
            let history = learned.newcomer(block, ArrivalClass::ALONE);
            let place = (hash(at) % CAPACITY) as usize;
            learned.left(block, history);
            on_flash[place] = history;
            let draw = |dice: &mut Dice| Some(on_flash[dice.below(CAPACITY as usize)]);
            learned.access(block, ArrivalClass::ALONE, || AccessDetails::of_whole(is_hot), draw, || 1.0);
            learned.note_written(0.3);
        }
        learned
    }

    fn saved(learned: &Learned) -> Vec<u8> {
        let mut to = FieldWriter::default();
        learned.encode(&mut to);
        let mut ghosts = FieldWriter::default();
        learned.encode_ghosts(0..learned.ghost_buckets(), &mut ghosts);
        let ghosts = ghosts.into_bytes();
        to.u64(ghosts.len() as u64);
        to.put(&ghosts);
        to.into_bytes()
    }

    fn restored(bytes: &[u8], capacity: u64) -> Result<Learned, Malformed> {
        Learned::decode(&mut FieldReader::new(bytes), capacity, Aim::Balance)
    }

    /// A block that was used just now and once before, a fifth of the cache ago, and one that was used once.
    fn often_and_once(learned: &mut Learned) -> [History; 2] {
        let first = History::first(learned.clock.now(), ArrivalClass::ALONE);
        (0..400).for_each(|_| learned.clock.tick());
        [learned.used(first, By::Read), History::first(learned.clock.now(), ArrivalClass::ALONE)]
    }

    #[test]
    fn what_was_learned_judges_as_before_it_was_saved() {
        let mut before = learned();
        let mut after = restored(&saved(&before), CAPACITY).expect("it was saved just now");
        let hot = 3;
        let [known, saved_uses] =
            [&before, &after].map(|learned| learned.newcomer(hot, ArrivalClass::ALONE).uses());
        assert_eq!(saved_uses, known, "ghosts are there");
        let [often, once] = often_and_once(&mut before);
        let [often_after, once_after] = often_and_once(&mut after);
        for (one, other) in [(often, often_after), (once, once_after)] {
            let [one, other] = [before.value(one), after.value(other)];
            assert!((one - other).abs() < 0.05 * one.max(0.1), "{one} and {other}");
        }
        assert!(after.value(often_after) > 2.0 * after.value(once_after), "what comes again is worth more");
        let fresh = Learned::new(CAPACITY, Aim::Balance);
        let of_new = History::first(fresh.clock.now(), ArrivalClass::ALONE);
        assert!(
            (fresh.value(of_new) - after.value(once_after)).abs() > 0.05,
            "which a new disk does not know"
        );
        assert_eq!(after.strictness.thresholds(), before.strictness.thresholds());
    }

    #[test]
    fn a_cache_that_grows_or_shrinks_keeps_what_it_learned() {
        for capacity in [CAPACITY / 3, CAPACITY / 2, CAPACITY * 2, CAPACITY * 7] {
            for mut learned in [restored(&saved(&learned()), capacity).expect("it was saved just now"), {
                let mut learned = learned();
                learned.resize(capacity);
                learned
            }] {
                let [often, once] = often_and_once(&mut learned);
                let [often, once] = [often, once].map(|history| learned.value(history));
                assert!(often > 1.5 * once, "{capacity}: {often} and {once}");
                let recalled =
                    (0..900).filter(|block| learned.newcomer(*block, ArrivalClass::ALONE).uses() > 1).count();
                // As many as fit beside those of the other half.
                assert!(recalled as u64 > capacity.min(CAPACITY) / 4, "{capacity}: {recalled} ghosts");
            }
        }
    }

    #[test]
    fn bytes_that_are_not_what_was_saved_are_refused_or_can_be_used() {
        let bytes = saved(&Learned::new(64, Aim::Balance));
        for len in (0..bytes.len()).step_by(37) {
            assert!(restored(&bytes[..len], 64).is_err(), "{len} bytes");
        }
        for at in (0..bytes.len()).step_by(11) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            if let Ok(mut learned) = restored(&damaged, 64) {
                let draw = |_: &mut Dice| None;
                (0..300).for_each(|at| {
                    learned.access(
                        at % 90,
                        ArrivalClass::ALONE,
                        || AccessDetails::of_whole(false),
                        draw,
                        || 1.0,
                    );
                });
            }
        }
        assert!(restored(&saved(&Learned::new(1 << 22, Aim::Balance)), 64).is_err(), "far larger");
    }

    #[test]
    fn a_history_comes_back_about_as_it_was() {
        let learned = learned();
        let known = learned.newcomer(7, ArrivalClass::ALONE);
        let packing = learned.packing();
        let packed = learned.pack(known, packing).expect("it was used");
        let back = restored(&saved(&learned), CAPACITY).expect("it was saved just now");
        let unpacked = back.unpack(packed, packing);
        assert!((1..=known.uses()).contains(&unpacked.uses()));
        assert!(back.clock.accesses_since(unpacked.last()) <= CAPACITY / 4);
        assert_eq!(learned.pack(History::default(), packing), None);
    }
}
