//! Turns to reclaim, as shards take them.
//!
//! ```text
//!   Nobody ──next_victim, owner shard is this──> Working ──turn dropped──> Nobody
//!      └─────next_victim, owner shard is another──> Given ──next_victim there──> Working
//! ```
//! One reclaim runs at a time for the whole pool, whichever shard does it, so the segments kept back for it always
//! suffice: a victim's survivors fill at most the rest of an open segment and one more, and the victim itself is
//! freed. A victim goes to the owner shard of its disk, because only there its content is known.

use std::sync::Arc;

use tokio::sync::Notify;

use super::lock::lock;
use super::reclaim_queue::QueueTurn;
use super::shared::PoolState;
use crate::types::units::{SegmentNumber, SegmentOwner, Sequence, ShardNumber};

/// A shard's place at the pool, released when the shard ends.
pub(crate) struct ReclaimSlot {
    shared: Arc<PoolState>,
    pub(crate) shard: ShardNumber,
    waker: Arc<Notify>,
}

/// The turn to reclaim one segment. Dropping it ends the turn, also if a shard ends in the middle of it, so that the others do not wait for
/// ever. The queue has to be checked again after that: tasks that asked meanwhile found the turn taken.
pub(crate) struct ReclaimTurn<'a> {
    slot: &'a ReclaimSlot,
    pub(crate) victim: SegmentNumber,
    ended: bool,
}

impl ReclaimSlot {
    /// Returns a place for one more shard.
    pub(super) fn take(shared: Arc<PoolState>) -> Self {
        let waker = Arc::new(Notify::new());
        let mut queue = lock(&shared.reclaim.queue);
        let shard = ShardNumber(queue.wakers.len() as u32);
        queue.wakers.push(Some(Arc::clone(&waker)));
        drop(queue);
        Self { shared, shard, waker }
    }

    /// Wakes the reclaimer of this shard.
    pub(crate) fn wake(&self) {
        self.waker.notify_one();
    }

    /// Waits until the reclaimer of this shard is woken.
    pub(crate) async fn woken(&self) {
        self.waker.notified().await;
    }

    /// Returns the next segment that this shard is to reclaim. None if there is nothing to do, or another shard does it.
    pub(crate) fn next_victim(&self) -> Option<ReclaimTurn<'_>> {
        self.take_turn().map(|victim| ReclaimTurn { slot: self, victim, ended: false })
    }

    fn take_turn(&self) -> Option<SegmentNumber> {
        let reclaim = &self.shared.reclaim;
        let mut queue = lock(&reclaim.queue);
        match queue.turn {
            QueueTurn::Given(shard, victim) if shard == self.shard => {
                queue.turn = QueueTurn::Working(shard);
                return Some(victim);
            }
            QueueTurn::Given(..) | QueueTurn::Working(_) => return None,
            QueueTurn::Nobody => {}
        }
        if self.shared.is_failed() {
            return None;
        }
        let mut segments = self.shared.segments();
        let victim = loop {
            let lowered = segments.over_limit();
            let disk = lowered.or_else(|| queue.waiting.pop_front())?;
            if segments.has_room(disk) {
                reclaim.announce_to(&mut queue);
                continue;
            }
            if let Some(victim) = segments.choose_victim(disk) {
                break victim;
            }
            // Everything is being written at the moment; the next sealed segment causes another check.
            if lowered.is_none() {
                queue.waiting.push_front(disk);
            }
            return None;
        };
        let owner_shard = segments.life(victim).and_then(|(owner, _)| segments.owner_shard(owner.disk()?));
        let elsewhere = owner_shard.filter(|shard| *shard != self.shard);
        if let Some((shard, waker)) = elsewhere.and_then(|shard| Some((shard, queue.waker(shard)?))) {
            waker.notify_one();
            queue.turn = QueueTurn::Given(shard, victim);
            return None;
        }
        queue.turn = QueueTurn::Working(self.shard);
        Some(victim)
    }
}

impl ReclaimTurn<'_> {
    /// Exchanges the victim for another segment of the same disk, and puts back the one that was chosen. Returns true if that was done.
    pub(crate) fn exchange(&mut self, other: SegmentNumber, life: (SegmentOwner, Sequence)) -> bool {
        let exchanged = self.slot.shared.segments().exchange(self.victim, other, life);
        if exchanged {
            self.victim = other;
        }
        exchanged
    }

    /// Ends the turn: the segment is free, or was put back.
    pub(crate) fn end(mut self) {
        self.ended = true;
    }
}

impl Drop for ReclaimTurn<'_> {
    fn drop(&mut self) {
        let shared = &self.slot.shared;
        // Behind a lock that a panic left is nothing worth tidying: every other shard is about to end as well.
        let Ok(mut queue) = shared.reclaim.queue.lock() else { return };
        assert_eq!(queue.turn, QueueTurn::Working(self.slot.shard), "only who has the turn gives it back");
        queue.turn = QueueTurn::Nobody;
        if self.ended {
            return;
        }
        // Pages that were appended again stay as they are beside it.
        if let Some(mut segments) = shared.segments_if_whole() {
            segments.put_back(self.victim);
        }
        queue.wake_all();
    }
}

impl Drop for ReclaimSlot {
    /// Leaves nothing to a shard that is not there any more.
    fn drop(&mut self) {
        // Behind a lock that a panic left is nothing worth tidying: every other shard is about to end as well.
        let Ok(mut queue) = self.shared.reclaim.queue.lock() else { return };
        queue.wakers[self.shard.0 as usize] = None;
        self.shared.abandon(self.shard);
        let other = queue.wakers.iter().position(Option::is_some).map(|at| ShardNumber(at as u32));
        queue.turn = match (queue.turn, other) {
            (QueueTurn::Given(shard, victim), Some(other)) if shard == self.shard => {
                QueueTurn::Given(other, victim)
            }
            (QueueTurn::Given(shard, victim), _) if shard == self.shard => {
                // A later shard finds it as it was.
                if let Some(mut segments) = self.shared.segments_if_whole() {
                    segments.put_back(victim);
                }
                QueueTurn::Nobody
            }
            (turn, _) => turn,
        };
        queue.wake_all();
    }
}
