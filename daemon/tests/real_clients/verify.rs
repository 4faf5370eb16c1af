//! fio verifies its writes: all block sizes, one request at a time and many, with free space and under
//! pressure.

use serde_json::Value;

use crate::fio::{Job, Target};
use crate::host::{Daemon, Host};
use crate::tools::uri;

/// Bytes of a segment of a pool as small as this one.
const SEGMENT_BYTES: u64 = 256 << 10;
const MIB: u64 = 1 << 20;
/// The part of each disk that one run writes.
const PART_MIB: u64 = 40;

/// Returns the counters of the only disk.
fn statistics(daemon: &Daemon) -> Value {
    daemon.json(&["stats", "disk"])["disks"][0].clone()
}

fn counter(statistics: &Value, name: &str) -> u64 {
    statistics[name].as_u64().unwrap_or_else(|| panic!("no {name} in {statistics}"))
}

/// Serves a disk of 80 MiB with `block_size` and `limit`, and lets fio write and verify it at depth 1 and at
/// depth 32: at once, again when all is written, and without Forebay when it has ended. Returns the counters.
fn fio_verifies(block_size: &str, limit: &str) -> Value {
    let host = Host::new();
    let image = host.image("disk.img", 2 * PART_MIB * MIB);
    let daemon = host.serve_with(&["--pool", &host.text("pool.img"), "--pool-size", "160MiB"]);
    let add = ["disk", "add", "disk", "--backing", &image, "--block-size", block_size, "--limit", limit];
    daemon.run(&add).succeeded();
    daemon.run(&["disk", "set", "disk", "ram=1MiB"]).succeeded();
    let uri = uri(&daemon, "disk");
    let jobs = [
        Job { seed: 1, depth: 1, offset_mib: 0, length_mib: PART_MIB },
        Job { seed: 2, depth: 32, offset_mib: PART_MIB, length_mib: PART_MIB },
    ];
    for job in jobs {
        job.write_and_verify(&uri);
    }
    for job in jobs {
        job.verify(&Target::Served(&uri));
    }
    let statistics = statistics(&daemon);
    assert!(daemon.stop().success());
    for job in jobs {
        job.verify(&Target::File(&image));
    }
    for errors in ["checksum_errors", "flash_errors", "backing_errors"] {
        assert_eq!(counter(&statistics, errors), 0, "{errors}: {statistics}");
    }
    statistics
}

fn fio_verifies_with_room(block_size: &str) {
    let statistics = fio_verifies(block_size, "140MiB");
    for counted in ["promotions", "read_hits_ram", "read_hits_flash", "read_misses"] {
        assert!(counter(&statistics, counted) > 0, "{counted}: {statistics}");
    }
}

/// Verifies with a limit of a tenth of the written data, so that flash fills up early and each page that
/// enters must evict another.
fn fio_verifies_under_pressure(block_size: &str) {
    let limit_bytes = 2 * PART_MIB * MIB / 10;
    let statistics = fio_verifies(block_size, &limit_bytes.to_string());
    for counted in ["reclaims", "evictions", "read_hits_ram", "read_hits_flash", "read_misses"] {
        assert!(counter(&statistics, counted) > 0, "{counted}: {statistics}");
    }
    let promoted_bytes = counter(&statistics, "promotions") * block::PAGE;
    assert!(promoted_bytes > limit_bytes, "promotion goes on when flash is full: {statistics}");
    // While a segment is reclaimed, its survivors are in the next one already.
    let most = limit_bytes + SEGMENT_BYTES;
    assert!(counter(&statistics, "flash_bytes") <= most, "the limit holds: {statistics}");
}

#[test]
fn fio_verifies_blocks_of_4_kib() {
    fio_verifies_with_room("4KiB");
}

#[test]
fn fio_verifies_blocks_of_64_kib() {
    fio_verifies_with_room("64KiB");
}

#[test]
fn fio_verifies_blocks_of_1_mib() {
    fio_verifies_with_room("1MiB");
}

#[test]
fn fio_verifies_blocks_of_4_kib_under_pressure() {
    fio_verifies_under_pressure("4KiB");
}

#[test]
fn fio_verifies_blocks_of_64_kib_under_pressure() {
    fio_verifies_under_pressure("64KiB");
}

#[test]
fn fio_verifies_blocks_of_1_mib_under_pressure() {
    fio_verifies_under_pressure("1MiB");
}
