//! The helper process of an image: started, watched, started again when it dies, and released.
//!
//! ```text
//!   start ──> opened ──> serving ── died ──> another one continues, if the lock is still the dead one's ──> serving
//!                           │ fenced: by another client                └─ it is not: lost
//!                           └ released: the last owner is dropped, or this process ends (the helper's input ends)
//! ```
//! One thread watches a helper, a second one reads its lines. A helper that died is fenced off by the next one before that serves
//! anything, so what the dead one had in flight cannot be done later.

use std::cell::Cell;
use std::collections::HashMap;
use std::env;
use std::ffi::OsStr;
use std::fs::{DirBuilder, File};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ::rbd::{Call, ImageName, Message, Opened, Outcome, Refusal, RefusalKind, Request};
use base::error::{Error, Result};
use base::signals;
use block::file::Access;
use tokio::sync::oneshot;

/// File name of the helper.
const PROGRAM: &str = "forebay-rbd";
/// Folders besides that of this program and those in `PATH`.
const MORE_FOLDERS: [&str; 2] = ["/usr/libexec/forebay", "/usr/bin"];
/// Time in which an image is opened, with half a minute for an earlier helper and two for monitors.
const OPEN_TIME_MAX: Duration = Duration::from_mins(1);
/// Time for the cluster to answer a request for metadata.
const CALL_TIME_MAX: Duration = Duration::from_secs(20);
/// Time in which a helper releases its image. Then it is killed, and the next one fences it off.
const RELEASE_TIME_MAX: Duration = Duration::from_secs(30);
/// Pauses before a helper is started again: the first, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));
/// Running time after which the next pause is the first one again.
const STABLE: Duration = Duration::from_secs(30);

/// Reason of a helper that ended without one.
const SILENT: &str = "its helper ended without a reason; see the log of the daemon";

/// Parameters of serving an image.
#[derive(Clone, Debug)]
pub(super) struct HelperOptions {
    pub(super) socket: PathBuf,
    /// File that says who had the lock of the image last.
    pub(super) lock: PathBuf,
    pub(super) access: Access,
}

/// The helper of an open image, for any thread. Dropping it releases the image, later.
pub(super) struct Helper {
    link: Arc<Link>,
    events: Sender<Event>,
}

/// The connection to the present helper process.
struct Link {
    name: ImageName,
    /// Requests to it; none while there is no process.
    input: Mutex<Option<ChildStdin>>,
    /// Requests without an answer.
    pending: Mutex<HashMap<u64, Sender<Outcome>>>,
    ids: AtomicU64,
    opened: Mutex<Option<Opened>>,
    /// Reason for which the image is lost.
    lost: Mutex<Option<String>>,
}

/// An event for the thread that watches.
enum Event {
    /// A line of the process with this number.
    Line(u64, Message),
    /// That process closed its output.
    Closed(u64),
    Release,
}

impl Helper {
    /// Examines an image, and closes it again.
    ///
    /// # Errors
    /// The reason for which it cannot be served.
    pub(super) async fn examine(name: &ImageName) -> Result<Opened> {
        let wanted = name.clone();
        on_thread(move || {
            let mut child = spawn(&wanted, &[OsStr::new("--examine")])?;
            let (events, arriving) = channel();
            listen(child.stdout.take(), 0, events);
            let first = first_message(&arriving, 0);
            drop(end(&mut child));
            first.map_err(|reason| refused(&wanted, &reason.into()))
        })
        .await
    }

