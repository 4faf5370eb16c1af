//! Tiles of five guests on an array of 20 and of 11 disks, alone and with caches of 8 and 33 % of the data of four tiles: one more tile until
//! the quality of a kind of guest breaks its limit.

use std::rc::Rc;

use block::Host;
use block::model::Profile;
use cache::{Curves, DiskCounts, Mode};
use serde_json::Value;
use workload::TILE;

use super::{Extent, MIB, SEED, cache_ratio, line, read_hit_percents, round};
use crate::modelled::{Bed, CachePlan, Guest, LoadLatencies, SECOND, in_virtual_time};

pub(super) const SCALE: &str = "a guest has 64 MiB, a tile 320 MiB. Caches are shares of the data of four tiles; the rate of a tile is a choice";
const GUEST: u64 = 64 * MIB;
const TILE_BYTES: u64 = GUEST * TILE.len() as u64;
/// Tiles for which the array has room; load stops there at the latest.
const TILES_MAX: u64 = 12;
/// Share of the rates of a tile's guests, in hundredths, at which the array of 20 disks alone holds two tiles, as published.
const RATE_PERCENT: u64 = 55;
const RAM: u64 = 8 * MIB;
/// Highest 95th percentile of latency for each kind of guest, in milliseconds: choices.
const LIMITS_MS: [f64; TILE.len()] = [60.0, 40.0, 40.0, 80.0, 60.0];
/// Warming ends when two stretches of time differ by less.
const STEADY: f64 = 0.03;
const WARMING_SECONDS: u64 = 40;
const WARMINGS_MAX: u32 = 6;
const SECONDS: u64 = 120;

pub(super) const KNEE_SCALE: &str = "as the tiles; each configuration with a cache runs two tiles alone, and its curve is all that is known of more";
/// Tiles whose curve is recorded for the prediction.
const OBSERVED_TILES: u64 = 2;
/// Operations of RAID-5 for a small write.
const OPERATIONS_OF_WRITE: f64 = 4.0;

/// Case: array, and share of the cache in hundredths; none for 0.
const CASES: [(&str, &str, u64); 6] = [
    ("20 disks", "hdd-15k-raid5x20", 0),
    ("11 disks", "hdd-15k-raid5x11", 0),
    ("20 disks, 8 %", "hdd-15k-raid5x20", 8),
    ("20 disks, 33 %", "hdd-15k-raid5x20", 33),
    ("11 disks, 8 %", "hdd-15k-raid5x11", 8),
    ("11 disks, 33 %", "hdd-15k-raid5x11", 33),
];

pub(super) fn run(extent: Extent) -> Vec<Value> {
    let mut lines = Vec::new();
    for (case, profile, percent) in CASES {
        for tiles in 1..=TILES_MAX {
            let line = measure(case, profile, percent, tiles, extent);
            let is_good = line["quality"] == true;
            lines.push(line);
            // One load beyond the last good one shows the knee.
            if !is_good {
                break;
            }
        }
    }
    lines
}

/// Predicts how busy the spindles are with any number of tiles, from the curve of two.
///
/// The model: as tiles are alike, each of `n` has an `n`th of the cache and of the dirty limit. Reads that miss take one operation, and
/// writes that no later one overwrites within the dirty limit take those of RAID-5, each as long as an operation took with two tiles.
pub(super) fn run_knee(extent: Extent) -> Vec<Value> {
    let cached = CASES.iter().filter(|(_, _, percent)| *percent > 0);
    cached.map(|(case, profile, percent)| measure(case, profile, *percent, OBSERVED_TILES, extent)).collect()
}

/// Requests a second of each tile, and the predictions for a cache of all tiles observed.
struct ObservedLoad<'a> {
    curves: &'a Curves,
    reads: f64,
    writes: f64,
    cache_bytes: u64,
    dirty_bytes: u64,
}

impl ObservedLoad<'_> {
    /// Returns the operations of the array a second with so many tiles; none without requests.
    fn operations(&self, tiles: u64) -> Option<f64> {
        let of_each = |bytes: u64| bytes * OBSERVED_TILES / tiles;
        let missed = self.curves.reads.miss_ratio(of_each(self.cache_bytes))?;
        let destaged = self.curves.writes.miss_ratio(of_each(self.dirty_bytes))?;
        Some(tiles as f64 * (self.reads * missed + OPERATIONS_OF_WRITE * self.writes * destaged))
    }
}

