//! Requests about snapshots of the volumes of disks.

use api::{DeletedSnapshotDocument, SnapshotDocument, TakeSnapshot};
use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::StatusCode;

use super::SharedRegistry;
use super::answer::{ErrorResponse, Name, Reply, to_the_end};
use crate::documents;

/// Makes a snapshot of the volume of a disk, while guests use it. It has all writes that were acknowledged before.
#[utoipa::path(
    post,
    path = "/v1/disks/{name}/snapshots",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    request_body = TakeSnapshot,
    responses((status = OK, description = "The snapshot", body = SnapshotDocument))
)]
pub(super) async fn take(
    State(registry): SharedRegistry,
    Name(name): Name,
    request: Result<Json<TakeSnapshot>, JsonRejection>,
) -> Reply<SnapshotDocument> {
    let Json(TakeSnapshot { name: snapshot }) = request?;
    let taken = to_the_end(async move { registry.take_snapshot(&name, snapshot).await }).await?;
    Ok(Json(SnapshotDocument::of(documents::snapshot(taken))))
}

/// Deletes a snapshot of the volume of a disk.
#[utoipa::path(
    delete,
    path = "/v1/disks/{name}/snapshots/{snapshot}",
    tag = "disks",
    params(
        ("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$"),
        ("snapshot" = String, Path, description = "Name of the snapshot", example = "before-upgrade"),
    ),
    responses((status = OK, description = "Its name", body = DeletedSnapshotDocument))
)]
pub(super) async fn delete(
    State(registry): SharedRegistry,
    names: Result<Path<(String, String)>, PathRejection>,
) -> Reply<DeletedSnapshotDocument> {
    let Path((name, snapshot)) = names.map_err(|rejection| {
        let what = rejection.body_text();
        let problem = format!("Cannot read the names of a disk and a snapshot: {what}; check them");
        ErrorResponse::new(StatusCode::BAD_REQUEST, problem)
    })?;
    let deleted = snapshot.clone();
    to_the_end(async move { registry.delete_snapshot(&name, snapshot).await }).await?;
    Ok(Json(DeletedSnapshotDocument::of(deleted)))
}
