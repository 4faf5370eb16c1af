//! Windows of time: what a disk counted in the last five minutes, hour and day, exactly, in bounded memory.
//!
//! ```text
//!   before            steps, packed                    now
//!   ──────────|──|──|──|──|──|──|──|──|──|──|──|──|·····>
//!              the window: now minus before
//! ```
//! Each window has a ring of steps of its own: 60 of 5 s, 60 of a minute, 96 of a quarter of an hour. Asking takes one
//! difference of two snapshots, so nothing is estimated and all counters are of the same moment; what is not exact is how
//! far a window reaches back: up to one step more than its name says, and less after a start. It says so itself.
//!
//! Fed with totals, which go on when a disk is attached again or moves to another shard; so a window neither goes below
//! zero nor counts twice. Pure: whoever feeds it says what time it is. After a restart windows go on from what is kept (`kept`).

mod kept;

use std::collections::VecDeque;
use std::time::Duration;

use cache::{DiskCounts, LatencyCounts};
use clap::ValueEnum;
use clap::builder::PossibleValue;

use crate::counted::Counted;
use crate::problem::{Answer, Problem};
pub(crate) use crate::windows::kept::{Keeping, KeptWindows, load, save};

/// What statistics can be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Window {
    /// The last so much of time.
    Last(Recent),
    /// Since the disk was added, across restarts.
    Total,
    /// Since the disk was attached.
    #[default]
    Start,
}

/// The windows that go along with time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recent {
    FiveMinutes,
    Hour,
    Day,
}

const NAMED: [(Window, &str, &str); 5] = [
    (Window::Last(Recent::FiveMinutes), "5m", "The last five minutes"),
    (Window::Last(Recent::Hour), "1h", "The last hour"),
    (Window::Last(Recent::Day), "1d", "The last day"),
    (Window::Total, "total", "Since the disk was added, across restarts"),
    (Window::Start, "start", "Since the disk was attached, which every start of the daemon does"),
];

impl Window {
    fn named(self) -> &'static (Window, &'static str, &'static str) {
        NAMED.iter().find(|(window, ..)| *window == self).expect("the table has every window")
    }

    /// As users write it.
    pub(crate) fn name(self) -> &'static str {
        self.named().1
    }

    /// The window of this name.
    ///
    /// # Errors
    /// If there is none; with those that there are.
    pub(crate) fn parse(name: &str) -> Answer<Self> {
        let found = NAMED.iter().find(|(_, known, _)| *known == name);
        found.map(|(window, ..)| *window).ok_or_else(|| {
            let known = NAMED.map(|(_, known, _)| known).join(", ");
            Problem::invalid(format!("Cannot show statistics of window '{name}': take one of {known}"))
        })
    }
}

impl ValueEnum for Window {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [Window; NAMED.len()] = {
            let mut all = [Window::Start; NAMED.len()];
            let mut at = 0;
            while at < NAMED.len() {
                all[at] = NAMED[at].0;
                at += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (_, name, help) = self.named();
        Some(PossibleValue::new(*name).help(*help))
    }
}

/// What was counted in a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Windowed {
    pub(crate) window: Window,
    /// How far it reaches back.
    pub(crate) seconds: u64,
    pub(crate) counted: Counted,
}

/// How often [`Windows::sample`] is to be called: the shortest step.
pub(crate) const SAMPLE_INTERVAL: Duration = Duration::from_secs(5);

/// Times are those since the start of the process and this much more, so that there are some before it.
const BEFORE_START: Duration = Duration::from_hours(72);

/// The windows of one disk.
#[derive(Debug)]
pub(crate) struct Windows {
    /// In the order of [`Recent`].
    rings: [Ring; 3],
}

impl Windows {
    /// Windows that begin now, with what the disk has counted in all so far.
    pub(crate) fn new(now: Duration, total: &Counted) -> Self {
        Self { rings: SHAPES.map(|shape| Ring::new(shape, now + BEFORE_START, total)) }
    }

    /// Takes what the disk has counted in all by now. `now` does not go back.
    pub(crate) fn sample(&mut self, now: Duration, total: &Counted) {
        self.rings.iter_mut().for_each(|ring| ring.sample(now + BEFORE_START, total));
    }

    /// What was counted lately, if `total` is all by now.
    pub(crate) fn last(&self, recent: Recent, now: Duration, total: &Counted) -> Windowed {
        let ring = &self.rings[recent as usize];
        Windowed {
            window: Window::Last(recent),
            seconds: (now + BEFORE_START).saturating_sub(ring.before.at).as_secs(),
            counted: total.since(&ring.before.total),
        }
    }
}

/// How long a window is, and its steps.
type Shape = (Duration, Duration);

/// In the order of [`Recent`].
const SHAPES: [Shape; 3] = [
    (Duration::from_mins(5), SAMPLE_INTERVAL),
    (Duration::from_hours(1), Duration::from_mins(1)),
    (Duration::from_hours(24), Duration::from_mins(15)),
];

