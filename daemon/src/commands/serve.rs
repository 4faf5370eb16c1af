//! `forebay serve`: the daemon from start to end.
//!
//! ```text
//!   settings ── folders, claim of DIR ── state ── shards ── pool ── control socket, HTTP, NBD over TCP ── disks ── "ready"
//!   signal ── control socket and HTTP close ── doors drain ── backings are flushed ── exit
//! ```
//! The end takes at most ten seconds: a backing that hangs must not keep a host from shutting down. In the modes there
//! are, an acknowledged write is on its backing, so ending early loses nothing that was promised.

use std::convert::Infallible;
use std::fs::File;
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::stat::{Mode, umask};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::logging::{self, Log};
use crate::cli::Serve;
use crate::config::Config;
use crate::control::Http;
use crate::places::{Places, Surroundings};
use crate::pool::PoolChoice;
use crate::problem::{Answer, Problem};
use crate::reception::NbdTcp;
use crate::registry::PoolView;
use crate::service::{Network, Service, Threads};
use crate::supervisor::{self, Standing};
use crate::wear::Smartctl;
use crate::{output, sockets};

/// How soon the service manager's status follows what has changed.
const STATUS_INTERVAL: Duration = Duration::from_secs(5);

/// A tenth of the weight of a shard, by the kernel's table of weights: enough to answer in time on a host that has nothing left.
const CONTROL_PLANE_NICENESS: i32 = 10;

pub(super) fn run(options: &Serve) -> Answer<()> {
    let config = match &options.config {
        Some(path) => Config::load(path)?,
        None => Config::default(),
    };
    let usual = Log::default();
    let _logging = logging::start(&Log {
        level: options.log.as_deref().or(config.log.as_deref()).unwrap_or(usual.level),
        format: options.log_format.as_deref().or(config.log_format.as_deref()).unwrap_or(usual.format),
        file: options.log_file.as_deref().or(config.log_file.as_deref()),
    })?;
    let dir = options.dir.clone().or(config.dir);
    let run_dir = options.run_dir.clone().or(config.run_dir);
    let places = Places::resolve(dir, run_dir, &Surroundings::of_process())?;
    let choice = PoolChoice {
        file: options.pool.clone().or(config.pool_file),
        size: options.pool_size.or(config.pool_size),
        erase: options.erase.clone(),
    };
    let network = Network {
        http: Http {
            listen: options.listen_http.or(config.http_listen).unwrap_or_default(),
            names: config.http_names,
        },
        nbd: NbdTcp {
            listen: options.listen_nbd,
            tls: options.nbd_tls,
            tls_dir: options.nbd_tls_dir.clone(),
            allow: options.nbd_allow.clone(),
        }
        .or(config.nbd),
    };
    sockets::check_length(&places.control_socket())?;
    places.make()?;
    // From here on, what is made is closed to others from its birth; sockets are opened to those whom they are for.
    umask(Mode::S_IRWXG | Mode::S_IRWXO);
    allow_many_files();
    let claim = places.claim()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Problem::failed(format!("Cannot start the control plane: {error}")))?;
    let threads = Threads {
        shards: options.shards.or(config.shards),
        balance_interval: config.balance_interval.unwrap_or_default(),
        poll_max: config.vhost_poll_max.unwrap_or_default(),
    };
    let smartctl = options.smartctl.clone().or(config.smartctl).unwrap_or_default();
    let outcome = runtime.block_on(serve(places, &choice, threads, &network, smartctl, &claim));
    // Threads that look at a backing which hangs are not waited for.
    runtime.shutdown_background();
    outcome
}

async fn serve(
    places: Places,
    choice: &PoolChoice,
    threads: Threads,
    network: &Network,
    smartctl: Smartctl,
    _claim: &File,
) -> Answer<()> {
    let mut signals = Signals::new()?;
    let service = Service::start(places, choice, threads, network, smartctl).await?;
    give_way_to_shards();
    tokio::select! {
        never = attend(&service) => match never {},
        () = signals.next() => {}
    }
    supervisor::tell_stopping();
    service.stop().await
}

/// Brings disks back, says so, and tells the service manager that disks are served, and how many whenever that has changed.
/// Nothing that goes wrong in it is a reason to stop serving.
async fn attend(service: &Service) -> Infallible {
    let registry = &service.registry;
    registry.start().await;
    if let Err(problem) = announce(service).await {
        tracing::error!("{problem}");
    }
    let mut told = Standing::of(registry).await;
    supervisor::tell_ready(&told);
    loop {
        tokio::time::sleep(STATUS_INTERVAL).await;
        let standing = Standing::of(registry).await;
        if standing != told {
            supervisor::tell_standing(&standing);
            told = standing;
        }
    }
}

/// Takes as many open files as the system gives: every guest's connection is one, and what is allowed at first is small
/// because of programs that use select(2).
fn allow_many_files() {
    let raised = getrlimit(Resource::RLIMIT_NOFILE)
        .and_then(|(_, hard)| setrlimit(Resource::RLIMIT_NOFILE, hard, hard));
    if let Err(error) = raised {
        tracing::warn!("Cannot raise the limit of open files: {error}; many guests may find no room");
    }
}

/// From here on this thread, which has the control plane, takes a processor from shards only when they leave it one: guests
/// wait for shards, and nobody is in a hurry for statistics. Shards were started before and keep what they have.
fn give_way_to_shards() {
    if let Err(error) = rustix::process::nice(CONTROL_PLANE_NICENESS) {
        tracing::warn!("Cannot let shards go first: {error}; guests may wait while statistics are read");
    }
}

/// Says on standard output that everything is there.
async fn announce(service: &Service) -> Answer<()> {
    let registry = &service.registry;
    let standing = Standing::of(registry).await;
    let PoolView { report, in_use, .. } = registry.pool().await?;
    let path = in_use.path().display();
    let size = crate::units::Size(report.statistics.size_bytes);
    let pool = match (&in_use.missing, in_use.devices.len()) {
        (Some(_), _) => format!("WITHOUT the pool {path}, which is missing"),
        (None, 0 | 1) => format!("pool {path} of {size}"),
        (None, devices) => format!("pool of {devices} devices and {size}"),
    };
    let http = service.http_address.map(|address| format!(", http://{address}/")).unwrap_or_default();
    let nbd = registry.places().nbd_uri.as_ref().map(|uri| format!(", {uri}")).unwrap_or_default();
    output::print(&format!(
        "Forebay is ready: {standing}, {pool}, control socket {}{http}{nbd}\n",
        registry.places().control_socket().display()
    ))
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
