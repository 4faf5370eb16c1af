//! A driver without a guest: memory, rings and events that it shares with the door as QEMU would. What it is given as a server is where
//! the socket is.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{Ordering, fence};

use nix::sys::memfd::{MFdFlags, memfd_create};
use vhost::vhost_user::message::{VhostUserHeaderFlag, VhostUserInflight, VhostUserProtocolFeatures};
use vhost::vhost_user::{Frontend, VhostUserFrontend};
use vhost::{VhostBackend, VhostUserMemoryRegionInfo, VringConfigData};
use vm_memory::{Bytes, FileOffset, GuestAddress, GuestMemoryMmap, GuestRegionMmap, MmapRegion};
use vmm_sys_util::eventfd::EventFd;

use crate::patience::{self, PATIENCE};

const MIB: u64 = 1 << 20;
pub(crate) const MEMORY: u64 = 32 * MIB;
/// Address of the guest's memory in the front end.
pub(crate) const USER: u64 = 0x7f00_0000_0000;

pub(crate) const IN: u32 = 0;
pub(crate) const OUT: u32 = 1;
pub(crate) const FLUSH: u32 = 4;
pub(crate) const GET_ID: u32 = 8;
pub(crate) const DISCARD: u32 = 11;
pub(crate) const WRITE_ZEROES: u32 = 13;

pub(crate) const EVENT_IDX: u64 = 1 << 29;
const FLUSHES: u64 = 1 << 9;

/// Descriptors of one request: header, data, status, and one that is free.
const DESCRIPTORS: u16 = 4;
pub(crate) const NEXT: u16 = 1;
pub(crate) const WRITE: u16 = 2;

/// Options of a driver.
#[derive(Clone)]
pub(crate) struct Options {
    pub(crate) queues: usize,
    /// Entries of each queue.
    pub(crate) size: u16,
    /// Features that are offered and not wanted.
    pub(crate) without: u64,
    pub(crate) keep_inflight: bool,
    /// Queue size that it requests the record of requests in flight for, if it differs.
    pub(crate) size_for_record: Option<u16>,
}

impl Default for Options {
    fn default() -> Self {
        Self { queues: 1, size: 256, without: 0, keep_inflight: true, size_for_record: None }
    }
}

/// A driver and what it shares.
pub(crate) struct Driver {
    pub(crate) frontend: Frontend,
    /// The socket of the front end, for messages that it cannot send.
    pub(crate) stream: UnixStream,
    pub(crate) memory: GuestMemoryMmap,
    pub(crate) file: File,
    pub(crate) options: Options,
    inflight: Option<(VhostUserInflight, File)>,
    pub(crate) rings: Vec<DriverRing>,
}

/// One queue, as its driver sees it.
pub(crate) struct DriverRing {
    start: u64,
    size: u16,
    pub(crate) kick: EventFd,
    pub(crate) call: EventFd,
    pub(crate) error: EventFd,
    available: u16,
    taken: u16,
}

impl Driver {
    /// Creates a driver that has connected and started its queues.
    pub(crate) fn start(server: &impl AsRef<Path>) -> Self {
        Self::with(server, Options::default())
    }

    pub(crate) fn with(server: &impl AsRef<Path>, options: Options) -> Self {
        let file = File::from(memfd_create(c"memory", MFdFlags::empty()).unwrap());
        file.set_len(MEMORY).unwrap();
        let mapping =
            MmapRegion::from_file(FileOffset::new(file.try_clone().unwrap(), 0), MEMORY as usize).unwrap();
        let region = GuestRegionMmap::new(mapping, GuestAddress(0)).unwrap();
        let memory = GuestMemoryMmap::from_regions(vec![region]).unwrap();
        let (frontend, stream) = connect(server, &options);
        let rings = (0..options.queues).map(|index| DriverRing::new(index, options.size)).collect();
        let mut driver = Self { frontend, stream, memory, file, options, inflight: None, rings };
        driver.negotiate();
        for index in 0..driver.rings.len() {
            driver.start_ring(index, 0);
        }
        driver
    }

