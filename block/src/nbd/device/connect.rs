//! From the name of an export to a connection on which requests can be sent.
//!
//! Looks the host up, connects and negotiates; [`geometry`] decides whether the export is a disk that can be served. Names are looked up on
//! a thread of its own, because the system's function blocks. Retries nothing.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::pin::pin;

use futures_util::future::{Either, select};
use tokio::sync::oneshot;

use super::super::negotiation::{Negotiation, NegotiationFailure, NegotiationStep, Terms};
use super::super::option::{ExportFacts, OptionReply};
use super::super::wire::export_flags::{HAS_FLAGS, READ_ONLY, SEND_FLUSH, SEND_TRIM, SEND_WRITE_ZEROES};
use super::target::{Address, Target};
use crate::file::Access;
use crate::socket::{Chunk, Incoming, Stream};
use crate::{Buffer, Geometry, Host, PAGE, Ring, SECTOR};

/// Room for received bytes; the rest of a read goes straight into its buffer.
pub(super) const RECEIVE_BYTES: usize = 64 << 10;
/// The largest smallest block that the specification allows.
const BLOCK_MIN_MAX: u32 = 64 << 10;

/// A connection whose export was chosen.
pub(super) struct Connected {
    pub(super) stream: Stream,
    pub(super) incoming: Incoming,
    pub(super) terms: Terms,
}

/// Reason why an export cannot be used. Suitable for an administrator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NbdError {
    /// The export, as a URI.
    pub target: String,
    /// True if a later try can help, with nothing changed here.
    pub may_pass: bool,
    /// Description of the problem, and a remedy.
    pub reason: String,
}

impl fmt::Display for NbdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cannot use {}: {}", self.target, self.reason)
    }
}

impl std::error::Error for NbdError {}

/// Connects to `target`.
pub(super) async fn connect<H: Host>(
    ring: &Ring,
    host: &H,
    target: &Target,
    time_max_ns: u64,
) -> Result<Connected, NbdError> {
    let fail = |(may_pass, reason)| NbdError { target: target.to_string(), may_pass, reason };
    let attempt = async {
        let stream = reach(ring, &target.address).await?;
        let mut incoming = Incoming::new(stream.clone(), RECEIVE_BYTES);
        let terms = negotiate(&stream, &mut incoming, &target.export).await?;
        Ok(Connected { stream, incoming, terms })
    };
    match select(pin!(attempt), pin!(host.sleep(time_max_ns))).await {
        Either::Left((connected, _)) => connected.map_err(fail),
        Either::Right(_) => {
            let seconds = time_max_ns / 1_000_000_000;
            let reason = format!(
                "the server did not answer within {seconds} s; check that it runs and is not stopped"
            );
            Err(fail((true, reason)))
        }
    }
}

/// A reason, and whether it may pass.
type Trouble = (bool, String);

fn unreached(error: &io::Error) -> Trouble {
    let advice = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => {
            "start the server, or check the address"
        }
        io::ErrorKind::PermissionDenied => "give the user of the daemon the right to the socket",
        io::ErrorKind::WouldBlock => "the server takes no connections; check that it is not stopped",
        _ => "check the server and the way to it",
    };
    (true, format!("its server cannot be reached ({error}); {advice}"))
}

async fn reach(ring: &Ring, address: &Address) -> Result<Stream, Trouble> {
    match address {
        Address::Unix(path) | Address::Helper { socket: path, .. } => {
            Stream::connect_unix(ring, path).map_err(|error| unreached(&error))
        }
        Address::Tcp { host, port } => {
            let mut trouble = (true, format!("the host '{host}' has no address; check its name"));
            for address in look_up(host, *port).await.map_err(|error| unreached(&error))? {
                match Stream::connect_tcp(ring, address).await {
                    Ok(stream) => return Ok(stream),
                    Err(error) => trouble = unreached(&error),
                }
            }
            Err(trouble)
        }
    }
}

