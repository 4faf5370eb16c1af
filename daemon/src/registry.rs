//! The disks of this host: their records, their service, and changes of both.
//!
//! ```text
//!   add:     probe the backing ── lock of the disk ── claim storage and RAM ── no other user ── number, durably
//!            ── attach on a shard, in write-through ── record durably ── change to write-back, if requested ── answer
//!            undone if a step fails
//!   remove:  destage ── detach (requests end, flush) ── remove the record durably ── answer
//!   start:   every recorded disk is attached by a task of its own; one that fails waits and is tried again
//! ```
//! Changes of one disk run one after another, and those of different disks in parallel: a change may take as
//! long as its backing does, and holds nothing that another disk needs (`locks.rs`). Two changes that want
//! the same storage or RAM see each other (`claims.rs`). Readers never wait for a change.

mod accepting;
mod claims;
mod connected;
mod consistency_sets;
mod counting;
mod destage;
mod displaced;
mod dividing;
mod flash_division;
mod guest;
mod locks;
mod moving;
mod pool;
mod pool_sizes;
mod probing;
mod ram;
mod ram_budget;
mod remembered;
mod removing;
mod resizing;
mod saved_shares;
mod scrub;
mod setting;
mod shares;
mod sockets;
#[cfg(test)]
mod tests;
mod unsaved;
mod unshared;
mod volumes;
mod watching;
mod wear;

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::{Duration, Instant};

use base::error::{Error, Result};
use base::memory::MemoryFolders;
use base::moment::Moment;
use base::names;
use base::patience::{while_in_conflict, within};
use base::rights::Rights;
use base::store::Store;
use base::units::Size;
use block::SECTOR;
use block::file::{Access, Lock};
use cache::{DirtyData, Mode};
use telemetry::events::{self, Kind};
use telemetry::series::SampleTime;
use telemetry::totals::{Total, Totals};
use tokio::sync::{Mutex, Notify, mpsc};

use crate::backing::{Identity, Images, Location};
use crate::door::Entrances;
use crate::holds::Holds;
use crate::host_record::HostFile;
use crate::keys::Values;
use crate::places::Places;
use crate::pool::PoolInUse;
use crate::shard::{AttachRequest, DetachPolicy, DetachReport, DiskReport, Shards, UnsavedPools, needs_ring};
use crate::state::{DiskRecord, GuestRecord, State};

/// Time that the start of the daemon waits for disks.
const FIRST_TRY_TIME_MAX: Duration = Duration::from_secs(5);
/// Time between attempts to serve a disk.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);
/// Time for which a stop waits for a change of a disk before it checks whether the disk is served at all.
const CHANGE_TIME_MAX: Duration = Duration::from_secs(1);

use claims::{Claim, ClaimGuard, Claims};
pub(crate) use connected::IfInUse;
pub(crate) use displaced::displaced_text;
pub(crate) use flash_division::DiskFlash;
use flash_division::FlashShares;
use locks::DiskLocks;
pub(crate) use pool::{NewDevice, PoolView};
pub(crate) use pool_sizes::NewSize;
use ram_budget::RamShares;
pub(crate) use ram_budget::{DiskRamView, RamView};
use remembered::{DurableState, gone};
use saved_shares::{SavedShares, SharesFile};
pub(crate) use setting::CachePolicy;
pub(crate) use sockets::ControlFiles;
use unshared::BackingRequest;

