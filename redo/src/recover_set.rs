//! Recovery of a consistency set: the groups of its rings are applied to their backings, all up to the same cut.
//!
//! ```text
//! target ── all of it read and checked ── target recorded in each ring ── groups applied ── backings flushed ── rings void
//! ```
//! It may end anywhere and be repeated, with the same end: the target is durable in all rings before the first backing changes, and a ring
//! that has its target recorded names no other cut. A ring that is void already keeps the record, so it agrees with the others. Until all
//! have it, those without still name the cut, as `set.rs` says, and no ring has given up anything but cuts behind the target.

use block::BlockDevice;
use thiserror::Error;

use super::canary::{self, Bug};
use super::directory::CutSummary;
use super::recover::{Plan, Recovery, apply, plan};
use super::ring::{RedoRing, RingError};
use super::set::RingCuts;

/// Rings of a set that a recovery has to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetCompleteness {
    /// All rings that are part of the cut are given.
    Whole,
    /// Others may be missing, because they are lost, or their disks left the set. The given ones are of one instant, which need not be that of
    /// the others: these do not match them.
    Part,
}

/// Result of a recovery of a set, or of a look at what it would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetRecovery {
    /// The cut as of which the backings hold their disks then.
    pub cut: CutSummary,
    /// One result for each ring that was given, in their order.
    pub members: Vec<MemberRecovery>,
}

/// Result of the recovery of one member of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberRecovery {
    /// Its groups are applied.
    Applied(Recovery),
    /// An earlier recovery had done everything.
    DoneBefore,
}

/// Failure of a recovery of a set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{error}")]
pub struct SetError {
    /// Place of the ring that is concerned, among those that were given; none for all of them.
    pub member: Option<usize>,
    /// Reason.
    pub error: RingError,
}

impl SetError {
    fn of(member: usize) -> impl Fn(RingError) -> Self {
        move |error| Self { member: Some(member), error }
    }
}

/// Returns what [`recover_set`] would do; changes nothing. Reads and checks all rings, each with the size of its backing in bytes.
///
/// # Errors
/// As [`recover_set`].
pub async fn verify_set<D: BlockDevice>(
    members: &[(&RedoRing<D>, u64)],
    completeness: SetCompleteness,
) -> Result<SetRecovery, SetError> {
    let (cut, plans) = plans(members, completeness).await?;
    Ok(recovery(cut, plans))
}

/// Brings the backings of a set to its last cut that counts, durably: all of them are as of one instant. Each ring gets a higher epoch before
/// anything is changed, and promises nothing at the end. May be repeated with the same rings.
///
/// # Errors
/// `OtherSet`, `NotConsistent` or `NotInCut` if a ring does not belong to the others, `MembersMissing` if the cut has more members than
/// are given and not a part is asked for, `OtherTarget` if an earlier recovery brought a ring to another cut; as [`super::recover()`] if a
/// ring cannot be applied. Then nothing was changed. If rings or backings fail: then it may be repeated.
pub async fn recover_set<D: BlockDevice, B: BlockDevice>(
    members: &[(&RedoRing<D>, &B)],
    completeness: SetCompleteness,
) -> Result<SetRecovery, SetError> {
    let sizes: Vec<_> = members.iter().map(|(ring, backing)| (*ring, backing.geometry().size)).collect();
    let (cut, plans) = plans(&sizes, completeness).await?;
    // The target is that of any later attempt only once nothing of what it was taken from can be lost.
    for (at, (ring, _)) in members.iter().enumerate() {
        ring.settle_opened().await.map_err(SetError::of(at))?;
    }
    if canary::has(Bug::TargetsOneByOne) {
        for (at, ((ring, backing), plan)) in members.iter().zip(&plans).enumerate() {
            let Some(plan) = plan else { continue };
            let failed = SetError::of(at);
            ring.fix_target(cut).await.map_err(&failed)?;
            apply_plan(ring, *backing, plan).await.map_err(&failed)?;
            ring.void().await.map_err(&failed)?;
        }
        return Ok(recovery(cut, plans));
    }
    for (at, ((ring, _), plan)) in members.iter().zip(&plans).enumerate() {
        if plan.is_some() {
            ring.fix_target(cut).await.map_err(SetError::of(at))?;
        }
    }
    for (at, ((ring, backing), plan)) in members.iter().zip(&plans).enumerate() {
        if let Some(plan) = plan {
            apply_plan(ring, *backing, plan).await.map_err(SetError::of(at))?;
        }
    }
    for (at, ((ring, _), plan)) in members.iter().zip(&plans).enumerate() {
        if plan.is_some() {
            ring.end_set_recovery().await.map_err(SetError::of(at))?;
        }
    }
    Ok(recovery(cut, plans))
}

