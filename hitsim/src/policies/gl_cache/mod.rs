//! GL-Cache: groups of blocks that entered together; trees learn from their features how useful each will be, and the least useful give
//! up their blocks.
//!
//! J. Yang, Z. Mao, Y. Yue, K. V. Rashmi: GL-Cache: Group-level learning for efficient and high-performance caching. FAST 2023.
//!
//! ```text
//!   miss ──> newest segment ... segments in the order in which they were written
//!                                  │ features                  │ least useful, and the next one
//!              samples ──> trees ──┴──> ranking of all ────────┴──> one segment of the best blocks of both, in their place
//! ```
//! Written from the abstract and from the authors' simulator with its notes (libCacheSim, as of 2024), not from the text of the paper.
//!
//! **From the authors.** A block's utility is 1 / (size x accesses until its next use), that of a segment the sum over its blocks. Segments
//! are sampled after each training, and their utility is collected until the next one; a block counts once, also after it has left the
//! cache. The least useful segment is merged with the one written after it: the most recently used blocks of both stay, as many as a
//! segment holds. Before the first training, segments are merged in the order of writing. A segment has 100 blocks. There is a new ranking
//! when 2 % of the last one is used up. At most 8,192 samples are taken; their utility is scaled to 0 to 1, and a tenth of them validates.
//! There are at most 20 trees, fewer once the validation error changes by less than 1 % in three rounds. Other parameters of the trees are
//! the defaults of `XGBoost`, which the authors use.
//!
//! **What differs.**
//! - References know no time: ages are in accesses, and the model is trained after as many accesses as the cache holds blocks, not once a
//!   day. On the traces of `bench hit-ratio`, longer intervals are worse.
//! - Of six features, request rate and mean size are left out, as both are constant here.
//! - Small caches have segments of fewer blocks, so that there are [`RANK_PART`] of them: else one is more than 2 %.
//! - The simulator leaves the first half of a segment's returning blocks out of its utility, as merging keeps half. The formula has all
//!   blocks, and so has this; on those traces it is better.
//! - The simulator restarts distances and utility when a sampled segment is evicted. Here both count from sampling on, as its notes
//!   have it.
//! - The simulator has no removals. Here a block that is invalidated leaves its segment, and its next access does not count.
//! - The trees are of our own.

mod boosted_trees;
mod learner;

use std::collections::BTreeMap;

use learner::{Features, Learner};

use super::{Access, ReplacementPolicy};

/// Maximum size of segments, in blocks.
const SEGMENT_MAX: usize = 100;
/// A new ranking is made when one of so many segments is used up; the smallest number of segments of a cache with as many blocks.
const RANK_PART: usize = 50;
/// Accesses between trainings, in capacities of the cache.
const TRAIN_EVERY: u64 = 1;
/// Number of accesses from which the miss ratio is taken, and the first one: from the authors' simulator too.
const MISS_RATIO_OVER: u32 = 10_000;
const FIRST_MISS_RATIO: f64 = 0.5;

/// Number of no segment.
const NONE: u32 = u32::MAX;

/// GL-Cache.
pub struct GlCache {
    capacity: usize,
    segment_max: usize,
    len: usize,
    blocks: Vec<Block>,
    /// Segments by number, in the order of writing. The last one takes new blocks.
    segments: BTreeMap<u32, Segment>,
    /// Number of the next segment. Below 2^32: a trace has at most 2^29 accesses.
    next_segment: u32,
    /// Segment from which merging continues before the first training.
    merge_from: u32,
    /// Segments, the least useful last.
    ranked: Vec<u32>,
    /// Length of `ranked` at which a new ranking is made.
    rank_again_at: usize,
    learner: Learner,
    /// Number of accesses so far.
    now: u64,
    /// Access after which the model is trained; none before the first eviction.
    train_at: Option<u64>,
    misses: u32,
    miss_ratio: f64,
}

#[derive(Clone, Copy)]
struct Block {
    segment: u32,
    /// True if it was hit in its segment.
    is_hit: bool,
    used_at: u64,
}

