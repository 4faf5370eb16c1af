//! Disks on several shards of one process.

use std::collections::BTreeSet;

use doors::nbd::Client;

use crate::host::{Daemon, Host, forebay};

const MIB: u64 = 1 << 20;
const DISK: u64 = 12 * MIB;
const REQUEST: u64 = 64 << 10;
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// Serves four disks from a pool of half of them, so that they take room from each other.
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

/// What a disk holds at a place after so many rounds of writing.
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
            // Once it is known, reads find it.
            daemon.wait_for_log("of its cache back");
        }
        assert_eq!(shards_of(&daemon).len(), expected);
        for name in NAMES {
            let mut guest = daemon.guest(name);
            for at in (0..DISK).step_by(REQUEST as usize) {
                assert_eq!(guest.read(at, REQUEST as u32).expect("the disk is served"), bytes(name, at, 1));
            }
        }
        let hits = |name: &&str| daemon.json(&["stats", name])["disks"][0]["read_hits_flash"].as_u64();
        assert!(NAMES.iter().any(|name| hits(name) > Some(0)), "nothing came back on {shards} shards");
        assert!(daemon.stop().success());
    }
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
