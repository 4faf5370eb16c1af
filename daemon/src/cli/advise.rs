//! Options of `forebay advise`.

use clap::Args;

use super::traces::TraceOptions;
use super::{DaemonOptions, Reading};

const ABOUT: &str = "What is said, and how it is known:
  size        The knee: the smallest size from which on each further tenth of what is in use brings less than 2 points of hit ratio.
              Sizes are RAM and flash together; hit ratios are those of a cache that forgets what was used longest ago.
  ram         A twentieth of the cache, 32MiB to 256MiB, and never less than the disk has.
  block-size  Of a disk as its curve predicts, of a trace as the served policy does in simulation; and what the index takes of RAM.
  mode        By the share of writes, and of reads of what was written. Write-back is explained, never advised by itself: data then
              depends on flash.
  latency     Of a disk as measured; of a trace a miss takes what the trace says of its reads, else what --miss-us says.
  wear        What is written to flash in a day: of a disk counted in the last day, of a trace simulated, by its own times.

It changes nothing without --apply. It gives no advice on less than 10,000 reads.";

#[derive(Debug, Args)]
#[command(after_long_help = ABOUT)]
pub(crate) struct Advise {
    /// A disk, or a trace, packed (gzip, xz, zstd) or not; of one name the disk goes first, and ./NAME is the file. Default: all
    /// disks.
    #[arg(value_name = "NAME | TRACE")]
    pub(crate) target: Option<String>,
    /// Advise on the size that has this share of hits, such as 0.9 or 90%, instead of the knee.
    #[arg(long, value_name = "R", value_parser = parse_ratio)]
    pub(crate) hit_ratio: Option<f64>,
    /// Of a trace: microseconds that a read takes on the storage behind the cache. Default: as the trace
    /// records its reads, else 12400, a random read of a 7,200 rpm drive.
    #[arg(long, value_name = "N", value_parser = parse_micros)]
    pub(crate) miss_us: Option<f64>,
    /// Of a trace: microseconds that a read takes on flash. Default: 120.
    #[arg(long, value_name = "N", value_parser = parse_micros)]
    pub(crate) flash_us: Option<f64>,
    /// Make the advised changes: they are shown with what is now, then asked about, and the command that takes them back is printed.
    #[arg(long)]
    pub(crate) apply: bool,
    /// Make them without a question.
    #[arg(long, requires = "apply")]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) options: TraceOptions,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

impl Advise {
    /// Returns the options of the daemon to ask.
    pub(crate) fn daemon(&self) -> &DaemonOptions {
        &self.reading.daemon
    }

    /// Returns the first option given that is for traces only.
    pub(crate) fn only_for_traces(&self) -> Option<&'static str> {
        let TraceOptions { format, unit, device } = self.options;
        let said = [
            (self.miss_us.is_some(), "--miss-us"),
            (self.flash_us.is_some(), "--flash-us"),
            (format.is_some(), "--format"),
            (unit.is_some(), "--unit"),
            (device.is_some(), "--device"),
        ];
        said.into_iter().find(|(is_said, _)| *is_said).map(|(_, option)| option)
    }
}

fn parse_ratio(text: &str) -> Result<f64, String> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 100.0));
    match number.parse::<f64>().map(|number| number / unit) {
        Ok(ratio) if (0.01..=1.0).contains(&ratio) => Ok(ratio),
        _ => Err("write a share of reads from 0.01 to 1, such as 0.9 or 90%".to_owned()),
    }
}

fn parse_micros(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(micros) if (0.1..=1e8).contains(&micros) => Ok(micros),
        _ => Err("write microseconds from 0.1 to 100000000".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_as_parts_of_one_or_hundredths() {
        assert_eq!([parse_ratio("0.9"), parse_ratio("90%"), parse_ratio("1")], [Ok(0.9), Ok(0.9), Ok(1.0)]);
        for text in ["", "0", "90", "-0.5", "101%", "NaN", "inf", "half", "%"] {
            assert!(parse_ratio(text).is_err(), "{text}");
        }
        assert_eq!(parse_micros("250"), Ok(250.0));
        for text in ["0", "-1", "NaN", "inf", "1ms"] {
            assert!(parse_micros(text).is_err(), "{text}");
        }
    }
}