/// One window.
#[derive(Debug)]
struct Ring {
    span: Duration,
    step: Duration,
    /// Where the window begins.
    before: Edge,
    /// Where the last step ends.
    last: Edge,
    steps: VecDeque<Step>,
}

/// All that was counted up to a moment.
#[derive(Clone, Debug)]
struct Edge {
    at: Duration,
    total: Counted,
}

/// What was counted until a moment, since the step before.
#[derive(Debug)]
struct Step {
    ends: Duration,
    packed: Box<[u8]>,
}

impl Ring {
    fn new((span, step): Shape, now: Duration, total: &Counted) -> Self {
        let edge = Edge { at: now, total: total.clone() };
        Self { span, step, before: edge.clone(), last: edge, steps: VecDeque::new() }
    }

    fn sample(&mut self, now: Duration, total: &Counted) {
        if now < self.last.at + self.step {
            return;
        }
        let packed = pack(&total.since(&self.last.total));
        self.steps.push_back(Step { ends: now, packed });
        self.last = Edge { at: now, total: total.clone() };
        while let Some(first) = self.steps.pop_front_if(|first| first.ends + self.span <= now) {
            self.before.total.add(&unpack(&first.packed));
            self.before.at = first.ends;
        }
    }
}

/// In as few bytes as it takes: most counters of a step are zero, and latencies lie close together.
fn pack(counted: &Counted) -> Box<[u8]> {
    let mut bytes = Vec::new();
    counted.counts.named().for_each(|(_, count)| push(&mut bytes, count));
    for latency in &counted.latencies {
        push(&mut bytes, latency.sum_ns());
        push(&mut bytes, latency.classes().count() as u64);
        let mut before = 0;
        for (class, count) in latency.classes() {
            push(&mut bytes, u64::from(class - before));
            push(&mut bytes, count);
            before = class;
        }
    }
    bytes.into()
}

/// The same again, but for the largest latencies, which are not kept: their classes are.
fn unpack(bytes: &[u8]) -> Counted {
    let (counts, latencies) = (DiskCounts::default(), cache::Latency::ALL.map(|(_, name)| name));
    let counts: Vec<&str> = counts.named().map(|(name, _)| name).collect();
    unpack_named(bytes, &counts, &latencies).expect("we packed it")
}

/// The same of bytes in which counters and latencies of these names follow each other; none if they are not packed so. What
/// they do not have is zero.
fn unpack_named(mut bytes: &[u8], counts: &[&str], latencies: &[&str]) -> Option<Counted> {
    let numbers: Option<Vec<u64>> = counts.iter().map(|_| pull(&mut bytes)).collect();
    let numbers = numbers?;
    let measured: Option<Vec<LatencyCounts>> = latencies.iter().map(|_| pull_latency(&mut bytes)).collect();
    let measured = measured?;
    let number_of = |wanted: &str| Some(numbers[counts.iter().position(|name| *name == wanted)?]);
    let measured_of =
        |wanted: &str| Some(measured[latencies.iter().position(|name| *name == wanted)?].clone());
    bytes.is_empty().then(|| Counted {
        counts: DiskCounts::from_names(|name| number_of(name).unwrap_or(0)),
        latencies: cache::Latency::ALL.map(|(_, name)| measured_of(name).unwrap_or_default()),
    })
}

