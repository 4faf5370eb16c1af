//! One connection in the transmission phase: requests are sent in order of arrival, answers arrive in any order.
//!
//! ```text
//!   submit ──> queue ──send_all──> server ──receive_all──> answered ──> the task that waits for the job
//!                        └── buffers of writes return here
//! ```
//! A job is handed back exactly once: answered, or lost with the connection. Its buffer is here or in the kernel until
//! then, and no job is handed back while the kernel has its buffer. Nothing here retries or has a deadline.
//!
//! **A connection that we give up** while the server may have unanswered changes stays open, and takes nothing more. Its jobs are handed
//! back, and its answers are still received: only they, or its end by the server, prove that the server does none of those changes later.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::task::{Poll, Waker};

use futures_util::future::join;
use tokio::sync::{Notify, OwnedSemaphorePermit, oneshot};

use super::super::intake::{Answer, Intake, IntakeStep, Violation};
use super::super::negotiation::Terms;
use super::super::wire::{Command, ReplyError, Request};
use super::ledger::Ledger;
use crate::Buffer;
use crate::socket::{Chunk, Incoming, Stream};

/// About how many bytes one system call sends.
const SEND_BYTES: usize = 1 << 20;

/// A request with its buffer, if it moves data.
#[derive(Debug)]
pub(super) struct Job {
    /// Its cookie is set when it is submitted.
    pub(super) request: Request,
    pub(super) buffer: Option<Buffer>,
    /// Offset in the buffer of the bytes of the request.
    pub(super) at: usize,
    /// Released with the job, even if its submitter is gone.
    pub(super) permit: Option<Permit>,
}

/// A place among the requests in flight, and the room for payload that goes with it.
pub(super) type Permit = (OwnedSemaphorePermit, OwnedSemaphorePermit);

/// A job that is handed back.
#[derive(Debug)]
pub(super) struct CompletedJob {
    pub(super) job: Job,
    pub(super) outcome: Outcome,
}

#[derive(Debug)]
pub(super) enum Outcome {
    Answered(Answer),
    /// The connection ended first. `reached` is false if the server cannot have seen the request.
    Lost {
        ending: Ending,
        reached: bool,
    },
}

/// Reason why a connection ended.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    /// The server closed it, or went away.
    Closed(String),
    /// The server announced that it is about to stop.
    Stopping,
    /// The system gave it up.
    Failed(String),
    /// We gave it up: a request got no answer in time.
    Silent,
    /// We gave it up: the server broke the protocol.
    Violation(Cow<'static, str>),
    /// The device is closed.
    Leaving,
}

/// A connection. Shared by its task and by those who submit jobs.
pub(super) struct Connection {
    stream: Stream,
    ledger: Rc<Ledger>,
    lines: RefCell<Lines>,
    /// Notifies the sender that the connection is given up.
    given_up: Notify,
    /// Notifies that nothing is sent any more.
    sent_last: Notify,
    /// Notifies the receiver that the connection goes to rest.
    rests: Notify,
}

#[expect(clippy::struct_excessive_bools, reason = "each is of something that happens by itself")]
struct Lines {
    intake: Intake,
    calls: HashMap<u64, Call>,
    queue: VecDeque<u64>,
    sender: Option<Waker>,
    ending: Option<Ending>,
    /// Disconnect when the queue is empty.
    leaving: bool,
    /// Nothing more is sent or received here; the socket stays open.
    resting: bool,
    /// The server has answered something.
    useful: bool,
    /// It was given up, and its answers still matter.
    lingers: bool,
    /// Requests that were handed back although the server has them, by their cookies.
    unanswered: HashMap<u64, Command>,
    /// The server performs none of its requests later.
    through: bool,
}

struct Call {
    job: Job,
    stage: Stage,
    answer: Option<Answer>,
    done: oneshot::Sender<CompletedJob>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Queued,
    /// The kernel may have the buffer of a write.
    Sending,
    Sent,
}

