//! Documents about a disk: what it is, how it stands, how it is cached, and what a change did.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::listed::Settings;
use crate::statistics::Statistics;

/// In which state a disk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DiskState {
    /// Guests are served.
    Serving,
    /// It is not served yet: `reason` says why. It is tried again.
    Waiting,
    /// It answers nothing but errors, because of its backing: `reason` says why.
    Failed,
    /// It answers nothing but errors, because what only flash has cannot be read.
    Stopped,
    /// The disk is being removed: what its backing does not have is brought home, then it goes.
    Removing,
    /// On its way from a running QEMU.
    Attaching,
    /// On its way back to a running QEMU.
    Detaching,
}

/// Begin of every description of a disk.
#[derive(Debug, Serialize, ToSchema)]
pub struct Head {
    pub name: String,
    /// `write-through`, `write-back`, `write-around` or `pass-through`.
    pub mode: String,
    pub state: DiskState,
    pub size_bytes: Option<u64>,
    pub block_bytes: Option<u32>,
    /// Flash that is kept for it; null while it is not served, or without the pool.
    pub reserve_bytes: Option<u64>,
    /// Flash that it never exceeds; null while it is not served, or without the pool.
    pub limit_bytes: Option<u64>,
}

/// A disk in a list: what it is and how it stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct DiskInList {
    #[serde(flatten)]
    pub head: Head,
    /// Its number. Disks that were removed keep theirs.
    pub number: u32,
    /// Why it is not served, if it is not.
    pub reason: Option<String>,
    /// Where its data lives.
    pub backing: String,
    pub backing_state: Option<BackingState>,
    pub read_only: bool,
    /// The serial number that guests see: the name, or a shorter form of it.
    pub serial: String,
    /// Where guests and tools connect over NBD.
    pub nbd_socket: String,
    /// Where clients on other hosts connect over NBD, if it is served over TCP: `nbds` with TLS.
    pub nbd_uri: Option<String>,
    /// Where guests on this host connect over vhost-user.
    pub vhost_socket: String,
    pub connections: Option<u64>,
    /// The ways to the disk that are open, or will be once it is served.
    pub doors: Vec<Door>,
    /// The thread that serves it.
    pub shard: Option<u32>,
    #[serde(flatten)]
    pub dirt: Dirt,
}

/// A way to a disk.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DiskDoor)]
pub struct Door {
    /// The protocol: `nbd`, `nbd-tcp`, `vhost-user`, or `block-device` while the disk is mapped. Later versions may know more.
    #[schema(example = "nbd")]
    pub kind: &'static str,
    /// Name of the protocol for people.
    #[schema(example = "NBD")]
    pub title: &'static str,
    /// Path of the socket or of the device, or URI.
    #[schema(example = "/run/forebay/nbd/vm-1.sock")]
    pub address: String,
    /// Clients that are connected there; null while the disk is not served.
    pub connections: Option<u64>,
    /// Those of them that the kernel of this host has, for the device of a disk that is mapped by kernel NBD; null while the disk is
    /// not served.
    pub kernel_connections: Option<u64>,
    /// Queues of guests that are not served any more; null while the disk is not served.
    pub broken_queues: Option<u64>,
}

/// Something that a backing can do, or cannot.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BackingCapability)]
pub struct Capability {
    /// `fence`, `dirty-marker`, `flush`, `persistence`, `direct-io`, `guest-move`, `shard-move`, `resize`, `discard` or `unmap`. Later
    /// versions may know more.
    #[schema(example = "fence")]
    pub name: &'static str,
    /// Name for people.
    #[schema(example = "fencing")]
    pub title: &'static str,
    /// It can, at present.
    pub able: bool,
    /// Why it cannot, and what follows from that; null if it can.
    pub reason: Option<String>,
}

/// State of the backing: it does what it is asked for, or fails.
#[derive(Debug, Serialize, ToSchema)]
pub struct BackingState {
    pub state: Condition,
    /// Time for which it has been failing, in seconds.
    pub for_seconds: Option<u64>,
    pub reason: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    Good,
    Failing,
    /// Another file or device is at its path; guests go on with the one that was opened.
    Replaced,
    /// Nothing is at its path; guests go on with the one that was opened.
    Missing,
}

