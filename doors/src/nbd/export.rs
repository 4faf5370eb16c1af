//! A disk as a door shows it: its name, its device, the state that its connections share, and their end.

use std::cell::{Cell, RefCell};
use std::os::fd::AsRawFd;
use std::rc::Rc;

use block::BlockDevice;
use block::socket::{Peer, Stream};
use nix::sys::socket::{Shutdown, shutdown};
use slab::Slab;
use tokio::sync::Notify;

use super::handshake::{Entry, Refusal};
use super::limits::{Limits, PAYLOAD_MAX};
use super::line::Line;
use super::option::ExportFacts;
use super::pause::Gate;
use super::receiver::Receiver;
use super::window::Budget;
use super::wire::export_flags;
use crate::kernel_use::KernelUse;

/// The preferred block size that clients get, if the device does not want a larger one: a page.
const BLOCK_PREFERRED: u64 = block::PAGE;

/// A disk that clients may connect to.
pub struct Export<D> {
    name: String,
    description: String,
    device: D,
    limits: Limits,
    budget: Budget,
    draining: Cell<bool>,
    pub(crate) gate: Rc<Gate>,
    connections: RefCell<Slab<ExportConnection>>,
    /// Notified whenever a connection has ended.
    ended: Notify,
    connections_total: Cell<u64>,
    requests: Cell<u64>,
    /// Changes of the disk that any client began.
    changes_begun: Cell<u64>,
    protocol_errors: Cell<u64>,
}

/// Counters of an export since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportCounters {
    /// Connections open now.
    pub connections: u64,
    /// Those of them over TCP.
    pub network_connections: u64,
    /// Those of them that the kernel of this host has, for a block device.
    pub kernel_connections: u64,
    /// Connections ever opened.
    pub connections_total: u64,
    /// Requests received, also those that were refused.
    pub requests: u64,
    /// Connections closed because the client broke the protocol.
    pub protocol_errors: u64,
    /// Bytes of payload that requests in flight hold of the export's budget.
    pub payload_bytes: u64,
}

impl<D: BlockDevice> Export<D> {
    /// Creates an export of `device` with default limits.
    pub fn new(name: &str, description: &str, device: D) -> Rc<Self> {
        Self::with_limits(name, description, device, Limits::default())
    }

    /// Creates an export of `device` with other limits.
    pub fn with_limits(name: &str, description: &str, device: D, limits: Limits) -> Rc<Self> {
        assert!(limits.budget_bytes >= PAYLOAD_MAX, "the budget must hold any request");
        assert!(limits.window_bytes >= u64::from(PAYLOAD_MAX), "the window must hold any request");
        Rc::new(Self {
            name: name.to_owned(),
            description: description.to_owned(),
            device,
            limits,
            budget: Budget::new(limits.budget_bytes),
            draining: Cell::new(false),
            gate: Rc::default(),
            connections: RefCell::default(),
            ended: Notify::new(),
            connections_total: Cell::new(0),
            requests: Cell::new(0),
            changes_begun: Cell::new(0),
            protocol_errors: Cell::new(0),
        })
    }

    /// Returns the name by which clients choose it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the device that is served.
    pub fn device(&self) -> &D {
        &self.device
    }

    /// Returns the counters so far. Cheap.
    pub fn counters(&self) -> ExportCounters {
        let connections = self.connections.borrow();
        let over_network = connections.iter().filter(|(_, one)| matches!(one.peer, Peer::Address(_)));
        let of_kernel = connections.iter().filter(|(_, one)| one.peer == Peer::Kernel);
        ExportCounters {
            connections: connections.len() as u64,
            network_connections: over_network.count() as u64,
            kernel_connections: of_kernel.count() as u64,
            connections_total: self.connections_total.get(),
            requests: self.requests.get(),
            protocol_errors: self.protocol_errors.get(),
            payload_bytes: u64::from(self.limits.budget_bytes) - self.budget.free_bytes(),
        }
    }

    /// Returns who is at the other end of each connection.
    pub fn peers(&self) -> Vec<Peer> {
        self.connections.borrow().iter().map(|(_, one)| one.peer).collect()
    }

    /// Ends all connections in order and lets no new ones in: nothing more is read, requests in flight are finished and answered, then the
    /// connection is closed. Later requests of a client are neither answered nor done; a client that reconnects sends them again. Ready
    /// when the last connection is closed.
    ///
    /// Waits as long as the device and the slowest client take. To go on without slow clients, call [`Self::sever`].
    pub async fn drain(&self) {
        self.draining.set(true);
        let _lifted = self.device.lift_limits();
        for (_, one) in self.connections.borrow().iter() {
            // Readers see the end of their stream. The one failure there can be is that it has ended already.
            shutdown(one.stream.as_fd().as_raw_fd(), Shutdown::Read).unwrap_or(());
        }
        loop {
            let ended = self.ended.notified();
            if self.connections.borrow().is_empty() {
                return;
            }
            ended.await;
        }
    }

