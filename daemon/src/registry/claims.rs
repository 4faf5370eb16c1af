//! Claims of changes under way, so that parallel changes do not take the same storage or RAM.
//!
//! Storage and RAM are claimed before they are checked: of two claims the later one sees the earlier one, in
//! any interleaving.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use base::units::Size;

use crate::backing::{Identity, OwnUse};

/// Resources that a change is about to take.
#[derive(Clone, Debug, Default)]
pub(super) struct Claim {
    /// The storage below a disk that is to be attached, or of a new device of the pool.
    pub(super) storage: Option<Identity>,
    /// RAM, if it is to be increased.
    pub(super) ram: Option<Size>,
    /// True if it is to have second copies of dirty data.
    pub(super) is_mirrored: bool,
}

/// Claims of all changes under way, in the order in which they were made.
#[derive(Debug, Default)]
pub(super) struct Claims {
    all: Mutex<AllClaims>,
}

#[derive(Debug, Default)]
struct AllClaims {
    next: u64,
    by_number: BTreeMap<u64, (OwnUse, Claim)>,
}

/// A claim that holds until it is dropped.
#[derive(Debug)]
#[must_use]
pub(super) struct ClaimGuard<'a> {
    claims: &'a Claims,
    number: u64,
}

impl Claims {
    /// Makes a claim for a use of storage.
    pub(super) fn claim(&self, user: OwnUse, claim: Claim) -> ClaimGuard<'_> {
        let mut all = self.lock();
        let number = all.next;
        all.next += 1;
        all.by_number.insert(number, (user, claim));
        ClaimGuard { claims: self, number }
    }

    /// Makes a claim for a disk.
    pub(super) fn claim_for_disk(&self, disk: &str, claim: Claim) -> ClaimGuard<'_> {
        self.claim(OwnUse::Disk(disk.to_owned()), claim)
    }

    /// Returns the claims that were made before `own`, with their users.
    pub(super) fn before(&self, own: &ClaimGuard<'_>) -> Vec<(OwnUse, Claim)> {
        self.lock().by_number.range(..own.number).map(|(_, claim)| claim.clone()).collect()
    }

    /// Returns the storage of the claims that were made before `own`, with their users.
    pub(super) fn storage_before(&self, own: &ClaimGuard<'_>) -> Vec<(OwnUse, Identity)> {
        self.before(own).into_iter().filter_map(|(user, claim)| Some((user, claim.storage?))).collect()
    }

    /// Returns the names of disks that are about to have second copies of dirty data.
    pub(super) fn mirrored(&self) -> Vec<String> {
        let name = |(user, claim): &(OwnUse, Claim)| match user {
            OwnUse::Disk(disk) if claim.is_mirrored => Some(disk.clone()),
            _ => None,
        };
        self.lock().by_number.values().filter_map(name).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, AllClaims> {
        // The map is consistent after every step.
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClaimGuard<'_> {
    /// Returns the claim.
    pub(super) fn claim(&self) -> Claim {
        self.claims.lock().by_number[&self.number].1.clone()
    }
}

impl Drop for ClaimGuard<'_> {
    fn drop(&mut self) {
        self.claims.lock().by_number.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_of_two_claims_sees_the_earlier_one_until_that_is_dropped() {
        let claims = Claims::default();
        let of = |ram| Claim { ram: Some(Size(ram)), ..Claim::default() };
        let (first, second) = (claims.claim_for_disk("web", of(1)), claims.claim_for_disk("mail", of(2)));
        assert!(claims.before(&first).is_empty());
        let seen = claims.before(&second);
        assert_eq!(seen.len(), 1);
        assert_eq!((&seen[0].0, seen[0].1.ram), (&OwnUse::Disk("web".to_owned()), Some(Size(1))));
        drop(first);
        assert!(claims.before(&second).is_empty());
    }
}
