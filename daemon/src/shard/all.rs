//! All shards: the owner shard of each disk, and requests to it.
//!
//! ```text
//!   a new disk ──> the shard of its consistency set, or the one with the fewest disks ──> stays there until it is detached, or relocated
//!   the pool   ──> opened by the first shard, joined by the others
//! ```
//! The owner shard of a disk is not recorded beyond the process: at the next start disks are distributed
//! again. Requests to all shards run at once; an answer takes as long as the busiest shard needs to start a
//! job, and none waits for a request of a guest. Load is known without a request.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use base::error::{Error, Result};
use base::units::PollMax;
use block::ByteRange;
use block::file::Access;
use cache::{
    Curves, DirtyData, DiskId, DriveWrites, Identified, MemberNumber, PoolId, SessionIds, SizeBounds,
};
use doors::nbd::Directory;
use futures_util::future::join_all;

use super::accept::{Confirmation, Evidence};
use super::destage::QuiescedWrites;
use super::disk::not_attached;
use super::moving::FrozenDisk;
use super::owners::OwnerShards;
use super::{
    AbsentDisk, AttachRequest, Destage, DetachPolicy, DetachReport, DeviceProbe, DeviceStorage, DiskReport,
    FileChange, OpenedPool, Owners, PoolReport, ReconfigureRequest, ResizeRequest, ResizeResult, Shard,
    ShardHandle,
};
use crate::backing::{BackingMonitor, Identity, Images, Location, StorageSnapshot};
use crate::door::{ConnectedGuest, remove_sockets};
use crate::host_record::HostFile;
use crate::places::Places;

/// The most shards: far above a useful number on one host.
pub(crate) const SHARDS_MAX: u32 = 64;
/// The most that are started by default.
const SHARDS_CHOSEN_MAX: u32 = 8;

/// State of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShardReport {
    /// Counted from 0.
    pub(crate) number: u32,
    /// Disks that it owns.
    pub(crate) disks: usize,
    /// Nanoseconds of work of its thread.
    pub(crate) busy_ns: u64,
    /// Nanoseconds since it was started.
    pub(crate) age_ns: u64,
}

/// Result of an attempt to move a disk to another shard.
#[derive(Debug)]
pub(crate) enum Relocation {
    /// It is served by the new shard.
    Moved,
    /// It is still served by the old shard, with the reason.
    Stayed(Error),
    /// It is served nowhere, with the reason: its guests are disconnected.
    Lost(Error),
}

/// The time of a report: for each shard the number of runs of its tasks up to its answer, none if it did not
/// answer.
#[derive(Debug, Default)]
pub(crate) struct ReportMoment(Vec<Option<u64>>);

/// The disks and the pool at one moment.
#[derive(Debug)]
pub(crate) struct HostReport {
    /// Every disk that is or may be attached, or the reason for which its shard does not answer.
    pub(crate) disks: BTreeMap<String, Result<DiskReport>>,
    /// The pool; none if the shard that reports it does not answer.
    pub(crate) pool: Option<PoolReport>,
    pub(crate) moment: ReportMoment,
}

/// Handle of all shards, for any thread. They end when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct Shards {
    all: Arc<[ShardHandle]>,
    owners: Arc<StdMutex<OwnerShards>>,
    monitor: BackingMonitor,
}

impl Shards {
    /// Starts this many shards, which list their disks in `directory`; without a number one for each CPU, but
    /// at most eight.
    ///
    /// # Errors
    /// If a thread or its ring cannot be created.
    pub(crate) async fn start(
        places: &Places,
        remembered: &HostFile,
        directory: &Directory,
        count: Option<u32>,
        poll_max: PollMax,
    ) -> Result<Self> {
        let count = count.unwrap_or_else(usual_count);
        let (mut all, monitor) = (Vec::new(), BackingMonitor::default());
        for number in 0..count {
            let shard = ShardHandle::start(places, remembered, directory, &monitor, poll_max, number);
            all.push(shard.await?);
        }
        Ok(Self::from_handles(all, monitor))
    }

