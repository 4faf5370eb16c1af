//! A stream of misses into a pool with room: all of it enters flash, also while flash closes one segment and opens the next.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{BlockDevice, BlockError, Buffer, ByteRange, Geometry, Host, Memory, Outcome, PAGE, Unmap};
use cache::{Admission, Cache, DiskId, DiskSettings, PoolId, RecoveryContext, SessionIds, Shape, format};

const SEGMENT: u64 = 8 << 20;
const SEGMENTS: u64 = 24;
const RAM_BYTES: u64 = 32 << 20;
const STREAM_BYTES: u64 = 96 << 20;
const REQUEST: u64 = 64 << 10;
const MILLISECOND: u64 = 1_000_000;
/// Time from one request to the next: 110 MB/s.
const INTERVAL: u64 = 595_000;
/// Times of flash: a KiB written, at 500 MB/s, and a flush. A segment takes 17 ms and some flushes of the 76 ms that the stream takes to
/// fill one.
const KIB_TAKES: u64 = 2_000;
const FLUSH_TAKES: u64 = 10 * MILLISECOND;

/// Memory that takes as long as an SSD for what is written.
struct Ssd {
    memory: Memory,
    host: LocalHost,
}

impl BlockDevice for Ssd {
    fn geometry(&self) -> Geometry {
        self.memory.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.memory.read(offset, buffer).await
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.host.sleep(buffer.len() as u64 / 1024 * KIB_TAKES).await;
        self.memory.write(offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.host.sleep(FLUSH_TAKES).await;
        self.memory.flush().await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.memory.discard(range).await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.memory.write_zeroes(range, unmap).await
    }
}

#[test]
fn a_stream_into_a_pool_with_room_comes_to_flash_as_a_whole() {
    for admission in [Admission::Adaptive, Admission::Always] {
        let executor = Executor::new(VirtualTime::new(), Order::Fifo);
        let host = executor.host();
        let counts = executor.run(stream(host, admission)).expect("nothing waits for ever");
        let [promotions, rejections, dropped] = counts;
        assert_eq!((rejections, dropped), (0, 0), "{admission:?}: pages refused, and dropped");
        // The last ones are still in RAM.
        assert!(
            promotions * PAGE >= STREAM_BYTES - RAM_BYTES,
            "{admission:?}: {promotions} pages came to flash"
        );
    }
}

/// Reads a stream, and returns how many pages were written to flash, refused, and dropped.
async fn stream(host: LocalHost, admission: Admission) -> [u64; 3] {
    let flash = Ssd { memory: Memory::new((1 << 20) + (SEGMENTS + 8) * SEGMENT), host: host.clone() };
    let shape = Shape { segment_bytes: SEGMENT, region_bytes: 256 << 10 };
    format(&flash, PoolId([1; 16]), Some(shape)).await.unwrap();
    let marks = SessionIds { new: 1, known: vec![0], epoch: None };
    let pool =
        Cache::<(Memory, Ssd, LocalHost)>::open(vec![flash], host.clone(), &marks).await.unwrap().cache;
    let settings = DiskSettings {
        reserve_bytes: SEGMENTS * SEGMENT,
        limit_bytes: SEGMENTS * SEGMENT,
        ram_bytes: RAM_BYTES,
        admission,
        ..DiskSettings::plain(DiskId(1))
    };
    let backing = Memory::new(STREAM_BYTES);
    // Zeroes would be remembered, and not kept.
    for offset in (0..STREAM_BYTES).step_by(REQUEST as usize) {
        backing.write(offset, Buffer::copy_of(&vec![7; REQUEST as usize])).await.1.unwrap();
    }
    let disk = pool.attach(settings, backing, RecoveryContext::none(STREAM_BYTES)).await.unwrap();
    for offset in (0..STREAM_BYTES).step_by(REQUEST as usize) {
        disk.read(offset, Buffer::zeroed(REQUEST as usize)).await.1.unwrap();
        host.sleep(INTERVAL).await;
    }
    let counts = disk.statistics().counts;
    [counts.promotions, counts.rejections, counts.fills_dropped]
}
