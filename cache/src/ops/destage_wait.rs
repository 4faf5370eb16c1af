//! Waiting for destage: who waits for how long, and the error at the end of that time.
//!
//! A waiting task has a deadline of its own, whatever destage does: a destage request at a backing that hangs has no time limit, and there
//! may be thousands of them. The error is the last one of the backing. Dropping such a wait leaves nothing behind: the wanted pages are
//! destaged earlier, once.

use std::ops::Range;
use std::pin::pin;

use block::{BlockError, ErrorKind, Host, Operation};
use futures_util::future::select;

use super::destage_state::Failure;
use super::disk_cache::DiskCache;
use crate::types::env::Env;
use crate::types::units::SECOND_NS;

/// Longest wait of an administrator while destage fails and destages nothing, in nanoseconds.
const FAILING_NS: u64 = 3 * SECOND_NS;
/// Longest wait of an administrator while destage neither destages nor fails anything, in nanoseconds.
const SILENT_NS: u64 = 30 * SECOND_NS;

/// Deadline of a wait.
#[derive(Clone, Copy, Debug)]
pub(super) enum Patience {
    /// A request of a guest that arrived at `since`: waits for the retry time of the disk, as it is set while it waits. As long as destage
    /// works, that time starts again with every destaged page: a slow backing is no error.
    Guest {
        /// Time of arrival.
        since: u64,
    },
    /// A request of a guest that arrived at `since`, and waits for a group of the redo ring: the same, with groups that count.
    Group {
        /// Time of arrival.
        since: u64,
    },
    /// A command that wants everything destaged, given at `since`: waits as long as destage makes progress.
    Administrator {
        /// Time of the command.
        since: u64,
    },
}

impl Patience {
    /// Returns when it ends; none if never.
    fn end<E: Env>(self, cache: &DiskCache<E>) -> Option<u64> {
        let failing_since = cache.back.destage.failure().map(|Failure { since, .. }| since);
        match self {
            Self::Guest { since } => {
                let began = match failing_since {
                    Some(_) => since,
                    None => since.max(cache.back.destage.last_destaged()),
                };
                cache.settings.borrow().retry_ns.map(|retry| began.saturating_add(retry))
            }
            Self::Group { since } => {
                // A group on its way, and destage that makes room for one, are progress as well.
                let progress = cache.consistent.progress_at.get().max(cache.back.destage.last_destaged());
                let began = since.max(progress);
                cache.settings.borrow().retry_ns.map(|retry| began.saturating_add(retry))
            }
            Self::Administrator { since } => {
                let last = since.max(cache.back.destage.last_destaged());
                Some(match failing_since {
                    Some(failing) => last.max(failing) + FAILING_NS,
                    None => last + SILENT_NS,
                })
            }
        }
    }
}

/// Checks that a disk is not being detached: afterwards it is not known any more what is dirty.
///
/// # Errors
/// If it is.
pub(super) fn check_stays<E: Env>(cache: &DiskCache<E>) -> Result<(), BlockError> {
    if cache.leaving.get() {
        let error = BlockError::anywhere(ErrorKind::Io, Operation::Write);
        return Err(error.because("the disk is being detached"));
    }
    Ok(())
}

/// Waits until `is_so`, which only destage or a change of settings makes true.
///
/// # Errors
/// The last error of the backing if the deadline passes first; or if the disk stopped or leaves.
pub(super) async fn wait_until<E: Env>(
    cache: &DiskCache<E>,
    patience: Patience,
    is_so: impl Fn() -> bool,
) -> Result<(), BlockError> {
    loop {
        let progress = cache.back.destage.progress();
        // First of all: what is dirty is forgotten once the disk is left, and looks as if it were destaged.
        check_stays(cache)?;
        if is_so() {
            return Ok(());
        }
        cache.check_alive(Operation::Write)?;
        if let Some(set) = cache.consistent.set() {
            set.end_full_pauses();
        }
        match patience {
            Patience::Guest { .. } => {
                cache.end_pause("guests wrote as much as may be dirty, or a request had to wait for destage");
            }
            Patience::Administrator { .. } => cache.end_pause("another command needs destage"),
            Patience::Group { .. } => {
                if cache.consistent.is_full() {
                    cache.end_pause("the redo ring is full, and the age of what it lacks has a limit");
                } else if cache.consistent.is_to_backing() {
                    cache.end_pause("the age of what the backing lacks has a limit");
                }
            }
        }
        match patience.end(cache) {
            None => progress.await,
            Some(end) if cache.pool.host.now() >= end => return Err(in_vain(cache, patience)),
            Some(end) => _ = select(pin!(progress), pin!(cache.pool.host.sleep_until(end))).await,
        }
    }
}

/// Requests that pages be destaged before anything else, and waits for that.
///
/// # Errors
/// As [`wait_until`].
pub(super) async fn wait_clean<E: Env>(
    cache: &DiskCache<E>,
    since: u64,
    pages: &Range<u64>,
) -> Result<(), BlockError> {
    wait_until(cache, Patience::Guest { since }, || {
        let is_clean = !cache.catalog.can_destage(pages.clone());
        if !is_clean {
            // A round that failed has forgotten its wanted pages.
            cache.back.destage.want(pages.clone());
        }
        is_clean
    })
    .await
}

/// Returns the error of a wait that reached its deadline: the last one of the backing, as an error of the waiting request, no change of
/// which has reached the backing.
fn in_vain<E: Env>(cache: &DiskCache<E>, patience: Patience) -> BlockError {
    if let Patience::Group { .. } = patience {
        let failure = cache
            .consistent
            .failure
            .borrow()
            .as_ref()
            .map_or_else(String::new, |failure| format!(": {failure}"));
        return BlockError::anywhere(ErrorKind::Io, Operation::Write)
            .because(format!("the redo ring takes no group, and its age has a limit{failure}"));
    }
    let (kind, reason) = match cache.back.destage.failure() {
        None => (ErrorKind::Io, "it took nothing for that long".to_owned()),
        Some(Failure { error, .. }) => {
            let kind = match error.kind {
                kind @ (ErrorKind::NoSpace | ErrorKind::ReadOnly | ErrorKind::Gone) => kind,
                _ => ErrorKind::Io,
            };
            let reason = if error.reason.is_empty() { error.kind.to_string() } else { error.reason };
            (kind, reason)
        }
    };
    BlockError::anywhere(kind, Operation::Write)
        .because(format!("the backing does not take the dirty data: {reason}"))
}
