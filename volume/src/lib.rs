//! Volumes: disks as logs of objects in an object store.
//!
//! ```text
//! guest's changes ── groups ── objects of about 8 MiB: what changed, compressed, with checksums ── the map: where each page is now
//! ```
//! A **group** is what completed between two flushes. It counts when all its objects are there, the last one says that it is the end, and
//! no other host has taken the volume meanwhile. So the store holds the disk as of one instant, always, and a host that opens it finds the
//! last group that was confirmed, or a later one, and never a mix.
//!
//! An **epoch** is taken by each host that opens a volume for writing. Every object is created exclusively under a name that its epoch is a
//! part of, so hosts never write the same object, and the one that was overtaken notices before it confirms anything.
//!
//! A **snapshot** is a checkpoint that stays under a name, with the objects that it needs. A **clone** is a volume that reads through a snapshot
//! where it has no content of its own.
//! A volume may **deduplicate**: a page whose content is in the store already, wherever, becomes a reference to that.
//!
//! The crate makes no system call and reads no clock; a store is a trait. Sizes are bytes unless they are named pages, of 4096 bytes.
//!
//! Source: LSVD (Hajkazemi and others, "Beating the I/O bottleneck: a case for log-structured virtual disks", `EuroSys` 2022), for the log of
//! objects, the map and its checkpoints; the log-structured file system (Rosenblum and Ousterhout, 1992) for cleaning.

mod base;
mod calls;
mod canary;
mod check;
mod checkpoint;
mod chunk;
mod clones;
mod commit;
mod content;
mod copies;
mod deduplication;
mod epoch;
mod error;
mod fingerprints;
mod garbage;
mod group;
mod inherited;
mod load;
mod manage;
mod map;
mod map_scrub;
mod mark;
mod names;
mod object;
mod objects;
mod pins;
mod range_map;
mod read;
mod read_ahead;
mod read_buffer;
mod record;
mod references;
mod repair;
mod scrub;
mod settings;
mod snapshots;
mod state;
mod store;
mod upkeep;
mod volume;

pub use base::{Base, DeviceBase, open_parent};
pub use canary::Bug;
#[cfg(debug_assertions)]
pub use canary::plant;
pub use chunk::Compression;
pub use clones::create_clone;
pub use error::VolumeError;
pub use garbage::CollectReport;
pub use manage::{CheckReport, VolumeOptions, VolumeSummary, check, create, delete, fence, list, peek};
pub use mark::{Mark, Marks, Owner};
pub use names::{SnapshotId, VolumeId, check_name};
pub use repair::{Rescue, Rescued};
pub use scrub::{DamagedObject, ScrubReport};
pub use settings::VolumeSettings;
pub use snapshots::{Parent, SnapshotSummary, snapshots};
pub use state::VolumeStatistics;
pub use store::{LIST_NAMES_MAX, Listed, Store, StoreError, StoreErrorKind};
pub use volume::Volume;
