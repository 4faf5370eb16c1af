//! Rates of disks between two polls of their statistics, a line for each: `forebay stats --watch` for people.
//!
//! Computed from total counters, which continue when disks are attached again.

use std::collections::BTreeMap;
use std::time::Duration;

use base::units::Size;
use serde_json::Value;

use crate::output::{list, percent, size};

/// Lines after which the heading is printed again: it stays visible on the smallest terminals.
const LINES_PER_HEADING: usize = 20;
/// Classes of read latencies, as statistics name them.
const READS: [&str; 3] = ["read_hit_ram", "read_hit_flash", "read_miss"];

/// Prints rates, with headings as they scroll by.
#[derive(Debug, Default)]
pub(super) struct Rates {
    /// Lines until the next heading.
    left: usize,
}

impl Rates {
    /// Returns the rates between one document and the next.
    pub(super) fn lines(&mut self, before: &Value, now: &Value, between: Duration) -> String {
        let earlier: BTreeMap<&str, &Value> =
            list(&before["disks"]).iter().filter_map(|disk| Some((disk["name"].as_str()?, disk))).collect();
        let mut text = String::new();
        for disk in list(&now["disks"]) {
            let name = disk["name"].as_str().unwrap_or_default();
            let Some(earlier) = earlier.get(name) else { continue };
            if self.left == 0 {
                self.left = LINES_PER_HEADING;
                text.push_str(&line(
                    "NAME",
                    &["READS/s", "WRITES/s", "READ/s", "WRITTEN/s", "HIT", "READ us", "WRITE us", "DIRTY"]
                        .map(str::to_owned),
                ));
            }
            self.left -= 1;
            text.push_str(&line(name, &figures(earlier, disk, between)));
        }
        text
    }
}

fn line(name: &str, [reads, writes, read, written, hit, read_us, write_us, dirty]: &[String; 8]) -> String {
    format!(
        "{name:<12} {reads:>8} {writes:>8} {read:>9} {written:>9} {hit:>6} {read_us:>7} {write_us:>8} {dirty:>8}\n"
    )
}

fn figures(before: &Value, now: &Value, between: Duration) -> [String; 8] {
    let (before, total) = (&before["total"], &now["total"]);
    let since = |key: &str| count(&total[key]).saturating_sub(count(&before[key]));
    let rate = |key: &str| per_second(since(key), between);
    let mean = |classes: &[&str]| mean(&before["latency_us"], &total["latency_us"], classes);
    let hits = since("read_hits_ram") + since("read_hits_flash");
    [
        rate("reads").to_string(),
        rate("writes").to_string(),
        Size(rate("read_bytes")).to_string(),
        Size(rate("write_bytes")).to_string(),
        percent(&base::units::ratio(hits, since("reads")).into()),
        mean(&READS),
        mean(&["write"]),
        size(&now["dirty_bytes"]),
    ]
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// Returns a rate, rounded to the nearest.
fn per_second(count: u64, between: Duration) -> u64 {
    let nanos = between.as_nanos().max(1);
    ((u128::from(count) * 1_000_000_000 + nanos / 2) / nanos) as u64
}

/// Returns the mean latency of these classes between two polls, in microseconds.
#[expect(clippy::cast_precision_loss, reason = "figures for people; counts stay far below 2^52")]
fn mean(before: &Value, now: &Value, classes: &[&str]) -> String {
    let measured = |latencies: &Value| {
        let one = |class: &&str| {
            let count = count(&latencies[class]["count"]);
            (count, latencies[class]["mean"].as_f64().unwrap_or(0.0) * count as f64)
        };
        classes.iter().map(one).fold((0, 0.0), |(counts, sums), (count, sum)| (counts + count, sums + sum))
    };
    let ((count_before, sum_before), (count_now, sum_now)) = (measured(before), measured(now));
    match count_now.saturating_sub(count_before) {
        0 => "-".to_owned(),
        count => format!("{:.0}", (sum_now - sum_before).max(0.0) / count as f64),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn disk(name: &str, reads: u64, miss_us: f64) -> Value {
        json!({
            "name": name, "dirty_bytes": 4_096,
            "total": {
                "reads": reads, "read_hits_ram": reads / 2, "read_hits_flash": 0, "read_bytes": reads * 4_096,
                "writes": 7, "write_bytes": 0,
                "latency_us": {
                    "read_hit_ram": { "count": reads / 2, "mean": 10.0 },
                    "read_miss": { "count": reads - reads / 2, "mean": miss_us },
                    "write": { "count": 7, "mean": 3.0 },
                },
            },
        })
    }

    fn document(disks: &[Value]) -> Value {
        json!({ "schema": 1, "disks": disks })
    }

    #[test]
    fn a_line_says_what_came_since_the_line_before() {
        let (before, now) = (document(&[disk("a", 100, 90.0)]), document(&[disk("a", 300, 110.0)]));
        let text = Rates::default().lines(&before, &now, Duration::from_millis(500));
        let words: Vec<&str> = text.lines().nth(1).expect("below the heading").split_whitespace().collect();
        // Of the misses 50 took 90 us each, all 150 of them 110 us each: so the last 100 took 120 us each, and hits 10.
        assert_eq!(words, ["a", "400", "0", "1.6MiB", "0", "50.0%", "65", "-", "4KiB"], "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 84), "{text}");
    }

    #[test]
    fn a_disk_that_comes_or_counts_anew_does_no_harm() {
        let mut rates = Rates::default();
        let (before, now) =
            (document(&[disk("a", 9, 1.0)]), document(&[disk("a", 5, 1.0), disk("b", 5, 1.0)]));
        let text = rates.lines(&before, &now, Duration::ZERO);
        assert_eq!(text.lines().count(), 2, "a heading and one disk: {text}");
        assert!(text.contains(" - "), "{text}");
        assert_eq!(rates.lines(&now, &document(&[]), Duration::ZERO), "");
    }

    #[test]
    fn the_heading_comes_again_before_it_is_out_of_sight() {
        let (mut rates, look) = (Rates::default(), document(&[disk("a", 9, 1.0)]));
        let text: String = (0..45).map(|_| rates.lines(&look, &look, Duration::from_secs(1))).collect();
        let headings: Vec<usize> =
            text.lines().enumerate().filter(|(_, line)| line.starts_with("NAME")).map(|(at, _)| at).collect();
        assert_eq!(headings, [0, 21, 42]);
    }
}
