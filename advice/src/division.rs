//! Division of the pool's RAM, or of its flash, among disks: decides from figures how much each gets. Has no side effects.
//!
//! ```text
//!   budget, shares of now ──scaled to fit──> present ──┐
//!   reads a second, time saved by bytes ──> best ──────┴── saves enough more? ──> a sixteenth of the budget moves
//! ```
//! The best division is found greedily: bytes go, step by step, where they save most time. A step may be as long as it takes to reach a working
//! set that only fits as a whole. Shares change slowly, since a disk that loses some drops what was there, and not at all for a small gain:
//! constant figures lead to a division that stays.

use cache::Curves;

/// Unit of shares, in bytes.
pub const UNIT: u64 = 64 << 10;
/// The largest part of the budget that moves in a round: one of so many.
const MOVED_PARTS: u64 = 16;
/// Steps in which the budget is divided, and at least so many for each disk.
const STEPS: u64 = 64;
const STEPS_PER_DISK: u64 = 4;
/// Gain in saved time for which bytes move between disks that read, beside what is saved now.
const GAIN_MIN: f64 = 0.05;
/// The same if only disks that do not read lose some.
const GAIN_FROM_IDLE_MIN: f64 = 0.005;

/// Demand of a disk.
pub struct Demand<F> {
    /// Bytes that it has.
    pub now_bytes: u64,
    /// The least that it is to have.
    pub bytes_min: u64,
    /// The most.
    pub bytes_max: u64,
    /// Reads a second; 0 if it is idle.
    pub reads: f64,
    /// Returns the time in nanoseconds that so many bytes save per read; none while too little is known.
    pub saved_ns: Option<F>,
}

/// Share of a disk after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskShare {
    /// Bytes, a multiple of [`UNIT`].
    pub bytes: u64,
    /// Reason for that much.
    pub reason: ShareReason,
}

/// Reason for the share of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareReason {
    /// Its own key decides.
    Fixed,
    /// It has what it got when it came.
    Initial,
    /// It has what it had before the daemon was started.
    Restored,
    /// Too few reads to judge by.
    Unknown,
    /// It does not read.
    Idle,
    /// It gets more.
    Grows,
    /// It gets less.
    Shrinks,
    /// Its `ram-min`, or its reservation, keeps it from less.
    AtMin,
    /// Its `ram-max`, or its limit, keeps it from more.
    AtMax,
    /// All of it fits: more would stay empty.
    AtSize,
    /// Another division would not save enough.
    Settled,
}

impl ShareReason {
    /// Returns the reason in a few words.
    pub fn text(self, divided: Divided) -> &'static str {
        match (self, divided) {
            (Self::Fixed, _) => "fixed by its key ram",
            (Self::Initial, _) => "equal part, until the disks are compared",
            (Self::Restored, _) => "as before the restart, until the disks are compared",
            (Self::Unknown, _) => "too few reads to judge by yet",
            (Self::Idle, _) => "hardly reads",
            (Self::Grows, _) => "grows: more of it saves more time here",
            (Self::Shrinks, _) => "shrinks: it saves more time elsewhere",
            (Self::AtMin, Divided::Ram) => "at ram-min",
            (Self::AtMin, Divided::Flash) => "at its reserve",
            (Self::AtMax, Divided::Ram) => "at ram-max",
            (Self::AtMax, Divided::Flash) => "at its limit",
            (Self::AtSize, _) => "as large as the disk",
            (Self::Settled, _) => "settled: another division would save little",
        }
    }
}

/// Resource that is divided among disks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Divided {
    /// RAM of the pool's key `ram`.
    Ram,
    /// Flash that disks share.
    Flash,
}

/// Mean times of answers in nanoseconds. None is shorter than that of a faster tier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnswerTimes {
    /// Of a hit in RAM.
    pub ram: f64,
    /// Of a hit in flash.
    pub flash: f64,
    /// Of a miss.
    pub backing: f64,
}

