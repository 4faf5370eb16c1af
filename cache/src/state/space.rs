//! Free segments, by device: so that all devices of a pool are used in proportion to their size, and none that is to
//! leave. A segment that is being discarded is not free meanwhile, and the others are.

use std::collections::{BTreeSet, VecDeque};

use super::discards::{Discards, SegmentRun};
use crate::format::members::{Member, Members};
use crate::types::limits::{KEPT_BACK_SEGMENTS, PAIRS_MIN};
use crate::types::units::{MemberNumber, SegmentNumber};

pub(crate) struct Space {
    devices: Vec<Device>,
    /// True if the second of two devices gets the next first copy.
    turn: bool,
}

struct Device {
    member: Member,
    /// True if segments of it may be taken. False once the device failed or is to be removed: then its content goes.
    is_used: bool,
    /// Number of its first segments that stay: fewer than it has while it is being made smaller.
    staying: u32,
    free: VecDeque<SegmentNumber>,
    /// Free ones of those that do not stay.
    retired: BTreeSet<SegmentNumber>,
    discards: Discards,
}

impl Device {
    fn new(member: Member) -> Self {
        let (free, retired) = (VecDeque::new(), BTreeSet::new());
        let staying = member.segments();
        Self { member, is_used: true, staying, free, retired, discards: Discards::new() }
    }

    /// Returns true if a segment of the device stays.
    fn keeps(&self, segment: SegmentNumber) -> bool {
        self.member.place_of(segment).is_some_and(|place| place < self.staying)
    }

    /// Gives back a segment of the device.
    fn put(&mut self, segment: SegmentNumber) {
        if self.keeps(segment) {
            self.free.push_back(segment);
        } else {
            self.retired.insert(segment);
        }
    }

    fn free(&self) -> u32 {
        self.free.len() as u32
    }
}

/// Returns the number of pairs of the given segments on each of some devices, the two of a pair on different ones.
fn pairs(of_devices: impl Iterator<Item = u32>) -> u32 {
    let (all, most) = of_devices.fold((0, 0), |(all, most), own| (all + own, own.max(most)));
    (all / 2).min(all - most)
}

impl Space {
    /// Creates the space of these devices, none of whose segments is free yet.
    pub(crate) fn new(members: &Members) -> Self {
        Self { devices: members.iter().map(Device::new).collect(), turn: false }
    }

    /// Returns the number of segments of all devices.
    pub(crate) fn count(&self) -> u32 {
        self.devices.iter().map(|device| device.member.segments()).sum()
    }

    /// Returns the number of segments of the devices that are used, without those that a device is about to lose.
    pub(crate) fn used(&self) -> u32 {
        self.in_use().map(|device| device.staying).sum()
    }

    /// Returns the same without one of them: as many as there would be, and whether things could have two copies then.
    pub(crate) fn used_without(&self, member: MemberNumber) -> (u32, bool) {
        let others = || self.in_use().filter(|other| other.member.number != member);
        let can_pair = pairs(others().map(|other| other.staying)) >= PAIRS_MIN;
        (others().map(|other| other.staying).sum(), can_pair)
    }

    /// Returns the number of segments of the devices that are used, and of the pairs that they make, if one of them had `segments`.
    pub(crate) fn used_with(&self, member: MemberNumber, segments: u32) -> (u32, u32) {
        let with = |device: &Device| if device.member.number == member { segments } else { device.staying };
        (self.in_use().map(with).sum(), pairs(self.in_use().map(with)))
    }

    /// Returns the free segments of the devices that are used.
    pub(crate) fn free(&self) -> u32 {
        self.in_use().map(|device| device.free.len() as u32).sum()
    }

    /// Returns the free segments of one device.
    pub(crate) fn free_on(&self, member: MemberNumber) -> u32 {
        self.device(member).map_or(0, |device| device.free.len() as u32)
    }

    /// Returns true if all segments of a device are free and none is being discarded.
    pub(crate) fn is_empty(&self, member: MemberNumber) -> bool {
        self.device(member).is_none_or(|device| {
            device.free.len() + device.retired.len() == device.member.segments() as usize
        })
    }

    /// Returns a device, if it is one of them.
    pub(crate) fn member(&self, member: MemberNumber) -> Option<Member> {
        self.devices.iter().map(|device| device.member).find(|other| other.number == member)
    }

    /// Adds a device with all its segments free, whatever their content.
    pub(crate) fn add(&mut self, member: Member) {
        self.devices.push(Device::new(member));
        member.numbers().for_each(|segment| self.put_dropped(segment));
    }

