//! Reference policies on real traces give what is known of them: FIFO, LRU and Belady to six digits, ARC to 0.0006.
//!
//! The smaller traces, to be quick; `cargo xtask bench hit-ratio` looks at all of them. The traces lie beside the working copy and
//! may be absent: the test says so.

use std::path::{Path, PathBuf};

use hitsim::Workload;
use hitsim::policies::{Access, Reference, next_uses};
use trace::{Options, Trace};

/// Each trace with its name in `baseline.csv`.
const TRACES: [(&str, &str); 8] = [
    ("tencent_537.trace.zst", "tencent_537"),
    ("tencent_211.trace.zst", "tencent_211"),
    ("tencent_379.trace.zst", "tencent_379"),
    ("ssdsim_example.ascii.zst", "ssdsim_example"),
    ("lirs_2_pools.trace.gz", "lirs_2_pools"),
    ("lirs_cpp.trace.gz", "lirs_cpp"),
    ("lirs_gli.trace.gz", "lirs_gli"),
    ("lirs_sprite.trace.gz", "lirs_sprite"),
];

/// Half of the sixth digit, and what ARC is known to differ by.
const EXACT: f64 = 0.000_000_51;
const ARC_WITHIN: f64 = 0.000_6;

fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/traces");
    let folder = std::env::var_os("FOREBAY_TRACES").map_or(beside, PathBuf::from);
    if folder.join("baseline.csv").is_file() {
        return Some(folder);
    }
    eprintln!("NOT CHECKED: there are no traces at {}; set FOREBAY_TRACES to their folder", folder.display());
    None
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "traces of a few thousand accesses")]
fn fifo_lru_and_belady_give_what_is_known_to_six_digits_and_arc_nearly() {
    let Some(folder) = folder() else { return };
    let baseline = std::fs::read_to_string(folder.join("baseline.csv")).expect("it was there just now");
    let mut compared = 0;
    for (file, name) in TRACES {
        let trace = Trace::open(&folder.join(file), &Options::default()).expect("the trace is there");
        let workload = Workload::collect(trace);
        let accesses = workload.expect("the trace is sound").accesses(4096);
        let next = next_uses(&accesses.blocks, accesses.distinct);
        for line in baseline.lines().filter(|line| line.split(',').next() == Some(name)) {
            let fields: Vec<&str> = line.split(',').collect();
            let (reference, within) = match fields[3] {
                "FIFO" => (Reference::Fifo, EXACT),
                "LRU" => (Reference::Lru, EXACT),
                "Belady" => (Reference::Belady, EXACT),
                "ARC" => (Reference::Arc, ARC_WITHIN),
                _ => continue,
            };
            let capacity = fields[2].parse().expect("a number of blocks");
            let mut policy = reference.make(capacity, accesses.distinct, &next);
            let missed =
                accesses.blocks.iter().filter(|block| policy.access(**block) == Access::Miss).count() as f64;
            let ratio = missed / accesses.blocks.len() as f64;
            let known: f64 = fields[4].parse().expect("a ratio");
            assert!(
                (ratio - known).abs() <= within,
                "{name}, {capacity} blocks, {reference}: {ratio}, not {known}"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 4 * (3 * 6 + 5 * 5), "every point of every trace");
}
