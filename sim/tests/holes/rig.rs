//! Host for scenarios: one flash, one backing, memory that outlives a process, and as many processes one after another as the scenario
//! needs. Each begins with the state that the one before left.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::faulty::{Faults, Faulty, SurvivingWrites};
use block::{BlockDevice, Buffer, ByteRange, Geometry, Host, Memory, Operation, PAGE};
use cache::{
    Cache, CacheError, CachedDisk, DiskId, DiskSettings, LoadProgress, Mode, PoolContent, PoolId,
    RecoveryContext, RecoveryTrust, SessionIds, Shape, words_for,
};
use futures_util::future::{Either, select};
use tokio::sync::Notify;

pub(crate) type Env = (Faulty<LocalHost>, Faulty<LocalHost>, LocalHost);
pub(crate) type Disk = CachedDisk<Env>;

pub(crate) const POOL: PoolId = PoolId([1; 16]);
pub(crate) const SEGMENT: u64 = 32 << 10;
pub(crate) const SEGMENTS: u64 = 44;
pub(crate) const SHAPE: Shape = Shape { segment_bytes: SEGMENT, region_bytes: REGION_PAGES * PAGE };
pub(crate) const FLASH_BYTES: u64 = (32 << 10) + SEGMENTS * SEGMENT;
/// Number of pages of a region.
pub(crate) const REGION_PAGES: u64 = 64;
/// Number of pages of the disk: sixteen regions. Scenarios use the first half.
pub(crate) const PAGES: u64 = 1024;
/// The page that most scenarios change, once pages 0 to 7 are on flash with 1 in them.
pub(crate) const P: u64 = 3;
/// Longer than any request that is not held, in nanoseconds.
pub(crate) const HELD: u64 = 1_000_000;
/// Result for a page of which a power cut took some sectors and left others.
pub(crate) const TORN: u8 = 0xff;
/// Time in nanoseconds after which regions are closed.
const REST: u64 = 65_000_000_000;

/// State that outlives processes.
pub(crate) struct Rig {
    pub(crate) flash: Faults,
    /// Second flash device, half as large, which is named at each start; it belongs to the pool once it was added.
    pub(crate) second: Faults,
    /// Third flash device, named at a start if a scenario requests it.
    pub(crate) third: Faults,
    /// Devices of the three that are named at a start.
    pub(crate) named: Cell<[bool; 3]>,
    /// Remains of the three after a power cut.
    pub(crate) kept: Cell<[SurvivingWrites; 3]>,
    /// Knowledge about the pool in durable state beside it, as the daemon has it; without it every mark is known, and no epoch.
    pub(crate) witness: Option<Witness>,
    pub(crate) backing: Faults,
    /// Stored size of the disk; that of its backing if it never grew.
    pub(crate) disk_bytes: Cell<Option<u64>>,
    /// Write-intent bitmap; it does not outlive the host.
    touched: RefCell<Option<Rc<Box<[AtomicU64]>>>>,
    /// True if the content of flash is invalid; stored beside flash.
    pub(crate) void: Rc<Cell<bool>>,
    /// Set while that cannot be stored.
    pub(crate) forgetful: Rc<Cell<bool>>,
    /// Number of pages that a start compares with the backing.
    pub(crate) samples: Cell<usize>,
    lives: Cell<u64>,
    /// Settings of the disk at the start of a process.
    pub(crate) settings: Cell<DiskSettings>,
    pub(crate) mode: Cell<Mode>,
    /// Number of writes, flushes and discards of all devices until the process ends.
    fuse: Cell<u64>,
    lit: Notify,
    /// Next of the pages that no scenario checks.
    other: Cell<u64>,
    pub(crate) seed: u64,
}

/// Knowledge of a pool in DIR.
#[derive(Default)]
pub(crate) struct Witness {
    /// Lowest epoch of a list of devices that is trusted.
    pub(crate) epoch: Rc<Cell<u32>>,
    /// Mark of the last start that opened it, and of those that were interrupted since.
    marks: RefCell<Vec<u64>>,
}

