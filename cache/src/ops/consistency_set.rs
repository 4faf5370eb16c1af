//! Consistency sets: several disks of one shard whose redo rings hold them as of one instant T, for a guest with its data on one disk and its log
//! on another.
//!
//! ```text
//! cut:   locks of all members ── all are ready ── groups begin, in one step ── each is written to its ring, at once
//!        ── all rings have theirs: all groups count, in one step
//! failed:  no group counts; what they had is fresh again, and the rings withdraw theirs
//! ```
//! **One instant**: no acknowledgement of a write can come between the beginnings of the groups, because all members live on one thread and
//! nothing is awaited in between. A write that a guest sends after the acknowledgement of another is in the cut only if the other is.
//!
//! **Members that promise nothing** are not part of cuts: they are written through, are in another order of destage, or have not entered yet.
//! One that promises something and is not ready holds back the cuts of all, as does one that is not attached: guests are held at the dirty
//! limit then, as with a ring that fails, and statistics say who is waited for. A cut with other members than the one before begins once all rings
//! durably have what is confirmed (`redo/src/set.rs`).
//!
//! **Locks**: a cut takes the locks of groups of all members, by the number of the disk. While it waits for one it holds none of the others, save
//! after some tries in vain. Others that hold one wait for nothing of another disk, so there is no circle: a replay and a pause take the lock
//! of destage before that of groups, both of their own disk; void, taking over and the end of a disk take that of their own disk. A cut takes
//! no lock of destage.
//!
//! A ring that hangs holds the locks of all members, and so holds up the end of each of them, as it does that of its own disk.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::{Rc, Weak};

use block::{BlockError, ErrorKind, Host, Operation};
use futures_util::future::join_all;
use redo::{CutSummary, RedoRing, RingError, SetId, resolve_pending};
use tokio::sync::MutexGuard;

use super::consistent::{keep_for_a_while, make_log_durable};
use super::disk_cache::DiskCache;
use super::group_content::{changes_of, content};
use super::ring_promise::{RETRY_NS, tail_first};
use super::set_link::{SetLink, SetStatistics, SetWait};
use crate::state::dirty::Dirty;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::units::DiskId;

/// Times that all locks are tried before those that are had are kept.
const LOCK_TRIES: u32 = 8;

/// A consistency set: the disks of one shard that are to be as of one instant if all flash is lost.
pub struct ConsistencySet<E: Env> {
    id: SetId,
    /// Disks that belong to the set, attached or not.
    expected: Cell<u32>,
    /// By the number of the disk.
    members: RefCell<Vec<Weak<DiskCache<E>>>>,
    /// Disks of the last cut that began, once their rings durably had what was confirmed.
    last_disks: RefCell<Option<Vec<DiskId>>>,
    /// Time before which no cut begins, because one failed.
    retry_at: Cell<u64>,
    waits_for: Cell<Option<SetWait>>,
    /// Members of the cut on its way whose rings do not have their groups yet, once others have theirs.
    writing: RefCell<Vec<DiskId>>,
}

/// A disk that is part of a cut.
struct Participant<E: Env> {
    cache: Rc<DiskCache<E>>,
    ring: Rc<RedoRing<E::Backing>>,
}

impl<E: Env> Clone for Participant<E> {
    fn clone(&self) -> Self {
        Self { cache: Rc::clone(&self.cache), ring: Rc::clone(&self.ring) }
    }
}

/// Result of the write of one group of a cut.
struct Written {
    result: Result<(), RingError>,
    pages: u64,
    /// Duration in nanoseconds.
    took: u64,
}

impl<E: Env> ConsistencySet<E> {
    /// Makes a set that no disk has joined yet. Its identity is that of rings that were part of it before. `expected` is the number of disks
    /// that belong to it, attached or not: as long as fewer are attached, no group counts.
    pub fn new(id: SetId, expected: u32) -> Rc<Self> {
        Rc::new(Self {
            id,
            expected: Cell::new(expected),
            members: RefCell::default(),
            last_disks: RefCell::default(),
            retry_at: Cell::default(),
            waits_for: Cell::default(),
            writing: RefCell::default(),
        })
    }

    /// Returns the identity of the set.
    pub fn id(&self) -> SetId {
        self.id
    }

