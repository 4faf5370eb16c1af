//! The week of a disk on disk: `DIR/history/disk-NUMBER.steps`, of a fixed size, one file for each disk.
//!
//! ```text
//!   0      512     768           512 + 256 x 2016
//!   | head | place 0 | place 1 | ... |
//!
//!   head   magic 8, version 4, disk 4, step seconds 4, steps 4, checksum 4, zeroes
//!   place  number 8, covered 8, sums 14 x 8, standing 3 x 8, most dirty 8, percentiles 3 x (reads 4, writes 4), zeroes, checksum 4;
//!          all zeroes if there is none
//! ```
//! Numbers are little-endian, checksums CRC-32C of what stands before them. Steps are written in place, each within one
//! sector of 512 bytes, so that the end of the power in the middle of it costs that step at most. It names its number, so one that went to the
//! wrong place is found out too.
//!
//! Figures for people, nothing that the product relies on. What cannot be read never keeps the daemon from starting, and is never
//! deleted: a file of which the head is not understood is set aside, a step that is damaged is left out until its place is
//! used again.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};

use super::{Percentiles, STEP_SECONDS, STEPS_MAX, Standing, Step, Sums};
use crate::durable::{self, ASIDE};
use crate::moment::Moment;
use crate::problem::{Answer, Problem};

const FOLDER: &str = "history";
const MAGIC: [u8; 8] = *b"FOREBAYH";
/// Version of the file.
const VERSION: u32 = 1;
const HEAD_BYTES: usize = 512;
const STEP_BYTES: usize = 256;
const FILE_BYTES: usize = HEAD_BYTES + STEPS_MAX as usize * STEP_BYTES;
/// Numbers of 64 bits in a step: its own, covered, sums, standing, most dirty, percentiles.
const STEP_WORDS: usize = 2 + Sums::COUNT + 3 + 1 + Percentiles::WORDS;
const CHECKSUM_BYTES: usize = 4;
/// Where the checksum of the head stands.
const HEAD_CHECKED_BYTES: usize = 24;

// No step crosses a sector, and all of it has room.
const _: () = assert!(HEAD_BYTES.is_multiple_of(512) && 512_usize.is_multiple_of(STEP_BYTES));
const _: () = assert!(STEP_WORDS * 8 <= STEP_BYTES - CHECKSUM_BYTES);

/// Steps that are to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unsaved {
    /// All that are known of a disk: its file is written anew.
    All(u32, Vec<Step>),
    /// Those that its file does not have.
    Some(u32, Vec<Step>),
}

impl Unsaved {
    /// The number of the disk.
    pub(crate) fn id(&self) -> u32 {
        match self {
            Self::All(id, _) | Self::Some(id, _) => *id,
        }
    }
}

/// What was found of a disk.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) steps: Vec<Step>,
    /// What could not be read, or is strange, and what became of it: sentences.
    pub(crate) complaints: Vec<String>,
    /// The file has none of these steps where it should: it is to be written anew.
    pub(crate) is_unwritten: bool,
}

/// Reads what is kept in `dir` of a disk. Never fails: what cannot be read is set aside or left out, and said.
pub(crate) fn load(dir: &Path, id: u32, now: Moment) -> Found {
    let path = path(dir, id);
    let bytes = match read(&path) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Found { is_unwritten: true, ..Found::default() },
        // It cannot be written over by what comes now: nobody knows what it has.
        Err(error) => return set_aside(&path, now, &error.to_string()),
    };
    match parse(&bytes, id) {
        Err(reason) => set_aside(&path, now, &reason),
        Ok(Parsed { steps, damaged }) => {
            let ahead = steps.iter().filter(|step| step.number > now.0 / STEP_SECONDS).count();
            let path = path.display();
            let mut complaints = Vec::new();
            if damaged > 0 {
                complaints.push(format!(
                    "Cannot read {damaged} of the steps of five minutes that are kept in {path}: their checksums are wrong. They \
                     are left out"
                ));
            }
            if ahead > 0 {
                complaints.push(format!(
                    "{ahead} of the steps of five minutes that are kept in {path} are of later than now: the host's clock was \
                     set back. They are shown when their time comes; check the clock"
                ));
            }
            Found { steps, complaints, is_unwritten: false }
        }
    }
}

/// Writes steps durably.
///
/// # Errors
/// What the system said; then the file may have some of them.
pub(crate) fn save(dir: &Path, unsaved: &Unsaved) -> Answer<()> {
    let path = path(dir, unsaved.id());
    let saved = match unsaved {
        Unsaved::All(id, steps) => replace(dir, *id, steps),
        Unsaved::Some(_, steps) => update(&path, steps),
    };
    saved.map_err(|error| {
        Problem::failed(format!(
            "Cannot save what disks did in {}: {error}; make room or repair its file system, or a restart forgets it",
            path.display()
        ))
    })
}

/// Removes what is kept of a disk, if there is something; what was set aside too.
///
/// # Errors
/// What the system said.
pub(crate) fn remove(dir: &Path, id: u32) -> io::Result<()> {
    let gone = |path: PathBuf| match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    };
    gone(dir.join(FOLDER).join(format!("{}.new", name(id))))?;
    let is_aside = format!("{}{ASIDE}", name(id));
    for entry in fs::read_dir(dir.join(FOLDER)).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(&is_aside)) {
            gone(entry.path())?;
        }
    }
    gone(path(dir, id))
}

/// Numbers of the disks of which something is kept in `dir`.
pub(crate) fn kept(dir: &Path) -> Vec<u32> {
    let Ok(entries) = fs::read_dir(dir.join(FOLDER)) else { return Vec::new() };
    let number = |entry: fs::DirEntry| {
        let name = entry.file_name();
        name.to_str()?.strip_prefix("disk-")?.strip_suffix(".steps")?.parse().ok()
    };
    entries.flatten().filter_map(number).collect()
}

