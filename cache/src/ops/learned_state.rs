//! Learned state of a disk, saved while it is not served: the worth of its blocks on flash, and the hit ratios of caches of other sizes.
//!
//! ```text
//!   policy, curve ── save ──> bytes ── decode, on any thread ── restore ──> policy, curve
//!   index ── uses of each block on flash ─┘                         once it is loaded ──> index
//! ```
//! None of it is needed to serve the disk right: what cannot be read is learned again. It is void where the cached content is. The bytes
//! have the frame of structures on flash, and name the disk.

use block::Host;

use super::disk_cache::{DiskCache, block_pages, cache_blocks, new_policy};
use crate::format::PoolId;
use crate::format::codec::{Decoder, FRAME_BYTES, seal};
use crate::format::fields::{FieldReader, FieldWriter, Malformed};
use crate::state::curve::Curve;
use crate::state::index::PARTS;
use crate::state::learned::{History, Learned, Packing, SavedHistories};
use crate::state::policy::{self, Policy};
use crate::storage::pool::Pool;
use crate::types::env::Env;
use crate::types::settings::{Admission, DiskSettings};
use crate::types::stats::LoadProgress;
use crate::types::units::{DiskId, PageNumber};

const MAGIC: [u8; 8] = *b"FBLEARND";
/// Version of the format. What another one wrote is learned again.
const VERSION: u32 = 1;
/// Blocks of the largest cache of which more than the curve is saved: with these, some 230 MB.
const BLOCKS_MAX: u64 = 1 << 25;
/// In the place of the size of blocks where only the curve is saved.
const NOT_SAVED: u32 = 0;
/// Buckets of ghosts that are copied in one step: half a mebibyte.
const BUCKETS_AT_ONCE: usize = 1 << 16;
/// Blocks whose histories are taken in one step: about a millisecond.
const BLOCKS_AT_ONCE: usize = 1 << 15;
/// Time between two steps, in nanoseconds: guests are served meanwhile.
const STEP_NS: u64 = 1_000_000;

/// Identity, size and settings of a disk's cache, for [`LearnedState::decode`].
#[derive(Clone, Copy, Debug)]
pub struct LearnedShape {
    pool: PoolId,
    disk: DiskId,
    block_pages: u32,
    /// Blocks that its cache can hold.
    blocks: u64,
    admission: Admission,
    /// The time of its host, in nanoseconds.
    now: u64,
}

/// Learned state of a disk, read from bytes.
pub struct LearnedState {
    /// Pages of the blocks that it was learned of.
    block_pages: u32,
    /// None if blocks had another size, or if it was not saved.
    learned: Option<Learned>,
    curve: Box<Curve>,
}

impl LearnedShape {
    pub(crate) fn new<E: Env>(pool: &Pool<E>, settings: &DiskSettings) -> Self {
        Self {
            pool: pool.id(),
            disk: settings.id,
            block_pages: block_pages(settings),
            blocks: cache_blocks(pool, settings),
            admission: settings.admission,
            now: pool.host.now(),
        }
    }
}

impl LearnedState {
    /// Reads what [`crate::CachedDisk::save_learned`] returned, for a disk of this shape. Takes tens of milliseconds for a large cache, on
    /// any thread.
    ///
    /// # Errors
    /// If the bytes are not of this disk and pool, damaged, or of another version.
    pub fn decode(saved: &[u8], shape: &LearnedShape) -> Result<Self, Malformed> {
        let fields = saved.get(FRAME_BYTES..).ok_or(Malformed("it is too short"))?;
        let (frame, _) = Decoder::of_versions(saved, MAGIC, &[VERSION])
            .map_err(|_| Malformed("it is damaged, or of another version"))?;
        let mut from = FieldReader::new(fields);
        if frame.pool() != shape.pool || from.u32()? != shape.disk.0 {
            return Err(Malformed("it is of another disk or pool"));
        }
        let block_pages = from.u32()?;
        let curve = Box::new(Curve::decode(shape.now, &mut from)?);
        let learned = (block_pages == shape.block_pages)
            .then(|| Learned::decode(&mut from, shape.blocks, policy::aim(shape.admission)))
            .transpose()?;
        Ok(Self { block_pages, learned, curve })
    }
}

/// Returns what was learned of a disk, as bytes: about 2 for each block that its cache can hold and 3 for each that is on flash, and up to a
/// mebibyte; the curve alone of a cache of more than [`BLOCKS_MAX`]. None if the disk leaves meanwhile. Takes a step at a time, and can be
/// dropped at each.
pub(crate) async fn save<E: Env>(cache: &DiskCache<E>) -> Option<Vec<u8>> {
    let mut to = FieldWriter::default();
    to.put(&[0; FRAME_BYTES]);
    to.u32(cache.id.0);
    let is_small = cache_blocks(&cache.pool, &cache.settings.borrow()) <= BLOCKS_MAX;
    to.u32(if is_small { cache.block_pages() } else { NOT_SAVED });
    cache.curve.borrow().encode(cache.pool.host.now(), &mut to);
    if is_small {
        save_blocks(cache, &mut to).await;
    }
    let mut bytes = to.into_bytes();
    seal(&mut bytes, MAGIC, VERSION, cache.pool.id());
    (!cache.leaving.get()).then_some(bytes)
}

