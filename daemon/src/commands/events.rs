//! `forebay events`: events that an operator must know.

use std::io::{self, Write};
use std::time::Duration;

use base::error::{ErrorKind, Result};
use serde_json::Value;
use telemetry::events::Level;

use super::{client, ending};
use crate::cli::Events;
use crate::client::Client;
use crate::output::{self, list, text};

/// Time that one request waits for an event, in seconds.
const WAIT: u64 = 30;
/// Time between requests to a daemon that does not answer.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

pub(super) fn run(options: &Events) -> Result<()> {
    let client = client(&options.reading.daemon)?;
    if options.follow {
        ending::exit_without_reader();
    }
    let document = match client.get("/v1/events") {
        Err(problem) if options.follow && problem.kind == ErrorKind::Unavailable => {
            return follow(options, &client, 0);
        }
        answer => answer?,
    };
    let seen = newest(&document).unwrap_or(0);
    let shown = at_least(document, options.level);
    output::print(&if options.reading.json { format!("{shown}\n") } else { show(&shown) })?;
    if options.follow { follow(options, &client, seen) } else { Ok(()) }
}

/// Prints new events, until Ctrl-C. Waits for a daemon that does not answer.
fn follow(options: &Events, client: &Client, mut seen: u64) -> Result<()> {
    let mut is_away = false;
    loop {
        let document = match client.get(&format!("/v1/events?after={seen}&wait={WAIT}")) {
            Ok(document) => document,
            Err(problem) if problem.kind == ErrorKind::Unavailable => {
                if !std::mem::replace(&mut is_away, true) {
                    // Not `eprintln!`, which panics if that cannot be written.
                    writeln!(io::stderr(), "{problem}. Waiting for it").unwrap_or(());
                }
                // A handler of the runtime would take Ctrl-C from everything later.
                std::thread::sleep(RETRY_INTERVAL);
                continue;
            }
            Err(problem) => return Err(problem),
        };
        is_away = false;
        seen = newest(&document).unwrap_or(seen);
        let shown = at_least(document, options.level);
        if !list(&shown["events"]).is_empty() {
            output::print(&if options.reading.json { format!("{shown}\n") } else { show(&shown) })?;
        }
    }
}

/// Returns the id of the last event in a document.
fn newest(document: &Value) -> Option<u64> {
    list(&document["events"]).last()?["id"].as_u64()
}

/// Returns a document without events of lower levels.
fn at_least(mut document: Value, level: Level) -> Value {
    if let Some(events) = document["events"].as_array_mut() {
        // Levels of a later daemon, unknown here, are shown.
        let level_of = |event: &Value| event["level"].as_str().and_then(Level::of_name);
        events.retain(|event| level_of(event).is_none_or(|found| found >= level));
    }
    document
}

/// Returns one line for each event, and one more for its remedy.
fn show(document: &Value) -> String {
    let line = |event: &Value| {
        let disk = text(&event["disk"]);
        let (time, level) = (text(&event["time"]), text(&event["level"]));
        let advice = event["advice"]
            .as_str()
            .map_or(String::new(), |_| format!("    What to do: {}\n", text(&event["advice"])));
        format!("{time}  {level:<7}  {disk:<12}  {}\n{advice}", text(&event["message"]))
    };
    list(&document["events"]).iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document() -> Value {
        json!({ "schema": 1, "events": [
            { "id": 7, "time": "2026-11-22T07:00:00Z", "level": "info", "kind": "disk-added", "disk": "a",
              "message": "Disk 'a' was added", "advice": null },
            { "id": 8, "time": "2026-11-22T07:00:01Z", "level": "error", "kind": "pool-failed", "disk": null,
              "message": "The flash failed", "advice": "Replace it." },
        ]})
    }

    #[test]
    fn an_event_is_a_line_and_what_to_do_stands_below() {
        assert_eq!(
            show(&document()),
            "2026-11-22T07:00:00Z  info     a             Disk 'a' was added\n\
             2026-11-22T07:00:01Z  error    -             The flash failed\n    What to do: Replace it.\n"
        );
        assert_eq!(newest(&document()), Some(8));
        assert_eq!(newest(&json!({ "events": [] })), None);
    }

    #[test]
    fn what_is_less_bad_is_left_out() {
        for (level, ids) in [(Level::Info, vec![7, 8]), (Level::Warning, vec![8]), (Level::Error, vec![8])] {
            let left = at_least(document(), level);
            let found: Vec<u64> =
                list(&left["events"]).iter().filter_map(|event| event["id"].as_u64()).collect();
            assert_eq!((found, &left["schema"]), (ids, &1.into()));
        }
    }
}
