//! Sizes of a disk, changed by its shard while guests go on: nothing else of it is changed, and the backing is not used. The size of sectors
//! is chosen at the attachment.

use base::error::Result;
use cache::DiskSettings;

use super::disk::{explain, not_attached};
use super::{Shard, ShardHandle};

impl ShardHandle {
    /// Changes the RAM of a disk. What fits stays in RAM.
    ///
    /// # Errors
    /// If it is not attached, or the system does not have that memory; then nothing has changed. If the shard
    /// does not answer in time, it may do so later.
    pub(super) async fn set_ram(&self, name: String, ram_bytes: u64) -> Result<()> {
        self.change_sizes(name, move |_, settings| DiskSettings { ram_bytes, ..settings }).await
    }

    /// Lets a disk take all flash that the pool has for disks.
    ///
    /// # Errors
    /// As for [`Self::set_ram`].
    pub(super) async fn lift_limit(&self, name: String) -> Result<()> {
        let lifted = |shard: &Shard, settings: DiskSettings| DiskSettings {
            limit_bytes: shard.cache().usable_bytes().max(settings.reserve_bytes),
            ..settings
        };
        self.change_sizes(name, lifted).await
    }

    async fn change_sizes(
        &self,
        name: String,
        change: impl FnOnce(&Shard, DiskSettings) -> DiskSettings + Send + 'static,
    ) -> Result<()> {
        self.ask(move |shard| {
            let disk = shard.disk(&name).ok_or_else(|| not_attached(&name))?;
            let settings = change(shard, disk.cached.settings());
            let changed = shard.cache().reconfigure(&disk.cached, settings);
            changed.map_err(|error| explain(&name, &error, settings.reserve_bytes))
        })
        .await?
    }
}

/// Returns the sector size for guests: that of the key, else the previous one, else that of the backing. A
/// partition table counts in sectors, and is not found with others.
pub(super) fn choose_sector(name: &str, settings: &DiskSettings, before: Option<u64>, backing: u64) -> u64 {
    let sector = settings.sector_bytes.or(before).unwrap_or(backing);
    if sector != backing && settings.sector_bytes.is_none() {
        tracing::warn!(
            "The backing of disk '{name}' has sectors of {backing} bytes; guests are shown {sector}, as before, so that they find \
             their partitions. To show others: forebay disk set {name} sector-size={backing}"
        );
    }
    sector
}
