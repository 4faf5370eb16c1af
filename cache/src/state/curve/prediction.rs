//! Predictions of a curve at given sizes, and the size that it recommends.

use super::distances::Distances;

/// All curves of a disk at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// Reads that a cache would answer. Each request counts for one; one of which only a part is cached counts in part.
    pub reads: Prediction,
    /// Pages read or written that a cache would have.
    pub accesses: Prediction,
    /// Writes to pages that are among those written last: the share that write-back saves the backing, by the dirty bytes allowed.
    pub writes: Prediction,
    /// As [`Self::reads`], for caches with whole blocks of the given size in bytes. Coarser, except for the first.
    pub blocks: Vec<(u64, Prediction)>,
    /// Share of reads of pages that were written since they were last read: hits that a cache does not have around which writes
    /// go. None if nothing was read.
    pub reads_of_written: Option<f64>,
    /// Data used in the last 48 hours with activity, in bytes of whole pages; estimated from the samples.
    pub working_set_bytes: u64,
    /// Sampled pages.
    pub samples: u16,
    /// Share of all pages that are sampled, up to 1. A few pages divided by it are the smallest size that can be distinguished from none.
    pub sampled_share: f64,
}

/// The share of uses that are hits, by the size of an LRU cache.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Rising in both; begins with the hits of any size.
    steps: Vec<Step>,
    /// Uses that were counted, without the faded part.
    uses: f64,
}

/// Between these sizes, hits rise evenly.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Step {
    from_bytes: f64,
    upto_bytes: f64,
    /// Share of hits at the end of it.
    hit_ratio: f64,
}

/// Returns a number that is not negative, rounded down.
#[expect(clippy::cast_sign_loss, reason = "sizes and counts are sums of what is not negative")]
pub(super) fn whole(number: f64) -> u64 {
    number as u64
}

/// Returns the result of [`Prediction::hit_ratio`], computed for one size alone.
#[expect(clippy::cast_precision_loss, reason = "an estimate; sizes are at most 2^54 bytes")]
pub(super) fn hit_ratio(distances: &Distances, block_bytes: u64, uses: f64, bytes: u64) -> Option<f64> {
    if uses <= 0.0 {
        return None;
    }
    let blocks = bytes as f64 / block_bytes as f64;
    let (classes, first_uses) = distances.classes();
    let (mut misses, mut smaller) = (first_uses, false);
    for (start, end, weight) in classes {
        let hit_part = ((blocks - start as f64) / (end - start) as f64).clamp(0.0, 1.0);
        misses += weight * (1.0 - hit_part);
        smaller |= hit_part > 0.0;
    }
    Some(if smaller { (1.0 - misses / uses).clamp(0.0, 1.0) } else { 0.0 })
}

impl Prediction {
    /// Creates the prediction; `uses` is their total, sampled or not.
    #[expect(clippy::cast_precision_loss, reason = "an estimate; sizes are at most 2^54 bytes")]
    pub(super) fn of(distances: &Distances, block_bytes: u64, uses: f64) -> Self {
        let (classes, first_uses) = distances.classes();
        let classes: Vec<_> = classes.collect();
        let seen: f64 = classes.iter().map(|(_, _, weight)| weight).sum::<f64>() + first_uses;
        // Uses that are missing in the sample, or too frequent in it, are mostly of blocks that are used all the time: SHARDS-adj of the
        // paper.
        let mut hits = uses - seen;
        let block_bytes = block_bytes as f64;
        let step = |(start, end, weight): (u64, u64, f64)| {
            hits += weight;
            // A block whose distance is `n` is a hit of a cache of `n + 1`.
            let (from_bytes, upto_bytes) = (start as f64 * block_bytes, end as f64 * block_bytes);
            Step { from_bytes, upto_bytes, hit_ratio: (hits / uses).clamp(0.0, 1.0) }
        };
        let steps = if uses > 0.0 { classes.into_iter().map(step).collect() } else { Vec::new() };
        Self { steps, uses }
    }

    /// Returns the number of uses that it was computed from, sampled or not; older ones count for less.
    pub fn uses(&self) -> f64 {
        self.uses
    }

    /// Returns the share that a cache of `bytes` would have; none if nothing was used.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub fn hit_ratio(&self, bytes: u64) -> Option<f64> {
        if self.uses <= 0.0 {
            return None;
        }
        let bytes = bytes as f64;
        let behind = self.steps.partition_point(|step| step.upto_bytes <= bytes);
        let before = behind.checked_sub(1).map_or(0.0, |at| self.steps[at].hit_ratio);
        let Some(step) = self.steps.get(behind).filter(|step| step.from_bytes < bytes) else {
            return Some(before);
        };
        let part = (bytes - step.from_bytes) / (step.upto_bytes - step.from_bytes);
        Some(before + part * (step.hit_ratio - before))
    }

    /// Returns the share that it would not have.
    pub fn miss_ratio(&self, bytes: u64) -> Option<f64> {
        self.hit_ratio(bytes).map(|hits| 1.0 - hits)
    }

    /// Returns the most that any size would have: the rest is used for the first time.
    pub fn hit_ratio_max(&self) -> Option<f64> {
        (self.uses > 0.0).then(|| self.steps.last().map_or(0.0, |step| step.hit_ratio))
    }

    /// Returns the smallest size above which nothing is gained, in bytes.
    pub fn useful_bytes(&self) -> u64 {
        self.steps.last().map_or(0, |step| whole(step.upto_bytes))
    }

    /// Returns the smallest size with at least that share, in bytes; none if no size has it.
    pub fn size_for(&self, hit_ratio: f64) -> Option<u64> {
        if self.uses <= 0.0 {
            return None;
        }
        let at = self.steps.partition_point(|step| step.hit_ratio < hit_ratio);
        let step = self.steps.get(at)?;
        let before = at.checked_sub(1).map_or(0.0, |at| self.steps[at].hit_ratio);
        let part = ((hit_ratio - before) / (step.hit_ratio - before)).clamp(0.0, 1.0);
        Some(whole((step.from_bytes + part * (step.upto_bytes - step.from_bytes)).ceil()))
    }

    /// Returns the size above which more bytes gain less than they do on average: where the curve is furthest above the line from nothing
    /// to [`Self::useful_bytes`] (the knee as Satopaa and others define it, "Finding a Kneedle in a Haystack", 2011). None if there are no
    /// hits.
    pub fn knee(&self) -> Option<u64> {
        let last = self.steps.last().filter(|step| step.hit_ratio > 0.0)?;
        let gain = |step: &&Step| step.hit_ratio / last.hit_ratio - step.upto_bytes / last.upto_bytes;
        let knee = self.steps.iter().max_by(|one, other| gain(one).total_cmp(&gain(other)));
        knee.map(|step| whole(step.upto_bytes))
    }
}
