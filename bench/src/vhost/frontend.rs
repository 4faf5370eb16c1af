//! Messages of a front end, its shared memory, and its queues.
//!
//! Every message is answered, so that a refusal of the server is detected at once.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::rc::Rc;

use nix::sys::memfd::{MFdFlags, memfd_create};
use vhost::vhost_user::message::{
    VhostUserConfigFlags, VhostUserHeaderFlag, VhostUserInflight, VhostUserProtocolFeatures,
};
use vhost::vhost_user::{Frontend as Messages, VhostUserFrontend};
use vhost::{VhostBackend, VhostUserMemoryRegionInfo, VringConfigData};
use vm_memory::{FileOffset, MmapRegion};

use super::queue::{QUEUE_BYTES, Queue, QueuePlace, SIZE};

/// Address of the guest's memory in the front end's messages.
const USER: u64 = 0x7f00_0000_0000;
/// Feature bits (virtio 1.2, sections 5.2.3 and 6): flushes, indirect descriptors, event indices, version 1; and of vhost-user that for
/// protocol features.
const FLUSH: u64 = 1 << 9;
const INDIRECT: u64 = 1 << 28;
const EVENT_IDX: u64 = 1 << 29;
const PROTOCOL: u64 = 1 << 30;
const VERSION_1: u64 = 1 << 32;
const NEEDED: u64 = FLUSH | INDIRECT | EVENT_IDX | PROTOCOL | VERSION_1;
/// Bytes of a sector in virtio.
const SECTOR: u64 = 512;

/// Features that a front end requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wishes {
    pub(crate) queues: u16,
    /// True if the server should keep an in-flight record, if it can.
    pub(crate) keeps_inflight: bool,
}

/// Connection to a disk, with its queues started. The server stops when it is dropped.
pub(crate) struct Frontend {
    messages: Messages,
    bytes: u64,
    inflight: Option<File>,
    queues: Vec<Queue>,
}

impl Frontend {
    /// Connects to the server at `socket` and starts the queues.
    ///
    /// # Errors
    /// If there is no listener, or the server lacks or refuses a feature that Linux guests use.
    pub(crate) fn connect(socket: &Path, wishes: Wishes) -> Result<Self, String> {
        let problem = |what: &str, error: &dyn std::fmt::Display| {
            format!("Could not {what} of the vhost-user server at {}: {error}.", socket.display())
        };
        let stream = UnixStream::connect(socket).map_err(|error| problem("reach the socket", &error))?;
        let mut messages = Messages::from_stream(stream, wishes.queues.into());
        let offered = messages.get_features().map_err(|error| problem("get the features", &error))?;
        if offered & NEEDED != NEEDED {
            return Err(problem(
                "use the disk",
                &format!("of the features {NEEDED:#x} it lacks {:#x}", NEEDED & !offered),
            ));
        }
        let tell = |done: Result<(), vhost::Error>, what: &str| done.map_err(|error| problem(what, &error));
        tell(messages.set_owner(), "be the owner")?;
        let offered =
            messages.get_protocol_features().map_err(|error| problem("get the protocol features", &error))?;
        let mut wanted = VhostUserProtocolFeatures::MQ
            | VhostUserProtocolFeatures::REPLY_ACK
            | VhostUserProtocolFeatures::CONFIG;
        if !offered.contains(wanted) {
            return Err(problem(
                "use the disk",
                &format!("it offers {offered:?} of the protocol, and not all of {wanted:?}"),
            ));
        }
        let keeps_inflight =
            wishes.keeps_inflight && offered.contains(VhostUserProtocolFeatures::INFLIGHT_SHMFD);
        wanted.set(VhostUserProtocolFeatures::INFLIGHT_SHMFD, keeps_inflight);
        tell(messages.set_protocol_features(wanted), "set the protocol features")?;
        // From now on each message is answered.
        messages.set_hdr_flags(VhostUserHeaderFlag::NEED_REPLY);
        tell(messages.set_features(NEEDED), "set the features")?;
        let (_, capacity) = messages
            .get_config(0, 8, VhostUserConfigFlags::WRITABLE, &[0; 8])
            .map_err(|error| problem("get the size", &error))?;
        let capacity = <[u8; 8]>::try_from(&capacity[..]).map_err(|error| problem("get the size", &error))?;
        let bytes = u64::from_le_bytes(capacity) * SECTOR;
        let memory =
            Memory::new(wishes.queues).map_err(|error| problem("make memory for the guest", &error))?;
        tell(messages.set_mem_table(&[memory.region()]).map(drop), "share memory")?;
        let mut inflight = None;
        if keeps_inflight {
            let asked = VhostUserInflight::new(0, 0, wishes.queues, SIZE);
            let (shape, file) = messages
                .get_inflight_fd(&asked)
                .map_err(|error| problem("get the record of what is in flight", &error))?;
            tell(messages.set_inflight_fd(&shape, file.as_raw_fd()), "set the record of what is in flight")?;
            inflight = Some(file);
        }
        let mut disk = Self { messages, bytes, inflight, queues: Vec::new() };
        disk.start_queues(wishes.queues, &memory).map_err(|error| problem("start the queues", &error))?;
        Ok(disk)
    }

