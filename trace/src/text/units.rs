//! Traces with units only, without time or direction: `lis` of the ARC paper (Megiddo and Modha, FAST 2003) and `ids` of the LIRS paper
//! (Jiang and Zhang, SIGMETRICS 2002).
//!
//! ```text
//!   lis   first unit, count of units, something, number of the request     "1936993 8 0 0"
//!   ids   one unit; a few lines other than numbers are left out            "2819"
//! ```
//! Neither file defines the unit: sectors of 512 bytes in `lis` of disks, pages in others.

use super::{Line, blanks, quoted, record};
use crate::request::Request;
use crate::trace::Record;

/// Default bytes of a unit of `lis`: a sector.
pub(crate) const LIS_UNIT_BYTES: u32 = 512;
/// Default bytes of a unit of `ids`: a page.
pub(crate) const IDS_UNIT_BYTES: u32 = 4096;

/// Reader of lines of `lis`.
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

/// Number of lines of `ids` other than numbers that are left out in any case, as a file may have a heading. Beyond, one line in
/// [`OTHERS_ONE_IN`] may be: otherwise it is another trace, of which some lines happen to be numbers.
const OTHERS_MIN: u64 = 64;
const OTHERS_ONE_IN: u64 = 8;
/// First characters of lines that are not numbers and still fit `ids`: signs of comments.
const COMMENTS: &[u8] = b"#*%;/";

/// Reader of lines of `ids`.
pub(crate) struct Ids {
    /// Bytes of a unit.
    unit: u64,
    lines: u64,
    /// Lines among them that are not numbers.
    others: u64,
}

impl Ids {
    pub(crate) fn new(unit: u64) -> Self {
        Self { unit, lines: 0, others: 0 }
    }
}

impl Line for Ids {
    fn parse(&mut self, line: &str) -> Result<Option<Record>, String> {
        let word = line.trim_ascii();
        self.lines += 1;
        if !is_number(word) {
            self.others += 1;
            if self.others > OTHERS_MIN && self.others > self.lines / OTHERS_ONE_IN {
                let Self { lines, others, .. } = *self;
                return Err(format!(
                    "expected a number in most lines, found none in {others} of {lines}: {}",
                    quoted(word)
                ));
            }
            return Ok(Some(Record::Other));
        }
        let offset = blanks(word).units("the unit", self.unit)?;
        record(Request { offset, ..Request::default() }, self.unit)
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true if lines at the front of a trace are of `ids`: all are numbers, except comments, which are fewer.
pub(crate) fn tells_ids(lines: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(lines) else { return false };
    let lines = || text.lines().map(str::trim_ascii).filter(|line| !line.is_empty());
    let numbers = lines().filter(|line| is_number(line)).count();
    let comments = lines().filter(|line| COMMENTS.contains(&line.as_bytes()[0])).count();
    numbers > comments && numbers + comments == lines().count()
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
        let mut ids = Ids::new(4096);
        let request = Request { offset: 2819 * 4096, length: 4096, ..Request::default() };
        assert_eq!(ids.parse(" 2819 "), Ok(Some(Record::Request(request))));
        for line in ["*", "-7", "1.5", "1 2"] {
            assert_eq!(ids.parse(line), Ok(Some(Record::Other)), "{line}");
        }
        assert!(ids.parse("18446744073709551615").is_err());
    }

    #[test]
    fn lines_of_ids_that_are_no_number_are_left_out_while_they_are_few() {
        let mut ids = Ids::new(4096);
        let heading: Vec<_> = (0..OTHERS_MIN).map(|_| ids.parse("a heading")).collect();
        assert!(heading.iter().all(|line| *line == Ok(Some(Record::Other))));
        let message = ids.parse("0.5,104").expect_err("it is another trace");
        assert!(message.contains("none in 65 of 65: '0.5,104'"), "{message}");
        let mut ids = Ids::new(4096);
        for line in 0..8000 {
            let text = if line % 8 == 7 { "*" } else { "7" };
            assert!(ids.parse(text).is_ok(), "{line}");
        }
        assert!(ids.parse("*").is_err(), "one more than one in eight");
    }

    #[test]
    fn numbers_with_a_few_comments_tell_ids_and_other_text_does_not() {
        for lines in ["7\n", "7\n\n8\r\n", "# a comment\n7\n8\n", "7\n*\n9\n"] {
            assert!(tells_ids(lines.as_bytes()), "{lines}");
        }
        for lines in [
            "",
            "\n",
            "#\n",
            "#\n7\n",
            "7\nhello\n8\n9\n",
            "7\n1.5\n8\n",
            "4096\n0.5,1,1,4096,0,1,1\n",
            "\u{fe}\n7\n8\n",
        ] {
            assert!(!tells_ids(lines.as_bytes()), "{lines}");
        }
        assert!(!tells_ids(b"\xff\n7\n8\n"));
    }
}
