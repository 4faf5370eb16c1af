//! Metrics for Prometheus, made of the JSON documents, so that both agree.
//!
//! A table maps each key of those documents to its metric. Names follow Prometheus' conventions: base units,
//! `_total` for counters. Counters begin at zero when a disk is attached, as in `forebay stats`; Prometheus
//! handles such resets. The time for the text grows with the number of disks, not with their cached data, and
//! it waits for no I/O.

mod text;
mod wear;

use std::sync::LazyLock;

use api::{DeviceState, DiskState, PoolState};
use cache::{DiskCounts, Histograms, LatencyCounts};
use serde_json::Value;

use text::{Family, Histogram, MetricType};

/// A key of a document and its metric.
#[derive(Clone, Debug)]
struct KeyMetric {
    key: &'static str,
    name: String,
    help: String,
    kind: MetricType,
    /// Factor from the document to the metric.
    scale: f64,
}

/// Counters of a disk that its cache does not count.
const COUNTED_BESIDE: [(&str, &str); 4] = [
    ("backing_retries", "Requests that were sent to the backing again, because they failed."),
    ("requests_delayed", "Requests of guests that waited to stay within `iops-max` and `bandwidth-max`."),
    ("request_delay_ns", "Nanoseconds that requests waited to stay within these limits, all together."),
    (
        "broken_queues",
        "Queues of guests over vhost-user that are not served any more: their entries are invalid, or their memory is gone.",
    ),
];

/// Keys of a disk's statistics that rise and fall, with their help.
const DISK_GAUGES: [(&str, &str); 25] = [
    ("size_bytes", "Size of the disk."),
    ("reserve_bytes", "The least flash that the disk may hold."),
    ("limit_bytes", "The most flash that the disk may hold."),
    ("cached_bytes", "Content of the disk on flash."),
    ("flash_bytes", "Flash that the disk takes, headers, holes and summaries included."),
    ("ram_bytes", "Content of the disk in RAM."),
    ("cache_bytes_max", "The most that the disk may have cached: flash up to its limit, and RAM."),
    (
        "hit_ratio_at_half",
        "Share of reads that half of that would answer, predicted from late use; one that is cached in part counts in part.",
    ),
    (
        "hit_ratio_at_double",
        "Share of reads that twice as much would answer, predicted from late use; one that is cached in part counts in part.",
    ),
    ("index_bytes", "RAM that the index of the disk takes."),
    ("dirty_bytes", "Content on flash that the backing does not have."),
    ("dirty_zeroes_bytes", "Zeroes that the backing does not have."),
    ("dirty_limit_bytes", "The most that may be dirty."),
    ("lost_bytes", "Data that was damaged before the backing had it."),
    ("blocks_max", "Blocks that fit into the limit of the disk."),
    ("blocks_cached", "Blocks of which at least one page is on flash."),
    ("destage_bytes_per_second", "Recent rate of destage; 0 if nothing is dirty."),
    ("dirty_for_seconds", "How long the disk has had dirty data without a break."),
    ("connections", "Clients that are connected to the disk."),
    ("segments_uncopied", "Segments of a mirrored disk that lack their second copy."),
    ("mirrored", "1 if two devices have the dirty data, or are to have it."),
    ("depends_on_pool", "1 if the pool may have data that the backing does not have."),
    (
        "consistent_age_seconds",
        "Consistent write-back: time since the oldest acknowledged write that is lost if all flash is lost.",
    ),
    ("ring_used_bytes", "Bytes of the redo ring that groups take."),
    ("ring_bytes", "Bytes of the redo ring that groups can take."),
];

/// Keys of a door of a disk.
const DOOR_GAUGES: [(&str, &str); 2] = [
    ("connections", "Clients that are connected through the door."),
    (
        "broken_queues",
        "Queues of guests that are not served any more, since its shard began to serve the disk.",
    ),
];

