//! What is wrong with a device, since when, and who is told.

use std::cell::{Cell, RefCell};

use crate::{BlockError, ErrorKind};

/// A device that nobody has heard of for so long is said not to answer: nanoseconds.
const SILENT_NS: u64 = 5_000_000_000;

/// What is wrong with a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// For how long, in nanoseconds.
    pub for_ns: u64,
    /// What it says, or that it says nothing.
    pub reason: String,
}

/// Watches what a device answers.
pub struct Watch {
    name: String,
    failing: RefCell<Option<(u64, String)>>,
    waiting: Cell<usize>,
    /// When it answered last, or was asked while nothing else was waited for.
    heard: Cell<u64>,
    retries: Cell<u64>,
    /// Requests that failed and are to be sent again, or were given up and have not ended.
    troubled: Cell<usize>,
}

/// A request that failed and is to be sent again. As long as it lives, the success of others does not say that the device works.
pub(crate) struct Troubled<'a>(&'a Watch);

/// A request that is waited for.
pub(crate) struct Waiting<'a>(&'a Watch);

impl Watch {
    pub(crate) fn new(name: String) -> Self {
        Self {
            name,
            failing: RefCell::default(),
            waiting: Cell::new(0),
            heard: Cell::new(0),
            retries: Cell::new(0),
            troubled: Cell::new(0),
        }
    }

    /// Notes a request that was given up, until [`Self::note_ended`].
    pub(crate) fn note_left(&self) {
        self.troubled.set(self.troubled.get() + 1);
    }

    pub(crate) fn note_ended(&self) {
        self.troubled.set(self.troubled.get() - 1);
    }

    pub(crate) fn begin(&self, now: u64) -> Waiting<'_> {
        if self.waiting.get() == 0 {
            self.heard.set(now);
        }
        self.waiting.set(self.waiting.get() + 1);
        Waiting(self)
    }

    pub(crate) fn is_failing(&self) -> bool {
        self.failing.borrow().is_some()
    }

    /// Takes notice of a request that failed and is sent again once the answer is dropped.
    pub(crate) fn note_retry(&self, now: u64, error: BlockError) -> Troubled<'_> {
        self.judge(now, &Err(error));
        self.retries.set(self.retries.get() + 1);
        self.note_left();
        Troubled(self)
    }

    pub(crate) fn retries(&self) -> u64 {
        self.retries.get()
    }

    /// What is wrong at present.
    pub(crate) fn trouble(&self, now: u64) -> Option<Trouble> {
        if let Some((since, reason)) = &*self.failing.borrow() {
            return Some(Trouble { for_ns: now.saturating_sub(*since), reason: reason.clone() });
        }
        let for_ns = now.saturating_sub(self.heard.get());
        let is_silent = self.waiting.get() > 0 && for_ns >= SILENT_NS;
        is_silent.then(|| Trouble { for_ns, reason: "it does not answer".to_owned() })
    }

    /// Takes notice of an answer.
    pub(crate) fn judge(&self, now: u64, result: &Result<(), BlockError>) {
        match result {
            Err(error) if error.kind == ErrorKind::Unanswered => return self.note_silence(now),
            Err(error) if matches!(error.kind, ErrorKind::Io | ErrorKind::Gone) => {
                self.note(now, error.to_string());
            }
            // An answer to the request, which says nothing of the next one.
            Err(_) => {}
            // One that works says nothing of those that do not.
            Ok(()) if self.troubled.get() > 0 => {}
            Ok(()) => self.note_recovery(now),
        }
        self.heard.set(now);
    }

    fn note_recovery(&self, now: u64) {
        let Some((since, _)) = self.failing.take() else { return };
        let seconds = now.saturating_sub(since) / 1_000_000_000;
        tracing::info!("Backing {} works again after {seconds} s", self.name);
    }

    /// Takes notice of a request that got no answer in time.
    pub(crate) fn note_silence(&self, now: u64) {
        self.note(self.heard.get().min(now), "it does not answer".to_owned());
    }

    fn note(&self, since: u64, reason: String) {
        let mut failing = self.failing.borrow_mut();
        if failing.is_none() {
            tracing::error!(
                "Backing {} fails: {reason}. What the cache has is answered, the rest waits for the retry time and is then an \
                 error; check the device, its path and its server",
                self.name
            );
            *failing = Some((since, reason));
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.set(self.0.waiting.get() - 1);
    }
}

impl Drop for Troubled<'_> {
    fn drop(&mut self) {
        self.0.note_ended();
    }
}
