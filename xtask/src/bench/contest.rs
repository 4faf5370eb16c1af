//! Contenders that take turns, and statistics of their figures: medians, and ratios of measurements of the same round.

/// Direction in which a figure improves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Better {
    Higher,
    Lower,
}

/// Our speed divided by that of the other contender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    pub(super) median: f64,
    pub(super) lowest: f64,
    pub(super) highest: f64,
}

/// Lets all contenders take turns: one, two, three, one, two, three. Returns the results of each, by round.
///
/// # Errors
/// The first error of a turn.
pub(super) fn take_turns<C, S>(
    rounds: u32,
    contenders: &[C],
    mut turn: impl FnMut(&C) -> Result<S, String>,
) -> Result<Vec<Vec<S>>, String> {
    let mut samples: Vec<Vec<S>> = contenders.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for (contender, samples) in contenders.iter().zip(&mut samples) {
            samples.push(turn(contender)?);
        }
    }
    Ok(samples)
}

/// Returns the middle value; of an even number of them, the mean of the two in the middle.
pub(super) fn median(values: &[f64]) -> f64 {
    assert!(!values.is_empty(), "no value has no median");
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    f64::midpoint(sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2])
}

/// Returns one ratio a round, their median and their extremes. Above 1 we are faster, whichever direction is better.
pub(super) fn ratio(ours: &[f64], theirs: &[f64], better: Better) -> Ratio {
    assert_eq!(ours.len(), theirs.len(), "both had a turn in each round");
    let one = |(&ours, &theirs): (&f64, &f64)| match better {
        Better::Higher => ours / theirs,
        Better::Lower => theirs / ours,
    };
    let ratios: Vec<f64> = ours.iter().zip(theirs).map(one).collect();
    Ratio {
        median: median(&ratios),
        lowest: ratios.iter().copied().fold(f64::INFINITY, f64::min),
        highest: ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "halves and quarters are exact")]
mod tests {
    use super::*;

    #[test]
    fn contenders_take_turns() {
        let mut order = String::new();
        let samples = take_turns(2, &['a', 'b'], |name| {
            order.push(*name);
            Ok(order.len())
        });
        assert_eq!(samples, Ok(vec![vec![1, 3], vec![2, 4]]));
        assert_eq!(order, "abab");
    }

    #[test]
    fn a_turn_that_fails_ends_the_contest() {
        let failed = take_turns(9, &[1], |_| Err::<(), _>("No.".to_owned()));
        assert_eq!(failed, Err("No.".to_owned()));
    }

    #[test]
    fn the_median_is_in_the_middle_whatever_the_order() {
        assert_eq!(median(&[9.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 9.0]), 3.0);
    }

    #[test]
    fn above_one_we_are_faster_whichever_way_is_better() {
        let twice = Ratio { median: 2.0, lowest: 2.0, highest: 2.0 };
        assert_eq!(ratio(&[8.0], &[4.0], Better::Higher), twice);
        assert_eq!(ratio(&[4.0], &[8.0], Better::Lower), twice);
    }

    #[test]
    fn a_ratio_is_taken_within_each_round() {
        // The machine became ten times slower after the first round; the order did not change.
        let ratio = ratio(&[200.0, 20.0, 20.0], &[100.0, 10.0, 20.0], Better::Higher);
        assert_eq!(ratio, Ratio { median: 2.0, lowest: 1.0, highest: 2.0 });
    }
}
