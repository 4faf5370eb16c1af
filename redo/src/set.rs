//! Consistency sets: rings of several disks that hold their disks as of one instant.
//!
//! ```text
//! cut:       write_cut, in each ring ── all of them have it ── confirm, in all rings, in one step: it counts
//! failed:    withdraw, in all rings; the next directory does not name it any more
//! restart:   resolve_pending, once all rings are there: a cut counts if no ring lacks it, else it is withdrawn
//! ```
//! A cut has the same number in all rings, higher than any number that one of them ever had. A ring that has nothing new for a cut writes
//! its directory alone. Until a cut is confirmed it is *pending*: its group is named, and is applied only if all rings have it. One cut at a time
//! is pending.
//!
//! **The target of a recovery.** Let C be the last cut that was confirmed, in memory. Each ring had C before that, durably. It keeps naming C as
//! pending until a directory says that C is confirmed: a cut that was confirmed is never withdrawn, and the directory of a later cut has
//! both. So each ring says of C that it is pending or confirmed, or names a later cut P beside the confirmed C. No ring says of a cut behind C
//! that it is confirmed. Hence the target: the pending cut, if all rings have the same one, which is complete then; else the
//! highest one that any ring says is confirmed, which is C or, if none says so of C, C is the pending one of all.
//!
//! **Released groups need no rule of their own**: only groups up to the confirmed cut are released, and one directory, which is written as
//! a whole, says both. A ring that has no group of C any more says that C, or a later one, is confirmed; its backing has what they had.
//!
//! **A pending group below the target is harmless.** It was withdrawn in memory and is still named, or was never withdrawn. What it had was not
//! destaged, because it did not count; so it is dirty, and in the next cut of its disk in that version or a later one.
//!
//! **Other members than before.** A ring that was not part of a cut is no witness of it. So what is confirmed becomes durable
//! ([`RedoRing::settle_confirmed`]) in each ring before a cut with other rings than the one before; until then, all that have something
//! pending were part of the same cuts as those that promise something.

use block::{BlockDevice, BlockError};

use super::canary::{self, Bug};
use super::directory::{CutSummary, SetId};
use super::ring::{GroupContent, RedoRing, RingError, RingState};
use super::table::Change;

/// The cuts of its set that a ring has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RingCuts {
    pub(crate) set: Option<SetId>,
    pub(crate) is_consistent: bool,
    pub(crate) confirmed: Option<CutSummary>,
    pub(crate) pending: Option<CutSummary>,
    pub(crate) is_fixed: bool,
}

impl RingCuts {
    /// Returns a cut of this number, if the ring has it as the last one that is confirmed or as the pending one.
    pub(crate) fn cut(&self, number: u64) -> Option<CutSummary> {
        [self.confirmed, self.pending].into_iter().flatten().find(|cut| cut.number == number)
    }

    /// Returns true if the ring is a witness that a cut of its set does not count: it promises something, and lacks it.
    fn lacks(&self, number: u64) -> bool {
        self.is_consistent
            && self.cut(number).is_none()
            && self.confirmed.is_some_and(|confirmed| confirmed.number < number)
    }
}

impl<D: BlockDevice> RedoRing<D> {
    /// Returns the set to which the ring belongs, as of its last group; none if it is alone.
    pub fn set(&self) -> Option<SetId> {
        self.state.borrow().cuts.set
    }

    /// Returns the highest number that a group of the ring had.
    pub fn last_number(&self) -> u64 {
        self.state.borrow().last_number
    }

    /// Returns true if the ring was opened with a group of a cut of which it is not known whether it counts: see [`resolve_pending`].
    pub fn is_unresolved(&self) -> bool {
        self.state.borrow().cuts.is_unresolved
    }

