//! Policies: which pages may enter flash, and which stay when a segment is reclaimed.
//!
//! The default policy is [learned](super::learned). `always` and `repeated` are the rules of other caches: every page, or a page with that
//! many uses, enters, and a page that was used on flash survives when its segment is reclaimed, once for each use, which approximates LRU.

use super::learned::{AccessDetails, Aim, ArrivalClass, By, Dice, History, Learned, SavedHistories};
use crate::types::settings::Admission;

/// Room of the disk: more flash, with or without evicting content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlashSpace {
    /// There are free segments.
    Free,
    /// Something has to go.
    Full,
}

pub(crate) struct Policy {
    admission: Admission,
    learned: Box<Learned>,
}

impl Policy {
    /// Creates a policy for a disk whose cache holds `blocks` blocks, in RAM and on flash.
    pub(crate) fn new(admission: Admission, blocks: u64) -> Self {
        Self { admission, learned: Box::new(Learned::new(blocks, aim(admission))) }
    }

    /// Returns a policy for a disk whose cache holds so many blocks that goes on with what was learned.
    pub(crate) fn with_learned(admission: Admission, blocks: u64, mut learned: Learned) -> Self {
        learned.set_aim(aim(admission));
        learned.resize(blocks);
        Self { admission, learned: Box::new(learned) }
    }

    /// Returns what was learned.
    pub(crate) fn learned(&self) -> &Learned {
        &self.learned
    }

    /// Returns saved histories that were not taken yet.
    pub(crate) fn take_histories(&mut self) -> Option<SavedHistories> {
        self.learned.take_histories()
    }

    /// Changes the admission; learned state stays.
    pub(crate) fn set_admission(&mut self, admission: Admission) {
        self.admission = admission;
        self.learned.set_aim(aim(admission));
    }

    /// Sets the number of blocks that the cache holds.
    pub(crate) fn resize(&mut self, blocks: u64) {
        self.learned.resize(blocks);
    }

    /// Returns true if the learned policy decides.
    pub(crate) fn learns(&self) -> bool {
        self.admission.learns()
    }

    /// Takes a request; see [`Learned::request`].
    pub(crate) fn request(&mut self, arrival: ArrivalClass, in_long_run: bool, blocks: u64) -> ArrivalClass {
        self.learned.request(arrival, in_long_run, blocks)
    }

    /// Takes an access to a block; see [`Learned::access`].
    pub(crate) fn access(
        &mut self,
        block: u64,
        arrival: ArrivalClass,
        details: impl FnOnce() -> AccessDetails,
        draw: impl FnMut(&mut Dice) -> Option<History>,
        live: impl FnOnce() -> f32,
    ) {
        if self.learns() {
            self.learned.access(block, arrival, details, draw, live);
        }
    }

    /// Returns the history of a block that enters the cache.
    pub(crate) fn newcomer(&self, block: u64, arrival: ArrivalClass) -> History {
        self.learned.newcomer(block, arrival)
    }

    /// Returns the history of a block after another use.
    pub(crate) fn used(&self, history: History, by: By) -> History {
        self.learned.used(history, by)
    }

    /// Returns the same once it was read, if it may be the same visit that uses several pages of the block.
    pub(crate) fn visited(&self, history: History) -> History {
        self.learned.visited(history)
    }

    /// Returns true if the last two uses of a block that is used at this moment were at most `accesses` apart, with a resolution of a 256th
    /// of the cache's size.
    pub(crate) fn comes_within(&self, before: History, accesses: u64) -> bool {
        !self.learns() || self.learned.comes_within(before, accesses)
    }

    /// Returns true if every page may be written to flash.
    pub(crate) fn takes_all(&self, room: FlashSpace) -> bool {
        room == FlashSpace::Free || self.admission == Admission::Always
    }

    /// Returns true if a page of a block with this history may be written to flash.
    pub(crate) fn admits(&mut self, history: History, room: FlashSpace) -> bool {
        if room == FlashSpace::Full {
            self.learned.note_full();
        }
        self.takes_all(room)
            || match self.admission {
                Admission::Always => true,
                Admission::Repeated(times) => u32::from(history.uses()) >= times,
                Admission::Adaptive | Admission::AdaptiveHits => self.learned.admits(history),
            }
    }

    /// Remembers a block that leaves the cache.
    pub(crate) fn left(&mut self, block: u64, history: History) {
        self.learned.left(block, history);
    }

    /// Returns the worth of a block that may survive when its segment is reclaimed: more is better. None if it is to go.
    pub(crate) fn keeps(&self, history: History) -> Option<f32> {
        if self.learns() {
            self.learned.keeps(history)
        } else {
            (history.heat() > 0).then(|| f32::from(history.heat()))
        }
    }

