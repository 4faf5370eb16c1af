//! `forebay trace`: describes and converts traces, without a daemon; and records, with one.
//!
//! A converted trace is written to a temporary file, and gets its name once it is complete; a conversion that
//! cannot read its input leaves nothing.

mod output;
mod record;
mod show;

use std::fs;
use std::path::Path;

use api::document;
use base::error::{Error, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use trace::{Format, Gauge, Trace};

use crate::cli::{self, TraceConvert, TraceInfo};
use crate::output::print;
use crate::replay::unreadable;
use output::TraceOutput;

pub(super) fn run(command: &cli::Trace) -> Result<()> {
    match command {
        cli::Trace::Info(options) => info(options),
        cli::Trace::Convert(options) => convert(options),
        cli::Trace::Record(options) => record::run(options),
    }
}

fn info(options: &TraceInfo) -> Result<()> {
    let mut trace = Trace::open(&options.trace, &options.options.into()).map_err(unreadable)?;
    let mut progress = ReadProgress::for_file(&options.trace);
    let mut gauge = Gauge::new();
    while let Some(request) = trace.next() {
        gauge.add(&request.map_err(unreadable)?);
        progress.update(trace.progress());
    }
    progress.end();
    let name = options.trace.display().to_string();
    let shown = show::TraceSummary { name: &name, trace: &trace, info: gauge.finish(&trace) };
    if options.json {
        return print(&format!("{}\n", document("trace", shown.json())));
    }
    print(&shown.text())
}

fn convert(options: &TraceConvert) -> Result<()> {
    let TraceConvert { input, output, .. } = options;
    let refuse = |reason: String| {
        Error::invalid(format!("Cannot convert {} to {}: {reason}", input.display(), output.display()))
    };
    let output = TraceOutput::new(output, options.to, refuse)?;
    let mut trace = Trace::open(input, &options.options.into()).map_err(unreadable)?;
    let mut writer = output.create()?;
    let mut progress = ReadProgress::for_file(input);
    let mut cut = None;
    while let Some(request) = trace.next() {
        match request {
            Ok(request) => writer.add(&request).map_err(|error| {
                output.discard();
                refuse(error.to_string())
            })?,
            Err(error) if options.salvage => cut = Some(error.to_string()),
            Err(error) => {
                output.discard();
                return Err(unreadable(error));
            }
        }
        progress.update(trace.progress());
    }
    progress.end();
    let requests = writer.requests();
    output.finish(writer, trace.dropped())?;
    if let Some(cut) = cut {
        eprintln!("The readable part is in {}: {cut}", options.output.display());
    }
    print_summary(options, output.format, &trace, requests)
}

fn print_summary(options: &TraceConvert, format: Format, trace: &Trace, requests: u64) -> Result<()> {
    let bytes = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    let (from, to) = (bytes(&options.input), bytes(&options.output));
    if options.json {
        let content = json!({
            "input": options.input.display().to_string(),
            "input_format": trace.format().name(),
            "input_bytes": from,
            "output": options.output.display().to_string(),
            "output_format": format.name(),
            "output_bytes": to,
            "requests": requests,
            "left_out": trace.left_out(),
            "on_other_devices": trace.on_other_devices(),
            "dropped": trace.dropped(),
        });
        return print(&format!("{}\n", document("converted", content)));
    }
    print(&format!(
        "{requests} requests of {} ({}, {from} bytes) are in {} ({format}, {to} bytes); {}\n",
        options.input.display(),
        trace.format(),
        options.output.display(),
        not_there(trace, format),
    ))
}

/// Returns a text on data that a file of this format lacks of its source, a trace that was read to its end.
fn not_there(trace: &Trace, format: Format) -> String {
    let mut parts = vec![format!("{} records that read or write nothing were left out", trace.left_out())];
    if trace.on_other_devices() > 0 {
        parts.push(format!("and so were {} requests of other devices", trace.on_other_devices()));
    }
    if trace.dropped() > 0 {
        parts.push(format!("{} are missing that its recorder had no room for", trace.dropped()));
        // Only our own format has a place for that.
        if format != Format::Forebay {
            parts.push("which the new file does not say".to_owned());
        }
    }
    parts.join(", ")
}

/// Progress of reading a file, shown on a terminal only.
pub(super) struct ReadProgress {
    bar: ProgressBar,
    last: u64,
}

impl ReadProgress {
    pub(super) fn for_file(file: &Path) -> Self {
        let length = fs::metadata(file).map_or(0, |metadata| metadata.len());
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
        let template =
            "  reading {bar:20} {binary_bytes}/{binary_total_bytes}  {binary_bytes_per_sec}  {eta} left";
        let style = ProgressStyle::with_template(template).expect("a constant that follows its rules");
        Self { bar: bar.with_style(style), last: 0 }
    }

    /// Sets the number of bytes that were read. Called for each request: only changes are passed on.
    pub(super) fn update(&mut self, bytes: u64) {
        if bytes != self.last {
            self.last = bytes;
            self.bar.set_position(bytes);
        }
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use trace::{Options, Request, Writer};

    use super::*;

    #[test]
    fn what_is_not_in_a_converted_trace_is_said() {
        let mut writer = Writer::new(Vec::new(), Format::Forebay).expect("memory takes it");
        for device in [1, 2, 2] {
            writer.add(&Request { device, length: 4096, ..Request::default() }).expect("it is sound");
        }
        let bytes = writer.finish(7).expect("memory takes it");
        let read = |device| {
            let options = Options { device, ..Options::default() };
            let mut trace = Trace::from_bytes("t", Cursor::new(bytes.clone()), &options).expect("it is ours");
            assert!(trace.by_ref().all(|request| request.is_ok()));
            trace
        };
        let nothing = "0 records that read or write nothing were left out";
        let missing = ", 7 are missing that its recorder had no room for";
        assert_eq!(not_there(&read(None), Format::Forebay), format!("{nothing}{missing}"));
        assert_eq!(
            not_there(&read(Some(1)), Format::Msr),
            format!(
                "{nothing}, and so were 2 requests of other devices{missing}, which the new file does not say"
            )
        );
    }
}
