//! The busiest minute of a disk, with the cache and in pass-through: the highest rate of requests over a stretch of at least
//! a minute.
//!
//! A stretch ends with the first sample of the disk at least a minute after its begin; samples come every 5 s. Counters and time are of the
//! same sample, so a rate is exact. A stretch with requests of both kinds counts for neither.

use std::time::Duration;

use serde::{Deserialize, Serialize};

const STRETCH: Duration = Duration::from_mins(1);

/// Reads and writes of a disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Requests {
    pub cached: u64,
    pub passed: u64,
}

/// Requests over a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    requests: u64,
    milliseconds: u64,
}

/// The highest rate so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Busiest {
    pub cached: Rate,
    pub passed: Rate,
}

/// Begin of the present stretch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Edge {
    /// Time since the disk was attached.
    at: Duration,
    requests: Requests,
}

impl Rate {
    /// Returns requests per second; none if there was no stretch.
    pub fn per_second(self) -> Option<f64> {
        base::units::ratio(self.requests * 1_000, self.milliseconds)
    }

    fn or_higher(self, other: Self) -> Self {
        let weight = |rate: Self, of: Self| u128::from(rate.requests) * u128::from(of.milliseconds.max(1));
        if weight(other, self) > weight(self, other) { other } else { self }
    }
}

impl Edge {
    /// Creates the state for a new attachment, with the requests counted before it.
    pub(crate) fn new(requests: Requests) -> Self {
        Self { at: Duration::ZERO, requests }
    }
}

impl Busiest {
    /// Takes the requests counted so long after the disk was attached. Moves `edge` when a stretch ends.
    pub(crate) fn see(&mut self, edge: &mut Edge, attached_for: Duration, requests: Requests) {
        let time = attached_for.saturating_sub(edge.at);
        if time < STRETCH {
            return;
        }
        let since = |now: u64, then: u64| {
            // Five hundred million years of milliseconds fit.
            Rate { requests: now.saturating_sub(then), milliseconds: time.as_millis() as u64 }
        };
        let cached = since(requests.cached, edge.requests.cached);
        let passed = since(requests.passed, edge.requests.passed);
        *edge = Edge { at: attached_for, requests };
        if passed.requests == 0 {
            self.cached = self.cached.or_higher(cached);
        } else if cached.requests == 0 {
            self.passed = self.passed.or_higher(passed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct BusiestDisk {
        busiest: Busiest,
        edge: Edge,
    }

    impl BusiestDisk {
        fn new() -> Self {
            Self { busiest: Busiest::default(), edge: Edge::default() }
        }

        fn see(&mut self, seconds: u64, cached: u64, passed: u64) -> [Option<f64>; 2] {
            let requests = Requests { cached, passed };
            self.busiest.see(&mut self.edge, Duration::from_secs(seconds), requests);
            [self.busiest.cached, self.busiest.passed].map(Rate::per_second)
        }
    }

    #[test]
    fn the_highest_rate_over_a_minute_stays() {
        let mut disk = BusiestDisk::new();
        assert_eq!(disk.see(59, 5_000, 0), [None, None], "no minute is over");
        assert_eq!(disk.see(64, 6_400, 0), [Some(100.0), None]);
        assert_eq!(disk.see(120, 90_000, 0), [Some(100.0), None], "56 s are no minute");
        assert_eq!(disk.see(164, 106_400, 0), [Some(1_000.0), None]);
        assert_eq!(disk.see(264, 106_410, 0), [Some(1_000.0), None]);
    }

    #[test]
    fn a_minute_in_which_the_mode_changed_is_nobodys() {
        let mut disk = BusiestDisk::new();
        disk.see(60, 6_000, 0);
        assert_eq!(disk.see(120, 60_000, 90_000), [Some(100.0), None]);
        assert_eq!(disk.see(180, 60_000, 90_600), [Some(100.0), Some(10.0)]);
    }

    #[test]
    fn an_attachment_begins_with_a_stretch_of_its_own() {
        let mut disk = BusiestDisk::new();
        disk.see(60, 600, 0);
        disk.see(119, 30_000, 0);
        disk.edge = Edge::new(Requests { cached: 30_000, passed: 0 });
        assert_eq!(disk.see(60, 30_060, 0), [Some(10.0), None]);
    }

    #[test]
    fn nothing_counted_is_no_rate() {
        assert_eq!(Rate::default().per_second(), None);
        assert_eq!(BusiestDisk::new().see(60, 0, 0), [None, None]);
    }
}
