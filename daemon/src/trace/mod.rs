//! Traces: what requests somebody's disk once got, read as a stream.
//!
//! ```text
//!   file ── .zst unpacked ── records of its format ──> Request, Request, ...
//! ```
//! A reader holds one record at a time, whatever the length of the trace. It never guesses: a record that cannot be is an
//! error with its number, and what is no read or write is counted and left out.

#[cfg(test)]
pub(crate) mod testing;
mod vscsi;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use crate::problem::{Answer, Problem};
use vscsi::Vscsi;

/// The longest request that a trace may have, in bytes: what a door takes at once.
const LENGTH_MAX: u32 = 32 << 20;
const SECTOR: u64 = 512;

/// A read or write of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// When it came, in microseconds since a moment that only the trace knows.
    pub(crate) at_us: u64,
    pub(crate) kind: Kind,
    /// In bytes, a multiple of 512.
    pub(crate) offset: u64,
    /// In bytes, a multiple of 512, from 512 to 32 MiB.
    pub(crate) length: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
}

/// A trace that is read. Iterates over its requests; after an error it ends.
pub(crate) struct Trace {
    name: String,
    records: Vscsi<Box<dyn Read>>,
    /// Records read so far that were sound.
    read: u64,
    failed: bool,
}

/// What a whole trace asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Survey {
    /// Reads and writes.
    pub(crate) requests: u64,
    /// Writes among them.
    pub(crate) writes: u64,
    /// Records of other commands, or of no bytes.
    pub(crate) left_out: u64,
    /// The end of the request that reaches furthest, in bytes.
    pub(crate) end: u64,
    /// The longest request, in bytes.
    pub(crate) length_max: u32,
}

/// What one record says.
enum Record {
    Request(Request),
    /// Another command, or no bytes.
    Other,
}

impl Trace {
    /// Opens a trace whose name says its format: `.vscsi`, and `.vscsi.zst` if it is packed.
    ///
    /// # Errors
    /// If the file cannot be read or its name ends otherwise.
    pub(crate) fn open(path: &Path) -> Answer<Self> {
        let name = path.display().to_string();
        let Some(plain) = name.strip_suffix(".zst").unwrap_or(&name).strip_suffix(".vscsi") else {
            let message = "the name must end in .vscsi or .vscsi.zst; rename the file if it is such a trace";
            return Err(Problem::invalid(format!("Cannot tell the format of trace {name}: {message}")));
        };
        let problem = |error| {
            Problem::invalid(format!("Cannot open trace {name}: {error}; check path and permissions"))
        };
        let file = File::open(path).map_err(problem)?;
        let bytes: Box<dyn Read> = if name.len() > plain.len() + ".vscsi".len() {
            Box::new(BufReader::new(zstd::Decoder::new(file).map_err(problem)?))
        } else {
            Box::new(BufReader::new(file))
        };
        Ok(Self { name, records: Vscsi::new(bytes), read: 0, failed: false })
    }

    /// Reads a whole trace to see that every record is sound and what they ask for.
    ///
    /// # Errors
    /// As [`Self::open`], or if a record is damaged.
    pub(crate) fn survey(path: &Path) -> Answer<Survey> {
        let mut trace = Self::open(path)?;
        let mut survey = Survey::default();
        for request in &mut trace {
            let Request { kind, offset, length, .. } = request?;
            survey.requests += 1;
            survey.writes += u64::from(kind == Kind::Write);
            survey.end = survey.end.max(offset + u64::from(length));
            survey.length_max = survey.length_max.max(length);
        }
        survey.left_out = trace.read - survey.requests;
        Ok(survey)
    }

    fn next_request(&mut self) -> Result<Option<Request>, String> {
        while let Some(record) = self.records.next_record()? {
            if let Record::Request(request) = &record {
                check(request)?;
            }
            self.read += 1;
            if let Record::Request(request) = record {
                return Ok(Some(request));
            }
        }
        Ok(None)
    }
}

