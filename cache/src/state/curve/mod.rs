//! Miss ratio curves of a disk while it is served: which share of its reads a cache of any size would answer.
//!
//! ```text
//!   request ── sampled blocks (lattice)        ── how long ago each was used (stack) ── histogram (distances)
//!                                                                                              └── Prediction
//! ```
//! The method is SHARDS with samples of a fixed number and its correction of counts (Waldspurger, Park, Garthwaite and Ahmad,
//! "Efficient MRC Construction with SHARDS", FAST 2015, sections 3.3 and 4): of blocks chosen by a hash of their number, the
//! distances between uses are counted, and each stands for as many as the share that was chosen says. Every use is counted
//! as well, so that the share that sampling left out is known; it counts as a hit of any size, as a block that is used that often does.
//!
//! The curve predicts an LRU cache that every used block enters. The serving cache is somewhat better or worse. For writes it predicts the
//! share that hits a page that was written before and is among the pages written last: writes that write-back saves if so much may be
//! dirty. Larger blocks are observed as if each were cached whole as soon as a part of it is used.
//!
//! The curve follows a workload that changes: with each turn, an hour in which something was used, earlier counts lose weight, half after
//! twelve hours. A request costs one hash and a few comparisons, and some hundred instructions more if one of its blocks is sampled; if
//! that happens too often, fewer blocks are sampled. Reads no clock, draws no random numbers.

mod distances;
mod lattice;
mod prediction;
mod saved;
mod stack;
mod timeline;

use std::fmt;

use block::{ByteRange, PAGE};

use crate::types::limits::REQUEST_BYTES_MAX;
use crate::types::units::SECOND_NS;
use distances::Distances;
use lattice::{ALL, STRETCH_PAGES, Stretch};
pub use prediction::{Curves, Prediction};
pub use stack::Use;
use stack::{ReuseDistance, Stack, Writes};

/// Samples of pages; the curves of the disk are computed from them.
const PAGE_SAMPLES: u16 = 8192;
/// Samples of blocks of each larger size: to compare sizes, less is enough.
const BLOCK_SAMPLES: u16 = 1024;
/// Inverse of the largest share of blocks of each larger size that is sampled: of a small disk all would be sampled at once, of each size,
/// and each costs time.
const BLOCK_SHARE: u64 = 8;

/// Block sizes that are sampled, as powers of two in pages: 4, 16, 64 and 256 KiB, and 1 MiB.
const PAGE_BITS: [u32; 5] = [0, 2, 4, 6, 8];

/// The shortest time between turns, in nanoseconds: an hour.
const TURN_NS: u64 = 3_600_000_000_000;
/// Factor for earlier counts at each turn: the twelfth root of a half.
const FADING: f64 = 0.943_874_312_681_693_6;

/// Uses of samples a second above which fewer blocks are sampled, of each size for itself: a size with too few blocks to reduce must not
/// take samples from another. Each takes some 350 ns where the processor's caches have to be shared with the data of hits: less than one
/// percent of a core together.
const USES_PER_SECOND_MAX: [u32; PAGE_BITS.len()] = [10_000, 2_500, 2_500, 2_500, 2_500];
/// Samples that are left even then. A disk that uses no more blocks than that is not worth a cache on flash.
const SAMPLES_MIN: u16 = 256;
/// Uses a second that are followed at most of a disk that uses so few blocks that all are sampled, and the share cannot be reduced: the
/// rest counts as hits of any size, as everything that sampling leaves out.
const FOLLOWED_PER_SECOND_MAX: u32 = 40_000;

/// The curves of one disk. Takes less than a megabyte, most of it only when a disk has used much.
#[derive(Clone)]
pub struct Curve {
    stacks: [Stack; PAGE_BITS.len()],
    /// The bound of each stack, close together: most requests need nothing else.
    bounds: [u64; PAGE_BITS.len()],
    /// Reads, by the size of blocks. Each request counts for one, of any length.
    reads: [Distances; PAGE_BITS.len()],
    /// Pages that are read or written.
    accesses: Distances,
    /// Pages that are written.
    writes: Distances,
    /// Reads of data that was written since it was read: weighed as `reads` are, so requests.
    reads_of_written: f64,
    counted: AccessTotals,
    turn_began: Option<u64>,
    second: u64,
    /// Of each stack.
    uses_in_second: [u32; PAGE_BITS.len()],
}

/// Totals of all blocks, sampled or not. They fade as the rest does.
#[derive(Clone, Copy, Debug, Default)]
struct AccessTotals {
    /// Requests.
    reads: Count,
    /// Pages.
    accesses: Count,
    /// Pages.
    writes: Count,
}

/// Count since the last fading, and the faded sum of all before.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    new: u64,
    faded: f64,
}

