//! The serving side: a door whose entrance is a queue.

use std::cell::{Cell, RefCell};
use std::io;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;

use block::socket::Peer;
use block::{BlockDevice, Host};
use futures_util::FutureExt;
use futures_util::future::{Either, LocalBoxFuture, ready, select};

use super::device::DiskPort;
use super::link::{Link, PortAnswer, PortLimits, PortOperation, PortRequest, RequestQueue};
use crate::door::{Door, DoorCounters, DoorShard, Entrance, PausedDoor, unsupported_entrance};
use crate::phase::{DoorPhase, Phase};

/// The door through which [`DiskPort`]s reach a disk. Its entrance is [`Entrance::Own`].
pub struct PortDoor<D> {
    device: D,
    link: RefCell<Arc<Link>>,
    /// The queue while it is not served: before the door is opened, and at rest.
    resting: RefCell<Option<RequestQueue>>,
    /// Notified, too, when something ended.
    phase: DoorPhase,
    is_serving: Cell<bool>,
    in_flight: Cell<usize>,
    /// The number of the device at its last answer.
    epoch: Cell<u64>,
}

impl<D: BlockDevice> PortDoor<D> {
    /// Makes a door to `device`. Requests of its ports wait until it is opened or resumed.
    pub fn new(device: D, limits: PortLimits) -> Rc<Self> {
        let queue = Link::with_queue(limits, device.geometry());
        Rc::new(Self {
            link: RefCell::new(Arc::clone(&queue.link)),
            resting: RefCell::new(Some(queue)),
            phase: DoorPhase::open(),
            is_serving: Cell::new(false),
            in_flight: Cell::new(0),
            epoch: Cell::new(device.epoch()),
            device,
        })
    }

    /// Returns a port to the disk. It stays one when the disk moves to another door by [`Door::resume`].
    pub fn port(&self) -> DiskPort {
        DiskPort::new(Arc::clone(&self.link.borrow()))
    }

    fn serve(self: Rc<Self>, queue: RequestQueue, shard: &DoorShard) {
        self.is_serving.set(true);
        shard.host.spawn(self.take_requests(queue, shard.host.clone()));
    }

    /// Begins requests, each as a task of `host`, until the door is paused or closed.
    async fn take_requests<H: Host>(self: Rc<Self>, mut queue: RequestQueue, host: H) {
        while self.phase.get() == Phase::Open {
            // In this order: no request begins once the phase is another.
            let leaves = pin!(self.phase.until(|| self.phase.get() != Phase::Open));
            if let Either::Right((request, _)) = select(leaves, pin!(queue.next())).await {
                let request = request.begin();
                self.in_flight.set(self.in_flight.get() + 1);
                host.spawn(Rc::clone(&self).perform(request));
            }
        }
        if self.phase.get() == Phase::Held {
            self.resting.replace(Some(queue));
        }
        self.is_serving.set(false);
        self.phase.notify();
    }

    async fn perform(self: Rc<Self>, request: PortRequest) {
        let PortRequest { operation, answer, room } = request;
        let (buffer, outcome) = match operation {
            PortOperation::Read { offset, buffer } => {
                let (buffer, outcome) = self.device.read(offset, buffer).await;
                (Some(buffer), outcome.map(|()| Vec::new()))
            }
            PortOperation::Write { offset, buffer } => {
                let (buffer, outcome) = self.device.write(offset, buffer).await;
                (Some(buffer), outcome.map(|()| Vec::new()))
            }
            PortOperation::Flush => (None, self.device.flush().await.map(|()| Vec::new())),
            PortOperation::WriteZeroes { range, unmap } => {
                (None, self.device.write_zeroes(range, unmap).await.map(|()| Vec::new()))
            }
            PortOperation::Discard(range) => (None, self.device.discard(range).await.map(|()| Vec::new())),
            PortOperation::Extents(range) => (None, self.device.extents(range).await),
        };
        self.publish_state();
        drop(room);
        // The caller may have stopped waiting; the buffer is freed here then.
        drop(answer.send(PortAnswer { buffer, outcome }));
        self.in_flight.set(self.in_flight.get() - 1);
        self.phase.notify();
    }

    /// Publishes the device's state to ports. Before an answer is sent: its receiver has to see it.
    fn publish_state(&self) {
        let link = self.link.borrow();
        if self.epoch.replace(self.device.epoch()) != self.device.epoch() {
            link.begin_epoch();
        }
        link.set_unanswered(self.device.has_unanswered());
    }

    /// Waits until the queue is not served, and no request is in flight.
    async fn until_idle(&self) {
        let _lifted = self.device.lift_limits();
        self.phase.until(|| !self.is_serving.get() && self.in_flight.get() == 0).await;
    }
}

impl<D: BlockDevice> Door for PortDoor<D> {
    fn open(
        self: Rc<Self>,
        shard: &DoorShard,
        entrance: Entrance,
    ) -> LocalBoxFuture<'static, io::Result<()>> {
        let Entrance::Own = entrance else { return ready(Err(unsupported_entrance("ports"))).boxed_local() };
        if let Some(queue) = self.resting.take() {
            self.serve(queue, shard);
        }
        ready(Ok(())).boxed_local()
    }

    fn pause(&self) -> LocalBoxFuture<'_, ()> {
        self.phase.set(Phase::Held);
        self.until_idle().boxed_local()
    }

    fn take_paused(&self) -> PausedDoor {
        self.phase.set(Phase::Open);
        PausedDoor::new(self.resting.take())
    }

    fn resume(self: Rc<Self>, shard: &DoorShard, paused: PausedDoor) {
        let Some(queue) = paused.into_state::<Option<RequestQueue>>() else { return };
        // Ports of this door itself, if it had any, have no other end.
        drop(self.resting.take());
        self.link.replace(Arc::clone(&queue.link));
        self.resized();
        self.serve(queue, shard);
    }

    fn close(&self) -> LocalBoxFuture<'_, ()> {
        self.phase.set(Phase::Closed);
        drop(self.resting.take());
        self.until_idle().boxed_local()
    }

    /// Does nothing: no port delays [`Door::close`], which waits for the device alone.
    fn sever(&self) {}

    fn resized(&self) {
        self.link.borrow().set_geometry(self.device.geometry());
    }

    fn counters(&self) -> DoorCounters {
        let link = self.link.borrow();
        let (connections, connections_total) = link.ports();
        DoorCounters {
            connections,
            connections_total,
            data_bytes: link.bytes_taken(),
            ..DoorCounters::default()
        }
    }

    /// Returns this process, once for each port.
    fn peers(&self) -> Vec<Peer> {
        let (ports, _) = self.link.borrow().ports();
        (0..ports).map(|_| Peer::Process(std::process::id())).collect()
    }
}
