//! Discards free segments, on devices that wear less by it (rule I7).
//!
//! ```text
//! 1. free: no reader uses the segment, no index points to it                       (pool.rs)
//! 2. both copies of the table on flash record that
//! 3. held back, discarded, given back: it cannot be taken meanwhile
//! ```
//! Both copies, because a start uses the older one if the newer one is damaged: content that is gone in part must not
//! be owned in either. A crash anywhere leaves a free segment with old content, zeroes or a mix, and nothing reads that; the
//! next start discards it, as all that is free then.
//!
//! Segments that reclaim frees are left out: they are written again next. Nothing waits for a discard, one runs at a time, and errors have
//! no effect but one: a device that refused a discard gets no other until the next start.

use std::rc::Rc;

use block::{BlockDevice, BlockError, ByteRange, ErrorKind};

use super::pool::Pool;
use crate::state::discards::SegmentRun;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::DISCARD_BYTES_MAX;
use crate::types::units::MemberNumber;

/// Discards newly freed segments, as long as the pool is in use.
pub(crate) async fn run<E: Env>(pool: Rc<Pool<E>>) {
    let discarding = &pool.shared.discarding;
    loop {
        discarding.wanted().await;
        let _turn = discarding.take_turn().await;
        if pool.discard_free().await.is_err() {
            // The flash failed, on any shard.
            return;
        }
    }
}

impl<E: Env> Pool<E> {
    /// Discards the free segments.
    ///
    /// # Errors
    /// If the flash failed.
    async fn discard_free(&self) -> Result<(), BlockError> {
        self.spare_those_that_want_none();
        if self.is_over() || !self.segments().space_mut().ripen_discards() {
            return Ok(());
        }
        // Twice: one write changes one of the two copies. Nothing is due that was freed after the first of them began.
        self.persist_table().await?;
        self.persist_table().await?;
        let most = (DISCARD_BYTES_MAX / self.layout().segment_bytes()) as u32;
        while !self.is_over() {
            let taken = self.segments().space_mut().take_to_discard(most);
            let Some((member, run)) = taken else { break };
            // If this shard ends meanwhile, they stay held back until the next start: the discard may still arrive.
            if canary::has(Bug::EarlyReuse) {
                self.put_back(run);
            }
            if let Err(error) = self.discard(run).await {
                self.give_up_discards(member, &error);
            }
            if !canary::has(Bug::EarlyReuse) {
                self.put_back(run);
            }
            self.note_freed();
        }
        Ok(())
    }

    fn put_back(&self, run: SegmentRun) {
        let mut segments = self.segments();
        run.segments().for_each(|segment| segments.space_mut().put(segment));
    }

    async fn discard(&self, run: SegmentRun) -> Result<(), BlockError> {
        let place = self.place(self.layout().segment_start(run.first))?;
        let bytes = u64::from(run.count) * self.layout().segment_bytes();
        place.device.discard(ByteRange::at(place.offset, bytes)).await
    }

    fn is_over(&self) -> bool {
        self.shared.discarding.is_over() || self.shared.is_failed()
    }

    /// Drops discards for devices that gain nothing by them.
    fn spare_those_that_want_none(&self) {
        let devices = self.flash.borrow().clone();
        let mut segments = self.segments();
        for (member, _) in devices.devices().filter(|(_, device)| !device.wants_discards()) {
            segments.space_mut().give_up_discards(member.number);
        }
    }

    fn give_up_discards(&self, member: MemberNumber, error: &BlockError) {
        self.segments().space_mut().give_up_discards(member);
        if error.kind == ErrorKind::Unsupported {
            tracing::debug!(%error, device = %member, "A device of the pool does not discard; that costs nothing but wear");
        } else {
            tracing::warn!(
                %error, device = %member,
                "A device of the pool refused to discard free space, and is not asked again before the next start; \
                 nothing is lost by it"
            );
        }
    }
}
