//! Rendering of the screen, at several sizes and in every state.

use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::{Value, json};

use super::super::app::LastEvent;
use super::super::keys::{ScreenAction, press};
use super::super::model::Sample;
use super::*;

fn sample(seconds: u64) -> Sample {
    let names = ["web", "mail", "a-disk-with-a-long-name"];
    let disk = |name: &&str| {
        let state = if *name == "mail" { "waiting" } else { "serving" };
        let reason = (state == "waiting").then_some("its backing has not answered yet");
        json!({
            "name": name, "state": state, "mode": "write-back", "reason": reason,
            "dirty_bytes": 3 << 20, "dirty_limit_bytes": 4 << 20, "backing_state": { "state": "good" },
        })
    };
    let counters = |name: &&str| {
        let reads = if *name == "web" { 1500 * seconds } else { 10 * seconds };
        json!({
            "name": name, "reads": reads, "read_hits_ram": reads / 2, "read_hits_flash": 0, "writes": seconds,
            "read_bytes": reads * 4096, "write_bytes": 0, "cached_bytes": 1_u64 << 30, "ram_bytes": 1 << 20,
        })
    };
    let recent = |name: &&str| {
        let latency = json!({ "count": 9, "p99": 12_345.0 });
        json!({ "name": name, "latency_us": { "read_miss": latency, "write": latency } })
    };
    Sample {
        at: Duration::from_secs(seconds),
        disks: json!({ "disks": names.iter().map(disk).collect::<Vec<Value>>() }),
        counters: json!({ "disks": names.iter().map(counters).collect::<Vec<Value>>() }),
        recent: json!({ "disks": names.iter().map(recent).collect::<Vec<Value>>() }),
        pool: json!({ "pool": { "state": "serving", "segments": 10, "segments_free": 5, "segment_bytes": 1 << 30,
            "devices": [1] } }),
    }
}

fn app() -> App {
    let mut app = App::default();
    app.take(sample(1));
    app.take(sample(2));
    app
}

fn drawn(app: &App, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("it is memory");
    terminal.draw(|frame| draw(frame, app)).expect("it is memory");
    terminal.backend().to_string()
}

fn type_in(app: &mut App, codes: &[KeyCode]) -> ScreenAction {
    let press = |code: &KeyCode| press(app, KeyEvent::new(*code, KeyModifiers::NONE));
    codes.iter().map(press).last().expect("at least one key")
}

#[test]
fn every_disk_is_a_line_of_eighty_columns() {
    let screen = drawn(&app(), 80, 24);
    assert!(screen.contains("pool serving 5.0G of 10G used, devices: 1"), "{screen}");
    assert!(screen.contains("3, 1 unwell"), "{screen}");
    for part in ["a-disk-wit…", "██▌    50%", "1500", "6.1", "12ms", "75%", "WB", "waiting", "WRIT99"]
    {
        assert!(screen.contains(part), "{part} is missing in\n{screen}");
    }
    assert!(!screen.contains("CACHED"), "{screen}");
    assert!(drawn(&app(), 120, 24).contains("CACHED"));
}

#[test]
fn no_size_of_a_terminal_is_a_panic() {
    let mut app = app();
    for keys in [KeyCode::Esc, KeyCode::Char('?'), KeyCode::Enter] {
        for (width, height) in [(1, 1), (10, 3), (20, 80), (80, 4), (300, 100)] {
            drawn(&app, width, height);
        }
        type_in(&mut app, &[KeyCode::Char('?'), keys]);
    }
}

