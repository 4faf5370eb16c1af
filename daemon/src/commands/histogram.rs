//! `forebay histogram`: a disk's requests in classes, as numbers and as bars.
//!
//! Lines fit 80 columns.

use std::fmt::Write;

use base::error::Result;
use base::names;
use serde_json::{Map, Value};

use super::bar::Ink;
use super::client;
use crate::cli::{HistogramOptions, HistogramProperty};
use crate::output::{self, list};

/// Characters of the longest bar.
const BAR_WIDTH: u64 = 48;
pub(super) fn run(options: &HistogramOptions) -> Result<()> {
    names::check(&options.name)?;
    let path = format!("/v1/disks/{}/histograms", options.name);
    let mut document = client(&options.reading.daemon)?.get(&path)?;
    narrow(&mut document["histograms"], options);
    if options.reading.json {
        return output::print(&format!("{document}\n"));
    }
    output::print(&show(&document["histograms"], Ink::of_process()))
}

/// Removes histograms that are not wanted.
fn narrow(histograms: &mut Value, options: &HistogramOptions) {
    let Some(kinds) = histograms.as_object_mut() else { return };
    if let Some(what) = options.what {
        kinds.retain(|key, value| key == what.key() || !value.is_object());
    }
    let wanted = match (options.read, options.write) {
        (true, false) => "read",
        (false, true) => "write",
        _ => return,
    };
    for series in kinds.values_mut().filter_map(Value::as_object_mut) {
        series.retain(|key, _| key == "unit" || key.starts_with(wanted));
    }
}

fn show(histograms: &Value, ink: Ink) -> String {
    let nothing = Map::new();
    let mut text =
        format!("Disk {}, since {}\n", output::text(&histograms["name"]), output::text(&histograms["since"]));
    for what in HistogramProperty::ALL {
        let series = histograms[what.key()].as_object().unwrap_or(&nothing);
        for (name, classes) in series.iter().filter(|(_, classes)| classes.is_array()) {
            let unit = output::text(&series["unit"]);
            text.push_str(&table(&format!("{}, {name}, in {unit}", what.title()), list(classes), ink));
        }
    }
    text
}

/// Returns one histogram, from its first class with a count to its last.
fn table(title: &str, classes: &[Value], ink: Ink) -> String {
    let counts: Vec<u64> = classes.iter().map(|class| class["count"].as_u64().unwrap_or(0)).collect();
    let (sum, most) = (counts.iter().sum::<u64>(), counts.iter().max().copied().unwrap_or(0));
    if sum == 0 {
        return format!("\n{title}: none\n");
    }
    let mut text = format!("\n{title}: {sum}\n   UP TO         COUNT  SHARE\n");
    let first = counts.iter().position(|count| *count > 0).unwrap_or(0);
    let last = counts.iter().rposition(|count| *count > 0).unwrap_or(0);
    for (class, count) in classes.iter().zip(&counts).take(last + 1).skip(first) {
        let upto = class["upto"].as_i64().map_or_else(|| "more".to_owned(), |upto| upto.to_string());
        let permille = u128::from(*count) * 1_000 / u128::from(sum);
        let share = format!("{}.{}%", permille / 10, permille % 10);
        let line = format!("{upto:>8} {count:>13} {share:>6} {}", ink.bar(*count, most, BAR_WIDTH));
        writeln!(text, "{}", line.trim_end()).expect("a string takes all");
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;

    use super::*;
    use crate::cli::{Cli, Command};

    fn options(words: &str) -> HistogramOptions {
        let words = format!("forebay histogram a {words}");
        match Cli::try_parse_from(words.split_whitespace()).expect("it is a command").command {
            Command::Histogram(options) => options,
            other => panic!("{other:?}"),
        }
    }

    fn document() -> Value {
        let some = || json!([{ "upto": 512, "count": 0 }, { "upto": 4_096, "count": 3 }, { "upto": null, "count": 400 }]);
        let none = || json!([{ "upto": 1, "count": 0 }, { "upto": null, "count": 0 }]);
        json!({
            "name": "a", "since": "2026-01-01T00:00:00Z",
            "size": { "unit": "bytes", "read": some(), "write": none() },
            "latency": { "unit": "microseconds", "read_hit_ram": none(), "read_miss": some(), "write": none(), "flush": none() },
            "seek": { "unit": "sectors", "read": none(), "write": none() },
        })
    }

    fn keys(value: &Value) -> Vec<&str> {
        value.as_object().expect("it is an object").keys().map(String::as_str).collect()
    }

    #[test]
    fn only_what_was_asked_for_is_left() {
        let mut all = document();
        narrow(&mut all, &options(""));
        assert_eq!(all, document());
        narrow(&mut all, &options("--what latency --read"));
        assert_eq!(keys(&all), ["name", "since", "latency"]);
        assert_eq!(keys(&all["latency"]), ["unit", "read_hit_ram", "read_miss"]);
        let mut writes = document();
        narrow(&mut writes, &options("--write"));
        assert_eq!(keys(&writes), keys(&document()));
        assert_eq!(keys(&writes["latency"]), ["unit", "write"]);
    }

    #[test]
    fn a_table_begins_and_ends_where_something_is_and_fits_80_columns() {
        let shown = show(&document(), Ink::Unicode);
        assert!(shown.starts_with("Disk a, since 2026-01-01T00:00:00Z\n"), "{shown}");
        let size = "\nSize of requests, read, in bytes: 403\n   UP TO         COUNT  SHARE\n    4096             3   0.7% ▍\n    more           400  99.2% ";
        assert!(shown.contains(size), "{shown}");
        assert!(shown.contains(&format!(" {}\n", "█".repeat(48))), "{shown}");
        assert!(shown.contains("\nSize of requests, write, in bytes: none\n"), "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
        assert!(!shown.contains(" 512 "), "{shown}");
    }
}
