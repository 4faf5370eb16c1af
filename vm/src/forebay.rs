//! What moving a disk asks of the daemon.

use std::path::PathBuf;

use block::file::Identity;
use serde_json::Value;

use super::original::Original;
use base::problem::{Answer, Problem};
use base::qemu_process::QemuProcess;

/// The daemon, as this process reaches it. What was done already is done again with success.
pub trait Forebay {
    /// Serves a disk beside the QEMU that has it open, without lock and cache.
    ///
    /// # Errors
    /// If the daemon refuses or cannot be reached.
    fn add(&self, wanted: &Wanted) -> Answer<MovedDisk>;

    /// All disks that were taken from running guests.
    ///
    /// # Errors
    /// If the daemon refuses or cannot be reached.
    fn moved(&self) -> Answer<Vec<MovedDisk>>;

    /// The QEMU has closed the file: lock it, cache it.
    ///
    /// # Errors
    /// If the daemon refuses or cannot be reached.
    fn take_over(&self, name: &str) -> Answer<()>;

    /// The QEMU will open the file: cache nothing, give up the lock.
    ///
    /// # Errors
    /// If the daemon refuses or cannot be reached.
    fn give_up(&self, name: &str) -> Answer<()>;

    /// Stops serving the disk. It is no error if there is none of this name.
    ///
    /// # Errors
    /// If the daemon refuses or cannot be reached.
    fn remove(&self, name: &str) -> Answer<()>;
}

/// A disk that is to be taken from a running guest.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The disk's name.
    pub name: String,
    /// The file or block device that it is on.
    pub path: PathBuf,
    /// QEMU's socket.
    pub qmp: PathBuf,
    /// The device as the user named it.
    pub device: String,
    /// The process of that QEMU, if it can be looked into.
    pub process: Option<QemuProcess>,
    /// How QEMU has it open.
    pub original: Original,
    /// The group that the disk's socket is given to, as the key `socket-group` takes it; none leaves it as usual.
    pub socket_group: Option<String>,
}

/// A disk that was taken from a running guest, or is on its way.
#[derive(Clone, Debug)]
pub struct MovedDisk {
    /// The disk's name, which is the name of its NBD export as well.
    pub name: String,
    /// Where it is served.
    pub nbd_socket: String,
    /// Its size, if it is served now.
    pub size_bytes: Option<u64>,
    /// What QEMU is to call it.
    pub node: String,
    /// True while it is on its way, either way.
    pub on_its_way: bool,
    /// QEMU's socket when it was taken.
    pub qmp: PathBuf,
    /// The device as the user named it.
    pub device: String,
    /// What it is on, if it is served now.
    pub storage: Option<Identity>,
    /// How QEMU had it open.
    pub original: Original,
}

impl MovedDisk {
    /// Reads the daemon's description of a disk; none if it was not taken from a running guest.
    ///
    /// # Errors
    /// If something is missing in it: then command line and daemon are of different versions.
    pub fn parse(disk: &Value) -> Answer<Option<Self>> {
        let guest = &disk["guest"];
        if guest.is_null() {
            return Ok(None);
        }
        let missing = |what: &str| {
            Problem::failed(format!(
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
