//! Time series of what disks did: one sample feeds all resolutions, and each question is a query on them.
//!
//! ```text
//!                       ┌ 5 s   x 60    everything, packed ── windows 5m; history 5m
//!   sample ── turn ─────┼ 1 min x 60    everything, packed ── window 1h
//!   (one look at        ├ 15 min x 96   everything, packed ── window 1d
//!    a disk)            ├ 5 min x 2016  sums, percentiles ─── history 1d, 7d
//!                       └ lifetime      with the cache and in pass-through ── report
//! ```
//! A sample is what a disk has counted in all by now. A step is the difference of the totals at its ends, so nothing is lost,
//! estimated or counted twice. Steps bear the number of their stretch of the calendar, the same in every run of the daemon.
//! Windows go by a clock that is not set. Where a clock was set back, a stretch of the calendar has several steps: history adds
//! them up, and windows see none of it.
//!
//! Pure: the caller says what time it is. Memory is bounded by the rings. `file` keeps them across restarts; what disks counted
//! in all is in `totals.rs`.

mod earlier;
pub mod file;
pub mod lifetime;
mod packed;
mod question;
mod ring;
mod summary;
#[cfg(test)]
mod tests;

use std::time::Duration;

use base::moment::Moment;

use crate::counted::Counted;
use file::Found;
use lifetime::Lifetime;
pub use question::{Recent, Span, Window, Windowed};
use ring::{Recents, Ring};
pub use ring::{SAMPLE_INTERVAL, SampleTime};
use summary::Summary;
pub use summary::{Gauges, HistoryStep, Percentiles, Sums};

/// State of a disk when a sample is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It is served, and stands so.
    Served(Gauges),
    /// Its thread does not answer. What it counts meanwhile is in the step in which it answers again.
    Silent,
    /// It is not served.
    Away,
}

/// The time series of one disk.
#[derive(Debug)]
pub struct Series {
    /// In the order of [`Recent`].
    recents: [Recents; 3],
    week: Ring<Summary>,
    /// Comparison of the time with the cache and in pass-through.
    pub lifetime: Lifetime,
    /// Time of the last sample up to which time is covered.
    covered_until: Duration,
    /// The file does not have the last sample.
    is_unsaved: bool,
}

impl Series {
    /// Returns series that begin now, for a disk that has counted `total`.
    pub fn new(time: SampleTime, total: &Counted, lifetime: Lifetime) -> Self {
        Self {
            recents: Recent::ALL.map(|recent| Recents::new(recent, time, total)),
            week: Ring::new(ring::WEEK, time, total),
            lifetime,
            covered_until: time.age,
            // A file of this number is of another disk.
            is_unsaved: true,
        }
    }

    /// Goes on from what was found of a disk that has counted `total` since `since`.
    pub fn resume(&mut self, found: Found, since: Moment, total: &Counted, time: SampleTime) {
        let Found { steps, details, .. } = found;
        self.week.resume(steps, time);
        if let Some(details) = details.filter(|details| details.belongs_to(since, total)) {
            if let Some(saved) = details.counted_in_steps {
                self.week.add_counted(saved, &total.since(&details.total));
            }
            for (recent, ring) in Recent::ALL.into_iter().zip(&details.rings) {
                if let Some(resumed) = Recents::resume(recent, ring, &details, total, time) {
                    self.recents[recent as usize] = resumed;
                }
            }
        }
        self.is_unsaved = found.is_unwritten;
    }

    /// Returns true if a sample at `time` begins a new step somewhere; then [`Self::turn`] comes first.
    pub fn is_due(&self, time: SampleTime) -> bool {
        self.week.is_due(time) || self.recents.iter().any(|recents| recents.ring.is_due(time))
    }

    /// Ends the steps that are over. `total` is what was counted by the sample before.
    pub fn turn(&mut self, time: SampleTime, total: &Counted) {
        self.recents.iter_mut().for_each(|recents| recents.turn(time, total));
        self.week.turn(time, total);
        while self.week.forget(time.age).is_some() {}
    }

    /// Takes the time and the state of a sample.
    pub fn pass(&mut self, time: SampleTime, presence: Presence) {
        let (covered, gauges) = match presence {
            Presence::Served(gauges) => (time.age.saturating_sub(self.covered_until), Some(gauges)),
            Presence::Silent | Presence::Away => (Duration::ZERO, None),
        };
        if presence != Presence::Silent {
            self.covered_until = self.covered_until.max(time.age);
        }
        self.is_unsaved |= gauges.is_some();
        self.recents.iter_mut().for_each(|recents| recents.ring.pass(time, covered, gauges));
        self.week.pass(time, covered, gauges);
    }

    /// Returns what was counted lately, if `total` is all by now.
    pub fn window(&self, recent: Recent, time: SampleTime, total: &Counted) -> Windowed {
        self.recents[recent as usize].window(recent, time, total)
    }

    /// Returns the steps of a span up to now, the oldest first, if `total` is all by now. The last is not over.
    pub fn steps(&self, span: Span, now: Moment, total: &Counted) -> Vec<HistoryStep> {
        match span {
            Span::FiveMinutes => {
                self.recents[Recent::FiveMinutes as usize].ring.summaries(span.steps(), now, total)
            }
            Span::Day | Span::Week => self.week.summaries(span.steps(), now, total),
        }
    }

    /// Returns the content of the file if it lacks something; it counts as written from then on.
    pub fn take_unsaved(
        &mut self,
        id: u32,
        since: Moment,
        total: &Counted,
        time: SampleTime,
    ) -> Option<Vec<u8>> {
        std::mem::take(&mut self.is_unsaved).then(|| {
            // What lies ahead of now is kept too.
            let steps = self.week.summaries(u64::MAX, Moment(u64::MAX), total);
            file::content(id, &steps, since, total, &self.recents, time)
        })
    }

    /// Has the file written the next time.
    pub fn not_saved(&mut self) {
        self.is_unsaved = true;
    }
}
