//! Objects with content: a header that lists what changed, and chunks.
//!
//! ```text
//! 0    8 bytes  magic
//! 8    4        format version
//! 12   4        CRC-32C of the header with this field as zero
//! 16   16       identity of the volume
//! 32   8        epoch
//! 40   8        sequence
//! 48   8        number of the group, within the epoch
//! 56   4        place among the objects of the group
//! 60   4        1 if it ends the group
//! 64   8        time of the group, in nanoseconds since 1970
//! 72   8        size of the disk in bytes
//! 80   8        sequence behind the last group that counted when it was made
//! 88   4        bytes of the header
//! 92   4        chunks
//! 96   4        ranges of zeroes
//! 100  4        sources
//! 104  4        references
//! 108  4        zero
//! 112  24 each  chunk: first page, pages, offset, bytes (4 bytes each), 4 bytes zero
//!      16 each  range of zeroes: first page, pages
//!      40 each  source of the chunk at the same place: epoch, sequence, 1 if it is one of copies, offset, first page of its chunk, 8 zero
//!      48 each  reference: first page, pages, place of its content in the chunk, epoch, sequence, 1 if it is one of copies, offset, bytes
//!               and pages of the chunk (4 bytes each)
//! ```
//! Sources of references are behind those of chunks.
//!
//! The objects of a group have consecutive places. A group counts when it ends and all its objects are there. An object of copies belongs
//! to no group; each of its chunks counts only where the map still points to its source.

use std::ops::Range;

use block::PAGE;
use block::sealed::{Numbers, is_sealed, seal};

use super::chunk::{self, CHUNK_BYTES_MAX, CHUNK_PAGES, Compression};
use super::error::VolumeError;
use super::map::Location;
use super::names::{ObjectKey, VolumeId};
use super::record::FORMAT;
use super::references::{REFERENCE_BYTES, Reference};

const MAGIC: [u8; 8] = *b"FBVOLUME";
/// Bytes before the tables.
const HEAD_BYTES: usize = 112;
const CHUNK_ENTRY_BYTES: usize = 24;
const ZEROES_ENTRY_BYTES: usize = 16;
pub(crate) const SOURCE_ENTRY_BYTES: usize = 40;
/// Bytes of an object with which a reader of headers begins.
pub(crate) const HEADER_READ_BYTES: u64 = 128 << 10;

/// A chunk in the table of its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChunkEntry {
    pub(crate) page: u64,
    pub(crate) pages: u32,
    pub(crate) offset: u32,
    pub(crate) stored: u32,
}

impl ChunkEntry {
    /// Returns its pages.
    pub(crate) fn range(&self) -> Range<u64> {
        self.page..self.page + u64::from(self.pages)
    }

    /// Returns the place of its first page in an object.
    pub(crate) fn location(&self, object: u32) -> Location {
        let (stored, pages) = (self.stored as u16, self.pages as u8);
        Location { object, offset: self.offset, stored, index: 0, pages }
    }
}

/// The chunk from which one was copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) object: ObjectKey,
    pub(crate) offset: u32,
    /// First page of that chunk; for pages that refer to it, the one that it would have.
    pub(crate) page: u64,
}

/// Header of an object with content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) volume: VolumeId,
    pub(crate) key: ObjectKey,
    pub(crate) group: u64,
    pub(crate) place: u32,
    pub(crate) ends: bool,
    pub(crate) taken_at: u64,
    pub(crate) bytes: u64,
    /// Sequence behind the last group that counted when it was made: what lies before was there. 0 in an object of copies.
    pub(crate) counted: u64,
    pub(crate) chunks: Vec<ChunkEntry>,
    pub(crate) zeroes: Vec<Range<u64>>,
    /// One for each chunk and each reference of copies; none otherwise.
    pub(crate) sources: Vec<Source>,
    /// Pages whose content is in a chunk for other pages, of this object or another one; of copies, of this one.
    pub(crate) references: Vec<Reference>,
}

impl Header {
    fn encoded_bytes(&self) -> usize {
        HEAD_BYTES
            + self.chunks.len() * CHUNK_ENTRY_BYTES
            + self.zeroes.len() * ZEROES_ENTRY_BYTES
            + self.sources.len() * SOURCE_ENTRY_BYTES
            + self.references.len() * REFERENCE_BYTES
    }

    /// Returns the bytes of the header.
    pub(crate) fn header_bytes(&self) -> u64 {
        self.encoded_bytes() as u64
    }

    /// Returns the bytes of the whole object.
    pub(crate) fn stored_bytes(&self) -> u64 {
        let chunks = self.chunks.last().map(|chunk| u64::from(chunk.offset) + u64::from(chunk.stored));
        chunks.unwrap_or_else(|| self.header_bytes())
    }

