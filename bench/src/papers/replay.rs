//! Two servers with the timing of their requests kept, without a cache and with blocks of 4 KiB to 1 MiB.

use std::rc::Rc;

use cache::Mode;
use serde_json::Value;
use workload::{MONITORING, PROXY, Workload};

use super::{Extent, MIB, SEED, line, read_hit_percents};
use crate::modelled::{Bed, CachePlan, Guest, SECOND, in_virtual_time};

pub(super) const SCALE: &str =
    "data 1 GiB and cache 128 MiB; a generator in place of the traces, which are not ours to give";
const DATA: u64 = 1024 * MIB;
const CACHE: u64 = 128 * MIB;
const PROFILE: &str = "hdd-15k-raid5x5";
const SECONDS: u64 = 600;
/// Share of the workloads' rates, in hundredths, at which the array alone keeps up with their bursts.
const RATE_PERCENT: u64 = 30;
const BLOCKS_KIB: [u32; 5] = [4, 16, 64, 256, 1024];

pub(super) fn run(extent: Extent) -> Vec<Value> {
    let mut lines = Vec::new();
    for server in [MONITORING, PROXY] {
        lines.push(measure(server, None, extent));
        lines.extend(BLOCKS_KIB.map(|block| measure(server, Some(block), extent)));
    }
    lines
}

fn measure(server: Workload, block_kib: Option<u32>, extent: Extent) -> Value {
    in_virtual_time(async |host| {
        let plan = block_kib.map(|block| CachePlan::new(CACHE, Mode::WriteThrough, block << 10, 2 * MIB));
        let profile = PROFILE.parse().expect("a known profile");
        let bed = Rc::new(Bed::new(&host, profile, &[DATA], plan, |_| true).await);
        let server = server.at_rate_percent(RATE_PERCENT);
        let mut guests = [Guest::new(server.requests(DATA, SEED), 0, 0)];
        let nanos = extent.of(SECONDS) * SECOND;
        bed.open(&mut guests, nanos).await;
        let before = bed.counts();
        let seen = bed.open(&mut guests, nanos).await.remove(0);
        let [ram, flash] = read_hit_percents(&bed.counts().since(&before));
        let mut line = line(server.name, &seen);
        line["block_kib"] = block_kib.unwrap_or(0).into();
        line["hit_percent"] = super::round(ram + flash).into();
        line["index_bytes"] = bed.index_bytes().into();
        line
    })
}
