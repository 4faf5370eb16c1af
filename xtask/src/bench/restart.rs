//! Cost of safety: seconds until a start knows the cached content, extrapolated to 100 GB from a smaller one; until the daemon answers its
//! first read, and one of a waiting guest; and the first write into a region beside later ones. The program `bench` does the work.

use std::path::PathBuf;
use std::process::Command;

use super::alone::{number, parse};
use super::contest::median;
use super::scratch::Scratch;
use super::{Effort, Programs, report};
use crate::run::output;

/// Bytes of flash that are filled and recovered.
const FLASH_BYTES: u64 = 2 << 30;
const PAGE_BYTES: f64 = 4096.0;
/// Target in seconds for 100 GB at 64 KiB blocks.
const GOAL: f64 = 1.0;
/// Bytes that the daemon caches before it is started again.
const START_BYTES: u64 = 2 << 30;
/// Target in seconds from the start of the process to the first answered read.
const FIRST_READ_GOAL: f64 = 0.2;
/// Target in seconds from the end of the previous process to the first answer of a guest over vhost-user.
const PAUSE_GOAL: f64 = 1.0;
/// Maximum number of rounds: each fills a cache, which takes longer than the measured part.
const ROUNDS_MAX: u32 = 3;
const REGIONS: u32 = 1000;

pub(super) fn measure(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    recovery(programs, scratch, effort)?;
    starts(programs, scratch, effort)?;
    intents(programs, scratch, effort)
}

fn recovery(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let file = scratch.path("recovery.img");
    let mut rows = Vec::new();
    for (place, path) in [("memory", None), ("file", Some(&file))] {
        for block_bytes in [65_536u32, 4096] {
            rows.push(recovery_row(programs, effort, (place, path), block_bytes)?);
        }
    }
    let columns = [
        "flash",
        "block bytes",
        "content",
        "opened, ms (range)",
        "loaded, ms (range)",
        "s per million blocks",
        "s per 100 GB (extrapolated)",
        "goal",
        "verdict",
    ];
    report::print("From the start to the last page known again", &columns, &rows);
    Ok(())
}

fn recovery_row(
    programs: &Programs,
    effort: Effort,
    (place, path): (&str, Option<&PathBuf>),
    block_bytes: u32,
) -> Result<Vec<String>, String> {
    let (mut pages, mut opening, mut loading) = (0.0, Vec::new(), Vec::new());
    for _ in 0..rounds(effort) {
        let mut bench = Command::new(&programs.bench);
        bench.args(["recovery", "--block-bytes", &block_bytes.to_string()]);
        bench.args(["--flash-bytes", &FLASH_BYTES.to_string()]);
        if let Some(path) = path {
            bench.arg("--file").arg(path);
        }
        let answer = parse(&output(&mut bench)?)?;
        pages = number(&answer, "pages")?;
        let load = number(&answer, "load_nanos")? / 1e9;
        opening.push(number(&answer, "nanos")? / 1e9 - load);
        loading.push(load);
    }
    let bytes = pages * PAGE_BYTES;
    let blocks = bytes / f64::from(block_bytes);
    // Opening takes the same time for any content of the pool.
    let hundred = median(&opening) + median(&loading) * 100e9 / bytes;
    let [goal, verdict] = if block_bytes == 65_536 { judge(hundred, GOAL) } else { Default::default() };
    Ok(vec![
        place.to_owned(),
        block_bytes.to_string(),
        format!("{:.2} GB", bytes / 1e9),
        spread(&opening, 1e3),
        spread(&loading, 1e3),
        format!("{:.2}", median(&loading) * 1e6 / blocks),
        format!("{hundred:.2}"),
        goal,
        verdict,
    ])
}