    /// Encodes the object: the header, and behind it the chunks, whose offsets count from their own start until then.
    pub(crate) fn encode(&mut self, chunks: &[u8]) -> Vec<u8> {
        let header_bytes = self.encoded_bytes();
        self.chunks.iter_mut().for_each(|chunk| chunk.offset += header_bytes as u32);
        let own = self.references.iter_mut().filter(|reference| reference.object == self.key);
        own.for_each(|reference| reference.offset += header_bytes as u32);
        let mut bytes = Vec::with_capacity(header_bytes + chunks.len());
        bytes.extend(MAGIC);
        bytes.extend(FORMAT.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(self.volume.0);
        for number in [self.key.epoch, self.key.sequence, self.group] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.place.to_le_bytes());
        bytes.extend(u32::from(self.ends).to_le_bytes());
        for number in [self.taken_at, self.bytes, self.counted] {
            bytes.extend(number.to_le_bytes());
        }
        let [chunks_len, zeroes_len] = [self.chunks.len(), self.zeroes.len()];
        for len in [header_bytes, chunks_len, zeroes_len, self.sources.len(), self.references.len(), 0] {
            bytes.extend((len as u32).to_le_bytes());
        }
        for chunk in &self.chunks {
            bytes.extend(chunk.page.to_le_bytes());
            for number in [chunk.pages, chunk.offset, chunk.stored, 0] {
                bytes.extend(number.to_le_bytes());
            }
        }
        for range in &self.zeroes {
            bytes.extend(range.start.to_le_bytes());
            bytes.extend((range.end - range.start).to_le_bytes());
        }
        for source in &self.sources {
            bytes.extend(source.object.epoch.to_le_bytes());
            bytes.extend(source.object.sequence.to_le_bytes());
            bytes.extend(u32::from(source.object.is_copies).to_le_bytes());
            bytes.extend(source.offset.to_le_bytes());
            bytes.extend(source.page.to_le_bytes());
            bytes.extend([0; 8]);
        }
        self.references.iter().for_each(|reference| reference.encode(&mut bytes));
        debug_assert_eq!(bytes.len(), header_bytes);
        seal(&mut bytes);
        bytes.extend(chunks);
        bytes
    }

    /// Returns the bytes of the header of an object, by its beginning; none if that is not one.
    pub(crate) fn bytes_of(beginning: &[u8]) -> Option<u64> {
        let is_ours = beginning.len() >= HEAD_BYTES && beginning[..8] == MAGIC;
        is_ours.then(|| u64::from(u32::from_le_bytes(beginning[88..92].try_into().expect("4 bytes"))))
    }

    /// Decodes the header of the object with this name, from bytes that begin with all of it.
    ///
    /// # Errors
    /// If it is damaged, of a newer format, or that of another object.
    pub(crate) fn decode(bytes: &[u8], volume: VolumeId, key: ObjectKey) -> Result<Self, VolumeError> {
        let name = || volume.object(key);
        let damaged = |reason: &str| VolumeError::damaged(&name(), reason);
        let len = Self::bytes_of(bytes).ok_or_else(|| damaged("it has no header"))? as usize;
        let header =
            bytes.get(..len).filter(|_| len >= HEAD_BYTES).ok_or_else(|| damaged("its header is cut"))?;
        if !is_sealed(header) {
            return Err(damaged("the checksum of its header is wrong"));
        }
        let mut fields = Numbers(&header[8..]);
        let format = fields.u32();
        if format > FORMAT {
            return Err(VolumeError::NewerFormat { name: name(), format, known: FORMAT });
        }
        fields.u32();
        let found = VolumeId(fields.take());
        let [epoch, sequence, group] = [0; 3].map(|_| fields.u64());
        if found != volume || (epoch, sequence) != (key.epoch, key.sequence) {
            return Err(damaged("it is another object"));
        }
        let [place, ends] = [0; 2].map(|_| fields.u32());
        let [taken_at, disk_bytes, counted] = [0; 3].map(|_| fields.u64());
        let [_, chunks, zeroes, sources, references, _] = [0; 6].map(|_| fields.u32() as usize);
        let tables = chunks * CHUNK_ENTRY_BYTES
            + zeroes * ZEROES_ENTRY_BYTES
            + sources * SOURCE_ENTRY_BYTES
            + references * REFERENCE_BYTES;
        if HEAD_BYTES + tables != len
            || (sources > 0) != key.is_copies
            || (key.is_copies && sources != chunks + references)
        {
            return Err(damaged("its tables do not fit its header"));
        }
        let chunks = (0..chunks).map(|_| {
            let page = fields.u64();
            let [pages, offset, stored, _] = [0; 4].map(|_| fields.u32());
            ChunkEntry { page, pages, offset, stored }
        });
        let chunks: Vec<_> = chunks.collect();
        let is_possible = |chunk: &ChunkEntry| {
            (1..=CHUNK_PAGES).contains(&u64::from(chunk.pages))
                && chunk.stored as usize <= CHUNK_BYTES_MAX
                && chunk.page < u64::MAX / PAGE / 2
        };
        if !chunks.iter().all(is_possible) {
            return Err(damaged("it has a chunk that cannot be"));
        }
        let zeroes = (0..zeroes).map(|_| {
            let [start, pages] = [0; 2].map(|_| fields.u64());
            start..start.saturating_add(pages)
        });
        let zeroes = zeroes.collect();
        let sources = (0..sources).map(|_| {
            let [epoch, sequence] = [0; 2].map(|_| fields.u64());
            let [is_copies, offset] = [0; 2].map(|_| fields.u32());
            let page = fields.u64();
            fields.u64();
            Source { object: ObjectKey { is_copies: is_copies == 1, epoch, sequence }, offset, page }
        });
        let sources = sources.collect();
        let references = (0..references).map(|_| Reference::decode(&mut fields));
        let references: Option<Vec<_>> = references.collect();
        let is_own = |reference: &Reference| reference.object == key;
        let references = references.filter(|all| !key.is_copies || all.iter().all(is_own));
        let references = references.ok_or_else(|| damaged("it has a reference that cannot be"))?;
        let ends = ends == 1;
        let bytes = disk_bytes;
        Ok(Self {
            volume,
            key,
            group,
            place,
            ends,
            taken_at,
            bytes,
            counted,
            chunks,
            zeroes,
            sources,
            references,
        })
    }
}

