//! Futures of one kind that run side by side in one task: the requests in flight of one queue or connection.
//!
//! ```text
//!   begin ── polled at once ──> slot ── woken ──> row of those that are polled next ──> ended
//! ```
//! One that begins is polled at once, and not behind all that were woken before, as `FuturesUnordered` of the `futures` crate does it: what
//! it asks of a device is on its way while those are dealt with (docs/dev/notes/performance.md, "Over vhost-user"). Wakers may be used from
//! any thread.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use slab::Slab;

/// Futures in flight. Dropping this drops them.
pub(crate) struct Flights<F> {
    futures: Slab<Pin<Box<F>>>,
    /// Waker of each of them, by its slot, also for future ones: one for as many as were ever in flight at once.
    wakers: Vec<(Arc<Caller>, Waker)>,
    /// Slots that are polled next, in this order.
    row: VecDeque<usize>,
    calls: Arc<Mutex<Calls>>,
}

/// Calls that wakers leave for the task.
#[derive(Default)]
struct Calls {
    /// Slots to be polled.
    slots: VecDeque<usize>,
    /// Wakes the task, if it waits.
    task: Option<Waker>,
}

/// Wakes the future in a slot. That may be another one than the one that was given this waker, and is polled for nothing then.
struct Caller {
    slot: usize,
    /// It is in the row, or among the calls.
    has_called: AtomicBool,
    calls: Arc<Mutex<Calls>>,
}

impl<F: Future> Flights<F> {
    pub(crate) fn new() -> Self {
        Self { futures: Slab::new(), wakers: Vec::new(), row: VecDeque::new(), calls: Arc::default() }
    }

    /// Begins one. Returns its output if it has ended already. [`Self::poll_next`] has to be called in the same turn of the task: it
    /// handles wakes since then, for which the task may not be woken again.
    pub(crate) fn begin(&mut self, future: F) -> Option<F::Output> {
        let slot = self.futures.insert(Box::pin(future));
        if slot == self.wakers.len() {
            let caller = Arc::new(Caller::new(slot, &self.calls));
            self.wakers.push((Arc::clone(&caller), Waker::from(caller)));
        }
        self.poll(slot)
    }

    /// Polls for the output of one that has ended. If none has, the task is woken when one of them can go on.
    pub(crate) fn poll_next(&mut self, context: &Context<'_>) -> Poll<F::Output> {
        for is_again in [false, true] {
            while let Some(slot) = self.row.pop_front() {
                // A wake from here on is among the calls again; the effects of earlier ones are seen by the poll.
                self.wakers[slot].0.has_called.swap(false, Ordering::AcqRel);
                if let Some(output) = self.poll(slot) {
                    return Poll::Ready(output);
                }
            }
            let mut calls = lock(&self.calls);
            if calls.slots.is_empty() {
                match &mut calls.task {
                    Some(task) => task.clone_from(context.waker()),
                    task => *task = Some(context.waker().clone()),
                }
                return Poll::Pending;
            }
            if !is_again {
                std::mem::swap(&mut self.row, &mut calls.slots);
            }
        }
        // Who is woken whenever it is polled lets others have their turn.
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// Returns how many were woken and not polled since.
    pub(crate) fn woken(&self) -> usize {
        self.row.len() + lock(&self.calls).slots.len()
    }

    /// Polls the future in a slot, if there is one.
    fn poll(&mut self, slot: usize) -> Option<F::Output> {
        let future = self.futures.get_mut(slot)?;
        let polled = future.as_mut().poll(&mut Context::from_waker(&self.wakers[slot].1));
        let Poll::Ready(output) = polled else { return None };
        self.futures.remove(slot);
        Some(output)
    }
}

impl Caller {
    fn new(slot: usize, calls: &Arc<Mutex<Calls>>) -> Self {
        Self { slot, has_called: AtomicBool::new(false), calls: Arc::clone(calls) }
    }
}

impl Wake for Caller {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.has_called.swap(true, Ordering::AcqRel) {
            return;
        }
        let task = {
            let mut calls = lock(&self.calls);
            calls.slots.push_back(self.slot);
            calls.task.take()
        };
        // Not under the lock: the woken task may use it at once.
        if let Some(task) = task {
            task.wake();
        }
    }
}

