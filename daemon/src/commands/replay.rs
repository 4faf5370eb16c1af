//! `forebay replay`: a trace driven against a served disk, with its content checked.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use api::document;
use base::error::{Error, Result};
use base::{bounded, names};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;
use trace::Trace;

use super::traces::ReadProgress;
use super::{client, ending};
use crate::cli::Replay;
use crate::client::Client;
use crate::output;
use crate::replay::{
    BeyondEnd, EarlierLatencies, Pace, Plan, Ratio, ReplayProgress, ReplayResult, json, table, unreadable,
};

/// Time until guests that have left are no longer counted, and between polls of the daemon.
const LEAVING_MAX: Duration = Duration::from_secs(1);
const ASK_AGAIN: Duration = Duration::from_millis(20);

/// Time between updates of the progress bar, and between lines of progress without a terminal.
const BAR_INTERVAL: Duration = Duration::from_millis(500);
const LINE_INTERVAL: Duration = Duration::from_secs(10);
/// Exit status of a replay that was stopped, as shells have it for Ctrl-C.
const STOPPED_STATUS: i32 = 130;

pub(super) fn run(options: &Replay) -> Result<()> {
    names::check(&options.disk)?;
    let earlier = options.before.as_deref().map(earlier).transpose()?;
    let client = client(&options.reading.daemon)?;
    let plan = plan(options, &client)?;
    plan.check()?;
    let before = ratio(&client, &plan.disk)?;
    let stop = Arc::new(AtomicBool::new(false));
    ending::set_on_signal(Arc::clone(&stop))?;
    ending::set_without_reader(Arc::clone(&stop));
    let mut progress = ReplayProgressBar::new(plan.survey.requests);
    let outcome = plan.run(&stop, |so_far| progress.show(so_far));
    progress.bar.finish_and_clear();
    let outcome = outcome?;
    let hit_ratio = ratio(&client, &plan.disk)?.since(before);
    if options.reading.json {
        output::print(&format!(
            "{}\n",
            document("replay", json(&plan, &outcome, hit_ratio, earlier.as_ref()))
        ))?;
    } else {
        output::print(&table(&plan, &outcome, hit_ratio, earlier.as_ref()))?;
    }
    judge(&plan, &outcome)?;
    if !outcome.is_complete {
        // As after a signal: the results are those of a part of the trace.
        std::process::exit(STOPPED_STATUS);
    }
    Ok(())
}

fn plan(options: &Replay, client: &Client) -> Result<Plan> {
    let Replay { trace, disk, .. } = options;
    let read_as = options.options.into();
    check_file(trace)?;
    let mut progress = ReadProgress::for_file(trace);
    let survey = Trace::survey(trace, &read_as, |bytes| progress.update(bytes));
    progress.end();
    let survey = survey.map_err(unreadable)?;
    let document = when_unused(client, &format!("/v1/disks/{disk}"))?;
    let found = &document["disk"];
    let refuse = |reason: String| {
        Error::conflict(format!("Cannot replay {} on disk '{disk}': {reason}", trace.display()))
    };
    let (Some(disk_bytes), Some(socket)) = (found["size_bytes"].as_u64(), found["nbd_socket"].as_str())
    else {
        return Err(refuse(format!(
            "it is {}; see `forebay disk show {disk}`",
            output::text(&found["state"])
        )));
    };
    if survey.writes > 0 {
        if found["read_only"] == Value::Bool(true) {
            return Err(refuse("the trace writes, and the disk is read-only".to_owned()));
        }
        // A guest that uses the disk would lose its data.
        if let Some(guests @ 1..) = found["connections"].as_u64() {
            return Err(refuse(format!(
                "the trace writes, and {guests} guests use the disk; use a disk of its own"
            )));
        }
    }
    let pace = match options.speed {
        _ if options.as_fast_as_possible => Pace::AsFastAsPossible,
        speed => Pace::Recorded { speed: speed.unwrap_or(1.0) },
    };
    Ok(Plan {
        trace: trace.clone(),
        options: read_as,
        disk: disk.clone(),
        socket: PathBuf::from(socket),
        disk_bytes,
        pace,
        beyond: if options.wrap { BeyondEnd::Wrap } else { BeyondEnd::Refuse },
        survey,
    })
}

