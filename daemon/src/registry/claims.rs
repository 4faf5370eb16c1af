//! What changes under way are about to have, so that two of them that go side by side do not both take the same.
//!
//! Storage and RAM are claimed before they are checked: of two claims the later one sees the earlier one, whatever comes in between.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::backing::Identity;
use crate::units::Size;

/// What a change of a disk is about to have.
#[derive(Clone, Debug, Default)]
pub(super) struct Claim {
    /// The storage below it, if it is to be attached.
    pub(super) storage: Option<Identity>,
    /// RAM, if it is to get more.
    pub(super) ram: Option<Size>,
    /// It is to have two copies of what is dirty.
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
    by_number: BTreeMap<u64, (String, Claim)>,
}

/// A claim that holds until it is dropped.
#[derive(Debug)]
#[must_use]
pub(super) struct Claimed<'a> {
    claims: &'a Claims,
    number: u64,
}

impl Claims {
    /// Makes a claim for a disk.
    pub(super) fn claim(&self, disk: &str, claim: Claim) -> Claimed<'_> {
        let mut all = self.lock();
        let number = all.next;
        all.next += 1;
        all.by_number.insert(number, (disk.to_owned(), claim));
        Claimed { claims: self, number }
    }

    /// Returns the claims that were made before `own`, by the names of their disks.
    pub(super) fn before(&self, own: &Claimed<'_>) -> Vec<(String, Claim)> {
        self.lock().by_number.range(..own.number).map(|(_, claim)| claim.clone()).collect()
    }

    /// Returns all claims, by the names of their disks.
    pub(super) fn all(&self) -> Vec<(String, Claim)> {
        self.lock().by_number.values().cloned().collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, AllClaims> {
        // The map is whole after every step.
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Claimed<'_> {
    /// Returns what is claimed.
    pub(super) fn claim(&self) -> Claim {
        self.claims.lock().by_number[&self.number].1.clone()
    }
}

impl Drop for Claimed<'_> {
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
        let (first, second) = (claims.claim("web", of(1)), claims.claim("mail", of(2)));
        assert!(claims.before(&first).is_empty());
        let seen = claims.before(&second);
        assert_eq!(seen.len(), 1);
        assert_eq!((seen[0].0.as_str(), seen[0].1.ram), ("web", Some(Size(1))));
        assert_eq!(claims.all().len(), 2);
        drop(first);
        assert!(claims.before(&second).is_empty());
    }
}
