//! Caches of disks for unit tests of operations.

use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{Memory, PAGE};

use super::disk_cache::DiskCache;
use super::load::RecoveryContext;
use crate::format::PoolId;
use crate::format::layout::Shape;
use crate::state::holders::Share;
use crate::storage::opening::format;
use crate::storage::start::{SessionIds, start};
use crate::types::settings::{Admission, DiskSettings};
use crate::types::units::DiskId;

const SEGMENT: u64 = 32 << 10;
const DISK_BYTES: u64 = 1 << 20;

pub(super) type TestEnv = (Memory, Memory, LocalHost);
pub(super) type TestCache = DiskCache<TestEnv>;

/// Returns a disk of which nothing is cached, in a pool of its own. Used pages survive.
async fn empty(host: LocalHost) -> TestCache {
    let flash = Memory::new(64 * SEGMENT);
    let shape = Shape { segment_bytes: SEGMENT, region_bytes: 64 * PAGE };
    format(&flash, PoolId([1; 16]), Some(shape)).await.expect("it is large enough");
    let marks = SessionIds { new: 1, known: vec![0], epoch: None };
    let pool = start(vec![flash], host, &marks).await.expect("it was formatted").pool;
    let settings = DiskSettings {
        limit_bytes: 32 * SEGMENT,
        ram_bytes: 16 * PAGE,
        block_bytes: PAGE as u32,
        admission: Admission::Repeated(1),
        ..DiskSettings::plain(DiskId(1))
    };
    pool.segments().set_share(settings.id, Share { reserve: 0, limit: 32 });
    let RecoveryContext { touched, flash_lost, .. } = RecoveryContext::none(DISK_BYTES);
    DiskCache::new(Rc::clone(&pool), settings, DISK_BYTES, touched, flash_lost)
}

/// Runs a test of a disk, and of the same disk in a pool with the same name, as after a restart.
pub(super) fn run(test: impl AsyncFnOnce(TestCache, TestCache)) {
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    executor
        .run(async { test(empty(host.clone()).await, empty(host).await).await })
        .expect("nothing waits for ever");
}
