//! The write budget of one flash device: limits the share of accepted promotions that is written, so that the writes of a day stay within
//! the budget.
//!
//! ```text
//!   budget, evenly over the day ──fills──> bucket of an hour's worth ──pays for──> all writes to the device        
//!                                             │ pressure: 0 full, 1 empty
//!                                             └──> share of promotions admitted: all up to 1/2, from there on fewer, none at 1
//! ```
//! A token bucket, kept as the moment at which all that was written is paid for (the virtual scheduling form of the generic
//! cell rate algorithm, ITU-T I.371). Guests' writes are never held back: they are paid for like all others, also on credit, and
//! promotions wait until that is paid back, a day at most. Unspent budget is not saved beyond the bucket.
//!
//! Uses neither clock nor device: callers pass time and bytes, and get a share of promotions.

use crate::types::limits::{BATCH_PAGES_MAX, PAGE_BYTES};

/// Size of the bucket, as the time in which the budget fills it: an hour, nanoseconds.
const BUCKET_NS: u64 = 3_600_000_000_000;
/// Nanoseconds of a day.
const DAY_NS: u64 = 24 * BUCKET_NS;
/// Least size of the bucket, for small devices: less than a few batches could never be spent smoothly.
const BUCKET_BYTES_MIN: u64 = (2 * BATCH_PAGES_MAX * PAGE_BYTES) as u64;
/// Up to this pressure everything is let in.
const PRESSURE_FREE: f32 = 0.5;

/// The budget of a device, and how much of it is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    bytes_a_day: u64,
    /// Time at which all that was written by `seen_at` is paid for; never before that. Nanoseconds, as all times here.
    paid_at: u64,
    /// Time of the last update.
    seen_at: u64,
    /// Bytes written by then, by the device's meter.
    seen_bytes: u64,
}

impl Budget {
    /// Creates a budget that begins `now`, with `written` bytes already on the meter, which it does not pay for. The bucket is half full: a
    /// restart neither gives an hour's worth away nor keeps a cache from warming up.
    pub(crate) fn new(bytes_a_day: u64, now: u64, written: u64) -> Self {
        let budget =
            Self { bytes_a_day: bytes_a_day.max(1), paid_at: now, seen_at: now, seen_bytes: written };
        Self { paid_at: now.saturating_add(budget.bucket_ns() / 2), ..budget }
    }

    /// Changes the budget. The bucket stays as full as it is, because the earlier budget permitted what was taken from it; writes beyond
    /// that stay owed, in bytes.
    pub(crate) fn set_bytes_a_day(&mut self, bytes_a_day: u64) {
        let before = *self;
        self.bytes_a_day = bytes_a_day.max(1);
        let bucket = before.bucket_ns();
        let from_bucket = scaled(before.ahead_ns().min(bucket), self.bucket_ns(), bucket);
        let owed = before.ahead_ns().saturating_sub(bucket);
        let owed = scaled(owed, before.bytes_a_day, self.bytes_a_day);
        self.owe(self.seen_at, from_bucket.saturating_add(owed));
    }

    /// Starts at the meter's reading `now` without a debt for it: while there was no budget, writes were free. An earlier debt is paid back
    /// by the time since then.
    pub(crate) fn resume(&mut self, now: u64, written: u64) {
        self.seen_bytes = written.max(self.seen_bytes);
        self.see(now, written);
    }

    /// Updates with the reading of the meter at `now`. Writes since the last update count as spread evenly. A clock that stands still or is
    /// a little behind, as that of another shard may be, pays for nothing.
    pub(crate) fn see(&mut self, now: u64, written: u64) {
        let cost = self.nanos_for(written.saturating_sub(self.seen_bytes));
        let paid_at = self.paid_at.saturating_add(cost);
        self.seen_at = now.max(self.seen_at);
        self.seen_bytes = written.max(self.seen_bytes);
        self.owe(self.seen_at, paid_at.saturating_sub(self.seen_at));
    }

    /// Returns how far spending is ahead of the budget, as of the last update: 0 if the bucket is full, 1 if it is empty.
    #[expect(clippy::cast_precision_loss, reason = "a ratio; nobody needs the last nanosecond")]
    pub(crate) fn pressure(&self) -> f32 {
        (self.ahead_ns() as f32 / self.bucket_ns() as f32).min(1.0)
    }

    /// Returns the share of promotions that is let in, from 0 to 1.
    pub(crate) fn share(&self) -> f32 {
        ((1.0 - self.pressure()) / (1.0 - PRESSURE_FREE)).clamp(0.0, 1.0)
    }

    /// Returns true if a batch is admitted for this random number. All of it or nothing: a batch of a few of its pages would cost as many
    /// headers.
    #[expect(clippy::cast_precision_loss, reason = "a float has the 24 bits that are compared")]
    pub(crate) fn lets_in(&self, chance: u64) -> bool {
        const PARTS: u64 = 1 << 24;
        ((chance % PARTS) as f32) < self.share() * PARTS as f32
    }

    /// Returns the bytes that may be written in a day.
    pub(crate) fn bytes_a_day(&self) -> u64 {
        self.bytes_a_day
    }

    /// Returns the time until all earlier writes are paid for, in nanoseconds.
    fn ahead_ns(&self) -> u64 {
        self.paid_at - self.seen_at
    }

    /// Sets the debt, limited to a day: a guest that wrote for a month does not keep others from flash for another one.
    fn owe(&mut self, now: u64, ahead_ns: u64) {
        let most = self.bucket_ns().saturating_add(DAY_NS);
        self.paid_at = now.saturating_add(ahead_ns.min(most));
    }

    fn bucket_ns(&self) -> u64 {
        self.nanos_for(BUCKET_BYTES_MIN).max(BUCKET_NS)
    }

    /// Returns the time in which the budget pays for `bytes`, in nanoseconds. Rounded up: the loss is never spent.
    fn nanos_for(&self, bytes: u64) -> u64 {
        scaled(bytes, DAY_NS, self.bytes_a_day)
    }
}

/// Returns `number * part / whole`, rounded up.
fn scaled(number: u64, part: u64, whole: u64) -> u64 {
    let scaled = (u128::from(number) * u128::from(part)).div_ceil(whole.into());
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
