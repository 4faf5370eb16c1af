//! NBD over TCP: one address for all disks, which clients choose by name, with TLS if that is asked for.
//!
//! ```text
//!   settings ── certificates, listener ──> thread nbd-tcp: Reception ──clients──> doors of disks on their shards
//! ```
//! Unix sockets stay as they are: who may use one, its owner, group and mode say. Over TCP it is the address that a client comes
//! from, and the certificate that it shows. Nothing is listened on unless asked for, and what was asked for and cannot be is a
//! reason not to start: a guest that finds nobody, or clear text where TLS was meant, is worse.

mod allow;
mod certificates;

use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::str::FromStr;
use std::thread;

use block::executor::{Executor, Order};
use block::socket::Listener;
use block::{Host, Ring};
use doors::nbd::{Conditions, Directory, Identities, Limits, Reception};
use tokio::sync::oneshot;

pub(crate) use allow::Allow;

use crate::problem::{Answer, Problem};
use certificates::{Certificates, Clients};

/// The port of NBD (IANA's registry of service names).
const PORT: u16 = 10809;
/// Where certificates are unless told otherwise.
const TLS_DIR: &str = "/etc/forebay/tls";
/// Entries of the ring's submission queue: a few for each client in its handshake.
const RING_DEPTH: u32 = 256;
/// As the control plane: strangers who begin handshakes take a processor from shards only when they leave it one.
const NICENESS: i32 = 10;

/// How NBD is served over TCP, as it was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NbdTcp {
    /// Where; nowhere if nothing is said.
    pub(crate) listen: Option<Listen>,
    /// Whether clients have to encrypt.
    pub(crate) tls: Option<Tls>,
    /// The folder of the certificates.
    pub(crate) tls_dir: Option<PathBuf>,
    /// Who may connect; everybody if nothing is said.
    pub(crate) allow: Option<Allow>,
}

/// Where NBD is served over TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listen {
    /// Nowhere.
    Off,
    /// At an address. Port 0 leaves the choice to the system.
    At(SocketAddr),
}

/// Whether clients over TCP have to encrypt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tls {
    /// They cannot. For networks that nobody else is on.
    #[default]
    Off,
    /// They get nothing before they do.
    Require,
}

impl NbdTcp {
    /// What is said here, and where nothing is, what `other` says.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            listen: self.listen.or(other.listen),
            tls: self.tls.or(other.tls),
            tls_dir: self.tls_dir.or(other.tls_dir),
            allow: self.allow.or(other.allow),
        }
    }
}

impl FromStr for Listen {
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
            _ => {
                Err(format!("Cannot read '{text}' as whether clients have to use TLS: write off or require"))
            }
        }
    }
}

/// An address that is had, and what clients there are asked for. Nobody is let in yet.
pub(crate) struct Opened {
    listener: TcpListener,
    address: SocketAddr,
    allow: Option<Allow>,
    certificates: Option<Certificates>,
}

/// Clients are let in until this is dropped.
pub(crate) struct Desk {
    _stop: oneshot::Sender<()>,
}