fn pull_latency(bytes: &mut &[u8]) -> Option<LatencyCounts> {
    let (sum_ns, length) = (pull(bytes)?, pull(bytes)?);
    let (mut class, mut classes) = (0_u64, Vec::new());
    for _ in 0..length {
        class = class.checked_add(pull(bytes)?)?;
        classes.push((u16::try_from(class).ok()?, pull(bytes)?));
    }
    Some(LatencyCounts::from_parts(sum_ns, 0, classes))
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The next number; none if the bytes end before it does, or it is too large.
fn pull(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use cache::Latency;

    use super::*;

    const STEP: u64 = 5;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// A disk that has read so often, each time for as many microseconds as there were reads before.
    fn read(times: u64) -> Counted {
        let mut counted = Counted::default();
        counted.counts.reads = times;
        counted.counts.read_hits_ram = times / 2;
        let latencies = cache::Latencies::default();
        (0..times).for_each(|micros| latencies.record(Latency::ReadHitRam, (1 + micros) * 1_000));
        counted.latencies = latencies.snapshot();
        counted
    }

    fn reads(windows: &Windows, recent: Recent, now: u64, total: &Counted) -> (u64, u64) {
        let windowed = windows.last(recent, at(now), total);
        (windowed.seconds, windowed.counted.counts.reads)
    }

    #[test]
    fn a_window_has_what_came_in_it_and_says_how_far_it_reaches() {
        // Ten reads each second.
        let mut windows = Windows::new(at(0), &read(0));
        for now in (STEP..=1_000).step_by(STEP as usize) {
            windows.sample(at(now), &read(now * 10));
        }
        assert_eq!(reads(&windows, Recent::FiveMinutes, 1_000, &read(10_000)), (300, 3_000));
        assert_eq!(reads(&windows, Recent::FiveMinutes, 1_004, &read(10_040)), (304, 3_040));
        assert_eq!(
            reads(&windows, Recent::Hour, 1_004, &read(10_040)),
            (1_004, 10_040),
            "it is younger than that"
        );
        let five = windows.last(Recent::FiveMinutes, at(1_000), &read(10_000)).counted;
        assert_eq!(five.hit_ratio(), Some(0.5));
        let summary = five.latencies[Latency::ReadHitRam as usize].summary();
        assert_eq!(summary.count, 3_000, "of 7000 to 10000 us");
        assert!(
            (summary.mean - 8_500.5).abs() < 0.001 && (summary.p50 / 8_500.0 - 1.0).abs() < 0.02,
            "{summary:?}"
        );
        assert!((summary.max - 10_000.0).abs() < 0.001, "{summary:?}");
    }

    #[test]
    fn each_window_forgets_in_its_own_steps() {
        let mut windows = Windows::new(at(0), &read(0));
        let hours = 30;
        let mut total = read(7);
        for now in (STEP..=hours * 3_600).step_by(STEP as usize) {
            total.counts.writes = now;
            windows.sample(at(now), &total);
        }
        let now = hours * 3_600;
        let writes = |recent| {
            let windowed = windows.last(recent, at(now), &total);
            assert_eq!(windowed.counted.counts.reads, 0, "that was in the first seconds");
            (windowed.seconds, windowed.counted.counts.writes)
        };
        assert_eq!(writes(Recent::FiveMinutes), (300, 300));
        assert_eq!(writes(Recent::Hour), (3_600, 3_600));
        assert_eq!(writes(Recent::Day), (86_400, 86_400));
        let steps = windows.rings.each_ref().map(|ring| ring.steps.len());
        assert_eq!(steps, [60, 60, 96]);
    }

    #[test]
    fn nothing_is_lost_or_counted_twice_when_nobody_looks_for_a_while() {
        let mut windows = Windows::new(at(0), &read(3));
        windows.sample(at(1), &read(5));
        windows.sample(at(7), &read(10));
        windows.sample(at(100_000), &read(20));
        // Of the steps that ended within five minutes there is one, and it began long ago.
        assert_eq!(reads(&windows, Recent::FiveMinutes, 100_001, &read(21)), (99_994, 11));
        windows.sample(at(100_200), &read(30));
        windows.sample(at(100_300), &read(40));
        assert_eq!(reads(&windows, Recent::FiveMinutes, 100_300, &read(40)), (300, 20));
    }

    #[test]
    fn what_is_packed_is_the_same_again() {
        let counted = read(300);
        let again = unpack(&pack(&counted));
        assert_eq!(again.counts, counted.counts);
        let mut sum = read(0);
        sum.add(&again);
        assert_eq!(counted.since(&sum), Counted::default());
        for number in [0, 1, 127, 128, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            push(&mut bytes, number);
            assert_eq!(pull(&mut bytes.as_slice()), Some(number));
            assert_eq!(pull(&mut &bytes[..bytes.len() - 1]), None);
        }
    }

    /// What documentation says that windows take of a disk at most, and of a busy one.
    const BYTES_MAX: usize = 8 << 20;
    const BYTES_BUSY: usize = 1 << 20;

    /// Fills all rings with steps of a disk of which each had measured something in so many classes of latencies.
    fn full(classes: u16) -> usize {
        let (mut windows, mut total, mut now) = (Windows::new(at(0), &read(0)), read(0), 0);
        for (steps, seconds) in [(96, 900), (60, 60), (60, STEP)] {
            for _ in 0..steps {
                now += seconds;
                // A million requests a second, spread evenly.
                let count = seconds * 1_000_000 / u64::from(classes);
                let measured =
                    || LatencyCounts::from_parts(seconds << 30, 0, (0..classes).map(|class| (class, count)));
                let names = |_: &str| seconds << 30;
                let more = Counted {
                    counts: DiskCounts::from_names(names),
                    latencies: std::array::from_fn(|_| measured()),
                };
                total.add(&more);
                windows.sample(at(now), &total);
            }
        }
        let steps = || windows.rings.iter().flat_map(|ring| &ring.steps);
        assert_eq!(steps().count(), 96 + 60 + 60);
        steps().map(|step| size_of::<Step>() + step.packed.len()).sum()
    }

    #[test]
    fn memory_is_bounded_as_documentation_says() {
        let (most, busy) = (full(960), full(100));
        assert!(
            (BYTES_MAX / 8..BYTES_MAX).contains(&most),
            "every class of every latency in every step: {most}"
        );
        assert!(busy < BYTES_BUSY, "a hundred classes of each latency: {busy}");
    }

    #[test]
    fn windows_have_names_and_no_others() {
        for window in Window::value_variants() {
            assert_eq!(Window::parse(window.name()), Ok(*window));
        }
        let problem = Window::parse("7d").expect_err("there is none");
        assert!(problem.message.contains("'7d'") && problem.message.contains("5m, 1h, 1d, total, start"));
    }
}
