//! Hit ratio over time since the disk is cached, and the time that it took to become warm.
//!
//! ```text
//!   0   30s  1min  ...  5min  ...  1h   ...   1d    ...   1w      ...    3y
//!   |----|----|----|----|--|---|---|----|----|------|------|-------|------|······> no end
//! ```
//! Steps widen with age, at fixed marks: the first minutes of a cache are as interesting as a month later. So there are at most as many
//! steps as marks, however old a disk is, and steps are never merged. Time advances while the disk is served and cached; it stands still in
//! pass-through and while the disk is not attached.
//!
//! A disk is warm from the first of three successive steps whose hit ratios are within three points of each other, if no later three are
//! more than three points better. That is the idea of "When is the Cache Warm? Manufacturing a Rule of Thumb" (USENIX 2020): a cache is
//! warm when its hit ratio stays within an error of that of a cache which was never cold. There is no such second cache here, so the best
//! ratio that the disk itself held for three steps replaces it. The error is in points, not in hundredths of the ratio: whether 2 or 3 of
//! 100 reads hit is chance.

use serde::{Deserialize, Serialize};

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Ends of the steps, in seconds since the disk is cached.
const MARKS: [u64; 60] = [
    30,
    MINUTE,
    90,
    2 * MINUTE,
    3 * MINUTE,
    4 * MINUTE,
    5 * MINUTE,
    6 * MINUTE,
    8 * MINUTE,
    10 * MINUTE,
    12 * MINUTE,
    15 * MINUTE,
    20 * MINUTE,
    25 * MINUTE,
    30 * MINUTE,
    40 * MINUTE,
    50 * MINUTE,
    HOUR,
    75 * MINUTE,
    90 * MINUTE,
    2 * HOUR,
    150 * MINUTE,
    3 * HOUR,
    4 * HOUR,
    5 * HOUR,
    6 * HOUR,
    8 * HOUR,
    10 * HOUR,
    12 * HOUR,
    15 * HOUR,
    18 * HOUR,
    DAY,
    30 * HOUR,
    36 * HOUR,
    2 * DAY,
    60 * HOUR,
    3 * DAY,
    4 * DAY,
    5 * DAY,
    6 * DAY,
    7 * DAY,
    9 * DAY,
    11 * DAY,
    14 * DAY,
    18 * DAY,
    21 * DAY,
    28 * DAY,
    35 * DAY,
    42 * DAY,
    56 * DAY,
    70 * DAY,
    91 * DAY,
    120 * DAY,
    150 * DAY,
    182 * DAY,
    273 * DAY,
    365 * DAY,
    547 * DAY,
    730 * DAY,
    1_095 * DAY,
];

/// Minimum of reads of a step for a significant hit ratio: with so many, chance alone moves it by 1.6 points at most (one standard
/// deviation). Steps with fewer are joined.
pub const READS_MIN: u64 = 1_000;
/// Hit ratios that differ by less count as the same.
pub const VARIATION_MAX: f64 = 0.03;
/// Number of consecutive steps that must be alike.
const STEPS_ALIKE: usize = 3;

/// Answers to reads up to a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Point {
    pub seconds: u64,
    pub reads: u64,
    pub hits_ram: u64,
    pub hits_flash: u64,
}

/// Answers to reads between two times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatioSpan {
    /// Begin of the step, in seconds since the disk is cached.
    pub from: u64,
    /// End of the step.
    pub to: u64,
    /// Reads in it.
    pub reads: u64,
    /// Reads that RAM answered.
    pub hits_ram: u64,
    /// Reads that flash answered.
    pub hits_flash: u64,
}

/// State of warming up of a disk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Warmth {
    /// Warm from so many seconds after caching began, with the hit ratio of the three steps from then on.
    Warm {
        /// Seconds.
        after: u64,
        /// Hit ratio of the three steps.
        hit_ratio: f64,
    },
    /// Not yet warm, with the distance of the last three steps from each other.
    Warming {
        /// Distance of their hit ratios.
        variation: f64,
    },
    /// There are no three steps with enough reads.
    TooFewReads,
}

/// Hit ratio over time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Curve(Vec<Point>);

impl Curve {
    /// Takes the present counts. Steps can end only at the times of these calls.
    pub(crate) fn see(&mut self, now: Point) {
        let last = self.last();
        let mark = MARKS.iter().find(|mark| **mark > last.seconds);
        if mark.is_some_and(|mark| now.seconds >= *mark) {
            self.0.push(now);
        }
    }