    /// Returns a handle of running shards that serve no disks yet, with the monitor that they were started
    /// with.
    pub(super) fn from_handles(all: Vec<ShardHandle>, monitor: BackingMonitor) -> Self {
        Self { all: all.into(), owners: Arc::default(), monitor }
    }

    fn first(&self) -> &ShardHandle {
        &self.all[0]
    }

    /// Opens and locks a device for a pool and identifies its content; with `create`, first makes a file of
    /// this many bytes. It stays open until the pool is opened, it is added, or is closed again.
    pub(crate) async fn probe_device(&self, path: PathBuf, create: Option<u64>) -> Result<DeviceProbe> {
        self.first().probe_device(path, create).await
    }

    /// Closes devices that were opened and are not used.
    pub(crate) async fn release_devices(&self) -> Result<()> {
        self.first().release_devices().await
    }

    /// Makes an empty pool of an open device, whatever it held. Returns the new content.
    pub(crate) async fn format_pool(&self, path: PathBuf, id: PoolId) -> Result<Identified> {
        self.first().format_pool(path, id).await
    }

    /// Opens the pool on open devices, for all shards. Its data of other disks is freed.
    pub(crate) async fn open_pool(
        &self,
        paths: Vec<PathBuf>,
        marks: SessionIds,
        owners: Owners,
    ) -> Result<OpenedPool> {
        let opened = self.first().open_pool(paths, marks, owners).await?;
        for shard in &self.all[1..] {
            shard.join_pool(self.first().share_pool().await?).await?;
        }
        // From here on a device is closed when the caches have closed it.
        self.first().release_devices().await?;
        Ok(opened)
    }

    /// Adds an open device to the pool, on all shards, and begins to use it.
    ///
    /// # Errors
    /// If it cannot be added, or failed. Then it does not belong, or is leaving again.
    pub(crate) async fn add_device(&self, path: PathBuf) -> Result<MemberNumber> {
        let number = self.first().add_device(path.clone()).await?;
        let known = self.make_known(path, number).await;
        self.first().release_devices().await?;
        if known.is_err() {
            // A shard that does not have it cannot read there, so nothing may be written there.
            self.first().take_out_device(number).await?;
        }
        known.map(|()| number)
    }

    async fn make_known(&self, path: PathBuf, number: MemberNumber) -> Result<()> {
        for shard in &self.all[1..] {
            shard.know_device(number, self.first().share_device(path.clone()).await?).await?;
        }
        self.first().use_device(number).await
    }

    /// Returns the present storage of a device of the pool.
    pub(crate) async fn device_storage(&self, number: MemberNumber) -> Result<DeviceStorage> {
        self.first().device_storage(number).await
    }

    /// Returns the least and the most that the pool can use of a device.
    pub(crate) async fn size_bounds(&self, number: MemberNumber) -> Result<SizeBounds> {
        self.first().size_bounds(number).await
    }

    /// Extends or truncates the file of a device.
    pub(crate) async fn change_file(
        &self,
        number: MemberNumber,
        change: FileChange,
    ) -> Result<io::Result<()>> {
        self.first().change_file(number, change).await
    }

    /// Uses this many bytes of a device, which it must have: more than before.
    ///
    /// # Errors
    /// If it cannot; then the pool uses as much as before.
    pub(crate) async fn grow_device(&self, number: MemberNumber, size_bytes: u64) -> Result<()> {
        for shard in self.all.iter() {
            shard.reach(number, size_bytes).await?;
        }
        self.first().grow_device(number, size_bytes).await?;
        // Only once every shard can read there.
        self.know_sizes().await?;
        self.first().use_grown(number).await
    }

    /// Makes a device smaller, which may take long. When this returns, the pool has nothing behind the new
    /// end, and the file may be truncated.
    ///
    /// # Errors
    /// If the pool needs more, if it was cancelled, or the failure. Then the device has its previous size.
    pub(crate) async fn shrink_device(&self, number: MemberNumber, size_bytes: u64) -> Result<()> {
        self.first().shrink_device(number, size_bytes).await?;
        self.know_sizes().await?;
        for shard in self.all.iter() {
            shard.reach(number, size_bytes).await?;
        }
        Ok(())
    }

