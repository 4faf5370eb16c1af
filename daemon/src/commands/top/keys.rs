//! Keys of the live screen, and their page of help.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::app::{App, View};
use super::model::SortColumn;

/// The page of help.
pub(super) const HELP: [&str; 20] = [
    "up, down      choose a disk                  enter   its details",
    "left, right   sort by another column         /       the other way round",
    "esc           back, and out of the list      q       quit",
    "",
    "A letter sorts by its column:",
    "n NAME    s STATE: what needs attention first",
    "h HIT     reads that the cache answered, of those of the last second",
    "r R/S     reads a second                     w W/S    writes a second",
    "b RMB/S   millions of bytes read a second    v WMB/S  written",
    "m MISS99  99 of 100 reads by the backing took at most this long",
    "l WRIT99  the same of writes",
    "d DIRTY   what the backing does not have yet, of what may be so",
    "",
    "MD, mode: WT write-through, WB write-back, WA write-around, PT pass-through",
    "A wide terminal also shows DIRTY B in bytes, CACHED on flash, and RAM.",
    "Latencies are of the last five minutes, everything else of the last second.",
    "The line at the top is the newest event: forebay events lists them all.",
    "",
    "For scripts: forebay stats --watch --json, forebay events --follow --json.",
    "Any key closes this page.",
];

/// Next step of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScreenAction {
    Stay,
    Quit,
}

/// Handles a key.
pub(super) fn press(app: &mut App, key: KeyEvent) -> ScreenAction {
    if key.kind == KeyEventKind::Release {
        return ScreenAction::Stay;
    }
    let is_control_c = key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c');
    if is_control_c {
        return ScreenAction::Quit;
    }
    if std::mem::take(&mut app.helps) {
        return ScreenAction::Stay;
    }
    match key.code {
        KeyCode::Char('q') => return ScreenAction::Quit,
        KeyCode::Esc if app.view == View::List => return ScreenAction::Quit,
        KeyCode::Esc | KeyCode::Backspace => app.view = View::List,
        KeyCode::Char('?') => app.helps = true,
        KeyCode::Up => app.choose(-1),
        KeyCode::Down => app.choose(1),
        KeyCode::PageUp => app.choose(-10),
        KeyCode::PageDown => app.choose(10),
        KeyCode::Enter => app.open(),
        KeyCode::Tab => app.turn_page(),
        KeyCode::Left => app.sort_by(app.column.neighbour(-1)),
        KeyCode::Right => app.sort_by(app.column.neighbour(1)),
        KeyCode::Char('/') => app.reverse(),
        KeyCode::Char(letter) => {
            if let Some(column) = SortColumn::of_key(letter) {
                app.sort_by(column);
            }
        }
        _ => {}
    }
    ScreenAction::Stay
}