impl Count {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52 in an hour")]
    fn all(self) -> f64 {
        self.faded + self.new as f64
    }

    fn fade(&mut self, part: f64) {
        *self = Self { new: 0, faded: self.all() * part };
    }
}

impl Curve {
    /// Creates an empty curve.
    #[expect(clippy::new_without_default, reason = "half a megabyte is nothing to be made in passing")]
    pub fn new() -> Self {
        let stacks = PAGE_BITS.map(|page_bits| match page_bits {
            0 => Stack::new(0, PAGE_SAMPLES, ALL, Writes::Apart),
            _ => Stack::new(page_bits, BLOCK_SAMPLES, ALL / BLOCK_SHARE, Writes::AsUses),
        });
        Self {
            bounds: stacks.each_ref().map(Stack::bound),
            stacks,
            reads: PAGE_BITS.map(|_| Distances::new()),
            accesses: Distances::new(),
            writes: Distances::new(),
            reads_of_written: 0.0,
            counted: AccessTotals::default(),
            turn_began: None,
            second: 0,
            uses_in_second: Default::default(),
        }
    }

    /// Observes a request for `range`, which is not empty, at `now` in nanoseconds. Of one longer than 64 MiB, its beginning counts.
    pub fn observe(&mut self, range: &ByteRange, usage: Use, now: u64) {
        let end = range.end.min(range.start.saturating_add(REQUEST_BYTES_MAX));
        let (first, last) = (range.start / PAGE, (end - 1) / PAGE);
        let pages = last - first + 1;
        self.counted.accesses.new += pages;
        match usage {
            Use::Read => self.counted.reads.new += 1,
            Use::Write => self.counted.writes.new += pages,
        }
        let request = Request { first, last, usage, now };
        let mut from = first;
        while from <= last {
            let upto = last.min(from | (STRETCH_PAGES - 1));
            self.look(&request, from, upto);
            from = upto + 1;
        }
    }

    /// Counts a read that bypasses the cache, whatever its size: a miss of every size, and nothing enters.
    pub fn pass_by(&mut self) {
        self.counted.reads.new += 1;
        self.reads.iter_mut().for_each(|distances| distances.count(None, 1.0));
    }

    /// Observes the pages `from` to `upto` of a request, which are in one stretch.
    fn look(&mut self, request: &Request, from: u64, upto: u64) {
        let stretch = Stretch::of_page(from);
        if from == upto {
            // Most often none of it is sampled, which this finds out early.
            let values = PAGE_BITS.map(|page_bits| stretch.value(from >> page_bits));
            for level in 0..PAGE_BITS.len() {
                if values[level] < self.bounds[level] {
                    self.note(request, level, from >> PAGE_BITS[level]);
                }
            }
            return;
        }
        for (level, page_bits) in PAGE_BITS.into_iter().enumerate() {
            let (first, end) = (from >> page_bits, (upto >> page_bits) + 1);
            let mut values = stretch.values(first);
            for number in first..end {
                if values.next() < self.bounds[level] {
                    self.note(request, level, number);
                }
            }
        }
    }

    /// Records the use of a sampled block.
    #[cold]
    #[inline(never)]
    fn note(&mut self, request: &Request, level: usize, number: u64) {
        self.pass(request.now);
        self.count_use(level);
        let all_are_looked_at = self.stacks[0].weight() <= 1.0;
        if all_are_looked_at && self.uses_in_second.iter().sum::<u32>() > FOLLOWED_PER_SECOND_MAX {
            return;
        }
        let stack = &mut self.stacks[level];
        let seen = stack.note(number, request.usage);
        self.bounds[level] = stack.bound();
        let Some(ReuseDistance { since_use, since_write, was_written, weight }) = seen else { return };
        if request.usage == Use::Read {
            let part = weight / request.blocks(PAGE_BITS[level]);
            self.reads[level].count(since_use, part);
            if level == 0 && was_written {
                self.reads_of_written += part;
            }
        }
        if level == 0 {
            self.accesses.count(since_use, weight);
            if request.usage == Use::Write {
                self.writes.count(since_write, weight);
            }
        }
    }

    /// Counts a use of a sample, and reduces the share of sampled blocks of that size if there are too many.
    fn count_use(&mut self, level: usize) {
        let (uses, most) = (&mut self.uses_in_second[level], USES_PER_SECOND_MAX[level]);
        *uses += 1;
        let over = uses.checked_sub(most);
        let stack = &mut self.stacks[level];
        if over.is_some_and(|over| over.is_multiple_of(most / 16)) && stack.samples() > SAMPLES_MIN {
            stack.thin();
            self.bounds[level] = stack.bound();
        }
    }

