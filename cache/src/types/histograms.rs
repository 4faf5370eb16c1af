//! Histograms of a disk's requests, in the fixed classes that vscsiStats made known: size, latency, distance from the request before,
//! requests in flight, time between requests. Reads and writes are counted apart, all the time.
//!
//! ```text
//!   a request arrives: distance, in flight, time since the one before     whether it succeeds or not
//!   it succeeds:       size, latency                                      so these add up to the counters
//! ```
//! A class is found by sign and number of bits of the value, and at most a few comparisons. No clock is read here: times are
//! those that latencies are measured with.

use std::cell::Cell;
use std::fmt;

use block::{ByteRange, SECTOR};

use super::latency::Latencies;
use super::stats::{Latency, count};

/// The most classes that a histogram has.
const CLASSES_MAX: usize = 28;
/// One place for each sign and number of bits of a value.
const PLACES: usize = 128;

/// Quantity of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistogramKind {
    /// Bytes of a request.
    Size,
    /// Nanoseconds that a request took.
    Latency,
    /// Sectors from the last one of the request before to the first one of this, of the same direction: 1 if it goes on
    /// where that one ended.
    Seek,
    /// Requests of the same direction in flight when one arrives, itself included.
    Outstanding,
    /// Nanoseconds since the previous request of the same direction arrived.
    Interarrival,
}

/// The classes of one kind.
struct Classes {
    /// Unit for people, and how many measured units make one.
    unit: &'static str,
    per_unit: i64,
    /// The largest value of each class, in measured units. One more class is above them.
    bounds: &'static [i64],
    /// For each place, the first class that a value there can belong to.
    first: [u8; PLACES],
}

static SIZE: Classes = Classes::new(
    ("bytes", 1),
    &[
        512, 1024, 2048, 4095, 4096, 8191, 8192, 16_383, 16_384, 32_768, 49_152, 65_535, 65_536, 81_920,
        131_072, 262_144, 524_288,
    ],
);
static LATENCY: Classes = Classes::new(
    ("microseconds", 1_000),
    &[1_000, 10_000, 100_000, 500_000, 1_000_000, 5_000_000, 15_000_000, 30_000_000, 50_000_000, 100_000_000],
);
static SEEK: Classes = Classes::new(
    ("sectors", 1),
    &[
        -500_000, -50_000, -5_000, -500, -128, -64, -32, -16, -8, -6, -4, -2, -1, 0, 1, 2, 4, 6, 8, 16, 32,
        64, 128, 500, 5_000, 50_000, 500_000,
    ],
);
static OUTSTANDING: Classes = Classes::new(("requests", 1), &[1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32, 64]);

impl Classes {
    const fn new((unit, per_unit): (&'static str, i64), bounds: &'static [i64]) -> Self {
        assert!(bounds.len() < CLASSES_MAX, "every class has a cell");
        let mut first = [0; PLACES];
        let mut place = 0;
        while place < PLACES {
            let mut class = 0;
            while class < bounds.len() && bounds[class] < lowest_at(place) {
                class += 1;
            }
            first[place] = class as u8;
            place += 1;
        }
        Self { unit, per_unit, bounds, first }
    }

    fn count(&self) -> usize {
        self.bounds.len() + 1
    }

    /// Returns the class that a value belongs to.
    fn class_of(&self, value: i64) -> usize {
        let mut class = usize::from(self.first[place_of(value)]);
        while self.bounds.get(class).is_some_and(|bound| value > *bound) {
            class += 1;
        }
        class
    }
}

/// Returns the place of a value: negative values by falling number of bits, then the others by growing number of bits.
const fn place_of(value: i64) -> usize {
    let bits = (u64::BITS - value.unsigned_abs().leading_zeros()) as usize;
    if value < 0 { 64 - bits } else { 64 + bits }
}

const fn lowest_at(place: usize) -> i64 {
    match place {
        0 => i64::MIN,
        1..64 => -(((1_u64 << (64 - place)) - 1).cast_signed()),
        64 => 0,
        _ => 1 << (place - 65),
    }
}

impl HistogramKind {
    fn classes(self) -> &'static Classes {
        match self {
            Self::Size => &SIZE,
            Self::Latency | Self::Interarrival => &LATENCY,
            Self::Seek => &SEEK,
            Self::Outstanding => &OUTSTANDING,
        }
    }
}

/// A histogram that is being counted.
pub(crate) struct Cells {
    kind: HistogramKind,
    counts: [Cell<u64>; CLASSES_MAX],
}

impl Cells {
    pub(crate) fn new(kind: HistogramKind) -> Self {
        Self { kind, counts: Default::default() }
    }

    /// Counts one value; a value beyond all classes counts in the last one.
    pub(crate) fn count(&self, value: u64) {
        self.count_signed(i64::try_from(value).unwrap_or(i64::MAX));
    }

    fn count_signed(&self, value: i64) {
        count(&self.counts[self.kind.classes().class_of(value)], 1);
    }

