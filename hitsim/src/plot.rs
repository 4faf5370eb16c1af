//! Charts as one SVG without scripts, fonts or network: of rows, miss ratio against the size of the cache with flash writes below it, and of
//! any series. Sizes are on a logarithmic axis.

use crate::run::Row;

const WIDTH: f64 = 980.0;
const PANEL_HEIGHT: f64 = 360.0;
const TOP: f64 = 44.0;
/// Inner area of a panel: left, right, and above and below it.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 760.0;
const ABOVE: f64 = 30.0;
const BELOW: f64 = 52.0;

/// Height of a line of the legend, if there is room.
const LEGEND_ROW: f64 = 19.0;

/// Colours that are distinguishable with any kind of colour vision (M. Okabe, K. Ito: Color Universal Design, 2008); lines beyond the first
/// round are dashed.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"];
const DASHES: [&str; 3] = ["", "7 3", "2 3"];

/// Maximum number of marks on an axis.
const MARKS_MAX: usize = 9;

/// Line of a chart, as of one policy.
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Points (x, y) in order of x. On the axis of sizes x is in bytes.
    pub points: Vec<(f64, f64)>,
}

/// Horizontal axis of a chart, with its title.
pub enum Axis<'a> {
    /// Sizes in bytes, logarithmic.
    Sizes(&'a str),
    /// Numbers.
    Numbers(&'a str),
    /// Names, the x of the first being 0 and of the next 1.
    Names(&'a str, &'a [String]),
}

/// Values on the vertical axis.
struct Panel<'a> {
    title: &'a str,
    top: f64,
    series: Vec<Series>,
}

/// Draws rows; `title` is above the chart.
pub fn svg(title: &str, rows: &[Row]) -> String {
    let panels = [
        Panel { title: "Miss ratio", top: TOP, series: series(rows, Row::miss_ratio) },
        Panel {
            title: "Flash writes per access, in blocks",
            top: TOP + PANEL_HEIGHT,
            series: series(rows, Row::flash_writes_per_access),
        },
    ];
    draw_all(title, &Axis::Sizes("Size of the cache"), &panels)
}

/// Draws lines below a title; `value` names the vertical axis.
pub fn chart(title: &str, value: &str, axis: &Axis<'_>, series: Vec<Series>) -> String {
    draw_all(title, axis, &[Panel { title: value, top: TOP, series }])
}

fn draw_all(title: &str, axis: &Axis<'_>, panels: &[Panel<'_>]) -> String {
    #[expect(clippy::cast_precision_loss, reason = "one panel or two")]
    let height = TOP + PANEL_HEIGHT * panels.len() as f64;
    let mut lines = vec![
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
             font-family=\"sans-serif\" font-size=\"13\">"
        ),
        format!("<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>"),
        text(LEFT, 26.0, "start", "font-size=\"17\"", title),
    ];
    for panel in panels {
        lines.extend(panel.draw(axis));
    }
    lines.push("</svg>".to_owned());
    lines.join("\n") + "\n"
}

/// Returns one line for each policy, and for each block size if there are several.
#[expect(clippy::cast_precision_loss, reason = "sizes on a picture")]
fn series(rows: &[Row], value: fn(&Row) -> f64) -> Vec<Series> {
    let mixed = rows.iter().any(|row| row.point.block_bytes != rows[0].point.block_bytes);
    let mut all: Vec<Series> = Vec::new();
    for row in rows {
        let policy = row.point.policy;
        let block = binary(f64::from(row.point.block_bytes));
        let name = if mixed { format!("{policy} {block}") } else { policy.to_string() };
        let point = (row.point.size_bytes as f64, value(row));
        match all.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push(point),
            None => all.push(Series { name, points: vec![point] }),
        }
    }
    for series in &mut all {
        series.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    all
}

impl Axis<'_> {
    fn title(&self) -> &str {
        match self {
            Self::Sizes(title) | Self::Numbers(title) | Self::Names(title, _) => title,
        }
    }

    /// Returns the place of x between the first and the last, from 0 to 1.
    fn place(&self, x: f64, (first, last): (f64, f64)) -> f64 {
        match self {
            _ if last <= first => 0.5,
            Self::Sizes(_) => (x / first).ln() / (last / first).ln(),
            Self::Numbers(_) | Self::Names(..) => (x - first) / (last - first),
        }
    }

    #[expect(clippy::cast_sign_loss, reason = "the x of a name is its number")]
    fn label(&self, x: f64) -> String {
        match self {
            Self::Sizes(_) => binary(x),
            Self::Numbers(_) => format!("{x}"),
            Self::Names(_, names) => names.get(x as usize).cloned().unwrap_or_default(),
        }
    }
}

