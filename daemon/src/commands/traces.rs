//! `forebay trace`: what a trace is like, and traces in another format, which need no daemon; and recording, which does.
//!
//! A converted trace is written beside its name and gets it once it is whole; a conversion that fails leaves nothing.

mod output;
mod record;
mod show;

use std::fs;
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use trace::{Format, Gauge, Trace};

use crate::api::document;
use crate::cli::{self, TraceConvert, TraceInfo};
use crate::output::print;
use crate::problem::{Answer, Problem};
use output::Output;

pub(super) fn run(command: &cli::Trace) -> Answer<()> {
    match command {
        cli::Trace::Info(options) => info(options),
        cli::Trace::Convert(options) => convert(options),
        cli::Trace::Record(options) => record::run(options),
    }
}

fn info(options: &TraceInfo) -> Answer<()> {
    let mut trace = Trace::open(&options.trace, &options.options.into())?;
    let mut progress = Progress::of(&options.trace);
    let mut gauge = Gauge::new();
    while let Some(request) = trace.next() {
        gauge.add(&request?);
        progress.tell(trace.progress());
    }
    progress.end();
    let name = options.trace.display().to_string();
    let shown = show::Shown { name: &name, trace: &trace, info: gauge.finish(&trace) };
    if options.json {
        return print(&format!("{}\n", document("trace", shown.json())));
    }
    print(&shown.text())
}

fn convert(options: &TraceConvert) -> Answer<()> {
    let TraceConvert { input, output, .. } = options;
    let refuse = |reason: String| {
        Problem::invalid(format!("Cannot convert {} to {}: {reason}", input.display(), output.display()))
    };
    let output = Output::new(output, options.to, refuse)?;
    let mut trace = Trace::open(input, &options.options.into())?;
    let mut writer = output.create()?;
    let mut progress = Progress::of(input);
    while let Some(request) = trace.next() {
        let added = request
            .map_err(Problem::from)
            .and_then(|request| writer.add(&request).map_err(|error| refuse(error.to_string())));
        if let Err(problem) = added {
            output.give_up();
            return Err(problem);
        }
        progress.tell(trace.progress());
    }
    progress.end();
    let requests = writer.requests();
    output.finish(writer, trace.dropped())?;
    told(options, output.format, &trace, requests)
}

fn told(options: &TraceConvert, format: Format, trace: &Trace, requests: u64) -> Answer<()> {
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
        });
        return print(&format!("{}\n", document("converted", content)));
    }
    print(&format!(
        "{requests} requests of {} ({}, {from} bytes) are in {} ({format}, {to} bytes); {} records that read or write nothing \
         were left out\n",
        options.input.display(),
        trace.format(),
        options.output.display(),
        trace.left_out(),
    ))
}

/// How much of a file was read, shown on a terminal only.
pub(super) struct Progress {
    bar: ProgressBar,
    last: u64,
}

impl Progress {
    pub(super) fn of(file: &Path) -> Self {
        let length = fs::metadata(file).map_or(0, |metadata| metadata.len());
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
        let template =
            "  reading {bar:20} {binary_bytes}/{binary_total_bytes}  {binary_bytes_per_sec}  {eta} left";
        let style = ProgressStyle::with_template(template).expect("a constant that follows its rules");
        Self { bar: bar.with_style(style), last: 0 }
    }

    /// That many bytes were read. Asked for each request: only what changes is passed on.
    pub(super) fn tell(&mut self, bytes: u64) {
        if bytes != self.last {
            self.last = bytes;
            self.bar.set_position(bytes);
        }
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
