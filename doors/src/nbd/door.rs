//! A door: which exports clients find behind a listener, and the loop that lets them in.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::pin::pin;
use std::rc::Rc;

use block::socket::{Listener, Peer, Stream};
use block::{BlockDevice, Host, Ring};
use futures_util::FutureExt;
use futures_util::future::{Either, LocalBoxFuture, ready, select};
use nix::sys::socket::{setsockopt, sockopt};
use tokio::sync::Notify;

use super::connection::{serve_connection, take_in, take_up};
use super::directory::{Directory, Listing, NegotiatedClient};
use super::export::Export;
use super::handshake::{Catalog, Entry, Refusal};
use super::limits::{ACCEPT_PAUSE_NS, Limits};
use super::pause::{Gate, PausedConnection, PausedNbdDoor, Resting};
use crate::door::{Door, DoorCounters, DoorShard, Entrance, PausedDoor, unsupported_entrance};
use crate::log_throttle::LogThrottle;

/// The exports behind one listener, by name.
pub struct NbdDoor<D> {
    exports: RefCell<BTreeMap<String, Rc<Export<D>>>>,
    /// The export that clients get who name none.
    default: Option<Rc<Export<D>>>,
    limits: Limits,
    connections: Cell<usize>,
    refused: Cell<u64>,
    handshake_errors: Cell<u64>,
    closed: Cell<bool>,
    closing: Notify,
    /// Number of the newest listener. Older ones end.
    listener: Cell<u64>,
    not_accepted: LogThrottle,
    /// Gate of the one export, if there is only one: a door for many is never held.
    gate: Rc<Gate>,
    resting: Resting,
    /// True if the one export is listed in a directory.
    listed: Cell<bool>,
    /// Notified when the published facts of the one export have changed.
    changed: Notify,
}

/// Counters of the clients of a door before they reach an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AdmissionCounters {
    /// Connections open now, those in their handshake included.
    pub connections: u64,
    /// Connections closed at once because there were too many.
    pub refused: u64,
    /// Handshakes that broke the protocol or took too long.
    pub handshake_errors: u64,
}

impl<D: BlockDevice> NbdDoor<D> {
    /// Returns a door for one disk only: also clients that name no export get it.
    pub fn for_disk(export: Rc<Export<D>>) -> Rc<Self> {
        let door = Self::with(Some(Rc::clone(&export)), export.limits());
        door.add(export);
        Rc::new(door)
    }

    /// Returns a door for many disks, which clients choose by name. It starts empty.
    pub fn shared(limits: Limits) -> Rc<Self> {
        Rc::new(Self::with(None, limits))
    }

    fn with(default: Option<Rc<Export<D>>>, limits: Limits) -> Self {
        Self {
            exports: RefCell::default(),
            limits,
            connections: Cell::new(0),
            refused: Cell::new(0),
            handshake_errors: Cell::new(0),
            closed: Cell::new(false),
            closing: Notify::new(),
            listener: Cell::new(0),
            not_accepted: LogThrottle::default(),
            gate: default.as_ref().map_or_else(Rc::default, |export| Rc::clone(&export.gate)),
            resting: Resting::default(),
            listed: Cell::new(false),
            changed: Notify::new(),
            default,
        }
    }

    /// Shows `export` to new clients. Returns the one that had this name before, if any.
    pub fn add(&self, export: Rc<Export<D>>) -> Option<Rc<Export<D>>> {
        self.exports.borrow_mut().insert(export.name().to_owned(), export)
    }

    /// Hides an export from new clients. Its connections stay: [`Export::drain`] ends them.
    pub fn remove(&self, name: &str) -> Option<Rc<Export<D>>> {
        self.exports.borrow_mut().remove(name)
    }

    /// Returns the counters so far.
    pub fn admissions(&self) -> AdmissionCounters {
        AdmissionCounters {
            connections: self.connections.get() as u64,
            refused: self.refused.get(),
            handshake_errors: self.handshake_errors.get(),
        }
    }

