//! World of a seed: two disks on one or two shards, one pool a quarter of their size, clients, faults, and several processes that end in
//! one of three ways.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;

use block::executor::{Executor, LocalHost, Order, VirtualTime};
use block::faulty::{Faults, Faulty};
use block::{ByteRange, Geometry, Host, Memory, SECTOR};
use cache::{
    Cache, CachedDisk, LoadProgress, MemberNumber, PoolId, RecoveryContext, RecoveryTrust, SharedBits,
    words_for,
};
use futures_util::future::{Either, select};

use crate::coverage::Coverage;
use crate::devices::FLASH_DEVICES;
use crate::growth::Growth;
use crate::mirror::Copies;
use crate::model::{Model, Ticket};
use crate::process::serve;
use crate::resizing::Resizing;
use crate::rng::Rng;
use crate::settings::Kind;

pub(crate) type Env = (Faulty<LocalHost>, Faulty<LocalHost>, LocalHost);
pub(crate) type Disk = CachedDisk<Env>;
pub(crate) type SimCache = Cache<Env>;

pub(crate) const POOL: PoolId = PoolId([7; 16]);
pub(crate) const DISKS: usize = 2;
const OPERATIONS: u64 = 600;
pub(crate) const SEGMENT_BYTES: u64 = 32 << 10;
pub(crate) const RESERVE_BYTES: u64 = 16 * SEGMENT_BYTES;
/// Bytes of a region, ten to a disk: some are open when a process ends, and some are not.
pub(crate) const REGION_BYTES: u64 = 256 << 10;
/// Upper bound of the lifetime of a process in virtual time, in nanoseconds.
const LIFE_MAX_NS: u64 = 3 * 3600 * 1_000_000_000;
/// Bytes of a flash device before its first segment. Their content has two copies.
const FIRST_SEGMENT: u64 = 4 * SEGMENT_BYTES;

/// Result of a seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Hash of everything that clients saw, with times: equal for equal seeds.
    pub digest: u64,
    /// Cases that occurred.
    pub coverage: Coverage,
    /// The first violation, if there was one.
    pub failure: Option<String>,
}

/// State that outlives a process: contents, models and counts.
pub struct World {
    pub(crate) seed: u64,
    pub(crate) kind: Kind,
    pub(crate) flash: Vec<Faults>,
    flash_bytes: [u64; FLASH_DEVICES],
    /// Numbers of the flash devices in the pool, as far as this process knows.
    pub(crate) numbers: RefCell<[Option<MemberNumber>; FLASH_DEVICES]>,
    pub(crate) backings: Vec<Faults>,
    pub(crate) models: Vec<RefCell<Model>>,
    /// State of each disk that outlives a process.
    pub(crate) memories: Vec<Memories>,
    pub(crate) coverage: RefCell<Coverage>,
    digest: Cell<u64>,
    pub(crate) failure: RefCell<Option<String>>,
    pub(crate) left: Cell<u64>,
    next_value: Cell<u64>,
    /// Size of a backing in bytes.
    size: u64,
    pub(crate) growth: Growth,
    pub(crate) resizing: Resizing,
    /// Present action of the process, for reports.
    doing: RefCell<String>,
    /// Set once the pool was not opened, because it may have dirty data.
    pub(crate) refused: Cell<bool>,
    /// Highest epoch of the pool's list of devices that is stored elsewhere.
    pub(crate) epoch: Rc<Cell<u32>>,
    /// State of the copies of a mirrored world, and whether one device may be missing now.
    pub(crate) copies: Cell<Copies>,
    pub(crate) can_harm: Cell<bool>,
    /// True if it may rot.
    pub(crate) can_rot: Cell<bool>,
    /// Set while nothing fails.
    pub(crate) is_calm: Cell<bool>,
    /// By disk, set once the backing may have left a request without an answer in this process.
    pub(crate) unanswered: Vec<Cell<bool>>,
    /// Set once flash returned wrong data, failed or was missing: then a start may trust nothing.
    pub(crate) rotten: Cell<bool>,
    /// Ranges that were written in the last minute of the previous process, by disk.
    pub(crate) last_ranges: RefCell<Vec<(usize, ByteRange)>>,
}

