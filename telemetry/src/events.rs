//! Events that an operator must know. Each is reported once, and appears in the log and in a list of the newest events.
//!
//! ```text
//!   of_disk(), of_host()  ── log
//!   (any thread)          `─ channel ──> thread "events": DIR/events.jsonl, synced ── list ──> GET /v1/events
//! ```
//! Reporting never waits: threads that serve guests only put a message into a bounded channel. If it is full, the event is in the log only,
//! and the list has the number of such events. There is one list for the whole process, as there is one log, because events come from every
//! part of it. A process that never calls [`begin`] has the log alone.

mod file;
pub mod kind;
mod slowness;
pub mod watcher;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use base::error::{Error, Result};
use base::moment::Moment;
use base::plain;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use file::{EVENTS_MAX, Ending, EventFile, Opened};
pub use kind::{Kind, Level};
pub use slowness::Waits;

/// Events that wait to be written.
const WAITING_MAX: usize = 1_024;
/// Maximum length of a message, in characters; longer ones are cut. Far more than any of ours.
const MESSAGE_CHARS_MAX: usize = 2_000;
/// Maximum time for which [`settle`] waits.
const SETTLE_TIME_MAX: Duration = Duration::from_secs(1);

static LIST: OnceLock<List> = OnceLock::new();

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Number that rises for ever, also across restarts.
    pub id: u64,
    /// Time of the event.
    pub at: Moment,
    /// Kind of the event.
    pub kind: Kind,
    /// Name of the disk that it is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk: Option<String>,
    /// A sentence for people.
    pub message: String,
}

/// An event before it is in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    /// Kind of the event.
    pub kind: Kind,
    /// Name of the disk that it is about, if it is about one.
    pub disk: Option<String>,
    /// A sentence for people.
    pub message: String,
}

enum Message {
    News(Moment, News),
    /// Answered when everything before it is kept.
    Settle(SyncSender<()>),
}

/// The newest events, and the channel for more of them.
struct List {
    messages: SyncSender<Message>,
    /// Events that found the channel full and are not reported in the list yet.
    dropped: AtomicU64,
    /// Locked briefly, by the thread of the list and by the control plane.
    events: Mutex<VecDeque<Event>>,
    /// Id of the newest event.
    newest: watch::Sender<u64>,
    /// Message of a start that is not reported before the start has succeeded, because the start before it failed.
    pending_start: Mutex<Option<String>>,
}

/// Begins to keep events in `dir`, and reports how the last run ended. To be called once; later calls change nothing.
///
/// # Errors
/// Fails if no thread can be started.
pub fn begin(dir: &Path) -> Result<()> {
    let (messages, receiver) = sync_channel(WAITING_MAX);
    let Opened { file, events, id, ending, complaint } = EventFile::open(dir);
    let (newest, _) = watch::channel(id - 1);
    let after_failure = events.back().is_some_and(|last| last.kind == Kind::DaemonStartFailed);
    let list = List {
        messages,
        dropped: AtomicU64::new(0),
        events: Mutex::new(events),
        newest,
        pending_start: Mutex::default(),
    };
    if LIST.set(list).is_err() {
        return Ok(());
    }
    let keeping = move || keep(LIST.get().expect("it was set before this began"), file, id, &receiver);
    std::thread::Builder::new().name("events".to_owned()).spawn(keeping).map_err(|error| {
        Error::failed(format!("Cannot start the thread that keeps events: {error}; free some memory"))
    })?;
    if let Some(complaint) = complaint {
        of_host(Kind::EventsSetAside, complaint);
    }
    let died = match ending {
        Ending::Killed => Some("it was killed or crashed, or DIR took no writes when it stopped"),
        Ending::HostWentDown => Some("the host lost its power, or was reset"),
        Ending::Clean | Ending::Unknown => None,
    };
    if let Some(how) = died {
        of_host(Kind::DaemonDied, format!("The last run of the daemon has left no record of a stop: {how}"));
    }
    let after = match ending {
        Ending::Clean => "after a clean stop",
        Ending::Killed => "and the last run has left no record of a stop",
        Ending::HostWentDown => "after a power cut or a reset of the host",
        Ending::Unknown => "and nothing is known of an earlier run",
    };
    let message = format!("Forebay {} started, {after}", env!("CARGO_PKG_VERSION"));
    match LIST.get() {
        // A service manager may try once a second for days, and that must not push out older events.
        Some(list) if after_failure => *list.pending_start() = Some(message),
        _ => of_host(Kind::DaemonStarted, message),
    }
    Ok(())
}

/// Reports that the daemon was started, unless [`begin`] has done so.
pub fn note_started() {
    if let Some(message) = LIST.get().and_then(|list| list.pending_start().take()) {
        of_host(Kind::DaemonStarted, message);
    }
}

