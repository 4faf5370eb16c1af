//! One queue: takes requests from its ring, has them done side by side, and gives the answers back, until it is stopped.
//!
//! ```text
//!   kick ──> take: head, record, parse, budget ──> running requests ──> used ring, record ──> call, if the guest wants it
//!              └──────── one task of the shard; notified when it is to stop, or its setup changes ───────────────┘
//! ```
//! Requests that end together share a notification, a few at a time: one check of what the guest wants, one signal. An invalid ring breaks
//! its queue: nothing more is taken, requests in flight end, the front end is notified by its error event. The other queues go on.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use block::executor::Driver;
use block::{BlockDevice, Event, Host, Ring};
use futures_util::future::join3;
use tokio::sync::{Notify, OwnedSemaphorePermit};
use vm_memory::GuestAddress;

use super::adaptive_polling::{AdaptivePoller, PollOutcome};
use super::chain::Chain;
use super::door::VhostUserDoor;
use super::inflight::Record;
use super::limits::{MANY, REQUEST_WORK, TOLD_EVERY, TURN_BYTES};
use super::memory::{Memory, Outside};
use super::request::{ExecutionTerms, Request, perform};
use super::request_batch::{ParsedRequest, RequestBatch};
use super::rings::{Addresses, Places, Rings};
use super::setup::{Setup, Surroundings};
use super::signals::Signals;
use crate::flights::Flights;
use block::turn;

/// Reason to end a queue whose front end truncated the file of its memory.
const TORN: &str = "its front end took memory away that it had shared";

/// Reason to end a queue whose ring is not memory any more, though it was when it was placed, and memory does not change.
const GONE: &str = "its ring is not in memory";

/// A queue at work.
pub(crate) struct Vring<D> {
    door: Rc<VhostUserDoor<D>>,
    ring: Ring,
    number: usize,
    addresses: Cell<Addresses>,
    rings: RefCell<Rings>,
    /// The index of the available ring as it was read last: up to there requests can be taken without another read of a word that the
    /// guest's processor writes all the time.
    seen: Cell<u16>,
    /// Memory with the data of requests.
    memory: RefCell<Rc<Memory>>,
    /// Memory with the ring: an older one, as long as the front end has removed it from the newer.
    ring_memory: RefCell<Rc<Memory>>,
    /// The front end has taken the ring out of its memory, and not put it there again.
    ring_gone: Cell<bool>,
    record: Option<Record>,
    counter: Cell<u64>,
    terms: ExecutionTerms,
    /// By head, whether a request is in flight.
    busy: RefCell<Vec<bool>>,
    in_flight: Cell<usize>,
    /// There are answers without a notification to the guest.
    untold: Cell<bool>,
    /// Bytes that requests count for which were taken since others had a turn.
    worked: Cell<u64>,
    kick: Event,
    poller: RefCell<AdaptivePoller>,
    signals: Signals,
    enabled: Cell<bool>,
    stopping: Cell<bool>,
    broken: Cell<bool>,
    ended: Cell<bool>,
    changed: Notify,
    /// Notified when nothing is in flight any more.
    idle: Notify,
}

/// Number of times that a request was taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Times {
    First,
    /// By an earlier process before.
    Again,
}

/// The head of a request that has ended, and how many bytes it wrote to the guest's memory.
type Ended = (u16, u32);

/// The bytes that a request in flight may hold.
type Permit = OwnedSemaphorePermit;

