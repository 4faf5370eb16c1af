//! Time series of a disk: steps and windows of the same samples, across set clocks, missing answers, restarts and files.

use std::fs;
use std::path::Path;

use base::testing::TempDir;
use cache::{DiskCounts, Latency, LatencyCounts};

use super::earlier::EarlierWindows;
use super::*;

/// Begin of a step of every length.
const NOON: u64 = 1_800_000_000;
const HOUR: u64 = 3_600;
const DISK: u32 = 7;
const SINCE: Moment = Moment(7);

/// Disk with its clocks.
struct Disk {
    series: Series,
    total: Counted,
    /// Lead of the host's clock over the time since the start.
    began: u64,
}

impl Disk {
    /// Returns a disk whose daemon starts at `began`.
    fn new(began: u64, total: Counted) -> Self {
        let series = Series::new(at(began, 0), &total, Lifetime::new(Moment(began), Counted::default()));
        Self { series, total, began }
    }

    fn time(&self, second: u64) -> SampleTime {
        at(self.began + second, second)
    }

    fn look(&mut self, second: u64, total: Counted, presence: Presence) {
        let time = self.time(second);
        if self.series.is_due(time) {
            self.series.turn(time, &self.total);
        }
        self.total = total;
        self.series.pass(time, presence);
    }

    /// Does ten reads a second, sampled every five seconds, from `from` to `to` since the start.
    fn run(&mut self, from: u64, to: u64) {
        for second in (from + 5..=to).step_by(5) {
            self.look(second, read(second * 10), served(second));
        }
    }

    fn steps(&self, span: Span, now: u64) -> Vec<HistoryStep> {
        self.series.steps(span, Moment(now), &self.total)
    }

    /// Returns the begin of each step, the seconds that it covers, and its reads.
    fn shown(&self, span: Span, now: u64) -> Vec<(u64, u64, u64)> {
        let step = |step: &HistoryStep| {
            (step.number * span.step_seconds(), step.covered_ms / 1_000, step.sums.reads)
        };
        self.steps(span, now).iter().map(step).collect()
    }

    /// Returns how far the windows reach back, and the reads in each.
    fn windows(&self, second: u64) -> [(u64, u64); 3] {
        Recent::ALL.map(|recent| {
            let windowed = self.series.window(recent, self.time(second), &self.total);
            assert_eq!(windowed.window, Window::Last(recent));
            (windowed.seconds, windowed.counted.counts.reads)
        })
    }

    fn save(&mut self, dir: &Path, second: u64) {
        let bytes = self.series.take_unsaved(DISK, SINCE, &self.total, self.time(second));
        let outcomes = file::save(dir, &[(DISK, bytes.expect("there is something to write"))]);
        assert_eq!(outcomes, [(DISK, Ok(()))]);
    }

    /// Starts a daemon at `began` that has found `total`, over what is kept in `dir`.
    fn restarted(dir: &Path, began: u64, total: Counted) -> Self {
        let mut disk = Self::new(began, total);
        let found = load(dir, began);
        assert_eq!(found.complaints, Vec::<String>::new());
        disk.series.resume(found, SINCE, &disk.total, at(began, 0));
        disk
    }
}

fn at(now: u64, second: u64) -> SampleTime {
    SampleTime::new(Moment(now), Duration::from_secs(second))
}

/// Returns the counts of a disk with so many reads of 2 us each.
fn read(times: u64) -> Counted {
    let mut counted = Counted::default();
    counted.counts.reads = times;
    counted.counts.read_hits_ram = times / 2;
    let classes = (times > 0).then_some((100, times));
    counted.latencies[Latency::ReadHitRam as usize] =
        LatencyCounts::from_parts(times * 2_000, 2_000, classes);
    counted
}

fn served(dirty_bytes: u64) -> Presence {
    Presence::Served(Gauges { dirty_bytes, dirty_limit_bytes: 100, cached_bytes: 50 })
}

fn load(dir: &Path, now: u64) -> StoredSeries {
    file::load(dir, DISK, Moment(now), &mut EarlierWindows::default())
}

