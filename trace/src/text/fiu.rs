//! `fiu`: a file server's requests with the digest of what each transferred (Florida International University).
//!
//! ```text
//!   nanoseconds process name sector sectors R-or-W major minor digest
//!   "89966527950584 4253 nfsd 508516672 8 W 6 0 88b93b628d84082186026d9da044f173"
//! ```

use super::{Line, blanks, record};
use crate::request::{Request, SECTOR};
use crate::trace::Record;

/// Reader of its lines.
pub(crate) struct Fiu;

impl Line for Fiu {
    fn parse(&mut self, line: &str) -> Result<Option<Record>, String> {
        let mut fields = blanks(line);
        let at_us = Some(fields.whole("the time in nanoseconds")? / 1000);
        fields.whole("the process")?;
        fields.word("the name of the process")?;
        let offset = fields.units("the sector", SECTOR)?;
        let bytes = fields.units("the count of sectors", SECTOR)?;
        let kind = fields.direction("R", "W")?;
        let device = super::device(fields.small("the major number")?, fields.small("the minor number")?);
        fields.word("the digest of the content")?;
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
            at_us: Some(89_966_527_950),
            latency_us: None,
            kind: Kind::Write,
            device: 6 << 20,
            offset: 508_516_672 * 512,
            length: 4096,
        };
        let line = "89966527950584 4253 nfsd 508516672 8 W 6 0 88b93b628d84082186026d9da044f173";
        assert_eq!(Fiu.parse(line), Ok(Some(Record::Request(request))));
        let cut_off = &line[..line.len() - 33];
        for line in [cut_off, "1 2 a 3 8 X 6 0 d", "1 2 a 3 8 R 6 0 d e"] {
            assert!(Fiu.parse(line).is_err(), "{line}");
        }
    }
}