    /// Records that a device has more segments; those are free, whatever their content.
    pub(crate) fn grow(&mut self, member: Member) {
        let Some(device) = self.device_mut(member.number) else { return };
        let before = std::mem::replace(&mut device.member, member);
        device.staying = member.segments();
        member.numbers().filter(|segment| !before.has(*segment)).for_each(|new| self.put_dropped(new));
    }

    /// Stops taking segments of a device behind its first `segments`.
    pub(crate) fn begin_shrink(&mut self, member: MemberNumber, segments: u32) {
        let Some(device) = self.device_mut(member) else { return };
        device.staying = segments;
        let free = std::mem::take(&mut device.free);
        for segment in free {
            if !device.keeps(segment) {
                device.discards.remove(segment);
            }
            device.put(segment);
        }
    }

    /// Takes all segments that a device had for ones that stay, also if they were forgotten already.
    pub(crate) fn cancel_shrink(&mut self, before: Member) {
        let Some(device) = self.device_mut(before.number) else { return };
        let retired = std::mem::take(&mut device.retired);
        device.staying = device.member.segments();
        for segment in retired {
            self.put_dropped(segment);
        }
        self.grow(before);
    }

    /// Forgets the segments that do not stay of a device, which is `member` from now on.
    pub(crate) fn end_shrink(&mut self, member: Member) {
        let Some(device) = self.device_mut(member.number) else { return };
        device.member = member;
        device.retired.clear();
    }

    /// Returns how many of the segments that do not stay of a device are in use or being discarded.
    pub(crate) fn not_retired(&self, member: MemberNumber) -> u32 {
        self.device(member)
            .map_or(0, |device| device.member.segments() - device.staying - device.retired.len() as u32)
    }

    /// Returns true if a segment is one that its device is about to lose.
    pub(crate) fn is_to_go(&self, segment: SegmentNumber) -> bool {
        self.devices.iter().any(|device| {
            device.staying < device.member.segments() && device.member.has(segment) && !device.keeps(segment)
        })
    }

    /// Returns true if a device is being made smaller.
    pub(crate) fn is_shrinking(&self) -> bool {
        self.devices.iter().any(|device| device.staying < device.member.segments())
    }

    /// Stops taking segments of a device.
    pub(crate) fn stop_using(&mut self, member: MemberNumber) {
        if let Some(device) = self.device_mut(member) {
            device.is_used = false;
        }
    }

    /// Forgets a device.
    pub(crate) fn remove(&mut self, member: MemberNumber) {
        self.devices.retain(|device| device.member.number != member);
    }

    /// Returns true if a segment is on one of the devices.
    pub(crate) fn knows(&self, segment: SegmentNumber) -> bool {
        self.devices.iter().any(|device| device.member.has(segment))
    }

    /// Gives a segment back that is next to be written, or that was discarded.
    pub(crate) fn put(&mut self, segment: SegmentNumber) {
        if let Some(device) = self.devices.iter_mut().find(|device| device.member.has(segment)) {
            device.put(segment);
        }
    }

    /// Gives a segment back whose content is gone for good, to be discarded unless it is used before.
    pub(crate) fn put_dropped(&mut self, segment: SegmentNumber) {
        if let Some(device) = self.devices.iter_mut().find(|device| device.member.has(segment)) {
            device.put(segment);
            if device.keeps(segment) {
                device.discards.add(segment);
            }
        }
    }

    /// Returns true if two copies of something can stand on two devices that are used.
    pub(crate) fn can_pair(&self) -> bool {
        self.pairs() >= PAIRS_MIN
    }

    /// Pairs of segments on different devices that all segments of the devices in use make.
    pub(crate) fn pairs(&self) -> u32 {
        pairs(self.in_use().map(|device| device.staying))
    }

    /// Returns the number of segments that can be taken: pairs of free segments on different devices if there are two copies, else free
    /// segments.
    pub(crate) fn left(&self) -> u32 {
        if self.can_pair() { pairs(self.in_use().map(Device::free)) } else { self.free() }
    }

    /// As [`Self::left`], with the free segments of those that do not stay: they are taken in need.
    pub(crate) fn left_in_need(&self) -> u32 {
        let free = |device: &Device| device.free() + device.retired.len() as u32;
        if self.can_pair() { pairs(self.in_use().map(free)) } else { self.in_use().map(free).sum() }
    }

    /// Takes segments also of those that do not stay: for uses that can neither wait nor go without.
    pub(crate) fn in_need<T>(&mut self, take: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if !self.is_shrinking() {
            return None;
        }
        for device in &mut self.devices {
            device.free.extend(std::mem::take(&mut device.retired));
        }
        let taken = take(self);
        for device in &mut self.devices {
            let free = std::mem::take(&mut device.free);
            for segment in free {
                device.put(segment);
            }
        }
        taken
    }

