//! I/O logs of fio, version 2 and 3, which `write_iolog` writes and `read_iolog` reads.
//!
//! ```text
//!   fio version 2 iolog                       fio version 3 iolog
//!   FILE add | open | close                   TIME FILE add | open | close
//!   FILE read | write OFFSET LENGTH           TIME FILE read | write OFFSET LENGTH
//!   FILE wait MICROSECONDS LENGTH
//! ```
//! Sources: fio's manual, "Trace file format v2" and "v3", and for the unit of TIME, microseconds since the start, the output of fio.
//! Version 2 has no times but waits, each after the one before; they are added up. Each file is a device of its own, numbered in the order
//! of their appearance.

use super::{Fields, Line, blanks, quoted, record};
use crate::request::{Kind, Request};
use crate::trace::Record;

/// Maximum number of files in one log.
const FILES_MAX: usize = 1024;

/// Reader of its lines.
#[derive(Default)]
pub(crate) struct Fio {
    version: Option<Version>,
    files: Vec<String>,
}

#[derive(Clone, Copy)]
enum Version {
    /// Version 2, with the sum of waits so far, if there was one.
    Two {
        waited_us: Option<u64>,
    },
    Three,
}

impl Line for Fio {
    fn parse(&mut self, line: &str) -> Result<Option<Record>, String> {
        let Some(version) = self.version else {
            self.version = Some(heading(line)?);
            return Ok(None);
        };
        let mut fields = blanks(line);
        let at_us = match version {
            Version::Two { waited_us } => waited_us,
            Version::Three => Some(fields.whole("the time in microseconds")?),
        };
        let file = fields.word("the file")?;
        let kind = match fields.word("the action")? {
            "add" | "open" | "close" => return fields.end().map(|()| None),
            "read" => Some(Kind::Read),
            "write" => Some(Kind::Write),
            "wait" => return self.wait(&mut fields),
            "trim" | "sync" | "datasync" | "sync_file_range" => None,
            other => return Err(fields.wrong("the action", "read, write, trim, sync or wait", other)),
        };
        let offset = fields.whole("the offset in bytes")?;
        let bytes = fields.whole("the length in bytes")?;
        fields.end()?;
        let Some(kind) = kind else { return Ok(Some(Record::Other)) };
        let device = self.device(file)?;
        record(Request { at_us, kind, device, offset, ..Request::default() }, bytes)
    }
}

impl Fio {
    fn wait<'a>(
        &mut self,
        fields: &mut Fields<'a, impl Iterator<Item = &'a str>>,
    ) -> Result<Option<Record>, String> {
        let Some(Version::Two { waited_us }) = &mut self.version else {
            return Err("expected no wait in version 3, found one".to_owned());
        };
        let more = fields.whole("the wait in microseconds")?;
        *waited_us = Some(waited_us.unwrap_or(0).saturating_add(more));
        Ok(None)
    }

    fn device(&mut self, file: &str) -> Result<u32, String> {
        if let Some(at) = self.files.iter().position(|known| known == file) {
            return Ok(at as u32);
        }
        if self.files.len() == FILES_MAX {
            return Err(format!("expected at most {FILES_MAX} files, found one more: {}", quoted(file)));
        }
        self.files.push(file.to_owned());
        Ok(self.files.len() as u32 - 1)
    }
}

fn heading(line: &str) -> Result<Version, String> {
    match line.trim_ascii() {
        "fio version 2 iolog" => Ok(Version::Two { waited_us: None }),
        "fio version 3 iolog" => Ok(Version::Three),
        other => {
            Err(format!("expected 'fio version 2 iolog' or 'fio version 3 iolog', found {}", quoted(other)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(log: &str) -> Result<Vec<Request>, String> {
        let (mut fio, mut requests) = (Fio::default(), Vec::new());
        for line in log.lines() {
            if let Some(Record::Request(request)) = fio.parse(line)? {
                requests.push(request);
            }
        }
        Ok(requests)
    }

    #[test]
    fn version_2_has_waits_and_no_times() {
        let log = "fio version 2 iolog\n/dev/a add\n/dev/a open\n/dev/a read 8192 4096\n/dev/a wait 150 0\n\
                   /dev/b write 0 512\n/dev/b wait 50 0\n/dev/a datasync 0 0\n/dev/a read 0 512\n/dev/a close\n";
        let read = Request { kind: Kind::Read, offset: 8192, length: 4096, ..Request::default() };
        let write = Request {
            at_us: Some(150),
            kind: Kind::Write,
            device: 1,
            offset: 0,
            length: 512,
            latency_us: None,
        };
        let last = Request { at_us: Some(200), kind: Kind::Read, device: 0, ..write };
        assert_eq!(requests(log), Ok(vec![read, write, last]));
    }

    #[test]
    fn version_3_has_times() {
        let log =
            "fio version 3 iolog\n0 /dev/a add\n1 /dev/a open\n7 /dev/a write 4096 1024\n9 /dev/a sync 0 0\n";
        let write =
            Request { at_us: Some(7), kind: Kind::Write, offset: 4096, length: 1024, ..Request::default() };
        assert_eq!(requests(log), Ok(vec![write]));
    }

    #[test]
    fn what_is_no_log_is_told() {
        for log in [
            "fio version 4 iolog\n",
            "/dev/a read 0 4096\n",
            "fio version 3 iolog\n/dev/a read 0 4096\n",
            "fio version 3 iolog\n1 /dev/a wait 5 0\n",
            "fio version 2 iolog\n/dev/a read 0\n",
            "fio version 2 iolog\n/dev/a erase 0 1\n",
        ] {
            assert!(requests(log).is_err(), "{log}");
        }
    }
}
