//! Pace of destage beside writers and readers, on a modelled array in virtual time.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::cell::RefCell;
use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::model::{Model, Profile};
use block::{BlockDevice, Buffer, Host, Memory, PAGE};
use cache::{
    Cache, CachedDisk, DiskId, DiskSettings, Mode, PoolId, RecoveryContext, SessionIds, Shape, format,
};

const MIB: u64 = 1 << 20;
const SEGMENT: u64 = MIB;
const FLASH_BYTES: u64 = 132 * SEGMENT;
const DISK_BYTES: u64 = 256 * MIB;
/// Guests read behind it what is not cached, so that they need the array as well.
const WRITTEN_BYTES: u64 = 192 * MIB;
const DIRTY_LIMIT: u64 = 8 * MIB;
const MILLI: u64 = 1_000_000;
const SECOND: u64 = 1000 * MILLI;
/// Array of eleven spindles, four operations a write: some 450 writes a second.
const PROFILE: &str = "hdd-15k-raid5x11";
/// Writes a second, of two pages each: with full speed from 14/16 of the limit on, half of them took 235 ms, and 1 % more than 384 ms.
const WRITES: u64 = 250;
const READS: u64 = 30;

type Env = (Rc<Model<Memory, LocalHost>>, Rc<Memory>, LocalHost);

async fn disk_on_array(host: &LocalHost) -> Rc<CachedDisk<Env>> {
    let profile: Profile = PROFILE.parse().unwrap();
    let array = Rc::new(Model::new(Memory::new(DISK_BYTES), host.clone(), profile));
    let flash = Rc::new(Memory::new(FLASH_BYTES));
    let shape = Shape { segment_bytes: SEGMENT, region_bytes: MIB };
    format(&flash, PoolId([7; 16]), Some(shape)).await.unwrap();
    let marks = SessionIds { new: 1, known: vec![0], epoch: None };
    let pool = Cache::open(vec![flash], host.clone(), &marks).await.unwrap().cache;
    let settings = DiskSettings {
        mode: Mode::WriteBack,
        reserve_bytes: pool.usable_bytes() / 2,
        limit_bytes: pool.usable_bytes(),
        ram_bytes: 2 * MIB,
        dirty_limit_bytes: Some(DIRTY_LIMIT),
        ..DiskSettings::plain(DiskId(1))
    };
    let disk = pool.attach(settings, array, RecoveryContext::none(DISK_BYTES)).await.unwrap();
    disk.loaded().await;
    disk
}

/// Sends a request every so many nanoseconds, whether the earlier ones were answered or not.
fn load(host: &LocalHost, disk: &Rc<CachedDisk<Env>>, is_write: bool, every: u64) -> Rc<RefCell<Vec<u64>>> {
    let took = Rc::new(RefCell::new(Vec::new()));
    let (host, disk, all) = (host.clone(), Rc::clone(disk), Rc::clone(&took));
    host.clone().spawn(async move {
        let mut next = host.now();
        loop {
            next += every;
            host.sleep_until(next).await;
            let (host, disk, all) = (host.clone(), Rc::clone(&disk), Rc::clone(&all));
            let chance = host.random();
            host.clone().spawn(async move {
                let began = host.now();
                if is_write {
                    let offset = chance % (WRITTEN_BYTES / PAGE - 1) * PAGE;
                    disk.write(offset, Buffer::zeroed(2 * PAGE as usize)).await.1.unwrap();
                } else {
                    let page = chance % ((DISK_BYTES - WRITTEN_BYTES) / PAGE);
                    disk.read(WRITTEN_BYTES + page * PAGE, Buffer::zeroed(PAGE as usize)).await.1.unwrap();
                }
                all.borrow_mut().push(host.now() - began);
            });
        }
    });
    took
}

fn percentile(took: &RefCell<Vec<u64>>, percent: usize) -> u64 {
    let mut all = took.take();
    all.sort_unstable();
    all[(all.len() - 1) * percent / 100]
}

#[test]
fn no_writer_waits_long_for_an_array_that_keeps_up_with_all_of_them() {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(7));
    let host = executor.host();
    let (writes, reads) = executor
        .run(async {
            let disk = disk_on_array(&host).await;
            let written = load(&host, &disk, true, SECOND / WRITES);
            let read = load(&host, &disk, false, SECOND / READS);
            // The dirty data reaches the limit by then, unless it is destaged.
            host.sleep(30 * SECOND).await;
            written.take();
            read.take();
            host.sleep(60 * SECOND).await;
            (percentile(&written, 99), percentile(&read, 99))
        })
        .unwrap();
    assert!(writes < 20 * MILLI, "99 % of the writes took at most {} ms", writes / MILLI);
    assert!(reads < 60 * MILLI, "99 % of the reads took at most {} ms", reads / MILLI);
}
