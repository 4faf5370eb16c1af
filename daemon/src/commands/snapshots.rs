//! `forebay volume snapshot` and its kin: what changes a volume under the host that has it open.
//!
//! ```text
//! a host has it open?  no ──> opened here for that time, refused if newer data of it is on a flash
//!                      this one, in a disk of its daemon ──> through the daemon, while guests go on
//!                      another ──> refused, with its name
//! ```

use ::volume::{Mark, Owner, Volume, VolumeError, VolumeOptions, VolumeSettings, VolumeSummary};
use base::error::{Error, Result};
use base::moment::nanos_since_1970;
use base::units::Size;
use block::executor::LocalHost;
use block::{BlockDevice, BlockError, Buffer, ByteRange, ErrorKind};
use objects::Client;
use serde_json::{Value, json};

use super::volume::{StoreAccess, print, with_stores};
use super::{client, disk};
use crate::backing::{check_free, command_owner, is_left_behind, refused_volume};
use crate::cli::{
    DaemonOptions, StoreOptions, VolumeClone, VolumeDelete, VolumeOne, VolumeResize, VolumeSnapshot,
};
use crate::documents::moment;
use crate::output;
use crate::places::host_name;
use crate::stores::{VolumeName, VolumeSource};

/// Bytes that are read at once.
const PIECE_BYTES: u64 = 1 << 20;

/// Place where a volume can be changed.
enum Route {
    /// The path of the disk of the daemon that has it open.
    Daemon(crate::client::Client, String),
    /// Nobody has it open.
    Here(VolumeSummary),
}

/// Finds the place where a volume can be changed.
///
/// # Errors
/// If there is no such volume, or another host has it open.
async fn route(access: &StoreAccess, volume: &VolumeName, daemon: &DaemonOptions) -> Result<Route> {
    let found = ::volume::peek(&access.client(volume)?, &access.host, &volume.name).await;
    let summary = found.map_err(|error| refused_volume(volume, &error))?;
    let host = summary.mark.host.as_deref().filter(|_| !is_left_behind(&summary.mark));
    let Some(host) = host else {
        check_free(volume, &summary.mark, None)?;
        return Ok(Route::Here(summary));
    };
    if host != host_name() {
        return Err(Error::conflict(format!(
            "Cannot change volume {volume}: host '{host}' has it open, and a command there can change it. If that host is dead: `forebay \
             volume fence {volume}` ends its right to the volume, which is then as of its last group"
        )));
    }
    let client = client(daemon)?;
    // Nobody is to fence a host whose daemon is stopped: its flash has newer data.
    let document = client.get("/v1/disks").map_err(|problem| {
        let message =
            format!("Cannot change volume {volume}: this host has it open, and {}", problem.message);
        Error { message, ..problem }
    })?;
    let backing = format!("volume:{volume}");
    let has_it = |disk: &&Value| disk["backing"] == backing.as_str() && disk["read_only"] == false;
    let disk = output::list(&document["disks"]).iter().find(has_it);
    let Some(name) = disk.and_then(|disk| disk["name"].as_str()) else {
        return Err(Error::conflict(format!(
            "Cannot change volume {volume}: host '{host}' has it open, and no disk of the daemon at {} is on it: give the socket of its daemon \
             with --socket",
            client.socket().display()
        )));
    };
    let path = disk::path_of(name)?;
    Ok(Route::Daemon(client, path))
}

/// Opens a volume that nobody has open, changes it, and leaves it as it was found: the disk that had it last knows it again.
async fn change_here<T>(
    access: &StoreAccess,
    volume: &VolumeName,
    found: &VolumeSummary,
    change: impl AsyncFnOnce(&Volume<Client, LocalHost>) -> Result<T>,
) -> Result<T> {
    let refused = |error: VolumeError| refused_volume(volume, &error);
    let client = access.client(volume)?;
    access.stores.probe(&volume.store, &client).await?;
    let owner = Owner { id: command_owner(), host: host_name(), after: Some(found.epochs) };
    let settings = VolumeSettings { wall_time: nanos_since_1970, ..VolumeSettings::default() };
    let opened = Volume::open(client, access.host.clone(), &volume.name, &owner, settings).await;
    let opened = opened.map_err(refused)?;
    let changed = change(&opened).await;
    let closed = opened.close().await.map_err(refused);
    let marks = opened.marks().expect("it is open for writing");
    let released = marks.replace(&Mark { host: None, ..found.mark.clone() }).await.map_err(refused);
    let changed = changed?;
    closed.and(released)?;
    Ok(changed)
}

