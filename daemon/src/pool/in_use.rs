//! The pool in use: its devices by their paths, and the fate of those that left it.
//!
//! The cache has devices by number, with their states; this module has their paths, whether they are free for
//! other uses, and the reasons for which they left.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use block::file::{Identity, Placement};
use cache::types::limits::MEMBERS_MAX;
use cache::{DeviceState, MemberNumber, PoolStatistics};
use telemetry::events::{self, Kind};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};

use super::drives::{OnDrives, SharedDrive, shared_drive};
use crate::registry::displaced_text;
use crate::shard::{DeviceProbe, Openness};
use crate::state::{DeviceRecord, Loss, LostDevice};

/// The pool that is in use.
#[derive(Clone, Debug)]
pub(crate) struct PoolInUse {
    /// Path of its first device, also if that is missing.
    path: PathBuf,
    /// Set if disks are served without it.
    pub(crate) missing: Option<MissingPool>,
    /// Every device that belongs to it, is about to, or is still open.
    pub(crate) devices: Vec<DeviceInUse>,
    /// Devices that left without a request.
    lost: Vec<DroppedDevice>,
}

/// Reason for which disks are served without the pool, with its known properties.
#[derive(Clone, Debug)]
pub(crate) struct MissingPool {
    /// A sentence for people.
    pub(crate) reason: String,
    pub(crate) cause: MissingCause,
    /// Its recorded identity, 32 hexadecimal digits.
    pub(crate) id: Option<String>,
    /// Its size in bytes, if its devices were found.
    pub(crate) size_bytes: Option<u64>,
}

/// Cause of a missing pool: the remedy depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingCause {
    /// The pool itself, or one of its devices.
    Pool,
    /// DIR could not be written, and the pool is whole.
    Dir,
}

/// A device that left without a request.
#[derive(Clone, Debug)]
struct DroppedDevice {
    device: LostDevice,
    /// True if another one was added since the daemon was started.
    is_replaced: bool,
}

/// A device that belongs to the pool, is about to, or is still open.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each holds or not whatever the others are")]
pub(crate) struct DeviceInUse {
    pub(crate) path: PathBuf,
    /// Identity of its storage.
    pub(crate) identity: Identity,
    /// Reason for which it is used through the page cache, if it is.
    pub(crate) fallback: Option<String>,
    /// Its number in the pool; none as long as it does not belong.
    pub(crate) number: Option<MemberNumber>,
    /// True if its removal was requested.
    pub(crate) is_taken_out: bool,
    made_by_us: bool,
    /// The drives that it is on, by name; empty if they are unknown.
    drives: BTreeSet<String>,
    /// True if the user accepted that it shares one with another device.
    pub(crate) same_drive: bool,
    openness: Openness,
    /// Storage that is at its path now.
    placement: Placement,
    /// Time at which its failure was first seen.
    failed_at: Option<String>,
    /// True if the pool does not list it any more, or never did.
    pub(crate) has_left: bool,
}

/// A device that has left the pool and is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FormerDevice {
    pub(crate) path: PathBuf,
    /// True for a file that the daemon made, and that was removed on request.
    pub(crate) is_to_be_removed: bool,
}

impl PoolInUse {
    /// Returns a pool that was opened on these devices, and lost others.
    pub(super) fn from_devices(devices: Vec<DeviceInUse>, lost: &[LostDevice]) -> Self {
        let path = devices.first().map(|device| device.path.clone()).unwrap_or_default();
        let lost =
            lost.iter().map(|device| DroppedDevice { device: device.clone(), is_replaced: false }).collect();
        Self { path, missing: None, devices, lost }
    }

    /// Returns a pool that could not be opened.
    pub(super) fn missing(path: PathBuf, missing: MissingPool) -> Self {
        Self { path, missing: Some(missing), devices: Vec::new(), lost: Vec::new() }
    }

    /// Returns the path of its first device, also if that is missing.
    pub(crate) fn path(&self) -> &Path {
        self.devices.iter().find(|device| !device.has_left).map_or(&self.path, |device| &device.path)
    }

