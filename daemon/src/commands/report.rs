//! `forebay report`: before and after, from the disk's own counters in the daemon, across restarts.
//!
//! "Without" is measured if the disk ran in pass-through for long enough, else derived from reads that went
//! to the backing; the text says which. Unknown values are a dash, not a guess. Lines fit 80 columns.

use std::fmt::Write;

use base::error::Result;
use base::names;
use base::units::Size;
use serde_json::Value;

use super::bar::Ink;
use super::client;
use crate::cli::Report;
use crate::output::{self, NOTHING, list};

/// Characters of the longest bar of a class, of which two stand next to each other, and of a time.
const CLASS_BAR: u64 = 20;
const TIME_BAR: u64 = 40;
const CLASS_WIDTH: usize = CLASS_BAR as usize;

/// Ends of the rows that show hit ratios over time, in seconds.
const ROWS: [u64; 9] = [
    5 * 60,
    15 * 60,
    60 * 60,
    4 * 60 * 60,
    24 * 60 * 60,
    7 * 24 * 60 * 60,
    28 * 24 * 60 * 60,
    182 * 24 * 60 * 60,
    365 * 24 * 60 * 60,
];

pub(super) fn run(options: &Report) -> Result<()> {
    names::check(&options.name)?;
    let document = client(&options.reading.daemon)?.get(&format!("/v1/disks/{}/report", options.name))?;
    if options.reading.json {
        return output::print(&format!("{document}\n"));
    }
    output::print(&text(&document["report"], Ink::of_process()))
}

fn text(report: &Value, ink: Ink) -> String {
    let (name, since) = (output::text(&report["name"]), output::text(&report["since"]));
    let (without, with) = (&report["without"], &report["with"]);
    let written = [without, with].iter().any(|side| count(&side["writes"]) > 0);
    if count(&report["reads"]) == 0 && !written {
        return format!(
            "Disk '{name}' was not read since {since}, nor written: there is nothing to report\n"
        );
    }
    let mut parts = vec![
        format!("Disk '{name}', {} reads since {since}\n", count(&report["reads"])),
        sources(report),
        format!("\n{}", figures(report)),
        format!("\n{}", verdict(report)),
    ];
    for (what, key) in [("Reads", "read"), ("Writes", "write")] {
        parts.push(classes(what, [without, with].map(|side| &side["latency_us"][key]), ink));
    }
    let since = Some(output::text(&report["compared_since"]))
        .filter(|since| *since != output::text(&report["since"]));
    parts.push(over_time(list(&report["hit_ratio_over_time"]), since.as_deref(), ink));
    parts.push(warm_up(&report["warm_up"], since.as_deref()));
    parts.concat()
}

/// Returns the sources of both sides: measured, or derived.
fn sources(report: &Value) -> String {
    let (without, with) = (&report["without"], &report["with"]);
    let mut text = String::new();
    if report["compared_since"] != report["since"] {
        let since = output::text(&report["compared_since"]);
        writeln!(text, "Compared is what was counted since {since}").expect("a text takes all");
    }
    let of = |side: &Value| format!("{} reads and {} writes", count(&side["reads"]), count(&side["writes"]));
    let time = |side: &Value| span(count(&side["seconds"]));
    writeln!(text, "With the cache:   {} in {}", of(with), time(with)).expect("a text takes all");
    writeln!(text, "In pass-through:  {} in {}", of(without), time(without)).expect("a text takes all");
    let reads = match without["reads_are"].as_str() {
        Some("measured") => "measured in pass-through".to_owned(),
        Some("concluded") => {
            format!("concluded from the {} that went to the backing", report["measured_backing_reads"])
        }
        _ => "not known".to_owned(),
    };
    let writes = match without["writes_are"].as_str() {
        Some("measured") => "measured in pass-through",
        _ => "not known",
    };
    writeln!(text, "Reads \"without\":  {reads}\nWrites \"without\": {writes}").expect("a text takes all");
    if [&without["reads_are"], &without["writes_are"]].iter().any(|source| **source != "measured") {
        let (name, requests) = (output::text(&report["name"]), output::number(&report["requests_min"]));
        let command = format!("forebay disk set {name} mode=pass-through");
        writeln!(text, "To measure it, {requests} of a kind: {command}").expect("a text takes all");
    }
    text
}

