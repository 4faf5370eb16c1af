//! Content of `DIR/state.json`: the whole durable state of the host, so that related parts change in one
//! step.
//!
//! ```text
//!   state         the pool and the disks
//!   least_epochs  for each pool the least epoch of a list of devices that counts (the witness)
//!   backings      for each disk the appearance of its backing when this host had it last (`backing_identity/record.rs`)
//! ```
//! When a device of the pool fails, the others remove it from their list, and the epoch of that list is
//! recorded here before a write is acknowledged that only they have. Should the device return alone, its own
//! list is older, and does not count.
//!
//! There are two copies, and both have a change before it is acknowledged. A start reads the second one if
//! the first cannot be read. If neither can, the start is refused and nothing is overwritten: no other file
//! lists the disks.
//!
//! Versions before schema 8 had `witness.json` and `past/ID.json` instead. The first start migrates them, and
//! removes them once the new file is durable; a start that is interrupted before that begins again. An
//! earlier version refuses the new file.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use base::bounded;
use base::durable;
use base::error::{Error, Result};
use base::moment::Moment;
use base::store::format::{self, FileFormat, Unreadable};
use base::store::{Store, StoredFile, StoredValue};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use telemetry::events::{self, Kind};

use crate::state::State;

const NAMES: &[&str] = &["state.json", "state.copy.json"];
/// First schema with everything in one file.
const WHOLE_SINCE: u64 = 8;
const FORMAT: FileFormat = FileFormat { name: NAMES[0], schema: WHOLE_SINCE, checked_since: WHOLE_SINCE };
const COPY: FileFormat = FileFormat { name: NAMES[1], ..FORMAT };
/// Files of earlier versions.
const WITNESS: &str = "witness.json";
const BACKINGS: &str = "past";

/// Content of `state.json`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct HostRecord {
    pub(crate) state: State,
    /// Least epochs by the ids of pools.
    least_epochs: BTreeMap<String, u32>,
    /// Records of backings by the numbers of disks.
    backings: BTreeMap<u32, Value>,
}

/// The durable record, with operations that change it.
pub(crate) type HostFile = StoredFile<HostRecord>;

/// A record with its origin.
#[derive(Debug, PartialEq)]
pub(crate) struct LoadedRecord {
    pub(crate) record: HostRecord,
    origin: Origin,
}

/// Files that a record was read from.
#[derive(Debug, PartialEq, Eq)]
enum Origin {
    /// Those of this version, or none at all.
    Present,
    /// The second copy, and the reason for which the first was not read: a sentence without a full stop.
    SecondCopy(String),
    /// Those of an earlier version.
    Earlier,
}

/// The file.
#[derive(Serialize)]
struct HostDocument<'a> {
    schema: u64,
    #[serde(flatten)]
    state: &'a State,
    least_epochs: &'a BTreeMap<String, u32>,
    backings: &'a BTreeMap<u32, Value>,
}

/// `witness.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EarlierWitness {
    pool: String,
    epoch: u32,
}

impl StoredValue for HostRecord {
    const NAMES: &'static [&'static str] = NAMES;

    fn text(&self) -> Vec<u8> {
        let Self { state, least_epochs, backings } = self;
        format::text(&HostDocument { schema: FORMAT.schema, state, least_epochs, backings })
    }

    fn check(&self) -> Result<(), String> {
        self.state.check()
    }
}