#[test]
fn steps_stand_at_the_calendar_and_windows_reach_back_from_now_over_the_same_samples() {
    let mut disk = Disk::new(NOON + 100, read(0));
    disk.run(0, 500);
    let now = NOON + 600;
    let all = [(NOON, 195, 1_950), (NOON + 300, 300, 3_000), (NOON + 600, 5, 50)];
    assert_eq!(disk.shown(Span::Day, now), all);
    assert_eq!(disk.shown(Span::Week, now), all);
    let step = disk.steps(Span::Day, now)[1];
    assert_eq!((step.gauges.dirty_bytes, step.dirty_bytes_max, step.gauges.cached_bytes), (495, 495, 50));
    assert_eq!((step.sums.read_latency_us(), step.sums.write_latency_us()), (Some(2.0), None));
    assert_eq!(step.sums.hit_ratio(), Some(0.5));
    let live = disk.shown(Span::FiveMinutes, now);
    assert_eq!((live.len(), live[0], live[59]), (60, (NOON + 305, 5, 50), (NOON + 600, 5, 50)));
    assert_eq!(disk.windows(500), [(300, 3_000), (500, 5_000), (500, 5_000)]);
    assert_eq!(disk.windows(504)[0].0, 304, "up to a step more, and it says so");
}

#[test]
fn samples_between_two_ticks_neither_lose_nor_double_anything() {
    let mut disk = Disk::new(NOON, read(0));
    for second in 1..=301 {
        disk.look(second, read(second * second), served(3));
        // A caller that queried with an older total.
        disk.look(second - 1, read(second * second), served(3));
        disk.look(second, read(second * second), served(3));
    }
    let reads: u64 = disk.shown(Span::Day, NOON + 301).iter().map(|(.., reads)| reads).sum();
    let covered: u64 = disk.steps(Span::Day, NOON + 301).iter().map(|step| step.covered_ms).sum();
    assert_eq!((reads, covered), (301 * 301, 301_000));
    assert_eq!(disk.windows(301)[1], (301, 301 * 301));
}

#[test]
fn each_resolution_forgets_in_its_own_steps_and_keeps_no_more() {
    let mut disk = Disk::new(NOON, read(0));
    let seconds = 10 * 24 * HOUR;
    // The first second counts, and then every fifth until a day before the end.
    for second in
        (300..=seconds - 25 * HOUR).step_by(300).chain((seconds - 25 * HOUR + 5..=seconds).step_by(5))
    {
        disk.look(second, read(second), served(0));
    }
    let now = NOON + seconds;
    let week = disk.shown(Span::Week, now);
    assert_eq!((week.len(), week[0].0), (2_016, NOON + 3 * 24 * HOUR + 300));
    assert!(week.iter().is_sorted());
    let day = disk.shown(Span::Day, now);
    assert_eq!((day.len(), day[0].0), (288, NOON + 9 * 24 * HOUR + 300));
    for ((seconds, reads), (span, step)) in
        disk.windows(seconds).into_iter().zip([(300, 5), (HOUR, 60), (24 * HOUR, 900)])
    {
        assert!((span..=span + step).contains(&seconds), "{seconds} s of {span} s");
        assert_eq!(reads, seconds, "one a second");
    }
    let kept = disk.series.recents.each_ref().map(|recents| recents.ring.steps.len());
    assert!(kept[0] <= 60 && kept[1] <= 61 && kept[2] <= 97, "{kept:?}");
    let week = &disk.series.week.steps;
    let bytes = week.capacity() * size_of::<ring::Step<Summary>>();
    assert!(week.len() <= 2_017 && bytes < WEEK_BYTES_MAX, "{} in {bytes} bytes", week.len());
    assert_eq!(disk.shown(Span::Week, now + 7 * 24 * HOUR), [], "all of it is older by then");
}

