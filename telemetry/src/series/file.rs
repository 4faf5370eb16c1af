//! Time series of a disk on disk: `DIR/series/disk-NUMBER.series`, one file for each disk, replaced as a whole.
//!
//! ```text
//!   head     magic 8, version 4, disk 4, seconds since 1970 at which it was written 8, bytes of steps 4, checksum 4
//!   steps    of the week, each: bytes of its numbers 1, its numbers, checksum 4
//!   details  names of counters, names of latencies     so that versions which count more or less read each other's
//!            since, total
//!            three windows of: last, before, open step, steps
//!            checksum 4
//! ```
//! Numbers of fixed size are little-endian, all others have seven bits a byte; a checksum is the CRC-32C of everything before it in its
//! part. Times are milliseconds before the file was written. The file is written every few minutes and at the end. Counts of the disk
//! beyond the total here are added to the step in which the file was written. A window that is over by now begins at zero.
//!
//! Figures for people; the product does not rely on them. A file that cannot be read never keeps the daemon from starting, and is never
//! deleted: it is set aside, and its readable part is used. A damaged step costs only itself.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::bounded;
use base::durable::{self, ASIDE};
use base::error::{Error, Result};
use base::moment::Moment;
use cache::{DiskCounts, Latency};

use super::earlier;
pub use super::earlier::{EarlierWindows, remove_windows as remove_earlier_windows};
use super::packed::{pack, pull, push, unpack_named};
use super::ring::{Recents, SampleTime, Step, WEEK};
use super::summary::HistoryStep;
use crate::counted::Counted;

pub(super) const FOLDER: &str = "series";
const MAGIC: [u8; 8] = *b"FOREBAYS";
/// Version of the file.
const VERSION: u32 = 1;
const HEAD_BYTES: usize = 32;
const CHECKSUM_BYTES: usize = 4;

/// Time series that were found of a disk.
#[derive(Debug, Default)]
pub struct StoredSeries {
    pub(super) steps: Vec<HistoryStep>,
    pub(super) details: Option<Details>,
    /// Sentences about parts that could not be read or are implausible, and the consequence.
    pub complaints: Vec<String>,
    /// True if no file has all of this.
    pub(super) is_unwritten: bool,
}

/// Windows of a disk as they were kept.
#[derive(Debug)]
pub(super) struct Details {
    /// Time that has passed since then.
    pub(super) ago: Duration,
    /// Time of writing, if the steps of the week are of the same moment.
    pub(super) counted_in_steps: Option<Moment>,
    since: Moment,
    pub(super) total: Counted,
    pub(super) rings: [KeptRing; 3],
}

/// Window, with times in milliseconds before it was written.
#[derive(Debug)]
pub(super) struct KeptRing {
    pub(super) before: u64,
    pub(super) open: Counted,
    pub(super) steps: Vec<(u64, Counted)>,
}

impl Details {
    /// Returns true if they belong to a disk that has counted `total` since `since`: differences of totals are never negative.
    pub(super) fn belongs_to(&self, since: Moment, total: &Counted) -> bool {
        let mut pairs = total.counts.named().zip(self.total.counts.named());
        self.since == since && pairs.all(|((_, now), (_, then))| now >= then)
    }
}

impl StoredSeries {
    /// Returns the total that the disk had when the file was written, if it counted since `since`.
    pub fn total(&self, since: Moment) -> Option<&Counted> {
        self.details.as_ref().filter(|details| details.since == since).map(|details| &details.total)
    }
}

