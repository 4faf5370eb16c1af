//! Warnings about a disk.

use cache::Mode;

use super::answer::{Advice, Warning, WarningKind};
use super::mode::CacheVerdict;
use super::sizes::{Plan, is_too_large, missed};
use super::words::{digits, time};
use super::{AdviceInput, Source, percent, points, ratio, size, span};

/// Share of reads of long runs from which on they are mentioned.
const SEQUENTIAL_MUCH: f64 = 0.5;
/// Observation time in seconds below which a disk may do something else on other days.
const VIEW_MIN: u64 = 86_400;
/// Hit ratio that a cache lacks to be too small.
const LACKS_MUCH: f64 = 0.05;
/// Latency of the backing divided by that of flash, up to which it is hardly slower.
const AS_FAST: f64 = 1.5;
/// Drive writes a day for which most read-intensive drives are rated.
const DRIVE_WRITES_MUCH: f64 = 1.0;

pub(super) fn add(known: &AdviceInput<'_>, judged: CacheVerdict, plan: &Plan, advice: &mut Advice) {
    let wear = of_wear(advice);
    let mut warn = |kind, text| advice.warnings.push(Warning { kind, text });
    if judged == CacheVerdict::CanHelp {
        for (kind, text) in of_size(known, plan) {
            warn(kind, text);
        }
        if let Some(text) = of_speed(known) {
            warn(WarningKind::BackingIsFast, text);
        }
        if let Some(text) = wear {
            warn(WarningKind::WearsFlash, text);
        }
        if let Some(text) = mostly_sequential(known) {
            warn(WarningKind::MostlySequential, text);
        }
    }
    let seconds = known.asked.seconds.filter(|seconds| *seconds < VIEW_MIN);
    if let (Some(seconds), false) = (seconds, judged == CacheVerdict::TooLittleSeen) {
        let again = if known.source == Source::Disk { "; ask again after a day" } else { "" };
        let text = format!(
            "Only {} were seen: what comes back later than that is not in these figures{again}.",
            span(seconds)
        );
        warn(WarningKind::ShortView, text);
    }
}

fn of_size(known: &AdviceInput<'_>, plan: &Plan) -> Vec<(WarningKind, String)> {
    let mut warnings = Vec::new();
    if plan.is_cut_by_pool {
        let pool = known.pool.map_or(0, |pool| pool.usable_bytes);
        warnings.push((
            WarningKind::PoolTooSmall,
            format!(
                "The pool is too small: disks can use {} of it together, and this one by itself has use for more.",
                size(pool)
            ),
        ));
    }
    // A disk in pass-through does not use a limit.
    let Some(present) = known.present.filter(|present| present.mode != Mode::PassThrough) else {
        return warnings;
    };
    let flash = present.cache_bytes.saturating_sub(present.ram_bytes);
    if is_too_large(known, &present, plan) {
        let whose = if present.has_limit { "Its limit is" } else { "It has no limit and may take" };
        warnings.push((
            WarningKind::TooLarge,
            format!(
                "The cache is too large: {} of it are held. {whose} {} of flash, and beyond {} it gains {}; others could use the rest.",
                size(present.held_bytes),
                size(flash),
                size(plan.flash_bytes),
                points((-missed(known, &present, plan)).max(0.0))
            ),
        ));
    } else if missed(known, &present, plan) >= LACKS_MUCH {
        warnings.push((
            WarningKind::TooSmall,
            format!(
                "The cache is too small: with {} instead of {} it would have {} more.",
                size(plan.cache_bytes()),
                size(present.cache_bytes),
                points(missed(known, &present, plan))
            ),
        ));
    }
    warnings
}

/// Returns a warning if more is written to the advised flash than read-intensive drives are made for.
fn of_wear(advice: &Advice) -> Option<String> {
    let wear = advice.wear.as_ref()?;
    let (whose, writes) = match (wear.pool_writes_per_day, wear.flash_writes_per_day) {
        (Some(writes), _) => ("the pool", writes),
        (None, writes) => ("the advised flash", writes?),
    };
    (writes > DRIVE_WRITES_MUCH).then(|| {
        format!(
            "It writes {} over {} times a day. Many drives are rated for one drive write a day: take a larger pool, or limit what is \
             written (`forebay pool set write-budget=1`).",
            whose,
            digits(writes)
        )
    })
}

fn of_speed(known: &AdviceInput<'_>) -> Option<String> {
    let (flash, miss) = (known.latencies.flash?, known.latencies.miss?);
    (miss.us < flash.us * AS_FAST).then(|| {
        format!(
            "The backing is about as fast as flash: a miss takes {} and a hit on flash {}. The cache spares it work, and guests no time.",
            time(miss.us),
            time(flash.us)
        )
    })
}

/// Returns a warning if most reads are in long runs.
pub(super) fn mostly_sequential(known: &AdviceInput<'_>) -> Option<String> {
    let sequential = ratio(known.asked.sequential?, known.asked.of_sequential(known.source));
    let sequential = sequential.filter(|sequential| *sequential > SEQUENTIAL_MUCH)?;
    Some(match known.source {
        Source::Disk => format!(
            "{} of reads are of long sequential runs and go past the cache (`sequential-cutoff`).",
            percent(sequential)
        ),
        Source::Trace => format!("{} of requests go on where one before them ended.", percent(sequential)),
    })
}
