//! An open backing: a block device of any kind.

use std::sync::Arc;
use std::time::Duration;

use base::blocking_pool::BlockingPool;
use base::error::{Error, Result};
use block::executor::LocalHost;
use block::file::{Access, Lock};
use block::patient::{RetryDevice, Trouble};
use block::{
    BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Extent, Geometry, Operation, Outcome, Ring, Unmap,
};

use super::capabilities::{Ability, Capabilities};
use super::details::Details;
use super::identity::Identity;
use super::kinds::{HandOff, Location, OpenStorage, VolumeUser};
use super::scrub::{Rescue, ScrubResult};
use super::snapshot::StorageSnapshot;
use super::storage::Storage;
use crate::backing_identity::Attributes;
use crate::places::HelperFolders;
use crate::stores::Stores;

/// Parameters for opening a backing.
#[derive(Clone, Debug)]
pub(crate) struct Opening {
    /// Its location.
    pub(crate) location: Location,
    /// Access that is wanted.
    pub(crate) access: Access,
    /// Lock to take.
    pub(crate) lock: Lock,
    /// Time that a request may take, in nanoseconds; none: without limit.
    pub(crate) retry_ns: Option<u64>,
    /// Folders of helper processes, for kinds that have them.
    pub(crate) helpers: HelperFolders,
    /// Object stores, for kinds that are in one.
    pub(crate) stores: Stores,
    /// The disk that it is for, for kinds that remember it.
    pub(crate) user: Option<VolumeUser>,
}

/// A backing that is open, locked, and has a retry time. Belongs to the thread of its ring.
pub(crate) struct Backing(RetryDevice<OpenStorage, LocalHost>);

/// A backing at rest that moves to the thread of another shard. Clones refer to the same backing.
#[derive(Clone)]
pub(crate) struct BackingHandle {
    storage: HandOff,
    retry_ns: Option<u64>,
}

impl Backing {
    /// Returns the operations that it supports now, and the reasons for those that it does not.
    pub(crate) fn capabilities(&self) -> Capabilities {
        self.0.inner().capabilities()
    }

    /// Returns its details as they are now: see [`Storage::details`].
    pub(crate) fn details(&self) -> Details {
        self.0.inner().details()
    }

    /// Returns its ability to be scrubbed.
    pub(crate) fn scrub_ability(&self) -> Ability {
        self.0.inner().scrub_ability()
    }

    /// Returns the time from one scrub to the next: see [`Storage::scrub_interval`].
    pub(crate) fn scrub_interval(&self) -> Option<Duration> {
        self.0.inner().scrub_interval()
    }

    /// Reads what it stores and compares checksums: see [`Storage::scrub`].
    ///
    /// # Errors
    /// If it cannot be scrubbed, or fails meanwhile.
    pub(crate) async fn scrub(
        &self,
        host: &LocalHost,
        rate: u64,
        progress: &dyn Fn(u64, u64),
        rescue: &dyn Rescue,
    ) -> Result<ScrubResult> {
        self.0.inner().scrub(host, rate, progress, rescue).await
    }

    /// Comes to rest for [`Self::handle`]: see [`Storage::rest`].
    ///
    /// # Errors
    /// Reason for which only this shard can use it now: the kernel still has requests that another shard
    /// could not track, or the storage has a reason of its own.
    pub(crate) async fn rest(&self) -> Result<(), BlockError> {
        if self.0.has_left_requests() {
            let error = BlockError::anywhere(ErrorKind::Unanswered, Operation::Open);
            return Err(error.because("the system has not answered requests that Forebay abandoned"));
        }
        self.0.inner().rest().await
    }

    /// Ends its use: see [`Storage::close`].
    pub(crate) async fn close(&self, host: &LocalHost) {
        self.0.inner().close(host).await;
    }

    /// Resumes after [`Self::rest`], or starts as the backing of a handle.
    pub(crate) fn go_on(&self) {
        self.0.inner().go_on();
    }

    /// Returns the backing, which must be at rest, for another shard.
    pub(crate) fn handle(&self) -> BackingHandle {
        BackingHandle { storage: self.0.inner().hand_off(), retry_ns: self.0.retry_ns() }
    }

    /// Returns the backing of a handle, on the thread of `ring`, at rest. `location` is where it was opened.
    /// Dropping it at rest changes nothing for clones of the handle.
    pub(crate) fn from_handle(
        ring: &Ring,
        host: &LocalHost,
        location: &Location,
        handle: BackingHandle,
    ) -> Self {
        let BackingHandle { storage, retry_ns } = handle;
        Self::new(host, location, OpenStorage::from_hand_off(ring, host, location, storage), retry_ns)
    }

    /// Opens a backing, and locks it if its kind has locks.
    ///
    /// # Errors
    /// As those of [`OpenStorage::open`].
    pub(crate) async fn open(
        ring: &Ring,
        host: &LocalHost,
        blocking: &BlockingPool,
        opening: &Opening,
    ) -> Result<Self> {
        let opened = OpenStorage::open(ring, host, blocking, opening).await?;
        Ok(Self::new(host, &opening.location, opened, opening.retry_ns))
    }

    fn new(host: &LocalHost, location: &Location, opened: OpenStorage, retry_ns: Option<u64>) -> Self {
        let hang = opened.hang();
        let patient = RetryDevice::new(opened, host.clone(), location.to_string(), hang, retry_ns);
        patient.inner().report_to(patient.watch());
        Self(patient)
    }

    /// Returns the identity of its storage.
    pub(crate) fn identity(&self) -> Identity {
        self.0.inner().identity()
    }

