//! Documents about a disk: its identity, state and cache, and the results of changes.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::listed::Settings;
use crate::statistics::Statistics;

/// State of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DiskState {
    /// Guests are served.
    Serving,
    /// It is not served yet: `reason` has the cause. Attaching is tried again.
    Waiting,
    /// It answers with errors only, because of its backing: `reason` has the cause.
    Failed,
    /// It answers with errors only, because dirty data on flash cannot be read.
    Stopped,
    /// The disk is being removed: its dirty data is destaged first.
    Removing,
    /// Being moved from a running QEMU to Forebay.
    Attaching,
    /// Being moved back to a running QEMU.
    Detaching,
}

/// First part of every description of a disk.
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

/// Disk in a list: its identity and state.
#[derive(Debug, Serialize, ToSchema)]
pub struct DiskInList {
    #[serde(flatten)]
    pub head: Head,
    /// Number of the disk. It is never used again.
    pub number: u32,
    /// Reason why it is not served, if it is not.
    pub reason: Option<String>,
    /// Fault that an administrator has to mend: it is not served, its backing fails or is not in its place, or flash lost data of it. Null if
    /// all is well.
    pub fault: Option<String>,
    /// File, device or URI of its backing.
    pub backing: String,
    pub backing_state: Option<BackingState>,
    pub read_only: bool,
    /// Serial number that guests see: the name, or a shorter form of it.
    pub serial: String,
    /// Socket for guests and tools over NBD.
    pub nbd_socket: String,
    /// URI for clients on other hosts, if it is served over NBD on TCP: `nbds` with TLS.
    pub nbd_uri: Option<String>,
    /// Socket for guests on this host over vhost-user.
    pub vhost_socket: String,
    pub connections: Option<u64>,
    /// Doors of the disk that are open, or will be once it is served.
    pub doors: Vec<Door>,
    /// Number of the shard that serves it.
    pub shard: Option<u32>,
    #[serde(flatten)]
    pub dirt: Dirt,
}

/// Door of a disk.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DiskDoor)]
pub struct Door {
    /// The protocol: `nbd`, `nbd-tcp`, `vhost-user`, or `block-device` while the disk is mapped. Later versions may have more.
    #[schema(example = "nbd")]
    pub kind: &'static str,
    /// Name of the protocol for people.
    #[schema(example = "NBD")]
    pub title: &'static str,
    /// Path of the socket or of the device, or URI.
    #[schema(example = "/run/forebay/nbd/vm-1.sock")]
    pub address: String,
    /// Number of connected clients; null while the disk is not served.
    pub connections: Option<u64>,
    /// Number of connections of this host's kernel, for the device of a disk that is mapped by kernel NBD; null while the disk is not
    /// served.
    pub kernel_connections: Option<u64>,
    /// Queues of guests that are no longer served; null while the disk is not served.
    pub broken_queues: Option<u64>,
}

/// Capability that a backing has or lacks.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BackingCapability)]
pub struct Capability {
    /// `fence`, `dirty-marker`, `flush`, `persistence`, `direct-io`, `guest-move`, `shard-move`, `resize`, `discard` or `unmap`. Later
    /// versions may have more.
    #[schema(example = "fence")]
    pub name: &'static str,
    /// Name for people.
    #[schema(example = "fencing")]
    pub title: &'static str,
    /// True if the backing has it at present.
    pub able: bool,
    /// Reason why it is missing, and the consequence; null if it is there.
    pub reason: Option<String>,
}

/// Property of a backing.
#[derive(Debug, Serialize, ToSchema)]
pub struct BackingProperty {
    /// Name. Each kind of backing has its own; later versions may have more.
    #[schema(example = "stored_bytes")]
    pub name: &'static str,
    /// Name for people.
    #[schema(example = "stored")]
    pub title: &'static str,
    /// `bytes`, `count`, `ratio` or `text`.
    #[schema(example = "bytes")]
    pub unit: &'static str,
    pub value: BackingValue,
}

/// Value of a property of a backing, by its unit.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum BackingValue {
    /// Of `bytes` and `count`.
    Number(u64),
    /// Of `ratio`.
    Ratio(f64),
    /// Of `text`.
    Text(String),
}

/// State of the backing: it works, or fails.
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
    /// Another file or device is at its path; guests continue with the one that was opened.
    Replaced,
    /// Nothing is at its path; guests continue with the one that was opened.
    Missing,
}

