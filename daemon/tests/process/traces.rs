//! `forebay trace` for new users: no daemon, traces of several formats, wrong files.

use std::path::Path;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use trace::{Format, Kind, Options, Request, Trace, Writer};

use crate::host::{Daemon, Host, forebay};
use crate::trace_records::record;

/// Writes a file in the folder, and returns its path for a command line.
fn file(host: &Host, name: &str, bytes: &[u8]) -> String {
    std::fs::write(host.path(name), bytes).expect("the folder is ours");
    host.text(name)
}

fn json(words: &[&str]) -> Value {
    let text = forebay(&[words, &["--json"]].concat()).succeeded();
    serde_json::from_str(&text).expect("one document")
}

/// Returns records of pages 0 to 99, written a millisecond apart, then read twice.
fn records() -> Vec<u8> {
    (0..300_u64)
        .flat_map(|at| record(if at < 100 { 0x2a } else { 0x28 }, at % 100 * 8, 4096, at * 1000))
        .collect()
}

#[test]
fn a_trace_is_described_without_a_daemon() {
    let host = Host::new();
    let trace = file(&host, "a.vscsi", &records());
    let document = json(&["trace", "info", &trace]);
    assert_eq!(document["schema"], 1);
    let info = &document["trace"];
    for (key, value) in [
        ("requests", 300),
        ("reads", 200),
        ("writes", 100),
        ("unknown", 0),
        ("accesses", 300),
        ("footprint_blocks", 100),
        ("footprint_bytes", 409_600),
        ("span_us", 299_000),
        ("end_bytes", 409_600),
        ("times_backwards", 0),
    ] {
        assert_eq!(info[key], value, "{key}: {info}");
    }
    assert_eq!((&info["format"], &info["is_exact"]), (&"vscsi1".into(), &true.into()));
    assert_eq!(info["lengths"][0]["upto_bytes"], 4096);
    let text = forebay(&["trace", "info", &trace]).succeeded();
    for line in ["300 in 0.3 s", "400KiB, 100 blocks", "66.7% of accesses are to blocks touched before"] {
        assert!(text.contains(line), "{text}");
    }
    let widest = text.lines().skip(1).map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{text}");
}

#[test]
fn a_trace_without_units_says_what_was_taken() {
    let host = Host::new();
    let trace = file(&host, "a.lis", b"5 8 0 0\n13 8 0 1\n");
    assert!(forebay(&["trace", "info", &trace]).succeeded().contains("512 bytes; the file does not say"));
    assert_eq!(json(&["trace", "info", &trace, "--unit", "4KiB"])["trace"]["footprint_blocks"], 16);
    assert_eq!(forebay(&["trace", "info", &trace, "--unit", "100"]).status, 2);
}

#[test]
fn a_converted_trace_says_the_same_in_less_room() {
    let host = Host::new();
    let trace = file(&host, "a.vscsi", &records());
    let info = |file: &str| {
        let mut info = json(&["trace", "info", file])["trace"].clone();
        info.as_object_mut()
            .expect("an object")
            .retain(|key, _| !["file", "format", "left_out"].contains(&key.as_str()));
        info
    };
    for name in ["b.fbtrace", "b.fbtrace.zst", "b.csv.gz", "b.csv.xz"] {
        let output = host.text(name);
        let converted = json(&["trace", "convert", &trace, &output])["converted"].clone();
        assert_eq!(
            (&converted["requests"], &converted["input_bytes"]),
            (&300.into(), &9600.into()),
            "{name}"
        );
        assert!(converted["output_bytes"].as_u64() < Some(2400), "{name}: {converted}");
        assert_eq!(info(&output), info(&trace), "{name}");
        let again = forebay(&["trace", "convert", &trace, &output]).failed();
        assert!(again.contains("exists"), "{again}");
    }
    let mut names: Vec<String> = std::fs::read_dir(host.path(""))
        .expect("the folder is ours")
        .map(|entry| entry.expect("it is read").file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("b."))
        .collect();
    names.sort();
    assert_eq!(names, ["b.csv.gz", "b.csv.xz", "b.fbtrace", "b.fbtrace.zst"]);
}

