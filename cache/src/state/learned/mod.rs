//! Learned policy: learns the worth of blocks from the disk itself, and decides which blocks enter flash, which stay when a segment is
//! reclaimed, and which segment that is.
//!
//! ```text
//!   miss ──> RAM, by LRU ──worth it?──> flash: a log ──segment reclaimed: worth it?──> flash again
//!                            └── no ──> remembered for a while  <── no ──┘
//! ```
//! Hits cost no write. How often blocks of each class are used at each age is learned from a sample ([`sample`], [`hazards`]), what
//! that makes blocks worth by [`worth`]. It follows the idea of hit density (Beckmann, Chen and Cidon: LHD, NSDI 2018), with
//! the optimal time to give a block up in place of a mean.

mod ages;
mod dice;
mod ghosts;
mod hazards;
mod overwritten;
mod parts;
mod sample;
mod saved;
mod scans;
mod strictness;
mod worth;

use ages::{Ages, Clock};
pub(crate) use ages::{ArrivalClass, By, History};
pub(crate) use dice::Dice;
use ghosts::Ghosts;
use hazards::{ReuseCounts, table};
pub(crate) use overwritten::Overwritten;
pub(crate) use parts::AccessDetails;
use sample::Sample;
pub(crate) use saved::{Packing, SavedHistories};
use scans::Scans;
pub(crate) use strictness::Aim;
use strictness::Strictness;
use worth::Worth;

/// Half-life of what was learned, in accesses for each block that the cache holds.
const HALF_LIFE: f32 = 16.0;
/// Blocks on flash that are drawn to adjust the rent.
const LOOKS: usize = 64;
/// Weight of a stale block among those to give up. Stale blocks are spread over all segments, and reclaim finds them a segment at a time:
/// counted once, a cache that guests overwrite holds an eighth less than the same without (docs/dev/notes/hit-ratio.md).
const VOID_WEIGHT: f32 = 3.0;
/// With such a share of flash void, nothing is asked of newcomers: there is room to be had for them by
/// which nothing of worth is lost. Below, in proportion.
const VOID_TO_ADMIT_ALL: f32 = 0.07;

/// Learned state of a disk.
pub(crate) struct Learned {
    /// Blocks that the cache holds, in RAM and on flash.
    capacity: u64,
    clock: Clock,
    /// True once flash was full: from then on blocks have to earn it.
    was_full: bool,
    ages: Ages,
    ghosts: Ghosts,
    sample: Sample,
    scans: Scans,
    seen: ReuseCounts,
    worth: Worth,
    strictness: Strictness,
    dice: Dice,
    due: Due,
    /// Blocks written to flash since the last comparison.
    written: f32,
    /// The share of flash that is stale, as last reported.
    void: f32,
    /// Histories of blocks that are still to be loaded.
    histories: Option<SavedHistories>,
}

/// Buckets of ghosts that are brought into another size while guests wait: some milliseconds.
const BUCKETS_RESIZED_MAX: usize = 1 << 17;

/// Ghosts for each block that the cache holds: two bytes each. Twice as many bring hits, and some writes with them
/// (docs/dev/notes/hit-ratio.md).
fn ghosts_for_each(aim: Aim) -> u64 {
    match aim {
        Aim::Hits => 2,
        Aim::Balance => 1,
    }
}

/// Times of the next periodic steps, in accesses.
struct Due {
    learn: u64,
    learned: u64,
    adjust: u64,
    compare: u64,
}

impl Learned {
    /// Creates the state of a disk whose cache holds `capacity` blocks. Nothing is learned yet.
    pub(crate) fn new(capacity: u64, aim: Aim) -> Self {
        let blocks = usize::try_from(capacity).unwrap_or(usize::MAX);
        Self::at(capacity, aim, Clock::new(blocks))
    }

