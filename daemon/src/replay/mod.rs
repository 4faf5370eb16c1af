//! A trace driven against a served disk: over its NBD socket like a guest, several requests in flight, content checked.
//!
//! ```text
//!   trace ──> dispatcher: when it is due, and nothing in flight is in its way ──> workers, one connection each
//!                 ^                                                                   │
//!                 └────────────── done, how long it took, right or wrong ─────────────┘
//! ```
//! A request waits for those in flight that share bytes with it if one of them writes: else nobody could say what a read
//! must find. Where the trace had such requests at the same time, the replay is that much slower.

mod content;
mod report;
mod worker;

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use block::ByteRange;
use doors::nbd::Client;
use doors::nbd::option::Replies;
use hdrhistogram::Histogram;
use slab::Slab;

use crate::problem::{Answer, Problem};
use crate::trace::{Kind, Request, Survey, Trace};
use content::Written;
pub(crate) use report::{Ratio, json, table};
use worker::{Done, Failure, Job};

/// Requests in flight at most, each on a connection of its own.
const DEPTH: usize = 16;
const SECTOR: u64 = 512;

/// When requests are sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// As they came in the trace, so many times as fast.
    Recorded { speed: f64 },
    /// As soon as one of those in flight is done.
    AsFastAsPossible,
}

/// What becomes of requests beyond the end of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// The trace is refused before anything is sent.
    Refuse,
    /// They are mapped into the disk.
    Wrap,
}

/// What is to be replayed, and how.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) trace: PathBuf,
    pub(crate) disk: String,
    /// NBD socket of the disk.
    pub(crate) socket: PathBuf,
    pub(crate) disk_bytes: u64,
    pub(crate) pace: Pace,
    pub(crate) beyond: Beyond,
    /// What the trace asks for.
    pub(crate) survey: Survey,
}

/// What a replay saw.
pub(crate) struct Outcome {
    pub(crate) reads: Side,
    pub(crate) writes: Side,
    /// Reads of which at least one sector was known and judged.
    pub(crate) checked: u64,
    /// Reads that found what was not written there, and the first of them.
    pub(crate) mismatches: u64,
    pub(crate) first_mismatch: Option<String>,
    /// Requests that the disk failed, and the first of them.
    pub(crate) errors: u64,
    pub(crate) first_error: Option<String>,
    /// Requests that lay beyond the disk and were mapped into it.
    pub(crate) wrapped: u64,
    /// How long a request was sent after it was due, at most. Zero if nothing was ever due.
    pub(crate) behind_max: Duration,
    pub(crate) elapsed: Duration,
}

/// One direction.
pub(crate) struct Side {
    pub(crate) requests: u64,
    pub(crate) bytes: u64,
    /// How long requests took that did not fail, in microseconds.
    pub(crate) latency_us: Histogram<u64>,
}

impl Side {
    fn new() -> Self {
        // A microsecond to a quarter of an hour.
        let latency_us = Histogram::new_with_bounds(1, 900_000_000, 3);
        let latency_us =
            latency_us.expect("the bounds are constants that satisfy the histogram's own limits");
        Self { requests: 0, bytes: 0, latency_us }
    }
}

impl Plan {
    /// Sees to it that the trace can be replayed on the disk, so that nothing is half done for a reason known before.
    ///
    /// # Errors
    /// Says what does not fit.
    pub(crate) fn check(&self) -> Answer<()> {
        let Self { survey, disk, disk_bytes, .. } = self;
        let refuse = |reason: String| {
            let trace = self.trace.display();
            Err(Problem::invalid(format!("Cannot replay {trace} on disk '{disk}': {reason}")))
        };
        if survey.requests == 0 {
            return refuse("it has no reads or writes".to_owned());
        }
        if survey.requests > u64::from(u32::MAX) {
            return refuse(format!("it has {} requests, more than can be told apart", survey.requests));
        }
        if u64::from(survey.length_max) > *disk_bytes {
            return refuse(format!("a request has {} bytes, the disk {disk_bytes}", survey.length_max));
        }
        if survey.end > *disk_bytes && self.beyond == Beyond::Refuse {
            let end = survey.end;
            return refuse(format!(
                "it reaches to byte {end} and the disk has {disk_bytes}; use --wrap, or a larger disk"
            ));
        }
        Ok(())
    }

    /// Replays the trace. `tell` hears how many requests are done, now and then.
    ///
    /// # Errors
    /// If the trace is damaged or a connection is lost. Failed requests and wrong content are in the outcome.
    pub(crate) fn run(&self, tell: impl FnMut(u64)) -> Answer<Outcome> {
        let run = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let run = run.map_or(0, |since| since.as_nanos() as u64);
        let (jobs, work) = channel();
        let (done, answers) = channel();
        let work = Arc::new(Mutex::new(work));
        let clients: Vec<Client> = (0..DEPTH).map(|_| self.connect()).collect::<Answer<_>>()?;
        thread::scope(|scope| {
            for client in clients {
                let (work, done) = (Arc::clone(&work), done.clone());
                scope.spawn(move || worker::serve(client, run, &work, &done));
            }
            drop(done);
            // Ends when this is done or failed: then no job can come, and the workers end.
            Dispatcher::new(self, jobs, answers).run(tell)
        })
    }

    fn connect(&self) -> Answer<Client> {
        Client::connect(&self.socket, &self.disk, Replies::Simple).map_err(|error| {
            let socket = self.socket.display();
            Problem::unavailable(format!(
                "Cannot reach disk '{}' at {socket}: {error}; run as a user who may",
                self.disk
            ))
        })
    }