    /// Cancels a resize that makes a device smaller. Returns false if there is none.
    pub(crate) async fn cancel_shrink(&self, number: MemberNumber) -> Result<bool> {
        self.first().cancel_shrink(number).await
    }

    async fn know_sizes(&self) -> Result<()> {
        for shard in self.all.iter() {
            shard.know_sizes().await?;
        }
        Ok(())
    }

    /// Begins to remove a device from the pool. It has left when the pool does not list it any more and no
    /// shard has it open.
    ///
    /// # Errors
    /// If the pool needs it; then nothing has changed.
    pub(crate) async fn take_out_device(&self, number: MemberNumber) -> Result<()> {
        self.first().take_out_device(number).await
    }

    /// Invalidates, durably on flash, a pool's data of some disks, on open devices.
    ///
    /// # Errors
    /// If it cannot be done, or one of the disks has dirty data there.
    pub(crate) async fn invalidate_content(
        &self,
        paths: Vec<PathBuf>,
        marks: SessionIds,
        disks: Vec<u32>,
    ) -> Result<()> {
        self.first().invalidate_content(paths, marks, disks).await
    }

    /// Continues without records in DIR, which cannot be written. No data of served disks may be on flash.
    pub(crate) async fn go_on_unrecorded(&self) -> Result<()> {
        for shard in self.all.iter() {
            shard.go_on_unrecorded().await?;
        }
        Ok(())
    }

    /// Continues without a pool, on each shard: every disk is served as if the flash had failed.
    pub(crate) async fn go_without_pool(&self) -> Result<()> {
        for shard in self.all.iter() {
            shard.go_without_pool().await?;
        }
        Ok(())
    }

    /// Writes a mark to the pool, which is not used any more until it is opened again.
    ///
    /// # Errors
    /// If the flash failed.
    pub(crate) async fn leave_pool(&self, mark: u64) -> Result<()> {
        self.first().leave_pool(mark).await
    }

    /// Probes a backing that is not a file or device of this host, and closes it again.
    ///
    /// # Errors
    /// If it cannot be reached, or cannot be served as a disk.
    pub(crate) async fn probe_backing(
        &self,
        location: Location,
        access: Access,
        images: Images,
    ) -> Result<Identity> {
        self.first().probe_backing(location, access, images).await
    }

    /// Returns a unique mark for a start.
    pub(crate) async fn draw_mark(&self) -> Result<u64> {
        self.first().draw_mark().await
    }

    /// Returns a new identity for a pool.
    pub(crate) async fn draw_pool_id(&self) -> Result<PoolId> {
        self.first().draw_pool_id().await
    }

    /// Sets the write budget of each device of the pool for a day, on all shards.
    pub(crate) async fn set_write_budget(&self, drive_writes: Option<DriveWrites>) -> Result<()> {
        self.first().set_write_budget(drive_writes).await
    }

    /// Sets the bytes of flash that disks are to have of what they share, on all shards.
    pub(crate) async fn set_flash_targets(&self, targets: BTreeMap<DiskId, u64>) -> Result<()> {
        self.first().set_flash_targets(targets).await
    }

    /// Returns the state of the pool.
    pub(crate) async fn pool_report(&self) -> Result<PoolReport> {
        self.first().pool_report().await
    }

    /// Attaches a disk, on the shard with the fewest.
    ///
    /// # Errors
    /// Any failure; then nothing is left behind.
    pub(crate) async fn attach(&self, disk: AttachRequest) -> Result<()> {
        let name = disk.name.clone();
        let owner_shard = self.place(&disk);
        let attached = self.all[owner_shard].attach(disk).await;
        if attached.is_err() {
            self.owner_shards().remove(&name);
        }
        attached
    }