/// Dirty data of a disk.
#[derive(Debug, Serialize, ToSchema)]
pub struct Dirt {
    pub dirty_bytes: Option<u64>,
    pub dirty_zeroes_bytes: Option<u64>,
    pub dirty_limit_bytes: Option<u64>,
    pub dirty_for_seconds: Option<u64>,
    /// Reason why destage fails, if it does.
    pub destage_error: Option<String>,
    /// True if the disk is not served without the pool.
    pub depends_on_pool: bool,
    /// True if dirty data has two copies, on two pool devices, or is to have them.
    pub mirrored: Option<bool>,
    /// Reason why the two copies are no mirror: devices of the pool share a drive.
    pub not_mirrored_reason: Option<String>,
    pub segments_uncopied: Option<u64>,
    /// Bytes that flash lost before they were destaged.
    pub lost_bytes: Option<u64>,
    pub quiesce: Option<QuiesceInfo>,
    /// Time as of which losing all flash would leave the disk, in consistent write-back; null while nothing is promised.
    #[schema(example = "2026-11-29T12:00:00Z")]
    pub consistent_as_of: Option<String>,
    /// Time since the oldest acknowledged write that would be lost then, in seconds; null while nothing is promised.
    pub consistent_age_seconds: Option<u64>,
    /// File, device or image of the redo ring, if the disk has one.
    pub ring_path: Option<String>,
    /// Bytes of the ring that groups take.
    pub ring_used_bytes: Option<u64>,
    /// Bytes of the ring that groups can take.
    pub ring_bytes: Option<u64>,
    /// Reason why the last group did not reach the ring, if it did not.
    pub ring_error: Option<String>,
    pub consistency_set: Option<ConsistencySetInfo>,
}

/// Consistency set of a disk: its disks are of one instant if all flash is lost.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConsistencySetInfo {
    pub name: String,
    /// Disks that belong to it, served or not.
    pub members: u32,
    /// Of these, disks that are part of its groups: in write-back and consistent order.
    pub promising: u32,
    /// Reason for which none of its groups counts at present.
    pub waits_for: Option<String>,
}

/// State of a request to quiesce a disk.
#[derive(Debug, Serialize, ToSchema)]
pub struct QuiesceInfo {
    pub state: QuiesceState,
    /// Number of the request that this is the state of: `resume` can be limited to it.
    pub number: u64,
    pub seconds_left: Option<u64>,
    /// Time as of which the backing alone is the disk, while guests go on writing back: in consistent order only.
    pub backing_as_of: Option<String>,
    /// Reason why it failed, or ended before it was resumed.
    pub reason: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QuiesceState {
    None,
    Destaging,
    Quiesced,
    Failed,
    /// It ended before it was resumed.
    Ended,
}

/// Scrub of a disk's backing.
#[derive(Debug, Serialize, ToSchema)]
pub struct ScrubInfo {
    pub state: ScrubState,
    /// Bytes of the backing that were read.
    pub done_bytes: Option<u64>,
    /// Bytes that are to be read.
    pub all_bytes: Option<u64>,
    /// Reason why it ended early, if it did.
    pub reason: Option<String>,
    /// Its result once it is done.
    pub report: Option<ScrubReport>,
    /// The last one that was completed, also before a restart; null if none is known.
    pub last: Option<LastScrub>,
    /// Time at which the next one is due; null if none will be by itself.
    #[schema(example = "2026-12-06T12:00:00Z")]
    pub next_at: Option<String>,
    /// Reason why one that is due has not begun, if so.
    pub waits: Option<String>,
}

/// The end of a scrub.
#[derive(Debug, Serialize, ToSchema)]
pub struct LastScrub {
    /// Its time.
    #[schema(example = "2026-11-29T12:00:00Z")]
    pub ended_at: Option<String>,
    /// Bytes that it read.
    pub stored_bytes: u64,
    /// Bytes of the disk and of its snapshots that it found to be lost.
    pub damaged_bytes: u64,
    /// Bytes of the disk that were lost and that the cache had: they were written again, or are to be destaged.
    pub repaired_bytes: u64,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScrubState {
    None,
    Running,
    Done,
    /// It was stopped, or the storage failed.
    Failed,
}

/// Result of a scrub.
#[derive(Debug, Serialize, ToSchema)]
pub struct ScrubReport {
    /// Size of the disk.
    pub bytes: u64,
    /// Time of the content that was read; null if it is as it was created.
    #[schema(example = "2026-11-29T12:00:00Z")]
    pub as_of: Option<String>,
    /// Objects that were read.
    pub objects: u64,
    /// Bytes of these.
    pub stored_bytes: u64,
    /// Bytes of the disk that have content.
    pub mapped_bytes: u64,
    /// Bytes of the disk whose content is whole.
    pub whole_bytes: u64,
    /// Bytes of the disk that were lost and were written again from the cache of the host.
    pub repaired_bytes: u64,
    /// Bytes of the disk that were lost, and of which the cache has newer content to be destaged.
    pub replaced_bytes: u64,
    /// Reason why not all could be repaired that the cache has, if so.
    pub repair_error: Option<String>,
    /// Objects that nothing needed, and that were deleted.
    pub deleted: Option<u64>,
    /// Bytes of these.
    pub deleted_bytes: Option<u64>,
    /// Reason why not all of them could be deleted, if so.
    pub delete_error: Option<String>,
    pub damaged: Vec<DamagedObject>,
}

/// Object of a backing that is missing or damaged.
#[derive(Debug, Serialize, ToSchema)]
pub struct DamagedObject {
    /// Its name.
    pub object: String,
    pub reason: String,
    /// Bytes of the disk that it costs.
    pub bytes: u64,
    /// Ranges of the disk that it costs.
    pub ranges: Vec<LostRange>,
}

/// Details of a disk: as in a list, with its keys and its statistics.
#[derive(Debug, Serialize, ToSchema)]
pub struct Disk {
    #[serde(flatten)]
    pub summary: DiskInList,
    pub settings: Settings,
    /// Promises that its backing cannot make: that acknowledged data is durable, or survives a failure of the host. Empty for most backings
    /// and while not served.
    pub backing_limitations: Vec<String>,
    /// Capabilities that not every backing has, with the reason for each missing one. Empty while it is not served.
    pub backing_capabilities: Vec<Capability>,
    /// Properties that only its kind of backing has. Empty for most backings and while not served.
    pub backing_properties: Vec<BackingProperty>,
    /// Conditions of its backing that need attention though guests do not notice them yet, each with what to do.
    pub backing_warnings: Vec<String>,
    /// Sector size in bytes that guests see when they connect; none of a disk that was never served.
    pub sector_bytes: Option<u64>,
    /// Keys without the expected effect, and the risk of write-back.
    pub remarks: Vec<Remark>,
    /// Reason why its backing goes through the page cache of the host, if it does.
    pub page_cache_reason: Option<String>,
    pub guest: Option<RunningGuest>,
    /// Last scrub of its backing since it was attached; null while not served.
    pub scrub: Option<ScrubInfo>,
    pub load: Option<Loaded>,
    pub statistics: Statistics,
}

/// Remark on the value of a key.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Remark {
    /// Name of the key.
    pub key: &'static str,
    /// A sentence for people.
    pub text: String,
}

/// Running guest from which a disk was moved.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunningGuest {
    pub qmp: String,
    pub device: String,
    /// Options with which its QEMU had the disk open.
    pub original: Value,
    /// Name of the disk in QEMU: short enough for it, and never used for another disk.
    pub node: String,
    pub storage: Option<Storage>,
}