/// The disks of this host. Shared by the tasks of the control plane.
pub(crate) struct Registry {
    places: Places,
    started: Instant,
    shards: Shards,
    pool: StdMutex<PoolInUse>,
    /// Held while a device is added to the pool or removed.
    changing_pool: Mutex<()>,
    /// Held for moments while departures of devices are recorded, or the write budget is changed; locked
    /// after `changing_pool`.
    settling_pool: Mutex<()>,
    /// Held while a disk is changed.
    locks: DiskLocks,
    /// Claims of changes under way.
    claims: Claims,
    /// The durable state.
    remembered: DurableState,
    /// Notified when a device of the pool has left and its record is to be removed.
    device_left: Notify,
    /// Reasons for which devices of the pool did not become smaller, by number, until the next attempt.
    kept_sizes: StdMutex<BTreeMap<u32, String>>,
    /// Sockets of disks, as reported last.
    sockets: StdMutex<Arc<watching::Sockets>>,
    /// Reasons for which recorded disks are not served now, by name.
    waiting: StdMutex<BTreeMap<String, String>>,
    /// Disks that are being removed. They stay in the state until the end.
    removing: StdMutex<BTreeSet<String>>,
    /// Total counters of disks. Locked for moments only.
    totals: StdMutex<Totals>,
    /// Held while totals are written: the last failure.
    saving: Mutex<Option<Error>>,
    /// Held while time series are written: the last failure.
    saving_series: Arc<Mutex<Option<Error>>>,
    /// Holds that keep disks clean.
    holds: Holds,
    /// RAM in bytes of disks whose keys give them more than there was at the start, by their numbers. Locked
    /// for moments only.
    ram_limits: StdMutex<BTreeMap<u32, u64>>,
    /// RAM of disks by the pool's budget. Locked for moments only.
    ram_shares: StdMutex<RamShares>,
    /// Flash of disks that share it. Locked for moments only.
    flash_shares: StdMutex<FlashShares>,
    /// Held while the shares of disks are written.
    saving_shares: Arc<Mutex<SharesFile>>,
    /// Held while RAM and flash are divided among disks. Never awaited while a disk is waited for.
    dividing: Mutex<()>,
    /// Wear of the flash. Locked for moments only, and without other locks meanwhile.
    wear: StdMutex<wear::Wear>,
    /// Held while wear is written: the last failure.
    saving_wear: Mutex<Option<Error>>,
    /// Disks that the stop has detached so far. Locked for moments only.
    detached_at_stop: StdMutex<Vec<Result<DetachReport>>>,
}

/// Parameters of a new disk.
#[derive(Clone, Debug)]
pub(crate) struct NewDisk {
    pub(crate) name: String,
    pub(crate) backing: String,
    pub(crate) read_only: bool,
    pub(crate) force_raw: bool,
    pub(crate) settings: BTreeMap<String, String>,
    /// The running guest whose QEMU has it open, and keeps it open for a while.
    pub(crate) guest: Option<GuestRecord>,
}

/// State of a disk: its record, and its report or the reason for which it is not served.
#[derive(Clone, Debug)]
pub(crate) struct DiskView {
    pub(crate) record: DiskRecord,
    pub(crate) report: Result<DiskReport, String>,
    /// Its total counters; none while it is being attached or detached.
    pub(crate) total: Option<Total>,
    /// True if it is being removed.
    pub(crate) leaving: bool,
    /// Reason for which two copies in the pool are no mirror, if they are none.
    pub(crate) not_mirrored: Option<String>,
    /// True if the pool is not in use: figures of flash are then those of a placeholder, and mean nothing.
    pub(crate) is_pool_missing: bool,
}

impl DiskView {
    /// Returns the sector size for guests in bytes; for a disk that is not served, the one that they saw
    /// last.
    pub(crate) fn sector_bytes(&self) -> Option<u64> {
        let shown = self.report.as_ref().ok().map(|report| report.sector_bytes);
        shown.or(self.record.sector_bytes)
    }
}

impl Registry {
    /// Returns a registry over the recorded state.
    pub(crate) fn new(
        places: Places,
        host: HostFile,
        shards: Shards,
        pool: PoolInUse,
        state: State,
    ) -> Arc<Self> {
        let waiting = state
            .disks
            .iter()
            .map(|disk| (disk.name.clone(), "its backing has not answered yet".to_owned()))
            .collect();
        let started = Instant::now();
        let (totals, unread) = Totals::load(&places.dir, SampleTime::new(Moment::now(), Duration::ZERO));
        if let Some(reason) = unread {
            events::of_host(Kind::TotalsReset, reason);
        }
        let ram_limits = ram::limits_at_start(&state);
        let saved_shares = SavedShares::load(host.store().dir(), state.pool.as_ref());
        let available = MemoryFolders::default().available();
        let ram_shares = RamShares::at_start(&state, available.as_ref(), &saved_shares);
        let flash_shares = FlashShares::at_start(&saved_shares);
        let (holds, unread) = Holds::load(host.store());
        if let Some(reason) = unread {
            events::of_host(Kind::HoldsUnread, reason);
        }
        let is_mirrored = state.disks.iter().any(|disk| disk.settings.is_mirrored());
        let shared = pool.shared_drive().filter(|shared| is_mirrored && !shared.is_accepted);
        if let Some(shared) = shared {
            events::of_host(Kind::MirrorOnOneDrive, shared.warning());
        }
        let kept = state.pool.as_ref().filter(|_| pool.missing.is_none()).map(|pool| pool.id.as_str());
        let wear = wear::Wear::load(&places, kept);
        let remembered = DurableState::new(host, state);
        let registry = Self {
            places,
            started,
            shards,
            pool: StdMutex::new(pool),
            changing_pool: Mutex::new(()),
            settling_pool: Mutex::new(()),
            locks: DiskLocks::default(),
            claims: Claims::default(),
            remembered,
            device_left: Notify::new(),
            kept_sizes: StdMutex::default(),
            sockets: StdMutex::default(),
            waiting: StdMutex::new(waiting),
            removing: StdMutex::default(),
            totals: StdMutex::new(totals),
            saving: Mutex::default(),
            saving_series: Arc::default(),
            holds,
            ram_limits: StdMutex::new(ram_limits),
            ram_shares: StdMutex::new(ram_shares),
            flash_shares: StdMutex::new(flash_shares),
            saving_shares: Arc::new(Mutex::new(SharesFile::with(saved_shares))),
            dividing: Mutex::default(),
            wear: StdMutex::new(wear),
            saving_wear: Mutex::default(),
            detached_at_stop: StdMutex::default(),
        };
        registry.begin_totals();
        registry.load_series();
        Arc::new(registry)
    }

