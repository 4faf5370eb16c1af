//! Write-back of a disk: whether writes go to the log, which holders keep data from becoming dirty, and whether flash records that
//! something may be dirty. Its state is in `write_back_state.rs`.
//!
//! Waits are in [`Hold::clean`] (destage, by way of `destage_wait`), [`wait_until_known`] (the load of the disk), [`mark_dirty`] and
//! [`mark_clean`] (flash). All else takes effect in one step.

use std::rc::Rc;

use block::{BlockError, ErrorKind, Host, Operation};

use super::destage_wait::{Patience, wait_until};
use super::disk_cache::DiskCache;
use super::settle_log::settle_destaged;
use crate::state::catalog::ALL_PAGES;
use crate::types::canary::{self, Bug};
use crate::types::env::Env;
use crate::types::limits::PAGE_BYTES;

/// Guard: while it lives, nothing becomes dirty, and destage goes on until nothing is.
pub(crate) struct Hold<E: Env> {
    cache: Rc<DiskCache<E>>,
}

/// A write that goes to the log, until it has ended.
pub(super) struct Writer<E: Env> {
    cache: Rc<DiskCache<E>>,
    pages: u64,
}

impl<E: Env> DiskCache<E> {
    /// Returns true if writes of guests are acknowledged once flash has them.
    pub(crate) fn writes_back(&self) -> bool {
        let wanted = self.settings.borrow().mode.row().writes_back && !self.back.destage.is_held();
        wanted && self.can_write_back() && self.consistent.lets_write_back()
    }

    /// Returns true if the log takes writes of guests. It does not once the disk's content on flash is recorded elsewhere as void: the next
    /// start would trust none of it.
    pub(crate) fn can_write_back(&self) -> bool {
        let is_believed = !self.pool.is_failed() && self.flash_void.get().is_none();
        is_believed && !self.is_loading() && !self.leaving.get()
    }

    /// Returns true if nothing on flash is dirty, as far as is known, and no writer is about to make it so.
    pub(crate) fn is_clean(&self) -> bool {
        !self.may_hold_dirty() && !self.back.throttle.has_writers()
    }

    /// Stops the disk: from now on it answers nothing but errors, because other answers could be wrong.
    pub(crate) fn stop(&self, reason: String) {
        if self.back.stop.is_set() {
            return;
        }
        tracing::error!(disk = %self.id, reason, "The disk stops: its data that the backing does not have cannot be given back");
        let error = BlockError::anywhere(ErrorKind::Io, Operation::Write).because(&reason);
        self.back.stop.set(reason);
        // Its segments stay as they are, and no writer waits for room in them.
        self.pool.segments().set_indexed(self.id, false);
        self.pool.start_leaving(self.id);
        self.back.commits.fail_all(&error);
        self.back.destage.wake_all();
    }

    /// Checks that the disk may answer.
    ///
    /// # Errors
    /// If it has stopped.
    pub(crate) fn check_alive(&self, operation: Operation) -> Result<(), BlockError> {
        if self.pool.is_failed() && !self.back.stop.is_set() && !self.catalog.is_clean() {
            self.stop("The flash failed, and with it data that the backing does not have".to_owned());
        }
        self.back.stop.check(operation)
    }

    /// Observes that something became dirty or clean.
    pub(super) fn observe_dirty(&self) {
        self.adjust_kept();
        let is_dirty = self.catalog.can_destage(ALL_PAGES);
        if self.back.destage.observe_dirty(is_dirty, || self.pool.host.now()) {
            self.pool.slot.wake();
        }
    }
}

/// Takes a destage hold.
pub(crate) fn hold<E: Env>(cache: &Rc<DiskCache<E>>) -> Hold<E> {
    cache.back.destage.hold();
    cache.consistent.wake();
    Hold { cache: Rc::clone(cache) }
}

