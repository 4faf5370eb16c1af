//! The queue for room: who waits for a segment, and whose turn it is to make one free. Turns are taken in `reclaim_slot.rs`.
//!
//! The lock of the queue is taken before that of the segments, and neither is held while anything is awaited.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use super::lock::lock;
use crate::types::units::{DiskId, SegmentNumber, ShardNumber};

/// The queue of a pool, for all shards.
pub(super) struct ReclaimQueue {
    pub(super) queue: Mutex<Queue>,
    /// Notifies waiting tasks that a segment is free, or that there will be none.
    made: Notify,
}

/// The part of it that is locked.
pub(super) struct Queue {
    /// Disks that wait for a segment, in order of their requests. A woken disk is removed and asks again: an entry that stayed would make
    /// reclaim drop content without need, and one of a disk that left would block all others.
    pub(super) waiting: VecDeque<DiskId>,
    pub(super) turn: QueueTurn,
    /// Wakers of the reclaimers, by shard; none for one that ended.
    pub(super) wakers: Vec<Option<Arc<Notify>>>,
}

/// The shard whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueueTurn {
    /// None.
    Nobody,
    /// A shard is to reclaim this segment.
    Given(ShardNumber, SegmentNumber),
    /// A shard reclaims.
    Working(ShardNumber),
}

impl ReclaimQueue {
    pub(super) fn new() -> Self {
        let queue = Queue { waiting: VecDeque::new(), turn: QueueTurn::Nobody, wakers: Vec::new() };
        Self { queue: Mutex::new(queue), made: Notify::new() }
    }

    /// Records that a disk waits. The returned future completes when the disk should try again.
    pub(super) fn join(&self, disk: DiskId) -> Notified<'_> {
        let mut queue = lock(&self.queue);
        queue.waiting.push_back(disk);
        self.made.notified()
    }

    /// Wakes the tasks that wait for a segment.
    pub(super) fn announce(&self) {
        self.announce_to(&mut lock(&self.queue));
    }

    pub(super) fn announce_to(&self, queue: &mut Queue) {
        queue.waiting.clear();
        self.made.notify_waiters();
    }

    /// Wakes the reclaimers of all shards.
    pub(super) fn wake_all(&self) {
        lock(&self.queue).wake_all();
    }
}

impl Queue {
    pub(super) fn wake_all(&self) {
        self.wakers.iter().flatten().for_each(|waker| waker.notify_one());
    }

    pub(super) fn waker(&self, shard: ShardNumber) -> Option<&Arc<Notify>> {
        self.wakers.get(shard.0 as usize).and_then(Option::as_ref)
    }
}
