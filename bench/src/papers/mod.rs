//! `bench papers`: the experiments of five published documents on host-side and array-side caches, on the real code of the cache and modelled
//! devices in virtual time. Prints one JSON line for each figure, and writes the page and its charts.
//!
//! ```text
//! experiments: calibration  decision  store  replay  neighbour  nfs  tiles  knee  matrix   each a function from the effort to lines
//! published    rows of the page: published figure, ours from the lines, bound, reason
//! page         Markdown and charts from rows and lines
//! ```
//! Requests are those of the seed alone; the rotation of spindles is drawn in each run, so a rerun differs by a percent or so. Capacities of
//! data, cache and array are scaled alike; rates and times of requests are not.

#![expect(clippy::cast_precision_loss, reason = "counts and times far below 2^52")]

mod calibration;
pub(crate) mod cuts;
mod decision;
mod matrix;
mod neighbour;
mod nfs;
mod page;
mod published;
mod replay;
mod store;
mod tiles;
mod volumes;

use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{fs, io, thread};

use serde_json::Value;

use crate::modelled::LoadLatencies;

/// Seed of all generators.
pub(crate) const SEED: u64 = 39;
const MIB: u64 = 1 << 20;
/// Name of the file with all lines, beside the charts.
const RESULTS: &str = "results.jsonl";

/// Arguments of `bench papers`.
#[derive(clap::Args)]
pub(crate) struct PapersArguments {
    /// Run one experiment alone; the page keeps the earlier results of the others.
    #[arg(long)]
    only: Option<String>,
    /// Run shorter forms, in a few minutes.
    #[arg(long)]
    quick: bool,
    /// Folder for papers.md and the folder papers/ beside it. Without it, lines are printed and nothing is written.
    #[arg(long)]
    docs: Option<PathBuf>,
    /// Run nothing: take the lines of this file in place of those of their experiments, and write the page. An empty file: the page alone.
    #[arg(long, value_name = "FILE", requires = "docs", conflicts_with_all = ["only", "quick"])]
    merge: Option<PathBuf>,
    /// Run nothing: print the names of the experiments.
    #[arg(long, conflicts_with_all = ["only", "quick", "docs", "merge"])]
    names: bool,
}

/// Extent of the experiments: full, or shorter by this factor.
#[derive(Clone, Copy)]
struct Extent {
    divisor: u64,
}

impl Extent {
    /// Returns a count or a time in the extent.
    fn of(self, full: u64) -> u64 {
        full / self.divisor
    }
}

/// Experiment: its name, what was scaled, and its function.
struct Experiment {
    name: &'static str,
    scale: &'static str,
    run: fn(Extent) -> Vec<Value>,
}

const EXPERIMENTS: [Experiment; 9] = [
    Experiment { name: "calibration", scale: calibration::SCALE, run: calibration::run },
    Experiment { name: "decision", scale: decision::SCALE, run: decision::run },
    Experiment { name: "store", scale: store::SCALE, run: store::run },
    Experiment { name: "replay", scale: replay::SCALE, run: replay::run },
    Experiment { name: "neighbour", scale: neighbour::SCALE, run: neighbour::run },
    Experiment { name: "nfs", scale: nfs::SCALE, run: nfs::run },
    Experiment { name: "tiles", scale: tiles::SCALE, run: tiles::run },
    Experiment { name: "knee", scale: tiles::KNEE_SCALE, run: tiles::run_knee },
    Experiment { name: "matrix", scale: matrix::SCALE, run: matrix::run },
];

/// Runs experiments on two threads, prints their lines, and writes page and charts if there is a folder for them.
///
/// # Errors
/// If no experiment has that name, or a file cannot be written.
pub(crate) fn report(arguments: &PapersArguments) -> Result<(), String> {
    if arguments.names {
        for experiment in &EXPERIMENTS {
            println!("{}", experiment.name);
        }
        return Ok(());
    }
    let docs = arguments.docs.as_deref();
    if let (Some(docs), Some(file)) = (docs, &arguments.merge) {
        return write_all(docs, &merged(read_results(docs)?, read_lines(file)?));
    }
    let chosen: Vec<&Experiment> = EXPERIMENTS
        .iter()
        .filter(|experiment| arguments.only.as_deref().is_none_or(|only| only == experiment.name))
        .collect();
    if chosen.is_empty() {
        let names = EXPERIMENTS.each_ref().map(|experiment| experiment.name).join(", ");
        return Err(format!("There is no such experiment. Name one of {names}."));
    }
    let extent = Extent { divisor: if arguments.quick { 8 } else { 1 } };
    let mut lines = Vec::new();
    // Each experiment is one thread in a time of its own; two at once for two cores.
    for pair in chosen.chunks(2) {
        let running: Vec<_> = pair
            .iter()
            .map(|experiment| {
                thread::spawn({
                    let (run, name) = (experiment.run, experiment.name);
                    move || {
                        let began = Instant::now();
                        let mut lines = run(extent);
                        lines.push(page::run_line(extent.divisor == 1, began.elapsed().as_secs()));
                        for line in &mut lines {
                            line["experiment"] = name.into();
                        }
                        eprintln!("{name}: {} s", began.elapsed().as_secs());
                        lines
                    }
                })
            })
            .collect();
        for thread in running {
            let found = thread.join().map_err(|_| "An experiment panicked; its message is above.")?;
            for line in &found {
                println!("{line}");
            }
            lines.extend(found);
        }
    }
    match docs {
        // What another program measures is kept, whatever runs here.
        Some(docs) => write_all(docs, &merged(read_results(docs)?, lines)),
        None => Ok(()),
    }
}

