//! Comparison of a pool check with the findings of opening the pool and attaching its disks: after clean stops, kills and power cuts, with
//! and without rot.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::faulty::{Faults, Faulty};
use block::{BlockDevice, Buffer, ByteRange, Host, Memory, PAGE};
use cache::{
    Cache, CachedDisk, CheckedDisk, CheckedPool, DiskExpectation, DiskId, DiskSettings, Knowledge,
    LoadProgress, LoadStatistics, PoolContent, PoolId, RecoveryContext, RecoveryTrust, SessionIds, Shape,
    SharedBits, check, words_for,
};
use sim::Rng;

type Disk = CachedDisk<(Faulty<LocalHost>, Faulty<LocalHost>, LocalHost)>;

const SIZE: u64 = 2 << 20;
const SEGMENT: u64 = 32 << 10;
const FLASH_BYTES: u64 = 42 * SEGMENT;
const DISKS: u32 = 2;
const SEEDS: u64 = 60;

type Bits = Box<[AtomicU64]>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Clean,
    Kill,
    PowerCut,
}

/// State that outlives a process.
struct Machine {
    seed: u64,
    rng: Rng,
    flash: Faults,
    backings: Vec<Faults>,
    touched: Vec<Option<Rc<Bits>>>,
    /// Number of starts so far; the mark of each is its number.
    starts: u64,
}

fn bits() -> Rc<Bits> {
    Rc::new((0..words_for(SIZE)).map(|_| AtomicU64::new(0)).collect())
}

fn settings(disk: u32) -> DiskSettings {
    DiskSettings {
        reserve_bytes: 16 * SEGMENT,
        limit_bytes: 40 * SEGMENT,
        ram_bytes: 16 * PAGE,
        ..DiskSettings::plain(DiskId(disk + 1))
    }
}

impl Machine {
    fn new(seed: u64) -> Self {
        let backing = || Faults::new(Memory::new(SIZE), seed);
        Self {
            seed,
            rng: Rng::new(seed),
            flash: Faults::new(Memory::new(FLASH_BYTES), seed),
            backings: (0..DISKS).map(|_| backing()).collect(),
            touched: (0..DISKS).map(|_| None).collect(),
            starts: 0,
        }
    }

    fn belief(&self, disk: usize) -> RecoveryTrust {
        if self.touched[disk].is_some() { RecoveryTrust::ByPage } else { RecoveryTrust::ByRegion }
    }

    fn content(&self) -> Vec<u8> {
        let mut bytes = vec![0; FLASH_BYTES as usize];
        self.flash.peek(0, &mut bytes);
        bytes
    }

    /// Returns the result of a check now.
    fn check(&self) -> CheckedPool {
        let before = self.content();
        let executor = Executor::new(VirtualTime::new(), Order::Fifo);
        let device = self.flash.reopen(executor.host());
        let expected = |disk: DiskId, _: u64| {
            let at = disk.0 as usize - 1;
            let touched = self.touched[at].clone().map(|bits| bits as Rc<dyn SharedBits>);
            DiskExpectation { belief: self.belief(at), touched }
        };
        let marks = SessionIds { new: 0, known: vec![self.starts], epoch: None };
        let known = Knowledge { marks: Some(&marks), expected: &expected };
        let mut done = 0;
        let checked = executor.run(check(vec![device], &known, &mut |progress| {
            done = progress.done;
            assert!(progress.done <= progress.total);
        }));
        let checked = checked.unwrap().unwrap();
        let owned: u64 = checked.disks.iter().map(|disk| disk.segments).sum();
        assert_eq!(done, owned * SEGMENT, "every owned segment is read");
        assert!(self.content() == before, "a check changes nothing");
        checked
    }

    /// Runs one process: compares its findings with `said`, works for a while, and ends.
    fn live(&mut self, said: Option<&CheckedPool>, end: End) {
        let executor = Executor::new(VirtualTime::new(), Order::Seeded(self.seed ^ self.starts));
        let host = executor.host();
        executor.run(self.serve(host, said, end)).unwrap();
        drop(executor);
        let devices = || self.backings.iter().chain([&self.flash]);
        match end {
            End::Clean => {}
            End::Kill => {
                devices().for_each(Faults::kill);
                devices().for_each(Faults::land_late);
            }
            End::PowerCut => {
                devices().for_each(Faults::power_cut);
                self.touched.fill(None);
            }
        }
    }

