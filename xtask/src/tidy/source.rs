//! Flat list of the tokens of a Rust file with their lines.
//!
//! Plain comments are removed and a string is one token, so that a check for `crate` `:` `:` finds code only. Types and scopes are not
//! known: a check that needs them belongs into clippy.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Word, sign, bracket or literal.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: String,
    /// Line in the file, from 1.
    pub(super) line: usize,
}

impl Token {
    fn is_word(&self) -> bool {
        self.text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    }
}

/// Next name of a path that begins with a given word, such as `types` in `crate::types::limits`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) name: String,
    pub(super) line: usize,
}

/// Returns the tokens of a whole file.
///
/// # Errors
/// If brackets do not match or a literal does not end.
pub(super) fn tokens(content: &str) -> Result<Vec<Token>, String> {
    let stream: TokenStream = content.parse().map_err(|error| format!("{error}"))?;
    let mut tokens = Vec::new();
    flatten(stream, &mut tokens);
    Ok(tokens)
}

/// Returns the comment that ends a line, without its slashes; none if they are in a string that begins and ends in this line.
pub(super) fn comment(line: &str) -> Option<&str> {
    let (code, comment) = line.split_once("//")?;
    code.matches('"').count().is_multiple_of(2).then_some(comment)
}

fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    for tree in stream {
        let line = tree.span().start().line;
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = brackets(group.delimiter());
                tokens.push(Token { text: open.to_owned(), line: group.span_open().start().line });
                flatten(group.stream(), tokens);
                tokens.push(Token { text: close.to_owned(), line: group.span_close().start().line });
            }
            TokenTree::Ident(word) => tokens.push(Token { text: word.to_string(), line }),
            TokenTree::Punct(sign) => tokens.push(Token { text: sign.to_string(), line }),
            TokenTree::Literal(literal) => tokens.push(Token { text: literal.to_string(), line }),
        }
    }
}

fn brackets(delimiter: Delimiter) -> (&'static str, &'static str) {
    match delimiter {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    }
}

/// Returns true if `tokens` continues with `pattern`, written with spaces between tokens, at `start`.
pub(super) fn matches_at(tokens: &[Token], start: usize, pattern: &str) -> bool {
    let mut rest = tokens[start..].iter();
    pattern.split(' ').all(|word| rest.next().is_some_and(|token| token.text == word))
}

/// Returns the lines on which `pattern`, written with spaces between tokens, begins.
pub(super) fn lines_of(tokens: &[Token], pattern: &str) -> Vec<usize> {
    let starts = (0..tokens.len()).filter(|start| matches_at(tokens, *start, pattern));
    starts.map(|start| tokens[start].line).collect()
}

/// Returns the next names of paths that begin with `first`: `first::a` gives `a`, `first::{a::x, b}` gives `a` and `b`.
pub(super) fn heads(tokens: &[Token], first: &str) -> Vec<Head> {
    let pattern = format!("{first} : :");
    let is_inside_a_path = |start: usize| {
        start > 0 && tokens[start - 1].text == ":" && start > 1 && {
            // `a::first::` continues a path; in `a: first::` and `a: crate::` a new one begins.
            tokens[start - 2].text == ":"
        }
    };
    let starts = (0..tokens.len()).filter(|start| matches_at(tokens, *start, &pattern));
    let mut found = Vec::new();
    for start in starts.filter(|start| !is_inside_a_path(*start)) {
        found.extend(names_at(&tokens[start + 3..]));
    }
    found
}

/// Returns the names right after `first::`: one word or `*`, or the first word of each branch of a group.
pub(super) fn names_at(tokens: &[Token]) -> Vec<Head> {
    let head = |token: &Token| Head { name: token.text.clone(), line: token.line };
    match tokens.first() {
        Some(token) if token.text == "{" => {
            let mut found = Vec::new();
            let mut depth = 0_u32;
            for pair in tokens.windows(2) {
                match pair[0].text.as_str() {
                    "{" => depth += 1,
                    "}" => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
                let begins_a_branch = depth == 1 && matches!(pair[0].text.as_str(), "{" | ",");
                if begins_a_branch && (pair[1].is_word() || pair[1].text == "*") {
                    found.push(head(&pair[1]));
                }
            }
            found
        }
        Some(token) if token.is_word() || token.text == "*" => vec![head(token)],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(source: &str) -> Vec<(String, usize)> {
        let tokens = tokens(source).expect("the test writes Rust");
        heads(&tokens, "crate").into_iter().map(|head| (head.name, head.line)).collect()
    }

    #[test]
    fn heads_are_found_in_imports_groups_and_expressions() {
        assert_eq!(names("use crate::types::units::DiskId;"), [("types".to_owned(), 1)]);
        assert_eq!(
            names("use crate::{\n    format::{codec, layout},\n    types::*,\n};"),
            [("format".to_owned(), 2), ("types".to_owned(), 3)]
        );
        assert_eq!(names("fn f(x: crate::types::A) {\n    crate::api::open(x)\n}").len(), 2);
        assert_eq!(names("use crate::*;"), [("*".to_owned(), 1)]);
    }

    #[test]
    fn comments_strings_and_visibility_are_no_imports() {
        assert!(names("/// [`x`](crate::api::x)\n// crate::api\nfn f() { g(\"crate::api::x\") }").is_empty());
        assert!(names("pub(crate) fn f() {}").is_empty());
    }

    #[test]
    fn a_word_inside_a_path_begins_no_path() {
        let tokens = tokens("use format::block::X; use block::PAGE; struct S { a: block::Y }").expect("Rust");
        let names: Vec<_> = heads(&tokens, "block").into_iter().map(|head| head.name).collect();
        assert_eq!(names, ["PAGE", "Y"]);
    }

    #[test]
    fn patterns_are_found_with_their_lines() {
        let tokens = tokens("fn f() {\n    std::thread::sleep(x);\n}").expect("Rust");
        assert_eq!(lines_of(&tokens, "thread : : sleep"), [2]);
        assert!(lines_of(&tokens, "dbg !").is_empty());
    }

    #[test]
    fn a_comment_ends_a_line_and_is_no_part_of_a_string() {
        assert_eq!(comment("/// A disk."), Some("/ A disk."));
        assert_eq!(comment("f(\"a\"); // why"), Some(" why"));
        assert_eq!(comment("f(\"nbd://store\");"), None);
        assert_eq!(comment("f();"), None);
    }

    #[test]
    fn what_is_no_rust_is_an_error() {
        assert!(tokens("fn f( {").is_err());
    }
}
