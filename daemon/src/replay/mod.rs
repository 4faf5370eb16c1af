//! Replay of a trace against a served disk: over its NBD socket like a guest, several requests in flight,
//! content checked.
//!
//! ```text
//!   trace ──> dispatcher: once it is due, and nothing in flight blocks it ──> workers, one connection each
//!                 ^                                                               │
//!                 └────────────── done, with its latency, right or wrong ─────────┘
//! ```
//! A request waits for those in flight that overlap it if one of them writes: else the result of a read would
//! be unknown. Where the trace had such requests at the same time, the replay is slower.

mod content;
mod latencies;
mod report;
#[cfg(test)]
mod testing;
mod worker;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use base::error::{Error, Result};
use base::moment::nanos_since_1970;
use block::ByteRange;
use doors::nbd::Client;
use doors::nbd::option::Replies;
use slab::Slab;
use trace::{Kind, Options, Request, Survey, Trace};

use content::NewestWrites;
use latencies::LatencyRecorder;
pub(crate) use report::{EarlierLatencies, Ratio, json, table};
use worker::{CompletedRequest, ReplayRequest, RequestFailure};

/// Returns the problem of a trace that cannot be read.
#[expect(clippy::needless_pass_by_value, reason = "it is the function of a `map_err`")]
pub(crate) fn unreadable(error: trace::Error) -> Error {
    Error::invalid(error.to_string())
}

/// Requests in flight at most, each on a connection of its own.
const DEPTH: usize = 16;
const SECTOR: u64 = 512;
/// Time until a stop is noticed while no request is due.
const STOP_INTERVAL: Duration = Duration::from_millis(100);
/// The longest time that a replay may be planned to take. A longer trace has an impossible time in it.
const SPAN_MAX: Duration = Duration::from_hours(24 * 366);

/// Times at which requests are sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// At the times in the trace, divided by `speed`.
    Recorded { speed: f64 },
    /// As soon as one of those in flight is done.
    AsFastAsPossible,
}

/// Treatment of requests beyond the end of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BeyondEnd {
    /// The trace is refused before anything is sent.
    Refuse,
    /// They are mapped into the disk.
    Wrap,
}

/// Parameters of a replay.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) trace: PathBuf,
    /// Options for reading it.
    pub(crate) options: Options,
    pub(crate) disk: String,
    /// NBD socket of the disk.
    pub(crate) socket: PathBuf,
    pub(crate) disk_bytes: u64,
    pub(crate) pace: Pace,
    pub(crate) beyond: BeyondEnd,
    /// Survey of the trace. Requests that do not fit it are not sent.
    pub(crate) survey: Survey,
}

/// Progress of a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReplayProgress {
    /// Requests that are answered.
    pub(crate) done: u64,
    /// Those among them that failed, or found wrong content.
    pub(crate) failed: u64,
}

/// Result of a replay.
pub(crate) struct ReplayResult {
    pub(crate) reads: DirectionResult,
    pub(crate) writes: DirectionResult,
    /// Reads with at least one known sector, which was checked.
    pub(crate) checked: u64,
    /// Reads with wrong content, and the first of them.
    pub(crate) mismatches: u64,
    pub(crate) first_mismatch: Option<String>,
    /// Requests that the disk failed, and the first of them.
    pub(crate) errors: u64,
    pub(crate) first_error: Option<String>,
    /// Requests that lay beyond the disk and were mapped into it.
    pub(crate) wrapped: u64,
    /// Delay of each request after it was due. Empty if nothing was ever due.
    pub(crate) late: LatencyRecorder,
    /// True if everything was sent; false if the replay was stopped.
    pub(crate) is_complete: bool,
    pub(crate) elapsed: Duration,
}

/// One direction.
pub(crate) struct DirectionResult {
    pub(crate) requests: u64,
    pub(crate) bytes: u64,
    /// Latencies of requests that did not fail.
    pub(crate) latency: LatencyRecorder,
    /// Latencies in the trace, if it has them.
    pub(crate) recorded: LatencyRecorder,
}

