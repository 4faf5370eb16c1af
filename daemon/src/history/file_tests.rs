//! Tests of `file`.

use super::*;
use crate::testing::TempDir;

const DISK: u32 = 7;
/// A beginning of a step.
const NOON: u64 = 1_800_000_000;

fn step(number: u64) -> Step {
    let words = std::array::from_fn(|at| number + at as u64);
    let standing = Standing { dirty_bytes: 5, dirty_limit_bytes: 6, cached_bytes: u64::MAX };
    let percentiles = Percentiles::from_words([number, u64::MAX, 9 << 32]);
    Step {
        number,
        covered_ms: 300_000,
        sums: Sums::from_array(words),
        standing,
        dirty_bytes_max: 8,
        percentiles,
    }
}

/// The last so many up to noon.
fn steps(many: u64) -> Vec<Step> {
    let newest = NOON / STEP_SECONDS;
    (newest + 1 - many..=newest).map(step).collect()
}

fn kept_in(dir: &Path) -> Vec<Step> {
    let Found { mut steps, complaints, is_unwritten } = load(dir, DISK, Moment(NOON));
    assert_eq!((complaints, is_unwritten), (vec![], false));
    steps.sort_by_key(|step| step.number);
    steps
}

fn with(steps: &[Step]) -> TempDir {
    let dir = TempDir::new();
    save(dir.path(), &Unsaved::All(DISK, steps.to_vec())).expect("the folder is ours");
    dir
}

/// Changes bytes of the file.
fn damage(dir: &TempDir, change: impl FnOnce(&mut Vec<u8>)) -> PathBuf {
    let path = path(dir.path(), DISK);
    let mut bytes = fs::read(&path).expect("it was saved");
    change(&mut bytes);
    fs::write(&path, bytes).expect("the folder is ours");
    path
}

#[test]
fn what_is_saved_is_read_again_and_the_file_does_not_grow() {
    let dir = with(&steps(3));
    assert_eq!(kept_in(dir.path()), steps(3));
    let more: Vec<Step> = (1..=STEPS_MAX).map(|more| step(NOON / STEP_SECONDS + more)).collect();
    save(dir.path(), &Unsaved::Some(DISK, more[..5].to_vec())).expect("the file is there");
    assert_eq!(fs::metadata(path(dir.path(), DISK)).map(|file| file.len()).ok(), Some(FILE_BYTES as u64));
    let now = Moment(NOON + 5 * STEP_SECONDS);
    assert_eq!(load(dir.path(), DISK, now).steps.len(), 8);
    save(dir.path(), &Unsaved::Some(DISK, more.clone())).expect("the file is there");
    let mut all = load(dir.path(), DISK, Moment(NOON + 2 * STEPS_MAX * STEP_SECONDS)).steps;
    all.sort_by_key(|step| step.number);
    assert_eq!(all, more, "a week later nothing is left of what was there before");
}

#[test]
fn a_disk_of_which_nothing_is_kept_is_nothing_to_complain_of() {
    let dir = TempDir::new();
    let nothing = Found { is_unwritten: true, ..Found::default() };
    assert_eq!(load(dir.path(), DISK, Moment(NOON)), nothing);
    assert_eq!(kept(dir.path()), Vec::<u32>::new());
    remove(dir.path(), DISK).expect("there is nothing to remove");
}

#[test]
fn what_is_removed_is_gone_and_others_stay() {
    let dir = with(&steps(1));
    save(dir.path(), &Unsaved::All(8, steps(2))).expect("the folder is ours");
    let folder = dir.path().join(FOLDER);
    fs::write(folder.join("disk-7.steps.new"), "cut short").expect("the folder is ours");
    fs::write(folder.join("disk-x.steps"), "of somebody else").expect("the folder is ours");
    let mut all = kept(dir.path());
    all.sort_unstable();
    assert_eq!(all, [7, 8]);
    remove(dir.path(), DISK).expect("the folder is ours");
    assert_eq!((kept(dir.path()), fs::read_dir(folder).map(Iterator::count).ok()), (vec![8], Some(2)));
}

#[test]
fn a_damaged_step_costs_itself_alone() {
    for at in [0, 17, STEP_BYTES - CHECKSUM_BYTES - 1, STEP_BYTES - 1] {
        let dir = with(&steps(3));
        let path = damage(&dir, |bytes| bytes[offset(&steps(2)[0]) + at] ^= 0x10);
        let found = load(dir.path(), DISK, Moment(NOON));
        assert_eq!(
            (found.steps.len(), found.complaints.len(), found.is_unwritten),
            (2, 1, false),
            "byte {at}"
        );
        let said = &found.complaints[0];
        assert!(said.contains("read 1 of") && said.contains(&path.display().to_string()), "{said}");
    }
}

