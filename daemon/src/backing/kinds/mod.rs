//! The kinds of backings: how each is named, probed and opened, and an enum over all of them. A new kind is a
//! file in this folder that implements [`Storage`], and its variants here.

mod file;
mod model;
mod nbd;
mod rbd;
mod volume;

use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use ::rbd::ImageName;
use base::blocking_pool::BlockingPool;
use base::error::{Error, Result};
use block::executor::LocalHost;
use block::file::{Access, FileDevice, Handle, Lock};
use block::model::{Model, Profile};
use block::nbd::{Address, NbdDevice, NbdHandle, NbdOptions, Target};
use block::patient::{HangPolicy, Watch};
use block::{Aligned, BlockDevice, BlockError, Buffer, ByteRange, Extent, Geometry, Outcome, Ring, Unmap};

use super::device::Opening;
use super::probe::probe;
use super::storage::Storage;
use super::{Ability, Capabilities, Details, Identity, Images, Rescue, ScrubResult, StorageSnapshot, uri};
use crate::backing_identity::Attributes;
use crate::places;
use crate::stores::{Stores, VolumeSource};
use file::open_file;
#[cfg(test)]
pub(super) use nbd::identity_of;
use nbd::{open_export, probe_export};
use rbd::{RbdHandle, RbdImage, open_image, probe_image};
use volume::{OpenVolume, open_volume, probe_volume};
pub(crate) use volume::{
    VolumeUser, check_free, command_owner, is_left_behind, open_read_only, refused as refused_volume,
    scrub_volume,
};

/// Location of a backing. `Display` prints a text that [`Location::parse`] reads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Location {
    /// A raw file or a block device.
    File(PathBuf),
    /// A file or device with the timing of a spinning array, for demonstrations and measurements.
    Model(Profile, PathBuf),
    /// An export of an NBD server.
    Nbd(Target),
    /// An image of Ceph RBD.
    Rbd(ImageName),
    /// A volume in an object store, or a snapshot of one.
    Volume(VolumeSource),
}

impl Location {
    /// Parses a location. A relative path counts from the working directory of *this* process.
    ///
    /// # Errors
    /// If this version has no such kind of backing, or the text is malformed.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let refuse = |what: String| Error::invalid(format!("Cannot use backing '{text}': {what}"));
        let not_yet = |kind: &str| {
            Err(refuse(format!("{kind} is not available yet; use a file, a block device or an NBD server")))
        };
        let (profile, path) = match text.split_once(':') {
            Some(("file", path)) => (None, path),
            Some(("model", rest)) => {
                let (profile, path) = parse_model(text, rest)?;
                (Some(profile), path)
            }
            Some(("nbd", rest)) => return uri::parse_tcp(rest).map(Self::Nbd).map_err(refuse),
            Some(("nbd+unix", rest)) => return uri::parse_unix(rest).map(Self::Nbd).map_err(refuse),
            Some(("nbds" | "nbds+unix", _)) => return not_yet("encryption"),
            Some(("rbd", rest)) => return parse_rbd(rest).map(Self::Rbd).map_err(refuse),
            Some(("volume", rest)) => return VolumeSource::parse(rest).map(Self::Volume).map_err(refuse),
            Some((scheme, rest)) if rest.starts_with("//") => {
                return Err(refuse(format!(
                    "'{scheme}' is not known; use a path, file:PATH, nbd://HOST/EXPORT, rbd:POOL/IMAGE or volume:STORE/NAME"
                )));
            }
            _ => (None, text),
        };
        if path.is_empty() {
            return Err(refuse("it names no file; give the path of a file or block device".to_owned()));
        }
        let path = places::absolute(Path::new(path))?;
        Ok(match profile {
            Some(profile) => Self::Model(profile, path),
            None => Self::File(path),
        })
    }

    /// Probes a backing on this thread, which may block on its file system; none for kinds that are probed on
    /// a ring.
    pub(crate) fn probe(&self, images: Images) -> Option<Result<Identity>> {
        self.path().map(|path| probe(path, images))
    }

    /// Returns the path of its server's Unix socket on this host, if it has one.
    pub(super) fn socket(&self) -> Option<&Path> {
        match self {
            Self::Nbd(Target { address: Address::Unix(socket), .. }) => Some(socket),
            Self::Nbd(_) | Self::Rbd(_) | Self::Volume(_) | Self::File(_) | Self::Model(..) => None,
        }
    }

    /// Returns whether its kind keeps others from changing it, also while no disk is served from it.
    pub(super) fn fence(&self) -> Ability {
        match self {
            Self::File(_) | Self::Model(..) | Self::Rbd(_) | Self::Volume(_) => Ability::Able,
            Self::Nbd(_) => nbd::FENCE,
        }
    }

    /// Returns true if what a flush makes durable is there as a whole or not at all: then groups of consistent write-back need no ring.
    pub(crate) fn has_atomic_flushes(&self) -> bool {
        matches!(self, Self::Volume(VolumeSource { snapshot: None, .. }))
    }

    /// Returns the path of the file or device that holds the data, if it is on this host.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) | Self::Model(_, path) => Some(path),
            Self::Nbd(_) | Self::Rbd(_) | Self::Volume(_) => None,
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // With the scheme, because a path may itself start with one.
            Self::File(path) => write!(f, "file:{}", path.display()),
            Self::Model(profile, path) => write!(f, "model:{profile}:{}", path.display()),
            Self::Nbd(target) => write!(f, "{target}"),
            Self::Rbd(image) => write!(f, "{image}"),
            Self::Volume(source) => write!(f, "volume:{source}"),
        }
    }
}