/// State of a disk beside flash and backing.
pub(crate) struct Memories {
    /// Outlives a process, not the host.
    pub(crate) touched: RefCell<Option<Rc<Bits>>>,
    /// Outlives both: the content of flash is invalid.
    pub(crate) void: Rc<Cell<bool>>,
    /// Set once the backing lost its connection in a process that has not detached the disk since. Flash may have cached pages whose
    /// backing data was lost, and no record of that, so the backing must not be declared unchanged.
    pub(crate) reconnected: Cell<bool>,
}

pub(crate) struct Bits(Box<[AtomicU64]>);

impl SharedBits for Bits {
    fn words(&self) -> &[AtomicU64] {
        &self.0
    }
}

/// End of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Clean,
    Kill,
    PowerCut,
}

/// Runs one seed from an empty pool to the end.
pub fn run_seed(seed: u64) -> Report {
    let mut rng = Rng::new(seed);
    let world = Rc::new(World::new(seed, &mut rng));
    let lives = 1 + rng.below(5);
    for life in 0..lives {
        let end = match rng.below(3) {
            _ if life + 1 == lives => End::Clean,
            0 => End::Clean,
            1 => End::Kill,
            _ if world.kind == Kind::BackWithRot => End::Kill,
            _ => End::PowerCut,
        };
        // Some processes end early.
        world.left.set(if life > 0 && rng.chance(200) { rng.below(12) } else { 2 * OPERATIONS / lives });
        live(&world, life, lives, end, &mut rng);
        if world.failure.borrow().is_some() || world.refused.get() {
            break;
        }
    }
    world.count_discards();
    let (coverage, failure) = (*world.coverage.borrow(), world.failure.borrow().clone());
    Report { digest: world.digest.get(), coverage, failure }
}

/// Runs one process: it opens the pool, serves clients, and ends.
fn live(world: &Rc<World>, life: u64, lives: u64, end: End, rng: &mut Rng) {
    let executor = Executor::new(VirtualTime::new(), Order::Seeded(world.seed ^ life << 56));
    let host = executor.host();
    let sudden = (life > 0 && end != End::Clean && rng.chance(300)).then(|| rng.below(3_000_000));
    let serving = serve(Rc::clone(world), host.clone(), [life, lives], end, Rng::new(rng.draw()));
    let ran = executor.run(async {
        match sudden {
            None => {
                // Tasks that maintain disks never end, so waiting for ever is detected by the time that it takes.
                let (serving, too_long) = (pin!(serving), pin!(host.sleep(LIFE_MAX_NS)));
                if matches!(select(serving, too_long).await, Either::Right(_)) {
                    world.fail(format!("a process does not come to its end: {}", world.doing.borrow()));
                }
            }
            Some(deadline) => {
                // Wherever it is by then: opening, attaching, loading, serving.
                world.set_weather(rng);
                select(pin!(serving), pin!(host.sleep(deadline))).await;
                world.coverage.borrow_mut().sudden_ends += 1;
            }
        }
    });
    if ran.is_none() {
        world.fail("everything waits for something that never happens".to_owned());
    }
    drop(executor);
    let devices = || world.backings.iter().chain(&world.flash);
    match end {
        // A discard that was not awaited is over before the next process starts, whatever devices that one names.
        End::Clean => world.flash.iter().for_each(Faults::kill),
        End::Kill => {
            world.coverage.borrow_mut().kills += 1;
            world.models.iter().for_each(|model| model.borrow_mut().kill());
            devices().for_each(Faults::kill);
        }
        End::PowerCut => {
            world.coverage.borrow_mut().power_cuts += 1;
            world.models.iter().for_each(|model| model.borrow_mut().power_cut());
            world.memories.iter().for_each(|memories| drop(memories.touched.take()));
            devices().for_each(Faults::power_cut);
        }
    }
    // A process's requests hold its locks, so they land before the next one starts (rule I15).
    world.models.iter().for_each(|model| model.borrow_mut().land_late());
    devices().for_each(Faults::land_late);
}

impl World {
    /// Returns the part of a flash device that holds segments.
    pub(crate) fn segments_area(&self, place: usize) -> ByteRange {
        ByteRange::new(FIRST_SEGMENT, self.flash_bytes[place])
    }

