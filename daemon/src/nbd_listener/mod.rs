//! NBD over TCP: one address for all disks, which clients choose by name, with TLS if that is set.
//!
//! ```text
//!   settings ── certificates, listener ──> thread nbd-tcp: Reception ──clients──> doors of disks on their shards
//! ```
//! Rights on Unix sockets are their owner, group and mode. Over TCP they are the client's address, and its
//! certificate. Without a setting there is no listener, and a setting that cannot be met prevents the start:
//! a guest without a server, or clear text instead of TLS, would be worse.

mod allow;
mod certificates;

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::str::FromStr;
use std::thread;

use base::error::{Error, Result};
use block::executor::{Executor, Order};
use block::socket::Listener;
use block::{Host, Ring};
use doors::nbd::{Conditions, Directory, Identities, Limits, Reception};
use nix::ifaddrs::getifaddrs;
use nix::sys::socket::SockaddrStorage;
use tokio::sync::oneshot;

pub(crate) use allow::AllowedNetworks;

use crate::places::host_name;
use certificates::{Certificates, ClientCertificates};

/// The port of NBD (IANA's registry of service names).
const PORT: u16 = 10809;
/// Default folder of certificates.
const TLS_DIR: &str = "/etc/forebay/tls";
/// Entries of the ring's submission queue: a few for each client in its handshake.
const RING_DEPTH: u32 = 256;
/// Niceness as of the control plane: handshakes of unknown clients take CPU time only if shards leave it
/// idle.
const NICENESS: i32 = 10;

/// Settings of NBD over TCP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NbdTcp {
    /// Address; none for off.
    pub(crate) listen: Option<NbdListen>,
    /// TLS of clients.
    pub(crate) tls: Option<Tls>,
    /// The folder of the certificates.
    pub(crate) tls_dir: Option<PathBuf>,
    /// Networks that may connect; none for all.
    pub(crate) allow: Option<AllowedNetworks>,
}

/// Address of NBD over TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NbdListen {
    /// None.
    Off,
    /// An address. With port 0 the system chooses the port.
    At(SocketAddr),
}

/// TLS of clients over TCP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tls {
    /// Not offered. For networks without other users.
    #[default]
    Off,
    /// Required before anything else; certificates of clients are required if there is an authority at the
    /// start.
    Require,
    /// Required before anything else, with a certificate; there must be an authority.
    RequireCertificates,
}

impl NbdTcp {
    /// Returns these settings, completed by those of `other`.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            listen: self.listen.or(other.listen),
            tls: self.tls.or(other.tls),
            tls_dir: self.tls_dir.or(other.tls_dir),
            allow: self.allow.or(other.allow),
        }
    }
}

impl FromStr for NbdListen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" || text == "none" {
            return Ok(Self::Off);
        }
        let only_address = || text.parse::<IpAddr>().map(|address| SocketAddr::new(address, PORT));
        text.parse().or_else(|_| only_address()).map(Self::At).map_err(|_| {
            format!(
                "Cannot read '{text}' as an address: write an IP address, with a port unless that is {PORT}, such as \
                 10.0.0.5:{PORT} or [::]:{PORT}, or off"
            )
        })
    }
}

impl FromStr for Tls {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            "require" => Ok(Self::Require),
            "require-certificates" => Ok(Self::RequireCertificates),
            _ => Err(format!(
                "Cannot read '{text}' as whether clients have to use TLS: write off, require, or require-certificates for \
                 clients that also have to show a certificate"
            )),
        }
    }
}

/// A bound address, with the requirements for clients. Clients are not accepted yet.
pub(crate) struct BoundListener {
    listener: TcpListener,
    address: SocketAddr,
    allow: Option<AllowedNetworks>,
    certificates: Option<Certificates>,
}

/// Handle of the listener: clients are accepted until it is dropped.
pub(crate) struct NbdListener {
    _stop: oneshot::Sender<()>,
}