/// Parses the part after `rbd:`. A relative path of its configuration counts from the working directory of this process.
fn parse_rbd(rest: &str) -> Result<ImageName, String> {
    let name = ImageName::parse(rest)?;
    let conf =
        name.conf.map(|conf| places::absolute(&conf).map_err(|problem| problem.message)).transpose()?;
    Ok(ImageName { conf, ..name })
}

fn parse_model<'a>(text: &str, rest: &'a str) -> Result<(Profile, &'a str)> {
    let refuse = |what: String| Error::invalid(format!("Cannot use backing '{text}': {what}"));
    let (profile, path) = rest.split_once(':').ok_or_else(|| {
        refuse("write it as model:PROFILE:PATH, for example model:hdd-15k:/disks/a.img".to_owned())
    })?;
    let profile = profile.parse::<Profile>().map_err(|error| refuse(error.to_string()))?;
    Ok((profile, path))
}

/// Probes a backing that [`Location::probe`] cannot, from the thread of a ring. Takes as long as its server;
/// the caller sets a limit.
///
/// # Errors
/// If it cannot be reached, or cannot be served as a disk.
pub(crate) async fn probe_on_ring(
    ring: &Ring,
    host: &LocalHost,
    blocking: &BlockingPool,
    stores: &Stores,
    location: &Location,
    access: Access,
    images: Images,
) -> Result<Identity> {
    match location {
        Location::Nbd(target) => probe_export(ring, host, target, access, images).await,
        Location::Rbd(image) => probe_image(image, images).await,
        Location::Volume(source) => probe_volume(stores, blocking, host, source, access, images).await,
        Location::File(_) | Location::Model(..) => unreachable!("a file is probed where one may wait for it"),
    }
}

/// Storage that moves to the thread of another shard: the same open file, locked throughout, or the same open
/// connections.
#[derive(Clone)]
pub(super) enum HandOff {
    File(Handle),
    Nbd(NbdHandle),
    Rbd(RbdHandle),
}

/// Open storage of one of the kinds.
pub(super) enum OpenStorage {
    /// A raw file or a block device.
    File(Aligned<FileDevice>),
    /// The same with the timing of a spinning array.
    Model(Model<Aligned<FileDevice>, LocalHost>),
    /// An export of an NBD server. Not locked: NBD has no locks.
    Nbd(Aligned<NbdDevice<LocalHost>>),
    /// An image of Ceph RBD.
    Rbd(RbdImage),
    /// A volume in an object store.
    Volume(OpenVolume),
}

impl OpenStorage {
    /// Opens the storage of a backing, and locks it if its kind has locks.
    ///
    /// # Errors
    /// A conflict if another program has it open. Otherwise that its size is not that of a disk, or the error
    /// of the system or of its server.
    pub(super) async fn open(
        ring: &Ring,
        host: &LocalHost,
        blocking: &BlockingPool,
        opening: &Opening,
    ) -> Result<Self> {
        let Opening { location, access, retry_ns, .. } = opening;
        match location {
            Location::File(path) | Location::Model(_, path) => {
                let file = open_file(blocking, path, opening).await?;
                Ok(Self::of_file(ring, host, location, file))
            }
            Location::Nbd(target) => {
                let options = NbdOptions { access: *access, retry_ns: *retry_ns, ..NbdOptions::default() };
                Ok(Self::Nbd(Aligned::new(open_export(ring, host, target, options).await?)))
            }
            Location::Rbd(image) => open_image(ring, host, image, opening).await.map(Self::Rbd),
            Location::Volume(source) => open_volume(host, blocking, source, opening).await.map(Self::Volume),
        }
    }