    /// Accepts clients, each as a task of `host`, until [`Self::close`] or [`Self::pause`] is called, or this function again with another
    /// listener. Survives all errors of accepting a connection: the client concerned has to connect again.
    pub async fn listen<H: Host>(self: Rc<Self>, listener: Listener, host: H) {
        let number = self.listener.get() + 1;
        self.listener.set(number);
        // An earlier listener sees that it is not the newest any more.
        self.closing.notify_waiters();
        loop {
            let accepted = {
                let closing = pin!(self.closing.notified());
                if self.closed.get() || self.listener.get() != number {
                    return;
                }
                if self.gate.is_held() {
                    return self.resting.put_listener(listener);
                }
                let held = pin!(self.gate.closes());
                listener.accept_unless(select(closing, held).map(drop)).await
            };
            match accepted {
                Ok(Some(stream)) if !self.closed.get() => self.welcome(stream, &host),
                Ok(_) => {}
                // One client disconnected before it was accepted.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    if self.not_accepted.admit(host.now()).is_some() {
                        tracing::warn!(%error, "cannot accept an NBD connection; trying again every 100 ms");
                    }
                    host.sleep(ACCEPT_PAUSE_NS).await;
                }
            }
        }
    }

    /// Lists the disk in `directory`, for clients of a shared address, and takes them over `ring` as tasks of `host`, until [`Self::close`]
    /// or [`Self::pause`] is called. For a door of one disk.
    pub fn list<H: Host>(self: &Rc<Self>, directory: &Directory, ring: &Ring, host: &H) {
        let entry = self.one().entry_proper();
        self.receive(directory.list(entry), ring, host);
    }

    fn receive<H: Host>(self: &Rc<Self>, listing: Listing, ring: &Ring, host: &H) {
        self.listed.set(true);
        host.spawn(Rc::clone(self).take_newcomers(listing, ring.clone(), host.clone()));
    }

    /// Publishes the new size of the disk to clients that connect from now on. The protocol has no way to inform connected ones.
    pub fn resized(&self) {
        self.changed.notify_waiters();
    }

    async fn take_newcomers<H: Host>(self: Rc<Self>, mut listing: Listing, ring: Ring, host: H) {
        loop {
            let client = {
                let closing = pin!(self.closing.notified());
                if self.closed.get() {
                    return;
                }
                if self.gate.is_held() {
                    return self.resting.put_listing(listing);
                }
                let (held, changed) = (pin!(self.gate.closes()), pin!(self.changed.notified()));
                listing.tell(self.one().facts());
                match select(pin!(listing.next()), select(closing, select(held, changed))).await {
                    Either::Left((client, _)) => client,
                    Either::Right(_) => continue,
                }
            };
            self.welcome_client(client, &ring, &host);
        }
    }

    fn welcome_client<H: Host>(self: &Rc<Self>, client: NegotiatedClient, ring: &Ring, host: &H) {
        let (guest, ring, export) =
            (ConnectionGuard::new(Rc::clone(self)), ring.clone(), Rc::clone(self.one()));
        host.spawn(async move { take_in(ring, client, export, Rc::clone(&guest.door)).await });
    }

    fn one(&self) -> &Rc<Export<D>> {
        self.default.as_ref().expect("only doors of one disk are listed, held and moved")
    }

    /// Pauses the door: accepts no client, reads no more requests, and is ready when those in flight are answered. For a door of one disk
    /// that listens.
    ///
    /// Waits as long as the device, the slowest client and the longest handshake take. To cancel it, drop the future and [go
    /// on](Self::go_on) with the [paused state](Self::take_paused).
    pub async fn pause(&self) {
        assert!(self.default.is_some(), "a door for many disks is never held");
        self.gate.hold();
        // A connection that has as many requests in flight as it may stops only once one of them has ended.
        let _lifted = self.one().device().lift_limits();
        let all_closed =
            |resting: &Resting| resting.has_listener() && resting.has_listing() == self.listed.get();
        self.resting.until(|resting| self.connections.get() == 0 && all_closed(resting)).await;
    }

    /// Takes the paused state; all of it once [`Self::pause`] is ready. Connections that rest later, if the pause was cancelled, go on by
    /// themselves.
    pub fn take_paused(&self) -> PausedNbdDoor {
        self.gate.release();
        self.resting.take()
    }

    /// Continues the paused state of this or another door for the same disk, as tasks of `host` over `ring`.
    pub fn go_on<H: Host>(self: &Rc<Self>, ring: &Ring, host: &H, paused: PausedNbdDoor) {
        let export = self.one();
        let PausedNbdDoor { listener, listing, connections } = paused;
        if let Some(listener) = listener {
            let listener = Listener::from_handle(ring, listener);
            host.spawn(Rc::clone(self).listen(listener, host.clone()));
        }
        if let Some(listing) = listing {
            self.receive(listing, ring, host);
        }
        for connection in connections {
            let guest = ConnectionGuard::new(Rc::clone(self));
            let serving = take_up(ring, connection, export, Rc::clone(self));
            host.spawn(async move {
                serving.await;
                drop(guest);
            });
        }
    }

    pub(crate) fn rest(&self, connection: PausedConnection) {
        self.resting.put_connection(connection);
    }

    /// Accepts no more clients: [`Self::listen`] ends, and its listener is closed. Connections stay.
    pub fn close(&self) {
        self.closed.set(true);
        self.closing.notify_waiters();
    }

    fn welcome<H: Host>(self: &Rc<Self>, stream: Stream, host: &H) {
        let most = self.limits.connections_max * self.exports.borrow().len().max(1);
        if self.connections.get() >= most {
            self.refused.set(self.refused.get() + 1);
            return;
        }
        // Small replies must not wait for the client's acknowledgements. Unix sockets do not have the option and do not need it, so the
        // outcome makes no difference.
        setsockopt(&stream.as_fd(), sockopt::TcpNoDelay, &true).unwrap_or(());
        let guest = ConnectionGuard::new(Rc::clone(self));
        let task_host = host.clone();
        host.spawn(async move { serve_connection(stream, Rc::clone(&guest.door), task_host).await });
    }

    pub(crate) fn export(&self, name: &str) -> Option<Rc<Export<D>>> {
        match &self.default {
            Some(default) if name.is_empty() => Some(Rc::clone(default)),
            _ => self.exports.borrow().get(name).cloned(),
        }
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    pub(crate) fn count_handshake_error(&self) {
        self.handshake_errors.set(self.handshake_errors.get() + 1);
    }
}