    /// Fades earlier counts as time passes.
    fn pass(&mut self, now: u64) {
        // Another shard may have another clock.
        let began = self.turn_began.filter(|began| *began <= now).unwrap_or(now);
        self.turn_began = Some(began);
        if now - began >= TURN_NS {
            self.turn_began = Some(now);
            self.turn();
        }
        if now / SECOND_NS != self.second {
            self.second = now / SECOND_NS;
            self.uses_in_second = Default::default();
        }
    }

    fn turn(&mut self) {
        self.stacks.iter_mut().for_each(Stack::turn);
        self.bounds = self.stacks.each_ref().map(Stack::bound);
        let AccessTotals { reads, accesses, writes } = &mut self.counted;
        for counted in [reads, accesses, writes] {
            counted.fade(FADING);
        }
        let all = self.reads.iter_mut().chain([&mut self.accesses, &mut self.writes]);
        all.for_each(|distances| distances.fade(FADING));
        self.reads_of_written *= FADING;
    }

    /// Returns the current curves.
    pub fn curves(&self) -> Curves {
        let AccessTotals { reads, accesses, writes } = self.counted;
        let pages = &self.stacks[0];
        let of_blocks = |(distances, bits): (&Distances, u32)| {
            let block_bytes = PAGE << bits;
            (block_bytes, Prediction::of(distances, block_bytes, reads.all()))
        };
        Curves {
            reads: Prediction::of(&self.reads[0], PAGE, reads.all()),
            accesses: Prediction::of(&self.accesses, PAGE, accesses.all()),
            writes: Prediction::of(&self.writes, PAGE, writes.all()),
            blocks: self.reads.iter().zip(PAGE_BITS).map(of_blocks).collect(),
            reads_of_written: (reads.all() > 0.0).then(|| (self.reads_of_written / reads.all()).min(1.0)),
            working_set_bytes: prediction::whole(f64::from(pages.samples()) * pages.weight()) * PAGE,
            samples: pages.samples(),
            sampled_share: pages.weight().recip(),
        }
    }

    /// Returns the share of reads that caches of these sizes in bytes would answer; none without reads. Much cheaper than [`Self::curves`]:
    /// a few microseconds.
    pub fn hit_ratios<const SIZES: usize>(&self, sizes: [u64; SIZES]) -> [Option<f64>; SIZES] {
        sizes.map(|size| prediction::hit_ratio(&self.reads[0], PAGE, self.counted.reads.all(), size))
    }

    /// Returns the bytes of RAM taken.
    pub fn bytes(&self) -> u64 {
        let stacks: usize = self.stacks.iter().map(Stack::bytes).sum();
        let distances = self.reads.iter().chain([&self.accesses, &self.writes]);
        (size_of::<Self>() + stacks + distances.map(Distances::bytes).sum::<usize>()) as u64
    }
}

/// A request with sampled blocks.
struct Request {
    /// Its pages.
    first: u64,
    last: u64,
    usage: Use,
    now: u64,
}

impl Request {
    /// Returns the number of blocks that it has something of.
    #[expect(clippy::cast_precision_loss, reason = "a request has at most 16,385 pages")]
    fn blocks(&self, page_bits: u32) -> f64 {
        ((self.last >> page_bits) - (self.first >> page_bits) + 1) as f64
    }
}

