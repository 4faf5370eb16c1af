//! Disks on one modelled array, alone or in a cache on modelled SSDs, and guests that load them. In virtual time: no load of this machine
//! changes a figure.
//!
//! ```text
//!   guests ──> disks ──> cache ──> SSDs: FLASH_READ_NS, FLASH_WRITE_NS, and bytes at FLASH_NS_PER_KIB
//!                └─────────┴─────> array: one model, each disk a part of it
//! ```
//! Processors cost nothing here, so each request of a disk in the cache has [`DOOR_NS`] on top. Writes in write-back end with a flush, because
//! what is acknowledged on the array has no cache of the model in front of it either.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::model::{Model, Profile, Work};
use block::{BlockDevice, BlockError, Buffer, ByteRange, Geometry, Host, Memory, Outcome, Unmap};
use cache::{
    Cache, CachedDisk, Curves, DiskCounts, DiskId, DiskSettings, Mode, PoolId, RecoveryContext, SessionIds,
};
use workload::{Request, Requests};

/// Time of a request without work in the cache: a hit in RAM at depth 1 over NBD, `docs/dev/notes/performance.md`.
pub(crate) const DOOR_NS: u64 = 63_000;
/// Slightly more than `NVMe` SSDs of servers take.
const FLASH_READ_NS: u64 = 100_000;
pub(crate) const FLASH_WRITE_NS: u64 = 30_000;
/// Time for each KiB beyond: 2 GB a second.
const FLASH_NS_PER_KIB: u64 = 512;
pub(crate) const SECOND: u64 = 1_000_000_000;

pub(crate) type Array = Model<BlankDevice, LocalHost>;
pub(crate) type Disk<B = ArrayPart> = CachedDisk<(B, ModelledSsd, LocalHost)>;
type ModelledCache<B> = Cache<(B, ModelledSsd, LocalHost)>;
/// Sets the content of a write.
pub(crate) type Content = Rc<dyn Fn(&mut [u8])>;

/// Cache in front of the disks.
#[derive(Clone, Copy)]
pub(crate) struct CachePlan {
    /// Bytes of each SSD.
    pub(crate) ssd_bytes: u64,
    /// Number of SSDs.
    pub(crate) ssds: u32,
    /// Settings of every disk; number, reservation and limit follow from the pool.
    pub(crate) settings: DiskSettings,
}

impl CachePlan {
    /// Returns the plan of one SSD with the settings that users get unless they change them.
    pub(crate) fn new(ssd_bytes: u64, mode: Mode, block_bytes: u32, ram_bytes: u64) -> Self {
        let settings = DiskSettings {
            mode,
            block_bytes,
            ram_bytes,
            admission: cache::Admission::Adaptive,
            sequential_cutoff: cache::SequentialCutoff::Auto,
            ..DiskSettings::plain(DiskId(1))
        };
        Self { ssd_bytes, ssds: 1, settings }
    }
}

/// Disks, on one array unless they have backings of another kind.
pub(crate) struct Bed<B: BlockDevice = ArrayPart> {
    host: LocalHost,
    /// None for backings of another kind.
    array: Option<Rc<Array>>,
    disks: Vec<BedDisk<B>>,
    cache: Option<Rc<ModelledCache<B>>>,
    /// None: guests write zeroes.
    content: Option<Content>,
}

enum BedDisk<B: BlockDevice> {
    Plain(B),
    Cached(Rc<Disk<B>>),
}

impl Bed {
    /// Makes disks of these sizes, which fill the array. With a plan, those of them are cached for which `is_cached` is true.
    pub(crate) async fn new(
        host: &LocalHost,
        profile: Profile,
        disks: &[u64],
        plan: Option<CachePlan>,
        is_cached: impl Fn(usize) -> bool,
    ) -> Self {
        let array = Rc::new(blank_array(host, profile, disks.iter().sum()));
        let mut start = 0;
        let parts = disks.iter().map(|bytes| {
            let part = ArrayPart::new(&array, start, *bytes);
            start += bytes;
            part
        });
        let bed = Self::on(host, parts.collect(), plan, is_cached, None).await;
        Self { array: Some(array), ..bed }
    }

    /// Returns the work of the spindles so far.
    pub(crate) fn work(&self) -> Work {
        self.array.as_ref().expect("it was made with one").work()
    }
}

