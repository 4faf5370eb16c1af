//! Serves an open image, and does what the daemon requests, until the daemon or the cluster ends it.
//!
//! ```text
//!   stdin ── reader ──> jobs <── header of the image changed
//!                        │ worker: the requests that wait for the cluster
//!                        v
//!   this thread: NBD on the socket ── release, end of stdin, fenced ──> end
//! ```

use std::io::{BufRead, Write, stdin, stdout};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::pin::pin;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use block::executor::{Executor, LocalHost, Order};
use block::socket::Listener;
use block::{Host, Ring};
use doors::nbd::{Export, NbdDoor};
use futures_util::future::{Either, select};
use nix::errno::Errno;
use nix::sys::signal::{SigHandler, Signal, signal};
use nix::sys::stat::{Mode, umask};
use rbd::{Call, Message, Outcome, Request, SESSION_KEY, exit};
use tokio::sync::oneshot;

use crate::ceph::{EXCLUSIVE_LOCK, Failure, Image, Pool};
use crate::device::{ImageState, RbdDevice};
use crate::guard::Guard;
use crate::lock_file::{LockFile, Release};
use crate::opening::OpenImage;

/// Entries of the ring's submission queue.
const RING_DEPTH: u32 = 256;
/// Time in which clients fetch the errors of a fenced image.
const FENCED_NS: u64 = 1_000_000_000;

/// Time in which a released image is closed. A cluster that takes longer may be gone for good; the next helper fences this one off, as
/// any that died.
const RELEASE_TIME_MAX: Duration = Duration::from_secs(30);
/// The same after the daemon has ended: shorter than the time that the helper of its successor waits.
const ORPHAN_TIME_MAX: Duration = Duration::from_secs(10);

/// Work of the worker.
enum Job {
    Call(Call),
    /// The header of the image has changed.
    Changed,
    /// The daemon has ended.
    Orphaned,
}

/// The reason for which an image is served no longer.
enum End {
    /// The daemon releases it, with the number of its request, or has ended.
    Released(Option<u64>),
    Fenced,
}

/// Ignores the signals that request a stop.
pub(crate) fn ignore_stops() {
    for stop in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGHUP] {
        // SAFETY: ignoring a signal runs no code of ours.
        unsafe { signal(stop, SigHandler::SigIgn) }.expect("these signals can be ignored");
    }
}

/// Prints a line for the daemon. A daemon that has ended reads nothing, and its end comes by standard input.
pub(crate) fn say(message: &Message) {
    let mut line = serde_json::to_string(message).expect("plain data");
    line.push('\n');
    let mut output = stdout().lock();
    drop(output.write_all(line.as_bytes()).and_then(|()| output.flush()));
}

/// Ends the process without the destructors of libraries, whose threads may still run.
pub(crate) fn leave(code: i32) -> ! {
    // SAFETY: it does not return, and runs nothing of ours.
    unsafe { libc::_exit(code) }
}

/// Serves the image until the end, and returns the exit code.
pub(crate) fn serve(open: OpenImage, socket: &Path, read_only: bool) -> i32 {
    let OpenImage { image, pool, opened, lock_file } = open;
    let lock_file = Arc::new(Mutex::new(lock_file.expect("a served image has one")));
    let id = opened.image.clone();
    let state = ImageState::new(opened.bytes);
    let ring = match Ring::new(RING_DEPTH) {
        Ok(ring) => ring,
        Err(error) => failed(&format!("io_uring cannot be used: {error}")),
    };
    let listener = match listen(&ring, socket) {
        Ok(listener) => listener,
        Err(error) => failed(&format!("{} cannot be listened on: {error}", socket.display())),
    };
    let (jobs, work) = channel();
    let changes = jobs.clone();
    // Without a notice the daemon still measures on request.
    image.watch(move || drop(changes.send(Job::Changed))).unwrap_or(());
    let (ended, end) = oneshot::channel();
    let working =
        Worker { image: Arc::clone(&image), state: Arc::clone(&state), lock_file: Arc::clone(&lock_file) };
    let worker = thread::spawn(move || working.run(&work, ended));
    let guard = Guard::start(&image, &state, opened.owner.clone().expect("a served image is locked"));
    thread::spawn(move || read_requests(&jobs));
    say(&Message::Opened(opened));

    let executor = Executor::new(ring, Order::Fifo);
    let device = RbdDevice { image: Arc::clone(&image), state: Arc::clone(&state), read_only };
    let serving = serve_until(executor.host(), listener, device, Arc::clone(&state), end);
    let end = executor.run(serving).expect("a ring always waits");
    drop(executor);
    let request = match end {
        End::Fenced => {
            let reason = "another client took the lock of the image, and the cluster keeps this one out";
            say(&Message::Fenced { reason: reason.to_owned() });
            // Closing the image would ask the cluster, which does not answer this client.
            leave(exit::FENCED)
        }
        End::Released(request) => request,
    };
    worker.join().expect("the worker does not panic");
    guard.stop();
    let outcome = release(image, &pool, &id, &lock_file);
    if let Some(id) = request {
        let outcome =
            outcome.map_or_else(|error| Outcome::Failed { errno: error as i32 }, |()| Outcome::Done);
        say(&Message::Answer { id, outcome });
    }
    exit::RELEASED
}