struct Segment {
    blocks: Vec<u32>,
    created_at: u64,
    hits: u64,
    /// Number of blocks that were hit.
    blocks_hit: u64,
    miss_ratio: f64,
    /// True if it is as it was at the last ranking.
    is_ranked: bool,
}

impl Segment {
    fn new(blocks: Vec<u32>, created_at: u64, miss_ratio: f64) -> Self {
        Self { blocks, created_at, hits: 0, blocks_hit: 0, miss_ratio, is_ranked: false }
    }

    #[expect(clippy::cast_precision_loss, reason = "numbers of accesses stay below 2^52")]
    fn features(&self, now: u64) -> Features {
        [(now - self.created_at) as f64, self.hits as f64, self.blocks_hit as f64, self.miss_ratio]
    }
}

impl GlCache {
    /// Creates an empty cache of `capacity` blocks with numbers below `blocks`.
    pub fn new(capacity: usize, blocks: u32) -> Self {
        let segment_max = (capacity / RANK_PART).clamp(1, SEGMENT_MAX);
        Self {
            capacity,
            segment_max,
            len: 0,
            blocks: vec![Block { segment: NONE, is_hit: false, used_at: 0 }; blocks as usize],
            segments: BTreeMap::new(),
            next_segment: 0,
            merge_from: 0,
            ranked: Vec::new(),
            rank_again_at: 0,
            learner: Learner::new(blocks),
            now: 0,
            train_at: None,
            misses: 0,
            miss_ratio: FIRST_MISS_RATIO,
        }
    }

    fn hit(&mut self, block: u32) {
        let used = &mut self.blocks[block as usize];
        used.used_at = self.now;
        let segment = self.segments.get_mut(&used.segment).expect("cached blocks are in segments");
        segment.hits += 1;
        segment.blocks_hit += u64::from(!std::mem::replace(&mut used.is_hit, true));
    }

    fn insert(&mut self, block: u32) {
        let has_room = |(_, last): &(&u32, &mut Segment)| last.blocks.len() < self.segment_max;
        let segment = if let Some((number, last)) = self.segments.iter_mut().next_back().filter(has_room) {
            last.blocks.push(block);
            *number
        } else {
            if let Some(mut last) = self.segments.last_entry() {
                last.get_mut().miss_ratio = self.miss_ratio;
            }
            let number = self.next_segment;
            self.next_segment += 1;
            self.segments.insert(number, Segment::new(vec![block], self.now, self.miss_ratio));
            number
        };
        self.blocks[block as usize] = Block { segment, is_hit: false, used_at: self.now };
        self.len += 1;
    }

    /// Merges two segments, which evicts what does not fit one. With fewer than three segments the oldest leaves whole.
    fn evict(&mut self) {
        if self.train_at.is_none() {
            self.sample();
        }
        if self.segments.len() < 3 {
            if let Some((_, oldest)) = self.segments.pop_first() {
                self.drop_blocks(&oldest.blocks);
            }
            return;
        }
        let first = if self.learner.is_trained() { self.least_useful() } else { self.next_in_order() };
        self.merge(first);
    }

    fn remove(&mut self, block: u32) {
        let number = std::mem::replace(&mut self.blocks[block as usize].segment, NONE);
        self.len -= 1;
        let is_last = self.segments.last_key_value().is_some_and(|(last, _)| *last == number);
        let segment = self.segments.get_mut(&number).expect("cached blocks are in segments");
        segment.blocks.retain(|other| *other != block);
        // Without this, a cache that never becomes full would have ever more segments.
        if segment.blocks.is_empty() && !is_last {
            self.segments.remove(&number);
        }
    }

    fn drop_blocks(&mut self, blocks: &[u32]) {
        for block in blocks {
            self.blocks[*block as usize].segment = NONE;
        }
        self.len -= blocks.len();
    }

    /// Returns the segment written after one.
    fn after(&self, segment: u32) -> Option<u32> {
        self.segments.range(segment + 1..).next().map(|(number, _)| *number)
    }

