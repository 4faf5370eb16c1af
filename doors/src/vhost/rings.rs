//! The two rings of a queue in guest memory: which requests there are, and which were answered. (Virtio 1.2, sections 2.7.6 "The
//! Virtqueue Available Ring" to 2.7.10 "Available Buffer Notification Suppression".)
//!
//! ```text
//!   available, the guest writes:  flags 2 | index 2 | head 2, head 2, ...              | used event 2
//!   used, we write:               flags 2 | index 2 | head 4 written 4, head 4 ...     | available event 2
//! ```
//! Indices run through all numbers of 16 bits; an entry is at its index modulo the size. With event indices each side sets the index after
//! which it wants a notification; without, it sets a flag.
//!
//! Every answer is a read and two stores. `virtio-queue` searches the region of each of them with an iterator over all possible ones, which
//! took a tenth of the instructions of a hit; it still decides where a ring may lie.

use std::sync::atomic::{Ordering, fence};

use virtio_queue::{Queue, QueueT};
use vm_memory::GuestAddress;

use super::chain::Table;
use super::limits::QUEUE_SIZE_MAX;
use super::memory::{Memory, Outside};

/// Offset of the entries in both rings, behind flags and index.
const ENTRIES_AT: u64 = 4;
const INDEX_AT: u64 = 2;
const AVAILABLE_ENTRY_BYTES: u64 = 2;
const USED_ENTRY_BYTES: u64 = 8;
/// The flag of a guest that wants no interrupts.
const NO_INTERRUPT: u16 = 1;

/// Addresses of the parts of a ring, in the front end's own memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Addresses {
    pub(crate) descriptors: u64,
    pub(crate) available: u64,
    pub(crate) used: u64,
    /// Guest address for the record of writes to the used ring, if they are recorded.
    pub(crate) log: Option<u64>,
}

/// Addresses of the parts of a queue in the guest: all of it lies in memory, and is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Places {
    descriptors: GuestAddress,
    available: GuestAddress,
    used: GuestAddress,
    size: u16,
}

/// The rings of a queue, and its position in them.
pub(super) struct Rings {
    places: Places,
    event_index: bool,
    next_available: u16,
    next_used: u16,
    /// Answers since the last check whether the guest wants a notification.
    unasked: u16,
}

impl Places {
    /// Returns the places of a queue of `size` entries. None if it cannot be there.
    pub(super) fn find(memory: &Memory, addresses: Addresses, size: u16) -> Option<Self> {
        let mut queue = Queue::new(QUEUE_SIZE_MAX).ok()?;
        queue.try_set_size(size).ok()?;
        queue.try_set_desc_table_address(memory.translate(addresses.descriptors)?).ok()?;
        queue.try_set_avail_ring_address(memory.translate(addresses.available)?).ok()?;
        queue.try_set_used_ring_address(memory.translate(addresses.used)?).ok()?;
        queue.set_ready(true);
        let [descriptors, available, used] =
            [queue.desc_table(), queue.avail_ring(), queue.used_ring()].map(GuestAddress);
        queue.is_valid(memory.map()).then_some(Self { descriptors, available, used, size })
    }
}

impl Rings {
    /// Creates the rings in these places, of which nothing was taken or answered.
    pub(super) fn new(places: Places, event_index: bool) -> Self {
        Self { places, event_index, next_available: 0, next_used: 0, unasked: 0 }
    }

    pub(super) fn places(&self) -> Places {
        self.places
    }

    pub(super) fn size(&self) -> u16 {
        self.places.size
    }

    /// Returns the descriptors, of which heads are numbers.
    pub(super) fn table(&self) -> Table {
        Table { at: self.places.descriptors, entries: self.size().into() }
    }

    /// Returns the index of the request that is taken next.
    pub(super) fn next_available(&self) -> u16 {
        self.next_available
    }

    /// Returns the index of the answer that is given next.
    pub(super) fn next_used(&self) -> u16 {
        self.next_used
    }

    /// Begins, or goes on, at these indices.
    pub(super) fn begin_at(&mut self, next_available: u16, next_used: u16) {
        (self.next_available, self.next_used) = (next_available, next_used);
    }

    /// Returns the index behind the last request that the guest has put there.
    pub(super) fn available_index(&self, memory: &Memory) -> Result<u16, Outside> {
        memory.load(self.available_at(INDEX_AT), Ordering::Acquire)
    }

    /// Returns the index behind the last answer that is in the used ring, ours or another process's.
    pub(super) fn used_index(&self, memory: &Memory) -> Result<u16, Outside> {
        memory.load(self.used_at(INDEX_AT), Ordering::Acquire)
    }

    /// Returns the head of the next request, of which the index was seen to be there.
    pub(super) fn take(&mut self, memory: &Memory) -> Result<u16, Outside> {
        let entry = u64::from(self.next_available % self.size());
        let head =
            memory.load(self.available_at(ENTRIES_AT + entry * AVAILABLE_ENTRY_BYTES), Ordering::Relaxed)?;
        self.next_available = self.next_available.wrapping_add(1);
        Ok(head)
    }

