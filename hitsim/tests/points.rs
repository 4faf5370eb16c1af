//! Points of a made-up trace: invariants of the served policy for any decision, and of runs of many points.

use std::sync::atomic::{AtomicU64, Ordering};

use cache::{Admission, DiskCounts, SequentialCutoff};
use hitsim::served::{RamShare, Serving, Writes, serve};
use hitsim::{Conditions, Counted, Outcome, Point, Row, Workload, run, work};
use trace::{Kind, Request};

const PAGE: u64 = 4096;
const AUTO: RamShare = RamShare::Usual { bytes_max: 32 << 20 };

/// Returns requests of one to four pages, most of them to few places, every fourth of them a write; with a scan in the middle.
fn workload(requests: u64) -> Workload {
    let mut chance = 1_u64;
    let mut draw = move |below: u64| {
        // Knuth's constants for a linear congruential generator of 64 bits (MMIX).
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (chance >> 33) % below
    };
    let trace = (0..requests).map(|number| {
        let scanned = (requests / 2..requests / 2 + requests / 8).contains(&number);
        let page = if scanned { 100_000 + 4 * number } else { draw(4096) * draw(4096) / 4096 };
        let kind = if draw(4) == 0 && !scanned { Kind::Write } else { Kind::Read };
        let pages = if scanned { 4 } else { 1 + draw(4) };
        Ok(Request { kind, offset: page * PAGE, length: (pages * PAGE) as u32, ..Request::default() })
    });
    Workload::collect(trace).expect("it is sound")
}

fn serving(admission: Admission, writes: Writes) -> Serving {
    Serving { admission, ram: AUTO, sequential_cutoff: SequentialCutoff::Auto, writes }
}

fn conditions(counted: Counted) -> Conditions {
    Conditions { counted, ..Conditions::default() }
}

#[test]
fn a_served_cache_never_holds_more_data_than_its_size_and_counts_every_access() {
    let workload = workload(10_000);
    for pages in [112, 300, 1500] {
        for writes in [Writes::AsReads, Writes::AsTheyAre] {
            let serving = serving(Admission::Always, writes);
            let served = serve(&workload, &serving, Counted::Blocks, pages * PAGE, 4096, &|_| {}).unwrap();
            assert!(served.pages <= served.division.pages_max() && served.pages <= pages, "{served:?}");
            assert!(served.pages > pages / 2, "{pages} are mostly used: {served:?}");
            let counts = served.counts;
            let (reads, all) = (counts.reads, counts.reads + counts.writes);
            assert_eq!(all, workload.requests());
            assert_eq!(counts.writes == 0, writes == Writes::AsReads);
            let missed = counts.read_partial_hits + counts.read_misses + counts.reads_bypassed;
            assert_eq!(counts.read_hits_ram + counts.read_hits_flash + missed, reads);
            assert!(served.hits() < workload.page_accesses() && served.flash_pages_written() > 0);
            let whole = serve(&workload, &serving, Counted::Requests, pages * PAGE, 4096, &|_| {}).unwrap();
            let answered = counts.read_hits_ram + counts.read_hits_flash + counts.write_hits;
            assert_eq!(whole.hits(), answered);
            // Time advances by accesses, and a disk takes notes of regions by time.
            if writes == Writes::AsReads {
                let alike = DiskCounts { active_seconds: counts.active_seconds, ..whole.counts };
                assert_eq!(alike, counts, "what counts as an access changes nothing");
            }
        }
    }
}

#[test]
fn a_served_cache_that_holds_everything_misses_only_what_comes_first() {
    let workload = workload(4000);
    let size = workload.footprint_pages() * 2 * PAGE;
    let serving = serving(Admission::Adaptive, Writes::AsReads);
    let served = serve(&workload, &serving, Counted::Blocks, size, 4096, &|_| {}).unwrap();
    assert_eq!(workload.page_accesses() - served.hits(), workload.footprint_pages());
}

#[test]
fn reads_of_long_runs_enter_where_admission_learns_and_nobody_set_a_cutoff() {
    let run = (0..64).map(|at| {
        Ok(Request { kind: Kind::Read, offset: at << 17, length: 128 << 10, ..Request::default() })
    });
    let workload = Workload::collect(run).unwrap();
    let past = |admission: &str, sequential_cutoff| {
        // Requests are whole.
        let ram = RamShare::Bytes(1 << 20);
        let serving =
            Serving { sequential_cutoff, ram, ..serving(admission.parse().unwrap(), Writes::AsReads) };
        serve(&workload, &serving, Counted::Requests, 4 << 20, 4096, &|_| {}).unwrap().counts.reads_bypassed
    };
    let all = ["adaptive", "adaptive:hits", "always", "repeated:3"];
    // Of 8 MiB the part after the first 4.
    assert_eq!(all.map(|admission| past(admission, SequentialCutoff::Auto)), [0, 0, 32, 32]);
    assert_eq!(all.map(|admission| past(admission, SequentialCutoff::Bytes(1 << 20))), [56; 4]);
    assert_eq!(all.map(|admission| past(admission, SequentialCutoff::Bytes(0))), [0; 4]);
}

