//! The backing of a served disk, looked at from time to time: a write does not notice that a file was cut short, and would put it
//! back to its length with zeroes before it. Says what it finds, and repairs nothing.

use std::rc::Weak;

use block::executor::LocalHost;
use block::{BlockDevice, Host};

use super::disk::Disk;
use crate::events::{self, Kind};

/// How often a backing is looked at, to see whether it shrank: nanoseconds.
const WATCH_INTERVAL_NS: u64 = 5_000_000_000;

impl Disk {
    /// Looks at the backing once.
    async fn check(&self, name: &str) {
        let expected = self.cached.geometry().size;
        let failure = match self.cached.backing().current_size().await {
            Ok(size) if size >= expected => return,
            Ok(size) => format!(
                "the backing shrank from {expected} to {size} bytes; give it its size back, then remove the disk and add it again"
            ),
            Err(error) => format!("the size of the backing cannot be read: {error}"),
        };
        if self.failure.borrow().is_none() {
            events::of_disk(Kind::DiskFailed, name, format!("Disk '{name}' failed: {failure}"));
        }
        self.failure.replace(Some(failure));
    }
}

/// Looks at the backing of a disk from time to time, until the disk is gone.
pub(super) async fn watch(name: String, disk: Weak<Disk>, host: LocalHost) {
    loop {
        host.sleep(WATCH_INTERVAL_NS).await;
        let Some(disk) = disk.upgrade() else { return };
        disk.check(&name).await;
    }
}
