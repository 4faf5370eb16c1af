//! Key `write-budget` of the pool: drive writes a day for each device (DWPD, the unit of drive ratings).
//!
//! A decimal number with up to three places. It is stored as the text that a user would write.

use std::fmt;
use std::str::FromStr;

use cache::DriveWrites;
use serde::{Deserialize, Serialize};

/// Maximum in thousandths: far above the rating of any drive.
const THOUSANDTHS_MAX: u32 = 1_000_000;

/// Limit of the bytes that may be written to each device of the pool in a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum WriteBudget {
    /// No limit. The default: a budget costs hits, and the lifetime of a drive is for its owner to choose.
    #[default]
    None,
    /// Limit in drive writes a day.
    Limited(DriveWrites),
}

impl WriteBudget {
    /// Returns it in the form of the cache.
    pub fn drive_writes(self) -> Option<DriveWrites> {
        match self {
            Self::None => None,
            Self::Limited(drive_writes) => Some(drive_writes),
        }
    }

    /// Returns it as a number of drive writes a day.
    pub fn number(self) -> Option<f64> {
        self.drive_writes().map(|drive_writes| f64::from(drive_writes.thousandths()) / 1000.0)
    }

    /// Returns true if there is no limit.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

impl FromStr for WriteBudget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self::None);
        }
        let thousandths = thousandths(text).filter(|thousandths| *thousandths <= THOUSANDTHS_MAX).ok_or_else(|| {
            format!(
                "cannot read '{text}' as drive writes a day: write it as 0.5 or 3, with up to three decimal places and at most \
                 1000, or none"
            )
        })?;
        Ok(DriveWrites::from_thousandths(thousandths).map_or(Self::None, Self::Limited))
    }
}

/// Parses a decimal number with up to three places, and returns thousandths.
fn thousandths(text: &str) -> Option<u32> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    if whole.is_empty()
        || text.ends_with('.')
        || fraction.len() > 3
        || !is_number(whole)
        || !is_number(fraction)
    {
        return None;
    }
    format!("{whole}{fraction:0<3}").parse().ok()
}

impl fmt::Display for WriteBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number() {
            Some(number) => write!(f, "{number}"),
            None => f.write_str("none"),
        }
    }
}

impl From<WriteBudget> for String {
    fn from(budget: WriteBudget) -> Self {
        budget.to_string()
    }
}

impl TryFrom<String> for WriteBudget {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_read_as_drives_are_rated_and_written_as_they_were_read() {
        for (text, thousandths, again) in [
            ("0.5", Some(500), "0.5"),
            ("3", Some(3000), "3"),
            ("0.001", Some(1), "0.001"),
            ("1000", Some(1_000_000), "1000"),
            ("01.250", Some(1250), "1.25"),
            ("0", None, "none"),
            ("0.000", None, "none"),
            ("none", None, "none"),
        ] {
            let budget: WriteBudget = text.parse().expect(text);
            assert_eq!(budget.drive_writes().map(DriveWrites::thousandths), thousandths, "{text}");
            assert_eq!(budget.to_string(), again);
            assert_eq!(again.parse(), Ok(budget));
        }
    }

    #[test]
    fn what_is_no_budget_is_refused_with_the_forms_that_are() {
        for text in [
            "",
            "many",
            "-1",
            "0.0005",
            "1001",
            "1000.001",
            "1.",
            ".5",
            "0,5",
            "1e3",
            "50%",
            "5GB",
            " 1",
            "+1",
            "1.-5",
            "99999999999999999999",
            "NaN",
            "none ",
            "None",
        ] {
            let message = text.parse::<WriteBudget>().unwrap_err();
            assert!(message.contains("0.5") && message.contains("none"), "{text}: {message}");
        }
    }
}