/// Checks that a trace can be read twice: errors in it are found before anything is sent. Data from a pipe
/// would be gone.
///
/// # Errors
/// If it exists and is not a regular file. A missing file is reported when it is opened.
fn check_file(trace: &Path) -> Result<()> {
    match std::fs::metadata(trace) {
        Ok(metadata) if !metadata.is_file() => Err(Error::invalid(format!(
            "Cannot replay {}: it is no regular file, and a trace is read twice; write it into one",
            trace.display()
        ))),
        _ => Ok(()),
    }
}

/// Returns the output of an earlier replay.
fn earlier(file: &Path) -> Result<EarlierLatencies> {
    let name = file.display();
    let text = bounded::read_text(file, bounded::PRINTED_BYTES_MAX).map_err(|error| {
        Error::invalid(format!("Cannot read {name}: {error}; check path and permissions"))
    })?;
    EarlierLatencies::read(&name.to_string(), &text)
}

/// Returns the description of a disk at `path` once it has no users; with its users, if it still has some
/// after a while. A guest that has just left may still be counted.
fn when_unused(client: &Client, path: &str) -> Result<Value> {
    let asked_first = Instant::now();
    loop {
        let document = client.get(path)?;
        if document["disk"]["connections"] == 0 || asked_first.elapsed() > LEAVING_MAX {
            return Ok(document);
        }
        std::thread::sleep(ASK_AGAIN);
    }
}

fn ratio(client: &Client, disk: &str) -> Result<Ratio> {
    Ok(Ratio::from_statistics(&client.get(&format!("/v1/stats/{disk}"))?["disks"][0]))
}

/// Progress of a replay: a bar on a terminal, else a line at intervals.
struct ReplayProgressBar {
    bar: ProgressBar,
    requests: u64,
    began: Instant,
    next_line: Duration,
}

impl ReplayProgressBar {
    fn new(requests: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(requests), ProgressDrawTarget::stderr());
        let template = "  {bar:20} {human_pos}/{human_len}  {per_sec}  {elapsed_precise}, {eta} left  {msg}";
        let style = ProgressStyle::with_template(template);
        let bar = bar.with_style(style.expect("the template is a constant that follows its rules"));
        bar.enable_steady_tick(BAR_INTERVAL);
        Self { bar, requests, began: Instant::now(), next_line: LINE_INTERVAL }
    }

    fn show(&mut self, so_far: ReplayProgress) {
        let ReplayProgress { done, failed } = so_far;
        self.bar.set_position(done);
        if failed > 0 {
            self.bar.set_message(format!("{failed} FAILED"));
        }
        let elapsed = self.began.elapsed();
        if self.bar.is_hidden() && elapsed >= self.next_line {
            self.next_line = elapsed + LINE_INTERVAL;
            let (requests, seconds) = (self.requests, elapsed.as_secs());
            // Not `eprintln!`, which panics if that cannot be written.
            writeln!(io::stderr(), "{done} of {requests} requests after {seconds} s, {failed} failed")
                .unwrap_or(());
        }
    }
}

/// Returns an error for wrong content or failed requests, whatever else succeeded.
fn judge(plan: &Plan, outcome: &ReplayResult) -> Result<()> {
    let ReplayResult { mismatches, errors, first_mismatch, first_error, .. } = outcome;
    let Some(first) = first_mismatch.as_ref().or(first_error.as_ref()) else { return Ok(()) };
    Err(Error::failed(format!(
        "Replay of {} on disk '{}': {mismatches} reads found wrong content and {errors} requests failed, such as: {first}; \
         see `forebay stats {}` for errors of flash and backing",
        plan.trace.display(),
        plan.disk,
        plan.disk
    )))
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    #[test]
    fn a_trace_that_cannot_be_read_twice_is_refused() {
        let folder = TempDir::new();
        let file = folder.path().join("a.ids");
        std::fs::write(&file, "7\n").expect("the folder is ours");
        assert!(check_file(&file).is_ok());
        assert!(check_file(Path::new("/no/such")).is_ok(), "told when it is opened");
        for path in [folder.path(), Path::new("/dev/null")] {
            let message = check_file(path).expect_err("it is no file").message;
            assert!(message.contains("no regular file"), "{message}");
        }
    }
}
