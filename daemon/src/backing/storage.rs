//! Interface of storage, besides I/O, for a disk. Each kind of storage has a file of its own in `kinds`.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use base::error::{Error, Result};
use block::executor::LocalHost;
use block::file::Lock;
use block::patient::{HangPolicy, Watch};
use block::{BlockDevice, BlockError};

use super::kinds::{HandOff, Location};
use super::scrub::Rescue;
use super::snapshot::StorageSnapshot;
use super::{Ability, Capabilities, Details, Identity, ScrubResult};
use crate::backing_identity::{Attributes, NoAttributes};

/// Open storage of one kind. Belongs to the thread of its ring.
pub(super) trait Storage: BlockDevice {
    /// Returns its identity.
    fn identity(&self) -> Identity;

    /// Returns its current size in bytes, without a request to a server.
    ///
    /// # Errors
    /// If the size cannot be read, or the storage is no longer the one that was opened.
    async fn current_size(&self) -> Result<u64, BlockError>;

    /// Returns its current size in bytes, measured; may send requests to a server.
    ///
    /// # Errors
    /// As those of [`Self::current_size`], and if there is no answer.
    async fn measure(&self) -> Result<u64, BlockError> {
        self.current_size().await
    }

    /// Returns true if [`Self::measure`] replaces connections. Flush before: writes over the old ones may be
    /// lost otherwise.
    fn reconnects_to_measure(&self) -> bool {
        false
    }

    /// Sets the size that is used from now on, in bytes. The storage must have it, in whole units.
    fn set_size(&self, bytes: u64);

    /// Returns the unit of its I/O in bytes, whatever guests send.
    fn unit(&self) -> u64;

    /// Returns the operations that it supports now, and the reasons for those that it does not. Sends no
    /// request to a server.
    fn capabilities(&self) -> Capabilities;

    /// Returns its details as they are now. Sends no request to a server.
    fn details(&self) -> Details {
        Details::default()
    }

    /// Returns its ability to be scrubbed.
    fn scrub_ability(&self) -> Ability {
        Ability::unable("it has no checksums of its own; scrub the storage below it")
    }

    /// Returns the time from one scrub to the next that it wants, if any.
    fn scrub_interval(&self) -> Option<Duration> {
        None
    }

    /// Reads what it stores and compares checksums, beside its guests, at most so many bytes a second. Writes what it lost again, if `rescue` has
    /// it. Then deletes what it stores and does not need. Gives `progress` the bytes that were read and those in all.
    ///
    /// # Errors
    /// If it cannot be scrubbed, or fails meanwhile.
    async fn scrub(
        &self,
        _host: &LocalHost,
        _rate: u64,
        _progress: &dyn Fn(u64, u64),
        _rescue: &dyn Rescue,
    ) -> Result<ScrubResult> {
        let ability = self.scrub_ability();
        Err(Error::invalid(format!("Cannot scrub it: {}", ability.reason().unwrap_or_default())))
    }

    /// Returns the access to its attributes and marks, for any thread. `location` is where it was opened.
    fn attributes(&self, _location: &Location) -> Arc<dyn Attributes> {
        Arc::new(NoAttributes)
    }

    /// Returns the identity of the snapshot that it is, if its content never changes.
    fn snapshot_id(&self) -> Option<String> {
        None
    }

    /// Returns the reason for which it is lost to this host for good, if it is: another client may have changed it since.
    fn lost(&self) -> Option<String> {
        None
    }

    /// Refuses a snapshot that cannot be made, as far as that is known without asking anybody.
    ///
    /// # Errors
    /// If its kind has no snapshots, or there is one of this name.
    fn check_snapshot(&self, _name: &str) -> Result<()> {
        Err(cannot_change("a snapshot of it cannot be made"))
    }

    /// Does what a snapshot needs and can be done while everything goes on: then the snapshot itself takes less time. What fails is done again
    /// by that.
    async fn prepare_snapshot(&self) {}

    /// Makes a snapshot of what it durably has, which nothing changes meanwhile.
    ///
    /// # Errors
    /// If its kind has no snapshots, there is one of this name, or it fails.
    async fn take_snapshot(&self, _name: &str) -> Result<StorageSnapshot> {
        Err(cannot_change("a snapshot of it cannot be made"))
    }

    /// Deletes a snapshot of it.
    ///
    /// # Errors
    /// If its kind has no snapshots, there is none of this name, it is needed, or the storage fails.
    async fn delete_snapshot(&self, _name: &str) -> Result<()> {
        Err(cannot_change("it has no snapshots"))
    }

    /// Refuses a growth that cannot be, as far as that is known without asking anybody.
    ///
    /// # Errors
    /// If its size is not Forebay's to change, or it cannot have this one.
    fn check_growth(&self, _bytes: u64) -> Result<()> {
        Err(cannot_change("make it larger with its own tools, then run `forebay disk resize`"))
    }

    /// Makes it larger, with nothing in flight that changes it.
    ///
    /// # Errors
    /// If its size is not Forebay's to change, it cannot have this one, or it fails.
    async fn grow(&self, _bytes: u64) -> Result<()> {
        Err(cannot_change("make it larger with its own tools, then run `forebay disk resize`"))
    }

    /// Returns true if it is write-protected at present.
    fn is_write_protected(&self) -> bool {
        false
    }

    /// Returns the lock that is held.
    fn lock(&self) -> Lock {
        Lock::None
    }

    /// Takes the lock of an image that a QEMU had open as well. `location` is where it was opened.
    ///
    /// # Errors
    /// A conflict as long as another program has it open, or that it has no locks. Then nothing has changed.
    fn take_image_lock(&self, location: &Location) -> Result<()> {
        Err(cannot_lock(location, &self.capabilities()))
    }

    /// Releases the lock of an image, so that a QEMU can open it as well. `location` is where it was opened.
    ///
    /// # Errors
    /// The error of the system, or that it has no locks. Then nothing has changed.
    fn give_up_image_lock(&self, location: &Location) -> Result<()> {
        Err(cannot_lock(location, &self.capabilities()))
    }

    /// Ends its use, once nothing is in flight and nobody else uses it: leaves it as others like to find it, within a time.
    async fn close(&self, _host: &LocalHost) {}

    /// Comes to rest for a hand-off: nothing is in flight, and nothing is sent, received or noticed until
    /// [`Self::go_on`]. Dropping the future undoes that. Succeeds once nothing is in flight, if it has
    /// [`Capabilities::shard_move`].
    ///
    /// # Errors
    /// Reason for which only this shard can use it now.
    async fn rest(&self) -> Result<(), BlockError> {
        Ok(())
    }

    /// Resumes after [`Self::rest`], or starts after a hand-off. At most one of all that share a hand-off
    /// may.
    fn go_on(&self) {}

    /// Returns the parts with which another shard can use it; it must be at rest.
    fn hand_off(&self) -> HandOff;

    /// Returns the policy for requests without an answer.
    fn hang(&self) -> HangPolicy;

    /// Changes the time that later requests may take, in nanoseconds; none: without limit.
    fn set_retry_ns(&self, _retry_ns: Option<u64>) {}

    /// Makes it report its own trouble, and the end of that, to a watch.
    fn report_to(&self, _watch: Rc<Watch>) {}
}

fn cannot_change(reason: &str) -> Error {
    Error::invalid(format!("Cannot do that: the backing is not a volume that this host may write; {reason}"))
}

fn cannot_lock(location: &Location, capabilities: &Capabilities) -> Error {
    let reason = capabilities.guest_move.reason().expect("whatever can be locked does so by itself");
    Error::invalid(format!("Cannot lock backing {location}: {reason}"))
}