impl BoundListener {
    /// Binds the address of the settings; none if they have none.
    ///
    /// # Errors
    /// If the address cannot be bound, or certificates cannot be used; or if there are requirements for
    /// clients without an address.
    pub(crate) fn open(asked: &NbdTcp) -> Result<Option<Self>> {
        let NbdTcp { listen, tls, tls_dir, allow } = asked;
        let wanted = match listen {
            Some(NbdListen::At(wanted)) => *wanted,
            Some(NbdListen::Off) => return Ok(None),
            None if tls.is_none() && tls_dir.is_none() && allow.is_none() => return Ok(None),
            None => {
                return Err(Error::invalid(
                    "Cannot use nbd.tls, nbd.tls-dir or nbd.allow alone: they are about NBD over TCP, and nothing listens \
                     there; give an address with nbd.listen (--listen-nbd), or leave them out",
                ));
            }
        };
        if tls.is_none() && tls_dir.is_some() {
            // With certificates, TLS may be intended: clear text must be set explicitly.
            return Err(Error::invalid(
                "Cannot know whether clients over TCP have to use TLS: nbd.tls-dir is given, and nbd.tls is not; set nbd.tls = \
                 \"require\", \"require-certificates\" or \"off\" (--nbd-tls), or leave nbd.tls-dir out",
            ));
        }
        let dir = tls_dir.as_deref().unwrap_or(Path::new(TLS_DIR));
        let certificates = match tls.unwrap_or_default() {
            Tls::Off => None,
            Tls::Require => Some(Certificates::load(&absolute(dir)?)?),
            Tls::RequireCertificates => Some(Certificates::load_with_authority(&absolute(dir)?)?),
        };
        let failed = |error: io::Error| {
            let advice = match error.kind() {
                io::ErrorKind::AddrInUse => "another process has it; end that one, or give another address",
                io::ErrorKind::AddrNotAvailable => {
                    "no interface of this host has it now; give one that is there, or 0.0.0.0 or [::] for all"
                }
                _ => "give another address",
            };
            Error::failed(format!(
                "Cannot listen for NBD at {wanted}: {error}; {advice} (nbd.listen, --listen-nbd)"
            ))
        };
        let listener = TcpListener::bind(wanted).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Some(Self { listener, address, allow: allow.clone(), certificates }))
    }

    /// Returns the URI of all disks, to which a disk's name is appended.
    pub(crate) fn uri(&self) -> String {
        let scheme = if self.certificates.is_some() { "nbds" } else { "nbd" };
        if !self.address.ip().is_unspecified() {
            return format!("{scheme}://{}/", self.address);
        }
        // Clients cannot connect to "all addresses"; they use the name of the host.
        format!("{scheme}://{}:{}/", host_name(), self.address.port())
    }

    /// Accepts clients, on a thread of its own.
    ///
    /// # Errors
    /// If the thread or its ring cannot be created.
    pub(crate) async fn run(self, directory: Directory) -> Result<NbdListener> {
        self.log_state();
        let (stop, stopped) = oneshot::channel();
        let (started, outcome) = oneshot::channel();
        let failed = |error: io::Error| {
            Error::failed(format!("Cannot start the thread for NBD over TCP: {error}; free some memory"))
        };
        thread::Builder::new()
            .name("nbd-tcp".to_owned())
            .spawn(move || attend(self, directory, started, stopped))
            .map_err(failed)?;
        match outcome.await {
            Ok(outcome) => outcome.map_err(failed)?,
            Err(_) => {
                return Err(Error::failed(
                    "The thread for NBD over TCP has ended; see the log, and report it",
                ));
            }
        }
        Ok(NbdListener { _stop: stop })
    }

    fn log_state(&self) {
        let Self { address, certificates, allow, .. } = self;
        let clients = certificates.as_ref().map(Certificates::clients);
        let encryption = match clients {
            None => "in clear text",
            Some(ClientCertificates::ShowCertificates) => {
                "with TLS, for clients with a certificate of ca-cert.pem"
            }
            Some(ClientCertificates::AreUnknown) => {
                "with TLS, and any client that nbd.allow admits needs no certificate: there is no \
                 ca-cert.pem beside the server's. To demand one, set nbd.tls = \"require-certificates\", which \
                 does not start without it"
            }
        };
        tracing::info!("NBD is served over TCP at {address}, {encryption}");
        for warning in warnings(*address, clients, allow.as_ref(), &own_addresses()) {
            tracing::warn!("{warning}");
        }
    }
}

/// Returns a path from the root, relative to the current folder if it is not absolute.
fn absolute(dir: &Path) -> Result<PathBuf> {
    // The current folder was removed, or the path is empty.
    std::path::absolute(dir).map_err(|error| {
        Error::invalid(format!("Cannot find nbd.tls-dir '{}': {error}; give an absolute path", dir.display()))
    })
}

/// Returns all addresses from which users of this host can connect to it, whatever it listens on, since
/// clients choose theirs; none if the system does not report them.
fn own_addresses() -> Vec<IpAddr> {
    let interfaces = getifaddrs().into_iter().flatten();
    let address = |found: SockaddrStorage| match (found.as_sockaddr_in(), found.as_sockaddr_in6()) {
        (Some(address), _) => Some(IpAddr::V4(address.ip())),
        (None, Some(address)) => Some(IpAddr::V6(address.ip())),
        (None, None) => None,
    };
    interfaces.filter_map(|interface| interface.address.and_then(address)).collect()
}

