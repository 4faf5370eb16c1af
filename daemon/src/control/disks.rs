//! Requests about disks.

use api::{
    AcceptDisk, AcceptanceDocument, AddDisk, DiskDocument, DisksDocument, Guest, LostDocument, NUMBER_MAX,
    QuiesceDisk, RemoveDisk, RemovedDocument, ResizeDisk, Resized, ResizedDocument, ResumeDisk, ScrubDisk,
    SetDisk,
};
use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use base::error::Error;
use block::SECTOR;
use cache::DirtyData;
use tokio::task::spawn_blocking;

use super::SharedRegistry;
use super::answer::{Name, Reply, to_the_end};
use crate::connect::{Connect, ConnectDocument, DiskAddresses, installed};
use crate::documents;
use crate::door::DoorKind;
use crate::places::Places;
use crate::registry::{CachePolicy, DiskView, IfInUse, NewDisk};
use crate::shard::{Confirmation, Destage, QuiescedWrites};
use crate::state::{GuestRecord, Stage};

/// Returns the document of one disk.
fn full(view: &DiskView, places: &Places) -> Json<DiskDocument> {
    Json(DiskDocument::of(documents::disk(view, places)))
}

/// All disks.
#[utoipa::path(
    get,
    path = "/v1/disks",
    tag = "disks",
    responses((status = OK, description = "All disks", body = DisksDocument))
)]
pub(super) async fn list(State(registry): SharedRegistry) -> Reply<DisksDocument> {
    let disks = registry.disks().await;
    let disks = disks.iter().map(|view| documents::disk_in_list(view, registry.places())).collect();
    Ok(Json(DisksDocument::of(disks)))
}

/// One disk, with its keys and its statistics.
#[utoipa::path(
    get,
    path = "/v1/disks/{name}",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    responses((status = OK, description = "The disk", body = DiskDocument))
)]
pub(super) async fn show(State(registry): SharedRegistry, Name(name): Name) -> Reply<DiskDocument> {
    let view = registry.disk(&name).await?;
    Ok(full(&view, registry.places()))
}

/// Serves one more disk. Its content stays as it is.
#[utoipa::path(
    post,
    path = "/v1/disks",
    tag = "disks",
    request_body = AddDisk,
    responses((status = OK, description = "The disk as it is served", body = DiskDocument))
)]
pub(super) async fn add(
    State(registry): SharedRegistry,
    request: Result<Json<AddDisk>, JsonRejection>,
) -> Reply<DiskDocument> {
    let Json(AddDisk { name, backing, read_only, force_raw, settings, guest }) = request?;
    let guest = guest.map(|Guest { qmp, device, process, original }| {
        // It is taken over once its QEMU has closed it.
        let process = process.filter(|process| !process.has_ended());
        GuestRecord { stage: Stage::Attaching, qmp, device, process, original }
    });
    let wanted = NewDisk { name, backing, read_only, force_raw, settings, guest };
    let places = registry.places().clone();
    let view = to_the_end(async move { registry.add(wanted).await }).await?;
    Ok(full(&view, &places))
}

/// Changes how a disk is cached, while guests use it.
#[utoipa::path(
    patch,
    path = "/v1/disks/{name}",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    request_body = SetDisk,
    responses((status = OK, description = "The disk as it is now", body = DiskDocument))
)]
pub(super) async fn set(
    State(registry): SharedRegistry,
    Name(name): Name,
    request: Result<Json<SetDisk>, JsonRejection>,
) -> Reply<DiskDocument> {
    let Json(SetDisk { settings, drop_cached }) = request?;
    let cached = if drop_cached { CachePolicy::Drop } else { CachePolicy::Keep };
    let places = registry.places().clone();
    let view = to_the_end(async move { registry.set(&name, &settings, cached).await }).await?;
    Ok(full(&view, &places))
}

/// Drops the cached data of a disk.
#[utoipa::path(
    post,
    path = "/v1/disks/{name}/evict",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    responses((status = OK, description = "The disk as it is now", body = DiskDocument))
)]
pub(super) async fn evict(State(registry): SharedRegistry, Name(name): Name) -> Reply<DiskDocument> {
    let places = registry.places().clone();
    let view = to_the_end(async move { registry.evict(&name).await }).await?;
    Ok(full(&view, &places))
}

