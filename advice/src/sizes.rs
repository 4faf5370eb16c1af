//! Size of the cache: the knee of the curve, the size for a wanted hit ratio, and the division into RAM and flash.
//!
//! The knee is the smallest size from which on each further tenth of the working set adds less than two points of hit ratio, wherever that
//! tenth begins: a curve that is flat and rises again, as that of a loop, has its knee behind the last rise. It differs from that of
//! `forebay curve`, which shows where a curve bends and not the value of the rest.

use std::fmt;

use cache::Prediction;
use cache::types::limits::{RESERVE_SEGMENTS_MIN, SEGMENT_BYTES_MAX};

use super::answer::{SizeAt, Sizes};
use super::words::exact;
use super::{
    AdviceInput, CurrentSettings, RequestCounts, SimulatedHits, Source, float, percent, points, ratio, size,
    whole,
};

/// Divisor of the working set for the steps by which the knee is judged.
const PART: u64 = 10;
/// Hit ratio that a further step must add to be worth having.
pub(super) const WORTH: f64 = 0.02;

/// Steps of the search for the knee, twice: over all of the curve, and between two of these.
const COARSE: u64 = 220;
const FINE: u64 = 50;

/// Divisor of the cache for its RAM, above the default of a disk: RAM answers what is used again soon, and it is never written to flash.
/// Simulation has a quarter in RAM by default (`hitsim`), up to the 32 MiB that a disk has anyway.
const RAM_PART: u64 = 20;
/// Maximum of that in bytes: beyond it, RAM is worth more to guests.
const RAM_MAX: u64 = 256 << 20;
/// Default RAM of a disk in bytes.
const RAM_DEFAULT: u64 = 32 << 20;
/// Minimum RAM of a disk in bytes.
const RAM_MIN: u64 = 1 << 20;

/// Share of reads that bypass the cache, or are cached in part, from which on they are mentioned.
const MUCH: f64 = 0.03;

/// Divisor of a size for the margin that is added: headers and summaries of the log take some of it, and samples are off by a few
/// hundredths, which at the cliff of a loop would cost everything.
const MARGIN_PART: u64 = 20;

/// Minimum flash in bytes that is worth the effort.
const FLASH_MIN: u64 = 64 << 20;

/// Minimum that any pool gives a disk, in bytes: the largest segments, and the minimum number of a disk.
const LIMIT_ANYWHERE: u64 = SEGMENT_BYTES_MAX * RESERVE_SEGMENTS_MIN as u64;
/// Number of segments of a new pool, until they have the maximum size (`cache::Shape`).
const SEGMENTS_CHOSEN: u64 = 4096;

/// Factor of the needed size from which on a limit is lowered; one that lacks as much as [`WORTH`] is raised.
pub(super) const TOO_LARGE: u64 = 2;

/// Planned size of the cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    pub(super) knee: Option<u64>,
    /// Smallest size for the wanted ratio; none also if no size has it.
    pub(super) wanted: Option<u64>,
    /// RAM for pages.
    pub ram_bytes: u64,
    /// Flash for the log of the disk.
    pub flash_bytes: u64,
    /// True if more would be good, and the pool has no more.
    pub(super) is_cut_by_pool: bool,
}

impl Plan {
    /// Returns a size planned from the curve of a disk or a trace.
    pub fn from_input(known: &AdviceInput<'_>) -> Self {
        let reads = &known.curves.reads;
        let knee = knee(reads, known.curves.working_set_bytes);
        let wanted = known.wanted.and_then(|ratio| reads.size_for(ratio));
        // A ratio that cannot be reached is no reason to take everything.
        let target = wanted.or(knee).unwrap_or_else(|| reads.useful_bytes());
        let ram_bytes = ram(target, known.present.as_ref());
        let with_margin = target.saturating_add(target / MARGIN_PART);
        let flash = round_up(with_margin.saturating_sub(ram_bytes).max(FLASH_MIN));
        let least = known.pool.map_or(0, |pool| pool.least_bytes);
        let least = least.max(known.present.map_or(0, |present| present.reserve_bytes));
        let most = known.pool.map_or(u64::MAX, |pool| pool.usable_bytes.max(least));
        Self {
            knee,
            wanted,
            ram_bytes,
            flash_bytes: flash.max(least).min(most),
            is_cut_by_pool: flash > most,
        }
    }

