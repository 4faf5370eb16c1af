//! Events through the ring: the eventfds by which a guest signals work, and by which results are signalled to it.
//!
//! The descriptor is made by the other side, which may do with it what it likes: read it first, set it non-blocking, or pass something
//! else. So nothing here ever makes a system call on it that could block the shard: the ring waits and writes, and reads do not wait. Knows
//! no protocol.
//!
//! On Linux 6.1 and later one multishot poll reports every signal, without a request or a read for each; and signals that need not wait are
//! not confirmed one by one. So a request with its kick and its result signal costs one system call, the one in which the shard sleeps.
//! Older kernels get a poll for each signal, and the event is read.

use std::cell::{Cell, OnceCell, RefCell};
use std::future::{Future, poll_fn};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use io_uring::{opcode, types};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};

use crate::uring::{CqeSkip, IfDropped, Keep, RepeatOutcome, Repeating, Ring, Running, StopOutcome};

/// Signals that go out one after another before one is confirmed: as many may wait in the kernel if the other side makes its descriptor
/// blocking, and does not read its signals.
const UNCONFIRMED_MAX: u32 = 64;

/// Value that one signal adds to an event.
static ONE_SIGNAL: u64 = 1;

/// An eventfd of another party, on the thread of a ring.
pub struct Event {
    ring: Ring,
    file: Arc<OwnedFd>,
    /// The poll by which the ring reports signals.
    watch: RefCell<Option<Repeating<EventWait>>>,
    /// A poll of an older kernel, in flight.
    asked: RefCell<Option<Running<EventWait>>>,
    /// Signals go out by this unless they have to be confirmed; none if they all have.
    cqe_skip: OnceCell<Option<CqeSkip>>,
    /// Signals since the last that was confirmed.
    unconfirmed: Cell<u32>,
}

impl Event {
    /// Creates the event of a descriptor. Whether it is one shows when it is used.
    pub fn new(ring: &Ring, file: Arc<OwnedFd>) -> Self {
        Self {
            ring: ring.clone(),
            file,
            watch: RefCell::default(),
            asked: RefCell::default(),
            cqe_skip: OnceCell::new(),
            unconfirmed: Cell::new(0),
        }
    }

    /// Waits until the event was signalled since the last time, or was before the first. Returns true then; false if `stop` was ready
    /// before. Several signals may count as one, and one may count twice: a caller that checks for work after each signal, and waits again,
    /// misses none. Only one may wait at a time.
    ///
    /// # Errors
    /// If the descriptor is no eventfd that can be read. Waiting again would end as quickly.
    pub async fn wait_unless(&self, stop: impl Future<Output = ()>) -> io::Result<bool> {
        if self.ring.is_recent() {
            return self.watch_unless(stop).await;
        }
        self.take_unless(stop).await
    }

    /// Ends the poll for a while without a waiter. Signals that arrive meanwhile are found by the next wait.
    pub fn rest(&self) {
        // Not under the borrow: dropping it cancels.
        let waits = (self.watch.take(), self.asked.take());
        drop(waits);
    }

    /// Waits without reading: each signal that adds to the event completes the poll, however many it holds.
    async fn watch_unless(&self, stop: impl Future<Output = ()>) -> io::Result<bool> {
        let mut stop = pin!(stop);
        let came = poll_fn(|context| {
            let mut watch = self.watch.borrow_mut();
            let watching = watch.get_or_insert_with(|| self.watch());
            match watching.poll_came(context) {
                Poll::Ready(came) => Poll::Ready(Some(came)),
                Poll::Pending => stop.as_mut().poll(context).map(|()| None),
            }
        });
        let events = match came.await {
            None => return Ok(false),
            Some(RepeatOutcome::More(events)) => events,
            Some(RepeatOutcome::Last(events)) => {
                self.watch.take();
                // A new poll would report at once, and for ever, what is there already.
                match read_at_once(&self.file) {
                    Ok(true) | Err(Errno::EAGAIN | Errno::EINTR) => events,
                    Ok(false) => return Err(failure(0)),
                    Err(error) => return Err(error.into()),
                }
            }
        };
        if is_signal(events) { Ok(true) } else { Err(failure(events)) }
    }

