//! Transactions of an online store, random over 15 units, with caches of 10 and of 15 units.

use std::rc::Rc;

use cache::Mode;
use serde_json::Value;
use workload::ONLINE_STORE;

use super::{Extent, MIB, SEED, line, read_hit_percents};
use crate::modelled::{Bed, CachePlan, in_virtual_time};

pub(super) const SCALE: &str = "a unit is 32 MiB: 1:32 of a GiB for database and caches";
const UNIT: u64 = 32 * MIB;
const DATA: u64 = 15 * UNIT;
const PROFILE: &str = "hdd-15k-raid5x5";
const DEPTH: u32 = 16;
/// Requests of an order.
const ORDER: f64 = 20.0;
/// Requests before those that are measured: each block is accessed five times on average.
const WARMING: u64 = DATA / 8192 * 5;
const REQUESTS: u64 = 100_000;

pub(super) fn run(extent: Extent) -> Vec<Value> {
    let measure = |units: u64| {
        in_virtual_time(async |host| {
            // A cache as large as the database holds it with what its log needs.
            let bytes = if units == 15 { units * UNIT * 5 / 4 } else { units * UNIT };
            let plan = (units > 0).then(|| CachePlan::new(bytes, Mode::WriteThrough, 8 << 10, 4 * MIB));
            let profile = PROFILE.parse().expect("a known profile");
            let bed = Rc::new(Bed::new(&host, profile, &[DATA], plan, |_| true).await);
            let mut requests = ONLINE_STORE.requests(DATA, SEED);
            if units > 0 {
                let mut warming = requests.clone();
                bed.closed(DEPTH, WARMING, move || (0, warming.draw())).await;
                requests.nth(WARMING as usize);
            }
            let before = bed.counts();
            let seen = bed.closed(DEPTH, extent.of(REQUESTS), move || (0, requests.draw())).await;
            let [ram, flash] = read_hit_percents(&bed.counts().since(&before));
            let mut line = line(&format!("cache {units}"), &seen);
            line["orders_per_minute"] = super::round(seen.iops() * 60.0 / ORDER).into();
            line["hit_percent"] = super::round(ram + flash).into();
            line
        })
    };
    [0, 10, 15].map(measure).to_vec()
}