impl<E: Env> Hold<E> {
    /// Waits until nothing is dirty, durably.
    ///
    /// # Errors
    /// If destage fails, or the disk stopped or leaves.
    pub(crate) async fn clean(&self) -> Result<(), BlockError> {
        let cache = &self.cache;
        wait_until_known(cache).await?;
        let is_home = || !cache.back.throttle.has_writers() && !cache.catalog.can_destage(ALL_PAGES);
        wait_until(cache, Patience::Administrator { since: cache.pool.host.now() }, is_home).await?;
        check_lost(cache)?;
        if cache.back.has_destaged_behind(cache.log.durable()) {
            // The caller may drop this wait, and a flush that fails concerns every client.
            let ours = Rc::clone(cache);
            cache.pool.host.to_its_end(async move { settle_destaged(&ours).await }).await?;
        }
        Ok(())
    }
}

/// Checks for a command that needs everything on the backing that flash lost nothing of it.
///
/// # Errors
/// If it did.
pub(super) fn check_lost<E: Env>(cache: &DiskCache<E>) -> Result<(), BlockError> {
    match cache.catalog.counts().lost_pages * PAGE_BYTES as u64 {
        0 => Ok(()),
        bytes => Err(BlockError::anywhere(ErrorKind::Corrupt, Operation::Read).because(format!(
            "flash lost {bytes} bytes that the backing does not have: write them again, or discard them"
        ))),
    }
}

impl<E: Env> Drop for Hold<E> {
    fn drop(&mut self) {
        self.cache.back.destage.release();
        self.cache.consistent.wake();
    }
}

impl<E: Env> Writer<E> {
    pub(super) fn enter(cache: &Rc<DiskCache<E>>, pages: u64) -> Self {
        cache.back.throttle.reserve(pages);
        Self { cache: Rc::clone(cache), pages }
    }
}

impl<E: Env> Drop for Writer<E> {
    fn drop(&mut self) {
        self.cache.back.throttle.release(self.pages);
        self.cache.back.destage.wake_waiters();
    }
}

/// Waits until it is known what is dirty.
///
/// # Errors
/// If the disk leaves, or stopped.
pub(crate) async fn wait_until_known<E: Env>(cache: &DiskCache<E>) -> Result<(), BlockError> {
    while cache.is_loading() && cache.back.is_marked_dirty() {
        let done = cache.loaded.notified();
        if cache.leaving.get() {
            let error = BlockError::anywhere(ErrorKind::Gone, Operation::Read);
            return Err(error.because("the disk is being detached"));
        }
        done.await;
    }
    cache.check_alive(Operation::Read)
}

/// Sets the marker on flash that something may be dirty, durably, unless it is set already.
///
/// # Errors
/// If flash fails.
pub(super) async fn mark_dirty<E: Env>(cache: &DiskCache<E>) -> Result<(), BlockError> {
    if cache.back.is_marked_dirty() {
        return Ok(());
    }
    // Seldom, and large: not a part of each write's future.
    Box::pin(mark_dirty_now(cache)).await
}

async fn mark_dirty_now<E: Env>(cache: &DiskCache<E>) -> Result<(), BlockError> {
    let _changing = cache.back.lock_marker().await;
    if !cache.back.is_marked_dirty() {
        cache.pool.note_dirty_in_time(cache.id).await?;
        cache.back.set_marked_dirty(true);
    }
    Ok(())
}

/// Clears the marker on flash if nothing is dirty. Failures leave it as it is.
pub(crate) async fn mark_clean<E: Env>(cache: &DiskCache<E>) {
    let _changing = cache.back.lock_marker().await;
    if !cache.back.is_marked_dirty() || !cache.is_clean() {
        return;
    }
    let relies_on_log = !canary::has(Bug::CleanBeforeLog);
    if relies_on_log && cache.log.make_durable().await.is_err() {
        return;
    }
    // Something may have become dirty and clean again meanwhile: a power cut must not take the word of that.
    let is_durable = !relies_on_log || !cache.back.has_destaged_behind(cache.log.durable());
    // There is no await between this check and the update below: a writer that arrives later sets the dirty mark again, behind this.
    if is_durable && cache.is_clean() {
        cache.back.set_marked_dirty(false);
        drop(cache.pool.note_clean(cache.id).await);
    }
}
