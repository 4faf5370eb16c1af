//! Documents of a history: columns, one entry for each step.

use api::DiskHistory;
use base::moment::Moment;

use telemetry::series::{HistoryStep, Span};

/// Returns the document of a disk's history in these steps.
pub(crate) fn disk_history(name: &str, span: Span, now: Moment, steps: &[HistoryStep]) -> DiskHistory {
    let mut history = DiskHistory {
        name: name.to_owned(),
        span: span.name(),
        step_seconds: span.step_seconds(),
        now: now.0,
        ..DiskHistory::default()
    };
    for step in steps {
        push_step(&mut history, step);
    }
    history
}

#[expect(clippy::cast_precision_loss, reason = "a time for people, far below 2^52 milliseconds")]
fn push_step(history: &mut DiskHistory, step: &HistoryStep) {
    let HistoryStep { number, covered_ms, sums, gauges, dirty_bytes_max, percentiles } = step;
    history.time.push(((number + 1) * history.step_seconds).min(history.now));
    history.seconds.push(*covered_ms as f64 / 1_000.0);
    history.reads.push(sums.reads);
    history.read_hits_ram.push(sums.read_hits_ram);
    history.read_hits_flash.push(sums.read_hits_flash);
    history.hit_ratio.push(sums.hit_ratio());
    history.writes.push(sums.writes);
    history.read_bytes.push(sums.read_bytes);
    history.write_bytes.push(sums.write_bytes);
    history.read_latency_us.push(sums.read_latency_us());
    history.write_latency_us.push(sums.write_latency_us());
    let (reads, writes) = (percentiles.reads_us(), percentiles.writes_us());
    for (column, figure) in [
        (&mut history.read_p50_us, reads[0]),
        (&mut history.read_p95_us, reads[1]),
        (&mut history.read_p99_us, reads[2]),
        (&mut history.write_p50_us, writes[0]),
        (&mut history.write_p95_us, writes[1]),
        (&mut history.write_p99_us, writes[2]),
    ] {
        column.push(figure);
    }
    history.backing_reads.push(sums.backing_reads);
    history.backing_writes.push(sums.backing_writes);
    history.backing_read_bytes.push(sums.backing_read_bytes);
    history.backing_write_bytes.push(sums.backing_write_bytes);
    history.destage_bytes.push(sums.destage_bytes);
    history.flash_write_bytes.push(sums.flash_write_bytes);
    history.cached_bytes.push(gauges.cached_bytes);
    history.dirty_bytes.push(gauges.dirty_bytes);
    history.dirty_bytes_max.push(*dirty_bytes_max);
    history.dirty_limit_bytes.push(gauges.dirty_limit_bytes);
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use telemetry::series::{Gauges, Percentiles, Sums};

    use super::*;

    #[test]
    fn columns_have_an_entry_for_each_step_and_one_that_is_not_over_ends_now() {
        let sums =
            Sums { reads: 4, read_hits_ram: 1, read_hits_flash: 2, read_ns: 10_000, ..Sums::default() };
        let gauges = Gauges { dirty_bytes: 5, dirty_limit_bytes: 6, cached_bytes: 7 };
        let percentiles = Percentiles::from_words([125, 250, 1 << 32]);
        let first =
            HistoryStep { number: 10, covered_ms: 290_500, sums, gauges, dirty_bytes_max: 8, percentiles };
        let second = HistoryStep { number: 12, covered_ms: 40_000, ..HistoryStep::default() };
        let document = json!(disk_history("a", Span::Day, Moment(3_640), &[first, second]));
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
