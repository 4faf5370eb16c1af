//! Comparison of reference policies on real traces with known results: FIFO, LRU and Belady to six digits, ARC to 0.0006, and policies with
//! several published variants on average within bounds that a wrong list or constant exceeds.
//!
//! The smaller traces, to be quick; `cargo xtask bench hit-ratio` uses all of them. The traces are beside the working copy and may be
//! absent: the test then prints that.

use std::io::Write;
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

/// Half of the sixth digit, and the known difference of ARC.
const EXACT: f64 = 0.000_000_51;
const ARC_WITHIN: f64 = 0.000_6;

/// The other policies, with the tolerance of their average: today's difference, and a margin.
const OTHERS: [(&str, Reference, f64); 7] = [
    ("CLOCK", Reference::Clock, 0.000_1),
    ("2Q", Reference::TwoQ, 0.000_1),
    ("SIEVE", Reference::Sieve, 0.000_1),
    ("LIRS", Reference::Lirs, 0.001),
    ("S3-FIFO", Reference::S3Fifo, 0.001),
    ("W-TinyLFU-1%", Reference::WTinyLfu(1), 0.01),
    ("W-TinyLFU-20%", Reference::WTinyLfu(20), 0.008),
];

fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/traces");
    let folder = std::env::var_os("FOREBAY_TRACES").map_or(beside, PathBuf::from);
    if folder.join("baseline.csv").is_file() {
        return Some(folder);
    }
    let absent = format!(
        "NOT CHECKED: there are no traces at {}; set FOREBAY_TRACES to their folder\n",
        folder.display()
    );
    // Straight to standard error: macro output of a test that passes is hidden.
    std::io::stderr().write_all(absent.as_bytes()).expect("standard error takes a line");
    None
}

/// Miss ratio of the simulation, and the known one.
struct Compared {
    place: String,
    found: f64,
    known: f64,
}

impl Compared {
    fn differs(&self) -> f64 {
        (self.found - self.known).abs()
    }
}

/// Compares every known point of these policies on every trace.
#[expect(clippy::cast_precision_loss, reason = "traces of a few thousand accesses")]
fn compare(folder: &Path, policies: &[(&str, Reference)]) -> Vec<(Reference, Vec<Compared>)> {
    let baseline = std::fs::read_to_string(folder.join("baseline.csv")).expect("it was there just now");
    let mut all: Vec<(Reference, Vec<Compared>)> =
        policies.iter().map(|(_, reference)| (*reference, Vec::new())).collect();
    for (file, name) in TRACES {
        let trace = Trace::open(&folder.join(file), &Options::default()).expect("the trace is there");
        let workload = Workload::collect(trace);
        let accesses = workload.expect("the trace is sound").accesses(4096);
        let next = next_uses(&accesses.blocks, &[], accesses.distinct, 1);
        for line in baseline.lines().filter(|line| line.split(',').next() == Some(name)) {
            let fields: Vec<&str> = line.split(',').collect();
            let Some(at) = policies.iter().position(|(known_as, _)| *known_as == fields[3]) else { continue };
            let reference = policies[at].1;
            let capacity = fields[2].parse().expect("a number of blocks");
            let mut policy = reference.make(capacity, accesses.distinct, &next);
            let missed =
                accesses.blocks.iter().filter(|block| policy.access(**block) == Access::Miss).count() as f64;
            all[at].1.push(Compared {
                place: format!("{name}, {capacity} blocks, {reference}"),
                found: missed / accesses.blocks.len() as f64,
                known: fields[4].parse().expect("a ratio"),
            });
        }
    }
    for (reference, points) in &all {
        assert_eq!(points.len(), 3 * 6 + 5 * 5, "every point of every trace: {reference}");
    }
    all
}

#[test]
fn fifo_lru_and_belady_give_what_is_known_to_six_digits_and_arc_nearly() {
    let Some(folder) = folder() else { return };
    let policies = [
        ("FIFO", Reference::Fifo),
        ("LRU", Reference::Lru),
        ("Belady", Reference::Belady),
        ("ARC", Reference::Arc),
    ];
    for (reference, points) in compare(&folder, &policies) {
        let within = if reference == Reference::Arc { ARC_WITHIN } else { EXACT };
        for point in points {
            let Compared { place, found, known } = &point;
            assert!(point.differs() <= within, "{place}: {found}, not {known}");
        }
    }
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "a few dozen points")]
fn policies_of_several_variants_differ_from_what_is_known_by_little_on_average() {
    let Some(folder) = folder() else { return };
    let policies = OTHERS.map(|(known_as, reference, _)| (known_as, reference));
    for ((reference, points), (.., within)) in compare(&folder, &policies).iter().zip(OTHERS) {
        let mean = points.iter().map(Compared::differs).sum::<f64>() / points.len() as f64;
        println!("{reference}: {mean:.6}");
        assert!(mean <= within, "{reference} differs by {mean:.6} on average, and {within} is the bound");
    }
}
