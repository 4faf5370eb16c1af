//! Requests for changes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use base::qemu_process::QemuProcess;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Asks for a new disk.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddDisk {
    /// Its name.
    #[schema(pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")]
    pub name: String,
    /// Where its data lives; a path must be absolute.
    pub backing: String,
    /// Refuse writes.
    #[serde(default)]
    pub read_only: bool,
    /// Serve a file that looks like an image as the bytes that it is.
    #[serde(default)]
    pub force_raw: bool,
    /// Keys and values; those that are left out have their defaults.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// The running guest whose QEMU has it open; then it is served beside that QEMU until it is taken over.
    #[serde(default)]
    pub guest: Option<Guest>,
}

/// A running guest whose disk is to be moved.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Guest {
    /// Its QEMU's QMP socket, absolute.
    #[schema(value_type = String)]
    pub qmp: PathBuf,
    /// The device as the user named it.
    pub device: String,
    /// Its QEMU: when that ends, the disk is released.
    #[serde(default)]
    pub process: Option<QemuProcess>,
    /// The way in which its QEMU has the disk open. Kept and given back as it is.
    pub original: Value,
}

/// Asks for one more device of the pool.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddDevice {
    /// The file or device; absolute.
    #[schema(value_type = String)]
    pub path: PathBuf,
    /// Make a file of so many bytes there.
    #[serde(default)]
    pub size_bytes: Option<u64>,
    /// The id of what it holds and may be erased.
    #[serde(default)]
    pub erase: Option<String>,
    /// Accept that it is on the drive of another device, also of one that belongs to the pool: two copies are lost with that drive.
    #[serde(default)]
    pub same_drive: bool,
    /// The number of a device that is to go when this one is there.
    #[serde(default)]
    pub replacing: Option<u32>,
}

/// Asks for another size of a device of the pool.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResizeDevice {
    /// Bytes that the pool is to use of it; null for all that it has.
    pub size_bytes: Option<u64>,
}

/// Asks for changes to the pool.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetPool {
    /// Keys and values.
    pub settings: BTreeMap<String, String>,
    /// The number of the device that is meant, if not all of them.
    #[serde(default)]
    pub device: Option<u32>,
}

/// Asks for changes to a disk.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetDisk {
    /// Keys and values.
    pub settings: BTreeMap<String, String>,
    /// Another block size may drop what is cached.
    #[serde(default)]
    pub drop_cached: bool,
}

/// Asks for a disk to be kept from becoming dirty.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuiesceDisk {
    /// For how long, from when nothing is dirty.
    pub seconds: u64,
}

/// The operator's word on the backing of a disk that waits. Without one, it is only compared with what is cached.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptDisk {
    /// It is what was cached: serve the disk with what is dirty, unless pages differ.
    #[serde(default)]
    pub accept: bool,
    /// Also if pages differ.
    #[serde(default)]
    pub despite_differences: bool,
}

/// The largest whole number that all readers of JSON understand (RFC 8259, section 6).
pub const NUMBER_MAX: u64 = (1 << 53) - 1;

/// Lets a disk become dirty again.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResumeDisk {
    /// Only if it is kept quiet by the request of this number; whoever asked for it otherwise.
    #[serde(default)]
    #[schema(maximum = 9_007_199_254_740_991_i64)]
    pub number: Option<u64>,
}

/// The way in which a disk is removed.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveDisk {
    /// Consent to give up what its backing does not have.
    #[serde(default)]
    pub discard_dirty: bool,
    /// It is taken from guests that use it. Without this, a disk in use is refused with status 409.
    #[serde(default)]
    pub force: bool,
}

/// A running guest whose disk is to be served: its QEMU by the path of the monitor's socket, or by its name in libvirt.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AttachVm {
    /// QEMU's monitor socket, as a path of this host.
    #[serde(default)]
    pub qmp: Option<String>,
    /// The guest's name in libvirt.
    #[serde(default)]
    pub libvirt: Option<String>,
    /// The id of the guest's device. Not needed if it has one disk.
    #[serde(default)]
    pub device: Option<String>,
    /// Name that the disk is to have in Forebay.
    #[serde(default)]
    pub name: Option<String>,
}
