//! Replies on their way to the client: queued as requests end, sent several at a time. Data that the disk has in RAM is assembled in one
//! piece, copied once.
//!
//! A reply keeps its permit until the client's side has taken it, so a client that does not read stops its own connection and nothing else.
//! After a failed send all replies are dropped: nothing reads them any more.
//!
//! Replies are queued by the same task that sends them, before it polls the sender each time: so the sender needs no wake.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::Poll;

use block::socket::Chunk;

use super::limits::{GATHERED_BYTES_KEPT, GATHERED_BYTES_MAX, SEND_BYTES};
use super::line::Line;
use super::request::ReplyBytes;
use super::window::Permit;
use block::turn;

/// The queue of one connection.
#[derive(Default)]
pub(crate) struct Outbox {
    queue: RefCell<VecDeque<(ReplyBytes, Permit)>>,
    gathered: RefCell<Gathered>,
    state: Cell<OutboxState>,
    /// Number of those that queue replies, have more of them and only let other tasks have their turn: all are sent together.
    pausing: Cell<u32>,
}

/// Replies one behind the other.
#[derive(Default)]
struct Gathered {
    bytes: Vec<u8>,
    permits: Vec<Permit>,
    /// Memory for the next ones while these are being sent.
    spare: Vec<u8>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum OutboxState {
    #[default]
    Open,
    /// No more replies follow.
    Closed,
    /// The client is gone.
    Broken,
}

impl Outbox {
    /// Queues a reply, or drops it if the client is gone.
    pub(crate) fn push(&self, reply: ReplyBytes, permit: Permit) {
        if self.state.get() != OutboxState::Broken {
            self.queue.borrow_mut().push_back((reply, permit));
        }
    }

    /// Returns true once the client is known to be gone. Its bytes in the queue of the system are of a client that may have gone on
    /// elsewhere since: none of these requests may be begun.
    pub(crate) fn is_broken(&self) -> bool {
        self.state.get() == OutboxState::Broken
    }

    /// Queues a reply that `append` puts at the end of the given bytes; not called if the client is gone. The permit is returned, and
    /// nothing is done, if `append` returns false, or if the piece is long enough already.
    pub(crate) fn gather(&self, permit: Permit, append: impl FnOnce(&mut Vec<u8>) -> bool) -> Option<Permit> {
        if self.is_broken() {
            return None;
        }
        let gathered = &mut *self.gathered.borrow_mut();
        if gathered.bytes.len() >= GATHERED_BYTES_MAX || !append(&mut gathered.bytes) {
            return Some(permit);
        }
        gathered.permits.push(permit);
        None
    }

    /// Keeps what is queued until [`Self::end_pause`], or until it is enough for one call: more follows without a wait.
    pub(crate) fn begin_pause(&self) {
        self.pausing.set(self.pausing.get() + 1);
    }

    /// Ends a pause.
    pub(crate) fn end_pause(&self) {
        self.pausing.set(self.pausing.get() - 1);
    }

    /// Closes the queue: no more replies follow, and [`Self::send_all`] ends once it is empty.
    pub(crate) fn close(&self) {
        if self.state.get() == OutboxState::Open {
            self.state.set(OutboxState::Closed);
        }
    }

    /// Sends queued replies until the outbox is closed and empty, or the client is gone; then the stream is shut down, so that a reader
    /// that waits for more notices as well. One that does not wait has to check [`Self::is_broken`]: the system hands out received bytes
    /// before it reports the end.
    pub(crate) async fn send_all(&self, line: &Line) {
        let (mut chunks, mut permits) = (Vec::new(), Vec::new());
        while self.wait_for_replies().await {
            let bytes = self.take_batch(&mut chunks, &mut permits);
            let (sent, result) = line.send(chunks).await;
            chunks = sent;
            // The buffers go first: permits stand for the memory that is held.
            for chunk in chunks.drain(..) {
                self.reuse(chunk);
            }
            permits.clear();
            if result.is_err() {
                // Before permits are given back, for which the reader may wait.
                self.state.set(OutboxState::Broken);
                let unsent = (self.queue.take(), self.gathered.take());
                drop(unsent);
                line.stream().shutdown();
                return;
            }
            if bytes >= SEND_BYTES {
                // A client that takes as fast as this sends would keep others from their turn.
                turn().await;
            }
        }
    }

    /// Returns true when there is something to send, false when there will not be anything more.
    async fn wait_for_replies(&self) -> bool {
        poll_fn(|_| {
            if self.pausing.get() > 0 && self.gathered.borrow().bytes.len() < SEND_BYTES {
                return Poll::Pending;
            }
            if !self.queue.borrow().is_empty() || !self.gathered.borrow().permits.is_empty() {
                return Poll::Ready(true);
            }
            if self.state.get() != OutboxState::Open {
                return Poll::Ready(false);
            }
            Poll::Pending
        })
        .await
    }

    /// Returns how many bytes there are to send.
    fn take_batch(&self, chunks: &mut Vec<Chunk>, permits: &mut Vec<Permit>) -> usize {
        let mut bytes = 0;
        {
            let gathered = &mut *self.gathered.borrow_mut();
            if !gathered.permits.is_empty() {
                bytes += gathered.bytes.len();
                let spare = std::mem::take(&mut gathered.spare);
                chunks.push(Chunk::Bytes(std::mem::replace(&mut gathered.bytes, spare)));
                permits.append(&mut gathered.permits);
            }
        }
        // In any case: replies that others wait for do not wait for the gathered ones.
        let mut queued = 0;
        while queued < SEND_BYTES
            && let Some((reply, permit)) = self.queue.borrow_mut().pop_front()
        {
            for chunk in [Some(reply.head), reply.body].into_iter().flatten() {
                queued += chunk.bytes().len();
                chunks.push(chunk);
            }
            permits.push(permit);
        }
        bytes + queued
    }

    /// Keeps the memory of replies that were sent for later ones, unless it is more than most need.
    fn reuse(&self, chunk: Chunk) {
        if let Chunk::Bytes(mut bytes) = chunk
            && bytes.capacity() <= GATHERED_BYTES_KEPT
        {
            bytes.clear();
            self.gathered.borrow_mut().spare = bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::super::limits::Limits;
    use super::super::window::{Budget, Window};
    use super::*;

    #[test]
    fn nothing_is_copied_for_a_client_that_is_gone() {
        let window = Window::new(Limits::default(), Budget::new(1 << 20));
        let outbox = Outbox::default();
        let permit = || window.admit(512).now_or_never().expect("there is room");
        assert!(outbox.gather(permit(), |_| true).is_none());
        assert!(window.idle().now_or_never().is_none(), "the reply is not sent yet");
        outbox.state.set(OutboxState::Broken);
        drop(outbox.gathered.take());
        assert!(outbox.gather(permit(), |_| panic!("it was asked")).is_none());
        assert!(window.idle().now_or_never().is_some(), "the permit was given back");
    }
}
