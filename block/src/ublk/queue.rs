//! Serving the requests of a device: one operation of the ring for each tag, which fetches a request and brings the answer to the last.
//!
//! A [`Tag`] owns its part of the memory of its queue. The kernel copies the data of a write there before a request arrives, and takes the
//! data of a read from there when it is answered; in between only the holder of the tag touches it.

use std::future::Future;
use std::io;
use std::num::NonZeroUsize;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;
use std::rc::Rc;
use std::sync::Arc;

use futures_util::FutureExt;
use io_uring::{opcode, types};
use nix::sys::mman::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};

use super::wire::{DESCRIPTOR_BYTES, DeviceInfo, IoCommand, IoRequest, io_command};
use super::{DEPTH_MAX, QUEUES_MAX, REQUEST_BYTES_MAX};
use crate::uring::{IfDropped, Keep, Ring};

/// A place for one request of a queue at a time.
pub struct Tag {
    queue: Rc<Queue>,
    number: u16,
}

/// One queue of a device, as long as one of its tags is there.
struct Queue {
    /// `/dev/ublkcN`, open.
    file: Arc<OwnedFd>,
    number: u16,
    request_bytes_max: usize,
    /// Descriptors of the requests, one for each tag; written by the kernel.
    descriptors: QueueMapping,
    /// The memory of the tags, one after the other.
    data: QueueMapping,
}

/// Memory that is mapped until this is dropped.
struct QueueMapping {
    start: NonNull<u8>,
    bytes: NonZeroUsize,
}

/// Maps the queues of the device behind `file`, an open `/dev/ublkcN`. Returns all tags of all queues; each must be
/// [fetched](Tag::fetch) before the device can be started, all of a queue over the ring of one thread.
///
/// # Errors
/// `InvalidInput` for numbers that no device has; those of mmap(2), `EINVAL` if the file is another device.
pub fn open_queues(file: &Arc<OwnedFd>, info: &DeviceInfo) -> io::Result<Vec<Tag>> {
    let is_possible = (1..=QUEUES_MAX).contains(&info.queues)
        && (1..=DEPTH_MAX).contains(&info.depth)
        && (4096..=REQUEST_BYTES_MAX).contains(&info.request_bytes_max);
    if !is_possible {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "queues of an impossible size"));
    }
    let depth = usize::from(info.depth);
    let request_bytes_max = info.request_bytes_max as usize;
    let page = page_bytes();
    // Each queue has the room of the largest one in the file.
    let stride = (usize::from(DEPTH_MAX) * DESCRIPTOR_BYTES).next_multiple_of(page);
    let mut tags = Vec::with_capacity(depth * usize::from(info.queues));
    for number in 0..info.queues {
        let queue = Rc::new(Queue {
            file: Arc::clone(file),
            number,
            request_bytes_max,
            descriptors: QueueMapping::of_file(
                file,
                stride * usize::from(number),
                (depth * DESCRIPTOR_BYTES).next_multiple_of(page),
            )?,
            data: QueueMapping::anonymous(depth * request_bytes_max)?,
        });
        tags.extend((0..info.depth).map(|number| Tag { queue: Rc::clone(&queue), number }));
    }
    Ok(tags)
}

impl Tag {
    /// Waits for the first request. The kernel is asked at the call.
    ///
    /// # Errors
    /// `ENODEV` once the device is stopped; those of the kernel. The tag is not to be used again then.
    pub fn fetch(self, ring: &Ring) -> impl Future<Output = io::Result<(Self, IoRequest)>> + use<> {
        self.command(ring, IoCommand::Fetch, 0)
    }

    /// Answers the last request, with the bytes that were read or written, 0 if it moves none, or a negative errno. Then waits for the next
    /// one. The answer is given to the kernel at the call.
    ///
    /// # Errors
    /// As [`Self::fetch`].
    pub fn answer(
        self,
        ring: &Ring,
        result: i32,
    ) -> impl Future<Output = io::Result<(Self, IoRequest)>> + use<> {
        self.command(ring, IoCommand::CommitAndFetch, result)
    }

