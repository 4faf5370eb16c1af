//! Tests of `history`.

use super::*;

/// A beginning of a step, and of an hour.
const NOON: u64 = 1_800_000_000;
const HOUR: u64 = 3_600;
const WEEK: u64 = 7 * 24 * HOUR;
const DISK: u32 = 7;

fn age(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A disk that has read so often.
fn read(times: u64) -> Sums {
    Sums { reads: times, read_bytes: times * 4_096, read_ns: times * 2_000, ..Sums::default() }
}

fn served(dirty_bytes: u64) -> Look {
    Look::Served(Standing { dirty_bytes, dirty_limit_bytes: 100, cached_bytes: 50 })
}

fn histories() -> Histories {
    let mut histories = Histories::default();
    histories.begin(DISK, age(0), &read(0));
    histories
}

fn last(histories: &Histories, span: Span, now: u64) -> Vec<Step> {
    histories.last(DISK, span, Moment(now)).expect("it was begun")
}

/// Begin of each step, seconds that it covers, reads.
fn told(histories: &Histories, span: Span, now: u64) -> Vec<(u64, u64, u64)> {
    let step = |step: &Step| (step.number * span.step_seconds(), step.covered_ms / 1_000, step.sums.reads);
    last(histories, span, now).iter().map(step).collect()
}

/// Ten reads a second, looked at every five seconds, from `from` to `to` since the start, which was at `began`.
fn run(histories: &mut Histories, began: u64, from: u64, to: u64) {
    for second in (from + 5..=to).step_by(5) {
        histories.sample(DISK, Moment(began + second), age(second), &read(second * 10), served(second));
    }
}

#[test]
fn steps_stand_at_the_calendar_and_have_what_came_in_them() {
    let mut histories = histories();
    // From a hundred seconds after noon on.
    run(&mut histories, NOON + 100, 0, 500);
    let now = NOON + 600;
    let all = [(NOON, 195, 1_950), (NOON + 300, 300, 3_000), (NOON + 600, 5, 50)];
    assert_eq!(told(&histories, Span::Day, now), all);
    assert_eq!(told(&histories, Span::Week, now), all);
    let steps = last(&histories, Span::Day, now);
    assert_eq!((steps[1].standing.dirty_bytes, steps[1].dirty_bytes_max), (495, 495));
    assert_eq!((steps[1].standing.cached_bytes, steps[1].sums.read_latency_us()), (50, Some(2.0)));
    assert_eq!((steps[1].sums.write_latency_us(), steps[1].sums.hit_ratio()), (None, Some(0.0)));
    let live = told(&histories, Span::FiveMinutes, now);
    assert_eq!((live.len(), live[0], live[59]), (60, (NOON + 305, 5, 50), (NOON + 600, 5, 50)));
}

#[test]
fn asking_between_looks_neither_loses_nor_doubles_anything() {
    let mut histories = histories();
    for second in 1..=301 {
        histories.sample(DISK, Moment(NOON + second), age(second), &read(second * second), served(3));
        // Somebody who asked with what was known before.
        histories.sample(DISK, Moment(NOON + second), age(second - 1), &read(second * second), served(3));
    }
    let steps = told(&histories, Span::Day, NOON + 301);
    assert_eq!(steps, [(NOON, 299, 299 * 299), (NOON + 300, 2, 301 * 301 - 299 * 299)]);
    let live = told(&histories, Span::FiveMinutes, NOON + 301);
    assert_eq!(
        live.iter().map(|(.., reads)| reads).sum::<u64>(),
        301 * 301 - 4 * 4,
        "the first is a ring ago"
    );
}

#[test]
fn a_week_is_kept_and_no_more() {
    let mut histories = histories();
    let mut total = Sums::default();
    for second in (300..=10 * 24 * HOUR).step_by(300) {
        total.reads += second;
        histories.sample(DISK, Moment(NOON + second - 1), age(second), &total, served(0));
    }
    let now = NOON + 10 * 24 * HOUR - 1;
    let week = told(&histories, Span::Week, now);
    assert_eq!(week.len() as u64, STEPS_MAX);
    assert_eq!(week[0], (NOON + 3 * 24 * HOUR, 300, 3 * 24 * HOUR + 300));
    assert!(week.iter().is_sorted());
    let day = told(&histories, Span::Day, now);
    assert_eq!((day.len(), day[0].0), (288, NOON + 9 * 24 * HOUR));
    assert_eq!(told(&histories, Span::Week, now + WEEK), [], "all of it is older by then");
}

#[test]
fn memory_is_bounded_as_documentation_says() {
    let Entry { week, live, .. } = Entry::new(Vec::new(), age(0), &read(0));
    let bytes = size_of_val(&*week.steps) + size_of_val(&*live.steps);
    assert!((BYTES_MAX / 2..BYTES_MAX).contains(&bytes), "{bytes}");
}

#[test]
fn time_without_the_disk_is_not_covered() {
    let mut histories = histories();
    run(&mut histories, NOON, 0, 300);
    // It goes, with what it had counted by then; an hour later it is there again.
    histories.sample(DISK, Moment(NOON + 303), age(303), &read(3_005), Look::Away);
    for second in [HOUR, HOUR + 5] {
        histories.sample(DISK, Moment(NOON + second), age(second), &read(3_005), Look::Away);
    }
    histories.sample(DISK, Moment(NOON + HOUR + 10), age(HOUR + 10), &read(3_025), served(9));
    let steps = told(&histories, Span::Day, NOON + HOUR + 10);
    assert_eq!(steps, [(NOON, 295, 2_950), (NOON + 300, 5, 55), (NOON + HOUR, 5, 20)]);
    let stood = last(&histories, Span::Day, NOON + HOUR + 10)[1].standing.dirty_bytes;
    assert_eq!(stood, 300, "as it stood when it was seen last");
}

#[test]
fn what_comes_while_nobody_answers_is_told_with_the_time_that_it_took() {
    let mut histories = histories();
    run(&mut histories, NOON, 0, 100);
    for second in (105..1_000).step_by(5) {
        histories.sample(DISK, Moment(NOON + second), age(second), &read(1_000), Look::Silent);
    }
    histories.sample(DISK, Moment(NOON + 1_000), age(1_000), &read(10_000), served(0));
    assert_eq!(told(&histories, Span::Day, NOON + 1_000), [(NOON, 100, 1_000), (NOON + 900, 900, 9_000)]);
}

#[test]
fn a_clock_that_is_set_back_counts_a_time_twice_and_loses_nothing() {
    let mut histories = histories();
    run(&mut histories, NOON, 0, 900);
    // Back to noon.
    run(&mut histories, NOON - 900, 900, 1_200);
    let steps = told(&histories, Span::Day, NOON + 300);
    assert_eq!(
        steps,
        [(NOON, 295 + 295, 2_950 + 2_950), (NOON + 300, 300 + 5, 3_050)],
        "the rest is ahead of now"
    );
    let all: u64 = told(&histories, Span::Day, NOON + 900).iter().map(|(.., reads)| reads).sum();
    assert_eq!(all, 12_000, "and told when its time comes");
}

#[test]
fn steps_of_a_time_that_never_came_give_way() {
    let mut histories = histories();
    let far = NOON + 1_000 * WEEK;
    run(&mut histories, far, 0, 300);
    run(&mut histories, NOON - 300, 300, 600);
    assert_eq!(told(&histories, Span::Week, NOON + 300), [(NOON, 295, 2_950), (NOON + 300, 5, 50)]);
    assert_eq!(told(&histories, Span::FiveMinutes, NOON + 300).len(), 60);
}

#[test]
fn a_restart_goes_on_in_the_step_in_which_the_last_run_ended() {
    let mut histories = histories();
    run(&mut histories, NOON, 0, 450);
    let found = Found { steps: last(&histories, Span::Week, NOON + 450), ..Found::default() };
    let mut later = Histories::default();
    later.resume(DISK, found, age(0), &read(4_500));
    let before = told(&later, Span::Day, NOON + 480);
    assert_eq!(before, told(&histories, Span::Day, NOON + 450), "nothing came meanwhile");
    for second in (5..=100).step_by(5) {
        later.sample(DISK, Moment(NOON + 480 + second), age(second), &read(4_500 + second), served(0));
    }
    assert_eq!(told(&later, Span::Day, NOON + 580), [(NOON, 295, 2_950), (NOON + 300, 255, 1_650)]);
    let step = last(&later, Span::Day, NOON + 580)[1];
    assert_eq!(
        (step.dirty_bytes_max, step.standing.dirty_bytes),
        (450, 0),
        "the most of both runs, and the last"
    );
}

#[test]
fn what_changed_is_written_once_and_everything_after_a_failure() {
    let mut histories = histories();
    let ids = |unsaved: &[Unsaved]| match unsaved {
        [] => "nothing".to_owned(),
        [Unsaved::All(DISK, steps)] => format!("all {}", steps.len()),
        [Unsaved::Some(DISK, steps)] => format!("{}", steps.len()),
        other => panic!("{other:?}"),
    };
    assert_eq!(ids(&histories.take_unsaved()), "all 0", "a disk of its number may have been there before");
    assert_eq!(ids(&histories.take_unsaved()), "nothing");
    run(&mut histories, NOON, 0, 400);
    assert_eq!(ids(&histories.take_unsaved()), "2");
    run(&mut histories, NOON, 400, 500);
    assert_eq!(ids(&histories.take_unsaved()), "1");
    histories.not_saved(DISK);
    run(&mut histories, NOON, 500, 505);
    assert_eq!(ids(&histories.take_unsaved()), "all 2");
    assert_eq!(ids(&histories.take_unsaved()), "nothing");
    histories.begin(DISK, age(0), &read(9));
    assert_eq!(told(&histories, Span::Day, NOON + 505).len(), 2, "it is known and goes on");
    histories.forget(DISK);
    histories.not_saved(DISK);
    assert_eq!((histories.take_unsaved(), histories.last(DISK, Span::Day, Moment(NOON))), (vec![], None));
}

#[test]
fn sums_are_those_of_the_counters() {
    let mut counted = Counted::default();
    let mut number = 0;
    counted.counts = cache::DiskCounts::from_names(|_| 3);
    let latencies = cache::Latencies::default();
    for (kind, _) in Latency::ALL {
        number += 1_000;
        latencies.record(kind, number);
    }
    counted.latencies = latencies.snapshot();
    let sums = Sums::of(&counted);
    assert_eq!(sums, Sums { read_ns: 6_000, write_ns: 4_000, ..Sums::from_array([3; Sums::COUNT]) });
    assert_eq!(Sums::from_array(sums.to_array()), sums);
}

#[test]
fn spans_have_names_and_no_others() {
    for span in Span::value_variants() {
        assert_eq!(Span::parse(span.name()), Ok(*span));
        let value = span.to_possible_value().expect("all are shown");
        assert_eq!(value.get_name(), span.name());
    }
    let problem = Span::parse("1h").expect_err("there is none");
    assert!(problem.message.contains("'1h'") && problem.message.contains("5m, 1d, 7d"), "{problem}");
}

/// What was measured of a disk that was read so often, each time for so many microseconds.
fn measured(reads: u64, micros: u64) -> Measured {
    let latencies = cache::Latencies::default();
    (0..reads).for_each(|_| latencies.record(Latency::ReadMiss, micros * 1_000));
    let mut measured = Measured::default();
    measured.add(&Counted { latencies: latencies.snapshot(), ..Counted::default() });
    measured
}

#[test]
fn steps_have_percentiles_of_what_was_measured_in_them_alone() {
    let mut histories = histories();
    // What was measured before the start belongs to no step.
    histories.measure(DISK, Moment(NOON), measured(100, 9_000));
    let mut look = |second: u64, reads: u64, micros: u64| {
        let mut all = measured(100, 9_000);
        all.join(&measured(reads, micros));
        histories.sample(DISK, Moment(NOON + second), age(second), &read(reads), served(0));
        histories.measure(DISK, Moment(NOON + second), all);
    };
    look(5, 10, 200);
    look(295, 50, 200);
    look(300, 50, 200);
    let median = |span| {
        let steps = last(&histories, span, NOON + 300);
        steps.iter().map(|step| step.percentiles.reads_us()[0]).collect::<Vec<_>>()
    };
    let day = median(Span::Day);
    assert!(day[0].is_some_and(|micros| (micros / 200.0 - 1.0).abs() < 0.02), "{day:?}");
    assert_eq!(day[1..], [None], "nothing was read in it");
    assert_eq!(median(Span::FiveMinutes).len(), 3, "live steps too");
}
