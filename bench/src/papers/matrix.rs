//! Services switched on and off, as far as they can be: copies of dirty data in the cache, and what volumes do in front of a modelled array of
//! hosts. Checksums are always on.

use std::rc::Rc;
use std::thread;

use cache::{DiskSettings, Mode, Redundancy};
use serde_json::{Value, json};
use workload::{SKEWED, Workload};

use super::{Extent, MIB, SEED, line, volumes};
use crate::modelled::{Bed, CachePlan, in_virtual_time};

pub(super) const SCALE: &str =
    "disk 1 GiB, pool of two SSDs of 192 MiB; working sets of 10 % and 100 % of the disk";
const DATA: u64 = 1024 * MIB;
const SSD: u64 = 192 * MIB;
const PROFILE: &str = "hdd-10k-raid5x8";
const DEPTH: u32 = 16;
const REQUESTS: u64 = 100_000;
const LOADS: [(&str, u32); 3] = [("random read", 100), ("random write", 0), ("70/30", 70)];
const SETS: [(&str, u32); 2] = [("small", 10), ("large", 100)];
const SERVICES: [(&str, Option<Redundancy>); 3] =
    [("none", None), ("checksum", Some(Redundancy::None)), ("checksum, mirrored", Some(Redundancy::Mirror))];

pub(super) fn run(extent: Extent) -> Vec<Value> {
    let mut lines = run_caches(extent);
    lines.extend(run_volumes(extent));
    lines
}

/// Measures all loads on volumes. Each is a thread in a time of its own.
fn run_volumes(extent: Extent) -> Vec<Value> {
    let measure = |(load, read_percent): (&'static str, u32),
                   (set, working_set_percent): (&'static str, u32)| {
        let workload = Workload { read_percent, working_set_percent, skew: 0.5, ..SKEWED };
        volumes::COLUMNS.iter().map(move |column| {
            let mut found = volumes::measure(column, workload, [DATA, SSD], REQUESTS, extent);
            found["load"] = load.into();
            found["set"] = set.into();
            found["case"] = json!(format!("{load}, {set}, {}", column.name));
            found
        })
    };
    thread::scope(|scope| {
        let loads = LOADS.into_iter().flat_map(|load| SETS.map(|set| (load, set)));
        let running: Vec<_> =
            loads.map(|(load, set)| scope.spawn(move || measure(load, set).collect::<Vec<_>>())).collect();
        running.into_iter().flat_map(|thread| thread.join().expect("its message is above")).collect()
    })
}

/// Measures all loads on the array, alone and with a cache.
fn run_caches(extent: Extent) -> Vec<Value> {
    let mut lines = Vec::new();
    for (load, read_percent) in LOADS {
        for (set, working_set_percent) in SETS {
            let workload = Workload { read_percent, working_set_percent, skew: 0.5, ..SKEWED };
            for (services, redundancy) in SERVICES {
                let mut found = measure(workload, redundancy, extent);
                found["load"] = load.into();
                found["set"] = set.into();
                found["case"] = json!(format!("{load}, {set}, {services}"));
                lines.push(found);
            }
        }
    }
    lines
}

/// Measures a load; without redundancy on the array alone.
fn measure(workload: Workload, redundancy: Option<Redundancy>, extent: Extent) -> Value {
    in_virtual_time(async |host| {
        let plan = redundancy.map(|redundancy| {
            let plan = CachePlan::new(SSD, Mode::WriteBack, 4 << 10, 2 * MIB);
            CachePlan { ssds: 2, settings: DiskSettings { redundancy, ..plan.settings }, ..plan }
        });
        let profile = PROFILE.parse().expect("a known profile");
        let bed = Rc::new(Bed::new(&host, profile, &[DATA], plan, |_| true).await);
        let mut requests = workload.requests(DATA, SEED);
        let mut warming = requests.clone();
        bed.closed(DEPTH, extent.of(REQUESTS), move || (0, warming.draw())).await;
        requests.nth(extent.of(REQUESTS) as usize);
        let seen = bed.closed(DEPTH, extent.of(REQUESTS), move || (0, requests.draw())).await;
        let mut line = line("", &seen);
        line["deviation_ms"] = super::round(seen.deviation_ms()).into();
        line
    })
}