    async fn serve(&mut self, host: LocalHost, said: Option<&CheckedPool>, end: End) {
        let device = self.flash.reopen(host.clone());
        if self.starts == 0 {
            let shape = Shape { segment_bytes: SEGMENT, region_bytes: 256 << 10 };
            cache::format(&device, PoolId([3; 16]), Some(shape)).await.unwrap();
        }
        let marks = SessionIds { new: self.starts + 1, known: vec![self.starts], epoch: None };
        self.starts += 1;
        let cache::Opened { cache, content, .. } =
            Cache::open(vec![device], host.clone(), &marks).await.unwrap();
        if let Some(said) = said {
            match content {
                PoolContent::Kept { last_mark } => assert_eq!((said.dropped, said.mark), (None, last_mark)),
                PoolContent::Dropped(reason) => assert_eq!(said.dropped, Some(reason)),
            }
        }
        let mut disks = Vec::new();
        for at in 0..DISKS as usize {
            let belief = self.belief(at);
            let touched = Rc::clone(self.touched[at].get_or_insert_with(bits));
            let past = RecoveryContext { belief, touched, ..RecoveryContext::none(SIZE) };
            let backing = self.backings[at].reopen(host.clone());
            disks.push(cache.attach(settings(at as u32), backing, past).await.unwrap());
        }
        let mut loads = Vec::new();
        for disk in &disks {
            // All of them before the first read: reads may push others out.
            loads.push(disk.loaded().await);
        }
        for (disk, loaded) in disks.iter().zip(&loads) {
            if let Some(said) = said {
                let found = said.disks.iter().find(|checked| checked.id == disk.settings().id);
                self.compare(found, loaded, end);
            }
        }
        if let (Some(said), [disk, ..]) = (said, &disks[..])
            && let Some(said) = said.disks.iter().find(|checked| checked.id == disk.settings().id)
        {
            self.read_all(said, disk).await;
        }
        self.work(&host, &disks).await;
        if end == End::Clean {
            // Every request has ended by then.
            host.sleep(100_000_000).await;
            for disk in &disks {
                cache.detach(disk).await;
            }
        }
    }

    /// Compares the check of a disk with the findings of its load.
    fn compare(&self, said: Option<&CheckedDisk>, loaded: &LoadStatistics, end: End) {
        let about = format!("seed {}, start {}, {end:?}: {said:?}", self.seed, self.starts);
        let Some(said) = said else {
            return assert_eq!((loaded.pages_kept, &loaded.state), (0, &LoadProgress::Done), "{about}");
        };
        match &loaded.state {
            LoadProgress::Cold(reason) => assert_eq!(said.cold.as_ref(), Some(reason), "{about}"),
            LoadProgress::Running | LoadProgress::Done => {
                let found = (loaded.pages_kept, loaded.pages_dropped);
                assert_eq!((said.pages_kept, said.pages_dropped), found, "{about}");
            }
        }
    }

    /// Reads the first disk from end to end: exactly the pages that the check reported are damaged.
    async fn read_all(&self, said: &CheckedDisk, disk: &Disk) {
        for at in 0..SIZE / (64 << 10) {
            let (_, result) = disk.read(at * (64 << 10), Buffer::zeroed(64 << 10)).await;
            result.unwrap();
        }
        let errors = disk.statistics().counts.checksum_errors;
        let (least, most) = (said.pages_kept_damaged, said.pages_kept_damaged + said.pages_unfinished);
        assert!((least..=most).contains(&errors), "{errors} checksum errors, seed {}: {said:?}", self.seed);
    }

    async fn work(&mut self, host: &LocalHost, disks: &[Rc<Disk>]) {
        for device in self.backings.iter().chain([&self.flash]) {
            device.delay(1_000, 60_000);
        }
        for _ in 0..self.rng.below(300) {
            let disk = Rc::clone(&disks[self.rng.below(u64::from(DISKS)) as usize]);
            let area = if self.rng.chance(600) { 64 } else { SIZE / PAGE - 4 };
            let page = self.rng.below(area);
            let length = ((1 + self.rng.below(4)) * PAGE) as usize;
            let (writes, rests) = (self.rng.chance(250), self.rng.chance(10));
            let value = self.rng.draw() as u8;
            host.spawn(async move {
                let done = if writes {
                    disk.write(page * PAGE, Buffer::copy_of(&vec![value; length])).await.1
                } else {
                    disk.read(page * PAGE, Buffer::zeroed(length)).await.1
                };
                done.unwrap();
            });
            // Some regions are closed.
            host.sleep(if rests { 70_000_000_000 } else { self.rng.below(200_000) }).await;
        }
        if self.rng.chance(500) {
            host.sleep(1_000_000).await;
        }
        for device in self.backings.iter().chain([&self.flash]) {
            device.delay(0, 0);
        }
    }
}

/// Cases that the seeds met, so that a check of nothing does not pass.
#[derive(Debug, Default)]
struct Met {
    kept: u64,
    dropped: u64,
    forgotten: u64,
    open: u64,
    colds: u64,
    damaged: u64,
    unfinished: u64,
    pools_dropped: u64,
}

impl Met {
    fn add(&mut self, said: &CheckedPool) {
        self.pools_dropped += u64::from(said.dropped.is_some());
        for disk in &said.disks {
            self.kept += disk.pages_kept;
            self.dropped += disk.pages_dropped;
            self.forgotten += disk.versions_forgotten;
            self.open += disk.regions_open.unwrap_or(0);
            self.colds += u64::from(disk.cold.is_some());
            self.damaged += disk.pages_damaged;
            self.unfinished += disk.pages_unfinished;
        }
    }
}

