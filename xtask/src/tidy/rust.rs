//! Rules for every Rust file: it begins with its purpose, has a bounded size, and contains no leftovers.

use super::Finding;
use super::source::{Token, lines_of, matches_at};

/// Maximum number of lines of a file: one responsibility each, split by meaning and not by length. A longer one needs a reason.
const FILE_LINES_MAX: usize = 900;
/// Number of lines of a function that fits a screen; up to [`FUNCTION_LINES_MAX`] a longer one is only mentioned.
const FUNCTION_LINES_GOOD: usize = 70;
/// Number of lines above which a function must be split.
const FUNCTION_LINES_MAX: usize = 100;
/// Files that may be longer than [`FILE_LINES_MAX`], each with the reason.
const LONG_FILES: &[(&str, &str)] = &[];

/// Returns findings for one file.
pub(super) fn check(path: &str, content: &str, tokens: &[Token]) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !content.starts_with("//!") {
        let hint = "Say what the module is, why it exists and what it never does";
        findings.push(Finding::new(1, format!("The file does not begin with `//!`. {hint}.")));
    }
    let lines = content.lines().count();
    if lines > FILE_LINES_MAX && !LONG_FILES.iter().any(|(long, _)| *long == path) {
        let hint =
            "Split it by responsibility, or list it with the reason in LONG_FILES of xtask/src/tidy/rust.rs";
        let message = format!("The file has {lines} lines, more than {FILE_LINES_MAX}. {hint}.");
        findings.push(Finding::new(lines, message));
    }
    findings.extend(check_leftovers(path, tokens));
    for function in functions(tokens) {
        let (name, lines) = (function.name, function.lines);
        if lines > FUNCTION_LINES_MAX {
            let message = format!("`{name}` has {lines} lines, more than {FUNCTION_LINES_MAX}.");
            let hint = "Let the parent decide and helpers compute";
            findings.push(Finding::new(function.line, format!("{message} {hint}.")));
        } else if lines > FUNCTION_LINES_GOOD {
            println!(
                "note: {path}:{}: `{name}` has {lines} lines and no longer fits a screen.",
                function.line
            );
        }
    }
    findings
}

fn check_leftovers(path: &str, tokens: &[Token]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for line in lines_of(tokens, "dbg !") {
        findings.push(Finding::new(line, "`dbg!` is left over. Remove it, or write a `tracing` event."));
    }
    for line in [lines_of(tokens, "# [ ignore ]"), lines_of(tokens, "# [ ignore =")].concat() {
        let hint = "Long forms of a test go to `cargo xtask nightly` by their seeds";
        findings.push(Finding::new(line, format!("An ignored test proves nothing. {hint}.")));
    }
    let tests_begin = first_test_line(path, tokens);
    for line in lines_of(tokens, "thread : : sleep").into_iter().filter(|line| *line >= tests_begin) {
        let hint = "Wait for the event itself: a channel, a join, or the executor's own time";
        findings.push(Finding::new(line, format!("A test that sleeps is slow or flaky. {hint}.")));
    }
    findings
}

/// Returns the line from which on a file is test code: the first if it is all test, beyond the last if none is.
fn first_test_line(path: &str, tokens: &[Token]) -> usize {
    let is_all_test = path.split('/').any(|part| part == "tests" || part == "tests.rs");
    let marks = lines_of(tokens, "# [ cfg ( test ) ]");
    if is_all_test { 1 } else { marks.first().copied().unwrap_or(usize::MAX) }
}

/// Function with its size from `fn` to its closing bracket.
#[derive(Debug, PartialEq, Eq)]
struct Function<'a> {
    name: &'a str,
    line: usize,
    lines: usize,
}

fn functions(tokens: &[Token]) -> Vec<Function<'_>> {
    let starts = (0..tokens.len()).filter(|start| matches_at(tokens, *start, "fn"));
    starts.filter_map(|start| function_at(&tokens[start..])).collect()
}

