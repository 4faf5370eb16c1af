//! `csv:COLUMNS`: lines with fields in an order that the user names.
//!
//! ```text
//!   csv:time_s,offset512,length512,op       "0.551706,20941264,16,W"
//!
//!   time_s time_ms time_us time_ns          arrival time                     op        R, W, read or write, in any case
//!   offset offset512 ...                    the first byte, in such units    is_write  1 writes, 0 reads
//!   length length512 ...                    its bytes, in such units         is_read   1 reads, 0 writes
//!   latency_s latency_ms latency_us latency_ns   latency                     device    the number of its disk
//!   -                                       a field that is left out         *         the last one: the rest is left out
//! ```
//! Fields are separated by commas, semicolons, or blanks: the first of these that the line has. A heading, which is a first line of which
//! no field begins with a digit, is left out.

use super::{Fields, Line, record};
use crate::request::{Kind, Request};
use crate::trace::Record;

/// Maximum number of columns.
const COLUMNS_MAX: usize = 16;
/// Maximum of a unit in bytes.
const UNIT_MAX: u32 = 1 << 20;

/// Field of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Column {
    Time(Scale),
    Latency(Scale),
    /// Bytes of a unit.
    Offset(u32),
    Length(u32),
    Op,
    IsWrite,
    IsRead,
    Device,
    LeftOut,
    Rest,
}

/// Unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Scale {
    Seconds,
    Millis,
    Micros,
    Nanos,
}

impl Scale {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "s" => Self::Seconds,
            "ms" => Self::Millis,
            "us" => Self::Micros,
            "ns" => Self::Nanos,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Millis => "milliseconds",
            Self::Micros => "microseconds",
            Self::Nanos => "nanoseconds",
        }
    }
}

/// Columns of a trace, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Columns {
    columns: [Option<Column>; COLUMNS_MAX],
}

impl Columns {
    /// Parses names of columns, separated by commas.
    ///
    /// # Errors
    /// If a name is unknown or occurs twice, there are too many, or offset or length is missing: a sentence.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut columns = [None; COLUMNS_MAX];
        let names: Vec<&str> = text.split(',').map(str::trim_ascii).collect();
        if names.len() > COLUMNS_MAX {
            return Err(format!("name at most {COLUMNS_MAX} columns, and end with * if more follow"));
        }
        for (at, name) in names.iter().enumerate() {
            let column = column(name).ok_or_else(|| {
                format!(
                    "'{name}' is no column: use time_s, time_ms, time_us, time_ns, offset or offset512, length or length512, op, is_write, \
                     is_read, device, latency_us, - for one that is left out, * at the end for all that follow"
                )
            })?;
            let is_same = |known: &Column| {
                std::mem::discriminant(known) == std::mem::discriminant(&column)
                    || known.says_kind() && column.says_kind()
            };
            if column != Column::LeftOut && columns.iter().flatten().any(is_same) {
                return Err(format!("'{name}' says what another column says already"));
            }
            if column == Column::Rest && at + 1 < names.len() {
                return Err("* stands for all that follows, so it is the last one".to_owned());
            }
            columns[at] = Some(column);
        }
        let has = |wanted: fn(&Column) -> bool| columns.iter().flatten().any(wanted);
        if !has(|column| matches!(column, Column::Offset(_)))
            || !has(|column| matches!(column, Column::Length(_)))
        {
            return Err(
                "name a column offset and a column length, with their units, such as offset512".to_owned()
            );
        }
        Ok(Self { columns })
    }
}

impl Column {
    fn says_kind(self) -> bool {
        matches!(self, Self::Op | Self::IsWrite | Self::IsRead)
    }
}

