//! Reclaim: the oldest segment becomes free; what is still warm in it is appended again first.
//!
//! One reclaim runs at a time for the whole pool, on the shard on which the victim's owner is attached; the turns are
//! taken in `survives/room.rs`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use block::{BlockDevice, Buffer, Host};

use super::disk_cache::DiskCache;
use super::promote::enter_index;
use crate::bytes::batch::Kind;
use crate::bytes::checksum::page_checksum;
use crate::bytes::summary::Content;
use crate::knowledge::index::Located;
use crate::knowledge::policy::Policy;
use crate::knowledge::segments::Purpose;
use crate::survives::log::{Appender, Written};
use crate::survives::pool::Pool;
use crate::words::limits::{BATCH_PAGES_MAX, PAGE_BYTES, SURVIVORS_EIGHTHS_MAX};
use crate::words::stats::count;
use crate::words::units::{DiskId, FlashPage, PageNumber, SegmentNumber, Sequence};

/// The disks of a pool, by number.
pub(crate) type Disks<F, H> = RefCell<BTreeMap<DiskId, Rc<DiskCache<F, H>>>>;

/// A warm page of the victim.
struct Survivor {
    page: PageNumber,
    sequence: Sequence,
    flash: FlashPage,
    heat: u8,
}

/// Makes room whenever somebody waits for it and it is this shard's turn, as long as the pool is in use.
pub(crate) async fn run<F: BlockDevice, H: Host>(pool: Rc<Pool<F, H>>, disks: Rc<Disks<F, H>>) {
    loop {
        pool.seat.rung().await;
        while let Some(victim) = pool.seat.next_victim() {
            reclaim(&pool, &disks, victim).await;
            pool.seat.finish();
        }
        if pool.notice_failure() {
            for cache in disks.borrow().values() {
                cache.forget_flash();
            }
        }
    }
}

async fn reclaim<F: BlockDevice, H: Host>(pool: &Pool<F, H>, disks: &Disks<F, H>, victim: SegmentNumber) {
    let owner = pool.segments().life(victim).map(|(owner, _)| owner);
    let cache = owner.and_then(|owner| disks.borrow().get(&owner).cloned());
    if let Some(cache) = cache {
        count(&cache.counters.reclaims, 1);
        let live = pool.segments().live(victim);
        if live > 0 {
            empty(&cache, victim).await;
        }
    }
    pool.free_segment(victim).await;
}

/// Makes sure that nothing points to the segment any more.
async fn empty<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>, victim: SegmentNumber) {
    if let Some(content) = cache.pool.read_summary(victim).await {
        let survivors = keep_warm(cache, victim, &content);
        for chunk in survivors.chunks(BATCH_PAGES_MAX) {
            append_again(cache, chunk).await;
        }
    }
    // Left over are survivors that could not be appended, and everything if the summary could not be read.
    if cache.pool.segments().live(victim) == 0 {
        return;
    }
    let (start, end) = (cache.pool.layout().segment_start(victim), cache.pool.layout().summary_start(victim));
    let dropped = cache.index.borrow_mut().remove_on_flash(start.0..end.0);
    count(&cache.counters.evictions, dropped.len() as u64);
    cache.pool.segments().pages_forgotten(&dropped);
}

