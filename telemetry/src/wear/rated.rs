//! Rating of a drive: terabytes written (TBW), as in its data sheet.
//!
//! Data sheets count in powers of ten, so here, and only here, a `TB` is 10^12 bytes; binary units are refused, because they would be a
//! tenth too large.

use std::fmt;
use std::str::FromStr;

/// Bytes of a terabyte in data sheets.
const TB: u64 = 1_000_000_000_000;
/// Decimal units, the largest first.
const UNITS: [(&str, u64); 5] =
    [("PB", 1000 * TB), ("TB", TB), ("GB", TB / 1000), ("MB", TB / 1_000_000), ("kB", 1000)];
/// Maximum, more than any drive is rated for.
const RATED_MAX: u64 = 1_000_000 * TB;

/// Bytes that a drive is rated for, at least a gigabyte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rated(pub u64);

/// Bytes in the notation of data sheets: `1.2TB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal(pub u64);

/// Rating given by the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rating {
    /// A known rating.
    Known(Rated),
    /// Unknown, or no longer known.
    Unknown,
}

impl Rating {
    /// Returns the bytes, if they are known.
    pub fn bytes(self) -> Option<u64> {
        match self {
            Self::Known(Rated(bytes)) => Some(bytes),
            Self::Unknown => None,
        }
    }
}

impl FromStr for Rating {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "unknown" {
            return Ok(Self::Unknown);
        }
        let refuse = || {
            format!(
                "cannot read '{text}' as terabytes written: write it as 600TB or 1.2PB, as the drive's data sheet has it \
                 (1 TB is 1,000,000,000,000 bytes), or unknown"
            )
        };
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let unit = match unit.trim_start() {
            // Data sheets also write 600 TBW.
            "" | "TB" | "TBW" => TB,
            "PB" | "PBW" => 1000 * TB,
            "GB" => TB / 1000,
            _ => return Err(refuse()),
        };
        let bytes = scaled(number, unit).filter(|bytes| (TB / 1000..=RATED_MAX).contains(bytes));
        bytes.map(|bytes| Self::Known(Rated(bytes))).ok_or_else(refuse)
    }
}

/// Returns a decimal number times a unit, rounded down to bytes.
fn scaled(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    if whole.is_empty() || number.ends_with('.') || fraction.len() > 9 || !is_number(fraction) {
        return None;
    }
    let power = 10_u128.pow(fraction.len() as u32);
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    u64::try_from(digits.checked_mul(unit.into())? / power).ok()
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, unit) = UNITS.into_iter().find(|(_, unit)| self.0 >= *unit).unwrap_or((" bytes", 1));
        if self.0.is_multiple_of(unit) {
            return write!(f, "{}{name}", self.0 / unit);
        }
        let tenths = (u128::from(self.0) * 10 + u128::from(unit) / 2) / u128::from(unit);
        write!(f, "{}.{}{name}", tenths / 10, tenths % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_read_as_data_sheets_have_them() {
        for (text, bytes) in [
            ("600TB", 600 * TB),
            ("600", 600 * TB),
            ("600 TBW", 600 * TB),
            ("1.2PB", 1200 * TB),
            ("0.5TB", TB / 2),
            ("750GB", 750 * TB / 1000),
        ] {
            assert_eq!(text.parse::<Rating>().map(Rating::bytes), Ok(Some(bytes)), "{text}");
        }
        assert_eq!("unknown".parse::<Rating>().map(Rating::bytes), Ok(None));
    }

    #[test]
    fn what_is_no_rating_is_refused_with_the_forms_that_are() {
        for text in
            ["", "0", "0TB", "600TiB", "600T", "-1TB", "1.TB", ".5TB", "1.2.3TB", "1e3TB", "2000000PB", "1MB"]
        {
            let message = text.parse::<Rating>().unwrap_err();
            assert!(message.contains("600TB") && message.contains("unknown"), "{text}: {message}");
        }
    }

    #[test]
    fn bytes_are_printed_in_decimal_units() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (999, "999 bytes"),
            (1000, "1kB"),
            (1_234_567, "1.2MB"),
            (600 * TB, "600TB"),
            (1500 * TB, "1.5PB"),
            (u64::MAX, "18446.7PB"),
        ] {
            assert_eq!(Decimal(bytes).to_string(), text);
        }
    }
}
