//! `forebay disk recover`: brings the backing of a disk in consistent write-back, whose flash was lost, to the time of the last group in its
//! redo ring; and those of a consistency set to one time.
//!
//! ```text
//!   lock all ── whose ring is it? is the backing the one that it belongs to? ── check all of the rings ── new session ── epoch + 1 ── apply ── void ── no mark
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
use redo::{
    MemberRecovery, Recovery, RedoRing, RingError, RingOwner, SetCompleteness, SetError, recover,
    recover_set, verify, verify_set,
};
use serde_json::{Value, json};
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

/// Result of the command for one disk.
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
    let outcomes = recovered.map_err(|error| not_started(&error))??;
    if options.json {
        let documents: Vec<_> = outcomes.iter().map(|outcome| document(outcome, options.dry_run)).collect();
        let document = match &documents[..] {
            [alone] => api::document("recovery", alone.clone()),
            _ => api::document("recoveries", Value::from(documents)),
        };
        output::print(&format!("{document}\n"))
    } else {
        output::print(&text(&outcomes, options))
    }
}

fn recover_here(options: &DiskRecover) -> Result<Vec<Outcome>> {
    let queue = Ring::new(QUEUE_DEPTH).map_err(|error| not_started(&error))?;
    let executor = Executor::new(queue.clone(), Order::Fifo);
    let pairs = pairs(options)?;
    // No daemon needs to run, so its folders may be missing. The file system of this one may be, too: only who needs it has it.
    let has_helper = pairs.iter().any(|(backing, ring)| backing.has_helper() || ring.has_helper());
    let private = has_helper.then(PrivateFolder::new).transpose()?;
    let folder = private.as_ref().map_or_else(PathBuf::new, |private| private.0.clone());
    let helpers = HelperFolders { sockets: folder.clone(), locks: folder };
    let opener = Opener { queue: &queue, host: &executor.host(), helpers, is_dry: options.dry_run };
    let recovered = executor.run(recover_disks(&opener, options, &pairs));
    recovered.expect("a ring always waits, so a recovery cannot run out of things that may happen")
}

/// Returns the backings with their rings.
fn pairs(options: &DiskRecover) -> Result<Vec<(Location, Location)>> {
    let (backings, rings) = (&options.backing, &options.ring);
    if !rings.is_empty() && rings.len() != backings.len() {
        return Err(Error::invalid(format!(
            "There are {} backings and {} rings: give --ring for each backing, in their order, or for none",
            backings.len(),
            rings.len()
        )));
    }
    let pair = |(at, backing): (usize, &String)| {
        let location = Location::parse(backing)?;
        let place = ring_location(rings.get(at).map(String::as_str), &location)?;
        Ok((location, place))
    };
    let pairs = backings.iter().enumerate().map(pair).collect::<Result<Vec<_>>>()?;
    for (at, (backing, ring)) in pairs.iter().enumerate() {
        if pairs[..at].iter().any(|(other, of_other)| other == backing || of_other == ring) {
            return Err(Error::invalid(format!(
                "Backing {backing} or its ring is given twice: name each disk once"
            )));
        }
    }
    Ok(pairs)
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

/// A disk that is to be recovered: its backing and its ring, open and locked.
struct Subject<'a> {
    location: &'a Location,
    backing: Backing,
    ring: RedoRing<Backing>,
    /// The mark on the backing, if it bears one.
    mark: Option<DirtyMark>,
}

impl<'a> Subject<'a> {
    async fn open(
        opener: &Opener<'_>,
        (location, place): &'a (Location, Location),
        allow_unmarked: bool,
    ) -> Result<Self> {
        let backing = opener.open(location).await?;
        let ring_device = opener.open(place).await.map_err(|problem| Error {
            message: format!(
                "Cannot open the redo ring of {location}: {problem}; --ring FILE names another place"
            ),
            ..problem
        })?;
        let ring = RedoRing::open(ring_device).await.map_err(|error| not_recovered(location, &error))?;
        let examined = backing.attributes(location).appearance().map_err(|error| {
            Error::failed(format!("Cannot examine backing {location}: {error}; check its file system"))
        })?;
        let mark = own_mark(location, examined.dirty, ring.owner(), allow_unmarked || is_recovered(&ring))?;
        Ok(Self { location, backing, ring, mark })
    }

    fn remove_mark(&self) -> Result<()> {
        let Some(mark) = &self.mark else { return Ok(()) };
        let location = self.location;
        self.backing.attributes(location).remove_dirty_mark(mark).map_err(|error| {
            Error::failed(format!(
                "The backing {location} is recovered, and its mark cannot be removed: {error}; remove it by {}",
                location.unmark_command()
            ))
        })
    }
}

/// Returns true if an earlier run applied the ring. It may not have come to removing the mark.
fn is_recovered(ring: &RedoRing<Backing>) -> bool {
    ring.taken_at().is_none() && ring.epoch() > 0
}

