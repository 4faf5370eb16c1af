//! Reception: one address for many disks, over TCP. Lets in whom it may, encrypts where that is demanded, and hands each client
//! to the door of the disk that it names.
//!
//! ```text
//!   accept ── is the peer allowed? ── greeting, options ── STARTTLS ── options ── GO ──> the disk's door, on its thread
//!              no: closed unread         all of it within the time of one handshake
//! ```
//! It runs on a thread of its own, where signatures and certificates delay no request, and moves no data of a disk. Clients that
//! can reach the address may send anything: each connection has a limited time and limited memory until it has chosen, there are
//! [`RECEPTION_MAX`] of them and no more, [`OF_ONE_PLACE_MAX`] from one address or /64, and the log messages about them are
//! limited too.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::pin::pin;
use std::rc::Rc;

use block::Host;
use block::socket::{Listener, Stream};
use futures_util::future::{Either, select};
use nix::sys::socket::{SockaddrStorage, getpeername, setsockopt, sockopt};

use super::connection::{Negotiated, greet, negotiate};
use super::directory::{Directory, NegotiatedClient};
use super::handshake::{Agreement, Handshake};
use super::limits::{ACCEPT_PAUSE_NS, Limits, RECEPTION_MAX};
use super::line::Line;
use super::pause::PausedConnection;
use super::receiver::{ReceiveEnd, Receiver};
use super::request::NbdTerms;
use super::tls::{Identities, TlsSession};
use crate::log_throttle::LogThrottle;

/// The most clients from one [`Place`] that have not chosen a disk yet; further ones are closed at once. One host alone does
/// not keep the others out.
const OF_ONE_PLACE_MAX: u64 = RECEPTION_MAX / 4;

/// Longest time that sent data may stay unacknowledged, or untaken, in milliseconds (`TCP_USER_TIMEOUT` of tcp(7); RFC 5482); then the peer
/// counts as gone, as one does that is silent for so long. Without it the system tries for a quarter of an hour, and window, memory and
/// place of the connection stay taken.
const TAKES_NOTHING_MS_MAX: u32 = 28_000;

/// Conditions for clients.
pub struct Conditions {
    /// Returns true for addresses that may connect. IPv4 addresses in the form of IPv6 ones are passed as IPv4.
    pub allows: Box<dyn Fn(IpAddr) -> bool>,
    /// Identity of the server; clients must then encrypt. None for no encryption.
    pub identities: Option<Rc<dyn Identities>>,
    /// Limits for a client until it has chosen.
    pub limits: Limits,
}

/// Counters of a reception.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceptionCounters {
    /// Clients that have not chosen yet.
    pub waiting: u64,
    /// Connections closed unread because of their addresses.
    pub not_allowed: u64,
    /// Connections closed unread because there were too many.
    pub too_many: u64,
    /// Handshakes, of NBD or TLS, that broke the protocol or took too long.
    pub handshake_errors: u64,
    /// Clients that were handed to the door of a disk.
    pub handed_over: u64,
}

/// The shared address. See the module.
pub struct Reception {
    directory: Directory,
    conditions: Conditions,
    counters: Cell<ReceptionCounters>,
    waiting: Waiting,
    not_allowed: LogThrottle,
    too_many: LogThrottle,
    not_accepted: LogThrottle,
    failed: LogThrottle,
}

impl Reception {
    /// Creates a reception for the disks of `directory`.
    pub fn new(directory: Directory, conditions: Conditions) -> Rc<Self> {
        Rc::new(Self {
            directory,
            conditions,
            counters: Cell::default(),
            waiting: Waiting::default(),
            not_allowed: LogThrottle::default(),
            too_many: LogThrottle::default(),
            not_accepted: LogThrottle::default(),
            failed: LogThrottle::default(),
        })
    }

    /// Returns the counters so far.
    pub fn counters(&self) -> ReceptionCounters {
        self.counters.get()
    }