/// Returns the addresses of a host, best first.
async fn look_up(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let name = host.to_owned();
    let (answer, answered) = oneshot::channel();
    std::thread::Builder::new().name("look-up".to_owned()).spawn(move || {
        // The caller may have stopped waiting.
        drop(answer.send((name.as_str(), port).to_socket_addrs().map(Vec::from_iter)));
    })?;
    answered.await.map_err(io::Error::other)?
}

async fn negotiate(stream: &Stream, incoming: &mut Incoming, export: &str) -> Result<Terms, Trouble> {
    let broken = |error: io::Error| (true, format!("its server ended the handshake ({error}); see its log"));
    let mut negotiation = Negotiation::new(export);
    loop {
        let mut output = Vec::new();
        let mut input = incoming.pending();
        let step = negotiation.step(&mut input, &mut output);
        let consumed = incoming.pending().len() - input.len();
        incoming.consume(consumed);
        match step {
            Ok(NegotiationStep::Agreed(terms)) => return Ok(terms),
            Ok(NegotiationStep::NeedInput) => {}
            Err(failure) => return Err(explain(failure)),
        }
        if !output.is_empty() {
            let chunk = Chunk::Buffer { buffer: Buffer::copy_of(&output), range: 0..output.len() };
            stream.send(vec![chunk]).await.1.map_err(broken)?;
        }
        incoming.fill().await.map_err(broken)?;
    }
}

fn explain(failure: NegotiationFailure) -> Trouble {
    match failure {
        NegotiationFailure::Violation(what) => {
            (false, format!("what answers there is no NBD server that Forebay understands: {what}"))
        }
        NegotiationFailure::Refused(kind, words) => {
            let words = if words.is_empty() { String::new() } else { format!(" ('{words}')") };
            let (may_pass, what) = match kind {
                OptionReply::Unknown => (
                    true,
                    "its server has no export of this name, or cannot open it; check the name, and its log",
                ),
                OptionReply::Policy => (true, "its server does not allow it; see its configuration"),
                OptionReply::TlsRequired => (
                    false,
                    "its server requires encryption, which Forebay does not support; serve it without",
                ),
                OptionReply::Shutdown => (true, "its server is about to stop"),
                _ => (false, "its server refuses; see its log"),
            };
            (may_pass, format!("{what}{words}"))
        }
    }
}

/// Returns the properties of the device, if `target`, for which the server reported these facts, is a disk that can be served.
pub(super) fn geometry(target: &Target, facts: &ExportFacts, access: Access) -> Result<Geometry, NbdError> {
    let refuse = |reason| Err(NbdError { target: target.to_string(), may_pass: false, reason });
    let ExportFacts { size, flags, block_min, payload_max, .. } = *facts;
    let sane = block_min.is_power_of_two()
        && block_min <= BLOCK_MIN_MAX
        && payload_max >= block_min.max(SECTOR as u32)
        && flags & HAS_FLAGS != 0
        && i64::try_from(size).is_ok();
    if !sane {
        return refuse(format!(
            "its server makes no sense: size {size}, flags {flags:#x}, blocks of {block_min} to {payload_max} bytes"
        ));
    }
    let alignment = u64::from(block_min).max(SECTOR);
    if size == 0 || !size.is_multiple_of(alignment) {
        return refuse(format!(
            "its size, {size} bytes, is not a multiple of {alignment}; make it one with the tools of its server"
        ));
    }
    if access == Access::ReadWrite && flags & READ_ONLY != 0 {
        return refuse(
            "its server serves it read-only; make it writable there, or add the disk with --read-only"
                .to_owned(),
        );
    }
    let read_only = access == Access::ReadOnly;
    Ok(Geometry {
        size,
        alignment,
        // Servers guarantee their own changes inside of a block that is larger.
        physical_block: alignment,
        read_only,
        flushes: read_only || flags & SEND_FLUSH != 0,
        // A server that can trim mostly frees storage for zeroes as well.
        unmaps: !read_only && flags & SEND_TRIM != 0 && flags & SEND_WRITE_ZEROES != 0,
        discards: !read_only && flags & SEND_TRIM != 0,
        sector: alignment.min(PAGE),
        atomic_flushes: false,
    })
}
