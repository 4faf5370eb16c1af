//! The two events of a queue that go to the front end: answers for the guest, and a queue that is broken.
//!
//! What ends together is told together: there is one signal at a time, and what comes meanwhile is in the next one. A signal that
//! cannot be delivered holds nobody up once the queue has ended.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::os::fd::OwnedFd;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use block::{Event, Ring};
use tokio::sync::Notify;

use super::stores::may_store;

/// Signals of one queue.
pub(crate) struct Signals {
    ring: Ring,
    call: RefCell<Option<Rc<Event>>>,
    error: RefCell<Option<Rc<Event>>>,
    /// The guest is to be told of answers.
    answers: Cell<bool>,
    /// The front end is to be told that the queue is broken.
    broken: Cell<bool>,
    /// Nothing more will come.
    finished: Cell<bool>,
    told: Notify,
}

impl Signals {
    /// Signals that tell of answers at once: an earlier process may have answered without telling.
    pub(crate) fn new(ring: &Ring, call: Option<&Arc<OwnedFd>>, error: Option<&Arc<OwnedFd>>) -> Self {
        let signals = Self {
            ring: ring.clone(),
            call: RefCell::default(),
            error: RefCell::default(),
            answers: Cell::new(false),
            broken: Cell::new(false),
            finished: Cell::new(false),
            told: Notify::new(),
        };
        signals.set_call(call);
        signals.set_error(error);
        signals
    }

    /// Tells the guest by another event from now on, and does so once: what the other one was told may be lost.
    pub(crate) fn set_call(&self, file: Option<&Arc<OwnedFd>>) {
        self.call.replace(file.map(|file| Rc::new(Event::new(&self.ring, Arc::clone(file)))));
        self.tell_guest();
        self.told.notify_waiters();
    }

    /// Tells the front end of what is broken by another event.
    pub(crate) fn set_error(&self, file: Option<&Arc<OwnedFd>>) {
        self.error.replace(file.map(|file| Rc::new(Event::new(&self.ring, Arc::clone(file)))));
    }

    /// The guest has answers. It is told when [`Self::deliver`] is polled next, which nobody but the caller sees to.
    pub(crate) fn tell_guest(&self) {
        self.answers.set(true);
    }

    /// The queue is broken.
    pub(crate) fn tell_broken(&self) {
        self.broken.set(true);
        self.told.notify_waiters();
    }

    /// Nothing more comes: what is due goes out if it can at once.
    pub(crate) fn finish(&self) {
        self.finished.set(true);
        self.told.notify_waiters();
    }

    /// Delivers, until it is finished and nothing is due.
    pub(crate) async fn deliver(&self) {
        loop {
            let mut told = pin!(self.told.notified());
            if self.answers.take() {
                self.signal(&self.call).await;
            } else if self.broken.take() {
                self.signal(&self.error).await;
            } else if self.finished.get() {
                // Whoever stops the queue does not look at its events any more.
                for event in [&self.call, &self.error] {
                    event.borrow().iter().for_each(|event| event.settle());
                }
                return;
            } else {
                poll_fn(
                    |context| {
                        if self.answers.get() { Poll::Ready(()) } else { told.as_mut().poll(context) }
                    },
                )
                .await;
            }
        }
    }

    async fn signal(&self, event: &RefCell<Option<Rc<Event>>>) {
        let event = event.borrow().clone();
        if let Some(event) = event
            && may_store()
            && let Err(error) = event.signal_unless(self.finishes()).await
        {
            tracing::debug!(%error, "an event of a guest cannot be signalled");
        }
    }

    async fn finishes(&self) {
        loop {
            let told = self.told.notified();
            if self.finished.get() {
                return;
            }
            told.await;
        }
    }
}
