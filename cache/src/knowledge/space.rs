//! Free segments, by device: so that all devices of a pool are used in proportion to their size, and none that is to
//! leave.

use std::collections::VecDeque;

use crate::bytes::members::{Member, Members};
use crate::words::units::{MemberNumber, SegmentNumber};

pub(crate) struct Space {
    devices: Vec<Device>,
}

struct Device {
    member: Member,
    /// Taken for new lives. Not once the device failed or is to be taken out: then what is on it goes.
    is_used: bool,
    free: VecDeque<SegmentNumber>,
}

impl Device {
    fn new(member: Member) -> Self {
        Self { member, is_used: true, free: VecDeque::new() }
    }
}

impl Space {
    /// These devices, none of whose segments is free yet.
    pub(crate) fn new(members: &Members) -> Self {
        Self { devices: members.iter().map(Device::new).collect() }
    }

    /// Segments of all devices.
    pub(crate) fn count(&self) -> u32 {
        self.devices.iter().map(|device| device.member.segments).sum()
    }

    /// Segments of the devices that are used.
    pub(crate) fn used(&self) -> u32 {
        self.in_use().map(|device| device.member.segments).sum()
    }

    /// Free segments of the devices that are used.
    pub(crate) fn free(&self) -> u32 {
        self.in_use().map(|device| device.free.len() as u32).sum()
    }

    /// Free segments of one device.
    pub(crate) fn free_on(&self, member: MemberNumber) -> u32 {
        let device = self.devices.iter().find(|device| device.member.number == member);
        device.map_or(0, |device| device.free.len() as u32)
    }

    /// A device, if it is one of them.
    pub(crate) fn member(&self, member: MemberNumber) -> Option<Member> {
        self.devices.iter().map(|device| device.member).find(|other| other.number == member)
    }

    /// Adds a device with all its segments free.
    pub(crate) fn add(&mut self, member: Member) {
        let free = (member.first.0..member.first.0 + member.segments).map(SegmentNumber).collect();
        self.devices.push(Device { free, ..Device::new(member) });
    }

    /// Stops taking segments of a device.
    pub(crate) fn stop_using(&mut self, member: MemberNumber) {
        if let Some(device) = self.devices.iter_mut().find(|device| device.member.number == member) {
            device.is_used = false;
        }
    }

    /// Forgets a device.
    pub(crate) fn remove(&mut self, member: MemberNumber) {
        self.devices.retain(|device| device.member.number != member);
    }

    /// True if a segment is on one of the devices.
    pub(crate) fn has(&self, segment: SegmentNumber) -> bool {
        self.devices.iter().any(|device| device.member.has(segment))
    }

    /// Gives a segment back.
    pub(crate) fn put(&mut self, segment: SegmentNumber) {
        if let Some(device) = self.devices.iter_mut().find(|device| device.member.has(segment)) {
            device.free.push_back(segment);
        }
    }

    /// Takes a free segment of the device with the largest part of its segments free.
    pub(crate) fn take(&mut self) -> Option<SegmentNumber> {
        let part = |device: &&mut Device| {
            device.free.len() as u64 * u64::from(u32::MAX) / u64::from(device.member.segments)
        };
        self.devices.iter_mut().filter(|device| device.is_used).max_by_key(part)?.free.pop_front()
    }

    fn in_use(&self) -> impl Iterator<Item = &Device> {
        self.devices.iter().filter(|device| device.is_used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(number: u32, first: u32, segments: u32) -> Member {
        Member { number: MemberNumber(number), first: SegmentNumber(first), segments, device_bytes: 0 }
    }

    #[test]
    fn devices_are_used_in_proportion_to_their_size() {
        let mut space = Space::new(&Members::one(0, 0).without(MemberNumber(0)));
        space.add(member(0, 0, 40));
        space.add(member(1, 40, 20));
        let taken: Vec<_> = (0..30).filter_map(|_| space.take()).collect();
        let there = taken.iter().filter(|segment| segment.0 >= 40).count();
        assert!((9..=11).contains(&there), "{there} of 30 on a third of the pool");
        assert_eq!((space.count(), space.used(), space.free()), (60, 60, 30));
    }

    #[test]
    fn nothing_is_taken_of_a_device_that_is_not_used_and_what_comes_back_stays_there() {
        let mut space = Space::new(&Members::one(0, 0).without(MemberNumber(0)));
        space.add(member(0, 0, 4));
        space.add(member(1, 4, 40));
        let taken = space.take().expect("all are free");
        assert!(taken.0 >= 4);
        space.stop_using(MemberNumber(1));
        space.put(taken);
        assert_eq!((space.used(), space.free(), space.free_on(MemberNumber(1))), (4, 4, 40));
        assert!((0..5).filter_map(|_| space.take()).all(|segment| segment.0 < 4));
        space.remove(MemberNumber(1));
        assert!(!space.has(taken));
    }
}
