//! Events on disk: `DIR/events.jsonl`, one a line, the newest at the end.
//!
//! ```text
//!   {"schema":1,"boot":"..."}                                         the boot of the host at the last start
//!   {"id":7,"at":1795281309,"kind":"disk-added","disk":"a","message":"..."}
//! ```
//! A line is written and synced before the event can be read, so that an id which was visible is never assigned again. The newest events
//! replace the file when it has twice as many lines as are kept, and at each start. A file that cannot be read is never deleted: it is
//! renamed, and the readable part is kept.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use base::durable;
use base::moment::Moment;
use serde::{Deserialize, Serialize};

use super::Event;

/// Version of the file.
const SCHEMA: u64 = 1;
const FILE_NAME: &str = "events.jsonl";
/// Number of events kept, in the file and in memory; older ones are dropped.
pub(super) const EVENTS_MAX: usize = 1_000;
/// Lines after which the file is replaced by the newest events.
const LINES_MAX: usize = 2 * EVENTS_MAX;
/// Maximum size of the file in bytes, far above that of so many lines. A larger file is not one of ours.
const BYTES_MAX: u64 = 32 << 20;
/// Upper bound of ids: readers have integers of 53 bits, and there is always a next one.
const ID_MAX: u64 = 1 << 53;

#[derive(Serialize, Deserialize)]
struct Header {
    schema: u64,
    boot: String,
}

/// The end of the last run of the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// There was no earlier run, or nothing is known of it.
    Unknown,
    /// It stopped.
    Clean,
    /// It did not stop, and the host has not been booted since.
    Killed,
    /// It did not stop, and the host was booted since.
    HostWentDown,
}

/// Files and figures that an earlier run left.
#[derive(Debug, Default, PartialEq, Eq)]
struct StoredEvents {
    events: VecDeque<Event>,
    boot: String,
    id_max: u64,
    /// Reason why some of it cannot be read.
    fault: Option<String>,
}

/// Result of opening the file at the start.
pub(super) struct Opened {
    pub(super) file: EventFile,
    pub(super) events: VecDeque<Event>,
    /// Id of the next event.
    pub(super) id: u64,
    pub(super) ending: Ending,
    /// The file that could not be read, and its new name.
    pub(super) complaint: Option<String>,
}

/// The file, written by one thread.
pub(super) struct EventFile {
    dir: PathBuf,
    boot: String,
    /// None if the file is to be replaced before the next append.
    file: Option<File>,
    lines: usize,
}

impl EventFile {
    /// Reads the events kept in `dir`. Never fails: a file that cannot be read is set aside and reported.
    pub(super) fn open(dir: &Path) -> Opened {
        let found = read(dir).unwrap_or_else(|fault| StoredEvents { fault, ..StoredEvents::default() });
        let boot = boot();
        let complaint = found.fault.as_ref().map(|fault| set_aside(dir, fault));
        let ending = found.ending(&boot);
        let id = found.id_max.max(found.events.back().map_or(0, |event| event.id)) + 1;
        let file = Self { dir: dir.to_owned(), boot, file: None, lines: 0 };
        Opened { file, events: found.events, id, ending, complaint }
    }

    /// Makes `event` durable, the newest of `all`.
    ///
    /// # Errors
    /// The error of the system; the next call tries to write all of them.
    pub(super) fn add(&mut self, event: &Event, all: &VecDeque<Event>) -> io::Result<()> {
        let added = match self.file.take().filter(|_| self.lines < LINES_MAX) {
            Some(mut file) => append(&mut file, event).map(|()| file),
            None => self.replace(all),
        };
        // After a failure the file may end with half a line: nothing is appended to it.
        self.file = Some(added?);
        self.lines += 1;
        Ok(())
    }

