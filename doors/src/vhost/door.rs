//! A door: the listener of one disk, the state that its connections share, and their end or pause.
//!
//! A pause is for a disk that moves to another shard: no front end is accepted, no message is taken, queues answer the requests that they
//! took. The paused state is descriptors, mappings and numbers, and goes on with another device on another thread.

use std::cell::{Cell, RefCell};
use std::io;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use block::socket::{Listener, ListenerHandle, Peer, Stream, StreamHandle};
use block::{BlockDevice, Host, Ring};
use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, ready};
use slab::Slab;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connection::{FrontendState, serve};
use super::inflight::FileId;
use super::limits::{ACCEPT_PAUSE_NS, BUDGET_BYTES, CONNECTIONS_MAX, REGIONS_OF_DISK_MAX};
use super::request::IDENTITY_BYTES;
use crate::door::{Door, DoorCounters, DoorShard, Entrance, PausedDoor, unsupported_entrance};
use crate::log_throttle::LogThrottle;
use crate::phase::{DoorPhase, Phase};
use crate::serial::serial_number;

/// The vhost-user door of one disk.
pub struct VhostUserDoor<D> {
    name: String,
    device: D,
    budget: Arc<Semaphore>,
    /// For how many more regions of memory there is room.
    regions: Arc<Semaphore>,
    /// Notified, too, when something has come to rest or ended.
    phase: DoorPhase,
    streams: RefCell<Slab<Stream>>,
    listener: RefCell<Option<Listener>>,
    listening: Cell<bool>,
    /// Number of the newest listener. Older ones end.
    newest_listener: Cell<u64>,
    not_accepted: LogThrottle,
    resting: RefCell<Vec<(StreamHandle, FrontendState)>>,
    /// Records of requests in flight that connections work on.
    claims: RefCell<Vec<FileId>>,
    connections_total: Cell<u64>,
    refused: Cell<u64>,
    protocol_errors: Cell<u64>,
    broken_queues: Cell<u64>,
    /// Throttle for messages that a front end was disconnected.
    sent_away: LogThrottle,
}

/// A door at rest, on its way: its listener and its connections.
pub struct PausedVhostUserDoor {
    listener: Option<ListenerHandle>,
    connections: Vec<(StreamHandle, FrontendState)>,
}

const _: () = {
    const fn goes_to_other_threads<T: Send>() {}
    goes_to_other_threads::<PausedVhostUserDoor>();
};

impl<D: BlockDevice> VhostUserDoor<D> {
    /// Creates a door to `device`, the disk `name`, which guests see as its serial number.
    pub fn new(name: &str, device: D) -> Rc<Self> {
        Rc::new(Self {
            name: name.to_owned(),
            device,
            budget: Arc::new(Semaphore::new(BUDGET_BYTES as usize)),
            regions: Arc::new(Semaphore::new(REGIONS_OF_DISK_MAX)),
            phase: DoorPhase::open(),
            streams: RefCell::default(),
            listener: RefCell::default(),
            listening: Cell::new(false),
            newest_listener: Cell::new(0),
            not_accepted: LogThrottle::default(),
            resting: RefCell::default(),
            claims: RefCell::default(),
            connections_total: Cell::new(0),
            refused: Cell::new(0),
            protocol_errors: Cell::new(0),
            broken_queues: Cell::new(0),
            sent_away: LogThrottle::default(),
        })
    }

    /// Returns the counters so far. Cheap.
    pub fn counters(&self) -> DoorCounters {
        DoorCounters {
            connections: self.streams.borrow().len() as u64,
            network_connections: 0,
            kernel_connections: 0,
            connections_total: self.connections_total.get(),
            refused: self.refused.get(),
            protocol_errors: self.protocol_errors.get(),
            broken_queues: self.broken_queues.get(),
            data_bytes: BUDGET_BYTES - self.budget.available_permits() as u64,
        }
    }

    /// Returns who is at the other end of each connection.
    pub fn peers(&self) -> Vec<Peer> {
        self.streams.borrow().iter().map(|(_, stream)| stream.peer()).collect()
    }

