//! What disks did in the last week, in steps of five minutes, and in the last five minutes, in steps of five seconds.
//!
//! ```text
//!   wall clock   12:00     12:05     12:10     12:15   now
//!   steps          |---41---|---42---|         |-44-··>          by number: seconds since 1970 / length of a step
//!   place in the ring: number modulo the steps that are kept
//! ```
//! A step belongs to a stretch of the calendar, the same one in every run of the daemon, so that a restart goes on in the
//! step in which the last run ended. It has what was counted in it, differences of totals (`totals.rs`), which go on from one
//! attachment of a disk to the next: nothing is lost, estimated or counted twice. How much time it covers is measured by a clock that
//! is not set, and is less than its length if the daemon or the disk was away for a part of it: where there is no step nothing
//! is known, which is not the same as nothing having happened.
//!
//! Clocks are set. When the host's goes back, a stretch of the calendar comes a second time, and its steps then have both;
//! steps that lie ahead of now are kept and not told until their time comes, or until another step takes their place.
//!
//! Memory is bounded by the rings. Pure: whoever feeds it says what time it is. The week is kept in `DIR/history` (`file`).

mod file;
mod spread;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use cache::{DiskStatistics, Latency};
use clap::ValueEnum;

use crate::counted::{Counted, ratio};
use crate::moment::Moment;
use crate::problem::{Answer, Problem};

pub(crate) use file::{Found, Unsaved, kept, load, remove, save};
use spread::Spread;
pub(crate) use spread::{Measured, Percentiles};

/// Length of a step of the week.
const STEP_SECONDS: u64 = 5 * 60;
/// Steps that are kept: a week.
const STEPS_MAX: u64 = 7 * 24 * 3600 / STEP_SECONDS;
/// Length of a step of the last five minutes.
const LIVE_STEP_SECONDS: u64 = 5;
const LIVE_STEPS_MAX: u64 = 5 * 60 / LIVE_STEP_SECONDS;
/// What one disk takes of memory at most, as documentation says.
#[cfg(test)]
const BYTES_MAX: usize = 512 << 10;

/// How far back to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Span {
    /// Five minutes, in steps of 5 s; of this run of the daemon only
    #[value(name = "5m")]
    FiveMinutes,
    /// A day, in steps of 5 minutes
    #[default]
    #[value(name = "1d")]
    Day,
    /// A week, in steps of 5 minutes
    #[value(name = "7d")]
    Week,
}

impl Span {
    /// As users write it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::FiveMinutes => "5m",
            Self::Day => "1d",
            Self::Week => "7d",
        }
    }

    /// The span of this name.
    ///
    /// # Errors
    /// If there is none; with those that there are.
    pub(crate) fn parse(name: &str) -> Answer<Self> {
        let all = Self::value_variants();
        all.iter().find(|span| span.name() == name).copied().ok_or_else(|| {
            let known = all.iter().map(|span| span.name()).collect::<Vec<_>>().join(", ");
            Problem::invalid(format!("Cannot show the history of '{name}': take one of {known}"))
        })
    }

    /// Length of a step.
    pub(crate) fn step_seconds(self) -> u64 {
        match self {
            Self::FiveMinutes => LIVE_STEP_SECONDS,
            Self::Day | Self::Week => STEP_SECONDS,
        }
    }

    /// Its steps, the present one included.
    fn steps(self) -> u64 {
        match self {
            Self::FiveMinutes => LIVE_STEPS_MAX,
            Self::Day => STEPS_MAX / 7,
            Self::Week => STEPS_MAX,
        }
    }
}

