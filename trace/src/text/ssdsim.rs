//! `ssdsim`: lines in the form that simulators of SSDs read.
//!
//! ```text
//!   nanoseconds device sector sectors 1-read-or-0-write      "938513000 4 264719034 16 0"
//! ```

use super::{Line, blanks, record};
use crate::request::{Request, SECTOR};
use crate::trace::Record;

/// Reader of its lines.
pub(crate) struct Ssdsim;

impl Line for Ssdsim {
    fn parse(&mut self, line: &str) -> Result<Option<Record>, String> {
        let mut fields = blanks(line);
        let at_us = Some(fields.whole("the time in nanoseconds")? / 1000);
        let device = fields.small("the device")?;
        let offset = fields.units("the sector", SECTOR)?;
        let bytes = fields.units("the count of sectors", SECTOR)?;
        let kind = fields.direction("1", "0")?;
        fields.end()?;
        record(Request { at_us, kind, device, offset, ..Request::default() }, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Kind;

    #[test]
    fn a_line_is_a_request() {
        let request = Request {
            at_us: Some(938_513),
            latency_us: None,
            kind: Kind::Write,
            device: 4,
            offset: 264_719_034 * 512,
            length: 8192,
        };
        assert_eq!(Ssdsim.parse("938513000 4 264719034 16 0"), Ok(Some(Record::Request(request))));
        assert_eq!(Ssdsim.parse("0 0 5 0 1"), Ok(Some(Record::Other)));
        for line in ["0.5 0 5 1 1", "0 0 5 1", "0 0 18446744073709551615 1 1"] {
            assert!(Ssdsim.parse(line).is_err(), "{line}");
        }
    }
}
