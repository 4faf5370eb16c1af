//! `forebay trace record`: what guests ask of a served disk, until Ctrl-C or for a while.
//!
//! Pieces come from the daemon several times a second and are written as one trace. Whatever ends it, what came until then is a
//! whole trace: also if the daemon goes away.

use std::fs::File;
use std::io::{BufWriter, Cursor};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use trace::{Options, Packer, Trace, Writer};

use super::output::Output;
use crate::api::document;
use crate::cli::TraceRecord;
use crate::client::{Client, Pause};
use crate::problem::{Answer, Problem};
use crate::{names, output};

/// How often a piece is asked for. The daemon has room for a tenth of a second at 600,000 requests a second.
const INTERVAL: Duration = Duration::from_millis(100);

/// What was recorded so far.
struct Recording {
    writer: Writer<Packer<BufWriter<File>>>,
    dropped: u64,
}

pub(super) fn run(options: &TraceRecord) -> Answer<()> {
    names::check(&options.name)?;
    let path = format!("/v1/disks/{}/recording", options.name);
    let client = crate::commands::client(&options.daemon)?;
    let output = Output::new(&options.output, options.to, |reason| {
        Problem::invalid(format!("Cannot record into {}: {reason}", options.output.display()))
    })?;
    client.get(&format!("/v1/disks/{}", options.name))?;
    let writer = output.create()?;
    if let Err(problem) = client.post(&path, &json!({})) {
        output.give_up();
        return Err(problem);
    }
    let began = Instant::now();
    let mut recording = Recording { writer, dropped: 0 };
    let ended = follow(options, &client, &path, &mut recording);
    let Recording { writer, dropped } = recording;
    let requests = writer.requests();
    output.finish(writer, dropped)?;
    let file = options.output.display();
    ended.map_err(|problem| Problem {
        message: format!("{}; {requests} requests that came until then are in {file}", problem.message),
        ..problem
    })?;
    let seconds = began.elapsed().as_secs_f64();
    if options.json {
        let content = json!({
            "disk": options.name, "file": file.to_string(), "requests": requests, "dropped": dropped, "seconds": seconds,
        });
        return output::print(&format!("{}\n", document("recorded", content)));
    }
    let lost = if dropped > 0 {
        format!("; {dropped} came faster than they were taken and are missing")
    } else {
        String::new()
    };
    output::print(&format!(
        "{requests} requests of disk '{}' in {seconds:.0} s are in {file}{lost}\n",
        options.name
    ))
}

/// Takes pieces until it is time to end.
fn follow(options: &TraceRecord, client: &Client, path: &str, recording: &mut Recording) -> Answer<()> {
    let style = ProgressStyle::with_template("  {elapsed_precise}  {msg}")
        .expect("a constant that follows its rules");
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style);
    let began = Instant::now();
    let mut is_over = false;
    while !is_over {
        let left =
            options.seconds.map(|seconds| Duration::from_secs(seconds).saturating_sub(began.elapsed()));
        let pause = client.pause(left.unwrap_or(INTERVAL).min(INTERVAL));
        is_over = pause == Pause::Interrupted || left.is_some_and(|left| left <= INTERVAL);
        let piece =
            if is_over { client.delete_bytes(path) } else { client.post_bytes(&format!("{path}/take")) };
        recording.add(piece?, options)?;
        let (requests, dropped) = (recording.writer.requests(), recording.dropped);
        bar.set_message(format!("{requests} requests, {dropped} missing; Ctrl-C ends it"));
    }
    bar.finish_and_clear();
    Ok(())
}

impl Recording {
    fn add(&mut self, piece: Vec<u8>, options: &TraceRecord) -> Answer<()> {
        let mut piece = Trace::from_bytes("from the daemon", Cursor::new(piece), &Options::default())?;
        for request in &mut piece {
            self.writer.add(&request?).map_err(|error| {
                Problem::failed(format!("Cannot write {}: {error}; make room", options.output.display()))
            })?;
        }
        self.dropped += piece.dropped();
        Ok(())
    }
}
