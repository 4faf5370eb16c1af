//! An image of Ceph RBD, through a helper process of its own (`rbd/helper.rs`) that serves it by NBD. The helper has the image locked,
//! so that nobody else changes it.

mod attributes;
mod helper;

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use ::rbd::{Ends, ImageName, Opened};
use base::error::{Error, Result};
use block::executor::LocalHost;
use block::nbd::{Address, NbdDevice, NbdError, NbdHandle, NbdOptions, Target};
use block::patient::{HangPolicy, Watch};
use block::{
    Aligned, BlockDevice, BlockError, Buffer, ByteRange, ErrorKind, Extent, Geometry, Operation, Outcome,
    Ring, Unmap,
};

use super::{HandOff, Location};
use crate::backing::device::Opening;
use crate::backing::probe::{Images, image_in_export};
use crate::backing::storage::Storage;
use crate::backing::{Ability, Capabilities, Details, Identity, Property, PropertyValue};
use crate::backing_identity::Attributes;
use attributes::ImageAttributes;
use helper::{Helper, HelperOptions};

/// An open image.
pub(in crate::backing) struct RbdImage {
    device: Aligned<NbdDevice<LocalHost>>,
    helper: Arc<Helper>,
}

/// An open image that moves to another shard.
#[derive(Clone)]
pub(in crate::backing) struct RbdHandle {
    device: NbdHandle,
    helper: Arc<Helper>,
}

impl RbdImage {
    /// Returns the image that was handed off, on the thread of `ring`, at rest.
    pub(super) fn from_handle(ring: &Ring, host: &LocalHost, handle: RbdHandle) -> Self {
        let RbdHandle { device, helper } = handle;
        Self { device: Aligned::new(NbdDevice::from_handle(ring, host, device)), helper }
    }

    fn nbd(&self) -> &NbdDevice<LocalHost> {
        self.device.inner()
    }

    /// # Errors
    /// That the helper was fenced off: no request can succeed any more.
    fn check_fence(&self, operation: Operation, range: Option<ByteRange>) -> Result<(), BlockError> {
        match self.helper.lost() {
            None => Ok(()),
            Some(reason) => Err(BlockError { kind: ErrorKind::Gone, operation, range, reason }),
        }
    }
}

impl Storage for RbdImage {
    fn identity(&self) -> Identity {
        identity_of(&self.helper.opened())
    }

    fn lost(&self) -> Option<String> {
        self.helper.lost()
    }

    async fn current_size(&self) -> Result<u64, BlockError> {
        self.check_fence(Operation::Open, None)?;
        self.nbd().current_size()
    }

    /// Asks the helper over a new connection: it follows the header of the image.
    async fn measure(&self) -> Result<u64, BlockError> {
        self.check_fence(Operation::Open, None)?;
        self.nbd().measure().await
    }

    fn set_size(&self, bytes: u64) {
        self.nbd().set_size(bytes);
    }

    fn unit(&self) -> u64 {
        self.device.geometry().alignment
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            fence: Ability::unless(self.helper.lost()),
            dirty_marker: Ability::Able,
            guest_move: Ability::unable(
                "one client has the lock of an image, and cannot share it for the time of a move; a running guest can only be moved \
                 with a file or device",
            ),
            resize: Ability::Able,
            ..Storage::capabilities(&self.device)
        }
    }

    fn details(&self) -> Details {
        let Opened { image, fsid, owner, .. } = self.helper.opened();
        let text = |name, title, text| Property::new(name, title, PropertyValue::Text(text));
        let owner = owner.map(|owner| text("lock_owner", "lock owner", owner));
        let named = [text("cluster", "cluster", fsid), text("image_id", "image id", image)];
        Details { properties: named.into_iter().chain(owner).collect(), ..Details::default() }
    }

    fn reconnects_to_measure(&self) -> bool {
        Storage::reconnects_to_measure(&self.device)
    }

    fn attributes(&self, _location: &Location) -> Arc<dyn Attributes> {
        Arc::new(ImageAttributes::new(&self.helper))
    }

    async fn rest(&self) -> Result<(), BlockError> {
        Storage::rest(&self.device).await
    }

    fn go_on(&self) {
        Storage::go_on(&self.device);
    }

    fn hand_off(&self) -> HandOff {
        HandOff::Rbd(RbdHandle { device: self.nbd().handle(), helper: Arc::clone(&self.helper) })
    }

    fn hang(&self) -> HangPolicy {
        Storage::hang(&self.device)
    }

    fn set_retry_ns(&self, retry_ns: Option<u64>) {
        Storage::set_retry_ns(&self.device, retry_ns);
    }

    fn report_to(&self, watch: Rc<Watch>) {
        Storage::report_to(&self.device, watch);
    }
}

impl BlockDevice for RbdImage {
    fn geometry(&self) -> Geometry {
        self.device.geometry()
    }

