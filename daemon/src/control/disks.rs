//! Requests about disks.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use cache::WhatIsDirty;
use serde_json::Value;

use super::answer::{Name, Reply, document, to_the_end};
use crate::api::{self, AddDisk, Guest, QuiesceDisk, RemoveDisk, SetDisk};
use crate::registry::{NewDisk, Registry};
use crate::shard::Destage;
use crate::state::{GuestRecord, Stage};

type Shared = State<Arc<Registry>>;

pub(super) async fn list(State(registry): Shared) -> Reply {
    let disks = registry.disks().await;
    let disks: Vec<Value> = disks.iter().map(|view| api::disk_summary(view, registry.places())).collect();
    Ok(document("disks", disks))
}

pub(super) async fn show(State(registry): Shared, Name(name): Name) -> Reply {
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
    Name(name): Name,
    request: Result<Json<SetDisk>, JsonRejection>,
) -> Reply {
    let Json(SetDisk { settings }) = request?;
    let places = registry.places().clone();
    let view = to_the_end(async move { registry.set(&name, &settings).await }).await?;
    Ok(document("disk", api::disk_full(&view, &places)))
}

/// What is cached of a disk is dropped.
pub(super) async fn evict(State(registry): Shared, Name(name): Name) -> Reply {
    let places = registry.places().clone();
    let view = to_the_end(async move { registry.evict(&name).await }).await?;
    Ok(document("disk", api::disk_full(&view, &places)))
}

/// A disk that was beside a QEMU is Forebay's own now.
pub(super) async fn take_over(State(registry): Shared, Name(name): Name) -> Reply {
    let places = registry.places().clone();
    let view = to_the_end(async move { registry.take_over(&name).await }).await?;
    Ok(document("disk", api::disk_full(&view, &places)))
}

/// A disk that was taken from a running QEMU can be opened there again.
pub(super) async fn give_up(State(registry): Shared, Name(name): Name) -> Reply {
    let places = registry.places().clone();
    let view = to_the_end(async move { registry.give_up(&name).await }).await?;
    Ok(document("disk", api::disk_full(&view, &places)))
}

/// Destage at full speed, from now on.
pub(super) async fn start_destage(State(registry): Shared, Name(name): Name) -> Reply {
    let view = registry.destage(&name, Destage::Start).await?;
    Ok(document("disk", api::disk_full(&view, registry.places())))
}

/// Destage as it suits guests.
pub(super) async fn stop_destage(State(registry): Shared, Name(name): Name) -> Reply {
    let view = registry.destage(&name, Destage::Stop).await?;
    Ok(document("disk", api::disk_full(&view, registry.places())))
}

/// Begins to keep a disk from being dirty. Answers at once: `quiet` of the disk says how far that is.
pub(super) async fn quiesce(
    State(registry): Shared,
    Name(name): Name,
    request: Result<Json<QuiesceDisk>, JsonRejection>,
) -> Reply {
    let Json(QuiesceDisk { seconds }) = request?;
    let view = registry.quiesce(&name, seconds).await?;
    Ok(document("disk", api::disk_full(&view, registry.places())))
}

/// Lets it become dirty again.
pub(super) async fn resume(State(registry): Shared, Name(name): Name) -> Reply {
    let view = registry.resume(&name).await?;
    Ok(document("disk", api::disk_full(&view, registry.places())))
}

/// What flash lost of a disk.
pub(super) async fn lost(State(registry): Shared, Name(name): Name) -> Reply {
    let ranges = registry.lost(&name).await?;
    Ok(document("lost", api::lost(&registry.disk(&name).await?, &ranges)))
}

pub(super) async fn remove(
    State(registry): Shared,
    Name(name): Name,
    request: Result<Option<Json<RemoveDisk>>, JsonRejection>,
) -> Reply {
    let RemoveDisk { lose_dirty } = request?.map(|Json(request)| request).unwrap_or_default();
    let what_is_dirty = if lose_dirty { WhatIsDirty::IsLost } else { WhatIsDirty::IsKept };
    let removed = name.clone();
    to_the_end(async move { registry.remove(&name, what_is_dirty).await }).await?;
    Ok(document("removed", removed))
}
