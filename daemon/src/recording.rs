//! Recording of traces while a disk is served: requests of guests, noted in front of the cache.
//!
//! ```text
//!   guest ──> door ──> RecordedDisk ──> CachedDisk      on the disk's shard
//!                         │ when a request ends, during a recording
//!                         v
//!                   two bounded buffers ──> a consumer, which takes them several times a second, and writes them
//! ```
//! A request never waits for its note. A consumer holds one buffer at a time, just long enough to replace it
//! by an empty one, and meanwhile notes go to the other one. Notes without space are dropped and counted. No
//! file is written here; the consumer gets small traces one after another.
//! A disk that moves between shards continues to be recorded: recorders are found by the disk's name. A
//! removed disk does not, nor a recording that is not consumed for ten seconds: [`end_silent`] ends it, and
//! frees its memory.

mod device;
mod note;
mod session;

use std::collections::BTreeMap;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use base::error::{Error, Result};
use trace::Request;

pub(crate) use device::RecordedDisk;
use note::Note;
use session::{SILENCE_MAX, Session};

/// Capacity of a buffer in notes: a tenth of a second, the interval of the consumer, at 600,000 requests a
/// second. It takes 3 MiB while a disk is recorded, half as much again if many notes arrive while they are
/// taken, and at most 12 MiB for notes that wait to be sorted.
const NOTES_MAX: usize = 1 << 16;

/// All recorders, by the names of their disks.
static RECORDERS: Mutex<BTreeMap<String, Arc<Recorder>>> = Mutex::new(BTreeMap::new());

/// The number of the last recording.
static LAST: AtomicU32 = AtomicU32::new(0);

/// Recorder of the requests of one disk, while there is a recording.
#[derive(Default)]
pub(crate) struct Recorder {
    /// Keeps the cost of a request without a recording at one load.
    is_on: AtomicBool,
    /// Buffers: notes go to the first one, or to the second one while the first is locked.
    rooms: [Mutex<Option<NoteBuffer>>; 2],
    /// Dropped notes since they were reported last.
    dropped: AtomicU64,
    session: Mutex<Option<Session>>,
}

/// A buffer of notes.
struct NoteBuffer {
    /// Notes since the last time, in the order in which requests ended; never more than the capacity.
    notes: Vec<Note>,
    began: Instant,
}

/// Returns the recorder of the disk `name`; creates it if there is none.
pub(crate) fn recorder(name: &str) -> Arc<Recorder> {
    let mut recorders = lock(&RECORDERS);
    // Recorders of removed disks without a recording.
    recorders.retain(|_, recorder| Arc::strong_count(recorder) > 1 || recorder.is_recorded());
    Arc::clone(recorders.entry(name.to_owned()).or_default())
}

/// Ends recordings that were not consumed for ten seconds. Must be called now and then.
pub(crate) fn end_silent() {
    let recorders: Vec<Arc<Recorder>> = lock(&RECORDERS).values().cloned().collect();
    for recorder in recorders {
        recorder.end_if_silent();
    }
}

impl Recorder {
    /// Returns true if requests are to be noted.
    fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// Returns true if notes are consumed.
    fn is_recorded(&self) -> bool {
        lock(&self.session).as_ref().is_some_and(Session::is_alive)
    }

    /// Begins to record the disk `name`, whose number is `disk`. Returns a number by which the recording is
    /// taken and ended.
    ///
    /// # Errors
    /// If there is another recording. One that was not consumed for ten seconds is over.
    pub(crate) fn start(&self, name: &str, disk: u32) -> Result<u32> {
        let mut session = lock(&self.session);
        if session.as_ref().is_some_and(Session::is_alive) {
            return Err(Error::conflict(format!(
                "Cannot record disk '{name}': a recording of it runs already; wait until that ends"
            )));
        }
        let began = Instant::now();
        self.dropped.store(0, Ordering::Relaxed);
        for (room, notes) in self.rooms.iter().zip([Vec::with_capacity(NOTES_MAX), Vec::new()]) {
            *lock(room) = Some(NoteBuffer { notes, began });
        }
        let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        *session = Some(Session::new((number, disk), began));
        self.is_on.store(true, Ordering::Relaxed);
        Ok(number)
    }

    /// Returns a trace of the requests since the last time that ended more than a second ago, in the order in
    /// which they arrived.
    ///
    /// # Errors
    /// If this recording is over.
    pub(crate) fn take(&self, name: &str, disk: u32, number: u32) -> Result<Vec<u8>> {
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

    /// Ends the recording. Returns the rest, as a trace of its own.
    ///
    /// # Errors
    /// If this recording is over.
    pub(crate) fn end(&self, name: &str, disk: u32, number: u32) -> Result<Vec<u8>> {
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

    /// Stops noting, and returns the notes. Requests in flight find no buffer.
    fn stop(&self) -> Vec<Note> {
        self.is_on.store(false, Ordering::Relaxed);
        self.rooms.iter().filter_map(|room| lock(room).take()).flat_map(|room| room.notes).collect()
    }

    /// Notes requests that arrived at `came`. Never waits.
    fn record(&self, came: Instant, requests: impl Iterator<Item = Request>) {
        let Some(mut room) = self.rooms.iter().find_map(|room| room.try_lock().ok()) else {
            self.dropped.fetch_add(requests.count() as u64, Ordering::Relaxed);
            return;
        };
        let Some(NoteBuffer { notes, began }) = &mut *room else { return };
        // Requests from before the recording are no part of it.
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

fn not_recorded(name: &str, number: u32) -> Error {
    Error::conflict(format!(
        "Cannot take recording {number} of disk '{name}': it is over, as it was ended, or nothing of it was taken for {} seconds, or the \
         disk is another one; begin again",
        SILENCE_MAX.as_secs()
    ))
}

/// Locks a mutex that is held for moments only. Its content is consistent also after a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
