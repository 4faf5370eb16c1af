//! Deduplication within a volume: a page whose content is in the store already becomes a reference to it.
//!
//! ```text
//! page of a layer ── fingerprint ── index: a place in an object ── is that object not dead? ── pinned ── reference in the header
//! group counts ── the map points to the place ── pins of its sequences end
//! ```
//! Only objects that are not dead are taken, and one that is dead stays so: nothing else makes an object live again. So a checkpoint that
//! found an object dead when it began may let it be deleted, though hints are taken while it is made.
//!
//! A **pin** is of an object, up to a sequence of data: until all up to that one counted or never will, a host that replays may find the
//! object with this sequence, and needs what it refers to. That holds for groups that were abandoned as well: one that was closed counts on
//! replay if all of it got there.

use std::collections::{BTreeMap, BTreeSet};

use block::{Host, PAGE};

use super::canary::{self, Bug};
use super::fingerprints::{Fingerprint, Fingerprints};
use super::map::Location;
use super::names::ObjectKey;
use super::object::Header;
use super::state::Shared;
use super::store::Store;

/// State of deduplication beside the map.
#[derive(Default)]
pub(crate) struct Deduplication {
    /// None if the volume does not deduplicate.
    index: Option<Fingerprints>,
    /// The last sequence of data that may refer to an object, of those that do not count yet.
    pins: BTreeMap<ObjectKey, u64>,
    /// Objects of which a read found that they are damaged or missing. Content that is written again makes a guest's disk whole.
    unreadable: BTreeSet<u32>,
}

impl Deduplication {
    /// Creates one with an index of so many bytes at most; without one if there is no room for it.
    pub(crate) fn new(index_bytes: u64) -> Self {
        Self { index: Fingerprints::new(index_bytes), ..Self::default() }
    }

    /// Returns true if the volume deduplicates.
    pub(crate) fn is_on(&self) -> bool {
        self.index.is_some()
    }

    /// Returns the bytes of RAM that the index takes when it is full.
    pub(crate) fn index_bytes(&self) -> u64 {
        self.index.as_ref().map_or(0, Fingerprints::bytes)
    }

    /// Pins an object, until this sequence of data counts or never will.
    fn pin(&mut self, object: ObjectKey, sequence: u64) {
        let last = self.pins.entry(object).or_default();
        // Layers are encoded beside each other, in any order.
        *last = sequence.max(*last);
    }

    /// Returns true if an object that does not count yet may refer to this one.
    pub(crate) fn is_pinned(&self, object: ObjectKey) -> bool {
        self.pins.contains_key(&object) && !canary::has(Bug::NoPins)
    }

    /// Ends the pins of all sequences below the end of a group that counts.
    pub(crate) fn end_pins(&mut self, end: u64) {
        self.pins.retain(|_, last| *last >= end);
    }

    /// Ends references to an object that cannot be read.
    pub(crate) fn avoid(&mut self, object: u32) {
        self.unreadable.insert(object);
    }

    /// Records where content of an object lies: the chunk, and the place in it.
    pub(crate) fn learn(
        &mut self,
        header: &Header,
        object: u32,
        pages: impl Iterator<Item = (Fingerprint, usize, u8)>,
    ) {
        let Some(index) = &mut self.index else { return };
        for (fingerprint, chunk, at) in pages {
            index.insert(fingerprint, header.chunks[chunk].location(object).at(u64::from(at)));
        }
    }
}

impl<S: Store, H: Host> Shared<S, H> {
    /// Returns where content lies that the object of data with this sequence may refer to, and pins the object that has it.
    pub(crate) fn find_duplicate(
        &self,
        fingerprint: Fingerprint,
        sequence: u64,
    ) -> Option<(ObjectKey, Location)> {
        let mut state = self.state.borrow_mut();
        let location = state.deduplication.index.as_mut()?.find(fingerprint)?;
        let info = *state.content.objects.get(location.object)?;
        let is_dead = self.is_dead(&state, &info) && !canary::has(Bug::DeadHint);
        let is_bad = state.damaged.contains(&location.object)
            || state.deduplication.unreadable.contains(&location.object);
        if is_dead || is_bad || is_behind(info.key, self.epoch, sequence) {
            return None;
        }
        state.deduplication.pin(info.key, sequence);
        Some((info.key, location))
    }
}

/// Returns true if an object lies behind the one of data with this sequence: a replay applies that one without it.
fn is_behind(object: ObjectKey, epoch: Option<u64>, sequence: u64) -> bool {
    !object.is_copies && Some(object.epoch) == epoch && object.sequence >= sequence
}

/// Returns the bytes of the disk that references of an object cover.
pub(crate) fn referring_bytes(header: &Header) -> u64 {
    header.references.iter().map(|reference| u64::from(reference.pages) * PAGE).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_refers_to_what_a_replay_has_before_it() {
        let key = |is_copies, epoch, sequence| ObjectKey { is_copies, epoch, sequence };
        // Copies have sequences of their own, and an earlier epoch is replayed before.
        for before in [key(false, 3, 6), key(true, 3, 90), key(false, 2, 90)] {
            assert!(!is_behind(before, Some(3), 7), "{before:?}");
        }
        for behind in [key(false, 3, 7), key(false, 3, 8)] {
            assert!(is_behind(behind, Some(3), 7), "{behind:?}");
        }
    }

    #[test]
    fn a_pin_ends_with_the_last_sequence_that_refers_in_whichever_order_they_were_encoded() {
        let mut deduplication = Deduplication::new(0);
        let [one, other] = [4, 5].map(|sequence| ObjectKey { is_copies: false, epoch: 1, sequence });
        for sequence in [8, 9, 7] {
            deduplication.pin(one, sequence);
        }
        deduplication.pin(other, 7);
        let mut left = Vec::new();
        for end in [7, 8, 9, 10] {
            deduplication.end_pins(end);
            left.push([one, other].map(|object| deduplication.is_pinned(object)));
        }
        assert_eq!(left, [[true, true], [true, false], [true, false], [false, false]]);
    }
}
