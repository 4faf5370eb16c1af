//! Traces recorded while a disk is served: what guests ask for, noted in front of the cache.
//!
//! ```text
//!   guest ──> door ──> Recorded ──> CachedDisk          on the disk's shard
//!                         │ when a request ends, if somebody records
//!                         v
//!                   two bounded rooms ──> whoever takes what is in them, every moment, and writes it
//! ```
//! A request never waits for its note. Whoever takes the notes has one room at a time, for as long as it takes to put an empty one in its
//! place, and meanwhile notes go to the other one. What finds its room full is dropped and counted. Nothing here writes
//! a file; whoever records takes small traces one after another and does what he likes.
//! A disk that moves between shards goes on being recorded: recorders are found by the disk's name. One that is removed does not,
//! nor one of which nobody takes anything for ten seconds: [`end_silent`] ends that, and gives back the memory.

mod device;
mod note;
mod session;

use std::collections::BTreeMap;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use base::problem::{Answer, Problem};
use trace::Request;

pub(crate) use device::Recorded;
use note::Note;
use session::{SILENCE_MAX, Session};

/// Notes that there is room for: a tenth of a second, which is how often they are taken, at 600,000 requests a second. 3 MiB while
/// a disk is recorded, half as much again if many come while notes are taken, and at most 12 MiB for what waits to be put in order.
const NOTES_MAX: usize = 1 << 16;

/// All recorders, by the names of their disks.
static RECORDERS: Mutex<BTreeMap<String, Arc<Recorder>>> = Mutex::new(BTreeMap::new());

/// The number of the last recording.
static LAST: AtomicU32 = AtomicU32::new(0);

/// What notes the requests of one disk, when somebody wants that.
#[derive(Default)]
pub(crate) struct Recorder {
    /// So that a request that nobody records costs one look.
    is_on: AtomicBool,
    /// Notes go to the first one, or to the second one while somebody has the first.
    rooms: [Mutex<Option<Room>>; 2],
    /// Since they were told of last.
    dropped: AtomicU64,
    session: Mutex<Option<Session>>,
}

/// Where notes go in.
struct Room {
    /// What came since the last time, in the order in which it ended; never more than there is room for.
    notes: Vec<Note>,
    began: Instant,
}

/// The recorder of the disk `name`, which is made if there is none.
pub(crate) fn recorder(name: &str) -> Arc<Recorder> {
    let mut recorders = lock(&RECORDERS);
    // Those of disks that are gone, and that nobody records.
    recorders.retain(|_, recorder| Arc::strong_count(recorder) > 1 || recorder.is_recorded());
    Arc::clone(recorders.entry(name.to_owned()).or_default())
}

/// Ends recordings of which nobody took anything for ten seconds. To be called every now and then.
pub(crate) fn end_silent() {
    let recorders: Vec<Arc<Recorder>> = lock(&RECORDERS).values().cloned().collect();
    for recorder in recorders {
        recorder.end_if_silent();
    }
}

impl Recorder {
    /// Whether requests are to be noted.
    fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// Whether somebody takes what is noted.
    fn is_recorded(&self) -> bool {
        lock(&self.session).as_ref().is_some_and(Session::is_alive)
    }

    /// Begins to record the disk `name`, whose number is `disk`. The recording has a number of its own, by which it is taken and
    /// ended.
    ///
    /// # Errors
    /// If somebody else records it. One who has taken nothing for ten seconds is gone.
    pub(crate) fn start(&self, name: &str, disk: u32) -> Answer<u32> {
        let mut session = lock(&self.session);
        if session.as_ref().is_some_and(Session::is_alive) {
            return Err(Problem::conflict(format!(
                "Cannot record disk '{name}': somebody records it already; wait until that ends"
            )));
        }
        let began = Instant::now();
        self.dropped.store(0, Ordering::Relaxed);
        for (room, notes) in self.rooms.iter().zip([Vec::with_capacity(NOTES_MAX), Vec::new()]) {
            *lock(room) = Some(Room { notes, began });
        }
        let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        *session = Some(Session::new((number, disk), began));
        self.is_on.store(true, Ordering::Relaxed);
        Ok(number)
    }

    /// What came to the disk since the last time, as a trace of its own: whatever ended more than a second ago, in the order in which
    /// it came.
    ///
    /// # Errors
    /// If this recording is over.
    pub(crate) fn take(&self, name: &str, disk: u32, number: u32) -> Answer<Vec<u8>> {
        let mut session = lock(&self.session);
        let session = session.as_mut().filter(|session| session.is((number, disk)));
        let session = session.ok_or_else(|| not_recorded(name, number))?;
        let mut noted = session.spare();
        let [first, second] = &self.rooms;
        if let Some(room) = lock(first).as_mut() {
            mem::swap(&mut room.notes, &mut noted);
        }
        if let Some(room) = lock(second).as_mut() {
            noted.append(&mut room.notes);
        }
        session.add(noted);
        Ok(session.take(self.dropped.swap(0, Ordering::Relaxed)))
    }

    /// Ends it: the rest, as a trace of its own.
    ///
    /// # Errors
    /// If this recording is over.
    pub(crate) fn end(&self, name: &str, disk: u32, number: u32) -> Answer<Vec<u8>> {
        let mut session = lock(&self.session);
        let ended = session.take_if(|session| session.is((number, disk)));
        let mut ended = ended.ok_or_else(|| not_recorded(name, number))?;
        ended.add(self.stop());
        Ok(ended.end(self.dropped.swap(0, Ordering::Relaxed)))
    }

    fn end_if_silent(&self) {
        let mut session = lock(&self.session);
        if session.take_if(|session| !session.is_alive()).is_some() {
            drop(self.stop());
        }
    }

    /// Has nothing noted any more, and returns what was. What is in flight finds no room.
    fn stop(&self) -> Vec<Note> {
        self.is_on.store(false, Ordering::Relaxed);
        self.rooms.iter().filter_map(|room| lock(room).take()).flat_map(|room| room.notes).collect()
    }

    /// Notes requests that came at `came`. Never waits.
    fn note(&self, came: Instant, requests: impl Iterator<Item = Request>) {
        let Some(mut room) = self.rooms.iter().find_map(|room| room.try_lock().ok()) else {
            self.dropped.fetch_add(requests.count() as u64, Ordering::Relaxed);
            return;
        };
        let Some(Room { notes, began }) = &mut *room else { return };
        // What came before the recording began is no part of it.
        let Some(at) = came.checked_duration_since(*began) else { return };
        let at_us = at.as_micros() as u64;
        for request in requests {
            if notes.len() < NOTES_MAX {
                notes.push(Note::new(at_us, &request));
            } else {
                self.dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

fn not_recorded(name: &str, number: u32) -> Problem {
    Problem::conflict(format!(
        "Cannot take recording {number} of disk '{name}': it is over, as it was ended, or nothing of it was taken for {} seconds, or the \
         disk is another one; begin again",
        SILENCE_MAX.as_secs()
    ))
}

/// A lock that is held for moments. What it guards is whole also if somebody panicked meanwhile.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
