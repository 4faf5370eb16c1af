//! A device in memory: for simulation, for tests, and to measure the cache without a disk.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::{BlockDevice, BlockError, Buffer, ByteRange, Geometry, Operation, Outcome, Unmap};

const CHUNK: u64 = 64 << 10;

/// Memory that behaves like a disk. Parts that were never written read as zeroes and take no room. Clones share
/// content.
///
/// Every operation completes at once, and a flush has nothing to do: there is no cache to lose.
#[derive(Clone)]
pub struct Memory {
    geometry: Geometry,
    chunks: Rc<RefCell<BTreeMap<u64, Box<[u8]>>>>,
}

impl Memory {
    /// Creates a disk of `size` bytes that takes any 512-byte request.
    pub fn new(size: u64) -> Self {
        Self::with_geometry(Geometry::plain(size))
    }

    /// Creates a disk with the given geometry.
    pub fn with_geometry(geometry: Geometry) -> Self {
        Self { geometry, chunks: Rc::default() }
    }

    /// Returns a second device with the same content, which changes independently from now on.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        Self { geometry: self.geometry, chunks: Rc::new(RefCell::new(self.chunks.borrow().clone())) }
    }

    /// Copies the content at `offset` into `bytes`.
    pub fn peek(&self, offset: u64, bytes: &mut [u8]) {
        let chunks = self.chunks.borrow();
        for_each_part(offset, bytes.len(), |chunk, within, at| {
            let part = &mut bytes[at];
            match chunks.get(&chunk) {
                Some(chunk) => part.copy_from_slice(&chunk[within..within + part.len()]),
                None => part.fill(0),
            }
        });
    }

    /// Puts `bytes` at `offset`.
    pub fn poke(&self, offset: u64, bytes: &[u8]) {
        let mut chunks = self.chunks.borrow_mut();
        for_each_part(offset, bytes.len(), |chunk, within, at| {
            let part = &bytes[at];
            let chunk = chunks.entry(chunk).or_insert_with(|| vec![0; CHUNK as usize].into_boxed_slice());
            chunk[within..within + part.len()].copy_from_slice(part);
        });
    }

    /// Makes a range read as zeroes.
    pub fn clear(&self, range: &ByteRange) {
        let whole = range.narrowed(CHUNK);
        let zeroes = vec![0; CHUNK as usize];
        if whole.is_empty() {
            let mut at = range.start;
            while at < range.end {
                let count = (range.end - at).min(CHUNK);
                self.poke(at, &zeroes[..count as usize]);
                at += count;
            }
            return;
        }
        self.chunks.borrow_mut().retain(|chunk, _| !(whole.start / CHUNK..whole.end / CHUNK).contains(chunk));
        self.poke(range.start, &zeroes[..(whole.start - range.start) as usize]);
        self.poke(whole.end, &zeroes[..(range.end - whole.end) as usize]);
    }
}

/// Calls `visit(chunk, offset in the chunk, range of the bytes)` for each chunk that a stretch of bytes touches.
fn for_each_part(offset: u64, len: usize, mut visit: impl FnMut(u64, usize, std::ops::Range<usize>)) {
    let mut at = 0;
    while at < len {
        let place = offset + at as u64;
        let within = (place % CHUNK) as usize;
        let count = (CHUNK as usize - within).min(len - at);
        visit(place / CHUNK, within, at..at + count);
        at += count;
    }
}

impl BlockDevice for Memory {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    async fn read(&self, offset: u64, mut buffer: Buffer) -> Outcome {
        let result = self.geometry.check(Operation::Read, offset, buffer.len() as u64);
        let result = result.map(|_| self.peek(offset, &mut buffer));
        (buffer, result)
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        let result = self.geometry.check(Operation::Write, offset, buffer.len() as u64);
        let result = result.map(|_| self.poke(offset, &buffer));
        (buffer, result)
    }

    async fn flush(&self) -> Result<(), BlockError> {
        Ok(())
    }

    async fn write_zeroes(&self, range: ByteRange, _unmap: Unmap) -> Result<(), BlockError> {
        let range = self.geometry.check(Operation::WriteZeroes, range.start, range.len())?;
        self.clear(&range);
        Ok(())
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        let range = self.geometry.check(Operation::Discard, range.start, range.len())?;
        if self.geometry.unmaps {
            self.clear(&range);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_there_and_the_rest_is_zero() {
        let memory = Memory::new(1 << 20);
        memory.poke(CHUNK - 100, &[7; 200]);
        let mut bytes = [1; 400];
        memory.peek(CHUNK - 200, &mut bytes);
        assert!(bytes[..100].iter().chain(&bytes[300..]).all(|&byte| byte == 0));
        assert!(bytes[100..300].iter().all(|&byte| byte == 7));
    }

    #[test]
    fn clearing_frees_whole_chunks_and_zeroes_the_edges() {
        let memory = Memory::new(1 << 20);
        memory.poke(0, &vec![7; 1 << 20]);
        memory.clear(&ByteRange::new(1000, 5 * CHUNK + 1000));
        assert_eq!(memory.chunks.borrow().len(), 12);
        let mut bytes = vec![1; 1 << 20];
        memory.peek(0, &mut bytes);
        for (at, byte) in bytes.into_iter().enumerate() {
            let cleared = (1000..5 * CHUNK as usize + 1000).contains(&at);
            assert_eq!(byte, if cleared { 0 } else { 7 }, "at {at}");
        }
    }
}