    /// Returns the device with a number.
    pub(crate) fn device(&self, number: MemberNumber) -> Option<&DeviceInUse> {
        self.devices.iter().find(|device| device.number == Some(number) && !device.has_left)
    }

    /// Sets whether the removal of a device was requested.
    pub(crate) fn set_taken_out(&mut self, number: MemberNumber, is_taken_out: bool) {
        let devices = self.devices.iter_mut().filter(|device| device.number == Some(number));
        devices.for_each(|device| device.is_taken_out = is_taken_out);
    }

    /// Returns a drive with several devices.
    pub(crate) fn shared_drive(&self) -> Option<SharedDrive> {
        shared_drive(&self.on_drives(None).collect::<Vec<_>>())
    }

    /// Returns the result of [`Self::shared_drive`] with one device more, and without the one of a number.
    pub(super) fn shared_drive_with(
        &self,
        path: &Path,
        drives: &BTreeSet<String>,
        without: Option<u32>,
    ) -> Option<SharedDrive> {
        let new = OnDrives { path, drives, is_accepted: false };
        shared_drive(&self.on_drives(without).chain([new]).collect::<Vec<_>>())
    }

    /// Returns the devices that hold copies, or are about to.
    fn on_drives(&self, without: Option<u32>) -> impl Iterator<Item = OnDrives<'_>> {
        let counts = move |device: &&DeviceInUse| {
            !device.has_left
                && !device.is_taken_out
                && device.failed_at.is_none()
                && device.number.is_none_or(|number| Some(number.0) != without)
        };
        self.devices.iter().filter(counts).map(DeviceInUse::on_drives)
    }

    /// Returns true if a storage is one of the pool's.
    pub(crate) fn is_on(&self, identity: Identity) -> bool {
        self.devices.iter().any(|device| device.identity.same_storage(&identity))
    }

    /// Returns the paths of the devices that belong to the pool, with their open identities.
    pub(crate) fn placed(&self) -> Vec<(PathBuf, Identity)> {
        self.present().map(|device| (device.path.clone(), device.identity)).collect()
    }

    /// Records whether the path of a device still refers to it. Returns true if that has changed.
    pub(crate) fn set_placement(&mut self, path: &Path, placement: Placement) -> bool {
        let device = self.devices.iter_mut().find(|device| device.path == path);
        device.is_some_and(|device| std::mem::replace(&mut device.placement, placement) != placement)
    }

    /// Returns the devices that the next start will not find at their paths.
    pub(crate) fn displaced(&self) -> Vec<(PathBuf, Placement)> {
        let displaced = self.present().filter(|device| device.placement != Placement::InPlace);
        displaced.map(|device| (device.path.clone(), device.placement)).collect()
    }

    /// Returns true if the next start will not find a device at its path.
    pub(crate) fn is_displaced(&self) -> bool {
        !self.displaced().is_empty()
    }

    fn present(&self) -> impl Iterator<Item = &DeviceInUse> {
        self.devices.iter().filter(|device| !device.has_left && device.failed_at.is_none())
    }

    /// Updates the devices from the state of the pool. Returns those that have left and are closed.
    pub(crate) fn take_note(&mut self, statistics: &PoolStatistics) -> Vec<FormerDevice> {
        for device in &mut self.devices {
            let Some(number) = device.number else { continue };
            let listed = statistics.devices.iter().find(|listed| listed.number == number.0);
            let failed = listed.map_or(!device.is_taken_out, |listed| listed.state == DeviceState::Failed);
            if failed && device.failed_at.is_none() {
                device.failed_at = Some(now());
                let path = device.path.display();
                let advice = replace(&device.path);
                let failed = format!("{path} failed and leaves the pool; guests go on. {advice}");
                events::of_host(Kind::DeviceFailed, failed);
            }
            if listed.is_none() && !device.has_left {
                device.has_left = true;
                self.lost.extend(device.lost());
            }
        }
        let is_former = |device: &&DeviceInUse| device.has_left && !device.openness.is_open();
        self.devices.iter().filter(is_former).map(DeviceInUse::former).collect()
    }

    /// Records an added device: it replaces one that was lost, if there is one, preferably one at the same
    /// path.
    pub(crate) fn note_added(&mut self, path: &Path) {
        let mut empty: Vec<&mut DroppedDevice> =
            self.lost.iter_mut().filter(|lost| !lost.is_replaced).collect();
        let same = empty.iter().position(|lost| lost.device.path == path);
        if let Some(lost) = empty.get_mut(same.unwrap_or(0)) {
            lost.is_replaced = true;
        }
    }

    /// Returns devices that left without a request and were not replaced: as many as a pool may have, the
    /// newest ones.
    pub(crate) fn lost(&self) -> Vec<LostDevice> {
        let lost = self.lost.iter().filter(|lost| !lost.is_replaced).map(|lost| lost.device.clone());
        newest(&lost.collect::<Vec<_>>()).to_vec()
    }

    /// Returns warnings about devices that are not listed any more.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let displaced = self.displaced();
        let displaced = displaced.iter().map(|(path, found)| {
            let what = displaced_text(path, *found);
            format!(
                "{what}. The next start will not find it: destage everything before a stop, or move it back"
            )
        });
        displaced.chain(newest(&self.lost).iter().map(DroppedDevice::warning)).collect()
    }

    /// Removes a device.
    pub(crate) fn forget(&mut self, path: &Path) {
        self.devices.retain(|device| device.path != path);
    }
}

