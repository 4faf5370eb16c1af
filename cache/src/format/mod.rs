//! Format: the content of flash, as pure functions between structures and bytes.
//!
//! ```text
//! device:   | superblock A | superblock B | table A | table B | segment 0 | segment 1 | ...
//! segment:  | header page | data pages ... | header page | data pages ... | (unused) | summary pages |
//!             `-------- batch --------'      `-------- batch --------'
//! ```
//! All numbers are little-endian. Every structure carries a magic number, the format version, the pool's id and a
//! CRC-32C of itself; nothing is used before all four were checked. Superblock and table alternate between two
//! slots, so that a torn write leaves the older one whole; everything else is written once and never overwritten
//! until its segment has a new generation. A segment that is free in both slots may be discarded: then it holds old
//! content, zeroes, or a mix.

pub mod batch;
pub mod checksum;
pub mod codec;
pub mod fields;
pub mod layout;
pub mod members;
pub mod note;
pub mod owner;
pub mod summary;
pub mod superblock;
pub mod table;

/// Version of the format that this build writes, and the only one that it reads. Pools of versions 1 to 3 hold nothing
/// but clean content; they are formatted again.
pub const FORMAT_VERSION: u32 = 4;

/// A pool's identity: random, drawn when the pool is formatted.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PoolId(pub [u8; 16]);

impl PoolId {
    /// Returns a number that differs from pool to pool, and is unknown to guests.
    pub(crate) fn salt(self) -> u64 {
        u64::from_le_bytes(*self.0.first_chunk().expect("an identity has sixteen bytes"))
    }
}

impl std::fmt::Display for PoolId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for PoolId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PoolId({self})")
    }
}
