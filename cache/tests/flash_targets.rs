//! Targets of disks that share flash: how much of it each holds in a full pool.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{BlockDevice, Buffer, Host, Memory, PAGE};
use cache::{
    Admission, Cache, CachedDisk, DiskId, DiskSettings, Mode, PoolId, RecoveryContext, SessionIds, Shape,
    format,
};

const SEGMENT: u64 = 256 << 10;
const FLASH_BYTES: u64 = 96 * SEGMENT;
/// Each disk could fill the pool alone.
const DISK_BYTES: u64 = 64 << 20;
/// Reads of each disk that fill the pool several times.
const READS: u64 = 60_000;

type Env = (Rc<Memory>, Rc<Memory>, LocalHost);

async fn attach(pool: &Rc<Cache<Env>>, number: u32) -> Rc<CachedDisk<Env>> {
    let settings = DiskSettings {
        mode: Mode::WriteThrough,
        admission: Admission::Always,
        reserve_bytes: pool.reserve_bytes_min(),
        limit_bytes: pool.usable_bytes(),
        ram_bytes: 1 << 20,
        ..DiskSettings::plain(DiskId(number))
    };
    let backing = Rc::new(Memory::new(DISK_BYTES));
    let disk = pool.attach(settings, backing, RecoveryContext::none(DISK_BYTES)).await.unwrap();
    disk.loaded().await;
    disk
}

/// Has both disks read at random, alike, and returns the flash that each holds then.
async fn read(host: &LocalHost, disks: &[Rc<CachedDisk<Env>>; 2]) -> [u64; 2] {
    for number in 0..READS {
        let page = host.random() % (DISK_BYTES / PAGE);
        disks[number as usize % 2].read(page * PAGE, Buffer::zeroed(PAGE as usize)).await.1.unwrap();
        if number % 64 == 0 {
            // Promotion and reclaim go on beside.
            host.sleep(1_000_000).await;
        }
    }
    disks.each_ref().map(|disk| disk.statistics().flash_bytes)
}

#[test]
fn disks_come_to_hold_their_targets_and_share_alike_without() {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(11));
    let host = executor.host();
    executor
        .run(async {
            let flash = Rc::new(Memory::new(FLASH_BYTES));
            let shape = Shape { segment_bytes: SEGMENT, region_bytes: 1 << 20 };
            format(&flash, PoolId([5; 16]), Some(shape)).await.unwrap();
            let marks = SessionIds { new: 1, known: vec![0], epoch: None };
            let pool = Cache::open(vec![flash], host.clone(), &marks).await.unwrap().cache;
            let disks = [attach(&pool, 1).await, attach(&pool, 2).await];
            let usable = pool.usable_bytes();
            let near = |held: u64, wanted: u64| held.abs_diff(wanted) <= usable / 10;

            let alike = read(&host, &disks).await;
            assert!(near(alike[0], alike[1]), "{alike:?} of {usable}");
            let targets = BTreeMap::from([(DiskId(1), usable / 4 * 3), (DiskId(2), usable / 4)]);
            pool.set_flash_targets(&targets);
            let held = read(&host, &disks).await;
            assert!(near(held[0], usable / 4 * 3) && near(held[1], usable / 4), "{held:?} of {usable}");
            pool.set_flash_targets(&BTreeMap::new());
            let again = read(&host, &disks).await;
            assert!(near(again[0], again[1]), "{again:?} of {usable}");
        })
        .unwrap();
}
