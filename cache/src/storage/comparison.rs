//! Compares clean cached pages of a disk that is not attached with a backing: evidence of whether it is the cached backing. Changes
//! nothing, on flash or on the backing.
//!
//! The code that loads a disk ([`Replay`]) decides which pages count as cached. A page that the backing may have changed behind the log is
//! left out, and so is every dirty one, for which the backing has an older version.

use block::{BlockDevice, Buffer, Host, PAGE};
use futures_util::future::join_all;

use super::check::{DiskExpectation, DistrustedPages};
use super::pool::Pool;
use crate::format::checksum::page_checksum;
use crate::state::replay::Replay;
use crate::state::write_intent_bitmap;
use crate::types::env::Env;
use crate::types::limits::PAGE_BYTES;
use crate::types::units::{DiskId, PageNumber};

/// Backing reads at once.
const READS_AT_ONCE: usize = 8;

/// Result of a comparison of cached pages with a backing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Clean pages on flash that the backing should have.
    pub pages_cached: u64,
    /// Pages on flash that the backing does not have yet.
    pub pages_dirty: u64,
    /// True if flash has such pages, or dirty zeroes, or records lost pages.
    pub has_dirty: bool,
    /// Pages of the former that were compared, chosen by chance if there are many.
    pub pages_compared: u64,
    /// Pages of these that differ from the backing.
    pub pages_different: u64,
}

impl Comparison {
    /// Returns true if nothing is dirty, and the backing has each clean page as it is cached.
    pub fn proves_equality(&self) -> bool {
        !self.has_dirty && self.pages_compared == self.pages_cached && self.pages_different == 0
    }
}

/// Compares up to `pages_max` pages of a disk, until the clock reads `until_ns`.
///
/// # Errors
/// Why the log of the disk cannot be read, as a sentence without its end.
pub(crate) async fn compare<E: Env>(
    pool: &Pool<E>,
    disk: DiskId,
    expected: DiskExpectation,
    backing: &E::Backing,
    pages_max: usize,
    until_ns: u64,
) -> Result<Comparison, String> {
    let replay = replay(pool, disk, expected).await?;
    let whole_pages = backing.geometry().size / PAGE;
    let dirty = &replay.dirty;
    let mut found =
        Comparison { pages_dirty: dirty.pages(), has_dirty: !dirty.is_empty(), ..Comparison::default() };
    let mut chosen: Vec<u64> = Vec::new();
    replay.index.pages_within(0..backing.geometry().size.div_ceil(PAGE), |page| {
        if dirty.has_page(page) {
            return;
        }
        found.pages_cached += 1;
        if page >= whole_pages {
            // The backing has only its beginning.
            return;
        }
        // Each page as likely as any other (Vitter, 1985, algorithm R).
        if chosen.len() < pages_max {
            chosen.push(page);
        } else if let Some(kept) = chosen.get_mut((pool.host.random() % found.pages_cached) as usize) {
            *kept = page;
        }
    });
    if found.pages_cached == chosen.len() as u64 {
        // None was left out, so no order is better than the one in which they are on the backing.
        chosen.sort_unstable();
    }
    for some in chosen.chunks(READS_AT_ONCE) {
        if pool.host.now() >= until_ns {
            break;
        }
        let reads = some.iter().map(|page| backing.read(page * PAGE, Buffer::zeroed(PAGE_BYTES)));
        for (page, (bytes, result)) in some.iter().zip(join_all(reads).await) {
            let Some(located) = replay.index.get(PageNumber(*page)).filter(|_| result.is_ok()) else {
                continue;
            };
            found.pages_compared += 1;
            found.pages_different += u64::from(page_checksum(&bytes) != located.checksum);
        }
    }
    Ok(found)
}

/// Returns what a load would index of the disk.
async fn replay<E: Env>(pool: &Pool<E>, disk: DiskId, expected: DiskExpectation) -> Result<Replay, String> {
    let end = expected.touched.clone().map(|bits| write_intent_bitmap::log_end(&*bits)).unwrap_or_default();
    let region_pages = pool.layout().region_pages();
    let open = pool.open_intents_of(disk);
    let distrusted = DistrustedPages { region_pages: u64::from(region_pages), open, expected };
    let mut replay = Replay::new(1, region_pages, pool.id().salt());
    for (number, wanted) in pool.all_wanted(disk).into_iter().enumerate() {
        let _pin = pool.pin_segment(wanted.segment);
        let newest = (number == 0).then(|| distrusted.expected.belief.tail(end));
        let contained = pool.reader().contained(wanted, newest).await;
        if !pool.segments().is_sealed(wanted.segment, (wanted.owner, wanted.generation)) {
            // Reclaimed meanwhile: only clean content is.
            continue;
        }
        let contained = contained.map_err(|error| error.of(wanted.segment))?;
        let start = pool.layout().segment_start(wanted.segment);
        replay.enter(start, &contained.content, contained.forgets, |page| distrusted.has(page), |_, _| {});
    }
    Ok(replay)
}
