//! Reservations of disks that are not served: they stay valid while a backing is missing for a while. No
//! other disk can reserve that flash or evict the data cached there.
//!
//! An earlier version did not record the sizes of disks. Such a disk has its share once it was served.

use base::error::Result;

use super::{Registry, lock};
use crate::shard::AbsentDisk;
use crate::state::DiskRecord;

impl Registry {
    /// Keeps the reservations of all recorded disks. Must be called before flash can be requested: disks are
    /// attached one after another, and some much later.
    pub(crate) async fn keep_shares(&self) {
        for record in self.state().disks {
            if let Err(problem) = self.keep_share(&record).await {
                // The pool is a smaller one than before. Disks get their shares in the order in which they
                // are attached.
                tracing::warn!(
                    "Nothing is reserved for disk '{}' until it is served: {problem}",
                    record.name
                );
            }
        }
    }

    /// Keeps the reservation of a disk that is not attached now, in place of the one that was kept before.
    ///
    /// # Errors
    /// If the other disks leave too little; then nothing has changed.
    pub(super) async fn keep_share(&self, record: &DiskRecord) -> Result<()> {
        let is_missing = lock(&self.pool).missing.is_some();
        let Some(size_bytes) = record.size_bytes.filter(|_| !is_missing) else { return Ok(()) };
        let (name, values) = (record.name.clone(), record.settings.clone());
        self.shards.keep_share(AbsentDisk { name, id: record.id, values, size_bytes }).await
    }
}
