//! Description of a trace, for people and for programs. Lines fit 80 columns.

use std::cmp::Reverse;

use base::units::Size;
use base::units::ratio;
use serde_json::{Value, json};
use trace::info::{BLOCK_BYTES, Directions, Info, STREAMS, Touched, Window};
use trace::{Survey, Trace};

use crate::output;

/// A trace with its description.
pub(super) struct TraceSummary<'a> {
    pub(super) name: &'a str,
    pub(super) trace: &'a Trace,
    pub(super) info: Info,
}

impl TraceSummary<'_> {
    /// Returns the content of the document, under `trace`.
    pub(super) fn json(&self) -> Value {
        let mut content = json(&self.info);
        content["file"] = self.name.into();
        content["format"] = self.trace.format().name().into();
        content["unit_bytes"] = self.trace.unit_bytes().into();
        content
    }

    /// Returns the text for people.
    pub(super) fn text(&self) -> String {
        let mut pairs = vec![("trace", format!("{}, {}", self.name, self.trace.format()))];
        if let Some(bytes) = self.trace.unit_bytes() {
            pairs.push(("unit", format!("{bytes} bytes; the file does not say, --unit sets it")));
        }
        pairs.extend(figures(&self.info));
        let mut text = output::pairs(&pairs);
        if self.info.survey.requests == 0 {
            return text;
        }
        for table in [lengths(&self.info), windows(&self.info)] {
            text.push('\n');
            text.push_str(&table);
        }
        if !self.info.touched.is_exact {
            text.push_str(ESTIMATED);
        }
        text
    }
}

/// Note below estimated figures.
const ESTIMATED: &str = "
Its footprint is too large to keep all of it in mind: what is \"about\" so much is
estimated from a sample of blocks, and so is the working set. The standard error
of the footprint is 0.2 %; that of the other figures is larger.
";

fn json(info: &Info) -> Value {
    let Info { survey, touched, .. } = info;
    let devices =
        info.devices.iter().map(|(device, requests)| json!({ "device": device, "requests": requests }));
    let lengths = info.lengths.iter().map(|class| {
        let mut class_json = directions(&class.requests);
        class_json["upto_bytes"] = class.up_to_bytes.into();
        class_json
    });
    let unit = if survey.span_us().is_some() { "microseconds" } else { "requests" };
    json!({
        "requests": survey.requests,
        "reads": survey.reads,
        "writes": survey.writes,
        "unknown": survey.unknown(),
        "read_share": ratio(survey.reads, survey.reads + survey.writes),
        "left_out": survey.left_out,
        "on_other_devices": survey.on_other_devices,
        "dropped": info.dropped,
        "bytes": directions(&info.bytes),
        "end_bytes": survey.end,
        "length_max_bytes": survey.length_max,
        "span_us": survey.span_us(),
        "times_backwards": survey.backwards,
        "without_time": survey.without_time,
        "sequential_share": ratio(info.sequential, survey.requests),
        "devices": devices.collect::<Vec<_>>(),
        "has_more_devices": info.has_more_devices,
        "lengths": lengths.collect::<Vec<_>>(),
        "block_bytes": BLOCK_BYTES,
        "accesses": touched.accesses,
        "is_exact": touched.is_exact,
        "footprint_blocks": touched.blocks,
        "footprint_bytes": bytes(touched.blocks),
        "footprint_blocks_by": directions(&touched.blocks_by),
        "reuse": {
            "share_of_accesses": reuse(touched),
            "blocks_once_share": ratio(touched.blocks_once, touched.blocks),
            "busiest_tenth_share": (touched.blocks > 0).then_some(touched.busiest_tenth),
        },
        "windows": {
            "unit": unit,
            "width": info.window_width,
            "windows": info.windows.iter().map(window).collect::<Vec<_>>(),
        },
    })
}

fn directions(Directions { read, write, unknown }: &Directions) -> Value {
    json!({ "read": read, "write": write, "unknown": unknown })
}

fn window(window: &Window) -> Value {
    json!({
        "requests": window.requests,
        "reads": window.reads,
        "bytes": window.bytes,
        "working_set_bytes": bytes(window.blocks),
        "new_bytes": bytes(window.blocks_new),
    })
}

/// Returns the share of accesses to blocks that were touched before. Estimated parts may exceed their whole.
fn reuse(touched: &Touched) -> Option<f64> {
    ratio(touched.accesses.saturating_sub(touched.blocks), touched.accesses)
}