    /// Returns flash and RAM together.
    pub fn cache_bytes(&self) -> u64 {
        self.flash_bytes + self.ram_bytes
    }

    /// Returns true if the disk should get this size, because it now has much more or too little.
    pub(super) fn is_change(&self, known: &AdviceInput<'_>) -> bool {
        let Some(present) = &known.present else { return true };
        is_too_large(known, present, self)
            || missed(known, present, self) >= WORTH
            || self.lacks_wanted(present)
    }

    fn lacks_wanted(&self, present: &CurrentSettings) -> bool {
        self.wanted.is_some_and(|wanted| present.cache_bytes < wanted)
            && present.cache_bytes < self.cache_bytes()
    }

    /// Returns the limit to set. The pool of a trace is not known, so its limit is one that every pool accepts.
    fn limit_bytes(&self, known: &AdviceInput<'_>) -> u64 {
        match known.source {
            Source::Disk => self.flash_bytes,
            Source::Trace => self.flash_bytes.max(LIMIT_ANYWHERE),
        }
    }

    /// Returns the keys to set.
    pub(super) fn keys(&self, known: &AdviceInput<'_>) -> Vec<(&'static str, String)> {
        let mut keys = Vec::new();
        if self.is_change(known) {
            keys.push(("limit", exact(self.limit_bytes(known))));
        }
        if self.ram_bytes != known.present.map_or(RAM_DEFAULT, |present| present.ram_bytes) {
            keys.push(("ram", exact(self.ram_bytes)));
        }
        keys
    }

    pub(super) fn document(&self, known: &AdviceInput<'_>) -> Sizes {
        let reads = &known.curves.reads;
        let at = |cache_bytes| SizeAt { cache_bytes, hit_ratio: reads.hit_ratio(cache_bytes).unwrap_or(0.0) };
        Sizes {
            knee: self.knee.map(at),
            most: at(reads.useful_bytes()),
            present: known.present.map(|present| at(present.cache_bytes)),
            held_bytes: known.present.map(|present| present.held_bytes),
            wanted_hit_ratio: known.wanted,
            wanted_bytes: self.wanted,
            advised: at(self.cache_bytes()),
            advised_flash_bytes: self.flash_bytes,
            advised_ram_bytes: self.ram_bytes,
            ram_hit_ratio: at(self.ram_bytes).hit_ratio,
        }
    }
}

/// Returns true if a disk may have much more than it can use. With a wanted hit ratio, space that adds hits is kept.
pub(super) fn is_too_large(known: &AdviceInput<'_>, present: &CurrentSettings, plan: &Plan) -> bool {
    let flash = present.cache_bytes.saturating_sub(present.ram_bytes);
    let has_hits = known.wanted.is_some() && -missed(known, present, plan) >= WORTH;
    flash >= plan.flash_bytes.saturating_mul(TOO_LARGE) && !has_hits
}

/// Returns the hit ratio that the present size lacks.
pub(super) fn missed(known: &AdviceInput<'_>, present: &CurrentSettings, plan: &Plan) -> f64 {
    let at = |bytes| known.curves.reads.hit_ratio(bytes).unwrap_or(0.0);
    at(plan.cache_bytes()) - at(present.cache_bytes)
}

