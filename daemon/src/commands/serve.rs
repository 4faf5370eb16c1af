//! `forebay serve`: the daemon from start to end.
//!
//! ```text
//!   settings ── folders, claim of DIR ── state ── shards ── pool ── control socket, HTTP, NBD over TCP ── disks ── "ready"
//!   signal ── control socket and HTTP close ── doors drain ── backings are flushed ── exit
//! ```
//! The end takes at most ten seconds: a backing that hangs must not keep a host from shutting down. In every
//! mode an acknowledged write is durable where the mode promises it, so ending early loses no promised data.

use std::convert::Infallible;
use std::fs::File;
use std::time::Duration;

use base::error::{Error, Result};
use base::signals::{self, Request, Requests};
use base::sockets;
use base::units::Size;
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit, setrlimit};
use nix::sys::stat::{Mode, umask};
use telemetry::events;
use telemetry::wear::Smartctl;

use super::logging::{self, Log};
use crate::backing::MONITOR_THREADS_MAX;
use crate::cli::Serve;
use crate::config::Config;
use crate::control::Http;
use crate::host_record;
use crate::nbd_listener::NbdTcp;
use crate::output;
use crate::places::{Environment, Places};
use crate::pool::{MissingCause, PoolChoice};
use crate::registry::PoolView;
use crate::service::{NetworkServices, Service, Threads};
use crate::stores::Stores;
use crate::supervisor::{self, ServiceStatus};

/// Time between updates of the service manager's status.
const STATUS_INTERVAL: Duration = Duration::from_secs(5);

/// The most threads that wait for file systems, besides those that check backings; each may hang.
const BLOCKING_THREADS_MAX: usize = 512;

/// Niceness with a tenth of the weight of a shard, by the kernel's table of weights: enough to answer in time
/// on a host without idle CPU.
const CONTROL_PLANE_NICENESS: i32 = 10;

/// Settings of a start, from configuration and command line.
struct ServeSettings {
    places: Places,
    choice: PoolChoice,
    threads: Threads,
    network: NetworkServices,
    smartctl: Smartctl,
}

pub(super) fn run(options: &Serve) -> Result<()> {
    signals::hold_all();
    let config = options.config.as_deref().map_or_else(|| Ok(Config::default()), Config::load);
    let _logging = start_log(options, config.as_ref().ok())?;
    let prepared = config.and_then(|config| ServeSettings::from_options(options, config)).and_then(|setup| {
        let claim = claim(&setup.places)?;
        Ok((setup, claim))
    });
    match prepared {
        Ok((setup, claim)) => setup.run(&claim),
        Err(problem) => {
            keep_events_if_nobody_does(options);
            events::note_failed_start(&problem);
            Err(problem)
        }
    }
}

/// Starts the log as command line and configuration set it, or the command line alone if there is no
/// configuration.
fn start_log(options: &Serve, config: Option<&Config>) -> Result<logging::Logging> {
    let usual = Log::default();
    let level = options.log.as_deref().or(config.and_then(|config| config.log.as_deref()));
    let format = options.log_format.as_deref().or(config.and_then(|config| config.log_format.as_deref()));
    let file = options.log_file.as_deref().or(config.and_then(|config| config.log_file.as_deref()));
    logging::start(&Log { level: level.unwrap_or(usual.level), format: format.unwrap_or(usual.format), file })
}

/// Makes the folders and claims DIR. From then on events are stored there.
fn claim(places: &Places) -> Result<File> {
    sockets::check_length(&places.control_socket())?;
    places.make()?;
    // From here on, new files are closed to others from their creation; sockets are opened to their users.
    umask(Mode::S_IRWXG | Mode::S_IRWXO);
    raise_limits();
    let claim = places.claim_patiently()?;
    events::begin(&places.dir)?;
    Ok(claim)
}

/// Stores events of a start that failed before it had claimed DIR, if DIR exists and no other daemon has it.
/// An unreadable configuration may name another DIR, so only the command line and the defaults count.
fn keep_events_if_nobody_does(options: &Serve) {
    let places = Places::resolve(options.dir.clone(), options.run_dir.clone(), &Environment::of_process());
    let Ok(places) = places else { return };
    if host_record::is_in(&places.dir)
        && let Ok(_claim) = places.claim()
        && let Err(problem) = events::begin(&places.dir)
    {
        tracing::warn!("{problem}");
    }
}

