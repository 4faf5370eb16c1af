//! Latencies, in classes so narrow that every percentile is known within 1.6 %.
//!
//! ```text
//!   64 ns                128 ns               256 ns                 68 s
//!     |--- 32 classes ---|--- 32 classes ---|--- ... 30 octaves ---|
//! ```
//! Counting is a few instructions. A snapshot has only the classes that are not empty, so it is small; two of them can be
//! added up and subtracted exactly, which percentiles cannot: statistics of a window, of a disk that moved, and of all
//! that a disk ever did are computed so. The coarse classes of [`super::histograms`] are counted beside, because their bounds
//! are none of these.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;

use super::histograms::{Cells, Histogram, HistogramKind};
use super::stats::{Latency, count};

/// Values below count as this many nanoseconds: 64.
const LOWEST_LOG2: u32 = 6;
/// Values from here count as just below: 68.7 s in nanoseconds.
const HIGHEST_LOG2: u32 = 36;
/// Classes of an octave: 32.
const STEPS_LOG2: u32 = 5;
const STEPS: usize = 1 << STEPS_LOG2;
/// All classes.
const CLASSES: usize = (HIGHEST_LOG2 - LOWEST_LOG2) as usize * STEPS;

fn class_of(nanos: u64) -> usize {
    let nanos = nanos.clamp(1 << LOWEST_LOG2, (1 << HIGHEST_LOG2) - 1);
    let octave = nanos.ilog2();
    let step = (nanos >> (octave - STEPS_LOG2)) as usize % STEPS;
    (octave - LOWEST_LOG2) as usize * STEPS + step
}

/// Returns the smallest value of a class, and how many values it has.
fn values_of(class: usize) -> (u64, u64) {
    let width_log2 = class / STEPS + (LOWEST_LOG2 - STEPS_LOG2) as usize;
    (((STEPS + class % STEPS) as u64) << width_log2, 1 << width_log2)
}

fn middle_of(class: usize) -> u64 {
    let (lowest, width) = values_of(class);
    lowest + width / 2
}

/// Returns the largest value of a class. Nothing is too large for the last.
fn largest_of(class: usize) -> u64 {
    let (lowest, width) = values_of(class);
    if class == CLASSES - 1 { u64::MAX } else { lowest + width - 1 }
}

/// Latencies of one disk that are being counted.
#[derive(Debug)]
pub struct Latencies {
    all: [Counting; Latency::ALL.len()],
}

struct Counting {
    sum_ns: Cell<u64>,
    max_ns: Cell<u64>,
    classes: Box<[Cell<u64>]>,
    /// A bit for each octave that is not empty: few are, and a snapshot visits only those.
    octaves: Cell<u32>,
    histogram: Cells,
}

// Every octave has a bit.
const _: () = assert!(CLASSES / STEPS <= u32::BITS as usize);

impl fmt::Debug for Counting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.snapshot().fmt(formatter)
    }
}

impl Default for Counting {
    fn default() -> Self {
        Self {
            sum_ns: Cell::default(),
            max_ns: Cell::default(),
            classes: vec![Cell::default(); CLASSES].into(),
            octaves: Cell::default(),
            histogram: Cells::new(HistogramKind::Latency),
        }
    }
}

impl Counting {
    fn snapshot(&self) -> LatencyCounts {
        // Most disks have most kinds of requests seldom or never, and this runs on the thread that serves guests.
        let octaves = self.octaves.get();
        if octaves == 0 {
            return LatencyCounts::default();
        }
        let mut classes = Vec::with_capacity(octaves.count_ones() as usize * STEPS);
        for (octave, cells) in self.classes.chunks_exact(STEPS).enumerate() {
            if octaves & (1 << octave) == 0 {
                continue;
            }
            let first = (octave * STEPS) as u16;
            let counts = cells.iter().map(Cell::get).zip(first..).filter(|(count, _)| *count > 0);
            classes.extend(counts.map(|(count, class)| (class, count)));
        }
        LatencyCounts { sum_ns: self.sum_ns.get(), max_ns: self.max_ns.get(), classes }
    }

    fn count(&self, class: usize, amount: u64) {
        count(&self.classes[class], amount);
        self.octaves.set(self.octaves.get() | 1 << (class / STEPS));
    }
}

