//! Figures of many points: their mean, and the worst with its place.

use std::fmt;

/// Values with their places.
#[derive(Clone, Debug, Default)]
pub(super) struct Figure {
    values: Vec<(f64, &'static str, u32)>,
}

impl Figure {
    /// Adds the value of a trace at a size in hundredths of its footprint.
    pub(super) fn add(&mut self, trace: &'static str, share: u32, value: f64) {
        self.values.push((value, trace, share));
    }

    /// Returns the mean of finite values, and the number of others: a point without a gain is infinite, and would hide the rest.
    fn mean(&self) -> String {
        let finite = self.values.iter().filter(|(value, ..)| value.is_finite());
        let (sum, count) = finite.fold((0.0, 0.0), |(sum, count), (value, ..)| (sum + value, count + 1.0));
        let mean = format!("{:.3}", sum / count);
        match self.values.iter().filter(|(value, ..)| !value.is_finite()).count() {
            0 => mean,
            others => format!("{mean} without {others} of {} that are infinite", self.values.len()),
        }
    }

    /// Returns mean and minimum.
    pub(super) fn least(&self) -> String {
        self.with(self.values.iter().min_by(|one, other| one.0.total_cmp(&other.0)))
    }

    /// Returns mean and maximum.
    pub(super) fn most(&self) -> String {
        self.with(self.values.iter().max_by(|one, other| one.0.total_cmp(&other.0)))
    }

    fn with(&self, worst: Option<&(f64, &'static str, u32)>) -> String {
        worst.map_or_else(
            || "-".to_owned(),
            |(value, trace, share)| format!("{}; {value:.3} ({trace} {share}%)", self.mean()),
        )
    }
}

/// Points of hit ratio lost: the worst, and the number of points that lose more than half a point.
#[derive(Clone, Debug, Default)]
pub(super) struct Loss(Figure);

impl Loss {
    /// Adds points lost.
    pub(super) fn add(&mut self, trace: &'static str, share: u32, points: f64) {
        self.0.add(trace, share, points);
    }
}

/// Loss above which a point is counted.
const POINTS: f64 = 0.5;

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = &self.0.values;
        let Some((worst, trace, share)) = values.iter().max_by(|one, other| one.0.total_cmp(&other.0)) else {
            return f.write_str("-");
        };
        let many = values.iter().filter(|(lost, ..)| *lost > POINTS).count();
        write!(f, "{worst:.2} ({trace} {share}%), {many} of {} above {POINTS}", values.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_is_named_with_its_place_and_those_beyond_half_a_point_are_counted() {
        let (mut figure, mut loss) = (Figure::default(), Loss::default());
        for (trace, share, value) in [("a", 1, 0.25), ("b", 2, 0.75), ("c", 3, -0.25)] {
            figure.add(trace, share, value);
            loss.add(trace, share, value);
        }
        assert_eq!(figure.least(), "0.250; -0.250 (c 3%)");
        assert_eq!(figure.most(), "0.250; 0.750 (b 2%)");
        assert_eq!(loss.to_string(), "0.75 (b 2%), 1 of 3 above 0.5");
        figure.add("d", 4, f64::INFINITY);
        assert_eq!(figure.most(), "0.250 without 1 of 4 that are infinite; inf (d 4%)");
        assert_eq!(
            (Figure::default().least(), Loss::default().to_string()),
            ("-".to_owned(), "-".to_owned())
        );
    }
}