fn figures(report: &Value) -> String {
    let (without, with) = (&report["without"], &report["with"]);
    let mut text = format!("  {:30}{:>14}{:>14}{:>11}\n", "", "without", "with cache", "change");
    let mut row = |name: &str, [before, after]: [Option<f64>; 2], show: fn(f64) -> String| {
        if before.or(after).is_none() {
            return;
        }
        let cell = |figure: Option<f64>| figure.map_or_else(|| NOTHING.to_owned(), show);
        let change = change(before, after);
        let line = format!("  {name:30}{:>14}{:>14}{change:>11}", cell(before), cell(after));
        writeln!(text, "{}", line.trim_end()).expect("a text takes all");
    };
    let both = |key: &str| [without, with].map(|side| side[key].as_f64());
    for (name, key) in [("read", "read"), ("write", "write")] {
        for (figure, of) in [("mean", "mean"), ("median", "p50"), ("95 %", "p95"), ("99 %", "p99")] {
            let both = [without, with].map(|side| side["latency_us"][key][of].as_f64());
            row(&format!("{name} latency, {figure}"), both, time);
        }
    }
    row("requests a second, mean", both("iops"), rate);
    row("  in the busiest minute", both("iops_busiest_minute"), rate);
    row("reads from the backing", both("backing_reads"), whole);
    row("bytes from the backing", both("backing_read_bytes"), bytes);
    row("writes to the backing", both("backing_writes"), whole);
    row("bytes to the backing", both("backing_write_bytes"), bytes);
    let share = |keys: &[&str]| {
        let hits: u64 = keys.iter().map(|key| count(&with[*key])).sum();
        [None, base::units::ratio(hits, count(&with["reads"]))]
    };
    row("reads answered by the cache", share(&["read_hits_ram", "read_hits_flash"]), percent);
    row("  from RAM", share(&["read_hits_ram"]), percent);
    row("  from flash", share(&["read_hits_flash"]), percent);
    row("bytes written to flash", [None, report["flash_write_bytes"].as_f64()], bytes);
    text
}

fn verdict(report: &Value) -> String {
    let from = match report["without"]["reads_are"].as_str() {
        Some("measured") => "took in pass-through",
        _ => "took that went to the backing",
    };
    let mut text = match report["times_faster"].as_f64() {
        None if count(&report["with"]["reads"]) == 0 => {
            "Nothing was read with the cache yet, so there is nothing to compare with.".to_owned()
        }
        None => "No read went to the backing yet, so there is nothing to compare with.".to_owned(),
        Some(times) if times >= 1.05 => format!(
            "The mean read is {times:.1} times faster with the cache; \"without\" is what {} reads\n  {from}.",
            report["measured_backing_reads"]
        ),
        Some(_) => "The cache gains nothing for reads so far: most of what is read is read for the\n  first time, or \
             the backing is as fast."
            .to_owned(),
    };
    if let Some(times) = report["writes_times_faster"].as_f64().filter(|times| *times >= 1.05) {
        write!(text, "\n  The mean write is {times:.1} times faster.").expect("a text takes all");
    }
    let dirty = count(&report["dirty_bytes"]);
    if dirty > 0 {
        write!(text, "\n  {} are still to be written to the backing.", Size(dirty))
            .expect("a text takes all");
    }
    if ["iops", "iops_busiest_minute"].iter().any(|key| report["without"][key].is_f64()) {
        text.push_str("\n  Requests a second compare only if guests did the same in both times.");
    }
    format!("  {text}\n")
}

/// Returns shares of requests by latency, without and with the cache next to each other; an empty text if
/// there are none.
fn classes(what: &str, sides: [&Value; 2], ink: Ink) -> String {
    let sides = sides.map(|side| list(&side["classes"]));
    let counts =
        sides.map(|classes| classes.iter().map(|class| count(&class["count"])).collect::<Vec<u64>>());
    let bounds = if sides[1].is_empty() { sides[0] } else { sides[1] };
    let some = |at: &usize| counts.iter().any(|counts| counts.get(*at).is_some_and(|count| *count > 0));
    let all = 0..bounds.len();
    let (Some(first), Some(last)) = (all.clone().find(some), all.clone().rfind(some)) else {
        return String::new();
    };
    let mut text = format!("\n{what}, by latency\n     UP TO  WITHOUT {:CLASS_WIDTH$}  WITH CACHE\n", "");
    for (at, bound) in bounds.iter().enumerate().take(last + 1).skip(first) {
        let upto = bound["upto"].as_f64().map_or_else(|| "more".to_owned(), short_time);
        let cell = |counts: &Vec<u64>| {
            let (sum, count) = (counts.iter().sum::<u64>(), counts.get(at).copied().unwrap_or(0));
            let share = base::units::ratio(count, sum).map_or_else(|| NOTHING.to_owned(), percent);
            format!("{share:>8} {:CLASS_WIDTH$}", ink.bar(count, sum.max(1), CLASS_BAR))
        };
        let line = format!("{upto:>10} {} {}", cell(&counts[0]), cell(&counts[1]));
        writeln!(text, "{}", line.trim_end()).expect("a text takes all");
    }
    text
}