    /// Connects again, as QEMU does after the server was killed: with the same memory, and queues that begin where the used ring ends.
    pub(crate) fn reconnect(&mut self, server: &impl AsRef<Path>) {
        self.connect_again(server);
        for index in 0..self.rings.len() {
            self.start_ring(index, self.used_index(index));
        }
    }

    /// Connects again, as Cloud Hypervisor does: with queues that begin where the available ring ends.
    pub(crate) fn reconnect_at_the_end(&mut self, server: &impl AsRef<Path>) {
        self.connect_again(server);
        for index in 0..self.rings.len() {
            self.start_ring(index, self.available_index(index));
        }
    }

    /// Connects again, and begins with no queue.
    pub(crate) fn connect_again(&mut self, server: &impl AsRef<Path>) {
        (self.frontend, self.stream) = connect(server, &self.options);
        self.negotiate();
    }

    fn negotiate(&mut self) {
        let frontend = &mut self.frontend;
        let features = frontend.get_features().unwrap() & !self.options.without;
        frontend.set_owner().unwrap();
        let protocol = frontend.get_protocol_features().unwrap();
        frontend.set_protocol_features(protocol).unwrap();
        assert!(protocol.contains(VhostUserProtocolFeatures::REPLY_ACK));
        // From now on each message is answered, so that a refusal is seen.
        frontend.set_hdr_flags(VhostUserHeaderFlag::NEED_REPLY);
        frontend.set_features(features & !(1 << 26)).unwrap();
        frontend.set_mem_table(&[region(&self.file, MEMORY)]).unwrap();
        if self.options.keep_inflight {
            if self.inflight.is_none() {
                let size = self.options.size_for_record.unwrap_or(self.options.size);
                let asked = VhostUserInflight::new(0, 0, self.options.queues as u16, size);
                self.inflight = Some(frontend.get_inflight_fd(&asked).unwrap());
            }
            let (shape, file) = self.inflight.as_ref().unwrap();
            frontend.set_inflight_fd(shape, file.as_raw_fd()).unwrap();
        }
    }

    pub(crate) fn start_ring(&mut self, index: usize, base: u16) {
        self.kick_ring(index, base);
        self.frontend.set_vring_enable(index, true).unwrap();
    }

    /// Starts a queue, without enabling it.
    pub(crate) fn kick_ring(&mut self, index: usize, base: u16) {
        let (frontend, ring) = (&mut self.frontend, &self.rings[index]);
        frontend.set_vring_num(index, ring.size).unwrap();
        frontend.set_vring_base(index, base).unwrap();
        frontend.set_vring_addr(index, &ring.addresses(None)).unwrap();
        frontend.set_vring_call(index, &ring.call).unwrap();
        frontend.set_vring_err(index, &ring.error).unwrap();
        frontend.set_vring_kick(index, &ring.kick).unwrap();
    }

    /// Removes all memory from this address on, in all mappings.
    pub(crate) fn truncate(&self, bytes: u64) {
        self.file.set_len(bytes).unwrap();
    }

    /// Returns the address of the data of request `slot` of a queue: 64 KiB.
    pub(crate) fn data_at(index: usize, slot: u16) -> u64 {
        MIB * (2 + 14 * index as u64) + u64::from(slot) * 0x1_0000
    }

    /// Returns the address of the status of request `slot` of a queue.
    pub(crate) fn status_at(&self, index: usize, slot: u16) -> u64 {
        self.rings[index].start + 0x8000 + u64::from(slot) * 32 + 16
    }

