//! `forebay stats`: counters, ratios and latencies, in a window of time; with `--watch` those of each second.

use std::time::{Duration, Instant};

use base::error::{Error, Result};
use base::names;
use base::units::Size;
use cache::{DiskCounts, Latency};
use serde_json::Value;
use telemetry::series::{Recent, Window};

use super::rates::Rates;
use super::top::cut_names;
use super::{client, ending};
use crate::cli::StatsOptions;
use crate::client::{Client, Pause};
use crate::output::{self, list, number, percent, size, text};

/// Columns of the terminal that the table of all disks is to fit.
const TERMINAL_COLUMNS: usize = 80;
/// Columns between two of a table.
const COLUMN_GAP: usize = 2;
/// Columns to which names are shortened at most.
const NAME_COLUMNS_MIN: usize = 8;
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

pub(super) fn run(options: &StatsOptions) -> Result<()> {
    if options.watch && !options.reading.json && options.window.is_some() {
        return Err(Error::invalid(
            "Cannot show what happens in each second of a window: leave out --window, or add --json",
        ));
    }
    let client = client(&options.reading.daemon)?;
    if options.watch {
        ending::exit_without_reader();
    }
    // Scripts use differences of counters, which a moving window does not allow; people want the present.
    let for_people = !options.watch && !options.reading.json;
    let window = options.window.or(for_people.then_some(Window::Last(Recent::FiveMinutes)));
    let path = path(options.name.as_deref(), window)?;
    let detail = if options.all { Detail::All } else { Detail::Main };
    match (options.watch, options.reading.json) {
        (true, true) => watch_documents(&client, &path),
        (true, false) => watch_rates(&client, &path),
        (false, json) => {
            let document = client.get(&path)?;
            output::print(&match (json, options.name.is_some()) {
                (true, _) => format!("{document}\n"),
                (false, true) => show_one(&document["disks"][0], detail),
                (false, false) => show_all(&document, detail),
            })
        }
    }
}

fn path(name: Option<&str>, window: Option<Window>) -> Result<String> {
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

/// Prints one document a line, for scripts.
fn watch_documents(client: &Client, path: &str) -> Result<()> {
    loop {
        output::print(&format!("{}\n", client.get(path)?))?;
        if client.pause(WATCH_INTERVAL) == Pause::Interrupted {
            return Ok(());
        }
    }
}

/// Prints the rates since the last line, a line for each disk.
fn watch_rates(client: &Client, path: &str) -> Result<()> {
    let look = || -> Result<_> { Ok((client.get(path)?, Instant::now())) };
    let mut rates = Rates::default();
    let (mut before, mut at) = look()?;
    while client.pause(WATCH_INTERVAL) == Pause::Over {
        let (now, later) = look()?;
        output::print(&rates.lines(&before, &now, later - at))?;
        (before, at) = (now, later);
    }
    Ok(())
}

/// Amount of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    /// Counters that fit a terminal of 80 columns, and that an operator needs.
    Main,
    /// All counters.
    All,
}

/// A column of the table of all disks.
struct StatsColumn {
    heading: &'static str,
    detail: Detail,
    cell: fn(&Value) -> String,
}

const fn column(detail: Detail, heading: &'static str, cell: fn(&Value) -> String) -> StatsColumn {
    StatsColumn { heading, detail, cell }
}

const COLUMNS: [StatsColumn; 18] = [
    column(Detail::Main, "NAME", |disk| text(&disk["name"])),
    column(Detail::Main, "STATE", |disk| text(&disk["state"])),
    column(Detail::Main, "OVER", |disk| {
        disk["window_seconds"].as_u64().map_or_else(|| text(&Value::Null), duration)
    }),
    column(Detail::Main, "READS", |disk| number(&disk["reads"])),
    column(Detail::Main, "HIT", |disk| percent(&disk["hit_ratio"])),
    column(Detail::All, "RAM HITS", |disk| number(&disk["read_hits_ram"])),
    column(Detail::All, "FLASH HITS", |disk| number(&disk["read_hits_flash"])),
    column(Detail::All, "PARTIAL", |disk| number(&disk["read_partial_hits"])),
    column(Detail::All, "MISSES", |disk| number(&disk["read_misses"])),
    column(Detail::All, "BYPASSED", |disk| number(&disk["reads_bypassed"])),
    column(Detail::Main, "WRITES", |disk| number(&disk["writes"])),
    column(Detail::Main, "MISS P50", |disk| micros(&disk["latency_us"]["read_miss"], "p50")),
    column(Detail::Main, "WRITE P50", |disk| micros(&disk["latency_us"]["write"], "p50")),
    column(Detail::All, "BACKING READS", |disk| number(&disk["backing_reads"])),
    column(Detail::All, "BACKING WRITES", |disk| number(&disk["backing_writes"])),
    column(Detail::All, "CACHED", |disk| size(&disk["cached_bytes"])),
    column(Detail::Main, "DIRTY", |disk| size(&disk["dirty_bytes"])),
    column(Detail::Main, "ERRORS", errors),
];