pub(super) fn take(options: &VolumeSnapshot) -> Result<()> {
    let VolumeSnapshot { one: VolumeOne { volume, store }, snapshot, daemon } = options;
    let taken = with_stores(store, async |access| match route(access, volume, daemon).await? {
        Route::Daemon(client, path) => {
            let request = api::TakeSnapshot { name: snapshot.clone() };
            Ok(client.post(&format!("{path}/snapshots"), &request)?["snapshot"].take())
        }
        Route::Here(found) => {
            let taken = change_here(access, volume, &found, async |opened| {
                let taken = opened.snapshot(snapshot).await;
                taken.map_err(|error| refused_volume(volume, &error))
            });
            let taken = taken.await?;
            let snapshot = api::Snapshot {
                volume: volume.to_string(),
                name: taken.name,
                as_of: moment(taken.taken_at),
                size_bytes: taken.bytes,
            };
            Ok(serde_json::to_value(snapshot).expect("plain data"))
        }
    })?;
    let as_of = taken["as_of"].as_str().unwrap_or("its creation");
    let text = format!(
        "Made snapshot {volume}@{snapshot}, as of {as_of}. Clone it: forebay volume clone {volume}@{snapshot} {}/NAME\n",
        volume.store
    );
    print(store, "snapshot", taken, &text)
}

pub(super) fn delete(options: &VolumeDelete, snapshot: &str) -> Result<()> {
    let VolumeDelete { any, daemon } = options;
    let (volume, store) = (&any.source.volume, &any.store);
    with_stores(store, async |access| match route(access, volume, daemon).await? {
        Route::Daemon(client, path) => client.delete(&format!("{path}/snapshots/{snapshot}")).map(|_| ()),
        Route::Here(found) => {
            let deleted = change_here(access, volume, &found, async |opened| {
                let deleted = opened.delete_snapshot(snapshot).await;
                deleted.map_err(|error| refused_volume(volume, &error))
            });
            deleted.await
        }
    })?;
    print(store, "deleted", json!(snapshot), &format!("Deleted snapshot {volume}@{snapshot}\n"))
}

pub(super) fn resize(options: &VolumeResize) -> Result<()> {
    let VolumeResize { one: VolumeOne { volume, store }, size, daemon } = options;
    let mut disk = None;
    let before = with_stores(store, async |access| match route(access, volume, daemon).await? {
        Route::Daemon(client, path) => {
            let request = api::ResizeDisk { size_bytes: Some(size.0) };
            let document = client.post(&format!("{path}/resize"), &request)?;
            let of_mapped = super::map::resized(
                &client,
                document["resized"]["name"].as_str().unwrap_or_default(),
                &document["resized"]["size_bytes"],
            )?;
            disk = Some(of_mapped);
            Ok(document["resized"]["size_bytes_before"].as_u64().unwrap_or_default())
        }
        Route::Here(found) => {
            if size.0 < found.bytes {
                return Err(Error::conflict(format!(
                    "Cannot make volume {volume} smaller than {}: create a smaller one, and copy what is needed",
                    Size(found.bytes)
                )));
            }
            let resized = change_here(access, volume, &found, async |opened| {
                let resized = opened.resize(size.0).await;
                resized.map_err(|error| Error::failed(format!("Cannot resize volume {volume}: {error}")))
            });
            resized.await?;
            Ok(found.bytes)
        }
    })?;
    let guests = disk.map_or_else(String::new, |of_mapped| {
        format!(
            "Guests of its vhost-user socket see that by themselves, those of its NBD socket when they connect again\n{of_mapped}"
        )
    });
    let text = format!("Volume {volume} has {size} now and had {}\n{guests}", Size(before));
    let document = json!({ "volume": volume.to_string(), "bytes_before": before, "bytes": size.0 });
    print(store, "volume", document, &text)
}

pub(super) fn list(options: &VolumeOne) -> Result<()> {
    let VolumeOne { volume, store } = options;
    let found = with_stores(store, async |access| {
        let found = ::volume::snapshots(&access.client(volume)?, &access.host, &volume.name).await;
        found.map_err(|error| refused_volume(volume, &error))
    })?;
    let rows = found.iter().map(|snapshot| {
        let state = if snapshot.is_going { "being deleted" } else { "whole" };
        vec![
            format!("{volume}@{}", snapshot.name),
            moment(snapshot.taken_at).unwrap_or_else(|| "its creation".to_owned()),
            Size(snapshot.bytes).to_string(),
            state.to_owned(),
        ]
    });
    let table = output::table(&["SNAPSHOT", "AS OF", "SIZE", "STATE"], &rows.collect::<Vec<_>>());
    let documents = found.iter().map(|snapshot| {
        json!({
            "volume": volume.to_string(),
            "name": snapshot.name,
            "id": snapshot.id.to_string(),
            "as_of": moment(snapshot.taken_at),
            "size_bytes": snapshot.bytes,
            "being_deleted": snapshot.is_going,
        })
    });
    let text = if found.is_empty() {
        format!("Volume {volume} has no snapshots: `forebay volume snapshot {volume} NAME` makes one\n")
    } else {
        table
    };
    print(store, "snapshots", documents.collect::<Vec<_>>().into(), &text)
}

