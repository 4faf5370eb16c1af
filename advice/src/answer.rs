//! Advice as a document, the same from the control plane, from `forebay advise --json` and of a trace. No key is ever missing: an unknown
//! value is null.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

/// Best configuration of a disk, and the reasons.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Advice {
    pub(super) source: Source,
    /// Name of the disk, or of the file of the trace.
    pub(super) name: String,
    pub(super) verdict: Verdict,
    /// Observations on which the advice is based.
    pub(super) seen: Option<Seen>,
    /// Null if too little was observed, or if a cache cannot help.
    pub(super) size: Option<Sizes>,
    pub(super) blocks: Option<Blocks>,
    pub(super) mode: Option<ModeAdvice>,
    pub(super) latency: Option<Expected>,
    pub(super) wear: Option<FlashWear>,
    pub(super) warnings: Vec<Warning>,
    /// The advice in words, in reading order.
    pub(super) sentences: Vec<Sentence>,
    /// Keys to set, with their values; empty if nothing should change.
    pub(super) keys: BTreeMap<&'static str, String>,
    /// The command that sets them; for a trace it has NAME for the name of the disk, and a limit that every pool accepts.
    pub(super) command: Option<String>,
}

impl Advice {
    /// Returns the advised size, if there is one.
    #[cfg(test)]
    pub(super) fn advised(&self) -> Option<&SizeAt> {
        self.size.as_ref().map(|size| &size.advised)
    }
}

/// Subject of an advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = AdviceSource)]
pub enum Source {
    /// Disk that is served.
    Disk,
    /// Recorded trace.
    Trace,
}

/// Outcome of the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = AdviceVerdict)]
pub(crate) enum Verdict {
    /// A cache of a sensible size answers reads.
    CanHelp,
    /// No size of cache helps.
    CannotHelp,
    /// Too few reads for a verdict.
    TooLittleSeen,
    /// The disk is not served.
    NotServed,
}

/// Observations on which an advice is based.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AdviceSeen)]
pub(crate) struct Seen {
    /// Weight of reads: older ones count for less.
    pub(super) reads: u64,
    /// Number of reads below which there is no advice.
    pub(super) reads_needed: u64,
    /// Written pages of 4 KiB.
    pub(super) written_pages: u64,
    /// Footprint: everything in use.
    pub(super) working_set_bytes: u64,
    /// Reads divided by requests.
    pub(super) read_share: Option<f64>,
    /// Of a disk, the share of reads that bypassed the cache, in long sequential runs; of a trace, the share of requests that begin where
    /// an earlier one ended.
    pub(super) sequential_share: Option<f64>,
    /// Share of reads of data that was written after the last read.
    pub(super) reads_of_written: Option<f64>,
    /// Time of the rates and latencies.
    pub(super) seconds: Option<u64>,
}

/// Sizes of the cache, flash and RAM together, and their effects.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AdviceSizes)]
pub(crate) struct Sizes {
    /// Size from which on each further tenth of the working set adds less than two points of hit ratio. Null if the first does not either.
    pub(super) knee: Option<SizeAt>,
    /// Best hit ratio of any size.
    pub(super) most: SizeAt,
    /// Size that the disk may have now.
    pub(super) present: Option<SizeAt>,
    /// Bytes that it has cached.
    pub(super) held_bytes: Option<u64>,
    /// The hit ratio that was requested, if any.
    pub(super) wanted_hit_ratio: Option<f64>,
    /// Smallest size with that ratio; null if no size has it.
    pub(super) wanted_bytes: Option<u64>,
    /// Advised size.
    pub(super) advised: SizeAt,
    pub(super) advised_flash_bytes: u64,
    pub(super) advised_ram_bytes: u64,
    /// Hit ratio of RAM alone.
    pub(super) ram_hit_ratio: f64,
}

/// Size and its predicted hit ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = AdviceSize)]
pub(crate) struct SizeAt {
    pub(super) cache_bytes: u64,
    pub(super) hit_ratio: f64,
}