fn column(name: &str) -> Option<Column> {
    let unit = |unit: &str| match unit {
        "" => Some(1),
        _ => unit.parse().ok().filter(|unit| (1..=UNIT_MAX).contains(unit)),
    };
    Some(match name {
        "op" => Column::Op,
        "is_write" => Column::IsWrite,
        "is_read" => Column::IsRead,
        "device" => Column::Device,
        "-" => Column::LeftOut,
        "*" => Column::Rest,
        _ => {
            return if let Some(scale) = name.strip_prefix("time_") {
                Scale::of(scale).map(Column::Time)
            } else if let Some(scale) = name.strip_prefix("latency_") {
                Scale::of(scale).map(Column::Latency)
            } else if let Some(bytes) = name.strip_prefix("offset") {
                unit(bytes).map(Column::Offset)
            } else {
                name.strip_prefix("length").and_then(unit).map(Column::Length)
            };
        }
    })
}

/// Reader of lines with such columns.
pub(crate) struct Csv {
    columns: Columns,
    separators: Separators,
    /// True if a line other than a heading was read.
    has_begun: bool,
}

/// Separators of fields.
enum Separators {
    Commas,
    /// The first of commas, semicolons and blanks that the line has.
    AsTheLine,
}

impl Csv {
    pub(crate) fn new(columns: Columns) -> Self {
        Self { columns, separators: Separators::AsTheLine, has_begun: false }
    }

    /// Returns a reader that accepts only commas between fields.
    pub(crate) fn with_commas(columns: Columns) -> Self {
        Self { separators: Separators::Commas, ..Self::new(columns) }
    }

    fn parse_fields<'a>(
        &self,
        mut fields: Fields<'a, impl Iterator<Item = &'a str>>,
    ) -> Result<Option<Record>, String> {
        let (mut request, mut bytes) = (Request::default(), 0);
        for column in self.columns.columns.iter().flatten() {
            match *column {
                Column::Time(scale) => request.at_us = Some(micros(&mut fields, "the time", scale)?),
                Column::Latency(scale) => {
                    request.latency_us = Some(micros(&mut fields, "the latency", scale)?);
                }
                Column::Offset(unit) => request.offset = fields.units("the offset", unit.into())?,
                Column::Length(unit) => bytes = fields.units("the length", unit.into())?,
                Column::Op => request.kind = direction(&mut fields)?,
                Column::IsWrite => request.kind = fields.direction("0", "1")?,
                Column::IsRead => request.kind = fields.direction("1", "0")?,
                Column::Device => request.device = fields.small("the device")?,
                Column::LeftOut => {
                    fields.word("a field that is left out")?;
                }
                Column::Rest => return record(request, bytes),
            }
        }
        fields.end()?;
        record(request, bytes)
    }
}

/// Parses the next field as a time.
fn micros<'a>(
    fields: &mut Fields<'a, impl Iterator<Item = &'a str>>,
    what: &str,
    scale: Scale,
) -> Result<u64, String> {
    let what = format!("{what} in {}", scale.name());
    match scale {
        Scale::Seconds => fields.decimal(&what, 6),
        Scale::Millis => fields.decimal(&what, 3),
        Scale::Micros => fields.decimal(&what, 0),
        Scale::Nanos => fields.decimal(&what, 0).map(|nanos| nanos / 1000),
    }
}

/// Parses the next field as a direction in letters.
fn direction<'a>(fields: &mut Fields<'a, impl Iterator<Item = &'a str>>) -> Result<Kind, String> {
    let word = fields.word("the direction")?;
    let is = |names: [&str; 2]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
    match word {
        _ if is(["r", "read"]) => Ok(Kind::Read),
        _ if is(["w", "write"]) => Ok(Kind::Write),
        _ => Err(fields.wrong("the direction", "R, W, read or write", word)),
    }
}

/// Returns true if none of its fields begins with a digit.
fn is_heading(line: &str) -> bool {
    let mut fields = line.split([',', ';', ' ', '\t']);
    !fields.any(|field| field.bytes().next().is_some_and(|first| first.is_ascii_digit()))
}