#[test]
fn what_is_no_trace_is_told_and_leaves_nothing() {
    let host = Host::new();
    let damaged = file(&host, "damaged.vscsi", &[records(), vec![1, 2, 3]].concat());
    let garbage = file(&host, "garbage", &[0, 1, 2, 3, 255, 254].repeat(1000));
    let empty = file(&host, "empty", b"");
    let cut = zstd::encode_all(&records()[..], 3).expect("memory takes it");
    let cut = file(&host, "cut.vscsi.zst", &cut[..cut.len() / 2]);
    let blocks = file(&host, "blocks.ids", b"1\n2\n");
    let output = host.text("out.csv");
    for (words, reasons) in [
        (vec!["info", &damaged], vec!["record 301", "300 requests", "3 of them"]),
        (vec!["info", &garbage], vec!["heimdall", "--format", "00 01 02 03"]),
        (vec!["info", &garbage, "--format", "ids"], vec!["line 1", "line of text"]),
        (vec!["info", &empty], vec!["it is empty"]),
        (vec!["info", &cut], vec!["cut.vscsi.zst", "whole"]),
        (vec!["info", "/no/such"], vec!["/no/such"]),
        (vec!["convert", &damaged, &output], vec!["record 301"]),
        (vec!["convert", &blocks, &output], vec!["out.csv", "direction"]),
        (vec!["convert", &damaged, &output, "--to", "lis"], vec!["forebay or msr"]),
        (vec!["convert", &damaged, "/no/such/a.csv"], vec!["/no/such/a.csv.new", "folder"]),
        (vec!["convert", &damaged, "out"], vec!["--to"]),
    ] {
        let message = forebay(&[&["trace"][..], &words].concat()).failed();
        assert!(reasons.iter().all(|reason| message.contains(reason)), "{words:?}: {message}");
        assert!(!host.path("out.csv").exists() && !host.path("out.csv.new").exists(), "{words:?}");
    }
    let unknown = forebay(&["trace", "info", &empty, "--format", "vscsi"]);
    assert!(unknown.status == 2 && unknown.stderr.contains("tencent-replay"), "{unknown:?}");
}

/// Writes one page after another as a guest until a condition holds. Returns the number of writes.
fn write_until(daemon: &Daemon, mut has_happened: impl FnMut() -> bool) -> u64 {
    let mut guest = daemon.guest("a");
    let mut pages = 0;
    while !has_happened() {
        guest.write(pages % 1024 * 4096, &[7; 4096]).expect("the daemon runs");
        pages += 1;
    }
    guest.disconnect().expect("the daemon runs");
    pages
}

fn serve(host: &Host) -> Daemon {
    let image = host.image("a.img", 4 << 20);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    daemon
}

/// Returns the number of requests of a recorded trace: each must be the page after the one before.
fn recorded_pages(file: &str) -> usize {
    let trace = Trace::open(Path::new(file), &Options::default()).expect("it is a trace");
    let requests: Vec<Request> = trace.map(|request| request.expect("it is whole")).collect();
    for pair in requests.windows(2) {
        assert_eq!(pair[1].offset, (pair[0].offset + 4096) % (4 << 20), "{pair:?}");
        assert!(pair[0].at_us <= pair[1].at_us, "{pair:?}");
    }
    let is_page = |request: &Request| {
        request.kind == Kind::Write && request.length == 4096 && request.latency_us.is_some()
    };
    assert!(requests.iter().all(is_page));
    requests.len()
}

#[test]
fn what_a_guest_asks_is_recorded_and_can_be_replayed() {
    let host = Host::new();
    let daemon = serve(&host);
    let output = host.text("out.fbtrace.zst");
    let words = ["trace", "record", "a", "-o", &output, "--seconds", "1", "--json"];
    let mut recorder = daemon.spawn(&words);
    let written = write_until(&daemon, || recorder.try_wait().expect("it is ours").is_some());
    assert!(recorder.wait().expect("it is ours").success());
    let pages = recorded_pages(&output);
    assert!(pages > 0 && pages as u64 <= written, "{pages} of {written}");
    let again = daemon.run(&words).failed();
    assert!(again.contains("exists"), "{again}");
    let replay = daemon.json(&["replay", &output, "--disk", "a", "--as-fast-as-possible"])["replay"].clone();
    assert_eq!(replay["recorded"]["latency_us"]["write"]["count"], pages, "{replay}");
    assert_eq!(replay["errors"], 0);
}

