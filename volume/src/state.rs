//! State of an open volume, which its requests and tasks share.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::rc::{Rc, Weak};

use block::{BlockError, ErrorKind, Geometry, Host, Operation, PAGE};
use tokio::sync::{Mutex, Notify};

use super::base::Base;
use super::calls::Calls;
use super::checkpoint::RegionPlace;
use super::chunk::Compression;
use super::content::Content;
use super::deduplication::Deduplication;
use super::error::{VolumeError, block_error, volume_error};
use super::group::Group;
use super::mark::Mark;
use super::names::{CheckpointKey, PartKey, SnapshotId, VolumeId};
use super::objects::ObjectInfo;
use super::read_ahead::ReadStreams;
use super::read_buffer::ReadBuffer;
use super::settings::VolumeSettings;
use super::snapshots::Snapshots;
use super::store::{Store, StoreError};

pub(crate) struct Shared<S, H> {
    pub(crate) calls: Calls<S, H>,
    pub(crate) volume: VolumeId,
    /// Name by which it was opened.
    pub(crate) name: String,
    /// The snapshot that it is, if it was opened as one.
    pub(crate) snapshot: Option<SnapshotId>,
    /// The device with the content of the snapshot of which it is a clone.
    pub(crate) base: Option<Rc<dyn Base>>,
    /// None if it is open for reading alone.
    pub(crate) epoch: Option<u64>,
    pub(crate) settings: VolumeSettings,
    pub(crate) compression: Compression,
    pub(crate) state: RefCell<State>,
    /// Content that is read ahead or on its way to a read, and the readers.
    pub(crate) read_buffer: Rc<RefCell<ReadBuffer>>,
    pub(crate) read_streams: RefCell<ReadStreams>,
    /// Notified when an object is there, or a put failed.
    pub(crate) progress: Notify,
    /// The mark with which it was opened.
    pub(crate) mark: Mark,
    /// Held by a flush.
    pub(crate) turn: Mutex<()>,
    /// Held by what makes checkpoints and copies.
    pub(crate) upkeep: Mutex<()>,
}

pub(crate) struct State {
    /// The content that groups which count made of it.
    pub(crate) content: Content,
    /// Size of the disk in bytes, as it becomes durable with the open group.
    pub(crate) bytes: u64,
    pub(crate) open: Group,
    pub(crate) closing: Option<Group>,
    pub(crate) next_sequence: u64,
    /// Sequences of objects that are not known to be there.
    pub(crate) in_flight: BTreeSet<u64>,
    /// Sequence behind the last group that counts, in this epoch.
    pub(crate) counted: u64,
    pub(crate) next_copies: u64,
    /// Answer of the store to the last try of a put, if it refused.
    pub(crate) failure: Option<StoreError>,
    pub(crate) fenced: Option<u64>,
    pub(crate) is_closed: bool,
    pub(crate) looked_at: u64,
    /// Groups that were abandoned.
    pub(crate) abandoned: u64,
    /// Bytes of headers behind the newest checkpoint.
    pub(crate) header_bytes: u64,
    pub(crate) checkpoint: Option<CheckpointKey>,
    /// Sequences of data and copies of this epoch that the newest checkpoint covers.
    pub(crate) checkpointed: [u64; 2],
    /// Objects of earlier epochs behind the newest checkpoint.
    pub(crate) found_behind: u64,
    /// Number of the last part of a checkpoint.
    pub(crate) next_part: u32,
    /// Objects with damaged content, which cleaning leaves alone.
    pub(crate) damaged: BTreeSet<u32>,
    pub(crate) regions: BTreeMap<u64, RegionPlace>,
    /// Body of the newest checkpoint.
    pub(crate) body: Option<PartKey>,
    /// Objects that the newest checkpoint does not need, and that are not deleted yet.
    pub(crate) doomed: BTreeSet<u32>,
    /// Parts of checkpoints of that kind.
    pub(crate) doomed_parts: BTreeSet<PartKey>,
    /// Snapshots, and what they need.
    pub(crate) snapshots: Snapshots,
    /// True while a task keeps it in shape.
    pub(crate) is_kept: bool,
    /// Failure of the last try to, and the time of the next one.
    pub(crate) upkeep_failure: Option<VolumeError>,
    pub(crate) upkeep_rests_until: u64,
    pub(crate) deduplication: Deduplication,
    pub(crate) statistics: VolumeStatistics,
}

/// Counters of a volume since it was opened, and what all of it is now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeStatistics {
    /// Number of this opening; none if it is for reading alone.
    pub epoch: Option<u64>,
    /// Time of the last group that counts, in nanoseconds since 1970; 0 before the first.
    pub taken_at: u64,
    /// Groups that became durable.
    pub groups: u64,
    /// Bytes that were written to it, without zeroes.
    pub written_bytes: u64,
    /// Bytes of objects that were put for that.
    pub put_bytes: u64,
    /// Bytes that were written and became references to what was in the store.
    pub deduplicated_bytes: u64,
    /// Bytes that were written, had zeroes as their content, and take no room.
    pub zero_bytes: u64,
    /// Bytes of objects that cleaning put.
    pub copied_bytes: u64,
    /// Bytes of checkpoints.
    pub checkpoint_bytes: u64,
    /// Checkpoints that were made.
    pub checkpoints: u64,
    /// Objects that were deleted.
    pub deleted: u64,
    /// Bytes that have content.
    pub mapped_bytes: u64,
    /// Bytes of objects with content.
    pub stored_bytes: u64,
    /// Bytes that objects with live content have without compression, and those that they take, headers included.
    pub packed_bytes: [u64; 2],
    /// Bytes of the disk that show the snapshot of which it is a clone, content or zeroes.
    pub inherited_bytes: u64,
    /// Bytes of the disk whose content is stored for other pages of it.
    pub referring_bytes: u64,
    /// Snapshots that it has.
    pub snapshots: u64,
    /// Bytes of objects that snapshots keep and of which the disk needs nothing, as of the newest checkpoint or change of the snapshots. What
    /// snapshots keep of objects that the disk needs as well is not among it.
    pub snapshot_bytes: u64,
    /// Compression of what is written.
    pub compression: Compression,
    /// True if content that is in the store already is not stored again.
    pub deduplicates: bool,
    /// Bytes of RAM that the map takes, what finds the pages that refer to an object, and what was read ahead.
    pub map_bytes: u64,
    /// Bytes of RAM that the index of a volume that deduplicates takes once it is full.
    pub index_bytes: u64,
    /// Answer of the store, if it refuses changes of guests at present: flushes fail.
    pub failure: Option<StoreError>,
    /// Reason why the last checkpoint, cleaning or delete failed, if it did. It is tried again. Nothing is lost by that; opens take longer
    /// meanwhile, and the store keeps what nothing needs.
    pub upkeep_failure: Option<VolumeError>,
}

