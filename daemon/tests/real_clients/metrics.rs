//! Metrics of Prometheus: its own tool accepts them, and each has the value of `forebay stats`.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::host::{Daemon, Host};
use crate::tools::run;

/// The documentation page that maps keys to metrics.
const PAGE: &str = include_str!("../../../docs/metrics.md");

#[test]
fn metrics_are_as_prometheus_wants_them_and_say_what_documents_say() {
    let host = Host::new();
    let daemon = host.serve();
    let image = host.image("a.img", 8 << 20);
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    daemon.run(&["disk", "add", "b", "--backing", &host.image("b.img", 4 << 20)]).succeeded();
    let mut guest = daemon.guest("a");
    for page in [0, 1, 2, 1, 0] {
        guest.write(page << 12, &[7; 4096]).expect("it is served");
        guest.read(page << 12, 8192).expect("it is served");
    }
    guest.flush().expect("it is served");
    drop(guest);
    // Earlier clients are gone once none is counted any more.
    let deadline = Instant::now() + Duration::from_mins(1);
    while daemon.disk("a")["connections"] != 0 {
        assert!(Instant::now() < deadline, "the guest is still counted");
    }

    let metrics = scrape(daemon.control_socket());
    fs::write(host.path("metrics"), &metrics).expect("the folder is ours");
    let said = run("sh", &["-c", &format!("promtool check metrics < {}", host.text("metrics"))]);
    assert_eq!(said, "");
    assert_eq!(value(&metrics, "forebay_reads_total{disk=\"a\"}"), Some(5.0), "{metrics}");
    let all = daemon.json(&["stats", "a"])["disks"][0]["latency_us"]["write"]["count"].as_f64();
    assert_eq!(value(&metrics, "forebay_write_latency_seconds_count{disk=\"a\"}"), all);
    assert_eq!(value(&metrics, "forebay_write_latency_seconds_bucket{disk=\"a\",le=\"+Inf\"}"), all);
    for disk in ["a", "b"] {
        assert_agreement(&daemon, &metrics, disk);
    }
}

/// Checks every row of the documentation about disks: the document and the metric have the same value.
fn assert_agreement(daemon: &Daemon, metrics: &str, name: &str) {
    let table = PAGE.split("## ").find(|part| part.starts_with("Of a disk")).expect("the page has it");
    let document = daemon.json(&["disk", "show", name])["disk"].clone();
    let mut compared = 0;
    for row in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let (key, metric) = (cells[1], cells[2]);
        let said = number(document.get(key).unwrap_or(&document["statistics"][key]));
        let scale = if key.ends_with("_ns") { 1e-9 } else { 1.0 };
        let found = value(metrics, &format!("{metric}{{disk=\"{name}\"}}"));
        assert_eq!(found, said.map(|said| said * scale), "{key} of {name}, {metric}:\n{document}");
        compared += 1;
    }
    assert!(compared > 40, "only {compared} were compared");
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_bool().map(|is_true| f64::from(u8::from(is_true))))
}

fn value(metrics: &str, line: &str) -> Option<f64> {
    metrics.lines().find_map(|found| found.strip_prefix(line)?.trim().parse().ok())
}

fn scrape(socket: &Path) -> String {
    let mut stream = UnixStream::connect(socket).expect("the daemon listens");
    stream.write_all(b"GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n").expect("the daemon listens");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the daemon answers");
    let (head, metrics) = answer.split_once("\r\n\r\n").expect("an answer has a head");
    assert!(head.starts_with("HTTP/1.0 200") && head.contains("text/plain; version=0.0.4"), "{head}");
    metrics.to_owned()
}
