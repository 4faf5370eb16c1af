//! A session of a recording: takes notes, sorts them, and writes traces.
//!
//! The cost does not depend on how much waits: each note is sorted twice, when it is taken, among those that
//! were taken with it, and when it is written, among those that are written with it.

use std::collections::VecDeque;
use std::mem;
use std::time::{Duration, Instant};

use trace::{Format, Writer};

use super::NOTES_MAX;
use super::note::Note;

/// Time that notes wait to be sorted: they are made when requests end, and a trace has them in the order of
/// arrival. A request that takes longer is written behind later ones, and its time runs backwards.
const PATIENCE: Duration = Duration::from_secs(1);
/// The most notes that wait, whatever the time.
const WAITING_MAX: usize = 1 << 18;
/// Time without a take after which a recording is over.
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(10);

pub(super) struct Session {
    /// Number of the recording, and of its disk.
    is: (u32, u32),
    began: Instant,
    taken: Instant,
    /// An empty buffer, to be exchanged for one with notes: two are used in turns, so that their memory stays
    /// allocated.
    spare: Vec<Note>,
    /// Waiting notes, as they were taken.
    runs: VecDeque<NoteBatch>,
}

/// Notes that were taken at once, in the order of arrival.
struct NoteBatch {
    notes: Vec<Note>,
    /// Index of the first one that is not written yet.
    next: usize,
}

impl NoteBatch {
    fn left(&self) -> &[Note] {
        &self.notes[self.next..]
    }
}

impl Session {
    pub(super) fn new(is: (u32, u32), began: Instant) -> Self {
        let spare = Vec::with_capacity(NOTES_MAX);
        Self { is, began, taken: began, spare, runs: VecDeque::new() }
    }

    /// Returns true if the recording may still be consumed.
    pub(super) fn is_alive(&self) -> bool {
        self.taken.elapsed() < SILENCE_MAX
    }

    /// Returns true if it has these numbers.
    pub(super) fn is(&self, is: (u32, u32)) -> bool {
        self.is == is
    }

    /// Simulates a long time without a take.
    #[cfg(test)]
    pub(super) fn fall_silent(&mut self) {
        self.taken = self.taken.checked_sub(SILENCE_MAX).expect("clocks run since the machine was started");
    }

    /// Returns a buffer without notes, to be given back with some.
    pub(super) fn spare(&mut self) -> Vec<Note> {
        mem::take(&mut self.spare)
    }

    /// Adds the notes since the last time.
    pub(super) fn add(&mut self, mut noted: Vec<Note>) {
        if !noted.is_empty() {
            let mut notes = noted.clone();
            notes.sort_by_key(|note| note.at_us);
            self.runs.push_back(NoteBatch { notes, next: 0 });
        }
        noted.clear();
        self.spare = noted;
    }

    /// Returns everything that arrived more than a moment ago.
    pub(super) fn take(&mut self, dropped: u64) -> Vec<u8> {
        self.taken = Instant::now();
        let until = self.began.elapsed().checked_sub(PATIENCE).map(|until| until.as_micros() as u64);
        written(&self.due(until, WAITING_MAX), dropped)
    }

    /// Returns everything.
    pub(super) fn end(mut self, dropped: u64) -> Vec<u8> {
        written(&self.due(Some(u64::MAX), 0), dropped)
    }

    /// Returns notes of arrivals up to `until`, in microseconds, none if that was before the start; and more
    /// if more than `waiting_max` would wait.
    fn due(&mut self, until: Option<u64>, waiting_max: usize) -> Vec<Note> {
        let mut due = Vec::new();
        if let Some(until) = until {
            self.move_until(until, &mut due);
        }
        while self.runs.iter().map(|run| run.left().len()).sum::<usize>() > waiting_max {
            let oldest = self.runs.front().and_then(|run| run.notes.last());
            self.move_until(oldest.map_or(u64::MAX, |note| note.at_us), &mut due);
        }
        due.sort_by_key(|note| note.at_us);
        due
    }

    /// Moves notes of arrivals up to `until` to `due`.
    fn move_until(&mut self, until: u64, due: &mut Vec<Note>) {
        for run in &mut self.runs {
            let count = run.left().partition_point(|note| note.at_us <= until);
            due.extend_from_slice(&run.left()[..count]);
            run.next += count;
        }
        self.runs.retain(|run| !run.left().is_empty());
    }
}

/// Returns notes as a trace.
fn written(notes: &[Note], dropped: u64) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), Format::Forebay).expect("memory takes any trace of this format");
    for note in notes {
        writer.add(&note.request()).expect("the device notes what can be in a trace");
    }
    writer.finish(dropped).expect("memory takes any trace")
}

#[cfg(test)]
mod tests {
    use trace::Request;

    use super::*;

    fn session(taken: &[&[u64]]) -> Session {
        let mut session = Session::new((1, 1), Instant::now());
        for times in taken {
            let mut noted = session.spare();
            noted.extend(times.iter().map(|at_us| Note::new(*at_us, &Request::default())));
            session.add(noted);
        }
        session
    }

    fn due(session: &mut Session, until: Option<u64>, waiting_max: usize) -> Vec<u64> {
        session.due(until, waiting_max).iter().map(|note| note.at_us).collect()
    }

    #[test]
    fn notes_that_were_taken_apart_are_put_in_order() {
        let mut session = session(&[&[5, 3, 9], &[4, 12, 10], &[], &[1, 11]]);
        assert!(due(&mut session, None, 8).is_empty());
        assert_eq!(due(&mut session, Some(4), 8), [1, 3, 4]);
        assert!(due(&mut session, Some(4), 8).is_empty());
        assert_eq!(due(&mut session, Some(10), 8), [5, 9, 10]);
        assert_eq!(due(&mut session, Some(u64::MAX), 0), [11, 12]);
        assert!(session.runs.is_empty());
    }

    #[test]
    fn what_waits_is_bounded_whatever_the_time() {
        let mut session = session(&[&[5, 3], &[4, 12], &[1, 11]]);
        // Earlier arrivals are written with the oldest.
        assert_eq!(due(&mut session, None, 3), [1, 3, 4, 5]);
        assert_eq!(due(&mut session, None, 1), [11, 12]);
        assert!(due(&mut session, None, 0).is_empty());
    }

    #[test]
    fn the_same_room_is_used_again() {
        let mut session = session(&[&[1, 2, 3]]);
        let spare = session.spare();
        assert!(spare.is_empty() && spare.capacity() >= NOTES_MAX, "{}", spare.capacity());
    }
}
