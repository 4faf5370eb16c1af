//! Latencies of requests: percentiles, and the count of each class.
//!
//! The classes are those of `forebay histogram`, known from vscsiStats, so that a replay can be compared with
//! a disk.

use hdrhistogram::Histogram;
use serde_json::{Value, json};

/// The longest time of each class, in microseconds. One more class is above them.
pub(super) const BOUNDS_US: [u64; 10] = [1, 10, 100, 500, 1_000, 5_000, 15_000, 30_000, 50_000, 100_000];
const CLASSES: usize = BOUNDS_US.len() + 1;
/// Upper end of the histogram: it covers a microsecond to an hour.
const LONGEST_US: u64 = 3_600_000_000;

/// Times of many requests.
#[derive(Clone)]
pub(crate) struct LatencyRecorder {
    histogram: Histogram<u64>,
    /// Exact, where the histogram rounds to three digits.
    max_us: u64,
    classes: [u64; CLASSES],
}

/// Latencies for people: of this replay, or from a document of an earlier one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LatencySummary {
    pub(crate) count: u64,
    pub(crate) mean_us: f64,
    /// Upper bounds of half of them, of 95, 99 and 99.9 percent, and of all, in microseconds.
    pub(crate) at_most_us: [u64; 5],
    pub(crate) classes: [u64; CLASSES],
}

/// Keys of [`LatencySummary::at_most_us`], with their percentiles as shares.
const SHARES: [(&str, f64); 5] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p999", 0.999), ("max", 1.0)];

impl LatencyRecorder {
    pub(super) fn new() -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST_US, 3);
        let histogram = histogram.expect("the bounds are constants that satisfy the histogram's own limits");
        Self { histogram, max_us: 0, classes: [0; CLASSES] }
    }

    /// Counts a request. Times below a microsecond count as one, times above an hour as an hour.
    pub(super) fn record(&mut self, us: u64) {
        self.histogram.saturating_record(us.max(1));
        self.max_us = self.max_us.max(us.clamp(1, LONGEST_US));
        self.classes[BOUNDS_US.partition_point(|bound| *bound < us)] += 1;
    }

    pub(crate) fn count(&self) -> u64 {
        self.histogram.len()
    }

    pub(crate) fn times(&self) -> LatencySummary {
        let at_most = |(_, share): (&str, f64)| match share {
            1.0 => self.max_us,
            share => self.histogram.value_at_quantile(share).min(self.max_us),
        };
        LatencySummary {
            count: self.count(),
            mean_us: self.histogram.mean(),
            at_most_us: SHARES.map(at_most),
            classes: self.classes,
        }
    }
}

impl LatencySummary {
    /// Returns mean and percentiles for a document.
    pub(super) fn json(&self) -> Value {
        let mut content = json!({ "count": self.count, "mean": self.mean_us });
        for ((key, _), value) in SHARES.iter().zip(self.at_most_us) {
            content[*key] = value.into();
        }
        content
    }

    /// Returns classes for a document.
    pub(super) fn classes_json(&self) -> Value {
        let bounds = BOUNDS_US.iter().map(|bound| json!(bound)).chain([Value::Null]);
        bounds.zip(self.classes).map(|(upto, count)| json!({ "upto": upto, "count": count })).collect()
    }

    /// Parses the values of these two keys of a document; `None` if it is not such a document.
    pub(super) fn read(latency: &Value, classes: &Value) -> Option<Self> {
        let mut times =
            Self { count: latency["count"].as_u64()?, mean_us: latency["mean"].as_f64()?, ..Self::default() };
        for ((key, _), value) in SHARES.iter().zip(&mut times.at_most_us) {
            *value = latency[*key].as_u64()?;
        }
        let classes = classes.as_array().filter(|classes| classes.len() == CLASSES)?;
        for (class, count) in classes.iter().zip(&mut times.classes) {
            *count = class["count"].as_u64()?;
        }
        Some(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_fall_into_their_classes_and_read_back() {
        let mut measured = LatencyRecorder::new();
        for us in [0, 1, 2, 10, 11, 100_000, 100_001, u64::MAX] {
            measured.record(us);
        }
        let times = measured.times();
        assert_eq!(times.classes, [2, 2, 1, 0, 0, 0, 0, 0, 0, 1, 2]);
        assert_eq!((times.count, times.at_most_us[0]), (8, 10));
        assert_eq!(LatencySummary::read(&times.json(), &times.classes_json()), Some(times.clone()));
        assert_eq!(LatencySummary::read(&json!({ "count": 8 }), &times.classes_json()), None);
        assert_eq!(LatencySummary::read(&times.json(), &json!([])), None);
        assert_eq!(LatencyRecorder::new().times().json()["max"], 0);
    }
}