    fn watch(&self) -> Repeating<EventWait> {
        let fd = types::Fd(self.file.as_raw_fd());
        let entry = opcode::PollAdd::new(fd, libc::POLLIN as u32).multi(true).build();
        // SAFETY: the entry points to nothing, and `keep` holds the file.
        unsafe { self.ring.repeat(entry, EventWait { _file: Arc::clone(&self.file) }) }
    }

    /// Reads the event. When this is ready nothing is left that could take a signal later.
    async fn take_unless(&self, stop: impl Future<Output = ()>) -> io::Result<bool> {
        let mut stop = pin!(stop);
        loop {
            let Some(events) = self.ask_unless(stop.as_mut()).await else { return Ok(false) };
            if !is_signal(events) {
                return Err(failure(events));
            }
            let (result, stopped) = match read_at_once(&self.file) {
                Err(Errno::EOPNOTSUPP) => self.read_unless(stop.as_mut()).await,
                Err(error) => (-(error as i32), false),
                Ok(found) => (i32::from(found), false),
            };
            match result {
                1.. => return Ok(true),
                _ if stopped => return Ok(false),
                // Another reader took it.
                _ if result == -libc::EAGAIN || result == -libc::EINTR => {}
                _ => return Err(failure(result)),
            }
        }
    }

    /// Returns the events of a poll, which takes no signal: if the wait is stopped the poll stays in the kernel, and the next wait
    /// continues it.
    async fn ask_unless(&self, mut stop: Pin<&mut impl Future<Output = ()>>) -> Option<i32> {
        poll_fn(|context| {
            let mut asked = self.asked.borrow_mut();
            let asking = asked.get_or_insert_with(|| self.ask());
            if let Poll::Ready((_, events)) = Pin::new(asking).poll(context) {
                *asked = None;
                return Poll::Ready(Some(events));
            }
            drop(asked);
            stop.as_mut().poll(context).map(|()| None)
        })
        .await
    }

    fn ask(&self) -> Running<EventWait> {
        let fd = types::Fd(self.file.as_raw_fd());
        let entry = opcode::PollAdd::new(fd, libc::POLLIN as u32).build();
        // SAFETY: the entry points to nothing, and `keep` holds the file.
        unsafe { self.ring.run(entry, EventWait { _file: Arc::clone(&self.file) }) }
    }

    /// Reads by the ring, for files that cannot be read without waiting otherwise. Returns the result, and whether it was stopped.
    async fn read_unless(&self, stop: impl Future<Output = ()>) -> (i32, bool) {
        let mut keep = Word { _file: Arc::clone(&self.file), value: Box::new(0) };
        let fd = types::Fd(self.file.as_raw_fd());
        let entry = opcode::Read::new(fd, (&raw mut *keep.value).cast(), size_of::<u64>() as u32).build();
        // SAFETY: `keep` owns the eight bytes on the heap, and the file.
        let StopOutcome { result, stopped, .. } = unsafe { self.ring.run(entry, keep) }.unless(stop).await;
        (result, stopped)
    }

    /// Signals the event. Waits as long as it is full of signals that are not read, if its descriptor is blocking.
    ///
    /// # Errors
    /// If the descriptor takes nothing.
    pub async fn signal(&self) -> io::Result<()> {
        self.signal_unless(std::future::pending()).await
    }

