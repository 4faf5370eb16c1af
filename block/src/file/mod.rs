//! A regular file or a block device through the ring: the backing of a disk, and the flash of a pool.
//!
//! ```text
//!   request ──check against geometry──> one operation of the ring ──short?──> the rest of it ──> done
//! ```
//! Past the host's page cache (`O_DIRECT`) where the file system can. What cannot be read is an error, never zeroes: a file that was cut
//! short under us is [`ErrorKind::Gone`], and stays so until it is opened again. A write never makes a file longer;
//! [`FileDevice::set_size`] is for a file that was made larger; after a failed flush the caller decides, nothing is retried here.
//!
//! Knows no image formats, and keeps no data.

mod discard;
mod lock;
mod loop_device;
mod open;
mod placement;
mod reclaiming;
mod standing;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::sync::Arc;

use io_uring::{opcode, squeue, types};
use nix::errno::Errno;
use nix::unistd::{Whence, lseek};
use tokio::sync::{Mutex, oneshot};

pub use lock::{Lock, is_locked};
pub use loop_device::loop_file;
pub use open::{Access, Cache, Identity, OpenError, OpenOptions};
pub(crate) use open::{Kind, OpenFile, open};
pub use placement::Placement;
pub use standing::{PathStatus, Reachable};

use crate::uring::{IfDropped, Keep, Ring};
use crate::{
    BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Extent, Geometry, Operation, Outcome, Unmap,
};

/// The most bytes that one operation of the ring moves. The kernel takes up to 2 GiB; more is done in steps.
const STEP_MAX: usize = 1 << 30;
/// The most zeroes written by one operation where the file system cannot make them itself.
const ZEROES_MAX: u64 = 1 << 20;
/// Repetitions in a row of an operation that a signal or a momentary shortage ended before it began.
const RETRIES_MAX: u32 = 16;
/// The most extents that one call reports; the rest counts as allocated.
pub(crate) const EXTENTS_MAX: usize = 1024;

/// An open file or block device. Belongs to the thread of its ring.
pub struct FileDevice {
    ring: Ring,
    file: Arc<File>,
    kind: Kind,
    identity: Identity,
    geometry: Cell<Geometry>,
    fallback: Option<String>,
    direct: bool,
    /// The file system, or the device, makes zeroes that keep their storage.
    zeroes_in_place: Cell<bool>,
    /// Held while a thread waits for a discard of the device: one at a time.
    discarding: Mutex<()>,
    /// The file was found shorter than it was when opened.
    cut_short: Cell<bool>,
    /// Lock that it holds. Changes while a disk moves between QEMU and Forebay.
    lock: Cell<Lock>,
    /// A block device that was opened without keeping mounts off it, because QEMU had it open.
    unclaimed: Cell<bool>,
    /// Keeps mounts off it since.
    claim: RefCell<Option<Arc<File>>>,
}

/// An open device on its way to the thread of another ring: the same open file with the same locks, which are held until
/// the last device and handle of it are gone. A second opening would be refused by our own locks.
#[derive(Clone)]
pub struct Handle {
    opened: OpenFile,
    lock: Lock,
    unclaimed: bool,
    claim: Option<Arc<File>>,
    cut_short: bool,
}

impl Handle {
    /// Opens, locks and measures `path`, which may wait for its file system: for a thread that may. Opening changes nothing
    /// in it.
    ///
    /// # Errors
    /// [`OpenError`], fit to be shown to an administrator.
    pub fn open(path: &Path, options: OpenOptions) -> Result<Self, OpenError> {
        let lock = options.lock;
        let opened = open(path, options)?;
        let unclaimed =
            opened.kind == Kind::BlockDevice && !opened.geometry.read_only && lock == Lock::Beside;
        Ok(Self { opened, lock, unclaimed, claim: None, cut_short: false })
    }

    /// Returns the open file. Its locks are held until the last clone is gone.
    pub fn open_file(&self) -> Arc<File> {
        Arc::clone(&self.opened.file)
    }
}

impl FileDevice {
    /// Opens, locks and measures `path`. Opening changes nothing in it.
    ///
    /// # Errors
    /// [`OpenError`], fit to be shown to an administrator.
    pub fn open(ring: &Ring, path: &Path, options: OpenOptions) -> Result<Self, OpenError> {
        Ok(Self::from_handle(ring, Handle::open(path, options)?))
    }

