//! The commands about traces, and the options of every command that reads one.

use std::path::PathBuf;

use base::units::Size;
use clap::{Args, Subcommand};
use trace::{Format, LENGTH_MAX, Options, SECTOR};

use super::{DaemonOptions, Reading};

#[derive(Debug, Subcommand)]
pub(crate) enum Trace {
    /// Describe a trace: requests, lengths, footprint, working set over time, reuse.
    Info(TraceInfo),
    /// Write a trace in another format. OUT must not exist.
    Convert(TraceConvert),
    /// Record requests of guests to a disk, until Ctrl-C. Guests notice nothing.
    Record(TraceRecord),
}

/// Options for reading a trace.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct TraceOptions {
    #[arg(long, value_name = "FORMAT", help = about_formats())]
    pub(crate) format: Option<Format>,
    /// Bytes of one unit of address in a trace of format lis or ids, which do not record it; others do, and
    /// refuse it. A multiple of 512. Default: 512 for lis, 4KiB for ids.
    #[arg(long, value_name = "SIZE", value_parser = parse_unit)]
    pub(crate) unit: Option<u32>,
    /// Of a trace of several devices, only the one with this number, which must be there; `trace info` lists them. Default: all, as if they were one.
    #[arg(long, value_name = "N")]
    pub(crate) device: Option<u32>,
}

impl From<TraceOptions> for Options {
    fn from(options: TraceOptions) -> Self {
        Self { format: options.format, unit_bytes: options.unit, device: options.device }
    }
}

#[derive(Debug, Args)]
pub(crate) struct TraceInfo {
    /// The trace, packed (gzip, xz, zstd) or not.
    pub(crate) trace: PathBuf,
    #[command(flatten)]
    pub(crate) options: TraceOptions,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TraceConvert {
    /// The trace, packed (gzip, xz, zstd) or not.
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// The file to write; packed if its name ends in .gz, .xz or .zst.
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The format to write: forebay, or msr (CSV with a time and a direction for each request). Default: by the name, .fbtrace
    /// or .csv.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<Format>,
    /// If IN is damaged, or cut off as a recording that was killed: use the part before the damage, and
    /// report it.
    #[arg(long)]
    pub(crate) salvage: bool,
    #[command(flatten)]
    pub(crate) options: TraceOptions,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TraceRecord {
    /// The disk.
    pub(crate) name: String,
    /// The file to write, which must not exist; packed if its name ends in .gz, .xz or .zst.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// End after this many seconds. Default: with Ctrl-C.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=31_536_000))]
    pub(crate) seconds: Option<u64>,
    /// The format to write: forebay or msr. Default: by the name, .fbtrace or .csv.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<Format>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOptions,
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The trace, packed (gzip, xz, zstd) or not.
    pub(crate) trace: PathBuf,
    #[command(flatten)]
    pub(crate) options: TraceOptions,
    /// The disk, which no guest may use meanwhile. Its writes are checked when they are read again.
    #[arg(long, value_name = "NAME")]
    pub(crate) disk: String,
    /// Send requests X times as fast as they were recorded. Default: 1.
    #[arg(long, value_name = "X", value_parser = parse_speed, conflicts_with = "as_fast_as_possible")]
    pub(crate) speed: Option<f64>,
    /// Send requests as soon as the disk accepts them, whatever their recorded times.
    #[arg(long)]
    pub(crate) as_fast_as_possible: bool,
    /// Map requests beyond the end of the disk into it.
    #[arg(long)]
    pub(crate) wrap: bool,
    /// JSON output of an earlier replay, such as one in pass-through: its latencies are shown next to those
    /// of this one.
    #[arg(long, value_name = "FILE")]
    pub(crate) before: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

fn about_formats() -> String {
    format!("Format of the trace: {}. Default: by its name, else by its content", Format::names())
}

fn parse_unit(text: &str) -> Result<u32, String> {
    let Size(bytes) = text.parse()?;
    match u32::try_from(bytes) {
        Ok(unit) if (1..=LENGTH_MAX).contains(&unit) && bytes.is_multiple_of(SECTOR) => Ok(unit),
        _ => Err("write a multiple of 512 up to 32MiB".to_owned()),
    }
}

fn parse_speed(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(speed) if (0.001..=1e6).contains(&speed) => Ok(speed),
        _ => Err("write a number from 0.001 to 1000000".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_speeds_are_read_within_their_limits() {
        assert_eq!([parse_unit("512"), parse_unit("4KiB")], [Ok(512), Ok(4096)]);
        for text in ["0", "100", "4097", "64MiB", "8TiB", "many"] {
            assert!(parse_unit(text).is_err(), "{text}");
        }
        assert_eq!(parse_speed("0.5"), Ok(0.5));
        for text in ["0", "-1", "NaN", "inf", "1e7", "fast"] {
            assert!(parse_speed(text).is_err(), "{text}");
        }
    }
}