impl AnswerTimes {
    /// Returns the time in nanoseconds that a read takes less on average with so many bytes of RAM, in front of `flash_bytes`: hits in RAM
    /// that would be hits in flash, and hits that flash would not have.
    pub fn saved_by_ram(self, curves: &Curves, flash_bytes: u64) -> impl Fn(u64) -> f64 {
        let hits = |bytes: u64| curves.reads.hit_ratio(bytes).unwrap_or(0.0);
        let hits_flash = hits(flash_bytes);
        move |bytes| {
            let more = (hits(flash_bytes.saturating_add(bytes)) - hits_flash).max(0.0);
            hits(bytes) * (self.flash - self.ram) + more * (self.backing - self.flash)
        }
    }

    /// Returns the same for so many bytes of flash, behind `ram_bytes`.
    pub fn saved_by_flash(self, curves: &Curves, ram_bytes: u64) -> impl Fn(u64) -> f64 {
        let hits = |bytes: u64| curves.reads.hit_ratio(bytes).unwrap_or(0.0);
        let hits_ram = hits(ram_bytes);
        move |bytes| (hits(ram_bytes.saturating_add(bytes)) - hits_ram).max(0.0) * (self.backing - self.flash)
    }
}

/// Returns the least bytes of a share that is to have at least so many.
pub fn rounded_up(bytes: u64) -> u64 {
    bytes.div_ceil(UNIT).saturating_mul(UNIT)
}

/// Returns equal parts of the budget, within the bounds of each disk. Together they are at most the budget, unless that is less than what
/// the disks have to have.
pub fn equal_parts(budget_bytes: u64, bounds: &[(u64, u64)]) -> Vec<u64> {
    let parts: Vec<Part> = bounds.iter().map(|(min, max)| Part::new(1, *min, *max)).collect();
    filled(budget_bytes, &parts)
}

/// Returns parts of the budget in proportion to earlier shares, in bytes, within the bounds of each disk. Disks without an earlier share
/// weigh as much as the others on average. The sum is as with [`equal_parts`].
pub fn parts_like(budget_bytes: u64, before: &[Option<u64>], bounds: &[(u64, u64)]) -> Vec<u64> {
    let known: Vec<u64> = before.iter().flatten().map(|bytes| bytes / UNIT).collect();
    let average = known.iter().sum::<u64>() / known.len().max(1) as u64;
    let weights = before.iter().map(|bytes| bytes.map_or(average, |bytes| bytes / UNIT));
    let parts: Vec<Part> =
        weights.zip(bounds).map(|(weight, (min, max))| Part::new(weight, *min, *max)).collect();
    filled(budget_bytes, &parts)
}

fn filled(budget_bytes: u64, parts: &[Part]) -> Vec<u64> {
    fill(budget_bytes / UNIT, parts).into_iter().map(|units| units * UNIT).collect()
}

/// Returns the shares of disks after a round. Together they are the budget, or less if no disk may have more; and more only if the disks
/// have to have more. What exceeds the budget, or the bounds of a disk, goes at once.
pub fn divide<F: Fn(u64) -> f64>(budget_bytes: u64, demands: &[Demand<F>]) -> Vec<DiskShare> {
    let budget = budget_bytes / UNIT;
    let bounds: Vec<Part> = demands
        .iter()
        .map(|demand| Part::new(demand.now_bytes / UNIT, demand.bytes_min, demand.bytes_max))
        .collect();
    let present = fill(budget, &bounds);
    let wanted = wanted(budget, demands, &bounds, &present);
    let units = step_towards(&present, &wanted, (budget / MOVED_PARTS).max(1));
    let share = |at: usize| {
        let (units, bounds, demand) = (units[at], &bounds[at], &demands[at]);
        DiskShare { bytes: units * UNIT, reason: reason(units, present[at], wanted[at], bounds, demand) }
    };
    (0..demands.len()).map(share).collect()
}

fn reason<F>(units: u64, before: u64, wanted: u64, bounds: &Part, demand: &Demand<F>) -> ShareReason {
    match units.cmp(&before) {
        std::cmp::Ordering::Greater => return ShareReason::Grows,
        std::cmp::Ordering::Less if demand.reads > 0.0 => return ShareReason::Shrinks,
        _ => {}
    }
    match (demand.reads > 0.0, &demand.saved_ns) {
        (false, _) => ShareReason::Idle,
        (true, None) => ShareReason::Unknown,
        _ if units == bounds.high && wanted == units => ShareReason::AtMax,
        _ if units == bounds.low && wanted == units => ShareReason::AtMin,
        _ => ShareReason::Settled,
    }
}