    /// Compares the backing of a disk that waits with the cache, and serves it, on the shard with the fewest
    /// disks, if the operator confirms it.
    ///
    /// # Errors
    /// Any failure; then nothing is left behind.
    pub(crate) async fn accept(&self, disk: AttachRequest, word: Confirmation) -> Result<Evidence> {
        let name = disk.name.clone();
        let shard = self.place(&disk);
        let evidence = self.all[shard].accept(disk, word).await;
        if !evidence.as_ref().is_ok_and(|evidence| evidence.is_accepted) {
            self.owner_shards().remove(&name);
        }
        evidence
    }

    /// Keeps the reservation of a disk that is not attached, instead of the one that was kept before.
    ///
    /// # Errors
    /// If the other disks leave too little; then nothing has changed.
    pub(crate) async fn keep_share(&self, disk: AbsentDisk) -> Result<()> {
        self.first().keep_share(disk).await
    }

    /// Changes how a disk is cached.
    ///
    /// # Errors
    /// If it cannot be changed; then nothing has changed.
    pub(crate) async fn reconfigure(&self, change: ReconfigureRequest) -> Result<()> {
        self.owner_shard(&change.name)?.reconfigure(change).await
    }

    /// Changes the RAM of a disk, and nothing else.
    ///
    /// # Errors
    /// If it is not attached, the system does not have that memory, or the shard does not answer.
    pub(crate) async fn set_ram(&self, name: String, ram_bytes: u64) -> Result<()> {
        self.owner_shard(&name)?.set_ram(name, ram_bytes).await
    }

    /// Lets a disk take all flash that the pool has for disks.
    ///
    /// # Errors
    /// As for [`Self::set_ram`].
    pub(crate) async fn lift_limit(&self, name: String) -> Result<()> {
        self.owner_shard(&name)?.lift_limit(name).await
    }

    /// Returns the guests that are connected to a disk; none if it is not served.
    ///
    /// # Errors
    /// If its shard does not answer.
    pub(crate) async fn guests(&self, name: String) -> Result<Vec<ConnectedGuest>> {
        if !self.is_attached(&name) {
            return Ok(Vec::new());
        }
        self.owner_shard(&name)?.guests(name).await
    }

    /// Creates the sockets of a disk again whose files are gone.
    ///
    /// # Errors
    /// If one cannot be created, or the disk is not served.
    pub(crate) async fn renew_sockets(&self, name: String) -> Result<()> {
        self.owner_shard(&name)?.renew_sockets(name).await
    }

    /// Grows a disk to the present size of its backing.
    ///
    /// # Errors
    /// The reason for which it cannot; then nothing has changed.
    pub(crate) async fn resize(&self, wanted: ResizeRequest) -> Result<ResizeResult> {
        self.owner_shard(&wanted.name)?.resize(wanted).await
    }

    /// Returns true if a disk was attached to a backing that is larger, once it is loaded; false if it was
    /// not, or is detached before that.
    ///
    /// # Errors
    /// If it is not attached.
    pub(crate) async fn may_take_growth(&self, name: String) -> Result<bool> {
        self.owner_shard(&name)?.may_take_growth(name).await
    }

    /// Detaches a disk: lets requests in flight end, makes acknowledged writes durable, closes the backing.
    /// Takes as long as the backing does.
    ///
    /// # Errors
    /// If it is not attached; or if it was to be removed and its backing fails while it is destaged: then it
    /// is served as before.
    pub(crate) async fn detach(&self, name: String, content: DetachPolicy) -> Result<DetachReport> {
        let shard = self.owner_shard(&name)?;
        let detached = shard.detach(name.clone(), content).await;
        let goes_on =
            detached.is_err() && shard.disk_report(name.clone()).await.is_ok_and(|report| report.is_some());
        if !goes_on {
            self.owner_shards().remove(&name);
        }
        detached
    }

    /// Destages the dirty data of a disk at full speed, or ends that.
    ///
    /// # Errors
    /// If it is not attached.
    pub(crate) async fn destage(&self, name: String, asked: Destage) -> Result<()> {
        self.owner_shard(&name)?.destage(name, asked).await
    }

