//! A small single-threaded executor: the same one on a shard and in simulation.
//!
//! ```text
//!   Executor::run ──> run queue (woken tasks) ──> poll one ──┐
//!        ^                                                   │ none left
//!        └── timers due <── Driver::wait(next deadline) <────┘
//! ```
//! A task that wakes itself while it runs, to let others have their turn, runs again only after I/O was polled: what completed meanwhile is
//! among those others.
//!
//! The [`Driver`] is what differs: on a shard it is the ring and the monotonic clock, in simulation virtual time that
//! jumps to the next deadline. With [`Order::Seeded`] the next task is drawn at random from all that could run, so
//! one seed is one schedule.
//!
//! Time is that in which this thread runs (`clock.rs`): a process that is stopped, and a host that is paused, make no deadline pass.
//!
//! Wakers may be used from other threads; that is how the control plane reaches a shard.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::future::{Future, ready};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use async_task::{Runnable, ScheduleInfo, Task, WithInfo};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use slab::Slab;

use crate::{Host, Part};

mod clock;
mod virtual_time;

use clock::Clock;
pub use virtual_time::VirtualTime;

/// Source of completions that an executor waits on when no task can run.
pub trait Driver: 'static {
    /// Returns the nanoseconds since a fixed moment.
    fn now(&self) -> u64;

    /// Lets I/O make progress without waiting. Called between rounds of tasks. True if there was something to do.
    fn poll(&self) -> bool;

    /// Returns how often a task has polled in vain, and done nothing else since it was woken. That is no work, and I/O is polled after
    /// each.
    fn looks(&self) -> u64 {
        0
    }

    /// As [`Host::populate`]. Default: nothing.
    fn populate(&self, _part: Part) -> LocalBoxFuture<'static, ()> {
        ready(()).boxed_local()
    }

    /// Waits until something completed, [`Unpark::unpark`] was called, or `deadline` is reached. Returns false if nothing could ever
    /// happen: no deadline and nothing in flight.
    fn wait(&self, deadline: Option<u64>) -> bool;

    /// Returns the handle with which another thread ends a `wait`.
    fn unparker(&self) -> Arc<dyn Unpark>;
}

/// Ends a [`Driver::wait`] from any thread.
pub trait Unpark: Send + Sync {
    /// Makes the current or the next `wait` return at once.
    fn unpark(&self);
}

/// Order in which tasks that could run do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// In the order in which they were woken.
    Fifo,
    /// Drawn from all that could run, decided by the seed.
    Seeded(u64),
}

/// Time that an executor has worked, as opposed to waited. Any thread may read it, without waiting.
#[derive(Clone, Debug, Default)]
pub struct BusyTime {
    nanos: Arc<AtomicU64>,
    runs: Arc<AtomicU64>,
}

impl BusyTime {
    /// Returns the nanoseconds since the executor began to run. Kept up to date after each round of tasks.
    pub fn nanos(&self) -> u64 {
        self.nanos.load(Ordering::Relaxed)
    }

    /// Returns how many times a task ran, as of the end of the last round of tasks. If it is the same as at an earlier moment, no task
    /// has done anything since.
    pub fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    fn add(&self, nanos: u64) {
        // Only one thread adds, so nothing is lost between load and store.
        self.nanos.store(self.nanos() + nanos, Ordering::Relaxed);
    }

    fn add_runs(&self, runs: usize) {
        // As above.
        self.runs.store(self.runs() + runs as u64, Ordering::Relaxed);
    }
}

/// Runs tasks on the thread that made it. Dropping it drops every task.
pub struct Executor {
    shared: Rc<ExecutorState>,
}

/// The [`Host`] of everything that runs on an [`Executor`].
#[derive(Clone)]
pub struct LocalHost {
    shared: Rc<ExecutorState>,
}

struct ExecutorState {
    queue: Arc<RunQueue>,
    driver: Box<dyn Driver>,
    tasks: RefCell<Slab<Task<()>>>,
    /// Whom to wake when. One that is not waited for any more is not here: it would wake a thread that sleeps for nothing.
    timers: RefCell<BTreeMap<Moment, Waker>>,
    timers_made: Cell<u64>,
    order: Order,
    chance: Cell<u64>,
    busy: BusyTime,
    clock: Clock,
}

/// Time at which a timer fires. Those of one deadline fire in the order in which they were set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    deadline: u64,
    number: u64,
}

/// Woken tasks; the only part that other threads touch.
struct RunQueue {
    woken: Mutex<WokenTasks>,
    unparker: Arc<dyn Unpark>,
}

