//! `forebay volume`: volumes as wholes. What changes a volume that a daemon of this host has open goes through that; all
//! else needs the configuration with the stores alone.

mod access;
mod check;
mod snapshots;

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::Path;

use ::volume::{Owner, Volume, VolumeSettings, VolumeSummary};
use base::error::{Error, Result};
use base::moment::nanos_since_1970;
use base::units::Size;
use block::{BlockDevice, BlockError, Buffer, ByteRange};
use serde_json::{Value, json};

use crate::backing::{check_free, refused_volume};
use crate::cli::{
    StoreOptions, VolumeAny, VolumeCommand, VolumeCreate, VolumeExport, VolumeImport, VolumeList, VolumeOne,
};
use crate::output;
use crate::places::host_name;
use crate::stores::VolumeName;
use access::{PIECE_BYTES, read_pieces, with_stores};

/// Bytes after which an import makes durable what it copied.
const FLUSH_BYTES: u64 = 1 << 30;
const MIB: u64 = 1 << 20;

pub(super) fn run(command: &VolumeCommand) -> Result<()> {
    match command {
        VolumeCommand::Create(options) => create(options),
        VolumeCommand::List(options) => list(options),
        VolumeCommand::Snapshot(options) => snapshots::take(options),
        VolumeCommand::Snapshots(options) => snapshots::list(options),
        VolumeCommand::Clone(options) => snapshots::clone(options),
        VolumeCommand::Resize(options) => snapshots::resize(options),
        VolumeCommand::Check(VolumeAny { source, store }) => match &source.snapshot {
            Some(snapshot) => snapshots::check(&source.volume, snapshot, store),
            None => check::check(&source.volume, store),
        },
        VolumeCommand::Scrub(options) => check::scrub(options),
        VolumeCommand::Fence(options) => fence(options),
        VolumeCommand::Import(options) => import(options),
        VolumeCommand::Export(options) => export(options),
        VolumeCommand::Delete(options) => match &options.any.source.snapshot {
            Some(snapshot) => snapshots::delete(options, snapshot),
            None => delete(&options.any.source.volume, &options.any.store),
        },
    }
}

/// Prints a document, or the text for people.
pub(super) fn print(options: &StoreOptions, kind: &str, document: Value, text: &str) -> Result<()> {
    if options.json {
        output::print(&format!("{}\n", api::document(kind, document)))
    } else {
        output::print(text)
    }
}

fn create(options: &VolumeCreate) -> Result<()> {
    let VolumeCreate { one: VolumeOne { volume, store }, size, content } = options;
    let id = with_stores(store, async |access| {
        let client = access.client(volume)?;
        access.stores.probe(&volume.store, &client).await?;
        let created = ::volume::create(&client, &access.host, &volume.name, size.0, (*content).into()).await;
        created.map_err(|error| refused_volume(volume, &error))
    })?;
    let text = format!(
        "Created volume {volume}, {size}. Serve it: forebay disk add {} --backing volume:{volume}\n",
        volume.name
    );
    print(
        store,
        "volume",
        json!({ "volume": volume.to_string(), "id": id.to_string(), "bytes": size.0 }),
        &text,
    )
}

fn list(options: &VolumeList) -> Result<()> {
    let VolumeList { only, store } = options;
    let found = with_stores(store, async |access| {
        let names: Vec<String> = match only {
            Some(name) => vec![name.clone()],
            None => access.stores.names().map(str::to_owned).collect(),
        };
        let mut found = Vec::new();
        for name in names {
            let client = access.stores.client(&name)?;
            let listed = ::volume::list(&client, &access.host).await;
            let of_store = VolumeName { store: name.clone(), name: "*".to_owned() };
            for (volume, summary) in listed.map_err(|error| refused_volume(&of_store, &error))? {
                found.push((format!("{name}/{volume}"), summary));
            }
        }
        Ok(found)
    })?;
    let rows = found.iter().map(|(name, summary)| match summary {
        Ok(summary) => {
            let state = match (&summary.mark.host, &summary.mark.dirty) {
                (Some(host), _) => format!("open on {host}"),
                (None, Some(_)) => "newer data on a flash".to_owned(),
                (None, None) => "free".to_owned(),
            };
            let parent = parent_of(name, summary).unwrap_or_else(|| output::NOTHING.to_owned());
            let content = match (summary.compression.name(), summary.deduplicate) {
                (compression, false) => compression.to_owned(),
                (compression, true) => format!("{compression}, deduplicated"),
            };
            vec![name.clone(), Size(summary.bytes).to_string(), content, parent, state]
        }
        Err(error) => vec![name.clone(), "?".to_owned(), "?".to_owned(), "?".to_owned(), error.to_string()],
    });
    let table = output::table(&["VOLUME", "SIZE", "CONTENT", "CLONE OF", "STATE"], &rows.collect::<Vec<_>>());
    let documents = found.iter().map(|(name, summary)| match summary {
        Ok(summary) => json!({
            "volume": name,
            "id": summary.id.to_string(),
            "bytes": summary.bytes,
            "compression": summary.compression.name(),
            "deduplicate": summary.deduplicate,
            "epochs": summary.epochs,
            "clone_of": parent_of(name, summary),
            "host": summary.mark.host,
            "dirty": summary.mark.dirty.is_some(),
        }),
        Err(error) => json!({ "volume": name, "problem": error.to_string() }),
    });
    print(store, "volumes", json!({ "volumes": documents.collect::<Vec<_>>() }), &table)
}

/// Returns the snapshot of which a volume is a clone.
fn parent_of(name: &str, summary: &VolumeSummary) -> Option<String> {
    // In the same store.
    let store = name.split_once('/').map_or(name, |(store, _)| store);
    summary.parent.as_ref().map(|parent| format!("{store}/{}@{}", parent.volume, parent.snapshot))
}