/// Keys of the pool.
const POOL_GAUGES: [(&str, &str); 10] = [
    ("size_bytes", "Flash that the pool uses of its devices."),
    ("usable_bytes", "Flash that disks can use together."),
    ("reserved_bytes", "Flash that is promised to disks."),
    ("segment_bytes", "Size of a segment."),
    ("segments", "Segments of the pool."),
    ("segments_free", "Segments that belong to no disk."),
    ("segments_uncopied", "Segments of mirrored disks that lack their second copy."),
    ("disks", "Disks that are attached."),
    ("can_mirror", "1 if two devices are large enough for two copies of things."),
    ("notes_mirrored", "1 if the notes about regions stand on two devices."),
];

/// Keys of a device of the pool.
const DEVICE_GAUGES: [(&str, &str); 3] = [
    ("size_bytes", "Flash that the pool uses of the device."),
    ("segments", "Segments of the device."),
    ("segments_free", "Segments of the device that belong to no disk."),
];

/// A disk: the document that `disk show` prints, and the latencies of its requests, if it is served.
#[derive(Debug)]
pub(crate) struct DiskMetrics {
    pub(crate) document: Value,
    /// In the order of [`cache::Latency::ALL`].
    pub(crate) latencies: Option<[LatencyDistribution; cache::Latency::ALL.len()]>,
}

/// Latencies of requests of one kind.
#[derive(Clone, Debug)]
pub(crate) struct LatencyDistribution {
    /// Counts of the classes of the latency histogram.
    counts: Vec<u64>,
    sum_seconds: f64,
}

impl LatencyDistribution {
    /// Returns the latencies since the disk was attached.
    pub(crate) fn from_counts(histogram: &cache::Histogram, measured: &LatencyCounts) -> Self {
        let counts = histogram.classes().map(|(_, count)| count).collect();
        Self { counts, sum_seconds: text::exact(measured.sum_ns()) / 1e9 }
    }
}

/// A metric of latencies.
struct LatencyMetric {
    name: &'static str,
    help: &'static str,
    /// Keys of the documents, and their label in the metric if it has several.
    classes: &'static [(&'static str, Option<&'static str>)],
}

const LATENCIES: [LatencyMetric; 4] = [
    LatencyMetric {
        name: "forebay_read_latency_seconds",
        help: "How long reads took, by what answered them.",
        classes: &[
            ("read_hit_ram", Some("ram")),
            ("read_hit_flash", Some("flash")),
            ("read_miss", Some("backing")),
        ],
    },
    LatencyMetric {
        name: "forebay_write_latency_seconds",
        help: "How long writes took.",
        classes: &[("write", None)],
    },
    LatencyMetric {
        name: "forebay_flush_latency_seconds",
        help: "How long flushes took.",
        classes: &[("flush", None)],
    },
    LatencyMetric {
        name: "forebay_destage_latency_seconds",
        help: "How long requests of destage took.",
        classes: &[("destage", None)],
    },
];

/// Counters of vSphere Flash Read Cache, and their names here.
const VFRC: [(&str, &str, &str); 4] = [
    ("numBlocks", "blocks_max", "forebay_blocks_max"),
    ("numBlocksCurrentlyCached", "blocks_cached", "forebay_blocks_cached"),
    (
        "Evict:avgNumBlocksPerOp",
        "evict_blocks_per_op",
        "rate(forebay_evictions_total[5m]) / rate(forebay_reclaims_total[5m])",
    ),
    (
        "vFlash:cacheHitPercentage",
        "hit_ratio",
        "100 * (rate(forebay_read_hits_ram_total[5m]) + rate(forebay_read_hits_flash_total[5m])) / rate(forebay_reads_total[5m])",
    ),
];

/// Values that follow from counters, with their expressions.
const DERIVED: [(&str, &str); 3] = [
    (
        "hit_ratio",
        "(rate(forebay_read_hits_ram_total[5m]) + rate(forebay_read_hits_flash_total[5m])) / rate(forebay_reads_total[5m])",
    ),
    (
        "flash_write_amplification",
        "rate(forebay_flash_write_bytes_total[1h]) / (4096 * rate(forebay_promotions_total[1h]) + rate(forebay_write_back_bytes_total[1h]))",
    ),
    (
        "flash_write_bytes_per_hit",
        "rate(forebay_flash_write_bytes_total[1h]) / (rate(forebay_read_hits_ram_total[1h]) + rate(forebay_read_hits_flash_total[1h]))",
    ),
];

