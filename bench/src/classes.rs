//! Latency classes of ten virtual machines on one modelled array, without a cache and with one: the shape of `docs/nfs.md`, ten disks
//! in write-back on one pool of two SSDs. In virtual time: no load of this machine changes them.
//!
//! ```text
//!   ten disks ──> cache ──> pool of two SSDs: FLASH_READ_NS, FLASH_WRITE_NS
//!                   └────> array: one model, each disk a part of it
//! ```
//! Processors cost nothing here, so each request of a disk in the cache has [`DOOR_NS`] on top. Its writes end with a flush, as those of a
//! correct NFS server do; those of the array alone without one, because the model has no cache that would need it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use block::executor::LocalHost;
use block::model::Profile;
use block::{BlockDevice, Buffer, Host};
use cache::{Admission, DiskId, DiskSettings, Mode, RecoveryContext, SequentialCutoff};
use workload::Ranks;

use crate::modelled::{
    Array, ArrayPart, DOOR_NS, Disk, FLASH_WRITE_NS, SECOND, SsdTransfer, blank_array, in_virtual_time,
    open_cache,
};
use crate::rig::random;

const DISKS: u64 = 10;
const DISK: u64 = 256 << 20;
const PAGE: u64 = 4096;
/// Unit that is hot or cold as a whole, like clusters of a file system.
const EXTENT: u64 = 64 << 10;
const EXTENTS: usize = (DISK / EXTENT) as usize;
/// Exponent by which the probability of an extent falls with its rank: that of YCSB's workloads.
const SKEW: f64 = 0.99;
const WRITES_PERCENT: u64 = 30;
/// RAM of each disk: little, because the page cache of an NFS server takes the frequent reads.
const RAM: u64 = 1 << 20;
/// Load of guests in hundredths of the array's own rate.
const LOAD_PERCENT: u64 = 50;
/// Requests in flight while that rate is measured.
const DEPTH: u32 = 32;
/// Upper bounds of the classes, in nanoseconds. One more class is above them.
const BOUNDS: [u64; 5] = [250_000, 1_000_000, 5_000_000, 20_000_000, 100_000_000];

/// Extent of the measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassesExtent {
    /// Measured requests.
    pub(crate) requests: u64,
    /// Requests before them.
    pub(crate) warming: u64,
}

/// Prints classes of the array alone, then with pools of these sizes, in hundredths of all disks together. Disks that fit a pool as a whole
/// are read from end to end before.
pub(crate) fn report(profile: Profile, load: ClassesExtent, pools_percent: &[u64]) {
    let rate = in_virtual_time(async |host| requests_per_second(host, profile).await) * LOAD_PERCENT / 100;
    let alone = in_virtual_time(async |host: LocalHost| {
        let array = Rc::new(new_array(&host, profile));
        let guests = Guests::new(&host, rate);
        guests.run(load.requests, async move |request| on_array(&array, request).await).await
    });
    alone.print("array", rate);
    for percent in pools_percent {
        let cached = in_virtual_time(async |host: LocalHost| {
            let disks = cached_disks(&host, profile, *percent).await;
            if *percent > 100 {
                read_all(&disks, &host).await;
            }
            let guests = Guests::new(&host, rate);
            let on_disk = async move |request: PageRequest| {
                let disk = &disks[request.disk as usize];
                on_cached(disk, request).await;
            };
            let on_disk = Rc::new(on_disk);
            let warming = Rc::clone(&on_disk);
            guests.run(load.warming, async move |request| warming(request).await).await;
            let mut seen = guests.run(load.requests, async move |request| on_disk(request).await).await;
            seen.add(DOOR_NS);
            seen
        });
        cached.print(&format!("pool of {percent} %"), rate);
    }
}

/// Request of a guest, of one page.
#[derive(Clone, Copy)]
struct PageRequest {
    disk: u64,
    offset: u64,
    is_write: bool,
}

async fn on_array(array: &Array, request: PageRequest) {
    let (offset, page) = (request.disk * DISK + request.offset, Buffer::zeroed(PAGE as usize));
    let outcome =
        if request.is_write { array.write(offset, page).await } else { array.read(offset, page).await };
    outcome.1.expect("memory does not fail");
}

