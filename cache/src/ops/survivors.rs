//! Survivors: the pages of a segment that stay, and copying them to the end of the log.
//!
//! Every copied page is current at that moment, under the lock of the log, and keeps its sequence (rule I1): an old version appended behind
//! a newer one would reappear at the next start.

use block::Buffer;

use super::disk_cache::DiskCache;
use super::flash_run::FlashRun;
use super::lost::DamagedPage;
use super::promote::{Promotion, record_places};
use super::range_tombstones::RangeTombstones;
use crate::format::batch::EntryKind;
use crate::format::summary::Content;
use crate::state::index::FlashLocation;
use crate::state::learned::History;
use crate::state::segments::SegmentPurpose;
use crate::storage::log::{Appender, WrittenBatch};
use crate::storage::pool::Pool;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::{BATCH_PAGES_MAX, SURVIVORS_EIGHTHS_MAX};
use crate::types::stats::count;
use crate::types::units::{PageNumber, SegmentNumber, Sequence};

/// A page of the victim that is warm or dirty, or a warm one of a segment that goes next.
pub(super) struct Survivor {
    pub(super) page: PageNumber,
    pub(super) sequence: Sequence,
    pub(super) located: FlashLocation,
    pub(super) history: History,
    /// Its segment is not the victim, but goes next.
    pub(super) is_ahead: bool,
}

impl Survivor {
    /// Returns true if the index points there, and to just these bytes.
    pub(super) fn is_current<E: Env>(&self, cache: &DiskCache<E>) -> bool {
        cache.catalog.locate(self.page) == Some(self.located)
    }

    /// Reduces its heat by one until it is used again.
    pub(super) fn cool_down<E: Env>(&self, cache: &DiskCache<E>) {
        let heat = self.history.heat().saturating_sub(1);
        cache.catalog.set_history(self.page, self.history.with_heat(heat));
    }
}

/// Pages of a victim that survive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SurvivorPages {
    /// Those worth keeping, and dirty ones.
    Warm,
    /// Dirty ones only.
    Dirty,
}

/// Returns the number of pages of a segment that may be appended again without need: behind them and their headers, some room is left.
pub(super) fn survivors_max<E: Env>(pool: &Pool<E>) -> u64 {
    let pages = pool.layout().batch_pages();
    u64::from((pages * SURVIVORS_EIGHTHS_MAX / 8).min(pages.saturating_sub(HEADERS_AND_ONE)))
}

/// Pages lost to headers, and one gained: the end of a segment cuts survivors in two at most, each part behind a header; and one page is to
/// be gained, where no promotion shares the batch.
const HEADERS_AND_ONE: u32 = 3;

/// Drops cold pages and returns warm ones, as many as may survive, and those that must; the heat of survivors is reduced by one.
pub(super) fn keep_warm<E: Env>(
    cache: &DiskCache<E>,
    victim: SegmentNumber,
    content: &Content,
    staying: SurvivorPages,
    must_stay: impl Fn(PageNumber) -> bool,
) -> Vec<Survivor> {
    let layout = cache.pool.layout();
    let lowered = cache.pool.segments().exceeds_limit(cache.id);
    let none = lowered || staying == SurvivorPages::Dirty;
    let most = if none { 0 } else { survivors_max(&cache.pool) as usize };
    // Pages that survived ahead of its turn count.
    let most = most.saturating_sub(cache.catalog.moved_ahead(victim).unwrap_or(0));
    let mut survivors: Vec<Survivor> = Vec::new();
    let mut warm: Vec<(f32, Survivor)> = Vec::new();
    let mut cold: Vec<Survivor> = Vec::new();
    for entry in content.lines().filter(|line| matches!(line.kind, EntryKind::Fill | EntryKind::Write)) {
        let flash = layout.segment_start(victim).plus(entry.place);
        let located = cache.catalog.locate(entry.page).filter(|located| located.flash == flash);
        let is_dirty = cache.catalog.is_dirty(entry.page);
        let Some(located) = located else {
            count(
                &cache.counters.superseded_reclaimed,
                u64::from(entry.kind == EntryKind::Write && is_dirty),
            );
            continue;
        };
        let history = cache.catalog.history(entry.page);
        let (page, sequence) = (entry.page, entry.sequence);
        let line = Survivor { page, sequence, located, history, is_ahead: false };
        if is_dirty {
            survivors.push(line);
        } else if let Some(worth) = cache.policy.borrow().keeps(history) {
            warm.push((worth, line));
        } else {
            cold.push(line);
        }
    }
    // The best of them, and of equals those that were written first. With the dirty pages they leave room.
    let most = most.saturating_sub(survivors.len());
    warm.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    cold.extend(warm.split_off(warm.len().min(most)).into_iter().map(|(_, line)| line));
    survivors.extend(warm.into_iter().map(|(_, line)| line));
    for line in cold {
        if must_stay(line.page) {
            count(&cache.counters.shadowed_reappends, 1);
            survivors.push(line);
            continue;
        }
        cache.policy.borrow_mut().left(cache.block_of(line.page), line.history);
        cache.drop_copy(line.page, line.located.flash);
        count(&cache.counters.evictions, 1);
    }
    for survivor in &survivors {
        survivor.cool_down(cache);
    }
    survivors.sort_unstable_by_key(|survivor| survivor.page);
    survivors
}

