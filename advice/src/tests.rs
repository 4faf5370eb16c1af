//! Advice on made-up disks: the tests choose the accesses, and the curves are those that disks have.

use block::{ByteRange, PAGE};
use cache::{Curve, Curves, Mode, Use};

use super::answer::{BlockBasis, Verdict, WarningKind};
use super::*;

mod agreement;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const TIB: u64 = 1 << 40;

/// Returns pseudo-random numbers, always the same.
fn scattered(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

fn used(pages: impl IntoIterator<Item = (u64, Use)>) -> Curves {
    let mut curve = Curve::new();
    for (at, (page, usage)) in pages.into_iter().enumerate() {
        curve.observe(&ByteRange::at(page * PAGE, PAGE), usage, at as u64 * 100_000);
    }
    curve.curves()
}

/// Returns the curves of reads of `count` pages in turn, `rounds` times.
fn looped(count: u64, rounds: u64) -> Curves {
    used((0..rounds).flat_map(|_| 0..count).map(|page| (page, Use::Read)))
}

/// Returns the curves of nine of ten reads to 1,000 pages, and the others anywhere in 20,000.
fn hot_and_cold() -> Curves {
    let mut state = 1;
    used((0..300_000).map(move |at| {
        let within = if at % 10 == 0 { 20_000 } else { 1_000 };
        (scattered(&mut state) % within, Use::Read)
    }))
}

fn reads_only(reads: u64) -> RequestCounts {
    RequestCounts {
        reads,
        has_directions: true,
        sequential: Some(0),
        hits: Some(0),
        seconds: Some(200_000),
        ..RequestCounts::default()
    }
}

fn known(curves: &Curves) -> AdviceInput<'_> {
    AdviceInput {
        source: Source::Disk,
        name: "web1",
        curves,
        asked: reads_only(whole(curves.reads.uses())),
        latencies: Latencies::default(),
        present: Some(present(1_000 * GIB)),
        pool: Some(pool()),
        simulated: &[],
        unsimulated: None,
        disk_bytes: 4 * TIB,
        wanted: None,
    }
}

fn present(flash_bytes: u64) -> CurrentSettings {
    CurrentSettings {
        mode: Mode::WriteThrough,
        is_read_only: false,
        cache_bytes: flash_bytes + MIB,
        held_bytes: flash_bytes,
        ram_bytes: MIB,
        has_divided_ram: false,
        has_limit: true,
        reserve_bytes: 0,
        block_bytes: 64 << 10,
        dirty_limit_bytes: 16 * MIB,
        flash_content_bytes: flash_bytes,
        index_bytes: flash_bytes / 500,
    }
}

fn pool() -> FlashPool {
    FlashPool { size_bytes: 2_000 * GIB, usable_bytes: 2_000 * GIB, least_bytes: MIB, can_mirror: false }
}

fn text(advice: &Advice, about: &str) -> String {
    let all = advice.sentences.iter().filter(|sentence| sentence.about == about);
    all.map(|sentence| sentence.text.as_str()).collect()
}

fn warns(advice: &Advice, kind: WarningKind) -> bool {
    advice.warnings.iter().any(|warning| warning.kind == kind)
}

/// Returns the same curve with larger pages, gigabytes instead of pages, so that limits are not all the smallest one.
fn large_loop() -> Curves {
    let mut curve = Curve::new();
    let mut now = 0;
    for offset in (0..4).flat_map(|_| (0..2 * GIB).step_by(256 << 10)) {
        curve.observe(&ByteRange::at(offset, 256 << 10), Use::Read, now);
        now += 10_000_000;
    }
    curve.curves()
}

#[test]
fn the_knee_of_a_loop_is_where_all_of_it_fits_and_not_before() {
    let curves = looped(5_000, 5);
    let knee = sizes::knee(&curves.reads, curves.working_set_bytes).expect("a loop has one");
    let all = 5_000 * PAGE;
    assert!((all..all * 105 / 100).contains(&knee), "{knee} of {all}");
}

