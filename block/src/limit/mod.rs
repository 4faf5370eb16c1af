//! Limits of a disk's clients: requests and bytes a second, with a burst that is saved up while they use less.
//!
//! ```text
//!   read, write, zeroes, discard ──> no request waits and the buckets have enough? ── yes ──> device
//!                                        no │                                                ^
//!                                           └──> queue, first come first served ── timer ───┘
//! ```
//! - **Counted** are reads, writes, writes of zeroes and discards, each as one request whatever its length; and the bytes of reads and
//!   writes. Zeroes and discards move no bytes. Flushes and queries count for nothing and never wait.
//! - **Guarantee**: over any time `t` the device gets at most `limit * t + burst`, or one request that is larger than the burst and
//!   is paid for afterwards; and clients that always have more requests get `limit * t`.
//! - **Order**: a request that waits is overtaken by flushes only.
//! - **Dropping** a request that waits takes it out of the queue; it costs nothing.
//! - **Lifted**: code that has to wait until requests have ended [lifts the limits](crate::BlockDevice::lift_limits) meanwhile. What passes
//!   then is debt, which later requests wait for.
//!
//! Code beneath the limits does not see a request that waits: it holds no lock, no room and no range.

mod bucket;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::num::NonZeroU64;
use std::pin::pin;
use std::rc::Rc;

use futures_util::future::select;
use tokio::sync::{Notify, Semaphore};

use crate::{
    BlockDevice, BlockError, Buffer, ByteRange, Extent, Geometry, Host, Outcome, Unmap, WantedRange,
};
use bucket::Bucket;

/// Limits of requests and bytes a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// Requests a second; none: as many as they like.
    pub requests: Option<NonZeroU64>,
    /// Bytes a second that reads and writes move; none: as many as they like.
    pub bytes: Option<NonZeroU64>,
    /// For how long a limit is saved up while they ask for less, in nanoseconds. With less than the timer of the host is late, they
    /// get less than the limit.
    pub burst_ns: u64,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self { requests: None, bytes: None, burst_ns: 1_000_000_000 }
    }
}

/// Requests that had to wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delays {
    /// Number of those that waited and passed.
    pub requests: u64,
    /// Sum of their waits, in nanoseconds.
    pub nanos: u64,
}

/// Limits with all that is saved up, owed and counted, to go on with on another thread.
#[derive(Clone, Copy, Debug)]
pub struct RateLimiterState {
    limits: RateLimits,
    /// By a clock that begins now.
    buckets: Buckets,
    delays: Delays,
}

/// The limits of one disk, for all of its doors.
pub struct RateLimiter<H> {
    host: H,
    limits: Cell<RateLimits>,
    buckets: Cell<Buckets>,
    /// There are limits, or a request still waits.
    is_on: Cell<bool>,
    /// Held by the request that passes next. Requests get it in the order of their arrival.
    turn: Semaphore,
    waiting: Cell<usize>,
    lifting: Rc<Lifting>,
    delays: Cell<Delays>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Buckets {
    requests: Bucket,
    bytes: Bucket,
}

impl Buckets {
    fn new(limits: RateLimits) -> Self {
        let RateLimits { requests, bytes, burst_ns } = limits;
        Self { requests: Bucket::new(requests, burst_ns), bytes: Bucket::new(bytes, burst_ns) }
    }

    /// Returns the earliest moment at which a request that moves `bytes` may pass.
    fn admit_at(&self, bytes: u64) -> u64 {
        self.requests.admits_at(1).max(self.bytes.admits_at(bytes))
    }

