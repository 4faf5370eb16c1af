//! The control plane: HTTP and JSON on a Unix socket, for the command line and for scripts.
//!
//! ```text
//!   GET    /v1/disks              all disks            GET    /v1/pool
//!   POST   /v1/disks              serve one more       GET    /v1/stats
//!   GET    /v1/disks/NAME         one disk             GET    /v1/stats/NAME
//!   PATCH  /v1/disks/NAME         change it
//!   DELETE /v1/disks/NAME         stop serving it; with {"lose_dirty":true} whatever its backing does not have
//!   POST   /v1/disks/NAME/destage      bring home what is dirty, at full speed
//!   DELETE /v1/disks/NAME/destage      not any more
//!   POST   /v1/disks/NAME/quiesce      the same, then keep it so for a while; answers at once
//!   POST   /v1/disks/NAME/resume       let it become dirty again
//!   GET    /v1/disks/NAME/lost         what flash lost before the backing had it
//!   POST   /v1/disks/NAME/evict        drop what is cached of it, for good
//!   POST   /v1/disks/NAME/take-over    a disk taken from a running QEMU that has closed it: lock it, cache it
//!   POST   /v1/disks/NAME/give-up      the way back: cache nothing of it, unlock it
//!   POST   /v1/pool/devices            one more device
//!   DELETE /v1/pool/devices/NUMBER     take one out; answers when it is nobody's
//! ```
//! Whoever may open the socket may do all of it. Failures are problem documents (RFC 9457). A change that was accepted is
//! finished even if the client goes away.

mod answer;
mod disks;
mod pool;

use std::future::Future;
use std::os::unix::net::UnixListener;
use std::sync::Arc;

use axum::Router;
use axum::http::Uri;
use axum::routing::{delete, get, post};

use crate::page;
use crate::problem::{Answer, Problem};
use crate::registry::Registry;
use answer::Failure;

/// Serves requests until `stop` is ready, then lets those that began end.
///
/// # Errors
/// If the socket cannot be used.
pub(crate) async fn serve(
    listener: UnixListener,
    registry: Arc<Registry>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Answer<()> {
    let failed = |error: std::io::Error| Problem::failed(format!("Cannot serve the control socket: {error}"));
    listener.set_nonblocking(true).map_err(failed)?;
    let listener = tokio::net::UnixListener::from_std(listener).map_err(failed)?;
    axum::serve(listener, router(registry)).with_graceful_shutdown(stop).await.map_err(failed)
}

fn router(registry: Arc<Registry>) -> Router {
    Router::new()
        .route("/v1/disks", get(disks::list).post(disks::add))
        .route("/v1/disks/{name}", get(disks::show).patch(disks::set).delete(disks::remove))
        .route("/v1/disks/{name}/evict", post(disks::evict))
        .route("/v1/disks/{name}/destage", post(disks::start_destage).delete(disks::stop_destage))
        .route("/v1/disks/{name}/quiesce", post(disks::quiesce))
        .route("/v1/disks/{name}/resume", post(disks::resume))
        .route("/v1/disks/{name}/lost", get(disks::lost))
        .route("/v1/disks/{name}/take-over", post(disks::take_over))
        .route("/v1/disks/{name}/give-up", post(disks::give_up))
        .route("/v1/stats", get(disks::all_statistics))
        .route("/v1/stats/{name}", get(disks::statistics))
        .route("/v1/pool", get(pool::show))
        .route("/v1/pool/devices", post(pool::add))
        .route("/v1/pool/devices/{number}", delete(pool::remove))
        .merge(page::router())
        .fallback(unknown)
        .with_state(registry)
}

async fn unknown(uri: Uri) -> Failure {
    Failure(Problem::missing(format!(
        "There is nothing at {}: the interface begins with /v1/disks",
        uri.path()
    )))
}