fn show_all(document: &Value, detail: Detail) -> String {
    let shown: Vec<&StatsColumn> =
        COLUMNS.iter().filter(|column| detail == Detail::All || column.detail == Detail::Main).collect();
    let row = |disk: &Value| shown.iter().map(|column| (column.cell)(disk)).collect();
    let mut rows: Vec<Vec<String>> = list(&document["disks"]).iter().map(row).collect();
    if detail == Detail::Main {
        fit_names(&mut rows, &shown);
    }
    let headings: Vec<&str> = shown.iter().map(|column| column.heading).collect();
    output::table(&headings, &rows)
}

/// Shortens names in the first column until the table fits a terminal; different names stay different.
fn fit_names(rows: &mut [Vec<String>], columns: &[&StatsColumn]) {
    let width = |at: usize| {
        let cells = rows.iter().map(|row| row[at].chars().count());
        cells.chain([columns[at].heading.len()]).max().unwrap_or(0) + COLUMN_GAP
    };
    let others: usize = (1..columns.len()).map(width).sum();
    let room = TERMINAL_COLUMNS.saturating_sub(others).max(NAME_COLUMNS_MIN);
    let cut = {
        let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
        cut_names(&names, room)
    };
    rows.iter_mut().zip(cut).for_each(|(row, name)| row[0] = name);
}

/// Returns the number of all errors.
fn errors(disk: &Value) -> String {
    let kinds = ["checksum_errors", "flash_errors", "backing_errors"].map(|kind| disk[kind].as_u64());
    let sum = kinds.iter().try_fold(0, |sum, kind| kind.map(|kind| sum + kind));
    sum.map_or_else(|| text(&Value::Null), |sum: u64| sum.to_string())
}

/// Counters that an operator needs. All others are internal.
const MAIN: [&str; 26] = [
    "reads",
    "writes",
    "flushes",
    "discards",
    "read_bytes",
    "write_bytes",
    "read_hits_ram",
    "read_hits_flash",
    "read_partial_hits",
    "read_misses",
    "reads_bypassed",
    "write_hits",
    "write_misses",
    "writes_bypassed",
    "evictions",
    "promotions",
    "flash_read_bytes",
    "flash_write_bytes",
    "backing_reads",
    "backing_writes",
    "backing_read_bytes",
    "backing_write_bytes",
    "destage_bytes",
    "checksum_errors",
    "flash_errors",
    "backing_errors",
];

/// Returns the counters of a disk, and its latencies.
fn show_one(disk: &Value, detail: Detail) -> String {
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
    let counters: Vec<&str> = DiskCounts::default().named().map(|(name, _)| name).collect();
    let (main, inside): (Vec<&str>, Vec<&str>) = counters.into_iter().partition(|name| MAIN.contains(name));
    for name in main {
        shown.push((name, amount(name, &disk[name])));
    }
    for name in ["cached_bytes", "ram_bytes", "dirty_bytes", "lost_bytes"] {
        shown.push((name, amount(name, &disk[name])));
    }
    if disk["requests_delayed"].as_u64().is_some_and(|delayed| delayed > 0) {
        shown.push(("delayed by limits", super::disk::delays(disk)));
    }
    let latency = |(_, name): &(Latency, &str)| {
        let measured = &disk["latency_us"][name];
        let figures = ["mean", "p50", "p95", "p99", "p999", "max"].map(|figure| micros(measured, figure));
        [vec![(*name).to_owned(), number(&measured["count"])], figures.to_vec()].concat()
    };
    let rows: Vec<Vec<String>> = Latency::ALL.iter().map(latency).collect();
    let headings = ["LATENCY", "COUNT", "MEAN", "P50", "P95", "P99", "P99.9", "MAX"];
    let inside = match detail {
        Detail::Main => format!("--all shows {} more counters\n", inside.len()),
        Detail::All => {
            let named: Vec<_> = inside.iter().map(|name| (*name, amount(name, &disk[*name]))).collect();
            format!("Inside the cache:\n{}", output::pairs(&named))
        }
    };
    format!("{}\n{}\n{inside}", output::pairs(&shown), output::table(&headings, &rows))
}

