//! Miss ratio curves of a disk: the hit ratio that a cache of each size would have.
//!
//! The cache in question is one that has everything that guests use and forgets first what they used longest ago. The one that serves
//! the disk does somewhat better or worse. Sizes are flash and RAM together.

use serde::Serialize;
use utoipa::ToSchema;

/// Hit ratio that caches of other sizes would have with the disk's latest use.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Curve)]
pub struct DiskCurve {
    pub name: String,
    /// When counting began, in UTC: it begins anew when the disk is attached.
    pub since: String,
    /// The weight of reads that it is worked out from: what is long past counts for less. With little it says little.
    pub reads: u64,
    /// Pages of 4 KiB written that it is worked out from.
    pub written_pages: u64,
    /// Bytes that were used in the last 48 hours in which anything was.
    pub working_set_bytes: u64,
    /// The most that the disk may have cached: flash up to its limit, and RAM.
    pub present: Point,
    /// Content that it has cached now, on flash and in RAM; a page that is on both counts twice.
    pub held: Point,
    /// The largest useful size: the rest is used for the first time.
    pub largest: Point,
    /// Above this size, more gains less than on average.
    pub knee: Option<Point>,
    /// The curve: sizes that rise by a fourth root of two, the present one among them.
    pub points: Vec<Point>,
    pub wanted: Vec<Wanted>,
    /// Share of what is written that is written again while it is still dirty, so that the backing is spared it.
    pub write_back: Vec<WriteBack>,
    /// Effect of fetching whole blocks as soon as a part of one is used. Forebay fetches what is asked for, whatever the disk's
    /// `block_bytes`: this says how much neighbours are used together.
    pub blocks: Vec<OfBlocks>,
    /// Pages of 4 KiB that are looked at, and which share of all that is.
    pub samples: u64,
    pub sampled_share: f64,
    /// RAM that all of this takes.
    pub ram_bytes: u64,
}

/// A size and what it would have.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = CurvePoint)]
pub struct Point {
    pub cache_bytes: u64,
    /// Not known before the first read.
    pub hit_ratio: Option<f64>,
}

/// The smallest cache that has a hit ratio.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CurveWanted)]
pub struct Wanted {
    pub hit_ratio: f64,
    /// None if no size has it.
    pub cache_bytes: Option<u64>,
}

/// A limit of dirty data, and the writes that it spares the backing.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CurveWriteBack)]
pub struct WriteBack {
    pub dirty_bytes: u64,
    /// True of the limit that the disk has, or would have in write-back.
    pub is_present: bool,
    /// Pages that are written while dirty, of all that are written. Not known before the first write.
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
