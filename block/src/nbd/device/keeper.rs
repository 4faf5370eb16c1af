//! Keeps the connections of a device: one task each, which connects again whenever its connection ends. The tasks end when the device goes
//! to rest, and leave the connections that are open to the next owner.
//!
//! The facts that a server reports after a reconnect must be those that it reported first. A device that became smaller than the used part
//! of it, or changed its abilities, is not the device that is in use: it is refused for good, as a file that was cut short is.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;

use futures_util::future::{Either, select};
use tokio::sync::Notify;

use super::super::option::ExportFacts;
use super::super::wire::export_flags::{READ_ONLY, SEND_FLUSH, SEND_TRIM, SEND_WRITE_ZEROES};
use super::connect::{Connected, NbdError, connect};
use super::connection::{Connection, Ending};
use super::ledger::Ledger;
use super::target::Target;
use crate::deadline::Deadlines;
use crate::{Host, Ring};

/// The pause before the second attempt to connect, in nanoseconds; it doubles with each further one.
const PAUSE_MIN_NS: u64 = 20_000_000;
/// The longest pause between two attempts.
const PAUSE_MAX_NS: u64 = 1_000_000_000;
/// The most connections that were given up and may still have changes; with so many, no more are made.
const GIVEN_UP_MAX: usize = 16;
/// Time in nanoseconds in which changes may land after a connection was lost without information about its server.
const LATE_NS: u64 = 30_000_000_000;
/// Flags that a device relies on, of all that a server reports.
const RELIED_ON: u16 = READ_ONLY | SEND_FLUSH | SEND_TRIM | SEND_WRITE_ZEROES;

/// State that a device and its tasks share.
pub(super) struct NbdDeviceState<H> {
    pub(super) ring: Ring,
    pub(super) host: H,
    pub(super) target: Target,
    pub(super) connect_ns: u64,
    /// Facts that the server reported first.
    pub(super) facts: ExportFacts,
    /// Number of its bytes that are used.
    pub(super) used: Cell<u64>,
    /// Size that it had at the last connection.
    pub(super) met: Cell<u64>,
    /// Connections end because new ones are to learn the size: nothing is in flight, and everything is flushed.
    pub(super) renewing: Cell<bool>,
    /// Number of renewals begun.
    renewals: Cell<u64>,
    pub(super) ledger: Rc<Ledger>,
    pub(super) deadlines: Deadlines<H>,
    /// The most connections.
    pub(super) connections: usize,
    open: RefCell<Vec<Rc<Link>>>,
    /// Connections that are open and that no task has.
    pub(super) at_rest: RefCell<Vec<Connected>>,
    /// Set while tasks end because the device goes to rest, and until it goes on.
    resting: Cell<bool>,
    /// Tasks that there are.
    keepers: Cell<usize>,
    /// Connections that we gave up, or lost, while the server had changes that may still land.
    given_up: RefCell<Vec<Rc<Connection>>>,
    /// Notified when a connection is there, or the device is refused or closed.
    changed: Notify,
    refused: RefCell<Option<String>>,
    closed: Cell<bool>,
    /// Reason why there is no connection.
    trouble: RefCell<String>,
}

/// An export, with its known size and the used part.
#[derive(Clone)]
pub(super) struct Export {
    pub(super) target: Target,
    pub(super) connect_ns: u64,
    pub(super) facts: ExportFacts,
    pub(super) connections: usize,
    pub(super) used: u64,
    pub(super) met: u64,
    pub(super) ledger: Ledger,
}

/// Outcome of serving a connection.
enum ServeOutcome {
    Rests(Connected),
    /// True if the server answered something.
    Ended {
        useful: bool,
    },
}

/// An open connection and its negotiated terms.
pub(super) struct Link {
    pub(super) connection: Rc<Connection>,
    /// The server reports which parts hold data.
    pub(super) tells_extents: bool,
}

