//! Options of `forebay volume`.

use std::path::PathBuf;

use ::volume::{Compression, VolumeOptions};
use base::units::Size;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};

use super::DaemonOptions;
use crate::stores::{VolumeName, VolumeSource, parse_snapshot};

/// Commands on volumes: disks as logs of objects in an object store.
#[derive(Debug, Subcommand)]
pub(crate) enum VolumeCommand {
    /// Create a volume of zeroes. Then: `forebay disk add NAME --backing volume:STORE/NAME`.
    Create(VolumeCreate),
    /// List the volumes of a store, or of all.
    #[command(visible_alias = "ls")]
    List(VolumeList),
    /// Make a snapshot of a volume: its content as of now, under a name. If a disk of this host's daemon is on the volume, its guests go on,
    /// and the snapshot has everything that they wrote before.
    Snapshot(VolumeSnapshot),
    /// List the snapshots of a volume.
    Snapshots(VolumeOne),
    /// Create a volume with the content of a snapshot, at once. It is written on its own, and takes space for what differs.
    Clone(VolumeClone),
    /// Make a volume larger. If a disk of this host's daemon is on it, its guests go on, and see the new size.
    Resize(VolumeResize),
    /// Read all that a volume or a snapshot needs, as of its last group, and check it. Changes nothing, and hosts that have it open go on.
    Check(VolumeAny),
    /// Read all that a volume needs now and compare checksums, while its guests go on, and delete what nothing needs. By the daemon that has it
    /// open; if no host has, it is opened for that time. What only snapshots need, and what a clone shows of one, is left to `check`.
    Scrub(VolumeScrub),
    /// End the right of every host to a volume, when the one that had it is dead. The next host goes on from its last group; what only the
    /// flash of that one had is lost.
    Fence(VolumeOne),
    /// Create a volume with the content of a raw file or device.
    Import(VolumeImport),
    /// Copy a volume, as of its last group, or a snapshot to a new raw file.
    Export(VolumeExport),
    /// Delete a volume with everything that it holds, or a snapshot.
    Delete(VolumeDelete),
}

#[derive(Clone, Debug, Args)]
pub(crate) struct StoreOptions {
    /// Configuration with the stores. Default: /etc/forebay/forebay.toml.
    #[arg(long, value_name = "FILE", env = "FOREBAY_CONFIG")]
    pub(crate) config: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options by which a new volume keeps its content.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ContentOptions {
    /// Compression of its content.
    #[arg(long, value_name = "NAME", default_value = "lz4", value_parser = compression())]
    compression: Compression,
    /// Store pages that are equal once. Takes 64 MiB of RAM and about a millisecond of a processor for each MiB that is written.
    #[arg(long)]
    deduplicate: bool,
}

impl From<ContentOptions> for VolumeOptions {
    fn from(ContentOptions { compression, deduplicate }: ContentOptions) -> Self {
        Self { compression, deduplicate }
    }
}

#[derive(Clone, Debug, Args)]
pub(crate) struct VolumeCreate {
    #[command(flatten)]
    pub(crate) one: VolumeOne,
    /// Size of the disk, in whole MiB, such as 100GiB. What guests never wrote takes no space.
    pub(crate) size: Size,
    #[command(flatten)]
    pub(crate) content: ContentOptions,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct VolumeList {
    /// The store.
    #[arg(value_name = "STORE")]
    pub(crate) only: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreOptions,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct VolumeOne {
    /// Its name: STORE/NAME.
    #[arg(value_name = "VOLUME", value_parser = VolumeName::parse)]
    pub(crate) volume: VolumeName,
    #[command(flatten)]
    pub(crate) store: StoreOptions,
}

#[derive(Debug, Args)]
pub(crate) struct VolumeScrub {
    #[command(flatten)]
    pub(crate) one: VolumeOne,
    /// Most bytes that are read in a second. Default: 64MiB. A scrub that runs goes on as it is.
    #[arg(long, value_name = "SIZE", value_parser = rate)]
    pub(crate) rate: Option<Size>,
    /// End the scrub that runs.
    #[arg(long, conflicts_with = "rate")]
    pub(crate) stop: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOptions,
}

fn rate(text: &str) -> Result<Size, String> {
    let rate: Size = text.parse()?;
    if rate.0 == 0 { Err("a scrub reads 1 byte a second or more".to_owned()) } else { Ok(rate) }
}

#[derive(Clone, Debug, Args)]
pub(crate) struct VolumeAny {
    /// Its name: STORE/NAME, or STORE/NAME@SNAPSHOT.
    #[arg(value_name = "VOLUME", value_parser = VolumeSource::parse)]
    pub(crate) source: VolumeSource,
    #[command(flatten)]
    pub(crate) store: StoreOptions,
}

#[derive(Debug, Args)]
pub(crate) struct VolumeDelete {
    #[command(flatten)]
    pub(crate) any: VolumeAny,
    #[command(flatten)]
    pub(crate) daemon: DaemonOptions,
}

#[derive(Debug, Args)]
pub(crate) struct VolumeSnapshot {
    #[command(flatten)]
    pub(crate) one: VolumeOne,
    /// Name of the snapshot. STORE/NAME@SNAPSHOT names it afterwards.
    #[arg(value_parser = parse_snapshot)]
    pub(crate) snapshot: String,
    #[command(flatten)]
    pub(crate) daemon: DaemonOptions,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct VolumeClone {
    /// The snapshot: STORE/NAME@SNAPSHOT.
    #[arg(value_name = "SNAPSHOT", value_parser = VolumeSource::parse)]
    pub(crate) source: VolumeSource,
    /// The new volume, in the same store: STORE/NAME.
    #[arg(value_name = "VOLUME", value_parser = VolumeName::parse)]
    pub(crate) volume: VolumeName,
    /// Compression of what is written to it. Default: that of the volume with the snapshot.
    #[arg(long, value_name = "NAME", value_parser = compression())]
    pub(crate) compression: Option<Compression>,
    /// Store pages that are written to it and are equal once. Default: as the volume with the snapshot does.
    #[arg(long)]
    pub(crate) deduplicate: bool,
    #[command(flatten)]
    pub(crate) store: StoreOptions,
}

#[derive(Debug, Args)]
pub(crate) struct VolumeResize {
    #[command(flatten)]
    pub(crate) one: VolumeOne,
    /// New size of the disk, in whole MiB, such as 200GiB. Not less than it has.
    pub(crate) size: Size,
    #[command(flatten)]
    pub(crate) daemon: DaemonOptions,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct VolumeImport {
    #[command(flatten)]
    pub(crate) one: VolumeOne,
    /// The raw file or device. It is only read.
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) content: ContentOptions,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct VolumeExport {
    #[command(flatten)]
    pub(crate) any: VolumeAny,
    /// The file, which must not exist.
    pub(crate) file: PathBuf,
}

fn compression() -> impl TypedValueParser<Value = Compression> {
    PossibleValuesParser::new(Compression::ALL.map(Compression::name))
        .map(|name| Compression::parse(&name).expect("it is one of them"))
}
