//! An HTTP client of a daemon over TCP, byte for byte, and its answers.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use crate::host::{Daemon, Host};

/// A parsed answer.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    /// In lower case.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answered {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// Returns the text of a problem document.
    pub(crate) fn problem(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{self:?}");
        assert!(self.head.contains("content-type: application/problem+json"), "{self:?}");
        assert_eq!(self.json()["status"], status);
        self.json()["detail"].as_str().expect("a problem has a detail").to_owned()
    }
}

/// An HTTP client of a daemon.
pub(crate) struct Browser {
    pub(crate) address: SocketAddr,
    pub(crate) host: String,
    pub(crate) token: Option<String>,
    /// More header lines, each with its end.
    pub(crate) more: String,
}

impl Browser {
    /// Returns a client on the daemon's own host, without its token.
    pub(crate) fn of(daemon: &Daemon) -> Self {
        let address = daemon.http();
        Self { address, host: address.to_string(), token: None, more: String::new() }
    }

    /// Returns a client with the token.
    pub(crate) fn with_token(host: &Host, daemon: &Daemon) -> Self {
        let token = fs::read_to_string(host.path("d/token")).expect("it was made");
        Self { token: Some(token.trim().to_owned()), ..Self::of(daemon) }
    }

    /// Returns the same client with more header lines in each request.
    pub(crate) fn saying(&self, more: &str) -> Self {
        let (host, token) = (self.host.clone(), self.token.clone());
        Self { address: self.address, host, token, more: format!("{more}\r\n") }
    }

    pub(crate) fn get(&self, path: &str) -> Answered {
        self.ask("GET", path, "")
    }

    /// Sends a body as JSON, valid or not.
    pub(crate) fn send(&self, method: &str, path: &str, body: &str) -> Answered {
        self.saying(&format!("{}Content-Type: application/json", self.more)).ask(method, path, body)
    }

    pub(crate) fn ask(&self, method: &str, path: &str, body: &str) -> Answered {
        let Self { host, more, .. } = self;
        let token = self.token.iter().map(|token| format!("Authorization: Bearer {token}\r\n"));
        let token: String = token.collect();
        let length = body.len();
        let text = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{token}{more}Content-Length: {length}\r\n\r\n{body}"
        );
        exchange(self.address, text.as_bytes())
    }
}

/// Longer than any answer takes.
const ANSWER_TIME_MAX: Duration = Duration::from_mins(1);

/// Sends bytes and reads until the connection ends.
pub(crate) fn exchange(address: SocketAddr, bytes: &[u8]) -> Answered {
    let mut stream = TcpStream::connect(address).expect("somebody listens");
    stream.set_read_timeout(Some(ANSWER_TIME_MAX)).expect("it is some time");
    // A server that refuses a long request does not read all of it.
    stream.write_all(bytes).unwrap_or(());
    let mut text = Vec::new();
    stream.read_to_end(&mut text).unwrap_or(0);
    let text = String::from_utf8(text).expect("answers are text");
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: '{text}'"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Answered { status, head: head.to_lowercase(), body: body.to_owned() }
}

/// Starts a daemon that serves HTTP at a port of the system's choice.
pub(crate) fn serve(host: &Host) -> Daemon {
    let pool = host.text("pool.img");
    host.serve_with(&["--pool", &pool, "--pool-size", "64MiB", "--listen-http", "127.0.0.1:0"])
}
