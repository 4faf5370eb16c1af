//! `forebay pool`: the flash of this host.

use serde_json::Value;

use super::read_and_print;
use crate::cli::Pool;
use crate::output::{self, list, number, percent, size, text};
use crate::problem::Answer;

pub(super) fn run(command: &Pool) -> Answer<()> {
    match command {
        Pool::Show(reading) => read_and_print(reading, "/v1/pool", show),
    }
}

fn show(document: &Value) -> String {
    let pool = &document["pool"];
    let mut shown = vec![
        ("path", text(&pool["path"])),
        ("id", text(&pool["id"])),
        ("state", text(&pool["state"])),
        ("size", size(&pool["size_bytes"])),
        ("usable", size(&pool["usable_bytes"])),
        ("reserved", size(&pool["reserved_bytes"])),
        ("segment", size(&pool["segment_bytes"])),
        ("segments", format!("{}, {} free", number(&pool["segments"]), number(&pool["segments_free"]))),
        ("disks", number(&pool["disks"])),
    ];
    for shard in list(&pool["shards"]) {
        shown.push(("shard", self::shard(shard)));
    }
    if let Some(reason) = pool["page_cache_reason"].as_str() {
        shown.push(("page cache", format!("used, because {reason}")));
    }
    output::pairs(&shown)
}

fn shard(shard: &Value) -> String {
    let share = cache::words::stats::ratio(nanos(shard, "busy_ns"), nanos(shard, "age_ns"));
    let (shard, disks) = (number(&shard["shard"]), number(&shard["disks"]));
    format!("{shard}: {disks} disks, busy {} of its time", percent(&share.into()))
}

fn nanos(shard: &Value, key: &str) -> u64 {
    shard[key].as_u64().unwrap_or(0)
}
