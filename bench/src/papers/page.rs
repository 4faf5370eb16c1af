//! The page of the experiments, and its charts.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use hitsim::{Axis, Series, chart};
use serde_json::Value;

use super::published::{Lines, PublishedRow, rows};
use super::{EXPERIMENTS, SEED, is_again, merged};

/// Case of the line about a run.
const RUN: &str = "run";
/// Part of a figure by which that of a second run may differ.
const TENTH: f64 = 0.1;
/// Headings of the tables by the name of their rows.
const HEADINGS: [(&str, &str); 12] = [
    ("calibration", "Calibration of a database's disk"),
    ("decision", "Decision support"),
    ("store", "Online store"),
    ("replay", "Servers with their timing kept"),
    ("neighbour", "The write-heavy neighbour"),
    ("nfs", "A cache in front of an NFS server"),
    ("tiles", "An array's cache with tiles of guests"),
    ("knee", "The knee of tiles, predicted"),
    ("matrix", "Services switched on and off"),
    ("host", "Cost and savings of the host"),
    ("peers", "Caches of the kernel"),
    ("postgres", "A real database"),
];

/// Charts as SVG, each with the name of its file.
#[derive(Default)]
struct Charts(Vec<(String, String)>);

impl Charts {
    /// Adds a chart, unless it has no points.
    fn add(&mut self, name: &str, title: &str, value: &str, axis: &Axis<'_>, series: Vec<Series>) {
        if series.iter().any(|series| !series.points.is_empty()) {
            self.0.push((format!("{name}.svg"), chart(title, value, axis, series)));
        }
    }
}

/// Returns each chart with the name of its file, for those of which there are lines.
pub(super) fn charts(lines: &[Value]) -> Vec<(String, String)> {
    let mut charts = Charts::default();
    let all = [
        add_database_charts,
        add_server_charts,
        add_nfs_charts,
        add_tile_charts,
        add_peer_chart,
        add_postgres_chart,
    ];
    for add in all {
        add(&mut charts, lines);
    }
    charts.0
}

/// Adds the charts of calibration, decision support and the online store.
fn add_database_charts(charts: &mut Charts, lines: &[Value]) {
    let all = Lines(lines);
    let passes = ["baseline", "cold", "second", "third"].map(|pass| {
        let points = all.of("calibration", "course").filter(|line| line["pass"] == pass);
        series(pass, points.filter_map(|line| Some((line["part"].as_f64()? + 1.0, line["iops"].as_f64()?))))
    });
    charts.add(
        "calibration",
        "Random reads of a database's files over a pass",
        "IOPS",
        &Axis::Numbers("Tenth of the pass"),
        passes.into(),
    );
    let names: Vec<String> = texts(all.of("decision", "none"), "kind");
    let kinds = [("none", "without a cache"), ("cached", "with a cache")]
        .map(|(case, name)| numbered(name, all.of("decision", case), "per_minute"));
    charts.add(
        "decision",
        "Transactions of decision support by kind",
        "Transactions a minute",
        &Axis::Names("Kind", &names),
        kinds.into(),
    );
    let units = ["cache 0", "cache 10", "cache 15"];
    let orders =
        numbered("orders", units.iter().filter_map(|case| all.of("store", case).last()), "orders_per_minute");
    charts.add(
        "store",
        "Orders of an online store of 15 units",
        "Orders a minute",
        &Axis::Names("Units of cache", &["0", "10", "15"].map(str::to_owned)),
        vec![orders],
    );
}