/// Returns a counter, and if it counts bytes also in units for people.
fn amount(name: &str, value: &Value) -> String {
    match value.as_u64() {
        Some(bytes @ 1024..) if name.ends_with("_bytes") => format!("{bytes} ({})", Size(bytes)),
        _ => number(value),
    }
}

/// Returns a ratio, if there is any.
fn per(value: &Value) -> String {
    match value.as_f64() {
        Some(bytes) if bytes >= 100.0 => format!("{bytes:.0}"),
        Some(times) => format!("{times:.2}"),
        None => "-".to_owned(),
    }
}

/// Returns a figure of a latency, if anything was measured.
fn micros(latency: &Value, figure: &str) -> String {
    match (latency["count"].as_u64(), latency[figure].as_f64()) {
        (Some(1..), Some(micros)) => time(micros),
        _ => "-".to_owned(),
    }
}

/// Returns microseconds in the unit that suits them.
pub(super) fn time(micros: f64) -> String {
    match micros {
        micros if micros < 10.0 => format!("{micros:.1} us"),
        micros if micros < 10_000.0 => format!("{micros:.0} us"),
        micros => format!("{:.0} ms", micros / 1_000.0),
    }
}

/// Returns the two largest units of a time.
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
        let shown = show_one(&disk, Detail::All);
        let lines = |text: &str| shown.lines().filter(|line| line.contains(text)).count();
        assert_eq!(lines("7777"), DiskCounts::default().named().count(), "{shown}");
        assert!(shown.contains("1h, which is 1h1m by now") && shown.contains("7777 (7.6KiB)"), "{shown}");
        assert!(shown.contains("4.2 us") && shown.contains("12 ms"), "{shown}");
        for (name, figure) in [("amplification", "1.26"), ("per_hit", "813")] {
            assert!(shown.lines().any(|line| line.contains(name) && line.ends_with(figure)), "{shown}");
        }
        for name in MAIN {
            assert!(!disk[name].is_null(), "{name} is a counter");
        }
        let main = show_one(&disk, Detail::Main);
        assert!(main.lines().count() < shown.lines().count() && main.contains("--all shows"), "{main}");
        assert_eq!(errors(&disk), "23331");
        let document = json!({ "disks": [disk] });
        let table = show_all(&document, Detail::Main);
        assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
        assert!(show_all(&document, Detail::All).contains("BACKING READS"));
        let mut long = document["disks"][0].clone();
        long["name"] = "a-name-of-a-disk-with-33-letters1".into();
        let mut other = long.clone();
        other["name"] = "a-name-of-a-disk-with-33-letters2".into();
        let table = show_all(&json!({ "disks": [long, other] }), Detail::Main);
        assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
        let names: Vec<&str> = table.lines().filter_map(|line| line.split_whitespace().next()).collect();
        assert!(names.len() == 3 && names[1] != names[2], "{table}");

        let waiting = json!({ "name": "a", "state": "waiting", "mode": "write-back" });
        assert!(show_one(&waiting, Detail::Main).contains("nothing is known"));
        let cells: Vec<String> = COLUMNS.iter().map(|column| (column.cell)(&waiting)).collect();
        assert_eq!(cells[2..], vec!["-"; 16]);
    }

    #[test]
    fn times_have_their_two_largest_units() {
        let told = [59, 303, 3_700, 200_000].map(duration);
        assert_eq!(told, ["59s", "5m3s", "1h1m", "2d7h"]);
    }
}