/// Chunks of an object that is being made.
#[derive(Default)]
pub(crate) struct Chunks {
    pub(crate) entries: Vec<ChunkEntry>,
    pub(crate) bytes: Vec<u8>,
}

impl Chunks {
    /// Appends a chunk.
    pub(crate) fn append(&mut self, compression: Compression, page: u64, plain: &[u8]) {
        let offset = self.bytes.len() as u32;
        chunk::append(&mut self.bytes, compression, page, plain);
        let (pages, stored) = ((plain.len() as u64 / PAGE) as u32, self.bytes.len() as u32 - offset);
        self.entries.push(ChunkEntry { page, pages, offset, stored });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(is_copies: bool) -> (Header, Vec<u8>) {
        let mut chunks = Chunks::default();
        chunks.append(Compression::Lz4, 16, &[1; 2 * PAGE as usize]);
        chunks.append(Compression::Lz4, 40, &vec![2; 8 * PAGE as usize]);
        let object = ObjectKey { is_copies: false, epoch: 1, sequence: 2 };
        let source = Source { object, offset: 77, page: 16 };
        let key = ObjectKey { is_copies, epoch: 3, sequence: 7 };
        let own = Reference { pages: 2, ..Reference::new(900, key, chunks.entries[1].location(0).at(5)) };
        let header = Header {
            volume: VolumeId([5; 16]),
            key,
            group: 9,
            place: 1,
            ends: true,
            taken_at: 12,
            bytes: 1 << 30,
            counted: 4,
            chunks: chunks.entries,
            zeroes: vec![3..5, 100..1 << 20],
            sources: if is_copies { vec![source; 3] } else { Vec::new() },
            references: vec![own],
        };
        (header, chunks.bytes)
    }

    #[test]
    fn a_header_reads_back_its_chunks_are_where_it_says_and_no_changed_byte_passes() {
        for is_copies in [false, true] {
            let (mut header, chunks) = header(is_copies);
            let bytes = header.encode(&chunks);
            let (volume, key) = (header.volume, header.key);
            assert_eq!(Header::decode(&bytes, volume, key).as_ref(), Ok(&header));
            for entry in &header.chunks {
                let at = entry.offset as usize..(entry.offset + entry.stored) as usize;
                assert!(chunk::open(&bytes[at], Some(entry.page), u64::from(entry.pages)).is_some());
            }
            assert_eq!(header.references[0].offset, header.chunks[1].offset);
            let len = header.encoded_bytes();
            for at in 0..len {
                let mut changed = bytes.clone();
                changed[at] ^= 1;
                assert!(Header::decode(&changed, volume, key).is_err(), "byte {at}");
                assert!(Header::decode(&bytes[..at], volume, key).is_err(), "cut at {at}");
            }
            assert!(Header::decode(&bytes, volume, ObjectKey { sequence: 8, ..key }).is_err());
            assert!(Header::decode(&bytes, VolumeId([6; 16]), key).is_err());
        }
    }
}
