//! The service of disks, from start to end: shards, pool, registry and control socket. `serve` runs it until
//! a signal, the demonstration for a minute; there is no other way to serve.
//!
//! The end takes at most ten seconds: a backing that hangs must not keep a host from shutting down. An
//! acknowledged write is on its backing, or in write-back on flash, where the next start finds it. So ending
//! early loses nothing that was promised, and nothing is destaged at the end, unless the next start would not
//! find that flash (`registry/displaced.rs`).

use std::future::ready;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use base::error::Result;
use base::patience::{while_in_conflict, within};
use base::rights::Rights;
use base::sockets;
use base::store::Store;
use base::units::{Interval, PollMax};
use doors::nbd::Directory;
use telemetry::events::{self, Kind};
use telemetry::wear::{Asker, Smartctl};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use crate::control;
use crate::control::{Http, WebDoor};
use crate::host_record;
use crate::locked_memory;
use crate::mapping;
use crate::nbd_listener::{self, NbdListener, NbdTcp};
use crate::places::Places;
use crate::pool::{self, PoolChoice};
use crate::registry::{ControlFiles, Registry};
use crate::shard::Shards;

/// Time that disks may take to end before the process ends without them.
const STOP_TIME_MAX: Duration = Duration::from_secs(8);
/// Time between divisions of RAM among disks, if disks are not moved between threads.
const RAM_INTERVAL: Duration = Duration::from_secs(30);
/// Time that requests to the control plane may take to end.
const CONTROL_STOP_TIME_MAX: Duration = Duration::from_secs(1);

/// The running service.
pub(crate) struct Service {
    /// The disks.
    pub(crate) registry: Arc<Registry>,
    /// Address of HTTP over TCP, if it is served.
    pub(crate) http_address: Option<SocketAddr>,
    /// Listener for NBD over TCP, if that is set.
    nbd_listener: Option<NbdListener>,
    control: JoinHandle<Result<()>>,
    web: Option<JoinHandle<()>>,
    stopping: watch::Sender<bool>,
}

/// Services for other hosts.
#[derive(Clone, Debug)]
pub(crate) struct NetworkServices {
    /// The HTTP interface.
    pub(crate) http: Http,
    /// Disks.
    pub(crate) nbd: NbdTcp,
}

impl NetworkServices {
    /// Returns settings without any.
    pub(crate) fn off() -> Self {
        Self { http: Http::off(), nbd: NbdTcp::default() }
    }
}

/// The threads that serve disks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Threads {
    /// Number of threads; the default if none is given.
    pub(crate) shards: Option<u32>,
    /// Time between comparisons of their load, by which disks are moved, and of disks, by which RAM is divided.
    pub(crate) balance_interval: Interval,
    /// Time that they poll an empty vhost-user queue before they sleep.
    pub(crate) poll_max: PollMax,
}

impl Service {
    /// Starts the shards, opens or makes the pool, and listens on the control socket, for NBD over TCP if
    /// that is set, and for HTTP over TCP if that is set and possible. Recorded disks are attached by
    /// [`Registry::start`].
    ///
    /// # Errors
    /// Any failure; then nothing runs.
    pub(crate) async fn start(
        places: Places,
        choice: &PoolChoice,
        threads: Threads,
        network: &NetworkServices,
        smartctl: Smartctl,
    ) -> Result<Self> {
        events::begin(&places.dir)?;
        let started = Self::start_all(places, choice, threads, network, smartctl).await;
        match &started {
            Ok(_) => events::note_started(),
            Err(problem) => events::note_failed_start(problem),
        }
        started
    }