/// Returns the division that is to be reached: the present one, unless another one saves enough more time.
fn wanted<F: Fn(u64) -> f64>(
    budget: u64,
    demands: &[Demand<F>],
    bounds: &[Part],
    present: &[u64],
) -> Vec<u64> {
    let is_active = |at: usize| demands[at].reads > 0.0;
    // A disk of which too little is known keeps what it has.
    let known: Vec<Part> = (0..demands.len())
        .map(|at| {
            let is_unknown = is_active(at) && demands[at].saved_ns.is_none();
            let low = if is_unknown { present[at] } else { bounds[at].low };
            // One that does not read gets no more, not even what rounding leaves.
            let high = if is_unknown || !is_active(at) { present[at] } else { bounds[at].high };
            Part { low, high, ..bounds[at] }
        })
        .collect();
    let value = |division: &[u64]| -> f64 {
        demands.iter().zip(division).map(|(demand, units)| saved(demand, *units)).sum()
    };
    let now = value(present);
    let is_worth = |division: &[u64], least: f64| {
        let gain = value(division) - now;
        gain > 0.0 && gain >= now * least
    };
    let best = best(budget, demands, &known, present);
    if is_worth(&best, GAIN_MIN) {
        return best;
    }
    let kept: Vec<Part> = (0..demands.len())
        .map(|at| if is_active(at) { Part { low: present[at], ..known[at] } } else { known[at] })
        .collect();
    let from_idle = self::best(budget, demands, &kept, present);
    if is_worth(&from_idle, GAIN_FROM_IDLE_MIN) { from_idle } else { present.to_vec() }
}

/// Returns the time in nanoseconds a second that so many units save.
fn saved<F: Fn(u64) -> f64>(demand: &Demand<F>, units: u64) -> f64 {
    match &demand.saved_ns {
        Some(saved_ns) if demand.reads > 0.0 => demand.reads * saved_ns(units * UNIT),
        _ => 0.0,
    }
}

/// Returns the division within the bounds that saves most time, as far as a greedy search finds it. What saves nothing anywhere stays
/// where it is.
fn best<F: Fn(u64) -> f64>(budget: u64, demands: &[Demand<F>], bounds: &[Part], present: &[u64]) -> Vec<u64> {
    let spare = budget.saturating_sub(bounds.iter().map(|part| part.low).sum());
    let step = spare.div_ceil(STEPS.max(STEPS_PER_DISK * demands.len() as u64)).max(1);
    let mut candidates: Vec<Expansion> = demands
        .iter()
        .zip(bounds)
        .map(|(demand, part)| Expansion::new(part, spare, step, |units| saved(demand, units)))
        .collect();
    let mut left = spare;
    loop {
        let slopes = candidates.iter().enumerate().filter_map(|(at, candidate)| {
            let (slope, to) = candidate.best_step(left)?;
            Some((slope, at, to))
        });
        // Of equal ones the disk that got least is next.
        let given = |at: usize| candidates[at].given();
        let steepest = slopes.max_by(|(one, at, _), (other, at_other, _)| {
            one.total_cmp(other).then_with(|| given(*at_other).cmp(&given(*at)))
        });
        let Some((_, at, to)) = steepest else { break };
        let before = candidates[at].given();
        candidates[at].at = to;
        left -= candidates[at].given() - before;
    }
    let parts: Vec<Part> = (0..demands.len())
        .map(|at| Part {
            weight: present[at].max(1),
            low: bounds[at].low + candidates[at].given(),
            high: bounds[at].high,
        })
        .collect();
    fill(budget, &parts)
}

/// Units that a disk can be given beyond its least share.
struct Expansion {
    /// Units, and the time saved with them; rising from 0 units on.
    points: Vec<(u64, f64)>,
    /// Number of the point that is reached.
    at: usize,
}

impl Expansion {
    fn new(part: &Part, spare: u64, step: u64, saved: impl Fn(u64) -> f64) -> Self {
        let most = spare.min(part.high - part.low);
        let units = (0..most.div_ceil(step)).map(|number| number * step).chain([most]);
        Self { points: units.map(|units| (units, saved(part.low + units))).collect(), at: 0 }
    }

