//! What keeps two disks off the same storage, and disks off each other and off the pool.
//!
//! The locks of backings keep other processes away; these checks say what is wrong in words, and before anything is tried.

use std::path::{Path, PathBuf};
use std::time::Duration;

use block::file::{self, Access};

use super::{Claimed, Registry, lock};
use crate::backing::{Identity, Images, KernelFolders, Location};
use crate::patience::within;
use crate::places::Places;
use crate::problem::{Answer, Problem};
use crate::state::{DiskRecord, State};

/// How long other files may take to be found.
const USERS_TIME_MAX: Duration = Duration::from_secs(5);

impl Registry {
    /// Refuses a disk of this daemon as the backing of another one, for neither could be stopped before the other, and a device of its
    /// pool. Compares names only, before anything is looked at: what another name stands for is found later.
    pub(super) fn check_not_own(&self, name: &str, location: &Location) -> Answer<()> {
        if lock(&self.pool).devices.iter().any(|device| location.path() == Some(&device.path)) {
            return Err(shared(name, "it is the pool"));
        }
        let Some(socket) = location.socket() else { return Ok(()) };
        let folder = |path: &Path| path.parent().and_then(|folder| folder.canonicalize().ok());
        match folder(socket) {
            Some(served) if Some(&served) == folder(&self.places.nbd_socket("any")).as_ref() => {
                Err(Problem::conflict(format!(
                    "Cannot use backing {location}: this daemon serves it; name the backing of that disk instead"
                )))
            }
            _ => Ok(()),
        }
    }

    /// Refuses storage that another disk, the pool or somebody else on this host uses, or that is Forebay's own, however it was
    /// named and whatever is in between: a loop device over the file, a partition of the device.
    ///
    /// # Errors
    /// A conflict that names the user.
    pub(super) async fn check_unshared(&self, wanted: Wanted<'_>, claimed: &Claimed<'_>) -> Answer<()> {
        let Wanted { name, location, identity, access, images, waiting } = wanted;
        // In this order: a disk that is attached in between is found by its report.
        let claims = self.claims.before(claimed).into_iter();
        let claims = claims.filter_map(|(other, claim)| Some((other, claim.storage?)));
        let claims: Vec<_> = claims.collect();
        let reports = self.shards.disks().await?.into_iter();
        let others = reports.map(|(other, report)| (other, report.identity)).chain(claims);
        let others = others.filter(|(other, _)| other != name);
        let others: Vec<_> =
            others.map(|(other, identity)| (format!("disk '{other}' is on it"), identity)).collect();
        if let Some((user, _)) = others.iter().find(|(_, other)| other.same_storage(identity)) {
            return Err(shared(name, user));
        }
        let Some((identity, path)) = identity.local().zip(location.path()) else { return Ok(()) };
        let mut known: Vec<_> = lock(&self.pool).devices.iter().map(|device| device.identity).collect();
        if known.iter().any(|device| device.same_storage(&identity)) {
            return Err(shared(name, "it is the pool"));
        }
        let mut used: Vec<_> =
            known.drain(..).map(|device| ("the pool is on it".to_owned(), device)).collect();
        used.extend(others.into_iter().filter_map(|(user, identity)| Some((user, identity.local()?))));
        let (path, own) = (path.to_owned(), OwnFiles::of(&self.places));
        let asking = tokio::task::spawn_blocking(move || {
            let kernel = KernelFolders::default();
            let awaited = waiting.into_iter().filter_map(|(other, path)| {
                Some((format!("disk '{other}' waits for it"), file::Identity::of(&path).ok()?))
            });
            let stack = kernel.stack_of(identity);
            let user =
                used.into_iter().chain(awaited).find(|(_, other)| kernel.stack_of(*other).overlaps(&stack));
            match user {
                Some((user, _)) => Some(Err(user)),
                None => own.reason(&path).or_else(|| kernel.user_of(identity, access, images)).map(Ok),
            }
        });
        let Ok(outcome) = within(USERS_TIME_MAX, asking).await else {
            tracing::warn!(
                "Cannot tell who else uses {location}: a file that is in use as swap space or as a loop device, or that a waiting \
                 disk is on, did not answer within {} s; disk '{name}' goes on without that check",
                USERS_TIME_MAX.as_secs()
            );
            return Ok(());
        };
        match outcome.expect("asking the kernel does not panic") {
            None => Ok(()),
            Some(Err(user)) => Err(shared(name, &user)),
            Some(Ok(reason)) => Err(Problem::conflict(format!("Cannot use backing {location}: it {reason}"))),
        }
    }