    fn new(seed: u64, rng: &mut Rng) -> Self {
        // Not a whole number of pages, so that the last page is a partial one.
        let size = (5 << 19) + rng.below(16) * SECTOR;
        let physical_block = [512, 4096, 16 << 10][rng.below(3) as usize];
        let geometry = Geometry { physical_block, unmaps: rng.chance(700), ..Geometry::plain(size) };
        let growth = Growth::new(seed, size);
        let mut models: Vec<_> = (0..DISKS).map(|_| Model::new(size)).collect();
        let backing = |model| growth.backing(Memory::with_geometry(geometry), model);
        let backings = models.iter_mut().map(|model| Faults::new(backing(model), rng.draw())).collect();
        let first_bytes = FIRST_SEGMENT + (37 + rng.below(4)) * SEGMENT_BYTES;
        let kinds = [Kind::Through, Kind::BackWithRot, Kind::BackWithPowerCuts, Kind::Mirrored];
        let kind = kinds[rng.below(4) as usize];
        // Too small for two copies, or larger than the first.
        let is_large = kind == Kind::Mirrored || rng.chance(300);
        let second_bytes = if is_large {
            first_bytes + SEGMENT_BYTES
        } else {
            first_bytes / 3 / SEGMENT_BYTES * SEGMENT_BYTES
        };
        let flash_bytes = [first_bytes, second_bytes];
        Self {
            seed,
            kind,
            flash: flash_bytes.map(|bytes| Faults::new(Memory::new(bytes), rng.draw())).into(),
            flash_bytes,
            numbers: RefCell::new([Some(MemberNumber(0)), None]),
            backings,
            size,
            growth,
            resizing: Resizing::new(seed),
            doing: RefCell::default(),
            refused: Cell::new(false),
            epoch: Rc::default(),
            copies: Cell::new(Copies::Lacking { place: 1, rotten: false }),
            can_harm: Cell::new(false),
            can_rot: Cell::new(false),
            is_calm: Cell::new(false),
            unanswered: vec![Cell::new(false); DISKS],
            rotten: Cell::new(false),
            last_ranges: RefCell::default(),
            memories: (0..DISKS)
                .map(|_| Memories {
                    touched: RefCell::default(),
                    void: Rc::default(),
                    reconnected: Cell::default(),
                })
                .collect(),
            models: models.into_iter().map(RefCell::new).collect(),
            coverage: RefCell::default(),
            digest: Cell::new(seed),
            failure: RefCell::new(None),
            left: Cell::new(0),
            next_value: Cell::new(0),
        }
    }

    /// Stores which lists of devices are too old.
    pub(crate) async fn witness(&self, cache: &SimCache) {
        let epoch = Rc::clone(&self.epoch);
        let witness: cache::Witness = Rc::new(move |seen| {
            epoch.set(epoch.get().max(seen));
            Box::pin(std::future::ready(Ok(())))
        });
        drop(cache.set_witness(witness).await);
    }

    /// Returns the knowledge about a disk at its attachment.
    pub(crate) fn past(&self, number: usize, rng: &mut Rng) -> RecoveryContext {
        let Memories { touched, void, reconnected } = &self.memories[number];
        let kept = touched.borrow().clone();
        let belief = match kept {
            _ if void.get() => RecoveryTrust::Invalidated("the flash failed".to_owned()),
            _ if reconnected.get() => RecoveryTrust::DirtyOnly("the backing may have lost writes".to_owned()),
            Some(_) => RecoveryTrust::ByPage,
            None => RecoveryTrust::ByRegion,
        };
        let words = || (0..words_for(self.size)).map(|_| AtomicU64::new(0)).collect();
        let bits = touched.borrow_mut().get_or_insert_with(|| Rc::new(Bits(words()))).clone();
        let void = Rc::clone(void);
        RecoveryContext {
            belief,
            disk_bytes: Some(self.growth.size(number)),
            touched: bits,
            samples: rng.below(40) as usize,
            granted: true,
            flash_lost: Rc::new(move || {
                void.set(true);
                Box::pin(std::future::ready(Ok(())))
            }),
        }
    }

    /// Sets the delays of devices for a while.
    pub(crate) fn set_weather(&self, rng: &mut Rng) {
        for device in self.backings.iter().chain(&self.flash) {
            let least = rng.below(50_000);
            device.delay(least, least + 1 + rng.below(400_000));
        }
    }

    /// Slows flash down if writes are to be repeated before their disk is loaded.
    pub(crate) fn slow_down_load(&self) {
        if !self.last_ranges.borrow().is_empty() {
            self.flash.iter().for_each(|flash| flash.delay(100_000, 400_000));
        }
    }

