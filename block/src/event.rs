//! Events through the ring: the eventfds by which a guest says that there is work, and is told that there are results.
//!
//! Whoever is on the other side made the descriptor and may do with it what it likes: read it first, set it non-blocking, or
//! hand over something else. So nothing here ever makes a system call on it that could block the shard: the ring waits and
//! writes, and what can be read is read without waiting. Knows no protocol.

use std::future::Future;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::pin::pin;
use std::sync::Arc;

use io_uring::{opcode, types};
use nix::errno::Errno;

use crate::uring::{Ended, IfDropped, Keep, Ring};

/// An eventfd of somebody else, on the thread of a ring.
pub struct Event {
    ring: Ring,
    file: Arc<OwnedFd>,
}

impl Event {
    /// The event of a descriptor. Whether it is one shows when it is used.
    pub fn new(ring: &Ring, file: Arc<OwnedFd>) -> Self {
        Self { ring: ring.clone(), file }
    }

    /// Waits until the event is signalled, and takes the signal, or all of them if there were several. True then; false if
    /// `stop` was ready before. Either way nothing is left that could take a signal later: whoever looks afterwards at what
    /// a signal tells of, and waits again, misses none. Dropping the future gives no such promise.
    ///
    /// # Errors
    /// If the descriptor is no eventfd that can be read. Waiting again would end as quickly.
    pub async fn wait_unless(&self, stop: impl Future<Output = ()>) -> io::Result<bool> {
        let mut stop = pin!(stop);
        loop {
            let fd = types::Fd(self.file.as_raw_fd());
            let entry = opcode::PollAdd::new(fd, libc::POLLIN as u32).build();
            // SAFETY: the entry points to nothing, and `keep` holds the file.
            let waiting = unsafe { self.ring.run(entry, Waiting { _file: Arc::clone(&self.file) }) };
            let waited = waiting.unless(stop.as_mut()).await;
            if waited.stopped {
                return Ok(false);
            }
            let events = waited.result;
            if events < 0 || events & i32::from(libc::POLLIN) == 0 {
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
                // Somebody else took it.
                _ if result == -libc::EAGAIN || result == -libc::EINTR => {}
                _ => return Err(failure(result)),
            }
        }
    }

    /// Reads by the ring, what cannot be read without waiting otherwise. Returns the result, and whether it was stopped.
    async fn read_unless(&self, stop: impl Future<Output = ()>) -> (i32, bool) {
        let mut keep = Word { _file: Arc::clone(&self.file), value: Box::new(0) };
        let fd = types::Fd(self.file.as_raw_fd());
        let entry = opcode::Read::new(fd, (&raw mut *keep.value).cast(), size_of::<u64>() as u32).build();
        // SAFETY: `keep` owns the eight bytes on the heap, and the file.
        let Ended { result, stopped, .. } = unsafe { self.ring.run(entry, keep) }.unless(stop).await;
        (result, stopped)
    }

    /// Signals the event. Waits as long as it is full of signals that nobody takes, if its descriptor was made so.
    ///
    /// # Errors
    /// If the descriptor takes nothing.
    pub async fn signal(&self) -> io::Result<()> {
        self.signal_unless(std::future::pending()).await
    }

    /// Signals the event, unless that has to wait and `stop` is ready. If it is ready from the start, what can be signalled at once
    /// still is.
    ///
    /// # Errors
    /// If the descriptor takes nothing.
    pub async fn signal_unless(&self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let keep = Word { _file: Arc::clone(&self.file), value: Box::new(1) };
        let fd = types::Fd(self.file.as_raw_fd());
        let entry = opcode::Write::new(fd, (&raw const *keep.value).cast(), size_of::<u64>() as u32).build();
        // SAFETY: as for reading.
        let writing = unsafe { self.ring.run(entry, keep) };
        let Ended { result, stopped, .. } = writing.unless(stop).await;
        match result {
            1.. => Ok(()),
            // It is full of signals that nobody has taken.
            _ if result == -libc::EAGAIN || stopped => Ok(()),
            _ => Err(failure(result)),
        }
    }
}

/// Reads an event as far as that does not wait, whatever was made of its descriptor meanwhile: a second entry of the ring for it would
/// be a second system call too, and one that waits for its turn. True if there was something; `EAGAIN` if somebody else was faster, `EOPNOTSUPP` if this is
/// nothing that can be read so.
fn read_at_once(file: &OwnedFd) -> nix::Result<bool> {
    let mut value = 0_u64;
    let part = libc::iovec { iov_base: (&raw mut value).cast(), iov_len: size_of::<u64>() };
    // SAFETY: the kernel writes to the eight bytes of `value` at most, and only during the call. -1 is where the file stands.
    let count = unsafe { libc::preadv2(file.as_raw_fd(), &raw const part, 1, -1, libc::RWF_NOWAIT) };
    Errno::result(count).map(|count| count > 0)
}

fn failure(result: i32) -> io::Error {
    if result < 0 { io::Error::from_raw_os_error(-result) } else { io::ErrorKind::UnexpectedEof.into() }
}

struct Waiting {
    _file: Arc<OwnedFd>,
}

impl Keep for Waiting {
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
            write(u64::MAX - 1);
            event.signal_unless(executor.host().sleep(1_000_000)).await.unwrap();
            event.signal_unless(std::future::ready(())).await.unwrap();
        };
        executor.run(run).unwrap();
        drop((executor, event));
        assert_eq!(ring.in_flight(), 0);
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