/// Returns warnings about unnamed users who can access the disks. `clients` is none in clear text; `allow`
/// are the permitted networks, and `own` the addresses of this host.
fn warnings(
    address: SocketAddr,
    clients: Option<ClientCertificates>,
    allow: Option<&AllowedNetworks>,
    own: &[IpAddr],
) -> Vec<String> {
    let (shown, listed) = (clients == Some(ClientCertificates::ShowCertificates), allow.is_some());
    let only_here = address.ip().to_canonical().is_loopback();
    let mut all = Vec::new();
    let own_is_listed =
        |allow: &AllowedNetworks| own.iter().chain([&address.ip()]).any(|own| allow.holds(*own));
    if !shown && (only_here || allow.is_none_or(own_is_listed)) {
        all.push(format!(
            "Every user of this host can read and write all disks at {address}, whatever the rights of their Unix sockets are: \
             demand certificates of clients (nbd.tls = \"require-certificates\", and a ca-cert.pem beside the server's \
             certificate), take addresses of this host out of nbd.allow, or do without nbd.listen"
        ));
    }
    if only_here {
        return all;
    }
    if clients.is_none() {
        all.push(
            "NBD is served for other hosts in clear text: anyone who can listen on the network sees what guests read and write. \
             Use TLS (nbd.tls = \"require-certificates\"), or a network of its own"
                .to_owned(),
        );
    }
    if !shown && !listed {
        all.push(format!(
            "Every host that can reach {address} can read and write all disks: name those that may with nbd.allow, or demand \
             certificates of clients (nbd.tls = \"require-certificates\", and a ca-cert.pem beside the server's certificate)"
        ));
    }
    if clients == Some(ClientCertificates::AreUnknown) && listed {
        all.push(format!(
            "Clients at {address} show no certificates: any host with one of the addresses of nbd.allow can read and write all \
             disks; demand them with nbd.tls = \"require-certificates\", and put a ca-cert.pem beside the server's certificate"
        ));
    }
    all
}

