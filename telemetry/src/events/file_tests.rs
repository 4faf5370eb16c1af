//! Kept events: reading them again, setting files aside, and ids that go on rising.

use base::testing::TempDir;

use super::*;
use crate::events::Kind;

fn event(id: u64, kind: Kind) -> Event {
    Event { id, at: Moment(100 + id), kind, disk: Some("a".to_owned()), message: format!("Event {id}") }
}

/// Writes a file with these events, as a run of the daemon leaves it.
fn left(dir: &Path, kinds: &[Kind]) -> VecDeque<Event> {
    let Opened { mut file, events: mut all, id, .. } = EventFile::open(dir);
    for (id, kind) in (id..).zip(kinds) {
        all.push_back(event(id, *kind));
        file.add(&event(id, *kind), &all).expect("the folder is ours");
    }
    all
}

fn aside(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).expect("the folder is ours");
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    paths.filter(|path| path.to_string_lossy().contains(".aside-")).collect()
}

#[test]
fn what_was_kept_is_there_again_and_ids_go_on() {
    let dir = TempDir::new();
    let first = left(dir.path(), &[Kind::DaemonStarted, Kind::DiskAdded]);
    let opened = EventFile::open(dir.path());
    assert_eq!((&opened.events, opened.id, opened.complaint), (&first, 3, None));
    let second = left(dir.path(), &[Kind::DiskRemoved]);
    assert_eq!(second.iter().map(|event| event.id).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(EventFile::open(dir.path()).events, second);
}

#[test]
fn the_end_of_the_last_run_is_known() {
    let dir = TempDir::new();
    assert_eq!(EventFile::open(dir.path()).ending, Ending::Unknown, "there was none");
    left(dir.path(), &[Kind::DaemonStarted]);
    assert_eq!(EventFile::open(dir.path()).ending, Ending::Killed);
    let path = dir.path().join(FILE_NAME);
    let text = fs::read_to_string(&path).expect("it was written");
    fs::write(&path, text.replace(&boot(), "another-boot")).expect("the folder is ours");
    assert_eq!(EventFile::open(dir.path()).ending, Ending::HostWentDown);
    left(dir.path(), &[Kind::DaemonStopped]);
    assert_eq!(EventFile::open(dir.path()).ending, Ending::Clean);
}

#[test]
fn a_line_that_was_cut_off_is_no_damage() {
    let dir = TempDir::new();
    left(dir.path(), &[Kind::DaemonStarted, Kind::DiskAdded]);
    let path = dir.path().join(FILE_NAME);
    let text = fs::read(&path).expect("it was written");
    for length in text.len() - 20..text.len() {
        fs::write(&path, &text[..length]).expect("the folder is ours");
        let opened = EventFile::open(dir.path());
        assert_eq!((opened.events.len(), opened.id, opened.complaint), (1, 2, None), "{length}");
    }
}

#[test]
fn damaged_lines_are_set_aside_and_the_others_stay() {
    for damage in [
        "garbage",
        "\u{0}\u{0}",
        "{\"id\":9}",
        "{\"id\":1,\"at\":1,\"kind\":\"disk-added\",\"message\":\"\"}",
    ] {
        let dir = TempDir::new();
        left(dir.path(), &[Kind::DaemonStarted, Kind::DiskAdded]);
        let path = dir.path().join(FILE_NAME);
        let mut text = fs::read_to_string(&path).expect("it was written");
        text.push_str(damage);
        text.push('\n');
        fs::write(&path, &text).expect("the folder is ours");
        let opened = EventFile::open(dir.path());
        assert_eq!(opened.events.len(), 2, "{damage}");
        assert!(opened.id > 2, "{damage}");
        let complaint = opened.complaint.expect("something is damaged");
        assert!(complaint.contains("line 4") && complaint.contains(".aside-"), "{complaint}");
        let [aside] = &aside(dir.path())[..] else { panic!("one file is set aside") };
        assert_eq!(fs::read_to_string(aside).expect("it was renamed"), text);
    }
}

#[test]
fn a_file_from_the_future_is_set_aside_and_its_ids_are_not_given_again() {
    let dir = TempDir::new();
    let text = "{\"schema\":2,\"boot\":\"x\"}\n{\"id\":41,\"what\":\"something\"}\n";
    fs::write(dir.path().join(FILE_NAME), text).expect("the folder is ours");
    let opened = EventFile::open(dir.path());
    assert_eq!((opened.events.len(), opened.id), (0, 42));
    assert!(opened.complaint.is_some_and(|said| said.contains("schema 2")));
    left(dir.path(), &[Kind::DaemonStarted]);
    assert_eq!((aside(dir.path()).len(), EventFile::open(dir.path()).complaint), (1, None));
}

#[test]
fn even_a_folder_in_its_place_is_set_aside() {
    let dir = TempDir::new();
    fs::create_dir(dir.path().join(FILE_NAME)).expect("the folder is ours");
    assert!(EventFile::open(dir.path()).complaint.is_some());
    assert_eq!(left(dir.path(), &[Kind::DaemonStarted]).len(), 1);
}

#[test]
fn the_file_never_holds_more_than_twice_what_is_kept() {
    let dir = TempDir::new();
    let Opened { mut file, .. } = EventFile::open(dir.path());
    let all: VecDeque<Event> = (1..=3).map(|id| event(id, Kind::DiskAdded)).collect();
    let lines = || fs::read_to_string(dir.path().join(FILE_NAME)).expect("it was written").lines().count();
    file.add(&all[2], &all).expect("the folder is ours");
    // As if so many had been added one by one.
    file.lines = LINES_MAX - 1;
    file.add(&event(4, Kind::DiskAdded), &all).expect("the folder is ours");
    assert_eq!(lines(), 1 + 3 + 1);
    file.add(&event(5, Kind::DiskAdded), &all).expect("the folder is ours");
    assert_eq!(lines(), 1 + 3, "replaced by what is kept");
}

#[test]
fn what_cannot_be_written_now_is_written_with_the_next() {
    let dir = TempDir::new();
    let Opened { mut file, mut events, .. } = EventFile::open(&dir.path().join("later"));
    events.push_back(event(1, Kind::DaemonStarted));
    file.add(&events[0], &events).expect_err("there is no such folder");
    fs::create_dir(dir.path().join("later")).expect("the folder is ours");
    events.push_back(event(2, Kind::DiskAdded));
    file.add(&events[1], &events).expect("now there is");
    assert_eq!(EventFile::open(&dir.path().join("later")).events, events);
}