    /// Returns the thread that writes the small files of DIR.
    fn store(&self) -> &Store {
        self.remembered.host().store()
    }

    /// Returns the folders of the daemon.
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// Returns every disk, in the order in which they were added. A shard that does not answer is an error in
    /// the report.
    pub(crate) async fn disks(&self) -> Vec<DiskView> {
        let mut reports = self.shards.disks_as_far_as_known().await;
        let disks = self.remembered.read(|state| state.disks.clone());
        let view = |record: DiskRecord| {
            let report = reports.remove(&record.name);
            self.view(record, report)
        };
        disks.into_iter().map(view).collect()
    }

    /// Returns one disk.
    ///
    /// # Errors
    /// If there is none of this name.
    pub(crate) async fn disk(&self, name: &str) -> Result<DiskView> {
        let record = known(&self.state(), name)?.clone();
        let report = self.shards.disk_report(name.to_owned()).await?;
        if let Some(report) = &report {
            self.remember_end_of_hold(name, report).await;
        }
        Ok(self.view(record, report.map(Ok)))
    }

    /// Returns true if dirty data of any disk is to be on two devices.
    pub(crate) fn has_mirrored_disk(&self) -> bool {
        !self.mirrored_disks().is_empty()
    }

    fn mirrored_disks(&self) -> BTreeSet<String> {
        let names = |state: &State| {
            let mirrored = state.disks.iter().filter(|disk| disk.settings.is_mirrored());
            mirrored.map(|disk| disk.name.clone()).collect()
        };
        self.remembered.read(names)
    }

    /// Returns the number of a disk, without a request to its shard.
    pub(crate) fn disk_number(&self, name: &str) -> Result<u32> {
        Ok(known(&self.state(), name)?.id)
    }

    /// Returns a disk with the report of its shard; none if it is on no shard.
    fn view(&self, record: DiskRecord, report: Option<Result<DiskReport>>) -> DiskView {
        if let Some(Ok(report)) = &report {
            self.observe(report);
        }
        let reason = || Err(self.reason(&record.name));
        let (not_mirrored, is_pool_missing) = {
            let pool = lock(&self.pool);
            (pool.shared_drive().map(|shared| shared.reason()), pool.missing.is_some())
        };
        DiskView {
            report: report.map_or_else(reason, |answer| answer.map_err(|problem| problem.message)),
            total: self.total(record.id),
            leaving: self.is_being_removed(&record.name),
            not_mirrored,
            is_pool_missing,
            record,
        }
    }