/// Returns the lines of earlier runs.
fn read_results(docs: &Path) -> Result<Vec<Value>, String> {
    read_lines(&docs.join("papers").join(RESULTS))
}

fn write_all(docs: &Path, lines: &[Value]) -> Result<(), String> {
    let folder = docs.join("papers");
    let write = |path: PathBuf, text: String| {
        fs::write(&path, text).map_err(|error| format!("Could not write {}: {error}.", path.display()))
    };
    fs::create_dir_all(&folder).map_err(|error| format!("Could not make {}: {error}.", folder.display()))?;
    let all: Vec<String> = lines.iter().map(Value::to_string).collect();
    write(folder.join(RESULTS), all.join("\n") + "\n")?;
    let first: Vec<Value> = lines.iter().filter(|line| !is_again(line)).cloned().collect();
    for (name, chart) in page::charts(&first) {
        write(folder.join(name), chart)?;
    }
    write(docs.join("papers.md"), page::page(lines))
}

/// Returns the lines of an earlier run; none without one.
fn read_lines(path: &Path) -> Result<Vec<Value>, String> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("Could not read {}: {error}.", path.display())),
    };
    let parse =
        |line: &str| serde_json::from_str(line).map_err(|error| format!("{}: {error}.", path.display()));
    text.lines().map(parse).collect()
}

/// Returns all lines, with new ones in place of those of the same experiments. A second run is kept beside the first, and a first one takes
/// the place of both.
fn merged(mut lines: Vec<Value>, new: Vec<Value>) -> Vec<Value> {
    let replaces = |new: &Value, old: &Value| {
        new["experiment"] == old["experiment"] && (is_again(old) || !is_again(new))
    };
    lines.retain(|line| !new.iter().any(|one| replaces(one, line)));
    lines.extend(new);
    lines
}

/// Returns true for a line of a second run, which shows how far figures differ.
fn is_again(line: &Value) -> bool {
    line["again"] == true
}

/// Returns hits among reads, in hundredths: of RAM, of flash.
fn read_hit_percents(counts: &cache::DiskCounts) -> [f64; 2] {
    [counts.read_hits_ram, counts.read_hits_flash].map(|hits| round(100.0 * cache_ratio(hits, counts.reads)))
}

fn cache_ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Returns a figure with three decimals, so that lines are short.
fn round(figure: f64) -> f64 {
    (figure * 1000.0).round() / 1000.0
}

/// Returns a line with rate and latencies of a load.
fn line(case: &str, seen: &LoadLatencies) -> Value {
    serde_json::json!({
        "experiment": "",
        "case": case,
        "iops": round(seen.iops()),
        "mean_ms": round(seen.mean_ms()),
        "p95_ms": round(seen.percentile_ms(95.0)),
        "p99_ms": round(seen.percentile_ms(99.0)),
        "max_ms": round(seen.percentile_ms(100.0)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_lines_take_the_place_of_their_experiments_alone() {
        let line = |experiment: &str, case: &str| serde_json::json!({"experiment": experiment, "case": case});
        let all = merged(vec![line("a", "1"), line("b", "1"), line("a", "2")], vec![line("a", "3")]);
        assert_eq!(all, [line("b", "1"), line("a", "3")]);
        assert_eq!(merged(all.clone(), Vec::new()), all);
    }

    #[test]
    fn a_second_run_stays_beside_the_first_until_that_is_new() {
        let line =
            |case: &str, again: bool| serde_json::json!({"experiment": "a", "case": case, "again": again});
        let first = vec![line("1", false)];
        let both = merged(merged(first, vec![line("2", true)]), vec![line("3", true)]);
        assert_eq!(both, [line("1", false), line("3", true)]);
        assert_eq!(merged(both, vec![line("4", false)]), [line("4", false)]);
    }
}
