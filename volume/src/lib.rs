//! Volumes: disks as logs of objects in an object store.
//!
//! Source: LSVD (Hajkazemi and others, EuroSys 2022).

mod store;

pub use store::{LIST_NAMES_MAX, Listed, Store, StoreError, StoreErrorKind};
