//! Drives of the two copies in the pool: devices that share one fail together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use base::error::{Error, Result};

use super::PoolInUse;

/// Devices of the pool on one drive. A segment and its second copy may be on any two devices, so two on one
/// drive lose the protection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SharedDrive {
    drive: String,
    /// The devices on it.
    paths: Vec<PathBuf>,
    /// True if the pool has no other devices.
    has_all: bool,
    /// True if the user accepted that they share a drive.
    pub(crate) is_accepted: bool,
}

impl SharedDrive {
    /// Returns true if a device is on it.
    pub(crate) fn includes(&self, path: &Path) -> bool {
        self.paths.iter().any(|shared| shared == path)
    }

    /// Returns one clause for tables: that there is no mirror, and the drive.
    pub(crate) fn reason(&self) -> String {
        let drive = &self.drive;
        match (self.has_all, self.paths.len()) {
            (true, 2) => format!("NOT mirrored: both on {drive}"),
            (true, _) => format!("NOT mirrored: all devices on {drive}"),
            (false, _) => format!("NOT mirrored everywhere: {} on {drive}", self.listed()),
        }
    }

    /// Returns the reason with the devices, its consequence, and the command that helps.
    pub(crate) fn warning(&self) -> String {
        let devices = if self.has_all { format!(" ({})", self.listed()) } else { String::new() };
        format!(
            "{}{devices}, so that two copies are lost with that drive. Put a device on another drive in the place of one: \
             forebay pool replace {} NEW",
            self.reason(),
            self.last()
        )
    }

    fn listed(&self) -> String {
        let paths: Vec<String> = self.paths.iter().map(|path| path.display().to_string()).collect();
        paths.join(", ")
    }

    fn last(&self) -> std::path::Display<'_> {
        self.paths.last().expect("a drive that is shared has devices").display()
    }
}

/// A device with the drives below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnDrives<'a> {
    pub(super) path: &'a Path,
    /// Empty if they are unknown: such a device counts as one on a drive of its own.
    pub(super) drives: &'a BTreeSet<String>,
    /// True if the user accepted that it shares a drive.
    pub(super) is_accepted: bool,
}

/// Returns a drive with several devices, preferably one that was not accepted.
pub(super) fn shared_drive(devices: &[OnDrives<'_>]) -> Option<SharedDrive> {
    let mut by_drive: BTreeMap<&str, Vec<&OnDrives<'_>>> = BTreeMap::new();
    for device in devices {
        for drive in device.drives {
            by_drive.entry(drive).or_default().push(device);
        }
    }
    let shared = by_drive.into_iter().filter(|(_, on_it)| on_it.len() > 1);
    let shared = shared.map(|(drive, on_it)| SharedDrive {
        drive: drive.to_owned(),
        paths: on_it.iter().map(|device| device.path.to_owned()).collect(),
        has_all: on_it.len() == devices.len(),
        is_accepted: on_it.iter().any(|device| device.is_accepted),
    });
    shared.min_by_key(|shared| (shared.is_accepted, !shared.has_all))
}

/// Refuses a new device on the drive of another one, if disks are to be mirrored. `replacing` is the number
/// of a device that is removed once the new one is added.
///
/// # Errors
/// A conflict that names drive, disks and the option that accepts it.
pub(crate) fn check_drive(
    pool: &PoolInUse,
    mirrored: &BTreeSet<String>,
    path: &Path,
    drives: &BTreeSet<String>,
    replacing: Option<u32>,
) -> Result<()> {
    let Some(shared) = pool.shared_drive_with(path, drives, replacing) else { return Ok(()) };
    if mirrored.is_empty() || shared.is_accepted || !shared.includes(path) {
        return Ok(());
    }
    let noun = if mirrored.len() == 1 { "disk" } else { "disks" };
    Err(Error::conflict(format!(
        "Cannot add {} to the pool for second copies of {noun} {}: {}. Give a device on another drive, or --same-drive to accept \
         that dirty data is lost with that drive",
        path.display(),
        mirrored.iter().map(|disk| format!("'{disk}'")).collect::<Vec<_>>().join(", "),
        shared.reason()
    )))
}

/// Refuses to begin to mirror a disk in a pool that may have both copies on one drive.
///
/// # Errors
/// A conflict that names the drive and the commands that help.
pub(crate) fn check_mirror(pool: &PoolInUse, name: &str) -> Result<()> {
    let Some(shared) = pool.shared_drive().filter(|shared| !shared.is_accepted) else { return Ok(()) };
    let last = shared.last();
    Err(Error::conflict(format!(
        "Cannot have disk '{name}' write back with redundancy=mirror: {}. Put a device on another drive in the place of one: forebay \
         pool replace {last} NEW. Or set redundancy=none for one copy, or accept that both copies are lost with that drive: \
         forebay pool add {last} --same-drive",
        shared.reason()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(devices: &[(&str, &[&str])]) -> Option<String> {
        let drives: Vec<(PathBuf, BTreeSet<String>)> = devices
            .iter()
            .map(|(path, drives)| (path.into(), drives.iter().map(|drive| (*drive).to_owned()).collect()))
            .collect();
        let devices: Vec<OnDrives<'_>> =
            drives.iter().map(|(path, drives)| OnDrives { path, drives, is_accepted: false }).collect();
        shared_drive(&devices).map(|shared| shared.reason())
    }

    #[test]
    fn a_drive_that_nobody_accepted_is_named_before_one_that_somebody_did() {
        let (one, two) = (BTreeSet::from(["sda".to_owned()]), BTreeSet::from(["sdb".to_owned()]));
        let device = |path, drives, is_accepted| OnDrives { path: Path::new(path), drives, is_accepted };
        let accepted = [device("/a", &one, false), device("/b", &one, true)];
        assert!(shared_drive(&accepted).is_some_and(|shared| shared.is_accepted));
        let more = [accepted[0], accepted[1], device("/c", &two, false), device("/d", &two, false)];
        let shared = shared_drive(&more).expect("there are two");
        assert_eq!((shared.drive.as_str(), shared.is_accepted), ("sdb", false));
    }

    #[test]
    fn two_devices_on_one_drive_are_no_mirror_and_two_drives_are() {
        assert_eq!(shared(&[("/a", &["vda"])]), None);
        let both = shared(&[("/a", &["vda"]), ("/b", &["vda"])]);
        assert_eq!(both.as_deref(), Some("NOT mirrored: both on vda"));
        assert_eq!(shared(&[("/a", &["vda"]), ("/b", &["vdb"])]), None);
        let striped = shared(&[("/a", &["sda"]), ("/md", &["sda", "sdb"])]);
        assert!(striped.is_some(), "one drive takes both along");
        let third = shared(&[("/a", &["vda"]), ("/b", &["vda"]), ("/c", &["vdb"])]);
        assert_eq!(
            third.as_deref(),
            Some("NOT mirrored everywhere: /a, /b on vda"),
            "copies may be on a and b"
        );
        let all = shared(&[("/a", &["vda"]), ("/b", &["vda"]), ("/c", &["vda"])]);
        assert_eq!(all.as_deref(), Some("NOT mirrored: all devices on vda"));
        assert_eq!(shared(&[("/a", &[]), ("/b", &[])]), None, "nothing is known of them");
    }
}
