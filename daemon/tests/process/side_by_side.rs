//! A backing that does not answer delays the changes of its own disk, and of no other.

use std::process::{Child, Output};

use nix::sys::signal::Signal;

use crate::host::{Daemon, Host};

const MIB: u64 = 1 << 20;

/// Starts another daemon, as the server of a backing: it can be stopped and continued.
fn far_server(host: &Host) -> (Daemon, String) {
    let server = host.serve();
    server.run(&["disk", "add", "x", "--backing", &host.image("x.img", 16 * MIB)]).succeeded();
    let backing = format!("nbd+unix:///x?socket={}", server.nbd_socket("x").display());
    (server, backing)
}

/// Serves a disk with dirty data whose backing has stopped.
fn serve_with_far(host: &Host, server: &Daemon, backing: &str) -> Daemon {
    let daemon = host.serve_with(&["--pool", &host.text("pool.img"), "--pool-size", "128MiB"]);
    daemon
        .run(&["disk", "add", "far", "--backing", backing, "--mode", "write-back", "--allow-unmarked"])
        .succeeded();
    daemon.run(&["disk", "set", "far", "retry-time=300s"]).succeeded();
    daemon.run(&["disk", "add", "near", "--backing", &host.image("near.img", 16 * MIB)]).succeeded();
    server.signal(Signal::SIGSTOP);
    daemon.guest("far").write(0, &[7; 4096]).expect("flash takes it");
    daemon
}

fn outcome(child: Child) -> Output {
    child.wait_with_output().expect("it is our child")
}

#[test]
fn while_one_backing_hangs_other_disks_are_added_set_resized_evicted_and_removed() {
    let (far, host) = (Host::new(), Host::new());
    let (server, backing) = far_server(&far);
    let daemon = serve_with_far(&host, &server, &backing);
    // It has to destage first, which takes as long as the server is stopped.
    let mut evicting = daemon.spawn(&["disk", "evict", "far"]);
    for round in 0..3 {
        let name = format!("new{round}");
        let image = host.image(&format!("{name}.img"), 16 * MIB);
        daemon.run(&["disk", "add", &name, "--backing", &image]).succeeded();
        daemon.run(&["disk", "set", &name, "mode=write-back"]).succeeded();
        let mut guest = daemon.guest(&name);
        guest.write(0, &[1; 4096]).expect("the disk is served");
        std::fs::File::options()
            .write(true)
            .open(&image)
            .and_then(|file| file.set_len(32 * MIB))
            .expect("it is ours");
        daemon.run(&["disk", "resize", &name]).succeeded();
        daemon.run(&["disk", "evict", &name]).succeeded();
        drop(guest);
        daemon.run(&["disk", "remove", &name, "--force"]).succeeded();
    }
    daemon.run(&["disk", "set", "near", "limit=32MiB"]).succeeded();
    assert!(evicting.try_wait().expect("it is our child").is_none(), "all that came before its end");

    let twice = daemon.run(&["disk", "add", "again", "--backing", &host.text("near.img")]).failed();
    assert!(twice.contains("disk 'near' is on it already"), "{twice}");

    server.signal(Signal::SIGCONT);
    let evicted = outcome(evicting);
    assert!(evicted.status.success(), "{evicted:?}");
    assert!(daemon.stop().success());
    assert_eq!(crate::host::content(&far.text("x.img"), 0, 4096), [7; 4096]);
}

#[test]
fn a_start_beside_a_backing_that_hangs_serves_and_changes_all_other_disks() {
    let (far, host) = (Host::new(), Host::new());
    let (server, backing) = far_server(&far);
    let daemon = serve_with_far(&host, &server, &backing);
    for number in 0..4 {
        let image = host.image(&format!("n{number}.img"), 16 * MIB);
        daemon.run(&["disk", "add", &format!("n{number}"), "--backing", &image]).succeeded();
    }
    daemon.kill();
    let daemon = host.serve_with(&[]);
    for number in 0..4 {
        let name = format!("n{number}");
        assert_eq!(daemon.disk(&name)["state"], "serving");
        daemon.run(&["disk", "set", &name, "mode=write-back"]).succeeded();
        daemon.run(&["disk", "remove", &name]).succeeded();
    }
    assert_eq!(daemon.disk("far")["state"], "waiting");
    // No write to it was acknowledged since the start: the end does not wait for it.
    assert!(daemon.stop().success());
    server.signal(Signal::SIGCONT);
    let daemon = host.serve_with(&[]);
    let mut guest = daemon.guest("far");
    assert_eq!(guest.read(0, 4096).expect("the disk is served"), [7; 4096]);
    assert!(daemon.stop().success());
}

