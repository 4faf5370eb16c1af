//! `forebay stats`: counters, ratios and latencies, in a window of time; with `--watch` what happens in each second.

use std::time::{Duration, Instant};

use cache::{DiskCounts, Latency};
use serde_json::Value;

use super::rates::Rates;
use super::{client, ending};
use crate::cli::Stats;
use crate::client::{Client, Pause};
use crate::names;
use crate::output::{self, list, number, percent, size, text};
use crate::problem::{Answer, Problem};
use crate::units::Size;
use crate::windows::Window;

const WATCH_INTERVAL: Duration = Duration::from_secs(1);

pub(super) fn run(options: &Stats) -> Answer<()> {
    if options.watch && !options.reading.json && options.window.is_some() {
        return Err(Problem::invalid(
            "Cannot show what happens in each second of a window: leave out --window, or add --json",
        ));
    }
    let client = client(&options.reading.daemon)?;
    let path = path(options.name.as_deref(), options.window)?;
    if options.watch {
        ending::exit_without_reader();
    }
    match (options.watch, options.reading.json) {
        (true, true) => watch_documents(&client, &path),
        (true, false) => watch_rates(&client, &path),
        (false, json) => {
            let document = client.get(&path)?;
            output::print(&match (json, options.name.is_some()) {
                (true, _) => format!("{document}\n"),
                (false, true) => show_one(&document["disks"][0]),
                (false, false) => show_all(&document),
            })
        }
    }
}

fn path(name: Option<&str>, window: Option<Window>) -> Answer<String> {
    let mut path = "/v1/stats".to_owned();
    if let Some(name) = name {
        names::check(name)?;
        path.push('/');
        path.push_str(name);
    }
    if let Some(window) = window {
        path.push_str("?window=");
        path.push_str(window.name());
    }
    Ok(path)
}

/// One document a line, for scripts.
fn watch_documents(client: &Client, path: &str) -> Answer<()> {
    loop {
        output::print(&format!("{}\n", client.get(path)?))?;
        if client.pause(WATCH_INTERVAL) == Pause::Interrupted {
            return Ok(());
        }
    }
}

/// What came since the line before, a line for each disk.
fn watch_rates(client: &Client, path: &str) -> Answer<()> {
    let look = || -> Answer<_> { Ok((client.get(path)?, Instant::now())) };
    let mut rates = Rates::default();
    let (mut before, mut at) = look()?;
    while client.pause(WATCH_INTERVAL) == Pause::Over {
        let (now, later) = look()?;
        output::print(&rates.lines(&before, &now, later - at))?;
        (before, at) = (now, later);
    }
    Ok(())
}

fn show_all(document: &Value) -> String {
    let rows: Vec<Vec<String>> = list(&document["disks"]).iter().map(row).collect();
    let headings = [
        "NAME",
        "STATE",
        "OVER",
        "READS",
        "HIT",
        "RAM HITS",
        "FLASH HITS",
        "PARTIAL",
        "MISSES",
        "BYPASSED",
        "WRITES",
        "MISS P50",
        "WRITE P50",
        "BACKING READS",
        "BACKING WRITES",
        "CACHED",
        "DIRTY",
        "ERRORS",
    ];
    output::table(&headings, &rows)
}

fn row(disk: &Value) -> Vec<String> {
    let latency = &disk["latency_us"];
    vec![
        text(&disk["name"]),
        text(&disk["state"]),
        disk["window_seconds"].as_u64().map_or_else(|| text(&Value::Null), duration),
        number(&disk["reads"]),
        percent(&disk["hit_ratio"]),
        number(&disk["read_hits_ram"]),
        number(&disk["read_hits_flash"]),
        number(&disk["read_partial_hits"]),
        number(&disk["read_misses"]),
        number(&disk["reads_bypassed"]),
        number(&disk["writes"]),
        micros(&latency["read_miss"], "p50"),
        micros(&latency["write"], "p50"),
        number(&disk["backing_reads"]),
        number(&disk["backing_writes"]),
        size(&disk["cached_bytes"]),
        size(&disk["dirty_bytes"]),
        errors(disk),
    ]
}

/// Whatever went wrong, in one number.
fn errors(disk: &Value) -> String {
    let kinds = ["checksum_errors", "flash_errors", "backing_errors"].map(|kind| disk[kind].as_u64());
    let sum = kinds.iter().try_fold(0, |sum, kind| kind.map(|kind| sum + kind));
    sum.map_or_else(|| text(&Value::Null), |sum: u64| sum.to_string())
}

