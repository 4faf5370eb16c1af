//! What write-back keeps of a disk beside what is dirty: writes on their way to the log, who waits for what to be clean,
//! and whether flash says that there may be something dirty.
//!
//! Nothing here awaits, save [`note_dirty`]. Who waits for the backing to catch up does so in `destage_wait`.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

use block::{BlockDevice, BlockError, ErrorKind, Host, Operation};
use tokio::sync::{Mutex, Notify};

use super::commit::Pending;
use super::destage_wait::{Patience, wait_until};
use super::disk_cache::DiskCache;
use super::leave::settle_log;
use crate::knowledge::catalog::ALL_PAGES;
use crate::knowledge::ranges::Ranges;
use crate::knowledge::width::Width;
use crate::words::canary::{self, Bug};
use crate::words::limits::PAGE_BYTES;
use crate::words::stats::DestageFailure;
use crate::words::units::SECOND_NS;

#[derive(Default)]
pub(crate) struct Back {
    /// Writes that are not in the log yet, in order.
    pub(super) queue: RefCell<VecDeque<Pending>>,
    /// Tells the committer that there are some.
    pub(super) queued: Notify,
    /// Writes between the decision that they go to the log and their end.
    pub(super) writers: Cell<usize>,
    /// Pages that they make dirty at most.
    pub(super) coming: Cell<u64>,
    /// Segments that were last kept in the pool for what is dirty; none before the first time.
    pub(super) kept: Cell<Option<u32>>,
    /// Whether flash says, durably, that something may be dirty.
    noted: Cell<bool>,
    noting: Mutex<()>,
    /// Changes that the backing acknowledged to this process, and how many of them a flush has covered. None covers what it
    /// acknowledged to earlier ones: guests outlive those, and mean it as well when they flush (DURABILITY A26).
    through: Cell<u64>,
    through_flushed: Cell<Option<u64>>,
    /// The last batches with something dirty and with a `home`.
    pub(super) last_dirty_batch: Cell<u64>,
    pub(super) last_home_batch: Cell<u64>,
    /// How many want nothing to become dirty.
    holds: Cell<usize>,
    /// Nothing becomes dirty because a device is to leave.
    device_leaves: Cell<bool>,
    /// Somebody asked for all of it to be destaged.
    pub(super) asked: Cell<bool>,
    /// Flash is about to be lost: the highest rate of the settings does not count until nothing is dirty.
    hurries: Cell<bool>,
    /// Destage had nothing to do when it looked last.
    pub(super) asleep: Cell<bool>,
    /// Tells destage to look.
    pub(crate) destage_wanted: Notify,
    /// Tells destage, while it rests, that the settings changed or the disk leaves.
    pub(crate) pace_changed: Notify,
    /// Tells those who wait that something was destaged, or failed to be.
    pub(super) progress: Notify,
    /// Why destage fails, and since when.
    failure: RefCell<Option<Failure>>,
    /// When something dirty became clean last.
    came_home: Cell<u64>,
    /// The last round took what somebody waits for.
    pub(super) took_wanted: Cell<bool>,
    /// Held while destage has requests at the backing.
    pub(crate) destaging: Mutex<()>,
    /// Pages that somebody waits for.
    pub(super) wanted: RefCell<Ranges>,
    /// Pages whose destage may still land at any time: nothing newer is sent after it on the same connection.
    pub(super) stuck: RefCell<Ranges>,
    /// When the first of what is dirty became so.
    pub(super) dirty_since: Cell<Option<u64>>,
    /// When the next writer may go on, if writers are held back.
    pub(super) next_writer: Cell<u64>,
    /// What destage achieved lately, in bytes a second.
    pub(super) rate: Cell<u64>,
    /// How many requests it has at once while guests use the backing too.
    pub(super) width: RefCell<Width>,
    /// When a guest last waited for the backing.
    pub(super) guest_waited: Cell<u64>,
    /// Why the disk stopped.
    stopped: RefCell<Option<String>>,
}

/// While it lives, nothing becomes dirty, and destage goes on until nothing is.
pub(crate) struct Hold<F: BlockDevice, H: Host> {
    cache: Rc<DiskCache<F, H>>,
}

