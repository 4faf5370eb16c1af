//! Devices of the pool that become larger or smaller, while guests continue.
//!
//! ```text
//!   larger:   (a file: its storage is allocated) ── handles of every shard reach the new end ── durable ── used
//!   smaller:  data behind the new end moves or is dropped ── durable ── handles end there ── (a file: it is truncated)
//! ```
//! Only the pool records sizes: a start finds the old size or the new one. A file may be longer than the part
//! that the pool uses if a crash came between two of these steps; requesting the same size again truncates
//! it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base::error::{Error, Result};
use base::patience::within;
use base::units::Size;
use cache::MemberNumber;
use telemetry::events::{self, Kind};

use super::{PoolView, Registry, lock};
use crate::pool::check_room_to_grow;
use crate::shard::{DeviceStorage, FileChange};
use crate::state::DiskRecord;

/// Time that making a device smaller may take before it continues after its answer.
const SHRINK_TIME_MAX: Duration = Duration::from_secs(2);
/// Sizes are rounded down to this many bytes.
const ROUNDING: u64 = 4096;

/// New size of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewSize {
    /// This many bytes.
    Bytes(u64),
    /// The whole device.
    Max,
}

/// A device whose size is to change.
struct SizeChange {
    number: MemberNumber,
    path: PathBuf,
    storage: DeviceStorage,
    /// Bytes that the pool uses of it.
    before: u64,
    /// Bytes that the pool is to use of it.
    after: u64,
}

impl Registry {
    /// Changes how much the pool uses of a device. If making it smaller takes long, that continues after the
    /// answer, which lists it.
    ///
    /// # Errors
    /// Any failure; then the pool uses as much as before.
    pub(crate) async fn resize_device(
        self: &Arc<Self>,
        number: MemberNumber,
        size: NewSize,
    ) -> Result<PoolView> {
        let changing = self.changing_pool.lock().await;
        let resized = self.check_new_size(number, size).await?;
        lock(&self.kept_sizes).remove(&number.0);
        if resized.after != resized.before {
            // Recorded first: a start whose option still has the previous size must find out that it was changed.
            let after = resized.after;
            self.change_device(&resized.path, move |record| record.resized_to_bytes = Some(after)).await?;
        }
        if resized.after >= resized.before {
            if resized.after > resized.before {
                self.make_larger(&resized).await?;
            }
            self.cut_rest(&resized).await?;
            return self.pool().await;
        }
        // Other devices may be added and removed meanwhile; the cache protects this one.
        drop(changing);
        let registry = Arc::clone(self);
        let mut shrinking = tokio::spawn(async move { registry.make_smaller(&resized).await });
        match within(SHRINK_TIME_MAX, &mut shrinking).await {
            Ok(outcome) => {
                outcome.map_err(|error| Error::failed(format!("Cannot make it smaller: {error}")))??;
            }
            Err(_) => {
                tracing::info!(device = %number, "The device continues to become smaller after the answer");
            }
        }
        self.pool().await
    }