/// Returns all metrics as text: of the documents that `disk show` and `pool show` print, and of the
/// histograms of disks.
pub(crate) fn text(disks: &[DiskMetrics], pool: &Value) -> String {
    let documents: Vec<&Value> = disks.iter().map(|disk| &disk.document).collect();
    let mut families = about_disks(&documents);
    families.extend(latencies(disks));
    families.extend(about_pool(pool));
    text::text(&families)
}

/// Returns the page of the documentation that maps keys to metrics.
pub(crate) fn page() -> String {
    let cells =
        |KeyMetric { key, name, help, .. }: KeyMetric| [format!("`{key}`"), format!("`{name}`"), help];
    let columns = ["key", "metric", "what it is"];
    let disk = disk_rows().map(cells).collect();
    let door = gauges("forebay_door", &DOOR_GAUGES).map(cells).collect();
    let pool = gauges("forebay_pool", &POOL_GAUGES).map(cells).collect();
    let device = gauges("forebay_device", &DEVICE_GAUGES).map(cells).collect();
    let wear = wear::rows_of_devices().map(cells).into();
    let budget = wear::rows_of_budgets().map(cells).into();
    let drive = wear::rows_of_drives().map(cells).into();
    let shard = shard_rows().map(cells).into();
    let derived = DERIVED.map(|row| <[&str; 2]>::from(row).map(|cell| format!("`{cell}`"))).into();
    let vfrc = VFRC.map(|row| <[&str; 3]>::from(row).map(|cell| format!("`{cell}`"))).into();
    [
        include_str!("metrics/page.md").to_owned(),
        table("Of a disk (label `disk`)", columns, disk),
        table("Of a door of a disk (labels `disk`, `door`)", columns, door),
        table("Of the pool", columns, pool),
        table("Of a device of the pool (label `device`)", columns, device),
        table("Of the wear of a device of the pool (label `device`)", columns, wear),
        table("Of the write budget of a device of the pool (label `device`)", columns, budget),
        table("Of a drive that a device of the pool is on (labels `device`, `drive`)", columns, drive),
        table("Of a thread that serves disks (label `shard`)", columns, shard),
        table("Values derived from counters", ["key", "question"], derived),
        table("For users of vSphere Flash Read Cache", ["there", "key here", "metric"], vfrc),
    ]
    .concat()
}

/// Returns a table of the page, under its title.
fn table<const N: usize>(title: &str, columns: [&str; N], rows: Vec<[String; N]>) -> String {
    let row = |cells: [String; N]| format!("| {} |\n", cells.join(" | "));
    let rows: String = rows.into_iter().map(row).collect();
    let line = "|---".repeat(N);
    format!("\n## {title}\n\n{}{line}|\n{rows}", row(columns.map(str::to_owned)))
}

/// Returns the metric of every key of a disk's statistics that is a number.
fn disk_rows() -> impl Iterator<Item = KeyMetric> {
    let counters = DiskCounts::described().chain(COUNTED_BESIDE).map(|(key, help)| {
        let (stem, scale) =
            key.strip_suffix("_ns").map_or((key.to_owned(), 1.0), |stem| (format!("{stem}_seconds"), 1e-9));
        // The help has the unit that the name has.
        let help = help.replace("Nanoseconds", "Seconds");
        KeyMetric { key, name: format!("forebay_{stem}_total"), help, kind: MetricType::Counter, scale }
    });
    counters.chain(gauges("forebay", &DISK_GAUGES))
}

fn gauges(prefix: &str, keys: &'static [(&'static str, &'static str)]) -> impl Iterator<Item = KeyMetric> {
    keys.iter().map(move |(key, help)| KeyMetric {
        key,
        name: format!("{prefix}_{key}"),
        help: (*help).to_owned(),
        kind: MetricType::Gauge,
        scale: 1.0,
    })
}

/// The result of [`disk_rows`], computed once.
static DISK_ROWS: LazyLock<Vec<KeyMetric>> = LazyLock::new(|| disk_rows().collect());