/// Copies pages to the open segment, with the sequences that they have (rule I1). Pages moved ahead of their turn are last, and are left
/// out where they would take another segment, or something else is more urgent. Returns those that flash cannot return.
pub(super) async fn append_again<E: Env>(
    cache: &DiskCache<E>,
    survivors: &[Survivor],
    tombstones: &mut RangeTombstones,
) -> Vec<DamagedPage> {
    let has_room = || has_leisure(cache) && cache.log.pages_left().0 > 0;
    if survivors.first().is_some_and(|survivor| survivor.is_ahead) && !has_room() {
        return Vec::new();
    }
    let (contents, damaged) = read_survivors(cache, survivors).await;
    let mut rest = contents.as_slice();
    while let Some((first, _)) = rest.first() {
        let appender = match first.is_ahead {
            false => cache.log.try_begin(SegmentPurpose::Survivors).await.ok(),
            true if has_leisure(cache) => cache.log.begin_in_open().await,
            true => None,
        };
        let Some(appender) = appender else { break };
        let (now, later) = rest.split_at(rest.len().min(appender.room()));
        rest = later;
        if append_batch(cache, appender, now, tombstones).await.is_none() {
            break;
        }
    }
    damaged
}

async fn append_batch<E: Env>(
    cache: &DiskCache<E>,
    appender: Appender<'_, E>,
    pages: &[(&Survivor, Buffer)],
    tombstones: &mut RangeTombstones,
) -> Option<()> {
    // Checked under the lock of the log: an old version appended behind a newer one would reappear at the next start.
    let pages: Vec<_> = pages.iter().filter(|(survivor, _)| survivor.is_current(cache)).collect();
    if pages.is_empty() {
        return Some(());
    }
    let segment_of = |survivor: &Survivor| cache.pool.layout().segment_of(survivor.located.flash);
    let is_held = |survivor: &Survivor| {
        // With the bug planted, a simulation has to show its effect.
        !survivor.is_ahead || cache.pool.is_pinned(segment_of(survivor)) || canary::has(Bug::AheadNotHeld)
    };
    debug_assert!(
        pages.iter().all(|(survivor, _)| is_held(survivor)),
        "something else could have come there"
    );
    let promotion = piggyback(cache, &appender, &pages, tombstones);
    let mut batch = appender.batch(pages.len() + promotion.len());
    for (survivor, bytes) in &pages {
        if cache.catalog.is_dirty(survivor.page) {
            appender.add_dirty(&mut batch, survivor.page, survivor.sequence, bytes);
        } else {
            appender.add(&mut batch, survivor.page, survivor.sequence, bytes);
        }
    }
    promotion.stage(cache, &appender, &mut batch);
    // Range tombstones share the batch: one of their own would cost a page.
    let entries = tombstones.entries(cache, appender.room() - pages.len() - promotion.len());
    for tombstone in &entries {
        tombstone.add_to(&appender, &mut batch);
    }
    let Ok(WrittenBatch { located, number }) = appender.write(batch).await else {
        promotion.abort(cache);
        return None;
    };
    promotion.commit(cache, number, &located[pages.len()..]);
    tombstones.note(&entries);
    count(&cache.headers_again, 1);
    count(&cache.counters.reappends, pages.len() as u64);
    for (survivor, _) in pages.iter().filter(|(survivor, _)| survivor.is_ahead) {
        count(&cache.counters.reappends_ahead, 1);
        cache.catalog.record_moved_ahead(survivor.located.flash);
    }
    cache.note_written_pages(pages.len());
    cache.back.record_dirty_batch(number);
    // A write may have dropped the page meanwhile: then the copy is for nothing.
    let pairs = pages.iter().zip(located).filter(|((survivor, _), _)| survivor.is_current(cache));
    let current: Vec<(PageNumber, FlashLocation)> =
        pairs.map(|((survivor, _), located)| (survivor.page, located)).collect();
    record_places(cache, number, &current, |extent| cache.catalog.relocate(extent));
    Some(())
}

