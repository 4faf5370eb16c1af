//! Gradient-boosted regression trees for squared error.
//!
//! J. H. Friedman: Greedy Function Approximation: A Gradient Boosting Machine. The Annals of Statistics 29(5), 2001, algorithm 2
//! (least-squares boosting) with the shrinkage of section 5: each tree is fitted to the residuals of the sum of those before it. Splits are
//! exact and greedy. Leaves have the penalty of T. Chen, C. Guestrin: `XGBoost`: A Scalable Tree Boosting System. KDD 2016, equations 5 and
//! 7, which for squared error adds to the number of samples of a leaf.
//!
//! Written for clarity, for at most some ten thousand samples. The result depends on the order of the samples, and on nothing else.

/// Parameters of [`BoostedTrees::fit`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Boosting {
    /// Maximum number of trees.
    pub(super) rounds: usize,
    /// Maximum number of splits between the root and a leaf.
    pub(super) depth: usize,
    /// Share of each tree in the sum.
    pub(super) shrinkage: f64,
    /// Penalty of leaves, in samples; above 0.
    pub(super) leaf_penalty: f64,
    /// Minimum number of validation samples; with fewer, all rounds are made.
    pub(super) validation_min: usize,
    /// Boosting ends when the error of validation samples has changed by less than this share of itself,
    pub(super) stable_within: f64,
    /// in as many rounds one after the other.
    pub(super) stable_rounds: usize,
}

/// Sample with `N` features.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample<const N: usize> {
    pub(super) features: [f64; N],
    pub(super) target: f64,
}

/// Sum of regression trees.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BoostedTrees<const N: usize> {
    mean: f64,
    shrinkage: f64,
    trees: Vec<Tree>,
}