impl Witness {
    fn known(&self) -> Vec<u64> {
        self.marks.borrow().iter().copied().chain([0]).collect()
    }
}

/// End of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The disk is detached first.
    Stop,
    /// Requests in flight land, tear, land before the next process or never.
    Kill,
    /// Unflushed data may be lost.
    PowerCut,
}

pub(crate) const ENDS: [End; 3] = [End::Stop, End::Kill, End::PowerCut];

/// Running process.
pub(crate) struct Life<'a> {
    pub(crate) rig: &'a Rig,
    pub(crate) host: LocalHost,
    pub(crate) cache: Rc<Cache<Env>>,
    pub(crate) disk: Rc<Disk>,
    pub(crate) content: PoolContent,
}

/// Runs a scenario under sixteen seeds: the effects of a crash, and the order of two reads, differ between them.
pub(crate) fn story(tell: impl Fn(&Rig)) {
    (0..16).for_each(|seed| tell(&Rig::new(seed)));
}

pub(crate) fn settings() -> DiskSettings {
    DiskSettings {
        reserve_bytes: 16 * SEGMENT,
        limit_bytes: 40 * SEGMENT,
        ram_bytes: 16 * PAGE,
        ..DiskSettings::plain(DiskId(1))
    }
}

impl Rig {
    pub(crate) fn new(seed: u64) -> Self {
        Self::with(seed, [FLASH_BYTES, FLASH_BYTES / 2], None)
    }

    /// Creates a host whose first device has so many segments.
    pub(crate) fn large(seed: u64, segments: u64) -> Self {
        Self::with(seed, [FLASH_BYTES + (segments - SEGMENTS) * SEGMENT, FLASH_BYTES / 2], None)
    }

    /// Creates a host whose second device is as large as the first, with a witness.
    pub(crate) fn mirrored(seed: u64) -> Self {
        Self::with(seed, [FLASH_BYTES; 2], Some(Witness::default()))
    }

    /// Creates a host whose second device is too small for two copies: its data is nowhere else.
    pub(crate) fn apart(seed: u64) -> Self {
        Self::with(seed, [FLASH_BYTES, FLASH_BYTES / 4], None)
    }

    fn with(seed: u64, [first_bytes, second_bytes]: [u64; 2], witness: Option<Witness>) -> Self {
        let geometry = Geometry { physical_block: 4096, unmaps: true, ..Geometry::plain(PAGES * PAGE) };
        let rig = Self {
            flash: Faults::new(Memory::new(first_bytes), seed),
            second: Faults::new(Memory::new(second_bytes), seed + 200),
            third: Faults::new(Memory::new(FLASH_BYTES), seed + 300),
            named: Cell::new([true, true, false]),
            kept: Cell::new([SurvivingWrites::ByChance; 3]),
            witness,
            backing: Faults::new(Memory::with_geometry(geometry), seed + 100),
            disk_bytes: Cell::default(),
            touched: RefCell::default(),
            void: Rc::default(),
            forgetful: Rc::default(),
            samples: Cell::default(),
            lives: Cell::new(0),
            settings: Cell::new(settings()),
            mode: Cell::new(Mode::WriteThrough),
            fuse: Cell::new(u64::MAX),
            lit: Notify::new(),
            other: Cell::new(0),
            seed,
        };
        rig.between(async |host| {
            cache::format(&rig.flash.reopen(host), POOL, Some(SHAPE)).await.unwrap();
        });
        rig
    }

