//! What a trace is like, for people and for programs. Lines fit 80 columns.

use std::cmp::Reverse;

use serde_json::{Value, json};
use trace::info::{BLOCK_BYTES, Directions, Info, STREAMS, Touched, Window};
use trace::{Survey, Trace};

use crate::output;
use crate::units::Size;

/// A trace, and what it is like.
pub(super) struct Shown<'a> {
    pub(super) name: &'a str,
    pub(super) trace: &'a Trace,
    pub(super) info: Info,
}

impl Shown<'_> {
    /// The content of the document, under `trace`.
    pub(super) fn json(&self) -> Value {
        let mut content = json(&self.info);
        content["file"] = self.name.into();
        content["format"] = self.trace.format().name().into();
        content["unit_bytes"] = self.trace.unit_bytes().into();
        content
    }

    /// The same for people.
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

/// What stands under figures that are estimated.
const ESTIMATED: &str = "
Its footprint is too large to keep all of it in mind: what is \"about\" so much is
estimated from a sample of blocks with a standard error of 0.2 %, and so is the
working set.
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
        "read_share": share(survey.reads, survey.reads + survey.writes),
        "left_out": survey.left_out,
        "dropped": info.dropped,
        "bytes": directions(&info.bytes),
        "end_bytes": survey.end,
        "length_max_bytes": survey.length_max,
        "span_us": survey.span_us(),
        "times_backwards": survey.backwards,
        "without_time": survey.without_time,
        "sequential_share": share(info.sequential, survey.requests),
        "devices": devices.collect::<Vec<_>>(),
        "has_more_devices": info.has_more_devices,
        "lengths": lengths.collect::<Vec<_>>(),
        "block_bytes": BLOCK_BYTES,
        "accesses": touched.accesses,
        "is_exact": touched.is_exact,
        "footprint_blocks": touched.blocks,
        "footprint_bytes": touched.blocks * BLOCK_BYTES,
        "footprint_blocks_by": directions(&touched.blocks_by),
        "reuse": {
            "share_of_accesses": reuse(touched),
            "blocks_once_share": share(touched.blocks_once, touched.blocks),
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
        "working_set_bytes": window.blocks * BLOCK_BYTES,
        "new_bytes": window.blocks_new * BLOCK_BYTES,
    })
}

/// The share of accesses to blocks that were touched before. What is estimated may exceed what it is a share of.
fn reuse(touched: &Touched) -> Option<f64> {
    share(touched.accesses.saturating_sub(touched.blocks), touched.accesses)
}

#[expect(clippy::cast_precision_loss, reason = "a share for people; counts stay far below 2^52")]
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn percent(part: u64, whole: u64) -> String {
    output::percent(&json!(share(part, whole)))
}

/// Lines of a name and a figure.
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
        pairs.push(("left out", format!("{} records that are no request here", survey.left_out)));
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

fn blocks(count: u64) -> String {
    Size(count * BLOCK_BYTES).to_string()
}

#[expect(clippy::cast_precision_loss, reason = "a rate for people")]
fn requests(survey: &Survey) -> String {
    match survey.span_us() {
        Some(span_us) => {
            let seconds = span_us as f64 / 1e6;
            let rate = survey.requests as f64 / seconds.max(1e-6);
            format!("{} in {seconds:.1} s, {rate:.1} a second", survey.requests)
        }
        None => format!("{}, without times", survey.requests),
    }
}

/// A line for each direction that there is.
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

/// Devices with their requests, the busiest first, as many as a line holds.
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
