//! An advice as a document, the same from the control plane, from `forebay advise --json` and of a trace. No key is ever missing: what
//! is not known is null.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

/// What would serve a disk best, and why.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Advice {
    pub(super) source: Source,
    /// Of the disk, or of the file of the trace.
    pub(super) name: String,
    pub(super) verdict: Verdict,
    /// What it is founded on.
    pub(super) seen: Option<Seen>,
    /// Null if too little was seen, or a cache cannot help.
    pub(super) size: Option<Sizes>,
    pub(super) blocks: Option<Blocks>,
    pub(super) mode: Option<ModeAdvice>,
    pub(super) latency: Option<Expected>,
    pub(super) wear: Option<FlashWear>,
    pub(super) warnings: Vec<Warning>,
    /// All of it in words, in the order in which to read it.
    pub(super) sentences: Vec<Sentence>,
    /// Keys to set, with their values; empty if nothing is to be changed.
    pub(super) keys: BTreeMap<&'static str, String>,
    /// The command that sets them; for a trace it has NAME where the name of the disk belongs, and a limit that every pool takes.
    pub(super) command: Option<String>,
}

impl Advice {
    /// The size that is advised, if one is.
    #[cfg(test)]
    pub(super) fn advised(&self) -> Option<&SizeAt> {
        self.size.as_ref().map(|size| &size.advised)
    }
}

/// What an advice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = AdviceSource)]
pub enum Source {
    /// A served disk.
    Disk,
    /// A recorded trace.
    Trace,
}

/// What it comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = AdviceVerdict)]
pub(crate) enum Verdict {
    /// A cache of a sensible size answers reads.
    CanHelp,
    /// No size does.
    CannotHelp,
    /// It cannot be said yet.
    TooLittleSeen,
    /// The disk is not served.
    NotServed,
}

/// What an advice is founded on.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AdviceSeen)]
pub(crate) struct Seen {
    /// The weight of reads: what is long past counts for less.
    pub(super) reads: u64,
    /// With fewer nothing is said.
    pub(super) reads_needed: u64,
    /// Pages of 4 KiB.
    pub(super) written_pages: u64,
    /// The footprint: everything in use.
    pub(super) working_set_bytes: u64,
    /// Reads of all requests.
    pub(super) read_share: Option<f64>,
    /// Of a disk, the share of reads that went past the cache, in long sequential runs; of a trace the share of requests that begin
    /// where one of those before ended.
    pub(super) sequential_share: Option<f64>,
    /// Share of reads of what was written since it was read.
    pub(super) reads_of_written: Option<f64>,
    /// Time that rates and latencies are of.
    pub(super) seconds: Option<u64>,
}

/// Sizes of the cache, flash and RAM together, and what they would do.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AdviceSizes)]
pub(crate) struct Sizes {
    /// From it on, each further tenth of the working set brings less than two points of hit ratio. Null if not even the first does.
    pub(super) knee: Option<SizeAt>,
    /// The most that any size would have.
    pub(super) most: SizeAt,
    /// What the disk may have now.
    pub(super) present: Option<SizeAt>,
    /// What it has.
    pub(super) held_bytes: Option<u64>,
    /// The hit ratio that was asked for, if one was.
    pub(super) wanted_hit_ratio: Option<f64>,
    /// The smallest size that has it; null if no size does.
    pub(super) wanted_bytes: Option<u64>,
    /// The advice.
    pub(super) advised: SizeAt,
    pub(super) advised_flash_bytes: u64,
    pub(super) advised_ram_bytes: u64,
    /// What RAM alone would answer.
    pub(super) ram_hit_ratio: f64,
}

/// A size and its predicted hit ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = AdviceSize)]
pub(crate) struct SizeAt {
    pub(super) cache_bytes: u64,
    pub(super) hit_ratio: f64,
}

/// Sizes of blocks, and what they would do.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AdviceBlocks)]
pub(crate) struct Blocks {
    /// The advice.
    pub(super) advised_bytes: u64,
    pub(super) present_bytes: Option<u64>,
    /// `curve`: hit ratios are predicted, as if each block were kept whole; `simulation`: they are those of the served policy, of
    /// whole requests.
    pub(super) basis: BlockBasis,
    pub(super) compared: Vec<BlockSize>,
    /// RAM that the index of the disk takes at present, for each byte of content on flash.
    pub(super) present_index_share: Option<f64>,
}

