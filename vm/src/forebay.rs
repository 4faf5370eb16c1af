//! Requests to the daemon for moving a disk.

use std::path::PathBuf;

use block::file::Identity;
use serde_json::Value;

use super::original::Original;
use base::error::{Error, Result};
use base::qemu_process::QemuProcess;

/// Connection to the daemon. Repeating a request that was done already succeeds.
pub trait Forebay {
    /// Serves a disk beside the QEMU that has it open, without lock and cache.
    ///
    /// # Errors
    /// If the daemon refuses or cannot be reached.
    fn add(&self, wanted: &DiskRequest) -> Result<MovedDisk>;

    /// Returns all disks that were moved from running guests.
    ///
    /// # Errors
    /// If the daemon refuses or cannot be reached.
    fn moved(&self) -> Result<Vec<MovedDisk>>;

    /// Locks and caches the file, once the QEMU has closed it.
    ///
    /// # Errors
    /// If the daemon refuses or cannot be reached.
    fn take_over(&self, name: &str) -> Result<()>;

    /// Stops caching and releases the lock, before the QEMU opens the file.
    ///
    /// # Errors
    /// If the daemon refuses or cannot be reached.
    fn give_up(&self, name: &str) -> Result<()>;

    /// Stops serving the disk. Succeeds if there is none of this name.
    ///
    /// # Errors
    /// If the daemon refuses or cannot be reached.
    fn remove(&self, name: &str) -> Result<()>;
}

/// Disk that is to be moved from a running guest.
#[derive(Clone, Debug)]
pub struct DiskRequest {
    /// Name of the disk.
    pub name: String,
    /// File or block device of the disk.
    pub path: PathBuf,
    /// Socket of QEMU.
    pub qmp: PathBuf,
    /// Device as the user named it.
    pub device: String,
    /// Process of that QEMU, if it can be inspected.
    pub process: Option<QemuProcess>,
    /// Options with which QEMU has it open.
    pub original: Original,
    /// Group of the disk's socket, in the form of the key `socket-group`; none for the default.
    pub socket_group: Option<String>,
}

/// Disk that was moved from a running guest, or is being moved.
#[derive(Clone, Debug)]
pub struct MovedDisk {
    /// Name of the disk, and of its NBD export.
    pub name: String,
    /// Socket at which it is served.
    pub nbd_socket: String,
    /// Its size, if it is served now.
    pub size_bytes: Option<u64>,
    /// Name of its node in QEMU.
    pub node: String,
    /// True while it is being moved, in either direction.
    pub on_its_way: bool,
    /// Socket of QEMU at the time of the move.
    pub qmp: PathBuf,
    /// Device as the user named it.
    pub device: String,
    /// Its file or device, if it is served now.
    pub storage: Option<Identity>,
    /// Options with which QEMU had it open.
    pub original: Original,
}

impl MovedDisk {
    /// Parses the daemon's description of a disk; returns none if it was not moved from a running guest.
    ///
    /// # Errors
    /// If a part is missing: then command line and daemon are of different versions.
    pub fn parse(disk: &Value) -> Result<Option<Self>> {
        let guest = &disk["guest"];
        if guest.is_null() {
            return Ok(None);
        }
        let missing = |what: &str| {
            Error::failed(format!(
                "Cannot understand the daemon: its description of disk {} has no '{what}'; use the command line and the \
                 daemon of one version",
                disk["name"]
            ))
        };
        let text = |value: &Value, what| value.as_str().map(str::to_owned).ok_or_else(|| missing(what));
        let original = serde_json::from_value(guest["original"].clone()).map_err(|_| missing("original"))?;
        Ok(Some(Self {
            name: text(&disk["name"], "name")?,
            nbd_socket: text(&disk["nbd_socket"], "nbd_socket")?,
            size_bytes: disk["size_bytes"].as_u64(),
            node: text(&guest["node"], "node")?,
            on_its_way: disk["state"] == "attaching" || disk["state"] == "detaching",
            qmp: text(&guest["qmp"], "qmp")?.into(),
            device: text(&guest["device"], "device")?,
            storage: storage(&guest["storage"]),
            original,
        }))
    }
}

fn storage(value: &Value) -> Option<Identity> {
    let number = |key: &str| value[key].as_u64();
    Some(Identity { device: number("device")?, inode: number("inode")?, rdev: number("rdev")? })
}
