//! Devices that are added to the pool and removed from it, while guests continue.
//!
//! ```text
//!   add:     open and identify it ── record it ── add it to the pool, on all shards
//!   remove:  no new writes to it ── record that ── (its data moves or is dropped) ── closed on all shards ── remove the record
//!   failed:  the cache removes it from the pool ── noticed here ── remove the record, with a warning
//! ```
//! A device is recorded before it belongs to the pool, until it does not any more, so that a start never
//! misses one that does. Additions and removals begin one after another.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base::error::{Error, Result};
use base::patience::within;
use base::units::Size;
use block::file::Identity;
use cache::{MemberNumber, PoolStatistics};
use telemetry::events::{self, Kind};
use telemetry::wear::{AllWorn, WriteBudget};
use tokio::time::{Instant, sleep};

use super::probing::PROBE_TIME_MAX;
use super::{Claim, DiskFlash, RamView, Registry, lock};
use crate::backing::OwnUse;
use crate::backing_identity::WriteIntentBitmap;
use crate::pool::{
    DeviceInUse, FormerDevice, MissingPool, PoolInUse, ProtectedContent, check_drive, check_file_size,
    check_place, check_room, holds, open_unused, reserve_storage,
};
use crate::shard::{DeviceProbe, PoolReport, ShardReport};
use crate::state::{DeviceRecord, State};

/// Time that a removal may take before it continues after its answer.
const LEAVE_TIME_MAX: Duration = Duration::from_secs(20);
/// Time between polls of a device that is leaving.
const LEAVE_INTERVAL: Duration = Duration::from_millis(50);

/// Size in bytes below which a unit is probably missing. The least size of an additional device is the
/// pool's decision.
const UNIT_FORGOTTEN_BELOW: u64 = 1 << 20;

/// Parameters of a new device.
#[derive(Clone, Debug)]
pub(crate) struct NewDevice {
    /// Absolute path.
    pub(crate) path: PathBuf,
    /// Size of a file to make.
    pub(crate) size: Option<Size>,
    /// The id of the content that may be erased.
    pub(crate) erase: Option<String>,
    /// True if it may be on the drive of another device.
    pub(crate) same_drive: bool,
    /// The number of a device that is removed once this one is added.
    pub(crate) replacing: Option<u32>,
}

/// State of a removal request for a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IsLeaving {
    Yes,
    No,
}

/// State of the pool.
#[derive(Clone, Debug)]
pub(crate) struct PoolView {
    pub(crate) report: PoolReport,
    pub(crate) in_use: PoolInUse,
    /// The threads that use it.
    pub(crate) shards: Vec<ShardReport>,
    /// True if dirty data of any disk is to be on two devices.
    pub(crate) has_mirrored_disk: bool,
    /// Wear of its devices, by number.
    pub(crate) worn: AllWorn,
    pub(crate) write_budget: WriteBudget,
    /// RAM of all disks, if it is divided among them.
    pub(crate) ram: Option<RamView>,
    /// Flash of the disks, if it is divided among them.
    pub(crate) flash: Vec<DiskFlash>,
    /// Reasons for which devices did not become smaller, by number.
    pub(crate) kept_sizes: BTreeMap<u32, String>,
}

impl Registry {
    /// Returns the state of the pool, with its devices.
    pub(crate) async fn pool(&self) -> Result<PoolView> {
        let report = self.shards.pool_report().await?;
        let in_use = {
            let mut in_use = lock(&self.pool);
            // Records of devices that left are removed by the watcher.
            drop(in_use.take_note(&report.statistics));
            in_use.clone()
        };
        let worn = self.worn(&report.statistics);
        let of_pool = |state: &State| state.pool.as_ref().map(|pool| pool.write_budget).unwrap_or_default();
        let write_budget = self.remembered.read(of_pool);
        let kept_sizes = lock(&self.kept_sizes).clone();
        let (shards, has_mirrored_disk) = (self.shards.reports(), self.has_mirrored_disk());
        let (ram, flash) = (self.ram_view(), self.flash_view());
        Ok(PoolView { report, in_use, shards, has_mirrored_disk, worn, write_budget, ram, flash, kept_sizes })
    }

