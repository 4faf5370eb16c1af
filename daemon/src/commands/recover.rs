//! `forebay disk recover`: brings the backing of a disk in consistent write-back, whose flash was lost, to the time of the last group in its
//! redo ring.
//!
//! ```text
//!   lock both ── whose ring is it? is the backing the one that it belongs to? ── check all of the ring ── new session ── epoch + 1 ── apply ── void ── no mark
//! ```
//! Works without a daemon. A cut at any step leaves a state in which the command can be repeated: the ring promises the same until everything is
//! applied and flushed, and the mark on the backing stays longest. The new session id keeps a flash that comes back later from trusting what
//! it has cached; the epoch, which rises before the first write, keeps it from writing what it has.

use std::path::PathBuf;

use base::blocking_pool::BlockingPool;
use base::error::{Error, Result};
use base::moment::Moment;
use base::units::Size;
use block::executor::{Executor, LocalHost, Order};
use block::file::{Access, Lock};
use block::{BlockDevice, PAGE, Ring};
use redo::{Recovery, RedoRing, RingError, RingOwner, recover, verify};
use serde_json::json;
use tokio::task::spawn_blocking;

use crate::backing::{Backing, Location, Opening};
use crate::backing_identity::{self, DirtyMark};
use crate::cli::DiskRecover;
use crate::output;
use crate::places::HelperFolders;
use crate::shard::chosen_place;
use crate::stores::Stores;

/// Entries of the ring of the system: a recovery has few requests in flight.
const QUEUE_DEPTH: u32 = 64;
/// Time that a request may take, in nanoseconds.
const RETRY_NS: u64 = 25_000_000_000;
/// Ranges of lost bytes that are listed for people.
const LISTED_MAX: usize = 20;
const SECOND_NS: u64 = 1_000_000_000;

/// Result of the command.
enum Outcome {
    /// The recovery, or the one that would be done.
    Recovery(Recovery),
    /// An earlier run had done everything but remove the mark.
    DoneBefore,
}

pub(super) fn run(options: &DiskRecover) -> Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().build().map_err(|error| not_started(&error))?;
    // Beside the runtime, whose threads open files.
    let asked = options.clone();
    let recovered = runtime.block_on(async { spawn_blocking(move || recover_here(&asked)).await });
    let outcome = recovered.map_err(|error| not_started(&error))??;
    if options.json {
        output::print(&format!("{}\n", api::document("recovery", document(&outcome, options.dry_run))))
    } else {
        output::print(&text(&outcome, options))
    }
}

fn recover_here(options: &DiskRecover) -> Result<Outcome> {
    let queue = Ring::new(QUEUE_DEPTH).map_err(|error| not_started(&error))?;
    let executor = Executor::new(queue.clone(), Order::Fifo);
    let location = Location::parse(&options.backing)?;
    let place = ring_location(options, &location)?;
    // No daemon needs to run, so its folders may be missing. The file system of this one may be, too: only who needs it has it.
    let private = location.has_helper().then(PrivateFolder::new).transpose()?;
    let folder = private.as_ref().map_or_else(PathBuf::new, |private| private.0.clone());
    let helpers = HelperFolders { sockets: folder.clone(), locks: folder };
    let opener = Opener { queue: &queue, host: &executor.host(), helpers, is_dry: options.dry_run };
    let recovered = executor.run(recover_disk(&opener, options, (&location, &place)));
    recovered.expect("a ring always waits, so a recovery cannot run out of things that may happen")
}

/// A folder of this process alone, with a name that nobody can know before. Removed with what is in it.
struct PrivateFolder(PathBuf);

impl PrivateFolder {
    fn new() -> Result<Self> {
        let template = std::env::temp_dir().join("forebay-recover-XXXXXX");
        nix::unistd::mkdtemp(&template).map(Self).map_err(|error| {
            Error::failed(format!("Cannot make {}: {error}; make room there", template.display()))
        })
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // One that stays is empty, or has the socket and the note of a helper that has ended.
        std::fs::remove_dir_all(&self.0).unwrap_or(());
    }
}

fn not_started(error: &dyn std::fmt::Display) -> Error {
    Error::failed(format!("Cannot start: {error}; free some memory"))
}

