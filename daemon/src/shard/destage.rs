//! Destage on request: at once, with a hold on it for a while, or before a disk is removed; and data that
//! flash lost.
//!
//! ```text
//!   quiesce:  no ──> destaging (at full speed) ──> quiesced ── resume ──> no
//!                       │                             └── time is up, or a request has to wait for destage ──> ended
//!                       └── the backing fails ──> failed
//! ```
//! In consistent write-back guests go on writing back meanwhile, and the backing is the disk as of one time; but a request that has to wait for
//! destage, or a restart, ends that. `resume` then fails, so that a backup learns of it.
//!
//! Requests are answered at once, and reports have the progress: a backing that takes minutes must not keep a
//! connection waiting. Guests continue all the time. Every hold has an end: a backup that forgot to resume
//! does not leave a disk without write-back for ever.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base::error::{Error, Result};
use block::executor::LocalHost;
use block::{ByteRange, Host};
use cache::{CacheError, DestageOrder, DirtyData, DiskId};
use futures_util::future::{Either, select};
use telemetry::events::{self, Kind};
use tokio::sync::Notify;

use super::ShardHandle;
use super::disk::{Cached, Disk, not_attached};
use super::watching::BackingFailure;
use crate::holds::HoldTime;

const SECOND_NS: u64 = 1_000_000_000;

/// Number of the last quiesce request.
static TURNS: AtomicU64 = AtomicU64::new(0);

/// State of a request to keep a disk clean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum QuiesceStatus {
    /// Not requested.
    #[default]
    No,
    /// It is being destaged.
    Destaging,
    /// Nothing becomes dirty for this many more seconds.
    Quiesced { seconds_left: u64 },
    /// It was requested and failed, with the reason. The disk continues as if it had not been requested.
    Failed(String),
    /// It ended before it was resumed, for this reason.
    Ended(String),
}

/// Route of guests' writes while a disk is quiesced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuiescedWrites {
    /// Write back in consistent order, else through.
    ByOrder,
    /// Write through.
    Through,
}

/// State of the quiesce of a disk.
#[derive(Default)]
pub(super) struct Quiesce {
    state: RefCell<QuiesceState>,
    /// Number of the request that counts: tasks of earlier ones stop. No two requests of this process have
    /// the same number, on whatever shard the disk is.
    turn: Cell<u64>,
    turned: Notify,
}

#[derive(Clone, Debug, Default)]
enum QuiesceState {
    #[default]
    No,
    Destaging,
    /// Until this time; true if destage is paused, which may end before.
    Until(u64, bool),
    Failed(String),
    /// The reason, and the number of the request.
    Ended(String, u64),
}

impl Quiesce {
    /// Returns the state at this time, of a disk whose destage is paused or is not.
    pub(super) fn at(&self, now: u64, is_paused: bool) -> QuiesceStatus {
        match &*self.state.borrow() {
            QuiesceState::No => QuiesceStatus::No,
            QuiesceState::Destaging => QuiesceStatus::Destaging,
            // The task that records the end comes next.
            QuiesceState::Until(_, true) if !is_paused => {
                QuiesceStatus::Ended("something needed destage".to_owned())
            }
            QuiesceState::Until(end, _) => {
                QuiesceStatus::Quiesced { seconds_left: end.saturating_sub(now).div_ceil(SECOND_NS) }
            }
            QuiesceState::Failed(reason) => QuiesceStatus::Failed(reason.clone()),
            QuiesceState::Ended(reason, _) => QuiesceStatus::Ended(reason.clone()),
        }
    }

    /// Returns true if none was requested, or it failed or ended.
    pub(super) fn is_over(&self) -> bool {
        matches!(*self.state.borrow(), QuiesceState::No | QuiesceState::Failed(_) | QuiesceState::Ended(..))
    }

    /// Returns the number of the request that the state is of.
    pub(super) fn number(&self) -> u64 {
        match *self.state.borrow() {
            QuiesceState::Ended(_, number) => number,
            _ => self.turn.get(),
        }
    }

