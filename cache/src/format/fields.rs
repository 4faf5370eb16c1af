//! Fields of what is saved outside the pool, one after another, of any number: nothing is taken for granted when they are read back.

/// Says that bytes do not hold what was expected, and which field it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub(crate) &'static str);

/// Bytes that grow by fields. Numbers are little-endian.
#[derive(Default)]
pub(crate) struct FieldWriter(Vec<u8>);

impl FieldWriter {
    /// Returns all that was written.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Returns how many bytes were written.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Drops what was written after so many bytes.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// Overwrites what was written at `at`.
    ///
    /// # Panics
    /// If less was written.
    pub(crate) fn overwrite(&mut self, at: usize, bytes: &[u8]) {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Appends raw bytes.
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Appends a number.
    pub(crate) fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    /// Appends a number.
    pub(crate) fn u16(&mut self, value: u16) {
        self.put(&value.to_le_bytes());
    }

    /// Appends a number.
    pub(crate) fn u32(&mut self, value: u32) {
        self.put(&value.to_le_bytes());
    }

    /// Appends a number.
    pub(crate) fn u64(&mut self, value: u64) {
        self.put(&value.to_le_bytes());
    }

    /// Appends a number.
    pub(crate) fn f32(&mut self, value: f32) {
        self.put(&value.to_le_bytes());
    }

    /// Appends a number.
    pub(crate) fn f64(&mut self, value: f64) {
        self.put(&value.to_le_bytes());
    }

    /// Appends a number in as few bytes as it needs, seven bits in each (LEB128: DWARF 5, section 7.6).
    pub(crate) fn varint(&mut self, mut value: u32) {
        while value >= 1 << 7 {
            self.u8(value as u8 | 1 << 7);
            value >>= 7;
        }
        self.u8(value as u8);
    }
}

/// Takes fields off the front of bytes.
#[derive(Clone, Copy)]
pub(crate) struct FieldReader<'a>(&'a [u8]);

impl<'a> FieldReader<'a> {
    /// Begins with the first byte.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Returns what was not taken yet.
    pub(crate) fn rest(self) -> &'a [u8] {
        self.0
    }

    /// Takes so many bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Malformed("it ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Malformed("it ends too early"))?;
        self.0 = rest;
        Ok(*taken)
    }

    /// Takes a number.
    pub(crate) fn u8(&mut self) -> Result<u8, Malformed> {
        self.array().map(u8::from_le_bytes)
    }

    /// Takes a number.
    pub(crate) fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_le_bytes)
    }

    /// Takes a number.
    pub(crate) fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    /// Takes a number.
    pub(crate) fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    /// Takes a number that is finite and not below zero, as all counts and weights are.
    pub(crate) fn f32(&mut self) -> Result<f32, Malformed> {
        let value = f32::from_le_bytes(self.array()?);
        if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(Malformed("a count is none")) }
    }

    /// Takes a number that is finite and not below zero, as all counts and weights are.
    pub(crate) fn f64(&mut self) -> Result<f64, Malformed> {
        let value = f64::from_le_bytes(self.array()?);
        if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(Malformed("a count is none")) }
    }

    /// Takes a number of [`FieldWriter::varint`].
    pub(crate) fn varint(&mut self) -> Result<u32, Malformed> {
        let mut value = 0_u32;
        for shift in (0..u32::BITS).step_by(7) {
            let byte = self.u8()?;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 1 << 7 {
                return Ok(value);
            }
        }
        Err(Malformed("a number is too long"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back_as_they_were_and_missing_ones_are_reported() {
        let numbers = [0, 1, 127, 128, 300, 1 << 21, u32::MAX];
        let mut writer = FieldWriter::default();
        for number in numbers {
            writer.varint(number);
        }
        writer.u16(7);
        writer.f32(0.5);
        writer.f64(f64::NAN);
        let bytes = writer.into_bytes();
        let mut reader = FieldReader::new(&bytes);
        assert_eq!(numbers.map(|_| reader.varint().expect("it is there")), numbers);
        assert_eq!((reader.u16(), reader.f32()), (Ok(7), Ok(0.5)));
        assert!(reader.f64().is_err(), "no count");
        assert!(reader.u8().is_err() && reader.rest().is_empty());
        assert!(FieldReader::new(&[0xff; 9]).varint().is_err());
    }
}
