//! The folder store.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use base::testing::{TempDir, die_after};
use bytes::Bytes;
use objects::{Client, StoreOptions, probe};
use volume::{Store, StoreErrorKind};

use crate::contract::{self, wait};

/// Says which part a child process is to run.
const PART: &str = "FOREBAY_TEST_PART";

fn open(path: &Path) -> Client {
    Client::open(&StoreOptions::new(format!("file://{}", path.display()))).expect("the folder is ours")
}

#[test]
fn it_keeps_the_contract() {
    // Thousands of files, each fsynced.
    let dir = TempDir::in_ram();
    contract::test(&open(&dir.path().join("made/for/it")));
}

#[test]
fn a_create_that_failed_because_its_folder_was_not_written_does_not_count_until_it_is() {
    let dir = TempDir::new();
    let client = open(dir.path());
    assert_eq!(wait(client.create("a/one", Bytes::new())), Ok(()));
    die_after(dir.path(), Some(0));
    for _ in 0..2 {
        let error = wait(client.create("a/two", Bytes::new())).expect_err("its folder cannot be written");
        assert_ne!(error.kind, StoreErrorKind::Exists, "{error}");
        wait(client.delete("a/one")).expect_err("its folder cannot be written");
    }
    assert!(die_after(dir.path(), None), "writes were tried");
    let error = wait(client.create("a/two", Bytes::new())).expect_err("it is there");
    assert_eq!(error.kind, StoreErrorKind::Exists);
    assert_eq!(wait(client.delete("a/one")), Ok(()));
}

#[test]
fn a_folder_that_took_the_place_of_the_store_is_not_taken_for_an_empty_one() {
    let dir = TempDir::new();
    let root = dir.path().join("store");
    let client = open(&root);
    assert_eq!(wait(client.create("a", Bytes::new())), Ok(()));
    fs::rename(&root, dir.path().join("away")).expect("the folder is ours");
    for _ in 0..2 {
        for error in [
            wait(client.get("a", None)).map(drop),
            wait(client.list("", None)).map(drop),
            wait(client.delete("a")),
        ] {
            assert_eq!(error.expect_err("it is another").kind, StoreErrorKind::Unreachable);
        }
        fs::create_dir_all(&root).expect("the folder is ours");
    }
}

#[test]
fn the_probe_passes_and_leaves_nothing() {
    let dir = TempDir::new();
    let client = open(dir.path());
    let report = wait(probe(&client)).expect("it keeps its promises");
    assert!(report.warnings.is_empty());
    assert_eq!(wait(client.list("", None)), Ok(Vec::new()));
    assert_eq!(fs::read_dir(dir.path().join(".new")).expect("it is there").count(), 0);
}

#[test]
fn old_objects_of_probes_are_removed_and_newer_ones_are_not() {
    let dir = TempDir::new();
    let client = open(dir.path());
    let new = format!("probe/{}-00/race", u64::MAX / 2);
    for name in ["probe/1000-00/race", "probe/odd", &new] {
        assert_eq!(wait(client.create(name, Bytes::new())), Ok(()));
    }
    wait(probe(&client)).expect("it keeps its promises");
    let left = wait(client.list("probe/", None)).expect("it lists").into_iter().map(|listed| listed.name);
    assert_eq!(left.collect::<Vec<_>>(), [new.as_str(), "probe/odd"]);
}

#[test]
fn leftovers_are_not_listed_and_go_at_the_next_start_unless_in_use() {
    let dir = TempDir::new();
    let new = dir.path().join(".new");
    let first = open(dir.path());
    fs::write(new.join("dead"), "half").expect("the folder is ours");
    let in_use = File::create(new.join("in-use")).expect("the folder is ours");
    in_use.lock().expect("nobody else has it");
    assert_eq!(wait(first.list("", None)), Ok(Vec::new()));
    let second = open(dir.path());
    assert!(!new.join("dead").exists());
    assert!(new.join("in-use").exists());
    assert_eq!(wait(second.create("a", Bytes::new())), Ok(()));
    assert_eq!(fs::read_dir(&new).expect("it is there").count(), 1);
}

#[test]
fn an_object_is_no_folder() {
    let dir = TempDir::new();
    let client = open(dir.path());
    assert_eq!(wait(client.create("a", Bytes::new())), Ok(()));
    let error = wait(client.create("a/b", Bytes::new())).expect_err("`a` is an object");
    assert_eq!(error.kind, StoreErrorKind::Invalid);
    assert_eq!(wait(client.delete("a/b")), Ok(()));
    assert_eq!(wait(client.create("c/d", Bytes::new())), Ok(()));
    assert_eq!(wait(client.get("c", None)).expect_err("`c` is a folder").kind, StoreErrorKind::NotFound);
}

#[test]
fn a_folder_that_may_not_be_written_is_denied_with_its_path() {
    // Nobody makes folders there, root neither.
    let error =
        Client::open(&StoreOptions::new("file:///sys/forebay-store")).expect_err("sysfs takes no folders");
    assert_eq!(error.kind, StoreErrorKind::Denied, "{error}");
    assert!(error.to_string().contains("/sys/forebay-store"), "{error}");
}

#[test]
fn a_full_store_says_so() {
    if std::env::var(PART).is_ok() {
        let dir = TempDir::new();
        let client = open(dir.path());
        let error = wait(client.create("a", vec![0; 1 << 20].into())).expect_err("the limit is smaller");
        assert_eq!(error.kind, StoreErrorKind::Full, "{error}");
        assert_eq!(wait(client.get("a", None)).expect_err("it is not there").kind, StoreErrorKind::NotFound);
        assert_eq!(fs::read_dir(dir.path().join(".new")).expect("it is there").count(), 0);
        assert_eq!(wait(client.create("a", vec![0; 1 << 10].into())), Ok(()));
        return;
    }
    run_alone("folder::a_full_store_says_so", "trap '' XFSZ; ulimit -f 64;");
}

#[test]
fn the_thread_ends_with_the_last_client() {
    if std::env::var(PART).is_err() {
        return run_alone("folder::the_thread_ends_with_the_last_client", "");
    }
    let threads = || {
        let tasks = fs::read_dir("/proc/self/task").expect("Linux has it");
        let names = tasks.map(|task| fs::read_to_string(task.expect("it is read").path().join("comm")));
        // A thread may end meanwhile.
        names.filter(|name| name.as_ref().is_ok_and(|name| name.starts_with("forebay-objects"))).count()
    };
    let dir = TempDir::new();
    let first = open(dir.path());
    let second = open(&dir.path().join("b"));
    assert_eq!(threads(), 1, "both stores share it");
    drop(first);
    assert_eq!(wait(second.create("a", Bytes::new())), Ok(()));
    drop(second);
    let until = Instant::now() + Duration::from_mins(1);
    while threads() > 0 {
        assert!(Instant::now() < until, "the thread still runs");
        std::thread::yield_now();
    }
    let third = open(dir.path());
    assert_eq!(wait(third.create("a", Bytes::new())), Ok(()));
}

/// Runs one test of this program in a process of its own, after commands of a shell.
fn run_alone(test: &str, commands: &str) {
    let program = std::env::current_exe().expect("it runs");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{commands} exec \"$0\" --exact {test} --test-threads 1")]).arg(program);
    let output = command.env(PART, "1").output().expect("there is a shell");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
