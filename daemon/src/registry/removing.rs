//! Removal of disks, and of their cached data: dirty data is discarded only on explicit request.
//!
//! A removal first destages, while guests are still served: if the backing fails, the disk stays as before.
//! Only then are guests disconnected.

use std::sync::Arc;
use std::time::Duration;

use base::error::{Error, ErrorKind, Result};
use base::patience::within;
use cache::DirtyData;
use telemetry::events::{self, Kind};

use super::{DiskView, IfInUse, Registry, being_removed, known, lock};
use crate::backing::Location;
use crate::backing_identity::DirtyMark;
use crate::shard::{DetachPolicy, RECOVER_ADVICE, needs_ring};
use crate::state::DiskRecord;

/// Time that a removal may take before it continues after its answer.
const REMOVE_TIME_MAX: Duration = Duration::from_secs(10);
/// Time to wait for a backing that is not served.
const UNMARK_TIME_MAX: Duration = Duration::from_secs(2);

impl Registry {
    /// Drops the cached data of a disk, durably. Guests continue. For a disk that waits, its data in the pool
    /// is dropped.
    ///
    /// # Errors
    /// If there is none of this name, its backing fails while it is destaged, or the dropped data may return
    /// at the next start; the message says so.
    pub(crate) async fn evict(&self, name: &str) -> Result<DiskView> {
        let changing = self.locks.lock(name).await;
        let record = known(&self.state(), name)?.clone();
        if self.is_being_removed(name) {
            return Err(being_removed(name));
        }
        self.check_pool_is_here(&record)?;
        let served = self.shards.disk_report(name.to_owned()).await?.is_some();
        self.shards.evict(name.to_owned(), record.id).await?;
        if !served {
            // The pool has no data of it any more. Its flash is free, so its share is as well.
            self.keep_share(&record).await?;
        }
        let dropped = format!("The cached data of disk '{name}' was dropped on request");
        events::of_disk(Kind::CacheEvicted, name, dropped);
        drop(changing);
        self.disk(name).await
    }

    /// Stops serving a disk and removes its record. The content of its backing stays.
    ///
    /// # Errors
    /// If there is none of this name, guests use it and may not be disconnected, its backing fails while it
    /// is destaged, or the state cannot be changed. If the backing hangs or there is much to destage, the
    /// removal continues after the answer, and the message says so.
    pub(crate) async fn remove(
        self: &Arc<Self>,
        name: &str,
        what_is_dirty: DirtyData,
        if_in_use: IfInUse,
    ) -> Result<()> {
        let record = known(&self.state(), name)?.clone();
        self.check_unmapped(name).await?;
        if if_in_use == IfInUse::Refuse && !self.is_being_removed(name) {
            self.check_unused(&record).await?;
        }
        if !lock(&self.removing).insert(name.to_owned()) {
            return Err(being_removed(name));
        }
        let finishing = tokio::spawn(Arc::clone(self).finish_removal(name.to_owned(), what_is_dirty));
        match within(REMOVE_TIME_MAX, finishing).await {
            Ok(outcome) => outcome.expect("a removal does not panic"),
            Err(_) => Err(Error::unavailable(format!(
                "Disk '{name}' is not removed yet: its backing has not taken everything and answered the last requests for \
                 {} s. The disk is removed as soon as it has; check the backing, `forebay disk show {name}` shows what is left",
                REMOVE_TIME_MAX.as_secs()
            ))),
        }
    }

