//! A chain of descriptors, from a queue's table to the stretches of guest memory that it names.
//!
//! The guest can write anything there, also during the read: each descriptor is read once. A malformed chain is refused as a whole; the
//! iterator of `virtio-queue` would return its beginning and hide the rest. (Virtio 1.2, section 2.7.5, "The Virtqueue Descriptor Table".)
//! Code that accesses the segments checks whether they are memory at all.

use smallvec::SmallVec;
use virtio_queue::desc::split::Descriptor;
use vm_memory::GuestAddress;

use super::limits::DESCRIPTORS_MAX;
use super::memory::{Memory, Outside};

/// Bytes of one descriptor.
const DESCRIPTOR_BYTES: u64 = 16;
/// Entries of an indirect table that is read in one go, at most: header, status, and data in a few stretches.
const SHORT_TABLE: usize = 8;

/// A descriptor as the guest wrote it.
type Bytes = [u8; DESCRIPTOR_BYTES as usize];
/// The descriptors of a short table.
type Short = [Bytes; SHORT_TABLE];

/// A stretch of alleged guest memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) at: GuestAddress,
    pub(crate) length: u32,
}

/// Stretches in their order: for most requests header, data in one or two, and status, and those without an allocation.
pub(crate) type Segments = SmallVec<[Segment; 4]>;

/// The segments of a chain.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Chain {
    /// First the segments that the device reads, then those that it writes.
    pub(crate) segments: Segments,
    /// Number of those that the device reads.
    pub(crate) readable: usize,
}

/// A table of descriptors in guest memory.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    pub(crate) at: GuestAddress,
    pub(crate) entries: u32,
}

impl Chain {
    /// Follows the chain that begins at entry `head` of `table`, which is in `ring_memory`; indirect ones are in `memory`.
    ///
    /// # Errors
    /// The fault of the chain.
    #[inline]
    pub(crate) fn follow(
        ring_memory: &Memory,
        table: Table,
        memory: &Memory,
        head: u16,
    ) -> Result<Self, &'static str> {
        let mut chain = Self::default();
        let (mut table, mut index, mut inside_indirect) = (table, head, false);
        let mut short: Option<Short> = None;
        // Entries of the present table that may still follow: a loop ends here.
        let mut left = table.entries;
        loop {
            table.check(index)?;
            let descriptor = match &short {
                Some(short) => descriptor(short[usize::from(index)]),
                None => table.read(if inside_indirect { memory } else { ring_memory }, index)?,
            };
            left = left.checked_sub(1).ok_or("a chain of descriptors that runs in a circle")?;
            if descriptor.refers_to_indirect_table() {
                if inside_indirect || descriptor.has_next() {
                    return Err("an indirect table inside of another one, or with something behind it");
                }
                table = Table::indirect(&descriptor)?;
                short = table.read_short(memory);
                (index, inside_indirect, left) = (0, true, table.entries);
                continue;
            }
            chain.add(&descriptor)?;
            if !descriptor.has_next() {
                return Ok(chain);
            }
            index = descriptor.next();
        }
    }

    fn add(&mut self, descriptor: &Descriptor) -> Result<(), &'static str> {
        if self.segments.len() >= DESCRIPTORS_MAX {
            return Err("a chain of more descriptors than a request may have");
        }
        if descriptor.len() == 0 {
            // It names nothing, and would cost as much as one that does.
            return Ok(());
        }
        if !descriptor.is_write_only() {
            if self.readable < self.segments.len() {
                return Err("a chain with something to read behind something to write");
            }
            self.readable += 1;
        }
        self.segments.push(Segment { at: descriptor.addr(), length: descriptor.len() });
        Ok(())
    }
}

