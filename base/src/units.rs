//! Sizes and times as people write them: many forms are read, one is printed.
//!
//! Read: `4096`, `4KiB`, `64K`, `1.5GiB`, `2M`, `20%` where a share is allowed. A `K` is 1024, as everywhere in storage tools; decimal
//! units (`KB`) are refused because half of their users mean 1024. Printed: binary units, exact where a value is a multiple of its unit,
//! otherwise with one decimal.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

const UNITS: [(&str, u64); 5] =
    [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("", 1)];

/// Returns a count as a float, for estimates and ratios.
#[expect(clippy::cast_precision_loss, reason = "an estimate for people; counts stay far below 2^52")]
pub fn float(count: u64) -> f64 {
    count as f64
}

/// Returns `part` divided by `whole`; none if `whole` is zero.
pub fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| float(part) / float(whole))
}

/// Returns the nearest whole number; 0 for a negative one.
#[expect(clippy::cast_sign_loss, reason = "what is negative is cut off before")]
pub fn whole(number: f64) -> u64 {
    number.max(0.0).round() as u64
}

/// Returns a share as a percentage with one decimal.
pub fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// Number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Size(pub u64);

/// Number of bytes, share of a disk, or the default for the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Share {
    /// The default.
    #[default]
    Auto,
    /// Number of bytes.
    Bytes(u64),
    /// Percentage of the disk's size.
    Percent(u32),
}

/// RAM of all disks together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum RamBudget {
    /// No budget: each disk has its own RAM.
    #[default]
    Off,
    /// A share of the memory that the host has available.
    Auto,
    /// Number of bytes.
    Bytes(u64),
}

impl RamBudget {
    /// The least that a disk has.
    const BYTES_MIN: u64 = 1 << 20;

    /// Returns true if there is none.
    pub fn is_off(&self) -> bool {
        *self == Self::Off
    }
}

/// Time for which failed requests are retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryTime {
    /// Number of seconds.
    Seconds(u32),
    /// For ever.
    Wait,
}

impl Default for RetryTime {
    /// Below the 30 s after which guests time out.
    fn default() -> Self {
        Self::Seconds(25)
    }
}

impl RetryTime {
    const SECONDS_MAX: u32 = 24 * 60 * 60;

    /// Returns nanoseconds, unless it is for ever.
    pub fn nanoseconds(self) -> Option<u64> {
        match self {
            Self::Seconds(seconds) => Some(u64::from(seconds) * 1_000_000_000),
            Self::Wait => None,
        }
    }
}

/// Time for which an unused limit accumulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BurstTime {
    millis: u32,
}

impl Default for BurstTime {
    fn default() -> Self {
        Self { millis: 1_000 }
    }
}

impl BurstTime {
    /// Above the delay that a timer may have on a busy host.
    const MILLIS_MIN: u32 = 10;
    const MILLIS_MAX: u32 = 60 * 60 * 1_000;

    /// Returns nanoseconds.
    pub fn nanoseconds(self) -> u64 {
        u64::from(self.millis) * 1_000_000
    }
}

/// Interval of a repeated check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interval {
    /// Number of seconds.
    Seconds(u32),
    /// Never.
    Off,
}

impl Default for Interval {
    fn default() -> Self {
        Self::Seconds(30)
    }
}

impl Interval {
    const SECONDS_MAX: u32 = 24 * 60 * 60;

    /// Returns the time between two checks, if there are any.
    pub fn duration(self) -> Option<Duration> {
        match self {
            Self::Seconds(seconds) => Some(Duration::from_secs(seconds.into())),
            Self::Off => None,
        }
    }
}

/// Interval of scrubs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScrubInterval {
    /// Number of seconds.
    Seconds(u32),
    /// Never.
    Off,
}

impl Default for ScrubInterval {
    fn default() -> Self {
        Self::Seconds(7 * Interval::SECONDS_MAX)
    }
}

impl ScrubInterval {
    const SECONDS_MAX: u32 = 365 * Interval::SECONDS_MAX;

    /// Returns the time from one scrub to the next, if there are any.
    pub fn duration(self) -> Option<Duration> {
        match self {
            Self::Seconds(seconds) => Some(Duration::from_secs(seconds.into())),
            Self::Off => None,
        }
    }
}