    async fn read(&self, offset: u64, buffer: Buffer) -> Outcome {
        let range = ByteRange::checked(offset, buffer.len() as u64);
        match self.check_fence(Operation::Read, range) {
            Ok(()) => self.device.read(offset, buffer).await,
            Err(error) => (buffer, Err(error)),
        }
    }

    async fn write(&self, offset: u64, buffer: Buffer) -> Outcome {
        let range = ByteRange::checked(offset, buffer.len() as u64);
        match self.check_fence(Operation::Write, range) {
            Ok(()) => self.device.write(offset, buffer).await,
            Err(error) => (buffer, Err(error)),
        }
    }

    async fn flush(&self) -> Result<(), BlockError> {
        self.check_fence(Operation::Flush, None)?;
        self.device.flush().await
    }

    async fn write_zeroes(&self, range: ByteRange, unmap: Unmap) -> Result<(), BlockError> {
        self.check_fence(Operation::WriteZeroes, Some(range))?;
        self.device.write_zeroes(range, unmap).await
    }

    async fn discard(&self, range: ByteRange) -> Result<(), BlockError> {
        self.check_fence(Operation::Discard, Some(range))?;
        self.device.discard(range).await
    }

    async fn extents(&self, range: ByteRange) -> Result<Vec<Extent>, BlockError> {
        self.device.extents(range).await
    }

    fn epoch(&self) -> u64 {
        self.device.epoch()
    }

    fn has_unanswered(&self) -> bool {
        self.device.has_unanswered()
    }

    fn abandon_group(&self) {
        self.device.abandon_group();
    }
}

/// Returns the identity of an image: its id, which stays when it is renamed.
fn identity_of(opened: &Opened) -> Identity {
    Identity::Remote(image_id(opened))
}

/// Returns the id of an image among all clusters.
fn image_id(Opened { fsid, pool, image, .. }: &Opened) -> String {
    format!("rbd:{fsid}/{pool}/{image}")
}

/// Probes an image: that it exists, can be locked, that the user may fence others off, and that it is raw. Opens it for reading only.
pub(super) async fn probe_image(name: &ImageName, images: Images) -> Result<Identity> {
    let opened = Helper::examine(name).await?;
    let ends = opened.ends.as_ref().and_then(Ends::sectors);
    if images == Images::Refused
        && let Some((first, last)) = ends
        && let Some(reason) = image_in_export(&first, &last)
    {
        return Err(Error::invalid(format!("Cannot use backing {name}: {reason}")));
    }
    Ok(identity_of(&opened))
}

/// Starts the helper of an image, and connects to it.
pub(super) async fn open_image(
    ring: &Ring,
    host: &LocalHost,
    name: &ImageName,
    opening: &Opening,
) -> Result<RbdImage> {
    let Opening { access, retry_ns, helpers, .. } = opening;
    let options = HelperOptions {
        socket: file_of(name, &helpers.sockets, "sock"),
        lock: file_of(name, &helpers.locks, "lock"),
        access: *access,
    };
    let helper = Helper::start(name, options.clone()).await?;
    let address = Address::Helper { socket: options.socket, name: name.to_string() };
    let target = Target { address, export: String::new() };
    let options = NbdOptions { access: *access, retry_ns: *retry_ns, ..NbdOptions::default() };
    let opened = NbdDevice::open(ring, host, target, options).await;
    let device = opened.map_err(|NbdError { may_pass, reason, .. }| {
        let message = format!("Cannot use backing {name}: its helper cannot be reached: {reason}");
        if may_pass { Error::unavailable(message) } else { Error::invalid(message) }
    })?;
    Ok(RbdImage { device: Aligned::new(device), helper })
}

/// Returns the path of the socket or lock file for an image. It is the same for every helper of that image, and short, for the system limits
/// the length of a socket's.
fn file_of(name: &ImageName, folder: &Path, ending: &str) -> PathBuf {
    // FNV-1a of 64 bits, by Fowler, Noll and Vo.
    let text = format!("{} {}", name.plain(), name.conf.as_deref().unwrap_or(Path::new("")).display());
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    folder.join(format!("{hash:016x}.{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_one_socket_whoever_opens_it_and_others_have_others() {
        let socket = |rest: &str| file_of(&ImageName::parse(rest).expect("a name"), Path::new("/r"), "sock");
        assert_eq!(socket("p/i"), socket("p/i?id=other"));
        assert_ne!(socket("p/i"), socket("p/j"));
        assert_ne!(socket("p/i"), socket("p/i?conf=/other/cluster.conf"));
        assert_eq!(socket("p/i").parent(), Some(Path::new("/r")));
        assert_eq!(socket("p/i").as_os_str().len(), "/r/".len() + 16 + ".sock".len());
    }
}
