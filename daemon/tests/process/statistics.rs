//! Counters of disks: the same figures in every view, and equal to the requests of guests.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;

use doors::nbd::Client;
use serde_json::Value;

use crate::host::{Daemon, Host};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const DISK: u64 = 8 * MIB;
/// The most polls until all views are of one moment.
const LOOKS_MAX: usize = 20;
const WINDOWS: [&str; 5] = ["5m", "1h", "1d", "total", "start"];

/// Requests of guests.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    reads: u64,
    read_bytes: u64,
    writes: u64,
    write_bytes: u64,
    flushes: u64,
    discards: u64,
}

impl Asked {
    fn and(self, more: Self) -> Self {
        Self {
            reads: self.reads + more.reads,
            read_bytes: self.read_bytes + more.read_bytes,
            writes: self.writes + more.writes,
            write_bytes: self.write_bytes + more.write_bytes,
            flushes: self.flushes + more.flushes,
            discards: self.discards + more.discards,
        }
    }

    fn counters(self) -> [(&'static str, u64); 6] {
        [
            ("reads", self.reads),
            ("read_bytes", self.read_bytes),
            ("writes", self.writes),
            ("write_bytes", self.write_bytes),
            ("flushes", self.flushes),
            ("discards", self.discards),
        ]
    }
}

/// Sends this many requests of all kinds and several sizes, all over the disk.
fn load(mut guest: Client, requests: u64, seed: u64) -> Asked {
    let (mut asked, mut state) = (Asked::default(), seed);
    for _ in 0..requests {
        // The constants are Knuth's for a linear congruential generator of 64 bits (MMIX).
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let length = [512, 4 * KIB, 20 * KIB, 64 * KIB][(state >> 60) as usize % 4];
        let offset = (state >> 20) % (DISK / 2 / 512) * 512;
        match (state >> 50) % 16 {
            0 => {
                guest.flush().expect("the disk is served");
                asked.flushes += 1;
            }
            1 => {
                guest.trim(offset, length as u32).expect("the disk is served");
                asked.discards += 1;
            }
            2 => {
                guest.write_zeroes(offset, length as u32).expect("the disk is served");
                (asked.writes, asked.write_bytes) = (asked.writes + 1, asked.write_bytes + length);
            }
            3..8 => {
                guest.write(offset, &vec![state as u8; length as usize]).expect("the disk is served");
                (asked.writes, asked.write_bytes) = (asked.writes + 1, asked.write_bytes + length);
            }
            _ => {
                guest.read(offset, length as u32).expect("the disk is served");
                (asked.reads, asked.read_bytes) = (asked.reads + 1, asked.read_bytes + length);
            }
        }
    }
    asked
}

fn number(document: &Value, key: &str) -> u64 {
    document[key].as_u64().unwrap_or_else(|| panic!("{key} is no number: {document}"))
}

/// Checks invariants of every document.
fn check_sums(counted: &Value) {
    let sum = |keys: &[&str]| keys.iter().map(|key| number(counted, key)).sum::<u64>();
    let measured = |class: &str| number(&counted["latency_us"][class], "count");
    let gone_home = ["read_partial_hits", "read_misses", "reads_bypassed"];
    let hits = ["read_hits_ram", "read_hits_flash"];
    assert_eq!(number(counted, "reads"), sum(&hits) + sum(&gone_home), "{counted}");
    assert_eq!(measured("read_hit_ram"), sum(&hits[..1]), "{counted}");
    assert_eq!(measured("read_hit_flash"), sum(&hits[1..]), "{counted}");
    assert_eq!(measured("read_miss"), sum(&gone_home), "{counted}");
    assert_eq!(measured("write"), number(counted, "writes"), "{counted}");
    assert_eq!(measured("flush"), number(counted, "flushes"), "{counted}");
    for error in ["checksum_errors", "flash_errors", "backing_errors"] {
        number(counted, error);
    }
}

/// Returns one disk in a window.
fn statistics(daemon: &Daemon, name: &str, window: &str) -> Value {
    let document = daemon.json(&["stats", name, "--window", window]);
    assert_eq!(document["disks"][0]["window"], window);
    document["disks"][0].clone()
}

/// Returns all counters of a document.
fn counters(document: &Value) -> Vec<(String, Value)> {
    let keys = document.as_object().expect("it is an object").iter();
    let first = |(key, _): &(&String, &Value)| *key == "reads";
    let all = keys.skip_while(|entry| !first(entry)).map(|(key, value)| (key.clone(), value.clone()));
    all.take_while(|(key, _)| key != "hit_ratio").collect()
}

/// Returns the numbers of one line of `forebay stats`, by their headings.
fn table_row(table: &str, name: &str) -> impl Fn(&str) -> String {
    let cells = |line: &str| -> Vec<String> {
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
    };
    let headings = cells(table.lines().next().expect("there is a heading"));
    let row = table.lines().find(|line| line.starts_with(&format!("{name} "))).expect("the disk is there");
    let row = cells(row);
    assert_eq!(row.len(), headings.len(), "{table}");
    move |wanted| {
        let at = headings.iter().position(|heading| heading == wanted).expect("it is a heading");
        row[at].clone()
    }
}

fn histogram_count(classes: &Value) -> u64 {
    classes.as_array().expect("a list").iter().map(|class| number(class, "count")).sum()
}

#[test]
fn sums_agree_under_load_and_every_view_says_what_guests_did() {
    let host = Host::new();
    let (a, b) = (host.image("a.img", DISK), host.image("b.img", DISK));
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &a, "--reserve", "8MiB"]).succeeded();
    daemon
        .run(&["disk", "add", "b", "--backing", &b, "--reserve", "16MiB", "--mode", "write-back"])
        .succeeded();
    let asked = std::thread::scope(|scope| {
        let guests = [("a", 1), ("a", 2), ("b", 3), ("b", 4)].map(|(name, seed)| {
            let guest = daemon.guest(name);
            (name, scope.spawn(move || load(guest, 400, seed)))
        });
        for window in WINDOWS.iter().cycle() {
            for disk in daemon.json(&["stats", "--window", window])["disks"].as_array().expect("a list") {
                check_sums(disk);
                check_sums(&disk["total"]);
            }
            if guests.iter().all(|(_, guest)| guest.is_finished()) {
                break;
            }
        }
        guests
            .into_iter()
            .map(|(name, guest)| (name, guest.join().expect("no request failed")))
            .collect::<Vec<_>>()
    });
    // Pending destage would still change counters.
    daemon.run(&["disk", "destage", "b", "--wait"]).succeeded();

    let table = daemon.run(&["stats", "--all"]).succeeded();
    for name in ["a", "b"] {
        let here = asked.iter().filter(|(disk, _)| *disk == name).map(|(_, asked)| *asked);
        check_views(&daemon, name, here.fold(Asked::default(), Asked::and), &table_row(&table, name));
    }
    assert!(daemon.stop().success());
}

