//! State that the shards of a pool share: its segments, the segment table, the notes about regions, the sequences, and
//! its devices, with those that failed.
//!
//! Everything is behind a lock that is held for moments, never across an await and never for I/O; only the writers of
//! table and notes exclude others for as long as a write takes. The reads of guests use none of it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::Notify;

use super::budgets::Budgets;
use super::dirty_first::DirtyFirst;
use super::discarding::SharedDiscards;
use super::lock::lock;
use super::metered::Meters;
use super::note_state::{Notes, OpenIntents};
use super::reclaim_queue::ReclaimQueue;
use super::space::StorageSpace;
use crate::format::PoolId;
use crate::format::layout::Layout;
use crate::format::members::Member;
use crate::format::superblock::Superblock;
use crate::state::catalog::SegmentsHolder;
use crate::state::segments::Segments;
use crate::types::units::{MemberNumber, Sequence, ShardNumber};

/// A pool that is open, for another shard to join: see [`Cache::join`](crate::Cache::join).
#[derive(Clone)]
pub struct SharedPool(pub(crate) Arc<PoolState>);

const _: () = {
    const fn goes_to_other_threads<T: Send + Sync>() {}
    goes_to_other_threads::<SharedPool>();
};

/// Content of a pool that is opened.
pub(crate) struct RecoveredPool {
    pub(crate) superblock: Superblock,
    pub(crate) table_turn: u64,
    pub(crate) segments: Segments,
    pub(crate) open_intents: OpenIntents,
    /// The epoch of the list, if devices were struck off it because they are missing.
    pub(crate) to_witness: Option<u32>,
    /// Meters of what is written to its devices.
    pub(crate) meters: Meters,
}

pub(crate) struct PoolState {
    pub(super) pool: PoolId,
    pub(super) layout: Layout,
    devices: Mutex<Devices>,
    /// True while there is a device that failed or is to be taken out, and still belongs to the pool.
    some_leave: AtomicBool,
    /// True while a device that failed is listed, or the witness does not know that it is not.
    some_failed: AtomicBool,
    /// The device that is being made smaller.
    shrink: Mutex<Option<Shrink>>,
    /// Notifies the task that makes it smaller when segments became free.
    pub(super) shrink_eased: Notify,
    /// Held while a device is added or removed.
    pub(super) membership: tokio::sync::Mutex<()>,
    segments: Mutex<Segments>,
    pub(super) notes: Notes,
    pub(super) table: TableWriter,
    pub(super) reclaim: ReclaimQueue,
    pub(super) discarding: SharedDiscards,
    pub(crate) dirty_first: DirtyFirst,
    /// The last sequence drawn. One counter for all disks, so that a disk that is attached again cannot draw a value
    /// twice.
    sequence: AtomicU64,
    failed: AtomicBool,
    pub(super) space: StorageSpace,
    /// Meters of what is written to each device.
    pub(crate) meters: Meters,
    /// Budgets for that.
    pub(super) budgets: Budgets,
}

/// The devices of a pool.
struct Devices {
    /// As it was last written; `own` is of no meaning.
    superblock: Superblock,
    leaving: BTreeMap<MemberNumber, LeaveReason>,
    /// Failed, not listed any more, and not forgotten yet: disks may have had something there.
    out: Vec<Member>,
    /// The epoch of a list without a failed device, until the witness knows it.
    to_witness: Option<u32>,
}

/// State of failed devices that is not recorded yet.
pub(super) struct ToStrikeOff {
    /// They are on the list.
    pub(super) failed: Vec<Member>,
    /// An epoch that the witness does not know yet.
    pub(super) to_witness: Option<u32>,
}

impl ToStrikeOff {
    pub(super) fn is_nothing(&self) -> bool {
        self.failed.is_empty() && self.to_witness.is_none()
    }
}

/// A device that is being made smaller.
#[derive(Clone, Debug)]
pub(crate) struct Shrink {
    pub(crate) member: MemberNumber,
    /// Bytes that the device is to have.
    pub(crate) device_bytes: u64,
    /// Segments that it is to have.
    pub(crate) segments: u32,
    /// Reason why it keeps its size after all, once that is known.
    pub(crate) stopped: Option<String>,
    /// It does not keep its size any more: nothing is left behind its new end.
    pub(crate) is_settled: bool,
}

/// Reason why a device is to leave the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeaveReason {
    /// It failed: nothing is written to it or read from it any more.
    Failed,
    /// It was removed on request.
    TakenOut,
}