    /// Takes a free segment of the device with the largest part of its segments free, so that no less than `floor` can be
    /// taken afterwards, or no less than before.
    pub(crate) fn take(&mut self, floor: u32) -> Option<SegmentNumber> {
        let number = self.fit(floor, |_| true)?;
        self.take_of(number)
    }

    /// Returns true if [`Self::take`] finds one.
    pub(crate) fn has(&self, floor: u32) -> bool {
        // Asked for each page that leaves RAM. Without pairs each free segment is as good as any other.
        if self.can_pair() { self.fit(floor, |_| true).is_some() } else { self.free() > floor }
    }

    /// As [`Self::take`], on another device than a segment's.
    pub(crate) fn take_beside(&mut self, other: SegmentNumber, floor: u32) -> Option<SegmentNumber> {
        let number = self.fit(floor, |member| !member.has(other))?;
        self.take_of(number)
    }

    /// As [`Self::take`], on the device of a segment.
    pub(crate) fn take_along(&mut self, other: SegmentNumber, floor: u32) -> Option<SegmentNumber> {
        let number = self.fit(floor, |member| member.has(other))?;
        self.take_of(number)
    }

    /// Takes two free segments of different devices, so that no less than `floor` pairs can be taken afterwards.
    pub(crate) fn take_pair(&mut self, floor: u32) -> Option<(SegmentNumber, SegmentNumber)> {
        if !self.has_pair(floor) {
            return None;
        }
        let mut fullest: Vec<_> = self.in_use().map(|device| (device.free(), device.member.number)).collect();
        fullest.sort_unstable_by_key(|(free, number)| (std::cmp::Reverse(*free), *number));
        let [(_, a), (_, b), ..] = fullest[..] else { return None };
        self.turn = !self.turn;
        let (first, second) = if self.turn { (a, b) } else { (b, a) };
        Some((self.take_of(first)?, self.take_of(second)?))
    }

    /// Returns true if [`Self::take_pair`] finds one.
    pub(crate) fn has_pair(&self, floor: u32) -> bool {
        pairs(self.in_use().map(Device::free)) > floor
    }

    /// Returns the fullest device of which a segment may be taken.
    fn fit(&self, floor: u32, fits: impl Fn(&Member) -> bool) -> Option<MemberNumber> {
        let (paired, left) = (self.can_pair(), self.left());
        let leaves_enough = |device: &&Device| {
            let after = self.in_use().map(|other| other.free() - u32::from(std::ptr::eq(other, *device)));
            let after = if paired { pairs(after) } else { left - 1 };
            // Segments that a device has beyond all others together make no pairs.
            after >= floor || paired && after == left
        };
        let part = |device: &&Device| {
            u64::from(device.free()) * u64::from(u32::MAX) / u64::from(device.staying.max(1))
        };
        let may = |device: &&Device| device.free() > 0 && fits(&device.member) && leaves_enough(device);
        self.in_use().filter(may).max_by_key(part).map(|device| device.member.number)
    }

    fn take_of(&mut self, number: MemberNumber) -> Option<SegmentNumber> {
        let device = self.device_mut(number)?;
        let segment = device.free.pop_front()?;
        device.discards.remove(segment);
        Some(segment)
    }

    /// Returns false once a device is known not to discard.
    pub(crate) fn discards(&self, member: MemberNumber) -> bool {
        self.device(member).is_some_and(|device| device.discards.are_possible())
    }

    /// Records that a device does not discard.
    pub(crate) fn give_up_discards(&mut self, member: MemberNumber) {
        if let Some(device) = self.device_mut(member) {
            device.discards.give_up();
        }
    }

    /// Lets segments that are free by now be discarded once both copies of the table will have been written after this call. Returns true
    /// if there are any, and room for it.
    pub(crate) fn ripen_discards(&mut self) -> bool {
        for device in &mut self.devices {
            device.discards.ripen();
        }
        self.spare() > 0 && self.in_use().any(|device| device.discards.some_are_due())
    }

    /// Holds segments back to discard them, `most` at most: neighbours on one device. To be given back with [`Self::put`].
    pub(crate) fn take_to_discard(&mut self, most: u32) -> Option<(MemberNumber, SegmentRun)> {
        let most = most.min(self.spare());
        let mut used = self.devices.iter_mut().filter(|device| device.is_used);
        let (device, run) = used.find_map(|device| {
            let member = device.member;
            let run = device.discards.next(most, |segment| member.place_of(segment))?;
            Some((device, run))
        })?;
        device.free.retain(|segment| !run.has(*segment));
        Some((device.member.number, run))
    }