/// Direction of a request. One without a direction in the trace is read, which is harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Read,
    Write,
}

impl Direction {
    fn from_kind(kind: Kind) -> Self {
        if kind == Kind::Write { Self::Write } else { Self::Read }
    }
}

impl DirectionResult {
    fn new() -> Self {
        Self { requests: 0, bytes: 0, latency: LatencyRecorder::new(), recorded: LatencyRecorder::new() }
    }
}

impl Plan {
    /// Checks that the trace can be replayed on the disk, so that nothing fails halfway for a reason known
    /// before.
    ///
    /// # Errors
    /// With the part that does not fit.
    pub(crate) fn check(&self) -> Result<()> {
        let Self { survey, disk, disk_bytes, .. } = self;
        let refuse = |reason: String| {
            let trace = self.trace.display();
            Err(Error::invalid(format!("Cannot replay {trace} on disk '{disk}': {reason}")))
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
        if survey.end > *disk_bytes && self.beyond == BeyondEnd::Refuse {
            let end = survey.end;
            return refuse(format!(
                "it reaches to byte {end} and the disk has {disk_bytes}; use --wrap, or a larger disk"
            ));
        }
        match (self.pace, survey.span_us()) {
            (Pace::Recorded { .. }, None) => {
                refuse("it has no times to keep; use --as-fast-as-possible".to_owned())
            }
            (Pace::Recorded { speed }, Some(span_us)) if due(span_us, speed) >= SPAN_MAX => {
                let days = Duration::from_micros(span_us).as_secs() / (24 * 60 * 60);
                refuse(format!(
                    "its times span {days} days, which take more than a year at this speed; use a higher --speed, or \
                     --as-fast-as-possible"
                ))
            }
            _ => Ok(()),
        }
    }

    /// Replays the trace until its end, or until `stop` is set; then requests in flight are waited for.
    /// Passes its progress to the callback.
    ///
    /// # Errors
    /// If the trace is damaged, changed since its survey, or a connection is lost. Failed requests and wrong
    /// content are in the outcome.
    pub(crate) fn run(&self, stop: &AtomicBool, report: impl FnMut(ReplayProgress)) -> Result<ReplayResult> {
        let run = nanos_since_1970();
        let (jobs, work) = channel();
        let (done, answers) = channel();
        let work = Arc::new(Mutex::new(work));
        let clients: Vec<Client> = (0..DEPTH).map(|_| self.connect()).collect::<Result<_>>()?;
        thread::scope(|scope| {
            for client in clients {
                let (work, done) = (Arc::clone(&work), done.clone());
                scope.spawn(move || worker::serve(client, run, &work, &done));
            }
            drop(done);
            // Dropped when this is done or failed: then no job can come, and the workers end.
            Dispatcher::new(self, stop, jobs, answers).run(report)
        })
    }

    fn connect(&self) -> Result<Client> {
        Client::connect(&self.socket, &self.disk, Replies::Simple).map_err(|error| {
            let socket = self.socket.display();
            Error::unavailable(format!(
                "Cannot reach disk '{}' at {socket}: {error}; run as a user who may",
                self.disk
            ))
        })
    }

    /// Returns the range of a request on this disk.
    fn place(&self, Request { offset, length, .. }: &Request) -> ByteRange {
        let (offset, length) = (*offset, u64::from(*length));
        if offset + length <= self.disk_bytes {
            return ByteRange::at(offset, length);
        }
        // A range across the end is moved back, so that its length stays.
        let last = (self.disk_bytes - length) / SECTOR * SECTOR;
        ByteRange::at((offset % self.disk_bytes / SECTOR * SECTOR).min(last), length)
    }
}

impl ReplayResult {
    fn side(&mut self, direction: Direction) -> &mut DirectionResult {
        match direction {
            Direction::Read => &mut self.reads,
            Direction::Write => &mut self.writes,
        }
    }
}

/// Returns the due time of a request, so many microseconds of the trace after its first request; never beyond
/// [`SPAN_MAX`].
#[expect(clippy::cast_precision_loss, reason = "a year of microseconds is exact")]
fn due(since_us: u64, speed: f64) -> Duration {
    let due = Duration::try_from_secs_f64(since_us as f64 / 1e6 / speed);
    due.unwrap_or(SPAN_MAX).min(SPAN_MAX)
}

/// Sends requests when they are due and not blocked, and receives the answers.
struct Dispatcher<'a> {
    plan: &'a Plan,
    stop: &'a AtomicBool,
    jobs: Sender<ReplayRequest>,
    answers: Receiver<CompletedRequest>,
    in_flight: Slab<(Direction, ByteRange)>,
    written: NewestWrites,
    outcome: ReplayResult,
    started: Instant,
}

