//! Advice for people: sentences, each with its topic, and the command at the end. Lines fit 80 columns,
//! except for the command, which is to be copied.

use base::wrap::hanging;
use serde_json::Value;

use crate::output::{list, text as words};

/// Column in which sentences begin.
const INDENT: usize = 14;

/// Returns the text of the whole document.
pub(super) fn text(document: &Value) -> String {
    let all = list(&document["advice"]);
    if all.is_empty() {
        return "No disks are served: `forebay disk add` adds one\n".to_owned();
    }
    all.iter().map(one).collect::<Vec<_>>().join("\n")
}

fn one(advice: &Value) -> String {
    let what = if advice["source"] == "trace" { "Trace" } else { "Disk" };
    // The first sentence is the conclusion.
    let (first, others) = match list(&advice["sentences"]) {
        [first, others @ ..] => (words(&first["text"]), others),
        [] => (String::new(), &[][..]),
    };
    let mut text = hanging("", &format!("{what} {}: {first}", words(&advice["name"])), 2);
    for sentence in others {
        let about = words(&sentence["about"]);
        text.push_str(&paragraph(if about == "verdict" { "" } else { &about }, &words(&sentence["text"])));
    }
    for warning in list(&advice["warnings"]) {
        text.push_str(&paragraph("warning", &words(&warning["text"])));
    }
    if let Some(command) = advice["command"].as_str() {
        text.extend(["\n  ", command, "\n"]);
    } else if advice["verdict"] == "can-help" {
        text.push_str("\n  It is as it should be: nothing is to be changed.\n");
    }
    text
}

/// Returns wrapped text with its topic in front.
fn paragraph(about: &str, text: &str) -> String {
    let width = if about.is_empty() { 0 } else { INDENT - 2 };
    let start = format!("  {about:width$}");
    hanging(&start, text, start.chars().count())
}

#[cfg(test)]
mod tests {
    use base::wrap::WIDTH;
    use serde_json::json;

    use super::*;

    #[test]
    fn sentences_stand_beside_what_they_are_about_and_fit_80_columns() {
        let long = "word ".repeat(40);
        let document = json!({ "schema": 1, "advice": [{
            "source": "disk", "name": "web1", "verdict": "can-help",
            "sentences": [{ "about": "verdict", "text": "A cache helps." }, { "about": "block-size", "text": long }],
            "warnings": [{ "kind": "too-large", "text": "Too large." }],
            "command": "forebay disk set web1 limit=3GiB",
        }]});
        let shown = text(&document);
        assert!(shown.starts_with("Disk web1: A cache helps.\n  block-size  word word"), "{shown}");
        assert!(
            shown.contains("\n              word word") && shown.contains("\n  warning     Too large.\n"),
            "{shown}"
        );
        assert!(shown.ends_with("\n\n  forebay disk set web1 limit=3GiB\n"), "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= WIDTH), "{shown}");
    }

    #[test]
    fn no_disks_and_nothing_to_change_are_said() {
        assert!(text(&json!({ "advice": [] })).contains("No disks are served"));
        let of = |verdict: &str| {
            text(
                &json!({ "advice": [{ "source": "trace", "name": "t", "verdict": verdict, "sentences": [], "warnings": [], "command": null }] }),
            )
        };
        assert!(of("can-help").contains("nothing is to be changed"));
        assert_eq!(of("too-little-seen"), "Trace t:\n");
    }
}