/// Tasks to run.
#[derive(Default)]
struct WokenTasks {
    /// Those of this round.
    now: VecDeque<Runnable>,
    /// Those that were woken while they ran: they are of the next round.
    next: VecDeque<Runnable>,
}

/// Tasks that run before I/O is polled again.
const ROUND: usize = 64;

impl Executor {
    /// Creates an executor over `driver`. The seed of [`Host::random`] is the order's, or drawn from the system.
    pub fn new(driver: impl Driver, order: Order) -> Self {
        let seed = match order {
            Order::Seeded(seed) => seed,
            Order::Fifo => seed_from_system(),
        };
        let queue = Arc::new(RunQueue { woken: Mutex::default(), unparker: driver.unparker() });
        let shared = ExecutorState {
            queue,
            clock: Clock::new(driver.now()),
            driver: Box::new(driver),
            tasks: RefCell::new(Slab::new()),
            timers: RefCell::new(BTreeMap::new()),
            timers_made: Cell::new(0),
            order,
            chance: Cell::new(seed),
            busy: BusyTime::default(),
        };
        Self { shared: Rc::new(shared) }
    }

    /// Returns the host by which tasks spawn, sleep and draw numbers.
    pub fn host(&self) -> LocalHost {
        LocalHost { shared: Rc::clone(&self.shared) }
    }

    /// Returns the time that it works, to measure how busy this thread is.
    pub fn busy_time(&self) -> BusyTime {
        self.shared.busy.clone()
    }

    /// Runs until `main` is done; other tasks run along and stay when it ends.
    ///
    /// Returns `None` if every task waits for something that can never happen.
    pub fn run<T>(&self, main: impl Future<Output = T>) -> Option<T> {
        let woken = Arc::new(MainWaker {
            woken: Mutex::new(true),
            unparker: Arc::clone(&self.shared.queue.unparker),
        });
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        let mut main = pin!(main);
        // Between two runs no task could be late.
        self.shared.clock.resume(self.shared.driver.now());
        let mut resumed = self.shared.now();
        loop {
            let looks = self.shared.driver.looks();
            let main_is_woken = std::mem::take(&mut *lock(&woken.woken));
            if main_is_woken && let Poll::Ready(value) = main.as_mut().poll(&mut context) {
                return Some(value);
            }
            let mut ran = 0;
            let mut looked = false;
            while ran < ROUND && !looked && self.shared.run_one() {
                ran += 1;
                looked = self.shared.driver.looks() != looks;
            }
            self.shared.busy.add_runs(ran);
            let did_io = self.shared.driver.poll();
            let now = self.shared.fire_timers();
            let has_tasks = self.shared.queue.begin_round();
            let only_looked = looked && ran == 1 && !main_is_woken && !did_io;
            if !only_looked {
                self.shared.busy.add(now - resumed);
            }
            resumed = now;
            let idle = !has_tasks && !*lock(&woken.woken);
            if idle {
                if !self.shared.wait() {
                    return None;
                }
                resumed = self.shared.clock.last();
            }
        }
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        // Dropping a task handle cancels it and queues it once more, so that its future is dropped on this thread.
        let tasks: Vec<_> = self.shared.tasks.borrow_mut().drain().collect();
        drop(tasks);
        let timers = self.shared.timers.take();
        drop(timers);
        while self.shared.queue.begin_round() {
            let runnable = self.shared.queue.pop(Order::Fifo, &self.shared.chance);
            drop(runnable);
        }
    }
}

impl ExecutorState {
    fn run_one(&self) -> bool {
        match self.queue.pop(self.order, &self.chance) {
            Some(runnable) => {
                runnable.run();
                true
            }
            None => false,
        }
    }

    fn next_deadline(&self) -> Option<u64> {
        self.timers.borrow().first_key_value().map(|(moment, _)| moment.deadline)
    }

    /// Waits for the driver. Returns false if there is nothing that could ever happen.
    fn wait(&self) -> bool {
        let deadline = self.next_deadline().map(|deadline| self.clock.of_driver(deadline));
        if !self.driver.wait(deadline) {
            return false;
        }
        self.clock.end_wait(self.driver.now(), deadline);
        true
    }

    fn now(&self) -> u64 {
        self.clock.read(self.driver.now())
    }

    /// Fires due timers. Returns the time that it read.
    fn fire_timers(&self) -> u64 {
        let now = self.now();
        while self.next_deadline().is_some_and(|deadline| deadline <= now) {
            let timer = self.timers.borrow_mut().pop_first();
            let (_, waker) = timer.expect("looked at just now");
            waker.wake();
        }
        now
    }
}

