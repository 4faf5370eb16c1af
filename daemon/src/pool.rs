//! Selection of the pool at a start: which flash the daemon uses, and what it may overwrite.
//!
//! ```text
//!   a pool is recorded ── no other path is given ──> its devices are found by its id, and opened; else served without flash
//!   else the given path, or DIR/pool.img:
//!     missing       ── default pool, or a size is given ──> record, make, format, open, finish the record
//!     blank         ──────────────────────────────────────> record, format, open, finish the record
//!     anything else ── its exact id is given (--erase) ───> record, format, open, finish the record;  else refuse, with the id
//! ```
//! A pool of several devices is opened on all that are found, and continues without the others; those do not
//! belong to it any more. Later changes of devices are in `registry/pool.rs`.
//!
//! If a recorded pool is missing, unreadable, or replaced by something else, guests still get their disks:
//! they are served without flash, and the log says so (the promise for flash that fails holds at a start
//! too). Only a pool that another process holds ends the start: the next one may find it free. No pool is
//! made in its place: a path by which a pool is known, in the configuration as on the command line, does not
//! permit a new one, since it may refer to another device by now.
//!
//! Nothing that holds data is formatted without its exact id. A pool at a path that never belonged to the
//! recorded pool replaces that, unless that may hold dirty data. Until the new pool is open, both are
//! recorded, and a start that fails returns to the old one. Disks with possible dirty data in a pool wait for
//! it; others are served without flash as long as it cannot be used.

mod content;
mod creation;
mod drives;
mod in_use;
mod locate;
mod unused;

use std::fs;
use std::path::{Path, PathBuf};

use base::error::{Error, ErrorKind, Result};
use base::patience::while_in_conflict;
use base::units::Size;
use cache::{DeviceStatistics, Identified, PoolContent, PoolId, SessionIds};
use telemetry::events::{self, Kind};

pub(crate) use content::{ProtectedContent, found_at, holds};
use creation::{FileSystemSpace, free_space};
pub(crate) use creation::{check_file_size, check_place, check_room, check_room_to_grow, reserve_storage};
pub(crate) use drives::{check_drive, check_mirror};
pub(crate) use in_use::{DeviceInUse, FormerDevice, MissingCause, MissingPool, PoolInUse};
use locate::{LocatedDevices, MovedDevice, locate};
use unused::check_not_held;
pub(crate) use unused::open_unused;

use crate::backing::{OwnStorage, paths_of};
use crate::backing_identity::WriteIntentBitmap;
use crate::host_record::HostFile;
use crate::output;
use crate::places::{Places, absolute};
use crate::shard::{DeviceProbe, Owners, Shards};
use crate::state::{DeviceRecord, LostDevice, PoolRecord, State};

/// Share of the free space of its folder for the pool that the daemon makes by default, in hundredths.
const EMBEDDED_PERCENT: u64 = 10;
/// The most bytes of that pool.
const EMBEDDED_BYTES_MAX: u64 = 32 << 30;
/// The option that gives the size of a pool file.
const POOL_SIZE: &str = "--pool-size";
/// Sizes of new files are rounded down to this many bytes.
const ROUNDING: u64 = 1 << 20;

/// Options of the user for the pool.
#[derive(Clone, Debug, Default)]
pub(crate) struct PoolChoice {
    /// The file or device to use.
    pub(crate) file: Option<PathBuf>,
    /// Its size, if it has to be made.
    pub(crate) size: Option<Size>,
    /// Set if the size is an option of this start, not from the configuration.
    pub(crate) is_size_option: bool,
    /// The id of the content that may be erased.
    pub(crate) erase: Option<String>,
}

