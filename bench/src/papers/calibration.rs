//! Calibration of a disk of 200 units by a database, with a cache of 50 units: without a cache, with a cold one, and passes after that.

use std::rc::Rc;

use cache::Mode;
use serde_json::Value;
use workload::CALIBRATION;

use super::{Extent, MIB, SEED, line, read_hit_percents};
use crate::modelled::{Bed, CachePlan, LoadLatencies, in_virtual_time};

pub(super) const SCALE: &str = "a unit is 16 MiB: 1:64 of a GiB for disk, files and cache";
const UNIT: u64 = 16 * MIB;
const DISK: u64 = 200 * UNIT;
const CACHE: u64 = 50 * UNIT;
/// The model of this array answers about as many random reads a second as is published of the disk.
const PROFILE: &str = "hdd-10k-raid0x4";
const DEPTH: u32 = 32;
/// Requests of a pass: three quarters of the blocks of the files, in which 29 % of random accesses are repetitions.
const REQUESTS: u64 = DISK / 8192 * 40 / 100 * 3 / 4;
/// Parts of a pass, each a point of the chart.
const PARTS: u64 = 10;

pub(super) fn run(_: Extent) -> Vec<Value> {
    let profile = PROFILE.parse().expect("a known profile");
    let mut lines = in_virtual_time(async |host| {
        let bed = Rc::new(Bed::new(&host, profile, &[DISK], None, |_| false).await);
        passes(&bed, &["baseline"]).await
    });
    // A pass of fewer requests would have fewer hits: the passes are always whole.
    lines.extend(in_virtual_time(async |host| {
        let plan = CachePlan::new(CACHE, Mode::WriteThrough, 8 << 10, 4 * MIB);
        let bed = Rc::new(Bed::new(&host, profile, &[DISK], Some(plan), |_| true).await);
        passes(&bed, &["cold", "second", "third"]).await
    }));
    lines
}

async fn passes(bed: &Rc<Bed>, names: &[&str]) -> Vec<Value> {
    let mut lines = Vec::new();
    for (pass, name) in names.iter().enumerate() {
        // The same places for the baseline and the first pass, others for the next ones.
        let mut requests = CALIBRATION.requests(DISK, SEED);
        for _ in 0..pass as u64 * REQUESTS {
            requests.draw();
        }
        let (before, mut all) = (bed.counts(), LoadLatencies::default());
        for part in 0..PARTS {
            let mut drawn = requests.clone();
            let seen = bed.closed(DEPTH, REQUESTS / PARTS, move || (0, drawn.draw())).await;
            requests.nth((REQUESTS / PARTS - 1) as usize);
            let mut point = line("course", &seen);
            point["pass"] = (*name).into();
            point["part"] = part.into();
            lines.push(point);
            all.then(&seen);
        }
        let counts = bed.counts().since(&before);
        let mut total = line(name, &all);
        let [ram, flash] = read_hit_percents(&counts);
        total["ram_hit_percent"] = ram.into();
        total["flash_hit_percent"] = flash.into();
        total["hit_percent"] = super::round(ram + flash).into();
        total["fills_dropped"] = counts.fills_dropped.into();
        lines.push(total);
    }
    lines
}