    /// Opens and locks an image, and serves it on a socket.
    ///
    /// # Errors
    /// The reason for which it is not served.
    pub(super) async fn start(name: &ImageName, options: HelperOptions) -> Result<Arc<Self>> {
        let (events, arriving) = channel();
        let link = Arc::new(Link::new(name));
        let helper = Arc::new(Self { link: Arc::clone(&link), events: events.clone() });
        let (started, outcome) = oneshot::channel();
        let run = move || {
            let watcher = Watcher { link, options, events, arriving, process: Cell::new(0) };
            let child = watcher.start_first();
            let child = match child {
                Ok(child) => child,
                Err(error) => {
                    started.send(Err(error)).unwrap_or(());
                    return;
                }
            };
            // An opener that has stopped waiting drops the helper, which releases it.
            started.send(Ok(())).unwrap_or(());
            watcher.watch(child);
        };
        thread::Builder::new().name("rbd-watch".to_owned()).spawn(run).map_err(|error| no_thread(&error))?;
        outcome.await.map_err(|_| Error::failed("Cannot start a helper: its thread ended"))??;
        Ok(helper)
    }

    /// Returns the facts of the image, as it was opened last.
    pub(super) fn opened(&self) -> Opened {
        lock(&self.link.opened).clone().expect("a helper is handed out once it has opened its image")
    }

    /// Returns the reason for which the image is lost, if it is.
    pub(super) fn lost(&self) -> Option<String> {
        lock(&self.link.lost).clone()
    }

    /// Performs a request, waiting for the cluster.
    ///
    /// # Errors
    /// If there is no helper now, or it does not answer.
    pub(super) fn call(&self, request: Request) -> io::Result<Outcome> {
        self.link.call(request)
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // A watcher that has ended has no helper.
        self.events.send(Event::Release).unwrap_or(());
    }
}

impl Link {
    fn new(name: &ImageName) -> Self {
        Self {
            name: name.clone(),
            input: Mutex::default(),
            pending: Mutex::default(),
            ids: AtomicU64::new(1),
            opened: Mutex::default(),
            lost: Mutex::default(),
        }
    }

    fn call(&self, request: Request) -> io::Result<Outcome> {
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = channel();
        lock(&self.pending).insert(id, sender);
        let outcome = self.send(&Call { id, request }).and_then(|()| {
            answer.recv_timeout(CALL_TIME_MAX).map_err(|error| match error {
                RecvTimeoutError::Timeout => {
                    io::Error::new(io::ErrorKind::TimedOut, "the cluster does not answer")
                }
                RecvTimeoutError::Disconnected => away(),
            })
        });
        lock(&self.pending).remove(&id);
        outcome
    }

    fn send(&self, call: &Call) -> io::Result<()> {
        let mut line = serde_json::to_string(call)?;
        line.push('\n');
        lock(&self.input).as_mut().ok_or_else(away)?.write_all(line.as_bytes())
    }

    /// Forgets a process that has ended: its requests have no answer.
    fn disconnect(&self) {
        lock(&self.input).take();
        lock(&self.pending).clear();
    }

    fn lose(&self, reason: &str) {
        tracing::error!(
            "The image {} is lost to this host: {reason}. Guests get errors; data that is not in the backing yet stays on flash. Find out \
             who uses the image, end that, and restart the daemon",
            self.name
        );
        lock(&self.lost).get_or_insert_with(|| reason.to_owned());
    }
}

fn away() -> io::Error {
    io::Error::new(io::ErrorKind::NotConnected, "its helper is not running")
}

/// The thread that watches the helper of one image.
struct Watcher {
    link: Arc<Link>,
    options: HelperOptions,
    events: Sender<Event>,
    arriving: Receiver<Event>,
    /// Number of the present process. Earlier ones may still have events.
    process: Cell<u64>,
}

/// The reason for which a process did not open its image.
#[derive(Debug)]
enum NotOpened {
    Refused(Refusal),
    /// The disk was removed meanwhile.
    NotWanted,
}

impl From<NotOpened> for Refusal {
    fn from(reason: NotOpened) -> Self {
        match reason {
            NotOpened::Refused(refusal) => refusal,
            NotOpened::NotWanted => unreachable_image("the disk was removed meanwhile".to_owned()),
        }
    }
}

/// The reason for which a process is watched no longer.
enum WatchEnd {
    Died,
    Released,
}

impl Watcher {
    fn start_first(&self) -> Result<Child> {
        for path in [&self.options.socket, &self.options.lock] {
            path.parent().map_or(Ok(()), make_private)?;
        }
        self.start(None)?.map_err(|reason| refused(&self.link.name, &reason.into()))
    }

