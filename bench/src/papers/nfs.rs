//! Ten disks of an NFS server with 150 small guests, one cache of two SSDs in write-back, over several days with a backup each night.

use std::rc::Rc;

use block::Host;
use cache::{DiskCounts, Mode};
use serde_json::Value;
use workload::{NFS_GUEST, SCAN, Workload};

use super::{Extent, MIB, SEED, line, read_hit_percents, round};
use crate::modelled::{Bed, CachePlan, Guest, LoadLatencies, SECOND, in_virtual_time};

pub(super) const SCALE: &str =
    "1:256, guests of 32 MiB for 8 GiB and SSDs of 256 MiB for 64 GiB. A day is 240 s at the published rate";
const GUEST: u64 = 32 * MIB;
const DISKS: usize = 10;
const GUESTS_OF_DISK: u64 = 15;
const DISK: u64 = GUEST * GUESTS_OF_DISK;
const SSD: u64 = 256 * MIB;
const PROFILE: &str = "hdd-10k-raid10x24";
const DAYS: u64 = 8;
/// Length of a day, and of the night in which backups run at its end.
const DAY_SECONDS: u64 = 240;
const NIGHT_PART: u64 = 5;
/// Reads of a backup a second, in thousandths: 16 of 64 KiB on each disk.
const BACKUP_RATE: u64 = 16_000;
const BOUNDS_NS: [u64; 5] = [250_000, 1_000_000, 5_000_000, 20_000_000, 100_000_000];

pub(super) fn run(extent: Extent) -> Vec<Value> {
    // One day alone: the array has no state that would grow.
    let mut lines = run_days("alone", None, 1, extent);
    let plan = CachePlan { ssds: 2, ..CachePlan::new(SSD, Mode::WriteBack, 16 << 10, MIB) };
    lines.extend(run_days("cached", Some(plan), DAYS, extent));
    lines
}

fn run_days(case: &str, plan: Option<CachePlan>, days: u64, extent: Extent) -> Vec<Value> {
    in_virtual_time(async |host| {
        let profile = PROFILE.parse().expect("a known profile");
        let bed = Rc::new(Bed::new(&host, profile, &[DISK; DISKS], plan, |_| true).await);
        let mut guests: Vec<Guest> = (0..DISKS as u64 * GUESTS_OF_DISK)
            .map(|number| {
                let (disk, at) = (number / GUESTS_OF_DISK, number % GUESTS_OF_DISK * GUEST);
                Guest::new(NFS_GUEST.requests(GUEST, SEED + number), disk as usize, at)
            })
            .collect();
        let backup = Workload { per_second_thousandths: BACKUP_RATE, ..SCAN };
        let day = extent.of(DAY_SECONDS) * SECOND;
        let night = day / NIGHT_PART;
        let mut lines = Vec::new();
        for number in 1..=days {
            let before: Vec<DiskCounts> = (0..DISKS).map(|disk| bed.counts_of(disk)).collect();
            let (work, started) = (bed.work(), host.now());
            let mut seen = joined(&bed.open(&mut guests, day - night).await);
            // Backups are guests of the night alone; their own requests are not among the latencies.
            let mut backups: Vec<Guest> = (0..DISKS)
                .map(|disk| Guest::new(backup.requests(DISK, SEED + 1000 * number + disk as u64), disk, 0))
                .collect();
            let own = guests.len();
            guests.append(&mut backups);
            let of_night = bed.open(&mut guests, night).await;
            guests.truncate(own);
            seen.then(&joined(&of_night[..own]));
            let hits: Vec<f64> = (0..DISKS)
                .map(|disk| {
                    let [ram, flash] = read_hit_percents(&bed.counts_of(disk).since(&before[disk]));
                    round(ram + flash)
                })
                .collect();
            let mut all = DiskCounts::default();
            for (disk, before) in before.iter().enumerate() {
                all.add(&bed.counts_of(disk).since(before));
            }
            let elapsed = host.now() - started;
            let mut line = line(case, &seen);
            line["day"] = number.into();
            line["hit_percent_of_disks"] = hits.into();
            line["dirty_mib_of_disks"] = bed
                .dirty_bytes()
                .iter()
                .map(|bytes| round(*bytes as f64 / MIB as f64))
                .collect::<Vec<_>>()
                .into();
            line["within_percent"] = BOUNDS_NS.map(|bound| round(seen.percent_within(bound))).to_vec().into();
            line["bounds_ms"] = BOUNDS_NS.map(|bound| round(bound as f64 / 1e6)).to_vec().into();
            // The rate of requests is as published, so bytes a second become bytes a day without a scale.
            let day_bytes = all.flash_write_bytes as f64 * 86_400.0 * SECOND as f64 / elapsed as f64;
            line["flash_tb_a_day"] = round(day_bytes / 1e12).into();
            let work_now = bed.work();
            let operations = (work_now.operations - work.operations).max(1);
            line["array_operations"] = operations.into();
            line["seek_ms"] =
                round((work_now.seek_nanos - work.seek_nanos) as f64 / 1e6 / operations as f64).into();
            line["busy_percent"] = round(
                100.0 * (work_now.busy_nanos - work.busy_nanos) as f64
                    / elapsed as f64
                    / f64::from(profile.spindles),
            )
            .into();
            line["guest_writes"] = all.writes.into();
            line["backing_writes"] = all.backing_writes.into();
            lines.push(line);
        }
        lines
    })
}

fn joined(guests: &[LoadLatencies]) -> LoadLatencies {
    let mut all = LoadLatencies::default();
    for guest in guests {
        all.join(guest);
    }
    all
}