/// Adds the charts of replayed servers and neighbours.
fn add_server_charts(charts: &mut Charts, lines: &[Value]) {
    let all = Lines(lines);
    for (name, title, key) in
        [("replay", "Mean latency in ms", "mean_ms"), ("replay-ram", "Bytes of the index", "index_bytes")]
    {
        let blocks = |server: &'static str| {
            let points = all
                .of("replay", server)
                .filter_map(|line| Some((line["block_kib"].as_f64()? * 1024.0, line[key].as_f64()?)));
            let (without, with): (Vec<_>, Vec<_>) = points.partition(|(block, _)| *block < 1.0);
            let flat = without
                .first()
                .map_or(Vec::new(), |(_, value)| with.iter().map(|(block, _)| (*block, *value)).collect());
            let mut lines = vec![series(server, with)];
            if key == "mean_ms" {
                lines.push(series(&format!("{server}, no cache"), flat));
            }
            lines
        };
        charts.add(
            name,
            "Servers with their timing kept, by block size",
            title,
            &Axis::Sizes("Block of the cache"),
            ["monitoring", "proxy"].into_iter().flat_map(blocks).collect(),
        );
    }
    let disks = ["reader", "writer"].map(|disk| {
        let cases = ["none", "cached"].map(|case| format!("{case}, {disk}"));
        let points: Vec<&Value> = cases
            .iter()
            .filter_map(|case| {
                lines.iter().find(|line| line["experiment"] == "neighbour" && line["case"] == case.as_str())
            })
            .collect();
        numbered(disk, points, "iops")
    });
    charts.add(
        "neighbour",
        "Two disks on one array",
        "IOPS",
        &Axis::Names("Reader", &["not cached", "cached"].map(str::to_owned)),
        disks.into(),
    );
}

/// Adds the charts of the NFS server.
fn add_nfs_charts(charts: &mut Charts, lines: &[Value]) {
    let all = Lines(lines);
    let hits = (0..10).map(|disk| {
        series(
            &format!("disk {}", disk + 1),
            all.of("nfs", "cached").filter_map(|line| {
                Some((line["day"].as_f64()?, line["hit_percent_of_disks"][disk].as_f64()?))
            }),
        )
    });
    charts.add(
        "nfs-hits",
        "Hit ratio of ten disks over days",
        "Hits among reads, %",
        &Axis::Numbers("Day"),
        hits.collect(),
    );
    let dirty = (0..10).map(|disk| {
        series(
            &format!("disk {}", disk + 1),
            all.of("nfs", "cached")
                .filter_map(|line| Some((line["day"].as_f64()?, line["dirty_mib_of_disks"][disk].as_f64()?))),
        )
    });
    charts.add(
        "nfs-dirty",
        "Dirty data of ten disks in the evening",
        "MiB",
        &Axis::Numbers("Day"),
        dirty.collect(),
    );
    let bounds: Vec<String> = all.of("nfs", "cached").last().map_or(Vec::new(), |line| {
        line["bounds_ms"].as_array().into_iter().flatten().map(|bound| format!("{bound} ms")).collect()
    });
    let classes = [("alone", "array alone"), ("cached", "with a cache, last day")].map(|(case, name)| {
        let line = all.of("nfs", case).last();
        let within = line.and_then(|line| line["within_percent"].as_array()).into_iter().flatten();
        series(name, within.enumerate().filter_map(|(at, percent)| Some((place(at), percent.as_f64()?))))
    });
    charts.add(
        "nfs-latency",
        "Latency of guests of an NFS server",
        "Requests within, %",
        &Axis::Names("Latency", &bounds),
        classes.into(),
    );
}

/// Adds the charts of tiles, and of the matrix.
fn add_tile_charts(charts: &mut Charts, lines: &[Value]) {
    let all = Lines(lines);
    let cases =
        ["20 disks", "11 disks", "20 disks, 8 %", "20 disks, 33 %", "11 disks, 8 %", "11 disks, 33 %"];
    for (name, title, key) in [
        ("tiles", "Requests a second", "iops"),
        ("tiles-latency", "95th percentile of all guests, ms", "p95_ms"),
    ] {
        let lines = cases.map(|case| {
            series(
                case,
                all.of("tiles", case).filter_map(|line| Some((line["tiles"].as_f64()?, line[key].as_f64()?))),
            )
        });
        charts.add(name, "Tiles of five guests", title, &Axis::Numbers("Tiles"), lines.into());
    }
    let hits = [
        ("ram_hit_percent", "RAM, of reads"),
        ("flash_hit_percent", "flash, of reads"),
        ("all_hit_percent", "reads and writes, of all"),
    ]
    .map(|(key, name)| {
        series(
            name,
            all.of("tiles", "20 disks, 8 %")
                .filter_map(|line| Some((line["tiles"].as_f64()?, line[key].as_f64()?))),
        )
    });
    charts.add(
        "tiles-hits",
        "Hits on 20 disks with a cache of 8 %",
        "%",
        &Axis::Numbers("Tiles"),
        hits.into(),
    );
    let matrix: Vec<&Value> = lines.iter().filter(|line| line["experiment"] == "matrix").collect();
    let names = texts(matrix.iter().copied().filter(|line| ends(line, ", none")), "case");
    let names: Vec<String> = names.iter().map(|name| name.trim_end_matches(", none").to_owned()).collect();
    let services =
        [(", none", "array alone"), (" checksum", "checksum"), (" mirrored", "checksum, mirrored")]
            .map(|(end, name)| numbered(name, matrix.iter().copied().filter(|line| ends(line, end)), "iops"));
    charts.add(
        "matrix",
        "Services of the cache, depth 16",
        "IOPS",
        &Axis::Names("Load", &names),
        services.into(),
    );
    let of_volumes = super::volumes::COLUMNS.each_ref().map(|column| {
        let end = format!(", {}", column.name);
        numbered(column.name, matrix.iter().copied().filter(|line| ends(line, &end)), "iops")
    });
    charts.add(
        "matrix-volumes",
        "Services of volumes and hosts behind a cache, depth 16",
        "IOPS",
        &Axis::Names("Load", &names),
        of_volumes.into(),
    );
}

