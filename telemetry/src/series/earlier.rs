//! Migration of files of earlier versions: windows of all disks in `DIR/windows.bin`, and the week of each in
//! `DIR/history/disk-NUMBER.steps`.
//!
//! They are read until a disk has a file of its own, and then removed: an interrupted migration begins again.
//!
//! ```text
//!   windows.bin   magic 8, version 4, seconds since 1970 8, names, for each disk: number, and the details of `file`; checksum 4
//!   .steps        512 bytes of head, then 2016 places of 256: 23 numbers of 8, zeroes, checksum 4; all zeroes if there is none
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use base::bounded;
use base::durable;
use base::moment::Moment;

use super::file::{Details, pull_details, pull_names, remove_all};
use super::packed::pull;
use super::ring::WEEK;
use super::summary::HistoryStep;

pub(super) const FOLDER: &str = "history";
const WINDOWS: &str = "windows.bin";
/// Version of both files.
const VERSION: u32 = 1;
const WINDOWS_HEAD_BYTES: usize = 20;
const STEPS_HEAD_BYTES: usize = 512;
const STEP_BYTES: usize = 256;
const CHECKSUM_BYTES: usize = 4;

/// Windows of disks by number, as an earlier version kept them.
#[derive(Debug, Default)]
pub struct EarlierWindows(BTreeMap<u32, Details>);

impl EarlierWindows {
    /// Reads the windows in `dir`. If they cannot be read, returns the reason too, and the file is set aside.
    pub fn load(dir: &Path, now: Moment) -> (Self, Option<String>) {
        let path = dir.join(WINDOWS);
        let read = match bounded::read(&path, bounded::DIR_FILE_BYTES_MAX) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return (Self::default(), None),
            Err(error) => Err(error.to_string()),
            Ok(bytes) => {
                windows(&bytes, now).ok_or_else(|| "it is damaged, or of another version".to_owned())
            }
        };
        match read {
            Ok(disks) => (Self(disks), None),
            Err(reason) => {
                let kept = durable::set_aside(&path, now);
                (Self::default(), Some(format!("Cannot read {}: {reason}. {kept}", path.display())))
            }
        }
    }

    pub(super) fn take(&mut self, id: u32) -> Option<Details> {
        self.0.remove(&id)
    }
}

fn windows(bytes: &[u8], now: Moment) -> Option<BTreeMap<u32, Details>> {
    let (checked, checksum) = bytes.split_last_chunk::<CHECKSUM_BYTES>()?;
    let (head, mut body) = checked.split_at_checked(WINDOWS_HEAD_BYTES)?;
    if head[..8] != *b"FOREBAYW"
        || head[8..12] != VERSION.to_le_bytes()
        || crc32c::crc32c(checked).to_le_bytes() != *checksum
    {
        return None;
    }
    let saved = Moment(u64::from_le_bytes(*head[12..].first_chunk()?));
    let names = (pull_names(&mut body)?, pull_names(&mut body)?);
    let mut disks = BTreeMap::new();
    for _ in 0..pull(&mut body)? {
        let id = u32::try_from(pull(&mut body)?).ok()?;
        disks.insert(id, pull_details(&mut body, &names, saved, now)?);
    }
    body.is_empty().then_some(disks)
}

/// Returns the steps of a disk, the oldest first, and sentences about what could not be read.
pub(super) fn steps(dir: &Path, id: u32, now: Moment) -> (Vec<HistoryStep>, Vec<String>) {
    let path = dir.join(FOLDER).join(format!("disk-{id}.steps"));
    let mut steps = Vec::new();
    let reason = match bounded::read(&path, bounded::DIR_FILE_BYTES_MAX) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return (steps, Vec::new()),
        Err(error) => error.to_string(),
        Ok(bytes) if is_head(&bytes, id) => {
            let places = bytes[STEPS_HEAD_BYTES..].chunks_exact(STEP_BYTES);
            let used = places.filter(|place| place.iter().any(|byte| *byte != 0));
            let (mut all, mut damaged) = (0, 0);
            for place in used {
                all += 1;
                step(place).map_or_else(|| damaged += 1, |step| steps.push(step));
            }
            steps.sort_by_key(|step| step.number);
            if damaged == 0 {
                return (steps, Vec::new());
            }
            format!("the checksums of {damaged} of {all} steps of five minutes are wrong")
        }
        Ok(_) => "it is damaged, or of another version or disk".to_owned(),
    };
    let kept = durable::set_aside(&path, now);
    (steps, vec![format!("Cannot read {}: {reason}. {kept}", path.display())])
}

fn is_head(bytes: &[u8], id: u32) -> bool {
    let Some(head) = bytes.first_chunk::<STEPS_HEAD_BYTES>() else { return false };
    head[..8] == *b"FOREBAYH"
        && head[8..12] == VERSION.to_le_bytes()
        && head[12..16] == id.to_le_bytes()
        && head[16..20] == (WEEK.step_seconds as u32).to_le_bytes()
        && head[24..28] == crc32c::crc32c(&head[..24]).to_le_bytes()
}

fn step(place: &[u8]) -> Option<HistoryStep> {
    let (checked, checksum) = place.split_last_chunk::<CHECKSUM_BYTES>()?;
    let mut words = checked.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
    let is_whole = *checksum == crc32c::crc32c(checked).to_le_bytes();
    is_whole.then(|| HistoryStep::from_words(std::array::from_fn(|_| words.next().unwrap_or(0))))
}

/// Removes the week that was kept of a disk.
///
/// # Errors
/// The error of the system.
pub(super) fn remove(dir: &Path, id: u32) -> io::Result<()> {
    let folder = dir.join(FOLDER);
    if !folder.is_dir() {
        return Ok(());
    }
    remove_all(&folder, &format!("disk-{id}.steps"))?;
    // The folder stays as long as there is something in it.
    fs::remove_dir(&folder).or(Ok(()))
}

/// Removes the windows that were kept, once all disks have files of their own.
///
/// # Errors
/// The error of the system.
pub fn remove_windows(dir: &Path) -> io::Result<()> {
    match fs::remove_file(dir.join(WINDOWS)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