impl<B: BlockDevice> Bed<B> {
    /// Makes disks on these backings. With a plan, those of them are cached for which `is_cached` is true.
    pub(crate) async fn on(
        host: &LocalHost,
        backings: Vec<B>,
        plan: Option<CachePlan>,
        is_cached: impl Fn(usize) -> bool,
        content: Option<Content>,
    ) -> Self {
        let cache = match plan {
            Some(plan) => Some(open_cache(host, plan.ssds, plan.ssd_bytes, SsdTransfer::Timed).await),
            None => None,
        };
        let mut all = Vec::new();
        let count = (0..backings.len()).filter(|number| is_cached(*number)).count().max(1) as u64;
        for (number, backing) in backings.into_iter().enumerate() {
            all.push(match (&cache, plan) {
                (Some(cache), Some(plan)) if is_cached(number) => {
                    let reserve = cache.reserve_bytes_min().max(cache.usable_bytes() / 10 * 8 / count);
                    // The most that a reservation allows: two copies take twice the flash.
                    let part_dirty = if plan.ssds > 1 { 8 } else { 4 };
                    let settings = DiskSettings {
                        id: DiskId(number as u32 + 1),
                        reserve_bytes: reserve,
                        limit_bytes: cache.usable_bytes(),
                        dirty_limit_bytes: Some(reserve / part_dirty),
                        ..plan.settings
                    };
                    let bytes = backing.geometry().size;
                    let attached = cache.attach(settings, backing, RecoveryContext::none(bytes)).await;
                    let disk = attached.expect("the settings fit");
                    // Until then writes go to the backing.
                    disk.loaded().await;
                    BedDisk::Cached(disk)
                }
                _ => BedDisk::Plain(backing),
            });
        }
        Self { host: host.clone(), array: None, disks: all, cache, content }
    }

    /// Answers one request to a disk.
    pub(crate) async fn serve(&self, disk: usize, request: Request) {
        match &self.disks[disk] {
            BedDisk::Plain(backing) => send(backing, request, self.content.as_ref()).await,
            BedDisk::Cached(disk) => {
                self.host.sleep(DOOR_NS).await;
                send(&**disk, request, self.content.as_ref()).await;
                if request.is_write && disk.settings().mode == Mode::WriteBack {
                    disk.flush().await.expect("memory does not fail");
                }
            }
        }
    }

    /// Returns the backing of a disk.
    pub(crate) fn backing(&self, disk: usize) -> &B {
        match &self.disks[disk] {
            BedDisk::Plain(backing) => backing,
            BedDisk::Cached(disk) => disk.backing(),
        }
    }

    /// Returns the counters of a disk; all zero for one without a cache.
    pub(crate) fn counts_of(&self, disk: usize) -> DiskCounts {
        match &self.disks[disk] {
            BedDisk::Plain(_) => DiskCounts::default(),
            BedDisk::Cached(disk) => disk.counts(),
        }
    }

    /// Returns the curves of a disk; none for one without a cache.
    pub(crate) fn curves_of(&self, disk: usize) -> Option<Curves> {
        match &self.disks[disk] {
            BedDisk::Plain(_) => None,
            BedDisk::Cached(disk) => Some(disk.curves()),
        }
    }

    /// Returns the dirty bytes that a disk may have; 0 for one without a cache.
    pub(crate) fn dirty_limit_bytes(&self, disk: usize) -> u64 {
        match &self.disks[disk] {
            BedDisk::Plain(_) => 0,
            BedDisk::Cached(disk) => disk.settings().dirty_limit_bytes.unwrap_or(0),
        }
    }

    /// Returns the counters of all disks together.
    pub(crate) fn counts(&self) -> DiskCounts {
        let mut all = DiskCounts::default();
        for disk in 0..self.disks.len() {
            all.add(&self.counts_of(disk));
        }
        all
    }

    /// Returns the dirty bytes of each disk.
    pub(crate) fn dirty_bytes(&self) -> Vec<u64> {
        let dirty = |disk: &BedDisk<B>| match disk {
            BedDisk::Plain(_) => 0,
            BedDisk::Cached(disk) => disk.statistics().dirty_bytes,
        };
        self.disks.iter().map(dirty).collect()
    }

    /// Returns the bytes of RAM that the indexes of all disks take.
    pub(crate) fn index_bytes(&self) -> u64 {
        let index = |disk: &BedDisk<B>| match disk {
            BedDisk::Plain(_) => 0,
            BedDisk::Cached(disk) => disk.statistics().index_bytes,
        };
        self.disks.iter().map(index).sum()
    }

