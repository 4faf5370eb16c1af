//! Lifetime as `totals.json` has it, under the key `course`.

use std::time::Duration;

use base::moment::Moment;
use cache::DiskCounts;
use serde::{Deserialize, Serialize};

use super::busiest::{Busiest, Edge};
use super::curve::Curve;
use super::{Lifetime, Passed};
use crate::counted::StoredCounters;

/// Part of a lifetime that outlasts the process.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeptLifetime {
    since: Moment,
    from: StoredCounters,
    passed: StoredCounters,
    passed_ms: u64,
    cached_ms: u64,
    hit_ratio: Curve,
    busiest_minutes: Busiest,
}

impl From<&Lifetime> for KeptLifetime {
    fn from(lifetime: &Lifetime) -> Self {
        let passed = lifetime.passed_in_all();
        // Five hundred million years of milliseconds fit.
        let milliseconds = |time: Duration| time.as_millis() as u64;
        Self {
            since: lifetime.since,
            from: StoredCounters::from(&lifetime.from),
            passed: StoredCounters::from(&passed.counted),
            passed_ms: milliseconds(passed.time),
            cached_ms: milliseconds(lifetime.cached_for()),
            hit_ratio: lifetime.curve.clone(),
            busiest_minutes: lifetime.busiest,
        }
    }
}

impl KeptLifetime {
    /// Continues with a disk that has counted so much in all.
    pub fn resume(self, total: &DiskCounts) -> Lifetime {
        let passed = Passed { counted: self.passed.into(), time: Duration::from_millis(self.passed_ms) };
        let mut lifetime = Lifetime {
            passed_before: passed,
            cached_before: Duration::from_millis(self.cached_ms),
            curve: self.hit_ratio,
            busiest: self.busiest_minutes,
            ..Lifetime::new(self.since, self.from.into())
        };
        lifetime.edge = Edge::new(lifetime.requests(total));
        lifetime
    }
}
