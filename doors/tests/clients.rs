//! The door with the clients that people use: libnbd's tools, QEMU's, and fio.

#![allow(clippy::unwrap_used)]

mod patience;
mod support;

use std::path::Path;
use std::process::Command;

use block::Geometry;
use doors::nbd::Limits;
use support::{MIB, Server};

/// Runs a tool and returns what it printed; fails with all of it if the tool did.
fn run(tool: &str, arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(tool).args(arguments).current_dir(folder).output().unwrap_or_else(|error| {
        panic!("Cannot run {tool}: {error}. `cargo xtask test` installs the tools that tests need.")
    });
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{tool} {arguments:?} failed with {}:\n{text}", output.status);
    text
}

fn random_file(path: &Path, length: u64) {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let words = (0..length / 8).flat_map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    std::fs::write(path, words.collect::<Vec<u8>>()).unwrap();
}

#[test]
fn nbdinfo_understands_what_is_offered() {
    let server = Server::start();
    let info = run("nbdinfo", &[&server.uri()], server.folder());
    for expected in [
        "export-size: 67108864",
        "export=\"disk\"",
        "base:allocation",
        "can_multi_conn: true",
        "can_df: true",
        "can_fua: true",
        "can_trim: true",
        "can_zero: true",
        "is_read_only: false",
        "block_size_minimum: 512",
        "block_size_preferred: 4096",
        "block_size_maximum: 33554432",
        "protocol: newstyle-fixed without TLS, using structured packets",
    ] {
        assert!(info.contains(expected), "{expected} is missing:\n{info}");
    }
    let list = run("nbdinfo", &["--list", &server.uri()], server.folder());
    assert!(list.contains("export=\"disk\""), "{list}");
    let map = run("nbdinfo", &["--map", &server.uri()], server.folder());
    assert!(map.contains("hole,zero"), "{map}");
}

#[test]
fn nbdcopy_brings_a_disk_in_and_out_unchanged() {
    let server = Server::with(Geometry { unmaps: true, ..Geometry::plain(48 * MIB) }, Limits::default());
    let (source, back) = (server.folder().join("source"), server.folder().join("back"));
    random_file(&source, 24 * MIB);
    std::fs::File::options().write(true).open(&source).unwrap().set_len(48 * MIB).unwrap();
    run("nbdcopy", &["source", &server.uri()], server.folder());
    run("nbdcopy", &[&server.uri(), "back"], server.folder());
    assert!(std::fs::read(source).unwrap() == std::fs::read(back).unwrap());
    server.until_nothing_is_left();
}

#[test]
fn qemu_reads_the_patterns_that_it_writes() {
    let server = Server::start();
    let (folder, uri) = (server.folder(), server.uri());
    let commands = [
        "write -P 1 0 1M",
        "write -f -P 2 1M 512",
        "write -z 512k 64k",
        "write -zu 576k 64k",
        "discard 640k 64k",
        "aio_write -P 3 2M 4M",
        "aio_write -P 4 8M 64k",
        "aio_flush",
        "flush",
        "read -P 1 0 512k",
        "read -P 0 512k 128k",
        "read -P 2 1M 512",
        "read -P 3 2M 4M",
        "read -P 4 8M 64k",
    ];
    let mut arguments = vec!["-f", "raw", "-t", "none"];
    for command in commands {
        arguments.extend(["-c", command]);
    }
    arguments.push(&uri);
    let text = run("qemu-io", &arguments, folder);
    assert!(!text.contains("Pattern verification failed"), "{text}");
    run("qemu-img", &["convert", "-f", "raw", "-O", "raw", &uri, "copy"], folder);
    run("qemu-img", &["compare", "-f", "raw", "-F", "raw", &uri, "copy"], folder);
    server.until_nothing_is_left();
}

#[test]
fn fio_verifies_mixed_sizes_at_depth() {
    let server = Server::start();
    let uri = format!("--uri={}", server.uri());
    let arguments = [
        "--name=mixed",
        "--ioengine=nbd",
        &uri,
        "--rw=randwrite",
        "--bsrange=512-256k",
        "--bs_unaligned=0",
        "--size=32M",
        "--iodepth=32",
        "--verify=crc32c",
        "--verify_fatal=1",
        "--fsync=64",
    ];
    let text = run("fio", &arguments, server.folder());
    assert!(text.contains("err= 0"), "{text}");
    server.until_nothing_is_left();
}
