//! The file that at most one helper of this host has locked for an image. It has what this host knows of the image's lock, durably:
//!
//! ```text
//!   attempt: owners before, and this client ──> broken: version of the header then ──> locked: this client ──> released: version then
//! ```
//! An image whose lock has one of these owners, or nobody while its header has that version, was changed by nobody else. A doubt stays
//! until the daemon has drawn its conclusion, which it shows by writing its next session.

use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rbd::Refusal;
use serde::{Deserialize, Serialize};

use crate::ceph::{Failure, Pool};
use crate::opening::{INTERVAL, unreachable};

/// Time for an earlier helper of this host to end.
const EARLIER_TIME_MAX: Duration = Duration::from_secs(20);
/// Number of this start of the system.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";
/// The most owners: the dead one, and helpers that died before they had the lock.
const OWNERS_MAX: usize = 16;
/// Bytes of a lock file: one block, which a power cut leaves as it was or as it is to be.
const FILE_BYTES: usize = 4096;

/// State of an image that nobody has locked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// Contents of a lock file, as a line of JSON. Damaged ones know nothing: then the cluster decides when an owner is dead, and nothing that
/// is cached is trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Contents {
    /// Process that has the file locked.
    pid: u32,
    /// Start of the system in which the owners lived.
    boot: String,
    /// Addresses that the owner of the lock may have, if it is one of ours.
    owners: Vec<String>,
    /// State of the image when our last owner released the lock, or when it was broken by us.
    free: Option<Release>,
    /// True if another client may have changed the image since the last session.
    in_doubt: bool,
}

impl Contents {
    fn read(file: &mut File) -> Self {
        let mut text = String::new();
        // As much as could be read counts.
        drop(file.rewind().and_then(|()| file.take(FILE_BYTES as u64).read_to_string(&mut text)));
        let read = text.strip_suffix('\n').map(serde_json::from_str);
        read.and_then(Result::ok).unwrap_or_default()
    }

    /// Returns true if the lock is as this host left it; none if that is unknown.
    fn is_ours(&self, owner: Option<&str>, version: Option<&Release>) -> Option<bool> {
        if self.owners.is_empty() && self.free.is_none() {
            return None;
        }
        Some(match owner {
            Some(owner) => self.owners.iter().any(|one| one == owner),
            None => self.free.is_some() && self.free.as_ref() == version,
        })
    }
}

/// A locked lock file.
pub(crate) struct LockFile {
    file: File,
    path: PathBuf,
    contents: Contents,
    /// True if its owners lived in this start of the system.
    is_same_boot: bool,
}

