//! Reclaim: frees the oldest segment, or a cheaper one of the same disk (`out_of_order.rs`). Its warm pages are appended again first, and
//! so are its dirty ones (rule I8). These copies, and the newer versions of what guests wrote there, are durable before the segment is
//! free.
//!
//! One reclaim runs at a time for the whole pool, on the shard on which the victim's owner is attached; the turns are
//! taken in `storage/reclaim_slot.rs`.

use std::rc::Rc;

use block::{Host, Operation};

use super::ahead::fill_up;
use super::disk_cache::DiskCache;
use super::disks::Disks;
use super::invalidate::remember_elsewhere;
use super::leave::leave;
use super::lost::{self, DamagedPage};
use super::out_of_order::{self, choose};
use super::range_tombstones::RangeTombstones;
use super::second_copies::lacks_second;
use super::settle_log::settle_log;
use super::survivors::{Survivor, SurvivorPages, append_again, keep_warm, survivors_max};
use super::vacate::has_to_move;
use crate::format::summary::Content;
use crate::state::reclaim_eligibility::CountToken;
use crate::state::segments::SegmentPurpose;
use crate::storage::log::WrittenBatch;
use crate::storage::pool::Pool;
use crate::storage::reclaim_slot::ReclaimTurn;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::BATCH_PAGES_MAX;
use crate::types::stats::count;
use crate::types::units::{SegmentNumber, SegmentOwner};

/// Makes room whenever a task waits for it and it is this shard's turn, as long as the pool is in use.
pub(crate) async fn run<E: Env>(pool: Rc<Pool<E>>, disks: Rc<Disks<E>>) {
    let mut gains = Gains::default();
    loop {
        pool.slot.woken().await;
        while let Some(mut work) = pool.slot.next_victim() {
            let before = Done::so_far(&disks);
            let freed = reclaim(&pool, &disks, &mut work, gains.staying()).await;
            work.end();
            let done = Done::so_far(&disks).since(before);
            gains.note(done, survivors_max(&pool), pool.layout().batch_pages());
            if !freed || gains.are_none() {
                // Reclaim would only move dirty pages around. Destage or another device helps; waiting tasks ask again then.
                disks.borrow().values().for_each(|cache| cache.back.destage.request_all());
                pool.host.sleep(RETRY_NS).await;
                pool.announce_room();
                // The step below may help.
                pool.slot.wake();
                break;
            }
        }
        if pool.notice_failure() {
            for cache in disks.borrow().values() {
                if cache.check_alive(Operation::Read).is_err() {
                    // It stays as it is: should the flash return, all acknowledged data is there.
                    continue;
                }
                cache.forget_flash();
                // At once: the flash may have lost acknowledged data, and a kill must not bring back the rest.
                let cache = Rc::clone(cache);
                pool.host.spawn(async move { drop(remember_elsewhere(&cache).await) });
            }
        } else {
            leave(&pool, &disks).await;
            if let Err(error) = pool.copy_notes().await {
                tracing::warn!(%error, "Notes about regions stand on one device only");
            }
            let wants_it = |cache: &&Rc<DiskCache<E>>| lacks_second(cache) || has_to_move(cache);
            for cache in disks.borrow().values().filter(wants_it) {
                cache.second_wanted.notify_one();
            }
        }
    }
}

