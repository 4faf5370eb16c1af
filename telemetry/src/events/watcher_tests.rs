//! Pairs of snapshots, and the events between them.

use super::*;

fn look(at: u64, disk: DiskSnapshot) -> WatchSnapshot {
    WatchSnapshot {
        at: Duration::from_secs(at),
        disks: BTreeMap::from([("a".to_owned(), disk)]),
        ..WatchSnapshot::default()
    }
}

fn kinds(watcher: &mut Watcher, look: &WatchSnapshot) -> Vec<Kind> {
    watcher.look(look).iter().map(|news| news.kind).collect()
}

#[test]
fn what_changes_between_two_looks_is_told_once() {
    let trouble = || Some("Input/output error".to_owned());
    let table: [(DiskSnapshot, Kind); 9] = [
        (DiskSnapshot { trouble: trouble(), ..DiskSnapshot::default() }, Kind::BackingFailing),
        (DiskSnapshot { stopped: trouble(), ..DiskSnapshot::default() }, Kind::DiskStopped),
        (DiskSnapshot { fenced: trouble(), ..DiskSnapshot::default() }, Kind::DiskFenced),
        (DiskSnapshot { fenced: trouble(), stopped: trouble(), ..DiskSnapshot::default() }, Kind::DiskFenced),
        (DiskSnapshot { checksum_errors: 3, ..DiskSnapshot::default() }, Kind::ChecksumErrors),
        (DiskSnapshot { flash_errors: 3, ..DiskSnapshot::default() }, Kind::FlashErrors),
        (DiskSnapshot { backing_errors: 3, ..DiskSnapshot::default() }, Kind::BackingErrors),
        (DiskSnapshot { broken_queues: 1, ..DiskSnapshot::default() }, Kind::QueueBroken),
        (DiskSnapshot { lost_bytes: 4096, ..DiskSnapshot::default() }, Kind::DataLost),
    ];
    for (disk, kind) in table {
        let mut watcher = Watcher::default();
        assert_eq!(kinds(&mut watcher, &look(0, DiskSnapshot::default())), [], "{kind}");
        let news = watcher.look(&look(1, disk.clone()));
        assert_eq!(news.iter().map(|news| news.kind).collect::<Vec<_>>(), [kind]);
        assert_eq!(news[0].disk.as_deref(), Some("a"));
        assert!(news[0].message.contains("'a'"), "{}", news[0].message);
        assert_eq!(kinds(&mut watcher, &look(2, disk.clone())), [], "{kind}: nothing new");
        assert_eq!(kinds(&mut Watcher::default(), &look(0, disk)), [kind], "so it is at a first look");
    }
}

#[test]
fn a_backing_that_works_again_is_told_of() {
    let mut watcher = Watcher::default();
    let failing = DiskSnapshot { trouble: Some("it does not answer".to_owned()), ..DiskSnapshot::default() };
    assert_eq!(kinds(&mut watcher, &look(0, failing.clone())), [Kind::BackingFailing]);
    let attached_anew = DiskSnapshot { attachment: 1, ..failing };
    assert_eq!(kinds(&mut watcher, &look(1, attached_anew)), [], "it still fails");
    assert_eq!(kinds(&mut watcher, &look(2, DiskSnapshot::default())), [Kind::BackingBack]);
}

#[test]
fn errors_are_told_once_an_hour_with_their_number() {
    let mut watcher = Watcher::default();
    let errors = |count| DiskSnapshot { checksum_errors: count, ..DiskSnapshot::default() };
    let hour = REPEAT_INTERVAL.as_secs();
    for (at, count, told) in [
        (0, 2, Some("2 pages")),
        (1, 5, None),
        (hour - 1, 6, None),
        (hour, 6, Some("4 pages")),
        (2 * hour, 6, None),
        (2 * hour + 1, 7, Some("1 pages")),
    ] {
        let news = watcher.look(&look(at, errors(count)));
        let message = news.first().map(|news| news.message.as_str());
        assert_eq!(message.is_some(), told.is_some(), "{at}: {message:?}");
        assert!(message.unwrap_or_default().starts_with(told.unwrap_or_default()), "{at}: {message:?}");
    }
}

#[test]
fn counters_that_begin_anew_are_counted_from_zero() {
    let mut watcher = Watcher::default();
    let lost = |attachment, lost_bytes| DiskSnapshot { attachment, lost_bytes, ..DiskSnapshot::default() };
    assert_eq!(kinds(&mut watcher, &look(0, lost(1, 8192))), [Kind::DataLost]);
    assert_eq!(kinds(&mut watcher, &look(1, lost(2, 4096))), [Kind::DataLost], "it is another attachment");
    assert_eq!(kinds(&mut watcher, &look(2, lost(2, 0))), [], "written anew");
}

