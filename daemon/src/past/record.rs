//! `DIR/past/ID.json`: what a backing looked like when it was last in our hands.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Appearance;
use crate::durable;
use crate::problem::{Answer, Problem};

const SCHEMA: u64 = 1;

/// What is remembered of a disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    schema: u64,
    /// Rises whenever the disk is attached or detached. 0: it never was.
    pub(super) epoch: u64,
    /// The epoch was written to the backing as well.
    marked: bool,
    /// What the backing looked like; of its bytes those that were served.
    pub(super) bytes: Option<u64>,
    device: Option<String>,
    inode: Option<u64>,
    /// When it was modified last, if it was at rest then: after a clean stop, and while it is only read.
    modified_ns: Option<i64>,
    /// What flash holds is not to be believed: the flash failed, and the disk went on without it.
    pub(super) void: bool,
}

/// Why nothing is believed of what is cached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// The flash failed, and the disk went on without it.
    Void,
    /// The backing is not what it was, and why.
    Backing(String),
}

impl Doubt {
    /// In words.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::Void => "The flash failed, and the disk went on without it".to_owned(),
            Self::Backing(reason) => reason.clone(),
        }
    }
}

/// Whether a backing that can be the one that was cached has been modified since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Modified {
    /// It was not.
    Not,
    /// Nobody can tell.
    Perhaps,
}

impl Record {
    /// Reads the record of a disk; an empty one if there is none.
    ///
    /// # Errors
    /// If it cannot be read. A damaged one counts as empty: then nothing is believed.
    pub(super) fn load(dir: &Path, id: u32) -> Answer<Self> {
        let path = file(dir, id);
        match fs::read(&path) {
            Ok(text) => Ok(serde_json::from_slice(&text).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Problem::failed(format!("Cannot read {}: {error}", path.display()))),
        }
    }

    /// The record of a backing as it looks now.
    pub(super) fn now(epoch: u64, marked: bool, backing: &Appearance, void: bool, at_rest: bool) -> Self {
        Self {
            schema: SCHEMA,
            epoch,
            marked,
            bytes: backing.bytes,
            device: backing.device.clone(),
            inode: backing.inode,
            modified_ns: backing.modified_ns.filter(|_| at_rest),
            void,
        }
    }

    /// The same, with what flash holds void.
    pub(super) fn voided(&self) -> Self {
        Self { void: true, ..self.clone() }
    }

    /// Makes this what is remembered, durably.
    ///
    /// # Errors
    /// What the system said; then the earlier record is what is remembered.
    pub(super) fn save(&self, dir: &Path, id: u32) -> Answer<()> {
        let text = serde_json::to_vec_pretty(self).expect("plain data");
        durable::replace(dir, &file_name(id), &text).map_err(|not| {
            Problem::failed(format!(
                "Cannot save {}: {}; make room or repair its file system, then try again",
                file(dir, id).display(),
                not.error
            ))
        })
    }

    /// Forgets the record of a disk. Its number is never used again, so it does not matter if this fails.
    pub(super) fn forget(dir: &Path, id: u32) {
        drop(fs::remove_file(file(dir, id)));
    }

    /// Whether a backing that looks like this can be the one that was cached.
    ///
    /// # Errors
    /// Why it cannot.
    pub(super) fn judge(&self, backing: &Appearance) -> Result<Modified, Doubt> {
        if self.void {
            return Err(Doubt::Void);
        }
        self.compare(backing).map_err(Doubt::Backing)
    }

    fn compare(&self, backing: &Appearance) -> Result<Modified, String> {
        if self.epoch == 0 {
            return Err("It is attached for the first time".to_owned());
        }
        let resized = self.resized(backing);
        if let Some((before, now)) = resized
            && now < before
        {
            return Err(format!("Its backing had {before} bytes and now has {now}"));
        }
        if self.inode != backing.inode {
            return Err("Its backing is another file than before".to_owned());
        }
        if self.device != backing.device {
            let name = |name: &Option<String>| name.clone().unwrap_or_else(|| "no device".to_owned());
            return Err(format!(
                "Its backing was {}, and is {} now",
                name(&self.device),
                name(&backing.device)
            ));
        }
        if self.marked {
            match backing.epoch {
                // A crash between writing it to the backing and remembering it leaves the next one.
                Some((_, epoch)) if epoch == self.epoch || epoch == self.epoch + 1 => {}
                Some((_, epoch)) => {
                    return Err(format!(
                        "Its backing is of another time: epoch {epoch} instead of {} (was a snapshot restored?)",
                        self.epoch
                    ));
                }
                None => return Err("Its backing does not bear the mark that it was given".to_owned()),
            }
        }
        match (self.modified_ns, backing.modified_ns) {
            (Some(before), Some(now)) if before == now => Ok(Modified::Not),
            (Some(_), Some(_)) => Err(match resized {
                // That alone would have modified it.
                Some((before, now)) => format!(
                    "Its backing had {before} bytes and now has {now}: it was modified while Forebay did not serve it"
                ),
                None => "Its backing was modified while Forebay did not serve it".to_owned(),
            }),
            _ => Ok(Modified::Perhaps),
        }
    }