/// Returns the knee in bytes; none if not even the first tenth of the working set is worth having.
pub(super) fn knee(reads: &Prediction, working_set_bytes: u64) -> Option<u64> {
    let end = working_set_bytes.max(reads.useful_bytes()).max(1);
    let part = (working_set_bytes / PART).max(1);
    let at = |bytes: u64| reads.hit_ratio(bytes).unwrap_or(0.0);
    let is_worth_more = |bytes: u64| at(bytes + part) - at(bytes) >= WORTH;
    let last = |from: u64, to: u64, steps: u64| {
        let sizes = (0..=steps).rev().map(|step| from + between(to - from, step, steps));
        sizes.into_iter().find(|bytes| is_worth_more(*bytes))
    };
    // Find the last size that is too small, roughly at first.
    let rough = last(0, end, COARSE)?;
    let step = end.div_ceil(COARSE);
    let (short, step) = (last(rough, rough + step, FINE).unwrap_or(rough), step.div_ceil(FINE));
    Some(short + step)
}

/// Returns the position of `step` of `steps` in so many bytes.
fn between(bytes: u64, step: u64, steps: u64) -> u64 {
    whole(float(bytes) * float(step) / float(steps))
}

fn ram(target: u64, present: Option<&CurrentSettings>) -> u64 {
    // A size of its own would take the disk out of the pool's division.
    if let Some(divided) = present.filter(|present| present.has_divided_ram) {
        return divided.ram_bytes;
    }
    let present = present.map_or(RAM_DEFAULT, |present| present.ram_bytes);
    let part = (target / RAM_PART).min(RAM_MAX);
    // Whole powers of two, and no small changes: less RAM than now saves little.
    let wanted = if part >= RAM_MIN { 1 << part.ilog2() } else { RAM_MIN };
    wanted.max(present)
}

/// Rounds up to a sixteenth of the largest power of two, in whole MiB, so that the limit is short to write.
fn round_up(bytes: u64) -> u64 {
    let unit = (1_u64 << bytes.max(1).ilog2().saturating_sub(4)).max(1 << 20);
    bytes.checked_next_multiple_of(unit).unwrap_or(bytes)
}

pub(super) fn sentence(known: &AdviceInput<'_>, plan: &Plan, simulated: Option<&SimulatedHits>) -> String {
    let reads = &known.curves.reads;
    let hits_at = |bytes| percent(reads.hit_ratio(bytes).unwrap_or(0.0));
    let set = known.curves.working_set_bytes;
    let mut text = match plan.knee {
        Some(knee) => format!(
            "The knee is at {}, of {} in use: {} of reads would be hits there, and from there on each further tenth of what is in use \
             brings less than {}.",
            size(knee),
            size(set),
            hits_at(knee),
            points(WORTH)
        ),
        None => format!(
            "The curve has no knee: no tenth of the {} in use brings {} of hit ratio.",
            size(set),
            points(WORTH)
        ),
    };
    text.extend([format!(
        " The most is {}, at {}.",
        hits_at(reads.useful_bytes()),
        size(reads.useful_bytes())
    )]);
    if let Some(simulated) = simulated {
        text.push_str(&sentence_of_simulation(plan, simulated));
    }
    if let Some(present) = &known.present {
        let limit = if present.has_limit { "" } else { ", as it has no limit," };
        text.extend([format!(
            " The disk may have {}{limit} and holds {}; {} is predicted for that, where what it has in part counts in part.",
            size(present.cache_bytes),
            size(present.held_bytes),
            hits_at(present.cache_bytes)
        )]);
        if present.mode == cache::Mode::PassThrough {
            text.push_str(
                " In pass-through long sequential runs count as if they entered; in other modes they go past it (`sequential-cutoff`).",
            );
        }
        if let Some(hits) = ratio(known.asked.hits.unwrap_or(0), known.asked.reads)
            && present.mode != cache::Mode::PassThrough
        {
            let RequestCounts { reads, partial_hits, sequential, .. } = known.asked;
            let others = NoFullHits { reads, partial_hits, bypassed: sequential.unwrap_or(0) };
            text.extend([format!(" What serves it lately had {} full hits{others}.", percent(hits))]);
        }
    }
    text
}

