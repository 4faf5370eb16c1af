//! The devices of a pool as one shard has them: where each page of the pool is, on which device.

use std::rc::Rc;

use block::{BlockDevice, BlockError, Buffer, ErrorKind, Operation};

use crate::bytes::layout::Layout;
use crate::bytes::members::Member;
use crate::words::units::{FlashPage, MemberNumber, SegmentNumber};

/// A shard's own handles of the devices.
pub(crate) struct Flash<F> {
    pub(crate) layout: Layout,
    devices: Vec<(Member, Rc<F>)>,
}

/// A place on a device.
pub(crate) struct Place<F> {
    pub(crate) member: MemberNumber,
    pub(crate) device: Rc<F>,
    /// In bytes from the device's start.
    pub(crate) offset: u64,
}

impl<F> Clone for Flash<F> {
    fn clone(&self) -> Self {
        Self { layout: self.layout, devices: self.devices.clone() }
    }
}

impl<F: BlockDevice> Flash<F> {
    pub(crate) fn new(layout: Layout, devices: Vec<(Member, Rc<F>)>) -> Self {
        Self { layout, devices }
    }

    /// The devices that this shard has.
    pub(crate) fn devices(&self) -> impl Iterator<Item = (Member, &Rc<F>)> {
        self.devices.iter().map(|(member, device)| (*member, device))
    }

    /// The device of this number.
    pub(crate) fn device(&self, number: MemberNumber) -> Option<&Rc<F>> {
        self.devices().find(|(member, _)| member.number == number).map(|(_, device)| device)
    }

    /// One device more.
    pub(crate) fn add(&mut self, member: Member, device: Rc<F>) {
        self.devices.retain(|(other, _)| other.number != member.number);
        self.devices.push((member, device));
    }

    /// Gives up the devices that do not belong to the pool.
    pub(crate) fn keep(&mut self, belongs: impl Fn(MemberNumber) -> bool) {
        self.devices.retain(|(member, _)| belongs(member.number));
    }

    /// Where a page is; none if its device is not there.
    pub(crate) fn place(&self, page: FlashPage) -> Option<Place<F>> {
        let (member, device) = self.device_of(self.layout.segment_of(page))?;
        let offset = self.layout.device_offset(member.first, page);
        Some(Place { member: member.number, device: Rc::clone(device), offset })
    }

    /// On which device a segment is; none if that is not there.
    pub(crate) fn device_of(&self, segment: SegmentNumber) -> Option<(Member, &Rc<F>)> {
        self.devices().find(|(member, _)| member.has(segment))
    }

    /// Reads pages of one segment.
    pub(crate) async fn read(&self, first: FlashPage, buffer: Buffer) -> (Buffer, Result<(), BlockError>) {
        let Some(place) = self.place(first) else { return (buffer, Err(missing())) };
        place.device.read(place.offset, buffer).await
    }
}

/// What is said of a device that is not there.
pub(crate) fn missing() -> BlockError {
    BlockError::anywhere(ErrorKind::Gone, Operation::Read).because("this device of the pool is not there")
}