    /// Returns the free segments that may be held back: half of those beyond the last ones, so that no writer waits for room because of a
    /// discard.
    fn spare(&self) -> u32 {
        self.left().saturating_sub(KEPT_BACK_SEGMENTS) / 2
    }

    fn device(&self, member: MemberNumber) -> Option<&Device> {
        self.devices.iter().find(|device| device.member.number == member)
    }

    fn device_mut(&mut self, member: MemberNumber) -> Option<&mut Device> {
        self.devices.iter_mut().find(|device| device.member.number == member)
    }

    fn in_use(&self) -> impl Iterator<Item = &Device> {
        self.devices.iter().filter(|device| device.is_used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(number: u32, first: u32, segments: u32) -> Member {
        Member::new(MemberNumber(number), SegmentNumber(first), segments, 0)
    }

    #[test]
    fn devices_are_used_in_proportion_to_their_size() {
        let mut space = Space::new(&Members::one(0, 0).without(MemberNumber(0)));
        space.add(member(0, 0, 40));
        space.add(member(1, 40, 20));
        let taken: Vec<_> = (0..30).filter_map(|_| space.take(0)).collect();
        let there = taken.iter().filter(|segment| segment.0 >= 40).count();
        assert!((9..=11).contains(&there), "{there} of 30 on a third of the pool");
        assert_eq!((space.count(), space.used(), space.free()), (60, 60, 30));
    }

    #[test]
    fn what_is_being_discarded_is_neither_free_nor_nobodys_and_half_of_the_rest_stays() {
        let mut space = Space::new(&Members::one(0, 0).without(MemberNumber(0)));
        space.add(member(0, 0, 4 + KEPT_BACK_SEGMENTS));
        assert!(space.is_empty(MemberNumber(0)));
        assert!(space.ripen_discards());
        let (number, run) = space.take_to_discard(100).expect("all are due");
        assert_eq!((number, run), (MemberNumber(0), SegmentRun { first: SegmentNumber(0), count: 2 }));
        assert!(!space.is_empty(MemberNumber(0)));
        assert!(space.take(0).is_some_and(|segment| !run.has(segment)));
        assert_eq!(space.take_to_discard(100), None, "others may need what is left");
        run.segments().for_each(|segment| space.put(segment));
        assert_eq!(space.free(), 3 + KEPT_BACK_SEGMENTS);
        assert!(space.take_to_discard(100).is_some_and(|(_, other)| other.first.0 > 2), "once is enough");
    }

    #[test]
    fn nothing_is_taken_of_a_device_that_is_not_used_and_what_comes_back_stays_there() {
        let mut space = Space::new(&Members::one(0, 0).without(MemberNumber(0)));
        space.add(member(0, 0, 4));
        space.add(member(1, 4, 40));
        let taken = space.take(0).expect("all are free");
        assert!(taken.0 >= 4);
        space.stop_using(MemberNumber(1));
        space.put(taken);
        assert_eq!((space.used(), space.free(), space.free_on(MemberNumber(1))), (4, 4, 40));
        assert!((0..5).filter_map(|_| space.take(0)).all(|segment| segment.0 < 4));
        space.remove(MemberNumber(1));
        assert!(!space.knows(taken));
    }

    #[test]
    fn what_a_device_is_about_to_lose_is_not_taken_and_counts_again_if_it_keeps_it() {
        let mut space = Space::new(&Members::one(0, 0).without(MemberNumber(0)));
        let device = member(0, 0, 20);
        space.add(device);
        let taken: Vec<_> = (0..20).filter_map(|_| space.take(0)).collect();
        taken[..8].iter().for_each(|segment| space.put(*segment));
        space.begin_shrink(device.number, 12);
        let (low, high): (Vec<_>, Vec<_>) = taken.iter().partition(|segment| segment.0 < 12);
        let freed =
            |some: &[&SegmentNumber]| some.iter().filter(|segment| taken[..8].contains(segment)).count();
        assert_eq!((space.used(), space.count()), (12, 20));
        assert_eq!(space.free() as usize, freed(&low));
        assert_eq!(space.not_retired(device.number) as usize, 8 - freed(&high));
        taken[8..].iter().for_each(|segment| space.put(*segment));
        assert_eq!((space.free(), space.not_retired(device.number)), (12, 0));
        space.cancel_shrink(device);
        assert_eq!((space.free(), space.used()), (20, 20));
        space.begin_shrink(device.number, 12);
        space.end_shrink(device.shrunk(12, 0));
        assert_eq!((space.free(), space.used(), space.count()), (12, 12, 12));
        assert!(!space.is_shrinking() && space.is_empty(device.number));
        space.cancel_shrink(device);
        assert_eq!((space.free(), space.used(), space.count()), (20, 20, 20));
    }
}
