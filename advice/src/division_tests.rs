//! The division of the RAM budget: bounds, fixed points, and where RAM goes.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const MIB: u64 = 1 << 20;

/// A curve of a test: time saved in nanoseconds by units of RAM, even between the points.
#[derive(Clone, Debug)]
struct TestCurve(Vec<(u64, f64)>);

impl TestCurve {
    /// Saves `ns` with a working set of this size, evenly up to there.
    fn ramp(bytes: u64, ns: f64) -> Self {
        Self(vec![(bytes, ns)])
    }

    /// Saves nothing with less than a working set.
    fn cliff(bytes: u64, ns: f64) -> Self {
        Self(vec![(bytes - UNIT, 0.0), (bytes, ns)])
    }

    fn times(&self, factor: f64) -> Self {
        Self(self.0.iter().map(|(bytes, ns)| (*bytes, ns * factor)).collect())
    }

    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn saved_ns(&self, bytes: u64) -> f64 {
        let mut before = (0, 0.0);
        for (upto, ns) in &self.0 {
            if bytes <= *upto {
                let part = (bytes - before.0) as f64 / (upto - before.0) as f64;
                return before.1 + part * (ns - before.1);
            }
            before = (*upto, *ns);
        }
        before.1
    }
}

/// A disk of a test.
#[derive(Clone, Debug)]
struct TestDisk {
    now_bytes: u64,
    bytes_min: u64,
    bytes_max: u64,
    reads: f64,
    curve: Option<TestCurve>,
}

impl TestDisk {
    fn new(now_mib: u64, reads: f64, curve: TestCurve) -> Self {
        Self { now_bytes: now_mib * MIB, bytes_min: MIB, bytes_max: u64::MAX, reads, curve: Some(curve) }
    }
}

fn divide_once(budget: u64, disks: &[TestDisk]) -> Vec<DiskShare> {
    let demand = |disk: &TestDisk| {
        let curve = disk.curve.clone();
        Demand {
            now_bytes: disk.now_bytes,
            bytes_min: disk.bytes_min,
            bytes_max: disk.bytes_max,
            reads: disk.reads,
            saved_ns: curve.map(|curve| move |bytes| curve.saved_ns(bytes)),
        }
    };
    divide(budget, &disks.iter().map(demand).collect::<Vec<_>>())
}

/// Divides until nothing changes any more, and returns the shares in bytes, with the number of rounds.
fn divide_to_the_end(budget: u64, disks: &mut [TestDisk]) -> (Vec<u64>, usize) {
    for round in 0..200 {
        let shares = divide_once(budget, disks);
        let bytes: Vec<u64> = shares.iter().map(|share| share.bytes).collect();
        if disks.iter().zip(&bytes).all(|(disk, bytes)| disk.now_bytes == *bytes) {
            return (bytes, round);
        }
        disks.iter_mut().zip(&bytes).for_each(|(disk, bytes)| disk.now_bytes = *bytes);
    }
    panic!("the division does not settle: {disks:?}");
}

#[test]
fn ram_goes_to_the_disk_that_reads_at_a_sixteenth_of_the_budget_a_round() {
    let mut disks = [
        TestDisk::new(8, 1000.0, TestCurve::ramp(14 * MIB, 1e5)),
        TestDisk::new(8, 0.0, TestCurve::ramp(MIB, 1e5)),
    ];
    let first = divide_once(16 * MIB, &disks);
    assert_eq!((first[0].bytes, first[1].bytes), (9 * MIB, 7 * MIB));
    assert_eq!((first[0].reason, first[1].reason), (ShareReason::Grows, ShareReason::Idle));
    let (last, rounds) = divide_to_the_end(16 * MIB, &mut disks);
    assert!(last[0] >= 14 * MIB && last.iter().sum::<u64>() == 16 * MIB, "{last:?}");
    assert!(rounds >= 6, "{rounds}");
    assert_eq!(divide_once(16 * MIB, &disks)[0].reason, ShareReason::Settled);
}

#[test]
fn an_idle_disk_falls_to_its_least_share_if_all_can_be_used_elsewhere_and_else_keeps_the_rest() {
    for (working_set, idle) in [(64, 2), (10, 6)] {
        let mut disks = [
            TestDisk::new(8, 10.0, TestCurve::ramp(working_set * MIB, 1e5)),
            TestDisk { bytes_min: 2 * MIB, ..TestDisk::new(8, 0.0, TestCurve::ramp(64 * MIB, 1e6)) },
        ];
        let (last, _) = divide_to_the_end(16 * MIB, &mut disks);
        assert_eq!(last[1].div_ceil(MIB), idle, "{last:?}");
    }
}