    /// The bytes that were served and those that are there now, if these differ. What grew while it was served is what it was.
    fn resized(&self, backing: &Appearance) -> Option<(u64, u64)> {
        self.bytes.zip(backing.bytes).filter(|(before, now)| before != now)
    }
}

fn file(dir: &Path, id: u32) -> PathBuf {
    dir.join(file_name(id))
}

fn file_name(id: u32) -> String {
    format!("{id}.json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TempDir;

    fn backing() -> Appearance {
        Appearance {
            bytes: Some(1 << 20),
            device: None,
            inode: Some(7),
            modified_ns: Some(1_000),
            epoch: Some((3, 5)),
            dirty: None,
        }
    }

    fn at_rest() -> Record {
        Record::now(5, true, &backing(), false, true)
    }

    #[test]
    fn a_backing_that_is_as_it_was_is_believed() {
        assert_eq!(at_rest().judge(&backing()), Ok(Modified::Not));
        let next = Appearance { epoch: Some((3, 6)), ..backing() };
        assert_eq!(at_rest().judge(&next), Ok(Modified::Not), "a crash before it was remembered");
    }

    #[test]
    fn after_a_crash_nobody_can_tell_by_the_time_of_modification() {
        let in_use = Record::now(5, true, &backing(), false, false);
        let modified = Appearance { modified_ns: Some(9_999), ..backing() };
        assert_eq!(in_use.judge(&modified), Ok(Modified::Perhaps));
    }

    #[test]
    fn whatever_differs_is_named() {
        let new = Record::default();
        assert!(new.judge(&backing()).unwrap_err().reason().contains("first time"));
        let void = Record { void: true, ..at_rest() };
        assert_eq!(void.judge(&backing()), Err(Doubt::Void));
        for (now, reason) in [
            (Appearance { bytes: Some(1 << 19), ..backing() }, "524288"),
            (Appearance { bytes: Some(2 << 20), modified_ns: Some(2_000), ..backing() }, "2097152"),
            (Appearance { inode: Some(8), ..backing() }, "another file"),
            (Appearance { device: Some("naa.5000".to_owned()), ..backing() }, "naa.5000"),
            (Appearance { epoch: Some((3, 4)), ..backing() }, "another time"),
            (Appearance { epoch: Some((3, 7)), ..backing() }, "another time"),
            (Appearance { epoch: None, ..backing() }, "mark"),
            (Appearance { modified_ns: Some(2_000), ..backing() }, "modified"),
        ] {
            let verdict = at_rest().judge(&now).unwrap_err().reason();
            assert!(verdict.contains(reason), "{verdict}");
        }
    }

    #[test]
    fn a_backing_that_grew_while_it_was_served_is_believed() {
        let grown = Appearance { bytes: Some(2 << 20), ..backing() };
        assert_eq!(at_rest().judge(&grown), Ok(Modified::Not), "it grew before the stop");
        let in_use = Record::now(5, true, &backing(), false, false);
        let grown = Appearance { modified_ns: Some(9_999), ..grown };
        assert_eq!(in_use.judge(&grown), Ok(Modified::Perhaps), "nobody can tell when");
    }

    #[test]
    fn a_record_reads_back_as_it_was_and_a_damaged_one_is_believed_nothing() {
        let dir = TempDir::new();
        at_rest().save(dir.path(), 3).expect("the folder is ours");
        assert_eq!(Record::load(dir.path(), 3), Ok(at_rest()));
        fs::write(file(dir.path(), 3), "{").expect("the folder is ours");
        assert_eq!(Record::load(dir.path(), 3), Ok(Record::default()));
        Record::forget(dir.path(), 3);
        assert_eq!(Record::load(dir.path(), 3), Ok(Record::default()));
    }
}
