//! Tests of the write budget: whole days of load, second by second, against what may be written in them.
//!
//! No clock is read: the test sets the time.

use super::*;

const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;
/// A drive of 86.4 GB, written over once a day: a megabyte each second.
const A_SECOND: u64 = 1_000_000;
const A_DAY: u64 = A_SECOND * DAY;
const AN_HOUR: u64 = A_SECOND * HOUR;
/// The longest time between an update and the writes that follow it.
const STEP: u64 = 100 * A_SECOND;

/// A device under load, metered every second.
struct Load {
    budget: Budget,
    second: u64,
    /// Bytes written by the end of each second.
    written: Vec<u64>,
    promoted: u64,
}

impl Load {
    fn new() -> Self {
        Self { budget: Budget::new(A_DAY, 0, 0), second: 0, written: vec![0], promoted: 0 }
    }

    /// For so long guests write so much each second, and so much wants to be promoted.
    #[expect(clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "a share of some megabytes")]
    fn run(&mut self, seconds: u64, guests: impl Fn(u64) -> u64, wanted: u64) {
        for _ in 0..seconds {
            self.budget.see(self.second * SECOND, self.now());
            let promoted = (wanted as f64 * f64::from(self.budget.share())) as u64;
            self.promoted += promoted;
            self.written.push(self.now() + guests(self.second) + promoted);
            self.second += 1;
        }
    }

    fn now(&self) -> u64 {
        self.written[self.written.len() - 1]
    }

    /// Returns the most that was written within so many seconds.
    fn most_within(&self, seconds: u64) -> u64 {
        let pairs = self.written.iter().zip(self.written.iter().skip(seconds as usize));
        pairs.map(|(before, after)| after - before).max().unwrap_or(self.now())
    }
}

#[test]
fn no_day_gets_more_than_its_budget_and_a_bucket_whatever_wants_to_be_promoted() {
    for wanted in [A_SECOND / 2, 2 * A_SECOND, 20 * A_SECOND, STEP] {
        for guests in [0, A_SECOND / 3, A_SECOND * 9 / 10] {
            let mut load = Load::new();
            // Guests that write at daytime only, as others all day long.
            load.run(3 * DAY, |second| if second % DAY < DAY / 2 { guests } else { guests / 2 }, wanted);
            let most = load.most_within(DAY);
            assert!(most <= A_DAY + AN_HOUR + STEP, "{most} with {wanted} and {guests}");
            let asked = [guests, guests / 2].map(|guests| (guests + wanted).min(A_SECOND) * DAY * 3 / 2);
            let asked: u64 = asked.iter().sum();
            assert!(load.now() >= asked / 100 * 98, "{} of {asked} with {wanted} and {guests}", load.now());
        }
    }
}

#[test]
fn what_wants_more_than_its_budget_gets_the_same_share_all_day_long() {
    let mut load = Load::new();
    load.run(DAY, |_| 0, 4 * A_SECOND);
    let (mut shares, mut before) = (Vec::new(), load.promoted);
    for _ in 0..24 {
        load.run(HOUR, |_| 0, 4 * A_SECOND);
        shares.push((load.promoted - before) * 100 / AN_HOUR / 4);
        before = load.promoted;
    }
    assert!(shares.iter().all(|share| (24..=26).contains(share)), "{shares:?}");
    let pressure = load.budget.pressure();
    assert!((0.85..0.9).contains(&pressure), "a quarter is let in: {pressure}");
}

#[test]
fn guests_are_paid_for_first_and_a_burst_of_theirs_keeps_promotions_out_until_it_is_paid() {
    // Eight tenths of what a day may have, within a minute of each day.
    let burst = |second: u64| if (600..660).contains(&(second % DAY)) { A_DAY / 75 } else { 0 };
    let mut load = Load::new();
    load.run(10 * DAY, burst, 10 * A_SECOND);
    assert!(load.now() <= 10 * A_DAY + AN_HOUR + STEP, "{}", load.now());
    assert!(load.now() >= 10 * A_DAY / 100 * 98, "the rest is for promotions: {}", load.now());
    let before = load.promoted;
    load.run(HOUR, burst, 10 * A_SECOND);
    assert!(load.budget.share() <= 0.0 && load.promoted - before <= AN_HOUR, "{:?}", load.budget);
}

#[test]
fn a_debt_of_guests_is_forgotten_after_a_day() {
    let mut load = Load::new();
    load.run(30 * HOUR, |_| 50 * A_SECOND, A_SECOND);
    load.run(DAY, |_| 0, A_SECOND);
    assert!(load.budget.pressure() >= 0.99, "{:?}", load.budget);
    load.run(HOUR, |_| 0, A_SECOND);
    assert!(load.budget.share() > 0.4, "{:?}", load.budget);
}

#[test]
fn what_is_not_spent_is_not_saved_beyond_the_bucket() {
    let mut load = Load::new();
    load.run(9 * DAY, |_| 0, 0);
    assert!(load.budget.pressure() <= 0.0 && load.budget.share() >= 1.0);
    load.run(HOUR, |_| 0, STEP);
    assert!(load.now() <= 2 * AN_HOUR + STEP, "{}", load.now());
    assert!(load.now() > AN_HOUR, "the bucket was full: {}", load.now());
}

#[test]
fn below_the_budget_nothing_is_held_back() {
    let mut load = Load::new();
    load.run(2 * DAY, |_| A_SECOND / 2, A_SECOND * 4 / 10);
    assert_eq!(load.promoted, 2 * DAY * (A_SECOND * 4 / 10));
}