/// Locks the calls. A panic while they are locked leaves them whole.
fn lock(calls: &Mutex<Calls>) -> MutexGuard<'_, Calls> {
    calls.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::future::poll_fn;
    use std::rc::Rc;
    use std::sync::atomic::AtomicUsize;
    use std::thread;
    use std::time::{Duration, Instant};

    use futures_util::future::{Either, ready};

    use super::*;

    /// Counts how often a task was woken.
    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Futures that end on demand, and their results.
    #[derive(Clone, Default)]
    struct ManualFutures(Rc<RefCell<Inside>>);

    #[derive(Default)]
    struct Inside {
        wakers: Vec<Option<Waker>>,
        may_end: Vec<bool>,
        polled: Vec<usize>,
        dropped: Vec<usize>,
    }

    struct Flight(ManualFutures, usize);

    impl Future for Flight {
        type Output = usize;

        fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<usize> {
            let mut inside = self.0.0.borrow_mut();
            inside.polled.push(self.1);
            inside.wakers[self.1] = Some(context.waker().clone());
            if inside.may_end[self.1] { Poll::Ready(self.1) } else { Poll::Pending }
        }
    }

    impl Drop for Flight {
        fn drop(&mut self) {
            self.0.0.borrow_mut().dropped.push(self.1);
        }
    }

    impl ManualFutures {
        /// Returns the next one, which ends at its first poll or not.
        fn flight(&self, ends_at_once: bool) -> Flight {
            let mut inside = self.0.borrow_mut();
            inside.wakers.push(None);
            inside.may_end.push(ends_at_once);
            Flight(self.clone(), inside.may_end.len() - 1)
        }

        fn wake(&self, number: usize) {
            let waker = self.0.borrow().wakers[number].clone();
            waker.expect("it was polled").wake();
        }

        fn end(&self, number: usize) {
            self.0.borrow_mut().may_end[number] = true;
            self.wake(number);
        }

        /// Returns those that were polled since this was asked last.
        fn polled(&self) -> Vec<usize> {
            std::mem::take(&mut self.0.borrow_mut().polled)
        }
    }

    fn all_ended<F: Future>(flights: &mut Flights<F>, waker: &Waker) -> Vec<F::Output> {
        let context = Context::from_waker(waker);
        std::iter::from_fn(|| match flights.poll_next(&context) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        })
        .collect()
    }

    #[test]
    fn one_that_begins_is_polled_at_once_and_others_in_the_order_in_which_they_were_woken() {
        let (world, mut flights) = (ManualFutures::default(), Flights::new());
        for _ in 0..3 {
            assert_eq!(flights.begin(world.flight(false)), None);
        }
        assert_eq!(world.polled(), [0, 1, 2]);
        for number in [2, 0, 1, 2] {
            world.end(number);
        }
        assert_eq!((flights.woken(), world.polled()), (3, vec![]), "each of them once");
        assert_eq!(flights.begin(world.flight(true)), Some(3), "ended before it had to wait");
        assert_eq!(flights.begin(world.flight(false)), None);
        assert_eq!(world.polled(), [3, 4]);
        assert_eq!(all_ended(&mut flights, Waker::noop()), [2, 0, 1]);
        assert_eq!((flights.woken(), world.polled()), (0, vec![2, 0, 1]));
    }

    #[test]
    fn the_task_is_woken_once_for_all_that_can_go_on_and_again_when_it_has_looked() {
        let (world, mut flights) = (ManualFutures::default(), Flights::new());
        let count = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&count));
        let times = || count.0.load(Ordering::SeqCst);
        for _ in 0..3 {
            flights.begin(world.flight(false));
        }
        assert_eq!(all_ended(&mut flights, &waker), [0; 0]);
        for number in 0..3 {
            world.wake(number);
        }
        assert_eq!(times(), 1);
        assert_eq!(all_ended(&mut flights, &waker), [0; 0], "woken for nothing");
        world.end(1);
        assert_eq!(times(), 2);
        assert_eq!(all_ended(&mut flights, &waker), [1]);
        // The waker of one that has ended: a future that has its slot now is polled for nothing.
        flights.begin(world.flight(false));
        world.polled();
        world.wake(1);
        assert_eq!(all_ended(&mut flights, &waker), [0; 0]);
        assert_eq!((times(), world.polled()), (3, vec![3]));
    }

    #[test]
    fn those_that_ended_are_dropped_at_once_and_the_others_with_all() {
        const MANY: usize = 200;
        let (world, mut flights) = (ManualFutures::default(), Flights::new());
        for round in 0..3 {
            for _ in 0..MANY {
                flights.begin(world.flight(false));
            }
            for number in round * MANY..(round + 1) * MANY {
                world.end(number);
            }
            let ended = all_ended(&mut flights, Waker::noop());
            assert_eq!(ended, (round * MANY..(round + 1) * MANY).collect::<Vec<_>>());
            assert_eq!(world.0.borrow().dropped, (0..(round + 1) * MANY).collect::<Vec<_>>());
            assert_eq!(flights.wakers.len(), MANY, "slots are used again");
        }
        flights.begin(world.flight(false));
        drop(flights);
        assert_eq!(world.0.borrow().dropped.len(), 3 * MANY + 1, "what was in flight is dropped too");
        // No future is left.
        world.wake(3 * MANY);
    }

    #[test]
    fn one_that_is_woken_while_it_is_polled_is_polled_again_in_another_turn() {
        let mut flights = Flights::new();
        let count = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&count));
        let times = || count.0.load(Ordering::SeqCst);
        let mut left = 5;
        let future = poll_fn(move |context| {
            context.waker().wake_by_ref();
            left -= 1;
            if left == 0 { Poll::Ready(7) } else { Poll::Pending }
        });
        assert_eq!(flights.begin(Either::Left(future)), None);
        assert_eq!(flights.begin(Either::Right(ready(8))), Some(8));
        assert_eq!((all_ended(&mut flights, &waker), times()), (vec![], 1));
        // Each turn polls it once, and asks for another one.
        let ended: Vec<u32> = (0..3).flat_map(|_| all_ended(&mut flights, &waker)).collect();
        assert_eq!((ended, times()), (vec![7], 3));
    }

    #[test]
    fn other_threads_may_wake_and_none_is_forgotten() {
        const ALL: usize = 1_000;
        const MESSAGES: usize = 3;
        struct Unpark(thread::Thread);
        impl Wake for Unpark {
            fn wake(self: Arc<Self>) {
                self.0.unpark();
            }
        }
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let context = Context::from_waker(&waker);
        let mut flights = Flights::new();
        let (mut begun, mut ended) = (0, 0);
        while ended < ALL {
            while begun < ALL && begun < ended + 8 {
                begun += 1;
                let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
                thread::spawn(move || (0..MESSAGES).for_each(|message| sender.send(message).unwrap()));
                let all = async move { received(&mut receiver).await };
                // Some are there before they are waited for.
                ended += usize::from(flights.begin(all) == Some(MESSAGES));
            }
            match flights.poll_next(&context) {
                Poll::Ready(messages) => {
                    assert_eq!(messages, MESSAGES);
                    ended += 1;
                }
                Poll::Pending if ended < ALL => {
                    let since = Instant::now();
                    thread::park_timeout(PATIENCE);
                    assert!(since.elapsed() < PATIENCE, "{ended} ended, and nobody wakes the task");
                }
                Poll::Pending => {}
            }
        }
    }

    /// Far more than any thread here takes.
    const PATIENCE: Duration = Duration::from_mins(1);

    /// Returns the number of messages.
    async fn received(receiver: &mut tokio::sync::mpsc::UnboundedReceiver<usize>) -> usize {
        let mut count = 0;
        while let Some(message) = receiver.recv().await {
            assert_eq!(message, count);
            count += 1;
        }
        count
    }
}
