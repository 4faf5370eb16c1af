//! Requests about disks.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use serde_json::Value;

use super::answer::{Reply, document, to_the_end};
use crate::api::{self, AddDisk, Guest, SetDisk};
use crate::registry::{NewDisk, Registry};
use crate::state::{GuestRecord, Stage};

type Shared = State<Arc<Registry>>;

pub(super) async fn list(State(registry): Shared) -> Reply {
    let disks = registry.disks().await;
    let disks: Vec<Value> = disks.iter().map(|view| api::disk_summary(view, registry.places())).collect();
    Ok(document("disks", disks))
}

pub(super) async fn show(State(registry): Shared, Path(name): Path<String>) -> Reply {
    let view = registry.disk(&name).await?;
    Ok(document("disk", api::disk_full(&view, registry.places())))
}

pub(super) async fn add(State(registry): Shared, request: Result<Json<AddDisk>, JsonRejection>) -> Reply {
    let Json(AddDisk { name, backing, read_only, raw_anyway, settings, guest }) = request?;
    let guest = guest.map(|Guest { qmp, device, original }| {
        // It is taken over when its QEMU has let it go.
        GuestRecord { stage: Stage::Attaching, qmp, device, original }
    });
    let wanted = NewDisk { name, backing, read_only, raw_anyway, settings, guest };
    let places = registry.places().clone();
    let view = to_the_end(async move { registry.add(wanted).await }).await?;
    Ok(document("disk", api::disk_full(&view, &places)))
}

pub(super) async fn set(
    State(registry): Shared,
    Path(name): Path<String>,
    request: Result<Json<SetDisk>, JsonRejection>,
) -> Reply {
    let Json(SetDisk { settings }) = request?;
    let places = registry.places().clone();
    let view = to_the_end(async move { registry.set(&name, &settings).await }).await?;
    Ok(document("disk", api::disk_full(&view, &places)))
}

/// What is cached of a disk is dropped.
pub(super) async fn evict(State(registry): Shared, Path(name): Path<String>) -> Reply {
    let places = registry.places().clone();
    let view = to_the_end(async move { registry.evict(&name).await }).await?;
    Ok(document("disk", api::disk_full(&view, &places)))
}

/// A disk that was beside a QEMU is Forebay's own now.
pub(super) async fn take_over(State(registry): Shared, Path(name): Path<String>) -> Reply {
    let places = registry.places().clone();
    let view = to_the_end(async move { registry.take_over(&name).await }).await?;
    Ok(document("disk", api::disk_full(&view, &places)))
}

/// A disk that was taken from a running QEMU can be opened there again.
pub(super) async fn give_up(State(registry): Shared, Path(name): Path<String>) -> Reply {
    let places = registry.places().clone();
    let view = to_the_end(async move { registry.give_up(&name).await }).await?;
    Ok(document("disk", api::disk_full(&view, &places)))
}

pub(super) async fn remove(State(registry): Shared, Path(name): Path<String>) -> Reply {
    let removed = name.clone();
    to_the_end(async move { registry.remove(&name).await }).await?;
    Ok(document("removed", removed))
}

pub(super) async fn all_statistics(State(registry): Shared) -> Reply {
    let disks = registry.disks().await;
    Ok(document("disks", disks.iter().map(api::statistics).collect::<Vec<Value>>()))
}

pub(super) async fn statistics(State(registry): Shared, Path(name): Path<String>) -> Reply {
    let view = registry.disk(&name).await?;
    Ok(document("disks", vec![api::statistics(&view)]))
}
