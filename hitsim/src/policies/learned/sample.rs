//! A sample of the blocks, watched whether they are cached or not: what learning learns from, and caches in small of the same
//! relative size, with which the served one is compared on the very same accesses.
//!
//! ```text
//!   sampled accesses ──> newest blocks: a cache in small by LRU │ older blocks, four times as many in all │ no longer watched
//!                                   └── some of them: a cache in small by density ──┘
//! ```
//! Which blocks are sampled is decided by a hash of their numbers (SHARDS: Waldspurger, Park, Garthwaite and Ahmad, FAST 2015).

use super::ages::{Ages, Coming, History};
use super::hazards::{Seen, Table, table};
use super::worth::Worth;
use super::{Dice, hash};
use crate::policies::lists::{ListId, Lists};

/// Blocks that are watched at most.
const WATCHED_MAX: usize = 8_192;
/// They are watched until so many times as many were used as the cache holds.
const REACH: usize = 4;
/// So many are looked at to find one that leaves the cache by density.
const CANDIDATES: u64 = 16;

const NEWEST: ListId = ListId(0);
const OLDER: ListId = ListId(1);
const NOWHERE: u32 = u32::MAX;

/// Blocks that are watched.
pub(super) struct Sample {
    /// One of so many blocks is sampled.
    one_of: usize,
    /// Hashes below are sampled.
    below: u64,
    /// Blocks of a cache in small.
    capacity: usize,
    lists: Lists,
    histories: Vec<History>,
    /// The cache by density, and where in it a block is.
    dense: Vec<u32>,
    places: Vec<u32>,
}

/// Who had a sampled block.
#[derive(Clone, Copy)]
pub(super) struct Had {
    pub(super) by_lru: bool,
    pub(super) by_density: bool,
}

impl Sample {
    pub(super) fn new(capacity: usize, blocks: u32) -> Self {
        let one_of = (capacity * REACH).div_ceil(WATCHED_MAX).max(1);
        Self {
            one_of,
            below: u64::MAX / one_of as u64,
            capacity: (capacity / one_of).max(1),
            lists: Lists::new(blocks, 2),
            histories: vec![History::default(); blocks as usize],
            dense: Vec::new(),
            places: vec![NOWHERE; blocks as usize],
        }
    }

    /// So many accesses are one sampled one, all in all.
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    pub(super) fn one_of(&self) -> f32 {
        self.one_of as f32
    }

    /// Takes an access. None if its block is not sampled.
    pub(super) fn access(
        &mut self,
        block: u32,
        now: u32,
        coming: Coming,
        (ages, worth, seen, dice): (&Ages, &Worth, &mut Seen, &mut Dice),
    ) -> Option<Had> {
        if hash(block) > self.below {
            return None;
        }
        let at = block as usize;
        let had = Had { by_lru: self.lists.is_in(NEWEST, block), by_density: self.places[at] != NOWHERE };
        if self.lists.list_of(block).is_some() {
            let history = self.histories[at];
            seen.used(history.class(), history.age(now, ages));
            self.histories[at] = history.used(now, ages);
        } else {
            self.histories[at] = History::first(now, coming);
        }
        self.lists.put_first(NEWEST, block);
        self.grow_old(now, ages, seen);
        if !had.by_density {
            if self.dense.len() >= self.capacity {
                self.give_up_one(now, ages, worth, dice);
            }
            self.places[at] = self.dense.len() as u32;
            self.dense.push(block);
        }
        Some(had)
    }

    /// Where the watched blocks are now.
    pub(super) fn watched(&self, now: u32, ages: &Ages) -> Table {
        let mut watched = table(0.0);
        for list in [NEWEST, OLDER] {
            let mut next = self.lists.back(list);
            while let Some(block) = next {
                let history = self.histories[block as usize];
                watched[history.class()][history.age(now, ages)] += 1.0;
                next = self.lists.newer(block);
            }
        }
        watched
    }

    fn grow_old(&mut self, now: u32, ages: &Ages, seen: &mut Seen) {
        if self.lists.len(NEWEST) > self.capacity
            && let Some(block) = self.lists.back(NEWEST)
        {
            self.lists.put_first(OLDER, block);
        }
        if self.lists.len(OLDER) > self.capacity * (REACH - 1)
            && let Some(block) = self.lists.back(OLDER)
        {
            self.lists.remove(block);
            let history = self.histories[block as usize];
            seen.left(history.class(), history.age(now, ages));
            let place = self.places[block as usize];
            if place != NOWHERE {
                self.remove_dense(place as usize);
            }
        }
    }

    fn give_up_one(&mut self, now: u32, ages: &Ages, worth: &Worth, dice: &mut Dice) {
        let density = |place: usize| worth.density(self.histories[self.dense[place] as usize], now, ages);
        let candidates = (0..CANDIDATES).map(|_| dice.below(self.dense.len()));
        if let Some(place) = candidates.min_by(|one, other| density(*one).total_cmp(&density(*other))) {
            self.remove_dense(place);
        }
    }

    fn remove_dense(&mut self, place: usize) {
        let block = self.dense.swap_remove(place);
        self.places[block as usize] = NOWHERE;
        if let Some(moved) = self.dense.get(place) {
            self.places[*moved as usize] = place as u32;
        }
    }
}
