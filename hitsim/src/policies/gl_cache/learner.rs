//! Learns the utility of segments: samples of their features, targets that are known later, and the trees fitted to both.

use super::boosted_trees::{BoostedTrees, Boosting, Sample};

/// Number of [`Features`].
const FEATURES: usize = 4;
/// Features of a segment at one time: accesses since its creation, hits, blocks with a hit, and the miss ratio when it was filled.
pub(super) type Features = [f64; FEATURES];

/// Maximum number of sampled segments, from the authors' simulator, as are the next two.
const SAMPLES_MAX: usize = 8192;
/// One of so many samples validates, instead of training.
const VALIDATION_EVERY: usize = 10;
/// Depth, shrinkage and penalty are defaults of `XGBoost`, which the authors use.
const BOOSTING: Boosting = Boosting {
    rounds: 20,
    depth: 6,
    shrinkage: 0.3,
    leaf_penalty: 1.0,
    validation_min: 10,
    stable_within: 0.01,
    stable_rounds: 3,
};

/// Marks a block that is in no sample.
const NONE: u32 = u32::MAX;

/// Sampled segment.
#[derive(Clone, Copy, Debug)]
struct Sampled {
    features: Features,
    /// Sum over returned blocks, so far.
    utility: f64,
}

/// Learner of the utility of segments.
#[derive(Debug)]
pub(super) struct Learner {
    samples: Vec<Sampled>,
    sampled_at: u64,
    /// For each block its sample, until the first access after sampling.
    sample_of: Vec<u32>,
    /// Blocks that were in a sample at sampling.
    sampled_blocks: Vec<u32>,
    model: Option<BoostedTrees<FEATURES>>,
}

impl Learner {
    /// Creates a learner of blocks with numbers below `blocks`.
    pub(super) fn new(blocks: u32) -> Self {
        Self {
            samples: Vec::new(),
            sampled_at: 0,
            sample_of: vec![NONE; blocks as usize],
            sampled_blocks: Vec::new(),
            model: None,
        }
    }

    /// Returns the predicted utility of a segment; none before the first training.
    pub(super) fn predict(&self, features: &Features) -> Option<f64> {
        self.model.as_ref().map(|model| model.predict(features))
    }

    /// Returns true once there is something to predict from.
    pub(super) fn is_trained(&self) -> bool {
        self.model.is_some()
    }

    /// Replaces all samples by `count` segments, at most [`SAMPLES_MAX`] of them in equal distances.
    pub(super) fn sample<'a>(
        &mut self,
        now: u64,
        count: usize,
        segments: impl Iterator<Item = (Features, &'a [u32])>,
    ) {
        for block in self.sampled_blocks.drain(..) {
            self.sample_of[block as usize] = NONE;
        }
        self.samples.clear();
        self.sampled_at = now;
        let taken = count.min(SAMPLES_MAX);
        for (at, (features, blocks)) in segments.take(count).enumerate() {
            if (at + 1) * taken / count == at * taken / count {
                continue;
            }
            for block in blocks {
                self.sample_of[*block as usize] = self.samples.len() as u32;
            }
            self.sampled_blocks.extend_from_slice(blocks);
            self.samples.push(Sampled { features, utility: 0.0 });
        }
    }

    /// Records an access to any block, cached or not.
    #[expect(clippy::cast_precision_loss, reason = "distances in accesses stay below 2^52")]
    pub(super) fn record(&mut self, now: u64, block: u32) {
        let at = std::mem::replace(&mut self.sample_of[block as usize], NONE);
        if let Some(sampled) = self.samples.get_mut(at as usize) {
            sampled.utility += 1.0 / (now - self.sampled_at) as f64;
        }
    }

    /// Forgets a block: a cache could not have answered its next access.
    pub(super) fn forget(&mut self, block: u32) {
        self.sample_of[block as usize] = NONE;
    }

