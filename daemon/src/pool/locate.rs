//! The search for the devices of a pool by its id, whatever their names are now.
//!
//! ```text
//!   paths from the user or the record ── hold the pool's id? ── all devices of the pool are found: done
//!   every block device of the host    ── holds the pool's id, and is below no other device? ── it is found
//! ```
//! Reads the first two pages of each and changes nothing. A device that does not answer is skipped. While the
//! host starts, the search is repeated for a while: a service starts as soon as file systems are mounted, and
//! other devices, or their rights, may appear later.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::time::{Duration, Instant};

use base::error::{Error, Result};
use base::patience::within;
use block::file::Identity;
use cache::{Claim, MemberNumber};
use futures_util::future::{join_all, maybe_done};
use nix::sys::stat::{major, minor};
use nix::time::{ClockId, clock_gettime};

use crate::state::{DeviceRecord, PoolRecord};

/// Time that all devices together may take to answer.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(10);
/// Time since the start of the host in which devices may still appear.
const HOST_START_TIME: Duration = Duration::from_mins(2);
/// Time that a start then waits for them: a service has 60 s to start.
const ARRIVAL_TIME_MAX: Duration = Duration::from_secs(20);
const ARRIVAL_INTERVAL: Duration = Duration::from_millis(250);
/// The kernel's folder of block devices.
const BLOCK_DEVICES: &str = "/sys/class/block";
/// Folder of udev's stable names of devices, which do not depend on the order of detection.
const STABLE_NAMES: &str = "/dev/disk/by-id";

/// A file or device that holds a part of the pool.
#[derive(Clone, Debug)]
struct MemberLocation {
    path: PathBuf,
    identity: Identity,
    /// None if its superblock is damaged or of another version.
    number: Option<MemberNumber>,
}

/// A device of the pool whose path has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MovedDevice {
    pub(super) from: PathBuf,
    pub(super) to: PathBuf,
}

/// Result of the search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LocatedDevices {
    /// Number of devices of the pool that were found.
    pub(super) devices: usize,
    /// Devices whose paths have changed.
    pub(super) moved: Vec<MovedDevice>,
}

/// Finds the present paths of the devices of a pool, and puts them into its record. `named` is a path from
/// the user. Waits for missing devices, at most 20 s, if the host started in the last two minutes: data of
/// the pool on a device that its start continues without is lost.
///
/// # Errors
/// `Unavailable` if two devices hold the same part of the pool, and neither is at its recorded path.
pub(super) async fn locate(record: &mut PoolRecord, named: Option<&Path>) -> Result<LocatedDevices> {
    let uptime = clock_gettime(ClockId::CLOCK_BOOTTIME).expect("every Linux has this clock");
    let is_starting = Duration::from(uptime) < HOST_START_TIME;
    let time_max = if is_starting { ARRIVAL_TIME_MAX } else { Duration::ZERO };
    let devices = record.devices.len();
    all_within(time_max, devices, async || locate_now(record, named).await).await
}

/// Searches until this many devices are found, or the time is over.
async fn all_within(
    time_max: Duration,
    devices: usize,
    mut search: impl AsyncFnMut() -> Result<LocatedDevices>,
) -> Result<LocatedDevices> {
    let deadline = Instant::now() + time_max;
    let mut moved = Vec::new();
    let mut is_said = false;
    loop {
        let mut located = search().await?;
        moved.append(&mut located.moved);
        if located.devices >= devices || Instant::now() >= deadline {
            return Ok(LocatedDevices { moved, ..located });
        }
        if !is_said {
            is_said = true;
            tracing::info!(
                "{} of {devices} devices of the pool are there; waiting for the others, at most {} s, as the host has just started",
                located.devices,
                time_max.as_secs()
            );
        }
        tokio::time::sleep(ARRIVAL_INTERVAL).await;
    }
}