macro_rules! sums {
    ($($(#[doc = $doc:literal])? $name:ident,)*) => {
        /// What is added up in a step.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(crate) struct Sums { $($(#[doc = $doc])? pub(crate) $name: u64,)* }

        impl Sums {
            const COUNT: usize = [$(stringify!($name)),*].len();

            /// Both together.
            pub(crate) fn and(&self, more: &Self) -> Self {
                Self { $($name: self.$name.saturating_add(more.$name),)* }
            }

            fn since(&self, earlier: &Self) -> Self {
                Self { $($name: self.$name.saturating_sub(earlier.$name),)* }
            }

            fn to_array(self) -> [u64; Self::COUNT] {
                [$(self.$name),*]
            }

            fn from_array([$($name),*]: [u64; Self::COUNT]) -> Self {
                Self { $($name),* }
            }
        }
    };
}

// In the order of the file: more of them are another version of it.
sums! {
    reads,
    read_hits_ram,
    read_hits_flash,
    writes,
    read_bytes,
    write_bytes,
    flash_write_bytes,
    backing_reads,
    backing_writes,
    backing_read_bytes,
    backing_write_bytes,
    destage_bytes,
    /// How long all reads took, together.
    read_ns,
    /// How long all writes took, together.
    write_ns,
}

impl Sums {
    /// Of what a disk counted in all.
    pub(crate) fn of(counted: &Counted) -> Self {
        let counts = &counted.counts;
        let nanos =
            |kinds: &[Latency]| kinds.iter().map(|kind| counted.latencies[*kind as usize].sum_ns()).sum();
        Self {
            reads: counts.reads,
            read_hits_ram: counts.read_hits_ram,
            read_hits_flash: counts.read_hits_flash,
            writes: counts.writes,
            read_bytes: counts.read_bytes,
            write_bytes: counts.write_bytes,
            flash_write_bytes: counts.flash_write_bytes,
            backing_reads: counts.backing_reads,
            backing_writes: counts.backing_writes,
            backing_read_bytes: counts.backing_read_bytes,
            backing_write_bytes: counts.backing_write_bytes,
            destage_bytes: counts.destage_bytes,
            read_ns: nanos(&[Latency::ReadHitRam, Latency::ReadHitFlash, Latency::ReadMiss]),
            write_ns: nanos(&[Latency::Write]),
        }
    }

    /// Full hits of all reads; none without reads.
    pub(crate) fn hit_ratio(&self) -> Option<f64> {
        ratio(self.read_hits_ram.saturating_add(self.read_hits_flash), self.reads)
    }

    /// How long a read took on average, in microseconds; none without reads.
    pub(crate) fn read_latency_us(&self) -> Option<f64> {
        ratio(self.read_ns, self.reads).map(|nanos| nanos / 1_000.0)
    }

    /// How long a write took on average, in microseconds; none without writes.
    pub(crate) fn write_latency_us(&self) -> Option<f64> {
        ratio(self.write_ns, self.writes).map(|nanos| nanos / 1_000.0)
    }
}

/// How a disk stands at a moment, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "the names of the documentation, with their unit")]
pub(crate) struct Standing {
    pub(crate) dirty_bytes: u64,
    pub(crate) dirty_limit_bytes: u64,
    pub(crate) cached_bytes: u64,
}

impl Standing {
    pub(crate) fn of(statistics: &DiskStatistics) -> Self {
        let DiskStatistics { dirty_bytes, dirty_limit_bytes, cached_bytes, .. } = *statistics;
        Self { dirty_bytes, dirty_limit_bytes, cached_bytes }
    }
}

/// What somebody who looks at a disk sees of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Served(Standing),
    /// Its thread does not answer. What it counts meanwhile is in the step in which it answers again.
    Silent,
    /// It is not served.
    Away,
}

/// One stretch of the calendar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    /// Seconds since 1970 by the length of a step.
    pub(crate) number: u64,
    /// How much time it covers, in milliseconds: less than its length if the disk was not served for a part of it; more if its
    /// thread did not answer before it, or the clock was set back.
    pub(crate) covered_ms: u64,
    pub(crate) sums: Sums,
    /// How the disk stood when it was looked at last.
    pub(crate) standing: Standing,
    /// The most that was dirty, of looks every five seconds.
    pub(crate) dirty_bytes_max: u64,
    pub(crate) percentiles: Percentiles,
}

