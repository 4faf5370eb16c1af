//! A scan of some times the cache, as a backup reads, leaves what a guest uses in the cache, one request after another and many at once.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{BlockDevice, Buffer, Host, Memory, PAGE};
use cache::{
    Admission, Cache, CachedDisk, DiskId, DiskSettings, PoolId, RecoveryContext, SessionIds, Shape, format,
};
use futures_util::future::join_all;

const SEGMENT: u64 = 128 << 10;
const SEGMENTS: u64 = 512;
const RAM_PAGES: u64 = 2048;
const DISK_BYTES: u64 = 4 << 30;
const REQUEST: u64 = 128 << 10;
/// The guest's loop of reads: half of what the cache holds. It lies on every third page.
const HOT_PAGES: u64 = 8_000;
/// Start of the scan, and its length: four times the cache.
const SCAN_START: u64 = 512 << 20;
const SCAN_BYTES: u64 = 256 << 20;

struct Guest {
    host: LocalHost,
    disk: Rc<CachedDisk<(Memory, Memory, LocalHost)>>,
}

impl Guest {
    async fn new(host: LocalHost) -> Self {
        let flash = Memory::new((1 << 20) + (SEGMENTS + 8) * SEGMENT);
        let shape = Shape { segment_bytes: SEGMENT, region_bytes: 256 << 10 };
        format(&flash, PoolId([1; 16]), Some(shape)).await.unwrap();
        let marks = SessionIds { new: 1, known: vec![0], epoch: None };
        let pool = Cache::open(vec![flash], host.clone(), &marks).await.unwrap().cache;
        let settings = DiskSettings {
            reserve_bytes: SEGMENTS * SEGMENT,
            limit_bytes: SEGMENTS * SEGMENT,
            ram_bytes: RAM_PAGES * PAGE,
            block_bytes: PAGE as u32,
            admission: Admission::Adaptive,
            ..DiskSettings::plain(DiskId(1))
        };
        let disk =
            pool.attach(settings, Memory::new(DISK_BYTES), RecoveryContext::none(DISK_BYTES)).await.unwrap();
        Self { host, disk }
    }

    async fn read(&self, offset: u64, bytes: u64) {
        self.disk.read(offset, Buffer::zeroed(bytes as usize)).await.1.unwrap();
        self.host.sleep(1_000).await;
    }

    /// Reads all hot pages, and in between pages that are not read again. Returns the number of misses of the former.
    async fn round(&self, number: u64) -> u64 {
        let misses = || self.disk.statistics().counts.read_misses;
        let mut missed = 0;
        for page in 0..HOT_PAGES {
            let before = misses();
            self.read(3 * page * PAGE, PAGE).await;
            missed += misses() - before;
            let fresh = (1 << 30) + (number * HOT_PAGES + page) * 3 * PAGE;
            self.read(fresh, PAGE).await;
        }
        missed
    }

    /// Reads the scan in requests of which so many are on their way at once; if not in order, each one somewhere else.
    async fn scan(&self, at_once: usize, in_order: bool) {
        let requests = SCAN_BYTES / REQUEST;
        let place = |number: u64| if in_order { number } else { number * 203 % requests };
        let offsets: Vec<u64> = (0..requests).map(|number| SCAN_START + place(number) * REQUEST).collect();
        for together in offsets.chunks(at_once) {
            join_all(together.iter().map(|offset| self.read(*offset, REQUEST))).await;
        }
    }
}

/// Returns the pages missed of those that are hot, in the round before a scan and in the one after it.
fn missed_around_a_scan(at_once: usize, in_order: bool) -> [u64; 2] {
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    let story = async {
        let guest = Guest::new(host).await;
        let mut before = 0;
        for number in 0..12 {
            before = guest.round(number).await;
        }
        guest.scan(at_once, in_order).await;
        [before, guest.round(12).await]
    };
    executor.run(story).expect("nothing waits for ever")
}

#[test]
fn what_a_guest_uses_stays_through_a_scan() {
    for at_once in [1, 32] {
        let [before, after] = missed_around_a_scan(at_once, true);
        assert!(before == 0 && after < HOT_PAGES / 10, "{before} and {after} missed, {at_once} at once");
    }
}

#[test]
fn as_much_in_no_order_is_no_scan() {
    let [before, after] = missed_around_a_scan(1, false);
    assert!(before == 0 && after > HOT_PAGES / 2, "{before} and {after} missed");
}
