//! `tencent-replay`: a replay of parts of Tencent's block store, with the latency of each request.
//!
//! ```text
//!   milliseconds, latency in microseconds, 1 read or 0 write, bytes, offset in bytes, submitted in milliseconds, bytes done
//!   "0.000,104,1,4096,42414080,0.097,4096"
//! ```

use super::{Line, commas, record};
use crate::request::Request;
use crate::trace::Record;

/// Reader of its lines.
pub(crate) struct Tencent;

impl Line for Tencent {
    fn parse(&mut self, line: &str) -> Result<Option<Record>, String> {
        let mut fields = commas(line);
        let at_us = Some(fields.decimal("the time in milliseconds", 3)?);
        let latency_us = Some(fields.whole("the latency in microseconds")?);
        let kind = fields.direction("1", "0")?;
        let bytes = fields.whole("the length in bytes")?;
        let offset = fields.whole("the offset in bytes")?;
        fields.decimal("when it was submitted", 3)?;
        fields.whole("the bytes that were done")?;
        fields.end()?;
        record(Request { at_us, latency_us, kind, offset, ..Request::default() }, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Kind;

    #[test]
    fn a_line_is_a_request_with_its_latency() {
        let request = Request {
            at_us: Some(132_000_125),
            latency_us: Some(1021),
            kind: Kind::Read,
            device: 0,
            offset: 45_150_208,
            length: 8192,
        };
        let line = "132000.125,1021,1,8192,45150208,132001.406,8192";
        assert_eq!(Tencent.parse(line), Ok(Some(Record::Request(request))));
        assert_eq!(Tencent.parse("0.1,5,0,0,0,0.1,0"), Ok(Some(Record::Other)));
        for line in [
            "132000.125,1021,1,8192,45150208,132001.406",
            "1,1,2,8192,0,1,1",
            "1;1;1",
            "1,1,1,99999999999,0,1,1",
        ] {
            assert!(Tencent.parse(line).is_err(), "{line}");
        }
    }
}
