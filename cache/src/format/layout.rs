//! Layout of each device of a pool, from three sizes: a segment's, a region's and the segment table's.
//!
//! Every device begins with superblock and segment table, in the same places; its segments follow.

use block::PAGE;

use super::{summary, table};
use crate::types::error::CacheError;
use crate::types::limits::{
    KEPT_BACK_SEGMENTS, PAGE_BYTES, REGION_BYTES, REGION_BYTES_MAX, REGION_BYTES_MIN, RESERVE_SEGMENTS_MIN,
    SEGMENT_BYTES_CHOSEN_MIN, SEGMENT_BYTES_MAX, SEGMENT_BYTES_MIN, TABLE_ROOM, TABLE_SEGMENTS_MIN,
};
use crate::types::units::{FlashPage, SegmentNumber};

/// The places of a pool's parts on each of its devices. Sizes in bytes, places in pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    segment_pages: u32,
    segments_max: u32,
    table_pages: u32,
    first_byte: u64,
    summary_pages: u32,
    region_pages: u32,
}

/// Sizes chosen when a pool is made, in bytes. Both are powers of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Bytes of a segment.
    pub segment_bytes: u64,
    /// Bytes of a disk's region: the unit in which intents are written, and in which content is lost to a power cut.
    pub region_bytes: u64,
}

impl Shape {
    /// Returns the shape that suits a device.
    pub fn for_device(device_bytes: u64) -> Self {
        let wanted = (device_bytes / 4096).max(1).next_power_of_two();
        let segment_bytes = wanted.clamp(SEGMENT_BYTES_CHOSEN_MIN, SEGMENT_BYTES_MAX);
        Self { segment_bytes, region_bytes: REGION_BYTES }
    }
}

/// Segments start on a multiple of this, the largest erase unit that drives report as optimal I/O size commonly.
const SEGMENT_ALIGNMENT: u64 = 64 << 10;

impl Layout {
    /// Returns the layout of a pool whose first device has `device_bytes`.
    ///
    /// # Errors
    /// `TooSmall` or `TooLarge` for the device, `Settings` for the shape.
    pub fn for_first(device_bytes: u64, shape: Shape) -> Result<Self, CacheError> {
        let max_bytes = u64::from(u32::MAX) * PAGE;
        if device_bytes > max_bytes {
            return Err(CacheError::TooLarge { size_bytes: device_bytes, max_bytes });
        }
        let fit = (device_bytes / shape.segment_bytes.max(SEGMENT_BYTES_MIN)) as u32;
        let layout = Self::new(shape, fit.saturating_mul(TABLE_ROOM).max(TABLE_SEGMENTS_MIN))?;
        let needed = RESERVE_SEGMENTS_MIN + KEPT_BACK_SEGMENTS;
        layout.check_device(device_bytes, needed)?;
        Ok(layout)
    }

    /// Creates the layout of a pool of this shape whose table has room for at most the given number of segments.
    ///
    /// # Errors
    /// `Settings` for the shape.
    pub fn new(shape: Shape, segments_max: u32) -> Result<Self, CacheError> {
        let Shape { segment_bytes, region_bytes } = shape;
        check_power("segment", segment_bytes, SEGMENT_BYTES_MIN, SEGMENT_BYTES_MAX)?;
        check_power("region", region_bytes, REGION_BYTES_MIN, REGION_BYTES_MAX)?;
        let segment_pages = (segment_bytes / PAGE) as u32;
        // Pages of the pool are counted in 32 bits.
        let segments_max = segments_max.min(u32::MAX / segment_pages);
        let table_pages = table::pages_for(segments_max);
        let first_byte =
            (u64::from(2 + 2 * table_pages) * PAGE).next_multiple_of(SEGMENT_ALIGNMENT.min(segment_bytes));
        let summary_pages = (segment_pages as usize).div_ceil(summary::LINES_PER_PAGE) as u32;
        let region_pages = (region_bytes / PAGE) as u32;
        Ok(Self { segment_pages, segments_max, table_pages, first_byte, summary_pages, region_pages })
    }

    /// Returns the number of segments that fit on a device.
    pub fn segments_on(&self, device_bytes: u64) -> u32 {
        (device_bytes.saturating_sub(self.first_byte) / self.segment_bytes()).min(u64::from(u32::MAX)) as u32
    }

