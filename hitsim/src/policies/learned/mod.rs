//! Learned: what a block is worth is learned from the disk itself, and decides who enters flash, who stays when a segment is
//! reclaimed, and which segment that is. A candidate for the policy that serves disks, on a log as theirs, with their RAM inside the
//! cache.
//!
//! ```text
//!   miss ──> window in RAM, by LRU ──worth it?──> flash: a log ──segment reclaimed: worth it?──> flash again
//!                                   └── no ──> remembered for a while  <── no ──┘
//! ```
//! Hits cost no write. How often blocks of each class are used at each age is learned from a sample ([`sample`], [`hazards`]), what
//! that makes blocks worth by [`worth`]. It follows the idea of hit density (Beckmann, Chen and Cidon: LHD, NSDI 2018), with
//! the optimal time to give a block up in place of a mean.

mod ages;
mod flash;
mod hazards;
mod sample;
mod strictness;
mod worth;

use std::collections::VecDeque;

use super::lists::{ListId, Lists};
use super::{Access, Policy};
use ages::{Ages, Coming, History};
use flash::{Flash, Stream};
use hazards::{Seen, table};
use sample::Sample;
pub use strictness::Aim;
use strictness::Strictness;
use worth::Worth;

const WINDOW: ListId = ListId(0);

/// What was learned half as many accesses ago as the cache holds blocks, times this, counts half.
const HALF_LIFE: f32 = 16.0;
/// Blocks on flash that are looked at to adjust the rent.
const LOOKS: usize = 64;
/// Of a reclaimed segment, at most so many quarters stay.
const STAYING_QUARTERS: usize = 3;
/// Segments that are reclaimed for one block at most.
const RECLAIMS_MAX: usize = 64;

/// The learned policy.
pub struct Learned {
    capacity: usize,
    now: u32,
    before: u32,
    window_max: usize,
    window: Lists,
    flash: Flash,
    /// True once flash was full: from then on blocks have to earn it.
    was_full: bool,
    histories: Vec<History>,
    left: Left,
    ages: Ages,
    sample: Sample,
    seen: Seen,
    worth: Worth,
    strictness: Strictness,
    dice: Dice,
    due: Due,
    written: u64,
    written_at_comparison: u64,
}

/// When what is done now and then is done again, in accesses.
#[derive(Default)]
struct Due {
    learn: u32,
    learned: u32,
    adjust: u32,
    compare: u32,
}

/// Blocks that left, as many as the cache holds: the history of those that come back is known.
struct Left {
    capacity: usize,
    queue: VecDeque<(u32, u32)>,
    /// By block, when it left; 0 if it is not known any more.
    turns: Vec<u32>,
    turn: u32,
}

/// A row of numbers that repeats exactly: xorshift64* (Vigna, ACM Transactions on Mathematical Software 42(4), 2016).
struct Dice(u64);

impl Learned {
    /// An empty cache of `capacity` blocks with numbers below `blocks`, of which so many hundredths are in RAM.
    pub fn new(capacity: usize, blocks: u32, aim: Aim, ram_percent: u8) -> Self {
        let window_max = (capacity * usize::from(ram_percent) / 100).max(1);
        let ages = Ages::new(capacity);
        let seen = Seen::new();
        let worth = Worth::new(&ages, seen.hazards(&table(0.0)));
        Self {
            capacity,
            now: 0,
            before: u32::MAX,
            window_max,
            window: Lists::new(blocks, 1),
            flash: Flash::new(capacity - window_max, blocks),
            was_full: false,
            histories: vec![History::default(); blocks as usize],
            left: Left { capacity, queue: VecDeque::new(), turns: vec![0; blocks as usize], turn: 0 },
            sample: Sample::new(capacity, blocks),
            ages,
            seen,
            worth,
            strictness: Strictness::new(aim),
            dice: Dice(88_172_645_463_325_252),
            due: Due { learn: 256, ..Due::default() },
            written: 0,
            written_at_comparison: 0,
        }
    }

    fn value(&self, block: u32) -> f32 {
        self.worth.value(self.histories[block as usize], self.now, &self.ages)
    }

    /// True if a block is worth keeping, of which so much is asked.
    fn is_worth(&self, block: u32, asked: f32) -> bool {
        let value = self.value(block);
        value >= asked && value > 0.0
    }

    fn enter(&mut self, block: u32, coming: Coming) {
        let history = &mut self.histories[block as usize];
        let is_known = self.left.take(block);
        *history =
            if is_known { history.used(self.now, &self.ages) } else { History::first(self.now, coming) };
        self.window.put_first(WINDOW, block);
        while self.window.len(WINDOW) > self.window_max {
            let Some(oldest) = self.window.pop_back(WINDOW) else { break };
            // A newcomer may be worth nothing and enter all the same, if nothing is asked.
            if !self.was_full || self.value(oldest) >= self.strictness.thresholds().admit {
                self.promote(oldest);
            } else {
                self.left.put(oldest);
            }
        }
    }

