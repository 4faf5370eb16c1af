//! Counters and latencies as files have them: by name, so that versions which count more or less can read each other's files.

use std::collections::BTreeMap;

use cache::{DiskCounts, LatencyCounts};
use serde::{Deserialize, Serialize};

use super::Counted;

/// Counters and latencies by their names.
#[derive(Debug, Serialize, Deserialize)]
pub struct StoredCounters {
    counts: BTreeMap<String, u64>,
    latencies: BTreeMap<String, StoredLatency>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct StoredLatency {
    count: u64,
    sum_ns: u64,
    max_ns: u64,
    /// Numbers of classes and their counts; none from versions that did not keep them, whose latencies begin at zero.
    classes: Vec<(u16, u64)>,
}

/// Conversion to the form that leaves zeroes out.
impl From<&Counted> for StoredCounters {
    fn from(counted: &Counted) -> Self {
        let counts = counted.counts.named().filter(|(_, count)| *count > 0);
        let measured = counted.latencies().filter(|(_, latency)| latency.count() > 0);
        let latencies = measured.map(|(name, latency)| {
            let (count, sum_ns, max_ns) = (latency.count(), latency.sum_ns(), latency.max_ns());
            (name.to_owned(), StoredLatency { count, sum_ns, max_ns, classes: latency.classes().collect() })
        });
        let counts = counts.map(|(name, count)| (name.to_owned(), count));
        Self { counts: counts.collect(), latencies: latencies.collect() }
    }
}

impl From<StoredCounters> for Counted {
    fn from(kept: StoredCounters) -> Self {
        let counts = DiskCounts::from_names(|name| kept.counts.get(name).copied().unwrap_or(0));
        let latency = |name: &str| match kept.latencies.get(name) {
            Some(StoredLatency { sum_ns, max_ns, classes, .. }) if !classes.is_empty() => {
                LatencyCounts::from_parts(*sum_ns, *max_ns, classes.iter().copied())
            }
            _ => LatencyCounts::default(),
        };
        let latencies = cache::Latency::ALL.map(|(_, name)| latency(name));
        Self { counts, latencies }
    }
}