impl HostRecord {
    /// Reads the record in `dir`, of any version, and changes nothing. An empty one if nothing was ever saved
    /// there.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or of a newer version.
    pub(crate) fn load(dir: &Path) -> Result<LoadedRecord> {
        let present = |(schema, json)| Self::parse(dir, schema, json);
        match FORMAT.read(dir) {
            Ok(Some((schema, json))) if schema < WHOLE_SINCE => {
                let (state, origin) =
                    (State::parse(dir, json).map_err(|reason| damaged(dir, &reason))?, Origin::Earlier);
                Ok(LoadedRecord { record: Self::take_over(dir, state)?, origin })
            }
            Ok(Some(found)) => Ok(LoadedRecord { record: present(found)?, origin: Origin::Present }),
            Err(Unreadable::Newer(newer)) => Err(Error::failed(format!(
                "Cannot use {}: a newer Forebay wrote it (schema {newer}, this one knows {}); use that version",
                dir.join(FORMAT.name).display(),
                FORMAT.schema
            ))),
            unread => match (unread, COPY.read(dir)) {
                (unread, Ok(Some(found))) => {
                    let reason =
                        unread.map_or_else(|unread| FORMAT.reason(&unread), |_| "it is not there".to_owned());
                    let reason = format!("Cannot use {}: {reason}", dir.join(FORMAT.name).display());
                    Ok(LoadedRecord { record: present(found)?, origin: Origin::SecondCopy(reason) })
                }
                (Ok(_), Ok(None)) => {
                    let record = Self::take_over(dir, State::default())?;
                    let origin = if record == Self::default() { Origin::Present } else { Origin::Earlier };
                    Ok(LoadedRecord { record, origin })
                }
                (Ok(_), Err(unread)) => Err(refused(dir, &COPY, &unread)),
                (Err(unread), _) => Err(refused(dir, &FORMAT, &unread)),
            },
        }
    }

    /// Parses the document of this version.
    fn parse(dir: &Path, schema: u64, mut json: Value) -> Result<Self> {
        debug_assert_eq!(schema, FORMAT.schema, "there is one schema with everything");
        let fields = json.as_object_mut().expect("it has a schema");
        let mut take = |name| fields.remove(name).unwrap_or_default();
        let (least_epochs, backings) = (take("least_epochs"), take("backings"));
        let parse = || -> Result<Self, String> {
            let odd = |error: serde_json::Error| format!("it is damaged ({error})");
            let least_epochs = serde_json::from_value(least_epochs).map_err(odd)?;
            let mut backings: BTreeMap<u32, Value> = serde_json::from_value(backings).map_err(odd)?;
            let state = State::parse(dir, json)?;
            // An interrupted addition of a disk left its record.
            backings.retain(|id, _| state.disks.iter().any(|disk| disk.id == *id));
            Ok(Self { state, least_epochs, backings })
        };
        parse().map_err(|reason| damaged(dir, &reason))
    }

    /// Adds the content of files of earlier versions to a state.
    fn take_over(dir: &Path, state: State) -> Result<Self> {
        let mut record = Self { state, ..Self::default() };
        let path = dir.join(WITNESS);
        let unreadable = |reason: String| {
            Error::failed(format!(
                "Cannot read {}: {reason}. It lists the devices of the pool that do not count; restore it, or remove it if no \
                 device of the pool ever failed",
                path.display()
            ))
        };
        if let Some(text) = read_earlier(&path).map_err(|error| unreadable(error.to_string()))? {
            let witness: EarlierWitness =
                serde_json::from_slice(&text).map_err(|error| unreadable(error.to_string()))?;
            record.least_epochs.insert(witness.pool, witness.epoch);
        }
        for disk in &record.state.disks {
            let path = dir.join(BACKINGS).join(format!("{}.json", disk.id));
            let text = read_earlier(&path)
                .map_err(|error| Error::failed(format!("Cannot read {}: {error}", path.display())))?;
            // A damaged one is ignored: then no cached data of the disk is trusted.
            let backing = text.and_then(|text| serde_json::from_slice(&text).ok());
            record.backings.extend(backing.map(|backing| (disk.id, backing)));
        }
        Ok(record)
    }

    /// Returns the least epoch of a list of devices that counts for a pool; 0 if every one does.
    pub(crate) fn least_epoch(&self, pool: &str) -> u32 {
        self.least_epochs.get(pool).copied().unwrap_or(0)
    }

