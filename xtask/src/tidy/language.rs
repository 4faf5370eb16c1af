//! Measures of the tree's language, each with a limit that may only fall.
//!
//! ```text
//!   Rust sources ── type names defined in several files of a crate, doc paragraphs that begin with a question word, banned words
//!   pages        ── banned words, sentences that are too long
//! ```
//! A count above its limit is a finding. A count below it is printed with the new limit, so that the gain is kept.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::source::{Token, comment};

/// Words with which a doc paragraph does not begin: its first word is a verb or a noun phrase.
const QUESTION_WORDS: &[&str] = &["What", "Who", "How", "Which", "So"];
/// Words for which the field has a term; docs/glossary.md has the terms.
const BANNED_WORDS: &[&str] = &["anew", "dear", "somebody", "tell", "tells", "told", "whoever"];
/// Words of a sentence from which on it is too long.
const SENTENCE_WORDS_MAX: usize = 30;
/// Pages whose language is not measured: the history of changes, and what is generated or stays as it was written.
const PAGES_LEFT_OUT: &[&str] = &["CHANGELOG.md", "docs/dev/notes/"];

/// One measure of the whole tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Measure {
    name: &'static str,
    count: usize,
    /// Out of so many.
    of: usize,
    /// The count that may not be exceeded.
    limit: usize,
}

/// Limits of the measures, in the order of [`measures`]. They may only fall.
const LIMITS: [usize; 5] = [0, 0, 0, 0, 42];

/// Returns a finding for each measure above its limit, and prints all of them. `sources` are Rust files with their tokens, `pages` those of
/// Markdown; both with their paths from the root.
pub(super) fn check<'a>(
    sources: &[(&'a str, &'a str, Vec<Token>)],
    pages: &[(&'a str, &'a str)],
) -> Vec<Finding> {
    let measures = measures(sources, pages);
    for measure in &measures {
        println!("language: {}: {} of {}", measure.name, measure.count, measure.of);
    }
    measures.iter().filter_map(Measure::judge).collect()
}

impl Measure {
    /// Returns a finding if the count is above its limit, and prints the new limit if it is below.
    fn judge(&self) -> Option<Finding> {
        let Self { name, count, limit, .. } = self;
        if count < limit {
            println!("note: The limit of '{name}' can fall from {limit} to {count}.");
        }
        let message =
            format!("{name}: {count}, where the limit is {limit}. Use the words of docs/glossary.md.");
        (count > limit).then(|| Finding::new(1, message))
    }
}

fn measures(sources: &[(&str, &str, Vec<Token>)], pages: &[(&str, &str)]) -> [Measure; 5] {
    let (twice, names) = names_in_several_files(sources);
    let paragraphs: Vec<String> =
        sources.iter().flat_map(|(_, content, _)| doc_paragraphs(content)).collect();
    let questions = paragraphs.iter().filter(|text| begins_with_question(text)).count();
    let comments = sources.iter().flat_map(|(_, content, _)| content.lines().filter_map(comment));
    let (banned_in_comments, words_of_comments) = banned(comments);
    let is_measured = |path: &str| !PAGES_LEFT_OUT.iter().any(|left_out| path.starts_with(left_out));
    let pages: Vec<&str> =
        pages.iter().filter(|(path, _)| is_measured(path)).map(|(_, content)| *content).collect();
    let prose: Vec<String> = pages.iter().map(|content| prose(content)).collect();
    let (banned_in_pages, words_of_pages) = banned(prose.iter().map(String::as_str));
    let sentences: Vec<usize> = prose.iter().flat_map(|text| sentence_lengths(text)).collect();
    let long = sentences.iter().filter(|words| **words > SENTENCE_WORDS_MAX).count();
    let counted = [
        ("type names defined in several files of their crate", twice, names),
        ("doc paragraphs that begin with What, Who, How, Which or So", questions, paragraphs.len()),
        ("banned words in comments", banned_in_comments, words_of_comments),
        ("banned words in pages", banned_in_pages, words_of_pages),
        ("sentences of pages with more than 30 words", long, sentences.len()),
    ];
    let mut limits = LIMITS.into_iter();
    counted.map(|(name, count, of)| Measure { name, count, of, limit: limits.next().unwrap_or_default() })
}

/// Returns how many type names are defined in more than one file of the sources of their crate, and how many names there are.
fn names_in_several_files(sources: &[(&str, &str, Vec<Token>)]) -> (usize, usize) {
    let mut files_of: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for (path, _, tokens) in sources {
        let Some((name_of_crate, _)) = path.split_once("/src/") else { continue };
        for pair in tokens.windows(2) {
            let is_definition = matches!(pair[0].text.as_str(), "struct" | "enum" | "trait");
            if is_definition && pair[1].text.starts_with(char::is_uppercase) {
                files_of.entry((name_of_crate, &pair[1].text)).or_default().insert(path);
            }
        }
    }
    (files_of.values().filter(|files| files.len() > 1).count(), files_of.len())
}

