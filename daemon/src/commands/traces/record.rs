//! `forebay trace record`: records guests' requests to a served disk, until Ctrl-C or for a while.
//!
//! Chunks arrive from the daemon several times a second and are written as one trace. Whatever ends it, the
//! trace up to then is complete: also if the daemon ends, or the user ends the command. If it cannot be
//! written any more, or the command is killed, the file stays, and can be salvaged up to the last seconds.

use std::fs::File;
use std::io::{self, BufWriter, Cursor};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use api::document;
use base::error::{Error, Result};
use base::names;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use trace::{Options, Packer, Trace, Writer};

use super::output::TraceOutput;
use crate::cli::TraceRecord;
use crate::client::{Client, Pause};
use crate::commands::ending;
use crate::output;
use crate::replay::unreadable;

/// Time between requests for chunks. The daemon buffers a tenth of a second at 600,000 requests a second.
const INTERVAL: Duration = Duration::from_millis(100);

/// Time between flushes, up to which a trace can be salvaged.
const FLUSH_INTERVAL: Duration = Duration::from_secs(10);

/// The recording so far.
struct Recording {
    writer: Writer<Packer<BufWriter<File>>>,
    dropped: u64,
}

/// Reason for the end of a recording.
enum EndReason {
    /// The daemon sends no more.
    Cut(Error),
    /// The file cannot be written.
    Unwritten(io::Error),
}

pub(super) fn run(options: &TraceRecord) -> Result<()> {
    names::check(&options.name)?;
    let recordings = format!("/v1/disks/{}/recording", options.name);
    let client = crate::commands::client(&options.daemon)?;
    let output = TraceOutput::new(&options.output, options.to, |reason| {
        Error::invalid(format!("Cannot record into {}: {reason}", options.output.display()))
    })?;
    client.hear_ends()?;
    let unread = Arc::new(AtomicBool::new(false));
    ending::set_without_reader(Arc::clone(&unread));
    let number = client.post(&recordings, &json!({}))?["recording"]["number"].clone();
    let path = format!("{recordings}/{number}");
    let writer = output.create().inspect_err(|_| drop(client.delete_bytes(&path)))?;
    let began = Instant::now();
    let mut recording = Recording { writer, dropped: 0 };
    let ended = follow(options, &client, &path, &unread, &mut recording);
    let Recording { writer, dropped } = recording;
    let requests = writer.requests();
    let file = options.output.display();
    match ended {
        Ok(()) => output.finish(writer, dropped)?,
        Err(EndReason::Cut(problem)) => {
            output.finish(writer, dropped)?;
            let message =
                format!("{}; {requests} requests that came until then are in {file}", problem.message);
            return Err(Error { message, ..problem });
        }
        Err(EndReason::Unwritten(error)) => {
            drop(client.delete_bytes(&path));
            return Err(Error::failed(format!("Cannot write {file}: {error}; {}", output.left())));
        }
    }
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

/// Takes chunks until it is time to end, or the output has no reader any more.
fn follow(
    options: &TraceRecord,
    client: &Client,
    path: &str,
    unread: &AtomicBool,
    recording: &mut Recording,
) -> Result<(), EndReason> {
    let style = ProgressStyle::with_template("  {elapsed_precise}  {msg}")
        .expect("a constant that follows its rules");
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style);
    let began = Instant::now();
    let mut flushed = began;
    let mut is_over = false;
    while !is_over {
        let left =
            options.seconds.map(|seconds| Duration::from_secs(seconds).saturating_sub(began.elapsed()));
        let pause = client.pause(left.unwrap_or(INTERVAL).min(INTERVAL));
        is_over = pause == Pause::Interrupted
            || left.is_some_and(|left| left <= INTERVAL)
            || unread.load(Ordering::Relaxed);
        let piece =
            if is_over { client.delete_bytes(path) } else { client.post_bytes(&format!("{path}/take")) };
        recording.add(piece.map_err(EndReason::Cut)?)?;
        if flushed.elapsed() >= FLUSH_INTERVAL {
            recording.writer.flush().map_err(EndReason::Unwritten)?;
            flushed = Instant::now();
        }
        let (requests, dropped) = (recording.writer.requests(), recording.dropped);
        bar.set_message(format!("{requests} requests, {dropped} missing; Ctrl-C ends it"));
    }
    bar.finish_and_clear();
    Ok(())
}

impl Recording {
    fn add(&mut self, piece: Vec<u8>) -> Result<(), EndReason> {
        let piece = Trace::from_bytes("from the daemon", Cursor::new(piece), &Options::default());
        let mut piece = piece.map_err(|error| EndReason::Cut(unreadable(error)))?;
        for request in &mut piece {
            let request = request.map_err(|error| EndReason::Cut(unreadable(error)))?;
            self.writer.add(&request).map_err(EndReason::Unwritten)?;
        }
        self.dropped += piece.dropped();
        Ok(())
    }
}
