//! The live screen on a terminal: who asks the daemon, who reads keys, and that the terminal is left as it was found.
//!
//! ```text
//!   thread "ask":  documents every second ──channel──> here: draw, wait for a key, draw
//! ```
//! A daemon that hangs or is away holds up nobody who presses a key. Signals only set a flag, so that the terminal is put
//! back in one place whatever ends the screen; a panic puts it back first (ratatui's hook) and then says what it is.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base::problem::{Answer, Problem};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event};
use serde_json::Value;

use super::app::{App, LastEvent, View};
use super::keys::{Next, press};
use super::model::Look;
use super::{INTERVAL, look, screen};
use crate::client::Client;
use crate::commands::ending;

/// How soon a signal or news from the daemon is noticed while no key is pressed.
const TICK: Duration = Duration::from_millis(200);

/// What the daemon said.
enum News {
    Look(Box<Look>),
    Event(LastEvent),
    /// Of the disk of this name.
    Histograms(String, Option<Value>),
    Away(String),
}

/// How long the daemon may take to answer before what is shown is said to be old.
const SILENCE_MAX: Duration = Duration::from_secs(8);

/// The disk whose histograms are wanted.
type Wanted = Arc<Mutex<Option<String>>>;

/// Shows the screen until somebody ends it.
///
/// # Errors
/// If the terminal cannot be used.
pub(super) fn run(client: Client) -> Answer<()> {
    let ended = Arc::new(AtomicBool::new(false));
    ending::set_on_signal(Arc::clone(&ended))?;
    let (wanted, (news, receiver)) = (Wanted::default(), sync_channel(4));
    let asking = Arc::clone(&wanted);
    // Not waited for at the end: the daemon may hang.
    std::thread::spawn(move || ask(&client, &asking, &news));
    let terminal = ratatui::try_init().map_err(|error| {
        // It may have failed with half of it done.
        drop(ratatui::try_restore());
        failed(&error)
    })?;
    let outcome = show(terminal, &receiver, &wanted, &ended);
    ratatui::try_restore().and(outcome).map_err(|error| failed(&error))
}

fn failed(error: &io::Error) -> Problem {
    Problem::failed(format!(
        "Cannot use the terminal for a live screen: {error}; forebay top --once prints a table instead"
    ))
}

fn show(
    mut terminal: DefaultTerminal,
    news: &Receiver<News>,
    wanted: &Wanted,
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
        // Whatever the event is, a new size for one, everything is drawn anew.
        if event::poll(TICK)?
            && let Event::Key(key) = event::read()?
            && press(&mut app, key) == Next::Quit
        {
            return Ok(());
        }
        if ended.load(Ordering::Relaxed) {
            return Ok(());
        }
    }
}

fn take(app: &mut App, news: News) {
    match news {
        News::Look(look) => app.take(*look),
        News::Event(event) => app.event = Some(event),
        News::Histograms(name, histograms) => {
            if app.view == View::Detail(name) {
                app.histograms = histograms;
            }
        }
        News::Away(reason) => app.lose(reason),
    }
}

/// Asks the daemon every second, until nobody listens any more.
fn ask(client: &Client, wanted: &Wanted, news: &SyncSender<News>) {
    let (started, mut seen) = (Instant::now(), 0);
    loop {
        let said = match look(client, started.elapsed()) {
            Ok(look) => News::Look(Box::new(look)),
            Err(problem) => News::Away(problem.message),
        };
        let is_there = matches!(said, News::Look(_));
        if news.send(said).is_err() {
            return;
        }
        if is_there {
            let event = client.get(&format!("/v1/events?after={seen}")).ok();
            if let Some(event) = event.as_ref().and_then(LastEvent::of) {
                seen = event.id;
                drop(news.send(News::Event(event)));
            }
            let name = wanted.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some(name) = name {
                // One that has no histograms answers that there is nothing.
                let document = client.get(&format!("/v1/disks/{name}/histograms")).ok();
                let histograms = document.map(|mut document| document["histograms"].take());
                drop(news.send(News::Histograms(name, histograms)));
            }
        }
        std::thread::sleep(INTERVAL);
    }
}