impl Ending {
    /// Returns true if the server has no received request left to perform: unanswered ones are not done later.
    pub(super) fn server_is_through(&self) -> bool {
        matches!(self, Self::Closed(_) | Self::Stopping)
    }

    /// Returns true if we gave the connection up, and the server did not end it.
    fn is_ours(&self) -> bool {
        matches!(self, Self::Silent | Self::Violation(_))
    }
}

impl From<io::Error> for Ending {
    fn from(error: io::Error) -> Self {
        use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
        match error.kind() {
            UnexpectedEof => Self::Closed("the server closed the connection".to_owned()),
            BrokenPipe | ConnectionAborted | ConnectionReset => Self::Closed(error.to_string()),
            _ => Self::Failed(error.to_string()),
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed(text) | Self::Failed(text) => f.write_str(text),
            Self::Stopping => f.write_str("the server is about to stop"),
            Self::Silent => f.write_str("the server did not answer a request within the retry time"),
            Self::Violation(what) => write!(f, "the server broke the protocol: {what}"),
            Self::Leaving => f.write_str("the device was closed"),
        }
    }
}

impl Connection {
    pub(super) fn new(stream: Stream, terms: &Terms, ledger: Rc<Ledger>) -> Rc<Self> {
        let lines = Lines {
            intake: Intake::new(terms.replies, terms.allocation),
            calls: HashMap::new(),
            queue: VecDeque::new(),
            sender: None,
            ending: None,
            leaving: false,
            resting: false,
            useful: false,
            lingers: false,
            unanswered: HashMap::new(),
            through: false,
        };
        let (given_up, sent_last, rests) = (Notify::new(), Notify::new(), Notify::new());
        Rc::new(Self { stream, ledger, lines: RefCell::new(lines), given_up, sent_last, rests })
    }

    /// Returns true if it takes jobs: not one that is about to disconnect, whose answers nothing would wait for, nor one that goes to rest.
    pub(super) fn takes_jobs(&self) -> bool {
        self.lines.borrow().take_jobs()
    }

    /// Jobs that are not handed back.
    pub(super) fn load(&self) -> usize {
        self.lines.borrow().calls.len()
    }

    /// Returns true if the server has answered something.
    pub(super) fn was_useful(&self) -> bool {
        self.lines.borrow().useful
    }

    /// Sends a job, under a cookie that no other on this connection has. It must take jobs.
    pub(super) fn submit(&self, mut job: Job, cookie: u64) -> oneshot::Receiver<CompletedJob> {
        let (done, completed) = oneshot::channel();
        let mut lines = self.lines.borrow_mut();
        assert!(lines.take_jobs(), "jobs go to connections that take them");
        job.request.cookie = cookie;
        lines.calls.insert(cookie, Call { job, stage: Stage::Queued, answer: None, done });
        lines.queue.push_back(cookie);
        lines.wake_sender();
        completed
    }

    /// Ends the connection, unless it has ended: all buffers in the kernel return soon. If we give it up while the server has changes, it
    /// ends only for new jobs.
    pub(super) fn end(&self, ending: Ending) {
        let mut lines = self.lines.borrow_mut();
        if lines.ending.is_some() {
            return;
        }
        lines.through = ending.server_is_through();
        // Without a shutdown, a read's buffer in the kernel would not return.
        lines.lingers = ending.is_ours() && lines.has_changes() && !lines.fills_buffer();
        lines.ending = Some(ending);
        if lines.lingers {
            self.stream.keep_alive();
            self.given_up.notify_waiters();
        } else {
            self.stream.shutdown();
        }
        lines.wake_sender();
    }

    /// Ends a connection that was given up, without waiting for its server.
    pub(super) fn cut(&self) {
        self.lines.borrow_mut().lingers = false;
        self.stream.shutdown();
    }