    /// Records that lists of a pool below an epoch do not count. The least epoch never falls. Removes the
    /// epochs of unknown pools.
    pub(crate) fn raise_least_epoch(&mut self, pool: &str, epoch: u32) {
        let State { pool: present, replaced, former, .. } = &self.state;
        let known = present.iter().chain(replaced).map(|pool| &pool.id);
        let known: Vec<&String> = known.chain(former.iter().map(|pool| &pool.id)).collect();
        self.least_epochs.retain(|id, _| id == pool || known.contains(&id));
        let least = self.least_epochs.entry(pool.to_owned()).or_default();
        *least = epoch.max(*least);
    }

    /// Returns the record of the backing of a disk.
    pub(crate) fn backing(&self, disk: u32) -> Option<&Value> {
        self.backings.get(&disk)
    }

    /// Replaces the record of the backing of a disk.
    pub(crate) fn set_backing(&mut self, disk: u32, record: Value) {
        self.backings.insert(disk, record);
    }

    /// Removes the record of a disk's backing; the number of the disk is never used again.
    pub(crate) fn forget_backing(&mut self, disk: u32) {
        self.backings.remove(&disk);
    }
}

/// Opens the record for a daemon that starts: migrates the files of an earlier version, and replaces a copy
/// that cannot be read. A folder that cannot be written does not prevent a start: the next change saves the
/// same.
///
/// # Errors
/// If the record cannot be read.
pub(crate) async fn open(store: &Store) -> Result<HostFile> {
    let dir = store.dir();
    let LoadedRecord { record, origin } = HostRecord::load(dir)?;
    let host = HostFile::new(store, record);
    if let Origin::SecondCopy(reason) = &origin {
        let path = dir.join(FORMAT.name);
        let kept = if path.exists() { durable::set_aside(&path, Moment::now()) } else { String::new() };
        events::of_host(
            Kind::StateRestored,
            format!("{reason}. {} is used. {kept}", dir.join(COPY.name).display()),
        );
    }
    if origin != Origin::Present || !are_same(dir) {
        host.adopt(|_| {});
        if let Err(problem) = host.change(|_| Ok(())).await {
            tracing::warn!(
                "The state that was read at the start is not saved in the format of this version: {problem}"
            );
            return Ok(host);
        }
    }
    remove_earlier(dir);
    Ok(host)
}

/// Returns true if a daemon has saved its record in `dir`.
pub(crate) fn is_in(dir: &Path) -> bool {
    NAMES.iter().any(|name| dir.join(name).exists())
}

/// Returns true if both copies have the same content, or neither exists.
fn are_same(dir: &Path) -> bool {
    let [first, second] =
        [NAMES[0], NAMES[1]].map(|name| bounded::read(&dir.join(name), bounded::DIR_FILE_BYTES_MAX).ok());
    first == second
}

/// Removes files of earlier versions. A file that cannot be removed is ignored, and removed at the next
/// start.
fn remove_earlier(dir: &Path) {
    let backings = dir.join(BACKINGS);
    let entries = fs::read_dir(&backings).into_iter().flatten().flatten().map(|entry| entry.path());
    let old: Vec<_> = entries.chain([WITNESS, "witness.json.new"].map(|name| dir.join(name))).collect();
    for path in old {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with(".json") || name.ends_with(".json.new") {
            drop(fs::remove_file(path));
        }
    }
    drop(fs::remove_dir(backings));
}

fn read_earlier(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match bounded::read(path, bounded::DIR_FILE_BYTES_MAX) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn refused(dir: &Path, format: &FileFormat, unread: &Unreadable) -> Error {
    match unread {
        Unreadable::Io(error) => {
            Error::failed(format!("Cannot read {}: {error}", dir.join(format.name).display()))
        }
        Unreadable::Damaged(reason) => damaged(dir, &format!("it is damaged ({reason})")),
        Unreadable::Newer(_) => damaged(dir, &format.reason(unread)),
    }
}

fn damaged(dir: &Path, reason: &str) -> Error {
    Error::failed(format!(
        "Cannot use {}: {reason}. Restore it from a backup, or move it and {} away and add the disks again (the content of the \
         backings is not affected)",
        dir.join(FORMAT.name).display(),
        COPY.name
    ))
}

#[cfg(test)]
#[path = "host_record_tests.rs"]
mod tests;
