//! Cost of destage for a spinning array and its guests, on the modelled arrays of `block::model`, in virtual time: the figures show the
//! requests to the arrays and their times, and do not depend on the load of this machine. CPU time does not count. A redo ring lies at the
//! end of the same array.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use block::executor::LocalHost;
use block::model::{Model, Profile, Work};
use block::{BlockDevice, Buffer, ByteRange, Host, Memory};
use cache::{DestageOrder, Mode};
use redo::{RedoRing, RingId, RingOwner};

use crate::modelled::{ArrayPart, in_virtual_time};
use crate::rig::{Rig, random};

const PAGE: u64 = 4096;
/// Size of the disk: the whole stroke of its spindles.
const DISK: u64 = 8 << 30;
/// Area that guests write: random pages of the start of the disk.
const AREA: u64 = 512 << 20;
const BURST: u64 = 256 << 20;
/// Area that guests read again and again, and area in which they read each page once.
const HOT: ByteRange = ByteRange { start: 1 << 30, end: (1 << 30) + (64 << 20) };
const COLD: ByteRange = ByteRange { start: 2 << 30, end: DISK };
const FLASH: u64 = 2560 << 20;
const DIRTY_LIMIT: u64 = 600 << 20;
const RAM: u64 = 16 << 20;
/// Time that destage and guests run before they are measured.
const SETTLING_SECONDS: u64 = 20;
const SECOND: u64 = 1_000_000_000;
/// Requests in flight at the full load of an array, and of guests in a burst.
const DEPTH: u32 = 32;
/// Requests of destage in flight at full speed, and the maximum size of one.
const SORTED_DEPTH: u32 = 8;
const SORTED_BYTES: u64 = 1 << 20;
/// Bytes of the ring: the default of a large disk.
const RING: u64 = 1 << 30;
/// Bytes of a write of a guest that streams.
const STREAM_BYTES: u64 = 64 << 10;

type Array = Model<Memory, LocalHost>;

/// A disk in write-back, and the array with its backing and ring.
struct ArrayRig {
    array: Rc<Array>,
    rig: Rig<ArrayPart<Memory>, Memory>,
}

/// Runs a burst of random writes, sent to the array as it arrives, and destaged.
pub(crate) fn burst(profile: Profile) {
    let arrival = in_virtual_time(async |host: LocalHost| {
        let array = Rc::new(Model::new(Memory::new(DISK), host.clone(), profile));
        write_all(&array, &host, burst_pages().into_iter().map(|page| page..page + 1).collect(), DEPTH).await;
        (array.work(), host.now())
    });
    let destaged = |order| {
        in_virtual_time(async |host: LocalHost| {
            let ArrayRig { array, rig } = write_back_rig(&host, profile, order).await;
            // Groups are written while the burst comes.
            let (before, started) = (array.work(), host.now());
            write_burst(&rig, &host).await;
            wait_until_clean(&rig, &host).await;
            (since(before, array.work()), host.now() - started)
        })
    };
    let ways = [
        ("arrival", arrival),
        ("destage", destaged(DestageOrder::Address)),
        ("consistent", destaged(DestageOrder::Consistent)),
    ];
    for (how, (work, took)) in ways {
        println!(
            "{{\"measurement\":\"burst\",\"how\":\"{how}\",\"seek_nanos\":{},\"busy_nanos\":{},\"operations\":{},\"nanos\":{took}}}",
            work.seek_nanos, work.busy_nanos, work.operations
        );
    }
}