    /// Waits until the connection is given up, and nothing more is sent: [`Self::hand_back`] may follow while it still runs.
    pub(super) async fn is_given_up(&self) {
        self.sent_last.notified().await;
        if !self.lines.borrow().lingers {
            std::future::pending::<()>().await;
        }
    }

    /// Returns true if changes were handed back that the server may have and did not answer.
    pub(super) fn left_changes(&self) -> bool {
        self.lines.borrow().unanswered.values().any(|command| changes(*command))
    }

    /// Returns true once the server performs none of its requests later.
    pub(super) fn is_through(&self) -> bool {
        self.lines.borrow().through
    }

    /// Takes no more jobs, and ends the connection with a goodbye once everything that is queued was sent. Nothing may be
    /// in flight whose answer matters: none is received any more.
    pub(super) fn leave(&self) {
        let mut lines = self.lines.borrow_mut();
        lines.leaving = true;
        lines.wake_sender();
    }

    /// Takes no more jobs, and has [`Self::run`] return with the connection open. Nothing may be in flight.
    pub(super) fn rest(&self) {
        let mut lines = self.lines.borrow_mut();
        lines.resting = true;
        lines.wake_sender();
        self.rests.notify_waiters();
    }

    /// Returns true if it is at rest and did not end before.
    pub(super) fn is_at_rest(&self) -> bool {
        let lines = self.lines.borrow();
        lines.resting && lines.ending.is_none()
    }

    /// Moves bytes until the connection has ended or is at rest, and the kernel has nothing of it any more. If it has ended,
    /// [`Self::hand_back`] must follow, or have been called when it was given up. Returns the bytes that were received and not processed.
    pub(super) async fn run(&self, incoming: Incoming) -> Incoming {
        join(self.send_all(), self.receive_all(incoming)).await.1
    }

    /// Returns why the connection ended; it must have.
    pub(super) fn ending(&self) -> Ending {
        self.lines.borrow().ending.clone().expect("both halves end only with the connection")
    }

    /// Hands every job back that was not answered.
    pub(super) fn hand_back(&self) {
        let ending = self.ending();
        let calls = {
            let mut lines = self.lines.borrow_mut();
            lines.queue.clear();
            let calls = std::mem::take(&mut lines.calls);
            let reached =
                calls.iter().filter(|(_, call)| call.stage != Stage::Queued && call.answer.is_none());
            lines.unanswered.extend(reached.map(|(cookie, call)| (*cookie, call.job.request.command)));
            calls
        };
        for call in calls.into_values() {
            let reached = call.stage != Stage::Queued;
            let outcome = match call.answer {
                Some(answer) => Outcome::Answered(answer),
                None => Outcome::Lost { ending: ending.clone(), reached },
            };
            // The submitter of the job may be gone; then its buffer is freed here.
            drop(call.done.send(CompletedJob { job: call.job, outcome }));
        }
    }

    async fn send_all(&self) {
        while let Some((cookies, chunks)) = self.next_batch().await {
            let (chunks, result) = self.stream.send_unless(chunks, self.until_given_up()).await;
            self.sent(&cookies, chunks);
            if let Err(error) = result {
                // The server has only a part of the last request, and no more follows.
                self.stream.shutdown_sending();
                self.end(error.into());
            }
        }
        self.sent_last.notify_one();
    }

    async fn until_given_up(&self) {
        loop {
            let given_up = self.given_up.notified();
            if self.lines.borrow().lingers {
                return;
            }
            given_up.await;
        }
    }

    async fn until_resting(&self) {
        loop {
            let rests = self.rests.notified();
            if self.lines.borrow().resting {
                return;
            }
            rests.await;
        }
    }

