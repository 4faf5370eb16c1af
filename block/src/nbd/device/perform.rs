//! One request to the server, from waiting for its turn to its answer, through as many connections as that takes.

use std::sync::Arc;

use super::super::intake::Answer;
use super::super::wire::{Command, ReplyError};
use super::NbdDevice;
use super::connection::{CompletedJob, Ending, Job, Outcome, Permit, changes};
use crate::{BlockError, Buffer, ByteRange, ErrorKind, Host, Operation};

/// Reason why a request failed.
pub(super) enum RequestFailure {
    /// The retry time is over, for this reason.
    Late(String),
    /// The connection was given up, and a change is not sent again.
    Unknown(Ending),
    /// The device is refused for good.
    Refused(String),
    /// The server answered with an error and this message.
    Answered(ReplyError, String),
}

impl RequestFailure {
    /// Returns true if another try may succeed.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Late(_) | Self::Unknown(_) => true,
            Self::Refused(_) => false,
            Self::Answered(error, _) => kind_of(*error) == ErrorKind::Io,
        }
    }
}

fn operation_of(command: Command) -> Operation {
    match command {
        Command::Write => Operation::Write,
        Command::WriteZeroes => Operation::WriteZeroes,
        Command::Trim => Operation::Discard,
        Command::Flush => Operation::Flush,
        _ => Operation::Read,
    }
}

fn kind_of(error: ReplyError) -> ErrorKind {
    match error {
        ReplyError::Permission => ErrorKind::ReadOnly,
        ReplyError::NoSpace => ErrorKind::NoSpace,
        ReplyError::Invalid => ErrorKind::InvalidRequest,
        ReplyError::Unsupported => ErrorKind::Unsupported,
        ReplyError::Io | ReplyError::Memory | ReplyError::Overflow | ReplyError::Shutdown => ErrorKind::Io,
    }
}

/// Pause before a request that the server failed is sent again, in nanoseconds.
const REST_NS: u64 = 500_000_000;

impl<H: Host> NbdDevice<H> {
    /// Performs one request that the server takes as a whole, again if the server fails it with an error that may pass. The buffer is
    /// always returned.
    pub(super) async fn perform(
        &self,
        mut job: Job,
        deadline: u64,
    ) -> (Option<Buffer>, Result<Answer, RequestFailure>) {
        let (request, at) = (job.request, job.at);
        loop {
            let (buffer, result) = self.perform_once(job, deadline).await;
            let now = self.shared.host.now();
            let rest = now.saturating_add(REST_NS);
            // A flush that failed means that data may be gone.
            let failure = match result {
                Err(failure @ RequestFailure::Answered(..))
                    if failure.may_pass() && request.command != Command::Flush && rest < deadline =>
                {
                    failure
                }
                result => return (buffer, result),
            };
            let range = ByteRange::at(request.offset, u64::from(request.length));
            let error = self.error(failure, operation_of(request.command), Some(range));
            let troubled = self.watch.get().map(|watch| watch.note_retry(now, error));
            // Its turn is another's while it rests.
            self.shared.host.sleep_until(rest).await;
            drop(troubled);
            job = Job { request, buffer, at, permit: None };
        }
    }

    /// Performs it once, on as many connections as are lost meanwhile.
    async fn perform_once(
        &self,
        mut job: Job,
        deadline: u64,
    ) -> (Option<Buffer>, Result<Answer, RequestFailure>) {
        let deadlines = &self.shared.deadlines;
        if job.permit.is_none() {
            match deadlines.within(deadline, self.permit(&job)).await {
                Some(permit) => job.permit = Some(permit),
                None => {
                    return (
                        job.buffer,
                        Err(RequestFailure::Late("too many requests are before it".to_owned())),
                    );
                }
            }
        }
        loop {
            let link = match deadlines.within(deadline, self.shared.link()).await {
                Some(Ok(link)) => link,
                Some(Err(reason)) => return (job.buffer, Err(RequestFailure::Refused(reason))),
                None => return (job.buffer, Err(RequestFailure::Late(self.shared.trouble()))),
            };
            if job.request.command == Command::BlockStatus && !link.tells_extents {
                // "Allocated" is always a true answer.
                let answer = Answer { extents: vec![(job.request.length, 0)], ..Answer::default() };
                return (job.buffer, Ok(answer));
            }
            let mut completed = link.connection.submit(job, self.next_cookie());
            let mut done = deadlines.within(deadline, &mut completed).await;
            if done.is_none() {
                // The kernel may have the buffer. The end of the connection brings it back.
                link.connection.end(Ending::Silent);
                done = Some(completed.await);
            }
            let done = done.expect("there was an answer in time, or there is one now");
            let CompletedJob { job: back, outcome } = done.expect("a connection hands every job back");
            match outcome {
                // Not done, and the connection is about to end: elsewhere, then.
                Outcome::Answered(Answer { error: Some((ReplyError::Shutdown, _)), .. }) => {}
                Outcome::Answered(Answer { error: Some((error, words)), .. }) => {
                    return (back.buffer, Err(RequestFailure::Answered(error, words)));
                }
                Outcome::Answered(answer) => return (back.buffer, Ok(answer)),
                Outcome::Lost { ending, reached } => {
                    if reached && changes(back.request.command) && !ending.server_is_through() {
                        return (back.buffer, Err(RequestFailure::Unknown(ending)));
                    }
                    if deadlines.is_over(deadline) {
                        return (back.buffer, Err(RequestFailure::Late(ending.to_string())));
                    }
                }
            }
            job = back;
        }
    }

    /// Takes a turn; turns are given in order of arrival.
    async fn permit(&self, job: &Job) -> Permit {
        let moves = matches!(job.request.command, Command::Read | Command::Write);
        let bytes = if moves { job.request.length } else { 0 };
        let request = Arc::clone(&self.requests).acquire_owned().await;
        let bytes = Arc::clone(&self.bytes).acquire_many_owned(bytes).await;
        let closed = "the semaphores are never closed";
        (request.expect(closed), bytes.expect(closed))
    }

    fn next_cookie(&self) -> u64 {
        let cookie = self.cookies.get();
        self.cookies.set(cookie + 1);
        cookie
    }

    /// Returns a failure as the error of an operation.
    pub(super) fn error(
        &self,
        failure: RequestFailure,
        operation: Operation,
        range: Option<ByteRange>,
    ) -> BlockError {
        let target = &self.shared.target;
        let (kind, reason) = match failure {
            RequestFailure::Late(why) => {
                (ErrorKind::Io, format!("{target} did not do it within the retry time; {why}"))
            }
            RequestFailure::Unknown(ending) => (
                ErrorKind::Unanswered,
                format!(
                    "the connection to {target} was abandoned, {ending}; it may still be done until the server answers it or ends that connection"
                ),
            ),
            RequestFailure::Refused(reason) => (ErrorKind::Gone, reason),
            RequestFailure::Answered(error, words) => {
                let words = if words.is_empty() { String::new() } else { format!(" '{words}'") };
                (kind_of(error), format!("the server of {target} reports {error:?}{words}"))
            }
        };
        BlockError { kind, operation, range, reason }
    }
}