/// Runs guests that read at a steady rate, without and with destage beside them; and the array's best rates.
pub(crate) fn beside(
    profile: Profile,
    order: DestageOrder,
    load_percent: u64,
    hit_percent: u64,
    seconds: u64,
) {
    let random_reads = in_virtual_time(async |host| random_reads(host, profile).await);
    let sorted = in_virtual_time(async |host| sorted_writes(host, profile).await);
    let load = GuestLoad { reads_per_second: random_reads * load_percent / 100, hit_percent, seconds };
    let idle = in_virtual_time(async |host: LocalHost| {
        let ArrayRig { rig, .. } = write_back_rig(&host, profile, order).await;
        warm(&rig).await;
        read_at_rate(&rig, &host, load).await
    });
    let (busy, destaged) = in_virtual_time(async |host: LocalHost| {
        let ArrayRig { rig, .. } = write_back_rig(&host, profile, order).await;
        warm(&rig).await;
        write_burst(&rig, &host).await;
        // Destage adapts its concurrency.
        read_at_rate(&rig, &host, GuestLoad { seconds: SETTLING_SECONDS, ..load }).await;
        let before = rig.disk.statistics().counts.destage_bytes;
        let latencies = read_at_rate(&rig, &host, load).await;
        let statistics = rig.disk.statistics();
        assert!(statistics.dirty_bytes > 0, "destage had work to the end");
        (latencies, (statistics.counts.destage_bytes - before) / seconds)
    });
    println!(
        "{{\"measurement\":\"beside\",\"array_reads_per_second\":{random_reads},\"guest_reads_per_second\":{},\"sorted_bytes_per_second\":{sorted},\
         \"destage_bytes_per_second\":{destaged},\"idle_p50\":{},\"idle_p99\":{},\"busy_p50\":{},\"busy_p99\":{},\"reads\":{}}}",
        load.reads_per_second,
        idle.at(50),
        idle.at(99),
        busy.at(50),
        busy.at(99),
        busy.nanos.len()
    );
}

/// Runs a guest that writes at a share of the array's sequential rate, and one with a burst of random pages. Measures the age of the promise:
/// the time since the oldest write that is in no group, at each hundredth of a second.
pub(crate) fn age(profile: Profile, rate_percent: u64, age_max_seconds: Option<u64>, seconds: u64) {
    let sequential = in_virtual_time(async |host: LocalHost| {
        let array = Rc::new(Model::new(Memory::new(DISK), host.clone(), profile));
        let each = SORTED_BYTES / PAGE;
        let runs = (0..BURST / SORTED_BYTES).map(|at| at * each..(at + 1) * each).collect();
        write_all(&array, &host, runs, SORTED_DEPTH).await;
        (u128::from(BURST) * u128::from(SECOND) / u128::from(host.now())) as u64
    });
    let wanted = sequential * rate_percent / 100;
    let (steady, written) = in_virtual_time(async |host: LocalHost| {
        let ArrayRig { rig, .. } = limited_rig(&host, profile, age_max_seconds).await;
        let ages = ages_of(&rig, &host);
        let (started, mut written) = (host.now(), 0);
        while host.now() < started + seconds * SECOND {
            // A guest that is held back does not catch up: it has one write at once.
            host.sleep_until(
                started + (u128::from(written) * u128::from(SECOND) / u128::from(wanted)) as u64,
            )
            .await;
            rig.write(written % AREA, STREAM_BYTES as usize).await;
            written += STREAM_BYTES;
        }
        (ages.take(), written / seconds)
    });
    let burst = in_virtual_time(async |host: LocalHost| {
        let ArrayRig { rig, .. } = limited_rig(&host, profile, age_max_seconds).await;
        let ages = ages_of(&rig, &host);
        write_burst(&rig, &host).await;
        while rig.disk.consistency().is_some_and(|state| state.fresh_bytes > 0) {
            host.sleep(SECOND / 100).await;
        }
        ages.take()
    });
    let [steady, burst] = [steady, burst].map(|mut nanos| {
        nanos.sort_unstable();
        SortedLatencies { nanos }
    });
    println!(
        "{{\"measurement\":\"age\",\"sequential_bytes_per_second\":{sequential},\"wanted_bytes_per_second\":{wanted},\
         \"written_bytes_per_second\":{written},\"age_p50\":{},\"age_max\":{},\"burst_age_max\":{}}}",
        steady.at(50),
        steady.at(100),
        burst.at(100),
    );
}

async fn limited_rig(host: &LocalHost, profile: Profile, age_max_seconds: Option<u64>) -> ArrayRig {
    let made = write_back_rig(host, profile, DestageOrder::Consistent).await;
    made.rig.change(|settings| settings.consistent_age_max_ns = age_max_seconds.map(|most| most * SECOND));
    made
}

