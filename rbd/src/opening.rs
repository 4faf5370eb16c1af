//! Opens an image: connects, examines, and takes the lock.
//!
//! ```text
//!   conf ─> options of ours ─> connect ─> pool ─> image ─> has it exclusive-lock? ─> does another client have it open?
//!     ─> fence off an earlier helper that died ─> lock ─> note the owner in the lock file
//! ```
//! The lock file (`lock_file.rs`) is locked for as long as a helper lives, so that at most one of this host has the image. It has the
//! address of the last owner, which is dead once its lock is free: that one is fenced off at once, without the half minute in which the
//! cluster takes a client for alive. As long as that owner has the lock of the image, nobody else wrote to it. After a release the file has
//! the version of the image's header instead, which every later user raises.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use rbd::{Ends, ImageName, Opened, Refusal, RefusalKind};

use crate::ceph::{Ceph, Cluster, EXCLUSIVE_LOCK, Failure, Image, Pool};
use crate::lock_file::{LockFile, Release};

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
/// Time for a client to close the image that has it open for a moment, such as `rbd snap create`.
const BRIEF_USE_MAX: Duration = Duration::from_secs(3);
/// Interval of checks.
pub(crate) const INTERVAL: Duration = Duration::from_millis(100);
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
        /// File that at most one helper of the image has locked.
        lock: PathBuf,
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
        Purpose::Serve { lock, .. } => Some(LockFile::take(lock)?),
    };
    let ceph = Ceph::load().map_err(|reason| unusable(&reason))?;
    let cluster = Arc::new(connect(&ceph, name)?);
    let pool = open_pool(&cluster, name)?;
    let examine = *purpose == Purpose::Examine;
    let image = pool.image(&name.image, examine).map_err(|error| not_opened(name, None, error))?;
    let opened = examined(&cluster, &pool, &image, name)?;
    match purpose {
        Purpose::Examine => {
            check_right_to_fence(&cluster, &image, name)?;
            let opened = Opened { ends: Some(ends(&image, opened.bytes, name)?), ..opened };
            Ok(OpenImage { image: Arc::new(image), pool, opened, lock_file })
        }
        Purpose::Serve { continues, .. } => {
            let mut file = lock_file.expect("a served image has one");
            let taking = Taking { cluster: &cluster, pool: &pool, image: &image, name, id: &opened.image };
            let (owner, unchanged) = taking.take(&mut file, continues.as_deref())?;
            let opened = Opened { owner: Some(owner), unchanged, ..opened };
            Ok(OpenImage { image: Arc::new(image), pool, opened, lock_file: Some(file) })
        }
    }
}

fn unusable(reason: &str) -> Refusal {
    Refusal { kind: RefusalKind::Unusable, reason: reason.to_owned() }
}

