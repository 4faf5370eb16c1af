//! `forebay history`: a disk's last five minutes, day or week, in as many lines as a screen has; all of its
//! steps as comma-separated values or JSON.

use base::error::Result;
use base::moment::Moment;
use base::names;
use base::units::Size;
use serde_json::Value;
use telemetry::series::Span;

use super::bar::Ink;
use super::client;
use crate::cli::HistoryOptions;
use crate::output::{self, list, percent, text};

/// Characters of the longest bar.
const BAR_WIDTH: u64 = 10;
const NOTHING: &str = "-";

pub(super) fn run(options: &HistoryOptions) -> Result<()> {
    names::check(&options.name)?;
    let span = options.span.unwrap_or_default();
    let path = format!("/v1/history/{}?span={}", options.name, span.name());
    let document = client(&options.reading.daemon)?.get(&path)?;
    let history = &document["history"];
    output::print(&match (options.reading.json, options.csv) {
        (true, _) => format!("{document}\n"),
        (false, true) => csv(history),
        (false, false) => show(history, span, Ink::of_process()),
    })
}

/// Returns the seconds of a line.
fn line_seconds(span: Span) -> u64 {
    match span {
        Span::FiveMinutes => 30,
        Span::Day => 3_600,
        Span::Week => 6 * 3_600,
    }
}

/// Sum of some steps.
#[derive(Clone, Debug, Default)]
struct HistoryLine {
    seconds: f64,
    reads: u64,
    hits: u64,
    writes: u64,
    backing: u64,
    bytes: u64,
    flash_write_bytes: u64,
    /// Microseconds of all reads, and of all writes.
    read_us: f64,
    write_us: f64,
    /// The largest of its steps: percentiles cannot be added up.
    read_p99_us: Option<f64>,
    dirty_bytes_max: u64,
}

impl HistoryLine {
    #[expect(clippy::cast_precision_loss, reason = "figures for people; counts stay far below 2^52")]
    fn add(&mut self, history: &Value, at: usize) {
        let count = |key: &str| history[key][at].as_u64().unwrap_or(0);
        let mean = |key: &str| history[key][at].as_f64().unwrap_or(0.0);
        let (reads, writes) = (count("reads"), count("writes"));
        self.seconds += mean("seconds");
        for (sum, keys) in [
            (&mut self.reads, &["reads"][..]),
            (&mut self.writes, &["writes"]),
            (&mut self.hits, &["read_hits_ram", "read_hits_flash"]),
            (&mut self.backing, &["backing_reads", "backing_writes"]),
            (&mut self.bytes, &["read_bytes", "write_bytes"]),
            (&mut self.flash_write_bytes, &["flash_write_bytes"]),
        ] {
            *sum = keys.iter().fold(*sum, |sum, key| sum.saturating_add(count(key)));
        }
        self.read_us += mean("read_latency_us") * reads as f64;
        self.write_us += mean("write_latency_us") * writes as f64;
        let p99 = history["read_p99_us"][at].as_f64();
        self.read_p99_us = [self.read_p99_us, p99].into_iter().flatten().reduce(f64::max);
        self.dirty_bytes_max = self.dirty_bytes_max.max(count("dirty_bytes_max"));
    }

    #[expect(clippy::cast_precision_loss, reason = "figures for people; counts stay far below 2^52")]
    #[expect(clippy::cast_sign_loss, reason = "rates of what only rises")]
    fn cells(&self, ink: Ink) -> Vec<String> {
        let asked = self.reads.saturating_add(self.writes);
        let rate = |count: u64| count as f64 / self.seconds.max(f64::MIN_POSITIVE);
        let share = |part: f64, whole: u64| percent(&(whole > 0).then(|| part / whole as f64).into());
        let time = |micros: Option<f64>| match micros {
            None => NOTHING.to_owned(),
            Some(micros) if micros < 10_000.0 => format!("{micros:.0} us"),
            Some(micros) => format!("{:.0} ms", micros / 1_000.0),
        };
        let mean = |sum: f64, count: u64| time((count > 0).then(|| sum / count as f64));
        vec![
            format!("{:.0}", rate(asked)),
            format!("{}/s", Size(rate(self.bytes) as u64)),
            mean(self.read_us, self.reads),
            time(self.read_p99_us),
            mean(self.write_us, self.writes),
            share(asked as f64 - self.backing as f64, asked),
            Size(self.dirty_bytes_max).to_string(),
            Size(self.flash_write_bytes).to_string(),
            share(self.hits as f64, self.reads),
            ink.bar(self.hits.min(self.reads), self.reads.max(1), BAR_WIDTH),
        ]
    }
}