impl Step {
    fn add(&mut self, covered: Duration, more: &Sums, standing: Standing) {
        self.covered_ms = self.covered_ms.saturating_add(covered.as_millis() as u64);
        self.sums = self.sums.and(more);
        self.standing = standing;
        self.dirty_bytes_max = self.dirty_bytes_max.max(standing.dirty_bytes);
    }
}

/// Steps of one length, each at the place of its number.
#[derive(Debug)]
struct Ring {
    step_seconds: u64,
    /// All places, also those that have none yet.
    steps: Box<[Option<Step>]>,
}

impl Ring {
    fn new(step_seconds: u64, steps_max: u64) -> Self {
        Self { step_seconds, steps: vec![None; steps_max as usize].into() }
    }

    fn number(&self, now: Moment) -> u64 {
        now.0 / self.step_seconds
    }

    fn place(&self, number: u64) -> usize {
        (number % self.steps.len() as u64) as usize
    }

    /// The step of a number, if there is one.
    fn step_if_there(&mut self, number: u64) -> Option<&mut Step> {
        self.steps[self.place(number)].as_mut().filter(|step| step.number == number)
    }

    /// The step of a number. Whatever else is at its place goes: it is a week older, or its time never came.
    fn step(&mut self, number: u64) -> &mut Step {
        let place = &mut self.steps[self.place(number)];
        if place.is_none_or(|step| step.number != number) {
            *place = None;
        }
        place.get_or_insert(Step { number, ..Step::default() })
    }

    /// The last so many up to now, the oldest first.
    fn last(&self, steps: u64, now: Moment) -> Vec<Step> {
        let newest = self.number(now);
        let is_recent = |step: &&Step| step.number <= newest && newest - step.number < steps;
        let mut recent: Vec<Step> = self.steps.iter().flatten().filter(is_recent).copied().collect();
        recent.sort_by_key(|step| step.number);
        recent
    }
}

/// What one disk did.
#[derive(Debug)]
struct Entry {
    week: Ring,
    live: Ring,
    /// Percentiles of their present steps, and what had been measured in all when somebody looked last; none until then.
    spread_of_week: Spread,
    spread_of_live: Spread,
    measured: Option<Measured>,
    /// What it had counted in all when somebody looked last, and when that was.
    seen: Sums,
    at: Duration,
    standing: Standing,
    /// Places of the week that the file does not have yet.
    unsaved: BTreeSet<usize>,
    /// The file is to be written anew.
    is_unwritten: bool,
}

impl Entry {
    fn new(steps: Vec<Step>, age: Duration, total: &Sums) -> Self {
        let mut week = Ring::new(STEP_SECONDS, STEPS_MAX);
        for step in steps {
            *week.step(step.number) = step;
        }
        Self {
            week,
            live: Ring::new(LIVE_STEP_SECONDS, LIVE_STEPS_MAX),
            spread_of_week: Spread::default(),
            spread_of_live: Spread::default(),
            measured: None,
            seen: *total,
            at: age,
            standing: Standing::default(),
            unsaved: BTreeSet::new(),
            is_unwritten: false,
        }
    }

    fn sample(&mut self, now: Moment, age: Duration, total: &Sums, look: Look) {
        let covered = match look {
            Look::Silent => return,
            Look::Served(standing) => {
                self.standing = standing;
                age.saturating_sub(self.at)
            }
            Look::Away => Duration::ZERO,
        };
        let more = total.since(&self.seen);
        self.at = self.at.max(age);
        self.seen = *total;
        if covered.is_zero() && more == Sums::default() {
            return;
        }
        let number = self.week.number(now);
        self.week.step(number).add(covered, &more, self.standing);
        self.unsaved.insert(self.week.place(number));
        self.live.step(self.live.number(now)).add(covered, &more, self.standing);
    }