/// Adds the chart of caches of the kernel.
fn add_peer_chart(charts: &mut Charts, lines: &[Value]) {
    let peers: Vec<&Value> = peer_lines(lines).collect();
    let distinct = |key: &str| {
        let mut found: Vec<String> = Vec::new();
        for text in texts(peers.iter().copied(), key) {
            if !found.contains(&text) {
                found.push(text);
            }
        }
        found
    };
    let traces = distinct("case");
    let contenders = distinct("contender");
    let all = contenders.iter().map(|contender| {
        let own = peers.iter().copied().filter(|line| line["contender"] == contender.as_str());
        numbered(contender, own, "hit_percent")
    });
    charts.add(
        "peers",
        "Hits of caches of one guest on four traces",
        "Hits among reads, %",
        &Axis::Names("Trace", &traces),
        all.collect(),
    );
}

/// Adds the chart of the real database.
fn add_postgres_chart(charts: &mut Charts, lines: &[Value]) {
    let cases = ["decision none", "decision cached", "store cache 0", "store cache 10", "store cache 15"];
    let totals = cases.iter().filter_map(|case| database_total(lines, case));
    charts.add(
        "postgres",
        "Transactions of PostgreSQL on a slow array",
        "Transactions a minute",
        &Axis::Names(
            "Load and units of cache",
            &["decision 0", "decision 8", "store 0", "store 10", "store 15"].map(str::to_owned),
        ),
        vec![numbered("PostgreSQL", totals, "per_minute")],
    );
}

/// Returns the line of all transactions of a run of the real database.
fn database_total<'a>(lines: &'a [Value], case: &'a str) -> Option<&'a Value> {
    Lines(lines).of("postgres", case).find(|line| line["kind"] == "all")
}

/// Returns the section about the real database below its rows: the scale, and a row for each run.
fn postgres_table(lines: &[Value]) -> String {
    let Some(run) = Lines(lines).of("postgres", RUN).last() else {
        return "\nNot run yet: `cargo xtask papers --only postgres`.\n".to_owned();
    };
    let mut text = format!(
        "\nScale: a unit is {} MiB. PostgreSQL {} in an emulated guest, with {} MiB for itself and the page cache of its files.\n\
         Its disk is served over NBD: by Forebay on the host, in write-through with {} MiB of RAM, or by the array. SSD and array are memory of the\n\
         host. The array is nbdkit, {} requests at once: {} ms for a read of any length, {} ms for a write, as RAID-5 takes four operations. That is\n\
         five disks of 15,000 rpm at about a third of their speed, since an emulated processor is slow as well and the disk is to decide. {}\n\n\
         Schema and transactions are ours, those of pgbench in `xtask/src/bench/postgres`. Decision support: 8 sessions, scans and joins, nine of ten\n\
         in the same six of fifteen units. Online store: 16 sessions with orders of five reads and four writes of pages, random over all\n\
         units. Without the delay of the array the cache gets warm: the disk is read twice, then as the load does it, and for\n\
         the store at random. A cache as large as the database has a quarter more, for indexes and the log of the cache. Two runs before these, which\n\
         ended at the store, had gains of 4.8 to 6.0 and 87 to 89 % hits in decision support. The emulated processor decides once it is cached.\n\n\
         | run | kind | a minute | mean, ms | hits of reads | reads of the disk | writes |\n|---|---|---|---|---|---|---|\n",
        run["unit_mib"],
        run["server"].as_str().unwrap_or("?"),
        run["memory_mib"],
        run["ram_mib"],
        run["spindles"],
        run["read_ms"],
        run["write_ms"],
        run_text(run),
    );
    let figure = |value: &Value| value.as_f64().map_or_else(|| "-".to_owned(), |figure| format!("{figure}"));
    for line in lines.iter().filter(|line| line["experiment"] == "postgres" && line["kind"].is_string()) {
        let words = |key: &str| line[key].as_str().unwrap_or("?");
        let hits = line["hit_percent"].as_f64().map_or_else(|| "-".to_owned(), |hits| format!("{hits} %"));
        let [rate, mean, reads, writes] =
            ["per_minute", "mean_ms", "disk_reads", "disk_writes"].map(|key| figure(&line[key]));
        add(
            &mut text,
            format_args!(
                "| {} | {} | {rate} | {mean} | {hits} | {reads} | {writes} |\n",
                words("case"),
                words("kind")
            ),
        );
    }
    text
}

