//! Prometheus' text format for metrics, version 0.0.4.
//!
//! ```text
//! # HELP forebay_reads_total Read requests answered.
//! # TYPE forebay_reads_total counter
//! forebay_reads_total{disk="a"} 7
//! ```
//! Written here, because the format is three kinds of lines, and the crates that write it own the counters as
//! well, which here belong to the threads of the shards. The output is checked with Prometheus' own
//! `promtool check metrics`. Source: "Exposition formats" in the documentation of Prometheus.

use std::fmt::Write;

/// Type of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetricType {
    /// Only rises, until it is reset. Its name ends in `_total`.
    Counter,
    /// Rises and falls.
    Gauge,
    /// Counts by class. Its samples have names of their own: see [`Histogram`].
    Histogram,
}

/// Values of one name, one line for each set of labels.
#[derive(Clone, Debug)]
pub(crate) struct Family {
    name: String,
    help: String,
    kind: MetricType,
    lines: String,
}

/// Counts of measurements in classes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Histogram<'a> {
    /// The largest value of each class as text, except for the last, which has no bound.
    pub(crate) bounds: &'a [String],
    /// Count of each class.
    pub(crate) counts: &'a [u64],
    /// Sum of all measurements.
    pub(crate) sum: f64,
}

impl Family {
    /// Returns a family without values. The help is a sentence.
    pub(crate) fn new(name: impl Into<String>, help: impl Into<String>, kind: MetricType) -> Self {
        Self { name: name.into(), help: help.into(), kind, lines: String::new() }
    }

    /// Adds a value.
    pub(crate) fn push(&mut self, labels: &[(&str, &str)], value: f64) {
        self.line("", labels, None, value);
    }

    /// Adds the classes of a histogram, each with all that is not larger.
    pub(crate) fn push_histogram(&mut self, labels: &[(&str, &str)], histogram: Histogram) {
        let bounds = histogram.bounds.iter().map(String::as_str).chain(["+Inf"]);
        let mut up_to_here = 0;
        for (bound, count) in bounds.zip(histogram.counts) {
            up_to_here += count;
            self.line("_bucket", labels, Some(("le", bound)), exact(up_to_here));
        }
        self.line("_sum", labels, None, histogram.sum);
        self.line("_count", labels, None, exact(up_to_here));
    }

    /// Appends a line in place: a text has thousands of lines, and may be requested ten times a second.
    fn line(&mut self, suffix: &str, labels: &[(&str, &str)], last: Option<(&str, &str)>, value: f64) {
        let Self { name, lines, .. } = self;
        lines.extend([name.as_str(), suffix]);
        let mut before = "{";
        for (name, value) in labels.iter().copied().chain(last) {
            lines.extend([before, name, "=\""]);
            escape(lines, value, '"');
            lines.push('"');
            before = ",";
        }
        if before == "," {
            lines.push('}');
        }
        writeln!(lines, " {value}").expect("a text takes all");
    }
}

/// Returns all families as one text, without those that have no values.
pub(crate) fn text(families: &[Family]) -> String {
    let bytes = families.iter().map(|family| family.lines.len() + family.help.len() + 128).sum();
    let mut all = String::with_capacity(bytes);
    for Family { name, help, kind, lines } in families.iter().filter(|family| !family.lines.is_empty()) {
        let kind = match kind {
            MetricType::Counter => "counter",
            MetricType::Gauge => "gauge",
            MetricType::Histogram => "histogram",
        };
        all.extend(["# HELP ", name, " "]);
        escape(&mut all, help, '\\');
        all.extend(["\n# TYPE ", name, " ", kind, "\n", lines]);
    }
    all
}

/// Returns a number in the format's representation.
#[expect(clippy::cast_precision_loss, reason = "the format's own numbers; counts stay far below 2^52")]
pub(crate) fn exact(count: u64) -> f64 {
    count as f64
}

/// Appends a text with escapes: a backslash precedes backslashes, line breaks, and one more character.
fn escape(escaped: &mut String, text: &str, also: char) {
    if !text.contains(['\n', '\\', also]) {
        escaped.push_str(text);
        return;
    }
    for character in text.chars() {
        match character {
            '\n' => escaped.push_str("\\n"),
            '\\' => escaped.push_str("\\\\"),
            _ if character == also => escaped.extend(['\\', character]),
            _ => escaped.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_has_its_help_its_type_and_a_line_for_each_value() {
        let mut reads = Family::new("forebay_reads_total", "Read requests answered.", MetricType::Counter);
        reads.push(&[("disk", "a")], 7.0);
        reads.push(&[("disk", "b")], exact(1 << 52));
        let empty = Family::new("forebay_nothing", "Nothing.", MetricType::Gauge);
        assert_eq!(
            text(&[reads, empty]),
            "# HELP forebay_reads_total Read requests answered.\n# TYPE forebay_reads_total counter\n\
             forebay_reads_total{disk=\"a\"} 7\nforebay_reads_total{disk=\"b\"} 4503599627370496\n"
        );
    }

    #[test]
    fn a_histogram_counts_all_that_is_not_larger() {
        let mut latency = Family::new("forebay_write_latency_seconds", "Writes.", MetricType::Histogram);
        let bounds = ["0.001", "0.01"].map(str::to_owned);
        latency.push_histogram(&[("disk", "a")], Histogram { bounds: &bounds, counts: &[2, 0, 3], sum: 1.5 });
        assert_eq!(
            latency.lines.lines().collect::<Vec<_>>(),
            [
                "forebay_write_latency_seconds_bucket{disk=\"a\",le=\"0.001\"} 2",
                "forebay_write_latency_seconds_bucket{disk=\"a\",le=\"0.01\"} 2",
                "forebay_write_latency_seconds_bucket{disk=\"a\",le=\"+Inf\"} 5",
                "forebay_write_latency_seconds_sum{disk=\"a\"} 1.5",
                "forebay_write_latency_seconds_count{disk=\"a\"} 5",
            ]
        );
    }

    #[test]
    fn text_of_others_cannot_end_a_line_or_a_label() {
        let mut family = Family::new("x", "A \\ and a\nbreak \"here\".", MetricType::Gauge);
        family.push(&[("path", "a\"b\\c\nd")], 1.0);
        assert_eq!(
            text(&[family]),
            "# HELP x A \\\\ and a\\nbreak \"here\".\n# TYPE x gauge\nx{path=\"a\\\"b\\\\c\\nd\"} 1\n"
        );
    }
}
