//! Disks that take the size of a backing that became larger: when somebody asks, and at a start by themselves.
//!
//! `state.json` has the size that guests were told. It is what a start serves first, however large the backing is by then, so
//! that all that is cached fits; the shard decides the order (`shard/resizing.rs`). One change after another, as all: not of a disk that
//! is being removed, moves between shards, or is open beside a running QEMU.

use std::sync::Arc;

use super::{Registry, being_removed, guest, known, lock};
use crate::events::{self, Kind};
use crate::problem::{Answer, Problem};
use crate::shard::{Resized, Resizing};
use crate::units::Size;

impl Registry {
    /// Has a disk take the size that its backing has now, and remembers it.
    ///
    /// # Errors
    /// If there is none of this name, it is not served, or it cannot have that size; then everything is as before.
    pub(crate) async fn resize(self: &Arc<Self>, name: &str) -> Answer<Resized> {
        let _changing = self.changing.lock().await;
        self.resize_now(name, false).await
    }

    /// At a start, whoever made the backing larger while Forebay did not run need not say so. Of a disk that did not grow nobody is
    /// told anything, nor is its server asked. Called while the lock of changes is held, for which that is no time.
    pub(super) async fn take_growth(self: &Arc<Self>, name: &str) {
        if guest::check_settled(&self.state(), name).is_err() {
            return;
        }
        if let Err(problem) = self.resize_now(name, true).await {
            let as_before = format!("Disk '{name}' is served in the size that it had: {problem}");
            events::of_disk(Kind::DiskNotResized, name, as_before);
        }
    }

    /// The same for whoever holds the lock of changes.
    async fn resize_now(self: &Arc<Self>, name: &str, at_start: bool) -> Answer<Resized> {
        let state = self.state();
        let record = known(&state, name)?;
        if self.is_being_removed(name) {
            return Err(being_removed(name));
        }
        guest::check_settled(&state, name)?;
        let (registry, disk) = (Arc::clone(self), name.to_owned());
        let remember = move |size| registry.remember_new_size(&disk, size);
        let values = record.settings_now();
        let wanted = Resizing { name: name.to_owned(), at_start, values, remember: Box::new(remember) };
        let resized = self.shards.resize(wanted).await?;
        if resized.before != resized.now {
            let grew =
                format!("Disk '{name}' has {} now and had {}", Size(resized.now), Size(resized.before));
            events::of_disk(Kind::DiskResized, name, grew);
        }
        Ok(resized)
    }

    /// Remembers a size before guests are told. Called while the lock of changes is held.
    fn remember_new_size(&self, name: &str, size: u64) -> Answer<()> {
        let mut changed = self.state();
        let record = changed.disks.iter_mut().find(|disk| disk.name == name);
        let record = record.ok_or_else(|| Problem::missing(format!("There is no disk '{name}' any more")))?;
        record.size_bytes = Some(size);
        changed.save(&self.places.dir)?;
        *lock(&self.state) = changed;
        Ok(())
    }
}
