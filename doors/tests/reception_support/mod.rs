//! A reception on its own thread, an authority with certificates, and clients that encrypt.

#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use block::Ring;
use block::executor::{Executor, Order};
use block::socket::Listener;
use doors::nbd::handshake::Catalog;
use doors::nbd::option::{GREETING_BYTES, STARTTLS, encode_option, greeting};
use doors::nbd::{Conditions, Directory, Identity, Limits, Reception, ReceptionCounters};
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrIn, bind, connect, setsockopt, socket, sockopt,
};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};
use tokio::sync::mpsc as commands;

use crate::patience;

type Question = Box<dyn FnOnce(&Reception) + Send>;

/// A reception on a thread of its own, closed to addresses other than 127.0.0.1. Dropping it ends the thread.
pub struct Desk {
    pub address: SocketAddr,
    pub directory: Directory,
    questions: Option<commands::UnboundedSender<Question>>,
    thread: Option<JoinHandle<()>>,
}

impl Desk {
    pub fn in_clear() -> Self {
        Self::with(None, Limits::default())
    }

    pub fn encrypted(authority: &Authority, clients_show_certificates: bool) -> Self {
        Self::with(Some(authority.identity(clients_show_certificates)), Limits::default())
    }

    pub fn with(identity: Option<Identity>, limits: Limits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, directory) = (listener.local_addr().unwrap(), Directory::default());
        let (questions, mut asked) = commands::unbounded_channel::<Question>();
        let listed = directory.clone();
        let thread = std::thread::spawn(move || {
            let ring = Ring::new(64).unwrap();
            let executor = Executor::new(ring.clone(), Order::Fifo);
            let host = executor.host();
            let conditions = Conditions {
                allows: Box::new(|peer| peer == Ipv4Addr::LOCALHOST),
                identities: identity.map(|identity| Rc::new(identity) as Rc<_>),
                limits,
            };
            let reception = Reception::new(listed, conditions);
            let listener = Listener::from_tcp(&ring, listener).unwrap();
            block::Host::spawn(&host, Rc::clone(&reception).listen(listener, host.clone()));
            executor.run(async {
                while let Some(question) = asked.recv().await {
                    question(&reception);
                }
            });
        });
        Self { address, directory, questions: Some(questions), thread: Some(thread) }
    }

    pub fn counters(&self) -> ReceptionCounters {
        let (answer, answered) = mpsc::channel();
        let question: Question = Box::new(move |reception| answer.send(reception.counters()).unwrap());
        assert!(self.questions.as_ref().unwrap().send(question).is_ok());
        patience::hear(&answered)
    }

    pub fn until(&self, condition: impl Fn(ReceptionCounters) -> bool) {
        patience::until(|| condition(self.counters()));
    }

    pub fn until_unlisted(&self) {
        patience::until(|| self.directory.names().is_empty());
    }

    /// Returns a client that has exchanged greetings and from now on does as it likes.
    pub fn raw(&self) -> TcpStream {
        let mut socket = TcpStream::connect(self.address).unwrap();
        socket.read_exact(&mut [0; GREETING_BYTES]).unwrap();
        socket.write_all(&[0, 0, 0, 3]).unwrap();
        socket
    }

    /// Returns a connection in clear, as a socket that [`doors::nbd::Client`] takes.
    pub fn bridged(&self) -> UnixStream {
        let tcp = TcpStream::connect(self.address).unwrap();
        let (theirs, ours) = UnixStream::pair().unwrap();
        let (mut up, mut to) = (ours.try_clone().unwrap(), tcp.try_clone().unwrap());
        std::thread::spawn(move || {
            io::copy(&mut up, &mut to).unwrap_or(0);
            to.shutdown(Shutdown::Both)
        });
        let (mut from, mut down) = (tcp, ours);
        std::thread::spawn(move || {
            io::copy(&mut from, &mut down).unwrap_or(0);
            down.shutdown(Shutdown::Both)
        });
        theirs
    }

    /// Ends a client's connection as a host does that died and is back already, and waits until the server's system knows.
    pub fn reset(&self, client: TcpStream) {
        let port = client.local_addr().unwrap().port();
        let linger = nix::libc::linger { l_onoff: 1, l_linger: 0 };
        setsockopt(&client, sockopt::Linger, &linger).unwrap();
        drop(client);
        // Local and remote address of the server's end, as proc_pid_net(5) gives them.
        let ends = format!(":{:04X} 0100007F:{port:04X} ", self.address.port());
        patience::until(|| !std::fs::read_to_string("/proc/self/net/tcp").unwrap().contains(&ends));
    }

    /// Returns a connection from another address of this host.
    pub fn connect_from(&self, source: [u8; 4]) -> TcpStream {
        let SocketAddr::V4(target) = self.address else { panic!("the desk is at 127.0.0.1") };
        let fd = socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None).unwrap();
        let source = SocketAddrV4::new(Ipv4Addr::from(source), 0);
        bind(fd.as_raw_fd(), &SockaddrIn::from(source)).unwrap();
        connect(fd.as_raw_fd(), &SockaddrIn::from(target)).unwrap();
        fd.into()
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.questions.take();
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking(), "the reception panicked");
    }
}