/// Where hit ratios of blocks are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = AdviceBlockBasis)]
pub(crate) enum BlockBasis {
    Curve,
    Simulation,
}

/// What a size of blocks would do at the advised size of the cache.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = AdviceBlockSize)]
pub(crate) struct BlockSize {
    pub(super) block_bytes: u64,
    pub(super) hit_ratio: f64,
    /// RAM of the index, with all of the flash in use: if what lies together was written together, and if not. Of a simulation, what it
    /// took in the end.
    pub(super) index_bytes_min: u64,
    pub(super) index_bytes_max: u64,
}

/// The mode, and what write-back would do.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AdviceMode)]
pub(crate) struct ModeAdvice {
    /// `write-through`, `write-back`, `write-around` or `pass-through`. Null if the trace does not say which requests write, or if
    /// nothing but write-back would help, which is for a person to decide.
    pub(super) advised: Option<String>,
    pub(super) present: Option<String>,
    /// Null if nothing is written, or it is not known what is.
    pub(super) write_back: Option<WriteBack>,
}

/// What write-back would do for a disk.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AdviceWriteBack)]
pub(crate) struct WriteBack {
    /// It would spare the backing much, or the guest slow writes. It is never advised of its own accord, for data then depends on flash.
    pub(super) is_worth_a_thought: bool,
    /// What may be dirty.
    pub(super) dirty_bytes: u64,
    /// Written pages that would be written again while dirty.
    pub(super) coalesced: f64,
}

/// How long reads take on average, in microseconds.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AdviceLatency)]
pub(crate) struct Expected {
    pub(super) ram: LatencyOf,
    pub(super) flash: LatencyOf,
    pub(super) miss: LatencyOf,
    /// The hit ratio that it was worked out with.
    pub(super) hit_ratio: f64,
    pub(super) mean_us: f64,
    /// If all reads were misses.
    pub(super) without_cache_us: f64,
}

/// A mean latency.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = AdviceLatencyOf)]
pub(crate) struct LatencyOf {
    pub(super) us: f64,
    pub(super) basis: Basis,
    /// Requests that it is the mean of.
    pub(super) count: u64,
}

/// Where a latency is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = AdviceBasis)]
pub enum Basis {
    /// Of this disk.
    Measured,
    /// The trace says so of its reads, whatever answered them.
    Recorded,
    /// Somebody said so.
    Said,
    /// Nobody knows, and this is a usual value.
    Assumed,
}

/// What is written to flash.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AdviceWear)]
pub(crate) struct FlashWear {
    /// Time in which that was written.
    pub(super) seconds: u64,
    pub(super) flash_write_bytes: u64,
    pub(super) bytes_per_day: u64,
    /// That, as a part of the pool; of the whole of it, whoever else writes.
    pub(super) pool_writes_per_day: Option<f64>,
    /// That, as a part of the advised flash.
    pub(super) flash_writes_per_day: Option<f64>,
}

/// Something that is wrong, or will be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = AdviceWarning)]
pub(crate) struct Warning {
    pub(super) kind: WarningKind,
    pub(super) text: String,
}

/// What is warned of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = AdviceWarningKind)]
pub(crate) enum WarningKind {
    /// The cache has more than it has use for.
    TooLarge,
    /// More would bring much.
    TooSmall,
    /// The pool has less than would be good.
    PoolTooSmall,
    /// What comes back later than this was not seen.
    ShortView,
    /// Long sequential runs go past the cache.
    MostlySequential,
    /// Misses are hardly slower than hits.
    BackingIsFast,
    /// More is written to flash in a day than many drives are rated for.
    WearsFlash,
}

/// A sentence or a few.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = AdviceSentence)]
pub(crate) struct Sentence {
    /// `verdict`, `size`, `wanted`, `ram`, `block-size`, `mode`, `write-back`, `latency` or `wear`.
    pub(super) about: &'static str,
    pub(super) text: String,
}
