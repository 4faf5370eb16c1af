//! Bars in text: of eighths of a character where the locale has UTF-8, else of `#`, whether on a terminal or
//! not, so that the output looks the same in a pager or a file.

use std::env;

/// From one eighth of a character to all of it.
const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// Characters of bars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    Unicode,
    Ascii,
}

impl Ink {
    /// Returns the ink for the locale of this process.
    pub(super) fn of_process() -> Self {
        Self::of_locale(|name| env::var(name).ok())
    }

    /// Returns the ink for a locale. As in other programs, the first of these variables that is set counts.
    fn of_locale(variable: impl Fn(&str) -> Option<String>) -> Self {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(|name| variable(name).filter(|set| !set.is_empty()));
        let is_utf8 = locale.is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        if is_utf8 { Self::Unicode } else { Self::Ascii }
    }

    /// Returns a bar for `count`, where `most` is `width` characters. Anything above zero is visible.
    pub(super) fn bar(self, count: u64, most: u64, width: u64) -> String {
        let eighths = (u128::from(count) * u128::from(width * 8)).div_ceil(u128::from(most)) as usize;
        match self {
            Self::Unicode => {
                let full = EIGHTHS[7].to_string().repeat(eighths / 8);
                let rest = (eighths % 8).checked_sub(1).map(|rest| EIGHTHS[rest]);
                full + &rest.map(String::from).unwrap_or_default()
            }
            Self::Ascii => "#".repeat(eighths.div_ceil(8)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_counts_and_never_vanish() {
        let unicode = [0, 1, 500, 1_000].map(|count| Ink::Unicode.bar(count, 1_000, 48).chars().count());
        assert_eq!(unicode, [0, 1, 24, 48]);
        assert_eq!(Ink::Unicode.bar(1, 384, 48), "▏");
        assert_eq!([1, 500, 1_000].map(|count| Ink::Ascii.bar(count, 1_000, 48).len()), [1, 24, 48]);
    }

    #[test]
    fn the_locale_says_what_bars_are_made_of() {
        let with = |all: &str, lang: &str| {
            Ink::of_locale(|name| match name {
                "LC_ALL" => Some(all.to_owned()),
                "LANG" => Some(lang.to_owned()),
                _ => None,
            })
        };
        assert_eq!(
            [with("", "en_GB.UTF-8"), with("C.utf8", "C"), with("C", "C.UTF-8"), with("", "")],
            [Ink::Unicode, Ink::Unicode, Ink::Ascii, Ink::Ascii]
        );
    }
}