    /// Returns every step that took time, the last of which ends now.
    pub(crate) fn steps(&self, now: Point) -> Vec<RatioSpan> {
        let ends = self.0.iter().copied().chain([now]);
        let step = |from: &mut Point, to: Point| Some(RatioSpan::between(std::mem::replace(from, to), to));
        let steps = ends.scan(Point::default(), step);
        steps.filter(|step| step.to > step.from || step.reads > 0).collect()
    }

    fn last(&self) -> Point {
        self.0.last().copied().unwrap_or_default()
    }
}

impl RatioSpan {
    fn between(from: Point, to: Point) -> Self {
        Self {
            from: from.seconds,
            to: to.seconds,
            reads: to.reads.saturating_sub(from.reads),
            hits_ram: to.hits_ram.saturating_sub(from.hits_ram),
            hits_flash: to.hits_flash.saturating_sub(from.hits_flash),
        }
    }

    /// Returns both together, this before the next.
    fn and(self, next: Self) -> Self {
        Self {
            from: self.from,
            to: next.to,
            reads: self.reads + next.reads,
            hits_ram: self.hits_ram + next.hits_ram,
            hits_flash: self.hits_flash + next.hits_flash,
        }
    }

    fn hits(&self) -> u64 {
        self.hits_ram + self.hits_flash
    }

    /// Returns full hits divided by reads; none without reads.
    pub fn hit_ratio(&self) -> Option<f64> {
        base::units::ratio(self.hits(), self.reads)
    }
}

/// Returns the warm-up state of a disk with these steps.
pub fn warmth(steps: &[RatioSpan]) -> Warmth {
    let joined = joined(steps);
    let alike = |steps: &&[RatioSpan]| variation(steps) < VARIATION_MAX && level(steps) >= VARIATION_MAX;
    let levels: Vec<(u64, f64)> =
        joined.windows(STEPS_ALIKE).filter(alike).map(|steps| (steps[0].from, level(steps))).collect();
    let best = levels.iter().map(|(_, level)| *level).fold(0.0, f64::max);
    let first = levels.iter().find(|(_, level)| *level > best - VARIATION_MAX);
    match (first, joined.len().checked_sub(STEPS_ALIKE)) {
        (Some((after, hit_ratio)), _) => Warmth::Warm { after: *after, hit_ratio: *hit_ratio },
        (None, Some(last)) => Warmth::Warming { variation: variation(&joined[last..]) },
        (None, None) => Warmth::TooFewReads,
    }
}

/// Returns the same steps, with each of too few reads joined to the next. A rest at the end is left out.
fn joined(steps: &[RatioSpan]) -> Vec<RatioSpan> {
    let (mut joined, mut open) = (Vec::new(), None::<RatioSpan>);
    for step in steps {
        let whole = open.take().map_or(*step, |open| open.and(*step));
        if whole.reads < READS_MIN {
            open = Some(whole);
        } else {
            joined.push(whole);
        }
    }
    joined
}

/// Returns the distance of the hit ratios of steps.
fn variation(steps: &[RatioSpan]) -> f64 {
    let ratios = || steps.iter().filter_map(RatioSpan::hit_ratio);
    ratios().fold(0.0, f64::max) - ratios().fold(1.0, f64::min)
}

