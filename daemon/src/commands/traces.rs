//! `forebay trace`: what a trace is like, and traces in another format. Needs no daemon.
//!
//! A converted trace is written beside its name and gets it once it is whole; a conversion that fails leaves nothing.

mod show;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use trace::{Format, Gauge, Packer, Packing, Trace, Writer};

use crate::api::document;
use crate::cli::{self, TraceConvert, TraceInfo};
use crate::output;
use crate::problem::{Answer, Problem};

pub(super) fn run(command: &cli::Trace) -> Answer<()> {
    match command {
        cli::Trace::Info(options) => info(options),
        cli::Trace::Convert(options) => convert(options),
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
        return output::print(&format!("{}\n", document("trace", shown.json())));
    }
    output::print(&shown.text())
}

fn convert(options: &TraceConvert) -> Answer<()> {
    let TraceConvert { input, output, .. } = options;
    let refuse = |reason: String| {
        Problem::invalid(format!("Cannot convert {} to {}: {reason}", input.display(), output.display()))
    };
    let name = output.display().to_string();
    let (packing, plain) = Packing::of_name(&name);
    let by_name = if plain.rsplit_once('.').is_some_and(|(_, ending)| ending == "csv") {
        Some(Format::Msr)
    } else {
        Format::of_name(plain)
    };
    let format = options.to.or(by_name).filter(|format| Writer::<File>::formats().contains(format));
    let format = format
        .ok_or_else(|| refuse("traces are written as forebay or msr; say which with --to".to_owned()))?;
    let mut trace = Trace::open(input, &options.options.into())?;
    if output.try_exists().unwrap_or(true) {
        return Err(refuse("the file exists; remove it, or name another".to_owned()));
    }
    let new = PathBuf::from(format!("{name}.new"));
    let file = File::create(&new)
        .map_err(|error| refuse(format!("{error} ({}); name a folder that can be written", new.display())))?;
    let written = write(&mut trace, input, file, format, packing).and_then(|requests| {
        fs::rename(&new, output).map_err(NotWritten::Output)?;
        Ok(requests)
    });
    match written {
        Ok(requests) => told(options, format, &trace, requests),
        Err(reason) => {
            // What is not whole is of no use. Should it stay, its name says what it is.
            fs::remove_file(&new).unwrap_or(());
            Err(match reason {
                NotWritten::Input(error) => error.into(),
                NotWritten::Output(error) => refuse(error.to_string()),
            })
        }
    }
}

/// Why a trace was not written.
enum NotWritten {
    /// The other one cannot be read.
    Input(trace::Error),
    /// The file cannot be written, or the format has no place for what there is.
    Output(io::Error),
}

/// How many requests were written.
fn write(
    trace: &mut Trace,
    input: &Path,
    file: File,
    format: Format,
    packing: Packing,
) -> Result<u64, NotWritten> {
    let mut progress = Progress::of(input);
    let packer = Packer::new(BufWriter::new(file), packing).map_err(NotWritten::Output)?;
    let mut writer = Writer::new(packer, format).map_err(NotWritten::Output)?;
    while let Some(request) = trace.next() {
        writer.add(&request.map_err(NotWritten::Input)?).map_err(NotWritten::Output)?;
        progress.tell(trace.progress());
    }
    progress.end();
    let requests = writer.requests();
    let ended = writer.finish(trace.dropped()).and_then(Packer::finish).and_then(|mut file| {
        file.flush()?;
        file.get_ref().sync_all()
    });
    ended.map_err(NotWritten::Output)?;
    Ok(requests)
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
        return output::print(&format!("{}\n", document("converted", content)));
    }
    output::print(&format!(
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
