//! The driver's half of a split queue (virtio 1.2, section 2.7), with a slot of memory for each request.
//!
//! ```text
//! 0x0000 descriptors   0x1000 available ring   0x2000 used ring   0x3000 slots: table, header, status   0x1_0000 data
//! ```
//! A request takes one entry of the queue, which names a table of its own descriptors, as in Linux guests.

use std::os::fd::{AsRawFd, BorrowedFd};
use std::rc::Rc;
use std::sync::atomic::{AtomicU16, Ordering, fence};

use nix::libc::EFD_NONBLOCK;
use vm_memory::{Bytes, MmapRegion, VolatileMemory};
use vmm_sys_util::eventfd::EventFd;

/// Number of entries of a queue, and maximum number of requests in flight in it; QEMU gives its guests 128 or 256.
pub(crate) const SIZE: u16 = 256;
/// Size of the memory of one queue.
pub(crate) const QUEUE_BYTES: usize = DATA_AT + DATA_BYTES;

const AVAILABLE_AT: usize = 0x1000;
const USED_AT: usize = 0x2000;
const SLOTS_AT: usize = 0x3000;
const SLOT_BYTES: usize = 128;
/// Offset in a slot: behind three descriptors.
const HEADER_AT: usize = 64;
const STATUS_AT: usize = 80;
const DATA_AT: usize = 0x1_0000;
/// 64 KiB for each of the first 32 slots.
const DATA_BYTES: usize = 2 << 20;
const LONG_SLOTS: u16 = 32;
const LONG_BYTES: usize = 64 << 10;
const PAGE: usize = 4096;

const NEXT: u16 = 1;
const WRITE: u16 = 2;
const INDIRECT: u16 = 4;
const DESCRIPTOR_BYTES: usize = 16;
const SECTOR: u64 = 512;
/// Status that no server answers with.
const NO_STATUS: u8 = 0xff;

/// Place of a queue in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueuePlace {
    pub(crate) start: usize,
}

/// Request of a guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Read { offset: u64, length: u32 },
    Write { offset: u64, length: u32 },
    Flush,
}

/// Layout of the data of a queue's requests: one after the other with so much room for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stride {
    Page,
    Long,
}

impl Stride {
    fn bytes(self) -> usize {
        match self {
            Self::Page => PAGE,
            Self::Long => LONG_BYTES,
        }
    }

    fn slots(self) -> u16 {
        match self {
            Self::Page => SIZE,
            Self::Long => LONG_SLOTS,
        }
    }
}

/// Queue from the view of its driver.
pub(crate) struct Queue {
    memory: Rc<MmapRegion>,
    start: usize,
    kick: EventFd,
    call: EventFd,
    /// The available index: here, and as the server can see it.
    offered: u16,
    published: u16,
    taken: u16,
    kicks: u64,
    /// The same for all requests in flight, because a short request could otherwise overlap a long one.
    stride: Stride,
}

impl Queue {
    /// Creates an empty queue.
    ///
    /// # Errors
    /// If two more files cannot be opened.
    pub(crate) fn new(memory: Rc<MmapRegion>, place: QueuePlace) -> std::io::Result<Self> {
        let (kick, call) = (EventFd::new(EFD_NONBLOCK)?, EventFd::new(EFD_NONBLOCK)?);
        let start = place.start;
        let (offered, published, taken) = (0, 0, 0);
        Ok(Self { memory, start, kick, call, offered, published, taken, kicks: 0, stride: Stride::Page })
    }

    /// Switches to requests of up to 64 KiB, in the first 32 slots, instead of 4 KiB in each slot. Nothing may be in flight.
    pub(crate) fn make_long(&mut self) {
        self.stride = Stride::Long;
    }

    /// Returns the offsets of descriptors, available and used ring in memory.
    pub(crate) fn addresses(&self) -> (usize, usize, usize) {
        (self.start, self.start + AVAILABLE_AT, self.start + USED_AT)
    }

    pub(crate) fn kick(&self) -> &EventFd {
        &self.kick
    }

    pub(crate) fn call(&self) -> &EventFd {
        &self.call
    }

