//! Opens an image: connects, examines, and takes the lock.
//!
//! ```text
//!   conf ─> options of ours ─> connect ─> pool ─> image ─> has it exclusive-lock? ─> does another client have it open?
//!     ─> fence off an earlier helper that died ─> lock ─> note the owner in the lock file
//! ```
//! The lock file beside the socket is locked for as long as a helper lives, so that at most one of this host has the image. It has the
//! address of the last owner, which is dead once its lock is free: that one is fenced off at once, without the half minute in which the
//! cluster takes a client for alive. After a release it has the version of the image's header instead, which every later user raises.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use rbd::{Ends, ImageName, Opened, Refusal, RefusalKind};

use crate::ceph::{Ceph, Cluster, EXCLUSIVE_LOCK, Failure, Image, Pool};

/// Options of every client. Caches would answer writes that the cluster does not have.
const OPTIONS: [(&str, &str); 8] = [
    ("rbd_cache", "false"),
    ("rbd_persistent_cache_mode", "disabled"),
    ("rbd_parent_cache_enabled", "false"),
    // We do that by librados, once: librbd 16.2 sends a time of ours in a form that monitors refuse, and they take a second each time.
    ("rbd_blocklist_on_break_lock", "false"),
    // An opening ends with an error. The time of a cluster without monitors; each of the three may pass once.
    ("rados_mon_op_timeout", "10"),
    ("client_mount_timeout", "10"),
    // A request that gets an error without having ended could undo what is written later.
    ("rados_osd_op_timeout", "0"),
    ("rbd_readahead_max_bytes", "0"),
];
/// Seconds for which a dead owner is kept out: ten years. A client that is let in again after an hour, the time of the monitors, would write
/// what it had in flight.
const FENCED_SECONDS: u32 = 315_360_000;
/// Those that must be as we set them, whatever pools and images override.
const VERIFIED: [(&str, &[&str]); 2] =
    [("rbd_cache", &["false"]), ("rbd_persistent_cache_mode", &["disabled"])];
/// Time for an earlier helper of this host to end.
const EARLIER_TIME_MAX: Duration = Duration::from_secs(20);
/// Time for a client to close the image that has it open for a moment, such as `rbd snap create`.
const BRIEF_USE_MAX: Duration = Duration::from_secs(3);
/// Interval of checks.
const INTERVAL: Duration = Duration::from_millis(100);
/// Address that is reserved for documentation (RFC 5737). Keeping it out for a second shows the right to keep clients out.
const NOBODY: &str = "192.0.2.1:0/1";

/// Parameters of a helper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) name: ImageName,
    pub(crate) purpose: Purpose,
}

/// Purpose of opening an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To see whether it can be served.
    Examine,
    /// To serve it on a socket.
    Serve {
        socket: PathBuf,
        read_only: bool,
        /// Address of the owner of the lock that this helper continues for; nobody else may have had it since.
        continues: Option<String>,
    },
}

/// An open image.
pub(crate) struct OpenImage {
    pub(crate) image: Arc<Image>,
    pub(crate) pool: Arc<Pool>,
    pub(crate) opened: Opened,
    pub(crate) lock_file: Option<LockFile>,
}

