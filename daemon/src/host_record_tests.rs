//! Reading the record of the host in each version and each state of its files, and its migration at a start.

use std::path::PathBuf;

use base::testing::{TempDir, die_after, run};
use serde_json::json;

use super::*;

const EARLIER: &str = r#"{"schema":7,"next_disk":3,"pool":{"path":"/p","id":"00ff","being_made":false,"marks":[7],
    "devices":[{"path":"/p","made_by_us":true,"leaving":false}]},
    "disks":[{"id":1,"name":"a","backing":"/a","read_only":false,"raw_anyway":false,"settings":{}},
             {"id":2,"name":"b","backing":"/b","read_only":false,"raw_anyway":false,"settings":{}}]}"#;

fn load(dir: &TempDir) -> Result<LoadedRecord> {
    HostRecord::load(dir.path())
}

fn open_host(dir: &TempDir) -> HostFile {
    let store = Store::start(dir.path()).expect("there are threads");
    run(super::open(&store)).expect("it can be read")
}

fn write(dir: &TempDir, name: &str, text: impl AsRef<[u8]>) {
    fs::write(dir.path().join(name), text).expect("the folder is ours");
}

fn read(dir: &TempDir, name: &str) -> Vec<u8> {
    fs::read(dir.path().join(name)).expect("it is there")
}

