//! Structures on storage with a magic of 8 bytes, a version of 4, and a CRC-32C of 4 of all their bytes but its own.

/// Place of the checksum.
const CHECKSUM_AT: usize = 12;

/// Writes the checksum of a structure, which covers all of its bytes.
///
/// # Panics
/// If it is shorter than what is before its checksum and that.
pub fn seal(bytes: &mut [u8]) {
    bytes[CHECKSUM_AT..CHECKSUM_AT + 4].fill(0);
    let checksum = crc32c::crc32c(bytes);
    bytes[CHECKSUM_AT..CHECKSUM_AT + 4].copy_from_slice(&checksum.to_le_bytes());
}

/// Returns true if the checksum of a structure holds.
///
/// # Panics
/// As [`seal`].
pub fn is_sealed(bytes: &[u8]) -> bool {
    checksum_of(bytes) == Numbers(&bytes[CHECKSUM_AT..]).u32()
}

/// Returns the checksum that a structure has to have.
///
/// # Panics
/// As [`seal`].
pub fn checksum_of(bytes: &[u8]) -> u32 {
    let before = crc32c::crc32c(&bytes[..CHECKSUM_AT]);
    let with_zero = crc32c::crc32c_append(before, &[0; 4]);
    crc32c::crc32c_append(with_zero, &bytes[CHECKSUM_AT + 4..])
}

/// Takes numbers off the front of bytes that are long enough.
pub struct Numbers<'a>(pub &'a [u8]);

impl Numbers<'_> {
    /// Takes so many bytes.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn take<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) = self.0.split_first_chunk().expect("the structure has its whole length");
        self.0 = rest;
        *taken
    }

    /// Takes a number of 4 bytes, the lowest first.
    pub fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    /// Takes a number of 8 bytes, the lowest first.
    pub fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
}
