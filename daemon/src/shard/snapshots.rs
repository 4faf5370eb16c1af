//! Changes of a backing as a whole under the guests of its disk: snapshots, and growth.
//!
//! ```text
//! what was acknowledged before is on the backing, as of one time ── the backing does it, and nothing changes it meanwhile ── destage goes on
//! ```
//! Guests go on meanwhile, and write back.

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;

use base::error::{Error, Result};
use block::{BlockError, ErrorKind, Host};
use futures_util::future::{Either, select};
use tokio::sync::Notify;

use super::ShardHandle;
use super::disk::{Disk, explain, not_attached};
use crate::backing::StorageSnapshot;

/// Longest time for the growth of a backing once it has begun, in nanoseconds: other changes of the disk wait for it.
const GROWTH_NS_MAX: u64 = 10_000_000_000;
/// Longest time until it begins, in nanoseconds: what guests wrote before goes to the backing first, as fast as that takes it.
const SETTLING_NS_MAX: u64 = 600_000_000_000;

/// Reason for which a growth has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Late {
    /// It never begins.
    NotBegun,
    /// It may end later.
    Unfinished,
}

impl ShardHandle {
    /// Makes a snapshot of the backing of a disk, with everything that was acknowledged before.
    ///
    /// # Errors
    /// If it is not attached, or what is dirty cannot be destaged; those of the backing.
    pub(super) async fn take_snapshot(&self, name: String, snapshot: String) -> Result<StorageSnapshot> {
        self.call(move |shard| async move {
            let disk = shard.disk(&name).ok_or_else(|| not_attached(&name))?;
            // Before anything is destaged for it.
            disk.cached.backing().check_snapshot(&snapshot)?;
            disk.cached.backing().prepare_snapshot().await;
            let ours = Rc::clone(&disk);
            let work = async move { ours.cached.backing().take_snapshot(&snapshot).await };
            let settled = disk.cached.with_settled_backing(work).await;
            let (taken, as_of) = settled.map_err(|error| unsettled(&name, "make a snapshot of", &error))?;
            let taken = taken?;
            // The backing knows when it got the group, and not of when that is.
            Ok(StorageSnapshot { as_of: as_of.unwrap_or(taken.as_of), ..taken })
        })
        .await?
    }

    /// Deletes a snapshot of the backing of a disk.
    ///
    /// # Errors
    /// If the disk is not attached; those of the backing.
    pub(super) async fn delete_snapshot(&self, name: String, snapshot: String) -> Result<()> {
        self.call(move |shard| async move {
            let disk = shard.disk(&name).ok_or_else(|| not_attached(&name))?;
            disk.cached.backing().delete_snapshot(&snapshot).await
        })
        .await?
    }

    /// Makes the backing of a disk larger. The disk has its size until it is resized as well.
    ///
    /// # Errors
    /// As [`Self::take_snapshot`]; or if the disk cannot have this size. Then nothing has changed. If it begins later
    /// than [`SETTLING_NS_MAX`]: then it never does. If it then takes longer than [`GROWTH_NS_MAX`]: then the backing may become larger later.
    /// The disk goes on as it is.
    pub(super) async fn grow_backing(&self, name: String, bytes: u64) -> Result<()> {
        self.call(move |shard| async move {
            let disk = shard.disk(&name).ok_or_else(|| not_attached(&name))?;
            disk.cached.backing().check_growth(bytes)?;
            let reserve_bytes = disk.cached.settings().reserve_bytes;
            let checked = shard.cache().check_size(&disk.cached, bytes);
            checked.map_err(|error| explain(&name, &error, reserve_bytes))?;
            let ours: Rc<Disk> = Rc::clone(&disk);
            let is_over = Rc::new(Cell::new(false));
            let is_late = Rc::clone(&is_over);
            let begun = Rc::new(Notify::new());
            let (begins, refused) = (Rc::clone(&begun), late(&name, Late::NotBegun));
            let work = async move {
                // Not begun for a caller that is gone.
                if is_late.get() {
                    return Err(refused);
                }
                begins.notify_one();
                ours.cached.backing().grow(bytes).await
            };
            let settled = shard.host.to_its_end(async move { disk.cached.with_settled_backing(work).await });
            match in_time(&shard.host, settled, &begun).await {
                Ok(settled) => settled.map_err(|error| unsettled(&name, "resize", &error))?.0,
                Err(why) => {
                    is_over.set(true);
                    Err(late(&name, why))
                }
            }
        })
        .await?
    }
}