async fn recover_disk(
    opener: &Opener<'_>,
    options: &DiskRecover,
    (location, place): (&Location, &Location),
) -> Result<Outcome> {
    let backing = opener.open(location).await?;
    let ring_device = opener.open(place).await.map_err(|problem| Error {
        message: format!(
            "Cannot open the redo ring of {location}: {problem}; --ring FILE names another place"
        ),
        ..problem
    })?;
    let ring = RedoRing::open(ring_device).await.map_err(|error| not_recovered(location, &error))?;
    let attributes = backing.attributes(location);
    let examined = attributes.appearance().map_err(|error| {
        Error::failed(format!("Cannot examine backing {location}: {error}; check its file system"))
    })?;
    let mark = own_mark(location, examined.dirty, ring.owner(), options.allow_unmarked)?;
    let remove_mark = || {
        let Some(mark) = &mark else { return Ok(()) };
        attributes.remove_dirty_mark(mark).map_err(|error| {
            Error::failed(format!(
                "The backing {location} is recovered, and its mark cannot be removed: {error}; remove it by {}",
                location.unmark_command()
            ))
        })
    };
    if ring.taken_at().is_none() && ring.epoch() > 0 && mark.is_some() {
        if !options.dry_run {
            remove_mark()?;
        }
        return Ok(Outcome::DoneBefore);
    }
    let size_bytes = backing.geometry().size;
    let found = verify(&ring, size_bytes).await.map_err(|error| not_recovered(location, &error))?;
    if options.dry_run {
        return Ok(Outcome::Recovery(found));
    }
    backing_identity::renew_session(&*attributes)?;
    let recovery = recover(&ring, &backing).await.map_err(|error| not_recovered(location, &error))?;
    remove_mark()?;
    Ok(Outcome::Recovery(recovery))
}

fn ring_location(options: &DiskRecover, backing: &Location) -> Result<Location> {
    let place = match (&options.ring, backing.path()) {
        // A relative path counts from here.
        (Some(named), _) if !named.starts_with("rbd:") => return Location::parse(&format!("file:{named}")),
        (Some(named), _) => return Location::parse(named),
        (None, Some(path)) => path.canonicalize().ok().and_then(|path| chosen_place(&Location::File(path))),
        (None, None) => chosen_place(backing),
    };
    place.ok_or_else(|| {
        Error::invalid(format!("Cannot tell where the redo ring of {backing} is: name it with --ring FILE"))
    })
}

/// Means to open storage.
struct Opener<'a> {
    queue: &'a Ring,
    host: &'a LocalHost,
    helpers: HelperFolders,
    is_dry: bool,
}

impl Opener<'_> {
    async fn open(&self, location: &Location) -> Result<Backing> {
        let opening = Opening {
            location: location.clone(),
            access: if self.is_dry { Access::ReadOnly } else { Access::ReadWrite },
            lock: Lock::Image,
            retry_ns: Some(RETRY_NS),
            helpers: self.helpers.clone(),
            stores: Stores::default(),
            user: None,
        };
        Backing::open(self.queue, self.host, &BlockingPool::here(), &opening).await
    }
}

/// Returns the mark of a backing that belongs to a ring with this owner; none if it bears none, and that is allowed.
fn own_mark(
    location: &Location,
    found: Option<DirtyMark>,
    owner: RingOwner,
    is_unmarked_allowed: bool,
) -> Result<Option<DirtyMark>> {
    let pool = format!("{:032x}", u128::from_be_bytes(owner.pool));
    match found {
        Some(mark) if mark.pool == pool && u64::from(mark.disk) == owner.disk => Ok(Some(mark)),
        Some(mark) => Err(Error::conflict(format!(
            "Cannot recover backing {location}: it lacks data of disk {} of pool {}, and this ring belongs to disk {} of pool {pool}",
            mark.disk, mark.pool, owner.disk
        ))),
        None if is_unmarked_allowed => Ok(None),
        None => Err(Error::conflict(format!(
            "Cannot recover backing {location}: it bears no mark, so it is complete, was used since, cannot be marked, or is a copy without \
             its attributes. If nothing changed it since its flash was lost, add --allow-unmarked"
        ))),
    }
}

fn not_recovered(location: &Location, error: &RingError) -> Error {
    let advice = match error {
        RingError::Backing(_) => {
            "repair the backing, or make room for it, and run the command again: that is safe"
        }
        RingError::Storage(_) => "repair the storage of the ring and run the command again: that is safe",
        RingError::NotConsistent => {
            "nothing was changed; without its flash the backing may be a mix of old and new"
        }
        _ => "nothing was changed",
    };
    Error::failed(format!("Cannot recover backing {location}: {error}; {advice}"))
}