impl DeviceInUse {
    /// Returns a device that was examined and is open.
    pub(crate) fn new(record: &DeviceRecord, found: &DeviceProbe, number: Option<MemberNumber>) -> Self {
        Self {
            path: record.path.clone(),
            identity: found.identity,
            fallback: found.fallback.clone(),
            number,
            is_taken_out: record.leaving,
            made_by_us: record.made_by_us,
            drives: found.drives.clone(),
            same_drive: record.same_drive,
            openness: found.openness.clone(),
            placement: Placement::InPlace,
            failed_at: None,
            has_left: false,
        }
    }

    /// Returns the drives that it is on, by name.
    pub(crate) fn drives(&self) -> Vec<String> {
        self.drives.iter().cloned().collect()
    }

    fn on_drives(&self) -> OnDrives<'_> {
        OnDrives { path: &self.path, drives: &self.drives, is_accepted: self.same_drive }
    }

    fn lost(&self) -> Option<DroppedDevice> {
        let at = self.failed_at.clone()?;
        let device = LostDevice { path: self.path.clone(), how: Loss::Failed, at, reason: None };
        Some(DroppedDevice { device, is_replaced: false })
    }

    fn former(&self) -> FormerDevice {
        // A file that failed is kept for diagnosis.
        let is_to_be_removed = self.made_by_us && self.is_taken_out && self.failed_at.is_none();
        FormerDevice { path: self.path.clone(), is_to_be_removed }
    }
}

impl DroppedDevice {
    fn warning(&self) -> String {
        let Self { device: LostDevice { path, how, at, reason }, is_replaced } = self;
        let advice = if *is_replaced { "Another one is in its place".to_owned() } else { replace(path) };
        let what = match how {
            Loss::Failed => format!("failed at {at} and left the pool"),
            Loss::Missing => {
                format!("was missing, damaged or stale at the start of {at}, and is not in the pool any more")
            }
        };
        let reason = reason.as_ref().map(|reason| format!(" {reason}.")).unwrap_or_default();
        format!("{} {what}.{reason} {advice}", path.display())
    }
}

impl LostDevice {
    /// Returns a device that a start continues without.
    pub(super) fn at_start(path: PathBuf, reason: Option<String>) -> Self {
        Self { path, how: Loss::Missing, at: now(), reason }
    }
}

/// Returns the last of them: no more than a pool may have devices.
fn newest<T>(lost: &[T]) -> &[T] {
    &lost[lost.len().saturating_sub(MEMBERS_MAX)..]
}

/// Returns advice on a device that failed.
fn replace(path: &Path) -> String {
    format!("Replace it: forebay pool replace {} NEW", path.display())
}

/// Returns the present time in the format of the log.
fn now() -> String {
    let mut text = String::new();
    match SystemTime.format_time(&mut Writer::new(&mut text)) {
        Ok(()) => text,
        Err(std::fmt::Error) => "an unknown time".to_owned(),
    }
}
