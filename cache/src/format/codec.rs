//! Cursors that put numbers into a page and take them out, and the frame around every structure on flash.
//!
//! ```text
//! 0   8 bytes  magic            what the structure is
//! 8   4        format version
//! 12  4        CRC-32C of the structure with this field as zero
//! 16  16       pool id
//! 32  ...      the structure's own fields
//! ```

use super::checksum::checksum;
use super::{FORMAT_VERSION, PoolId};

/// Bytes of the frame in front of a structure's own fields.
pub const FRAME_BYTES: usize = 32;
const CHECKSUM_AT: usize = 12;

/// Reason why bytes are not the expected structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// Not this kind of structure at all.
    Magic,
    /// Written by a newer (or unknown) version.
    Version(u32),
    /// Torn or damaged.
    Checksum,
    /// Of another pool.
    Pool,
    /// The checksum holds but a field is impossible: a defect of the writer.
    Field(&'static str),
}

/// Writes fields one after another into a zeroed stretch of bytes.
pub struct Encoder<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl<'a> Encoder<'a> {
    /// Starts a structure: frame first, checksum filled in by [`Encoder::finish`].
    pub fn new(bytes: &'a mut [u8], magic: [u8; 8], pool: PoolId) -> Self {
        Self::of_version(bytes, magic, FORMAT_VERSION, pool)
    }

    /// As [`Encoder::new`], for a structure of another version than most.
    pub fn of_version(bytes: &'a mut [u8], magic: [u8; 8], version: u32, pool: PoolId) -> Self {
        bytes.fill(0);
        let mut encoder = Self { bytes, at: 0 };
        encoder.put(&magic);
        encoder.u32(version);
        encoder.u32(0);
        encoder.put(&pool.0);
        assert_eq!(encoder.at, FRAME_BYTES);
        encoder
    }

    /// Appends raw bytes.
    pub fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    /// Appends a number.
    pub fn u32(&mut self, value: u32) {
        self.put(&value.to_le_bytes());
    }

    /// Appends a number.
    pub fn u64(&mut self, value: u64) {
        self.put(&value.to_le_bytes());
    }

    /// Returns room for `count` entries of the same length, one after another, to be filled in: with one bounds check for all of them.
    pub fn lines<const BYTES: usize>(&mut self, count: usize) -> &mut [[u8; BYTES]] {
        let start = self.at;
        self.at += count * BYTES;
        self.bytes[start..self.at].as_chunks_mut().0
    }

    /// Seals the structure with its checksum, which covers all of the bytes, unused ones included.
    pub fn finish(self) {
        let checksum = checksum(self.bytes);
        self.bytes[CHECKSUM_AT..CHECKSUM_AT + 4].copy_from_slice(&checksum.to_le_bytes());
    }
}

/// Writes the frame of a structure whose own fields are in place behind it, with a checksum of all of its bytes.
///
/// # Panics
/// If there is no room for a frame.
pub fn seal(bytes: &mut [u8], magic: [u8; 8], version: u32, pool: PoolId) {
    let Encoder { at, .. } = Encoder::of_version(&mut bytes[..FRAME_BYTES], magic, version, pool);
    Encoder { bytes, at }.finish();
}

/// Takes fields one after another out of bytes whose frame has been verified.
pub struct Decoder<'a> {
    bytes: &'a [u8],
    at: usize,
    pool: PoolId,
}

impl<'a> Decoder<'a> {
    /// Verifies the frame: magic, version, checksum, in this order.
    ///
    /// # Errors
    /// The first of them that fails.
    pub fn new(bytes: &'a [u8], magic: [u8; 8]) -> Result<Self, FrameError> {
        Self::of_versions(bytes, magic, &[FORMAT_VERSION]).map(|(decoder, _)| decoder)
    }

    /// As [`Decoder::new`], for a structure of one of some versions. Returns the version too.
    ///
    /// # Errors
    /// As [`Decoder::new`].
    pub fn of_versions(bytes: &'a [u8], magic: [u8; 8], versions: &[u32]) -> Result<(Self, u32), FrameError> {
        let mut decoder = Self { bytes, at: 0, pool: PoolId([0; 16]) };
        if decoder.take::<8>() != magic {
            return Err(FrameError::Magic);
        }
        let version = decoder.u32();
        if !versions.contains(&version) {
            return Err(FrameError::Version(version));
        }
        let stored = decoder.u32();
        let before = crc32c::crc32c(&bytes[..CHECKSUM_AT]);
        let with_zero = crc32c::crc32c_append(before, &[0; 4]);
        if crc32c::crc32c_append(with_zero, &bytes[CHECKSUM_AT + 4..]) != stored {
            return Err(FrameError::Checksum);
        }
        decoder.pool = PoolId(decoder.take());
        Ok((decoder, version))
    }

    /// As [`Decoder::new`], and of this pool.
    ///
    /// # Errors
    /// The first check that fails.
    pub fn of_pool(bytes: &'a [u8], magic: [u8; 8], pool: PoolId) -> Result<Self, FrameError> {
        let decoder = Self::new(bytes, magic)?;
        if decoder.pool == pool { Ok(decoder) } else { Err(FrameError::Pool) }
    }

    /// Returns the pool that the structure names.
    pub fn pool(&self) -> PoolId {
        self.pool
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        let taken = self.bytes[self.at..self.at + N].try_into().expect("the slice has N bytes");
        self.at += N;
        taken
    }

    /// Returns the next number.
    pub fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    /// Returns the next number.
    pub fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
}
