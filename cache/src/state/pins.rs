//! Pins: the readers of each segment, of the disks of one shard. Only a disk's own shard reads its segments and frees
//! them, so that a read of flash takes no lock that shards share.

use crate::types::units::SegmentNumber;

/// Reads under way, by segment (rule I7).
#[derive(Default)]
pub(crate) struct Pins {
    readers: Vec<u32>,
}

impl Pins {
    /// Records a reader.
    pub(crate) fn add(&mut self, segment: SegmentNumber) {
        let place = segment.0 as usize;
        if place >= self.readers.len() {
            // A pool grows when a device is added.
            self.readers.resize(place + 1, 0);
        }
        self.readers[place] += 1;
    }

    /// Records that a reader is done. Returns true if it was the last one.
    pub(crate) fn remove(&mut self, segment: SegmentNumber) -> bool {
        let readers = &mut self.readers[segment.0 as usize];
        *readers -= 1;
        *readers == 0
    }

    /// Returns true if a reader uses the segment.
    pub(crate) fn has(&self, segment: SegmentNumber) -> bool {
        self.readers.get(segment.0 as usize).is_some_and(|readers| *readers > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_pinned_until_its_last_reader_is_done() {
        let mut pins = Pins::default();
        let segment = SegmentNumber(2);
        pins.add(segment);
        pins.add(segment);
        assert!(!pins.remove(segment) && pins.has(segment));
        assert!(pins.remove(segment) && !pins.has(segment));
        assert!(!pins.has(SegmentNumber(0)));
    }
}
