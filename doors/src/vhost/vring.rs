//! One queue: takes requests from its ring, has them done side by side, and gives the answers back, until it is stopped.
//!
//! ```text
//!   kick ──> take: head, record, parse, budget ──> running requests ──> used ring, record ──> call, if the guest wants it
//!              └──────── one task of the shard; told when it is to stop, or something about it changes ────────┘
//! ```
//! What ends together is told together: one look at what the guest wants, one signal. A ring that lies breaks its queue: nothing
//! more is taken, what is in flight ends, the front end is told by its error event. The other queues go on.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::os::fd::OwnedFd;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;

use block::{BlockDevice, Event, Host, Ring};
use futures_util::StreamExt;
use futures_util::future::{LocalBoxFuture, join3};
use futures_util::stream::FuturesUnordered;
use tokio::sync::{Notify, OwnedSemaphorePermit};
use virtio_queue::{Queue, QueueOwnedT, QueueT};
use vm_memory::{Bytes, GuestAddress};

use super::chain::{Chain, Table};
use super::door::Door;
use super::inflight::Record;
use super::limits::QUEUE_SIZE_MAX;
use super::memory::Memory;
use super::request::{Request, Terms, perform};

/// Where a front end says that the parts of a ring are, in its own memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Addresses {
    pub(crate) descriptors: u64,
    pub(crate) available: u64,
    pub(crate) used: u64,
    /// Where writes to the used ring are noted, in guest memory, if they are.
    pub(crate) log: Option<u64>,
}

/// What a front end has said of a queue. Fit for other threads.
#[derive(Clone, Default)]
pub(crate) struct Setup {
    pub(crate) size: u16,
    pub(crate) addresses: Option<Addresses>,
    /// The index in the available ring of what is taken next.
    pub(crate) base: u16,
    pub(crate) kick: Option<Arc<OwnedFd>>,
    pub(crate) call: Option<Arc<OwnedFd>>,
    pub(crate) error: Option<Arc<OwnedFd>>,
    pub(crate) enabled: bool,
}

/// What else a queue needs to begin.
pub(crate) struct Surroundings<D> {
    pub(crate) door: Rc<Door<D>>,
    pub(crate) ring: Ring,
    pub(crate) memory: Rc<Memory>,
    pub(crate) record: Option<Record>,
    pub(crate) terms: Terms,
    pub(crate) event_index: bool,
    pub(crate) number: usize,
}

/// Why a queue ends whose front end truncated the file of its memory.
const TORN: &str = "its front end took memory away that it had shared";

/// A queue at work.
pub(crate) struct Vring<D> {
    door: Rc<Door<D>>,
    ring: Ring,
    number: usize,
    addresses: Cell<Addresses>,
    queue: RefCell<Queue>,
    memory: RefCell<Rc<Memory>>,
    record: Option<Record>,
    counter: Cell<u64>,
    terms: Terms,
    /// By head, whether a request is in flight.
    busy: RefCell<Vec<bool>>,
    in_flight: Cell<usize>,
    kick: Event,
    call: RefCell<Option<Rc<Event>>>,
    error: RefCell<Option<Rc<Event>>>,
    enabled: Cell<bool>,
    stopping: Cell<bool>,
    broken: Cell<bool>,
    ended: Cell<bool>,
    told: Notify,
    /// Told when nothing is in flight any more.
    idle: Notify,
    /// The guest is to be told of answers.
    signal: Cell<bool>,
    /// The front end is to be told that the queue is broken.
    error_signal: Cell<bool>,
    signal_told: Notify,
}

/// A request on its way: its head, and in the end how many bytes it wrote to the guest's memory.
type Running<'a> = FuturesUnordered<LocalBoxFuture<'a, (u16, u32)>>;