/// Reports a start that failed, and waits until the event is kept. If the newest event is the same one, only the log gets it.
pub fn note_failed_start(problem: &Error) {
    let message = format!("Forebay did not start: {problem}");
    let news = News { kind: Kind::DaemonStartFailed, disk: None, message };
    let is_listed = LIST.get().is_some_and(|list| list.newest_is(&news));
    if is_listed {
        log(&news);
    } else {
        report(news);
    }
    settle();
}

/// Reports an event of a disk.
pub fn of_disk(kind: Kind, name: &str, message: impl Into<String>) {
    report(News { kind, disk: Some(name.to_owned()), message: message.into() });
}

/// Reports an event of the host, its pool, or the daemon.
pub fn of_host(kind: Kind, message: impl Into<String>) {
    report(News { kind, disk: None, message: message.into() });
}

/// Reports an event to the log and the list. Never waits.
pub fn report(news: News) {
    let news = News { message: plain::line(&news.message).into_owned(), ..news };
    log(&news);
    let Some(list) = LIST.get() else { return };
    if list.messages.try_send(Message::News(Moment::now(), news)).is_err() {
        list.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

/// Waits until every event reported before is kept, or for one second: a file system that hangs must not keep the daemon from stopping.
pub fn settle() {
    let Some(list) = LIST.get() else { return };
    let (done, settled) = sync_channel(1);
    if list.messages.try_send(Message::Settle(done)).is_ok() && settled.recv_timeout(SETTLE_TIME_MAX).is_err()
    {
        tracing::warn!("The last events may not be kept: the file system that they go to does not answer");
    }
}

/// Returns the events after the one with this id, oldest first, and waits up to `patience` for one if there is none. An id that was never
/// assigned belongs to another list; then all events are returned.
pub async fn after(id: u64, patience: Duration) -> Vec<Event> {
    let Some(list) = LIST.get() else { return Vec::new() };
    let mut newest = list.newest.subscribe();
    let news = newest.wait_for(|newest| *newest != id);
    // The end of the wait needs no handling, and the sender lives as long as the process.
    drop(tokio::time::timeout(patience, news).await);
    list.after(id)
}

fn log(news: &News) {
    let News { kind, disk, message } = news;
    let (name, disk) = (kind.name(), disk.as_deref());
    match kind.level() {
        Level::Info => tracing::info!(kind = name, disk, "{message}"),
        Level::Warning => tracing::warn!(kind = name, disk, "{message}"),
        Level::Error => tracing::error!(kind = name, disk, "{message}"),
    }
}

/// Runs the thread of the list.
fn keep(list: &List, mut file: EventFile, first: u64, messages: &Receiver<Message>) {
    let mut writer = Writer { list, id: first, is_saved: true };
    for message in messages {
        match message {
            Message::News(at, news) => writer.take(&mut file, at, news),
            // The caller may have stopped waiting.
            Message::Settle(done) => drop(done.send(())),
        }
        let dropped = list.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            let message = format!("{dropped} events arrived faster than they could be kept");
            writer.say(&mut file, Kind::EventsDropped, message);
        }
    }
}

struct Writer<'a> {
    list: &'a List,
    id: u64,
    /// True if the last event was kept.
    is_saved: bool,
}

impl Writer<'_> {
    fn say(&mut self, file: &mut EventFile, kind: Kind, message: String) {
        let news = News { kind, disk: None, message };
        log(&news);
        self.take(file, Moment::now(), news);
    }

    /// Keeps an event, then adds it to the list.
    fn take(&mut self, file: &mut EventFile, at: Moment, news: News) {
        let News { kind, disk, message } = news;
        let message = message.chars().take(MESSAGE_CHARS_MAX).collect();
        let event = Event { id: self.id, at, kind, disk, message };
        self.id += 1;
        let mut all = self.list.events().clone();
        all.push_back(event.clone());
        let surplus = all.len().saturating_sub(EVENTS_MAX);
        all.drain(..surplus);
        let saved = file.add(&event, &all);
        *self.list.events() = all;
        self.list.newest.send_replace(event.id);
        let was_saved = std::mem::replace(&mut self.is_saved, saved.is_ok());
        if let Err(error) = saved
            && was_saved
        {
            self.say(file, Kind::EventsUnsaved, format!("Cannot keep events: {error}"));
        }
    }
}

