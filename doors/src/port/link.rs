//! The memory that a door and its ports share, and the requests between them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use block::{BlockError, Buffer, ByteRange, ErrorKind, Extent, Geometry, Operation, Unmap};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

/// The bounds of a port's queue, requests in flight included. All ports of a door share them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortLimits {
    /// The most requests, at least 1.
    pub requests_max: u32,
    /// The most bytes of their buffers, at least 1. A longer request waits until it is alone.
    pub bytes_max: u32,
}

/// A depth that keeps an SSD busy, and the budget that an NBD export has.
impl Default for PortLimits {
    fn default() -> Self {
        Self { requests_max: 128, bytes_max: 64 << 20 }
    }
}

/// The state that ports read without asking the shard, and the room in the queue.
pub(super) struct Link {
    pub(super) limits: PortLimits,
    pub(super) queue: mpsc::UnboundedSender<QueuedRequest>,
    requests: Arc<Semaphore>,
    bytes: Arc<Semaphore>,
    geometry: Mutex<Geometry>,
    /// See [`block::BlockDevice::epoch`]: counts changes of the device's number, which starts again on another shard.
    epoch: AtomicU64,
    has_unanswered: AtomicBool,
    ports: AtomicU64,
    ports_total: AtomicU64,
}

/// The receiving end of a queue. Dropping it fails requests that are queued, that wait for room, and that are sent
/// later.
pub(super) struct RequestQueue {
    pub(super) link: Arc<Link>,
    requests: mpsc::UnboundedReceiver<QueuedRequest>,
}

/// Operation for the device.
pub(super) enum PortOperation {
    Read { offset: u64, buffer: Buffer },
    Write { offset: u64, buffer: Buffer },
    Flush,
    WriteZeroes { range: ByteRange, unmap: Unmap },
    Discard(ByteRange),
    Extents(ByteRange),
}

/// The end of a request: its buffer, if it had one, and the requested extents, else none.
pub(super) struct PortAnswer {
    pub(super) buffer: Option<Buffer>,
    pub(super) outcome: Result<Vec<Extent>, BlockError>,
}

/// A request, the way back, and its share of the room.
pub(super) struct PortRequest {
    pub(super) operation: PortOperation,
    pub(super) answer: oneshot::Sender<PortAnswer>,
    pub(super) room: Room,
}

/// A share of the room in the queue, given back when it is dropped.
pub(super) struct Room {
    _request: OwnedSemaphorePermit,
    _bytes: OwnedSemaphorePermit,
}

/// A request that has not begun. Dropping it answers it with that error.
pub(super) struct QueuedRequest(Option<PortRequest>);

impl Link {
    /// Makes a link to a device like `geometry`, and the end that serves it.
    pub(super) fn with_queue(limits: PortLimits, geometry: Geometry) -> RequestQueue {
        let (queue, requests) = mpsc::unbounded_channel();
        let link = Self {
            limits,
            queue,
            requests: Arc::new(Semaphore::new(limits.requests_max as usize)),
            bytes: Arc::new(Semaphore::new(limits.bytes_max as usize)),
            geometry: Mutex::new(geometry),
            epoch: AtomicU64::new(0),
            has_unanswered: AtomicBool::new(false),
            ports: AtomicU64::new(0),
            ports_total: AtomicU64::new(0),
        };
        RequestQueue { link: Arc::new(link), requests }
    }

