//! Text from outside, made safe to show: paths, and messages of servers, of QEMU, of files and of other programs.
//!
//! Such text may contain line breaks, which forge lines of a log or a list; escape sequences, which a terminal obeys; and characters that
//! change the direction of writing, which disguise a line. All of them are shown as escapes: `\n`, `\u001b`. These are those of JSON, so
//! that a JSON document with them is still the same document.
//!
//! All output for people passes here: messages of problems and events, lines of the log, cells of tables, output of commands. Documents
//! keep data as it is.

use std::borrow::Cow;
use std::fmt::Write;

/// Returns `text` as one line without control characters.
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, is_obeyed)
}

/// Returns `text` as [`line()`] does, but keeps its line breaks.
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |character| character != '\n' && is_obeyed(character))
}

fn is_obeyed(character: char) -> bool {
    // Controls; marks and overrides of direction, invisible characters, separators of lines and paragraphs.
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
        )
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            _ if !is_escaped(character) => shown.push(character),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            // Writing to a String does not fail.
            _ => _ = write!(shown, "\\u{:04x}", u32::from(character)),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn text_of_others_neither_forges_lines_nor_commands_a_terminal_nor_reads_backwards() {
        for (text, shown) in [
            ("no\n2026-01-01T00:00:00Z ERROR", "no\\n2026-01-01T00:00:00Z ERROR"),
            ("a\r\tb", "a\\r\\tb"),
            ("\u{1b}[2J\u{1b}]0;t\u{7}", "\\u001b[2J\\u001b]0;t\\u0007"),
            ("\u{9b}31m\u{7f}", "\\u009b31m\\u007f"),
            ("gpj.\u{202e}exe\u{2066}\u{200f}\u{2028}", "gpj.\\u202eexe\\u2066\\u200f\\u2028"),
            ("Zürich 'disk' \\n 日本", "Zürich 'disk' \\n 日本"),
        ] {
            assert_eq!(line(text), shown);
        }
        assert_eq!(lines("a\n\u{1b}b\n"), "a\n\\u001bb\n");
    }

    #[test]
    fn a_document_that_is_printed_is_still_the_same_document() {
        let document = json!({ "backing": "/srv/\u{202e}gpj\n\u{9b}\u{1b}[2J\u{feff}" });
        let printed = lines(&document.to_string()).into_owned();
        assert!(!printed.contains(['\u{202e}', '\u{9b}', '\u{1b}']), "{printed}");
        assert_eq!(serde_json::from_str::<Value>(&printed).ok(), Some(document));
    }
}
