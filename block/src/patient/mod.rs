//! Retry device: gives a device that fails or hangs some time, so that its clients see a pause and not an error.
//!
//! A path to storage that is lost (iSCSI, multipath, a mount from elsewhere) shows as errors of a file or device that works
//! again seconds later. For the retry time
//! - **a failed request** is sent again. A read may be; a change may because the first one has ended: the device reported that.
//! - **a request that hangs** is waited for. After that the client gets an error, while the system still has the request. A change
//!   that shares a physical block with it is not sent before it has ended: it could land late and undo a later one.
//! - **a flush** waits for a device that fails to answer reads again, and is sent then. It is never sent a second time, and
//!   never given up while the system has it: a flush that failed means that data may be gone.
//!
//! An idle device that failed is probed, with a read of the least size every few seconds: otherwise it would be reported as failing until
//! it is used.
//!
//! Errors that do not pass with time are passed on at once: no room, no permission, damaged content, a device that is gone. Never reports
//! work as done that was not.

#[cfg(test)]
mod tests;
mod trouble;

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::pin;
use std::rc::{Rc, Weak};

use futures_util::future::select;
use tokio::sync::Notify;

use crate::deadline::{Deadlines, NEVER};
use crate::{
    BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Extent, Geometry, Host, Operation, Outcome, Unmap,
};
use trouble::FailedRequest;
pub use trouble::{Cause, Trouble, Watch};

/// Pause before a failed request is sent again, in nanoseconds.
const REST_NS: u64 = 500_000_000;
/// Time in nanoseconds after which an idle device that fails is probed. It is longer than the pause of changes that are sent again: a read
/// that works does not show that those do.
const PROBE_NS: u64 = 2_000_000_000;
/// Requests that the system may have although nothing waits for them any more; with so many, no more are sent.
const LEFT_MAX: usize = 256;
/// Limit of the bytes of buffers that they hold.
const LEFT_BYTES_MAX: u64 = 64 << 20;

/// Handling of a request that gets no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HangPolicy {
    /// It stays in the system, and the client gets an error: for files and devices, whose requests cannot be cancelled.
    GivenUp,
    /// The device ends it within the retry time, all attempts together, and reports its outcome: an NBD connection. Then nothing is sent
    /// again here.
    EndedByDevice,
}

/// A device that is given time.
pub struct RetryDevice<D, H: Host> {
    shared: Rc<RetryState<D, H>>,
}

struct RetryState<D, H> {
    device: D,
    host: H,
    deadlines: Rc<Deadlines<H>>,
    /// None: for ever.
    retry_ns: Cell<Option<u64>>,
    hang: HangPolicy,
    watch: Rc<Watch>,
    /// Requests that the system has and nothing waits for.
    left: RefCell<Vec<AbandonedRequest>>,
    left_ever: Cell<u64>,
    /// Notifies that one of these ended.
    ended: Notify,
}

/// A request that the system has and nothing waits for.
struct AbandonedRequest {
    number: u64,
    asked: DeviceRequest,
}

/// A request to the device.
#[derive(Clone, Copy)]
struct DeviceRequest {
    operation: Operation,
    range: ByteRange,
}

impl<D: BlockDevice, H: Host> RetryDevice<D, H> {
    /// Gives each request of a device up to `retry_ns`; none: for ever. `name` is its name in log messages.
    pub fn new(device: D, host: H, name: String, hang: HangPolicy, retry_ns: Option<u64>) -> Self {
        let deadlines = Rc::new(Deadlines::new(host.clone()));
        // Holds nothing but the clock: the device is closed when the last request there has ended.
        let ticking = Rc::clone(&deadlines);
        host.spawn(async move { ticking.run().await });
        let shared = Rc::new(RetryState {
            device,
            deadlines,
            watch: Rc::new(Watch::new(name)),
            host,
            retry_ns: Cell::new(retry_ns),
            hang,
            left: RefCell::default(),
            left_ever: Cell::new(0),
            ended: Notify::new(),
        });
        let (probed, watch) = (Rc::downgrade(&shared), shared.watch());
        shared.host.spawn(probe_while_failing(probed, watch, shared.host.clone()));
        Self { shared }
    }

    /// Returns the device beneath.
    pub fn inner(&self) -> &D {
        &self.shared.device
    }

    /// Changes how long later requests may take.
    pub fn set_retry_ns(&self, retry_ns: Option<u64>) {
        self.shared.retry_ns.set(retry_ns);
    }

    /// Returns how long a request may take; none: for ever.
    pub fn retry_ns(&self) -> Option<u64> {
        self.shared.retry_ns.get()
    }

    /// Returns the present trouble of the device.
    pub fn trouble(&self) -> Option<Trouble> {
        self.shared.watch.trouble(self.shared.host.now())
    }

    /// Returns the watch for requests that the device beneath sends again by itself.
    pub fn watch(&self) -> Rc<Watch> {
        Rc::clone(&self.shared.watch)
    }

