//! The asking side: a block device whose requests are done by another thread.

use std::fmt;
use std::sync::Arc;

use block::{BlockDevice, BlockError, Buffer, ByteRange, Extent, Geometry, Outcome, Unmap};
use tokio::sync::oneshot;

use super::link::{Link, PortAnswer, PortOperation, PortRequest, QueuedRequest};

/// A handle on a disk, wherever it is served. It is `Send`; clones reach the same disk through the same queue.
///
/// Guarantees, beside those of [`BlockDevice`]:
/// - **Order.** A request is sent when its future is polled first and there is room. A flush covers each write that completed before the
///   flush was polled first. Requests in flight together have no order.
/// - **Bounds.** At most [`PortLimits`](super::PortLimits) are queued or in flight, over all clones; further requests wait, in order.
/// - **A dropped future.** A request that was sent is done all the same, and its buffer is freed on the disk's shard. One that waited
///   for room is not done.
/// - **The end.** A request that had not begun when the disk was removed, or its shard ended, fails with `Gone` and was not done. If it
///   had begun and the shard ended, a change fails with `Unanswered` and may have been done. No request waits for ever.
/// - **A move.** Requests wait while the disk moves to another shard, and are done there.
///
/// [`BlockDevice::try_read_cached`] gives nothing: the memory of the disk's cache is another thread's.
pub struct DiskPort {
    link: Arc<Link>,
}

const _: () = {
    const fn goes_to_other_threads<T: Send + Sync>() {}
    goes_to_other_threads::<DiskPort>();
};

impl DiskPort {
    pub(super) fn new(link: Arc<Link>) -> Self {
        link.count_in();
        Self { link }
    }

    /// Sends `operation` to the disk, and waits for its end.
    async fn perform(&self, operation: PortOperation) -> PortAnswer {
        let Some(room) = self.link.room(operation.buffer_len()).await else {
            let outcome = Err(operation.gone());
            return PortAnswer { buffer: operation.into_buffer(), outcome };
        };
        let (buffer_len, abandoned, changes) =
            (operation.buffer_len(), operation.abandoned(), operation.changes());
        let has_buffer = matches!(operation, PortOperation::Read { .. } | PortOperation::Write { .. });
        let (answer, answered) = oneshot::channel();
        // If the queue is closed, the error contains the request, and dropping it there answers it.
        drop(self.link.queue.send(QueuedRequest::new(PortRequest { operation, answer, room })));
        answered.await.unwrap_or_else(|_| {
            // It had begun, and went with its thread, and its buffer too.
            if changes {
                self.link.set_unanswered(true);
            }
            let buffer = has_buffer.then(|| Buffer::zeroed(buffer_len));
            PortAnswer {
                buffer,
                outcome: Err(abandoned.because("the thread that serves the disk has ended")),
            }
        })
    }

    /// As [`Self::perform`], for an operation with a buffer.
    async fn transfer(&self, operation: PortOperation) -> Outcome {
        let PortAnswer { buffer, outcome } = self.perform(operation).await;
        (buffer.expect("an operation that has a buffer gives one back"), outcome.map(drop))
    }
}

impl Clone for DiskPort {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.link))
    }
}

impl Drop for DiskPort {
    fn drop(&mut self) {
        self.link.count_out();
    }
}

impl fmt::Debug for DiskPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiskPort").field("geometry", &self.link.geometry()).finish_non_exhaustive()
    }
}

impl BlockDevice for DiskPort {
    fn geometry(&self) -> Geometry {
        self.link.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.transfer(PortOperation::Read { offset, buffer }).await
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.transfer(PortOperation::Write { offset, buffer }).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.perform(PortOperation::Flush).await.outcome.map(drop)
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.perform(PortOperation::WriteZeroes { range, unmap }).await.outcome.map(drop)
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.perform(PortOperation::Discard(range)).await.outcome.map(drop)
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        self.perform(PortOperation::Extents(range)).await.outcome
    }

    fn epoch(&self) -> u64 {
        self.link.epoch()
    }

    fn has_unanswered(&self) -> bool {
        self.link.has_unanswered()
    }
}
