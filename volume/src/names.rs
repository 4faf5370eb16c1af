//! Names of objects. Numbers have leading zeroes, so that a list is in their order.
//!
//! ```text
//! names/NAME                      which volume has this name
//! volumes/ID/volume               size and options at its creation
//! volumes/ID/epoch/N              a host opened the volume for writing; counted from 1, never deleted
//! volumes/ID/start/N              from which state it went on
//! volumes/ID/marks/N.K            what its user left with it
//! volumes/ID/data/N.SEQ           changes of groups
//! volumes/ID/copies/N.SEQ         chunks that cleaning moved
//! volumes/ID/map/N.K              a checkpoint of the map; its parts: N.K.P
//! volumes/ID/snapshots/N.K        all snapshots that there are, after a change; counted from 0 within the epoch
//! volumes/ID/clones/N.P.K         a clone of the snapshot with the body P of epoch N, before it is created; counted from 0
//! volumes/ID/released/N.P.K       that clone is no more, or never was
//! ```

use std::fmt;

use crate::error::VolumeError;

/// Prefix of the names of volumes.
pub(crate) const POINTERS: &str = "names/";
/// Longest name of a volume, in bytes.
const NAME_BYTES_MAX: usize = 100;

/// Identity of a volume: random, and never used again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VolumeId(pub(crate) [u8; 16]);

impl VolumeId {
    /// Reads what [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        (text.len() == 32 && text.is_ascii()).then_some(())?;
        let mut bytes = [0; 16];
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// Creates an identity from random numbers.
    pub(crate) fn from_random(mut random: impl FnMut() -> u64) -> Self {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&random().to_le_bytes());
        bytes[8..].copy_from_slice(&random().to_le_bytes());
        Self(bytes)
    }

    /// Returns the prefix of all its objects.
    pub(crate) fn prefix(self) -> String {
        format!("volumes/{self}/")
    }

    pub(crate) fn volume(self) -> String {
        format!("volumes/{self}/volume")
    }

    /// Returns the prefix of its epochs.
    pub(crate) fn epochs(self) -> String {
        format!("volumes/{self}/epoch/")
    }

    pub(crate) fn epoch(self, epoch: u64) -> String {
        format!("volumes/{self}/epoch/{epoch:08}")
    }

    pub(crate) fn start(self, epoch: u64) -> String {
        format!("volumes/{self}/start/{epoch:08}")
    }

    pub(crate) fn mark(self, epoch: u64, number: u64) -> String {
        format!("volumes/{self}/marks/{epoch:08}.{number:08}")
    }

    pub(crate) fn snapshots(self, epoch: u64, number: u64) -> String {
        format!("volumes/{self}/snapshots/{epoch:08}.{number:08}")
    }

    pub(crate) fn object(self, key: ObjectKey) -> String {
        let kind = if key.is_copies { "copies" } else { "data" };
        format!("volumes/{self}/{kind}/{:08}.{:012}", key.epoch, key.sequence)
    }

    pub(crate) fn checkpoint(self, checkpoint: CheckpointKey) -> String {
        format!("volumes/{self}/map/{:08}.{:08}", checkpoint.epoch, checkpoint.number)
    }

    pub(crate) fn part(self, part: PartKey) -> String {
        format!("{}.{:06}", self.checkpoint(part.checkpoint), part.part)
    }
}

impl fmt::Display for VolumeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for VolumeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Name of an object with content, within its volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectKey {
    pub(crate) is_copies: bool,
    pub(crate) epoch: u64,
    pub(crate) sequence: u64,
}

/// Name of a checkpoint, within its volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CheckpointKey {
    pub(crate) epoch: u64,
    pub(crate) number: u64,
}

/// Name of a part of a checkpoint, within its volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PartKey {
    pub(crate) checkpoint: CheckpointKey,
    pub(crate) part: u32,
}

/// Identity of a snapshot among those of all volumes. The content that has it never changes, and no other one ever has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SnapshotId {
    pub(crate) volume: VolumeId,
    /// Epoch in which it was taken, and the part that is its body, of which there is no other in this epoch.
    pub(crate) epoch: u64,
    pub(crate) number: u32,
}

impl SnapshotId {
    /// Returns the identity of the volume that has the snapshot.
    pub fn volume(self) -> VolumeId {
        self.volume
    }

    pub(crate) fn of_body(volume: VolumeId, body: PartKey) -> Self {
        Self { volume, epoch: body.checkpoint.epoch, number: body.part }
    }

    pub(crate) fn clone_flag(self, number: u64) -> String {
        format!("volumes/{}/clones/{:08}.{:06}.{number:08}", self.volume, self.epoch, self.number)
    }

    pub(crate) fn released(self, number: u64) -> String {
        format!("volumes/{}/released/{:08}.{:06}.{number:08}", self.volume, self.epoch, self.number)
    }
}

impl fmt::Display for SnapshotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}.{}", self.volume, self.epoch, self.number)
    }
}

/// Checks the name of a volume or of a snapshot.
///
/// # Errors
/// If none can have it.
pub fn check_name(name: &str) -> Result<(), VolumeError> {
    let refuse = |reason| Err(VolumeError::BadName { name: name.to_owned(), reason });
    if name.is_empty() || name.len() > NAME_BYTES_MAX {
        return refuse("it has 1 to 100 characters");
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if !name.chars().all(is_plain) || name.starts_with(['.', '-']) {
        return refuse(
            "it has letters, digits, '.', '_' and '-' only, and begins with a letter, a digit or '_'",
        );
    }
    Ok(())
}

/// Returns the name of the object that says which volume has a name.
///
/// # Errors
/// If no volume can have it.
pub(crate) fn pointer(name: &str) -> Result<String, VolumeError> {
    check_name(name)?;
    Ok(format!("{POINTERS}{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_volumes_cannot_leave_their_folder() {
        for name in ["", ".", "..", "a/b", "-x", "ä", "a b", &"x".repeat(101)] {
            assert!(pointer(name).is_err(), "{name}");
        }
        assert_eq!(pointer("db-1.disk").as_deref(), Ok("names/db-1.disk"));
    }

    #[test]
    fn an_identity_reads_back() {
        let id = VolumeId::from_random(|| 0x0123_4567_89ab_cdef);
        assert_eq!(VolumeId::parse(&id.to_string()), Some(id));
        assert_eq!(VolumeId::parse("x"), None);
    }
}