    fn promote(&mut self, block: u32) {
        for _ in 0..RECLAIMS_MAX {
            if !self.flash.wants_room() {
                break;
            }
            self.was_full = true;
            self.reclaim();
        }
        if self.flash.append(block, Stream::Promotion) {
            self.written += 1;
        } else {
            self.left.put(block);
        }
    }

    fn reclaim(&mut self) {
        let keep = self.strictness.thresholds().keep;
        let (worth, histories, ages, now) = (&self.worth, &self.histories, &self.ages, self.now);
        let cost = |block: u32| {
            let history = histories[block as usize];
            let value = worth.value(history, now, ages);
            let density = worth.relative_density(history, now, ages);
            if value >= keep && value > 0.0 { 1.0 + 0.1 * density } else { 0.5 * density }
        };
        let mut blocks = self.flash.reclaim(&mut self.dice, cost);
        blocks.sort_by(|one, other| self.value(*other).total_cmp(&self.value(*one)));
        let most = self.flash.segment_blocks() * STAYING_QUARTERS / 4;
        for (rank, block) in blocks.into_iter().enumerate() {
            if rank < most && self.is_worth(block, keep) && self.flash.append(block, Stream::Survivor) {
                self.written += 1;
            } else {
                self.left.put(block);
            }
        }
    }

    /// Does what is due.
    fn learn(&mut self) {
        let size = u32::try_from(self.capacity).unwrap_or(u32::MAX);
        if self.now >= self.due.learn {
            #[expect(clippy::cast_precision_loss, reason = "a ratio")]
            let half_lives = (self.now - self.due.learned) as f32 / (HALF_LIFE * size.max(2_000) as f32);
            self.seen.fade((-half_lives).exp2());
            let watched = self.sample.watched(self.now, &self.ages);
            self.worth.learn(&self.ages, self.seen.hazards(&watched));
            self.due.learned = self.now;
            self.due.learn = self.now.saturating_add((size / 4).max(4_000).min((self.now / 8).max(256)));
        }
        if self.now >= self.due.adjust {
            self.adjust_rent();
            self.due.adjust = self.now.saturating_add((size / 16).max(512));
        }
        if self.now >= self.due.compare {
            #[expect(clippy::cast_precision_loss, reason = "a ratio")]
            let written = (self.written - self.written_at_comparison) as f32;
            if self.was_full {
                self.strictness.compare(written, self.sample.one_of());
            } else {
                self.strictness.forget();
            }
            self.written_at_comparison = self.written;
            self.due.compare = self.now.saturating_add((size / 2).max(1_000));
        }
    }

    fn adjust_rent(&mut self) {
        if !self.was_full {
            return;
        }
        let thresholds = self.strictness.thresholds();
        let (mut drawn, mut to_give_up) = (0.0_f32, 0.0_f32);
        for _ in 0..LOOKS {
            if let Some(block) = self.flash.draw(&mut self.dice) {
                drawn += 1.0;
                to_give_up += f32::from(u8::from(!self.is_worth(block, thresholds.keep)));
            }
        }
        if drawn > 0.0 {
            self.worth.raise_rent(&self.ages, (0.5 * (thresholds.to_give_up - to_give_up / drawn)).exp2());
        }
    }
}

impl Policy for Learned {
    fn access(&mut self, block: u32) -> Access {
        let coming = if block == self.before.wrapping_add(1) { Coming::InRow } else { Coming::Alone };
        self.before = block;
        let (in_window, on_flash) = (self.window.is_in(WINDOW, block), self.flash.has(block));
        let is_hit = in_window || on_flash;
        let tools = (&self.ages, &self.worth, &mut self.seen, &mut self.dice);
        if let Some(had) = self.sample.access(block, self.now, coming, tools) {
            self.strictness.sampled(had, is_hit);
        }
        self.learn();
        if is_hit {
            let history = &mut self.histories[block as usize];
            *history = history.used(self.now, &self.ages);
            if in_window {
                self.window.put_first(WINDOW, block);
            }
        } else {
            self.enter(block, coming);
        }
        self.now += 1;
        if is_hit { Access::Hit } else { Access::Miss }
    }

    fn len(&self) -> usize {
        self.window.len(WINDOW) + self.flash.len()
    }

    fn written(&self) -> Option<u64> {
        Some(self.written)
    }
}

impl Left {
    fn put(&mut self, block: u32) {
        self.turn += 1;
        self.turns[block as usize] = self.turn;
        self.queue.push_back((block, self.turn));
        if self.queue.len() > self.capacity
            && let Some((oldest, turn)) = self.queue.pop_front()
            && self.turns[oldest as usize] == turn
        {
            self.turns[oldest as usize] = 0;
        }
    }

    /// Says whether a block that comes back is known.
    fn take(&mut self, block: u32) -> bool {
        std::mem::take(&mut self.turns[block as usize]) != 0
    }
}

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let drawn = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
        (drawn as usize * end) >> 32
    }
}

/// A number of 64 bits that looks like chance: the last step of `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014).
fn hash(block: u32) -> u64 {
    let mut mixed = u64::from(block).wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