/// Devices that are left after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RemainingDevices {
    /// Other devices; this one's failure was known before.
    KnownBefore,
    /// Other devices.
    Others,
    /// Nothing.
    Nothing,
}

/// Changes of the table, and those that are durable, counted.
pub(super) struct TableWriter {
    pub(super) changes: AtomicU64,
    pub(super) written: tokio::sync::Mutex<TableState>,
}

/// State of the table on flash.
pub(super) struct TableState {
    pub(super) turn: u64,
    /// Number of changes that are durable.
    pub(super) changes: u64,
}

impl PoolState {
    /// Creates the state of a pool from its content, which must be durable.
    pub(super) fn new(found: RecoveredPool) -> Self {
        let RecoveredPool { superblock, table_turn, segments, open_intents, to_witness, meters } = found;
        Self {
            pool: superblock.pool,
            layout: superblock.layout,
            devices: Mutex::new(Devices {
                superblock,
                leaving: BTreeMap::new(),
                out: Vec::new(),
                to_witness,
            }),
            some_leave: AtomicBool::new(false),
            some_failed: AtomicBool::new(to_witness.is_some()),
            shrink: Mutex::new(None),
            shrink_eased: Notify::new(),
            membership: tokio::sync::Mutex::new(()),
            segments: Mutex::new(segments),
            notes: Notes::new(open_intents),
            table: TableWriter {
                changes: AtomicU64::new(0),
                written: tokio::sync::Mutex::new(TableState { turn: table_turn, changes: 0 }),
            },
            reclaim: ReclaimQueue::new(),
            discarding: SharedDiscards::new(),
            dirty_first: DirtyFirst::default(),
            sequence: AtomicU64::new(Sequence::first_of(superblock.term).0),
            failed: AtomicBool::new(false),
            space: StorageSpace::default(),
            meters,
            budgets: Budgets::default(),
        }
    }

