//! The memory of a guest, as its front end has shared it.
//!
//! A [`Memory`] never changes: when regions are added or removed there is a new one, and requests in flight keep the one that they began
//! with mapped until they end. Every access is checked against it, and every write goes through here and is recorded for a migration. A
//! front end that makes its memory file shorter afterwards only loses its own disk: from then on the memory is [not
//! whole](Memory::is_whole), and everything that is read of it is meaningless.

use std::cell::Cell;
use std::fs::File;
use std::ops::Deref;
use std::os::fd::OwnedFd;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use nix::sys::mman::munlock;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use vhost::vhost_user::message::VhostUserMemoryRegion;
use vm_memory::mmap::MmapRegionBuilder;
use vm_memory::{
    Bytes, FileOffset, GuestAddress, GuestMemory, GuestMemoryMmap, GuestMemoryRegion, GuestRegionMmap,
    MemoryRegionAddress, MmapRegion, Permissions, VolatileSlice,
};

use super::guard::{Guard, times_torn};
use super::limits::{MEMORY_BYTES_MAX, REGIONS_MAX, REGIONS_OF_DISK_MAX};
use super::log::DirtyLog;
use super::stores::may_store;

/// Error of an access or a region: it is not memory of the guest, or no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outside;

/// The regions that a front end shares. Fit for other threads.
#[derive(Clone, Default)]
pub(crate) struct Regions {
    all: Vec<Region>,
}

#[derive(Clone)]
struct Region {
    guest: u64,
    /// Its address in the front end's own memory; the addresses of rings are of that kind.
    user: u64,
    bytes: u64,
    /// In front of the mapping, because it has to be dropped first.
    guard: Arc<Guard>,
    mapping: Arc<GuestRegionMmap>,
    _room: Arc<OwnedSemaphorePermit>,
}

/// A part of a file that is mapped, and guarded against the loss of the file's end.
pub(crate) struct Mapping {
    /// In front of the region, because it has to be dropped first.
    pub(crate) guard: Guard,
    region: MmapRegion,
}

/// Guest memory at one moment.
pub(crate) struct Memory {
    /// In front of the regions, which keep their mappings until their guards are gone.
    map: GuestMemoryMmap,
    regions: Regions,
    log: Arc<DirtyLog>,
    /// Number of torn mappings when all regions were last seen to be whole.
    torn_before: Cell<u64>,
}

impl Regions {
    /// Adds the content of `file` as the region that a front end describes, if there is `room` for one more.
    pub(crate) fn add(
        &mut self,
        region: &VhostUserMemoryRegion,
        file: OwnedFd,
        room: &Arc<Semaphore>,
    ) -> Result<(), String> {
        if self.all.len() >= REGIONS_MAX {
            return Err(format!("more than {REGIONS_MAX} regions of memory"));
        }
        let (guest, user, bytes) = (region.guest_phys_addr, region.user_addr, region.memory_size);
        let bytes_in_all = self.all.iter().map(|region| region.bytes).sum::<u64>().saturating_add(bytes);
        if bytes_in_all > MEMORY_BYTES_MAX {
            return Err(format!("{bytes_in_all} bytes of memory in all; {MEMORY_BYTES_MAX} are the most"));
        }
        if user.checked_add(bytes).is_none() {
            return Err(format!("a region of {bytes} bytes past the largest address"));
        }
        if guest.checked_add(bytes).is_none() {
            return Err(format!("a region of {bytes} bytes at {guest:#x} past the largest address"));
        }
        let room = Arc::clone(room).try_acquire_owned();
        let room = room.map_err(|_| format!("more than {REGIONS_OF_DISK_MAX} regions for one disk"))?;
        let Mapping { guard, region } = map_file(file, region.mmap_offset, bytes)?;
        let guard = Arc::new(guard);
        let mapping = GuestRegionMmap::new(region, GuestAddress(guest));
        let mapping = mapping.expect("that it passes the largest address was looked at");
        self.all.push(Region {
            guest,
            user,
            bytes,
            guard,
            mapping: Arc::new(mapping),
            _room: Arc::new(room),
        });
        self.all.sort_by_key(|region| region.guest);
        Ok(())
    }

