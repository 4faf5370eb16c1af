//! Windows that are written and read again: what goes on, what begins anew, and what is not believed.

use std::fs;

use super::super::{Recent, Window, Windowed};
use super::*;
use crate::testing::TempDir;

const DISK: u32 = 3;
const SINCE: Moment = Moment(7);
/// When it is written, by the calendar.
const SAVED: Moment = Moment(1_795_000_000);

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A disk that was read so often, each time for as many microseconds as there were reads before.
fn read(times: u64) -> Counted {
    let mut counted = Counted::default();
    counted.counts.reads = times;
    let latencies = cache::Latencies::default();
    (0..times).for_each(|micros| latencies.record(Latency::ReadMiss, (1 + micros) * 1_000));
    counted.latencies = latencies.snapshot();
    counted
}

/// Windows of a disk with a read in each second, up to this one.
fn fed(seconds: u64) -> Windows {
    let mut windows = Windows::new(at(0), &read(0));
    (5..=seconds).step_by(5).for_each(|now| windows.sample(at(now), &read(now)));
    windows
}

fn keep(dir: &Path, seconds: u64) {
    let mut keeping = Keeping::new(at(seconds), SAVED, 1);
    keeping.add(DISK, SINCE, &read(seconds), &fed(seconds));
    save(dir, keeping).expect("the folder is ours");
}

/// How far the windows reach back, and the reads in each.
fn reads(windows: &Windows, now: u64, total: &Counted) -> [(u64, u64); 3] {
    [Recent::FiveMinutes, Recent::Hour, Recent::Day].map(|recent| {
        let Windowed { window, seconds, counted } = windows.last(recent, at(now), total);
        assert_eq!(window, Window::Last(recent));
        (seconds, counted.counts.reads)
    })
}

fn resumed(dir: &Path, later: u64, total: &Counted) -> Windows {
    let (kept, problem) = load(dir, Moment(SAVED.0 + later));
    assert_eq!(problem, None);
    kept.resume(DISK, SINCE, total).expect("it fits")
}

#[test]
fn windows_go_on_after_a_restart_with_everything_that_was_in_them() {
    let dir = TempDir::new();
    keep(dir.path(), 1_203);
    let total = read(1_203);
    let mut windows = resumed(dir.path(), 20, &total);
    assert_eq!(reads(&windows, 0, &total), [(323, 303), (1_223, 1_203), (1_223, 1_203)]);
    let median = |windows: &Windows, now| {
        let five = windows.last(Recent::FiveMinutes, at(now), &total).counted;
        five.latencies[Latency::ReadMiss as usize].summary().p50.to_bits()
    };
    assert_eq!(median(&windows, 0), median(&fed(1_203), 1_203), "percentiles too");
    // What comes is added, what is older than its window goes.
    for now in (5..=300).step_by(5) {
        windows.sample(at(now), &read(1_203 + now));
    }
    let [five, hour, day] = reads(&windows, 300, &read(1_503));
    assert_eq!(five, (323, 303), "the step that was open ended with the first look");
    assert_eq!((hour, day), ((1_523, 1_503), (1_523, 1_503)));
    windows.sample(at(305), &read(1_508));
    assert_eq!(reads(&windows, 305, &read(1_508))[0], (300, 300), "and went five minutes later");
}

#[test]
fn a_window_that_is_over_by_now_begins_anew_and_longer_ones_go_on() {
    let dir = TempDir::new();
    keep(dir.path(), 1_200);
    let total = read(1_200);
    for (later, expected) in [
        (299, [(599, 300), (1_499, 1_200), (1_499, 1_200)]),
        (300, [(0, 0), (1_500, 1_200), (1_500, 1_200)]),
        (3_600, [(0, 0), (0, 0), (4_800, 1_200)]),
        (86_400, [(0, 0); 3]),
    ] {
        assert_eq!(reads(&resumed(dir.path(), later, &total), 0, &total), expected, "{later} s later");
    }
    let (kept, _) = load(dir.path(), Moment(SAVED.0 - 1_000_000));
    let windows = kept.resume(DISK, SINCE, &total).expect("it fits");
    assert_eq!(reads(&windows, 0, &total)[0], (300, 300), "a clock that was set back");
}

#[test]
fn what_was_counted_after_it_was_written_is_in_windows_too() {
    let dir = TempDir::new();
    keep(dir.path(), 1_200);
    let total = read(1_230);
    assert_eq!(reads(&resumed(dir.path(), 40, &total), 0, &total)[0], (340, 330));
}

#[test]
fn what_is_of_another_disk_or_of_later_totals_is_not_taken() {
    let dir = TempDir::new();
    keep(dir.path(), 100);
    let (kept, _) = load(dir.path(), SAVED);
    assert!(kept.resume(DISK, SINCE, &read(100)).is_some());
    assert!(kept.resume(DISK, SINCE, &read(99)).is_none(), "they would go below zero");
    assert!(kept.resume(DISK, Moment(8), &read(100)).is_none(), "totals began anew since");
    assert!(kept.resume(DISK + 1, SINCE, &read(100)).is_none());
}

#[test]
fn names_say_what_counts_are_of() {
    let total = read(9);
    let packed = pack(&total);
    let counts: Vec<&str> = DiskCounts::default().named().map(|(name, _)| name).collect();
    let latencies = Latency::ALL.map(|(_, name)| name);
    let renamed: Vec<&str> = counts.iter().map(|name| if *name == "reads" { "gone" } else { name }).collect();
    let again = unpack_named(&packed, &renamed, &latencies).expect("it was packed");
    assert_eq!((again.counts.reads, again.latencies[Latency::ReadMiss as usize].count()), (0, 9));
    assert!(unpack_named(&packed, &counts[1..], &latencies).is_none(), "one more than there are names");
}

#[test]
fn a_file_that_is_damaged_or_of_a_later_version_is_set_aside_and_said() {
    let dir = TempDir::new();
    keep(dir.path(), 100);
    let path = dir.path().join(FILE_NAME);
    let whole = fs::read(&path).expect("it was written");
    let changed = |place: usize| {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        bytes
    };
    for (bytes, reason) in [
        (changed(0), "no file of this kind"),
        (changed(9), "version 257"),
        (changed(whole.len() / 2), "checksum"),
        (whole[..whole.len() - 1].to_vec(), "checksum"),
        (whole[..HEAD_BYTES].to_vec(), "checksum"),
        (Vec::new(), "too short"),
    ] {
        fs::write(&path, &bytes).expect("the folder is ours");
        let (kept, problem) = load(dir.path(), SAVED);
        let said = problem.expect("it cannot be believed");
        assert!(kept.disks.is_empty() && said.contains(reason), "{said}");
        let (_, aside) = said.split_once("It is kept as ").expect("nothing is lost");
        assert_eq!(fs::read(aside).expect("it was renamed"), bytes);
    }
    assert!(matches!(load(dir.path(), SAVED), (_, None)), "none is nothing to complain of");
}
