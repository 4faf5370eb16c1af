//! Requests about recording: begin, take chunks, end. Each chunk is a trace of its own in Forebay's format.

use api::{Recording, RecordingDocument};
use axum::Json;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::header;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use base::error::{Error, Result};

use super::SharedRegistry;
use super::answer::{ErrorResponse, Name, Reply};
use crate::recording::recorder;

/// A recording, from a path.
pub(super) struct RecordingPath {
    name: String,
    number: u32,
}

/// Begins to record guests' requests to a disk. The client must take chunks several times a second: data that
/// does not fit is dropped, and after ten seconds without a request another client may begin.
#[utoipa::path(
    post,
    path = "/v1/disks/{name}/recording",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    responses((status = OK, description = "It is recorded", body = RecordingDocument))
)]
pub(super) async fn start(State(registry): SharedRegistry, Name(name): Name) -> Reply<RecordingDocument> {
    let number = recorder(&name).start(&name, registry.disk_number(&name)?)?;
    Ok(Json(RecordingDocument::of(Recording { name, number })))
}

/// Records since the last chunk, except for the last second: a trace, whose format is in
/// docs/dev/trace-format.md.
#[utoipa::path(
    post,
    path = "/v1/disks/{name}/recording/{number}/take",
    tag = "disks",
    params(
        ("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$"),
        ("number" = u32, Path, description = "Number of the recording", example = 1)
    ),
    responses((status = OK, description = "A trace", body = String, content_type = "application/octet-stream"))
)]
pub(super) async fn take(
    State(registry): SharedRegistry,
    RecordingPath { name, number }: RecordingPath,
) -> Result<Response, ErrorResponse> {
    let disk = registry.disk_number(&name)?;
    piece(recorder(&name).take(&name, disk, number))
}

/// Ends a recording. The answer is its rest, a trace as well.
#[utoipa::path(
    delete,
    path = "/v1/disks/{name}/recording/{number}",
    tag = "disks",
    params(
        ("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$"),
        ("number" = u32, Path, description = "Number of the recording", example = 1)
    ),
    responses((status = OK, description = "A trace", body = String, content_type = "application/octet-stream"))
)]
pub(super) async fn end(
    State(registry): SharedRegistry,
    RecordingPath { name, number }: RecordingPath,
) -> Result<Response, ErrorResponse> {
    let disk = registry.disk_number(&name)?;
    piece(recorder(&name).end(&name, disk, number))
}

impl<S: Send + Sync> FromRequestParts<S> for RecordingPath {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ErrorResponse> {
        let path = Path::from_request_parts(parts, state).await;
        path.map(|Path((name, number))| Self { name, number }).map_err(|rejection| {
            let what = rejection.body_text();
            Error::invalid(format!("Cannot read the disk and number of a recording: {what}; check them"))
                .into()
        })
    }
}

fn piece(bytes: Result<Vec<u8>>) -> Result<Response, ErrorResponse> {
    Ok(([(header::CONTENT_TYPE, "application/octet-stream")], bytes?).into_response())
}
