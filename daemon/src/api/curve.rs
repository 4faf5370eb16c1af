//! Miss ratio curves of a disk, as a document: which hit ratio a cache of which size would have.
//!
//! The cache in question is one that has everything that guests use and forgets first what they used longest ago. What serves the
//! disk does somewhat better or worse. Sizes are flash and RAM together.

use std::iter;

use base::units::whole;
use cache::{Curves, Prediction};
use serde::Serialize;
use utoipa::ToSchema;

use super::histograms::began;
use crate::shard::DiskReport;

/// Points of a curve for each doubling of the size.
const POINTS_PER_DOUBLING: i32 = 4;
/// A curve reaches at most so many doublings from the present size: from 2^-24 of it to 2^16 times as much.
const DOUBLINGS_DOWN: i32 = 24;
const DOUBLINGS_UP: i32 = 16;
/// And at least so many both ways, so that there is something to see.
const DOUBLINGS_MIN: i32 = 4;
/// Smaller caches are of no interest.
const BYTES_MIN: f64 = 65_536.0;

/// Hit ratios of which it is said what size has them.
const WANTED: [f64; 5] = [0.5, 0.75, 0.9, 0.95, 0.99];

/// How many reads caches of other sizes would answer, as the disk was lately used.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Curve)]
pub(crate) struct DiskCurve {
    name: String,
    /// When counting began, in UTC: it begins anew when the disk is attached.
    since: String,
    /// The weight of reads that it is worked out from: what is long past counts for less. With little it says little.
    reads: u64,
    /// Pages of 4 KiB written that it is worked out from.
    written_pages: u64,
    /// What was used in the last 48 hours in which anything was.
    working_set_bytes: u64,
    /// The most that the disk may have cached: flash up to its limit, and RAM.
    present: Point,
    /// What it has cached now, on flash and in RAM; what is on both counts twice.
    held: Point,
    /// What the largest useful size would have: the rest is used for the first time.
    largest: Point,
    /// Above this size, more gains less than on average.
    knee: Option<Point>,
    /// The curve: sizes that rise by a fourth root of two, the present one among them.
    points: Vec<Point>,
    wanted: Vec<Wanted>,
    /// Which share of what is written is written again while it is still dirty, so that the backing is spared it.
    write_back: Vec<WriteBack>,
    /// What fetching whole blocks would do, as soon as a part of one is used. Forebay fetches what is asked for, whatever the disk's
    /// `block_bytes`: this says how much neighbours are used together.
    blocks: Vec<OfBlocks>,
    /// Pages of 4 KiB that are looked at, and which share of all that is.
    samples: u64,
    sampled_share: f64,
    /// RAM that all of this takes.
    ram_bytes: u64,
}

/// A size and what it would have.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = CurvePoint)]
struct Point {
    cache_bytes: u64,
    /// Not known before the first read.
    hit_ratio: Option<f64>,
}

/// The smallest cache that has a hit ratio.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CurveWanted)]
struct Wanted {
    hit_ratio: f64,
    /// None if no size has it.
    cache_bytes: Option<u64>,
}

/// What may be dirty, and what that spares the backing.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CurveWriteBack)]
struct WriteBack {
    dirty_bytes: u64,
    /// True of the limit that the disk has, or would have in write-back.
    is_present: bool,
    /// Pages that are written while dirty, of all that are written. Not known before the first write.
    coalesced: Option<f64>,
}

/// Hit ratios with blocks of a size, by the size of the cache.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CurveBlocks)]
struct OfBlocks {
    block_bytes: u64,
    hit_ratio_at_half: Option<f64>,
    hit_ratio: Option<f64>,
    hit_ratio_at_double: Option<f64>,
}

impl DiskCurve {
    /// `ram_bytes` is what the curves take.
    pub(crate) fn of(name: &str, report: &DiskReport, curves: &Curves, ram_bytes: u64) -> Self {
        let statistics = &report.statistics;
        let (reads, present) = (&curves.reads, statistics.cache_bytes_max);
        let point = |cache_bytes| Point { cache_bytes, hit_ratio: reads.hit_ratio(cache_bytes) };
        let wanted = |hit_ratio| Wanted { hit_ratio, cache_bytes: reads.size_for(hit_ratio) };
        Self {
            name: name.to_owned(),
            since: began(report.attached_for).to_string(),
            reads: whole(reads.uses()),
            written_pages: whole(curves.writes.uses()),
            working_set_bytes: curves.working_set_bytes,
            present: point(present),
            held: point(statistics.cached_bytes + statistics.ram_bytes),
            largest: point(reads.useful_bytes()),
            knee: reads.knee().map(point),
            points: sizes(present, reads.useful_bytes()).into_iter().map(point).collect(),
            wanted: WANTED.map(wanted).into(),
            write_back: write_back(&curves.writes, statistics.dirty_limit_bytes),
            blocks: curves.blocks.iter().map(|blocks| OfBlocks::of(blocks, present)).collect(),
            samples: u64::from(curves.samples),
            sampled_share: curves.sampled_share,
            ram_bytes,
        }
    }
}

impl OfBlocks {
    fn of((block_bytes, reads): &(u64, Prediction), present: u64) -> Self {
        Self {
            block_bytes: *block_bytes,
            hit_ratio_at_half: reads.hit_ratio(present / 2),
            hit_ratio: reads.hit_ratio(present),
            hit_ratio_at_double: reads.hit_ratio(present * 2),
        }
    }
}

/// Sizes around the present one, up to the largest that is of use, or some way beyond the present one.
#[expect(clippy::cast_precision_loss, reason = "sizes for people")]
fn sizes(present: u64, useful: u64) -> Vec<u64> {
    let (present, useful) = (present as f64, useful as f64);
    let size = |step: i32| present * (f64::from(step) / f64::from(POINTS_PER_DOUBLING)).exp2();
    let down = iter::successors(Some(-1), |step| Some(step - 1))
        .take_while(|step| *step >= -DOUBLINGS_DOWN * POINTS_PER_DOUBLING && size(*step) >= BYTES_MIN);
    let least = DOUBLINGS_MIN * POINTS_PER_DOUBLING;
    // One more than is of use, so that the curve is seen to end.
    let up = (0..=DOUBLINGS_UP * POINTS_PER_DOUBLING)
        .take_while(|step| *step <= least || size(*step - POINTS_PER_DOUBLING) < useful);
    let mut steps: Vec<i32> = down.collect();
    steps.reverse();
    steps.into_iter().chain(up).map(|step| whole(size(step))).collect()
}

fn write_back(writes: &Prediction, limit: u64) -> Vec<WriteBack> {
    let at = |doublings: i32| {
        let dirty_bytes = if doublings < 0 { limit >> -doublings } else { limit << doublings };
        WriteBack { dirty_bytes, is_present: doublings == 0, coalesced: writes.hit_ratio(dirty_bytes) }
    };
    (-4..=4).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_rise_and_have_the_present_one_and_the_largest_that_is_of_use() {
        for (present, useful) in
            [(1 << 30, 1 << 36), (1 << 30, 0), (300_000_001, 5 << 20), (1 << 40, 1 << 62)]
        {
            let sizes = sizes(present, useful);
            assert!(sizes.is_sorted() && sizes.contains(&present), "{sizes:?}");
            assert!(sizes[0] >= 65_536 && sizes.len() <= 161, "{sizes:?}");
            let last = sizes.last().copied().expect("some");
            assert!(last >= 16 * present && last >= useful.min(present << 16), "{sizes:?}");
        }
        assert_eq!(sizes(64 << 10, 0)[0], 64 << 10);
    }
}
