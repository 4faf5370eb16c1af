//! Check that every rule and damage that a comment cites by number is a row of the page that explains them.

use std::collections::BTreeSet;

use super::Finding;
use super::source::comment;

/// Path of the page, relative to the root.
pub(super) const PAGE: &str = "docs/dev/durability.md";

/// Crates whose comments cite damage by number (`A19`) beside rules (`I5`). Elsewhere such a word means something else.
const CITING_DAMAGE: &[&str] = &["cache/", "sim/"];

/// Returns the numbers that begin a row of a table: `I5` of `| I5 flush | ...`.
pub(super) fn rows(page: &str) -> BTreeSet<&str> {
    let words = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_whitespace().next());
    words.filter(|word| is_number(word)).collect()
}

/// Returns a finding for each number in a comment of this file that is not in `rows`.
pub(super) fn check(path: &str, content: &str, rows: &BTreeSet<&str>) -> Vec<Finding> {
    let cites_damage = CITING_DAMAGE.iter().any(|folder| path.starts_with(folder));
    let mut findings = Vec::new();
    for (line, number) in content.lines().zip(1..) {
        let Some(comment) = comment(line) else { continue };
        let words = comment.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let cited = words.filter(|word| is_number(word) && (cites_damage || word.starts_with('I')));
        findings.extend(cited.filter(|word| !rows.contains(word)).map(|word| {
            Finding::new(
                number,
                format!("{PAGE} has no row {word}. Add it there, or give the reason in words."),
            )
        }));
    }
    findings
}

/// Returns true for `I` and a number of up to two digits, a rule, and for `A`, `B` or `C` and such a number, a damage.
fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix(['I', 'A', 'B', 'C']).unwrap_or_default();
    matches!(digits.len(), 1..=2) && digits.bytes().all(|digit| digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str =
        "| rule | holds |\n|---|---|\n| I5 flush | all |\n| A19 | lost |\n\nI6 is no row, nor is `| I7 |`.\n";

    #[test]
    fn rows_are_what_a_line_of_a_table_begins_with() {
        assert_eq!(rows(TABLE).into_iter().collect::<Vec<_>>(), ["A19", "I5"]);
    }

    #[test]
    fn a_cited_number_without_a_row_is_found_in_comments_only() {
        let rows = rows(TABLE);
        let content =
            "//! Flush (rule I5, A19).\nlet I6 = B1; // rule I12\n/// rules I5 and I6; RI7, I123, A_1\n";
        let lines = |path| check(path, content, &rows).iter().map(|finding| finding.line).collect::<Vec<_>>();
        assert_eq!(lines("cache/src/flush.rs"), [2, 3]);
        assert_eq!(lines("daemon/src/main.rs"), [2, 3]);
    }

    #[test]
    fn damage_counts_where_it_is_cited_and_nowhere_else() {
        let rows = rows(TABLE);
        assert_eq!(check("sim/tests/holes/rot.rs", "// A7 as in the table\n", &rows).len(), 1);
        assert_eq!(check("hitsim/src/policies/arc.rs", "// B1 and B2 of the article\n", &rows), []);
    }
}