impl Host for LocalHost {
    fn now(&self) -> u64 {
        self.shared.now()
    }

    fn recently(&self) -> u64 {
        self.shared.clock.last()
    }

    fn sleep_until(&self, deadline: u64) -> impl Future<Output = ()> + 'static {
        Sleep { shared: Rc::clone(&self.shared), deadline, armed: None }
    }

    fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        let mut tasks = self.shared.tasks.borrow_mut();
        let entry = tasks.vacant_entry();
        let done = Done { shared: Rc::clone(&self.shared), key: entry.key() };
        let queue = Arc::clone(&self.shared.queue);
        let (runnable, task) = async_task::spawn_local(
            async move {
                task.await;
                done.forget_task();
            },
            WithInfo(move |runnable, info: ScheduleInfo| queue.push(runnable, info.woken_while_running)),
        );
        entry.insert(task);
        drop(tasks);
        runnable.schedule();
    }

    fn random(&self) -> u64 {
        next_random(&self.shared.chance)
    }

    fn populate(&self, part: Part) -> impl Future<Output = ()> + 'static {
        self.shared.driver.populate(part)
    }
}

/// Takes a finished task out of the list of tasks.
struct Done {
    shared: Rc<ExecutorState>,
    key: usize,
}

impl Done {
    fn forget_task(&self) {
        if let Some(task) = self.shared.tasks.borrow_mut().try_remove(self.key) {
            task.detach();
        }
    }
}

struct Sleep {
    shared: Rc<ExecutorState>,
    deadline: u64,
    /// Its timer, once it has one.
    armed: Option<Moment>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.shared.now() >= self.deadline {
            return Poll::Ready(());
        }
        let moment = self.armed.unwrap_or_else(|| {
            let number = self.shared.timers_made.get();
            self.shared.timers_made.set(number + 1);
            Moment { deadline: self.deadline, number }
        });
        self.armed = Some(moment);
        // The future may have moved to another task: the last one that polled it is woken.
        let mut timers = self.shared.timers.borrow_mut();
        let known = timers.get(&moment).is_some_and(|waker| waker.will_wake(context.waker()));
        let old = if known { None } else { timers.insert(moment, context.waker().clone()) };
        drop(timers);
        // Not under the borrow: the last waker of a task frees the task, which may drop timers.
        drop(old);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(moment) = self.armed {
            let timer = self.shared.timers.borrow_mut().remove(&moment);
            // As above.
            drop(timer);
        }
    }
}

impl RunQueue {
    fn push(&self, runnable: Runnable, is_of_next_round: bool) {
        let first = {
            let mut woken = lock(&self.woken);
            let first = woken.now.is_empty() && woken.next.is_empty();
            let tasks = if is_of_next_round { &mut woken.next } else { &mut woken.now };
            tasks.push_back(runnable);
            first
        };
        if first {
            self.unparker.unpark();
        }
    }

    /// Makes those of the next round ready, behind those that did not run in this one. Returns true if there are any.
    fn begin_round(&self) -> bool {
        let WokenTasks { now, next } = &mut *lock(&self.woken);
        now.append(next);
        !now.is_empty()
    }

    fn pop(&self, order: Order, chance: &Cell<u64>) -> Option<Runnable> {
        let now = &mut lock(&self.woken).now;
        match order {
            Order::Fifo => now.pop_front(),
            Order::Seeded(_) if now.is_empty() => None,
            Order::Seeded(_) => {
                let index = (next_random(chance) % now.len() as u64) as usize;
                now.swap_remove_back(index)
            }
        }
    }
}

struct MainWaker {
    woken: Mutex<bool>,
    unparker: Arc<dyn Unpark>,
}

impl Wake for MainWaker {
    fn wake(self: Arc<Self>) {
        *lock(&self.woken) = true;
        self.unparker.unpark();
    }
}

/// Locks a queue. A panic while it is locked leaves the queue whole, so a poisoned lock is as good as any.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the next number of `SplitMix64` (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
pub(crate) fn next_random(state: &Cell<u64>) -> u64 {
    let seed = state.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
    state.set(seed);
    let mut mixed = seed;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn seed_from_system() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one("forebay")
}

#[cfg(test)]
mod tests {
    use super::virtual_time::NoUnpark;
    use super::*;