#[test]
fn destage_is_behind_when_writers_were_held_back_for_long() {
    let mut watcher = Watcher::default();
    let held = |ns| DiskSnapshot {
        throttled_ns: ns,
        dirty_bytes: 1 << 20,
        dirty_limit_bytes: 1 << 20,
        ..DiskSnapshot::default()
    };
    let mut at = |at, ns| kinds(&mut watcher, &look(at, held(ns)));
    assert_eq!(at(0, 1), []);
    assert_eq!(at(5, 2), []);
    assert_eq!(at(9, 2), [], "a breath is no end");
    assert_eq!(at(29, 3), []);
    assert_eq!(at(30, 4), [Kind::DestageBehind]);
    assert_eq!(at(60, 5), [], "once");
    assert_eq!(at(69, 5), []);
    assert_eq!(at(70, 5), [Kind::DestageCaughtUp]);
    assert_eq!(at(71, 6), []);
    assert_eq!(at(81, 6), [], "what did not last is not told of");
    assert_eq!(at(90, 7), []);
    assert_eq!(at(119, 8), []);
    assert_eq!(at(120, 9), [Kind::DestageBehind]);
}

#[test]
fn copies_that_are_missing_for_long_are_told_of_and_that_they_are_complete() {
    let mut watcher = Watcher::default();
    let uncopied = |segments_uncopied| DiskSnapshot { segments_uncopied, ..DiskSnapshot::default() };
    let mut at = |at, segments| kinds(&mut watcher, &look(at, uncopied(segments)));
    assert_eq!(at(0, 1), []);
    assert_eq!(at(4, 0), [], "it takes a moment");
    assert_eq!(at(5, 3), []);
    assert_eq!(at(10, 2), [Kind::OneCopyOnly]);
    assert_eq!(at(11, 1), []);
    assert_eq!(at(12, 0), [Kind::SecondCopiesComplete]);
}

#[test]
fn a_redo_ring_that_takes_no_group_for_long_is_told_of_and_that_it_does_again() {
    let mut watcher = Watcher::default();
    let failing = |is_so: bool| DiskSnapshot {
        ring_failure: is_so.then(|| "no room".to_owned()),
        ..DiskSnapshot::default()
    };
    let mut at = |at, is_so| kinds(&mut watcher, &look(at, failing(is_so)));
    assert_eq!(at(0, true), []);
    assert_eq!(at(9, false), [], "it was tried again");
    assert_eq!(at(10, true), []);
    assert_eq!(at(20, true), [Kind::ConsistentStuck]);
    assert_eq!(at(30, true), []);
    assert_eq!(at(31, false), [Kind::ConsistentAgain]);
}

#[test]
fn a_condition_of_a_backing_that_lasts_is_reported_with_its_advice_and_that_it_is_over() {
    let mut watcher = Watcher::default();
    let with = |names: &[&'static str]| {
        let warnings = names.iter().map(|name| (*name, format!("repair the {name}")));
        DiskSnapshot { backing_warnings: warnings.collect(), ..DiskSnapshot::default() }
    };
    let mut at = |at, names: &[&'static str]| {
        let news = watcher.look(&look(at, with(names)));
        news.into_iter().map(|news| (news.kind, news.message)).collect::<Vec<_>>()
    };
    assert_eq!(at(0, &["store"]), []);
    assert_eq!(at(9, &["store", "upkeep"]), []);
    let [(Kind::BackingWarning, message)] = &at(10, &["store", "upkeep"])[..] else { panic!("one is due") };
    assert!(message.contains("'a'") && message.contains("repair the store"), "{message}");
    assert_eq!(at(19, &["upkeep"]).len(), 1, "the other one");
    let over = at(20, &["upkeep"]);
    assert!(
        matches!(&over[..], [(Kind::BackingWarningOver, message)] if message.contains("store")),
        "{over:?}"
    );
    assert_eq!(at(28, &[]), [], "it is tried again");
    assert_eq!(at(29, &["upkeep"]), []);
    assert_eq!(at(39, &[]).len(), 1);
}

