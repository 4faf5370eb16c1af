//! Block devices on this host whose requests a process serves: Linux's ublk.
//!
//! ```text
//!   with privileges:  ADD_DEV ── SET_PARAMS ── open /dev/ublkcN ──────> START_DEV ── ... ── STOP_DEV ── DEL_DEV    control.rs
//!                                                    │ the open file        ^ ready when all tags were fetched
//!   a shard:                                         └──> FETCH each tag ───┘─ request ── COMMIT_AND_FETCH ── ...  queue.rs
//! ```
//! Adding, starting and deleting need `CAP_SYS_ADMIN`; serving needs nothing but the open file. So a command does the former, and a
//! daemon without privileges the latter. Devices are made with user recovery: when the serving process ends, requests wait, and
//! those that it did not answer are given to the next one (`START_USER_RECOVERY`, `END_USER_RECOVERY`).
//!
//! Numbers and layouts are those of `include/uapi/linux/ublk_cmd.h`, the order of commands that of `Documentation/block/ublk.rst`,
//! both of Linux 6.12. Linux 6.4 is the oldest
//! kernel that is served: it numbers commands as ioctls.

mod control;
mod queue;
mod wire;

pub use control::Control;
pub use queue::{Tag, open_queues};
pub use wire::{Attributes, DeviceInfo, DeviceState, IoOperation, IoRequest, Parameters, features};

/// The most queues that [`open_queues`] serves of one device.
pub const QUEUES_MAX: u16 = 64;
/// The most requests of one queue that the kernel lets be in flight (`UBLK_MAX_QUEUE_DEPTH`).
pub const DEPTH_MAX: u16 = 4096;
/// The most bytes of one request that [`open_queues`] makes room for.
pub const REQUEST_BYTES_MAX: u32 = 1 << 20;
