//! How large: the knee of the curve, the size for a wanted hit ratio, and how it is divided into RAM and flash.
//!
//! The knee is the smallest size from which on each further tenth of the working set brings less than two points of hit ratio,
//! wherever that tenth begins: a curve that is flat and rises again, as that of a loop, has its knee behind the last rise. It is
//! another one than `forebay curve` names, which says where a curve bends and not what the bend is worth.

use std::fmt;

use cache::Prediction;
use cache::words::limits::{RESERVE_SEGMENTS_MIN, SEGMENT_BYTES_MAX};

use super::answer::{SizeAt, Sizes};
use super::words::exact;
use super::{Asked, Known, Present, Simulated, Source, float, percent, points, ratio, size, whole};

/// A further tenth of the working set ...
const PART: u64 = 10;
/// ... is worth having if it brings as much.
pub(super) const WORTH: f64 = 0.02;

/// Steps in which the knee is looked for, twice: over all of the curve, and between two of these.
const COARSE: u64 = 220;
const FINE: u64 = 50;

/// RAM is so much of the cache, beyond what a disk has by default: what is used again soon is answered there, and never written to
/// flash. Simulation has a quarter in RAM by default (`hitsim`), up to the 32 MiB that a disk has anyway.
const RAM_PART: u64 = 20;
/// And no more than so much: beyond that, RAM is worth more to guests. Bytes.
const RAM_MAX: u64 = 256 << 20;
/// RAM of a disk unless it is said. Bytes.
const RAM_DEFAULT: u64 = 32 << 20;
/// The least RAM that a disk can be given.
const RAM_MIN: u64 = 1 << 20;

/// Reads past the cache, or cached in part, that are worth a word.
const MUCH: f64 = 0.03;

/// What is added to a size: headers and summaries of the log take some of it, and samples are off by a few hundredths, which right at
/// the cliff of a loop would be everything.
const MARGIN_PART: u64 = 20;

/// Less flash than this is not worth the trouble. Bytes.
const FLASH_MIN: u64 = 64 << 20;

/// The least that any pool gives a disk: the largest segments, and as many as a disk has at least. Bytes.
const LIMIT_ANYWHERE: u64 = SEGMENT_BYTES_MAX * RESERVE_SEGMENTS_MIN as u64;
/// A new pool has so many segments, until they are as large as can be (`cache::Shape`).
const SEGMENTS_CHOSEN: u64 = 4096;

/// A limit that is so many times what is needed, or more, is lowered; one that lacks as much as [`WORTH`] is raised.
pub(super) const TOO_LARGE: u64 = 2;

/// How large the cache is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    pub(super) knee: Option<u64>,
    /// The smallest size for what is wanted; none if no size has it, too.
    pub(super) wanted: Option<u64>,
    /// RAM for pages.
    pub ram_bytes: u64,
    /// Flash for the log of the disk.
    pub flash_bytes: u64,
    /// More would be good, and the pool has no more.
    pub(super) is_cut_by_pool: bool,
}

