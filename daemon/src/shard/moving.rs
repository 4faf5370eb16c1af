//! Moves of a disk from one shard to another, while its guests stay connected.
//!
//! ```text
//!   freeze:   guests held, requests end ── cache detaches it, content stays on flash ──> FrozenDisk
//!   thaw:     FrozenDisk ──> backing (the same open file or connections, throughout) ── cache, which loads ── guests continue
//!   release:  the old shard removes the disk
//! ```
//! Until the cache detaches the disk, a freeze can be cancelled at any moment: the disk continues on its shard.
//! After that it is served by the shard that thaws it; if the new one cannot, the old one does. Nothing
//! is recorded beyond the process: the shard of a disk does not matter to a restart. The content of its RAM
//! tier is lost, and the index is loaded again, with reads answered from the backing meanwhile: that is the
//! cost of a move.

#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;
use std::time::Instant;

use base::error::{Error, Result};
use block::{BlockDevice, BlockError, Host, RateLimited, RateLimiter, RateLimiterState};
use cache::{DiskSettings, LearnedState, Tally};
use futures_util::future::{Either, select};
use telemetry::series::lifetime::Meter;
use tokio::sync::Notify;

use super::destage::Quiesce;
use super::disk::{Cached, CachedAtRest, Disk, explain, not_attached};
use super::scrub::Scrub;
use super::served::Served;
use super::standing::DisplacedBacking;
use super::{Shard, ShardHandle};
use crate::backing::{Ability, Backing, BackingHandle, Location};
use crate::backing_identity::{BackingHistory, HistoryHandle};
use crate::door::{DoorSocket, Doors, PausedDoors};
use crate::recording::{RecordedDisk, recorder};

/// Time that guests may be held while their last requests end, in nanoseconds: well below their timeouts.
const HOLD_TIME_MAX_NS: u64 = 500_000_000;

/// A disk between two shards.
pub(super) struct FrozenDisk {
    name: String,
    location: Location,
    displaced: Option<DisplacedBacking>,
    backing: BackingHandle,
    history: HistoryHandle,
    settings: DiskSettings,
    size_bytes: u64,
    persistence: Ability,
    /// Kept, together with the counters.
    attachment: u64,
    attached: Instant,
    meter: Meter,
    tally: Tally,
    learned: Option<LearnedState>,
    limiter: RateLimiterState,
    doors: PausedDoors,
}

impl FrozenDisk {
    /// Returns the sockets of its doors.
    pub(super) fn sockets(&self) -> Vec<DoorSocket> {
        self.doors.sockets()
    }
}

/// A disk that could not be thawed, and the reason.
pub(super) type ThawFailure = (Error, Box<FrozenDisk>);

impl ShardHandle {
    /// Freezes a disk on its shard. It stays in the reports of that shard until [`Self::release`].
    ///
    /// # Errors
    /// The reason for which it cannot be moved now; then it continues on its shard.
    pub(super) async fn freeze(&self, name: String) -> Result<Box<FrozenDisk>> {
        self.call(move |shard| async move { shard.freeze(&name).await.map(Box::new) }).await?
    }

    /// Serves a frozen disk on this shard.
    ///
    /// # Errors
    /// The reason for which it cannot, with the disk. Only a problem if this shard is gone, and the disk with
    /// it.
    pub(super) async fn thaw(&self, moving: Box<FrozenDisk>) -> Result<Result<(), ThawFailure>> {
        self.call(move |shard| async move { shard.thaw(moving).await }).await
    }

    /// Removes a frozen disk from this shard, once it is served elsewhere, or nowhere.
    pub(super) async fn release(&self, name: String) -> Result<()> {
        self.call(move |shard| async move {
            let gone = shard.disks.borrow_mut().remove(&name);
            drop(gone);
        })
        .await
    }
}

impl Shard {
    async fn freeze(&self, name: &str) -> Result<FrozenDisk> {
        let disk = self.disk(name).ok_or_else(|| not_attached(name))?;
        disk.check_fit_to_move(name)?;
        // Before guests are held: for a large cache it takes its time.
        let learned = self.learned_state(&disk, name).await;
        let (backing, at_rest) = match self.still(&disk, name).await {
            Ok(still) => still,
            Err(problem) => {
                disk.cached.backing().go_on();
                disk.doors.cancel_pause();
                return Err(problem);
            }
        };
        disk.leaving.set(true);
        self.cache().release(at_rest).await;
        let history = disk.history.handle();
        disk.history.close();
        Ok(FrozenDisk {
            name: name.to_owned(),
            location: disk.location.clone(),
            displaced: disk.displaced.borrow().clone(),
            backing,
            history,
            settings: disk.cached.settings(),
            size_bytes: disk.cached.geometry().size,
            persistence: disk.persistence.clone(),
            attachment: disk.attachment,
            attached: disk.attached,
            meter: disk.meter.borrow().clone(),
            tally: disk.cached.tally(),
            learned,
            limiter: disk.limiter.state(),
            doors: disk.doors.take_paused(),
        })
    }

    /// Returns what was learned of a disk, for its next shard. None if it leaves, or if that cannot be had; then it learns again.
    async fn learned_state(&self, disk: &Disk, name: &str) -> Option<LearnedState> {
        let saved = disk.cached.save_learned().await?;
        let shape = self.cache().learned_shape(&disk.cached.settings());
        let decoded = self.blocking.run(move || LearnedState::decode(&saved, &shape)).await;
        match decoded {
            Ok(Ok(state)) => return Some(state),
            Ok(Err(malformed)) => tracing::warn!("Disk '{name}' learns again on its next shard: {malformed}"),
            Err(problem) => tracing::warn!("Disk '{name}' learns again on its next shard: {problem}"),
        }
        None
    }

