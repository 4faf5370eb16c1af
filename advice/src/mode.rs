//! Cache mode: the use of a cache for the disk at all, whether writes should enter it, and the effects of write-back.
//!
//! Write-back is explained and never put into the command: with it data depends on flash, and that is for a person to decide.

use cache::Mode;

use super::answer::{Advice, ModeAdvice, WriteBack};
use super::{
    AdviceInput, Plan, READS_NEEDED, SimulatedHits, Source, float, goes_around, percent, ratio, size,
    words::time,
};

/// Share of reads in requests below which a cache for reads is of no use.
const READ_SHARE_MIN: f64 = 0.02;
/// Hit ratio below which a cache is not worth the flash, at any size or at the knee.
const HIT_RATIO_MIN: f64 = 0.05;
/// Share of reads of written data below which writes need not enter.
const READS_OF_WRITTEN_FEW: f64 = 0.02;
/// Share of writes below which they take little room and wear.
const WRITE_SHARE_MUCH: f64 = 0.2;
/// Share of writes below which they are ignored.
const WRITE_SHARE_FEW: f64 = 0.05;
/// Share of written pages that coalesce, or mean latency in microseconds, from which write-back is considered.
const COALESCED_MUCH: f64 = 0.2;
const WRITE_SLOW_US: f64 = 2_000.0;
/// Default of the dirty limit, as a divisor of the flash.
const DIRTY_PART: u64 = 10;
/// Observation time below which a disk with few reads may only be in the process of being filled, in seconds.
const HARDLY_READ_FROM: u64 = 3_600;

/// Verdict on the use of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CacheVerdict {
    TooLittleSeen,
    CannotHelp(Reason),
    CanHelp,
}

/// Reason why a cache cannot help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    HardlyRead,
    ReadOnce,
    /// Reuse is spread over so much data that no size is better than another.
    SpreadThin,
    /// Simulation has too few hits.
    NotAsServed,
    /// Reads would take about as long with the cache as without, or longer.
    NoFaster,
    /// Simulation writes more to flash than any drive is rated for, for few hits.
    WearsFlash,
}

pub(super) fn judge(known: &AdviceInput<'_>, plan: &Plan) -> CacheVerdict {
    let (asked, reads) = (&known.asked, &known.curves.reads);
    let hardly_read = ratio(asked.reads, asked.all()).is_some_and(|reads| reads < READ_SHARE_MIN);
    let is_long = known.source == Source::Trace || asked.seconds >= Some(HARDLY_READ_FROM);
    if asked.has_directions && hardly_read && is_long && asked.all() >= READS_NEEDED {
        return CacheVerdict::CannotHelp(Reason::HardlyRead);
    }
    if reads.uses() < float(READS_NEEDED) {
        return CacheVerdict::TooLittleSeen;
    }
    if reads.hit_ratio_max().unwrap_or(0.0) < HIT_RATIO_MIN {
        return CacheVerdict::CannotHelp(Reason::ReadOnce);
    }
    // If the user wants a hit ratio that can be reached, its size is advised, however thin the reuse.
    if plan.wanted.is_none() && at_knee(known, plan) < HIT_RATIO_MIN {
        return CacheVerdict::CannotHelp(Reason::SpreadThin);
    }
    CacheVerdict::CanHelp
}

fn at_knee(known: &AdviceInput<'_>, plan: &Plan) -> f64 {
    plan.knee.and_then(|knee| known.curves.reads.hit_ratio(knee)).unwrap_or(0.0)
}

/// Returns the verdict of the curve, corrected by simulation and by known latencies.
pub(super) fn judge_as_served(known: &AdviceInput<'_>, plan: &Plan, judged: CacheVerdict) -> CacheVerdict {
    let best = known.best_simulated().map(SimulatedHits::hit_ratio);
    match judged {
        CacheVerdict::CanHelp if best.is_some_and(|best| best < HIT_RATIO_MIN) => {
            CacheVerdict::CannotHelp(Reason::NotAsServed)
        }
        CacheVerdict::CanHelp if !super::expected::is_faster(known, plan) => {
            CacheVerdict::CannotHelp(Reason::NoFaster)
        }
        CacheVerdict::CanHelp if super::expected::wear_without_gain(known, plan).is_some() => {
            CacheVerdict::CannotHelp(Reason::WearsFlash)
        }
        judged => judged,
    }
}

