//! Two shards on two real threads share a pool: their disks take room from each other all the time, and every read is
//! held against what was written.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::{
    BlockDevice, BlockError, Buffer, ByteRange, Geometry, Host, Operation, Outcome, PAGE, Ring, Unmap,
};
use cache::{
    Cache, CacheError, CachedDisk, DirtyData, DiskId, DiskSettings, LearnedState, LoadProgress, Mode, PoolId,
    RecoveryContext, RecoveryTrust, SessionIds, Shape, SharedBits, SharedPool, format, words_for,
};

const SEGMENT: u64 = 32 << 10;
const FLASH_BYTES: u64 = (128 << 10) + 76 * SEGMENT;
const DISK_BYTES: u64 = 2 << 20;
const DISK_PAGES: u64 = DISK_BYTES / PAGE;
const DISKS: usize = 4;
const CLIENTS: u64 = 4;
const OPERATIONS: u64 = 1500;
/// The backing is slower, so that flash keeps up with what is read from it: nanoseconds.
const BACKING_TAKES: u64 = 30_000;
const FLASH_TAKES: u64 = 1_000;

/// Memory that threads share, each through a handle of its own. Requests take a moment, so that they mix.
#[derive(Clone)]
struct Shared {
    bytes: Arc<Mutex<Vec<u8>>>,
}

struct Device {
    shared: Shared,
    host: LocalHost,
    /// Duration of a request: nanoseconds.
    takes: u64,
    fails: Rc<Cell<bool>>,
}

impl Shared {
    fn new(size: u64) -> Self {
        Self { bytes: Arc::new(Mutex::new(vec![0; size as usize])) }
    }

    fn open(&self, host: &LocalHost, takes: u64) -> Device {
        Device { shared: self.clone(), host: host.clone(), takes, fails: Rc::default() }
    }
}

impl Device {
    async fn take_a_moment(&self) -> Result<(), BlockError> {
        self.host.sleep(self.takes).await;
        if self.fails.get() {
            return Err(BlockError::anywhere(block::ErrorKind::Io, Operation::Write));
        }
        Ok(())
    }
}

impl BlockDevice for Device {
    fn geometry(&self) -> Geometry {
        Geometry::plain(self.shared.bytes.lock().unwrap().len() as u64)
    }

    async fn read(&self, offset: u64, mut buffer: Buffer) -> Outcome {
        self.host.sleep(self.takes).await;
        let at = offset as usize;
        let end = at + buffer.len();
        buffer.copy_from_slice(&self.shared.bytes.lock().unwrap()[at..end]);
        (buffer, Ok(()))
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        let result = self.take_a_moment().await;
        if result.is_ok() {
            let at = offset as usize;
            self.shared.bytes.lock().unwrap()[at..at + buffer.len()].copy_from_slice(&buffer);
        }
        (buffer, result)
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.take_a_moment().await
    }

    async fn write_zeroes(&self, range: ByteRange, _unmap: Unmap) -> Result<(), BlockError> {
        self.take_a_moment().await?;
        self.shared.bytes.lock().unwrap()[range.start as usize..range.end as usize].fill(0);
        Ok(())
    }

    async fn discard(&self, _range: ByteRange) -> Result<(), BlockError> {
        Ok(())
    }
}

/// A disk apart from the shard that it is on.
#[derive(Clone)]
struct Content {
    backing: Shared,
    bits: Bits,
    /// Value last written to each page.
    values: Arc<Mutex<Vec<u64>>>,
}

#[derive(Clone)]
struct Bits(Arc<[AtomicU64]>);

impl SharedBits for Bits {
    fn words(&self) -> &[AtomicU64] {
        &self.0
    }
}

type Env = (Device, Device, LocalHost);
type Disk = CachedDisk<Env>;

