//! Division of a cache of a given size into RAM and segments of flash.
//!
//! The size counts the pages of data that can be kept, in RAM and on flash together:
//! - RAM is part of it. Content that is in both counts twice, as it takes room twice. So where hits count regardless of writes, little RAM
//!   is best; and the more RAM there is, the better the choice of pages to write.
//! - A segment counts as many pages as it holds when it is written in the largest batches: without its summary, and without one header for
//!   128 pages. Smaller batches have more headers, so the segment holds less than it counts; this is to the disadvantage of the served
//!   policy. There is never more data than the size.
//! - Not counted are the reserve of the pool (three segments for reclaim, two for notes), superblock and segment table: in real pools of
//!   thousands of segments they are negligible, and here they would be a third of the smallest cache.

use block::PAGE;
use cache::format::layout::Layout;
use cache::types::limits::{
    BATCH_PAGES_MAX, KEPT_BACK_SEGMENTS, RAM_BYTES_MIN, REGION_BYTES, RESERVE_SEGMENTS_MIN, SEGMENT_BYTES_MIN,
};
use cache::{Admission, Shape};

/// Number of segments that the division aims at, by halving their size as far as possible: pools have thousands. With 64 segments, the
/// writes rise by 0.04 to 0.06 times those of LRU, for the same hits.
const SEGMENTS_WANTED: u64 = 256;

/// Divisor of the cache for the default RAM of a disk: a quarter. Compared with a twentieth, a third less is written, for the same hits;
/// where only hits count, a twentieth has more of them (docs/dev/notes/hit-ratio.md).
const RAM_PART: u64 = 4;
const RAM_PART_FOR_HITS: u64 = 20;
/// Pages of RAM below which a twentieth is not enough: requests are then larger than the queue for flash, and most of each is refused. With
/// 16 pages instead, the smallest caches of docs/dev/notes/hit-ratio.md lose up to 1.9 points against LRU.
const RAM_PAGES_FOR_HITS: u64 = 64;

/// Parts of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Division {
    /// RAM of the disk in bytes.
    pub ram_bytes: u64,
    /// Bytes of a segment.
    pub segment_bytes: u64,
    /// Segments that the disk may hold.
    pub segments: u32,
    /// Pages of data that a segment counts.
    pub segment_data_pages: u64,
    /// Size of the device that has them, with everything that is not counted, in bytes.
    pub device_bytes: u64,
}

/// RAM of a disk in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RamShare {
    /// A quarter of the cache, or where only hits count a twentieth and 256 KiB at least, but no more than a quarter; limited by
    /// `bytes_max`.
    Usual {
        /// Maximum.
        bytes_max: u64,
    },
    /// A fixed number of bytes.
    Bytes(u64),
}

impl RamShare {
    /// Returns the pages of RAM in a cache of that size.
    pub(crate) fn pages(self, size_bytes: u64, admission: Admission) -> u64 {
        let pages = size_bytes / PAGE;
        match self {
            Self::Usual { bytes_max } => {
                let part = pages / RAM_PART;
                let part = if admission == Admission::AdaptiveHits {
                    part.min((pages / RAM_PART_FOR_HITS).max(RAM_PAGES_FOR_HITS))
                } else {
                    part
                };
                // The smallest caches have the flash that a disk needs first.
                let spare =
                    pages.saturating_sub(u64::from(RESERVE_SEGMENTS_MIN) * data_pages(SEGMENT_BYTES_MIN));
                part.min(bytes_max / PAGE).min(spare).max(RAM_BYTES_MIN / PAGE)
            }
            Self::Bytes(bytes) => bytes / PAGE,
        }
    }
}

impl Division {
    /// Divides a cache of `size_bytes` for this `admission`.
    ///
    /// # Errors
    /// If there would be fewer segments than a disk needs, or the pool would be too large: a sentence.
    pub fn of(size_bytes: u64, ram: RamShare, admission: Admission) -> Result<Self, String> {
        Self::of_disks(size_bytes, ram, admission, 1)
    }

    /// Divides a cache that so many disks share: each of them is to have as many segments as one alone.
    pub(super) fn of_disks(
        size_bytes: u64,
        ram: RamShare,
        admission: Admission,
        disks: u64,
    ) -> Result<Self, String> {
        let (pages, least) = (size_bytes / PAGE, u64::from(RESERVE_SEGMENTS_MIN));
        let ram_pages = ram.pages(size_bytes, admission);
        if ram_pages < RAM_BYTES_MIN / PAGE {
            return Err(format!(
                "RAM of {} KiB is less than the {} KiB that a disk has",
                ram_pages * 4,
                RAM_BYTES_MIN >> 10
            ));
        }
        let flash_pages = pages.saturating_sub(ram_pages);
        let mut segment_bytes = Shape::for_device(size_bytes).segment_bytes;
        while flash_pages / data_pages(segment_bytes) < SEGMENTS_WANTED * disks
            && segment_bytes > SEGMENT_BYTES_MIN
        {
            segment_bytes /= 2;
        }
        let segment_data_pages = data_pages(segment_bytes);
        let segments = flash_pages / segment_data_pages;
        if segments < least {
            return Err(format!(
                "{pages} pages less {ram_pages} of RAM are {segments} segments of {segment_data_pages} pages of data, and a disk has \
                 {least} at least"
            ));
        }
        let too_large = || format!("{size_bytes} bytes are more than a pool holds");
        let segments = u32::try_from(segments).map_err(|_| too_large())?;
        let shape = Shape { segment_bytes, region_bytes: REGION_BYTES };
        let with_kept_back = segments.checked_add(KEPT_BACK_SEGMENTS).ok_or_else(too_large)?;
        let device_bytes = device_bytes(shape, with_kept_back).ok_or_else(too_large)?;
        Ok(Self { ram_bytes: ram_pages * PAGE, segment_bytes, segments, segment_data_pages, device_bytes })
    }

