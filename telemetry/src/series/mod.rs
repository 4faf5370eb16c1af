//! Time series of disks: one sample feeds all resolutions, and windows and history are queries on them.
//!
//! ```text
//!                       ┌ 5 s   x 60    everything, packed ── windows 5m; history 5m
//!   sample ── turn ─────┼ 1 min x 60    everything, packed ── window 1h
//!   (state of           ├ 15 min x 96   everything, packed ── window 1d
//!    a disk)            ├ 5 min x 2016  sums, percentiles ─── history 1d, 7d
//!                       └ lifetime      with the cache and in pass-through ── report
//! ```
//! A sample is everything that a disk has counted by now. A step is the difference of the totals at its ends, so nothing is lost, estimated
//! or counted twice. A step is labelled with the number of its stretch of the calendar, the same in every run of the daemon. Windows use a
//! clock that is never set. If the host's clock is set back, a stretch of the calendar has several steps: history adds them up, and windows
//! are not affected.
//!
//! Pure: the caller passes the time. The rings bound the memory. `file` keeps them across restarts; total counts of disks are in
//! `totals.rs`.

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
use file::StoredSeries;
use lifetime::Lifetime;
pub use question::{Recent, Span, Window, WindowCounters};
use ring::{Recents, Ring};
pub use ring::{SAMPLE_INTERVAL, SampleTime};
use summary::Summary;
pub use summary::{Gauges, HistoryStep, Percentiles, Sums};

/// State of a disk when a sample is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It is served, with these levels.
    Served(Gauges),
    /// Its thread does not answer. Counts of this time go to the step in which it answers again.
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
            // An existing file of this number belongs to another disk.
            is_unsaved: true,
        }
    }

    /// Continues from the file of a disk that has counted `total` since `since`.
    pub fn resume(&mut self, found: StoredSeries, since: Moment, total: &Counted, time: SampleTime) {
        let StoredSeries { steps, details, .. } = found;
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

    /// Returns true if a sample at `time` begins a new step in some ring; then [`Self::turn`] is called first.
    pub fn is_due(&self, time: SampleTime) -> bool {
        self.week.is_due(time) || self.recents.iter().any(|recents| recents.ring.is_due(time))
    }

    /// Ends the steps that are over. `total` is the count by the sample before.
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

    /// Returns the counts of a recent window, if `total` is the count by now.
    pub fn window(&self, recent: Recent, time: SampleTime, total: &Counted) -> WindowCounters {
        self.recents[recent as usize].window(recent, time, total)
    }

    /// Returns the steps of a span up to now, the oldest first, if `total` is the count by now. The last is not over.
    pub fn steps(&self, span: Span, now: Moment, total: &Counted) -> Vec<HistoryStep> {
        match span {
            Span::FiveMinutes => {
                self.recents[Recent::FiveMinutes as usize].ring.summaries(span.steps(), now, total)
            }
            Span::Day | Span::Week => self.week.summaries(span.steps(), now, total),
        }
    }

    /// Returns the content of the file if the file lacks something; it counts as written from then on.
    pub fn take_unsaved(
        &mut self,
        id: u32,
        since: Moment,
        total: &Counted,
        time: SampleTime,
    ) -> Option<Vec<u8>> {
        std::mem::take(&mut self.is_unsaved).then(|| {
            // Steps in the future are kept too.
            let steps = self.week.summaries(u64::MAX, Moment(u64::MAX), total);
            file::content(id, &steps, since, total, &self.recents, time)
        })
    }

    /// Requests that the file is written the next time.
    pub fn not_saved(&mut self) {
        self.is_unsaved = true;
    }
}
