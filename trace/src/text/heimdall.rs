//! `heimdall`: lines of time, device, offset, length and direction.
//!
//! ```text
//!   milliseconds device offset-in-bytes bytes 1-read-or-0-write      "0.000 0 11562803200 4096 1"
//! ```

use super::{Line, blanks, record};
use crate::request::Request;
use crate::trace::Record;

/// Reader of its lines.
pub(crate) struct Heimdall;

impl Line for Heimdall {
    fn parse(&mut self, line: &str) -> Result<Option<Record>, String> {
        let mut fields = blanks(line);
        let at_us = Some(fields.decimal("the time in milliseconds", 3)?);
        let device = fields.small("the device")?;
        let offset = fields.whole("the offset in bytes")?;
        let bytes = fields.whole("the length in bytes")?;
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
            at_us: Some(1_017_077),
            latency_us: None,
            kind: Kind::Write,
            device: 3,
            offset: 11_544_100_864,
            length: 4096,
        };
        assert_eq!(Heimdall.parse("1017.077 3 11544100864 4096 0"), Ok(Some(Record::Request(request))));
        for line in ["1017.077 0 11544100864 4096", "1 0 0 4096 2", "x 0 0 4096 1"] {
            assert!(Heimdall.parse(line).is_err(), "{line}");
        }
    }
}