    /// Signals the event, unless that has to wait and `stop` is ready. If it is ready from the start, signals that need not wait still go
    /// out. This may be ready before the kernel has the signal, which then goes with the ring's next system call: that of [`Event::settle`]
    /// at the latest, unless the kernel lacks memory at that moment.
    ///
    /// # Errors
    /// If the descriptor takes nothing; not each time.
    pub async fn signal_unless(&self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let Some(cqe_skip) = self.cqe_skip() else { return self.signal_surely_unless(stop).await };
        if self.unconfirmed.get() < UNCONFIRMED_MAX {
            self.unconfirmed.set(self.unconfirmed.get() + 1);
            let fd = types::Fd(self.file.as_raw_fd());
            let entry =
                opcode::Write::new(fd, (&raw const ONE_SIGNAL).cast(), size_of::<u64>() as u32).build();
            // SAFETY: the entry reads eight bytes of a constant with static lifetime.
            unsafe { cqe_skip.start(entry) };
            return Ok(());
        }
        let outcome = self.signal_surely_unless(stop).await;
        cqe_skip.cancel();
        self.unconfirmed.set(0);
        outcome
    }

    /// Hands all signals to the kernel, and cancels those that would have to wait.
    pub fn settle(&self) {
        if self.unconfirmed.take() > 0
            && let Some(cqe_skip) = self.cqe_skip()
        {
            cqe_skip.cancel();
            self.ring.submit();
        }
    }

    /// Returns the sender of unconfirmed signals. Those that find an event full, which is not read, wait in the kernel all the same,
    /// [`UNCONFIRMED_MAX`] at most.
    fn cqe_skip(&self) -> Option<&CqeSkip> {
        let cqe_skip = self.cqe_skip.get_or_init(|| {
            let flags = fcntl(&self.file, FcntlArg::F_GETFL).unwrap_or(0);
            let waits_never = OFlag::from_bits_truncate(flags).contains(OFlag::O_NONBLOCK);
            (self.ring.is_recent() && waits_never).then(|| self.ring.cqe_skip(Arc::clone(&self.file)))
        });
        cqe_skip.as_ref()
    }

    async fn signal_surely_unless(&self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let keep = Word { _file: Arc::clone(&self.file), value: Box::new(1) };
        let fd = types::Fd(self.file.as_raw_fd());
        let entry = opcode::Write::new(fd, (&raw const *keep.value).cast(), size_of::<u64>() as u32).build();
        // SAFETY: as for reading.
        let writing = unsafe { self.ring.run(entry, keep) };
        let StopOutcome { result, stopped, .. } = writing.unless(stop).await;
        match result {
            1.. => Ok(()),
            // It is full of signals that were not read.
            _ if result == -libc::EAGAIN || stopped => Ok(()),
            _ => Err(failure(result)),
        }
    }
}

/// Reads an event without waiting, whatever mode its descriptor has meanwhile: another entry of the ring would be a second system call too,
/// and could wait for its turn. Returns true if there was something; `EAGAIN` if another reader was faster, `EOPNOTSUPP` if the file cannot
/// be read so.
fn read_at_once(file: &OwnedFd) -> nix::Result<bool> {
    let mut value = 0_u64;
    let part = libc::iovec { iov_base: (&raw mut value).cast(), iov_len: size_of::<u64>() };
    // SAFETY: the kernel writes to the eight bytes of `value` at most, and only during the call. -1 is where the file stands.
    let count = unsafe { libc::preadv2(file.as_raw_fd(), &raw const part, 1, -1, libc::RWF_NOWAIT) };
    Errno::result(count).map(|count| count > 0)
}

/// Returns true if the events of a poll report something to read.
fn is_signal(events: i32) -> bool {
    events >= 0 && events & i32::from(libc::POLLIN) != 0
}

fn failure(result: i32) -> io::Error {
    if result < 0 { io::Error::from_raw_os_error(-result) } else { io::ErrorKind::UnexpectedEof.into() }
}

struct EventWait {
    _file: Arc<OwnedFd>,
}

impl Keep for EventWait {
    const IF_DROPPED: IfDropped = IfDropped::Cancel;
}

struct Word {
    _file: Arc<OwnedFd>,
    value: Box<u64>,
}

impl Keep for Word {
    const IF_DROPPED: IfDropped = IfDropped::Cancel;
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::future::pending;
    use std::io::Write;

    use nix::sys::eventfd::{EfdFlags, EventFd};

    use super::*;
    use crate::Host;
    use crate::executor::{Executor, Order};