    /// Where a request goes on this disk.
    fn place(&self, Request { offset, length, .. }: Request) -> ByteRange {
        let length = u64::from(length);
        if offset + length <= self.disk_bytes {
            return ByteRange::at(offset, length);
        }
        // What would stick out at the end is moved back, so that its length stays.
        let last = (self.disk_bytes - length) / SECTOR * SECTOR;
        ByteRange::at((offset % self.disk_bytes / SECTOR * SECTOR).min(last), length)
    }
}

/// Sends requests when they may be sent, and takes the answers.
struct Dispatcher<'a> {
    plan: &'a Plan,
    jobs: Sender<Job>,
    answers: Receiver<Done>,
    in_flight: Slab<(Kind, ByteRange)>,
    written: Written,
    outcome: Outcome,
    started: Instant,
}

impl<'a> Dispatcher<'a> {
    fn new(plan: &'a Plan, jobs: Sender<Job>, answers: Receiver<Done>) -> Self {
        let outcome = Outcome {
            reads: Side::new(),
            writes: Side::new(),
            checked: 0,
            mismatches: 0,
            first_mismatch: None,
            errors: 0,
            first_error: None,
            wrapped: 0,
            behind_max: Duration::ZERO,
            elapsed: Duration::ZERO,
        };
        let (in_flight, written) = (Slab::new(), Written::default());
        Self { plan, jobs, answers, in_flight, written, outcome, started: Instant::now() }
    }

    fn run(mut self, mut tell: impl FnMut(u64)) -> Answer<Outcome> {
        let mut first_us = None;
        for request in Trace::open(&self.plan.trace)? {
            let request = request?;
            if let Pace::Recorded { speed } = self.plan.pace {
                let since_us = request.at_us.saturating_sub(*first_us.get_or_insert(request.at_us));
                self.wait_until(Duration::from_micros(since_us).div_f64(speed))?;
            }
            let place = self.plan.place(request);
            self.outcome.wrapped += u64::from(place.start != request.offset);
            self.make_room(request.kind, place)?;
            self.send(request.kind, place);
            tell(self.outcome.reads.requests + self.outcome.writes.requests - self.in_flight.len() as u64);
        }
        while !self.in_flight.is_empty() {
            self.receive()?;
        }
        self.outcome.elapsed = self.started.elapsed();
        Ok(self.outcome)
    }

    /// Waits until `due` after the start, and takes answers meanwhile.
    fn wait_until(&mut self, due: Duration) -> Answer<()> {
        let due = self.started + due;
        loop {
            let now = Instant::now();
            let Some(left) = due.checked_duration_since(now).filter(|left| !left.is_zero()) else {
                self.outcome.behind_max = self.outcome.behind_max.max(now.saturating_duration_since(due));
                return Ok(());
            };
            match self.answers.recv_timeout(left) {
                Ok(done) => self.take(done)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.lost("no worker is left")),
            }
        }
    }

    /// Waits until a worker is free and nothing in flight is in the way of a request.
    fn make_room(&mut self, kind: Kind, place: ByteRange) -> Answer<()> {
        let in_the_way = |(other, range): &(Kind, ByteRange)| {
            (kind == Kind::Write || *other == Kind::Write) && range.overlaps(&place)
        };
        while self.in_flight.len() == DEPTH || self.in_flight.iter().any(|(_, other)| in_the_way(other)) {
            self.receive()?;
        }
        Ok(())
    }

    fn send(&mut self, kind: Kind, place: ByteRange) {
        let length = place.len() as u32;
        let slot = self.in_flight.insert((kind, place));
        let side = match kind {
            Kind::Read => &mut self.outcome.reads,
            Kind::Write => &mut self.outcome.writes,
        };
        side.requests += 1;
        side.bytes += place.len();
        let number = side.requests as u32;
        let job = match kind {
            Kind::Read => Job::read(slot, place.start, length, self.written.expected(place.start, length)),
            Kind::Write => {
                self.written.put(place.start, length, number);
                Job::write(slot, place.start, length, number)
            }
        };
        // Nobody takes it if all workers have ended; then the next answer says so.
        self.jobs.send(job).unwrap_or(());
    }

    fn receive(&mut self) -> Answer<()> {
        match self.answers.recv() {
            Ok(done) => self.take(done),
            Err(_) => Err(self.lost("no worker is left")),
        }
    }

    fn take(&mut self, Done { slot, elapsed, result }: Done) -> Answer<()> {
        let (kind, place) = self.in_flight.remove(slot);
        let side = match kind {
            Kind::Read => &mut self.outcome.reads,
            Kind::Write => &mut self.outcome.writes,
        };
        match result {
            Ok(checked) => {
                self.outcome.checked += u64::from(checked);
                side.latency_us.saturating_record(elapsed.as_micros().max(1) as u64);
            }
            Err(Failure::Wrong(what)) => {
                self.outcome.checked += 1;
                self.outcome.mismatches += 1;
                self.outcome.first_mismatch.get_or_insert(what);
            }
            Err(Failure::Refused(why)) => {
                self.outcome.errors += 1;
                self.outcome.first_error.get_or_insert(why);
                if kind == Kind::Write {
                    self.written.forget(place.start, place.len() as u32);
                }
            }
            Err(Failure::Lost(why)) => return Err(self.lost(&why)),
        }
        Ok(())
    }

    fn lost(&self, why: &str) -> Problem {
        Problem::unavailable(format!(
            "Cannot go on replaying {} on disk '{}': {why}; look whether the daemon still runs",
            self.plan.trace.display(),
            self.plan.disk
        ))
    }
}

#[cfg(test)]
mod tests;
