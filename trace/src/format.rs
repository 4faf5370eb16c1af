//! Known formats, by name, and their detection.
//!
//! The extension of a file's name decides first. Otherwise the readers try the first lines: if exactly one of them can read them all, its
//! format is taken.

use std::str::FromStr;

use crate::binary::{blktrace, compact, vscsi};
use crate::input::{Input, LINE_BYTES_MAX};
use crate::pack::Packing;
use crate::text::columns::{Columns, Csv};
use crate::text::{
    self, Lines, blkparse, fio, fio_log, fiu, heimdall, msr, published, ssdsim, tencent, units,
};
use crate::trace::Record;

/// Number of lines that are tried to detect a format.
const LINES_TRIED: usize = 64;

/// Format of traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Forebay's own, binary, which is also written.
    Forebay,
    /// Binary, of virtual SCSI disks, version 1.
    Vscsi,
    /// Lines of first unit, count of units, something, number: the traces of the ARC paper.
    Lis,
    /// One block a line: the traces of the LIRS paper.
    Ids,
    /// CSV with latencies, of a replay of Tencent's block store.
    Tencent,
    /// Lines of time, device, offset, length, direction, in milliseconds and bytes.
    Heimdall,
    /// Lines of a file server with a digest of each content.
    Fiu,
    /// Lines of time, device, sector, sectors, direction, as simulators of SSDs read them.
    Ssdsim,
    /// CSV of Microsoft Research Cambridge.
    Msr,
    /// CSV of the Storage Performance Council.
    Spc,
    /// CSV of Alibaba Cloud.
    Alibaba,
    /// CSV of Tencent's block store, as it is published.
    TencentCbs,
    /// Output of blkparse.
    Blkparse,
    /// Binary output of blktrace.
    Blktrace,
    /// I/O logs of fio, version 2 and 3.
    Fio,
    /// Logs of latencies of fio, with offsets.
    FioLat,
    /// Other logs of fio with a line for each request, with offsets.
    FioLog,
    /// Lines whose columns the user names; never detected by name or content.
    Csv(Columns),
}

/// Source of a trace's records, one by one.
pub(crate) trait Records: Send {
    /// Returns the next record; `None` at the end.
    ///
    /// # Errors
    /// Expected and found values, without a full stop.
    fn next(&mut self, input: &mut Input) -> Result<Option<Record>, String>;

    /// Returns the place of the last record, such as `line 5`.
    fn place(&self) -> String;

    /// Returns the number of requests that are missing according to the recorder; known at the end.
    fn dropped(&self) -> u64 {
        0
    }
}

/// Formats with their names, and the extensions of their files, without a dot.
const FORMATS: &[(Format, &str, &[&str])] = &[
    (Format::Forebay, "forebay", &["fbtrace"]),
    (Format::Vscsi, "vscsi1", &["vscsi"]),
    (Format::Lis, "lis", &["lis"]),
    (Format::Ids, "ids", &["ids"]),
    (Format::Tencent, "tencent-replay", &[]),
    (Format::Heimdall, "heimdall", &[]),
    (Format::Fiu, "fiu", &[]),
    (Format::Ssdsim, "ssdsim", &[]),
    (Format::Msr, "msr", &[]),
    (Format::Spc, "spc", &["spc"]),
    (Format::Alibaba, "alibaba", &[]),
    (Format::TencentCbs, "tencent-cbs", &[]),
    (Format::Blkparse, "blkparse", &[]),
    (Format::Blktrace, "blktrace", &[]),
    (Format::Fio, "fio", &["iolog"]),
    (Format::FioLat, "fio-lat", &[]),
    (Format::FioLog, "fio-log", &[]),
];

/// Name of the format whose columns the user names.
const CSV: &str = "csv";
const CSV_EXAMPLE: &str = "csv:time_s,offset512,length512,op (columns by name and unit)";

impl Format {
    /// Returns all formats that have a name of their own.
    pub fn all() -> impl Iterator<Item = Self> {
        FORMATS.iter().map(|(format, ..)| *format)
    }