    /// Returns the cost of reclaiming the place of a block, from 0 for nothing.
    pub(crate) fn cost(&self, history: History) -> f32 {
        self.learned.cost(history)
    }

    /// Records that blocks were written to flash that no guest wrote.
    pub(crate) fn note_written(&mut self, blocks: f32) {
        self.learned.note_written(blocks);
    }

    /// Returns the bytes of RAM taken.
    pub(crate) fn bytes(&self) -> u64 {
        self.learned.bytes()
    }
}

/// Returns the aim of learning.
pub(crate) fn aim(admission: Admission) -> Aim {
    if admission == Admission::AdaptiveHits { Aim::Hits } else { Aim::Balance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_enters_while_there_is_room() {
        for admission in [Admission::Repeated(9), Admission::Adaptive, Admission::Always] {
            let mut policy = Policy::new(admission, 1000);
            let stranger = policy.newcomer(1, ArrivalClass::ALONE);
            assert!(policy.admits(stranger, FlashSpace::Free), "{admission}");
        }
    }

    #[test]
    fn always_and_repeated_do_what_they_say() {
        let mut policy = Policy::new(Admission::Always, 1000);
        let stranger = policy.newcomer(1, ArrivalClass::ALONE);
        assert!(policy.admits(stranger, FlashSpace::Full));
        policy.set_admission(Admission::Repeated(3));
        for _ in 0..2 {
            let comes = policy.newcomer(2, ArrivalClass::ALONE);
            assert!(!policy.admits(comes, FlashSpace::Full));
            policy.left(2, comes);
        }
        let comes = policy.newcomer(2, ArrivalClass::ALONE);
        assert!(policy.admits(comes, FlashSpace::Full));
    }

    /// Returns a policy that observed blocks which are used again and again among others which are not, with `live` of flash not stale; and
    /// the history of one of the former.
    fn learned(live: f32) -> (Policy, History) {
        let mut policy = Policy::new(Admission::Adaptive, 1000);
        let often = |at: u64| 1_000_000 + at % 400;
        policy.admits(History::default(), FlashSpace::Full);
        let mut before = History::default();
        // Blocks on flash: the newest ones, used often or once.
        let mut on_flash = [History::default(); 1000];
        for at in 0..50_000 {
            if at == 49_200 {
                before = policy.newcomer(often(0), ArrivalClass::ALONE);
            }
            let (block, is_cached) = if at % 2 == 0 { (often(at / 2), true) } else { (at, false) };
            on_flash[at as usize % 1000] = policy.newcomer(block, ArrivalClass::ALONE);
            let mut place = at as usize;
            let draw = |_: &mut Dice| {
                place += 37;
                Some(on_flash[place % 1000])
            };
            policy.access(block, ArrivalClass::ALONE, || AccessDetails::of_whole(is_cached), draw, || live);
            // All that was used once is written, and brings nothing.
            policy.note_written(0.5);
        }
        (policy, before)
    }

    fn worth(policy: &Policy, history: History) -> f32 {
        policy.keeps(history).unwrap_or(0.0)
    }

    #[test]
    fn what_is_used_again_and_again_is_learned_to_be_worth_more_than_what_is_used_once() {
        let (mut policy, before) = learned(1.0);
        let once = policy.newcomer(49_999, ArrivalClass::ALONE);
        let twice = policy.used(before, By::Read);
        assert!(worth(&policy, twice) > 2.0 * worth(&policy, once));
        assert!(policy.cost(twice) > policy.cost(once));
        policy.set_admission(Admission::AdaptiveHits);
        assert!(policy.admits(once, FlashSpace::Full), "the most hits, whatever is written");
    }

    #[test]
    fn the_more_of_flash_is_void_the_more_is_worth_its_room() {
        let worth_with = |live: f32| {
            let (policy, before) = learned(live);
            worth(&policy, policy.used(before, By::Read))
        };
        let [whole, some, most, nearly_all] = [1.0, 0.95, 0.5, 0.01].map(worth_with);
        assert!(some > whole, "{some} and {whole}");
        assert!(most > some, "{most} and {some}");
        assert_eq!(
            most.to_bits(),
            nearly_all.to_bits(),
            "more than is to be given up is no reason to ask for less still"
        );
    }

    #[test]
    fn the_more_of_flash_is_void_the_less_is_asked_of_newcomers() {
        let lets_in_once_used = |live: f32| {
            let (mut policy, _) = learned(live);
            let once = policy.newcomer(49_999, ArrivalClass::ALONE);
            policy.admits(once, FlashSpace::Full)
        };
        assert_eq!([1.0, 0.98, 0.9].map(lets_in_once_used), [false, false, true]);
    }
}