impl Default for Latencies {
    fn default() -> Self {
        Self { all: std::array::from_fn(|_| Counting::default()) }
    }
}

impl Latencies {
    /// Adds one measurement.
    pub fn record(&self, what: Latency, nanos: u64) {
        let counting = &self.all[what as usize];
        counting.count(class_of(nanos), 1);
        count(&counting.sum_ns, nanos);
        if nanos > counting.max_ns.get() {
            counting.max_ns.set(nanos);
        }
        counting.histogram.count(nanos);
    }

    /// Returns the measurements as they stand, in the order of [`Latency::ALL`].
    pub fn snapshot(&self) -> [LatencyCounts; Latency::ALL.len()] {
        std::array::from_fn(|what| self.all[what].snapshot())
    }

    pub(crate) fn histograms(&self) -> [Histogram; Latency::ALL.len()] {
        std::array::from_fn(|what| self.all[what].histogram.snapshot())
    }

    /// Adds earlier measurements.
    pub(crate) fn add(
        &self,
        earlier: &[LatencyCounts; Latency::ALL.len()],
        histograms: &[Histogram; Latency::ALL.len()],
    ) {
        for (counting, earlier) in self.all.iter().zip(earlier) {
            count(&counting.sum_ns, earlier.sum_ns);
            counting.max_ns.set(counting.max_ns.get().max(earlier.max_ns));
            for (class, more) in &earlier.classes {
                counting.count(usize::from(*class), *more);
            }
        }
        for (counting, earlier) in self.all.iter().zip(histograms) {
            counting.histogram.add(earlier);
        }
    }
}

/// Latencies of one class of requests: a snapshot, a sum of several, or the difference of two.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct LatencyCounts {
    sum_ns: u64,
    max_ns: u64,
    /// By class, ascending; none is zero.
    classes: Vec<(u16, u64)>,
}

/// Short: simulations write it into their logs.
impl fmt::Debug for LatencyCounts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of up to {} ns", self.count(), self.max_ns)
    }
}

impl LatencyCounts {
    /// Creates counts from stored parts. Unknown classes count as the last.
    pub fn from_parts(sum_ns: u64, max_ns: u64, classes: impl IntoIterator<Item = (u16, u64)>) -> Self {
        let mut summed: BTreeMap<u16, u64> = BTreeMap::new();
        for (class, count) in classes.into_iter().filter(|(_, count)| *count > 0) {
            *summed.entry(class.min(CLASSES as u16 - 1)).or_default() += count;
        }
        Self { sum_ns, max_ns, classes: summed.into_iter().collect() }
    }

    /// Returns the sum of all measurements, in nanoseconds.
    pub fn sum_ns(&self) -> u64 {
        self.sum_ns
    }

    /// Returns the largest, in nanoseconds; of a difference of two snapshots at most 3.2 % more than it was.
    pub fn max_ns(&self) -> u64 {
        self.max_ns
    }

    /// Returns the classes that are not empty, ascending, with their counts. To be stored; the meaning of a class number is known here
    /// only.
    pub fn classes(&self) -> impl Iterator<Item = (u16, u64)> {
        self.classes.iter().copied()
    }

    /// Returns the number of requests measured.
    pub fn count(&self) -> u64 {
        self.classes.iter().map(|(_, count)| count).sum()
    }

    /// Returns the number of requests that took at most `nanos` nanoseconds, that bound being at most 1.6 % off.
    pub fn within(&self, nanos: u64) -> u64 {
        let is_within = |class: u16| middle_of(usize::from(class)) <= nanos;
        self.classes().take_while(|(class, _)| is_within(*class)).map(|(_, count)| count).sum()
    }

    /// Adds other measurements.
    pub fn add(&mut self, more: &Self) {
        self.sum_ns += more.sum_ns;
        self.max_ns = self.max_ns.max(more.max_ns);
        self.classes = merged(&self.classes, &more.classes);
    }