/// A write that goes to the log, until it has ended.
pub(super) struct Writer<F: BlockDevice, H: Host> {
    cache: Rc<DiskCache<F, H>>,
    pages: u64,
}

/// Why destage fails.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    /// When it began to.
    pub(super) since: u64,
    /// What the last request that failed said.
    pub(super) error: BlockError,
}

impl Back {
    /// Notes that flash says that something may be dirty.
    pub(super) fn set_noted(&self, noted: bool) {
        self.noted.set(noted);
    }

    /// True if flash says that something may be dirty.
    pub(crate) fn is_noted(&self) -> bool {
        self.noted.get()
    }

    /// True if somebody wants nothing to become dirty.
    pub(crate) fn is_held(&self) -> bool {
        self.holds.get() > 0 || self.device_leaves.get()
    }

    /// Has nothing become dirty until no device leaves any more.
    pub(super) fn let_device_leave(&self) {
        self.device_leaves.set(true);
        self.destage_wanted.notify_one();
    }

    pub(super) fn no_device_leaves(&self) {
        self.device_leaves.set(false);
    }

    /// Notes that the backing acknowledged a change, or may have done it.
    pub(super) fn note_through(&self) {
        self.through.set(self.through.get() + 1);
    }

    /// What a flush of the backing that is submitted now covers; none if there is nothing that it has to.
    pub(super) fn through_to_flush(&self) -> Option<u64> {
        Some(self.through.get()).filter(|through| Some(*through) > self.through_flushed.get())
    }

    pub(super) fn note_through_flushed(&self, through: u64) {
        self.through_flushed.set(self.through_flushed.get().max(Some(through)));
    }

    /// Somebody asks for everything to be destaged, or does not any more.
    pub(crate) fn ask(&self, asked: bool) {
        self.asked.set(asked && self.dirty_since.get().is_some());
        self.hurries.set(self.hurries.get() && asked);
        self.destage_wanted.notify_one();
    }

    /// Asks for everything to be destaged as fast as the backing can.
    pub(crate) fn hurry(&self) {
        self.hurries.set(self.dirty_since.get().is_some());
        self.ask(true);
    }

    /// True if the highest rate of the settings does not count.
    pub(super) fn hurries(&self) -> bool {
        self.hurries.get()
    }

    /// Has pages destaged before anything else.
    pub(super) fn want(&self, pages: Range<u64>) {
        self.wanted.borrow_mut().insert(pages);
        self.destage_wanted.notify_one();
    }

    /// What destage achieved lately, in bytes a second.
    pub(crate) fn destage_rate(&self) -> u64 {
        self.rate.get()
    }

    /// Records a failure of destage. It lasts until a round without one.
    pub(super) fn record_failure(&self, now: u64, error: &BlockError) {
        let mut failure = self.failure.borrow_mut();
        let since = failure.as_ref().map_or(now, |failure| failure.since);
        *failure = Some(Failure { since, error: error.clone() });
    }

    /// Records that destage works.
    pub(super) fn record_success(&self) {
        self.failure.take();
    }

    /// True if the last round of destage failed.
    pub(super) fn is_failing(&self) -> bool {
        self.failure.borrow().is_some()
    }

    /// Why destage fails, if it does.
    pub(super) fn failure(&self) -> Option<Failure> {
        self.failure.borrow().clone()
    }

    /// When something dirty became clean last.
    pub(super) fn last_came_home(&self) -> u64 {
        self.came_home.get()
    }

    pub(super) fn note_came_home(&self, now: u64) {
        self.came_home.set(now);
        self.progress.notify_waiters();
    }

    /// Has everybody who waits for destage look again: what they wait for, or for how long, was changed.
    pub(super) fn let_waiters_look(&self) {
        self.progress.notify_waiters();
    }

    /// How destage fails, for whoever looks after the disk.
    pub(crate) fn destage_failure(&self, now: u64) -> Option<DestageFailure> {
        self.failure().map(|Failure { since, error }| DestageFailure {
            for_seconds: now.saturating_sub(since) / SECOND_NS,
            kind: error.kind,
            reason: error.to_string(),
        })
    }

    /// How long something was dirty, in nanoseconds.
    pub(crate) fn dirty_for(&self, now: u64) -> u64 {
        self.dirty_since.get().map_or(0, |since| now.saturating_sub(since))
    }

