//! Text on standard output: tables and pairs for people. And priorities of lines for the journal.

use std::io::{self, Write};
use std::os::fd::AsFd;

use base::error::{Error, Result};
use base::plain;
use base::units::{self, Size};
use nix::sys::stat::fstat;
use serde_json::Value;
use tracing::Level;

/// Text for an unknown value.
pub(crate) const NOTHING: &str = "-";

/// Prints `text`, safe to show. A reader that is gone is not a failure.
pub(crate) fn print(text: &str) -> Result<()> {
    let text = plain::lines(text);
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Error::failed(format!("Cannot write to standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// Returns rows under their headings, columns as wide as they need. Cells are made safe to show.
pub(crate) fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let safe = |row: &Vec<String>| row.iter().map(|cell| plain::line(cell).into_owned()).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(safe).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([headings[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded = cells.zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        let line = padded.collect::<Vec<_>>().join("  ");
        format!("{}\n", line.trim_end())
    };
    let mut text = line(&mut headings.iter().copied());
    for row in &rows {
        text.push_str(&line(&mut row.iter().map(String::as_str)));
    }
    text
}

/// Returns a table behind an empty line; empty without rows.
pub(crate) fn further_table(headings: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() { String::new() } else { format!("\n{}", table(headings, rows)) }
}

/// Returns one pair a line, values in one column, safe to show.
pub(crate) fn pairs(pairs: &[(&str, String)]) -> String {
    let width = pairs.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{name:width$}  {}\n", plain::line(value))).collect();
    lines.concat()
}

/// Returns a number of bytes from a document.
pub(crate) fn size(value: &Value) -> String {
    value.as_u64().map_or_else(|| NOTHING.to_owned(), |bytes| Size(bytes).to_string())
}

/// Returns a number from a document.
pub(crate) fn number(value: &Value) -> String {
    value.as_u64().map_or_else(|| NOTHING.to_owned(), |number| number.to_string())
}

/// Returns a yes or no from a document.
pub(crate) fn yes_or_no(value: &Value) -> String {
    value.as_bool().map_or(NOTHING, |yes| if yes { "yes" } else { "no" }).to_owned()
}

/// Returns a text from a document, safe to show.
pub(crate) fn text(value: &Value) -> String {
    plain::line(value.as_str().unwrap_or(NOTHING)).into_owned()
}

/// Returns a ratio from a document, in hundredths.
pub(crate) fn percent(value: &Value) -> String {
    value.as_f64().map_or_else(|| NOTHING.to_owned(), units::percent)
}

/// Returns the entries of a list in a document.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns true if `output` is the journal: systemd names device and inode of what it connected.
pub(crate) fn is_journal(output: &impl AsFd) -> bool {
    let Ok(named) = std::env::var("JOURNAL_STREAM") else { return false };
    fstat(output).is_ok_and(|found| is_named(&named, found.st_dev, found.st_ino))
}

fn is_named(named: &str, device: u64, inode: u64) -> bool {
    named == format!("{device}:{inode}")
}

/// Returns the prefix with a line's level for the journal, as in sd-daemon(3).
pub(crate) fn priority(level: Level) -> &'static str {
    match level {
        Level::ERROR => "<3>",
        Level::WARN => "<4>",
        Level::INFO => "<6>",
        Level::DEBUG | Level::TRACE => "<7>",
    }
}

/// Returns the prefix of a line for `output` of this level; empty if that is not the journal.
pub(crate) fn journal_priority(output: &impl AsFd, level: Level) -> &'static str {
    if is_journal(output) { priority(level) } else { "" }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_need() {
        let rows = [vec!["a".to_owned(), "1".to_owned()], vec!["long-name".to_owned(), "22".to_owned()]];
        assert_eq!(table(&["NAME", "N"], &rows), "NAME       N\na          1\nlong-name  22\n");
        assert_eq!(pairs(&[("a", "1".to_owned()), ("bcd", "2".to_owned())]), "a    1\nbcd  2\n");
    }

    #[test]
    fn what_is_not_known_is_a_dash() {
        let nothing = Value::Null;
        let shown =
            [size(&nothing), number(&nothing), text(&nothing), percent(&nothing), yes_or_no(&nothing)];
        assert_eq!(shown, ["-"; 5]);
        assert_eq!([json!(true), json!(false)].map(|value| yes_or_no(&value)), ["yes", "no"]);
        assert_eq!(percent(&json!(0.5)), "50.0%");
        assert_eq!(size(&json!(4096)), "4KiB");
    }

    #[test]
    fn only_what_systemd_connected_is_the_journal() {
        assert!(is_named("9:123", 9, 123));
        for named in ["", "9:12", "9:1234", "8:123", "9"] {
            assert!(!is_named(named, 9, 123), "{named}");
        }
    }
}
