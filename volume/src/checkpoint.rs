//! Checkpoints: the map in the store, so that an open reads few headers.
//!
//! A checkpoint has all regions of the map. Those that did not change since the one before are where that put them; the others are in its
//! own parts. It is made while groups go on: a region may be newer than what the checkpoint covers, and applying groups again to that
//! ends at the same content.
//!
//! ```text
//! root:    a record that names the body, so that what stays for counting is small
//! body:    8 bytes magic | 4 format | 4 CRC-32C of all else | 8 bytes of the content | content, an LZ4 block
//! content: volume 16 | epoch, number, data covered, copies covered, size of the disk, time of the last group, bytes within which pages show
//!          the snapshot below, objects, regions (8 each)
//!          object, 40 each: index 4, copies 4, epoch 8, sequence 8, bytes 8, pages 4, zero 4
//!          region, 40 each: region 8, epoch 8, number 8, part 4, offset 4, bytes 4, zero 4
//! part:    regions one behind the other: 4 CRC-32C of the rest | 4 bytes of the entries | entries, an LZ4 block
//! entry:   16 bytes: page within the region 2, pages 1, index 1, object 4, offset 4, stored 2, pages of the chunk 1 (and 128 if the pages
//!          refer to a chunk for others), zero 1
//!          of a clone's pages that were made zeroes: page within the region 2, zero 2, 0xffffffff 4, pages 4, zero 4
//! ```
//! A snapshot has a body of its own, which lists objects with live pages only, and covers exactly what its regions have.

use std::collections::BTreeMap;

use block::sealed::{Numbers, is_sealed, seal};
use bytes::Bytes;

use super::canary::{self, Bug};
use super::content::Content;
use super::error::VolumeError;
use super::inherited::Inherited;
use super::map::{Location, REGION_PAGES};
use super::names::{CheckpointKey, ObjectKey, PartKey, VolumeId};
use super::objects::ObjectInfo;
use super::record::FORMAT;

const MAGIC: [u8; 8] = *b"FBVOLMAP";
const ROOT_HEAD_BYTES: usize = 24;
const BODY_HEAD_BYTES: usize = 88;
const LINE_BYTES: usize = 40;
const ENTRY_BYTES: usize = 16;
/// Bytes above which the entries of a region cannot be: one for each page, and for each second one as zeroes.
const REGION_BYTES_MAX: usize = 3 * REGION_PAGES as usize / 2 * ENTRY_BYTES;
/// Stands for the object in an entry of zeroes.
const ZEROES: u32 = u32::MAX;
/// Largest body of a root.
const BODY_BYTES_MAX: u64 = 1 << 30;

/// Place of a region in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegionPlace {
    pub(crate) part: PartKey,
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
}

/// A checkpoint but for its parts.
pub(crate) struct Root {
    /// Sequences of data and copies of its epoch that need no replay.
    pub(crate) covered: [u64; 2],
    /// Size, time and objects; without the map, and with nothing live.
    pub(crate) content: Content,
    pub(crate) regions: BTreeMap<u64, RegionPlace>,
}

/// Objects that a body lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectsListed {
    /// All, for those without a live page are to be deleted.
    All,
    /// Those with a live page.
    Live,
}

/// Encodes a root.
pub(crate) fn encode_root(
    volume: VolumeId,
    key: CheckpointKey,
    covered: [u64; 2],
    content: &Content,
    listed: ObjectsListed,
    regions: &BTreeMap<u64, RegionPlace>,
) -> Bytes {
    let mut body = Vec::new();
    body.extend(volume.0);
    let is_listed = |info: &ObjectInfo| listed == ObjectsListed::All || info.live > 0;
    let objects = || content.objects.iter().filter(|(_, info)| is_listed(info));
    let numbers = [key.epoch, key.number, covered[0], covered[1], content.bytes, content.taken_at];
    let counts = [content.inherited.bytes(), objects().count() as u64, regions.len() as u64];
    for number in numbers.into_iter().chain(counts) {
        body.extend(number.to_le_bytes());
    }
    for (index, info) in objects() {
        body.extend(index.to_le_bytes());
        body.extend(u32::from(info.key.is_copies).to_le_bytes());
        for number in [info.key.epoch, info.key.sequence, info.stored] {
            body.extend(number.to_le_bytes());
        }
        body.extend(info.pages.to_le_bytes());
        body.extend([0; 4]);
    }
    for (region, place) in regions {
        for number in [*region, place.part.checkpoint.epoch, place.part.checkpoint.number] {
            body.extend(number.to_le_bytes());
        }
        for number in [place.part.part, place.offset, place.bytes, 0] {
            body.extend(number.to_le_bytes());
        }
    }
    let mut bytes = Vec::new();
    bytes.extend(MAGIC);
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend((body.len() as u64).to_le_bytes());
    bytes.extend(lz4_flex::block::compress(&body));
    seal(&mut bytes);
    Bytes::from(bytes)
}