    /// Starts a process, and waits until it has opened the image.
    fn start(&self, continues: Option<&str>) -> Result<Result<Child, NotOpened>> {
        let mut arguments = vec![
            OsStr::new("--socket"),
            self.options.socket.as_os_str(),
            OsStr::new("--lock"),
            self.options.lock.as_os_str(),
        ];
        if self.options.access == Access::ReadOnly {
            arguments.push(OsStr::new("--read-only"));
        }
        if let Some(owner) = continues {
            arguments.extend(["--continue-for", owner].map(OsStr::new));
        }
        let mut child = spawn(&self.link.name, &arguments)?;
        let input = child.stdin.take();
        let process = self.process.get() + 1;
        self.process.set(process);
        listen(child.stdout.take(), process, self.events.clone());
        match first_message(&self.arriving, process) {
            Ok(opened) => {
                *lock(&self.link.opened) = Some(opened);
                *lock(&self.link.input) = input;
                Ok(Ok(child))
            }
            Err(reason) => {
                drop(input);
                drop(end(&mut child));
                Ok(Err(reason))
            }
        }
    }

    /// Watches a process and its successors until the image is released or lost.
    fn watch(&self, mut child: Child) {
        let mut pause = PAUSES.0;
        loop {
            let began = Instant::now();
            match self.follow() {
                WatchEnd::Released => return self.release(&mut child),
                WatchEnd::Died => {}
            }
            let status = end(&mut child);
            self.link.disconnect();
            if lock(&self.link.lost).is_some() {
                return;
            }
            if began.elapsed() > STABLE {
                pause = PAUSES.0;
            }
            let status = status.map_or_else(|error| error.to_string(), |status| status.to_string());
            tracing::warn!("The helper of {} ended ({status}); another one continues", self.link.name);
            match self.restart(&mut pause) {
                Some(next) => child = next,
                None => return,
            }
        }
    }

    /// Waits until the process has ended, or is to be released.
    fn follow(&self) -> WatchEnd {
        loop {
            match self.arriving.recv() {
                Ok(Event::Line(_, Message::Answer { id, outcome })) => {
                    if let Some(waiting) = lock(&self.link.pending).remove(&id) {
                        // A caller may have stopped waiting.
                        waiting.send(outcome).unwrap_or(());
                    }
                }
                Ok(Event::Line(_, Message::Fenced { reason })) => self.link.lose(&reason),
                Ok(Event::Closed(process)) if process == self.process.get() => return WatchEnd::Died,
                Ok(Event::Line(..) | Event::Closed(_)) => {}
                Ok(Event::Release) | Err(_) => return WatchEnd::Released,
            }
        }
    }

    /// Starts processes until one serves the image; none if it is released or lost.
    fn restart(&self, pause: &mut Duration) -> Option<Child> {
        let owner = lock(&self.link.opened).as_ref().and_then(|opened| opened.owner.clone());
        let before = lock(&self.link.opened).clone();
        loop {
            match self.arriving.recv_timeout(*pause) {
                Ok(Event::Release) | Err(RecvTimeoutError::Disconnected) => return None,
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            }
            *pause = (*pause * 2).min(PAUSES.1);
            let reason = match self.start(owner.as_deref()) {
                Ok(Ok(mut child)) => {
                    let is_same = |one: &Opened, two: &Opened| super::image_id(one) == super::image_id(two);
                    if before
                        .as_ref()
                        .zip(lock(&self.link.opened).as_ref())
                        .is_some_and(|(one, two)| is_same(one, two))
                    {
                        return Some(child);
                    }
                    self.link.disconnect();
                    drop(end(&mut child));
                    self.link.lose(
                        "another image has its name now. Give its name to the image that this disk had, and restart Forebay; or remove the \
                         disk (`forebay disk remove NAME --discard-dirty` gives up what only flash has)",
                    );
                    return None;
                }
                Ok(Err(NotOpened::NotWanted)) => return None,
                Ok(Err(NotOpened::Refused(Refusal { kind: RefusalKind::Fenced, reason }))) => {
                    self.link.lose(&reason);
                    return None;
                }
                Ok(Err(NotOpened::Refused(refusal))) => refusal.reason,
                Err(problem) => problem.message,
            };
            tracing::warn!("Cannot continue with {}: {reason}; trying again", self.link.name);
        }
    }

