//! Pins: what snapshots keep in the store: objects with content, and parts of checkpoints. Pure.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::canary::{self, Bug};
use super::checkpoint::Root;
use super::names::{ObjectKey, PartKey};

/// Objects and parts that one snapshot keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pinned {
    pub(crate) objects: Vec<ObjectKey>,
    pub(crate) parts: BTreeSet<PartKey>,
}

impl Pinned {
    /// Returns what the snapshot with this body keeps, but for the body.
    pub(crate) fn by(root: &Root) -> Self {
        Self {
            objects: root.content.objects.iter().map(|(_, info)| info.key).collect(),
            parts: root.regions.values().map(|place| place.part).collect(),
        }
    }
}

/// Objects and parts that the snapshots of a volume keep.
#[derive(Default)]
pub(crate) struct Pins {
    /// By the body of the snapshot; none if its body cannot be read: then everything is kept.
    snapshots: BTreeMap<PartKey, Option<Pinned>>,
    /// Snapshots that keep an object.
    objects: HashMap<ObjectKey, u32>,
    /// Snapshots that keep a part.
    parts: BTreeMap<PartKey, u32>,
}

impl Pins {
    /// Adds a snapshot, by its body.
    pub(crate) fn add(&mut self, body: PartKey, pinned: Option<Pinned>) {
        if self.snapshots.contains_key(&body) {
            return;
        }
        if let Some(pinned) = &pinned {
            pinned.objects.iter().for_each(|key| *self.objects.entry(*key).or_default() += 1);
            pinned.parts.iter().for_each(|key| *self.parts.entry(*key).or_default() += 1);
        }
        self.snapshots.insert(body, pinned);
    }

    /// Removes all snapshots but those with these bodies. Returns the parts that none keeps any more.
    pub(crate) fn retain(&mut self, bodies: &BTreeSet<PartKey>) -> BTreeSet<PartKey> {
        let mut free = BTreeSet::new();
        let gone: Vec<_> = self.snapshots.keys().filter(|body| !bodies.contains(body)).copied().collect();
        for body in gone {
            free.insert(body);
            let Some(Some(pinned)) = self.snapshots.remove(&body) else { continue };
            for key in pinned.objects {
                if let Some(count) = self.objects.get_mut(&key) {
                    *count -= 1;
                    if *count == 0 {
                        self.objects.remove(&key);
                    }
                }
            }
            for key in pinned.parts {
                if let Some(count) = self.parts.get_mut(&key) {
                    *count -= 1;
                    if *count == 0 {
                        self.parts.remove(&key);
                        free.insert(key);
                    }
                }
            }
        }
        free.retain(|key| !self.has_part(*key));
        free
    }

    /// Returns true if everything is kept, for it is unknown what a snapshot needs.
    pub(crate) fn has_all(&self) -> bool {
        self.snapshots.values().any(Option::is_none)
    }

    /// Returns true if a snapshot keeps an object.
    pub(crate) fn has_object(&self, key: ObjectKey) -> bool {
        (self.objects.contains_key(&key) || self.has_all()) && !canary::has(Bug::PinsIgnored)
    }

    /// Returns true if a snapshot keeps a part of a checkpoint.
    pub(crate) fn has_part(&self, key: PartKey) -> bool {
        let has = self.parts.contains_key(&key) || self.snapshots.contains_key(&key) || self.has_all();
        has && !canary::has(Bug::PinnedPartsIgnored)
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::CheckpointKey;
    use super::*;

    fn object(sequence: u64) -> ObjectKey {
        ObjectKey { is_copies: false, epoch: 1, sequence }
    }

    fn part(part: u32) -> PartKey {
        PartKey { checkpoint: CheckpointKey { epoch: 1, number: 0 }, part }
    }

    fn pinned(objects: &[u64], parts: &[u32]) -> Pinned {
        let objects = objects.iter().copied().map(object).collect();
        Pinned { objects, parts: parts.iter().copied().map(part).collect() }
    }

    #[test]
    fn what_two_snapshots_keep_is_free_once_both_are_gone() {
        let mut pins = Pins::default();
        pins.add(part(10), Some(pinned(&[1, 2], &[1])));
        pins.add(part(11), Some(pinned(&[2, 3], &[1, 2])));
        pins.add(part(11), Some(pinned(&[2, 3], &[1, 2])));
        assert_eq!(pins.retain(&BTreeSet::from([part(11)])), BTreeSet::from([part(10)]));
        assert_eq!([1, 2, 3].map(|at| pins.has_object(object(at))), [false, true, true]);
        assert!(pins.has_part(part(1)) && pins.has_part(part(11)) && !pins.has_part(part(10)));
        assert_eq!(pins.retain(&BTreeSet::new()), BTreeSet::from([part(1), part(2), part(11)]));
        assert!(!pins.has_object(object(2)) && !pins.has_part(part(1)));
    }

    #[test]
    fn everything_is_kept_while_it_is_unknown_what_a_snapshot_keeps() {
        let mut pins = Pins::default();
        pins.add(part(10), None);
        pins.add(part(11), Some(pinned(&[1], &[1])));
        assert!(pins.has_object(object(7)) && pins.has_part(part(7)));
        assert_eq!(pins.retain(&BTreeSet::from([part(10)])), BTreeSet::new());
        assert_eq!(pins.retain(&BTreeSet::new()), BTreeSet::from([part(10)]));
        assert!(!pins.has_object(object(7)) && !pins.has_part(part(7)));
    }
}
