//! Growth of a served disk with its backing, while guests continue.
//!
//! ```text
//! 1. measure the backing: the same size is success; a smaller one is refused, and so is one that the disk cannot have
//! 2. keys that are shares of the disk (`limit` 20 %) now refer to the larger disk, if the pool has that
//! 3. bits for the new pages, in memory that outlives the process
//! 4. the cached copy of a page that the old end cuts is dropped durably     <- `cache/src/ops/grow.rs`
//! 5. record the new size, durably: state.json
//! 6. in one step: the new size for backing and cache; then guests are notified
//! ```
//! A kill or a power failure before 5 leaves a disk of the old size on a larger backing, one after it a disk of the
//! new size: a start serves the recorded size, with all cached and dirty data. A failure before 5 is undone; no later
//! step can fail. If 5 fails and it is unknown which size a start will find, the disk continues in its old one, and the
//! page of 4 is not cached any more, so that either size is right.
//!
//! Does not decide on permission, and never makes a disk smaller.

use std::pin::pin;
use std::rc::Rc;

use base::error::{Error, Result};
use base::units::Size;
use block::file::Access;
use block::{BlockDevice, BlockError, Host, SECTOR};
use cache::{DiskSettings, LoadProgress};
use futures_util::future::{Either, select};

use super::disk::{Disk, explain, not_attached};
use super::watching::BackingFailure;
use super::{Shard, ShardHandle};
use crate::keys::Values;

/// Time that backing and destage may take, in nanoseconds: a change delays all others.
const TIME_MAX_NS: u64 = 10_000_000_000;

/// Parameters of a resize.
pub(crate) struct ResizeRequest {
    pub(crate) name: String,
    /// Set at a start without a request: the size at opening is enough, and a backing that is not larger is
    /// left alone.
    pub(crate) at_start: bool,
    /// Its keys, some of which are shares of its size.
    pub(crate) values: Values,
    pub(crate) remember: RecordSize,
}

/// Records a size durably. May block on a file system.
type RecordSize = Box<dyn FnOnce(u64) -> Result<(), NotRecorded> + Send>;

/// Reason for which a size was not recorded.
#[derive(Debug)]
pub(crate) struct NotRecorded {
    pub(crate) problem: Error,
    /// True if a start may find the new size anyway.
    pub(crate) may_count: bool,
}

/// Result of a resize, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResizeResult {
    pub(crate) before: u64,
    pub(crate) now: u64,
}

impl ShardHandle {
    /// Grows a disk to the present size of its backing.
    ///
    /// # Errors
    /// The reason for which it cannot; then nothing has changed.
    pub(super) async fn resize(&self, wanted: ResizeRequest) -> Result<ResizeResult> {
        self.call(move |shard| async move { shard.resize(wanted).await }).await?
    }

    /// Returns true if the backing of a disk that was just attached is larger than the disk, once its cache
    /// is loaded, because growth waits for that. Returns false at once if it is not, and if the disk is
    /// detached before that. Sends no request to a server.
    ///
    /// # Errors
    /// If it is not attached.
    pub(super) async fn may_take_growth(&self, name: String) -> Result<bool> {
        self.call(move |shard| async move {
            let disk = shard.disk(&name).ok_or_else(|| not_attached(&name))?;
            Ok(shard.has_grown(&disk, &name).await
                && disk.cached.loaded().await.state != LoadProgress::Running)
        })
        .await?
    }
}

impl Shard {
    async fn resize(&self, wanted: ResizeRequest) -> Result<ResizeResult> {
        let ResizeRequest { name, at_start, values, remember } = wanted;
        let disk = self.disk(&name).filter(|disk| !disk.leaving.get()).ok_or_else(|| not_attached(&name))?;
        let before = disk.cached.geometry().size;
        if at_start && !self.has_grown(&disk, &name).await {
            return Ok(ResizeResult { before, now: before });
        }
        if let Some(BackingFailure::Shrunk(reason)) = disk.failure.borrow().as_ref() {
            return Err(Error::conflict(format!("Cannot resize disk '{name}': it failed, {reason}")));
        }
        disk.check_in_place(&name, "resize", &self.host).await?;
        let now = self.measure(&disk, &name).await?;
        if disk.failure.borrow().is_some() {
            // The backing answers again: clear the failure without waiting for the next check.
            self.in_time(&name, disk.check(&name)).await?;
        }
        if now == before {
            return Ok(ResizeResult { before, now });
        }
        check(&name, before, now, disk.cached.backing().unit())?;
        let as_before = disk.cached.settings();
        self.cache()
            .check_size(&disk.cached, now)
            .map_err(|error| explain(&name, &error, as_before.reserve_bytes))?;
        let access = if as_before.read_only { Access::ReadOnly } else { Access::ReadWrite };
        let larger = self.settings(&values, as_before.id, now, access)?;
        let larger = DiskSettings { sector_bytes: as_before.sector_bytes, ..larger };
        self.cache()
            .reconfigure(&disk.cached, larger)
            .map_err(|error| explain(&name, &error, larger.reserve_bytes))?;
        if let Err(problem) = self.grow(&disk, &name, now, remember).await {
            if let Err(error) = self.cache().reconfigure(&disk.cached, as_before) {
                tracing::error!("While undoing that disk '{name}' becomes larger: {error}");
            }
            return Err(problem);
        }
        Ok(ResizeResult { before, now })
    }

