//! A guest with several requests in flight that knows what it was promised, and checks what it reads.
//!
//! No two of its requests are in one place at a time, so that an answer has one right content and a few legal ones.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use doors::nbd::Client;
use doors::nbd::client::Answer;
use doors::nbd::wire::Command;

use crate::stamps::{Chance, Load, Model, SECTOR, Windows};

/// Requests in flight.
const DEPTH: usize = 12;
/// Requests between two flushes.
const BETWEEN_FLUSHES: u64 = 40;

/// The guest.
pub(crate) struct Busy {
    client: Client,
    load: Load,
    /// What the disk may hold, by the acknowledgements so far.
    pub(crate) model: Model,
    waiting: BTreeMap<u64, Waiting>,
}

/// What the guest was just told.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Told {
    /// A write is acknowledged: the guest's so many-th.
    Written,
    /// A flush is: all writes below this one had been acknowledged when it was sent.
    Flushed(u64),
}

/// Why the guest stopped.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// The disk is gone, which may be what the test is about.
    Gone(String),
    /// The disk held what it must not.
    Wrong(String),
}

/// A request in flight.
enum Waiting {
    Write(u64),
    Read(Range<u64>),
    /// With what was the lowest write not yet acknowledged when it was sent.
    Flush(u64),
}

impl Busy {
    /// A guest of the disk behind `client`, whose windows hold what `before` says.
    pub(crate) fn new(client: Client, load: Load, before: Vec<u8>) -> Self {
        Self { client, model: Model::new(load.clone(), before), load, waiting: BTreeMap::new() }
    }

    /// Reads, writes and flushes until the disk is gone or wrong; `hear` is told what happens.
    pub(crate) fn work(&mut self, mut hear: impl FnMut(Told)) -> Stopped {
        let mut chance = Chance::new(self.load.seed());
        let mut next = 0;
        loop {
            let done = self.request(&mut chance, &mut next, &mut hear);
            if let Err(stopped) = done {
                return stopped;
            }
        }
    }

    fn request(
        &mut self,
        chance: &mut Chance,
        next: &mut u64,
        hear: &mut impl FnMut(Told),
    ) -> Result<(), Stopped> {
        match chance.below(BETWEEN_FLUSHES) {
            // Writes stay in flight meanwhile: the flush says nothing about those.
            0 => self.send(Command::Flush, 0, &[], Waiting::Flush(self.unacknowledged(*next))),
            number if number % 2 == 0 => {
                let place = self.load.draw(chance);
                self.make_room(&place, hear)?;
                let length = (place.end - place.start) * SECTOR;
                self.send(Command::Read, place.start, &vec![0; length as usize], Waiting::Read(place))
            }
            _ => {
                let place = self.load.place(*next);
                self.make_room(&place, hear)?;
                let content = self.load.content(*next, &place);
                *next += 1;
                self.send(Command::Write, place.start, &content, Waiting::Write(*next - 1))
            }
        }
    }

    /// The first write that is not acknowledged; `next` has not been sent.
    fn unacknowledged(&self, next: u64) -> u64 {
        let writes = self.waiting.values().filter_map(|waiting| match waiting {
            Waiting::Write(number) => Some(*number),
            _ => None,
        });
        writes.min().unwrap_or(next)
    }

    /// Waits until there are few requests in flight and none of them in `place`.
    fn make_room(&mut self, place: &Range<u64>, hear: &mut impl FnMut(Told)) -> Result<(), Stopped> {
        while self.waiting.len() >= DEPTH || self.waiting.values().any(|waiting| self.meets(place, waiting)) {
            hear_if_told(self.receive()?, hear);
        }
        Ok(())
    }

    fn meets(&self, place: &Range<u64>, waiting: &Waiting) -> bool {
        let other = match waiting {
            Waiting::Write(number) => self.load.place(*number),
            Waiting::Read(other) => other.clone(),
            Waiting::Flush(_) => return false,
        };
        place.start < other.end && other.start < place.end
    }

    /// Sends a request; `bytes` are what is written, or as long as what is read.
    fn send(&mut self, command: Command, sector: u64, bytes: &[u8], waiting: Waiting) -> Result<(), Stopped> {
        let payload = if command == Command::Write { bytes } else { &[] };
        let sent =
            self.client.send(command, 0, self.load.windows.offset(sector), bytes.len() as u32, payload);
        self.waiting.insert(sent.map_err(|error| gone(&error))?, waiting);
        Ok(())
    }

    fn receive(&mut self) -> Result<Option<Told>, Stopped> {
        let Answer { cookie, error, data, .. } = self.client.receive().map_err(|error| gone(&error))?;
        let waiting = self.waiting.remove(&cookie).expect("the client knows its cookies");
        if let Some(error) = error {
            return Err(Stopped::Gone(format!("a request failed: {error:?}")));
        }
        match waiting {
            Waiting::Write(number) => {
                self.model.promise(number);
                Ok(Some(Told::Written))
            }
            Waiting::Read(place) => {
                self.model.check(place.start, &data).map_err(Stopped::Wrong)?;
                Ok(None)
            }
            Waiting::Flush(lowest) => Ok(Some(Told::Flushed(lowest))),
        }
    }
}

/// Reads all windows of a disk, one after another.
pub(crate) fn read_all(client: &mut Client, windows: &Windows) -> io::Result<Vec<u8>> {
    const ONE_READ: usize = 64 << 10;
    let mut bytes = Vec::with_capacity((windows.count * windows.bytes) as usize);
    for offset in windows.ranges().flat_map(|range| range.step_by(ONE_READ)) {
        bytes.extend(client.read(offset, ONE_READ as u32)?);
    }
    Ok(bytes)
}

/// The same from a file or a device.
pub(crate) fn read_file(file: &File, windows: &Windows) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; (windows.count * windows.bytes) as usize];
    for (range, part) in windows.ranges().zip(bytes.chunks_exact_mut(windows.bytes as usize)) {
        file.read_exact_at(part, range.start)?;
    }
    Ok(bytes)
}

/// The first page in which two images differ.
pub(crate) fn first_difference(left: &[u8], right: &[u8]) -> Option<usize> {
    const PAGE: usize = 4096;
    assert_eq!(left.len(), right.len(), "images of one disk");
    left.chunks(PAGE).zip(right.chunks(PAGE)).position(|(left, right)| left != right)
}

fn hear_if_told(told: Option<Told>, hear: &mut impl FnMut(Told)) {
    if let Some(told) = told {
        hear(told);
    }
}

fn gone(error: &io::Error) -> Stopped {
    Stopped::Gone(error.to_string())
}