    /// Runs one process from its start to its end.
    pub(crate) fn live(&self, end: End, tell: impl AsyncFnOnce(&Life<'_>)) {
        self.live_until(end, None, tell);
    }

    /// As [`Self::live`], but the process ends after so many writes, flushes and discards. See [`Self::light_fuse`]. Returns true if the
    /// scenario completed.
    pub(crate) fn live_until(&self, end: End, fuse: Option<u64>, tell: impl AsyncFnOnce(&Life<'_>)) -> bool {
        self.try_live(end, fuse, async |life| tell(&life.unwrap()).await)
    }

    /// As [`Self::live_until`], for a start that may be refused.
    pub(crate) fn try_live(
        &self,
        end: End,
        fuse: Option<u64>,
        tell: impl AsyncFnOnce(Result<Life<'_>, CacheError>),
    ) -> bool {
        self.lives.set(self.lives.get() + 1);
        let executor = Executor::new(VirtualTime::new(), Order::Seeded(self.seed ^ self.lives.get() << 32));
        let host = executor.host();
        self.all().iter().for_each(|device| device.delay(0, 0));
        self.fuse.set(u64::MAX);
        fuse.inspect(|operations| self.light_fuse(*operations));
        self.run(end, executor, async {
            let life = self.start(host.clone()).await;
            let left = life.as_ref().ok().map(|life| (Rc::clone(&life.cache), Rc::clone(&life.disk)));
            tell(life).await;
            if let (End::Stop, Some((cache, disk))) = (end, left) {
                cache.detach(&disk).await;
            }
        })
    }

    /// Acts on flash in a process of its own, which ends after so many writes, flushes and discards. Returns true if it completed before.
    pub(crate) fn act_until(&self, end: End, fuse: u64, act: impl AsyncFnOnce(LocalHost)) -> bool {
        let executor = Executor::new(VirtualTime::new(), Order::Fifo);
        self.light_fuse(fuse);
        let host = executor.host();
        self.run(end, executor, act(host))
    }

    /// Returns true if a process completed before its fuse had burnt.
    fn run(&self, end: End, executor: Executor, living: impl Future<Output = ()>) -> bool {
        let told = {
            let host = executor.host();
            let (living, burning) = (pin!(living), pin!(self.burn(&host)));
            match executor.run(select(living, burning)) {
                Some(told) => matches!(told, Either::Left(_)),
                None => panic!("everything waits, seed {}", self.seed),
            }
        };
        drop(executor);
        self.die(end);
        told
    }

    /// Ends the process after so many more writes, flushes and discards of flash and backing; the last of them is then in flight. Nothing
    /// that takes long may follow in the scenario: time advances in small steps from here on.
    pub(crate) fn light_fuse(&self, operations: u64) {
        self.all().iter().for_each(|device| device.delay(1000, 1000));
        self.fuse.set(self.operations() + operations);
        self.lit.notify_one();
    }

    async fn burn(&self, host: &LocalHost) {
        while self.fuse.get() == u64::MAX {
            self.lit.notified().await;
        }
        while self.operations() < self.fuse.get() {
            host.sleep(500).await;
        }
    }

    /// Returns the number of requests to devices so far, reads included.
    pub(crate) fn requests(&self) -> u64 {
        let reads = self.all().map(|device| device.counts().reads);
        self.operations() + reads.iter().sum::<u64>()
    }

    fn operations(&self) -> u64 {
        let of = |device: &Faults| {
            let counts = device.counts();
            counts.writes + counts.flushes + counts.discards
        };
        self.all().map(of).iter().sum()
    }

    fn all(&self) -> [&Faults; 4] {
        [&self.flash, &self.second, &self.third, &self.backing]
    }

    /// Returns the flash devices, in the order in which a start names them.
    pub(crate) fn devices(&self) -> [&Faults; 3] {
        [&self.flash, &self.second, &self.third]
    }

    fn die(&self, end: End) {
        for flash in [&self.flash, &self.second] {
            assert_eq!(
                flash.counts().discards_met,
                0,
                "flash is used while it is discarded, seed {}",
                self.seed
            );
        }
        let [first, second, third] = self.kept.get();
        for (device, kept) in self.all().into_iter().zip([first, second, third, SurvivingWrites::ByChance]) {
            match end {
                End::Stop => {}
                End::Kill => device.kill(),
                End::PowerCut => device.power_cut_keeping(kept),
            }
            // The dead process's requests hold its locks, so they land before the next one starts (rule I15).
            device.land_late();
        }
        if end == End::PowerCut {
            self.touched.take();
        }
    }

    /// Acts on devices between two processes.
    pub(crate) fn between(&self, act: impl AsyncFnOnce(LocalHost)) {
        let executor = Executor::new(VirtualTime::new(), Order::Fifo);
        self.flash.delay(0, 0);
        executor.run(act(executor.host())).unwrap();
    }

    /// Writes bytes to flash behind the cache.
    pub(crate) fn poke_flash(&self, offset: u64, bytes: &[u8]) {
        self.between(async |host| {
            let device = self.flash.reopen(host);
            device.write(offset, Buffer::copy_of(bytes)).await.1.unwrap();
            device.flush().await.unwrap();
        });
    }

    /// Returns the content of these pages, as [`Life::settled`] does, in a process that does nothing else.
    pub(crate) fn settles(&self, pages: &[u64]) -> Vec<u8> {
        let seen = RefCell::default();
        self.live(End::Stop, async |life| drop(seen.replace(life.settled(pages).await)));
        seen.take()
    }

    /// Checks that a change of [`P`] to 2 reached the backing, in whole, in part, or not at all, and stays so.
    pub(crate) fn settles_old_new_or_torn(&self) {
        let seen = self.settles(&[P]);
        assert!([1, 2, TORN].contains(&seen[0]), "page {P} holds {}, seed {}", seen[0], self.seed);
    }

    /// Returns the byte that fills a page of the backing.
    pub(crate) fn home(&self, page: u64) -> u8 {
        let mut bytes = [0; PAGE as usize];
        self.backing.peek(page * PAGE, &mut bytes);
        bytes[0]
    }

    async fn start(&self, host: LocalHost) -> Result<Life<'_>, CacheError> {
        let named = self.devices().into_iter().zip(self.named.get()).filter(|(_, is_named)| *is_named);
        let devices = named.map(|(device, _)| device.reopen(host.clone())).collect();
        let new = self.lives.get();
        let marks = match &self.witness {
            None => SessionIds { new, known: (0..=new).collect(), epoch: None },
            Some(witness) => SessionIds { new, known: witness.known(), epoch: Some(witness.epoch.get()) },
        };
        if let Some(witness) = &self.witness {
            witness.marks.borrow_mut().push(new);
        }
        let opened = Cache::open(devices, host.clone(), &marks).await;
        if let (Err(_), Some(witness)) = (&opened, &self.witness) {
            witness.marks.borrow_mut().pop();
        }
        let cache::Opened { cache, content, .. } = opened?;
        if let Some(witness) = &self.witness {
            witness.marks.replace(vec![new]);
            let epoch = Rc::clone(&witness.epoch);
            let remember: cache::Witness = Rc::new(move |seen| {
                epoch.set(epoch.get().max(seen));
                Box::pin(std::future::ready(Ok(())))
            });
            cache.set_witness(remember).await?;
        }
        let settings = DiskSettings { mode: self.mode.get(), ..self.settings.get() };
        let disk = self.attach(&cache, &host, settings).await?;
        Ok(Life { rig: self, host, cache, disk, content })
    }

    /// Attaches a disk with these settings to the backing, with the stored knowledge about it.
    pub(crate) async fn attach(
        &self,
        cache: &Cache<Env>,
        host: &LocalHost,
        settings: DiskSettings,
    ) -> Result<Rc<Disk>, CacheError> {
        let disk = cache.attach(settings, self.backing.reopen(host.clone()), self.past()).await?;
        self.void.set(false);
        Ok(disk)
    }

    pub(crate) fn past(&self) -> RecoveryContext {
        let kept = self.touched.borrow().clone();
        let belief = match kept {
            _ if self.void.get() => RecoveryTrust::Nothing("the flash failed".to_owned()),
            Some(_) => RecoveryTrust::ByPage,
            None => RecoveryTrust::ByRegion,
        };
        let touched = self.bits();
        let disk_bytes = self.disk_bytes.get();
        let (void, forgetful) = (Rc::clone(&self.void), Rc::clone(&self.forgetful));
        let remember = move || {
            if forgetful.get() {
                return Err("the folder is full".to_owned());
            }
            void.set(true);
            Ok(())
        };
        let flash_lost = Rc::new(move || Box::pin(std::future::ready(remember())) as _);
        RecoveryContext {
            belief,
            disk_bytes,
            touched,
            samples: self.samples.get(),
            granted: true,
            flash_lost,
        }
    }

    /// Returns the write-intent bitmap, with as many bits as the backing needs.
    pub(crate) fn bits(&self) -> Rc<Box<[AtomicU64]>> {
        let new = || Rc::new((0..words_for(PAGES * PAGE)).map(|_| AtomicU64::new(0)).collect());
        self.touched.borrow_mut().get_or_insert_with(new).clone()
    }
}

impl Life<'_> {
    /// Returns the byte that fills a page, as a guest reads it.
    pub(crate) async fn see(&self, page: u64) -> u8 {
        see(&self.disk, page).await
    }

    pub(crate) async fn write(&self, page: u64, byte: u8) {
        self.write_pages(page..page + 1, byte).await;
    }

    pub(crate) async fn write_pages(&self, pages: std::ops::Range<u64>, byte: u8) {
        let bytes = vec![byte; ((pages.end - pages.start) * PAGE) as usize];
        self.disk.write(pages.start * PAGE, Buffer::copy_of(&bytes)).await.1.unwrap();
    }

    /// Switches the disk to write-back, in this process and in later ones, with so many segments at most.
    pub(crate) async fn write_back(&self, segments: u64) {
        // Before that, writes go to the backing.
        self.loaded().await;
        self.rig.mode.set(Mode::WriteBack);
        self.change(DiskSettings { mode: Mode::WriteBack, limit_bytes: segments * SEGMENT, ..settings() });
    }

    /// Returns true if there is dirty data.
    pub(crate) fn is_dirty(&self) -> bool {
        let statistics = self.disk.statistics();
        statistics.dirty_bytes + statistics.dirty_zeroes_bytes > 0
    }

    /// Waits until nothing is dirty.
    pub(crate) async fn until_clean(&self) {
        while self.is_dirty() {
            self.host.sleep(2000).await;
        }
    }

    /// Waits until the earlier cached content is known.
    pub(crate) async fn loaded(&self) -> LoadProgress {
        self.disk.loaded().await.state
    }

    /// Reads these pages as a guest after loading, from flash if they were kept: the same twice, the same from the backing when nothing is
    /// cached, and equal to the content of the backing. Returns the byte that fills each, or [`TORN`].
    pub(crate) async fn settled(&self, pages: &[u64]) -> Vec<u8> {
        self.loaded().await;
        let mut seen = Vec::new();
        for page in pages {
            seen.push(self.content(*page).await);
        }
        let seed = self.rig.seed;
        for (page, first) in pages.iter().zip(&seen) {
            assert!(self.content(*page).await == *first, "page {page} changed, seed {seed}");
        }
        self.disk.evict().await.unwrap();
        for (page, first) in pages.iter().zip(&seen) {
            assert!(self.content(*page).await == *first, "page {page} changed by evicting, seed {seed}");
            let mut home = vec![0; PAGE as usize];
            self.rig.backing.peek(page * PAGE, &mut home);
            assert!(home == *first, "page {page} is something else on the backing, seed {seed}");
        }
        seen.iter().map(|bytes| filled_with(bytes).unwrap_or(TORN)).collect()
    }

    /// Reads a page with any content.
    pub(crate) async fn content(&self, page: u64) -> Vec<u8> {
        let (bytes, result) = self.disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await;
        result.unwrap();
        bytes.to_vec()
    }

    /// Reads so many unchecked pages: content of RAM is promoted, and the log advances.
    pub(crate) async fn read_others(&self, count: u64) {
        for _ in 0..count {
            let other = self.rig.other.get();
            self.rig.other.set(other + 1);
            self.see(PAGES / 2 + other % (PAGES / 2)).await;
            self.host.sleep(1000).await;
        }
        self.host.sleep(HELD).await;
    }

    /// Pushes all content of RAM to flash.
    pub(crate) async fn push_out(&self) {
        self.read_others(24).await;
    }

    /// Waits until every region is closed.
    pub(crate) async fn rest(&self) {
        self.host.sleep(REST).await;
    }

    /// Writes one version of pages to flash, with the backing flushed and their regions closed.
    pub(crate) async fn cache_pages(&self, pages: std::ops::Range<u64>, byte: u8) {
        // One by one: a RAM of this size takes no more at once on its way to flash.
        for page in pages.clone() {
            self.write(page, byte).await;
            self.host.sleep(HELD / 10).await;
        }
        self.push_out().await;
        self.rest().await;
        assert!(self.rig.open_intents().is_empty());
        for page in pages {
            assert_eq!(self.rig.newest(page).map(|copy| copy.byte), Some(byte), "page {page} is on flash");
        }
    }

    /// Writes 1 to pages 0 to 7 on flash, and then 2 to [`P`] on the backing only.
    pub(crate) async fn write_around_what_is_cached(&self) {
        self.cache_pages(0..8, 1).await;
        self.set_mode(Mode::WriteAround);
        self.write(P, 2).await;
    }

    /// Makes the backing refuse a write of 2 to [`P`].
    pub(crate) async fn fail_to_write(&self) {
        self.rig.backing.fail_after(Operation::Write, 0);
        let (_, result) = self.disk.write(P * PAGE, Buffer::copy_of(&[2; PAGE as usize])).await;
        assert!(result.is_err(), "the backing failed");
    }

    /// Limits the disk so much that its log wraps within a scenario.
    pub(crate) fn shorten_log(&self) {
        self.change(DiskSettings { limit_bytes: 16 * SEGMENT, ..settings() });
    }

    pub(crate) fn set_mode(&self, mode: Mode) {
        self.change(DiskSettings { mode, ..self.disk.settings() });
    }

    pub(crate) fn change(&self, settings: DiskSettings) {
        self.cache.reconfigure(&self.disk, settings).unwrap();
    }

    pub(crate) fn counts(&self) -> cache::DiskCounts {
        self.disk.statistics().counts
    }

    /// Starts an operation and lets it run until a slow device holds it.
    pub(crate) async fn hold(
        &self,
        device: &Faults,
        operation: impl Future<Output = ()> + 'static,
    ) -> Rc<Cell<bool>> {
        let done = Rc::new(Cell::new(false));
        let finished = Rc::clone(&done);
        device.delay(HELD, HELD);
        self.host.spawn(async move {
            operation.await;
            finished.set(true);
        });
        self.host.sleep(HELD / 10).await;
        device.delay(0, 0);
        assert!(!done.get(), "not held");
        done
    }

    /// Starts a write that a slow device holds; its result does not matter.
    pub(crate) async fn hold_write(&self, device: &Faults, page: u64, byte: u8) -> Rc<Cell<bool>> {
        let disk = Rc::clone(&self.disk);
        self.hold(device, async move {
            drop(disk.write(page * PAGE, Buffer::copy_of(&[byte; PAGE as usize])).await);
        })
        .await
    }

    /// Returns every page of the disk that a read finds on flash. Reads nothing twice, so RAM does not hide any.
    pub(crate) async fn pages_on_flash(&self) -> Vec<u64> {
        self.loaded().await;
        let mut found = Vec::new();
        for page in 0..PAGES {
            let before = self.counts().read_hits_flash;
            self.see(page).await;
            if self.counts().read_hits_flash > before {
                found.push(page);
            }
        }
        found
    }
}

/// Returns the byte that fills a page of a disk, as a guest reads it.
pub(crate) async fn see(disk: &Disk, page: u64) -> u8 {
    let (bytes, result) = disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await;
    result.unwrap();
    filled_with(&bytes).unwrap_or_else(|| panic!("page {page} is torn"))
}

fn filled_with(bytes: &[u8]) -> Option<u8> {
    bytes.iter().all(|byte| *byte == bytes[0]).then_some(bytes[0])
}

/// Returns the byte range of pages.
pub(crate) fn bytes_of(pages: std::ops::Range<u64>) -> ByteRange {
    ByteRange::new(pages.start * PAGE, pages.end * PAGE)
}
