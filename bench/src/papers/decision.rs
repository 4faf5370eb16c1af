//! Decision support: transactions of six kinds, scans and joins over a skewed part of a database of 15 units, with a cache of 8 units.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use cache::Mode;
use serde_json::{Value, json};
use workload::{DECISION_SUPPORT, Requests, Workload};

use super::{Extent, MIB, SEED, read_hit_percents, round};
use block::Host;

use crate::modelled::{Bed, CachePlan, SECOND, in_virtual_time};

pub(super) const SCALE: &str = "a unit is 64 MiB: 1:16 of a GiB for database and cache";
const UNIT: u64 = 64 * MIB;
const DATA: u64 = 15 * UNIT;
const CACHE: u64 = 8 * UNIT;
const PROFILE: &str = "hdd-15k-raid5x5";
const SESSIONS: u64 = 8;
/// Requests of a transaction of each kind, and the length of its runs: long scans to joins by index.
const KINDS: [(&str, u64, u32); 6] = [
    ("long scan", 256, 128),
    ("scan", 128, 64),
    ("short scan", 64, 32),
    ("join of scans", 96, 16),
    ("join by index", 64, 4),
    ("lookups", 32, 1),
];
const WARMING_SECONDS: u64 = 240;
const SECONDS: u64 = 120;

pub(super) fn run(extent: Extent) -> Vec<Value> {
    let mut lines = Vec::new();
    for (case, is_cached) in [("none", false), ("cached", true)] {
        lines.extend(in_virtual_time(async |host| {
            let plan = CachePlan::new(CACHE, Mode::WriteThrough, 8 << 10, 8 * MIB);
            let profile = PROFILE.parse().expect("a known profile");
            let bed = Bed::new(&host, profile, &[DATA], Some(plan).filter(|_| is_cached), |_| true).await;
            let bed = Rc::new(bed);
            if is_cached {
                run_sessions(&bed, extent.of(WARMING_SECONDS), 1).await;
            }
            let before = bed.counts();
            let done = run_sessions(&bed, extent.of(SECONDS), 2).await;
            let [ram, flash] = read_hit_percents(&bed.counts().since(&before));
            let minutes = extent.of(SECONDS) as f64 / 60.0;
            let kinds = KINDS.iter().zip(&done).map(|((kind, _, _), (count, nanos))| {
                json!({
                    "experiment": "",
                    "case": case,
                    "kind": kind,
                    "per_minute": round(*count as f64 / minutes),
                    "mean_ms": round(*nanos as f64 / 1e6 / (*count).max(1) as f64),
                })
            });
            let mut lines: Vec<Value> = kinds.collect();
            let (count, nanos) =
                done.iter().fold((0, 0), |(count, nanos), of_kind| (count + of_kind.0, nanos + of_kind.1));
            lines.push(json!({
                "experiment": "",
                "case": case,
                "kind": "all",
                "per_minute": round(count as f64 / minutes),
                "mean_ms": round(nanos as f64 / 1e6 / count.max(1) as f64),
                "hit_percent": round(ram + flash),
            }));
            lines
        }));
    }
    lines
}

/// Runs sessions, each transactions of all kinds in random order. Returns number and total time of the transactions of each kind.
async fn run_sessions(bed: &Rc<Bed>, seconds: u64, part: u64) -> Vec<(u64, u64)> {
    let deadline = bed.host().now() + seconds * SECOND;
    let done = Rc::new(RefCell::new(vec![(0, 0); KINDS.len()]));
    let running = Rc::new(Cell::new(SESSIONS));
    for session in 0..SESSIONS {
        let (bed, done, running) = (Rc::clone(bed), Rc::clone(&done), Rc::clone(&running));
        // Hot places are those of the database, so all generators have one seed and pass over different parts of its stream.
        let mut kinds: Vec<Requests> = KINDS
            .iter()
            .map(|(_, _, run)| {
                let mut requests = Workload { run: *run, ..DECISION_SUPPORT }.requests(DATA, SEED);
                requests.nth((session * 9973 + part * 77_747) as usize);
                requests
            })
            .collect();
        bed.host().spawn({
            let bed = Rc::clone(&bed);
            async move {
                let mut order = session as usize;
                while bed.host().now() < deadline {
                    let kind = order % KINDS.len();
                    order += 1;
                    let started = bed.host().now();
                    for _ in 0..KINDS[kind].1 {
                        let request = kinds[kind].draw();
                        bed.serve(0, request).await;
                    }
                    let mut done = done.borrow_mut();
                    done[kind].0 += 1;
                    done[kind].1 += bed.host().now() - started;
                }
                running.set(running.get() - 1);
            }
        });
    }
    while running.get() > 0 {
        bed.host().sleep(SECOND / 100).await;
    }
    done.take()
}