    /// Puts a request in a queue, as `slot`, which must be free. `data` is what is read of the driver if `kind` writes, and how
    /// much is answered if not.
    pub(crate) fn submit(&mut self, index: usize, slot: u16, kind: u32, sector: u64, data: &Data) {
        let header = self.rings[index].start + 0x8000 + u64::from(slot) * 32;
        let (status, at) = (self.status_at(index, slot), Self::data_at(index, slot));
        self.put_header(header, kind, sector);
        let memory = &self.memory;
        memory.write_obj(0xffu8, GuestAddress(status)).unwrap();
        let (length, flags) = match data {
            Data::None => (0, None),
            Data::Out(bytes) => {
                memory.write_slice(bytes, GuestAddress(at)).unwrap();
                (bytes.len(), Some(0))
            }
            Data::In(length) => (*length, Some(WRITE)),
        };
        let head = slot * DESCRIPTORS;
        self.put(index, head, (header, 16, NEXT, if flags.is_some() { head + 1 } else { head + 2 }));
        if let Some(flags) = flags {
            self.put(index, head + 1, (at, length as u32, NEXT | flags, head + 2));
        }
        self.put(index, head + 2, (status, 1, WRITE, 0));
        self.offer(index, head);
    }

    /// Writes the header of a request.
    pub(crate) fn put_header(&self, at: u64, kind: u32, sector: u64) {
        let bytes = [&kind.to_le_bytes()[..], &[0; 4], &sector.to_le_bytes()].concat();
        self.memory.write_slice(&bytes, GuestAddress(at)).unwrap();
    }

    /// Writes a descriptor: address, length, flags, next.
    pub(crate) fn put(&self, index: usize, descriptor: u16, (at, length, flags, next): (u64, u32, u16, u16)) {
        let bytes = [&at.to_le_bytes()[..], &length.to_le_bytes(), &flags.to_le_bytes(), &next.to_le_bytes()]
            .concat();
        let place = self.rings[index].start + 16 * u64::from(descriptor);
        self.memory.write_slice(&bytes, GuestAddress(place)).unwrap();
    }

    /// Puts a head in the available ring.
    pub(crate) fn offer(&mut self, index: usize, head: u16) {
        let ring = &mut self.rings[index];
        let at = ring.start + 0x4000;
        let entry = at + 4 + 2 * u64::from(ring.available % ring.size);
        self.memory.write_obj(head.to_le(), GuestAddress(entry)).unwrap();
        ring.available = ring.available.wrapping_add(1);
        self.memory.store(ring.available.to_le(), GuestAddress(at + 2), Ordering::Release).unwrap();
    }

    /// Claims that so many more requests are there.
    pub(crate) fn claim(&mut self, index: usize, more: u16) {
        let ring = &mut self.rings[index];
        ring.available = ring.available.wrapping_add(more);
        self.memory
            .store(ring.available.to_le(), GuestAddress(ring.start + 0x4002), Ordering::Release)
            .unwrap();
    }

    /// Kicks, whether the device wants it or not.
    pub(crate) fn kick(&self, index: usize) {
        fence(Ordering::SeqCst);
        self.rings[index].kick.write(1).unwrap();
    }

    /// Kicks if the device wants that, as drivers with event indices do. Returns whether it did.
    pub(crate) fn kick_if_wanted(&self, index: usize, before: u16) -> bool {
        fence(Ordering::SeqCst);
        let (ring, event) = (&self.rings[index], self.event_index(index));
        let now = ring.available;
        let wanted = now.wrapping_sub(event).wrapping_sub(1) < now.wrapping_sub(before);
        if wanted {
            ring.kick.write(1).unwrap();
        }
        wanted
    }

    /// Behind which index the device wants to be kicked.
    pub(crate) fn event_index(&self, index: usize) -> u16 {
        let ring = &self.rings[index];
        let at = GuestAddress(ring.start + 0x6000 + 4 + 8 * u64::from(ring.size));
        u16::from_le(self.memory.load(at, Ordering::Acquire).unwrap())
    }

    /// Returns the index of what was offered last.
    pub(crate) fn available_index(&self, index: usize) -> u16 {
        self.rings[index].available
    }

    pub(crate) fn used_index(&self, index: usize) -> u16 {
        let at = GuestAddress(self.rings[index].start + 0x6002);
        u16::from_le(self.memory.load(at, Ordering::Acquire).unwrap())
    }