fn percent(part: u64, whole: u64) -> String {
    output::percent(&json!(ratio(part, whole)))
}

/// Returns lines of a name and a figure.
fn figures(info: &Info) -> Vec<(&'static str, String)> {
    let Info { survey, touched, .. } = info;
    let about = if touched.is_exact { "" } else { "about " };
    let mut pairs = vec![("requests", requests(survey))];
    pairs.extend(by_direction(info));
    pairs.extend([
        ("reaches to", Size(survey.end).to_string()),
        (
            "sequential",
            format!("{}, where one of the {STREAMS} before ended", percent(info.sequential, survey.requests)),
        ),
        ("accesses", format!("{} to blocks of {}", touched.accesses, Size(BLOCK_BYTES))),
        ("footprint", format!("{about}{}, {} blocks", blocks(touched.blocks), touched.blocks)),
    ]);
    if survey.reads + survey.writes > 0 {
        let Directions { read, write, .. } = touched.blocks_by;
        pairs.push(("  read, written", format!("{about}{}, {}", blocks(read), blocks(write))));
    }
    pairs.extend([
        ("reuse", format!("{about}{} of accesses are to blocks touched before", percent_of(reuse(touched)))),
        ("  touched once", format!("{about}{} of blocks", percent(touched.blocks_once, touched.blocks))),
        ("  busiest tenth", format!("{about}{} of accesses", output::percent(&json!(touched.busiest_tenth)))),
    ]);
    if survey.left_out > 0 {
        pairs.push(("left out", format!("{} records that read or write nothing", survey.left_out)));
    }
    if survey.on_other_devices > 0 {
        pairs.push(("on other devices", format!("{} requests, left out", survey.on_other_devices)));
    }
    if info.dropped > 0 {
        pairs.push(("missing", format!("{} requests that its recorder had no room for", info.dropped)));
    }
    if survey.backwards > 0 {
        pairs.push(("times", format!("{} run backwards", survey.backwards)));
    }
    if survey.has_several_devices {
        pairs.push(("devices", devices(info)));
    }
    pairs
}

fn percent_of(share: Option<f64>) -> String {
    output::percent(&json!(share))
}

/// Returns the bytes of this many blocks; estimates may exceed the largest possible number.
fn bytes(blocks: u64) -> u64 {
    blocks.saturating_mul(BLOCK_BYTES)
}

fn blocks(count: u64) -> String {
    Size(bytes(count)).to_string()
}

#[expect(clippy::cast_precision_loss, reason = "a rate for people")]
fn requests(survey: &Survey) -> String {
    match survey.span_us() {
        Some(span_us) => {
            let seconds = span_us as f64 / 1e6;
            // Requests of one moment have no rate.
            let rate = match span_us {
                0 => String::new(),
                _ => format!(", {:.1} a second", survey.requests as f64 / seconds),
            };
            format!("{} in {seconds:.1} s{rate}", survey.requests)
        }
        None => format!("{}, without times", survey.requests),
    }
}

/// Returns a line for each direction of requests in the trace.
fn by_direction(info: &Info) -> Vec<(&'static str, String)> {
    let Info { survey, bytes, .. } = info;
    let rows = [
        ("  reads", survey.reads, bytes.read),
        ("  writes", survey.writes, bytes.write),
        ("  unknown", survey.unknown(), bytes.unknown),
    ];
    let line = |(name, count, bytes): (&'static str, u64, u64)| {
        let mean = Size(bytes.checked_div(count).unwrap_or(0));
        (name, format!("{count} ({}), {}, {mean} on average", percent(count, survey.requests), Size(bytes)))
    };
    rows.into_iter().filter(|(_, count, _)| *count > 0).map(line).collect()
}

/// Returns devices with their requests, the busiest first, as many as fit a line.
fn devices(info: &Info) -> String {
    const SHOWN: usize = 4;
    let mut devices = info.devices.clone();
    devices.sort_by_key(|(_, count)| Reverse(*count));
    let shown: Vec<String> =
        devices.iter().take(SHOWN).map(|(device, count)| format!("{device} ({count})")).collect();
    let more = devices.len().saturating_sub(SHOWN);
    let rest = match (info.has_more_devices, more) {
        (true, _) => " and many more".to_owned(),
        (false, 0) => String::new(),
        (false, more) => format!(" and {more} more"),
    };
    format!("{}{rest}; --device takes one", shown.join(", "))
}