/// Returns the content of the file of a disk.
pub(super) fn content(
    id: u32,
    steps: &[HistoryStep],
    since: Moment,
    total: &Counted,
    recents: &[Recents; 3],
    time: SampleTime,
) -> Vec<u8> {
    let mut packed = Vec::new();
    for step in steps {
        push_step(&mut packed, step);
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(id.to_le_bytes());
    bytes.extend(time.now.0.to_le_bytes());
    bytes.extend((packed.len() as u32).to_le_bytes());
    bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
    assert_eq!(bytes.len(), HEAD_BYTES, "the drawing above says so");
    bytes.extend(packed);
    let mut details = Vec::new();
    let counts: Vec<&str> = DiskCounts::default().named().map(|(name, _)| name).collect();
    for names in [counts, Latency::ALL.map(|(_, name)| name).to_vec()] {
        push(&mut details, names.len() as u64);
        for name in names {
            push_bytes(&mut details, name.as_bytes());
        }
    }
    push(&mut details, since.0);
    push_bytes(&mut details, &pack(total));
    for recents in recents {
        push_ring(&mut details, recents, total, time.age);
    }
    details.extend(crc32c::crc32c(&details).to_le_bytes());
    bytes.extend(details);
    bytes
}

fn push_ring(bytes: &mut Vec<u8>, Recents { ring, begins, .. }: &Recents, total: &Counted, age: Duration) {
    let ago = |at: Duration| age.saturating_sub(at).as_millis() as u64;
    push(bytes, ring.steps.back().map_or(0, |last| ago(last.label.ends)));
    push(bytes, ago(*begins));
    push_bytes(bytes, &pack(&total.since(&ring.edge)));
    push(bytes, ring.steps.len() as u64);
    for Step { label, content } in &ring.steps {
        push(bytes, ago(label.ends));
        push_bytes(bytes, &content.0);
    }
}

fn push_step(bytes: &mut Vec<u8>, step: &HistoryStep) {
    let mut numbers = Vec::new();
    step.to_words().into_iter().for_each(|word| push(&mut numbers, word));
    let begin = bytes.len();
    bytes.push(u8::try_from(numbers.len()).expect("23 numbers of at most 10 bytes"));
    bytes.extend(numbers);
    bytes.extend(crc32c::crc32c(&bytes[begin..]).to_le_bytes());
}

/// Takes a step from the front of `bytes`; returns none and takes nothing if there is no whole one.
fn pull_step(bytes: &mut &[u8]) -> Option<HistoryStep> {
    let length = 1 + usize::from(*bytes.first()?);
    let (checked, rest) = bytes.split_at_checked(length)?;
    let (checksum, rest) = rest.split_first_chunk::<CHECKSUM_BYTES>()?;
    if *checksum != crc32c::crc32c(checked).to_le_bytes() {
        return None;
    }
    let mut numbers = &checked[1..];
    let mut words = [0; HistoryStep::WORDS];
    for word in &mut words {
        *word = pull(&mut numbers)?;
    }
    *bytes = rest;
    Some(HistoryStep::from_words(words))
}

/// Reads the series of a disk in `dir`, or of an earlier version if there are none yet. Never fails: what cannot be read is left out, and
/// the file set aside.
pub fn load(dir: &Path, id: u32, now: Moment, earlier: &mut EarlierWindows) -> StoredSeries {
    let path = path(dir, id);
    let mut found = match bounded::read(&path, bounded::DIR_FILE_BYTES_MAX) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let (steps, complaints) = earlier::steps(dir, id, now);
            StoredSeries { steps, complaints, details: earlier.take(id), is_unwritten: true }
        }
        // The file must not be overwritten: its content is unknown.
        Err(error) => unreadable(&error.to_string(), &path),
        Ok(bytes) => parse(&bytes, id, now).unwrap_or_else(|reason| unreadable(&reason, &path)),
    };
    if path.exists() && !found.complaints.is_empty() {
        let kept = durable::set_aside(&path, now);
        found.complaints.iter_mut().for_each(|complaint| *complaint = format!("{complaint}. {kept}"));
        found.is_unwritten = true;
    }
    let ahead = found.steps.iter().filter(|step| step.number > WEEK.number(now)).count();
    if ahead > 0 {
        found.complaints.push(format!(
            "{ahead} of the steps of five minutes that are kept in {} are of later than now: the host's clock was set back. \
             They are shown when their time comes; check the clock",
            path.display()
        ));
    }
    found
}