    /// Serves a new disk and records it.
    ///
    /// # Errors
    /// Any failure; then everything is as before.
    pub(crate) async fn add(self: &Arc<Self>, mut wanted: NewDisk) -> Result<DiskView> {
        names::check(&wanted.name)?;
        self.entrances(&wanted.name, Rights::usual()).check_length()?;
        let location = Location::parse(&wanted.backing)?;
        volumes::add_defaults(&mut wanted, &location);
        let texts = wanted.settings.iter().map(|(key, text)| (key.as_str(), text.as_str()));
        let wanted_values = Values::default().with(texts)?;
        if !wanted.read_only {
            volumes::check(&wanted.name, &wanted_values, &location)?;
        }
        // Recorded, together with the pool that it depends on, before it may write back.
        let values = wanted_values.written_through();
        free_name(&self.state(), &wanted.name)?;
        let images = if wanted.force_raw { Images::ServedAsRaw } else { Images::Refused };
        self.check_not_own(&wanted.name, &location)?;
        if needs_ring(&wanted_values, &location) {
            self.check_ring_drive(&wanted.name, &wanted_values, &location).await?;
        }
        let rights = resolve_rights(&values).await?;
        let identity = self.probe_backing(&location, access(wanted.read_only), images).await?;

        let changing = self.locks.lock(&wanted.name).await;
        let state = self.state();
        free_name(&state, &wanted.name)?;
        let asks_for_ram = self.divides_ram() || wanted.settings.contains_key("ram");
        let ram = asks_for_ram.then(|| self.ram_to_claim(&wanted_values, None)).flatten();
        let claim = Claim { storage: Some(identity.clone()), ram, ..Claim::default() };
        let claimed = self.claims.claim_for_disk(&wanted.name, claim);
        self.check_ram(&wanted.name, None, &claimed).await?;
        let (access, waiting) = (access(wanted.read_only), self.awaited(&state));
        let name = wanted.name.as_str();
        let used = BackingRequest { name, location: &location, identity: &identity, access, images, waiting };
        self.check_unshared(used, &claimed).await?;
        self.check_not_waited_for(&state, &wanted.name, &location)?;
        // The number is used up durably before anything can be cached under it, so that data which a crash
        // leaves on flash is never taken for another disk's.
        let id = self.remembered.change(|state| Ok(state.take_disk_number())).await?;
        let ram_in_change = self.make_ram_room(id, &wanted.name, &values).await;
        let mut record = DiskRecord {
            id,
            name: wanted.name,
            backing: location.to_string(),
            read_only: wanted.read_only,
            force_raw: wanted.force_raw,
            settings: values,
            guest: wanted.guest,
            size_bytes: None,
            sector_bytes: None,
            unsaved_in: None,
        };
        self.know_set(&record).await?;
        if let Err(problem) = self.shards.attach(self.attaching(&record, location, rights)).await {
            // Its reservation is free again.
            log_if_failed(&self.shards.forget(record.name.clone(), id, DirtyData::Discard).await);
            self.settle_sets(&record).await;
            return Err(problem);
        }
        (record.size_bytes, record.sector_bytes) = self.geometry_now(&record.name).await.unzip();
        let added = record.clone();
        let remembering = self.remembered.change(move |state| {
            state.disks.push(added);
            Ok(())
        });
        if let Err(problem) = remembering.await {
            let undone = self.shards.detach(record.name.clone(), DetachPolicy::Undone).await;
            log_if_failed(&undone.map(|_| ()));
            self.settle_sets(&record).await;
            return Err(problem);
        }
        self.settle_sets(&record).await;
        drop(ram_in_change);
        self.begin_totals();
        self.release_after_end(&record);
        drop(claimed);
        drop(changing);
        let added = format!("Disk '{}' was added, on {}", record.name, record.backing);
        events::of_disk(Kind::DiskAdded, &record.name, added);
        if wanted_values.writes_back() {
            self.begin_write_back(&record.name).await?;
        }
        self.disk(&record.name).await
    }

    /// Switches a disk that was just added to write-back. If that fails, the disk is removed again.
    async fn begin_write_back(self: &Arc<Self>, name: &str) -> Result<()> {
        let mode = BTreeMap::from([("mode".to_owned(), Mode::WriteBack.to_string())]);
        if let Err(problem) = self.set(name, &mode, CachePolicy::Keep).await {
            log_if_failed(&self.remove(name, DirtyData::Refuse, IfInUse::CutOff).await);
            return Err(problem);
        }
        Ok(())
    }

    /// Changes the record of a disk. The caller must hold its lock.
    ///
    /// # Errors
    /// If there is none of this name, or that cannot be saved; then everything is as before.
    async fn change_record(
        &self,
        name: &str,
        change: impl FnOnce(&mut DiskRecord) + Send + 'static,
    ) -> Result<()> {
        let name = name.to_owned();
        let changing = self.remembered.change(move |state| {
            let record = state.disks.iter_mut().find(|disk| disk.name == name);
            change(record.ok_or_else(|| gone(&name))?);
            Ok(())
        });
        changing.await
    }

