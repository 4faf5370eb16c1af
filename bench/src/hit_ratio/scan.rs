//! Cost of a scan: a sequential read of four times the cache in the middle of a trace, as by a backup or a virus check, of data that the
//! trace never touches.
//!
//! Only the rest counts: the scan itself is read once, and has no hits in any cache.

use hitsim::policies::Reference;
use hitsim::{Outcome, Policy, Row, Workload};
use trace::{Kind, Request};

use super::{BLOCK_BYTES, SIZES, as_reads, served, simulate_at, sizes, with_cutoff};

/// Size of the scan in caches.
const TIMES: u64 = 4;
/// Bytes of a request of the scan.
const REQUEST_BYTES: u32 = 128 << 10;
/// Number of a device that no trace has.
const DEVICE: u32 = u32::MAX;
/// Measured sizes: 10 and 20 % of the footprint of the trace.
const AT: [usize; 2] = [3, 4];

/// Policies with a scan.
pub(super) const SCANNED: [&str; 3] = ["served", "served, cutoff 4 MiB", "lru"];

/// One size of one trace.
pub(super) struct Scanned {
    /// As in [`SIZES`].
    size: usize,
    scan_pages: u64,
    /// Points of hit ratio lost in the rest, by each of [`SCANNED`]; none if such a cache is impossible.
    pub(super) lost: [Option<f64>; 3],
}

/// Inserts a scan in the middle of these requests.
fn with_scan(requests: &[Request], scan_bytes: u64) -> impl Iterator<Item = Request> {
    let (before, behind) = requests.split_at(requests.len() / 2);
    let scan = (0..scan_bytes).step_by(REQUEST_BYTES as usize).map(move |offset| Request {
        device: DEVICE,
        kind: Kind::Read,
        offset,
        length: u64::from(REQUEST_BYTES).min(scan_bytes - offset) as u32,
        ..Request::default()
    });
    before.iter().copied().chain(scan).chain(behind.iter().copied())
}

/// Simulates a trace with a scan of its own for each size.
///
/// # Errors
/// If it cannot be simulated: a sentence.
pub(super) fn simulate(requests: &[Request], workload: &Workload) -> Result<Vec<Scanned>, String> {
    let all: Vec<(usize, u64)> = sizes(workload).enumerate().collect();
    AT.iter().map(|at| one(requests, workload, all[*at])).collect()
}

fn one(
    requests: &[Request],
    workload: &Workload,
    (size, size_bytes): (usize, u64),
) -> Result<Scanned, String> {
    let scan_pages = TIMES * size_bytes / u64::from(BLOCK_BYTES);
    let scanned = with_scan(requests, scan_pages * u64::from(BLOCK_BYTES)).map(Ok);
    let scanned = Workload::collect(scanned).map_err(|error| error.to_string())?;
    let policies: Vec<Policy> = served().take(1).chain([Policy::Reference(Reference::Lru)]).collect();
    let run = |policies: &[Policy], conditions| {
        let [plain, scanned] =
            [workload, &scanned].map(|of| simulate_at(of, policies, conditions, &[size_bytes]));
        policies.iter().map(|policy| lost(&plain, &scanned, *policy)).collect::<Vec<_>>()
    };
    let (plain, cut) = (run(&policies, &as_reads()), run(&policies[..1], &with_cutoff()));
    Ok(Scanned { size, scan_pages, lost: [plain[0], cut[0], plain[1]] })
}

/// Returns the points of hit ratio that a policy loses outside of the scan.
#[expect(clippy::cast_precision_loss, reason = "a ratio for people; counts of accesses are 32 bits")]
fn lost(plain: &Outcome, scanned: &Outcome, policy: Policy) -> Option<f64> {
    let of = |outcome: &Outcome| outcome.rows.iter().find(|row| row.point.policy == policy).copied();
    let hits = |row: &Row| row.tally.accesses as f64 - row.tally.misses as f64;
    let (plain, scanned) = (of(plain)?, of(scanned)?);
    Some(100.0 * (hits(&plain) - hits(&scanned)) / plain.tally.accesses as f64)
}

/// Prints the cost for the traces of these names.
pub(super) fn print<'a>(all: impl Iterator<Item = (&'a str, &'a [Scanned])>) {
    println!(
        "\n### A scan of {TIMES}x the cache in the middle: points of hit ratio lost over the rest\n\n| trace | of footprint | pages \
         scanned | {} |\n|---|---|---|{}",
        SCANNED.join(" | "),
        "---|".repeat(SCANNED.len())
    );
    for (name, scanned) in all {
        for Scanned { size, scan_pages, lost } in scanned {
            let cells = lost.map(|lost| lost.map_or_else(|| "-".to_owned(), |lost| format!("{lost:.2}")));
            println!("| {name} | {} | {scan_pages} | {} |", SIZES[*size], cells.join(" | "));
        }
    }
}