fn name(id: u32) -> String {
    format!("disk-{id}.steps")
}

fn path(dir: &Path, id: u32) -> PathBuf {
    dir.join(FOLDER).join(name(id))
}

/// All of a file; none if there is none.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut bytes = Vec::new();
    file.take(FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

fn replace(dir: &Path, id: u32, steps: &[Step]) -> io::Result<()> {
    let folder = dir.join(FOLDER);
    if !folder.is_dir() {
        DirBuilder::new().mode(0o700).create(&folder)?;
        File::open(dir)?.sync_all()?;
    }
    let mut bytes = head(id);
    bytes.resize(FILE_BYTES, 0);
    for step in steps {
        let offset = offset(step);
        bytes[offset..offset + STEP_BYTES].copy_from_slice(&encode(step));
    }
    durable::replace(&folder, &name(id), &bytes).map_err(|not| not.error)
}

fn update(path: &Path, steps: &[Step]) -> io::Result<()> {
    let file = File::options().write(true).open(path)?;
    let length = file.metadata()?.len();
    if length != FILE_BYTES as u64 {
        return Err(io::Error::other(format!("it has {length} bytes and should have {FILE_BYTES}")));
    }
    for step in steps {
        file.write_all_at(&encode(step), offset(step) as u64)?;
    }
    file.sync_data()
}

fn offset(step: &Step) -> usize {
    HEAD_BYTES + (step.number % STEPS_MAX) as usize * STEP_BYTES
}

fn head(id: u32) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for number in [VERSION, id, STEP_SECONDS as u32, STEPS_MAX as u32] {
        bytes.extend(number.to_le_bytes());
    }
    assert_eq!(bytes.len(), HEAD_CHECKED_BYTES, "the drawing above says so");
    bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
    bytes.resize(HEAD_BYTES, 0);
    bytes
}

fn encode(step: &Step) -> [u8; STEP_BYTES] {
    let Step { number, covered_ms, sums, standing, dirty_bytes_max, percentiles } = *step;
    let Standing { dirty_bytes, dirty_limit_bytes, cached_bytes } = standing;
    let words = [number, covered_ms]
        .into_iter()
        .chain(sums.to_array())
        .chain([dirty_bytes, dirty_limit_bytes, cached_bytes, dirty_bytes_max])
        .chain(percentiles.to_words());
    let mut bytes = [0; STEP_BYTES];
    for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    let (checked, checksum) = bytes.split_at_mut(STEP_BYTES - CHECKSUM_BYTES);
    checksum.copy_from_slice(&crc32c::crc32c(checked).to_le_bytes());
    bytes
}

/// The step in these bytes; none if there is none.
///
/// # Errors
/// If they are no step that was written as a whole.
fn decode(bytes: &[u8]) -> Result<Option<Step>, Damaged> {
    if bytes.iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    let (checked, checksum) = bytes.split_at(STEP_BYTES - CHECKSUM_BYTES);
    if checksum != crc32c::crc32c(checked).to_le_bytes() {
        return Err(Damaged);
    }
    let mut words = checked.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
    let mut next = || words.next().expect("there is room for all words, as is asserted above");
    Ok(Some(Step {
        number: next(),
        covered_ms: next(),
        sums: Sums::from_array(std::array::from_fn(|_| next())),
        standing: Standing { dirty_bytes: next(), dirty_limit_bytes: next(), cached_bytes: next() },
        dirty_bytes_max: next(),
        // Zeroes in steps of versions that did not keep them.
        percentiles: Percentiles::from_words(std::array::from_fn(|_| next())),
    }))
}

struct Damaged;

struct Parsed {
    steps: Vec<Step>,
    /// How many could not be read.
    damaged: usize,
}

/// Takes whatever can be read of a file.
///
/// # Errors
/// Why nothing of it can be believed.
fn parse(bytes: &[u8], id: u32) -> Result<Parsed, String> {
    if bytes.len() != FILE_BYTES {
        return Err(format!("it has not the {FILE_BYTES} bytes that it should have"));
    }
    check_head(&bytes[..HEAD_BYTES], id)?;
    let mut parsed = Parsed { steps: Vec::new(), damaged: 0 };
    for (place, bytes) in bytes[HEAD_BYTES..].chunks_exact(STEP_BYTES).enumerate() {
        match decode(bytes) {
            Ok(None) => {}
            Ok(Some(step)) if step.number % STEPS_MAX == place as u64 => parsed.steps.push(step),
            Ok(Some(_)) | Err(Damaged) => parsed.damaged += 1,
        }
    }
    Ok(parsed)
}

fn check_head(bytes: &[u8], id: u32) -> Result<(), String> {
    let word = |at: usize| {
        let word = bytes[at..].first_chunk().expect("a head is longer than that");
        u32::from_le_bytes(*word)
    };
    if bytes[..8] != MAGIC {
        return Err("it is no file of this kind".to_owned());
    }
    // A later version may have its checksum elsewhere.
    if word(8) != VERSION {
        return Err(format!("it has version {}, and this Forebay knows {VERSION}", word(8)));
    }
    if bytes != head(id) {
        return Err("its head is damaged, or of another disk".to_owned());
    }
    Ok(())
}

/// Gives a file another name, and says so.
fn set_aside(path: &Path, now: Moment, reason: &str) -> Found {
    let kept = durable::set_aside(path, now);
    let complaint = format!("Cannot read {}: {reason}. {kept}", path.display());
    Found { complaints: vec![complaint], is_unwritten: true, ..Found::default() }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
