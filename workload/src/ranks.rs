//! Ranks of Zipf's law, drawn by chance.

/// Ranks of which the probability falls with the rank to a power, the skew: G. K. Zipf, "Human Behavior and the Principle of Least
/// Effort", 1949.
#[derive(Clone, Debug)]
pub struct Ranks {
    /// Cumulated probability, ascending to one.
    cumulated: Vec<f64>,
}

impl Ranks {
    /// Creates so many ranks, at least one. With a skew of 0 all are alike.
    ///
    /// # Panics
    /// If there is none.
    #[expect(clippy::cast_precision_loss, reason = "ranks are far below 2^52")]
    pub fn new(count: usize, skew: f64) -> Self {
        assert!(count > 0, "there is one rank at least");
        let mut total = 0.0;
        let mut cumulated = Vec::with_capacity(count);
        for rank in 1..=count {
            total += (rank as f64).powf(-skew);
            cumulated.push(total);
        }
        for chance in &mut cumulated {
            *chance /= total;
        }
        Self { cumulated }
    }

    /// Returns the rank of a chance of at least 0 and below 1, the most frequent one being 0.
    pub fn draw(&self, chance: f64) -> usize {
        self.cumulated.partition_point(|upto| *upto < chance).min(self.cumulated.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_divided_by_the_law() {
        let ranks = Ranks::new(4, 1.0);
        let all = 1.0 + 0.5 + 1.0 / 3.0 + 0.25;
        let drawn =
            [0.0, 0.999 / all, 1.001 / all, 1.499 / all, 1.501 / all, 0.999_999].map(|at| ranks.draw(at));
        assert_eq!(drawn, [0, 0, 1, 1, 2, 3]);
        let alike = Ranks::new(4, 0.0);
        assert_eq!([0.1, 0.3, 0.6, 0.9].map(|at| alike.draw(at)), [0, 1, 2, 3]);
    }
}
