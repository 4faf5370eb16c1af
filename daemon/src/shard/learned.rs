//! Learned state of disks in `DIR/learned`, while they are not served: worth of their blocks, ghosts, and curves.
//!
//! It is saved when a disk is detached, and now and then in between, for a kill. None of it is needed: what cannot be written or read is
//! learned again, with a line in the log.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::rc::{Rc, Weak};

use base::blocking_pool::BlockingPool;
use base::bounded;
use block::Host;
use block::executor::LocalHost;
use cache::{LearnedShape, LearnedState};
use futures_util::future::{Either, select};
use tokio::sync::Mutex;

use super::disk::{Cached, Disk};
use crate::places::Places;

/// Time between two saves at least, in nanoseconds: a quarter of an hour.
const INTERVAL_MIN_NS: u64 = 900_000_000_000;
/// Bytes that saving writes in a second, in the long run: what is written much is saved less often.
const BYTES_PER_SECOND: u64 = 30 << 10;
/// Bytes of a larger file are not those of a disk.
const BYTES_MAX: u64 = 256 << 20;
/// Time that saving may take of a stop, in nanoseconds: what was saved before stays else.
const AT_STOP_MAX_NS: u64 = 1_000_000_000;

/// The file with the learned state of a disk.
pub(super) struct LearnedFile {
    path: PathBuf,
    blocking: BlockingPool,
    /// Held while it is written or removed.
    writing: Mutex<()>,
}

impl LearnedFile {
    /// Returns the file of the disk with this number. It need not be there.
    pub(super) fn new(places: &Places, blocking: &BlockingPool, id: u32) -> Self {
        Self { path: places.learned(id), blocking: blocking.clone(), writing: Mutex::default() }
    }

    /// Reads what was saved of a disk that is about to be attached with this shape. None if there is nothing, or nothing that can be read.
    pub(super) async fn read(&self, name: &str, shape: LearnedShape) -> Option<LearnedState> {
        let path = self.path.clone();
        let reading = move || match bounded::read(&path, BYTES_MAX) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
            Ok(saved) => {
                LearnedState::decode(&saved, &shape).map(Some).map_err(|malformed| malformed.to_string())
            }
        };
        let read = self.blocking.run(reading).await.unwrap_or_else(|problem| Err(problem.to_string()));
        read.unwrap_or_else(|reason| {
            let path = self.path.display();
            tracing::info!("What was learned of disk '{name}' is learned again: {path}: {reason}");
            None
        })
    }

    /// Returns what is to be saved of a disk that is about to be detached. None if that takes long.
    pub(super) async fn state_at_stop(host: &LocalHost, cached: &Cached) -> Option<Vec<u8>> {
        match select(pin!(cached.save_learned()), pin!(host.sleep(AT_STOP_MAX_NS))).await {
            Either::Left((saved, _)) => saved,
            Either::Right(_) => None,
        }
    }

    /// Writes what is to be saved of a disk that was detached. Waits not much longer than a second; the file is written all the same.
    pub(super) async fn write_at_stop(&self, host: &LocalHost, name: &str, saved: Option<Vec<u8>>) {
        let Some(saved) = saved else { return };
        let writing = pin!(async {
            let _writing = self.writing.lock().await;
            self.write(name, saved).await;
        });
        select(writing, pin!(host.sleep(AT_STOP_MAX_NS))).await;
    }

    /// Removes the file of a disk that is gone for good.
    pub(super) async fn remove(&self) {
        let _writing = self.writing.lock().await;
        let path = self.path.clone();
        let removing = move || {
            // A kill may have left one that was not complete.
            drop(fs::remove_file(new_of(&path)));
            fs::remove_file(path)
        };
        if let Ok(Err(error)) = self.blocking.run(removing).await
            && error.kind() != ErrorKind::NotFound
        {
            tracing::warn!("Cannot remove {}: {error}. It is not needed any more", self.path.display());
        }
    }

    /// Saves what is learned of a disk now and then, as long as it is attached here. Keeps neither the disk nor its backing meanwhile.
    pub(super) async fn keep_saving(self: Rc<Self>, host: LocalHost, name: String, disk: Weak<Disk>) {
        let served = || disk.upgrade().filter(|disk| !disk.leaving.get());
        let mut bytes = 0;
        loop {
            host.sleep(interval_ns(bytes)).await;
            let Some(saving) = served().map(|disk| disk.cached.save_learned()) else { return };
            let Some(saved) = saving.await else { return };
            bytes = saved.len() as u64;
            let _writing = self.writing.lock().await;
            // One that leaves is saved as it ends, or its file was removed.
            if served().is_none() {
                return;
            }
            self.write(&name, saved).await;
        }
    }

    async fn write(&self, name: &str, saved: Vec<u8>) {
        let path = self.path.clone();
        let written = self.blocking.run(move || write(&path, &saved)).await;
        let failed = match written {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(problem) => problem.to_string(),
        };
        tracing::warn!("Cannot save what was learned of disk '{name}' in {}: {failed}", self.path.display());
    }
}

/// Writes a file as a whole, without waiting until that is durable: a stop has many of them. Power that goes may leave none, or one whose
/// checksum does not hold; then the disk learns again.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = new_of(path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&new, bytes)?;
    fs::rename(&new, path)
}

/// Returns the path of a file while it is written.
fn new_of(path: &Path) -> PathBuf {
    path.with_extension("new")
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