    /// Takes the region away that a front end describes.
    pub(crate) fn remove(&mut self, region: &VhostUserMemoryRegion) -> Result<(), String> {
        let (guest, user, bytes) = (region.guest_phys_addr, region.user_addr, region.memory_size);
        let found = self
            .all
            .iter()
            .position(|known| (known.guest, known.user, known.bytes) == (guest, user, bytes))
            .ok_or_else(|| format!("no region of {bytes} bytes at {guest:#x} to remove"))?;
        self.all.remove(found);
        Ok(())
    }

    /// Returns the memory that these regions make. None without any.
    pub(crate) fn memory(&self, log: &Arc<DirtyLog>) -> Result<Option<Memory>, String> {
        if self.all.is_empty() {
            return Ok(None);
        }
        let mappings = self.all.iter().map(|region| Arc::clone(&region.mapping)).collect();
        let map = GuestMemoryMmap::from_arc_regions(mappings).map_err(|error| error.to_string())?;
        Ok(Some(Memory { map, regions: self.clone(), log: Arc::clone(log), torn_before: Cell::new(0) }))
    }
}

impl Memory {
    /// Returns the guest address of an address of the front end's own.
    pub(crate) fn translate(&self, user: u64) -> Option<GuestAddress> {
        let region = self
            .regions
            .all
            .iter()
            .find(|region| user >= region.user && user - region.user < region.bytes)?;
        Some(GuestAddress(region.guest + (user - region.user)))
    }

    /// Returns false if the front end has taken any of it away. Earlier reads may have returned zeroes that were never written, and earlier
    /// writes may be lost.
    pub(crate) fn is_whole(&self) -> bool {
        let torn = times_torn();
        if torn == self.torn_before.get() {
            return true;
        }
        let whole = self.regions.all.iter().all(|region| region.guard.is_whole());
        if whole {
            // It was another memory's.
            self.torn_before.set(torn);
        }
        whole
    }

    /// Returns the map, by which `virtio-queue` checks whether a queue lies in it.
    pub(crate) fn map(&self) -> &GuestMemoryMmap {
        &self.map
    }

    /// Returns true if all these bytes are memory of the guest.
    pub(crate) fn holds(&self, at: GuestAddress, length: u64) -> bool {
        let across = |length| self.map.check_range(at, length, Permissions::ReadWrite);
        length == 0 || self.slice(at, length).is_some() || usize::try_from(length).is_ok_and(across)
    }

    pub(crate) fn read(&self, at: GuestAddress, bytes: &mut [u8]) -> Result<(), Outside> {
        match self.slice(at, bytes.len() as u64) {
            Some(slice) => _ = slice.copy_to(bytes),
            None => self.map.read_slice(bytes, at).map_err(|_| Outside)?,
        }
        if self.is_whole() { Ok(()) } else { Err(Outside) }
    }

    pub(crate) fn write(&self, at: GuestAddress, bytes: &[u8]) -> Result<(), Outside> {
        let written = self.write_unnoted(at, bytes);
        // Also if it failed: a part may have been written.
        self.note(at, bytes.len() as u64);
        written?;
        if self.is_whole() { Ok(()) } else { Err(Outside) }
    }

    /// Writes without a record; the caller [records it](Self::note). It may be lost, if memory is not [whole](Self::is_whole) afterwards.
    pub(crate) fn write_unnoted(&self, at: GuestAddress, bytes: &[u8]) -> Result<(), Outside> {
        if !may_store() {
            return Ok(());
        }
        match self.slice(at, bytes.len() as u64) {
            Some(slice) => slice.copy_from(bytes),
            None => self.map.write_slice(bytes, at).map_err(|_| Outside)?,
        }
        Ok(())
    }

    /// Returns a word of two bytes, the lower one first, as the processor that writes it sees it. It means nothing if memory is not
    /// [whole](Self::is_whole) afterwards.
    pub(crate) fn load(&self, at: GuestAddress, order: Ordering) -> Result<u16, Outside> {
        let slice = self.slice(at, size_of::<u16>() as u64).ok_or(Outside)?;
        slice.load(0, order).map(u16::from_le).map_err(|_| Outside)
    }