    /// Fits the model to the samples. Without training samples the last one stays.
    pub(super) fn train(&mut self) {
        let utilities = || self.samples.iter().map(|sampled| sampled.utility);
        let (least, most) = (utilities().fold(f64::MAX, f64::min), utilities().fold(0.0, f64::max));
        let range = if most > least { most - least } else { 1.0 };
        let (mut training, mut validation) = (Vec::new(), Vec::new());
        for (at, sampled) in self.samples.iter().enumerate() {
            let sample = Sample { features: sampled.features, target: (sampled.utility - least) / range };
            if at.is_multiple_of(VALIDATION_EVERY) { &mut validation } else { &mut training }.push(sample);
        }
        if !training.is_empty() {
            self.model = Some(BoostedTrees::fit(&BOOSTING, &training, &validation));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utilities(learner: &Learner) -> Vec<f64> {
        learner.samples.iter().map(|sampled| sampled.utility).collect()
    }

    #[test]
    fn a_block_counts_once_by_the_inverse_of_its_distance() {
        let mut learner = Learner::new(10);
        let segments: [(Features, &[u32]); 2] = [([0.0; 4], &[0, 1]), ([1.0; 4], &[2, 3])];
        learner.sample(100, 2, segments.into_iter());
        learner.record(102, 1);
        learner.record(103, 1);
        learner.record(104, 9);
        assert_eq!(utilities(&learner), [0.5, 0.0], "once, and only blocks of a sample");
        learner.forget(2);
        learner.record(106, 2);
        learner.record(108, 3);
        assert_eq!(utilities(&learner), [0.5, 0.125]);
        learner.record(110, 0);
        assert_eq!(utilities(&learner), [0.6, 0.125]);
    }

    #[test]
    fn sampling_again_starts_over() {
        let mut learner = Learner::new(10);
        learner.sample(0, 1, [([0.0; 4], &[0, 1][..])].into_iter());
        learner.record(1, 0);
        learner.sample(10, 1, [([0.0; 4], &[2, 3][..])].into_iter());
        learner.record(11, 1);
        assert_eq!(utilities(&learner), [0.0], "1 is of the last time");
        learner.record(12, 3);
        assert_eq!(utilities(&learner), [0.5]);
    }

    #[test]
    fn many_segments_are_sampled_in_equal_distances() {
        let mut learner = Learner::new(1);
        let count = 2 * SAMPLES_MAX + 2;
        let numbered = (0..count).map(|at| ([f64::from(at as u32), 0.0, 0.0, 0.0], &[][..]));
        learner.sample(0, count, numbered);
        assert_eq!(learner.samples.len(), SAMPLES_MAX);
        let distances = learner.samples.windows(2).map(|pair| pair[1].features[0] - pair[0].features[0]);
        assert!(distances.into_iter().all(|distance| (2.0..=3.0).contains(&distance)));
    }

    #[test]
    fn what_distinguishes_useful_segments_is_learned() {
        let mut learner = Learner::new(200);
        assert!(!learner.is_trained() && learner.predict(&[0.0; 4]).is_none());
        learner.train();
        assert!(!learner.is_trained(), "without samples");
        let blocks: Vec<[u32; 2]> = (0..100).map(|at| [2 * at, 2 * at + 1]).collect();
        // Every third one has hits, and its blocks return.
        let features = |at: usize| [at as u32, 2 * u32::from(at.is_multiple_of(3)), 0, 0].map(f64::from);
        learner.sample(0, 100, blocks.iter().enumerate().map(|(at, blocks)| (features(at), &blocks[..])));
        for at in (0..100).step_by(3) {
            blocks[at].iter().for_each(|block| learner.record(50, *block));
        }
        learner.train();
        let predicted = |hits| learner.predict(&[41.5, hits, 0.0, 0.0]).unwrap();
        assert!(predicted(2.0) > 0.8 && predicted(0.0) < 0.2, "{} {}", predicted(2.0), predicted(0.0));
    }
}
