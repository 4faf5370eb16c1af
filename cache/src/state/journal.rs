//! Journal of a disk in consistent write-back: which part of what is dirty a group of its redo ring has.
//!
//! ```text
//! a write ──> fresh ── a group begins ──> writing ── it counts ──> journaled, in that group ── destaged ──> clean
//!               ^                            │
//!               └──────── it failed ─────────┘
//! ```
//! What is dirty and neither fresh nor being written is journaled: a group that counts has its newest version, and destage may bring that
//! to the backing. A group is needed until each of its pages is clean or in a later group that counts. Pure.

use std::collections::VecDeque;
use std::ops::Range;

use super::dirty::Dirty;
use super::ranges::Ranges;

/// The journal of one disk.
#[derive(Default)]
pub(crate) struct Journal {
    fresh: Dirty,
    /// As of the moment at which the group began.
    writing: Option<Dirty>,
    /// Groups that count, by number, each with the pages for which it is needed.
    groups: VecDeque<(u64, Dirty)>,
}

impl Journal {
    /// Begins a journal in which everything that is dirty is fresh.
    pub(crate) fn of(dirty: &Dirty) -> Self {
        Self { fresh: dirty.clone(), ..Self::default() }
    }

    /// Returns what no group has.
    pub(crate) fn fresh(&self) -> &Dirty {
        &self.fresh
    }

    /// Returns what is fresh, to record a change: the same that is recorded of what is dirty.
    pub(crate) fn fresh_mut(&mut self) -> &mut Dirty {
        &mut self.fresh
    }

    /// Returns what the group on its way has.
    pub(crate) fn writing(&self) -> Option<&Dirty> {
        self.writing.as_ref()
    }

    /// Begins a group with everything that is fresh.
    ///
    /// # Panics
    /// If one is on its way.
    pub(crate) fn begin_group(&mut self) {
        assert!(self.writing.is_none(), "one group at a time");
        self.writing = Some(std::mem::take(&mut self.fresh));
    }

    /// Ends the group on its way, which counts from now on.
    pub(crate) fn complete_group(&mut self, number: u64) {
        let Some(group) = self.writing.take() else { return };
        for (_, earlier) in &mut self.groups {
            earlier.remove_all(&group);
        }
        self.groups.push_back((number, group));
        self.drop_needless();
    }

    /// Ends the group on its way, which does not count: what was not changed since is fresh again.
    pub(crate) fn abandon_group(&mut self) {
        if let Some(group) = self.writing.take() {
            self.fresh.add_missing(&group);
        }
    }

    /// Records that no group is needed any more: the backing durably has what they had. What is not fresh stays journaled.
    pub(crate) fn end_groups(&mut self) {
        self.groups.clear();
    }

    /// Records that the backing durably has these pages.
    pub(crate) fn mark_destaged(&mut self, pages: &Range<u64>) {
        for (_, group) in &mut self.groups {
            group.remove(pages);
        }
        self.drop_needless();
    }

    /// Returns those of these dirty pages that a group has.
    pub(crate) fn journaled(&self, pages: Range<u64>) -> Ranges {
        let mut journaled = Ranges::default();
        journaled.insert(pages.clone());
        for missing in [Some(&self.fresh), self.writing.as_ref()].into_iter().flatten() {
            missing.all_ranges(&pages).for_each(|range| journaled.remove(&range));
        }
        journaled
    }

    /// Returns the first group that is needed.
    pub(crate) fn first_needed(&self) -> Option<u64> {
        self.groups.front().map(|(number, _)| *number)
    }

    /// Returns the last group that counts, if it is needed.
    pub(crate) fn last(&self) -> Option<u64> {
        self.groups.back().map(|(number, _)| *number)
    }

    /// Returns a page for which the first group is needed.
    pub(crate) fn first_page(&self) -> Option<u64> {
        let (_, group) = self.groups.front()?;
        group.all_ranges(&(0..u64::MAX)).next().map(|range| range.start)
    }

    /// Returns the bytes of RAM taken, about.
    pub(crate) fn bytes(&self) -> u64 {
        let groups = self.groups.iter().map(|(_, group)| group.bytes()).sum::<u64>();
        groups + self.fresh.bytes() + self.writing.as_ref().map_or(0, Dirty::bytes)
    }