    /// Stores such a word, which the caller [notes](Self::note).
    pub(crate) fn store(&self, at: GuestAddress, word: u16, order: Ordering) -> Result<(), Outside> {
        let slice = self.slice(at, size_of::<u16>() as u64).ok_or(Outside)?;
        if !may_store() {
            return Ok(());
        }
        slice.store(word.to_le(), 0, order).map_err(|_| Outside)
    }

    /// Returns these bytes, if one region has them all. None if there is none: they may still be memory, in several regions.
    fn slice(&self, at: GuestAddress, length: u64) -> Option<VolatileSlice<'_>> {
        let regions = &self.regions.all;
        let before = regions.partition_point(|region| region.guest <= at.0);
        let region = &regions[before.checked_sub(1)?];
        let start = MemoryRegionAddress(at.0 - region.guest);
        region.mapping.get_slice(start, usize::try_from(length).ok()?).ok()
    }

    /// Records that these bytes were written.
    pub(crate) fn note(&self, at: GuestAddress, length: u64) {
        self.log.note(at.0, length);
    }
}

/// Maps a part of a file that is shared with another process.
pub(crate) fn map_file(file: OwnedFd, offset: u64, bytes: u64) -> Result<Mapping, String> {
    let file = File::from(file);
    let found = file
        .metadata()
        .map_err(|error| format!("a file of memory that cannot be asked for its size: {error}"))?;
    let end = offset.checked_add(bytes).filter(|_| bytes > 0);
    // Memory that is mapped and that the file does not have would be a fault at the first access.
    let Some(size) =
        end.filter(|end| found.is_file() && *end <= found.len()).and(usize::try_from(bytes).ok())
    else {
        return Err(format!("{bytes} bytes of memory at {offset} of a file of {}", found.len()));
    };
    let region = MmapRegionBuilder::new(size)
        .with_file_offset(FileOffset::new(file, offset))
        .with_mmap_prot(nix::libc::PROT_READ | nix::libc::PROT_WRITE)
        .with_mmap_flags(nix::libc::MAP_NORESERVE | nix::libc::MAP_SHARED)
        .build()
        .map_err(|error| {
            format!("{bytes} bytes of memory at {offset} of a file of {}: {error}", found.len())
        })?;
    if let Some(start) = NonNull::new(region.as_ptr()) {
        // Where this process keeps its memory from being swapped: that of a guest is not its own. Nothing depends on it.
        // SAFETY: the region is mapped, and nothing in it changes.
        unsafe { munlock(start.cast(), size) }.unwrap_or(());
    }
    Ok(Mapping { guard: Guard::new(&region)?, region })
}

impl Deref for Mapping {
    type Target = MmapRegion;

