//! The disks that are attached on one shard.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::disk_cache::DiskCache;
use crate::types::units::DiskId;

/// The disks of a pool that this shard has, by number.
pub(crate) type Disks<E> = RefCell<BTreeMap<DiskId, Rc<DiskCache<E>>>>;
