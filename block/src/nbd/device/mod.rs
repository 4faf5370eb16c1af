//! A disk behind an NBD server: the client side of the protocol as a block device.
//!
//! ```text
//!   request ──> permit ──> open connection with the least to do ──> answer
//!                 ^            │ lost before the answer: once more on another, while there is time
//!                 └────────────┘
//! ```
//! **Connections.** Up to [`NbdOptions::connections`] if the server says `CAN_MULTI_CONN`, else one: without that
//! promise a server may keep a cache for each connection, and then a read on one need not see a write that another
//! completed, nor a flush cover it.
//!
//! **A connection that ends.** Requests without an answer are sent again on another connection until the retry time is
//! over, counted from the call (for zeroes and discards: of each 64 MiB); then they fail. To do a read again is harmless. A change is done again only if the
//! *server* ended the connection, because then it is through with what it received. A connection that *we* give up,
//! because a request got no answer within the retry time or the server broke the protocol, may still hold changes that
//! the server does later; done again, the first copy could undo what a guest wrote to the same place since. Those
//! fail at once. They, too, may be done late: NBD has no way to keep a server or another client from writing.
//!
//! **A server that answers with an I/O error** is asked again for as long, flushes aside: one that failed says that data may be
//! gone. It is not sent before a server that failed answers a read again.
//!
//! **What a lost server takes along.** Changes that were acknowledged and not flushed may be gone when a server comes
//! back, and nothing says whether they are. So a flush fails, once, if a connection was lost since such a change was
//! acknowledged ([`crate::BlockDevice::epoch`] changes with each loss). Other clients hide that; we must not, because a guest
//! believes a flush. A flush after which nothing was changed is not
//! sent again: it would fail with a server that is away, for nothing. A server that offers no flush is taken to need none.
//!
//! **A server that comes back different**, smaller or with other abilities, is refused for good. One that comes back larger is the
//! same: it is used as far as before, until somebody says that it may be used further ([`NbdDevice::measure`]).
//!
//! **Another thread** takes a device with its connections as they are ([`NbdDevice::rest`]).
//!
//! Discards become zeroes if the server frees storage for those. A server that knows `TRIM` alone is sent that: by the
//! specification anything may be read afterwards, and servers return what was there, or zeroes.
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
use keeper::{Export, Shared};
use ledger::Ledger;

/// The most requests in flight for each connection; more wait, in the order in which they came.
const REQUESTS_PER_CONNECTION: usize = 64;
/// The most payload in flight; more waits, likewise.
const BYTES_IN_FLIGHT_MAX: u32 = 64 << 20;

/// How a device behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NbdOptions {
    /// Whether it is written.
    pub access: Access,
    /// The most connections. Default: 4, after which servers on one host gain nothing.
    pub connections: usize,
    /// How long a request may take, all attempts together, in nanoseconds; none: for ever. Default: 25 s, under the 30 s
    /// after which guests give up.
    pub retry_ns: Option<u64>,
    /// How long one attempt to connect may take, in nanoseconds. Default: 10 s.
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
    shared: Rc<Shared<H>>,
    geometry: Cell<Geometry>,
    retry_ns: Cell<Option<u64>>,
    /// Requests in flight at most.
    turns: usize,
    requests: Arc<Semaphore>,
    bytes: Arc<Semaphore>,
    /// All turns, while it is at rest.
    resting: RefCell<Option<OwnedSemaphorePermit>>,
    cookies: Cell<u64>,
    /// Who is told of what is sent again.
    watch: OnceCell<Rc<Watch>>,
}

impl<H: Host> NbdDevice<H> {
    /// Connects to an export. Changes nothing in it, and keeps nobody else from it.
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
        let device = Self::at_rest(Shared::new(ring, host, export, vec![first]), geometry, retry_ns);
        device.go_on();
        Ok(device)
    }

    /// Makes a device at rest: every request waits for its turn.
    fn at_rest(shared: Rc<Shared<H>>, geometry: Geometry, retry_ns: Option<u64>) -> Self {
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

    /// The export, as a URI.
    pub fn target(&self) -> &Target {
        &self.shared.target
    }

    /// Changes how long later requests may take; see [`NbdOptions::retry_ns`].
    pub fn set_retry_ns(&self, retry_ns: Option<u64>) {
        self.retry_ns.set(retry_ns);
    }

    /// Has somebody told of requests that the server fails and that are sent again: whoever gives this device time.
    pub fn report_to(&self, watch: Rc<Watch>) {
        // One patient for each device.
        drop(self.watch.set(watch));
    }

    /// The size in bytes, as the server said when it was met last. A server tells no client of a change meanwhile.
    ///
    /// # Errors
    /// `Gone` if the server came back different.
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
