//! Which flash the daemon uses, and what it may do to it.
//!
//! ```text
//!   file is missing ── ours to make, or a size was given ──> record, make, format, record
//!   holds nothing   ── named by the user, or new ──────────> record, format
//!   holds our pool  ───────────────────────────────────────> open
//!   anything else   ── its exact id given (--erase) ───────> record, format;  else refuse, with the id
//! ```
//! A remembered pool that is gone or cannot be read does not keep guests from their disks: they are served without flash,
//! and the log says so (the promise for flash that dies holds at a start too).
//!
//! Nothing that holds data is formatted without its exact id. No data lives on the pool alone in this version, so a
//! pool that is named anew by the user replaces the one that is remembered.

use std::fs;
use std::path::{Path, PathBuf};

use block::file::Identity;
use cache::{Identified, Marks, PoolContent, PoolId};
use nix::errno::Errno;
use nix::fcntl::{FallocateFlags, fallocate};
use nix::sys::statvfs::statvfs;

use crate::backing::Location;
use crate::output;
use crate::past::Touched;
use crate::patience::while_in_conflict;
use crate::places::{Places, absolute};
use crate::problem::{Answer, Problem, ProblemKind};
use crate::shard::{Found, Shards};
use crate::state::{PoolRecord, State};
use crate::units::Size;

/// The pool that the daemon makes by itself: this share of the free space of its folder, in hundredths.
const EMBEDDED_PERCENT: u64 = 10;
/// And at most so many bytes.
const EMBEDDED_BYTES_MAX: u64 = 32 << 30;
/// Starts that are remembered: as many may be cut short in a row before the pool was marked.
const MARKS_MAX: usize = 16;
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

/// The pool that is in use now.
#[derive(Clone, Debug)]
pub(crate) struct PoolInUse {
    pub(crate) path: PathBuf,
    /// Which storage it is; none if there is no pool.
    pub(crate) identity: Option<Identity>,
    pub(crate) fallback: Option<String>,
    /// Why disks are served without it, if they are.
    pub(crate) missing: Option<String>,
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
    let remembered = state.pool.clone();
    let path = match (&choice.file, &remembered) {
        (Some(file), _) => absolute(file)?,
        (None, Some(record)) => record.path.clone(),
        (None, None) => places.embedded_pool(),
    };
    remove_unfinished(&path, remembered.as_ref())?;
    let mut setup = Setup { places, shards, state, path, choice };
    let found = if setup.path.exists() { setup.take_existing().await } else { setup.make().await };
    let found = match found {
        Err(problem) if problem.kind == ProblemKind::Unavailable && setup.may_go_without() => {
            tracing::error!(
                "{problem}. Until then, and a restart, disks are served without a cache on flash"
            );
            shards.go_without_pool().await?;
            let missing = Some(problem.message);
            return Ok(PoolInUse { path: setup.path, identity: None, fallback: None, missing });
        }
        outcome => outcome?,
    };
    setup.open().await?;
    let identity = Some(found.identity);
    Ok(PoolInUse { path: setup.path, identity, fallback: found.fallback, missing: None })
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
    path: PathBuf,
    choice: &'a PoolChoice,
}