impl<H: Host> NbdDeviceState<H> {
    /// Creates the shared state of an export's device, at rest.
    pub(super) fn new(ring: &Ring, host: &H, export: Export, at_rest: Vec<Connected>) -> Rc<Self> {
        let Export { target, connect_ns, facts, connections, used, met, ledger } = export;
        Rc::new(Self {
            ring: ring.clone(),
            host: host.clone(),
            target,
            connect_ns,
            used: Cell::new(used),
            met: Cell::new(met),
            renewing: Cell::new(false),
            renewals: Cell::new(0),
            facts,
            ledger: Rc::new(ledger),
            deadlines: Deadlines::new(host.clone()),
            connections,
            open: RefCell::default(),
            at_rest: RefCell::new(at_rest),
            resting: Cell::new(true),
            keepers: Cell::new(0),
            given_up: RefCell::default(),
            changed: Notify::new(),
            refused: RefCell::default(),
            closed: Cell::new(false),
            trouble: RefCell::default(),
        })
    }

    /// Returns the connection with the least to do, of those that take jobs; waits for one. A job is to be submitted before anything else
    /// is awaited.
    ///
    /// # Errors
    /// Why the device is refused for good.
    pub(super) async fn link(&self) -> Result<Rc<Link>, String> {
        loop {
            let changed = self.changed.notified();
            if let Some(reason) = self.refusal() {
                return Err(reason);
            }
            let best = {
                let open = self.open.borrow();
                let usable = open.iter().filter(|link| link.connection.takes_jobs());
                usable.min_by_key(|link| link.connection.load()).cloned()
            };
            match best {
                Some(link) => return Ok(link),
                None => changed.await,
            }
        }
    }

    /// Returns the reason why the device is refused for good, if it is.
    pub(super) fn refusal(&self) -> Option<String> {
        self.refused.borrow().clone()
    }

    /// Returns the reason why there is no connection, as far as is known.
    pub(super) fn trouble(&self) -> String {
        self.trouble.borrow().clone()
    }

    /// Returns true while the server may do changes that were given up.
    pub(super) fn has_unanswered(&self) -> bool {
        !self.given_up.borrow().is_empty()
    }