#[test]
fn keys_sort_choose_and_open() {
    let mut app = app();
    let first = |app: &App| app.rows[0].name.clone();
    assert_eq!(first(&app), "a-disk-with-a-long-name");
    type_in(&mut app, &[KeyCode::Char('r')]);
    assert_eq!(first(&app), "web");
    type_in(&mut app, &[KeyCode::Char('/')]);
    assert_eq!(app.rows.last().map(|row| row.name.as_str()), Some("web"));
    type_in(
        &mut app,
        &[KeyCode::Char('n'), KeyCode::Left, KeyCode::Right, KeyCode::Right, KeyCode::Char('s')],
    );
    assert_eq!(first(&app), "mail", "what needs a look comes first");
    type_in(&mut app, &[KeyCode::Up, KeyCode::Enter]);
    assert_eq!(app.view, View::Detail("mail".to_owned()));
    let screen = drawn(&app, 80, 24);
    for part in
        ["mail  waiting  write-back", "its backing has not answered yet", "hit ratio, to 100%", "esc back"]
    {
        assert!(screen.contains(part), "{part} is missing in\n{screen}");
    }
    type_in(&mut app, &[KeyCode::Down]);
    assert_ne!(app.view, View::Detail("mail".to_owned()), "details follow");
    assert_eq!(type_in(&mut app, &[KeyCode::Esc]), ScreenAction::Stay);
    assert_eq!(type_in(&mut app, &[KeyCode::Esc]), ScreenAction::Quit);
    assert_eq!(type_in(&mut app, &[KeyCode::Char('q')]), ScreenAction::Quit);
    let control_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(press(&mut app, control_c), ScreenAction::Quit);
}

#[test]
fn a_disk_that_is_gone_closes_its_details() {
    let mut app = app();
    type_in(&mut app, &[KeyCode::Enter]);
    app.take(Sample::default());
    assert_eq!((&app.view, app.selected()), (&View::List, None));
    assert!(drawn(&app, 80, 24).contains("No disks yet"));
    type_in(&mut app, &[KeyCode::Down, KeyCode::Enter]);
    assert_eq!(app.view, View::List, "there is nothing to choose");
}

#[test]
fn help_covers_the_list_until_a_key_is_pressed() {
    let mut app = app();
    type_in(&mut app, &[KeyCode::Char('?')]);
    let screen = drawn(&app, 80, 24);
    assert!(keys::HELP.iter().all(|line| line.len() < 80) && keys::HELP.len() <= 20, "it fits");
    assert!(screen.contains("WA write-around") && screen.contains("Any key closes"), "{screen}");
    assert_eq!(type_in(&mut app, &[KeyCode::Char('q')]), ScreenAction::Stay, "it closes the help");
    assert!(!drawn(&app, 80, 24).contains("Any key closes"));
}

#[test]
fn a_daemon_that_is_away_is_said_and_what_it_said_last_stays() {
    let mut app = app();
    app.event = Some(LastEvent { message: "A disk was added".to_owned(), ..LastEvent::default() });
    assert!(drawn(&app, 80, 24).contains("A disk was added"));
    app.lose("Connection refused".to_owned());
    let screen = drawn(&app, 80, 24);
    assert!(screen.contains("Cannot reach the daemon; trying again. Connection refused"), "{screen}");
    assert!(screen.contains("web"), "{screen}");
    app.take(sample(9));
    assert!(!drawn(&app, 80, 24).contains("Cannot reach"));
    assert!(app.rows.iter().all(|row| row.reads.is_none()), "nobody knows what happened meanwhile");
}

#[test]
fn histograms_are_bars_without_empty_classes_at_their_ends() {
    let mut app = app();
    type_in(&mut app, &[KeyCode::Enter]);
    let classes = json!([
        { "upto": 10, "count": 0 }, { "upto": 100, "count": 3 }, { "upto": 1000, "count": 0 },
        { "upto": 5000, "count": 1 }, { "upto": null, "count": 0 },
    ]);
    app.histograms = Some(json!({
        "latency": { "unit": "microseconds", "read_miss": classes, "flush": [{ "upto": 10, "count": 0 }] },
        "size": { "unit": "bytes", "read": classes, "write": [{ "upto": null, "count": 7 }] },
    }));
    let screen = drawn(&app, 80, 30);
    for part in ["latency of read miss, microseconds", "size of read, bytes", "75%", "5000 █████"] {
        assert!(screen.contains(part), "{part} is missing in\n{screen}");
    }
    assert!(!screen.contains("flush") && !screen.contains("        10 "), "{screen}");
    type_in(&mut app, &[KeyCode::Tab]);
    assert!(drawn(&app, 80, 30).contains("size of write"), "the next two");
    type_in(&mut app, &[KeyCode::Tab]);
    assert!(drawn(&app, 80, 30).contains("latency of read miss"), "around the end");
}
