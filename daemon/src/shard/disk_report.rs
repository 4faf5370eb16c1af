//! Report of a disk: its state and its counters at one moment, for the control plane.

use std::time::Duration;

use block::patient::Trouble;
use block::{BlockDevice, Delays};
use cache::{ConsistencyStatistics, DiskSettings, DiskStatistics};
use telemetry::counted::Counted;
use telemetry::series::lifetime::Passed;

use super::destage::QuiesceStatus;
use super::disk::Disk;
use super::scrub::{ScrubStatus, ScrubTimes};
use super::standing::DisplacedBacking;
use crate::backing::{Capabilities, Details, Identity};
use crate::door::DoorReport;

/// Report of a served disk.
#[derive(Clone, Debug)]
pub(crate) struct DiskReport {
    /// A number that is unique to the attachment in this process: counters begin at zero with each. A disk that moves to another shard keeps it,
    /// as its counters continue.
    pub(crate) attachment: u64,
    /// Time since that attachment, moves included.
    pub(crate) attached_for: Duration,
    /// Number of its shard, counted from 0.
    pub(crate) shard: u32,
    pub(crate) settings: DiskSettings,
    pub(crate) size_bytes: u64,
    /// The sector size for guests.
    pub(crate) sector_bytes: u64,
    pub(crate) identity: Identity,
    /// Capabilities of its backing.
    pub(crate) capabilities: Capabilities,
    /// Details of its backing.
    pub(crate) details: Details,
    /// Reason why its backing is lost to this host, if another one took it over.
    pub(crate) lost: Option<String>,
    /// Present trouble of its backing.
    pub(crate) trouble: Option<Trouble>,
    /// Number of requests to its backing that were sent again after a failure.
    pub(crate) backing_retries: u64,
    /// Delays of guests' requests by limits.
    pub(crate) delays: Delays,
    pub(crate) failure: Option<String>,
    /// Set if its backing is not at its path.
    pub(crate) displaced: Option<DisplacedBacking>,
    /// The open doors.
    pub(crate) doors: Vec<DoorReport>,
    /// True if it can be moved to another shard.
    pub(crate) fit_to_move: bool,
    /// State of a request to keep it clean.
    pub(crate) quiesce: QuiesceStatus,
    /// Number of the request for that.
    pub(crate) quiesce_number: u64,
    /// State of the last scrub of its backing.
    pub(crate) scrub: ScrubStatus,
    pub(crate) scrub_times: ScrubTimes,
    /// State of consistent write-back, and the place of its redo ring.
    pub(crate) consistency: Option<(ConsistencyStatistics, Option<String>)>,
    pub(crate) statistics: DiskStatistics,
    /// The part of that which was counted in pass-through.
    pub(crate) passed: Passed,
}

impl DiskReport {
    /// Returns the number of connected guests, over all doors.
    pub(crate) fn connections(&self) -> u64 {
        self.doors.iter().map(|door| door.counters.connections).sum()
    }

    /// Returns the number of guests' queues that are not served any more.
    pub(crate) fn broken_queues(&self) -> u64 {
        self.doors.iter().map(|door| door.counters.broken_queues).sum()
    }
}

impl Disk {
    /// Returns the report of the disk, which is on a shard with this number.
    pub(super) fn report(&self, shard: u32, now: u64) -> DiskReport {
        let (statistics, attached_for) = (self.cached.statistics(), self.attached.elapsed());
        let so_far = || Passed { counted: Counted::of(&statistics), time: attached_for };
        DiskReport {
            attachment: self.attachment,
            attached_for,
            passed: self.meter.borrow().read(so_far),
            shard,
            settings: self.cached.settings(),
            size_bytes: self.cached.geometry().size,
            sector_bytes: self.cached.geometry().sector,
            identity: self.identity.clone(),
            capabilities: self.capabilities(),
            details: self.cached.backing().details(),
            lost: self.cached.backing().lost(),
            trouble: self.cached.backing().trouble(),
            backing_retries: self.cached.backing().retries(),
            delays: self.limiter.delays(),
            failure: self.failure.borrow().as_ref().map(|failure| failure.reason().to_owned()),
            displaced: self.displaced.borrow().clone(),
            doors: self.doors.reports(),
            fit_to_move: self.is_fit_to_move(),
            quiesce: self.quiesce.at(now, self.cached.is_paused()),
            quiesce_number: self.quiesce.number(),
            scrub: self.scrub.status(),
            scrub_times: self.scrub.times.get(),
            consistency: self.consistency(),
            statistics,
        }
    }
}