impl fmt::Debug for Curve {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Curve of {:.0} pages", self.counted.accesses.all())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(pages: impl Iterator<Item = (u64, Use)>) -> Curve {
        let mut curve = Curve::new();
        for (at, (page, usage)) in pages.enumerate() {
            curve.observe(&ByteRange::at(page * PAGE, PAGE), usage, at as u64 * 100_000);
        }
        curve
    }

    #[test]
    fn a_size_alone_says_what_the_curve_says_there() {
        let skewed = (0..100_000_u64).map(|at| (crate::state::hash::hash(at) % (1 + at % 20_000), Use::Read));
        let curve = used(skewed);
        let curves = curve.curves();
        for pages in [0, 1, 2, 100, 1_000, 5_000, 10_000, 19_000, 1 << 40] {
            let [alone] = curve.hit_ratios([pages * PAGE]);
            let (alone, there) =
                (alone.expect("reads"), curves.reads.hit_ratio(pages * PAGE).expect("reads"));
            assert!((alone - there).abs() < 1e-3, "{pages} pages: {alone} {there}");
        }
        assert_eq!(used([(1, Use::Write)].into_iter()).hit_ratios([PAGE]), [None]);
    }

    #[test]
    fn hits_need_a_cache_that_holds_what_came_between() {
        // Pages 0, 1 and 2 in turn: two others lie between uses of one, so three pages are needed.
        let curves = used((0..3_000).map(|at| (at % 3, Use::Read))).curves();
        let at = |pages: u64| curves.reads.hit_ratio(pages * PAGE).expect("reads");
        assert!(at(2) < 0.001 && at(3) > 0.998, "{} {}", at(2), at(3));
        assert!((curves.reads.miss_ratio(3 * PAGE).expect("reads") - 0.001).abs() < 1e-9);
        assert_eq!(curves.reads.useful_bytes(), 3 * PAGE);
        assert_eq!((curves.working_set_bytes, curves.samples), (3 * PAGE, 3));
    }

    #[test]
    fn what_goes_past_the_cache_is_a_miss_of_every_size_and_nothing_enters() {
        let mut curve = used((0..300).map(|at| (at % 3, Use::Read)));
        (0..300).for_each(|_| curve.pass_by());
        let curves = curve.curves();
        for (_, reads) in &curves.blocks {
            assert!(reads.hit_ratio_max().expect("reads") < 0.51, "{reads:?}");
        }
        assert!((curves.reads.hit_ratio(1 << 40).expect("reads") - 297.0 / 600.0).abs() < 1e-9);
        assert_eq!(curves.working_set_bytes, 3 * PAGE);
    }

    #[test]
    fn reads_of_what_was_written_since_it_was_read_are_counted_once() {
        let round = |at: u64| match at % 4 {
            // Written, read, read again, and another page that is only read.
            0 => (0, Use::Write),
            1 | 2 => (0, Use::Read),
            _ => (1, Use::Read),
        };
        let share = used((0..4_000).map(round)).curves().reads_of_written.expect("reads");
        assert!((share - 1.0 / 3.0).abs() < 1e-3, "{share}");
        assert_eq!(used([(1, Use::Write)].into_iter()).curves().reads_of_written, None);
        let never = used([(1, Use::Read), (1, Use::Write), (1, Use::Write)].into_iter());
        assert_eq!(never.curves().reads_of_written, Some(0.0));
    }

    #[test]
    fn a_few_blocks_that_are_used_very_often_are_not_followed_all_the_time() {
        let mut curve = Curve::new();
        let uses = 4 * FOLLOWED_PER_SECOND_MAX;
        for at in 0..uses {
            curve.observe(&ByteRange::at(u64::from(at % 3) * PAGE, PAGE), Use::Read, u64::from(at));
        }
        let followed = curve.reads[0].classes().0.map(|(_, _, weight)| weight).sum::<f64>();
        assert!(followed < f64::from(uses) / 2.0, "{followed} of {uses} were followed");
        let reads = curve.curves().reads;
        assert!(reads.hit_ratio(3 * PAGE).expect("reads") > 0.999, "{reads:?}");
    }

    #[test]
    fn larger_blocks_that_are_too_few_to_be_thinned_take_no_samples_of_pages_away() {
        // 1 GiB in use at 100,000 reads a second for ten seconds: one page in 32 is followed, and one in eight of its blocks of 1 MiB.
        let mut curve = Curve::new();
        for at in 0..1_000_000_u64 {
            let page = crate::state::hash::hash(at) % (1 << 18);
            curve.observe(&ByteRange::at(page * PAGE, PAGE), Use::Read, at * 10_000);
        }
        let samples = curve.curves().samples;
        assert!(samples > PAGE_SAMPLES / 8 * 7, "{samples} samples of pages");
        let uses: Vec<_> = curve.uses_in_second.iter().zip(USES_PER_SECOND_MAX).collect();
        assert!(uses[..3].iter().all(|(uses, most)| **uses < most * 5 / 4), "{uses:?}");
    }

    #[test]
    fn a_request_counts_once_and_larger_blocks_fetch_what_lies_beside() {
        let mut curve = Curve::new();
        for start in (0..3_000).map(|extent| extent * 16) {
            // 64 KiB, page by page: of blocks of 64 KiB, only the first one is a miss.
            (0..16).for_each(|page| curve.observe(&ByteRange::at((start + page) * PAGE, PAGE), Use::Read, 0));
            // And all of it in one.
            curve.observe(&ByteRange::at(start * PAGE, 16 * PAGE), Use::Read, 0);
        }
        let curves = curve.curves();
        let of = |bytes: u64| {
            let (_, prediction) =
                curves.blocks.iter().find(|(block, _)| *block == bytes).expect("it is there");
            prediction.hit_ratio(1 << 20).expect("reads")
        };
        assert!((of(4 << 10) - 1.0 / 17.0).abs() < 0.01, "{}", of(4 << 10));
        assert!((of(16 << 10) - 13.0 / 17.0).abs() < 0.01, "{}", of(16 << 10));
        assert!((of(64 << 10) - 16.0 / 17.0).abs() < 0.01, "{}", of(64 << 10));
        assert_eq!(curves.blocks.len(), PAGE_BITS.len());
    }
}
