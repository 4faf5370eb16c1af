//! Room: who waits for a segment, and whose turn it is to make one free.
//!
//! ```text
//!   Nobody ──next_victim, owner lives here──> Working ──Work dropped──> Nobody
//!      └─────next_victim, owner lives elsewhere──> Given ──next_victim there──> Working
//! ```
//! One reclaim runs at a time for the whole pool, whichever shard does it, so the segments kept back for it always
//! suffice: a victim's survivors fill at most the rest of an open segment and one more, and the victim itself comes
//! back. A victim goes to the shard on which its owner is attached, because only there is known what it holds.
//!
//! The lock of the queue is taken before that of the segments, and neither is held while anything is awaited.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use super::shared::{Shared, lock};
use crate::words::units::{DiskId, SegmentNumber, SegmentOwner, Sequence, ShardNumber};

pub(super) struct Room {
    queue: Mutex<Queue>,
    /// Tells those who wait that a segment is free, or that there will be none.
    made: Notify,
}

struct Queue {
    /// Disks that wait for a segment, in order of their asking. Whoever is woken is taken off and asks again: an entry
    /// that stayed would make reclaim give up content for nobody, and one of a disk that left would stand before all.
    waiting: VecDeque<DiskId>,
    turn: Turn,
    /// By shard, what tells its reclaimer to look; none for one that ended.
    bells: Vec<Option<Arc<Notify>>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Nobody,
    /// A shard is to reclaim this segment.
    Given(ShardNumber, SegmentNumber),
    /// A shard reclaims.
    Working(ShardNumber),
}

/// A shard's place at the pool, given up when it ends.
pub(crate) struct Seat {
    shared: Arc<Shared>,
    pub(crate) shard: ShardNumber,
    bell: Arc<Notify>,
}

/// The turn to reclaim one segment, given back when this is dropped: also by a shard that ends in the middle of it, so that
/// the others do not wait for it for ever. To be followed by another look, for whoever asked meanwhile found the turn taken.
pub(crate) struct Work<'a> {
    seat: &'a Seat,
    pub(crate) victim: SegmentNumber,
    ended: bool,
}

impl Room {
    pub(super) fn new() -> Self {
        let queue = Queue { waiting: VecDeque::new(), turn: Turn::Nobody, bells: Vec::new() };
        Self { queue: Mutex::new(queue), made: Notify::new() }
    }

    /// Notes that a disk waits. What is returned is ready when it is time to look again.
    pub(super) fn join(&self, disk: DiskId) -> Notified<'_> {
        let mut queue = lock(&self.queue);
        queue.waiting.push_back(disk);
        self.made.notified()
    }

    /// Lets those who wait for a segment look again.
    pub(super) fn announce(&self) {
        self.announce_to(&mut lock(&self.queue));
    }

    fn announce_to(&self, queue: &mut Queue) {
        queue.waiting.clear();
        self.made.notify_waiters();
    }

    /// Has every shard look.
    pub(super) fn ring_all(&self) {
        lock(&self.queue).ring_all();
    }
}

impl Queue {
    fn ring_all(&self) {
        self.bells.iter().flatten().for_each(|bell| bell.notify_one());
    }

    fn bell(&self, shard: ShardNumber) -> Option<&Arc<Notify>> {
        self.bells.get(shard.0 as usize).and_then(Option::as_ref)
    }
}

impl Seat {
    /// A place for one more shard.
    pub(super) fn take(shared: Arc<Shared>) -> Self {
        let bell = Arc::new(Notify::new());
        let mut queue = lock(&shared.room.queue);
        let shard = ShardNumber(queue.bells.len() as u32);
        queue.bells.push(Some(Arc::clone(&bell)));
        drop(queue);
        Self { shared, shard, bell }
    }

    /// Has the reclaimer of this shard look whether there is something to do.
    pub(crate) fn ring(&self) {
        self.bell.notify_one();
    }