    async fn start_all(
        mut places: Places,
        choice: &PoolChoice,
        threads: Threads,
        network: &NetworkServices,
        smartctl: Smartctl,
    ) -> Result<Self> {
        let store = Store::start(&places.dir)?;
        let host = host_record::open(&store).await?;
        let mut state = host.read(|host| host.state.clone());
        // Steps that may be refused are before those that change anything.
        let opened = nbd_listener::BoundListener::open(&network.nbd)?;
        places.nbd_uri = opened.as_ref().map(nbd_listener::BoundListener::uri);
        let socket = places.control_socket();
        // A killed process still listens until the kernel has released its sockets.
        while_in_conflict(|| ready(sockets::check_free(&socket))).await?;
        let directory = Directory::default();
        let shards = Shards::start(&places, &host, &directory, threads.shards, threads.poll_max).await?;
        let pool = pool::open(&places, &host, &shards, &mut state, choice).await?;
        let listener = sockets::listen(&socket, &Rights::usual())?;
        let web_door = WebDoor::open(&network.http, &places);
        let nbd_listener = match opened {
            Some(opened) => Some(opened.run(directory).await?),
            None => None,
        };
        let own = places.dir.canonicalize().unwrap_or_else(|_| places.dir.clone());
        let registry = Registry::new(places, host, shards, pool, state);
        registry.keep_shares().await;
        tokio::spawn(Registry::keep_totals(Arc::downgrade(&registry)));
        tokio::spawn(Registry::watch(Arc::downgrade(&registry)));
        tokio::spawn(Registry::watch_backings(Arc::downgrade(&registry)));
        tokio::spawn(Registry::watch_stores(Arc::downgrade(&registry)));
        tokio::spawn(Registry::keep_wear(Arc::downgrade(&registry), Asker::new(smartctl)));
        tokio::spawn(locked_memory::follow_kernel_uses(own));
        tokio::spawn(mapping::watch_swap(Arc::downgrade(&registry)));
        if let Some(interval) = threads.balance_interval.duration() {
            tokio::spawn(Registry::keep_balanced(Arc::downgrade(&registry), interval));
        }
        let interval = threads.balance_interval.duration().unwrap_or(RAM_INTERVAL);
        tokio::spawn(Registry::keep_divided(Arc::downgrade(&registry), interval));
        let (stopping, stop) = watch::channel(false);
        let http_address = web_door.as_ref().map(WebDoor::address);
        let (listeners, renewed) = mpsc::channel(1);
        let files = ControlFiles {
            socket: sockets::file_at(&socket),
            listeners,
            http: http_address,
            stop: stop.clone(),
        };
        tokio::spawn(Registry::keep_sockets(Arc::downgrade(&registry), files));
        let control = tokio::spawn(control::serve(listener, renewed, Arc::clone(&registry), stop.clone()));
        let web = web_door.map(|door| tokio::spawn(control::serve_web(door, Arc::clone(&registry), stop)));
        Ok(Self { registry, http_address, nbd_listener, control, web, stopping })
    }

    /// Closes the listeners of the control plane, lets requests end, flushes backings.
    ///
    /// # Errors
    /// If a backing failed its last flush.
    pub(crate) async fn stop(self) -> Result<()> {
        // Clients that wait for events get this one, and so do not delay the end.
        events::of_host(Kind::DaemonStopping, "Stopping: requests in flight are finished");
        events::settle();
        let Self { registry, nbd_listener, control, web, stopping, .. } = self;
        registry.destage_displaced().await;
        drop(nbd_listener);
        stopping.send_replace(true);
        sockets::remove(&registry.places().control_socket());
        if web.is_some() {
            sockets::remove(&registry.places().http());
        }
        let ending = async {
            let ended_web = match web {
                Some(web) => web.await,
                None => Ok(()),
            };
            (control.await, ended_web)
        };
        // A client that holds its connection open is not waited for.
        match within(CONTROL_STOP_TIME_MAX, ending).await {
            Ok((Ok(Err(problem)), _)) => tracing::error!("{problem}"),
            Ok((Err(error), _) | (_, Err(error))) => {
                tracing::error!("The control plane broke off: {error}; report this");
            }
            Ok((Ok(Ok(())), Ok(()))) | Err(_) => {}
        }
        let Ok(outcome) = within(STOP_TIME_MAX, registry.stop()).await else {
            // The shard's thread waits for the kernel, which waits for a backing; only the end of the process
            // frees it.
            registry.warn_of_incomplete_images();
            let overdue = format!("A backing did not answer within {} s", STOP_TIME_MAX.as_secs());
            events::of_host(Kind::DaemonStopOverdue, overdue);
            if let Some(problem) = registry.left_behind_by_all() {
                events::of_host(Kind::DirtyDataLeftBehind, problem.message.clone());
                eprintln!("error: {problem}");
            }
            events::settle();
            eprintln!(
                "error: Cannot finish all requests within {} s: a backing does not answer. Acknowledged writes are on \
                 their backings, or on flash, where the next start finds them; check the one that hangs",
                STOP_TIME_MAX.as_secs()
            );
            std::process::exit(1);
        };
        match &outcome {
            Ok(()) => events::of_host(Kind::DaemonStopped, "Forebay has stopped"),
            Err(problem) => {
                events::of_host(Kind::DaemonStopFailed, format!("Forebay has stopped, but: {problem}"));
            }
        }
        events::settle();
        outcome
    }
}
