//! Change of the keys of a served disk, while guests go on: checks, the mark, the redo ring, then the cache in one step.

use base::error::Result;
use base::rights::Rights;
use block::BlockDevice;
use block::file::Access;
use cache::{DestageOrder, DiskSettings, Mode};
use telemetry::counted::Counted;
use telemetry::series::lifetime::Passed;

use super::disk::{Disk, check_durability, explain, not_attached};
use super::redo_ring::{DiskRing, RingUser, needs_ring};
use super::{SetMembership, Shard, ShardHandle};
use crate::keys::{Unmarked, Values};

/// Parameters of a change.
#[derive(Clone, Debug)]
pub(crate) struct ReconfigureRequest {
    pub(crate) name: String,
    pub(crate) values: Values,
    /// Rights of clients from now on; none leaves them as they are.
    pub(crate) rights: Option<Rights>,
    /// Consistency set that it is to be in.
    pub(crate) set: Option<SetMembership>,
}

impl ShardHandle {
    /// Changes how a disk is cached.
    ///
    /// # Errors
    /// If it cannot be changed; then nothing has changed.
    pub(super) async fn reconfigure(&self, change: ReconfigureRequest) -> Result<()> {
        self.call(move |shard| async move { shard.reconfigure(&change).await }).await?
    }
}

impl Shard {
    pub(super) async fn reconfigure(&self, change: &ReconfigureRequest) -> Result<()> {
        let disk = self.disk(&change.name).ok_or_else(|| not_attached(&change.name))?;
        let before = disk.cached.settings();
        let geometry = disk.cached.geometry();
        let access = if before.read_only { Access::ReadOnly } else { Access::ReadWrite };
        let settings = self.settings(&change.values, before.id, geometry.size, access)?;
        check_durability(&change.name, &change.values, disk.cached.backing())?;
        if change.values.writes_back() && !before.mode.row().writes_back {
            disk.check_in_place(&change.name, "write back on", &self.host).await?;
        }
        let settings =
            DiskSettings { sector_bytes: settings.sector_bytes.or(before.sector_bytes), ..settings };
        // A disk that already writes back, and may do so without a mark, does not access its backing, which
        // may be unreachable.
        let goes_unmarked = before.mode.row().writes_back && change.values.unmarked() == Unmarked::Allowed;
        if access == Access::ReadWrite && !goes_unmarked {
            self.mark(&change.name, &change.values, &disk.cached, &disk.history).await?;
        }
        let ring = self.ring_for(&disk, change, &settings).await?;
        let made = ring.as_ref().and_then(DiskRing::made_place);
        let changed = self.change(&disk, change, settings, ring).await;
        if let (Err(_), Some(place)) = (&changed, made) {
            self.remove_ring(&change.name, &place).await;
        }
        changed
    }

    /// Makes a change that was checked, with a ring if the disk is to be consistent from now on.
    async fn change(
        &self,
        disk: &Disk,
        change: &ReconfigureRequest,
        settings: DiskSettings,
        ring: Option<DiskRing>,
    ) -> Result<()> {
        let before = disk.cached.settings();
        let rights_before = disk.doors.rights();
        disk.doors.set_rights(change.rights.unwrap_or(rights_before)).await?;
        if let Err(error) = self.cache().reconfigure(&disk.cached, settings) {
            if let Err(problem) = disk.doors.set_rights(rights_before).await {
                tracing::error!("While undoing a change that the cache refused: {problem}");
            }
            return Err(explain(&change.name, &error, settings.reserve_bytes));
        }
        // Nothing is awaited since the change of the mode: counters from before and after are not mixed.
        disk.count_mode(settings.mode);
        if ring.is_some() {
            match self.begin_groups((&disk.cached, &change.name), ring, change.set.as_ref()) {
                Ok(place) => disk.ring.replace(place),
                Err(problem) => {
                    self.undo(disk, &change.name, before, rights_before).await?;
                    return Err(problem);
                }
            };
        }
        let leaves = disk.ring.borrow().is_some() && settings.destage_order == DestageOrder::Address;
        if leaves && let Err(problem) = self.leave_ring(disk, &change.name).await {
            self.undo(disk, &change.name, before, rights_before).await?;
            return Err(problem);
        }
        disk.cached.backing().set_retry_ns(change.values.retry_ns());
        disk.limiter.set_limits(change.values.rate_limits());
        Ok(())
    }

    /// Sets a disk back to what it was.
    async fn undo(&self, disk: &Disk, name: &str, before: DiskSettings, rights: Rights) -> Result<()> {
        let undone = self.cache().reconfigure(&disk.cached, before);
        undone.map_err(|error| explain(name, &error, before.reserve_bytes))?;
        disk.count_mode(before.mode);
        disk.doors.set_rights(rights).await
    }

    /// Returns a ring for a disk that is to be consistent from now on; none if it is already, or is not to be.
    async fn ring_for(
        &self,
        disk: &Disk,
        change: &ReconfigureRequest,
        settings: &DiskSettings,
    ) -> Result<Option<DiskRing>> {
        if settings.read_only || !needs_ring(&change.values, &disk.location) {
            return Ok(None);
        }
        let user = RingUser {
            name: &change.name,
            id: settings.id.0,
            values: &change.values,
            location: &disk.location,
            disk_bytes: disk.cached.geometry().size,
            may_be_dirty: false,
        };
        let before = disk.ring.borrow().clone();
        match before {
            None => self.open_ring(&user).await.map(Some),
            Some(before) => self.check_same_ring(&user, &before).await.map(|()| None),
        }
    }
}

impl Disk {
    /// Counts in another mode from now on.
    fn count_mode(&self, mode: Mode) {
        self.meter.borrow_mut().change(mode, || {
            let counted = Counted::of(&self.cached.statistics());
            Passed { counted, time: self.attached.elapsed() }
        });
    }
}
