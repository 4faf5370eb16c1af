//! Notes in DIR that the pool may hold data which the backing of a disk does not have.
//!
//! `state.json` has for each disk the pool that may hold such data. The note is recorded before the disk
//! begins to write back, and removed at a stop that left nothing dirty, as soon as the disk has ended, or
//! with the disk. A disk with such a note is served with that very pool or not at all: with any other its
//! guests would read old data.
//!
//! ```text
//!   a disk at a stop:  backing complete, durably ── flash records that ── mark removed from the backing ── record of the backing
//!                      ── note removed
//! ```
//! A kill or a power failure before the last step leaves a disk that waits for its pool without need. After
//! it a start without the pool serves the backing, which is complete, and records that the data in the pool
//! is invalid.

use base::error::{Error, Result};

use super::{Registry, lock};
use crate::pool::MissingCause;
use crate::state::DiskRecord;

impl Registry {
    /// Records that the pool may get data that the backing of a disk does not have; without a pool
    /// there will be none. Must be called before the disk writes back; the caller must hold its lock.
    ///
    /// # Errors
    /// If it cannot be recorded; then the disk must not write back.
    pub(super) async fn note_unsaved(&self, name: &str) -> Result<()> {
        if lock(&self.pool).missing.is_some() {
            return Ok(());
        }
        let name = name.to_owned();
        let noting = self.remembered.change(move |state| {
            state.note_unsaved(&name);
            Ok(())
        });
        noting.await
    }

    /// Records that the backing of a disk that has ended is complete. Without its pool that is unknown. The
    /// caller must hold the lock of the disk.
    pub(super) async fn note_saved(&self, name: &str) {
        if lock(&self.pool).missing.is_some() {
            return;
        }
        let saved = name.to_owned();
        let noting = self.remembered.change(move |state| {
            state.note_saved(&saved);
            Ok(())
        });
        if let Err(problem) = noting.await {
            tracing::warn!(
                "The next start serves disk '{name}' with its pool only, though its backing has everything: {problem}"
            );
        }
    }

    /// Refuses to discard data that is in a pool which is not in use.
    pub(super) fn check_pool_is_here(&self, record: &DiskRecord) -> Result<()> {
        let state = self.state();
        let cause = lock(&self.pool).missing.as_ref().map(|missing| missing.cause);
        let in_use = state.pool.as_ref().filter(|_| cause.is_none());
        match &record.unsaved_in {
            Some(pool) if cause == Some(MissingCause::Dir) => Err(Error::conflict(format!(
                "Cannot drop the cached data of disk '{}': pool {pool} may hold data that its backing does not have, and is not \
                 in use because {} took no writes when the daemon started. Nothing of it is lost: make room there or repair \
                 that file system, and restart the daemon",
                record.name,
                self.places.dir.display()
            ))),
            Some(pool) if in_use.is_none_or(|in_use| in_use.id != *pool) => Err(Error::conflict(format!(
                "Cannot drop the cached data of disk '{name}': pool {pool} may hold data that its backing does not have, and \
                 is not in use now (`forebay pool show` reports the reason). Attach that pool again, or discard that data: forebay disk \
                 remove {name} --discard-dirty",
                name = record.name
            ))),
            _ => Ok(()),
        }
    }
}