    /// Writes the group of a cut: what changed in this disk since the group before. As [`Self::write_group`], but it does not count until
    /// [`Self::confirm`]. A ring that was alone becomes one of the set.
    ///
    /// # Errors
    /// As [`Self::write_group`]. After any of them the caller has to call [`Self::withdraw`]. `Unresolved` if an earlier cut is pending.
    ///
    /// # Panics
    /// If the number is not higher than that of all groups before.
    pub async fn write_cut(
        &self,
        set: SetId,
        cut: CutSummary,
        changes: &[Change],
        content: impl AsyncFnMut(&[u64]) -> Result<GroupContent, BlockError>,
    ) -> Result<(), RingError> {
        let changing = self.begin().await?;
        let result = self.write_cut_begun(set, cut, changes, content).await;
        changing.end();
        result
    }

    async fn write_cut_begun(
        &self,
        set: SetId,
        cut: CutSummary,
        changes: &[Change],
        content: impl AsyncFnMut(&[u64]) -> Result<GroupContent, BlockError>,
    ) -> Result<(), RingError> {
        {
            let mut state = self.state.borrow_mut();
            if state.cuts.is_pending {
                return Err(RingError::Unresolved);
            }
            assert!(cut.number > state.last_number, "numbers rise");
            // A ring that was alone may have one whose directory failed.
            state.drop_uncounted();
        }
        self.write_directory_unless_settled().await?;
        let record = match changes {
            [] => None,
            changes => Some(self.write_content(cut.number, cut.taken_at, changes, content).await?),
        };
        {
            let mut state = self.state.borrow_mut();
            state.groups.extend(record);
            state.last_number = cut.number;
            state.last_taken_at = cut.taken_at;
            state.cuts.members = cut.members;
            state.cuts.set = Some(set);
            state.is_consistent = true;
            state.cuts.is_pending = true;
            state.cuts.is_fixed = false;
            state.is_settled = false;
        }
        self.write_directory_unless_settled().await
    }

    /// Records that the cut of this number counts: all rings of the set have it. Becomes durable with the next directory.
    ///
    /// # Panics
    /// If the ring does not have it as its pending cut.
    pub fn confirm(&self, number: u64) {
        let mut state = self.state.borrow_mut();
        assert!(state.cuts.is_pending && state.last_number == number, "the ring has the cut");
        state.count_pending();
    }

    /// Takes the group of a cut that does not count out of the ring, if it has it. Its room is free once the next directory, which is
    /// written before any other group, has made that durable.
    pub fn withdraw(&self, number: u64) {
        let mut state = self.state.borrow_mut();
        // One whose directory failed is pending as well: it may be on the device.
        if state.cuts.is_pending && state.last_number == number {
            state.drop_uncounted();
            if canary::has(Bug::WithdrawnRoomReused) {
                let left = state.groups.len() - state.withdrawn;
                state.groups.truncate(left);
                state.withdrawn = 0;
                state.is_settled = true;
            }
        }
    }

    /// Makes durable which cut is confirmed, if it is not: to be called before a cut with other members than the one before.
    ///
    /// # Errors
    /// If the ring fails. Then the call may be repeated.
    pub async fn settle_confirmed(&self) -> Result<(), RingError> {
        let changing = self.begin().await?;
        {
            let mut state = self.state.borrow_mut();
            let is_behind = state.is_unconfirmed_on_device();
            state.is_settled &= !is_behind;
        }
        let result = self.write_directory_unless_settled().await;
        changing.end();
        result
    }

    /// Makes durable that the ring has the pending cut with which it was opened, if there is one: what was read may have been in a volatile
    /// cache of its storage, and others are about to rely on it.
    pub(crate) async fn settle_opened(&self) -> Result<(), RingError> {
        if !self.is_unresolved() {
            return Ok(());
        }
        self.change_directory(|_| ()).await
    }

    /// Has the ring belong to no set any more, durably: its next groups count by themselves. A cut counts for it of which it is not known
    /// whether it does: the ring holds its disk as of that instant in any case, and its backing may have a part of it.
    ///
    /// # Errors
    /// If the ring fails. Then the call may be repeated.
    pub async fn leave_set(&self) -> Result<(), RingError> {
        {
            let state = self.state.borrow();
            if state.cuts.set.is_none() && state.is_settled {
                return Ok(());
            }
        }
        self.change_directory(RingState::leave_set).await
    }