fn unreadable(reason: &str, path: &Path) -> StoredSeries {
    StoredSeries {
        complaints: vec![format!("Cannot read {}: {reason}", path.display())],
        ..StoredSeries::default()
    }
}

/// Parses the readable parts of a file.
///
/// # Errors
/// Reason why nothing of it can be used.
pub(super) fn parse(bytes: &[u8], id: u32, now: Moment) -> Result<StoredSeries, String> {
    let too_short = || "it is too short".to_owned();
    let (head, rest) = bytes.split_at_checked(HEAD_BYTES).ok_or_else(too_short)?;
    let word = |at: usize| u32::from_le_bytes(*head[at..].first_chunk().expect("a head is longer than that"));
    if head[..8] != MAGIC {
        return Err("it is no file of this kind".to_owned());
    }
    // A later version may have its checksum elsewhere.
    if word(8) != VERSION {
        return Err(format!("it has version {}, and this Forebay knows {VERSION}", word(8)));
    }
    if word(28) != crc32c::crc32c(&head[..28]) || word(12) != id {
        return Err("its head is damaged, or of another disk".to_owned());
    }
    let saved = Moment(u64::from_le_bytes(*head[16..].first_chunk().expect("a head is longer than that")));
    let (mut steps, details) = rest.split_at_checked(word(24) as usize).ok_or_else(too_short)?;
    let mut found = StoredSeries::default();
    let (mut damaged, mut is_in_gap) = (0, false);
    while !steps.is_empty() {
        if let Some(step) = pull_step(&mut steps) {
            found.steps.push(step);
            is_in_gap = false;
        } else {
            // The next whole step follows somewhere.
            steps = &steps[1..];
            damaged += u32::from(!is_in_gap);
            is_in_gap = true;
        }
    }
    if damaged > 0 {
        found.complaints.push(format!(
            "Cannot read {damaged} of the steps of five minutes that are kept of disk number {id}: their checksums are wrong. \
             They are left out"
        ));
    }
    found.details = parse_details(details, saved, now);
    if found.details.is_none() {
        found.complaints.push(format!(
            "Cannot read the recent counters of disk number {id}: their checksum is wrong. Windows of time restart"
        ));
    }
    Ok(found)
}

fn parse_details(bytes: &[u8], saved: Moment, now: Moment) -> Option<Details> {
    let (mut checked, checksum) = bytes.split_last_chunk::<CHECKSUM_BYTES>()?;
    if crc32c::crc32c(checked).to_le_bytes() != *checksum {
        return None;
    }
    let names = (pull_names(&mut checked)?, pull_names(&mut checked)?);
    let details = pull_details(&mut checked, &names, saved, now)?;
    checked.is_empty().then_some(Details { counted_in_steps: Some(saved), ..details })
}

/// Names of counters and of latencies.
pub(super) type Names<'a> = (Vec<&'a str>, Vec<&'a str>);

/// Takes the begin, the total and the windows of a disk from the front.
pub(super) fn pull_details(
    bytes: &mut &[u8],
    (counts, latencies): &Names<'_>,
    saved: Moment,
    now: Moment,
) -> Option<Details> {
    let counted = |bytes: &mut &[u8]| unpack_named(pull_bytes(bytes)?, counts, latencies);
    let since = Moment(pull(bytes)?);
    let total = counted(bytes)?;
    let mut ring = || {
        let (_last, before) = (pull(bytes)?, pull(bytes)?);
        let open = counted(bytes)?;
        let mut steps = Vec::new();
        for _ in 0..pull(bytes)? {
            steps.push((pull(bytes)?, counted(bytes)?));
        }
        Some(KeptRing { before, open, steps })
    };
    let rings = [ring()?, ring()?, ring()?];
    // If the clock was set back, the length of the time between is unknown.
    let ago = Duration::from_secs(now.0.saturating_sub(saved.0));
    Some(Details { ago, counted_in_steps: None, since, total, rings })
}

