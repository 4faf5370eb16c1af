//! What is predicted of a disk against what it then does: a trace, replayed on a served disk, has the hit ratio that simulation of the
//! served policy and the disk's own curve say.
//!
//! At a pace that flash can follow: simulation lets all promotions end before the next request. Without any pace, 100,000 requests
//! within seconds against a backing in the page cache, RAM is through before what it held was promoted, and five to ten points are
//! lost that no guest of a slow backing loses.

use serde_json::Value;

use crate::host::{Host, forebay};
use crate::trace_records::record;
use crate::warm::bytes_of;

const MIB: u64 = 1 << 20;
const PAGE: u64 = 4 << 10;
/// Microseconds from a request to the next.
const EVERY_US: u64 = 1_000;
/// What predictions may be off.
const WITHIN: f64 = 0.02;

/// Numbers that follow no order, always the same.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Requests of one page, a fifth of them writes, to a few pages often and to many seldom: the cube of an even chance.
fn made_up(host: &Host, pages: u64, requests: u64) -> String {
    let mut chance = Chance(7);
    let mut records = Vec::new();
    for at in 0..requests {
        let even = chance.below(1 << 20);
        let rank = ((u128::from(even).pow(3) * u128::from(pages)) >> 60) as u64;
        // Neighbours in rank are no neighbours on the disk.
        let page = rank * 7_919 % pages;
        let command = if chance.below(5) == 0 { 0x2a } else { 0x28 };
        records.extend(record(command, page * PAGE / 512, PAGE as u32, at * EVERY_US));
    }
    std::fs::write(host.path("made-up.vscsi"), records).expect("the folder is ours");
    host.text("made-up.vscsi")
}

/// How a disk is cached. Bytes.
struct Sized {
    disk: u64,
    pool: &'static str,
    limit: u64,
    ram: u64,
}

/// What a trace had on a served disk, and what was predicted.
#[derive(Debug)]
struct Found {
    /// Reads that were full hits, as `forebay replay` says.
    reads: f64,
    /// What the curve of the disk says of reads.
    curve: f64,
    /// Requests that were, writes by what was cached before them: what simulation counts.
    requests: f64,
    simulated: f64,
}

fn find(host: &Host, trace: &str, Sized { disk, pool, limit, ram }: &Sized) -> Found {
    let image = host.text("a.img");
    // Zeroes are remembered and not cached.
    std::fs::write(&image, bytes_of(1, *disk)).expect("the folder is ours");
    let daemon = host.serve_with(&["--pool", &host.text("pool.img"), "--pool-size", pool]);
    daemon.run(&["disk", "add", "a", "--backing", &image, "--block-size", "4KiB"]).succeeded();
    let (limit_key, ram_key) = (format!("limit={limit}"), format!("ram={ram}"));
    daemon.run(&["disk", "set", "a", &limit_key, &ram_key]).succeeded();
    let words = ["replay", trace, "--disk", "a"];
    let replay = daemon.json(&words)["replay"].clone();
    assert_eq!((&replay["mismatches"], &replay["errors"]), (&0.into(), &0.into()), "{replay}");
    let reads = replay["hit_ratio"].as_f64().expect("it reads");
    let counted = daemon.json(&["stats", "a"])["disks"][0].clone();
    let count = |key: &str| counted[key].as_f64().unwrap_or_else(|| panic!("{key}: {counted}"));
    let hits = count("read_hits_ram") + count("read_hits_flash") + count("write_hits");
    let requests = hits / (count("reads") + count("writes"));
    let curve = daemon.json(&["curve", "a"])["curve"]["present"].clone();
    assert_eq!(curve["cache_bytes"], limit + ram);

    let (size, ram) = ((limit + ram).to_string(), ram.to_string());
    let words = ["simulate", trace, "--size", &size, "--ram", &ram, "--whole-requests", "--policy", "served"];
    let text = forebay(&[&words[..], &["--json"]].concat()).succeeded();
    let simulated: Value = serde_json::from_str(&text).expect("--json prints one document");
    let simulated =
        1.0 - simulated["rows"][0]["miss_ratio"].as_f64().unwrap_or_else(|| panic!("{simulated}"));
    let found =
        Found { reads, curve: curve["hit_ratio"].as_f64().expect("it was read"), requests, simulated };
    println!("{trace}: {found:?}");
    found
}

#[test]
fn a_served_disk_has_the_hit_ratio_that_was_predicted() {
    let host = Host::new();
    let trace = made_up(&host, 8_000, 20_000);
    let sized = Sized { disk: 32 * MIB, pool: "64MiB", limit: 8 * MIB, ram: MIB };
    let found = find(&host, &trace, &sized);
    assert!((found.requests - found.simulated).abs() <= WITHIN, "{found:?}");
    assert!((found.reads - found.curve).abs() <= WITHIN, "{found:?}");
}
