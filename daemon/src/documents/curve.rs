//! Documents of miss ratio curves.

use std::iter;

use api::DiskCurve;
use api::curve::{OfBlocks, Point, Wanted, WriteBack};
use base::units::whole;
use cache::{Curves, Prediction};

use super::histograms::began;
use crate::shard::DiskReport;

/// Points of a curve for each doubling of the size.
const POINTS_PER_DOUBLING: i32 = 4;

/// The most doublings from the present size: from 2^-24 of it to 2^16 times as much.
const DOUBLINGS_DOWN: i32 = 24;

const DOUBLINGS_UP: i32 = 16;

/// The least doublings in both directions, so that a curve is visible.
const DOUBLINGS_MIN: i32 = 4;

/// Size below which caches are left out.
const BYTES_MIN: f64 = 65_536.0;

/// Hit ratios for which the document has sizes.
const WANTED: [f64; 5] = [0.5, 0.75, 0.9, 0.95, 0.99];

/// Returns the document of these curves of a disk, which take `ram_bytes` of RAM.
pub(crate) fn disk_curve(name: &str, report: &DiskReport, curves: &Curves, ram_bytes: u64) -> DiskCurve {
    let statistics = &report.statistics;
    let (reads, present) = (&curves.reads, statistics.cache_bytes_max);
    let point = |cache_bytes| Point { cache_bytes, hit_ratio: reads.hit_ratio(cache_bytes) };
    let wanted = |hit_ratio| Wanted { hit_ratio, cache_bytes: reads.size_for(hit_ratio) };
    DiskCurve {
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
        blocks: curves.blocks.iter().map(|blocks| of_blocks(blocks, present)).collect(),
        samples: u64::from(curves.samples),
        sampled_share: curves.sampled_share,
        ram_bytes,
    }
}

fn of_blocks((block_bytes, reads): &(u64, Prediction), present: u64) -> OfBlocks {
    OfBlocks {
        block_bytes: *block_bytes,
        hit_ratio_at_half: reads.hit_ratio(present / 2),
        hit_ratio: reads.hit_ratio(present),
        hit_ratio_at_double: reads.hit_ratio(present * 2),
    }
}

/// Returns sizes around the present one, up to the largest that is useful, or somewhat above the present one.
#[expect(clippy::cast_precision_loss, reason = "sizes for people")]
fn sizes(present: u64, useful: u64) -> Vec<u64> {
    let (present, useful) = (present as f64, useful as f64);
    let size = |step: i32| present * (f64::from(step) / f64::from(POINTS_PER_DOUBLING)).exp2();
    let down = iter::successors(Some(-1), |step| Some(step - 1))
        .take_while(|step| *step >= -DOUBLINGS_DOWN * POINTS_PER_DOUBLING && size(*step) >= BYTES_MIN);
    let least = DOUBLINGS_MIN * POINTS_PER_DOUBLING;
    // One more than is useful, so that the end of the curve is visible.
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
