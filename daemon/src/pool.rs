//! Which flash the daemon uses, and what it may do to it.
//!
//! ```text
//!   file is missing ── ours to make, or a size was given ──> record, make, format, record
//!   holds nothing   ── named by the user, or new ──────────> record, format
//!   holds our pool  ───────────────────────────────────────> open
//!   anything else   ── its exact id given (--erase) ───────> record, format;  else refuse, with the id
//! ```
//! A pool that has several devices is opened on all of them that are there, and goes on without the others; they do not
//! belong to it any more. Devices come and go later on by `registry/pool.rs`.
//!
//! A remembered pool that is gone, cannot be read, or holds something else by now does not keep guests from their disks: they are
//! served without flash, and the log says so (the promise for flash that dies holds at a start too). Only a pool that another
//! process holds ends the start: the next one may find it free.
//!
//! Nothing that holds data is formatted without its exact id. A pool that is named anew by the user replaces the one that is
//! remembered, unless that one may hold what a backing does not have. Then disks that it may hold such data of wait for it,
//! and nothing takes its place; others are served without flash as long as it cannot be used.

mod content;
mod in_use;

use std::fs;
use std::path::{Path, PathBuf};

use block::file::Identity;
use cache::{DeviceStatistics, Identified, Marks, PoolContent, PoolId};
use nix::errno::Errno;
use nix::fcntl::{FallocateFlags, fallocate};
use nix::sys::statvfs::statvfs;

pub(crate) use content::{Holds, found_at, holds};
pub(crate) use in_use::{DeviceInUse, Former, PoolInUse};

use crate::backing::Location;
use crate::events::{self, Kind};
use crate::output;
use crate::past::{Touched, witness};
use crate::patience::while_in_conflict;
use crate::places::{Places, absolute};
use crate::problem::{Answer, Problem, ProblemKind};
use crate::shard::{Found, Owners, Shards};
use crate::state::{DeviceRecord, DiskRecord, LostDevice, PoolRecord, State};
use crate::units::Size;

/// The pool that the daemon makes by itself: this share of the free space of its folder, in hundredths.
const EMBEDDED_PERCENT: u64 = 10;
/// And at most so many bytes.
const EMBEDDED_BYTES_MAX: u64 = 32 << 30;
/// Sizes of files that are made are rounded down to this many bytes.
const ROUNDING: u64 = 1 << 20;

/// What the user said about the pool.
#[derive(Clone, Debug, Default)]
pub(crate) struct PoolChoice {
    /// The file or device to use.
    pub(crate) file: Option<PathBuf>,
    /// Its size, if it has to be made.
    pub(crate) size: Option<Size>,
    /// The id of what may be erased.
    pub(crate) erase: Option<String>,
}

/// Finds or makes the pool and opens it on all shards. What is decided is recorded in `state` before it is done.
///
/// # Errors
/// If there is no pool that may be used. Then nothing that held data was changed.
pub(crate) async fn open(
    places: &Places,
    shards: &Shards,
    state: &mut State,
    choice: &PoolChoice,
) -> Answer<PoolInUse> {
    let named = choice.file.as_deref().map(absolute).transpose()?;
    let remembered = state.pool.clone();
    let meant = match (&named, &remembered) {
        (Some(file), _) => file.clone(),
        (None, Some(record)) => record.path.clone(),
        (None, None) => places.embedded_pool(),
    };
    remove_unfinished(&meant, remembered.as_ref())?;
    // The device that it was made on may have left the pool since.
    let first = remembered.as_ref().filter(|record| choice.erase.is_none() && record.path == meant);
    let path = match first {
        Some(record) if !record.has_device(&meant) => record.devices[0].path.clone(),
        _ => meant,
    };
    let is_named = named.is_some_and(|named| named == path);
    let mut setup =
        Setup { places, shards, state, path, is_named, choice, was_there: false, absent: Vec::new() };
    setup.was_there = setup.may_go_without();
    match setup.find().await {
        Err(problem) if problem.kind != ProblemKind::Conflict && setup.may_go_without() => {
            setup.go_without(problem).await
        }
        found => setup.open(found?).await,
    }
}