    /// Returns the segments, for a moment.
    pub(crate) fn segments(&self) -> MutexGuard<'_, Segments> {
        lock(&self.segments)
    }

    /// Returns the superblock as it was last written to all devices.
    pub(crate) fn superblock(&self) -> Superblock {
        lock(&self.devices).superblock
    }

    /// Records the superblock that was written to all devices.
    pub(super) fn set_superblock(&self, superblock: &Superblock) {
        let mut devices = lock(&self.devices);
        devices.superblock = *superblock;
        let Devices { leaving, out, .. } = &mut *devices;
        let is_out = |number| out.iter().any(|member| member.number == number);
        leaving.retain(|number, _| superblock.members.get(*number).is_some() || is_out(*number));
        self.some_leave.store(!devices.leaving.is_empty(), Ordering::SeqCst);
    }

    /// Returns the devices that failed and are listed, if there are any; none if the witness knows the present list.
    pub(super) fn to_strike_off(&self) -> ToStrikeOff {
        if !self.some_failed.load(Ordering::SeqCst) {
            return ToStrikeOff { failed: Vec::new(), to_witness: None };
        }
        let devices = lock(&self.devices);
        let failed = |member: &Member| devices.leaving.get(&member.number) == Some(&LeaveReason::Failed);
        let failed: Vec<_> = devices.superblock.members.iter().filter(failed).collect();
        self.some_failed.store(!failed.is_empty() || devices.to_witness.is_some(), Ordering::SeqCst);
        ToStrikeOff { failed, to_witness: devices.to_witness }
    }

    /// Records that devices are about to be struck off the list, of which the witness has to be informed.
    pub(super) fn strike_off(&self, failed: &[Member], epoch: u32) {
        let mut devices = lock(&self.devices);
        for member in failed {
            if !devices.out.contains(member) {
                devices.out.push(*member);
            }
        }
        devices.to_witness = Some(epoch);
    }

    /// Records the epoch that the witness knows.
    pub(super) fn note_witnessed(&self, epoch: u32) {
        let mut devices = lock(&self.devices);
        devices.to_witness = devices.to_witness.filter(|other| *other > epoch);
    }

    /// Returns the devices that failed and are not listed any more.
    pub(crate) fn out(&self) -> Vec<Member> {
        lock(&self.devices).out.clone()
    }

    /// Forgets such a device: nothing refers to it.
    pub(super) fn forget_out(&self, member: MemberNumber) {
        let mut devices = lock(&self.devices);
        devices.out.retain(|other| other.number != member);
        devices.leaving.remove(&member);
        self.some_leave.store(!devices.leaving.is_empty(), Ordering::SeqCst);
    }

    /// Returns the reason why a device is to leave, if it is.
    pub(crate) fn leaving(&self, member: MemberNumber) -> Option<LeaveReason> {
        // Asked for each read of a guest.
        if !self.some_leave.load(Ordering::SeqCst) {
            return None;
        }
        lock(&self.devices).leaving.get(&member).copied()
    }

    /// Returns the devices that are to leave.
    pub(crate) fn all_leaving(&self) -> Vec<MemberNumber> {
        if !self.some_leave.load(Ordering::SeqCst) {
            return Vec::new();
        }
        lock(&self.devices).leaving.keys().copied().collect()
    }

    /// Starts to remove a device. Returns what is left.
    pub(super) fn let_leave(&self, member: MemberNumber, why: LeaveReason) -> RemainingDevices {
        let mut devices = lock(&self.devices);
        let before = devices.leaving.get(&member).copied();
        if before == Some(LeaveReason::Failed) || devices.superblock.members.get(member).is_none() {
            return RemainingDevices::KnownBefore;
        }
        let stays = |other: &Member| other.number != member && !devices.leaving.contains_key(&other.number);
        if !devices.superblock.members.iter().any(|other| stays(&other)) {
            return RemainingDevices::Nothing;
        }
        devices.leaving.insert(member, why);
        self.some_leave.store(true, Ordering::SeqCst);
        if why == LeaveReason::Failed {
            self.some_failed.store(true, Ordering::SeqCst);
        }
        RemainingDevices::Others
    }

    /// Returns the device that is being made smaller, if one is.
    pub(crate) fn shrink(&self) -> Option<Shrink> {
        lock(&self.shrink).clone()
    }

    /// Records that a device is being made smaller. Returns false if one is already.
    pub(super) fn begin_shrink(&self, shrink: Shrink) -> bool {
        let mut current = lock(&self.shrink);
        let is_first = current.is_none();
        current.get_or_insert(shrink);
        is_first
    }

    /// Settles that the device which is being made smaller does not keep its size. Returns false if it does.
    pub(super) fn settle_shrink(&self) -> bool {
        let mut current = lock(&self.shrink);
        let going_on = current.as_mut().filter(|shrink| shrink.stopped.is_none());
        going_on.map(|shrink| shrink.is_settled = true).is_some()
    }

    /// Cancels the shrinking of a device, which keeps its size. Returns false if it is not being made smaller, or
    /// cannot keep its size any more.
    pub(crate) fn stop_shrink(&self, member: MemberNumber, reason: &str) -> bool {
        let mut current = lock(&self.shrink);
        let current = current.as_mut().filter(|shrink| shrink.member == member && !shrink.is_settled);
        current.map(|shrink| shrink.stopped.get_or_insert_with(|| reason.to_owned())).is_some()
    }

    pub(super) fn forget_shrink(&self) {
        *lock(&self.shrink) = None;
    }

    /// Records that a shard ended.
    pub(super) fn abandon(&self, shard: ShardNumber) {
        if let Some(mut segments) = self.segments_if_whole() {
            segments.abandon(shard);
        }
    }

    /// Locks the segments, unless a panic left them in an inconsistent state: for code that cleans up during a panic.
    pub(super) fn segments_if_whole(&self) -> Option<MutexGuard<'_, Segments>> {
        self.segments.lock().ok()
    }

    /// Draws the next sequence (rule I1): mutations on acceptance, fills before their backing read.
    pub(super) fn draw_sequence(&self) -> Sequence {
        // Only that no two are equal counts between shards; those of one disk are drawn on one shard.
        Sequence(self.sequence.fetch_add(1, Ordering::Relaxed)).next()
    }

    /// Returns true once all of the flash failed, on any shard.
    pub(crate) fn is_failed(&self) -> bool {
        self.failed.load(Ordering::SeqCst)
    }

    /// Records that all of the flash failed. Returns true the first time.
    pub(super) fn fail(&self) -> bool {
        !self.failed.swap(true, Ordering::SeqCst)
    }

    /// Returns true while the storage of the pool has no room for a write.
    pub(crate) fn lacks_space(&self) -> bool {
        self.space.is_lacking()
    }

    /// Returns true once that has lasted for longer than guests wait.
    pub(crate) fn has_long_lacked_space(&self) -> bool {
        self.space.is_overdue()
    }
}

impl SegmentsHolder for PoolState {
    fn lock_segments(&self) -> MutexGuard<'_, Segments> {
        self.segments()
    }
}