async fn locate_now(record: &mut PoolRecord, named: Option<&Path>) -> Result<LocatedDevices> {
    let known = named.map(Path::to_owned).into_iter();
    let known = known.chain(record.devices.iter().map(|device| device.path.clone()));
    let known = known.chain(record.names.iter().cloned()).collect();
    let mut sightings = sight(known, &record.id).await;
    let is_at = |path: &Path, sightings: &[MemberLocation]| sightings.iter().any(|seen| seen.path == path);
    if record.devices.iter().any(|device| !is_at(&device.path, &sightings)) {
        let all = tokio::task::spawn_blocking(block_devices).await.unwrap_or_default();
        sightings.extend(sight(all, &record.id).await);
    }
    settle(record, named, sightings)
}

/// Gives each device of the record the path at which it was found.
fn settle(
    record: &mut PoolRecord,
    named: Option<&Path>,
    sightings: Vec<MemberLocation>,
) -> Result<LocatedDevices> {
    let mut free = Vec::<MemberLocation>::new();
    for seen in sightings {
        // The first path of a storage is the one from the user, or from the record.
        if free.iter().all(|other| !other.identity.same_storage(&seen.identity)) {
            free.push(seen);
        }
    }
    let mut moved = Vec::new();
    // Devices with a known number first, then those at their recorded paths; the rest takes what is left.
    let rules: [Rule; 6] = [is_named_and_numbered, is_numbered_here, is_numbered, is_here, is_named, is_any];
    for rule in rules {
        for index in 0..record.devices.len() {
            let device = &record.devices[index];
            if moved.iter().any(|(done, _)| *done == index) {
                continue;
            }
            let matching: Vec<usize> =
                (0..free.len()).filter(|place| rule(&free[*place], device, named)).collect();
            let [first, others @ ..] = &matching[..] else { continue };
            if let Some(other) = others.iter().find(|other| free[**other].number == free[*first].number) {
                return Err(ambiguous(&record.id, &free[*first].path, &free[*other].path));
            }
            let seen = free.remove(*first);
            // A copy of a part that is found is not another part.
            free.retain(|other| seen.number.is_none() || other.number != seen.number);
            moved.push((index, seen));
        }
    }
    let devices = moved.len();
    let mut changed = Vec::new();
    for (index, seen) in moved {
        let device = &mut record.devices[index];
        device.number = seen.number.map(|number| number.0).or(device.number);
        if device.path != seen.path {
            changed.push(MovedDevice { from: device.path.clone(), to: seen.path.clone() });
            device.path = seen.path;
        }
    }
    for MovedDevice { from, .. } in &changed {
        record.add_name(from);
    }
    Ok(LocatedDevices { devices, moved: changed })
}

type Rule = fn(&MemberLocation, &DeviceRecord, Option<&Path>) -> bool;

fn is_numbered(seen: &MemberLocation, device: &DeviceRecord, _named: Option<&Path>) -> bool {
    device.number.is_some() && seen.number.map(|number| number.0) == device.number
}

fn is_named_and_numbered(seen: &MemberLocation, device: &DeviceRecord, named: Option<&Path>) -> bool {
    is_numbered(seen, device, named) && Some(seen.path.as_path()) == named
}

fn is_numbered_here(seen: &MemberLocation, device: &DeviceRecord, named: Option<&Path>) -> bool {
    is_numbered(seen, device, named) && seen.path == device.path
}

fn is_here(seen: &MemberLocation, device: &DeviceRecord, _named: Option<&Path>) -> bool {
    seen.path == device.path
}

fn is_named(seen: &MemberLocation, device: &DeviceRecord, named: Option<&Path>) -> bool {
    device.number.is_none() && Some(seen.path.as_path()) == named
}

fn is_any(seen: &MemberLocation, device: &DeviceRecord, _named: Option<&Path>) -> bool {
    device.number.is_none() && seen.number.is_some()
}

