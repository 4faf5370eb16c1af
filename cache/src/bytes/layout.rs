//! Where things are on a pool's device, from three sizes: the device's, a segment's and a region's.

use block::{ByteRange, PAGE};

use super::batch::ENTRY_BYTES;
use super::codec::FRAME_BYTES;
use super::{summary, table};
use crate::words::error::CacheError;
use crate::words::limits::{
    KEPT_BACK_SEGMENTS, PAGE_BYTES, REGION_BYTES, REGION_BYTES_MAX, REGION_BYTES_MIN, RESERVE_SEGMENTS_MIN,
    SEGMENT_BYTES_CHOSEN_MIN, SEGMENT_BYTES_MAX, SEGMENT_BYTES_MIN,
};
use crate::words::units::{FlashPage, SegmentNumber};

/// The places of a pool's parts. Sizes in bytes, places in pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    device_bytes: u64,
    segment_pages: u32,
    segments: u32,
    table_pages: u32,
    first_segment: u32,
    summary_pages: u32,
    region_pages: u32,
}

/// What is chosen when a pool is made, in bytes. Both are powers of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Bytes of a segment.
    pub segment_bytes: u64,
    /// Bytes of a disk's region: the unit in which intents are written, and in which content is lost to a power cut.
    pub region_bytes: u64,
}

impl Shape {
    /// The shape that suits a device.
    pub fn for_device(device_bytes: u64) -> Self {
        let wanted = (device_bytes / 4096).max(1).next_power_of_two();
        let segment_bytes = wanted.clamp(SEGMENT_BYTES_CHOSEN_MIN, SEGMENT_BYTES_MAX);
        Self { segment_bytes, region_bytes: REGION_BYTES }
    }
}

/// Entries in one batch header at most.
pub const ENTRIES_PER_PAGE: usize = (PAGE_BYTES - FRAME_BYTES - super::batch::HEAD_BYTES) / ENTRY_BYTES;
/// Segments start on a multiple of this, the largest erase unit that drives report as optimal I/O size commonly.
const SEGMENT_ALIGNMENT: u64 = 64 << 10;

impl Layout {
    /// The layout of a device of `device_bytes`.
    ///
    /// # Errors
    /// `TooSmall` or `TooLarge` for the device, `Settings` for the shape.
    pub fn new(device_bytes: u64, shape: Shape) -> Result<Self, CacheError> {
        let Shape { segment_bytes, region_bytes } = shape;
        check_power("segment", segment_bytes, SEGMENT_BYTES_MIN, SEGMENT_BYTES_MAX)?;
        check_power("region", region_bytes, REGION_BYTES_MIN, REGION_BYTES_MAX)?;
        let max_bytes = u64::from(u32::MAX) * PAGE;
        if device_bytes > max_bytes {
            return Err(CacheError::TooLarge { size_bytes: device_bytes, max_bytes });
        }
        let segment_pages = (segment_bytes / PAGE) as u32;
        // The table has room for as many segments as the whole device could hold: a little more than it does.
        let table_pages = table::pages_for((device_bytes / segment_bytes) as u32);
        let first_byte =
            (u64::from(2 + 2 * table_pages) * PAGE).next_multiple_of(SEGMENT_ALIGNMENT.min(segment_bytes));
        let segments = (device_bytes.saturating_sub(first_byte) / segment_bytes) as u32;
        let needed = RESERVE_SEGMENTS_MIN + KEPT_BACK_SEGMENTS;
        if segments < needed {
            let needed_bytes = first_byte + u64::from(needed) * segment_bytes;
            return Err(CacheError::TooSmall { size_bytes: device_bytes, needed_bytes });
        }
        let summary_pages = (segment_pages as usize).div_ceil(summary::LINES_PER_PAGE) as u32;
        let first_segment = (first_byte / PAGE) as u32;
        let region_pages = (region_bytes / PAGE) as u32;
        Ok(Self {
            device_bytes,
            segment_pages,
            segments,
            table_pages,
            first_segment,
            summary_pages,
            region_pages,
        })
    }
    /// Bytes of the device that the pool uses.
    pub fn device_bytes(&self) -> u64 {
        self.device_bytes
    }