    /// Waits for the next answer: the slot, and how many bytes were written.
    pub(crate) fn answer(&mut self, index: usize) -> (u16, u32) {
        patience::until(|| self.used_index(index) != self.rings[index].taken);
        let ring = &mut self.rings[index];
        let at = ring.start + 0x6004 + 8 * u64::from(ring.taken % ring.size);
        ring.taken = ring.taken.wrapping_add(1);
        let head: u32 = self.memory.read_obj(GuestAddress(at)).unwrap();
        let written: u32 = self.memory.read_obj(GuestAddress(at + 4)).unwrap();
        (u32::from_le(head) as u16 / DESCRIPTORS, u32::from_le(written))
    }

    /// Returns the status of a request that was answered.
    pub(crate) fn status(&self, index: usize, slot: u16) -> u8 {
        self.memory.read_obj(GuestAddress(self.status_at(index, slot))).unwrap()
    }

    /// Returns the bytes of the data of a request.
    pub(crate) fn data(&self, index: usize, slot: u16, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.memory.read_slice(&mut bytes, GuestAddress(Self::data_at(index, slot))).unwrap();
        bytes
    }

    /// One request from beginning to end, with nothing else in the queue: its status.
    pub(crate) fn request(&mut self, index: usize, kind: u32, sector: u64, data: &Data) -> u8 {
        self.submit(index, 0, kind, sector, data);
        self.kick(index);
        assert_eq!(self.answer(index).0, 0);
        self.status(index, 0)
    }

    /// Reads, with nothing else in the queue.
    pub(crate) fn read(&mut self, index: usize, sector: u64, length: usize) -> Vec<u8> {
        assert_eq!(self.request(index, IN, sector, &Data::In(length)), 0);
        self.data(index, 0, length)
    }

    /// Returns all slots that were answered so far and not taken, with their status.
    pub(crate) fn answers(&mut self, index: usize, count: usize) -> BTreeMap<u16, u8> {
        let slots: Vec<u16> = (0..count).map(|_| self.answer(index).0).collect();
        slots.into_iter().map(|slot| (slot, self.status(index, slot))).collect()
    }
}

fn connect(server: &impl AsRef<Path>, options: &Options) -> (Frontend, UnixStream) {
    let stream = UnixStream::connect(server).unwrap();
    // Of the front end too, which has the same socket.
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    (Frontend::from_stream(stream.try_clone().unwrap(), options.queues as u64), stream)
}

/// Data of a request.
pub(crate) enum Data {
    None,
    Out(Vec<u8>),
    In(usize),
}

impl DriverRing {
    fn new(index: usize, size: u16) -> Self {
        let event = || EventFd::new(nix::libc::EFD_NONBLOCK).unwrap();
        let start = 0x1_0000 * (1 + index as u64);
        Self { start, size, kick: event(), call: event(), error: event(), available: 0, taken: 0 }
    }

    pub(crate) fn addresses(&self, log: Option<u64>) -> VringConfigData {
        VringConfigData {
            queue_max_size: self.size,
            queue_size: self.size,
            flags: u32::from(log.is_some()),
            desc_table_addr: USER + self.start,
            avail_ring_addr: USER + self.start + 0x4000,
            used_ring_addr: USER + self.start + 0x6000,
            log_addr: log,
        }
    }
}

/// Returns all of the guest's memory, which is in `file`.
pub(crate) fn region(file: &File, bytes: u64) -> VhostUserMemoryRegionInfo {
    VhostUserMemoryRegionInfo {
        guest_phys_addr: 0,
        memory_size: bytes,
        userspace_addr: USER,
        mmap_offset: 0,
        mmap_handle: file.as_raw_fd(),
    }
}

/// Returns the options of a driver that sends no flushes.
pub(crate) fn without_flushes() -> Options {
    Options { without: FLUSHES, ..Options::default() }
}
