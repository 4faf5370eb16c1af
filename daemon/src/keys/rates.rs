//! Values of the keys that limit what guests may ask of a disk.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use base::units::{Share, Size};

/// The least limit of bytes a second: a guest may send 32 MiB in one request, and some give up after 30 s.
const BANDWIDTH_MIN: u64 = 1 << 20;

/// The most requests a second; none without a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct IopsMax(pub(crate) Option<NonZeroU64>);

impl FromStr for IopsMax {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self(None));
        }
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse::<u32>().ok().filter(|_| is_number);
        number.and_then(|number| NonZeroU64::new(number.into())).map(|number| Self(Some(number))).ok_or_else(
            || {
                format!(
                    "write requests a second as a whole number from 1 to {}, such as 500, or off",
                    u32::MAX
                )
            },
        )
    }
}

impl fmt::Display for IopsMax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("off"),
            Some(number) => number.fmt(f),
        }
    }
}

/// The most bytes a second; none without a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BandwidthMax(pub(crate) Option<NonZeroU64>);

impl FromStr for BandwidthMax {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self(None));
        }
        let size: Size = text.parse()?;
        if size.0 < BANDWIDTH_MIN {
            return Err(format!(
                "{size} a second are too little: a guest may send 32MiB in one request and give up after 30 s; use at least {}, or off",
                Size(BANDWIDTH_MIN)
            ));
        }
        Ok(Self(NonZeroU64::new(size.0)))
    }
}

impl fmt::Display for BandwidthMax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("off"),
            Some(bytes) => Share::Bytes(bytes.get()).fmt(f),
        }
    }
}