    /// Returns the storage that was handed off, on the thread of `ring`, at rest. `location` is where it was opened.
    pub(super) fn from_hand_off(
        ring: &Ring,
        host: &LocalHost,
        location: &Location,
        hand_off: HandOff,
    ) -> Self {
        match hand_off {
            HandOff::File(file) => Self::of_file(ring, host, location, file),
            HandOff::Nbd(handle) => Self::Nbd(Aligned::new(NbdDevice::from_handle(ring, host, handle))),
            HandOff::Rbd(handle) => Self::Rbd(RbdImage::from_handle(ring, host, handle)),
        }
    }

    /// Returns the storage of a file or device that was opened at `location`, on the thread of `ring`. Aligns
    /// requests to its units: guests may send sectors.
    fn of_file(ring: &Ring, host: &LocalHost, location: &Location, file: Handle) -> Self {
        let file = Aligned::new(FileDevice::from_handle(ring, file));
        match location {
            Location::Model(profile, _) => Self::Model(Model::new(file, host.clone(), *profile)),
            Location::File(_) | Location::Nbd(_) | Location::Rbd(_) | Location::Volume(_) => Self::File(file),
        }
    }
}

/// Evaluates the same expression for the storage of any kind.
macro_rules! of_each {
    ($kind:expr, $storage:ident => $done:expr) => {
        match $kind {
            OpenStorage::File($storage) => $done,
            OpenStorage::Model($storage) => $done,
            OpenStorage::Nbd($storage) => $done,
            OpenStorage::Rbd($storage) => $done,
            OpenStorage::Volume($storage) => $done,
        }
    };
}

impl Storage for OpenStorage {
    fn identity(&self) -> Identity {
        of_each!(self, storage => storage.identity())
    }

    async fn current_size(&self) -> Result<u64, BlockError> {
        of_each!(self, storage => Storage::current_size(storage).await)
    }

    fn snapshot_id(&self) -> Option<String> {
        of_each!(self, storage => Storage::snapshot_id(storage))
    }

    fn lost(&self) -> Option<String> {
        of_each!(self, storage => Storage::lost(storage))
    }

    async fn measure(&self) -> Result<u64, BlockError> {
        of_each!(self, storage => storage.measure().await)
    }

    fn check_snapshot(&self, name: &str) -> Result<()> {
        of_each!(self, storage => Storage::check_snapshot(storage, name))
    }

    async fn prepare_snapshot(&self) {
        of_each!(self, storage => Storage::prepare_snapshot(storage).await);
    }

    fn check_growth(&self, bytes: u64) -> Result<()> {
        of_each!(self, storage => Storage::check_growth(storage, bytes))
    }

    async fn take_snapshot(&self, name: &str) -> Result<StorageSnapshot> {
        of_each!(self, storage => Storage::take_snapshot(storage, name).await)
    }

    async fn delete_snapshot(&self, name: &str) -> Result<()> {
        of_each!(self, storage => Storage::delete_snapshot(storage, name).await)
    }

    async fn grow(&self, bytes: u64) -> Result<()> {
        of_each!(self, storage => Storage::grow(storage, bytes).await)
    }

    fn set_size(&self, bytes: u64) {
        of_each!(self, storage => Storage::set_size(storage, bytes));
    }

    fn unit(&self) -> u64 {
        of_each!(self, storage => Storage::unit(storage))
    }

    fn reconnects_to_measure(&self) -> bool {
        of_each!(self, storage => storage.reconnects_to_measure())
    }

    fn capabilities(&self) -> Capabilities {
        of_each!(self, storage => storage.capabilities())
    }

    fn details(&self) -> Details {
        of_each!(self, storage => Storage::details(storage))
    }

    fn scrub_ability(&self) -> Ability {
        of_each!(self, storage => Storage::scrub_ability(storage))
    }

    fn scrub_interval(&self) -> Option<Duration> {
        of_each!(self, storage => Storage::scrub_interval(storage))
    }

