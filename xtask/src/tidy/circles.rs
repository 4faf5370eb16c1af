//! Check that files of one floor of `cache` import each other only in circles of bounded size.
//!
//! A file and the folder of its name count as one. Tests do not count: they may import anything they check.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::source::{Token, heads, matches_at, names_at, tokens};

/// Maximum size of a circle of files on each floor; 1 is none. These numbers may only fall.
const CIRCLES_MAX: &[(&str, usize)] =
    &[("types", 3), ("format", 1), ("state", 1), ("storage", 1), ("ops", 1), ("api", 2)];

/// Files of one floor, with the files of the same floor that each of them imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Returns a finding for each floor with a larger circle than allowed; `files` are paths with their content.
pub(super) fn check<'a>(files: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<Finding> {
    let mut floors: BTreeMap<&str, Imports> = BTreeMap::new();
    for (path, content) in files {
        let Some((floor, rest)) = path.strip_prefix("cache/src/").and_then(|path| path.split_once('/'))
        else {
            continue;
        };
        let (Ok(tokens), false) = (tokens(content), rest == "mod.rs" || rest.ends_with("tests.rs")) else {
            continue;
        };
        let name = rest.split(['/', '.']).next().unwrap_or(rest);
        let imports = floors.entry(floor).or_default().entry(name.to_owned()).or_default();
        imports.extend(imported(floor, without_tests(&tokens), !rest.contains('/')));
    }
    let too_large = CIRCLES_MAX.iter().filter_map(|(floor, most)| {
        let circle = largest_circle(floors.get(floor)?);
        (circle.len() > *most).then(|| finding(floor, *most, &circle))
    });
    too_large.collect()
}

fn finding(floor: &str, most: usize, circle: &[&str]) -> Finding {
    let message = format!(
        "{} files of `{floor}` import each other in a circle, and at most {most} may: {}. Move the types that two of \
         them need to a file of their own.",
        circle.len(),
        circle.join(", ")
    );
    Finding::new(1, message)
}

/// Returns the names of files of the same floor that a file imports. In a nested file, `super` is its own file.
fn imported(floor: &str, tokens: &[Token], is_direct: bool) -> BTreeSet<String> {
    let pattern = format!("crate : : {floor} : :");
    let starts = (0..tokens.len()).filter(|start| matches_at(tokens, *start, &pattern));
    let mut found: Vec<_> = starts.flat_map(|start| names_at(&tokens[start + 6..])).collect();
    if is_direct {
        found.extend(heads(tokens, "super"));
    }
    found.into_iter().map(|head| head.name).collect()
}

/// Returns the tokens before the module of tests.
fn without_tests(tokens: &[Token]) -> &[Token] {
    let is_tests = |start: &usize| matches_at(tokens, *start, "# [ cfg ( test ) ] mod tests {");
    &tokens[..(0..tokens.len()).find(is_tests).unwrap_or(tokens.len())]
}

/// Returns the files of the largest circle; one file, or none, if there is no circle.
fn largest_circle(imports: &Imports) -> Vec<&str> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|name| (name.as_str(), reachable(imports, name))).collect();
    let circle = |name: &str| -> Vec<&str> {
        let back = |other: &&str| reached.get(other).is_some_and(|onward| onward.contains(name));
        reached[name].iter().copied().filter(back).collect()
    };
    reached.keys().map(|name| circle(name)).max_by_key(Vec::len).unwrap_or_default()
}

/// Returns the files that a file imports, and all that those import.
fn reachable<'a>(imports: &'a Imports, from: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&str> = vec![from];
    while let Some(name) = next.pop() {
        let known = imports.get(name).into_iter().flatten().filter(|other| imports.contains_key(*other));
        next.extend(known.filter(|other| reached.insert(other.as_str())).map(String::as_str));
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(files: &[(&str, &str)]) -> Option<String> {
        check(files.iter().copied()).pop().map(|finding| finding.message)
    }

    #[test]
    fn a_circle_is_found_by_all_ways_to_import_a_file() {
        let files = [
            ("cache/src/storage/a.rs", "use super::b::{B, C};"),
            ("cache/src/storage/b.rs", "use crate::storage::{c::C, d};"),
            ("cache/src/storage/c/part.rs", "fn f() { crate::storage::a::f() }"),
            ("cache/src/storage/d.rs", "use crate::types::a::A;"),
        ];
        let found = circle(&files).expect("there is a circle");
        assert!(found.starts_with("3 files of `storage`") && found.contains(": a, b, c. "), "{found}");
        assert_eq!(circle(&files[..2]), None);
    }

    #[test]
    fn a_file_and_its_folder_are_one_and_tests_are_left_out() {
        let files = [
            (
                "cache/src/storage/a.rs",
                "mod part; use part::P; #[cfg(test)] mod tests { use super::super::b; }",
            ),
            ("cache/src/storage/a/part.rs", "use super::b; use crate::storage::a::A;"),
            (
                "cache/src/storage/b.rs",
                "use super::a::A; #[cfg(test)] mod tests { use crate::storage::b::B; }",
            ),
            ("cache/src/storage/b/tests.rs", "use crate::storage::a::A;"),
            ("cache/src/storage/mod.rs", "pub use crate::storage::a::A;"),
        ];
        assert_eq!(circle(&files), None);
    }

    #[test]
    fn a_circle_as_large_as_its_floor_may_have_is_no_finding() {
        let files = [
            ("cache/src/api/a.rs", "use super::b;"),
            ("cache/src/api/b.rs", "use super::a;"),
            ("cache/src/api/c.rs", "use super::{a, b};"),
        ];
        assert_eq!(circle(&files), None);
        let larger = ("cache/src/api/a.rs", "use super::{b, c};");
        assert!(circle(&[larger, files[1], files[2]]).is_some());
    }
}