/// Returns true if pages that need not be written now may share the batch: not where a write of this disk's guests is queued. This does not
/// check the limit: a disk exceeds it from the moment in which survivors take a segment until their old one is free. Where a limit was
/// lowered, nothing warm survives whose batch could be shared (`keep_warm`).
pub(super) fn has_leisure<E: Env>(cache: &DiskCache<E>) -> bool {
    cache.back.commits.is_empty() && cache.may_promote() && !cache.leaving.get()
}

/// Returns pages that wait in RAM for promotion and can share a batch with survivors, if there is room: a batch of their own would cost a
/// header. None if range tombstones are to be appended, which need the room, nor with dirty survivors, which are written twice.
fn piggyback<E: Env>(
    cache: &DiskCache<E>,
    appender: &Appender<'_, E>,
    survivors: &[&(&Survivor, Buffer)],
    tombstones: &RangeTombstones,
) -> Promotion {
    let is_dirty = survivors.iter().any(|(survivor, _)| cache.catalog.is_dirty(survivor.page));
    if !tombstones.is_empty() || is_dirty || !has_leisure(cache) {
        return Promotion::none();
    }
    let most = appender.room().min(BATCH_PAGES_MAX).saturating_sub(survivors.len());
    Promotion::choose(cache, appender, most)
}

/// Reads the content of survivors that are still current, from RAM or flash, and those that flash does not give back.
async fn read_survivors<'a, E: Env>(
    cache: &DiskCache<E>,
    survivors: &'a [Survivor],
) -> (Vec<(&'a Survivor, Buffer)>, Vec<DamagedPage>) {
    let mut contents = Vec::with_capacity(survivors.len());
    let (mut wanted, mut runs) = (Vec::new(), Vec::new());
    for survivor in survivors {
        if !survivor.is_current(cache) {
            continue;
        }
        let located = survivor.located;
        if let Some(bytes) = cache.with_ram(survivor.page, located, Buffer::copy_of) {
            contents.push((survivor, bytes));
        } else {
            FlashRun::add(&mut runs, cache, survivor.page, located);
            wanted.push(survivor);
        }
    }
    let mut damaged = Vec::new();
    let mut wanted = wanted.into_iter();
    for run in runs {
        let buffer = Buffer::zeroed(run.bytes());
        let checked = run.read(cache, buffer).await;
        for (page, survivor) in checked.pages().zip(wanted.by_ref()) {
            match page.content {
                Ok(bytes) => contents.push((survivor, Buffer::copy_of(bytes))),
                Err(_) => damaged.push(DamagedPage::at(cache, page.number, page.flash)),
            }
        }
    }
    // Neighbours on the disk become neighbours on flash.
    contents.sort_unstable_by_key(|(survivor, _)| (survivor.is_ahead, survivor.page));
    (contents, damaged)
}
