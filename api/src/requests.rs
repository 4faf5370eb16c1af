//! Requests for changes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use base::qemu_process::QemuProcess;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Request for a new disk.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddDisk {
    /// Name of the disk.
    #[schema(pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")]
    pub name: String,
    /// Path or URI of its backing; a path must be absolute.
    pub backing: String,
    /// True to refuse writes.
    #[serde(default)]
    pub read_only: bool,
    /// True to serve a file that looks like an image as the bytes that it is.
    #[serde(default)]
    pub force_raw: bool,
    /// Keys and values; missing keys have their defaults.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// Running guest whose QEMU has it open; the disk is then served beside that QEMU until it is taken over.
    #[serde(default)]
    pub guest: Option<Guest>,
}

/// Running guest whose disk is to be moved.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Guest {
    /// QMP socket of its QEMU, absolute.
    #[schema(value_type = String)]
    pub qmp: PathBuf,
    /// Device as the user named it.
    pub device: String,
    /// Process of its QEMU: when it ends, the disk is released.
    #[serde(default)]
    pub process: Option<QemuProcess>,
    /// Options with which its QEMU has the disk open. Stored and returned unchanged.
    pub original: Value,
}

/// Request for one more device of the pool.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddDevice {
    /// Path of the file or device; absolute.
    #[schema(value_type = String)]
    pub path: PathBuf,
    /// Size of a new file to create there.
    #[serde(default)]
    pub size_bytes: Option<u64>,
    /// Id of the content that may be erased.
    #[serde(default)]
    pub erase: Option<String>,
    /// True to accept that it is on the drive of another device, also of one that belongs to the pool: two copies are lost with that drive.
    #[serde(default)]
    pub same_drive: bool,
    /// Number of a device to remove once this one is added.
    #[serde(default)]
    pub replacing: Option<u32>,
}

/// Request for another size of a device of the pool.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResizeDevice {
    /// Bytes of it that the pool is to use; null for all of it.
    pub size_bytes: Option<u64>,
}

/// Request for changes to the pool.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetPool {
    /// Keys and values.
    pub settings: BTreeMap<String, String>,
    /// Number of the device, if not all of them.
    #[serde(default)]
    pub device: Option<u32>,
}

/// Request for changes to a disk.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetDisk {
    /// Keys and values.
    pub settings: BTreeMap<String, String>,
    /// True if another block size may drop what is cached.
    #[serde(default)]
    pub drop_cached: bool,
}

/// Request to quiesce a disk.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuiesceDisk {
    /// Time in seconds for which it stays quiesced, from when the backing is complete.
    pub seconds: u64,
    /// True if guests are to write through meanwhile, also in consistent order.
    #[serde(default)]
    pub write_through: bool,
}

/// Request for a scrub.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ScrubDisk {
    /// Most bytes that are read in a second; null for 64 MiB.
    #[serde(default)]
    #[schema(minimum = 1)]
    pub bytes_per_second: Option<u64>,
}

/// Confirmation of the backing of a disk that waits. Without it, the backing is only compared with the cached pages.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptDisk {
    /// True if it is the backing whose pages are cached: the disk is served with its dirty data, unless pages differ.
    #[serde(default)]
    pub accept: bool,
    /// True to serve it even if pages differ.
    #[serde(default)]
    pub despite_differences: bool,
}

/// Largest whole number that all readers of JSON understand (RFC 8259, section 6).
pub const NUMBER_MAX: u64 = (1 << 53) - 1;

/// Request to let a disk become dirty again.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResumeDisk {
    /// Number of the request whose effect is to end; null for any request.
    #[serde(default)]
    #[schema(maximum = 9_007_199_254_740_991_i64)]
    pub number: Option<u64>,
}

/// Request to resize a disk.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResizeDisk {
    /// Size in bytes that its volume gets before, in whole MiB; null for the size that its backing has.
    #[serde(default)]
    pub size_bytes: Option<u64>,
}

/// Request for a snapshot of the volume of a disk.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TakeSnapshot {
    /// Name of the snapshot.
    pub name: String,
}

/// Request to remove a disk.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveDisk {
    /// True to discard its dirty data.
    #[serde(default)]
    pub discard_dirty: bool,
    /// True to remove it while guests use it. Otherwise a disk in use is refused with status 409.
    #[serde(default)]
    pub force: bool,
}

/// Request to serve a disk of a running guest: its QEMU by the path of the monitor's socket, or by its name in libvirt.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AttachVm {
    /// Path of QEMU's monitor socket on this host.
    #[serde(default)]
    pub qmp: Option<String>,
    /// Name of the guest in libvirt.
    #[serde(default)]
    pub libvirt: Option<String>,
    /// Id of the guest's device. Not needed if it has one disk.
    #[serde(default)]
    pub device: Option<String>,
    /// Name of the disk in Forebay.
    #[serde(default)]
    pub name: Option<String>,
}