/// Appends all but the curve. If the disk leaves, or its blocks change their size, something lacks at the end.
async fn save_blocks<E: Env>(cache: &DiskCache<E>, to: &mut FieldWriter) {
    let block_pages = cache.block_pages();
    let packing = {
        let policy = cache.policy.borrow();
        policy.learned().encode(to);
        policy.learned().packing()
    };
    save_ghosts(cache, packing, to).await;
    let mut blocks = 0;
    for part in 0..PARTS {
        if cache.leaving.get() || cache.block_pages() != block_pages {
            return;
        }
        blocks += save_histories(cache, part, packing, to);
        pause(cache, &mut blocks).await;
    }
}

/// Appends all ghosts; none if the cache changes its size meanwhile.
async fn save_ghosts<E: Env>(cache: &DiskCache<E>, packing: Packing, to: &mut FieldWriter) {
    let length_at = to.len();
    to.u64(0);
    let start = to.len();
    let buckets = cache.policy.borrow().learned().ghost_buckets();
    for from in (0..buckets).step_by(BUCKETS_AT_ONCE) {
        {
            let policy = cache.policy.borrow();
            let learned = policy.learned();
            if learned.ghost_buckets() != buckets || learned.packing() != packing {
                to.truncate(start);
                return;
            }
            learned.encode_ghosts(from..buckets.min(from + BUCKETS_AT_ONCE), to);
        }
        if from + BUCKETS_AT_ONCE < buckets {
            cache.pool.host.sleep(STEP_NS).await;
        }
    }
    let length = (to.len() - start) as u64;
    to.overwrite(length_at, &length.to_le_bytes());
}

/// Appends how the blocks of a part of the index were used. Returns how many it has.
fn save_histories<E: Env>(
    cache: &DiskCache<E>,
    part: usize,
    packing: Packing,
    to: &mut FieldWriter,
) -> usize {
    let policy = cache.policy.borrow();
    let histories = cache.catalog.histories(part);
    let blocks = histories.len();
    let known = |(block, history): (u32, History)| Some((block, policy.learned().pack(history, packing)?));
    let known: Vec<(u32, u8)> = histories.into_iter().filter_map(known).collect();
    to.varint(known.len() as u32);
    let mut before = 0;
    for (block, packed) in known {
        to.varint(block - before);
        to.u8(packed);
        before = block;
    }
    blocks
}

/// Lets guests be served once so many blocks were taken that they would notice.
async fn pause<E: Env>(cache: &DiskCache<E>, blocks: &mut usize) {
    if *blocks >= BLOCKS_AT_ONCE {
        *blocks = 0;
        cache.pool.host.sleep(STEP_NS).await;
    }
}

/// Goes on with learned state, if the disk's content on flash counts. To be called in the step in which the disk was attached: later its
/// content may be loaded, and a request may have been observed.
pub(crate) fn restore<E: Env>(cache: &DiskCache<E>, state: LearnedState) {
    if matches!(cache.load.borrow().state, LoadProgress::Cold(_)) {
        return;
    }
    let LearnedState { block_pages, learned, curve } = state;
    let settings = *cache.settings.borrow();
    if let Some(learned) = learned.filter(|_| block_pages == cache.block_pages()) {
        // Settings may have changed since it was read.
        let blocks = cache_blocks(&cache.pool, &settings);
        cache.policy.replace(Policy::with_learned(settings.admission, blocks, learned));
    }
    cache.curve.replace(curve);
}

/// Gives blocks that were loaded the histories that they had, a part at a time. One that was used since keeps its own. If what was loaded
/// turned out not to count, learned state is dropped instead.
pub(super) async fn take_histories<E: Env>(cache: &DiskCache<E>) {
    let taken = cache.policy.borrow_mut().take_histories();
    let Some(SavedHistories { bytes, packing }) = taken else { return };
    if matches!(cache.load.borrow().state, LoadProgress::Cold(_)) {
        let settings = *cache.settings.borrow();
        cache.policy.replace(new_policy(&cache.pool, &settings));
        return;
    }
    let block_pages = cache.block_pages();
    let (mut from, mut blocks) = (FieldReader::new(&bytes), 0);
    for _ in 0..PARTS {
        if cache.leaving.get() || cache.block_pages() != block_pages {
            return;
        }
        match take_part(cache, &mut from, packing) {
            Ok(taken) => blocks += taken,
            // It was not saved to its end: the missing part is learned again.
            Err(Malformed(_)) => return,
        }
        pause(cache, &mut blocks).await;
    }
}

