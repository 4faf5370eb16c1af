//! Requests about the pool.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::extract::{Path, State};
use cache::MemberNumber;

use super::answer::{Reply, document, to_the_end};
use crate::api::{self, AddDevice};
use crate::problem::Problem;
use crate::registry::{NewDevice, Registry};
use crate::units::Size;

type Shared = State<Arc<Registry>>;

pub(super) async fn show(State(registry): Shared) -> Reply {
    Ok(document("pool", api::pool(&registry.pool().await?)))
}

pub(super) async fn add(State(registry): Shared, request: Result<Json<AddDevice>, JsonRejection>) -> Reply {
    let Json(AddDevice { path, size_bytes, erase }) = request?;
    if !path.is_absolute() {
        let path = path.display();
        return Err(Problem::invalid(format!("Cannot add {path} to the pool: give an absolute path")).into());
    }
    let wanted = NewDevice { path, size: size_bytes.map(Size), erase };
    let view = to_the_end(async move { registry.add_device(wanted).await }).await?;
    Ok(document("pool", api::pool(&view)))
}

pub(super) async fn remove(State(registry): Shared, number: Result<Path<u32>, PathRejection>) -> Reply {
    let Path(number) = number.map_err(|rejection| {
        let what = rejection.body_text();
        Problem::invalid(format!("Cannot take a device out of the pool: {what}; give its number"))
    })?;
    let view = to_the_end(async move { registry.remove_device(MemberNumber(number)).await }).await?;
    Ok(document("pool", api::pool(&view)))
}