    /// Takes what was measured in all by now. The first time only that: nothing says when it was.
    fn measure(&mut self, now: Moment, measured: Measured) {
        let seen = self.measured.replace(measured);
        let (Some(seen), Some(measured)) = (seen, &self.measured) else { return };
        for (ring, spread) in
            [(&mut self.week, &mut self.spread_of_week), (&mut self.live, &mut self.spread_of_live)]
        {
            let number = ring.number(now);
            if let Some(step) = ring.step_if_there(number) {
                step.percentiles = spread.look(number, step.percentiles, &seen, measured);
            }
        }
    }

    fn last(&self, span: Span, now: Moment) -> Vec<Step> {
        let ring = if span == Span::FiveMinutes { &self.live } else { &self.week };
        ring.last(span.steps(), now)
    }
}

/// What all disks did, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Histories {
    disks: BTreeMap<u32, Entry>,
}

impl Histories {
    /// Goes on from what is kept of a disk. `total` is what it counted in all by now; `age` is the time since the start, by a
    /// clock that is not set.
    pub(crate) fn resume(&mut self, id: u32, found: Found, age: Duration, total: &Sums) {
        let Found { steps, is_unwritten, .. } = found;
        self.disks.insert(id, Entry { is_unwritten, ..Entry::new(steps, age, total) });
    }

    /// Begins with a disk of which nothing is known. One that is known goes on.
    pub(crate) fn begin(&mut self, id: u32, age: Duration, total: &Sums) {
        // Whatever file has its number is of another disk.
        let new = || Entry { is_unwritten: true, ..Entry::new(Vec::new(), age, total) };
        self.disks.entry(id).or_insert_with(new);
    }

    /// Takes what a disk has counted in all by now, every five seconds and whenever somebody asks. `age` does not go back, nor
    /// does `total`; the calendar may.
    pub(crate) fn sample(&mut self, id: u32, now: Moment, age: Duration, total: &Sums, look: Look) {
        if let Some(entry) = self.disks.get_mut(&id) {
            entry.sample(now, age, total, look);
        }
    }

    /// Takes what a disk has measured in all by now, right behind [`Self::sample`]; and what it had measured by the start, before.
    pub(crate) fn measure(&mut self, id: u32, now: Moment, measured: Measured) {
        if let Some(entry) = self.disks.get_mut(&id) {
            entry.measure(now, measured);
        }
    }

    /// What a disk did lately, the oldest first; none if it is not known. The last step is the present one, and not over.
    pub(crate) fn last(&self, id: u32, span: Span, now: Moment) -> Option<Vec<Step>> {
        self.disks.get(&id).map(|entry| entry.last(span, now))
    }

    /// What is to be written now. It counts as written from then on, unless [`Self::not_saved`] says otherwise.
    pub(crate) fn take_unsaved(&mut self) -> Vec<Unsaved> {
        let take = |(id, entry): (&u32, &mut Entry)| {
            let places = std::mem::take(&mut entry.unsaved);
            if std::mem::take(&mut entry.is_unwritten) {
                return Some(Unsaved::All(*id, entry.week.steps.iter().flatten().copied().collect()));
            }
            let steps: Vec<Step> = places.into_iter().filter_map(|place| entry.week.steps[place]).collect();
            (!steps.is_empty()).then_some(Unsaved::Some(*id, steps))
        };
        self.disks.iter_mut().filter_map(take).collect()
    }

    /// Has everything of a disk written the next time: what its file has now is not known.
    pub(crate) fn not_saved(&mut self, id: u32) {
        if let Some(entry) = self.disks.get_mut(&id) {
            entry.is_unwritten = true;
        }
    }

    /// Forgets a disk that was removed; its number is never used again.
    pub(crate) fn forget(&mut self, id: u32) {
        self.disks.remove(&id);
    }
}

#[cfg(test)]
#[path = "history/tests.rs"]
mod tests;
