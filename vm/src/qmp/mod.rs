//! The QEMU Machine Protocol: one JSON object a line over a Unix socket.
//!
//! ```text
//!   greeting ──> qmp_capabilities ──> command, answer, command, answer ...      events in between, at any time
//! ```
//! One command at a time, each with a number, so that a late answer is never taken for another command's. A monitor serves one client:
//! while another one is connected there is no greeting. Everything has a time limit; a command that timed out may have been executed all
//! the same, so the caller must check the state before it continues.
//!
//! Independent of the meaning of commands.

mod error;
mod libvirt;

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::socket::{getsockopt, sockopt};
use serde_json::{Value, json};

pub use error::QmpError;
use libvirt::LibvirtLink;

/// Maximum length of a line: the block nodes of a guest with hundreds of disks.
const LINE_BYTES_MAX: u64 = 16 << 20;
/// Maximum number of unread events; the oldest are dropped. An event is only a reason to check again, so only its name is kept.
const EVENTS_MAX: usize = 256;
/// Maximum length of a kept name.
const EVENT_LETTERS_MAX: usize = 64;

/// Interval of polling a monitor without events.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// Time limits for QEMU.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Limit for the greeting.
    pub greeting: Duration,
    /// Limit for the answer to a command.
    pub command: Duration,
}

impl Default for Patience {
    /// A greeting is immediate or missing. A command may have to wait until the guest's requests to a disk have ended, and those may wait a
    /// minute for a Forebay that is being restarted.
    fn default() -> Self {
        Self { greeting: Duration::from_secs(5), command: Duration::from_secs(90) }
    }
}

/// Address of a monitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Monitor {
    /// A QMP socket.
    Socket(PathBuf),
    /// The monitor of a domain, through libvirt.
    Libvirt(String),
}

/// Prefix of a libvirt domain's name in the text of a monitor.
const LIBVIRT: &str = "libvirt:";

impl Monitor {
    /// Parses the text of a monitor.
    pub fn of_name(name: &Path) -> Self {
        match name.to_str().and_then(|text| text.strip_prefix(LIBVIRT)) {
            Some(domain) => Self::Libvirt(domain.to_owned()),
            None => Self::Socket(name.to_owned()),
        }
    }

    /// Returns the monitor as text: a socket by its path.
    pub fn name(&self) -> PathBuf {
        match self {
            Self::Socket(socket) => socket.clone(),
            Self::Libvirt(domain) => format!("{LIBVIRT}{domain}").into(),
        }
    }
}

/// Connection to a QEMU that accepts commands.
pub struct Qmp {
    name: PathBuf,
    link: Link,
}

enum Link {
    Socket(SocketLink),
    Libvirt(LibvirtLink),
}

impl Qmp {
    /// Connects to a monitor and makes it ready for commands.
    ///
    /// # Errors
    /// If there is none, or it serves another client.
    pub fn open(monitor: &Monitor, patience: Patience) -> Result<Self, QmpError> {
        let link = match monitor {
            Monitor::Socket(socket) => Link::Socket(SocketLink::connect(socket, patience)?),
            Monitor::Libvirt(domain) => Link::Libvirt(LibvirtLink::new(domain, patience)),
        };
        Ok(Self { name: monitor.name(), link })
    }

    /// Returns the monitor as text: a socket by its path.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Returns the id of the process that made the socket, QEMU or another one on its behalf; none behind libvirt.
    pub fn peer(&self) -> Option<u32> {
        match &self.link {
            Link::Socket(link) => Some(link.peer),
            Link::Libvirt(_) => None,
        }
    }

    /// Executes `command` in QEMU and returns the answer.
    ///
    /// # Errors
    /// `Refused` with QEMU's message; every other error leaves the outcome unknown.
    pub fn execute(&mut self, command: &str, arguments: &Value) -> Result<Value, QmpError> {
        match &mut self.link {
            Link::Socket(link) => link.execute(command, arguments),
            Link::Libvirt(link) => link.execute(command, arguments),
        }
    }

