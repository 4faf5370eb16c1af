//! The memory of a guest, as its front end has shared it.
//!
//! A [`Memory`] never changes: when regions come or go there is a new one, and requests in flight keep the one that they began
//! with mapped until they end. Every access is checked against it, and every write goes through here and is noted for a
//! migration. A front end that makes its memory file shorter afterwards makes us fault, as with every vhost-user server; files
//! of `memory-backend-memfd` are sealed against that.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use vhost::vhost_user::message::VhostUserMemoryRegion;
use vm_memory::mmap::MmapRegionBuilder;
use vm_memory::{
    Bytes, FileOffset, GuestAddress, GuestMemory, GuestMemoryMmap, GuestRegionMmap, MmapRegion, Permissions,
};

use super::limits::REGIONS_MAX;
use super::log::DirtyLog;

/// What is wrong with an access or a region.
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
    /// Where the front end has it in its own memory; the addresses of rings are given so.
    user: u64,
    bytes: u64,
    mapping: Arc<GuestRegionMmap>,
}

/// Guest memory at one moment.
pub(crate) struct Memory {
    map: GuestMemoryMmap,
    regions: Regions,
    log: Arc<DirtyLog>,
}

impl Regions {
    /// Adds what `file` holds as the region that a front end describes.
    pub(crate) fn add(&mut self, region: &VhostUserMemoryRegion, file: OwnedFd) -> Result<(), String> {
        if self.all.len() >= REGIONS_MAX {
            return Err(format!("more than {REGIONS_MAX} regions of memory"));
        }
        let (guest, user, bytes) = (region.guest_phys_addr, region.user_addr, region.memory_size);
        if user.checked_add(bytes).is_none() {
            return Err(format!("a region of {bytes} bytes past the largest address"));
        }
        let mapping = map_file(file, region.mmap_offset, bytes)?;
        let mapping = GuestRegionMmap::new(mapping, GuestAddress(guest))
            .ok_or_else(|| format!("a region of {bytes} bytes at {guest:#x} past the largest address"))?;
        self.all.push(Region { guest, user, bytes, mapping: Arc::new(mapping) });
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

    /// The memory that these regions make. None without any.
    pub(crate) fn memory(&self, log: &Arc<DirtyLog>) -> Result<Option<Memory>, String> {
        if self.all.is_empty() {
            return Ok(None);
        }
        let mappings = self.all.iter().map(|region| Arc::clone(&region.mapping)).collect();
        let map = GuestMemoryMmap::from_arc_regions(mappings).map_err(|error| error.to_string())?;
        Ok(Some(Memory { map, regions: self.clone(), log: Arc::clone(log) }))
    }
}

impl Memory {
    /// Where in the guest the front end's own address is.
    pub(crate) fn translate(&self, user: u64) -> Option<GuestAddress> {
        let region = self
            .regions
            .all
            .iter()
            .find(|region| user >= region.user && user - region.user < region.bytes)?;
        Some(GuestAddress(region.guest + (user - region.user)))
    }

    /// The map, for the queues of `virtio-queue`. What is written that way has to be [noted](Self::note).
    pub(crate) fn map(&self) -> &GuestMemoryMmap {
        &self.map
    }

    /// True if all these bytes are memory of the guest.
    pub(crate) fn holds(&self, at: GuestAddress, length: u64) -> bool {
        usize::try_from(length)
            .is_ok_and(|length| length == 0 || self.map.check_range(at, length, Permissions::ReadWrite))
    }

    pub(crate) fn read(&self, at: GuestAddress, bytes: &mut [u8]) -> Result<(), Outside> {
        self.map.read_slice(bytes, at).map_err(|_| Outside)
    }

    pub(crate) fn write(&self, at: GuestAddress, bytes: &[u8]) -> Result<(), Outside> {
        let written = self.map.write_slice(bytes, at).map_err(|_| Outside);
        // Also if it failed: a part may have been written.
        self.note(at, bytes.len() as u64);
        written
    }

    /// Notes that these bytes were written.
    pub(crate) fn note(&self, at: GuestAddress, length: u64) {
        self.log.note(at.0, length);
    }
}

/// Maps a part of a file that is shared with another process.
pub(crate) fn map_file(file: OwnedFd, offset: u64, bytes: u64) -> Result<MmapRegion, String> {
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
    MmapRegionBuilder::new(size)
        .with_file_offset(FileOffset::new(file, offset))
        .with_mmap_prot(nix::libc::PROT_READ | nix::libc::PROT_WRITE)
        .with_mmap_flags(nix::libc::MAP_NORESERVE | nix::libc::MAP_SHARED)
        .build()
        .map_err(|error| format!("{bytes} bytes of memory at {offset} of a file of {}: {error}", found.len()))
}

#[cfg(test)]
pub(crate) mod tests {
    use nix::sys::memfd::{MFdFlags, memfd_create};

    use super::*;

    /// A file of so many bytes of zeroes.
    pub(crate) fn file_of(bytes: u64) -> OwnedFd {
        let file = File::from(memfd_create(c"guest", MFdFlags::empty()).unwrap());
        file.set_len(bytes).unwrap();
        file.into()
    }

    /// Memory of so many bytes at zero.
    pub(crate) fn memory_of(bytes: u64) -> Memory {
        let mut regions = Regions::default();
        regions.add(&VhostUserMemoryRegion::new(0, bytes, 0x7000_0000, 0), file_of(bytes)).unwrap();
        regions.memory(&Arc::default()).unwrap().unwrap()
    }

    #[test]
    fn addresses_of_the_front_end_are_found_in_the_guest_and_others_are_not() {
        let mut regions = Regions::default();
        regions.add(&VhostUserMemoryRegion::new(0x10_0000, 0x2000, 0x9000, 0x1000), file_of(0x3000)).unwrap();
        regions.add(&VhostUserMemoryRegion::new(0, 0x1000, 0x2000, 0), file_of(0x1000)).unwrap();
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
    fn regions_that_cannot_be_are_refused() {
        let mut regions = Regions::default();
        let mut refuse = |guest, bytes, user, offset, file_bytes| {
            let region = VhostUserMemoryRegion::new(guest, bytes, user, offset);
            regions.add(&region, file_of(file_bytes)).unwrap_err()
        };
        assert!(refuse(0, 0x2000, 0, 0, 0x1000).contains("a file of 4096"), "longer than its file");
        refuse(0, 0x1000, 0, 0x1000, 0x1000);
        refuse(0, 0, 0, 0, 0x1000);
        refuse(0, 0x1000, 0, u64::MAX - 0xfff, 0x1000);
        refuse(u64::MAX - 0xff, 0x1000, 0, 0, 0x1000);
        refuse(0, 0x1000, u64::MAX - 0xff, 0, 0x1000);
        assert!(regions.memory(&Arc::default()).unwrap().is_none());
        regions.add(&VhostUserMemoryRegion::new(0, 0x2000, 0, 0), file_of(0x2000)).unwrap();
        regions.add(&VhostUserMemoryRegion::new(0x1000, 0x2000, 0, 0), file_of(0x2000)).unwrap();
        assert!(regions.memory(&Arc::default()).is_err(), "they overlap");
    }
}
