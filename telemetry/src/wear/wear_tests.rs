//! Use of drives' answers: which of them count, which are kept or doubted, and what stays open without them.

use super::*;

fn worn(below: Option<Below>) -> Worn {
    worn_after(below, &[])
}

/// Returns the wear of a device whose drives have answered once, or not.
fn worn_after(below: Option<Below>, answered: &[u32]) -> Worn {
    let mut book = Book::default();
    book.see(&BTreeMap::from([(0, 90)]), Moment(7));
    for number in answered {
        book.note_answer(*number);
    }
    let all = below.into_iter().map(|below| (0, below)).collect();
    Worn::of(&book, 0, Moment(7), 1000, Some(100), &all).expect("it was seen")
}

fn drive(name: &str, figures: Result<Figures, String>) -> Asked {
    Asked { drive: Drive { name: name.to_owned(), size_bytes: Some(500) }, figures, old: None }
}

fn wrote(bytes: u64) -> Figures {
    Figures { written_bytes: Some(bytes), ..Figures::default() }
}

fn silent() -> Result<Figures, String> {
    Err("it did not answer".to_owned())
}

#[test]
fn what_drives_say_and_what_was_counted_are_one_warning_with_what_to_do() {
    let used = Figures { percentage_used: Some(85), ..Figures::default() };
    let worn = worn(Some(Ok(vec![drive("sda", Ok(used)), drive("sdb", Err("denied".to_owned()))])));
    let warning = worn.warning("/dev/md0").expect("there is something");
    for part in [
        "/dev/md0 wears out",
        "sda reports that 85 % of its life is used",
        "90 % of its rated",
        "replace /dev/md0 NEW",
    ] {
        assert!(warning.contains(part), "{part}: {warning}");
    }
    assert_eq!((worn.drives().len(), worn.why_no_drives()), (2, None));
}

#[test]
fn what_was_told_stays_open_as_long_as_it_is_not_known_to_be_over() {
    let open = |below, answered: &[u32]| {
        let worn = worn_after(below, answered);
        ["days-left", "rating", "sda life"].map(|worry| worn.leaves_open(worry))
    };
    assert_eq!(open(None, &[]), [true; 3], "nobody has looked since the start");
    let answered = drive("sda", Ok(Figures::default()));
    assert_eq!(
        open(Some(Ok(vec![answered.clone()])), &[0]),
        [true, false, false],
        "too young for its days to be known"
    );
    let other = drive("sdb", silent());
    let lost = || Err("it is on loop0".to_owned());
    for below in [Ok(vec![answered.clone(), other]), lost()] {
        assert_eq!(open(Some(below.clone()), &[]), [true, false, true], "as if there were no drives");
        assert_eq!(open(Some(below), &[0]), [true; 3], "they said more before");
    }
    let old = Asked { old: Some((Moment(6), "it did not answer".to_owned())), ..answered };
    assert_eq!(open(Some(Ok(vec![old])), &[0]), [true; 3]);
}

#[test]
fn one_answer_that_fails_costs_no_figures_and_they_are_said_to_be_old() {
    let first: Below = Ok(vec![drive("sda", Ok(wrote(5))), drive("sdb", silent())]);
    assert_eq!(or_before(first.clone(), None, Moment(1)), first);
    let second =
        or_before(Ok(vec![drive("sda", silent()), drive("sdb", Ok(wrote(7)))]), Some(&first), Moment(2));
    let old = |since, reason: &str| Some((Moment(since), reason.to_owned()));
    let kept = |asked: &Below| -> Vec<_> {
        let drives = asked.as_ref().expect("there are drives").iter();
        drives.map(|asked| (asked.figures.clone(), asked.old.clone())).collect()
    };
    assert_eq!(kept(&second), [(Ok(wrote(5)), old(2, "it did not answer")), (Ok(wrote(7)), None)]);
    let third = or_before(Err("its file system hangs".to_owned()), Some(&second), Moment(3));
    let hangs = "its file system hangs";
    assert_eq!(
        kept(&third),
        [(Ok(wrote(5)), old(2, hangs)), (Ok(wrote(7)), old(3, hangs))],
        "since when it does"
    );
    let fourth =
        or_before(Ok(vec![drive("sda", Ok(wrote(6))), drive("sdc", silent())]), Some(&third), Moment(4));
    assert_eq!(kept(&fourth), [(Ok(wrote(6)), None), (silent(), None)]);
    let never: Below = Ok(vec![drive("sda", silent())]);
    assert_eq!(or_before(Err(hangs.to_owned()), Some(&never), Moment(5)), Err(hangs.to_owned()));
}

#[test]
fn a_drive_that_says_it_got_less_than_forebay_wrote_alone_is_not_believed() {
    let said = |mut asked: Vec<Asked>, counted| {
        doubt(&mut asked, counted);
        let figures = asked[0].figures.clone().expect("it said something");
        (figures.written_bytes, figures.doubted_written_bytes)
    };
    let one = |bytes| vec![drive("sda", Ok(wrote(bytes)))];
    assert_eq!(said(one(512_000), 100 << 30), (None, Some(512_000)), "GiB taken for sectors");
    assert_eq!(said(one(99 << 30), 100 << 30), (Some(99 << 30), None), "it may count in GiB");
    assert_eq!(said(one(u64::MAX), 100 << 30), (Some(u64::MAX), None));
    let stripe = vec![drive("sda", Ok(wrote(50 << 30))), drive("sdb", Ok(wrote(50 << 30)))];
    assert_eq!(said(stripe, 100 << 30), (Some(50 << 30), None), "each has a part of it");
    let mut none = [drive("sda", silent())];
    doubt(&mut none, 100 << 30);
    assert_eq!(none, [drive("sda", silent())]);
}

#[test]
fn devices_that_name_the_same_drive_are_on_it_together() {
    let mut book = Book::default();
    book.see(&BTreeMap::from([(0, 100), (1, 20), (2, 3)]), Moment(7));
    let on = |names: &[&str]| -> Below { Ok(names.iter().map(|name| drive(name, silent())).collect()) };
    let all = BTreeMap::from([
        (0, on(&["sda"])),
        (1, on(&["sdb", "sda"])),
        (2, on(&["sdc"])),
        (3, Err("it is on loop0".to_owned())),
    ]);
    assert_eq!(beside(&all, 0, &BTreeSet::from(["sda"])), [1]);
    let written = |number| {
        let worn = Worn::of(&book, number, Moment(7), 1000, None, &all).expect("it was seen");
        (worn.counted.0, worn.estimate.written.0)
    };
    assert_eq!([0, 1, 2].map(written), [(100, 120), (20, 120), (3, 3)]);
}