impl<'a> Dispatcher<'a> {
    fn new(
        plan: &'a Plan,
        stop: &'a AtomicBool,
        jobs: Sender<ReplayRequest>,
        answers: Receiver<CompletedRequest>,
    ) -> Self {
        let outcome = ReplayResult {
            reads: DirectionResult::new(),
            writes: DirectionResult::new(),
            checked: 0,
            mismatches: 0,
            first_mismatch: None,
            errors: 0,
            first_error: None,
            wrapped: 0,
            late: LatencyRecorder::new(),
            is_complete: true,
            elapsed: Duration::ZERO,
        };
        let (in_flight, written) = (Slab::new(), NewestWrites::default());
        Self { plan, stop, jobs, answers, in_flight, written, outcome, started: Instant::now() }
    }

    fn run(mut self, mut report: impl FnMut(ReplayProgress)) -> Result<ReplayResult> {
        let (mut first_us, mut due_last) = (None, Duration::ZERO);
        for request in Trace::open(&self.plan.trace, &self.plan.options).map_err(unreadable)? {
            let request = request.map_err(unreadable)?;
            self.check_again(&request)?;
            if let (Pace::Recorded { speed }, Some(at_us)) = (self.plan.pace, request.at_us) {
                let since_us = at_us.saturating_sub(*first_us.get_or_insert(at_us));
                // A request with a time before the one in front of it is due with that one.
                due_last = due_last.max(due(since_us, speed));
                self.wait_until(due_last, &mut report)?;
            }
            if self.stop.load(Ordering::Relaxed) {
                self.outcome.is_complete = false;
                break;
            }
            let (direction, place) = (Direction::from_kind(request.kind), self.plan.place(&request));
            self.outcome.wrapped += u64::from(place.start != request.offset);
            self.make_room(direction, place)?;
            if request.at_us.is_some() && self.plan.pace != Pace::AsFastAsPossible {
                let late = self.started.elapsed().saturating_sub(due_last);
                self.outcome.late.record(late.as_micros() as u64);
            }
            self.send(direction, place, request.latency_us);
            report(self.so_far());
        }
        while !self.in_flight.is_empty() {
            self.receive()?;
        }
        self.outcome.elapsed = self.started.elapsed();
        if self.outcome.is_complete && self.sent() < self.plan.survey.requests {
            return Err(self.changed());
        }
        Ok(self.outcome)
    }

    fn so_far(&self) -> ReplayProgress {
        ReplayProgress {
            done: self.sent() - self.in_flight.len() as u64,
            failed: self.outcome.errors + self.outcome.mismatches,
        }
    }

    fn sent(&self) -> u64 {
        self.outcome.reads.requests + self.outcome.writes.requests
    }

    /// Checks that a request is among those of the survey. The file is opened a second time, and whether it
    /// fits the disk, and may write to it, was decided by the survey.
    fn check_again(&self, request: &Request) -> Result<()> {
        let Survey { requests, writes, end, length_max, latest_us, .. } = self.plan.survey;
        let (sent, known) = match Direction::from_kind(request.kind) {
            Direction::Read => (self.outcome.reads.requests, requests.saturating_sub(writes)),
            Direction::Write => (self.outcome.writes.requests, writes),
        };
        let is_known = sent < known
            && request.end() <= end
            && request.length <= length_max
            && request.at_us <= latest_us;
        if is_known { Ok(()) } else { Err(self.changed()) }
    }