    /// Returns a handle of the device, for another ring.
    pub fn handle(&self) -> Handle {
        let opened = OpenFile {
            file: Arc::clone(&self.file),
            kind: self.kind,
            identity: self.identity,
            geometry: self.geometry.get(),
            direct: self.direct,
            fallback: self.fallback.clone(),
        };
        Handle {
            opened,
            lock: self.lock.get(),
            unclaimed: self.unclaimed.get(),
            claim: self.claim.borrow().clone(),
            cut_short: self.cut_short.get(),
        }
    }

    /// Creates the device of a handle, on the thread of `ring`.
    pub fn from_handle(ring: &Ring, handle: Handle) -> Self {
        let Handle { opened, lock, unclaimed, claim, cut_short } = handle;
        let OpenFile { file, kind, identity, geometry, direct, fallback } = opened;
        Self {
            ring: ring.clone(),
            file,
            kind,
            identity,
            geometry: Cell::new(geometry),
            fallback,
            direct,
            zeroes_in_place: Cell::new(true),
            discarding: Mutex::new(()),
            cut_short: Cell::new(cut_short),
            lock: Cell::new(lock),
            unclaimed: Cell::new(unclaimed),
            claim: RefCell::new(claim),
        }
    }

    /// Returns true for a block device, false for a regular file.
    pub fn is_block_device(&self) -> bool {
        self.kind == Kind::BlockDevice
    }

    /// Returns true if it is a block device whose kernel refuses writes at present (`blockdev --setro`). Cheap. False if the kernel does
    /// not report it.
    pub fn is_write_protected(&self) -> bool {
        self.kind == Kind::BlockDevice && is_write_protected(&self.file)
    }

    /// Returns true if data bypasses the page cache of the host.
    pub fn is_direct(&self) -> bool {
        self.direct
    }

    /// Returns the reason why the device is buffered although [`Cache::Direct`] was requested.
    pub fn fallback_reason(&self) -> Option<&str> {
        self.fallback.as_deref()
    }

    /// Returns the identity of its storage.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Returns the lock that it holds.
    pub fn lock(&self) -> Lock {
        self.lock.get()
    }

    /// Takes [`Lock::Image`] in the place of [`Lock::Beside`], on the very description that does the I/O. `path` is
    /// where the file was opened.
    ///
    /// # Errors
    /// `Held` as long as another program has the image open; then nothing has changed.
    pub fn take_image_lock(&self, path: &Path) -> Result<(), OpenError> {
        assert_eq!(self.lock.get(), Lock::Beside, "only who was beside QEMU steps in its place");
        if self.unclaimed.get() {
            self.claim.replace(Some(Arc::new(open::claim(path, self.identity)?)));
            self.unclaimed.set(false);
        }
        self.exchange(path, lock::exchange_for_image, Lock::Image)
    }

    /// Takes [`Lock::Beside`] in the place of [`Lock::Image`], so that QEMU can open the image. `path` is where the file
    /// was opened.
    ///
    /// # Errors
    /// `Held` if another Forebay already holds the byte beside, which cannot be as long as all respect the locks; or the error of the
    /// system. Then nothing has changed.
    pub fn give_up_image_lock(&self, path: &Path) -> Result<(), OpenError> {
        assert_eq!(self.lock.get(), Lock::Image, "only what is held is given up");
        self.exchange(path, lock::exchange_for_beside, Lock::Beside)
    }

    fn exchange(
        &self,
        path: &Path,
        exchange: fn(&File, Access) -> io::Result<bool>,
        wanted: Lock,
    ) -> Result<(), OpenError> {
        let access = if self.geometry.get().read_only { Access::ReadOnly } else { Access::ReadWrite };
        match exchange(&self.file, access) {
            Ok(true) => {
                self.lock.set(wanted);
                Ok(())
            }
            Ok(false) => Err(OpenError::Held { path: path.to_owned() }),
            Err(source) => Err(OpenError::System { path: path.to_owned(), action: "lock", source }),
        }
    }

    /// Returns the open file, to ask about it, or for its attributes. Its locks are held until the last clone is gone.
    pub fn open_file(&self) -> Arc<File> {
        Arc::clone(&self.file)
    }

    /// Returns the size in bytes that it has now. If that is below the geometry's, every later request fails with `Gone`.
    ///
    /// Ask from time to time: a read finds out by itself that the file was cut short, a write does not, and would put
    /// the file back to its length with zeroes before it.
    ///
    /// # Errors
    /// `Gone` if the storage is, or the error of the system.
    pub async fn current_size(&self) -> Result<u64, BlockError> {
        // Taken before the call: it may be larger when the result arrives, which is then outdated.
        let expected = self.geometry.get().size;
        let size = match self.kind {
            Kind::BlockDevice => open::device::size(&self.file)
                .map_err(|error| failed(error.raw_os_error().unwrap_or(libc::EIO), Operation::Open, None))?,
            Kind::File => self.file_size().await?,
        };
        if size < expected {
            self.cut_short.set(true);
        }
        Ok(size)
    }

