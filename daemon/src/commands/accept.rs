//! `forebay disk accept`: an operator's confirmation of a backing, after it was compared with the cache.

use std::io::{BufRead, IsTerminal, Read, Write};

use api::AcceptDisk;
use base::error::{Error, Result};
use serde_json::Value;

use super::disk::path_of;
use super::{client, print_change};
use crate::cli::DiskAccept;
use crate::output::{self, number, size};

/// The longest answer to a question, in bytes.
const ANSWER_BYTES_MAX: u64 = 256;

pub(super) fn accept(options: &DiskAccept) -> Result<()> {
    let DiskAccept { name, yes, despite_differences, reading } = options;
    let (despite_differences, path) = (*despite_differences, format!("{}/accept", path_of(name)?));
    let client = client(&reading.daemon)?;
    if !yes {
        let document = client.post(&path, &AcceptDisk::default())?;
        let acceptance = &document["acceptance"];
        let found = found(name, acceptance);
        if acceptance["pages_different"] != 0 && !despite_differences {
            return Err(Error::conflict(format!(
                "{found}. The backing differs from the cached data: restore the disk's own backing, or serve this one \
                 with --despite-differences. Nothing was changed"
            )));
        }
        ask(name, &found)?;
    }
    let document = client.post(&path, &AcceptDisk { accept: true, despite_differences })?;
    let acceptance = &document["acceptance"];
    let served = format!(
        "Disk '{name}' is served with {} that its backing does not have yet ({})\n",
        size(&acceptance["dirty_bytes"]),
        compared(acceptance)
    );
    print_change(reading, &document, &served)
}

/// Returns a text with the number of pages that were compared in an accepted backing.
fn compared(acceptance: &Value) -> String {
    if acceptance["pages_compared"] == 0 {
        return "nothing clean is cached, so nothing could be compared: only your confirmation decided"
            .to_owned();
    }
    format!(
        "{} of {} compared pages differ",
        number(&acceptance["pages_different"]),
        number(&acceptance["pages_compared"])
    )
}

/// Returns the result of a comparison, as sentences without the last full stop.
fn found(name: &str, acceptance: &Value) -> String {
    let doubt = match acceptance["doubt"].as_str() {
        Some(doubt) => format!("Disk '{name}' waits: {doubt}"),
        None => format!("Nothing of the backing of disk '{name}' is in doubt"),
    };
    let compared = if acceptance["pages_compared"] == 0 {
        "no clean page is cached that could be compared with the backing, so only your confirmation decides"
            .to_owned()
    } else {
        format!(
            "{} of {} clean pages on flash were compared with the backing, and {} differ",
            number(&acceptance["pages_compared"]),
            number(&acceptance["pages_cached"]),
            number(&acceptance["pages_different"])
        )
    };
    format!("{doubt}. Flash has {} for it; {compared}", size(&acceptance["dirty_bytes"]))
}

/// Asks the user at the terminal.
///
/// # Errors
/// If there is no terminal, or the answer is no.
fn ask(name: &str, found: &str) -> Result<()> {
    if !std::io::stdin().is_terminal() {
        return Err(Error::invalid(format!(
            "{found}. There is no terminal to ask at, and nothing was changed: forebay disk accept {name} --yes serves the disk"
        )));
    }
    confirm(&format!("{found}.\nServe the disk on this backing, and destage its dirty data to it? [y/N] "))
}

/// Asks a question at the terminal.
///
/// # Errors
/// If the answer is not yes.
pub(super) fn confirm(question: &str) -> Result<()> {
    output::print(question)?;
    let mut answer = String::new();
    let read = std::io::stdout()
        .flush()
        .and_then(|()| std::io::stdin().lock().take(ANSWER_BYTES_MAX).read_line(&mut answer));
    match read {
        Ok(_) if ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()) => Ok(()),
        _ => Err(Error::invalid("The answer was no: nothing was changed".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn an_acceptance_without_a_compared_page_says_that_nothing_was_compared() {
        let said =
            |compared: u64| super::compared(&json!({ "pages_compared": compared, "pages_different": 0 }));
        assert!(said(0).starts_with("nothing clean is cached, so nothing could be compared"), "{}", said(0));
        assert_eq!(said(7), "0 of 7 compared pages differ");
    }
}
