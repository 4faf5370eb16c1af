//! The needs of a disk of the storage below it, besides I/O. Each kind of storage has a file of its own: `file.rs`, `model.rs`, `nbd.rs`.

use std::io;
use std::rc::Rc;

use block::file::FileDevice;
use block::patient::{Hang, Watch};
use block::{BlockDevice, BlockError};

use super::Identity;
use super::kinds::HandOff;

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

    /// Uses so many bytes of it from now on, which it has: whole units of its own.
    fn set_size(&self, bytes: u64);

    /// Returns the unit in bytes that it reads and writes in, whatever guests do.
    fn unit(&self) -> u64;

    /// Returns the open file or block device of this host, which has attributes and locks; none if it is elsewhere.
    fn file(&self) -> Option<&FileDevice>;

    /// Returns true if [`Self::rest`] would succeed once nothing is in flight, and another shard may use it.
    fn can_rest(&self) -> bool;

    /// Comes to rest for a hand-off: nothing is in flight, and nothing is sent, received or noticed until [`Self::go_on`]. Dropping the
    /// future takes that back.
    ///
    /// # Errors
    /// Reason for which only this shard can use it now.
    async fn rest(&self) -> Result<(), BlockError> {
        Ok(())
    }

    /// Goes on after [`Self::rest`], or begins where it was handed to. Of all that was handed off from one, one at most may.
    fn go_on(&self) {}

    /// Returns what another shard needs to use it; it must be at rest.
    ///
    /// # Errors
    /// If there are too many open files.
    fn hand_off(&self) -> io::Result<HandOff>;

    /// True if something keeps others from changing it, now and while nobody serves it.
    fn is_guarded(&self) -> bool;

    /// Returns who ends a request that is not answered.
    fn hang(&self) -> Hang;

    /// Changes how long later requests may take, in nanoseconds; none: for ever.
    fn set_retry_ns(&self, _retry_ns: Option<u64>) {}

    /// Has it report its own trouble, and the end of it.
    fn report_to(&self, _watch: Rc<Watch>) {}
}
