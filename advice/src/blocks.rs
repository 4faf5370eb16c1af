//! Block size: the unit in which a disk is indexed, remembered and evicted. Only the pages of a request are fetched, so larger blocks cost
//! no reads of the backing; they cost hits where neighbours are not used together, and save RAM of the index.

use cache::Prediction;
use cache::types::limits::DISK_BLOCKS_MAX;

use super::answer::{Advice, BlockBasis, BlockSize, Blocks};
use super::words::exact;
use super::{AdviceInput, Plan, READS_NEEDED, SimulatedHits, float, percent, points, ratio, size, whole};

const PAGE: u64 = block::PAGE;

/// Loss of hit ratio up to which blocks are as good as the best.
const AS_GOOD: f64 = 0.01;
/// Gain of hit ratio that justifies a change, which drops everything that is cached.
const WORTH_A_CHANGE: f64 = 0.02;
/// Reads below which the curve of a served disk is too rough for a change of the block size.
const READS_FOR_BLOCKS: u64 = 5 * READS_NEEDED;
/// Largest block to advise; larger ones save almost no RAM.
const BLOCK_MAX: u64 = 64 << 10;
/// Default of the block size.
const BLOCK_DEFAULT: u64 = 64 << 10;

/// RAM of what is learned of a disk, independent of its size, at the start and later, in bytes (docs/dev/notes/performance.md).
pub(super) const LEARNED: (f64, f64) = (143_000.0, 630_000.0);
/// RAM of the index for a block of one page, fresh and after random writes, in bytes.
const SINGLE: (f64, f64) = (23.7, 27.0);
/// RAM for a block of several pages: for itself, for each address, for each page. The values fit the measurement with 16 pages on 4 GiB:
/// 118 bytes with one address and 142 with about nine.
const BLOCK: f64 = 41.9;
const ADDRESS: f64 = 3.0;
const OF_PAGE: f64 = 4.6;
/// Addresses of each page after random writes.
const ADDRESSES_CHURNED: f64 = 0.545;

/// Returns the effects of a block size; of one that was not compared, those of the worse of its two neighbours.
fn at(compared: &[BlockSize], block_bytes: u64) -> Option<BlockSize> {
    if let Some(known) = compared.iter().find(|block| block.block_bytes == block_bytes) {
        return Some(*known);
    }
    let smaller = compared.iter().rfind(|block| block.block_bytes < block_bytes)?;
    let larger = compared.iter().find(|block| block.block_bytes > block_bytes)?;
    let worse = if smaller.hit_ratio < larger.hit_ratio { smaller } else { larger };
    Some(BlockSize { block_bytes, ..*worse })
}

pub(super) fn add(known: &AdviceInput<'_>, plan: &Plan, advice: &mut Advice) {
    let (basis, compared) = compared(known, plan);
    // By the curve, larger blocks have more hits where neighbours follow each other: that is read-ahead, which a cache that fetches only
    // requested pages does not do. So only the loss against pages counts.
    let best = match basis {
        BlockBasis::Curve => compared.first().map(|pages| pages.hit_ratio),
        BlockBasis::Simulation => compared.iter().map(|block| block.hit_ratio).reduce(f64::max),
    };
    let Some(best) = best else { return };
    // An index numbers blocks in 32 bits: a larger disk needs larger ones.
    let is_taken = |block: &&BlockSize| known.disk_bytes.div_ceil(block.block_bytes) <= DISK_BLOCKS_MAX;
    let is_good = |block: &&BlockSize| block.hit_ratio >= best - AS_GOOD && block.block_bytes <= BLOCK_MAX;
    let good = compared.iter().filter(is_taken).filter(is_good).max_by_key(|block| block.block_bytes);
    let Some(good) = good.or(compared.iter().find(is_taken)).copied() else { return };
    let present = known.present.map_or(BLOCK_DEFAULT, |present| present.block_bytes);
    let at_present = at(&compared, present);
    // A small gain is not worth dropping the cached data.
    let stays = at_present
        .filter(|block: &BlockSize| known.present.is_some() && block.hit_ratio >= best - WORTH_A_CHANGE);
    let is_rough = basis == BlockBasis::Curve && known.curves.reads.uses() < float(READS_FOR_BLOCKS);
    let stays = stays.or(at_present.filter(|_| is_rough));
    let advised = stays.unwrap_or(good);
    let mut text = sentence(known, plan, basis, &compared, &advised);
    if is_rough && advised.block_bytes != good.block_bytes {
        text.extend([format!(
            " They stay as they are: {} reads are too few to change them by, and {} are needed.",
            whole(known.curves.reads.uses()),
            READS_FOR_BLOCKS
        )]);
    }
    advice.add_sentence("block-size", text);
    if advised.block_bytes != present {
        advice.set("block-size", exact(advised.block_bytes));
    }
    advice.blocks = Some(Blocks {
        advised_bytes: advised.block_bytes,
        present_bytes: known.present.map(|present| present.block_bytes),
        basis,
        compared,
        present_index_share: known
            .present
            .and_then(|present| index_share(present.index_bytes, present.flash_content_bytes)),
    });
}