impl<D: BlockDevice> Vring<D> {
    /// Begins to work on a queue, as a task of `host`. First comes what is in flight by its record.
    ///
    /// # Errors
    /// What is missing or wrong.
    pub(crate) fn start<H: Host>(setup: &Setup, with: Surroundings<D>, host: &H) -> Result<Rc<Self>, String> {
        let Surroundings { door, ring, memory, record, terms, event_index, number } = with;
        let addresses = setup.addresses.ok_or_else(|| format!("queue {number} without addresses"))?;
        let kick =
            setup.kick.as_ref().ok_or_else(|| format!("queue {number} without an event that starts it"))?;
        let mut queue = place(&memory, addresses, setup.size)
            .ok_or_else(|| format!("queue {number} of {} entries that is not in memory", setup.size))?;
        queue.set_event_idx(event_index);
        let used = queue.used_idx(memory.map(), Ordering::Acquire).map_err(|error| error.to_string())?.0;
        if !memory.is_whole() {
            return Err(format!("queue {number}, and {TORN}"));
        }
        queue.set_next_used(used);
        let mut again = Vec::new();
        if let Some(record) = &record {
            if record.entries() < setup.size {
                return Err(format!(
                    "queue {number} of {} entries and a record of {}",
                    setup.size,
                    record.entries()
                ));
            }
            again = record.recover(used)?;
        }
        // What was taken and not answered, and what was answered, is all that was ever taken.
        let base = if again.is_empty() { setup.base } else { used.wrapping_add(again.len() as u16) };
        queue.set_next_avail(base);
        let event = |file: &Option<Arc<OwnedFd>>| {
            file.as_ref().map(|file| Rc::new(Event::new(&ring, Arc::clone(file))))
        };
        let vring = Rc::new(Self {
            number,
            addresses: Cell::new(addresses),
            counter: Cell::new(record.as_ref().map_or(0, Record::next_counter)),
            record,
            terms,
            busy: RefCell::new(vec![false; setup.size.into()]),
            in_flight: Cell::new(0),
            kick: Event::new(&ring, Arc::clone(kick)),
            call: RefCell::new(event(&setup.call)),
            error: RefCell::new(event(&setup.error)),
            enabled: Cell::new(setup.enabled),
            stopping: Cell::new(false),
            broken: Cell::new(false),
            ended: Cell::new(false),
            told: Notify::new(),
            idle: Notify::new(),
            // An earlier process may have answered without telling.
            signal: Cell::new(true),
            error_signal: Cell::new(false),
            signal_told: Notify::new(),
            queue: RefCell::new(queue),
            memory: RefCell::new(memory),
            door,
            ring,
        });
        let task = Rc::clone(&vring);
        host.spawn(async move { task.run(again).await });
        Ok(vring)
    }

    /// Takes nothing more; ready when all that was taken is answered. Returns the index of what would be taken next.
    pub(crate) async fn stop(&self) -> u16 {
        self.stopping.set(true);
        self.told.notify_waiters();
        loop {
            let told = self.told.notified();
            if self.ended.get() {
                return self.queue.borrow().next_avail();
            }
            told.await;
        }
    }

    /// Takes requests from now on, or none until it is told otherwise.
    pub(crate) fn enable(&self, enabled: bool) {
        self.enabled.set(enabled);
        self.told.notify_waiters();
    }

    /// Tells the guest by another event from now on, and does so once: what the other one was told may be lost.
    pub(crate) fn set_call(&self, file: Option<&Arc<OwnedFd>>) {
        self.call.replace(file.map(|file| Rc::new(Event::new(&self.ring, Arc::clone(file)))));
        self.tell_guest();
    }

    /// Tells the front end of what is broken by another event.
    pub(crate) fn set_error(&self, file: Option<&Arc<OwnedFd>>) {
        self.error.replace(file.map(|file| Rc::new(Event::new(&self.ring, Arc::clone(file)))));
    }

    /// Notes writes to the used ring elsewhere, or not any more.
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

    /// Goes on with other memory. What is in flight keeps what it has.
    pub(crate) fn set_memory(&self, memory: Rc<Memory>) {
        let size = self.queue.borrow().size();
        let same = |queue: &Queue, other: &Queue| {
            (queue.desc_table(), queue.avail_ring(), queue.used_ring())
                == (other.desc_table(), other.avail_ring(), other.used_ring())
        };
        let stays = place(&memory, self.addresses.get(), size)
            .is_some_and(|queue| same(&queue, &self.queue.borrow()));
        self.memory.replace(memory);
        if !stays {
            self.break_off("the ring is not where it was any more");
        }
    }