    fn start_queues(&mut self, count: u16, memory: &Memory) -> Result<(), String> {
        let text = |error: vhost::Error| error.to_string();
        for index in 0..usize::from(count) {
            let queue = Queue::new(Rc::clone(&memory.mapping), QueuePlace { start: index * QUEUE_BYTES })
                .map_err(|error| error.to_string())?;
            let (descriptors, available, used) = queue.addresses();
            let address = |at: usize| USER + at as u64;
            let addresses = VringConfigData {
                queue_max_size: SIZE,
                queue_size: SIZE,
                flags: 0,
                desc_table_addr: address(descriptors),
                avail_ring_addr: address(available),
                used_ring_addr: address(used),
                log_addr: None,
            };
            self.messages.set_vring_num(index, SIZE).map_err(text)?;
            self.messages.set_vring_base(index, 0).map_err(text)?;
            self.messages.set_vring_addr(index, &addresses).map_err(text)?;
            self.messages.set_vring_call(index, queue.call()).map_err(text)?;
            self.messages.set_vring_kick(index, queue.kick()).map_err(text)?;
            self.messages.set_vring_enable(index, true).map_err(|error| error.to_string())?;
            self.queues.push(queue);
        }
        Ok(())
    }

    /// Returns the size of the disk.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns true if the server keeps an in-flight record.
    pub(crate) fn keeps_inflight(&self) -> bool {
        self.inflight.is_some()
    }

    /// Returns the queues of this disk.
    pub(crate) fn queues_mut(&mut self) -> &mut [Queue] {
        &mut self.queues
    }

    /// Returns the queues of this disk.
    pub(crate) fn queues(&self) -> &[Queue] {
        &self.queues
    }
}

/// Memory of a guest: a file without a name, mapped here and by the server.
struct Memory {
    mapping: Rc<MmapRegion>,
    bytes: u64,
    file: File,
}

impl Memory {
    fn new(queues: u16) -> Result<Self, String> {
        let bytes = QUEUE_BYTES * usize::from(queues);
        let make = || -> std::io::Result<(File, File)> {
            let file = File::from(memfd_create(c"guest", MFdFlags::empty())?);
            file.set_len(bytes as u64)?;
            Ok((file.try_clone()?, file))
        };
        let (mapped, file) = make().map_err(|error| error.to_string())?;
        let mapping =
            MmapRegion::from_file(FileOffset::new(mapped, 0), bytes).map_err(|error| error.to_string())?;
        Ok(Self { mapping: Rc::new(mapping), bytes: bytes as u64, file })
    }

    fn region(&self) -> VhostUserMemoryRegionInfo {
        VhostUserMemoryRegionInfo {
            guest_phys_addr: 0,
            memory_size: self.bytes,
            userspace_addr: USER,
            mmap_offset: 0,
            mmap_handle: self.file.as_raw_fd(),
        }
    }
}