    /// Returns the file of the server's interrupts.
    pub(crate) fn call_file(&self) -> BorrowedFd<'_> {
        // SAFETY: the event keeps its file open as long as it lives, and the borrow does not outlive it.
        unsafe { BorrowedFd::borrow_raw(self.call.as_raw_fd()) }
    }

    /// Returns the number of kicks of the server.
    pub(crate) fn kicks(&self) -> u64 {
        self.kicks
    }

    /// Puts a request into the queue as `slot`, which must be free. The server does not see it before [`Self::publish`].
    pub(crate) fn put(&mut self, slot: u16, request: &Request) {
        let (kind, offset, data) = match *request {
            Request::Read { offset, length } => (0u32, offset, Some((length, NEXT | WRITE))),
            Request::Write { offset, length } => (1, offset, Some((length, NEXT))),
            Request::Flush => (4, 0, None),
        };
        let place = self.start + SLOTS_AT + usize::from(slot) * SLOT_BYTES;
        let (header, status) = (place + HEADER_AT, place + STATUS_AT);
        self.store(header, u64::from(kind));
        self.store(header + 8, offset / SECTOR);
        self.store(status, NO_STATUS);
        self.describe(place, (header, 16, NEXT, 1));
        let mut count = 1;
        if let Some((length, flags)) = data {
            let data = self.data_at(slot, length as usize);
            self.describe(place + DESCRIPTOR_BYTES, (data, length, flags, 2));
            count = 2;
        }
        self.describe(place + count * DESCRIPTOR_BYTES, (status, 1, WRITE, 0));
        let table_bytes = ((count + 1) * DESCRIPTOR_BYTES) as u32;
        self.describe(self.start + usize::from(slot) * DESCRIPTOR_BYTES, (place, table_bytes, INDIRECT, 0));
        let entry = self.start + AVAILABLE_AT + 4 + 2 * usize::from(self.offered % SIZE);
        self.store(entry, slot);
        self.offered = self.offered.wrapping_add(1);
    }

    /// Makes new requests visible to the server, and kicks it if it asks for that. Does nothing if there are none.
    ///
    /// # Errors
    /// If the server cannot be kicked.
    pub(crate) fn publish(&mut self) -> Result<(), String> {
        let new = self.offered.wrapping_sub(self.published);
        if new == 0 {
            return Ok(());
        }
        self.index(AVAILABLE_AT + 2).store(self.offered, Ordering::Release);
        self.published = self.offered;
        // The server sets its event index and then reads the available index; this side does it in the opposite order.
        fence(Ordering::SeqCst);
        let event = self.index(USED_AT + 4 + 8 * usize::from(SIZE)).load(Ordering::Relaxed);
        if self.offered.wrapping_sub(event).wrapping_sub(1) < new {
            self.kicks += 1;
            self.kick.write(1).map_err(|error| format!("Could not kick the server: {error}."))?;
        }
        Ok(())
    }

    /// Returns true if there is an answer.
    pub(crate) fn has_answers(&self) -> bool {
        self.index(USED_AT + 2).load(Ordering::Acquire) != self.taken
    }

    /// Takes the next answer, if there is one: its slot is free again.
    ///
    /// # Errors
    /// If the request failed, or an answer has no request.
    pub(crate) fn take(&mut self) -> Result<Option<u16>, String> {
        if !self.has_answers() {
            return Ok(None);
        }
        let entry = self.start + USED_AT + 4 + 8 * usize::from(self.taken % SIZE);
        self.taken = self.taken.wrapping_add(1);
        let head: u32 = self.load(entry);
        let slot = u16::try_from(head).ok().filter(|slot| *slot < SIZE);
        let slot = slot.ok_or_else(|| format!("The server answered request {head} of a queue of {SIZE}."))?;
        let status: u8 = self.load(self.start + SLOTS_AT + usize::from(slot) * SLOT_BYTES + STATUS_AT);
        if status == 0 {
            Ok(Some(slot))
        } else {
            Err(format!("The server answered a request with status {status}."))
        }
    }

    /// Requests an interrupt for the next answer. Returns false if there is one already; then the caller must not sleep.
    pub(crate) fn arm(&self) -> bool {
        self.index(AVAILABLE_AT + 4 + 2 * usize::from(SIZE)).store(self.taken, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        !self.has_answers()
    }

    /// Fills the memory of a slot's data.
    pub(crate) fn fill(&self, slot: u16, bytes: &[u8]) {
        self.memory
            .as_volatile_slice()
            .write_slice(bytes, self.data_at(slot, bytes.len()))
            .expect("it lies in memory");
    }

    /// Returns the data of a slot.
    pub(crate) fn data(&self, slot: u16, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.memory
            .as_volatile_slice()
            .read_slice(&mut bytes, self.data_at(slot, length))
            .expect("it lies in memory");
        bytes
    }

    fn data_at(&self, slot: u16, length: usize) -> usize {
        let stride = self.stride;
        assert!(length <= stride.bytes(), "a slot has no room for {length} bytes");
        assert!(slot < stride.slots(), "slot {slot} has no room for data");
        self.start + DATA_AT + usize::from(slot) * stride.bytes()
    }

    /// Writes a descriptor: address, length, flags, next.
    fn describe(&self, at: usize, (address, length, flags, next): (usize, u32, u16, u16)) {
        self.store(at, address as u64);
        self.store(at + 8, u64::from(length) | u64::from(flags) << 32 | u64::from(next) << 48);
    }

    fn store<T: vm_memory::ByteValued>(&self, at: usize, value: T) {
        self.memory.get_ref(at).expect("it lies in memory").store(value);
    }

    fn load<T: vm_memory::ByteValued>(&self, at: usize) -> T {
        self.memory.get_ref(at).expect("it lies in memory").load()
    }

    fn index(&self, at: usize) -> &AtomicU16 {
        self.memory.get_atomic_ref(self.start + at).expect("it lies in memory, at an even place")
    }
}

const _: () = assert!(SLOTS_AT + SIZE as usize * SLOT_BYTES <= DATA_AT, "slots lie before the data");
const _: () = assert!(SIZE as usize * PAGE <= DATA_BYTES, "each slot has room for a page");
const _: () =
    assert!(LONG_SLOTS as usize * LONG_BYTES <= DATA_BYTES, "some slots have room for long requests");
const _: () = assert!(cfg!(target_endian = "little"), "what virtio 1 shares is little endian");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_request_lies_within_none_of_the_long_ones_that_are_in_flight() {
        let memory = MmapRegion::new(QUEUE_BYTES).expect("there is memory");
        let mut queue = Queue::new(Rc::new(memory), QueuePlace { start: 0 }).expect("files are to be had");
        queue.make_long();
        for slot in 0..LONG_SLOTS {
            queue.fill(slot, &vec![slot as u8; LONG_BYTES]);
        }
        for slot in 0..LONG_SLOTS {
            queue.fill(slot, &[0xff; PAGE]);
            let others = (0..LONG_SLOTS).filter(|other| *other != slot);
            for other in others {
                assert_eq!(queue.data(other, LONG_BYTES), vec![other as u8; LONG_BYTES], "{slot} in {other}");
            }
            queue.fill(slot, &vec![slot as u8; LONG_BYTES]);
        }
    }
}