#[test]
fn the_knee_is_the_smallest_size_from_which_no_tenth_brings_two_points() {
    let curves = hot_and_cold();
    let knee = sizes::knee(&curves.reads, curves.working_set_bytes).expect("there is one");
    let tenth = curves.working_set_bytes / 10;
    let at = |bytes| curves.reads.hit_ratio(bytes).expect("reads");
    for from in (knee..curves.working_set_bytes * 2).step_by(40_960) {
        assert!(at(from + tenth) - at(from) < 0.02, "{from} is behind the knee {knee}");
    }
    let short = knee - knee / 20;
    assert!(at(short + tenth) - at(short) >= 0.02, "{short} is before the knee {knee}");
    // The knee is where a tenth of all is worth two points of ten.
    assert!((1_000 * PAGE..4_000 * PAGE).contains(&knee), "{knee}");
    let uniform: Curves = {
        let mut state = 3;
        used((0..200_000).map(move |_| (scattered(&mut state) % 8_000, Use::Read)))
    };
    let knee = sizes::knee(&uniform.reads, uniform.working_set_bytes).expect("there is one");
    assert!(knee > 7_500 * PAGE, "every tenth is worth ten points: {knee}");
}

#[test]
fn nothing_is_said_of_too_few_reads_but_how_many_are_missing() {
    let curves = looped(999, 10);
    let mut few = known(&curves);
    few.asked.seconds = Some(999);
    let advice = advise(&few);
    assert_eq!(advice.verdict, Verdict::TooLittleSeen);
    assert!(
        advice.size.is_none() && advice.mode.is_none() && advice.latency.is_none() && advice.wear.is_none()
    );
    assert!(advice.keys.is_empty() && advice.warnings.is_empty() && advice.command.is_none());
    let said = text(&advice, "verdict");
    assert!(
        said.contains("9990 reads, and 10000 are needed, 10 more. At the present rate that takes 1 s"),
        "{said}"
    );
    let nothing = used([]);
    let said = text(&advise(&AdviceInput { asked: RequestCounts::default(), ..known(&nothing) }), "verdict");
    assert!(said.contains("0 reads, and 10000 are needed, 10000 more. Let its guest work"), "{said}");
}

#[test]
fn a_disk_that_is_read_once_gets_pass_through_and_no_size() {
    let curves = looped(50_000, 1);
    let advice = advise(&AdviceInput {
        asked: RequestCounts { sequential: Some(40_000), ..reads_only(50_000) },
        ..known(&curves)
    });
    assert_eq!(advice.verdict, Verdict::CannotHelp);
    assert!(advice.size.is_none() && advice.blocks.is_none());
    let said = text(&advice, "verdict");
    assert!(
        said.contains("at most 0.0% of reads") && said.contains("80.0% of reads are of long sequential"),
        "{said}"
    );
    assert!(
        advice.command.is_none(),
        "in pass-through the long runs would count as if they entered: {advice:?}"
    );
    let without_runs = advise(&known(&curves));
    assert_eq!(without_runs.command.as_deref(), Some("forebay disk set web1 mode=pass-through"));
    let wanted = advise(&AdviceInput { wanted: Some(0.5), ..known(&curves) });
    assert!(text(&wanted, "wanted").contains("50.0% cannot be reached: the most is 0.0%"));
}

#[test]
fn a_disk_whose_rereads_are_spread_over_everything_is_hardly_helped() {
    let mut state = 5;
    // One of ten reads repeats one of any time before.
    let curves = used((0..200_000_u64).map(move |at| {
        let page = if at % 10 == 9 { scattered(&mut state) % at } else { at };
        (page, Use::Read)
    }));
    let advice = advise(&known(&curves));
    assert_eq!(advice.verdict, Verdict::CannotHelp, "{:?}", advice.sentences);
    assert!(text(&advice, "verdict").contains("spread so thinly that"), "{advice:?}");
}

#[test]
fn a_disk_that_is_hardly_read_gets_pass_through() {
    let curves =
        used((0..50_000_u64).map(|at| (at % 5_000, if at % 100 == 0 { Use::Read } else { Use::Write })));
    let asked = RequestCounts { reads: 500, writes: 49_500, ..reads_only(500) };
    let advice = advise(&AdviceInput { asked, ..known(&curves) });
    assert_eq!(advice.verdict, Verdict::CannotHelp);
    assert!(
        text(&advice, "verdict").contains("1.0% of its 50000 requests of the last 2 days are reads"),
        "{advice:?}"
    );
    assert_eq!(advice.keys.get("mode").map(String::as_str), Some("pass-through"));
    // Pages are written in turn, 20 MiB of them, and 16 MiB may be dirty.
    let write_back = advice.mode.and_then(|mode| mode.write_back).expect("it is known what writes");
    assert!(!write_back.is_worth_a_thought && write_back.coalesced < 0.1, "{write_back:?}");
}