    /// Returns the bytes that are queued, up to about [`SEND_BYTES`]. `None` when the connection has ended or goes to rest.
    async fn next_batch(&self) -> Option<(Vec<u64>, Vec<Chunk>)> {
        poll_fn(|context| {
            let mut lines = self.lines.borrow_mut();
            if lines.ending.is_some() || lines.resting {
                return Poll::Ready(None);
            }
            if !lines.queue.is_empty() {
                return Poll::Ready(Some(lines.take_batch()));
            }
            if lines.leaving {
                // Sent by the next round, after which there is nothing left but the end.
                lines.ending = Some(Ending::Leaving);
                return Poll::Ready(Some((Vec::new(), vec![Chunk::inline(&goodbye())])));
            }
            lines.sender = Some(context.waker().clone());
            Poll::Pending
        })
        .await
    }

    /// Takes the chunks of a batch back from the kernel.
    fn sent(&self, cookies: &[u64], chunks: Vec<Chunk>) {
        let mut chunks = chunks.into_iter();
        for cookie in cookies {
            chunks.next();
            let answer = {
                let mut lines = self.lines.borrow_mut();
                let call = lines.calls.get_mut(cookie).expect("no job is handed back while it is being sent");
                if call.job.request.command == Command::Write
                    && let Some(Chunk::Buffer { buffer, .. }) = chunks.next()
                {
                    call.job.buffer = Some(buffer);
                }
                call.stage = Stage::Sent;
                call.answer.take()
            };
            if let Some(answer) = answer {
                self.complete(*cookie, answer);
            }
        }
        if matches!(self.lines.borrow().ending, Some(Ending::Leaving)) {
            self.stream.shutdown();
        }
    }

    async fn receive_all(&self, mut incoming: Incoming) -> Incoming {
        while self.receives() {
            let mut input = incoming.pending();
            let step = self.lines.borrow_mut().intake.step(&mut input);
            let consumed = incoming.pending().len() - input.len();
            incoming.consume(consumed);
            let moved = match step {
                Ok(IntakeStep::NeedInput) => incoming.fill_unless(self.until_resting()).await,
                Ok(IntakeStep::Data(cookie, place)) => {
                    let (buffer, at) = self.take_buffer(cookie, place.end);
                    let place = at + place.start..at + place.end;
                    let (buffer, result) = incoming.take_into(buffer, place).await;
                    self.put_buffer(cookie, buffer);
                    result
                }
                Ok(IntakeStep::Zeroes(cookie, place)) => {
                    let (mut buffer, at) = self.take_buffer(cookie, place.end);
                    buffer[at + place.start..at + place.end].fill(0);
                    self.put_buffer(cookie, buffer);
                    Ok(())
                }
                Ok(IntakeStep::Answered(cookie, answer)) => {
                    self.answered(cookie, answer);
                    Ok(())
                }
                Err(Violation(what)) => {
                    self.end(Ending::Violation(what));
                    self.stream.shutdown_sending();
                    return self.receive_the_end(incoming).await;
                }
            };
            if let Err(error) = moved {
                self.lost(error.into());
            }
        }
        let mut lines = self.lines.borrow_mut();
        if lines.lingers {
            lines.through = true;
            self.stream.shutdown();
        }
        drop(lines);
        incoming
    }

    /// Receives bytes that cannot be decoded until the server ends the connection that was given up.
    async fn receive_the_end(&self, mut incoming: Incoming) -> Incoming {
        while self.receives() {
            incoming.consume(incoming.pending().len());
            if let Err(error) = incoming.fill().await {
                self.lost(error.into());
            }
        }
        incoming
    }

    /// Records that no more answers arrive, for this reason.
    fn lost(&self, ending: Ending) {
        let mut lines = self.lines.borrow_mut();
        if lines.lingers {
            lines.lingers = false;
            lines.through = ending.server_is_through();
            self.stream.shutdown();
        } else {
            drop(lines);
            self.end(ending);
        }
    }

    /// Returns true while answers matter.
    fn receives(&self) -> bool {
        let lines = self.lines.borrow();
        let waits = || lines.has_changes() || lines.unanswered.values().any(|command| changes(*command));
        if lines.ending.is_none() { !lines.resting } else { lines.lingers && waits() }
    }