#[test]
fn what_nobody_looked_at_for_long_counts_as_having_come_evenly() {
    let mut budget = Budget::new(A_DAY, 0, 0);
    budget.see(10 * HOUR * SECOND, 9 * AN_HOUR);
    assert!(budget.pressure() <= 0.0, "guests stayed below the budget: {budget:?}");
    budget.see(20 * HOUR * SECOND, 9 * AN_HOUR + 11 * AN_HOUR);
    assert!(budget.pressure() >= 1.0, "and then above it: {budget:?}");
}

#[test]
fn a_clock_that_stands_still_or_falls_behind_pays_for_nothing() {
    let (mut budget, mut written) = (Budget::new(A_DAY, 77, 0), 0);
    while budget.share() > 0.0 {
        written += A_SECOND;
        budget.see(77, written);
        assert!(written <= AN_HOUR, "{budget:?}");
    }
    assert!(written >= AN_HOUR / 2 - A_SECOND);
    let empty = budget;
    budget.see(3, written);
    budget.see(77, written - 1);
    assert_eq!(budget, empty);
    budget.see(77 + HOUR * SECOND, written);
    assert!(budget.share() >= 1.0, "{budget:?}");
}

#[test]
fn a_restart_begins_half_full_and_does_not_pay_for_what_was_before() {
    let budget = Budget::new(A_DAY, 1 << 40, 1 << 50);
    assert!((budget.pressure() - 0.5).abs() < 0.001 && budget.share() > 0.999, "{budget:?}");
    let mut again = budget;
    again.see(1 << 40, (1 << 50) + AN_HOUR / 2);
    assert!(again.share() < 0.001, "half an hour's worth is all that it has: {again:?}");
}

#[test]
fn another_budget_finds_the_bucket_as_full_as_it_is_and_the_same_debt() {
    let mut budget = Budget::new(A_DAY, 0, 0);
    for bytes_a_day in [A_DAY * 1000, 1, u64::MAX, A_DAY / 1000, A_DAY] {
        budget.set_bytes_a_day(bytes_a_day);
        assert!((budget.pressure() - 0.5).abs() < 0.001, "nothing was written: {budget:?}");
    }
    // The rest of the bucket, and two hours' worth beyond.
    budget.see(0, AN_HOUR / 2 + 2 * AN_HOUR);
    budget.set_bytes_a_day(2 * A_DAY);
    let mut doubled = budget;
    doubled.see(HOUR * SECOND, AN_HOUR / 2 + 2 * AN_HOUR);
    assert!(doubled.pressure() > 0.999, "the debt is paid in half the time: {doubled:?}");
    doubled.see((HOUR + HOUR / 2) * SECOND, AN_HOUR / 2 + 2 * AN_HOUR);
    assert!((doubled.pressure() - 0.5).abs() < 0.001, "{doubled:?}");
    budget.set_bytes_a_day(A_DAY / 2);
    budget.see(4 * HOUR * SECOND, AN_HOUR / 2 + 2 * AN_HOUR);
    assert!(budget.pressure() > 0.999, "{budget:?}");
    budget.see((4 * HOUR + HOUR / 2) * SECOND, AN_HOUR / 2 + 2 * AN_HOUR);
    assert!((budget.pressure() - 0.5).abs() < 0.001, "{budget:?}");
}

#[test]
fn budgets_that_make_no_sense_are_taken_as_they_are() {
    for bytes_a_day in [0, 1, 1 << 20, u64::MAX] {
        let mut budget = Budget::new(bytes_a_day, u64::MAX - 5, 9);
        for (now, written) in [(0, 0), (u64::MAX, u64::MAX), (u64::MAX, u64::MAX)] {
            budget.see(now, written);
            assert!((0.0..=1.0).contains(&budget.pressure()) && (0.0..=1.0).contains(&budget.share()));
        }
        budget.set_bytes_a_day(0);
        budget.set_bytes_a_day(u64::MAX);
    }
    // What a small device gets in an hour would not do for a batch.
    let mut small = Budget::new(1 << 20, 0, 0);
    small.see(0, BUCKET_BYTES_MIN / 2 - 4096);
    assert!(small.share() > 0.0, "{small:?}");
}

#[test]
fn chance_lets_in_the_share_of_batches() {
    for [spent, least, most] in [[0, 10_000, 10_000], [4, 7_800, 8_200], [10, 4_800, 5_200], [20, 0, 0]] {
        let mut budget = Budget::new(A_DAY, 0, 0);
        budget.see(0, AN_HOUR / 40 * spent);
        let chances = (0..10_000_u64).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20);
        let let_in = chances.filter(|chance| budget.lets_in(*chance)).count() as u64;
        assert!((least..=most).contains(&let_in), "{let_in} with {budget:?}");
    }
}

#[test]
fn what_is_written_without_a_budget_is_free_and_what_was_owed_before_is_paid_by_time() {
    let mut budget = Budget::new(A_DAY, 0, 0);
    // The rest of the bucket, and two hours' worth beyond.
    let owed = AN_HOUR / 2 + 2 * AN_HOUR;
    budget.see(0, owed);
    budget.resume(HOUR * SECOND, owed + 100 * A_DAY);
    assert!(budget.pressure() > 0.999, "an hour is still owed: {budget:?}");
    budget.see((2 * HOUR + HOUR / 2) * SECOND, owed + 100 * A_DAY);
    assert!((budget.pressure() - 0.5).abs() < 0.001, "{budget:?}");
}