    /// Returns the present counts.
    pub(crate) fn snapshot(&self) -> Histogram {
        Histogram { kind: self.kind, counts: std::array::from_fn(|class| self.counts[class].get()) }
    }

    /// Adds earlier counts.
    pub(crate) fn add(&self, earlier: &Histogram) {
        for (cell, earlier) in self.counts.iter().zip(earlier.counts) {
            count(cell, earlier);
        }
    }
}

impl fmt::Debug for Cells {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.snapshot().fmt(formatter)
    }
}

/// Number of values in each class.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Histogram {
    kind: HistogramKind,
    counts: [u64; CLASSES_MAX],
}

impl Histogram {
    const fn new(kind: HistogramKind) -> Self {
        Self { kind, counts: [0; CLASSES_MAX] }
    }

    /// Returns the unit of the largest values of classes.
    pub fn unit(&self) -> &'static str {
        self.kind.classes().unit
    }

    /// Returns the largest value of each class, none for the last, and how many values were counted there.
    pub fn classes(&self) -> impl Iterator<Item = (Option<i64>, u64)> {
        let classes = self.kind.classes();
        let upto = classes.bounds.iter().map(|bound| Some(bound / classes.per_unit));
        upto.chain([None]).zip(self.counts)
    }

    /// Returns the number of values counted.
    pub fn count(&self) -> u64 {
        self.counts[..self.kind.classes().count()].iter().sum()
    }
}

/// Short: simulations write it into their logs.
impl fmt::Debug for Histogram {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} of {}", self.kind, self.count())
    }
}

/// The histograms of a disk since it was attached, from shard to shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histograms {
    /// Of reads.
    pub reads: DirectionHistograms,
    /// Of writes, write-zeroes included.
    pub writes: DirectionHistograms,
    /// Latencies, in the order of [`Latency::ALL`].
    pub latencies: [Histogram; Latency::ALL.len()],
}

/// The histograms of reads, or of writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectionHistograms {
    /// See [`HistogramKind::Size`]; of requests that succeeded.
    pub size: Histogram,
    /// See [`HistogramKind::Seek`]; the first request since the disk was attached to its shard has none before it.
    pub seek: Histogram,
    /// See [`HistogramKind::Outstanding`].
    pub outstanding: Histogram,
    /// See [`HistogramKind::Interarrival`]; as with [`Self::seek`].
    pub interarrival: Histogram,
}

impl Default for DirectionHistograms {
    fn default() -> Self {
        Self {
            size: Histogram::new(HistogramKind::Size),
            seek: Histogram::new(HistogramKind::Seek),
            outstanding: Histogram::new(HistogramKind::Outstanding),
            interarrival: Histogram::new(HistogramKind::Interarrival),
        }
    }
}

impl Default for Histograms {
    fn default() -> Self {
        let latencies = [Histogram::new(HistogramKind::Latency); Latency::ALL.len()];
        Self { reads: DirectionHistograms::default(), writes: DirectionHistograms::default(), latencies }
    }
}

/// Histograms of the requests of a disk.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    pub(crate) reads: Direction,
    pub(crate) writes: Direction,
}

/// Histograms of reads, or of writes.
#[derive(Debug)]
pub(crate) struct Direction {
    size: Cells,
    seek: Cells,
    outstanding: Cells,
    interarrival: Cells,
    in_flight: Cell<u64>,
    before: Cell<Option<Before>>,
}

/// The request before.
#[derive(Clone, Copy, Debug)]
struct Before {
    last_sector: u64,
    came: u64,
}

/// A request in flight, until this is dropped.
#[must_use]
pub(crate) struct InFlight<'a>(&'a Cell<u64>);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl Default for Direction {
    fn default() -> Self {
        Self {
            size: Cells::new(HistogramKind::Size),
            seek: Cells::new(HistogramKind::Seek),
            outstanding: Cells::new(HistogramKind::Outstanding),
            interarrival: Cells::new(HistogramKind::Interarrival),
            in_flight: Cell::default(),
            before: Cell::default(),
        }
    }
}

impl Direction {
    /// Counts a request for `range`, which is not empty, that arrives at `now`. It is in flight as long as the returned guard lives.
    pub(crate) fn arrive(&self, range: &ByteRange, now: u64) -> InFlight<'_> {
        count(&self.in_flight, 1);
        self.outstanding.count(self.in_flight.get());
        let this = Before { last_sector: (range.end - 1) / SECTOR, came: now };
        if let Some(before) = self.before.replace(Some(this)) {
            let first_sector = range.start / SECTOR;
            self.seek.count_signed(first_sector.wrapping_sub(before.last_sector).cast_signed());
            self.interarrival.count(now.saturating_sub(before.came));
        }
        InFlight(&self.in_flight)
    }

    /// Counts a successful request of `bytes`.
    pub(crate) fn succeed(&self, bytes: u64) {
        self.size.count(bytes);
    }

    fn snapshot(&self) -> DirectionHistograms {
        DirectionHistograms {
            size: self.size.snapshot(),
            seek: self.seek.snapshot(),
            outstanding: self.outstanding.snapshot(),
            interarrival: self.interarrival.snapshot(),
        }
    }

    fn add(&self, earlier: &DirectionHistograms) {
        self.size.add(&earlier.size);
        self.seek.add(&earlier.seek);
        self.outstanding.add(&earlier.outstanding);
        self.interarrival.add(&earlier.interarrival);
    }
}