fn fence(options: &VolumeOne) -> Result<()> {
    let VolumeOne { volume, store } = options;
    let before = with_stores(store, async |access| {
        let client = access.client(volume)?;
        let fenced = ::volume::fence(&client, &access.host, &volume.name).await;
        fenced.map_err(|error| refused_volume(volume, &error))
    })?;
    let had = before.host.as_ref().map_or_else(String::new, |host| format!(" Host '{host}' had it open."));
    let text =
        format!("No host has volume {volume} any more; the next one goes on from its last group.{had}\n");
    let document =
        json!({ "volume": volume.to_string(), "host": before.host, "dirty": before.dirty.is_some() });
    print(store, "volume", document, &text)
}

fn delete(volume: &VolumeName, store: &StoreOptions) -> Result<()> {
    let mut deleted = 0;
    with_stores(store, async |access| {
        let client = access.client(volume)?;
        let known = ::volume::peek(&client, &access.host, &volume.name).await;
        // One that is damaged can be deleted.
        match known {
            Ok(summary) => check_free(volume, &summary.mark, None)?,
            Err(error @ ::volume::VolumeError::NotFound { .. }) => {
                return Err(refused_volume(volume, &error));
            }
            Err(_) => {}
        }
        let done = ::volume::delete(&client, &access.host, &volume.name, &mut |count| deleted = count).await;
        done.map_err(|error| refused_volume(volume, &error))
    })?;
    let text = format!("Deleted volume {volume}: {deleted} objects\n");
    print(store, "volume", json!({ "volume": volume.to_string(), "objects": deleted }), &text)
}

fn cannot_copy(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::failed(format!("Cannot copy {}: {error}", path.display()))
}

fn import(options: &VolumeImport) -> Result<()> {
    let VolumeImport { one: VolumeOne { volume, store }, file: path, content } = options;
    let mut file = File::open(path).map_err(|error| cannot_copy(path, &error))?;
    let bytes = file.seek(SeekFrom::End(0)).map_err(|error| cannot_copy(path, &error))?;
    let size = bytes.next_multiple_of(MIB);
    let is_made = Cell::new(false);
    let imported = with_stores(store, async |access| {
        let client = access.client(volume)?;
        access.stores.probe(&volume.store, &client).await?;
        let refused = |error| refused_volume(volume, &error);
        let created = ::volume::create(&client, &access.host, &volume.name, size, (*content).into()).await;
        created.map_err(refused)?;
        is_made.set(true);
        let owner = Owner { id: format!("import {}", std::process::id()), host: host_name(), after: None };
        let settings = VolumeSettings { wall_time: nanos_since_1970, ..VolumeSettings::default() };
        let opened = Volume::open(client, access.host.clone(), &volume.name, &owner, settings).await;
        let opened = opened.map_err(refused)?;
        let mut at = 0;
        while at < bytes {
            let length = PIECE_BYTES.min(bytes - at);
            let mut piece = Buffer::zeroed(length.next_multiple_of(block::PAGE) as usize);
            file.read_exact_at(&mut piece[..length as usize], at)
                .map_err(|error| cannot_copy(path, &error))?;
            opened.write(at, piece).await.1.map_err(|error| cannot_copy(path, &error))?;
            at += length;
            if at.is_multiple_of(FLUSH_BYTES) || at == bytes {
                opened.flush().await.map_err(|error| cannot_copy(path, &error))?;
            }
        }
        opened.close().await.map_err(refused)?;
        let marks = opened.marks().expect("it is open for writing");
        marks.replace(&::volume::Mark::default()).await.map_err(refused)
    });
    if let Err(problem) = imported {
        // A part of a disk must not be taken for one.
        if is_made.get() {
            let deleted = with_stores(store, async |access| {
                let client = access.client(volume)?;
                let deleted = ::volume::delete(&client, &access.host, &volume.name, &mut |_| {}).await;
                deleted.map_err(|error| refused_volume(volume, &error))
            });
            if let Err(left) = deleted {
                return Err(Error {
                    message: format!("{problem}. A part of volume {volume} is left: {left}"),
                    ..problem
                });
            }
        }
        return Err(problem);
    }
    let text = format!("Imported {} into volume {volume}, {}\n", path.display(), Size(size));
    print(store, "volume", json!({ "volume": volume.to_string(), "bytes": size }), &text)
}

fn export(options: &VolumeExport) -> Result<()> {
    let VolumeExport { any: VolumeAny { source, store }, file: path } = options;
    let file = File::options().write(true).create_new(true).open(path);
    let file = file.map_err(|error| cannot_copy(path, &error))?;
    let copied = with_stores(store, async |access| {
        let opened = access.open_read_only(source).await?;
        let size = opened.geometry().size;
        file.set_len(size).map_err(|error| cannot_copy(path, &error))?;
        let failed = |error: BlockError| cannot_copy(path, &error);
        let copy = |range: ByteRange, piece: std::result::Result<&[u8], BlockError>| {
            let piece = piece.map_err(failed)?;
            file.write_all_at(piece, range.start).map_err(|error| cannot_copy(path, &error))
        };
        read_pieces(&opened, copy, failed).await?;
        file.sync_all().map_err(|error| cannot_copy(path, &error))?;
        Ok(size)
    });
    // A part of a disk must not be taken for one.
    let size = copied.inspect_err(|_| remove(path))?;
    let text = format!("Exported volume {source} to {}, {}\n", path.display(), Size(size));
    print(store, "volume", json!({ "volume": source.to_string(), "bytes": size }), &text)
}

fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!("{} is incomplete and cannot be removed: {error}", path.display());
    }
}