/// Returns the table of the volumes of the matrix: a row for each load and column.
fn volume_table(lines: &[Value]) -> String {
    let of_volumes = |line: &&Value| line["experiment"] == "matrix" && line["taken_of_content"].is_number();
    if !lines.iter().any(|line| of_volumes(&line)) {
        return "\nThe volumes are not run yet: `cargo xtask papers --only matrix`.\n".to_owned();
    }
    let mut text = format!("\n{}\n", super::volumes::MODEL);
    text += "\n| load | IOPS | mean, ms | deviation, ms | put of destaged | taken of content |\n|---|---|---|---|---|---|\n";
    for line in lines.iter().filter(of_volumes) {
        let figure = |key: &str, decimals: usize| {
            line[key].as_f64().map_or_else(|| "-".to_owned(), |figure| format!("{figure:.decimals$}"))
        };
        add(
            &mut text,
            format_args!(
                "| {} | {} | {} | {} | {} | {} |\n",
                line["case"].as_str().unwrap_or("?"),
                figure("iops", 0),
                figure("mean_ms", 2),
                figure("deviation_ms", 2),
                figure("put_of_destaged", 2),
                figure("taken_of_content", 2),
            ),
        );
    }
    text
}

/// Returns the lines of contenders.
fn peer_lines(lines: &[Value]) -> impl Iterator<Item = &Value> {
    lines.iter().filter(|line| line["experiment"] == "peers" && line["contender"].is_string())
}

/// Returns the section about caches of the kernel below its rows: the scale, and a row for each contender on each trace.
fn peer_table(lines: &[Value]) -> String {
    let Some(first) = peer_lines(lines).next() else {
        return "\nNot run yet: `cargo xtask papers --only peers`.\n".to_owned();
    };
    let run = Lines(lines).of("peers", RUN).last();
    let of_run = |key: &str| run.and_then(|run| run[key].as_str()).unwrap_or("?");
    let mut text = format!(
        "\nScale: the first {} requests of {}, each its first page of 4 KiB, one after another. Extents of 32 KiB that are not accessed are left\n\
         out of the addresses, and the backing is what remains. SSD and RAM together are an eighth of it, at least\n\
         12 MiB. A quarter of that is RAM of Forebay; for the others all is SSD. Linux {} in an\n\
         emulated guest with a backing in memory: times do not count, and what is dirty after the run depends on them. At this length LRU of that\n\
         size already has all possible hits: capacity decides little. {}\n\n\
         Time to warm: requests until the hits of a quarter of the trace reach 90 % of those of its last quarter. Hits of bcache are its reads\n\
         that the backing did not get. After a reset: devices as they were copied at one moment behind the last flush, assembled again. Hits are\n\
         those of the last quarter's reads, read again; in brackets those of the first time.\n\n\
         | trace | cache | hits | LRU, best possible | warm after | array reads | array writes | SSD, MiB | dirty, KiB | hits after a reset | content |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
        first["requests"],
        of_run("source"),
        of_run("kernel"),
        run.map_or_else(String::new, run_text),
    );
    for line in peer_lines(lines) {
        let words = |key: &str| line[key].as_str().unwrap_or("?");
        let warm =
            line["warm_after_requests"].as_u64().map_or_else(|| "-".to_owned(), |count| count.to_string());
        add(
            &mut text,
            format_args!(
                "| {} | {} | {} % | {} %, {} % | {warm} | {} | {} | {:.1} | {} | {} % ({} %) | {} |\n",
                words("case"),
                words("contender"),
                line["hit_percent"],
                line["lru_hit_percent"],
                line["most_hit_percent"],
                line["backing_reads"],
                line["backing_writes"],
                line["ssd_kib"].as_f64().unwrap_or(0.0) / 1024.0,
                line["dirty_kib"],
                line["after_reset_hit_percent"],
                line["last_window_hit_percent"],
                if line["is_intact"] == true { "intact" } else { "lost" },
            ),
        );
    }
    text
}