#[test]
fn what_is_written_and_not_read_goes_around_and_what_is_read_goes_through() {
    let asked = RequestCounts { reads: 40_000, writes: 40_000, ..reads_only(40_000) };
    // Reads in a loop of 2,000 pages, writes elsewhere.
    let apart = used((0..40_000_u64).flat_map(|at| [(at % 2_000, Use::Read), (100_000 + at, Use::Write)]));
    let advice = advise(&AdviceInput { asked, ..known(&apart) });
    assert_eq!(advice.keys.get("mode").map(String::as_str), Some("write-around"), "{advice:?}");
    assert!(text(&advice, "mode").contains("50.0% of requests write, and only 0.0% of reads"), "{advice:?}");
    // Each page is written, then read.
    let together = used((0..40_000_u64).flat_map(|at| [(at % 2_000, Use::Write), (at % 2_000, Use::Read)]));
    let advice = advise(&AdviceInput { asked, ..known(&together) });
    assert_eq!(advice.mode.as_ref().and_then(|mode| mode.advised.as_deref()), Some("write-through"));
    assert_eq!(advice.keys.get("mode"), None);
    // Write-around does not follow writes: nothing can be advised against it.
    let around = CurrentSettings { mode: Mode::WriteAround, ..present(GIB) };
    let advice = advise(&AdviceInput { asked, present: Some(around), ..known(&apart) });
    assert_eq!(advice.keys.get("mode"), None);
    assert!(advice.seen.expect("it was seen").reads_of_written.is_none());
}