    /// Cancels a resize that makes a device smaller.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) async fn cancel_resize(&self, number: MemberNumber) -> Result<PoolView> {
        let path = self.path_of(number)?;
        if !self.shards.cancel_shrink(number).await? {
            return Err(Error::conflict(format!(
                "Cannot cancel: {} is not being made smaller; `forebay pool show` lists what it has",
                path.display()
            )));
        }
        self.pool().await
    }

    fn path_of(&self, number: MemberNumber) -> Result<PathBuf> {
        lock(&self.pool).device(number).map(|device| device.path.clone()).ok_or_else(|| {
            Error::missing(format!(
                "Cannot change the size of device {number}: the pool has none of this number; `forebay pool show` lists them"
            ))
        })
    }

    /// Refuses impossible sizes before anything changes.
    async fn check_new_size(&self, number: MemberNumber, size: NewSize) -> Result<SizeChange> {
        let path = self.path_of(number)?;
        let refuse = |reason: String| {
            Error::conflict(format!("Cannot change the size of {} in the pool: {reason}", path.display()))
        };
        let statistics = self.shards.pool_report().await?.statistics;
        let listed = statistics.devices.iter().find(|device| device.number == number.0);
        let Some(device) = listed.filter(|device| device.state == cache::DeviceState::Used) else {
            return Err(refuse("it failed, or is leaving the pool".to_owned()));
        };
        if let Some(shrinking) = device.shrinking {
            return Err(refuse(format!(
                "it is being made smaller, to {}: wait until that is over, or cancel it: forebay pool resize {} --cancel",
                Size(shrinking.size_bytes),
                path.display()
            )));
        }
        let storage = self.shards.device_storage(number).await?;
        let bounds = self.shards.size_bounds(number).await.map_err(|problem| refuse(problem.message))?;
        let before = device.size_bytes;
        if storage.size_bytes < before {
            return Err(refuse(format!(
                "it has {} now, less than the {} that the pool uses: it was cut. Destage everything (forebay disk destage \
                 NAME --wait), then replace it: forebay pool replace {} NEW",
                exactly(storage.size_bytes),
                exactly(before),
                path.display()
            )));
        }
        let wanted = match size {
            NewSize::Max => storage.size_bytes,
            NewSize::Bytes(bytes) => bytes,
        };
        let after = match size {
            NewSize::Max => match storage.size_bytes.min(bounds.most_bytes.max(before)) {
                all if all - before < ROUNDING => before,
                all => all / ROUNDING * ROUNDING,
            },
            NewSize::Bytes(bytes) if bytes == before => before,
            NewSize::Bytes(bytes) => bytes / ROUNDING * ROUNDING,
        };
        let resized = SizeChange { number, path: path.clone(), storage, before, after };
        if after > storage.size_bytes && !storage.is_file {
            return Err(refuse(format!(
                "it has {}, less than {}. Make it larger first (lvextend, or the tool that made it), or give max",
                exactly(storage.size_bytes),
                exactly(after)
            )));
        }
        if after > bounds.most_bytes && after > before {
            return Err(refuse(format!(
                "the pool can use {} of it at most, because its segment table has no room for more. For more, make a new pool with a \
                 larger device as its first",
                exactly(bounds.most_bytes / ROUNDING * ROUNDING)
            )));
        }
        if after < before && after < bounds.least_bytes {
            return Err(refuse(format!(
                "{} is too small: {} is the least that works now. The rest is reserved for disks, holds what their backings do not \
                 have, or is what reclaim and second copies need; destage, or lower reservations first. A size is in bytes unless it \
                 has a unit: 10GiB",
                exactly(wanted),
                exactly(bounds.least_bytes.next_multiple_of(ROUNDING))
            )));
        }
        Ok(resized)
    }

    async fn make_larger(&self, resized: &SizeChange) -> Result<()> {
        let SizeChange { number, ref path, storage, after, .. } = *resized;
        if storage.is_file {
            self.reserve_file(resized).await?;
        }
        if let Err(problem) = self.shards.grow_device(number, after).await {
            let devices = self.shards.pool_report().await?.statistics.devices;
            // Otherwise superblocks may already have the larger size.
            if devices.iter().any(|device| device.number == number.0 && device.size_bytes == resized.before) {
                self.cut_back(resized).await;
            }
            let message = format!("Cannot make {} larger in the pool: {}", path.display(), problem.message);
            return Err(Error { message, ..problem });
        }
        self.report_resize(resized).await;
        Ok(())
    }

    /// Allocates the storage of a file up to its new size, including its holes.
    async fn reserve_file(&self, resized: &SizeChange) -> Result<()> {
        let SizeChange { number, ref path, storage, after, .. } = *resized;
        let (checked, before) = (path.clone(), storage.size_bytes);
        let checking = tokio::task::spawn_blocking(move || check_room_to_grow(&checked, before, after));
        checking.await.expect("looking at a file system does not panic")?;
        if let Err(error) = self.shards.change_file(number, FileChange::Extend(after)).await? {
            // A part may have been allocated.
            self.cut_back(resized).await;
            return Err(Error::failed(format!(
                "Cannot make {} larger, from {} to {}: {error}; make room, or give a smaller size",
                path.display(),
                Size(before),
                Size(after)
            )));
        }
        Ok(())
    }

    /// Truncates a file to its previous length. The pool uses none of the rest.
    async fn cut_back(&self, SizeChange { number, path, storage, .. }: &SizeChange) {
        if storage.is_file
            && let Ok(Err(error)) =
                self.shards.change_file(*number, FileChange::Cut(storage.size_bytes)).await
        {
            tracing::warn!("{} stays longer than the pool uses of it: {error}", path.display());
        }
    }

    async fn make_smaller(&self, resized: &SizeChange) -> Result<()> {
        let SizeChange { number, ref path, after, .. } = *resized;
        if let Err(problem) = self.shards.shrink_device(number, after).await {
            let message = format!("{} keeps its size in the pool: {}", path.display(), problem.message);
            let devices = self.shards.pool_report().await?.statistics.devices;
            if devices.iter().any(|device| device.number == number.0 && device.shrinking.is_some()) {
                // Another request came first, and continues.
                return Err(Error { message, ..problem });
            }
            lock(&self.kept_sizes).insert(number.0, problem.message.clone());
            events::of_host(Kind::DeviceKeepsSize, message.clone());
            return Err(Error { message, ..problem });
        }
        self.report_resize(resized).await;
        self.cut_rest(resized).await
    }

    /// Truncates a file where the pool ends. Block devices are left to the user.
    async fn cut_rest(&self, resized: &SizeChange) -> Result<()> {
        let SizeChange { number, ref path, storage, after, .. } = *resized;
        if !storage.is_file || storage.size_bytes <= after {
            return Ok(());
        }
        self.shards
            .change_file(number, FileChange::Cut(after))
            .await?
            .map_err(|error| not_cut(path, after, &error))
    }

    /// Logs the change, and updates limits that depend on the size of the pool.
    async fn report_resize(&self, SizeChange { path, before, after, .. }: &SizeChange) {
        let (path, before, after) = (path.display(), Size(*before), Size(*after));
        events::of_host(
            Kind::DeviceResized,
            format!("The pool uses {after} of {path} now; before it were {before}"),
        );
        self.follow_pool_size().await;
    }

    /// Updates the limits of disks that have none set, which may take the whole pool. Waits for no disk that is being
    /// changed: the change goes by the size that the pool has when it reaches the disk.
    pub(super) async fn follow_pool_size(&self) {
        for DiskRecord { name, settings, .. } in self.state().disks {
            if settings.has_limit() || !self.shards.is_attached(&name) {
                continue;
            }
            let lifted = match self.locks.try_lock(&name) {
                Some(_changing) => self.shards.lift_limit(name.clone()).await,
                None => Err(Error::conflict("It is being changed")),
            };
            if let Err(problem) = lifted {
                tracing::warn!(
                    "The limit of disk '{name}' may go by the earlier size of the pool: {problem}"
                );
            }
        }
    }
}

/// Returns a size with its exact bytes, where a rounded one would hide the difference.
fn exactly(bytes: u64) -> String {
    let size = Size(bytes).to_string();
    let is_exact = size.parse::<Size>().is_ok_and(|parsed| parsed.0 == bytes);
    if is_exact { size } else { format!("{bytes} bytes ({size})") }
}

fn not_cut(path: &Path, bytes: u64, error: &io::Error) -> Error {
    let path = path.display();
    Error::failed(format!(
        "The pool uses {} of {path} now, but the file cannot be cut there: {error}; give the same size again once it can",
        Size(bytes)
    ))
}