/// Returns the ages from now on, until they are taken.
fn ages_of(rig: &Rig<ArrayPart<Memory>, Memory>, host: &LocalHost) -> Rc<RefCell<Vec<u64>>> {
    let ages = Rc::new(RefCell::new(vec![0]));
    let (seen, disk, host) = (Rc::downgrade(&ages), Rc::clone(&rig.disk), host.clone());
    host.clone().spawn(async move {
        while let Some(ages) = seen.upgrade() {
            let state = disk.consistency().expect("it has a ring");
            ages.borrow_mut().push(state.uncovered_ns);
            drop(ages);
            host.sleep(SECOND / 100).await;
        }
    });
    ages
}

/// Load of guests.
#[derive(Clone, Copy)]
struct GuestLoad {
    reads_per_second: u64,
    hit_percent: u64,
    seconds: u64,
}

struct SortedLatencies {
    /// Latencies, sorted.
    nanos: Vec<u64>,
}

impl SortedLatencies {
    fn at(&self, percent: usize) -> u64 {
        self.nanos[(self.nanos.len() - 1) * percent / 100]
    }
}

async fn write_back_rig(host: &LocalHost, profile: Profile, order: DestageOrder) -> ArrayRig {
    let array = Rc::new(Model::new(Memory::new(DISK + RING), host.clone(), profile));
    let backing = ArrayPart::new(&array, 0, DISK);
    let rig = Rig::with_settings(host.clone(), Memory::new(FLASH), backing, 4096, RAM, |settings| {
        settings.mode = Mode::WriteBack;
        settings.reserve_bytes = settings.limit_bytes / 16 * 15;
        settings.dirty_limit_bytes = Some(DIRTY_LIMIT);
        settings.destage_order = order;
    })
    .await;
    if order == DestageOrder::Consistent {
        let place = ArrayPart::new(&array, DISK, RING);
        let owner = RingOwner { pool: [1; 16], disk: 1 };
        let ring = RedoRing::create(place, RingId([2; 16]), owner).await.expect("memory does not fail");
        rig.disk.set_redo_ring(ring, Rc::new(|| 0));
        while rig.disk.consistency().is_none_or(|state| state.taken_at.is_none()) {
            host.sleep(SECOND / 100).await;
        }
    }
    ArrayRig { array, rig }
}

/// Returns the pages of the burst, in the order in which guests write them; some of them more than once.
fn burst_pages() -> Vec<u64> {
    let mut state = 1;
    (0..BURST / PAGE).map(|_| random(&mut state) % (AREA / PAGE)).collect()
}

async fn write_burst(rig: &Rig<ArrayPart<Memory>, Memory>, host: &LocalHost) {
    for page in burst_pages() {
        rig.write(page * PAGE, PAGE as usize).await;
    }
    assert!(host.now() < 600 * SECOND, "nobody was held back for long");
}

async fn wait_until_clean(rig: &Rig<ArrayPart<Memory>, Memory>, host: &LocalHost) {
    rig.disk.start_destage();
    while rig.disk.statistics().dirty_bytes > 0 {
        host.sleep(SECOND / 100).await;
    }
}

/// Writes runs of pages in this order, so many at once.
async fn write_all(array: &Rc<Array>, host: &LocalHost, runs: Vec<std::ops::Range<u64>>, depth: u32) {
    let runs = Rc::new(RefCell::new(runs.into_iter()));
    let running = Rc::new(Cell::new(depth));
    for _ in 0..depth {
        let (array, runs, running) = (Rc::clone(array), Rc::clone(&runs), Rc::clone(&running));
        host.spawn(async move {
            loop {
                let next = runs.borrow_mut().next();
                let Some(run) = next else { break };
                let buffer = Buffer::zeroed(((run.end - run.start) * PAGE) as usize);
                array.write(run.start * PAGE, buffer).await.1.expect("memory does not fail");
            }
            running.set(running.get() - 1);
        });
    }
    while running.get() > 0 {
        host.sleep(SECOND / 1000).await;
    }
}

