//! TLS of a connection: certificates to a configuration, received bytes to plain ones, replies to records.
//!
//! ```text
//!   STARTTLS ──> Session::accept ──> handshake over the stream ──> Session between Receiver, Outbox and the stream
//! ```
//! TLS 1.3 (RFC 8446) and nothing older, so there is no renegotiation; sessions are not resumed, so each connection proves
//! its identity again. A session does no I/O but in its handshake: the ring of the shard moves records as it moves everything else, and
//! no thread waits for a client. It holds one received piece at most ([`RECEIVE_BYTES`]), one record that is not complete, and
//! what one record held; sent data is sealed in pieces of [`SEAL_BYTES`]. It moves with its connection to another
//! shard.
//!
//! Nothing here opens a file, looks up a name, or decides who may connect beyond the certificates.

use std::fmt;
use std::io::{self, IoSlice, Read, Write};
use std::os::fd::AsRawFd;
use std::sync::Arc;

use block::Buffer;
use block::socket::{Chunk, Stream};
use nix::sys::socket::{MsgFlags, send};
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig, ServerConnection};

use super::limits::{RECEIVE_BYTES, SEAL_BYTES};
use super::receiver::ReceiveEnd;

/// The most plain bytes of one record (RFC 8446, section 5.1).
const RECORD_BYTES: usize = 16 << 10;
/// More than a record adds to its content: header, type and tag (RFC 8446, section 5.2).
const RECORD_OVERHEAD: usize = 32;
/// Room for an alert and an update of keys, which go out unasked.
const UNASKED_BYTES: usize = 1024;

/// Identity of the server, and the authority that its clients need. Clones are the same one.
#[derive(Clone)]
pub struct Identity(Arc<ServerConfig>);

/// Reason why there is no identity: the faulty part, and its error.
#[derive(Debug, PartialEq, Eq)]
pub enum Unfit {
    /// The server's certificates.
    Certificate(String),
    /// The server's private key.
    Key(String),
    /// The authority whose certificates clients have to show.
    Authority(String),
}

/// Gives out the identity that new connections get.
pub trait Identities {
    /// Returns the one that counts now. Called for each connection that encrypts.
    fn current(&self) -> Identity;
}

impl Identity {
    /// Reads PEM texts: the server's certificate, with those between it and its authority behind it; its key; and the
    /// authority whose certificate clients have to show. Without one, clients show none.
    ///
    /// # Errors
    /// The first part that is unfit.
    pub fn from_pem(chain: &[u8], key: &[u8], authority: Option<&[u8]>) -> Result<Self, Unfit> {
        let provider = Arc::new(ring::default_provider());
        let chain = certificates(chain).map_err(Unfit::Certificate)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| {
            Unfit::Key(format!("it holds no private key in PEM that can be read: {error}"))
        })?;
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(|error| Unfit::Certificate(error.to_string()))?;
        let builder = match authority {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let mut roots = RootCertStore::empty();
                for certificate in certificates(authority).map_err(Unfit::Authority)? {
                    roots.add(certificate).map_err(|error| Unfit::Authority(error.to_string()))?;
                }
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
                builder
                    .with_client_cert_verifier(verifier.map_err(|error| Unfit::Authority(error.to_string()))?)
            }
        };
        let mut config = builder.with_single_cert(chain, key).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => {
                Unfit::Key("it is not the key of the certificate".to_owned())
            }
            rustls::Error::General(message) => Unfit::Key(message),
            error => Unfit::Certificate(error.to_string()),
        })?;
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        Ok(Self(Arc::new(config)))
    }

    /// Returns true if this is `other`, and not only of the same content.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match all {
        Ok(all) if all.is_empty() => Err("it holds no certificate in PEM".to_owned()),
        Ok(all) => Ok(all),
        Err(error) => Err(format!("it cannot be read as PEM: {error}")),
    }
}

impl Identities for Identity {
    fn current(&self) -> Identity {
        self.clone()
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Certificate(why) | Self::Key(why) | Self::Authority(why) => f.write_str(why),
        }
    }
}

/// The server's end of one encrypted connection.
pub(crate) struct TlsSession {
    connection: ServerConnection,
    /// Received bytes that are not deciphered: `received[start..end]`. Empty while the kernel has it.
    received: Buffer,
    start: usize,
    end: usize,
}

