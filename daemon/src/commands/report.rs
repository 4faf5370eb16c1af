//! `forebay report`: before and after on one's own disk, from the counters that every disk keeps, across restarts.
//!
//! "Before" is not measured but concluded: had there been no cache, every read would have taken as long as those did that
//! went to the backing. That is fair to the cache and a little hard on it: without it the backing would have been busier.
//! Nothing here guesses beyond that; where no read went to the backing there is no "before".

use std::fmt::Write;

use serde_json::{Value, json};

use super::client;
use crate::api;
use crate::cli::Report;
use crate::names;
use crate::output;
use crate::problem::{Answer, Problem};
use crate::units::Size;

/// Latencies of reads, by the names that statistics have: hits first, what went to the backing last.
const CLASSES: [&str; 3] = ["read_hit_ram", "read_hit_flash", "read_miss"];

pub(super) fn run(options: &Report) -> Answer<()> {
    names::check(&options.name)?;
    let document = client(&options.reading.daemon)?.get(&format!("/v1/stats/{}", options.name))?;
    let gain = Gain::from(&document["disks"][0]["total"]).ok_or_else(|| {
        Problem::unavailable(format!(
            "Cannot report on disk '{}': the daemon does not say what it counted in all; try again, and restart the \
             daemon if it is of another version",
            options.name
        ))
    })?;
    if options.reading.json {
        return output::print(&format!("{}\n", api::document("report", gain.json(&options.name))));
    }
    output::print(&gain.text(&options.name))
}

/// What the cache did for a disk. Times in microseconds.
#[derive(Clone, Debug, PartialEq)]
struct Gain {
    /// When counting began, as RFC 3339 has it.
    since: String,
    reads: u64,
    read_bytes: u64,
    hits_ram: u64,
    hits_flash: u64,
    backing_reads: u64,
    backing_read_bytes: u64,
    flash_write_bytes: u64,
    /// Mean of all reads; none without reads.
    mean: Option<f64>,
    /// Mean of the reads that went to the backing, and how many they are.
    mean_backing: Option<f64>,
    measured_backing: u64,
}

impl Gain {
    /// From what a disk counted in all; none if that is not known.
    fn from(total: &Value) -> Option<Self> {
        let count = |key: &str| total[key].as_u64();
        let class = |name: &str| {
            let latency = &total["latency_us"][name];
            Some((latency["count"].as_u64()?, latency["mean"].as_f64()?))
        };
        let classes: Vec<(u64, f64)> = CLASSES.iter().filter_map(|name| class(name)).collect();
        let &[.., (measured_backing, mean_backing)] = classes.as_slice() else { return None };
        Some(Self {
            since: total["since"].as_str()?.to_owned(),
            reads: count("reads")?,
            read_bytes: count("read_bytes")?,
            hits_ram: count("read_hits_ram")?,
            hits_flash: count("read_hits_flash")?,
            backing_reads: count("backing_reads")?,
            backing_read_bytes: count("backing_read_bytes")?,
            flash_write_bytes: count("flash_write_bytes")?,
            mean: mean_of(&classes),
            mean_backing: (measured_backing > 0).then_some(mean_backing),
            measured_backing,
        })
    }

    /// How many times faster the mean read is. Below one, the cache makes it slower.
    fn times_faster(&self) -> Option<f64> {
        Some(self.mean_backing? / self.mean.filter(|mean| *mean > 0.0)?)
    }

    #[expect(clippy::cast_precision_loss, reason = "a ratio for people; counts stay far below 2^52")]
    fn share(&self, count: u64) -> Option<f64> {
        (self.reads > 0).then(|| count as f64 / self.reads as f64)
    }

    fn json(&self, name: &str) -> Value {
        json!({
            "name": name,
            "since": self.since,
            "reads": self.reads,
            "hit_ratio": self.share(self.hits_ram + self.hits_flash),
            "hit_ratio_ram": self.share(self.hits_ram),
            "hit_ratio_flash": self.share(self.hits_flash),
            "without": {
                "read_mean_us": self.mean_backing,
                "backing_reads": self.reads,
                "backing_read_bytes": self.read_bytes,
            },
            "with": {
                "read_mean_us": self.mean,
                "backing_reads": self.backing_reads,
                "backing_read_bytes": self.backing_read_bytes,
            },
            "times_faster": self.times_faster(),
            "measured_backing_reads": self.measured_backing,
            "flash_write_bytes": self.flash_write_bytes,
        })
    }

