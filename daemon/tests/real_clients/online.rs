//! Settings change under a guest that writes and verifies all the time.

use crate::fio::{Job, Target};
use crate::host::Host;
use crate::tools::uri;

const MIB: u64 = 1 << 20;

/// Rounds of all changes that are made while fio runs.
const ROUNDS: usize = 3;

/// Applies `changes` in turn while fio writes and verifies, until each was made [`ROUNDS`] times under load.
fn fio_verifies_while(changes: &[&[&str]]) {
    let host = Host::new();
    let image = host.image("disk.img", 64 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "disk", "--backing", &image, "--limit", "32MiB"]).succeeded();
    daemon.run(&["disk", "set", "disk", "ram=1MiB"]).succeeded();
    let uri = uri(&daemon, "disk");
    let mut made = 0;
    let mut seed = 0;
    let mut job = Job { seed, depth: 16, offset_mib: 0, length_mib: 64 };
    while made < ROUNDS * changes.len() {
        seed += 1;
        job = Job { seed, ..job };
        let mut fio = job.start(&uri, &host.path(""));
        while fio.is_running() {
            let change = changes[made % changes.len()];
            daemon.run(&[&["disk", "set", "disk", "--yes"], change].concat()).succeeded();
            made += 1;
        }
        let (succeeded, text) = fio.wait();
        assert!(succeeded && text.contains("err= 0"), "{text}");
    }
    job.verify(&Target::Served(&uri));
    let statistics = daemon.json(&["stats", "disk"])["disks"][0].clone();
    assert!(statistics["promotions"].as_u64() > Some(0), "{statistics}");
    assert_eq!(statistics["checksum_errors"], 0, "{statistics}");
    daemon.run(&["disk", "destage", "disk", "--wait"]).succeeded();
    assert!(daemon.stop().success());
    job.verify(&Target::File(&image));
}

#[test]
fn fio_verifies_while_the_mode_changes() {
    fio_verifies_while(&[
        &["mode=write-around"],
        &["mode=write-through"],
        &["mode=pass-through"],
        &["mode=write-through"],
    ]);
}

#[test]
fn fio_verifies_while_write_back_comes_and_goes() {
    fio_verifies_while(&[
        &["mode=write-back"],
        &["mode=write-through"],
        &["mode=write-back", "dirty-limit=1MiB"],
        &["block-size=4KiB", "ram=2MiB"],
        &["mode=pass-through"],
        &["mode=write-back", "block-size=64KiB", "dirty-limit=auto"],
        &["mode=write-around"],
    ]);
}

#[test]
fn fio_verifies_while_the_block_size_changes() {
    fio_verifies_while(&[&["block-size=4KiB"], &["block-size=1MiB"], &["block-size=64KiB"]]);
}

#[test]
fn fio_verifies_while_limit_and_ram_shrink_and_grow() {
    fio_verifies_while(&[
        &["limit=4MiB", "ram=8MiB"],
        &["limit=48MiB", "ram=1MiB"],
        &["limit=8MiB"],
        &["ram=2MiB"],
    ]);
}

#[test]
fn fio_verifies_while_everything_changes_at_once() {
    fio_verifies_while(&[
        &["mode=write-around", "block-size=4KiB", "limit=4MiB", "ram=1MiB", "admission=always"],
        &["mode=write-through", "block-size=256KiB", "limit=32MiB", "sequential-cutoff=0"],
        &["mode=pass-through", "block-size=1MiB", "ram=4MiB"],
        &["mode=write-through", "block-size=4KiB", "admission=adaptive", "sequential-cutoff=1MiB"],
    ]);
}