impl Panel<'_> {
    fn draw(&self, axis: &Axis<'_>) -> Vec<String> {
        let (top, bottom) = (self.top + ABOVE, self.top + PANEL_HEIGHT - BELOW);
        let step = step(self.series.iter().flat_map(|series| series.points.iter().map(|point| point.1)));
        let most = self.marks(step).last().copied().unwrap_or(1.0);
        let y = |value: f64| bottom - (bottom - top) * value / most;
        let mut places: Vec<f64> =
            self.series.iter().flat_map(|series| series.points.iter().map(|point| point.0)).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let ends = (places.first().copied().unwrap_or(1.0), places.last().copied().unwrap_or(1.0));
        let x = |at: f64| LEFT + (RIGHT - LEFT) * axis.place(at, ends);
        let mut lines = vec![text(LEFT, self.top + 18.0, "start", "font-weight=\"bold\"", self.title)];
        for mark in self.marks(step) {
            lines.push(line((LEFT, y(mark)), (RIGHT, y(mark)), "#dddddd"));
            lines.push(text(LEFT - 8.0, y(mark) + 4.0, "end", "", &number(mark, step)));
        }
        for at in marked(&places) {
            lines.push(line((x(at), bottom), (x(at), bottom + 5.0), "#444444"));
            lines.push(text(x(at), bottom + 20.0, "middle", "", &axis.label(at)));
        }
        lines.push(line((LEFT, bottom), (RIGHT, bottom), "#444444"));
        lines.push(text(
            f64::midpoint(LEFT, RIGHT),
            bottom + 40.0,
            "middle",
            "fill=\"#555555\"",
            axis.title(),
        ));
        #[expect(clippy::cast_precision_loss, reason = "a few lines of a legend")]
        let rows = (bottom - top) / self.series.len().max(1) as f64;
        for (at, series) in self.series.iter().enumerate() {
            lines.extend(series.draw(at, (top, rows.min(LEGEND_ROW)), x, y));
        }
        lines
    }

    /// Returns the marks on the vertical axis: from 0 to beyond the largest value.
    fn marks(&self, step: f64) -> Vec<f64> {
        let values = self.series.iter().flat_map(|series| series.points.iter().map(|point| point.1));
        let most = values.fold(step, f64::max);
        let below = std::iter::successors(Some(0.0), |mark| Some(mark + step))
            .take_while(|mark| *mark < most - step * 1e-9);
        let mut marks: Vec<f64> = below.collect();
        marks.push(marks.last().map_or(step, |mark| mark + step));
        marks
    }
}

impl Series {
    #[expect(clippy::cast_precision_loss, reason = "a few lines of a legend")]
    fn draw(
        &self,
        at: usize,
        (top, height): (f64, f64),
        x: impl Fn(f64) -> f64,
        y: impl Fn(f64) -> f64,
    ) -> Vec<String> {
        let colour = COLOURS[at % COLOURS.len()];
        let dash = DASHES[at / COLOURS.len() % DASHES.len()];
        let style =
            format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"");
        let places: Vec<(f64, f64)> = self.points.iter().map(|(size, value)| (x(*size), y(*value))).collect();
        let joined: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let mut lines = vec![format!("<polyline points=\"{}\" {style}/>", joined.join(" "))];
        for (x, y) in places {
            lines.push(format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>"));
        }
        let row = top + 10.0 + height * at as f64;
        let (from, to) = (RIGHT + 20.0, RIGHT + 48.0);
        lines.push(format!("<polyline points=\"{from},{row:.1} {to},{row:.1}\" {style}/>"));
        lines.push(text(to + 8.0, row + 4.0, "start", "", &self.name));
        lines
    }
}