    fn deref(&self) -> &MmapRegion {
        &self.region
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use nix::sys::memfd::{MFdFlags, memfd_create};

    use super::*;

    /// Returns a file of `bytes` bytes of zeroes.
    pub(crate) fn file_of(bytes: u64) -> OwnedFd {
        let file = File::from(memfd_create(c"guest", MFdFlags::empty()).unwrap());
        file.set_len(bytes).unwrap();
        file.into()
    }

    fn room(regions: usize) -> Arc<Semaphore> {
        Arc::new(Semaphore::new(regions))
    }

    /// Returns memory of `bytes` bytes at zero.
    pub(crate) fn memory_of(bytes: u64) -> Memory {
        let mut regions = Regions::default();
        let region = VhostUserMemoryRegion::new(0, bytes, 0x7000_0000, 0);
        regions.add(&region, file_of(bytes), &room(1)).unwrap();
        regions.memory(&Arc::default()).unwrap().unwrap()
    }

    #[test]
    fn addresses_of_the_front_end_are_found_in_the_guest_and_others_are_not() {
        let mut regions = Regions::default();
        regions
            .add(&VhostUserMemoryRegion::new(0x10_0000, 0x2000, 0x9000, 0x1000), file_of(0x3000), &room(8))
            .unwrap();
        regions.add(&VhostUserMemoryRegion::new(0, 0x1000, 0x2000, 0), file_of(0x1000), &room(8)).unwrap();
        let memory = regions.memory(&Arc::default()).unwrap().unwrap();
        assert_eq!(memory.translate(0x9010), Some(GuestAddress(0x10_0010)));
        assert_eq!(memory.translate(0x2fff), Some(GuestAddress(0xfff)));
        assert_eq!(memory.translate(0x3000), None);
        assert_eq!(memory.translate(0xb000), None);
        assert!(memory.holds(GuestAddress(0x10_1fff), 1));
        assert!(!memory.holds(GuestAddress(0x10_1fff), 2));
        assert!(!memory.holds(GuestAddress(u64::MAX), 2));
        assert_eq!(memory.write(GuestAddress(0xff8), &[1; 16]), Err(Outside));
    }

    #[test]
    fn what_lies_across_regions_is_memory_as_long_as_they_touch() {
        let mut regions = Regions::default();
        for (guest, bytes) in [(0, 0x1000), (0x1000, 0x1000), (0x3000, 0x1000)] {
            let region = VhostUserMemoryRegion::new(guest, bytes, guest, 0);
            regions.add(&region, file_of(bytes), &room(1)).unwrap();
        }
        let memory = regions.memory(&Arc::default()).unwrap().unwrap();
        for (at, length, is_memory) in [
            (0, 0x1000, true),
            (0, 0x2000, true),
            (0xff0, 0x20, true),
            (0x1000, 0x1000, true),
            (0x1ff0, 0x11, false),
            (0x2000, 1, false),
            (0x3000, 0x1000, true),
            (0x3001, 0x1000, false),
            (u64::MAX, 1, false),
        ] {
            let (mut bytes, at) = (vec![1; length as usize], GuestAddress(at));
            assert_eq!(memory.holds(at, length), is_memory, "{length:#x} at {at:?}");
            assert_eq!(memory.write(at, &bytes).is_ok(), is_memory);
            bytes.fill(0);
            assert_eq!(memory.read(at, &mut bytes).is_ok(), is_memory);
            assert!(!is_memory || bytes.iter().all(|&byte| byte == 1));
        }
        assert!(memory.holds(GuestAddress(0x2000), 0), "nothing is everywhere");
    }

    #[test]
    fn regions_that_cannot_be_are_refused() {
        let mut regions = Regions::default();
        let mut refuse = |guest, bytes, user, offset, file_bytes| {
            let region = VhostUserMemoryRegion::new(guest, bytes, user, offset);
            regions.add(&region, file_of(file_bytes), &room(8)).unwrap_err()
        };
        assert!(refuse(0, 0x2000, 0, 0, 0x1000).contains("a file of 4096"), "longer than its file");
        refuse(0, 0x1000, 0, 0x1000, 0x1000);
        refuse(0, 0, 0, 0, 0x1000);
        refuse(0, 0x1000, 0, u64::MAX - 0xfff, 0x1000);
        refuse(u64::MAX - 0xff, 0x1000, 0, 0, 0x1000);
        refuse(0, 0x1000, u64::MAX - 0xff, 0, 0x1000);
        assert!(regions.memory(&Arc::default()).unwrap().is_none());
        regions.add(&VhostUserMemoryRegion::new(0, 0x2000, 0, 0), file_of(0x2000), &room(8)).unwrap();
        regions.add(&VhostUserMemoryRegion::new(0x1000, 0x2000, 0, 0), file_of(0x2000), &room(8)).unwrap();
        assert!(regions.memory(&Arc::default()).is_err(), "they overlap");
    }

    #[test]
    fn what_a_disk_maps_is_limited_in_bytes_and_regions() {
        let (mut regions, room, page) = (Regions::default(), room(2), file_of(0x1000));
        let mut add = |guest, bytes, file: &OwnedFd| {
            let region = VhostUserMemoryRegion::new(guest, bytes, guest, 0);
            regions.add(&region, file.try_clone().unwrap(), &room)
        };
        let vast = file_of(MEMORY_BYTES_MAX + 0x1000);
        assert!(add(0, MEMORY_BYTES_MAX + 0x1000, &vast).unwrap_err().contains("are the most"));
        add(0, 0x1000, &page).unwrap();
        assert!(add(0x1000, MEMORY_BYTES_MAX, &vast).unwrap_err().contains("are the most"), "in all");
        add(0x1000, 0x1000, &page).unwrap();
        assert!(add(0x2000, 0x1000, &page).unwrap_err().contains("for one disk"));
        drop(regions);
        assert_eq!(room.available_permits(), 2);
    }
}