    fn replace(&mut self, all: &VecDeque<Event>) -> io::Result<File> {
        let header = Header { schema: SCHEMA, boot: self.boot.clone() };
        let mut text = line(&header);
        for event in all {
            text.extend(line(event));
        }
        durable::replace(&self.dir, FILE_NAME, &text).map_err(|not| not.error)?;
        self.lines = all.len();
        File::options().append(true).open(self.dir.join(FILE_NAME))
    }
}

impl StoredEvents {
    fn ending(&self, boot: &str) -> Ending {
        match self.events.back() {
            None => Ending::Unknown,
            Some(last) if last.kind.ends_a_run() => Ending::Clean,
            Some(_) if self.boot.is_empty() || boot.is_empty() => Ending::Unknown,
            Some(_) if self.boot == boot => Ending::Killed,
            Some(_) => Ending::HostWentDown,
        }
    }
}

fn line(content: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(content).expect("plain data with text keys");
    line.push(b'\n');
    line
}

fn append(file: &mut File, event: &Event) -> io::Result<()> {
    file.write_all(&line(event))?;
    file.sync_data()
}

/// Reads the file in `dir`. A missing file counts as empty.
///
/// # Errors
/// Reason why nothing of the file can be read.
fn read(dir: &Path) -> Result<StoredEvents, Option<String>> {
    let mut text = Vec::new();
    let file = match File::open(dir.join(FILE_NAME)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(StoredEvents::default()),
        file => file.map_err(|error| Some(error.to_string()))?,
    };
    file.take(BYTES_MAX + 1).read_to_end(&mut text).map_err(|error| Some(error.to_string()))?;
    if text.len() as u64 > BYTES_MAX {
        return Err(Some("it is too large to be what this Forebay wrote".to_owned()));
    }
    Ok(parse(&text))
}

/// Parses the readable events in the text of a file.
fn parse(text: &[u8]) -> StoredEvents {
    let mut found = StoredEvents::default();
    let mut lines = text.split_inclusive(|byte| *byte == b'\n').enumerate();
    let Some((_, first)) = lines.next() else { return found };
    match serde_json::from_slice::<Header>(first) {
        Ok(header) if header.schema == SCHEMA => found.boot = header.boot,
        Ok(header) => {
            found.fault = Some(format!("it has schema {}, and this Forebay knows {SCHEMA}", header.schema));
        }
        Err(error) => found.fault = Some(format!("line 1: {error}")),
    }
    for (at, line) in lines {
        // Power or the process failed in the middle of a line, which nobody has seen as an event.
        if !line.ends_with(b"\n") {
            break;
        }
        match serde_json::from_slice::<Event>(line) {
            Ok(event) if event.id > found.id_max && event.id < ID_MAX => {
                found.id_max = event.id;
                found.events.push_back(event);
            }
            Ok(event) => {
                let out_of_order = format!("id {} stands behind {}, or is too large", event.id, found.id_max);
                note(&mut found, at, &out_of_order);
            }
            Err(error) => {
                // The id of a later version's event is understood at least, so that it is not assigned again.
                let id = serde_json::from_slice::<OnlyId>(line).map_or(0, |only| only.id);
                if id < ID_MAX {
                    found.id_max = found.id_max.max(id);
                }
                note(&mut found, at, &error.to_string());
            }
        }
    }
    let surplus = found.events.len().saturating_sub(EVENTS_MAX);
    found.events.drain(..surplus);
    found
}

#[derive(Deserialize)]
struct OnlyId {
    id: u64,
}

fn note(found: &mut StoredEvents, at: usize, reason: &str) {
    if found.fault.is_none() {
        found.fault = Some(format!("line {}: {reason}", at + 1));
    }
}

/// Renames the file, and returns a sentence about it.
fn set_aside(dir: &Path, fault: &str) -> String {
    let path = dir.join(FILE_NAME);
    let kept = durable::set_aside(&path, Moment::now());
    format!("Cannot read all of {}: {fault}. {kept}", path.display())
}

/// Returns the identity of this boot of the host; empty if the system does not have one.
fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