    /// Ends it without a call to the cache: the caller makes that.
    pub(super) fn end(&self) {
        self.state.replace(QuiesceState::No);
        self.take_turn();
    }

    /// Ends it before it was resumed.
    fn finish(&self, name: &str, reason: &str) {
        self.state.replace(QuiesceState::Ended(reason.to_owned(), self.number()));
        self.take_turn();
        let over = format!("Disk '{name}' is no longer quiesced, and is destaged again: {reason}");
        events::of_disk(Kind::QuiesceOver, name, over);
    }

    fn take_turn(&self) -> u64 {
        self.turn.set(1 + TURNS.fetch_add(1, Ordering::Relaxed));
        self.turned.notify_waiters();
        self.turn.get()
    }

    async fn is_superseded(&self, turn: u64) {
        while self.turn.get() == turn {
            self.turned.notified().await;
        }
    }
}

impl ShardHandle {
    /// Destages all dirty data at full speed, or ends that.
    pub(super) async fn destage(&self, name: String, asked: Destage) -> Result<()> {
        self.call(move |shard| async move {
            let disk = shard.disk(&name).ok_or_else(|| not_attached(&name))?;
            if asked == Destage::Start {
                disk.check_in_place(&name, "destage", &shard.host).await?;
            }
            let start: fn(&Cached) = match asked {
                Destage::Start => Cached::start_destage,
                Destage::Hurry => Cached::hurry_destage,
                Destage::Stop => {
                    disk.cached.stop_destage();
                    return Ok(());
                }
            };
            // Until all dirty data is known, there is nothing to hurry.
            shard.host.spawn(async move {
                disk.cached.loaded().await;
                start(&disk.cached);
            });
            Ok(())
        })
        .await?
    }

    /// Destages everything, faster than the keys of the disk allow, and keeps it clean until the disk is
    /// detached.
    pub(super) async fn destage_for_good(&self, name: String) -> Result<()> {
        self.call(move |shard| async move {
            let disk = shard.disk(&name).ok_or_else(|| not_attached(&name))?;
            if disk.cached.holds_dirty() || disk.cached.settings().mode.row().writes_back {
                disk.cached.hurry_destage();
                destage_all(&disk, &name).await?;
            }
            Ok(())
        })
        .await?
    }

    /// Begins to destage everything and to keep it clean for this many seconds from then on. Returns the
    /// number of the request.
    pub(super) async fn quiesce(&self, name: String, seconds: u64, writes: QuiescedWrites) -> Result<u64> {
        self.call(move |shard| async move {
            let disk = shard.disk(&name).ok_or_else(|| not_attached(&name))?;
            disk.check_in_place(&name, "quiesce", &shard.host).await?;
            if disk.cached.is_paused() {
                // A new one would end it, and a copy that goes on would be a mix.
                return Err(Error::conflict(format!(
                    "Disk '{name}' is quiesced already, as of a time that another request would end: when that snapshot or \
                     backup is done, forebay disk resume {name}"
                )));
            }
            let turn = disk.quiesce.take_turn();
            if !matches!(*disk.quiesce.state.borrow(), QuiesceState::Until(_, false)) {
                disk.quiesce.state.replace(QuiesceState::Destaging);
            }
            let time = HoldTime::OnceHome(Duration::from_secs(seconds));
            shard.host.spawn(hold_quiesce(name, disk, shard.host.clone(), turn, (time, writes)));
            Ok(turn)
        })
        .await?
    }