#[test]
fn time_without_the_disk_is_not_covered_and_windows_go_on() {
    let mut disk = Disk::new(NOON, read(0));
    disk.run(0, 300);
    disk.look(303, read(3_005), served(300));
    for second in (305..=HOUR + 5).step_by(5) {
        disk.look(second, read(3_005), Presence::Away);
    }
    assert_eq!(disk.windows(HOUR + 5)[0], (300, 0));
    disk.look(HOUR + 10, read(3_025), served(9));
    let steps = disk.shown(Span::Day, NOON + HOUR + 10);
    assert_eq!(steps, [(NOON, 295, 2_950), (NOON + 300, 8, 55), (NOON + HOUR, 5, 20)]);
    let stood = disk.steps(Span::Day, NOON + HOUR + 10)[1].gauges.dirty_bytes;
    assert_eq!(stood, 300, "as it stood at the last sample");
}

#[test]
fn counts_of_a_silent_time_are_shown_with_the_time_that_it_took() {
    let mut disk = Disk::new(NOON, read(0));
    disk.run(0, 100);
    for second in (105..1_000).step_by(5) {
        disk.look(second, read(1_000), Presence::Silent);
    }
    disk.look(1_000, read(10_000), served(0));
    assert_eq!(disk.shown(Span::Day, NOON + 1_000), [(NOON, 100, 1_000), (NOON + 900, 900, 9_000)]);
    assert_eq!(disk.windows(1_000)[0], (300, 9_000), "they are in the window in which it answers");
}

#[test]
fn a_clock_that_is_set_back_counts_a_time_twice_and_windows_see_none_of_it() {
    let mut disk = Disk::new(NOON, read(0));
    disk.run(0, 900);
    disk.began -= 900;
    disk.run(900, 1_200);
    let steps = disk.shown(Span::Day, NOON + 300);
    assert_eq!(steps, [(NOON, 590, 5_900), (NOON + 300, 305, 3_050)], "the rest is ahead of now");
    let all: u64 = disk.shown(Span::Day, NOON + 900).iter().map(|(.., reads)| reads).sum();
    assert_eq!(all, 12_000, "and shown when its time comes");
    assert_eq!(disk.windows(1_200)[..2], [(300, 3_000), (1_200, 12_000)]);
}

#[test]
fn steps_of_a_time_that_never_comes_take_no_place_for_ever() {
    let mut disk = Disk::new(NOON + 1_000_000 * HOUR, read(0));
    disk.run(0, 300);
    disk.began = NOON - 300;
    disk.run(300, 600);
    assert_eq!(disk.shown(Span::Week, NOON + 300), [(NOON, 295, 2_950), (NOON + 300, 5, 50)]);
    for second in (900..9 * 24 * HOUR).step_by(300) {
        disk.look(second, read(6_000), served(0));
    }
    let newest = disk.series.week.summaries(u64::MAX, Moment(u64::MAX), &disk.total);
    assert!(newest.len() <= 2_018 && newest.iter().all(|step| step.number < NOON), "{}", newest.len());
}

#[test]
fn steps_have_percentiles_of_what_was_measured_in_them_alone() {
    let measured = |fast: u64, slow: u64| {
        let latencies = cache::Latencies::default();
        (0..slow).for_each(|_| latencies.record(Latency::ReadMiss, 9_000_000));
        (0..fast).for_each(|_| latencies.record(Latency::ReadMiss, 200_000));
        let mut counted = Counted { latencies: latencies.snapshot(), ..Counted::default() };
        counted.counts.reads = fast + slow;
        counted
    };
    // Measurements before the start belong to no step.
    let mut disk = Disk::new(NOON, measured(0, 100));
    for (second, fast) in [(5, 10), (295, 50), (300, 50)] {
        disk.look(second, measured(fast, 100), served(0));
    }
    for (span, steps) in [(Span::Day, 2), (Span::FiveMinutes, 3)] {
        let medians: Vec<_> =
            disk.steps(span, NOON + 300).iter().map(|step| step.percentiles.reads_us()[0]).collect();
        assert_eq!((medians.len(), medians[steps - 1]), (steps, None), "nothing was read in the last");
        let first = medians[0].expect("something was read in it");
        assert!((first / 200.0 - 1.0).abs() < 0.02, "{span:?}: {first}");
    }
}

