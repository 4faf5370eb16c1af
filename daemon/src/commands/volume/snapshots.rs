//! `forebay volume snapshot`, `snapshots`, `clone` and `resize`, and what else concerns snapshots.

use ::volume::{VolumeError, VolumeOptions};
use base::error::{Error, Result};
use base::units::Size;
use block::{BlockDevice, BlockError, ByteRange, ErrorKind};
use serde_json::json;

use super::super::{client, map};
use super::access::{Route, read_pieces, route, with_opened, with_stores};
use super::print;
use crate::backing::refused_volume;
use crate::cli::{StoreOptions, VolumeClone, VolumeDelete, VolumeOne, VolumeResize, VolumeSnapshot};
use crate::documents::moment;
use crate::output;
use crate::stores::{VolumeName, VolumeSource};

pub(super) fn take(options: &VolumeSnapshot) -> Result<()> {
    let VolumeSnapshot { one: VolumeOne { volume, store }, snapshot, daemon } = options;
    let client = client(daemon)?;
    let taken = with_stores(store, async |access| match route(access, volume, &client).await? {
        Route::Daemon(path) => {
            let request = api::TakeSnapshot { name: snapshot.clone() };
            Ok(client.post(&format!("{path}/snapshots"), &request)?["snapshot"].take())
        }
        Route::Here(found) => {
            let taken = with_opened(access, volume, &found, async |opened| {
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
    let client = client(daemon)?;
    let (volume, store) = (&any.source.volume, &any.store);
    with_stores(store, async |access| match route(access, volume, &client).await? {
        Route::Daemon(path) => client.delete(&format!("{path}/snapshots/{snapshot}")).map(|_| ()),
        Route::Here(found) => {
            let deleted = with_opened(access, volume, &found, async |opened| {
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
    let client = client(daemon)?;
    let mut disk = None;
    let before = with_stores(store, async |access| match route(access, volume, &client).await? {
        Route::Daemon(path) => {
            let request = api::ResizeDisk { size_bytes: Some(size.0) };
            let document = client.post(&format!("{path}/resize"), &request)?;
            let of_mapped = map::resized(
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
            let resized = with_opened(access, volume, &found, async |opened| {
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
        let (mut whole, mut damaged) = (0, Vec::new());
        let judge = |range: ByteRange, piece: std::result::Result<&[u8], BlockError>| match piece {
            Ok(_) => {
                whole += range.len();
                Ok(())
            }
            Err(error) if matches!(error.kind, ErrorKind::Corrupt | ErrorKind::Gone) => {
                damaged.push((range, error.to_string()));
                Ok(())
            }
            Err(error) => Err(failed(error)),
        };
        read_pieces(&opened, judge, failed).await?;
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
