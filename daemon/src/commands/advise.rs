//! `forebay advise`: recommendations for a disk with their reasons; from the daemon, or computed from a trace
//! without one. The advice itself is in [`advice`]; this module collects its input and shows it.

mod apply;
mod show;
mod trace;

use std::path::Path;

use advice::AdviceDocument;
use base::error::{Error, ErrorKind, Result};
use base::names;
use base::units;
use serde_json::Value;

use super::client;
use crate::cli::Advise;
use crate::client::Client;
use crate::output::{self, list, text};

pub(super) fn run(options: &Advise) -> Result<()> {
    let document = document(options)?;
    match (options.reading.json, options.apply) {
        (false, _) => output::print(&show::text(&document))?,
        (true, false) => output::print(&format!("{document}\n"))?,
        // It is a part of what is printed in the end.
        (true, true) => {}
    }
    if let Some(wanted) = options.hit_ratio {
        check_wanted(&document, wanted)?;
    }
    if options.apply { apply::apply(options, &document) } else { Ok(()) }
}

/// Refuses if a wanted hit ratio cannot be reached.
///
/// # Errors
/// Names the disks, or the trace, that cannot reach it.
fn check_wanted(document: &Value, wanted: f64) -> Result<()> {
    let has = |advice: &&Value| {
        let size = &advice["size"];
        let fits = size["wanted_bytes"].as_u64().zip(size["advised"]["cache_bytes"].as_u64());
        fits.is_some_and(|(wanted, advised)| wanted <= advised)
    };
    let lacking = list(&document["advice"]).iter().filter(|advice| !has(advice));
    let names: Vec<String> = lacking.map(|advice| format!("'{}'", text(&advice["name"]))).collect();
    if names.is_empty() {
        return Ok(());
    }
    let wanted = units::percent(wanted);
    Err(Error::failed(format!(
        "Cannot advise a size with {wanted} hits for {}: see above why",
        names.join(", ")
    )))
}

fn document(options: &Advise) -> Result<Value> {
    let Some(target) = &options.target else { return of_all(options) };
    if Path::new(target).exists() && !is_disk(options, target) {
        if options.apply {
            return Err(Error::invalid(format!(
                "Cannot apply advice on a trace: '{target}' is no disk; run its command for the disk that it was recorded on"
            )));
        }
        let advice = trace::advice(options, Path::new(target))?;
        let document = serde_json::to_value(AdviceDocument::of(vec![advice]));
        return document
            .map_err(|error| Error::failed(format!("Cannot write the advice on {target}: {error}")));
    }
    of_disk(options, target)
}

/// Returns true if the name of a file here is that of a disk, too: then the disk is meant, as the file has
/// other names, such as `./web1`. Without a daemon there are no disks.
fn is_disk(options: &Advise, name: &str) -> bool {
    names::check(name).is_ok()
        && options.only_for_traces().is_none()
        && client(options.daemon()).is_ok_and(|client| client.get(&format!("/v1/disks/{name}")).is_ok())
}

fn of_all(options: &Advise) -> Result<Value> {
    refuse_options_of_traces(options, "all disks")?;
    client(options.daemon())?.get(&format!("/v1/advice{}", question(options)))
}

fn of_disk(options: &Advise, name: &str) -> Result<Value> {
    names::check(name).map_err(|problem| {
        Error::invalid(format!(
            "Cannot advise on '{}': there is no such file. {}",
            name.escape_debug(),
            problem.message
        ))
    })?;
    refuse_options_of_traces(options, &format!("disk '{name}'"))?;
    let client = client(options.daemon())?;
    let answer = client.get(&format!("/v1/disks/{name}/advice{}", question(options)));
    answer.map_err(|problem| match problem.kind {
        ErrorKind::Missing => with_names(&client, name, problem),
        _ => problem,
    })
}

fn refuse_options_of_traces(options: &Advise, what: &str) -> Result<()> {
    options.only_for_traces().map_or(Ok(()), |option| {
        Err(Error::invalid(format!(
            "Cannot advise on {what} with {option}, which is for traces; leave it out"
        )))
    })
}

fn question(options: &Advise) -> String {
    options.hit_ratio.map_or(String::new(), |ratio| format!("?hit_ratio={ratio}"))
}

/// Adds the names of the disks to a problem.
fn with_names(client: &Client, name: &str, problem: Error) -> Error {
    let Ok(document) = client.get("/v1/disks") else { return problem };
    let names: Vec<String> = list(&document["disks"]).iter().map(|disk| text(&disk["name"])).collect();
    let there = match names.as_slice() {
        [] => "none is served here; `forebay disk add` adds one".to_owned(),
        names => format!("the disks here are {}", names.join(", ")),
    };
    Error::missing(format!("There is neither a disk nor a file '{name}': {there}"))
}