    /// Attaches every recorded disk by a task of its own, with retries until it works. Ready when each was
    /// tried once, including the wait for a predecessor that was killed, and has the size of its backing; or
    /// after some seconds: a backing that hangs, or a disk that takes long to load, delays nothing else.
    pub(crate) async fn start(self: &Arc<Self>) {
        self.resume_removals().await;
        tokio::spawn(Arc::clone(self).watch_pool());
        tokio::spawn(Arc::clone(self).watch_placements());
        let (tried, mut all_tried) = mpsc::channel::<()>(1);
        for disk in self.state().disks {
            self.release_after_end(&disk);
            if disk.unsaved_in.is_none() && disk.guest.as_ref().is_some_and(GuestRecord::has_ended) {
                continue;
            }
            let (registry, tried) = (Arc::clone(self), tried.clone());
            tokio::spawn(async move {
                let outcome = while_in_conflict(|| registry.serve_remembered(&disk.name)).await;
                let done = registry.record_outcome(&disk.name, outcome);
                if done {
                    registry.take_growth(&disk.name).await;
                }
                drop(tried);
                if !done {
                    registry.keep_trying(disk.name).await;
                }
            });
        }
        drop(tried);
        // Nothing is ever sent: this ends when the last task has dropped its sender, or by timeout.
        if within(FIRST_TRY_TIME_MAX, all_tried.recv()).await.is_err() {
            tracing::warn!(
                "Some backings do not answer, or became larger while what is cached of them is not loaded yet; their disks are \
                 served, or take their size, as soon as they can"
            );
        }
    }

    /// Ends the service of every disk: requests end, backings are flushed. Records stay. No change begins any
    /// more. A change of an attached disk that has begun is waited for, without delaying other disks.
    pub(crate) async fn stop(self: &Arc<Self>) -> Result<()> {
        self.locks.close();
        // Also before: if a backing hangs, the process ends without the rest of this.
        self.see_all().await;
        self.save_totals().await;
        self.save_series_in_time().await;
        self.save_shares_in_time().await;
        let mut detaching = tokio::task::JoinSet::new();
        for name in self.shards.attached() {
            detaching.spawn(Arc::clone(self).detach_at_stop(name));
        }
        detaching.join_all().await;
        let outcomes = lock(&self.detached_at_stop).clone();
        outcomes
            .iter()
            .flatten()
            .filter_map(|detached| detached.last.as_ref())
            .for_each(|last| self.observe(last));
        self.save_totals().await;
        self.save_series_in_time().await;
        if lock(&self.pool).missing.is_none()
            && let Err(problem) = self.leave_pool().await
        {
            // Only a copy of the pool that was made while it was in use can be mistaken for it now.
            tracing::warn!("{problem}");
        }
        let left_behind = self.left_behind(&self.state().unsaved());
        self.warn_of_incomplete_images();
        // The final counters of the pool are written, too.
        drop(self.pool().await);
        self.save_wear().await;
        if let Some(problem) = left_behind {
            events::of_host(Kind::DirtyDataLeftBehind, problem.message.clone());
            return Err(problem);
        }
        outcomes.into_iter().try_for_each(|outcome| outcome?.flushed)
    }

    /// Ends the service of a disk once no change of it is under way, and records the result: if the stop ends
    /// before other disks have ended, this one has. Does nothing with a disk that is not served yet, whose
    /// backing may not answer: no write to it was acknowledged.
    async fn detach_at_stop(self: Arc<Self>, name: String) {
        let mut changing = pin!(self.locks.lock_also_closed(&name));
        let _changing = loop {
            if let Ok(lock) = within(CHANGE_TIME_MAX, &mut changing).await {
                break lock;
            }
            if matches!(self.shards.disk_report(name.clone()).await, Ok(None)) {
                return;
            }
        };
        if self.shards.is_attached(&name) {
            let detached = self.shards.detach(name.clone(), DetachPolicy::Kept).await;
            if detached.as_ref().is_ok_and(|detached| detached.is_destaged) {
                self.note_saved(&name).await;
            }
            lock(&self.detached_at_stop).push(detached);
        }
    }