impl Line for Csv {
    fn parse(&mut self, line: &str) -> Result<Option<Record>, String> {
        if !std::mem::replace(&mut self.has_begun, true) && is_heading(line) {
            return Ok(None);
        }
        if matches!(self.separators, Separators::Commas) || line.contains(',') {
            self.parse_fields(super::commas(line))
        } else if line.contains(';') {
            self.parse_fields(super::semicolons(line))
        } else {
            self.parse_fields(super::blanks(line))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(columns: &str, line: &str) -> Result<Option<Record>, String> {
        let mut csv = Csv::new(Columns::parse(columns).expect("columns"));
        csv.has_begun = true;
        csv.parse(line)
    }

    #[test]
    fn columns_are_read_by_name_and_unit_whatever_lies_between_them() {
        let request = Request {
            at_us: Some(551_706),
            latency_us: Some(1500),
            kind: Kind::Write,
            device: 3,
            offset: 40_960,
            length: 8192,
        };
        for (columns, line) in [
            ("time_s,offset512,length512,op,device,latency_ms", "0.551706,80,16,W,3,1.5"),
            ("device,op,length,offset4096,latency_us,time_ns", "3 write 8192 10 1500 551706999"),
            (
                "-,time_ms,offset,length,is_write,latency_ns,device,*",
                "x;551.706;40960;8192;1;1500000;3;more;and more",
            ),
            ("time_us,is_read,offset,length4096,latency_s,device", "551706, 0, 40960, 2, 0.0015, 3"),
        ] {
            assert_eq!(read(columns, line), Ok(Some(Record::Request(request))), "{columns}");
        }
        let bare = Request { offset: 512, length: 512, ..Request::default() };
        assert_eq!(
            read("offset512,length512", "1,1"),
            Ok(Some(Record::Request(bare))),
            "no time, no direction"
        );
        assert_eq!(read("offset512,length512", "1,0"), Ok(Some(Record::Other)));
    }

    #[test]
    fn a_heading_is_left_out_and_only_as_the_first_line() {
        let mut csv = Csv::new(Columns::parse("offset,length,op").expect("columns"));
        assert_eq!(csv.parse("Offset512,Length,Type"), Ok(None));
        assert!(csv.parse("Offset,Length,Type").is_err());
    }

    #[test]
    fn a_line_that_has_other_fields_is_told_with_the_field() {
        for (columns, line, wanted) in [
            ("offset,length,op", "0,512,2", "R, W, read or write as the direction in field 3, found '2'"),
            ("offset,length,is_write", "0,512,W", "0 or 1 as the direction in field 3"),
            ("offset,length", "0,512,R", "expected 2 fields, found also 'R'"),
            ("offset,length,op", "0,512", "the direction in field 3, found no more"),
            ("offset512,length", "18446744073709551615,512", "below 2^64 in bytes"),
            ("time_s,offset,length", "1e3,0,512", "a number as the time in seconds in field 1"),
            ("offset,length,device", "0,512,4294967296", "below 2^32"),
            ("offset,length", "-1,512", "a whole number as the offset"),
        ] {
            let message = read(columns, line).expect_err(line);
            assert!(message.contains(wanted), "{message}");
        }
    }

    #[test]
    fn columns_that_cannot_be_are_refused() {
        for (columns, wanted) in [
            ("time_s,offset512,op", "name a column offset and a column length"),
            ("offset,length,when", "'when' is no column"),
            ("offset,offset512,length", "'offset512' says what another"),
            ("offset,length,op,is_write", "'is_write' says what another"),
            ("*,offset,length", "the last one"),
            ("offset0,length", "'offset0' is no column"),
            ("offset1048577,length", "is no column"),
            ("time_h,offset,length", "is no column"),
            ("", "'' is no column"),
            ("-,-,-,-,-,-,-,-,-,-,-,-,-,-,-,offset,length", "at most 16"),
        ] {
            let message = Columns::parse(columns).expect_err(columns);
            assert!(message.contains(wanted), "{columns}: {message}");
        }
    }
}
