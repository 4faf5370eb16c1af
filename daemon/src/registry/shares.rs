//! What disks reserved of the pool, kept for them while they are not served: a reservation is a promise, and a backing that
//! is away for a while does not end it. Nobody else can reserve that flash or push out what is cached there.
//!
//! An earlier version did not remember the sizes of disks. Such a disk has its share from when it was served once.

use base::problem::Answer;

use super::{Registry, lock};
use crate::shard::Absent;
use crate::state::DiskRecord;

impl Registry {
    /// Keeps what every remembered disk reserved. To be called before anybody can ask for flash: disks are attached one
    /// after another, and some much later.
    pub(crate) async fn keep_shares(&self) {
        for record in self.state().disks {
            if let Err(problem) = self.keep_share(&record).await {
                // The pool is a smaller one than before. Which disks it serves is decided as they come.
                tracing::warn!(
                    "Nothing is reserved for disk '{}' until it is served: {problem}",
                    record.name
                );
            }
        }
    }

    /// Keeps what a disk reserved that is not attached now, in place of what was kept for it before.
    ///
    /// # Errors
    /// If the others leave too little; then nothing has changed.
    pub(super) async fn keep_share(&self, record: &DiskRecord) -> Answer<()> {
        let is_missing = lock(&self.pool).missing.is_some();
        let Some(size_bytes) = record.size_bytes.filter(|_| !is_missing) else { return Ok(()) };
        let (name, values) = (record.name.clone(), record.settings.clone());
        self.shards.keep_share(Absent { name, id: record.id, values, size_bytes }).await
    }
}