impl LockFile {
    /// Locks a lock file. Waits until an earlier helper has ended.
    pub(crate) fn take(path: &Path) -> Result<Self, Refusal> {
        let failed = |error: &dyn std::fmt::Display| {
            unreachable(&format!("{} cannot be locked: {error}", path.display()))
        };
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.mode(0o600).custom_flags(libc::O_NOFOLLOW).open(path);
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
        let boot = boot_id();
        let contents = Contents::read(&mut file);
        let is_same_boot = !boot.is_empty() && contents.boot == boot;
        let mut taken = Self { file, path: path.to_owned(), contents, is_same_boot };
        // The process that others wait for. The start is noted with the first owner of it.
        taken.contents.pid = std::process::id();
        taken.write()?;
        // Its name is durable before anything depends on its contents.
        let folder = path.parent().unwrap_or(Path::new("."));
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| failed(&error))?;
        Ok(taken)
    }

    /// Returns true if the client at this address has ended.
    pub(crate) fn is_dead(&self, address: &str) -> bool {
        self.is_same_boot && self.contents.owners.iter().any(|owner| owner == address)
    }

    /// Returns true if the lock is as this host left it; none if that is unknown.
    pub(crate) fn is_ours(&self, owner: Option<&str>, version: Option<&Release>) -> Option<bool> {
        self.contents.is_ours(owner, version)
    }

    /// Returns true if nobody else changed the image since the last session; none if that is unknown.
    pub(crate) fn proves_unchanged(&self, owner: Option<&str>, version: Option<&Release>) -> Option<bool> {
        self.is_ours(owner, version).map(|is_ours| is_ours && !self.contents.in_doubt)
    }

    /// Notes that the client at `own` is about to take the lock, after these findings.
    pub(crate) fn note_attempt(&mut self, own: &str, unchanged: Option<bool>) -> Result<(), Refusal> {
        if self.contents.owners.is_empty() {
            self.contents.boot = boot_id();
        }
        let Contents { owners, .. } = &mut self.contents;
        owners.retain(|owner| owner != own);
        // The first one had the lock.
        if owners.len() >= OWNERS_MAX {
            owners.remove(1);
        }
        owners.push(own.to_owned());
        self.contents.in_doubt = unchanged != Some(true);
        self.write()
    }

    /// Notes the state of the image after the lock of a dead owner was broken.
    pub(crate) fn note_broken(&mut self, broken: Release) -> Result<(), Refusal> {
        self.contents.free = Some(broken);
        self.write()
    }

    /// Notes the address of this client, which has the lock, before the image is served.
    pub(crate) fn note(&mut self, owner: &str, unchanged: Option<bool>) -> Result<(), Refusal> {
        self.contents.boot = boot_id();
        self.contents.owners = vec![owner.to_owned()];
        self.contents.free = None;
        self.contents.in_doubt = unchanged != Some(true);
        self.write()
    }

    /// Notes that the daemon has written its next session: it trusts no earlier content that it should not.
    pub(crate) fn note_session(&mut self) -> Result<(), Refusal> {
        if !self.contents.in_doubt {
            return Ok(());
        }
        self.contents.in_doubt = false;
        self.write()
    }

    /// Notes that the owner has released the lock, and the state of the image then, if it is known.
    pub(crate) fn release(&mut self, released: Option<Release>) {
        // Without a state nothing proves that the image is unchanged: an owner that stays does not have the lock.
        if let Some(released) = released {
            self.contents.owners.clear();
            self.contents.free = Some(released);
        }
        // Without it the file names an owner that an image without one does not have: it counts as changed, which is safe.
        if let Err(problem) = self.write() {
            eprintln!("forebay-rbd: {}", problem.reason);
        }
    }

    fn write(&self) -> Result<(), Refusal> {
        let text = serde_json::to_string(&self.contents).expect("plain data");
        assert!(text.len() < FILE_BYTES, "owners are few, and their addresses short");
        // Over what is there, and as long as that: a power cut must not leave a file that knows nothing.
        let block = format!("{text:<width$}\n", width = FILE_BYTES - 1);
        let write = || self.file.write_all_at(block.as_bytes(), 0).and_then(|()| self.file.sync_data());
        write().map_err(|error| unreachable(&format!("{} cannot be written: {error}", self.path.display())))
    }
}