    /// Returns the next event; none if there was none within `time`, or if the link has no events.
    ///
    /// # Errors
    /// If the connection is lost.
    pub fn event(&mut self, time: Duration) -> Result<Option<Value>, QmpError> {
        match &mut self.link {
            Link::Socket(link) => link.event(time),
            Link::Libvirt(_) => {
                thread::sleep(time.min(LOOK_INTERVAL));
                Ok(None)
            }
        }
    }
}

/// Connection to the socket of a QEMU.
struct SocketLink {
    socket: PathBuf,
    patience: Patience,
    writer: UnixStream,
    reader: BufReader<UnixStream>,
    /// Begin of a line whose end has not arrived yet.
    partial: Vec<u8>,
    events: VecDeque<Value>,
    commands: u64,
    peer: u32,
}

impl SocketLink {
    /// Connects to `socket` and makes the monitor ready for commands.
    ///
    /// # Errors
    /// If there is no listener, or it is no QEMU, or it serves another client.
    fn connect(socket: &Path, patience: Patience) -> Result<Self, QmpError> {
        let broken = |error| QmpError::unreachable(socket, error);
        let writer = UnixStream::connect(socket).map_err(broken)?;
        writer.set_write_timeout(Some(patience.command)).map_err(broken)?;
        let reader = BufReader::new(writer.try_clone().map_err(broken)?);
        let credentials = getsockopt(&writer, sockopt::PeerCredentials);
        let peer = credentials.map_err(|error| broken(error.into()))?.pid().cast_unsigned();
        let mut qmp = Self {
            socket: socket.to_owned(),
            patience,
            writer,
            reader,
            partial: Vec::new(),
            events: VecDeque::new(),
            commands: 0,
            peer,
        };
        let greeting = qmp.read(Instant::now() + patience.greeting)?;
        let greeting = greeting.ok_or_else(|| QmpError::Busy { socket: socket.to_owned() })?;
        if !greeting["QMP"].is_object() {
            return Err(qmp.garbled(&greeting.to_string()));
        }
        qmp.execute("qmp_capabilities", &json!({}))?;
        Ok(qmp)
    }

    /// Executes `command` in QEMU and returns the answer.
    ///
    /// # Errors
    /// `Refused` with QEMU's message; every other error leaves the outcome unknown.
    fn execute(&mut self, command: &str, arguments: &Value) -> Result<Value, QmpError> {
        self.commands += 1;
        let id = self.commands;
        let request = json!({ "execute": command, "arguments": arguments, "id": id });
        let sent = self.writer.write_all(format!("{request}\n").as_bytes());
        sent.map_err(|error| QmpError::unreachable(&self.socket, error))?;
        let deadline = Instant::now() + self.patience.command;
        loop {
            let Some(mut said) = self.read(deadline)? else {
                return Err(QmpError::TimedOut {
                    socket: self.socket.clone(),
                    command: command.to_owned(),
                    seconds: self.patience.command.as_secs(),
                });
            };
            if said["event"].is_string() {
                self.remember(&said);
            } else if said["id"] == id {
                if let Some(error) = said.get("error") {
                    return Err(QmpError::refused(command, error));
                }
                return Ok(said["return"].take());
            } else if !said["id"].is_u64() {
                return Err(self.garbled(&said.to_string()));
            }
        }
    }

    /// Returns the next event; none if there was none within `time`.
    ///
    /// # Errors
    /// If the connection is lost.
    fn event(&mut self, time: Duration) -> Result<Option<Value>, QmpError> {
        if let Some(event) = self.events.pop_front() {
            return Ok(Some(event));
        }
        let deadline = Instant::now() + time;
        loop {
            match self.read(deadline)? {
                Some(said) if said["event"].is_string() => return Ok(Some(said)),
                // The answer to a command that timed out.
                Some(_) => {}
                None => return Ok(None),
            }
        }
    }

    fn remember(&mut self, event: &Value) {
        if self.events.len() == EVENTS_MAX {
            self.events.pop_front();
        }
        let name: String =
            event["event"].as_str().unwrap_or_default().chars().take(EVENT_LETTERS_MAX).collect();
        self.events.push_back(json!({ "event": name }));
    }