    /// Sets the number of disks that belong to the set, attached or not.
    pub fn set_expected(&self, expected: u32) {
        self.expected.set(expected);
        self.wake();
    }

    /// Returns the state of the set.
    pub fn statistics(&self) -> SetStatistics {
        SetLink::statistics(self)
    }

    pub(crate) fn join(&self, cache: &Rc<DiskCache<E>>) {
        let mut members = self.members.borrow_mut();
        members.retain(|member| member.upgrade().is_some_and(|member| member.id != cache.id));
        members.push(Rc::downgrade(cache));
        members.sort_by_key(|member| member.upgrade().map(|member| member.id));
        drop(members);
        self.record_change();
    }

    /// Has all members look whether a cut is due.
    fn wake(&self) {
        for cache in self.attached() {
            cache.consistent.wake();
        }
    }

    /// Returns the members that are attached.
    fn attached(&self) -> Vec<Rc<DiskCache<E>>> {
        let members = self.members.borrow();
        members.iter().filter_map(Weak::upgrade).filter(|cache| !cache.leaving.get()).collect()
    }

    /// Returns why no cut can begin, if it cannot.
    fn obstacle(&self) -> Option<SetWait> {
        let attached = self.attached();
        let missing = self.expected.get().saturating_sub(attached.len() as u32);
        if missing > 0 {
            return Some(SetWait::NotAttached(missing));
        }
        let holds_back = |cache: &&Rc<DiskCache<E>>| is_promising(cache) && !is_ready(cache);
        attached.iter().find(holds_back).map(|cache| SetWait::Disk(cache.id))
    }

    /// Returns the disks of the next cut. All that promise something are ready.
    fn participants(&self) -> Vec<Participant<E>> {
        let of = |cache: Rc<DiskCache<E>>| {
            let ring = cache.consistent.ring().filter(|_| is_promising(&cache) && is_ready(&cache))?;
            Some(Participant { cache, ring })
        };
        self.attached().into_iter().filter_map(of).collect()
    }
}

impl<E: Env> SetLink for ConsistencySet<E> {
    fn statistics(&self) -> SetStatistics {
        let attached = self.attached();
        let promising: Vec<_> = attached.iter().filter(|cache| is_promising(cache)).collect();
        let confirmed = |cache: &&Rc<DiskCache<E>>| {
            let ring = cache.consistent.ring().filter(|ring| ring.set() == Some(self.id));
            ring.and_then(|ring| ring.confirmed_at())
        };
        let first = promising.first().and_then(confirmed);
        let slow = || self.writing.borrow().first().map(|disk| SetWait::Disk(*disk));
        let waits_for = self.waits_for.get().or_else(|| self.obstacle()).or_else(slow);
        SetStatistics {
            id: self.id,
            members: self.expected.get(),
            attached: attached.len() as u32,
            promising: promising.len() as u32,
            taken_at: first.filter(|_| promising.iter().all(|cache| confirmed(cache) == first)),
            waits_for,
        }
    }

    fn record_change(&self) {
        self.last_disks.take();
        self.wake();
    }

    fn is_changed(&self) -> bool {
        let disks: Vec<DiskId> = self.participants().iter().map(|member| member.cache.id).collect();
        self.last_disks.borrow().as_ref() != Some(&disks)
    }

    fn rest(&self, now: u64) -> u64 {
        // That of a disk which is in no cut is its own matter.
        let promising = self.attached().into_iter().filter(|cache| is_promising(cache));
        let retry_at = promising.map(|cache| cache.consistent.retry_at.get()).max().unwrap_or(0);
        retry_at.max(self.retry_at.get()).saturating_sub(now)
    }

    fn cut(&self, leader: DiskId) -> Pin<Box<dyn Future<Output = Result<(), SetWait>> + '_>> {
        Box::pin(async move {
            let result = cut(leader, self).await;
            self.waits_for.set(result.err());
            result
        })
    }

    fn remove(&self, disk: DiskId) {
        let is_other = |member: &Weak<DiskCache<E>>| member.upgrade().is_some_and(|cache| cache.id != disk);
        self.members.borrow_mut().retain(is_other);
        self.record_change();
    }

    fn end_full_pauses(&self) {
        for cache in self.attached() {
            if cache.consistent.is_full() {
                cache.end_pause("its redo ring is full, and another disk of its consistency set has to wait");
            }
        }
    }

    fn wake_waiters(&self) {
        for cache in self.attached() {
            cache.back.destage.wake_waiters();
        }
    }
}