impl State {
    /// Counts what only snapshots keep. Visits all objects if there are any.
    pub(crate) fn count_snapshot_bytes(&mut self) {
        let Self { content, snapshots, .. } = self;
        if snapshots.table.is_empty() {
            self.statistics.snapshot_bytes = 0;
            return;
        }
        let kept = content.objects.iter().filter(|(_, info)| info.live == 0);
        let kept = kept.filter(|(_, info)| snapshots.pins.has_object(info.key));
        self.statistics.snapshot_bytes = kept.map(|(_, info)| info.stored).sum();
    }

    /// Returns true if the disk or a snapshot needs an object.
    pub(crate) fn is_needed(&self, info: &ObjectInfo) -> bool {
        info.live > 0 || self.snapshots.pins.has_object(info.key)
    }

    /// Fails if another host took it over, or it is closed.
    fn check_open(&self) -> Result<(), VolumeError> {
        match self.fenced {
            Some(epoch) => Err(VolumeError::Fenced { epoch }),
            None if self.is_closed => Err(VolumeError::Closed),
            None => Ok(()),
        }
    }

    /// Returns the error of those who wait for objects, if there is no use in waiting: the store refuses, or the volume must not be used.
    pub(crate) fn obstacle(&self, operation: Operation) -> Option<BlockError> {
        let refused = self.failure.as_ref().map(|error| block_error(error, operation));
        refused.or_else(|| self.check_open().err().map(|error| volume_error(&error, operation)))
    }
}

impl<S: Store, H: Host> Shared<S, H> {
    /// Ends its use.
    pub(crate) fn close(&self) {
        self.state.borrow_mut().is_closed = true;
        self.read_buffer.borrow_mut().clear();
        self.progress.notify_waiters();
    }

    /// Fails if it must not be used, or written.
    pub(crate) fn usable(&self, operation: Operation) -> Result<(), BlockError> {
        self.check_open().map_err(|error| volume_error(&error, operation))?;
        if self.epoch.is_none() && operation != Operation::Read && operation != Operation::Flush {
            let error = BlockError::anywhere(ErrorKind::ReadOnly, operation);
            return Err(error.because("the volume is open for reading alone"));
        }
        Ok(())
    }

    /// Fails if another host took it over, or it is closed.
    pub(crate) fn check_open(&self) -> Result<(), VolumeError> {
        self.state.borrow().check_open()
    }

    /// Looks for another host. Records that there is one.
    pub(crate) async fn look(&self) -> Result<(), VolumeError> {
        let Some(epoch) = self.epoch else { return Ok(()) };
        let looked = self.calls.check_epoch(self.volume, epoch).await;
        let mut state = self.state.borrow_mut();
        match &looked {
            Ok(()) => state.looked_at = self.calls.host.now(),
            Err(VolumeError::Fenced { epoch }) => {
                state.fenced = Some(*epoch);
                self.progress.notify_waiters();
            }
            Err(_) => {}
        }
        looked
    }

    /// Looks for another host every few seconds at rest.
    pub(crate) fn watch(shared: &Rc<Self>) {
        let weak: Weak<Self> = Rc::downgrade(shared);
        let host = shared.calls.host.clone();
        let pause = shared.settings.look_ns;
        shared.calls.host.spawn(async move {
            loop {
                host.sleep(pause).await;
                let Some(shared) = weak.upgrade() else { return };
                let (is_over, looked_at) = {
                    let state = shared.state.borrow();
                    (state.is_closed || state.fenced.is_some(), state.looked_at)
                };
                if is_over {
                    return;
                }
                if host.now().saturating_sub(looked_at) >= pause {
                    drop(shared.look().await);
                }
                if shared.state.borrow().upkeep_failure.is_some() {
                    Self::keep_in_shape(&shared);
                }
            }
        });
    }

    /// Waits until `ready` returns something, asking whenever an object is there or a put failed.
    pub(crate) async fn until<T>(&self, mut ready: impl FnMut(&mut State) -> Option<T>) -> T {
        loop {
            let mut progress = pin!(self.progress.notified());
            progress.as_mut().enable();
            if let Some(result) = ready(&mut self.state.borrow_mut()) {
                return result;
            }
            progress.await;
        }
    }

    /// Returns the properties of the disk.
    pub(crate) fn geometry(&self) -> Geometry {
        let bytes = self.state.borrow().bytes;
        Geometry {
            alignment: PAGE,
            physical_block: PAGE,
            read_only: self.epoch.is_none(),
            atomic_flushes: true,
            ..Geometry::plain(bytes)
        }
    }
}