    /// Logs a warning for every disk whose image lacks data that is on flash, or may lack it because the stop
    /// has not detached it.
    pub(crate) fn warn_of_incomplete_images(&self) {
        let state = self.state();
        let is_whole = lock(&self.pool).missing.is_none();
        let ended = lock(&self.detached_at_stop);
        for disk in state.disks.iter().filter(|disk| disk.unsaved_in.is_some()) {
            let is_it = |last: &DiskReport| last.settings.id.0 == disk.id;
            let detached = ended.iter().flatten().find(|ended| ended.last.as_ref().is_some_and(is_it));
            // The note could not be removed.
            if is_whole && detached.is_some_and(|detached| detached.is_destaged) {
                continue;
            }
            let amount =
                detached.map_or_else(|| "data".to_owned(), |detached| Size(detached.dirty_bytes).to_string());
            let (name, backing) = (&disk.name, &disk.backing);
            let message = format!(
                "The image {backing} of disk '{name}' is incomplete without this flash, which has {amount} that is not there"
            );
            events::of_disk(Kind::ImageIncomplete, name, message);
        }
    }

    async fn keep_trying(self: Arc<Self>, name: String) {
        loop {
            tokio::time::sleep(RETRY_INTERVAL).await;
            if self.try_to_serve(&name).await {
                self.take_growth(&name).await;
                return;
            }
        }
    }

    async fn try_to_serve(self: &Arc<Self>, name: &str) -> bool {
        let outcome = self.serve_remembered(name).await;
        self.record_outcome(name, outcome)
    }

    /// Records the result of an attempt. Returns true if nothing is left to do: the disk is served, or no
    /// longer wanted.
    fn record_outcome(&self, name: &str, outcome: Result<()>) -> bool {
        match outcome {
            Ok(()) => {
                lock(&self.waiting).remove(name);
                true
            }
            Err(problem) => {
                self.set_waiting(name, &problem.message);
                false
            }
        }
    }

    /// Serves a disk, if it is still recorded.
    async fn serve_remembered(self: &Arc<Self>, name: &str) -> Result<()> {
        let record = self.state().disk(name).cloned().filter(|_| !self.is_being_removed(name));
        let Some(record) = record else { return Ok(()) };
        self.serve(&record).await?;
        events::of_disk(Kind::DiskAttached, name, format!("Serving disk '{name}' from {}", record.backing));
        Ok(())
    }

    async fn serve(self: &Arc<Self>, record: &DiskRecord) -> Result<()> {
        let location = Location::parse(&record.backing)?;
        // Image formats are not checked: the guest of a raw disk may write any bytes to it.
        let identity = self.probe_until_answered(record, &location).await?;
        let _changing = self.locks.lock(&record.name).await;
        let claim = Claim { storage: Some(identity.clone()), ..Claim::default() };
        let claimed = self.claims.claim_for_disk(&record.name, claim);
        let Some(attaching) = self.ready_to_attach(record, location, &identity, &claimed).await? else {
            return Ok(());
        };
        if attaching.values.writes_back() {
            self.note_unsaved(&record.name).await?;
        }
        self.forget_hold_that_is_over(&record.name, record.id, attaching.hold).await;
        let attached = self.shards.attach(attaching).await;
        // Others may have joined or left its set meanwhile.
        self.settle_sets(record).await;
        attached?;
        self.remember_geometry(&record.name).await;
        Ok(())
    }

    /// Returns the parameters for attaching a recorded disk; none if it is served already or no longer
    /// wanted. The caller must hold the lock of the disk, and a claim to the storage.
    async fn ready_to_attach(
        &self,
        record: &DiskRecord,
        location: Location,
        identity: &Identity,
        claimed: &ClaimGuard<'_>,
    ) -> Result<Option<AttachRequest>> {
        let state = self.state();
        let is_wanted =
            |current: &&DiskRecord| current.id == record.id && !self.is_being_removed(&current.name);
        let Some(current) = state.disk(&record.name).filter(is_wanted) else { return Ok(None) };
        if self.shards.is_attached(&record.name) {
            return Ok(None);
        }
        // A disk that waits for the same storage is refused later.
        let (name, waiting) = (record.name.as_str(), Vec::new());
        let (access, images) = (access(record.read_only), Images::ServedAsRaw);
        let used = BackingRequest { name, location: &location, identity, access, images, waiting };
        self.check_unshared(used, claimed).await?;
        let rights = resolve_rights(&current.settings).await?;
        self.know_set(current).await?;
        // Geometry in its record from before this start.
        Ok(Some(self.attaching(current, location, rights)))
    }