/// Returns the rate in bytes a second at which the array accepts the pages of the burst, sorted, with neighbours joined, and no other load.
async fn sorted_writes(host: LocalHost, profile: Profile) -> u64 {
    let mut pages = burst_pages();
    pages.sort_unstable();
    pages.dedup();
    let mut runs: Vec<std::ops::Range<u64>> = Vec::new();
    for page in &pages {
        match runs.last_mut() {
            Some(run) if run.end == *page && (run.end - run.start) * PAGE < SORTED_BYTES => run.end += 1,
            _ => runs.push(*page..page + 1),
        }
    }
    let array = Rc::new(Model::new(Memory::new(DISK), host.clone(), profile));
    write_all(&array, &host, runs, SORTED_DEPTH).await;
    (u128::from(pages.len() as u64 * PAGE) * u128::from(SECOND) / u128::from(host.now())) as u64
}

/// Returns the maximum rate of random reads of the array, per second.
async fn random_reads(host: LocalHost, profile: Profile) -> u64 {
    const READS: u64 = 20_000;
    let array = Rc::new(Model::new(Memory::new(DISK), host.clone(), profile));
    let (left, running) = (Rc::new(Cell::new(READS)), Rc::new(Cell::new(DEPTH)));
    for worker in 0..DEPTH {
        let (array, left, running) = (Rc::clone(&array), Rc::clone(&left), Rc::clone(&running));
        host.spawn(async move {
            let mut state = u64::from(worker);
            while left.get() > 0 {
                left.set(left.get() - 1);
                let place = random(&mut state) % (DISK / PAGE) * PAGE;
                array.read(place, Buffer::zeroed(PAGE as usize)).await.1.expect("memory does not fail");
            }
            running.set(running.get() - 1);
        });
    }
    while running.get() > 0 {
        host.sleep(SECOND / 1000).await;
    }
    READS * SECOND / host.now()
}

/// Brings the hot part into the cache.
async fn warm(rig: &Rig<ArrayPart<Memory>, Memory>) {
    while rig.disk.statistics().cached_bytes < HOT.len() / 100 * 99 {
        for place in (HOT.start..HOT.end).step_by(64 << 10) {
            rig.read(place, 64 << 10).await;
            rig.rest().await;
        }
    }
}

/// Reads at a steady rate, whether earlier reads were answered or not.
async fn read_at_rate(
    rig: &Rig<ArrayPart<Memory>, Memory>,
    host: &LocalHost,
    load: GuestLoad,
) -> SortedLatencies {
    let count = load.reads_per_second * load.seconds;
    let nanos = Rc::new(RefCell::new(Vec::new()));
    // Other places each time.
    let (mut state, started) = (host.now() | 7, host.now());
    for number in 0..count {
        // Random intervals, as of many guests, whose mean follows from the rate.
        let at =
            started + (number * 1000 + random(&mut state) % 1000) * SECOND / 1000 / load.reads_per_second;
        host.sleep_until(at).await;
        let from = if random(&mut state) % 100 < load.hit_percent { HOT } else { COLD };
        let place = from.start + random(&mut state) % (from.len() / PAGE) * PAGE;
        let (disk, host, nanos) = (Rc::clone(&rig.disk), host.clone(), Rc::clone(&nanos));
        host.clone().spawn(async move {
            let started = host.now();
            disk.read(place, Buffer::zeroed(PAGE as usize)).await.1.expect("memory does not fail");
            nanos.borrow_mut().push(host.now() - started);
        });
    }
    while (nanos.borrow().len() as u64) < count {
        host.sleep(SECOND / 1000).await;
    }
    let mut nanos = nanos.take();
    nanos.sort_unstable();
    SortedLatencies { nanos }
}

fn since(before: Work, after: Work) -> Work {
    Work {
        operations: after.operations - before.operations,
        seek_nanos: after.seek_nanos - before.seek_nanos,
        busy_nanos: after.busy_nanos - before.busy_nanos,
    }
}
