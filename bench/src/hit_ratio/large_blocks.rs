//! Blocks of a disk's default size: judged as blocks, while pages are fetched and written.
//!
//! There is no policy of a paper for comparison, because those fetch and hold whole blocks. The figure is the flash writes per missed page:
//! an LRU that admits every missed page writes one for each.

use hitsim::{Policy, Row, Workload};

use super::{BLOCK_BYTES, SIZES, as_reads, collect, made_up, served, simulate_blocks, sizes};

/// Default block size of a disk in bytes, which the daemon defines.
const LARGE_BLOCK_BYTES: u32 = 64 << 10;
/// Measured sizes: 10 and 20 % of the footprint of the trace.
const AT: [usize; 2] = [3, 4];

/// One size of one trace.
pub(super) struct LargeBlocks {
    /// As in [`SIZES`].
    size: usize,
    /// Misses of accesses, each to a part of one block.
    misses: f64,
    /// Pages written to flash per missed page, as if all accesses were to as many pages.
    pub(super) written: f64,
}

/// Simulates the default policy, with all accesses as reads. A size is left out if such a cache is impossible.
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

/// Disk with random reads of single pages, an eighth of it cached.
pub(super) struct AtRandom {
    block_bytes: u32,
    misses: f64,
    /// Pages written to flash per access.
    pub(super) written: f64,
}

/// Simulates the default policy with blocks of a page, and with those of a disk, which are last.
///
/// # Errors
/// If such a cache is impossible: a sentence.
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

/// Prints the results.
pub(super) fn print_at_random(all: &[AtRandom]) {
    println!(
        "\n### Single pages at random, an eighth cached: nothing that is written brings a hit\n\n\
         | block, KiB | misses | pages written an access |\n|---|---|---|"
    );
    for AtRandom { block_bytes, misses, written } in all {
        println!("| {} | {misses:.4} | {written:.2} |", block_bytes >> 10);
    }
}

/// Prints the results of the traces of these names.
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
