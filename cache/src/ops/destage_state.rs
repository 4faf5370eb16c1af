//! The state of destage of one disk: requests for it, what it may send, and its progress. Nothing here awaits.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use block::BlockError;
use tokio::sync::futures::Notified;
use tokio::sync::{Mutex, MutexGuard, Notify};

use crate::state::ranges::Ranges;
use crate::state::width::Width;
use crate::types::stats::DestageFailure;
use crate::types::units::SECOND_NS;

/// The state of destage.
#[derive(Default)]
pub(crate) struct DestageState {
    /// Destage holds: as long as there is one, nothing becomes dirty.
    holds: Cell<usize>,
    /// Nothing becomes dirty because a device is to leave.
    device_leaves: Cell<bool>,
    /// Someone requested that everything be destaged.
    is_requested: Cell<bool>,
    /// Flash is about to be lost: the highest rate of the settings does not count until nothing is dirty.
    hurries: Cell<bool>,
    /// There was nothing to do at the last step.
    idle: Cell<bool>,
    wake: Notify,
    pace_changed: Notify,
    progress: Notify,
    failure: RefCell<Option<Failure>>,
    /// Time at which a dirty page last became clean.
    last_destaged: Cell<u64>,
    /// Held while destage has requests at the backing.
    in_flight: Mutex<()>,
    /// Pages with waiting tasks.
    wanted: RefCell<Ranges>,
    /// The last round took pages with waiting tasks.
    took_wanted: Cell<bool>,
    /// Pages whose destage may still land at any time: nothing newer is sent after it on the same connection.
    stuck: RefCell<Ranges>,
    /// Time at which the oldest dirty page became dirty.
    dirty_since: Cell<Option<u64>>,
    /// Bytes a second, lately.
    rate: Cell<u64>,
    /// Number of concurrent requests while guests use the backing too.
    width: RefCell<Width>,
    /// Time at which a guest last waited for the backing.
    guest_waited: Cell<u64>,
}

/// A failure of destage.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    /// Time of the first failed request since destage last worked.
    pub(super) since: u64,
    /// The error of the last request.
    pub(super) error: BlockError,
}

/// Requests for destage.
impl DestageState {
    /// Wakes destage.
    pub(super) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Waits until destage is woken.
    pub(crate) fn woken(&self) -> Notified<'_> {
        self.wake.notified()
    }

    /// Ends the rests of destage, because the settings changed or the disk leaves.
    pub(crate) fn change_pace(&self) {
        self.pace_changed.notify_waiters();
    }

    /// Waits until the pace changes.
    pub(crate) fn pace_changed(&self) -> Notified<'_> {
        self.pace_changed.notified()
    }

    /// Wakes the tasks that wait for destage: their condition, or their deadline, may have changed.
    pub(super) fn wake_waiters(&self) {
        self.progress.notify_waiters();
    }

    /// Wakes those who wait for destage, and destage.
    pub(super) fn wake_all(&self) {
        self.wake_waiters();
        self.wake();
    }

    /// Waits until something was destaged, or failed to be.
    pub(super) fn progress(&self) -> Notified<'_> {
        self.progress.notified()
    }

    /// Takes a destage hold. Ends with [`Self::release`].
    pub(super) fn hold(&self) {
        self.holds.set(self.holds.get() + 1);
        self.wake();
    }

    /// Releases a destage hold.
    pub(super) fn release(&self) {
        self.holds.set(self.holds.get() - 1);
    }

    /// Lets nothing become dirty until [`Self::end_device_leave`].
    pub(super) fn begin_device_leave(&self) {
        self.device_leaves.set(true);
        self.wake();
    }

    /// Ends a [`Self::begin_device_leave`].
    pub(super) fn end_device_leave(&self) {
        self.device_leaves.set(false);
    }

    /// Returns true if nothing may become dirty.
    pub(crate) fn is_held(&self) -> bool {
        self.holds.get() > 0 || self.device_leaves.get()
    }

    /// Requests that everything is destaged. The request ends by itself once nothing is dirty.
    pub(crate) fn request_all(&self) {
        self.is_requested.set(self.dirty_since.get().is_some());
        self.wake();
    }

    /// Ends the request, and the hurry.
    pub(crate) fn cancel_request(&self) {
        self.is_requested.set(false);
        self.hurries.set(false);
        self.wake();
    }

    /// Requests that everything is destaged as fast as the backing can.
    pub(crate) fn hurry(&self) {
        self.hurries.set(self.dirty_since.get().is_some());
        self.request_all();
    }

    /// Returns true if the highest rate of the settings does not count.
    pub(super) fn hurries(&self) -> bool {
        self.hurries.get()
    }

    /// Requests that pages be destaged before anything else.
    pub(super) fn want(&self, pages: Range<u64>) {
        self.wanted.borrow_mut().insert(pages);
        self.wake();
    }

    /// Forgets the pages with waiting tasks, which want them again.
    pub(super) fn forget_wanted(&self) {
        self.wanted.take();
        self.wake_waiters();
    }

    /// Takes the pages with waiting tasks. While destage fails, every second round is for everything else: the backing may refuse exactly
    /// these pages.
    pub(super) fn take_wanted(&self) -> Ranges {
        if self.took_wanted.take() && self.is_failing() { Ranges::default() } else { self.wanted.take() }
    }

    /// Records that the round destages pages with waiting tasks.
    pub(super) fn record_wanted_taken(&self) {
        self.took_wanted.set(true);
    }

    /// Returns true if a task waits for destage.
    pub(super) fn is_waited_for(&self) -> bool {
        self.is_held() || self.is_requested.get() || !self.wanted.borrow().is_empty()
    }
}