/// Returns hit ratios over time since the disk is cached, several steps in a row; or since a moment, if it
/// may have been cached before.
fn over_time(steps: &[Value], since: Option<&str>, ink: Ink) -> String {
    let Some(last) = steps.last() else { return String::new() };
    let by = since.map_or_else(
        || "by how long the disk had been cached".to_owned(),
        |since| format!("by how long after {since}"),
    );
    let mut text = format!("\nReads answered by the cache, {by}\n     UP TO         READS\n");
    let mut from = 0;
    for end in ROWS.into_iter().chain([u64::MAX]) {
        let in_row = |step: &&Value| (from..end).contains(&count(&step["from_seconds"]));
        let (reads, hits, to) = steps.iter().filter(in_row).fold((0, 0, 0), |(reads, hits, _), step| {
            let more = count(&step["read_hits_ram"]) + count(&step["read_hits_flash"]);
            (reads + count(&step["reads"]), hits + more, count(&step["to_seconds"]))
        });
        from = end;
        if to == 0 {
            continue;
        }
        let upto = if to == count(&last["to_seconds"]) { "now".to_owned() } else { span(end) };
        let share = base::units::ratio(hits, reads).map_or_else(|| NOTHING.to_owned(), percent);
        let bar = ink.bar(hits, reads.max(1), TIME_BAR);
        let line = format!("{upto:>10} {reads:>13} {share:>8} {bar}");
        writeln!(text, "{}", line.trim_end()).expect("a text takes all");
    }
    text
}

fn warm_up(warm_up: &Value, since: Option<&str>) -> String {
    let points = |value: &Value| value.as_f64().unwrap_or_default() * 100.0;
    let most = points(&warm_up["variation_max"]);
    let text = match warm_up["state"].as_str() {
        Some("warm") => format!(
            "Warm after {}{}: the next three steps hit {:.1} %, less than {most:.0} points apart.",
            span(count(&warm_up["seconds"])),
            since.map(|since| format!(" from {since} on")).unwrap_or_default(),
            points(&warm_up["hit_ratio"])
        ),
        Some("warming") if points(&warm_up["variation"]) < most => {
            "Not warm yet: next to nothing hits.".to_owned()
        }
        Some("warming") => format!(
            "Not warm yet: the last three steps are {:.1} points apart, and {most:.0} are too many.",
            points(&warm_up["variation"])
        ),
        _ => format!(
            "Whether it is warm is not known: that takes three steps with {} reads each.",
            output::number(&warm_up["reads_min"])
        ),
    };
    format!("\n{text}\n")
}

/// Returns the change with the cache, in percent.
fn change(before: Option<f64>, after: Option<f64>) -> String {
    match (before, after) {
        (Some(before), Some(after)) if before > 0.0 => {
            let percent = (after - before) / before * 100.0;
            // Zero has no sign.
            if percent.abs() < 0.05 { "0.0 %".to_owned() } else { format!("{percent:+.1} %") }
        }
        _ => String::new(),
    }
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// Returns microseconds for people.
fn time(micros: f64) -> String {
    if micros < 1_000.0 { format!("{micros:.0} us") } else { format!("{:.1} ms", micros / 1_000.0) }
}

/// Returns whole microseconds or milliseconds for people.
fn short_time(micros: f64) -> String {
    if micros < 1_000.0 { format!("{micros:.0} us") } else { format!("{:.0} ms", micros / 1_000.0) }
}

/// Returns seconds for people, in whole units, at least two of them.
fn span(seconds: u64) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    match seconds {
        0..MINUTE => format!("{seconds} s"),
        MINUTE => "1 min".to_owned(),
        HOUR => "1 h".to_owned(),
        DAY => "1 d".to_owned(),
        61..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / MINUTE),
        7_200..172_800 => format!("{} h", seconds / HOUR),
        _ => format!("{} d", seconds / DAY),
    }
}

fn rate(rate: f64) -> String {
    if rate < 10.0 { format!("{rate:.1}") } else { format!("{rate:.0}") }
}

fn whole(count: f64) -> String {
    format!("{count:.0}")
}

#[expect(clippy::cast_sign_loss, reason = "it came as a count of bytes")]
fn bytes(count: f64) -> String {
    Size(count as u64).to_string()
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

#[cfg(test)]
mod tests;