#[test]
fn small_gains_move_nothing_between_disks_that_read() {
    let equal = |reads| TestDisk::new(8, reads, TestCurve(vec![(4 * MIB, 9e4), (64 * MIB, 1e5)]));
    assert_eq!(divide_to_the_end(16 * MIB, &mut [equal(100.0), equal(120.0)]), (vec![8 * MIB, 8 * MIB], 0));
}

#[test]
fn a_working_set_that_only_fits_as_a_whole_gets_its_place() {
    let mut disks = [
        TestDisk::new(8, 100.0, TestCurve::cliff(12 * MIB, 1e6)),
        TestDisk::new(8, 100.0, TestCurve::ramp(64 * MIB, 1e5)),
    ];
    let (last, _) = divide_to_the_end(16 * MIB, &mut disks);
    assert_eq!(last[0] / MIB, 12);
    // One that does not fit at all gets nothing for it.
    let mut disks = [
        TestDisk::new(8, 100.0, TestCurve::cliff(17 * MIB, 1e6)),
        TestDisk::new(8, 100.0, TestCurve::ramp(64 * MIB, 1e5)),
    ];
    let (last, _) = divide_to_the_end(16 * MIB, &mut disks);
    assert!(last[1] > 14 * MIB, "{last:?}");
}

#[test]
fn a_disk_of_which_little_is_known_keeps_its_part_while_it_reads() {
    let mut disks = [
        TestDisk::new(8, 1000.0, TestCurve::ramp(64 * MIB, 1e5)),
        TestDisk { curve: None, ..TestDisk::new(8, 1.0, TestCurve::ramp(MIB, 1.0)) },
    ];
    let shares = divide_once(16 * MIB, &disks);
    assert_eq!((shares[1].bytes, shares[1].reason), (8 * MIB, ShareReason::Unknown));
    disks[1].reads = 0.0;
    assert_eq!(divide_to_the_end(16 * MIB, &mut disks).0[1], MIB);
}

#[test]
fn another_budget_scales_the_shares_at_once() {
    let idle = |now| TestDisk::new(now, 0.0, TestCurve::ramp(MIB, 1.0));
    let bytes = |budget: u64| {
        let shares = divide_once(budget * MIB, &[idle(12), idle(4)]);
        shares.iter().map(|share| share.bytes / MIB).collect::<Vec<_>>()
    };
    assert_eq!((bytes(8), bytes(32), bytes(1)), (vec![6, 2], vec![24, 8], vec![1, 1]));
}

#[test]
fn equal_parts_keep_to_the_bounds() {
    let parts = |budget: u64, bounds: &[(u64, u64)]| {
        let bounds: Vec<_> = bounds.iter().map(|(min, max)| (min * MIB, max * MIB)).collect();
        equal_parts(budget * MIB, &bounds).into_iter().map(|bytes| bytes / MIB).collect::<Vec<_>>()
    };
    assert_eq!(parts(16, &[(1, 999), (1, 999)]), [8, 8]);
    assert_eq!(parts(16, &[(1, 2), (1, 999), (1, 999)]), [2, 7, 7]);
    assert_eq!(parts(16, &[(10, 999), (1, 4), (1, 999)]), [10, 3, 3]);
    assert_eq!(parts(16, &[(1, 2), (1, 3)]), [2, 3], "nobody may have the rest");
    assert_eq!(parts(4, &[(3, 9), (3, 9)]), [3, 3], "the least that they have to have");
    assert_eq!(parts(4, &[]), Vec::<u64>::new());
}

#[test]
fn earlier_shares_are_scaled_to_the_budget_and_a_disk_without_one_is_an_average_disk() {
    let parts = |budget: u64, before: &[Option<u64>]| {
        let before: Vec<_> = before.iter().map(|mib| mib.map(|mib| mib * MIB)).collect();
        let parts = parts_like(budget * MIB, &before, &vec![(MIB, 20 * MIB); before.len()]);
        parts.into_iter().map(|bytes| bytes / MIB).collect::<Vec<_>>()
    };
    assert_eq!(parts(16, &[Some(12), Some(4)]), [12, 4], "the same budget: the same shares");
    assert_eq!(parts(8, &[Some(12), Some(4)]), [6, 2]);
    assert_eq!(parts(24, &[Some(12), Some(4), None]), [12, 4, 8]);
    assert_eq!(parts(32, &[Some(30), Some(2)]), [20, 12], "within the bounds");
    assert_eq!(parts(16, &[None, None]), [8, 8]);
    assert_eq!(parts(16, &[]), Vec::<u64>::new());
}

