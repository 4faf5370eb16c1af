//! `forebay stats`: counters, ratios and latencies.

use std::time::Duration;

use serde_json::Value;

use super::client;
use crate::cli::Stats;
use crate::names;
use crate::output::{self, list, number, percent, size, text};
use crate::problem::Answer;

const WATCH_INTERVAL: Duration = Duration::from_secs(1);

pub(super) fn run(options: &Stats) -> Answer<()> {
    let path = match &options.name {
        Some(name) => {
            names::check(name)?;
            format!("/v1/stats/{name}")
        }
        None => "/v1/stats".to_owned(),
    };
    let client = client(&options.reading.daemon)?;
    loop {
        let document = client.get(&path)?;
        let text = if options.reading.json { format!("{document}\n") } else { show(&document) };
        output::print(&text)?;
        if !options.watch {
            return Ok(());
        }
        std::thread::sleep(WATCH_INTERVAL);
    }
}

fn show(document: &Value) -> String {
    let rows: Vec<Vec<String>> = list(&document["disks"]).iter().map(row).collect();
    let headings = [
        "NAME",
        "STATE",
        "READS",
        "HIT",
        "RAM HITS",
        "FLASH HITS",
        "PARTIAL",
        "MISSES",
        "BYPASSED",
        "WRITES",
        "CACHED",
        "DIRTY",
        "RAM",
        "BACKING READS",
        "BACKING WRITES",
        "MISS MEAN",
        "RAM HIT MEAN",
    ];
    output::table(&headings, &rows)
}

fn row(disk: &Value) -> Vec<String> {
    let latency = &disk["latency_us"];
    vec![
        text(&disk["name"]),
        text(&disk["state"]),
        number(&disk["reads"]),
        percent(&disk["hit_ratio"]),
        number(&disk["read_hits_ram"]),
        number(&disk["read_hits_flash"]),
        number(&disk["read_partial_hits"]),
        number(&disk["read_misses"]),
        number(&disk["reads_bypassed"]),
        number(&disk["writes"]),
        size(&disk["cached_bytes"]),
        size(&disk["dirty_bytes"]),
        size(&disk["ram_bytes"]),
        number(&disk["backing_reads"]),
        number(&disk["backing_writes"]),
        micros(&latency["read_miss"]),
        micros(&latency["read_hit_ram"]),
    ]
}

/// The mean of a latency, if anything was measured.
fn micros(latency: &Value) -> String {
    match (latency["count"].as_u64(), latency["mean"].as_f64()) {
        (Some(1..), Some(mean)) => format!("{mean:.0} us"),
        _ => "-".to_owned(),
    }
}
