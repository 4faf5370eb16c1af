//! Lean NBD client: random 4 KiB reads, pipelined on one connection. It reads as much of the socket as there is, and sends all next
//! requests with one call. It exists because fio's client takes more CPU time per request than a good server does.
//!
//! It trusts the server, and has no time limit: for measurements with a limit from outside.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use doors::nbd::Client;
use doors::nbd::option::Replies;
use doors::nbd::reply::{ReplyHeader, SIMPLE_REPLY_BYTES};
use doors::nbd::wire::{Command, Request};

use crate::client::{LoadResults, seed};
use crate::rig::random;

const PAGE: u64 = 4096;
const BUFFER_BYTES: usize = 256 << 10;
const CHECKED_BYTES: u32 = 64 << 10;

/// Random reads of 4 KiB, pipelined, for a while.
#[derive(clap::Args)]
pub(crate) struct NbdArguments {
    /// Socket of the server.
    #[arg(long)]
    socket: PathBuf,
    /// Name of the export; the default one without.
    #[arg(long, default_value = "")]
    export: String,
    /// Number of bytes that are read, from the start of the export.
    #[arg(long)]
    bytes: u64,
    /// Requests in flight.
    #[arg(long, default_value_t = 32)]
    depth: u16,
    /// Seconds to measure.
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// File with which all of it is compared before.
    #[arg(long)]
    expect: Option<PathBuf>,
}

/// Runs the load and prints its figures.
///
/// # Errors
/// If the server cannot be reached, fails a request, or its data differs from the file.
pub(crate) fn load(arguments: &NbdArguments) -> Result<(), String> {
    let NbdArguments { socket, export, bytes, depth, seconds, expect } = arguments;
    let (bytes, depth) = (*bytes, *depth);
    if bytes < PAGE || depth == 0 {
        return Err(format!(
            "There is nothing to read with --bytes {bytes} --depth {depth}. Give at least 4096 and 1."
        ));
    }
    let problem = |error: std::io::Error| {
        format!("Could not read the NBD export '{export}' at {}: {error}.", socket.display())
    };
    let mut stream = UnixStream::connect(socket).map_err(problem)?;
    let mut client =
        Client::over(stream.try_clone().map_err(problem)?, export, Replies::Simple).map_err(problem)?;
    if let Some(expect) = expect {
        let expected = File::open(expect).map_err(problem)?;
        for offset in (0..bytes).step_by(CHECKED_BYTES as usize) {
            let length = (bytes - offset).min(CHECKED_BYTES.into()) as u32;
            let mut wanted = vec![0; length as usize];
            expected.read_exact_at(&mut wanted, offset).map_err(problem)?;
            if client.read(offset, length).map_err(problem)? != wanted {
                return Err(format!(
                    "The export '{export}' differs from {} after byte {offset}.",
                    expect.display()
                ));
            }
        }
    }
    let mut reads = Reads {
        pages: bytes / PAGE,
        state: seed(),
        begun: vec![Instant::now(); depth.into()],
        to_send: Vec::new(),
    };
    let done = reads.run(&mut stream, Duration::from_secs(*seconds)).map_err(problem)?;
    println!("{{\"measurement\":\"nbd\",\"depth\":{depth},{}}}", done.json());
    Ok(())
}

/// Requests without an answer.
struct Reads {
    pages: u64,
    state: u64,
    /// Begin of each, by cookie.
    begun: Vec<Instant>,
    to_send: Vec<u8>,
}

impl Reads {
    fn run(&mut self, stream: &mut UnixStream, time: Duration) -> std::io::Result<LoadResults> {
        let mut done = LoadResults::new();
        let started = Instant::now();
        for cookie in 0..self.begun.len() {
            self.ask(cookie, started);
        }
        let (mut buffer, mut have, mut in_flight) = (vec![0; BUFFER_BYTES], 0, self.begun.len());
        while in_flight > 0 {
            if !self.to_send.is_empty() {
                done.kicks += 1;
                stream.write_all(&self.to_send)?;
                self.to_send.clear();
            }
            done.sleeps += 1;
            let came = stream.read(&mut buffer[have..])?;
            if came == 0 {
                return Err(std::io::Error::other("the server has closed the connection"));
            }
            have += came;
            let now = Instant::now();
            done.took = now.duration_since(started);
            let mut at = 0;
            while have - at >= SIMPLE_REPLY_BYTES + PAGE as usize {
                let cookie = cookie(&buffer[at..at + SIMPLE_REPLY_BYTES], self.begun.len())?;
                at += SIMPLE_REPLY_BYTES + PAGE as usize;
                done.latencies.record(now.duration_since(self.begun[cookie]));
                if done.took < time {
                    self.ask(cookie, now);
                } else {
                    in_flight -= 1;
                }
            }
            buffer.copy_within(at..have, 0);
            have -= at;
        }
        Ok(done)
    }

    fn ask(&mut self, cookie: usize, now: Instant) {
        self.begun[cookie] = now;
        let offset = random(&mut self.state) % self.pages * PAGE;
        let cookie = cookie as u64;
        let request = Request { flags: 0, command: Command::Read, cookie, offset, length: PAGE as u32 };
        self.to_send.extend_from_slice(&request.encode());
    }
}

/// Returns the cookie in the head of a reply.
fn cookie(head: &[u8], most: usize) -> std::io::Result<usize> {
    match ReplyHeader::decode(head) {
        Some(ReplyHeader::Simple { error: None, cookie }) if cookie < most as u64 => Ok(cookie as usize),
        other => Err(std::io::Error::other(format!(
            "a reply begins with {other:?} for a read of {most} in flight"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use doors::nbd::reply::SIMPLE_REPLY_MAGIC;

    use super::*;

    #[test]
    fn a_reply_names_its_request_and_whatever_else_it_says_is_an_error() {
        let head = |magic: u32, error: u32, cookie: u64| {
            [&magic.to_be_bytes()[..], &error.to_be_bytes(), &cookie.to_be_bytes()].concat()
        };
        assert_eq!(cookie(&head(SIMPLE_REPLY_MAGIC, 0, 7), 8).ok(), Some(7));
        let wrong = [
            (SIMPLE_REPLY_MAGIC, 0, 8),
            (SIMPLE_REPLY_MAGIC, 5, 7),
            (1, 0, 7),
            (SIMPLE_REPLY_MAGIC, 0, 1 << 32),
        ];
        for (magic, error, number) in wrong {
            assert!(cookie(&head(magic, error, number), 8).is_err());
        }
    }
}
