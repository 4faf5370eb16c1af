//! Ways to a volume: its store, the disk of the daemon that has it open, and an opening of its own.
//!
//! ```text
//! a host has it open?  no ──> opened here for that time, refused if newer data of it is on a flash
//!                      this one, in a disk of its daemon ──> through the daemon, while guests go on
//!                      another ──> refused, with its name
//! ```

use ::volume::{Mark, Owner, Volume, VolumeError, VolumeSettings, VolumeSummary};
use base::error::{Error, Result};
use base::moment::nanos_since_1970;
use block::executor::{Executor, LocalHost, Order};
use block::{BlockDevice, BlockError, Buffer, ByteRange, Ring};
use objects::Client;
use serde_json::Value;

use super::super::disk::path_of;
use crate::backing::{check_free, command_owner, is_left_behind, open_read_only, refused_volume};
use crate::cli::StoreOptions;
use crate::client::Client as DaemonClient;
use crate::config::Config;
use crate::output::list;
use crate::places::host_name;
use crate::stores::{Stores, VolumeName, VolumeSource};

/// Entries of the ring of the system: all requests go to the store.
const QUEUE_DEPTH: u32 = 8;
/// Bytes that are copied at once.
pub(super) const PIECE_BYTES: u64 = 1 << 20;

/// Means to reach a volume.
pub(super) struct StoreAccess {
    pub(super) stores: Stores,
    pub(super) host: LocalHost,
}

impl StoreAccess {
    pub(super) fn client(&self, volume: &VolumeName) -> Result<Client> {
        self.stores.client(&volume.store)
    }

    /// Opens a volume or a snapshot for reading alone.
    pub(super) async fn open_read_only(&self, source: &VolumeSource) -> Result<Volume<Client, LocalHost>> {
        open_read_only(self.client(&source.volume)?, &self.host, source).await
    }
}

/// Runs what a command does with stores.
pub(super) fn with_stores<T>(
    options: &StoreOptions,
    run: impl AsyncFnOnce(&StoreAccess) -> Result<T>,
) -> Result<T> {
    let config = Config::for_command(options.config.as_deref())?;
    let cannot_start =
        |error: &dyn std::fmt::Display| Error::failed(format!("Cannot start: {error}; free some memory"));
    let queue = Ring::new(QUEUE_DEPTH).map_err(|error| cannot_start(&error))?;
    let executor = Executor::new(queue, Order::Fifo);
    let access = StoreAccess { stores: Stores::new(config.stores), host: executor.host() };
    executor.run(run(&access)).expect("a ring always waits")
}

/// Place where a volume can be changed.
pub(super) enum Route {
    /// The path of the disk of the daemon that has it open.
    Daemon(String),
    /// Nobody has it open.
    Here(Box<VolumeSummary>),
}

/// Returns the path of the disk from which a daemon serves a volume for writing, if there is one.
///
/// # Errors
/// If the daemon does not answer.
pub(super) fn served_disk(client: &DaemonClient, volume: &VolumeName) -> Result<Option<String>> {
    let document = client.get("/v1/disks")?;
    let backing = format!("volume:{volume}");
    // One that is not served has no connections.
    let is_served = |disk: &&Value| {
        disk["backing"] == backing.as_str() && disk["read_only"] == false && !disk["connections"].is_null()
    };
    let disk = list(&document["disks"]).iter().find(is_served);
    disk.and_then(|disk| disk["name"].as_str()).map(path_of).transpose()
}

/// Finds the place where a volume can be changed.
///
/// # Errors
/// If there is no such volume, or another host has it open.
pub(super) async fn route(access: &StoreAccess, volume: &VolumeName, client: &DaemonClient) -> Result<Route> {
    let found = ::volume::peek(&access.client(volume)?, &access.host, &volume.name).await;
    let summary = found.map_err(|error| refused_volume(volume, &error))?;
    let host = summary.mark.host.as_deref().filter(|_| !is_left_behind(&summary.mark));
    let Some(host) = host else {
        check_free(volume, &summary.mark, None)?;
        return Ok(Route::Here(Box::new(summary)));
    };
    if host != host_name() {
        return Err(Error::conflict(format!(
            "Cannot change volume {volume}: host '{host}' has it open, and a command there can change it. If that host is dead: `forebay \
             volume fence {volume}` ends its right to the volume, which is then as of its last group"
        )));
    }
    // Nobody is to fence a host whose daemon is stopped: its flash has newer data.
    let disk = served_disk(client, volume).map_err(|problem| {
        let message =
            format!("Cannot change volume {volume}: this host has it open, and {}", problem.message);
        Error { message, ..problem }
    })?;
    disk.map(Route::Daemon).ok_or_else(|| {
        Error::conflict(format!(
            "Cannot change volume {volume}: host '{host}' has it open, and no disk of the daemon at {} serves it: give the socket of its \
             daemon with --socket",
            client.socket().display()
        ))
    })
}

/// Opens a volume that nobody has open, and leaves it as it was found: the disk that had it last knows it again.
pub(super) async fn with_opened<T>(
    access: &StoreAccess,
    volume: &VolumeName,
    found: &VolumeSummary,
    work: impl AsyncFnOnce(&Volume<Client, LocalHost>) -> Result<T>,
) -> Result<T> {
    let refused = |error: VolumeError| refused_volume(volume, &error);
    let client = access.client(volume)?;
    access.stores.probe(&volume.store, &client).await?;
    // If another host takes it meanwhile, that one has it.
    let owner = Owner { id: command_owner(), host: host_name(), after: Some(found.epochs) };
    let settings = VolumeSettings { wall_time: nanos_since_1970, ..VolumeSettings::default() };
    let opened = Volume::open(client, access.host.clone(), &volume.name, &owner, settings).await;
    let opened = opened.map_err(refused)?;
    let done = work(&opened).await;
    // Without its checkpoint the next open takes longer, and that is all.
    if let Err(problem) = opened.close().await {
        tracing::debug!("The next open of volume {volume} takes longer: {problem}");
    }
    let marks = opened.marks().expect("it is open for writing");
    let released = marks.replace(&Mark { host: None, ..found.mark.clone() }).await.map_err(refused);
    let done = done?;
    released?;
    Ok(done)
}

/// Reads what has content of a device, piece after piece, and gives each to `take`: its range, and its bytes or the error.
pub(super) async fn read_pieces(
    device: &impl BlockDevice,
    mut take: impl FnMut(ByteRange, std::result::Result<&[u8], BlockError>) -> Result<()>,
    failed: impl Fn(BlockError) -> Error,
) -> Result<()> {
    let whole = ByteRange::new(0, device.geometry().size);
    let extents = device.extents(whole).await.map_err(failed)?;
    for extent in extents.into_iter().filter(|extent| extent.allocated) {
        let mut at = extent.range.start;
        while at < extent.range.end {
            let range = ByteRange::at(at, PIECE_BYTES.min(extent.range.end - at));
            let (piece, read) = device.read(at, Buffer::zeroed(range.len() as usize)).await;
            take(range, read.map(|()| &piece[..]))?;
            at = range.end;
        }
    }
    Ok(())
}