    /// Ready when the reclaimer of this shard is to look.
    pub(crate) async fn rung(&self) {
        self.bell.notified().await;
    }

    /// The next segment that this shard is to reclaim. None if there is nothing to do, or another shard does it.
    pub(crate) fn next_victim(&self) -> Option<Work<'_>> {
        self.take_turn().map(|victim| Work { seat: self, victim, ended: false })
    }

    fn take_turn(&self) -> Option<SegmentNumber> {
        let room = &self.shared.room;
        let mut queue = lock(&room.queue);
        match queue.turn {
            Turn::Given(shard, victim) if shard == self.shard => {
                queue.turn = Turn::Working(shard);
                return Some(victim);
            }
            Turn::Given(..) | Turn::Working(_) => return None,
            Turn::Nobody => {}
        }
        if self.shared.is_failed() {
            return None;
        }
        let mut segments = self.shared.segments();
        let victim = loop {
            let lowered = segments.over_limit();
            let disk = lowered.or_else(|| queue.waiting.pop_front())?;
            if segments.has_room(disk) {
                room.announce_to(&mut queue);
                continue;
            }
            if let Some(victim) = segments.choose_victim(disk) {
                break victim;
            }
            // Everything is being written at the moment; the next sealed segment has somebody look again.
            if lowered.is_none() {
                queue.waiting.push_front(disk);
            }
            return None;
        };
        let home = segments.life(victim).and_then(|(owner, _)| segments.home(owner.disk()?));
        let elsewhere = home.filter(|home| *home != self.shard);
        if let Some((home, bell)) = elsewhere.and_then(|home| Some((home, queue.bell(home)?))) {
            bell.notify_one();
            queue.turn = Turn::Given(home, victim);
            return None;
        }
        queue.turn = Turn::Working(self.shard);
        Some(victim)
    }
}

impl Work<'_> {
    /// Goes on with another segment of the same disk, and puts back the one that was chosen. Says whether that was done.
    pub(crate) fn exchange(&mut self, other: SegmentNumber, life: (SegmentOwner, Sequence)) -> bool {
        let exchanged = self.seat.shared.segments().exchange(self.victim, other, life);
        if exchanged {
            self.victim = other;
        }
        exchanged
    }

    /// The segment is free, or was put back.
    pub(crate) fn end(mut self) {
        self.ended = true;
    }
}

impl Drop for Work<'_> {
    fn drop(&mut self) {
        let shared = &self.seat.shared;
        // Behind a lock that a panic left is nothing worth tidying: every other shard is about to end as well.
        let Ok(mut queue) = shared.room.queue.lock() else { return };
        assert_eq!(queue.turn, Turn::Working(self.seat.shard), "only who has the turn gives it back");
        queue.turn = Turn::Nobody;
        if self.ended {
            return;
        }
        // Whatever was appended again stays as it is beside it.
        if let Some(mut segments) = shared.segments_if_whole() {
            segments.put_back(self.victim);
        }
        queue.ring_all();
    }
}

impl Drop for Seat {
    /// Leaves nothing to a shard that is not there any more.
    fn drop(&mut self) {
        // Behind a lock that a panic left is nothing worth tidying: every other shard is about to end as well.
        let Ok(mut queue) = self.shared.room.queue.lock() else { return };
        queue.bells[self.shard.0 as usize] = None;
        self.shared.abandon(self.shard);
        let other = queue.bells.iter().position(Option::is_some).map(|at| ShardNumber(at as u32));
        queue.turn = match (queue.turn, other) {
            (Turn::Given(shard, victim), Some(other)) if shard == self.shard => Turn::Given(other, victim),
            (Turn::Given(shard, victim), _) if shard == self.shard => {
                // Whoever comes later finds it as it was.
                if let Some(mut segments) = self.shared.segments_if_whole() {
                    segments.put_back(victim);
                }
                Turn::Nobody
            }
            (turn, _) => turn,
        };
        queue.ring_all();
    }
}