    /// Returns the memory of the request: the data of a write, in front, or the place for that of a read.
    pub fn data(&mut self) -> &mut [u8] {
        let start = self.start();
        // SAFETY: the bytes are inside of the mapping, which lives as long as the queue, and belong to this tag alone. While the kernel may
        // touch them the ring has the tag.
        unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), self.queue.request_bytes_max) }
    }

    fn start(&self) -> NonNull<u8> {
        // SAFETY: the mapping has this many bytes for each tag.
        unsafe { self.queue.data.start.add(usize::from(self.number) * self.queue.request_bytes_max) }
    }

    fn command(
        self,
        ring: &Ring,
        command: IoCommand,
        result: i32,
    ) -> impl Future<Output = io::Result<(Self, IoRequest)>> + use<> {
        let queue = Rc::clone(&self.queue);
        let address = self.start().as_ptr().addr() as u64;
        let entry = opcode::UringCmd16::new(types::Fd(queue.file.as_raw_fd()), command.number())
            .cmd(io_command(queue.number, self.number, result, address))
            .build();
        // SAFETY: the tag holds the file, and the memory that the command points to, which belongs to it.
        unsafe { ring.run(entry, self) }.map(|(tag, result)| match result {
            0 => {
                let request = tag.descriptor();
                Ok((tag, request))
            }
            error => Err(io::Error::from_raw_os_error(-error)),
        })
    }

    /// Reads the descriptor that the kernel wrote of the request, once.
    fn descriptor(&self) -> IoRequest {
        let at = usize::from(self.number) * DESCRIPTOR_BYTES;
        // SAFETY: there is a descriptor for each tag in the mapping, aligned to 8 bytes, and any bytes are valid. The kernel wrote it before
        // the command completed, and leaves it until the request is answered.
        let bytes =
            unsafe { self.queue.descriptors.start.add(at).cast::<[u8; DESCRIPTOR_BYTES]>().read_volatile() };
        IoRequest::from_bytes(&bytes)
    }
}

impl Keep for Tag {
    /// Only a stop of the device ends the command, or the end of the process.
    const IF_DROPPED: IfDropped = IfDropped::Leave;
}

impl QueueMapping {
    fn of_file(file: &OwnedFd, offset: usize, bytes: usize) -> io::Result<Self> {
        let bytes = NonZeroUsize::new(bytes).ok_or(io::ErrorKind::InvalidInput)?;
        let offset = i64::try_from(offset).map_err(io::Error::other)?;
        let flags = MapFlags::MAP_SHARED | MapFlags::MAP_POPULATE;
        // SAFETY: a new mapping at an address of the kernel's choice touches nothing that is there already.
        let start = unsafe { mmap(None, bytes, ProtFlags::PROT_READ, flags, file, offset) }?;
        Ok(Self { start: start.cast(), bytes })
    }

    fn anonymous(bytes: usize) -> io::Result<Self> {
        let bytes = NonZeroUsize::new(bytes).ok_or(io::ErrorKind::InvalidInput)?;
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: as above.
        let start =
            unsafe { mmap_anonymous(None, bytes, access, MapFlags::MAP_PRIVATE | MapFlags::MAP_NORESERVE) }?;
        Ok(Self { start: start.cast(), bytes })
    }
}

impl Drop for QueueMapping {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and all code with access to it held it.
        let unmapped = unsafe { munmap(self.start.cast(), self.bytes.get()) };
        debug_assert!(unmapped.is_ok(), "{} bytes stay mapped: {unmapped:?}", self.bytes);
    }
}

fn page_bytes() -> usize {
    let page = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok().flatten();
    page.and_then(|page| usize::try_from(page).ok()).unwrap_or(4096)
}
