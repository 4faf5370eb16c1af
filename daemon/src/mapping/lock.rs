//! One command at a time for the device of a disk.

use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use base::error::{Error, Result};

use super::{DiskPlace, FOLDER};

/// Time that a command waits for another one.
const LOCK_TIME_MAX: Duration = Duration::from_mins(1);
const LOCK_INTERVAL: Duration = Duration::from_millis(50);
/// Rights of a lock's file: every process that may open it may keep it locked.
const RIGHTS: u32 = 0o600;

/// The right to make, restore and remove the device of a disk, until it is dropped.
pub(super) struct MappingLock(#[allow(dead_code, reason = "it is held by being open")] File);

impl MappingLock {
    /// Waits until no other command has the lock.
    ///
    /// # Errors
    /// `Unavailable` if another one has it for a minute; those of the file system.
    pub(super) fn take(disk: &DiskPlace) -> Result<Self> {
        let deadline = Instant::now() + LOCK_TIME_MAX;
        loop {
            match Self::try_take(disk)? {
                Some(lock) => return Ok(lock),
                None if Instant::now() >= deadline => return Err(held(disk)),
                None => thread::sleep(LOCK_INTERVAL),
            }
        }
    }

    /// Takes the lock if no other command has it: for callers that visit many disks repeatedly. The holder
    /// may wait for a device that only they can restore.
    ///
    /// # Errors
    /// `Unavailable` if another one has it; those of the file system.
    pub(super) fn take_now(disk: &DiskPlace) -> Result<Self> {
        Self::try_take(disk)?.ok_or_else(|| held(disk))
    }

    fn try_take(disk: &DiskPlace) -> Result<Option<Self>> {
        Self::try_take_in(Path::new(FOLDER), disk).map_err(|error| {
            let advice = match error.kind() {
                io::ErrorKind::PermissionDenied => "run this as root",
                _ => "the folder must be writable",
            };
            Error::failed(format!("Cannot lock disk '{}' in {FOLDER}: {error}; {advice}", disk.name))
        })
    }

    fn try_take_in(folder: &Path, disk: &DiskPlace) -> io::Result<Option<Self>> {
        fs::create_dir_all(folder)?;
        let path = folder.join(format!("{}.lock", disk.record_name()));
        let file = File::options().create(true).truncate(false).write(true).mode(RIGHTS).open(path)?;
        // The file may be from an earlier version.
        file.set_permissions(Permissions::from_mode(RIGHTS))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

fn held(disk: &DiskPlace) -> Error {
    Error::unavailable(format!(
        "Cannot do this for disk '{}' now: another `forebay map` or `forebay unmap` is at work on it; try again when that has ended",
        disk.name
    ))
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    #[test]
    fn one_command_at_a_time_has_the_lock_of_a_disk_and_nobody_but_its_owner_may_open_it() {
        let folder = TempDir::new();
        let take = |name: &str| {
            let place = DiskPlace::new(name, Path::new("/run/forebay"), None, 0);
            MappingLock::try_take_in(folder.path(), &place).expect("the folder is ours")
        };
        let first = take("web").expect("it is free");
        assert!(take("web").is_none());
        drop(take("other").expect("it is another disk's"));
        drop(first);
        drop(take("web").expect("it is free again"));
        for entry in fs::read_dir(folder.path()).expect("the folder is ours") {
            let metadata = entry.and_then(|entry| entry.metadata()).expect("it is there");
            assert_eq!(metadata.permissions().mode() & 0o777, RIGHTS);
        }
    }
}
