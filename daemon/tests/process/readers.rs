//! Commands that print until they are stopped, and their end without a reader or after Ctrl-C.

use std::io::Read;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::host::Host;
use crate::trace_records::record;

const MIB: u64 = 1 << 20;

#[test]
fn what_prints_until_stopped_ends_with_its_reader_also_with_nothing_to_print() {
    let host = Host::new();
    let daemon = host.serve();
    // Without a disk there are no rates, and nothing is printed.
    for words in [
        &["stats", "--watch"][..],
        &["stats", "--watch", "--json"],
        &["events", "--follow", "--level", "error"],
        &["events", "--follow", "--json"],
        &["top", "--count", "1000000"],
    ] {
        let mut child = daemon.spawn(words);
        drop(child.stdout.take());
        let status = child.wait().expect("it is ours");
        assert!(status.success(), "{words:?}: {status}");
    }
}

#[test]
fn a_recording_ends_with_its_reader_and_is_whole() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let trace = host.text("a.fbtrace");
    let mut recorder = daemon.spawn(&["trace", "record", "a", "-o", &trace]);
    drop(recorder.stdout.take());
    assert!(recorder.wait().expect("it is ours").success());
    daemon.run(&["trace", "info", &trace]).succeeded();
}

#[test]
fn a_replay_that_is_stopped_says_how_far_it_was_and_what_it_found() {
    let host = Host::new();
    let image = host.image("a.img", MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "a", "--backing", &image]).succeeded();
    let trace = host.path("a.vscsi");
    // Two requests at once, one an hour later.
    let records = [(0, 0), (8, 1), (16, 3_600_000_000)];
    let records = records.iter().flat_map(|(sector, at_us)| record(0x28, *sector, 4096, *at_us));
    std::fs::write(&trace, records.collect::<Vec<u8>>()).expect("the folder is ours");
    for json in [false, true] {
        let mut words = vec!["replay", trace.to_str().expect("plain names"), "--disk", "a"];
        words.extend(json.then_some("--json"));
        let mut replay = daemon.spawn(&words);
        let before = daemon.json(&["stats", "a"])["disks"][0]["reads"].as_u64();
        while daemon.json(&["stats", "a"])["disks"][0]["reads"].as_u64() < before.map(|reads| reads.max(2)) {
            assert!(replay.try_wait().expect("it is ours").is_none(), "it takes an hour");
        }
        kill(Pid::from_raw(replay.id().cast_signed()), Signal::SIGINT).expect("it is ours");
        let mut said = String::new();
        replay.stdout.take().expect("it was piped").read_to_string(&mut said).expect("it is text");
        assert_eq!(replay.wait().expect("it is ours").code(), Some(130), "{said}");
        if json {
            let document: serde_json::Value = serde_json::from_str(&said).expect("it is JSON");
            let replay = &document["replay"];
            assert_eq!((&replay["complete"], &replay["requests_in_trace"]), (&false.into(), &3.into()));
        } else {
            assert!(said.contains("after 2 of 3 requests"), "{said}");
        }
    }
}