/// Reclaims a victim: the one that was chosen, or one that its disk chose instead, if it may. Returns true if it is free.
async fn reclaim<E: Env>(
    pool: &Pool<E>,
    disks: &Disks<E>,
    work: &mut ReclaimTurn<'_>,
    staying: SurvivorPages,
) -> bool {
    let owner = pool.segments().life(work.victim).map(|(owner, _)| owner);
    let disk = owner.and_then(SegmentOwner::disk);
    let cache = disk.and_then(|disk| disks.borrow().get(&disk).cloned());
    let is_dirty = disk.is_some_and(|disk| pool.segments().is_dirty(disk));
    let owner_shard = disk.and_then(|disk| pool.segments().owner_shard(disk));
    let Some(cache) = cache else {
        // The turn may have been given before the owner went to another shard.
        let is_empty = !is_dirty && owner_shard.is_none_or(|shard| shard == pool.slot.shard);
        return finish(pool, work.victim, owner, is_empty).await;
    };
    let _reclaiming = cache.reclaiming.lock().await;
    if staying == SurvivorPages::Warm
        && let Some(chosen) = choose(&cache, work)
    {
        let going = ReclaimVictim::begin(&cache, work.victim, true).await;
        let content = going.content.as_ref();
        let is_empty =
            !cache.leaving.get() && out_of_order::empty(&cache, work.victim, content, &chosen).await;
        // Else the oldest goes after all.
        if is_empty || !work.exchange(chosen.oldest, chosen.life) {
            going.end(&cache, is_empty);
            return finish(pool, work.victim, owner, is_empty).await;
        }
    }
    let victim = work.victim;
    let going = ReclaimVictim::begin(&cache, victim, is_dirty || pool.segments().live(victim) > 0).await;
    let live = pool.segments().live(victim);
    // A released disk has no state here any more; one that has just been attached does not know yet what is dirty.
    let is_known = !(cache.leaving.get() || is_dirty && cache.is_loading());
    let is_empty = is_known
        && if live > 0 || is_dirty {
            empty(&cache, victim, going.content.as_ref(), staying).await
        } else {
            true
        };
    going.end(&cache, is_empty);
    finish(pool, victim, owner, is_empty).await
}

/// Frees a segment that is empty, or puts it back. Returns which.
async fn finish<E: Env>(
    pool: &Pool<E>,
    victim: SegmentNumber,
    owner: Option<SegmentOwner>,
    is_empty: bool,
) -> bool {
    // If its content became void meanwhile, it goes in any case.
    let still_owned = pool.segments().life(victim).map(|(owner, _)| owner) == owner;
    if !is_empty && still_owned {
        pool.segments().put_back(victim);
        return false;
    }
    pool.free_segment(victim).await;
    true
}

/// A segment that is being reclaimed, and its content by its summary.
struct ReclaimVictim {
    victim: SegmentNumber,
    content: Option<Content>,
    counted: Option<CountToken>,
}

impl ReclaimVictim {
    /// Reads the content of the segment, if that is wanted, or needed to know which log entries go with it.
    async fn begin<E: Env>(cache: &DiskCache<E>, victim: SegmentNumber, wanted: bool) -> Self {
        count(&cache.counters.reclaims, 1);
        let counted = cache.catalog.begin_reclaim(victim);
        let reads = wanted || counted.is_some();
        let content = if reads { cache.pool.read_summary(victim).await } else { None };
        Self { victim, content, counted }
    }

    /// Counts the entries that went with it, if it went.
    fn end<E: Env>(&self, cache: &DiskCache<E>, is_empty: bool) {
        if is_empty {
            cache.catalog.end_reclaim(self.victim, self.content.as_ref(), self.counted);
            cache.catalog.check_in_debug();
        }
    }
}

/// Rest of reclaim after it could not empty a segment, or emptied some without gain: nanoseconds.
const RETRY_NS: u64 = 50_000_000;

/// Totals of reclaim for the disks on this shard: lower than before if a disk has left meanwhile.
#[derive(Clone, Copy)]
struct Done {
    /// Pages of victims that were appended again.
    moved: u64,
    /// Headers that were written for that.
    headers: u64,
}

impl Done {
    fn so_far<E: Env>(disks: &Disks<E>) -> Self {
        let (mut moved, mut headers) = (0, 0);
        for cache in disks.borrow().values() {
            moved += cache.counters.reappends.get() - cache.counters.reappends_ahead.get();
            headers += cache.headers_again.get();
        }
        Self { moved, headers }
    }

    fn since(self, before: Self) -> Self {
        Self {
            moved: self.moved.saturating_sub(before.moved),
            headers: self.headers.saturating_sub(before.headers),
        }
    }
}