    /// Returns the bytes of flash that the pool gives to disks.
    pub(crate) fn usable_bytes(&self) -> u64 {
        self.cache.as_ref().map_or(0, |cache| cache.usable_bytes())
    }

    /// Keeps `depth` requests in flight until `count` were sent, or so many nanoseconds have passed.
    pub(crate) fn start_closed(
        self: &Rc<Self>,
        depth: u32,
        count: u64,
        nanos: u64,
        next: impl FnMut() -> (usize, Request) + 'static,
    ) -> RunningLoad {
        let deadline = self.host.now().saturating_add(nanos);
        let next = Rc::new(RefCell::new(next));
        let (left, running) = (Rc::new(Cell::new(count)), Rc::new(Cell::new(depth)));
        let seen = Rc::new(RefCell::new(LoadLatencies::new(&self.host)));
        for _ in 0..depth {
            let (bed, next, left, running, seen) =
                (Rc::clone(self), Rc::clone(&next), Rc::clone(&left), Rc::clone(&running), Rc::clone(&seen));
            self.host.spawn(async move {
                while left.get() > 0 && bed.host.now() < deadline {
                    left.set(left.get() - 1);
                    let (disk, request) = (next.borrow_mut())();
                    let started = bed.host.now();
                    bed.serve(disk, request).await;
                    seen.borrow_mut().add(request.is_write, bed.host.now() - started);
                }
                running.set(running.get() - 1);
            });
        }
        RunningLoad { host: self.host.clone(), running, seen }
    }

    /// Keeps `depth` requests in flight until `count` are answered.
    pub(crate) async fn closed(
        self: &Rc<Self>,
        depth: u32,
        count: u64,
        next: impl FnMut() -> (usize, Request) + 'static,
    ) -> LoadLatencies {
        self.start_closed(depth, count, u64::MAX, next).finish().await
    }

    /// Lets guests send what arrives within so many nanoseconds, whether earlier requests were answered or not, and waits for the answers.
    /// Returns the latencies of each guest.
    pub(crate) async fn open(self: &Rc<Self>, guests: &mut [Guest], nanos: u64) -> Vec<LoadLatencies> {
        let (started, running) = (self.host.now(), Rc::new(Cell::new(0)));
        let mut seen = Vec::new();
        for guest in guests.iter_mut() {
            let latencies = Rc::new(RefCell::new(LoadLatencies::new(&self.host)));
            seen.push(Rc::clone(&latencies));
            let mut arriving = Vec::new();
            while let Some(request) = guest.next_before(nanos) {
                arriving.push(request);
            }
            guest.elapsed_ns += nanos;
            let (bed, running, disk) = (Rc::clone(self), Rc::clone(&running), guest.disk);
            running.set(running.get() + 1);
            self.host.spawn(async move {
                for request in arriving {
                    bed.host.sleep_until(started + request.at_ns).await;
                    let (of_one, running, latencies) =
                        (Rc::clone(&bed), Rc::clone(&running), Rc::clone(&latencies));
                    running.set(running.get() + 1);
                    bed.host.spawn(async move {
                        let started = of_one.host.now();
                        of_one.serve(disk, request).await;
                        latencies.borrow_mut().add(request.is_write, of_one.host.now() - started);
                        running.set(running.get() - 1);
                    });
                }
                running.set(running.get() - 1);
            });
        }
        self.host.sleep_until(started + nanos).await;
        wait_for(&self.host, &running).await;
        seen.into_iter().map(|seen| seen.take().ended(&self.host)).collect()
    }

    pub(crate) fn host(&self) -> &LocalHost {
        &self.host
    }
}

/// Load that was started.
pub(crate) struct RunningLoad {
    host: LocalHost,
    running: Rc<Cell<u32>>,
    seen: Rc<RefCell<LoadLatencies>>,
}

impl RunningLoad {
    /// Waits for the last answer.
    pub(crate) async fn finish(self) -> LoadLatencies {
        wait_for(&self.host, &self.running).await;
        self.seen.take().ended(&self.host)
    }
}

async fn wait_for(host: &LocalHost, running: &Cell<u32>) {
    while running.get() > 0 {
        host.sleep(SECOND / 1000).await;
    }
}

/// Guest with requests of its own to a part of a disk.
pub(crate) struct Guest {
    requests: Requests,
    disk: usize,
    /// Start of its data on the disk.
    start: u64,
    /// Time that it was run so far.
    elapsed_ns: u64,
    /// Request that arrives after that.
    waiting: Option<Request>,
}

