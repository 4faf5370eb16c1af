//! Results of a replay, for people and as a document.

use base::error::{Error, Result};
use base::units::Size;
use serde_json::{Value, json};

use super::latencies::{BOUNDS_US, LatencySummary};
use super::{DirectionResult, Plan, ReplayResult};
use crate::output;

/// Reads that the cache answered in full, and all reads, before or after a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ratio {
    pub(crate) hits: u64,
    pub(crate) reads: u64,
}

impl Ratio {
    /// Returns the counters in a document of the daemon.
    pub(crate) fn from_statistics(statistics: &Value) -> Self {
        let count = |key: &str| statistics[key].as_u64().unwrap_or(0);
        Self { hits: count("read_hits_ram") + count("read_hits_flash"), reads: count("reads") }
    }

    /// Returns the share of hits among the reads since `earlier`; `None` without reads.
    #[expect(clippy::cast_precision_loss, reason = "a ratio for people; counts stay far below 2^52")]
    pub(crate) fn since(self, earlier: Self) -> Option<f64> {
        let reads = self.reads.saturating_sub(earlier.reads);
        (reads > 0).then(|| self.hits.saturating_sub(earlier.hits) as f64 / reads as f64)
    }
}

/// Latencies of an earlier replay, for comparison with this one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EarlierLatencies {
    reads: LatencySummary,
    writes: LatencySummary,
}

impl EarlierLatencies {
    /// Parses the document that the earlier replay printed; `file` is its path.
    ///
    /// # Errors
    /// If it is no such document.
    pub(crate) fn read(file: &str, text: &str) -> Result<Self> {
        let document: Value = serde_json::from_str(text).unwrap_or_default();
        let replay = &document["replay"];
        let side =
            |key: &str| LatencySummary::read(&replay["latency_us"][key], &replay["latency_classes"][key]);
        match (side("read"), side("write")) {
            (Some(reads), Some(writes)) => Ok(Self { reads, writes }),
            _ => Err(Error::invalid(format!(
                "Cannot compare with {file}: it is not what `forebay replay --json` prints; name a file that has that"
            ))),
        }
    }
}

/// Returns the content of the document that `--json` prints, under `replay`.
pub(crate) fn json(
    plan: &Plan,
    outcome: &ReplayResult,
    hit_ratio: Option<f64>,
    before: Option<&EarlierLatencies>,
) -> Value {
    let sides = [&outcome.reads, &outcome.writes];
    let pair = |of: &dyn Fn(&LatencySummary) -> Value, [read, write]: [&LatencySummary; 2]| json!({ "read": of(read), "write": of(write) });
    let latency = |times: [&LatencySummary; 2]| pair(&LatencySummary::json, times);
    let classes = |times: [&LatencySummary; 2]| {
        let mut content = pair(&LatencySummary::classes_json, times);
        content["unit"] = "microseconds".into();
        content
    };
    let [reads, writes] = sides.map(|side| side.latency.times());
    let recorded = sides.map(|side| side.recorded.times());
    let has_recorded = recorded.iter().any(|times| times.count > 0);
    let both = |times: [&LatencySummary; 2]| json!({ "latency_us": latency(times), "latency_classes": classes(times) });
    json!({
        "trace": plan.trace.display().to_string(),
        "disk": plan.disk,
        "requests": outcome.reads.requests + outcome.writes.requests,
        "requests_in_trace": plan.survey.requests,
        "complete": outcome.is_complete,
        "reads": outcome.reads.requests,
        "writes": outcome.writes.requests,
        "read_bytes": outcome.reads.bytes,
        "write_bytes": outcome.writes.bytes,
        "without_direction": plan.survey.unknown(),
        "left_out": plan.survey.left_out,
        "on_other_devices": plan.survey.on_other_devices,
        "wrapped": outcome.wrapped,
        "reads_checked": outcome.checked,
        "mismatches": outcome.mismatches,
        "errors": outcome.errors,
        "seconds": outcome.elapsed.as_secs_f64(),
        "late_us": (outcome.late.count() > 0).then(|| outcome.late.times().json()),
        "hit_ratio": hit_ratio,
        "latency_us": latency([&reads, &writes]),
        "latency_classes": classes([&reads, &writes]),
        "recorded": has_recorded.then(|| both([&recorded[0], &recorded[1]])),
        "before": before.map(|before| both([&before.reads, &before.writes])),
    })
}

/// Returns the table for people.
#[expect(clippy::cast_precision_loss, reason = "a rate for people")]
pub(crate) fn table(
    plan: &Plan,
    outcome: &ReplayResult,
    hit_ratio: Option<f64>,
    before: Option<&EarlierLatencies>,
) -> String {
    let requests = outcome.reads.requests + outcome.writes.requests;
    let seconds = outcome.elapsed.as_secs_f64();
    let mut pairs = vec![
        (
            "requests",
            format!("{requests} in {seconds:.1} s, {:.0} a second", requests as f64 / seconds.max(0.001)),
        ),
        ("reads", count(&outcome.reads)),
        ("writes", count(&outcome.writes)),
        ("left out", format!("{} records that read or write nothing", plan.survey.left_out)),
        ("mapped into the disk", outcome.wrapped.to_string()),
        ("reads answered by the cache", output::percent(&json!(hit_ratio))),
        ("reads checked", outcome.checked.to_string()),
        ("wrong content", outcome.mismatches.to_string()),
        ("errors", outcome.errors.to_string()),
    ];
    if plan.survey.unknown() > 0 {
        let unknown = plan.survey.unknown();
        pairs.insert(
            3,
            ("without direction", format!("{unknown}, which the trace does not say; they were read")),
        );
    }
    if plan.survey.on_other_devices > 0 {
        pairs.push(("on other devices", format!("{} requests, left out", plan.survey.on_other_devices)));
    }
    if plan.survey.has_several_devices {
        pairs.push(("devices", "several, taken as if they were one; --device takes one".to_owned()));
    }
    if outcome.late.count() > 0 {
        let LatencySummary { mean_us, at_most_us: [_, _, p99, _, max], .. } = outcome.late.times();
        let (mean, p99, max) = (time(mean_us), time(p99 as f64), time(max as f64));
        pairs.push(("late", format!("{mean} on average, 99% at most {p99}, all at most {max}")));
    }
    if !outcome.is_complete {
        let all = plan.survey.requests;
        pairs.insert(0, ("stopped", format!("after {requests} of {all} requests; what follows is of these")));
    }
    let mut text = output::pairs(&pairs);
    let sides = [
        ("READ", &outcome.reads, before.map(|before| &before.reads)),
        ("WRITE", &outcome.writes, before.map(|before| &before.writes)),
    ];
    for (name, side, before) in sides {
        text.push('\n');
        text.push_str(&latencies(name, side, before));
    }
    text
}