    fn changed(&self) -> Error {
        Error::failed(format!(
            "Cannot continue to replay {} on disk '{}': the file changed since its {} requests were counted; {} were sent to \
             the disk; replay a file that nobody writes",
            self.plan.trace.display(),
            self.plan.disk,
            self.plan.survey.requests,
            self.sent()
        ))
    }

    /// Waits until `due` after the start or until the replay is stopped, and receives answers meanwhile.
    fn wait_until(&mut self, due: Duration, report: &mut impl FnMut(ReplayProgress)) -> Result<()> {
        let due = self.started + due;
        loop {
            let now = Instant::now();
            let Some(left) = due.checked_duration_since(now).filter(|left| !left.is_zero()) else {
                return Ok(());
            };
            if self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            match self.answers.recv_timeout(left.min(STOP_INTERVAL)) {
                Ok(done) => self.take(done)?,
                Err(RecvTimeoutError::Timeout) => report(self.so_far()),
                Err(RecvTimeoutError::Disconnected) => return Err(self.lost("no worker is left")),
            }
        }
    }

    /// Waits until a worker is free and nothing in flight overlaps a request.
    fn make_room(&mut self, direction: Direction, place: ByteRange) -> Result<()> {
        let in_the_way = |(other, range): &(Direction, ByteRange)| {
            (direction == Direction::Write || *other == Direction::Write) && range.overlaps(&place)
        };
        while self.in_flight.len() == DEPTH || self.in_flight.iter().any(|(_, other)| in_the_way(other)) {
            self.receive()?;
        }
        Ok(())
    }

    fn send(&mut self, direction: Direction, place: ByteRange, recorded_us: Option<u64>) {
        let length = place.len() as u32;
        let slot = self.in_flight.insert((direction, place));
        let side = self.outcome.side(direction);
        side.requests += 1;
        side.bytes += place.len();
        if let Some(recorded_us) = recorded_us {
            side.recorded.record(recorded_us);
        }
        let number = side.requests as u32;
        let job = match direction {
            Direction::Read => {
                ReplayRequest::read(slot, place.start, length, self.written.expected(place.start, length))
            }
            Direction::Write => {
                self.written.put(place.start, length, number);
                ReplayRequest::write(slot, place.start, length, number)
            }
        };
        // There is no receiver if all workers have ended; then the next answer reports it.
        self.jobs.send(job).unwrap_or(());
    }

    fn receive(&mut self) -> Result<()> {
        match self.answers.recv() {
            Ok(done) => self.take(done),
            Err(_) => Err(self.lost("no worker is left")),
        }
    }

    fn take(&mut self, CompletedRequest { slot, elapsed, result }: CompletedRequest) -> Result<()> {
        let (direction, place) = self.in_flight.remove(slot);
        match result {
            Ok(checked) => {
                self.outcome.checked += u64::from(checked);
                self.outcome.side(direction).latency.record(elapsed.as_micros() as u64);
            }
            Err(RequestFailure::Wrong(what)) => {
                self.outcome.checked += 1;
                self.outcome.mismatches += 1;
                self.outcome.first_mismatch.get_or_insert(what);
            }
            Err(RequestFailure::Refused(why)) => {
                self.outcome.errors += 1;
                self.outcome.first_error.get_or_insert(why);
                if direction == Direction::Write {
                    self.written.forget(place.start, place.len() as u32);
                }
            }
            Err(RequestFailure::Lost(why)) => return Err(self.lost(&why)),
        }
        Ok(())
    }

    fn lost(&self, why: &str) -> Error {
        Error::unavailable(format!(
            "Cannot continue to replay {} on disk '{}': {why}; check whether the daemon still runs",
            self.plan.trace.display(),
            self.plan.disk
        ))
    }
}

#[cfg(test)]
mod tests;
