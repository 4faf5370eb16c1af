//! Blank devices: the search for data on a device that is to become flash of a pool.
//!
//! ```text
//!   ranges that the file system reports as holes ── count as zeroes
//!   at most 4 GiB of the rest                  ── is read whole
//!   more                                       ── both ends, the places of backup superblocks, and samples all over it
//! ```
//! A page is blank if all of its bytes are 0x00, or all are 0xFF, which is how some flash reads after an erase. Changes nothing.

use block::{BlockDevice, BlockError, Buffer, ByteRange};

use crate::format::batch;
use crate::types::limits::PAGE_BYTES;

const PAGE: u64 = PAGE_BYTES as u64;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
/// A device that has at most this much that may hold data is read whole.
const WHOLE_BYTES_MAX: u64 = 4 * GIB;
/// Bytes of a larger one that are read at each end.
const EDGE_BYTES: u64 = 64 * MIB;
/// Places of a larger one that are read, spread over all of it.
const SAMPLES: u64 = 4096;
/// Bytes that are read at each of these places.
const SAMPLE_BYTES: u64 = 64 << 10;
/// Bytes of one read.
const READ_BYTES: u64 = MIB;

/// Data that was found where nothing should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DataFound {
    /// Offset of the first page that was found to hold data, or of the signature in it.
    pub(super) offset: u64,
    /// The detected format.
    pub(super) format: Option<&'static str>,
    /// Checksum of that page.
    pub(super) checksum: u32,
}