    async fn scrub(
        &self,
        host: &LocalHost,
        rate: u64,
        progress: &dyn Fn(u64, u64),
        rescue: &dyn Rescue,
    ) -> Result<ScrubResult> {
        of_each!(self, storage => Storage::scrub(storage, host, rate, progress, rescue).await)
    }

    fn attributes(&self, location: &Location) -> Arc<dyn Attributes> {
        of_each!(self, storage => storage.attributes(location))
    }

    fn is_write_protected(&self) -> bool {
        of_each!(self, storage => storage.is_write_protected())
    }

    fn lock(&self) -> Lock {
        of_each!(self, storage => storage.lock())
    }

    fn take_image_lock(&self, location: &Location) -> Result<()> {
        of_each!(self, storage => storage.take_image_lock(location))
    }

    fn give_up_image_lock(&self, location: &Location) -> Result<()> {
        of_each!(self, storage => storage.give_up_image_lock(location))
    }

    async fn close(&self, host: &LocalHost) {
        of_each!(self, storage => Storage::close(storage, host).await);
    }

    async fn rest(&self) -> Result<(), BlockError> {
        of_each!(self, storage => storage.rest().await)
    }

    fn go_on(&self) {
        of_each!(self, storage => storage.go_on());
    }

    fn hand_off(&self) -> HandOff {
        of_each!(self, storage => storage.hand_off())
    }

    fn hang(&self) -> HangPolicy {
        of_each!(self, storage => storage.hang())
    }

    fn set_retry_ns(&self, retry_ns: Option<u64>) {
        of_each!(self, storage => storage.set_retry_ns(retry_ns));
    }

    fn report_to(&self, watch: Rc<Watch>) {
        of_each!(self, storage => storage.report_to(watch));
    }
}

impl BlockDevice for OpenStorage {
    fn geometry(&self) -> Geometry {
        of_each!(self, storage => storage.geometry())
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        of_each!(self, storage => storage.read(offset, buffer).await)
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        of_each!(self, storage => storage.write(offset, buffer).await)
    }

    async fn flush(&self) -> Result<(), BlockError> {
        of_each!(self, storage => storage.flush().await)
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        of_each!(self, storage => storage.write_zeroes(range, unmap).await)
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        of_each!(self, storage => storage.discard(range).await)
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        of_each!(self, storage => storage.extents(range).await)
    }

    fn epoch(&self) -> u64 {
        of_each!(self, storage => storage.epoch())
    }

    fn has_unanswered(&self) -> bool {
        of_each!(self, storage => storage.has_unanswered())
    }

    fn is_cached_below(&self, range: ByteRange) -> bool {
        of_each!(self, storage => storage.is_cached_below(range))
    }

    fn abandon_group(&self) {
        of_each!(self, storage => storage.abandon_group());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_file_locations_are_read_and_print_what_reads_back() {
        for (text, path) in [
            ("/a/b.img", "/a/b.img"),
            ("file:/a:b", "/a:b"),
            ("/x:y.img", "/x:y.img"),
            ("model:hdd-15k-raid5x5:/m:n", "/m:n"),
        ] {
            let location = Location::parse(text).expect(text);
            assert_eq!(location.path(), Some(Path::new(path)));
            assert_eq!(Location::parse(&location.to_string()), Ok(location));
        }
        let image = Location::parse("rbd:vms/web?id=forebay&conf=/etc/ceph/ceph.conf").expect("an image");
        assert_eq!((image.path(), image.probe(Images::Refused)), (None, None));
        assert_eq!(Location::parse(&image.to_string()), Ok(image));
        let here = Location::parse("web.img").expect("a relative path");
        assert!(here.path().expect("a file").is_absolute());
    }

    #[test]
    fn kinds_that_come_later_are_named_as_such() {
        for text in ["nbds://host/x", "nbds+unix:///x?socket=/s"] {
            let problem = Location::parse(text).expect_err(text);
            assert!(problem.message.contains("not available yet"), "{problem}");
        }
    }

    #[test]
    fn what_names_no_backing_is_refused() {
        for text in [
            "",
            "file:",
            "https://host/disk.img",
            "model:",
            "model:hdd-15k",
            "model:floppy:/a",
            "model:hdd-15k:",
            "nbd:store",
            "nbd+unix:///x",
            "rbd:pool",
            "rbd:pool/image@snapshot",
        ] {
            assert!(Location::parse(text).expect_err(text).message.starts_with("Cannot use backing"));
        }
    }
}
