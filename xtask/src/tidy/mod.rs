//! Structure checks that neither the compiler nor clippy makes, each with a hint for the correction.
//!
//! ```text
//! source   a Rust file as tokens, so that comments and strings do not count as code
//! floors   imports inside `cache` only go down
//! circles  files of one floor do not import each other in larger circles than before
//! crates   allowed dependencies between crates, from the output of cargo
//! rust     heads, sizes, sleeps and leftovers of one Rust file
//! language measures of comments and pages, which may only fall
//! map      files that the map of the code names
//! named    the Rust files that comments name
//! rules    the rules of durability that comments cite by number
//! subjects of the newest commits
//! text     lines of any text file
//! together files of tests that are modules of one program
//! ```
//! Every check is a pure function from text to findings. Only this file reads the tree, and nothing writes to it.

mod circles;
mod crates;
mod floors;
mod language;
mod map;
mod named;
mod rules;
mod rust;
mod source;
mod subjects;
mod text;
mod together;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{cargo, output};

/// Folders that contain no source of ours.
const FOLDERS_LEFT_OUT: &[&str] = &[".git", "target", "node_modules", "corpus", "artifacts", "coverage"];
/// Extensions of files that people write and read. `Cargo.lock` is cargo's.
const ENDINGS_OF_TEXT: &[&str] =
    &["rs", "toml", "md", "sh", "yml", "yaml", "json", "html", "css", "js", "mjs", "ts"];

/// Violation of a check, with its correction.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    /// Line in the file, from 1.
    line: usize,
    message: String,
}

impl Finding {
    fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// Runs all checks over the tree and prints every finding as `path:line: message`.
///
/// # Errors
/// If there is any finding, or if the tree cannot be read.
pub(crate) fn tidy(root: &Path) -> Result<(), String> {
    println!("==> tidy");
    let mut findings = 0;
    let mut files = Vec::new();
    collect(root, &mut files)?;
    files.sort();
    let mut contents = Vec::new();
    for file in &files {
        let path = relative(root, file);
        let content = fs::read_to_string(file).map_err(|error| format!("Could not read {path}: {error}."))?;
        findings += report(&path, check_file(&path, &content));
        contents.push((path, content));
    }
    let contents = contents.iter().map(|(path, content)| (path.as_str(), content.as_str()));
    findings += report("cache/src", circles::check(contents.clone()));
    findings += check_rules(root, contents.clone())?;
    findings += check_language(contents.clone());
    let paths: Vec<&str> = contents.clone().map(|(path, _)| path).collect();
    let sources = contents.filter(|(path, _)| is_rust(path));
    findings +=
        sources.map(|(path, content)| report(path, named::check(path, content, &paths))).sum::<usize>();
    findings += check_map(root)?;
    for program in files.iter().filter(|file| file.ends_with(together::PROGRAM)) {
        findings += report(&relative(root, program), check_together(program, &files)?);
    }
    findings += check_subjects(root);
    let arguments = ["metadata", "--no-deps", "--locked", "--format-version", "1"];
    let metadata = output(cargo(root).args(arguments))?;
    findings += report("Cargo.toml", crates::check(&metadata)?);
    match findings {
        0 => Ok(()),
        1 => Err("tidy found 1 thing to put right, named above.".to_owned()),
        many => Err(format!("tidy found {many} things to put right, named above.")),
    }
}

/// Checks the numbers of rules in comments, and prints those that the page of the rules does not have.
fn check_rules<'a>(root: &Path, contents: impl Iterator<Item = (&'a str, &'a str)>) -> Result<usize, String> {
    let page = fs::read_to_string(root.join(rules::PAGE))
        .map_err(|error| format!("Could not read {}: {error}.", rules::PAGE))?;
    let rows = rules::rows(&page);
    let sources = contents.filter(|(path, _)| is_rust(path));
    Ok(sources.map(|(path, content)| report(path, rules::check(path, content, &rows))).sum())
}

/// Checks the language of Rust files and pages.
fn check_language<'a>(contents: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> usize {
    let sources = contents.clone().filter(|(path, _)| is_rust(path));
    // Files that are not valid Rust were reported.
    let sources: Vec<_> =
        sources.filter_map(|(path, content)| Some((path, content, source::tokens(content).ok()?))).collect();
    let pages: Vec<_> = contents.filter(|(path, _)| has_ending(path, "md")).collect();
    report("the tree", language::check(&sources, &pages))
}