impl Plan {
    /// Plans a size from the curve of a disk or a trace.
    pub fn of(known: &Known<'_>) -> Self {
        let reads = &known.curves.reads;
        let knee = knee(reads, known.curves.working_set_bytes);
        let wanted = known.wanted.and_then(|ratio| reads.size_for(ratio));
        // What cannot be reached is no reason to take everything.
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

    /// Flash and RAM.
    pub fn cache_bytes(&self) -> u64 {
        self.flash_bytes + self.ram_bytes
    }

    /// Whether the disk is to have it: as it is, it has much more or too little.
    pub(super) fn is_change(&self, known: &Known<'_>) -> bool {
        let Some(present) = &known.present else { return true };
        is_too_large(known, present, self)
            || missed(known, present, self) >= WORTH
            || self.lacks_wanted(present)
    }

    fn lacks_wanted(&self, present: &Present) -> bool {
        self.wanted.is_some_and(|wanted| present.cache_bytes < wanted)
            && present.cache_bytes < self.cache_bytes()
    }

    /// What is set. Of a trace nobody knows the pool, and every pool takes it.
    fn limit_bytes(&self, known: &Known<'_>) -> u64 {
        match known.source {
            Source::Disk => self.flash_bytes,
            Source::Trace => self.flash_bytes.max(LIMIT_ANYWHERE),
        }
    }

    /// Keys that are to be set.
    pub(super) fn keys(&self, known: &Known<'_>) -> Vec<(&'static str, String)> {
        let mut keys = Vec::new();
        if self.is_change(known) {
            keys.push(("limit", exact(self.limit_bytes(known))));
        }
        if self.ram_bytes != known.present.map_or(RAM_DEFAULT, |present| present.ram_bytes) {
            keys.push(("ram", exact(self.ram_bytes)));
        }
        keys
    }

    pub(super) fn document(&self, known: &Known<'_>) -> Sizes {
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

/// Whether a disk may have much more than is of use to it. Who wants a hit ratio is not told to give away what brings hits.
pub(super) fn is_too_large(known: &Known<'_>, present: &Present, plan: &Plan) -> bool {
    let flash = present.cache_bytes.saturating_sub(present.ram_bytes);
    let has_hits = known.wanted.is_some() && -missed(known, present, plan) >= WORTH;
    flash >= plan.flash_bytes.saturating_mul(TOO_LARGE) && !has_hits
}

/// The hit ratio that the present size lacks.
pub(super) fn missed(known: &Known<'_>, present: &Present, plan: &Plan) -> f64 {
    let at = |bytes| known.curves.reads.hit_ratio(bytes).unwrap_or(0.0);
    at(plan.cache_bytes()) - at(present.cache_bytes)
}

/// The knee, in bytes; none if not even the first tenth of the working set is worth having.
pub(super) fn knee(reads: &Prediction, working_set_bytes: u64) -> Option<u64> {
    let end = working_set_bytes.max(reads.useful_bytes()).max(1);
    let part = (working_set_bytes / PART).max(1);
    let at = |bytes: u64| reads.hit_ratio(bytes).unwrap_or(0.0);
    let is_worth_more = |bytes: u64| at(bytes + part) - at(bytes) >= WORTH;
    let last = |from: u64, to: u64, steps: u64| {
        let sizes = (0..=steps).rev().map(|step| from + between(to - from, step, steps));
        sizes.into_iter().find(|bytes| is_worth_more(*bytes))
    };
    // The last size that is not large enough, first roughly.
    let rough = last(0, end, COARSE)?;
    let step = end.div_ceil(COARSE);
    let (short, step) = (last(rough, rough + step, FINE).unwrap_or(rough), step.div_ceil(FINE));
    Some(short + step)
}

/// `step` of `steps` of so many bytes.
fn between(bytes: u64, step: u64, steps: u64) -> u64 {
    whole(float(bytes) * float(step) / float(steps))
}

fn ram(target: u64, present: Option<&Present>) -> u64 {
    let present = present.map_or(RAM_DEFAULT, |present| present.ram_bytes);
    let part = (target / RAM_PART).min(RAM_MAX);
    // Whole powers of two, and nothing that changes little: less RAM than there is gains nobody much.
    let wanted = if part >= RAM_MIN { 1 << part.ilog2() } else { RAM_MIN };
    wanted.max(present)
}

/// To a sixteenth of its largest power of two, in whole MiB: a limit that can be read out aloud.
fn round_up(bytes: u64) -> u64 {
    let unit = (1_u64 << bytes.max(1).ilog2().saturating_sub(4)).max(1 << 20);
    bytes.checked_next_multiple_of(unit).unwrap_or(bytes)
}

pub(super) fn sentence(known: &Known<'_>, plan: &Plan, simulated: Option<&Simulated>) -> String {
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
            let Asked { reads, partial_hits, sequential, .. } = known.asked;
            let others = NoFullHits { reads, partial_hits, bypassed: sequential.unwrap_or(0) };
            text.extend([format!(" What serves it lately had {} full hits{others}.", percent(hits))]);
        }
    }
    text
}

/// What serves disks is no cache that forgets what was used longest ago, and a read that it has in part is a miss.
fn sentence_of_simulation(plan: &Plan, simulated: &Simulated) -> String {
    format!(
        " That is of a cache which takes in everything, and what it has in part counts in part. Simulated with {}, what serves disks has \
         {} full hits{}.",
        size(plan.cache_bytes()),
        percent(simulated.hit_ratio()),
        NoFullHits::of(simulated)
    )
}

/// Reads that are no full hits and no plain misses: says so, if there are many.
pub(super) struct NoFullHits {
    /// All reads.
    reads: u64,
    partial_hits: u64,
    /// Those that went past the cache.
    bypassed: u64,
}

impl NoFullHits {
    pub(super) fn of(&Simulated { reads, partial_hits, bypassed, .. }: &Simulated) -> Self {
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

/// The size for what is wanted, by the curve; and what simulation has of it, if that is less.
pub(super) fn sentence_of_wanted(
    known: &Known<'_>,
    plan: &Plan,
    simulated: Option<&Simulated>,
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
    if let Some(served) = simulated.map(Simulated::hit_ratio).filter(|served| *served < wanted) {
        text.extend([format!(
            ", by the curve. What serves disks, simulated with {}, has {}",
            size(plan.cache_bytes()),
            percent(served)
        )]);
    }
    text.push('.');
    Some(text)
}

pub(super) fn sentence_of_ram(known: &Known<'_>, plan: &Plan) -> String {
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

/// The largest pool that gives a disk no more than that at least.
fn pool_for(flash_bytes: u64) -> u64 {
    let segment = flash_bytes / u64::from(RESERVE_SEGMENTS_MIN);
    (1 << segment.max(1).ilog2()) * SEGMENTS_CHOSEN
}

fn division(known: &Known<'_>, plan: &Plan) -> String {
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
