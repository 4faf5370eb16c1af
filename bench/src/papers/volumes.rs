//! Services of volumes in object stores, and of the hosts that have the objects, under the loads of the matrix.

use block::executor::LocalHost;
use serde_json::{Value, json};
use volume::{Compression, VolumeOptions};
use workload::Workload;

use super::published::{FigureBound, PublishedRow, TIMES, largest, least, matrix_ratios, row};
use super::{Extent, SEED, cache_ratio, line, round};
use crate::fleet::guest::{Savings, ServedVolume};
use crate::fleet::{HostTimes, ModelledStore, Placement, STORE_RATE};
use crate::modelled::in_virtual_time;

/// The model, for the page.
pub(super) const MODEL: &str = "\
Volumes: guests go through the cache of the column `checksum`, in the consistent order of volumes. Disk, cache, objects of volumes, requests, and\n\
rates of hosts are a quarter of full scale, so IOPS compare among volumes alone. The volume is full at first. Half of each page is random, and\n\
half of all writes have the content of an earlier one. Processors cost nothing here; the [note](dev/notes/performance.md) has their time.\n\n\
Hosts are a model: four, each with a link of 10 Gbit/s and a disk of 100 MB/s at full scale. A request takes 5 ms, and a drawn time of 5 ms on\n\
average. Objects lie in units of 64 KiB over the four, from a host that their name decides. RAID-5 over hosts is three units and their parity.\n\
The host of the guests computes it, and its link carries it. A put ends with the slowest of its hosts. Objects never change, so nothing is read\n\
for parity. Not modelled: a lost host, rebuilds, and requests that wait for each other but by their bytes. A slow host takes four times as long.\n\n\
`put of destaged`: bytes at hosts for each byte that the cache destaged, with parity, cleaning and checkpoints. `taken of content`: bytes of all\n\
objects at hosts at the end, with what cleaning has not reached, for each byte that has content.";

/// The disk, its cache, objects, requests and rates of hosts are smaller than those of the other columns by this.
const SCALE: u64 = 4;
/// Four hosts with 10 Gbit/s and the rate of a spindle each. All are choices.
const ALIKE: HostTimes = HostTimes {
    link_bytes_per_second: 1_250_000_000 / SCALE,
    disk_bytes_per_second: 100_000_000 / SCALE,
    request_ns: 5_000_000,
    drawn_ns: 5_000_000,
    first_takes_times: 1,
};
const ONE_IS_SLOW: HostTimes = HostTimes { first_takes_times: 4, ..ALIKE };

/// A column of the matrix.
pub(super) struct VolumeColumn {
    /// Name, behind the load in the case of its lines.
    pub(super) name: &'static str,
    options: VolumeOptions,
    placement: Placement,
    times: HostTimes,
}

const fn column(name: &'static str, compression: Compression, deduplicate: bool) -> VolumeColumn {
    let options = VolumeOptions { compression, deduplicate };
    VolumeColumn { name, options, placement: Placement::Striped, times: ALIKE }
}

const PLAIN: VolumeColumn = column("volume", Compression::None, false);
const BOTH: VolumeColumn = column("volume, both", Compression::Lz4, true);

/// Columns of volumes; the first has no service.
pub(super) const COLUMNS: [VolumeColumn; 8] = [
    PLAIN,
    column("volume, compression", Compression::Lz4, false),
    column("volume, deduplication", Compression::None, true),
    BOTH,
    VolumeColumn { name: "volume, two copies over hosts", placement: Placement::Mirrored, ..PLAIN },
    VolumeColumn { name: "volume, RAID-5 over hosts", placement: Placement::Raid5, ..PLAIN },
    VolumeColumn {
        name: "volume, RAID-5 over hosts, one slow",
        placement: Placement::Raid5,
        times: ONE_IS_SLOW,
        ..PLAIN
    },
    VolumeColumn { name: "volume, RAID-5 over hosts, both", placement: Placement::Raid5, ..BOTH },
];

/// Measures a load on a volume of so many bytes, through a cache on two SSDs of so many bytes each.
pub(super) fn measure(
    column: &VolumeColumn,
    workload: Workload,
    bytes: [u64; 2],
    requests: u64,
    extent: Extent,
) -> Value {
    let (bytes, count) = (bytes.map(|bytes| bytes / SCALE), extent.of(requests / SCALE));
    in_virtual_time(async |host: LocalHost| {
        let slow_down = |store: &ModelledStore| store.set_hosts(column.placement, column.times);
        let served =
            ServedVolume::new(&host, bytes, STORE_RATE / SCALE, column.options, Savings::Half, slow_down)
                .await;
        let mut requests = workload.requests(bytes[0], SEED);
        served.load(requests.clone(), count, u64::MAX).await;
        requests.nth(count as usize);
        let (put, before) = (served.store.put_bytes(), served.statistics());
        let seen = served.load(requests, count, u64::MAX).await;
        let (put, after) = (served.store.put_bytes() - put, served.statistics());
        let destaged = after.written_bytes - before.written_bytes;
        let mut line = line("", &seen);
        let figures = json!({
            "deviation_ms": round(seen.deviation_ms()),
            "destaged_mib": round(destaged as f64 / f64::from(1 << 20)),
            // Where guests only read, what is left of the load before is destaged.
            "put_of_destaged": (workload.read_percent < 100).then(|| round(cache_ratio(put, destaged))),
            "copied_of_destaged": round(cache_ratio(after.copied_bytes - before.copied_bytes, destaged)),
            "taken_of_content": round(cache_ratio(served.store.taken_bytes(), after.mapped_bytes)),
        });
        line.as_object_mut().expect("it is one").extend(figures.as_object().cloned().unwrap_or_default());
        line
    })
}

