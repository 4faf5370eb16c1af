//! Limits of the cache that users meet or that concern several files, each with the effect of reaching it. A limit on how one file does its
//! work is in that file.

use block::PAGE;

/// Bytes of a page as a length in memory.
pub const PAGE_BYTES: usize = PAGE as usize;

/// Smallest and largest block: a power of two between them. Others are refused when a disk is attached or changed.
pub const BLOCK_BYTES_MIN: u32 = 4 << 10;
/// See [`BLOCK_BYTES_MIN`].
pub const BLOCK_BYTES_MAX: u32 = 1 << 20;

/// Disks of one cache. One more is refused.
pub const DISKS_MAX: usize = 1024;

/// Blocks of one disk: block numbers are 32 bits in the index. A larger disk is refused with the advice to take
/// larger blocks (16 TiB at 4 KiB, 4 PiB at 1 MiB).
pub const DISK_BLOCKS_MAX: u64 = 1 << 32;

/// Bytes of the largest disk: 256 TiB. The bits of its pages take a 32,768th of it in memory, whether cached or not. A larger disk is
/// refused.
pub const DISK_BYTES_MAX: u64 = 256 << 40;

/// Regions of one disk: each takes some bytes of memory. A disk that has more in a pool of small regions is refused.
pub const DISK_REGIONS_MAX: u64 = 1 << 26;

/// The largest request that the API takes. Doors refuse longer ones.
pub const REQUEST_BYTES_MAX: u64 = 64 << 20;

/// Capacity of the table of a pool, in multiples of the segments of its first device. A device for which there is no room is refused.
pub const TABLE_ROOM: u32 = 8;
/// Segments that any table has room for.
pub const TABLE_SEGMENTS_MIN: u32 = 512;

/// Devices of a pool at most. One more is refused.
pub const MEMBERS_MAX: usize = 16;

/// Segments that a device of a pool has at least. A smaller device is refused: it would cost more care than it caches.
pub const MEMBER_SEGMENTS_MIN: u32 = 4;

/// Segment sizes that a pool may be formatted with.
pub const SEGMENT_BYTES_MIN: u64 = 32 << 10;
/// See [`SEGMENT_BYTES_MIN`].
pub const SEGMENT_BYTES_MAX: u64 = 64 << 20;
/// The smallest segment that `format` chooses by itself: below it headers and summaries cost more than 3 %.
pub const SEGMENT_BYTES_CHOSEN_MIN: u64 = 256 << 10;

/// Segments that a reservation holds at least: a segment belongs to one disk, so a disk that has only a few could not keep its hot pages
/// when the oldest one is reclaimed. Smaller reservations are refused.
pub const RESERVE_SEGMENTS_MIN: u32 = 16;

/// Segments that only reclaim may take, so that it can always move hot or dirty pages before it frees a segment. Without them a full pool
/// could not be reclaimed at all. One more than a victim needs: its range tombstones may take more room than they did.
pub const RECLAIM_SEGMENTS: u32 = 3;

/// Segments kept back for notes about regions: the one that is written, and the next one while it takes over the open intents. Writers of
/// guests wait for notes, so notes never wait for room.
pub const NOTE_SEGMENTS: u32 = 2;

/// Segments that no disk can hold for its content.
pub const KEPT_BACK_SEGMENTS: u32 = RECLAIM_SEGMENTS + NOTE_SEGMENTS;

/// Pairs of segments, each on two devices, that a pool has at least to hold two copies. With fewer it holds one copy of everything: most of
/// it would be kept back.
pub const PAIRS_MIN: u32 = KEPT_BACK_SEGMENTS + RESERVE_SEGMENTS_MIN;

/// Bytes that one discard of flash covers at most: as much is neither free nor in use while a device takes its time, and a stop may have to
/// wait for as much.
pub const DISCARD_BYTES_MAX: u64 = 128 << 20;
const _: () = assert!(SEGMENT_BYTES_MAX <= DISCARD_BYTES_MAX, "a discard covers a segment");

/// Batches of notes before all open intents are written to a new segment: all of them are read at each start.
pub const NOTE_BATCHES_MAX: u32 = 384;

/// Bytes of a region, if not chosen otherwise. Smaller ones lose less content to a power cut and cost more intents.
pub const REGION_BYTES: u64 = 64 << 20;
/// The smallest region.
pub const REGION_BYTES_MIN: u64 = 64 << 10;
/// The largest region: one bit for each of its pages fits in one page.
pub const REGION_BYTES_MAX: u64 = 128 << 20;
const _: () = assert!(REGION_BYTES_MAX / PAGE <= PAGE * 8, "a forget is one page of bits");

/// Share of a reclaimed segment that may be appended again, in eighths. Below 8, so that reclaim gains room: each time, or the next time
/// where survivors of the next segment share the batch.
pub const SURVIVORS_EIGHTHS_MAX: u32 = 6;

/// Pages of one batch: the entries of one header page can describe 165; 128 keeps the write at 516 KiB.
pub const BATCH_PAGES_MAX: usize = 128;

/// Least RAM of a disk: sixteen pages, of which at most half are on their way to flash. Smaller values are refused.
pub const RAM_BYTES_MIN: u64 = 16 * PAGE;

/// Most RAM of a disk, 1 TiB: places in RAM are 32 bits. Larger values are refused.
pub const RAM_BYTES_MAX: u64 = 1 << 40;

/// Streams watched for sequential access, for reads and for writes of each disk. The stream that was extended longest
/// ago is forgotten for a new one.
pub const STREAMS_MAX: usize = 32;

/// Longest wait for room in the log, of guests' writes and of the closing of regions, before they go on without, nanoseconds: then the
/// cause is something else than reclaim.
pub const ROOM_WAIT_NS: u64 = 2_000_000_000;

/// Longest wait of a guest's change for a pool whose storage has no room (a full file system, thin volume or quota) before it is an error,
/// or goes on without flash: nanoseconds.
pub const SPACE_WAIT_NS: u64 = 20_000_000_000;

/// Longest time without room for a device that the pool can do without: nanoseconds. Shorter, so that guests notice nothing of it.
pub const SPACE_DEVICE_WAIT_NS: u64 = 10_000_000_000;

/// Interval between tries of a write that had no room on the storage of the pool: nanoseconds.
pub const SPACE_RETRY_NS: u64 = 500_000_000;

/// Pages that destage writes to the backing in one request at most: 1 MiB.
pub const DESTAGE_PAGES_MAX: u64 = 256;

/// Pages that destage makes zeroes in one request at most: 64 MiB.
pub const ZEROES_PAGES_MAX: u64 = REQUEST_BYTES_MAX / PAGE;

/// Dirty zero ranges of one disk, at most: a discard beyond that waits for destage.
pub const ZERO_RANGES_MAX: usize = 4096;

/// And no more than this part of the pages that the disk may have on flash.
pub const ZERO_RANGES_PART: u64 = 8;

/// Ranges of failed writes that are remembered one by one. When there are more, the disk stops caching altogether.
pub const DISTRUSTED_RANGES_MAX: usize = 1024;

const _: () = assert!(RAM_BYTES_MAX / PAGE < u32::MAX as u64, "places in RAM are 32 bits");
const _: () = assert!(SURVIVORS_EIGHTHS_MAX < 8, "reclaim would free nothing");
// A victim of any size finds room for its survivors: the rest of the open segment and one whole segment more.
const _: () = assert!(RECLAIM_SEGMENTS >= 2);

/// Ranges of zero pages of one disk, at most: less than a mebibyte of RAM.
pub(crate) const ZERO_RANGES_KNOWN_MAX: usize = 32 << 10;
