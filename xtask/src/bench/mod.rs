//! `cargo xtask bench`: speed of Forebay, beside others that do the same work on the same machine.
//!
//! ```text
//! doors       requests over NBD: `forebay serve` against nbdkit, qemu-storage-daemon and qemu-nbd
//! alone       the cache without a door: its interface on a file against fio, its own code, its memory
//! writes      write-back: beside the raw file and others; cost of destage; time until a start knows a dirty set
//! hit_ratio   hit ratios and flash writes on real traces, beside policies from papers
//! scrape      cost for guests of queries of statistics
//! record      cost for guests of a recording
//! idle        CPU time and wake-ups of a daemon whose guests do nothing
//! vhost       requests over vhost-user: beside qemu-storage-daemon, with a front end without a guest
//! neighbours  latency of a disk while another one of its shard has a deep queue
//! fleet       volumes in a modelled object store: bytes, rates, latencies, opens and clones
//! classes     distribution of latencies: ten disks on a modelled array, alone and cached
//! mapped      a mapped disk beside block caches of the kernel, in a guest: hits, requests and bytes, no times
//! postgres    a real database on a disk, with and without a cache, in a guest: for `cargo xtask papers`
//! restart     cost of safety: seconds until a start knows the cached content and serves, and the first write into a region
//! contest     rounds, medians, ratios           report     tables
//! fio         one run of the load               server     a process that serves, and its CPU time
//! forebay     the daemon as a server            peers      servers of others
//! scratch     files of one run
//! ```
//! Single figures have little value on a machine with other load. So contenders take turns (A B C, A B C, ...), each round gives one ratio,
//! and the median of the rounds counts. Everything is built and measured here; nothing is written into the tree, and every wait has an end.

mod alone;
mod classes;
mod contest;
mod doors;
mod fio;
mod fleet;
mod forebay;
mod hit_ratio;
mod idle;
mod mapped;
mod neighbours;
mod peers;
mod postgres;
mod record;
mod report;
mod restart;
mod scrape;
mod scratch;
mod server;
mod vhost;
mod writes;

use std::path::{Path, PathBuf};

use crate::built;
use crate::clients;
pub(crate) use mapped::measure_four;
pub(crate) use postgres::measure as measure_postgres;
use scratch::Scratch;

/// Extent of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Number of turns of each contender.
    rounds: u32,
    /// Seconds of load in each turn.
    seconds: u32,
}

impl Effort {
    /// The extent for documented figures: about ten minutes.
    pub(crate) const FULL: Self = Self { rounds: 9, seconds: 2 };
    /// A shorter one for work in progress: about three minutes.
    pub(crate) const QUICK: Self = Self { rounds: 3, ..Self::FULL };
}

/// Subject of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Everything,
    /// Time to serve again after a start, and the cost of that while it runs.
    Recovery,
    /// Write-back.
    Writes,
    /// The vhost-user door.
    Vhost,
    /// Statistics that are queried all the time.
    Scrape,
    /// Disk that is recorded.
    Record,
    /// Daemon without requests.
    Idle,
    /// Mapped disk beside block caches of the kernel.
    Mapped,
    /// Hit ratios of the policy.
    HitRatio,
    /// Distribution of latencies.
    LatencyClasses,
    /// Busy disk beside another one.
    Neighbours,
    /// Volumes in a modelled object store.
    Fleet,
}

/// Checks that the served policy did not get worse: hit ratios and flash writes of a made-up trace.
///
/// # Errors
/// If it became worse than its bounds allow.
pub(crate) fn hit_ratio_short(root: &Path) -> Result<(), String> {
    hit_ratio::report_short(root)
}

/// Programs that are measured.
struct Programs {
    forebay: PathBuf,
    bench: PathBuf,
}

/// Builds, measures and prints.
///
/// # Errors
/// If something cannot be built, or Forebay or fio fail. A peer that is not installed is named and left out.
pub(crate) fn bench(root: &Path, scope: Scope, effort: Effort) -> Result<(), String> {
    if scope == Scope::HitRatio {
        return hit_ratio::report(root, effort);
    }
    if scope == Scope::Fleet {
        return fleet::measure(root, effort);
    }
    if scope == Scope::LatencyClasses {
        return classes::measure(root, effort);
    }
    if scope == Scope::Recovery {
        return restart::measure(&build(root)?, &Scratch::new()?, effort);
    }
    if scope == Scope::Mapped {
        return mapped::measure(root, &Scratch::new()?);
    }
    if scope == Scope::Idle {
        return idle::measure(&build(root)?, &Scratch::new()?, effort);
    }
    clients::install_missing()?;
    let programs = build(root)?;
    let scratch = Scratch::new()?;
    if scope == Scope::Scrape {
        return scrape::measure(&programs, &scratch, effort);
    }
    if scope == Scope::Record {
        return record::measure(&programs, &scratch, effort);
    }
    if scope == Scope::Neighbours {
        return neighbours::measure(&programs, &scratch, effort);
    }
    println!(
        "Ratios say how fast Forebay is, the other being 1: above 1.00 it is ahead. Medians of {} rounds.",
        effort.rounds
    );
    if scope == Scope::Writes {
        return writes::measure(&programs, &scratch, effort);
    }
    if scope == Scope::Vhost {
        return vhost::measure(&programs, &scratch, effort);
    }
    doors::measure(&programs, &scratch, effort)?;
    // A folder of its own: several of its files have the names of the others'.
    vhost::measure(&programs, &Scratch::new()?, effort)?;
    alone::measure(&programs, &scratch, effort)?;
    restart::measure(&programs, &scratch, effort)?;
    writes::measure(&programs, &scratch, effort)
}

/// Builds the measured programs with all optimisations.
fn build(root: &Path) -> Result<Programs, String> {
    let programs = built::for_use(root, &["daemon", "bench"])?;
    Ok(Programs { forebay: programs.join("forebay"), bench: programs.join("bench") })
}
