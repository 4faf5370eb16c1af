//! Membership: adding devices to a pool and removing them while it is in use (rule I13).
//!
//! ```text
//!   add:    tables on the new device ── flush ── its superblock lists all ── flush ── every other superblock, epoch + 1
//!   leave:  nothing new goes there ── its content is invalidated, table durable ── superblocks of the others, epoch + 1
//! ```
//! A device that failed is struck off the list at once (`copies.rs`), and the content of disks there is handled afterwards.
//!
//! Every superblock lists all devices of its epoch, and of two lists the one with the higher epoch counts. Power may go at each step: a
//! device counts from the moment on at which one superblock of a higher epoch lists it, which is its own; and one that left is not on the
//! list of any that stayed. `start.rs` decides what a start trusts if a device is missing.

use std::rc::Rc;

use block::{BlockDevice, BlockError, Buffer, Host};

use super::flash::Flash;
use super::metered::{Meter, MeteredDevice, Meters};
use super::opening::{read_superblock, wipe, write_empty_tables};
use super::pool::Pool;
use super::shared::{LeaveReason, RemainingDevices};
use crate::format::members::{Member, Members};
use crate::format::superblock::Superblock;
use crate::types::env::Env;
use crate::types::error::CacheError;
use crate::types::limits::{MEMBER_SEGMENTS_MIN, MEMBERS_MAX};
use crate::types::units::MemberNumber;

impl<E: Env> Pool<E> {
    /// Makes a device one of the pool, whatever its content. Nothing is put there before every shard has its own handle of it and
    /// [`Self::use_device`] was called.
    ///
    /// # Errors
    /// `TooSmall`, `Settings`, `FlashFailed`, or `Flash`; then the pool is as it was.
    pub(crate) async fn add_device(&self, device: E::Flash) -> Result<MemberNumber, CacheError> {
        let device = MeteredDevice::new(device, Meter::default());
        let size = device.geometry().size;
        self.with_device(size)?;
        // Before anything is locked: a device that hangs blocks nothing else. Its tables are older than all others, and a start without
        // those ignores them.
        wipe(&device).await?;
        write_empty_tables(&device, self.id(), self.layout()).await?;
        let _membership = self.shared.membership.lock().await;
        let (before, next, member) = self.with_device(size)?;
        // Even if this fails, or is dropped halfway: the device may list itself, and no other list gets its number and epoch.
        self.shared.set_superblock(&Superblock { next: next.next, epoch: next.epoch, ..before });
        // From here on the device lists itself, and a start without it trusts nothing.
        if let Err(error) = enter(&device, &Superblock { own: member.number, ..next }).await {
            drop(wipe(&device).await);
            return Err(error.into());
        }
        self.write_superblock(&next).await?;
        // Not before it is listed: handles of unlisted devices are dropped at any time.
        self.flash.borrow_mut().add_metered(member, device);
        Ok(member.number)
    }

    /// Returns the superblock as it is, as it is with one device more, and that device.
    fn with_device(&self, device_bytes: u64) -> Result<(Superblock, Superblock, Member), CacheError> {
        if self.is_failed() {
            return Err(CacheError::FlashFailed);
        }
        let before = self.shared.superblock();
        let member = self.place_for(&before, device_bytes)?;
        let members = before.members.with(member).ok_or_else(|| {
            CacheError::Settings(format!("A pool has at most {MEMBERS_MAX} devices: take one out first"))
        })?;
        let (turn, epoch, next) = (before.turn + 1, before.epoch + 1, before.next + 1);
        Ok((before, Superblock { turn, next, epoch, members, ..before }, member))
    }

    fn place_for(&self, superblock: &Superblock, device_bytes: u64) -> Result<Member, CacheError> {
        let layout = self.layout();
        layout.check_device(device_bytes, MEMBER_SEGMENTS_MIN)?;
        let segments = layout.segments_on(device_bytes);
        let taken = self.taken(superblock)?;
        let first = taken.gap(segments, layout.segments_max()).ok_or_else(|| {
            let left = u64::from(layout.segments_max().saturating_sub(superblock.members.end()));
            CacheError::Settings(format!(
                "The pool's segment table has room for {} bytes more, and the device has {device_bytes}: add a part \
                 of it, or make a new pool with the larger device as its first",
                left * layout.segment_bytes()
            ))
        })?;
        Ok(Member::new(MemberNumber(superblock.next), first, segments, device_bytes))
    }

    /// Returns all devices that segments are numbered for: disks may still refer to segments of one that failed.
    pub(super) fn taken(&self, superblock: &Superblock) -> Result<Members, CacheError> {
        let out = self.shared.out();
        let mut taken = superblock.members;
        for device in out {
            taken = taken.with(device).ok_or_else(|| {
                CacheError::Settings(format!(
                    "Disks still refer to device {}, which failed, and a pool has at most {MEMBERS_MAX} devices with \
                     those: destage or remove the disks that stopped first",
                    device.number
                ))
            })?;
        }
        Ok(taken)
    }

    /// Gives this shard its handle of a device that another shard added.
    ///
    /// # Errors
    /// `Settings` if there is no such device.
    pub(crate) fn know_device(&self, number: MemberNumber, device: E::Flash) -> Result<(), CacheError> {
        let member = self.member(number)?;
        self.know_sizes();
        self.flash.borrow_mut().add(member, device);
        Ok(())
    }