impl List {
    fn events(&self) -> MutexGuard<'_, VecDeque<Event>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pending_start(&self) -> MutexGuard<'_, Option<String>> {
        self.pending_start.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if the newest event has the same content as `news`.
    fn newest_is(&self, news: &News) -> bool {
        let News { kind, disk, message } = news;
        self.events().back().is_some_and(|last| {
            let is_same = last.message.chars().eq(message.chars().take(MESSAGE_CHARS_MAX));
            last.kind == *kind && last.disk == *disk && is_same
        })
    }

    fn after(&self, id: u64) -> Vec<Event> {
        let events = self.events();
        let is_ours = events.back().is_some_and(|newest| id <= newest.id);
        events.iter().filter(|event| !is_ours || event.id > id).cloned().collect()
    }
}

impl Kind {
    /// Returns true if the event is the last one of a daemon that stops.
    fn ends_a_run(self) -> bool {
        matches!(
            self,
            Self::DaemonStopped | Self::DaemonStopFailed | Self::DaemonStopOverdue | Self::DaemonStartFailed
        )
    }
}

#[cfg(test)]
mod tests {
    use base::testing::TempDir;

    use super::*;

    fn list_in(dir: &Path) -> (List, EventFile, u64, Receiver<Message>) {
        let (messages, receiver) = sync_channel(WAITING_MAX);
        let Opened { file, events, id, .. } = EventFile::open(dir);
        let newest = watch::channel(id - 1).0;
        (
            List {
                messages,
                dropped: AtomicU64::new(0),
                events: Mutex::new(events),
                newest,
                pending_start: Mutex::default(),
            },
            file,
            id,
            receiver,
        )
    }

    fn news(kind: Kind, message: &str) -> News {
        News { kind, disk: None, message: message.to_owned() }
    }

    fn said(list: &List) -> Vec<(u64, Kind)> {
        list.events().iter().map(|event| (event.id, event.kind)).collect()
    }

    #[test]
    fn whoever_asks_gets_what_came_after_and_all_if_the_id_was_never_given() {
        let dir = TempDir::new();
        let (list, mut file, id, _messages) = list_in(dir.path());
        assert_eq!(list.after(7), []);
        let mut writer = Writer { list: &list, id, is_saved: true };
        for kind in [Kind::DaemonStarted, Kind::DiskAdded, Kind::DiskRemoved] {
            writer.take(&mut file, Moment(1), news(kind, "It happened"));
        }
        let ids = |after| list.after(after).iter().map(|event| event.id).collect::<Vec<_>>();
        assert_eq!((ids(0), ids(2), ids(3), ids(4)), (vec![1, 2, 3], vec![3], vec![], vec![1, 2, 3]));
        assert_eq!(*list.newest.subscribe().borrow(), 3);
    }

    #[test]
    fn only_the_newest_are_listed_and_long_messages_are_cut() {
        let dir = TempDir::new();
        let (list, mut file, _, _messages) = list_in(dir.path());
        let old = |id| Event { id, at: Moment(1), kind: Kind::DiskAdded, disk: None, message: String::new() };
        list.events().extend((1..=EVENTS_MAX as u64).map(old));
        let mut writer = Writer { list: &list, id: EVENTS_MAX as u64 + 1, is_saved: true };
        writer.take(&mut file, Moment(1), news(Kind::DiskAdded, &"x".repeat(MESSAGE_CHARS_MAX + 1)));
        let events = list.events();
        assert_eq!((events.len(), events[0].id), (EVENTS_MAX, 2));
        assert_eq!(events.back().map(|event| event.message.len()), Some(MESSAGE_CHARS_MAX));
    }

    #[test]
    fn events_that_cannot_be_kept_are_listed_and_that_is_said_once() {
        let dir = TempDir::new();
        let (list, mut file, id, _messages) = list_in(&dir.path().join("missing"));
        let mut writer = Writer { list: &list, id, is_saved: true };
        writer.take(&mut file, Moment(1), news(Kind::DiskAdded, "One"));
        writer.take(&mut file, Moment(1), news(Kind::DiskRemoved, "Two"));
        let all = [(1, Kind::DiskAdded), (2, Kind::EventsUnsaved), (3, Kind::DiskRemoved)];
        assert_eq!(said(&list), all);
        std::fs::create_dir(dir.path().join("missing")).expect("the folder is ours");
        writer.take(&mut file, Moment(1), news(Kind::DiskAdded, "Three"));
        assert!(writer.is_saved);
        assert_eq!(EventFile::open(&dir.path().join("missing")).events, *list.events());
    }

    #[test]
    fn events_that_found_no_room_are_counted() {
        let dir = TempDir::new();
        let (list, file, id, messages) = list_in(dir.path());
        list.dropped.store(3, Ordering::Relaxed);
        let (sender, receiver) = sync_channel(1);
        sender.send(Message::News(Moment(1), news(Kind::DiskAdded, "One"))).expect("there is room");
        drop((sender, messages));
        keep(&list, file, id, &receiver);
        assert_eq!(said(&list), [(1, Kind::DiskAdded), (2, Kind::EventsDropped)]);
        assert!(list.events()[1].message.starts_with("3 events"));
    }
}
