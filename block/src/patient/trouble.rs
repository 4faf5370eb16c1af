//! Trouble of a device: its cause and duration, and the tasks that are notified.

use std::cell::{Cell, RefCell};

use tokio::sync::Notify;

use crate::{BlockError, ErrorKind};

/// Silence after which a device is reported as not answering: nanoseconds.
const SILENT_NS: u64 = 5_000_000_000;

/// Time without a refusal after which a change that works shows that a device takes changes again: nanoseconds. While a file system is
/// full, changes that need no new room work.
const REFUSES_NS: u64 = 500_000_000;

/// Cause of the trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It fails, or does not answer.
    Fails,
    /// It has no room for a write.
    NoSpace,
    /// It may not be written any more.
    ReadOnly,
}

/// Trouble of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// For how long, in nanoseconds.
    pub for_ns: u64,
    /// Its cause.
    pub cause: Cause,
    /// Its last error, or that it does not answer.
    pub reason: String,
}

/// Watches the answers of a device.
pub struct Watch {
    name: String,
    failing: RefCell<Option<(u64, String)>>,
    refusing: RefCell<Option<Refusing>>,
    waiting: Cell<usize>,
    /// Time of its last answer, or of a request while nothing else was waited for.
    heard: Cell<u64>,
    retries: Cell<u64>,
    /// Requests that failed and are to be sent again, or were given up and have not ended.
    troubled: Cell<usize>,
    closed: Cell<bool>,
    /// Notifies that the device began to fail, or that it is not watched any more.
    changed: Notify,
}

/// A device that refuses changes.
struct Refusing {
    since: u64,
    last: u64,
    cause: Cause,
    reason: String,
}

/// A request that failed and is to be sent again. As long as it lives, the success of others does not show that the device works.
pub(crate) struct FailedRequest<'a>(&'a Watch);

/// A request that is waited for.
pub(crate) struct WaitingRequest<'a>(&'a Watch);

impl Watch {
    pub(crate) fn new(name: String) -> Self {
        Self {
            name,
            failing: RefCell::default(),
            refusing: RefCell::default(),
            waiting: Cell::new(0),
            heard: Cell::new(0),
            retries: Cell::new(0),
            troubled: Cell::new(0),
            closed: Cell::new(false),
            changed: Notify::new(),
        }
    }

    /// Waits until the device fails. Returns false if it is not watched any more.
    pub(crate) async fn until_failing(&self) -> bool {
        loop {
            let changed = self.changed.notified();
            if self.closed.get() || self.is_failing() {
                return !self.closed.get();
            }
            changed.await;
        }
    }

    /// Waits until the device is not watched any more.
    pub(crate) async fn until_closed(&self) {
        loop {
            let changed = self.changed.notified();
            if self.closed.get() {
                return;
            }
            changed.await;
        }
    }

    pub(crate) fn close(&self) {
        self.closed.set(true);
        self.changed.notify_waiters();
    }

    /// Returns true if the device fails, has no requests, and had none for `rest_ns` nanoseconds: no answer will show by itself that it
    /// works again.
    pub(crate) fn needs_probe(&self, now: u64, rest_ns: u64) -> bool {
        let is_asked = self.waiting.get() > 0 || self.troubled.get() > 0;
        self.is_failing() && !is_asked && now >= self.heard.get().saturating_add(rest_ns)
    }

    /// Records a request that was given up, until [`Self::note_ended`].
    pub(crate) fn note_left(&self) {
        self.troubled.set(self.troubled.get() + 1);
    }

    pub(crate) fn note_ended(&self) {
        self.troubled.set(self.troubled.get() - 1);
    }