impl Requests {
    /// Returns the present counts, with those of latencies.
    pub(crate) fn snapshot(&self, latencies: &Latencies) -> Histograms {
        Histograms {
            reads: self.reads.snapshot(),
            writes: self.writes.snapshot(),
            latencies: latencies.histograms(),
        }
    }

    /// Adds earlier counts; those of latencies are added elsewhere.
    pub(crate) fn add(&self, earlier: &Histograms) {
        self.reads.add(&earlier.reads);
        self.writes.add(&earlier.writes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [HistogramKind; 5] = [
        HistogramKind::Size,
        HistogramKind::Latency,
        HistogramKind::Seek,
        HistogramKind::Outstanding,
        HistogramKind::Interarrival,
    ];

    fn counted(histogram: &Histogram) -> Vec<(Option<i64>, u64)> {
        histogram.classes().filter(|(_, count)| *count > 0).collect()
    }

    #[test]
    fn every_value_counts_in_the_first_class_whose_bound_it_does_not_exceed() {
        for kind in KINDS {
            let classes = kind.classes();
            assert!(classes.bounds.is_sorted(), "{kind:?}");
            let near = classes.bounds.iter().flat_map(|bound| [bound - 1, *bound, bound + 1]);
            let powers = (0..63).flat_map(|bits| [1 << bits, (1 << bits) - 1, -(1 << bits), 1 - (1 << bits)]);
            for value in near.chain(powers).chain([i64::MIN, i64::MAX]) {
                let expected = classes.bounds.partition_point(|bound| *bound < value);
                assert_eq!(classes.class_of(value), expected, "{kind:?} {value}");
            }
        }
    }

    #[test]
    fn bounds_are_told_in_the_unit_that_people_read() {
        let cells = Cells::new(HistogramKind::Latency);
        cells.count(1_000);
        cells.count(1_001);
        cells.count(u64::MAX);
        let histogram = cells.snapshot();
        assert_eq!(histogram.unit(), "microseconds");
        assert_eq!(counted(&histogram), [(Some(1), 1), (Some(10), 1), (None, 1)]);
        assert_eq!((histogram.count(), histogram.classes().count()), (3, 11));
        assert_eq!(format!("{histogram:?}"), "Latency of 3");
    }

    #[test]
    fn a_request_that_goes_on_where_the_one_before_ended_is_one_sector_away() {
        let direction = Direction::default();
        let come = |offset, bytes, now| drop(direction.arrive(&ByteRange::at(offset, bytes), now));
        come(4096, 4096, 0);
        come(8192, 4096, 10_000);
        // Back to the sector behind the start of the disk, after a pause; part of a sector counts as one.
        come(513, 1, 5_000_000);
        let DirectionHistograms { seek, interarrival, .. } = direction.snapshot();
        assert_eq!(counted(&seek), [(Some(-16), 1), (Some(1), 1)], "-22 lies above -32");
        assert_eq!(counted(&interarrival), [(Some(10), 1), (Some(5_000), 1)]);
    }

    #[test]
    fn requests_are_in_flight_until_they_end_or_are_given_up() {
        let requests = Requests::default();
        let range = ByteRange::at(0, 512);
        let first = requests.reads.arrive(&range, 0);
        let second = requests.reads.arrive(&range, 0);
        drop(requests.writes.arrive(&range, 0));
        drop(first);
        drop(requests.reads.arrive(&range, 0));
        drop(second);
        requests.reads.succeed(512);
        let all = requests.snapshot(&Latencies::default());
        assert_eq!(counted(&all.reads.outstanding), [(Some(1), 1), (Some(2), 2)]);
        assert_eq!(counted(&all.writes.outstanding), [(Some(1), 1)], "directions are counted apart");
        assert_eq!((all.reads.size.count(), all.writes.size.count()), (1, 0));
    }

    #[test]
    fn what_was_counted_before_is_added() {
        let (before, after) = (Requests::default(), Requests::default());
        before.reads.succeed(512);
        after.reads.succeed(512);
        after.reads.succeed(1 << 20);
        drop(before.writes.arrive(&ByteRange::at(0, 512), 0));
        after.add(&before.snapshot(&Latencies::default()));
        let all = after.snapshot(&Latencies::default());
        assert_eq!(counted(&all.reads.size), [(Some(512), 2), (None, 1)]);
        assert_eq!(all.writes.outstanding.count(), 1);
    }
}
