//! The directory of a ring: which groups count, where they are, and whose ring it is. Pure.
//!
//! ```text
//! 0    8 bytes  magic
//! 8    4        format version
//! 12   4        CRC-32C of the directory with this field as zero
//! 16   16       ring id
//! 32   16       pool id of the flash that writes the ring
//! 48   8        number of the disk in that pool
//! 56   8        generation: rises with each write of the directory
//! 64   8        epoch: rises with each recovery
//! 72   8        number of the last group that ever counted
//! 80   8        time of the last group that counted, in nanoseconds since 1970
//! 88   4        1 if backing and groups together are the disk as of that time, else 0
//! 92   4        groups
//! 96   4        pages of the ring behind the directory
//! 128  32 each  group: number, time, first page, pages of content, entries, CRC-32C of its table
//! ```
//! All numbers are little-endian. The directory is written twice, one copy behind the other.
//!
//! A ring of a consistency set has version 2, in which groups begin at 192:
//!
//! ```text
//! 72   8        number of the last cut that the ring was part of
//! 80   8        time of that cut, or of the confirmed one if that was withdrawn
//! 100  16       set id
//! 116  4        members of the last cut
//! 120  8        confirmed: number of the last cut that is known to count in all rings of the set, 0 if there is none
//! 128  8        its time
//! 136  4        its members
//! 140  4        flags: 1 if the last cut is pending (the ring has it, and it is not known to count), 2 if a recovery fixed the confirmed one
//! ```

use block::PAGE;
use block::sealed::{Numbers, is_sealed, seal};

/// Bytes of one copy of the directory.
pub(crate) const DIRECTORY_BYTES: usize = 16 << 10;
/// Pages of both copies.
pub(crate) const DIRECTORY_PAGES: u64 = 2 * DIRECTORY_BYTES as u64 / PAGE;
/// Number of groups that a directory has room for.
pub(crate) const GROUPS_MAX: usize = (DIRECTORY_BYTES - HEAD_BYTES) / RECORD_BYTES;
/// Number of groups that the directory of a ring of a set has room for.
pub(crate) const SET_GROUPS_MAX: usize = (DIRECTORY_BYTES - SET_HEAD_BYTES) / RECORD_BYTES;

/// Offsets of its copies in bytes.
pub(crate) const COPIES: [u64; 2] = [0, DIRECTORY_BYTES as u64];

const MAGIC: [u8; 8] = *b"FBREDO-D";
pub(crate) const VERSION: u32 = 1;
/// Version of the directory of a ring of a set. An earlier build would apply groups that do not count, so it must not know it.
pub(crate) const SET_VERSION: u32 = 2;
const HEAD_BYTES: usize = 128;
const SET_HEAD_BYTES: usize = 192;
const IS_PENDING: u32 = 1;
const IS_FIXED: u32 = 2;
const RECORD_BYTES: usize = 32;

/// Identity of a ring: random, drawn when the ring is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RingId(pub [u8; 16]);

/// The flash whose dirty data the ring makes consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RingOwner {
    /// Identity of the pool.
    pub pool: [u8; 16],
    /// Number of the disk in the pool.
    pub disk: u64,
}

/// Identity of a consistency set: random, drawn when the set is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SetId(pub [u8; 16]);

/// A cut of a consistency set: one instant, as of which each ring of the set has a group of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutSummary {
    /// Number; rises from cut to cut, with gaps.
    pub number: u64,
    /// Time of the cut, in nanoseconds since 1970.
    pub taken_at: u64,
    /// Number of rings that are part of it.
    pub members: u32,
}

/// Part of a directory that only a ring of a set has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SetRecord {
    pub(crate) set: SetId,
    /// Members of the last cut.
    pub(crate) members: u32,
    /// The last cut that counts; its number is 0 if there is none.
    pub(crate) confirmed: CutSummary,
    /// True if the ring has the last cut, and it is not known to count.
    pub(crate) is_pending: bool,
    /// True once a recovery chose the confirmed cut.
    pub(crate) is_fixed: bool,
}

/// A group that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupRecord {
    pub(crate) number: u64,
    /// T of the group, in nanoseconds since 1970.
    pub(crate) taken_at: u64,
    /// First page, counted from the end of the directory.
    pub(crate) start: u32,
    /// Pages of content between the two tables.
    pub(crate) content_pages: u32,
    pub(crate) entries: u32,
    pub(crate) table_checksum: u32,
}