    fn trace_of(order: Order) -> Vec<(u64, u32)> {
        let executor = Executor::new(VirtualTime::new(), order);
        let host = executor.host();
        let trace = Rc::new(RefCell::new(Vec::new()));
        for task in 0..8 {
            let (host, trace) = (host.clone(), Rc::clone(&trace));
            executor.host().spawn(async move {
                for step in 0..4u64 {
                    host.sleep(step % 2 * 10).await;
                    trace.borrow_mut().push((host.now(), task));
                }
            });
        }
        executor.run(host.sleep_until(1_000)).expect("the timer ends the run");
        trace.take()
    }

    #[test]
    fn one_seed_is_one_schedule() {
        assert_eq!(trace_of(Order::Seeded(7)), trace_of(Order::Seeded(7)));
        assert_ne!(trace_of(Order::Seeded(7)), trace_of(Order::Seeded(8)));
        assert_ne!(trace_of(Order::Seeded(7)), trace_of(Order::Fifo));
    }

    #[test]
    fn virtual_time_jumps_and_timers_fire_in_order() {
        let trace = trace_of(Order::Fifo);
        assert_eq!(trace.len(), 32);
        assert!(trace.is_sorted_by_key(|entry| entry.0));
        assert_eq!(trace.last().map(|entry| entry.0), Some(20));
    }

    /// Time that advances by one with each reading, and by a thousand in a wait.
    #[derive(Default)]
    struct Ticking {
        now: Cell<u64>,
        looks: Rc<Cell<u64>>,
        polls: Rc<Cell<u64>>,
        does_io: bool,
    }

    impl Driver for Ticking {
        fn now(&self) -> u64 {
            self.now.set(self.now.get() + 1);
            self.now.get()
        }

        fn poll(&self) -> bool {
            self.polls.set(self.polls.get() + 1);
            self.does_io
        }

        fn looks(&self) -> u64 {
            self.looks.get()
        }

        fn wait(&self, deadline: Option<u64>) -> bool {
            self.now.set(self.now.get() + 1_000);
            deadline.is_some()
        }

        fn unparker(&self) -> Arc<dyn Unpark> {
            Arc::new(NoUnpark)
        }
    }

    #[test]
    fn waiting_is_not_work_and_everything_else_is() {
        let executor = Executor::new(Ticking::default(), Order::Fifo);
        let busy = executor.busy_time();
        assert_eq!(busy.nanos(), 0);
        executor.run(executor.host().sleep(5_000)).expect("the timer ends the run");
        let worked = busy.nanos();
        assert!((1..1_000).contains(&worked), "five waits or more, of which none counts: {worked}");
        executor.run(std::future::ready(())).expect("it is ready");
        assert!(busy.nanos() >= worked);
    }

    #[test]
    fn runs_are_counted_at_the_end_of_a_round_and_a_timer_of_nobody_is_none() {
        let executor = Executor::new(Ticking::default(), Order::Fifo);
        let (host, busy) = (executor.host(), executor.busy_time());
        host.spawn(async {});
        assert_eq!(busy.runs(), 0);
        let while_running = busy.clone();
        host.spawn(async move { assert_eq!(while_running.runs(), 0, "the round is not over") });
        executor.run(host.sleep(5_000)).expect("the timer ends the run");
        assert_eq!(busy.runs(), 2, "what runs until it is done is no task");
        executor.run(host.sleep(5_000)).expect("the timer ends the run");
        assert_eq!(busy.runs(), 2);
    }

    #[test]
    fn what_the_clock_said_recently_was_said_in_this_turn_of_the_thread() {
        let executor = Executor::new(Ticking::default(), Order::Fifo);
        let host = executor.host();
        let run = executor.run(async {
            let before = host.now();
            assert_eq!(host.recently(), before, "nobody has looked since");
            host.sleep(5_000).await;
            let recently = host.recently();
            assert!(recently >= before + 5_000, "{recently}: the thread has slept since {before}");
            assert_eq!(host.now(), recently + 1);
        });
        run.expect("the timer ends the run");
    }

    #[test]
    fn a_thread_that_is_stopped_looks_at_what_arrived_before_its_deadlines_pass() {
        // A minute passes in a task, and another one in a wait.
        let time = VirtualTime::new();
        let executor = Executor::new(time.clone(), Order::Fifo);
        let host = executor.host();
        let run = executor.run(async {
            let deadline = host.now() + 25_000_000_000;
            time.stop_for(60_000_000_000);
            assert!(host.now() < deadline, "the thread did not run");
            host.sleep(20_000_000_000).await;
            time.stop_next_wait_for(60_000_000_000);
            host.sleep(1_000_000_000).await;
            assert!(host.now() < deadline, "{}: 21 s of 25 s have passed", host.now());
            host.sleep_until(deadline).await;
            assert_eq!(host.now(), deadline, "timers go by the same clock");
        });
        run.expect("the timer ends the run");
    }