    /// Holds the guests of a disk until nothing is in flight any more, destage included. On failure
    /// everything that is at rest must be resumed.
    async fn still<'a>(&self, disk: &'a Disk, name: &str) -> Result<(BackingHandle, CachedAtRest<'a>)> {
        let too_late = pin!(self.host.sleep(HOLD_TIME_MAX_NS));
        let still = pin!(async {
            disk.doors.pause().await;
            // Before the backing's requests in flight are checked: a write of destage may be among them.
            let at_rest = disk.cached.stop_destaging().await;
            // A running flush ends at the backing first, and no other can wait for a backing at rest.
            let flushes = disk.cached.hold_flushes().await;
            let backing = disk.cached.backing();
            backing.rest().await.map_err(|error| restless(name, &error))?;
            // Checked once more, now that nothing changes it: last requests may have failed, or a flush of
            // our own.
            disk.check_fit_to_move(name)?;
            // Nothing is awaited after the check.
            if flushes.stop() { Ok((backing.handle(), at_rest)) } else { Err(unfit(name)) }
        });
        match select(still, too_late).await {
            Either::Left((still, _)) => still,
            Either::Right(_) => Err(busy(name)),
        }
    }

    async fn thaw(self: Rc<Self>, moving: Box<FrozenDisk>) -> Result<(), ThawFailure> {
        let (cached, history) = match self.take_up(&moving).await {
            Ok(taken) => taken,
            Err(problem) => return Err((problem, moving)),
        };
        let FrozenDisk {
            name,
            location,
            persistence,
            displaced,
            attachment,
            attached,
            meter,
            learned,
            limiter,
            doors,
            ..
        } = *moving;
        if let Some(state) = learned {
            cached.restore_learned(state);
        }
        let learned = Rc::new(self.learned_file(cached.settings().id.0));
        let limiter = Rc::new(RateLimiter::resume(self.host.clone(), limiter));
        let device = RecordedDisk::new(Rc::clone(&cached), recorder(&name));
        let device = RateLimited::new(device, Rc::clone(&limiter));
        let doors = Doors::resume(&self.ring, &self.host, &name, device, doors);
        let identity = cached.backing().identity();
        let monitored = self.monitor_backing(&name, &cached, &history);
        monitored.set_in_doubt(displaced.is_some());
        let (failure, displaced) = (RefCell::default(), RefCell::new(displaced));
        let (leaving, gone, quiesce) = (Cell::new(false), Notify::new(), Quiesce::default());
        self.enter(
            name,
            Disk {
                attachment,
                attached,
                meter: RefCell::new(meter),
                cached,
                doors,
                limiter,
                location,
                history,
                learned,
                identity,
                quiesce,
                scrub: Scrub::default(),
                persistence,
                displaced,
                ring: RefCell::default(),
                failure,
                monitored,
                is_checking: Cell::new(false),
                leaving,
                served: Served::default(),
                gone,
            },
        );
        Ok(())
    }

    /// Performs every step that can fail: afterwards guests can continue. The backing is not accessed, for it
    /// may not answer, and no file is opened on it, for there may be too many.
    async fn take_up(&self, moving: &FrozenDisk) -> Result<(Rc<Cached>, Rc<BackingHistory>)> {
        let FrozenDisk { name, location, settings, .. } = moving;
        let backing = Backing::from_handle(&self.ring, &self.host, location, moving.backing.clone());
        let (remembered, mark) = ((&self.places, &self.remembered), self.mark.get());
        let (id, size_bytes) = (settings.id.0, moving.size_bytes);
        let history = moving.history.clone();
        let history =
            BackingHistory::from_handle(&self.blocking, remembered, id, size_bytes, mark, history).await?;
        let history = Rc::new(history);
        let attached = self.cache().attach(*settings, backing, history.unbroken_context()).await;
        let cached = attached.map_err(|error| explain(name, &error, settings.reserve_bytes))?;
        cached.backing().go_on();
        history.go_on();
        cached.count_on(&moving.tally);
        Ok((cached, history))
    }
}

impl Disk {
    /// Returns true if it can be moved to another shard.
    pub(super) fn is_fit_to_move(&self) -> bool {
        let backing_is_fit = self.cached.backing().capabilities().shard_move.is_able();
        let undisturbed = !self.leaving.get() && self.failure.borrow().is_none() && self.quiesce.is_over();
        // Its redo ring stays open on this shard.
        let guests_follow = !self.doors.are_bound_to_shard() && self.ring.borrow().is_none();
        backing_is_fit && undisturbed && guests_follow && self.cached.is_fit_to_move()
    }

    fn check_fit_to_move(&self, name: &str) -> Result<()> {
        if self.is_fit_to_move() { Ok(()) } else { Err(unfit(name)) }
    }
}

fn unfit(name: &str) -> Error {
    Error::conflict(format!(
        "Cannot move disk '{name}' to another shard: it is being loaded or detached, is mapped, or had a failure; it stays \
         where it is"
    ))
}

fn busy(name: &str) -> Error {
    Error::unavailable(format!(
        "Cannot move disk '{name}' to another shard: its last requests did not end within {} ms; it stays where it is",
        HOLD_TIME_MAX_NS / 1_000_000
    ))
}

fn restless(name: &str, error: &BlockError) -> Error {
    Error::unavailable(format!(
        "Cannot move disk '{name}' to another shard: {}; it stays where it is",
        error.reason
    ))
}