    /// Waits until the queue has room for a request with a buffer of `bytes`. None once the queue is closed.
    pub(super) async fn room(&self, bytes: usize) -> Option<Room> {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).min(self.limits.bytes_max);
        // All wait in the same order, and a request with room ends without more of it.
        let request = Arc::clone(&self.requests).acquire_owned().await.ok()?;
        let bytes = Arc::clone(&self.bytes).acquire_many_owned(bytes).await.ok()?;
        Some(Room { _request: request, _bytes: bytes })
    }

    /// Returns the bytes of buffers that are queued or in flight.
    pub(super) fn bytes_taken(&self) -> u64 {
        u64::from(self.limits.bytes_max) - self.bytes.available_permits() as u64
    }

    pub(super) fn geometry(&self) -> Geometry {
        *self.locked_geometry()
    }

    pub(super) fn set_geometry(&self, geometry: Geometry) {
        *self.locked_geometry() = geometry;
    }

    fn locked_geometry(&self) -> MutexGuard<'_, Geometry> {
        // One assignment leaves it whole.
        self.geometry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Records that the device may have lost writes.
    pub(super) fn begin_epoch(&self) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn has_unanswered(&self) -> bool {
        self.has_unanswered.load(Ordering::Acquire)
    }

    pub(super) fn set_unanswered(&self, has_unanswered: bool) {
        self.has_unanswered.store(has_unanswered, Ordering::Release);
    }

    pub(super) fn count_in(&self) {
        self.ports.fetch_add(1, Ordering::Relaxed);
        self.ports_total.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_out(&self) {
        self.ports.fetch_sub(1, Ordering::Relaxed);
    }

    /// Returns how many ports there are, and how many there ever were.
    pub(super) fn ports(&self) -> (u64, u64) {
        (self.ports.load(Ordering::Relaxed), self.ports_total.load(Ordering::Relaxed))
    }
}

impl RequestQueue {
    /// Returns the next request. Dropping the future loses none.
    pub(super) async fn next(&mut self) -> QueuedRequest {
        self.requests.recv().await.expect("the link, which this end holds, can always send")
    }
}

impl Drop for RequestQueue {
    fn drop(&mut self) {
        self.link.requests.close();
        self.link.bytes.close();
    }
}

impl QueuedRequest {
    pub(super) fn new(request: PortRequest) -> Self {
        Self(Some(request))
    }

    /// Returns the request, to be begun.
    pub(super) fn begin(mut self) -> PortRequest {
        self.0.take().expect("it is taken here only, with the queued request")
    }
}

impl Drop for QueuedRequest {
    fn drop(&mut self) {
        let Some(PortRequest { operation, answer, room }) = self.0.take() else { return };
        let outcome = Err(operation.gone());
        drop(room);
        // The caller may have stopped waiting.
        drop(answer.send(PortAnswer { buffer: operation.into_buffer(), outcome }));
    }
}

impl PortOperation {
    /// Returns the error of this operation if the disk was not asked.
    pub(super) fn gone(&self) -> BlockError {
        self.failed(ErrorKind::Gone).because("the disk is not served any more, and was not asked")
    }

    /// Returns the error of this operation if it began and its end is not known: a change may still be done.
    pub(super) fn abandoned(&self) -> BlockError {
        self.failed(if self.changes() { ErrorKind::Unanswered } else { ErrorKind::Gone })
    }

    /// Returns true if the operation changes the device.
    pub(super) fn changes(&self) -> bool {
        matches!(self, Self::Write { .. } | Self::WriteZeroes { .. } | Self::Discard(_))
    }

    fn failed(&self, kind: ErrorKind) -> BlockError {
        let (operation, range) = match self {
            Self::Read { offset, buffer } => {
                (Operation::Read, ByteRange::checked(*offset, buffer.len() as u64))
            }
            Self::Write { offset, buffer } => {
                (Operation::Write, ByteRange::checked(*offset, buffer.len() as u64))
            }
            Self::Flush => (Operation::Flush, None),
            Self::WriteZeroes { range, .. } => (Operation::WriteZeroes, Some(*range)),
            Self::Discard(range) => (Operation::Discard, Some(*range)),
            // There is no operation of that name; a query for extents reads what the device knows.
            Self::Extents(range) => (Operation::Read, Some(*range)),
        };
        BlockError { kind, operation, range, reason: String::new() }
    }

    /// Returns the length of the buffer in bytes; 0 without one.
    pub(super) fn buffer_len(&self) -> usize {
        match self {
            Self::Read { buffer, .. } | Self::Write { buffer, .. } => buffer.len(),
            _ => 0,
        }
    }

    pub(super) fn into_buffer(self) -> Option<Buffer> {
        match self {
            Self::Read { buffer, .. } | Self::Write { buffer, .. } => Some(buffer),
            _ => None,
        }
    }
}
