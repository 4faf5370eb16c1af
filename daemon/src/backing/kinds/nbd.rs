//! An export of an NBD server. Not locked: NBD has no locks.

use std::rc::Rc;

use base::error::{Error, Result};
use block::executor::LocalHost;
use block::file::Access;
use block::nbd::{NbdDevice, NbdError, NbdOptions, Target};
use block::patient::{HangPolicy, Watch};
use block::{Aligned, BlockDevice, BlockError, Buffer, Ring, SECTOR};

use super::HandOff;
use crate::backing::probe::{Images, image_in_export};
use crate::backing::storage::Storage;
use crate::backing::{Ability, Capabilities, Identity, uri};

impl Storage for Aligned<NbdDevice<LocalHost>> {
    fn identity(&self) -> Identity {
        identity_of(self.inner().target())
    }

    async fn current_size(&self) -> Result<u64, BlockError> {
        self.inner().current_size()
    }

    /// Asks the server over a new connection, if it accepts several.
    async fn measure(&self) -> Result<u64, BlockError> {
        self.inner().measure().await
    }

    fn set_size(&self, bytes: u64) {
        self.inner().set_size(bytes);
    }

    fn unit(&self) -> u64 {
        self.inner().geometry().alignment
    }

    fn capabilities(&self) -> Capabilities {
        let device = self.inner();
        let unsound = "it has no open connection, or lost one with changes that are not flushed";
        let alone = "its server accepts one client, and reports a new size to the next connection only";
        Capabilities {
            fence: FENCE,
            dirty_marker: Ability::unable("NBD has no place for a mark on an export"),
            guest_move: Ability::unable(
                "it has no locks; a running guest can only be moved with a file or device",
            ),
            shard_move: Ability::unless((!device.can_rest()).then_some(unsound)),
            resize: Ability::unless((!device.can_reconnect()).then_some(alone)),
            ..Capabilities::from_geometry(&device.geometry())
        }
    }

    fn reconnects_to_measure(&self) -> bool {
        self.inner().can_reconnect()
    }

    async fn rest(&self) -> Result<(), BlockError> {
        self.inner().rest().await
    }

    fn go_on(&self) {
        self.inner().go_on();
    }

    fn hand_off(&self) -> HandOff {
        HandOff::Nbd(self.inner().handle())
    }

    fn hang(&self) -> HangPolicy {
        HangPolicy::EndedByDevice
    }

    fn set_retry_ns(&self, retry_ns: Option<u64>) {
        self.inner().set_retry_ns(retry_ns);
    }

    fn report_to(&self, watch: Rc<Watch>) {
        self.inner().report_to(watch);
    }
}

/// Fence of an export.
pub(in crate::backing) const FENCE: Ability = Ability::unable(
    "NBD does not prevent other clients from writing to this backing; make sure that none does",
);

/// Returns the identity of an export: the address of its server, and its name.
pub(in crate::backing) fn identity_of(target: &Target) -> Identity {
    Identity::Remote(uri::plain(target).to_string())
}

/// Probes an export as `probe.rs` probes a file: checks that the server has it, and that it is raw. Takes as
/// long as its server; the caller sets a limit.
pub(super) async fn probe_export(
    ring: &Ring,
    host: &LocalHost,
    target: &Target,
    access: Access,
    images: Images,
) -> Result<Identity> {
    let options = NbdOptions { access, connections: 1, ..NbdOptions::default() };
    let device = Aligned::new(open_export(ring, host, target, options).await?);
    if images == Images::Refused {
        let last = device.geometry().size - SECTOR;
        let (start, first_read) = device.read(0, Buffer::zeroed(SECTOR as usize)).await;
        let (end, last_read) = device.read(last, Buffer::zeroed(SECTOR as usize)).await;
        first_read.and(last_read).map_err(|error| {
            Error::unavailable(format!("Cannot use backing {target}: {error}; check its server"))
        })?;
        if let Some(reason) = image_in_export(&start, &end) {
            return Err(Error::invalid(format!("Cannot use backing {target}: {reason}")));
        }
    }
    Ok(identity_of(target))
}

pub(super) async fn open_export(
    ring: &Ring,
    host: &LocalHost,
    target: &Target,
    options: NbdOptions,
) -> Result<NbdDevice<LocalHost>> {
    let opened = NbdDevice::open(ring, host, target.clone(), options).await;
    opened.map_err(|NbdError { target, may_pass, reason }| {
        let message = format!("Cannot use backing {target}: {reason}");
        if may_pass { Error::unavailable(message) } else { Error::invalid(message) }
    })
}
