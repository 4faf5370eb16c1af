//! The two events of a queue that go to the front end: answers for the guest, and a queue that is broken.
//!
//! Requests that end together share a signal: there is one signal at a time, and later ends are in the next one. A signal that cannot be
//! delivered delays nothing once the queue has ended.

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
    /// A signal of answers to the guest is due.
    answers: Cell<bool>,
    /// A signal to the front end that the queue is broken is due.
    broken: Cell<bool>,
    /// No more signals follow.
    finished: Cell<bool>,
    changed: Notify,
}

impl Signals {
    /// Creates the signals, with one of answers due at once: an earlier process may have answered without it.
    pub(crate) fn new(ring: &Ring, call: Option<&Arc<OwnedFd>>, error: Option<&Arc<OwnedFd>>) -> Self {
        let signals = Self {
            ring: ring.clone(),
            call: RefCell::default(),
            error: RefCell::default(),
            answers: Cell::new(false),
            broken: Cell::new(false),
            finished: Cell::new(false),
            changed: Notify::new(),
        };
        signals.set_call(call);
        signals.set_error(error);
        signals
    }

    /// Signals the guest by another event from now on, and does so once: a signal by the old one may be lost.
    pub(crate) fn set_call(&self, file: Option<&Arc<OwnedFd>>) {
        self.call.replace(file.map(|file| Rc::new(Event::new(&self.ring, Arc::clone(file)))));
        self.tell_guest();
        self.changed.notify_waiters();
    }

    /// Signals errors to the front end by another event.
    pub(crate) fn set_error(&self, file: Option<&Arc<OwnedFd>>) {
        self.error.replace(file.map(|file| Rc::new(Event::new(&self.ring, Arc::clone(file)))));
    }

    /// Makes a signal of answers due. It is sent when [`Self::deliver`] is polled next, which the caller has to ensure.
    pub(crate) fn tell_guest(&self) {
        self.answers.set(true);
    }

    /// Makes a signal of a broken queue due.
    pub(crate) fn tell_broken(&self) {
        self.broken.set(true);
        self.changed.notify_waiters();
    }

    /// Ends the signals: a due one is sent if it can be at once.
    pub(crate) fn finish(&self) {
        self.finished.set(true);
        self.changed.notify_waiters();
    }

    /// Delivers signals, until it is finished and nothing is due.
    pub(crate) async fn deliver(&self) {
        loop {
            let mut changed = pin!(self.changed.notified());
            if self.answers.take() {
                self.signal(&self.call).await;
            } else if self.broken.take() {
                self.signal(&self.error).await;
            } else if self.finished.get() {
                // After stopping the queue, its events are not read any more.
                for event in [&self.call, &self.error] {
                    event.borrow().iter().for_each(|event| event.settle());
                }
                return;
            } else {
                poll_fn(
                    |context| {
                        if self.answers.get() { Poll::Ready(()) } else { changed.as_mut().poll(context) }
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
            let changed = self.changed.notified();
            if self.finished.get() {
                return;
            }
            changed.await;
        }
    }
}
