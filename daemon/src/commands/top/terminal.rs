//! The live screen on a terminal: a thread that polls the daemon, a loop that reads keys, and restoring the
//! terminal.
//!
//! ```text
//!   thread "ask":  documents every second ──channel──> here: draw, wait for a key, draw
//! ```
//! A daemon that hangs or does not run delays no key. Signals only set a flag, so that the terminal is
//! restored in one place, whatever ends the screen. A panic restores it first (ratatui's hook) and then
//! prints its message.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base::error::{Error, Result};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event};
use serde_json::Value;

use super::app::{App, LastEvent, View};
use super::keys::{ScreenAction, press};
use super::model::Sample;
use super::{INTERVAL, sample, screen};
use crate::client::Client;
use crate::commands::ending;

/// Time until a signal or an answer of the daemon is noticed while no key is pressed.
const TICK: Duration = Duration::from_millis(200);

/// A result of the polling thread.
enum PollResult {
    Sample(Box<Sample>),
    Event(LastEvent),
    /// Histograms of the disk of this name.
    Histograms(String, Option<Value>),
    Away(String),
}

/// Time without an answer after which the screen is marked as old.
const SILENCE_MAX: Duration = Duration::from_secs(8);

/// The disk whose histograms are wanted.
type SelectedDisk = Arc<Mutex<Option<String>>>;

/// Shows the screen until the user ends it.
///
/// # Errors
/// If the terminal cannot be used.
pub(super) fn run(client: Client) -> Result<()> {
    let ended = Arc::new(AtomicBool::new(false));
    ending::set_on_signal(Arc::clone(&ended))?;
    let (wanted, (news, receiver)) = (SelectedDisk::default(), sync_channel(4));
    let asking = Arc::clone(&wanted);
    // Not waited for at the end: the daemon may hang.
    std::thread::spawn(move || ask(&client, &asking, &news));
    let terminal = ratatui::try_init().map_err(|error| {
        // It may have failed halfway.
        drop(ratatui::try_restore());
        failed(&error)
    })?;
    let outcome = show(terminal, &receiver, &wanted, &ended);
    ratatui::try_restore().and(outcome).map_err(|error| failed(&error))
}

fn failed(error: &io::Error) -> Error {
    Error::failed(format!(
        "Cannot use the terminal for a live screen: {error}; forebay top --once prints a table instead"
    ))
}

fn show(
    mut terminal: DefaultTerminal,
    news: &Receiver<PollResult>,
    wanted: &SelectedDisk,
    ended: &AtomicBool,
) -> io::Result<()> {
    let (mut app, mut heard) = (App::default(), Instant::now());
    loop {
        for news in news.try_iter() {
            heard = Instant::now();
            take(&mut app, news);
        }
        if app.away.is_none() && heard.elapsed() > SILENCE_MAX {
            app.lose(format!("The daemon has not answered for {} s", SILENCE_MAX.as_secs()));
        }
        *wanted.lock().unwrap_or_else(PoisonError::into_inner) = match &app.view {
            View::Detail(name) => Some(name.clone()),
            View::List => None,
        };
        terminal.draw(|frame| screen::draw(frame, &app))?;
        // Everything is drawn again at any event, for example a new size.
        if event::poll(TICK)?
            && let Event::Key(key) = event::read()?
            && press(&mut app, key) == ScreenAction::Quit
        {
            return Ok(());
        }
        if ended.load(Ordering::Relaxed) {
            return Ok(());
        }
    }
}

fn take(app: &mut App, news: PollResult) {
    match news {
        PollResult::Sample(sample) => app.take(*sample),
        PollResult::Event(event) => app.event = Some(event),
        PollResult::Histograms(name, histograms) => {
            if app.view == View::Detail(name) {
                app.histograms = histograms;
            }
        }
        PollResult::Away(reason) => app.lose(reason),
    }
}

/// Polls the daemon every second, until the receiver is gone.
fn ask(client: &Client, wanted: &SelectedDisk, news: &SyncSender<PollResult>) {
    let (started, mut seen) = (Instant::now(), 0);
    loop {
        let said = match sample(client, started.elapsed()) {
            Ok(sample) => PollResult::Sample(Box::new(sample)),
            Err(problem) => PollResult::Away(problem.message),
        };
        let is_there = matches!(said, PollResult::Sample(_));
        if news.send(said).is_err() {
            return;
        }
        if is_there {
            let event = client.get(&format!("/v1/events?after={seen}")).ok();
            if let Some(event) = event.as_ref().and_then(LastEvent::from_document) {
                seen = event.id;
                drop(news.send(PollResult::Event(event)));
            }
            let name = wanted.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some(name) = name {
                // A daemon without histograms answers "not found".
                let document = client.get(&format!("/v1/disks/{name}/histograms")).ok();
                let histograms = document.map(|mut document| document["histograms"].take());
                drop(news.send(PollResult::Histograms(name, histograms)));
            }
        }
        std::thread::sleep(INTERVAL);
    }
}