/// Checks the subjects of the newest commits. Where git has none, as in a tarball, it says so.
fn check_subjects(root: &Path) -> usize {
    let count = subjects::COMMITS.to_string();
    let arguments = ["log", "--no-merges", "--format=%s", "--max-count", &count];
    match output(Command::new("git").arg("-C").arg(root).args(arguments)) {
        Ok(subjects) => report("the newest commits", subjects::check(&subjects)),
        Err(reason) => {
            println!("Subjects of commits left out: {reason}");
            0
        }
    }
}

/// Checks the map of the code, and prints its names that do not exist.
fn check_map(root: &Path) -> Result<usize, String> {
    let map = fs::read_to_string(root.join(map::MAP))
        .map_err(|error| format!("Could not read {}: {error}.", map::MAP))?;
    let entries = fs::read_dir(root).map_err(|error| format!("Could not list the root: {error}."))?;
    let names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Ok(report(map::MAP, map::check(&map, &names, |path| root.join(path).exists())))
}

/// Returns files beside this program of tests that it leaves out.
fn check_together(program: &Path, files: &[PathBuf]) -> Result<Vec<Finding>, String> {
    let read = |path: &Path| {
        fs::read_to_string(path).map_err(|error| format!("Could not read {}: {error}.", path.display()))
    };
    let folder = program.parent();
    let manifest = program.ancestors().nth(2).map(|root| root.join("Cargo.toml")).unwrap_or_default();
    let beside = files.iter().filter(|file| file.parent() == folder);
    let sources = beside.filter(|file| file.extension().is_some_and(|ending| ending == "rs"));
    let names = sources.filter_map(|file| file.file_stem()?.to_str());
    Ok(together::check(&read(program)?, &read(&manifest)?, names))
}

/// Returns all findings in one file; `path` is relative to the root and determines which checks apply.
fn check_file(path: &str, content: &str) -> Vec<Finding> {
    let mut findings = text::check(content);
    if is_rust(path) {
        match source::tokens(content) {
            Ok(tokens) => {
                findings.extend(rust::check(path, content, &tokens));
                findings.extend(floors::check(path, &tokens));
            }
            Err(error) => findings.push(Finding::new(1, format!("This is not Rust: {error}."))),
        }
    }
    findings
}

fn is_rust(path: &str) -> bool {
    has_ending(path, "rs")
}

fn has_ending(path: &str, wanted: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending == wanted)
}

fn report(path: &str, mut findings: Vec<Finding>) -> usize {
    findings.sort_by_key(|finding| finding.line);
    for finding in &findings {
        println!("{path}:{}: {}", finding.line, finding.message);
    }
    findings.len()
}

/// Collects the text files below `folder`. Links are not followed: their targets are elsewhere or found anyway.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let problem = |error: std::io::Error| format!("Could not list the folder {}: {error}.", folder.display());
    for entry in fs::read_dir(folder).map_err(problem)? {
        let entry = entry.map_err(problem)?;
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        let kind = entry.file_type().map_err(problem)?;
        if kind.is_dir() && !FOLDERS_LEFT_OUT.contains(&name.as_ref()) {
            collect(&path, files)?;
        } else if kind.is_file() && is_text(&path) {
            files.push(path);
        }
    }
    Ok(())
}

fn is_text(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_string_lossy());
    let is_script = path.parent().and_then(Path::file_name).is_some_and(|folder| folder == ".ci");
    is_script || ending.is_some_and(|ending| ENDINGS_OF_TEXT.contains(&ending.as_ref()))
}

fn relative(root: &Path, file: &Path) -> String {
    file.strip_prefix(root).unwrap_or(file).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_checked_by_what_it_is() {
        assert!(check_file("README.md", "No Rust here {").is_empty());
        assert!(check_file("block/src/lib.rs", "//! What it is.\n").is_empty());
        assert_eq!(check_file("block/src/lib.rs", "//! What it is.\nfn main() {").len(), 1);
    }

    #[test]
    fn what_people_write_is_text() {
        for path in ["README.md", "block/src/lib.rs", ".ci/run", "deny.toml"] {
            assert!(is_text(Path::new(path)), "{path}");
        }
        for path in ["Cargo.lock", "LICENSE", "tests/data/pool.img"] {
            assert!(!is_text(Path::new(path)), "{path}");
        }
    }
}