    fn take(&mut self, bytes: u64, now: u64) {
        self.requests.take(1, now);
        self.bytes.take(bytes, now);
    }
}

/// Count of those who have the limits lifted.
#[derive(Default)]
struct Lifting {
    /// Number of live [`LimitsLifted`].
    lifted: Cell<usize>,
    /// Notified when limits are lifted or replaced.
    changed: Notify,
}

/// Keeps the limits of a device lifted until it is dropped.
#[must_use = "limits are lifted only as long as this lives"]
pub struct LimitsLifted(Rc<Lifting>);

impl LimitsLifted {
    fn new(lifting: &Rc<Lifting>) -> Self {
        lifting.lifted.set(lifting.lifted.get() + 1);
        lifting.changed.notify_waiters();
        Self(Rc::clone(lifting))
    }
}

impl Drop for LimitsLifted {
    fn drop(&mut self) {
        self.0.lifted.set(self.0.lifted.get() - 1);
    }
}

/// Counts one who waits.
struct LimitWaiter<'a, H>(&'a RateLimiter<H>);

impl<'a, H> LimitWaiter<'a, H> {
    fn new(limiter: &'a RateLimiter<H>) -> Self {
        limiter.waiting.set(limiter.waiting.get() + 1);
        Self(limiter)
    }
}

impl<H> Drop for LimitWaiter<'_, H> {
    fn drop(&mut self) {
        self.0.waiting.set(self.0.waiting.get() - 1);
        self.0.update();
    }
}

impl<H> RateLimiter<H> {
    /// Returns the limits that hold.
    pub fn limits(&self) -> RateLimits {
        self.limits.get()
    }

    /// Puts other limits in force, at once and for those who wait as well. They begin with a full burst and without debt; the same
    /// limits again change nothing.
    pub fn set_limits(&self, limits: RateLimits) {
        if limits == self.limits.get() {
            return;
        }
        self.limits.set(limits);
        self.buckets.set(Buckets::new(limits));
        self.update();
        self.lifting.changed.notify_waiters();
    }

    /// Returns the delays so far. Requests that wait now are not counted yet.
    pub fn delays(&self) -> Delays {
        self.delays.get()
    }

    /// Lifts the limits until the returned guard is dropped.
    pub fn lift(&self) -> LimitsLifted {
        LimitsLifted::new(&self.lifting)
    }

    /// Updates whether the limits are on: a request that arrives while others wait has to queue, even if there is no limit any more.
    fn update(&self) {
        let RateLimits { requests, bytes, .. } = self.limits.get();
        self.is_on.set(requests.is_some() || bytes.is_some() || self.waiting.get() > 0);
    }

    /// Returns the earliest moment at which a request that moves `bytes` may pass.
    fn admits_at(&self, bytes: u64) -> u64 {
        if self.lifting.lifted.get() > 0 { 0 } else { self.buckets.get().admit_at(bytes) }
    }

    fn take(&self, bytes: u64, now: u64) {
        let mut buckets = self.buckets.get();
        buckets.take(bytes, now);
        self.buckets.set(buckets);
    }
}

impl<H: Host> RateLimiter<H> {
    /// Makes limits by the clock of `host`, with a full burst.
    pub fn new(host: H, limits: RateLimits) -> Self {
        let made = Self {
            host,
            limits: Cell::new(limits),
            buckets: Cell::new(Buckets::new(limits)),
            is_on: Cell::new(false),
            turn: Semaphore::new(1),
            waiting: Cell::new(0),
            lifting: Rc::default(),
            delays: Cell::default(),
        };
        made.update();
        made
    }

    /// Makes limits that go on where others were.
    pub fn resume(host: H, state: RateLimiterState) -> Self {
        let now = host.now();
        let RateLimiterState { limits, buckets: Buckets { requests, bytes }, delays } = state;
        let made = Self::new(host, limits);
        made.buckets.set(Buckets { requests: requests.later_by(now), bytes: bytes.later_by(now) });
        made.delays.set(delays);
        made
    }

    /// Returns all that another one needs to go on. Those who wait are not part of it.
    pub fn state(&self) -> RateLimiterState {
        let now = self.host.now();
        let Buckets { requests, bytes } = self.buckets.get();
        let buckets = Buckets { requests: requests.earlier_by(now), bytes: bytes.earlier_by(now) };
        RateLimiterState { limits: self.limits.get(), buckets, delays: self.delays.get() }
    }