impl<D: BlockDevice> Vring<D> {
    /// Begins to work on a queue, as a task of `host`, with the requests that are in flight by its record.
    ///
    /// # Errors
    /// The missing or invalid part.
    pub(crate) fn start<H: Host>(setup: &Setup, with: Surroundings<D>, host: &H) -> Result<Rc<Self>, String> {
        let Surroundings { door, ring, memory, record, terms, event_index, number } = with;
        let addresses = setup.addresses.ok_or_else(|| format!("queue {number} without addresses"))?;
        let kick =
            setup.kick.as_ref().ok_or_else(|| format!("queue {number} without an event that starts it"))?;
        let nowhere = || format!("queue {number} of {} entries that is not in memory", setup.size);
        let places = Places::find(&memory, addresses, setup.size).ok_or_else(nowhere)?;
        let mut rings = Rings::new(places, event_index);
        let used = rings.used_index(&memory).map_err(|Outside| nowhere())?;
        if !memory.is_whole() {
            return Err(format!("queue {number}, and {TORN}"));
        }
        let mut again = Vec::new();
        if let Some(record) = &record {
            if record.entries() < setup.size {
                return Err(format!(
                    "queue {number} of {} entries and a record of {}",
                    setup.size,
                    record.entries()
                ));
            }
            again = record.recover(used, setup.size)?;
        }
        // With a record, the answered requests and those that were taken and not answered are all that were ever taken. The index of the
        // front end may differ then: Cloud Hypervisor passes the end of the available ring.
        let base = if record.is_some() { used.wrapping_add(again.len() as u16) } else { setup.base };
        rings.begin_at(base, used);
        let vring = Rc::new(Self {
            number,
            addresses: Cell::new(addresses),
            counter: Cell::new(record.as_ref().map_or(0, Record::next_counter)),
            record,
            terms,
            busy: RefCell::new(vec![false; setup.size.into()]),
            in_flight: Cell::new(0),
            untold: Cell::new(false),
            worked: Cell::new(0),
            kick: Event::new(&ring, Arc::clone(kick)),
            poller: RefCell::new(AdaptivePoller::new(ring.poll_max())),
            signals: Signals::new(&ring, setup.call.as_ref(), setup.error.as_ref()),
            ring,
            enabled: Cell::new(setup.enabled),
            stopping: Cell::new(false),
            broken: Cell::new(setup.broken),
            ended: Cell::new(false),
            changed: Notify::new(),
            idle: Notify::new(),
            seen: Cell::new(base),
            rings: RefCell::new(rings),
            ring_memory: RefCell::new(Rc::clone(&memory)),
            ring_gone: Cell::new(false),
            memory: RefCell::new(memory),
            door,
        });
        // An earlier process may have been killed after its last answer and before it noted that for a migration.
        vring.note_used_ring(&vring.ring_memory.borrow(), &vring.rings.borrow());
        let task = Rc::clone(&vring);
        host.spawn(async move { task.run(again).await });
        Ok(vring)
    }

    /// Takes nothing more; ready when all requests that were taken are answered. Returns the index of the next request.
    pub(crate) async fn stop(&self) -> u16 {
        self.stopping.set(true);
        let _lifted = self.door.device().lift_limits();
        self.changed.notify_waiters();
        loop {
            let changed = self.changed.notified();
            if self.ended.get() {
                return self.rings.borrow().next_available();
            }
            changed.await;
        }
    }

    /// Takes requests from now on.
    pub(crate) fn enable(&self) {
        self.look_anew();
        self.enabled.set(true);
        self.changed.notify_waiters();
    }

    /// Discards the index read from the available ring, which may be another one now.
    fn look_anew(&self) {
        self.seen.set(self.rings.borrow().next_available());
    }

    /// Takes no requests until it is enabled; ready when all that was taken is answered.
    pub(crate) async fn disable(&self) {
        self.enabled.set(false);
        let _lifted = self.door.device().lift_limits();
        self.rest().await;
    }

    /// Waits until nothing is in flight.
    async fn rest(&self) {
        loop {
            let idle = self.idle.notified();
            if self.in_flight.get() == 0 {
                return;
            }
            idle.await;
        }
    }