/// Returns the share of the present index; none if it is nearly empty, which is no measure.
fn index_share(index_bytes: u64, content_bytes: u64) -> Option<f64> {
    ratio(index_bytes, content_bytes).filter(|_| content_bytes >= 1 << 20)
}

fn compared(known: &AdviceInput<'_>, plan: &Plan) -> (BlockBasis, Vec<BlockSize>) {
    if known.simulated.is_empty() {
        let of = |(block_bytes, reads): &(u64, Prediction)| {
            let (index_bytes_min, index_bytes_max) = index_bytes(plan.flash_bytes, *block_bytes);
            let hit_ratio = reads.hit_ratio(plan.cache_bytes())?;
            Some(BlockSize { block_bytes: *block_bytes, hit_ratio, index_bytes_min, index_bytes_max })
        };
        return (BlockBasis::Curve, known.curves.blocks.iter().filter_map(of).collect());
    }
    let of = |simulated: &SimulatedHits| BlockSize {
        block_bytes: simulated.block_bytes,
        hit_ratio: simulated.hit_ratio(),
        index_bytes_min: simulated.index_bytes,
        index_bytes_max: simulated.index_bytes,
    };
    (BlockBasis::Simulation, known.simulated.iter().map(of).collect())
}

/// Returns the RAM of the index for so much flash, fresh and churned, with everything learned by then.
pub(super) fn index_bytes(flash_bytes: u64, block_bytes: u64) -> (u64, u64) {
    let pages = float(block_bytes / PAGE);
    let of = |addresses: f64| BLOCK + ADDRESS * addresses + OF_PAGE * pages;
    let (fresh, churned) =
        if block_bytes <= PAGE { SINGLE } else { (of(1.0), of((pages * ADDRESSES_CHURNED).max(1.0))) };
    let blocks = float(flash_bytes) / float(block_bytes.max(PAGE));
    (whole(LEARNED.0 + blocks * fresh), whole(LEARNED.1 + blocks * churned))
}

fn index_of(block: &BlockSize) -> String {
    let (min, max) = (size(block.index_bytes_min), size(block.index_bytes_max));
    if min == max { min } else { format!("{min} to {max}") }
}

fn sentence(
    known: &AdviceInput<'_>,
    plan: &Plan,
    basis: BlockBasis,
    compared: &[BlockSize],
    advised: &BlockSize,
) -> String {
    let how = match basis {
        BlockBasis::Curve => {
            "If blocks were fetched and kept whole, hits would be as follows; less than with 4KiB is room that they waste, more is read-ahead, \
             which Forebay does not do"
        }
        BlockBasis::Simulation => "Simulated with the served policy, whole requests",
    };
    let listed: Vec<String> = compared
        .iter()
        .map(|block| format!("{} {}", size(block.block_bytes), percent(block.hit_ratio)))
        .collect();
    let mut text = format!(
        "Blocks of {}. {how}: {}. The index of {} of flash takes {} of RAM then",
        size(advised.block_bytes),
        listed.join(", "),
        size(plan.flash_bytes),
        index_of(advised)
    );
    let pages = compared.iter().find(|block| block.block_bytes == PAGE);
    if let Some(pages) = pages.filter(|_| advised.block_bytes > PAGE) {
        text.extend([format!(", and with blocks of 4KiB {}", index_of(pages))]);
    }
    text.push('.');
    if let Some(present) = &known.present {
        if let Some(share) = index_share(present.index_bytes, present.flash_content_bytes) {
            text.extend([format!(
                " At present it takes {}, {:.2}% of what is on flash.",
                size(present.index_bytes),
                share * 100.0
            )]);
        }
        let before = compared.iter().find(|block| block.block_bytes == present.block_bytes);
        if let Some(before) = before.filter(|before| before.block_bytes != advised.block_bytes) {
            text.extend([format!(
                " Blocks of {} waste {}; a change drops the cached data of the disk.",
                size(before.block_bytes),
                points((advised.hit_ratio - before.hit_ratio).max(0.0))
            )]);
        }
    }
    text
}
