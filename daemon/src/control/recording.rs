//! Requests about recording: begun, taken piece by piece, ended. Each piece is a trace of its own in Forebay's format.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::answer::{Failure, Name, Reply};
use crate::api::{Recording, RecordingDocument};
use crate::problem::Answer;
use crate::recording::recorder;
use crate::registry::Registry;

type Shared = State<Arc<Registry>>;

/// Begins to record what guests ask of a disk. Whoever begins takes what came several times a second; what nobody takes is
/// dropped, and who takes nothing for ten seconds may be followed by another.
#[utoipa::path(
    post,
    path = "/v1/disks/{name}/recording",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    responses((status = OK, description = "It is recorded", body = RecordingDocument))
)]
pub(super) async fn start(State(registry): Shared, Name(name): Name) -> Reply<RecordingDocument> {
    let view = registry.disk(&name).await?;
    recorder(&view.record.name).start(&name)?;
    Ok(Json(RecordingDocument::of(Recording { name })))
}

/// What came since the last time, but for the last second: a trace, of which docs/trace-format.md has every byte.
#[utoipa::path(
    post,
    path = "/v1/disks/{name}/recording/take",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    responses((status = OK, description = "A trace", body = String, content_type = "application/octet-stream"))
)]
pub(super) async fn take(Name(name): Name) -> Result<Response, Failure> {
    piece(recorder(&name).take(&name))
}

/// Ends a recording. The answer is its rest, a trace as well.
#[utoipa::path(
    delete,
    path = "/v1/disks/{name}/recording",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    responses((status = OK, description = "A trace", body = String, content_type = "application/octet-stream"))
)]
pub(super) async fn end(Name(name): Name) -> Result<Response, Failure> {
    piece(recorder(&name).end(&name))
}

fn piece(bytes: Answer<Vec<u8>>) -> Result<Response, Failure> {
    Ok(([(header::CONTENT_TYPE, "application/octet-stream")], bytes?).into_response())
}
