//! `forebay top`: all disks, live on a terminal; a table where there is none.

mod app;
mod detail;
mod figures;
mod keys;
mod model;
mod screen;
mod terminal;

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use base::error::Result;

use super::{client, ending};
use crate::cli::Top;
use crate::client::{Client, Pause};
use crate::output;
pub(super) use figures::cut_names;
use figures::{bytes, latency, megabytes, percent, rate};
use model::{DiskRow, Sample, SortColumn, rows, sort};

/// Time between two polls.
const INTERVAL: Duration = Duration::from_secs(1);

pub(super) fn run(options: &Top) -> Result<()> {
    let client = client(&options.daemon)?;
    let tables = options.count.or(options.once.then_some(1));
    match tables {
        None if io::stdout().is_terminal() => terminal::run(client),
        tables => print(&client, tables.unwrap_or(1)),
    }
}

/// Polls the daemon for everything that is shown.
fn sample(client: &Client, at: Duration) -> Result<Sample> {
    Ok(Sample {
        at,
        disks: client.get("/v1/disks")?,
        counters: client.get("/v1/stats")?,
        recent: client.get("/v1/stats?window=5m")?,
        pool: client.get("/v1/pool")?,
    })
}

/// Prints this many tables, each of one interval.
fn print(client: &Client, tables: u32) -> Result<()> {
    ending::exit_without_reader();
    let started = Instant::now();
    let mut before = sample(client, started.elapsed())?;
    for number in 0..tables {
        if client.pause(INTERVAL) == Pause::Interrupted {
            return Ok(());
        }
        let now = sample(client, started.elapsed())?;
        let gap = if number == 0 { "" } else { "\n" };
        output::print(&format!("{gap}{}", table(rows(Some(&before), &now))))?;
        before = now;
    }
    Ok(())
}

fn table(mut rows: Vec<DiskRow>) -> String {
    sort(&mut rows, SortColumn::Name, false);
    let headings = [
        "NAME",
        "STATE",
        "MODE",
        "HIT",
        "READS/S",
        "WRITES/S",
        "READ MB/S",
        "WRITE MB/S",
        "MISS P99",
        "WRITE P99",
        "DIRTY",
        "OF LIMIT",
        "CACHED",
        "RAM",
    ];
    let line = |row: &DiskRow| {
        vec![
            row.name.clone(),
            row.state.clone(),
            row.mode.clone(),
            percent(row.hit_ratio),
            rate(row.reads),
            rate(row.writes),
            megabytes(row.read_bytes),
            megabytes(row.write_bytes),
            latency(row.miss_p99_us),
            latency(row.write_p99_us),
            bytes(row.dirty_bytes),
            percent(row.dirty_share),
            bytes(row.cached_bytes),
            bytes(row.ram_bytes),
        ]
    };
    output::table(&headings, &rows.iter().map(line).collect::<Vec<_>>())
}