/// Makes what was written durable, releases the lock, notes that, and closes the image.
fn release(image: Arc<Image>, pool: &Pool, id: &str, lock_file: &Mutex<LockFile>) -> Result<(), Failure> {
    // Another one that has the image open could have the lock before the version is read.
    let is_alone = image.watchers().is_ok_and(|watchers| watchers.len() <= 1);
    image.flush_now().and_then(|()| image.unlock())?;
    let released = Release::of(pool, id).ok().filter(|_| is_alone);
    lock_file.lock().unwrap_or_else(PoisonError::into_inner).release(released);
    // Nobody takes this client for a user of the image then.
    drop(image);
    Ok(())
}

/// Ends as one that dies, with the lock: the next helper fences it off and continues.
fn failed(reason: &str) -> ! {
    eprintln!("forebay-rbd: {reason}");
    leave(exit::FAILED)
}

/// Listens on the socket, with rights for the user of this process alone. A socket that is there is of a helper that has ended.
fn listen(ring: &Ring, socket: &Path) -> std::io::Result<Listener> {
    match std::fs::remove_file(socket) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    umask(Mode::from_bits_truncate(0o177));
    Listener::from_unix(ring, UnixListener::bind(socket)?)
}

async fn serve_until(
    host: LocalHost,
    listener: Listener,
    device: RbdDevice,
    state: Arc<ImageState>,
    end: oneshot::Receiver<Option<u64>>,
) -> End {
    let export = Export::new("", "an image of Ceph RBD", device);
    let door = NbdDoor::for_disk(Rc::clone(&export));
    host.spawn(Rc::clone(&door).listen(listener, host.clone()));
    let end = match select(end, pin!(state.fenced())).await {
        // The worker ends after it has sent one.
        Either::Left((end, _)) => End::Released(end.ok().flatten()),
        Either::Right(_) => End::Fenced,
    };
    door.close();
    match end {
        // Requests in flight end first.
        End::Released(_) => export.drain().await,
        End::Fenced => {
            select(pin!(export.drain()), pin!(host.sleep(FENCED_NS))).await;
        }
    }
    end
}

fn read_requests(jobs: &Sender<Job>) {
    let mut is_released = false;
    for line in stdin().lock().lines() {
        let Ok(line) = line else { break };
        match serde_json::from_str(&line) {
            Ok(call @ Call { .. }) => {
                if call.request == Request::Release && !is_released {
                    is_released = true;
                    end_within(RELEASE_TIME_MAX);
                }
                drop(jobs.send(Job::Call(call)));
            }
            Err(error) => eprintln!("forebay-rbd: a request makes no sense: {error}"),
        }
    }
    if !is_released {
        end_within(ORPHAN_TIME_MAX);
    }
    drop(jobs.send(Job::Orphaned));
}

/// Ends this process after some time, whatever it waits for then.
fn end_within(time: Duration) {
    thread::spawn(move || {
        thread::sleep(time);
        eprintln!(
            "forebay-rbd: the cluster does not answer; the image stays locked until the next helper starts"
        );
        leave(exit::FAILED)
    });
}

/// Does what is requested.
struct Worker {
    image: Arc<Image>,
    state: Arc<ImageState>,
    lock_file: Arc<Mutex<LockFile>>,
}

impl Worker {
    /// Runs until the release.
    fn run(&self, work: &Receiver<Job>, ended: oneshot::Sender<Option<u64>>) {
        let end = loop {
            match work.recv() {
                Ok(Job::Call(Call { id, request: Request::Release })) => break Some(id),
                Ok(Job::Call(Call { id, request })) => {
                    let is_session =
                        matches!(&request, Request::MetadataSet { key, .. } if key == SESSION_KEY);
                    let mut outcome = answer(&self.image, &self.state, request);
                    if is_session && outcome == Outcome::Done {
                        outcome = self.note_session();
                    }
                    say(&Message::Answer { id, outcome });
                }
                Ok(Job::Changed) => self.follow(),
                Ok(Job::Orphaned) | Err(_) => break None,
            }
        };
        // A fenced image has ended already.
        ended.send(end).unwrap_or_default();
    }

    /// Follows the header of the image. One that cannot be examined now keeps its size until the next notice or request.
    fn follow(&self) {
        match self.image.size() {
            Ok(bytes) => self.state.set_bytes(bytes),
            Err(Errno::ESHUTDOWN) => self.state.fence(),
            Err(_) => {}
        }
        // Without its lock anyone can write to it.
        if self.image.features().is_ok_and(|features| features & EXCLUSIVE_LOCK == 0) {
            self.state.fence();
        }
    }

    /// Notes that the daemon begins or ends a session, and so has judged what it has cached.
    fn note_session(&self) -> Outcome {
        match self.lock_file.lock().unwrap_or_else(PoisonError::into_inner).note_session() {
            Ok(()) => Outcome::Done,
            Err(refusal) => {
                eprintln!("forebay-rbd: {}", refusal.reason);
                Outcome::Failed { errno: libc::EIO }
            }
        }
    }
}

fn answer(image: &Image, state: &ImageState, request: Request) -> Outcome {
    let outcome = match request {
        Request::MetadataGet { key } => image.metadata(&key).map(Outcome::Value),
        Request::MetadataSet { key, value } => image.set_metadata(&key, &value).map(|()| Outcome::Done),
        Request::MetadataRemove { key } => image.remove_metadata(&key).map(|()| Outcome::Done),
        Request::Release => unreachable!("it ends the worker"),
    };
    outcome.unwrap_or_else(|error| {
        if error == Errno::ESHUTDOWN {
            state.fence();
        }
        Outcome::Failed { errno: error as i32 }
    })
}