pub(super) fn pull_names<'a>(bytes: &mut &'a [u8]) -> Option<Vec<&'a str>> {
    (0..pull(bytes)?).map(|_| str::from_utf8(pull_bytes(bytes)?).ok()).collect()
}

fn push_bytes(bytes: &mut Vec<u8>, more: &[u8]) {
    push(bytes, more.len() as u64);
    bytes.extend(more);
}

fn pull_bytes<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(pull(bytes)?).ok()?;
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

/// Writes files of disks durably, removes the files that an earlier version kept of them, and returns the outcome of each.
pub fn save(dir: &Path, files: &[(u32, Vec<u8>)]) -> Vec<(u32, Result<()>)> {
    let folder = dir.join(FOLDER);
    let written: Vec<Result<(), io::Error>> = if let Err(error) = make_folder(dir, &folder) {
        files.iter().map(|_| Err(io::Error::new(error.kind(), error.to_string()))).collect()
    } else {
        let named: Vec<_> = files.iter().map(|(id, bytes)| [(name(*id), bytes)]).collect();
        let groups: Vec<_> =
            named.iter().map(|[(name, bytes)]| [(name.as_str(), bytes.as_slice())]).collect();
        let groups: Vec<&[_]> = groups.iter().map(<[_; 1]>::as_slice).collect();
        let replaced = durable::replace_groups(&folder, &groups);
        replaced.into_iter().map(|replaced| replaced.map_err(|not| not.error)).collect()
    };
    let answer = |((id, _), written): (&(u32, Vec<u8>), Result<(), io::Error>)| {
        let taken_over = written.and_then(|()| earlier::remove(dir, *id));
        let answer = taken_over.map_err(|error| {
            Error::failed(format!(
                "Cannot save the history of disks in {}: {error}; make room or repair its file system, or a restart loses it",
                path(dir, *id).display()
            ))
        });
        (*id, answer)
    };
    files.iter().zip(written).map(answer).collect()
}

fn make_folder(dir: &Path, folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    DirBuilder::new().mode(0o700).create(folder)?;
    File::open(dir)?.sync_all()
}

/// Removes the file of a disk, if there is one, with its set-aside copies and the files of an earlier version.
///
/// # Errors
/// The error of the system.
pub fn remove(dir: &Path, id: u32) -> io::Result<()> {
    earlier::remove(dir, id)?;
    remove_all(&dir.join(FOLDER), &name(id))
}

/// Removes a file, its replacement and its set-aside copies.
pub(super) fn remove_all(folder: &Path, name: &str) -> io::Result<()> {
    let gone = |path: PathBuf| match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    };
    let is_aside = format!("{name}{ASIDE}");
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(&is_aside)) {
            gone(entry.path())?;
        }
    }
    gone(folder.join(format!("{name}.new")))?;
    gone(folder.join(name))
}

/// Returns the numbers of the disks that have a file in `dir`.
pub fn kept(dir: &Path) -> Vec<u32> {
    let of = |folder: &str, suffix: &str| -> Vec<u32> {
        let number = |entry: fs::DirEntry| {
            entry.file_name().to_str()?.strip_prefix("disk-")?.strip_suffix(suffix)?.parse().ok()
        };
        fs::read_dir(dir.join(folder)).into_iter().flatten().flatten().filter_map(number).collect()
    };
    [of(FOLDER, ".series"), of(earlier::FOLDER, ".steps")].concat()
}

fn name(id: u32) -> String {
    format!("disk-{id}.series")
}

pub(super) fn path(dir: &Path, id: u32) -> PathBuf {
    dir.join(FOLDER).join(name(id))
}
