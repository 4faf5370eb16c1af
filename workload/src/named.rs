//! The table of workloads.

use crate::Workload;

const PAGE: u32 = 4 << 10;

/// Random accesses, all alike.
pub const UNIFORM: Workload = Workload {
    name: "uniform",
    description: "Reads of 4 KiB at random places. All properties are choices.",
    read_percent: 100,
    lengths: &[(PAGE, 1)],
    working_set_percent: 100,
    skew: 0.0,
    run: 1,
    per_second_thousandths: 1_000_000,
    active_percent: 100,
    burst_ms: 1000,
};

/// Random accesses with the skew of YCSB's workloads.
pub const SKEWED: Workload = Workload {
    name: "skewed",
    description: "4 KiB, 70 % reads, with the skew of YCSB's workloads, 0.99.",
    read_percent: 70,
    skew: 0.99,
    ..UNIFORM
};

/// Calibration of a disk for a database.
pub const CALIBRATION: Workload = Workload {
    name: "calibration",
    description: "Calibration of a disk by a database: reads of 8 KiB at random places of its files. Files that are 40 % of the disk are a \
                  choice: as many requests as make 29 % hits then fit the published cache.",
    lengths: &[(2 * PAGE, 1)],
    working_set_percent: 40,
    ..UNIFORM
};

/// Scans and joins of decision support over a skewed part of the data.
pub const DECISION_SUPPORT: Workload = Workload {
    name: "decision-support",
    description: "Repeated scans and joins, blocks of 8 KiB, 2 % writes. Runs of 64 blocks and the skew of 1.0 are choices: the published hit \
                  ratio with a cache of 8/15 of the data needs about that.",
    read_percent: 98,
    lengths: &[(2 * PAGE, 1)],
    skew: 1.0,
    run: 64,
    ..UNIFORM
};

/// An online store, as with DVD Store.
pub const ONLINE_STORE: Workload = Workload {
    name: "online-store",
    description: "Transactions of an online store: 60 % reads of 8 KiB at random places of all data, all alike, as published.",
    read_percent: 60,
    lengths: &[(2 * PAGE, 1)],
    ..UNIFORM
};

/// A server that monitors hardware: 95 % reads.
pub const MONITORING: Workload = Workload {
    name: "monitoring",
    description: "Server of hardware monitoring: 95 % reads, as published. Lengths of 4 to 64 KiB, skew of 1.1 and bursts are choices.",
    read_percent: 95,
    lengths: &[(PAGE, 4), (2 * PAGE, 3), (4 * PAGE, 2), (16 * PAGE, 1)],
    working_set_percent: 50,
    skew: 1.1,
    run: 1,
    per_second_thousandths: 250_000,
    active_percent: 40,
    burst_ms: 2000,
};

/// A web proxy: 67 % reads.
pub const PROXY: Workload = Workload {
    name: "proxy",
    description: "Server of a web proxy: 67 % reads, as published. Lengths of 4 to 32 KiB, skew of 1.1 and bursts are choices.",
    read_percent: 67,
    lengths: &[(PAGE, 5), (2 * PAGE, 3), (8 * PAGE, 2)],
    ..MONITORING
};

/// A guest that mostly writes.
pub const WRITER: Workload = Workload {
    name: "writer",
    description: "Neighbour that mostly writes: 10 % reads, 4 KiB at random places. All properties are choices.",
    read_percent: 10,
    ..UNIFORM
};

/// A read of everything in order, as backups do.
pub const SCAN: Workload = Workload {
    name: "scan",
    description: "Backup: reads of 64 KiB in long runs. All properties are choices.",
    lengths: &[(16 * PAGE, 1)],
    run: 4096,
    ..UNIFORM
};

/// One of many small guests of an NFS server.
pub const NFS_GUEST: Workload = Workload {
    name: "nfs-guest",
    description: "One of 150 small guests of an NFS server, in bursts. Together 2,000 requests a second, in the middle of what is published. \
                  65 % writes of 4 to 16 KiB, a working set of 20 % and the skew of 1.1 are choices.",
    read_percent: 35,
    lengths: &[(PAGE, 6), (2 * PAGE, 3), (4 * PAGE, 1)],
    working_set_percent: 20,
    skew: 1.1,
    run: 2,
    per_second_thousandths: 13_333,
    active_percent: 25,
    burst_ms: 5000,
};

/// One guest of a tile. Bursts, working set and skew are choices: the published cache of 8 % of the data has at least 92 % hits. Few extents
/// with most of the requests would be few spindles.
const TILE_GUEST: Workload =
    Workload { working_set_percent: 10, skew: 1.0, active_percent: 50, burst_ms: 2000, ..SKEWED };

/// The five guests of a tile, as with `VMmark`: together 24 % reads.
pub const TILE: [Workload; 5] = [
    Workload {
        name: "tile-mail",
        description: "Mail server of a tile: 8 KiB. A tile has 24 % reads, as published; rates of its guests, skew and bursts are choices.",
        read_percent: 28,
        lengths: &[(2 * PAGE, 1)],
        per_second_thousandths: 120_000,
        ..TILE_GUEST
    },
    Workload {
        name: "tile-web",
        description: "Web server of a tile: 4 to 16 KiB, mostly reads.",
        read_percent: 60,
        lengths: &[(PAGE, 2), (4 * PAGE, 1)],
        per_second_thousandths: 40_000,
        ..TILE_GUEST
    },
    Workload {
        name: "tile-database",
        description: "Database of a tile: 8 KiB, mostly writes.",
        read_percent: 14,
        lengths: &[(2 * PAGE, 1)],
        per_second_thousandths: 160_000,
        ..TILE_GUEST
    },
    Workload {
        name: "tile-file",
        description: "File server of a tile: 4 to 64 KiB in short runs.",
        read_percent: 18,
        lengths: &[(PAGE, 2), (4 * PAGE, 1), (16 * PAGE, 1)],
        run: 4,
        per_second_thousandths: 60_000,
        ..TILE_GUEST
    },
    Workload {
        name: "tile-idle",
        description: "Idle guest of a tile: a few requests a second.",
        read_percent: 20,
        per_second_thousandths: 4_000,
        ..TILE_GUEST
    },
];

/// All workloads.
pub const ALL: &[&Workload] = &[
    &UNIFORM,
    &SKEWED,
    &CALIBRATION,
    &DECISION_SUPPORT,
    &ONLINE_STORE,
    &MONITORING,
    &PROXY,
    &WRITER,
    &SCAN,
    &NFS_GUEST,
    &TILE[0],
    &TILE[1],
    &TILE[2],
    &TILE[3],
    &TILE[4],
];