/// Decodes the root of a checkpoint from the object `name`.
///
/// # Errors
/// If it is damaged, another one, or of a newer format.
pub(crate) fn decode_root(
    name: &str,
    bytes: &[u8],
    volume: VolumeId,
    key: CheckpointKey,
) -> Result<Root, VolumeError> {
    let damaged = |reason: &str| VolumeError::damaged(name, reason);
    if bytes.len() < ROOT_HEAD_BYTES || bytes[..8] != MAGIC {
        return Err(damaged("it is no checkpoint"));
    }
    let mut head = Numbers(&bytes[8..ROOT_HEAD_BYTES]);
    let [format, _] = [0; 2].map(|_| head.u32());
    if format > FORMAT {
        return Err(VolumeError::NewerFormat { name: name.to_owned(), format, known: FORMAT });
    }
    let body_bytes = head.u64();
    if !is_sealed(bytes) || body_bytes > BODY_BYTES_MAX {
        return Err(damaged("its checksum is wrong"));
    }
    let body = lz4_flex::block::decompress(&bytes[ROOT_HEAD_BYTES..], body_bytes as usize);
    let body = body.ok().filter(|body| body.len() as u64 == body_bytes && body.len() >= BODY_HEAD_BYTES);
    let body = body.ok_or_else(|| damaged("it cannot be decompressed"))?;
    let mut fields = Numbers(&body);
    let found = VolumeId(fields.take());
    let [epoch, number, data, copies, disk_bytes, taken_at, inherited, objects, regions] =
        [0; 9].map(|_| fields.u64());
    if found != volume || (CheckpointKey { epoch, number }) != key {
        return Err(damaged("it is another checkpoint"));
    }
    let lines = (body.len() - BODY_HEAD_BYTES) as u64;
    if objects.checked_add(regions).and_then(|all| all.checked_mul(LINE_BYTES as u64)) != Some(lines) {
        return Err(damaged("its tables do not fit its header"));
    }
    let inherited = Inherited::new(inherited);
    let mut content = Content { bytes: disk_bytes, taken_at, inherited, ..Content::default() };
    for _ in 0..objects {
        let [index, is_copies] = [0; 2].map(|_| fields.u32());
        let [epoch, sequence, stored] = [0; 3].map(|_| fields.u64());
        let [pages, _] = [0; 2].map(|_| fields.u32());
        let key = ObjectKey { is_copies: is_copies == 1, epoch, sequence };
        content.objects.add_at(index, ObjectInfo { key, stored, pages, live: 0 });
    }
    let regions = (0..regions).map(|_| {
        let [region, epoch, number] = [0; 3].map(|_| fields.u64());
        let [part, offset, bytes, _] = [0; 4].map(|_| fields.u32());
        let part = PartKey { checkpoint: CheckpointKey { epoch, number }, part };
        (region, RegionPlace { part, offset, bytes })
    });
    let regions = regions.collect();
    Ok(Root { covered: [data, copies], content, regions })
}

/// Encodes a region of the map; none if it has no page.
pub(crate) fn encode_region(content: &Content, region: u64) -> Option<Vec<u8>> {
    let start = region * REGION_PAGES;
    let mut entries = Vec::new();
    for pages in content.inherited.zeroes(&(start..start + REGION_PAGES)) {
        entries.extend(((pages.start - start) as u16).to_le_bytes());
        entries.extend([0; 2]);
        entries.extend(ZEROES.to_le_bytes());
        entries.extend(((pages.end - pages.start) as u32).to_le_bytes());
        entries.extend([0; 4]);
    }
    for run in content.map.runs(start..start + REGION_PAGES) {
        let Location { object, offset, stored, index, pages } = run.location;
        entries.extend(((run.pages.start - start) as u16).to_le_bytes());
        entries.extend([(run.pages.end - run.pages.start) as u8, index]);
        entries.extend(object.to_le_bytes());
        entries.extend(offset.to_le_bytes());
        entries.extend(stored.to_le_bytes());
        let pages =
            if canary::has(Bug::UnflaggedReferences) { run.location.chunk_pages() as u8 } else { pages };
        entries.extend([pages, 0]);
    }
    if entries.is_empty() {
        return None;
    }
    let mut bytes = vec![0; 4];
    bytes.extend((entries.len() as u32).to_le_bytes());
    bytes.extend(lz4_flex::block::compress(&entries));
    let checksum = crc32c::crc32c(&bytes[4..]);
    bytes[..4].copy_from_slice(&checksum.to_le_bytes());
    Some(bytes)
}