    /// Returns the files and devices that waiting disks will use, by the names of the disks. What is there now may be another file
    /// than will be.
    pub(super) fn awaited(&self, state: &State) -> Vec<(String, PathBuf)> {
        let waiting = lock(&self.waiting);
        let records = state.disks.iter().filter(|disk| waiting.contains_key(&disk.name));
        let path = |disk: &DiskRecord| {
            let location = Location::parse(&disk.backing).ok()?;
            Some((disk.name.clone(), location.path()?.to_owned()))
        };
        records.filter_map(path).collect()
    }

    /// Refuses a backing that a waiting disk will use. Compares names only: what a disk waits for may not answer.
    pub(super) fn check_not_waited_for(&self, state: &State, name: &str, location: &Location) -> Answer<()> {
        let waiting = lock(&self.waiting);
        let same =
            |other: &&DiskRecord| other.backing == location.to_string() && waiting.contains_key(&other.name);
        match state.disks.iter().find(same) {
            None => Ok(()),
            Some(other) => Err(shared(name, &format!("disk '{}' waits for it", other.name))),
        }
    }
}

/// A backing that is about to be used.
pub(super) struct Wanted<'a> {
    pub(super) name: &'a str,
    pub(super) location: &'a Location,
    pub(super) identity: &'a Identity,
    pub(super) access: Access,
    pub(super) images: Images,
    /// Files and devices that other disks wait for.
    pub(super) waiting: Vec<(String, PathBuf)>,
}

/// The files that this daemon keeps for itself.
struct OwnFiles {
    /// Folders in which everything is its own.
    folders: Vec<PathBuf>,
    /// DIR, in which images may be as well.
    dir: PathBuf,
}

impl OwnFiles {
    fn of(places: &Places) -> Self {
        let in_dir = ["past", "history"].map(|name| places.dir.join(name));
        let in_run = ["nbd", "vhost", "touched"].map(|name| places.run.join(name));
        Self { folders: in_dir.into_iter().chain(in_run).collect(), dir: places.dir.clone() }
    }

    /// Returns that a file is one of them, if it is. May wait for a file system.
    fn reason(&self, path: &Path) -> Option<String> {
        let path = path.canonicalize().ok()?;
        let within = |folder: &PathBuf| folder.canonicalize().is_ok_and(|folder| path.starts_with(folder));
        let in_dir = self.dir.canonicalize().is_ok_and(|dir| path.parent() == Some(&dir));
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_kept = ["lock", "token"].contains(&name)
            || [".json", ".jsonl", ".bin"].iter().any(|ending| name.ends_with(ending));
        (self.folders.iter().any(within) || in_dir && is_kept)
            .then(|| "is a file that this daemon keeps for itself: name another one".to_owned())
    }
}

fn shared(name: &str, user: &str) -> Problem {
    Problem::conflict(format!(
        "Cannot use that backing for disk '{name}': {user} already; name another file or device"
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::TempDir;

    #[test]
    fn files_of_the_daemon_are_no_backings_and_images_beside_them_are() {
        let dir = TempDir::new();
        let places = Places { dir: dir.path().into(), run: dir.path().join("run"), nbd_uri: None };
        let own = OwnFiles::of(&places);
        for name in ["past", "history", "run/touched", "images"] {
            fs::create_dir_all(dir.path().join(name)).expect("the folder is ours");
        }
        let reason = |name: &str| {
            let path = dir.path().join(name);
            fs::write(&path, [0; 512]).expect("the folder is ours");
            own.reason(&path)
        };
        for name in
            ["state.json", "lock", "token", "windows.bin", "past/1.json", "history/x", "run/touched/1"]
        {
            assert!(reason(name).is_some_and(|reason| reason.contains("for itself")), "{name}");
        }
        for name in ["web.img", "images/web.img", "images/state.json"] {
            assert_eq!(reason(name), None, "{name}");
        }
        let link = dir.path().join("images/link.img");
        std::os::unix::fs::symlink(dir.path().join("state.json"), &link).expect("the folder is ours");
        assert!(own.reason(&link).is_some(), "by another name");
    }
}
