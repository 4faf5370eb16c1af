//! Blocks as large as a disk has them out of the box: judged as blocks, while pages are what is fetched and written.
//!
//! There is no policy of a paper beside them, for those fetch and hold whole blocks. What can be said is how much is written to flash for
//! what is missed: an LRU that admits every page that is missed writes one for each.

use hitsim::{Policy, Row, Workload};

use super::{BLOCK_BYTES, SIZES, as_reads, collect, made_up, served, simulate_blocks, sizes};

/// Bytes of a block of a disk out of the box, which is the daemon's to say.
const LARGE_BLOCK_BYTES: u32 = 64 << 10;
/// Sizes at which it is looked at: 10 and 20 % of what the trace touches.
const AT: [usize; 2] = [3, 4];

/// One size of one trace.
pub(super) struct LargeBlocks {
    /// As in [`SIZES`].
    size: usize,
    /// Of accesses, each to a part of one block.
    misses: f64,
    /// Pages written to flash for each page that was missed, as if all accesses were to as many pages.
    pub(super) written: f64,
}

/// Simulates what is served out of the box, all accesses as reads. A size of which there can be no such cache is left out.
pub(super) fn simulate(workload: &Workload) -> Vec<LargeBlocks> {
    let policies: Vec<Policy> = served().take(1).collect();
    let all: Vec<u64> = sizes(workload).collect();
    let at = |size: usize| {
        let outcome = simulate_blocks(workload, &policies, &as_reads(), &[all[size]], LARGE_BLOCK_BYTES);
        outcome.rows.first().map(|row| LargeBlocks {
            size,
            misses: row.miss_ratio(),
            written: written(workload, row),
        })
    };
    AT.into_iter().filter_map(at).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a ratio for people; accesses and pages stay far below 2^52")]
fn written(workload: &Workload, row: &Row) -> f64 {
    let pages = row.flash_data_bytes as f64 / f64::from(BLOCK_BYTES);
    pages / (workload.page_accesses() as f64 * row.miss_ratio())
}

/// A disk of which single pages are read at random, an eighth of it cached.
pub(super) struct AtRandom {
    block_bytes: u32,
    misses: f64,
    /// Pages written to flash an access.
    pub(super) written: f64,
}

/// Simulates what is served out of the box with blocks of a page, and with those of a disk, which come last.
///
/// # Errors
/// If there cannot be such a cache: a sentence.
pub(super) fn at_random() -> Result<[AtRandom; 2], String> {
    let workload = collect(&made_up::at_random())?;
    let policies: Vec<Policy> = served().take(1).collect();
    let size = made_up::PAGES_AT_RANDOM * u64::from(BLOCK_BYTES) / 8;
    let of = |block_bytes| {
        let outcome = simulate_blocks(&workload, &policies, &as_reads(), &[size], block_bytes);
        let row = outcome.rows.first().ok_or("An eighth of what is read at random is no cache")?;
        let written = row.flash_writes_per_access() * f64::from(block_bytes / BLOCK_BYTES);
        Ok::<_, String>(AtRandom { block_bytes, misses: row.miss_ratio(), written })
    };
    Ok([of(BLOCK_BYTES)?, of(LARGE_BLOCK_BYTES)?])
}

/// Prints what came of it.
pub(super) fn print_at_random(all: &[AtRandom]) {
    println!(
        "\n### Single pages at random, an eighth cached: nothing that is written brings a hit\n\n\
         | block, KiB | misses | pages written an access |\n|---|---|---|"
    );
    for AtRandom { block_bytes, misses, written } in all {
        println!("| {} | {misses:.4} | {written:.2} |", block_bytes >> 10);
    }
}

/// Prints what came of the traces of these names.
pub(super) fn print<'a>(all: impl Iterator<Item = (&'a str, &'a [LargeBlocks])>) {
    println!(
        "\n### Blocks of 64 KiB, as out of the box, all accesses as reads\n\n\
         | trace | of footprint | misses | pages written for each page missed |\n|---|---|---|---|"
    );
    for (name, blocks) in all {
        for LargeBlocks { size, misses, written } in blocks {
            println!("| {name} | {} | {misses:.4} | {written:.2} |", SIZES[*size]);
        }
    }
}
