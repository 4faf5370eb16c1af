//! The needs of a disk of the storage below it, besides I/O. Each kind of storage has a file of its own in `kinds`.

use std::rc::Rc;
use std::sync::Arc;

use base::problem::{Answer, Problem};
use block::file::Lock;
use block::patient::{Hang, Watch};
use block::{BlockDevice, BlockError};

use super::kinds::{HandOff, Location};
use super::{Capabilities, Identity};
use crate::past::{Attributes, NoAttributes};

/// Storage of one kind that is open. Belongs to the thread of its ring.
pub(super) trait Storage: BlockDevice {
    /// Returns which storage it is.
    fn identity(&self) -> Identity;

    /// Returns the size in bytes that it has now, without asking anybody who may be away.
    ///
    /// # Errors
    /// If that cannot be found out, or it is not what was opened any more.
    async fn current_size(&self) -> Result<u64, BlockError>;

    /// Returns the size in bytes that it has now, asked of whoever knows.
    ///
    /// # Errors
    /// As those of [`Self::current_size`], and if nobody answers.
    async fn measure(&self) -> Result<u64, BlockError> {
        self.current_size().await
    }

    /// Returns true if [`Self::measure`] replaces connections: what was written over them is to be flushed before.
    fn reconnects_to_measure(&self) -> bool {
        false
    }

    /// Uses so many bytes of it from now on, which it has: whole units of its own.
    fn set_size(&self, bytes: u64);

    /// Returns the unit in bytes that it reads and writes in, whatever guests do.
    fn unit(&self) -> u64;

    /// Returns what it can do now, and why it cannot do the rest. Asks nobody who may be away.
    fn capabilities(&self) -> Capabilities;

    /// Returns who answers for the look and the marks of it, on any thread. `location` is where it was opened.
    fn attributes(&self, _location: &Location) -> Arc<dyn Attributes> {
        Arc::new(NoAttributes)
    }

    /// Returns true if the system lets nobody write it at present.
    fn is_write_protected(&self) -> bool {
        false
    }

    /// Returns the lock that is held.
    fn lock(&self) -> Lock {
        Lock::None
    }

    /// Takes the lock of an image that was opened beside a QEMU. `location` is where it was opened.
    ///
    /// # Errors
    /// A conflict as long as somebody else has it open, or that it has no locks. Then nothing has changed.
    fn take_image_lock(&self, location: &Location) -> Answer<()> {
        Err(cannot_lock(location, &self.capabilities()))
    }

    /// Gives the lock of an image up, so that a QEMU can open it beside us. `location` is where it was opened.
    ///
    /// # Errors
    /// What the system said, or that it has no locks. Then nothing has changed.
    fn give_up_image_lock(&self, location: &Location) -> Answer<()> {
        Err(cannot_lock(location, &self.capabilities()))
    }

    /// Comes to rest for a hand-off: nothing is in flight, and nothing is sent, received or noticed until [`Self::go_on`]. Dropping the
    /// future takes that back. Succeeds once nothing is in flight if it has [`Capabilities::shard_move`].
    ///
    /// # Errors
    /// Reason for which only this shard can use it now.
    async fn rest(&self) -> Result<(), BlockError> {
        Ok(())
    }

    /// Goes on after [`Self::rest`], or begins where it was handed to. Of all that was handed off from one, one at most may.
    fn go_on(&self) {}

    /// Returns what another shard needs to use it; it must be at rest.
    fn hand_off(&self) -> HandOff;

    /// Returns who ends a request that is not answered.
    fn hang(&self) -> Hang;

    /// Changes how long later requests may take, in nanoseconds; none: for ever.
    fn set_retry_ns(&self, _retry_ns: Option<u64>) {}

    /// Has it report its own trouble, and the end of it.
    fn report_to(&self, _watch: Rc<Watch>) {}
}

fn cannot_lock(location: &Location, capabilities: &Capabilities) -> Problem {
    let reason = capabilities.guest_move.reason().expect("whatever can be locked does so by itself");
    Problem::invalid(format!("Cannot lock backing {location}: {reason}"))
}