impl Table {
    /// Returns the table that an indirect descriptor refers to.
    fn indirect(descriptor: &Descriptor) -> Result<Self, &'static str> {
        let length = u64::from(descriptor.len());
        let entries = length / DESCRIPTOR_BYTES;
        if !length.is_multiple_of(DESCRIPTOR_BYTES) || entries == 0 || entries > DESCRIPTORS_MAX as u64 {
            return Err("an indirect table of a size that none can have");
        }
        Ok(Self { at: descriptor.addr(), entries: entries as u32 })
    }

    /// Returns all of it, if it is short, and all of it is memory.
    fn read_short(&self, memory: &Memory) -> Option<Short> {
        let mut short = Short::default();
        let whole = short.get_mut(..self.entries as usize)?;
        memory.read(self.at, whole.as_flattened_mut()).ok().map(|()| short)
    }

    fn check(&self, index: u16) -> Result<(), &'static str> {
        let is_inside = u32::from(index) < self.entries;
        if is_inside { Ok(()) } else { Err("a descriptor beyond the end of its table") }
    }

    fn read(&self, memory: &Memory, index: u16) -> Result<Descriptor, &'static str> {
        let at = self.at.0.checked_add(u64::from(index) * DESCRIPTOR_BYTES);
        let at = at.ok_or("a table of descriptors past the largest address")?;
        let mut bytes = Bytes::default();
        memory
            .read(GuestAddress(at), &mut bytes)
            .map_err(|Outside| "a table of descriptors outside of memory")?;
        Ok(descriptor(bytes))
    }
}