async fn on_cached(disk: &Rc<Disk>, request: PageRequest) {
    let page = Buffer::zeroed(PAGE as usize);
    if request.is_write {
        disk.write(request.offset, page).await.1.expect("memory does not fail");
        disk.flush().await.expect("memory does not fail");
    } else {
        disk.read(request.offset, page).await.1.expect("memory does not fail");
    }
}

/// Generator of guests' requests.
struct RequestGenerator {
    ranks: Ranks,
    /// Extent of each rank, for each disk: hot extents are scattered.
    extents: Vec<Vec<u32>>,
    state: u64,
}

impl RequestGenerator {
    fn new() -> Self {
        let mut state = 1;
        let mut shuffled = || {
            let mut extents: Vec<u32> = (0..EXTENTS as u32).collect();
            for last in (1..EXTENTS).rev() {
                extents.swap(last, random(&mut state) as usize % (last + 1));
            }
            extents
        };
        let extents = (0..DISKS).map(|_| shuffled()).collect();
        Self { ranks: Ranks::new(EXTENTS, SKEW), extents, state }
    }

    #[expect(clippy::cast_precision_loss, reason = "31 bits")]
    fn draw(&mut self) -> PageRequest {
        let disk = random(&mut self.state) % DISKS;
        let chance = random(&mut self.state) as f64 / (1u64 << 31) as f64;
        let rank = self.ranks.draw(chance);
        let extent = u64::from(self.extents[disk as usize][rank]);
        let page = random(&mut self.state) % (EXTENT / PAGE);
        let is_write = random(&mut self.state) % 100 < WRITES_PERCENT;
        PageRequest { disk, offset: extent * EXTENT + page * PAGE, is_write }
    }
}

/// Guests with a steady rate of requests, whether earlier ones were answered or not.
struct Guests {
    host: LocalHost,
    chance: RefCell<RequestGenerator>,
    per_second: u64,
}

impl Guests {
    fn new(host: &LocalHost, per_second: u64) -> Self {
        Self { host: host.clone(), chance: RefCell::new(RequestGenerator::new()), per_second }
    }

    async fn run(&self, count: u64, serve: impl AsyncFn(PageRequest) + 'static) -> Seen {
        let serve = Rc::new(serve);
        let seen = Rc::new(RefCell::new(Seen::default()));
        let started = self.host.now();
        for number in 0..count {
            let (request, within) = {
                let mut chance = self.chance.borrow_mut();
                (chance.draw(), random(&mut chance.state) % 1000)
            };
            // Random intervals, as of many guests, whose mean follows from the rate.
            self.host
                .sleep_until(started + (number * 1000 + within) * (SECOND / 1000) / self.per_second)
                .await;
            let (serve, host, seen) = (Rc::clone(&serve), self.host.clone(), Rc::clone(&seen));
            self.host.spawn(async move {
                let started = host.now();
                serve(request).await;
                let nanos = host.now() - started;
                let mut seen = seen.borrow_mut();
                if request.is_write { seen.writes.push(nanos) } else { seen.reads.push(nanos) }
            });
        }
        while seen.borrow().len() < count {
            self.host.sleep(SECOND / 1000).await;
        }
        seen.take()
    }
}

/// Latencies of requests, in nanoseconds.
#[derive(Default)]
struct Seen {
    reads: Vec<u64>,
    writes: Vec<u64>,
}

impl Seen {
    fn len(&self) -> u64 {
        (self.reads.len() + self.writes.len()) as u64
    }

    fn add(&mut self, nanos: u64) {
        for all in [&mut self.reads, &mut self.writes] {
            for took in all.iter_mut() {
                *took += nanos;
            }
        }
    }

    fn print(&self, who: &str, per_second: u64) {
        let all: Vec<u64> = self.reads.iter().chain(&self.writes).copied().collect();
        for (what, nanos) in [("all", &all), ("reads", &self.reads), ("writes", &self.writes)] {
            let (classes, bounds) = (classes_of(nanos), &BOUNDS[..]);
            println!(
                "{{\"measurement\":\"classes\",\"who\":\"{who}\",\"what\":\"{what}\",\"per_second\":{per_second},\"bounds_ns\":{bounds:?},\"counts\":{classes:?}}}"
            );
        }
    }
}

