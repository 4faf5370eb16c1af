//! `forebay replay` against the real daemon: traces made here, and a real one if there is one.

use std::io::Write;
use std::path::Path;

use crate::host::{Daemon, Host};
use crate::trace_records::record;

const MIB: u64 = 1 << 20;

/// Writes a trace of `vscsi1` records: SCSI command, sector, bytes, microseconds.
fn trace(host: &Host, name: &str, records: &[(u16, u64, u32, u64)]) -> String {
    let records =
        records.iter().flat_map(|(command, sector, bytes, at_us)| record(*command, *sector, *bytes, *at_us));
    std::fs::write(host.path(name), records.collect::<Vec<u8>>()).expect("the folder is ours");
    host.text(name)
}

/// Starts a daemon with a disk of this many bytes.
fn serve(host: &Host, bytes: u64) -> Daemon {
    let image = host.image("a.img", bytes);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image, "--block-size", "4KiB"]).succeeded();
    daemon
}

#[test]
fn a_trace_is_replayed_with_its_content_checked_and_counted() {
    let host = Host::new();
    let daemon = serve(&host, 8 * MIB);
    // Every page is written, then read twice; one request is no transfer, one lies beyond the disk.
    let pages = 0..256;
    let mut records: Vec<_> = pages.clone().map(|page| (0x2a, page * 8, 4096, page)).collect();
    for _ in 0..2 {
        records.extend(pages.clone().map(|page| (0x28, page * 8, 4096, 1000 + page)));
    }
    records.extend([(0x35, 0, 0, 1000), (0x88, 32 * MIB / 512, 8192, 1000)]);
    let trace = trace(&host, "a.vscsi", &records);
    let words = ["replay", &trace, "--disk", "a", "--as-fast-as-possible", "--wrap"];
    let document = daemon.json(&words);
    let replay = &document["replay"];
    for (key, value) in [
        ("requests", 769),
        ("reads", 513),
        ("writes", 256),
        ("write_bytes", 256 * 4096),
        ("left_out", 1),
        ("wrapped", 1),
        ("reads_checked", 513),
        ("mismatches", 0),
        ("errors", 0),
    ] {
        assert_eq!(replay[key], value, "{key}: {replay}");
    }
    assert_eq!(replay["latency_us"]["write"]["count"], 256, "{replay}");
    assert!(replay["hit_ratio"].as_f64() > Some(0.4), "{replay}");
    assert!(daemon.run(&words).succeeded().contains("wrong content                0"));
    let refused = daemon.run(&["replay", &trace, "--disk", "a"]).failed();
    assert!(refused.contains("--wrap"), "{refused}");
}

#[test]
fn a_replay_keeps_the_times_of_the_trace() {
    let host = Host::new();
    let daemon = serve(&host, MIB);
    let trace = trace(&host, "a.vscsi", &[(0x28, 0, 4096, 5_000_000), (0x28, 0, 4096, 7_000_000)]);
    let replay = daemon.json(&["replay", &trace, "--disk", "a", "--speed", "10"])["replay"].clone();
    assert!(replay["seconds"].as_f64() >= Some(0.2), "two seconds ten times as fast: {replay}");
    assert_eq!(replay["late_us"]["count"], 2, "{replay}");
}

#[test]
fn a_replay_stands_beside_an_earlier_one_and_what_was_recorded() {
    let host = Host::new();
    let daemon = serve(&host, MIB);
    let lines =
        "0.000,1500,0,4096,0,0.097,4096\n0.001,2500,1,4096,0,0.097,4096\n0.002,700,1,4096,8192,0.097,4096\n";
    std::fs::write(host.path("t.csv"), lines).expect("the folder is ours");
    let trace = host.text("t.csv");
    let words = ["replay", &trace, "--disk", "a"];
    let earlier = daemon.json(&words);
    assert_eq!(earlier["replay"]["recorded"]["latency_us"]["read"]["max"], 2500, "{earlier}");
    assert_eq!(earlier["replay"]["before"], serde_json::Value::Null);
    std::fs::write(host.path("before.json"), earlier.to_string()).expect("the folder is ours");
    let before = host.text("before.json");
    let words = [&words[..], &["--before", &before]].concat();
    let later = daemon.json(&words);
    for key in ["latency_us", "latency_classes"] {
        assert_eq!(later["replay"]["before"][key], earlier["replay"][key], "{key}");
    }
    let text = daemon.run(&words).succeeded();
    assert!(text.contains("READ") && text.contains("RECORDED") && text.contains("BEFORE"), "{text}");
    let refused = daemon.run(&["replay", &trace, "--disk", "a", "--before", &trace]).failed();
    assert!(refused.contains("t.csv: it is not what"), "{refused}");
}

