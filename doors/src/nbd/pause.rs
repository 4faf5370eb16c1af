//! Pause: the door of one disk stands still while its guests stay connected, and goes on later: on another thread and with
//! another device if need be.
//!
//! ```text
//!   hold ──> no client is accepted, nothing more is read ──> requests in flight end and are answered ──> all at rest
//!     take ──> PausedNbdDoor, fit for another thread ──> go_on there;   or go_on here, if the pause is cancelled
//! ```
//! No byte of a client is lost and none is taken twice: bytes that were read and not processed move along, the rest waits in the
//! buffers of the system. No client is refused meanwhile: new ones wait in the queue of the listener. A client
//! only sees that its next answer takes as long as the pause does. TLS of a connection moves with it, keys and all; so does
//! the listing in the directory of a shared address, in whose queue newcomers wait.

use std::cell::{Cell, RefCell};

use block::socket::{Listener, ListenerHandle};
use tokio::sync::Notify;

use super::directory::Listing;
use super::line::LineHandle;
use super::request::NbdTerms;
use crate::phase::until;

/// Gate of an export: whether its requests, and new clients, are held.
#[derive(Default)]
pub(crate) struct Gate {
    held: Cell<bool>,
    changed: Notify,
}

impl Gate {
    pub(crate) fn hold(&self) {
        self.held.set(true);
        self.changed.notify_waiters();
    }

    pub(crate) fn release(&self) {
        self.held.set(false);
    }

    pub(crate) fn is_held(&self) -> bool {
        self.held.get()
    }

    /// Waits until it is held.
    pub(crate) async fn closes(&self) {
        until(&self.changed, || self.held.get()).await;
    }
}

/// A door at rest, on its way: its listener and its connections.
pub struct PausedNbdDoor {
    pub(crate) listener: Option<ListenerHandle>,
    pub(crate) listing: Option<Listing>,
    pub(crate) connections: Vec<PausedConnection>,
}

impl PausedNbdDoor {
    /// Returns the number of connections that move along.
    pub fn connections(&self) -> usize {
        self.connections.len()
    }
}

const _: () = {
    const fn goes_to_other_threads<T: Send>() {}
    goes_to_other_threads::<PausedNbdDoor>();
};

/// A connection between two requests.
pub(crate) struct PausedConnection {
    pub(crate) line: LineHandle,
    /// Bytes that were read and not processed.
    pub(crate) pending: Vec<u8>,
    pub(crate) terms: NbdTerms,
}

/// State of a paused door, until it is taken.
#[derive(Default)]
pub(crate) struct Resting {
    listener: RefCell<Option<Listener>>,
    listing: RefCell<Option<Listing>>,
    connections: RefCell<Vec<PausedConnection>>,
    /// Notified whenever something has come to rest.
    changed: Notify,
}

impl Resting {
    pub(crate) fn put_listener(&self, listener: Listener) {
        self.listener.replace(Some(listener));
        self.changed.notify_waiters();
    }

    pub(crate) fn put_listing(&self, listing: Listing) {
        self.listing.replace(Some(listing));
        self.changed.notify_waiters();
    }

    pub(crate) fn put_connection(&self, connection: PausedConnection) {
        self.connections.borrow_mut().push(connection);
    }

    /// Notifies that a connection's task has ended, whether it rests here or is gone.
    pub(crate) fn tell(&self) {
        self.changed.notify_waiters();
    }

    pub(crate) fn has_listener(&self) -> bool {
        self.listener.borrow().is_some()
    }

    pub(crate) fn has_listing(&self) -> bool {
        self.listing.borrow().is_some()
    }

    /// Waits until `at_rest` returns true; it is called whenever something has come to rest.
    pub(crate) async fn until(&self, at_rest: impl Fn(&Self) -> bool) {
        until(&self.changed, || at_rest(self)).await;
    }

    pub(crate) fn take(&self) -> PausedNbdDoor {
        let listener = self.listener.take().map(Listener::into_handle);
        PausedNbdDoor { listener, listing: self.listing.take(), connections: self.connections.take() }
    }
}
