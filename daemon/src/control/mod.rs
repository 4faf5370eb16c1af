//! The control plane: HTTP and JSON, on a Unix socket for the command line, and over TCP for browsers and scripts.
//!
//! ```text
//!   GET    /v1/disks              all disks            GET    /v1/pool
//!   POST   /v1/disks              serve one more       GET    /v1/stats
//!   GET    /v1/disks/NAME         one disk             GET    /v1/stats/NAME; both take ?window=5m, 1h, 1d, total or start
//!   PATCH  /v1/disks/NAME         change it
//!   DELETE /v1/disks/NAME         stop serving it; {"discard_dirty":true} discards its dirty data,
//!                                 {"force":true} removes it though guests use it
//!   POST   /v1/disks/NAME/destage      destage at full speed
//!   DELETE /v1/disks/NAME/destage      destage in the background again
//!   POST   /v1/disks/NAME/scrub        scrub its backing; answers at once
//!   DELETE /v1/disks/NAME/scrub        end that
//!   POST   /v1/disks/NAME/accept       compare the backing of one that waits with the cache, and accept it if requested
//!   POST   /v1/disks/NAME/quiesce      destage, then keep it clean for a while; answers at once
//!   POST   /v1/disks/NAME/resume       let it become dirty again
//!   POST   /v1/disks/NAME/snapshots    make a snapshot of its volume; DELETE /v1/disks/NAME/snapshots/SNAPSHOT
//!   GET    /v1/disks/NAME/connect      commands and settings of clients
//!   GET    /v1/disks/NAME/lost         data that flash lost before the backing had it
//!   GET    /v1/disks/NAME/histograms   histograms of its requests, since it was attached
//!   GET    /v1/disks/NAME/curve        hit ratios at other cache sizes
//!   GET    /v1/disks/NAME/advice       recommended settings; /v1/advice for all; both take ?hit_ratio=0.9
//!   GET    /v1/disks/NAME/report       with the cache and without, since it was added
//!   POST   /v1/disks/NAME/evict        drop its cached data, durably
//!   POST   /v1/disks/NAME/resize       grow it to the size of its backing
//!   POST   /v1/disks/NAME/take-over    a disk taken from a running QEMU that has closed it: lock it, cache it
//!   POST   /v1/disks/NAME/give-up      the way back: stop caching it, unlock it
//!   POST   /v1/disks/NAME/recording    record requests of guests; .../N/take returns a chunk, DELETE .../N the rest
//!   PATCH  /v1/pool                    rated endurance and write budget of its drives
//!   POST   /v1/pool/devices            one more device
//!   DELETE /v1/pool/devices/NUMBER     remove one; answers once it is empty
//!   PUT    /v1/pool/devices/NUMBER/size  use more or less of one; DELETE cancels that
//!   GET    /v1/history/NAME?span=SPAN  its history, step by step: 5m, 1d or 7d
//!   GET    /v1/events?after=ID&wait=S  events after that id; waits up to S seconds for one
//!   POST   /v1/vms                     move the disk of a running guest behind Forebay
//!   DELETE /v1/vms/NAME                give it back
//!   GET    /v1/host                    the machine, the version, and whether the request may make changes
//!   GET    /metrics                    metrics for Prometheus
//! ```
//! `/healthz` reports whether all is well, and `/openapi.json` describes all of this, generated from the
//! code. The socket gives every right to those who may open it; over TCP, `guard` decides. Failures are
//! problem documents (RFC 9457). A change that was accepted is completed even if the client disconnects.

mod advice;
mod answer;
mod body;
mod disks;
mod events;
mod guard;
mod headers;
mod health;
mod host;
mod listen;
mod metrics;
mod openapi;
mod pool;
mod recording;
mod snapshots;
mod statistics;
mod tcp;
mod vms;

use std::io;
use std::os::unix::net::UnixListener;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use base::error::{Error, Result};
use tokio::sync::{mpsc, watch};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::page;
use crate::registry::Registry;
use answer::ErrorResponse;

pub(crate) use listen::{HostName, Http, HttpListen};
pub(crate) use openapi::text as openapi_text;
pub(crate) use tcp::WebDoor;

/// The registry, as handlers of requests receive it.
type SharedRegistry = State<Arc<Registry>>;

