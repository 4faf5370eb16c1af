//! Record of the writes of a replay, with which its reads are checked.
//!
//! Each sector of a write has its offset and the number of the write. Sectors that this run did not write, or
//! whose write failed, are read and not checked.

use std::collections::HashMap;

const SECTOR: u64 = 512;
const PAGE: u64 = 4096;
const SECTORS_PER_PAGE: usize = (PAGE / SECTOR) as usize;
/// Start of every stamp: the letters FOREBAY and a one.
const MAGIC: u64 = u64::from_le_bytes(*b"FOREBAY\x01");
/// No write of this run, or an unknown one.
const UNKNOWN: u32 = 0;

/// The newest write of every sector. Takes about fifty bytes for each page of the disk that was written.
#[derive(Default)]
pub(super) struct NewestWrites {
    pages: HashMap<u64, [u32; SECTORS_PER_PAGE]>,
}

/// Expected content of a read: the write of each sector, if it is known. Empty if none is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ExpectedContent {
    writes: Vec<u32>,
}

impl NewestWrites {
    /// Records write `number`, counted from 1, as the last one of a range.
    pub(super) fn put(&mut self, offset: u64, length: u32, number: u32) {
        assert!(number != UNKNOWN, "writes are counted from 1");
        self.set(offset, length, number);
    }

    /// Records a range as unknown, because a write to it failed.
    pub(super) fn forget(&mut self, offset: u64, length: u32) {
        self.set(offset, length, UNKNOWN);
    }

    fn set(&mut self, offset: u64, length: u32, number: u32) {
        for sector in sectors(offset, length) {
            let page = self.pages.entry(sector / SECTORS_PER_PAGE as u64).or_default();
            page[sector as usize % SECTORS_PER_PAGE] = number;
        }
    }

    /// Returns the expected content of a range.
    pub(super) fn expected(&self, offset: u64, length: u32) -> ExpectedContent {
        let write = |sector: u64| {
            let page = self.pages.get(&(sector / SECTORS_PER_PAGE as u64));
            page.map_or(UNKNOWN, |page| page[sector as usize % SECTORS_PER_PAGE])
        };
        let writes: Vec<u32> = sectors(offset, length).map(write).collect();
        if writes.iter().all(|write| *write == UNKNOWN) {
            ExpectedContent::default()
        } else {
            ExpectedContent { writes }
        }
    }
}

impl ExpectedContent {
    /// Returns true if any sector of the range is known.
    pub(super) fn is_known(&self) -> bool {
        !self.writes.is_empty()
    }

    /// Returns the offset of the first wrong sector in data that was read at `offset` in the run `run`; none
    /// if all are right.
    pub(super) fn first_wrong(&self, run: u64, offset: u64, bytes: &[u8]) -> Option<u64> {
        let sectors = bytes.chunks_exact(SECTOR as usize).zip(&self.writes).enumerate();
        sectors
            .filter(|(_, (_, write))| **write != UNKNOWN)
            .map(|(number, found)| (offset + number as u64 * SECTOR, found))
            .find(|(at, (bytes, write))| *bytes != stamp(run, *at, **write))
            .map(|(at, _)| at)
    }
}

/// Returns the content that write `number` of a run puts into a range.
pub(super) fn content(run: u64, offset: u64, length: u32, number: u32) -> Vec<u8> {
    sectors(offset, length).flat_map(|sector| stamp(run, sector * SECTOR, number)).collect()
}

fn stamp(run: u64, offset: u64, number: u32) -> [u8; SECTOR as usize] {
    let mut bytes = [0; SECTOR as usize];
    for (part, word) in bytes.chunks_exact_mut(8).zip([MAGIC, run, offset, u64::from(number)].iter().cycle())
    {
        part.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

fn sectors(offset: u64, length: u32) -> std::ops::Range<u64> {
    offset / SECTOR..(offset + u64::from(length)) / SECTOR
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_last_is_expected() {
        let mut written = NewestWrites::default();
        written.put(4096, 8192, 1);
        written.put(7680, 1024, 2);
        let expected = written.expected(7168, 2048);
        let mut bytes = content(9, 7168, 2048, 1);
        bytes[512..1536].copy_from_slice(&content(9, 7680, 1024, 2));
        assert_eq!(expected.first_wrong(9, 7168, &bytes), None);
        assert_eq!(expected.first_wrong(8, 7168, &bytes), Some(7168), "of another run");
        bytes[600] ^= 1;
        assert_eq!(expected.first_wrong(9, 7168, &bytes), Some(7680));
        assert_eq!(expected.first_wrong(9, 7168, &content(9, 7168, 2048, 1)), Some(7680), "an older write");
        assert_eq!(expected.first_wrong(9, 7168, &content(9, 0, 2048, 1)), Some(7168), "from elsewhere");
    }

    #[test]
    fn what_nobody_knows_is_not_judged() {
        let mut written = NewestWrites::default();
        assert!(!written.expected(0, 4096).is_known());
        written.put(0, 1024, 1);
        written.forget(512, 512);
        let expected = written.expected(0, 4096);
        assert!(expected.is_known());
        let mut bytes = vec![7; 4096];
        bytes[..512].copy_from_slice(&content(3, 0, 512, 1));
        assert_eq!(expected.first_wrong(3, 0, &bytes), None);
        written.forget(0, 512);
        assert!(!written.expected(0, 4096).is_known());
    }
}