    /// Destages everything of a disk, and keeps it clean until it is detached.
    ///
    /// # Errors
    /// If it is not attached, or its backing fails.
    pub(crate) async fn destage_for_good(&self, name: String) -> Result<()> {
        self.owner_shard(&name)?.destage_for_good(name).await
    }

    /// Begins to destage everything of a disk, and to keep it clean for this many seconds from then on.
    /// Returns the number of the request.
    ///
    /// # Errors
    /// If it is not attached.
    pub(crate) async fn quiesce(&self, name: String, seconds: u64, writes: QuiescedWrites) -> Result<u64> {
        self.owner_shard(&name)?.quiesce(name, seconds, writes).await
    }

    /// Ends the request of [`Self::quiesce`], of this number if one is given. Returns true if there was one.
    ///
    /// # Errors
    /// If it is not attached.
    pub(crate) async fn resume(&self, name: String, number: Option<u64>) -> Result<bool> {
        self.owner_shard(&name)?.resume(name, number).await
    }

    /// Makes a snapshot of the backing of a disk, with everything that was acknowledged before.
    ///
    /// # Errors
    /// If it is not attached, or what is dirty cannot be destaged; those of the backing.
    pub(crate) async fn take_snapshot(&self, name: String, snapshot: String) -> Result<StorageSnapshot> {
        self.owner_shard(&name)?.take_snapshot(name, snapshot).await
    }

    /// Deletes a snapshot of the backing of a disk.
    ///
    /// # Errors
    /// If the disk is not attached; those of the backing.
    pub(crate) async fn delete_snapshot(&self, name: String, snapshot: String) -> Result<()> {
        self.owner_shard(&name)?.delete_snapshot(name, snapshot).await
    }

    /// Makes the backing of a disk larger. The disk has its size until it is resized as well.
    ///
    /// # Errors
    /// As [`Self::take_snapshot`]; or if the disk cannot have this size. Then nothing has changed.
    pub(crate) async fn grow_backing(&self, name: String, bytes: u64) -> Result<()> {
        self.owner_shard(&name)?.grow_backing(name, bytes).await
    }

    /// Starts a scrub of a disk's backing that reads at most so many bytes a second, unless one runs.
    ///
    /// # Errors
    /// If it is not attached, or its backing cannot be scrubbed.
    pub(crate) async fn start_scrub(&self, name: String, rate: u64) -> Result<()> {
        self.owner_shard(&name)?.start_scrub(name, rate).await
    }

    /// Ends a scrub, if one runs.
    ///
    /// # Errors
    /// If it is not attached.
    pub(crate) async fn stop_scrub(&self, name: String) -> Result<()> {
        self.owner_shard(&name)?.stop_scrub(name).await
    }

    /// Returns the bytes of a disk that flash lost before the backing had them. At most this many ranges.
    ///
    /// # Errors
    /// If it is not attached.
    pub(crate) async fn lost(&self, name: String, most: usize) -> Result<Vec<ByteRange>> {
        self.owner_shard(&name)?.lost(name, most).await
    }

    /// Returns the curves of a disk, and the bytes of RAM that they take.
    ///
    /// # Errors
    /// If it is not attached.
    pub(crate) async fn curves(&self, name: String) -> Result<(Curves, u64)> {
        self.owner_shard(&name)?.curves(name).await
    }

    /// Frees the cached data of a disk that is not attached and will not be.
    ///
    /// # Errors
    /// A conflict if there is dirty data, unless that may be discarded; then nothing has changed.
    pub(crate) async fn forget(&self, name: String, id: u32, what_is_dirty: DirtyData) -> Result<()> {
        self.first().forget(name, id, what_is_dirty).await
    }

    /// Drops the cached data of a disk durably, whether it is attached or not.
    ///
    /// # Errors
    /// If it may return at the next start.
    pub(crate) async fn evict(&self, name: String, id: u32) -> Result<()> {
        let owner_shard = self.owner_shard(&name).unwrap_or_else(|_| self.first().clone());
        owner_shard.evict(name, id).await
    }

