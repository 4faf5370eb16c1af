//! The dirty marker on a backing, and the refusal of a disk whose newest data is in a pool that is not in
//! use.
//!
//! The marker names the pool and the disk whose flash may have newer data. It is set before the disk writes
//! back, and removed once the backing is complete. DIR has the same record of the pool (`registry`).

use std::rc::Rc;

use base::durable;
use base::error::{Error, Result};

use super::Shard;
use super::disk::Cached;
use super::redo_ring::RECOVER_ADVICE;
use crate::backing::{Ability, Location};
use crate::backing_identity::{Appearance, BackingHistory, CannotMark, DirtyMark};
use crate::keys::{Unmarked, Values};

/// Recorded pools with possible dirty data for the backing of a disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnsavedPools {
    /// The pool of this host.
    pub(crate) own: Option<String>,
    /// The pool that may hold such data.
    pub(crate) held_by: Option<String>,
}

impl Shard {
    /// Refuses a disk if another pool has newer data of its backing: its guests would read old data.
    pub(super) async fn check_unsaved(
        &self,
        name: &str,
        id: u32,
        location: &Location,
        unsaved: &UnsavedPools,
        found: &Appearance,
        history: &Rc<BackingHistory>,
    ) -> Result<()> {
        if let Some(mark) =
            found.dirty.as_ref().filter(|mark| unsaved.own.as_ref() != Some(&mark.pool) || mark.disk != id)
        {
            return Err(Error::unavailable(format!(
                "Cannot serve disk '{name}': its backing lacks data that pool {} has, where it is disk '{}' of another \
                 Forebay. Have that one destage and remove it. If that data is lost: {RECOVER_ADVICE}, if it has one; to discard \
                 it, remove the mark: {}",
                mark.pool,
                mark.name,
                location.unmark_command()
            )));
        }
        let in_use = |pool: &String| !self.goes_without.get() && self.cache().id() == *pool;
        match unsaved.held_by.as_ref().filter(|pool| !in_use(pool)) {
            Some(pool) if self.unrecorded.get() && !history.is_invalidated().await => {
                let dir = self.places.dir.clone();
                let (now, advice) = match self.blocking.run(move || durable::check_takes_writes(&dir)).await?
                {
                    Ok(()) => ("and takes them now".to_owned(), "restart the daemon"),
                    Err(error) => (
                        format!("and still takes none ({error})"),
                        "make room there or repair that file system, and restart the daemon",
                    ),
                };
                Err(Error::unavailable(format!(
                    "Cannot serve disk '{name}' yet: pool {pool} may hold data that its backing does not have, and is not in use \
                     because {} took no writes when the daemon started, {now}. Nothing of it is lost: {advice}",
                    self.places.dir.display()
                )))
            }
            Some(pool) if !history.is_invalidated().await => Err(Error::unavailable(format!(
                "Cannot serve disk '{name}': pool {pool} may hold data that its backing does not have, and is not in use now \
                 (`forebay pool show` reports the reason). Attach that pool again, or discard that data: forebay disk remove {name} \
                 --discard-dirty"
            ))),
            _ => Ok(()),
        }
    }

    /// Marks the backing of a disk that is about to write back, so that no other Forebay serves it as if it
    /// were complete.
    ///
    /// # Errors
    /// If it cannot bear a mark, and write-back without one is not permitted.
    pub(super) async fn mark(
        &self,
        name: &str,
        values: &Values,
        cached: &Cached,
        history: &BackingHistory,
    ) -> Result<()> {
        if !values.writes_back() || self.goes_without.get() {
            return Ok(());
        }
        let reason = match cached.backing().capabilities().dirty_marker {
            Ability::Unable(reason) => reason,
            Ability::Able => match history.mark(self.mark_of(name, cached.settings().id.0)).await? {
                Ok(()) => return Ok(()),
                Err(CannotMark(reason)) => reason.into(),
            },
        };
        if values.unmarked() == Unmarked::Allowed {
            return Ok(());
        }
        Err(Error::invalid(format!(
            "Cannot write back on disk '{name}': its backing cannot be marked, because {reason}. So nothing would keep another Forebay \
             from serving it while flash has newer data. Use write-through; or see to that yourself, and allow it with allow-unmarked=yes \
             (`--allow-unmarked` of `disk add`)"
        )))
    }

    /// Returns the dirty mark for the backing of a disk.
    pub(super) fn mark_of(&self, name: &str, id: u32) -> DirtyMark {
        DirtyMark { pool: self.cache().id(), disk: id, name: name.to_owned() }
    }
}
