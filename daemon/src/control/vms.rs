//! Requests about running guests. Each is carried out by a process of its own that runs `forebay vm`, as an
//! operator would. A refusal of the process is the answer here, and a QEMU that does not answer holds up that
//! process only.

use std::process::Command;

use api::{AttachVm, MovedDocument};
use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use base::bounded;
use base::error::{Error, Result};
use base::signals;
use serde_json::Value;
use tokio::task::spawn_blocking;

use super::SharedRegistry;
use super::answer::{ErrorResponse, Name, Reply, to_the_end};
use crate::registry::Registry;

/// Path of this program, also after its file was replaced by an upgrade.
const PROGRAM: &str = "/proc/self/exe";
/// Prefix of a command's error message.
const ERROR: &str = "error: ";
/// Exit status for wrong usage.
const WRONG_USAGE: i32 = 2;

/// Moves the disk of a running guest behind Forebay, without a reboot.
#[utoipa::path(
    post,
    path = "/v1/vms",
    tag = "vms",
    request_body = AttachVm,
    responses((status = OK, description = "Its name", body = MovedDocument))
)]
pub(super) async fn attach(
    State(registry): SharedRegistry,
    request: Result<Json<AttachVm>, JsonRejection>,
) -> Reply<MovedDocument> {
    let Json(AttachVm { qmp, libvirt, device, name }) = request?;
    let options = [("qmp", qmp), ("libvirt", libvirt), ("device", device), ("name", name)];
    let given = options.into_iter().filter_map(|(option, value)| Some(format!("--{option}={}", value?)));
    run(&registry, ["attach".to_owned()].into_iter().chain(given).collect()).await
}

/// Gives a disk back to the running guest that it was taken from.
#[utoipa::path(
    delete,
    path = "/v1/vms/{name}",
    tag = "vms",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    responses((status = OK, description = "Its name", body = MovedDocument))
)]
pub(super) async fn detach(State(registry): SharedRegistry, Name(name): Name) -> Reply<MovedDocument> {
    // An unknown disk gives the usual error.
    registry.disk(&name).await?;
    run(&registry, vec!["detach".to_owned(), name]).await
}

/// Runs `forebay vm` with these words, to its end even if the client disconnects.
async fn run(registry: &Registry, words: Vec<String>) -> Reply<MovedDocument> {
    if words.iter().any(|word| word.contains('\0')) {
        return Err(Error::invalid("Cannot move a disk: a value holds a zero byte; leave it out").into());
    }
    let mut command = Command::new(PROGRAM);
    command.arg("vm").args(&words).arg("--json").arg("--socket").arg(registry.places().control_socket());
    signals::release_in(&mut command);
    let unusable = |error: &dyn std::fmt::Display| Error::failed(format!("Cannot run `forebay vm`: {error}"));
    let ended = to_the_end(async move {
        match spawn_blocking(move || bounded::run(&mut command)).await {
            Ok(Ok(output)) => Ok(output),
            Ok(Err(error)) => Err(unusable(&error)),
            Err(error) => Err(unusable(&error)),
        }
    });
    let output = ended.await?;
    if output.status.success() {
        return Ok(Json(MovedDocument::of(name_in(&output.stdout)?)));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let message = said.rfind(ERROR).map_or(said.as_ref(), |at| &said[at + ERROR.len()..]).trim();
    let is_usage = output.status.code() == Some(WRONG_USAGE);
    let status = if is_usage { StatusCode::BAD_REQUEST } else { StatusCode::CONFLICT };
    Err(ErrorResponse::new(status, message))
}

/// Returns the name of the disk in the document that the command printed.
fn name_in(printed: &[u8]) -> Result<String> {
    let document: Option<Value> = serde_json::from_slice(printed).ok();
    let name = document.as_ref().and_then(|document| document["vm"]["name"].as_str());
    name.map(str::to_owned).ok_or_else(|| {
        Error::failed("The disk was moved, and `forebay vm` printed something else than its name; see `forebay vm list`")
    })
}
