//! `forebay serve`: the daemon from start to end.
//!
//! ```text
//!   settings ── folders, claim of DIR ── state ── shard ── pool ── disks ── control socket ── "ready"
//!   signal ── control socket closes ── doors drain ── backings are flushed ── exit
//! ```
//! The end takes at most ten seconds: a backing that hangs must not keep a host from shutting down. In the modes there
//! are, an acknowledged write is on its backing, so ending early loses nothing that was promised.

use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use nix::sys::stat::{Mode, umask};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;

use super::logging;
use crate::cli::Serve;
use crate::config::Config;
use crate::places::{Places, Surroundings};
use crate::pool::{self, PoolChoice};
use crate::problem::{Answer, Problem};
use crate::registry::Registry;
use crate::shard::ShardHandle;
use crate::state::State;
use crate::{control, output, sockets};

/// How long disks may take to end before the process goes without them.
const STOP_TIME_MAX: Duration = Duration::from_secs(8);
/// How long requests to the control socket may take to end.
const CONTROL_STOP_TIME_MAX: Duration = Duration::from_secs(1);

pub(super) fn run(options: &Serve) -> Answer<()> {
    let config = match &options.config {
        Some(path) => Config::load(path)?,
        None => Config::default(),
    };
    logging::start(options.log.as_deref().or(config.log.as_deref()).unwrap_or("info"))?;
    let dir = options.dir.clone().or(config.dir);
    let run_dir = options.run_dir.clone().or(config.run_dir);
    let places = Places::resolve(dir, run_dir, &Surroundings::of_process())?;
    let choice = PoolChoice {
        file: options.pool.clone().or(config.pool_file),
        size: options.pool_size.or(config.pool_size),
        erase: options.erase.clone(),
    };
    sockets::check_length(&places.control_socket())?;
    places.make()?;
    // From here on, what is made is closed to strangers from its birth; the folders are there to be looked into.
    umask(Mode::S_IRWXO);
    let claim = places.claim()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Problem::failed(format!("Cannot start the control plane: {error}")))?;
    let outcome = runtime.block_on(serve(places, &choice, &claim));
    // Threads that look at a backing which hangs are not waited for.
    runtime.shutdown_background();
    outcome
}

async fn serve(places: Places, choice: &PoolChoice, _claim: &File) -> Answer<()> {
    let mut signals = Signals::new()?;
    let mut state = State::load(&places.dir)?;
    let shard = ShardHandle::start().await?;
    let pool = pool::open(&places, &shard, &mut state, choice).await?;
    let control_socket = places.control_socket();
    let listener = sockets::listen(&control_socket)?;
    let registry = Registry::new(places, shard, pool, state);
    let stopping = Arc::new(Notify::new());
    let stop_control = Arc::clone(&stopping);
    let control =
        control::serve(listener, Arc::clone(&registry), async move { stop_control.notified().await });
    let control = tokio::spawn(control);
    tokio::select! {
        () = registry.start() => {
            announce(&registry).await?;
            signals.next().await;
        }
        () = signals.next() => {}
    }
    stopping.notify_one();
    sockets::remove(&control_socket);
    // A client that holds its connection open is not waited for.
    match tokio::time::timeout(CONTROL_STOP_TIME_MAX, control).await {
        Ok(Ok(Err(problem))) => tracing::error!("{problem}"),
        Ok(Err(error)) => tracing::error!("The control plane broke off: {error}; report this"),
        Ok(Ok(Ok(()))) | Err(_) => {}
    }
    stop(&registry).await
}

/// Says on standard output that everything is there.
async fn announce(registry: &Registry) -> Answer<()> {
    let disks = registry.disks().await?;
    let waiting = disks.iter().filter(|disk| disk.report.is_err()).count();
    let report = registry.pool_report().await?;
    output::print(&format!(
        "Forebay is ready: {} disks served, {waiting} waiting, pool {} of {}, control socket {}\n",
        disks.len() - waiting,
        registry.pool().path.display(),
        crate::units::Size(report.statistics.size_bytes),
        registry.places().control_socket().display()
    ))
}

async fn stop(registry: &Registry) -> Answer<()> {
    tracing::info!("Stopping: requests in flight are finished");
    let Ok(outcome) = tokio::time::timeout(STOP_TIME_MAX, registry.stop()).await else {
        // The shard's thread waits for the kernel, which waits for a backing; only the end of the process frees it.
        eprintln!(
            "error: Cannot finish all requests within {} s: a backing does not answer. Acknowledged writes are on \
             their backings; check the one that hangs",
            STOP_TIME_MAX.as_secs()
        );
        std::process::exit(1);
    };
    outcome
}

/// The signals that end the daemon.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> Answer<Self> {
        let listen = |kind| {
            signal(kind).map_err(|error| Problem::failed(format!("Cannot listen for signals: {error}")))
        };
        Ok(Self { terminate: listen(SignalKind::terminate())?, interrupt: listen(SignalKind::interrupt())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
