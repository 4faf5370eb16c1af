//! Stored files: durability at each step, batching, rot, and the errors of a store that cannot write.

use std::fs;
use std::sync::mpsc::channel;

use serde::{Deserialize, Serialize};

use super::format::{FileFormat, Unreadable};
use super::*;
use crate::testing::{TempDir, die_after, fail_after, run};

const NAMES: &[&str] = &["list.json", "list.copy.json"];
const FORMAT: FileFormat = FileFormat { name: NAMES[0], schema: 3, checked_since: 2 };

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct List {
    schema: u64,
    all: Vec<u32>,
}

impl StoredValue for List {
    const NAMES: &'static [&'static str] = NAMES;

    fn text(&self) -> Vec<u8> {
        format::text(self)
    }
}

fn list(all: &[u32]) -> List {
    List { schema: 3, all: all.to_vec() }
}

fn stored(dir: &Path) -> StoredFile<List> {
    let (found, unread) = FORMAT.load_or_set_aside(dir, |_, json| {
        serde_json::from_value(json).map(Some).map_err(|error| error.to_string())
    });
    assert_eq!(unread, None);
    StoredFile::new(&Store::start(dir).expect("there are threads"), found.unwrap_or_else(|| list(&[])))
}

fn add(stored: &StoredFile<List>, number: u32) -> Result<usize, NotChanged> {
    stored.change_here(move |list| {
        list.all.push(number);
        Ok(list.all.len())
    })
}

#[test]
fn a_death_at_any_step_leaves_the_old_value_or_the_new_one_and_both_copies_after_an_answer() {
    let mut outcomes = [0, 0];
    for steps in 0..8 {
        let dir = TempDir::new();
        let file = stored(dir.path());
        add(&file, 1).expect("the folder is ours");
        die_after(dir.path(), Some(steps));
        let changed = add(&file, 2);
        die_after(dir.path(), None);
        let found = stored(dir.path()).read(List::clone);
        assert!([list(&[1]), list(&[1, 2])].contains(&found), "{steps}: {found:?}");
        if changed.is_ok() {
            assert_eq!(found, list(&[1, 2]), "{steps}");
            for name in NAMES {
                let text = fs::read(dir.path().join(name)).expect("it was written");
                assert_eq!(text, found.text(), "{steps}: {name}");
            }
        }
        assert_eq!(file.read(List::clone), if changed.is_ok() { list(&[1, 2]) } else { list(&[1]) });
        outcomes[usize::from(changed.is_ok())] += 1;
        // The process continues where only the system failed: the next change is durable as usual.
        add(&file, 3).expect("the folder is ours");
        assert_eq!(stored(dir.path()).read(List::clone), file.read(List::clone), "{steps}");
    }
    assert_eq!(outcomes, [5, 3], "two files are written, two renamed, and the folder is synced");
}

#[test]
fn changes_that_wait_are_written_together_and_none_undoes_another() {
    let dir = TempDir::new();
    let file = stored(dir.path());
    let (enter, entered) = channel();
    let (leave, left) = channel::<()>();
    let slow = file.clone();
    let first = std::thread::spawn(move || {
        slow.change_here(move |list| {
            list.all.push(0);
            enter.send(()).expect("the test listens");
            left.recv().expect("the test answers");
            Ok(())
        })
    });
    entered.recv().expect("the first change has begun");
    let change = |number| {
        file.change(move |list| {
            list.all.push(number);
            if number == 7 { Err(Error::missing("Nothing")) } else { Ok(()) }
        })
    };
    let answers = run(async {
        let all = futures_util::future::join_all((1..=20).map(change));
        // Two files are written and renamed and the folder is synced, for the first change and for all the others.
        die_after(dir.path(), Some(10));
        let release = async { leave.send(()).expect("it waits") };
        tokio::join!(all, release).0
    });
    first.join().expect("it does not panic").expect("the folder is ours");
    let refused: Vec<_> = answers.iter().enumerate().filter(|(_, answer)| answer.is_err()).collect();
    assert_eq!(refused, [(6, &Err(Error::missing("Nothing")))], "each has its own answer");
    assert!(die_after(dir.path(), None), "two batches took exactly ten steps");
    let all: Vec<u32> = (0..=20).filter(|number| *number != 7).collect();
    assert_eq!(stored(dir.path()).read(List::clone), list(&all));
}

#[test]
fn a_change_that_panics_is_one_for_its_caller_alone() {
    let dir = TempDir::new();
    let file = stored(dir.path());
    let bad = file.clone();
    let panicked = std::thread::spawn(move || {
        bad.change_here(|list| -> Result<()> {
            list.all.push(9);
            panic!("a fault")
        })
    });
    assert!(panicked.join().is_err());
    assert_eq!(add(&file, 1), Ok(1));
}

