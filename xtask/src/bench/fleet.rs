//! Volumes in a modelled object store, beside what their design asks for: bytes, rates and latencies in virtual time, so that no load of this
//! machine changes them, and processor time of the services, which it does.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::alone::{number, parse};
use super::{Effort, report};
use crate::built;
use crate::run::output;

const GIB: u64 = 1 << 30;

/// A part of `bench fleet`, and the figures of each of its lines.
struct Part {
    name: &'static str,
    /// Bytes of the disk, and seconds, in full and quick.
    full: (u64, u64),
    quick: (u64, u64),
    heading: &'static str,
    figures: &'static [Figure],
}

/// A figure: its key, divisor, unit, and the most or least that it is to be.
struct Figure {
    key: &'static str,
    divisor: f64,
    unit: &'static str,
    goal: Option<Goal>,
}

#[derive(Clone, Copy)]
enum Goal {
    AtMost(f64),
    AtLeast(f64),
}

const fn figure(key: &'static str, divisor: f64, unit: &'static str, goal: Option<Goal>) -> Figure {
    Figure { key, divisor, unit, goal }
}

const MS: f64 = 1e6;

const PARTS: [Part; 8] = [
    Part {
        name: "bytes",
        full: (4 * GIB, 0),
        quick: (GIB, 0),
        heading: "Random pages on a disk of which 70 % has content, not compressed: bytes for each byte that is written",
        figures: &[
            figure("put", 1.0, "", Some(Goal::AtMost(1.15))),
            figure("copied", 1.0, "", Some(Goal::AtMost(1.5))),
            figure("checkpoints", 1.0, "", Some(Goal::AtMost(0.02))),
            figure("stored_of_mapped", 1.0, "", None),
            figure("map_bytes_per_page", 1.0, " bytes", None),
        ],
    },
    Part {
        name: "sustained",
        full: (4 * GIB, 120),
        quick: (GIB, 30),
        heading: "Random pages as fast as they are taken; the store takes 100 MB/s, 50 ms a request",
        figures: &[figure("of_store", 1.0, " of the store's rate", Some(Goal::AtLeast(0.8)))],
    },
    Part {
        name: "flush",
        full: (4 * GIB, 600),
        quick: (GIB, 60),
        heading: "Flushes of a guest behind a cache that writes random pages at 80 % of that rate",
        figures: &[
            figure("flush_p50", MS, " ms", None),
            figure("flush_p99", MS, " ms", Some(Goal::AtMost(1.0))),
            figure("flush_max", MS, " ms", None),
            figure("written_bytes_per_second", 1e6, " MB/s", None),
        ],
    },
    Part {
        name: "open",
        full: (100 * GIB, 0),
        quick: (8 * GIB, 0),
        heading: "Open of a disk that is full, in pieces of 32 KiB; 10 ms a request, 1 GB/s",
        figures: &[
            figure("nanos", MS, " ms", Some(Goal::AtMost(2000.0))),
            figure("requests", 1.0, " requests", None),
            figure("processor_nanos", MS, " ms of the processor", None),
            figure("map_bytes", 1e6, " MB of RAM", None),
        ],
    },
    Part {
        name: "clone",
        full: (20 * GIB, 0),
        quick: (4 * GIB, 0),
        heading: "Snapshot and clone of a disk that is full; 10 ms a request, 1 GB/s",
        figures: &[
            figure("nanos", MS, " ms", Some(Goal::AtMost(1000.0))),
            figure("requests", 1.0, " requests", None),
        ],
    },
    Part {
        name: "read",
        full: (GIB, 0),
        quick: (GIB, 0),
        heading: "Cold reads, one at a time; 50 ms a request, 100 MB/s",
        figures: &[
            figure("bytes_per_second", 1e6, " MB/s", None),
            figure("requests_per_read", 1.0, " requests for each read", None),
            figure("transferred_of_read", 1.0, " bytes for each that is read", None),
        ],
    },
    Part {
        name: "services",
        full: (GIB, 0),
        quick: (GIB, 0),
        heading: "Processor time of groups with each service; half of each page is random, or nothing is to save",
        figures: &[
            figure("nanos_per_mib", MS, " ms for each MiB, the median", None),
            figure("of_none", 1.0, " of that without services", Some(Goal::AtMost(1.1))),
            figure("put_of_written", 1.0, " of what is written is put", None),
        ],
    },
    Part {
        name: "guest",
        full: (GIB, 60),
        quick: (GIB, 20),
        heading: "Random pages of a guest behind a cache with each service, as fast as they are taken; 100 MB/s, 50 ms a request",
        figures: &[
            figure("written_bytes_per_second", 1e6, " MB/s", None),
            figure("of_none", 1.0, " of that without services", Some(Goal::AtLeast(0.9))),
            figure("mean_nanos", MS, " ms", None),
            figure("deviation_nanos", MS, " ms", None),
            figure("put_of_destaged", 1.0, " of what is destaged is put", None),
            figure("stored_of_mapped", 1.0, " of what has content is stored", None),
        ],
    },
];

/// Builds, measures and prints.
///
/// # Errors
/// If the program cannot be built, or fails.
pub(super) fn measure(root: &Path, effort: Effort) -> Result<(), String> {
    // Virtual time is the same in the build for tests, but that one has assertions everywhere.
    let program = built::for_use(root, &["bench"])?.join("bench");
    for part in &PARTS {
        let (bytes, seconds) = if effort == Effort::QUICK { part.quick } else { part.full };
        let mut bench = Command::new(&program);
        bench.args(["fleet", "--part", part.name, "--bytes", &bytes.to_string()]);
        bench.args(["--seconds", &seconds.to_string()]);
        let mut rows = Vec::new();
        for line in output(&mut bench)?.lines() {
            let answer = parse(line)?;
            for figure in part.figures {
                rows.push(row(&answer, figure)?);
            }
        }
        let heading = format!("{}. {} GiB", part.heading, bytes / GIB);
        report::print(&heading, &["of", "figure", "value", "goal", ""], &rows);
    }
    Ok(())
}

fn row(answer: &Value, figure: &Figure) -> Result<Vec<String>, String> {
    let of = ["services", "what", "after"].iter().find_map(|key| answer[key].as_str()).unwrap_or_default();
    let value = number(answer, figure.key)? / figure.divisor;
    let (goal, verdict) = match figure.goal {
        None => (String::new(), String::new()),
        Some(Goal::AtMost(most)) => (format!("at most {most}"), verdict(value <= most)),
        Some(Goal::AtLeast(least)) => (format!("at least {least}"), verdict(value >= least)),
    };
    let name = figure.key.replace('_', " ");
    Ok(vec![of.to_owned(), name, format!("{value:.3}{}", figure.unit), goal, verdict])
}

fn verdict(is_reached: bool) -> String {
    if is_reached { "reached" } else { "missed" }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_becomes_rows_with_goals() {
        let answer = serde_json::json!({ "what": "clone", "nanos": 40_000_000, "requests": 4 });
        let [time, requests] = PARTS[4].figures else { panic!("it has two") };
        let expected = ["clone", "nanos", "40.000 ms", "at most 1000", "reached"].map(str::to_owned).to_vec();
        assert_eq!(row(&answer, time), Ok(expected));
        assert_eq!(row(&answer, requests).expect("it is there")[2..], ["4.000 requests", "", ""]);
        let slow = serde_json::json!({ "nanos": 2e9 });
        assert_eq!(row(&slow, time).expect("it is there")[4], "missed");
        assert!(row(&slow, requests).is_err());
    }
}
