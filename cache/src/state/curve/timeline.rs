//! The order in which samples were used last, and how many were used behind one of them.
//!
//! ```text
//!   slots   3 . 0 . . 7 1 .        the sample whose last use this was; each use takes the next slot and leaves a gap in its old one
//!   tree    sums over slots        a Fenwick tree (Fenwick 1994): adding, and summing up to a slot, in log2 steps
//! ```
//! There are twice as many slots as samples. When they are used up, all samples are compacted, in one pass: that is
//! cheaper than any balanced tree, and 4 bytes for each slot are all that it takes. Independent of what a sample is.

/// No slot, no sample.
pub(super) const NONE: u16 = u16::MAX;

/// Standing of a sample: counted in distances or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SampleStatus {
    Counted,
    /// Remembered only, for later.
    OnProbation,
}

#[derive(Clone)]
pub(super) struct Timeline {
    slots: u16,
    /// None until the first one is put.
    samples: Box<[u16]>,
    sums: Box<[u16]>,
    next: u16,
    counted: u16,
}

impl Timeline {
    /// Creates a timeline for at most `samples_max` samples.
    pub(super) fn new(samples_max: u16) -> Self {
        let slots = 2 * usize::from(samples_max);
        assert!(slots < usize::from(NONE), "slots are numbered in 16 bits");
        Self { slots: slots as u16, samples: Box::default(), sums: Box::default(), next: 0, counted: 0 }
    }

    /// Returns the number of counted samples that were used after the one in `slot`.
    pub(super) fn behind(&self, slot: u16) -> u16 {
        let (mut before, mut end) = (0, usize::from(slot) + 1);
        while end > 0 {
            before += self.sums[end - 1];
            end &= end - 1;
        }
        self.counted - before
    }

    /// Returns the samples in the order of their last use.
    pub(super) fn samples(&self) -> impl Iterator<Item = u16> + '_ {
        self.samples.iter().copied().filter(|sample| *sample != NONE)
    }

    /// Returns true if no sample was used after the one in `slot`.
    pub(super) fn is_newest(&self, slot: u16) -> bool {
        slot + 1 == self.next
    }

    /// Returns true if there is no slot for one more use, before [`Self::move_together`].
    pub(super) fn is_full(&self) -> bool {
        self.next == self.slots
    }

    /// Records the use of a sample. Returns its slot now.
    pub(super) fn put(&mut self, sample: u16, standing: SampleStatus) -> u16 {
        if self.samples.is_empty() {
            self.samples = vec![NONE; usize::from(self.slots)].into_boxed_slice();
            self.sums = vec![0; usize::from(self.slots)].into_boxed_slice();
        }
        let slot = self.next;
        self.samples[usize::from(slot)] = sample;
        self.next += 1;
        if standing == SampleStatus::Counted {
            self.counted += 1;
            self.add(slot, 1);
        }
        slot
    }

    /// Empties the slot of a sample.
    pub(super) fn take(&mut self, slot: u16, standing: SampleStatus) {
        self.samples[usize::from(slot)] = NONE;
        if standing == SampleStatus::Counted {
            self.counted -= 1;
            self.add(slot, 1_u16.wrapping_neg());
        }
    }

    /// Empties a slot, if it is one. Sums are wrong until [`Self::move_together`].
    pub(super) fn forget(&mut self, slot: u16) {
        if slot != NONE {
            self.samples[usize::from(slot)] = NONE;
        }
    }

    /// Renames the sample in a slot, if there is one.
    pub(super) fn rename(&mut self, slot: u16, sample: u16) {
        if slot != NONE {
            self.samples[usize::from(slot)] = sample;
        }
    }

    /// Closes all gaps. Calls `moved` for each sample and its slot, in order, which returns its standing.
    pub(super) fn move_together(&mut self, mut moved: impl FnMut(u16, u16) -> SampleStatus) {
        let mut place = 0_u16;
        self.sums.fill(0);
        self.counted = 0;
        for slot in 0..usize::from(self.next) {
            let sample = std::mem::replace(&mut self.samples[slot], NONE);
            if sample != NONE {
                self.samples[usize::from(place)] = sample;
                let counts = u16::from(moved(sample, place) == SampleStatus::Counted);
                self.sums[usize::from(place)] = counts;
                self.counted += counts;
                place += 1;
            }
        }
        self.next = place;
        for slot in 0..self.sums.len() {
            let above = slot | (slot + 1);
            if above < self.sums.len() {
                self.sums[above] += self.sums[slot];
            }
        }
    }

    /// Returns the bytes of RAM taken.
    pub(super) fn bytes(&self) -> usize {
        (self.samples.len() + self.sums.len()) * size_of::<u16>()
    }

    fn add(&mut self, slot: u16, what: u16) {
        let mut at = usize::from(slot);
        while let Some(sum) = self.sums.get_mut(at) {
            *sum = sum.wrapping_add(what);
            at |= at + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the expected result: samples in the order of their last use.
    fn behind(order: &[u16], sample: u16) -> usize {
        order.iter().rev().take_while(|other| **other != sample).count()
    }

    proptest! {
        #[test]
        fn as_many_are_behind_as_were_used_since(uses in proptest::collection::vec(0_u16..20, 0..300)) {
            let mut timeline = Timeline::new(20);
            let mut slots = [NONE; 20];
            let mut order: Vec<u16> = Vec::new();
            for sample in uses {
                let slot = slots[usize::from(sample)];
                if slot != NONE {
                    prop_assert_eq!(usize::from(timeline.behind(slot)), behind(&order, sample));
                    prop_assert_eq!(timeline.is_newest(slot), behind(&order, sample) == 0);
                    timeline.take(slot, SampleStatus::Counted);
                }
                order.retain(|other| *other != sample);
                slots[usize::from(sample)] = NONE;
                if timeline.is_full() {
                    timeline.move_together(|moved, slot| {
                        slots[usize::from(moved)] = slot;
                        SampleStatus::Counted
                    });
                }
                slots[usize::from(sample)] = timeline.put(sample, SampleStatus::Counted);
                order.push(sample);
            }
        }
    }

    #[test]
    fn those_on_probation_keep_their_place_and_are_not_counted() {
        let mut timeline = Timeline::new(4);
        let first = timeline.put(0, SampleStatus::Counted);
        timeline.put(1, SampleStatus::OnProbation);
        timeline.put(2, SampleStatus::Counted);
        assert_eq!(timeline.behind(first), 1);
        let mut order = Vec::new();
        timeline.move_together(|sample, slot| {
            order.push((sample, slot));
            SampleStatus::Counted
        });
        assert_eq!(order, [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(timeline.behind(0), 2);
    }
}
