//! Options of `forebay volume`.

use std::path::PathBuf;

use ::volume::Compression;
use base::units::Size;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};

use crate::stores::VolumeName;

/// Commands on volumes: disks as logs of objects in an object store.
#[derive(Debug, Subcommand)]
pub(crate) enum VolumeCommand {
    /// Create a volume of zeroes. Then: `forebay disk add NAME --backing volume:STORE/NAME`.
    Create(VolumeCreate),
    /// List the volumes of a store, or of all.
    #[command(visible_alias = "ls")]
    List(VolumeList),
    /// Read all that a volume needs, as of its last group, and check it. Changes nothing, and hosts that have it open go on.
    Check(VolumeOne),
    /// End the right of every host to a volume, when the one that had it is dead. The next host goes on from its last group; what only the
    /// flash of that one had is lost.
    Fence(VolumeOne),
    /// Create a volume with the content of a raw file or device.
    Import(VolumeImport),
    /// Copy a volume, as of its last group, to a new raw file.
    Export(VolumeExport),
    /// Delete a volume with everything that it holds.
    Delete(VolumeOne),
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

#[derive(Clone, Debug, Args)]
pub(crate) struct VolumeCreate {
    #[command(flatten)]
    pub(crate) one: VolumeOne,
    /// Size of the disk, in whole MiB, such as 100GiB. What guests never wrote takes no space.
    pub(crate) size: Size,
    /// Compression of its content.
    #[arg(long, value_name = "NAME", default_value = "lz4", value_parser = compression())]
    pub(crate) compression: Compression,
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

#[derive(Clone, Debug, Args)]
pub(crate) struct VolumeImport {
    #[command(flatten)]
    pub(crate) one: VolumeOne,
    /// The raw file or device. It is only read.
    pub(crate) file: PathBuf,
    /// Compression of its content.
    #[arg(long, value_name = "NAME", default_value = "lz4", value_parser = compression())]
    pub(crate) compression: Compression,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct VolumeExport {
    #[command(flatten)]
    pub(crate) one: VolumeOne,
    /// The file, which must not exist.
    pub(crate) file: PathBuf,
}

fn compression() -> impl TypedValueParser<Value = Compression> {
    PossibleValuesParser::new(Compression::ALL.map(Compression::name))
        .map(|name| Compression::parse(&name).expect("it is one of them"))
}
