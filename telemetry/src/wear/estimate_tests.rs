//! Wear of a device by its figures alone: what is left, unknown or worrying, also at the limits of the numbers.

use super::*;

const TB: u64 = 1_000_000_000_000;
const GB: u64 = TB / 1000;

fn a_day(bytes: u64) -> Lately {
    Lately { bytes, seconds: DAY }
}

fn rated(rated: u64, counted_bytes: u64, lately: Option<Lately>) -> Estimate {
    Estimate::of(&Known {
        counted_bytes,
        lately,
        rated_bytes: Some(rated),
        drive_bytes: TB,
        ..Known::default()
    })
}

fn said(figures: &Figures, known: &Known<'_>) -> Estimate {
    Estimate::of(&Known { figures: &[("nvme0n1", figures)], ..*known })
}

#[test]
fn days_left_are_what_is_left_of_the_rating_at_the_present_rate() {
    let estimate = rated(600 * TB, 100 * TB, Some(a_day(500 * GB)));
    assert_eq!(estimate.bytes_per_day, Some(500 * GB));
    assert_eq!(estimate.drive_writes_per_day, Some(0.5));
    assert_eq!(estimate.written, (100 * TB, Source::Counted));
    assert_eq!(estimate.days_left, Some((1000, Source::Rating)));
    let (used, source) = estimate.used_percent.expect("it is rated");
    assert!((used - 100.0 / 6.0).abs() < 1e-9 && source == Source::Rating, "{used}");
    assert!(estimate.worries.is_empty() && !estimate.is_between);
}

#[test]
fn less_than_an_hour_is_no_rate_and_less_than_a_day_no_reason_to_worry() {
    for (seconds, days) in [(0, None), (3599, None), (3600, Some(8)), (DAY - 1, Some(199)), (DAY, Some(200))]
    {
        let estimate = rated(200 * TB, 0, Some(Lately { bytes: TB, seconds }));
        assert_eq!(estimate.days_left.map(|(days, _)| days), days, "after {seconds} s");
        assert!(estimate.worries.is_empty(), "after {seconds} s: {:?}", estimate.worries);
    }
    assert_eq!(rated(TB, 0, None).days_left, None);
}

#[test]
fn days_that_become_few_are_a_worry_and_come_back_over_a_gap() {
    for (days, worries, between) in [(179, 1, false), (180, 0, true), (199, 0, true), (200, 0, false)] {
        let estimate = rated(days * TB, 0, Some(a_day(TB)));
        assert_eq!(estimate.days_left, Some((days, Source::Rating)));
        assert_eq!((estimate.worries.len(), estimate.is_between), (worries, between), "{days}");
    }
    assert!(rated(179 * TB, 0, Some(a_day(TB))).worries[0].text.contains("179 days"));
}

#[test]
fn without_a_rating_or_a_rate_nothing_is_known_and_nothing_written_lasts_for_ever() {
    let estimate = Estimate::of(&Known { counted_bytes: TB, lately: Some(a_day(TB)), ..Known::default() });
    assert_eq!((estimate.days_left, estimate.used_percent), (None, None));
    assert_eq!(estimate.drive_writes_per_day, None, "the size is not known");
    let idle = rated(TB, 0, Some(a_day(0)));
    assert_eq!((idle.bytes_per_day, idle.days_left), (Some(0), None));
    assert!(idle.worries.is_empty());
}

#[test]
fn more_written_than_rated_leaves_no_days() {
    let estimate = rated(TB, 3 * TB, Some(a_day(TB)));
    assert_eq!(estimate.days_left, Some((0, Source::Rating)));
    assert_eq!(estimate.used_percent, Some((300.0, Source::Rating)));
    assert_eq!(estimate.worries.len(), 2, "{:?}", estimate.worries);
    // At the limits of the numbers, too.
    let most = rated(u64::MAX, u64::MAX, Some(Lately { bytes: u64::MAX, seconds: 3600 }));
    assert_eq!(most.days_left, Some((0, Source::Rating)));
}

#[test]
fn what_the_drive_says_was_written_goes_before_what_was_counted() {
    let figures = Figures { written_bytes: Some(400 * TB), ..Figures::default() };
    let known =
        Known { counted_bytes: TB, lately: Some(a_day(TB)), rated_bytes: Some(600 * TB), ..Known::default() };
    let estimate = said(&figures, &known);
    assert_eq!(estimate.written, (400 * TB, Source::Drive));
    assert_eq!(estimate.days_left, Some((200, Source::Rating)));
}