/// Returns true if a disk promises something, or is about to by what it promised before the start.
fn is_promising<E: Env>(cache: &DiskCache<E>) -> bool {
    let state = &cache.consistent;
    state.promises() && !state.is_entering.get()
}

/// Returns true if a disk that promises something can be part of a cut.
fn is_ready<E: Env>(cache: &DiskCache<E>) -> bool {
    let state = &cache.consistent;
    state.ring().is_some()
        && state.is_taken_over.get()
        && state.is_entered.get()
        && !cache.is_loading()
        && !cache.back.stop.is_set()
        && cache.catalog.with_journal(|_| ()).is_some()
}

/// Has a disk belong to no set any more. Its ring goes on alone, durably.
///
/// # Errors
/// If the ring fails: then the disk is still a member.
pub(crate) async fn leave<E: Env>(cache: &Rc<DiskCache<E>>) -> Result<(), BlockError> {
    let state = &cache.consistent;
    let _changing = state.lock().await;
    let Some(set) = state.set() else { return Ok(()) };
    if let Some(ring) = state.ring() {
        let left = cache.pool.host.to_its_end(async move { ring.leave_set().await });
        left.await.map_err(|error| {
            BlockError::anywhere(ErrorKind::Io, Operation::Write).because(error.to_string())
        })?;
    }
    state.leave_set();
    set.remove(cache.id);
    cache.consistent.wake();
    Ok(())
}

/// Brings all members to a cut, if one can begin.
async fn cut<E: Env>(leader: DiskId, set: &ConsistencySet<E>) -> Result<(), SetWait> {
    check(set)?;
    let attached = set.attached();
    let _locks = lock_all(&attached).await;
    check(set)?;
    let members = set.participants();
    let is_locked = |member: &Participant<E>| attached.iter().any(|cache| Rc::ptr_eq(cache, &member.cache));
    let of_leader = members.iter().find(|member| member.cache.id == leader);
    let Some(leader) = of_leader.filter(|_| members.iter().all(is_locked)).map(|member| &member.cache) else {
        return Ok(());
    };
    prepare(set, &members).await?;
    // Something may have happened meanwhile to what no lock protects.
    check(set)?;
    let is_same = |(one, other): (&Participant<E>, &Participant<E>)| Rc::ptr_eq(&one.ring, &other.ring);
    let now = set.participants();
    if now.len() != members.len() || !members.iter().zip(&now).all(is_same) {
        return Ok(());
    }
    let groups = begin(leader, &members).await;
    let highest = members.iter().map(|member| member.ring.last_number()).max().unwrap_or(0);
    let taken_at = leader.consistent.wall_time();
    let cut = CutSummary { number: highest + 1, taken_at, members: members.len() as u32 };
    let disks: Vec<DiskId> = members.iter().map(|member| member.cache.id).collect();
    let left = RefCell::new(disks);
    let writes = members.iter().zip(groups).map(async |(member, group)| {
        let written = write(member, set.id, cut, group).await;
        left.borrow_mut().retain(|disk| *disk != member.cache.id);
        set.writing.replace(left.borrow().clone());
        written
    });
    let written = join_all(writes).await;
    finish(set, &members, cut.number, written)
}

fn check<E: Env>(set: &ConsistencySet<E>) -> Result<(), SetWait> {
    set.obstacle().map_or(Ok(()), Err)
}

/// Takes the locks of groups of all disks.
async fn lock_all<E: Env>(caches: &[Rc<DiskCache<E>>]) -> Vec<MutexGuard<'_, ()>> {
    for _ in 0..LOCK_TRIES {
        let mut locks = Vec::new();
        for cache in caches {
            locks.extend(cache.consistent.try_lock());
            if locks.len() == caches.len() {
                return locks;
            }
        }
        let taken = caches.iter().find(|cache| cache.consistent.try_lock().is_none());
        drop(locks);
        if let Some(cache) = taken {
            drop(cache.consistent.lock().await);
        }
    }
    let mut locks = Vec::new();
    for cache in caches {
        locks.push(cache.consistent.lock().await);
    }
    locks
}