    /// Ends all connections and their tasks. Requests in flight are given up.
    pub(super) fn close(&self) {
        self.closed.set(true);
        self.changed.notify_waiters();
        self.deadlines.close();
        self.given_up.borrow().iter().for_each(|connection| connection.cut());
        for link in self.open.borrow().iter() {
            if link.connection.load() == 0 {
                link.connection.leave();
            } else {
                link.connection.end(Ending::Leaving);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn open_connections(&self) -> usize {
        self.open.borrow().len()
    }

    /// Returns the present state of the export.
    pub(super) fn export(&self) -> Export {
        Export {
            target: self.target.clone(),
            connect_ns: self.connect_ns,
            facts: self.facts,
            connections: self.connections,
            used: self.used.get(),
            met: self.met.get(),
            ledger: Ledger::clone(&self.ledger),
        }
    }

    /// Returns true if a connection is open, and no loss is left to report.
    pub(super) fn is_sound(&self) -> bool {
        let is_connected = !self.open.borrow().is_empty() || !self.at_rest.borrow().is_empty();
        is_connected && self.refusal().is_none() && !self.has_unanswered() && !self.ledger.has_lost()
    }

    /// Makes every task end, and waits until none is left; connections stay open. Nothing may be in flight. Dropping the future takes
    /// nothing back: [`Self::go_on`] does.
    pub(super) async fn rest(&self) {
        self.resting.set(true);
        self.open.borrow().iter().for_each(|link| link.connection.rest());
        // Tasks without a connection wait for this.
        self.changed.notify_waiters();
        loop {
            let changed = self.changed.notified();
            if self.keepers.get() == 0 {
                return;
            }
            changed.await;
        }
    }

    /// Starts a task for each connection, also if only some of the tasks ended: with the connections that are open, and new ones for the
    /// rest.
    pub(super) fn go_on(self: &Rc<Self>) {
        self.resting.set(false);
        while self.keepers.get() < self.connections {
            self.keepers.set(self.keepers.get() + 1);
            let first = self.at_rest.borrow_mut().pop();
            self.host.spawn(Rc::clone(self).keep(first));
        }
    }

    /// Runs the task of one connection, `first` if it is there already.
    async fn keep(self: Rc<Self>, first: Option<Connected>) {
        let (mut next, mut pause) = (first, 0);
        while !self.has_ended() && !self.resting.get() {
            let Some(connected) = next.take() else {
                next = self.reconnect(&mut pause).await;
                continue;
            };
            match self.serve(connected).await {
                ServeOutcome::Rests(connected) => next = Some(connected),
                // A server that takes connections and does nothing with them is not asked again and again at once.
                ServeOutcome::Ended { useful } => pause = if useful { 0 } else { longer(pause) },
            }
        }
        self.at_rest.borrow_mut().extend(next);
        self.keepers.set(self.keepers.get() - 1);
        self.changed.notify_waiters();
    }

    /// Makes one attempt after a pause. `None` if it failed or connections are not needed any more.
    async fn reconnect(&self, pause: &mut u64) -> Option<Connected> {
        let attempt = async {
            self.host.sleep(*pause).await;
            while self.given_up.borrow().len() >= GIVEN_UP_MAX {
                self.trouble.replace(format!(
                    "{GIVEN_UP_MAX} connections have requests that its server has not answered yet; check that it is not stopped"
                ));
                self.host.sleep(PAUSE_MAX_NS).await;
            }
            let renewals = self.renewals.get();
            (renewals, connect(&self.ring, &self.host, &self.target, self.connect_ns).await)
        };
        let (renewals, outcome) = self.unless(|| self.has_ended() || self.resting.get(), attempt).await?;
        match outcome {
            // It may have received the size from before, and the server refuse requests behind that.
            Ok(_) if renewals != self.renewals.get() => {}
            Ok(connected) => match self.difference(&connected.terms.facts) {
                None => {
                    self.met.set(connected.terms.facts.size);
                    return Some(connected);
                }
                Some(difference) => self.refuse(&difference),
            },
            Err(NbdError { reason, .. }) => {
                *pause = longer(*pause);
                self.trouble.replace(reason);
            }
        }
        None
    }

    /// Returns true if the device is closed, or refused for good.
    fn has_ended(&self) -> bool {
        self.closed.get() || self.refused.borrow().is_some()
    }

    async fn unless<F: Future>(&self, stops: impl Fn() -> bool, future: F) -> Option<F::Output> {
        let mut future = pin!(future);
        loop {
            let changed = self.changed.notified();
            if stops() {
                return None;
            }
            match select(future.as_mut(), pin!(changed)).await {
                Either::Left((output, _)) => return Some(output),
                Either::Right(_) => {}
            }
        }
    }

    /// Lets requests use a connection until it ends or goes to rest.
    async fn serve(self: &Rc<Self>, connected: Connected) -> ServeOutcome {
        let Connected { stream, incoming, terms } = connected;
        let connection = Connection::new(stream.clone(), &terms, Rc::clone(&self.ledger));
        let link =
            Rc::new(Link { connection: Rc::clone(&connection), tells_extents: terms.allocation.is_some() });
        self.open.borrow_mut().push(Rc::clone(&link));
        self.changed.notify_waiters();
        let runs = Rc::clone(&connection);
        let mut running = Box::pin(async move { runs.run(incoming).await });
        let incoming = match select(&mut running, pin!(connection.is_given_up())).await {
            Either::Left((incoming, _)) => Some(incoming),
            Either::Right(_) => None,
        };
        self.open.borrow_mut().retain(|other| !Rc::ptr_eq(other, &link));
        self.changed.notify_waiters();
        let lingers = incoming.is_none();
        if let Some(incoming) = incoming.filter(|_| connection.is_at_rest()) {
            return ServeOutcome::Rests(Connected { stream, incoming, terms });
        }
        let ending = connection.ending();
        if !matches!(ending, Ending::Leaving) {
            tracing::warn!("Lost a connection to {}: {ending}; connecting again", self.target);
            self.trouble.replace(ending.to_string());
        }
        // 1. Possible losses are recorded. 2. Only then do flushes that were in flight go elsewhere, and are judged by it.
        if !(self.renewing.get() && matches!(ending, Ending::Leaving)) {
            self.ledger.connection_lost();
        }
        connection.hand_back();
        if connection.left_changes() && !connection.is_through() && !matches!(ending, Ending::Leaving) {
            // Before the tasks that wait for them run.
            self.given_up.borrow_mut().push(Rc::clone(&connection));
            let (shared, given_up) = (Rc::clone(self), Rc::clone(&connection));
            self.host.spawn(async move {
                if lingers {
                    running.await;
                }
                if !given_up.is_through() {
                    shared.unless(|| shared.has_ended(), shared.host.sleep(LATE_NS)).await;
                }
                shared.given_up.borrow_mut().retain(|other| !Rc::ptr_eq(other, &given_up));
            });
        }
        ServeOutcome::Ended { useful: connection.was_useful() }
    }

    /// Ends every open connection, and waits until there is another one. The caller guarantees that nothing is in flight, and that all
    /// acknowledged changes are flushed. Requests that get a turn meanwhile wait for the other one, too: from the first poll on, before
    /// anything is awaited, none of the old ones takes a job.
    ///
    /// # Errors
    /// Why the device is refused for good.
    pub(super) async fn renew(&self) -> Result<(), String> {
        let before: Vec<Rc<Link>> = self.open.borrow().clone();
        self.renewals.set(self.renewals.get() + 1);
        self.renewing.set(true);
        let _renewing = Renewing(self);
        for link in &before {
            link.connection.leave();
        }
        let is_left = || {
            let open = self.open.borrow();
            before.iter().any(|old| open.iter().any(|link| Rc::ptr_eq(old, link)))
        };
        loop {
            let changed = self.changed.notified();
            if !is_left() {
                break;
            }
            changed.await;
        }
        self.link().await.map(drop)
    }

    /// Returns the relevant difference of the export from what it was, if there is one.
    pub(super) fn difference(&self, now: &ExportFacts) -> Option<String> {
        let before = &self.facts;
        if now.size < self.used.get() {
            return Some(format!("its size was {} bytes and is {} bytes now", self.used.get(), now.size));
        }
        if now.flags & RELIED_ON != before.flags & RELIED_ON {
            return Some(format!(
                "its abilities were {:#x} and are {:#x} now{}",
                before.flags,
                now.flags,
                if now.flags & READ_ONLY > before.flags & READ_ONLY { " (read-only)" } else { "" }
            ));
        }
        if (now.block_min, now.payload_max) != (before.block_min, before.payload_max) {
            return Some(format!(
                "it took requests of {} to {} bytes and takes {} to {} bytes now",
                before.block_min, before.payload_max, now.block_min, now.payload_max
            ));
        }
        None
    }

    fn refuse(&self, difference: &str) {
        let reason = format!(
            "{} is not the export that it was: {difference}; remove the disk and add it again if that is as it should be",
            self.target
        );
        tracing::error!("{reason}");
        self.refused.replace(Some(reason));
        self.changed.notify_waiters();
        for link in self.open.borrow().iter() {
            link.connection.end(Ending::Leaving);
        }
    }
}

/// While it lives, connections that leave lose no changes.
struct Renewing<'a, H>(&'a NbdDeviceState<H>);

impl<H> Drop for Renewing<'_, H> {
    fn drop(&mut self) {
        self.0.renewing.set(false);
    }
}

fn longer(pause: u64) -> u64 {
    (pause * 2).clamp(PAUSE_MIN_NS, PAUSE_MAX_NS)
}