/// Runs the thread.
fn attend(
    opened: BoundListener,
    directory: Directory,
    started: oneshot::Sender<io::Result<()>>,
    stopped: oneshot::Receiver<()>,
) {
    let BoundListener { listener, allow, certificates, .. } = opened;
    let taken = Ring::new(RING_DEPTH).and_then(|ring| Ok((Listener::from_tcp(&ring, listener)?, ring)));
    let (listener, ring) = match taken {
        Ok(taken) => taken,
        Err(error) => {
            // The starter waits for this; if it is gone, the process ends.
            drop(started.send(Err(error)));
            return;
        }
    };
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::warn!(
            "Cannot give shards priority over handshakes over TCP: {error}; guests may wait for them"
        );
    }
    let executor = Executor::new(ring, Order::Fifo);
    let host = executor.host();
    let conditions = Conditions {
        allows: match allow {
            None => Box::new(|_| true),
            Some(allow) => Box::new(move |peer| allow.holds(peer)),
        },
        identities: certificates.map(|certificates| Rc::new(certificates) as Rc<dyn Identities>),
        limits: Limits::default(),
    };
    host.spawn(Reception::new(directory, conditions).listen(listener, host.clone()));
    drop(started.send(Ok(())));
    let stopping = async {
        // A stop, or a dropped sender: both are the end.
        drop(stopped.await);
    };
    executor
        .run(stopping)
        .expect("a ring always waits, so this thread cannot run out of things that may happen");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(asked: &NbdTcp) -> String {
        BoundListener::open(asked).err().expect("it cannot be so").message
    }

    #[test]
    fn addresses_are_read_with_and_without_the_usual_port() {
        for (text, address) in [
            ("10.0.0.5", "10.0.0.5:10809"),
            ("10.0.0.5:1", "10.0.0.5:1"),
            ("::", "[::]:10809"),
            ("[::1]:80", "[::1]:80"),
        ] {
            assert_eq!(text.parse(), Ok(NbdListen::At(address.parse().expect("an address"))), "{text}");
        }
        assert_eq!("off".parse(), Ok(NbdListen::Off));
        for wrong in ["", "on", "10809", ":10809", "localhost", "10.0.0.5:", "10.0.0.5:70000", "[::1]"] {
            assert!(wrong.parse::<NbdListen>().expect_err(wrong).contains("10.0.0.5:10809"), "{wrong}");
        }
        for (text, tls) in
            [("off", Tls::Off), ("require", Tls::Require), ("require-certificates", Tls::RequireCertificates)]
        {
            assert_eq!(text.parse(), Ok(tls), "{text}");
            assert!("on".parse::<Tls>().expect_err("no word for it").contains(text));
        }
    }

    #[test]
    fn what_is_asked_of_clients_that_nobody_lets_in_is_refused() {
        assert!(BoundListener::open(&NbdTcp::default()).expect("nothing is asked for").is_none());
        let alone = [
            NbdTcp { tls: Some(Tls::Require), ..NbdTcp::default() },
            NbdTcp { tls_dir: Some("/etc".into()), ..NbdTcp::default() },
            NbdTcp { allow: Some("10.0.0.0/8".parse().expect("a network")), ..NbdTcp::default() },
        ];
        for asked in alone {
            assert!(refused(&asked).contains("--listen-nbd"), "{asked:?}");
            // An explicit "off" takes precedence.
            let off = NbdTcp { listen: Some(NbdListen::Off), ..NbdTcp::default() };
            assert!(BoundListener::open(&off.or(asked)).expect("nothing is to be done").is_none());
        }
    }

    #[test]
    fn certificates_are_not_passed_over_unless_clear_text_is_asked_for() {
        let here = NbdTcp {
            listen: Some("127.0.0.1:0".parse().expect("an address")),
            tls_dir: Some("/nowhere".into()),
            ..NbdTcp::default()
        };
        assert!(refused(&here).contains("nbd.tls = \"require\", \"require-certificates\" or \"off\""));
        let off = NbdTcp { tls: Some(Tls::Off), ..here };
        let opened = BoundListener::open(&off).expect("it was said").expect("it was asked for");
        assert!(opened.uri().starts_with("nbd://"));
    }

    #[test]
    fn whoever_gets_at_the_disks_without_being_named_is_told_of() {
        let (shown, unknown) =
            (Some(ClientCertificates::ShowCertificates), Some(ClientCertificates::AreUnknown));
        let (users, others) = ("Every user of this host", Some("10.0.0.8/29,fd00::/8"));
        let own = ["127.0.0.1", "::1", "10.0.0.5"].map(|own| own.parse().expect("an address"));
        for (address, clients, allow, words) in [
            ("127.0.0.1:1", None, others, &[users][..]),
            ("[::1]:1", unknown, None, &[users]),
            ("[::ffff:127.0.0.1]:1", None, None, &[users]),
            ("127.0.0.1:1", shown, None, &[]),
            ("10.0.0.5:1", None, None, &[users, "in clear text", "Every host"]),
            ("10.0.0.5:1", None, others, &["in clear text"]),
            ("10.0.0.5:1", None, Some("10.0.0.0/24"), &[users, "in clear text"]),
            ("10.0.0.5:1", None, Some("10.0.0.9,127.0.0.0/8"), &[users, "in clear text"]),
            // An address of an interface that is not up yet.
            ("10.0.0.9:1", None, others, &[users, "in clear text"]),
            ("[::]:1", unknown, None, &[users, "Every host"]),
            ("[::]:1", unknown, others, &["show no certificates"]),
            ("[::]:1", unknown, Some("10.0.0.5"), &[users, "show no certificates"]),
            ("10.0.0.5:1", shown, None, &[]),
        ] {
            let allow: Option<AllowedNetworks> = allow.map(|allow| allow.parse().expect("networks"));
            let all = warnings(address.parse().expect("an address"), clients, allow.as_ref(), &own);
            assert_eq!(all.len(), words.len(), "{address}: {all:?}");
            assert!(all.iter().zip(words).all(|(line, words)| line.contains(words)), "{address}: {all:?}");
        }
    }

    #[test]
    fn an_address_that_cannot_be_had_and_certificates_that_are_missing_are_refused() {
        let here = NbdTcp { listen: Some("127.0.0.1:0".parse().expect("an address")), ..NbdTcp::default() };
        let opened = BoundListener::open(&here).expect("there are ports").expect("it was asked for");
        assert_eq!(opened.uri(), format!("nbd://{}/", opened.address));
        let taken = NbdTcp { listen: Some(NbdListen::At(opened.address)), ..here.clone() };
        assert!(refused(&taken).contains("another process has it"));
        let elsewhere = NbdTcp { listen: Some("192.0.2.1:0".parse().expect("an address")), ..here.clone() };
        assert!(refused(&elsewhere).contains("192.0.2.1:0"));
        for tls in [Tls::Require, Tls::RequireCertificates] {
            let tls = NbdTcp { tls: Some(tls), tls_dir: Some("/nowhere".into()), ..here.clone() };
            assert!(refused(&tls).contains("/nowhere/server-cert.pem is not there"));
        }
    }

    #[test]
    fn this_host_knows_its_addresses() {
        assert!(own_addresses().iter().any(IpAddr::is_loopback));
    }
}
