//! A disk behind an NBD server: the client side of the protocol as a block device.
//!
//! ```text
//!   request ──> permit ──> open connection with the least to do ──> answer
//!                 ^            │ lost before the answer: once more on another, while there is time
//!                 └────────────┘
//! ```
//! **Connections.** Up to [`NbdOptions::connections`] if the server offers `CAN_MULTI_CONN`, else one: without that
//! promise a server may keep a cache for each connection, and then a read on one need not see a write that another
//! completed, nor a flush cover it.
//!
//! **A connection that ends.** Requests without an answer are sent again on another connection until the retry time is over, counted from
//! the call (for zeroes and discards: of each 64 MiB); then they fail. Repeating a read is harmless. A change is repeated only if the
//! *server* ended the connection, because then it is through with what it received. A connection that *we* give up, because a request got
//! no answer within the retry time or the server broke the protocol, may still hold changes that the server does later; repeated, the first
//! copy could undo what a guest wrote to the same place since. Those fail at once. They, too, may be done late: NBD has no way to keep a
//! server or another client from writing.
//!
//! **A server that answers with an I/O error** gets the request again for as long, except flushes: one that failed means that data may be
//! gone. A flush is not sent before a server that failed answers a read again.
//!
//! **Changes lost with a server.** Changes that were acknowledged and not flushed may be gone when a server returns, and it does not report
//! whether they are. So a flush fails, once, if a connection was lost since such a change was acknowledged ([`crate::BlockDevice::epoch`]
//! changes with each loss). Other clients hide that; we must not, because a guest relies on a flush. A flush after which nothing was
//! changed is not sent again: it would fail with a server that is away, for nothing. A server that offers no flush is assumed to need none.
//!
//! **A server that returns different**, smaller or with other abilities, is refused for good. One that returns larger is the same: the used
//! part stays, until [`NbdDevice::measure`] and a new size extend it.
//!
//! **Another thread** takes a device with its connections as they are ([`NbdDevice::rest`]).
//!
//! Discards become zeroes if the server frees storage for those. A server with only `TRIM` gets that: by the specification any content may
//! be read afterwards, and servers return the old content, or zeroes.
//!
//! There is no encryption.

mod connect;
mod connection;
mod face;
mod keeper;
mod ledger;
mod measure;
mod perform;
mod rest;
mod target;
#[cfg(test)]
mod tests;

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub use connect::NbdError;
pub use rest::NbdHandle;
pub use target::{Address, PORT, Target};

use super::wire::export_flags::CAN_MULTI_CONN;
use crate::file::Access;
use crate::patient::Watch;
use crate::{BlockError, ErrorKind, Geometry, Host, Operation, Ring};
use connect::{connect, geometry};
use keeper::{Export, NbdDeviceState};
use ledger::Ledger;

/// The most requests in flight for each connection; more wait, in order of arrival.
const REQUESTS_PER_CONNECTION: usize = 64;
/// The most payload in flight; more waits, likewise.
const BYTES_IN_FLIGHT_MAX: u32 = 64 << 20;

/// Options of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NbdOptions {
    /// Access to the export.
    pub access: Access,
    /// The most connections. Default: 4, after which servers on one host gain nothing.
    pub connections: usize,
    /// Longest duration of a request, all attempts together, in nanoseconds; none: for ever. Default: 25 s, under the 30 s after which
    /// guests give up.
    pub retry_ns: Option<u64>,
    /// Longest duration of one attempt to connect, in nanoseconds. Default: 10 s.
    pub connect_ns: u64,
}

impl Default for NbdOptions {
    fn default() -> Self {
        Self {
            access: Access::ReadWrite,
            connections: 4,
            retry_ns: Some(25_000_000_000),
            connect_ns: 10_000_000_000,
        }
    }
}

/// A disk behind an NBD server. Belongs to the thread of its ring.
pub struct NbdDevice<H: Host> {
    shared: Rc<NbdDeviceState<H>>,
    geometry: Cell<Geometry>,
    retry_ns: Cell<Option<u64>>,
    /// Requests in flight at most.
    turns: usize,
    requests: Arc<Semaphore>,
    bytes: Arc<Semaphore>,
    /// All turns, while it is at rest.
    resting: RefCell<Option<OwnedSemaphorePermit>>,
    cookies: Cell<u64>,
    /// Watch that is informed of requests that are sent again.
    watch: OnceCell<Rc<Watch>>,
}

impl<H: Host> NbdDevice<H> {
    /// Connects to an export. Changes nothing in it, and excludes no other client.
    ///
    /// # Errors
    /// [`NbdError`]: there is no server, it has no such export, or the export is no disk that can be served.
    pub async fn open(ring: &Ring, host: &H, target: Target, options: NbdOptions) -> Result<Self, NbdError> {
        let NbdOptions { access, connections, retry_ns, connect_ns } = options;
        let first = connect(ring, host, &target, connect_ns).await?;
        let facts = first.terms.facts;
        let geometry = geometry(&target, &facts, access)?;
        let many = facts.flags & CAN_MULTI_CONN != 0;
        let connections = if many { connections.max(1) } else { 1 };
        let (used, met, ledger) = (facts.size, facts.size, Ledger::default());
        let export = Export { target, connect_ns, facts, connections, used, met, ledger };
        let device = Self::at_rest(NbdDeviceState::new(ring, host, export, vec![first]), geometry, retry_ns);
        device.go_on();
        Ok(device)
    }

    /// Makes a device at rest: every request waits for its turn.
    fn at_rest(shared: Rc<NbdDeviceState<H>>, geometry: Geometry, retry_ns: Option<u64>) -> Self {
        let ticking = Rc::clone(&shared);
        shared.host.spawn(async move { ticking.deadlines.run().await });
        let turns = shared.connections * REQUESTS_PER_CONNECTION;
        let requests = Arc::new(Semaphore::new(turns));
        let all = Arc::clone(&requests).try_acquire_many_owned(u32::try_from(turns).expect("turns are few"));
        Self {
            shared,
            geometry: Cell::new(geometry),
            retry_ns: Cell::new(retry_ns),
            turns,
            requests,
            bytes: Arc::new(Semaphore::new(BYTES_IN_FLIGHT_MAX as usize)),
            resting: RefCell::new(Some(all.expect("nobody else knows it"))),
            cookies: Cell::new(0),
            watch: OnceCell::new(),
        }
    }

    /// Returns the export, as a URI.
    pub fn target(&self) -> &Target {
        &self.shared.target
    }

    /// Changes how long later requests may take; see [`NbdOptions::retry_ns`].
    pub fn set_retry_ns(&self, retry_ns: Option<u64>) {
        self.retry_ns.set(retry_ns);
    }

    /// Reports requests that the server fails and that are sent again to a watch: that of the retry layer above this device.
    pub fn report_to(&self, watch: Rc<Watch>) {
        // Each device has one retry layer.
        drop(self.watch.set(watch));
    }

    /// Returns the size in bytes, as the server reported it at the last connect. A server does not inform clients of later changes.
    ///
    /// # Errors
    /// `Gone` if the server has changed.
    pub fn current_size(&self) -> Result<u64, BlockError> {
        match self.shared.refusal() {
            None => Ok(self.shared.met.get()),
            Some(reason) => Err(BlockError::anywhere(ErrorKind::Gone, Operation::Open).because(reason)),
        }
    }
}

impl<H: Host> Drop for NbdDevice<H> {
    fn drop(&mut self) {
        self.shared.close();
    }
}