#[test]
fn a_step_that_was_written_in_part_or_to_the_wrong_place_is_left_out() {
    // The end of the power between two halves.
    let dir = with(&steps(2));
    damage(&dir, |bytes| {
        let offset = offset(&steps(1)[0]);
        bytes[offset..offset + STEP_BYTES / 2].copy_from_slice(&encode(&step(STEPS_MAX))[..STEP_BYTES / 2]);
    });
    assert_eq!(load(dir.path(), DISK, Moment(NOON)).steps, steps(2)[..1]);
    let dir = with(&steps(2));
    damage(&dir, |bytes| {
        let wrong = offset(&step(NOON / STEP_SECONDS + 9));
        bytes[wrong..wrong + STEP_BYTES].copy_from_slice(&encode(&steps(1)[0]));
    });
    let found = load(dir.path(), DISK, Moment(NOON));
    assert_eq!((found.steps.len(), found.complaints.len()), (2, 1));
}

#[test]
fn a_file_that_is_not_understood_is_set_aside_and_said() {
    type Change = fn(&mut Vec<u8>);
    let changes: [(&str, Change); 6] = [
        ("bytes that it should have", |bytes| bytes.truncate(FILE_BYTES - 1)),
        ("bytes that it should have", Vec::clear),
        ("bytes that it should have", |bytes| bytes.push(0)),
        ("no file of this kind", |bytes| bytes[0] = b'X'),
        ("version 2", |bytes| bytes[8] = 2),
        ("head is damaged", |bytes| bytes[12] = 8),
    ];
    for (reason, change) in changes {
        let dir = with(&steps(3));
        let path = damage(&dir, change);
        let before = fs::read(&path).expect("it is there");
        let found = load(dir.path(), DISK, Moment(NOON));
        assert_eq!((found.steps, found.is_unwritten), (vec![], true), "{reason}");
        assert!(
            found.complaints.len() == 1 && found.complaints[0].contains(reason),
            "{:?}",
            found.complaints
        );
        let aside = path.with_file_name(format!("disk-7.steps.aside-{NOON}"));
        assert_eq!((fs::read(aside).ok(), path.exists()), (Some(before), false), "{reason}");
        save(dir.path(), &Unsaved::All(DISK, steps(1))).expect("the folder is ours");
        assert_eq!(kept_in(dir.path()), steps(1));
        remove(dir.path(), DISK).expect("the folder is ours");
        let left = fs::read_dir(dir.path().join(FOLDER)).expect("the folder is ours").count();
        assert_eq!(left, 0, "what was set aside goes with the disk");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_set_aside_too() {
    let dir = with(&steps(3));
    let path = path(dir.path(), DISK);
    fs::remove_file(&path).expect("the folder is ours");
    // Which opens, and cannot be read.
    fs::create_dir(&path).expect("the folder is ours");
    let found = load(dir.path(), DISK, Moment(NOON));
    assert_eq!((found.steps.len(), found.complaints.len(), found.is_unwritten), (0, 1, true));
    assert!(path.with_file_name(format!("disk-7.steps.aside-{NOON}")).is_dir());
    save(dir.path(), &Unsaved::All(DISK, steps(1))).expect("the folder is ours");
    assert_eq!(kept_in(dir.path()), steps(1));
}

#[test]
fn steps_of_later_than_now_are_kept_and_said() {
    let dir = with(&steps(5));
    let found = load(dir.path(), DISK, Moment(NOON - 2 * STEP_SECONDS));
    assert_eq!((found.steps.len(), found.complaints.len(), found.is_unwritten), (5, 1, false));
    assert!(found.complaints[0].starts_with("2 of the steps") && found.complaints[0].contains("clock"));
}

#[test]
fn what_cannot_be_saved_is_an_error_with_the_path_and_a_later_try_repairs_it() {
    let dir = TempDir::new();
    let problem = save(dir.path(), &Unsaved::Some(DISK, steps(1))).expect_err("there is no file");
    assert!(problem.message.contains("history/disk-7.steps"), "{problem}");
    fs::write(dir.path().join(FOLDER), "a file").expect("the folder is ours");
    assert!(save(dir.path(), &Unsaved::All(DISK, steps(1))).is_err(), "there is no folder to be had");
    fs::remove_file(dir.path().join(FOLDER)).expect("the folder is ours");
    save(dir.path(), &Unsaved::All(DISK, steps(1))).expect("the folder is ours");
    damage(&dir, |bytes| bytes.truncate(10));
    let problem = save(dir.path(), &Unsaved::Some(DISK, steps(2))).expect_err("it was cut");
    assert!(problem.message.contains("10 bytes"), "{problem}");
    save(dir.path(), &Unsaved::All(DISK, steps(2))).expect("the folder is ours");
    assert_eq!(kept_in(dir.path()), steps(2));
}