    #[test]
    fn rounds_in_which_tasks_only_look_are_no_work() {
        for (looks_instead, does_io) in [(true, false), (true, true), (false, false)] {
            let driver = Ticking { does_io, ..Ticking::default() };
            let looks = Rc::clone(&driver.looks);
            let executor = Executor::new(driver, Order::Fifo);
            let host = executor.host();
            for _ in 0..2 {
                let looks = Rc::clone(&looks);
                let mut left = 1_000;
                host.spawn(std::future::poll_fn(move |context| {
                    left -= 1;
                    if left == 0 {
                        return Poll::Ready(());
                    }
                    looks.set(looks.get() + u64::from(looks_instead));
                    context.waker().wake_by_ref();
                    Poll::Pending
                }));
            }
            executor.run(host.sleep(10_000)).expect("the timer ends the run");
            let worked = executor.busy_time().nanos();
            assert_eq!(worked < 20, looks_instead && !does_io, "{worked}");
        }
    }

    #[test]
    fn a_task_that_yields_runs_again_when_others_have_run_and_io_was_polled() {
        for order in [Order::Fifo, Order::Seeded(3)] {
            let driver = Ticking::default();
            let polls = Rc::clone(&driver.polls);
            let executor = Executor::new(driver, order);
            let ran = Rc::new(RefCell::new(Vec::new()));
            for task in 0..2 {
                let (polls, ran, mut left) = (Rc::clone(&polls), Rc::clone(&ran), 3);
                executor.host().spawn(std::future::poll_fn(move |context| {
                    ran.borrow_mut().push((polls.get(), task));
                    left -= 1;
                    if left == 0 {
                        return Poll::Ready(());
                    }
                    context.waker().wake_by_ref();
                    Poll::Pending
                }));
            }
            executor.run(executor.host().sleep(10_000)).expect("the timer ends the run");
            let mut ran = ran.take();
            ran.sort_unstable();
            assert_eq!(ran, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)], "{order:?}");
        }
    }

    #[test]
    fn a_sleep_that_moves_to_another_task_wakes_that_one() {
        let executor = Executor::new(VirtualTime::new(), Order::Fifo);
        let host = executor.host();
        let mut sleep = Box::pin(host.sleep(10));
        assert!(sleep.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let woken = Rc::new(Cell::new(false));
        let waiting = Rc::clone(&woken);
        host.spawn(async move {
            sleep.await;
            waiting.set(true);
        });
        executor.run(executor.host().sleep(100)).expect("the timer ends the run");
        assert!(woken.get());
    }

    #[test]
    fn a_timer_that_nobody_waits_for_any_more_wakes_nobody() {
        let executor = Executor::new(VirtualTime::new(), Order::Fifo);
        let host = executor.host();
        let never = async {
            let mut sleep = Box::pin(host.sleep(10));
            assert!(sleep.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            drop(sleep);
            assert_eq!(executor.shared.next_deadline(), None);
            let mut both = [Box::pin(host.sleep(20)), Box::pin(host.sleep(20))];
            for sleep in &mut both {
                assert!(sleep.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            }
            let [first, second] = both;
            drop(first);
            second.await;
            host.now()
        };
        assert_eq!(executor.run(never), Some(20));
        assert_eq!(executor.shared.next_deadline(), None);
    }

    #[test]
    fn a_stall_is_reported_instead_of_hanging() {
        let executor = Executor::new(VirtualTime::new(), Order::Fifo);
        assert_eq!(executor.run(std::future::pending::<()>()), None);
    }

    #[test]
    fn dropping_the_executor_drops_every_task() {
        let witness = Rc::new(());
        let executor = Executor::new(VirtualTime::new(), Order::Fifo);
        for _ in 0..3 {
            let (witness, host) = (Rc::clone(&witness), executor.host());
            executor.host().spawn(async move {
                host.sleep(1_000_000).await;
                drop(witness);
            });
        }
        executor.run(executor.host().sleep(10)).expect("the timer ends the run");
        assert_eq!(Rc::strong_count(&witness), 4);
        drop(executor);
        assert_eq!(Rc::strong_count(&witness), 1);
    }
}