/// Returns a folder with the files of version 7.
fn earlier() -> TempDir {
    let dir = TempDir::new();
    write(&dir, "state.json", EARLIER);
    write(&dir, "witness.json", r#"{"pool":"00ff","epoch":9}"#);
    fs::create_dir(dir.path().join("past")).expect("the folder is ours");
    write(&dir, "past/1.json", r#"{"schema":2,"epoch":4}"#);
    write(&dir, "past/2.json", "{");
    write(&dir, "past/7.json", r#"{"schema":2,"epoch":8}"#);
    dir
}

/// Returns a folder with the files of this version.
fn present() -> TempDir {
    let dir = earlier();
    open_host(&dir);
    dir
}

fn names(dir: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(dir.path()).expect("the folder is ours");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("it is ours").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn check_taken_over(record: &HostRecord) {
    assert_eq!((record.least_epoch("00ff"), record.least_epoch("11")), (9, 0));
    assert_eq!(record.backing(1), Some(&json!({ "schema": 2, "epoch": 4 })));
    assert_eq!((record.backing(2), record.backing(7)), (None, None), "a damaged one, and that of no disk");
    assert_eq!(record.state.disks.len(), 2);
}

#[test]
fn the_files_of_an_earlier_version_are_taken_over_once_and_removed_when_that_is_durable() {
    let dir = earlier();
    let loaded = load(&dir).expect("an earlier version wrote it");
    check_taken_over(&loaded.record);
    assert!(dir.path().join("past/1.json").exists(), "reading changes nothing");
    open_host(&dir);
    assert_eq!(names(&dir), ["state.copy.json", "state.json"]);
    let again = load(&dir).expect("it was saved");
    assert_eq!((again.record, again.origin), (loaded.record, Origin::Present));
    assert_eq!(read(&dir, "state.json"), read(&dir, "state.copy.json"));
}

#[test]
fn a_take_over_that_is_interrupted_at_any_step_begins_again() {
    for steps in 0..6 {
        let dir = earlier();
        die_after(dir.path(), Some(steps));
        open_host(&dir);
        die_after(dir.path(), None);
        check_taken_over(&load(&dir).expect("it can be read").record);
        // Files of the earlier version that the crash left do not count any more, or count as before.
        check_taken_over(&open_host(&dir).read(HostRecord::clone));
        assert_eq!(names(&dir), ["state.copy.json", "state.json"], "{steps}");
    }
}

#[test]
fn a_folder_that_takes_no_writes_is_read_and_saved_once_it_takes_some() {
    let dir = earlier();
    die_after(dir.path(), Some(0));
    let host = open_host(&dir);
    host.change_here(|_| Ok(())).expect_err("nothing can be written");
    die_after(dir.path(), None);
    check_taken_over(&host.read(HostRecord::clone));
    assert!(dir.path().join("past/1.json").exists());
    host.change_here(|_| Ok(())).expect("the folder is ours");
    assert_eq!(load(&dir).expect("it was saved").origin, Origin::Present);
}

#[test]
fn a_witness_of_an_earlier_version_that_cannot_be_read_refuses_the_start() {
    let dir = earlier();
    write(&dir, "witness.json", "{");
    let problem = load(&dir).expect_err("it is damaged");
    assert!(
        problem.message.contains("witness.json") && problem.message.contains("remove it if"),
        "{problem}"
    );
    assert_eq!(read(&dir, "state.json"), EARLIER.as_bytes());
}

#[test]
fn an_earlier_version_would_refuse_the_file_of_this_one_by_its_schema() {
    let dir = present();
    let document: Value = serde_json::from_slice(&read(&dir, "state.json")).expect("it is JSON");
    assert_eq!(document["schema"], 8);
}

#[test]
fn whatever_rots_or_is_lost_of_one_copy_costs_nothing_and_both_are_whole_again_after_a_start() {
    type Damage<'a> = &'a dyn Fn(&TempDir, &str);
    let whole = read(&present(), "state.json");
    let damages: [Damage<'_>; 4] = [
        &|dir, name| {
            let mut rotten = whole.clone();
            rotten[whole.len() / 2] ^= 4;
            write(dir, name, rotten);
        },
        &|dir, name| write(dir, name, &whole[..whole.len() / 3]),
        &|dir, name| fs::remove_file(dir.path().join(name)).expect("it is there"),
        &|dir, name| {
            fs::remove_file(dir.path().join(name)).expect("it is there");
            fs::create_dir(dir.path().join(name)).expect("the folder is ours");
        },
    ];
    for (at, damage) in damages.iter().enumerate() {
        let dir = present();
        damage(&dir, "state.json");
        let loaded = load(&dir).expect("there is a second copy");
        assert!(matches!(loaded.origin, Origin::SecondCopy(reason) if reason.contains("state.json")), "{at}");
        check_taken_over(&open_host(&dir).read(HostRecord::clone));
        assert_eq!(
            (read(&dir, "state.json"), read(&dir, "state.copy.json")),
            (whole.clone(), whole.clone()),
            "{at}"
        );
        let aside: Vec<_> = names(&dir).into_iter().filter(|name| name.contains(".aside-")).collect();
        assert_eq!(aside.len(), usize::from(at != 2), "{at}: {aside:?}");
    }
    for damage in &damages[..3] {
        let dir = present();
        damage(&dir, "state.copy.json");
        open_host(&dir);
        assert_eq!((read(&dir, "state.json"), read(&dir, "state.copy.json")), (whole.clone(), whole.clone()));
    }
}

#[test]
fn what_is_damaged_in_both_copies_or_newer_is_refused_and_left_alone() {
    for (text, reason) in [
        ("", "damaged"),
        ("{\"schema\":1", "damaged"),
        ("[]", "damaged"),
        ("{\"schema\":1,\"next_disk\":1,\"pool\":null,\"disks\":[],\"more\":1}", "damaged"),
        ("{\"schema\":8,\"next_disk\":1,\"pool\":null,\"disks\":[]}", "checksum"),
        ("{\"schema\":9,\"everything\":\"new\"}", "newer Forebay"),
    ] {
        let dir = TempDir::new();
        for name in NAMES {
            write(&dir, name, text);
        }
        let problem = load(&dir).expect_err(text);
        assert!(problem.message.contains(reason), "{problem}");
        let store = Store::start(dir.path()).expect("there are threads");
        assert!(run(super::open(&store)).is_err());
        assert!(NAMES.iter().all(|name| read(&dir, name) == text.as_bytes()), "{text}");
    }
}

#[test]
fn what_a_person_made_of_the_file_is_taken_or_refused_and_no_copy_takes_its_place() {
    let dir = present();
    let mut document: Value = serde_json::from_slice(&read(&dir, "state.json")).expect("it is JSON");
    document["checksum"] = "edited".into();
    document["disks"][1]["name"] = "c".into();
    write(&dir, "state.json", document.to_string());
    assert_eq!(load(&dir).expect("it says so").record.state.disks[1].name, "c");
    document["disks"][1]["name"] = "a".into();
    write(&dir, "state.json", document.to_string());
    assert!(load(&dir).expect_err("there are two of the name").message.contains("twice"));
}

#[test]
fn a_crash_while_saving_leaves_the_old_record() {
    let dir = present();
    write(&dir, "state.json.new", "{\"schema\":1,");
    check_taken_over(&load(&dir).expect("it is there").record);
    let host = open_host(&dir);
    host.change_here(|host| Ok(host.state.take_disk_number())).expect("a left-over file is no obstacle");
    assert_eq!(load(&dir).map(|loaded| loaded.record), Ok(host.read(HostRecord::clone)));
}

#[test]
fn nothing_is_nothing_and_is_not_saved() {
    let dir = TempDir::new();
    assert_eq!(open_host(&dir).read(HostRecord::clone), HostRecord::default());
    assert_eq!(names(&dir), Vec::<String>::new());
    let missing = PathBuf::from("/nonexistent");
    assert_eq!(HostRecord::load(&missing).map(|loaded| loaded.record), Ok(HostRecord::default()));
}

#[test]
fn the_least_epoch_of_a_pool_never_falls_and_stays_while_another_pool_is_tried() {
    let mut record = open_host(&earlier()).read(HostRecord::clone);
    record.raise_least_epoch("00ff", 5);
    assert_eq!(record.least_epoch("00ff"), 9);
    let other =
        serde_json::from_value(json!({ "path": "/q", "id": "11", "being_made": false, "is_new": true }));
    record.state.replaced = record.state.pool.replace(other.expect("it is a pool"));
    record.raise_least_epoch("11", 2);
    record.state.drop_new_pool();
    assert_eq!(
        (record.least_epoch("00ff"), record.least_epoch("11")),
        (9, 2),
        "it is the one that counts again"
    );
    record.raise_least_epoch("00ff", 10);
    assert_eq!(
        (record.least_epoch("00ff"), record.least_epoch("11")),
        (10, 0),
        "nobody knows the other one any more"
    );
}