#[test]
fn every_reason_has_words_of_its_own() {
    use ShareReason::{
        AtMax, AtMin, AtSize, Fixed, Grows, Idle, Initial, Restored, Settled, Shrinks, Unknown,
    };
    let all = [Fixed, Initial, Restored, Unknown, Idle, Grows, Shrinks, AtMin, AtMax, AtSize, Settled];
    for divided in [Divided::Ram, Divided::Flash] {
        let texts: std::collections::BTreeSet<&str> =
            all.into_iter().map(|reason| reason.text(divided)).collect();
        assert_eq!(texts.len(), all.len(), "{texts:?}");
    }
}

#[test]
fn bounds_are_named_as_the_reason() {
    let mut bounded = TestDisk::new(8, 1000.0, TestCurve::ramp(64 * MIB, 1e6));
    bounded.bytes_max = 8 * MIB;
    let mut poor = TestDisk::new(8, 1.0, TestCurve::ramp(64 * MIB, 1e3));
    poor.bytes_min = 8 * MIB;
    let shares = divide_once(16 * MIB, &[bounded, poor]);
    assert_eq!((shares[0].reason, shares[1].reason), (ShareReason::AtMax, ShareReason::AtMin));
}

fn curves() -> impl Strategy<Value = TestCurve> {
    vec((1..400_u64, 0.0..1e5_f64), 1..6).prop_map(|points| {
        let (mut bytes, mut ns) = (0, 0.0);
        let rising = points.into_iter().map(|(units, more)| {
            bytes += units * UNIT;
            ns += more;
            (bytes, ns)
        });
        TestCurve(rising.collect())
    })
}

/// Curves of which each byte more saves less.
fn concave_curves() -> impl Strategy<Value = TestCurve> {
    (curves(), 1e3..1e5_f64).prop_map(|(curve, ns)| {
        let total = curve.0.last().map_or(1, |(bytes, _)| *bytes);
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let root = |bytes: u64| ns * (bytes as f64 / total as f64).sqrt();
        TestCurve(curve.0.iter().map(|(bytes, _)| (*bytes, root(*bytes))).collect())
    })
}

fn disks() -> impl Strategy<Value = Vec<TestDisk>> {
    let reads = prop_oneof![Just(0.0), 0.1..1e5_f64];
    let known = prop_oneof![3 => curves().prop_map(Some), 1 => Just(None)];
    let disk = (0..600_u64, 1..40_u64, prop_oneof![Just(None), (0..400_u64).prop_map(Some)], reads, known);
    let disk = disk.prop_map(|(now, min, more, reads, curve)| TestDisk {
        now_bytes: now * UNIT,
        bytes_min: min * UNIT,
        bytes_max: more.map_or(u64::MAX, |more| (min + more) * UNIT),
        reads,
        curve,
    });
    vec(disk, 1..7)
}