    /// Returns the difference to `earlier`, which is an earlier snapshot of the same.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut before = earlier.classes().peekable();
        let new = |(class, count): (u16, u64)| {
            while before.next_if(|(earlier, _)| *earlier < class).is_some() {}
            let had = before.next_if(|(earlier, _)| *earlier == class).map_or(0, |(_, had)| had);
            (count > had).then(|| (class, count - had))
        };
        let classes: Vec<(u16, u64)> = self.classes().filter_map(new).collect();
        // The largest of all may be older; then the highest class bounds the largest since.
        let highest = classes.last().map_or(0, |(class, _)| largest_of(usize::from(*class)));
        let max_ns = self.max_ns.min(highest);
        Self { sum_ns: self.sum_ns.saturating_sub(earlier.sum_ns), max_ns, classes }
    }

    /// Returns the mean and percentiles; zeroes if nothing was measured.
    #[expect(clippy::cast_precision_loss, reason = "figures for people; counts and sums stay far below 2^52")]
    pub fn summary(&self) -> LatencySummary {
        let count = self.count();
        if count == 0 {
            return LatencySummary::default();
        }
        let [p50, p95, p99, p999] =
            [500, 950, 990, 999].map(|permille| self.quantile(count, permille) as f64 / 1_000.0);
        let mean = self.sum_ns as f64 / count as f64 / 1_000.0;
        LatencySummary { count, mean, p50, p95, p99, p999, max: self.max_ns as f64 / 1_000.0 }
    }

    /// Returns the middle of the class of the value that `permille` thousandths of `count` do not exceed, in nanoseconds.
    fn quantile(&self, count: u64, permille: u64) -> u64 {
        let rank = (u128::from(count) * u128::from(permille)).div_ceil(1_000) as u64;
        let mut passed = 0;
        for (class, count) in &self.classes {
            passed += count;
            if passed >= rank {
                return middle_of(usize::from(*class)).min(self.max_ns);
            }
        }
        self.max_ns
    }
}

/// Merges both by class, ascending.
fn merged(one: &[(u16, u64)], other: &[(u16, u64)]) -> Vec<(u16, u64)> {
    let mut all = Vec::with_capacity(one.len().max(other.len()));
    let (mut one, mut other) = (one.iter().copied().peekable(), other.iter().copied().peekable());
    loop {
        let next = match (one.peek(), other.peek()) {
            (Some((a, _)), Some((b, _))) => *a.min(b),
            (Some((class, _)), None) | (None, Some((class, _))) => *class,
            (None, None) => return all,
        };
        let of_it = |(class, _): &(u16, u64)| *class == next;
        let count = one.next_if(of_it).map_or(0, |(_, count)| count)
            + other.next_if(of_it).map_or(0, |(_, count)| count);
        all.push((next, count));
    }
}