/// Returns the findings of a check that the end of the process does not explain.
fn damage(checked: &CheckedPool, end: End) -> Vec<String> {
    let all = checked.damage.iter().chain(checked.disks.iter().flat_map(|disk| &disk.damage));
    // A copy that was being written at the end is damaged.
    let explained = |what: &&String| end != End::Clean && what.contains("copy of the");
    all.filter(|what| !explained(what)).cloned().collect()
}

#[test]
fn a_restart_finds_what_a_check_said() {
    let mut met = Met::default();
    for seed in 0..SEEDS {
        let mut host = Machine::new(seed);
        let mut said = None;
        let ends = [End::Clean, End::Kill, End::PowerCut];
        for life in 0..4 {
            let end = ends[host.rng.below(3) as usize];
            host.live(said.as_ref(), end);
            let checked = host.check();
            let wrong = damage(&checked, end);
            assert!(wrong.is_empty(), "seed {seed}, life {life}, {end:?}: {wrong:?}");
            let damaged: u64 = checked.disks.iter().map(|disk| disk.pages_damaged).sum();
            // A half-written batch was taken into a summary at the next start, and is detected by its checksum.
            assert!(damaged == 0 || life > 0, "seed {seed}, life {life}, {end:?}: {checked:?}");
            met.add(&checked);
            said = Some(checked);
        }
    }
    println!("{met:?}");
    assert!(met.kept > 0 && met.dropped > 0 && met.forgotten > 0 && met.open > 0, "{met:?}");
}

#[test]
fn rot_anywhere_is_said_before_a_restart_finds_it() {
    let mut met = Met::default();
    for seed in 0..SEEDS {
        let mut host = Machine::new(seed);
        let end = [End::Clean, End::Kill][host.rng.below(2) as usize];
        host.live(None, end);
        let whole = host.check();
        let none_damaged = whole.disks.iter().all(|disk| disk.pages_damaged == 0);
        assert!(damage(&whole, end).is_empty() && none_damaged, "seed {seed}: {whole:?}");
        // Half of the seeds rot in the segments, half of them everywhere.
        let start = if seed % 2 == 0 { 64 << 10 } else { 0 };
        host.flash.rot(&ByteRange::new(start, FLASH_BYTES), 1 + host.rng.below(30));
        let executor = Executor::new(VirtualTime::new(), Order::Fifo);
        let device = host.flash.reopen(executor.host());
        let found = executor.run(cache::identify(&device)).unwrap().unwrap();
        if !matches!(found, cache::Identified::Pool { .. }) {
            continue;
        }
        let said = host.check();
        met.add(&said);
        host.live(Some(&said), End::Clean);
    }
    println!("{met:?}");
    assert!(met.kept > 0 && met.colds > 0 && met.damaged > 0 && met.pools_dropped > 0, "{met:?}");
}

#[test]
fn a_pool_that_somebody_else_used_is_verified_all_the_same_and_nothing_of_it_is_promised() {
    let mut host = Machine::new(1);
    host.live(None, End::Clean);
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let device = || vec![host.flash.handle(executor.host())];
    let expected = |_: DiskId, _: u64| DiskExpectation { belief: RecoveryTrust::ByPage, touched: None };
    let marks = SessionIds { new: 0, known: vec![77], epoch: None };
    let known = Knowledge { marks: Some(&marks), expected: &expected };
    let said = executor.run(check(device(), &known, &mut |_| {})).unwrap().unwrap();
    assert!(said.is_whole() && said.dropped.is_some_and(|reason| reason.contains("Another Forebay")));
    assert!(said.disks.iter().all(|disk| disk.pages_kept == 0 && disk.cold.is_some()));
    assert!(said.disks.iter().any(|disk| disk.pages_verified > 0));

    let known = Knowledge { marks: None, ..known };
    let said = executor.run(check(device(), &known, &mut |_| {})).unwrap().unwrap();
    assert!(said.dropped.is_none() && said.disks.iter().any(|disk| disk.pages_kept > 0));
}

#[test]
fn bits_are_read_as_the_next_process_would() {
    let mut host = Machine::new(2);
    host.live(None, End::Kill);
    let by_page: u64 = host.check().disks.iter().map(|disk| disk.pages_kept).sum();
    let set: u32 = host.touched.iter().flatten().flat_map(|bits| bits.words()).map(ones).sum();
    assert!(set > 0, "something was written last");
    host.touched.fill(None);
    let by_region: u64 = host.check().disks.iter().map(|disk| disk.pages_kept).sum();
    assert!(by_region < by_page, "{by_region} of {by_page} pages without the bits");
}

fn ones(word: &AtomicU64) -> u32 {
    word.load(Ordering::Relaxed).count_ones()
}