/// Returns the number of these in each class.
fn classes_of(nanos: &[u64]) -> [u64; BOUNDS.len() + 1] {
    let mut counts = [0; BOUNDS.len() + 1];
    for took in nanos {
        counts[BOUNDS.partition_point(|bound| bound < took)] += 1;
    }
    counts
}

fn new_array(host: &LocalHost, profile: Profile) -> Array {
    blank_array(host, profile, DISKS * DISK)
}

/// Returns the maximum rate of requests of this kind that the array answers, per second.
async fn requests_per_second(host: LocalHost, profile: Profile) -> u64 {
    const REQUESTS: u64 = 20_000;
    let array = Rc::new(new_array(&host, profile));
    let chance = Rc::new(RefCell::new(RequestGenerator::new()));
    let (left, running) = (Rc::new(Cell::new(REQUESTS)), Rc::new(Cell::new(DEPTH)));
    for _ in 0..DEPTH {
        let (array, chance, left, running) =
            (Rc::clone(&array), Rc::clone(&chance), Rc::clone(&left), Rc::clone(&running));
        host.spawn(async move {
            while left.get() > 0 {
                left.set(left.get() - 1);
                let request = chance.borrow_mut().draw();
                on_array(&array, request).await;
            }
            running.set(running.get() - 1);
        });
    }
    while running.get() > 0 {
        host.sleep(SECOND / 1000).await;
    }
    REQUESTS * SECOND / host.now()
}

/// Attaches ten disks in write-back, each on its part of one array, to a pool of two SSDs that together have so many hundredths of all
/// disks.
async fn cached_disks(host: &LocalHost, profile: Profile, percent: u64) -> Vec<Rc<Disk>> {
    let array = Rc::new(new_array(host, profile));
    let cache = open_cache(host, 2, DISKS * DISK * percent / 100 / 2, SsdTransfer::Free).await;
    let mut disks = Vec::new();
    for number in 0..DISKS as u32 {
        let settings = DiskSettings {
            mode: Mode::WriteBack,
            block_bytes: 64 << 10,
            reserve_bytes: cache.usable_bytes() / 12,
            limit_bytes: cache.usable_bytes(),
            ram_bytes: RAM,
            admission: Admission::Adaptive,
            sequential_cutoff: SequentialCutoff::Auto,
            ..DiskSettings::plain(DiskId(number + 1))
        };
        let part = ArrayPart::new(&array, u64::from(number) * DISK, DISK);
        let disk = cache.attach(settings, part, RecoveryContext::none(DISK)).await.expect("the settings fit");
        // Until then writes go to the backing.
        disk.loaded().await;
        disks.push(disk);
    }
    disks
}

/// Reads all disks from end to end until no more can be cached.
async fn read_all(disks: &[Rc<Disk>], host: &LocalHost) {
    const PASSES: u32 = 3;
    for _ in 0..PASSES {
        for disk in disks {
            for offset in (0..DISK).step_by(EXTENT as usize) {
                disk.read(offset, Buffer::zeroed(EXTENT as usize)).await.1.expect("memory does not fail");
                // Pages evicted from RAM are on their way to the SSDs.
                host.sleep(FLASH_WRITE_NS).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_belongs_to_the_class_whose_bound_it_does_not_exceed() {
        assert_eq!(classes_of(&[1, 250_000, 250_001, 5_000_000, 20_000_001, u64::MAX]), [2, 1, 1, 0, 1, 1]);
    }

    #[test]
    fn ten_cached_disks_answer_more_requests_within_250_us_than_their_array_alone() {
        let profile = "hdd-15k-raid5x5".parse().expect("a known profile");
        let alone = in_virtual_time(async |host: LocalHost| {
            let array = Rc::new(new_array(&host, profile));
            Guests::new(&host, 200).run(2_000, async move |request| on_array(&array, request).await).await
        });
        let cached = in_virtual_time(async |host: LocalHost| {
            let disks = cached_disks(&host, profile, 20).await;
            let serve =
                async move |request: PageRequest| on_cached(&disks[request.disk as usize], request).await;
            Guests::new(&host, 200).run(2_000, serve).await
        });
        let soon = |seen: &Seen| classes_of(&seen.reads)[0] + classes_of(&seen.writes)[0];
        assert!(soon(&cached) > 500 + soon(&alone), "{} and {}", soon(&cached), soon(&alone));
    }
}
