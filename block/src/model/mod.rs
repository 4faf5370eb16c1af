//! The timing of a spinning array around any device, for demonstrations and figures where there are no slow disks.
//!
//! Data moves through the device beneath at once; a request completes when the modelled array would have completed it.
//! Every spindle serves one request at a time in order of arrival: seek by distance, rotation, transfer.
//! `docs/dev/model.md` gives the figures and their sources.

mod array;
mod profile;

use std::cell::RefCell;

pub use array::Work;
pub use profile::{Layout, ParseError, Profile};

use crate::{BlockDevice, BlockError, Buffer, ByteRange, Extent, Geometry, Host, Outcome, Unmap};
use array::Array;

/// A device that answers as late as a spinning array would.
pub struct Model<D, H> {
    inner: D,
    host: H,
    array: RefCell<Array>,
}

impl<D: BlockDevice, H: Host> Model<D, H> {
    /// Gives `inner` the timing of `profile`; the whole of the device is the whole of the spindles' stroke.
    pub fn new(inner: D, host: H, profile: Profile) -> Self {
        let array = Array::new(profile, inner.geometry().size, host.random());
        Self { inner, host, array: RefCell::new(array) }
    }

    /// Returns the device beneath.
    pub fn inner(&self) -> &D {
        &self.inner
    }

    /// Adopts the size of the device beneath: the whole of it is the whole of the spindles' stroke again.
    pub fn fit(&self) {
        self.array.borrow_mut().set_size(self.inner.geometry().size);
    }

    /// Returns the work of the spindles so far.
    pub fn work(&self) -> Work {
        self.array.borrow().work()
    }

    async fn until(&self, deadline: u64) {
        self.host.sleep_until(deadline).await;
    }
}

impl<D: BlockDevice, H: Host> BlockDevice for Model<D, H> {
    fn geometry(&self) -> Geometry {
        self.inner.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        let range = ByteRange::at(offset, buffer.len() as u64);
        let done = self.array.borrow_mut().read(self.host.now(), range);
        let outcome = self.inner.read(offset, buffer).await;
        self.until(done).await;
        outcome
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        let range = ByteRange::at(offset, buffer.len() as u64);
        let done = self.array.borrow_mut().write(self.host.now(), range);
        let outcome = self.inner.write(offset, buffer).await;
        self.until(done).await;
        outcome
    }

    /// Ends when every write before it has reached the platters.
    async fn flush(&self) -> Result<(), BlockError> {
        let done = self.array.borrow().busy_until();
        let result = self.inner.flush().await;
        self.until(done).await;
        result
    }

    /// Priced as one write to every stripe row that it touches, as arrays that keep a map of zeroes do.
    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        let done = self.array.borrow_mut().note_zeroes(self.host.now(), range);
        let result = self.inner.write_zeroes(range, unmap).await;
        self.until(done).await;
        result
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.inner.discard(range).await
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        self.inner.extents(range).await
    }

    fn epoch(&self) -> u64 {
        self.inner.epoch()
    }

    fn has_unanswered(&self) -> bool {
        self.inner.has_unanswered()
    }

    fn is_cached_below(&self, range: ByteRange) -> bool {
        self.inner.is_cached_below(range)
    }

    fn abandon_group(&self) {
        self.inner.abandon_group();
    }
}

#[cfg(test)]
mod tests;