    /// Lets clients in, each as a task of `host`, for ever. Dropping the future closes the address; clients on their way go on.
    pub async fn listen<H: Host>(self: Rc<Self>, listener: Listener, host: H) {
        loop {
            match listener.accept().await {
                Ok(stream) => self.welcome(stream, &host),
                // One client disconnected before it was accepted.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    if self.not_accepted.admit(host.now()).is_some() {
                        tracing::warn!(%error, "cannot accept an NBD connection over TCP; trying again every 100 ms");
                    }
                    host.sleep(ACCEPT_PAUSE_NS).await;
                }
            }
        }
    }

    fn welcome<H: Host>(self: &Rc<Self>, stream: Stream, host: &H) {
        // One that has no address any more is gone.
        let Some(peer) = peer(stream.as_fd()) else { return };
        if !(self.conditions.allows)(peer) {
            self.count(|counters| counters.not_allowed += 1);
            if let Some(unsaid) = self.not_allowed.admit(host.now()) {
                tracing::warn!(
                    "Refused an NBD connection from {peer}, and {unsaid} since the last such line: the address is not on the \
                     list of nbd.allow"
                );
            }
            return;
        }
        if let Err(TooMany { clients, of }) = self.waiting.enter(peer) {
            self.count(|counters| counters.too_many += 1);
            if let Some(unsaid) = self.too_many.admit(host.now()) {
                tracing::warn!(
                    "Closed an NBD connection from {peer}, and {unsaid} since the last such line: {clients} clients {of} are \
                     in their handshakes; see who holds them, and consider nbd.allow"
                );
            }
            return;
        }
        // A peer that vanishes would hold a connection of its disk for ever. A socket that takes no options is gone.
        set_up(&stream).unwrap_or(());
        self.count(|counters| counters.waiting += 1);
        let (reception, task_host) = (Rc::clone(self), host.clone());
        host.spawn(async move {
            let outcome = {
                let attended = pin!(reception.attend(stream.clone()));
                let timeout = pin!(task_host.sleep(reception.conditions.limits.handshake_ns));
                match select(attended, timeout).await {
                    Either::Left((outcome, _)) => outcome,
                    Either::Right(_) => Err(ReceiveEnd::Violation("The handshake took too long")),
                }
            };
            reception.count(|counters| counters.waiting -= 1);
            reception.waiting.leave(peer);
            match outcome {
                Ok(()) => reception.count(|counters| counters.handed_over += 1),
                Err(end) => {
                    stream.shutdown();
                    reception.note(&end, peer, task_host.now());
                }
            }
        });
    }

    /// Serves a client until it is with its disk.
    async fn attend(&self, stream: Stream) -> Result<(), ReceiveEnd> {
        let mut line = Line::clear(stream);
        let mut receiver = Receiver::new(&line);
        let mut handshake = match self.conditions.identities {
            None => Handshake::new(),
            Some(_) => Handshake::demanding_encryption(),
        };
        greet(&line).await?;
        loop {
            match negotiate(&line, &mut receiver, &mut handshake, &self.directory).await? {
                Negotiated::Agreed(agreement, answer) => {
                    return self.hand_over(line, receiver, agreement, answer).await;
                }
                Negotiated::Encrypt => {
                    let identities = self.conditions.identities.as_ref();
                    let identity = identities.expect("encryption is demanded where it can be had").current();
                    let stream = line.stream().clone();
                    let session = TlsSession::accept(&stream, identity).await?;
                    // No bytes in clear pass this point: the handshake guarantees that there are none.
                    line = Line::encrypted(stream, session);
                    receiver = Receiver::new(&line);
                }
            }
        }
    }

    async fn hand_over(
        &self,
        line: Line,
        receiver: Receiver,
        agreement: Agreement,
        answer: Vec<u8>,
    ) -> Result<(), ReceiveEnd> {
        let Agreement { name, facts: facts_sent, replies, block_status } = agreement;
        // The door may have left since the handshake looked it up, or another one may be in its place: the door checks that the client's
        // facts are current.
        let door = self.directory.door(&name).ok_or(ReceiveEnd::Gone)?;
        let room = door.reserve().await.map_err(|_| ReceiveEnd::Gone)?;
        let pending = receiver.pending().to_vec();
        drop(receiver);
        let terms = NbdTerms { replies, block_status, block_min: facts_sent.block_min };
        let connection = PausedConnection { line: line.into_handle(), pending, terms };
        room.send(NegotiatedClient { connection, facts_sent, answer });
        Ok(())
    }

    fn note(&self, end: &ReceiveEnd, peer: IpAddr, now: u64) {
        let ReceiveEnd::Violation(reason) = end else { return };
        self.count(|counters| counters.handshake_errors += 1);
        if let Some(unsaid) = self.failed.admit(now) {
            tracing::warn!(
                "An NBD client at {peer} was sent away in its handshake ({reason}), and {unsaid} others since the last such line"
            );
        }
    }

    fn count(&self, change: impl FnOnce(&mut ReceptionCounters)) {
        let mut counters = self.counters.get();
        change(&mut counters);
        self.counters.set(counters);
    }
}

/// Number of clients in their handshakes, by place. Has only places with clients, so it is as limited as they are.
#[derive(Default)]
struct Waiting(RefCell<BTreeMap<Place, u64>>);

/// Addresses that one host may have to itself: an IPv4 address, or all IPv6 addresses with the same first 64 bits, of which a host takes as
/// many as it likes (RFC 4291, section 2.5.4; RFC 8981).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Address(Ipv4Addr),
    Network(u64),
}

impl Place {
    fn of(peer: IpAddr) -> Self {
        match peer.to_canonical() {
            IpAddr::V4(address) => Self::Address(address),
            IpAddr::V6(address) => Self::Network((address.to_bits() >> 64) as u64),
        }
    }
}

/// Reason why one more cannot wait.
#[derive(Debug, PartialEq, Eq)]
struct TooMany {
    clients: u64,
    of: &'static str,
}

