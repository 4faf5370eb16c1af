//! Two disks on one array: one reads at a steady rate and is cached, the other mostly writes, as fast as it can, and is not.

use std::rc::Rc;

use cache::Mode;
use serde_json::Value;
use workload::{MONITORING, WRITER, Workload};

use super::{Extent, MIB, SEED, line};
use crate::modelled::{Bed, CachePlan, Guest, LoadLatencies, SECOND, in_virtual_time};

pub(super) const SCALE: &str = "two disks of 512 MiB, cache 128 MiB; 120 reads a second of one guest, as many requests of the other as it gets answered";
const DATA: u64 = 512 * MIB;
const CACHE: u64 = 128 * MIB;
const PROFILE: &str = "hdd-15k-raid5x5";
const DEPTH: u32 = 8;
const SECONDS: u64 = 240;
/// Users' work has a rate, whatever the disk could do: a guest that reads as fast as it can takes back what the array was relieved of.
const READER: Workload =
    Workload { read_percent: 100, per_second_thousandths: 120_000, active_percent: 100, ..MONITORING };

pub(super) fn run(extent: Extent) -> Vec<Value> {
    let mut lines = Vec::new();
    for (case, is_cached) in [("none", false), ("cached", true)] {
        lines.extend(in_virtual_time(async |host| {
            let plan = CachePlan::new(CACHE, Mode::WriteThrough, 4 << 10, 2 * MIB);
            let profile = PROFILE.parse().expect("a known profile");
            let plan = Some(plan).filter(|_| is_cached);
            let bed = Rc::new(Bed::new(&host, profile, &[DATA, DATA], plan, |disk| disk == 0).await);
            let mut guest = [Guest::new(READER.requests(DATA, SEED), 0, 0)];
            both(&bed, &mut guest, extent).await;
            let work = bed.work();
            let [reader, writer] = both(&bed, &mut guest, extent).await;
            let operations = bed.work().operations - work.operations;
            let mut lines =
                vec![line(&format!("{case}, reader"), &reader), line(&format!("{case}, writer"), &writer)];
            for line in &mut lines {
                line["array_operations"] = operations.into();
            }
            lines
        }));
    }
    lines
}

/// Loads both disks for the same time.
async fn both(bed: &Rc<Bed>, reader: &mut [Guest], extent: Extent) -> [LoadLatencies; 2] {
    let nanos = extent.of(SECONDS) * SECOND;
    let mut requests = WRITER.requests(DATA, SEED);
    let writer = bed.start_closed(DEPTH, u64::MAX, nanos, move || (1, requests.draw()));
    let reader = bed.open(reader, nanos).await.remove(0);
    [reader, writer.finish().await]
}