    fn release(&self, child: &mut Child) {
        // The end of its input is a release as well, if this one does not arrive.
        drop(self.link.send(&Call { id: 0, request: Request::Release }));
        self.link.disconnect();
        let until = Instant::now() + RELEASE_TIME_MAX;
        loop {
            match self.arriving.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Event::Closed(process)) if process == self.process.get() => break,
                Ok(_) => {}
                Err(_) => {
                    tracing::warn!(
                        "The helper of {} did not release the image within {} s, and is killed; the next one fences it off",
                        self.link.name,
                        RELEASE_TIME_MAX.as_secs()
                    );
                    break;
                }
            }
        }
        drop(end(child));
    }
}

/// Kills a process that has not ended, and waits until it has.
fn end(child: &mut Child) -> io::Result<ExitStatus> {
    // One that has closed its output is about to end by itself.
    let until = Instant::now() + Duration::from_secs(2);
    while Instant::now() < until {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.kill()?;
    child.wait()
}

/// Reads the lines of a process on a thread of its own.
fn listen(output: Option<ChildStdout>, process: u64, events: Sender<Event>) {
    let read = move || {
        for line in output.into_iter().flat_map(|output| BufReader::new(output).lines()) {
            let Ok(line) = line else { break };
            match serde_json::from_str(&line) {
                Ok(message) => events.send(Event::Line(process, message)).unwrap_or(()),
                Err(error) => tracing::debug!(%error, line, "a helper printed something else"),
            }
        }
        events.send(Event::Closed(process)).unwrap_or(());
    };
    // Without a thread the sender is dropped, and the process seems to have ended.
    drop(thread::Builder::new().name("rbd-read".to_owned()).spawn(read));
}

/// Waits for the first message of the process with this number.
fn first_message(arriving: &Receiver<Event>, process: u64) -> Result<Opened, NotOpened> {
    let unreachable = |reason: String| Err(NotOpened::Refused(unreachable_image(reason)));
    let until = Instant::now() + OPEN_TIME_MAX;
    loop {
        match arriving.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Event::Line(of, Message::Opened(opened))) if of == process => return Ok(opened),
            Ok(Event::Line(of, Message::Refused(refusal))) if of == process => {
                return Err(NotOpened::Refused(refusal));
            }
            Ok(Event::Closed(of)) if of == process => return unreachable(SILENT.to_owned()),
            Ok(Event::Line(..) | Event::Closed(_)) => {}
            Err(RecvTimeoutError::Disconnected) => return unreachable(SILENT.to_owned()),
            Ok(Event::Release) => return Err(NotOpened::NotWanted),
            Err(RecvTimeoutError::Timeout) => {
                return unreachable(format!(
                    "the cluster did not answer within {} s; see `ceph status`",
                    OPEN_TIME_MAX.as_secs()
                ));
            }
        }
    }
}

fn unreachable_image(reason: String) -> Refusal {
    Refusal { kind: RefusalKind::Unreachable, reason }
}

fn refused(name: &ImageName, Refusal { kind, reason }: &Refusal) -> Error {
    let message = format!("Cannot use backing {name}: {reason}");
    match kind {
        RefusalKind::Unusable => Error::invalid(message),
        RefusalKind::InUse | RefusalKind::Fenced => Error::conflict(message),
        RefusalKind::Unreachable => Error::unavailable(message),
    }
}

