//! The interface of every device, the cached disk included.

use std::future::Future;

use crate::{BlockError, Buffer, ByteRange, ErrorKind, LimitsLifted, Operation, SECTOR};

/// Result of an operation on a buffer: the buffer is always returned, also after an error.
pub type Outcome = (Buffer, Result<(), BlockError>);

/// Properties of a device. All sizes in bytes.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a property of its own that a device has or has not"
)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Size of the device, a multiple of 512.
    pub size: u64,
    /// Offsets and lengths of requests must be multiples of this: 512 or 4096.
    pub alignment: u64,
    /// The unit that the device reads, changes and writes inside: two requests that share one must not run together
    /// when one of them writes. At least `alignment`.
    pub physical_block: u64,
    /// True if writes are refused.
    pub read_only: bool,
    /// True if a flush makes durable what completed before it. False for a server that offers no flush: then it is unknown when writes
    /// become durable, and a flush succeeds without a meaning.
    pub flushes: bool,
    /// True if [`BlockDevice::write_zeroes`] with [`Unmap::Allowed`] frees storage instead of writing zeroes.
    pub unmaps: bool,
    /// True if [`BlockDevice::discard`] frees storage. Where `unmaps` is false, a discarded range reads as before or as zeroes.
    pub discards: bool,
    /// The sector size that guests are shown, 512 or 4096: the unit in which their partition tables count. A device may take
    /// smaller requests all the same, see `alignment`.
    pub sector: u64,
    /// True if what completed between two flushes becomes durable with the second one as a whole, or not at all: after a loss of power or
    /// a kill the device is as of a flush. Then a flush that failed loses nothing that completed before it: a later one covers that, unless
    /// [`BlockDevice::abandon_group`] drops it. A flush fails if the device lost anything since the one before.
    pub atomic_flushes: bool,
}

impl Geometry {
    /// Creates a writable device of `size` bytes that serves any 512-byte request.
    pub fn plain(size: u64) -> Self {
        Self {
            size,
            alignment: SECTOR,
            physical_block: SECTOR,
            read_only: false,
            flushes: true,
            unmaps: true,
            discards: true,
            sector: SECTOR,
            atomic_flushes: false,
        }
    }

    /// Checks a request against the device: inside it, not empty, aligned, and allowed.
    ///
    /// # Errors
    /// `InvalidRequest` or `ReadOnly`, naming the operation and its range.
    pub fn check(&self, operation: Operation, offset: u64, length: u64) -> Result<ByteRange, BlockError> {
        let refuse = |kind, reason: &str| {
            let range = ByteRange::checked(offset, length);
            Err(BlockError { kind, operation, range, reason: reason.to_owned() })
        };
        let Some(range) = ByteRange::checked(offset, length) else {
            return refuse(ErrorKind::InvalidRequest, "past the largest address");
        };
        if range.end > self.size {
            return refuse(ErrorKind::InvalidRequest, "past the end of the device");
        }
        if !range.is_aligned(self.alignment) {
            return refuse(ErrorKind::InvalidRequest, "not aligned");
        }
        if self.read_only && !matches!(operation, Operation::Read | Operation::Flush) {
            return refuse(ErrorKind::ReadOnly, "");
        }
        Ok(range)
    }
}

/// Permission to make zeroes by deallocating the storage beneath.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmap {
    /// The device may free the storage; the range reads as zeroes all the same.
    Allowed,
    /// The storage stays reserved, so that a later write cannot fail for want of space.
    Forbidden,
}

/// A part of a device with data or a hole, for clients that copy only data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The bytes described.
    pub range: ByteRange,
    /// True if storage is allocated; false if it is a hole, which reads as zeroes.
    pub allocated: bool,
}

/// A range that is to be read if the device has it in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WantedRange {
    /// Range to read.
    pub range: ByteRange,
    /// True once it was given.
    pub given: bool,
}

impl WantedRange {
    /// Creates a read that was not answered yet.
    pub fn new(range: ByteRange) -> Self {
        Self { range, given: false }
    }
}