fn about_disks(disks: &[&Value]) -> Vec<Family> {
    let name = |disk: &Value| disk["name"].as_str().unwrap_or_default().to_owned();
    let mut families = from_rows(&*DISK_ROWS, disks, &|disk| vec![("disk", name(disk))]);
    let mut info = Family::new("forebay_disk_info", "Name and mode of a disk; always 1.", MetricType::Gauge);
    for disk in disks {
        let mode = disk["mode"].as_str().unwrap_or_default();
        info.push(&[("disk", &name(disk)), ("mode", mode)], 1.0);
    }
    families.push(info);
    families.extend(doors(disks));
    families.push(states("forebay_disk_state", "disk", &api::names_of::<DiskState>(), disks, &name));
    families
}

fn doors(disks: &[&Value]) -> Vec<Family> {
    let of_disk = |disk: &&Value| {
        let name = disk["name"].clone();
        let doors = disk["doors"].as_array().cloned().unwrap_or_default();
        doors.into_iter().map(move |mut door| {
            door["disk"] = name.clone();
            door
        })
    };
    let doors: Vec<Value> = disks.iter().flat_map(of_disk).collect();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let labels = |door: &Value| vec![("disk", text(&door["disk"])), ("door", text(&door["kind"]))];
    from_rows(&*DOOR_ROWS, &doors.iter().collect::<Vec<_>>(), &labels)
}

/// Upper bounds of all classes of latencies but the last, in seconds.
static LATENCY_BOUNDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let histograms = Histograms::default();
    let bounds = histograms.latencies[0].classes().filter_map(|(micros, _)| micros);
    // Bounds are positive, and far below an overflow.
    bounds.map(|micros| (text::exact(micros.unsigned_abs()) / 1e6).to_string()).collect()
});

fn latencies(disks: &[DiskMetrics]) -> Vec<Family> {
    let place = |key: &str| cache::Latency::ALL.iter().position(|(_, name)| *name == key);
    let family = |LatencyMetric { name, help, classes }: &LatencyMetric| {
        let mut family = Family::new(*name, *help, MetricType::Histogram);
        for DiskMetrics { document, latencies } in disks {
            let Some(latencies) = latencies else { continue };
            for (key, answered_by) in *classes {
                let LatencyDistribution { counts, sum_seconds } =
                    &latencies[place(key).expect("the table names them")];
                let answered_by = answered_by.map(|tier| ("answered_by", tier));
                let disk = document["name"].as_str().map(|name| ("disk", name));
                let labels: Vec<_> = disk.into_iter().chain(answered_by).collect();
                family.push_histogram(
                    &labels,
                    Histogram { bounds: &LATENCY_BOUNDS, counts, sum: *sum_seconds },
                );
            }
        }
        family
    };
    LATENCIES.iter().map(family).collect()
}

/// Returns a family for each row, with a value for each document that has the key.
fn from_rows<'a>(
    rows: impl IntoIterator<Item = &'a KeyMetric>,
    documents: &[&Value],
    labels: &dyn Fn(&Value) -> Vec<(&'static str, String)>,
) -> Vec<Family> {
    let labels: Vec<Vec<(&str, String)>> = documents.iter().map(|document| labels(document)).collect();
    let labels: Vec<Vec<(&str, &str)>> = labels.iter().map(|labels| borrowed(labels)).collect();
    let family = |row: &KeyMetric| {
        let mut family = Family::new(&*row.name, &*row.help, row.kind);
        for (document, labels) in documents.iter().zip(&labels) {
            if let Some(value) = value(find(document, row.key)) {
                family.push(labels, value * row.scale);
            }
        }
        family
    };
    rows.into_iter().map(family).collect()
}

fn borrowed<'a>(labels: &'a [(&'static str, String)]) -> Vec<(&'a str, &'a str)> {
    labels.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

/// Returns a value of a document, or of the statistics in it.
fn find<'a>(document: &'a Value, key: &str) -> &'a Value {
    document.get(key).unwrap_or(&document["statistics"][key])
}

