//! Real traces, which are no part of this repository: `FOREBAY_TRACES` names their folder, with `../shared/traces` beside this tree as the
//! default. Without them these tests print that they proved nothing.

use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use trace::{Format, Gauge, Kind, Options, Trace, blocks};

/// File, requests, blocks of 4 KiB that they touch in all and at least once, reads in hundredths, format.
type Row = (&'static str, u64, u64, usize, Option<u64>, Format);

/// Expected values from the README of the traces, where it has them.
const TRACES: &[Row] = &[
    ("cp_w92.vscsi.zst", 113_872, 1_141_869, 269_210, Some(41), Format::Vscsi),
    ("arc_OLTP.lis.zst", 914_145, 914_145, 186_880, None, Format::Lis),
    ("arc_P3.lis.zst", 238_578, 611_918, 102_348, None, Format::Lis),
    ("arc_P12.lis.zst", 547_147, 2_106_115, 401_596, None, Format::Lis),
    ("tencent_537.trace.zst", 50_000, 112_725, 11_439, Some(82), Format::Tencent),
    ("tencent_211.trace.zst", 50_000, 138_417, 14_129, Some(66), Format::Tencent),
    ("tencent_379.trace.zst", 50_000, 156_197, 13_032, Some(76), Format::Tencent),
    ("msr_cut_1006.trace.zst", 10_000, 31_789, 29_025, Some(83), Format::Heimdall),
    ("fiu_mail_10k.blkparse.zst", 9_997, 9_997, 9_201, Some(89), Format::Fiu),
    ("lirs_sprite.trace.gz", 133_996, 133_996, 7_075, None, Format::Ids),
    ("lirs_2_pools.trace.gz", 100_000, 100_000, 9_939, None, Format::Ids),
    ("lirs_cpp.trace.gz", 9_047, 9_047, 1_223, None, Format::Ids),
    ("lirs_gli.trace.gz", 6_015, 6_015, 2_529, None, Format::Ids),
    ("lirs_loop.trace.gz", 505_500, 505_500, 1_011, None, Format::Ids),
    ("mqsim_tpcc.trace.zst", 6_999, 20_669, 20_470, Some(63), Format::Ssdsim),
    ("ssdsim_example.ascii.zst", 10_000, 22_511, 7_322, Some(41), Format::Ssdsim),
];

/// Returns the folder of the traces, if there is one.
fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/traces");
    let folder = std::env::var_os("FOREBAY_TRACES").map_or(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    // Written past the test harness, which hides the output of tests that pass.
    let message = format!(
        "left out, nothing was proved of real traces: no folder {}; FOREBAY_TRACES names another\n",
        folder.display()
    );
    std::io::stderr().write_all(message.as_bytes()).expect("whoever runs tests listens");
    None
}

/// Returns options with pages for the trace of a database, and sectors for those of disks.
fn options(file: &str) -> Options {
    Options { unit_bytes: (file == "arc_OLTP.lis.zst").then_some(4096), ..Options::default() }
}

#[test]
fn each_real_trace_has_the_requests_accesses_and_footprint_that_are_known_of_it() {
    let Some(folder) = folder() else { return };
    for (file, requests, accesses, footprint, reads, format) in TRACES {
        let mut trace = Trace::open(&folder.join(file), &options(file)).expect("it is there");
        assert_eq!(trace.format(), *format, "{file}");
        let (mut distinct, mut counts, mut gauge) = (HashSet::new(), [0_u64; 3], Gauge::new());
        for request in &mut trace {
            let request = request.expect("it is sound");
            gauge.add(&request);
            counts[0] += 1;
            counts[2] += u64::from(request.kind == Kind::Read);
            for block in blocks(&request, 4096) {
                counts[1] += 1;
                distinct.insert(block);
            }
        }
        let share = reads.is_some().then(|| (counts[2] * 200 + counts[0]) / (counts[0] * 2));
        let found = (counts[0], counts[1], distinct.len(), share);
        assert_eq!(
            found,
            (*requests, *accesses, *footprint, *reads),
            "{file}, {} left out",
            trace.left_out()
        );
        let info = gauge.finish(&trace);
        assert_eq!((info.survey.requests, info.survey.reads), (counts[0], counts[2]), "{file}");
        let touched = info.touched;
        assert_eq!(
            (touched.is_exact, touched.accesses, touched.blocks),
            (true, *accesses, *footprint as u64),
            "{file}"
        );
    }
}
