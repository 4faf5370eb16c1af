//! `forebay advise --apply`: shows the changes that advice means, asks, makes them, and prints the command that takes them back.

use std::collections::BTreeMap;
use std::io::IsTerminal;

use api::SetDisk;
use base::error::{Error, Result};
use serde_json::{Value, json};

use crate::cli::Advise;
use crate::client::Client;
use crate::commands::disk::{self, path_of};
use crate::commands::{accept, client, destage};
use crate::output::{self, list, text};

/// Changes of one disk.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    name: String,
    /// Values now, by key.
    before: BTreeMap<String, String>,
    /// Values that are advised, by key.
    after: BTreeMap<String, String>,
    /// Cached data that another block size drops, as text; none if nothing is dropped.
    dropped: Option<String>,
}

/// Applies the advice of a document. Shows the changes, and asks before unless `--yes` was given.
///
/// # Errors
/// If the answer is no, or there is no terminal to ask at: then nothing has changed. If a disk refuses, with the command that takes back what
/// was changed until then.
pub(super) fn apply(options: &Advise, document: &Value) -> Result<()> {
    let client = client(options.daemon())?;
    let changes = changes(&client, document)?;
    if options.reading.json && !options.yes {
        return Err(Error::invalid("Cannot ask in a document: give --json together with --yes"));
    }
    if !options.reading.json {
        output::print(&described(&changes))?;
    }
    if changes.is_empty() {
        return if options.reading.json { print_document(document, &[]) } else { Ok(()) };
    }
    if !options.yes {
        if !std::io::stdin().is_terminal() {
            return Err(Error::invalid(
                "There is no terminal to ask at, and nothing was changed: give --yes to change it unasked",
            ));
        }
        accept::confirm("Make these changes? [y/N] ")?;
    }
    let mut made = Vec::new();
    for (index, change) in changes.iter().enumerate() {
        let refused = |problem: Error| with_undo(&problem, &change.name, &changes[..index]);
        made.push(change.make(&client).map_err(refused)?);
    }
    if options.reading.json {
        return print_document(document, &changes);
    }
    // All of it is printed before anything is awaited, so that a user who stops waiting knows how to take it back.
    let keys = |change: &Change| change.after.keys().cloned().collect::<Vec<_>>();
    let changed: String =
        changes.iter().zip(&made).map(|(change, disk)| disk::changed(disk, &keys(change))).collect();
    output::print(&format!("{changed}\nTo take it back:\n  {}\n", undo(&changes)))?;
    for (change, disk) in changes.iter().zip(&made).filter(|(change, _)| change.ends_write_back()) {
        destage::after_write_back(&client, &change.name, disk, false)?;
    }
    Ok(())
}

/// Returns the changes that the advice in a document means. Keys that already have the advised value are not among them.
fn changes(client: &Client, document: &Value) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    for advice in list(&document["advice"]) {
        let advised = advice["keys"].as_object().into_iter().flatten();
        let advised: BTreeMap<String, String> =
            advised.map(|(key, value)| (key.clone(), text(value))).collect();
        if advised.is_empty() {
            continue;
        }
        let name = text(&advice["name"]);
        let disk = client.get(&path_of(&name)?)?;
        changes.extend(Change::of(name, &disk["disk"], advised));
    }
    Ok(changes)
}

impl Change {
    /// Returns the change of a disk to advised values; none if it has them.
    fn of(name: String, disk: &Value, mut after: BTreeMap<String, String>) -> Option<Self> {
        let now = |key: &str| text(&disk["settings"][key]);
        after.retain(|key, value| now(key) != *value);
        let before: BTreeMap<String, String> = after.keys().map(|key| (key.clone(), now(key))).collect();
        let dropped = disk::dropped(disk, &after);
        (!after.is_empty()).then_some(Self { name, before, after, dropped })
    }

    /// Makes the change, and returns the disk as it is then.
    ///
    /// # Errors
    /// If the daemon refuses it: then nothing has changed.
    fn make(&self, client: &Client) -> Result<Value> {
        let settings = SetDisk { settings: self.after.clone(), drop_cached: self.dropped.is_some() };
        Ok(client.patch(&path_of(&self.name)?, &settings)?["disk"].take())
    }