/// Returns a number, or 1 for true and 0 for false.
fn value(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_bool().map(|is_true| f64::from(u8::from(is_true))))
}

/// Returns 1 for the present state, and 0 for all others.
fn states(
    metric: &str,
    what: &str,
    all: &[String],
    documents: &[&Value],
    name: &dyn Fn(&Value) -> String,
) -> Family {
    let mut family =
        Family::new(metric, format!("1 for the state that a {what} is in, 0 for others."), MetricType::Gauge);
    for document in documents {
        let name = name(document);
        for state in all {
            let is_it = document["state"] == **state;
            family.push(&[(what, &name), ("state", state)], f64::from(u8::from(is_it)));
        }
    }
    family
}

static DOOR_ROWS: LazyLock<Vec<KeyMetric>> = LazyLock::new(|| gauges("forebay_door", &DOOR_GAUGES).collect());
static POOL_ROWS: LazyLock<Vec<KeyMetric>> = LazyLock::new(|| gauges("forebay_pool", &POOL_GAUGES).collect());
static DEVICE_ROWS: LazyLock<Vec<KeyMetric>> =
    LazyLock::new(|| gauges("forebay_device", &DEVICE_GAUGES).collect());

fn about_pool(pool: &Value) -> Vec<Family> {
    let pools = &[pool][..];
    let all = |key: &str| pool[key].as_array().into_iter().flatten().collect::<Vec<&Value>>();
    let (devices, shards) = (&all("devices")[..], &all("shards")[..]);
    let path = |device: &Value| device["path"].as_str().unwrap_or_default().to_owned();
    let mut families = from_rows(&*POOL_ROWS, pools, &|_| Vec::new());
    families.push(states("forebay_pool_state", "pool", &api::names_of::<PoolState>(), pools, &path));
    families.extend(from_rows(&*DEVICE_ROWS, devices, &|device| vec![("device", path(device))]));
    families.push(states("forebay_device_state", "device", &api::names_of::<DeviceState>(), devices, &path));
    families.extend(wear::families(devices));
    families.extend(from_rows(&shard_rows(), shards, &|shard| vec![("shard", shard["shard"].to_string())]));
    let mut build = Family::new("forebay_build_info", "Version of Forebay; always 1.", MetricType::Gauge);
    build.push(&[("version", env!("CARGO_PKG_VERSION"))], 1.0);
    families.push(build);
    families
}