    /// Bytes of a segment.
    pub fn segment_bytes(&self) -> u64 {
        u64::from(self.segment_pages) * PAGE
    }

    /// Segments of the pool.
    pub fn segments(&self) -> u32 {
        self.segments
    }

    /// Where a slot of the segment table starts, in bytes.
    pub fn table_slot(&self, turn: u64) -> u64 {
        (2 + turn % 2 * u64::from(self.table_pages)) * PAGE
    }

    /// Bytes of one slot of the segment table.
    pub fn table_bytes(&self) -> usize {
        self.table_pages as usize * PAGE_BYTES
    }

    /// First page of a segment.
    pub fn segment_start(&self, segment: SegmentNumber) -> FlashPage {
        assert!(segment.0 < self.segments);
        FlashPage(self.first_segment + segment.0 * self.segment_pages)
    }

    /// First page of a segment's summary; batches end before it.
    pub fn summary_start(&self, segment: SegmentNumber) -> FlashPage {
        self.segment_start(segment).plus(self.batch_pages())
    }

    /// Pages of a disk's region.
    pub fn region_pages(&self) -> u32 {
        self.region_pages
    }

    /// Pages of a summary.
    pub fn summary_pages(&self) -> u32 {
        self.summary_pages
    }

    /// Pages of a segment that batches may use, headers included.
    pub fn batch_pages(&self) -> u32 {
        self.segment_pages - self.summary_pages
    }

    /// The segment that a page is in.
    pub fn segment_of(&self, page: FlashPage) -> SegmentNumber {
        assert!(page.0 >= self.first_segment);
        let segment = (page.0 - self.first_segment) / self.segment_pages;
        assert!(segment < self.segments);
        SegmentNumber(segment)
    }

    /// All bytes of a segment.
    pub fn segment_range(&self, segment: SegmentNumber) -> ByteRange {
        ByteRange::at(self.segment_start(segment).offset(), self.segment_bytes())
    }
}

fn check_power(what: &str, bytes: u64, min: u64, max: u64) -> Result<(), CacheError> {
    if bytes.is_power_of_two() && (min..=max).contains(&bytes) {
        return Ok(());
    }
    Err(CacheError::Settings(format!(
        "A {what} of {bytes} bytes cannot be: a power of two from {min} to {max}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(segment_bytes: u64) -> Shape {
        Shape { segment_bytes, region_bytes: REGION_BYTES }
    }

    #[test]
    fn parts_follow_each_other_without_overlap() {
        for (device, segment) in
            [(1 << 20, 32 << 10), (1 << 30, 256 << 10), (1 << 40, 64 << 20), (100 << 30, 32 << 20)]
        {
            let layout = Layout::new(device, shape(segment)).unwrap();
            let table_end = layout.table_slot(1) + layout.table_bytes() as u64;
            assert_eq!(layout.table_slot(0) + layout.table_bytes() as u64, layout.table_slot(1));
            assert!(table_end <= layout.segment_start(SegmentNumber(0)).offset());
            let last = SegmentNumber(layout.segments() - 1);
            assert!(layout.segment_range(last).end <= device);
            assert!(
                layout.segment_range(last).end + segment > device - segment,
                "no whole segment is wasted"
            );
            let inside = layout.segment_start(last).plus(3);
            assert_eq!(layout.segment_of(inside), last);
            assert!(
                layout.summary_pages() as usize * summary::LINES_PER_PAGE >= layout.batch_pages() as usize
            );
        }
    }

    #[test]
    fn a_device_that_is_too_small_is_told_what_it_needs() {
        let Err(CacheError::TooSmall { needed_bytes, .. }) = Layout::new(256 << 10, shape(32 << 10)) else {
            panic!("expected TooSmall")
        };
        assert!(Layout::new(needed_bytes, shape(32 << 10)).is_ok());
        assert!(Layout::new(needed_bytes - 4096, shape(32 << 10)).is_err());
    }

    #[test]
    fn chosen_segments_leave_sixteen_for_each_of_64_disks_on_a_pool_of_1_gib() {
        let layout = Layout::new(1 << 30, Shape::for_device(1 << 30)).unwrap();
        assert!(layout.segments() >= 64 * 16 + KEPT_BACK_SEGMENTS);
    }
}