    /// Returns the next object; none if it has not arrived by `deadline`.
    fn read(&mut self, deadline: Instant) -> Result<Option<Value>, QmpError> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            // The system takes zero for "no limit".
            let limit = Some(left.max(Duration::from_millis(1)));
            self.reader
                .get_ref()
                .set_read_timeout(limit)
                .map_err(|error| QmpError::unreachable(&self.socket, error))?;
            let room = LINE_BYTES_MAX - self.partial.len() as u64;
            match self.reader.by_ref().take(room).read_until(b'\n', &mut self.partial) {
                Ok(_) if self.partial.ends_with(b"\n") => break,
                Ok(0) if self.partial.len() as u64 == LINE_BYTES_MAX => {
                    return Err(self.garbled(&format!("a line of more than {LINE_BYTES_MAX} bytes")));
                }
                Ok(0) => {
                    return Err(QmpError::unreachable(&self.socket, io::ErrorKind::UnexpectedEof.into()));
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if left.is_zero() {
                        return Ok(None);
                    }
                }
                Err(error) => return Err(QmpError::unreachable(&self.socket, error)),
            }
        }
        let line = std::mem::take(&mut self.partial);
        match serde_json::from_slice(&line) {
            Ok(object @ Value::Object(_)) => Ok(Some(object)),
            _ => Err(self.garbled(String::from_utf8_lossy(&line).trim_end())),
        }
    }

    fn garbled(&self, what: &str) -> QmpError {
        QmpError::Garbled { socket: self.socket.clone(), what: what.chars().take(80).collect() }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::thread::JoinHandle;

    use super::*;
    use base::testing::TempDir;

    fn connect(socket: &Path, patience: Patience) -> Result<Qmp, QmpError> {
        Qmp::open(&Monitor::Socket(socket.to_owned()), patience)
    }

    const GREETING: &str = r#"{"QMP":{"version":{},"capabilities":[]}}"#;
    const READY: &str = r#"{"return":{},"id":1}"#;

    /// Sends one of `lines` for each line received, the first one at once; then closes.
    fn peer(dir: &TempDir, lines: Vec<String>) -> (PathBuf, JoinHandle<Vec<Value>>) {
        let socket = dir.path().join("q.sock");
        let listener = UnixListener::bind(&socket).expect("the folder is ours");
        let talking = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("the test connects");
            let mut heard = BufReader::new(stream.try_clone().expect("sockets can be shared")).lines();
            let mut requests = Vec::new();
            for line in lines {
                stream.write_all(format!("{line}\n").as_bytes()).expect("the test listens");
                let Some(Ok(request)) = heard.next() else { break };
                requests.push(serde_json::from_str(&request).expect("requests are JSON"));
            }
            requests
        });
        (socket, talking)
    }

    fn short() -> Patience {
        Patience { greeting: Duration::from_millis(50), command: Duration::from_millis(50) }
    }

    fn talk(lines: &[&str]) -> (Result<Value, QmpError>, Vec<Value>) {
        let dir = TempDir::new();
        let (socket, talking) = peer(&dir, lines.iter().map(|line| (*line).to_owned()).collect());
        let outcome =
            connect(&socket, Patience::default()).and_then(|mut qmp| qmp.execute("query-name", &json!({})));
        (outcome, talking.join().expect("the peer only talks"))
    }

    #[test]
    fn a_command_is_answered_and_events_in_between_are_kept() {
        let dir = TempDir::new();
        let answer = "{\"event\":\"RESUME\"}\n{\"return\":{\"name\":\"web\"},\"id\":2}\n{\"event\":\"STOP\"}";
        let lines = [GREETING, READY, answer].map(str::to_owned);
        let (socket, talking) = peer(&dir, lines.into());
        let mut qmp = connect(&socket, Patience::default()).expect("it is a QEMU");
        assert_eq!(qmp.peer(), Some(std::process::id()));
        let said = qmp.execute("query-name", &json!({ "x": 1 })).expect("it is answered");
        assert_eq!(said, json!({ "name": "web" }));
        for name in ["RESUME", "STOP"] {
            let event = qmp.event(Duration::from_mins(1)).expect("connected").expect("it came");
            assert_eq!(event["event"], name);
        }
        drop(qmp);
        let requests = talking.join().expect("the peer only talks");
        assert_eq!(requests[0]["execute"], "qmp_capabilities");
        assert_eq!(requests[1], json!({ "execute": "query-name", "arguments": { "x": 1 }, "id": 2 }));
    }

    #[test]
    fn what_qemu_refuses_is_told_in_its_own_words() {
        let refusal = r#"{"id":2,"error":{"class":"GenericError","desc":"No such node"}}"#;
        let (outcome, _) = talk(&[GREETING, READY, refusal]);
        let error = outcome.expect_err("it was refused");
        assert!(matches!(&error, QmpError::Refused { message, .. } if message == "No such node"));
        assert!(error.to_string().contains("query-name"), "{error}");
    }

    #[test]
    fn an_answer_that_came_too_late_is_not_taken_for_another() {
        let late = "{\"return\":\"late\",\"id\":1}\n{\"return\":\"right\",\"id\":2}";
        assert_eq!(talk(&[GREETING, READY, late]).0.expect("it is answered"), "right");
    }

    #[test]
    fn what_is_no_qemu_is_named_as_such() {
        for line in ["SSH-2.0-OpenSSH", "{\"hello\":1}", "[]"] {
            let error = talk(&[line]).0.expect_err(line);
            assert!(matches!(error, QmpError::Garbled { .. }), "{error}");
        }
    }

    #[test]
    fn a_line_without_end_is_an_error_that_names_the_limit() {
        let line = "x".repeat(LINE_BYTES_MAX as usize + 1);
        let error = talk(&[GREETING, READY, &line]).0.expect_err("it does not end");
        assert!(error.to_string().contains("a line of more than 16777216 bytes"), "{error}");
    }

    #[test]
    fn of_many_long_events_the_last_names_are_kept() {
        let dir = TempDir::new();
        let event = format!("{{\"event\":\"{}\",\"data\":\"{}\"}}\n", "N".repeat(1000), "x".repeat(10_000));
        let answer = event.repeat(EVENTS_MAX + 50) + r#"{"return":{},"id":2}"#;
        let (socket, talking) = peer(&dir, [GREETING.to_owned(), READY.to_owned(), answer].into());
        let mut qmp = SocketLink::connect(&socket, Patience::default()).expect("it is a QEMU");
        qmp.execute("query-name", &json!({})).expect("it is answered");
        assert_eq!(qmp.events.len(), EVENTS_MAX);
        let bytes: usize = qmp.events.iter().map(|event| event.to_string().len()).sum();
        assert!(bytes < 128 * EVENTS_MAX, "{bytes}");
        drop(qmp);
        talking.join().expect("the peer only talks");
    }

    #[test]
    fn a_connection_that_ends_is_an_error_at_any_point() {
        for lines in [&[][..], &[GREETING], &[GREETING, READY]] {
            let error = talk(lines).0.expect_err("it ended");
            assert!(matches!(error, QmpError::Unreachable { .. }), "{error}");
        }
    }

    #[test]
    fn a_monitor_that_talks_to_somebody_else_is_not_waited_for_for_ever() {
        let dir = TempDir::new();
        let socket = dir.path().join("q.sock");
        // Listens and never answers, as a monitor that has a client.
        let _listener = UnixListener::bind(&socket).expect("the folder is ours");
        let error = connect(&socket, short()).err().expect("there is no greeting");
        assert!(matches!(error, QmpError::Busy { .. }), "{error}");
    }

    #[test]
    fn a_command_without_an_answer_ends_in_time() {
        let dir = TempDir::new();
        let lines = [GREETING, READY, "{\"event\":\"STOP\"}"].map(str::to_owned);
        let (socket, talking) = peer(&dir, lines.into());
        let mut qmp = connect(&socket, short()).expect("it is a QEMU");
        let error = qmp.execute("stop", &json!({})).expect_err("there is no answer");
        assert!(matches!(error, QmpError::TimedOut { .. }), "{error}");
        assert!(qmp.event(Duration::ZERO).expect("connected").is_some());
        assert!(qmp.event(Duration::ZERO).expect("connected").is_none());
        drop(qmp);
        talking.join().expect("the peer only talks");
    }
}
