//! Somebody who records: takes what was noted, puts it in order, and makes traces of it.
//!
//! Nothing here depends on how much waits: each note is put in order twice, when it is taken, among those that were taken with it,
//! and when it is written, among those that are written with it.

use std::collections::VecDeque;
use std::mem;
use std::time::{Duration, Instant};

use trace::{Format, Writer};

use super::NOTES_MAX;
use super::note::Note;

/// Notes come when requests end, and a trace has them as they came: so long is waited for those that take their time. One
/// that takes longer stands behind others that came later, and its time runs backwards.
const PATIENCE: Duration = Duration::from_secs(1);
/// Notes that are waiting at most, whatever the time.
const WAITING_MAX: usize = 1 << 18;
/// Whoever takes nothing for so long is gone.
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(10);

pub(super) struct Session {
    /// Its number, and that of its disk.
    is: (u32, u32),
    began: Instant,
    taken: Instant,
    /// Room for notes, to be exchanged for one that has some: two that are used again and again, so that their memory is at hand.
    spare: Vec<Note>,
    /// What waits, as it was taken.
    runs: VecDeque<Run>,
}

/// What was taken at once, in the order in which it came.
struct Run {
    notes: Vec<Note>,
    /// The first of them that is not written yet.
    next: usize,
}

impl Run {
    fn left(&self) -> &[Note] {
        &self.notes[self.next..]
    }
}

impl Session {
    pub(super) fn new(is: (u32, u32), began: Instant) -> Self {
        let spare = Vec::with_capacity(NOTES_MAX);
        Self { is, began, taken: began, spare, runs: VecDeque::new() }
    }

    /// Whether whoever records may be there.
    pub(super) fn is_alive(&self) -> bool {
        self.taken.elapsed() < SILENCE_MAX
    }

    /// Whether it has these numbers.
    pub(super) fn is(&self, is: (u32, u32)) -> bool {
        self.is == is
    }

    /// As if nobody had taken anything for long.
    #[cfg(test)]
    pub(super) fn fall_silent(&mut self) {
        self.taken = self.taken.checked_sub(SILENCE_MAX).expect("clocks run since the machine was started");
    }

    /// Room without notes, to be given back with some.
    pub(super) fn spare(&mut self) -> Vec<Note> {
        mem::take(&mut self.spare)
    }

    /// Adds what was noted since the last time.
    pub(super) fn add(&mut self, mut noted: Vec<Note>) {
        if !noted.is_empty() {
            let mut notes = noted.clone();
            notes.sort_by_key(|note| note.at_us);
            self.runs.push_back(Run { notes, next: 0 });
        }
        noted.clear();
        self.spare = noted;
    }

    /// Whatever came more than a moment ago.
    pub(super) fn take(&mut self, dropped: u64) -> Vec<u8> {
        self.taken = Instant::now();
        let until = self.began.elapsed().checked_sub(PATIENCE).map(|until| until.as_micros() as u64);
        written(&self.due(until, WAITING_MAX), dropped)
    }

    /// Everything.
    pub(super) fn end(mut self, dropped: u64) -> Vec<u8> {
        written(&self.due(Some(u64::MAX), 0), dropped)
    }

    /// What came up to `until`, in microseconds, nothing if that was before it began; and more if more than `waiting_max` would wait.
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

    /// Moves what came up to `until` to `due`.
    fn move_until(&mut self, until: u64, due: &mut Vec<Note>) {
        for run in &mut self.runs {
            let count = run.left().partition_point(|note| note.at_us <= until);
            due.extend_from_slice(&run.left()[..count]);
            run.next += count;
        }
        self.runs.retain(|run| !run.left().is_empty());
    }
}

/// Notes as a trace.
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
        // With the oldest, what came before them goes as well.
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