    /// Checks that a device has room for `segments` segments.
    ///
    /// # Errors
    /// `TooSmall`.
    pub fn check_device(&self, device_bytes: u64, segments: u32) -> Result<(), CacheError> {
        if self.segments_on(device_bytes) >= segments {
            return Ok(());
        }
        let needed_bytes = self.bytes_for(segments);
        Err(CacheError::TooSmall { size_bytes: device_bytes, needed_bytes })
    }

    /// Returns the number of segments that the table has room for, on all devices together.
    pub fn segments_max(&self) -> u32 {
        self.segments_max
    }

    /// Returns the least size in bytes of a device with `segments` segments.
    pub fn bytes_for(&self, segments: u32) -> u64 {
        self.first_byte + u64::from(segments) * self.segment_bytes()
    }

    /// Returns the offset of a page on its device, in bytes, if its segment has this place among those of the device.
    pub fn device_offset(&self, place: u32, page: FlashPage) -> u64 {
        self.bytes_for(place) + u64::from(page.0 % self.segment_pages) * PAGE
    }

    /// Returns the bytes of a segment.
    pub fn segment_bytes(&self) -> u64 {
        u64::from(self.segment_pages) * PAGE
    }

    /// Returns the offset of a slot of the segment table, in bytes.
    pub fn table_slot(&self, turn: u64) -> u64 {
        (2 + turn % 2 * u64::from(self.table_pages)) * PAGE
    }

    /// Returns the bytes of one slot of the segment table.
    pub fn table_bytes(&self) -> usize {
        self.table_pages as usize * PAGE_BYTES
    }

    /// Returns the first page of a segment.
    pub fn segment_start(&self, segment: SegmentNumber) -> FlashPage {
        FlashPage(segment.0 * self.segment_pages)
    }

    /// Returns the first page of a segment's summary; batches end before it.
    pub fn summary_start(&self, segment: SegmentNumber) -> FlashPage {
        self.segment_start(segment).plus(self.batch_pages())
    }

    /// Returns the number of pages of a disk's region.
    pub fn region_pages(&self) -> u32 {
        self.region_pages
    }

    /// Returns the number of pages of a summary.
    pub fn summary_pages(&self) -> u32 {
        self.summary_pages
    }

    /// Returns the number of pages of a segment that batches may use, headers included.
    pub fn batch_pages(&self) -> u32 {
        self.segment_pages - self.summary_pages
    }

    /// Returns the segment that a page is in.
    pub fn segment_of(&self, page: FlashPage) -> SegmentNumber {
        SegmentNumber(page.0 / self.segment_pages)
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
            let layout = Layout::for_first(device, shape(segment)).unwrap();
            let table_end = layout.table_slot(1) + layout.table_bytes() as u64;
            assert_eq!(layout.table_slot(0) + layout.table_bytes() as u64, layout.table_slot(1));
            assert!(table_end <= layout.device_offset(0, layout.segment_start(SegmentNumber(0))));
            let end = layout.bytes_for(layout.segments_on(device));
            assert!(end <= device);
            assert!(end + segment > device, "no whole segment is wasted");
            let inside = layout.segment_start(SegmentNumber(7)).plus(3);
            assert_eq!(layout.segment_of(inside), SegmentNumber(7));
            assert!(
                layout.summary_pages() as usize * summary::LINES_PER_PAGE >= layout.batch_pages() as usize
            );
        }
    }

    #[test]
    fn a_second_device_has_its_segments_in_the_same_places() {
        let layout = Layout::for_first(1 << 30, shape(256 << 10)).unwrap();
        let here = layout.device_offset(3, layout.segment_start(SegmentNumber(4003)).plus(5));
        let there = layout.device_offset(3, layout.segment_start(SegmentNumber(3)).plus(5));
        assert_eq!(here, there);
    }

    #[test]
    fn a_device_that_is_too_small_is_told_what_it_needs() {
        let small = Layout::for_first(256 << 10, shape(32 << 10));
        let Err(CacheError::TooSmall { needed_bytes, .. }) = small else { panic!("expected TooSmall") };
        assert!(Layout::for_first(needed_bytes, shape(32 << 10)).is_ok());
        assert!(Layout::for_first(needed_bytes - 4096, shape(32 << 10)).is_err());
    }

    #[test]
    fn chosen_segments_leave_sixteen_for_each_of_64_disks_on_a_pool_of_1_gib() {
        let layout = Layout::for_first(1 << 30, Shape::for_device(1 << 30)).unwrap();
        assert!(layout.segments_on(1 << 30) >= 64 * 16 + KEPT_BACK_SEGMENTS);
    }
}