/// Finds or makes the pool and opens it on all shards. A new one replaces the recorded one once it is open.
///
/// # Errors
/// If no pool may be used. Then no existing data was changed, and the same pool is recorded as before.
pub(crate) async fn open(
    places: &Places,
    host: &HostFile,
    shards: &Shards,
    state: &mut State,
    choice: &PoolChoice,
) -> Result<PoolInUse> {
    let named = choice.file.as_deref().map(absolute).transpose()?;
    let unfinished = take_unfinished(state)?;
    let located = match &mut state.pool {
        Some(record) => locate(record, named.as_deref()).await,
        None => Ok(LocatedDevices::default()),
    };
    let known = state.pool.as_ref().filter(|record| named.as_ref().is_none_or(|named| record.knows(named)));
    let erase = choice.erase.clone().filter(|word| !known.is_some_and(|record| has_erased(record, word)));
    let known = known.filter(|_| erase.is_none()).cloned();
    let remembered = state.pool.as_ref().map(|record| &record.path);
    let unfinished_path = unfinished.as_ref().map(|record| &record.path);
    let path = match (&known, &named) {
        (Some(record), _) => record.first_path().to_owned(),
        (None, Some(named)) => named.clone(),
        (None, None) => remembered.or(unfinished_path).cloned().unwrap_or_else(|| places.embedded_pool()),
    };
    let unfinished = unfinished.filter(|record| record.path == path);
    let is_located = located.as_ref().map_or(true, |located| located.devices > 0);
    let mut setup = PoolSetup {
        places,
        host,
        shards,
        state,
        path,
        choice,
        erase,
        known: known.is_some(),
        is_located,
        unfinished,
        file: MadeFile::None,
        absent: Vec::new(),
    };
    let opened = match known {
        Some(record) => setup.open_known(record, named.as_deref(), located).await,
        None => setup.open_new().await,
    };
    if opened.is_err() {
        setup.undo().await;
    }
    opened
}

/// Returns true if an earlier start made the recorded pool over the content that may be erased. A service
/// whose options are unchanged must start again.
fn has_erased(record: &PoolRecord, word: &str) -> bool {
    let has_erased = record.erased.as_deref() == Some(word);
    if has_erased {
        tracing::warn!(
            "--erase {word} changes nothing: an earlier start did that and made the pool {} there; leave the option out",
            record.path.display()
        );
    }
    has_erased
}

/// Removes the record of a pool that an earlier start did not finish, and its file if that was being made. It
/// never held anything. Returns the record.
fn take_unfinished(state: &mut State) -> Result<Option<PoolRecord>> {
    let Some(record) = state.drop_new_pool() else { return Ok(None) };
    if record.being_made && record.path.exists() {
        fs::remove_file(&record.path).map_err(|error| {
            Error::failed(format!(
                "Cannot remove {}, a pool that was not finished when Forebay was stopped: {error}; remove it by hand",
                record.path.display()
            ))
        })?;
    }
    Ok(Some(record))
}

struct PoolSetup<'a> {
    places: &'a Places,
    /// File of the state.
    host: &'a HostFile,
    shards: &'a Shards,
    state: &'a mut State,
    /// The file or device that a pool is made on, if one is made; else the first device of the recorded pool.
    path: PathBuf,
    choice: &'a PoolChoice,
    /// The id of the content that may be erased, if an earlier start did not do so.
    erase: Option<String>,
    /// Set if the recorded pool is meant, and no other replaces it.
    known: bool,
    /// Set if any device of the recorded pool was found.
    is_located: bool,
    /// A pool that an earlier start did not finish here.
    unfinished: Option<PoolRecord>,
    file: MadeFile,
    /// Devices that this start continues without.
    absent: Vec<UnusableDevice>,
}

/// A recorded device that cannot be used, and the reason.
struct UnusableDevice {
    path: PathBuf,
    problem: Error,
}

/// A file that this start has made, which is removed if the start fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MadeFile {
    /// None, or one that was opened as the pool.
    None,
    /// One that is not a pool yet.
    Unfinished,
}

/// A device that may belong to the pool, and is open.
struct Candidate {
    path: PathBuf,
    found: DeviceProbe,
}

