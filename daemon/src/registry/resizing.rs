//! Disks that take the size of a backing that became larger: when somebody asks, and at a start by themselves.
//!
//! `state.json` has the size that guests were told. It is what a start serves first, however large the backing is by then, so
//! that all that is cached fits; the shard decides the order (`shard/resizing.rs`). A change as all are: not of a disk that
//! is being removed, moves between shards, or is open beside a running QEMU.

use std::sync::Arc;

use super::{Registry, being_removed, gone, guest, known};
use crate::events::{self, Kind};
use crate::problem::Answer;
use crate::shard::{NotRemembered, Resized, Resizing};
use crate::state::{NotSaved, State};
use crate::units::Size;

impl Registry {
    /// Has a disk take the size that its backing has now, and remembers it.
    ///
    /// # Errors
    /// If there is none of this name, it is not served, or it cannot have that size; then everything is as before.
    pub(crate) async fn resize(self: &Arc<Self>, name: &str) -> Answer<Resized> {
        let _changing = self.locks.lock(name).await;
        self.resize_now(name, false).await
    }

    /// At a start, whoever made the backing larger while Forebay did not run need not say so. Of a disk that did not grow nobody is
    /// told anything, nor is its server asked. What is cached of one that did is loaded first, which may take long, and keeps no
    /// other change waiting.
    pub(super) async fn take_growth(self: &Arc<Self>, name: &str) {
        if !self.shards.may_take_growth(name.to_owned()).await.unwrap_or(false) {
            return;
        }
        let _changing = self.locks.lock(name).await;
        // It may have gone meanwhile.
        let is_served = self.shards.is_attached(name) && !self.is_being_removed(name);
        if !is_served || guest::check_settled(&self.state(), name).is_err() {
            return;
        }
        if let Err(problem) = self.resize_now(name, true).await {
            let as_before = format!("Disk '{name}' is served in the size that it had: {problem}");
            events::of_disk(Kind::DiskNotResized, name, as_before);
        }
    }

    /// The same for whoever holds the lock of the disk.
    async fn resize_now(self: &Arc<Self>, name: &str, at_start: bool) -> Answer<Resized> {
        let state = self.state();
        let record = known(&state, name)?;
        if self.is_being_removed(name) {
            return Err(being_removed(name));
        }
        guest::check_settled(&state, name)?;
        let (registry, disk) = (Arc::clone(self), name.to_owned());
        let remember = move |size| registry.remember_new_size(&disk, size);
        let values = self.in_memory(record.id, &record.settings_now());
        let wanted = Resizing { name: name.to_owned(), at_start, values, remember: Box::new(remember) };
        let resized = self.shards.resize(wanted).await?;
        if resized.before != resized.now {
            let grew =
                format!("Disk '{name}' has {} now and had {}", Size(resized.now), Size(resized.before));
            events::of_disk(Kind::DiskResized, name, grew);
        }
        Ok(resized)
    }

    /// Remembers a size before guests are told. Called on a thread that may wait, while the lock of the disk is held.
    fn remember_new_size(&self, name: &str, size: u64) -> Result<(), NotRemembered> {
        let take = |state: &mut State| {
            let record = state.disks.iter_mut().find(|disk| disk.name == name);
            record.ok_or_else(|| gone(name))?.size_bytes = Some(size);
            Ok(())
        };
        let dir = self.remembered.dir();
        let save =
            |before: &State, changed: &State| save_or_undo(before, changed, |state| state.save_or_say(dir));
        let changed = self.remembered.change_with(take, save);
        let ((), saved) = changed.map_err(|problem| NotRemembered { problem, may_count: false })?;
        saved
    }
}

/// Saves `changed`. If a restart may see it though that failed, `before` takes its place again.
fn save_or_undo(
    before: &State,
    changed: &State,
    save: impl Fn(&State) -> Result<(), NotSaved>,
) -> Result<(), NotRemembered> {
    let Err(NotSaved { reason, in_place }) = save(changed) else { return Ok(()) };
    let undone = if in_place { save(before) } else { Ok(()) };
    // The first reason is what stands in the way; whether the change may be seen is what the last attempt says.
    let may_count = undone.is_err();
    Err(NotRemembered { problem: NotSaved { reason, in_place: may_count }.into_problem(), may_count })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn a_size_that_could_not_be_saved_is_taken_back_and_if_that_fails_too_it_is_said() {
        let (before, mut changed) = (State::default(), State::default());
        let _number = changed.take_disk_number();
        assert_ne!(before, changed);
        // What each attempt to save says, in their order: nothing, or whether it is in place.
        let attempts = |outcomes: &[Option<bool>]| {
            let (saved, left) = (RefCell::new(Vec::new()), RefCell::new(outcomes.iter()));
            let outcome = save_or_undo(&before, &changed, |state| {
                saved.borrow_mut().push(*state == changed);
                let outcome = left.borrow_mut().next().expect("so many attempts are made");
                outcome.map_or(Ok(()), |in_place| Err(NotSaved { reason: "No room".to_owned(), in_place }))
            });
            assert_eq!(left.borrow().len(), 0, "so many attempts are made");
            let outcome = outcome.map_err(|not| (not.may_count, not.problem.message.contains("restart may")));
            (outcome, saved.into_inner())
        };
        assert_eq!(attempts(&[None]), (Ok(()), vec![true]));
        assert_eq!(attempts(&[Some(false)]), (Err((false, false)), vec![true]), "the old one stayed");
        assert_eq!(attempts(&[Some(true), None]), (Err((false, false)), vec![true, false]), "it is back");
        for again in [false, true] {
            let outcome = attempts(&[Some(true), Some(again)]);
            assert_eq!(outcome, (Err((true, true)), vec![true, false]), "either may be seen");
        }
    }
}