    /// Returns true if the backing was larger than the disk when it was opened or measured last. Sends no
    /// request to a server.
    async fn has_grown(&self, disk: &Disk, name: &str) -> bool {
        let size = self.in_time(name, disk.cached.backing().current_size()).await;
        // A missing size is reported by other requests to it.
        matches!(size, Ok(Ok(size)) if size > disk.cached.geometry().size)
    }

    /// Measures the backing.
    async fn measure(&self, disk: &Disk, name: &str) -> Result<u64> {
        if disk.cached.backing().reconnects_to_measure() {
            // Its connections are replaced, after a flush of its own that is short after this one. Guests
            // must learn of failures that this one finds, however it was requested.
            let flushed = disk.cached.flush_for_ourselves();
            self.in_time(name, flushed).await?.map_err(|error| unmeasured(name, &error))?;
        }
        let cached = Rc::clone(&disk.cached);
        // Not cancelled either: a flush without a receiver of its result counts as failed.
        let measured = self.host.to_its_end(async move { cached.backing().measure().await });
        self.in_time(name, measured).await?.map_err(|error| unmeasured(name, &error))
    }

    async fn grow(&self, disk: &Disk, name: &str, size: u64, remember: RecordSize) -> Result<()> {
        let bits = disk.history.larger_bits(size)?;
        let growing = self.in_time(name, disk.cached.prepare_to_grow()).await?.map_err(|error| {
            Error::conflict(format!(
                "Cannot resize disk '{name}': the cached data of its last page could not be destaged ({error}); check the \
                 backing with `forebay disk show {name}`, and try again"
            ))
        })?;
        let remembered = self.blocking.run(move || remember(size)).await;
        let remembered = remembered.unwrap_or_else(|problem| Err(NotRecorded { problem, may_count: true }));
        if let Err(NotRecorded { problem, may_count }) = remembered {
            if may_count {
                tracing::error!("A restart may find either size of disk '{name}': {problem}");
                growing.distrust();
            }
            return Err(problem);
        }
        // From here on nothing is awaited: no request sees one of these changes without the others.
        disk.cached.backing().set_size(size);
        disk.monitored.set_needed_bytes(disk.cached.backing().geometry().size);
        let bits = disk.history.go_on_with_bits(bits);
        disk.cached.grow(growing, size, bits);
        disk.doors.resized();
        Ok(())
    }

    async fn in_time<T>(&self, name: &str, work: impl Future<Output = T>) -> Result<T> {
        match select(pin!(work), pin!(self.host.sleep(TIME_MAX_NS))).await {
            Either::Left((done, _)) => Ok(done),
            Either::Right(_) => Err(Error::unavailable(format!(
                "Cannot resize disk '{name}': its backing took longer than {} s; `forebay disk show {name}` reports its state. \
                 Nothing was changed; try again",
                TIME_MAX_NS / 1_000_000_000
            ))),
        }
    }
}

/// Refuses a size that the disk cannot have.
fn check(name: &str, before: u64, now: u64, unit: u64) -> Result<()> {
    if now < before {
        return Err(Error::conflict(format!(
            "Cannot make disk '{name}' smaller: its backing has {now} bytes and it has {before}. Its guests miss the part that was \
             cut off: restore it from a copy, give the backing its old size, then restart Forebay. To make a disk smaller, make the guest's \
             file system smaller, then: forebay disk remove {name}, which destages everything; cut the backing; forebay disk add"
        )));
    }
    let unit = unit.max(SECTOR);
    if !now.is_multiple_of(unit) {
        return Err(Error::conflict(format!(
            "Cannot resize disk '{name}' from {before} to {now} bytes: that is not a multiple of {unit}; extend its backing to {} \
             bytes ({}), and try again",
            now.next_multiple_of(unit),
            Size(now.next_multiple_of(unit))
        )));
    }
    Ok(())
}

fn unmeasured(name: &str, error: &BlockError) -> Error {
    Error::unavailable(format!(
        "Cannot resize disk '{name}': its backing does not report its size ({error}); check it and its server, and try again"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_that_a_disk_cannot_have_is_refused_with_what_to_do() {
        let refused = |now, unit| check("web", 1 << 20, now, unit).expect_err("it cannot be").message;
        let smaller = refused(4096, 512);
        assert!(
            smaller.contains("4096 bytes and it has 1048576") && smaller.contains("disk remove web"),
            "{smaller}"
        );
        let odd = refused((1 << 20) + 100, 512);
        assert!(odd.contains("1048676") && odd.contains("1049088"), "{odd}");
        let unit = refused((1 << 20) + 512, 4096);
        assert!(unit.contains("multiple of 4096") && unit.contains("1052672"), "{unit}");
        assert_eq!(check("web", 1 << 20, (1 << 20) + 512, 512), Ok(()));
    }
}