    fn text(&self, name: &str) -> String {
        if self.reads == 0 {
            return format!("Disk '{name}' was not read since {}: there is nothing to report\n", self.since);
        }
        let percent =
            |count| self.share(count).map_or("-".to_owned(), |share| format!("{:.1} %", share * 100.0));
        let rows = [
            ("read latency, mean", time(self.mean_backing), time(self.mean)),
            ("reads from the backing", self.reads.to_string(), self.backing_reads.to_string()),
            (
                "bytes from the backing",
                Size(self.read_bytes).to_string(),
                Size(self.backing_read_bytes).to_string(),
            ),
            ("reads answered by the cache", "-".to_owned(), percent(self.hits_ram + self.hits_flash)),
            ("  from RAM", "-".to_owned(), percent(self.hits_ram)),
            ("  from flash", "-".to_owned(), percent(self.hits_flash)),
            ("bytes written to flash", "-".to_owned(), Size(self.flash_write_bytes).to_string()),
        ];
        let mut text = format!("Disk '{name}', {} reads since {}\n\n", self.reads, self.since);
        let mut line = |name: &str, without: &str, with: &str| {
            writeln!(text, "  {name:29}{without:>14}{with:>16}").expect("a text takes all");
        };
        line("", "without", "with cache");
        for (name, without, with) in &rows {
            line(name, without, with);
        }
        format!("{text}\n  {}\n", self.verdict())
    }

    fn verdict(&self) -> String {
        match self.times_faster() {
            None => "No read went to the backing yet, so there is nothing to compare with.".to_owned(),
            Some(times) if times >= 1.05 => format!(
                "The mean read is {times:.1} times faster with the cache. \"Without\" is what the {} reads took that went \
                 to the backing.",
                self.measured_backing
            ),
            Some(_) => "The cache gains nothing here so far: most of what is read is read for the first time, or the \
                 backing is as fast."
                .to_owned(),
        }
    }
}

/// The mean over several classes of (count, mean).
#[expect(clippy::cast_precision_loss, reason = "figures for people; counts stay far below 2^52")]
fn mean_of(classes: &[(u64, f64)]) -> Option<f64> {
    let count: u64 = classes.iter().map(|(count, _)| count).sum();
    let sum: f64 = classes.iter().map(|(count, mean)| *count as f64 * mean).sum();
    (count > 0).then(|| sum / count as f64)
}

/// Microseconds as people read them.
fn time(micros: Option<f64>) -> String {
    match micros {
        None => "-".to_owned(),
        Some(micros) if micros < 1_000.0 => format!("{micros:.0} us"),
        Some(micros) => format!("{:.1} ms", micros / 1_000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statistics() -> Value {
        json!({
            "since": "2026-11-21T17:15:09Z", "reads": 100, "read_bytes": 409_600, "read_hits_ram": 70, "read_hits_flash": 20,
            "backing_reads": 12, "backing_read_bytes": 65_536, "flash_write_bytes": 8_192,
            "latency_us": {
                "read_hit_ram": {"count": 70, "mean": 10.0},
                "read_hit_flash": {"count": 20, "mean": 100.0},
                "read_miss": {"count": 10, "mean": 5_000.0},
            },
        })
    }

    #[test]
    fn means_are_weighted_and_the_gain_is_their_ratio() {
        let gain = Gain::from(&statistics()).expect("it is served");
        assert_eq!(gain.mean, Some(527.0), "(70 * 10 + 20 * 100 + 10 * 5000) / 100");
        let json = gain.json("a");
        assert_eq!(json["hit_ratio"], 0.9);
        assert_eq!(json["without"]["read_mean_us"], 5_000.0);
        assert!((json["times_faster"].as_f64().expect("both are known") - 9.487).abs() < 0.001);
        let text = gain.text("a");
        for part in [
            "5.0 ms",
            "527 us",
            "90.0 %",
            "9.5 times faster",
            "what the 10 reads took",
            "100 reads since 2026-11-21T17:15:09Z",
        ] {
            assert!(text.contains(part), "{part} is missing in:\n{text}");
        }
    }

    #[test]
    fn nothing_is_claimed_that_was_not_measured() {
        let mut all_hits = statistics();
        all_hits["latency_us"]["read_miss"] = json!({"count": 0, "mean": 0.0});
        let gain = Gain::from(&all_hits).expect("it is served");
        assert_eq!(gain.times_faster(), None);
        assert!(gain.text("a").contains("nothing to compare with"));

        let mut slow_hits = statistics();
        slow_hits["latency_us"]["read_hit_ram"] = json!({"count": 70, "mean": 9_000.0});
        let gain = Gain::from(&slow_hits).expect("it is served");
        assert!(gain.text("a").contains("gains nothing here so far"));

        let mut unread = statistics();
        unread["reads"] = json!(0);
        assert!(Gain::from(&unread).expect("it is served").text("a").contains("was not read since"));
        assert_eq!(Gain::from(&Value::Null), None);
    }
}