    /// Returns the same, with a clock that goes on.
    fn at(capacity: u64, aim: Aim, clock: Clock) -> Self {
        let capacity = capacity.max(1);
        let blocks = usize::try_from(capacity).unwrap_or(usize::MAX);
        let ages = Ages::with_moments(blocks, clock.unit());
        let seen = ReuseCounts::new();
        let worth = Worth::new(&ages, seen.hazards(&table(0.0), 1.0));
        let now = clock.accesses();
        Self {
            capacity,
            was_full: false,
            ghosts: Ghosts::new(capacity, ghosts_for_each(aim), &clock),
            clock,
            sample: Sample::new(blocks),
            scans: Scans::new(capacity),
            ages,
            seen,
            worth,
            strictness: Strictness::new(aim),
            dice: Dice::new(),
            due: Due { learn: now + 256, learned: now, adjust: now, compare: now },
            written: 0.0,
            void: 0.0,
            histories: None,
        }
    }

    /// Takes over that the cache holds so many blocks from now on. Learned state stays, in the classes of the new size, and time goes on, so
    /// that histories of blocks stay true. More than [`BUCKETS_RESIZED_MAX`] buckets of ghosts are forgotten.
    pub(crate) fn resize(&mut self, capacity: u64) {
        if capacity.max(1) == self.capacity {
            return;
        }
        let for_each = ghosts_for_each(self.strictness.aim());
        let ghosts = if self.ghosts.buckets() > BUCKETS_RESIZED_MAX {
            Ghosts::new(capacity, for_each, &self.clock)
        } else {
            self.ghosts.resized(capacity, for_each, &self.clock)
        };
        self.resize_with(capacity, ghosts);
    }

    /// As [`Self::resize`], with the ghosts of the new size.
    fn resize_with(&mut self, capacity: u64, ghosts: Ghosts) {
        let aim = self.strictness.aim();
        let mut resized = Self::at(capacity, aim, self.clock.clone());
        resized.ghosts = ghosts;
        resized.sample = self.sample.resized(usize::try_from(capacity).unwrap_or(usize::MAX));
        resized.seen = self.seen.rescaled(&self.ages, &resized.ages);
        resized.strictness = std::mem::replace(&mut self.strictness, Strictness::new(aim));
        resized.worth = resized.judged_at(self.worth.rent());
        let histories = self.histories.take();
        *self = Self { was_full: self.was_full, void: self.void, histories, ..resized };
    }

    /// Returns what blocks are worth by what was seen, at such a rent.
    fn judged_at(&self, rent: f32) -> Worth {
        let watched = self.sample.table(self.clock.now(), &self.ages);
        let hazards = self.seen.hazards(&watched, self.strictness.trust());
        Worth::with_rent(&self.ages, hazards, rent)
    }

    /// Changes the aim. Learned state stays; ghosts are forgotten if their number changes.
    pub(crate) fn set_aim(&mut self, aim: Aim) {
        let (before, now) = (ghosts_for_each(self.strictness.aim()), ghosts_for_each(aim));
        if before != now {
            self.ghosts = Ghosts::new(self.capacity, now, &self.clock);
        }
        self.strictness.set_aim(aim);
    }

    /// Records a request for `blocks` blocks; `in_long_run` if it continues a long run of misses. Returns its class: for each
    /// [access](Self::access) of it, and for the pages that it fetches.
    pub(crate) fn request(&mut self, arrival: ArrivalClass, in_long_run: bool, blocks: u64) -> ArrivalClass {
        if self.scans.takes(in_long_run, blocks) { arrival.with_scan() } else { arrival }
    }

    /// Records an access to a block. Calls the closure for details only if the block is sampled; now and then, calls `draw` for the history
    /// of a random block on flash, and `live` for the share of flash that is not stale.
    pub(crate) fn access(
        &mut self,
        block: u64,
        arrival: ArrivalClass,
        details: impl FnOnce() -> AccessDetails,
        draw: impl FnMut(&mut Dice) -> Option<History>,
        live: impl FnOnce() -> f32,
    ) {
        if self.sample.samples(block) {
            let tools = (&self.ages, &self.worth, &mut self.seen, &mut self.dice);
            let AccessDetails { parts, share, is_cached } = details();
            let had = self.sample.access(block, parts, self.clock.now(), arrival, tools);
            if had.came_back {
                self.scans.pay(self.sample.stands_for());
            }
            self.strictness.sampled(had, is_cached, share);
            if self.strictness.is_left_behind() {
                self.due.compare = self.clock.accesses();
            }
        }
        let now = self.clock.accesses();
        if now >= self.due.learn.min(self.due.adjust).min(self.due.compare) {
            self.do_what_is_due(now, draw, live);
        }
        if !arrival.is_scanned() {
            self.clock.tick();
        }
    }

