//! The environment of a cache: the types that its user supplies.

use block::{BlockDevice, Host};

/// The types that a cache is generic over, as one parameter. A tuple of the three is one.
pub trait Env: 'static {
    /// The device behind each disk.
    type Backing: BlockDevice;
    /// A device of the pool.
    type Flash: BlockDevice;
    /// Clock, tasks and chance of the thread.
    type Host: Host;
}

impl<B: BlockDevice, F: BlockDevice, H: Host> Env for (B, F, H) {
    type Backing = B;
    type Flash = F;
    type Host = H;
}
