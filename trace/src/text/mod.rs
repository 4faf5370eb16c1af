//! Formats of lines. Each file parses one line of its format; the common part is here.

pub(crate) mod blkparse;
pub(crate) mod columns;
pub(crate) mod fio;
pub(crate) mod fio_log;
pub(crate) mod fiu;
pub(crate) mod heimdall;
pub(crate) mod msr;
pub(crate) mod published;
pub(crate) mod ssdsim;
pub(crate) mod tencent;
pub(crate) mod units;

use crate::format::Records;
use crate::input::{Input, LINE_BYTES_MAX};
use crate::request::{Kind, Request, SECTOR};
use crate::trace::Record;

/// Maximum number of characters of a line in a message.
const SHOWN_MAX: usize = 40;

/// Parser for the lines of one format.
pub(crate) trait Line: Send {
    /// Parses a line that is not blank; returns `None` for a heading, or a line that belongs to no record.
    ///
    /// # Errors
    /// Expected and found values.
    fn parse(&mut self, line: &str) -> Result<Option<Record>, String>;
}

/// Reader of the lines of a trace.
pub(crate) struct Lines<L> {
    format: L,
    number: u64,
}

impl<L: Line> Lines<L> {
    pub(crate) fn new(format: L) -> Self {
        Self { format, number: 0 }
    }
}

impl<L: Line> Records for Lines<L> {
    fn next(&mut self, input: &mut Input) -> Result<Option<Record>, String> {
        loop {
            self.number += 1;
            let Some(line) = input.line()? else { return Ok(None) };
            if line.trim_ascii().is_empty() {
                continue;
            }
            if let Some(record) = self.format.parse(line)? {
                return Ok(Some(record));
            }
        }
    }

    fn place(&self) -> String {
        format!("line {}", self.number)
    }
}

/// Fields of a line, taken one by one, so that every error can name its field.
pub(crate) struct Fields<'a, I> {
    rest: I,
    line: &'a str,
    number: usize,
}

/// Returns fields separated by blanks.
pub(crate) fn blanks(line: &str) -> Fields<'_, impl Iterator<Item = &str>> {
    Fields { rest: line.split_ascii_whitespace(), line, number: 0 }
}

/// Returns fields separated by commas.
pub(crate) fn commas(line: &str) -> Fields<'_, impl Iterator<Item = &str>> {
    Fields { rest: line.split(',').map(str::trim_ascii), line, number: 0 }
}

/// Returns fields separated by semicolons.
pub(crate) fn semicolons(line: &str) -> Fields<'_, impl Iterator<Item = &str>> {
    Fields { rest: line.split(';').map(str::trim_ascii), line, number: 0 }
}

impl<'a, I: Iterator<Item = &'a str>> Fields<'a, I> {
    /// Returns the next field, which is `what`.
    pub(crate) fn word(&mut self, what: &str) -> Result<&'a str, String> {
        self.number += 1;
        let number = self.number;
        let line = self.line;
        self.rest
            .next()
            .ok_or_else(|| format!("expected {what} in field {number}, found no more in {}", quoted(line)))
    }

    /// Parses the next field as a whole number.
    pub(crate) fn whole(&mut self, what: &str) -> Result<u64, String> {
        let word = self.word(what)?;
        word.parse().map_err(|_| self.wrong(what, "a whole number", word))
    }

    /// Parses the next field as a whole number of 32 bits.
    pub(crate) fn small(&mut self, what: &str) -> Result<u32, String> {
        let word = self.word(what)?;
        word.parse().map_err(|_| self.wrong(what, "a whole number below 2^32", word))
    }

    /// Parses the next field as a number with a fraction, in units of `10^-digits`, rounded down.
    pub(crate) fn decimal(&mut self, what: &str, digits: usize) -> Result<u64, String> {
        let word = self.word(what)?;
        decimal(word, digits).ok_or_else(|| self.wrong(what, "a number", word))
    }

    /// Parses the next field as a direction, with one text for reads and one for writes.
    pub(crate) fn direction(&mut self, read: &str, write: &str) -> Result<Kind, String> {
        match self.word("the direction")? {
            word if word.eq_ignore_ascii_case(read) => Ok(Kind::Read),
            word if word.eq_ignore_ascii_case(write) => Ok(Kind::Write),
            word => Err(self.wrong("the direction", &format!("{read} or {write}"), word)),
        }
    }

    /// Parses the next field as a number of units of so many bytes, and returns bytes.
    pub(crate) fn units(&mut self, what: &str, unit_bytes: u64) -> Result<u64, String> {
        let count = self.whole(what)?;
        let bytes = count.checked_mul(unit_bytes);
        bytes.ok_or_else(|| self.wrong(what, "a number that is below 2^64 in bytes", &count.to_string()))
    }

    /// Checks that there are no more fields.
    pub(crate) fn end(&mut self) -> Result<(), String> {
        match self.rest.next() {
            None => Ok(()),
            Some(more) => Err(format!("expected {} fields, found also {}", self.number, quoted(more))),
        }
    }

    /// Returns the error for the last field.
    pub(crate) fn wrong(&self, what: &str, expected: &str, found: &str) -> String {
        format!("expected {expected} as {what} in field {}, found {}", self.number, quoted(found))
    }
}

