//! Values of the keys that limit guests' requests to a disk.

use std::num::NonZeroU64;

use base::units::{Share, Size};

/// The value of a key without a limit.
const OFF: &str = "off";
/// The least limit of bytes a second: a guest may send 32 MiB in one request, and some time out after 30 s.
const BANDWIDTH_MIN: u64 = 1 << 20;

/// Parses requests a second; none for no limit.
///
/// # Errors
/// With the form of such a limit.
pub(super) fn parse_iops(text: &str) -> Result<Option<NonZeroU64>, String> {
    if text == OFF {
        return Ok(None);
    }
    // `parse` would accept a sign.
    let number = text.parse::<u32>().ok().filter(|_| text.starts_with(|first: char| first.is_ascii_digit()));
    match number.and_then(|number| NonZeroU64::new(number.into())) {
        Some(number) => Ok(Some(number)),
        None => Err(format!(
            "write requests a second as a whole number from 1 to {}, such as 500, or off",
            u32::MAX
        )),
    }
}

/// Parses bytes a second; none for no limit.
///
/// # Errors
/// With the form of a size, or the least limit.
pub(super) fn parse_bandwidth(text: &str) -> Result<Option<NonZeroU64>, String> {
    if text == OFF {
        return Ok(None);
    }
    let size: Size = text.parse()?;
    if size.0 < BANDWIDTH_MIN {
        return Err(format!(
            "{size} a second are too little: a guest may send 32MiB in one request and give up after 30 s; use at least {}, or off",
            Size(BANDWIDTH_MIN)
        ));
    }
    Ok(NonZeroU64::new(size.0))
}

/// Returns requests a second as [`parse_iops`] reads them.
pub(super) fn iops_text(limit: Option<NonZeroU64>) -> String {
    limit.map_or_else(|| OFF.to_owned(), |number| number.to_string())
}

/// Returns bytes a second as [`parse_bandwidth`] reads them.
pub(super) fn bandwidth_text(limit: Option<NonZeroU64>) -> String {
    limit.map_or_else(|| OFF.to_owned(), |bytes| Share::Bytes(bytes.get()).to_string())
}
