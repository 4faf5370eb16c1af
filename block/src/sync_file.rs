//! A regular file or a block device by plain system calls: the reference that [`FileDevice`](crate::FileDevice) is
//! compared with, and the device of tools that have no ring.
//!
//! Every request is done when its future is first polled, so a slow device holds up the whole thread: never on a
//! shard. Semantics are those of [`FileDevice`](crate::FileDevice).

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{FallocateFlags, fallocate};

use crate::file::{Identity, Kind, OpenError, OpenFile, OpenOptions, find_extents, gone, open};
use crate::{
    BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Extent, Geometry, Operation, Outcome, Unmap,
};

/// The most zeroes written by one call.
const ZEROES_MAX: u64 = 1 << 20;

/// An open file or block device whose requests block the thread.
pub struct SyncFile {
    opened: OpenFile,
    /// The file was found shorter than it was when opened.
    cut_short: Cell<bool>,
}

impl SyncFile {
    /// Opens, locks and measures `path`. Opening changes nothing in it.
    ///
    /// # Errors
    /// [`OpenError`], fit to be shown to an administrator.
    pub fn open(path: &Path, options: OpenOptions) -> Result<Self, OpenError> {
        Ok(Self { opened: open(path, options)?, cut_short: Cell::new(false) })
    }

    /// Returns true if data bypasses the page cache of the host.
    pub fn is_direct(&self) -> bool {
        self.opened.direct
    }

    /// Returns the reason why the device is buffered although direct access was requested.
    pub fn fallback_reason(&self) -> Option<&str> {
        self.opened.fallback.as_deref()
    }

    /// Returns the identity of its storage.
    pub fn identity(&self) -> Identity {
        self.opened.identity
    }

    /// Checks a request, and that the file is unchanged since it was opened.
    fn admit(&self, operation: Operation, offset: u64, length: u64) -> Result<ByteRange, BlockError> {
        let range = self.opened.geometry.check(operation, offset, length)?;
        if self.cut_short.get() { Err(gone(operation, range)) } else { Ok(range) }
    }

    fn file(&self) -> &File {
        &self.opened.file
    }

    /// Reads all of `range`, which lies inside the size at opening: an early end means that the file was cut short.
    fn fill(&self, range: ByteRange, target: &mut [u8]) -> Result<(), BlockError> {
        let mut done = 0;
        while done < target.len() {
            match self.file().read_at(&mut target[done..], range.start + done as u64) {
                // In whole units only: direct access could not go on from anywhere else.
                Ok(count) if count > 0 && (count as u64).is_multiple_of(self.opened.geometry.alignment) => {
                    done += count;
                }
                Ok(_) => {
                    self.cut_short.set(true);
                    return Err(gone(Operation::Read, range));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(&error, Operation::Read, Some(range))),
            }
        }
        Ok(())
    }

    /// Makes the file system write zeroes. Returns false if it cannot.
    fn allocate(&self, range: ByteRange, mode: FallocateFlags) -> Result<bool, BlockError> {
        let mode = mode | FallocateFlags::FALLOC_FL_KEEP_SIZE;
        match fallocate(self.file(), mode, range.start.cast_signed(), range.len().cast_signed()) {
            Ok(()) => Ok(true),
            Err(Errno::EOPNOTSUPP | Errno::ENOSYS) => Ok(false),
            Err(errno) => Err(failed(&errno.into(), Operation::WriteZeroes, Some(range))),
        }
    }

    fn make_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        if range.is_empty() {
            return Ok(());
        }
        let punch = unmap == Unmap::Allowed && self.opened.geometry.unmaps;
        if punch && self.allocate(range, FallocateFlags::FALLOC_FL_PUNCH_HOLE)? {
            return Ok(());
        }
        if self.allocate(range, FallocateFlags::FALLOC_FL_ZERO_RANGE)? {
            return Ok(());
        }
        let zeroes = Buffer::zeroed(range.len().min(ZEROES_MAX) as usize);
        let mut at = range.start;
        while at < range.end {
            let part = &zeroes[..(range.end - at).min(ZEROES_MAX) as usize];
            let written = self.file().write_all_at(part, at);
            written.map_err(|error| failed(&error, Operation::WriteZeroes, Some(range)))?;
            at += part.len() as u64;
        }
        Ok(())
    }
}

impl BlockDevice for SyncFile {
    fn geometry(&self) -> Geometry {
        self.opened.geometry
    }

    async fn read(&self, offset: u64, mut buffer: Buffer) -> Outcome {
        let outcome = self
            .admit(Operation::Read, offset, buffer.len() as u64)
            .and_then(|range| self.fill(range, &mut buffer));
        (buffer, outcome)
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        let outcome = self.admit(Operation::Write, offset, buffer.len() as u64).and_then(|range| {
            let written = self.file().write_all_at(&buffer, offset);
            written.map_err(|error| failed(&error, Operation::Write, Some(range)))
        });
        (buffer, outcome)
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.admit(Operation::Flush, 0, 0)?;
        self.file().sync_data().map_err(|error| failed(&error, Operation::Flush, None))
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.admit(Operation::WriteZeroes, range.start, range.len())?;
        self.make_zeroes(range, unmap)
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.admit(Operation::Discard, range.start, range.len())?;
        if !self.opened.geometry.unmaps {
            return Ok(());
        }
        let zeroed = self.make_zeroes(range, Unmap::Allowed);
        zeroed.map_err(|error| BlockError { operation: Operation::Discard, ..error })
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        self.admit(Operation::Read, range.start, range.len())?;
        if self.opened.kind == Kind::BlockDevice {
            return Ok(vec![Extent { range, allocated: true }]);
        }
        find_extents(self.file(), &self.opened.geometry, range).inspect_err(|error| {
            if error.kind == ErrorKind::Gone {
                self.cut_short.set(true);
            }
        })
    }
}

fn failed(error: &io::Error, operation: Operation, range: Option<ByteRange>) -> BlockError {
    match error.raw_os_error() {
        Some(errno) => BlockError::from_errno(errno, operation, range),
        // Not from the system but from the library: a write that made no progress.
        None => BlockError { kind: ErrorKind::Io, operation, range, reason: error.to_string() },
    }
}