impl Opened {
    /// Takes the address that is asked for; none if none is.
    ///
    /// # Errors
    /// If it cannot be had, or certificates cannot be used; or if something is asked of clients that nobody lets in.
    pub(crate) fn open(asked: &NbdTcp) -> Answer<Option<Self>> {
        let NbdTcp { listen, tls, tls_dir, allow } = asked;
        let wanted = match listen {
            Some(Listen::At(wanted)) => *wanted,
            Some(Listen::Off) => return Ok(None),
            None if tls.is_none() && tls_dir.is_none() && allow.is_none() => return Ok(None),
            None => {
                return Err(Problem::invalid(
                    "Cannot use nbd.tls, nbd.tls-dir or nbd.allow alone: they are about NBD over TCP, and nothing listens \
                     there; give an address with nbd.listen (--listen-nbd), or leave them out",
                ));
            }
        };
        if tls.is_none() && tls_dir.is_some() {
            // Who gives certificates may mean them to be used: clear text has to be said.
            return Err(Problem::invalid(
                "Cannot know whether clients over TCP have to use TLS: nbd.tls-dir is given, and nbd.tls is not; say nbd.tls = \
                 \"require\" or \"off\" (--nbd-tls), or leave nbd.tls-dir out",
            ));
        }
        let certificates = match tls.unwrap_or_default() {
            Tls::Off => None,
            Tls::Require => {
                let dir = tls_dir.as_deref().unwrap_or(Path::new(TLS_DIR));
                // The current folder is gone, or the path is empty.
                let absolute = std::path::absolute(dir).map_err(|error| {
                    Problem::invalid(format!(
                        "Cannot find nbd.tls-dir '{}': {error}; write it from / on",
                        dir.display()
                    ))
                })?;
                Some(Certificates::load(&absolute)?)
            }
        };
        let failed = |error: io::Error| {
            let advice = match error.kind() {
                io::ErrorKind::AddrInUse => "another process has it; end that one, or give another address",
                io::ErrorKind::AddrNotAvailable => {
                    "no interface of this host has it now; give one that is there, or 0.0.0.0 or [::] for all"
                }
                _ => "give another address",
            };
            Problem::failed(format!(
                "Cannot listen for NBD at {wanted}: {error}; {advice} (nbd.listen, --listen-nbd)"
            ))
        };
        let listener = TcpListener::bind(wanted).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Some(Self { listener, address, allow: allow.clone(), certificates }))
    }

    /// Where all disks are, to which a disk's name is added.
    pub(crate) fn uri(&self) -> String {
        let scheme = if self.certificates.is_some() { "nbds" } else { "nbd" };
        if !self.address.ip().is_unspecified() {
            return format!("{scheme}://{}/", self.address);
        }
        // Clients cannot connect to "all addresses"; they know the host by its name.
        let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_else(|_| "localhost".to_owned());
        format!("{scheme}://{}:{}/", name.trim(), self.address.port())
    }

    /// Lets clients in, on a thread of its own.
    ///
    /// # Errors
    /// If there is no thread or no ring to be had.
    pub(crate) async fn run(self, directory: Directory) -> Answer<Desk> {
        self.say();
        let (stop, stopped) = oneshot::channel();
        let (started, outcome) = oneshot::channel();
        let failed = |error: io::Error| {
            Problem::failed(format!("Cannot start the thread for NBD over TCP: {error}; free some memory"))
        };
        thread::Builder::new()
            .name("nbd-tcp".to_owned())
            .spawn(move || attend(self, directory, started, stopped))
            .map_err(failed)?;
        match outcome.await {
            Ok(outcome) => outcome.map_err(failed)?,
            Err(_) => {
                return Err(Problem::failed(
                    "The thread for NBD over TCP has ended; see the log, and report it",
                ));
            }
        }
        Ok(Desk { _stop: stop })
    }

    fn say(&self) {
        let Self { address, certificates, allow, .. } = self;
        let clients = certificates.as_ref().map(Certificates::clients);
        let encryption = match clients {
            None => "in clear text",
            Some(Clients::ShowCertificates) => "with TLS, for clients with a certificate of ca-cert.pem",
            Some(Clients::AreUnknown) => {
                "with TLS, without certificates of clients: there is no ca-cert.pem beside the server's"
            }
        };
        tracing::info!("NBD is served over TCP at {address}, {encryption}");
        for warning in warnings(*address, clients, allow.is_some()) {
            tracing::warn!("{warning}");
        }
    }
}

/// Who gets at the disks without having been named, for people to whom that is news. `clients` is none in clear text; `listed`
/// is true if only some addresses may connect.
fn warnings(address: SocketAddr, clients: Option<Clients>, listed: bool) -> Vec<String> {
    let shown = clients == Some(Clients::ShowCertificates);
    let mut all = Vec::new();
    if address.ip().to_canonical().is_loopback() {
        if !shown {
            all.push(format!(
                "Every user of this host can read and write all disks at {address}, whatever the rights of their Unix sockets \
                 say: demand certificates of clients (nbd.tls = \"require\", and a ca-cert.pem beside the server's \
                 certificate), or do without nbd.listen"
            ));
        }
        return all;
    }
    if clients.is_none() {
        all.push(
            "NBD is served for other hosts in clear text: whoever can listen on the network sees what guests read and write. \
             Use TLS (nbd.tls = \"require\"), or a network of its own"
                .to_owned(),
        );
    }
    if !shown && !listed {
        all.push(format!(
            "Every host that can reach {address} can read and write all disks: name those that may with nbd.allow, or put a \
             ca-cert.pem beside the server's certificate"
        ));
    }
    if clients == Some(Clients::AreUnknown) && listed {
        all.push(format!(
            "Clients at {address} show no certificates: whoever has one of the addresses of nbd.allow can read and write all \
             disks; put a ca-cert.pem beside the server's certificate"
        ));
    }
    all
}

