//! Flash run: the one place where indexed pages are read from flash and verified against their checksums.
//!
//! Neighbours are read with one request. A page that fails verification is read once more if it is dirty. A clean page is not: the backing
//! has the same content or newer, and reading it there is faster than retrying a device that may take long to fail.
//!
//! Never decides the consequences of a damaged page: that is left to the reader.

use block::{BlockError, Buffer, ErrorKind};
use smallvec::SmallVec;

use super::disk_cache::DiskCache;
use crate::format::checksum::page_checksum;
use crate::state::index::FlashLocation;
use crate::storage::pool::Pin;
use crate::types::env::Env;
use crate::types::limits::PAGE_BYTES;
use crate::types::stats::count;
use crate::types::units::{FlashPage, PageNumber};

/// Pages that lie next to each other on flash. The run pins their segment until they have been read and handled: until then no other
/// content can be written to the same place.
pub(super) struct FlashRun<'a, E: Env> {
    first: FlashPage,
    /// Each page with the checksum of its content. Most often it is one.
    pages: SmallVec<[(PageNumber, u32); 1]>,
    _pin: Pin<'a, E>,
}

/// Reason why flash did not return a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The checksum does not match, or the device reports a media error.
    Content,
    /// The device failed the read. The failure may be temporary.
    Device,
}

/// A run that was read.
pub(super) struct VerifiedRun<'a, E: Env> {
    run: FlashRun<'a, E>,
    bytes: Buffer,
    /// By place in the run.
    faults: Vec<(usize, Fault)>,
}

/// One page of a run that was read.
pub(super) struct Page<'a> {
    pub(super) number: PageNumber,
    pub(super) flash: FlashPage,
    pub(super) content: Result<&'a [u8], Fault>,
}

impl<'a, E: Env> FlashRun<'a, E> {
    /// Adds a page to the last run if it is behind it on flash, else to a new one. To be called in the same step, without an await, in
    /// which the index returns the place of the page.
    pub(super) fn add(
        runs: &mut Vec<Self>,
        cache: &'a DiskCache<E>,
        page: PageNumber,
        located: FlashLocation,
    ) {
        let begun = Self::join_or_begin(runs.last_mut(), cache, page, located);
        runs.extend(begun);
    }

    /// Does the same for runs that are kept otherwise: returns a new run, if the last one is not joined.
    pub(super) fn join_or_begin(
        last: Option<&mut Self>,
        cache: &'a DiskCache<E>,
        page: PageNumber,
        FlashLocation { flash, checksum }: FlashLocation,
    ) -> Option<Self> {
        match last {
            Some(run) if run.first.plus(run.pages.len() as u32) == flash => {
                run.pages.push((page, checksum));
                None
            }
            _ => Some(Self::of(cache, page, FlashLocation { flash, checksum })),
        }
    }

    /// Creates a run of one page. To be called as [`Self::add`].
    pub(super) fn of(cache: &'a DiskCache<E>, page: PageNumber, located: FlashLocation) -> Self {
        let FlashLocation { flash, checksum } = located;
        Self { first: flash, pages: SmallVec::from_buf([(page, checksum)]), _pin: cache.pool.pin(flash) }
    }

    /// Returns the length in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.pages.len() * PAGE_BYTES
    }

    /// Reads it into `buffer`, which is as long, and checks every page.
    pub(super) async fn read(self, cache: &DiskCache<E>, buffer: Buffer) -> VerifiedRun<'a, E> {
        assert_eq!(buffer.len(), self.bytes(), "a buffer as long as the run");
        let (bytes, result) = cache.pool.read(self.first, buffer).await;
        let fault = judge(cache, bytes.len(), result);
        let mut checked = VerifiedRun { run: self, bytes, faults: Vec::new() };
        for at in 0..checked.run.pages.len() {
            let Some(fault) = fault.or_else(|| checked.check(cache, at)) else { continue };
            if let Some(fault) = checked.read_again(cache, at, fault).await {
                checked.faults.push((at, fault));
            }
        }
        checked
    }
}

impl<E: Env> VerifiedRun<'_, E> {
    /// Returns every page, in the order in which they were added.
    pub(super) fn pages(&self) -> impl Iterator<Item = Page<'_>> {
        self.run.pages.iter().zip(self.bytes.chunks_exact(PAGE_BYTES)).enumerate().map(
            |(at, ((page, _), bytes))| {
                let fault = self.faults.iter().find(|(place, _)| *place == at);
                let content = fault.map_or(Ok(bytes), |(_, fault)| Err(*fault));
                Page { number: *page, flash: self.run.first.plus(at as u32), content }
            },
        )
    }

    /// Returns everything that was read, damaged pages included.
    pub(super) fn into_bytes(self) -> Buffer {
        self.bytes
    }

    /// Returns the fault of a page that was read, if it has one.
    fn check(&self, cache: &DiskCache<E>, at: usize) -> Option<Fault> {
        let bytes = &self.bytes[at * PAGE_BYTES..(at + 1) * PAGE_BYTES];
        if page_checksum(bytes) == self.run.pages[at].1 {
            return None;
        }
        count(&cache.counters.checksum_errors, 1);
        Some(Fault::Content)
    }

    /// Reads a dirty page once more: its second copy, and the first one at its current place. Returns the fault that remains. As long as a
    /// device may return one of the copies, the other one alone does not decide that the page is damaged.
    async fn read_again(&mut self, cache: &DiskCache<E>, at: usize, fault: Fault) -> Option<Fault> {
        let (page, checksum) = self.run.pages[at];
        if !cache.catalog.is_dirty(page) {
            return Some(fault);
        }
        let flash = self.run.first.plus(at as u32);
        let second = match cache.pool.read_second(flash).await {
            Some(Ok(bytes)) if self.take(at, &bytes) => return None,
            Some(outcome) => judge(cache, PAGE_BYTES, outcome.map(drop)),
            None => None,
        };
        // Its segment may have got another name meanwhile, that of its second copy.
        let located = cache.catalog.locate(page).filter(|located| located.checksum == checksum);
        let now = located.map_or(flash, |located| located.flash);
        let _pin = cache.pool.pin(now);
        let (bytes, result) = cache.pool.read_copy(now, Buffer::zeroed(PAGE_BYTES)).await;
        let first = judge(cache, PAGE_BYTES, result);
        if first.is_none() {
            if self.take(at, &bytes) {
                return None;
            }
            count(&cache.counters.checksum_errors, 1);
        }
        let may_come_back = [first, second].contains(&Some(Fault::Device));
        Some(if may_come_back { Fault::Device } else { Fault::Content })
    }

    /// Takes the bytes of a page that were read elsewhere, if that is its content.
    fn take(&mut self, at: usize, bytes: &[u8]) -> bool {
        let is_it = page_checksum(bytes) == self.run.pages[at].1;
        if is_it {
            self.bytes[at * PAGE_BYTES..(at + 1) * PAGE_BYTES].copy_from_slice(bytes);
        }
        is_it
    }
}

/// Counts a read of flash. Returns the error of the device.
fn judge<E: Env>(cache: &DiskCache<E>, bytes: usize, result: Result<(), BlockError>) -> Option<Fault> {
    count(&cache.counters.flash_read_bytes, bytes as u64);
    let error = result.err()?;
    count(&cache.counters.flash_errors, 1);
    Some(if error.kind == ErrorKind::Corrupt { Fault::Content } else { Fault::Device })
}
