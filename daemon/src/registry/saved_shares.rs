//! `DIR/shares.json`: the shares of disks in RAM and flash, so that a restart begins from them and not from equal parts.
//!
//! ```text
//!   every round, and a stop: shares that changed ──> shares.json        start: shares.json ── same pool? ──> first shares
//! ```
//! None of it is needed: without a file that can be read, of this pool, disks begin with equal parts. Rounds do not wait for the file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use base::patience::within;
use base::store::Store;
use base::store::format::{self, FileFormat};
use serde::{Deserialize, Serialize};
use tokio::sync::OwnedMutexGuard;

use super::counting::STOP_TIME_MAX;
use super::{Registry, lock};
use crate::state::PoolRecord;

const NAMES: &[&str] = &["shares.json"];
const FORMAT: FileFormat = FileFormat { name: NAMES[0], schema: 1, checked_since: 1 };

/// Shares of disks, as they are saved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedShares {
    schema: u64,
    /// Identity of the pool that was divided.
    pool: String,
    /// RAM of all disks together in bytes; none if it was not divided.
    pub(super) ram_budget_bytes: Option<u64>,
    /// RAM in bytes of the disks that took part, by number.
    pub(super) ram: BTreeMap<u32, u64>,
    /// Flash in bytes of the disks that shared it, by number.
    pub(super) flash: BTreeMap<u32, u64>,
}

/// State of the file. Locked while it is written.
#[derive(Debug, Default)]
pub(super) struct SharesFile {
    written: SavedShares,
    /// True if the last attempt to write it failed.
    is_failing: bool,
}

impl SharesFile {
    /// Returns the state of a file that has these shares.
    pub(super) fn with(written: SavedShares) -> Self {
        Self { written, is_failing: false }
    }
}

impl SavedShares {
    /// Reads the shares of this pool. There are none if nothing was saved of it, or nothing that can be read; such a file is set aside.
    pub(super) fn load(dir: &Path, pool: Option<&PoolRecord>) -> Self {
        let (saved, unread) = FORMAT.load_or_set_aside(dir, |_, document| {
            serde_json::from_value::<Self>(document).map_err(|error| error.to_string())
        });
        if let Some(reason) = unread {
            tracing::warn!("Disks begin with equal parts of RAM and flash: {reason}");
        }
        if pool.is_some_and(|pool| pool.id == saved.pool) { saved } else { Self::default() }
    }

    fn is_empty(&self) -> bool {
        self.ram.is_empty() && self.flash.is_empty()
    }

    /// Writes the shares unless the file has them. The first of several failures is logged.
    async fn write(self, store: Store, mut file: OwnedMutexGuard<SharesFile>) {
        if file.written == self || file.written.is_empty() && self.is_empty() {
            return;
        }
        let replaced = store.replace(NAMES, format::text(&self)).await;
        if let Err(problem) = replaced.as_ref()
            && !file.is_failing
        {
            tracing::warn!(
                "Cannot save {}: {}; a restart begins with earlier shares of RAM and flash",
                store.dir().join(FORMAT.name).display(),
                problem.error
            );
        }
        file.is_failing = replaced.is_err();
        if replaced.is_ok() {
            file.written = self;
        }
    }
}

impl Registry {
    /// Writes the shares of disks if they changed, without waiting for that. While an earlier write is under way, nothing is written.
    pub(super) fn save_shares_aside(&self) {
        if let Ok(written) = Arc::clone(&self.saving_shares).try_lock_owned() {
            tokio::spawn(self.shares_now().write(self.store().clone(), written));
        }
    }

    /// Writes the shares of disks at the end of the process, which waits for a moment only.
    pub(super) async fn save_shares_in_time(&self) {
        let writing = async {
            let written = Arc::clone(&self.saving_shares).lock_owned().await;
            self.shares_now().write(self.store().clone(), written).await;
        };
        if within(STOP_TIME_MAX, writing).await.is_err() {
            tracing::warn!(
                "The last shares of disks in RAM and flash may not be kept: writing them takes too long"
            );
        }
    }

    fn shares_now(&self) -> SavedShares {
        let pool = self.remembered.read(|state| state.pool.as_ref().map(|pool| pool.id.clone()));
        let mut saved =
            SavedShares { schema: FORMAT.schema, pool: pool.unwrap_or_default(), ..SavedShares::default() };
        lock(&self.ram_shares).save_into(&mut saved);
        lock(&self.flash_shares).save_into(&mut saved);
        saved
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use base::testing::{TempDir, run};
    use tokio::sync::Mutex;

    use super::*;

    fn pool(id: &str) -> PoolRecord {
        PoolRecord::new("/srv/own.pool".into(), id.to_owned(), false)
    }

    fn shares() -> SavedShares {
        SavedShares {
            schema: FORMAT.schema,
            pool: "a1".to_owned(),
            ram_budget_bytes: Some(16 << 20),
            ram: BTreeMap::from([(1, 12 << 20), (2, 4 << 20)]),
            flash: BTreeMap::from([(1, 1 << 20), (2, 63 << 20)]),
        }
    }

    #[test]
    fn saved_shares_are_those_of_their_pool_alone() {
        let dir = TempDir::new();
        assert_eq!(SavedShares::load(dir.path(), Some(&pool("a1"))), SavedShares::default());
        let store = Store::start(dir.path()).expect("there are threads");
        run(async {
            let file = Arc::new(Mutex::new(SharesFile::default()));
            shares().write(store, Arc::clone(&file).lock_owned().await).await;
            assert_eq!(file.lock().await.written, shares());
        });
        assert_eq!(SavedShares::load(dir.path(), Some(&pool("a1"))), shares());
        assert_eq!(SavedShares::load(dir.path(), Some(&pool("b2"))), SavedShares::default());
        assert_eq!(SavedShares::load(dir.path(), None), SavedShares::default());
    }

    #[test]
    fn a_file_that_cannot_be_read_counts_as_none_and_is_set_aside() {
        let dir = TempDir::new();
        let path = dir.path().join(NAMES[0]);
        for text in ["{", "{\"schema\": 9}", "{\"schema\": 1, \"checksum\": \"edited\", \"ram\": 3}"] {
            fs::write(&path, text).expect("the folder is ours");
            assert_eq!(SavedShares::load(dir.path(), Some(&pool("a1"))), SavedShares::default(), "{text}");
            assert!(!path.exists(), "{text}");
        }
    }
}