fn lengths(info: &Info) -> String {
    let rows: Vec<Vec<String>> = info
        .lengths
        .iter()
        .map(|class| {
            let Directions { read, write, unknown } = class.requests;
            let total = class.requests.total();
            let share = percent(total, info.survey.requests);
            vec![
                Size(class.up_to_bytes).to_string(),
                read.to_string(),
                write.to_string(),
                unknown.to_string(),
                share,
            ]
        })
        .collect();
    output::table(&["LENGTH UP TO", "READS", "WRITES", "UNKNOWN", "SHARE"], &rows)
}

#[expect(clippy::cast_precision_loss, reason = "a time for people")]
fn windows(info: &Info) -> String {
    let has_times = info.survey.span_us().is_some();
    let has_directions = info.survey.unknown() == 0;
    let rows: Vec<Vec<String>> = (0..)
        .zip(&info.windows)
        .map(|(at, window): (u64, &Window)| {
            let from = at.saturating_mul(info.window_width);
            let from = match has_times {
                true if info.window_width < 1_000_000 => format!("{:.3} s", from as f64 / 1e6),
                true => format!("{:.0} s", from as f64 / 1e6),
                false => from.to_string(),
            };
            vec![
                from,
                window.requests.to_string(),
                if has_directions {
                    percent(window.reads, window.requests)
                } else {
                    output::NOTHING.to_owned()
                },
                Size(window.bytes).to_string(),
                blocks(window.blocks),
                blocks(window.blocks_new),
            ]
        })
        .collect();
    let first = if has_times { "FROM" } else { "FROM REQUEST" };
    output::table(&[first, "REQUESTS", "READS", "TRANSFERRED", "WORKING SET", "NEW IN IT"], &rows)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use trace::{Format, Gauge, LENGTH_MAX, Options};

    use super::*;

    fn shown(lines: &str, options: &Options, look: impl FnOnce(TraceSummary)) {
        let bytes = Cursor::new(lines.as_bytes().to_vec());
        let mut trace = Trace::from_bytes("t", bytes, options).expect("its format is told");
        let mut gauge = Gauge::new();
        for request in trace.by_ref() {
            gauge.add(&request.expect("it is sound"));
        }
        look(TraceSummary { name: "t", trace: &trace, info: gauge.finish(&trace) });
    }

    #[test]
    fn requests_of_one_moment_have_no_rate() {
        let line = "7.000,104,1,4096,8192,0.097,4096\n";
        shown(&line.repeat(2), &Options::default(), |shown| {
            let text = shown.text();
            assert!(text.contains("2 in 0.0 s\n") && !text.contains("a second"), "{text}");
        });
        let later = format!("{line}9.000,104,1,4096,8192,0.097,4096\n");
        shown(&later, &Options::default(), |shown| {
            assert!(shown.text().contains("2 in 0.0 s, 1000.0 a second"), "{}", shown.text());
        });
    }

    #[test]
    fn requests_of_other_devices_are_no_records_that_do_nothing() {
        let options = Options { device: Some(2), ..Options::default() };
        shown("1.5 1 0 512 1\n1.5 2 0 512 1\n1.5 2 0 0 1\n", &options, |shown| {
            let (json, text) = (shown.json(), shown.text());
            assert_eq!((&json["left_out"], &json["on_other_devices"]), (&1.into(), &1.into()));
            assert!(text.contains("1 records that read or write nothing"), "{text}");
            assert!(text.contains("1 requests, left out"), "{text}");
        });
    }

    #[test]
    fn an_error_is_claimed_of_the_footprint_only_and_no_estimate_is_too_large() {
        let options =
            Options { format: Some(Format::Lis), unit_bytes: Some(LENGTH_MAX), ..Options::default() };
        let lines: Vec<String> = (0..60).map(|line| format!("{line} 1 0 {line}")).collect();
        shown(&lines.join("\n"), &options, |mut shown| {
            let text = shown.text();
            let claimed = "of the footprint is 0.2 %; that of the other figures is larger";
            assert!(text.contains("about") && text.contains(claimed), "{text}");
            shown.info.touched.blocks = u64::MAX;
            shown.info.windows[0].blocks_new = u64::MAX;
            assert_eq!(shown.json()["footprint_bytes"], u64::MAX);
            assert!(!shown.text().is_empty());
        });
    }
}