/// Returns the share of reads that bypass the cache and would count as entering it in pass-through, if that could change the verdict.
/// Pass-through is then not advised, because the next advice would be another one.
fn is_turned_by_passing(known: &AdviceInput<'_>, plan: &Plan, reason: Reason) -> Option<f64> {
    known.present.filter(|present| present.mode != Mode::PassThrough)?;
    let past = ratio(known.asked.sequential?, known.asked.reads)?;
    let hits = match reason {
        Reason::ReadOnce => known.curves.reads.hit_ratio_max().unwrap_or(0.0),
        Reason::SpreadThin => at_knee(known, plan),
        Reason::HardlyRead | Reason::NotAsServed | Reason::NoFaster | Reason::WearsFlash => return None,
    };
    (past > 0.0 && hits + past >= HIT_RATIO_MIN).then_some(past)
}

pub(super) fn add(known: &AdviceInput<'_>, judged: CacheVerdict, plan: &Plan, advice: &mut Advice) {
    let present = known.present.map(|present| present.mode);
    let write_back = write_back(known, judged, plan);
    let (advised, text) = advised(known, judged, plan, write_back.as_ref());
    advice.add_sentence("mode", text);
    if let Some(write_back) = &write_back {
        advice.add_sentence("write-back", sentence_of_write_back(known, write_back));
    }
    // A trace has no mode to change, and a disk without settings has write-through.
    if let Some(advised) = advised.filter(|advised| *advised != present.unwrap_or_default()) {
        advice.set("mode", advised.to_string());
    }
    advice.mode = Some(ModeAdvice {
        advised: advised.map(|mode| mode.to_string()),
        present: present.map(|mode| mode.to_string()),
        write_back,
    });
}

/// Returns the mode if a cache does not help reads.
fn advised_without_reads(
    known: &AdviceInput<'_>,
    plan: &Plan,
    reason: Reason,
    is_worth: bool,
) -> (Option<Mode>, String) {
    let present = known.present.map(|present| present.mode);
    if present == Some(Mode::WriteBack) && is_worth {
        return (present, "It stays in write-back, which helps its writes.".to_owned());
    }
    if let Some(past) = is_turned_by_passing(known, plan, reason) {
        let text = format!(
            "The mode stays: {} of reads are of long sequential runs, which take no flash and no RAM as it is. In pass-through they would be \
             counted as if they entered, and this advice be another one.",
            percent(past)
        );
        return (present, text);
    }
    // The words advise write-back, so there is no command for another mode: data depends on it, and a person decides.
    if is_worth {
        let text = "Nothing but write-back, of which more follows, would be of use to it. Unless it is to have that, mode=pass-through \
                    gives flash and RAM to others.";
        return (None, text.to_owned());
    }
    let text = "Mode pass-through: then the cache takes no flash and no RAM of others for it.";
    (Some(Mode::PassThrough), text.to_owned())
}

