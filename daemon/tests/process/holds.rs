//! A disk that is quiesced for a backup stays so however the daemon ends, until its time is over or it is
//! resumed.

use crate::host::{Daemon, Host, content};

const MIB: u64 = 1 << 20;

fn serve(host: &Host) -> Daemon {
    host.serve_with(&["--pool", &host.text("pool.img"), "--pool-size", "64MiB"])
}

fn wait_for(daemon: &Daemon, state: &str) -> u64 {
    loop {
        let quiesce = daemon.disk("a")["quiesce"].clone();
        if quiesce["state"] == state {
            return quiesce["seconds_left"].as_u64().unwrap_or_default();
        }
        assert_ne!(quiesce["state"], "failed", "{quiesce}");
        std::thread::yield_now();
    }
}

#[test]
fn a_quiesce_goes_on_after_a_stop_and_after_a_kill_and_no_longer_than_was_asked_for() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let mut daemon = serve(&host);
    daemon.run(&["disk", "add", "a", "--backing", &image, "--mode", "write-back"]).succeeded();
    daemon.run(&["disk", "quiesce", "a", "--seconds", "600"]).succeeded();
    for round in 1..=2u8 {
        if round == 1 {
            assert!(daemon.stop().success());
        } else {
            daemon.kill();
        }
        daemon = host.serve_with(&[]);
        let left = wait_for(&daemon, "quiesced");
        assert!((1..=600).contains(&left), "{left}");
        let events = daemon.json(&["events"]).to_string();
        assert_eq!(events.matches("quiesce-goes-on").count(), usize::from(round), "{events}");
        daemon.guest("a").write(0, &[round; 4096]).expect("the disk is served");
        assert_eq!(content(&image, 0, 4096), [round; 4096], "it goes to the backing first");
    }
    daemon.run(&["disk", "resume", "a"]).succeeded();
    daemon.kill();
    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.disk("a")["quiesce"]["state"], "none", "nobody asked any more");
}

#[test]
fn the_end_of_a_quiesce_is_remembered_before_anybody_is_told_that_the_disk_is_quiet() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = serve(&host);
    daemon.run(&["disk", "add", "a", "--backing", &image, "--mode", "write-back"]).succeeded();
    for _ in 0..10 {
        daemon.run(&["disk", "quiesce", "a", "--seconds", "600"]).succeeded();
        let kept = std::fs::read_to_string(host.path("d/holds.json")).expect("it is there");
        assert!(kept.contains("\"ends\":{") || kept.contains("\"ends\": {"), "{kept}");
        daemon.run(&["disk", "resume", "a"]).succeeded();
    }
}

#[test]
fn a_quiesce_whose_time_is_over_is_forgotten_and_a_disk_that_is_removed_takes_its_own_along() {
    let host = Host::new();
    let image = host.image("a.img", 16 * MIB);
    let daemon = serve(&host);
    daemon.run(&["disk", "add", "a", "--backing", &image, "--mode", "write-back"]).succeeded();
    daemon.run(&["disk", "quiesce", "a", "--seconds", "1"]).succeeded();
    daemon.wait_for_log("no longer quiesced");
    daemon.kill();
    let daemon = host.serve_with(&[]);
    // Its end may not have been stored yet: then it lasts its second once more.
    while !matches!(daemon.disk("a")["quiesce"]["state"].as_str(), Some("none" | "ended")) {
        std::thread::yield_now();
    }
    daemon.run(&["disk", "quiesce", "a", "--seconds", "600"]).succeeded();
    daemon.run(&["disk", "remove", "a"]).succeeded();
    daemon.run(&["disk", "add", "a", "--backing", &image, "--mode", "write-back"]).succeeded();
    daemon.kill();
    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.disk("a")["quiesce"]["state"], "none", "it is another disk of the same name");
}
