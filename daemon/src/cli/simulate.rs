//! Options of `forebay simulate`.

use std::path::PathBuf;
use std::str::FromStr;

use base::units::Size;
use clap::Args;
use hitsim::{Policy, Share, Workload};

use super::traces::TraceOptions;

const POLICIES: &str = "Policies:
  served            the very code that serves disks: RAM, flash log, reclaim, admission as by default
  served:A          the same with admission A: adaptive:hits, always, or repeated:N with N from 1 to 15
  fifo lru clock arc lirs 2q s3-fifo clock2q+ sieve w-tinylfu:N gl-cache
                    from papers, on the whole size and without a log, for comparison; N is W-TinyLFU's window in hundredths
  belady            the best that is possible, as it knows the future

How a served disk is simulated:
  size       pages of data, in RAM and on flash together; what the log needs beside them comes on top. RAM is a quarter,
             with adaptive:hits a twentieth (256KiB at least), at most the 32MiB of a disk's key 'ram': from 640MiB on, a
             size is ram=32MiB and a limit of what is left of it, as the key 'limit' is of flash alone. So for limit=10GiB
             say --size 10272MiB.
  blocks     4KiB unless --block-size says otherwise, as in papers: a disk has 64KiB unless its key 'block-size' does.
  admission, sequential cutoff
             as the keys of a disk are by default.";

#[derive(Debug, Args)]
#[command(after_long_help = POLICIES)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct Simulate {
    /// The trace, packed (gzip, xz, zstd) or not.
    pub(crate) trace: PathBuf,
    #[command(flatten)]
    pub(crate) options: TraceOptions,
    /// Sizes of the cache, RAM and flash together: such as 10GiB, or 10% of the footprint of the trace.
    #[arg(long = "size", value_name = "SIZE", value_delimiter = ',', default_value = "1%,5%,10%,20%,40%")]
    pub(crate) sizes: Vec<SizeOf>,
    /// Sizes of blocks: powers of two from 4KiB to 1MiB. A disk has 64KiB by default.
    #[arg(long = "block-size", value_name = "SIZE", value_delimiter = ',', default_value = "4KiB")]
    pub(crate) blocks: Vec<Size>,
    /// Policies; --help lists them.
    #[arg(
        long = "policy",
        value_name = "POLICY",
        value_delimiter = ',',
        default_value = "served,lru,arc,belady"
    )]
    pub(crate) policies: Vec<Policy>,
    /// RAM of a served disk, inside the size. Default: a quarter of the size, or with adaptive:hits a twentieth and 256KiB at least, from 64KiB to what a disk gets by default.
    #[arg(long, value_name = "SIZE")]
    pub(crate) ram: Option<Size>,
    /// Misses of a sequential run longer than this go past a served cache; 0 = off. Default: as of a disk, auto.
    #[arg(long, value_name = "SIZE")]
    pub(crate) sequential_cutoff: Option<Size>,
    /// Count writes as reads, as papers do, and nothing else. By default a write invalidates its pages on
    /// flash, for all policies alike, and the result with writes as reads is shown next to it.
    #[arg(long)]
    pub(crate) writes_as_reads: bool,
    /// Count each request once: a hit if all of its blocks are. By default each block that a request touches is an access.
    #[arg(long)]
    pub(crate) whole_requests: bool,
    /// Print one JSON document.
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print comma-separated values.
    #[arg(long)]
    pub(crate) csv: bool,
    /// Draw miss ratio curves and flash writes into a file as well.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

/// A size of a cache as the user gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizeOf {
    Bytes(Size),
    Footprint(Share),
}

impl SizeOf {
    /// Returns the size in bytes.
    pub(crate) fn of(self, workload: &Workload) -> u64 {
        match self {
            Self::Bytes(size) => size.0,
            Self::Footprint(share) => share.of(workload),
        }
    }
}

impl FromStr for SizeOf {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.ends_with('%') { text.parse().map(Self::Footprint) } else { text.parse().map(Self::Bytes) }
    }
}