fn spawn(name: &ImageName, arguments: &[&OsStr]) -> Result<Child> {
    let program = find_program().ok_or_else(|| {
        Error::invalid(format!(
            "Cannot use backing {name}: the helper {PROGRAM} is not installed; install the package {PROGRAM}"
        ))
    })?;
    let mut command = Command::new(&program);
    command.arg(name.to_string()).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    signals::release_in(&mut command);
    command.spawn().map_err(|error| {
        Error::failed(format!("Cannot use backing {name}: {} cannot be started: {error}", program.display()))
    })
}

/// Returns the path of the helper: beside this program, else in `PATH` or a folder for it.
fn find_program() -> Option<PathBuf> {
    let own = env::current_exe().ok();
    let beside = own.as_deref().and_then(Path::parent).map(Path::to_owned);
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = beside.into_iter().chain(env::split_paths(&path)).chain(MORE_FOLDERS.map(PathBuf::from));
    folders.map(|folder| folder.join(PROGRAM)).find(|program| program.is_file())
}

/// Makes the folder of sockets and lock files, for the service alone.
fn make_private(folder: &Path) -> Result<()> {
    let made = match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        // Lock files outlive a power cut, and so does their folder.
        made => made.and_then(|()| File::open(folder.parent().unwrap_or(folder))?.sync_all()),
    };
    made.map_err(|error| {
        Error::failed(format!("Cannot make {}: {error}; check its folder", folder.display()))
    })
}

/// Runs `work` on a thread of its own.
async fn on_thread<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let (done, outcome) = oneshot::channel();
    let run = move || drop(done.send(work()));
    thread::Builder::new().name("rbd-examine".to_owned()).spawn(run).map_err(|error| no_thread(&error))?;
    outcome.await.map_err(|_| Error::failed("Cannot examine an image: its thread ended"))?
}

fn no_thread(error: &io::Error) -> Error {
    Error::failed(format!("Cannot start a thread: {error}; free some memory"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name() -> ImageName {
        ImageName::parse("p/i").expect("a name")
    }

    #[test]
    fn refusals_are_errors_of_those_who_can_resolve_them() {
        use base::error::ErrorKind;
        for (kind, expected) in [
            (RefusalKind::Unusable, ErrorKind::Invalid),
            (RefusalKind::InUse, ErrorKind::Conflict),
            (RefusalKind::Fenced, ErrorKind::Conflict),
            (RefusalKind::Unreachable, ErrorKind::Unavailable),
        ] {
            let error = refused(&name(), &Refusal { kind, reason: "because".to_owned() });
            assert_eq!(
                (error.kind, error.message.as_str()),
                (expected, "Cannot use backing rbd:p/i: because")
            );
        }
    }

    #[test]
    fn a_helper_that_ends_without_a_line_is_an_error_that_may_pass() {
        let (events, arriving) = channel();
        events.send(Event::Closed(1)).expect("it is open");
        events.send(Event::Closed(2)).expect("it is open");
        let refusal = Refusal::from(first_message(&arriving, 2).expect_err("there is none"));
        assert_eq!(refusal.kind, RefusalKind::Unreachable);
    }

    #[test]
    fn a_release_while_a_helper_starts_or_is_about_to_ends_its_watcher() {
        let (events, arriving) = channel();
        events.send(Event::Release).expect("it is open");
        assert!(matches!(first_message(&arriving, 1), Err(NotOpened::NotWanted)));
        let link = Link::new(&name());
        let options =
            HelperOptions { socket: "/none".into(), lock: "/none".into(), access: Access::ReadOnly };
        let watcher = Watcher { link: Arc::new(link), options, events, arriving, process: Cell::new(0) };
        watcher.events.send(Event::Release).expect("it is open");
        let mut pause = PAUSES.0;
        assert!(watcher.restart(&mut pause).is_none(), "nothing is started");
    }

    #[test]
    fn a_request_without_a_helper_fails_at_once() {
        let link = Link::new(&name());
        let error = link.call(Request::MetadataGet { key: "x".to_owned() }).expect_err("there is no process");
        assert_eq!(error.kind(), io::ErrorKind::NotConnected);
        assert!(lock(&link.pending).is_empty());
    }
}