/// Regression tree; its first node is the root.
#[derive(Clone, Debug, PartialEq)]
struct Tree(Vec<Node>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Node {
    Leaf(f64),
    Split(Split),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Split {
    feature: usize,
    threshold: f64,
    /// Node of samples whose feature is below the threshold.
    below: usize,
    /// Node of the others.
    above: usize,
}

impl<const N: usize> BoostedTrees<N> {
    /// Fits trees to training samples, and ends early by the error of validation samples.
    pub(super) fn fit(boosting: &Boosting, training: &[Sample<N>], validation: &[Sample<N>]) -> Self {
        let mean = training.iter().map(|sample| sample.target).sum::<f64>() / count(training.len()).max(1.0);
        let mut fitted = Self { mean, shrinkage: boosting.shrinkage, trees: Vec::new() };
        let mut residuals: Vec<f64> = training.iter().map(|sample| sample.target - mean).collect();
        let mut errors: Vec<f64> = validation.iter().map(|sample| sample.target - mean).collect();
        let (mut last_error, mut stable_rounds) = (0.0, 0);
        for _ in 0..boosting.rounds {
            let tree = Tree::fit(boosting, training, &residuals);
            let reduce = |residuals: &mut [f64], samples: &[Sample<N>]| {
                for (residual, sample) in residuals.iter_mut().zip(samples) {
                    *residual -= boosting.shrinkage * tree.predict(&sample.features);
                }
            };
            reduce(&mut residuals, training);
            reduce(&mut errors, validation);
            fitted.trees.push(tree);
            if validation.len() < boosting.validation_min {
                continue;
            }
            let error = root_mean_square(&errors);
            let is_stable = (error - last_error).abs() <= boosting.stable_within * error;
            stable_rounds = if is_stable { stable_rounds + 1 } else { 0 };
            if stable_rounds >= boosting.stable_rounds {
                break;
            }
            last_error = error;
        }
        fitted
    }

    /// Returns the prediction for a sample.
    pub(super) fn predict(&self, features: &[f64; N]) -> f64 {
        self.mean + self.shrinkage * self.trees.iter().map(|tree| tree.predict(features)).sum::<f64>()
    }
}

impl Tree {
    fn fit<const N: usize>(boosting: &Boosting, samples: &[Sample<N>], residuals: &[f64]) -> Self {
        let mut tree = Self(Vec::new());
        tree.grow(boosting, samples, residuals, (0..samples.len()).collect(), boosting.depth);
        tree
    }

    /// Appends a node for some of the samples with all nodes below it, and returns its place.
    fn grow<const N: usize>(
        &mut self,
        boosting: &Boosting,
        samples: &[Sample<N>],
        residuals: &[f64],
        own: Vec<usize>,
        depth: usize,
    ) -> usize {
        let place = self.0.len();
        let sum: f64 = own.iter().map(|at| residuals[*at]).sum();
        self.0.push(Node::Leaf(sum / (count(own.len()) + boosting.leaf_penalty)));
        if depth > 0
            && let Some((feature, threshold)) = best_split(boosting, samples, residuals, &own)
        {
            let (below, above): (Vec<usize>, Vec<usize>) =
                own.into_iter().partition(|at| samples[*at].features[feature] < threshold);
            let below = self.grow(boosting, samples, residuals, below, depth - 1);
            let above = self.grow(boosting, samples, residuals, above, depth - 1);
            self.0[place] = Node::Split(Split { feature, threshold, below, above });
        }
        place
    }

    fn predict<const N: usize>(&self, features: &[f64; N]) -> f64 {
        let mut place = 0;
        loop {
            match self.0[place] {
                Node::Leaf(value) => return value,
                Node::Split(Split { feature, threshold, below, above }) => {
                    place = if features[feature] < threshold { below } else { above };
                }
            }
        }
    }
}

/// Returns the feature and threshold that reduce the penalised error most; none if no split reduces it. Of equal ones the first counts.
fn best_split<const N: usize>(
    boosting: &Boosting,
    samples: &[Sample<N>],
    residuals: &[f64],
    own: &[usize],
) -> Option<(usize, f64)> {
    let score = |sum: f64, samples: usize| sum * sum / (count(samples) + boosting.leaf_penalty);
    let all: f64 = own.iter().map(|at| residuals[*at]).sum();
    let mut best = None;
    // Below that, differences are rounding.
    let mut best_score = score(all, own.len()) * (1.0 + 1e-9) + 1e-12;
    let mut ordered = own.to_vec();
    for feature in 0..N {
        let value = |at: usize| samples[at].features[feature];
        ordered.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
        let mut below = 0.0;
        for (before, pair) in ordered.windows(2).enumerate() {
            below += residuals[pair[0]];
            let (last, next) = (value(pair[0]), value(pair[1]));
            if last >= next {
                continue;
            }
            let split_score = score(below, before + 1) + score(all - below, own.len() - before - 1);
            if split_score > best_score {
                best_score = split_score;
                let middle = f64::midpoint(last, next);
                // Neighbours may have no number between them.
                best = Some((feature, if middle > last { middle } else { next }));
            }
        }
    }
    best
}

fn root_mean_square(errors: &[f64]) -> f64 {
    (errors.iter().map(|error| error * error).sum::<f64>() / count(errors.len())).sqrt()
}

#[expect(clippy::cast_precision_loss, reason = "numbers of samples are small")]
fn count(samples: usize) -> f64 {
    samples as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOSTING: Boosting = Boosting {
        rounds: 20,
        depth: 6,
        shrinkage: 0.3,
        leaf_penalty: 1.0,
        validation_min: 10,
        stable_within: 0.01,
        stable_rounds: 3,
    };
    /// One tree without shrinkage, and next to no penalty.
    const PLAIN: Boosting = Boosting { rounds: 1, depth: 1, shrinkage: 1.0, leaf_penalty: 1e-9, ..BOOSTING };

    fn samples<const N: usize>(of: impl IntoIterator<Item = ([f64; N], f64)>) -> Vec<Sample<N>> {
        of.into_iter().map(|(features, target)| Sample { features, target }).collect()
    }

    /// Returns a number from 0 to below 1 for each number, without a pattern.
    fn scatter(number: u32) -> f64 {
        f64::from(number.wrapping_mul(0x9e37_79b9).rotate_left(15).wrapping_mul(0x85eb_ca6b) >> 8)
            / f64::from(1 << 24)
    }

    #[test]
    fn one_split_is_where_the_error_becomes_least() {
        // The second feature separates 1, 2 from 9, 10; the first one nothing.
        let training = samples([([3.0, 0.0], 1.0), ([1.0, 1.0], 2.0), ([2.0, 5.0], 9.0), ([0.0, 7.0], 10.0)]);
        let fitted = BoostedTrees::fit(&PLAIN, &training, &[]);
        for (feature, predicted) in [(0.0, 1.5), (2.9, 1.5), (3.1, 9.5), (100.0, 9.5)] {
            let found = fitted.predict(&[1.0, feature]);
            assert!((found - predicted).abs() < 1e-6, "{feature}: {found}");
        }
    }

    #[test]
    fn leaves_are_shrunk_by_their_penalty_and_trees_by_their_share() {
        // Mean 5, residuals -4 and 4: a leaf of one sample and a penalty of one halves them, and the share is three tenths.
        let training = samples([([0.0], 1.0), ([1.0], 9.0)]);
        let once = Boosting { rounds: 1, ..BOOSTING };
        let fitted = BoostedTrees::fit(&once, &training, &[]);
        assert!((fitted.predict(&[0.0]) - 4.4).abs() < 1e-9);
        assert!((fitted.predict(&[1.0]) - 5.6).abs() < 1e-9);
    }

    #[test]
    fn depth_limits_interactions() {
        // An exclusive or, a little out of balance: one split cannot separate it.
        let training = samples(
            [(0.0, 0.0, 0.0), (0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 0.1)].map(|(a, b, y)| ([a, b], y)),
        );
        let error = |depth| {
            let fitted = BoostedTrees::fit(&Boosting { depth, ..PLAIN }, &training, &[]);
            let errors =
                training.iter().map(|sample| (sample.target - fitted.predict(&sample.features)).abs());
            errors.fold(0.0, f64::max)
        };
        assert!(error(1) > 0.4, "{}", error(1));
        assert!(error(2) < 1e-6, "{}", error(2));
    }

    #[test]
    fn a_function_of_several_features_is_learned_and_predicted_for_new_samples() {
        let sample = |number: u32| {
            let features = [0, 1, 2].map(|feature| scatter(3 * number + feature));
            let [a, b, _] = features;
            (features, if a > 0.5 { 2.0 * b } else { 1.0 - b })
        };
        let [training, unseen] = [0..2000, 2000..2200].map(|range| samples(range.map(sample)));
        let fitted = BoostedTrees::fit(&BOOSTING, &training, &[]);
        let of = |predict: &dyn Fn(&Sample<3>) -> f64| {
            let errors: Vec<f64> = unseen.iter().map(|sample| sample.target - predict(sample)).collect();
            root_mean_square(&errors)
        };
        let (learned, by_mean) = (of(&|sample| fitted.predict(&sample.features)), of(&|_| fitted.mean));
        assert!(learned < 0.1 * by_mean, "{learned} beside {by_mean}");
    }

    #[test]
    fn the_same_samples_give_the_same_trees() {
        let sample =
            |number: u32| ([scatter(2 * number).round(), scatter(2 * number + 1)], scatter(number + 77));
        let all = samples((0..500).map(sample));
        assert_eq!(
            BoostedTrees::fit(&BOOSTING, &all[..400], &all[400..]),
            BoostedTrees::fit(&BOOSTING, &all[..400], &all[400..])
        );
    }

    #[test]
    fn boosting_ends_when_validation_gains_nothing() {
        // Targets of both have nothing to do with their features, so that validation samples gain nothing from any tree.
        let noise = samples((0..400).map(|number| ([scatter(number)], scatter(number + 7777))));
        let (training, validation) = noise.split_at(300);
        let trees = |validation: &[Sample<1>], stable_within| {
            let boosting = Boosting { stable_within, ..BOOSTING };
            BoostedTrees::fit(&boosting, training, validation).trees.len()
        };
        assert_eq!(trees(&validation[..9], 1.0), 20, "too few to judge");
        assert_eq!(trees(validation, 0.0), 20);
        assert_eq!(trees(validation, 1.0), 3, "every round counts as stable");
    }

    #[test]
    fn equal_targets_and_no_samples_give_a_constant() {
        let same = samples((0..100).map(|number| ([f64::from(number)], 3.0)));
        let fitted = BoostedTrees::fit(&BOOSTING, &same, &same);
        assert!((fitted.predict(&[7.0]) - 3.0).abs() < 1e-9);
        assert!(fitted.trees.iter().all(|tree| tree.0.len() == 1), "nothing to split");
        let nothing = BoostedTrees::<1>::fit(&BOOSTING, &[], &[]);
        assert!(nothing.predict(&[7.0]).abs() < 1e-9);
    }
}