/// Returns the sentence on the simulated policy, which is not LRU, and counts a partial hit as a miss.
fn sentence_of_simulation(plan: &Plan, simulated: &SimulatedHits) -> String {
    format!(
        " That is of a cache which takes in everything, and what it has in part counts in part. Simulated with {}, what serves disks has \
         {} full hits{}.",
        size(plan.cache_bytes()),
        percent(simulated.hit_ratio()),
        NoFullHits::from_simulation(simulated)
    )
}

/// Reads that are neither full hits nor plain misses; displayed if there are many.
pub(super) struct NoFullHits {
    /// All reads.
    reads: u64,
    partial_hits: u64,
    /// Those that bypassed the cache.
    bypassed: u64,
}

impl NoFullHits {
    pub(super) fn from_simulation(
        &SimulatedHits { reads, partial_hits, bypassed, .. }: &SimulatedHits,
    ) -> Self {
        Self { reads, partial_hits, bypassed }
    }
}

impl fmt::Display for NoFullHits {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            (self.partial_hits, "are cached in part only, which is a miss"),
            (self.bypassed, "go past the cache, as long sequential runs do (`sequential-cutoff`)"),
        ];
        for (count, what) in kinds {
            if let Some(share) = ratio(count, self.reads).filter(|share| *share >= MUCH) {
                write!(to, "; {} of reads {what}", percent(share))?;
            }
        }
        Ok(())
    }
}

/// Returns the sentence on the size for the wanted ratio by the curve, and on the ratio of simulation, if that is less.
pub(super) fn sentence_of_wanted(
    known: &AdviceInput<'_>,
    plan: &Plan,
    simulated: Option<&SimulatedHits>,
) -> Option<String> {
    let wanted = known.wanted?;
    let Some(bytes) = plan.wanted else {
        return Some(format!(
            "{} cannot be reached: the most is {}.",
            percent(wanted),
            percent(known.curves.reads.hit_ratio_max().unwrap_or(0.0))
        ));
    };
    let mut text = format!("{} of reads are hits from {} on", percent(wanted), size(bytes));
    if bytes > plan.cache_bytes() {
        text.push_str(", which is more than the pool has");
    }
    if let Some(served) = simulated.map(SimulatedHits::hit_ratio).filter(|served| *served < wanted) {
        text.extend([format!(
            ", by the curve. What serves disks, simulated with {}, has {}",
            size(plan.cache_bytes()),
            percent(served)
        )]);
    }
    text.push('.');
    Some(text)
}

pub(super) fn sentence_of_ram(known: &AdviceInput<'_>, plan: &Plan) -> String {
    let mut text = division(known, plan);
    let limit = plan.limit_bytes(known);
    if limit > plan.flash_bytes {
        text.extend([format!(
            " As limit the command below has {}, which every pool takes; one of {} or less takes {} as well.",
            size(limit),
            size(pool_for(plan.flash_bytes)),
            size(plan.flash_bytes)
        )]);
    }
    text
}

/// Returns the largest pool whose minimum for a disk is not above that.
fn pool_for(flash_bytes: u64) -> u64 {
    let segment = flash_bytes / u64::from(RESERVE_SEGMENTS_MIN);
    (1 << segment.max(1).ilog2()) * SEGMENTS_CHOSEN
}

fn division(known: &AdviceInput<'_>, plan: &Plan) -> String {
    let hits = percent(known.curves.reads.hit_ratio(plan.ram_bytes).unwrap_or(0.0));
    if plan.knee.is_some_and(|knee| knee <= plan.ram_bytes) {
        return format!(
            "RAM of {} holds all of that by itself, {hits}; flash, {}, keeps it over a restart.",
            size(plan.ram_bytes),
            size(plan.flash_bytes)
        );
    }
    format!(
        "RAM of {} would answer {hits} of reads by itself, and what is used again that soon is never written to flash. Flash is {}: the \
         rest, with a twentieth more for the log and for what samples are off.",
        size(plan.ram_bytes),
        size(plan.flash_bytes)
    )
}
