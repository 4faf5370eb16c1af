//! Text in lines that fit a terminal, with a hanging indent.

/// Width of a terminal for which text is wrapped, in columns.
pub const WIDTH: usize = 80;

/// Returns the words of `text` in lines of at most [`WIDTH`] characters: the first line begins with `start`, the others with `indent` spaces.
/// A longer word has a line of its own. Each line ends with a line break.
pub fn hanging(start: &str, text: &str, indent: usize) -> String {
    let mut lines = Vec::new();
    let mut line = start.to_owned();
    let mut is_empty = true;
    for word in text.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    lines.push(line);
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_hang_below_the_text_of_the_first_one() {
        let wrapped = hanging("  key  ", &"word ".repeat(30), 7);
        assert!(wrapped.lines().all(|line| line.chars().count() <= WIDTH), "{wrapped}");
        assert!(wrapped.starts_with("  key  word word") && wrapped.contains("\n       word"), "{wrapped}");
        assert_eq!(wrapped.split_whitespace().count(), 31);
        let long = "x".repeat(WIDTH + 1);
        assert_eq!(hanging("", &format!("a {long}"), 2), format!("a\n  {long}\n"));
        assert_eq!(hanging("  key", "", 7), "  key\n");
    }
}