    /// Adds a device to the pool and records it; content is erased if its id is given.
    ///
    /// # Errors
    /// Any failure; then everything is as before.
    pub(crate) async fn add_device(&self, wanted: NewDevice) -> Result<PoolView> {
        let _adding = self.changing_pool.lock().await;
        if let Some(MissingPool { reason, .. }) = &lock(&self.pool).missing {
            return Err(Error::conflict(format!(
                "Cannot add {} to the pool: disks are served without one. {reason}",
                wanted.path.display()
            )));
        }
        self.settle_devices().await?;
        if lock(&self.pool).devices.iter().any(|device| device.path == wanted.path) {
            if !wanted.same_drive || wanted.size.is_some() || wanted.erase.is_some() {
                return Err(is_one_already(&wanted.path));
            }
            self.accept_same_drive(&wanted.path).await?;
            return self.pool().await;
        }
        let added = match self.identify(&wanted.path).await? {
            Some(identity) => self.add_existing(&wanted, identity).await,
            None => self.add_new_file(&wanted).await,
        };
        if let Err(problem) = added {
            self.shards.release_devices().await?;
            self.settle_devices().await?;
            return Err(problem);
        }
        self.follow_pool_size().await;
        self.pool().await
    }

    /// Records that the user accepts a device of the pool on a drive shared with another one.
    async fn accept_same_drive(&self, path: &Path) -> Result<()> {
        self.change_device(path, |record| record.same_drive = true).await?;
        let mut pool = lock(&self.pool);
        pool.devices
            .iter_mut()
            .filter(|device| device.path == path)
            .for_each(|device| device.same_drive = true);
        Ok(())
    }

    async fn add_existing(&self, wanted: &NewDevice, identity: Identity) -> Result<()> {
        let path = wanted.path.display();
        if wanted.size.is_some() {
            return Err(Error::conflict(format!(
                "Cannot make {path} for the pool: it is there already; leave --size out to use it as it is"
            )));
        }
        if lock(&self.pool).is_on(identity) {
            return Err(is_one_already(&wanted.path));
        }
        // From here on every other use of that storage, under any name, finds this claim.
        let claim = Claim { storage: Some(identity.into()), ..Claim::default() };
        let claimed = self.claims.claim(OwnUse::Pool(wanted.path.clone()), claim);
        let found = open_unused(&self.shards, &wanted.path, self.own_storage(&claimed).await?).await?;
        if !found.identity.same_storage(&identity) {
            return Err(Error::conflict(format!(
                "Cannot add {path} to the pool: another file or device took its place meanwhile; try again"
            )));
        }
        self.check_content(wanted, &found)?;
        let record =
            DeviceRecord { same_drive: wanted.same_drive, ..DeviceRecord::new(wanted.path.clone(), false) };
        self.enter(&record, &found, wanted.replacing).await?;
        self.make_member(&wanted.path).await
    }

    async fn add_new_file(&self, wanted: &NewDevice) -> Result<()> {
        let path = wanted.path.display();
        let Some(Size(bytes)) = wanted.size else {
            return Err(Error::invalid(format!(
                "Cannot add {path} to the pool: it does not exist; give --size to make a file there"
            )));
        };
        if wanted.erase.is_some() {
            return Err(Error::conflict(format!("Cannot erase what {path} holds: it does not exist")));
        }
        let checked = wanted.path.clone();
        let checking = tokio::task::spawn_blocking(move || check_new_file(&checked, bytes));
        checking.await.expect("looking at a folder does not panic")?;
        let found = self.shards.probe_device(wanted.path.clone(), Some(bytes)).await?;
        let reserved = wanted.path.clone();
        let reserving = tokio::task::spawn_blocking(move || reserve_storage(&reserved, bytes, "--size"));
        let record =
            DeviceRecord { same_drive: wanted.same_drive, ..DeviceRecord::new(wanted.path.clone(), true) };
        let entered = match reserving.await.expect("reserving storage does not panic") {
            Ok(()) => self.enter(&record, &found, wanted.replacing).await,
            failed => failed,
        };
        if entered.is_err() {
            remove_file(&wanted.path);
        }
        entered?;
        self.make_member(&wanted.path).await
    }