    /// True if the disk stopped.
    pub(crate) fn has_stopped(&self) -> bool {
        self.stopped.borrow().is_some()
    }

    /// Why the disk stopped.
    pub(crate) fn stopped(&self) -> Option<String> {
        self.stopped.borrow().clone()
    }

    /// Lets everybody notice that the disk leaves.
    pub(crate) fn leave(&self) {
        self.queued.notify_one();
        self.pace_changed.notify_waiters();
        self.notify_all();
    }

    /// Forgets why the disk stopped.
    pub(super) fn go_on(&self) {
        self.stopped.take();
    }

    pub(super) fn notify_all(&self) {
        self.progress.notify_waiters();
        self.destage_wanted.notify_one();
    }
}

impl<F: BlockDevice, H: Host> DiskCache<F, H> {
    /// Whether what guests write is acknowledged once flash has it.
    pub(crate) fn writes_back(&self) -> bool {
        let wanted = self.settings.borrow().mode.row().writes_back && !self.back.is_held();
        wanted && self.can_write_back()
    }

    /// Whether the log takes what guests write. Not once it is remembered elsewhere that what flash holds of the disk is void:
    /// the next start would believe nothing of it.
    pub(crate) fn can_write_back(&self) -> bool {
        let is_believed = !self.pool.is_failed() && self.flash_void.get().is_none();
        is_believed && !self.is_loading() && !self.leaving.get()
    }

    /// True if flash holds nothing that the backing does not have, for all that is known, and nothing is on its way there.
    pub(crate) fn is_clean(&self) -> bool {
        !self.may_hold_dirty() && self.back.writers.get() == 0
    }

    /// Stops the disk: from now on it answers nothing but errors, because what it would answer may be wrong.
    pub(crate) fn stop(&self, reason: String) {
        if self.back.has_stopped() {
            return;
        }
        tracing::error!(disk = %self.id, reason, "The disk stops: its data that the backing does not have cannot be given back");
        let error = BlockError::anywhere(ErrorKind::Io, Operation::Write).because(&reason);
        self.back.stopped.replace(Some(reason));
        // Its segments stay as they are, and nobody waits for room in them.
        self.pool.segments().set_indexed(self.id, false);
        self.pool.start_leaving(self.id);
        let waiting = std::mem::take(&mut *self.back.queue.borrow_mut());
        for pending in waiting {
            pending.end(Err(error.clone()));
        }
        self.back.notify_all();
    }

    /// Says whether the disk may answer.
    ///
    /// # Errors
    /// If it has stopped.
    pub(crate) fn check_alive(&self, operation: Operation) -> Result<(), BlockError> {
        if self.pool.is_failed() && !self.back.has_stopped() && !self.catalog.is_clean() {
            self.stop("The flash failed, and with it what the backing does not have".to_owned());
        }
        match &*self.back.stopped.borrow() {
            None => Ok(()),
            Some(reason) => Err(BlockError::anywhere(ErrorKind::Io, operation).because(reason)),
        }
    }

    /// Notes that something became dirty or clean.
    pub(super) fn note_dirtiness(&self) {
        self.adjust_kept();
        let since = self.back.dirty_since.get();
        let empty = !self.catalog.can_destage(ALL_PAGES);
        if !empty && self.back.asleep.take() {
            self.back.destage_wanted.notify_one();
        }
        match since {
            None if !empty => self.back.dirty_since.set(Some(self.pool.host.now())),
            Some(_) if empty => {
                self.back.dirty_since.set(None);
                self.back.asked.set(false);
                self.back.hurries.set(false);
                self.back.record_success();
                if self.back.device_leaves.get() {
                    self.pool.slot.wake();
                }
            }
            _ => {}
        }
    }
}

/// Has nothing become dirty, as long as what is returned lives.
pub(crate) fn hold<F: BlockDevice, H: Host>(cache: &Rc<DiskCache<F, H>>) -> Hold<F, H> {
    cache.back.holds.set(cache.back.holds.get() + 1);
    cache.back.destage_wanted.notify_one();
    Hold { cache: Rc::clone(cache) }
}