/// Compares the backing of a disk that waits with the cache, and accepts it if that is requested.
#[utoipa::path(
    post,
    path = "/v1/disks/{name}/accept",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    request_body = AcceptDisk,
    responses((status = OK, description = "What was found, and whether the disk is served", body = AcceptanceDocument))
)]
pub(super) async fn accept(
    State(registry): SharedRegistry,
    Name(name): Name,
    request: Result<Json<AcceptDisk>, JsonRejection>,
) -> Reply<AcceptanceDocument> {
    let Json(AcceptDisk { accept, despite_differences }) = request?;
    let word = match (accept, despite_differences) {
        (false, _) => Confirmation::None,
        (true, false) => Confirmation::Accepted,
        (true, true) => Confirmation::AcceptedDespiteDifferences,
    };
    let disk = name.clone();
    let evidence = to_the_end(async move { registry.accept(&disk, word).await }).await?;
    Ok(Json(AcceptanceDocument::of(documents::acceptance(name, evidence))))
}

/// Grows a disk to the size of its backing, while guests use it. If that is a volume, it can get a new size before. It never becomes smaller.
#[utoipa::path(
    post,
    path = "/v1/disks/{name}/resize",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    request_body = Option<ResizeDisk>,
    responses((status = OK, description = "Its size, and what it was", body = ResizedDocument))
)]
pub(super) async fn resize(
    State(registry): SharedRegistry,
    Name(name): Name,
    request: Result<Option<Json<Option<ResizeDisk>>>, JsonRejection>,
) -> Reply<ResizedDocument> {
    let ResizeDisk { size_bytes } = request?.and_then(|Json(request)| request).unwrap_or_default();
    let disk = name.clone();
    let resized = to_the_end(async move { registry.resize(&disk, size_bytes).await }).await?;
    Ok(Json(ResizedDocument::of(Resized {
        name,
        size_bytes_before: resized.before,
        size_bytes: resized.now,
    })))
}

/// Takes a disk over that was open in a QEMU as well.
#[utoipa::path(
    post,
    path = "/v1/disks/{name}/take-over",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    responses((status = OK, description = "The disk as it is now", body = DiskDocument))
)]
pub(super) async fn take_over(State(registry): SharedRegistry, Name(name): Name) -> Reply<DiskDocument> {
    let places = registry.places().clone();
    let view = to_the_end(async move { registry.take_over(&name).await }).await?;
    Ok(full(&view, &places))
}

/// Releases a disk that was taken from a running QEMU, so that it can be opened there again.
#[utoipa::path(
    post,
    path = "/v1/disks/{name}/give-up",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    responses((status = OK, description = "The disk as it is now", body = DiskDocument))
)]
pub(super) async fn give_up(State(registry): SharedRegistry, Name(name): Name) -> Reply<DiskDocument> {
    let places = registry.places().clone();
    let view = to_the_end(async move { registry.give_up(&name).await }).await?;
    Ok(full(&view, &places))
}

/// Destages at full speed, from now on.
#[utoipa::path(
    post,
    path = "/v1/disks/{name}/destage",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    responses((status = OK, description = "The disk as it is now", body = DiskDocument))
)]
pub(super) async fn start_destage(State(registry): SharedRegistry, Name(name): Name) -> Reply<DiskDocument> {
    let view = registry.destage(&name, Destage::Start).await?;
    Ok(full(&view, registry.places()))
}

/// Destages in the background again.
#[utoipa::path(
    delete,
    path = "/v1/disks/{name}/destage",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    responses((status = OK, description = "The disk as it is now", body = DiskDocument))
)]
pub(super) async fn stop_destage(State(registry): SharedRegistry, Name(name): Name) -> Reply<DiskDocument> {
    let view = registry.destage(&name, Destage::Stop).await?;
    Ok(full(&view, registry.places()))
}

/// Begins to make the backing of a disk complete, and to keep it so. Answers at once: `quiesce` of the disk has the progress. Guests write
/// through meanwhile; in consistent order they go on writing back, and the backing is the disk as of one time.
#[utoipa::path(
    post,
    path = "/v1/disks/{name}/quiesce",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    request_body = QuiesceDisk,
    responses((status = OK, description = "The disk as it is now", body = DiskDocument))
)]
pub(super) async fn quiesce(
    State(registry): SharedRegistry,
    Name(name): Name,
    request: Result<Json<QuiesceDisk>, JsonRejection>,
) -> Reply<DiskDocument> {
    let Json(QuiesceDisk { seconds, write_through }) = request?;
    let writes = if write_through { QuiescedWrites::Through } else { QuiescedWrites::ByOrder };
    let view = registry.quiesce(&name, seconds, writes).await?;
    Ok(full(&view, registry.places()))
}

