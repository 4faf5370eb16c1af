//! Reports swap space of this host on a mapped disk, for the daemon: nothing here needs privileges.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Weak;
use std::time::Duration;

use doors::kernel_uses;
use telemetry::events::{self, Kind, News};

use super::kernel_nbd::devices_at;
use super::{DiskPlace, holders};
use crate::door::DoorReport;
use crate::registry::Registry;

const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// Checks for swap space as long as the registry is in use. Each disk is reported once, until its swap space
/// is gone.
pub(crate) async fn watch_swap(registry: Weak<Registry>) {
    let mut uses = kernel_uses();
    let mut reported = BTreeSet::new();
    loop {
        // Without a mapped disk this never wakes.
        if uses.wait_for(|uses| *uses > 0).await.is_err() {
            return;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
        let Some(registry) = registry.upgrade() else { return };
        let found = if has_swap() { find(&registry).await } else { Vec::new() };
        reported.retain(|disk| found.iter().any(|found| found.disk == *disk));
        for SwapOnDisk { disk, device, path } in found {
            if reported.insert(disk.clone()) {
                let message = format!(
                    "Swap space of this host ({}) is on disk '{disk}', which is mapped as {}",
                    path.display(),
                    device.display()
                );
                events::report(News { kind: Kind::SwapOnMappedDisk, disk: Some(disk), message });
            }
        }
    }
}

struct SwapOnDisk {
    disk: String,
    device: PathBuf,
    path: PathBuf,
}

/// Returns true if this host has swap space: its list has more than the heading.
fn has_swap() -> bool {
    fs::read_to_string("/proc/swaps").is_ok_and(|list| list.lines().count() > 1)
}

async fn find(registry: &Registry) -> Vec<SwapOnDisk> {
    let run = registry.places().run.clone();
    let disks = registry.disks().await.into_iter();
    let mapped: Vec<(String, Vec<DoorReport>)> =
        disks.filter_map(|disk| Some((disk.record.name, disk.report.ok()?.doors))).collect();
    // A file of swap space is examined in its file system, which may block.
    let looking = tokio::task::spawn_blocking(move || {
        let all = mapped.into_iter().flat_map(|(disk, doors)| {
            let devices = devices_of(&disk, &run, &doors);
            devices.into_iter().map(move |device| (disk.clone(), device))
        });
        all.filter_map(|(disk, device)| {
            let path = holders::swap_on(&device)?;
            Some(SwapOnDisk { disk, device, path })
        })
        .collect()
    });
    looking.await.unwrap_or_default()
}

fn devices_of(disk: &str, run: &Path, doors: &[DoorReport]) -> Vec<PathBuf> {
    let mut devices: Vec<PathBuf> = doors.iter().filter_map(|door| door.device_node.clone()).collect();
    if doors.iter().any(|door| door.counters.kernel_connections > 0) {
        devices.extend(devices_at(&DiskPlace::new(disk, run, None, 0)));
    }
    devices
}