/// Opens the image.
///
/// # Errors
/// The reason for which it is not served.
pub(crate) fn open(wanted: &Wanted) -> Result<OpenImage, Refusal> {
    let Wanted { name, purpose } = wanted;
    let lock_file = match purpose {
        Purpose::Examine => None,
        Purpose::Serve { socket, .. } => Some(LockFile::take(socket)?),
    };
    let ceph = Ceph::load().map_err(|reason| unusable(&reason))?;
    let cluster = Arc::new(connect(&ceph, name)?);
    let pool = open_pool(&cluster, name)?;
    let examine = *purpose == Purpose::Examine;
    // Before this client changes it itself. An image that cannot be examined is reported when it is opened.
    let found = pool.id_of(&name.image).and_then(|id| Release::of(&pool, &id)).ok();
    let image = pool.image(&name.image, examine).map_err(|error| not_opened(name, error))?;
    let opened = examined(&cluster, &pool, &image, name)?;
    match purpose {
        Purpose::Examine => {
            check_right_to_fence(&cluster, name)?;
            let opened = Opened { ends: Some(ends(&image, opened.bytes, name)?), ..opened };
            Ok(OpenImage { image: Arc::new(image), pool, opened, lock_file })
        }
        Purpose::Serve { continues, .. } => {
            let mut file = lock_file.expect("a served image has one");
            let unchanged = file.released.as_ref().zip(found.as_ref()).map(|(before, now)| before == now);
            let owner = take_lock(&cluster, &image, name, &mut file, continues.as_deref())?;
            let opened = Opened { owner: Some(owner), unchanged, ..opened };
            Ok(OpenImage { image: Arc::new(image), pool, opened, lock_file: Some(file) })
        }
    }
}

fn unusable(reason: &str) -> Refusal {
    Refusal { kind: RefusalKind::Unusable, reason: reason.to_owned() }
}

fn unreachable(reason: &str) -> Refusal {
    Refusal { kind: RefusalKind::Unreachable, reason: reason.to_owned() }
}

fn in_use(reason: String) -> Refusal {
    Refusal { kind: RefusalKind::InUse, reason }
}

/// Returns the refusal for an error that no step has words for.
fn other(step: &str, error: Failure) -> Refusal {
    let reason = format!("{step} failed ({}); see `ceph status`, and the log of its servers", error.desc());
    match error {
        Errno::ETIMEDOUT | Errno::ECONNREFUSED | Errno::EAGAIN | Errno::EIO => unreachable(&reason),
        Errno::ESHUTDOWN => unusable(&format!("{step} failed: the cluster keeps this client out")),
        _ => unusable(&reason),
    }
}

fn connect(ceph: &Arc<Ceph>, name: &ImageName) -> Result<Cluster, Refusal> {
    let cluster =
        Cluster::new(ceph, name.user.as_deref()).map_err(|error| other("making a client", error))?;
    let conf = name.conf.as_deref();
    cluster.read_conf(conf).map_err(|error| {
        let file = conf.unwrap_or(Path::new("/etc/ceph/ceph.conf")).display();
        unusable(&format!(
            "its configuration {file} cannot be read ({}); make it one that the daemon may read, or name another with ?conf=FILE",
            error.desc()
        ))
    })?;
    for (option, value) in OPTIONS {
        match cluster.set(option, value) {
            // An earlier release does not have it, nor what it turns off.
            Ok(()) | Err(Errno::ENOENT) => {}
            Err(error) => return Err(other(&format!("setting {option}"), error)),
        }
    }
    cluster.connect().map_err(|error| not_connected(&cluster, name, error))?;
    Ok(cluster)
}

fn not_connected(cluster: &Cluster, name: &ImageName, error: Failure) -> Refusal {
    let (entity, reason) = (name.entity(), error.desc());
    let keyring = cluster.get("keyring").unwrap_or_default();
    match error {
        Errno::ETIMEDOUT => unreachable("no monitor of the cluster answered within 10 s; see `ceph status`"),
        Errno::ENOENT | Errno::EOPNOTSUPP => unusable(&format!(
            "there is no key of {entity} that the daemon may read ({reason}; searched: {keyring}); put its keyring there, or name \
             another user with ?id=USER"
        )),
        Errno::EACCES | Errno::EPERM => unusable(&format!(
            "the cluster refuses {entity} ({reason}; its key is searched in {keyring}); compare it with `ceph auth get {entity}`"
        )),
        _ => other("connecting to the cluster", error),
    }
}

fn open_pool(cluster: &Arc<Cluster>, name: &ImageName) -> Result<Arc<Pool>, Refusal> {
    cluster.pool(&name.pool, &name.namespace).map_err(|error| match error {
        Errno::ENOENT => {
            unusable(&format!("there is no pool '{}'; `ceph osd pool ls` lists them", name.pool))
        }
        _ => other(&format!("opening pool '{}'", name.pool), error),
    })
}

