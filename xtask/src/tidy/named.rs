//! Check that every Rust file named in a comment exists.

use super::Finding;
use super::source::comment;

/// Returns a finding for each name of a Rust file in a comment of the file at `path` that none of `files` has. A name with folders is
/// the end of a path anywhere, one without is a file of the same crate.
pub(super) fn check(path: &str, content: &str, files: &[&str]) -> Vec<Finding> {
    let own_crate = path.split_inclusive('/').next().unwrap_or_default();
    let is_there = |name: &str| {
        let is_it = |file: &&str| {
            file.strip_suffix(name).is_some_and(|start| start.is_empty() || start.ends_with('/'))
        };
        files.iter().filter(|file| name.contains('/') || file.starts_with(own_crate)).any(is_it)
    };
    let mut findings = Vec::new();
    for (line, number) in content.lines().zip(1..) {
        let Some(comment) = comment(line) else { continue };
        let words = comment
            .split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '-' | '/' | '.'));
        let names = words
            .map(|word| word.trim_end_matches('.'))
            .filter(|word| word.strip_suffix(".rs").is_some_and(|stem| !stem.is_empty()));
        findings.extend(names.filter(|name| !is_there(name)).map(|name| {
            Finding::new(number, format!("There is no {name}. Name the file that has taken its place, from its crate on if that is another."))
        }));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_named_in_a_comment_and_is_not_there_is_found() {
        let files = ["cache/src/ops/read.rs", "cache/src/lib.rs", "daemon/src/home.rs"];
        let content = "//! See read.rs, `ops/read.rs`, and lib.rs.\n// gone.rs\nlet x = 1; // ead.rs\n";
        let lines: Vec<_> =
            check("cache/src/lib.rs", content, &files).iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [2, 3]);
    }

    #[test]
    fn a_file_of_another_crate_is_named_with_folders() {
        let files = ["cache/src/ops/read.rs", "daemon/src/home.rs"];
        assert_eq!(check("daemon/src/home.rs", "// read.rs\n", &files).len(), 1);
        assert_eq!(check("daemon/src/home.rs", "// `cache/src/ops/read.rs`\n", &files), []);
    }
}