    /// Returns every attached disk, with its report.
    ///
    /// # Errors
    /// If a shard does not answer.
    pub(crate) async fn disks(&self) -> Result<BTreeMap<String, DiskReport>> {
        let answers = join_all(self.all.iter().map(ShardHandle::disks)).await;
        let answers: Result<Vec<_>> = answers.into_iter().collect();
        Ok(answers?.into_iter().flatten().collect())
    }

    /// Returns every disk that is or may be attached, with its report, or the reason for which its shard does
    /// not answer.
    pub(crate) async fn disks_as_far_as_known(&self) -> BTreeMap<String, Result<DiskReport>> {
        self.collect(join_all(self.all.iter().map(ShardHandle::disks)).await)
    }

    /// Returns the disks and the pool, with one request to each shard.
    pub(crate) async fn report(&self) -> HostReport {
        let ask = |(at, shard): (usize, &ShardHandle)| {
            let question = move |shard: &Shard| {
                // The pool is the same for all of them.
                let pool = (at == 0).then(|| shard.pool_report());
                // This request is a run that is not counted yet.
                (shard.disk_reports(), pool, shard.busy.runs() + 1)
            };
            let shard = shard.clone();
            async move { shard.ask(question).await }
        };
        let answers = join_all(self.all.iter().enumerate().map(ask)).await;
        let (mut disks, mut pool, mut runs) = (Vec::new(), None, Vec::new());
        for answer in answers {
            runs.push(answer.as_ref().ok().map(|(_, _, runs)| *runs));
            disks.push(answer.map(|(disks, of_pool, _)| {
                pool = pool.take().or(of_pool);
                disks
            }));
        }
        HostReport { disks: self.collect(disks), pool, moment: ReportMoment(runs) }
    }

    /// Returns true if no task of any shard has run since the report of this moment: it still holds, except
    /// for values that depend on time alone.
    pub(crate) fn have_rested_since(&self, ReportMoment(runs): &ReportMoment) -> bool {
        let has_rested = |(shard, runs): (&ShardHandle, &Option<u64>)| *runs == Some(shard.busy.runs());
        runs.len() == self.all.len() && self.all.iter().zip(runs).all(has_rested)
    }

    fn collect(
        &self,
        answers: Vec<Result<Vec<(String, DiskReport)>>>,
    ) -> BTreeMap<String, Result<DiskReport>> {
        let mut disks = BTreeMap::new();
        for (shard, answer) in answers.into_iter().enumerate() {
            match answer {
                Ok(reports) => {
                    disks.extend(reports.into_iter().map(|(name, report)| (name, Ok(report))));
                }
                Err(problem) => {
                    let owner_shards = self.owner_shards();
                    let here = owner_shards.iter().filter(|(_, owner_shard)| *owner_shard == shard);
                    disks.extend(here.map(|(name, _)| (name.clone(), Err(problem.clone()))));
                }
            }
        }
        disks
    }

    /// Checks the backings of all disks once, and lets shards check those disks that are not sound. Returns
    /// when all backings have answered, or the rest hangs.
    pub(crate) async fn check_backings(&self) {
        let mut pass = self.monitor.begin_pass();
        while let Some(suspects) = pass.next().await {
            self.start_checks(suspects).await;
        }
    }

    async fn start_checks(&self, disks: Vec<String>) {
        let mut on_shards: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        {
            let owner_shards = self.owner_shards();
            for disk in disks {
                if let Some(owner_shard) = owner_shards.get(&disk) {
                    on_shards.entry(owner_shard).or_default().push(disk);
                }
            }
        }
        let asked = on_shards.into_iter().map(|(shard, disks)| self.all[shard].start_checks(disks));
        // A shard that does not answer is reported when it is asked for its disks; the next pass tries again.
        drop(join_all(asked).await);
    }

