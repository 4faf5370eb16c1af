//! Rings of steps: one for each resolution, and full ones for windows.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use base::moment::Moment;

use crate::counted::Counted;

use super::file::{Details, KeptRing};
use super::packed::Packed;
use super::question::{Recent, Window, WindowCounters};
use super::summary::{Gauges, HistoryStep, Summary};

/// Interval between samples: the shortest step.
pub const SAMPLE_INTERVAL: Duration = Duration::from_secs(5);

/// Added to the age since the start of the process, so that there are ages before the start.
const BEFORE_START: Duration = Duration::from_hours(10 * 24);

/// Time of a sample, by both clocks.
#[derive(Clone, Copy, Debug)]
pub struct SampleTime {
    /// By the host's clock, which may be set.
    pub now: Moment,
    /// By a clock that is not set.
    pub(super) age: Duration,
}

impl SampleTime {
    /// Returns the time so long after the start of the process.
    pub fn new(now: Moment, since_start: Duration) -> Self {
        Self { now, age: since_start + BEFORE_START }
    }
}

/// Length of a step, and how far back steps are kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolution {
    pub(super) step_seconds: u64,
    pub(super) span: Duration,
}

const DAY_SECONDS: u64 = 24 * 60 * 60;
const WEEK_STEP_SECONDS: u64 = 5 * 60;
/// The last step of a week may have ended at the begin of the week.
pub(super) const WEEK: Resolution = Resolution {
    step_seconds: WEEK_STEP_SECONDS,
    span: Duration::from_secs(7 * DAY_SECONDS + WEEK_STEP_SECONDS),
};

impl Resolution {
    pub(super) fn of(recent: Recent) -> Self {
        let (step_seconds, span) = match recent {
            Recent::FiveMinutes => (SAMPLE_INTERVAL.as_secs(), Duration::from_mins(5)),
            Recent::Hour => (60, Duration::from_hours(1)),
            Recent::Day => (15 * 60, Duration::from_hours(24)),
        };
        Self { step_seconds, span }
    }

    pub(super) fn number(&self, now: Moment) -> u64 {
        now.0 / self.step_seconds
    }

    /// Returns the maximum number of steps: those of the span, and a partial one at both ends.
    fn steps_max(&self) -> usize {
        (self.span.as_secs() / self.step_seconds) as usize + 2
    }
}

/// Content of a step that is over.
pub(super) trait Content {
    fn of(counted: &Counted) -> Self;
    fn summary(&self) -> Summary;
}

/// Place of a step in time, and the state of the disk in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Label {
    /// Seconds since 1970 divided by the length of a step; 0 if the place in the calendar was not kept.
    number: u64,
    /// Age at its last sample.
    pub(super) ends: Duration,
    covered_ms: u64,
    gauges: Gauges,
    dirty_bytes_max: u64,
}

impl Label {
    fn with(self, Summary { sums, percentiles }: Summary) -> HistoryStep {
        let Self { number, covered_ms, gauges, dirty_bytes_max, .. } = self;
        HistoryStep { number, covered_ms, sums, gauges, dirty_bytes_max, percentiles }
    }
}

#[derive(Debug)]
pub(super) struct Step<D> {
    pub(super) label: Label,
    pub(super) content: D,
}

/// Steps of one length in the order of samples, and the one that is open.
#[derive(Debug)]
pub(super) struct Ring<D> {
    resolution: Resolution,
    pub(super) steps: VecDeque<Step<D>>,
    open: Label,
    /// Total when the open step began.
    pub(super) edge: Counted,
}

impl<D: Content> Ring<D> {
    pub(super) fn new(resolution: Resolution, time: SampleTime, total: &Counted) -> Self {
        let open = Label { number: resolution.number(time.now), ends: time.age, ..Label::default() };
        Self { resolution, steps: VecDeque::new(), open, edge: total.clone() }
    }

    pub(super) fn is_due(&self, time: SampleTime) -> bool {
        self.resolution.number(time.now) != self.open.number
    }

    /// Ends the open step if `time` is beyond it. `total` is the count by its last sample.
    pub(super) fn turn(&mut self, time: SampleTime, total: &Counted) {
        if !self.is_due(time) {
            return;
        }
        let content = D::of(&total.since(&self.edge));
        self.steps.push_back(Step { label: self.open, content });
        self.edge.clone_from(total);
        let Label { gauges, ends, .. } = self.open;
        let number = self.resolution.number(time.now);
        self.open = Label { number, ends: ends.max(time.age), gauges, ..Label::default() };
    }

    /// Removes and returns the oldest step if it is outside the span.
    pub(super) fn forget(&mut self, age: Duration) -> Option<Step<D>> {
        let is_full = self.steps.len() > self.resolution.steps_max();
        let span = self.resolution.span;
        self.steps.pop_front_if(|first| is_full || first.label.ends + span <= age)
    }

