//! The command line's client of the daemon: one request over the control socket.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::path::{Path, PathBuf};
use std::task::Poll;
use std::time::Duration;

use api::ProblemDocument;
use base::error::{Error, ErrorKind, Result};
use base::patience::{Late, within};
use base::units::Size;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::{Method, Request, header};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde_json::Value;
use tokio::net::UnixStream;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The longest answer that is accepted, in bytes: far beyond a chunk of a recording, or the metrics of
/// thousands of disks.
const ANSWER_BYTES_MAX: usize = 256 << 20;

/// A client of a daemon, which may not run.
pub(crate) struct Client {
    socket: PathBuf,
    runtime: tokio::runtime::Runtime,
    /// Signals that end a pause.
    ends: RefCell<Vec<Signal>>,
    /// Time that the daemon has for each answer; none: without limit.
    answer_time_max: Option<Duration>,
}

/// End of a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// The time is over.
    Over,
    /// Ctrl-C, or another signal of [`Client::hear_ends`].
    Interrupted,
}

impl Client {
    /// Returns a client of the daemon whose control socket is `socket`. Connects with the first request.
    pub(crate) fn new(socket: PathBuf) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::failed(format!("Cannot start: {error}")))?;
        Ok(Self { socket, runtime, ends: RefCell::default(), answer_time_max: None })
    }

    /// Sets the time that the daemon has for each answer from now on. Later answers are `Unavailable`.
    pub(crate) fn limit_answers(&mut self, time: Duration) {
        self.answer_time_max = Some(time);
    }

    /// Returns the control socket.
    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    /// Makes signals that end a process end a [`Self::pause`] instead: Ctrl-C, SIGTERM, and SIGHUP of a
    /// closed terminal.
    ///
    /// # Errors
    /// If the system refuses handlers of signals.
    pub(crate) fn hear_ends(&self) -> Result<()> {
        let _inside = self.runtime.enter();
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let heard: io::Result<Vec<Signal>> = kinds.into_iter().map(signal).collect();
        *self.ends.borrow_mut() =
            heard.map_err(|error| Error::failed(format!("Cannot hear of signals: {error}")))?;
        Ok(())
    }

    /// Waits. Ctrl-C ends it, also if it was pressed since an earlier pause; so do the signals of
    /// [`Self::hear_ends`].
    pub(crate) fn pause(&self, time: Duration) -> Pause {
        let mut ends = self.ends.borrow_mut();
        if ends.is_empty() {
            let _inside = self.runtime.enter();
            // Without a handler, Ctrl-C ends the process as usual.
            ends.extend(signal(SignalKind::interrupt()));
        }
        let any = poll_fn(|context| {
            let is_over = ends.iter_mut().any(|end| end.poll_recv(context).is_ready());
            if is_over { Poll::Ready(()) } else { Poll::Pending }
        });
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                () = any => Pause::Interrupted,
                () = tokio::time::sleep(time) => Pause::Over,
            }
        })
    }

    /// Sends GET for `path`.
    pub(crate) fn get(&self, path: &str) -> Result<Value> {
        self.request(&Method::GET, path, None::<&()>)
    }

    /// Sends POST with a body.
    pub(crate) fn post(&self, path: &str, body: &impl Serialize) -> Result<Value> {
        self.request(&Method::POST, path, Some(body))
    }

    /// Sends PUT with a body.
    pub(crate) fn put(&self, path: &str, body: &impl Serialize) -> Result<Value> {
        self.request(&Method::PUT, path, Some(body))
    }

    /// Sends PATCH with a body.
    pub(crate) fn patch(&self, path: &str, body: &impl Serialize) -> Result<Value> {
        self.request(&Method::PATCH, path, Some(body))
    }

    /// Sends DELETE with a body.
    pub(crate) fn delete_with(&self, path: &str, body: &impl Serialize) -> Result<Value> {
        self.request(&Method::DELETE, path, Some(body))
    }

    /// Sends DELETE.
    pub(crate) fn delete(&self, path: &str) -> Result<Value> {
        self.request(&Method::DELETE, path, None::<&()>)
    }

    /// Sends POST, and returns the bytes of the answer.
    pub(crate) fn post_bytes(&self, path: &str) -> Result<Vec<u8>> {
        self.bytes(&Method::POST, path, None::<&()>)
    }

    /// Sends DELETE, and returns the bytes of the answer.
    pub(crate) fn delete_bytes(&self, path: &str) -> Result<Vec<u8>> {
        self.bytes(&Method::DELETE, path, None::<&()>)
    }

    fn request(&self, method: &Method, path: &str, body: Option<&impl Serialize>) -> Result<Value> {
        let bytes = self.bytes(method, path, body)?;
        serde_json::from_slice(&bytes).map_err(|error| self.garbled(&error.to_string()))
    }

    fn bytes(&self, method: &Method, path: &str, body: Option<&impl Serialize>) -> Result<Vec<u8>> {
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, "forebay");
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let body =
            body.map_or_else(Vec::new, |body| serde_json::to_vec(body).expect("plain data with text keys"));
        let request = request
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| Error::invalid(format!("Cannot ask for '{path}': {error}; check the name")))?;
        let exchange = exchange(&self.socket, request);
        let (status, bytes) = self.runtime.block_on(async {
            let Some(time) = self.answer_time_max else { return exchange.await };
            within(time, exchange).await.unwrap_or_else(|Late| Err(self.late(time)))
        })?;
        if (200..300).contains(&status) {
            return Ok(bytes.to_vec());
        }
        let problem: ProblemDocument = serde_json::from_slice(&bytes)
            .map_err(|_| self.garbled(&format!("status {status}: {}", String::from_utf8_lossy(&bytes))))?;
        Err(Error::new(ErrorKind::of_http_status(status), problem.detail))
    }

    fn late(&self, time: Duration) -> Error {
        Error::unavailable(format!(
            "Cannot wait for the daemon at {}: it has not answered in {} s; check whether it hangs",
            self.socket.display(),
            time.as_secs()
        ))
    }

    fn garbled(&self, what: &str) -> Error {
        Error::failed(format!(
            "Cannot understand the answer at {}: {what}; check that it is Forebay's socket",
            self.socket.display()
        ))
    }
}

async fn exchange(socket: &Path, request: Request<Full<Bytes>>) -> Result<(u16, Bytes)> {
    let stream = UnixStream::connect(socket).await.map_err(|error| {
        let advice = match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::ConnectionRefused => {
                "start it with `forebay serve`, or name its socket with --socket"
            }
            std::io::ErrorKind::PermissionDenied => {
                "run as root, or as a member of the group that may use it"
            }
            _ => "name its socket with --socket",
        };
        Error::unavailable(format!("Cannot reach the daemon at {}: {error}; {advice}", socket.display()))
    })?;
    let broken = |error: hyper::Error| {
        Error::unavailable(format!(
            "Cannot finish the request at {}: {error}; check whether the daemon still runs",
            socket.display()
        ))
    };
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
    // Drives the connection while the exchange waits; if it fails, the exchange reports it.
    tokio::spawn(connection);
    let response = sender.send_request(request).await.map_err(broken)?;
    let status = response.status().as_u16();
    let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await;
    let body = body.map_err(|error| match error.downcast::<hyper::Error>() {
        Ok(error) => broken(*error),
        Err(_) => Error::unavailable(format!(
            "Cannot use the answer at {}: it has more than {}; check that it is Forebay's socket",
            socket.display(),
            Size(ANSWER_BYTES_MAX as u64)
        )),
    })?;
    Ok((status, body.to_bytes()))
}