impl FromStr for ScrubInterval {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self::Off);
        }
        whole_of(text, 1_000_000, Self::SECONDS_MAX).map(Self::Seconds).ok_or_else(|| {
            format!("Cannot read '{text}' as an interval: write whole seconds from 1s to 365d, such as 7d or 12h, or off")
        })
    }
}

/// Units of time in microseconds.
const TIME_UNITS: [(&str, u64); 6] = [
    ("us", 1),
    ("ms", 1_000),
    ("s", 1_000_000),
    ("m", 60_000_000),
    ("h", 3_600_000_000),
    ("d", 86_400_000_000),
];

/// Returns a time in microseconds: a whole number followed by a unit, from `us` to `d`.
fn micros_of(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at(text.find(|letter: char| !letter.is_ascii_digit())?);
    let (_, micros) = TIME_UNITS.into_iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(micros)
}

/// Returns a time as a whole number of such units, from 1 to `most`.
fn whole_of(text: &str, unit_micros: u64, most: u32) -> Option<u32> {
    let micros = micros_of(text).filter(|micros| micros.is_multiple_of(unit_micros))?;
    let number = u32::try_from(micros / unit_micros).ok()?;
    (1..=most).contains(&number).then_some(number)
}

/// Parses a time of whole seconds, up to a day; a number without a unit is in seconds.
///
/// # Errors
/// Describes the valid form.
pub fn parse_seconds(text: &str) -> Result<u64, String> {
    let has_unit = !text.bytes().all(|byte| byte.is_ascii_digit());
    let text = if has_unit { text.to_owned() } else { format!("{text}s") };
    whole_of(&text, 1_000_000, RetryTime::SECONDS_MAX)
        .map(u64::from)
        .ok_or_else(|| format!("Cannot read '{text}' as a time: write one from 1s to 1d, such as 60s or 5m"))
}

impl FromStr for Interval {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self::Off);
        }
        whole_of(text, 1_000_000, Self::SECONDS_MAX).map(Self::Seconds).ok_or_else(|| {
            format!("Cannot read '{text}' as an interval: write whole seconds from 1s to 1d, such as 30s or 5m, or off")
        })
    }
}

/// Time of polling before a thread sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollMax {
    /// Maximum in microseconds.
    Micros(u32),
    /// No polling.
    Off,
}

impl Default for PollMax {
    fn default() -> Self {
        Self::Micros(50)
    }
}

impl PollMax {
    const MICROS_MAX: u32 = 1_000;

    /// Returns nanoseconds.
    pub fn nanos(self) -> u64 {
        match self {
            Self::Micros(micros) => u64::from(micros) * 1_000,
            Self::Off => 0,
        }
    }
}

impl FromStr for PollMax {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self::Off);
        }
        whole_of(text, 1, Self::MICROS_MAX).map(Self::Micros).ok_or_else(|| {
            format!(
                "Cannot read '{text}' as a time: write whole microseconds from 1us to 1000us, such as 50us, or off"
            )
        })
    }
}

impl FromStr for RetryTime {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "wait" {
            return Ok(Self::Wait);
        }
        whole_of(text, 1_000_000, Self::SECONDS_MAX).map(Self::Seconds).ok_or_else(|| {
            format!("Cannot read '{text}' as a time: write whole seconds from 1s to 1d, such as 25s or 2m, or wait")
        })
    }
}

impl fmt::Display for RetryTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seconds(seconds) => write!(f, "{seconds}s"),
            Self::Wait => f.write_str("wait"),
        }
    }
}

impl FromStr for BurstTime {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let millis = whole_of(text, 1_000, Self::MILLIS_MAX).filter(|millis| *millis >= Self::MILLIS_MIN);
        millis.map(|millis| Self { millis }).ok_or_else(|| {
            format!("Cannot read '{text}' as a time: write whole milliseconds from 10ms to 1h, such as 100ms or 5s")
        })
    }
}

impl fmt::Display for BurstTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.millis {
            millis if millis.is_multiple_of(1_000) => write!(f, "{}s", millis / 1_000),
            millis => write!(f, "{millis}ms"),
        }
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refuse = || format!("Cannot read '{text}' as a size: write it as 4096, 64K, 4KiB or 1.5GiB");
        let number_end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(number_end);
        let unit = match unit.trim_start() {
            "" | "B" => 1,
            "K" | "k" | "KiB" => 1 << 10,
            "M" | "MiB" => 1 << 20,
            "G" | "GiB" => 1 << 30,
            "T" | "TiB" => 1 << 40,
            decimal @ ("KB" | "kB" | "MB" | "GB" | "TB") => {
                return Err(format!(
                    "Cannot read '{text}' as a size: {decimal} is not used here, write {}iB (powers of 1024)",
                    &decimal[..1].to_ascii_uppercase()
                ));
            }
            _ => return Err(refuse()),
        };
        scaled(number, unit).map(Self).ok_or_else(refuse)
    }
}