/// Serves requests at the control socket until `stop` is set, then completes those that began. A listener
/// from `renewed` replaces the present one.
///
/// # Errors
/// If the socket cannot be used.
pub(crate) async fn serve(
    listener: UnixListener,
    renewed: mpsc::Receiver<UnixListener>,
    registry: Arc<Registry>,
    mut stop: watch::Receiver<bool>,
) -> Result<()> {
    let failed = |error: io::Error| Error::failed(format!("Cannot serve the control socket: {error}"));
    let listener = ControlSocket { listener: in_runtime(listener).map_err(failed)?, renewed };
    let router = routes(registry).layer(map_response(headers::add));
    let stopped = async move { stopped(&mut stop).await };
    axum::serve(listener, router).with_graceful_shutdown(stopped).await.map_err(failed)
}

fn in_runtime(listener: UnixListener) -> io::Result<tokio::net::UnixListener> {
    listener.set_nonblocking(true)?;
    tokio::net::UnixListener::from_std(listener)
}

/// The control socket, which may be created again when its file is gone.
struct ControlSocket {
    listener: tokio::net::UnixListener,
    renewed: mpsc::Receiver<UnixListener>,
}

impl axum::serve::Listener for ControlSocket {
    type Io = tokio::net::UnixStream;
    type Addr = tokio::net::unix::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            tokio::select! {
                accepted = axum::serve::Listener::accept(&mut self.listener) => return accepted,
                Some(listener) = self.renewed.recv() => match in_runtime(listener) {
                    Ok(listener) => self.listener = listener,
                    Err(error) => tracing::error!("Cannot serve the control socket that was made again: {error}"),
                },
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// Serves requests over TCP, as far as the guard permits, until `stop` is set; then completes those that
/// began.
pub(crate) async fn serve_web(door: WebDoor, registry: Arc<Registry>, stop: watch::Receiver<bool>) {
    let checked = from_fn_with_state(Arc::clone(&door.guard), guard::check);
    let router = routes(registry).layer(checked).layer(map_response(headers::add));
    tcp::serve(door, router, stop).await;
}

/// Waits for the stop.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error means that the sender is gone.
    drop(stop.wait_for(|stop| *stop).await);
}

/// Returns every route.
fn routes(registry: Arc<Registry>) -> Router {
    let (router, _) = described().split_for_parts();
    router
        .merge(page::router())
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn(body::take_whole))
        .with_state(registry)
}

/// Returns the described routes: no route is served without its description.
fn described() -> OpenApiRouter<Arc<Registry>> {
    OpenApiRouter::new()
        .routes(routes!(disks::list, disks::add))
        .routes(routes!(disks::show, disks::set, disks::remove))
        .routes(routes!(disks::evict))
        .routes(routes!(disks::resize))
        .routes(routes!(disks::start_destage, disks::stop_destage))
        .routes(routes!(disks::accept))
        .routes(routes!(disks::quiesce))
        .routes(routes!(disks::resume))
        .routes(routes!(snapshots::take))
        .routes(routes!(snapshots::delete))
        .routes(routes!(disks::start_scrub, disks::stop_scrub))
        .routes(routes!(disks::lost))
        .routes(routes!(disks::connect))
        .routes(routes!(disks::take_over))
        .routes(routes!(disks::give_up))
        .routes(routes!(recording::start))
        .routes(routes!(recording::end))
        .routes(routes!(recording::take))
        .routes(routes!(statistics::histograms))
        .routes(routes!(statistics::curve))
        .routes(routes!(advice::one))
        .routes(routes!(advice::all))
        .routes(routes!(statistics::report))
        .routes(routes!(statistics::all))
        .routes(routes!(statistics::one))
        .routes(routes!(statistics::history))
        .routes(routes!(events::list))
        .routes(routes!(pool::show, pool::set))
        .routes(routes!(pool::add))
        .routes(routes!(pool::remove))
        .routes(routes!(pool::resize, pool::cancel_resize))
        .routes(routes!(metrics::show))
        .routes(routes!(health::show))
        .routes(routes!(vms::attach))
        .routes(routes!(vms::detach))
        .routes(routes!(host::show))
        .routes(routes!(openapi::show))
}

async fn unknown(uri: Uri) -> ErrorResponse {
    let message = format!("There is nothing at {}: the interface begins with /v1/disks", uri.path());
    Error::missing(message).into()
}

async fn wrong_method(method: Method, uri: Uri) -> ErrorResponse {
    let message =
        format!("Cannot do {method} at {}: the header Allow names what can be done there", uri.path());
    ErrorResponse::new(StatusCode::METHOD_NOT_ALLOWED, message)
}

#[cfg(test)]
mod tests;