#[test]
fn a_trace_without_times_or_directions_is_read_as_fast_as_possible() {
    let host = Host::new();
    let daemon = serve(&host, MIB);
    std::fs::write(host.path("t.ids"), "0\n7\n*\n7\n").expect("the folder is ours");
    let trace = host.text("t.ids");
    let words = ["replay", &trace, "--disk", "a"];
    let refused = daemon.run(&words).failed();
    assert!(refused.contains("--as-fast-as-possible"), "{refused}");
    let replay = daemon.json(&[&words[..], &["--as-fast-as-possible"]].concat())["replay"].clone();
    assert_eq!(
        (&replay["reads"], &replay["without_direction"], &replay["left_out"]),
        (&3.into(), &3.into(), &1.into())
    );
    assert_eq!(replay["late_us"], serde_json::Value::Null);
}

#[test]
fn a_replay_never_writes_under_a_guest_or_to_a_disk_that_is_read_only() {
    let host = Host::new();
    let daemon = serve(&host, MIB);
    let frozen = host.image("frozen.img", MIB);
    daemon.run(&["disk", "add", "frozen", "--backing", &frozen, "--read-only"]).succeeded();
    let writes = trace(&host, "w.vscsi", &[(0x2a, 0, 4096, 0)]);
    let reads = trace(&host, "r.vscsi", &[(0x28, 0, 4096, 0)]);
    let guest = daemon.guest("a");
    let message = daemon.run(&["replay", &writes, "--disk", "a"]).failed();
    assert!(message.contains("guest"), "{message}");
    let message = daemon.run(&["replay", &writes, "--disk", "frozen"]).failed();
    assert!(message.contains("read-only"), "{message}");
    for disk in ["a", "frozen"] {
        daemon.run(&["replay", &reads, "--disk", disk]).succeeded();
    }
    guest.disconnect().expect("the daemon runs");
}

#[test]
fn what_cannot_be_replayed_is_named() {
    let host = Host::new();
    let daemon = serve(&host, MIB);
    let empty = trace(&host, "empty.vscsi", &[]);
    let good = trace(&host, "good.vscsi", &[(0x28, 0, 4096, 0)]);
    let backwards =
        trace(&host, "times.vscsi", &[(0x28, 0, 4096, 5), (0x28, 0, 4096, u64::MAX), (0x28, 0, 512, 0)]);
    for (words, reason) in [
        (&["replay", "/no/such.vscsi", "--disk", "a"][..], "/no/such.vscsi"),
        (&["replay", &empty, "--disk", "a"], "no reads or writes"),
        (&["replay", &backwards, "--disk", "a"], "more than a year"),
        (&["replay", &good, "--disk", "a", "--format", "lis"], "line 1"),
        (&["replay", &good, "--disk", "nobody"], "nobody"),
        (&["replay", &good, "--disk", "../a"], "../a"),
    ] {
        let message = daemon.run(words).failed();
        assert!(message.contains(reason), "{message}");
    }
    let wrong = ["replay", &good, "--disk", "a", "--speed", "2", "--as-fast-as-possible"];
    assert_eq!(daemon.run(&wrong).status, 2);
}

/// Two hours of a virtual machine. Traces are not part of this repository; `FOREBAY_TRACES` names a folder
/// with some.
#[test]
fn a_real_trace_runs_to_its_end_with_its_content_checked() {
    let folder = std::env::var_os("FOREBAY_TRACES");
    let Some(trace) = folder.map(|folder| Path::new(&folder).join("cp_w92.vscsi.zst")) else {
        // Bypasses the test harness, which hides the output of tests that pass.
        let message = b"left out, no real trace was replayed: FOREBAY_TRACES names no folder with traces\n";
        std::io::stderr().write_all(message).expect("whoever runs tests listens");
        return;
    };
    let host = Host::new();
    let daemon = serve(&host, 256 * MIB);
    let trace = trace.to_str().expect("its folder has a plain name");
    let document = daemon.json(&["replay", trace, "--disk", "a", "--as-fast-as-possible", "--wrap"]);
    let replay = &document["replay"];
    assert_eq!(replay["requests"], 113_872, "{replay}");
    assert_eq!((&replay["mismatches"], &replay["errors"]), (&0.into(), &0.into()), "{replay}");
    assert!(replay["reads_checked"].as_u64() > Some(10_000), "{replay}");
    println!("{replay}");
}