    async fn finish_removal(self: Arc<Self>, name: String, what_is_dirty: DirtyData) -> Result<()> {
        // Waits for an earlier change of this disk; later ones find it in `removing`.
        drop(self.locks.lock(&name).await);
        let record = known(&self.state(), &name)?.clone();
        let users = self.users_of(&name).await;
        let outcome = match self.take_away(&record, what_is_dirty).await {
            Err(problem) if problem.kind == ErrorKind::Conflict => {
                lock(&self.removing).remove(&name);
                self.go_on_serving(name, &problem);
                return Err(problem);
            }
            outcome => outcome,
        };
        let _changing = self.locks.lock(&name).await;
        // Its pool may not record this: it may be missing, or have failed.
        let is_given_up = record.unsaved_in.is_some() && what_is_dirty == DirtyData::Discard;
        let forgetting = self.remembered.host().change(move |host| {
            host.state.disks.retain(|disk| disk.id != record.id);
            if is_given_up {
                host.state.given_up.push(record.id);
            }
            host.forget_backing(record.id);
            Ok(())
        });
        let saved = forgetting.await;
        lock(&self.removing).remove(&name);
        if let Err(problem) = saved {
            self.set_waiting(&name, "it was to be removed, and that could not be remembered");
            tokio::spawn(Arc::clone(&self).keep_trying(name));
            return Err(problem);
        }
        // Its number is never used again: a remaining hold has no effect.
        drop(self.holds.forget(record.id, u64::MAX).await);
        self.settle_sets(&record).await;
        self.forget_series(record.id).await;
        lock(&self.waiting).remove(&name);
        let how = match what_is_dirty {
            DirtyData::Refuse => "",
            DirtyData::Discard => ", and its dirty data is discarded",
        };
        let from =
            users.map_or_else(String::new, |users| format!(", and taken from guests that used it: {users}"));
        events::of_disk(Kind::DiskRemoved, &name, format!("Disk '{name}' was removed{how}{from}"));
        outcome
    }

    /// Ends the service of a disk and drops its cached data.
    ///
    /// # Errors
    /// A conflict if dirty data remains; then the disk is kept. Any other failure does not keep the disk.
    async fn take_away(&self, record: &DiskRecord, what_is_dirty: DirtyData) -> Result<()> {
        let name = record.name.clone();
        if what_is_dirty == DirtyData::Refuse {
            self.check_pool_is_here(record)?;
        }
        if self.shards.is_attached(&name) {
            let detached = self.shards.detach(name, DetachPolicy::Dropped(what_is_dirty)).await;
            return detached.and_then(|detached| detached.flushed);
        }
        let forgotten = self.shards.forget(name, record.id, what_is_dirty).await;
        if self.check_pool_is_here(record).is_ok() {
            forgotten?;
        }
        let backing = Location::parse(&record.backing);
        if !backing.is_ok_and(|backing| needs_ring(&record.settings, &backing)) {
            self.unmark(record).await;
        } else if record.unsaved_in.is_some() {
            // Its redo ring may still bring the backing to the time of the last group, which ends the mark.
            tracing::info!("The backing of disk '{}' keeps its dirty mark: {RECOVER_ADVICE}", record.name);
        }
        Ok(())
    }

    /// Removes the mark from the backing of a disk that is not served, if it can be reached soon. A mark that
    /// stays keeps other hosts away, and explains how it is removed.
    async fn unmark(&self, record: &DiskRecord) {
        let Some(pool) = record.unsaved_in.clone() else { return };
        let Ok(location) = Location::parse(&record.backing) else { return };
        let by_hand = location.unmark_command();
        let mark = DirtyMark { pool, disk: record.id, name: record.name.clone() };
        let removing = tokio::task::spawn_blocking(move || location.remove_dirty_mark(&mark));
        let removed = within(UNMARK_TIME_MAX, removing).await;
        if !matches!(removed, Ok(Ok(Ok(())))) {
            tracing::warn!(
                "The backing of disk '{}' may still have the dirty mark. Remove it: {by_hand}",
                record.name
            );
        }
    }

    /// Continues the service of a disk whose removal failed.
    fn go_on_serving(self: Arc<Self>, name: String, problem: &Error) {
        let was_waiting = lock(&self.waiting).contains_key(&name);
        if !self.shards.is_attached(&name) && !was_waiting {
            self.set_waiting(&name, &problem.message);
            tokio::spawn(self.keep_trying(name));
        }
    }
}