/// Returns a record of so many bytes: no bytes are no transfer, and a length of more than 32 bits is an error.
pub(crate) fn record(request: Request, bytes: u64) -> Result<Option<Record>, String> {
    if bytes == 0 {
        return Ok(Some(Record::Other));
    }
    let length = u32::try_from(bytes).map_err(|_| {
        format!("expected a length of 512 bytes to 32 MiB in sectors of {SECTOR}, found {bytes}")
    })?;
    Ok(Some(Record::Request(Request { length, ..request })))
}

/// Returns the number of a device of Linux, of which 20 bits are the minor one.
pub(crate) fn device(major: u32, minor: u32) -> u32 {
    major << 20 | minor & 0xf_ffff
}

/// Parses a number such as `12.5` in units of `10^-digits`.
pub(crate) fn decimal(text: &str, digits: usize) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let mut number: u64 = whole.parse().ok()?;
    let fraction = fraction.bytes().map(|digit| u64::from(digit - b'0'));
    for digit in fraction.chain(std::iter::repeat(0)).take(digits) {
        number = number.checked_mul(10)?.checked_add(digit)?;
    }
    Some(number)
}

/// Returns a piece of a trace for a message: short, and without control characters.
pub(crate) fn quoted(text: &str) -> String {
    let clean = |letter: char| if letter.is_control() { '?' } else { letter };
    let mut shown: String = text.chars().take(SHOWN_MAX).map(clean).collect();
    if text.chars().nth(SHOWN_MAX).is_some() {
        shown.push_str("...");
    }
    format!("'{shown}'")
}

/// Returns the first lines of a trace with this front, at most so many; one that is cut off is left out.
pub(crate) fn whole_lines(front: &[u8], count: usize) -> &[u8] {
    let ends = front.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    match ends.take(count).last() {
        Some(end) => &front[..end],
        // A single line without an end: a short trace, or garbage.
        None => &front[..front.len().min(LINE_BYTES_MAX + 1)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_numbers_are_exact() {
        for (text, digits, number) in [
            ("0.097", 3, Some(97)),
            ("132000.000", 3, Some(132_000_000)),
            ("1.5", 6, Some(1_500_000)),
            ("1.0000019", 6, Some(1_000_001)),
            ("7", 3, Some(7000)),
            ("7.", 0, Some(7)),
            ("", 3, None),
            (".5", 3, None),
            ("-1", 3, None),
            ("1e3", 3, None),
            ("1.-5", 3, None),
            ("18446744073709551615", 0, Some(u64::MAX)),
            ("18446744073709551615", 1, None),
        ] {
            assert_eq!(decimal(text, digits), number, "{text}");
        }
    }

    #[test]
    fn a_field_that_is_wrong_is_named() {
        let mut fields = blanks("1 x 3");
        assert_eq!(fields.whole("a"), Ok(1));
        assert_eq!(
            fields.whole("the size"),
            Err("expected a whole number as the size in field 2, found 'x'".to_owned())
        );
        assert_eq!(fields.whole("c"), Ok(3));
        assert_eq!(
            fields.whole("more"),
            Err("expected more in field 4, found no more in '1 x 3'".to_owned())
        );
        let mut fields = commas("R, 4294967296,18446744073709551615,9");
        assert_eq!(fields.direction("r", "w"), Ok(Kind::Read));
        assert!(fields.small("b").is_err());
        assert!(fields.units("c", 512).expect_err("too far").contains("2^64"));
        assert!(fields.end().expect_err("one is left").contains("'9'"));
    }

    #[test]
    fn what_a_message_shows_is_short_and_harmless() {
        assert_eq!(quoted("a\x1b[2Jb"), "'a?[2Jb'");
        assert_eq!(quoted(&"7".repeat(1000)).len(), SHOWN_MAX + 5);
    }

    #[test]
    fn lines_that_are_cut_off_are_not_tried() {
        assert_eq!(whole_lines(b"a\nb\nc\nd", 2), b"a\nb\n");
        assert_eq!(whole_lines(b"a\nb\nc\nd", 9), b"a\nb\nc\n");
        assert_eq!(whole_lines(b"abc", 9), b"abc");
        assert_eq!(whole_lines(&vec![b'7'; 65536], 9).len(), LINE_BYTES_MAX + 1);
    }
}