/// Drops what is cold and returns what is warm, as much as may survive; what survives cools down by one step.
fn keep_warm<F: BlockDevice, H: Host>(
    cache: &DiskCache<F, H>,
    victim: SegmentNumber,
    content: &Content,
) -> Vec<Survivor> {
    let layout = cache.pool.layout();
    let lowered = cache.pool.segments().exceeds_limit(cache.id);
    let most = if lowered { 0 } else { (layout.batch_pages() * SURVIVORS_EIGHTHS_MAX / 8) as usize };
    let mut survivors: Vec<Survivor> = Vec::new();
    for entry in content.lines().filter(|line| line.kind == Kind::Fill) {
        let flash = layout.segment_start(victim).plus(entry.place);
        let current = cache.index.borrow().get(entry.page).is_some_and(|located| located.flash == flash);
        if !current {
            continue;
        }
        let heat = cache.index.borrow().heat(entry.page);
        if Policy::keeps(heat) && survivors.len() < most {
            survivors.push(Survivor { page: entry.page, sequence: entry.sequence, flash, heat });
        } else {
            cache.drop_copy(entry.page, flash);
            count(&cache.counters.evictions, 1);
        }
    }
    for survivor in &survivors {
        cache.index.borrow_mut().set_heat(survivor.page, survivor.heat - 1);
    }
    survivors.sort_unstable_by_key(|survivor| survivor.page);
    survivors
}

/// Copies pages to the open segment, with the sequences that they have (rule I1).
async fn append_again<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>, survivors: &[Survivor]) {
    let contents = read_survivors(cache, survivors).await;
    let mut rest = contents.as_slice();
    while !rest.is_empty() {
        let Ok(appender) = cache.log.begin(Purpose::Survivors).await else { return };
        let (now, later) = rest.split_at(rest.len().min(appender.room()));
        rest = later;
        if append_batch(cache, appender, now).await.is_none() {
            return;
        }
    }
}

async fn append_batch<F: BlockDevice, H: Host>(
    cache: &DiskCache<F, H>,
    appender: Appender<'_, F, H>,
    pages: &[(&Survivor, Buffer)],
) -> Option<()> {
    let unchanged = |survivor: &Survivor| {
        cache.index.borrow().get(survivor.page).is_some_and(|located| located.flash == survivor.flash)
    };
    // Looked at under the lock of the log: an old version appended behind a newer one would come back at the next start.
    let pages: Vec<_> = pages.iter().filter(|(survivor, _)| unchanged(survivor)).collect();
    if pages.is_empty() {
        return Some(());
    }
    let mut batch = appender.batch(pages.len());
    for (survivor, bytes) in &pages {
        appender.add(&mut batch, survivor.page, survivor.sequence, bytes);
    }
    let Written { located, bytes, number } = appender.write(batch).await.ok()?;
    count(&cache.counters.flash_write_bytes, bytes);
    count(&cache.counters.reappends, pages.len() as u64);
    // A write may have dropped the page meanwhile: then the copy is for nothing.
    let pairs = pages.iter().zip(located).filter(|((survivor, _), _)| unchanged(survivor));
    let current: Vec<(PageNumber, Located)> =
        pairs.map(|((survivor, _), located)| (survivor.page, located)).collect();
    enter_index(cache, number, &current);
    Some(())
}

/// Reads survivors, neighbours together, and leaves out whatever fails its checksum or has been superseded.
async fn read_survivors<'a, F: BlockDevice, H: Host>(
    cache: &DiskCache<F, H>,
    survivors: &'a [Survivor],
) -> Vec<(&'a Survivor, Buffer)> {
    let mut contents = Vec::with_capacity(survivors.len());
    for run in survivors.chunk_by(|a, b| a.flash.plus(1) == b.flash) {
        let (buffer, result) = cache.pool.read(run[0].flash, Buffer::zeroed(run.len() * PAGE_BYTES)).await;
        count(&cache.counters.flash_read_bytes, buffer.len() as u64);
        if result.is_err() {
            count(&cache.counters.flash_errors, 1);
            continue;
        }
        for (survivor, bytes) in run.iter().zip(buffer.chunks_exact(PAGE_BYTES)) {
            let located =
                cache.index.borrow().get(survivor.page).filter(|located| located.flash == survivor.flash);
            match located {
                Some(located) if located.checksum == page_checksum(bytes) => {
                    contents.push((survivor, Buffer::copy_of(bytes)));
                }
                Some(_) => count(&cache.counters.checksum_errors, 1),
                None => {}
            }
        }
    }
    contents
}