/// Returns the number of this start of the system; nothing if it is unknown.
fn boot_id() -> String {
    fs::read_to_string(BOOT_ID).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    const A: &str = "10.0.0.1:0/7";
    const B: &str = "10.0.0.1:0/8";

    fn take(path: &Path) -> LockFile {
        LockFile::take(path).map_err(|refusal| refusal.reason).expect("nobody has it")
    }

    fn at(version: u64) -> Release {
        Release { id: "1f".to_owned(), version }
    }

    fn noted(outcome: Result<(), Refusal>) {
        outcome.map_err(|refusal| refusal.reason).expect("it is ours");
    }

    #[test]
    fn an_image_that_its_dead_owner_still_has_locked_is_unchanged_and_any_other_is_not() {
        let dir = TempDir::new();
        let path = dir.path().join("1.lock");
        let mut file = take(&path);
        assert_eq!(file.proves_unchanged(None, Some(&at(1))), None, "nothing is known");
        assert_eq!(file.proves_unchanged(Some(B), Some(&at(1))), None);
        noted(file.note(A, Some(true)));
        let length = || fs::metadata(&path).expect("it is there").len();
        assert_eq!(length(), FILE_BYTES as u64, "it is one block");
        drop(file);
        let file = take(&path);
        assert_eq!(length(), FILE_BYTES as u64);
        assert!(file.is_dead(A) && !file.is_dead(B));
        assert_eq!(file.proves_unchanged(Some(A), Some(&at(9))), Some(true));
        for other in [Some(B), None] {
            assert_eq!(file.proves_unchanged(other, Some(&at(9))), Some(false), "{other:?}");
        }
    }

    #[test]
    fn a_released_image_is_unchanged_while_nobody_has_it_and_its_header_stays() {
        let dir = TempDir::new();
        let path = dir.path().join("1.lock");
        let mut file = take(&path);
        noted(file.note(A, Some(true)));
        file.release(Some(at(7)));
        drop(file);
        let mut file = take(&path);
        assert!(!file.is_dead(A));
        assert_eq!(file.proves_unchanged(None, Some(&at(7))), Some(true));
        assert_eq!(file.proves_unchanged(None, Some(&at(8))), Some(false));
        assert_eq!(file.proves_unchanged(None, None), Some(false));
        assert_eq!(file.proves_unchanged(Some(A), Some(&at(7))), Some(false));
        noted(file.note(B, Some(true)));
        file.release(None);
        drop(file);
        assert_eq!(take(&path).proves_unchanged(None, Some(&at(7))), Some(false), "another one had it open");
    }

    #[test]
    fn a_helper_that_dies_at_any_step_of_a_take_over_leaves_an_image_that_is_ours() {
        let dir = TempDir::new();
        let path = dir.path().join("1.lock");
        let mut file = take(&path);
        noted(file.note(A, Some(true)));
        drop(file);
        let mut file = take(&path);
        noted(file.note_attempt(B, Some(true)));
        drop(file);
        let mut file = take(&path);
        assert_eq!(file.proves_unchanged(Some(A), None), Some(true), "before the break");
        assert_eq!(file.proves_unchanged(None, Some(&at(5))), Some(false), "another one broke it");
        noted(file.note_broken(at(5)));
        drop(file);
        let file = take(&path);
        assert_eq!(file.proves_unchanged(None, Some(&at(5))), Some(true), "before the lock");
        assert_eq!(file.proves_unchanged(None, Some(&at(6))), Some(false), "another one had it since");
        assert_eq!(file.proves_unchanged(Some(B), Some(&at(6))), Some(true), "before the note");
    }

    #[test]
    fn a_doubt_outlives_helpers_until_the_daemon_has_a_new_session() {
        let dir = TempDir::new();
        let path = dir.path().join("1.lock");
        let mut file = take(&path);
        noted(file.note(A, Some(false)));
        file.release(Some(at(7)));
        drop(file);
        let mut file = take(&path);
        assert_eq!(file.is_ours(None, Some(&at(7))), Some(true));
        assert_eq!(file.proves_unchanged(None, Some(&at(7))), Some(false));
        noted(file.note_session());
        drop(file);
        assert_eq!(take(&path).proves_unchanged(None, Some(&at(7))), Some(true));
    }

    #[test]
    fn an_owner_of_an_earlier_start_of_the_system_is_ours_and_not_known_to_be_dead() {
        let dir = TempDir::new();
        let path = dir.path().join("1.lock");
        let mut file = take(&path);
        noted(file.note(A, Some(true)));
        file.contents.boot = "another".to_owned();
        noted(file.write());
        drop(file);
        let file = take(&path);
        assert!(!file.is_dead(A));
        assert_eq!(file.proves_unchanged(Some(A), None), Some(true));
    }

    #[test]
    fn damaged_contents_know_nothing_and_links_are_not_followed() {
        let dir = TempDir::new();
        let path = dir.path().join("1.lock");
        for content in [
            "",
            "77",
            "{}\n",
            "\u{fffd}",
            r#"{"pid":1,"boot":"","owners":["a"],"free":null,"in_doubt":false}"#,
        ] {
            fs::write(&path, content).expect("the folder is ours");
            assert_eq!(take(&path).contents.owners, Vec::<String>::new(), "{content}");
        }
        let link = dir.path().join("2.lock");
        std::os::unix::fs::symlink(&path, &link).expect("the folder is ours");
        assert!(LockFile::take(&link).is_err());
    }
}