/// Measures the real daemon on a pool file, after a stop and after a kill.
fn starts(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let mut rows = Vec::new();
    for end in ["stop", "kill"] {
        let mut bytes = 0.0;
        let [mut first, mut load, mut ending, mut pause] = [const { Vec::new() }; 4];
        for round in 0..rounds(effort) {
            let dir = scratch.folder(&format!("{end}-{round}"))?;
            let mut bench = Command::new(&programs.bench);
            bench.arg("start").arg("--program").arg(&programs.forebay).arg("--dir").arg(&dir);
            bench.args(["--bytes", &START_BYTES.to_string(), "--end", end]);
            let answer = parse(&output(&mut bench)?)?;
            bytes = number(&answer, "kept_bytes")?;
            first.push(number(&answer, "first_read_us")? / 1e6);
            load.push(number(&answer, "load_us")? / 1e6);
            ending.push(number(&answer, "end_us")? / 1e6);
            pause.push(number(&answer, "pause_us")? / 1e6);
            scratch.remove_folder(&dir)?;
        }
        let [goal, verdict] = judge(median(&first), FIRST_READ_GOAL);
        let [pause_goal, pause_verdict] = judge(median(&pause), PAUSE_GOAL);
        rows.push(vec![
            end.to_owned(),
            format!("{:.2} GB", bytes / 1e9),
            spread(&first, 1e3),
            goal,
            verdict,
            spread(&load, 1e3),
            spread(&ending, 1e3),
            spread(&pause, 1e3),
            pause_goal,
            pause_verdict,
        ]);
    }
    let columns = [
        "ended by",
        "content",
        "first read, ms (range)",
        "goal, s",
        "verdict",
        "loaded, ms (range)",
        "ended within, ms (range)",
        "a guest waits, ms (range)",
        "goal, s",
        "verdict",
    ];
    report::print("A start of the daemon, pool in a file, blocks of 64 KiB", &columns, &rows);
    println!(
        "A guest waits from the signal on until a vhost-user front end, which tries every 100 ms, has an answer. What a \
         service manager takes to start the daemon comes to it."
    );
    Ok(())
}

fn rounds(effort: Effort) -> u32 {
    effort.rounds.min(ROUNDS_MAX)
}

/// Returns the target, and whether seconds reach it.
fn judge(seconds: f64, goal: f64) -> [String; 2] {
    let verdict = if seconds <= goal {
        "reached".to_owned()
    } else {
        format!("missed by {:.0} %", (seconds / goal - 1.0) * 100.0)
    };
    [format!("{goal:.2}"), verdict]
}

/// Returns the median with the extremes, in a unit of which `units` are a second.
fn spread(seconds: &[f64], units: f64) -> String {
    let lowest = seconds.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = seconds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{:.1} ({:.1} to {:.1})", median(seconds) * units, lowest * units, highest * units)
}

fn intents(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let file = scratch.path("intents.img");
    let mut figures = [[const { Vec::new() }; 2], [const { Vec::new() }; 2]];
    for _ in 0..rounds(effort) {
        let mut bench = Command::new(&programs.bench);
        bench.arg("intents").arg("--file").arg(&file).args(["--regions", &REGIONS.to_string()]);
        for (line, of_line) in output(&mut bench)?.lines().zip(&mut figures) {
            let answer = parse(line)?;
            for (key, values) in ["p50", "p99"].iter().zip(of_line) {
                values.push(number(&answer, key)?);
            }
        }
    }
    let rows: Vec<_> = ["first write into a region", "later write"]
        .iter()
        .zip(&figures)
        .map(|(what, [p50, p99])| {
            vec![(*what).to_owned(), format!("{:.0}", median(p50)), format!("{:.0}", median(p99))]
        })
        .collect();
    let columns = ["write of 4 KiB, flash in a file, backing in memory", "p50 us", "p99 us"];
    report::print("What an intent costs", &columns, &rows);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_upper_bounds_and_spreads_are_of_the_median() {
        assert_eq!(judge(0.9, 1.0), ["1.00", "reached"]);
        assert_eq!(judge(1.5, 1.0)[1], "missed by 50 %");
        assert_eq!(spread(&[0.5, 0.25, 1.0], 1e3), "500.0 (250.0 to 1000.0)");
    }
}
