//! Content that no line of any text file may have: folders of one machine, and marks without a reason.

use super::Finding;

/// Folders that exist only on a build machine. Written in two halves, so that this file does not find itself.
const MACHINE_FOLDERS: &[&str] = &[concat!("/wo", "rk/"), concat!("/tmp/", "wt")];
/// Marks of unfinished work, in two halves for the same reason.
const MARKS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
/// Number of characters after the mark and a colon that count as a reason.
const REASON_LENGTH_MIN: usize = 10;

/// Returns findings for the lines of one file.
pub(super) fn check(content: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, number) in content.lines().zip(1..) {
        for folder in MACHINE_FOLDERS.iter().filter(|folder| names_folder(line, folder)) {
            let message = format!("`{folder}` is a folder of one machine. Name no absolute path.");
            findings.push(Finding::new(number, message));
        }
        for mark in MARKS.iter().filter(|mark| has_bare_mark(line, mark)) {
            let message = format!("`{mark}` without a reason. Do it now, or write `{mark}: why not yet`.");
            findings.push(Finding::new(number, message));
        }
    }
    findings
}

/// Returns true if an absolute path begins with `folder` in this line. Inside a longer path or an address it does not count.
fn names_folder(line: &str, folder: &str) -> bool {
    let continues_a_path = |before: &str| {
        before.ends_with(|letter: char| {
            letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_' | '}' | '~')
        })
    };
    line.match_indices(folder).any(|(at, _)| !continues_a_path(&line[..at]))
}

/// Returns true if `mark` is in this line as a separate word without a reason after it.
fn has_bare_mark(line: &str, mark: &str) -> bool {
    line.match_indices(mark).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + mark.len()..]);
        let is_part_of_a_word =
            before.ends_with(char::is_alphanumeric) || after.starts_with(char::is_alphanumeric);
        let reason = after.strip_prefix(':').map_or("", str::trim);
        !is_part_of_a_word && reason.chars().count() < REASON_LENGTH_MIN
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_one_machine_are_found() {
        for folder in MACHINE_FOLDERS {
            for line in [format!("see {folder}x"), format!("cd \"{folder}/x\""), format!("file:{folder}")] {
                assert_eq!(check(&line).len(), 1, "{line}");
            }
        }
    }

    #[test]
    fn parts_of_longer_paths_are_not_folders_of_one_machine() {
        for folder in MACHINE_FOLDERS {
            assert!(check(&format!("https://example.org{folder}x and docs{folder}x")).is_empty());
        }
        assert!(check("/var/lib/forebay and /run/forebay").is_empty());
    }

    #[test]
    fn a_mark_needs_a_reason() {
        for mark in MARKS {
            assert_eq!(check(&format!("// {mark}")), check(&format!("// {mark}: x")), "{mark}");
            assert_eq!(check(&format!("first\n// {mark}: soon"))[0].line, 2);
            assert!(check(&format!("// {mark}: waits for warm restart")).is_empty());
            assert!(check(&format!("{mark}N")).is_empty());
        }
    }
}
