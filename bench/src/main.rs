//! Measurements of the cache itself: on devices in memory (nanoseconds, and with callgrind instructions, per request; bytes of RAM per
//! block), on a real file through the ring, and the time until the daemon serves again. `cargo xtask bench` runs them against peers and
//! prints ratios.

mod classes;
mod client;
mod destage;
mod face;
mod fleet;
mod hit_ratio;
mod memory;
mod modelled;
mod nbd;
mod papers;
mod restart;
mod rig;
mod shards;
mod start;
mod vhost;
mod writes;

use std::time::Duration;

use cache::{Admission, DestageOrder};
use clap::{Parser, Subcommand};

/// Measures the cache itself. Prints one line of JSON per measurement.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Requests on devices in memory, one after another.
    Requests {
        /// Path of a request.
        #[arg(long, value_enum)]
        journey: memory::Journey,
        /// Requests to run.
        #[arg(long, default_value_t = 200_000)]
        count: u64,
    },
    /// Bytes of RAM per block on flash, freshly filled and after random churn.
    Index {
        /// Bytes of a block.
        #[arg(long, default_value_t = 4096)]
        block_bytes: u32,
        /// Bytes of flash, which are bytes of RAM here.
        #[arg(long, default_value_t = 1 << 30)]
        flash_bytes: u64,
        /// Admission to flash, as disks have it.
        #[arg(long, default_value = "adaptive")]
        admission: Admission,
    },
    /// Time of a start until all cached content is known again.
    Recovery {
        /// Bytes of a block.
        #[arg(long, default_value_t = 65536)]
        block_bytes: u32,
        /// Bytes of flash to fill and to recover.
        #[arg(long, default_value_t = 2 << 30)]
        flash_bytes: u64,
        /// The pool's file, which is overwritten; in memory without one.
        #[arg(long)]
        file: Option<std::path::PathBuf>,
    },
    /// Time of a start until all dirty data is known again, after a kill.
    DirtyRecovery {
        /// Bytes of random pages that are dirty; the pool is ten times as large.
        #[arg(long, default_value_t = 512 << 20)]
        dirty_bytes: u64,
        /// The pool's file, which is overwritten; in memory without one.
        #[arg(long)]
        file: Option<std::path::PathBuf>,
    },
    /// Time until the daemon serves again, and knows the cached content.
    Start {
        /// The program `forebay`.
        #[arg(long)]
        program: std::path::PathBuf,
        /// An empty folder for its pool, its sockets and a disk.
        #[arg(long)]
        dir: std::path::PathBuf,
        /// Size of the disk in bytes, all of which is cached.
        #[arg(long, default_value_t = 1 << 30)]
        bytes: u64,
        /// End of the previous process.
        #[arg(long, value_enum)]
        end: start::ProcessEnd,
    },
    /// Cost of the first write into a region, and of a later one.
    Intents {
        /// The pool's file; it is overwritten.
        #[arg(long)]
        file: std::path::PathBuf,
        /// Regions to write into.
        #[arg(long, default_value_t = 1000)]
        regions: u64,
    },
    /// Flash hits on a real file, through the ring.
    Face {
        /// The pool's file; it is overwritten.
        #[arg(long)]
        file: std::path::PathBuf,
        /// Requests in flight.
        #[arg(long, default_value_t = 32)]
        depth: u32,
        /// Seconds to measure.
        #[arg(long, default_value_t = 3)]
        seconds: u64,
    },
    /// Random 4 KiB writes in write-back on a real file, or to the file itself.
    Writes {
        /// The pool's file; it is overwritten.
        #[arg(long)]
        file: std::path::PathBuf,
        /// Writer of the requests.
        #[arg(long, value_enum)]
        writer: writes::Writer,
        /// State of the file at the start.
        #[arg(long, value_enum, default_value_t = writes::Storage::Written)]
        storage: writes::Storage,
        /// Writes in flight.
        #[arg(long, default_value_t = 32)]
        depth: u32,
        /// Number of writes between flushes.
        #[arg(long, default_value_t = 32)]
        flush_every: u64,
        /// Size of the area of random writes in bytes.
        #[arg(long, default_value_t = 256 << 20)]
        area: u64,
        /// Seconds to write.
        #[arg(long, default_value_t = 3)]
        seconds: u64,
        /// Bytes of a segment of the log: by default that of pools above 64 GiB.
        #[arg(long, default_value_t = 32 << 20)]
        segment_bytes: u64,
        /// Number of writes, instead of a time.
        #[arg(long)]
        count: Option<u64>,
    },
    /// Random writes on a modelled array: seeks as they arrive, and destaged. In virtual time.
    Burst {
        /// The array, such as `hdd-15k-raid5x5`.
        #[arg(long)]
        profile: block::model::Profile,
    },
    /// Age of the promise of a redo ring on a modelled array: at a share of its sequential rate, and at a burst. In virtual time.
    Age {
        /// The array, such as `hdd-15k-raid5x5`.
        #[arg(long)]
        profile: block::model::Profile,
        /// Hundredths of the sequential rate that a guest writes.
        #[arg(long)]
        rate_percent: u64,
        /// Limit of the age in seconds, as the key `consistent-age-max`.
        #[arg(long)]
        age_max: Option<u64>,
        /// Seconds for which the guest writes.
        #[arg(long, default_value_t = 30)]
        seconds: u64,
    },
    /// Guests' reads on a modelled array beside destage. In virtual time.
    Beside {
        /// The array, such as `hdd-15k-raid5x5`.
        #[arg(long)]
        profile: block::model::Profile,
        /// Destage goes through a redo ring on the same array.
        #[arg(long)]
        consistent: bool,
        /// Reads of guests, in hundredths of the random reads that the array answers.
        #[arg(long, default_value_t = 50)]
        load_percent: u64,
        /// Reads that are hits, in hundredths.
        #[arg(long, default_value_t = 80)]
        hit_percent: u64,
        /// Seconds for which guests read.
        #[arg(long, default_value_t = 40)]
        seconds: u64,
    },
    /// Ten virtual machines on a modelled array, alone and cached on two SSDs: distribution of latencies. In virtual time.
    Classes {
        /// The array, such as `hdd-15k-raid5x5`.
        #[arg(long)]
        profile: block::model::Profile,
        /// Requests that are measured.
        #[arg(long, default_value_t = 100_000)]
        requests: u64,
        /// Requests before them, which warm the cache.
        #[arg(long, default_value_t = 400_000)]
        warming: u64,
        /// Sizes of the pool to measure with, in hundredths of all disks together.
        #[arg(long, value_delimiter = ',', default_value = "10,125")]
        pools_percent: Vec<u64>,
    },
    /// The served policy beside those of papers, on real traces: Markdown, as in docs/dev/notes/hit-ratio.md.
    HitRatio {
        /// The folder of the traces.
        #[arg(long, required_unless_present = "short")]
        traces: Option<std::path::PathBuf>,
        /// The smaller traces only.
        #[arg(long)]
        quick: bool,
        /// One part alone, which takes less time.
        #[arg(long, value_enum, default_value_t)]
        part: hit_ratio::Reported,
        /// File for the chart of the trade-off, with `--part trade-off`.
        #[arg(long, value_name = "FILE")]
        svg: Option<std::path::PathBuf>,
        /// File for all points of `--part disks`, as comma-separated values.
        #[arg(long, value_name = "FILE")]
        csv: Option<std::path::PathBuf>,
        /// Generated trace instead, with an error if the served policy got worse.
        #[arg(long, conflicts_with_all = ["traces", "quick", "part", "svg", "csv"])]
        short: bool,
    },
    /// The experiments of five published documents, on modelled devices in virtual time; writes a page with charts.
    Papers(papers::PapersArguments),
    /// Volumes in a modelled object store.
    Fleet(fleet::FleetArguments),
    /// Four short traces of single pages, for a comparison with block caches of the kernel.
    Cuts(papers::cuts::CutsArguments),
    /// Random reads of an NBD export, pipelined on one connection.
    Nbd(nbd::NbdArguments),
    /// Random requests to vhost-user servers, as a guest sends them.
    Vhost(vhost::LoadArguments),
    /// Comparison of a vhost-user server's disk with a file.
    VhostCheck(vhost::CheckArguments),
    /// Serves hits in RAM through the vhost-user door, to count instructions.
    VhostDoor(vhost::DoorArguments),
    /// Flash hits on a real file, with disks spread over shards.
    Shards {
        /// The pool's file; it is overwritten.
        #[arg(long)]
        file: std::path::PathBuf,
        /// Threads.
        #[arg(long, default_value_t = 2)]
        shards: u32,
        /// Disks, at least one for each shard.
        #[arg(long, default_value_t = 2)]
        disks: u32,
        /// Requests in flight, of all disks together.
        #[arg(long, default_value_t = 32)]
        depth: u32,
        /// Seconds to measure.
        #[arg(long, default_value_t = 3)]
        seconds: u64,
    },
}