/// Returns the decimal number `number` times `unit`, rounded down to bytes; none if it does not parse or fit.
fn scaled(number: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || fraction.len() > 9 || number.ends_with('.') {
        return None;
    }
    let whole: u128 = whole.parse().ok()?;
    let tenth_power = 10_u128.pow(fraction.len() as u32);
    let fraction: u128 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
    let bytes = (whole.checked_mul(tenth_power)? + fraction).checked_mul(unit.into())?;
    // Rounded down to a byte: 1.3GiB is not a whole number of bytes.
    u64::try_from(bytes / tenth_power).ok()
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, unit) = UNITS.into_iter().find(|(_, unit)| self.0 >= *unit).unwrap_or(("", 1));
        if self.0.is_multiple_of(unit) {
            return write!(f, "{}{name}", self.0 / unit);
        }
        // Tenths, rounded to the nearest; in 128 bits because a tenth of the largest size times ten overflows.
        let tenths = (u128::from(self.0) * 10 + u128::from(unit) / 2) / u128::from(unit);
        write!(f, "{}.{}{name}", tenths / 10, tenths % 10)
    }
}

impl Size {
    /// Returns the shortest text that parses to exactly this size.
    fn exact(self) -> String {
        let (name, unit) = UNITS
            .into_iter()
            .find(|(_, unit)| self.0 >= *unit && self.0.is_multiple_of(*unit))
            .unwrap_or(("", 1));
        format!("{}{name}", self.0 / unit)
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        if let Some(number) = text.strip_suffix('%') {
            return match number.parse() {
                Ok(percent @ 1..=100) => Ok(Self::Percent(percent)),
                _ => Err(format!("Cannot read '{text}' as a share: write a whole number from 1% to 100%")),
            };
        }
        text.parse().map(|Size(bytes)| Self::Bytes(bytes))
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Bytes(bytes) => f.write_str(&Size(*bytes).exact()),
            Self::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}

impl Share {
    /// Returns bytes, for a disk of `disk_bytes`; none for the default. Rounds down.
    pub fn of(self, disk_bytes: u64) -> Option<u64> {
        match self {
            Self::Auto => None,
            Self::Bytes(bytes) => Some(bytes),
            Self::Percent(percent) => {
                let bytes = u128::from(disk_bytes) * u128::from(percent) / 100;
                Some(u64::try_from(bytes).expect("at most a hundred hundredths of a u64"))
            }
        }
    }
}

impl FromStr for RamBudget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => return Ok(Self::Off),
            "auto" => return Ok(Self::Auto),
            _ => {}
        }
        let size: Size = text.parse().map_err(|reason| format!("{reason}; or write auto or off"))?;
        if size.0 < Self::BYTES_MIN {
            return Err(format!(
                "{size} of RAM are too little; use at least {}, auto or off",
                Size(Self::BYTES_MIN)
            ));
        }
        Ok(Self::Bytes(size.0))
    }
}

impl fmt::Display for RamBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("off"),
            Self::Auto => f.write_str("auto"),
            Self::Bytes(bytes) => Share::Bytes(*bytes).fmt(f),
        }
    }
}

impl From<RamBudget> for String {
    fn from(budget: RamBudget) -> Self {
        budget.to_string()
    }
}