/// Removes a file that a crash left while it was being made. It never held anything.
fn remove_unfinished(path: &Path, remembered: Option<&PoolRecord>) -> Answer<()> {
    let unfinished = remembered.is_some_and(|record| record.being_made && record.path == path);
    if !unfinished || !path.exists() {
        return Ok(());
    }
    fs::remove_file(path).map_err(|error| {
        Problem::failed(format!(
            "Cannot remove {}, a pool that was not finished when Forebay was stopped: {error}; remove it by hand",
            path.display()
        ))
    })
}

struct Setup<'a> {
    places: &'a Places,
    shards: &'a Shards,
    state: &'a mut State,
    /// The file or device that a pool is made on, if one is made.
    path: PathBuf,
    /// The user said it just now.
    is_named: bool,
    choice: &'a PoolChoice,
    /// The pool was used before, and this start has not made another one in its place.
    was_there: bool,
    /// Devices that this start goes on without.
    absent: Vec<Absent>,
}

/// A remembered device that cannot be used, and the reason.
struct Absent {
    path: PathBuf,
    problem: Problem,
}

/// A device that may belong to the pool, and is open.
struct Candidate {
    path: PathBuf,
    found: Found,
}

impl Setup<'_> {
    /// All devices of the pool that are there; makes a pool if there is none. Those that are not there are logged, unless
    /// nothing else is.
    async fn find(&mut self) -> Answer<Vec<Candidate>> {
        let remembered = self.remembered_here().filter(|record| !record.being_made).cloned();
        let (mut candidates, mut absent) = (Vec::new(), Vec::new());
        if let (Some(record), None) = (&remembered, &self.choice.erase) {
            for other in record.devices.iter().filter(|device| device.path != self.path) {
                match self.look_again(&other.path, &record.id).await {
                    Ok(found) => candidates.push(Candidate { path: other.path.clone(), found }),
                    Err(problem) => absent.push(Absent { path: other.path.clone(), problem }),
                }
            }
        }
        let first = match &remembered {
            Some(record) if !candidates.is_empty() => self.look_again(&self.path, &record.id).await,
            _ if self.path.exists() => self.take_existing().await,
            _ => self.make().await,
        };
        match first {
            Ok(found) => candidates.push(Candidate { path: self.path.clone(), found }),
            Err(problem) if candidates.is_empty() => return Err(problem),
            Err(problem) => absent.push(Absent { path: self.path.clone(), problem }),
        }
        for Absent { problem, .. } in &absent {
            events::of_host(
                Kind::DeviceMissing,
                format!(
                    "{problem}. The pool goes on without it: what has a second copy is whole, and what was cached of other \
                     disks is dropped"
                ),
            );
        }
        self.absent = absent;
        Ok(candidates)
    }

    /// Looks at a device of a pool that has several.
    async fn look_again(&self, path: &Path, id: &str) -> Answer<Found> {
        let found = while_in_conflict(|| self.shards.look_at_device(path.to_owned(), None)).await?;
        let holds = match &found.content {
            Identified::Pool { id: here, .. } if here.to_string() == id => return Ok(found),
            content => holds(content, Some(id)).map_or("nothing".to_owned(), |held| held.what),
        };
        Err(Problem::unavailable(format!(
            "Cannot use {} as a device of the pool: it holds {holds}, and not pool {id} any more",
            path.display()
        )))
    }

    /// Makes a pool file where there is none.
    async fn make(&mut self) -> Answer<Found> {
        let bytes = self.size_to_make()?;
        let id = self.shards.draw_pool_id().await?;
        // 1. A crash after this leaves a file that the next start makes again.
        self.record(id, Making::Begun)?;
        // 2. The file, and the pool in it.
        let found = self.shards.look_at_device(self.path.clone(), Some(bytes)).await?;
        reserve_storage(&self.path, bytes, "--pool-size")?;
        let content = self.shards.format_pool(self.path.clone(), id).await?;
        // 3. From here on it is a pool that must be found again.
        self.record(id, Making::Done)?;
        Ok(Found { content, ..found })
    }

    /// How large a file to make; says why if none may be made.
    fn size_to_make(&self) -> Answer<u64> {
        let path = self.path.display();
        let is_remembered = self.remembered_here().is_some_and(|record| !record.being_made);
        if is_remembered && (!self.is_named || self.choice.size.is_none()) {
            return Err(Problem::unavailable(format!(
                "Cannot find the pool {path}; attach its device again, or give another file or device with --pool"
            )));
        }
        if let Some(Size(bytes)) = self.choice.size {
            return Ok(bytes / ROUNDING * ROUNDING);
        }
        if self.path != self.places.embedded_pool() {
            return Err(Problem::invalid(format!(
                "Cannot use {path} as the pool: it does not exist; give --pool-size to make a file there"
            )));
        }
        let free_bytes = free_space(&self.places.dir)?;
        let bytes = (free_bytes / 100 * EMBEDDED_PERCENT).min(EMBEDDED_BYTES_MAX) / ROUNDING * ROUNDING;
        output::print(&format!(
            "No pool is configured: making {path} of {} ({EMBEDDED_PERCENT} % of the free space, at most {})\n",
            Size(bytes),
            Size(EMBEDDED_BYTES_MAX)
        ))?;
        Ok(bytes)
    }

    /// Takes a file or device that is there, if it may be taken.
    async fn take_existing(&mut self) -> Answer<Found> {
        let found = while_in_conflict(|| self.shards.look_at_device(self.path.clone(), None)).await?;
        let remembered_id = self.remembered_here().map(|record| record.id.clone());
        let erase = self.choice.erase.as_deref();
        let held = match &found.content {
            Identified::Blank if remembered_id.is_some() && !self.is_named => {
                return Err(Problem::unavailable(format!(
                    "Cannot find the pool on {path}: it holds nothing any more; check that it is the right device, or \
                     make a new pool on it with --pool {path}",
                    path = self.path.display()
                )));
            }
            Identified::Blank if erase.is_none() => return self.format(found).await,
            Identified::Blank => return Err(self.nothing_to_erase("it holds nothing")),
            Identified::Pool { id, .. } if erase.is_none() && remembered_id == Some(id.to_string()) => {
                return Ok(found);
            }
            Identified::Older { id, version } if erase.is_none() && remembered_id.as_ref() == Some(id) => {
                output::print(&format!(
                    "The pool {} has format {version}, which holds nothing but copies of what backings have: making it anew\n",
                    self.path.display()
                ))?;
                return self.format(found).await;
            }
            content => holds(content, remembered_id.as_deref()).expect("it is not blank"),
        };
        match erase {
            Some(word) if word == held.id => self.format(found).await,
            Some(_) => {
                let Holds { what, id, .. } = held;
                Err(self.nothing_to_erase(&format!("it holds {what} with the id {id}")))
            }
            // What was the pool and is something else now is for a person to look at, while guests have their disks.
            None if remembered_id.is_some() => Err(Problem::unavailable(self.refuse(&held).message)),
            None => Err(self.refuse(&held)),
        }
    }

    /// Serves disks without flash.
    async fn go_without(&self, problem: Problem) -> Answer<PoolInUse> {
        events::of_host(
            Kind::PoolMissing,
            format!("{problem}. Until then, and a restart, disks are served without a cache on flash"),
        );
        self.shards.go_without_pool().await?;
        Ok(PoolInUse::missing(self.path.clone(), problem.message))
    }

    /// Serves disks without flash, because DIR takes nothing: no start could be remembered, nor what disks do without flash. So
    /// what flash holds of the disks that are served is given up on flash itself, before guests change anything. The pool keeps the
    /// mark that it bears, which is known. Disks that may have dirty data wait, and their content stays.
    async fn go_without_records(
        &self,
        candidates: Vec<Candidate>,
        marks: Marks,
        problem: Problem,
    ) -> Answer<PoolInUse> {
        let record = self.state.pool.as_ref().expect("it is recorded before it is opened");
        let borne = candidates.first().and_then(|candidate| candidate.found.mark());
        let is_whole = self.absent.is_empty() && candidates.len() == record.devices.len();
        let Some(borne) = borne.filter(|borne| self.was_there && is_whole && marks.known.contains(borne))
        else {
            return Err(problem);
        };
        let unsaved = self.state.unsaved();
        let served = self.state.disks.iter().filter(|disk| !unsaved.contains(&disk.name.as_str()));
        let served = served.map(|disk| disk.id).collect();
        let paths = candidates.into_iter().map(|candidate| candidate.path).collect();
        let given_up = self.shards.give_up_content(paths, Marks { new: borne, ..marks }, served).await;
        given_up.map_err(|error| Problem { message: format!("{problem}. {error}"), ..problem.clone() })?;
        self.shards.go_on_unrecorded().await?;
        events::of_host(
            Kind::DirUnwritable,
            format!("{problem}. Until then, and a restart, the cache on flash is not used"),
        );
        self.go_without(problem).await
    }

    /// Opens the pool, with a mark that is remembered before. If it holds what no backing has and cannot be used as it is, it
    /// stays as it is, and disks are served without it; so it does if it cannot be known how old its lists may be.
    async fn open(&mut self, candidates: Vec<Candidate>) -> Answer<PoolInUse> {
        if let Err(problem) = self.check_is_no_old_copy(&candidates) {
            return self.go_without(problem).await;
        }
        let record = self.state.pool.as_mut().expect("it is recorded before it is opened");
        let epoch = match witness::least_epoch(&self.places.dir, &record.id) {
            Ok(epoch) => Some(epoch),
            Err(problem) => return self.go_without(problem).await,
        };
        let mark = self.shards.draw_mark().await?;
        let known = record.marks_known();
        let borne: Vec<u64> = candidates.iter().filter_map(|candidate| candidate.found.mark()).collect();
        let marks_before = record.marks.clone();
        record.remember_mark(mark, &borne);
        if let Err(problem) = self.state.save(&self.places.dir) {
            let record = self.state.pool.as_mut().expect("it is recorded before it is opened");
            record.marks = marks_before;
            return self.go_without_records(candidates, Marks { new: 0, known, epoch }, problem).await;
        }
        let disks = self.state.disks.iter().map(|disk| disk.id).collect();
        let owners = Owners { disks, given_up: self.state.given_up.clone() };
        let paths = candidates.iter().map(|candidate| candidate.path.clone()).collect();
        let opened = match self.shards.open_pool(paths, Marks { new: mark, known, epoch }, owners).await {
            Err(problem) if problem.kind == ProblemKind::Unavailable => {
                self.forget_mark(mark)?;
                return self.go_without(problem).await;
            }
            // The mark stays known, because the pool may bear it.
            Err(problem) if self.was_there => return self.go_without(problem).await,
            opened => opened?,
        };
        self.state.given_up.clear();
        match opened.content {
            PoolContent::Kept { last_mark } => Touched::take_over(&self.places.touched(), last_mark, mark),
            PoolContent::Dropped(reason) => {
                let path = self.path.display();
                events::of_host(
                    Kind::PoolCold,
                    format!("What was cached in pool {path} is dropped: {reason}"),
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
        let in_use = PoolInUse::of(devices, &record.lost);
        self.shards.set_write_budget(record.write_budget.drive_writes()).await?;
        // The pool bears the new mark durably. One that bears an earlier mark is an old copy from now on.
        settle_mark(self.places, self.state, mark)?;
        let (path, devices) = (in_use.path().display(), in_use.devices.len());
        events::of_host(Kind::PoolOpened, format!("Pool {path} is in use, devices: {devices}"));
        Ok(in_use)
    }

    /// Refuses an old copy of a pool that came to hold later what backings do not have: it knows nothing of that.
    fn check_is_no_old_copy(&self, candidates: &[Candidate]) -> Answer<()> {
        let record = self.state.pool.as_ref().expect("it is recorded before it is opened");
        let unsaved = self.state.unsaved();
        let known = record.marks_known();
        let is_strange = |found: &Found| found.mark().is_some_and(|mark| !known.contains(&mark));
        match candidates.iter().find(|candidate| is_strange(&candidate.found)) {
            Some(candidate) if !unsaved.is_empty() => Err(Problem::unavailable(format!(
                "Cannot use {} as the pool: somebody else used it since, or it is an old copy, and it may hold data of {} that \
                 their backings do not have. Bring back the pool as it was left",
                candidate.path.display(),
                list_of_disks(&unsaved)
            ))),
            _ => Ok(()),
        }
    }

    /// Forgets the mark of a start that did not reach the pool: those that it may bear are to be remembered.
    fn forget_mark(&mut self, mark: u64) -> Answer<()> {
        if let Some(record) = &mut self.state.pool {
            record.marks.retain(|known| *known != mark);
        }
        self.state.save(&self.places.dir)
    }

    /// Forgets devices that the pool does not list; what is left is in use.
    fn keep_devices(&mut self, candidates: &[Candidate], listed: &[DeviceStatistics]) -> Vec<DeviceInUse> {
        let record = self.state.pool.as_mut().expect("it was opened");
        let mut devices = Vec::new();
        let lost = &mut record.lost;
        record.devices.retain(|remembered| {
            let candidate = candidates.iter().find(|candidate| candidate.path == remembered.path);
            let number = candidate.and_then(|candidate| candidate.found.number());
            let is_listed = number.is_some_and(|number| listed.iter().any(|device| device.number == number.0));
            if let Some(Candidate { found, .. }) = candidate.filter(|_| is_listed) {
                devices.push(DeviceInUse::new(remembered, found, number));
            } else {
                let path = remembered.path.display();
                let gone = format!(
                    "{path} does not belong to the pool any more; should it come back, `forebay pool add` adds it anew"
                );
                events::of_host(Kind::DeviceRemoved, gone);
                lost.retain(|lost| lost.path != remembered.path);
                // What somebody took out is not missed.
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

    async fn format(&mut self, found: Found) -> Answer<Found> {
        check_no_backing(&self.state.disks, &self.path, found.identity)?;
        let id = self.shards.draw_pool_id().await?;
        // Recorded first: a crash in between leaves something that is refused, or a pool that is known.
        self.record(id, Making::Done)?;
        let content = self.shards.format_pool(self.path.clone(), id).await?;
        Ok(Found { content, ..found })
    }

    fn record(&mut self, id: PoolId, making: Making) -> Answer<()> {
        self.check_nothing_is_left_behind()?;
        self.was_there = false;
        let (path, id) = (self.path.clone(), id.to_string());
        let is_ours = making == Making::Begun
            || self.remembered_here().is_some_and(|record| {
                record.devices.iter().any(|device| device.path == path && device.made_by_us)
            });
        let devices = vec![DeviceRecord::new(path.clone(), is_ours)];
        let being_made = making == Making::Begun;
        // What the host's flash may get does not go with the pool that was there before.
        let write_budget = self.state.pool.as_ref().map(|pool| pool.write_budget).unwrap_or_default();
        self.state.pool = Some(PoolRecord {
            path,
            id,
            being_made,
            marks: Vec::new(),
            devices,
            lost: Vec::new(),
            write_budget,
        });
        self.state.save(&self.places.dir)
    }

    /// Refuses to have a new pool take the place of one that may hold what backings do not have.
    fn check_nothing_is_left_behind(&self) -> Answer<()> {
        let unsaved = self.state.unsaved();
        let Some(pool) = self.state.pool.as_ref().filter(|_| !unsaved.is_empty()) else { return Ok(()) };
        Err(Problem::unavailable(format!(
            "Cannot make a new pool on {}: the pool {} may hold data of {} that their backings do not have. Serve with that one; \
             if that data is given up, first remove those disks with --lose-dirty while no other pool is named",
            self.path.display(),
            pool.path.display(),
            list_of_disks(&unsaved)
        )))
    }

    /// Disks were served with this pool before, and the user did not ask for something else to be done with it just now.
    fn may_go_without(&self) -> bool {
        self.choice.erase.is_none() && self.remembered_here().is_some_and(|record| !record.being_made)
    }

    fn remembered_here(&self) -> Option<&PoolRecord> {
        self.state.pool.as_ref().filter(|record| record.is_meant_by(&self.path))
    }

    fn refuse(&self, held: &Holds) -> Problem {
        let (path, unchanged, id) = (self.path.display(), held.unchanged(), &held.id);
        Problem::conflict(format!(
            "Cannot use {path} as the pool: {unchanged} If what it holds may be destroyed: \
             forebay serve --pool {path} --erase {id}"
        ))
    }

    fn nothing_to_erase(&self, what: &str) -> Problem {
        let word = self.choice.erase.as_deref().unwrap_or_default();
        Problem::conflict(format!(
            "Cannot erase '{word}' on {}: {what}. Nothing was changed; leave --erase out, or give the id of what is there",
            self.path.display()
        ))
    }
}

/// Disks by name, for a message.
fn list_of_disks(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    format!("{} {}", if names.len() == 1 { "disk" } else { "disks" }, names.join(", "))
}

/// How far the file of a pool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Making {
    /// There is none, or one that is no pool yet.
    Begun,
    /// It is a pool, or will be as soon as a device that held nothing is one.
    Done,
}

/// Refuses storage that a remembered disk has its data on: a disk that no guest has written to looks blank.
///
/// # Errors
/// A conflict that names the disk.
pub(crate) fn check_no_backing(disks: &[DiskRecord], path: &Path, identity: Identity) -> Answer<()> {
    for disk in disks {
        let location = Location::parse(&disk.backing)?;
        let backing = location.path().and_then(|path| Identity::of(path).ok());
        if backing.is_some_and(|backing| backing.same_storage(&identity)) {
            return Err(Problem::conflict(format!(
                "Cannot use {} as the pool: disk '{}' has its data there; give another file or device",
                path.display(),
                disk.name
            )));
        }
    }
    Ok(())
}

/// Gives a pool whose disks are all detached another mark, so that a copy that was made of it while it was in use is not
/// believed in its place.
///
/// # Errors
/// If it cannot be remembered or written; then such a copy would be believed.
pub(crate) async fn leave(places: &Places, shards: &Shards, state: &mut State) -> Answer<()> {
    let mark = shards.draw_mark().await?;
    let Some(record) = &mut state.pool else { return Ok(()) };
    let last_mark = record.marks.last().copied().unwrap_or(0);
    record.marks.push(mark);
    state.save(&places.dir)?;
    shards.leave_pool(mark).await?;
    Touched::take_over(&places.touched(), last_mark, mark);
    settle_mark(places, state, mark)
}

/// Remembers that the pool bears this mark and no earlier one.
fn settle_mark(places: &Places, state: &mut State, mark: u64) -> Answer<()> {
    if let Some(record) = &mut state.pool {
        record.marks = vec![mark];
    }
    state.save(&places.dir)
}

/// Takes the storage of a new file now, so that the pool cannot fail later because others have filled the file system.
///
/// # Errors
/// If there is not enough; `option` is what a smaller size is given with.
pub(crate) fn reserve_storage(path: &Path, bytes: u64, option: &str) -> Answer<()> {
    let failed = |error: String| {
        Problem::failed(format!(
            "Cannot reserve {} for the pool {}: {error}; make room, or give a smaller {option}",
            Size(bytes),
            path.display()
        ))
    };
    let file = fs::File::options().write(true).open(path).map_err(|error| failed(error.to_string()))?;
    let length = i64::try_from(bytes).map_err(|error| failed(error.to_string()))?;
    warn_of_copies(&file, path);
    match fallocate(&file, FallocateFlags::empty(), 0, length) {
        Ok(()) => Ok(()),
        // The file system cannot; the pool works all the same, as long as there is room.
        Err(Errno::EOPNOTSUPP) => {
            tracing::warn!("The file system of {} cannot reserve storage; keep enough free", path.display());
            Ok(())
        }
        Err(error) => Err(failed(error.to_string())),
    }
}

/// Warns of a file system that may need room for overwriting what is there already.
fn warn_of_copies(file: &fs::File, path: &Path) {
    let Ok(about) = nix::sys::statfs::fstatfs(file) else { return };
    let name = match about.filesystem_type().0 {
        0x9123_683e => "btrfs",
        0x2fc1_2fc1 => "ZFS",
        0xca45_1a4e => "bcachefs",
        _ => return,
    };
    tracing::warn!(
        "The pool {} is on a copy-on-write file system ({name}): overwriting may need room, always or after a snapshot. Keep \
         enough free, and keep it out of snapshots",
        path.display()
    );
}

fn free_space(dir: &Path) -> Answer<u64> {
    let about = statvfs(dir).map_err(|error| {
        Problem::failed(format!("Cannot tell the free space of {}: {error}", dir.display()))
    })?;
    Ok(about.blocks_available() * about.fragment_size())
}
