//! Sizes of caches in the notation of users: in bytes, or as a share of a trace's footprint.

use std::fmt;
use std::str::FromStr;

use block::PAGE;

use crate::workload::Workload;

/// Share of the footprint of a trace, exact to a hundred-millionth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Hundred-millionths.
    parts: u32,
}

const WHOLE: u32 = 100_000_000;
/// Number of digits of a percentage behind the point.
const DIGITS: usize = 6;
const PERCENT: u32 = 10_u32.pow(DIGITS as u32);

impl Share {
    /// Returns the bytes of this share of a workload's footprint: whole pages, rounded down.
    pub fn of(self, workload: &Workload) -> u64 {
        let pages = u128::from(workload.footprint_pages()) * u128::from(self.parts) / u128::from(WHOLE);
        u64::try_from(pages).expect("a part of a number of pages") * PAGE
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refuse = || {
            format!(
                "Cannot read '{text}' as a share: write it as 10% or 0.1%, above 0 and at most 100, with at most {DIGITS} digits \
                     behind the point"
            )
        };
        let number = text.strip_suffix('%').ok_or_else(refuse)?;
        let (whole, rest) = number.split_once('.').unwrap_or((number, "0"));
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(rest) || rest.len() > DIGITS {
            return Err(refuse());
        }
        let whole: u32 = whole.parse().ok().filter(|whole| *whole <= 100).ok_or_else(refuse)?;
        let rest: u32 = format!("{rest:0<DIGITS$}").parse().map_err(|_| refuse())?;
        let parts = whole * PERCENT + rest;
        if (1..=WHOLE).contains(&parts) { Ok(Self { parts }) } else { Err(refuse()) }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.parts / PERCENT, self.parts % PERCENT);
        let rest = format!("{rest:0>DIGITS$}");
        match rest.trim_end_matches('0') {
            "" => write!(f, "{whole}%"),
            rest => write!(f, "{whole}.{rest}%"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_as_they_are_printed() {
        for text in ["10%", "0.1%", "100%", "0.000001%", "33.333333%"] {
            assert_eq!(text.parse::<Share>().map(|share| share.to_string()).as_deref(), Ok(text));
        }
        assert_eq!("5.00%".parse::<Share>().unwrap().to_string(), "5%");
        for wrong in
            ["", "%", "0%", "100.1%", "10", "1e1%", "-1%", ".5%", "5.%", "1.0000001%", "99999999999%"]
        {
            assert!(wrong.parse::<Share>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn shares_are_whole_pages_of_the_footprint() {
        let reads = (0..14_129)
            .map(|page| Ok(trace::Request { offset: page * 4096, length: 4096, ..Default::default() }));
        let workload = Workload::collect(reads).unwrap();
        let pages = |text: &str| text.parse::<Share>().unwrap().of(&workload) / PAGE;
        assert_eq!(
            ["0.1%", "1%", "5%", "10%", "20%", "40%", "100%"].map(pages),
            [14, 141, 706, 1412, 2825, 5651, 14_129]
        );
    }
}
