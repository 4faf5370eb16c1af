//! Devices without data: a backing of zeroes, and a flash that stores only pages other than zeroes.
//!
//! Guests' data is all zeroes in a simulation, so a pool of many GiB takes memory for superblock, table, headers and summaries only. The
//! cache writes, reads and checks its log as on any other device.

use std::cell::RefCell;
use std::collections::HashMap;

use block::{BlockDevice, BlockError, Buffer, ByteRange, Geometry, Operation, Outcome, PAGE, Unmap};

/// Disk of zeroes, whatever is written to it.
pub(super) struct Zeroes {
    geometry: Geometry,
}

impl Zeroes {
    pub(super) fn new(size: u64) -> Self {
        Self { geometry: Geometry::plain(size) }
    }
}

impl BlockDevice for Zeroes {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    async fn read(&self, offset: u64, mut buffer: Buffer) -> Outcome {
        let result = self.geometry.check(Operation::Read, offset, buffer.len() as u64);
        buffer.fill(0);
        (buffer, result.map(drop))
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        debug_assert!(is_zero(&buffer), "a simulation writes zeroes only");
        let result = self.geometry.check(Operation::Write, offset, buffer.len() as u64);
        (buffer, result.map(drop))
    }

    async fn flush(&self) -> Result<(), BlockError> {
        Ok(())
    }

    async fn write_zeroes(&self, range: ByteRange, _unmap: Unmap) -> Result<(), BlockError> {
        self.geometry.check(Operation::WriteZeroes, range.start, range.len()).map(drop)
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.geometry.check(Operation::Discard, range.start, range.len()).map(drop)
    }
}

/// Device of whole pages, of which only those other than zero take memory, up to their last byte that is not zero.
pub(super) struct Sparse {
    geometry: Geometry,
    pages: RefCell<HashMap<u64, Box<[u8]>>>,
}

impl Sparse {
    pub(super) fn new(size: u64) -> Self {
        let geometry = Geometry { alignment: PAGE, physical_block: PAGE, ..Geometry::plain(size) };
        Self { geometry, pages: RefCell::default() }
    }
}

impl BlockDevice for Sparse {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    async fn read(&self, offset: u64, mut buffer: Buffer) -> Outcome {
        if let Err(error) = self.geometry.check(Operation::Read, offset, buffer.len() as u64) {
            return (buffer, Err(error));
        }
        let pages = self.pages.borrow();
        for (number, page) in (offset / PAGE..).zip(buffer.chunks_mut(PAGE as usize)) {
            match pages.get(&number) {
                Some(content) => {
                    let (front, rest) = page.split_at_mut(content.len());
                    front.copy_from_slice(content);
                    rest.fill(0);
                }
                None => page.fill(0),
            }
        }
        (buffer, Ok(()))
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        if let Err(error) = self.geometry.check(Operation::Write, offset, buffer.len() as u64) {
            return (buffer, Err(error));
        }
        let mut pages = self.pages.borrow_mut();
        for (number, page) in (offset / PAGE..).zip(buffer.chunks(PAGE as usize)) {
            if is_zero(page) {
                pages.remove(&number);
            } else {
                let end = page.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
                pages.insert(number, page[..end].into());
            }
        }
        (buffer, Ok(()))
    }

    async fn flush(&self) -> Result<(), BlockError> {
        Ok(())
    }

    async fn write_zeroes(&self, range: ByteRange, _unmap: Unmap) -> Result<(), BlockError> {
        let range = self.geometry.check(Operation::WriteZeroes, range.start, range.len())?;
        self.pages.borrow_mut().retain(|number, _| !(range.start..range.end).contains(&(number * PAGE)));
        Ok(())
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.write_zeroes(range, Unmap::Allowed).await
    }
}

const ZEROES: [u8; PAGE as usize] = [0; PAGE as usize];

/// Compares memory with memory: byte by byte, this was a quarter of a simulation in builds for tests.
fn is_zero(bytes: &[u8]) -> bool {
    bytes.chunks(ZEROES.len()).all(|part| *part == ZEROES[..part.len()])
}

#[cfg(test)]
mod tests {
    use block::executor::{Executor, Order, VirtualTime};

    use super::*;

    #[test]
    fn only_pages_that_are_not_zero_are_kept_and_all_read_back() {
        Executor::new(VirtualTime::new(), Order::Seeded(1))
            .run(async {
                let device = Sparse::new(1 << 40);
                let mut content = vec![0; 3 * PAGE as usize];
                content[2 * PAGE as usize - 1] = 7;
                device.write(1 << 39, Buffer::copy_of(&content)).await.1.expect("it fits");
                let lengths: Vec<usize> = device.pages.borrow().values().map(|page| page.len()).collect();
                assert_eq!(lengths, [PAGE as usize]);
                let (back, result) = device.read(1 << 39, Buffer::copy_of(&[9; 3 * PAGE as usize])).await;
                assert!(result.is_ok() && *back == *content);
                let mut short = vec![0; PAGE as usize];
                short[9] = 7;
                device.write((1 << 39) + PAGE, Buffer::copy_of(&short)).await.1.expect("it fits");
                assert_eq!(device.pages.borrow().values().map(|page| page.len()).sum::<usize>(), 10);
                let (back, _) = device.read((1 << 39) + PAGE, Buffer::copy_of(&[9; PAGE as usize])).await;
                assert!(*back == *short);
                device.write((1 << 39) + PAGE, Buffer::zeroed(PAGE as usize)).await.1.expect("it fits");
                assert!(device.pages.borrow().is_empty());
                assert!(device.read(512, Buffer::zeroed(512)).await.1.is_err(), "whole pages only");
                assert!(device.write(1 << 40, Buffer::zeroed(4096)).await.1.is_err(), "past the end");
            })
            .expect("nothing waits");
    }
}