    /// Ends the request of [`Self::quiesce`]; if a number is given, only if that is still the request that
    /// counts. Returns true if there was one.
    ///
    /// # Errors
    /// A conflict if it ended before: a backup that was not finished by then is not of one moment. The same without a number if the disk is
    /// not quiesced: it may have ended in an earlier process.
    pub(super) async fn resume(&self, name: String, number: Option<u64>) -> Result<bool> {
        self.call(move |shard| async move {
            let disk = shard.disk(&name).ok_or_else(|| not_attached(&name))?;
            if number.is_some_and(|number| number != disk.quiesce.number()) {
                return Ok(false);
            }
            let status = disk.quiesce.at(shard.host.now(), disk.cached.is_paused());
            disk.quiesce.end();
            disk.cached.resume();
            match status {
                QuiesceStatus::Destaging | QuiesceStatus::Quiesced { .. } => Ok(true),
                QuiesceStatus::No | QuiesceStatus::Failed(_) if number.is_some() => Ok(false),
                QuiesceStatus::No | QuiesceStatus::Failed(_) => Err(Error::conflict(format!(
                    "Disk '{name}' is not quiesced. If it was, a snapshot or backup that was not finished by the end of that \
                     is not of one moment"
                ))),
                QuiesceStatus::Ended(reason) => Err(Error::conflict(format!(
                    "Disk '{name}' did not stay quiesced until now: {reason}. A snapshot or backup that was not finished \
                     by then is not of one moment"
                ))),
            }
        })
        .await?
    }

    /// Returns the bytes of a disk that flash lost before the backing had them. At most this many ranges.
    pub(super) async fn lost(&self, name: String, most: usize) -> Result<Vec<ByteRange>> {
        self.ask(move |shard| {
            let disk = shard.disk(&name).ok_or_else(|| not_attached(&name))?;
            Ok(disk.cached.lost(most))
        })
        .await?
    }

    /// Frees the cached data of a disk that is not attached and will not be.
    ///
    /// # Errors
    /// A conflict if there is dirty data, unless that may be discarded; then nothing has changed.
    pub(super) async fn forget(&self, name: String, id: u32, what_is_dirty: DirtyData) -> Result<()> {
        self.call(move |shard| async move {
            match shard.cache().disown(DiskId(id), what_is_dirty).await {
                Err(CacheError::HoldsDirty(_)) => Err(holds_dirty(&name)),
                outcome => {
                    shard.forget_identity(id).await?;
                    outcome.map_err(|error| {
                        Error::failed(format!(
                            "The cached data of the disk keeps its place in the pool: {error}"
                        ))
                    })
                }
            }
        })
        .await?
    }
}

impl Disk {
    /// Keeps a disk clean that was just attached, as was requested before. Must be called before its first
    /// request.
    pub(super) fn continue_quiesce(self: &Rc<Self>, name: String, host: &LocalHost, time: HoldTime) {
        if time == HoldTime::Left(Duration::ZERO) {
            // The event was written before.
            let reason = "its time ended before it was served again".to_owned();
            self.quiesce.state.replace(QuiesceState::Ended(reason, self.quiesce.number()));
            return;
        }
        let (HoldTime::OnceHome(duration) | HoldTime::Left(duration)) = time;
        if self.cached.settings().destage_order == DestageOrder::Consistent {
            // What is dirty is destaged from now on, so the backing is no longer the disk as of that time.
            self.quiesce.finish(&name, "the daemon was restarted");
            return;
        }
        let holds = format!(
            "Disk '{name}' stays quiesced for {} s more, as requested before the restart",
            duration.as_secs_f64().ceil()
        );
        events::of_disk(Kind::QuiesceGoesOn, &name, holds);
        let turn = self.quiesce.take_turn();
        self.quiesce.state.replace(QuiesceState::Destaging);
        let time = (time, QuiescedWrites::ByOrder);
        host.spawn(hold_quiesce(name, Rc::clone(self), host.clone(), turn, time));
    }
}

/// Speed of destage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destage {
    /// Full speed until nothing is dirty.
    Start,
    /// The same, faster than the keys of the disk allow: its flash is about to be lost.
    Hurry,
    /// Back to the usual speed.
    Stop,
}

/// Destages all data of a disk, durably, and keeps it clean.
///
/// # Errors
/// If the backing fails; then the disk continues as before.
pub(super) async fn destage_all(disk: &Disk, name: &str) -> Result<()> {
    if let Some(BackingFailure::Shrunk(reason)) = &*disk.failure.borrow() {
        return Err(Error::conflict(format!("Cannot destage the dirty data of disk '{name}': {reason}")));
    }
    if disk.cached.is_paused() {
        disk.quiesce.finish(name, "everything had to be destaged");
    } else {
        disk.quiesce.end();
    }
    disk.cached.destage_all().await.map_err(|error| not_destaged(name, &disk.cached, &error))
}