/// Requests that destage may send.
impl DestageState {
    /// Waits until destage has no request at the backing, and lets it begin none as long as the guard lives.
    pub(crate) async fn lock(&self) -> MutexGuard<'_, ()> {
        self.in_flight.lock().await
    }

    /// Does the same if it has none.
    pub(super) fn try_lock(&self) -> Option<MutexGuard<'_, ()>> {
        self.in_flight.try_lock().ok()
    }

    /// Returns true while destage has requests at the backing.
    pub(crate) fn is_in_flight(&self) -> bool {
        self.in_flight.try_lock().is_err()
    }

    /// Records pages whose destage request was never answered: it may still land.
    pub(super) fn record_stuck(&self, pages: Range<u64>) {
        self.stuck.borrow_mut().insert(pages);
    }

    /// Forgets stuck pages: no unanswered request can land any more.
    pub(super) fn clear_stuck(&self) {
        self.stuck.take();
    }

    /// Returns true if some pages are stuck.
    pub(super) fn is_stuck(&self) -> bool {
        !self.stuck.borrow().is_empty()
    }

    /// Returns these pages without those that are stuck.
    pub(super) fn without_stuck(&self, pages: Range<u64>) -> Ranges {
        let mut free = Ranges::default();
        free.insert(pages.clone());
        self.stuck.borrow().within(pages).for_each(|part| free.remove(&part));
        free
    }
}

/// Progress and failures.
impl DestageState {
    /// Records that destage had nothing to do.
    pub(super) fn record_idle(&self) {
        self.idle.set(true);
    }

    /// Records whether something is dirty that can be destaged. `now` is the time. Returns true if nothing is any more, and a
    /// device waits for that.
    pub(super) fn observe_dirty(&self, is_dirty: bool, now: impl FnOnce() -> u64) -> bool {
        if is_dirty && self.idle.take() {
            self.wake();
        }
        match (self.dirty_since.get(), is_dirty) {
            (None, true) => self.dirty_since.set(Some(now())),
            (Some(_), false) => {
                self.dirty_since.set(None);
                self.is_requested.set(false);
                self.hurries.set(false);
                self.record_success();
                return self.device_leaves.get();
            }
            _ => {}
        }
        false
    }

    /// Returns the time at which the oldest dirty page became dirty.
    pub(super) fn dirty_since(&self) -> Option<u64> {
        self.dirty_since.get()
    }

    /// Returns how long something was dirty, in nanoseconds.
    pub(crate) fn dirty_for(&self, now: u64) -> u64 {
        self.dirty_since.get().map_or(0, |since| now.saturating_sub(since))
    }

    /// Records that something dirty became clean.
    pub(super) fn record_destaged(&self, now: u64) {
        self.last_destaged.set(now);
        self.wake_waiters();
    }

    /// Returns when something dirty became clean last.
    pub(super) fn last_destaged(&self) -> u64 {
        self.last_destaged.get()
    }

    /// Records a failure. It lasts until a round without one.
    pub(super) fn record_failure(&self, now: u64, error: &BlockError) {
        let mut failure = self.failure.borrow_mut();
        let since = failure.as_ref().map_or(now, |failure| failure.since);
        *failure = Some(Failure { since, error: error.clone() });
    }

    /// Records that destage works.
    pub(super) fn record_success(&self) {
        self.failure.take();
    }

    /// Returns true if the last round failed.
    pub(super) fn is_failing(&self) -> bool {
        self.failure.borrow().is_some()
    }

    /// Returns why destage fails, if it does.
    pub(super) fn failure(&self) -> Option<Failure> {
        self.failure.borrow().clone()
    }

