//! Rest of a device: it stops, and goes on here, or with its open connections on the thread of another ring.
//!
//! ```text
//!   rest:  no request gets a turn ── nothing is in flight ── each connection stops between two answers
//!          ├── go_on here
//!          └── handle ──> from_handle there, at rest ──> go_on there
//! ```
//! The same connections, with their negotiated terms and the ledger of unflushed changes: the server notices nothing, so nothing can
//! be lost and [`epoch`](crate::BlockDevice::epoch) stays. New connections would not do. A server of one client does not take a second
//! one, others end with their last client, and a connection that ends counts as one that may have lost changes.
//!
//! Of a device and the handles that were made of it, one at most may go on. A server that closes a connection meanwhile is noticed by
//! that one, as if it had happened then.

use std::rc::Rc;
use std::sync::Arc;

use super::NbdDevice;
use super::connect::{Connected, RECEIVE_BYTES};
use super::keeper::{Export, NbdDeviceState};
use crate::nbd::negotiation::Terms;
use crate::socket::{Incoming, Stream, StreamHandle};
use crate::{BlockError, ErrorKind, Geometry, Host, Operation, Ring};

/// A device at rest, on its way to the thread of another ring. Clones are the same one.
#[derive(Clone)]
pub struct NbdHandle {
    export: Export,
    geometry: Geometry,
    retry_ns: Option<u64>,
    /// The cookie of the next request: one that the server answers twice is none that waits.
    cookies: u64,
    connections: Vec<ConnectionHandle>,
}

/// An open connection between two answers.
#[derive(Clone)]
struct ConnectionHandle {
    stream: StreamHandle,
    /// Bytes that were received and not processed.
    pending: Vec<u8>,
    terms: Terms,
}

const _: () = {
    const fn goes_to_other_threads<T: Send>() {}
    goes_to_other_threads::<NbdHandle>();
};

impl<H: Host> NbdDevice<H> {
    /// Returns true if [`Self::rest`] would succeed as soon as nothing is in flight.
    pub fn can_rest(&self) -> bool {
        self.shared.is_sound()
    }

    /// Waits until nothing is in flight, and has connections stand still. Requests wait from then on until [`Self::go_on`]; retry
    /// times run meanwhile. Dropping the future takes everything back.
    ///
    /// # Errors
    /// `Unanswered` if no connection is open, or a change was given up or may be lost, and no flush has failed for that yet. Then the
    /// device goes on.
    pub async fn rest(&self) -> Result<(), BlockError> {
        self.check_sound()?;
        let turns = u32::try_from(self.turns).expect("turns are few");
        let all = Arc::clone(&self.requests).acquire_many_owned(turns).await;
        let going_on = GoesOn(&self.shared);
        self.shared.rest().await;
        // A connection may have ended until now.
        self.check_sound()?;
        std::mem::forget(going_on);
        self.resting.replace(Some(all.expect("the semaphores are never closed")));
        Ok(())
    }

    /// Resumes after [`Self::rest`], and with a device that was made of a handle. Nothing changes if it does not rest.
    pub fn go_on(&self) {
        if let Some(all) = self.resting.take() {
            self.shared.go_on();
            drop(all);
        }
    }

    /// Returns the device, which must be at rest, for another thread. It must not go on if the other one does.
    pub fn handle(&self) -> NbdHandle {
        assert!(self.resting.borrow().is_some(), "only what is at rest can go on elsewhere");
        let at_rest = self.shared.at_rest.borrow();
        let connections = at_rest.iter().map(|Connected { stream, incoming, terms }| ConnectionHandle {
            stream: stream.clone().into_handle(),
            pending: incoming.pending().to_vec(),
            terms: *terms,
        });
        NbdHandle {
            export: self.shared.export(),
            geometry: self.geometry.get(),
            retry_ns: self.retry_ns.get(),
            cookies: self.cookies.get(),
            connections: connections.collect(),
        }
    }

    /// Returns the device of a handle on the thread of `ring`, at rest. A device that is dropped at rest leaves its connections as
    /// they are.
    pub fn from_handle(ring: &Ring, host: &H, handle: NbdHandle) -> Self {
        let NbdHandle { export, geometry, retry_ns, cookies, connections } = handle;
        let at_rest = connections.into_iter().map(|ConnectionHandle { stream, pending, terms }| {
            let stream = Stream::from_handle(ring, stream);
            let incoming = Incoming::resume(stream.clone(), RECEIVE_BYTES, &pending);
            Connected { stream, incoming, terms }
        });
        let device =
            Self::at_rest(NbdDeviceState::new(ring, host, export, at_rest.collect()), geometry, retry_ns);
        device.cookies.set(cookies);
        device
    }

    fn check_sound(&self) -> Result<(), BlockError> {
        if self.can_rest() {
            return Ok(());
        }
        Err(BlockError::anywhere(ErrorKind::Unanswered, Operation::Open).because(format!(
            "{} has no open connection, or lost one with changes that are not flushed",
            self.shared.target
        )))
    }
}

/// Guard that resumes a device that did not reach rest.
struct GoesOn<'a, H: Host>(&'a Rc<NbdDeviceState<H>>);

impl<H: Host> Drop for GoesOn<'_, H> {
    fn drop(&mut self) {
        self.0.go_on();
    }
}
