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
//! | services | 1 GiB of which half is compressible, with each page twice or once | processor time for each MiB with each service |

mod store;

use std::rc::Rc;
use std::time::Instant;

use block::executor::LocalHost;
use block::{Aligned, BlockDevice, Buffer, Host};
use cache::{DestageOrder, Mode};
use clap::{Args, ValueEnum};
use volume::{Compression, Owner, Volume, VolumeOptions, VolumeSettings};

use crate::modelled::{ModelledSsd, SECOND, SsdTransfer, in_virtual_time};
use crate::rig::{Rig, random};
use store::{Kept, Link, ModelledStore};

const PAGE: u64 = 4096;
const MIB: u64 = 1 << 20;
/// Bytes between flushes: what destage makes one group of, at most.
const GROUP: u64 = 64 * MIB;
const MILLISECOND: u64 = 1_000_000;
/// Rate of a store whose rate matters.
const STORE_RATE: u64 = 100_000_000;
const FAST: Link = Link { request_ns: 10 * MILLISECOND, bytes_per_second: Some(1_000_000_000) };
const SLOW: Link = Link { request_ns: 50 * MILLISECOND, bytes_per_second: Some(STORE_RATE) };
const INSTANT: Link = Link { request_ns: 0, bytes_per_second: None };
/// Part of a disk that has content, in hundredths.
const FULL_PERCENT: u64 = 70;

type Disk = Volume<ModelledStore, LocalHost>;

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
}

/// Measures, and prints one line of JSON for each figure.
pub(crate) fn measure(arguments: &FleetArguments) {
    let FleetArguments { part, bytes, seconds } = *arguments;
    match part {
        FleetPart::Bytes => in_virtual_time(async |host| bytes_of(host, bytes).await),
        FleetPart::Sustained => in_virtual_time(async |host| sustained(host, bytes, seconds).await),
        FleetPart::Flush => in_virtual_time(async |host| flushes(host, bytes, seconds).await),
        FleetPart::Read => in_virtual_time(async |host| reads(host, bytes).await),
        FleetPart::Open => in_virtual_time(async |host| opens(host, bytes).await),
        FleetPart::Clone => in_virtual_time(async |host| clones(host, bytes).await),
        FleetPart::Services => services(),
    }
}

fn owner() -> Owner {
    Owner { id: "bench".to_owned(), host: "bench".to_owned(), after: None }
}

/// Creates a volume and opens it.
async fn new_disk(host: &LocalHost, store: &ModelledStore, bytes: u64, options: VolumeOptions) -> Disk {
    volume::create(store, host, "disk", bytes, options).await.expect("the store is empty");
    open_disk(host, store, "disk").await
}

async fn open_disk(host: &LocalHost, store: &ModelledStore, name: &str) -> Disk {
    let opened = Volume::open(store.clone(), host.clone(), name, &owner(), VolumeSettings::default()).await;
    opened.expect("the store does not fail")
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

async fn flushes(host: LocalHost, bytes: u64, seconds: u64) {
    const WRITES: u64 = 32;
    let store = ModelledStore::new(&host, INSTANT, Kept::All);
    let disk = new_disk(&host, &store, bytes, plain()).await;
    let content = bytes / 100 * FULL_PERCENT / MIB * MIB;
    fill(&disk, content).await;
    store.set_link(SLOW);
    let flash = ModelledSsd::new(&host, 8 << 30, SsdTransfer::Timed);
    let rig = Rig::with_settings(host.clone(), flash, Aligned::new(disk), 4096, 64 << 20, |settings| {
        settings.mode = Mode::WriteBack;
        settings.reserve_bytes = settings.limit_bytes / 16 * 15;
        settings.dirty_limit_bytes = Some(settings.reserve_bytes / 4);
        settings.destage_order = DestageOrder::Consistent;
    })
    .await;
    rig.disk.set_wall_clock(Rc::new(|| 0));
    let (started, mut written, mut state, mut latencies) = (host.now(), 0, 1, Vec::new());
    while host.now() < started + seconds * SECOND {
        host.sleep_until(
            started + (u128::from(written) * u128::from(SECOND) / u128::from(STORE_RATE * 4 / 5)) as u64,
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
    let rate = (u128::from(written) * u128::from(SECOND) / u128::from(host.now() - started)) as u64;
    latencies.sort_unstable();
    let at = |percent: usize| latencies[(latencies.len() - 1) * percent / 100];
    println!(
        "{{\"measurement\":\"fleet_flush\",\"written_bytes_per_second\":{rate},\"flush_p50\":{},\"flush_p99\":{},\"flush_max\":{},\"flushes\":{},\
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

/// Measures the processor time of groups with each service, on content of which half of each page is random: all of it there twice, and all of
/// it once.
fn services() {
    const BYTES: u64 = 1 << 30;
    let ways = [
        ("none", Compression::None, false),
        ("lz4", Compression::Lz4, false),
        ("zstd", Compression::Zstd, false),
        ("deduplication", Compression::None, true),
        ("lz4 and deduplication", Compression::Lz4, true),
    ];
    let contents = [("each page twice", BYTES / 2), ("each page once", BYTES)];
    for ((name, compression, deduplicate), (content, different)) in
        ways.into_iter().flat_map(|way| contents.map(|content| (way, content)))
    {
        in_virtual_time(async |host: LocalHost| {
            let store = ModelledStore::new(&host, INSTANT, Kept::Headers);
            let options = VolumeOptions { compression, deduplicate };
            let disk = new_disk(&host, &store, BYTES, options).await;
            let mut page = vec![0; PAGE as usize];
            let mut taken = std::time::Duration::ZERO;
            for at in (0..BYTES).step_by(PAGE as usize) {
                // Behind that the disk has the same once more.
                let mut state = at % different + 1;
                page[..PAGE as usize / 2].chunks_exact_mut(4).for_each(|four| {
                    four.copy_from_slice(&(random(&mut state) as u32).to_le_bytes());
                });
                let buffer = Buffer::copy_of(&page);
                let clock = Instant::now();
                write(&disk, at, buffer).await;
                if (at + PAGE).is_multiple_of(16 * MIB) {
                    flush(&disk).await;
                }
                taken += clock.elapsed();
            }
            let statistics = disk.statistics();
            println!(
                "{{\"measurement\":\"fleet_services\",\"services\":\"{name}; {content}\",\"nanos_per_mib\":{},\"put_of_written\":{:.3}}}",
                taken.as_nanos() as u64 / (BYTES / MIB),
                ratio(statistics.put_bytes, statistics.written_bytes)
            );
        });
    }
}