    /// Puts an answer into the used ring, where the guest sees it at once. The write is for the caller to note.
    pub(super) fn answer(&mut self, memory: &Memory, head: u16, written: u32) -> Result<(), Outside> {
        let entry = u64::from(self.next_used % self.size());
        let answer = (u64::from(head) | u64::from(written) << 32).to_le_bytes();
        memory.write_unnoted(self.used_at(ENTRIES_AT + entry * USED_ENTRY_BYTES), &answer)?;
        self.next_used = self.next_used.wrapping_add(1);
        self.unasked = self.unasked.wrapping_add(1);
        memory.store(self.used_at(INDEX_AT), self.next_used, Ordering::Release)
    }

    /// Requests a kick from the guest for the next request. Returns true if there is one already. The caller has to record the write.
    pub(super) fn ask_for_kicks(&self, memory: &Memory) -> Result<bool, Outside> {
        if self.event_index {
            let event = ENTRIES_AT + u64::from(self.size()) * USED_ENTRY_BYTES;
            memory.store(self.used_at(event), self.next_available, Ordering::Relaxed)?;
        } else {
            memory.store(self.used_at(0), 0, Ordering::Relaxed)?;
        }
        // A guest that adds a request either sees this, or its request is seen.
        fence(Ordering::SeqCst);
        Ok(self.available_index(memory)? != self.next_available)
    }

    /// Returns true if the guest wants a notification of the answers since the last check.
    pub(super) fn wants_to_be_told(&mut self, memory: &Memory) -> Result<bool, Outside> {
        // It either sees the answers before it sleeps, or is seen to want to be woken.
        fence(Ordering::SeqCst);
        let answered = std::mem::take(&mut self.unasked);
        if self.event_index {
            let event = ENTRIES_AT + u64::from(self.size()) * AVAILABLE_ENTRY_BYTES;
            let after: u16 = memory.load(self.available_at(event), Ordering::Relaxed)?;
            return Ok(self.next_used.wrapping_sub(after).wrapping_sub(1) < answered);
        }
        Ok(memory.load(self.available_at(0), Ordering::Relaxed)? & NO_INTERRUPT == 0)
    }

    /// Returns the bytes of the used ring.
    pub(super) fn used_bytes(&self) -> u64 {
        ENTRIES_AT + u64::from(self.size()) * USED_ENTRY_BYTES + 2
    }

    /// Returns an address in the available ring; the places were seen to be in memory.
    fn available_at(&self, offset: u64) -> GuestAddress {
        GuestAddress(self.places.available.0 + offset)
    }