#[test]
fn what_rounding_leaves_of_disks_that_do_not_read_goes_to_none_of_them() {
    let idle = |now, min| TestDisk {
        now_bytes: now * UNIT,
        bytes_min: min * UNIT,
        ..TestDisk::new(1, 0.0, TestCurve::ramp(MIB, 0.0))
    };
    let reads = TestDisk {
        now_bytes: 109 * UNIT,
        bytes_min: 25 * UNIT,
        bytes_max: 114 * UNIT,
        ..TestDisk::new(1, 0.1, TestCurve::ramp(114 * UNIT, 1e4))
    };
    let mut disks = [idle(132, 14), idle(69, 7), idle(194, 19), idle(351, 1), reads];
    let budget = (66 + 510) * UNIT;
    for _ in 0..4 {
        let shares = divide_once(budget, &disks);
        let fits = disks.iter().map(|disk| disk.now_bytes).sum::<u64>() == budget;
        for (disk, share) in disks.iter().zip(&shares).filter(|(disk, _)| fits && disk.reads <= 0.0) {
            assert!(share.bytes <= disk.now_bytes, "{} to {}", disk.now_bytes, share.bytes);
        }
        disks.iter_mut().zip(&shares).for_each(|(disk, share)| disk.now_bytes = share.bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn shares_are_within_budget_and_bounds(disks in disks(), more in 0..1000_u64) {
        let least: u64 = disks.iter().map(|disk| disk.bytes_min).sum();
        let most = disks.iter().fold(0_u64, |sum, disk| sum.saturating_add(disk.bytes_max));
        let budget = least + more * UNIT;
        let shares = divide_once(budget, &disks);
        prop_assert_eq!(shares.iter().map(|share| share.bytes).sum::<u64>(), budget.min(most));
        for (disk, share) in disks.iter().zip(&shares) {
            prop_assert!(share.bytes >= disk.bytes_min && share.bytes <= disk.bytes_max);
        }
    }

    #[test]
    fn shares_that_were_saved_are_restored_within_budget_and_bounds(
        disks in disks(), more in 0..1000_u64, is_known in vec(any::<bool>(), 7)
    ) {
        let least: u64 = disks.iter().map(|disk| disk.bytes_min).sum();
        let most = disks.iter().fold(0_u64, |sum, disk| sum.saturating_add(disk.bytes_max));
        let budget = least + more * UNIT;
        let bounds: Vec<_> = disks.iter().map(|disk| (disk.bytes_min, disk.bytes_max)).collect();
        let before: Vec<_> =
            disks.iter().zip(is_known).map(|(disk, is_known)| is_known.then_some(disk.now_bytes)).collect();
        let parts = parts_like(budget, &before, &bounds);
        prop_assert_eq!(parts.iter().sum::<u64>(), budget.min(most));
        for (disk, bytes) in disks.iter().zip(&parts) {
            prop_assert!((disk.bytes_min..=disk.bytes_max).contains(bytes));
        }
        // What fits is restored as it was.
        let fitted: Vec<_> = parts.iter().copied().map(Some).collect();
        prop_assert_eq!(parts_like(parts.iter().sum(), &fitted, &bounds), parts);
    }

    #[test]
    fn at_most_a_sixteenth_moves_and_constant_figures_lead_to_shares_that_stay(
        mut disks in disks(), more in 0..1000_u64
    ) {
        let budget = disks.iter().map(|disk| disk.bytes_min).sum::<u64>() + more * UNIT;
        // From the second round on, the shares fit into the budget.
        let fitted = divide_once(budget, &disks);
        disks.iter_mut().zip(&fitted).for_each(|(disk, share)| disk.now_bytes = share.bytes);
        let next = divide_once(budget, &disks);
        let moved: u64 =
            disks.iter().zip(&next).map(|(disk, share)| share.bytes.saturating_sub(disk.now_bytes)).sum();
        prop_assert!(moved <= (budget / 16).max(UNIT), "{} of {}", moved, budget);
        let (last, _) = divide_to_the_end(budget, &mut disks);
        prop_assert!(divide_once(budget, &disks).iter().zip(last).all(|(share, bytes)| share.bytes == bytes));
    }

    #[test]
    fn a_steeper_curve_gets_at_least_as_much(
        curve in concave_curves(), other in concave_curves(), factor in 1.0..20.0_f64, more in 64..1000_u64
    ) {
        let budget = more * UNIT + 2 * MIB;
        let share = |curve: &TestCurve| {
            let half = |curve: &TestCurve| TestDisk {
                now_bytes: budget / 2,
                ..TestDisk::new(1, 100.0, curve.clone())
            };
            let demand = |disk: TestDisk| {
                let curve = disk.curve.clone();
                let saved_ns = curve.map(|curve| move |bytes| curve.saved_ns(bytes));
                Demand { now_bytes: disk.now_bytes, bytes_min: MIB, bytes_max: u64::MAX, reads: 100.0, saved_ns }
            };
            let demands = [demand(half(curve)), demand(half(&other))];
            let bounds = [Part::new(1, MIB, u64::MAX), Part::new(1, MIB, u64::MAX)];
            let present = fill(budget / UNIT, &bounds);
            best(budget / UNIT, &demands, &bounds, &present)[0]
        };
        prop_assert!(share(&curve.times(factor)) >= share(&curve));
    }

    #[test]
    fn a_disk_that_does_not_read_never_gains_from_one_that_does(disks in disks(), more in 0..1000_u64) {
        let budget = disks.iter().map(|disk| disk.bytes_min).sum::<u64>() + more * UNIT;
        let fitted = divide_once(budget, &disks);
        let mut disks = disks;
        disks.iter_mut().zip(&fitted).for_each(|(disk, share)| disk.now_bytes = share.bytes);
        for (disk, share) in disks.iter().zip(divide_once(budget, &disks)) {
            if disk.reads <= 0.0 {
                prop_assert!(share.bytes <= disk.now_bytes && share.bytes >= disk.bytes_min);
            }
        }
    }
}
