//! The screen: drawn whole from the state of the application, at any size of the terminal. Decides nothing.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Clear, Paragraph, Row as Cells, Table, TableState, Wrap};

use super::app::{App, View};
use super::figures::{NOTHING, bar, bytes, cut, cut_names, latency, megabytes, percent, rate};
use super::model::{DiskRow, SortColumn};
use super::{detail, keys};

/// Width below which optional columns are left out.
const WIDE: u16 = 104;
const NAME_WIDTH: usize = 11;
const HIT_BAR_WIDTH: usize = 5;

/// Colours of good and bad news. Words express both as well, for people who do not distinguish colours.
pub(super) const BAD: Style = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
pub(super) const ODD: Style = Style::new().fg(Color::Yellow);
pub(super) const FAINT: Style = Style::new().fg(Color::DarkGray);
pub(super) const HEADING: Style = Style::new().add_modifier(Modifier::BOLD);

/// Draws everything.
pub(super) fn draw(frame: &mut Frame<'_>, app: &App) {
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(3), Constraint::Min(1), Constraint::Length(1)])
            .areas(frame.area());
    frame.render_widget(Paragraph::new(head_lines(app)), head);
    match &app.view {
        View::List => list(frame, app, body),
        View::Detail(name) => detail::draw(frame, app, name, body),
    }
    frame.render_widget(Paragraph::new(foot_line(app)).style(FAINT), foot);
    if app.helps {
        help(frame, body);
    }
}

fn head_lines(app: &App) -> Vec<Line<'_>> {
    let host = &app.host;
    let pool_style = if host.pool_state == "serving" { Style::new() } else { BAD };
    let unwell = match host.unwell {
        0 => Span::raw(String::new()),
        count => Span::styled(format!(", {count} unwell"), BAD),
    };
    let first = Line::from(vec![
        Span::styled("Forebay  ", HEADING),
        Span::styled(
            format!(
                "pool {} {} of {} used, devices: {}",
                host.pool_state,
                bytes(Some(host.pool_used_bytes)),
                bytes(Some(host.pool_bytes)),
                host.devices
            ),
            pool_style,
        ),
        Span::raw(format!("  RAM {}  disks: {}", bytes(Some(host.ram_bytes)), host.disks)),
        unwell,
    ]);
    let second = match (&app.away, &app.event) {
        (Some(reason), _) => Line::styled(format!("Cannot reach the daemon; trying again. {reason}"), BAD),
        (None, Some(event)) => {
            let style = match event.level.as_str() {
                "error" => BAD,
                "warning" => ODD,
                _ => FAINT,
            };
            Line::styled(format!("{} {}: {}", event.time, event.level, event.message), style)
        }
        (None, None) => Line::raw(""),
    };
    vec![first, second, Line::raw("")]
}

fn foot_line(app: &App) -> String {
    match app.view {
        View::List => "q quit  ? help  up/down choose  enter details  left/right sort  / reverse",
        View::Detail(_) => "esc back  ? help  up/down another disk  tab other histograms",
    }
    .to_owned()
}

/// A column of the list: heading, width, and content of a cell.
struct ListColumn {
    column: Option<SortColumn>,
    heading: &'static str,
    width: u16,
    text: fn(&DiskRow) -> String,
}

const fn field(
    column: Option<SortColumn>,
    heading: &'static str,
    width: u16,
    text: fn(&DiskRow) -> String,
) -> ListColumn {
    ListColumn { column, heading, width, text }
}

const FIELDS: [ListColumn; 14] = [
    field(Some(SortColumn::Name), "NAME", NAME_WIDTH as u16, |row| cut(&row.name, NAME_WIDTH)),
    field(Some(SortColumn::State), "STATE", 8, |row| cut(&row.state, 8)),
    field(None, "MD", 2, |row| mode(&row.mode).to_owned()),
    field(Some(SortColumn::Hit), "HIT", HIT_BAR_WIDTH as u16 + 5, |row| {
        format!("{} {:>4}", bar(row.hit_ratio, HIT_BAR_WIDTH), percent(row.hit_ratio))
    }),
    field(Some(SortColumn::Reads), "R/S", 5, |row| rate(row.reads)),
    field(Some(SortColumn::Writes), "W/S", 5, |row| rate(row.writes)),
    field(Some(SortColumn::ReadBytes), "RMB/S", 5, |row| megabytes(row.read_bytes)),
    field(Some(SortColumn::WriteBytes), "WMB/S", 5, |row| megabytes(row.write_bytes)),
    field(Some(SortColumn::MissLatency), "MISS99", 6, |row| latency(row.miss_p99_us)),
    field(Some(SortColumn::WriteLatency), "WRIT99", 6, |row| latency(row.write_p99_us)),
    field(Some(SortColumn::Dirty), "DIRTY", 5, |row| percent(row.dirty_share)),
    field(None, "DIRTY B", 7, |row| bytes(row.dirty_bytes)),
    field(None, "CACHED", 6, |row| bytes(row.cached_bytes)),
    field(None, "RAM", 6, |row| bytes(row.ram_bytes)),
];
/// Number of fields on a narrow screen.
const NARROW_FIELDS: usize = 11;

/// Returns two letters for a mode.
fn mode(mode: &str) -> &'static str {
    match mode {
        "write-through" => "WT",
        "write-back" => "WB",
        "write-around" => "WA",
        "pass-through" => "PT",
        _ => NOTHING,
    }
}

fn list(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let fields = if area.width >= WIDE { &FIELDS[..] } else { &FIELDS[..NARROW_FIELDS] };
    if app.rows.is_empty() {
        let text = if app.away.is_some() { "" } else { "No disks yet: forebay disk add NAME --backing URI" };
        frame.render_widget(Paragraph::new(text), area);
        return;
    }
    let heading = |field: &ListColumn| {
        let is_sorted = field.column == Some(app.column);
        let style = if is_sorted { HEADING.add_modifier(Modifier::UNDERLINED) } else { HEADING };
        Cell::new(aligned(field, field.heading)).style(style)
    };
    let names: Vec<&str> = app.rows.iter().map(|row| &*row.name).collect();
    let names = cut_names(&names, NAME_WIDTH);
    let line = |(row, name): (&DiskRow, &String)| {
        let text = |field: &ListColumn| match field.column {
            Some(SortColumn::Name) => name.clone(),
            _ => (field.text)(row),
        };
        let style = match row.state.as_str() {
            "serving" => Style::new(),
            "attaching" | "detaching" | "removing" => ODD,
            _ => BAD,
        };
        Cells::new(fields.iter().map(|field| aligned(field, &text(field)))).style(style)
    };
    let table = Table::new(
        app.rows.iter().zip(&names).map(line),
        fields.iter().map(|field| Constraint::Length(field.width)),
    )
    .header(Cells::new(fields.iter().map(heading)))
    .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = TableState::new().with_selected(app.selected());
    frame.render_stateful_widget(table, area, &mut state);
}

/// Returns a cell: words to the left, figures to the right.
fn aligned(field: &ListColumn, text: &str) -> String {
    let width = usize::from(field.width);
    if matches!(field.heading, "NAME" | "STATE" | "MD" | "HIT") {
        text.to_owned()
    } else {
        format!("{text:>width$}")
    }
}

fn help(frame: &mut Frame<'_>, area: Rect) {
    let lines = keys::HELP.iter().map(|line| Line::raw(*line));
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()).wrap(Wrap { trim: false }), area);
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
