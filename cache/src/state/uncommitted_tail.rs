//! Uncommitted tail: pages of the last batches of a log, until a later header or a summary commits them.
//!
//! A last batch whose header was damaged looks on flash like one that was never written. So the bits of its pages stay
//! set until another header, or a summary, stands behind it: a missing batch is damage then, and is noticed.

use std::collections::VecDeque;

use crate::types::units::{FlashPage, PageNumber};

/// Pages of batches that are not committed.
#[derive(Default)]
pub(super) struct UncommittedTail {
    pages: VecDeque<(u64, PageNumber, FlashPage)>,
}

impl UncommittedTail {
    /// Adds pages of a batch. Batches are added in order.
    pub(super) fn add(&mut self, batch: u64, pages: impl Iterator<Item = (PageNumber, FlashPage)>) {
        self.pages.extend(pages.map(|(page, flash)| (batch, page, flash)));
    }

    /// Takes out the pages of all batches up to this one.
    pub(super) fn take(&mut self, batch: u64) -> impl Iterator<Item = (PageNumber, FlashPage)> {
        let count = self.pages.partition_point(|(other, ..)| *other <= batch);
        self.pages.drain(..count).map(|(_, page, flash)| (page, flash))
    }
}
