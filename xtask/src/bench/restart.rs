//! What safety costs: seconds until a start knows again what was cached, extrapolated to 100 GB from what fits here, and
//! the first write into a region beside later ones. The program `bench` does the work.

use std::process::Command;

use super::alone::{number, parse};
use super::contest::median;
use super::scratch::Scratch;
use super::{Effort, Programs, report};
use crate::run::output;

/// Flash that is filled and recovered.
const FLASH_BYTES: u64 = 2 << 30;
const PAGE_BYTES: f64 = 4096.0;
/// Seconds for 100 GB at 64 KiB blocks, on devices in memory.
const GOAL: f64 = 1.0;
const REGIONS: u32 = 1000;

pub(super) fn measure(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    recovery(programs, effort)?;
    intents(programs, scratch, effort)
}

fn recovery(programs: &Programs, effort: Effort) -> Result<(), String> {
    let mut rows = Vec::new();
    for (place, path) in [("memory", None::<&std::path::Path>)] {
        for block_bytes in [65_536u32, 4096] {
            let (mut pages, mut nanos) = (0.0, Vec::new());
            for _ in 0..effort.rounds.min(3) {
                let mut bench = Command::new(&programs.bench);
                bench.args(["recovery", "--block-bytes", &block_bytes.to_string()]);
                bench.args(["--flash-bytes", &FLASH_BYTES.to_string()]);
                if let Some(path) = path {
                    bench.arg("--file").arg(path);
                }
                let answer = parse(&output(&mut bench)?)?;
                pages = number(&answer, "pages")?;
                nanos.push(number(&answer, "nanos")?);
            }
            let seconds = median(&nanos) / 1e9;
            let bytes = pages * PAGE_BYTES;
            let blocks = bytes / f64::from(block_bytes);
            let hundred = seconds * 100e9 / bytes;
            let judged = path.is_none() && block_bytes == 65_536;
            let verdict = match judged {
                false => String::new(),
                true if hundred <= GOAL => "reached".to_owned(),
                true => format!("missed by {:.0} %", (hundred / GOAL - 1.0) * 100.0),
            };
            rows.push(vec![
                place.to_owned(),
                block_bytes.to_string(),
                format!("{:.2} GB", bytes / 1e9),
                format!("{:.1}", seconds * 1e3),
                format!("{:.2}", seconds * 1e6 / blocks),
                format!("{hundred:.2}"),
                if judged { format!("{GOAL:.2}") } else { String::new() },
                verdict,
            ]);
        }
    }
    let columns = [
        "flash",
        "block bytes",
        "content",
        "ms",
        "s per million blocks",
        "s per 100 GB (extrapolated)",
        "goal",
        "verdict",
    ];
    report::print("From the start to the last page known again", &columns, &rows);
    Ok(())
}

fn intents(programs: &Programs, scratch: &Scratch, effort: Effort) -> Result<(), String> {
    let file = scratch.path("intents.img");
    let mut rounds = [[const { Vec::new() }; 2], [const { Vec::new() }; 2]];
    for _ in 0..effort.rounds.min(3) {
        let mut bench = Command::new(&programs.bench);
        bench.arg("intents").arg("--file").arg(&file).args(["--regions", &REGIONS.to_string()]);
        for (line, of_line) in output(&mut bench)?.lines().zip(&mut rounds) {
            let answer = parse(line)?;
            for (key, values) in ["p50", "p99"].iter().zip(of_line) {
                values.push(number(&answer, key)?);
            }
        }
    }
    let rows: Vec<_> = ["first write into a region", "later write"]
        .iter()
        .zip(&rounds)
        .map(|(what, [p50, p99])| {
            vec![(*what).to_owned(), format!("{:.0}", median(p50)), format!("{:.0}", median(p99))]
        })
        .collect();
    let columns = ["write of 4 KiB, flash in a file, backing in memory", "p50 us", "p99 us"];
    report::print("What an intent costs", &columns, &rows);
    Ok(())
}