    /// Waits until a request that moves `bytes` may pass.
    #[inline]
    async fn admit(&self, bytes: u64) {
        if self.is_on.get() {
            // In memory of its own: a request without limits is not to be larger for it.
            Box::pin(self.admit_in_turn(bytes)).await;
        }
    }

    async fn admit_in_turn(&self, bytes: u64) {
        let came = self.host.now();
        let turn = self.turn.try_acquire();
        if turn.is_ok() && self.admits_at(bytes) <= came {
            self.take(bytes, came);
            return;
        }
        let waiting = LimitWaiter::new(self);
        let turn = match turn {
            Ok(turn) => turn,
            Err(_) => self.turn.acquire().await.expect("it is never closed"),
        };
        let now = loop {
            let changed = self.lifting.changed.notified();
            let (now, at) = (self.host.now(), self.admits_at(bytes));
            if at <= now {
                break now;
            }
            select(pin!(self.host.sleep_until(at)), pin!(changed)).await;
        };
        self.take(bytes, now);
        let Delays { requests, nanos } = self.delays.get();
        self.delays.set(Delays { requests: requests + 1, nanos: nanos + (now - came) });
        drop(turn);
        drop(waiting);
    }

    /// Returns how many of these reads, from the first on, may pass at once.
    fn admitted(&self, wanted: &[WantedRange], now: u64) -> usize {
        if self.waiting.get() > 0 {
            return 0;
        }
        if self.lifting.lifted.get() > 0 {
            return wanted.len();
        }
        let mut buckets = self.buckets.get();
        let mut passes = |read: &WantedRange| {
            let passes = buckets.admit_at(read.range.len()) <= now;
            buckets.take(read.range.len(), now);
            passes
        };
        wanted.iter().position(|read| !passes(read)).unwrap_or(wanted.len())
    }
}

/// A device behind limits.
pub struct RateLimited<D, H> {
    device: D,
    limiter: Rc<RateLimiter<H>>,
}

impl<D: BlockDevice, H: Host> RateLimited<D, H> {
    /// Puts `limiter` in front of a device.
    pub fn new(device: D, limiter: Rc<RateLimiter<H>>) -> Self {
        Self { device, limiter }
    }
}

impl<D: BlockDevice, H: Host> BlockDevice for RateLimited<D, H> {
    fn geometry(&self) -> Geometry {
        self.device.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.limiter.admit(buffer.len() as u64).await;
        self.device.read(offset, buffer).await
    }

    fn try_read_cached(&self, wanted: &mut [WantedRange], take: &mut dyn FnMut(usize, &[u8])) {
        if !self.limiter.is_on.get() {
            return self.device.try_read_cached(wanted, take);
        }
        let now = self.limiter.host.now();
        let admitted = self.limiter.admitted(wanted, now);
        let wanted = &mut wanted[..admitted];
        self.device.try_read_cached(wanted, take);
        for read in wanted.iter().filter(|read| read.given) {
            self.limiter.take(read.range.len(), now);
        }
    }

    fn prefetch(&self, range: ByteRange) {
        self.device.prefetch(range);
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.limiter.admit(buffer.len() as u64).await;
        self.device.write(offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.device.flush().await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.limiter.admit(0).await;
        self.device.write_zeroes(range, unmap).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.limiter.admit(0).await;
        self.device.discard(range).await
    }

    fn wants_discards(&self) -> bool {
        self.device.wants_discards()
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        self.device.extents(range).await
    }

    fn epoch(&self) -> u64 {
        self.device.epoch()
    }

    fn has_unanswered(&self) -> bool {
        self.device.has_unanswered()
    }

    fn abandon_group(&self) {
        self.device.abandon_group();
    }

    fn lift_limits(&self) -> Option<LimitsLifted> {
        Some(self.limiter.lift())
    }
}
