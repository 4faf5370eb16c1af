//! Expected mean latency of reads, and writes to flash in a day.

use cache::Mode;

use super::answer::{Advice, Expected, FlashWear, LatencyOf};
use super::mode::CacheVerdict;
use super::words::{digits, time};
use super::{
    AdviceInput, Basis, Latencies, LatencyEstimate, Plan, SimulatedHits, Source, float, percent, ratio, size,
    span, whole,
};

const DAY: f64 = 86_400.0;
/// Time below which the bytes written are no measure of a day, in seconds: of a disk as for its wear; a trace always counts.
const JUDGED_FROM_DISK: u64 = 3_600;
const JUDGED_FROM_TRACE: u64 = 60;

/// Maximum of the latency with the cache divided by that without, for a cache that is worth its flash.
const FASTER: f64 = 0.9;
/// Drive writes a day beyond the rating of any drive: those made for writes have 10.
const DRIVE_WRITES_MAX: f64 = 10.0;
/// Hit ratio from which on even such wear is left to the user to decide.
const HITS_MANY: f64 = 0.2;

/// Returns the mean latency of reads with a share of hits, in microseconds, as far as it is known.
fn mean_us(latencies: &Latencies, hits: f64, from_ram: f64) -> Option<f64> {
    let (ram, flash, miss) = (latencies.ram?, latencies.flash?, latencies.miss?);
    Some(from_ram * ram.us + (hits - from_ram) * flash.us + (1.0 - hits) * miss.us)
}

/// Returns the mean latency of reads with the planned cache: with the best simulated blocks, or else by the curve.
fn planned_us(known: &AdviceInput<'_>, plan: &Plan) -> Option<f64> {
    let (hits, from_ram) = if let Some(best) = known.best_simulated() {
        (best.hit_ratio(), ratio(best.ram_hits, best.reads).unwrap_or(0.0))
    } else {
        let at = |bytes| known.curves.reads.hit_ratio(bytes).unwrap_or(0.0);
        (at(plan.cache_bytes()), at(plan.ram_bytes))
    };
    mean_us(&known.latencies, hits, from_ram.min(hits))
}

/// Returns true unless reads are known to take about as long with the cache as without.
pub(super) fn is_faster(known: &AdviceInput<'_>, plan: &Plan) -> bool {
    match (planned_us(known, plan), known.latencies.miss) {
        (Some(with), Some(without)) => with <= without.us * FASTER,
        _ => true,
    }
}

/// Returns the reason why a cache is of no use though it would have hits.
pub(super) fn sentence_of_no_faster(known: &AdviceInput<'_>, plan: &Plan) -> String {
    let (Some(with), Some(miss)) = (planned_us(known, plan), known.latencies.miss) else {
        return String::new();
    };
    let flash = known.latencies.flash.map_or_else(String::new, |flash| {
        format!(
            ", from {} of flash ({}) and {} of a miss ({})",
            time(flash.us),
            flash.origin(),
            time(miss.us),
            miss.origin()
        )
    });
    format!(
        "A cache does not help: reads would take {} on average with it, and take {} without{flash}. It would only wear flash.",
        time(with),
        time(miss.us)
    )
}

/// Returns the bytes of a day at the rate of so many bytes in so many seconds.
fn per_day(bytes: u64, seconds: u64) -> f64 {
    float(bytes) * DAY / float(seconds)
}

/// Wear of flash for few hits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WearWithoutGain {
    bytes_per_day: u64,
    /// Size of the planned flash, so many times.
    drive_writes: f64,
    hit_ratio: f64,
}

/// Returns the wear of a trace's cache if simulation writes more to it than any drive is rated for, and has few hits.
///
/// Not of a disk: in pass-through it writes nothing to flash, so the next advice would be to cache it again. Its wear is a warning.
pub(super) fn wear_without_gain(known: &AdviceInput<'_>, plan: &Plan) -> Option<WearWithoutGain> {
    let seconds = known
        .asked
        .seconds
        .filter(|seconds| known.source == Source::Trace && *seconds >= JUDGED_FROM_TRACE)?;
    let best = known.best_simulated()?;
    let bytes_per_day = per_day(best.flash_write_bytes, seconds);
    let drive_writes = bytes_per_day / float(plan.flash_bytes);
    let wears = drive_writes > DRIVE_WRITES_MAX && best.hit_ratio() < HITS_MANY;
    wears.then(|| WearWithoutGain {
        bytes_per_day: whole(bytes_per_day),
        drive_writes,
        hit_ratio: best.hit_ratio(),
    })
}

/// Returns the reason why a cache would cost more flash than its hits are worth.
pub(super) fn sentence_of_wear_without_gain(known: &AdviceInput<'_>, plan: &Plan) -> String {
    let Some(WearWithoutGain { bytes_per_day, drive_writes, hit_ratio }) = wear_without_gain(known, plan)
    else {
        return String::new();
    };
    format!(
        "A cache would wear out flash for little: {} of reads would be hits, and {} a day would be written to {} of flash, which is {} drive \
         writes a day. Drives are rated for 0.3 to 10. A larger pool would wear less.",
        percent(hit_ratio),
        size(bytes_per_day),
        size(plan.flash_bytes),
        digits(drive_writes)
    )
}