fn settings(number: usize) -> DiskSettings {
    DiskSettings {
        reserve_bytes: 16 * SEGMENT,
        limit_bytes: 64 * SEGMENT,
        ram_bytes: 64 * PAGE,
        ..DiskSettings::plain(DiskId(number as u32 + 1))
    }
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

async fn check(disk: &Disk, content: &Content, page: u64) {
    let (buffer, result) = disk.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await;
    result.unwrap();
    let expected = content.values.lock().unwrap()[page as usize];
    let found = buffer.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
    assert!(
        found.clone().all(|value| value == expected),
        "page {page}: {:?}, not {expected}",
        found.clone().next()
    );
}

/// Reads and writes pages that no other client writes.
async fn run_client(disk: Rc<Disk>, content: Content, client: u64) {
    let mut state = client + u64::from(disk.settings().id.0) * 100;
    // However slow the machine is: until there was no room for a while, unless there never is any want of it.
    let met_no_room = || disk.statistics().counts.reclaims >= 4;
    for operation in 0..40 * OPERATIONS {
        if operation >= OPERATIONS && met_no_room() {
            break;
        }
        // Most requests go to a small part, so that pages are hit, stay warm, and survive a reclaim.
        let area = if next(&mut state).is_multiple_of(4) { DISK_PAGES } else { DISK_PAGES / 8 };
        let page = next(&mut state) % (area / CLIENTS) * CLIENTS + client;
        if !next(&mut state).is_multiple_of(3) {
            check(&disk, &content, page).await;
            continue;
        }
        let value = operation << 32 | page << 8 | client;
        let bytes = value.to_le_bytes().repeat(PAGE as usize / 8);
        content.values.lock().unwrap()[page as usize] = value;
        disk.write(page * PAGE, Buffer::copy_of(&bytes)).await.1.unwrap();
    }
}

/// Attaches disks, hammers them and holds all of them against what was written, and detaches them.
async fn serve(cache: &Cache<Env>, host: &LocalHost, numbers: [usize; 2], contents: &[Content], life: u32) {
    let mut disks = Vec::new();
    for number in numbers {
        let content = &contents[number];
        let mut past = RecoveryContext::none(DISK_BYTES);
        past.touched = Rc::new(content.bits.clone());
        if life > 0 {
            past.belief = RecoveryTrust::ByPage;
        }
        let disk =
            cache.attach(settings(number), content.backing.open(host, BACKING_TAKES), past).await.unwrap();
        disks.push((disk, content));
    }
    let running = Rc::new(Cell::new(0));
    for (disk, content) in &disks {
        for client in 0..CLIENTS {
            running.set(running.get() + 1);
            let (disk, content, running) = (Rc::clone(disk), (*content).clone(), Rc::clone(&running));
            host.spawn(async move {
                run_client(disk, content, client).await;
                running.set(running.get() - 1);
            });
        }
    }
    while running.get() > 0 {
        host.sleep(1_000_000).await;
    }
    for (disk, content) in &disks {
        for page in 0..DISK_PAGES {
            check(disk, content, page).await;
        }
        let statistics = disk.statistics();
        assert!(statistics.counts.reclaims > 0 && statistics.counts.read_hits_flash > 0, "{statistics:?}");
        assert_eq!(statistics.counts.checksum_errors, 0);
        if life > 0 {
            assert!(
                statistics.load.state == LoadProgress::Done && statistics.load.pages_kept > 0,
                "{statistics:?}"
            );
        }
        cache.detach(disk).await;
    }
}

/// Opens the pool or joins it, on the thread of a shard.
async fn enter(
    flash: &Shared,
    host: &LocalHost,
    opened: Result<Sender<SharedPool>, Receiver<SharedPool>>,
) -> Rc<Cache<Env>> {
    match opened {
        Ok(tell) => {
            let marks = SessionIds { new: 1, known: vec![0], epoch: None };
            let cache::Opened { cache, .. } =
                Cache::open(vec![flash.open(host, FLASH_TAKES)], host.clone(), &marks).await.unwrap();
            tell.send(cache.shared()).unwrap();
            cache
        }
        Err(told) => Cache::join(&told.recv().unwrap(), vec![flash.open(host, FLASH_TAKES)], host.clone())
            .await
            .unwrap(),
    }
}

fn formatted() -> Shared {
    let flash = Shared::new(FLASH_BYTES);
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let shape = Shape { segment_bytes: SEGMENT, region_bytes: 256 << 10 };
    executor
        .run(format(&flash.open(&executor.host(), FLASH_TAKES), PoolId([3; 16]), Some(shape)))
        .unwrap()
        .unwrap();
    flash
}

/// Returns a pool that one shard opened, with this handle of its device, and another one joined.
async fn two_shards(device: Device, flash: &Shared, host: &LocalHost) -> [Rc<Cache<Env>>; 2] {
    let marks = SessionIds { new: 1, known: vec![0], epoch: None };
    let first = Cache::open(vec![device], host.clone(), &marks).await.unwrap().cache;
    let handle = flash.open(host, FLASH_TAKES);
    let second = Cache::join(&first.shared(), vec![handle], host.clone()).await.unwrap();
    [first, second]
}

#[test]
fn two_threads_that_share_a_pool_read_what_they_wrote_also_after_disks_changed_places() {
    let flash = formatted();
    let contents: Vec<Content> = (0..DISKS).map(|_| content()).collect();
    let (ended_here, ended_there) = (channel(), channel());
    let ends = [(ended_here.0, ended_there.1), (ended_there.0, ended_here.1)];
    let (tell, told) = channel();
    std::thread::scope(|scope| {
        for (shard, (opened, (end, other_end))) in [Ok(tell), Err(told)].into_iter().zip(ends).enumerate() {
            let (flash, contents) = (&flash, &contents);
            scope.spawn(move || {
                let ring = Ring::new(64).unwrap();
                let executor = Executor::new(ring, Order::Fifo);
                let host = executor.host();
                let cache = executor.run(enter(flash, &host, opened)).unwrap();
                for life in 0..2 {
                    // In the second run each has the disks that the other had.
                    let first = 2 * ((shard + life as usize) % 2);
                    executor.run(serve(&cache, &host, [first, first + 1], contents, life)).unwrap();
                    // Not a barrier: if the other has panicked, this one ends too.
                    end.send(()).unwrap();
                    other_end.recv().unwrap();
                }
            });
        }
    });
}

#[test]
fn a_disk_is_attached_on_one_shard_only_and_shares_are_those_of_the_whole_pool() {
    let flash = formatted();
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    executor.run(async {
        let [first, second] = two_shards(flash.open(&host, FLASH_TAKES), &flash, &host).await;
        let attach = async |cache: &Rc<Cache<Env>>, settings: DiskSettings| {
            let backing = Shared::new(DISK_BYTES).open(&host, BACKING_TAKES);
            cache.attach(settings, backing, RecoveryContext::none(DISK_BYTES)).await
        };
        let disk = attach(&first, settings(0)).await.unwrap();
        assert!(matches!(attach(&second, settings(0)).await, Err(CacheError::DiskAttached(DiskId(1)))));
        assert_eq!(second.pool_statistics().disks, 1);
        assert!(matches!(
            second.disown(DiskId(1), DirtyData::Refuse).await,
            Err(CacheError::DiskAttached(_))
        ));
        let all = DiskSettings { reserve_bytes: first.usable_bytes(), limit_bytes: u64::MAX, ..settings(1) };
        assert!(matches!(attach(&second, all).await, Err(CacheError::ReservationTooLarge { .. })));
        first.remove(&disk, DirtyData::Refuse).await.unwrap();
        attach(&second, all).await.unwrap();
        assert_eq!(first.pool_statistics().reserved_bytes, all.reserve_bytes);
    });
}

#[test]
fn another_device_cannot_be_joined_as_the_pool() {
    let (flash, other) = (formatted(), formatted());
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    executor.run(async {
        let marks = SessionIds { new: 1, known: vec![0], epoch: None };
        let cache::Opened { cache, .. } =
            Cache::<Env>::open(vec![flash.open(&host, FLASH_TAKES)], host.clone(), &marks).await.unwrap();
        let joined =
            Cache::<Env>::join(&cache.shared(), vec![other.open(&host, FLASH_TAKES)], host.clone()).await;
        assert!(matches!(joined, Err(CacheError::NotAPool(_))));
    });
}

#[test]
fn flash_that_fails_on_one_shard_has_failed_on_all() {
    let flash = formatted();
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    executor.run(async {
        let device = flash.open(&host, FLASH_TAKES);
        let fails = Rc::clone(&device.fails);
        let [first, second] = two_shards(device, &flash, &host).await;
        let attach = async |cache: &Rc<Cache<Env>>, number| {
            let backing = Shared::new(DISK_BYTES).open(&host, BACKING_TAKES);
            cache.attach(settings(number), backing, RecoveryContext::none(DISK_BYTES)).await.unwrap()
        };
        let (one, other) = (attach(&first, 0).await, attach(&second, 1).await);
        for page in 0..100 {
            other.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await.1.unwrap();
            host.sleep(100_000).await;
        }
        assert!(other.statistics().counts.promotions > 0);
        fails.set(true);
        one.write(0, Buffer::zeroed(PAGE as usize)).await.1.unwrap();
        host.sleep(1_000_000).await;
        assert!(second.pool_statistics().failed);
        // Pages that were on flash only are not trusted any more; the guest does not notice.
        let before = other.statistics();
        assert!(before.cached_bytes == 0, "{before:?}");
        for page in 0..100 {
            other.read(page * PAGE, Buffer::zeroed(PAGE as usize)).await.1.unwrap();
        }
        assert_eq!(other.statistics().counts.read_hits_flash, before.counts.read_hits_flash);
    });
}

/// Returns a disk in write-back, of which nothing is destaged after the first page.
async fn attach_dirty(cache: &Cache<Env>, host: &LocalHost, number: usize, content: &Content) -> Rc<Disk> {
    let past = RecoveryContext {
        touched: Rc::new(content.bits.clone()),
        belief: RecoveryTrust::ByPage,
        ..RecoveryContext::none(DISK_BYTES)
    };
    let settings = DiskSettings {
        mode: Mode::WriteBack,
        limit_bytes: 32 * SEGMENT,
        destage_rate_max: 1,
        ..settings(number)
    };
    let disk = cache.attach(settings, content.backing.open(host, BACKING_TAKES), past).await.unwrap();
    disk.loaded().await;
    disk
}

async fn write(disk: &Disk, content: &Content, page: u64, value: u64) {
    content.values.lock().unwrap()[page as usize] = value;
    let bytes = value.to_le_bytes().repeat(PAGE as usize / 8);
    disk.write(page * PAGE, Buffer::copy_of(&bytes)).await.1.unwrap();
}

/// Fills so many segments, the oldest of which are the only ones with the first pages.
async fn fill_segments(disk: &Disk, content: &Content, segments: u64) {
    for page in 0..16 {
        write(disk, content, page, page + 1).await;
    }
    let mut value = 1000;
    while disk.statistics().flash_bytes < segments * SEGMENT {
        value += 1;
        write(disk, content, 8 + value % 8, value).await;
    }
}

fn content() -> Content {
    Content {
        backing: Shared::new(DISK_BYTES),
        bits: Bits((0..words_for(DISK_BYTES)).map(|_| AtomicU64::new(0)).collect()),
        values: Arc::new(Mutex::new(vec![0; DISK_PAGES as usize])),
    }
}

#[test]
fn a_disk_that_is_released_while_its_segment_is_reclaimed_keeps_what_is_dirty_there() {
    for later in (0..20_000).step_by(250) {
        let (flash, content) = (formatted(), content());
        let executor = Executor::new(VirtualTime::new(), Order::Fifo);
        let host = executor.host();
        let ran = executor.run(async {
            let [first, second] = two_shards(flash.open(&host, FLASH_TAKES), &flash, &host).await;
            let disk = attach_dirty(&first, &host, 0, &content).await;
            fill_segments(&disk, &content, 22).await;
            first.reconfigure(&disk, DiskSettings { limit_bytes: 16 * SEGMENT, ..disk.settings() }).unwrap();
            host.sleep(later).await;
            first.release(disk.stop_destaging().await).await;
            drop(disk);
            let disk = attach_dirty(&second, &host, 0, &content).await;
            // Segments that became free are used again.
            for value in 0..200 {
                write(&disk, &content, 8 + value % 8, value).await;
            }
            for page in 0..16 {
                check(&disk, &content, page).await;
            }
            assert!(disk.statistics().dirty_bytes > 8 * PAGE);
        });
        assert!(ran.is_some(), "everything waits");
    }
}

#[test]
fn a_shard_that_ends_in_the_middle_of_a_reclaim_leaves_the_turn_to_the_others() {
    let (flash, contents) = (formatted(), [content(), content()]);
    let ending = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = ending.host();
    let kept = ending.run(async {
        let marks = SessionIds { new: 1, known: vec![0], epoch: None };
        let device = flash.open(&host, FLASH_TAKES);
        let cache = Cache::open(vec![device], host.clone(), &marks).await.unwrap().cache;
        let disk = attach_dirty(&cache, &host, 0, &contents[0]).await;
        fill_segments(&disk, &contents[0], 22).await;
        cache.reconfigure(&disk, DiskSettings { limit_bytes: 16 * SEGMENT, ..disk.settings() }).unwrap();
        host.sleep(FLASH_TAKES / 2).await;
        assert_eq!(disk.statistics().counts.reclaims, 1, "in the middle of the first one");
        (cache, disk)
    });
    let shared = kept.map(|(cache, _)| cache.shared()).unwrap();
    drop(ending);
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    let ran = executor.run(async {
        let handle = flash.open(&host, FLASH_TAKES);
        let second = Cache::join(&shared, vec![handle], host.clone()).await.unwrap();
        let disk = attach_dirty(&second, &host, 1, &contents[1]).await;
        second.reconfigure(&disk, DiskSettings { limit_bytes: 16 * SEGMENT, ..disk.settings() }).unwrap();
        for value in 0..200 {
            write(&disk, &contents[1], value % 8, value).await;
        }
        assert!(disk.statistics().counts.reclaims > 0);
    });
    assert!(ran.is_some(), "everything waits");
}

#[test]
fn a_disk_is_released_for_another_shard_unless_a_failure_is_known_to_its_own_only() {
    let flash = formatted();
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    executor.run(async {
        let [first, second] = two_shards(flash.open(&host, FLASH_TAKES), &flash, &host).await;
        let backings = [(); 3].map(|()| Shared::new(DISK_BYTES));
        let bits = Bits((0..words_for(DISK_BYTES)).map(|_| AtomicU64::new(0)).collect());
        let attach = async |cache: &Rc<Cache<Env>>, number: usize, belief| {
            let backing = backings[number].open(&host, BACKING_TAKES);
            let fails = Rc::clone(&backing.fails);
            let mut past = RecoveryContext::none(DISK_BYTES);
            if number == 0 {
                past.touched = Rc::new(bits.clone());
                past.belief = belief;
            }
            (cache.attach(settings(number), backing, past).await.unwrap(), fails)
        };
        let new = || RecoveryTrust::Nothing("the disk is new".to_owned());
        let page = || Buffer::copy_of(&[7; PAGE as usize]);
        // A failed flush, and a failed write: later ones succeed, but what failed is not forgotten.
        for number in [1, 2] {
            let (disk, fails) = attach(&first, number, new()).await;
            assert!(disk.is_fit_to_move());
            fails.set(true);
            if number == 1 {
                disk.flush().await.unwrap_err();
            } else {
                disk.write(0, page()).await.1.unwrap_err();
            }
            fails.set(false);
            assert!(!disk.is_fit_to_move());
            assert!(number == 2 || !disk.hold_flushes().await.stop());
        }
        let (disk, fails) = attach(&first, 0, new()).await;
        disk.write(0, page()).await.1.unwrap();
        for number in 1..100 {
            disk.read(number * PAGE, Buffer::zeroed(PAGE as usize)).await.1.unwrap();
            host.sleep(100_000).await;
        }
        assert!(disk.statistics().counts.promotions > 0);
        assert!(disk.is_fit_to_move() && disk.hold_flushes().await.stop());
        // Its failure would be lost.
        fails.set(true);
        assert_eq!(disk.flush().await.unwrap_err().kind, block::ErrorKind::Gone);
        let saved = disk.save_learned().await.expect("it is attached");
        first.release(disk.stop_destaging().await).await;
        let (moved, _) = attach(&second, 0, RecoveryTrust::ByPage).await;
        moved.count_on(&disk.tally());
        assert_ne!(moved.curves(), disk.curves());
        let shape = second.learned_shape(&moved.settings());
        moved.restore_learned(LearnedState::decode(&saved, &shape).expect("it was saved just now"));
        assert_eq!(moved.curves(), disk.curves());
        assert_eq!(moved.curves().reads.hit_ratio_max(), Some(0.0), "each page was read once");
        let load = moved.loaded().await;
        assert!(load.state == LoadProgress::Done && load.pages_kept > 0, "{load:?}");
        assert_eq!(moved.statistics().counts.writes, 1);
        let (buffer, result) = moved.read(0, Buffer::zeroed(PAGE as usize)).await;
        assert!(result.is_ok() && buffer[..] == page()[..]);
        moved.flush().await.unwrap();
        second.detach(&moved).await;
    });
}

#[test]
fn nobody_waits_for_a_disk_to_be_loaded_that_has_left() {
    let flash = formatted();
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    let left = executor.run(async {
        let marks = SessionIds { new: 1, known: vec![0], epoch: None };
        let cache::Opened { cache, .. } =
            Cache::<Env>::open(vec![flash.open(&host, FLASH_TAKES)], host.clone(), &marks).await.unwrap();
        let backing = Shared::new(DISK_BYTES).open(&host, BACKING_TAKES);
        let past = RecoveryContext { belief: RecoveryTrust::ByRegion, ..RecoveryContext::none(DISK_BYTES) };
        let disk = cache.attach(settings(0), backing, past).await.unwrap();
        let removal = cache.remove(&disk, DirtyData::Refuse);
        let (loaded, removed) = futures_util::future::join(disk.loaded(), removal).await;
        removed.unwrap();
        assert_eq!((loaded.state, disk.loaded().await.state), (LoadProgress::Running, LoadProgress::Running));
    });
    assert_eq!(left, Some(()), "somebody waits for what never happens");
}
