//! Range tombstones of a segment, and which of them are appended again before it is reclaimed.

use std::ops::Range;

use block::Unmap;

use super::disk_cache::DiskCache;
use crate::format::batch::EntryKind;
use crate::format::summary::Content;
use crate::state::ranges::Ranges;
use crate::storage::log::{Appender, Batch};
use crate::types::canary::{self, Bug};
use crate::types::env::Env;

/// The ranges of a victim that are not yet appended again. Kept by place, not by count: later writes of guests take
/// pages out of the ranges.
pub(super) struct RangeTombstones {
    zeroes: Ranges,
    lost: Ranges,
}

impl RangeTombstones {
    /// Returns true if no range is left to append.
    pub(super) fn is_empty(&self) -> bool {
        self.zeroes.is_empty() && self.lost.is_empty()
    }

    /// Returns the number of zero ranges that are not yet appended again.
    pub(super) fn zeroes_left(&self) -> usize {
        self.zeroes.iter().count()
    }

    /// Returns the ranges of a segment, from its summary; all pages, without one.
    pub(super) fn from_content(content: Option<&Content>) -> Self {
        let said = |kind: EntryKind| {
            let mut ranges = Ranges::default();
            match content {
                None => ranges.insert(0..u64::MAX),
                Some(content) => content
                    .runs
                    .iter()
                    .filter(|run| run.kind == kind)
                    .for_each(|run| ranges.insert(run.page.0..run.page.0 + run.pages as u64)),
            }
            ranges
        };
        Self { zeroes: said(EntryKind::Zeroes), lost: said(EntryKind::Lost) }
    }

    /// Returns at most `most` log entries for the ranges that still hold.
    pub(super) fn entries<E: Env>(&self, cache: &DiskCache<E>, most: usize) -> Vec<RangeTombstone> {
        if canary::has(Bug::TombstoneDropped) {
            return Vec::new();
        }
        cache.catalog.with_dirty(|dirty| {
            let zeroes = self.zeroes.iter().flat_map(|range| dirty.zeroes_within(range));
            let zeroes = zeroes
                .flat_map(|(range, unmap)| cut(range).map(move |part| RangeTombstone::Zeroes(part, unmap)));
            let lost = self.lost.iter().flat_map(|range| dirty.lost().within(range));
            let lost = lost.flat_map(|range| cut(range).map(RangeTombstone::Lost));
            zeroes.chain(lost).take(most).collect()
        })
    }

    /// Records that entries were appended again.
    pub(super) fn note(&mut self, entries: &[RangeTombstone]) {
        for tombstone in entries {
            match tombstone {
                RangeTombstone::Zeroes(pages, _) => self.zeroes.remove(pages),
                RangeTombstone::Lost(pages) => self.lost.remove(pages),
            }
        }
    }
}

/// One log entry that is appended again for a range.
pub(super) enum RangeTombstone {
    /// Zeroes, and whether their storage may be given back.
    Zeroes(Range<u64>, Unmap),
    /// Lost pages: damaged while they were dirty.
    Lost(Range<u64>),
}

impl RangeTombstone {
    /// Adds the entry to a batch.
    pub(super) fn add_to<E: Env>(&self, appender: &Appender<'_, E>, batch: &mut Batch) {
        match self {
            Self::Zeroes(pages, unmap) => appender.add_zeroes(batch, pages, *unmap),
            Self::Lost(pages) => appender.add_range(batch, EntryKind::Lost, pages),
        }
    }
}

/// Splits a range into parts, each as long as a log entry can hold.
fn cut(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    const STEP: u64 = u32::MAX as u64;
    let starts = (range.start..range.end).step_by(STEP as usize);
    starts.map(move |start| start..range.end.min(start.saturating_add(STEP)))
}