    fn drop_needless(&mut self) {
        while self.groups.front().is_some_and(|(_, group)| group.is_empty()) {
            self.groups.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use block::Unmap;

    use super::*;

    fn ranges(journal: &Journal, pages: Range<u64>) -> Vec<Range<u64>> {
        journal.journaled(pages).iter().collect()
    }

    #[test]
    fn what_a_group_has_is_journaled_until_it_is_written_again() {
        let mut journal = Journal::default();
        journal.fresh_mut().add_page(1);
        journal.fresh_mut().add_page(2);
        journal.fresh_mut().add_zeroes(5..9, Unmap::Allowed);
        assert_eq!(ranges(&journal, 0..9), [0..1, 3..5]);
        journal.begin_group();
        journal.fresh_mut().add_page(2);
        assert_eq!(ranges(&journal, 0..9), [0..1, 3..5], "the group does not count yet");
        journal.complete_group(4);
        assert_eq!(ranges(&journal, 0..9), [0..2, 3..9]);
        assert_eq!(journal.first_needed(), Some(4));
        journal.mark_destaged(&(0..2));
        journal.mark_destaged(&(5..9));
        assert_eq!(
            (journal.first_needed(), journal.first_page()),
            (Some(4), Some(2)),
            "its newest version is fresh"
        );
        journal.begin_group();
        journal.complete_group(6);
        assert_eq!(journal.first_needed(), Some(6), "the later group has it");
        journal.mark_destaged(&(2..3));
        assert_eq!((journal.first_needed(), journal.first_page()), (None, None));
    }

    /// Makes pages dirty in groups of so many, and returns the bytes of the journal per page, in hundredths.
    fn hundredths_per_page(pages: impl Iterator<Item = u64>, of_group: usize) -> u64 {
        let mut journal = Journal::default();
        let mut number = 0;
        for (at, page) in pages.enumerate() {
            journal.fresh_mut().add_page(page);
            if at % of_group == of_group - 1 {
                number += 1;
                journal.begin_group();
                journal.complete_group(number);
            }
        }
        let known =
            journal.fresh().pages() + journal.groups.iter().map(|(_, group)| group.pages()).sum::<u64>();
        journal.bytes() * 100 / known
    }

    #[test]
    fn it_takes_a_third_of_a_byte_for_a_page_among_neighbours_and_22_for_one_that_is_alone() {
        const PAGES: u64 = 1 << 16;
        let scattered = |distance: u64| (0..PAGES).map(move |at| at * 40_503 % PAGES * distance);
        assert_eq!(hundredths_per_page(0..PAGES, 4096), 34);
        // Of sixty-four neighbours, each of sixteen groups has about four.
        assert_eq!(hundredths_per_page(scattered(1), 4096) / 100, 5);
        assert_eq!(hundredths_per_page(scattered(64), 4096), 2200);
    }

    #[test]
    fn a_replay_leaves_everything_journaled_that_is_not_fresh() {
        let mut journal = Journal::default();
        (1..4).for_each(|page| journal.fresh_mut().add_page(page));
        journal.begin_group();
        journal.complete_group(1);
        journal.fresh_mut().add_page(2);
        journal.end_groups();
        assert_eq!((journal.first_needed(), ranges(&journal, 1..4)), (None, vec![1..2, 3..4]));
    }

    #[test]
    fn what_a_failed_group_had_is_fresh_again_unless_it_changed_since() {
        let mut journal = Journal::default();
        journal.fresh_mut().add_page(1);
        journal.fresh_mut().add_zeroes(3..6, Unmap::Allowed);
        journal.fresh_mut().add_zeroes(6..8, Unmap::Forbidden);
        journal.fresh_mut().add_lost(9..10);
        journal.begin_group();
        journal.fresh_mut().add_zeroes(1..2, Unmap::Forbidden);
        journal.fresh_mut().add_page(4);
        journal.abandon_group();
        let fresh = journal.fresh();
        assert!(fresh.has_page(4) && !fresh.has_page(1) && fresh.is_zeroes(1) && fresh.is_lost(9));
        let zeroes: Vec<_> = fresh.zeroes_within(0..20).collect();
        let (freed, kept) = (Unmap::Allowed, Unmap::Forbidden);
        assert_eq!(zeroes, [(1..2, kept), (3..4, freed), (5..6, freed), (6..8, kept)]);
        assert!(journal.writing().is_none());
    }
}