    /// Returns the shape with which the pool is formatted.
    pub(super) fn shape(&self) -> Shape {
        Shape { segment_bytes: self.segment_bytes, region_bytes: REGION_BYTES }
    }

    /// Returns the maximum number of pages of data.
    pub fn pages_max(&self) -> u64 {
        self.ram_bytes / PAGE + u64::from(self.segments) * self.segment_data_pages
    }
}

/// Returns the pages of data in a segment that is written in the largest batches.
fn data_pages(segment_bytes: u64) -> u64 {
    let shape = Shape { segment_bytes, region_bytes: REGION_BYTES };
    let layout = Layout::new(shape, 1).expect("segment sizes are powers of two within the limits");
    let pages = u64::from(layout.batch_pages());
    pages - pages.div_ceil(BATCH_PAGES_MAX as u64 + 1)
}

/// Returns the size of the smallest device with so many segments.
fn device_bytes(shape: Shape, segments: u32) -> Option<u64> {
    let mut bytes = u64::from(segments) * shape.segment_bytes;
    loop {
        match Layout::for_first(bytes, shape) {
            Ok(layout) if layout.segments_on(bytes) >= segments => return Some(bytes),
            Ok(_) | Err(cache::CacheError::TooSmall { .. }) => bytes += shape.segment_bytes,
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AUTO: RamShare = RamShare::Usual { bytes_max: 32 << 20 };

    fn of_pages(pages: u64) -> Result<Division, String> {
        Division::of(pages * PAGE, AUTO, Admission::Adaptive)
    }

    #[test]
    fn there_is_never_more_data_than_the_size_and_hardly_less() {
        for pages in [112, 186, 571, 1412, 13_460, 107_684, 1 << 20, 1 << 28] {
            let division = of_pages(pages).unwrap();
            assert!(division.pages_max() <= pages, "{pages}: {division:?}");
            assert!(division.pages_max() + division.segment_data_pages > pages, "{pages}: {division:?}");
            let layout = Layout::for_first(division.device_bytes, division.shape()).unwrap();
            assert_eq!(layout.segments_on(division.device_bytes), division.segments + KEPT_BACK_SEGMENTS);
        }
    }

    #[test]
    fn the_smallest_cache_has_sixteen_segments_of_six_pages() {
        let smallest = of_pages(16 + 16 * 6).unwrap();
        assert_eq!((smallest.segments, smallest.segment_data_pages, smallest.ram_bytes), (16, 6, 64 << 10));
        let refused = of_pages(16 + 16 * 6 - 1).unwrap_err();
        assert!(refused.contains("15 segments of 6 pages"), "{refused}");
    }

    #[test]
    fn large_caches_are_divided_as_pools_are() {
        let large = of_pages((64 << 30) / PAGE).unwrap();
        assert_eq!(large.segment_bytes, Shape::for_device(64 << 30).segment_bytes);
        assert_eq!(large.ram_bytes, 32 << 20);
        assert_eq!(of_pages(107_684).unwrap().segment_bytes, 256 << 10);
        assert_eq!(of_pages(13_460).unwrap().ram_bytes / PAGE, 3365);
    }

    #[test]
    fn where_only_hits_count_ram_is_a_twentieth_but_64_pages_at_least_and_a_quarter_at_most() {
        let of = |pages| Division::of(pages * PAGE, AUTO, Admission::AdaptiveHits).unwrap().ram_bytes / PAGE;
        assert_eq!([13_460, 571, 186].map(of), [673, 64, 46]);
    }

    #[test]
    fn sizes_that_cannot_be_are_refused() {
        assert!(of_pages(0).is_err());
        assert!(
            Division::of(u64::MAX, AUTO, Admission::Adaptive).unwrap_err().contains("more than a pool holds")
        );
        // As many segments as have a number, before the reserve.
        let large = data_pages(Shape::for_device(1 << 60).segment_bytes);
        let flash = u64::from(u32::MAX) * large * PAGE;
        assert!(
            Division::of(flash + (32 << 20), AUTO, Admission::Adaptive)
                .unwrap_err()
                .contains("more than a pool holds"),
            "{flash}"
        );
        assert!(
            Division::of(1 << 30, RamShare::Bytes(4096), Admission::Adaptive).unwrap_err().contains("64 KiB")
        );
        assert!(
            Division::of(1 << 30, RamShare::Bytes(1 << 30), Admission::Adaptive)
                .unwrap_err()
                .contains("0 segments")
        );
    }
}