    /// Returns the history of a block without one, or with only that of a ghost.
    pub(crate) fn newcomer(&self, block: u64, arrival: ArrivalClass) -> History {
        let now = self.clock.now();
        match self.ghosts.recall(block, now) {
            Some(history) => history.comes(now, &self.ages, arrival),
            None => History::first(now, arrival),
        }
    }

    /// Returns the same block used once more.
    pub(crate) fn used(&self, history: History, by: By) -> History {
        history.used(self.clock.now(), &self.ages, by)
    }

    /// Returns the same block read once more, where several pages of it are used by one visit: that is one use.
    pub(crate) fn visited(&self, history: History) -> History {
        if history.is_of(self.clock.now()) { history } else { self.used(history, By::Read) }
    }

    /// Returns true if the last use was at most `accesses` ago, as far as that is known.
    pub(crate) fn comes_within(&self, before: History, accesses: u64) -> bool {
        self.clock.accesses_since(before.last()) <= accesses
    }

    /// Remembers a block that leaves.
    pub(crate) fn left(&mut self, block: u64, history: History) {
        self.ghosts.remember(block, history);
    }

    /// Records that flash is full.
    pub(crate) fn note_full(&mut self) {
        self.was_full = true;
    }

    /// Returns true if it may enter flash that is full. A new block may be worth nothing and enter all the same, if the threshold is 0.
    pub(crate) fn admits(&self, history: History) -> bool {
        let asked = self.strictness.thresholds().admit;
        let room = (1.0 - self.void / VOID_TO_ADMIT_ALL).max(0.0);
        // No value is below zero.
        self.value(history) >= asked * room
    }

    /// Returns its value, if that is enough to stay when its segment is reclaimed.
    pub(crate) fn keeps(&self, history: History) -> Option<f32> {
        let value = self.value(history);
        (value >= self.strictness.thresholds().keep && value > 0.0).then_some(value)
    }

    /// Returns the cost of reclaiming its place: a write, if it stays, and else the hits that it may still bring.
    pub(crate) fn cost(&self, history: History) -> f32 {
        let density = self.worth.relative_density(history, self.clock.now(), &self.ages);
        if self.keeps(history).is_some() { 1.0 + 0.1 * density } else { 0.5 * density }
    }

    /// Records that blocks were written to flash that no guest wrote.
    pub(crate) fn note_written(&mut self, blocks: f32) {
        self.written += blocks;
    }

    /// Returns the bytes of RAM taken.
    pub(crate) fn bytes(&self) -> u64 {
        size_of::<Self>() as u64
            + self.ghosts.bytes()
            + self.sample.bytes()
            + self.seen.bytes()
            + self.worth.bytes()
    }

    fn value(&self, history: History) -> f32 {
        self.worth.value(history, self.clock.now(), &self.ages)
    }

    #[expect(clippy::cast_precision_loss, reason = "ratios")]
    fn do_what_is_due(
        &mut self,
        now: u64,
        draw: impl FnMut(&mut Dice) -> Option<History>,
        live: impl FnOnce() -> f32,
    ) {
        if now >= self.due.learn {
            let half_lives = (now - self.due.learned) as f32 / (HALF_LIFE * self.capacity.max(2_000) as f32);
            self.seen.fade((-half_lives).exp2());
            let watched = self.sample.table(self.clock.now(), &self.ages);
            self.worth.learn(&self.ages, self.seen.hazards(&watched, self.strictness.trust()));
            self.due.learned = now;
            self.due.learn = now + (self.capacity / 4).max(4_000).min((now / 8).max(256));
        }
        if now >= self.due.adjust {
            self.adjust_rent(draw, live());
            self.due.adjust = now + (self.capacity / 16).max(512);
        }
        if now >= self.due.compare {
            if self.was_full {
                self.strictness.compare(self.written, self.sample.one_of());
            } else {
                self.strictness.forget();
            }
            self.written = 0.0;
            self.due.compare = now + (self.capacity / 2).max(1_000);
        }
    }