/// Result of reading.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Plain {
    /// A number of bytes, at least one.
    Bytes(usize),
    /// Nothing until more was received.
    NeedInput,
    /// The client has finished.
    Finished,
}

impl TlsSession {
    /// Encrypts `stream`, of which nothing was read that belongs to it.
    pub(crate) async fn accept(stream: &Stream, identity: Identity) -> Result<Self, ReceiveEnd> {
        let mut connection = ServerConnection::new(identity.0)
            .map_err(|_| ReceiveEnd::Violation("TLS cannot begin with this configuration"))?;
        // The amount that is sealed at once is bounded here, and taken at once.
        connection.set_buffer_limit(None);
        let mut session = Self { connection, received: Buffer::zeroed(RECEIVE_BYTES), start: 0, end: 0 };
        let outcome = session.shake_hands(stream).await;
        if let Err(ReceiveEnd::Violation(_)) = outcome {
            session.end(stream);
        }
        outcome.map(|()| session)
    }

    async fn shake_hands(&mut self, stream: &Stream) -> Result<(), ReceiveEnd> {
        loop {
            if let Some(sealed) = self.seal(&[], 0)?.1 {
                stream.send(vec![sealed]).await.1?;
            } else if !self.connection.is_handshaking() {
                return Ok(());
            } else if self.start < self.end {
                self.decipher()?;
            } else {
                let (buffer, received) = stream.receive(self.take_room(), 0..RECEIVE_BYTES).await;
                self.put_received(buffer, received?)?;
            }
        }
    }

    /// Returns the room for the next received bytes, to be returned with them.
    pub(crate) fn take_room(&mut self) -> Buffer {
        assert!(self.start == self.end, "what was received is deciphered before more is");
        std::mem::replace(&mut self.received, Buffer::zeroed(0))
    }