fn series(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
    Series { name: name.to_owned(), points: points.into_iter().collect() }
}

/// Returns the figures of lines in order, with their numbers as places.
fn numbered<'a>(name: &str, lines: impl IntoIterator<Item = &'a Value>, key: &str) -> Series {
    series(
        name,
        lines.into_iter().enumerate().filter_map(|(at, line)| Some((place(at), line[key].as_f64()?))),
    )
}

fn place(at: usize) -> f64 {
    at as f64
}

fn texts<'a>(lines: impl Iterator<Item = &'a Value>, key: &str) -> Vec<String> {
    lines.filter_map(|line| line[key].as_str()).map(str::to_owned).collect()
}

fn ends(line: &Value, end: &str) -> bool {
    line["case"].as_str().is_some_and(|case| case.ends_with(end))
}

/// Returns the line that says how an experiment was run.
pub(super) fn run_line(is_full: bool, seconds: u64) -> Value {
    serde_json::json!({ "experiment": "", "case": RUN, "full": is_full, "seconds": seconds, "date": date() })
}

fn run_text(run: &Value) -> String {
    let form = if run["full"] == true { "in full" } else { "in its short form, whose figures are others" };
    format!("Run {form} on {} in {} s.", run["date"].as_str().unwrap_or("?"), run["seconds"])
}

/// Returns the page. Lines of a second run only show how far figures differ.
pub(super) fn page(all: &[Value]) -> String {
    let (again, first): (Vec<Value>, Vec<Value>) = all.iter().cloned().partition(is_again);
    let lines = first.as_slice();
    let second = merged(first.clone(), again.iter().cloned().map(as_first).collect());
    let has_second = |row: &PublishedRow| again.iter().any(|line| line["experiment"] == row.experiment);
    let mut text = String::from(
        "# Experiments of published documents\n\n\
         Five documents show what caches of hosts and arrays do. Each of their figures is a row here, with ours beside it. `cargo xtask papers`\n\
         writes this page, its charts and `papers/results.jsonl`; nothing is typed by hand but reasons.\n\n\
         The real code of the cache runs on [modelled arrays](dev/model.md) and SSDs in virtual time. So processors cost nothing but 63 us for\n\
         each request of a cached disk, and the figures do not depend on the machine. Capacities are scaled, rates of requests are not. The last\n\
         two run in guests instead: caches of the kernel, and a real database. Others use the machine meanwhile: experiments run two at once.\n\n",
    );
    add(&mut text, format_args!("Seed {SEED}, {}.\n", machine()));
    text += &differences(Lines(lines), Lines(&second), rows().filter(|row| has_second(row)));
    let charts = charts(lines);
    for (name, heading) in HEADINGS {
        add(&mut text, format_args!("\n## {heading}\n"));
        if let Some(experiment) = EXPERIMENTS.iter().find(|experiment| experiment.name == name) {
            let run = Lines(lines).of(name, RUN).last().map_or_else(|| "Not run yet.".to_owned(), run_text);
            add(&mut text, format_args!("Scale: {}. {run}\n\n", experiment.scale));
        }
        text += "| published | ours | verdict | why |\n|---|---|---|---|\n";
        for row in rows().filter(|row| row.experiment == name) {
            let [mut ours, verdict] = row.judged(Lines(lines));
            if has_second(row) && row.figure(Lines(&second)).is_some() {
                ours += ", then ";
                ours += &row.judged(Lines(&second))[0];
            }
            add(&mut text, format_args!("| {} | {ours} | {verdict} | {} |\n", row.published, row.why));
        }
        if name == "matrix" {
            text += &volume_table(lines);
        }
        if name == "peers" {
            text += &peer_table(lines);
        }
        if name == "postgres" {
            text += &postgres_table(lines);
        }
        let own =
            charts.iter().filter(|(file, _)| file.trim_end_matches(".svg").split('-').next() == Some(name));
        for (file, _) in own {
            add(&mut text, format_args!("\n![{heading}](papers/{file})\n"));
        }
    }
    text += "\n## Workloads\nThe crate `workload` generates them; its tests measure these properties.\n\n\
             | name | reads | working set | skew | run | a second | active | |\n|---|---|---|---|---|---|---|---|\n";
    for workload in workload::ALL {
        let rate = round_rate(workload.per_second_thousandths);
        add(
            &mut text,
            format_args!(
                "| `{}` | {} % | {} % | {} | {} | {rate} | {} % | {} |\n",
                workload.name,
                workload.read_percent,
                workload.working_set_percent,
                workload.skew,
                workload.run,
                workload.active_percent,
                workload.description
            ),
        );
    }
    text
}