fn not_opened(name: &ImageName, error: Failure) -> Refusal {
    let (plain, entity) = (name.plain(), name.entity());
    match error {
        Errno::ENOENT => {
            let place = plain.rsplit_once('/').map_or("", |(place, _)| place);
            unusable(&format!("there is no image '{}'; `rbd ls {place}` lists them", name.image))
        }
        Errno::EACCES | Errno::EPERM => {
            unusable(&format!("{entity} has no right to open it; {}", rights(name)))
        }
        _ => other("opening the image", error),
    }
}

/// Returns the command that gives a user the rights that are needed.
fn rights(name: &ImageName) -> String {
    let (entity, pool) = (name.entity(), &name.pool);
    format!("`ceph auth caps {entity} mon 'profile rbd' osd 'profile rbd pool={pool}'` gives them")
}

fn examined(cluster: &Cluster, pool: &Pool, image: &Image, name: &ImageName) -> Result<Opened, Refusal> {
    let failed = |error| other("examining the image", error);
    let features = image.features().map_err(failed)?;
    if features & EXCLUSIVE_LOCK == 0 {
        return Err(unusable(&format!(
            "it has no exclusive lock, so that others could change it meanwhile; run `rbd feature enable {} exclusive-lock`",
            name.plain()
        )));
    }
    let options = image.options().map_err(failed)?;
    for (option, allowed) in VERIFIED {
        let value = options.iter().find(|(name, _)| name == option).map(|(_, value)| value.as_str());
        if let Some(value) = value.filter(|value| !allowed.contains(value)) {
            return Err(unusable(&format!(
                "its pool or the image sets {option} to {value}, which makes writes durable later than they are acknowledged; run `rbd config \
                 image remove {plain} {option}` or `rbd config pool remove {pool} {option}`",
                plain = name.plain(),
                pool = name.pool
            )));
        }
    }
    let bytes = image.size().map_err(failed)?;
    if bytes == 0 || bytes % block::SECTOR != 0 {
        return Err(unusable(&format!(
            "its size, {bytes} bytes, is not that of a disk; make it a multiple of 512 bytes with `rbd resize {}`",
            name.plain()
        )));
    }
    let layout = image.layout().map_err(failed)?;
    Ok(Opened {
        bytes,
        object_bytes: layout.object_bytes,
        stripe_bytes: (layout.stripe_unit, layout.stripe_unit.saturating_mul(layout.stripe_count)),
        features,
        image: image.id().map_err(failed)?,
        pool: pool.id(),
        fsid: cluster.fsid().map_err(failed)?,
        owner: None,
        unchanged: None,
        ends: None,
    })
}

fn ends(image: &Image, bytes: u64, name: &ImageName) -> Result<Ends, Refusal> {
    let (mut first, mut last) = ([0; block::SECTOR as usize], [0; block::SECTOR as usize]);
    let read = image.read_now(0, &mut first).and_then(|()| image.read_now(bytes - block::SECTOR, &mut last));
    read.map_err(|error| not_opened(name, error))?;
    Ok(Ends::new(&first, &last))
}

/// Checks that the user may keep clients out: without that right the lock of a dead owner stays for ever.
fn check_right_to_fence(cluster: &Cluster, name: &ImageName) -> Result<(), Refusal> {
    cluster.blocklist(NOBODY, 1).map_err(|error| match error {
        Errno::EACCES | Errno::EPERM => unusable(&format!(
            "{} has no right to keep a dead client out (osd blocklist); {}",
            name.entity(),
            rights(name)
        )),
        _ => other("checking the right to keep clients out", error),
    })
}