/// Gains of successive reclaims.
#[derive(Default)]
struct Gains {
    /// Reclaims in a row that moved more than they may without need.
    in_vain: u32,
    /// Reclaims in a row that filled as much as they freed: not even a header and a page found room behind.
    even: u32,
}

impl Gains {
    /// Segments that are emptied one after another without any gain, until nothing stays that need not, and until reclaim rests.
    const IN_VAIN_TO_DROP: u32 = 2;
    const IN_VAIN_MAX: u32 = 4;
    /// The same for even ones. Only in segments of 32 KiB does moving no more than allowed break even: four pages of seven, a header before
    /// them, and one that announces that they are durable. A few such in a row are chance; but two segments were once moved around for
    /// ever.
    const EVEN_TO_DROP: u32 = 16;
    const EVEN_MAX: u32 = 20;

    /// Returns which pages of the next victim survive.
    fn staying(&self) -> SurvivorPages {
        let in_vain = self.in_vain >= Self::IN_VAIN_TO_DROP || self.even >= Self::EVEN_TO_DROP;
        if in_vain { SurvivorPages::Dirty } else { SurvivorPages::Warm }
    }

    /// Records a reclaim of a segment of `pages` pages, of which `survivors_max` may survive without need.
    fn note(&mut self, Done { moved, headers }: Done, survivors_max: u64, pages: u32) {
        self.in_vain = if moved <= survivors_max { 0 } else { self.in_vain + 1 };
        let has_room = moved + headers + 2 <= u64::from(pages);
        self.even = if has_room { 0 } else { self.even + 1 };
    }

    /// Returns true if nothing is gained though nothing stays that need not.
    fn are_none(&self) -> bool {
        self.in_vain >= Self::IN_VAIN_MAX || self.even >= Self::EVEN_MAX
    }
}

/// Tries of reading dirty pages that flash does not return, before they count as lost.
const TRIES: usize = 3;

/// Makes sure that nothing points to the segment any more, and that nothing is lost with it. Returns true if so.
async fn empty<E: Env>(
    cache: &DiskCache<E>,
    victim: SegmentNumber,
    content: Option<&Content>,
    staying: SurvivorPages,
) -> bool {
    let has_mutations = content.is_none_or(Content::has_mutations);
    let survivors = match content {
        // It is the oldest of its disk: there is nothing older.
        Some(content) => keep_warm(cache, victim, content, staying, |_| false),
        None => dirty_survivors(cache, victim),
    };
    // Held until all is appended.
    let (survivors, _pins) =
        if has_mutations { (survivors, Vec::new()) } else { fill_up(cache, victim, survivors).await };
    let mut tombstones = RangeTombstones::from_content(content);
    for chunk in survivors.chunks(BATCH_PAGES_MAX) {
        append_again(cache, chunk, &mut tombstones).await;
    }
    if has_mutations {
        let (rest, damaged) = retry_dirty(cache, survivors, &mut tombstones).await;
        let given_up = lost::give_up(cache, &damaged, SegmentPurpose::Survivors).await;
        let said = append_tombstones_again(cache, &mut tombstones).await;
        // With the bug planted, a simulation has to show its effect.
        debug_assert!(
            said.is_none() || tombstones.entries(cache, 1).is_empty() || canary::has(Bug::RangesSaidOnce),
            "what the segment says of ranges would go with it"
        );
        if given_up.is_none() || said.is_none() || rest.iter().any(|page| is_left(cache, page)) {
            return false;
        }
        if content.is_some() {
            count(&cache.counters.zeroes_reclaimed, tombstones.zeroes_left() as u64);
        }
        debug_assert!(
            dirty_survivors(cache, victim).is_empty(),
            "a summary names all that its segment holds"
        );
        count(&cache.headers_again, 1);
        if !canary::has(Bug::ReuseBeforeDurable) && settle_log(cache).await.is_err() {
            return false;
        }
    }
    // Left over are survivors that could not be appended, and everything if the summary could not be read.
    if cache.pool.segments().live(victim) > 0 {
        count(&cache.counters.evictions, cache.catalog.invalidate_segment(victim) as u64);
    }
    true
}