/// Returns the distance of marks, a round number, so that there are about five.
fn step(values: impl Iterator<Item = f64>) -> f64 {
    let most = values.fold(0.0, f64::max);
    if most <= 0.0 {
        return 0.2;
    }
    let rough = most / 5.0;
    let power = 10_f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= rough).unwrap_or(10.0);
    factor * power
}

/// Returns a mark as a number with as many digits as its step needs.
fn number(mark: f64, step: f64) -> String {
    let digits = (-step.log10().floor()).clamp(0.0, 9.0);
    #[expect(clippy::cast_sign_loss, reason = "from 0 to 9")]
    let digits = digits as usize;
    format!("{mark:.digits$}")
}

/// Returns the places to mark: all if they are few, otherwise some of them.
fn marked(places: &[f64]) -> impl Iterator<Item = f64> + '_ {
    places.iter().copied().step_by(places.len().div_ceil(MARKS_MAX).max(1))
}

/// Returns a size in binary units, with at most three digits.
fn binary(bytes: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let (mut size, mut unit) = (bytes, 0);
    while size >= 1000.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    let digits =
        if size >= 100.0 || (size - size.round()).abs() < 1e-9 { 0 } else { usize::from(size < 10.0) + 1 };
    format!("{size:.digits$}{}", units[unit])
}

fn line((x1, y1): (f64, f64), (x2, y2): (f64, f64), colour: &str) -> String {
    format!("<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"/>")
}

fn text(x: f64, y: f64, anchor: &str, more: &str, content: &str) -> String {
    let content = content.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {more}>{content}</text>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Point;
    use crate::tally::Tally;

    fn row(policy: &str, size_bytes: u64, misses: u64) -> Row {
        let point = Point { policy: policy.parse().unwrap(), size_bytes, block_bytes: 4096 };
        Row {
            point,
            tally: Tally { accesses: 1000, misses, reads: 1000, read_misses: misses },
            flash_data_bytes: misses * 2048,
            turnovers: None,
            again: None,
            served: None,
        }
    }

    #[test]
    fn each_policy_is_a_line_in_both_panels_with_its_name() {
        let rows = [
            row("lru", 1 << 20, 900),
            row("served", 1 << 20, 800),
            row("lru", 1 << 30, 100),
            row("served", 1 << 30, 50),
        ];
        let picture = svg("a <b> & c", &rows);
        assert!(picture.contains("a &lt;b&gt; &amp; c") && !picture.contains("<b>"));
        for wanted in [">lru<", ">served<", ">1MiB<", ">1GiB<", ">Miss ratio<", ">1.0<"] {
            assert!(picture.contains(wanted), "{wanted}");
        }
        assert_eq!(picture.matches("<circle").count(), 8);
        assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
    }

    #[test]
    fn nothing_one_point_and_all_zero_are_pictures_too() {
        for rows in [vec![], vec![row("lru", 1 << 20, 0)], vec![row("lru", 1 << 20, 1000)]] {
            let picture = svg("t", &rows);
            assert!(picture.ends_with("</svg>\n") && !picture.contains("NaN") && !picture.contains("inf"));
        }
    }

    #[test]
    fn a_chart_of_names_has_them_below_and_one_of_numbers_their_numbers() {
        let series = || vec![Series { name: "a".to_owned(), points: vec![(0.0, 2.0), (1.0, 4.0)] }];
        let names = ["first".to_owned(), "second".to_owned()];
        let picture = chart("t", "IOPS", &Axis::Names("pass", &names), series());
        assert!(picture.contains(">first<") && picture.contains(">second<") && picture.contains(">pass<"));
        let picture = chart("t", "IOPS", &Axis::Numbers("tiles"), series());
        assert!(picture.contains(">1<") && picture.contains(">IOPS<") && !picture.contains("NaN"));
    }

    #[test]
    fn marks_are_round_and_reach_beyond_the_largest_value() {
        assert!((step([0.93].into_iter()) - 0.2).abs() < 1e-12);
        assert!((step([0.004].into_iter()) - 0.001).abs() < 1e-12);
        assert_eq!(number(0.2 + 0.1, 0.1), "0.3");
        assert_eq!(number(2.0, 0.5), "2.0");
        assert_eq!([binary(4096.0), binary(1_102_684_160.0), binary(1536.0)], ["4KiB", "1.03GiB", "1.50KiB"]);
    }
}
