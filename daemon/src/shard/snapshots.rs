//! Changes of a backing as a whole under the guests of its disk: snapshots, and growth.
//!
//! ```text
//! what was acknowledged before is on the backing, as of one time ── the backing does it, and nothing changes it meanwhile ── destage goes on
//! ```
//! Guests go on meanwhile, and write back.

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;

use base::error::{Error, Result};
use block::{BlockError, ErrorKind, Host};
use futures_util::future::{Either, select};

use super::ShardHandle;
use super::disk::{Disk, explain, not_attached};
use crate::backing::StorageSnapshot;

/// Longest time for the growth of a backing, in nanoseconds: other changes of the disk wait for it.
const GROWTH_NS_MAX: u64 = 10_000_000_000;

impl ShardHandle {
    /// Makes a snapshot of the backing of a disk, with everything that was acknowledged before.
    ///
    /// # Errors
    /// If it is not attached, or what is dirty cannot be destaged; those of the backing.
    pub(super) async fn take_snapshot(&self, name: String, snapshot: String) -> Result<StorageSnapshot> {
        self.call(move |shard| async move {
            let disk = shard.disk(&name).ok_or_else(|| not_attached(&name))?;
            // Before anything is destaged for it.
            disk.cached.backing().check_snapshot(&snapshot)?;
            disk.cached.backing().prepare_snapshot().await;
            let ours = Rc::clone(&disk);
            let work = async move { ours.cached.backing().take_snapshot(&snapshot).await };
            let settled = disk.cached.with_settled_backing(work).await;
            let (taken, as_of) = settled.map_err(|error| unsettled(&name, "make a snapshot of", &error))?;
            let taken = taken?;
            // The backing knows when it got the group, and not of when that is.
            Ok(StorageSnapshot { as_of: as_of.unwrap_or(taken.as_of), ..taken })
        })
        .await?
    }

    /// Deletes a snapshot of the backing of a disk.
    ///
    /// # Errors
    /// If the disk is not attached; those of the backing.
    pub(super) async fn delete_snapshot(&self, name: String, snapshot: String) -> Result<()> {
        self.call(move |shard| async move {
            let disk = shard.disk(&name).ok_or_else(|| not_attached(&name))?;
            disk.cached.backing().delete_snapshot(&snapshot).await
        })
        .await?
    }

    /// Makes the backing of a disk larger. The disk has its size until it is resized as well.
    ///
    /// # Errors
    /// As [`Self::take_snapshot`]; or if the disk cannot have this size. Then nothing has changed. If it takes longer than
    /// [`GROWTH_NS_MAX`]: then the backing may become larger later, and the disk goes on as it is.
    pub(super) async fn grow_backing(&self, name: String, bytes: u64) -> Result<()> {
        self.call(move |shard| async move {
            let disk = shard.disk(&name).ok_or_else(|| not_attached(&name))?;
            disk.cached.backing().check_growth(bytes)?;
            let reserve_bytes = disk.cached.settings().reserve_bytes;
            let checked = shard.cache().check_size(&disk.cached, bytes);
            checked.map_err(|error| explain(&name, &error, reserve_bytes))?;
            let ours: Rc<Disk> = Rc::clone(&disk);
            let is_over = Rc::new(Cell::new(false));
            let (late, is_late) = (late(&name), Rc::clone(&is_over));
            let refused = late.clone();
            let work = async move {
                // Not begun for a caller that is gone.
                if is_late.get() { Err(refused) } else { ours.cached.backing().grow(bytes).await }
            };
            let settled = shard.host.to_its_end(async move { disk.cached.with_settled_backing(work).await });
            match select(pin!(settled), pin!(shard.host.sleep(GROWTH_NS_MAX))).await {
                Either::Left((settled, _)) => settled.map_err(|error| unsettled(&name, "resize", &error))?.0,
                Either::Right(_) => {
                    is_over.set(true);
                    Err(late)
                }
            }
        })
        .await?
    }
}

fn late(name: &str) -> Error {
    Error::unavailable(format!(
        "Cannot resize disk '{name}': its backing took longer than {} s. The disk goes on in its size, and its backing may become larger \
         once it answers; see `forebay disk show {name}`, and try again",
        GROWTH_NS_MAX / 1_000_000_000
    ))
}

fn unsettled(name: &str, operation: &str, error: &BlockError) -> Error {
    let message = format!(
        "Cannot {operation} disk '{name}': what guests wrote before cannot be brought to its backing now ({error}). Nothing was changed; see \
         `forebay disk show {name}`, and try again"
    );
    if error.kind == ErrorKind::Corrupt { Error::conflict(message) } else { Error::unavailable(message) }
}