/// Summary of latencies, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LatencySummary {
    /// Requests measured.
    pub count: u64,
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
    /// Largest.
    pub max: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(nanos: impl IntoIterator<Item = u64>) -> LatencyCounts {
        let latencies = Latencies::default();
        nanos.into_iter().for_each(|nanos| latencies.record(Latency::Write, nanos));
        latencies.snapshot()[Latency::Write as usize].clone()
    }

    #[test]
    fn classes_follow_each_other_without_a_gap_and_are_narrow() {
        let mut next = 1 << LOWEST_LOG2;
        for class in 0..CLASSES {
            let (lowest, width) = values_of(class);
            assert_eq!(lowest, next, "class {class}");
            assert_eq!([lowest, lowest + width - 1].map(class_of), [class, class]);
            assert!(width * 32 <= lowest, "class {class} is wider than a 32nd of its values");
            next = lowest + width;
        }
        assert_eq!(next, 1 << HIGHEST_LOG2);
        assert_eq!([0, 1, u64::MAX].map(class_of), [0, 0, CLASSES - 1]);
    }

    #[test]
    fn latencies_are_told_in_microseconds() {
        let summary = recorded((1..=100).map(|micros| micros * 1_000)).summary();
        assert_eq!(summary.count, 100);
        assert!((summary.mean - 50.5).abs() < 0.001, "{summary:?}");
        for (told, meant) in [(summary.p50, 50.0), (summary.p95, 95.0), (summary.p99, 99.0)] {
            assert!((told / meant - 1.0).abs() < 0.017, "{told} is not {meant}");
        }
        assert!((summary.max - 100.0).abs() < 0.001, "{summary:?}");
        assert_eq!(LatencyCounts::default().summary(), LatencySummary::default());
    }

    #[test]
    fn requests_within_a_bound_are_counted_but_near_it() {
        let measured = recorded((1..=1_000).map(|micros| micros * 1_000));
        for micros in [1, 10, 100, 500] {
            let within = measured.within(micros * 1_000);
            assert!(within.abs_diff(micros) * 1_000 <= micros * 16 + 1_000, "{within} within {micros} us");
        }
        assert_eq!([0, 2_000_000].map(|bound| measured.within(bound)), [0, 1_000]);
        assert_eq!(LatencyCounts::default().within(u64::MAX), 0);
    }

    #[test]
    fn no_percentile_is_above_the_largest() {
        let summary = recorded([1_000_003]).summary();
        assert!(summary.p50 <= summary.max && summary.p999 <= summary.max, "{summary:?}");
        let hour = 3_600_000_000_000;
        let summary = recorded([1_000, hour]).summary();
        assert!(
            summary.max > 3e9 && summary.p999 < 7e7,
            "what is longer than a minute is counted: {summary:?}"
        );
    }

    #[test]
    fn what_came_between_two_snapshots_is_exact_and_adds_up_again() {
        let early = recorded([1_000, 5_000_000]);
        let mut all = early.clone();
        let late = recorded([1_000, 1_000, 20_000]);
        all.add(&late);
        let between = all.since(&early);
        assert_eq!((between.count(), between.sum_ns()), (3, 22_000));
        assert!((20_000..=20_640).contains(&between.max_ns()), "{between:?}");
        let mut again = early.clone();
        again.add(&between);
        assert_eq!(again, all);
        assert_eq!(all.since(&all), LatencyCounts::default());
    }

    #[test]
    fn sums_and_differences_are_those_of_each_class() {
        let counts = |classes: &[(u16, u64)]| LatencyCounts::from_parts(0, u64::MAX, classes.iter().copied());
        let of = |counts: &LatencyCounts| counts.classes().collect::<Vec<_>>();
        let (one, other) = (counts(&[(1, 2), (5, 1), (9, 4)]), counts(&[(0, 1), (5, 3), (7, 1), (12, 1)]));
        for (first, second) in [(&one, &other), (&other, &one)] {
            let mut sum = first.clone();
            sum.add(second);
            assert_eq!(of(&sum), [(0, 1), (1, 2), (5, 4), (7, 1), (9, 4), (12, 1)]);
            assert_eq!(of(&sum.since(first)), of(second));
        }
        assert_eq!(of(&one.since(&other)), [(1, 2), (9, 4)], "never less than nothing");
    }

    #[test]
    fn what_was_kept_is_what_was_measured() {
        let measured = recorded([70, 5_000_000, u64::MAX >> 8]);
        let kept = LatencyCounts::from_parts(measured.sum_ns(), measured.max_ns(), measured.classes());
        assert_eq!(kept, measured);
        assert_eq!(
            LatencyCounts::from_parts(1, 1, [(u16::MAX, 2), (0, 0)]).count(),
            2,
            "whatever a file says"
        );
    }

    #[test]
    fn a_snapshot_has_every_class_that_was_counted_wherever_it_lies() {
        let everywhere = (0..CLASSES).map(|class| values_of(class).0);
        let all: Vec<(u16, u64)> = recorded(everywhere).classes().collect();
        assert!(all.iter().copied().eq((0..CLASSES as u16).map(|class| (class, 1))), "{all:?}");
        let ends = recorded([0, u64::MAX]);
        assert_eq!(ends.classes().collect::<Vec<_>>(), [(0, 1), (CLASSES as u16 - 1, 1)]);
    }

    #[test]
    fn what_another_shard_measured_is_added() {
        let (before, after) = (Latencies::default(), Latencies::default());
        before.record(Latency::Flush, 9_000_000);
        after.record(Latency::Flush, 1_000);
        after.add(&before.snapshot(), &before.histograms());
        let [flush, write] =
            [Latency::Flush, Latency::Write].map(|what| after.snapshot()[what as usize].clone());
        assert_eq!((flush.count(), flush.max_ns(), write.count()), (2, 9_000_000, 0));
        assert_eq!(after.histograms()[Latency::Flush as usize].count(), 2);
    }
}
