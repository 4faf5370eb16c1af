//! Any 512-byte-aligned request on a device that takes only larger units.
//!
//! Reads are widened and cut. A write that covers a unit in part reads it, changes it and writes it back, as a whole
//! request in one. Writes that share a unit run one after another: two that change different parts of one unit would
//! otherwise each bring back what the other replaced. Whole-unit writes wait as well, because one that ran between
//! another's read and write of the same unit would be undone.
//!
//! A write that covers a unit in part must be awaited to its end: dropping its future gives the turn to the next one
//! while the device may still be writing the neighbourhood as it was. Nothing in Forebay drops a request halfway; only
//! the end of the process does, and then the locks on the open file keep the next owner out until the kernel is done.

use crate::{
    BlockDevice, BlockError, Buffer, ByteRange, Extent, Geometry, Operation, Outcome, RangeLock, SECTOR,
    Unmap,
};

/// A device of 512-byte alignment over one of any alignment.
pub struct Aligned<D> {
    inner: D,
    locks: RangeLock,
}

impl<D: BlockDevice> Aligned<D> {
    /// Wraps a device, whose size must be a multiple of its alignment.
    pub fn new(inner: D) -> Self {
        let geometry = inner.geometry();
        assert!(geometry.size.is_multiple_of(geometry.alignment), "devices end on a whole unit");
        Self { inner, locks: RangeLock::new() }
    }

    /// Returns the device beneath.
    pub fn inner(&self) -> &D {
        &self.inner
    }

    fn unit(&self) -> u64 {
        self.inner.geometry().alignment
    }

    fn check(&self, operation: Operation, offset: u64, length: u64) -> Result<ByteRange, BlockError> {
        self.geometry().check(operation, offset, length)
    }

    /// Writes `bytes` to `range` together with their surroundings in the first and the last unit. The caller holds the
    /// lock on both.
    async fn write_with_surroundings(&self, range: ByteRange, bytes: &[u8]) -> Result<(), BlockError> {
        let unit = self.unit();
        let wide = range.widened(unit);
        let mut buffer = Buffer::zeroed(wide.len() as usize);
        let (first, last) = (ByteRange::at(wide.start, unit), ByteRange::at(wide.end - unit, unit));
        for edge in [first, last].iter().take(if first == last { 1 } else { 2 }) {
            if !range.contains(edge) {
                let (old, result) = self.inner.read(edge.start, Buffer::zeroed(unit as usize)).await;
                result?;
                let at = (edge.start - wide.start) as usize;
                buffer[at..at + unit as usize].copy_from_slice(&old);
            }
        }
        let at = (range.start - wide.start) as usize;
        buffer[at..at + bytes.len()].copy_from_slice(bytes);
        self.inner.write(wide.start, buffer).await.1
    }
}

impl<D: BlockDevice> BlockDevice for Aligned<D> {
    fn geometry(&self) -> Geometry {
        Geometry { alignment: SECTOR, ..self.inner.geometry() }
    }