    /// Sets the size in bytes, a multiple of its alignment: larger than before if the storage grew, or smaller if the rest is not to be
    /// used yet. Changes nothing in the file. The caller has verified that the storage is so large.
    pub fn set_size(&self, size: u64) {
        let geometry = self.geometry.get();
        assert!(size.is_multiple_of(geometry.alignment), "devices end on a whole unit");
        self.geometry.set(Geometry { size, ..geometry });
    }

    async fn file_size(&self) -> Result<u64, BlockError> {
        let mut keep = Measuring { _file: Arc::clone(&self.file), about: Box::new(zeroed_statx()) };
        for _ in 0..=RETRIES_MAX {
            let about: *mut libc::statx = &raw mut *keep.about;
            let entry = opcode::Statx::new(self.fd(), c"".as_ptr(), about.cast())
                .flags(libc::AT_EMPTY_PATH)
                .mask(libc::STATX_SIZE)
                .build();
            // SAFETY: `keep` owns the file and the box that the kernel fills; the path is a constant.
            let (back, result) = unsafe { self.ring.run(entry, keep) }.await;
            keep = back;
            if result >= 0 {
                return Ok(keep.about.stx_size);
            }
            if !passes(result) {
                return Err(failed(-result, Operation::Open, None));
            }
        }
        Err(failed(libc::EAGAIN, Operation::Open, None))
    }

    fn fd(&self) -> types::Fd {
        types::Fd(self.file.as_raw_fd())
    }

    /// Checks a request, and that the file is unchanged since it was opened.
    fn admit(&self, operation: Operation, offset: u64, length: u64) -> Result<ByteRange, BlockError> {
        let range = self.geometry.get().check(operation, offset, length)?;
        if self.cut_short.get() {
            return Err(gone(operation, range));
        }
        Ok(range)
    }

    /// Moves all of `buffer`, in as many steps as the kernel makes of it.
    async fn transfer(&self, operation: Operation, offset: u64, buffer: Buffer) -> Outcome {
        let range = match self.admit(operation, offset, buffer.len() as u64) {
            Ok(range) => range,
            Err(error) => return (buffer, Err(error)),
        };
        let mut keep = Transfer { _file: Arc::clone(&self.file), buffer };
        let (mut done, mut retries) = (0, 0);
        while done < keep.buffer.len() {
            let rest = &mut keep.buffer[done..];
            let len = rest.len().min(STEP_MAX) as u32;
            let at = offset + done as u64;
            let entry = match operation {
                Operation::Read => opcode::Read::new(self.fd(), rest.as_mut_ptr(), len).offset(at).build(),
                Operation::Write => opcode::Write::new(self.fd(), rest.as_ptr(), len).offset(at).build(),
                _ => unreachable!("only reads and writes move data"),
            };
            // SAFETY: `keep` owns the file and the buffer, whose bytes lie on the heap; `len` is within them.
            let running = unsafe { self.ring.run(entry, keep) };
            self.ring.feed_disk();
            let (back, result) = running.await;
            keep = back;
            if passes(result) && retries < RETRIES_MAX {
                retries += 1;
                continue;
            }
            match self.step(operation, range, result) {
                Ok(count) => done += count,
                Err(error) => return (keep.buffer, Err(error)),
            }
            retries = 0;
        }
        (keep.buffer, Ok(()))
    }

    /// Judges one step of a transfer: how many bytes it moved.
    fn step(&self, operation: Operation, range: ByteRange, result: i32) -> Result<usize, BlockError> {
        let Ok(count) = usize::try_from(result) else {
            // For writes behind the end of a device, Linux reports that there is no room, and a drive that was pulled has no size left.
            if -result == libc::ENOSPC
                && self.kind == Kind::BlockDevice
                && size_of(&self.file).is_ok_and(|size| size < range.end)
            {
                self.cut_short.set(true);
                return Err(gone(operation, range));
            }
            return Err(failed(-result, operation, Some(range)));
        };
        let whole_units = count > 0 && (count as u64).is_multiple_of(self.geometry.get().alignment);
        match operation {
            _ if whole_units => Ok(count),
            Operation::Read => {
                // The request lies inside the size at opening, so the file has become shorter.
                self.cut_short.set(true);
                Err(gone(operation, range))
            }
            _ => Err(BlockError::new(ErrorKind::Io, operation, range)
                .because(format!("the system wrote {count} bytes and no more"))),
        }
    }