fn shard_rows() -> [KeyMetric; 2] {
    let row = |key, name: &str, help: &str, kind, scale| KeyMetric {
        key,
        name: name.to_owned(),
        help: help.to_owned(),
        kind,
        scale,
    };
    [
        row(
            "busy_ns",
            "forebay_shard_busy_seconds_total",
            "Seconds that a shard worked.",
            MetricType::Counter,
            1e-9,
        ),
        row("disks", "forebay_shard_disks", "Disks that live on a shard.", MetricType::Gauge, 1.0),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    fn value_of(text: &str, line: &str) -> Option<f64> {
        text.lines().find_map(|found| found.strip_prefix(line)?.trim().parse().ok())
    }

    #[test]
    fn numbers_of_documents_have_their_metrics_and_what_is_not_known_has_none() {
        let served = json!({ "name": "a", "mode": "write-back", "state": "serving",
            "doors": [{ "kind": "nbd", "connections": 2 }, { "kind": "vhost-user", "connections": 1, "broken_queues": 1 }],
            "statistics": { "reads": 7, "throttled_ns": 1_500_000_000 }, "dirty_bytes": 4096, "hit_ratio": 0.5 });
        let waiting = json!({ "name": "b", "mode": "write-through", "state": "waiting", "size_bytes": null });
        let mut latencies = cache::Latency::ALL
            .map(|_| LatencyDistribution { counts: vec![0; LATENCY_BOUNDS.len() + 1], sum_seconds: 0.0 });
        let misses = &mut latencies[cache::Latency::ReadMiss as usize];
        // One within 100 us, two beyond the last bound.
        (misses.counts[2], misses.sum_seconds) = (1, 0.0015);
        *misses.counts.last_mut().expect("there are classes") = 2;
        let disks = [
            DiskMetrics { document: served, latencies: Some(latencies) },
            DiskMetrics { document: waiting, latencies: None },
        ];
        let pool = json!({ "state": "serving", "segments": 9, "can_mirror": true,
            "devices": [{ "path": "/dev/x", "state": "failed", "segments": 3 }],
            "shards": [{ "shard": 0, "disks": 2, "busy_ns": 2_000_000_000 }] });
        let text = text(&disks, &pool);
        for (line, value) in [
            ("forebay_reads_total{disk=\"a\"}", 7.0),
            ("forebay_throttled_seconds_total{disk=\"a\"}", 1.5),
            ("forebay_dirty_bytes{disk=\"a\"}", 4096.0),
            ("forebay_door_connections{disk=\"a\",door=\"nbd\"}", 2.0),
            ("forebay_door_broken_queues{disk=\"a\",door=\"vhost-user\"}", 1.0),
            ("forebay_disk_info{disk=\"a\",mode=\"write-back\"}", 1.0),
            ("forebay_disk_state{disk=\"b\",state=\"waiting\"}", 1.0),
            ("forebay_disk_state{disk=\"b\",state=\"serving\"}", 0.0),
            ("forebay_read_latency_seconds_bucket{disk=\"a\",answered_by=\"backing\",le=\"0.0001\"}", 1.0),
            ("forebay_read_latency_seconds_count{disk=\"a\",answered_by=\"backing\"}", 3.0),
            ("forebay_read_latency_seconds_sum{disk=\"a\",answered_by=\"backing\"}", 0.0015),
            ("forebay_write_latency_seconds_count{disk=\"a\"}", 0.0),
            ("forebay_pool_segments", 9.0),
            ("forebay_pool_can_mirror", 1.0),
            ("forebay_device_segments{device=\"/dev/x\"}", 3.0),
            ("forebay_device_state{device=\"/dev/x\",state=\"failed\"}", 1.0),
            ("forebay_shard_busy_seconds_total{shard=\"0\"}", 2.0),
        ] {
            assert_eq!(value_of(&text, line), Some(value), "{line}\n{text}");
        }
        assert_eq!(value_of(&text, "forebay_size_bytes{disk=\"b\"}"), None);
    }

    #[test]
    fn the_page_of_the_documentation_is_what_the_code_says() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/metrics.md");
        let written = std::fs::read_to_string(path).unwrap_or_default();
        assert!(written == page(), "docs/metrics.md is to be:\n{}", page());
    }

    #[test]
    fn the_dashboard_asks_for_nothing_that_is_not_there() {
        let dashboard = include_str!("../../docs/grafana-dashboard.json");
        let document: Value = serde_json::from_str(dashboard).expect("it is JSON");
        let page = page();
        let mut asked = 0;
        for panel in document["panels"].as_array().expect("it has panels") {
            for target in panel["targets"].as_array().expect("each asks for something") {
                let question = target["expr"].as_str().expect("a question");
                let words = question.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
                for name in words.filter(|word| word.starts_with("forebay_")) {
                    let name = name.strip_suffix("_bucket").unwrap_or(name);
                    assert!(page.contains(&format!("`{name}`")), "{name} of panel {}", panel["title"]);
                    asked += 1;
                }
            }
        }
        assert!(asked > 20, "only {asked}");
    }

    #[test]
    fn no_two_metrics_have_one_name_and_each_says_what_it_is() {
        let gauges = gauges("forebay_pool", &POOL_GAUGES).chain(gauges("forebay_device", &DEVICE_GAUGES));
        let rows: Vec<KeyMetric> = disk_rows()
            .chain(gauges)
            .chain(wear::rows_of_devices())
            .chain(wear::rows_of_budgets())
            .chain(wear::rows_of_drives())
            .chain(shard_rows())
            .collect();
        let names: BTreeSet<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names.len(), rows.len());
        for KeyMetric { name, help, .. } in &rows {
            assert!(
                name.starts_with("forebay_") && !help.is_empty() && !help.contains("Nanoseconds"),
                "{name}: {help}"
            );
        }
    }
}