    /// Returns the units that it was given.
    fn given(&self) -> u64 {
        self.points[self.at].0
    }

    /// Returns the most time that further units save, for each of them, and the point up to which that is so; none if at most `left`
    /// units save nothing.
    #[expect(clippy::cast_precision_loss, reason = "units of a budget stay far below 2^52")]
    fn best_step(&self, left: u64) -> Option<(f64, usize)> {
        let (from, saved) = self.points[self.at];
        let further = self.points.iter().enumerate().skip(self.at + 1);
        let within = further.take_while(|(_, (units, _))| units - from <= left);
        let slopes = within.map(|(at, (units, more))| ((more - saved) / (units - from) as f64, at));
        slopes.filter(|(slope, _)| *slope > 0.0).max_by(|(one, at), (other, at_other)| {
            // Of equal ones the shortest, so that equal disks get equal parts.
            one.total_cmp(other).then_with(|| at_other.cmp(at))
        })
    }
}

/// Returns the division between `from` and `to` after at most `most` units have moved. What `from` leaves unused is used as well.
fn step_towards(from: &[u64], to: &[u64], most: u64) -> Vec<u64> {
    let mut units = from.to_vec();
    let largest_first = |difference: fn(u64, u64) -> u64| {
        let mut order: Vec<(u64, usize)> =
            (0..from.len()).map(|at| (difference(from[at], to[at]), at)).collect();
        order.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
        order
    };
    let mut moved = 0;
    for (surplus, at) in largest_first(u64::saturating_sub) {
        let taken = surplus.min(most - moved);
        units[at] -= taken;
        moved += taken;
    }
    for (need, at) in largest_first(|from, to| to.saturating_sub(from)) {
        let given = need.min(moved);
        units[at] += given;
        moved -= given;
    }
    units
}

/// Bounds of a share in units, and its weight beside others.
#[derive(Clone, Copy, Debug)]
struct Part {
    weight: u64,
    low: u64,
    high: u64,
}

impl Part {
    fn new(weight: u64, bytes_min: u64, bytes_max: u64) -> Self {
        let low = rounded_up(bytes_min) / UNIT;
        Self { weight: weight.max(1), low, high: (bytes_max / UNIT).max(low) }
    }
}

/// Divides units by weight, within the bounds of each part. The sum is `budget`, unless the bounds do not allow that.
fn fill(budget: u64, parts: &[Part]) -> Vec<u64> {
    let mut units: Vec<Option<u64>> = vec![None; parts.len()];
    loop {
        let open: Vec<usize> = (0..parts.len()).filter(|at| units[*at].is_none()).collect();
        let closed: u64 = units.iter().flatten().sum();
        let left = u128::from(budget.saturating_sub(closed));
        let weights: u128 = open.iter().map(|at| u128::from(parts[*at].weight)).sum();
        let by_weight = |at: usize| (left * u128::from(parts[at].weight) / weights) as u64;
        let (mut lacking, mut surplus) = (0_u64, 0_u64);
        for at in &open {
            let (part, ideal) = (&parts[*at], by_weight(*at));
            lacking += part.low.saturating_sub(ideal);
            surplus += ideal.saturating_sub(part.high);
        }
        if lacking == 0 && surplus == 0 {
            for at in open {
                units[at] = Some(by_weight(at));
            }
            break;
        }
        // If the lower bounds take more than the upper ones leave, those at their lower bounds are certain, else the others.
        for at in open {
            let ideal = by_weight(at);
            if lacking >= surplus && ideal < parts[at].low {
                units[at] = Some(parts[at].low);
            } else if lacking < surplus && ideal > parts[at].high {
                units[at] = Some(parts[at].high);
            }
        }
    }
    let mut units: Vec<u64> = units.into_iter().flatten().collect();
    // Rounding leaves less than a unit for each.
    let mut left = budget.saturating_sub(units.iter().sum());
    for (units, part) in units.iter_mut().zip(parts) {
        let more = left.min(part.high - *units);
        *units += more;
        left -= more;
    }
    units
}

#[cfg(test)]
#[path = "division_tests.rs"]
mod tests;