#[test]
fn a_change_that_fails_or_changes_nothing_writes_nothing() {
    let dir = TempDir::new();
    let file = stored(dir.path());
    assert_eq!(file.change_here(|_| Ok(7)), Ok(7));
    let refused = file.change_here(|list| -> Result<()> {
        list.all.push(1);
        Err(Error::missing("Nothing"))
    });
    assert_eq!(refused, Err(NotChanged::Refused(Error::missing("Nothing"))));
    assert_eq!(fs::read_dir(dir.path()).expect("it is ours").count(), 0);
}

#[test]
fn a_store_that_cannot_write_says_so_and_works_again_once_it_can() {
    let dir = TempDir::new();
    let later = dir.path().join("later");
    let file = stored(&later);
    let problem = add(&file, 1).expect_err("there is no such folder").into_problem();
    assert!(
        problem.message.contains("later/list.json") && problem.message.contains("make room"),
        "{problem}"
    );
    assert_eq!(file.read(List::clone), list(&[]));
    fs::create_dir(&later).expect("the folder is ours");
    assert_eq!(add(&file, 2), Ok(1));
    assert_eq!(stored(&later).read(List::clone), list(&[2]));
}

#[test]
fn a_value_that_is_in_place_and_not_durable_is_taken_back() {
    let dir = TempDir::new();
    let file = stored(dir.path());
    add(&file, 1).expect("the folder is ours");
    // The folder cannot be synced.
    fail_after(dir.path(), 4);
    let Err(NotChanged::Unsaved(not)) = add(&file, 2) else { panic!("it was not durable") };
    assert!(!not.in_place, "the old value is back");
    assert_eq!(stored(dir.path()).read(List::clone), list(&[1]));
    die_after(dir.path(), Some(4));
    let Err(NotChanged::Unsaved(not)) = add(&file, 2) else { panic!("it was not durable") };
    die_after(dir.path(), None);
    assert!(not.in_place && not.into_problem().message.contains("a restart may already see"));
    assert_eq!(file.read(List::clone), list(&[1]), "and nobody sees it before");
    assert_eq!(stored(dir.path()).read(List::clone), list(&[1, 2]));
    file.change_here(|_| Ok(())).expect("the folder is ours");
    assert_eq!(stored(dir.path()).read(List::clone), list(&[1]), "also a change of nothing takes it back");
}

#[test]
fn the_same_file_twice_is_replaced_in_order() {
    let dir = TempDir::new();
    let store = Store::start(dir.path()).expect("there are threads");
    run(async {
        let (one, two) =
            tokio::join!(store.replace(NAMES, b"one".into()), store.replace(NAMES, b"two".into()));
        one.and(two).expect("the folder is ours");
    });
    assert_eq!(fs::read(dir.path().join(NAMES[0])).expect("it was written"), b"two");
    assert_eq!(fs::read_dir(dir.path()).expect("it is ours").count(), 2);
}

#[test]
fn every_bit_that_flips_is_found() {
    let text = list(&[1, 22, 333]).text();
    assert!(FORMAT.parse(&text).is_ok());
    for bit in 0..text.len() * 8 {
        let mut rotten = text.clone();
        rotten[bit / 8] ^= 1 << (bit % 8);
        let found = FORMAT.parse(&rotten);
        assert!(found.is_err(), "bit {bit}: {found:?}");
    }
    for length in 0..text.len() {
        assert!(FORMAT.parse(&text[..length]).is_err(), "{length}");
    }
}

#[test]
fn a_file_that_a_person_edited_is_taken_if_it_says_so() {
    let text = String::from_utf8(list(&[1]).text()).expect("it is text");
    let edited = text.replace("    1", "    2");
    assert!(
        matches!(FORMAT.parse(edited.as_bytes()), Err(Unreadable::Damaged(reason)) if reason.contains("edited"))
    );
    let at = edited.find("\"checksum\"").expect("it has one");
    let edited = format!("{}\"checksum\": \"edited\" }}\n", &edited[..at]);
    let (schema, json) = FORMAT.parse(edited.as_bytes()).expect("it says so");
    assert_eq!((schema, serde_json::from_value(json).ok()), (3, Some(list(&[2]))));
    assert!(FORMAT.parse(format!("{text}\n\n").as_bytes()).is_ok(), "an editor ends the last line");
}

#[test]
fn files_of_earlier_and_later_schemas_are_told_apart() {
    assert!(matches!(FORMAT.parse(b"{\"schema\":1,\"all\":[]}"), Ok((1, _))));
    assert!(matches!(FORMAT.parse(b"{\"schema\":2,\"all\":[]}"), Err(Unreadable::Damaged(_))), "no checksum");
    assert!(matches!(FORMAT.parse(b"{\"schema\":4,\"what\":1}"), Err(Unreadable::Newer(4))));
    assert!(matches!(FORMAT.parse(b"[]"), Err(Unreadable::Damaged(_))));
}