    /// Returns the same for statistics.
    pub(crate) fn failure_statistics(&self, now: u64) -> Option<DestageFailure> {
        self.failure().map(|Failure { since, error }| DestageFailure {
            for_seconds: now.saturating_sub(since) / SECOND_NS,
            kind: error.kind,
            reason: error.to_string(),
        })
    }

    /// Records that a round destaged `bytes` in `took` nanoseconds.
    pub(super) fn record_rate(&self, bytes: u64, took: u64) {
        if bytes > 0 && took > 0 {
            let now = u128::from(bytes) * u128::from(SECOND_NS) / u128::from(took);
            let before = u128::from(self.rate.get());
            let rate = if before == 0 { now } else { (before * 3 + now) / 4 };
            self.rate.set(rate.min(u128::from(u64::MAX)) as u64);
        }
    }

    /// Returns the bytes a second that were destaged lately; 0 if nothing was.
    pub(crate) fn rate(&self) -> u64 {
        self.rate.get()
    }

    /// Returns how many requests the next round has at once beside guests.
    pub(super) fn next_width(&self) -> usize {
        self.width.borrow_mut().next()
    }

    /// Records the mean duration of a request, in nanoseconds, with `width` concurrent ones.
    pub(super) fn record_width(&self, width: usize, nanos: u64) {
        self.width.borrow_mut().note(width, nanos);
    }

    /// Returns how many requests at once hardly wait for each other.
    pub(super) fn kept_width(&self) -> usize {
        self.width.borrow().kept()
    }

    /// Records that a guest waits for the backing.
    pub(super) fn record_guest_wait(&self, now: u64) {
        self.guest_waited.set(now);
    }

    /// Returns for how long no guest has begun to wait for the backing, in nanoseconds.
    pub(super) fn no_guest_for(&self, now: u64) -> u64 {
        now.saturating_sub(self.guest_waited.get())
    }
}

#[cfg(test)]
mod tests {
    use block::{ErrorKind, Operation};

    use super::*;

    fn error() -> BlockError {
        BlockError::anywhere(ErrorKind::NoSpace, Operation::Write)
    }

    #[test]
    fn a_request_for_everything_ends_once_nothing_is_dirty_and_means_nothing_before_anything_is() {
        let state = DestageState::default();
        state.hurry();
        assert!(!state.is_waited_for() && !state.hurries(), "nothing is dirty");
        assert!(!state.observe_dirty(true, || 5));
        state.hurry();
        state.record_failure(7, &error());
        assert!(state.is_waited_for() && state.hurries() && state.is_failing());
        assert!(!state.observe_dirty(true, || unreachable!("it is dirty since 5")));
        assert_eq!(state.dirty_for(15), 10);
        assert!(!state.observe_dirty(false, || 20), "no device waits for that");
        assert!(!state.is_waited_for() && !state.hurries() && !state.is_failing());
        state.begin_device_leave();
        assert!(state.is_held() && !state.observe_dirty(true, || 21) && state.observe_dirty(false, || 22));
    }

    #[test]
    fn what_somebody_waits_for_is_taken_in_every_second_round_while_destage_fails() {
        let state = DestageState::default();
        let mut rounds = Vec::new();
        for round in 0..4 {
            state.want(0..1);
            if round == 1 {
                state.record_failure(1, &error());
            }
            let wanted = state.take_wanted();
            rounds.push(!wanted.is_empty());
            if !wanted.is_empty() {
                state.record_wanted_taken();
            }
        }
        assert_eq!(rounds, [true, false, true, false]);
        assert!(state.is_waited_for(), "what was not taken is wanted still");
    }

    #[test]
    fn a_failure_lasts_since_its_first_request_and_says_what_the_last_one_said() {
        let state = DestageState::default();
        state.record_failure(10, &error());
        state.record_failure(2 * SECOND_NS + 10, &error().because("full"));
        let failure = state.failure_statistics(3 * SECOND_NS + 10).expect("it fails");
        assert_eq!((failure.for_seconds, failure.kind), (3, ErrorKind::NoSpace));
        assert!(failure.reason.contains("full"), "{}", failure.reason);
    }

    #[test]
    fn stuck_pages_are_left_out_until_nothing_lands_any_more() {
        let state = DestageState::default();
        state.record_stuck(3..5);
        assert!(state.without_stuck(0..8).iter().eq([0..3, 5..8]) && state.is_stuck());
        state.clear_stuck();
        assert!(state.without_stuck(0..8).iter().eq(std::iter::once(0..8)) && !state.is_stuck());
    }
}