/// Ends the process with an error, if there is one.
fn report(done: Result<(), String>) {
    if let Err(problem) = done {
        eprintln!("error: {problem}");
        std::process::exit(1);
    }
}

fn main() {
    match Arguments::parse().what {
        What::Requests { journey, count } => memory::requests(journey, count),
        What::Index { block_bytes, flash_bytes, admission } => {
            memory::index(block_bytes, flash_bytes, admission);
        }
        What::Recovery { block_bytes, flash_bytes, file } => {
            restart::recovery(block_bytes, flash_bytes, file.as_deref());
        }
        What::DirtyRecovery { dirty_bytes, file } => restart::dirty_recovery(dirty_bytes, file.as_deref()),
        What::Start { program, dir, bytes, end } => start::first_read(&program, &dir, bytes, end),
        What::Intents { file, regions } => restart::intents(&file, regions),
        What::Writes { file, writer, storage, depth, flush_every, area, seconds, count, segment_bytes } => {
            let end = count
                .map_or(writes::WritesEnd::After(Duration::from_secs(seconds)), writes::WritesEnd::Writes);
            writes::run(
                &file,
                writer,
                writes::WriteLoad { storage, depth, flush_every, area, end, segment_bytes },
            );
        }
        What::Burst { profile } => destage::burst(profile),
        What::Age { profile, rate_percent, age_max, seconds } => {
            destage::age(profile, rate_percent, age_max, seconds);
        }
        What::Beside { profile, consistent, load_percent, hit_percent, seconds } => {
            let order = if consistent { DestageOrder::Consistent } else { DestageOrder::Address };
            destage::beside(profile, order, load_percent, hit_percent, seconds);
        }
        What::Classes { profile, requests, warming, pools_percent } => {
            classes::report(profile, classes::ClassesExtent { requests, warming }, &pools_percent);
        }
        What::Face { file, depth, seconds } => face::flash_hits(&file, depth, seconds),
        What::HitRatio { traces, quick, part, svg, csv, .. } => {
            // One of the two is set: clap requires it.
            report(traces.map_or_else(hit_ratio::report_short, |traces| {
                let files = hit_ratio::Files { svg: svg.as_deref(), csv: csv.as_deref() };
                hit_ratio::report(&traces, quick, part, files)
            }));
        }
        What::Papers(arguments) => report(papers::report(&arguments)),
        What::Fleet(arguments) => fleet::measure(&arguments),
        What::Cuts(arguments) => report(papers::cuts::print(&arguments)),
        What::Nbd(arguments) => report(nbd::load(&arguments)),
        What::Vhost(arguments) => report(vhost::load(&arguments)),
        What::VhostCheck(arguments) => report(vhost::check(&arguments)),
        What::VhostDoor(arguments) => report(vhost::door(&arguments)),
        What::Shards { file, shards, disks, depth, seconds } => {
            shards::flash_hits(&file, shards::ShardLoad { shards, disks, depth, seconds });
        }
    }
}