#[test]
fn everything_but_the_last_five_minutes_by_the_second_goes_on_after_a_restart() {
    let dir = TempDir::new();
    let mut disk = Disk::new(NOON, read(0));
    disk.run(0, 1_200);
    disk.save(dir.path(), 1_203);
    let mut later = Disk::restarted(dir.path(), NOON + 1_223, read(12_000));
    assert_eq!(later.windows(0), [(323, 3_000), (1_223, 12_000), (1_223, 12_000)]);
    assert_eq!(later.shown(Span::Week, NOON + 1_223), disk.shown(Span::Week, NOON + 1_203));
    assert_eq!(later.shown(Span::FiveMinutes, NOON + 1_223), []);
    for second in (5..=305).step_by(5) {
        later.look(second, read(12_000 + second), served(0));
    }
    assert_eq!(later.windows(305), [(300, 300), (1_528, 12_305), (1_528, 12_305)]);
    let step = later.steps(Span::Day, NOON + 1_528)[4];
    assert_eq!(
        (step.number * 300, step.covered_ms, step.sums.reads),
        (NOON + 1_200, 280_000, 50 + 275),
        "two runs in one step"
    );
    assert_eq!((step.dirty_bytes_max, step.gauges.dirty_bytes), (1_200, 0), "the most of both, and the last");
}

#[test]
fn what_was_counted_after_the_file_was_written_is_in_steps_and_windows_too() {
    let dir = TempDir::new();
    let mut disk = Disk::new(NOON, read(0));
    disk.run(0, 1_000);
    disk.save(dir.path(), 1_000);
    // Totals were written later than the series, before the end.
    let later = Disk::restarted(dir.path(), NOON + 1_100, read(10_300));
    assert_eq!(later.windows(0), [(400, 3_300), (1_100, 10_300), (1_100, 10_300)]);
    let steps = later.steps(Span::Week, NOON + 1_100);
    assert_eq!(steps.iter().map(|step| step.sums.reads).sum::<u64>(), 10_300);
    assert_eq!((steps[3].covered_ms, steps[3].gauges.dirty_bytes), (105_000, 1_000));
}

#[test]
fn a_window_that_is_over_by_now_begins_anew_and_longer_ones_go_on() {
    let dir = TempDir::new();
    let mut disk = Disk::new(NOON, read(0));
    disk.run(0, 1_200);
    disk.save(dir.path(), 1_200);
    for (later, expected) in [
        (299, [(599, 3_000), (1_499, 12_000), (1_499, 12_000)]),
        (300, [(0, 0), (1_500, 12_000), (1_500, 12_000)]),
        (HOUR, [(0, 0), (0, 0), (4_800, 12_000)]),
        (24 * HOUR, [(0, 0); 3]),
    ] {
        let disk = Disk::restarted(dir.path(), NOON + 1_200 + later, read(12_000));
        assert_eq!(disk.windows(0), expected, "{later} s later");
    }
}

#[test]
fn windows_of_other_totals_are_not_taken_and_the_week_is() {
    let dir = TempDir::new();
    let mut disk = Disk::new(NOON, read(0));
    disk.run(0, 100);
    disk.save(dir.path(), 100);
    for (since, total) in [(SINCE, read(999)), (Moment(8), read(1_000))] {
        let mut later = Disk::new(NOON + 100, total);
        later.series.resume(load(dir.path(), NOON + 100), since, &later.total, at(NOON + 100, 0));
        assert_eq!(later.windows(0), [(0, 0); 3]);
        assert_eq!(later.shown(Span::Week, NOON + 100), [(NOON, 100, 1_000)]);
    }
    let found = load(dir.path(), NOON);
    assert_eq!(found.total(SINCE).map(|total| total.counts.reads), Some(1_000));
    assert!(found.total(Moment(8)).is_none());
}

