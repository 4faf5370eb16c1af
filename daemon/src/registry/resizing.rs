//! Disks that grow with their backing: on request, and automatically at a start.
//!
//! `state.json` has the size that guests saw last. A start serves that size first, however large the backing
//! is by then, so that all cached data fits; the shard decides the order (`shard/resizing.rs`). It is a
//! change like others: a disk that is being removed, moves between shards, or is open beside a running QEMU
//! is not resized.

use std::sync::Arc;

use base::error::Result;
use base::store::NotChanged;
use base::units::Size;
use telemetry::events::{self, Kind};

use super::{Registry, being_removed, gone, guest, known};
use crate::shard::{NotRecorded, ResizeRequest, ResizeResult};

impl Registry {
    /// Grows a disk to the present size of its backing, and records it. With a number of bytes, its backing gets that size before, which only
    /// a volume does.
    ///
    /// # Errors
    /// If there is none of this name, it is not served, or it cannot have that size; then everything is as
    /// before.
    pub(crate) async fn resize(self: &Arc<Self>, name: &str, bytes: Option<u64>) -> Result<ResizeResult> {
        let _changing = self.locks.lock(name).await;
        if let Some(bytes) = bytes {
            let state = self.state();
            known(&state, name)?;
            if self.is_being_removed(name) {
                return Err(being_removed(name));
            }
            guest::check_settled(&state, name)?;
            self.shards.grow_backing(name.to_owned(), bytes).await?;
        }
        self.resize_now(name, false).await
    }

    /// Grows a disk at a start, if its backing became larger while Forebay did not run: no request is needed.
    /// For a disk that did not grow nothing is reported, and its server is not asked. The index of one that
    /// did is loaded first, which may take long, and delays no other change.
    pub(super) async fn take_growth(self: &Arc<Self>, name: &str) {
        if !self.shards.may_take_growth(name.to_owned()).await.unwrap_or(false) {
            return;
        }
        let _changing = self.locks.lock(name).await;
        // It may have been removed meanwhile.
        let is_served = self.shards.is_attached(name) && !self.is_being_removed(name);
        if !is_served || guest::check_settled(&self.state(), name).is_err() {
            return;
        }
        if let Err(problem) = self.resize_now(name, true).await {
            let as_before = format!("Disk '{name}' is served in the size that it had: {problem}");
            events::of_disk(Kind::DiskNotResized, name, as_before);
        }
    }

    /// Grows the disk; the caller must hold its lock.
    async fn resize_now(self: &Arc<Self>, name: &str, at_start: bool) -> Result<ResizeResult> {
        let state = self.state();
        let record = known(&state, name)?;
        if self.is_being_removed(name) {
            return Err(being_removed(name));
        }
        guest::check_settled(&state, name)?;
        let (registry, disk) = (Arc::clone(self), name.to_owned());
        let remember = move |size| registry.remember_new_size(&disk, size);
        let values = self.in_memory(record.id, &record.settings_now());
        let wanted = ResizeRequest { name: name.to_owned(), at_start, values, remember: Box::new(remember) };
        let resized = self.shards.resize(wanted).await?;
        if resized.before != resized.now {
            let grew =
                format!("Disk '{name}' has {} now and had {}", Size(resized.now), Size(resized.before));
            events::of_disk(Kind::DiskResized, name, grew);
        }
        Ok(resized)
    }

    /// Records a size before guests see it. Called on a thread that may block, while the lock of the disk is
    /// held.
    fn remember_new_size(&self, name: &str, size: u64) -> Result<(), NotRecorded> {
        let disk = name.to_owned();
        let changed = self.remembered.change_here(move |state| {
            let record = state.disks.iter_mut().find(|record| record.name == disk);
            record.ok_or_else(|| gone(&disk))?.size_bytes = Some(size);
            Ok(())
        });
        changed.map_err(|not| {
            let may_count = matches!(&not, NotChanged::Unsaved(not) if not.in_place);
            NotRecorded { problem: not.into_problem(), may_count }
        })
    }
}
