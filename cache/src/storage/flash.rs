//! The devices of a pool as one shard has them: maps each page of the pool to its place on a device. Each device has its meter in front of
//! it, so that no write bypasses the meter.

use std::rc::Rc;

use block::{BlockDevice, BlockError, Buffer, ErrorKind, Operation};

use super::metered::{MeteredDevice, Meters};
use crate::format::layout::Layout;
use crate::format::members::{Member, Members};
use crate::types::units::{FlashPage, MemberNumber, SegmentNumber};

/// A shard's own handles of the devices.
pub(crate) struct Flash<F> {
    pub(crate) layout: Layout,
    devices: Vec<(Member, Rc<MeteredDevice<F>>)>,
    meters: Meters,
}

/// A place on a device.
pub(crate) struct DeviceLocation<F> {
    pub(crate) member: MemberNumber,
    pub(crate) device: Rc<MeteredDevice<F>>,
    /// In bytes from the device's start.
    pub(crate) offset: u64,
}

impl<F> Clone for Flash<F> {
    fn clone(&self) -> Self {
        Self { layout: self.layout, devices: self.devices.clone(), meters: self.meters.clone() }
    }
}

impl<F: BlockDevice> Flash<F> {
    /// Creates the set of devices. The meters of their numbers count what is written to them.
    pub(crate) fn new(layout: Layout, devices: Vec<(Member, F)>, meters: Meters) -> Self {
        let mut flash = Self { layout, devices: Vec::new(), meters };
        for (member, device) in devices {
            flash.add(member, device);
        }
        flash
    }

    /// Returns the meters that count the bytes written to the devices.
    pub(crate) fn meters(&self) -> &Meters {
        &self.meters
    }

    /// Returns the devices that this shard has.
    pub(crate) fn devices(&self) -> impl Iterator<Item = (Member, &Rc<MeteredDevice<F>>)> {
        self.devices.iter().map(|(member, device)| (*member, device))
    }

    /// Returns the device of this number.
    pub(crate) fn device(&self, number: MemberNumber) -> Option<&Rc<MeteredDevice<F>>> {
        self.devices().find(|(member, _)| member.number == number).map(|(_, device)| device)
    }

    /// Adds a device.
    pub(crate) fn add(&mut self, member: Member, device: F) {
        let meter = self.meters.of(member.number);
        self.put(member, MeteredDevice::new(device, meter));
    }

    /// Adds a device to which something was written before it had its number.
    pub(crate) fn add_metered(&mut self, member: Member, device: MeteredDevice<F>) {
        self.meters.take(member.number, &device.meter);
        self.put(member, device);
    }

    fn put(&mut self, member: Member, device: MeteredDevice<F>) {
        self.devices.retain(|(other, _)| other.number != member.number);
        self.devices.push((member, Rc::new(device)));
    }

    /// Updates the sizes of devices.
    pub(crate) fn know_sizes(&mut self, members: &Members) {
        for (member, _) in &mut self.devices {
            *member = members.get(member.number).unwrap_or(*member);
        }
    }

    /// Gives up the devices that do not belong to the pool.
    pub(crate) fn keep(&mut self, belongs: impl Fn(MemberNumber) -> bool) {
        self.devices.retain(|(member, _)| belongs(member.number));
    }

    /// Returns the place of a page; none if its device is missing.
    pub(crate) fn place(&self, page: FlashPage) -> Option<DeviceLocation<F>> {
        let segment = self.layout.segment_of(page);
        let (place, (member, device)) =
            self.devices.iter().find_map(|device| Some((device.0.place_of(segment)?, device)))?;
        let offset = self.layout.device_offset(place, page);
        Some(DeviceLocation { member: member.number, device: Rc::clone(device), offset })
    }

    /// Returns the device of a segment; none if that is missing.
    pub(crate) fn device_of(&self, segment: SegmentNumber) -> Option<(Member, &Rc<MeteredDevice<F>>)> {
        self.devices().find(|(member, _)| member.has(segment))
    }

    /// Reads pages of one segment.
    pub(crate) async fn read(&self, first: FlashPage, buffer: Buffer) -> (Buffer, Result<(), BlockError>) {
        let Some(place) = self.place(first) else { return (buffer, Err(missing())) };
        place.device.read(place.offset, buffer).await
    }
}

/// Returns the error for a device that is missing.
pub(crate) fn missing() -> BlockError {
    BlockError::anywhere(ErrorKind::Gone, Operation::Read).because("this device of the pool is not there")
}
