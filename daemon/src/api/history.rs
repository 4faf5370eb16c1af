//! What a disk did, step by step, as a document: columns, one entry for each step.

use base::moment::Moment;
use serde::Serialize;
use utoipa::ToSchema;

use crate::series::{HistoryStep, Span};

/// What a disk did lately, in columns of the same length, the oldest step first. Of times for which there is no step nothing
/// is known; the last step may not be over.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = History)]
pub(crate) struct DiskHistory {
    name: String,
    /// `5m`, `1d` or `7d`.
    span: &'static str,
    /// The length of a step.
    step_seconds: u64,
    /// When this was told, by the host's clock, in seconds since 1970.
    now: u64,
    /// When each step ends, in seconds since 1970; `now` for one that is not over.
    time: Vec<u64>,
    /// How many seconds of a step were counted: fewer than its length if the disk was not served all the time. Rates are what was
    /// counted by these.
    seconds: Vec<f64>,
    reads: Vec<u64>,
    read_hits_ram: Vec<u64>,
    read_hits_flash: Vec<u64>,
    /// Full hits of all reads; null without reads.
    hit_ratio: Vec<Option<f64>>,
    writes: Vec<u64>,
    read_bytes: Vec<u64>,
    write_bytes: Vec<u64>,
    /// Microseconds that a read took on average; null without reads.
    read_latency_us: Vec<Option<f64>>,
    /// Microseconds that a write took on average; null without writes.
    write_latency_us: Vec<Option<f64>>,
    /// Microseconds that half, 95 and 99 of a hundred reads took at most; null without reads.
    read_p50_us: Vec<Option<f64>>,
    read_p95_us: Vec<Option<f64>>,
    read_p99_us: Vec<Option<f64>>,
    /// The same of writes.
    write_p50_us: Vec<Option<f64>>,
    write_p95_us: Vec<Option<f64>>,
    write_p99_us: Vec<Option<f64>>,
    backing_reads: Vec<u64>,
    backing_writes: Vec<u64>,
    backing_read_bytes: Vec<u64>,
    backing_write_bytes: Vec<u64>,
    destage_bytes: Vec<u64>,
    flash_write_bytes: Vec<u64>,
    /// At the end of the step.
    cached_bytes: Vec<u64>,
    /// At the end of the step.
    dirty_bytes: Vec<u64>,
    /// The most that was dirty, looked at every five seconds.
    dirty_bytes_max: Vec<u64>,
    /// At the end of the step.
    dirty_limit_bytes: Vec<u64>,
}

impl DiskHistory {
    pub(crate) fn of(name: &str, span: Span, now: Moment, steps: &[HistoryStep]) -> Self {
        let mut history = Self {
            name: name.to_owned(),
            span: span.name(),
            step_seconds: span.step_seconds(),
            now: now.0,
            ..Self::default()
        };
        for step in steps {
            history.push(step);
        }
        history
    }

    #[expect(clippy::cast_precision_loss, reason = "a time for people, far below 2^52 milliseconds")]
    fn push(&mut self, step: &HistoryStep) {
        let HistoryStep { number, covered_ms, sums, gauges, dirty_bytes_max, percentiles } = step;
        self.time.push(((number + 1) * self.step_seconds).min(self.now));
        self.seconds.push(*covered_ms as f64 / 1_000.0);
        self.reads.push(sums.reads);
        self.read_hits_ram.push(sums.read_hits_ram);
        self.read_hits_flash.push(sums.read_hits_flash);
        self.hit_ratio.push(sums.hit_ratio());
        self.writes.push(sums.writes);
        self.read_bytes.push(sums.read_bytes);
        self.write_bytes.push(sums.write_bytes);
        self.read_latency_us.push(sums.read_latency_us());
        self.write_latency_us.push(sums.write_latency_us());
        let (reads, writes) = (percentiles.reads_us(), percentiles.writes_us());
        for (column, figure) in [
            (&mut self.read_p50_us, reads[0]),
            (&mut self.read_p95_us, reads[1]),
            (&mut self.read_p99_us, reads[2]),
            (&mut self.write_p50_us, writes[0]),
            (&mut self.write_p95_us, writes[1]),
            (&mut self.write_p99_us, writes[2]),
        ] {
            column.push(figure);
        }
        self.backing_reads.push(sums.backing_reads);
        self.backing_writes.push(sums.backing_writes);
        self.backing_read_bytes.push(sums.backing_read_bytes);
        self.backing_write_bytes.push(sums.backing_write_bytes);
        self.destage_bytes.push(sums.destage_bytes);
        self.flash_write_bytes.push(sums.flash_write_bytes);
        self.cached_bytes.push(gauges.cached_bytes);
        self.dirty_bytes.push(gauges.dirty_bytes);
        self.dirty_bytes_max.push(*dirty_bytes_max);
        self.dirty_limit_bytes.push(gauges.dirty_limit_bytes);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::series::{Gauges, Percentiles, Sums};

    #[test]
    fn columns_have_an_entry_for_each_step_and_one_that_is_not_over_ends_now() {
        let sums =
            Sums { reads: 4, read_hits_ram: 1, read_hits_flash: 2, read_ns: 10_000, ..Sums::default() };
        let gauges = Gauges { dirty_bytes: 5, dirty_limit_bytes: 6, cached_bytes: 7 };
        let percentiles = Percentiles::from_words([125, 250, 1 << 32]);
        let first =
            HistoryStep { number: 10, covered_ms: 290_500, sums, gauges, dirty_bytes_max: 8, percentiles };
        let second = HistoryStep { number: 12, covered_ms: 40_000, ..HistoryStep::default() };
        let document = json!(DiskHistory::of("a", Span::Day, Moment(3_640), &[first, second]));
        let columns = [
            ("time", json!([3_300, 3_640])),
            ("seconds", json!([290.5, 40.0])),
            ("reads", json!([4, 0])),
            ("hit_ratio", json!([0.75, null])),
            ("read_latency_us", json!([2.5, null])),
            ("read_p50_us", json!([2.0, null])),
            ("read_p95_us", json!([4.0, null])),
            ("write_p50_us", json!([null, null])),
            ("write_p99_us", json!([0.016, null])),
            ("dirty_bytes", json!([5, 0])),
            ("dirty_bytes_max", json!([8, 0])),
            ("cached_bytes", json!([7, 0])),
        ];
        for (key, column) in columns {
            assert_eq!(document[key], column, "{key}");
        }
        let all = document.as_object().expect("it is an object");
        let lengths = || all.values().filter_map(Value::as_array).map(Vec::len);
        assert!(lengths().count() == 27 && lengths().all(|length| length == 2), "{document}");
        assert_eq!((&document["span"], &document["step_seconds"]), (&"1d".into(), &300.into()));
    }
}