    async fn read(&self, offset: u64, mut buffer: Buffer) -> Outcome {
        let range = match self.check(Operation::Read, offset, buffer.len() as u64) {
            Ok(range) => range,
            Err(error) => return (buffer, Err(error)),
        };
        if range.is_aligned(self.unit()) {
            return self.inner.read(offset, buffer).await;
        }
        let wide = range.widened(self.unit());
        let (bytes, result) = self.inner.read(wide.start, Buffer::zeroed(wide.len() as usize)).await;
        let at = (range.start - wide.start) as usize;
        let len = buffer.len();
        buffer.copy_from_slice(&bytes[at..at + len]);
        (buffer, result)
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        if self.unit() == SECTOR {
            return self.inner.write(offset, buffer).await;
        }
        let range = match self.check(Operation::Write, offset, buffer.len() as u64) {
            Ok(range) => range,
            Err(error) => return (buffer, Err(error)),
        };
        let _turn = self.locks.acquire(range.widened(self.unit())).await;
        if range.is_aligned(self.unit()) {
            return self.inner.write(offset, buffer).await;
        }
        let result = self.write_with_surroundings(range, &buffer).await;
        (buffer, result)
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.inner.flush().await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        if self.unit() == SECTOR {
            return self.inner.write_zeroes(range, unmap).await;
        }
        let range = self.check(Operation::WriteZeroes, range.start, range.len())?;
        let _turn = self.locks.acquire(range.widened(self.unit())).await;
        let whole = range.narrowed(self.unit());
        if whole.is_empty() {
            return self.write_with_surroundings(range, &vec![0; range.len() as usize]).await;
        }
        for edge in [ByteRange::new(range.start, whole.start), ByteRange::new(whole.end, range.end)] {
            if !edge.is_empty() {
                self.write_with_surroundings(edge, &vec![0; edge.len() as usize]).await?;
            }
        }
        self.inner.write_zeroes(whole, unmap).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        let range = self.check(Operation::Discard, range.start, range.len())?;
        let whole = range.narrowed(self.unit());
        let _turn = self.locks.acquire(whole).await;
        if whole.is_empty() { Ok(()) } else { self.inner.discard(whole).await }
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        let mut extents = self.inner.extents(range.widened(self.unit())).await?;
        for extent in &mut extents {
            extent.range = range.intersection(&extent.range);
        }
        extents.retain(|extent| !extent.range.is_empty());
        Ok(extents)
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
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::executor::{Executor, Order, VirtualTime};
    use crate::faulty::Faults;
    use crate::{Host, Memory};

    const SIZE: u64 = 64 << 10;

    fn coarse() -> Memory {
        Memory::with_geometry(Geometry { alignment: 4096, physical_block: 4096, ..Geometry::plain(SIZE) })
    }

    #[derive(Clone, Debug)]
    enum Op {
        Write(u64, u64, u8),
        Zero(u64, u64),
        Read(u64, u64),
    }

    fn op() -> impl Strategy<Value = Op> {
        let place = (0..SIZE / SECTOR, 1..32u64);
        prop_oneof![
            (place.clone(), any::<u8>()).prop_map(|((at, count), byte)| Op::Write(at, count, byte)),
            place.clone().prop_map(|(at, count)| Op::Zero(at, count)),
            place.prop_map(|(at, count)| Op::Read(at, count)),
        ]
    }

    fn range(at: u64, count: u64) -> ByteRange {
        ByteRange::new(at * SECTOR, ((at + count) * SECTOR).min(SIZE))
    }

    proptest! {
        #[test]
        fn any_sector_request_does_what_it_does_on_plain_bytes(ops in proptest::collection::vec(op(), 1..40)) {
            let executor = Executor::new(VirtualTime::new(), Order::Fifo);
            let device = Aligned::new(coarse());
            let mut model = vec![0u8; SIZE as usize];
            for op in ops {
                let run = async {
                    match op {
                        Op::Write(at, count, byte) => {
                            let range = range(at, count);
                            let bytes = vec![byte; range.len() as usize];
                            device.write(range.start, Buffer::copy_of(&bytes)).await.1.unwrap();
                            model[range.start as usize..range.end as usize].copy_from_slice(&bytes);
                        }
                        Op::Zero(at, count) => {
                            let range = range(at, count);
                            device.write_zeroes(range, Unmap::Allowed).await.unwrap();
                            model[range.start as usize..range.end as usize].fill(0);
                        }
                        Op::Read(at, count) => {
                            let range = range(at, count);
                            let (buffer, result) = device.read(range.start, Buffer::zeroed(range.len() as usize)).await;
                            result.unwrap();
                            assert_eq!(&*buffer, &model[range.start as usize..range.end as usize]);
                        }
                    }
                };
                executor.run(run).unwrap();
            }
        }
    }

    #[test]
    fn writers_of_parts_of_one_unit_do_not_undo_each_other() {
        for seed in 0..16 {
            let executor = Executor::new(VirtualTime::new(), Order::Seeded(seed));
            let faults = Faults::new(coarse(), seed);
            faults.delay(10, 1000);
            let device = std::rc::Rc::new(Aligned::new(faults.reopen(executor.host())));
            for sector in 0..16u64 {
                let device = std::rc::Rc::clone(&device);
                executor.host().spawn(async move {
                    let bytes = [sector as u8 + 1; SECTOR as usize];
                    device.write(sector * SECTOR, Buffer::copy_of(&bytes)).await.1.unwrap();
                });
            }
            executor.run(executor.host().sleep(1_000_000)).unwrap();
            let mut bytes = [0; 16 * SECTOR as usize];
            faults.peek(0, &mut bytes);
            for (sector, content) in bytes.chunks(SECTOR as usize).enumerate() {
                assert!(content.iter().all(|byte| usize::from(*byte) == sector + 1), "sector {sector}");
            }
        }
    }
}
