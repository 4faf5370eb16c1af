//! Turns: one client's task yields to the others of its thread. Independent of their work.

use std::future::poll_fn;
use std::task::Poll;

/// Yields to all other tasks once.
pub async fn turn() {
    let mut waited = false;
    poll_fn(|context| {
        if std::mem::replace(&mut waited, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
