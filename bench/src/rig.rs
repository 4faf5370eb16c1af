//! Cache with one disk, on the devices of a measurement.

use std::cell::RefCell;
use std::rc::Rc;

use block::executor::LocalHost;
use block::{BlockDevice, Buffer, ByteRange, Host};
use cache::{
    Cache, CachedDisk, DiskId, DiskSettings, PoolId, RecoveryContext, RecoveryTrust, SessionIds, Shape,
};

/// Pause during the warm-up, so that a real flash accepts the pages evicted from RAM; a sleep of no length lets no other task run.
const PAUSE_NS: u64 = 1_000_000;
/// Number of bytes between pauses.
const PAUSE_BYTES: u64 = 64 << 10;

/// Cache and its only disk.
pub(crate) struct Rig<B: BlockDevice, F: BlockDevice> {
    pub(crate) disk: Rc<CachedDisk<(B, F, LocalHost)>>,
    pub(crate) host: LocalHost,
    cache: Rc<Cache<(B, F, LocalHost)>>,
    /// Target of the copies of [`Self::try_read_cached`].
    page: RefCell<Buffer>,
}

impl<B: BlockDevice, F: BlockDevice> Rig<B, F> {
    /// Formats `flash` and attaches a disk with `backing` to a cache of `ram_bytes` and all of the flash.
    pub(crate) async fn new(host: LocalHost, flash: F, backing: B, block_bytes: u32, ram_bytes: u64) -> Self {
        Self::with_shape(host, flash, backing, block_bytes, ram_bytes, None).await
    }

    /// As [`Self::new`], with segments and regions of a certain size.
    pub(crate) async fn with_shape(
        host: LocalHost,
        flash: F,
        backing: B,
        block_bytes: u32,
        ram_bytes: u64,
        shape: Option<Shape>,
    ) -> Self {
        format(&flash, shape).await;
        Self::attach(host, flash, backing, block_bytes, ram_bytes, |_| {}).await
    }

    /// As [`Self::new`], with changed settings.
    pub(crate) async fn with_settings(
        host: LocalHost,
        flash: F,
        backing: B,
        block_bytes: u32,
        ram_bytes: u64,
        change: impl FnOnce(&mut DiskSettings),
    ) -> Self {
        format(&flash, None).await;
        let rig = Self::attach(host, flash, backing, block_bytes, ram_bytes, change).await;
        // Until then writes go to the backing.
        rig.disk.loaded().await;
        rig
    }

    /// As [`Self::with_settings`], with the existing content of flash.
    pub(crate) async fn attach(
        host: LocalHost,
        flash: F,
        backing: B,
        block_bytes: u32,
        ram_bytes: u64,
        change: impl FnOnce(&mut DiskSettings),
    ) -> Self {
        let marks = SessionIds { new: 1, known: vec![0, 1], epoch: None };
        let opened = Cache::open(vec![flash], host.clone(), &marks).await;
        let cache::Opened { cache, .. } = opened.expect("it was formatted by this program");
        let mut settings = DiskSettings {
            block_bytes,
            reserve_bytes: cache.reserve_bytes_min(),
            limit_bytes: cache.usable_bytes(),
            ram_bytes,
            ..DiskSettings::plain(DiskId(1))
        };
        change(&mut settings);
        let past = RecoveryContext {
            belief: RecoveryTrust::ByPage,
            ..RecoveryContext::none(backing.geometry().size)
        };
        let disk = cache.attach(settings, backing, past).await.expect("the settings fit");
        Self { disk, host, cache, page: RefCell::new(Buffer::zeroed(4096)) }
    }

    /// Changes the settings of the disk.
    pub(crate) fn change(&self, change: impl FnOnce(&mut DiskSettings)) {
        let mut settings = self.disk.settings();
        change(&mut settings);
        self.cache.reconfigure(&self.disk, settings).expect("the settings fit");
    }

    pub(crate) async fn read(&self, offset: u64, len: usize) {
        let (_, result) = self.disk.read(offset, Buffer::zeroed(len)).await;
        result.expect("the devices do not fail");
    }

    /// Reads cached data from RAM, one page at most.
    pub(crate) fn try_read_cached(&self, offset: u64, len: u64) {
        let (mut page, mut at) = (self.page.borrow_mut(), 0);
        let mut take = |bytes: &[u8]| {
            page[at..at + bytes.len()].copy_from_slice(bytes);
            at += bytes.len();
        };
        assert!(self.disk.try_read_cached_range(ByteRange::at(offset, len), &mut take), "RAM has it");
    }

    pub(crate) async fn write(&self, offset: u64, len: usize) {
        let (_, result) = self.disk.write(offset, Buffer::zeroed(len)).await;
        result.expect("the devices do not fail");
    }

    /// Reads `bytes` from the start of the disk in requests of `len`, so that they are cached, and lets promotions run: more at once than
    /// flash accepts would leave RAM without being promoted.
    pub(crate) async fn warm_up(&self, bytes: u64, len: usize) {
        let each = (PAUSE_BYTES / len as u64).max(1);
        for request in 0..bytes / len as u64 {
            self.read(request * len as u64, len).await;
            if request.is_multiple_of(each) {
                self.host.sleep(PAUSE_NS).await;
            }
        }
        self.host.sleep(PAUSE_NS).await;
    }

    /// Detaches the disk.
    pub(crate) async fn stop(&self) {
        self.cache.detach(&self.disk).await;
    }

    /// Lets background tasks of the cache run.
    pub(crate) async fn rest(&self) {
        self.host.sleep(1).await;
    }
}

async fn format(flash: &impl BlockDevice, shape: Option<Shape>) {
    cache::format(flash, PoolId([1; 16]), shape).await.expect("the pool's device takes a format");
}

/// Returns the next pseudo-random number. The constants are Knuth's for a linear congruential generator of 64 bits (MMIX).
pub(crate) fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}