/// Searches a device for data. None means that it counts as blank.
///
/// # Errors
/// If the device cannot be read.
pub(super) async fn find_data(flash: &impl BlockDevice) -> Result<Option<DataFound>, BlockError> {
    let size = flash.geometry().size;
    // The signature is more specific than the first byte of data.
    for (place, page) in signature_pages(flash, size).await? {
        if let Some((offset, format)) = recognize(size, place, &page) {
            return Ok(Some(DataFound { offset, format: Some(format), checksum: crc32c::crc32c(&page) }));
        }
    }
    let extents = flash.extents(ByteRange::new(0, size)).await?;
    let allocated: Vec<ByteRange> =
        extents.iter().filter(|extent| extent.allocated).map(|extent| extent.range).collect();
    let is_small = allocated.iter().map(ByteRange::len).sum::<u64>() <= WHOLE_BYTES_MAX;
    let wanted = if is_small { vec![ByteRange::new(0, size)] } else { places(size) };
    for range in wanted {
        for extent in &allocated {
            let part = range.intersection(extent);
            if let Some(found) = find_in(flash, part, size).await? {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

/// Returns the ranges of a large device that are read: ends, backups, samples.
fn places(size: u64) -> Vec<ByteRange> {
    let around = |offset: u64| {
        let start = offset.saturating_sub(SAMPLE_BYTES / 2).min(size);
        ByteRange::new(start, (start + SAMPLE_BYTES).min(size))
    };
    let mut places =
        vec![ByteRange::new(0, EDGE_BYTES.min(size)), ByteRange::new(size.saturating_sub(EDGE_BYTES), size)];
    places.extend(backup_offsets(size).into_iter().map(around));
    let stride = size / SAMPLES;
    for sample in 0..SAMPLES {
        // Not in step with anything that a file system does at regular intervals.
        let shift = sample.wrapping_mul(0x9E37_79B9_7F4A_7C15) % stride.max(1);
        let start = sample * stride + shift;
        places.push(ByteRange::new(start, (start + SAMPLE_BYTES).min(size)));
    }
    places
}

/// Returns the offsets inside a device at which file systems keep copies of their superblocks.
fn backup_offsets(size: u64) -> Vec<u64> {
    // ext2 to ext4: groups of 8 MiB, 32 MiB and 128 MiB; copies in groups 1 and the powers of 3, 5 and 7.
    let mut groups = vec![1];
    for base in [3u64, 5, 7] {
        groups.extend(std::iter::successors(Some(base), |group| group.checked_mul(base)).take(12));
    }
    let ext = [8 * MIB, 32 * MIB, 128 * MIB];
    let ext =
        ext.into_iter().flat_map(|bytes| groups.iter().filter_map(move |group| group.checked_mul(bytes)));
    // btrfs; then allocation groups of XFS, which are a quarter of a device or 1 TiB.
    let btrfs = [64 * MIB, 256 * GIB];
    let xfs = (1..4).map(|quarter| size / 4 * quarter).chain((1..256).map(|group| group << 40));
    ext.chain(btrfs).chain(xfs).filter(|offset| *offset < size).collect()
}

/// Searches a range, widened to whole pages where the device has them.
async fn find_in(
    flash: &impl BlockDevice,
    range: ByteRange,
    size: u64,
) -> Result<Option<DataFound>, BlockError> {
    if range.is_empty() {
        return Ok(None);
    }
    let end = range.end.next_multiple_of(PAGE).min(size);
    let mut at = range.start / PAGE * PAGE;
    while at < end {
        let length = READ_BYTES.min(end - at);
        let (buffer, outcome) = flash.read(at, Buffer::zeroed(length as usize)).await;
        outcome?;
        if let Some((page, bytes)) = (0u64..).zip(buffer.chunks(PAGE_BYTES)).find(|(_, page)| !is_blank(page))
        {
            let offset = at + page * PAGE;
            let format = batch::is_header(bytes).then_some("what a Forebay's pool left there");
            return Ok(Some(DataFound { offset, format, checksum: crc32c::crc32c(bytes) }));
        }
        at += length;
    }
    Ok(None)
}

/// Returns true if a page, or a part of one, holds nothing.
fn is_blank(page: &[u8]) -> bool {
    page == &[0; PAGE_BYTES][..page.len()] || page == &[0xff; PAGE_BYTES][..page.len()]
}

/// The place of a signature.
#[derive(Clone, Copy, Debug)]
enum SignatureOffset {
    /// Bytes from the start.
    Start(u64),
    /// Bytes before the end, rounded down to a multiple of the second number, then the third number of bytes behind it.
    End(u64, u64, u64),
}

use SignatureOffset::{End, Start};

impl SignatureOffset {
    /// Returns the offset on a device, if that is so large.
    fn offset(self, size: u64) -> Option<u64> {
        match self {
            Start(offset) => Some(offset),
            End(back, unit, more) => Some(size.checked_sub(back)? / unit * unit + more),
        }
        .filter(|offset| *offset < size)
    }
}

/// Signatures of formats on block devices. The first that is found names the content, so the outermost formats are first.
const SIGNATURES: &[(SignatureOffset, &[u8], &str)] = &[
    (Start(0), b"LUKS\xba\xbe", "an encrypted volume (LUKS)"),
    (Start(0x4000), b"SKUL\xba\xbe", "an encrypted volume (LUKS2)"),
    (Start(0x8000), b"SKUL\xba\xbe", "an encrypted volume (LUKS2)"),
    (Start(3), b"-FVE-FS-", "an encrypted volume (BitLocker)"),
    (Start(0), b"bluestore block device", "a Ceph BlueStore volume"),
    (Start(24), b"LVM2 001", "an LVM physical volume"),
    (Start(512 + 24), b"LVM2 001", "an LVM physical volume"),
    (Start(1024 + 24), b"LVM2 001", "an LVM physical volume"),
    (Start(1536 + 24), b"LVM2 001", "an LVM physical volume"),
    (Start(4096), b"\xfc\x4e\x2b\xa9", "a member of an md array"),
    (Start(4096), b"\xa9\x2b\x4e\xfc", "a member of an md array"),
    (Start(0), b"\xfc\x4e\x2b\xa9", "a member of an md array"),
    (Start(0), b"\xa9\x2b\x4e\xfc", "a member of an md array"),
    (End(8192, 4096, 0), b"\xfc\x4e\x2b\xa9", "a member of an md array"),
    (End(65536, 65536, 0), b"\xfc\x4e\x2b\xa9", "a member of an md array"),
    (End(65536, 65536, 0), b"\xa9\x2b\x4e\xfc", "a member of an md array"),
    (
        Start(4096 + 24),
        b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81",
        "a bcache device",
    ),
    (
        Start(4096 + 24),
        b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef",
        "a bcachefs device",
    ),
    (End(4096, 4096, 60), b"\x83\x74\x02", "a DRBD device"),
    (Start(0x4000), b"\x01\x01\0\0\0\0\0\0\0\0\0\x01", "a member of a ZFS pool"),
    (Start(0x44000), b"\x01\x01\0\0\0\0\0\0\0\0\0\x01", "a member of a ZFS pool"),
    (End(0x80000, 0x40000, 0x4000), b"\x01\x01\0\0\0\0\0\0\0\0\0\x01", "a member of a ZFS pool"),
    (End(0x40000, 0x40000, 0x4000), b"\x01\x01\0\0\0\0\0\0\0\0\0\x01", "a member of a ZFS pool"),
    (Start(64 * 1024 + 0x40), b"_BHRfS_M", "a btrfs file system"),
    (Start(64 * MIB + 0x40), b"_BHRfS_M", "a btrfs file system (the second copy of its superblock)"),
    (Start(256 * GIB + 0x40), b"_BHRfS_M", "a btrfs file system (the third copy of its superblock)"),
    (Start(0), b"XFSB", "an XFS file system"),
    (Start(1024 + 0x38), b"\x53\xef", "an ext2, ext3 or ext4 file system"),
    (Start(8193 * 1024 + 0x38), b"\x53\xef", "an ext2, ext3 or ext4 file system (a copy of its superblock)"),
    (Start(32 * MIB + 0x38), b"\x53\xef", "an ext2, ext3 or ext4 file system (a copy of its superblock)"),
    (Start(128 * MIB + 0x38), b"\x53\xef", "an ext2, ext3 or ext4 file system (a copy of its superblock)"),
    (
        Start(3 * 128 * MIB + 0x38),
        b"\x53\xef",
        "an ext2, ext3 or ext4 file system (a copy of its superblock)",
    ),
    (Start(1024), b"\x10\x20\xf5\xf2", "an F2FS file system"),
    (Start(3), b"NTFS    ", "an NTFS file system"),
    (End(512, 512, 3), b"NTFS    ", "an NTFS file system (the copy of its boot sector)"),
    (Start(3), b"EXFAT   ", "an exFAT file system"),
    (Start(3), b"ReFS\0", "a ReFS file system"),
    (Start(54), b"FAT1", "a FAT file system"),
    (Start(82), b"FAT32", "a FAT file system"),
    (Start(0), b"hsqs", "a SquashFS file system"),
    (Start(1024), b"\xe2\xe1\xf5\xe0", "an EROFS file system"),
    (Start(32769), b"CD001", "an ISO 9660 file system"),
    (Start(32769), b"BEA01", "a UDF file system"),
    (Start(64 * 1024 + 0x34), b"ReIs", "a ReiserFS file system"),
    (Start(32768), b"JFS1", "a JFS file system"),
    (Start(1024), b"H+", "an HFS+ file system"),
    (Start(32), b"NXSB", "an APFS container"),
    (Start(8192), b"OCFSV2", "an OCFS2 file system"),
    (Start(65536), b"\x01\x16\x19\x70", "a GFS2 file system"),
    (Start(MIB), b"\x0d\xd0\x01\xc0", "a VMFS volume"),
    (Start(0x0120_0000), b"\x5e\xf1\xab\x2f", "a VMFS volume"),
    (Start(4086), b"SWAPSPACE2", "swap space"),
    (Start(4086), b"SWAP-SPACE", "swap space"),
    (Start(8182), b"SWAPSPACE2", "swap space"),
    (Start(16374), b"SWAPSPACE2", "swap space"),
    (Start(65526), b"SWAPSPACE2", "swap space"),
    (Start(512), b"EFI PART", "a partition table (GPT)"),
    (Start(4096), b"EFI PART", "a partition table (GPT)"),
    (End(512, 512, 0), b"EFI PART", "a partition table (GPT, the copy at the end)"),
    (End(4096, 4096, 0), b"EFI PART", "a partition table (GPT, the copy at the end)"),
    (Start(510), b"\x55\xaa", "a partition table or boot sector (MBR)"),
];

/// Returns the pages that signatures lie on, each once, in the order of the table.
async fn signature_pages(flash: &impl BlockDevice, size: u64) -> Result<Vec<(u64, Buffer)>, BlockError> {
    let mut pages = Vec::<(u64, Buffer)>::new();
    for (place, ..) in SIGNATURES {
        let Some(at) = place.offset(size).map(|offset| offset / PAGE * PAGE) else { continue };
        if pages.iter().all(|(known, _)| *known != at) {
            let length = PAGE.min(size - at);
            let (buffer, outcome) = flash.read(at, Buffer::zeroed(length as usize)).await;
            outcome?;
            pages.push((at, buffer));
        }
    }
    Ok(pages)
}

/// Returns the first signature of the table that is on a page: its offset and its format.
fn recognize(size: u64, at: u64, page: &[u8]) -> Option<(u64, &'static str)> {
    SIGNATURES.iter().find_map(|(place, magic, format)| {
        let offset = place.offset(size).filter(|offset| offset / PAGE * PAGE == at)?;
        let rest = &page[(offset - at) as usize..];
        rest.starts_with(magic).then_some((offset, *format))
    })
}
