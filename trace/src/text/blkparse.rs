//! Output of blkparse for a trace of the block layer of Linux, in its default format.
//!
//! ```text
//!   major,minor cpu sequence seconds process action kind sector + sectors [name]
//!   "8,0 3 1 0.000000000 697 Q W 223490 + 8 [kjournald]"
//! ```
//! One request makes several lines; those of one action are taken: queued (Q) if the trace has any, else issued (D), else completed (C).
//! The summaries of each CPU and of all are not part of the trace, which may continue behind them: several outputs in one file have
//! several.

use super::{Line, blanks, decimal, record};
use crate::request::{Kind, Request, SECTOR};
use crate::trace::Record;

/// Best first: queued, issued, completed.
const ACTIONS: [&str; 3] = ["Q", "D", "C"];

/// Reader of its lines.
pub(crate) struct Blkparse {
    action: &'static str,
    in_summary: bool,
}

impl Blkparse {
    /// Selects lines of the best action that occurs in the front of a trace.
    pub(crate) fn new(front: &[u8]) -> Self {
        let text = String::from_utf8_lossy(front);
        let occurs = |action: &&str| text.lines().any(|line| is_transfer(line, action));
        Self { action: ACTIONS.into_iter().find(occurs).unwrap_or(ACTIONS[0]), in_summary: false }
    }
}

impl Line for Blkparse {
    fn parse(&mut self, line: &str) -> Result<Option<Record>, String> {
        self.in_summary = begins_summary(line) || self.in_summary && is_of_summary(line);
        if self.in_summary {
            return Ok(None);
        }
        let mut fields = blanks(line);
        let device = fields.word("the device")?;
        let device = numbers(device).ok_or_else(|| fields.wrong("the device", "MAJOR,MINOR", device))?;
        fields.whole("the CPU")?;
        fields.whole("the sequence")?;
        let time = fields.word("the time in seconds")?;
        let at_us = decimal(time, 6).ok_or_else(|| fields.wrong("the time in seconds", "a number", time))?;
        fields.whole("the process")?;
        let action = fields.word("the action")?;
        if action != self.action {
            return Ok(Some(Record::Other));
        }
        let Some(kind) = kind_of(fields.word("the kind")?) else { return Ok(Some(Record::Other)) };
        let sector = fields.word("the sector")?;
        if sector.starts_with('[') {
            // A flush has no sectors: its name follows at once.
            return Ok(Some(Record::Other));
        }
        let offset = sector.parse::<u64>().ok().and_then(|sector| sector.checked_mul(SECTOR));
        let offset = offset.ok_or_else(|| fields.wrong("the sector", "a whole number below 2^55", sector))?;
        match fields.word("a plus sign")? {
            "+" => {}
            other => return Err(fields.wrong("what comes before the count", "+", other)),
        }
        let bytes = fields.units("the count of sectors", SECTOR)?;
        record(Request { at_us: Some(at_us), kind, device, offset, ..Request::default() }, bytes)
    }
}

/// Returns true if the line begins a summary: `CPU3 (8,0):`, `Total (8,0):`.
fn begins_summary(line: &str) -> bool {
    let is_of_cpu =
        line.strip_prefix("CPU").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
    is_of_cpu || line.starts_with("Total (")
}

/// Returns true if the line continues a summary, which begins with words; a line of the trace begins with numbers.
fn is_of_summary(line: &str) -> bool {
    line.trim_ascii_start().starts_with(|first: char| first.is_ascii_alphabetic()) && line.contains(':')
}

/// Returns the number of a device `major,minor`.
fn numbers(text: &str) -> Option<u32> {
    let (major, minor) = text.split_once(',')?;
    Some(super::device(major.parse().ok()?, minor.parse().ok()?))
}

/// Returns the direction in the letters of a request: R or W among others. Discards and requests without data have none.
fn kind_of(letters: &str) -> Option<Kind> {
    match letters {
        letters if letters.contains('D') => None,
        letters if letters.contains('R') => Some(Kind::Read),
        letters if letters.contains('W') => Some(Kind::Write),
        _ => None,
    }
}

fn is_transfer(line: &str, action: &str) -> bool {
    let fields: Vec<&str> = line.split_ascii_whitespace().take(8).collect();
    let [device, _, _, _, _, found, kind, sector] = fields[..] else { return false };
    found == action && numbers(device).is_some() && kind_of(kind).is_some() && sector.parse::<u64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "\
  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]
  8,0    3        2     0.000001829   697  G   W 223490 + 8 [kjournald]
  8,0    3        3     0.000002197   697  P   N [kjournald]
  8,0    3        0     0.000002500     0  m   N cfq697 insert_request
  8,0    3        4     0.000005000   697  Q  RA 100 + 16 [cat]
  8,0    3        5     0.000006000   697  Q  DS 500 + 16 [fstrim]
  8,0    3        6     0.000007000   697  Q FWS [fsync]
  8,0    3        7     0.000017000   697  D   W 223490 + 8 [kjournald]
CPU3 (8,0):
 Reads Queued:           1,        8KiB
Total (8,0):
";

    fn requests(trace: &str) -> Vec<Request> {
        let mut format = Blkparse::new(trace.as_bytes());
        let records = trace.lines().filter_map(|line| format.parse(line).expect("sound"));
        let requests = records.filter_map(|record| match record {
            Record::Request(request) => Some(request),
            Record::Other => None,
        });
        requests.collect()
    }

    #[test]
    fn one_line_of_each_request_is_taken() {
        let write = Request {
            at_us: Some(0),
            latency_us: None,
            kind: Kind::Write,
            device: 8 << 20,
            offset: 223_490 * 512,
            length: 4096,
        };
        let read = Request { at_us: Some(5), kind: Kind::Read, offset: 51200, length: 8192, ..write };
        assert_eq!(requests(TRACE), [write, read]);
        let issued: Vec<&str> = TRACE.lines().filter(|line| !line.contains(" Q ")).collect();
        assert_eq!(requests(&issued.join("\n")), [Request { at_us: Some(17), ..write }]);
    }

    #[test]
    fn a_trace_goes_on_behind_a_summary_and_nothing_is_passed_over() {
        let summary =
            "Throughput (R/W): 0KiB/s / 8KiB/s\nEvents (8,0): 8 entries\nSkips: 0 forward (0 -   0.0%)\n";
        assert_eq!(requests(&[TRACE, summary, TRACE].concat()).len(), 4);
        let mut format = Blkparse::new(TRACE.as_bytes());
        for line in
            ["CPU0 (8,0):", " PC Reads Queued:    0,  0KiB", "Total (8,0):", "Events (8,0): 8 entries"]
        {
            assert_eq!(format.parse(line), Ok(None), "{line}");
        }
        let message = format.parse("what is this").expect_err("no summary has it");
        assert!(message.contains("MAJOR,MINOR"), "{message}");
        for line in ["CPUs are many", " Reads Queued:   1,   8KiB", "Totally"] {
            assert!(Blkparse::new(b"").parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn what_is_no_line_of_it_is_told() {
        let mut format = Blkparse::new(b"");
        for line in [
            "8 3 1 0.0 697 Q W 1 + 8 [a]",
            "8,0 3 1 0.0 697",
            "8,0 3 1 0.0 697 Q W 1 - 8 [a]",
            "8,0 3 1 0.0 697 Q W",
        ] {
            assert!(format.parse(line).is_err(), "{line}");
        }
    }
}
