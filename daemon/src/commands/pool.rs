//! `forebay pool`: the flash of this host.

use serde_json::Value;

use super::read_and_print;
use crate::cli::Pool;
use crate::output::{self, number, size, text};
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
    if let Some(reason) = pool["page_cache_reason"].as_str() {
        shown.push(("page cache", format!("used, because {reason}")));
    }
    output::pairs(&shown)
}