fn ambiguous(id: &str, one: &Path, other: &Path) -> Error {
    Error::unavailable(format!(
        "Cannot decide which device is pool {id}: {} and {} hold the same part of it, so one is a copy. Take the copy away, or \
         name the right one with --pool",
        one.display(),
        other.display()
    ))
}

/// Returns those of these paths that hold a part of the pool, in their order. Each is read on a thread of its
/// own, as one may hang.
async fn sight(paths: Vec<PathBuf>, id: &str) -> Vec<MemberLocation> {
    let mut unique = BTreeSet::new();
    let paths = paths.into_iter().filter(|path| unique.insert(path.clone()));
    let mut reading: Vec<_> =
        paths.map(|path| tokio::task::spawn_blocking(move || sight_one(path))).map(maybe_done).collect();
    let late = within(ANSWER_TIME_MAX, join_all(reading.iter_mut())).await;
    if late.is_err() {
        tracing::warn!("A device did not answer within {} s and is passed over", ANSWER_TIME_MAX.as_secs());
    }
    let answers = reading.iter_mut().filter_map(|read| Pin::new(read).take_output()?.ok()?);
    answers.filter(|(claim, _)| claim.id == id).map(|(_, seen)| seen).collect()
}

/// Returns the superblock at a path, if it is a file or device with a part of any pool.
fn sight_one(path: PathBuf) -> Option<(Claim, MemberLocation)> {
    let kind = fs::metadata(&path).ok()?.file_type();
    if !kind.is_file() && !kind.is_block_device() {
        return None;
    }
    let mut file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(&path).ok()?;
    let identity = Identity::from(&file.metadata().ok()?);
    let mut start = vec![0; Claim::BYTES];
    file.read_exact(&mut start).ok()?;
    let claim = Claim::read(&start)?;
    let number = claim.number;
    Some((claim, MemberLocation { path, identity, number }))
}

/// Returns all block devices without other devices on top, by their stable names if they have one. Those
/// below a multipath device, an array or a volume have the same content, and must not be used directly.
fn block_devices() -> Vec<PathBuf> {
    let entries = fs::read_dir(BLOCK_DEVICES).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    let stable = stable_names();
    names.into_iter().filter_map(|name| node(&name, &stable)).collect()
}

/// Returns the node of a block device that may hold a pool.
fn node(name: &str, stable: &[(u64, PathBuf)]) -> Option<PathBuf> {
    let about = Path::new(BLOCK_DEVICES).join(name);
    let sectors = fs::read_to_string(about.join("size")).ok()?;
    let holders = fs::read_dir(about.join("holders")).into_iter().flatten().count();
    // Floppy and optical drives take long to report that they are empty.
    if sectors.trim() == "0" || holders > 0 || name.starts_with("fd") || name.starts_with("sr") {
        return None;
    }
    let path = Path::new("/dev").join(name.replace('!', "/"));
    let metadata = fs::metadata(&path).ok()?;
    let number = fs::read_to_string(about.join("dev")).ok()?;
    let is_it = metadata.file_type().is_block_device()
        && number.trim() == format!("{}:{}", major(metadata.rdev()), minor(metadata.rdev()));
    let better = stable.iter().find(|(rdev, _)| *rdev == metadata.rdev()).map(|(_, path)| path.clone());
    is_it.then(|| better.unwrap_or(path))
}