/// All views of one moment.
struct Views {
    start: Value,
    windows: Vec<(&'static str, Value)>,
    shown: Value,
    list: Value,
    report: Value,
    text: String,
}

impl Views {
    /// Returns the views of a disk without guests. Promotions may still follow, so the views are read again
    /// if a counter changed meanwhile.
    fn at_rest(daemon: &Daemon, name: &str) -> Self {
        let look = || Self {
            start: statistics(daemon, name, "start"),
            windows: WINDOWS.iter().map(|window| (*window, statistics(daemon, name, window))).collect(),
            shown: daemon.json(&["disk", "show", name])["disk"]["statistics"].clone(),
            list: daemon.json(&["stats"])["disks"].clone(),
            report: daemon.json(&["report", name])["report"].clone(),
            text: daemon.run(&["stats", name, "--all"]).succeeded(),
        };
        let is_of_one_moment =
            |views: &Self| counters(&views.start) == counters(&statistics(daemon, name, "start"));
        let found = std::iter::repeat_with(look).take(LOOKS_MAX).find(is_of_one_moment);
        found.expect("promotion comes to an end")
    }
}

/// Checks that at rest all views are equal, and match the requests of guests.
fn check_views(daemon: &Daemon, name: &str, asked: Asked, cell: &dyn Fn(&str) -> String) {
    let Views { start, windows, shown, list, report, text } = Views::at_rest(daemon, name);
    for (key, count) in asked.counters() {
        assert_eq!(number(&start, key), count, "{key} of {name}");
    }
    let all = counters(&start);
    assert!(all.len() > 35, "{all:?}");
    for (window, windowed) in &windows {
        check_sums(windowed);
        assert_eq!(counters(windowed), all, "{window} of {name}");
        assert_eq!(windowed["hit_ratio"], start["hit_ratio"], "{window} of {name}");
        for figure in ["count", "mean", "p50", "p999"] {
            assert_eq!(
                windowed["latency_us"]["write"][figure], start["latency_us"]["write"][figure],
                "{window}"
            );
        }
        assert_eq!(counters(&windowed["total"]), all, "the total beside {window} of {name}");
    }
    assert_eq!(counters(&shown), all);
    assert_eq!(list[usize::from(name == "b")]["reads"], asked.reads);
    assert_eq!(report["reads"], asked.reads);

    for (key, value) in &all {
        let line =
            text.lines().find(|line| line.split_whitespace().next() == Some(key)).expect("it is shown");
        assert_eq!(line.split_whitespace().nth(1), Some(value.to_string().as_str()), "{text}");
    }
    for (heading, key) in [
        ("READS", "reads"),
        ("RAM HITS", "read_hits_ram"),
        ("FLASH HITS", "read_hits_flash"),
        ("PARTIAL", "read_partial_hits"),
        ("MISSES", "read_misses"),
        ("BYPASSED", "reads_bypassed"),
        ("WRITES", "writes"),
        ("BACKING READS", "backing_reads"),
        ("BACKING WRITES", "backing_writes"),
    ] {
        assert_eq!(cell(heading), start[key].to_string(), "{heading} of {name}");
    }
    assert_eq!(cell("ERRORS"), "0");
    check_histograms(daemon, name, &start);
}

fn check_histograms(daemon: &Daemon, name: &str, counted: &Value) {
    let histograms = &daemon.json(&["histogram", name])["histograms"];
    for (direction, key) in [("read", "reads"), ("write", "writes")] {
        let requests = number(counted, key);
        for (what, expected) in [
            ("size", requests),
            ("outstanding", requests),
            ("seek", requests - 1),
            ("interarrival", requests - 1),
        ] {
            assert_eq!(histogram_count(&histograms[what][direction]), expected, "{what} of {key} of {name}");
        }
    }
    for (class, measured) in counted["latency_us"].as_object().expect("an object") {
        assert_eq!(histogram_count(&histograms["latency"][class]), number(measured, "count"), "{class}");
    }
}

#[test]
fn a_histogram_shows_what_a_guest_does() {
    let host = Host::new();
    let image = host.image("a.img", DISK);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let mut guest = daemon.guest("a");
    for request in 0..100 {
        guest.write(request * 4096, &[1; 4096]).expect("the disk is served");
    }
    guest.read(0, 512).expect("the disk is served");

    let histograms = daemon.json(&["histogram", "a"])["histograms"].clone();
    let class = |what: &str, upto: u64| {
        let classes = histograms[what]["write"].as_array().expect("a list").iter();
        classes.filter(|class| class["upto"] == upto).map(|class| number(class, "count")).sum::<u64>()
    };
    assert_eq!(
        [class("size", 4096), class("seek", 1), class("outstanding", 1)],
        [100, 99, 100],
        "{histograms}"
    );
    assert_eq!([&histograms["name"], &histograms["size"]["unit"]], ["a", "bytes"]);
    assert_eq!(histograms["seek"]["read"].as_array().map(Vec::len), Some(28));

    let only = daemon.json(&["histogram", "a", "--what", "size", "--write"])["histograms"].clone();
    assert_eq!(only["size"]["write"], histograms["size"]["write"]);
    assert!(only.get("seek").is_none() && only["size"].get("read").is_none(), "{only}");
    let shown = daemon.run(&["histogram", "a", "--what", "size"]).succeeded();
    assert!(shown.contains("Size of requests, write, in bytes: 100\n   UP TO"), "{shown}");
    assert!(shown.contains("\n    4096           100 100.0% "), "{shown}");
    assert!(shown.contains("Size of requests, read, in bytes: 1\n"), "{shown}");

    std::fs::rename(host.path("a.img"), host.path("away.img")).expect("the folder is ours");
    assert!(daemon.stop().success());
    let daemon = host.serve_with(&[]);
    let message = daemon.run(&["histogram", "a"]).failed();
    assert!(message.contains("'a'") && message.contains("forebay disk list"), "{message}");
    // Earlier counts are kept anyway, with their times.
    assert_eq!(statistics(&daemon, "a", "total")["writes"], 100);
    assert_eq!(statistics(&daemon, "a", "1d")["writes"], 100);
    assert!(daemon.json(&["stats", "a"])["disks"][0].get("writes").is_none());
}

#[test]
fn errors_of_a_backing_are_counted_in_every_view() {
    let host = Host::new();
    let image = host.image("a.img", DISK);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    daemon.run(&["disk", "set", "a", "retry-time=1s"]).succeeded();
    let mut guest = daemon.guest("a");
    File::options().write(true).open(&image).and_then(|file| file.set_len(MIB)).expect("the folder is ours");
    guest.read(DISK - MIB, 4096).expect_err("nothing is there any more");
    let errors = number(&statistics(&daemon, "a", "start"), "backing_errors");
    assert!(errors > 0);
    for window in WINDOWS {
        assert_eq!(number(&statistics(&daemon, "a", window), "backing_errors"), errors, "{window}");
    }
    let shown = daemon.run(&["stats", "a"]).succeeded();
    assert!(
        shown.lines().any(|line| line.split_whitespace().eq(["backing_errors", &errors.to_string()])),
        "{shown}"
    );
    assert_eq!(table_row(&daemon.run(&["stats"]).succeeded(), "a")("ERRORS"), errors.to_string());
}

/// Returns the answer of the control socket: status and document.
pub(crate) fn get(daemon: &Daemon, path: &str) -> (String, Value) {
    let mut stream = UnixStream::connect(daemon.control_socket()).expect("it listens");
    let request = format!("GET {path} HTTP/1.1\r\nHost: forebay\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("it listens");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers with text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
    let status = head.split(' ').nth(1).expect("there is a status").to_owned();
    (status, serde_json::from_str(body).expect("a document"))
}

#[test]
fn a_window_that_there_is_not_is_refused_with_those_that_there_are() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    for path in [
        "/v1/stats?window=2m",
        "/v1/stats/a?window=",
        "/v1/stats/a?windo=5m",
        "/v1/stats?window=5m&window=1h",
    ] {
        let (status, problem) = get(&daemon, path);
        assert_eq!(status, "400", "{path}: {problem}");
        assert!(
            problem["detail"].as_str().is_some_and(|detail| detail.contains("window")),
            "{path}: {problem}"
        );
    }
    let (_, problem) = get(&daemon, "/v1/stats?window=2m");
    let detail = problem["detail"].as_str().expect("it is text");
    assert!(detail.contains("'2m'") && detail.contains("5m, 1h, 1d, total, start"), "{detail}");
    assert_eq!(get(&daemon, "/v1/stats/b?window=5m").0, "404");
    assert_eq!(get(&daemon, "/v1/disks/b/histograms").0, "404");

    let (status, answer) = get(&daemon, "/v1/stats/a");
    assert_eq!((status.as_str(), &answer["disks"][0]["window"]), ("200", &Value::from("start")));
    assert!(answer["disks"][0]["window_seconds"].is_u64(), "{answer}");

    assert_eq!(daemon.run(&["stats", "--window", "2m"]).status, 2);
    let message = daemon.run(&["stats", "--window", "5m", "--watch"]).failed();
    assert!(message.contains("--json"), "{message}");
}

#[test]
fn watching_prints_a_document_a_line_or_rates_under_a_heading() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let lines = |words: &[&str], count: usize| -> Vec<String> {
        let mut watching = daemon.spawn(words);
        let output = BufReader::new(watching.stdout.take().expect("it was piped"));
        let lines = output.lines().take(count).map(|line| line.expect("output is text")).collect();
        watching.kill().expect("it is our child");
        watching.wait().expect("it is our child");
        lines
    };
    for line in lines(&["stats", "a", "--watch", "--json", "--window", "5m"], 2) {
        let document: Value = serde_json::from_str(&line).expect("one document a line");
        assert_eq!((&document["schema"], &document["disks"][0]["window"]), (&1.into(), &"5m".into()));
    }
    let [heading, row] = &lines(&["stats", "--watch"], 2)[..] else { panic!("two lines were asked for") };
    assert!(heading.starts_with("NAME") && heading.contains("READS/s"), "{heading}");
    assert!(row.starts_with("a ") && heading.len() == row.len(), "{row}");
}
