//! A guest with several requests in flight that tracks acknowledgements, and checks its reads.
//!
//! No two of its requests overlap at a time, so that an answer has one right content and a few permitted
//! ones.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use doors::nbd::Client;
use doors::nbd::client::ClientReply;
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
    /// Possible content of the disk, by the acknowledgements so far.
    pub(crate) model: Model,
    /// Content before its work.
    before: Vec<u8>,
    /// Of each write that was sent, the lowest one that was not acknowledged then.
    unacknowledged: Vec<u64>,
    waiting: BTreeMap<u64, Waiting>,
}

/// An acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Told {
    /// A write is acknowledged, with its number.
    Written,
    /// A flush is acknowledged: all writes below this one had been acknowledged when it was sent.
    Flushed(u64),
}

/// Reason for which the guest stopped.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// The disk is gone, as some tests intend.
    Gone(String),
    /// The disk had wrong content.
    Wrong(String),
}

/// A request in flight.
enum Waiting {
    Write(u64),
    Read(Range<u64>),
    /// A flush, with the lowest write that was not acknowledged when it was sent.
    Flush(u64),
}

impl Busy {
    /// Returns a guest of the disk behind `client`, whose windows have the content `before`.
    pub(crate) fn new(client: Client, load: Load, before: Vec<u8>) -> Self {
        let model = Model::new(load.clone(), before.clone());
        Self { client, model, load, before, unacknowledged: Vec::new(), waiting: BTreeMap::new() }
    }

    /// Checks that content is that of one instant at which the writes below `least` were acknowledged: with a write, it has all that were
    /// acknowledged before that was sent.
    ///
    /// # Errors
    /// Names the first sector with wrong content.
    pub(crate) fn check_instant(&self, content: &[u8], least: u64) -> Result<(), String> {
        let bounds = self.load.makers(content).filter_map(|number| self.unacknowledged.get(number as usize));
        let bound = bounds.copied().max().unwrap_or(0).max(least);
        let mut model = Model::new(self.load.clone(), self.before.clone());
        (0..bound).for_each(|number| model.promise(number));
        model.check(0, content)
    }

    /// Reads, writes and flushes until the disk is gone or wrong; calls `hear` with acknowledgements.
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
            // Writes stay in flight meanwhile: the flush does not cover those.
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
                self.unacknowledged.push(self.unacknowledged(*next));
                *next += 1;
                self.send(Command::Write, place.start, &content, Waiting::Write(*next - 1))
            }
        }
    }

    /// Returns the first write that is not acknowledged; `next` has not been sent.
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

    /// Sends a request; `bytes` are the data of a write, or as long as a read.
    fn send(&mut self, command: Command, sector: u64, bytes: &[u8], waiting: Waiting) -> Result<(), Stopped> {
        let payload = if command == Command::Write { bytes } else { &[] };
        let sent =
            self.client.send(command, 0, self.load.windows.offset(sector), bytes.len() as u32, payload);
        self.waiting.insert(sent.map_err(|error| gone(&error))?, waiting);
        Ok(())
    }

    fn receive(&mut self) -> Result<Option<Told>, Stopped> {
        let ClientReply { cookie, error, data, .. } = self.client.receive().map_err(|error| gone(&error))?;
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

/// Reads the same from a file or a device.
pub(crate) fn read_file(file: &File, windows: &Windows) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; (windows.count * windows.bytes) as usize];
    for (range, part) in windows.ranges().zip(bytes.chunks_exact_mut(windows.bytes as usize)) {
        file.read_exact_at(part, range.start)?;
    }
    Ok(bytes)
}

/// Returns the first page in which two images differ.
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