/// Returns true if the checksum of an encoded region is right.
pub(crate) fn is_whole_region(bytes: &[u8]) -> bool {
    let head = bytes.first_chunk::<4>();
    head.is_some_and(|checksum| crc32c::crc32c(&bytes[4..]) == u32::from_le_bytes(*checksum))
}

/// Adds a region to the map. Returns none if it is damaged.
pub(crate) fn decode_region(bytes: &[u8], region: u64, content: &mut Content) -> Option<()> {
    let (head, rest) = bytes.split_at_checked(8)?;
    let mut fields = Numbers(head);
    let [checksum, len] = [0; 2].map(|_| fields.u32());
    if crc32c::crc32c(&bytes[4..]) != checksum || len as usize > REGION_BYTES_MAX {
        return None;
    }
    let entries = lz4_flex::block::decompress(rest, len as usize).ok()?;
    for entry in entries.chunks_exact(ENTRY_BYTES) {
        let first = u64::from(u16::from_le_bytes([entry[0], entry[1]]));
        let (count, index, pages) = (entry[2], entry[3], entry[14]);
        let mut fields = Numbers(&entry[4..12]);
        let [object, offset] = [0; 2].map(|_| fields.u32());
        let stored = u16::from_le_bytes([entry[12], entry[13]]);
        if object == ZEROES {
            let end = first + u64::from(offset);
            if end > REGION_PAGES {
                return None;
            }
            content.inherited.hide(&(region * REGION_PAGES + first..region * REGION_PAGES + end));
            continue;
        }
        let location = Location { object, offset, stored, index, pages };
        if u64::from(index) + u64::from(count) > location.chunk_pages()
            || content.objects.get(object).is_none()
        {
            return None;
        }
        for at in 0..u64::from(count) {
            content.set(region * REGION_PAGES + first + at, location.further(at));
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_reads_back_and_no_changed_byte_passes() {
        let mut content = Content { bytes: 1 << 30, taken_at: 5, ..Content::default() };
        let key = ObjectKey { is_copies: true, epoch: 2, sequence: 8 };
        let object = content.objects.add(key, 1 << 20, 100);
        for page in [0, 1, 2, 9, REGION_PAGES - 1] {
            let index = (page % 8) as u8;
            let location = Location { object, offset: 300, stored: 90, index, pages: 8 };
            content.set(page, if page == 9 { location.as_reference() } else { location });
        }
        let checkpoint = CheckpointKey { epoch: 3, number: 4 };
        let region = encode_region(&content, 0).expect("it has pages");
        assert_eq!(encode_region(&content, 1), None);
        let place =
            RegionPlace { part: PartKey { checkpoint, part: 2 }, offset: 7, bytes: region.len() as u32 };
        let regions = BTreeMap::from([(0, place)]);
        let volume = VolumeId([1; 16]);
        let bytes = encode_root(volume, checkpoint, [5, 6], &content, ObjectsListed::All, &regions);
        let root = decode_root("root", &bytes, volume, checkpoint).expect("it is whole");
        assert_eq!((root.covered, root.regions, root.content.bytes), ([5, 6], regions, 1 << 30));
        let mut found = root.content;
        decode_region(&region, 0, &mut found).expect("it is whole");
        let runs = |content: &Content| content.map.runs(0..REGION_PAGES).collect::<Vec<_>>();
        assert_eq!(runs(&found), runs(&content));
        assert_eq!(found.objects.get(object).map(|info| info.live), Some(5));
        assert_eq!(found.referring.of(object).collect::<Vec<_>>(), [9]);
        for at in 0..bytes.len() {
            let mut changed = bytes.to_vec();
            changed[at] ^= 1;
            assert!(decode_root("root", &changed, volume, checkpoint).is_err(), "byte {at}");
        }
        for at in 0..region.len() {
            let mut changed = region.clone();
            changed[at] ^= 1;
            assert!(decode_region(&changed, 0, &mut Content::default()).is_none(), "byte {at}");
            assert!(is_whole_region(&region) && !is_whole_region(&changed), "byte {at}");
        }
    }
}