    /// Starts to put content on a device that every shard already knows.
    ///
    /// # Errors
    /// `Settings` if there is no such device.
    pub(crate) fn use_device(&self, number: MemberNumber) -> Result<(), CacheError> {
        let member = self.member(number)?;
        self.segments().add_device(member);
        if self.shared.leaving(number).is_some() {
            self.segments().stop_using(number);
        }
        self.announce_room();
        self.shared.discarding.want();
        // Another device may wait for a place for its notes before it can leave.
        self.shared.reclaim.wake_all();
        Ok(())
    }

    /// Starts to remove a device from the pool. It has left when the pool does not list it any more.
    ///
    /// # Errors
    /// `Settings` if there is no such device, if it is the only one, or if the others have less than is reserved.
    pub(crate) fn take_out(&self, number: MemberNumber) -> Result<(), CacheError> {
        self.member(number)?;
        if self.shared.shrink().is_some_and(|shrink| shrink.member == number) {
            return Err(CacheError::Settings(format!(
                "Device {number} is being made smaller: wait until that is over, or cancel it first"
            )));
        }
        let segments = self.segments();
        // Dirty data is destaged before the device goes.
        let reserved = segments.reserved() - segments.dirty_beyond_all_reserves();
        let usable = segments.usable_without(number);
        let is_last = segments.space().used_without(number).0 == 0;
        drop(segments);
        let fits = usable >= reserved;
        if self.shared.leaving(number).is_none() && !is_last && !fits {
            let bytes = |segments| u64::from(segments) * self.layout().segment_bytes();
            return Err(CacheError::Settings(format!(
                "Without device {number} the pool has {} bytes, and {} are reserved for disks: lower their reservations \
                 first, or add another device",
                bytes(usable),
                bytes(reserved)
            )));
        }
        if self.shared.let_leave(number, LeaveReason::TakenOut) == RemainingDevices::Nothing {
            return Err(CacheError::Settings(format!(
                "Device {number} is the last one of the pool: add another one first, or serve without a pool"
            )));
        }
        self.segments().stop_using(number);
        self.shared.reclaim.wake_all();
        Ok(())
    }

    pub(super) fn member(&self, number: MemberNumber) -> Result<Member, CacheError> {
        let member = self.shared.superblock().members.get(number);
        member.ok_or_else(|| CacheError::Settings(format!("The pool has no device {number}")))
    }

    /// Lets a device go on which nothing is left.
    pub(crate) async fn release_member(&self, number: MemberNumber) -> Result<(), BlockError> {
        let _membership = self.shared.membership.lock().await;
        let Some(why) = self.shared.leaving(number) else { return Ok(()) };
        if !self.segments().is_empty(number) {
            return Ok(());
        }
        if self.shared.out().iter().any(|member| member.number == number) {
            self.segments().remove_device(number);
            self.shared.forget_out(number);
            tracing::info!(pool = %self.id(), device = %number, "Nothing refers to the device that failed any more");
            self.shared.reclaim.wake_all();
            return Ok(());
        }
        // Segments that reclaim freed there still have an owner in the table: a start would mistake them for lost.
        self.persist_table().await?;
        let before = self.shared.superblock();
        let members = before.members.without(number);
        let next = Superblock { turn: before.turn + 1, epoch: before.epoch + 1, members, ..before };
        let device = self.flash.borrow().device(number).map(Rc::clone);
        self.write_superblock(&next).await?;
        self.segments().remove_device(number);
        if let (LeaveReason::TakenOut, Some(device)) = (why, device) {
            // Releases the device for other uses. If that fails, its list is older than that of the others all the same; and if it never
            // ends, nothing else waits for it.
            self.host.spawn(async move { drop(wipe(&*device).await) });
        }
        tracing::info!(pool = %self.id(), device = %number, "The device has left the pool");
        self.shared.reclaim.wake_all();
        Ok(())
    }

    /// Gives up this shard's handles of devices that left.
    pub(crate) fn drop_former_devices(&self) {
        let members = self.shared.superblock().members;
        let out = self.shared.out();
        let is_out = |number| out.iter().any(|member| member.number == number);
        self.flash.borrow_mut().keep(|number| members.get(number).is_some() || is_out(number));
    }
}

/// Makes a device a part of the pool, durably, by writing its superblock.
async fn enter<F: BlockDevice>(device: &F, superblock: &Superblock) -> Result<(), BlockError> {
    device.write(superblock.slot(), Buffer::copy_of(&superblock.encode())).await.1?;
    device.flush().await
}

/// Opens the handles of one shard, ordered by the superblocks on the devices themselves.
///
/// # Errors
/// `NotAPool` if they are not just the devices of this pool, or `Flash`.
pub(super) async fn handles<F: BlockDevice>(
    superblock: &Superblock,
    devices: Vec<F>,
    meters: Meters,
) -> Result<Flash<F>, CacheError> {
    let mut found = Vec::new();
    for device in devices {
        let read = read_superblock(&device).await?;
        let is_of_this_start = Superblock { own: read.own, ..*superblock } == read;
        let member = superblock.members.get(read.own).filter(|_| is_of_this_start);
        let member = member.ok_or_else(|| {
            CacheError::NotAPool("the device holds another pool than the one that was opened".to_owned())
        })?;
        found.push((member, device));
    }
    if superblock.members.iter().any(|member| !found.iter().any(|(other, _)| *other == member)) {
        return Err(CacheError::NotAPool("a device of the pool is not among them".to_owned()));
    }
    Ok(Flash::new(superblock.layout, found, meters))
}
