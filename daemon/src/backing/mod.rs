//! Backings: the slow storage of disks, from a location to an open device.
//!
//! ```text
//!   "file:web.img" ──Location──> is it raw? (probe) ──> Backing::open; blocking parts run off the shard
//! ```
//! The trait in `storage.rs` is common to all kinds of storage; each has a file of its own in `kinds`, which lists them.
//!
//! Opening and attaching change nothing in a backing. A file or device is locked as QEMU locks images, so
//! that neither QEMU nor a second Forebay opens it as well; NBD has no locks.

mod capabilities;
mod details;
mod device;
mod identity;
mod kinds;
mod monitor;
mod probe;
mod scrub;
mod snapshot;
mod stack;
mod storage;
mod unopened;
mod uri;
mod users;

use std::path::Path;

use base::rights::own_user;

pub(crate) use capabilities::{Ability, Capabilities, NamedAbility};
pub(crate) use details::{BackingWarning, Details, Property, PropertyValue};
pub(crate) use device::{Backing, BackingHandle, Opening};
pub(crate) use identity::Identity;
pub(crate) use kinds::{
    Location, VolumeUser, check_free, command_owner, is_left_behind, open_read_only, probe_on_ring,
    refused_volume, scrub_volume,
};
pub(crate) use monitor::{BackingMonitor, MONITOR_THREADS_MAX, MonitoredBacking};
pub(crate) use probe::Images;
pub(crate) use scrub::{DamagedPart, Rescue, Rescued, SCRUB_RATE, ScrubResult};
pub(crate) use snapshot::StorageSnapshot;
pub(crate) use stack::KernelFolders;
pub(crate) use users::{OwnStorage, OwnUse, StorageUser, USERS_TIME_MAX, WantedStorage, paths_of};

/// Returns advice for a backing that the daemon may not open. "Permission denied" alone reads as if it were
/// about the user who typed the command.
fn let_in(path: &Path) -> String {
    let (user, path) = (own_user(), path.display());
    if user == "root" {
        return "the daemon runs as root, which no file mode keeps out: see whether its systemd unit (DeviceAllow, ReadWritePaths, \
                CapabilityBoundingSet), its container, a security module (AppArmor, SELinux) or an immutable file (chattr +i) does"
            .to_owned();
    }
    format!(
        "the daemon runs as user '{user}'; `setfacl -m u:{user}:rw {path}` gives it access to this file; it needs \
         search permission for the folders above"
    )
}