#[test]
fn an_admission_that_asks_more_writes_less_and_a_run_repeats_exactly() {
    let workload = workload(10_000);
    let written = |admission: &str| {
        let serving = serving(admission.parse().unwrap(), Writes::AsReads);
        let served = || serve(&workload, &serving, Counted::Blocks, 600 * PAGE, 4096, &|_| {}).unwrap();
        assert_eq!(served(), served());
        served().flash_pages_written()
    };
    // The adaptive policy writes for hits as well, and may write more than `always`.
    let [always, learned, repeated] = ["always", "adaptive", "repeated:5"].map(written);
    assert!(learned > 0 && repeated < always, "{always} {learned} {repeated}");
}

#[test]
fn points_come_back_in_order_and_what_cannot_be_is_left_out_with_its_reason() {
    let workload = workload(2000);
    let mut points = Vec::new();
    for block_bytes in [65536, 4096] {
        for size_bytes in [4096, 100 * PAGE, 500 * PAGE, 1 << 40] {
            for policy in ["lru", "served", "belady", "served:always"] {
                points.push(Point { policy: policy.parse().unwrap(), size_bytes, block_bytes });
            }
        }
    }
    let conditions = conditions(Counted::Blocks);
    let done = AtomicU64::new(0);
    let count = |more| {
        done.fetch_add(more, Ordering::Relaxed);
    };
    let outcome = run(&workload, &conditions, &points, &count);
    assert_eq!(done.into_inner(), work(&workload, &conditions, &points), "progress ends where it should");
    let Outcome { rows, left_out } = outcome;
    let is_left = |point: &Point| left_out.iter().any(|left| left.point == *point);
    let kept: Vec<Point> = points.iter().copied().filter(|point| !is_left(point)).collect();
    assert_eq!(rows.iter().map(|row| row.point).collect::<Vec<_>>(), kept);
    // Served ones of one and of a hundred pages, and one page that holds no block of 64 KiB.
    assert_eq!(left_out.len(), 2 * 2 * 2 + 2);
    assert!(left_out.iter().any(|left| left.reason.contains("0 segments")), "{left_out:?}");
    let largest = rows.iter().filter(|row| row.point.size_bytes == 1 << 40 && row.point.block_bytes == 4096);
    let misses: Vec<u64> = largest.map(|row| row.tally.misses).collect();
    assert_eq!(misses[0], workload.footprint_pages());
    assert_eq!(misses[0], misses[2]);
}

#[test]
fn whole_requests_hit_if_all_of_their_blocks_do() {
    let read = |page: u64, pages: u32| {
        Ok(Request { kind: Kind::Read, offset: page * PAGE, length: pages * 4096, ..Request::default() })
    };
    let workload = Workload::collect([read(0, 2), read(1, 2), read(0, 3), read(2, 1)]).unwrap();
    let points = ["lru", "served:always"].map(|policy| Point {
        policy: policy.parse().unwrap(),
        size_bytes: 4 << 20,
        block_bytes: 4096,
    });
    let Outcome { rows, .. } = run(&workload, &conditions(Counted::Requests), &points, &|_| {});
    assert_eq!(
        rows.iter().map(|row| (row.tally.accesses, row.tally.misses)).collect::<Vec<_>>(),
        [(4, 2), (4, 2)]
    );
    assert_eq!(rows[0].flash_data_bytes, 3 * PAGE);
}

#[test]
fn a_page_of_which_a_part_is_written_is_not_cached_by_that() {
    // Each page is written once, then read: only a write of a whole page leaves something to read.
    let hits = |length: u32, writes: Writes| {
        let requests = (0..64).flat_map(|page| {
            let at = |kind, length| Ok(Request { kind, offset: page * PAGE, length, ..Request::default() });
            [at(Kind::Write, length), at(Kind::Read, 4096)]
        });
        let workload = Workload::collect(requests).unwrap();
        assert_eq!(workload.page_accesses(), 128);
        let serving =
            Serving { sequential_cutoff: SequentialCutoff::Bytes(0), ..serving(Admission::Always, writes) };
        serve(&workload, &serving, Counted::Blocks, 4 << 20, 4096, &|_| {}).unwrap().hits()
    };
    assert_eq!([4096, 3584, 512].map(|length| hits(length, Writes::AsTheyAre)), [64, 0, 0]);
    assert_eq!([4096, 3584, 512].map(|length| hits(length, Writes::OfWholePages)), [64; 3]);
    assert_eq!([4096, 3584, 512].map(|length| hits(length, Writes::AsReads)), [64; 3]);
}