impl<D: BlockDevice> Catalog for NbdDoor<D> {
    fn find(&self, name: &str) -> Result<Entry, Refusal> {
        self.export(name).ok_or(Refusal::Unknown)?.entry()
    }

    fn names(&self) -> Vec<String> {
        self.exports.borrow().keys().cloned().collect()
    }
}

/// Serves one disk: the export of [`NbdDoor::for_disk`].
impl<D: BlockDevice> Door for NbdDoor<D> {
    fn open(
        self: Rc<Self>,
        shard: &DoorShard,
        entrance: Entrance,
    ) -> LocalBoxFuture<'static, io::Result<()>> {
        let DoorShard { ring, host } = shard;
        let opened = match entrance {
            Entrance::Socket(listener) => Listener::from_unix(ring, listener)
                .map(|listener| host.spawn(Rc::clone(&self).listen(listener, host.clone()))),
            Entrance::Directory(directory) => {
                self.list(&directory, ring, host);
                Ok(())
            }
            Entrance::Own => Err(unsupported_entrance("NBD")),
        };
        ready(opened).boxed_local()
    }

    fn pause(&self) -> LocalBoxFuture<'_, ()> {
        self.pause().boxed_local()
    }

    fn take_paused(&self) -> PausedDoor {
        PausedDoor::new(self.take_paused())
    }

    fn resume(self: Rc<Self>, shard: &DoorShard, paused: PausedDoor) {
        self.go_on(&shard.ring, &shard.host, paused.into_state());
    }

    fn close(&self) -> LocalBoxFuture<'_, ()> {
        self.close();
        self.one().drain().boxed_local()
    }

    fn sever(&self) {
        self.one().sever();
    }

    fn resized(&self) {
        self.resized();
    }

    fn counters(&self) -> DoorCounters {
        let export = self.one().counters();
        DoorCounters {
            connections: export.connections,
            network_connections: export.network_connections,
            kernel_connections: export.kernel_connections,
            connections_total: export.connections_total,
            refused: self.refused.get(),
            protocol_errors: self.handshake_errors.get() + export.protocol_errors,
            broken_queues: 0,
            data_bytes: export.payload_bytes,
        }
    }

    fn peers(&self) -> Vec<Peer> {
        self.one().peers()
    }
}

/// Counts a connection for as long as it lives.
struct ConnectionGuard<D> {
    door: Rc<NbdDoor<D>>,
}

impl<D> ConnectionGuard<D> {
    fn new(door: Rc<NbdDoor<D>>) -> Self {
        door.connections.set(door.connections.get() + 1);
        Self { door }
    }
}

impl<D> Drop for ConnectionGuard<D> {
    fn drop(&mut self) {
        self.door.connections.set(self.door.connections.get() - 1);
        self.door.resting.tell();
    }
}