fn take_part<E: Env>(
    cache: &DiskCache<E>,
    from: &mut FieldReader<'_>,
    packing: Packing,
) -> Result<usize, Malformed> {
    let policy = cache.policy.borrow();
    let block_pages = u64::from(cache.block_pages());
    let (count, mut block) = (from.varint()?, 0_u32);
    for _ in 0..count {
        block = block.checked_add(from.varint()?).ok_or(Malformed("there is no such block"))?;
        let saved = policy.learned().unpack(from.u8()?, packing);
        let unknown = |known: History| if known.uses() == 0 { saved } else { known };
        cache.catalog.update_history(PageNumber(u64::from(block) * block_pages), unknown);
    }
    Ok(count as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::batch::EntryKind;
    use crate::ops::testing::{TestCache, run};
    use crate::state::catalog::FlashExtent;
    use crate::state::learned::{ArrivalClass, By};
    use crate::types::units::SegmentNumber;

    /// Pages on flash.
    const PAGES: u64 = 6;
    /// A block that left.
    const GONE: u64 = 100_000;

    fn load(cache: &TestCache) {
        let segment = SegmentNumber(5);
        let start = cache.pool.layout().segment_start(segment);
        for page in 1..=PAGES {
            let (first, flash) = (PageNumber(page), start.plus(page as u32));
            cache.catalog.append_record().append(segment, std::iter::once((EntryKind::Fill, first)));
            cache.catalog.insert_clean(FlashExtent { first, flash, checksums: &[7] });
        }
    }

    /// Has pages used as often as their number says, up to four times, and a block leave that was used twice.
    fn used(cache: &TestCache) {
        let mut policy = cache.policy.borrow_mut();
        for page in 1..=PAGES {
            let first = policy.newcomer(page, ArrivalClass::ALONE);
            let history = (0..page % 4).fold(first, |history, _| policy.used(history, By::Read));
            cache.catalog.set_history(PageNumber(page), history);
        }
        let twice = policy.used(policy.newcomer(GONE, ArrivalClass::ALONE), By::Read);
        policy.left(GONE, twice);
    }

    fn decoded(cache: &TestCache, saved: &[u8]) -> Result<LearnedState, Malformed> {
        LearnedState::decode(saved, &LearnedShape::new(&cache.pool, &cache.settings.borrow()))
    }

    fn uses_of_gone(cache: &TestCache) -> u8 {
        cache.policy.borrow().newcomer(GONE, ArrivalClass::ALONE).uses()
    }

    #[test]
    fn histories_ghosts_and_what_was_learned_are_back_once_the_content_is_loaded() {
        run(async |before, after| {
            load(&before);
            used(&before);
            let saved = save(&before).await.expect("it stays");
            restore(&after, decoded(&after, &saved).expect("it was saved just now"));
            assert_eq!(uses_of_gone(&after), uses_of_gone(&before));
            load(&after);
            let page = PageNumber(5);
            let used_since = after.policy.borrow().newcomer(5, ArrivalClass::ALONE);
            after.catalog.set_history(page, used_since);
            after.load.borrow_mut().state = LoadProgress::Done;
            take_histories(&after).await;
            for page in (1..=PAGES).filter(|page| *page != 5) {
                let [saved, restored] =
                    [&before, &after].map(|cache| cache.catalog.history(PageNumber(page)).uses());
                // In classes of 1, 2, 4 and 8.
                assert_eq!(restored, 1 << saved.ilog2(), "page {page}");
            }
            assert_eq!(after.catalog.history(page), used_since);
        });
    }

    #[test]
    fn content_that_does_not_count_takes_learned_state_with_it() {
        run(async |before, after| {
            load(&before);
            used(&before);
            let saved = save(&before).await.expect("it stays");
            restore(&after, decoded(&after, &saved).expect("it was saved just now"));
            after.load.borrow_mut().state = LoadProgress::Cold("found out while it was loaded".to_owned());
            take_histories(&after).await;
            assert_eq!(uses_of_gone(&after), 1);
            restore(&after, decoded(&after, &saved).expect("as before"));
            assert_eq!(uses_of_gone(&after), 1, "it was known before");
        });
    }

    #[test]
    fn bytes_of_others_and_damaged_ones_are_refused() {
        run(async |before, after| {
            used(&before);
            let saved = save(&before).await.expect("it stays");
            let shape = LearnedShape::new(&after.pool, &after.settings.borrow());
            for other in
                [LearnedShape { pool: PoolId([9; 16]), ..shape }, LearnedShape { disk: DiskId(9), ..shape }]
            {
                assert!(LearnedState::decode(&saved, &other).is_err(), "{other:?}");
            }
            let larger = LearnedShape { block_pages: 4, ..shape };
            assert!(LearnedState::decode(&saved, &larger).is_ok_and(|state| state.learned.is_none()));
            for at in (0..saved.len()).step_by(97) {
                let mut damaged = saved.clone();
                damaged[at] ^= 1;
                assert!(decoded(&after, &damaged).is_err(), "byte {at}");
                assert!(decoded(&after, &saved[..at]).is_err(), "{at} bytes");
            }
        });
    }

    #[test]
    fn a_disk_that_leaves_is_not_saved_by_others() {
        run(async |cache, _| {
            cache.leaving.set(true);
            assert_eq!(save(&cache).await, None);
        });
    }
}
