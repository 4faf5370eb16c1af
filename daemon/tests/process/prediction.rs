//! Predictions for a disk, compared with its results: a trace that is sent to a served disk has the hit ratio
//! that simulation of the served policy and the disk's own curve predict.
//!
//! Simulation completes all promotions before the next request. So does this guest, every few requests: it
//! sends fewer than RAM holds, and continues once the disk has written all pending promotions to flash.
//! Without that, 100,000 requests within seconds against a backing in the page cache pass through RAM before
//! its content is promoted, and lose five to ten points that no guest of a slow backing loses.

use serde_json::Value;

use crate::host::{Daemon, Host, forebay};
use crate::statistics::get;
use crate::trace_records::record;
use crate::warm::bytes_of;

const MIB: u64 = 1 << 20;
const PAGE: u64 = 4 << 10;
/// Microseconds from a request of the trace to the next.
const EVERY_US: u64 = 1_000;
/// Requests until the guest waits for promotions: an eighth of the pages that RAM has.
const TOGETHER: usize = 32;
/// The largest error of predictions.
const WITHIN: f64 = 0.02;

/// Pseudo-random numbers, always the same.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A request of one page.
struct PageRequest {
    page: u64,
    is_write: bool,
}

/// Returns requests, a fifth of them writes, to a few pages often and to many seldom: the cube of a uniform
/// number.
fn made_up(pages: u64, requests: u64) -> Vec<PageRequest> {
    let mut chance = Chance(7);
    let request = |_| {
        let even = chance.below(1 << 20);
        let rank = ((u128::from(even).pow(3) * u128::from(pages)) >> 60) as u64;
        // Neighbours in rank are not neighbours on the disk.
        PageRequest { page: rank * 7_919 % pages, is_write: chance.below(5) == 0 }
    };
    (0..requests).map(request).collect()
}

/// Writes requests as a trace, and returns its path.
fn as_trace(host: &Host, requests: &[PageRequest]) -> String {
    let records = (0..).zip(requests).flat_map(|(at, PageRequest { page, is_write })| {
        record(if *is_write { 0x2a } else { 0x28 }, page * PAGE / 512, PAGE as u32, at * EVERY_US)
    });
    std::fs::write(host.path("made-up.vscsi"), records.collect::<Vec<u8>>()).expect("the folder is ours");
    host.text("made-up.vscsi")
}

/// Returns the statistics of the disk.
fn statistics(daemon: &Daemon) -> Value {
    get(daemon, "/v1/stats/a").1["disks"][0].take()
}

/// Waits until all pending promotions are on flash: nothing leaves RAM any more, either way.
fn wait_for_promotions(daemon: &Daemon) {
    let left = || {
        let counted = statistics(daemon);
        [counted["promotions"].clone(), counted["rejections"].clone()]
    };
    let mut before = left();
    loop {
        let now = left();
        if now == before {
            return;
        }
        before = now;
    }
}

/// Sends requests to the disk, one after another.
fn send(daemon: &Daemon, requests: &[PageRequest]) {
    let mut guest = daemon.guest("a");
    let content = bytes_of(2, PAGE);
    for some in requests.chunks(TOGETHER) {
        for PageRequest { page, is_write } in some {
            let offset = page * PAGE;
            if *is_write {
                guest.write(offset, &content).expect("the disk is served");
            } else {
                guest.read(offset, PAGE as u32).expect("the disk is served");
            }
        }
        wait_for_promotions(daemon);
    }
}

/// Sizes of a disk and its cache in bytes.
struct Sized {
    disk: u64,
    pool: &'static str,
    limit: u64,
    ram: u64,
}

/// Hit ratios of a trace on a served disk, and the predictions.
#[derive(Debug)]
struct Found {
    /// Share of reads that were full hits.
    reads: f64,
    /// Prediction of the disk's curve for reads.
    curve: f64,
    /// Share of requests that were full hits, writes by the pages cached before them: as simulation counts.
    requests: f64,
    simulated: f64,
}

fn find(host: &Host, asked: &[PageRequest], Sized { disk, pool, limit, ram }: &Sized) -> Found {
    let image = host.text("a.img");
    // Zeroes are recorded and not cached.
    std::fs::write(&image, bytes_of(1, *disk)).expect("the folder is ours");
    let daemon = host.serve_with(&["--pool", &host.text("pool.img"), "--pool-size", pool]);
    daemon.run(&["disk", "add", "a", "--backing", &image, "--block-size", "4KiB"]).succeeded();
    let (limit_key, ram_key) = (format!("limit={limit}"), format!("ram={ram}"));
    daemon.run(&["disk", "set", "a", &limit_key, &ram_key]).succeeded();
    send(&daemon, asked);
    let counted = statistics(&daemon);
    let count = |key: &str| counted[key].as_f64().unwrap_or_else(|| panic!("{key}: {counted}"));
    let read_hits = count("read_hits_ram") + count("read_hits_flash");
    let reads = read_hits / count("reads");
    let hits = read_hits + count("write_hits");
    let requests = hits / (count("reads") + count("writes"));
    let curve = daemon.json(&["curve", "a"])["curve"]["present"].clone();
    assert_eq!(curve["cache_bytes"], limit + ram);

    let (size, ram) = ((limit + ram).to_string(), ram.to_string());
    let trace = as_trace(host, asked);
    let words =
        ["simulate", &trace, "--size", &size, "--ram", &ram, "--whole-requests", "--policy", "served"];
    let text = forebay(&[&words[..], &["--json"]].concat()).succeeded();
    let simulated: Value = serde_json::from_str(&text).expect("--json prints one document");
    let simulated =
        1.0 - simulated["rows"][0]["miss_ratio"].as_f64().unwrap_or_else(|| panic!("{simulated}"));
    let found =
        Found { reads, curve: curve["hit_ratio"].as_f64().expect("it was read"), requests, simulated };
    println!("{found:?}");
    found
}

#[test]
fn a_served_disk_has_the_hit_ratio_that_was_predicted() {
    let host = Host::in_ram();
    let requests = made_up(4_000, 10_000);
    let sized = Sized { disk: 16 * MIB, pool: "64MiB", limit: 4 * MIB, ram: MIB };
    let found = find(&host, &requests, &sized);
    assert!((found.requests - found.simulated).abs() <= WITHIN, "{found:?}");
    assert!((found.reads - found.curve).abs() <= WITHIN, "{found:?}");
}