fn show(history: &Value, span: Span, ink: Ink) -> String {
    let seconds = line_seconds(span);
    let times: Vec<u64> = list(&history["time"]).iter().filter_map(Value::as_u64).collect();
    let now = Moment(history["now"].as_u64().unwrap_or(0));
    let head = format!("Disk {}, until {now}, times in UTC\n\n", text(&history["name"]));
    // A step that ends when a line does belongs to that line.
    let line_of = |time: &u64| time.saturating_sub(1) / seconds;
    let (Some(first), Some(last)) = (times.first().map(line_of), times.last().map(line_of)) else {
        return format!("{head}Nothing is known of this time: the disk was not served\n");
    };
    let mut rows = Vec::new();
    for number in first..=last {
        let mut line = HistoryLine::default();
        let steps = times.iter().enumerate().filter(|(_, time)| line_of(time) == number);
        steps.for_each(|(at, _)| line.add(history, at));
        let cells = if line.seconds > 0.0 { line.cells(ink) } else { nothing() };
        rows.push([vec![when(number * seconds, span)], cells].concat());
    }
    let headings =
        ["FROM", "REQ/S", "BYTES", "READ", "READ P99", "WRITE", "SAVED", "DIRTY", "TO FLASH", "HIT", ""];
    head + &output::table(&headings, &rows)
}

/// Returns the cells of a line without data.
fn nothing() -> Vec<String> {
    let mut cells = vec![NOTHING.to_owned(); 9];
    cells.push(String::new());
    cells
}

/// Returns a time in a short form.
fn when(seconds: u64, span: Span) -> String {
    let told = Moment(seconds).to_string();
    match span {
        Span::FiveMinutes => told[11..19].to_owned(),
        Span::Day | Span::Week => format!("{} {}", &told[5..10], &told[11..16]),
    }
}

/// Returns a line for every step, with every column of the document.
fn csv(history: &Value) -> String {
    let columns: Vec<(&String, &Vec<Value>)> = history
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(key, column)| Some((key, column.as_array()?)))
        .collect();
    let names = columns.iter().map(|(key, _)| if *key == "time" { "time_utc" } else { key.as_str() });
    let mut lines = vec![names.collect::<Vec<_>>().join(",")];
    for at in 0..list(&history["time"]).len() {
        let cells = columns.iter().map(|(key, column)| cell(key, &column[at]));
        lines.push(cells.collect::<Vec<_>>().join(","));
    }
    lines.join("\n") + "\n"
}