    /// Returns its name on the command line.
    pub fn name(self) -> &'static str {
        if let Self::Csv(_) = self {
            return CSV;
        }
        let known = FORMATS.iter().find(|(format, ..)| *format == self);
        known.map_or("", |(_, name, _)| name)
    }

    /// Returns the format for the extension of a file's name, compressed or not.
    pub fn of_name(file: &str) -> Option<Self> {
        let name = Packing::of_name(file).1;
        match fio_log::of_name(name) {
            Some(fio_log::Value::Latency) => return Some(Self::FioLat),
            Some(fio_log::Value::Other) => return Some(Self::FioLog),
            None => {}
        }
        let (_, ending) = name.rsplit_once('.')?;
        FORMATS.iter().find(|(_, _, endings)| endings.contains(&ending)).map(|(format, ..)| *format)
    }

    /// Returns the names of all formats, separated by commas.
    pub fn names() -> String {
        let named = FORMATS.iter().map(|(_, name, _)| *name);
        named.chain([CSV_EXAMPLE]).collect::<Vec<_>>().join(", ")
    }

    /// Returns the default bytes of a unit of address, in formats that do not define it.
    pub(crate) fn unit_bytes_default(self) -> Option<u32> {
        match self {
            Self::Lis => Some(units::LIS_UNIT_BYTES),
            Self::Ids => Some(units::IDS_UNIT_BYTES),
            _ => None,
        }
    }

    /// Returns a reader of it. `front` is the front of the trace.
    pub(crate) fn records(self, front: &[u8], unit_bytes: Option<u32>) -> Box<dyn Records> {
        let unit = u64::from(unit_bytes.or(self.unit_bytes_default()).unwrap_or(0));
        match self {
            Self::Forebay => Box::new(compact::Compact::default()),
            Self::Vscsi => Box::new(vscsi::Vscsi::default()),
            Self::Blktrace => Box::new(blktrace::Blktrace::new(front)),
            Self::Lis => Box::new(Lines::new(units::Lis { unit })),
            Self::Ids => Box::new(Lines::new(units::Ids::new(unit))),
            Self::Tencent => Box::new(Lines::new(tencent::Tencent)),
            Self::Heimdall => Box::new(Lines::new(heimdall::Heimdall)),
            Self::Fiu => Box::new(Lines::new(fiu::Fiu)),
            Self::Ssdsim => Box::new(Lines::new(ssdsim::Ssdsim)),
            Self::Msr => Box::new(Lines::new(msr::Msr)),
            Self::Spc => Box::new(Lines::new(published::spc())),
            Self::Alibaba => Box::new(Lines::new(published::alibaba())),
            Self::TencentCbs => Box::new(Lines::new(published::tencent_cbs())),
            Self::Csv(columns) => Box::new(Lines::new(Csv::new(columns))),
            Self::Blkparse => Box::new(Lines::new(blkparse::Blkparse::new(front))),
            Self::Fio => Box::new(Lines::new(fio::Fio::default())),
            Self::FioLat => Box::new(Lines::new(fio_log::FioLog::new(fio_log::Value::Latency, front))),
            Self::FioLog => Box::new(Lines::new(fio_log::FioLog::new(fio_log::Value::Other, front))),
        }
    }

    /// Returns true if all of the first records are of this format, at least one of them a request.
    fn fits(self, front: &[u8]) -> bool {
        match self {
            Self::Forebay => compact::fits(front),
            Self::Vscsi => vscsi::fits(front),
            Self::Blktrace => blktrace::fits(front),
            // Its reader skips lines that are not numbers, as any text may be.
            Self::Ids => units::tells_ids(text::whole_lines(front, LINES_TRIED)) && self.fits_lines(front),
            // Their readers accept commas without blanks, as other formats have them.
            Self::FioLat | Self::FioLog => {
                fio_log::tells(text::whole_lines(front, LINES_TRIED)) && self.fits_lines(front)
            }
            _ => self.fits_lines(front),
        }
    }

    /// Returns true if all lines fit. The last line may be cut off, by the sample or in the file, so it counts only if it is the only one.
    fn fits_lines(self, front: &[u8]) -> bool {
        let lines = text::whole_lines(front, LINES_TRIED);
        self.can_read(lines) || (front.len() <= LINE_BYTES_MAX && self.can_read(front))
    }

    fn can_read(self, lines: &[u8]) -> bool {
        let Ok(mut input) = Input::new(Box::new(std::io::Cursor::new(lines.to_vec()))) else { return false };
        let mut records = self.records(lines, None);
        let mut requests = 0;
        loop {
            match records.next(&mut input) {
                Ok(Some(Record::Request(request))) if request.check().is_ok() => requests += 1,
                Ok(Some(Record::Request(_))) | Err(_) => return false,
                Ok(Some(Record::Other)) => {}
                Ok(None) => return requests > 0,
            }
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(columns) = text.strip_prefix(CSV).and_then(|rest| rest.strip_prefix(':')) {
            return Columns::parse(columns).map(Self::Csv);
        }
        let known = FORMATS.iter().find(|(_, name, _)| *name == text);
        known.map(|(format, ..)| *format).ok_or_else(|| format!("use one of {}", Self::names()))
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Detects the format of a trace with this name and front.
///
/// # Errors
/// Reason why it cannot be detected.
pub(crate) fn tell(file: &str, front: &[u8]) -> Result<Format, String> {
    if let Some(format) = Format::of_name(file) {
        return Ok(format);
    }
    if front.is_empty() {
        return Err("it is empty".to_owned());
    }
    let fitting: Vec<Format> = Format::all().filter(|format| format.fits(front)).collect();
    match fitting[..] {
        [format] => Ok(format),
        [] => Err(fio_log::why_not(text::whole_lines(front, LINES_TRIED)).unwrap_or_else(|| {
            format!(
                "neither its name nor its content is that of a format known here; it begins with {}",
                shown(front)
            )
        })),
        _ => {
            let names: Vec<&str> = fitting.iter().map(|format| format.name()).collect();
            Err(format!("its first lines can be of {}", names.join(" and of ")))
        }
    }
}

/// Returns the first line for a message, or the first bytes if it is not text.
fn shown(front: &[u8]) -> String {
    let line = front.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match std::str::from_utf8(line) {
        Ok(line) if !line.chars().any(char::is_control) => text::quoted(line),
        _ => {
            let bytes: Vec<String> = front.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            format!("the bytes {}", bytes.join(" "))
        }
    }
}