    /// Adds the time of a sample to the open step.
    pub(super) fn pass(&mut self, time: SampleTime, covered: Duration, gauges: Option<Gauges>) {
        self.open.ends = self.open.ends.max(time.age);
        self.open.covered_ms = self.open.covered_ms.saturating_add(covered.as_millis() as u64);
        if let Some(gauges) = gauges {
            self.open.gauges = gauges;
            self.open.dirty_bytes_max = self.open.dirty_bytes_max.max(gauges.dirty_bytes);
        }
    }

    /// Returns the last steps of the calendar up to now, the oldest first, without those that are unknown.
    pub(super) fn summaries(&self, steps: u64, now: Moment, total: &Counted) -> Vec<HistoryStep> {
        let newest = self.resolution.number(now);
        let is_recent =
            |label: &Label| label.number > 0 && label.number <= newest && newest - label.number < steps;
        let mut merged: BTreeMap<u64, HistoryStep> = BTreeMap::new();
        let mut add = |step: HistoryStep| {
            if step.is_known() {
                merged.entry(step.number).and_modify(|before| before.merge(&step)).or_insert(step);
            }
        };
        for Step { label, content } in self.steps.iter().filter(|step| is_recent(&step.label)) {
            add(label.with(content.summary()));
        }
        if is_recent(&self.open) {
            add(self.open.with(Summary::of(&total.since(&self.edge))));
        }
        merged.into_values().collect()
    }
}

impl Ring<Summary> {
    /// Prepends steps of earlier runs, the oldest first.
    pub(super) fn resume(&mut self, steps: Vec<HistoryStep>, time: SampleTime) {
        for step in steps {
            let HistoryStep { number, covered_ms, sums, gauges, dirty_bytes_max, percentiles } = step;
            let begins = Duration::from_secs(number.saturating_mul(self.resolution.step_seconds));
            let ago = Duration::from_secs(time.now.0).saturating_sub(begins);
            let ends = time.age.saturating_sub(ago);
            let label = Label { number, ends, covered_ms, gauges, dirty_bytes_max };
            self.steps.push_back(Step { label, content: Summary { sums, percentiles } });
            self.open.gauges = gauges;
        }
        while self.forget(time.age).is_some() {}
    }

    /// Adds counts of an unknown time between `moment` and the open step.
    pub(super) fn add_counted(&mut self, moment: Moment, counted: &Counted) {
        let content = Summary::of(counted);
        let number = self.resolution.number(moment);
        let Label { ends, gauges, .. } = self.open;
        self.steps.push_back(Step { label: Label { number, ends, gauges, ..Label::default() }, content });
    }
}

/// Ring with full counts that answers a window of time: the difference of two totals.
#[derive(Debug)]
pub(super) struct Recents {
    pub(super) ring: Ring<Packed>,
    /// Age at which the window begins, and the total then.
    pub(super) begins: Duration,
    before: Counted,
}

impl Recents {
    pub(super) fn new(recent: Recent, time: SampleTime, total: &Counted) -> Self {
        let ring = Ring::new(Resolution::of(recent), time, total);
        Self { ring, begins: time.age, before: total.clone() }
    }

    pub(super) fn turn(&mut self, time: SampleTime, total: &Counted) {
        self.ring.turn(time, total);
        while let Some(Step { label, content }) = self.ring.forget(time.age) {
            self.before.add(&content.counted());
            self.begins = label.ends;
        }
    }

    pub(super) fn window(&self, recent: Recent, time: SampleTime, total: &Counted) -> WindowCounters {
        WindowCounters {
            window: Window::Last(recent),
            seconds: time.age.saturating_sub(self.begins).as_secs(),
            counted: total.since(&self.before),
        }
    }

    /// Returns the kept window, extended to now; none if it is over by now.
    pub(super) fn resume(
        recent: Recent,
        kept: &KeptRing,
        details: &Details,
        total: &Counted,
        time: SampleTime,
    ) -> Option<Self> {
        if details.ago >= Resolution::of(recent).span {
            return None;
        }
        let saved = time.age.saturating_sub(details.ago);
        let age = |ago: u64| saved.saturating_sub(Duration::from_millis(ago));
        let mut recents = Self::new(recent, time, total);
        let closed = details.total.since(&kept.open);
        let mut in_steps = Counted::default();
        for (ago, counted) in &kept.steps {
            in_steps.add(counted);
            let label = Label { ends: age(*ago), ..Label::default() };
            recents.ring.steps.push_back(Step { label, content: Packed::of(counted) });
        }
        let label = Label { ends: saved, ..Label::default() };
        recents.ring.steps.push_back(Step { label, content: Packed::of(&total.since(&closed)) });
        recents.before = closed.since(&in_steps);
        recents.begins = age(kept.before);
        Some(recents)
    }
}
