//! Tools that copy and compare: data is returned as it was written, and Forebay leaves nothing of its own in
//! a disk.

use std::fs;

use crate::host::Host;
use crate::tools::{assert_same_content, checksum, qemu_io, run, uri};

const MIB: u64 = 1 << 20;

/// Returns bytes that no compression, zero detection or confusion of places can get right by chance.
fn random_content(seed: u64, bytes: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let words = (0..bytes / 8).flat_map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    words.collect()
}

#[test]
fn nbdcopy_takes_a_disk_out_as_it_was_before_forebay_and_brings_another_in() {
    let host = Host::new();
    let image = host.image("disk.img", 96 * MIB);
    fs::write(&image, random_content(1, 96 * MIB)).expect("the folder is ours");
    let source = host.text("source");
    fs::write(&source, random_content(2, 96 * MIB)).expect("the folder is ours");
    let (before, wanted) = (checksum(&image), checksum(&source));
    let daemon = host.serve();
    daemon.run(&["disk", "add", "disk", "--backing", &image, "--limit", "9MiB"]).succeeded();
    daemon.run(&["disk", "set", "disk", "ram=1MiB", "sequential-cutoff=0"]).succeeded();
    let uri = uri(&daemon, "disk");
    let copy_out = |name: &str| {
        let copy = host.text(name);
        run("nbdcopy", &[&uri, &copy]);
        checksum(&copy)
    };
    // The second time a part of it is answered by the cache.
    for name in ["out", "out"] {
        assert_eq!(copy_out(name), before);
    }
    run("nbdcopy", &["--flush", &source, &uri]);
    for name in ["out", "out"] {
        assert_eq!(copy_out(name), wanted);
    }
    let statistics = daemon.json(&["stats", "disk"])["disks"][0].clone();
    assert!(statistics["promotions"].as_u64() > Some(0), "{statistics}");
    assert!(daemon.stop().success());
    assert_eq!(checksum(&image), wanted, "the same file opened without Forebay is the same disk");
}

#[test]
fn nbdinfo_sees_size_and_abilities_of_a_disk() {
    let host = Host::new();
    let daemon = host.serve();
    let odd_size = 64 * MIB + 512;
    daemon.run(&["disk", "add", "web", "--backing", &host.image("web.img", odd_size)]).succeeded();
    let frozen = host.image("frozen.img", MIB);
    daemon.run(&["disk", "add", "frozen", "--backing", &frozen, "--read-only"]).succeeded();
    let info = |disk: &str| run("nbdinfo", &[&uri(&daemon, disk)]);
    let writable = info("web");
    for expected in [
        "export=\"web\"",
        &format!("export-size: {odd_size}"),
        "is_read_only: false",
        "can_multi_conn: true",
        "can_flush: true",
        "can_fua: true",
        "can_trim: true",
        "can_zero: true",
        "block_size_minimum: 512",
    ] {
        assert!(writable.contains(expected), "{expected} is missing:\n{writable}");
    }
    assert!(info("frozen").contains("is_read_only: true"));
    assert_eq!(run("nbdinfo", &["--size", &uri(&daemon, "frozen")]).trim(), MIB.to_string());
}

#[test]
fn qemu_reads_the_patterns_that_it_writes_and_the_file_holds_them_too() {
    let host = Host::new();
    let image = host.image("disk.img", 64 * MIB);
    let daemon = host.serve();
    daemon.run(&["disk", "add", "disk", "--backing", &image]).succeeded();
    let uri = uri(&daemon, "disk");
    let checks = [
        "read -P 1 0 512k",
        "read -P 0 512k 128k",
        "read -P 1 704k 49664",
        "read -P 2 770560 512",
        "read -P 1 771072 277504",
        "read -P 3 2M 4M",
        "read -P 4 8M 64k",
        "read -P 5 16777728 1024",
        "read -P 0 16778752 3072",
    ];
    let writes = [
        "write -P 1 0 1M",
        "write -f -P 2 770560 512",
        "write -z 512k 64k",
        "write -zu 576k 64k",
        "discard 640k 64k",
        "aio_write -P 3 2M 4M",
        "aio_write -P 4 8M 64k",
        "aio_flush",
        "write -f -P 5 16777728 1024",
        "flush",
    ];
    // In one connection, in the next one (from the cache, perhaps), and with the discarded range written
    // again.
    qemu_io(&uri, &[&writes[..], &checks].concat());
    qemu_io(&uri, &checks);
    qemu_io(&uri, &["write -P 6 640k 64k", "flush", "read -P 6 640k 64k"]);
    assert_same_content(&image, &uri);
    let copy = host.text("copy.img");
    run("qemu-img", &["convert", "-f", "raw", "-O", "raw", &uri, &copy]);
    assert_same_content(&copy, &uri);
    assert!(daemon.stop().success());
    qemu_io(&image, &[&checks[..], &["read -P 6 640k 64k"]].concat());
    assert_same_content(&copy, &image);
}
