//! `msr`: CSV of Microsoft Research Cambridge (Narayanan, Donnelly and Rowstron, FAST 2008).
//!
//! ```text
//!   ticks of 100 ns, host, disk, Read or Write, offset in bytes, bytes, response time in ticks
//!   "128166372003061629,hm,1,Read,383496192,32768,1331"
//! ```
//! A response time of zero ticks is an unknown one: our own writer uses it so, and no request takes none.

use super::{Line, commas, record};
use crate::request::Request;
use crate::trace::Record;

/// Ticks in a microsecond.
const TICKS: u64 = 10;

/// Reader of its lines.
pub(crate) struct Msr;

impl Line for Msr {
    fn parse(&mut self, line: &str) -> Result<Option<Record>, String> {
        // Some copies have a heading.
        if line.starts_with("Timestamp,") {
            return Ok(None);
        }
        let mut fields = commas(line);
        let at_us = Some(fields.whole("the time in ticks of 100 ns")? / TICKS);
        fields.word("the host")?;
        let device = fields.small("the disk")?;
        let kind = fields.direction("Read", "Write")?;
        let offset = fields.whole("the offset in bytes")?;
        let bytes = fields.whole("the length in bytes")?;
        let latency = fields.whole("the response time in ticks of 100 ns")?;
        let latency_us = (latency > 0).then_some(latency / TICKS);
        fields.end()?;
        record(Request { at_us, latency_us, kind, device, offset, ..Request::default() }, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Kind;

    #[test]
    fn a_line_is_a_request_with_its_latency() {
        let request = Request {
            at_us: Some(12_816_637_200_306_162),
            latency_us: Some(133),
            kind: Kind::Read,
            device: 1,
            offset: 383_496_192,
            length: 32768,
        };
        let line = "128166372003061629,hm,1,Read,383496192,32768,1331";
        assert_eq!(Msr.parse(line), Ok(Some(Record::Request(request))));
        for (ticks, latency_us) in [(0, None), (1, Some(0)), (19, Some(1))] {
            let line = format!("128166372003061629,hm,1,Read,383496192,32768,{ticks}");
            assert_eq!(
                Msr.parse(&line),
                Ok(Some(Record::Request(Request { latency_us, ..request }))),
                "{line}"
            );
        }
        assert_eq!(Msr.parse("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime"), Ok(None));
        for line in
            ["128166372003061629,hm,1,Read,383496192,32768", "1,hm,1,Flush,0,512,1", "1,hm,1,Read,0,1e3,1"]
        {
            assert!(Msr.parse(line).is_err(), "{line}");
        }
    }
}