    /// Returns true if a segment and the next one can be merged: the last one still takes new blocks.
    fn can_merge(&self, segment: u32) -> bool {
        self.after(segment).and_then(|next| self.after(next)).is_some()
    }

    /// Returns the segment at which merging in the order of writing continues.
    fn next_in_order(&self) -> u32 {
        let next = self.segments.range(self.merge_from..).next().map(|(number, _)| *number);
        next.filter(|next| self.can_merge(*next))
            .or_else(|| self.segments.keys().next().copied())
            .expect("there are segments")
    }

    /// Returns the least useful segment that can be merged, by the last ranking.
    fn least_useful(&mut self) -> u32 {
        loop {
            if self.ranked.len() <= self.rank_again_at {
                self.rank();
            }
            // A new ranking has more segments than those two that cannot be merged, so that this ends.
            while let Some(number) = self.ranked.pop() {
                let is_ranked = self.segments.get(&number).is_some_and(|segment| segment.is_ranked);
                if is_ranked && self.can_merge(number) {
                    return number;
                }
            }
        }
    }

    fn rank(&mut self) {
        let now = self.now;
        let mut ranked: Vec<(f64, u64, u32)> = Vec::with_capacity(self.segments.len());
        for (number, segment) in &mut self.segments {
            segment.is_ranked = true;
            let utility = self.learner.predict(&segment.features(now)).expect("it is trained");
            ranked.push((utility, segment.created_at, *number));
        }
        // Of equally useful ones the oldest is first.
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then((b.1, b.2).cmp(&(a.1, a.2))));
        self.rank_again_at = ranked.len() - ranked.len().div_ceil(RANK_PART);
        self.ranked = ranked.into_iter().map(|(_, _, number)| number).collect();
    }

    /// Replaces a segment and the next one by one that has the most recently used blocks of both.
    fn merge(&mut self, first: u32) {
        let second = self.after(first).expect("it can be merged");
        self.merge_from = second + 1;
        let pair = [first, second].map(|number| self.segments.remove(&number).expect("it is there"));
        let miss_ratio = f64::midpoint(pair[0].miss_ratio, pair[1].miss_ratio);
        let mut blocks = pair.map(|segment| segment.blocks).concat();
        blocks.sort_unstable_by_key(|block| std::cmp::Reverse(self.blocks[*block as usize].used_at));
        let evicted = blocks.split_off(self.segment_max.min(blocks.len()));
        self.drop_blocks(&evicted);
        for block in &blocks {
            let kept = &mut self.blocks[*block as usize];
            (kept.segment, kept.is_hit) = (first, false);
        }
        self.segments.insert(first, Segment::new(blocks, self.now, miss_ratio));
    }

    /// Samples all segments but the last one, which still takes new blocks.
    fn sample(&mut self) {
        let count = self.segments.len().saturating_sub(1);
        let now = self.now;
        let features = |segment: &'_ Segment| segment.features(now);
        let segments = self.segments.values().map(|segment| (features(segment), &segment.blocks[..]));
        self.learner.sample(now, count, segments);
        self.train_at = Some(now + TRAIN_EVERY * self.capacity as u64);
    }

    /// Counts an access, and trains when it is time.
    fn finish(&mut self, is_hit: bool) {
        self.misses += u32::from(!is_hit);
        if self.now.is_multiple_of(u64::from(MISS_RATIO_OVER)) {
            self.miss_ratio = f64::from(std::mem::take(&mut self.misses)) / f64::from(MISS_RATIO_OVER);
        }
        if self.train_at.is_some_and(|at| self.now >= at) {
            self.learner.train();
            self.sample();
        }
    }
}

impl ReplacementPolicy for GlCache {
    fn access(&mut self, block: u32) -> Access {
        self.now += 1;
        self.learner.record(self.now, block);
        let is_hit = self.holds(block);
        if is_hit {
            self.hit(block);
        } else {
            while self.len == self.capacity {
                self.evict();
            }
            self.insert(block);
        }
        self.finish(is_hit);
        if is_hit { Access::Hit } else { Access::Miss }
    }

    fn holds(&self, block: u32) -> bool {
        self.blocks[block as usize].segment != NONE
    }