/// Every counter of a disk, and its latencies.
fn show_one(disk: &Value) -> String {
    let over = disk["window_seconds"].as_u64().map_or_else(
        || "nothing is known of this window".to_owned(),
        |seconds| format!("{}, which is {} by now", text(&disk["window"]), duration(seconds)),
    );
    let mut shown = vec![
        ("name", text(&disk["name"])),
        ("state", format!("{}, {}", text(&disk["state"]), text(&disk["mode"]))),
        ("window", over),
        ("hit_ratio", percent(&disk["hit_ratio"])),
        ("flash_write_amplification", per(&disk["flash_write_amplification"])),
        ("flash_write_bytes_per_hit", per(&disk["flash_write_bytes_per_hit"])),
    ];
    for (name, _) in DiskCounts::default().named() {
        shown.push((name, amount(name, &disk[name])));
    }
    for name in ["cached_bytes", "ram_bytes", "dirty_bytes", "lost_bytes"] {
        shown.push((name, amount(name, &disk[name])));
    }
    let latency = |(_, name): &(Latency, &str)| {
        let measured = &disk["latency_us"][name];
        let figures = ["mean", "p50", "p95", "p99", "p999", "max"].map(|figure| micros(measured, figure));
        [vec![(*name).to_owned(), number(&measured["count"])], figures.to_vec()].concat()
    };
    let rows: Vec<Vec<String>> = Latency::ALL.iter().map(latency).collect();
    let headings = ["LATENCY", "COUNT", "MEAN", "P50", "P95", "P99", "P99.9", "MAX"];
    format!("{}\n{}", output::pairs(&shown), output::table(&headings, &rows))
}

/// A counter as it is, and if it counts bytes also as people read them.
fn amount(name: &str, value: &Value) -> String {
    match value.as_u64() {
        Some(bytes @ 1024..) if name.ends_with("_bytes") => format!("{bytes} ({})", Size(bytes)),
        _ => number(value),
    }
}

/// How much of something comes on one of another, if there is any.
fn per(value: &Value) -> String {
    match value.as_f64() {
        Some(bytes) if bytes >= 100.0 => format!("{bytes:.0}"),
        Some(times) => format!("{times:.2}"),
        None => "-".to_owned(),
    }
}

/// A figure of a latency, if anything was measured.
fn micros(latency: &Value, figure: &str) -> String {
    match (latency["count"].as_u64(), latency[figure].as_f64()) {
        (Some(1..), Some(micros)) if micros < 10.0 => format!("{micros:.1} us"),
        (Some(1..), Some(micros)) if micros < 10_000.0 => format!("{micros:.0} us"),
        (Some(1..), Some(micros)) => format!("{:.0} ms", micros / 1_000.0),
        _ => "-".to_owned(),
    }
}

/// The two largest units of a time.
fn duration(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m{}s", seconds % 60),
        (0, ..) => format!("{hours}h{}m", minutes % 60),
        _ => format!("{days}d{}h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_ask_for_what_is_wanted() {
        let hour = Window::parse("1h").ok();
        assert_eq!(path(None, None), Ok("/v1/stats".to_owned()));
        assert_eq!(path(Some("a"), hour), Ok("/v1/stats/a?window=1h".to_owned()));
        assert!(path(Some("a?b"), None).is_err());
    }

    #[test]
    fn a_disk_is_shown_with_every_counter_and_one_that_waits_with_none() {
        let mut disk = json!({
            "name": "a", "state": "serving", "mode": "write-back", "window": "1h", "window_seconds": 3_700,
            "latency_us": { "read_miss": { "count": 3, "mean": 4.25, "p50": 12_345.0 } },
            "flash_write_amplification": 1.256, "flash_write_bytes_per_hit": 812.6,
        });
        for (name, _) in DiskCounts::default().named() {
            disk[name] = 7_777.into();
        }
        let shown = show_one(&disk);
        let lines = |text: &str| shown.lines().filter(|line| line.contains(text)).count();
        assert_eq!(lines("7777"), DiskCounts::default().named().count(), "{shown}");
        assert!(shown.contains("1h, which is 1h1m by now") && shown.contains("7777 (7.6KiB)"), "{shown}");
        assert!(shown.contains("4.2 us") && shown.contains("12 ms"), "{shown}");
        for (name, figure) in [("amplification", "1.26"), ("per_hit", "813")] {
            assert!(shown.lines().any(|line| line.contains(name) && line.ends_with(figure)), "{shown}");
        }
        assert_eq!(errors(&disk), "23331");

        let waiting = json!({ "name": "a", "state": "waiting", "mode": "write-back" });
        assert!(show_one(&waiting).contains("nothing is known"));
        assert_eq!(row(&waiting)[2..], vec!["-"; 16]);
    }

    #[test]
    fn times_have_their_two_largest_units() {
        let told = [59, 303, 3_700, 200_000].map(duration);
        assert_eq!(told, ["59s", "5m3s", "1h1m", "2d7h"]);
    }
}