/// Makes certificates for a server and its clients.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::new(vec![]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self { issuer: CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap() }
    }

    fn issue(&self, name: &str) -> (rcgen::Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        (params.signed_by(&key, &self.issuer).unwrap(), key)
    }

    /// Returns the server's.
    pub fn identity(&self, clients_show_certificates: bool) -> Identity {
        let (certificate, key) = self.issue("localhost");
        let authority = self.issuer.pem();
        let authority = clients_show_certificates.then_some(authority.as_bytes());
        Identity::from_pem(certificate.pem().as_bytes(), key.serialize_pem().as_bytes(), authority).unwrap()
    }

    /// Returns the configuration of a client that knows this authority and has a certificate of it.
    pub fn client(&self) -> Arc<ClientConfig> {
        self.client_with_certificate_of(self)
    }

    pub fn client_with_certificate_of(&self, other: &Self) -> Arc<ClientConfig> {
        let (certificate, key) = other.issue("client");
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let chain = vec![CertificateDer::from(certificate.der().to_vec())];
        Arc::new(self.builder().with_client_auth_cert(chain, key).unwrap())
    }

    pub fn client_without_certificate(&self) -> Arc<ClientConfig> {
        Arc::new(self.builder().with_no_client_auth())
    }

    fn builder(&self) -> rustls::ConfigBuilder<ClientConfig, rustls::client::WantsClientCert> {
        let mut roots = RootCertStore::empty();
        roots.add(self.issuer.der().clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
    }
}

/// Returns a client inside of the encryption, and the socket under it. The greetings are behind it.
pub fn encrypted_socket(
    address: SocketAddr,
    config: Arc<ClientConfig>,
) -> io::Result<(ClientConnection, TcpStream)> {
    let mut socket = TcpStream::connect(address)?;
    socket.set_nodelay(true)?;
    socket.read_exact(&mut [0; GREETING_BYTES])?;
    socket.write_all(&[0, 0, 0, 3])?;
    socket.write_all(&encode_option(STARTTLS, &[]))?;
    socket.read_exact(&mut [0; 20])?;
    let name = ServerName::try_from("localhost").unwrap();
    let mut connection = ClientConnection::new(config, name).unwrap();
    connection.set_buffer_limit(None);
    while connection.is_handshaking() {
        connection.complete_io(&mut socket)?;
    }
    Ok((connection, socket))
}

/// Returns a connection through TLS, as a socket that [`doors::nbd::Client`] takes: it sees greetings as if there was no encryption.
pub fn through_tls(address: SocketAddr, config: Arc<ClientConfig>) -> io::Result<UnixStream> {
    let (connection, socket) = encrypted_socket(address, config)?;
    let (theirs, mut ours) = UnixStream::pair()?;
    let connection = Arc::new(Mutex::new(connection));
    let (sender, mut up, mut to) = (Arc::clone(&connection), ours.try_clone()?, socket.try_clone()?);
    std::thread::spawn(move || -> io::Result<()> {
        up.write_all(&greeting())?;
        up.read_exact(&mut [0; 4])?;
        let mut plain = vec![0; 100_000];
        loop {
            let count = up.read(&mut plain).unwrap_or(0);
            let mut connection = sender.lock().unwrap();
            if count == 0 {
                connection.send_close_notify();
            }
            connection.writer().write_all(&plain[..count])?;
            let mut sealed = Vec::new();
            while connection.wants_write() {
                connection.write_tls(&mut sealed)?;
            }
            drop(connection);
            to.write_all(&sealed)?;
            if count == 0 {
                return to.shutdown(Shutdown::Both);
            }
        }
    });
    std::thread::spawn(move || {
        let mut from = socket;
        let outcome = receive(&mut from, &connection, &mut ours);
        ours.shutdown(Shutdown::Both).unwrap_or(());
        outcome
    });
    Ok(theirs)
}

fn receive(
    from: &mut TcpStream,
    connection: &Mutex<ClientConnection>,
    to: &mut UnixStream,
) -> io::Result<()> {
    let mut sealed = vec![0; 100_000];
    loop {
        let count = from.read(&mut sealed)?;
        if count == 0 {
            return Ok(());
        }
        let mut input = &sealed[..count];
        while !input.is_empty() {
            let mut plain = Vec::new();
            {
                let mut connection = connection.lock().unwrap();
                connection.read_tls(&mut input)?;
                let state = connection.process_new_packets().map_err(io::Error::other)?;
                plain.resize(state.plaintext_bytes_to_read(), 0);
                connection.reader().read_exact(&mut plain)?;
            }
            to.write_all(&plain)?;
        }
    }
}