    /// Runs an operation that moves no data, again if it was ended before it began.
    async fn control(&self, entry: squeue::Entry) -> Result<(), i32> {
        let mut result = -libc::EAGAIN;
        for _ in 0..=RETRIES_MAX {
            let keep = DatalessOperation { _file: Arc::clone(&self.file) };
            // SAFETY: callers pass entries that point to nothing; `keep` holds the file.
            (_, result) = unsafe { self.ring.run(entry.clone(), keep) }.await;
            if !passes(result) {
                break;
            }
        }
        if result < 0 { Err(-result) } else { Ok(()) }
    }

    /// Makes the file system write zeroes. Returns false if it cannot.
    async fn allocate(&self, range: ByteRange, mode: i32) -> Result<bool, BlockError> {
        let entry = opcode::Fallocate::new(self.fd(), range.len())
            .offset(range.start)
            .mode(mode | libc::FALLOC_FL_KEEP_SIZE)
            .build();
        match self.control(entry).await {
            Ok(()) => Ok(true),
            Err(libc::EOPNOTSUPP | libc::ENOSYS) => Ok(false),
            Err(errno) => Err(failed(errno, Operation::WriteZeroes, Some(range))),
        }
    }

    /// Makes zeroes by deallocating the storage. Returns false if that is impossible, or has just turned out to be: from then on the
    /// geometry shows it.
    async fn punch(&self, range: ByteRange) -> Result<bool, BlockError> {
        if !self.geometry.get().unmaps {
            return Ok(false);
        }
        if self.allocate(range, libc::FALLOC_FL_PUNCH_HOLE).await? {
            return Ok(true);
        }
        let geometry = self.geometry.get();
        let discards = geometry.discards && self.kind == Kind::BlockDevice;
        self.geometry.set(Geometry { unmaps: false, discards, ..geometry });
        Ok(false)
    }

    /// Discards a range of the block device, on a thread that may wait. The thread holds the open file, and its locks, until the
    /// device has answered.
    async fn discard_device(&self, range: ByteRange) -> Result<(), BlockError> {
        let _turn = self.discarding.lock().await;
        let cannot = |error: io::Error| {
            failed(error.raw_os_error().unwrap_or(libc::EIO), Operation::Discard, Some(range))
        };
        let file = Arc::clone(&self.file);
        let (answer, answered) = oneshot::channel();
        let work = move || {
            // The caller may have stopped waiting.
            drop(answer.send(discard::discard_range(&file, range)));
        };
        std::thread::Builder::new().name("discard".to_owned()).spawn(work).map_err(cannot)?;
        let result =
            answered.await.unwrap_or_else(|_| Err(failed(libc::EIO, Operation::Discard, Some(range))));
        match result {
            // The queue of the device was changed while it was open. To ignore a discard is a success.
            Err(error) if error.kind == ErrorKind::Unsupported => {
                self.geometry.set(Geometry { discards: false, ..self.geometry.get() });
                Ok(())
            }
            result => result,
        }
    }

    async fn write_zero_bytes(&self, range: ByteRange) -> Result<(), BlockError> {
        let mut at = range.start;
        let mut zeroes = Buffer::zeroed(range.len().min(ZEROES_MAX) as usize);
        while at < range.end {
            if range.end - at < zeroes.len() as u64 {
                zeroes = Buffer::zeroed((range.end - at) as usize);
            }
            let outcome;
            (zeroes, outcome) = self.transfer(Operation::Write, at, zeroes).await;
            outcome.map_err(|error| BlockError { operation: Operation::WriteZeroes, ..error })?;
            at += zeroes.len() as u64;
        }
        Ok(())
    }
}

