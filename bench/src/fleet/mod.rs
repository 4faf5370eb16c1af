//! Disks of a fleet: volumes in a modelled object store, in virtual time, so that the load of this machine changes no figure; but for
//! [`FleetPart::Services`], which is processor time.
//!
//! | part | shape | figure |
//! |---|---|---|
//! | bytes | a disk of `--bytes`, 70 % of it written once, then random pages, twice as much | bytes put, copied and of checkpoints for each that was written |
//! | sustained | random pages as fast as the volume takes them, 100 MB/s, 50 ms a request | rate, for each byte that the store takes |
//! | flush | a guest behind a cache writes random pages at 80 % of that rate, with a flush after each 32 | latency of flushes |
//! | read | cold reads in sequence and at random, one at a time, 100 MB/s, 50 ms a request | rate, requests for each read, and bytes for each that was read, with and without read-ahead |
//! | open | a disk of `--bytes`, all of it written once, in pieces of 32 KiB in random order | time and requests of an open, clean and without a close, 10 ms a request, 1 GB/s |
//! | clone | the same, and a snapshot of it | time of a snapshot, a clone and an open of that |
//! | services | `--bytes`, in turn with each service, `--rounds` times; half or nothing is to be saved | processor time for each MiB, medians |
//! | guest | as `sustained`, by a guest behind a cache, with each service | rate and latency at the guest, bytes at the store |

pub(crate) mod guest;
mod hosts;
mod store;

use std::rc::Rc;
use std::time::Instant;

use block::executor::LocalHost;
use block::{Aligned, BlockDevice, Buffer, Host};
use cache::{DestageOrder, Mode};
use clap::{Args, ValueEnum};
use nix::time::{ClockId, clock_gettime};
use volume::{Compression, Owner, Volume, VolumeOptions, VolumeSettings};

use crate::modelled::{ModelledSsd, SECOND, SsdTransfer, in_virtual_time};
use crate::rig::{Rig, random};
use guest::{Savings, set_page};
pub(crate) use hosts::{HostTimes, Placement};
pub(crate) use store::ModelledStore;
use store::{Kept, Link};

const PAGE: u64 = 4096;
const MIB: u64 = 1 << 20;
/// Bytes between flushes: what destage makes one group of, at most.
const GROUP: u64 = 64 * MIB;
const MILLISECOND: u64 = 1_000_000;
/// Rate of a store whose rate matters.
pub(crate) const STORE_RATE: u64 = 100_000_000;
const FAST: Link = Link { request_ns: 10 * MILLISECOND, bytes_per_second: Some(1_000_000_000) };
const SLOW: Link = Link { request_ns: 50 * MILLISECOND, bytes_per_second: Some(STORE_RATE) };
const INSTANT: Link = Link { request_ns: 0, bytes_per_second: None };
/// Part of a disk that has content, in hundredths.
const FULL_PERCENT: u64 = 70;

pub(crate) type Disk = Volume<ModelledStore, LocalHost>;

/// Number that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FleetPart {
    /// Bytes that go to the store for each that is written.
    Bytes,
    /// Rate of random writes.
    Sustained,
    /// Latency of a guest's flushes.
    Flush,
    /// Rate and requests of reads.
    Read,
    /// Time of an open.
    Open,
    /// Time of snapshots and clones.
    Clone,
    /// Processor time of the services.
    Services,
    /// Rate of a guest's random writes with each service.
    Guest,
}