    async fn run(&self, again: Vec<u16>) {
        let running: RefCell<Running<'_>> = RefCell::default();
        let finished = Cell::new(false);
        let take = async {
            self.take_all(again, &running).await;
            finished.set(true);
            self.signal_told.notify_waiters();
        };
        let run = poll_fn(|context| {
            let mut answered = false;
            while let Poll::Ready(Some((head, written))) = running.borrow_mut().poll_next_unpin(context) {
                self.answer(head, written);
                answered = true;
            }
            if answered {
                self.tell_guest_if_wanted();
            }
            if finished.get() { Poll::Ready(()) } else { Poll::Pending }
        });
        // The order matters: what the first takes is begun by the second at once, and what ends is told by the third.
        join3(take, run, self.tell_guest_when_due(&finished)).await;
        self.ended.set(true);
        self.told.notify_waiters();
    }

    /// Takes requests until it is to stop and nothing is in flight.
    async fn take_all<'a>(&'a self, again: Vec<u16>, running: &RefCell<Running<'a>>) {
        for head in again {
            self.take(head, running).await;
        }
        loop {
            let told = self.told.notified();
            if self.stopping.get() {
                break;
            }
            if self.broken.get() || !self.enabled.get() {
                told.await;
                continue;
            }
            match self.next_head() {
                Ok(Some(head)) => self.take(head, running).await,
                Ok(None) => {
                    if let Err(error) = self.kick.wait_unless(told).await {
                        self.break_off(&format!("its kick cannot be waited for: {error}"));
                    }
                }
                Err(reason) => self.break_off(&reason),
            }
        }
        loop {
            let idle = self.idle.notified();
            if self.in_flight.get() == 0 {
                return;
            }
            idle.await;
        }
    }

    /// The head of the next request. Without one, the guest will kick when there is.
    fn next_head(&self) -> Result<Option<u16>, String> {
        let memory = self.memory.borrow();
        let mut queue = self.queue.borrow_mut();
        loop {
            let available =
                queue.avail_idx(memory.map(), Ordering::Acquire).map_err(|error| error.to_string())?;
            if !memory.is_whole() {
                return Err(TORN.to_owned());
            }
            if available.0 == queue.next_avail() {
                let more = queue.enable_notification(memory.map()).map_err(|error| error.to_string())?;
                self.note_used_ring(&memory, &queue);
                if more {
                    continue;
                }
                return Ok(None);
            }
            let mut heads = queue.iter(memory.map()).map_err(|error| error.to_string())?;
            // There was something just now, so that it cannot be because of its end that the iterator ends.
            let head = heads.next().map(|chain| chain.head_index());
            let head = head.ok_or_else(|| "the available ring cannot be read".to_owned())?;
            let known = self.busy.borrow().get(usize::from(head)).copied();
            return match known {
                _ if !memory.is_whole() => Err(TORN.to_owned()),
                Some(false) => Ok(Some(head)),
                Some(true) => Err(format!("request {head} was sent again before it was answered")),
                None => Err(format!("request {head} is beyond the end of the queue")),
            };
        }
    }

    /// Begins a request.
    async fn take<'a>(&'a self, head: u16, running: &RefCell<Running<'a>>) {
        let Some(busy) =
            self.busy.borrow_mut().get_mut(usize::from(head)).map(|busy| std::mem::replace(busy, true))
        else {
            return self.break_off("its record has a request beyond the end of the queue");
        };
        assert!(!busy, "looked at before, and a record has each head once");
        if let Some(record) = &self.record {
            record.take(head, self.counter.get());
            self.counter.set(self.counter.get().wrapping_add(1));
        }
        let memory = Rc::clone(&self.memory.borrow());
        let table = {
            let queue = self.queue.borrow();
            Table { at: GuestAddress(queue.desc_table()), entries: queue.size().into() }
        };
        let request = Chain::follow(&memory, table, head).and_then(|chain| Request::parse(&memory, chain));
        let request = match request {
            Ok(request) => request,
            Err(reason) => return self.break_off(if memory.is_whole() { reason } else { TORN }),
        };
        self.in_flight.set(self.in_flight.get() + 1);
        let permit = self.door.budget(request.data_bytes()).await;
        running.borrow().push(Box::pin(self.execute(head, request, memory, permit)));
    }

    async fn execute(
        &self,
        head: u16,
        request: Request,
        memory: Rc<Memory>,
        permit: Option<OwnedSemaphorePermit>,
    ) -> (u16, u32) {
        let written = perform(self.door.device(), &memory, request, self.terms).await;
        drop(permit);
        (head, written)
    }

    /// Gives an answer back: record, used ring, record, in the order that the record demands.
    fn answer(&self, head: u16, written: u32) {
        let memory = Rc::clone(&self.memory.borrow());
        let mut queue = self.queue.borrow_mut();
        if let Some(record) = &self.record {
            record.answer(head);
        }
        let added = queue.add_used(memory.map(), head, written);
        self.note_used_ring(&memory, &queue);
        // An answer that the guest cannot see was not given.
        let whole = memory.is_whole();
        if let (Ok(()), Some(record), true) = (&added, &self.record, whole) {
            record.answered(head, queue.next_used());
        }
        drop(queue);
        self.busy.borrow_mut()[usize::from(head)] = false;
        self.in_flight.set(self.in_flight.get() - 1);
        if self.in_flight.get() == 0 {
            self.idle.notify_waiters();
        }
        if let Err(error) = added {
            self.break_off(&format!("the used ring cannot be written: {error}"));
        } else if !whole {
            self.break_off(TORN);
        }
    }

    /// Notes that the used ring was written, for a migration.
    fn note_used_ring(&self, memory: &Memory, queue: &Queue) {
        if let Some(log) = self.addresses.get().log {
            memory.note(GuestAddress(log), used_ring_bytes(queue.size()));
        }
    }

    fn tell_guest_if_wanted(&self) {
        let memory = self.memory.borrow();
        let mut queue = self.queue.borrow_mut();
        match queue.needs_notification(memory.map()) {
            Ok(true) if queue.event_idx_enabled() || !forbids_interrupts(&memory, &queue) => {
                drop((queue, memory));
                self.tell_guest();
            }
            Ok(_) => {}
            Err(error) => {
                drop((queue, memory));
                self.break_off(&error.to_string());
            }
        }
    }

    fn tell_guest(&self) {
        self.signal.set(true);
        self.signal_told.notify_waiters();
    }

    async fn tell_guest_when_due(&self, finished: &Cell<bool>) {
        loop {
            let told = self.signal_told.notified();
            if self.signal.take() {
                self.signal(&self.call).await;
            } else if self.error_signal.take() {
                self.signal(&self.error).await;
            } else if finished.get() {
                return;
            } else {
                told.await;
            }
        }
    }

    async fn signal(&self, event: &RefCell<Option<Rc<Event>>>) {
        let event = event.borrow().clone();
        if let Some(event) = event
            && let Err(error) = event.signal().await
        {
            tracing::debug!(%error, disk = self.door.name(), "an event of a guest cannot be signalled");
        }
    }

    /// Takes nothing more from a ring that cannot be believed.
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
        self.told.notify_waiters();
        self.error_signal.set(true);
        self.signal_told.notify_waiters();
    }
}

/// The queue of a ring, if all of it lies in memory and is aligned.
fn place(memory: &Memory, addresses: Addresses, size: u16) -> Option<Queue> {
    let mut queue = Queue::new(QUEUE_SIZE_MAX).ok()?;
    queue.try_set_size(size).ok()?;
    queue.try_set_desc_table_address(memory.translate(addresses.descriptors)?).ok()?;
    queue.try_set_avail_ring_address(memory.translate(addresses.available)?).ok()?;
    queue.try_set_used_ring_address(memory.translate(addresses.used)?).ok()?;
    queue.set_ready(true);
    queue.is_valid(memory.map()).then_some(queue)
}

/// Flags, index, entries of eight bytes, and the event index.
fn used_ring_bytes(size: u16) -> u64 {
    6 + 8 * u64::from(size)
}

/// Without event indices the guest says in the flags of its ring that it wants no interrupts.
fn forbids_interrupts(memory: &Memory, queue: &Queue) -> bool {
    let flags = memory.map().load::<u16>(GuestAddress(queue.avail_ring()), Ordering::Relaxed);
    flags.is_ok_and(|flags| u16::from_le(flags) & 1 != 0)
}