    fn used_at(&self, offset: u64) -> GuestAddress {
        GuestAddress(self.places.used.0 + offset)
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::tests::memory_of;
    use super::*;

    const SIZE: u16 = 4;
    const USER: u64 = 0x7000_0000;
    const DESCRIPTORS: u64 = 0x100;
    const AVAILABLE: u64 = 0x200;
    const USED: u64 = 0x300;
    /// The event index of each ring, behind its entries.
    const USED_EVENT: u64 = AVAILABLE + 4 + 2 * SIZE as u64;
    const AVAILABLE_EVENT: u64 = USED + 4 + 8 * SIZE as u64;

    fn addresses() -> Addresses {
        Addresses {
            descriptors: USER + DESCRIPTORS,
            available: USER + AVAILABLE,
            used: USER + USED,
            log: None,
        }
    }

    fn rings(memory: &Memory, event_index: bool) -> Rings {
        Rings::new(Places::find(memory, addresses(), SIZE).unwrap(), event_index)
    }

    fn put(memory: &Memory, at: u64, word: u16) {
        memory.write(GuestAddress(at), &word.to_le_bytes()).unwrap();
    }

    fn look<const N: usize>(memory: &Memory, at: u64) -> [u8; N] {
        let mut bytes = [0; N];
        memory.read(GuestAddress(at), &mut bytes).unwrap();
        bytes
    }

    fn word(memory: &Memory, at: u64) -> u16 {
        u16::from_le_bytes(look(memory, at))
    }

    #[test]
    fn heads_are_taken_in_order_and_indices_wrap() {
        let memory = memory_of(0x1000);
        let mut rings = rings(&memory, true);
        for (entry, head) in (0..).zip([10, 11, 12, 13]) {
            put(&memory, AVAILABLE + 4 + 2 * entry, head);
        }
        rings.begin_at(u16::MAX - 1, 0);
        put(&memory, AVAILABLE + 2, 2);
        assert_eq!(rings.available_index(&memory), Ok(2));
        let heads: Vec<u16> = (0..4).map(|_| rings.take(&memory).unwrap()).collect();
        assert_eq!(heads, [12, 13, 10, 11], "65534 and 65535, then 0 and 1");
        assert_eq!(rings.next_available(), 2);
    }

    #[test]
    fn an_answer_is_a_head_and_what_was_written_and_then_the_index() {
        let memory = memory_of(0x1000);
        let mut rings = rings(&memory, true);
        rings.begin_at(0, u16::MAX);
        rings.answer(&memory, 0x0102, 0x0304_0506).unwrap();
        assert_eq!(
            look(&memory, USED + 4 + 8 * 3),
            [2, 1, 0, 0, 6, 5, 4, 3],
            "little-endian, at entry 65535 % 4"
        );
        assert_eq!((rings.used_index(&memory), rings.next_used()), (Ok(0), 0));
        rings.answer(&memory, 7, 1).unwrap();
        assert_eq!(look(&memory, USED + 4), [7, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(word(&memory, USED + 2), 1);
    }

    #[test]
    fn with_event_indices_the_guest_is_told_when_its_index_is_passed() {
        let memory = memory_of(0x1000);
        for first in [0_u16, 1, 0x7fff, u16::MAX - 1, u16::MAX] {
            for (after, wanted) in [(0, true), (1, true), (2, false), (u16::MAX, false)] {
                let mut rings = rings(&memory, true);
                rings.begin_at(0, first);
                // "After the answer at this index": of the two that follow, the first is at `first`.
                put(&memory, USED_EVENT, first.wrapping_add(after));
                rings.answer(&memory, 0, 0).unwrap();
                rings.answer(&memory, 1, 0).unwrap();
                assert_eq!(rings.wants_to_be_told(&memory), Ok(wanted), "{after} behind {first}");
                assert_eq!(rings.wants_to_be_told(&memory), Ok(false), "it was told of both");
            }
        }
    }

    #[test]
    fn without_event_indices_flags_say_who_is_told() {
        let memory = memory_of(0x1000);
        let mut rings = rings(&memory, false);
        rings.answer(&memory, 0, 0).unwrap();
        assert_eq!(rings.wants_to_be_told(&memory), Ok(true));
        put(&memory, AVAILABLE, NO_INTERRUPT);
        assert_eq!(rings.wants_to_be_told(&memory), Ok(false));
        put(&memory, USED, 1);
        rings.ask_for_kicks(&memory).unwrap();
        assert_eq!(word(&memory, USED), 0, "kicks are wanted");
    }

    #[test]
    fn kicks_are_asked_for_behind_the_last_request_that_was_taken() {
        let memory = memory_of(0x1000);
        let mut rings = rings(&memory, true);
        rings.begin_at(u16::MAX, 0);
        put(&memory, AVAILABLE + 2, u16::MAX);
        assert_eq!(rings.ask_for_kicks(&memory), Ok(false));
        assert_eq!(word(&memory, AVAILABLE_EVENT), u16::MAX);
        put(&memory, AVAILABLE + 2, 0);
        assert_eq!(rings.ask_for_kicks(&memory), Ok(true), "one came before it was asked for");
        rings.take(&memory).unwrap();
        assert_eq!(rings.ask_for_kicks(&memory), Ok(false));
        assert_eq!(word(&memory, AVAILABLE_EVENT), 0);
    }

    #[test]
    fn what_is_written_is_what_the_used_ring_takes() {
        let memory = memory_of(0x1000);
        let mut rings = rings(&memory, true);
        let bytes = rings.used_bytes();
        for at in 0..0x1000 {
            memory.write(GuestAddress(at), &[0xaa]).unwrap();
        }
        for head in 0..SIZE {
            rings.answer(&memory, head, 0).unwrap();
        }
        rings.ask_for_kicks(&memory).unwrap();
        let all: [u8; 0x1000] = look(&memory, 0);
        let changed: Vec<u64> = (0..0x1000).filter(|&at| all[at as usize] != 0xaa).collect();
        assert_eq!((changed[0], changed[changed.len() - 1]), (USED + 2, USED + bytes - 1));
    }

    #[test]
    fn rings_that_are_not_all_in_memory_or_not_aligned_have_no_place() {
        let memory = memory_of(0x1000);
        let place = |addresses, size| Places::find(&memory, addresses, size).is_some();
        assert!(place(addresses(), SIZE));
        assert!(!place(addresses(), 3), "no power of two");
        assert!(!place(addresses(), 0));
        for (descriptors, available, used) in [
            (DESCRIPTORS + 8, AVAILABLE, USED),
            (DESCRIPTORS, AVAILABLE + 1, USED),
            (DESCRIPTORS, AVAILABLE, USED + 2),
            (0x1000 - 16, AVAILABLE, USED),
            (DESCRIPTORS, 0x1000 - 6, USED),
            (DESCRIPTORS, AVAILABLE, 0x1000 - 32),
            (DESCRIPTORS, AVAILABLE, 0x2000),
        ] {
            let addresses = Addresses {
                descriptors: USER + descriptors,
                available: USER + available,
                used: USER + used,
                log: None,
            };
            assert!(!place(addresses, SIZE), "{addresses:x?}");
        }
        // The last bytes that there are do.
        let last = Addresses { used: USER + 0xff8 - 32, ..addresses() };
        assert!(place(last, SIZE));
    }
}