    /// Returns what the ring has of the cuts of its set.
    pub(crate) fn cuts(&self) -> RingCuts {
        let state = self.state.borrow();
        let pending = CutSummary {
            number: state.last_number,
            taken_at: state.last_taken_at,
            members: state.cuts.members,
        };
        RingCuts {
            set: state.cuts.set,
            is_consistent: state.is_consistent,
            confirmed: state.confirmed(),
            pending: state.cuts.is_pending.then_some(pending),
            is_fixed: state.cuts.is_fixed,
        }
    }

    /// Records durably that a recovery brings the disk to this cut, which the ring has. Groups behind it are withdrawn.
    pub(crate) async fn fix_target(&self, cut: CutSummary) -> Result<(), RingError> {
        self.change_directory(|state| {
            state.epoch += 1;
            if state.cuts.is_pending && state.last_number == cut.number {
                state.count_pending();
            } else if !canary::has(Bug::AboveTarget) {
                state.drop_uncounted();
            }
            state.cuts.is_fixed = true;
        })
        .await
    }

    /// Ends a recovery, durably: the ring promises nothing, and still says to which cut its disk was brought.
    pub(crate) async fn end_set_recovery(&self) -> Result<(), RingError> {
        self.change_directory(RingState::void).await
    }
}

impl RingState {
    /// Returns the last cut that counts, and that a recovery may have brought the disk to.
    pub(super) fn confirmed(&self) -> Option<CutSummary> {
        let taken_at = self.promised_at.or(self.cuts.is_fixed.then_some(self.last_taken_at))?;
        Some(CutSummary { number: self.reported, taken_at, members: self.reported_members })
    }

    fn count_pending(&mut self) {
        self.count_all();
        self.reported_members = self.cuts.members;
        self.cuts.is_pending = false;
        self.cuts.is_unresolved = false;
    }

    /// Leaves out of the next directory what is not known to count.
    fn drop_uncounted(&mut self) {
        let reported = self.reported;
        let kept = self.groups.len() - self.withdrawn;
        let uncounted =
            self.groups.iter().take(kept).rev().take_while(|group| group.number > reported).count();
        if uncounted == 0 && !self.cuts.is_pending {
            return;
        }
        self.withdrawn += uncounted;
        self.cuts.is_pending = false;
        self.cuts.is_unresolved = false;
        self.is_consistent = self.promised_at.is_some();
        self.last_taken_at = self.promised_at.unwrap_or(self.last_taken_at);
        self.is_settled = false;
    }

    pub(super) fn leave_set(&mut self) {
        if self.cuts.set.is_none() {
            return;
        }
        if self.cuts.is_pending {
            self.count_pending();
        }
        self.cuts.set = None;
        self.cuts.is_fixed = false;
        self.reported_members = 1;
        self.is_settled = false;
    }
}

/// Decides of the rings of a set, all of which are there, whether the cuts count of which they do not know it: a cut counts unless a ring
/// that promises something lacks it. Else it is withdrawn. Of a ring of another set, or of none, a pending cut counts for it alone.
///
/// To be called before anything else is done with groups of these rings, and while no cut is on its way. Rings of disks that promise
/// nothing may be left out, those of others not.
///
/// # Errors
/// If a ring fails, with its place. Then nothing is decided, and the call may be repeated.
pub async fn resolve_pending<D: BlockDevice>(
    set: SetId,
    rings: &[&RedoRing<D>],
) -> Result<(), (usize, RingError)> {
    for (at, ring) in rings.iter().enumerate() {
        ring.settle_opened().await.map_err(|error| (at, error))?;
    }
    let cuts: Vec<RingCuts> = rings.iter().map(|ring| ring.cuts()).collect();
    for (ring, own) in rings.iter().zip(&cuts) {
        let Some(pending) = own.pending.filter(|_| ring.is_unresolved()) else { continue };
        let is_lacked = |other: &RingCuts| other.set == Some(set) && other.lacks(pending.number);
        if own.set == Some(set) && cuts.iter().any(is_lacked) {
            ring.withdraw(pending.number);
        } else {
            ring.confirm(pending.number);
        }
    }
    Ok(())
}