impl BlockDevice for FileDevice {
    fn geometry(&self) -> Geometry {
        self.geometry.get()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.transfer(Operation::Read, offset, buffer).await
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.transfer(Operation::Write, offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.admit(Operation::Flush, 0, 0)?;
        let entry = opcode::Fsync::new(self.fd()).flags(types::FsyncFlags::DATASYNC).build();
        self.control(entry).await.map_err(|errno| failed(errno, Operation::Flush, None))
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.admit(Operation::WriteZeroes, range.start, range.len())?;
        if range.is_empty() {
            return Ok(());
        }
        if unmap == Unmap::Allowed && self.punch(range).await? {
            return Ok(());
        }
        if self.zeroes_in_place.get() {
            if self.allocate(range, libc::FALLOC_FL_ZERO_RANGE).await? {
                return Ok(());
            }
            self.zeroes_in_place.set(false);
        }
        self.write_zero_bytes(range).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.admit(Operation::Discard, range.start, range.len())?;
        if range.is_empty() {
            return Ok(());
        }
        let punched = self.punch(range).await;
        if punched.map_err(|error| BlockError { operation: Operation::Discard, ..error })? {
            return Ok(());
        }
        // A file that cannot punch keeps its storage: to write zeroes instead would take longer and free nothing.
        if self.geometry.get().discards { self.discard_device(range).await } else { Ok(()) }
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        self.admit(Operation::Read, range.start, range.len())?;
        if self.kind == Kind::BlockDevice {
            return Ok(vec![Extent { range, allocated: true }]);
        }
        find_extents(&self.file, &self.geometry.get(), range).inspect_err(|error| {
            if error.kind == ErrorKind::Gone {
                self.cut_short.set(true);
            }
        })
    }
}

/// Asks the file system which parts of `range` hold data. Waits for metadata at most, which is mostly in memory.
pub(crate) fn find_extents(
    file: &File,
    geometry: &Geometry,
    range: ByteRange,
) -> Result<Vec<Extent>, BlockError> {
    let ask = |offset: u64, whence| {
        let offset = i64::try_from(offset).map_err(|_| Errno::EOVERFLOW)?;
        lseek(file, offset, whence).map(i64::cast_unsigned)
    };
    let failed = |errno: Errno| failed(errno as i32, Operation::Read, Some(range));
    // Behind the end all is "a hole": that would be zeroes made up.
    if ask(0, Whence::SeekEnd).map_err(failed)? < geometry.size {
        return Err(gone(Operation::Read, range));
    }
    let mut extents = Vec::new();
    let mut at = range.start;
    while at < range.end {
        if extents.len() + 1 == EXTENTS_MAX {
            extents.push(Extent { range: ByteRange::new(at, range.end), allocated: true });
            break;
        }
        let data = match ask(at, Whence::SeekData) {
            Ok(data) => data / geometry.alignment * geometry.alignment,
            Err(Errno::ENXIO) => range.end,
            // The file system does not know.
            Err(Errno::EINVAL | Errno::EOPNOTSUPP) => at,
            Err(errno) => return Err(failed(errno)),
        };
        let (end, allocated) = if data > at {
            (data, false)
        } else {
            (ask(at, Whence::SeekHole).unwrap_or(range.end).next_multiple_of(geometry.alignment), true)
        };
        // Another thread of the guest may punch holes meanwhile: the walk goes on with any result.
        let end = if end > at { end.min(range.end) } else { range.end };
        extents.push(Extent { range: ByteRange::new(at, end), allocated });
        at = end;
    }
    Ok(extents)
}

/// Returns the error for a file that ends before it should.
pub(crate) fn gone(operation: Operation, range: ByteRange) -> BlockError {
    BlockError::new(ErrorKind::Gone, operation, range)
        .because("the file is shorter than when it was opened; restore it, then attach it again")
}

/// Returns the size in bytes that an open file or block device has now. Waits for its file system: for a thread that may.
///
/// # Errors
/// The error of the system.
pub fn size_of(file: &File) -> io::Result<u64> {
    let about = file.metadata()?;
    if about.file_type().is_block_device() { open::device::size(file) } else { Ok(about.len()) }
}

/// Returns true if an open file is a block device whose kernel refuses writes at present. False if the kernel does not report it.
pub fn is_write_protected(file: &File) -> bool {
    open::device::is_read_only(file).unwrap_or(false)
}

fn failed(errno: i32, operation: Operation, range: Option<ByteRange>) -> BlockError {
    BlockError::from_errno(errno, operation, range)
}

/// Returns true if the same operation can succeed at once: it was interrupted by a signal, or the kernel was short of something.
fn passes(result: i32) -> bool {
    matches!(-result, libc::EINTR | libc::EAGAIN)
}

fn zeroed_statx() -> libc::statx {
    // SAFETY: a `statx` is plain numbers, for which zero is a value.
    unsafe { std::mem::zeroed() }
}

/// The file and the buffer of a read or write.
struct Transfer {
    _file: Arc<File>,
    buffer: Buffer,
}

impl Keep for Transfer {
    const IF_DROPPED: IfDropped = IfDropped::Finish;
}

/// The file of an operation without data.
struct DatalessOperation {
    _file: Arc<File>,
}

impl Keep for DatalessOperation {
    const IF_DROPPED: IfDropped = IfDropped::Finish;
}

/// The file, and its properties from the kernel.
struct Measuring {
    _file: Arc<File>,
    about: Box<libc::statx>,
}

impl Keep for Measuring {
    const IF_DROPPED: IfDropped = IfDropped::Finish;
}