/// Makes the rings ready for a cut.
async fn prepare<E: Env>(set: &ConsistencySet<E>, members: &[Participant<E>]) -> Result<(), SetWait> {
    let host = members[0].cache.pool.host.clone();
    if members.iter().any(|member| member.ring.is_unresolved()) {
        let (id, ours) = (set.id, members.to_vec());
        let resolved = host.to_its_end(async move {
            let rings: Vec<&RedoRing<E::Backing>> = ours.iter().map(|member| &*member.ring).collect();
            resolve_pending(id, &rings).await
        });
        if let Err((at, error)) = resolved.await {
            return Err(set.fail(&members[at].cache, error));
        }
    }
    let disks: Vec<DiskId> = members.iter().map(|member| member.cache.id).collect();
    if set.last_disks.borrow().as_ref() == Some(&disks) {
        return Ok(());
    }
    set.last_disks.take();
    for member in members {
        let ring = Rc::clone(&member.ring);
        if let Err(error) = host.to_its_end(async move { ring.settle_confirmed().await }).await {
            return Err(set.fail(&member.cache, error));
        }
    }
    set.last_disks.replace(Some(disks));
    Ok(())
}

/// Begins the groups of all members. Nothing is awaited, so no acknowledgement comes between.
async fn begin<E: Env>(leader: &DiskCache<E>, members: &[Participant<E>]) -> Vec<Dirty> {
    let mut groups = Vec::new();
    for Participant { cache, .. } in members {
        if canary::has(Bug::CutNotAtOnce) && !groups.is_empty() {
            leader.pool.host.sleep(leader.pool.host.random() % 50_000_000).await;
        }
        groups.push(cache.begin_group().expect("a disk that is ready has a journal"));
    }
    groups
}

/// Writes the group of one member.
async fn write<E: Env>(
    Participant { cache, ring }: &Participant<E>,
    set: SetId,
    cut: CutSummary,
    group: Dirty,
) -> Written {
    let began = cache.pool.host.now();
    let pages = group.pages();
    let (ours, to) = (Rc::clone(cache), Rc::clone(ring));
    let writing = async move {
        make_log_durable(&ours).await?;
        let changes = changes_of(&group);
        to.write_cut(set, cut, &changes, async |pages| content(&ours, pages).await).await
    };
    let result = keep_for_a_while(cache, cache.pool.host.to_its_end(writing)).await;
    // All of it is read, and other members may take longer.
    cache.consistent.kept.borrow_mut().give_up();
    if result.is_ok() && canary::has(Bug::CountsAlone) {
        ring.confirm(cut.number);
        cache.catalog.with_journal_mut(|journal| journal.complete_group(cut.number));
        cache.release_groups();
        cache.back.destage.wake_all();
    }
    Written { result, pages, took: cache.pool.host.now() - began }
}

/// Has all groups of a cut count, or none.
fn finish<E: Env>(
    set: &ConsistencySet<E>,
    members: &[Participant<E>],
    number: u64,
    written: Vec<Written>,
) -> Result<(), SetWait> {
    let failed = written.iter().position(|written| written.result.is_err());
    let failed = failed.map(|at| members[at].cache.id);
    for (Participant { cache, ring }, Written { result, pages, took }) in members.iter().zip(written) {
        if let Some(failed) = failed {
            cache.abandon_group();
            ring.withdraw(number);
            match result {
                Ok(()) => drop(cache.consistent.failure.replace(Some(SetWait::Disk(failed).failure()))),
                Err(error) => drop(set.fail(cache, error)),
            }
            continue;
        }
        if !canary::has(Bug::CountsAlone) {
            ring.confirm(number);
        }
        cache.count_group(number, pages, took);
        cache.release_groups();
        tail_first(cache, ring);
        cache.back.destage.wake_all();
    }
    if let Some(failed) = failed {
        return Err(SetWait::Disk(failed));
    }
    Ok(())
}

impl<E: Env> ConsistencySet<E> {
    /// Leaves the failure of its ring to a disk, whose own task knows what helps.
    fn fail(&self, cache: &Rc<DiskCache<E>>, error: RingError) -> SetWait {
        let wait = SetWait::Disk(cache.id);
        self.retry_at.set(cache.pool.host.now() + RETRY_NS);
        cache.consistent.cut_failure.replace(Some(error));
        cache.consistent.wake();
        wait
    }
}