pub(crate) fn unreachable(reason: &str) -> Refusal {
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

fn not_opened(name: &ImageName, image: Option<&Image>, error: Failure) -> Refusal {
    let (plain, entity) = (name.plain(), name.entity());
    match error {
        Errno::ENOENT => {
            let place = plain.rsplit_once('/').map_or("", |(place, _)| place);
            unusable(&format!("there is no image '{}'; `rbd ls {place}` lists them", name.image))
        }
        Errno::EACCES | Errno::EPERM => {
            unusable(&format!("{entity} has no right to open it; {}", rights(name, image)))
        }
        _ => other("opening the image", error),
    }
}

/// Returns the command that gives a user the rights that are needed: it replaces those that the user has. The image, if it could be opened,
/// names the pool of its data.
fn rights(name: &ImageName, image: Option<&Image>) -> String {
    let data_pool = image.and_then(|image| image.data_pool().ok());
    rights_in(&name.entity(), &name.pool, data_pool.as_deref())
}

fn rights_in(entity: &str, pool: &str, data_pool: Option<&str>) -> String {
    let mut pools = vec![pool];
    pools.extend(data_pool.filter(|data| *data != pool));
    let profiles: Vec<_> = pools.iter().map(|pool| format!("profile rbd pool={pool}")).collect();
    let more = if data_pool.is_none() { "; so too for a pool that has its data alone" } else { "" };
    format!("`ceph auth caps {entity} mon 'profile rbd' osd '{}'` gives them{more}", profiles.join(", "))
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
    Ok(Opened {
        bytes,
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
    read.map_err(|error| not_opened(name, Some(image), error))?;
    Ok(Ends::new(&first, &last))
}

/// Checks that the user may keep clients out: without that right the lock of a dead owner stays for ever.
fn check_right_to_fence(cluster: &Cluster, image: &Image, name: &ImageName) -> Result<(), Refusal> {
    cluster.blocklist(NOBODY, 1).map_err(|error| match error {
        Errno::EACCES | Errno::EPERM => unusable(&format!(
            "{} has no right to keep a dead client out (osd blocklist); {}",
            name.entity(),
            rights(name, Some(image))
        )),
        _ => other("checking the right to keep clients out", error),
    })
}

/// The parts with which the lock is taken.
struct Taking<'a> {
    cluster: &'a Cluster,
    pool: &'a Pool,
    image: &'a Image,
    name: &'a ImageName,
    /// Id of the image.
    id: &'a str,
}

impl Taking<'_> {
    /// Takes the lock. Returns the address of this client as its owner, and whether the image is as this host left it; none if that is
    /// unknown.
    fn take(&self, file: &mut LockFile, continues: Option<&str>) -> Result<(String, Option<bool>), Refusal> {
        let Self { cluster, image, .. } = *self;
        let failed = |error| self.failed(error);
        let (found, own) = self.wait_for_others(file)?;
        let version = self.release().ok();
        let unchanged = file.proves_unchanged(found.as_deref(), version.as_ref());
        let is_continued = found.is_some() && found.as_deref() == continues;
        if continues.is_some()
            && !is_continued
            && file.is_ours(found.as_deref(), version.as_ref()) != Some(true)
        {
            let by = found.map_or_else(|| "has released it".to_owned(), |owner| format!("at {owner} has it"));
            return Err(Refusal {
                kind: RefusalKind::Fenced,
                reason: format!(
                    "another client took its lock meanwhile, and {by} now; what is cached may be old"
                ),
            });
        }
        // Whichever of the two has the lock if this process dies now, it is one of ours.
        file.note_attempt(&own, unchanged)?;
        let mut free = version;
        if let Some(owner) = &found {
            // It is dead. What it has in flight is not done once the servers know that, and they learn it with our next request.
            let fenced = cluster.blocklist(owner, FENCED_SECONDS).and_then(|()| cluster.wait_for_map());
            fenced.and_then(|()| image.break_lock(owner)).map_err(failed)?;
            let broken = self.release().map_err(failed)?;
            file.note_broken(broken.clone())?;
            free = Some(broken);
        }
        let is_still_free = self.release().ok() == free;
        if !is_still_free {
            // If this process dies with the lock, the next one is to know.
            file.note_attempt(&own, Some(false))?;
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
        // One that came since may have had the lock between our last look at the version and our lock.
        let is_alone = self.others(file)?.is_empty();
        let unchanged = if is_still_free && is_alone { unchanged } else { Some(false) };
        file.note(&owner, unchanged)?;
        Ok((owner, unchanged))
    }

    /// Waits until no other client has the image open. Returns the owner of the lock, and the address of this client.
    fn wait_for_others(&self, file: &LockFile) -> Result<(Option<String>, String), Refusal> {
        let began = Instant::now();
        loop {
            let owner = self.image.lock_owner().map_err(|error| self.failed(error))?;
            let Some(other) = self.others(file)?.into_iter().next() else {
                return Ok((owner, self.own_address()?));
            };
            if began.elapsed() > BRIEF_USE_MAX {
                return Err(open_elsewhere(&other, owner.as_deref() == Some(other.as_str())));
            }
            sleep(INTERVAL);
        }
    }

    /// Returns the addresses of other clients that have the image open, and are not known to be dead.
    fn others(&self, file: &LockFile) -> Result<Vec<String>, Refusal> {
        let watchers = self.image.watchers().map_err(|error| self.failed(error))?;
        let others = watchers.into_iter().filter(|one| one.client != self.cluster.client());
        Ok(others.map(|one| one.address).filter(|address| !file.is_dead(address)).collect())
    }

    /// Returns the address that this client has as an owner, which its watch bears as well.
    fn own_address(&self) -> Result<String, Refusal> {
        let watchers = self.image.watchers().map_err(|error| self.failed(error))?;
        let own = watchers.into_iter().find(|one| one.client == self.cluster.client());
        own.map(|own| own.address).ok_or_else(|| self.failed(Errno::EAGAIN))
    }

    fn release(&self) -> Result<Release, Failure> {
        Release::of(self.pool, self.id)
    }

    fn failed(&self, error: Failure) -> Refusal {
        match error {
            Errno::EACCES | Errno::EPERM => unusable(&format!(
                "{} has no right to lock it; {}",
                self.name.entity(),
                rights(self.name, Some(self.image))
            )),
            _ => other("locking the image", error),
        }
    }
}

fn open_elsewhere(address: &str, is_owner: bool) -> Refusal {
    let how = if is_owner { "open and locked" } else { "open" };
    in_use(format!(
        "it is {how} elsewhere, by the client at {address}; close it there. If that host crashed, the cluster notices within 30 s"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rights_that_an_error_names_include_those_in_the_pool_of_the_data() {
        let command =
            |caps: &str| format!("`ceph auth caps client.a mon 'profile rbd' osd '{caps}'` gives them");
        let both = command("profile rbd pool=vms, profile rbd pool=data");
        assert_eq!(rights_in("client.a", "vms", Some("data")), both);
        let one = command("profile rbd pool=vms");
        assert_eq!(rights_in("client.a", "vms", Some("vms")), one);
        let unknown = rights_in("client.a", "vms", None);
        assert!(unknown.starts_with(&one) && unknown.len() > one.len(), "{unknown}");
    }
}
