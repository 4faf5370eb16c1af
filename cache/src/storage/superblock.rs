//! The superblock of a pool in use: the mark of the last stop, and whether anything on flash may be dirty.
//!
//! ```text
//!   before anything is dirty:    superblock records that something may be ── note records it of the disk ── durable
//!   a disk that is clean again:  note records that; the superblock stays as it is
//!   stop:                        mark, and whether any disk may be dirty
//! ```
//! A start that finds `may_be_dirty` never treats the pool as worthless, also if its notes are damaged or a device is missing. The list
//! of devices in the superblock is changed in `membership.rs`.

use block::{BlockError, Buffer};

use super::pool::Pool;
use crate::format::note::Intent;
use crate::format::superblock::Superblock;
use crate::types::env::Env;
use crate::types::units::DiskId;

impl<E: Env> Pool<E> {
    /// Writes the next superblock to all devices that it lists.
    pub(super) async fn write_superblock(&self, next: &Superblock) -> Result<(), BlockError> {
        let page = |own| Buffer::copy_of(&Superblock { own, ..*next }.encode());
        self.write_everywhere(&next.members, next.slot(), page).await?;
        self.shared.set_superblock(next);
        Ok(())
    }

    /// Leaves a mark, as the last thing that this start does, and whether anything is dirty.
    pub(crate) async fn leave(&self, mark: u64) -> Result<(), BlockError> {
        self.shared.discarding.end().await;
        if let Some(shrink) = self.shared.shrink() {
            self.shared.stop_shrink(shrink.member, "the pool is left");
        }
        let _membership = self.shared.membership.lock().await;
        let last = self.shared.superblock();
        let may_be_dirty = self.shared.notes.any_dirty();
        self.write_superblock(&Superblock { turn: last.turn + 1, mark, may_be_dirty, ..last }).await
    }

    /// Makes durable that the pool may hold dirty data, and that this disk may: to be awaited before any dirty data is written.
    pub(crate) async fn note_dirty(&self, disk: DiskId) -> Result<(), BlockError> {
        if !self.shared.superblock().may_be_dirty {
            let _membership = self.shared.membership.lock().await;
            let last = self.shared.superblock();
            if !last.may_be_dirty {
                let next = Superblock { turn: last.turn + 1, may_be_dirty: true, ..last };
                self.write_superblock(&next).await?;
            }
        }
        // Reclaim keeps it from now on, until its index covers its segments.
        self.segments().set_dirty(disk, true);
        self.open_intents(disk, &[Intent::DirtyData]).await
    }

    /// Makes durable that a disk has no dirty data any more. The data that this relies on is durable already. The superblock records it for
    /// the whole pool at [`Self::leave`].
    pub(crate) async fn note_clean(&self, disk: DiskId) -> Result<(), BlockError> {
        // Not before: content that is written with one copy would be missed by a start that finds the disk dirty.
        self.close_intents(disk, [Intent::DirtyData]).await?;
        self.segments().set_dirty(disk, false);
        Ok(())
    }
}
