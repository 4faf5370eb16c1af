//! Traces that name units and nothing else, without time or direction: `lis` of the ARC paper (Megiddo and Modha, FAST
//! 2003) and `ids` of the LIRS paper (Jiang and Zhang, SIGMETRICS 2002).
//!
//! ```text
//!   lis   first unit, count of units, something, number of the request     "1936993 8 0 0"
//!   ids   one unit; lines that are no number are left out                  "2819"
//! ```
//! Neither file says what a unit is: sectors of 512 bytes in `lis` of disks, pages in others.

use super::{Line, blanks, record};
use crate::request::Request;
use crate::trace::Record;

/// What a unit of `lis` is if nobody says: a sector.
pub(crate) const LIS_UNIT_BYTES: u32 = 512;
/// What a unit of `ids` is if nobody says: a page.
pub(crate) const IDS_UNIT_BYTES: u32 = 4096;

/// Lines of `lis`, with the bytes of a unit.
pub(crate) struct Lis {
    pub(crate) unit: u64,
}

impl Line for Lis {
    fn parse(&mut self, line: &str) -> Result<Option<Record>, String> {
        let mut fields = blanks(line);
        let offset = fields.units("the first unit", self.unit)?;
        let bytes = fields.units("the count of units", self.unit)?;
        fields.whole("what is ignored")?;
        fields.whole("the number of the request")?;
        fields.end()?;
        record(Request { offset, ..Request::default() }, bytes)
    }
}

/// Lines of `ids`, with the bytes of a unit.
pub(crate) struct Ids {
    pub(crate) unit: u64,
}

impl Line for Ids {
    fn parse(&mut self, line: &str) -> Result<Option<Record>, String> {
        let word = line.trim_ascii();
        if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(Some(Record::Other));
        }
        let offset = blanks(word).units("the unit", self.unit)?;
        record(Request { offset, ..Request::default() }, self.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_lis_is_a_range_of_units() {
        let mut lis = Lis { unit: 512 };
        let request = Request { offset: 1_936_993 * 512, length: 4096, ..Request::default() };
        assert_eq!(lis.parse("1936993 8 0 0"), Ok(Some(Record::Request(request))));
        assert_eq!(lis.parse("5 0 0 1"), Ok(Some(Record::Other)));
        for line in
            ["5 8 0", "5 8 0 1 2", "5 x 0 1", "-5 8 0 1", "18446744073709551615 8 0 1", "0 2147483648 0 0"]
        {
            assert!(lis.parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_line_of_ids_is_a_unit_or_left_out() {
        let mut ids = Ids { unit: 4096 };
        let request = Request { offset: 2819 * 4096, length: 4096, ..Request::default() };
        assert_eq!(ids.parse(" 2819 "), Ok(Some(Record::Request(request))));
        for line in ["*", "-7", "1.5", "1 2"] {
            assert_eq!(ids.parse(line), Ok(Some(Record::Other)), "{line}");
        }
        assert!(ids.parse("18446744073709551615").is_err());
    }
}