/// The body of the thread.
fn attend(
    opened: Opened,
    directory: Directory,
    started: oneshot::Sender<io::Result<()>>,
    stopped: oneshot::Receiver<()>,
) {
    let Opened { listener, allow, certificates, .. } = opened;
    let taken = Ring::new(RING_DEPTH).and_then(|ring| Ok((Listener::from_tcp(&ring, listener)?, ring)));
    let (listener, ring) = match taken {
        Ok(taken) => taken,
        Err(error) => {
            // The starter waits for this; if it is gone, so is the process.
            drop(started.send(Err(error)));
            return;
        }
    };
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::warn!("Cannot let shards go before handshakes over TCP: {error}; guests may wait for them");
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
        // Told, or left behind: either is the end.
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
        Opened::open(asked).err().expect("it cannot be so").message
    }

    #[test]
    fn addresses_are_read_with_and_without_the_usual_port() {
        for (text, address) in [
            ("10.0.0.5", "10.0.0.5:10809"),
            ("10.0.0.5:1", "10.0.0.5:1"),
            ("::", "[::]:10809"),
            ("[::1]:80", "[::1]:80"),
        ] {
            assert_eq!(text.parse(), Ok(Listen::At(address.parse().expect("an address"))), "{text}");
        }
        assert_eq!("off".parse(), Ok(Listen::Off));
        for wrong in ["", "on", "10809", ":10809", "localhost", "10.0.0.5:", "10.0.0.5:70000", "[::1]"] {
            assert!(wrong.parse::<Listen>().expect_err(wrong).contains("10.0.0.5:10809"), "{wrong}");
        }
        assert!("on".parse::<Tls>().expect_err("no word for it").contains("require"));
    }

    #[test]
    fn what_is_asked_of_clients_that_nobody_lets_in_is_refused() {
        assert!(Opened::open(&NbdTcp::default()).expect("nothing is asked for").is_none());
        let alone = [
            NbdTcp { tls: Some(Tls::Require), ..NbdTcp::default() },
            NbdTcp { tls_dir: Some("/etc".into()), ..NbdTcp::default() },
            NbdTcp { allow: Some("10.0.0.0/8".parse().expect("a network")), ..NbdTcp::default() },
        ];
        for asked in alone {
            assert!(refused(&asked).contains("--listen-nbd"), "{asked:?}");
            // Somebody who says off means it.
            let off = NbdTcp { listen: Some(Listen::Off), ..NbdTcp::default() };
            assert!(Opened::open(&off.or(asked)).expect("nothing is to be done").is_none());
        }
    }

    #[test]
    fn certificates_are_not_passed_over_unless_clear_text_is_asked_for() {
        let here = NbdTcp {
            listen: Some("127.0.0.1:0".parse().expect("an address")),
            tls_dir: Some("/nowhere".into()),
            ..NbdTcp::default()
        };
        assert!(refused(&here).contains("nbd.tls = \"require\" or \"off\""));
        let off = NbdTcp { tls: Some(Tls::Off), ..here };
        let opened = Opened::open(&off).expect("it was said").expect("it was asked for");
        assert!(opened.uri().starts_with("nbd://"));
    }

    #[test]
    fn whoever_gets_at_the_disks_without_being_named_is_told_of() {
        let (shown, unknown) = (Some(Clients::ShowCertificates), Some(Clients::AreUnknown));
        for (address, clients, listed, words) in [
            ("127.0.0.1:1", None, true, &["Every user of this host"][..]),
            ("[::1]:1", unknown, false, &["Every user of this host"]),
            ("[::ffff:127.0.0.1]:1", None, false, &["Every user of this host"]),
            ("127.0.0.1:1", shown, false, &[]),
            ("10.0.0.5:1", None, false, &["in clear text", "Every host"]),
            ("10.0.0.5:1", None, true, &["in clear text"]),
            ("[::]:1", unknown, false, &["Every host"]),
            ("[::]:1", unknown, true, &["show no certificates"]),
            ("10.0.0.5:1", shown, false, &[]),
        ] {
            let all = warnings(address.parse().expect("an address"), clients, listed);
            assert_eq!(all.len(), words.len(), "{address}: {all:?}");
            assert!(all.iter().zip(words).all(|(line, words)| line.contains(words)), "{address}: {all:?}");
        }
    }

    #[test]
    fn an_address_that_cannot_be_had_and_certificates_that_are_missing_are_refused() {
        let here = NbdTcp { listen: Some("127.0.0.1:0".parse().expect("an address")), ..NbdTcp::default() };
        let opened = Opened::open(&here).expect("there are ports").expect("it was asked for");
        assert_eq!(opened.uri(), format!("nbd://{}/", opened.address));
        let taken = NbdTcp { listen: Some(Listen::At(opened.address)), ..here.clone() };
        assert!(refused(&taken).contains("another process has it"));
        let elsewhere = NbdTcp { listen: Some("192.0.2.1:0".parse().expect("an address")), ..here.clone() };
        assert!(refused(&elsewhere).contains("192.0.2.1:0"));
        let tls = NbdTcp { tls: Some(Tls::Require), tls_dir: Some("/nowhere".into()), ..here };
        assert!(refused(&tls).contains("/nowhere/server-cert.pem is not there"));
    }
}