impl<F: BlockDevice, H: Host> Hold<F, H> {
    /// Ready once nothing is dirty, durably.
    ///
    /// # Errors
    /// If destage fails, or the disk stopped or leaves.
    pub(crate) async fn clean(&self) -> Result<(), BlockError> {
        let cache = &self.cache;
        wait_until_known(cache).await?;
        let is_home = || cache.back.writers.get() == 0 && !cache.catalog.can_destage(ALL_PAGES);
        wait_until(cache, Patience::Administrator { since: cache.pool.host.now() }, is_home).await?;
        let lost_bytes = cache.catalog.counts().lost_pages * PAGE_BYTES as u64;
        if lost_bytes > 0 {
            return Err(BlockError::anywhere(ErrorKind::Corrupt, Operation::Read).because(format!(
                "flash lost {lost_bytes} bytes that the backing does not have: write them anew, or give them up"
            )));
        }
        if cache.back.last_home_batch.get() > cache.log.durable() {
            // Whoever waits may give up, and a flush that fails is everybody's.
            let ours = Rc::clone(cache);
            cache.pool.host.to_its_end(async move { settle_log(&ours).await }).await?;
        }
        Ok(())
    }
}

impl<F: BlockDevice, H: Host> Drop for Hold<F, H> {
    fn drop(&mut self) {
        self.cache.back.holds.set(self.cache.back.holds.get() - 1);
    }
}

impl<F: BlockDevice, H: Host> Writer<F, H> {
    pub(super) fn enter(cache: &Rc<DiskCache<F, H>>, pages: u64) -> Self {
        cache.back.writers.set(cache.back.writers.get() + 1);
        cache.back.coming.set(cache.back.coming.get() + pages);
        Self { cache: Rc::clone(cache), pages }
    }
}

impl<F: BlockDevice, H: Host> Drop for Writer<F, H> {
    fn drop(&mut self) {
        let writers = self.cache.back.writers.get() - 1;
        self.cache.back.writers.set(writers);
        self.cache.back.coming.set(self.cache.back.coming.get() - self.pages);
        self.cache.back.progress.notify_waiters();
    }
}

/// Waits until it is known what is dirty.
///
/// # Errors
/// If the disk leaves, or stopped.
pub(crate) async fn wait_until_known<F: BlockDevice, H: Host>(
    cache: &DiskCache<F, H>,
) -> Result<(), BlockError> {
    while cache.is_loading() && cache.back.is_noted() {
        let done = cache.loaded.notified();
        if cache.leaving.get() {
            let error = BlockError::anywhere(ErrorKind::Gone, Operation::Read);
            return Err(error.because("the disk is being detached"));
        }
        done.await;
    }
    cache.check_alive(Operation::Read)
}

/// Has flash say, durably, that something may be dirty, unless it says so already.
///
/// # Errors
/// If flash fails.
pub(super) async fn note_dirty<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>) -> Result<(), BlockError> {
    if cache.back.noted.get() {
        return Ok(());
    }
    // Seldom, and large: not a part of what each write takes.
    Box::pin(note_dirty_now(cache)).await
}

async fn note_dirty_now<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>) -> Result<(), BlockError> {
    let _noting = cache.back.noting.lock().await;
    if !cache.back.noted.get() {
        cache.pool.note_dirty_in_time(cache.id).await?;
        cache.back.noted.set(true);
    }
    Ok(())
}

/// Has flash say that nothing is dirty, if that is so. Failures leave it as it is.
pub(crate) async fn note_clean<F: BlockDevice, H: Host>(cache: &DiskCache<F, H>) {
    let _noting = cache.back.noting.lock().await;
    if !cache.back.noted.get() || !cache.is_clean() {
        return;
    }
    let relies_on_log = !canary::has(Bug::CleanBeforeLog);
    if relies_on_log && cache.log.make_durable().await.is_err() {
        return;
    }
    // Something may have become dirty and clean again meanwhile: a power cut must not take the word of that.
    let is_durable = !relies_on_log || cache.back.last_home_batch.get() <= cache.log.durable();
    // From the look to this without a pause: a writer that comes later notes it anew, behind this.
    if is_durable && cache.is_clean() {
        cache.back.noted.set(false);
        drop(cache.pool.note_clean(cache.id).await);
    }
}