    /// Returns the number of requests that were sent again because the first one failed.
    pub fn retries(&self) -> u64 {
        self.shared.watch.retries()
    }

    /// Returns true if the system has requests that nothing waits for any more: the device must not be used in another way meanwhile.
    pub fn has_left_requests(&self) -> bool {
        !self.shared.left.borrow().is_empty()
    }

    fn deadline(&self) -> u64 {
        self.shared.deadlines.after(self.shared.retry_ns.get())
    }

    /// Performs a request, again and again if need be. None if the system has it when the deadline is reached.
    async fn perform<T, R>(
        &self,
        asked: DeviceRequest,
        deadline: u64,
        mut input: T,
        mut send: impl FnMut(Rc<RetryState<D, H>>, T) -> R,
    ) -> Option<(T, Result<(), BlockError>)>
    where
        T: 'static,
        R: Future<Output = (T, Result<(), BlockError>)> + 'static,
    {
        let shared = &self.shared;
        let mut failed: Option<(BlockError, FailedRequest<'_>)> = None;
        loop {
            if let Err(late) = shared.turn(asked, deadline).await {
                // An earlier attempt may have been done in part.
                return Some((input, Err(failed.map_or(late, |(error, _)| error))));
            }
            let running = send(Rc::clone(shared), input);
            let (back, result) = shared.wait(running, asked, deadline).await?;
            drop(failed.take());
            let now = shared.host.now();
            let rest = now.saturating_add(REST_NS);
            match result {
                Err(error) if passes(error.kind) && shared.hang == HangPolicy::GivenUp && rest < deadline => {
                    failed = Some((error.clone(), shared.watch.note_retry(now, error)));
                }
                result => {
                    shared.watch.judge(now, &result);
                    if result.is_ok() && asked.changes() {
                        shared.watch.note_change(now);
                    }
                    return Some((back, result));
                }
            }
            input = back;
            shared.host.sleep_until(rest).await;
        }
    }

    async fn read_until(&self, deadline: u64, offset: u64, buffer: Buffer) -> Outcome {
        let length = buffer.len();
        let asked = DeviceRequest { operation: Operation::Read, range: ByteRange::at(offset, length as u64) };
        let send =
            |shared: Rc<RetryState<D, H>>, buffer| async move { shared.device.read(offset, buffer).await };
        let performed = self.perform(asked, deadline, buffer, send).await;
        // The system has the other one.
        performed.unwrap_or_else(|| (Buffer::zeroed(length), Err(silent(asked.operation, asked.range))))
    }

    async fn change<R>(
        &self,
        operation: Operation,
        range: ByteRange,
        mut send: impl FnMut(Rc<RetryState<D, H>>) -> R,
    ) -> Result<(), BlockError>
    where
        R: Future<Output = Result<(), BlockError>> + 'static,
    {
        let asked = DeviceRequest { operation, range };
        let performed = self.perform(asked, self.deadline(), (), |shared, ()| {
            let running = send(shared);
            async move { ((), running.await) }
        });
        performed.await.map_or_else(|| Err(silent(operation, range)), |((), result)| result)
    }
}

/// Probes a device that fails, until it works again, whenever it gets no other requests. Keeps no device open that is otherwise dropped.
async fn probe_while_failing<D: BlockDevice, H: Host>(
    shared: Weak<RetryState<D, H>>,
    watch: Rc<Watch>,
    host: H,
) {
    while watch.until_failing().await {
        select(pin!(host.sleep(PROBE_NS)), pin!(watch.until_closed())).await;
        let Some(shared) = shared.upgrade() else { return };
        if watch.needs_probe(host.now(), PROBE_NS) {
            select(pin!(shared.probe()), pin!(watch.until_closed())).await;
        }
    }
}

impl<D: BlockDevice, H: Host> RetryState<D, H> {
    fn watch(&self) -> Rc<Watch> {
        Rc::clone(&self.watch)
    }

    /// Reads the least that can be read, once, and takes notice of the answer.
    async fn probe(self: &Rc<Self>) {
        let unit = self.device.geometry().alignment;
        let asked = DeviceRequest { operation: Operation::Read, range: ByteRange::at(0, unit) };
        let ours = Rc::clone(self);
        let running = async move { ours.device.read(0, Buffer::zeroed(unit as usize)).await };
        let deadline = self.deadlines.after(self.retry_ns.get());
        if let Some((_, result)) = self.wait(running, asked, deadline).await {
            self.watch.judge(self.host.now(), &result);
        }
    }

