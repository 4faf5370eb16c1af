//! Requests about the pool.

use api::{AddDevice, PoolDocument, ResizeDevice, SetPool};
use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{Path, State};
use base::error::{Error, Result};
use base::units::Size;
use cache::MemberNumber;
use telemetry::wear;

use super::SharedRegistry;
use super::answer::{Reply, to_the_end};
use crate::documents;
use crate::registry::{NewDevice, NewSize};

/// Name of the operation, for errors.
const RESIZE: &str = "change the size of a device of the pool";

/// The pool and its devices.
#[utoipa::path(
    get,
    path = "/v1/pool",
    tag = "pool",
    responses((status = OK, description = "The pool", body = PoolDocument))
)]
pub(super) async fn show(State(registry): SharedRegistry) -> Reply<PoolDocument> {
    Ok(Json(PoolDocument::of(documents::pool(&registry.pool().await?))))
}

/// Changes settings of the pool, or of one of its devices.
#[utoipa::path(
    patch,
    path = "/v1/pool",
    tag = "pool",
    request_body = SetPool,
    responses((status = OK, description = "The pool as it is now", body = PoolDocument))
)]
pub(super) async fn set(
    State(registry): SharedRegistry,
    request: Result<Json<SetPool>, JsonRejection>,
) -> Reply<PoolDocument> {
    let Json(SetPool { settings, device }) = request?;
    let change = wear::change(&settings)?;
    let view = to_the_end(async move { registry.change_pool(device, change).await }).await?;
    Ok(Json(PoolDocument::of(documents::pool(&view))))
}

/// Adds a device, while guests use the others.
#[utoipa::path(
    post,
    path = "/v1/pool/devices",
    tag = "pool",
    request_body = AddDevice,
    responses((status = OK, description = "The pool as it is now", body = PoolDocument))
)]
pub(super) async fn add(
    State(registry): SharedRegistry,
    request: Result<Json<AddDevice>, JsonRejection>,
) -> Reply<PoolDocument> {
    let Json(AddDevice { path, size_bytes, erase, same_drive, replacing }) = request?;
    if !path.is_absolute() {
        let path = path.display();
        return Err(Error::invalid(format!("Cannot add {path} to the pool: give an absolute path")).into());
    }
    let wanted = NewDevice { path, size: size_bytes.map(Size), erase, same_drive, replacing };
    let view = to_the_end(async move { registry.add_device(wanted).await }).await?;
    Ok(Json(PoolDocument::of(documents::pool(&view))))
}

/// Removes a device, while guests continue. Answers once it is empty.
#[utoipa::path(
    delete,
    path = "/v1/pool/devices/{number}",
    tag = "pool",
    params(("number" = u32, Path, description = "Number of the device, as the pool lists it")),
    responses((status = OK, description = "The pool without it", body = PoolDocument))
)]
pub(super) async fn remove(
    State(registry): SharedRegistry,
    number: Result<Path<u32>, PathRejection>,
) -> Reply<PoolDocument> {
    let number = device_number(number, "take a device out of the pool")?;
    let view = to_the_end(async move { registry.remove_device(number).await }).await?;
    Ok(Json(PoolDocument::of(documents::pool(&view))))
}

/// Changes how much the pool uses of a device, while guests continue. A device that takes long to become
/// smaller is listed with its progress, and the resize continues after the answer.
#[utoipa::path(
    put,
    path = "/v1/pool/devices/{number}/size",
    tag = "pool",
    params(("number" = u32, Path, description = "Number of the device, as the pool lists it")),
    request_body = ResizeDevice,
    responses((status = OK, description = "The pool as it is now", body = PoolDocument))
)]
pub(super) async fn resize(
    State(registry): SharedRegistry,
    number: Result<Path<u32>, PathRejection>,
    request: Result<Json<ResizeDevice>, JsonRejection>,
) -> Reply<PoolDocument> {
    let number = device_number(number, RESIZE)?;
    let Json(ResizeDevice { size_bytes }) = request?;
    let size = size_bytes.map_or(NewSize::Max, NewSize::Bytes);
    let view = to_the_end(async move { registry.resize_device(number, size).await }).await?;
    Ok(Json(PoolDocument::of(documents::pool(&view))))
}

/// Cancels a resize that makes a device smaller.
#[utoipa::path(
    delete,
    path = "/v1/pool/devices/{number}/size",
    tag = "pool",
    params(("number" = u32, Path, description = "Number of the device, as the pool lists it")),
    responses((status = OK, description = "The pool as it is now", body = PoolDocument))
)]
pub(super) async fn cancel_resize(
    State(registry): SharedRegistry,
    number: Result<Path<u32>, PathRejection>,
) -> Reply<PoolDocument> {
    let number = device_number(number, RESIZE)?;
    let view = to_the_end(async move { registry.cancel_resize(number).await }).await?;
    Ok(Json(PoolDocument::of(documents::pool(&view))))
}

/// Returns the device that a path names; `doing` is for the error.
fn device_number(number: Result<Path<u32>, PathRejection>, doing: &str) -> Result<MemberNumber> {
    let Path(number) = number.map_err(|rejection| {
        let what = rejection.body_text();
        Error::invalid(format!("Cannot {doing}: {what}; give its number"))
    })?;
    Ok(MemberNumber(number))
}