    /// Returns the identity of the snapshot that it is, if its content never changes.
    pub(crate) fn snapshot_id(&self) -> Option<String> {
        self.0.inner().snapshot_id()
    }

    /// Returns the access to its attributes and marks, for any thread. `location` is where it was opened.
    pub(crate) fn attributes(&self, location: &Location) -> Arc<dyn Attributes> {
        self.0.inner().attributes(location)
    }

    /// Returns the reason for which it is lost to this host for good, if it is: another client may have changed it since.
    pub(crate) fn lost(&self) -> Option<String> {
        self.0.inner().lost()
    }

    /// Refuses a snapshot that cannot be made: see [`Storage::check_snapshot`].
    pub(crate) fn check_snapshot(&self, name: &str) -> Result<()> {
        self.0.inner().check_snapshot(name)
    }

    /// Prepares a snapshot: see [`Storage::prepare_snapshot`].
    pub(crate) async fn prepare_snapshot(&self) {
        self.0.inner().prepare_snapshot().await;
    }

    /// Refuses a growth that cannot be: see [`Storage::check_growth`].
    pub(crate) fn check_growth(&self, bytes: u64) -> Result<()> {
        self.0.inner().check_growth(bytes)
    }

    /// Makes a snapshot of what it durably has: see [`Storage::take_snapshot`].
    pub(crate) async fn take_snapshot(&self, name: &str) -> Result<StorageSnapshot> {
        self.0.inner().take_snapshot(name).await
    }

    /// Deletes a snapshot of it: see [`Storage::delete_snapshot`].
    pub(crate) async fn delete_snapshot(&self, name: &str) -> Result<()> {
        self.0.inner().delete_snapshot(name).await
    }

    /// Makes it larger: see [`Storage::grow`].
    pub(crate) async fn grow(&self, bytes: u64) -> Result<()> {
        self.0.inner().grow(bytes).await
    }

    /// Returns true if it is a device of this host that is write-protected at present.
    pub(crate) fn is_write_protected(&self) -> bool {
        self.0.inner().is_write_protected()
    }

    /// Returns its current size in bytes. If it shrank, later requests fail.
    pub(crate) async fn current_size(&self) -> Result<u64, BlockError> {
        self.0.inner().current_size().await
    }

    /// Returns its current size in bytes, measured. A server is asked over a new connection, if it accepts
    /// several.
    pub(crate) async fn measure(&self) -> Result<u64, BlockError> {
        self.0.inner().measure().await
    }

    /// Returns true if [`Self::measure`] replaces connections. Flush before: writes over the old ones may be
    /// lost otherwise.
    pub(crate) fn reconnects_to_measure(&self) -> bool {
        self.0.inner().reconnects_to_measure()
    }

    /// Sets the size that is used from now on, in bytes, rounded up to whole units. The backing must have it.
    pub(crate) fn set_size(&self, bytes: u64) {
        self.0.inner().set_size(bytes.next_multiple_of(self.unit()));
    }

    /// Returns the unit of its I/O in bytes, whatever guests send. Its size is a multiple of it.
    pub(crate) fn unit(&self) -> u64 {
        self.0.inner().unit()
    }

    /// Changes the time that later requests may take, in nanoseconds.
    pub(crate) fn set_retry_ns(&self, retry_ns: Option<u64>) {
        self.0.set_retry_ns(retry_ns);
        self.0.inner().set_retry_ns(retry_ns);
    }

    /// Returns its present trouble, as far as it is known.
    pub(crate) fn trouble(&self) -> Option<Trouble> {
        self.0.trouble()
    }

    /// Returns the number of requests that were sent again after a failure.
    pub(crate) fn retries(&self) -> u64 {
        self.0.retries()
    }

    /// Returns the lock that is held.
    pub(crate) fn lock(&self) -> Lock {
        self.0.inner().lock()
    }

    /// Locks the image that was opened beside a QEMU. `location` is where it was opened.
    ///
    /// # Errors
    /// A conflict as long as that QEMU, or any other program, has it open; then nothing has changed.
    pub(crate) fn take_image_lock(&self, location: &Location) -> Result<()> {
        self.0.inner().take_image_lock(location)
    }

    /// Unlocks the image, so that a QEMU can open it as well. `location` is where it was opened.
    ///
    /// # Errors
    /// The error of the system, or that the kernel still has requests with an unknown outcome: one of them
    /// could land after a write of QEMU. Then nothing has changed.
    pub(crate) fn give_up_image_lock(&self, location: &Location) -> Result<()> {
        if self.0.has_left_requests() {
            return Err(Error::unavailable(format!(
                "Cannot unlock backing {location}: it has not answered requests that Forebay abandoned, and they may still be done; try \
                 again once it has, see `forebay disk show`"
            )));
        }
        self.0.inner().give_up_image_lock(location)
    }
}

impl BlockDevice for Backing {
    fn geometry(&self) -> Geometry {
        self.0.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.0.read(offset, buffer).await
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        self.0.write(offset, buffer).await
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.0.flush().await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.0.write_zeroes(range, unmap).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.0.discard(range).await
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        self.0.extents(range).await
    }

    fn epoch(&self) -> u64 {
        self.0.epoch()
    }

    fn has_unanswered(&self) -> bool {
        self.0.has_unanswered()
    }

    fn is_cached_below(&self, range: ByteRange) -> bool {
        self.0.is_cached_below(range)
    }

    fn abandon_group(&self) {
        self.0.abandon_group();
    }
}