    /// Waits until a request may be sent. Returns an error if that does not happen in time.
    async fn turn(&self, asked: DeviceRequest, deadline: u64) -> Result<(), BlockError> {
        if self.left.borrow().is_empty() {
            return Ok(());
        }
        // Bytes that share a physical block with a change are changed along with it, where the device reads and writes that as a whole.
        let whole = asked.range.widened(self.device.geometry().physical_block);
        let in_the_way = || {
            let left = self.left.borrow();
            let bytes: u64 = left.iter().map(|left| left.asked.buffer_bytes()).sum();
            let meets = |left: &AbandonedRequest| {
                asked.changes() && left.asked.changes() && whole.overlaps(&left.asked.range)
            };
            left.len() >= LEFT_MAX || bytes >= LEFT_BYTES_MAX || left.iter().any(meets)
        };
        let free = async {
            loop {
                let ended = self.ended.notified();
                if !in_the_way() {
                    return;
                }
                ended.await;
            }
        };
        self.deadlines.within(deadline, free).await.ok_or_else(|| {
            let error = BlockError::new(ErrorKind::Untried, asked.operation, asked.range);
            error.because("earlier requests have not been answered yet")
        })
    }

    /// Returns the output of a request, or none if the deadline is reached first: then the system has it until it ends.
    async fn wait<T: 'static>(
        self: &Rc<Self>,
        running: impl Future<Output = (T, Result<(), BlockError>)> + 'static,
        asked: DeviceRequest,
        deadline: u64,
    ) -> Option<(T, Result<(), BlockError>)> {
        let mut running = Box::pin(running);
        let deadline = if self.hang == HangPolicy::EndedByDevice { NEVER } else { deadline };
        let waiting = self.watch.begin(self.host.now());
        let outcome = self.deadlines.within(deadline, &mut running).await;
        drop(waiting);
        if outcome.is_some() {
            return outcome;
        }
        self.watch.note_silence(self.host.now());
        self.watch.note_left();
        let number = self.left_ever.get();
        self.left_ever.set(number + 1);
        self.left.borrow_mut().push(AbandonedRequest { number, asked });
        let ours = Rc::clone(self);
        self.host.spawn(async move {
            let (_, result) = running.await;
            ours.left.borrow_mut().retain(|left| left.number != number);
            ours.watch.note_ended();
            ours.watch.judge(ours.host.now(), &result);
            ours.ended.notify_waiters();
        });
        None
    }
}

impl DeviceRequest {
    fn changes(&self) -> bool {
        self.operation != Operation::Read
    }

    fn buffer_bytes(&self) -> u64 {
        if matches!(self.operation, Operation::Read | Operation::Write) { self.range.len() } else { 0 }
    }
}

impl<D, H: Host> Drop for RetryDevice<D, H> {
    fn drop(&mut self) {
        self.shared.deadlines.close();
        self.shared.watch.close();
    }
}

/// Returns true if another try may succeed.
fn passes(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Io | ErrorKind::Untried)
}

/// Returns the error for a request that the system still has when the time is over.
fn silent(operation: Operation, range: ByteRange) -> BlockError {
    BlockError::new(ErrorKind::Io, operation, range)
        .because("the device did not answer within the retry time")
}

impl<D: BlockDevice, H: Host> BlockDevice for RetryDevice<D, H> {
    fn geometry(&self) -> Geometry {
        self.shared.device.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.read_until(self.deadline(), offset, buffer).await
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        let length = buffer.len();
        let asked =
            DeviceRequest { operation: Operation::Write, range: ByteRange::at(offset, length as u64) };
        let send =
            |shared: Rc<RetryState<D, H>>, buffer| async move { shared.device.write(offset, buffer).await };
        let performed = self.perform(asked, self.deadline(), buffer, send).await;
        performed.unwrap_or_else(|| (Buffer::zeroed(length), Err(silent(asked.operation, asked.range))))
    }

    async fn flush(&self) -> Result<(), BlockError> {
        let shared = &self.shared;
        if shared.hang == HangPolicy::GivenUp && shared.watch.is_failing() {
            // Any read shows whether it works again.
            let unit = self.geometry().alignment;
            let (_, probed) = self.read_until(self.deadline(), 0, Buffer::zeroed(unit as usize)).await;
            if probed.is_err_and(|error| passes(error.kind)) {
                let error = BlockError::anywhere(ErrorKind::Untried, Operation::Flush);
                return Err(error.because("the device has failed for longer than the retry time"));
            }
        }
        let waiting = shared.watch.begin(shared.host.now());
        let result = shared.device.flush().await;
        drop(waiting);
        shared.watch.judge(shared.host.now(), &result);
        result
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        let send =
            |shared: Rc<RetryState<D, H>>| async move { shared.device.write_zeroes(range, unmap).await };
        self.change(Operation::WriteZeroes, range, send).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        let send = |shared: Rc<RetryState<D, H>>| async move { shared.device.discard(range).await };
        self.change(Operation::Discard, range, send).await
    }

    fn wants_discards(&self) -> bool {
        self.shared.device.wants_discards()
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        self.shared.device.extents(range).await
    }

    fn epoch(&self) -> u64 {
        self.shared.device.epoch()
    }

    fn has_unanswered(&self) -> bool {
        self.shared.device.has_unanswered()
    }

    fn is_cached_below(&self, range: ByteRange) -> bool {
        self.shared.device.is_cached_below(range)
    }

    fn abandon_group(&self) {
        self.shared.device.abandon_group();
    }
}