/// Returns a line of a second run as if it were of the first.
fn as_first(mut line: Value) -> Value {
    line["again"] = false.into();
    line
}

/// Returns how many rows a second run gives again within a tenth, and names the others; nothing without one.
fn differences<'a>(
    first: Lines<'_>,
    second: Lines<'_>,
    rows: impl Iterator<Item = &'a PublishedRow>,
) -> String {
    let mut others = Vec::new();
    let mut count = 0;
    for row in rows {
        let (Some(one), Some(other)) = (row.figure(first), row.figure(second)) else { continue };
        count += 1;
        if (other - one).abs() > TENTH * one.abs() {
            others.push(format!("- {:.0} %: {}\n", 100.0 * (other / one - 1.0).abs(), row.published));
        }
    }
    match (count, others.len()) {
        (0, _) => String::new(),
        (_, 0) => format!(
            "\nOf {count} rows there is a second run, after `then`. All are within 10 % of the first.\n"
        ),
        (_, far) => format!(
            "\nOf {count} rows there is a second run, after `then`. {} are within 10 % of the first. The others differ by:\n\n{}",
            count - far,
            others.concat()
        ),
    }
}

fn round_rate(thousandths: u64) -> u64 {
    thousandths.div_ceil(1000)
}

fn add(text: &mut String, line: std::fmt::Arguments<'_>) {
    text.write_fmt(line).expect("a string takes everything");
}

