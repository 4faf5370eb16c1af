//! A course as `totals.json` has it.

use std::time::Duration;

use cache::DiskCounts;
use serde::{Deserialize, Serialize};

use super::busiest::{Busiest, Edge};
use super::curve::Curve;
use super::{Course, Passed};
use crate::counted::Kept;
use crate::moment::Moment;

/// What of a course outlasts the process.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct KeptCourse {
    since: Moment,
    from: Kept,
    passed: Kept,
    passed_ms: u64,
    cached_ms: u64,
    hit_ratio: Curve,
    busiest_minutes: Busiest,
}

impl From<&Course> for KeptCourse {
    fn from(course: &Course) -> Self {
        let passed = course.passed_in_all();
        // Five hundred million years of milliseconds fit.
        let milliseconds = |time: Duration| time.as_millis() as u64;
        Self {
            since: course.since,
            from: Kept::from(&course.from),
            passed: Kept::from(&passed.counted),
            passed_ms: milliseconds(passed.time),
            cached_ms: milliseconds(course.cached_for()),
            hit_ratio: course.curve.clone(),
            busiest_minutes: course.busiest,
        }
    }
}

impl KeptCourse {
    /// Goes on with a disk that has counted so much in all.
    pub(crate) fn resume(self, total: &DiskCounts) -> Course {
        let passed = Passed { counted: self.passed.into(), time: Duration::from_millis(self.passed_ms) };
        let mut course = Course {
            passed_before: passed,
            cached_before: Duration::from_millis(self.cached_ms),
            curve: self.hit_ratio,
            busiest: self.busiest_minutes,
            ..Course::new(self.since, self.from.into())
        };
        course.edge = Edge::new(course.requests(total));
        course
    }
}