/// Takes the lock, and returns the address of this client as its owner.
fn take_lock(
    cluster: &Cluster,
    image: &Image,
    name: &ImageName,
    file: &mut LockFile,
    continues: Option<&str>,
) -> Result<String, Refusal> {
    let dead = file.dead_owner.clone();
    let is_dead = |address: &str| dead.as_deref() == Some(address);
    let failed = |error| match error {
        Errno::EACCES | Errno::EPERM => {
            unusable(&format!("{} has no right to lock it; {}", name.entity(), rights(name)))
        }
        _ => other("locking the image", error),
    };
    let began = Instant::now();
    let owner = loop {
        let owner = image.lock_owner().map_err(failed)?;
        let watchers = image.watchers().map_err(failed)?;
        let mut others = watchers.into_iter().filter(|one| one.client != cluster.client());
        let Some(other) = others.find(|one| !is_dead(&one.address)) else { break owner };
        if began.elapsed() > BRIEF_USE_MAX {
            return Err(open_elsewhere(&other.address, owner.as_deref() == Some(other.address.as_str())));
        }
        sleep(INTERVAL);
    };
    // The second one is of a helper that died before the daemon heard of it.
    let is_ours = owner.as_deref() == continues || owner.as_deref().is_some_and(is_dead);
    if continues.is_some() && !is_ours {
        let by = owner.map_or_else(|| "has released it".to_owned(), |owner| format!("at {owner} has it"));
        return Err(Refusal {
            kind: RefusalKind::Fenced,
            reason: format!(
                "another client took its lock meanwhile, and {by} now; what is cached may be old"
            ),
        });
    }
    if let Some(owner) = &owner {
        // It is dead. What it has in flight is not done once the servers know that, and they learn it with our next request.
        let fenced = cluster.blocklist(owner, FENCED_SECONDS).and_then(|()| cluster.wait_for_map());
        fenced.and_then(|()| image.break_lock(owner)).map_err(failed)?;
    }
    image.lock().map_err(|error| match error {
        Errno::EROFS | Errno::EBUSY | Errno::EAGAIN => {
            let owner = image.lock_owner().ok().flatten().unwrap_or_else(|| "unknown".to_owned());
            open_elsewhere(&owner, true)
        }
        _ => failed(error),
    })?;
    let owner = image.lock_owner().map_err(failed)?;
    let owner = owner.filter(|_| image.is_lock_owner()).ok_or_else(|| failed(Errno::EIO))?;
    file.note(&owner)?;
    Ok(owner)
}

fn open_elsewhere(address: &str, is_owner: bool) -> Refusal {
    let how = if is_owner { "open and locked" } else { "open" };
    in_use(format!(
        "it is {how} elsewhere, by the client at {address}; close it there. If that host crashed, the cluster notices within 30 s"
    ))
}

/// State of an image when it was released.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Release {
    id: String,
    version: u64,
}

impl Release {
    /// Returns the present state of an image.
    ///
    /// # Errors
    /// The error of the library.
    pub(crate) fn of(pool: &Pool, id: &str) -> Result<Self, Failure> {
        Ok(Self { id: id.to_owned(), version: pool.header_version(id)? })
    }
}

/// The file that at most one helper of this host has locked for an image.
pub(crate) struct LockFile {
    file: File,
    path: PathBuf,
    /// Address of the last owner, which has ended.
    dead_owner: Option<String>,
    /// State in which the last owner released the image.
    released: Option<Release>,
}