    /// Accepts front ends, each as a task of `host` over `ring`, until [`Self::close`] or [`Self::pause`] is called, or this function again
    /// with another listener. Survives all errors of accepting a connection: the one concerned has to connect again.
    pub async fn listen<H: Host>(self: Rc<Self>, listener: Listener, ring: Ring, host: H) {
        let number = self.newest_listener.get() + 1;
        self.newest_listener.set(number);
        self.listening.set(true);
        // An earlier listener sees that it is not the newest any more.
        self.phase.notify();
        let is_newest = |door: &Self| door.newest_listener.get() == number;
        loop {
            let leaves = pin!(self.until(|door| door.phase.get() != Phase::Open || !is_newest(door)));
            match listener.accept_unless(leaves).await {
                Ok(Some(stream)) => self.welcome(stream, None, &ring, &host),
                Ok(None) => {}
                // One front end disconnected before it was accepted.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    if self.not_accepted.admit(host.now()).is_some() {
                        tracing::warn!(%error, "cannot accept a vhost-user connection; trying again every 100 ms");
                    }
                    host.sleep(ACCEPT_PAUSE_NS).await;
                }
            }
            if !is_newest(&self) {
                return;
            }
            match self.phase.get() {
                Phase::Open => {}
                Phase::Held => {
                    self.listener.replace(Some(listener));
                    break;
                }
                Phase::Closed => break,
            }
        }
        self.listening.set(false);
        self.phase.notify();
    }

    /// Pauses the door, and is ready when all requests that were taken from the queues are answered. Waits as long as the device takes. To
    /// cancel it, drop the future and [go on](Self::go_on) with the [paused state](Self::take_paused).
    pub async fn pause(&self) {
        self.phase.set(Phase::Held);
        self.until(|door| !door.listening.get() && door.streams.borrow().is_empty()).await;
    }

    /// Takes the paused state; all of it once [`Self::pause`] is ready. Connections that rest later, if the pause was cancelled, go on by
    /// themselves.
    pub fn take_paused(&self) -> PausedVhostUserDoor {
        self.phase.set(Phase::Open);
        let listener = self.listener.take().map(Listener::into_handle);
        PausedVhostUserDoor { listener, connections: self.resting.take() }
    }

    /// Continues the paused state of this or another door for the same disk, as tasks of `host` over `ring`.
    pub fn go_on<H: Host>(self: &Rc<Self>, ring: &Ring, host: &H, paused: PausedVhostUserDoor) {
        let PausedVhostUserDoor { listener, connections } = paused;
        if let Some(listener) = listener {
            let listener = Listener::from_handle(ring, listener);
            host.spawn(Rc::clone(self).listen(listener, ring.clone(), host.clone()));
        }
        for (stream, state) in connections {
            self.welcome(Stream::from_handle(ring, stream), Some(state), ring, host);
        }
    }

    /// Accepts no more clients, takes nothing more from the queues, answers the requests that were taken, and ends the connections. Ready
    /// when nothing of them is left, which takes as long as the device does. A guest's untaken requests stay in its rings until its front
    /// end connects again.
    pub async fn close(&self) {
        self.phase.set(Phase::Closed);
        self.until(|door| !door.listening.get() && door.streams.borrow().is_empty()).await;
    }

    /// Cuts all connections: front ends that have not read our replies do not delay [`Self::close`]. Requests at the device are still
    /// finished before.
    pub fn sever(&self) {
        for (_, stream) in self.streams.borrow().iter() {
            stream.shutdown();
        }
    }

    fn welcome<H: Host>(
        self: &Rc<Self>,
        stream: Stream,
        state: Option<FrontendState>,
        ring: &Ring,
        host: &H,
    ) {
        let is_new = state.is_none();
        if is_new && (self.streams.borrow().len() >= CONNECTIONS_MAX || self.phase.get() == Phase::Closed) {
            self.refused.set(self.refused.get() + 1);
            return;
        }
        self.connections_total.set(self.connections_total.get() + u64::from(is_new));
        let key = self.streams.borrow_mut().insert(stream.clone());
        let guest = ConnectionSlot { door: Rc::clone(self), key };
        let serving = serve(Rc::clone(self), stream, state.unwrap_or_default(), ring.clone(), host.clone());
        host.spawn(async move {
            if let Some(resting) = serving.await {
                guest.door.resting.borrow_mut().push(resting);
            }
            drop(guest);
        });
    }

    /// Informs front ends that want it of the new size of the device; they then read it.
    pub fn resized(&self) {
        self.tell();
    }

    /// Notifies tasks that wait for a change.
    pub(crate) fn tell(&self) {
        self.phase.notify();
    }

    pub(crate) fn phase(&self) -> Phase {
        self.phase.get()
    }

    /// Waits until the door leaves `phase`.
    pub(crate) async fn leaves(&self, phase: Phase) {
        self.until(|door| door.phase.get() != phase).await;
    }

    /// Waits until the door is closed.
    pub(crate) async fn closes(&self) {
        self.until(|door| door.phase.get() == Phase::Closed).await;
    }

    pub(crate) async fn until(&self, condition: impl Fn(&Self) -> bool) {
        self.phase.until(|| condition(self)).await;
    }

    /// Logs why a front end was disconnected, once a minute: it connects again each second.
    pub(crate) fn say_sent_away(&self, reason: &str, now: u64) {
        let name = &self.name;
        match self.sent_away.admit(now) {
            None => {}
            Some(0) => tracing::warn!("The front end of a guest of disk '{name}' was sent away: {reason}"),
            Some(times) => tracing::warn!(
                "The front end of a guest of disk '{name}' was sent away, as {times} times since the last message: {reason}"
            ),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn device(&self) -> &D {
        &self.device
    }

    /// Returns the serial number of the disk, with zeroes behind it.
    pub(crate) fn identity(&self) -> [u8; IDENTITY_BYTES] {
        let mut identity = [0; IDENTITY_BYTES];
        let serial = serial_number(&self.name);
        identity[..serial.len()].copy_from_slice(serial.as_bytes());
        identity
    }

    /// Waits until a request with a cost of `bytes` may be in flight; at most [`BUDGET_BYTES`].
    pub(crate) async fn budget(&self, bytes: u64) -> OwnedSemaphorePermit {
        let permit = Arc::clone(&self.budget).acquire_many_owned(bytes as u32).await;
        permit.expect("the semaphore is never closed")
    }

    /// Claims the record of requests in flight in the file `record` for a connection. Ready when no other one uses it, which would do these
    /// requests a second time. None if the door is not open any more.
    pub(crate) async fn claim(self: &Rc<Self>, record: FileId) -> Option<Claim<D>> {
        self.until(|door| door.phase() != Phase::Open || !door.claims.borrow().contains(&record)).await;
        if self.claims.borrow().contains(&record) {
            return None;
        }
        self.claims.borrow_mut().push(record);
        Some(Claim { door: Rc::clone(self), record })
    }

    /// Returns the semaphore with one permit for each region of memory that may still be mapped.
    pub(crate) fn regions(&self) -> &Arc<Semaphore> {
        &self.regions
    }

    pub(crate) fn count_broken_queue(&self) {
        self.broken_queues.set(self.broken_queues.get() + 1);
    }

    pub(crate) fn count_protocol_error(&self) {
        self.protocol_errors.set(self.protocol_errors.get() + 1);
    }
}

impl<D: BlockDevice> Door for VhostUserDoor<D> {
    fn open(
        self: Rc<Self>,
        shard: &DoorShard,
        entrance: Entrance,
    ) -> LocalBoxFuture<'static, io::Result<()>> {
        let DoorShard { ring, host } = shard;
        let opened = match entrance {
            Entrance::Socket(listener) => Listener::from_unix(ring, listener)
                .map(|listener| host.spawn(self.listen(listener, ring.clone(), host.clone()))),
            Entrance::Directory(_) | Entrance::Own => Err(unsupported_entrance("vhost-user")),
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
        // At the call, not when the future is polled first.
        self.phase.set(Phase::Closed);
        self.close().boxed_local()
    }

    fn sever(&self) {
        self.sever();
    }

    fn resized(&self) {
        self.resized();
    }

    fn counters(&self) -> DoorCounters {
        self.counters()
    }

    fn peers(&self) -> Vec<Peer> {
        self.peers()
    }
}

/// A record of requests in flight that one connection works on, until this is dropped.
pub(crate) struct Claim<D> {
    door: Rc<VhostUserDoor<D>>,
    pub(crate) record: FileId,
}

impl<D> Drop for Claim<D> {
    fn drop(&mut self) {
        self.door.claims.borrow_mut().retain(|record| *record != self.record);
        self.door.phase.notify();
    }
}

/// A connection's place in the list of its door.
struct ConnectionSlot<D> {
    door: Rc<VhostUserDoor<D>>,
    key: usize,
}

impl<D> Drop for ConnectionSlot<D> {
    fn drop(&mut self) {
        let stream = self.door.streams.borrow_mut().remove(self.key);
        drop(stream);
        self.door.phase.notify();
    }
}