    pub(crate) fn begin(&self, now: u64) -> WaitingRequest<'_> {
        if self.waiting.get() == 0 {
            self.heard.set(now);
        }
        self.waiting.set(self.waiting.get() + 1);
        WaitingRequest(self)
    }

    pub(crate) fn is_failing(&self) -> bool {
        self.failing.borrow().is_some()
    }

    /// Records a request that failed and is sent again once the returned guard is dropped.
    pub(crate) fn note_retry(&self, now: u64, error: BlockError) -> FailedRequest<'_> {
        self.judge(now, &Err(error));
        self.retries.set(self.retries.get() + 1);
        self.note_left();
        FailedRequest(self)
    }

    pub(crate) fn retries(&self) -> u64 {
        self.retries.get()
    }

    /// Returns the present trouble.
    pub(crate) fn trouble(&self, now: u64) -> Option<Trouble> {
        if let Some((since, reason)) = &*self.failing.borrow() {
            let (for_ns, cause) = (now.saturating_sub(*since), Cause::Fails);
            return Some(Trouble { for_ns, cause, reason: reason.clone() });
        }
        if let Some(Refusing { since, cause, reason, .. }) = &*self.refusing.borrow() {
            let for_ns = now.saturating_sub(*since);
            return Some(Trouble { for_ns, cause: *cause, reason: reason.clone() });
        }
        let for_ns = now.saturating_sub(self.heard.get());
        let is_silent = self.waiting.get() > 0 && for_ns >= SILENT_NS;
        let reason = || "it does not answer".to_owned();
        is_silent.then(|| Trouble { for_ns, cause: Cause::Fails, reason: reason() })
    }

    /// Records an answer.
    pub(crate) fn judge(&self, now: u64, result: &Result<(), BlockError>) {
        match result {
            Err(error) if error.kind == ErrorKind::Unanswered => return self.note_silence(now),
            Err(error) if matches!(error.kind, ErrorKind::Io | ErrorKind::Gone) => {
                self.note(now, error.to_string());
            }
            Err(error) => self.note_refusal(now, error),
            // A request that works does not show that the troubled ones do.
            Ok(()) if self.troubled.get() > 0 => {}
            Ok(()) => self.note_recovery(now),
        }
        self.heard.set(now);
    }

    /// Records a change that was done.
    pub(crate) fn note_change(&self, now: u64) {
        let is_over = |refusing: &mut Refusing| now >= refusing.last + REFUSES_NS;
        drop(self.refusing.borrow_mut().take_if(is_over));
    }

    /// Records the refusal of a change for a reason that holds for others as well. Any other answer does not predict the next request; nor
    /// does an error of our own, which has no reason of the system.
    fn note_refusal(&self, now: u64, error: &BlockError) {
        let cause = match error.kind {
            ErrorKind::NoSpace => Cause::NoSpace,
            ErrorKind::ReadOnly if !error.reason.is_empty() => Cause::ReadOnly,
            _ => return,
        };
        let mut refusing = self.refusing.borrow_mut();
        let since =
            refusing.as_ref().filter(|before| before.cause == cause).map_or(now, |before| before.since);
        *refusing = Some(Refusing { since, last: now, cause, reason: error.reason.clone() });
    }

    fn note_recovery(&self, now: u64) {
        let Some((since, _)) = self.failing.take() else { return };
        let seconds = now.saturating_sub(since) / 1_000_000_000;
        tracing::info!("Backing {} works again after {seconds} s", self.name);
    }

    /// Records a request that got no answer in time.
    pub(crate) fn note_silence(&self, now: u64) {
        self.note(self.heard.get().min(now), "it does not answer".to_owned());
    }

    fn note(&self, since: u64, reason: String) {
        let mut failing = self.failing.borrow_mut();
        if failing.is_none() {
            tracing::error!(
                "Backing {} fails: {reason}. Cached data is served; other requests wait for the retry time and then fail; check the device, its path and its server",
                self.name
            );
            *failing = Some((since, reason));
            self.changed.notify_waiters();
        }
    }
}

impl Drop for WaitingRequest<'_> {
    fn drop(&mut self) {
        self.0.waiting.set(self.0.waiting.get() - 1);
    }
}

impl Drop for FailedRequest<'_> {
    fn drop(&mut self) {
        self.0.note_ended();
    }
}