impl Waiting {
    fn enter(&self, peer: IpAddr) -> Result<(), TooMany> {
        let mut all = self.0.borrow_mut();
        if all.values().sum::<u64>() >= RECEPTION_MAX {
            return Err(TooMany { clients: RECEPTION_MAX, of: "of all addresses" });
        }
        let place = Place::of(peer);
        if all.get(&place).is_some_and(|own| *own >= OF_ONE_PLACE_MAX) {
            let of = if let Place::Address(_) = place { "of this address" } else { "of this address's /64" };
            return Err(TooMany { clients: OF_ONE_PLACE_MAX, of });
        }
        *all.entry(place).or_default() += 1;
        Ok(())
    }

    /// Releases a place. Once for each client that has entered.
    fn leave(&self, peer: IpAddr) {
        let mut all = self.0.borrow_mut();
        let place = Place::of(peer);
        match all.get_mut(&place) {
            Some(own) if *own > 1 => *own -= 1,
            _ => drop(all.remove(&place)),
        }
    }
}

/// Makes the system detect within half a minute that a peer has vanished, whether or not something is on its way to it.
fn set_up(stream: &Stream) -> io::Result<()> {
    stream.set_up_tcp()?;
    setsockopt(&stream.as_fd(), sockopt::TcpUserTimeout, &TAKES_NOTHING_MS_MAX)?;
    Ok(())
}

/// Returns the address of the other side of a connection; none if it is gone, or its address is of no network.
fn peer(socket: BorrowedFd<'_>) -> Option<IpAddr> {
    let address: SockaddrStorage = getpeername(socket.as_raw_fd()).ok()?;
    let address = match (address.as_sockaddr_in(), address.as_sockaddr_in6()) {
        (Some(address), _) => IpAddr::V4(address.ip()),
        (None, Some(address)) => IpAddr::V6(address.ip()),
        (None, None) => return None,
    };
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use nix::sys::socket::getsockopt;

    use super::*;

    #[test]
    fn one_address_leaves_room_for_others_and_all_together_have_an_end() {
        let (waiting, address) = (Waiting::default(), |last: u8| IpAddr::from([10, 0, 0, last]));
        let of = |outcome: Result<(), TooMany>| outcome.err().map(|too_many| (too_many.clients, too_many.of));
        for last in 0..4 {
            for _ in 0..OF_ONE_PLACE_MAX {
                assert_eq!(waiting.enter(address(last)), Ok(()));
            }
            let all = if last == 3 { (128, "of all addresses") } else { (32, "of this address") };
            assert_eq!(of(waiting.enter(address(last))), Some(all));
        }
        assert_eq!(of(waiting.enter(address(9))), Some((128, "of all addresses")));
        waiting.leave(address(0));
        assert_eq!(of(waiting.enter(address(1))), Some((32, "of this address")));
        assert_eq!(waiting.enter(address(9)), Ok(()));
        waiting.leave(address(9));
        assert!(!waiting.0.borrow().contains_key(&Place::of(address(9))), "who has left is forgotten");
    }

    #[test]
    fn a_host_with_many_addresses_of_one_network_leaves_room_for_others() {
        let waiting = Waiting::default();
        let peer = |text: String| text.parse::<IpAddr>().expect("an address");
        for host in 0..OF_ONE_PLACE_MAX {
            assert_eq!(waiting.enter(peer(format!("2001:db8:0:1:{host:x}::5"))), Ok(()));
        }
        let refused = waiting.enter(peer("2001:db8:0:1:ffff::".to_owned())).expect_err("of the same /64");
        assert_eq!((refused.clients, refused.of), (32, "of this address's /64"));
        assert_eq!(waiting.enter(peer("2001:db8:0:2::5".to_owned())), Ok(()));
        waiting.leave(peer("2001:db8:0:1:7::5".to_owned()));
        assert_eq!(waiting.enter(peer("2001:db8:0:1:ffff::".to_owned())), Ok(()));
        // All of IPv4 is one /64 when it is written as IPv6.
        for last in 0..=OF_ONE_PLACE_MAX {
            assert_eq!(waiting.enter(peer(format!("::ffff:10.0.0.{last}"))), Ok(()));
        }
    }

    #[test]
    fn a_peer_that_acknowledges_nothing_is_given_up_as_soon_as_one_that_is_silent() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("it is bound");
        let client = std::net::TcpStream::connect(address).expect("somebody listens");
        let ring = block::Ring::new(8).expect("io_uring works here");
        let stream = Stream::from_std(&ring, client).expect("a fresh socket can be taken over");
        set_up(&stream).expect("the socket is there");
        let seconds = |silence: u32, between: u32, questions: u32| silence + between * questions;
        let silent = seconds(
            getsockopt(&stream.as_fd(), sockopt::TcpKeepIdle).expect("it was set"),
            getsockopt(&stream.as_fd(), sockopt::TcpKeepInterval).expect("it was set"),
            getsockopt(&stream.as_fd(), sockopt::TcpKeepCount).expect("it was set"),
        );
        // With more, the system would also ask silent peers for longer than that.
        assert_eq!(getsockopt(&stream.as_fd(), sockopt::TcpUserTimeout), Ok(silent * 1000));
    }
}