impl ServeSettings {
    fn from_options(options: &Serve, config: Config) -> Result<Self> {
        let dir = options.dir.clone().or(config.dir);
        let run_dir = options.run_dir.clone().or(config.run_dir);
        let http = Http {
            listen: options.listen_http.or(config.http_listen).unwrap_or_default(),
            names: config.http_names,
        };
        let nbd = NbdTcp {
            listen: options.listen_nbd,
            tls: options.nbd_tls,
            tls_dir: options.nbd_tls_dir.clone(),
            allow: options.nbd_allow.clone(),
        };
        Ok(Self {
            places: Places {
                stores: Stores::new(config.stores),
                ..Places::resolve(dir, run_dir, &Environment::of_process())?
            },
            choice: PoolChoice {
                file: options.pool.clone().or(config.pool_file),
                size: options.pool_size.or(config.pool_size),
                is_size_option: options.pool_size.is_some(),
                erase: options.erase.clone(),
            },
            threads: Threads {
                shards: options.shards.or(config.shards),
                balance_interval: config.balance_interval.unwrap_or_default(),
                poll_max: config.vhost_poll_max.unwrap_or_default(),
            },
            network: NetworkServices { http, nbd: nbd.or(config.nbd) },
            smartctl: options.smartctl.clone().or(config.smartctl).unwrap_or_default(),
        })
    }

    /// Serves until a signal requests a stop.
    fn run(self, claim: &File) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(BLOCKING_THREADS_MAX + MONITOR_THREADS_MAX)
            .build();
        let runtime =
            runtime.map_err(|error| Error::failed(format!("Cannot start the control plane: {error}")));
        let runtime = runtime.inspect_err(events::note_failed_start)?;
        let outcome = runtime.block_on(self.serve(claim));
        // Threads that check a backing which hangs are not waited for.
        runtime.shutdown_background();
        outcome
    }

    async fn serve(self, _claim: &File) -> Result<()> {
        let Self { places, choice, threads, network, smartctl } = self;
        let mut requests = Requests::listen().inspect_err(events::note_failed_start)?;
        let service = Service::start(places, &choice, threads, &network, smartctl).await?;
        give_way_to_shards();
        tokio::select! {
            never = attend(&service) => match never {},
            () = stop_request(&mut requests) => {}
        }
        supervisor::notify_stopping();
        service.stop().await
    }
}

/// Waits until a signal requests a stop.
async fn stop_request(requests: &mut Requests) {
    while requests.next().await != Request::Stop {
        tracing::info!(
            "Signal HUP changes nothing: certificates are read again whenever they change, and the configuration at a start"
        );
    }
}

/// Restores disks, announces them, and reports their number to the service manager whenever it changes. No
/// failure in it stops serving.
async fn attend(service: &Service) -> Infallible {
    let registry = &service.registry;
    registry.start().await;
    if let Err(problem) = announce(service).await {
        tracing::error!("{problem}");
    }
    let mut reported = ServiceStatus::from_registry(registry).await;
    supervisor::notify_ready(&reported);
    loop {
        tokio::time::sleep(STATUS_INTERVAL).await;
        let standing = ServiceStatus::from_registry(registry).await;
        if standing != reported {
            supervisor::notify_status(&standing);
            reported = standing;
        }
    }
}

/// Raises the limits of open files and of file sizes to the most that the system allows: every guest's
/// connection is a file, and the default is small because of programs that use select(2). A remaining limit
/// of file sizes is logged: writes beyond it fail.
fn raise_limits() {
    let raise = |resource| {
        let (_, hard) = getrlimit(resource)?;
        setrlimit(resource, hard, hard).map(|()| hard)
    };
    if let Err(error) = raise(Resource::RLIMIT_NOFILE) {
        tracing::warn!("Cannot raise the limit of open files: {error}; the daemon may have to refuse guests");
    }
    if let Ok(bytes) = raise(Resource::RLIMIT_FSIZE)
        && bytes != RLIM_INFINITY
    {
        tracing::warn!(
            "This process may not write files beyond {bytes} bytes: guests get an error for writes behind that; raise the limit of \
             file sizes (ulimit -f, LimitFSIZE=)"
        );
    }
}

/// Lowers the priority of this thread, which has the control plane, below that of shards: guests wait for
/// shards, and statistics are not urgent. Shards were started before and keep their priority.
fn give_way_to_shards() {
    if let Err(error) = rustix::process::nice(CONTROL_PLANE_NICENESS) {
        tracing::warn!("Cannot give shards priority: {error}; guests may wait while statistics are read");
    }
}

/// Prints to standard output that the daemon is ready.
async fn announce(service: &Service) -> Result<()> {
    let registry = &service.registry;
    let standing = ServiceStatus::from_registry(registry).await;
    let PoolView { report, in_use, .. } = registry.pool().await?;
    let path = in_use.path().display();
    let size = Size(report.statistics.size_bytes);
    let pool = match (&in_use.missing, in_use.devices.len()) {
        (Some(missing), _) if missing.cause == MissingCause::Dir => {
            let dir = registry.places().dir.display();
            format!("WITHOUT the pool {path}, because {dir} takes no writes")
        }
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
