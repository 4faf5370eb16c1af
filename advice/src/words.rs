//! Figures in the form of sentences, and the conversions for them.

use base::units::{Share, Size};

/// Returns the difference of two ratios as text.
pub(super) fn points(difference: f64) -> String {
    let tenths = (difference * 1_000.0).round() as i64;
    let sign = if tenths < 0 { "-" } else { "" };
    match (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10) {
        (whole, 0) => format!("{sign}{whole} points"),
        (whole, tenth) => format!("{sign}{whole}.{tenth} points"),
    }
}

pub(super) fn size(bytes: u64) -> String {
    Size(bytes).to_string()
}

/// Returns bytes in the form of a disk's key: nothing is rounded.
pub(super) fn exact(bytes: u64) -> String {
    Share::Bytes(bytes).to_string()
}

/// Returns microseconds as text.
pub(super) fn time(micros: f64) -> String {
    match micros {
        micros if micros < 10.0 => format!("{micros:.1} us"),
        micros if micros < 1_000.0 => format!("{micros:.0} us"),
        micros => format!("{:.1} ms", micros / 1_000.0),
    }
}

/// Returns seconds as text, in the largest unit that has two of them.
pub(super) fn span(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// Returns a small part with three significant digits.
pub(super) fn digits(value: f64) -> String {
    match value {
        value if value >= 10.0 => format!("{value:.0}"),
        value if value >= 0.1 => format!("{value:.2}"),
        value if value >= 0.001 => format!("{value:.4}"),
        _ => "less than 0.001".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_said_in_few_digits() {
        let said = [0.02, 0.1234, -0.000_01, -0.05, 0.0].map(points);
        assert_eq!(said, ["2 points", "12.3 points", "0 points", "-5 points", "0 points"]);
        assert_eq!([5.0, 120.0, 12_400.0].map(time), ["5.0 us", "120 us", "12.4 ms"]);
        assert_eq!([119, 120, 7_200, 172_800].map(span), ["119 s", "2 min", "2 h", "2 days"]);
        assert_eq!([0.000_1, 0.01, 0.25, 19.2].map(digits), ["less than 0.001", "0.0100", "0.25", "19"]);
    }
}
