//! Subjects of commits: `crate: Imperative, what changes`.

use super::Finding;

/// Newest commits whose subjects are checked: older ones stay as they were written.
pub(super) const COMMITS: usize = 60;
const CHARACTERS_MAX: usize = 72;
/// First words that are no imperative.
const NO_IMPERATIVES: &[&str] = &["A", "An", "The", "It", "What", "Which", "Who", "How", "Where", "When"];

/// Returns a finding for each subject that is too long or not in that form. `subjects` begin with the newest.
pub(super) fn check(subjects: &str) -> Vec<Finding> {
    (1..).zip(subjects.lines()).filter_map(|(number, subject)| judge(number, subject)).collect()
}

fn judge(number: usize, subject: &str) -> Option<Finding> {
    let problem = if subject.chars().count() > CHARACTERS_MAX {
        format!("has more than {CHARACTERS_MAX} characters")
    } else if !has_form(subject) {
        "is not in the form `crate: Imperative, what changes`".to_owned()
    } else {
        return None;
    };
    Some(Finding::new(number, format!("The subject '{subject}' {problem}. Amend the commit.")))
}

fn has_form(subject: &str) -> bool {
    let Some((part, change)) = subject.split_once(": ") else { return false };
    let is_name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_lowercase()) && !name.contains(char::is_whitespace)
    };
    let first = change.split_whitespace().next().unwrap_or_default();
    part.split(", ").all(is_name)
        && first.starts_with(|first: char| first.is_ascii_uppercase())
        && !NO_IMPERATIVES.contains(&first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_names_its_crate_and_says_what_it_changes() {
        let good = "cache: Store the chain flag in index runs\nbench, docs: Measure one hit\n";
        assert_eq!(check(good), []);
        let long = format!("cache: Say {}", "much ".repeat(14));
        for bad in
            ["Take it back", "cache: store it", "cache: What is of a chain is marked", "Cache: Add it", &long]
        {
            assert_eq!(check(&format!("{good}{bad}")).len(), 1, "{bad}");
            assert_eq!(check(&format!("{good}{bad}"))[0].line, 3);
        }
    }
}
