//! The cache alone, on devices in memory: the cost of its own code.

use std::hint::black_box;
use std::time::Instant;

use block::executor::{Executor, Order, VirtualTime};
use block::{ByteRange, Memory};
use cache::{Admission, Curve, DiskSettings, Mode, Use};
use clap::ValueEnum;

use crate::rig::Rig;

/// Path of a request.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Journey {
    /// Read 4 KiB from RAM.
    RamHit,
    /// The same, without waiting and without a buffer.
    AtHand,
    /// Read 4 KiB from flash.
    FlashHit,
    /// Read 4 KiB that is not cached; it enters RAM, and another page goes to flash.
    MissWithFill,
    /// Write 4 KiB through.
    Write,
    /// Write 4 KiB in write-back.
    WriteBack,
    /// Update of the curve by a read of a disk with 16 GiB in use: few of its blocks are sampled.
    Curve,
    /// The same with 4 MiB in use: all blocks are sampled.
    CurveOfAll,
    /// Not a request: reporting all counters of a disk that was read and written, as its thread does for a query.
    Statistics,
    /// Nothing: the cost of the measurement itself.
    Nothing,
}

const PAGE: u64 = 4096;
const FLASH: u64 = 256 << 20;
const RAM: u64 = 16 << 20;
/// Number of pages in use of the disk whose curve is measured.
const CURVE_PAGES: u64 = (16 << 30) / PAGE;
/// Size of the area of write-back: small enough to be dirty altogether without a throttle.
const WRITTEN: u64 = 12 << 20;

/// Runs requests one after another and prints nanoseconds per request.
pub(crate) fn requests(journey: Journey, count: u64) {
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    let spent = executor.run(async {
        let rig = Rig::with_settings(host, Memory::new(FLASH), Memory::new(1 << 40), 4096, RAM, |settings| {
            if matches!(journey, Journey::WriteBack) {
                settings.mode = Mode::WriteBack;
                settings.reserve_bytes = settings.limit_bytes / 8 * 7;
                settings.dirty_limit_bytes = Some(WRITTEN * 4);
                settings.destage_rate_max = 1;
            }
        })
        .await;
        if matches!(journey, Journey::RamHit | Journey::AtHand) {
            // In the order of the requests, because a long run in order would not enter; and nothing else, which would leave a part on
            // flash.
            for request in 0..RAM / 2 / PAGE {
                run_one(&rig, &mut Curve::new(), Journey::RamHit, request).await;
            }
        } else {
            rig.warm_up(64 << 20, 4096).await;
        }
        let mut curve = Curve::new();
        if matches!(journey, Journey::Curve) {
            (0..CURVE_PAGES).for_each(|page| observe(&mut curve, page, page));
        }
        if matches!(journey, Journey::Statistics) {
            for request in 0..10_000 {
                run_one(&rig, &mut curve, Journey::FlashHit, request).await;
                run_one(&rig, &mut curve, Journey::Write, request).await;
            }
        }
        let started = Instant::now();
        for request in 0..count {
            run_one(&rig, &mut curve, journey, request).await;
        }
        started.elapsed()
    });
    let spent = spent.expect("nothing waits");
    let nanos = spent.as_nanos() / u128::from(count.max(1));
    println!(
        "{{\"measurement\":\"requests\",\"journey\":\"{journey:?}\",\"count\":{count},\"nanos\":{nanos}}}"
    );
}

/// Records a read of one page; ten thousand in a second, so that none is left out for its rate.
fn observe(curve: &mut Curve, page: u64, request: u64) {
    curve.observe(&ByteRange::at(page * PAGE, PAGE), Use::Read, request * 100_000);
}

async fn run_one(rig: &Rig<Memory, Memory>, curve: &mut Curve, journey: Journey, request: u64) {
    // A large odd stride visits places in an order without locality, at no cost.
    let place = |pages: u64| request.wrapping_mul(0x9e37_79b9) % pages * PAGE;
    match journey {
        Journey::RamHit => rig.read(place(RAM / 2 / PAGE), 4096).await,
        Journey::AtHand => rig.try_read_cached(place(RAM / 2 / PAGE), 4096),
        Journey::FlashHit => rig.read(place((40 << 20) / PAGE), 4096).await,
        Journey::MissWithFill => {
            rig.read((1 << 30) + request * 3 * PAGE, 4096).await;
            if request.is_multiple_of(16) {
                rig.rest().await;
            }
        }
        Journey::Write => {
            rig.write(place((64 << 20) / PAGE), 4096).await;
            if request.is_multiple_of(16) {
                rig.rest().await;
            }
        }
        Journey::WriteBack => {
            rig.write(place(WRITTEN / PAGE), 4096).await;
            if request.is_multiple_of(16) {
                rig.rest().await;
            }
        }
        Journey::Curve => observe(curve, place(CURVE_PAGES) / PAGE, request),
        Journey::CurveOfAll => observe(curve, place(1024) / PAGE, request),
        Journey::Statistics => drop(black_box(rig.disk.statistics())),
        Journey::Nothing => {}
    }
}

/// Fills a cache, churns it, and prints bytes of RAM per block on flash.
pub(crate) fn index(block_bytes: u32, flash: u64, admission: Admission) {
    let executor = Executor::new(VirtualTime::new(), Order::Fifo);
    let host = executor.host();
    executor.run(async {
        let change = |settings: &mut DiskSettings| settings.admission = admission;
        let (pool, backing) = (Memory::new(flash), Memory::new(1 << 40));
        let rig = Rig::with_settings(host, pool, backing, block_bytes, 4 << 20, change).await;
        rig.warm_up(flash / 10 * 9, block_bytes as usize).await;
        report(&rig, "fresh", (block_bytes, flash, admission));
        // Random 4 KiB writes into cached data, of half a disk, each of which makes a hole and fills it.
        for request in 0..flash / PAGE / 2 {
            let place = request.wrapping_mul(0x9e37_79b9) % (flash / 10 * 9 / PAGE) * PAGE;
            rig.write(place, 4096).await;
            if request.is_multiple_of(16) {
                rig.rest().await;
            }
        }
        report(&rig, "churned", (block_bytes, flash, admission));
    });
}

fn report(rig: &Rig<Memory, Memory>, when: &str, (block_bytes, flash, admission): (u32, u64, Admission)) {
    let statistics = rig.disk.statistics();
    let blocks = statistics.blocks_cached.max(1);
    println!(
        "{{\"measurement\":\"index\",\"when\":\"{when}\",\"admission\":\"{admission}\",\
         \"flash_bytes\":{flash},\"block_bytes\":{block_bytes},\"blocks\":{blocks},\
         \"cached_bytes\":{},\"index_bytes\":{},\"index_bytes_per_block\":{}}}",
        statistics.cached_bytes,
        statistics.index_bytes,
        statistics.index_bytes / blocks
    );
}
