//! RAM of a disk, changed by its shard while guests go on.

use base::error::Result;
use cache::DiskSettings;

use super::ShardHandle;
use super::disk::{explain, not_attached};

impl ShardHandle {
    /// Changes the RAM of a disk, and nothing else. What fits stays in RAM. The backing is not used.
    ///
    /// # Errors
    /// If it is not attached, or the system does not have that memory; then nothing has changed. If the shard
    /// does not answer in time, it may do so later.
    pub(super) async fn set_ram(&self, name: String, ram_bytes: u64) -> Result<()> {
        self.ask(move |shard| {
            let disk = shard.disk(&name).ok_or_else(|| not_attached(&name))?;
            let settings = DiskSettings { ram_bytes, ..disk.cached.settings() };
            let changed = shard.cache().reconfigure(&disk.cached, settings);
            changed.map_err(|error| explain(&name, &error, settings.reserve_bytes))
        })
        .await?
    }
}
