//! Content of a group of the redo ring: what changed, and the pages as of the beginning of the group, read from RAM or flash.

use std::ops::Range;

use block::{BlockError, Buffer, ErrorKind, Host, Operation};
use redo::{Change, GroupContent};

use super::disk_cache::DiskCache;
use super::flash_run::{Fault, FlashRun};
use super::kept_versions::GroupVersion;
use crate::state::dirty::{Dirty, DirtyRun};
use crate::state::index::FlashLocation;
use crate::types::env::Env;
use crate::types::limits::PAGE_BYTES;
use crate::types::units::PageNumber;

/// Pages of a run of changes that are looked up at once.
const RUN_PAGES: u64 = 16_384;

impl<E: Env> DiskCache<E> {
    /// Keeps the present versions of pages on flash if the group on its way has them: they are about to be overwritten. To be called in the
    /// step in which that happens.
    pub(super) fn keep_versions(&self, pages: &Range<u64>) {
        let of_group = |writing: &Dirty| writing.pages_within(pages.clone()).collect::<Vec<_>>();
        let Some(Some(overwritten)) = self.catalog.with_journal(|journal| journal.writing().map(of_group))
        else {
            return;
        };
        let mut kept = self.consistent.kept.borrow_mut();
        for page in overwritten {
            let located = || self.catalog.locate(PageNumber(page));
            kept.keep(page, || located().map(|located| (located, self.pool.pin_owned(located.flash))));
        }
    }

    /// Returns the place of the version of a page that the group on its way has; none if it is gone.
    pub(super) fn version_of_group(&self, page: u64) -> Option<FlashLocation> {
        match self.consistent.kept.borrow().version_of(page) {
            GroupVersion::Kept(located) => Some(located),
            GroupVersion::Newest => self.catalog.locate(PageNumber(page)),
            GroupVersion::Dropped => None,
        }
    }
}

/// Returns the changes of a group.
pub(super) fn changes_of(writing: &Dirty) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut at = 0;
    while let Some(run) = writing.next_run(at, RUN_PAGES) {
        match run {
            DirtyRun::Pages(pages) => {
                at = pages.end;
                changes.extend(pages.map(Change::Content));
            }
            DirtyRun::Zeroes(pages, unmap) => {
                at = pages.end;
                changes.push(Change::Zeroes(pages, unmap));
            }
        }
    }
    changes.extend(writing.lost().iter().map(Change::Lost));
    changes
}

/// Reads pages of the group on its way, as of its beginning, which is progress of it. Their segments are pinned until they are read, whatever the ring does.
///
/// # Errors
/// If the flash failed, or a version was overwritten and is not kept any more.
pub(super) async fn content<E: Env>(cache: &DiskCache<E>, pages: &[u64]) -> Result<GroupContent, BlockError> {
    let error = |reason: &str| BlockError::anywhere(ErrorKind::Io, Operation::Read).because(reason);
    let gone = || error("the flash failed");
    cache.consistent.progress_at.set(cache.pool.host.now());
    let mut bytes = Buffer::zeroed(pages.len() * PAGE_BYTES);
    let (mut runs, mut wanted, mut damaged) = (Vec::new(), Vec::new(), Vec::new());
    if cache.pool.notice_failure() {
        return Err(gone());
    }
    for (at, page) in pages.iter().map(|page| PageNumber(*page)).enumerate() {
        let located = match cache.consistent.kept.borrow().version_of(page.0) {
            GroupVersion::Kept(located) => Some(located),
            GroupVersion::Newest => cache.catalog.locate(page),
            GroupVersion::Dropped => {
                return Err(error("the redo ring took too long, and guests overwrote pages meanwhile"));
            }
        };
        let Some(located) = located else {
            damaged.push(at);
            continue;
        };
        let place = &mut bytes[at * PAGE_BYTES..(at + 1) * PAGE_BYTES];
        if cache.with_ram(page, located, |content| place.copy_from_slice(content)).is_none() {
            FlashRun::add(&mut runs, cache, page, located);
            wanted.push(at);
        }
    }
    let mut wanted = wanted.into_iter();
    for run in runs {
        let buffer = Buffer::zeroed(run.bytes());
        let read = run.read(cache, buffer).await;
        for (page, at) in read.pages().zip(wanted.by_ref()) {
            match page.content {
                Ok(content) => bytes[at * PAGE_BYTES..(at + 1) * PAGE_BYTES].copy_from_slice(content),
                Err(Fault::Content) => damaged.push(at),
                Err(Fault::Device) => return Err(gone()),
            }
        }
    }
    if cache.pool.notice_failure() { Err(gone()) } else { Ok(GroupContent { bytes, damaged }) }
}