fn cell(key: &str, value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        // In a form that spreadsheets read.
        Value::Number(time) if key == "time" => {
            let told = Moment(time.as_u64().unwrap_or(0)).to_string();
            told.trim_end_matches('Z').replace('T', " ")
        }
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;
    use telemetry::series::{Gauges, HistoryStep, Percentiles, Sums};

    use super::*;
    use crate::cli::{Cli, Command};
    use crate::documents;

    const NOON: u64 = 1_800_000_000;

    fn step(number: u64) -> HistoryStep {
        let sums = Sums {
            reads: 6_000,
            read_hits_ram: 1_500,
            read_hits_flash: 3_000,
            writes: 3_000,
            backing_reads: 1_500,
            backing_writes: 3_000,
            read_bytes: 6_000 << 12,
            write_bytes: 3_000 << 12,
            flash_write_bytes: 1 << 20,
            read_ns: 6_000 * 250_000,
            write_ns: 3_000 * 12_000_000,
            ..Sums::default()
        };
        let gauges = Gauges { dirty_bytes: 0, dirty_limit_bytes: 1 << 30, cached_bytes: 1 << 20 };
        // 99 of a hundred reads took 1.6 us or less, times the steps since noon.
        let percentiles = Percentiles::from_words([1, 2, (number - NOON / 300) * 100]);
        HistoryStep { number, covered_ms: 300_000, sums, gauges, dirty_bytes_max: 3 << 20, percentiles }
    }

    /// Returns two hours with a step at the end of each, and an unfinished one two hours later.
    fn history() -> Value {
        let first = NOON / 300;
        let steps = [step(first + 11), step(first + 23), step(first + 48)];
        json!(documents::disk_history("a", Span::Day, Moment(NOON + 4 * 3_600 + 60), &steps))
    }

    #[test]
    fn a_line_is_an_hour_and_one_of_which_nothing_is_known_says_so() {
        let shown = show(&history(), Span::Day, Ink::Ascii);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "Disk a, until 2027-01-15T12:01:00Z, times in UTC");
        let cells = |line: &str| {
            line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join("|")
        };
        let full = |p99| format!("30|120KiB/s|250 us|{p99} us|12 ms|50.0%|3MiB|1MiB|75.0%|########");
        let all = [
            format!("01-15 08:00|{}", full(18)),
            format!("01-15 09:00|{}", full(37)),
            "01-15 10:00|-|-|-|-|-|-|-|-|-".to_owned(),
        ];
        assert_eq!(lines[3..6].iter().map(|line| cells(line)).collect::<Vec<_>>(), all, "{shown}");
        assert_eq!(lines.len(), 3 + 5, "{shown}");
        assert!(lines.iter().all(|line| line.len() <= 100), "{shown}");
    }

    #[test]
    fn a_disk_that_did_nothing_or_is_not_known_is_no_failure() {
        let idle = HistoryStep { number: NOON / 300, covered_ms: 5_000, ..HistoryStep::default() };
        let document = json!(documents::disk_history("a", Span::Week, Moment(NOON + 60), &[idle]));
        let shown = show(&document, Span::Week, Ink::Unicode);
        assert!(
            shown.lines().last().is_some_and(|line| line.starts_with("01-15 06:00") && line.contains("0/s")),
            "{shown}"
        );
        let document = json!(documents::disk_history("a", Span::FiveMinutes, Moment(NOON), &[]));
        assert!(show(&document, Span::FiveMinutes, Ink::Unicode).contains("Nothing is known"));
        assert_eq!(csv(&document).lines().count(), 1);
    }

    #[test]
    fn comma_separated_values_have_every_step_and_every_column() {
        let text = csv(&history());
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(
            (lines.len(), lines[0].len(), &lines[0][..3]),
            (4, 27, &["time_utc", "seconds", "reads"][..])
        );
        assert!(lines.iter().all(|line| line.len() == 27), "{text}");
        assert_eq!(lines[1][..3], ["2027-01-15 09:00:00", "300.0", "6000"]);
        assert_eq!(lines[3][0], "2027-01-15 12:01:00", "it is not over");
    }

    #[test]
    fn times_are_told_as_short_as_the_span_allows() {
        assert_eq!(when(NOON, Span::FiveMinutes), "08:00:00");
        assert_eq!(when(NOON, Span::Week), "01-15 08:00");
    }

    #[test]
    fn one_way_to_tell_it_at_a_time() {
        let parse = |words: &str| Cli::try_parse_from(words.split_whitespace()).map(|cli| cli.command);
        let options = parse("forebay history a --span 7d --csv").expect("it is a command");
        assert!(matches!(
            options,
            Command::History(HistoryOptions { span: Some(Span::Week), csv: true, .. })
        ));
        assert!(
            parse("forebay history a --csv --json").is_err() && parse("forebay history a --span 1h").is_err()
        );
    }
}