impl TryFrom<String> for RamBudget {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Size> for String {
    fn from(size: Size) -> Self {
        size.exact()
    }
}

impl TryFrom<String> for Size {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Share> for String {
    fn from(share: Share) -> Self {
        share.to_string()
    }
}

impl TryFrom<String> for Share {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_every_documented_form() {
        for (text, bytes) in [
            ("0", 0),
            ("4096", 4096),
            ("4KiB", 4096),
            ("64K", 65536),
            ("1.5GiB", 3 << 29),
            ("2 MiB", 2 << 20),
            ("1T", 1 << 40),
            ("512B", 512),
        ] {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_refused_with_the_forms_that_are() {
        for text in ["", "K", "-1", "1.", ".5K", "4 kilo", "1e3", "99999999999T", "20%", "1.2.3K"] {
            let message = text.parse::<Size>().unwrap_err();
            assert!(message.contains("1.5GiB"), "{text}: {message}");
        }
        assert!("4KB".parse::<Size>().unwrap_err().contains("KiB"));
    }

    #[test]
    fn sizes_are_printed_in_binary_units() {
        for (bytes, text) in [
            (0, "0"),
            (512, "512"),
            (4096, "4KiB"),
            (3 << 29, "1.5GiB"),
            (1 << 30, "1GiB"),
            ((1 << 30) + 1, "1.0GiB"),
            (u64::MAX, "16777216.0TiB"),
        ] {
            assert_eq!(Size(bytes).to_string(), text);
        }
    }

    #[test]
    fn what_is_stored_reads_back_exactly() {
        for bytes in [0, 1, 511, 4096, 4097, 3 << 29, (1 << 40) + 512] {
            assert_eq!(Size::try_from(String::from(Size(bytes))), Ok(Size(bytes)));
            assert_eq!(Share::try_from(String::from(Share::Bytes(bytes))), Ok(Share::Bytes(bytes)));
        }
        for share in [Share::Auto, Share::Percent(20)] {
            assert_eq!(share.to_string().parse(), Ok(share));
        }
    }

    #[test]
    fn shares_are_of_the_disk() {
        assert_eq!(Share::Percent(20).of(1000), Some(200));
        assert_eq!(Share::Percent(100).of(u64::MAX), Some(u64::MAX));
        assert_eq!(Share::Auto.of(1000), None);
        assert!("0%".parse::<Share>().is_err());
        assert!("101%".parse::<Share>().is_err());
    }

    #[test]
    fn times_of_looking_are_whole_microseconds_or_off() {
        for (text, nanos) in
            [("50us", 50_000), ("1us", 1_000), ("1000us", 1_000_000), ("1ms", 1_000_000), ("off", 0)]
        {
            assert_eq!(text.parse().map(PollMax::nanos), Ok(nanos));
        }
        for text in ["", "0us", "1001us", "50", "2ms", "-1us", "never"] {
            assert!(text.parse::<PollMax>().unwrap_err().contains("50us"), "{text}");
        }
    }

    #[test]
    fn times_of_every_key_and_option_are_read_in_one_way() {
        for (text, seconds) in [("2m", 120), ("1h", 3_600), ("1d", 86_400), ("3000ms", 3), ("45s", 45)] {
            assert_eq!(text.parse(), Ok(RetryTime::Seconds(seconds)), "{text}");
            assert_eq!(text.parse(), Ok(Interval::Seconds(seconds)), "{text}");
            assert_eq!(parse_seconds(text), Ok(seconds.into()), "{text}");
        }
        assert_eq!(parse_seconds("60"), Ok(60));
        for text in ["", "0", "86401", "1.5s", "s", "1 m", "9999999999999999999d"] {
            assert!(parse_seconds(text).is_err_and(|error| error.contains("5m")), "{text}");
        }
    }

    #[test]
    fn burst_times_are_whole_milliseconds() {
        for (text, printed) in
            [("10ms", "10ms"), ("1500ms", "1500ms"), ("2000ms", "2s"), ("1m", "60s"), ("1h", "3600s")]
        {
            assert_eq!(text.parse::<BurstTime>().map(|time| time.to_string()).as_deref(), Ok(printed));
        }
        for text in ["", "0s", "9ms", "10500us", "1", "-1s", "2h", "off", "1.5s"] {
            assert!(text.parse::<BurstTime>().is_err_and(|error| error.contains("100ms")), "{text}");
        }
        assert_eq!(BurstTime::default().nanoseconds(), 1_000_000_000);
    }

    #[test]
    fn retry_times_are_whole_seconds_or_for_ever() {
        for text in ["1s", "25s", "86400s", "wait"] {
            assert_eq!(text.parse::<RetryTime>().map(|time| time.to_string()).as_deref(), Ok(text));
        }
        for text in ["", "0s", "25", "1.5s", "1500ms", "86401s", "2d", "-1s", "Wait", "m"] {
            assert!(text.parse::<RetryTime>().is_err(), "{text}");
        }
        assert_eq!(RetryTime::default().nanoseconds(), Some(25_000_000_000));
        assert_eq!(RetryTime::Wait.nanoseconds(), None);
    }
}