fn document(outcome: &Outcome, is_dry: bool) -> serde_json::Value {
    match outcome {
        Outcome::DoneBefore => json!({ "dry_run": is_dry, "done_before": true }),
        Outcome::Recovery(found) => json!({
            "dry_run": is_dry,
            "done_before": false,
            "as_of": as_of(found).to_string(),
            "groups": found.groups,
            "content_bytes": found.content_bytes,
            "zeroed_bytes": found.zeroed_bytes,
            "lost_bytes": lost_bytes(found),
            "lost": found.lost.iter().map(|pages| json!({ "start": pages.start * PAGE, "length": (pages.end - pages.start) * PAGE })).collect::<Vec<_>>(),
        }),
    }
}

fn text(outcome: &Outcome, options: &DiskRecover) -> String {
    let Outcome::Recovery(found) = outcome else {
        return "An earlier run had applied the ring; the mark on the backing is removed now\n".to_owned();
    };
    let age = Moment::now().0.saturating_sub(as_of(found).0);
    let mut shown = vec![
        ("backing", options.backing.clone()),
        ("as of", format!("{}, {age} s ago", as_of(found))),
        ("groups", found.groups.to_string()),
        ("content", Size(found.content_bytes).to_string()),
        ("zeroes", Size(found.zeroed_bytes).to_string()),
        (
            "lost",
            if found.lost.is_empty() { "nothing".to_owned() } else { Size(lost_bytes(found)).to_string() },
        ),
    ];
    let listed = found.lost.iter().take(LISTED_MAX);
    shown.extend(listed.map(|pages| {
        ("lost bytes", format!("{} from {}", Size((pages.end - pages.start) * PAGE), pages.start * PAGE))
    }));
    let said = if options.dry_run {
        "Nothing was changed. Without --dry-run, the backing becomes the disk as of that time.\n"
    } else {
        "The backing is the disk as of that time, as after a power cut at that moment with every write in order: file systems and databases \
         on it recover by their journals. What flash had later is lost, and a flash that comes back is out of date.\n"
    };
    let lost = if found.lost.is_empty() {
        ""
    } else {
        "Lost bytes have the content of some earlier time: check the file system, and restore what is in them.\n"
    };
    format!("{}{said}{lost}", output::pairs(&shown))
}

fn as_of(found: &Recovery) -> Moment {
    Moment(found.taken_at / SECOND_NS)
}

fn lost_bytes(found: &Recovery) -> u64 {
    found.lost.iter().map(|pages| (pages.end - pages.start) * PAGE).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_is_applied_to_the_backing_that_it_belongs_to_alone() {
        let owner = RingOwner { pool: 0xab_u128.to_be_bytes(), disk: 7 };
        let location = Location::parse("/srv/web.img").expect("it is a location");
        let mark =
            |pool: &str, disk| DirtyMark { pool: format!("{pool:0>32}"), disk, name: "web".to_owned() };
        let judge = |found, allowed| own_mark(&location, found, owner, allowed);
        assert_eq!(judge(Some(mark("ab", 7)), false), Ok(Some(mark("ab", 7))));
        for other in [mark("ab", 8), mark("cd", 7)] {
            let problem = judge(Some(other), true).expect_err("it belongs to another");
            assert!(problem.message.contains("this ring belongs to disk 7"), "{problem}");
        }
        let problem = judge(None, false).expect_err("it may be anything");
        assert!(problem.message.contains("--allow-unmarked"), "{problem}");
        assert_eq!(judge(None, true), Ok(None));
    }

    #[test]
    fn lost_pages_are_listed_in_bytes() {
        let found =
            Recovery { taken_at: SECOND_NS, groups: 2, lost: vec![2..3, 5..7], ..Recovery::default() };
        let document = document(&Outcome::Recovery(found), true);
        assert_eq!(
            (&document["lost_bytes"], &document["as_of"]),
            (&json!(3 * PAGE), &json!("1970-01-01T00:00:01Z"))
        );
        assert_eq!(document["lost"][1], json!({ "start": 5 * PAGE, "length": 2 * PAGE }));
    }
}