    /// Returns the identity of the storage at a path, if there is any.
    async fn identify(&self, path: &Path) -> Result<Option<Identity>> {
        let wanted = path.to_owned();
        let looking = tokio::task::spawn_blocking(move || match wanted.try_exists() {
            Ok(true) => Identity::of(&wanted).map(Some).map_err(|error| error.to_string()),
            Ok(false) => Ok(None),
            Err(error) => Err(error.to_string()),
        });
        let refuse = |reason: String| {
            Error::unavailable(format!("Cannot add {} to the pool: {reason}", path.display()))
        };
        match within(PROBE_TIME_MAX, looking).await {
            Ok(outcome) => outcome.expect("looking at a file does not panic").map_err(refuse),
            Err(_) => Err(refuse(format!("it did not answer within {} s", PROBE_TIME_MAX.as_secs()))),
        }
    }

    /// Refuses a device with content whose id was not given for erasing.
    fn check_content(&self, wanted: &NewDevice, found: &DeviceProbe) -> Result<()> {
        let own = self.state().pool.map(|pool| pool.id);
        let path = wanted.path.display();
        let refuse_word = |word: &str, what: &str| {
            Err(Error::conflict(format!(
                "Cannot erase '{word}' on {path}: {what}. Nothing was changed; leave --erase out, or give the id of what \
                 is there"
            )))
        };
        match (holds(&found.content, own.as_deref()), wanted.erase.as_deref()) {
            (None, None) => Ok(()),
            (None, Some(word)) => refuse_word(word, "it holds nothing"),
            (Some(ProtectedContent { id, .. }), Some(word)) if word == id => Ok(()),
            (Some(ProtectedContent { id, what, .. }), Some(word)) => {
                refuse_word(word, &format!("it holds {what} with the id {id}"))
            }
            (Some(held), None) => Err(Error::conflict(format!(
                "Cannot add {path} to the pool: {} If what it holds may be destroyed: \
                 forebay pool add {path} --erase {}",
                held.unchanged(),
                held.id
            ))),
        }
    }

    /// Records a device that is about to become one of the pool, and keeps it from being used as a backing.
    async fn enter(&self, record: &DeviceRecord, found: &DeviceProbe, replacing: Option<u32>) -> Result<()> {
        {
            // It is in use from its check on: a disk that is mirrored later finds it here.
            let mut pool = lock(&self.pool);
            if !record.same_drive {
                let mirrored = self.mirrored_disks().into_iter().chain(self.claims.mirrored()).collect();
                check_drive(&pool, &mirrored, &record.path, &found.drives, replacing)?;
            }
            pool.devices.push(DeviceInUse::new(record, found, None));
        }
        let entered = record.clone();
        let remembering = self.remembered.change(move |state| {
            state.pool.as_mut().ok_or_else(no_pool)?.devices.push(entered);
            Ok(())
        });
        let remembered = remembering.await;
        if remembered.is_err() {
            lock(&self.pool).forget(&record.path);
        }
        remembered
    }

    /// Adds a recorded device to the cache's pool. If that fails, its record is removed again.
    async fn make_member(&self, path: &Path) -> Result<()> {
        let added = self.shards.add_device(path.to_owned()).await;
        let listed = self.shards.pool_report().await?.statistics.devices;
        {
            let mut pool = lock(&self.pool);
            // A device that was added and could not be used is leaving again; its record is removed once it
            // has left.
            let strays = listed.iter().map(|device| MemberNumber(device.number));
            let mut stray =
                strays.filter(|number| pool.devices.iter().all(|known| known.number != Some(*number)));
            let number = added.as_ref().ok().copied().or(stray.next());
            for device in pool.devices.iter_mut().filter(|device| device.path == path) {
                device.number = number;
                device.is_taken_out = added.is_err();
                device.has_left = number.is_none();
            }
        }
        let number = added.map_err(|problem| Error {
            message: format!("Cannot add {} to the pool: {}", path.display(), problem.message),
            ..problem
        })?;
        let lost_before = lock(&self.pool).lost().len();
        lock(&self.pool).note_added(path);
        let is_replacement = lock(&self.pool).lost().len() < lost_before;
        let kind = if is_replacement { Kind::DeviceReplaced } else { Kind::DeviceAdded };
        events::of_host(kind, format!("{} is device {number} of the pool", path.display()));
        let shared = lock(&self.pool).shared_drive();
        if let Some(shared) = shared.filter(|shared| shared.includes(path) && self.has_mirrored_disk()) {
            events::of_host(Kind::MirrorOnOneDrive, shared.warning());
        }
        if let Err(problem) = self.remember_lost().await {
            tracing::error!("Cannot forget the device that this one is in the place of: {problem}");
        }
        Ok(())
    }

