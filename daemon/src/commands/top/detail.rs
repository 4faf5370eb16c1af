//! One disk on the whole screen: figures, its last minutes, and histograms if the daemon has them.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Sparkline, Wrap};
use serde_json::Value;

use super::app::App;
use super::figures::{bar, bytes, latency, megabytes, percent, rate};
use super::model::{DiskRow, Point};
use super::screen::{BAD, FAINT, HEADING};
use crate::output::list;

const BAR_WIDTH: usize = 20;

/// Draws the details of a disk.
pub(super) fn draw(frame: &mut Frame<'_>, app: &App, name: &str, area: Rect) {
    let Some(row) = app.rows.iter().find(|row| row.name == name) else { return };
    let reason_lines = if row.reason.is_some() { 2 } else { 0 };
    let [figures, reason, past, histograms] = Layout::vertical([
        Constraint::Length(5),
        Constraint::Length(reason_lines),
        Constraint::Length(8),
        Constraint::Min(0),
    ])
    .areas(area);
    frame.render_widget(Paragraph::new(figure_lines(row)), figures);
    let text = row.reason.as_deref().unwrap_or_default();
    frame.render_widget(Paragraph::new(text).style(BAD).wrap(Wrap { trim: true }), reason);
    draw_history(frame, &app.past.last(name, usize::from(area.width)), past);
    draw_histograms(frame, app, histograms);
}

/// Returns the figures, twenty columns for each: four in eighty.
fn figure_lines(row: &DiskRow) -> Vec<Line<'static>> {
    let line = |pairs: &[(&str, String)]| {
        let spans = pairs.iter().flat_map(|(name, value)| {
            [Span::styled(format!("{name:<9} "), FAINT), Span::raw(format!("{value:<9} "))]
        });
        Line::from(spans.collect::<Vec<_>>())
    };
    vec![
        Line::from(vec![
            Span::styled(row.name.clone(), HEADING),
            Span::raw(format!("  {}  {}", row.state, row.mode)),
        ]),
        line(&[
            ("reads/s", rate(row.reads)),
            ("writes/s", rate(row.writes)),
            ("read MB", megabytes(row.read_bytes)),
            ("write MB", megabytes(row.write_bytes)),
        ]),
        line(&[
            ("hits", percent(row.hit_ratio)),
            ("miss p99", latency(row.miss_p99_us)),
            ("write p99", latency(row.write_p99_us)),
            ("destaged MB", megabytes(row.destage_bytes)),
        ]),
        line(&[
            ("dirty", format!("{} {}", bytes(row.dirty_bytes), percent(row.dirty_share))),
            ("cached", bytes(row.cached_bytes)),
            ("RAM", bytes(row.ram_bytes)),
            ("backing", format!("{}r {}w", rate(row.backing_reads), rate(row.backing_writes))),
        ]),
        Line::raw(""),
    ]
}

/// A figure over time: its name, its value in a point, and its maximum as a number and in words.
type FigureSeries = (&'static str, fn(&Point) -> u64, u64, String);

/// Draws the last minutes: one line of bars for each figure, newest at the right.
fn draw_history(frame: &mut Frame<'_>, points: &[Point], area: Rect) {
    let all = Layout::vertical([Constraint::Length(2); 4]).split(area);
    let most = |figure: fn(&Point) -> u64| points.iter().map(figure).max().unwrap_or(0);
    let figures: [FigureSeries; 4] = [
        ("hit ratio", |point| point.hit_percent.unwrap_or(0), 100, "100%".to_owned()),
        ("reads/s", |point| point.reads, most(|point| point.reads), most(|point| point.reads).to_string()),
        (
            "writes/s",
            |point| point.writes,
            most(|point| point.writes),
            most(|point| point.writes).to_string(),
        ),
        (
            "dirty",
            |point| point.dirty_bytes,
            most(|point| point.dirty_bytes),
            bytes(Some(most(|point| point.dirty_bytes))),
        ),
    ];
    for ((name, figure, most, label), area) in figures.into_iter().zip(all.iter()) {
        let [title, bars] = Layout::horizontal([Constraint::Length(18), Constraint::Min(1)]).areas(*area);
        frame.render_widget(Paragraph::new(format!("{name}, to {label}")).style(FAINT), title);
        let newest = points.len().saturating_sub(usize::from(bars.width));
        let data: Vec<u64> = points[newest..].iter().map(figure).collect();
        frame.render_widget(Sparkline::default().data(data).max(most.max(1)), bars);
    }
}

/// A histogram of the document: its title and unit, and its classes.
struct HistogramView<'a> {
    title: String,
    unit: &'a str,
    classes: &'a [Value],
}

fn draw_histograms(frame: &mut Frame<'_>, app: &App, area: Rect) {
    let all = app.histograms.as_ref().map_or_else(Vec::new, histograms);
    // Two next to each other, and the next two with each press of a key.
    let pages = all.len().div_ceil(2).max(1);
    let shown = all.iter().skip(2 * (app.page % pages)).take(2);
    let halves = Layout::horizontal([Constraint::Percentage(50); 2]).split(area);
    for (histogram, area) in shown.zip(halves.iter()) {
        let lines = usize::from(area.height);
        frame.render_widget(Paragraph::new(histogram_lines(histogram, lines)), *area);
    }
}

/// Returns the histograms with any count.
fn histograms(document: &Value) -> Vec<HistogramView<'_>> {
    let mut all = Vec::new();
    for what in ["latency", "size", "seek", "outstanding", "interarrival"] {
        let Some(content) = document[what].as_object() else { continue };
        let unit = content.get("unit").and_then(Value::as_str).unwrap_or_default();
        for (name, classes) in content {
            let classes = list(classes);
            if classes.iter().any(|class| class["count"].as_u64() > Some(0)) {
                all.push(HistogramView {
                    title: format!("{what} of {}", name.replace('_', " ")),
                    unit,
                    classes,
                });
            }
        }
    }
    all
}

/// Returns a title and a bar for each class, without empty classes at both ends.
#[expect(clippy::cast_precision_loss, reason = "a share for a bar")]
fn histogram_lines(histogram: &HistogramView<'_>, lines_max: usize) -> Vec<Line<'static>> {
    let count = |class: &Value| class["count"].as_u64().unwrap_or(0);
    let classes = histogram.classes;
    let first = classes.iter().position(|class| count(class) > 0).unwrap_or(0);
    let last = classes.iter().rposition(|class| count(class) > 0).unwrap_or(0);
    let sum: u64 = classes.iter().map(count).sum();
    let title = Line::styled(format!("{}, {}", histogram.title, histogram.unit), HEADING);
    let bars = classes[first..=last].iter().map(|class| {
        let share = count(class) as f64 / sum as f64;
        let upto = class["upto"].as_i64().map_or_else(|| "more".to_owned(), |upto| upto.to_string());
        Line::raw(format!("{upto:>10} {} {:>4}", bar(Some(share), BAR_WIDTH), percent(Some(share))))
    });
    std::iter::once(title).chain(bars).take(lines_max).collect()
}
