//! The configuration space of a virtio block device, as guests see it (virtio 1.2, section 5.2.4).
//!
//! `writeback` reports that there is a cache to flush: with it absent or zero, Linux would send no flush. Guests cannot turn that off
//! (`CONFIG_WCE` is not offered): a front end keeps the change to itself and does not repeat it to a daemon that was restarted, which would
//! then not make durable what the guest assumes to be durable.

use block::Geometry;

use super::limits::{
    CONFIGURATION_BYTES, DISCARD_SECTORS_MAX, QUEUES_MAX, RANGES_MAX, SEGMENT_BYTES_TOLD, SEGMENTS_TOLD,
    ZEROES_SECTORS_MAX,
};

/// Bytes of a sector in all of virtio.
pub(crate) const SECTOR: u64 = 512;

/// Returns the configuration space of a device, as far as a front end may read it; undefined fields are zero.
pub(crate) fn configuration(geometry: &Geometry) -> [u8; CONFIGURATION_BYTES] {
    let block = geometry.sector;
    let physical = geometry.physical_block.max(block);
    let mut space = [0; CONFIGURATION_BYTES];
    let mut put = |at: usize, bytes: &[u8]| space[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &(geometry.size / SECTOR).to_le_bytes()); // capacity
    put(8, &SEGMENT_BYTES_TOLD.to_le_bytes()); // size_max
    put(12, &SEGMENTS_TOLD.to_le_bytes()); // seg_max
    put(20, &(block as u32).to_le_bytes()); // blk_size
    put(24, &[(physical / block).ilog2() as u8]); // physical_block_exp
    put(26, &((physical / block) as u16).to_le_bytes()); // min_io_size, in blocks
    put(28, &0u32.to_le_bytes()); // opt_io_size: none is better than others
    put(32, &[1]); // writeback
    put(34, &(QUEUES_MAX as u16).to_le_bytes()); // num_queues
    put(36, &DISCARD_SECTORS_MAX.to_le_bytes());
    put(40, &RANGES_MAX.to_le_bytes()); // max_discard_seg
    put(44, &((block / SECTOR) as u32).to_le_bytes()); // discard_sector_alignment
    put(48, &ZEROES_SECTORS_MAX.to_le_bytes());
    put(52, &RANGES_MAX.to_le_bytes()); // max_write_zeroes_seg
    put(56, &[1]); // write_zeroes_may_unmap
    space
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_learn_size_blocks_and_that_there_is_a_cache_to_flush() {
        let geometry = Geometry { physical_block: 4096, ..Geometry::plain(3 << 30) };
        let space = configuration(&geometry);
        let word = |at: usize| u32::from_le_bytes(space[at..at + 4].try_into().unwrap());
        assert_eq!(u64::from_le_bytes(space[..8].try_into().unwrap()), 6 << 20);
        assert_eq!((word(8), word(12), word(20)), (256 << 10, 126, 512));
        assert_eq!((space[24], space[26], space[32]), (3, 8, 1));
        let coarse = configuration(&Geometry { sector: 4096, ..geometry });
        assert_eq!((coarse[24], coarse[26], coarse[44]), (0, 1, 8));
    }
}