/// A block device.
///
/// Contract:
/// - Every request lies inside the device and is aligned to [`Geometry::alignment`]; anything else is refused with
///   `InvalidRequest`, and changes nothing.
/// - The device owns the buffer from the call until the future is ready, and gives it back then. Dropping the future
///   does not take the buffer away from a request that the kernel still holds, and does not undo the request.
/// - A write that completed is seen by every read that starts later. It is durable only once a flush that was
///   *started after the write completed* has completed.
/// - After a failed write the content of its range is unknown: old, new, or a mix of both. If it failed with `Unanswered`,
///   it may land at any time while the device [reports that](BlockDevice::has_unanswered), and until it is reopened; after any
///   other error it does not undo what is written there later.
/// - After a failed flush nothing is known about the durability of any write before it, and a later successful flush
///   does not change that, save on a device with [`Geometry::atomic_flushes`].
/// - Requests that overlap while in flight may take effect in any order, or mixed sector by sector.
pub trait BlockDevice: 'static {
    /// Returns the properties of the device. Cheap; may change when a device grows.
    fn geometry(&self) -> Geometry;

    /// Fills `buffer` from `offset`. On error the content of the buffer is unspecified.
    fn read(&self, offset: u64, buffer: Buffer) -> impl Future<Output = Outcome>;

    /// Reads those ranges of `wanted` of which the device has all bytes in memory, without waiting and without a buffer. Gives
    /// their bytes to `take` with the place of the range in `wanted`, range after range and in order, and marks the range
    /// as given. Skips any other range, an empty one, and one that a read would refuse: [`BlockDevice::read`] answers those.
    /// `take` must not use the device. Default: skips all.
    fn try_read_cached(&self, _wanted: &mut [WantedRange], _take: &mut dyn FnMut(usize, &[u8])) {}

    /// Reads one range as [`BlockDevice::try_read_cached`]. Returns true if it was given.
    fn try_read_cached_range(&self, range: ByteRange, take: &mut dyn FnMut(&[u8])) -> bool {
        let mut wanted = [WantedRange::new(range)];
        self.try_read_cached(&mut wanted, &mut |_, bytes| take(bytes));
        wanted[0].given
    }

    /// Announces a [`BlockDevice::try_read_cached`] of `range`: content in memory may be fetched into the processor's caches meanwhile. A
    /// hint without visible effect. The range is not checked and may be any. Default: nothing.
    fn prefetch(&self, _range: ByteRange) {}

    /// Writes `buffer` at `offset`.
    fn write(&self, offset: u64, buffer: Buffer) -> impl Future<Output = Outcome>;

    /// Makes every write durable that completed before this call.
    fn flush(&self) -> impl Future<Output = Result<(), BlockError>>;

    /// Makes `range` read as zeroes. Fails as a write does.
    fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> impl Future<Output = Result<(), BlockError>>;

    /// Discards `range`: its content is not needed. Afterwards each sector reads as before or as zeroes, and a device whose geometry has
    /// `unmaps` reads zeroes everywhere. Others may ignore it; ignoring is success.
    fn discard(&self, range: ByteRange) -> impl Future<Output = Result<(), BlockError>>;

    /// Returns true if a log on this device should discard the space that it frees, though it is not read: flash wears less by it. May turn
    /// false once a discard was refused. Default: no; it would cost and gain nothing.
    fn wants_discards(&self) -> bool {
        false
    }

    /// Returns the parts of `range` that hold data, in order and without gaps. Devices without this knowledge report everything as data.
    fn extents(&self, range: ByteRange) -> impl Future<Output = Result<Vec<Extent>, BlockError>> {
        async move { Ok(vec![Extent { range, allocated: true }]) }
    }

    /// Returns a number that changes whenever the device may have lost writes that it acknowledged and that no flush covered, at the latest
    /// before any request sees the loss. A copy of such writes must not be treated as the content of the device any more. Default: never
    /// changes; a device that cannot lose its connection to the data it keeps.
    fn epoch(&self) -> u64 {
        0
    }

    /// Returns true while a change that failed with `Unanswered` may still land. It is true before that error is returned. Default:
    /// never, for a device that does not return that error.
    fn has_unanswered(&self) -> bool {
        false
    }

    /// Drops everything that completed since the last flush that succeeded: reads return what was there before. For devices with
    /// [`Geometry::atomic_flushes`]; to be called while no request is in flight. A change that failed with `Unanswered` may land afterwards
    /// all the same, while the device [reports that](BlockDevice::has_unanswered). Default: nothing.
    fn abandon_group(&self) {}

    /// Returns true if something below keeps all of `range` in a cache of this host: a cache in front of it then keeps no copy of its own.
    /// Cheap; may change at any time. Default: no.
    fn is_cached_below(&self, _range: ByteRange) -> bool {
        false
    }

    /// Lifts limits: requests that the device would hold back pass at once, those that wait already first, until the returned guard is
    /// dropped. For code that waits until requests have ended. Default: nothing, for a device that holds nothing back.
    fn lift_limits(&self) -> Option<LimitsLifted> {
        None
    }
}

/// Shared devices are devices: a door, a control task and a test may hold the same one.
impl<D: BlockDevice> BlockDevice for std::rc::Rc<D> {
    fn geometry(&self) -> Geometry {
        (**self).geometry()
    }

    fn read(&self, offset: u64, buffer: Buffer) -> impl Future<Output = Outcome> {
        (**self).read(offset, buffer)
    }

    fn try_read_cached(&self, wanted: &mut [WantedRange], take: &mut dyn FnMut(usize, &[u8])) {
        (**self).try_read_cached(wanted, take);
    }

    fn prefetch(&self, range: ByteRange) {
        (**self).prefetch(range);
    }

    fn write(&self, offset: u64, buffer: Buffer) -> impl Future<Output = Outcome> {
        (**self).write(offset, buffer)
    }

    fn flush(&self) -> impl Future<Output = Result<(), BlockError>> {
        (**self).flush()
    }

    fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> impl Future<Output = Result<(), BlockError>> {
        (**self).write_zeroes(range, unmap)
    }

    fn discard(&self, range: ByteRange) -> impl Future<Output = Result<(), BlockError>> {
        (**self).discard(range)
    }

    fn wants_discards(&self) -> bool {
        (**self).wants_discards()
    }

    fn extents(&self, range: ByteRange) -> impl Future<Output = Result<Vec<Extent>, BlockError>> {
        (**self).extents(range)
    }

    fn epoch(&self) -> u64 {
        (**self).epoch()
    }

    fn has_unanswered(&self) -> bool {
        (**self).has_unanswered()
    }

    fn abandon_group(&self) {
        (**self).abandon_group();
    }

    fn is_cached_below(&self, range: ByteRange) -> bool {
        (**self).is_cached_below(range)
    }

    fn lift_limits(&self) -> Option<LimitsLifted> {
        (**self).lift_limits()
    }
}