/// Returns the paragraphs of doc comments.
fn doc_paragraphs(content: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in content.lines() {
        let line = line.trim_start();
        let text = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim);
        match text {
            Some(text) if !text.is_empty() => {
                let paragraph = paragraphs.last_mut().expect("there is one");
                paragraph.push_str(text);
                paragraph.push(' ');
            }
            _ => paragraphs.push(String::new()),
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

fn begins_with_question(paragraph: &str) -> bool {
    let first = paragraph.split(|letter: char| !letter.is_alphanumeric()).next();
    first.is_some_and(|word| QUESTION_WORDS.contains(&word))
}

/// Returns how many banned words are in texts, and how many words these have.
fn banned<'a>(texts: impl Iterator<Item = &'a str>) -> (usize, usize) {
    let (mut found, mut all) = (0, 0);
    for word in texts.flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric() && letter != '-')) {
        all += usize::from(!word.is_empty());
        found += usize::from(BANNED_WORDS.iter().any(|banned| word.eq_ignore_ascii_case(banned)));
    }
    (found, all)
}

/// Returns the prose of a page: no code, no tables, no headings. Each item of a list is a sentence of its own.
fn prose(page: &str) -> String {
    let mut is_code = false;
    let mut prose = String::new();
    for line in page.lines() {
        let text = line.trim();
        if text.starts_with("```") {
            is_code = !is_code;
        } else if is_code || text.is_empty() || text.starts_with(['|', '#', '<']) {
            prose.push_str(". ");
        } else {
            let numbered = text.split_once(". ").filter(|(number, _)| number.parse::<u32>().is_ok());
            let item = text.strip_prefix("- ").or(numbered.map(|(_, item)| item));
            prose.push_str(if item.is_some() { ". " } else { " " });
            prose.push_str(item.unwrap_or(text));
        }
    }
    prose
}

/// Returns the numbers of words of the sentences of prose. Code between backticks is one word.
fn sentence_lengths(prose: &str) -> Vec<usize> {
    let spans = prose.split('`').enumerate();
    let plain: String = spans.map(|(at, span)| if at % 2 == 1 { "code" } else { span }).collect();
    let ends = [". ", "? ", "! "];
    let mut text = plain;
    for end in ends {
        text = text.replace(end, "\n");
    }
    let words = |sentence: &str| {
        sentence.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
    };
    text.lines().map(words).filter(|words| *words > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::source::tokens;

    fn source<'a>(path: &'a str, content: &'a str) -> (&'a str, &'a str, Vec<Token>) {
        (path, content, tokens(content).expect("the test writes Rust"))
    }

    #[test]
    fn a_name_counts_once_if_several_files_of_a_crate_define_it() {
        let sources = [
            source("cache/src/a.rs", "struct Kept; enum Own {}"),
            source("cache/src/b.rs", "pub struct Kept; trait Other {}"),
            source("cache/src/c.rs", "struct Kept;"),
            source("block/src/a.rs", "struct Own;"),
            source("cache/tests/a.rs", "struct Own;"),
        ];
        assert_eq!(names_in_several_files(&sources), (1, 4));
    }

    #[test]
    fn a_paragraph_of_docs_begins_with_a_verb_or_a_noun() {
        let content = "//! What it is.\n//!\n//! A segment.\nuse a;\n/// How\n/// it goes. What follows.\nfn f() {}\n/// Whatever.\nstruct A;\n";
        let paragraphs = doc_paragraphs(content);
        assert_eq!(paragraphs.len(), 4);
        assert_eq!(paragraphs.iter().filter(|text| begins_with_question(text)).count(), 2);
    }

    #[test]
    fn banned_words_are_whole_words() {
        let (found, all) = banned(["Somebody told it anew.", "retold telling"].into_iter());
        assert_eq!((found, all), (3, 6));
    }

    #[test]
    fn sentences_of_prose_are_measured_without_code_tables_and_headings() {
        let page = "# One two three\nOne two `a b c` four. Five\nsix.\n\n- Seven eight\n- nine\n\n| a | b |\n```sh\nx y z\n```\n1. Ten.\n";
        assert_eq!(sentence_lengths(&prose(page)), [4, 2, 2, 1, 1]);
    }

    #[test]
    fn more_than_the_limit_is_a_finding() {
        let judge = |count, limit| Measure { name: "words", count, of: 10, limit }.judge();
        assert_eq!((judge(3, 4), judge(4, 4)), (None, None));
        assert!(judge(5, 4).is_some_and(|finding| finding.message.contains("words: 5")));
    }

    #[test]
    fn pages_of_history_are_not_measured() {
        let pages = [("CHANGELOG.md", "told"), ("docs/dev/notes/a.md", "told"), ("docs/a.md", "told twice")];
        let counts = measures(&[], &pages).map(|measure| (measure.count, measure.of));
        assert_eq!(counts, [(0, 0), (0, 0), (0, 0), (1, 2), (0, 1)]);
    }
}