async fn recover_disks(
    opener: &Opener<'_>,
    options: &DiskRecover,
    pairs: &[(Location, Location)],
) -> Result<Vec<Outcome>> {
    let mut subjects = Vec::new();
    for pair in pairs {
        subjects.push(Subject::open(opener, pair, options.allow_unmarked).await?);
    }
    if subjects.iter().all(|subject| is_recovered(&subject.ring)) {
        if subjects.iter().all(|subject| subject.mark.is_none()) {
            let Subject { location, ring, .. } = &subjects[0];
            own_mark(location, None, ring.owner(), options.allow_unmarked)?;
        } else {
            if !options.dry_run {
                subjects.iter().try_for_each(Subject::remove_mark)?;
            }
            return Ok(subjects.iter().map(|_| Outcome::DoneBefore).collect());
        }
    }
    match &subjects[..] {
        [alone] if alone.ring.set().is_none() => {
            if options.alone {
                return Err(Error::invalid(format!(
                    "Backing {} is in no consistency set: leave --alone out",
                    alone.location
                )));
            }
            Ok(vec![recover_alone(alone, options).await?])
        }
        _ => recover_together(&subjects, options).await,
    }
}

async fn recover_alone(subject: &Subject<'_>, options: &DiskRecover) -> Result<Outcome> {
    let Subject { location, backing, ring, .. } = subject;
    let failed = |error: RingError| not_recovered(location, &error);
    let found = verify(ring, backing.geometry().size).await.map_err(failed)?;
    if options.dry_run {
        return Ok(Outcome::Recovery(found));
    }
    backing_identity::renew_session(&*backing.attributes(location))?;
    let recovery = recover(ring, backing).await.map_err(failed)?;
    subject.remove_mark()?;
    Ok(Outcome::Recovery(recovery))
}

/// Recovers the disks of a consistency set, to one time.
async fn recover_together(subjects: &[Subject<'_>], options: &DiskRecover) -> Result<Vec<Outcome>> {
    let completeness = if options.alone { SetCompleteness::Part } else { SetCompleteness::Whole };
    let failed = |SetError { member, error }: SetError| {
        let subject = member.map_or(&subjects[0], |at| &subjects[at]);
        not_recovered(subject.location, &error)
    };
    let sizes: Vec<_> = subjects.iter().map(|one| (&one.ring, one.backing.geometry().size)).collect();
    let found = verify_set(&sizes, completeness).await.map_err(failed)?;
    let recovered = if options.dry_run {
        found
    } else {
        for Subject { backing, location, .. } in subjects {
            backing_identity::renew_session(&*backing.attributes(location))?;
        }
        let members: Vec<_> = subjects.iter().map(|one| (&one.ring, &one.backing)).collect();
        let recovered = recover_set(&members, completeness).await.map_err(failed)?;
        subjects.iter().try_for_each(Subject::remove_mark)?;
        recovered
    };
    let outcome = |member| match member {
        MemberRecovery::Applied(recovery) => Outcome::Recovery(recovery),
        MemberRecovery::DoneBefore => Outcome::DoneBefore,
    };
    Ok(recovered.members.into_iter().map(outcome).collect())
}

fn ring_location(named: Option<&str>, backing: &Location) -> Result<Location> {
    let place = match (named, backing.path()) {
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
        RingError::OfSet | RingError::MembersMissing { .. } => {
            "give all disks of the set, each with --backing, or --alone for these without the others. Nothing was changed"
        }
        _ => "nothing was changed",
    };
    Error::failed(format!("Cannot recover backing {location}: {error}; {advice}"))
}

fn document(outcome: &Outcome, is_dry: bool) -> Value {
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

fn text(outcomes: &[Outcome], options: &DiskRecover) -> String {
    let mut shown: String = options
        .backing
        .iter()
        .zip(outcomes)
        .map(|(backing, outcome)| rows(backing, outcome, options.dry_run))
        .collect();
    let recoveries = || {
        outcomes.iter().filter_map(|outcome| match outcome {
            Outcome::Recovery(found) => Some(found),
            Outcome::DoneBefore => None,
        })
    };
    if recoveries().next().is_none() {
        return shown;
    }
    shown += match (options.dry_run, outcomes.len()) {
        (true, 1) => {
            "Nothing was changed. Without --dry-run, the backing becomes the disk as of that time.\n"
        }
        (true, _) => {
            "Nothing was changed. Without --dry-run, the backings become the disks as of that time, all of one instant.\n"
        }
        (false, 1) => {
            "The backing is the disk as of that time, as after a power cut at that moment with every write in order: file systems and databases \
             on it recover by their journals. What flash had later is lost, and a flash that comes back is out of date.\n"
        }
        (false, _) => {
            "The backings are the disks as of that time, as after a power cut at that moment with every write in order: file systems and databases \
             on them recover by their journals. What flash had later is lost, and a flash that comes back is out of date.\n"
        }
    };
    if options.alone {
        shown += "Other disks of its consistency set do not match.\n";
    }
    if recoveries().any(|found| !found.lost.is_empty()) {
        shown += "Lost bytes have the content of some earlier time: check the file system, and restore what is in them.\n";
    }
    shown
}

/// Returns what is shown of one disk.
fn rows(backing: &str, outcome: &Outcome, is_dry: bool) -> String {
    let Outcome::Recovery(found) = outcome else {
        let rest = if is_dry { "without --dry-run, its mark is removed" } else { "its mark is removed now" };
        return format!("{backing}: an earlier run had applied the ring; {rest}\n");
    };
    let age = Moment::now().0.saturating_sub(as_of(found).0);
    let mut shown = vec![
        ("backing", backing.to_owned()),
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
    output::pairs(&shown)
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