/// Waits for a growth, which announces that it begins.
///
/// # Errors
/// If it does not begin or end in time.
async fn in_time<T>(
    host: &impl Host,
    growth: impl Future<Output = T>,
    begun: &Notify,
) -> std::result::Result<T, Late> {
    let (mut growth, begins) = (pin!(growth), pin!(begun.notified()));
    let begins = select(begins, Box::pin(host.sleep(SETTLING_NS_MAX)));
    match select(&mut growth, begins).await {
        Either::Left((done, _)) => return Ok(done),
        Either::Right((Either::Left(_), _)) => {}
        Either::Right((Either::Right(_), _)) => return Err(Late::NotBegun),
    }
    match select(growth, pin!(host.sleep(GROWTH_NS_MAX))).await {
        Either::Left((done, _)) => Ok(done),
        Either::Right(_) => Err(Late::Unfinished),
    }
}

fn late(name: &str, why: Late) -> Error {
    const SECOND: u64 = 1_000_000_000;
    let problem = match why {
        Late::NotBegun => format!(
            "what guests wrote before did not reach its backing within {} s. Nothing was changed",
            SETTLING_NS_MAX / SECOND
        ),
        Late::Unfinished => format!(
            "its backing took longer than {} s. The disk goes on in its size, and its backing may become larger once it answers",
            GROWTH_NS_MAX / SECOND
        ),
    };
    Error::unavailable(format!(
        "Cannot resize disk '{name}': {problem}; see `forebay disk show {name}`, and try again"
    ))
}

fn unsettled(name: &str, operation: &str, error: &BlockError) -> Error {
    let message = format!(
        "Cannot {operation} disk '{name}': what guests wrote before cannot be brought to its backing now ({error}). Nothing was changed; see \
         `forebay disk show {name}`, and try again"
    );
    if error.kind == ErrorKind::Corrupt { Error::conflict(message) } else { Error::unavailable(message) }
}

#[cfg(test)]
mod tests {
    use block::executor::{Executor, Order, VirtualTime};

    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// Returns the result of a growth that begins and ends after so many seconds, and the second of that.
    fn grow(begins: u64, takes: u64) -> (std::result::Result<(), Late>, u64) {
        let executor = Executor::new(VirtualTime::new(), Order::Fifo);
        let host = executor.host();
        let done = executor.run(async {
            let begun = Notify::new();
            let growth = async {
                host.sleep(begins * SECOND).await;
                begun.notify_one();
                host.sleep(takes * SECOND).await;
            };
            (in_time(&host, growth, &begun).await, host.now() / SECOND)
        });
        done.expect("there are timers")
    }

    #[test]
    fn the_time_of_a_growth_counts_from_its_beginning() {
        assert_eq!(grow(0, 9), (Ok(()), 9));
        assert_eq!(grow(100, 9), (Ok(()), 109), "a store that is slower than guests");
        assert_eq!(grow(100, 11), (Err(Late::Unfinished), 110));
        assert_eq!(grow(700, 0), (Err(Late::NotBegun), 600));
    }

    #[test]
    fn a_growth_that_may_land_later_has_other_words_than_one_that_never_begins() {
        let [never, later] = [Late::NotBegun, Late::Unfinished].map(|why| late("web1", why).message);
        assert!(never.contains("Nothing was changed") && !never.contains("may become"), "{never}");
        assert!(later.contains("may become larger") && !later.contains("Nothing"), "{later}");
    }
}
