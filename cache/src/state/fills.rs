//! Decides which fills may enter (rule I3).
//!
//! A *fill* is content that was read from the backing and is on its way into the cache. A *mutation* is a write,
//! discard or write-zeroes in flight. A fill may enter only if no mutation of its range was in flight at any moment
//! from before its backing read began until it enters; otherwise its content may be older than the present one of the
//! backing. Ranges whose mutation failed are *distrusted*: the backing may hold old, new or a mix, and may change once
//! more when a late request lands, so they never enter the cache again while the disk is attached.

use block::{ByteRange, PAGE};

use crate::types::canary::{self, Bug};
use crate::types::limits::DISTRUSTED_RANGES_MAX;

#[derive(Default)]
pub(crate) struct Fills {
    next: u64,
    /// Fills between the start of their backing read and their entry.
    under_way: Vec<Fill>,
    /// Mutations in flight. Short, like `under_way`: bounded by the requests in flight on one disk.
    mutations: Vec<(u64, ByteRange)>,
    distrusted: DistrustedRanges,
}

struct Fill {
    number: u64,
    range: ByteRange,
    poisoned: bool,
}

#[derive(Default)]
struct DistrustedRanges {
    ranges: Vec<ByteRange>,
    /// Set when there were too many to remember.
    everything: bool,
}

/// A fill under way.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FillNumber(u64);

/// A mutation in flight.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MutationNumber(u64);

impl Fills {
    /// Begins a fill. Call before the backing read starts.
    pub(crate) fn begin_fill(&mut self, range: &ByteRange) -> FillNumber {
        let range = range.widened(PAGE);
        let poisoned = self.is_mutating(&range) || self.distrusts(&range);
        let number = self.number();
        self.under_way.push(Fill { number, range, poisoned });
        FillNumber(number)
    }

    /// Ends a fill. Call when the data is about to enter, with nothing awaited in between. Returns true if it may.
    pub(crate) fn finish_fill(&mut self, fill: &FillNumber) -> bool {
        let position = self.under_way.iter().position(|other| other.number == fill.0);
        let position = position.expect("a fill is finished once, by whoever began it");
        let poisoned = self.under_way.swap_remove(position).poisoned;
        !poisoned || canary::has(Bug::StaleFill)
    }

    /// Returns true if a mutation of the range is in flight.
    pub(crate) fn is_mutating(&self, range: &ByteRange) -> bool {
        let range = range.widened(PAGE);
        self.mutations.iter().any(|(_, mutation)| mutation.overlaps(&range))
    }

    /// Begins a mutation. Call before it is sent to the backing.
    pub(crate) fn begin_mutation(&mut self, range: &ByteRange) -> MutationNumber {
        let range = range.widened(PAGE);
        for fill in &mut self.under_way {
            fill.poisoned |= fill.range.overlaps(&range);
        }
        let number = self.number();
        self.mutations.push((number, range));
        MutationNumber(number)
    }

    /// Ends a mutation. Call when the outcome is known, and only if the mutation took effect as a whole.
    pub(crate) fn finish_mutation(&mut self, mutation: &MutationNumber) {
        self.take_mutation(mutation);
    }

    /// Ends a mutation that failed, or whose outcome will never be known.
    pub(crate) fn distrust_mutation(&mut self, mutation: &MutationNumber) {
        let range = self.take_mutation(mutation);
        self.distrusted.add(range);
    }

    /// Poisons every fill under way: for when the cache forgets everything.
    pub(crate) fn poison_all(&mut self) {
        for fill in &mut self.under_way {
            fill.poisoned = true;
        }
    }

    /// Returns true if the range must not enter the cache.
    pub(crate) fn distrusts(&self, range: &ByteRange) -> bool {
        let range = range.widened(PAGE);
        self.distrusted.everything
            || self.distrusted.ranges.iter().any(|distrusted| distrusted.overlaps(&range))
    }

    /// Returns true if any range must not enter the cache.
    pub(crate) fn distrusts_anything(&self) -> bool {
        self.distrusted.everything || !self.distrusted.ranges.is_empty()
    }

    fn take_mutation(&mut self, mutation: &MutationNumber) -> ByteRange {
        let position = self.mutations.iter().position(|(number, _)| *number == mutation.0);
        let position = position.expect("a mutation is finished once, by whoever began it");
        self.mutations.swap_remove(position).1
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

impl DistrustedRanges {
    fn add(&mut self, range: ByteRange) {
        if self.ranges.iter().any(|known| known.contains(&range)) {
            return;
        }
        self.ranges.retain(|known| !range.contains(known));
        if self.ranges.len() < DISTRUSTED_RANGES_MAX {
            self.ranges.push(range);
        } else {
            self.everything = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u64, end: u64) -> ByteRange {
        ByteRange::new(start * PAGE, end * PAGE)
    }

    #[test]
    fn a_fill_that_no_mutation_met_may_enter() {
        let mut fills = Fills::default();
        let before = fills.begin_mutation(&range(0, 4));
        fills.finish_mutation(&before);
        let fill = fills.begin_fill(&range(0, 4));
        let elsewhere = fills.begin_mutation(&range(4, 8));
        assert!(fills.finish_fill(&fill));
        fills.finish_mutation(&elsewhere);
    }

    #[test]
    fn a_fill_that_met_a_mutation_at_any_moment_may_not_enter() {
        let mut fills = Fills::default();
        let running = fills.begin_mutation(&range(2, 3));
        let during = fills.begin_fill(&range(0, 4));
        fills.finish_mutation(&running);
        assert!(!fills.finish_fill(&during), "in flight when the fill began");
        let before = fills.begin_fill(&range(0, 4));
        let short = fills.begin_mutation(&ByteRange::new(512, 1024));
        fills.finish_mutation(&short);
        assert!(!fills.finish_fill(&before), "began and ended while the fill ran, on a part of a page");
    }

    #[test]
    fn what_a_failed_mutation_touched_never_enters_again() {
        let mut fills = Fills::default();
        let failed = fills.begin_mutation(&ByteRange::new(100, 200));
        fills.distrust_mutation(&failed);
        let fill = fills.begin_fill(&range(0, 1));
        assert!(!fills.finish_fill(&fill));
        assert!(fills.distrusts(&ByteRange::new(4000, 4096)));
        assert!(!fills.distrusts(&range(1, 2)));
    }

    #[test]
    fn too_many_failures_make_the_whole_disk_distrusted() {
        let mut fills = Fills::default();
        for page in 0..=DISTRUSTED_RANGES_MAX as u64 {
            let failed = fills.begin_mutation(&range(page * 2, page * 2 + 1));
            fills.distrust_mutation(&failed);
        }
        assert!(fills.distrusts(&range(1_000_000, 1_000_001)));
    }
}