    /// Stops all faults.
    pub(crate) fn calm(&self) {
        self.is_calm.set(true);
        for device in self.backings.iter().chain(&self.flash) {
            device.fail_no_more();
            device.release();
            device.delay(0, 0);
        }
    }

    pub(crate) fn land_late(&self) {
        for (model, backing) in self.models.iter().zip(&self.backings) {
            model.borrow_mut().land_late();
            backing.land_late();
        }
    }

    pub(crate) fn say(&self, doing: &str) {
        self.doing.replace(doing.to_owned());
    }

    pub(crate) fn draw_value(&self) -> u64 {
        self.next_value.set(self.next_value.get() + 1);
        self.next_value.get()
    }

    pub(crate) fn judge(&self, number: usize, ticket: Ticket, bytes: &[u8]) {
        let verdict = self.models[number].borrow_mut().end_read(ticket, bytes);
        if let Err(what) = verdict {
            self.fail(format!("disk {number}: {what}"));
        }
        let words = bytes.chunks_exact(SECTOR as usize);
        words.for_each(|sector| self.note(u64::from_le_bytes(sector[..8].try_into().expect("eight bytes"))));
    }

    pub(crate) fn note(&self, what: u64) {
        self.digest.set((self.digest.get() ^ what).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23));
    }

    pub(crate) fn fail(&self, what: String) {
        self.failure.borrow_mut().get_or_insert(what);
    }

    /// Adds the discards of flash, and checks that nobody used the ranges meanwhile.
    fn count_discards(&self) {
        let mut coverage = self.coverage.borrow_mut();
        for counts in self.flash.iter().map(Faults::counts) {
            coverage.discards += counts.discards;
            coverage.discards_cut += counts.discards_cut;
            if counts.discards_met > 0 {
                self.fail(format!("flash is used while it is discarded: {counts:?}"));
            }
        }
    }

    /// Adds the counts of this process, and checks that the counters agree with each other.
    pub(crate) fn count(&self, cache: &SimCache, disks: &[Rc<Disk>]) {
        let mut coverage = self.coverage.borrow_mut();
        let pool = cache.pool_statistics();
        coverage.flash_failures += u64::from(pool.failed);
        coverage.discards_failed += pool.devices.iter().filter(|device| !device.discards).count() as u64;
        for disk in disks {
            disk.check_catalog();
            let counts = disk.statistics().counts;
            let ways = [
                counts.read_hits_ram,
                counts.read_hits_flash,
                counts.read_partial_hits,
                counts.read_misses,
                counts.reads_bypassed,
            ];
            if ways.iter().sum::<u64>() != counts.reads {
                self.fail(format!("reads do not add up: {counts:?}"));
            }
            coverage.hits += counts.read_hits_ram + counts.read_hits_flash;
            coverage.partial_hits += counts.read_partial_hits;
            coverage.reads_balanced += counts.reads_balanced;
            coverage.promotions += counts.promotions;
            coverage.promotions_held_back += counts.promotions_held_back;
            coverage.evictions += counts.evictions;
            coverage.log_wraps += counts.reclaims;
            coverage.reappends += counts.reappends;
            coverage.reappends_ahead += counts.reappends_ahead;
            coverage.reclaims_out_of_order += counts.reclaims_out_of_order;
            coverage.shadowed_reappends += counts.shadowed_reappends;
            coverage.fills_discarded += counts.fills_discarded;
            coverage.overlaps_serialised += counts.overlaps_serialised;
            coverage.checksum_errors += counts.checksum_errors;
            coverage.regions_closed += counts.regions_closed;
            coverage.writes_back += counts.writes_back;
            coverage.destages += counts.destages;
            coverage.destages_superseded += counts.destages_superseded;
            coverage.superseded_reclaimed += counts.superseded_reclaimed;
            coverage.zeroes_reclaimed += counts.zeroes_reclaimed;
            coverage.throttled += u64::from(counts.throttled_ns > 0);
            let load = disk.statistics().load;
            coverage.pages_kept += load.pages_kept;
            coverage.pages_dropped += load.pages_dropped;
            match load.state {
                LoadProgress::Running => coverage.ends_while_loading += 1,
                LoadProgress::Done => coverage.loads += 1,
                LoadProgress::Cold(_) => coverage.colds += 1,
            }
        }
        let voids = self.memories.iter().filter(|memories| memories.void.get()).count();
        coverage.voids += voids as u64;
    }
}
