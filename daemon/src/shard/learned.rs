//! Learned state of disks in `DIR/learned`, while they are not served: worth of their blocks, ghosts, and curves.
//!
//! It is saved when a disk is detached, and now and then in between, for a kill. None of it is needed: what cannot be written or read is
//! learned again, with a line in the log.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::rc::Weak;

use base::aside::Aside;
use base::bounded;
use block::Host;
use block::executor::LocalHost;

use super::disk::{Cached, Disk};
use crate::places::Places;

/// Time between two saves at least, in nanoseconds: a quarter of an hour.
const INTERVAL_MIN_NS: u64 = 900_000_000_000;
/// Bytes that saving writes in a second, in the long run: what is written much is saved less often.
const BYTES_PER_SECOND: u64 = 30 << 10;
/// More is not what was saved.
const BYTES_MAX: u64 = 1 << 30;

/// The file in which it is saved what was learned of a disk.
#[derive(Clone)]
pub(super) struct LearnedFile {
    path: PathBuf,
    aside: Aside,
}

impl LearnedFile {
    /// Returns the file of the disk with this number. It need not be there.
    pub(super) fn new(places: &Places, aside: &Aside, id: u32) -> Self {
        Self { path: places.learned(id), aside: aside.clone() }
    }

    /// Has a disk that was just attached go on with what was saved of it, if that counts.
    pub(super) async fn restore(&self, name: &str, cached: &Cached) {
        let path = self.path.clone();
        let reading = move || match bounded::read(&path, BYTES_MAX) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            read => read.map(Some),
        };
        let restored = match self.aside.run(reading).await {
            Ok(Ok(None)) => return,
            Ok(Ok(Some(saved))) => cached.restore_learned(&saved).map_err(|malformed| malformed.to_string()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(problem) => Err(problem.to_string()),
        };
        if let Err(reason) = restored {
            let path = self.path.display();
            tracing::info!("What was learned of disk '{name}' is learned again: {path}: {reason}");
        }
    }

    /// Saves what was learned of a disk. Returns how many bytes that are.
    pub(super) async fn save(&self, name: &str, cached: &Cached) -> u64 {
        let saved = cached.save_learned().await;
        let (bytes, path) = (saved.len() as u64, self.path.clone());
        let written = self.aside.run(move || write(&path, &saved)).await;
        let failed = match written {
            Ok(Ok(())) => return bytes,
            Ok(Err(error)) => error.to_string(),
            Err(problem) => problem.to_string(),
        };
        tracing::warn!("Cannot save what was learned of disk '{name}' in {}: {failed}", self.path.display());
        bytes
    }

    /// Removes the file of a disk that is gone for good.
    pub(super) async fn remove(&self) {
        let path = self.path.clone();
        if let Ok(Err(error)) = self.aside.run(move || fs::remove_file(path)).await
            && error.kind() != ErrorKind::NotFound
        {
            tracing::warn!("Cannot remove {}: {error}. It is not needed any more", self.path.display());
        }
    }

    /// Saves what is learned of a disk now and then, as long as it is attached here.
    pub(super) async fn keep_saving(self, host: LocalHost, name: String, disk: Weak<Disk>) {
        let mut bytes = 0;
        loop {
            host.sleep(interval_ns(bytes)).await;
            let Some(disk) = disk.upgrade().filter(|disk| !disk.leaving.get()) else { return };
            bytes = self.save(&name, &disk.cached).await;
        }
    }
}

/// Writes a file as a whole. Power that goes may leave none, or one whose checksum does not hold: no more is needed of it.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&new, bytes)?;
    fs::rename(&new, path)
}

/// Returns the time until the next save, in nanoseconds, after one of so many bytes.
fn interval_ns(bytes: u64) -> u64 {
    (bytes / BYTES_PER_SECOND).saturating_mul(1_000_000_000).max(INTERVAL_MIN_NS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_large_is_saved_less_often() {
        assert_eq!(interval_ns(0), INTERVAL_MIN_NS);
        assert_eq!(interval_ns(13 << 20), INTERVAL_MIN_NS);
        assert_eq!(interval_ns(256 << 20), 8_738 * 1_000_000_000);
    }
}
