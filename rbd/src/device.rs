//! An image as a block device.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use block::{BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Geometry, Operation, Outcome, Unmap};
use nix::errno::Errno;
use nix::time::{ClockId, clock_gettime};
use tokio::sync::{Notify, oneshot};

use crate::ceph::{Failure, Image, Io};

/// State of an image that its device shares with other threads.
#[derive(Debug, Default)]
pub(crate) struct ImageState {
    /// Its size in bytes.
    bytes: AtomicU64,
    is_fenced: AtomicBool,
    /// Notified when the cluster first refused a request because this client is fenced off.
    fenced: Notify,
    /// Time at which this client had the lock last, in seconds of [`now`].
    confirmed: AtomicU64,
    /// Notified when it has it again, or is fenced off.
    confirmation: Notify,
}

/// Seconds after which the lock must be confirmed before further requests begin: this process was stopped, or the host was suspended.
const CONFIRMED_SECONDS: u64 = 30;

/// Returns the time since the start of the system in seconds, suspensions included.
pub(crate) fn now() -> u64 {
    let time = clock_gettime(ClockId::CLOCK_BOOTTIME).expect("the system has this clock");
    u64::try_from(time.tv_sec()).unwrap_or_default()
}

impl ImageState {
    pub(crate) fn new(bytes: u64) -> Arc<Self> {
        Arc::new(Self { bytes: AtomicU64::new(bytes), confirmed: AtomicU64::new(now()), ..Self::default() })
    }

    /// Sets the size. Only whole sectors are served.
    pub(crate) fn set_bytes(&self, bytes: u64) {
        self.bytes.store(bytes - bytes % block::SECTOR, Ordering::Relaxed);
    }

    /// Records that this client is fenced off.
    pub(crate) fn fence(&self) {
        if !self.is_fenced.swap(true, Ordering::Relaxed) {
            self.fenced.notify_one();
            self.confirmation.notify_waiters();
        }
    }

    /// Records that this client had the lock at some time after `asked`.
    pub(crate) fn confirm(&self, asked: u64) {
        self.confirmed.store(asked, Ordering::Relaxed);
        self.confirmation.notify_waiters();
    }

    /// Waits until it is known that this client had the lock a short time ago, or is fenced off.
    async fn until_confirmed(&self) {
        while !self.is_decided() {
            let mut next = pin!(self.confirmation.notified());
            next.as_mut().enable();
            if !self.is_decided() {
                next.await;
            }
        }
    }

    fn is_decided(&self) -> bool {
        let age = now().saturating_sub(self.confirmed.load(Ordering::Relaxed));
        age <= CONFIRMED_SECONDS || self.is_fenced.load(Ordering::Relaxed)
    }

    /// Waits until this client is fenced off.
    pub(crate) async fn fenced(&self) {
        self.fenced.notified().await;
    }
}

/// An image that is open for reading and writing, and locked.
pub(crate) struct RbdDevice {
    pub(crate) image: Arc<Image>,
    pub(crate) state: Arc<ImageState>,
    pub(crate) read_only: bool,
}

impl RbdDevice {
    async fn perform(
        &self,
        operation: Operation,
        range: Option<ByteRange>,
        request: Io,
    ) -> (Option<Buffer>, Result<(), BlockError>) {
        self.state.until_confirmed().await;
        if self.state.is_fenced.load(Ordering::Relaxed) {
            let buffer = match request {
                Io::Read { buffer, .. } | Io::Write { buffer, .. } => Some(buffer),
                Io::Zeroes { .. } | Io::Flush => None,
            };
            return (buffer, Err(failed(operation, range, Errno::ESHUTDOWN)));
        }
        let (done, answer) = oneshot::channel();
        self.image.begin(request, move |buffer, outcome| {
            // Nothing waits if the connection ended meanwhile.
            drop(done.send((buffer, outcome)));
        });
        let (buffer, outcome) = answer.await.expect("the library completes every request");
        let outcome = outcome.map_err(|error| {
            if self.is_fence(error) {
                self.state.fence();
            }
            failed(operation, range, error)
        });
        (buffer, outcome)
    }

    /// Returns true if an error means that another client took the lock.
    fn is_fence(&self, error: Failure) -> bool {
        // The second one is of a client that lost the lock without being fenced off.
        error == Errno::ESHUTDOWN || error == Errno::EROFS && !self.image.is_lock_owner()
    }
}

/// Returns the error of a request. Only what a guest or the daemon can act on keeps its kind.
fn failed(operation: Operation, range: Option<ByteRange>, error: Failure) -> BlockError {
    match error {
        Errno::ENOSPC | Errno::EDQUOT | Errno::EINVAL => {
            BlockError::from_errno(error as i32, operation, range)
        }
        _ => BlockError { kind: ErrorKind::Io, operation, range, reason: error.desc().to_owned() },
    }
}

impl BlockDevice for RbdDevice {
    fn geometry(&self) -> Geometry {
        Geometry { read_only: self.read_only, ..Geometry::plain(self.state.bytes.load(Ordering::Relaxed)) }
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        let range = match self.geometry().check(Operation::Read, offset, buffer.len() as u64) {
            Ok(range) => range,
            Err(error) => return (buffer, Err(error)),
        };
        let (buffer, outcome) = self.perform(Operation::Read, Some(range), Io::Read { offset, buffer }).await;
        (buffer.expect("a read returns its buffer"), outcome)
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        let range = match self.geometry().check(Operation::Write, offset, buffer.len() as u64) {
            Ok(range) => range,
            Err(error) => return (buffer, Err(error)),
        };
        let (buffer, outcome) =
            self.perform(Operation::Write, Some(range), Io::Write { offset, buffer }).await;
        (buffer.expect("a write returns its buffer"), outcome)
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.perform(Operation::Flush, None, Io::Flush).await.1
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        let range = self.geometry().check(Operation::WriteZeroes, range.start, range.len())?;
        let length = usize::try_from(range.len()).expect("an address has 64 bits");
        let zeroes = Io::Zeroes { offset: range.start, length, thick: unmap == Unmap::Forbidden };
        self.perform(Operation::WriteZeroes, Some(range), zeroes).await.1
    }

    /// Writes zeroes that free storage: a discard of librbd leaves parts of objects as they are.
    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.write_zeroes(range, Unmap::Allowed).await
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[test]
    fn requests_after_a_long_stop_wait_for_a_check_of_the_lock() {
        for resolve in [|state: &ImageState| state.confirm(now()), ImageState::fence] {
            let state = ImageState::new(4096);
            let mut context = Context::from_waker(Waker::noop());
            assert_eq!(pin!(state.until_confirmed()).poll(&mut context), Poll::Ready(()));
            // As if the last check was that long ago; a host that started just now has no such time.
            state.confirmed.store(0, Ordering::Relaxed);
            if now() <= CONFIRMED_SECONDS {
                continue;
            }
            let mut waiting = pin!(state.until_confirmed());
            assert_eq!(waiting.as_mut().poll(&mut context), Poll::Pending);
            state.confirm(0);
            assert_eq!(waiting.as_mut().poll(&mut context), Poll::Pending, "asked before the stop");
            resolve(&state);
            assert_eq!(waiting.as_mut().poll(&mut context), Poll::Ready(()));
        }
    }
}
