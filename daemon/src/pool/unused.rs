//! Files and devices that become a part of the pool: opened, and refused if they are in use.
//!
//! ```text
//!   open and lock it ── is it in use, under any name? ── refuse;  else identify its content
//! ```
//! In this order: of two daemons that lock two names of one storage at once, at least one finds the lock of
//! the other. And the content is judged last: for storage in use nobody gets advice how to erase it.

use std::path::Path;

use base::error::{Error, Result};
use base::patience::{Late, within};
use block::file::{Access, Identity};

use crate::backing::{Images, KernelFolders, OwnStorage, OwnUse, StorageUser, USERS_TIME_MAX, WantedStorage};
use crate::shard::{DeviceProbe, Shards};

/// Opens and locks a file or device that is to become a part of the pool, and identifies its content. `own`
/// is this daemon's storage.
///
/// # Errors
/// A conflict that names its user, if it has one; `Unavailable` if that cannot be determined. Then it may
/// still be open.
pub(crate) async fn open_unused(shards: &Shards, path: &Path, own: OwnStorage) -> Result<DeviceProbe> {
    let opened = shards.probe_device(path.to_owned(), None).await;
    let identity = opened.as_ref().ok().map(|found| found.identity);
    // If it cannot be opened, its user may be the reason, and explains more; a loop device over it is not.
    let images = if opened.is_ok() { Images::Refused } else { Images::ServedAsRaw };
    let wanted = WantedStorage { path: path.to_owned(), identity, access: Access::ReadWrite, images };
    match own.user_of(wanted).await {
        Ok(None) => opened,
        Ok(Some(StorageUser::Own(user))) => Err(used_here(path, &user)),
        Ok(Some(StorageUser::Other(reason))) => Err(in_use(path, &reason)),
        Err(Late) => Err(Error::unavailable(format!(
            "Cannot use {} as the pool: a disk may have its data there, and a backing of a disk, or a file that is in use as swap space or \
             as a loop device, did not answer within {} s; `forebay disk list` shows which disks wait",
            path.display(),
            USERS_TIME_MAX.as_secs()
        ))),
    }
}

/// Refuses a device of the recorded pool, which is open and locked, if another process holds a lock on the
/// same storage under another name.
///
/// # Errors
/// A conflict that names the locked storage.
pub(super) async fn check_not_held(path: &Path, identity: Identity) -> Result<()> {
    let asking =
        tokio::task::spawn_blocking(move || KernelFolders::default().holder_of(identity, Access::ReadWrite));
    let Ok(holder) = within(USERS_TIME_MAX, asking).await else {
        tracing::warn!(
            "Cannot check whether another process uses the pool {} by another name: a file below a loop device did not answer \
             within {} s; continuing without that check",
            path.display(),
            USERS_TIME_MAX.as_secs()
        );
        return Ok(());
    };
    let holder = holder.expect("asking the kernel does not panic");
    holder.map_or(Ok(()), |reason| Err(in_use(path, &reason)))
}

fn in_use(path: &Path, reason: &str) -> Error {
    Error::conflict(format!("Cannot use {} as the pool: it {reason}", path.display()))
}

fn used_here(path: &Path, user: &OwnUse) -> Error {
    match user {
        OwnUse::Disk(disk) | OwnUse::WaitingDisk(disk) => has_data_there(path, disk),
        OwnUse::Pool(device) => Error::conflict(format!(
            "Cannot use {} as the pool: it is the pool already, as {} is on the same storage; give another file or device",
            path.display(),
            device.display()
        )),
    }
}

/// Returns the problem for a path of a disk's backing.
fn has_data_there(path: &Path, disk: &str) -> Error {
    Error::conflict(format!(
        "Cannot use {} as the pool: disk '{disk}' has its data there; give another file or device",
        path.display()
    ))
}