impl Setup<'_> {
    /// Makes a pool file where there is none.
    async fn make(&mut self) -> Answer<Found> {
        let bytes = self.size_to_make()?;
        let id = self.shards.draw_pool_id().await?;
        // 1. A crash after this leaves a file that the next start makes again.
        self.record(id, true)?;
        // 2. The file, and the pool in it.
        let found = self.shards.look_at_pool(self.path.clone(), Some(bytes)).await?;
        reserve_storage(&self.path, bytes)?;
        self.shards.format_pool(id).await?;
        // 3. From here on it is a pool that must be found again.
        self.record(id, false)?;
        Ok(found)
    }

    /// How large a file to make; says why if none may be made.
    fn size_to_make(&self) -> Answer<u64> {
        let path = self.path.display();
        let is_remembered = self.remembered_here().is_some_and(|record| !record.being_made);
        if is_remembered && (self.choice.file.is_none() || self.choice.size.is_none()) {
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
        let found = while_in_conflict(|| self.shards.look_at_pool(self.path.clone(), None)).await?;
        let remembered_id = self.remembered_here().map(|record| record.id.clone());
        let erase = self.choice.erase.as_deref();
        let (id, what) = match &found.content {
            Identified::Blank if remembered_id.is_some() && self.choice.file.is_none() => {
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
            Identified::Pool { id, .. } if remembered_id == Some(id.to_string()) => {
                (id.to_string(), "the pool that is in use".to_owned())
            }
            Identified::Pool { id, size_bytes, .. } => {
                (id.to_string(), format!("a pool of {} that this Forebay did not make", Size(*size_bytes)))
            }
            Identified::Older { id, version } if erase.is_none() && remembered_id.as_ref() == Some(id) => {
                output::print(&format!(
                    "The pool {} has format {version}, whose content was never kept: making it anew\n",
                    self.path.display()
                ))?;
                return self.format(found).await;
            }
            Identified::Older { id, version } => {
                (id.clone(), format!("a pool of an older Forebay (format {version})"))
            }
            Identified::Foreign { id } => (id.clone(), "data that is no pool".to_owned()),
            Identified::Damaged { id, what } => (id.clone(), format!("a damaged pool ({what})")),
            Identified::Newer { id, version } => {
                (id.clone(), format!("a pool of a newer Forebay (format {version})"))
            }
        };
        match erase {
            Some(word) if word == id => self.format(found).await,
            Some(_) => Err(self.nothing_to_erase(&format!("it holds {what} with the id {id}"))),
            None => Err(self.refuse(&what, &id)),
        }
    }

    /// Opens the pool, with a mark that is remembered before.
    async fn open(&mut self) -> Answer<()> {
        let mark = self.shards.draw_mark().await?;
        let record = self.state.pool.as_mut().expect("it is recorded before it is opened");
        let known = record.marks_known();
        record.marks.push(mark);
        let surplus = record.marks.len().saturating_sub(MARKS_MAX);
        record.marks.drain(..surplus);
        self.state.save(&self.places.dir)?;
        let disks = self.state.disks.iter().map(|disk| disk.id).collect();
        match self.shards.open_pool(Marks { new: mark, known }, disks).await? {
            PoolContent::Kept { last_mark } => Touched::take_over(&self.places.touched(), last_mark, mark),
            PoolContent::Dropped(reason) => {
                tracing::warn!("What was cached in pool {} is dropped: {reason}", self.path.display());
            }
        }
        // The pool bears the new mark durably. One that bears an earlier mark is an old copy from now on.
        settle_mark(self.places, self.state, mark)
    }

    async fn format(&mut self, found: Found) -> Answer<Found> {
        self.check_no_backing(found.identity)?;
        let id = self.shards.draw_pool_id().await?;
        // Recorded first: a crash in between leaves something that is refused, or a pool that is known.
        self.record(id, false)?;
        self.shards.format_pool(id).await?;
        Ok(found)
    }

    /// Refuses storage that a remembered disk has its data on: a disk that no guest has written to looks blank.
    fn check_no_backing(&self, identity: Identity) -> Answer<()> {
        for disk in &self.state.disks {
            let location = Location::parse(&disk.backing)?;
            let backing = location.path().and_then(|path| Identity::of(path).ok());
            if backing.is_some_and(|backing| backing.same_storage(&identity)) {
                return Err(Problem::conflict(format!(
                    "Cannot use {} as the pool: disk '{}' has its data there; give another file or device",
                    self.path.display(),
                    disk.name
                )));
            }
        }
        Ok(())
    }

    fn record(&mut self, id: PoolId, being_made: bool) -> Answer<()> {
        let (path, id) = (self.path.clone(), id.to_string());
        self.state.pool = Some(PoolRecord { path, id, being_made, marks: Vec::new() });
        self.state.save(&self.places.dir)
    }

    /// Disks were served with this pool before, and the user did not ask for something else to be done with it just now.
    fn may_go_without(&self) -> bool {
        self.choice.erase.is_none() && self.remembered_here().is_some_and(|record| !record.being_made)
    }

    fn remembered_here(&self) -> Option<&PoolRecord> {
        self.state.pool.as_ref().filter(|record| record.path == self.path)
    }

    fn refuse(&self, what: &str, id: &str) -> Problem {
        let path = self.path.display();
        Problem::conflict(format!(
            "Cannot use {path} as the pool: it holds {what}. Nothing was changed. If what it holds may be destroyed: \
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
fn reserve_storage(path: &Path, bytes: u64) -> Answer<()> {
    let failed = |error: String| {
        Problem::failed(format!(
            "Cannot reserve {} for the pool {}: {error}; make room, or give a smaller --pool-size",
            Size(bytes),
            path.display()
        ))
    };
    let file = fs::File::options().write(true).open(path).map_err(|error| failed(error.to_string()))?;
    let length = i64::try_from(bytes).map_err(|error| failed(error.to_string()))?;
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

fn free_space(dir: &Path) -> Answer<u64> {
    let about = statvfs(dir).map_err(|error| {
        Problem::failed(format!("Cannot tell the free space of {}: {error}", dir.display()))
    })?;
    Ok(about.blocks_available() * about.fragment_size())
}