/// Decodes the bytes of a descriptor: address, length, flags, and the next one. (Virtio 1.2, section 2.7.5.)
fn descriptor([at @ .., l0, l1, l2, l3, f0, f1, n0, n1]: Bytes) -> Descriptor {
    let word = |bytes| u16::from_le_bytes(bytes);
    let length = u32::from_le_bytes([l0, l1, l2, l3]);
    Descriptor::new(u64::from_le_bytes(at), length, word([f0, f1]), word([n0, n1]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use vm_memory::Bytes as _;

    use super::*;
    use crate::vhost::memory::tests::memory_of;

    const NEXT: u16 = 1;
    const WRITE: u16 = 2;
    const INDIRECT: u16 = 4;

    fn put(memory: &Memory, at: u64, descriptors: &[(u64, u32, u16, u16)]) {
        for (index, (address, length, flags, next)) in descriptors.iter().enumerate() {
            let descriptor = Descriptor::new(*address, *length, *flags, *next);
            memory.map().write_obj(descriptor, GuestAddress(at + 16 * index as u64)).unwrap();
        }
    }

    fn follow(memory: &Memory, head: u16) -> Result<Chain, &'static str> {
        Chain::follow(memory, Table { at: GuestAddress(0), entries: 4 }, memory, head)
    }

    fn segment(at: u64, length: u32) -> Segment {
        Segment { at: GuestAddress(at), length }
    }

    fn chain(readable: &[Segment], writable: &[Segment]) -> Chain {
        Chain { segments: [readable, writable].concat().into(), readable: readable.len() }
    }

    #[test]
    fn a_chain_is_followed_in_its_order_and_into_its_indirect_table() {
        let memory = memory_of(1 << 16);
        put(
            &memory,
            0,
            &[(0x100, 16, NEXT, 3), (0x4000, 48, INDIRECT, 0), (0, 0, 0, 0), (0x200, 1, WRITE, 0)],
        );
        let direct = follow(&memory, 0).unwrap();
        assert_eq!(direct, chain(&[segment(0x100, 16)], &[segment(0x200, 1)]));
        put(&memory, 0x4000, &[(1, 2, NEXT, 2), (5, 6, WRITE, 0), (3, 4, NEXT | WRITE, 1)]);
        let indirect = follow(&memory, 1).unwrap();
        assert_eq!(indirect, chain(&[segment(1, 2)], &[segment(3, 4), segment(5, 6)]));
    }

    #[test]
    fn a_table_that_memory_has_a_part_of_and_a_long_one_are_followed_too() {
        let memory = memory_of(1 << 16);
        put(&memory, 0, &[(0xffe0, 48, INDIRECT, 0), (0x4000, 16 * 12, INDIRECT, 0)]);
        put(&memory, 0xffe0, &[(1, 2, NEXT, 1), (3, 4, WRITE, 0)]);
        let expected = chain(&[segment(1, 2)], &[segment(3, 4)]);
        assert_eq!(follow(&memory, 0).unwrap(), expected);
        put(&memory, 0xfff0, &[(3, 4, NEXT | WRITE, 2)]);
        assert!(follow(&memory, 0).unwrap_err().contains("outside"), "what it goes on to is no memory");
        put(&memory, 0x4000, &[(1, 2, NEXT, 11)]);
        put(&memory, 0x4000 + 16 * 11, &[(3, 4, WRITE, 0)]);
        assert_eq!(follow(&memory, 1).unwrap(), expected);
    }

    #[test]
    fn descriptors_of_nothing_are_not_kept() {
        let memory = memory_of(1 << 16);
        put(&memory, 0, &[(1, 0, NEXT, 1), (2, 2, NEXT, 2), (3, 0, NEXT | WRITE, 3), (4, 1, WRITE, 0)]);
        let kept = chain(&[segment(2, 2)], &[segment(4, 1)]);
        assert_eq!(follow(&memory, 0).unwrap(), kept);
    }

    #[test]
    fn chains_without_meaning_are_refused() {
        let memory = memory_of(1 << 16);
        let refused = |descriptors: &[(u64, u32, u16, u16)], inside: &[(u64, u32, u16, u16)]| {
            put(&memory, 0, descriptors);
            put(&memory, 0x4000, inside);
            follow(&memory, 0).unwrap_err()
        };
        assert!(refused(&[(0, 1, NEXT, 1), (0, 1, NEXT, 0)], &[]).contains("circle"));
        assert!(refused(&[(0, 1, NEXT, 0)], &[]).contains("circle"));
        assert!(refused(&[(0, 1, NEXT, 4)], &[]).contains("beyond the end"));
        assert!(refused(&[(0, 1, NEXT | WRITE, 1), (0, 1, 0, 0)], &[]).contains("behind"));
        for length in [0, 15, 17, 1 << 20] {
            assert!(refused(&[(0x4000, length, INDIRECT, 0)], &[]).contains("size"));
        }
        assert!(refused(&[(u64::MAX - 1, 32, INDIRECT, 0)], &[]).contains("outside"));
        assert!(refused(&[(0x4000, 16, INDIRECT | NEXT, 1)], &[]).contains("indirect"));
        assert!(refused(&[(0x4000, 16, INDIRECT, 0)], &[(0x4000, 16, INDIRECT, 0)]).contains("indirect"));
        assert!(refused(&[(0x4000, 16, INDIRECT, 0)], &[(0, 1, NEXT, 1)]).contains("beyond the end"));
        assert!(
            refused(&[(0x4000, 32, INDIRECT, 0)], &[(0, 1, NEXT, 1), (0, 1, NEXT, 0)]).contains("circle")
        );
        assert!(follow(&memory, 4).unwrap_err().contains("beyond the end"));
        let nowhere = Table { at: GuestAddress(u64::MAX - 20), entries: 4 };
        assert!(Chain::follow(&memory, nowhere, &memory, 3).is_err());
    }

    proptest! {
        #[test]
        fn whatever_is_in_memory_a_chain_ends_and_is_no_longer_than_it_may_be(
            words in proptest::collection::vec(any::<u64>(), 512), head in any::<u16>(),
        ) {
            let memory = memory_of(1 << 12);
            for (index, word) in words.iter().enumerate() {
                // Small numbers are more likely to mean something.
                let word = if index % 2 == 0 { word % 0x1000 } else { word & 0x001f_0007_0000_00ff };
                memory.map().write_obj(word, GuestAddress(8 * index as u64)).unwrap();
            }
            let table = Table { at: GuestAddress(0), entries: 256 };
            if let Ok(chain) = Chain::follow(&memory, table, &memory, head % 300) {
                prop_assert!(chain.segments.len() <= DESCRIPTORS_MAX && chain.readable <= chain.segments.len());
            }
        }
    }
}