impl Iterator for Trace {
    type Item = Answer<Request>;

    fn next(&mut self) -> Option<Answer<Request>> {
        if self.failed {
            return None;
        }
        let request = self.next_request().map_err(|reason| {
            self.failed = true;
            let (name, record) = (&self.name, self.read + 1);
            Problem::invalid(format!(
                "Cannot read record {record} of trace {name}: {reason}; get the trace again"
            ))
        });
        request.transpose()
    }
}

/// Whether a request can be one.
fn check(Request { offset, length, .. }: &Request) -> Result<(), String> {
    if *length > LENGTH_MAX || !u64::from(*length).is_multiple_of(SECTOR) {
        return Err(format!("a request of {length} bytes cannot be"));
    }
    match offset.checked_add(u64::from(*length)) {
        Some(_) => Ok(()),
        None => Err(format!("an offset of {offset} bytes cannot be")),
    }
}

#[cfg(test)]
mod tests {
    use super::testing::record;
    use super::*;
    use crate::testing::TempDir;

    fn file(name: &str, bytes: &[u8]) -> (TempDir, std::path::PathBuf) {
        let folder = TempDir::new();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("the folder is ours");
        (folder, path)
    }

    fn message(path: &Path) -> String {
        Trace::survey(path).expect_err("it is damaged").message
    }

    #[test]
    fn a_trace_is_read_packed_and_not() {
        let bytes = [
            record(0x28, 8, 4096, 5),
            record(0x2a, 1, 512, 9),
            record(0x1a, 0, 512, 9),
            record(0x28, 3, 0, 9),
        ];
        let bytes = bytes.concat();
        let packed = zstd::encode_all(&bytes[..], 3).expect("memory takes it");
        for (name, bytes) in [("a.vscsi", &bytes), ("a.vscsi.zst", &packed)] {
            let (_folder, path) = file(name, bytes);
            let requests: Vec<Request> =
                Trace::open(&path).expect("it is there").map(|request| request.expect("sound")).collect();
            let read = Request { at_us: 5, kind: Kind::Read, offset: 4096, length: 4096 };
            let write = Request { at_us: 9, kind: Kind::Write, offset: 512, length: 512 };
            assert_eq!(requests, [read, write]);
            let survey = Survey { requests: 2, writes: 1, left_out: 2, end: 8192, length_max: 4096 };
            assert_eq!(Trace::survey(&path).expect("it is sound"), survey);
        }
    }

    #[test]
    fn a_damaged_trace_is_an_error_that_names_the_record() {
        let good = record(0x28, 8, 4096, 5);
        for (bad, reason) in [
            (record(0x28, 8, 100, 5), "100 bytes"),
            (record(0x28, 8, u32::MAX - 511, 5), "cannot be"),
            (record(0x28, u64::MAX, 512, 5), "sector"),
            (record(0x28, u64::MAX / 512, 1 << 20, 5), "offset"),
            (good[..31].to_vec(), "ends in the middle"),
        ] {
            let (_folder, path) = file("a.vscsi", &[&good[..], &bad].concat());
            let message = message(&path);
            assert!(message.contains("record 2") && message.contains(reason), "{message}");
        }
        let (_folder, path) = file("a.vscsi.zst", &good);
        assert!(message(&path).contains("record 1"), "it is not packed");
    }

    #[test]
    fn an_unknown_format_and_a_missing_file_are_named() {
        let (_folder, path) = file("a.csv", b"1,2,3");
        assert!(message(&path).contains(".vscsi.zst"));
        assert!(message(Path::new("/no/such.vscsi")).contains("/no/such.vscsi"));
    }

    #[test]
    fn a_trace_ends_after_an_error() {
        let (_folder, path) = file("a.vscsi", &record(0x28, 8, 100, 5));
        assert_eq!(Trace::open(&path).expect("it is there").count(), 1);
    }
}