/// Rows of the page, behind those of the cache.
pub(super) const ROWS: &[PublishedRow] = &[
    row(
        "matrix",
        "RAID-5 over hosts: IOPS beside no service, the worst of six loads; the document's figure is not had here; goal at least 0.9",
        |lines| least(matrix_ratios(lines, ["volume, RAID-5 over hosts", "volume"], "iops")?),
        TIMES,
        FigureBound::AtLeast(0.9),
        "a third more bytes for the same disks of the hosts; a put waits for all four either way.",
    ),
    row(
        "matrix",
        "RAID-5 over hosts: deviation of latency beside no service, the worst of six loads; the document's figure is not had here; goal at most 1.1",
        |lines| largest(matrix_ratios(lines, ["volume, RAID-5 over hosts", "volume"], "deviation_ms")?),
        TIMES,
        FigureBound::AtMost(1.1),
        "the time of each host is drawn, and the slowest one of a put decides",
    ),
    row(
        "matrix",
        "RAID-5 over hosts beside two copies: IOPS, the worst of six loads; the document's figure is not had here; goal at least 0.9",
        |lines| {
            least(matrix_ratios(
                lines,
                ["volume, RAID-5 over hosts", "volume, two copies over hosts"],
                "iops",
            )?)
        },
        TIMES,
        FigureBound::AtLeast(0.9),
        "a third more bytes where two copies are twice as many: both survive the loss of a host",
    ),
    row(
        "matrix",
        "RAID-5 over hosts beside two copies: deviation of latency, the worst of six loads; the document's figure is not had here; goal at most 1.1",
        |lines| {
            largest(matrix_ratios(
                lines,
                ["volume, RAID-5 over hosts", "volume, two copies over hosts"],
                "deviation_ms",
            )?)
        },
        TIMES,
        FigureBound::AtMost(1.1),
        "as before",
    ),
    row(
        "matrix",
        "RAID-5 over hosts, one of them slow: IOPS beside no service, the worst of six loads; the document's figure is not had here; goal at least 0.9",
        |lines| least(matrix_ratios(lines, ["volume, RAID-5 over hosts, one slow", "volume"], "iops")?),
        TIMES,
        FigureBound::AtLeast(0.9),
        "every put waits for the host that takes four times as long; so does one read in four",
    ),
    row(
        "matrix",
        "RAID-5 over hosts, one of them slow: deviation of latency beside no service, the worst of six loads; the document's figure is not had here; goal at most 1.1",
        |lines| {
            largest(matrix_ratios(lines, ["volume, RAID-5 over hosts, one slow", "volume"], "deviation_ms")?)
        },
        TIMES,
        FigureBound::AtMost(1.1),
        "as before",
    ),
    row(
        "matrix",
        "deduplication: IOPS beside no service, the worst of six loads; the document's figure is not had here; goal at least 0.9",
        |lines| least(matrix_ratios(lines, ["volume, deduplication", "volume"], "iops")?),
        TIMES,
        FigureBound::AtLeast(0.9),
        "half of what guests write has the content of an earlier write; processors cost nothing in virtual time, see the note on performance",
    ),
    row(
        "matrix",
        "deduplication: deviation of latency beside no service, the worst of six loads; the document's figure is not had here; goal at most 1.1",
        |lines| largest(matrix_ratios(lines, ["volume, deduplication", "volume"], "deviation_ms")?),
        TIMES,
        FigureBound::AtMost(1.1),
        "as before",
    ),
    row(
        "matrix",
        "compression: IOPS beside no service, the worst of six loads; the document's figure is not had here; goal at least 0.9",
        |lines| least(matrix_ratios(lines, ["volume, compression", "volume"], "iops")?),
        TIMES,
        FigureBound::AtLeast(0.9),
        "LZ4, half of each page is random; processors cost nothing in virtual time",
    ),
    row(
        "matrix",
        "compression: deviation of latency beside no service, the worst of six loads; the document's figure is not had here; goal at most 1.1",
        |lines| largest(matrix_ratios(lines, ["volume, compression", "volume"], "deviation_ms")?),
        TIMES,
        FigureBound::AtMost(1.1),
        "as before",
    ),
    row(
        "matrix",
        "compression and deduplication: IOPS beside no service, the worst of six loads; the document's figure is not had here; goal at least 0.9",
        |lines| least(matrix_ratios(lines, ["volume, both", "volume"], "iops")?),
        TIMES,
        FigureBound::AtLeast(0.9),
        "as before",
    ),
    row(
        "matrix",
        "compression and deduplication: deviation of latency beside no service, the worst of six loads; the document's figure is not had here; goal at most 1.1",
        |lines| largest(matrix_ratios(lines, ["volume, both", "volume"], "deviation_ms")?),
        TIMES,
        FigureBound::AtMost(1.1),
        "as before",
    ),
    row(
        "matrix",
        "all: compression, deduplication and RAID-5 over hosts: IOPS beside no service, the worst of six loads; the document's figure is not had here; goal at least 0.9",
        |lines| least(matrix_ratios(lines, ["volume, RAID-5 over hosts, both", "volume"], "iops")?),
        TIMES,
        FigureBound::AtLeast(0.9),
        "as before, with the parity on top",
    ),
    row(
        "matrix",
        "all: compression, deduplication and RAID-5 over hosts: deviation of latency beside no service, the worst of six loads; the document's figure is not had here; goal at most 1.1",
        |lines| largest(matrix_ratios(lines, ["volume, RAID-5 over hosts, both", "volume"], "deviation_ms")?),
        TIMES,
        FigureBound::AtMost(1.1),
        "as before",
    ),
];
