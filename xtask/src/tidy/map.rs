//! Check that every file and folder in the map of the code exists.

use super::Finding;

/// Path of the map, relative to the root.
pub(super) const MAP: &str = "ARCHITECTURE.md";

/// Returns a finding for each path in backticks for which `exists` is false; the first folder of a path is one of `crates`.
pub(super) fn check(map: &str, crates: &[&str], exists: impl Fn(&str) -> bool) -> Vec<Finding> {
    let is_path = |text: &&str| text.split_once('/').is_some_and(|(first, _)| crates.contains(&first));
    let missing = |(line, text): (usize, &str)| {
        (!exists(text)).then(|| {
            Finding::new(line, format!("There is no {text}. Name the file that has taken its place."))
        })
    };
    let paths = map.lines().enumerate().flat_map(|(line, content)| {
        // Every second part is between backticks.
        content.split('`').skip(1).step_by(2).filter(is_path).map(move |path| (line + 1, path))
    });
    paths.filter_map(missing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_gone_is_found_and_other_words_in_backticks_are_not() {
        let map = "A read: `cache/src/read.rs`, `read_at_hand`,\nthen `cache/src/gone.rs`; `GET /v1/disks`, `a/b`.\n";
        let findings = check(map, &["cache"], |path| path == "cache/src/read.rs");
        assert_eq!(
            findings,
            [Finding::new(2, "There is no cache/src/gone.rs. Name the file that has taken its place.")]
        );
    }
}
