//! One connection of a replay: receives requests one by one, sends each, and checks the answer.

use std::io;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use doors::nbd::Client;

use super::content::{ExpectedContent, content};

/// A request.
pub(super) struct ReplayRequest {
    slot: usize,
    offset: u64,
    length: u32,
    what: RequestKind,
}

enum RequestKind {
    Read(ExpectedContent),
    /// A write, with its number.
    Write(u32),
}

/// The answer to the request in `slot`.
pub(super) struct CompletedRequest {
    pub(super) slot: usize,
    pub(super) elapsed: Duration,
    /// True if content was checked.
    pub(super) result: Result<bool, RequestFailure>,
}

/// Reason for which a request failed.
pub(super) enum RequestFailure {
    /// It read wrong content.
    Wrong(String),
    /// The disk failed it.
    Refused(String),
    /// The connection is lost.
    Lost(String),
}

impl ReplayRequest {
    /// Returns a read with its expected content.
    pub(super) fn read(slot: usize, offset: u64, length: u32, expected: ExpectedContent) -> Self {
        Self { slot, offset, length, what: RequestKind::Read(expected) }
    }

    /// Returns the write with this number.
    pub(super) fn write(slot: usize, offset: u64, length: u32, number: u32) -> Self {
        Self { slot, offset, length, what: RequestKind::Write(number) }
    }

    fn execute(&self, client: &mut Client, run: u64) -> (Duration, Result<bool, RequestFailure>) {
        let Self { offset, length, .. } = *self;
        match &self.what {
            RequestKind::Read(expected) => {
                let started = Instant::now();
                let answer = client.read(offset, length);
                (
                    started.elapsed(),
                    answer
                        .map_err(|error| failure(&error))
                        .and_then(|bytes| judge(expected, run, offset, &bytes)),
                )
            }
            RequestKind::Write(number) => {
                let bytes = content(run, offset, length, *number);
                let started = Instant::now();
                let answer = client.write(offset, &bytes);
                (started.elapsed(), answer.map_err(|error| failure(&error)).map(|()| false))
            }
        }
    }
}

fn judge(expected: &ExpectedContent, run: u64, offset: u64, bytes: &[u8]) -> Result<bool, RequestFailure> {
    match expected.first_wrong(run, offset, bytes) {
        None => Ok(expected.is_known()),
        Some(at) => {
            let length = bytes.len();
            let text = format!("a read of {length} bytes at {offset} found what was not written at {at}");
            Err(RequestFailure::Wrong(text))
        }
    }
}

fn failure(error: &io::Error) -> RequestFailure {
    // An error from the server is of this kind; all others are lost connections.
    match error.kind() {
        io::ErrorKind::Other => RequestFailure::Refused(error.to_string()),
        _ => RequestFailure::Lost(error.to_string()),
    }
}

/// Works on requests of the run `run` until there are no more, or the connection is lost.
pub(super) fn serve(
    mut client: Client,
    run: u64,
    work: &Mutex<Receiver<ReplayRequest>>,
    done: &Sender<CompletedRequest>,
) {
    loop {
        let job = work.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { break };
        let (elapsed, result) = job.execute(&mut client, run);
        let lost = matches!(result, Err(RequestFailure::Lost(_)));
        if done.send(CompletedRequest { slot: job.slot, elapsed, result }).is_err() || lost {
            return;
        }
    }
    // Fails only if the server is gone, which does not matter now.
    client.disconnect().unwrap_or(());
}