#[test]
fn without_a_rating_the_drive_itself_says_how_long_it_lasts() {
    let known = Known { counted_bytes: TB, lately: Some(a_day(TB)), ..Known::default() };
    let figures = Figures { percentage_used: Some(20), written_bytes: Some(100 * TB), ..Figures::default() };
    let estimate = said(&figures, &known);
    assert_eq!(estimate.days_left, Some((400, Source::Drive)));
    assert_eq!(estimate.used_percent, Some((20.0, Source::Drive)));
    let days = |figures: &Figures| said(figures, &known).days_left;
    assert_eq!(days(&Figures { percentage_used: Some(0), ..figures.clone() }), None, "unused says nothing");
    assert_eq!(days(&Figures { percentage_used: Some(4), ..figures.clone() }), None, "nor hardly used");
    assert_eq!(days(&Figures { percentage_used: Some(5), ..figures.clone() }), Some((1900, Source::Drive)));
    assert_eq!(days(&Figures { written_bytes: None, ..figures.clone() }), None, "nor what is not known");
    assert_eq!(days(&Figures { percentage_used: Some(120), ..figures }), Some((0, Source::Drive)));
}

#[test]
fn the_days_are_those_of_the_rating_or_of_the_drive_whichever_are_fewer() {
    let known = |rated| Known {
        counted_bytes: TB,
        lately: Some(a_day(TB)),
        rated_bytes: Some(rated),
        ..Known::default()
    };
    let says =
        |used, written| Figures { percentage_used: Some(used), written_bytes: written, ..Figures::default() };
    let days = |figures: &Figures, rated| said(figures, &known(rated)).days_left;
    assert_eq!(days(&says(95, Some(190 * TB)), 5190 * TB), Some((10, Source::Drive)));
    assert_eq!(days(&says(95, Some(190 * TB)), 195 * TB), Some((5, Source::Rating)));
    assert_eq!(days(&says(95, None), 5001 * TB), Some((250, Source::Drive)), "a part of the rating");
    assert_eq!(
        days(&says(1, Some(TB)), 601 * TB),
        Some((600, Source::Rating)),
        "one hundredth is too coarse"
    );
    let worn = said(&says(98, Some(98 * TB)), &known(5000 * TB));
    assert!(worn.worries.iter().any(|worry| worry.text.contains("2 days")), "{:?}", worn.worries);
}

#[test]
fn devices_on_the_same_drive_wear_it_together() {
    let known = Known {
        counted_bytes: 100 * TB,
        lately: Some(a_day(TB)),
        rated_bytes: Some(600 * TB),
        drive_bytes: TB,
        ..Known::default()
    };
    let with = |beside: &[(u64, Option<Lately>)]| Estimate::of(&Known { beside, ..known });
    assert_eq!(with(&[]).days_left, Some((500, Source::Rating)));
    let two = with(&[(200 * TB, Some(a_day(2 * TB)))]);
    assert_eq!((two.written, two.days_left), ((300 * TB, Source::Counted), Some((100, Source::Rating))));
    assert_eq!(
        (two.bytes_per_day, two.drive_writes_per_day),
        (Some(TB), Some(3.0)),
        "its own, and the drive's"
    );
    assert_eq!((two.worries.len(), two.is_between), (1, false));
    let young = with(&[(0, Some(Lately { bytes: 9 * TB, seconds: HOUR })), (0, None)]);
    assert!(young.is_between && young.worries.is_empty(), "one of them is filling");
}

#[test]
fn of_several_drives_the_worst_one_counts() {
    let figures = |used, written| Figures {
        percentage_used: Some(used),
        written_bytes: Some(written),
        ..Figures::default()
    };
    let (one, other) = (figures(10, 10 * TB), figures(50, 20 * TB));
    let all = [("sda", &one), ("sdb", &other)];
    let estimate = Estimate::of(&Known { lately: Some(a_day(TB)), figures: &all, ..Known::default() });
    assert_eq!(estimate.written, (20 * TB, Source::Drive));
    assert_eq!(estimate.used_percent, Some((50.0, Source::Drive)));
    assert_eq!(estimate.days_left, Some((20, Source::Drive)));
}

#[test]
fn the_worse_of_rating_and_drive_is_what_is_used_and_80_percent_are_a_worry() {
    let figures = Figures { percentage_used: Some(79), ..Figures::default() };
    let known = |rated| Known { counted_bytes: 80 * TB, rated_bytes: Some(rated), ..Known::default() };
    let estimate = said(&figures, &known(1000 * TB));
    assert_eq!((estimate.used_percent, estimate.worries.len()), (Some((79.0, Source::Drive)), 0));
    let estimate = said(&figures, &known(100 * TB));
    assert_eq!(estimate.used_percent, Some((80.0, Source::Rating)));
    assert!(estimate.worries[0].text.contains("80 % of its rated endurance"), "{:?}", estimate.worries);
    let worn = said(&Figures { percentage_used: Some(80), ..Figures::default() }, &Known::default());
    assert!(worn.worries[0].text.contains("of its life is used"), "{:?}", worn.worries);
}