/// Measures disks of a fleet, on a modelled object store.
#[derive(Args)]
pub(crate) struct FleetArguments {
    /// Part to measure.
    #[arg(long, value_enum)]
    part: FleetPart,
    /// Bytes of the disk.
    #[arg(long, default_value_t = 1 << 30)]
    bytes: u64,
    /// Seconds of virtual time to write.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Rate of the store in bytes a second, for `flush` and `guest`; disk, flash and objects are to the rate what they are to the default one.
    #[arg(long, default_value_t = STORE_RATE, value_parser = clap::value_parser!(u64).range(1..=STORE_RATE))]
    rate: u64,
    /// Rounds of which the median is taken, for processor time.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// Measures, and prints one line of JSON for each figure.
pub(crate) fn measure(arguments: &FleetArguments) {
    let FleetArguments { part, bytes, seconds, rate, rounds } = *arguments;
    match part {
        FleetPart::Bytes => in_virtual_time(async |host| bytes_of(host, bytes).await),
        FleetPart::Sustained => in_virtual_time(async |host| sustained(host, bytes, seconds).await),
        FleetPart::Flush => in_virtual_time(async |host| flushes(host, bytes, seconds, rate).await),
        FleetPart::Read => in_virtual_time(async |host| reads(host, bytes).await),
        FleetPart::Open => in_virtual_time(async |host| opens(host, bytes).await),
        FleetPart::Clone => in_virtual_time(async |host| clones(host, bytes).await),
        FleetPart::Services => services(bytes, rounds),
        FleetPart::Guest => guest::measure(bytes, seconds, rate),
    }
}

fn owner() -> Owner {
    Owner { id: "bench".to_owned(), host: "bench".to_owned(), after: None }
}

/// Creates a volume and opens it.
async fn new_disk(host: &LocalHost, store: &ModelledStore, bytes: u64, options: VolumeOptions) -> Disk {
    new_disk_at(host, store, bytes, options, STORE_RATE).await
}

/// As [`new_disk`], with objects as large for the rate of the store as they are for the default one.
async fn new_disk_at(
    host: &LocalHost,
    store: &ModelledStore,
    bytes: u64,
    options: VolumeOptions,
    rate: u64,
) -> Disk {
    volume::create(store, host, "disk", bytes, options).await.expect("the store is empty");
    let full = VolumeSettings::default();
    let settings = VolumeSettings {
        object_bytes: scaled(full.object_bytes, rate),
        checkpoint_bytes: scaled(full.checkpoint_bytes, rate),
        ..full
    };
    open_with(host, store, "disk", settings).await
}

async fn open_disk(host: &LocalHost, store: &ModelledStore, name: &str) -> Disk {
    open_with(host, store, name, VolumeSettings::default()).await
}

async fn open_with(host: &LocalHost, store: &ModelledStore, name: &str, settings: VolumeSettings) -> Disk {
    let opened = Volume::open(store.clone(), host.clone(), name, &owner(), settings).await;
    opened.expect("the store does not fail")
}

/// Returns a size that is to the rate of a store what `full` is to the default one.
fn scaled(full: u64, rate: u64) -> u64 {
    (u128::from(full) * u128::from(rate) / u128::from(STORE_RATE)) as u64
}

async fn write(disk: &impl BlockDevice, offset: u64, buffer: Buffer) {
    disk.write(offset, buffer).await.1.expect("the store does not fail");
}

async fn flush(disk: &impl BlockDevice) {
    disk.flush().await.expect("the store does not fail");
}

/// Writes the first `bytes` of a disk once, with content that is not zeroes.
async fn fill(disk: &Disk, bytes: u64) {
    for at in (0..bytes).step_by(MIB as usize) {
        write(disk, at, Buffer::copy_of(&vec![7; MIB as usize])).await;
        if at.is_multiple_of(GROUP) {
            flush(disk).await;
        }
    }
    flush(disk).await;
}

/// No compression: the figures are those of content that cannot be compressed.
fn plain() -> VolumeOptions {
    VolumeOptions { compression: Compression::None, ..VolumeOptions::default() }
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^52")]
fn ratio(one: u64, other: u64) -> f64 {
    one as f64 / other.max(1) as f64
}

async fn bytes_of(host: LocalHost, bytes: u64) {
    let store = ModelledStore::new(&host, Link { request_ns: MILLISECOND, ..INSTANT }, Kept::All);
    let disk = new_disk(&host, &store, bytes, plain()).await;
    let content = bytes / 100 * FULL_PERCENT / MIB * MIB;
    fill(&disk, content).await;
    let before = disk.statistics();
    let mut state = 1;
    for at in 0..2 * content / PAGE {
        let page = random(&mut state) % (content / PAGE);
        write(&disk, page * PAGE, Buffer::copy_of(&[9; PAGE as usize])).await;
        if (at + 1).is_multiple_of(GROUP / PAGE) {
            flush(&disk).await;
            // Cleaning keeps up with guests.
            host.sleep(2 * SECOND).await;
        }
    }
    flush(&disk).await;
    host.sleep(60 * SECOND).await;
    let after = disk.statistics();
    let written = after.written_bytes - before.written_bytes;
    println!(
        "{{\"measurement\":\"fleet_bytes\",\"disk_bytes\":{bytes},\"written_bytes\":{written},\"put\":{:.3},\"copied\":{:.3},\"checkpoints\":{:.3},\
         \"stored_of_mapped\":{:.3},\"map_bytes_per_page\":{:.1}}}",
        ratio(after.put_bytes - before.put_bytes, written),
        ratio(after.copied_bytes - before.copied_bytes, written),
        ratio(after.checkpoint_bytes - before.checkpoint_bytes, written),
        ratio(store.stored_bytes(""), after.mapped_bytes),
        ratio(after.map_bytes, after.mapped_bytes / PAGE),
    );
}

async fn sustained(host: LocalHost, bytes: u64, seconds: u64) {
    let store = ModelledStore::new(&host, INSTANT, Kept::All);
    let disk = new_disk(&host, &store, bytes, plain()).await;
    let content = bytes / 100 * FULL_PERCENT / MIB * MIB;
    fill(&disk, content).await;
    store.set_link(SLOW);
    let (started, mut written, mut state) = (host.now(), 0, 1);
    while host.now() < started + seconds * SECOND {
        let page = random(&mut state) % (content / PAGE);
        write(&disk, page * PAGE, Buffer::copy_of(&[9; PAGE as usize])).await;
        written += PAGE;
        if written.is_multiple_of(GROUP) {
            flush(&disk).await;
        }
    }
    flush(&disk).await;
    let rate = (u128::from(written) * u128::from(SECOND) / u128::from(host.now() - started)) as u64;
    println!(
        "{{\"measurement\":\"fleet_sustained\",\"store_bytes_per_second\":{STORE_RATE},\"written_bytes_per_second\":{rate},\"of_store\":{:.3}}}",
        ratio(rate, STORE_RATE)
    );
}

async fn flushes(host: LocalHost, bytes: u64, seconds: u64, rate: u64) {
    const WRITES: u64 = 32;
    let bytes = scaled(bytes, rate) / MIB * MIB;
    let store = ModelledStore::new(&host, INSTANT, Kept::All);
    let disk = new_disk_at(&host, &store, bytes, plain(), rate).await;
    let content = bytes / 100 * FULL_PERCENT / MIB * MIB;
    fill(&disk, content).await;
    store.set_link(Link { bytes_per_second: Some(rate), ..SLOW });
    let flash = ModelledSsd::new(&host, scaled(8 << 30, rate) / MIB * MIB, SsdTransfer::Timed);
    let rig = Rig::with_settings(
        host.clone(),
        flash,
        Aligned::new(disk),
        4096,
        scaled(64 << 20, rate) / MIB * MIB,
        |settings| {
            settings.mode = Mode::WriteBack;
            settings.reserve_bytes = settings.limit_bytes / 16 * 15;
            settings.dirty_limit_bytes = Some(settings.reserve_bytes / 4);
            settings.destage_order = DestageOrder::Consistent;
        },
    )
    .await;
    rig.disk.set_wall_clock(Rc::new(|| 0));
    let (started, mut written, mut state, mut latencies) = (host.now(), 0, 1, Vec::new());
    while host.now() < started + seconds * SECOND {
        host.sleep_until(
            started + (u128::from(written) * u128::from(SECOND) / u128::from(rate * 4 / 5)) as u64,
        )
        .await;
        for _ in 0..WRITES {
            rig.write(random(&mut state) % (content / PAGE) * PAGE, PAGE as usize).await;
        }
        written += WRITES * PAGE;
        let before = host.now();
        flush(&*rig.disk).await;
        latencies.push(host.now() - before);
    }
    let taken = (u128::from(written) * u128::from(SECOND) / u128::from(host.now() - started)) as u64;
    latencies.sort_unstable();
    let at = |percent: usize| latencies[(latencies.len() - 1) * percent / 100];
    println!(
        "{{\"measurement\":\"fleet_flush\",\"store_bytes_per_second\":{rate},\"written_bytes_per_second\":{taken},\"flush_p50\":{},\"flush_p99\":{},\"flush_max\":{},\"flushes\":{},\
         \"dirty_bytes\":{}}}",
        at(50),
        at(99),
        at(100),
        latencies.len(),
        rig.disk.statistics().dirty_bytes
    );
}

async fn reads(host: LocalHost, bytes: u64) {
    let store = ModelledStore::new(&host, INSTANT, Kept::All);
    let disk = new_disk(&host, &store, bytes, plain()).await;
    fill(&disk, bytes).await;
    disk.close().await.expect("the store does not fail");
    for (name, len) in [("4 KiB", PAGE), ("64 KiB", 64 << 10), ("128 KiB", 128 << 10), ("1 MiB", MIB)] {
        let offsets: Vec<u64> = (0..bytes).step_by(len as usize).collect();
        read_cold(&host, &store, &format!("{name} in sequence"), &offsets, len).await;
    }
    let mut state = 1;
    let offsets: Vec<u64> = (0..10_000).map(|_| random(&mut state) % (bytes / PAGE) * PAGE).collect();
    read_cold(&host, &store, "4 KiB at random", &offsets, PAGE).await;
}

/// Reads one after the other, without read-ahead and with it, each time by a host that has read nothing.
async fn read_cold(host: &LocalHost, store: &ModelledStore, what: &str, offsets: &[u64], len: u64) {
    let with = VolumeSettings::default();
    let ways = [("no read-ahead", VolumeSettings { read_ahead_bytes: 0, ..with }), ("read-ahead", with)];
    for (way, settings) in ways {
        store.set_link(INSTANT);
        let disk = Volume::open_read_only(store.clone(), host.clone(), "disk", settings).await;
        let disk = disk.expect("the store does not fail");
        store.set_link(SLOW);
        let (started, requests, transferred) = (host.now(), store.requests(), store.transferred());
        for offset in offsets {
            let (_, read) = disk.read(*offset, Buffer::zeroed(len as usize)).await;
            read.expect("the store does not fail");
        }
        let read = offsets.len() as u64 * len;
        let rate = u128::from(read) * u128::from(SECOND) / u128::from(host.now() - started);
        println!(
            "{{\"measurement\":\"fleet_read\",\"what\":\"{what}, {way}\",\"bytes_per_second\":{rate},\"requests_per_read\":{:.3},\
             \"transferred_of_read\":{:.3}}}",
            ratio(store.requests() - requests, offsets.len() as u64),
            ratio(store.transferred() - transferred, read),
        );
    }
}

/// Returns a store with a disk that was written in pieces in random order, and closed or not.
async fn full_store(host: &LocalHost, bytes: u64) -> (ModelledStore, Disk) {
    const PIECE: u64 = 32 << 10;
    let store = ModelledStore::new(host, INSTANT, Kept::Headers);
    let disk = new_disk(host, &store, bytes, VolumeOptions::default()).await;
    let pieces = bytes / PIECE;
    // Each piece once: the step has no factor in common with their number.
    let step = (pieces / 2 + 1..pieces)
        .find(|step| greatest_common_divisor(*step, pieces) == 1)
        .expect("the last one has none");
    for at in 0..pieces {
        let piece = u128::from(at) * u128::from(step) % u128::from(pieces);
        write(&disk, piece as u64 * PIECE, Buffer::copy_of(&vec![7; PIECE as usize])).await;
        if (at + 1).is_multiple_of(GROUP / PIECE) {
            flush(&disk).await;
        }
    }
    flush(&disk).await;
    (store, disk)
}

fn greatest_common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}

async fn opens(host: LocalHost, bytes: u64) {
    let (store, disk) = full_store(&host, bytes).await;
    drop(disk);
    for end in ["none", "close"] {
        store.set_link(FAST);
        let (started, before, clock) = (host.now(), store.requests(), Instant::now());
        let disk = open_disk(&host, &store, "disk").await;
        println!(
            "{{\"measurement\":\"fleet_open\",\"disk_bytes\":{bytes},\"after\":\"{end}\",\"nanos\":{},\"requests\":{},\"processor_nanos\":{},\
             \"map_bytes\":{}}}",
            host.now() - started,
            store.requests() - before,
            clock.elapsed().as_nanos(),
            disk.statistics().map_bytes
        );
        store.set_link(INSTANT);
        disk.close().await.expect("the store does not fail");
    }
}

async fn clones(host: LocalHost, bytes: u64) {
    let (store, disk) = full_store(&host, bytes).await;
    store.set_link(FAST);
    let line = |what: &str, started: u64, before: u64| {
        println!(
            "{{\"measurement\":\"fleet_clone\",\"disk_bytes\":{bytes},\"what\":\"{what}\",\"nanos\":{},\"requests\":{}}}",
            host.now() - started,
            store.requests() - before
        );
    };
    let (started, before) = (host.now(), store.requests());
    disk.snapshot("golden").await.expect("the store does not fail");
    line("snapshot", started, before);
    let (started, before) = (host.now(), store.requests());
    let made = volume::create_clone(&store, &host, "disk", "golden", "clone", VolumeOptions::default()).await;
    made.expect("the store does not fail");
    line("clone", started, before);
    let (started, before) = (host.now(), store.requests());
    let clone = open_disk(&host, &store, "clone").await;
    line("open", started, before);
    clone.end();
}

/// Returns each service, and all of those that a volume may have, by name.
fn service_options() -> [(&'static str, VolumeOptions); 5] {
    let of = |compression, deduplicate| VolumeOptions { compression, deduplicate };
    [
        ("none", of(Compression::None, false)),
        ("lz4", of(Compression::Lz4, false)),
        ("zstd", of(Compression::Zstd, false)),
        ("deduplication", of(Compression::None, true)),
        ("lz4 and deduplication", of(Compression::Lz4, true)),
    ]
}

/// Measures the processor time of groups with each service: on content of which half of each page is random, all of it there twice and once, and
/// on random content. Services take turns in each round, so that what else this machine does meets all of them.
fn services(bytes: u64, rounds: usize) {
    let contents = [
        ("each page twice", bytes / 2, Savings::Half),
        ("each page once", bytes, Savings::Half),
        ("nothing to save", bytes, Savings::None),
    ];
    for (content, different, savings) in contents {
        let mut taken = service_options().map(|_| Vec::new());
        let mut put = [0.0; 5];
        for _ in 0..rounds {
            for (at, (_, options)) in service_options().into_iter().enumerate() {
                let nanos;
                (nanos, put[at]) = write_once(bytes, options, different, savings);
                taken[at].push(nanos / (bytes / MIB));
            }
        }
        for (at, (name, _)) in service_options().into_iter().enumerate() {
            taken[at].sort_unstable();
            let [least, median, most] = [0, rounds / 2, rounds - 1].map(|place| taken[at][place]);
            println!(
                "{{\"measurement\":\"fleet_services\",\"services\":\"{name}; {content}\",\"nanos_per_mib\":{median},\"least\":{least},\"most\":{most},\
                 \"of_none\":{:.3},\"put_of_written\":{:.3}}}",
                ratio(median, taken[0][rounds / 2]),
                put[at]
            );
        }
    }
}

/// Writes a new disk once. Returns the processor time of that in nanoseconds, without that of the content, and the part that was put.
fn write_once(bytes: u64, options: VolumeOptions, different: u64, savings: Savings) -> (u64, f64) {
    in_virtual_time(async |host: LocalHost| {
        let store = ModelledStore::new(&host, INSTANT, Kept::Headers);
        let disk = new_disk(&host, &store, bytes, options).await;
        let mut taken = 0;
        for group in (0..bytes).step_by(16 * MIB as usize) {
            let pages = (group..bytes.min(group + 16 * MIB)).step_by(PAGE as usize);
            let buffers: Vec<(u64, Buffer)> = pages
                .map(|at| {
                    let mut buffer = Buffer::zeroed(PAGE as usize);
                    // Behind `different` the disk has the same once more.
                    set_page(&mut buffer, at % different / PAGE, savings);
                    (at, buffer)
                })
                .collect();
            let before = processor_nanos();
            for (at, buffer) in buffers {
                write(&disk, at, buffer).await;
            }
            flush(&disk).await;
            taken += processor_nanos() - before;
        }
        let statistics = disk.statistics();
        (taken, ratio(statistics.put_bytes, statistics.written_bytes))
    })
}

/// Returns the time that this thread had of a processor.
fn processor_nanos() -> u64 {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("Linux has this clock");
    time.tv_sec().cast_unsigned() * SECOND + time.tv_nsec().cast_unsigned()
}
