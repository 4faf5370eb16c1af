//! Consistency of an advice with itself, with the valid keys of disks, and with the next advice.

use super::*;

#[test]
fn a_trace_gets_a_limit_that_every_pool_takes() {
    let curves = looped(5_000, 5);
    let trace = advise(&AdviceInput { source: Source::Trace, present: None, pool: None, ..known(&curves) });
    assert_eq!(trace.keys.get("limit").map(String::as_str), Some("1GiB"), "16 segments of 64 MiB");
    let flash = trace.size.as_ref().expect("a size").advised_flash_bytes;
    assert_eq!(flash, 64 * MIB, "what is of use to it is less");
    let said = text(&trace, "ram");
    assert!(
        said.contains("the command below has 1GiB") && said.contains("16GiB or less takes 64MiB"),
        "{said}"
    );
    let large = large_loop();
    let trace = advise(&AdviceInput { source: Source::Trace, present: None, pool: None, ..known(&large) });
    assert!(!text(&trace, "ram").contains("every pool takes"), "{trace:?}");
    let disk = advise(&known(&curves));
    assert_eq!(disk.keys.get("limit").map(String::as_str), Some("64MiB"), "the pool of a disk is known");
}

#[test]
fn a_trace_that_has_no_hits_in_simulation_gets_no_cache() {
    let curves = large_loop();
    let of = |hits, bypassed| SimulatedHits {
        block_bytes: 64 << 10,
        reads: 1_000,
        ram_hits: 0,
        flash_hits: hits,
        partial_hits: 0,
        bypassed,
        flash_write_bytes: 0,
        index_bytes: 0,
    };
    let advised = |simulated: &[SimulatedHits]| {
        advise(&AdviceInput { source: Source::Trace, present: None, pool: None, simulated, ..known(&curves) })
    };
    let advice = advised(&[of(20, 900), of(10, 990)]);
    assert_eq!(advice.verdict, Verdict::CannotHelp);
    let said = text(&advice, "verdict");
    assert!(
        said.contains("has 2.0% full hits; 90.0% of reads go past the cache, as long sequential runs do"),
        "{said}"
    );
    assert!(advice.size.is_none() && advice.latency.is_none(), "{advice:?}");
    assert_eq!(advised(&[of(20, 900), of(60, 900)]).verdict, Verdict::CanHelp);
}

#[test]
fn what_cannot_be_judged_in_pass_through_does_not_get_it() {
    // Read once, but for long runs, which are misses of any size in all modes but pass-through.
    let mut curve = Curve::new();
    for page in 0..20_000_u64 {
        curve.observe(&ByteRange::at(page * PAGE, PAGE), Use::Read, page * 100_000);
    }
    (0..5_000).for_each(|_| curve.pass_by());
    let curves = curve.curves();
    let asked = RequestCounts { sequential: Some(5_000), ..reads_only(25_000) };
    let advice = advise(&AdviceInput { asked, ..known(&curves) });
    assert_eq!(advice.verdict, Verdict::CannotHelp);
    assert!(advice.keys.is_empty() && text(&advice, "mode").contains("The mode stays: 20.0%"), "{advice:?}");
    let few = RequestCounts { sequential: Some(250), ..asked };
    let advice = advise(&AdviceInput { asked: few, ..known(&curves) });
    assert_eq!(
        advice.keys.get("mode").map(String::as_str),
        Some("pass-through"),
        "one of a hundred turns nothing"
    );
    let passing = CurrentSettings { mode: Mode::PassThrough, ..present(GIB) };
    let advice = advise(&AdviceInput { present: Some(passing), ..known(&large_loop()) });
    assert!(text(&advice, "size").contains("In pass-through long sequential runs count"), "{advice:?}");
}

#[test]
fn blocks_of_a_page_are_not_advised_on_a_disk_that_is_too_large_for_them() {
    let mut state = 11;
    let apart = used((0..300_000).map(move |_| (scattered(&mut state) % 20_000 * 256, Use::Read)));
    let advised = |disk_bytes| {
        let advice = advise(&AdviceInput { present: Some(present(64 * MIB)), disk_bytes, ..known(&apart) });
        advice.blocks.expect("there are curves of blocks").advised_bytes
    };
    assert_eq!(advised(16 * TIB), 4 << 10);
    // 2^32 of them reach no further.
    assert!(advised(16 * TIB + 512) > 4 << 10);
}