    /// Returns the names of all attached disks. Sends no request to a shard.
    pub(crate) fn attached(&self) -> Vec<String> {
        self.owner_shards().iter().map(|(name, _)| name.clone()).collect()
    }

    /// Returns true if a disk is attached. Sends no request to a shard.
    pub(crate) fn is_attached(&self, name: &str) -> bool {
        self.owner_shards().get(name).is_some()
    }

    /// Returns the load of the shards. Sends no request to them.
    pub(crate) fn reports(&self) -> Vec<ShardReport> {
        let owner_shards = self.owner_shards();
        let report = |(at, shard): (usize, &ShardHandle)| ShardReport {
            number: shard.number,
            disks: owner_shards.count_on(at),
            busy_ns: shard.busy.nanos(),
            // Five centuries fit.
            age_ns: shard.started.elapsed().as_nanos() as u64,
        };
        self.all.iter().enumerate().map(report).collect()
    }

    /// Moves a disk to shard `to` while its guests stay connected. Nothing else may be done with the disk meanwhile.
    pub(crate) async fn relocate(&self, name: &str, to: usize) -> Relocation {
        let Some(from) = self.owner_shards().get(name) else {
            return Relocation::Stayed(not_attached(name));
        };
        let moving = match self.all[from].freeze(name.to_owned()).await {
            Ok(moving) => moving,
            Err(problem) => return Relocation::Stayed(problem),
        };
        self.thaw(name, (from, to), moving).await
    }

    /// Makes shard `to` serve a disk that was frozen on shard `from`, or the first one again.
    pub(super) async fn thaw(
        &self,
        name: &str,
        (from, to): (usize, usize),
        moving: Box<FrozenDisk>,
    ) -> Relocation {
        let sockets = moving.sockets();
        let lost = match self.all[to].thaw(moving).await {
            Ok(Ok(())) => {
                // Listed under the new shard first: a request in between finds it twice rather than not at
                // all.
                self.owner_shards().relocate(name, to);
                if let Err(problem) = self.all[from].release(name.to_owned()).await {
                    tracing::error!("While a disk was moved away from there: {problem}");
                }
                return Relocation::Moved;
            }
            Ok(Err((problem, moving))) => match self.all[from].thaw(moving).await {
                Ok(Ok(())) => return Relocation::Stayed(problem),
                Ok(Err((problem, _))) | Err(problem) => problem,
            },
            Err(problem) => problem,
        };
        remove_sockets(&sockets);
        if let Err(problem) = self.all[from].release(name.to_owned()).await {
            tracing::error!("While a disk that could not be moved was released: {problem}");
        }
        self.owner_shards().remove(name);
        Relocation::Lost(lost)
    }

    /// Records the consistency set that a disk is in. Returns the shard that it has to be moved to, if it is on another one than the
    /// disks that are in it.
    pub(crate) fn join_set(&self, name: &str, set: Option<&str>) -> Option<usize> {
        self.owner_shards().join(name, set)
    }

    /// Sets the number of disks of a consistency set. Does nothing if none of them is served.
    ///
    /// # Errors
    /// If their shard does not answer.
    pub(crate) async fn expect_members(&self, set: String, members: u32) -> Result<()> {
        let shard = self.owner_shards().shard_of_set(&set, None);
        match shard {
            Some(shard) => self.all[shard].expect_members(set, members).await,
            None => Ok(()),
        }
    }

    /// Returns the report of one disk; none if it is not attached.
    pub(crate) async fn disk_report(&self, name: String) -> Result<Option<DiskReport>> {
        match self.owner_shard(&name) {
            Ok(shard) => shard.disk_report(name).await,
            Err(_) => Ok(None),
        }
    }

    /// Takes over a disk that was open beside a QEMU: locks the image, then caches by `change`.
    ///
    /// # Errors
    /// A conflict as long as that QEMU has the image open; then nothing has changed.
    pub(crate) async fn take_over(&self, change: ReconfigureRequest) -> Result<()> {
        self.owner_shard(&change.name)?.take_over(change).await
    }