fn advised(
    known: &AdviceInput<'_>,
    judged: CacheVerdict,
    plan: &Plan,
    write_back: Option<&WriteBack>,
) -> (Option<Mode>, String) {
    let present = known.present.map(|present| present.mode);
    let is_worth = write_back.is_some_and(|write_back| write_back.is_worth_a_thought);
    let keeps_write_back = present == Some(Mode::WriteBack);
    if let CacheVerdict::CannotHelp(reason) = judged {
        return advised_without_reads(known, plan, reason, is_worth);
    }
    if keeps_write_back {
        let text = if is_worth {
            "It stays in write-back, which helps its writes."
        } else {
            "It is in write-back, which gains its writes little; write-through would keep the backing complete."
        };
        return (present, text.to_owned());
    }
    if known.present.is_some_and(|present| present.is_read_only) {
        return (
            Some(Mode::WriteThrough),
            "Nothing writes to it: write-through, and any mode that caches, is the same.".to_owned(),
        );
    }
    let writes = ratio(known.asked.writes, known.asked.all()).unwrap_or(0.0);
    if !known.asked.has_directions {
        return (
            None,
            "The trace does not say which requests write, so there is no advice on modes.".to_owned(),
        );
    }
    if goes_around(known) {
        let text = "It stays in write-around. Whether what is written is read again is not counted there: in write-through for a day, it is.";
        return (present, text.to_owned());
    }
    let again = known.curves.reads_of_written.unwrap_or(0.0);
    if writes >= WRITE_SHARE_MUCH && again < READS_OF_WRITTEN_FEW {
        let text = format!(
            "Mode write-around: {} of requests write, and only {} of reads are of what was written since it was read, so writes need not \
             take room in the cache and wear its flash.",
            percent(writes),
            percent(again)
        );
        return (Some(Mode::WriteAround), text);
    }
    let text = format!(
        "Mode write-through: {} of requests write, and {} of reads are of what was written since it was read, so what is written is to \
         enter the cache. The backing stays complete.",
        percent(writes),
        percent(again)
    );
    (Some(Mode::WriteThrough), text)
}

/// Returns the effects of write-back; none if no writes are known.
fn write_back(known: &AdviceInput<'_>, judged: CacheVerdict, plan: &Plan) -> Option<WriteBack> {
    if !known.asked.has_directions || goes_around(known) {
        return None;
    }
    let writes = ratio(known.asked.writes, known.asked.all())?;
    let dirty_bytes = match (&known.present, judged) {
        (Some(present), _) => present.dirty_limit_bytes,
        (None, CacheVerdict::CanHelp) => plan.flash_bytes / DIRTY_PART,
        (None, _) => known.curves.working_set_bytes / DIRTY_PART,
    };
    let coalesced = known.curves.writes.hit_ratio(dirty_bytes)?;
    let is_slow = known.latencies.write.is_some_and(|write| write.us >= WRITE_SLOW_US);
    let is_worth_a_thought = writes >= WRITE_SHARE_FEW && (coalesced >= COALESCED_MUCH || is_slow);
    Some(WriteBack { is_worth_a_thought, dirty_bytes, coalesced })
}

fn sentence_of_write_back(known: &AdviceInput<'_>, write_back: &WriteBack) -> String {
    let writes = percent(ratio(known.asked.writes, known.asked.all()).unwrap_or(0.0));
    let mut text = format!(
        "With {} dirty at most, write-back would spare the backing {} of the pages written, which are written again while dirty.",
        size(write_back.dirty_bytes),
        percent(write_back.coalesced)
    );
    if let Some(write) = known.latencies.write {
        let now = if known.source == super::Source::Trace { "took" } else { "takes" };
        text.extend([format!(" A write {now} {} on average.", time(write.us))]);
    }
    if !write_back.is_worth_a_thought {
        text.extend([format!(
            " That is not worth having data depend on flash, with {writes} of requests writing."
        )]);
        return text;
    }
    text.push_str(
        " It makes bursts of writes as fast as flash, and then the newest data is on flash alone until it is destaged: it depends on",
    );
    text.push_str(match known.pool {
        Some(pool) if pool.can_mirror => " the pool's two devices, which both have it,",
        Some(_) => " the one device of the pool (a second one would have a copy: `forebay pool add`),",
        None => " two devices in the pool, so that both have it,",
    });
    text.push_str(" and on no other program opening the backing meanwhile; read docs/write-back.md first.");
    if known.source == super::Source::Disk
        && known.present.is_some_and(|present| present.mode != Mode::WriteBack)
    {
        text.extend([format!(" If so: `forebay disk set {} mode=write-back`.", known.name)]);
    }
    text
}