impl LockFile {
    /// Locks the file of a socket. Waits until an earlier helper has ended.
    fn take(socket: &Path) -> Result<Self, Refusal> {
        let path = socket.with_extension("lock");
        let failed = |error: &dyn std::fmt::Display| {
            unreachable(&format!("{} cannot be locked: {error}", path.display()))
        };
        let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = file.map_err(|error| failed(&error))?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if began.elapsed() < EARLIER_TIME_MAX => sleep(INTERVAL),
                Err(TryLockError::WouldBlock) => {
                    let pid = Contents::read(&mut file).pid;
                    return Err(unreachable(&format!(
                        "an earlier helper of it still runs (process {pid}), and waits for the cluster; see `ceph status`, or end it by \
                         `kill -9 {pid}`"
                    )));
                }
                Err(TryLockError::Error(error)) => return Err(failed(&error)),
            }
        }
        let Contents { owner: dead_owner, released, .. } = Contents::read(&mut file);
        let taken = Self { file, path, dead_owner, released };
        // The process that others wait for.
        taken.write(taken.dead_owner.as_deref(), taken.released.as_ref())?;
        Ok(taken)
    }

    /// Notes the address of this client, before the image is served.
    fn note(&mut self, owner: &str) -> Result<(), Refusal> {
        self.write(Some(owner), None)
    }

    /// Notes that the owner has released the lock, and the state of the image then, if it is known.
    pub(crate) fn release(&self, released: Option<&Release>) {
        // An address that stays is that of a client without a lock.
        drop(self.write(None, released));
    }

    fn write(&self, owner: Option<&str>, released: Option<&Release>) -> Result<(), Refusal> {
        let mut file = &self.file;
        let released = released.map(|Release { id, version }| format!(" {id} {version}"));
        let line =
            format!("{} {}{}\n", std::process::id(), owner.unwrap_or("-"), released.unwrap_or_default());
        let written =
            file.rewind().and_then(|()| file.set_len(0)).and_then(|()| file.write_all(line.as_bytes()));
        written.map_err(|error| unreachable(&format!("{} cannot be written: {error}", self.path.display())))
    }
}

/// The line of a lock file: `PID OWNER [ID VERSION]`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Contents {
    pid: String,
    owner: Option<String>,
    released: Option<Release>,
}

impl Contents {
    /// Reads the line of a file. A damaged one says nothing; then the cluster decides when an owner is dead.
    fn read(file: &mut File) -> Self {
        let mut line = String::new();
        // As much as could be read counts.
        drop(file.rewind().and_then(|()| file.take(4096).read_to_string(&mut line)));
        // A line that was cut short may have a part of a version.
        let Some(line) = line.strip_suffix('\n') else { return Self::default() };
        let mut words = line.split(' ').map(str::to_owned);
        let pid = words.next().unwrap_or_default();
        let owner = words.next().filter(|owner| !matches!(owner.as_str(), "" | "-"));
        let released = words
            .next()
            .zip(words.next())
            .and_then(|(id, version)| Some(Release { id, version: version.parse().ok()? }));
        Self { pid, owner, released }
    }
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    #[test]
    fn a_lock_file_has_the_owner_that_died_and_not_one_that_released() {
        let dir = TempDir::new();
        let socket = dir.path().join("1.sock");
        let take = || LockFile::take(&socket).map_err(|refusal| refusal.reason).expect("nobody has it");
        let mut file = take();
        assert_eq!(file.dead_owner, None);
        file.note("10.0.0.1:0/7").map_err(|refusal| refusal.reason).expect("it is ours");
        drop(file);
        let file = take();
        assert_eq!(file.dead_owner.as_deref(), Some("10.0.0.1:0/7"));
        // One that dies before it has the lock leaves the owner before.
        drop(file);
        let file = take();
        assert_eq!((file.dead_owner.as_deref(), &file.released), (Some("10.0.0.1:0/7"), &None));
        let release = Release { id: "1f".to_owned(), version: 7 };
        file.release(Some(&release));
        drop(file);
        let mut file = take();
        assert_eq!((&file.dead_owner, file.released.as_ref()), (&None, Some(&release)));
        file.note("10.0.0.1:0/8").map_err(|refusal| refusal.reason).expect("it is ours");
        drop(file);
        assert_eq!(take().released, None, "it was in use since");
    }

    #[test]
    fn damaged_contents_name_no_owner() {
        let dir = TempDir::new();
        let path = dir.path().join("1.lock");
        for content in
            ["", "77", "77 \n", "\u{fffd}", "77 10.0.0.1:0/7", "77 - 1f 7", "77 - 1f x\n", "77 - 1f\n"]
        {
            std::fs::write(&path, content).expect("the folder is ours");
            let Contents { owner, released, .. } =
                Contents::read(&mut File::open(&path).expect("it is there"));
            assert_eq!((owner, released), (None, None), "{content}");
        }
    }
}
