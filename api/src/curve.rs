//! Miss-ratio curves of a disk: the hit ratio that a cache of each size would have.
//!
//! The predicted cache is an LRU cache of everything that guests use. The one that serves the disk does somewhat better or worse. Sizes are
//! flash and RAM together.

use serde::Serialize;
use utoipa::ToSchema;

/// Hit ratio that caches of other sizes would have with the disk's latest use.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Curve)]
pub struct DiskCurve {
    pub name: String,
    /// Time at which counting began, in UTC: it is reset when the disk is attached.
    pub since: String,
    /// Weight of reads behind the curve: older ones count for less. With little weight the curve is not significant.
    pub reads: u64,
    /// Pages of 4 KiB written, behind the curve.
    pub written_pages: u64,
    /// Bytes that were used in the last 48 hours with requests.
    pub working_set_bytes: u64,
    /// Maximum that the disk may have cached: flash up to its limit, and RAM.
    pub present: Point,
    /// Content that is cached now, on flash and in RAM; a page that is on both counts twice.
    pub held: Point,
    /// Largest useful size: all other use is first use.
    pub largest: Point,
    /// Size above which more gains less than on average.
    pub knee: Option<Point>,
    /// Points of the curve: sizes that rise by a fourth root of two, the present one among them.
    pub points: Vec<Point>,
    pub wanted: Vec<Wanted>,
    /// Share of written pages that are written again while they are dirty, which saves writes to the backing.
    pub write_back: Vec<WriteBack>,
    /// Effect of fetching whole blocks as soon as a part of one is used. Forebay fetches only the requested pages, whatever the disk's
    /// `block_bytes`: this shows how much neighbours are used together.
    pub blocks: Vec<OfBlocks>,
    /// Sampled pages of 4 KiB.
    pub samples: u64,
    pub sampled_share: f64,
    /// RAM that all of this takes.
    pub ram_bytes: u64,
}

/// Cache size and its hit ratio.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = CurvePoint)]
pub struct Point {
    pub cache_bytes: u64,
    /// None before the first read.
    pub hit_ratio: Option<f64>,
}

/// Smallest cache with a hit ratio.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CurveWanted)]
pub struct Wanted {
    pub hit_ratio: f64,
    /// None if no size has it.
    pub cache_bytes: Option<u64>,
}

/// Dirty limit, and the writes that it saves the backing.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CurveWriteBack)]
pub struct WriteBack {
    pub dirty_bytes: u64,
    /// True for the limit that the disk has, or would have in write-back.
    pub is_present: bool,
    /// Pages that are written while dirty, divided by all written pages. Null before the first write.
    pub coalesced: Option<f64>,
}

/// Hit ratios with blocks of a size, by the size of the cache.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CurveBlocks)]
pub struct OfBlocks {
    pub block_bytes: u64,
    pub hit_ratio_at_half: Option<f64>,
    pub hit_ratio: Option<f64>,
    pub hit_ratio_at_double: Option<f64>,
}
