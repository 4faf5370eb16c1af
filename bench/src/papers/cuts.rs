//! Four traces for a comparison with block caches of the kernel: the beginning of recordings, or generated ones, as single pages of a small
//! disk.
//!
//! Contenders count hits in units of their own, so each request is its first page alone. Addresses are compacted: extents of
//! [`CLUSTER_PAGES`] pages of which none is accessed are left out, and the order of the others and the place of a page in its extent stay.
//! Caches with blocks of at most an extent have the neighbours that they had.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use trace::{Kind, Options, Trace};
use workload::{DECISION_SUPPORT, MONITORING, NFS_GUEST, TILE, Workload};

use super::{MIB, SEED};

const PAGE: u64 = 4096;
/// Pages of an extent: the smallest block of dm-cache, 32 KiB.
const CLUSTER_PAGES: u64 = 8;
/// Most extents of a cut, so that a guest's memory holds them: 288 MiB. A longer footprint ends the cut.
const CLUSTERS_MAX: usize = 9216;

/// Recordings: file, name, and requests before the cut, where the beginning says little.
const RECORDINGS: [(&str, &str, usize); 4] = [
    ("tencent_537.trace.zst", "tencent_537", 0),
    ("msr_cut_1006.trace.zst", "msr_cut_1006", 0),
    ("field/hplajw_root.csv.zst", "hplajw_root", 0),
    ("cp_w92.vscsi.zst", "cp_w92", 12_000),
];
/// Workloads in their place.
const GENERATED: [&Workload; 4] = [&DECISION_SUPPORT, &MONITORING, &NFS_GUEST, &TILE[2]];
/// Data of a generated one.
const DATA: u64 = 64 * MIB;

/// Arguments of `bench cuts`.
#[derive(clap::Args)]
pub(crate) struct CutsArguments {
    /// The folder of the recordings; generated traces without one.
    #[arg(long)]
    traces: Option<PathBuf>,
    /// Requests of each.
    #[arg(long, default_value_t = 10_000)]
    requests: usize,
}

/// Access to one page.
type Access = (u64, bool);

/// Prints four traces: a line `trace NAME` and a line `r PAGE` or `w PAGE` for each request.
///
/// # Errors
/// If a recording is absent or damaged.
pub(crate) fn print(arguments: &CutsArguments) -> Result<(), String> {
    let mut text = String::new();
    for (name, accesses) in four(arguments)? {
        writeln!(text, "trace {name}").expect("a string takes everything");
        for (page, is_write) in compacted(&accesses) {
            writeln!(text, "{} {page}", if is_write { 'w' } else { 'r' }).expect("a string takes everything");
        }
    }
    print!("{text}");
    Ok(())
}

fn four(arguments: &CutsArguments) -> Result<Vec<(String, Vec<Access>)>, String> {
    let count = arguments.requests;
    if let Some(folder) = &arguments.traces {
        let recordings = RECORDINGS.iter();
        return recordings
            .map(|(file, name, skipped)| {
                Ok(((*name).to_owned(), recorded(&folder.join(file), *skipped, count)?))
            })
            .collect();
    }
    let generated = GENERATED.iter().map(|workload| {
        let requests = workload.requests(DATA, SEED).take(count);
        (workload.name.to_owned(), requests.map(|one| (one.offset / PAGE, one.is_write)).collect())
    });
    Ok(generated.collect())
}

fn recorded(file: &Path, skipped: usize, count: usize) -> Result<Vec<Access>, String> {
    let trace = Trace::open(file, &Options::default()).map_err(|error| error.to_string())?;
    trace
        .skip(skipped)
        .take(count)
        .map(|request| {
            let request = request.map_err(|error| error.to_string())?;
            Ok((trace::blocks(&request, PAGE).start, request.kind == Kind::Write))
        })
        .collect()
}

/// Returns the accesses with compacted addresses, up to the first one that needs too many extents.
fn compacted(accesses: &[Access]) -> Vec<Access> {
    let mut used = BTreeSet::new();
    let fits = |(page, _): &&Access| {
        let is_new = used.insert(page / CLUSTER_PAGES);
        !is_new || used.len() <= CLUSTERS_MAX
    };
    let kept: Vec<&Access> = accesses.iter().take_while(fits).collect();
    let clusters: BTreeSet<u64> = kept.iter().map(|(page, _)| page / CLUSTER_PAGES).collect();
    let places: BTreeMap<u64, u64> = clusters.into_iter().zip(0..).collect();
    let moved = |(page, is_write): &Access| {
        (places[&(page / CLUSTER_PAGES)] * CLUSTER_PAGES + page % CLUSTER_PAGES, *is_write)
    };
    kept.into_iter().map(moved).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compaction_keeps_order_and_neighbours_and_leaves_out_the_rest() {
        let accesses = [(801, false), (3, true), (800, false), (90_000, true), (4, false)];
        assert_eq!(compacted(&accesses), [(9, false), (3, true), (8, false), (16, true), (4, false)]);
    }

    #[test]
    fn a_cut_ends_before_the_extent_that_does_not_fit() {
        let mut accesses: Vec<Access> =
            (0..CLUSTERS_MAX as u64).map(|at| (at * CLUSTER_PAGES, false)).collect();
        let again = accesses[0];
        accesses.push(again);
        assert_eq!(compacted(&accesses).len(), CLUSTERS_MAX + 1);
        accesses.push((u64::from(u32::MAX), false));
        accesses.push(again);
        assert_eq!(compacted(&accesses).len(), CLUSTERS_MAX + 1);
    }

    #[test]
    fn without_recordings_four_workloads_take_their_place() {
        let cuts = four(&CutsArguments { traces: None, requests: 500 }).expect("nothing is read");
        assert!(cuts.len() == 4 && cuts.iter().all(|(_, accesses)| accesses.len() == 500));
        // The first of them hardly writes.
        let kinds = |accesses: &[Access], is_write| accesses.iter().filter(|one| one.1 == is_write).count();
        assert!(
            cuts[1..].iter().all(|(_, accesses)| kinds(accesses, true) > 5 && kinds(accesses, false) > 5)
        );
    }
}
