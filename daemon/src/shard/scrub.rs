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
use crate::backing::{DamagedPart, Rescue, Rescued, ScrubResult};

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
    /// Bytes that the backing had lost and the cache had.
    #[serde(default)]
    pub(crate) repaired_bytes: u64,
}

/// Way in which a scrub ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScrubEnd {
    Done,
    Failed,
    Stopped,
}

/// Times of scrubs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScrubTimes {
    /// The last one that was completed, by hand or by the timer.
    pub(crate) last: Option<LastScrub>,
    /// Time at which the next one is due, in nanoseconds since 1970.
    pub(crate) next_at: Option<u64>,
    /// Reason why one that is due waits.
    pub(crate) waits: Option<&'static str>,
}

/// The scrub of a disk.
#[derive(Default)]
pub(super) struct Scrub {
    status: RefCell<ScrubStatus>,
    pub(super) times: Cell<ScrubTimes>,
    /// Notified when one ended.
    pub(super) ended: Rc<Notify>,
    /// The last end that the timer has not seen.
    pub(super) end: Cell<Option<ScrubEnd>>,
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
            self.end.set(Some(ScrubEnd::Stopped));
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
    let (status, end) = match outcome {
        Ok(result) => {
            report(&name, &result);
            let last = LastScrub {
                ended_at: nanos_since_1970(),
                stored_bytes: result.stored_bytes,
                damaged_bytes: damaged_bytes(&result.damaged),
                repaired_bytes: result.repaired_bytes + result.replaced_bytes,
            };
            disk.scrub.times.set(ScrubTimes { last: Some(last), ..disk.scrub.times.get() });
            (ScrubStatus::Done(Arc::new(result)), ScrubEnd::Done)
        }
        Err(problem) => {
            tracing::warn!("The scrub of disk '{name}' ended early: {problem}");
            (ScrubStatus::Failed(problem.message), ScrubEnd::Failed)
        }
    };
    disk.scrub.status.replace(status);
    disk.scrub.end.set(Some(end));
    disk.scrub.ended.notify_waiters();
}

fn damaged_bytes<'a>(parts: impl IntoIterator<Item = &'a DamagedPart>) -> u64 {
    parts.into_iter().flat_map(|part| &part.ranges).map(ByteRange::len).sum()
}

fn report(name: &str, result: &ScrubResult) {
    if let Some(reason) = &result.repair_error {
        tracing::warn!("Not all that the backing of disk '{name}' lost could be written again: {reason}");
    }
    for (kind, message) in findings(name, result) {
        events::of_disk(kind, name, message);
    }
}

/// Returns the events of what a scrub found.
fn findings(name: &str, result: &ScrubResult) -> Vec<(Kind, String)> {
    let mut found = Vec::new();
    let (again, replaced) = (result.repaired_bytes, result.replaced_bytes);
    if again + replaced > 0 {
        let mut repairs = Vec::new();
        if again > 0 {
            repairs.push(format!("{} were written again", Size(again)));
        }
        if replaced > 0 {
            repairs.push(format!("guests replaced {}, which are to be destaged", Size(replaced)));
        }
        let is_whole = result.damaged.is_empty() && result.repair_error.is_none();
        let rest = if is_whole { ". Nothing is lost" } else { "" };
        let (lost, repairs) = (Size(again + replaced), repairs.join(", "));
        found.push((
            Kind::BackingRepaired,
            format!(
                "The backing of disk '{name}' had lost {lost}, which its cache had: {repairs}{rest}. Find out why the store loses data"
            ),
        ));
    }
    let (of_snapshots, of_disk): (Vec<_>, Vec<_>) =
        result.damaged.iter().partition(|part| part.is_of_snapshot);
    if !of_disk.is_empty() {
        let (lost, parts) = (Size(damaged_bytes(of_disk.iter().copied())), of_disk.len());
        found.push((
            Kind::BackingDamaged,
            format!(
                "{lost} of the backing of disk '{name}' are damaged, in {parts} objects: reads of them fail. Restore them from a backup; what \
                 is written again is good"
            ),
        ));
    }
    if !of_snapshots.is_empty() {
        let lost = Size(damaged_bytes(of_snapshots.iter().copied()));
        let mut names: Vec<_> = of_snapshots.iter().map(|part| part.object.as_str()).collect();
        names.dedup();
        let (names, disk) =
            (names.join(", "), if of_disk.is_empty() { ". Reads of the disk are whole" } else { "" });
        found.push((
            Kind::BackingDamaged,
            format!(
                "{lost} are damaged that only snapshots of disk '{name}' have: {names}{disk}. Delete these snapshots, or restore what they lack \
                 from a backup"
            ),
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(object: &str) -> DamagedPart {
        DamagedPart {
            object: object.into(),
            reason: "it is gone".into(),
            ranges: vec![ByteRange::new(0, 4096)],
            is_of_snapshot: object.contains('@'),
        }
    }

    fn result(repaired_bytes: u64, replaced_bytes: u64, damaged: &[&str]) -> ScrubResult {
        ScrubResult {
            bytes: 1 << 20,
            taken_at: 0,
            objects: 3,
            stored_bytes: 3,
            mapped_bytes: 3,
            whole_bytes: 3,
            repaired_bytes,
            replaced_bytes,
            repair_error: None,
            damaged: damaged.iter().copied().map(part).collect(),
            deleted: Ok((0, 0)),
        }
    }

    fn said(result: &ScrubResult) -> String {
        findings("web1", result).into_iter().map(|(_, message)| message).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn repairs_say_what_was_written_and_what_is_to_be() {
        let again = said(&result(8192, 0, &[]));
        assert!(again.contains("8KiB were written again. Nothing is lost"), "{again}");
        assert!(!again.contains("destaged"), "{again}");
        let replaced = said(&result(0, 4096, &[]));
        assert!(
            replaced.contains("4KiB, which are to be destaged") && !replaced.contains("written again"),
            "{replaced}"
        );
        let partly = said(&result(8192, 0, &["data/1"]));
        assert!(!partly.contains("Nothing is lost") && partly.contains("reads of them fail"), "{partly}");
    }

    #[test]
    fn damage_of_snapshots_alone_leaves_the_disk_whole() {
        let alone = said(&result(0, 0, &["web1@a", "web1@a", "web1@b"]));
        assert!(alone.contains("web1@a, web1@b. Reads of the disk are whole"), "{alone}");
        assert!(!alone.contains("reads of them fail"), "{alone}");
        let both = said(&result(0, 0, &["data/1", "web1@a"]));
        assert!(both.contains("in 1 objects: reads of them fail") && !both.contains("are whole"), "{both}");
    }
}