    /// Adjusts the rent. Stale blocks are given up first: the more there are, the fewer others have to be worth nothing for reclaim to find
    /// room. They count for at most the share that is to be given up: a surplus, as when a disk forgets everything, is no reason to lower
    /// the rent further and further.
    fn adjust_rent(&mut self, mut draw: impl FnMut(&mut Dice) -> Option<History>, live: f32) {
        if !self.was_full {
            return;
        }
        self.void = 1.0 - live;
        let to_give_up_wanted = self.strictness.thresholds().to_give_up;
        let (mut drawn, mut to_give_up) = (0.0_f32, 0.0_f32);
        for _ in 0..LOOKS {
            if let Some(history) = draw(&mut self.dice) {
                drawn += 1.0;
                to_give_up += f32::from(u8::from(self.keeps(history).is_none()));
            }
        }
        if drawn > 0.0 {
            let void = (VOID_WEIGHT * self.void).min(to_give_up_wanted);
            let to_give_up = void + (1.0 - void) * to_give_up / drawn;
            self.worth.raise_rent(&self.ages, (0.5 * (to_give_up_wanted - to_give_up)).exp2());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_makes_nothing_older_and_a_loop_that_is_larger_than_the_cache_is_none() {
        let passed = |blocks: u64, rounds: u64, in_long_run: bool| {
            let mut learned = Learned::new(1_000, Aim::Balance);
            let known = learned.newcomer(u64::MAX, ArrivalClass::ALONE);
            let mut arrival = ArrivalClass::ALONE;
            for block in (0..rounds).flat_map(|_| 0..blocks) {
                arrival = learned.request(ArrivalClass::ALONE, in_long_run, 1);
                learned.access(block, arrival, || AccessDetails::of_whole(false), |_| None, || 1.0);
            }
            let last = learned.newcomer(blocks, arrival);
            [known, last].map(|history| learned.clock.accesses_since(history.last()))
        };
        let moment = 1_000 / 256;
        assert_eq!(passed(4_000, 1, false), [4_000 / moment * moment, 0], "in no order");
        assert_eq!(passed(4_000, 1, true), [0, 256 * moment], "a scan");
        let [known, last] = passed(4_000, 3, true);
        assert!((7_900..=8_000).contains(&known) && last == 0, "a loop: {known} and {last}");
    }

    #[test]
    fn with_hits_first_twice_as_many_ghosts_are_remembered_also_if_that_is_said_later() {
        let mut learned = Learned::new(10_000, Aim::Balance);
        let [one_each, two_each] = [Aim::Balance, Aim::Hits].map(|aim| Learned::new(10_000, aim).bytes());
        assert_eq!(two_each - one_each, 2 * 10_000);
        let known = learned.newcomer(7, ArrivalClass::ALONE);
        learned.left(7, known);
        learned.set_aim(Aim::Balance);
        assert!(learned.ghosts.recall(7, learned.clock.now()).is_some(), "nothing changed");
        learned.set_aim(Aim::Hits);
        assert_eq!(learned.bytes(), two_each);
        assert!(learned.ghosts.recall(7, learned.clock.now()).is_none());
    }

    #[test]
    fn a_disk_that_lru_would_serve_is_less_strict_long_before_the_next_comparison() {
        let mut learned = Learned::new(100_000, Aim::Balance);
        learned.note_full();
        let mut strictness_after_each = |accesses: std::ops::Range<u64>| {
            for access in accesses {
                // A fifth of the capacity, round and round, and none of it is cached.
                learned.access(
                    access % 20_000,
                    ArrivalClass::ALONE,
                    || AccessDetails::of_whole(false),
                    |_| None,
                    || 1.0,
                );
            }
            learned.strictness.thresholds().admit
        };
        let first = strictness_after_each(0..20_000);
        let later = strictness_after_each(20_000..30_000);
        assert!(
            first > 0.0 && later < 0.0,
            "{first} and {later}, where comparisons are 50,000 accesses apart"
        );
    }
}
