//! Disks on several shards of one process.

use std::collections::BTreeSet;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use doors::nbd::Client;
use nix::sys::socket::{AddressFamily, Backlog, SockFlag, SockType, UnixAddr, bind, listen, socket};

use crate::host::{Daemon, Host, forebay};

const MIB: u64 = 1 << 20;
const DISK: u64 = 12 * MIB;
const REQUEST: u64 = 64 << 10;
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// Serves four disks from a pool of half of them, so that they evict each other's data.
fn serve(host: &Host, shards: &str) -> Daemon {
    let pool = host.text("pool.img");
    let daemon = host.serve_with(&["--pool", &pool, "--pool-size", "24MiB", "--shards", shards]);
    for name in NAMES {
        let image = host.image(&format!("{name}.img"), DISK);
        daemon.run(&["disk", "add", name, "--backing", &image]).succeeded();
        daemon.run(&["disk", "set", name, "admission=always", "sequential-cutoff=0", "ram=1MiB"]).succeeded();
    }
    daemon
}

fn shards_of(daemon: &Daemon) -> BTreeSet<u64> {
    NAMES.iter().map(|name| daemon.disk(name)["shard"].as_u64().expect("a number")).collect()
}

/// Returns the content of a disk at a place after this many rounds of writing.
fn bytes(name: &str, at: u64, round: u8) -> Vec<u8> {
    let seed = at / REQUEST * 31 + u64::from(name.as_bytes()[0]) + u64::from(round) * 7;
    vec![(seed % 251) as u8; REQUEST as usize]
}

fn write_and_read_back(guest: &mut Client, name: &str, round: u8) {
    for at in (0..DISK).step_by(REQUEST as usize) {
        guest.write(at, &bytes(name, at, round)).expect("the disk is served");
    }
    for at in (0..DISK).step_by(REQUEST as usize) {
        assert_eq!(
            guest.read(at, REQUEST as u32).expect("the disk is served"),
            bytes(name, at, round),
            "{name} at {at}"
        );
    }
}

#[test]
fn disks_are_spread_over_shards_share_the_pool_and_are_warm_again_on_any_number_of_shards() {
    let host = Host::new();
    let daemon = serve(&host, "2");
    assert_eq!(shards_of(&daemon), [0, 1].into());
    std::thread::scope(|scope| {
        for name in NAMES {
            let mut guest = daemon.guest(name);
            scope.spawn(move || (0..2).for_each(|round| write_and_read_back(&mut guest, name, round)));
        }
        // Asked while all shards are busy.
        for _ in 0..20 {
            assert_eq!(daemon.json(&["stats"])["disks"].as_array().expect("a list").len(), NAMES.len());
        }
    });
    for name in NAMES {
        let statistics = &daemon.json(&["stats", name])["disks"][0];
        assert!(statistics["promotions"].as_u64() > Some(0), "{statistics}");
    }
    assert!(daemon.stop().success());

    for shards in ["1", "3"] {
        let daemon = host.serve_with(&["--shards", shards]);
        let expected: usize = shards.parse().expect("a number");
        for _ in NAMES {
            // Once it is loaded, reads find it.
            daemon.wait_for_log("of its cache back");
        }
        assert_eq!(shards_of(&daemon).len(), expected);
        for name in NAMES {
            read_what_came_back(&daemon, name, shards);
        }
        assert!(daemon.stop().success());
    }
}

/// Reads a disk whole and finds the recovered data on flash.
///
/// Nothing is read often enough to be promoted meanwhile: promotions of misses could evict the very data that
/// later reads need.
fn read_what_came_back(daemon: &Daemon, name: &str, shards: &str) {
    let kept = daemon.json(&["disk", "show", name])["disk"]["load"]["kept_bytes"].as_u64();
    assert!(kept > Some(0), "nothing of {name} came back on {shards} shards");
    daemon.run(&["disk", "set", name, "admission=repeated:15"]).succeeded();
    let mut guest = daemon.guest(name);
    for at in (0..DISK).step_by(REQUEST as usize) {
        assert_eq!(guest.read(at, REQUEST as u32).expect("the disk is served"), bytes(name, at, 1));
    }
    let statistics = &daemon.json(&["stats", name])["disks"][0];
    assert_eq!(statistics["promotions"].as_u64(), Some(0), "{name} on {shards} shards: {statistics}");
    assert!(statistics["flash_read_bytes"].as_u64() > Some(0), "{name} on {shards} shards: {statistics}");
}

#[test]
fn a_disk_that_was_removed_makes_its_shard_the_next_choice() {
    let host = Host::new();
    let daemon = serve(&host, "2");
    let on = daemon.disk("c")["shard"].clone();
    daemon.run(&["disk", "remove", "c"]).succeeded();
    let image = host.image("e.img", DISK);
    daemon.run(&["disk", "add", "e", "--backing", &image]).succeeded();
    assert_eq!(daemon.disk("e")["shard"], on);
}

#[test]
fn a_number_of_shards_that_cannot_be_is_refused() {
    for number in ["0", "65", "many"] {
        assert_eq!(forebay(&["serve", "--shards", number]).status, 2, "{number}");
    }
}

/// A thread that waits for a socket hangs like one whose device does.
#[test]
fn a_shard_that_hangs_is_named_and_what_is_on_others_is_shown_and_served() {
    let host = Host::new();
    let daemon =
        host.serve_with(&["--pool", &host.text("pool.img"), "--pool-size", "64MiB", "--shards", "2"]);
    for name in ["a", "b", "c"] {
        daemon.run(&["disk", "add", name, "--backing", &host.image(name, DISK)]).succeeded();
    }
    // The next disk is placed on shard 1, which checks for a listener at its socket's path. Here there is
    // one, and it accepts one client only.
    let listener = socket(AddressFamily::Unix, SockType::Stream, SockFlag::SOCK_CLOEXEC, None);
    let listener = listener.expect("there are files left");
    let address = UnixAddr::new(&daemon.nbd_socket("d")).expect("the path is short enough");
    bind(listener.as_raw_fd(), &address).expect("nothing is there");
    listen(&listener, Backlog::new(0).expect("a small number")).expect("it is ours");
    let first = UnixStream::connect(daemon.nbd_socket("d")).expect("it is listened on");
    let image = host.image("d.img", DISK);
    std::thread::scope(|scope| {
        let control = daemon.control_socket();
        let adding = scope.spawn(|| {
            let control = control.to_str().expect("temporary folders have plain names");
            forebay(&["disk", "add", "d", "--backing", &image, "--socket", control])
        });
        // Answered until the thread hangs.
        let error = loop {
            let ran = daemon.run(&["disk", "show", "b"]);
            if ran.status != 0 {
                break ran.failed();
            }
        };
        assert!(error.contains("shard 1") && error.contains("5 s"), "{error}");
        let list = daemon.json(&["disk", "list"]);
        let [a, b, c] = &list["disks"].as_array().expect("a list")[..] else { panic!("{list}") };
        assert_eq!((&a["state"], &c["state"]), (&"serving".into(), &"serving".into()), "{list}");
        assert_eq!(b["state"], "waiting", "{b}");
        assert!(b["reason"].as_str().expect("a text").contains("shard 1"), "{b}");
        for name in ["a", "c"] {
            daemon.guest(name).flush().expect("the disk is served");
        }
        // There is no listener any more: the socket is a leftover, and replaced.
        drop(first);
        drop(listener);
        adding.join().expect("it only waits").succeeded();
    });
    assert_eq!(daemon.disk("b")["state"], "serving");
    assert!(daemon.stop().success());
}