    #[test]
    fn a_signal_is_taken_once_whether_the_descriptor_blocks_or_not() {
        for flags in [EfdFlags::empty(), EfdFlags::EFD_NONBLOCK] {
            let ring = Ring::new(8).unwrap();
            let executor = Executor::new(ring.clone(), Order::Fifo);
            let file: Arc<OwnedFd> = Arc::new(EventFd::from_flags(flags).unwrap().into());
            let event = Event::new(&ring, Arc::clone(&file));
            let run = async {
                event.signal().await.unwrap();
                event.signal().await.unwrap();
                assert!(event.wait_unless(pending()).await.unwrap());
                // Both were taken: only a third signal ends another wait.
                assert!(!event.wait_unless(executor.host().sleep(1_000_000)).await.unwrap());
                File::from(file.try_clone().unwrap()).write_all(&1u64.to_ne_bytes()).unwrap();
                assert!(event.wait_unless(pending()).await.unwrap());
            };
            executor.run(run).unwrap();
        }
    }

    #[test]
    fn a_signal_that_nobody_takes_is_given_up_and_one_that_fits_is_delivered_also_late() {
        let ring = Ring::new(8).unwrap();
        let executor = Executor::new(ring.clone(), Order::Fifo);
        let file: Arc<OwnedFd> = Arc::new(EventFd::new().unwrap().into());
        let event = Event::new(&ring, Arc::clone(&file));
        let write =
            |value: u64| File::from(file.try_clone().unwrap()).write_all(&value.to_ne_bytes()).unwrap();
        let run = async {
            event.signal_unless(std::future::ready(())).await.unwrap();
            assert!(event.wait_unless(pending()).await.unwrap(), "it came");
            read_at_once(&file).unwrap_or(false);
            write(u64::MAX - 1);
            event.signal_unless(executor.host().sleep(1_000_000)).await.unwrap();
            event.signal_unless(std::future::ready(())).await.unwrap();
        };
        executor.run(run).unwrap();
        drop((executor, event));
        ring.drain();
        assert_eq!(Arc::strong_count(&file), 1);
    }

    #[test]
    fn signals_that_are_not_confirmed_come_all_the_same_and_none_is_left_behind() {
        let ring = Ring::new(8).unwrap();
        let executor = Executor::new(ring.clone(), Order::Fifo);
        let file: Arc<OwnedFd> = Arc::new(EventFd::from_flags(EfdFlags::EFD_NONBLOCK).unwrap().into());
        let count = 3 * u64::from(UNCONFIRMED_MAX);
        let run = async {
            let event = Event::new(&ring, Arc::clone(&file));
            for _ in 0..count {
                event.signal().await.unwrap();
            }
            event.settle();
        };
        executor.run(run).unwrap();
        let mut bytes = [0; 8];
        assert_eq!(nix::unistd::read(&file, &mut bytes), Ok(8));
        assert_eq!(
            u64::from_ne_bytes(bytes),
            count,
            "each was given to the kernel before the event was settled"
        );
    }

    #[test]
    fn an_event_that_is_dropped_before_the_kernel_has_its_signal_still_signals_its_own_file() {
        let ring = Ring::new(8).unwrap();
        let executor = Executor::new(ring.clone(), Order::Fifo);
        let host = executor.host();
        let file: Arc<OwnedFd> = Arc::new(EventFd::from_flags(EfdFlags::EFD_NONBLOCK).unwrap().into());
        let other = file.try_clone().unwrap();
        let run = async {
            Event::new(&ring, file).signal().await.unwrap();
            // Were the file closed, this would be in its place.
            let taken = File::open("/dev/null").unwrap();
            host.sleep(1_000_000).await;
            drop(taken);
        };
        executor.run(run).unwrap();
        let mut bytes = [0; 8];
        assert_eq!(nix::unistd::read(&other, &mut bytes), Ok(8));
        assert_eq!(u64::from_ne_bytes(bytes), 1);
    }