/// Returns the hit ratio of steps together.
fn level(steps: &[RatioSpan]) -> f64 {
    let (hits, reads) =
        steps.iter().fold((0, 0), |(hits, reads), step| (hits + step.hits(), reads + step.reads));
    base::units::ratio(hits, reads).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns consecutive steps of so many minutes, each with 10,000 reads and this percentage of hits.
    fn steps(minutes_and_percents: &[(u64, u64)]) -> Vec<RatioSpan> {
        let mut at = 0;
        let step = |(minutes, percent): &(u64, u64)| {
            let from = at;
            at += minutes * MINUTE;
            let hits_flash = percent * 40;
            RatioSpan { from, to: at, reads: 10_000, hits_ram: percent * 100 - hits_flash, hits_flash }
        };
        minutes_and_percents.iter().map(step).collect()
    }

    fn with_reads(steps: &mut [RatioSpan], reads: u64) {
        for step in steps {
            let percent = step.hits() * 100 / step.reads;
            (step.reads, step.hits_ram, step.hits_flash) = (reads, reads * percent / 100, 0);
        }
    }

    fn warm_after(steps: &[RatioSpan]) -> Option<u64> {
        match warmth(steps) {
            Warmth::Warm { after, .. } => Some(after / MINUTE),
            _ => None,
        }
    }

    #[test]
    fn a_disk_is_warm_when_three_steps_are_alike() {
        let climbing = steps(&[(1, 0), (1, 40), (1, 70), (1, 88), (2, 90), (2, 89), (4, 91)]);
        assert_eq!(warm_after(&climbing), Some(3));
        assert_eq!(warmth(&climbing[..6]), Warmth::Warm { after: 3 * MINUTE, hit_ratio: 0.89 });
        let Warmth::Warming { variation } = warmth(&climbing[..5]) else { panic!("70, 88 and 90 differ") };
        assert!((variation - 0.2).abs() < 1e-9, "{variation}");
        assert_eq!(warmth(&climbing[..2]), Warmth::TooFewReads);
        assert_eq!(warmth(&[]), Warmth::TooFewReads);
    }

    #[test]
    fn three_points_apart_is_not_alike() {
        assert_eq!(warm_after(&steps(&[(1, 50), (1, 53), (1, 53)])), None);
        assert_eq!(warm_after(&steps(&[(1, 51), (1, 53), (1, 52)])), Some(0));
    }

    #[test]
    fn a_cache_that_hits_nothing_yet_is_not_warm_however_steady_that_is() {
        let mut filling = vec![(1, 0), (1, 0), (1, 0), (1, 0)];
        assert_eq!(warmth(&steps(&filling)), Warmth::Warming { variation: 0.0 });
        filling.extend([(1, 60), (1, 60), (1, 60)]);
        assert_eq!(warm_after(&steps(&filling)), Some(4));
    }

    #[test]
    fn a_plateau_on_the_way_up_is_not_the_end_and_a_change_for_the_worse_does_not_unmake_it() {
        let rising = [(1, 20), (1, 21), (1, 20), (5, 60), (5, 80), (5, 81), (5, 80)];
        assert_eq!(warm_after(&steps(&rising)), Some(8));
        let falling = [(1, 20), (1, 80), (1, 81), (1, 80), (60, 30), (60, 31), (60, 30)];
        assert_eq!(warm_after(&steps(&falling)), Some(1));
    }

    #[test]
    fn steps_with_few_reads_are_joined_and_never_decide() {
        let mut few = steps(&[(1, 0), (1, 100), (1, 50), (1, 50), (1, 50), (1, 50)]);
        with_reads(&mut few, READS_MIN / 2);
        assert_eq!(warm_after(&few), Some(0), "0 and 100 are 50 together");
        with_reads(&mut few, READS_MIN / 6);
        assert_eq!(warmth(&few), Warmth::TooFewReads, "996 in all");
    }

    #[test]
    fn steps_end_at_the_first_look_behind_a_mark() {
        let mut curve = Curve::default();
        let at = |seconds| Point { seconds, reads: seconds * 10, hits_ram: seconds, hits_flash: seconds * 2 };
        for seconds in [0, 7, 29, 33, 59, 60, 61, 200, 239, 241] {
            curve.see(at(seconds));
        }
        let ends: Vec<(u64, u64)> = curve.steps(at(250)).iter().map(|step| (step.from, step.to)).collect();
        assert_eq!(ends, [(0, 33), (33, 60), (60, 200), (200, 241), (241, 250)]);
        let all = curve.steps(at(250));
        assert_eq!(all.iter().map(|step| step.reads).sum::<u64>(), 2_500);
        assert!(all.iter().all(|step| step.hit_ratio() == Some(0.3)));
    }

    #[test]
    fn time_that_stands_still_makes_no_step() {
        let mut curve = Curve::default();
        let still = Point { seconds: 30, ..Point::default() };
        (0..9).for_each(|_| curve.see(still));
        assert_eq!(curve.0.len(), 1);
        assert_eq!(curve.steps(still).len(), 1);
        assert_eq!(Curve::default().steps(Point::default()), []);
    }

    #[test]
    fn a_century_of_looks_makes_no_more_steps_than_there_are_marks() {
        assert!(MARKS.is_sorted_by(|one, next| one < next));
        // The three steps that decide are close to each other at any age.
        assert!(MARKS.windows(2).all(|pair| pair[1] <= pair[0] * 2));
        let mut curve = Curve::default();
        for days in 0..36_500 {
            curve.see(Point { seconds: days * DAY, reads: days, ..Point::default() });
        }
        assert!(curve.0.len() < MARKS.len());
        let now = Point { seconds: 36_500 * DAY, reads: 36_500, ..Point::default() };
        assert_eq!(curve.steps(now).iter().map(|step| step.reads).sum::<u64>(), 36_500);
    }
}