#[test]
fn a_wanted_hit_ratio_meets_no_other_advice() {
    let curves = hot_and_cold();
    let reads = &curves.reads;
    // Half of the hits need little space; more adds hits.
    let large = AdviceInput { present: Some(present(GIB)), ..known(&curves) };
    let wanted = advise(&AdviceInput { wanted: Some(0.3), ..large });
    let lost = reads.hit_ratio(GIB).zip(reads.hit_ratio(64 * MIB)).map(|(all, some)| all - some);
    assert!(lost.is_some_and(|lost| lost < 0.02) == warns(&wanted, WarningKind::TooLarge), "{wanted:?}");
    let loops = large_loop();
    let more = AdviceInput { present: Some(present(100 * GIB)), ..known(&loops) };
    // A loop has no half: the smallest size for it is that for all of it.
    let all = advise(&AdviceInput { wanted: Some(0.5), ..more });
    assert!(warns(&all, WarningKind::TooLarge), "{all:?}");

    let mut state = 5;
    let thin = used((0..200_000_u64).map(move |at| {
        let page = if at % 10 == 9 { scattered(&mut state) % at } else { at };
        (page, Use::Read)
    }));
    let asked_for = advise(&AdviceInput { wanted: Some(0.06), ..known(&thin) });
    assert_eq!(asked_for.verdict, Verdict::CanHelp, "{asked_for:?}");
    assert!(!asked_for.keys.contains_key("mode"), "{asked_for:?}");
    assert_eq!(advise(&AdviceInput { wanted: Some(0.5), ..known(&thin) }).verdict, Verdict::CannotHelp);

    let served = [SimulatedHits {
        block_bytes: 64 << 10,
        reads: 1_000,
        ram_hits: 0,
        flash_hits: 650,
        partial_hits: 0,
        bypassed: 0,
        flash_write_bytes: 0,
        index_bytes: 0,
    }];
    let trace =
        AdviceInput { source: Source::Trace, present: None, pool: None, simulated: &served, ..known(&loops) };
    let said = text(&advise(&AdviceInput { wanted: Some(0.7), ..trace }), "wanted");
    assert!(
        said.contains("by the curve. What serves disks, simulated with") && said.contains("has 65.0%"),
        "{said}"
    );
    let said = text(&advise(&AdviceInput { wanted: Some(0.6), ..trace }), "wanted");
    assert!(!said.contains("by the curve"), "{said}");

    // The wanted ratio fits; the margin does not.
    let need = loops.reads.size_for(0.7).expect("a loop has it");
    let tight = FlashPool { usable_bytes: need, ..pool() };
    let said =
        text(&advise(&AdviceInput { wanted: Some(0.7), pool: Some(tight), ..known(&loops) }), "wanted");
    assert!(!said.contains("more than the pool has"), "{said}");
    let short = FlashPool { usable_bytes: need / 2, ..pool() };
    let said =
        text(&advise(&AdviceInput { wanted: Some(0.7), pool: Some(short), ..known(&loops) }), "wanted");
    assert!(said.contains("more than the pool has"), "{said}");
}

#[test]
fn write_back_and_pass_through_are_not_advised_side_by_side() {
    let mut state = 9;
    let curves = used((0..60_000_u64).map(move |at| {
        let usage = if at % 100 == 0 { Use::Read } else { Use::Write };
        (scattered(&mut state) % 1_000, usage)
    }));
    let asked = RequestCounts { reads: 600, writes: 59_400, ..reads_only(600) };
    let advice = advise(&AdviceInput { asked, ..known(&curves) });
    assert_eq!(advice.verdict, Verdict::CannotHelp);
    assert!(text(&advice, "write-back").contains("mode=write-back"), "{advice:?}");
    assert!(advice.command.is_none() && advice.mode.is_some_and(|mode| mode.advised.is_none()));
}

#[test]
fn what_is_being_filled_is_not_yet_hardly_read() {
    let curves = used((0..50_000_u64).map(|at| (at, if at % 100 == 0 { Use::Read } else { Use::Write })));
    let of = |source, seconds| {
        let asked = RequestCounts { reads: 500, writes: 49_500, seconds: Some(seconds), ..reads_only(500) };
        advise(&AdviceInput { source, asked, ..known(&curves) })
    };
    assert_eq!(of(Source::Disk, 300).verdict, Verdict::TooLittleSeen);
    let day = of(Source::Disk, 86_400);
    assert!(
        text(&day, "verdict").contains("1.0% of its 50000 requests of the last 24 h are reads"),
        "{day:?}"
    );
    assert_eq!(of(Source::Trace, 300).verdict, Verdict::CannotHelp);
}
