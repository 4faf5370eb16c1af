//! Curves of a disk, requested from its shard.

use base::error::Result;
use cache::Curves;

use super::ShardHandle;
use super::disk::not_attached;

impl ShardHandle {
    /// Returns the curves of a disk, and the bytes of RAM that they take.
    ///
    /// # Errors
    /// If it is not attached.
    pub(super) async fn curves(&self, name: String) -> Result<(Curves, u64)> {
        self.ask(move |shard| {
            let disk = shard.disk(&name).ok_or_else(|| not_attached(&name))?;
            Ok((disk.cached.curves(), disk.cached.curve_bytes()))
        })
        .await?
    }
}