impl PoolSetup<'_> {
    /// Opens the recorded pool, wherever its devices are now. Disks are served without it if it cannot be
    /// used.
    async fn open_known(
        &mut self,
        record: PoolRecord,
        named: Option<&Path>,
        located: Result<LocatedDevices>,
    ) -> Result<PoolInUse> {
        let found = match located {
            Ok(located) => {
                located.moved.iter().for_each(report_move);
                self.find_known(&record).await
            }
            Err(problem) => Err(problem),
        };
        let candidates = match found {
            Err(problem) if problem.kind != ErrorKind::Conflict => return self.go_without(problem).await,
            found => found?,
        };
        self.check_size(named.unwrap_or(&record.path), &candidates)?;
        if let (Some(remembered), Some(named)) = (&mut self.state.pool, named)
            && remembered.path != named
        {
            remembered.add_name(&record.path);
            named.clone_into(&mut remembered.path);
        }
        self.open(candidates).await
    }

    /// Returns all devices of the recorded pool that are found. Missing ones are logged, unless all are.
    async fn find_known(&mut self, record: &PoolRecord) -> Result<Vec<Candidate>> {
        let (mut candidates, mut absent) = (Vec::new(), Vec::new());
        for DeviceRecord { path, .. } in &record.devices {
            match self.probe_again(path, record).await {
                Ok(found) => candidates.push(Candidate { path: path.clone(), found }),
                Err(problem) => absent.push(UnusableDevice { path: path.clone(), problem }),
            }
        }
        if candidates.is_empty() {
            return Err(absent.swap_remove(0).problem);
        }
        for UnusableDevice { problem, .. } in &absent {
            events::of_host(
                Kind::DeviceMissing,
                format!(
                    "{problem}. The pool continues without it: data with a second copy is complete, and the cached data of \
                     other disks is dropped"
                ),
            );
        }
        self.absent = absent;
        Ok(candidates)
    }

    /// Opens a device of the recorded pool. Nothing is made there, unless it holds this very pool in an older
    /// format.
    async fn probe_again(&mut self, path: &Path, record: &PoolRecord) -> Result<DeviceProbe> {
        let (shown, id) = (path.display(), &record.id);
        if !path.exists() {
            return Err(Error::unavailable(format!(
                "Cannot find the pool {shown}, and no device of this host holds pool {id}. Attach its device again, or give \
                 another file or device with --pool; if it is gone for good, make another one in its place: forebay serve \
                 --pool {shown} --erase {id}"
            )));
        }
        let found = while_in_conflict(|| async {
            let found = self.shards.probe_device(path.to_owned(), None).await?;
            check_not_held(path, found.identity).await.map(|()| found)
        });
        let found = found.await?;
        match &found.content {
            Identified::Pool { id: here, .. } if here.to_string() == *id => return Ok(found),
            Identified::Older { id: here, version } if here == id && record.devices.len() == 1 => {
                output::print(&format!(
                    "The pool {shown} has format {version}, which holds only copies of data that backings have: making it again\n"
                ))?;
                return self.format(found).await;
            }
            _ => {}
        }
        let nowhere = format!("no other device of this host holds pool {id}");
        Err(Error::unavailable(match holds(&found.content, Some(id)) {
            Some(held) => format!(
                "Cannot use {shown} as the pool: {} Check that the right device is attached: {nowhere}. If what this one holds may be \
                 destroyed: forebay serve --pool {shown} --erase {}",
                held.unchanged(),
                held.id
            ),
            None => format!(
                "Cannot find the pool on {shown}: it holds nothing any more, and {nowhere}. Check that the right device is \
                 attached; if the pool is gone for good, make another one in its place: forebay serve --pool {shown} --erase {id}"
            ),
        }))
    }

    /// Opens a pool on the user's device, or makes one for it.
    async fn open_new(&mut self) -> Result<PoolInUse> {
        let found = if self.path.exists() { self.take_existing().await } else { self.make().await }?;
        let candidate = Candidate { path: self.path.clone(), found };
        self.open(vec![candidate]).await
    }

    /// Makes a pool file where none exists.
    async fn make(&mut self) -> Result<DeviceProbe> {
        let gone = self.state.pool.as_ref().filter(|_| !self.is_located);
        // The pool that is abandoned is the one that was here.
        if self.erase.is_some() && self.erase.as_ref() != gone.map(|record| &record.id) {
            return Err(self.nothing_to_erase("it does not exist"));
        }
        check_place(&self.path)?;
        let bytes = self.size_to_make()?;
        check_file_size(&self.path, bytes, POOL_SIZE)?;
        check_room(&self.path, bytes, POOL_SIZE)?;
        let id = self.shards.draw_pool_id().await?;
        // 1. A crash after this leaves a file that the next start removes.
        self.record(id, PoolCreation::File).await?;
        // 2. The file, and the pool in it. The record becomes final once it is open.
        let found = self.shards.probe_device(self.path.clone(), Some(bytes)).await?;
        self.file = MadeFile::Unfinished;
        reserve_storage(&self.path, bytes, POOL_SIZE)?;
        let content = self.shards.format_pool(self.path.clone(), id).await?;
        Ok(DeviceProbe { content, ..found })
    }

    /// Returns the size of a file to make, or the reason for which none may be made.
    fn size_to_make(&self) -> Result<u64> {
        let path = self.path.display();
        if let Some(Size(bytes)) = self.choice.size {
            return Ok(if bytes < ROUNDING { bytes } else { bytes / ROUNDING * ROUNDING });
        }
        if self.path != self.places.embedded_pool() {
            return Err(Error::invalid(format!(
                "Cannot use {path} as the pool: it does not exist; give --pool-size to make a file there"
            )));
        }
        let FileSystemSpace { free_bytes, .. } = free_space(&self.places.dir)?;
        let bytes = (free_bytes / 100 * EMBEDDED_PERCENT).min(EMBEDDED_BYTES_MAX) / ROUNDING * ROUNDING;
        output::print(&format!(
            "No pool is configured: making {path} of {} ({EMBEDDED_PERCENT} % of the free space, at most {})\n",
            Size(bytes),
            Size(EMBEDDED_BYTES_MAX)
        ))?;
        Ok(bytes)
    }

    /// Takes an existing file or device, if that is permitted.
    async fn take_existing(&mut self) -> Result<DeviceProbe> {
        // The devices of the previous pool may be taken with its id: it is not in use.
        let own = OwnStorage::new(self.places, Vec::new(), paths_of(self.state.disks.iter()));
        let found = while_in_conflict(|| open_unused(self.shards, &self.path, own.clone())).await?;
        let remembered = self.state.pool.as_ref().map(|record| record.id.clone());
        let erase = self.erase.as_deref();
        let former =
            self.state.former.iter().find(|former| former.path == self.path && found.identity.rdev != 0);
        let former = former.map(|former| former.id.clone());
        let held = match (&found.content, erase) {
            (Identified::Blank, None) if let Some(id) = &former => return Err(self.refuse_former(id)),
            (Identified::Blank, Some(word)) if Some(word) == former.as_deref() => {
                return self.format(found).await;
            }
            (Identified::Blank, None) => return self.format(found).await,
            // The pool that is abandoned is the one that was here.
            (Identified::Blank, Some(word)) if Some(word) == remembered.as_deref() && !self.is_located => {
                return self.format(found).await;
            }
            (Identified::Blank, Some(word)) if self.was_being_erased(word) => {
                return self.format(found).await;
            }
            (Identified::Blank, Some(_)) => return Err(self.nothing_to_erase("it holds nothing")),
            (Identified::Pool { id, .. }, word)
                if self.is_unfinished(*id) && word.is_none_or(|word| self.was_being_erased(word)) =>
            {
                return self.format(found).await;
            }
            (Identified::Pool { id, .. }, None) if self.state.had_pool(&id.to_string()) => {
                self.record(*id, PoolCreation::Former).await?;
                return Ok(found);
            }
            (content, _) => holds(content, remembered.as_deref()).expect("it is not blank"),
        };
        match erase {
            Some(word) if word == held.id => self.format(found).await,
            Some(_) => {
                let ProtectedContent { what, id, .. } = held;
                Err(self.nothing_to_erase(&format!("it holds {what} with the id {id}")))
            }
            None => Err(self.refuse(&held)),
        }
    }

    fn is_unfinished(&self, id: PoolId) -> bool {
        self.unfinished.as_ref().is_some_and(|record| record.id == id.to_string())
    }

    /// Returns true if an earlier start was to erase this here, and did not finish the pool.
    fn was_being_erased(&self, word: &str) -> bool {
        self.unfinished.as_ref().is_some_and(|record| record.erased.as_deref() == Some(word))
    }

    /// Refuses a size that differs from the pool's, if it is an option of this start. One of the
    /// configuration is for a file that has to be made, and must not keep guests from their disks.
    fn check_size(&self, path: &Path, candidates: &[Candidate]) -> Result<()> {
        let Some(Size(wanted)) = self.choice.size else { return Ok(()) };
        let Some(Candidate { found, .. }) = candidates.iter().find(|candidate| candidate.path == path) else {
            return Ok(());
        };
        let wanted = if wanted < ROUNDING { wanted } else { wanted / ROUNDING * ROUNDING };
        let Identified::Pool { size_bytes, .. } = found.content else { return Ok(()) };
        let records = self.state.pool.iter().flat_map(|pool| &pool.devices);
        let is_resized =
            records.into_iter().any(|record| record.path == path && record.resized_to_bytes.is_some());
        if size_bytes == wanted || is_resized {
            return Ok(());
        }
        let message = format!(
            "The pool {} has {}, and not the {} of its size option. That is for a pool that is to be made: leave the option out. To \
             make this one larger or smaller: forebay pool resize {} {}",
            path.display(),
            Size(size_bytes),
            Size(wanted),
            path.display(),
            Size(wanted)
        );
        if found.identity.rdev == 0 && self.choice.is_size_option {
            return Err(Error::conflict(message));
        }
        tracing::warn!("{message}");
        Ok(())
    }

    /// Restores the previous record, and removes a file that was made in vain.
    async fn undo(&mut self) {
        if self.state.drop_new_pool().is_none() {
            return;
        }
        if self.file == MadeFile::Unfinished
            && let Err(error) = fs::remove_file(&self.path)
        {
            tracing::warn!("Cannot remove {}: {error}; remove it by hand", self.path.display());
        }
        if let Err(problem) = self.save().await {
            tracing::warn!("Cannot go back to the pool before; the next start does: {problem}");
        }
    }

    /// Serves disks without flash.
    ///
    /// # Errors
    /// The problem itself, if the user named a pool that is not the recorded one.
    async fn go_without(&self, problem: Error) -> Result<PoolInUse> {
        if !self.known {
            return Err(problem);
        }
        let id = self.state.pool.as_ref().map(|record| record.id.clone());
        let missing =
            MissingPool { reason: problem.message.clone(), cause: MissingCause::Pool, id, size_bytes: None };
        events::of_host(
            Kind::PoolMissing,
            format!("{problem}. Until then, and a restart, disks are served without a cache on flash"),
        );
        self.shards.go_without_pool().await?;
        Ok(PoolInUse::missing(self.path.clone(), missing))
    }

    /// Serves disks without flash, because DIR cannot be written: neither this start could be recorded, nor
    /// that disks run without flash. So the cache of served disks is invalidated on flash itself, before
    /// guests change anything. The pool keeps its mark, which is known. Disks that may have dirty data wait,
    /// and their content stays.
    async fn go_without_records(
        &self,
        candidates: Vec<Candidate>,
        marks: SessionIds,
        problem: Error,
    ) -> Result<PoolInUse> {
        let record = self.state.pool.as_ref().expect("it is recorded before it is opened");
        let borne = candidates.first().and_then(|candidate| candidate.found.mark());
        let is_whole = self.absent.is_empty() && candidates.len() == record.devices.len();
        let Some(borne) = borne.filter(|borne| self.known && is_whole && marks.known.contains(borne)) else {
            return Err(problem);
        };
        let unsaved = self.state.unsaved();
        let served = self.state.disks.iter().filter(|disk| !unsaved.contains(&disk.name.as_str()));
        let served = served.map(|disk| disk.id).collect();
        let size_bytes = candidates.iter().map(|candidate| candidate.found.size_bytes()).sum();
        let id = Some(record.id.clone());
        let paths = candidates.into_iter().map(|candidate| candidate.path).collect();
        let given_up =
            self.shards.invalidate_content(paths, SessionIds { new: borne, ..marks }, served).await;
        given_up.map_err(|error| Error { message: format!("{problem}. {error}"), ..problem.clone() })?;
        self.shards.go_on_unrecorded().await?;
        events::of_host(
            Kind::DirUnwritable,
            format!("{problem}. Until then, and a restart, the cache on flash is not used"),
        );
        self.shards.go_without_pool().await?;
        let missing = MissingPool { reason: problem.message, cause: MissingCause::Dir, id, size_bytes };
        Ok(PoolInUse::missing(self.path.clone(), missing))
    }

    /// Opens the pool, with a mark that is recorded before. If it holds dirty data and cannot be used as it
    /// is, it stays as it is, and disks are served without it.
    async fn open(&mut self, candidates: Vec<Candidate>) -> Result<PoolInUse> {
        if let Err(problem) = self.check_is_no_old_copy(&candidates) {
            return self.go_without(problem).await;
        }
        let record = self.state.pool.as_mut().expect("it is recorded before it is opened");
        let epoch = Some(self.host.read(|host| host.least_epoch(&record.id)));
        let mark = self.shards.draw_mark().await?;
        let known = record.marks_known();
        let borne: Vec<u64> = candidates.iter().filter_map(|candidate| candidate.found.mark()).collect();
        let marks_before = record.marks.clone();
        record.remember_mark(mark, &borne);
        if let Err(problem) = self.save().await {
            let record = self.state.pool.as_mut().expect("it is recorded before it is opened");
            record.marks = marks_before;
            return self.go_without_records(candidates, SessionIds { new: 0, known, epoch }, problem).await;
        }
        let disks = self.state.disks.iter().map(|disk| disk.id).collect();
        let owners = Owners { disks, given_up: self.state.given_up.clone() };
        let paths = candidates.iter().map(|candidate| candidate.path.clone()).collect();
        let opened = match self.shards.open_pool(paths, SessionIds { new: mark, known, epoch }, owners).await
        {
            Err(problem) if problem.kind == ErrorKind::Unavailable => {
                self.forget_mark(mark).await?;
                return self.go_without(problem).await;
            }
            // The mark stays recorded, because the pool may bear it.
            Err(problem) if self.known => return self.go_without(problem).await,
            opened => opened?,
        };
        self.state.given_up.clear();
        match opened.content {
            PoolContent::Kept { last_mark } => {
                WriteIntentBitmap::take_over(&self.places.touched(), last_mark, mark);
            }
            PoolContent::Dropped(reason) => {
                let path = self.path.display();
                events::of_host(
                    Kind::PoolCold,
                    format!("The cached data in pool {path} is dropped: {reason}"),
                );
            }
        }
        for (path, reason) in &opened.ignored {
            let path = path.display();
            events::of_host(
                Kind::DeviceIgnored,
                format!("Not using {path} as a device of the pool: {reason}"),
            );
        }
        let listed = self.shards.pool_report().await?.statistics.devices;
        let devices = self.keep_devices(&candidates, &listed);
        let record = self.state.pool.as_ref().expect("it was opened");
        let in_use = PoolInUse::from_devices(devices, &record.lost);
        self.shards.set_write_budget(record.write_budget.drive_writes()).await?;
        // The pool bears the new mark durably. From now on one with an earlier mark is an old copy.
        self.state.settle_pool();
        self.file = MadeFile::None;
        self.settle_mark(mark).await?;
        let (path, devices) = (in_use.path().display(), in_use.devices.len());
        events::of_host(Kind::PoolOpened, format!("Pool {path} is in use, devices: {devices}"));
        Ok(in_use)
    }

    /// Refuses an old copy of a pool that got dirty data later, which the copy does not have.
    fn check_is_no_old_copy(&self, candidates: &[Candidate]) -> Result<()> {
        let record = self.state.pool.as_ref().expect("it is recorded before it is opened");
        let unsaved = self.state.unsaved();
        let known = record.marks_known();
        let is_strange = |found: &DeviceProbe| found.mark().is_some_and(|mark| !known.contains(&mark));
        match candidates.iter().find(|candidate| is_strange(&candidate.found)) {
            Some(candidate) if !unsaved.is_empty() => Err(Error::unavailable(format!(
                "Cannot use {} as the pool: another Forebay used it since, or it is an old copy, and it may hold data of {} that \
                 their backings do not have. Restore the pool as it was left",
                candidate.path.display(),
                list_of_disks(&unsaved)
            ))),
            _ => Ok(()),
        }
    }

    /// Records that the pool bears this mark and no earlier one.
    async fn settle_mark(&mut self, mark: u64) -> Result<()> {
        if let Some(record) = &mut self.state.pool {
            record.marks = vec![mark];
        }
        self.save().await
    }

    /// Saves the state as it is now.
    async fn save(&self) -> Result<()> {
        let state = self.state.clone();
        let saving = self.host.change(move |host| {
            host.state = state;
            Ok(())
        });
        saving.await
    }

    /// Removes the mark of a start that did not reach the pool: only marks that it may bear are recorded.
    async fn forget_mark(&mut self, mark: u64) -> Result<()> {
        if let Some(record) = &mut self.state.pool {
            record.marks.retain(|known| *known != mark);
        }
        self.save().await
    }

    /// Removes devices that the pool does not list from the record, and returns those in use.
    fn keep_devices(&mut self, candidates: &[Candidate], listed: &[DeviceStatistics]) -> Vec<DeviceInUse> {
        let record = self.state.pool.as_mut().expect("it was opened");
        let mut devices = Vec::new();
        let lost = &mut record.lost;
        record.devices.retain_mut(|remembered| {
            let candidate = candidates.iter().find(|candidate| candidate.path == remembered.path);
            let number = candidate.and_then(|candidate| candidate.found.number());
            let is_listed = number.is_some_and(|number| listed.iter().any(|device| device.number == number.0));
            if let Some(Candidate { found, .. }) = candidate.filter(|_| is_listed) {
                remembered.number = number.map(|number| number.0);
                devices.push(DeviceInUse::new(remembered, found, number));
            } else {
                let path = remembered.path.display();
                let gone = format!(
                    "{path} does not belong to the pool any more; if it returns, `forebay pool add` adds it again"
                );
                events::of_host(Kind::DeviceRemoved, gone);
                lost.retain(|lost| lost.path != remembered.path);
                // A device that was removed on purpose is not missing.
                if !remembered.leaving {
                    let absent = self.absent.iter().find(|absent| absent.path == remembered.path);
                    let reason = absent.map(|absent| absent.problem.message.clone());
                    lost.push(LostDevice::at_start(remembered.path.clone(), reason));
                }
            }
            is_listed
        });
        devices
    }

    async fn format(&mut self, found: DeviceProbe) -> Result<DeviceProbe> {
        let id = self.shards.draw_pool_id().await?;
        // Recorded first: a crash in between leaves a pool that the next start knows, and makes again if it
        // is named again.
        self.record(id, PoolCreation::OnDevice).await?;
        let content = self.shards.format_pool(self.path.clone(), id).await?;
        Ok(DeviceProbe { content, ..found })
    }

    /// Records a new pool next to the one that it is to replace.
    async fn record(&mut self, id: PoolId, making: PoolCreation) -> Result<()> {
        self.check_nothing_is_left_behind()?;
        self.known = false;
        let before = self.state.pool.take();
        let was_ours = |record: &PoolRecord| {
            record.devices.iter().any(|device| device.path == self.path && device.made_by_us)
        };
        let is_ours = making == PoolCreation::File || before.as_ref().is_some_and(was_ours);
        let mut record = PoolRecord::new(self.path.clone(), id.to_string(), is_ours);
        record.being_made = making == PoolCreation::File;
        record.erased.clone_from(&self.erase);
        // The host's budgets do not end with the previous pool.
        record.write_budget = before.as_ref().map(|pool| pool.write_budget).unwrap_or_default();
        record.ram = before.as_ref().map(|pool| pool.ram).unwrap_or_default();
        if let Some(before) = before.as_ref().filter(|before| before.knows(&self.path)) {
            record.names.clone_from(&before.names);
            record.add_name(&before.path);
        }
        self.state.pool = Some(record);
        self.state.replaced = before;
        self.save().await
    }

    /// Refuses to replace a pool that may hold dirty data.
    fn check_nothing_is_left_behind(&self) -> Result<()> {
        let unsaved = self.state.unsaved();
        let Some(pool) = self.state.pool.as_ref().filter(|_| !unsaved.is_empty()) else { return Ok(()) };
        Err(Error::unavailable(format!(
            "Cannot make a new pool on {}: the pool {} may hold data of {} that their backings do not have. Serve with that one; \
             to discard that data, first remove those disks with --discard-dirty while no other pool is named",
            self.path.display(),
            pool.path.display(),
            list_of_disks(&unsaved)
        )))
    }

    fn refuse(&self, held: &ProtectedContent) -> Error {
        let (path, unchanged, id) = (self.path.display(), held.unchanged(), &held.id);
        Error::conflict(format!(
            "Cannot use {path} as the pool: {unchanged} If what it holds may be destroyed: \
             forebay serve --pool {path} --erase {id}"
        ))
    }

    /// Refuses a device at a path of an earlier pool, which is missing: it may be another device by now.
    fn refuse_former(&self, id: &str) -> Error {
        let path = self.path.display();
        Error::conflict(format!(
            "Cannot use {path} as the pool: it was pool {id} once and holds nothing now, so it may be another device. Nothing was \
             changed. If it is the right one: forebay serve --pool {path} --erase {id}"
        ))
    }

    fn nothing_to_erase(&self, what: &str) -> Error {
        let word = self.erase.as_deref().unwrap_or_default();
        Error::conflict(format!(
            "Cannot erase '{word}' on {}: {what}. Nothing was changed; leave --erase out, or give the id of what is there",
            self.path.display()
        ))
    }
}

/// Returns names of disks, for a message.
fn list_of_disks(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    format!("{} {}", if names.len() == 1 { "disk" } else { "disks" }, names.join(", "))
}

/// Way in which a new pool is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PoolCreation {
    /// In a new file.
    File,
    /// On an existing file or device.
    OnDevice,
    /// The pool exists, and was used before.
    Former,
}

fn report_move(MovedDevice { from, to }: &MovedDevice) {
    events::of_host(
        Kind::DeviceMoved,
        format!("The device of the pool that was {} is {} now", from.display(), to.display()),
    );
}