pub(super) fn clone(options: &VolumeClone) -> Result<()> {
    let VolumeClone { source, volume, compression, deduplicate, store } = options;
    let parent = &source.volume;
    let Some(snapshot) = &source.snapshot else {
        return Err(Error::invalid(format!(
            "Cannot clone volume {parent} itself: make a snapshot with `forebay volume snapshot {parent} NAME`, and clone {parent}@NAME"
        )));
    };
    if volume.store != parent.store {
        return Err(Error::invalid(format!(
            "Cannot clone {source} to store '{}': a clone needs its snapshot, which is in store '{}'. Copy it with `forebay volume export \
             {source} FILE` and `forebay volume import {volume} FILE`",
            volume.store, parent.store
        )));
    }
    let (id, bytes) = with_stores(store, async |access| {
        let client = access.client(parent)?;
        access.stores.probe(&parent.store, &client).await?;
        let refused = |error: VolumeError| refused_volume(parent, &error);
        let of_parent = ::volume::peek(&client, &access.host, &parent.name).await.map_err(refused)?;
        let options = VolumeOptions {
            compression: compression.unwrap_or(of_parent.compression),
            deduplicate: *deduplicate || of_parent.deduplicate,
        };
        let (name, new) = (&parent.name, &volume.name);
        let id = ::volume::create_clone(&client, &access.host, name, snapshot, new, options).await;
        let id = id.map_err(refused)?;
        let made = ::volume::peek(&client, &access.host, new).await;
        let made = made.map_err(|error| refused_volume(volume, &error))?;
        Ok((id, made.bytes))
    })?;
    let text = format!(
        "Created volume {volume}, {}, a clone of {source}. Serve it: forebay disk add {} --backing volume:{volume}\n",
        Size(bytes),
        volume.name
    );
    let document = json!({
        "volume": volume.to_string(),
        "id": id.to_string(),
        "bytes": bytes,
        "clone_of": source.to_string(),
    });
    print(store, "volume", document, &text)
}

/// Reads all of a snapshot: each part has a checksum.
pub(super) fn check(volume: &VolumeName, snapshot: &str, store: &StoreOptions) -> Result<()> {
    let source = VolumeSource { volume: volume.clone(), snapshot: Some(snapshot.to_owned()) };
    let (size, whole, damaged) = with_stores(store, async |access| {
        let opened = access.open_read_only(&source).await?;
        let failed = |error: BlockError| Error::failed(format!("Cannot check snapshot {source}: {error}"));
        let size = opened.geometry().size;
        let extents = opened.extents(ByteRange::new(0, size)).await.map_err(failed)?;
        let (mut whole, mut damaged) = (0, Vec::new());
        for extent in extents.into_iter().filter(|extent| extent.allocated) {
            let mut at = extent.range.start;
            while at < extent.range.end {
                let piece = ByteRange::at(at, PIECE_BYTES.min(extent.range.end - at));
                match opened.read(at, Buffer::zeroed(piece.len() as usize)).await.1 {
                    Ok(()) => whole += piece.len(),
                    Err(error) if matches!(error.kind, ErrorKind::Corrupt | ErrorKind::Gone) => {
                        damaged.push((piece, error.to_string()));
                    }
                    Err(error) => return Err(failed(error)),
                }
                at = piece.end;
            }
        }
        Ok((size, whole, damaged))
    })?;
    let in_parts = damaged
        .iter()
        .map(|(range, reason)| json!({ "start": range.start, "length": range.len(), "reason": reason }));
    let document = json!({
        "volume": source.to_string(),
        "bytes": size,
        "whole_bytes": whole,
        "damaged": in_parts.collect::<Vec<_>>(),
    });
    let mut pairs = vec![
        ("snapshot", source.to_string()),
        ("size", Size(size).to_string()),
        ("whole", Size(whole).to_string()),
        (
            "damaged",
            if damaged.is_empty() { "nothing".to_owned() } else { format!("{} parts", damaged.len()) },
        ),
    ];
    pairs.extend(damaged.iter().map(|(range, reason)| ("", format!("{range}: {reason}"))));
    print(store, "volume-check", document, &output::pairs(&pairs))?;
    if damaged.is_empty() {
        return Ok(());
    }
    Err(Error::failed(format!(
        "Snapshot {source} is damaged: keep no clones of it, and take another one once the volume is whole"
    )))
}