/// Sizes of blocks, and their effects.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AdviceBlocks)]
pub(crate) struct Blocks {
    /// Advised size.
    pub(super) advised_bytes: u64,
    pub(super) present_bytes: Option<u64>,
    /// `curve`: hit ratios are predicted, as if each block were kept whole; `simulation`: they are those of the served policy, of whole
    /// requests.
    pub(super) basis: BlockBasis,
    pub(super) compared: Vec<BlockSize>,
    /// RAM of the present index, for each byte of content on flash.
    pub(super) present_index_share: Option<f64>,
}

/// Source of the hit ratios of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = AdviceBlockBasis)]
pub(crate) enum BlockBasis {
    Curve,
    Simulation,
}

/// Effects of a block size at the advised size of the cache.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = AdviceBlockSize)]
pub(crate) struct BlockSize {
    pub(super) block_bytes: u64,
    pub(super) hit_ratio: f64,
    /// RAM of the index, with all of the flash in use: if neighbours were written together, and if not. Of a simulation, the RAM at its
    /// end.
    pub(super) index_bytes_min: u64,
    pub(super) index_bytes_max: u64,
}

/// Mode, and the effects of write-back.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AdviceMode)]
pub(crate) struct ModeAdvice {
    /// `write-through`, `write-back`, `write-around` or `pass-through`. Null if the trace does not record which requests write, or if only
    /// write-back would help, which is for a person to decide.
    pub(super) advised: Option<String>,
    pub(super) present: Option<String>,
    /// Null if nothing is written, or if writes are not known.
    pub(super) write_back: Option<WriteBack>,
}

/// Effects of write-back on a disk.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AdviceWriteBack)]
pub(crate) struct WriteBack {
    /// True if it would spare the backing much, or the guest slow writes. Write-back is never advised by itself, because data then depends
    /// on flash.
    pub(super) is_worth_a_thought: bool,
    /// Dirty limit in bytes.
    pub(super) dirty_bytes: u64,
    /// Share of written pages that would be written again while dirty.
    pub(super) coalesced: f64,
}

/// Mean latencies of reads, in microseconds.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AdviceLatency)]
pub(crate) struct Expected {
    pub(super) ram: LatencyOf,
    pub(super) flash: LatencyOf,
    pub(super) miss: LatencyOf,
    /// The hit ratio behind it.
    pub(super) hit_ratio: f64,
    pub(super) mean_us: f64,
    /// Mean if all reads were misses.
    pub(super) without_cache_us: f64,
}

/// Mean latency with its source.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = AdviceLatencyOf)]
pub(crate) struct LatencyOf {
    pub(super) us: f64,
    pub(super) basis: Basis,
    /// Number of requests in the mean.
    pub(super) count: u64,
}

/// Source of a latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = AdviceBasis)]
pub enum Basis {
    /// Measured on this disk.
    Measured,
    /// Recorded in the trace for its reads, whatever answered them.
    Recorded,
    /// Given by the user.
    Said,
    /// Unknown; this is a usual value.
    Assumed,
}

/// Writes to flash.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AdviceWear)]
pub(crate) struct FlashWear {
    /// Time in which the bytes were written.
    pub(super) seconds: u64,
    pub(super) flash_write_bytes: u64,
    pub(super) bytes_per_day: u64,
    /// The daily bytes divided by the size of the whole pool, which other disks write to as well.
    pub(super) pool_writes_per_day: Option<f64>,
    /// The daily bytes divided by the advised flash.
    pub(super) flash_writes_per_day: Option<f64>,
}

/// Present or expected problem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = AdviceWarning)]
pub(crate) struct Warning {
    pub(super) kind: WarningKind,
    pub(super) text: String,
}

/// Subject of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = AdviceWarningKind)]
pub(crate) enum WarningKind {
    /// The cache has more than it can use.
    TooLarge,
    /// More would raise the hit ratio much.
    TooSmall,
    /// The pool is smaller than the advised flash.
    PoolTooSmall,
    /// Reuse over longer times than this was not observed.
    ShortView,
    /// Long sequential runs bypass the cache.
    MostlySequential,
    /// Misses are hardly slower than hits.
    BackingIsFast,
    /// More is written to flash in a day than many drives are rated for.
    WearsFlash,
}

/// One or a few sentences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = AdviceSentence)]
pub(crate) struct Sentence {
    /// `verdict`, `size`, `wanted`, `ram`, `block-size`, `mode`, `write-back`, `latency` or `wear`.
    pub(super) about: &'static str,
    pub(super) text: String,
}