    /// Returns true if the queue was given up.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.get()
    }

    /// Returns its signals.
    pub(crate) fn signals(&self) -> &Signals {
        &self.signals
    }

    /// Records writes to the used ring elsewhere, or not any more.
    ///
    /// # Errors
    /// If anything else is to change, which it cannot while the queue is at work.
    pub(crate) fn set_log(&self, addresses: Addresses) -> Result<(), String> {
        let before = self.addresses.get();
        if (Addresses { log: before.log, ..addresses }) != before {
            return Err(format!("other addresses for queue {}, which is at work", self.number));
        }
        self.addresses.set(addresses);
        Ok(())
    }

    /// Continues with other memory, or with none for now. Requests in flight keep the memory that they have. A front end that exchanges a
    /// region removes it first: the queue waits for a missing ring, and answers where it was.
    pub(crate) fn set_memory(&self, memory: Option<&Rc<Memory>>) {
        let size = self.rings.borrow().size();
        let found = memory.and_then(|memory| Places::find(memory, self.addresses.get(), size));
        if let Some(memory) = memory {
            self.memory.replace(Rc::clone(memory));
        }
        self.look_anew();
        self.ring_gone.set(found.is_none());
        if let (Some(found), Some(memory)) = (found, memory) {
            if found == self.rings.borrow().places() {
                self.ring_memory.replace(Rc::clone(memory));
            } else {
                self.break_off("the ring is elsewhere in the guest than it was");
            }
        }
        self.changed.notify_waiters();
    }

    async fn run(&self, again: Vec<u16>) {
        let flights = RefCell::new(Flights::new());
        let finished = Cell::new(false);
        let start = |head, request, memory, permit| {
            let ended = flights.borrow_mut().begin(self.execute(head, request, memory, permit));
            if let Some((head, written)) = ended {
                self.answer(head, written);
            }
        };
        let take = async {
            self.take_all(again, &start).await;
            finished.set(true);
            self.signals.finish();
        };
        let run = poll_fn(|context| {
            self.answer_some(&mut flights.borrow_mut(), context);
            if finished.get() { Poll::Ready(()) } else { Poll::Pending }
        });
        // The order matters: requests that the first has begun, and ends meanwhile, are awaited by the second, and ends are signalled by
        // the third, which nothing else would wake.
        join3(take, run, self.signals.deliver()).await;
        self.ended.set(true);
        self.changed.notify_waiters();
    }

    /// Answers requests that have ended, a few at a time: devices complete them in bursts, and the guest sends the next ones for the first
    /// while the last are answered. Taken requests, and notifications of the guest, go out before many others are handled.
    fn answer_some(&self, flights: &mut Flights<impl Future<Output = Ended>>, context: &Context<'_>) {
        if flights.woken() >= usize::from(MANY) {
            self.ring.submit();
        }
        let mut answered = 0;
        while answered < TOLD_EVERY
            && let Poll::Ready((head, written)) = flights.poll_next(context)
        {
            self.answer(head, written);
            answered += 1;
        }
        self.tell_guest_if_wanted();
        if answered == TOLD_EVERY {
            if self.in_flight.get() > 0 {
                // The task that waits for a kick checks for itself.
                self.changed.notify_waiters();
            }
            context.waker().wake_by_ref();
        }
    }

    /// Takes requests until it is to stop and nothing is in flight.
    async fn take_all(&self, again: Vec<u16>, start: &impl Fn(u16, Request, Rc<Memory>, Permit)) {
        let mut again = again.into_iter();
        let mut taken = 0;
        let mut batch = RequestBatch::default();
        loop {
            // Between two requests only: one that was taken from the ring is counted as in flight before anything is awaited, since
            // stopping or disabling this queue waits for those.
            if self.worked.get() >= TURN_BYTES {
                self.worked.set(0);
                turn().await;
                // What others have queued does not wait for the next turn.
                self.ring.submit();
            }
            if taken % TOLD_EVERY == 1 && self.has_more() && self.tell_guest_if_wanted() {
                // The guest works on the first answers while the others are taken.
                turn().await;
                self.ring.submit();
            }
            let changed = self.changed.notified();
            let works = self.works();
            // A request that an earlier process took counts as taken, also if the queue is to stop; but not before it is enabled: only then
            // does the front end expect its memory to be written. It stays in the record until then.
            if works && let Some(head) = again.next() {
                self.take(head, Times::Again, &mut batch);
                self.begin(&mut batch, start).await;
                continue;
            }
            if self.stopping.get() {
                break;
            }
            if !works {
                // A kick meanwhile wakes nothing.
                self.kick.rest();
                changed.await;
                continue;
            }
            match self.next_head() {
                Ok(Some(head)) => {
                    self.note_end_of_rest();
                    // The first of many is taken alone, so that its answer does not wait for the others.
                    let comes_alone = taken == 0 && self.seen_and_not_taken() >= MANY;
                    let most =
                        if comes_alone { 1 } else { TOLD_EVERY - taken.saturating_sub(1) % TOLD_EVERY };
                    self.take_batch(head, most, &mut batch);
                    taken += batch.len();
                    // They are in flight now and have to be answered in any case.
                    self.begin(&mut batch, start).await;
                }
                Ok(None) => {
                    taken = 0;
                    if !self.arrives_while_polling().await {
                        self.wait_for_kick(changed).await;
                    }
                }
                Err(reason) => self.break_off(&reason),
            }
        }
        self.rest().await;
    }

    /// Records that a request arrived, if the queue was at rest.
    fn note_end_of_rest(&self) {
        let mut poller = self.poller.borrow_mut();
        if poller.rests() {
            poller.arrived(self.ring.now());
        }
    }

    /// Polls a queue that is at rest, as long as that is likely to be shorter than to sleep and to be woken. Returns true if there is
    /// something now, or the queue is not to work any more. Does not poll while requests are in flight: a wait for a device takes longer
    /// than a wake-up.
    async fn arrives_while_polling(&self) -> bool {
        if !self.poller.borrow().is_wanted() || self.in_flight.get() > 0 {
            return false;
        }
        if !self.poller.borrow_mut().begin(self.ring.now()) {
            return false;
        }
        // A request from before the first poll counts as work.
        turn().await;
        while self.works() && !self.stopping.get() && !self.has_more() {
            if self.poller.borrow_mut().poll(self.ring.now()) == PollOutcome::Enough {
                return false;
            }
            self.ring.note_look();
            turn().await;
        }
        true
    }

    /// Waits for a kick, or until the second future is ready.
    async fn wait_for_kick(&self, changed: impl Future<Output = ()>) {
        match self.asks_for_kicks() {
            Ok(true) => {}
            Ok(false) => return,
            Err(reason) => return self.break_off(&reason),
        }
        if let Err(error) = self.kick.wait_unless(changed).await {
            self.break_off(&format!("its kick cannot be waited for: {error}"));
        }
    }

    /// Returns true if requests may be taken.
    fn works(&self) -> bool {
        self.enabled.get() && !self.broken.get() && !self.ring_gone.get()
    }

    /// Returns true if there is another request, as far as can be seen without taking it.
    fn has_more(&self) -> bool {
        let (memory, rings) = (self.ring_memory.borrow(), self.rings.borrow());
        rings.available_index(&memory).is_ok_and(|index| index != rings.next_available())
    }

    /// Requests a kick from the guest for the next request. Returns false if there is one already.
    fn asks_for_kicks(&self) -> Result<bool, String> {
        let memory = self.ring_memory.borrow();
        let rings = self.rings.borrow();
        let more = rings.ask_for_kicks(&memory).map_err(|Outside| GONE)?;
        self.note_used_ring(&memory, &rings);
        if memory.is_whole() { Ok(!more) } else { Err(TORN.to_owned()) }
    }

    /// Returns the head of the next request, if there is one.
    fn next_head(&self) -> Result<Option<u16>, String> {
        let memory = self.ring_memory.borrow();
        let mut rings = self.rings.borrow_mut();
        if self.seen.get() == rings.next_available() && !self.sees_more(&memory, &rings)? {
            return Ok(None);
        }
        let head = rings.take(&memory).map_err(|Outside| GONE)?;
        if !memory.is_whole() {
            return Err(TORN.to_owned());
        }
        match self.busy.borrow().get(usize::from(head)) {
            Some(false) => Ok(Some(head)),
            Some(true) => Err(format!("request {head} was sent again before it was answered")),
            None => Err(format!("request {head} is beyond the end of the queue")),
        }
    }

    /// Returns the number of requests behind the one that was taken last, as far as they were seen to be there.
    fn seen_and_not_taken(&self) -> u16 {
        self.seen.get().wrapping_sub(self.rings.borrow().next_available())
    }

    /// Reads the index of the available ring. Returns true if there are requests up to there.
    fn sees_more(&self, memory: &Memory, rings: &Rings) -> Result<bool, String> {
        let available = rings.available_index(memory).map_err(|Outside| GONE)?;
        if !memory.is_whole() {
            return Err(TORN.to_owned());
        }
        let more = available.wrapping_sub(rings.next_available());
        if more > rings.size() {
            return Err("the available ring names more requests than it has entries".to_owned());
        }
        self.seen.set(available);
        Ok(more > 0)
    }

    /// Takes the request `head`, and as long as they are short reads those behind it: at most `most`, and only those already seen. Nothing
    /// is awaited here: all of them are in flight before any other task runs.
    fn take_batch(&self, head: u16, most: usize, batch: &mut RequestBatch) {
        let mut next = Some(head);
        while let Some(head) = next.take()
            && self.take(head, Times::First, batch)
        {
            if self.seen_and_not_taken() == 0 || !batch.takes_more(most) {
                break;
            }
            next = self.next_head().unwrap_or_else(|reason| {
                self.break_off(&reason);
                None
            });
        }
    }

    /// Takes a request, which is in flight and one of those that were taken together from then on. False if the queue is broken instead.
    fn take(&self, head: u16, times: Times, batch: &mut RequestBatch) -> bool {
        let Some(busy) =
            self.busy.borrow_mut().get_mut(usize::from(head)).map(|busy| std::mem::replace(busy, true))
        else {
            self.break_off("its record has a request beyond the end of the queue");
            return false;
        };
        assert!(!busy, "looked at before, and a record has each head once");
        if let (Some(record), Times::First) = (&self.record, times) {
            record.take(head, self.counter.get());
            self.counter.set(self.counter.get().wrapping_add(1));
        }
        let memory = Rc::clone(&self.memory.borrow());
        let ring_memory = self.ring_memory.borrow();
        let table = self.rings.borrow().table();
        let chain = Chain::follow(&ring_memory, table, &memory, head);
        match chain.and_then(|chain| Request::parse(&memory, chain)) {
            Ok(request) => batch.push(ParsedRequest { head, request, memory }),
            Err(reason) => {
                let whole = memory.is_whole() && ring_memory.is_whole();
                self.break_off(if whole { reason } else { TORN });
                return false;
            }
        }
        self.in_flight.set(self.in_flight.get() + 1);
        self.worked.set(self.worked.get() + REQUEST_WORK);
        true
    }

    /// Answers the requests whose data is in RAM, and begins the others by `start`. None of them is left then.
    async fn begin(&self, batch: &mut RequestBatch, start: &impl Fn(u16, Request, Rc<Memory>, Permit)) {
        batch.answer_cached(self.door.device(), |head, written| {
            self.worked.set(self.worked.get() + u64::from(written));
            self.answer(head, written);
        });
        for ParsedRequest { head, request, memory } in batch.drain() {
            let permit = self.door.budget(request.held_bytes()).await;
            self.worked.set(self.worked.get() + request.held_bytes());
            start(head, request, memory, permit);
        }
    }

    async fn execute(&self, head: u16, request: Request, memory: Rc<Memory>, permit: Permit) -> Ended {
        let written = perform(self.door.device(), &memory, request, self.terms).await;
        drop(permit);
        (head, written)
    }

    /// Gives an answer back: record, used ring, record, in the order that the record demands.
    fn answer(&self, head: u16, written: u32) {
        let (memory, mut rings) = (self.ring_memory.borrow(), self.rings.borrow_mut());
        if let Some(record) = &self.record {
            record.answer(head);
        }
        let answered = rings.answer(&memory, head, written);
        self.note_used_ring(&memory, &rings);
        // An answer that the guest cannot see was not given.
        let whole = memory.is_whole() && self.memory.borrow().is_whole();
        if let (Ok(()), Some(record), true) = (&answered, &self.record, whole) {
            record.answered(head, rings.next_used());
        }
        drop((memory, rings));
        self.untold.set(true);
        self.busy.borrow_mut()[usize::from(head)] = false;
        self.in_flight.set(self.in_flight.get() - 1);
        if self.in_flight.get() == 0 {
            self.idle.notify_waiters();
        }
        if answered == Err(Outside) {
            self.break_off(GONE);
        } else if !whole {
            self.break_off(TORN);
        }
    }

    /// Records that the used ring was written, for a migration.
    fn note_used_ring(&self, memory: &Memory, rings: &Rings) {
        if let Some(log) = self.addresses.get().log {
            memory.note(GuestAddress(log), rings.used_bytes());
        }
    }

    /// Signals the guest if there are answers without a notification, and it wants one. Returns true if so.
    fn tell_guest_if_wanted(&self) -> bool {
        if !self.untold.take() {
            return false;
        }
        let wanted = self.rings.borrow_mut().wants_to_be_told(&self.ring_memory.borrow());
        let wanted = wanted.unwrap_or_else(|Outside| {
            self.break_off(GONE);
            false
        });
        if wanted {
            self.signals.tell_guest();
        }
        wanted
    }

    /// Takes nothing more from a ring that is invalid.
    fn break_off(&self, reason: &str) {
        if self.broken.replace(true) {
            return;
        }
        self.door.count_broken_queue();
        tracing::warn!(
            "Queue {} of a guest of disk '{}' is no longer served: {reason}; reset the disk in the guest, or restart it",
            self.number,
            self.door.name()
        );
        self.changed.notify_waiters();
        self.signals.tell_broken();
    }
}

#[cfg(test)]
#[path = "vring_tests.rs"]
mod tests;