#[test]
fn a_file_is_written_when_the_disk_was_served_since_and_again_after_a_failure() {
    let mut disk = Disk::new(NOON, read(0));
    let bytes = |disk: &mut Disk| {
        let time = disk.time(9);
        disk.series.take_unsaved(DISK, SINCE, &disk.total, time).map(|bytes| bytes.len())
    };
    assert!(bytes(&mut disk).is_some(), "a disk of its number may have been there before");
    assert_eq!(bytes(&mut disk), None);
    disk.look(10, read(0), Presence::Away);
    assert_eq!(bytes(&mut disk), None);
    disk.look(15, read(5), served(0));
    assert!(bytes(&mut disk).is_some());
    disk.series.not_saved();
    assert!(bytes(&mut disk).is_some());
}

#[test]
fn a_damaged_file_is_set_aside_and_what_can_be_read_of_it_is_used() {
    type Change = fn(&mut Vec<u8>);
    let dir = TempDir::new();
    let mut disk = Disk::new(NOON, read(0));
    disk.run(0, 1_000);
    disk.save(dir.path(), 1_000);
    let path = file::path(dir.path(), DISK);
    let whole = fs::read(&path).expect("it was written");
    // Change, part of the complaint, number of steps left of four, whether windows are left.
    let changes: [(Change, &str, usize, bool); 9] = [
        (Vec::clear, "too short", 0, false),
        (|bytes| bytes[0] ^= 1, "no file of this kind", 0, false),
        (|bytes| bytes[9] ^= 1, "version 257", 0, false),
        (|bytes| bytes[12] ^= 1, "of another disk", 0, false),
        (|bytes| bytes[20] ^= 1, "head is damaged", 0, false),
        (|bytes| bytes[32] ^= 1, "Cannot read 1 of the steps", 3, true),
        (|bytes| bytes[40] ^= 1, "Cannot read 1 of the steps", 3, true),
        (|bytes| *bytes.last_mut().expect("it is not empty") ^= 1, "recent counters", 4, false),
        (|bytes| bytes.truncate(bytes.len() - 1), "recent counters", 4, false),
    ];
    for (change, reason, steps, has_windows) in changes {
        let mut bytes = whole.clone();
        change(&mut bytes);
        fs::write(&path, &bytes).expect("the folder is ours");
        let found = load(dir.path(), NOON + 1_000);
        let [complaint] = found.complaints.as_slice() else { panic!("{reason}: {:?}", found.complaints) };
        assert!(complaint.contains(reason), "{complaint}");
        assert_eq!((found.steps.len(), found.details.is_some()), (steps, has_windows), "{reason}");
        assert!(found.is_unwritten && !path.exists(), "{reason}");
        let (_, aside) = complaint.split_once("It is kept as ").expect("nothing is lost");
        assert_eq!(fs::read(aside).expect("it was renamed"), bytes);
    }
    file::remove(dir.path(), DISK).expect("the folder is ours");
    let left = fs::read_dir(path.parent().expect("it has one")).expect("the folder is ours").count();
    assert_eq!(left, 0, "what was set aside goes with the disk");
}

#[test]
fn no_bit_that_flips_changes_a_step_or_a_window() {
    let dir = TempDir::new();
    let mut disk = Disk::new(NOON, read(0));
    disk.run(0, 320);
    disk.save(dir.path(), 320);
    let path = file::path(dir.path(), DISK);
    let whole = fs::read(&path).expect("it was written");
    let steps = load(dir.path(), NOON + 320).steps;
    for bit in (0..whole.len() * 8).step_by(7) {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let Ok(found) = file::parse(&bytes, DISK, Moment(NOON + 320)) else { continue };
        assert!(found.steps.iter().all(|step| steps.contains(step)), "bit {bit}");
        assert!(!found.complaints.is_empty(), "bit {bit}");
    }
}

#[test]
fn a_disk_of_which_nothing_is_kept_is_nothing_to_complain_of() {
    let dir = TempDir::new();
    let found = load(dir.path(), NOON);
    assert!(found.is_unwritten && found.complaints.is_empty() && found.steps.is_empty());
    assert_eq!(file::kept(dir.path()), Vec::<u32>::new());
    file::remove(dir.path(), DISK).expect("there is nothing to remove");
}