#[test]
fn a_recording_ends_with_ctrl_c_and_with_the_daemon_and_is_whole() {
    let host = Host::new();
    let daemon = serve(&host);
    let has_begun = |name: &str| std::fs::metadata(host.path(name)).is_ok_and(|file| file.len() > 0);
    let first = host.text("first.fbtrace");
    let recorder = daemon.spawn(&["trace", "record", "a", "-o", &first]);
    write_until(&daemon, || has_begun("first.fbtrace.new"));
    let second = host.text("second.csv");
    for other in [&second, &first] {
        let refused = daemon.run(&["trace", "record", "a", "-o", other]).failed();
        assert!(refused.contains("already") && !host.path("second.csv.new").exists(), "{refused}");
    }
    assert!(has_begun("first.fbtrace.new"), "the one that runs is as it was");
    let id = i32::try_from(recorder.id()).expect("process ids are small");
    kill(Pid::from_raw(id), Signal::SIGTERM).expect("it runs");
    let ended = recorder.wait_with_output().expect("it is ours");
    assert!(ended.status.success(), "{ended:?}");
    assert!(recorded_pages(&first) > 0 && !host.path("first.fbtrace.new").exists());

    let recorder = daemon.spawn(&["trace", "record", "a", "-o", &second]);
    write_until(&daemon, || has_begun("second.csv.new"));
    daemon.kill();
    let ended = recorder.wait_with_output().expect("it is ours");
    let message = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.code() == Some(1) && message.contains("second.csv"), "{message}");
    let pages = recorded_pages(&second);
    assert!(pages > 0 && message.contains(&format!("{pages} requests")), "{pages}: {message}");
}

#[test]
fn a_recording_ends_with_its_disk() {
    let host = Host::new();
    let daemon = serve(&host);
    let output = host.text("out.fbtrace");
    let recorder = daemon.spawn(&["trace", "record", "a", "-o", &output]);
    let has_begun = || std::fs::metadata(host.path("out.fbtrace.new")).is_ok();
    write_until(&daemon, has_begun);
    daemon.run(&["disk", "remove", "a"]).succeeded();
    let ended = recorder.wait_with_output().expect("it is ours");
    let message = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(
        !ended.status.success() && message.contains("'a'") && message.contains("out.fbtrace"),
        "{message}"
    );
    recorded_pages(&output);
}

#[test]
fn what_is_whole_of_a_cut_trace_is_salvaged_and_its_file_stays() {
    let host = Host::new();
    let mut writer = Writer::new(Vec::new(), Format::Forebay).expect("memory takes it");
    for request in 0..30_u64 {
        let offset = request * 4096;
        let request =
            Request { at_us: Some(offset), kind: Kind::Read, offset, length: 4096, ..Request::default() };
        writer.add(&request).expect("memory takes it");
        if offset.is_multiple_of(10 * 4096) {
            writer.flush().expect("memory takes it");
        }
    }
    let whole = writer.finish(0).expect("memory takes it");
    let cut = host.text("day.fbtrace.new");
    // The totals and a part of the last frame are missing.
    std::fs::write(&cut, &whole[..whole.len() - 60]).expect("the folder is ours");
    let output = host.text("day.fbtrace");
    let refused = forebay(&["trace", "convert", &cut, &output]).failed();
    assert!(refused.contains("salvage"), "its own name is taken: {refused}");
    let other = host.text("saved.fbtrace");
    forebay(&["trace", "convert", &cut, &other]).failed();
    assert!(!host.path("saved.fbtrace").exists());
    let saved = forebay(&["trace", "convert", "--salvage", &cut, &other]);
    assert!(saved.status == 0 && saved.stderr.contains("readable"), "{saved:?}");
    let trace = Trace::open(Path::new(&other), &Options::default()).expect("it is a trace");
    assert_eq!(trace.map(|request| request.expect("it is whole").offset).last(), Some(20 * 4096));
    assert_eq!(std::fs::read(&cut).expect("it is there").len(), whole.len() - 60, "as it was");
}

#[test]
fn what_cannot_be_recorded_is_told_and_leaves_nothing() {
    let host = Host::new();
    let daemon = serve(&host);
    let output = host.text("out.fbtrace");
    for (words, reason) in [
        (["nobody", "-o", &output], "nobody"),
        (["a", "-o", "/no/such/out.fbtrace"], "folder"),
        (["a", "-o", "out.txt"], ".fbtrace"),
    ] {
        let message = daemon.run(&[&["trace", "record"][..], &words].concat()).failed();
        assert!(message.contains(reason), "{message}");
        assert!(!host.path("out.fbtrace").exists() && !host.path("out.fbtrace.new").exists());
    }
}