    /// Returns the buffer of a read and where in it the read's bytes begin. A read that was handed back gets one of `end` bytes.
    fn take_buffer(&self, cookie: u64, end: usize) -> (Buffer, usize) {
        let mut lines = self.lines.borrow_mut();
        let Some(Call { job, .. }) = lines.calls.get_mut(&cookie) else { return (Buffer::zeroed(end), 0) };
        (job.buffer.take().expect("a read has a buffer, which only the receiver takes"), job.at)
    }

    fn put_buffer(&self, cookie: u64, buffer: Buffer) {
        if let Some(call) = self.lines.borrow_mut().calls.get_mut(&cookie) {
            call.job.buffer = Some(buffer);
        }
    }

    fn answered(&self, cookie: u64, answer: Answer) {
        let mut lines = self.lines.borrow_mut();
        lines.useful = true;
        if lines.unanswered.remove(&cookie).is_some() {
            return;
        }
        let call = lines.calls.get_mut(&cookie).expect("the intake knows what is not handed back");
        if answer.error.is_none() && changes(call.job.request.command) {
            self.ledger.acknowledge();
        }
        let stops = matches!(answer.error, Some((ReplyError::Shutdown, _)));
        if call.stage == Stage::Sending {
            call.answer = Some(answer);
        } else {
            drop(lines);
            self.complete(cookie, answer);
        }
        if stops {
            self.end(Ending::Stopping);
        }
    }

    fn complete(&self, cookie: u64, answer: Answer) {
        let call = self.lines.borrow_mut().calls.remove(&cookie).expect("a job is answered once");
        // The submitter of the job may be gone; then its buffer is freed here.
        drop(call.done.send(CompletedJob { job: call.job, outcome: Outcome::Answered(answer) }));
    }
}

impl Lines {
    fn take_jobs(&self) -> bool {
        self.ending.is_none() && !self.leaving && !self.resting
    }

    /// Returns true if the server may have changes that are not handed back, and did not answer them.
    fn has_changes(&self) -> bool {
        let mut calls = self.calls.values();
        calls.any(|Call { job, stage, answer, .. }| {
            *stage != Stage::Queued && answer.is_none() && changes(job.request.command)
        })
    }

    /// Returns true if the receiver has the buffer of a read.
    fn fills_buffer(&self) -> bool {
        let mut jobs = self.calls.values().map(|call| &call.job);
        jobs.any(|job| job.request.command == Command::Read && job.buffer.is_none())
    }

    fn wake_sender(&mut self) {
        if let Some(sender) = self.sender.take() {
            sender.wake();
        }
    }

    fn take_batch(&mut self) -> (Vec<u64>, Vec<Chunk>) {
        let (mut cookies, mut chunks, mut bytes) = (Vec::new(), Vec::new(), 0);
        while bytes < SEND_BYTES
            && let Some(cookie) = self.queue.pop_front()
        {
            let call = self.calls.get_mut(&cookie).expect("what is queued is not handed back");
            let Job { request, buffer, at, .. } = &mut call.job;
            call.stage = Stage::Sending;
            self.intake.expect(*request);
            chunks.push(Chunk::inline(&request.encode()));
            if request.command == Command::Write {
                let buffer = buffer.take().expect("a write has a buffer until it is sent");
                bytes += request.length as usize;
                chunks.push(Chunk::Buffer { buffer, range: *at..*at + request.length as usize });
            }
            cookies.push(cookie);
        }
        (cookies, chunks)
    }
}

/// Returns true for commands that a flush has to make durable.
pub(super) fn changes(command: Command) -> bool {
    matches!(command, Command::Write | Command::WriteZeroes | Command::Trim)
}

fn goodbye() -> [u8; super::super::wire::REQUEST_BYTES] {
    Request { flags: 0, command: Command::Disconnect, cookie: 0, offset: 0, length: 0 }.encode()
}
