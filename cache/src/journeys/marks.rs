//! Marks: what a segment says of ranges, and what of that was said again before it goes.

use std::ops::Range;

use block::Unmap;

use super::disk_cache::DiskCache;
use crate::bytes::batch::Kind;
use crate::bytes::summary::Content;
use crate::knowledge::ranges::Ranges;
use crate::survives::log::{Appender, Batch};
use crate::words::canary::{self, Bug};
use crate::words::env::Env;

/// What a victim says of ranges, and what of that was said again. By place, not by count: what guests write meanwhile
/// leaves the ranges.
pub(super) struct Marks {
    zeroes: Ranges,
    lost: Ranges,
}

impl Marks {
    /// True if nothing is to be said.
    pub(super) fn is_empty(&self) -> bool {
        self.zeroes.is_empty() && self.lost.is_empty()
    }

    /// Ranges of zeroes that were not said again.
    pub(super) fn zeroes_left(&self) -> usize {
        self.zeroes.iter().count()
    }

    /// What a segment says, by its summary; anything, without one.
    pub(super) fn said_by(content: Option<&Content>) -> Self {
        let said = |kind: Kind| {
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
        Self { zeroes: said(Kind::Zeroes), lost: said(Kind::Lost) }
    }

    /// At most so many entries of the log that say again what is still so.
    pub(super) fn entries<E: Env>(&self, cache: &DiskCache<E>, most: usize) -> Vec<Mark> {
        if canary::has(Bug::TombstoneDropped) {
            return Vec::new();
        }
        cache.catalog.with_dirty(|dirty| {
            let zeroes = self.zeroes.iter().flat_map(|range| dirty.zeroes_within(range));
            let zeroes =
                zeroes.flat_map(|(range, unmap)| cut(range).map(move |part| Mark::Zeroes(part, unmap)));
            let lost = self.lost.iter().flat_map(|range| dirty.lost().within(range));
            let lost = lost.flat_map(|range| cut(range).map(Mark::Lost));
            zeroes.chain(lost).take(most).collect()
        })
    }

    /// Notes what was said again.
    pub(super) fn note(&mut self, entries: &[Mark]) {
        for mark in entries {
            match mark {
                Mark::Zeroes(pages, _) => self.zeroes.remove(pages),
                Mark::Lost(pages) => self.lost.remove(pages),
            }
        }
    }
}

/// What one entry of the log says again of a range.
pub(super) enum Mark {
    /// Zeroes, and whether their storage may be given back.
    Zeroes(Range<u64>, Unmap),
    /// What was damaged before the backing had it.
    Lost(Range<u64>),
}

impl Mark {
    /// Adds the entry to a batch.
    pub(super) fn say<E: Env>(&self, appender: &Appender<'_, E>, batch: &mut Batch) {
        match self {
            Self::Zeroes(pages, unmap) => appender.say_zeroes(batch, pages, *unmap),
            Self::Lost(pages) => appender.say(batch, Kind::Lost, pages),
        }
    }
}

/// The parts of a range, each as long as an entry of the log can say.
fn cut(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    const STEP: u64 = u32::MAX as u64;
    let starts = (range.start..range.end).step_by(STEP as usize);
    starts.map(move |start| start..range.end.min(start.saturating_add(STEP)))
}
