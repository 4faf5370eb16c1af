//! Disks that move between a running QEMU and Forebay: states of the lock on the image.
//!
//! ```text
//!   add (guest given) ──> attaching ──take_over──> attached ──give_up──> detaching ──remove──> gone
//!                             ^  no lock of the image     the lock    no lock  |
//!                             `───────────── take_over again, if the way back failed
//! ```
//! Nothing is cached without the lock: it is taken before caching begins, and released after caching has
//! ended. Each stage is recorded before it takes effect, so that a daemon that crashed restarts in the state
//! that QEMU expects: in a stage without the lock it serves the disk beside that QEMU and waits for the next
//! request.
//!
//! Both changes can be repeated: a change that is done already succeeds.
//!
//! Once the QEMU has ended, in any stage, the disk is destaged and removed, so that a new QEMU finds its file
//! free. A start does not serve a disk whose QEMU has ended, unless its pool has dirty data for the file.

use std::sync::Arc;

use base::error::{Error, Result};
use base::patience::while_in_conflict;
use cache::DirtyData;
use telemetry::events::{self, Kind};

use super::{DiskView, IfInUse, RETRY_INTERVAL, Registry, being_removed, known, log_if_failed};
use crate::keys::Values;
use crate::shard::ReconfigureRequest;
use crate::state::{DiskRecord, Stage, State};

impl Registry {
    /// Locks a disk that was open beside a QEMU, and begins to cache it.
    ///
    /// # Errors
    /// A conflict as long as that QEMU has the image open; then everything is as before.
    pub(crate) async fn take_over(&self, name: &str) -> Result<DiskView> {
        // The last requests of a process that has just closed the file may hold its locks for a moment.
        while_in_conflict(|| self.try_to_take_over(name)).await?;
        self.disk(name).await
    }

    async fn try_to_take_over(&self, name: &str) -> Result<()> {
        let _changing = self.locks.lock(name).await;
        let settings = known(&self.state(), name)?.settings.clone();
        if self.stage_of(name)? == Stage::Attached {
            return Ok(());
        }
        if settings.writes_back() {
            self.note_unsaved(name).await?;
        }
        self.shards.take_over(self.change_of(name, settings)).await?;
        if let Err(problem) = self.change_record(name, |record| set_stage(record, Stage::Attached)).await {
            log_if_failed(&self.withdraw(name).await);
            log_if_failed(&self.shards.release_lock(name.to_owned()).await);
            return Err(problem);
        }
        let taken = format!("Disk '{name}' is no longer open in its QEMU; it is cached from now on");
        events::of_disk(Kind::DiskTakenOver, name, taken);
        Ok(())
    }

    /// Ends the caching of a disk that was taken from a running QEMU and unlocks its image, so that this QEMU
    /// can open it.
    ///
    /// # Errors
    /// If acknowledged writes cannot be made durable, or the record cannot be changed; then everything is as
    /// before.
    pub(crate) async fn give_up(&self, name: &str) -> Result<DiskView> {
        let changing = self.locks.lock(name).await;
        self.stage_of(name)?;
        let before = known(&self.state(), name)?.settings_now();
        let mut outcome = self.withdraw(name).await;
        if outcome.is_ok() {
            // In this order: a daemon that crashes in between restarts without the lock that it is about to
            // release. No data of the disk is on flash only, until it is taken over again.
            let noting = self.change_record(name, |record| {
                set_stage(record, Stage::Detaching);
                record.unsaved_in = None;
            });
            outcome = noting.await;
        }
        if let Err(problem) = outcome {
            log_if_failed(&self.reconfigure(name, &before).await);
            return Err(problem);
        }
        self.shards.release_lock(name.to_owned()).await?;
        drop(changing);
        self.disk(name).await
    }

    /// Releases a disk that was taken from a running guest once its QEMU has ended: everything is written to
    /// its file, which is then free.
    pub(super) fn release_after_end(self: &Arc<Self>, record: &DiskRecord) {
        let process = record.guest.as_ref().and_then(|guest| guest.process.clone());
        let Some(process) = process else { return };
        let (registry, name, id) = (Arc::downgrade(self), record.name.clone(), record.id);
        tokio::spawn(async move {
            process.ended().await;
            let (mut tried, mut reported) = (false, false);
            while let Some(registry) = registry.upgrade() {
                let Some(backing) = registry.taken_from_guest(&name, id) else {
                    // A removal that took long has ended after its answer.
                    if tried {
                        released(&name, "its file");
                    }
                    return;
                };
                match registry.remove(&name, DirtyData::Refuse, IfInUse::Refuse).await {
                    Ok(()) => return released(&name, &backing),
                    Err(problem)
                        if !registry.is_being_removed(&name) && !std::mem::replace(&mut reported, true) =>
                    {
                        let stays =
                            format!("Disk '{name}' is not released though its QEMU has ended: {problem}");
                        events::of_disk(Kind::DiskNotReleased, &name, stays);
                    }
                    Err(_) => {}
                }
                tried = true;
                drop(registry);
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        });
    }

    fn change_of(&self, name: &str, values: Values) -> ReconfigureRequest {
        let set = self.membership(name, &values);
        ReconfigureRequest { name: name.to_owned(), values, rights: None, set }
    }

    /// Returns the backing of the disk of this name and number, if it was taken from a running guest.
    fn taken_from_guest(&self, name: &str, id: u32) -> Option<String> {
        let state = self.state();
        let record = state.disk(name).filter(|record| record.id == id && record.guest.is_some());
        record.map(|record| record.backing.clone())
    }

    async fn withdraw(&self, name: &str) -> Result<()> {
        let passing_through = known(&self.state(), name)?.settings.passing_through();
        self.shards.withdraw(self.change_of(name, passing_through)).await
    }

    /// Returns the stage of a disk's move from or to a running guest.
    ///
    /// # Errors
    /// If there is none of this name, it is being removed, or there is no such guest.
    fn stage_of(&self, name: &str) -> Result<Stage> {
        let state = self.state();
        let record = known(&state, name)?;
        if self.is_being_removed(name) {
            return Err(being_removed(name));
        }
        record.guest.as_ref().map(|guest| guest.stage).ok_or_else(|| {
            Error::conflict(format!(
                "Disk '{name}' was not taken from a running guest, so there is none to give it back to; \
                 `forebay disk remove {name}` ends its service"
            ))
        })
    }
}

fn set_stage(record: &mut DiskRecord, stage: Stage) {
    record.guest.iter_mut().for_each(|guest| guest.stage = stage);
}

/// Refuses to change a disk that is being moved.
pub(super) fn check_settled(state: &State, name: &str) -> Result<()> {
    if known(state, name)?.is_beside_qemu() {
        return Err(Error::conflict(format!(
            "Cannot change disk '{name}': a running QEMU has it open too, so it must not be cached; wait until it is \
             attached, or end an attempt that was broken off with `forebay vm detach`"
        )));
    }
    Ok(())
}

fn released(name: &str, backing: &str) {
    let message = format!(
        "Disk '{name}' is released: the QEMU that it was taken from has ended, and {backing} has everything"
    );
    events::of_disk(Kind::DiskReleased, name, message);
}