pub(super) fn add(known: &AdviceInput<'_>, judged: CacheVerdict, advice: &mut Advice) {
    if judged != CacheVerdict::CanHelp {
        return;
    }
    let Some(size) = &advice.size else { return };
    let latencies = &known.latencies;
    let (Some(ram), Some(flash), Some(miss)) = (latencies.ram, latencies.flash, latencies.miss) else {
        let text =
            "Latency: no read was answered by the backing lately, so the latency of a miss is not known.";
        advice.add_sentence("latency", text.to_owned());
        return;
    };
    // Figures of the served policy in the simulation of a trace; otherwise those of the curve.
    let simulated = super::simulated(known, advice);
    let hits = simulated.map_or(size.advised.hit_ratio, SimulatedHits::hit_ratio);
    let from_ram = simulated.and_then(|simulated| ratio(simulated.ram_hits, simulated.reads));
    let from_ram = from_ram.unwrap_or(size.ram_hit_ratio).min(hits);
    let Some(mean_us) = mean_us(latencies, hits, from_ram) else { return };
    let text = format!(
        "Expected with {} hits: {} for a read on average, instead of {} without a cache, from {} of RAM ({}), {} of flash ({}) and {} of \
         a miss ({}).",
        percent(hits),
        time(mean_us),
        time(miss.us),
        time(ram.us),
        ram.origin(),
        time(flash.us),
        flash.origin(),
        time(miss.us),
        miss.origin()
    );
    advice.add_sentence("latency", text);
    advice.latency = Some(Expected {
        ram: ram.document(),
        flash: flash.document(),
        miss: miss.document(),
        hit_ratio: hits,
        mean_us,
        without_cache_us: miss.us,
    });
}

impl LatencyEstimate {
    fn document(self) -> LatencyOf {
        LatencyOf { us: self.us, basis: self.basis, count: self.count }
    }

    fn origin(self) -> String {
        match self.basis {
            Basis::Measured => format!("measured, {} reads", self.count),
            Basis::Recorded => format!("as {} reads of the trace had", self.count),
            Basis::Said => "as you say".to_owned(),
            Basis::Assumed => "assumed, not measured".to_owned(),
        }
    }
}

pub(super) fn add_wear(known: &AdviceInput<'_>, judged: CacheVerdict, advice: &mut Advice) {
    let text = match wear(known, advice) {
        Ok(wear) => {
            let text = sentence(known, advice, &wear);
            advice.wear = Some(wear);
            text
        }
        // Data that is not to be cached wears nothing.
        Err(_) if judged != CacheVerdict::CanHelp => return,
        Err(reason) => format!("Flash wear a day is not known: {reason}."),
    };
    advice.add_sentence("wear", text);
}

fn wear(known: &AdviceInput<'_>, advice: &Advice) -> Result<FlashWear, String> {
    let passes = known.present.is_some_and(|present| present.mode == Mode::PassThrough);
    if passes {
        return Err("nothing is cached in pass-through".to_owned());
    }
    let written = match known.source {
        Source::Disk => known.asked.flash_write_bytes,
        Source::Trace => super::simulated(known, advice).map(|simulated| simulated.flash_write_bytes),
    };
    let written = written.ok_or(known.unsimulated.unwrap_or("nothing was counted"))?;
    let (from, whose) = match known.source {
        Source::Disk => (JUDGED_FROM_DISK, "were counted"),
        Source::Trace => (JUDGED_FROM_TRACE, "are in the trace"),
    };
    let Some(seconds) = known.asked.seconds else {
        return Err(format!("the trace has no times; all of it writes {} to flash", size(written)));
    };
    if seconds < from {
        return Err(format!("only {} {whose}, and {} are needed", span(seconds), span(from)));
    }
    let bytes_per_day = per_day(written, seconds);
    let of = |bytes: u64| (bytes > 0).then(|| bytes_per_day / float(bytes));
    Ok(FlashWear {
        seconds,
        flash_write_bytes: written,
        bytes_per_day: whole(bytes_per_day),
        pool_writes_per_day: known.pool.and_then(|pool| of(pool.size_bytes)),
        flash_writes_per_day: advice.size.as_ref().and_then(|size| of(size.advised_flash_bytes)),
    })
}

fn sentence(known: &AdviceInput<'_>, advice: &Advice, wear: &FlashWear) -> String {
    let mut text = match known.source {
        Source::Disk => format!("It writes {} a day to flash", size(wear.bytes_per_day)),
        Source::Trace => format!(
            "In the {} of the trace {} are written to flash, the first fill among them; at that rate it is {} a day",
            span(wear.seconds),
            size(wear.flash_write_bytes),
            size(wear.bytes_per_day)
        ),
    };
    if known.source == Source::Disk {
        text.extend([format!(", by the last {}", span(wear.seconds))]);
    }
    let mut shares = Vec::new();
    if let (Some(share), Some(pool)) = (wear.pool_writes_per_day, known.pool) {
        shares.push(format!("{} drive writes a day of the pool ({})", digits(share), size(pool.size_bytes)));
    }
    if let (Some(share), Some(sizes)) = (wear.flash_writes_per_day, &advice.size) {
        shares.push(format!(
            "{} a day of the advised flash ({})",
            digits(share),
            size(sizes.advised_flash_bytes)
        ));
    }
    if !shares.is_empty() {
        text.extend([format!(": {}", shares.join(", "))]);
    }
    text.push('.');
    let fills = known.present.is_some_and(|present| present.held_bytes < present.cache_bytes / 10 * 9);
    if fills {
        text.push_str(" The cache is not full yet; while it fills, it writes more than ever after.");
    }
    text
}
