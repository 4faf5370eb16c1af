//! Somebody who records: empties the ring, puts notes in order, and makes traces of them.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use trace::{Format, Request, Writer};

use super::RING_NOTES;

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
    notes: Receiver<Request>,
    began: Instant,
    taken: Instant,
    waiting: Vec<Request>,
}

impl Session {
    pub(super) fn new(is: (u32, u32), notes: Receiver<Request>, began: Instant) -> Self {
        Self { is, notes, began, taken: began, waiting: Vec::new() }
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

    /// Whatever came more than a moment ago.
    pub(super) fn take(&mut self, dropped: u64) -> Vec<u8> {
        self.taken = Instant::now();
        let until = self.began.elapsed().checked_sub(PATIENCE).map(|until| until.as_micros() as u64);
        self.trace(until, WAITING_MAX, dropped)
    }

    /// Everything.
    pub(super) fn end(mut self, dropped: u64) -> Vec<u8> {
        self.trace(Some(u64::MAX), 0, dropped)
    }

    /// What came up to `until`, in microseconds, nothing if that was before it began; and more if more than `waiting_max` would wait.
    fn trace(&mut self, until: Option<u64>, waiting_max: usize, dropped: u64) -> Vec<u8> {
        self.waiting.extend(self.notes.try_iter());
        // Nearly in order already, which this sort is quick with.
        self.waiting.sort_by_key(|request| request.at_us);
        let due = self.waiting.partition_point(|request| request.at_us <= until);
        let due = due.max(self.waiting.len().saturating_sub(waiting_max));
        let mut writer =
            Writer::new(Vec::new(), Format::Forebay).expect("memory takes any trace of this format");
        for request in self.waiting.drain(..due) {
            writer.add(&request).expect("the device notes what can be in a trace");
        }
        self.waiting.shrink_to(RING_NOTES);
        writer.finish(dropped).expect("memory takes any trace")
    }
}