#[test]
fn a_stop_beside_a_change_that_hangs_ends_the_service_of_all_other_disks_as_it_should() {
    let (far, host) = (Host::new(), Host::new());
    let (server, backing) = far_server(&far);
    let daemon = serve_with_far(&host, &server, &backing);
    daemon.run(&["disk", "set", "near", "mode=write-back"]).succeeded();
    daemon.guest("near").write(0, &[3; 4096]).expect("the disk is served");
    daemon.run(&["disk", "destage", "near", "--wait"]).succeeded();
    let document = |name: &str| -> serde_json::Value {
        let text = std::fs::read(host.path(name)).expect("the daemon wrote it");
        serde_json::from_slice(&text).expect("it is JSON")
    };
    let state = document("d/state.json");
    let near = state["disks"].as_array().expect("a list").iter().find(|disk| disk["name"] == "near");
    let id = near.expect("it was added")["id"].to_string();
    let is_at_rest = || !document("d/state.json")["backings"][&id]["changes"]["modified_ns"].is_null();
    let is_unsaved = |name: &str| {
        let state = document("d/state.json");
        let disk = state["disks"].as_array().expect("a list").iter().find(|disk| disk["name"] == name);
        disk.expect("it was added")["unsaved_in"].is_string()
    };
    assert!(!is_at_rest() && is_unsaved("near"), "it is served, and writes back");
    let mut evicting = daemon.spawn(&["disk", "evict", "far"]);
    for limit in ["limit=32MiB", "limit=48MiB", "limit=auto"] {
        daemon.run(&["disk", "set", "near", limit]).succeeded();
    }
    assert!(evicting.try_wait().expect("it is our child").is_none(), "it has to destage first");
    assert_eq!(daemon.stop().code(), Some(1), "its own backing does not answer");
    assert!(is_at_rest(), "the other disk ended as if there were no such backing");
    let events = std::fs::read_to_string(host.path("d/events.jsonl")).expect("the daemon wrote it");
    let is_incomplete = |name: &str| events.contains(&format!("of disk '{name}' is incomplete"));
    assert!(is_incomplete("far") && !is_incomplete("near"), "{events}");
    assert!(!outcome(evicting).status.success());
    server.signal(Signal::SIGCONT);
    assert!(is_unsaved("far") && !is_unsaved("near"), "the stop ended before that of the other disk");

    let [pool, away] = ["pool.img", "away.img"].map(|name| host.path(name));
    std::fs::rename(&pool, &away).expect("the folder is ours");
    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.guest("near").read(0, 4096).expect("its backing has everything"), [3; 4096]);
    assert_eq!(daemon.disk("far")["state"], "waiting");
    assert!(daemon.stop().success());
    std::fs::rename(&away, &pool).expect("the folder is ours");

    let daemon = host.serve_with(&[]);
    assert_eq!(daemon.guest("far").read(0, 4096).expect("the disk is served"), [7; 4096]);
    assert!(daemon.stop().success());
}

#[test]
fn two_disks_that_want_one_file_at_the_same_time_end_with_one_of_them() {
    let host = Host::new();
    let daemon = host.serve();
    let image = host.image("a.img", 16 * MIB);
    let adding: Vec<Child> = (0..4)
        .map(|number| daemon.spawn(&["disk", "add", &format!("d{number}"), "--backing", &image]))
        .collect();
    let outcomes: Vec<Output> = adding.into_iter().map(outcome).collect();
    let added = outcomes.iter().filter(|added| added.status.success()).count();
    assert_eq!(added, 1, "{outcomes:?}");
    let disks = daemon.json(&["disk", "list"])["disks"].as_array().expect("a list").len();
    assert_eq!(disks, 1);
    assert!(daemon.stop().success());
}