impl Guest {
    pub(crate) fn new(requests: Requests, disk: usize, start: u64) -> Self {
        Self { requests, disk, start, elapsed_ns: 0, waiting: None }
    }

    /// Returns the next request, with its arrival counted from the start of this stretch of time, if it arrives before the end of it.
    fn next_before(&mut self, nanos: u64) -> Option<Request> {
        let request = self.waiting.take().unwrap_or_else(|| self.requests.draw());
        if request.at_ns >= self.elapsed_ns + nanos {
            self.waiting = Some(request);
            return None;
        }
        let at_ns = request.at_ns.saturating_sub(self.elapsed_ns);
        Some(Request { at_ns, offset: self.start + request.offset, ..request })
    }
}

/// Latencies of requests, in nanoseconds.
#[derive(Clone, Default)]
pub(crate) struct LoadLatencies {
    pub(crate) reads: Vec<u64>,
    pub(crate) writes: Vec<u64>,
    started_ns: u64,
    nanos: u64,
}

#[expect(clippy::cast_precision_loss, reason = "counts and times far below 2^52")]
impl LoadLatencies {
    fn new(host: &LocalHost) -> Self {
        Self { started_ns: host.now(), ..Self::default() }
    }

    fn ended(self, host: &LocalHost) -> Self {
        Self { nanos: host.now() - self.started_ns, ..self }
    }

    fn add(&mut self, is_write: bool, nanos: u64) {
        if is_write { self.writes.push(nanos) } else { self.reads.push(nanos) }
    }

    /// Adds those of another guest at the same time.
    pub(crate) fn join(&mut self, other: &Self) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.nanos = self.nanos.max(other.nanos);
    }

    /// Adds those of a later stretch of time.
    pub(crate) fn then(&mut self, later: &Self) {
        let nanos = self.nanos + later.nanos;
        self.join(later);
        self.nanos = nanos;
    }

    pub(crate) fn len(&self) -> usize {
        self.reads.len() + self.writes.len()
    }

    /// Returns requests a second.
    pub(crate) fn iops(&self) -> f64 {
        self.len() as f64 * SECOND as f64 / self.nanos.max(1) as f64
    }

    /// Returns the mean in milliseconds; 0 for none.
    pub(crate) fn mean_ms(&self) -> f64 {
        let sum: u64 = self.reads.iter().chain(&self.writes).sum();
        sum as f64 / 1e6 / (self.len().max(1)) as f64
    }

    /// Returns the standard deviation in milliseconds.
    pub(crate) fn deviation_ms(&self) -> f64 {
        let mean = self.mean_ms();
        let squares = self.reads.iter().chain(&self.writes).map(|nanos| (*nanos as f64 / 1e6 - mean).powi(2));
        (squares.sum::<f64>() / self.len().max(1) as f64).sqrt()
    }

    /// Returns this percentile in milliseconds; 0 for none.
    #[expect(clippy::cast_sign_loss, reason = "a place in a list")]
    pub(crate) fn percentile_ms(&self, percent: f64) -> f64 {
        let mut all: Vec<u64> = self.reads.iter().chain(&self.writes).copied().collect();
        if all.is_empty() {
            return 0.0;
        }
        let at = ((all.len() - 1) as f64 * percent / 100.0) as usize;
        let (_, nanos, _) = all.select_nth_unstable(at);
        *nanos as f64 / 1e6
    }

    /// Returns the share of requests that took no longer than this, in hundredths.
    pub(crate) fn percent_within(&self, nanos: u64) -> f64 {
        let within = self.reads.iter().chain(&self.writes).filter(|took| **took <= nanos).count();
        100.0 * within as f64 / self.len().max(1) as f64
    }
}

/// Returns the result of the work on a clock of its own.
pub(crate) fn in_virtual_time<T>(work: impl AsyncFnOnce(LocalHost) -> T) -> T {
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    executor.run(work(host)).expect("the model answers everything")
}

async fn send(device: &impl BlockDevice, request: Request, content: Option<&Content>) {
    let mut buffer = Buffer::zeroed(request.length as usize);
    if let Some(content) = content.filter(|_| request.is_write) {
        content(&mut buffer);
    }
    let outcome = if request.is_write {
        device.write(request.offset, buffer).await
    } else {
        device.read(request.offset, buffer).await
    };
    outcome.1.expect("memory does not fail");
}