    /// Cuts all connections: replies that clients have not taken are lost. Requests that the device works on are
    /// still finished before [`Self::drain`] is ready.
    pub fn sever(&self) {
        for (_, one) in self.connections.borrow().iter() {
            one.stream.shutdown();
        }
    }

    /// Returns true once [`Self::drain`] was called.
    pub fn is_draining(&self) -> bool {
        self.draining.get()
    }

    /// Returns the facts for a client in the handshake.
    ///
    /// # Errors
    /// Why it cannot connect now.
    pub(crate) fn entry(&self) -> Result<Entry, Refusal> {
        if self.draining.get() {
            return Err(Refusal::Draining);
        }
        if self.connections.borrow().len() >= self.limits.connections_max {
            return Err(Refusal::Full);
        }
        Ok(self.entry_proper())
    }

    /// Returns its facts, whether clients can have it now or not.
    pub(crate) fn entry_proper(&self) -> Entry {
        let (name, description) = (self.name.clone(), self.description.clone());
        Entry { name, description, facts: self.facts() }
    }

    pub(crate) fn facts(&self) -> ExportFacts {
        use export_flags::{
            CAN_MULTI_CONN, HAS_FLAGS, READ_ONLY, SEND_FLUSH, SEND_FUA, SEND_TRIM, SEND_WRITE_ZEROES,
        };
        let geometry = self.device.geometry();
        // A device's flush covers all that completed before, on any connection: hence CAN_MULTI_CONN.
        let mut flags = HAS_FLAGS | SEND_FLUSH | SEND_FUA | SEND_TRIM | SEND_WRITE_ZEROES | CAN_MULTI_CONN;
        if geometry.read_only {
            flags |= READ_ONLY;
        }
        if !geometry.flushes {
            // Nothing is promised that the device cannot keep: clients see the same as without us.
            flags &= !(SEND_FLUSH | SEND_FUA);
        }
        let preferred = geometry.physical_block.clamp(BLOCK_PREFERRED, u64::from(PAYLOAD_MAX));
        ExportFacts {
            size: geometry.size,
            flags,
            block_min: geometry.sector.max(geometry.alignment) as u32,
            block_preferred: preferred as u32,
            payload_max: PAYLOAD_MAX,
        }
    }

    /// Counts a connection in until the attachment is dropped.
    pub(crate) fn attach(self: &Rc<Self>, line: &Line) -> Attachment<D> {
        self.connections_total.set(self.connections_total.get() + 1);
        let stream = line.stream().clone();
        let peer = stream.peer();
        let kernel_use = (peer == Peer::Kernel).then(KernelUse::begin);
        let key =
            self.connections.borrow_mut().insert(ExportConnection { peer, stream, _kernel_use: kernel_use });
        // One that has hung up already may have done so before any of the changes that others began.
        let others_seen = if line.has_hung_up() { 0 } else { self.changes_begun.get() };
        let order = Rc::new(ChangeOrder { own: Cell::new(0), others_seen: Cell::new(others_seen) });
        Attachment { export: Rc::clone(self), order, key }
    }

    /// Counts a change in that a client is about to begin. False if it must not begin: the client gave its connection up
    /// without taking leave, and another one has begun a change since, which this one could undo.
    ///
    /// Begin the change in the same step. Costs a system call only if others began changes since the last one of this client.
    pub(crate) fn may_begin_change(&self, order: &ChangeOrder, line: &Line, receiver: &Receiver) -> bool {
        let others = self.changes_begun.get() - order.own.get();
        if others != order.others_seen.get() {
            if line.has_hung_up() && !receiver.ends_with_leave(line) {
                return false;
            }
            order.others_seen.set(others);
        }
        order.own.set(order.own.get() + 1);
        self.changes_begun.set(self.changes_begun.get() + 1);
        true
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    pub(crate) fn budget(&self) -> Budget {
        self.budget.clone()
    }

    pub(crate) fn count_request(&self) {
        self.requests.set(self.requests.get() + 1);
    }

    pub(crate) fn count_protocol_error(&self) {
        self.protocol_errors.set(self.protocol_errors.get() + 1);
    }
}

/// A connection that uses an export.
struct ExportConnection {
    stream: Stream,
    /// Its other end, read only once: counters are read often.
    peer: Peer,
    /// For one of the kernel, as long as it is there.
    _kernel_use: Option<KernelUse>,
}

/// Place of one client's changes in the order of all that were begun at an export.
pub(crate) struct ChangeOrder {
    /// Changes that this client began.
    own: Cell<u64>,
    /// Changes that others had begun when this client was known to be there.
    others_seen: Cell<u64>,
}

/// A connection's place in the list of its export.
pub(crate) struct Attachment<D> {
    pub(crate) export: Rc<Export<D>>,
    pub(crate) order: Rc<ChangeOrder>,
    key: usize,
}

impl<D> Drop for Attachment<D> {
    fn drop(&mut self) {
        let connection = self.export.connections.borrow_mut().remove(self.key);
        drop(connection);
        self.export.ended.notify_waiters();
    }
}