#[test]
fn a_pool_that_failed_names_the_disks_that_need_it() {
    let mut watcher = Watcher::default();
    let mut seen = look(0, DiskSnapshot { dirty_bytes: 4096, ..DiskSnapshot::default() });
    seen.disks.insert("clean".to_owned(), DiskSnapshot::default());
    assert_eq!(kinds(&mut watcher, &seen), []);
    seen.pool_failed = Some(true);
    let news = watcher.look(&seen);
    assert_eq!(news.iter().map(|news| news.kind).collect::<Vec<_>>(), [Kind::PoolFailed, Kind::DirtyAtRisk]);
    assert!(news[1].message.contains("4KiB of disk 'a'"), "{}", news[1].message);
    assert_eq!(watcher.look(&seen), []);
    let silent = WatchSnapshot { pool_failed: None, ..seen.clone() };
    assert_eq!(watcher.look(&silent), [], "nobody said how it is");
    assert_eq!(watcher.look(&seen), [], "it was told of");
}

#[test]
fn a_pool_whose_storage_is_full_is_told_of_and_that_it_has_room_again() {
    let mut watcher = Watcher::default();
    let seen = look(0, DiskSnapshot::default());
    let full = WatchSnapshot { pool_lacks_space: Some(true), ..seen.clone() };
    assert_eq!(kinds(&mut watcher, &seen), []);
    assert_eq!(kinds(&mut watcher, &full), [Kind::PoolNoSpace]);
    assert_eq!(kinds(&mut watcher, &full), []);
    assert_eq!(kinds(&mut watcher, &seen), [], "nobody said how it is");
    let room = WatchSnapshot { pool_lacks_space: Some(false), ..seen };
    assert_eq!(kinds(&mut watcher, &room), [Kind::PoolHasSpace]);
}

#[test]
fn a_backing_that_becomes_slow_is_told_of_with_figures() {
    let mut watcher = Watcher::default();
    let mut news = Vec::new();
    for second in 0..1_800 {
        // Ten requests a second of 10 ms each, and of 200 ms in the second half.
        let ns = if second < 900 { second * 100_000_000 } else { second * 2_000_000_000 - 1_710_000_000_000 };
        let waits = Waits { requests: second * 10, ns, bytes: second * 40_960 };
        news.extend(watcher.look(&look(second, DiskSnapshot { waits, ..DiskSnapshot::default() })));
    }
    assert_eq!(news.iter().map(|news| news.kind).collect::<Vec<_>>(), [Kind::BackingSlow]);
    let message = &news[0].message;
    assert!(message.contains("took 200 ms") && message.contains("10.0 ms was usual"), "{message}");
}

#[test]
fn a_shard_that_hangs_is_told_of_once_and_its_disks_are_not_forgotten() {
    let mut watcher = Watcher::default();
    let failing = DiskSnapshot { lost_bytes: 4096, ..DiskSnapshot::default() };
    assert_eq!(kinds(&mut watcher, &look(0, failing.clone())), [Kind::DataLost]);
    let silent = |at| WatchSnapshot {
        at: Duration::from_secs(at),
        silent: BTreeMap::from([("a".to_owned(), "Cannot ask shard 0".to_owned())]),
        ..WatchSnapshot::default()
    };
    assert_eq!(kinds(&mut watcher, &silent(1)), [Kind::ShardUnresponsive]);
    assert_eq!(kinds(&mut watcher, &silent(2)), []);
    assert_eq!(kinds(&mut watcher, &look(3, failing)), [Kind::ShardAnswers], "what is lost was told of");
    assert_eq!(kinds(&mut watcher, &WatchSnapshot::default()), [], "it was removed");
}

#[test]
fn a_backing_without_room_is_said_to_have_none_and_not_to_fail() {
    let mut watcher = Watcher::default();
    assert_eq!(kinds(&mut watcher, &look(0, DiskSnapshot::default())), []);
    let full = || Some("No space left on device (os error 28)".to_owned());
    let disk = DiskSnapshot { full: full(), backing_errors: 9, ..DiskSnapshot::default() };
    let news = watcher.look(&look(1, disk.clone()));
    assert_eq!(news.iter().map(|news| news.kind).collect::<Vec<_>>(), [Kind::BackingFull]);
    assert!(news[0].message.contains("No space left on device"), "{}", news[0].message);
    assert!(news[0].kind.advice(None).is_some_and(|advice| !advice.contains("SMART")));
    let more = DiskSnapshot { backing_errors: 90, ..disk };
    assert_eq!(kinds(&mut watcher, &look(2, more)), [], "once for one cause");
    let room = DiskSnapshot { backing_errors: 90, ..DiskSnapshot::default() };
    assert_eq!(kinds(&mut watcher, &look(3, room)), [Kind::BackingHasRoom]);
}
