//! Two disks on one array: one reads and is cached, the other mostly writes and is not.

use std::rc::Rc;

use cache::Mode;
use serde_json::Value;
use workload::{MONITORING, WRITER, Workload};

use super::{Extent, MIB, SEED, line};
use crate::modelled::{Bed, CachePlan, SECOND, in_virtual_time};

pub(super) const SCALE: &str = "two disks of 512 MiB, cache 128 MiB";
const DATA: u64 = 512 * MIB;
const CACHE: u64 = 128 * MIB;
const PROFILE: &str = "hdd-15k-raid5x5";
const DEPTH: u32 = 8;
const SECONDS: u64 = 240;

pub(super) fn run(extent: Extent) -> Vec<Value> {
    let mut lines = Vec::new();
    for (case, is_cached) in [("none", false), ("cached", true)] {
        lines.extend(in_virtual_time(async |host| {
            let plan = CachePlan::new(CACHE, Mode::WriteThrough, 4 << 10, 2 * MIB);
            let profile = PROFILE.parse().expect("a known profile");
            let plan = Some(plan).filter(|_| is_cached);
            let bed = Rc::new(Bed::new(&host, profile, &[DATA, DATA], plan, |disk| disk == 0).await);
            both(&bed, extent).await;
            let work = bed.work();
            let [reader, writer] = both(&bed, extent).await;
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
async fn both(bed: &Rc<Bed>, extent: Extent) -> [crate::modelled::LoadLatencies; 2] {
    let reader = Workload { read_percent: 100, ..MONITORING };
    let [reader, writer] = [reader, WRITER].map(|guest| guest.requests(DATA, SEED));
    let begin = |disk: usize, mut requests: workload::Requests| {
        bed.start_closed(DEPTH, u64::MAX, extent.of(SECONDS) * SECOND, move || (disk, requests.draw()))
    };
    let (reader, writer) = (begin(0, reader), begin(1, writer));
    [reader.finish().await, writer.finish().await]
}
