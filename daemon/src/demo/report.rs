//! Result of the demonstration: a table for people, and the same as one JSON document.

use std::fmt::Write;

use serde_json::{Value, json};

use super::workload::Observed;

/// Results of reads in one half of the demonstration. Ratios from 0 to 1, latencies in microseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReadResults {
    pub(crate) iops: f64,
    pub(crate) mean: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    pub(crate) hit_ratio: Option<f64>,
    pub(crate) hit_ratio_ram: f64,
    pub(crate) hit_ratio_flash: f64,
    pub(crate) reads: u64,
    pub(crate) backing_reads: u64,
    /// Share of reads in each class of [`CLASSES`].
    pub(crate) classes: Vec<f64>,
}

/// Upper ends of the latency classes in microseconds; the last class has none.
const CLASSES: [(u64, &str); 6] = [
    (100, "under 0.1 ms"),
    (500, "0.1 to 0.5 ms"),
    (2_000, "0.5 to 2 ms"),
    (10_000, "2 to 10 ms"),
    (50_000, "10 to 50 ms"),
    (u64::MAX, "over 50 ms"),
];

/// Changes of the disk's counters over a half.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CachedCounters {
    pub(crate) reads: u64,
    pub(crate) hits_ram: u64,
    pub(crate) hits_flash: u64,
    pub(crate) backing_reads: u64,
}

impl ReadResults {
    /// Combines measurements of the client with counters of the disk. `cached` is true if hits were possible
    /// at all.
    #[expect(clippy::cast_precision_loss, reason = "figures for people")]
    pub(crate) fn new(observed: &Observed, counted: CachedCounters, cached: bool) -> Self {
        let micros = |nanos: u64| nanos as f64 / 1_000.0;
        let quantile = |share| micros(observed.reads.value_at_quantile(share));
        let part = |count: u64| count as f64 / counted.reads.max(1) as f64;
        let mut from = 0;
        let classes = CLASSES.map(|(upto, _)| {
            let upto = upto.saturating_mul(1_000).min(observed.reads.high());
            let count = if upto > from { observed.reads.count_between(from, upto) } else { 0 };
            from = upto + 1;
            count as f64 / observed.reads.len().max(1) as f64
        });
        Self {
            iops: observed.iops(),
            mean: observed.reads.mean() / 1_000.0,
            p50: quantile(0.5),
            p99: quantile(0.99),
            p999: quantile(0.999),
            hit_ratio: cached.then(|| part(counted.hits_ram + counted.hits_flash)),
            hit_ratio_ram: part(counted.hits_ram),
            hit_ratio_flash: part(counted.hits_flash),
            reads: counted.reads,
            backing_reads: counted.backing_reads,
            classes: classes.to_vec(),
        }
    }

    fn json(&self) -> Value {
        json!({
            "iops": self.iops,
            "latency_us": {"mean": self.mean, "p50": self.p50, "p99": self.p99, "p999": self.p999},
            "hit_ratio": self.hit_ratio,
            "hit_ratio_ram": self.hit_ratio_ram,
            "hit_ratio_flash": self.hit_ratio_flash,
            "reads": self.reads,
            "backing_reads": self.backing_reads,
        })
    }

    fn backing_reads_per_thousand(&self) -> u64 {
        self.backing_reads * 1_000 / self.reads.max(1)
    }
}

/// Returns the whole document: `without`, `with`, and how many times lower the mean read latency is with the
/// cache.
pub(crate) fn json(without: &ReadResults, with: &ReadResults) -> Value {
    json!({"schema": 1, "without": without.json(), "with": with.json(), "speedup": without.mean / with.mean})
}

/// Returns the table for people.
pub(crate) fn table(without: &ReadResults, with: &ReadResults) -> String {
    let mut text = String::new();
    let mut row = |name: &str, left: String, right: String| {
        // Writing to a string cannot fail.
        writeln!(text, "  {name:<28}{left:>16}{right:>16}").expect("a string takes everything");
    };
    row("", "without".into(), "with cache".into());
    row("requests a second", format!("{:.0}", without.iops), format!("{:.0}", with.iops));
    row("read latency, mean", time(without.mean), time(with.mean));
    row("  half are faster than", time(without.p50), time(with.p50));
    row("  99 % are faster than", time(without.p99), time(with.p99));
    row("  99.9 % are faster than", time(without.p999), time(with.p999));
    row("reads answered by the cache", "-".into(), percent(with.hit_ratio.unwrap_or(0.0)));
    row("  from RAM", "-".into(), percent(with.hit_ratio_ram));
    row("  from flash", "-".into(), percent(with.hit_ratio_flash));
    row(
        "array reads per 1,000 reads",
        without.backing_reads_per_thousand().to_string(),
        with.backing_reads_per_thousand().to_string(),
    );
    text.push('\n');
    let mut row = |name: &str, left: String, right: String| {
        writeln!(text, "  {name:<14}{left:<36}{right}").expect("a string takes everything");
    };
    row("reads taking", "without".into(), "with cache".into());
    for (class, (_, name)) in CLASSES.iter().enumerate() {
        row(name, bar(without.classes[class]), bar(with.classes[class]));
    }
    writeln!(text, "\n  The mean read is {:.0} times faster with the cache.", without.mean / with.mean)
        .expect("a string takes everything");
    text
}

/// Returns a latency in the unit that suits it.
pub(crate) fn time(micros: f64) -> String {
    if micros < 1_000.0 { format!("{micros:.0} us") } else { format!("{:.1} ms", micros / 1_000.0) }
}

pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of twenty")]
fn bar(share: f64) -> String {
    let full = (share * 20.0).round() as usize;
    format!("{:<20} {:>7}", "#".repeat(full), percent(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(mean: f64) -> ReadResults {
        ReadResults {
            iops: 100.0,
            mean,
            p50: mean,
            p99: mean * 2.0,
            p999: mean * 3.0,
            hit_ratio: Some(0.9),
            hit_ratio_ram: 0.4,
            hit_ratio_flash: 0.5,
            reads: 1000,
            backing_reads: 100,
            classes: vec![0.5, 0.25, 0.25, 0.0, 0.0, 0.0],
        }
    }

    #[test]
    fn the_document_has_the_keys_that_scripts_rely_on() {
        let document = json(&side(5_000.0), &side(250.0));
        assert_eq!(document["speedup"], 20.0);
        for half in ["without", "with"] {
            for key in ["iops", "hit_ratio", "backing_reads"] {
                assert!(document[half][key].is_number(), "{half}.{key}");
            }
            for key in ["mean", "p50", "p99", "p999"] {
                assert!(document[half]["latency_us"][key].is_number(), "{half}.latency_us.{key}");
            }
        }
    }

    #[test]
    fn the_table_says_it_in_words() {
        let table = table(&side(5_000.0), &side(250.0));
        assert!(table.contains("20 times faster"), "{table}");
        assert!(table.contains("5.0 ms") && table.contains("250 us"), "{table}");
        assert!(table.lines().all(|line| line.len() < 100), "{table}");
    }
}