/// Returns true if a page is dirty, and still where it was.
fn is_left<E: Env>(cache: &DiskCache<E>, survivor: &Survivor) -> bool {
    survivor.is_current(cache) && cache.catalog.is_dirty(survivor.page)
}

/// Returns the dirty pages in a segment, from the index: without a summary, all dirty pages have to be checked.
fn dirty_survivors<E: Env>(cache: &DiskCache<E>, victim: SegmentNumber) -> Vec<Survivor> {
    let there = cache.catalog.dirty_in_segment(victim).into_iter();
    // Their sequences are unknown here: any later ones will do, as the log is in order.
    let survivor = |(page, located, history)| Survivor {
        page,
        sequence: cache.pool.draw_sequence(),
        located,
        history,
        is_ahead: false,
    };
    there.map(survivor).collect()
}

/// Tries again to append survivors that could not be read or appended. Returns the dirty pages that are left, and those of them that flash
/// cannot return.
async fn retry_dirty<E: Env>(
    cache: &DiskCache<E>,
    survivors: Vec<Survivor>,
    tombstones: &mut RangeTombstones,
) -> (Vec<Survivor>, Vec<DamagedPage>) {
    let (mut rest, mut damaged) = (survivors, Vec::new());
    rest.retain(|survivor| is_left(cache, survivor));
    for _ in 0..TRIES {
        if rest.is_empty() || cache.pool.notice_failure() {
            break;
        }
        damaged = append_again(cache, &rest, tombstones).await;
        rest.retain(|survivor| is_left(cache, survivor));
    }
    (rest, damaged)
}

/// Appends again, to the open segment, those range tombstones of the victim that still hold.
async fn append_tombstones_again<E: Env>(
    cache: &DiskCache<E>,
    tombstones: &mut RangeTombstones,
) -> Option<()> {
    while !tombstones.entries(cache, 1).is_empty() {
        let appender = cache.log.try_begin(SegmentPurpose::Survivors).await.ok()?;
        // Read under the lock of the log, as everything that is appended there.
        let entries = tombstones.entries(cache, appender.room());
        let mut batch = appender.batch(0);
        for tombstone in &entries {
            tombstone.add_to(&appender, &mut batch);
        }
        let WrittenBatch { number, .. } = appender.write(batch).await.ok()?;
        count(&cache.headers_again, 1);
        cache.back.record_dirty_batch(number);
        tombstones.note(&entries);
        if canary::has(Bug::RangesSaidOnce) {
            break;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_warm_goes_before_reclaim_rests_and_one_gain_ends_both() {
        for (moved, headers, drops_after, rests_after) in [(5, 1, 2, 4), (4, 2, 16, 20), (3, 3, 16, 20)] {
            let mut gains = Gains::default();
            for reclaimed in 0..rests_after {
                let stays = gains.staying() == SurvivorPages::Warm;
                assert_eq!((stays, gains.are_none()), (reclaimed < drops_after, false));
                gains.note(Done { moved, headers }, 4, 7);
            }
            assert!(gains.are_none());
            gains.note(Done { moved: 4, headers: 1 }, 4, 7);
            assert_eq!((gains.staying() == SurvivorPages::Warm, gains.are_none()), (true, false));
        }
    }

    #[test]
    fn in_larger_segments_as_much_as_may_be_moved_leaves_room() {
        for pages in [31, 63, 255, 16383] {
            let moved = u64::from(pages) * 6 / 8;
            let headers = 3 + moved / BATCH_PAGES_MAX as u64;
            let mut gains = Gains::default();
            gains.note(Done { moved, headers }, moved, pages);
            assert_eq!((gains.in_vain, gains.even), (0, 0), "{pages} pages");
        }
    }
}
