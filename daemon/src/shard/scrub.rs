//! Scrubs of a disk's backing, beside its guests.
//!
//! ```text
//!   none ──start──> running ──> done, or failed ──start──> running ...
//! ```
//! One runs at a time. Its result stays until the next one starts or the disk is detached.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use base::error::{Error, Result};
use base::moment::nanos_since_1970;
use base::units::Size;
use block::executor::LocalHost;
use block::{ByteRange, Host};
use cache::CachedCopy;
use futures_util::future::{Either, LocalBoxFuture, select};
use serde::{Deserialize, Serialize};
use telemetry::events::{self, Kind};
use tokio::sync::Notify;

use super::disk::{Disk, not_attached};
use super::{Shard, ShardHandle};
use crate::backing::{Rescue, Rescued, ScrubResult};

/// State of the last scrub of a disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum ScrubStatus {
    /// None since it was attached.
    #[default]
    None,
    /// Bytes that were read, and bytes in all.
    Running(u64, u64),
    Done(Arc<ScrubResult>),
    Failed(String),
}

/// The end of a scrub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastScrub {
    /// Its time, in nanoseconds since 1970.
    pub(crate) ended_at: u64,
    /// Bytes that it read.
    pub(crate) stored_bytes: u64,
    /// Bytes of the disk and of its snapshots that it found to be lost.
    pub(crate) damaged_bytes: u64,
}

/// Times of scrubs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScrubTimes {
    /// The last one that was completed, by hand or by the timer.
    pub(crate) last: Option<LastScrub>,
    /// Time at which the next one is due, in nanoseconds since 1970.
    pub(crate) next_at: Option<u64>,
}

/// The scrub of a disk.
#[derive(Default)]
pub(super) struct Scrub {
    status: RefCell<ScrubStatus>,
    pub(super) times: Cell<ScrubTimes>,
    /// Notified when one ended.
    pub(super) ended: Rc<Notify>,
    /// Number of the last one.
    turn: Cell<u64>,
    stopped: Notify,
}

impl Scrub {
    pub(super) fn status(&self) -> ScrubStatus {
        self.status.borrow().clone()
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(*self.status.borrow(), ScrubStatus::Running(..))
    }

    /// Ends it if it runs, with this reason.
    pub(super) fn stop(&self, reason: &str) {
        if self.is_running() {
            self.status.replace(ScrubStatus::Failed(reason.to_owned()));
            self.turn.set(self.turn.get() + 1);
            self.stopped.notify_waiters();
            self.ended.notify_waiters();
        }
    }
}

impl ShardHandle {
    /// Starts a scrub of a disk's backing that reads at most so many bytes a second, unless one runs.
    ///
    /// # Errors
    /// If it is not attached, or its backing cannot be scrubbed.
    pub(super) async fn start_scrub(&self, name: String, rate: u64) -> Result<()> {
        self.call(move |shard| async move { shard.start_scrub(&name, rate) }).await?
    }

    /// Ends a scrub, if one runs.
    ///
    /// # Errors
    /// If it is not attached.
    pub(super) async fn stop_scrub(&self, name: String) -> Result<()> {
        self.call(move |shard| async move {
            let disk = shard.disk(&name).ok_or_else(|| not_attached(&name))?;
            disk.scrub.stop("it was stopped");
            Ok(())
        })
        .await?
    }
}

impl Shard {
    fn start_scrub(&self, name: &str, rate: u64) -> Result<()> {
        let disk = self.disk(name).ok_or_else(|| not_attached(name))?;
        if let Some(reason) = disk.cached.backing().scrub_ability().reason() {
            return Err(Error::invalid(format!("Cannot scrub the backing of disk '{name}': {reason}")));
        }
        begin(name, &disk, &self.host, rate);
        Ok(())
    }
}

/// Starts a scrub unless one runs.
pub(super) fn begin(name: &str, disk: &Rc<Disk>, host: &LocalHost, rate: u64) {
    if disk.scrub.is_running() || disk.leaving.get() {
        return;
    }
    disk.scrub.status.replace(ScrubStatus::Running(0, 0));
    let (name, disk, ours, turn) = (name.to_owned(), Rc::clone(disk), host.clone(), disk.scrub.turn.get());
    host.spawn(async move { run(name, disk, ours, rate, turn).await });
}

/// Content that the cache of a disk has and its backing lost.
struct CacheRescue(Rc<Disk>);

impl Rescue for CacheRescue {
    fn page(&self, page: u64) -> LocalBoxFuture<'_, Option<Rescued>> {
        Box::pin(async move {
            match self.0.cached.cached_copy(page).await {
                CachedCopy::Clean(content) => Some(Rescued::Content(content)),
                CachedCopy::Newer => Some(Rescued::Replaced),
                CachedCopy::Nothing => None,
            }
        })
    }
}

async fn run(name: String, disk: Rc<Disk>, host: LocalHost, rate: u64, turn: u64) {
    let outcome = {
        let stopped = pin!(disk.scrub.stopped.notified());
        // It may have been stopped before it began.
        if disk.scrub.turn.get() != turn {
            return;
        }
        let progress = |done, all| {
            if disk.scrub.turn.get() == turn {
                disk.scrub.status.replace(ScrubStatus::Running(done, all));
            }
        };
        let rescue = CacheRescue(Rc::clone(&disk));
        let scrub = pin!(disk.cached.backing().scrub(&host, rate, &progress, &rescue));
        match select(stopped, scrub).await {
            Either::Left(_) => return,
            Either::Right((outcome, _)) => outcome,
        }
    };
    if disk.scrub.turn.get() != turn {
        return;
    }
    let status = match outcome {
        Ok(result) => {
            report(&name, &result);
            let last = LastScrub {
                ended_at: nanos_since_1970(),
                stored_bytes: result.stored_bytes,
                damaged_bytes: damaged_bytes(&result),
            };
            disk.scrub.times.set(ScrubTimes { last: Some(last), ..disk.scrub.times.get() });
            ScrubStatus::Done(Arc::new(result))
        }
        Err(problem) => {
            tracing::warn!("The scrub of disk '{name}' ended early: {problem}");
            ScrubStatus::Failed(problem.message)
        }
    };
    disk.scrub.status.replace(status);
    disk.scrub.ended.notify_waiters();
}

fn damaged_bytes(result: &ScrubResult) -> u64 {
    result.damaged.iter().flat_map(|part| &part.ranges).map(ByteRange::len).sum()
}

fn report(name: &str, result: &ScrubResult) {
    let repaired_bytes = result.repaired_bytes + result.replaced_bytes;
    if repaired_bytes > 0 {
        let message = format!(
            "The backing of disk '{name}' had lost {}, which its cache had: it was written again. Find out why the store loses data",
            Size(repaired_bytes)
        );
        events::of_disk(Kind::BackingRepaired, name, message);
    }
    if let Some(reason) = &result.repair_error {
        tracing::warn!("Not all that the backing of disk '{name}' lost could be written again: {reason}");
    }
    if result.damaged.is_empty() {
        return;
    }
    let (lost, parts) = (Size(damaged_bytes(result)), result.damaged.len());
    let message = format!(
        "{lost} of the backing of disk '{name}' are damaged, in {parts} objects: reads of them fail. Restore them from a backup; what is \
         written again is good"
    );
    events::of_disk(Kind::BackingDamaged, name, message);
}