fn not_destaged(name: &str, cached: &Cached, error: &dyn std::fmt::Display) -> Error {
    let statistics = cached.statistics();
    let size = base::units::Size(statistics.dirty_bytes);
    Error::conflict(format!(
        "Cannot destage {size} of dirty data of disk '{name}': {error}. Nothing was changed; repair the \
         backing, or make room for it, and try again, or discard that data: forebay disk remove {name} --discard-dirty"
    ))
}

/// Returns the reason for which the data of a disk that is not served cannot be discarded.
pub(super) fn holds_dirty(name: &str) -> Error {
    Error::conflict(format!(
        "Cannot drop the cached data of disk '{name}': its backing does not have all of it. Make its backing available \
         again, so that the disk is served and destaged, or discard that data: forebay disk remove {name} --discard-dirty"
    ))
}

async fn hold_quiesce(
    name: String,
    disk: Rc<Disk>,
    host: LocalHost,
    turn: u64,
    (time, writes): (HoldTime, QuiescedWrites),
) {
    let begun = host.now();
    // A later request is checked first: then the hold of this one was not handed over yet, and is dropped.
    let superseded = pin!(disk.quiesce.is_superseded(turn));
    let quiescing = async {
        match writes {
            QuiescedWrites::ByOrder => disk.cached.quiesce().await,
            QuiescedWrites::Through => disk.cached.destage_all().await,
        }
    };
    let quiesced = match select(superseded, pin!(quiescing)).await {
        Either::Left(_) => return,
        Either::Right((quiesced, _)) => quiesced,
    };
    if let Err(error) = quiesced {
        if disk.leaving.get() {
            // The disk is detached, which ends no hold: the next start continues it.
            return;
        }
        let failed = format!(
            "Disk '{name}' is not quiesced, because not all of its dirty data could be destaged: {error}"
        );
        events::of_disk(Kind::QuiesceFailed, &name, failed);
        disk.quiesce.state.replace(QuiesceState::Failed(error.to_string()));
        return;
    }
    let (from, duration) = match time {
        HoldTime::OnceHome(duration) => (host.now(), duration),
        HoldTime::Left(duration) => (begun, duration),
    };
    let end = from.saturating_add(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX));
    disk.quiesce.state.replace(QuiesceState::Until(end, disk.cached.is_paused()));
    let superseded = pin!(disk.quiesce.is_superseded(turn));
    let (time_over, ended) = (pin!(host.sleep_until(end)), pin!(disk.cached.quiesce_ended()));
    let over = select(time_over, ended);
    let reason = match select(superseded, over).await {
        Either::Left(_) => return,
        Either::Right((Either::Left(_), _)) => {
            format!("its {} s are over", duration.as_secs_f64().ceil())
        }
        Either::Right((Either::Right((reason, _)), _)) => reason,
    };
    disk.cached.resume();
    disk.quiesce.finish(&name, &reason);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_ended_is_known_by_its_number_until_another_one_begins() {
        let quiesce = Quiesce::default();
        let number = quiesce.take_turn();
        quiesce.state.replace(QuiesceState::Until(5, true));
        assert!(quiesce.number() == number && !quiesce.is_over());
        assert_eq!(quiesce.at(1, true), QuiesceStatus::Quiesced { seconds_left: 1 });
        assert!(matches!(quiesce.at(1, false), QuiesceStatus::Ended(_)), "before its task records that");
        quiesce.finish("d", "because");
        assert_eq!(quiesce.at(1, false), QuiesceStatus::Ended("because".to_owned()));
        assert!(quiesce.number() == number && quiesce.is_over());
        quiesce.end();
        assert_ne!(quiesce.number(), number);
    }
}