    /// Records the size and sectors of a disk that was just attached, if they are not recorded: earlier
    /// versions did not.
    async fn remember_geometry(&self, name: &str) {
        let Some((size, sector)) = self.geometry_now(name).await else { return };
        let remembering = self.change_record(name, move |record| {
            (record.size_bytes, record.sector_bytes) = (Some(size), Some(sector));
        });
        // The disk is served anyway: only the detection of a smaller size, or of other sectors, is
        // lost.
        if let Err(problem) = remembering.await {
            tracing::warn!("Cannot remember the size of disk '{name}': {problem}");
        }
    }

    /// Returns the size and the sector size in bytes of a disk that was just attached; none if its shard does
    /// not answer, which does not prevent its service.
    async fn geometry_now(&self, name: &str) -> Option<(u64, u64)> {
        let report = self.shards.disk_report(name.to_owned()).await.unwrap_or_default();
        report.map(|report| (report.size_bytes, report.sector_bytes))
    }

    fn is_being_removed(&self, name: &str) -> bool {
        lock(&self.removing).contains(name)
    }

    fn set_waiting(&self, name: &str, reason: &str) {
        let before = lock(&self.waiting).insert(name.to_owned(), reason.to_owned());
        if before.as_deref() != Some(reason) {
            let waits = format!("Disk '{name}' waits and is tried again every 5 s: {reason}");
            events::of_disk(Kind::DiskWaiting, name, waits);
        }
    }

    fn reason(&self, name: &str) -> String {
        lock(&self.waiting).get(name).cloned().unwrap_or_else(|| "it is being attached or removed".to_owned())
    }

    fn attaching(&self, record: &DiskRecord, location: Location, rights: Rights) -> AttachRequest {
        names::remember(record.id, &record.name);
        AttachRequest {
            name: record.name.clone(),
            id: record.id,
            location,
            access: access(record.read_only),
            lock: if record.is_beside_qemu() { Lock::Beside } else { Lock::Image },
            values: self.in_memory(record.id, &record.settings_now()),
            size_bytes_before: record.size_bytes,
            // Versions that did not record it used this one, whatever the backing had.
            sector_bytes_before: record.sector_bytes.or(record.size_bytes.map(|_| SECTOR)),
            hold: self.holds.time_of(record.id),
            set: self.membership_of(record),
            unsaved: UnsavedPools {
                own: self.state().pool.map(|pool| pool.id),
                held_by: record.unsaved_in.clone(),
            },
            entrances: self.entrances(&record.name, rights),
        }
    }

    fn entrances(&self, disk: &str, rights: Rights) -> Entrances {
        Entrances::new(|door| self.places.socket(door, disk), rights)
    }

    fn state(&self) -> State {
        self.remembered.get()
    }
}

fn known<'a>(state: &'a State, name: &str) -> Result<&'a DiskRecord> {
    state.disk(name).ok_or_else(|| {
        let near = base::error::nearest(name, state.disks.iter().map(|disk| disk.name.as_str()));
        let hint = near.map_or(String::new(), |near| format!("did you mean '{near}'? "));
        Error::missing(format!("There is no disk '{name}': {hint}`forebay disk list` shows all"))
    })
}

fn being_removed(name: &str) -> Error {
    Error::conflict(format!("Cannot change disk '{name}': it is being removed; wait until that is done"))
}

fn free_name(state: &State, name: &str) -> Result<()> {
    match state.disk(name) {
        None => Ok(()),
        Some(disk) => Err(Error::conflict(format!(
            "Cannot add disk '{name}': there is one of this name, on {}; choose another name",
            disk.backing
        ))),
    }
}

fn access(read_only: bool) -> Access {
    if read_only { Access::ReadOnly } else { Access::ReadWrite }
}

/// Resolves the rights of clients, on a thread that may wait for the host's directory of users.
async fn resolve_rights(values: &Values) -> Result<Rights> {
    let wanted = values.socket_rights();
    let looking = tokio::task::spawn_blocking(move || wanted.resolve());
    looking.await.expect("looking up an account does not panic")
}

fn log_if_failed(undone: &Result<()>) {
    if let Err(problem) = undone {
        tracing::error!("While undoing a change that could not be remembered: {problem}");
    }
}

fn lock<T>(mutex: &StdMutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
