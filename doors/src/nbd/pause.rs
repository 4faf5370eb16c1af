//! Pause: the door of one disk stands still while its guests stay connected, and goes on later: on another thread and with
//! another device if need be.
//!
//! ```text
//!   hold ──> nobody is let in, nothing more is read ──> what is in flight ends and is answered ──> all at rest
//!     take ──> Paused, fit for another thread ──> go_on there;   or go_on here, if the pause is called off
//! ```
//! No byte of a client is lost and none is taken twice: what was read and not worked on goes along, the rest waits in the
//! buffers of the system. Nobody is refused meanwhile: whoever connects waits in the queue of the listener. A client
//! notices that its next answer takes as long as the pause does. TLS of a connection goes along with it, keys and all; so does
//! the listing in the directory of a shared address, in whose queue newcomers wait.

use std::cell::{Cell, RefCell};

use block::socket::{Listener, ListenerHandle};
use tokio::sync::Notify;

use super::directory::Listing;
use super::line::LineHandle;
use super::request::Terms;
use crate::phase::until;

/// Says whether the requests of an export, and whoever wants to connect, are held.
#[derive(Default)]
pub(crate) struct Gate {
    held: Cell<bool>,
    told: Notify,
}

impl Gate {
    pub(crate) fn hold(&self) {
        self.held.set(true);
        self.told.notify_waiters();
    }

    pub(crate) fn release(&self) {
        self.held.set(false);
    }

    pub(crate) fn is_held(&self) -> bool {
        self.held.get()
    }

    /// Ready once it is held.
    pub(crate) async fn closes(&self) {
        until(&self.told, || self.held.get()).await;
    }
}

/// A door at rest, on its way: its listener and its connections.
pub struct Paused {
    pub(crate) listener: Option<ListenerHandle>,
    pub(crate) listing: Option<Listing>,
    pub(crate) connections: Vec<PausedConnection>,
}

impl Paused {
    /// Connections that go along.
    pub fn connections(&self) -> usize {
        self.connections.len()
    }
}

const _: () = {
    const fn goes_to_other_threads<T: Send>() {}
    goes_to_other_threads::<Paused>();
};

/// A connection between two requests.
pub(crate) struct PausedConnection {
    pub(crate) line: LineHandle,
    /// What was read and not worked on.
    pub(crate) pending: Vec<u8>,
    pub(crate) terms: Terms,
}

/// Where what stands still is kept until somebody takes it.
#[derive(Default)]
pub(crate) struct Resting {
    listener: RefCell<Option<Listener>>,
    listing: RefCell<Option<Listing>>,
    connections: RefCell<Vec<PausedConnection>>,
    /// Told whenever something came to rest.
    told: Notify,
}

impl Resting {
    pub(crate) fn put_listener(&self, listener: Listener) {
        self.listener.replace(Some(listener));
        self.told.notify_waiters();
    }

    pub(crate) fn put_listing(&self, listing: Listing) {
        self.listing.replace(Some(listing));
        self.told.notify_waiters();
    }

    pub(crate) fn put_connection(&self, connection: PausedConnection) {
        self.connections.borrow_mut().push(connection);
    }

    /// A connection's task has ended, whether it rests here or is gone.
    pub(crate) fn tell(&self) {
        self.told.notify_waiters();
    }

    pub(crate) fn has_listener(&self) -> bool {
        self.listener.borrow().is_some()
    }

    pub(crate) fn has_listing(&self) -> bool {
        self.listing.borrow().is_some()
    }

    /// Ready when `at_rest` says so; it is asked whenever something came to rest.
    pub(crate) async fn until(&self, at_rest: impl Fn(&Self) -> bool) {
        until(&self.told, || at_rest(self)).await;
    }

    pub(crate) fn take(&self) -> Paused {
        let listener = self.listener.take().map(Listener::into_handle);
        Paused { listener, listing: self.listing.take(), connections: self.connections.take() }
    }
}