/// Returns the rows of the policies at a size in pages, with blocks of 4 KiB.
fn rows(workload: &Workload, policies: &[&str], pages: u64, conditions: &Conditions) -> Vec<Row> {
    let point = |policy: &&str| Point {
        policy: policy.parse().expect("a policy"),
        size_bytes: pages * PAGE,
        block_bytes: 4096,
    };
    let points: Vec<Point> = policies.iter().map(point).collect();
    run(workload, conditions, &points, &|_| {}).rows
}

/// Returns a loop in which every page is written, whole or in part, and then read.
fn written_and_read(pages: u64, rounds: u64, written: u32) -> Workload {
    let of = |page| {
        let at = move |kind, length| Request { kind, offset: page * PAGE, length, ..Request::default() };
        [Ok(at(Kind::Write, written)), Ok(at(Kind::Read, 4096))]
    };
    Workload::collect((0..rounds).flat_map(|_| (0..pages).flat_map(of))).expect("it is sound")
}

#[test]
fn policies_from_papers_follow_the_rule_for_writes_that_serves_disks() {
    let policies =
        ["served:always", "lru", "arc", "s3-fifo", "clock2q+", "sieve", "w-tinylfu:20", "gl-cache", "belady"];
    // Everything fits, but not into RAM: a partial write of a page finds the copy that was read in the round before, and invalidates it.
    for (written, misses, read_misses) in [(4096, 200, 0), (512, 200 + 800, 800)] {
        let workload = written_and_read(200, 4, written);
        let conditions = Conditions { ram: RamShare::Bytes(64 << 10), ..conditions(Counted::Blocks) };
        let all = rows(&workload, &policies, 2000, &conditions);
        assert_eq!(all.len(), policies.len());
        for row in all {
            assert_eq!((row.tally.accesses, row.tally.reads), (1600, 800), "{:?}", row.point);
            assert_eq!((row.tally.misses, row.tally.read_misses), (misses, read_misses), "{:?}", row.point);
        }
    }
    let workload = written_and_read(200, 4, 512);
    let all_read = Conditions { writes: Writes::AsReads, ..conditions(Counted::Blocks) };
    for row in rows(&workload, &policies, 2000, &all_read) {
        assert_eq!(
            (row.tally.misses, row.tally.reads, row.tally.read_misses),
            (200, 1600, 200),
            "{:?}",
            row.point
        );
    }
}

#[test]
fn pages_written_to_flash_are_counted_by_cause() {
    // Written whole and never read: all pages on flash are overwritten unread.
    let write =
        |page| Ok(Request { kind: Kind::Write, offset: page * PAGE, length: 4096, ..Request::default() });
    let workload = Workload::collect((0..4).flat_map(|_| (0..300).map(write))).unwrap();
    let all = rows(&workload, &["served:always", "lru"], 1000, &conditions(Counted::Blocks));
    let layout = all[0].served.unwrap();
    assert!(layout.overwritten_unread_pages > 0, "{layout:?}");
    assert!(layout.overwritten_unread_pages <= layout.admitted_pages, "{layout:?}");
    assert!(layout.first_fill_pages <= layout.admitted_pages, "void segments are reclaimed: {layout:?}");
    assert_eq!((layout.reappended_pages, all[0].turnovers), (0, None));
    assert_eq!(all[1].flash_data_bytes, 4 * 300 * PAGE, "LRU writes each new version");
    let pages = layout.admitted_pages + layout.reappended_pages;
    assert_eq!(all[0].flash_data_bytes, pages * PAGE);

    let busy = self::workload(10_000);
    let [served, lru] = rows(&busy, &["served", "lru"], 300, &conditions(Counted::Blocks))[..] else {
        panic!("two rows")
    };
    let layout = served.served.unwrap();
    assert!(0 < layout.first_fill_pages && layout.first_fill_pages < layout.admitted_pages, "{layout:?}");
    for row in [served, lru] {
        let [first, second] = row.turnovers.unwrap();
        assert_eq!((first.accesses, second.accesses), (300, 300));
        assert!(first.misses > 0 && first.misses <= 300, "{row:?}");
    }
}

#[test]
fn a_second_pass_meets_what_the_first_one_left_and_changes_nothing_of_it() {
    let workload = workload(6000);
    let once = conditions(Counted::Blocks);
    let twice = Conditions { passes: 2, ..once };
    let policies = ["served", "lru"];
    for (once, twice) in
        rows(&workload, &policies, 300, &once).iter().zip(rows(&workload, &policies, 300, &twice))
    {
        assert_eq!(Row { again: None, served: None, ..twice }, Row { served: None, ..*once });
        let again = twice.again.unwrap();
        assert_eq!((again.accesses, again.reads), (once.tally.accesses, once.tally.reads));
        assert!(again.misses < once.tally.misses, "the cache is not empty: {again:?}");
        let admitted =
            |row: &Row| row.served.map(|layout| (layout.admitted_pages, layout.overwritten_unread_pages));
        assert_eq!(admitted(once), admitted(&twice), "flash pages are those of the first pass");
    }
}