    /// Records lost devices without a replacement.
    async fn remember_lost(&self) -> Result<()> {
        let lost = lock(&self.pool).lost();
        let remembering = self.remembered.change(move |state| {
            state.pool.iter_mut().for_each(|pool| pool.lost.clone_from(&lost));
            Ok(())
        });
        remembering.await
    }

    /// Removes a device from the pool, and waits until it is unused.
    ///
    /// # Errors
    /// If there is none of this number, or the pool needs it; then nothing has changed. If it takes long, the
    /// removal continues after the answer, and the message says so.
    pub(crate) async fn remove_device(&self, number: MemberNumber) -> Result<PoolView> {
        let path = self.start_removal(number).await?;
        let deadline = Instant::now() + LEAVE_TIME_MAX;
        loop {
            let report = self.settle_devices().await?;
            if lock(&self.pool).devices.iter().all(|device| device.number != Some(number)) {
                return self.pool().await;
            }
            if Instant::now() >= deadline {
                return Err(Error::unavailable(still_leaving(&path, number, &report)));
            }
            sleep(LEAVE_INTERVAL).await;
        }
    }

    /// Starts a removal: from here on nothing new is written there, and a restart continues it.
    async fn start_removal(&self, number: MemberNumber) -> Result<PathBuf> {
        let _removing = self.changing_pool.lock().await;
        let Some(device) = lock(&self.pool).device(number).cloned() else {
            return Err(Error::missing(format!(
                "Cannot take device {number} out of the pool: there is none of this number; `forebay pool show` lists them"
            )));
        };
        let path = device.path;
        // Before it can leave, so that its departure does not count as a failure.
        lock(&self.pool).set_taken_out(number, true);
        if let Err(problem) = self.shards.take_out_device(number).await {
            lock(&self.pool).set_taken_out(number, device.is_taken_out);
            let message = format!("Cannot take {} out of the pool: {}", path.display(), problem.message);
            return Err(Error { message, ..problem });
        }
        self.remember_leaving(&path, IsLeaving::Yes).await?;
        Ok(path)
    }

    async fn remember_leaving(&self, path: &Path, is_leaving: IsLeaving) -> Result<()> {
        self.change_device(path, move |record| record.leaving = is_leaving == IsLeaving::Yes).await
    }

    /// Changes the record of a device.
    pub(super) async fn change_device(
        &self,
        path: &Path,
        change: impl Fn(&mut DeviceRecord) + Send + 'static,
    ) -> Result<()> {
        let path = path.to_owned();
        let changing = self.remembered.change(move |state| {
            let records = state.pool.iter_mut().flat_map(|pool| &mut pool.devices);
            records.filter(|record| record.path == path).for_each(change);
            Ok(())
        });
        changing.await
    }

    /// Resumes removals that the last stop interrupted.
    pub(super) async fn resume_removals(&self) {
        let leaving: Vec<_> =
            lock(&self.pool).devices.iter().filter(|device| device.is_taken_out).cloned().collect();
        for device in leaving {
            let Some(number) = device.number else { continue };
            if let Err(problem) = self.shards.take_out_device(number).await {
                let path = device.path.display();
                events::of_host(Kind::DeviceStays, format!("{path} stays in the pool: {problem}"));
                lock(&self.pool).set_taken_out(number, false);
                if let Err(problem) = self.remember_leaving(&device.path, IsLeaving::No).await {
                    tracing::error!("The next start will try to take it out again: {problem}");
                }
            }
        }
    }

    /// Removes records of devices that left by themselves, for as long as the daemon runs.
    pub(super) async fn watch_pool(self: Arc<Self>) {
        let mut reported = None;
        loop {
            self.device_left.notified().await;
            let problem = self.settle_devices().await.err();
            if problem != reported
                && let Some(problem) = &problem
            {
                let message =
                    format!("Cannot forget a device that left the pool, and will try again: {problem}");
                events::of_host(Kind::DeviceStays, message);
            }
            reported = problem;
        }
    }