/// A directory whose checksum was verified, or that is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Directory {
    pub(crate) ring: RingId,
    pub(crate) owner: RingOwner,
    pub(crate) generation: u64,
    pub(crate) epoch: u64,
    pub(crate) last_number: u64,
    pub(crate) last_taken_at: u64,
    pub(crate) is_consistent: bool,
    pub(crate) area_pages: u32,
    pub(crate) set: Option<SetRecord>,
    pub(crate) groups: Vec<GroupRecord>,
}

/// Reason why bytes are no directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DirectoryFault {
    /// Something else, or nothing.
    Foreign,
    /// Of a version that this build does not know.
    Version(u32),
    /// Torn or damaged.
    Damaged,
}

/// Returns true if the bytes at the offsets of the copies of a directory, which `read` gives, begin one: the file or device is a ring then.
///
/// # Errors
/// Those of `read`.
pub fn is_ring<E>(mut read: impl FnMut(u64) -> Result<Vec<u8>, E>) -> Result<bool, E> {
    for at in COPIES {
        if read(at)?.starts_with(&MAGIC) {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Directory {
    /// Encodes one copy.
    ///
    /// # Panics
    /// If there are more groups than a directory has room for.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let (version, head_bytes, groups_max) = layout(self.set.is_some());
        assert!(self.groups.len() <= groups_max, "the ring takes no more groups than that");
        let mut bytes = Vec::with_capacity(DIRECTORY_BYTES);
        bytes.extend(MAGIC);
        bytes.extend(version.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(self.ring.0);
        bytes.extend(self.owner.pool);
        for number in [self.owner.disk, self.generation, self.epoch, self.last_number, self.last_taken_at] {
            bytes.extend(number.to_le_bytes());
        }
        for number in [u32::from(self.is_consistent), self.groups.len() as u32, self.area_pages] {
            bytes.extend(number.to_le_bytes());
        }
        if let Some(record) = &self.set {
            let CutSummary { number, taken_at, members } = record.confirmed;
            bytes.extend(record.set.0);
            bytes.extend(record.members.to_le_bytes());
            bytes.extend(number.to_le_bytes());
            bytes.extend(taken_at.to_le_bytes());
            bytes.extend(members.to_le_bytes());
            let pending = if record.is_pending { IS_PENDING } else { 0 };
            let fixed = if record.is_fixed { IS_FIXED } else { 0 };
            bytes.extend((pending | fixed).to_le_bytes());
        }
        bytes.resize(head_bytes, 0);
        for group in &self.groups {
            bytes.extend(group.number.to_le_bytes());
            bytes.extend(group.taken_at.to_le_bytes());
            for number in [group.start, group.content_pages, group.entries, group.table_checksum] {
                bytes.extend(number.to_le_bytes());
            }
        }
        bytes.resize(DIRECTORY_BYTES, 0);
        seal(&mut bytes);
        bytes
    }

    /// Decodes one copy.
    ///
    /// # Errors
    /// Why it is none.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, DirectoryFault> {
        if bytes.len() != DIRECTORY_BYTES || bytes[..8] != MAGIC {
            return Err(DirectoryFault::Foreign);
        }
        let mut fields = Numbers(&bytes[8..]);
        let version = fields.u32();
        if version != VERSION && version != SET_VERSION {
            return Err(DirectoryFault::Version(version));
        }
        if !is_sealed(bytes) {
            return Err(DirectoryFault::Damaged);
        }
        fields.u32();
        let ring = RingId(fields.take());
        let owner = RingOwner { pool: fields.take(), disk: fields.u64() };
        let [generation, epoch, last_number, last_taken_at] = [0; 4].map(|_| fields.u64());
        let [is_consistent, count, area_pages] = [0; 3].map(|_| fields.u32());
        let (_, head_bytes, groups_max) = layout(version == SET_VERSION);
        if count as usize > groups_max {
            return Err(DirectoryFault::Damaged);
        }
        let set = (version == SET_VERSION).then(|| {
            let (set, members) = (SetId(fields.take()), fields.u32());
            let confirmed =
                CutSummary { number: fields.u64(), taken_at: fields.u64(), members: fields.u32() };
            let flags = fields.u32();
            let [is_pending, is_fixed] = [IS_PENDING, IS_FIXED].map(|flag| flags & flag != 0);
            SetRecord { set, members, confirmed, is_pending, is_fixed }
        });
        let records = bytes[head_bytes..].chunks_exact(RECORD_BYTES).take(count as usize);
        let groups = records.map(|record| {
            let mut fields = Numbers(record);
            GroupRecord {
                number: fields.u64(),
                taken_at: fields.u64(),
                start: fields.u32(),
                content_pages: fields.u32(),
                entries: fields.u32(),
                table_checksum: fields.u32(),
            }
        });
        let directory = Self {
            ring,
            owner,
            generation,
            epoch,
            last_number,
            last_taken_at,
            is_consistent: is_consistent != 0,
            area_pages,
            set,
            groups: groups.collect(),
        };
        if directory.is_possible() { Ok(directory) } else { Err(DirectoryFault::Damaged) }
    }

    /// Returns true if groups are in order and inside the ring.
    fn is_possible(&self) -> bool {
        let fits = |group: &GroupRecord| group.end() <= u64::from(self.area_pages);
        let counts = |group: &GroupRecord| match &self.set {
            None => group.number <= self.last_number,
            Some(set) => {
                group.number <= set.confirmed.number || set.is_pending && group.number == self.last_number
            }
        };
        self.groups.iter().all(|group| fits(group) && counts(group))
            && self.groups.is_sorted_by_key(|group| group.number)
            && (self.set.is_some() || self.groups.last().is_none_or(|group| group.number == self.last_number))
    }
}

/// Returns version, bytes of the head and highest number of groups of the directory of a ring of a set, or of one alone.
fn layout(is_of_set: bool) -> (u32, usize, usize) {
    if is_of_set { (SET_VERSION, SET_HEAD_BYTES, SET_GROUPS_MAX) } else { (VERSION, HEAD_BYTES, GROUPS_MAX) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn directory(groups: u64) -> Directory {
        let groups = (0..groups).map(|at| GroupRecord {
            number: 3 + at,
            taken_at: 1_000 + at,
            start: 4 * at as u32,
            content_pages: 1,
            entries: 7,
            table_checksum: 0xdead_beef,
        });
        let groups: Vec<_> = groups.collect();
        Directory {
            ring: RingId([1; 16]),
            owner: RingOwner { pool: [2; 16], disk: 5 },
            generation: 9,
            epoch: 4,
            last_number: groups.last().map_or(2, |group| group.number),
            last_taken_at: 77,
            is_consistent: true,
            area_pages: 4096,
            set: None,
            groups,
        }
    }

    /// Makes it the directory of a ring of a set, whose last group is pending.
    fn of_set(directory: Directory) -> Directory {
        let number = directory.last_number - 1;
        let confirmed = CutSummary { number, taken_at: 70, members: 2 };
        let (set, members) = (SetId([7; 16]), 3);
        let set = SetRecord { set, members, confirmed, is_pending: true, is_fixed: false };
        Directory { set: Some(set), ..directory }
    }

    #[test]
    fn a_directory_comes_back_as_it_was() {
        for groups in [0, 1, GROUPS_MAX as u64] {
            let directory = directory(groups);
            assert_eq!(Directory::decode(&directory.encode()), Ok(directory));
        }
        for groups in [0, 1, SET_GROUPS_MAX as u64] {
            let directory = of_set(directory(groups));
            assert_eq!(Directory::decode(&directory.encode()), Ok(directory));
        }
    }

    #[test]
    fn a_ring_alone_has_the_first_version_and_one_of_a_set_the_second() {
        assert_eq!(directory(1).encode()[8], 1);
        assert_eq!(of_set(directory(1)).encode()[8], 2);
    }

    #[test]
    fn a_group_of_a_set_that_is_neither_confirmed_nor_pending_is_damage() {
        let mut directory = of_set(directory(3));
        directory.set.as_mut().expect("it is of one").is_pending = false;
        assert_eq!(Directory::decode(&directory.encode()), Err(DirectoryFault::Damaged));
    }

    #[test]
    fn other_versions_and_other_content_are_told_apart() {
        let mut bytes = directory(1).encode();
        bytes[8] = 3;
        assert_eq!(Directory::decode(&bytes), Err(DirectoryFault::Version(3)));
        assert_eq!(Directory::decode(&[0; DIRECTORY_BYTES]), Err(DirectoryFault::Foreign));
    }

    #[test]
    fn a_group_outside_of_the_ring_is_damage() {
        let mut directory = directory(3);
        directory.groups[2].start = 4095;
        assert_eq!(Directory::decode(&directory.encode()), Err(DirectoryFault::Damaged));
    }

    proptest! {
        #[test]
        fn no_changed_bit_passes(at in 16 * 8..DIRECTORY_BYTES * 8) {
            for directory in [directory(5), of_set(directory(5))] {
                let mut bytes = directory.encode();
                bytes[at / 8] ^= 1 << (at % 8);
                prop_assert_eq!(Directory::decode(&bytes), Err(DirectoryFault::Damaged));
            }
        }
    }
}
