//! Figures in few characters, for columns.

use std::collections::BTreeSet;

/// Text for an unknown figure.
pub(super) const NOTHING: &str = "-";

/// Returns a rate or a count, in at most five characters.
pub(super) fn rate(value: Option<f64>) -> String {
    let Some(value) = value else { return NOTHING.to_owned() };
    match value {
        value if value >= 99_950_000.0 => format!("{:.0}M", value / 1e6),
        value if value >= 999_500.0 => format!("{:.1}M", value / 1e6),
        value if value >= 99_950.0 => format!("{:.0}k", value / 1e3),
        value if value >= 9_999.5 => format!("{:.1}k", value / 1e3),
        value if value >= 9.95 || value == 0.0 => format!("{value:.0}"),
        value => format!("{value:.1}"),
    }
}

/// Returns bytes a second, in millions.
pub(super) fn megabytes(value: Option<f64>) -> String {
    match value.map(|value| value / 1e6) {
        None => NOTHING.to_owned(),
        Some(value) if value >= 99.95 || value == 0.0 => format!("{value:.0}"),
        Some(value) => format!("{value:.1}"),
    }
}

/// Returns microseconds, in at most six characters.
pub(super) fn latency(micros: Option<f64>) -> String {
    let Some(micros) = micros else { return NOTHING.to_owned() };
    match micros {
        micros if micros >= 9_950_000.0 => format!("{:.0}s", micros / 1e6),
        micros if micros >= 999_500.0 => format!("{:.1}s", micros / 1e6),
        micros if micros >= 9_950.0 => format!("{:.0}ms", micros / 1e3),
        micros if micros >= 999.5 => format!("{:.1}ms", micros / 1e3),
        micros => format!("{micros:.0}us"),
    }
}

/// Returns a share in whole hundredths.
pub(super) fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| NOTHING.to_owned(), |share| format!("{:.0}%", share * 100.0))
}

/// Returns bytes in binary units, in at most five characters.
#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
pub(super) fn bytes(count: Option<u64>) -> String {
    let Some(count) = count else { return NOTHING.to_owned() };
    let (mut value, mut unit) = (count as f64, "B");
    for larger in ["K", "M", "G", "T", "P"] {
        if value < 999.5 {
            break;
        }
        (value, unit) = (value / 1024.0, larger);
    }
    if unit == "B" || value >= 9.95 { format!("{value:.0}{unit}") } else { format!("{value:.1}{unit}") }
}

/// Returns a bar of `width` cells, filled from the left by eighths.
#[expect(clippy::cast_sign_loss, reason = "shares are not negative")]
pub(super) fn bar(share: Option<f64>, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.unwrap_or(0.0).clamp(0.0, 1.0) * 8.0 * width_of(width)).round() as usize;
    let text = format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8]);
    format!("{text:<width$}")
}

#[expect(clippy::cast_precision_loss, reason = "a screen is not so wide")]
fn width_of(width: usize) -> f64 {
    width as f64
}

/// Returns a text cut to `width` characters.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Returns names that fit into `width` characters, different ones for different names: shortened at their end
/// if they then still differ, else in the middle, else at their beginning.
pub(in crate::commands) fn cut_names(names: &[&str], width: usize) -> Vec<String> {
    let kept_of_start = [width.saturating_sub(1), width / 2, width / 4, 0];
    let cuts =
        kept_of_start.map(|start| names.iter().map(|name| cut_at(name, width, start)).collect::<Vec<_>>());
    let distinct = |cut: &Vec<String>| cut.iter().collect::<BTreeSet<_>>().len();
    // Of the cuts that keep as many names distinct the first one, which is last here.
    cuts.into_iter().rev().max_by_key(distinct).unwrap_or_default()
}

/// Returns a text that fits into `width` characters, with `start` of its first ones, and its last ones behind an ellipsis.
fn cut_at(text: &str, width: usize, start: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    let end = width.saturating_sub(start + 1);
    text.chars().take(start).chain(['…']).chain(text.chars().skip(length - end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_whatever_they_are() {
        for (value, text) in [
            (0.0, "0"),
            (0.5, "0.5"),
            (9.96, "10"),
            (9_999.0, "9999"),
            (9_999.9, "10.0k"),
            (99_960.0, "100k"),
            (999_999.0, "1.0M"),
            (99_999_999.0, "100M"),
        ] {
            assert_eq!(rate(Some(value)), text);
            assert!(rate(Some(value)).len() <= 5);
        }
        for (micros, text) in
            [(1.0, "1us"), (999.9, "1.0ms"), (12_345.0, "12ms"), (1e6, "1.0s"), (6e7, "60s")]
        {
            assert_eq!(latency(Some(micros)), text);
        }
        for (count, text) in [(0, "0B"), (999, "999B"), (1000, "1.0K"), (10 << 20, "10M"), (5 << 39, "2.5T")]
        {
            assert_eq!(bytes(Some(count)), text);
        }
        assert!((0..64).all(|shift| bytes(Some(u64::MAX >> shift)).len() <= 6));
        assert_eq!([megabytes(Some(1.5e6)), megabytes(Some(2e8)), megabytes(Some(0.0))], ["1.5", "200", "0"]);
        assert_eq!([rate(None), latency(None), percent(None), bytes(None), megabytes(None)], ["-"; 5]);
    }

    #[test]
    fn bars_are_as_long_as_their_share() {
        assert_eq!(bar(Some(1.0), 4), "████");
        assert_eq!(bar(Some(0.5), 4), "██  ");
        assert_eq!(bar(Some(1.0 / 32.0), 4), "▏   ");
        assert_eq!(bar(None, 4), "    ");
        assert_eq!(bar(Some(7.0), 4), "████");
    }

    #[test]
    fn names_that_begin_alike_are_told_apart_in_a_narrow_column() {
        let cut = |names: &[&str]| cut_names(names, 11);
        assert_eq!(cut(&["web", "a-long-disk-name"]), ["web", "a-long-dis…"]);
        assert_eq!(cut(&["customer-db-1", "customer-db-2"]), ["custo…-db-1", "custo…-db-2"]);
        assert_eq!(cut(&["customers-1-database", "customers-2-database"]), ["…1-database", "…2-database"]);
        for name in cut(&["customer-database-1-primary", "customer-database-2-primary"]) {
            assert_eq!(name.chars().count(), 11, "{name}");
        }
    }

    #[test]
    fn long_texts_are_cut_where_it_shows() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("longer", 5), "long…");
        assert_eq!(cut("ääääää", 3), "ää…");
    }
}