/// Data of a disk that its backing does not have.
#[derive(Debug, Serialize, ToSchema)]
pub struct Dirt {
    pub dirty_bytes: Option<u64>,
    pub dirty_zeroes_bytes: Option<u64>,
    pub dirty_limit_bytes: Option<u64>,
    pub dirty_for_seconds: Option<u64>,
    /// Why destage fails, if it does.
    pub destage_error: Option<String>,
    /// The disk is not served without the pool.
    pub depends_on_pool: bool,
    /// Two devices have what the backing does not have, or are to.
    pub mirrored: Option<bool>,
    /// Reason for which these two are no mirror: devices of the pool share a drive.
    pub not_mirrored_reason: Option<String>,
    pub segments_uncopied: Option<u64>,
    /// Bytes that flash lost before the backing had them.
    pub lost_bytes: Option<u64>,
    pub quiet: Option<Quiet>,
}

/// State of a request to keep a disk from becoming dirty.
#[derive(Debug, Serialize, ToSchema)]
pub struct Quiet {
    pub state: QuietState,
    /// Of the request that counts: `resume` can be told to end that one only.
    pub number: u64,
    pub seconds_left: Option<u64>,
    pub reason: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QuietState {
    No,
    Coming,
    Quiet,
    Failed,
}

/// A disk by itself: as in a list, with its keys and its statistics.
#[derive(Debug, Serialize, ToSchema)]
pub struct Disk {
    #[serde(flatten)]
    pub summary: DiskInList,
    pub settings: Settings,
    /// Promises that its backing cannot make: that what it took is durable, or outlives the host. Empty for most and while not served.
    pub backing_limitations: Vec<String>,
    /// Capabilities that not every backing has, with the reason for each that is missing. Empty while it is not served.
    pub backing_capabilities: Vec<Capability>,
    /// The sector size in bytes that guests are shown when they connect; none of a disk that was never served.
    pub sector_bytes: Option<u64>,
    /// Keys that have no effect, or less than they say, and the risk of write-back.
    pub remarks: Vec<Remark>,
    /// Why its backing goes through the page cache of the host, if it does.
    pub page_cache_reason: Option<String>,
    pub guest: Option<RunningGuest>,
    pub load: Option<Loaded>,
    pub statistics: Statistics,
}

/// A remark on a key as it is set.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Remark {
    /// The key.
    pub key: &'static str,
    /// A sentence for people.
    pub text: String,
}

/// The running guest that a disk was taken from.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunningGuest {
    pub qmp: String,
    pub device: String,
    /// The way in which its QEMU had the disk open.
    pub original: Value,
    /// Name of the disk in QEMU: short enough for it, and never used for another disk.
    pub node: String,
    pub storage: Option<Storage>,
}

/// The file or device that it is on this host.
#[derive(Debug, Serialize, ToSchema)]
pub struct Storage {
    pub device: u64,
    pub inode: u64,
    pub rdev: u64,
}

/// Fate of the content that was cached before the disk was attached.
#[derive(Debug, Serialize, ToSchema)]
pub struct Loaded {
    pub state: LoadState,
    /// Why nothing is cached again, if so.
    pub reason: Option<String>,
    pub pages_kept: u64,
    pub kept_bytes: u64,
    pub pages_dropped: u64,
    pub dropped_bytes: u64,
    pub pages_compared: u64,
    pub took_us: u64,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadState {
    Loading,
    Done,
    Cold,
}

/// Data of a disk that flash lost before the backing had it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Lost {
    pub name: String,
    #[serde(rename = "lost_bytes")]
    pub bytes: u64,
    pub ranges: Vec<LostRange>,
}

/// Bytes of a disk that cannot be read until they are written anew.
#[derive(Debug, Serialize, ToSchema)]
pub struct LostRange {
    pub start: u64,
    pub length: u64,
}

/// Result of a comparison of a backing with the clean pages on flash.
#[derive(Debug, Serialize, ToSchema)]
pub struct Acceptance {
    pub name: String,
    /// True if the disk is served now.
    pub accepted: bool,
    /// Why the disk waits; null if nothing of its backing is in doubt.
    pub doubt: Option<String>,
    /// Clean pages on flash that the backing should have.
    pub pages_cached: u64,
    pub pages_compared: u64,
    pub pages_different: u64,
    /// Bytes that the backing does not have, and gets once the disk is served.
    pub dirty_bytes: u64,
}

/// The size of a disk, and what it was.
#[derive(Debug, Serialize, ToSchema)]
pub struct Resized {
    /// Its name.
    pub name: String,
    /// Size that it had before, in bytes. The same: its backing has not become larger.
    pub size_bytes_before: u64,
    /// Size that it has now, in bytes.
    pub size_bytes: u64,
}

/// A disk that is recorded.
#[derive(Debug, Serialize, ToSchema)]
pub struct Recording {
    /// Its name.
    pub name: String,
    /// The number of the recording, by which it is taken and ended.
    pub number: u32,
}
