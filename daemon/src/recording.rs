//! Traces recorded while a disk is served: what guests ask for, noted in front of the cache.
//!
//! ```text
//!   guest ──> door ──> Recorded ──> CachedDisk          on the disk's shard
//!                         │ when a request ends, if somebody records
//!                         v
//!                    bounded ring ──> whoever takes what is in it, every moment, and writes it
//! ```
//! A request never waits for its note: if the ring is full, or somebody else has it just then, the note is dropped and
//! counted. Nothing here writes a file; whoever records takes small traces one after another and does what he likes.
//! A disk that moves between shards goes on being recorded: recorders are found by the disk's name.

mod device;
mod session;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use trace::Request;

use crate::problem::{Answer, Problem};
pub(crate) use device::Recorded;
use session::{SILENCE_MAX, Session};

/// Notes that fit into the ring: a tenth of a second, which is how often it is emptied, at 600,000 requests a second. Takes
/// 4 MiB while a disk is recorded, and nothing else.
const RING_NOTES: usize = 1 << 16;

/// All recorders, by the names of their disks.
static RECORDERS: Mutex<BTreeMap<String, Arc<Recorder>>> = Mutex::new(BTreeMap::new());

/// What notes the requests of one disk, when somebody wants that.
#[derive(Default)]
pub(crate) struct Recorder {
    /// So that a request that nobody records costs one look.
    is_on: AtomicBool,
    ring: Mutex<Option<Ring>>,
    dropped: AtomicU64,
    /// When something was taken, in milliseconds since the recording began.
    taken_ms: AtomicU64,
    session: Mutex<Option<Session>>,
}

/// The end of the ring where notes go in.
struct Ring {
    notes: SyncSender<Request>,
    began: Instant,
}

/// The recorder of the disk `name`, which is made if there is none.
pub(crate) fn recorder(name: &str) -> Arc<Recorder> {
    let mut recorders = lock(&RECORDERS);
    // Those of disks that are gone, and that nobody records.
    recorders.retain(|_, recorder| Arc::strong_count(recorder) > 1 || recorder.is_recorded());
    Arc::clone(recorders.entry(name.to_owned()).or_default())
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

    /// Begins to record the disk `name`.
    ///
    /// # Errors
    /// If somebody else records it. One who has taken nothing for ten seconds is gone.
    pub(crate) fn start(&self, name: &str) -> Answer<()> {
        let mut session = lock(&self.session);
        if session.as_ref().is_some_and(Session::is_alive) {
            return Err(Problem::conflict(format!(
                "Cannot record disk '{name}': somebody records it already; wait until that ends"
            )));
        }
        let (notes, taken) = sync_channel(RING_NOTES);
        let began = Instant::now();
        self.dropped.store(0, Ordering::Relaxed);
        self.taken_ms.store(0, Ordering::Relaxed);
        *lock(&self.ring) = Some(Ring { notes, began });
        *session = Some(Session::new(taken, began));
        self.is_on.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// What came since the last time, as a trace of its own: whatever ended more than a second ago, in the order in which it
    /// came.
    ///
    /// # Errors
    /// If nobody records the disk.
    pub(crate) fn take(&self, name: &str) -> Answer<Vec<u8>> {
        let mut session = lock(&self.session);
        let session =
            session.as_mut().filter(|session| session.is_alive()).ok_or_else(|| not_recorded(name))?;
        let (piece, taken) = session.take(self.dropped.swap(0, Ordering::Relaxed));
        self.taken_ms.store(taken.as_millis() as u64, Ordering::Relaxed);
        Ok(piece)
    }

    /// Ends it: the rest, as a trace of its own.
    ///
    /// # Errors
    /// If nobody records the disk.
    pub(crate) fn end(&self, name: &str) -> Answer<Vec<u8>> {
        let mut session = lock(&self.session);
        let ended = session.take().ok_or_else(|| not_recorded(name))?;
        self.is_on.store(false, Ordering::Relaxed);
        // What is in flight finds no ring and is not noted.
        *lock(&self.ring) = None;
        Ok(ended.end(self.dropped.swap(0, Ordering::Relaxed)))
    }

    /// Notes requests that came at `came`. Never waits.
    fn note(&self, came: Instant, requests: impl Iterator<Item = Request>) {
        let Ok(ring) = self.ring.try_lock() else {
            self.dropped.fetch_add(requests.count() as u64, Ordering::Relaxed);
            return;
        };
        let Some(Ring { notes, began }) = &*ring else { return };
        // What came before the recording began is no part of it.
        let Some(at) = came.checked_duration_since(*began) else { return };
        for request in requests {
            let request = Request { at_us: Some(at.as_micros() as u64), ..request };
            if notes.try_send(request).is_err() {
                self.dropped.fetch_add(1, Ordering::Relaxed);
                let taken = Duration::from_millis(self.taken_ms.load(Ordering::Relaxed));
                if at > taken + SILENCE_MAX {
                    // Whoever recorded is gone, and nobody need note anything any more.
                    self.is_on.store(false, Ordering::Relaxed);
                }
            }
        }
    }
}

fn not_recorded(name: &str) -> Problem {
    Problem::conflict(format!(
        "Cannot take the recording of disk '{name}': nobody records it, or nobody took anything for {} seconds; begin again",
        SILENCE_MAX.as_secs()
    ))
}

/// A lock that is held for moments. What it guards is whole also if somebody panicked meanwhile.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