/// Returns an array of so many bytes.
pub(crate) fn blank_array(host: &LocalHost, profile: Profile, bytes: u64) -> Array {
    Model::new(BlankDevice { bytes }, host.clone(), profile)
}

/// Opens a new pool of so many SSDs, each of so many bytes.
pub(crate) async fn open_cache<B: BlockDevice>(
    host: &LocalHost,
    ssds: u32,
    ssd_bytes: u64,
    transfer: SsdTransfer,
) -> Rc<ModelledCache<B>> {
    let ssd = || ModelledSsd::new(host, ssd_bytes, transfer);
    let first = ssd();
    cache::format(&first, PoolId([1; 16]), None).await.expect("the first SSD takes a format");
    let marks = SessionIds { new: 1, known: vec![0, 1], epoch: None };
    let opened =
        Cache::open(vec![first], host.clone(), &marks).await.expect("it was formatted by this program");
    let cache = opened.cache;
    for _ in 1..ssds {
        let number = cache.add_device(ssd()).await.expect("the next SSD is as large");
        cache.use_device(number).expect("it was added");
    }
    cache
}

/// Device of zeroes that keeps nothing: the content of an array does not matter for its times.
pub(crate) struct BlankDevice {
    bytes: u64,
}

impl BlockDevice for BlankDevice {
    fn geometry(&self) -> Geometry {
        Geometry::plain(self.bytes)
    }

    async fn read(&self, _: u64, mut buffer: Buffer) -> Outcome {
        buffer.fill(0);
        (buffer, Ok(()))
    }

    async fn write(&self, _: u64, buffer: Buffer) -> Outcome {
        (buffer, Ok(()))
    }

    async fn flush(&self) -> Result<(), BlockError> {
        Ok(())
    }

    async fn write_zeroes(&self, _: ByteRange, _: Unmap) -> Result<(), BlockError> {
        Ok(())
    }

    async fn discard(&self, _: ByteRange) -> Result<(), BlockError> {
        Ok(())
    }
}

/// Time that an SSD takes for the bytes of a request, beside that for the request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SsdTransfer {
    /// [`FLASH_NS_PER_KIB`].
    Timed,
    /// None: for requests of a page.
    Free,
}

/// SSD that answers a request after a time.
pub(crate) struct ModelledSsd {
    inner: Memory,
    host: LocalHost,
    transfer: SsdTransfer,
}

impl ModelledSsd {
    /// Creates one of so many bytes.
    pub(crate) fn new(host: &LocalHost, bytes: u64, transfer: SsdTransfer) -> Self {
        Self { inner: Memory::new(bytes), host: host.clone(), transfer }
    }

    async fn take(&self, base_ns: u64, bytes: usize) {
        let per_kib = if self.transfer == SsdTransfer::Timed { FLASH_NS_PER_KIB } else { 0 };
        self.host.sleep(base_ns + bytes as u64 / 1024 * per_kib).await;
    }
}

impl BlockDevice for ModelledSsd {
    fn geometry(&self) -> Geometry {
        self.inner.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.take(FLASH_READ_NS, buffer.len()).await;
        self.inner.read(offset, buffer).await
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.take(FLASH_WRITE_NS, buffer.len()).await;
        self.inner.write(offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.take(FLASH_WRITE_NS, 0).await;
        self.inner.flush().await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.take(FLASH_WRITE_NS, 0).await;
        self.inner.write_zeroes(range, unmap).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.inner.discard(range).await
    }
}

/// Part of the array for one disk, or for its redo ring.
pub(crate) struct ArrayPart<D = BlankDevice> {
    array: Rc<Model<D, LocalHost>>,
    start: u64,
    bytes: u64,
}

impl<D: BlockDevice> ArrayPart<D> {
    /// Returns the part of so many bytes from `start` on.
    pub(crate) fn new(array: &Rc<Model<D, LocalHost>>, start: u64, bytes: u64) -> Self {
        Self { array: Rc::clone(array), start, bytes }
    }

    fn there(&self, range: &ByteRange) -> ByteRange {
        ByteRange { start: self.start + range.start, end: self.start + range.end }
    }
}

impl<D: BlockDevice> BlockDevice for ArrayPart<D> {
    fn geometry(&self) -> Geometry {
        Geometry { size: self.bytes, ..self.array.geometry() }
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.array.read(self.start + offset, buffer).await
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.array.write(self.start + offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.array.flush().await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.array.write_zeroes(self.there(&range), unmap).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.array.discard(self.there(&range)).await
    }
}