    fn ends_write_back(&self) -> bool {
        self.before.get("mode").is_some_and(|mode| mode == "write-back")
    }

    /// Returns the command that sets the earlier values. It does not ask whether an earlier block size may drop what is cached by then.
    fn undo(&self) -> String {
        let keys: Vec<String> = self.before.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let unasked = if self.before.contains_key("block-size") { " --yes" } else { "" };
        format!("forebay disk set {} {}{unasked}", self.name, keys.join(" "))
    }
}

/// Returns the command line that takes changes back, the last one first.
fn undo(changes: &[Change]) -> String {
    changes.iter().rev().map(Change::undo).collect::<Vec<_>>().join(" && ")
}

/// Returns the changes, a line for each key.
fn described(changes: &[Change]) -> String {
    if changes.is_empty() {
        return "\nThere is nothing to change.\n".to_owned();
    }
    let mut described = "\nChanges:\n".to_owned();
    for Change { name, before, after, dropped } in changes {
        for ((key, before), after) in before.iter().zip(after.values()) {
            described.extend([format!("  {name}: {key} {before} -> {after}\n")]);
        }
        if let Some(dropped) = dropped {
            described.extend([format!(
                "  {name}: another block size drops its cached data on flash, {dropped}\n"
            )]);
        }
    }
    described
}

/// Adds the disks that were changed before one refused, and the command that takes that back.
fn with_undo(problem: &Error, name: &str, made: &[Change]) -> Error {
    let before = if made.is_empty() {
        "nothing was changed".to_owned()
    } else {
        format!("what was changed until then is taken back by: {}", undo(made))
    };
    Error::new(problem.kind, format!("Cannot change disk '{name}': {}; {before}", problem.message))
}

/// Prints the advice, the changes and the command that takes them back as one document.
fn print_document(document: &Value, changes: &[Change]) -> Result<()> {
    let applied = changes
        .iter()
        .map(|change| json!({ "name": change.name, "before": change.before, "after": change.after }));
    let mut document = document.clone();
    document["applied"] = applied.collect();
    document["undo"] = if changes.is_empty() { Value::Null } else { undo(changes).into() };
    output::print(&format!("{document}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys<const N: usize>(keys: [(&str, &str); N]) -> BTreeMap<String, String> {
        keys.map(|(key, value)| (key.to_owned(), value.to_owned())).into()
    }

    fn disk() -> Value {
        json!({ "settings": { "limit": "auto", "ram": "32MiB", "block-size": "64KiB" }, "statistics": { "cached_bytes": 1 << 30 } })
    }

    #[test]
    fn a_change_has_what_differs_and_its_undo_has_what_was() {
        let advised = keys([("limit", "12GiB"), ("ram", "32MiB")]);
        let change = Change::of("web1".to_owned(), &disk(), advised).expect("the limit differs");
        assert_eq!(change.after, keys([("limit", "12GiB")]));
        assert_eq!(change.undo(), "forebay disk set web1 limit=auto");
        assert_eq!(change.dropped, None);
        assert_eq!(Change::of("web1".to_owned(), &disk(), keys([("ram", "32MiB")])), None);
        let blocks =
            Change::of("web1".to_owned(), &disk(), keys([("block-size", "4KiB")])).expect("it differs");
        let said = described(std::slice::from_ref(&blocks));
        assert!(
            said.contains("web1: block-size 64KiB -> 4KiB\n") && said.contains("drops its cached data"),
            "{said}"
        );
        assert!(said.contains("1GiB"), "{said}");
        assert_eq!(
            undo(&[change, Change { name: "web2".to_owned(), ..blocks }]),
            "forebay disk set web2 block-size=64KiB --yes && forebay disk set web1 limit=auto"
        );
    }

    #[test]
    fn a_refusal_has_the_command_that_takes_back_what_was_changed_before_it() {
        let change = Change::of("web1".to_owned(), &disk(), keys([("limit", "12GiB")])).expect("it differs");
        let refused = |made: &[Change]| with_undo(&Error::conflict("no room"), "web2", made).message;
        assert_eq!(refused(&[]), "Cannot change disk 'web2': no room; nothing was changed");
        assert!(refused(&[change]).ends_with("taken back by: forebay disk set web1 limit=auto"));
    }
}
