//! Learned state of a disk, saved while it is not served: the worth of its blocks on flash, and the hit ratios of caches of other sizes.
//!
//! ```text
//!   policy, curve ── save ──> bytes ── restore ──> policy, curve
//!   index ── uses of each block on flash ─┘            └── once it is loaded ──> index
//! ```
//! None of it is needed to serve the disk right: what cannot be read is learned again. It is void where the cached content is. The bytes
//! name their disk and pool, and have a checksum.

use block::Host;

use super::disk_cache::{DiskCache, cache_blocks, new_policy};
use crate::bytes::checksum::checksum;
use crate::bytes::fields::{FieldReader, FieldWriter, Malformed};
use crate::knowledge::curve::Curve;
use crate::knowledge::index::PARTS;
use crate::knowledge::learned::{History, Learned, Packing, SavedHistories};
use crate::knowledge::policy::{self, Policy};
use crate::words::env::Env;
use crate::words::stats::Load;
use crate::words::units::PageNumber;

const MAGIC: [u8; 8] = *b"FBLEARND";
/// Version of the format. What another one wrote is learned again.
const VERSION: u32 = 1;
const CHECKSUM_AT: usize = 12;
const HEADER_BYTES: usize = 16;
/// Buckets of ghosts that are copied in one step: half a mebibyte.
const BUCKETS_AT_ONCE: usize = 1 << 16;
/// Blocks whose histories are taken in one step: about a millisecond.
const BLOCKS_AT_ONCE: usize = 1 << 15;
/// Time between two steps, in nanoseconds: guests are served meanwhile.
const STEP_NS: u64 = 1_000_000;

/// Returns what was learned of a disk, as bytes: about 2 for each block that its cache can hold and 3 for each that is on flash, and up to a
/// mebibyte. Takes a step at a time, and can be dropped at each.
pub(crate) async fn save<E: Env>(cache: &DiskCache<E>) -> Vec<u8> {
    let mut to = FieldWriter::default();
    to.put(&MAGIC);
    to.u32(VERSION);
    to.u32(0);
    to.put(&cache.pool.id().0);
    to.u32(cache.id.0);
    to.u32(cache.block_pages());
    cache.curve.borrow().encode(&mut to);
    let (buckets, packing) = {
        let policy = cache.policy.borrow();
        policy.learned().encode(&mut to);
        (policy.learned().ghost_buckets(), policy.learned().packing())
    };
    save_ghosts(cache, buckets, &mut to).await;
    packing.encode(&mut to);
    let mut blocks = 0;
    for part in 0..PARTS {
        blocks += save_histories(cache, part, &mut to);
        pause(cache, &mut blocks).await;
    }
    let mut bytes = to.into_bytes();
    let sum = checksum(&bytes[HEADER_BYTES..]);
    bytes[CHECKSUM_AT..HEADER_BYTES].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Appends all ghosts; none if the cache changes its size meanwhile.
async fn save_ghosts<E: Env>(cache: &DiskCache<E>, buckets: usize, to: &mut FieldWriter) {
    let length_at = to.len();
    to.u64(0);
    let start = to.len();
    for from in (0..buckets).step_by(BUCKETS_AT_ONCE) {
        {
            let policy = cache.policy.borrow();
            if policy.learned().ghost_buckets() != buckets {
                to.truncate(start);
                return;
            }
            policy.learned().encode_ghosts(from..buckets.min(from + BUCKETS_AT_ONCE), to);
        }
        cache.pool.host.sleep(STEP_NS).await;
    }
    let length = (to.len() - start) as u64;
    to.overwrite(length_at, &length.to_le_bytes());
}

/// Appends how the blocks of a part of the index were used. Returns how many it has.
fn save_histories<E: Env>(cache: &DiskCache<E>, part: usize, to: &mut FieldWriter) -> usize {
    let policy = cache.policy.borrow();
    let histories = cache.catalog.histories(part);
    let blocks = histories.len();
    let known = |(block, history): (u32, History)| Some((block, policy.learned().pack(history)?));
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

/// Goes on with what [`save`] returned, if the disk's content on flash counts. Of a disk with blocks of another size, with the curve alone.
/// To be called before its first request.
///
/// # Errors
/// If the bytes are not of this disk and pool, damaged, or of another version; then nothing has changed.
pub(crate) fn restore<E: Env>(cache: &DiskCache<E>, saved: &[u8]) -> Result<(), Malformed> {
    let mut from = FieldReader::new(saved);
    if from.bytes(MAGIC.len())? != MAGIC || from.u32()? != VERSION {
        return Err(Malformed("it is of another version"));
    }
    if from.u32()? != checksum(from.rest()) {
        return Err(Malformed("it is damaged"));
    }
    if from.bytes(16)? != cache.pool.id().0 || from.u32()? != cache.id.0 {
        return Err(Malformed("it is of another disk or pool"));
    }
    let block_pages = from.u32()?;
    let curve = Curve::decode(&mut from)?;
    let counts = !matches!(cache.load.borrow().state, Load::Cold(_));
    if counts && block_pages == cache.block_pages() {
        let settings = *cache.settings.borrow();
        let (blocks, aim) = (cache_blocks(&cache.pool, &settings), policy::aim(settings.admission));
        let learned = Learned::decode(&mut from, ghosts, blocks, aim)?;
        let packing = Packing::decode(&mut from)?;
        cache.policy.replace(Policy::with_learned(settings.admission, learned));
        if cache.is_loading() {
            let bytes = from.rest().into();
            cache.saved_histories.replace(Some(SavedHistories { bytes, packing }));
        }
    }
    if counts {
        **cache.curve.borrow_mut() = curve;
    }
    Ok(())
}

/// Takes the bytes of ghosts, behind their number.
fn ghosts<'a>(from: &mut FieldReader<'a>) -> Result<&'a [u8], Malformed> {
    let length = usize::try_from(from.u64()?).map_err(|_| Malformed("there cannot be so many ghosts"))?;
    from.bytes(length)
}

/// Gives blocks that were loaded the histories that they had, a part at a time. One that was used since keeps what is known of it. If
/// what was loaded turned out not to count, what was learned is dropped instead.
pub(super) async fn take_histories<E: Env>(cache: &DiskCache<E>) {
    let Some(SavedHistories { bytes, packing }) = cache.saved_histories.take() else { return };
    if matches!(cache.load.borrow().state, Load::Cold(_)) {
        // It was learned of content that does not count.
        let settings = *cache.settings.borrow();
        cache.policy.replace(new_policy(&cache.pool, &settings));
        return;
    }
    let (mut from, mut blocks) = (FieldReader::new(&bytes), 0);
    for _ in 0..PARTS {
        if cache.leaving.get() {
            return;
        }
        match take_part(cache, &mut from, packing) {
            Ok(taken) => blocks += taken,
            // The checksum held, so the writer has a defect: the missing part is learned again.
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