    /// Prepares a disk for being opened by a QEMU beside us: from `change` on, which must not cache, nothing
    /// of it is cached, and the backing has all writes of guests. The lock stays.
    ///
    /// # Errors
    /// If the backing failed the flush.
    pub(crate) async fn withdraw(&self, change: ReconfigureRequest) -> Result<()> {
        self.owner_shard(&change.name)?.withdraw(change).await
    }

    /// Unlocks the image of a disk that was withdrawn.
    ///
    /// # Errors
    /// The error of the system; then nothing has changed.
    pub(crate) async fn release_lock(&self, name: String) -> Result<()> {
        self.owner_shard(&name)?.release_lock(name).await
    }

    /// Gives a disk that is to be attached its shard.
    fn place(&self, disk: &AttachRequest) -> usize {
        let set = disk.set.as_ref().map(|membership| membership.set.as_str());
        self.owner_shards().place(&disk.name, set, self.all.len())
    }

    fn owner_shard(&self, name: &str) -> Result<ShardHandle> {
        let owner_shard = self.owner_shards().get(name);
        owner_shard.map(|owner_shard| self.all[owner_shard].clone()).ok_or_else(|| not_attached(name))
    }

    fn owner_shards(&self) -> std::sync::MutexGuard<'_, OwnerShards> {
        // A map is consistent after every step, also if a task panicked.
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn usual_count() -> u32 {
    let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get() as u32);
    cpus.min(SHARDS_CHOSEN_MAX)
}

#[cfg(test)]
mod tests {
    use base::store::Store;
    use base::testing::TempDir;

    use super::*;
    use crate::host_record::HostRecord;
    use crate::places::Environment;

    #[test]
    fn every_shard_looks_for_as_long_as_it_was_told() {
        let folder = TempDir::new();
        let places = Places::resolve(Some(folder.path().join("dir")), None, &Environment::of_process())
            .expect("the folder is ours");
        places.make().expect("the folder is ours");
        let remembered =
            HostFile::new(&Store::start(&places.dir).expect("there are threads"), HostRecord::default());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.expect("a runtime for one thread");
        let told = async |poll_max| {
            let shards =
                Shards::start(&places, &remembered, &Directory::default(), Some(2), poll_max).await?;
            let asked = shards.all.iter().map(|shard| shard.ask(|shard| shard.ring.poll_max()));
            join_all(asked).await.into_iter().collect::<Result<Vec<u64>>>()
        };
        assert_eq!(runtime.block_on(told(PollMax::Off)).ok(), Some(vec![0, 0]));
        assert_eq!(runtime.block_on(told(PollMax::Micros(70))).ok(), Some(vec![70_000, 70_000]));
    }

    #[test]
    fn shards_have_rested_until_one_of_them_runs_anything() {
        let folder = TempDir::new();
        let places = Places::resolve(Some(folder.path().join("dir")), None, &Environment::of_process())
            .expect("the folder is ours");
        places.make().expect("the folder is ours");
        let store = Store::start(&places.dir).expect("there are threads");
        let remembered = HostFile::new(&store, HostRecord::default());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.expect("a runtime for one thread").block_on(async {
            let directory = Directory::default();
            let shards = Shards::start(&places, &remembered, &directory, Some(2), PollMax::Off).await;
            let shards = shards.expect("there are threads");
            shards.go_without_pool().await.expect("there is memory");
            assert!(!shards.have_rested_since(&ReportMoment::default()), "nobody has reported yet");
            let report = shards.report().await;
            assert!(report.pool.is_some() && report.disks.is_empty());
            // A shard counts a run once the round is over in which it answered.
            while !shards.have_rested_since(&report.moment) {
                tokio::task::yield_now().await;
            }
            shards.all[1].ask(|_| ()).await.expect("it answers");
            while shards.have_rested_since(&report.moment) {
                tokio::task::yield_now().await;
            }
        });
    }

    #[test]
    fn there_is_at_least_one_shard_and_never_too_many() {
        assert!((1..=SHARDS_CHOSEN_MAX).contains(&usual_count()));
    }
}