/// Returns the function whose `fn` is the first token; `None` for a pointer type or a declaration without a body.
fn function_at(tokens: &[Token]) -> Option<Function<'_>> {
    let name = tokens.get(1).filter(|token| token.text != "(")?;
    // The body is the first `{` outside of the brackets of arguments and array types.
    let mut depth = 0_i32;
    let mut rest = tokens.iter().enumerate().skip(2);
    let body = loop {
        let (at, token) = rest.next()?;
        match token.text.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            ";" | "," if depth == 0 => return None,
            "{" if depth == 0 => break at,
            _ => {}
        }
    };
    let mut open = 0_i32;
    for token in &tokens[body..] {
        match token.text.as_str() {
            "{" => open += 1,
            "}" => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(Function {
                name: &name.text,
                line: tokens[0].line,
                lines: token.line - tokens[0].line + 1,
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::source;

    fn found(path: &str, content: &str) -> Vec<Finding> {
        check(path, content, &source::tokens(content).expect("the test writes Rust"))
    }

    fn function_of(statements: usize) -> String {
        format!("//! What.\nfn long() {{\n{}}}\n", "    step();\n".repeat(statements))
    }

    #[test]
    fn a_file_says_what_it_is() {
        assert!(found("a.rs", "//! What.\n").is_empty());
        assert_eq!(found("a.rs", "fn main() {}\n").len(), 1);
        assert_eq!(found("a.rs", "").len(), 1);
    }

    #[test]
    fn a_long_file_is_found_at_the_limit() {
        let file = |lines: usize| format!("//! What.\n{}", "\n".repeat(lines - 1));
        assert!(found("a.rs", &file(FILE_LINES_MAX)).is_empty());
        assert_eq!(found("a.rs", &file(FILE_LINES_MAX + 1)).len(), 1);
    }

    #[test]
    fn a_long_function_is_found_at_the_limit() {
        assert!(found("a.rs", &function_of(FUNCTION_LINES_MAX - 2)).is_empty());
        let findings = found("a.rs", &function_of(FUNCTION_LINES_MAX - 1));
        assert_eq!(
            findings,
            [Finding::new(
                2,
                "`long` has 101 lines, more than 100. Let the parent decide and helpers compute."
            )]
        );
    }

    #[test]
    fn functions_are_measured_with_nested_ones_and_array_types() {
        let source =
            "fn a(x: [u8; 4]) -> [u8; 2] {\n    fn b() {}\n}\ntrait T { fn c(&self); }\ntype F = fn(u8);";
        let tokens = source::tokens(source).expect("Rust");
        let sizes: Vec<_> = functions(&tokens).iter().map(|found| (found.name, found.lines)).collect();
        assert_eq!(sizes, [("a", 3), ("b", 1)]);
    }

    #[test]
    fn leftovers_are_found_in_code_but_not_in_comments() {
        assert_eq!(found("a.rs", "//! What.\nfn f() { dbg!(1); }").len(), 1);
        assert!(found("a.rs", "//! No dbg!(1) and no #[ignore] here.\n").is_empty());
        assert_eq!(found("a.rs", "//! What.\n#[ignore]\nfn f() {}").len(), 1);
        assert_eq!(found("a.rs", "//! What.\n#[ignore = \"slow\"]\nfn f() {}").len(), 1);
    }

    #[test]
    fn tests_do_not_sleep() {
        let sleeper = "//! What.\nfn f() { std::thread::sleep(x); }\n";
        assert!(found("daemon/src/main.rs", sleeper).is_empty());
        assert_eq!(found("daemon/tests/serve.rs", sleeper).len(), 1);
        assert_eq!(found("block/src/file/tests.rs", sleeper).len(), 1);
        let module = format!("{sleeper}#[cfg(test)]\nmod tests {{\n    fn g() {{ thread::sleep(x); }}\n}}\n");
        assert_eq!(found("a.rs", &module).len(), 1);
    }
}