/// File or device of a backing on this host.
#[derive(Debug, Serialize, ToSchema)]
pub struct Storage {
    pub device: u64,
    pub inode: u64,
    pub rdev: u64,
}

/// Result for the content that was cached before the disk was attached.
#[derive(Debug, Serialize, ToSchema)]
pub struct Loaded {
    pub state: LoadState,
    /// Reason why no content was reused, if so.
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

/// Data of a disk that flash lost before it was destaged.
#[derive(Debug, Serialize, ToSchema)]
pub struct Lost {
    pub name: String,
    #[serde(rename = "lost_bytes")]
    pub bytes: u64,
    pub ranges: Vec<LostRange>,
}

/// Bytes of a disk that cannot be read until they are written again.
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
    /// Reason why the disk waits; null if nothing of its backing is in doubt.
    pub doubt: Option<String>,
    /// Clean pages on flash that the backing should have too.
    pub pages_cached: u64,
    pub pages_compared: u64,
    pub pages_different: u64,
    /// Dirty bytes, which are destaged once the disk is served.
    pub dirty_bytes: u64,
}

/// Size of a disk, before and after.
#[derive(Debug, Serialize, ToSchema)]
pub struct Resized {
    /// Name of the disk.
    pub name: String,
    /// Size before, in bytes. The same as now if its backing has not become larger.
    pub size_bytes_before: u64,
    /// Size now, in bytes.
    pub size_bytes: u64,
}

/// Snapshot of a volume.
#[derive(Debug, Serialize, ToSchema)]
pub struct Snapshot {
    /// Name of the volume, with its store.
    pub volume: String,
    /// Name of the snapshot.
    pub name: String,
    /// Time as of which it is the disk: it has all writes that were acknowledged before. Null if nothing was ever written.
    pub as_of: Option<String>,
    /// Size of the disk in bytes.
    pub size_bytes: u64,
}

/// Disk that is recorded.
#[derive(Debug, Serialize, ToSchema)]
pub struct Recording {
    /// Name of the disk.
    pub name: String,
    /// Number of the recording, by which it is fetched and ended.
    pub number: u32,
}