fn measure(case: &str, profile: &str, percent: u64, tiles: u64, extent: Extent) -> Value {
    in_virtual_time(async |host| {
        let bytes = 4 * TILE_BYTES * percent / 100;
        let plan = (percent > 0).then(|| CachePlan::new(bytes, Mode::WriteBack, 8 << 10, RAM));
        let profile: Profile = profile.parse().expect("a known profile");
        let bed = Rc::new(Bed::new(&host, profile, &[TILES_MAX * TILE_BYTES], plan, |_| true).await);
        let mut guests: Vec<Guest> = (0..tiles * TILE.len() as u64)
            .map(|number| {
                let kind = &TILE[number as usize % TILE.len()];
                let requests = kind.at_rate_percent(RATE_PERCENT).requests(GUEST, SEED + number);
                Guest::new(requests, 0, number * GUEST)
            })
            .collect();
        let mut last = f64::MAX;
        for _ in 0..if percent > 0 { WARMINGS_MAX } else { 1 } {
            let before = bed.counts();
            let seen = bed.open(&mut guests, extent.of(WARMING_SECONDS) * SECOND).await;
            let hits = all_hit_percent(&bed.counts().since(&before));
            let now = if percent > 0 { hits } else { joined(&seen).iops() };
            if (now - last).abs() < STEADY * now {
                break;
            }
            last = now;
        }
        let (before, work) = (bed.counts(), bed.work());
        let started = host.now();
        let of_guests = bed.open(&mut guests, extent.of(SECONDS) * SECOND).await;
        let busy = bed.work().busy_nanos - work.busy_nanos;
        let spindle_nanos = (host.now() - started) * u64::from(profile.spindles);
        let counts = bed.counts().since(&before);
        let all = joined(&of_guests);
        let worst = (0..TILE.len()).map(|kind| {
            let of_kind: Vec<LoadLatencies> =
                of_guests.iter().skip(kind).step_by(TILE.len()).cloned().collect();
            round(joined(&of_kind).percentile_ms(95.0))
        });
        let worst: Vec<f64> = worst.collect();
        let is_good = worst.iter().zip(LIMITS_MS).all(|(p95, limit)| *p95 <= limit);
        let mut line = line(case, &all);
        let [ram, flash] = read_hit_percents(&counts);
        line["tiles"] = tiles.into();
        line["quality"] = is_good.into();
        line["p95_ms_of_kinds"] = worst.into();
        line["ram_hit_percent"] = ram.into();
        line["flash_hit_percent"] = flash.into();
        line["all_hit_percent"] = round(all_hit_percent(&counts)).into();
        line["offered"] = round(all.len() as f64 / extent.of(SECONDS) as f64).into();
        line["busy_percent"] = round(100.0 * cache_ratio(busy, spindle_nanos)).into();
        line["array_operations"] = (bed.work().operations - work.operations).into();
        line["cache_mib"] = (bed.usable_bytes() / MIB).into();
        if let Some(curves) = bed.curves_of(0).filter(|_| tiles == OBSERVED_TILES) {
            let a_second = |count: u64| count as f64 / (extent.of(SECONDS) * tiles) as f64;
            let observed = ObservedLoad {
                curves: &curves,
                reads: a_second(counts.reads),
                writes: a_second(counts.writes),
                cache_bytes: bed.usable_bytes() + RAM,
                dirty_bytes: bed.dirty_limit_bytes(0),
            };
            let operation_ns = cache_ratio(busy, bed.work().operations - work.operations);
            let spindles_ns = f64::from(profile.spindles) * SECOND as f64;
            let predicted: Vec<f64> = (1..=TILES_MAX)
                .filter_map(|tiles| {
                    Some(round(100.0 * observed.operations(tiles)? * operation_ns / spindles_ns))
                })
                .collect();
            line["predicted_busy_percent"] = predicted.into();
        }
        line
    })
}

/// Returns reads and writes of cached pages, in hundredths of all requests.
fn all_hit_percent(counts: &DiskCounts) -> f64 {
    let hits = counts.read_hits_ram + counts.read_hits_flash + counts.write_hits;
    100.0 * cache_ratio(hits, counts.reads + counts.writes)
}

fn joined(guests: &[LoadLatencies]) -> LoadLatencies {
    let mut all = LoadLatencies::default();
    for guest in guests {
        all.join(guest);
    }
    all
}