#[test]
fn steps_of_later_than_now_are_kept_and_said() {
    let dir = TempDir::new();
    let mut disk = Disk::new(NOON, read(0));
    disk.run(0, 1_000);
    disk.save(dir.path(), 1_000);
    let found = load(dir.path(), NOON + 400);
    assert_eq!((found.steps.len(), found.complaints.len(), found.is_unwritten), (4, 1, false));
    assert!(found.complaints[0].starts_with("2 of the steps") && found.complaints[0].contains("clock"));
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_with_its_path_and_stops_no_other() {
    let dir = TempDir::new();
    fs::write(dir.path().join(file::FOLDER), "a file").expect("the folder is ours");
    let files = [(1, vec![1]), (2, vec![2])];
    for (id, outcome) in file::save(dir.path(), &files) {
        let problem = outcome.expect_err("there is no folder to be had");
        assert!(problem.message.contains(&format!("series/disk-{id}.series")), "{problem}");
    }
    fs::remove_file(dir.path().join(file::FOLDER)).expect("the folder is ours");
    fs::create_dir_all(dir.path().join("series/disk-1.series.new")).expect("the folder is ours");
    let outcomes: Vec<_> =
        file::save(dir.path(), &files).into_iter().map(|(id, saved)| (id, saved.is_ok())).collect();
    assert_eq!(outcomes, [(1, false), (2, true)]);
    assert_eq!(file::kept(dir.path()), [2]);
}

/// Writes the files of the previous version for a disk that read ten times a second for 320 seconds.
fn earlier(dir: &Path) {
    let mut disk = Disk::new(NOON, read(0));
    disk.run(0, 320);
    let content = disk.series.take_unsaved(DISK, SINCE, &disk.total, disk.time(320)).expect("it is new");
    let steps_bytes = u32::from_le_bytes(*content[24..].first_chunk().expect("a head is longer"));
    let details = &content[32 + steps_bytes as usize..content.len() - 4];
    let mut behind_names = details;
    file::pull_names(&mut behind_names)
        .and_then(|_| file::pull_names(&mut behind_names))
        .expect("it has both");
    let names = &details[..details.len() - behind_names.len()];
    let with_checksum = |bytes: &[u8]| [bytes, &crc32c::crc32c(bytes).to_le_bytes()].concat();
    let version = 1_u32.to_le_bytes();
    let saved = (NOON + 320).to_le_bytes();
    let windows =
        with_checksum(&[b"FOREBAYW", version.as_slice(), &saved, names, &[1, 7], behind_names].concat());
    fs::write(dir.join("windows.bin"), windows).expect("the folder is ours");

    let numbers = [1, DISK, 300, 2_016].map(u32::to_le_bytes);
    let mut week = with_checksum(&[b"FOREBAYH".as_slice(), numbers.as_flattened()].concat());
    week.resize(512 + 2_016 * 256, 0);
    for step in disk.steps(Span::Week, NOON + 320) {
        let mut place: Vec<u8> = step.to_words().into_iter().flat_map(u64::to_le_bytes).collect();
        place.resize(252, 0);
        let offset = 512 + (step.number % 2_016) as usize * 256;
        week[offset..offset + 256].copy_from_slice(&with_checksum(&place));
    }
    fs::create_dir_all(dir.join("history")).expect("the folder is ours");
    fs::write(dir.join("history/disk-7.steps"), week).expect("the folder is ours");
}

fn take_over(dir: &Path, now: u64) -> StoredSeries {
    let (mut earlier, unread) = EarlierWindows::load(dir, Moment(now));
    assert_eq!(unread, None);
    file::load(dir, DISK, Moment(now), &mut earlier)
}

#[test]
fn files_of_an_earlier_version_are_taken_over_once_and_again_after_an_interruption() {
    let dir = TempDir::new();
    earlier(dir.path());
    for _ in 0..2 {
        let mut disk = Disk::new(NOON + 340, read(3_200));
        let found = take_over(dir.path(), NOON + 340);
        assert!(found.is_unwritten && found.complaints.is_empty(), "{:?}", found.complaints);
        disk.series.resume(found, SINCE, &disk.total, at(NOON + 340, 0));
        assert_eq!(disk.shown(Span::Week, NOON + 340), [(NOON, 295, 2_950), (NOON + 300, 25, 250)]);
        assert_eq!(disk.windows(0), [(320, 3_000), (340, 3_200), (340, 3_200)]);
        assert_eq!(file::kept(dir.path()), [DISK]);
    }
    let mut disk = Disk::new(NOON + 340, read(3_200));
    disk.series.resume(take_over(dir.path(), NOON + 340), SINCE, &disk.total, at(NOON + 340, 0));
    disk.save(dir.path(), 0);
    file::remove_earlier_windows(dir.path()).expect("the folder is ours");
    assert!(!dir.path().join("history").exists() && !dir.path().join("windows.bin").exists());
    let again = Disk::restarted(dir.path(), NOON + 350, read(3_200));
    assert_eq!(again.shown(Span::Week, NOON + 350), [(NOON, 295, 2_950), (NOON + 300, 25, 250)]);
    assert_eq!(again.windows(0), [(330, 3_000), (350, 3_200), (350, 3_200)]);
}

#[test]
fn damaged_files_of_an_earlier_version_are_set_aside_and_said() {
    let dir = TempDir::new();
    earlier(dir.path());
    let windows = dir.path().join("windows.bin");
    let whole = fs::read(&windows).expect("it was written");
    fs::write(&windows, &whole[1..]).expect("the folder is ours");
    let (_, unread) = EarlierWindows::load(dir.path(), Moment(NOON));
    assert!(unread.is_some_and(|said| said.contains("windows.bin") && said.contains("It is kept as")));
    let path = dir.path().join("history/disk-7.steps");
    let mut steps = fs::read(&path).expect("it was written");
    let place = steps[512..].iter().position(|byte| *byte != 0).expect("there are two");
    steps[512 + place] ^= 1;
    fs::write(&path, &steps).expect("the folder is ours");
    let found = load(dir.path(), NOON + 340);
    assert_eq!((found.steps.len(), found.complaints.len()), (1, 1));
    assert!(found.complaints[0].contains("1 of 2 steps") && !path.exists(), "{:?}", found.complaints);
}

/// Bounds of the memory of a disk, which the documentation names: of all windows, of those of a busy disk, and of the week.
const WINDOW_BYTES_MAX: usize = 8 << 20;
const WINDOW_BYTES_BUSY: usize = 1 << 20;
const WEEK_BYTES_MAX: usize = 512 << 10;

/// Returns the size of the windows of a disk that measured so many classes of each latency in each step.
fn full(classes: u16) -> usize {
    let mut disk = Disk::new(NOON, read(0));
    let mut second = 0;
    for (steps, seconds) in [(97, 900), (61, 60), (61, 5)] {
        for _ in 0..steps {
            second += seconds;
            // A million requests a second, spread evenly.
            let count = seconds * 1_000_000 / u64::from(classes);
            let measured =
                || LatencyCounts::from_parts(seconds << 30, 0, (0..classes).map(|class| (class, count)));
            let mut total = disk.total.clone();
            total.add(&Counted {
                counts: DiskCounts::from_names(|_| seconds << 30),
                latencies: std::array::from_fn(|_| measured()),
            });
            disk.look(second, total, served(1));
        }
    }
    let rings = disk.series.recents.iter().map(|recents| &recents.ring);
    rings.flat_map(|ring| &ring.steps).map(|step| size_of_val(step) + step.content.0.len()).sum()
}

#[test]
fn memory_is_bounded_as_documentation_says() {
    let (most, busy) = (full(960), full(100));
    assert!((WINDOW_BYTES_MAX / 8..WINDOW_BYTES_MAX).contains(&most), "every class in every step: {most}");
    assert!(busy < WINDOW_BYTES_BUSY, "a hundred classes of each latency: {busy}");
}