/// Ends quiesce: the disk may become dirty again. A conflict if it ended before.
#[utoipa::path(
    post,
    path = "/v1/disks/{name}/resume",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    request_body = Option<ResumeDisk>,
    responses((status = OK, description = "The disk as it is now", body = DiskDocument))
)]
pub(super) async fn resume(
    State(registry): SharedRegistry,
    Name(name): Name,
    request: Result<Option<Json<Option<ResumeDisk>>>, JsonRejection>,
) -> Reply<DiskDocument> {
    let ResumeDisk { number } = request?.and_then(|Json(request)| request).unwrap_or_default();
    if let Some(number) = number.filter(|number| *number > NUMBER_MAX) {
        let problem = format!(
            "Cannot end a quiesce of number {number}: the largest is {NUMBER_MAX}; take that of the answer to the quiesce"
        );
        return Err(Error::invalid(problem).into());
    }
    let view = registry.resume(&name, number).await?;
    Ok(full(&view, registry.places()))
}

/// Begins to scrub the backing of a disk: reads what it stores, compares checksums, and deletes what nothing needs. Answers at once: `scrub`
/// of the disk has the progress and the result. Guests go on. If one runs, it goes on as it is.
#[utoipa::path(
    post,
    path = "/v1/disks/{name}/scrub",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    request_body = Option<ScrubDisk>,
    responses((status = OK, description = "The disk as it is now", body = DiskDocument))
)]
pub(super) async fn start_scrub(
    State(registry): SharedRegistry,
    Name(name): Name,
    request: Result<Option<Json<Option<ScrubDisk>>>, JsonRejection>,
) -> Reply<DiskDocument> {
    let ScrubDisk { bytes_per_second } = request?.and_then(|Json(request)| request).unwrap_or_default();
    let view = registry.start_scrub(&name, bytes_per_second).await?;
    Ok(full(&view, registry.places()))
}

/// Ends a scrub, if one runs.
#[utoipa::path(
    delete,
    path = "/v1/disks/{name}/scrub",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    responses((status = OK, description = "The disk as it is now", body = DiskDocument))
)]
pub(super) async fn stop_scrub(State(registry): SharedRegistry, Name(name): Name) -> Reply<DiskDocument> {
    let view = registry.stop_scrub(&name).await?;
    Ok(full(&view, registry.places()))
}

/// Data of a disk that flash lost.
#[utoipa::path(
    get,
    path = "/v1/disks/{name}/lost",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    responses((status = OK, description = "What was lost", body = LostDocument))
)]
pub(super) async fn lost(State(registry): SharedRegistry, Name(name): Name) -> Reply<LostDocument> {
    let ranges = registry.lost(&name).await?;
    Ok(Json(LostDocument::of(documents::lost(&registry.disk(&name).await?, &ranges))))
}

/// Commands and settings that connect clients to a disk.
#[utoipa::path(
    get,
    path = "/v1/disks/{name}/connect",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    responses((status = OK, description = "Clients, doors and lines", body = ConnectDocument))
)]
pub(super) async fn connect(State(registry): SharedRegistry, Name(name): Name) -> Reply<ConnectDocument> {
    let view = registry.disk(&name).await?;
    // The version of this host's QEMU is read by running it.
    let qemu = spawn_blocking(installed::qemu).await.unwrap_or_default();
    let places = registry.places();
    let nbd_uri = places.uri_of(&name);
    let (nbd, vhost_user) = (places.socket(DoorKind::Nbd, &name), places.socket(DoorKind::VhostUser, &name));
    let doors = DiskAddresses {
        name: &name,
        read_only: view.record.read_only,
        sector_bytes: view.sector_bytes().unwrap_or(SECTOR),
        nbd: &nbd.to_string_lossy(),
        nbd_uri: nbd_uri.as_deref(),
        vhost_user: &vhost_user.to_string_lossy(),
        qemu,
    };
    Ok(Json(ConnectDocument::of(Connect::at_doors(&doors, |_| true))))
}

/// Stops serving a disk, once its backing is complete.
#[utoipa::path(
    delete,
    path = "/v1/disks/{name}",
    tag = "disks",
    params(("name" = String, Path, description = "Name of the disk", example = "vm-1", pattern = "^[a-z0-9][a-z0-9._-]{0,62}$")),
    request_body = Option<RemoveDisk>,
    responses((status = OK, description = "Its name", body = RemovedDocument))
)]
pub(super) async fn remove(
    State(registry): SharedRegistry,
    Name(name): Name,
    request: Result<Option<Json<Option<RemoveDisk>>>, JsonRejection>,
) -> Reply<RemovedDocument> {
    let RemoveDisk { discard_dirty, force } = request?.and_then(|Json(request)| request).unwrap_or_default();
    let what_is_dirty = if discard_dirty { DirtyData::Discard } else { DirtyData::Refuse };
    let if_in_use = if force { IfInUse::CutOff } else { IfInUse::Refuse };
    let removed = name.clone();
    to_the_end(async move { registry.remove(&name, what_is_dirty, if_in_use).await }).await?;
    Ok(Json(RemovedDocument::of(removed)))
}