fn count(side: &DirectionResult) -> String {
    format!("{}, {}", side.requests, Size(side.bytes))
}

/// Returns classes and percentiles of one direction: as recorded and before, where that is known, and now.
fn latencies(name: &str, side: &DirectionResult, before: Option<&LatencySummary>) -> String {
    let (now, recorded) = (side.latency.times(), side.recorded.times());
    let mut columns: Vec<(&str, &LatencySummary)> = Vec::new();
    if recorded.count > 0 {
        columns.push(("RECORDED", &recorded));
    }
    if let Some(before) = before {
        columns.push(("BEFORE", before));
    }
    columns.push(("NOW", &now));
    let row = |label: String, cell: &dyn Fn(&LatencySummary) -> String| {
        let cells = columns
            .iter()
            .map(|(_, times)| if times.count == 0 { output::NOTHING.to_owned() } else { cell(times) });
        [label].into_iter().chain(cells).collect::<Vec<String>>()
    };
    let mut rows = vec![row("requests".to_owned(), &|times| times.count.to_string())];
    let used: Vec<usize> =
        (0..=BOUNDS_US.len()).filter(|at| columns.iter().any(|(_, times)| times.classes[*at] > 0)).collect();
    if let (Some(first), Some(last)) = (used.first(), used.last()) {
        rows.extend((*first..=*last).map(|at| row(class(at), &|times| share(times, at))));
    }
    rows.push(row("mean".to_owned(), &|times| time(times.mean_us)));
    for (at, label) in ["50% at most", "95%", "99%", "99.9%", "all"].iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a time for people")]
        rows.push(row((*label).to_owned(), &|times| time(times.at_most_us[at] as f64)));
    }
    let headings: Vec<&str> = [name].into_iter().chain(columns.iter().map(|(name, _)| *name)).collect();
    output::table(&headings, &rows)
}

fn class(at: usize) -> String {
    let bound = |us: u64| if us < 1000 { format!("{us} us") } else { format!("{} ms", us / 1000) };
    match BOUNDS_US.get(at) {
        Some(us) => format!("up to {}", bound(*us)),
        None => format!("over {}", bound(BOUNDS_US[at - 1])),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share for people")]
fn share(times: &LatencySummary, class: usize) -> String {
    format!("{:.1}%", times.classes[class] as f64 / times.count as f64 * 100.0)
}

/// Returns microseconds in a unit that suits them.
fn time(us: f64) -> String {
    match us {
        us if us < 1_000.0 => format!("{us:.0} us"),
        us if us < 10_000.0 => format!("{:.1} ms", us / 1e3),
        us if us < 1_000_000.0 => format!("{:.0} ms", us / 1e3),
        us => format!("{:.1} s", us / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::super::latencies::LatencyRecorder;
    use super::*;

    #[test]
    fn the_hit_ratio_is_that_of_the_replay_alone() {
        let before = Ratio { hits: 100, reads: 100 };
        assert_eq!(Ratio { hits: 101, reads: 104 }.since(before), Some(0.25));
        assert_eq!(before.since(before), None);
        let statistics = json!({ "read_hits_ram": 1, "read_hits_flash": 2, "reads": 4 });
        assert_eq!(Ratio::from_statistics(&statistics), Ratio { hits: 3, reads: 4 });
    }

    #[test]
    fn latencies_stand_beside_those_that_were_recorded_and_those_before() {
        let mut side = DirectionResult::new();
        for us in [50, 60, 400] {
            side.latency.record(us);
            side.recorded.record(us * 100);
        }
        let mut before = LatencyRecorder::new();
        before.record(20_000);
        let text = latencies("READ", &side, Some(&before.times()));
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
            .collect();
        assert_eq!(lines[0], ["READ", "RECORDED", "BEFORE", "NOW"]);
        assert_eq!(lines[1], ["requests", "3", "1", "3"]);
        assert_eq!(lines[2], ["up to 100 us", "0.0%", "0.0%", "66.7%"]);
        assert!(lines.contains(&vec!["up to 30 ms", "0.0%", "100.0%", "0.0%"]), "{text}");
        assert!(lines.contains(&vec!["mean", "17 ms", "20 ms", "170 us"]), "{text}");
        let alone = latencies("WRITE", &DirectionResult::new(), None);
        assert!(alone.starts_with("WRITE        NOW\nrequests     -\n"), "{alone}");
    }

    #[test]
    fn what_no_replay_printed_is_nothing_to_compare_with() {
        for text in ["", "{}", "{\"replay\": {\"latency_us\": {}}}", "no JSON"] {
            assert!(
                EarlierLatencies::read("b.json", text).expect_err("it is not").message.contains("b.json"),
                "{text}"
            );
        }
    }
}