    #[test]
    fn a_signal_that_comes_while_nobody_waits_ends_the_next_wait() {
        let ring = Ring::new(8).unwrap();
        let executor = Executor::new(ring.clone(), Order::Fifo);
        let file: Arc<OwnedFd> = Arc::new(EventFd::new().unwrap().into());
        let event = Event::new(&ring, Arc::clone(&file));
        let write = || File::from(file.try_clone().unwrap()).write_all(&1u64.to_ne_bytes()).unwrap();
        let run = async {
            assert!(!event.wait_unless(executor.host().sleep(1_000_000)).await.unwrap());
            for _ in 0..100 {
                write();
                executor.host().sleep(10_000).await;
                write();
                assert!(event.wait_unless(pending()).await.unwrap());
                // The rest of the two is reported at once.
                while event.wait_unless(executor.host().sleep(100_000)).await.unwrap() {}
            }
        };
        executor.run(run).unwrap();
        drop(event);
        ring.drain();
        assert_eq!(Arc::strong_count(&file), 1);
    }

    #[test]
    fn while_it_rests_the_kernel_has_nothing_of_it_and_no_signal_is_lost() {
        let ring = Ring::new(8).unwrap();
        let executor = Executor::new(ring.clone(), Order::Fifo);
        let file: Arc<OwnedFd> = Arc::new(EventFd::new().unwrap().into());
        let event = Event::new(&ring, Arc::clone(&file));
        let write = || File::from(file.try_clone().unwrap()).write_all(&1u64.to_ne_bytes()).unwrap();
        let waited = executor.run(event.wait_unless(executor.host().sleep(1_000_000))).unwrap();
        assert!(!waited.unwrap(), "nobody signalled");
        event.rest();
        ring.drain();
        assert_eq!(Arc::strong_count(&file), 2, "the test's and the event's");
        write();
        assert!(executor.run(event.wait_unless(pending())).unwrap().unwrap());
        // A signal that was not reported before the rest.
        write();
        event.rest();
        assert!(executor.run(event.wait_unless(pending())).unwrap().unwrap());
    }

    /// As kernels before Linux 6.1 are asked, which are seldom there to be tested on.
    #[test]
    fn a_wait_that_is_stopped_is_gone_on_with_by_the_next_and_takes_no_signal() {
        let ring = Ring::new(8).unwrap();
        let executor = Executor::new(ring.clone(), Order::Fifo);
        let file: Arc<OwnedFd> = Arc::new(EventFd::new().unwrap().into());
        let event = Event::new(&ring, Arc::clone(&file));
        let write = || File::from(file.try_clone().unwrap()).write_all(&1u64.to_ne_bytes()).unwrap();
        let run = async {
            for _ in 0..100 {
                assert!(!event.take_unless(std::future::ready(())).await.unwrap(), "at once");
                assert!(!event.take_unless(executor.host().sleep(10_000)).await.unwrap(), "and in a while");
                assert_eq!(Arc::strong_count(&file), 3, "it was asked once, and is not taken back");
            }
            for _ in 0..100 {
                // There is no waiter when it arrives, and the kernel may report it before there is one or not.
                write();
                executor.host().sleep(10_000).await;
                assert!(event.take_unless(pending()).await.unwrap());
                assert!(!event.take_unless(executor.host().sleep(10_000)).await.unwrap(), "it was taken");
            }
        };
        executor.run(run).unwrap();
        event.rest();
        ring.drain();
        assert_eq!(Arc::strong_count(&file), 2, "the test's and the event's");
        write();
        assert!(executor.run(event.take_unless(pending())).unwrap().unwrap());
    }

    #[test]
    fn what_is_no_event_fails_instead_of_blocking_anybody() {
        let ring = Ring::new(8).unwrap();
        let executor = Executor::new(ring.clone(), Order::Fifo);
        let nothing: Arc<OwnedFd> = Arc::new(File::open("/dev/null").unwrap().into());
        let event = Event::new(&ring, nothing);
        assert!(executor.run(event.wait_unless(pending())).unwrap().is_err(), "nothing to read");
        assert!(executor.run(event.signal()).unwrap().is_err(), "opened for reading");
    }
}