    /// Updates devices that left. Returns true if a record is to be removed, which [`Self::watch_pool`] then
    /// does.
    pub(super) fn note_devices(&self, statistics: &PoolStatistics) -> bool {
        let is_leaving = !lock(&self.pool).take_note(statistics).is_empty();
        if is_leaving {
            self.device_left.notify_one();
        }
        is_leaving
    }

    /// Updates devices that left, and removes records of those that are closed.
    async fn settle_devices(&self) -> Result<PoolReport> {
        let report = self.shards.pool_report().await?;
        if lock(&self.pool).take_note(&report.statistics).is_empty() {
            return Ok(report);
        }
        let _settling = self.settling_pool.lock().await;
        // Again, because another task may have done it meanwhile.
        let former = lock(&self.pool).take_note(&report.statistics);
        for FormerDevice { path, is_to_be_removed } in former {
            self.forget_device(&path, is_to_be_removed).await?;
            let path = path.display();
            events::of_host(Kind::DeviceRemoved, format!("{path} is no longer a device of the pool"));
        }
        Ok(report)
    }

    /// Removes the record of a device that has left, and its file if requested.
    async fn forget_device(&self, path: &Path, is_to_be_removed: bool) -> Result<()> {
        let (lost, left) = (lock(&self.pool).lost(), path.to_owned());
        let forgetting = self.remembered.change(move |state| {
            if is_to_be_removed {
                remove_file(&left);
            }
            if let Some(pool) = &mut state.pool {
                pool.devices.retain(|device| device.path != left);
                pool.lost.clone_from(&lost);
            }
            Ok(())
        });
        forgetting.await?;
        lock(&self.pool).forget(path);
        Ok(())
    }

    /// Gives the pool, whose disks are all detached, another mark at a stop: a copy of it that was made while
    /// it was in use is then not trusted in its place.
    ///
    /// # Errors
    /// If it cannot be recorded or written; then such a copy would be trusted.
    pub(super) async fn leave_pool(&self) -> Result<()> {
        let mark = self.shards.draw_mark().await?;
        let noting = self.remembered.change(move |state| {
            let marked = state.pool.as_mut().map(|pool| {
                let last = pool.marks.last().copied().unwrap_or(0);
                pool.marks.push(mark);
                last
            });
            Ok(marked)
        });
        let Some(last_mark) = noting.await? else { return Ok(()) };
        self.shards.leave_pool(mark).await?;
        let touched = self.places.touched();
        let settling = self.remembered.change(move |state| {
            WriteIntentBitmap::take_over(&touched, last_mark, mark);
            state.pool.iter_mut().for_each(|pool| pool.marks = vec![mark]);
            Ok(())
        });
        settling.await
    }
}

/// Refuses a file that cannot or should not be made for the pool.
fn check_new_file(path: &Path, bytes: u64) -> Result<()> {
    check_place(path)?;
    if bytes < UNIT_FORGOTTEN_BELOW {
        check_file_size(path, bytes, "--size")?;
    }
    check_room(path, bytes, "--size")
}

/// Removes a file that the daemon made.
fn remove_file(path: &Path) {
    match fs::remove_file(path) {
        Ok(()) => {}
        Err(error) => tracing::warn!("Cannot remove {}: {error}; remove it by hand", path.display()),
    }
}

fn still_leaving(path: &Path, number: MemberNumber, report: &PoolReport) -> String {
    let listed = report.statistics.devices.iter().find(|device| device.number == number.0);
    let left = listed.map_or_else(
        || "requests to it have not ended".to_owned(),
        |device| {
            format!(
                "{} of its {} segments are in use",
                device.segments - device.segments_free,
                device.segments
            )
        },
    );
    format!(
        "{} gets no new data, but has not left the pool within {} s: {left}. The removal continues; `forebay pool show` \
         lists it until it has left",
        path.display(),
        LEAVE_TIME_MAX.as_secs()
    )
}

fn is_one_already(path: &Path) -> Error {
    Error::conflict(format!(
        "Cannot add {} to the pool: it is one of its devices already; `forebay pool show` lists them",
        path.display()
    ))
}

fn no_pool() -> Error {
    Error::conflict("Cannot add a device: no pool is remembered; restart the daemon to have one made")
}
