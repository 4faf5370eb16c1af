//! A layer in front of every device of the pool that counts the bytes written to it, which wear flash.
//!
//! The meter is in front of the devices themselves, so everything that the pool writes passes it: batches, summaries, second copies, notes,
//! tables, superblocks. Writes that guests wait for and writes in the background count alike. A write counts when it is sent, whether it
//! succeeds or not; a read or a discard does not. Decides nothing and changes nothing.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use block::{BlockDevice, BlockError, Buffer, ByteRange, Extent, Geometry, Outcome, Unmap};

use super::lock::lock;
use crate::types::units::MemberNumber;

/// The bytes that were written to one device, counted by all shards together. Nothing is ordered by it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter(Arc<AtomicU64>);

impl Meter {
    fn count(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns the bytes so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The meters of the devices of a pool, by number, shared by all shards. The lock is for opening a device and for statistics, never for a
/// request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meters(Arc<Mutex<BTreeMap<MemberNumber, Meter>>>);

impl Meters {
    /// Returns the meter of a device; one that has nothing yet if there is none.
    pub(crate) fn of(&self, number: MemberNumber) -> Meter {
        lock(&self.0).entry(number).or_default().clone()
    }

    /// Takes a meter that has counted before the device had its number.
    pub(crate) fn take(&self, number: MemberNumber, meter: &Meter) {
        lock(&self.0).insert(number, meter.clone());
    }
}

/// A device with its meter.
pub(crate) struct MeteredDevice<F> {
    device: F,
    pub(crate) meter: Meter,
}

impl<F> MeteredDevice<F> {
    pub(crate) fn new(device: F, meter: Meter) -> Self {
        Self { device, meter }
    }

    /// Returns the device itself; writes to it bypass the meter and are not counted.
    pub(crate) fn device(&self) -> &F {
        &self.device
    }
}

impl<F: BlockDevice> BlockDevice for MeteredDevice<F> {
    fn geometry(&self) -> Geometry {
        self.device.geometry()
    }

    fn read(&self, offset: u64, buffer: Buffer) -> impl Future<Output = Outcome> {
        self.device.read(offset, buffer)
    }

    fn write(&self, offset: u64, buffer: Buffer) -> impl Future<Output = Outcome> {
        self.meter.count(buffer.len() as u64);
        self.device.write(offset, buffer)
    }

    fn flush(&self) -> impl Future<Output = Result<(), BlockError>> {
        self.device.flush()
    }

    fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> impl Future<Output = Result<(), BlockError>> {
        self.meter.count(range.end - range.start);
        self.device.write_zeroes(range, unmap)
    }

    fn discard(&self, range: ByteRange) -> impl Future<Output = Result<(), BlockError>> {
        self.device.discard(range)
    }

    fn wants_discards(&self) -> bool {
        self.device.wants_discards()
    }

    fn extents(&self, range: ByteRange) -> impl Future<Output = Result<Vec<Extent>, BlockError>> {
        self.device.extents(range)
    }

    fn epoch(&self) -> u64 {
        self.device.epoch()
    }

    fn has_unanswered(&self) -> bool {
        self.device.has_unanswered()
    }

    fn is_cached_below(&self, range: ByteRange) -> bool {
        self.device.is_cached_below(range)
    }

    fn abandon_group(&self) {
        self.device.abandon_group();
    }
}
