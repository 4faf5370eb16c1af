//! Distances between uses of the same block: a histogram with classes of at most 1/32 of their value.
//!
//! A distance is the number of other blocks that were used between two uses of one. A cache of `n` blocks with LRU still has a block if its
//! distance is below `n` (Mattson and others, 1970). Independent of the size of blocks.

use crate::format::fields::{FieldReader, FieldWriter, Malformed};

/// Classes for each doubling, so that one is at most 3 % wide.
const CLASSES_PER_DOUBLING: u64 = 32;
/// Up to here each distance has a class of its own.
const EXACT: u64 = 2 * CLASSES_PER_DOUBLING;
/// Number of classes: distances of up to 2^42 blocks, 16 PiB of pages. Larger ones count in the last class.
const CLASSES: usize = EXACT as usize + (42 - 6) * CLASSES_PER_DOUBLING as usize;

#[derive(Clone)]
pub(super) struct Distances {
    /// None until the first distance is counted.
    weights: Box<[f64]>,
    /// Weight of uses that are hits of no size.
    first_uses: f64,
}

/// Returns the class of a distance.
fn class_of(distance: u64) -> usize {
    if distance < EXACT {
        return distance as usize;
    }
    let doublings = u64::from(distance.ilog2()) - 5;
    let class = doublings * CLASSES_PER_DOUBLING + (distance >> doublings);
    (class as usize).min(CLASSES - 1)
}

/// Returns the smallest distance of a class.
fn start_of(class: usize) -> u64 {
    let class = class as u64;
    if class < EXACT {
        return class;
    }
    let doublings = class / CLASSES_PER_DOUBLING - 1;
    (class % CLASSES_PER_DOUBLING + CLASSES_PER_DOUBLING) << doublings
}

impl Distances {
    pub(super) fn new() -> Self {
        Self { weights: Box::default(), first_uses: 0.0 }
    }

    /// Counts a use with that distance, or the first one of its block, with its weight.
    pub(super) fn count(&mut self, distance: Option<u64>, weight: f64) {
        if self.weights.is_empty() {
            self.weights = vec![0.0; CLASSES].into_boxed_slice();
        }
        match distance {
            Some(distance) => self.weights[class_of(distance)] += weight,
            None => self.first_uses += weight,
        }
    }

    /// Makes all that was counted count for a part of it.
    pub(super) fn fade(&mut self, part: f64) {
        self.weights.iter_mut().for_each(|weight| *weight *= part);
        self.first_uses *= part;
    }

    /// Returns the counts: (smallest distance, first one behind, weight) of each class that is not empty, and of first uses.
    pub(super) fn classes(&self) -> (impl Iterator<Item = (u64, u64, f64)>, f64) {
        let used = self.weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
        (used.map(|(class, weight)| (start_of(class), start_of(class + 1), *weight)), self.first_uses)
    }

    /// Appends all classes that have something.
    pub(super) fn encode(&self, to: &mut FieldWriter) {
        to.f64(self.first_uses);
        let used = || self.weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
        to.u16(used().count() as u16);
        for (class, weight) in used() {
            to.u16(class as u16);
            to.f64(*weight);
        }
    }

    /// Takes what [`Self::encode`] appended.
    pub(super) fn decode(from: &mut FieldReader<'_>) -> Result<Self, Malformed> {
        let mut distances = Self::new();
        distances.count(None, from.f64()?);
        for _ in 0..from.u16()? {
            let class = usize::from(from.u16()?);
            let weight = distances.weights.get_mut(class).ok_or(Malformed("no distance is so far"))?;
            *weight += from.f64()?;
        }
        Ok(distances)
    }

    /// Returns the bytes of RAM taken.
    pub(super) fn bytes(&self) -> usize {
        self.weights.len() * size_of::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_distance_is_in_its_class_and_classes_follow_each_other() {
        let near =
            (0..42).flat_map(|bits| [(1_u64 << bits) - 1, 1 << bits, (1 << bits) + 1, (3 << bits) + 7]);
        for distance in near.filter(|distance| *distance < 1 << 42) {
            let class = class_of(distance);
            assert!((start_of(class)..start_of(class + 1)).contains(&distance), "{distance} is in {class}");
        }
        assert!((0..CLASSES).all(|class| class_of(start_of(class)) == class));
        assert_eq!(class_of(u64::MAX), CLASSES - 1);
    }

    #[test]
    fn what_fades_keeps_its_proportions() {
        let mut distances = Distances::new();
        distances.count(Some(5), 8.0);
        distances.count(None, 2.0);
        distances.fade(0.5);
        let (classes, first_uses) = distances.classes();
        assert_eq!(classes.collect::<Vec<_>>(), [(5, 6, 4.0)]);
        assert!((first_uses - 1.0).abs() < 1e-9);
    }
}