    fn invalidate(&mut self, block: u32) {
        self.now += 1;
        self.learner.forget(block);
        let is_hit = self.holds(block);
        if is_hit {
            self.remove(block);
        }
        self.finish(is_hit);
    }

    fn len(&self) -> usize {
        self.len
    }
}

#[cfg(test)]
mod tests {
    use super::super::Reference;
    use super::*;

    /// Returns a number without a pattern for each number.
    fn scatter(number: u32) -> u32 {
        number.wrapping_mul(0x9e37_79b9).rotate_left(15).wrapping_mul(0x85eb_ca6b) >> 8
    }

    const HOT: u32 = 500;
    const ROUNDS: u32 = 400;
    const BLOCKS: u32 = HOT + ROUNDS * 50;

    /// Returns accesses to a hot set, and among them a scan of blocks that never return.
    fn hot_set_and_scan() -> Vec<u32> {
        let round = |round: u32| {
            let hot = (0..50).map(move |at| scatter(50 * round + at) % HOT);
            hot.chain((0..50).map(move |at| HOT + 50 * round + at))
        };
        (0..ROUNDS).flat_map(round).collect()
    }

    fn misses(policy: &mut dyn ReplacementPolicy, accesses: &[u32]) -> usize {
        accesses.iter().filter(|block| policy.access(**block) == Access::Miss).count()
    }

    #[test]
    fn segments_are_merged_in_order_before_training_and_the_most_recently_used_stay() {
        // Segments of one block.
        let mut cache = GlCache::new(4, 10);
        let mut evicted_by = |block| {
            let before: Vec<u32> = (0..10).filter(|block| cache.holds(*block)).collect();
            cache.access(block);
            before.into_iter().filter(|block| !cache.holds(*block)).collect::<Vec<u32>>()
        };
        for block in [0, 1, 2, 3, 0] {
            assert!(evicted_by(block).is_empty());
        }
        assert_eq!(evicted_by(4), [1], "0 was used after it");
        assert_eq!(evicted_by(5), [2], "the next two");
        assert_eq!(evicted_by(6), [3], "4 has only the last one behind it, so that 0 and 3 are merged");
    }

    #[test]
    fn a_scan_is_learned_to_be_useless() {
        let accesses = hot_set_and_scan();
        let (training, judged) = accesses.split_at(accesses.len() / 2);
        let missed = |policy: &mut dyn ReplacementPolicy| {
            misses(policy, training);
            misses(policy, judged)
        };
        let learned = missed(&mut GlCache::new(800, BLOCKS));
        let [lru, fifo] =
            [Reference::Lru, Reference::Fifo].map(|other| missed(&mut *other.make(800, BLOCKS, &[])));
        let mut untrained = GlCache::new(800, BLOCKS);
        untrained.train_at = Some(u64::MAX);
        let untrained = missed(&mut untrained);
        println!("{learned} {untrained} {lru} {fifo}");
        // Half of all accesses miss in any case: the scan.
        let avoidable = |missed: usize| missed - judged.len() / 2;
        assert!(avoidable(learned) * 3 < avoidable(lru) * 2, "{learned}, LRU {lru}");
        assert!(
            learned < untrained && lru < fifo,
            "{learned}, untrained {untrained}; LRU {lru}, FIFO {fifo}"
        );
    }

    #[test]
    fn the_same_accesses_have_the_same_results() {
        let accesses = hot_set_and_scan();
        let play = || {
            let mut cache = GlCache::new(800, BLOCKS);
            let answers: Vec<Access> = accesses.iter().map(|block| cache.access(*block)).collect();
            assert!(cache.learner.is_trained());
            answers
        };
        assert_eq!(play(), play());
    }

    #[test]
    fn segments_stay_few_where_blocks_are_invalidated_before_the_cache_is_full() {
        let mut cache = GlCache::new(1000, 5000);
        for block in 0..5000 {
            cache.access(block);
            cache.invalidate(block);
        }
        assert!(cache.is_empty() && cache.segments.len() <= 1, "{}", cache.segments.len());
    }
}
