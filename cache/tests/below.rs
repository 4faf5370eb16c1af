//! Content that another cache below the backing keeps is not kept again: it comes from there each time.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{BlockDevice, BlockError, Buffer, ByteRange, Geometry, Memory, Outcome, PAGE, Unmap};
use cache::{Cache, DiskId, DiskSettings, PoolId, RecoveryContext, SessionIds, Shape, format};

const SEGMENT: u64 = 8 << 20;
const DISK: u64 = 16 << 20;
/// Content before this byte is cached below.
const BELOW: u64 = 8 << 20;

/// A backing of which the first part is cached below.
struct Clone(Memory);

impl BlockDevice for Clone {
    fn geometry(&self) -> Geometry {
        self.0.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.0.read(offset, buffer).await
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.0.write(offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.0.flush().await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.0.discard(range).await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.0.write_zeroes(range, unmap).await
    }

    fn is_cached_below(&self, range: ByteRange) -> bool {
        range.end <= BELOW
    }
}

#[test]
fn what_is_cached_below_takes_no_room_and_what_is_not_does() {
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    executor.run(read_twice(host)).expect("nothing waits for ever");
}

async fn read_twice(host: LocalHost) {
    let flash = Memory::new((1 << 20) + 32 * SEGMENT);
    let shape = Shape { segment_bytes: SEGMENT, region_bytes: 256 << 10 };
    format(&flash, PoolId([1; 16]), Some(shape)).await.unwrap();
    let marks = SessionIds { new: 1, known: vec![0], epoch: None };
    let pool = Cache::<(Clone, Memory, LocalHost)>::open(vec![flash], host, &marks).await.unwrap().cache;
    let settings = DiskSettings {
        reserve_bytes: 16 * SEGMENT,
        limit_bytes: 16 * SEGMENT,
        ram_bytes: 4 << 20,
        ..DiskSettings::plain(DiskId(1))
    };
    let backing = Memory::new(DISK);
    for offset in (0..DISK).step_by(64 << 10) {
        let content = Buffer::copy_of(&vec![(offset >> 16) as u8 % 200 + 1; 64 << 10]);
        backing.write(offset, content).await.1.unwrap();
    }
    let disk = pool.attach(settings, Clone(backing), RecoveryContext::none(DISK)).await.unwrap();
    for (at, is_below) in [(BELOW - PAGE, true), (BELOW, false), (BELOW - PAGE, true), (BELOW, false)] {
        let before = disk.statistics().counts;
        let (bytes, read) = disk.read(at, Buffer::zeroed(PAGE as usize)).await;
        read.unwrap();
        assert_eq!(bytes[0], (at >> 16) as u8 % 200 + 1);
        let asked = disk.statistics().counts.backing_reads - before.backing_reads;
        let is_first = before.backing_reads < 2;
        assert_eq!(asked, u64::from(is_below || is_first), "byte {at}");
    }
    assert_eq!(disk.statistics().ram_bytes, PAGE, "one page is kept");
}