/// Returns the date of today, or nothing where the program is missing.
fn date() -> String {
    let output = Command::new("date").args(["-u", "+%F"]).output();
    output.map_or(String::new(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Returns the processor and the number of cores.
fn machine() -> String {
    let known = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = known
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or("an unknown processor", |(_, name)| name);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{cores} cores of {model}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_lines_has_all_rows_and_no_chart() {
        let text = page(&[]);
        assert!(charts(&[]).is_empty() && !text.contains(".svg"));
        let not_run = text.lines().filter(|line| line.contains("| not run |")).count();
        assert!(not_run > 20, "{text}");
        assert!(rows().all(|row| HEADINGS.iter().any(|(name, _)| *name == row.experiment)));
    }

    #[test]
    fn each_experiment_says_how_it_was_run() {
        let mut run = run_line(false, 7);
        run["experiment"] = "store".into();
        let text = page(&[run]);
        let said: Vec<&str> = text.lines().filter(|line| line.contains("Run in its short form")).collect();
        assert!(said.len() == 1 && said[0].ends_with("in 7 s."), "{said:?}");
        assert_eq!(text.matches("Not run yet.").count(), EXPERIMENTS.len() - 1);
    }

    #[test]
    fn a_second_run_stands_beside_the_first_and_says_which_rows_differ() {
        let line = |case: &str, iops: f64, again: bool| serde_json::json!({"experiment": "calibration", "case": case, "iops": iops, "again": again});
        let first = [line("baseline", 600.0, false), line("cold", 300.0, false)];
        let second = [line("baseline", 590.0, true), line("cold", 590.0, true)];
        let text = page(&[first, second].concat());
        assert!(text.contains("| 600 IOPS, then 590 IOPS | met (576 to 608) |"), "{text}");
        assert!(text.contains("| 0.50x, then 1.00x | short"), "{text}");
        assert!(text.contains("Of 2 rows") && text.contains(" 1 are within 10 %"), "{text}");
        assert!(text.contains("\n- 100 %: first pass") && text.contains("0.95 of it\n"), "{text}");
    }

    #[test]
    fn runs_of_the_real_database_have_a_row_each_and_a_chart() {
        let line = |case: &str, rate: f64| serde_json::json!({"experiment": "postgres", "case": case, "kind": "all", "per_minute": rate, "mean_ms": 2.5});
        let run =
            serde_json::json!({"experiment": "postgres", "case": "run", "server": "15.1", "full": true});
        let lines = [line("store cache 0", 100.0), line("store cache 15", 150.0), run];
        let text = page(&lines);
        assert!(text.contains("| store cache 15 | all | 150 | 2.5 | - | - | - |"), "{text}");
        assert!(text.contains("with a cache of 15 units | 1.50x | met (at least 1.39)"), "{text}");
        assert_eq!(charts(&lines).len(), 1);
        assert!(page(&[]).contains("`cargo xtask papers --only postgres`"));
    }

    #[test]
    fn volumes_have_a_row_for_each_load_and_figures_beside_the_one_without_services() {
        let of_loads = |column: &str, iops: f64, deviation: f64| {
            let loads = ["random read", "random write", "70/30"];
            let cases = loads.map(|load| ["small", "large"].map(|set| format!("{load}, {set}, {column}")));
            cases.into_iter().flatten().map(move |case| {
                serde_json::json!({"experiment": "matrix", "case": case, "iops": iops, "mean_ms": 1.5, "deviation_ms": deviation, "taken_of_content": 2.0})
            })
        };
        let lines: Vec<Value> = of_loads("volume", 100.0, 1.0)
            .chain(of_loads("volume, compression", 110.0, 1.25))
            .chain(of_loads("volume, RAID-5 over hosts", 80.0, 0.5))
            .collect();
        let text = page(&lines);
        assert!(
            text.contains("| 70/30, large, volume, compression | 110 | 1.50 | 1.25 | - | 2.00 |"),
            "{text}"
        );
        let row = |start: &str| {
            let found = text.lines().find(|line| line.starts_with(&format!("| {start}")));
            found.unwrap_or_else(|| panic!("no row {start} in {text}")).to_owned()
        };
        assert!(row("compression: IOPS").contains("| 1.10x | met"), "{text}");
        assert!(row("compression: deviation").contains("| 1.25x | short"), "{text}");
        assert!(row("RAID-5 over hosts: IOPS").contains("| 0.80x | short"), "{text}");
        assert!(row("deduplication: IOPS").contains("| not run |"), "{text}");
        assert!(charts(&lines).iter().any(|(name, _)| name == "matrix-volumes.svg"));
    }

    #[test]
    fn contenders_have_a_row_each_and_a_chart() {
        let line = |contender: &str| {
            serde_json::json!({
                "experiment": "peers", "case": "one", "contender": contender, "requests": 10, "hit_percent": 50.0,
                "ssd_kib": 512, "is_intact": true, "dirty_kib": 4
            })
        };
        let lines = [line("bcache writeback"), line("Forebay write-back")];
        let text = page(&lines);
        assert!(
            text.contains("| one | bcache writeback | 50.0 % |") && text.contains("| intact |"),
            "{text}"
        );
        assert_eq!(charts(&lines).len(), 1);
        assert!(page(&[]).contains("`cargo xtask papers --only peers`"));
    }

    #[test]
    fn a_chart_has_the_points_of_its_lines() {
        let line = |part: u64| serde_json::json!({"experiment": "calibration", "case": "course", "pass": "cold", "part": part, "iops": 5.0});
        let charts = charts(&[line(0), line(1)]);
        assert_eq!(charts.len(), 1);
        assert_eq!((charts[0].0.as_str(), charts[0].1.matches("<circle").count()), ("calibration.svg", 2));
    }
}