#[test]
fn write_back_is_explained_with_what_it_depends_on_and_never_set() {
    // Eight of ten writes hit 1,000 pages.
    let mut state = 9;
    let curves = used((0..60_000_u64).map(move |at| {
        let usage = if at % 3 == 0 { Use::Write } else { Use::Read };
        (scattered(&mut state) % 1_000, usage)
    }));
    let asked = RequestCounts { reads: 40_000, writes: 20_000, ..reads_only(40_000) };
    let advice = advise(&AdviceInput { asked, ..known(&curves) });
    assert_eq!(advice.keys.get("mode"), None);
    let said = text(&advice, "write-back");
    for wanted in [
        "With 16MiB dirty at most",
        "9",
        "the one device of the pool",
        "forebay disk set web1 mode=write-back",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    let mirrored = FlashPool { can_mirror: true, ..pool() };
    let advice = advise(&AdviceInput { asked, pool: Some(mirrored), ..known(&curves) });
    assert!(text(&advice, "write-back").contains("two devices, which both have it"), "{advice:?}");
    let back = CurrentSettings { mode: Mode::WriteBack, ..present(GIB) };
    let advice = advise(&AdviceInput { asked, present: Some(back), ..known(&curves) });
    assert_eq!(advice.mode.as_ref().and_then(|mode| mode.advised.as_deref()), Some("write-back"));
    assert!(!text(&advice, "write-back").contains("If so"));
}

#[test]
fn slow_writes_alone_make_write_back_worth_a_thought() {
    let curves =
        used((0..60_000_u64).map(|at| (at % 20_000, if at % 3 == 0 { Use::Write } else { Use::Read })));
    let asked = RequestCounts { reads: 40_000, writes: 20_000, ..reads_only(40_000) };
    let took = |us| Latencies {
        write: Some(LatencyEstimate { us, basis: Basis::Measured, count: 9 }),
        ..Latencies::default()
    };
    let is_worth = |us| {
        let advice = advise(&AdviceInput { asked, latencies: took(us), ..known(&curves) });
        advice.mode.and_then(|mode| mode.write_back).expect("it writes").is_worth_a_thought
    };
    assert!(is_worth(8_000.0) && !is_worth(300.0));
}

#[test]
fn a_wanted_hit_ratio_has_a_size_or_cannot_be_reached() {
    let curves = large_loop();
    let advice =
        advise(&AdviceInput { wanted: Some(0.7), present: Some(present(64 * MIB)), ..known(&curves) });
    let size = advice.size.as_ref().expect("there is a size");
    let bytes = size.wanted_bytes.expect("75 % can be had");
    assert!(bytes.abs_diff(2 * GIB) < GIB / 10, "{bytes}");
    assert!(size.advised.cache_bytes >= bytes && size.advised.hit_ratio >= 0.7, "{size:?}");
    let never = advise(&AdviceInput { wanted: Some(0.9), ..known(&curves) });
    assert_eq!(never.size.as_ref().and_then(|size| size.wanted_bytes), None);
    let said = text(&never, "wanted");
    assert!(said.contains("90.0% cannot be reached: the most is 75.0%"), "{said}");
    assert_eq!(never.sentences[0].about, "wanted", "what cannot be had is said first");
    assert_eq!(advice.sentences[0].about, "verdict");
    assert_eq!(never.advised().map(|size| size.cache_bytes), advice.advised().map(|size| size.cache_bytes));
}

#[test]
fn a_disk_whose_ram_the_pool_divides_is_advised_none_of_its_own() {
    let curves = large_loop();
    for (has_divided_ram, is_advised) in [(false, true), (true, false)] {
        let present = CurrentSettings { has_divided_ram, ..present(GIB) };
        let advice = advise(&AdviceInput { present: Some(present), ..known(&curves) });
        assert_eq!(advice.keys.contains_key("ram"), is_advised, "{advice:?}");
    }
}

#[test]
fn a_cache_is_too_large_too_small_or_right() {
    let curves = large_loop();
    let of = |flash| advise(&AdviceInput { present: Some(present(flash)), ..known(&curves) });
    let large = of(100 * GIB);
    assert!(warns(&large, WarningKind::TooLarge) && large.keys.contains_key("limit"), "{large:?}");
    let advised = large.size.as_ref().expect("a size").advised_flash_bytes;
    assert!((2 * GIB..5 * GIB / 2).contains(&advised), "{advised}");
    let small = of(GIB);
    assert!(warns(&small, WarningKind::TooSmall) && small.keys.contains_key("limit"), "{small:?}");
    assert!(small.warnings[0].text.contains("75 points more"), "{small:?}");
    let right = of(advised);
    assert!(!warns(&right, WarningKind::TooLarge) && !warns(&right, WarningKind::TooSmall), "{right:?}");
    assert!(!right.keys.contains_key("limit"), "{right:?}");
    let tight = FlashPool { usable_bytes: GIB, ..pool() };
    let cut = advise(&AdviceInput { pool: Some(tight), present: Some(present(GIB)), ..known(&curves) });
    assert!(warns(&cut, WarningKind::PoolTooSmall), "{cut:?}");
    assert!(cut.size.as_ref().is_some_and(|size| size.advised_flash_bytes <= GIB), "{cut:?}");
    // A disk in pass-through does not use its limit.
    let passing = CurrentSettings { mode: Mode::PassThrough, ..present(100 * GIB) };
    let passing = advise(&AdviceInput { present: Some(passing), ..known(&curves) });
    assert!(!warns(&passing, WarningKind::TooLarge), "{passing:?}");
    assert_eq!(passing.keys.get("mode").map(String::as_str), Some("write-through"));
}

#[test]
fn every_command_sets_the_keys_that_are_advised() {
    let curves = large_loop();
    let whole = advise(&AdviceInput { present: Some(present(100 * GIB)), ..known(&curves) });
    let trace = advise(&AdviceInput { source: Source::Trace, present: None, pool: None, ..known(&curves) });
    for (advice, name) in [(whole, "web1"), (trace, "NAME")] {
        let command = advice.command.expect("there is something to set");
        let keys = command.strip_prefix(&format!("forebay disk set {name} ")).expect(&command);
        let pairs = keys.split(' ').filter_map(|pair| pair.split_once('='));
        assert!(pairs.eq(advice.keys.iter().map(|(key, value)| (*key, value.as_str()))), "{command}");
    }
}

#[test]
fn the_expected_latency_is_that_of_hits_and_misses_by_their_shares() {
    let curves = large_loop();
    let took = |us| Some(LatencyEstimate { us, basis: Basis::Measured, count: 500 });
    let latencies = Latencies { ram: took(10.0), flash: took(100.0), miss: took(10_000.0), write: None };
    let advice = advise(&AdviceInput { latencies, ..known(&curves) });
    let expected = advice.latency.as_ref().expect("all is measured");
    // A loop: nothing from RAM, three of four from flash.
    assert!((expected.mean_us - (0.75 * 100.0 + 0.25 * 10_000.0)).abs() < 30.0, "{expected:?}");
    assert!((expected.without_cache_us - 10_000.0).abs() < 1e-9);
    assert!(text(&advice, "latency").contains("(measured, 500 reads)"), "{advice:?}");
    let assumed = Latencies { flash: Some(LatencyEstimate::FLASH), ..latencies };
    assert!(
        text(&advise(&AdviceInput { latencies: assumed, ..known(&curves) }), "latency")
            .contains("assumed, not measured")
    );
    // 282 us with a cache where reads take 105 us without is no help.
    let slower = Latencies { flash: took(330.0), miss: took(105.0), ..latencies };
    let no = advise(&AdviceInput { latencies: slower, ..known(&curves) });
    assert_eq!(no.verdict, Verdict::CannotHelp, "{no:?}");
    assert!(text(&no, "verdict").contains("does not help: reads would take"), "{no:?}");
    assert!(no.size.is_none() && !no.keys.contains_key("limit"), "{no:?}");
    assert_eq!(no.keys.get("mode").map(String::as_str), Some("pass-through"), "{no:?}");
    let unknown = advise(&AdviceInput { latencies: Latencies { miss: None, ..latencies }, ..known(&curves) });
    assert!(unknown.latency.is_none() && text(&unknown, "latency").contains("not known"));
    let fast = Latencies { miss: took(120.0), ..latencies };
    assert!(warns(&advise(&AdviceInput { latencies: fast, ..known(&curves) }), WarningKind::BackingIsFast));
}

#[test]
fn wear_is_what_was_written_by_the_time_that_it_took_or_not_known() {
    let curves = large_loop();
    let written = |seconds, bytes| {
        let asked =
            RequestCounts { seconds: Some(seconds), flash_write_bytes: Some(bytes), ..reads_only(40_000) };
        advise(&AdviceInput { asked, ..known(&curves) })
    };
    let day = written(7_200, 10 * GIB);
    let wear = day.wear.as_ref().expect("two hours are enough");
    assert_eq!(wear.bytes_per_day, 120 * GIB);
    assert!(wear.pool_writes_per_day.is_some_and(|writes| (writes - 0.06).abs() < 1e-9), "{wear:?}");
    assert!(warns(&day, WarningKind::ShortView) && !warns(&written(100_000, 1), WarningKind::ShortView));
    let short = written(3_599, 10 * GIB);
    assert!(short.wear.is_none() && text(&short, "wear").contains("only 59 min were counted"), "{short:?}");
}

#[test]
fn a_trace_is_advised_on_by_what_was_simulated() {
    let curves = large_loop();
    let of = |block_bytes, hits: u64, flash_write_bytes| SimulatedHits {
        block_bytes,
        reads: 1_000,
        ram_hits: 100,
        flash_hits: hits - 100,
        partial_hits: 20,
        bypassed: 300,
        flash_write_bytes,
        index_bytes: 7 * MIB,
    };
    let simulated = [of(4 << 10, 600, 1), of(16 << 10, 604, 2), of(64 << 10, 500, 3)];
    let latencies = Latencies {
        ram: Some(LatencyEstimate::RAM),
        flash: Some(LatencyEstimate::FLASH),
        miss: Some(LatencyEstimate::MISS),
        write: None,
    };
    let trace = AdviceInput {
        source: Source::Trace,
        present: None,
        pool: None,
        simulated: &simulated,
        latencies,
        asked: RequestCounts { seconds: Some(86_400), ..reads_only(40_000) },
        ..known(&curves)
    };
    let advice = advise(&trace);
    let blocks = advice.blocks.as_ref().expect("they were simulated");
    assert_eq!(
        (blocks.basis, blocks.advised_bytes),
        (BlockBasis::Simulation, 16 << 10),
        "the largest that is as good"
    );
    assert_eq!(advice.wear.as_ref().map(|wear| wear.bytes_per_day), Some(2));
    let expected = advice.latency.as_ref().expect("all is assumed");
    let mean =
        0.1 * LatencyEstimate::RAM.us + 0.504 * LatencyEstimate::FLASH.us + 0.396 * LatencyEstimate::MISS.us;
    assert!((expected.mean_us - mean).abs() < 1e-6, "{expected:?}");
    let said = text(&advice, "size");
    assert!(
        said.contains("60.4% full hits; 30.0% of reads go past the cache, as long sequential runs do"),
        "{said}"
    );
    assert!(!said.contains("in part only"), "two of a hundred are not worth a word: {said}");
    let unsimulated = AdviceInput { simulated: &[], unsimulated: Some("it is too long"), ..trace };
    assert!(text(&advise(&unsimulated), "wear").contains("not known: it is too long"));
    let without = AdviceInput { asked: RequestCounts { has_directions: false, ..trace.asked }, ..trace };
    let advice = advise(&without);
    assert!(!advice.keys.contains_key("mode") && advice.mode.is_some_and(|mode| mode.advised.is_none()));
}

#[test]
fn a_trace_that_wears_flash_out_for_few_hits_gets_no_cache() {
    let curves = large_loop();
    let of = |hits, flash_write_bytes| SimulatedHits {
        block_bytes: 4 << 10,
        reads: 1_000,
        ram_hits: 0,
        flash_hits: hits,
        partial_hits: 0,
        bypassed: 0,
        flash_write_bytes,
        index_bytes: MIB,
    };
    let advise_at = |simulated: &[SimulatedHits]| {
        advise(&AdviceInput {
            source: Source::Trace,
            present: None,
            pool: None,
            simulated,
            asked: RequestCounts { seconds: Some(3_600), ..reads_only(40_000) },
            ..known(&curves)
        })
    };
    // 100 GiB an hour to about 2 GiB of flash.
    let no = advise_at(&[of(66, 100 * GIB)]);
    assert_eq!(no.verdict, Verdict::CannotHelp, "{no:?}");
    let said = text(&no, "verdict");
    assert!(said.contains("6.6% of reads would be hits") && said.contains("drive writes a day"), "{said}");
    assert!(no.size.is_none() && no.keys.get("mode").is_none_or(|mode| mode == "pass-through"), "{no:?}");
    // Many hits are the user's to weigh, and few writes are no matter.
    assert_eq!(advise_at(&[of(300, 100 * GIB)]).verdict, Verdict::CanHelp);
    assert_eq!(advise_at(&[of(66, GIB / 2)]).verdict, Verdict::CanHelp);
}

#[test]
fn blocks_are_small_where_neighbours_are_not_used_together() {
    let mut state = 11;
    // One page of each MiB.
    let apart = used((0..300_000).map(|_| (scattered(&mut state) % 20_000 * 256, Use::Read)));
    let advice = advise(&AdviceInput { present: Some(present(64 * MIB)), ..known(&apart) });
    assert_eq!(advice.keys.get("block-size").map(String::as_str), Some("4KiB"), "{advice:?}");
    let rough = used((0..30_000).map(move |_| (scattered(&mut state) % 5_000 * 256, Use::Read)));
    let rough = advise(&AdviceInput { present: Some(present(16 * MIB)), ..known(&rough) });
    assert!(!rough.keys.contains_key("block-size"), "a rough curve changes nothing: {rough:?}");
    let together = advise(&AdviceInput { present: Some(present(2 * GIB)), ..known(&large_loop()) });
    assert_eq!(together.blocks.as_ref().map(|blocks| blocks.advised_bytes), Some(64 << 10));
    assert!(!together.keys.contains_key("block-size"), "{together:?}");
}

#[test]
fn the_index_takes_what_was_measured() {
    // docs/dev/notes/performance.md: 24.3 and 27.8 bytes for a block of 4 KiB on 1 GiB of flash, and 121.0 and 144.1 for one of 64 KiB on 4 GiB, before
    // much was learned.
    for (block, flash, fresh, churned) in [(4 << 10, GIB, 24.3, 27.8), (64 << 10, 4 * GIB, 121.0, 144.1)] {
        let blocks = float(flash) / float(block);
        let (min, max) = blocks::index_bytes(flash, block);
        assert!((float(min) / blocks - fresh).abs() < 1.0, "{block}: {min}");
        let learned = (blocks::LEARNED.1 - blocks::LEARNED.0) / blocks;
        assert!((float(max) / blocks - learned - churned).abs() < 1.0, "{block}: {max}");
    }
}

#[test]
fn what_a_disk_had_is_said_in_full_hits_and_what_was_none_beside_it() {
    let asked = RequestCounts { hits: Some(858), partial_hits: 42, ..reads_only(1_000) };
    let curves = hot_and_cold();
    let said = |asked| text(&advise(&AdviceInput { asked, ..known(&curves) }), "size");
    let in_part = "had 85.8% full hits; 4.2% of reads are cached in part only, which is a miss.";
    assert!(said(asked).contains(in_part), "{}", said(asked));
    let past = said(RequestCounts { sequential: Some(100), ..asked });
    assert!(past.contains("a miss; 10.0% of reads go past the cache"), "{past}");
    let few = said(RequestCounts { partial_hits: 2, ..asked });
    assert!(few.contains("had 85.8% full hits.") && few.contains("in part counts in part"), "{few}");
}

#[test]
fn a_disk_that_is_not_served_says_why() {
    let advice = of_unserved("web1", "its backing has not answered yet");
    assert_eq!(advice.verdict, Verdict::NotServed);
    assert!(text(&advice, "verdict").contains("its backing has not answered yet"));
}