async fn apply_plan<D: BlockDevice, B: BlockDevice>(
    ring: &RedoRing<D>,
    backing: &B,
    plan: &Plan,
) -> Result<(), RingError> {
    for (group, entries) in &plan.groups {
        apply(ring, backing, group, entries).await?;
    }
    backing.flush().await.map_err(RingError::Backing)
}

fn recovery(cut: CutSummary, plans: Vec<Option<Plan>>) -> SetRecovery {
    let member = |plan: Option<Plan>| {
        plan.map_or(MemberRecovery::DoneBefore, |plan| MemberRecovery::Applied(plan.recovery))
    };
    SetRecovery { cut, members: plans.into_iter().map(member).collect() }
}

/// Returns the target, and what is to be applied to each backing; none where an earlier recovery did it.
async fn plans<D: BlockDevice>(
    members: &[(&RedoRing<D>, u64)],
    completeness: SetCompleteness,
) -> Result<(CutSummary, Vec<Option<Plan>>), SetError> {
    let cuts: Vec<RingCuts> = members.iter().map(|(ring, _)| ring.cuts()).collect();
    let cut = target(&cuts, completeness)?;
    let mut plans = Vec::new();
    for (at, ((ring, size_bytes), own)) in members.iter().zip(&cuts).enumerate() {
        let is_done = own.is_fixed && !own.is_consistent;
        let planned =
            async { if is_done { Ok(None) } else { plan(ring, *size_bytes, Some(cut)).await.map(Some) } };
        plans.push(planned.await.map_err(SetError::of(at))?);
    }
    Ok((cut, plans))
}

/// Returns the cut to which all of these rings are to be brought.
fn target(rings: &[RingCuts], completeness: SetCompleteness) -> Result<CutSummary, SetError> {
    let given = rings.len() as u32;
    let Some(first) = rings.first() else {
        return Err(SetError { member: None, error: RingError::MembersMissing { members: 1, given } });
    };
    for (at, ring) in rings.iter().enumerate() {
        if ring.set.is_none() && !ring.is_consistent {
            return Err(SetError::of(at)(RingError::NotConsistent));
        }
        if ring.set.is_none() || ring.set != first.set {
            return Err(SetError::of(at)(RingError::OtherSet));
        }
        if !ring.is_consistent && !ring.is_fixed {
            return Err(SetError::of(at)(RingError::NotConsistent));
        }
    }
    let fixed = rings.iter().filter(|ring| ring.is_fixed).find_map(|ring| ring.confirmed);
    let confirmed = rings.iter().filter_map(|ring| ring.confirmed).max_by_key(|cut| cut.number);
    let pending = first.pending.filter(|pending| {
        let has_it = |ring: &RingCuts| ring.pending.is_some_and(|own| own.number == pending.number);
        rings.iter().all(has_it)
    });
    let cut = fixed.or(pending).or(confirmed);
    let Some(cut) = cut else { return Err(SetError { member: None, error: RingError::NotConsistent }) };
    for (at, ring) in rings.iter().enumerate() {
        let error = match ring.confirmed {
            // What is behind the target may be on its backing already.
            Some(own) if ring.is_fixed && own.number != cut.number || own.number > cut.number => {
                RingError::OtherTarget { number: own.number }
            }
            _ if ring.cut(cut.number).is_none() => RingError::NotInCut { number: cut.number },
            _ => continue,
        };
        return Err(SetError::of(at)(error));
    }
    if completeness == SetCompleteness::Whole && cut.members > given {
        return Err(SetError {
            member: None,
            error: RingError::MembersMissing { members: cut.members, given },
        });
    }
    Ok(cut)
}
