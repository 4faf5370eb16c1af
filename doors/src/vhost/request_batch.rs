//! Request batch: requests that were taken one after another before the first of them is done. Those whose data is in RAM are answered
//! together.

use std::rc::Rc;

use block::{BlockDevice, WantedRange};
use smallvec::SmallVec;

use super::limits::TOLD_EVERY;
use super::memory::Memory;
use super::request::{Request, Scatter, conclude};

/// A request that was taken and understood, and is in flight.
pub(super) struct ParsedRequest {
    pub(super) head: u16,
    pub(super) request: Request,
    pub(super) memory: Rc<Memory>,
}

impl ParsedRequest {
    /// Returns the room for its answer.
    fn answer(&self) -> Scatter<'_> {
        Scatter::new(&self.memory, self.request.data())
    }
}

/// Taken requests, in their order: at most as many as one notification covers.
#[derive(Default)]
pub(super) struct RequestBatch {
    all: SmallVec<[ParsedRequest; TOLD_EVERY]>,
}

impl RequestBatch {
    pub(super) fn push(&mut self, taken: ParsedRequest) {
        self.all.push(taken);
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns true if another one may be taken with these: all are short reads, and there are fewer than `most`.
    pub(super) fn takes_more(&self, most: usize) -> bool {
        self.all.len() < most && self.all.last().is_some_and(|last| last.request.is_short_read())
    }

    /// Answers those reads whose data the disk has in RAM, which neither wait nor are copied twice, and writes their status. They are
    /// removed from the batch, and reported by `answered`: their heads, and how many bytes were written to the guest's memory. The others
    /// are unchanged.
    pub(super) fn answer_cached(&mut self, device: &impl BlockDevice, mut answered: impl FnMut(u16, u32)) {
        // A request that may be long or no read is the last one.
        let ranges = self.all.iter().map_while(|taken| taken.request.cacheable_range());
        let mut wanted: SmallVec<[WantedRange; TOLD_EVERY]> = ranges.map(WantedRange::new).collect();
        if wanted.is_empty() {
            return;
        }
        let mut done = |place: usize, answer: Scatter<'_>| {
            let ParsedRequest { head, request, memory } = &self.all[place];
            answered(*head, conclude(memory, request.status_at(), answer.finish()));
        };
        // The guest sees each answer as soon as it is there, and not with the last.
        let mut given: Option<(usize, Scatter<'_>)> = None;
        device.try_read_cached(&mut wanted, &mut |place, bytes| {
            if let Some((before, answer)) = given.take_if(|(now, _)| *now != place) {
                done(before, answer);
            }
            given.get_or_insert_with(|| (place, self.all[place].answer())).1.put(bytes);
        });
        if let Some((last, answer)) = given {
            done(last, answer);
        }
        let mut wanted = wanted.into_iter();
        self.all.retain(|_| !wanted.next().is_some_and(|read| read.given));
    }

    /// Takes all that are left.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = ParsedRequest> {
        self.all.drain(..)
    }
}