    /// Returns the room, of which `count` bytes were received. Fails if there are none: an end that was not sent within the encryption may
    /// be forged.
    pub(crate) fn put_received(&mut self, room: Buffer, count: usize) -> io::Result<()> {
        self.give_back(room);
        self.end = count;
        if count == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// Gives back the room when nothing was received.
    pub(crate) fn give_back(&mut self, room: Buffer) {
        (self.received, self.start, self.end) = (room, 0, 0);
    }

    /// Puts the bytes that the client has sent into `target`, which is not empty, as far as they were received.
    ///
    /// # Errors
    /// `InvalidData` if the client of this session cannot have sent that.
    pub(crate) fn read(&mut self, target: &mut [u8]) -> io::Result<Plain> {
        loop {
            match self.connection.reader().read(target) {
                Ok(0) => return Ok(Plain::Finished),
                Ok(count) => return Ok(Plain::Bytes(count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            if self.start == self.end {
                return Ok(Plain::NeedInput);
            }
            self.decipher()?;
        }
    }

    /// Deciphers a part of the received bytes.
    fn decipher(&mut self) -> io::Result<()> {
        let taken = self.connection.read_tls(&mut &self.received[self.start..self.end])?;
        if taken == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a record is longer than records may be"));
        }
        self.start += taken;
        self.connection
            .process_new_packets()
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        Ok(())
    }

    /// Seals the bytes of `chunks` behind the first `sent`, but not more than one piece. Returns how many bytes of them that is, and the
    /// sealed bytes, which may exist without any; none if there is nothing to send.
    pub(crate) fn seal(&mut self, chunks: &[Chunk], sent: usize) -> io::Result<(usize, Option<Chunk>)> {
        let piece = piece(chunks, sent);
        let taken = if piece.is_empty() { 0 } else { self.connection.writer().write_vectored(&piece)? };
        if !self.connection.wants_write() {
            return Ok((taken, None));
        }
        let room = taken + (taken / RECORD_BYTES + 1) * RECORD_OVERHEAD + UNASKED_BYTES;
        let mut buffer = Buffer::zeroed(room);
        let mut end = 0;
        // The rest, such as certificates, follows with the next call.
        while self.connection.wants_write() && end < room {
            end += self.connection.write_tls(&mut &mut buffer[end..])?;
        }
        Ok((taken, Some(Chunk::Buffer { buffer, range: 0..end })))
    }

    /// Informs the client that nothing more follows, or why its handshake failed. Does not wait for it: a client that does not read gets no
    /// message. Nothing else may be on its way.
    pub(crate) fn end(&mut self, stream: &Stream) {
        self.connection.send_close_notify();
        while let Ok((_, Some(last))) = self.seal(&[], 0) {
            let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
            if send(stream.as_fd().as_raw_fd(), last.bytes(), flags) != Ok(last.bytes().len()) {
                return;
            }
        }
    }
}

/// Returns the reason why a client's TLS failed, for a log message that explains why it cannot connect.
pub(crate) fn reason(error: &io::Error) -> &'static str {
    use rustls::Error;

    match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(Error::NoCertificatesPresented) => "It shows no certificate, which ca-cert.pem demands",
        Some(Error::InvalidCertificate(_)) => {
            "Its certificate is not of the authority in ca-cert.pem, not for clients, or not valid now"
        }
        Some(Error::AlertReceived(_)) => "It does not accept the server's certificate or its TLS",
        Some(Error::PeerIncompatible(_)) => "It does not speak TLS 1.3 as it is spoken here",
        _ => "What came is not TLS, or was changed on its way",
    }
}

/// Returns the part of `chunks` behind the first `sent` bytes, at most [`SEAL_BYTES`].
fn piece(chunks: &[Chunk], sent: usize) -> Vec<IoSlice<'_>> {
    let (mut skip, mut room) = (sent, SEAL_BYTES);
    let mut slices = Vec::new();
    for bytes in chunks.iter().map(Chunk::bytes) {
        let rest = &bytes[skip.min(bytes.len())..];
        skip -= bytes.len() - rest.len();
        let now = &rest[..rest.len().min(room)];
        room -= now.len();
        if !now.is_empty() {
            slices.push(IoSlice::new(now));
        }
        if room == 0 {
            break;
        }
    }
    slices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_all_that_is_sent_in_order_and_once() {
        let whole = |bytes: usize| {
            let mut buffer = Buffer::zeroed(bytes);
            buffer.iter_mut().enumerate().for_each(|(at, byte)| *byte = (at % 251) as u8);
            Chunk::Buffer { buffer, range: 0..bytes }
        };
        let chunks = [Chunk::inline(b"head"), whole(3 * SEAL_BYTES + 5), whole(0), Chunk::inline(b"next")];
        let all: Vec<u8> = chunks.iter().flat_map(|chunk| chunk.bytes().to_vec()).collect();
        let (mut sent, mut pieces) = (Vec::new(), 0);
        loop {
            let piece = piece(&chunks, sent.len());
            let bytes: usize = piece.iter().map(|slice| slice.len()).sum();
            assert!(bytes <= SEAL_BYTES);
            if bytes == 0 {
                break;
            }
            for slice in piece {
                sent.extend_from_slice(&slice);
            }
            pieces += 1;
        }
        assert_eq!(pieces, 4);
        assert!(sent == all, "the bytes are the same");
    }

    #[test]
    fn what_is_unfit_is_named() {
        let maker = rcgen::generate_simple_self_signed(["disks".to_owned()]).expect("a key is made");
        let other = rcgen::KeyPair::generate().expect("a key is made");
        let (chain, key) = (maker.cert.pem(), maker.signing_key.serialize_pem());
        let unfit = |chain: &str, key: &str, authority: Option<&str>| {
            Identity::from_pem(chain.as_bytes(), key.as_bytes(), authority.map(str::as_bytes)).err()
        };
        assert_eq!(unfit(&chain, &key, None), None);
        assert_eq!(unfit(&chain, &key, Some(&chain)), None);
        for wrong in ["", "-----BEGIN CERTIFICATE-----\nAAAA\n", key.as_str()] {
            assert!(matches!(unfit(wrong, &key, None), Some(Unfit::Certificate(_))), "{wrong}");
            assert!(matches!(unfit(&chain, &key, Some(wrong)), Some(Unfit::Authority(_))), "{wrong}");
        }
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(matches!(unfit(broken, &key, None), Some(Unfit::Certificate(_))));
        assert!(matches!(unfit(&chain, &key, Some(broken)), Some(Unfit::Authority(_))));
        for wrong in ["", chain.as_str(), &other.serialize_pem()] {
            assert!(matches!(unfit(&chain, wrong, None), Some(Unfit::Key(_))), "{wrong}");
        }
    }
}
