//! Small objects as text: one line of JSON, and one with its CRC-32C, so that an administrator can read them with any client of the store.

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::VolumeError;
use crate::mark::Mark;

/// The format that this build writes, and the newest that it knows.
pub(crate) const FORMAT: u32 = 1;

/// The volume that has a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PointerRecord {
    pub(crate) volume: String,
    /// The snapshot of which it is a clone: here as well, because its own record goes first when it is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<ParentRecord>,
}

/// A volume as it was created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VolumeRecord {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) compression: String,
    #[serde(default)]
    pub(crate) deduplicate: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<ParentRecord>,
}

/// The snapshot of which a volume is a clone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ParentRecord {
    /// Identity of the volume that has it, and its name at that time.
    pub(crate) volume: String,
    pub(crate) name: String,
    pub(crate) snapshot: String,
    /// Epoch, number and part under which its body was put.
    pub(crate) body: [u64; 3],
    /// Time of the snapshot, in nanoseconds since 1970.
    pub(crate) taken_at: u64,
    /// Number of the flag by which it knows of this clone.
    pub(crate) flag: u64,
    /// Snapshots through which the clone reads.
    pub(crate) depth: u32,
}

/// Content in the place of a clone's record once it is settled that the clone is never completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VoidRecord {
    pub(crate) void: bool,
}

/// Flag of a clone, in the folder of the volume that has the snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CloneRecord {
    /// Identity and name of the clone.
    pub(crate) volume: String,
    pub(crate) name: String,
}

/// A snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SnapshotRecord {
    pub(crate) name: String,
    /// Time of the group that it is as of, in nanoseconds since 1970.
    pub(crate) taken_at: u64,
    /// Size of the disk in bytes.
    pub(crate) bytes: u64,
    /// Epoch, number and part under which its body was put.
    pub(crate) body: [u64; 3],
    /// True once deleting it began.
    pub(crate) is_going: bool,
}

/// All snapshots of a volume, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableRecord {
    pub(crate) snapshots: Vec<SnapshotRecord>,
}

/// An epoch: a host opened the volume for writing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EpochRecord {
    /// Distinguishes the author of one of several tries.
    pub(crate) nonce: u64,
}

/// The state from which an epoch went on: a checkpoint, and objects behind it in this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StartRecord {
    /// Epoch and number of the checkpoint; none if there is none yet.
    pub(crate) checkpoint: Option<[u64; 2]>,
    pub(crate) tail: Vec<TailRecord>,
    /// Size of the disk in bytes.
    pub(crate) bytes: u64,
    /// Mark that its user left with it.
    #[serde(default)]
    pub(crate) mark: Mark,
    /// Snapshots that it found.
    #[serde(default)]
    pub(crate) snapshots: Vec<SnapshotRecord>,
}

/// Objects of an epoch that count: sequences from the first up to the second, that one not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TailRecord {
    pub(crate) epoch: u64,
    pub(crate) data: [u64; 2],
    pub(crate) copies: [u64; 2],
}

/// The root of a checkpoint: where its body is. Roots stay, for they are counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RootRecord {
    /// Epoch, number and part under which its body was put.
    pub(crate) body: [u64; 3],
}

#[derive(Serialize, Deserialize)]
struct Framed<T> {
    format: u32,
    #[serde(flatten)]
    record: T,
}

#[derive(Deserialize)]
struct FormatOnly {
    format: u32,
}

/// Encodes a record.
pub(crate) fn encode<T: Serialize>(record: &T) -> Bytes {
    let line = serde_json::to_string(&Framed { format: FORMAT, record })
        .expect("records have text keys and plain values");
    Bytes::from(format!("{line}\ncrc32c {:08x}\n", crc32c::crc32c(line.as_bytes())))
}

/// Decodes the record that an object holds.
///
/// # Errors
/// If it is damaged, or of a newer format.
pub(crate) fn decode<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T, VolumeError> {
    let damaged = |reason: &str| VolumeError::damaged(name, reason);
    let text = std::str::from_utf8(bytes).map_err(|_| damaged("it is no text"))?;
    let (line, rest) = text.split_once('\n').ok_or_else(|| damaged("it is cut"))?;
    if rest != format!("crc32c {:08x}\n", crc32c::crc32c(line.as_bytes())) {
        return Err(damaged("its checksum is wrong"));
    }
    let FormatOnly { format } = serde_json::from_str(line).map_err(|_| damaged("it has no format"))?;
    if format > FORMAT {
        return Err(VolumeError::NewerFormat { name: name.to_owned(), format, known: FORMAT });
    }
    let framed: Framed<T> = serde_json::from_str(line).map_err(|error| damaged(&error.to_string()))?;
    Ok(framed.record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_reads_back_and_no_changed_byte_passes() {
        let tail = vec![TailRecord { epoch: 3, data: [4, 9], copies: [0, 1] }];
        let start = StartRecord {
            checkpoint: Some([3, 4]),
            tail,
            bytes: 1 << 40,
            mark: Mark::default(),
            snapshots: Vec::new(),
        };
        let bytes = encode(&start);
        assert_eq!(decode::<StartRecord>("start", &bytes), Ok(start));
        for at in 0..bytes.len() {
            let mut changed = bytes.to_vec();
            changed[at] ^= 1;
            assert!(decode::<StartRecord>("start", &changed).is_err(), "byte {at}");
            assert!(decode::<StartRecord>("start", &bytes[..at]).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn a_newer_format_is_named_as_such() {
        let line = r#"{"format":2,"new":true}"#;
        let text = format!("{line}\ncrc32c {:08x}\n", crc32c::crc32c(line.as_bytes()));
        let error = decode::<EpochRecord>("e", text.as_bytes()).expect_err("newer");
        assert_eq!(error, VolumeError::NewerFormat { name: "e".to_owned(), format: 2, known: 1 });
    }
}