/// Returns stable names of devices, the most readable first.
fn stable_names() -> Vec<(u64, PathBuf)> {
    let entries = fs::read_dir(STABLE_NAMES).into_iter().flatten().flatten();
    let mut names: Vec<(u64, PathBuf)> =
        entries.filter_map(|entry| Some((fs::metadata(entry.path()).ok()?.rdev(), entry.path()))).collect();
    names.sort_by_key(|(_, path)| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (["wwn-", "nvme-eui.", "lvm-pv-"].iter().any(|number| name.starts_with(number)), name)
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(path: &str, inode: u64, number: u32) -> MemberLocation {
        let identity = Identity { device: 1, inode, rdev: 0 };
        MemberLocation { path: path.into(), identity, number: Some(MemberNumber(number)) }
    }

    fn record(devices: &[(&str, Option<u32>)]) -> PoolRecord {
        let mut record = PoolRecord::new(devices[0].0.into(), "00ff".to_owned(), false);
        record.devices = devices
            .iter()
            .map(|(path, number)| DeviceRecord { number: *number, ..DeviceRecord::new(path.into(), false) })
            .collect();
        record
    }

    fn paths(record: &PoolRecord) -> Vec<&str> {
        record.devices.iter().map(|device| device.path.to_str().expect("plain")).collect()
    }

    #[tokio::test]
    async fn devices_that_come_late_are_waited_for_and_those_that_do_not_come_are_not() {
        let moved = || MovedDevice { from: "/a".into(), to: "/x".into() };
        let mut found = [0, 1, 2, 2].into_iter();
        let mut search = async || {
            let devices = found.next().expect("it ends with the second device");
            let moved = if devices == 1 { vec![moved()] } else { Vec::new() };
            Ok(LocatedDevices { devices, moved })
        };
        let located = all_within(Duration::from_mins(1), 2, &mut search).await.expect("found");
        assert_eq!(located, LocatedDevices { devices: 2, moved: vec![moved()] }, "no move is forgotten");
        assert_eq!(found.len(), 1, "searched for no longer than needed");
        let mut searches = 0;
        let search = async || {
            searches += 1;
            Ok(LocatedDevices { devices: 1, moved: Vec::new() })
        };
        let located = all_within(Duration::ZERO, 2, search).await.expect("found");
        assert_eq!((located.devices, searches), (1, 1), "a host that runs is not kept waiting");
    }

    #[test]
    fn devices_that_changed_their_names_with_each_other_are_told_by_their_numbers() {
        let mut pool = record(&[("/sda", Some(0)), ("/sdb", Some(1))]);
        let moved = settle(&mut pool, None, vec![seen("/sda", 1, 1), seen("/sdb", 2, 0)]).expect("clear");
        assert_eq!((paths(&pool), moved.moved.len()), (vec!["/sdb", "/sda"], 2));
        assert!(pool.knows(Path::new("/sda")) && pool.knows(Path::new("/sdb")));
    }

    #[test]
    fn a_device_whose_number_is_not_remembered_is_where_it_was_or_the_one_that_is_left() {
        let mut pool = record(&[("/a", None), ("/b", None)]);
        settle(&mut pool, None, vec![seen("/b", 1, 7), seen("/c", 2, 9)]).expect("clear");
        assert_eq!(paths(&pool), ["/c", "/b"]);
        assert_eq!(pool.devices[0].number, Some(9));
    }

    #[test]
    fn a_copy_is_not_taken_for_another_device_and_two_copies_are_refused() {
        let mut pool = record(&[("/a", Some(0)), ("/b", Some(1))]);
        settle(&mut pool, None, vec![seen("/a", 1, 0), seen("/copy", 2, 0)]).expect("clear");
        assert_eq!(paths(&pool), ["/a", "/b"], "the second one is away");
        let copies = || vec![seen("/x", 1, 0), seen("/y", 2, 0)];
        let mut pool = record(&[("/a", Some(0))]);
        let problem = settle(&mut pool, None, copies()).unwrap_err();
        assert!(problem.message.contains("/x") && problem.message.contains("/y"), "{problem}");
        assert_eq!(paths(&pool), ["/a"]);
        // The user decides.
        settle(&mut pool, Some(Path::new("/y")), copies()).expect("clear");
        assert_eq!(paths(&pool), ["/y"]);
    }

    #[test]
    fn one_storage_by_two_names_is_one_device() {
        let mut pool = record(&[("/a", None)]);
        settle(&mut pool, None, vec![seen("/link", 1, 0), seen("/dev/x", 1, 0)]).expect("clear");
        assert_eq!(paths(&pool), ["/link"]);
    }
}
