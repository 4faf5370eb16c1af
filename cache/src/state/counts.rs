//! Many counts of which few are high: half a byte for each, and four to eight bytes more for one that is above 15.
//!
//! High counts stand in a short list for each four thousand, in order, so nothing is ever rebuilt as a whole, and it makes no difference
//! which of them are high.

/// The highest count of half a byte. A place that has it is among those that may be higher.
const HALF_MAX: u8 = 15;
/// Counts whose high ones are in one list.
const GROUP: u32 = 4096;

/// Counts from 0 to 255 by their number. A count of 255 stays.
pub(super) struct Counts {
    halves: Box<[u8]>,
    /// Of each group, in the order of their numbers.
    high: Box<[Vec<High>]>,
    /// Capacity of all these lists, which are too many to be summed up for each report.
    listed_max: usize,
}

/// The part of a count above [`HALF_MAX`], at least one.
#[derive(Clone, Copy)]
struct High {
    in_group: u16,
    above: u8,
}

/// Above [`HALF_MAX`] when a count is full.
const ABOVE_MAX: u8 = u8::MAX - HALF_MAX;

impl Counts {
    /// Creates `len` counts, an even number, all 0.
    pub(super) fn new(len: u64) -> Self {
        assert!(len.is_multiple_of(2) && len <= 1 << u32::BITS, "{len} counts");
        let groups = len.div_ceil(u64::from(GROUP)) as usize;
        Self {
            halves: vec![0; (len / 2) as usize].into_boxed_slice(),
            high: vec![Vec::new(); groups].into_boxed_slice(),
            listed_max: 0,
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.halves.len() as u64 * 2
    }

    pub(super) fn get(&self, number: u32) -> u8 {
        let half = self.half(number);
        if half < HALF_MAX {
            return half;
        }
        let high = &self.high[group_of(number)];
        HALF_MAX + find(high, number).map_or(0, |at| high[at].above)
    }

    /// Increments a count.
    pub(super) fn add(&mut self, number: u32) {
        if self.half(number) < HALF_MAX {
            self.halves[number as usize / 2] += 1 << shift(number);
            return;
        }
        let high = &mut self.high[group_of(number)];
        match find(high, number) {
            Ok(at) => high[at].above = (high[at].above + 1).min(ABOVE_MAX),
            Err(at) => {
                let before = high.capacity();
                high.insert(at, High { in_group: in_group(number), above: 1 });
                self.listed_max += high.capacity() - before;
            }
        }
    }

    /// Decrements a count, unless it is full: a full count stands for an unknown number. Returns false if it was 0.
    pub(super) fn remove(&mut self, number: u32) -> bool {
        let half = self.half(number);
        if half == HALF_MAX && self.remove_high(number) {
            return true;
        }
        if half > 0 {
            self.halves[number as usize / 2] -= 1 << shift(number);
        }
        half > 0
    }

    /// Returns the bytes of RAM taken.
    pub(super) fn bytes(&self) -> u64 {
        (self.halves.len() + size_of_val(&*self.high) + self.listed_max * size_of::<High>()) as u64
    }

    /// Decrements the part of a count above half a byte, unless it is full. Returns true if there is one.
    fn remove_high(&mut self, number: u32) -> bool {
        let high = &mut self.high[group_of(number)];
        let Ok(at) = find(high, number) else { return false };
        match high[at].above {
            ABOVE_MAX => {}
            1 => {
                high.remove(at);
                let before = high.capacity();
                if high.len() < before / 4 {
                    high.shrink_to(high.len() * 2);
                    self.listed_max -= before - high.capacity();
                }
            }
            _ => high[at].above -= 1,
        }
        true
    }

    fn half(&self, number: u32) -> u8 {
        self.halves[number as usize / 2] >> shift(number) & HALF_MAX
    }
}

fn shift(number: u32) -> u32 {
    number % 2 * 4
}

fn group_of(number: u32) -> usize {
    (number / GROUP) as usize
}

fn in_group(number: u32) -> u16 {
    (number % GROUP) as u16
}

/// Returns the place of a count in the list of its group, or where it belongs.
fn find(high: &[High], number: u32) -> Result<usize, usize> {
    high.binary_search_by_key(&in_group(number), |high| high.in_group)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_are_as_those_of_a_byte_each(
            changes in prop::collection::vec((0_u32..6, 1..90_u32, any::<bool>()), 0..60),
            from in prop_oneof![Just(0), Just(GROUP - 3)],
        ) {
            let mut counts = Counts::new(u64::from(GROUP) + 6);
            let mut bytes = [0_u8; 6];
            for (number, times, adds) in changes {
                for _ in 0..times {
                    let byte = &mut bytes[number as usize];
                    let there = *byte > 0;
                    if adds {
                        *byte = byte.saturating_add(1);
                        counts.add(from + number);
                    } else {
                        *byte = if *byte == u8::MAX { u8::MAX } else { byte.saturating_sub(1) };
                        prop_assert_eq!(counts.remove(from + number), there);
                    }
                }
                prop_assert_eq!(std::array::from_fn(|number| counts.get(from + number as u32)), bytes);
            }
        }
    }

    #[test]
    fn high_counts_that_are_low_again_leave_nothing_behind() {
        let mut counts = Counts::new(10_000);
        let empty = counts.bytes();
        assert_eq!(empty, 5_000 + 3 * size_of::<Vec<High>>() as u64);
        for number in 0..10_000 {
            (0..20).for_each(|_| counts.add(number));
        }
        assert!((40_000..=empty + 80_000).contains(&counts.bytes()), "{} bytes", counts.bytes());
        assert_eq!(counts.listed_max, counts.high.iter().map(Vec::capacity).sum());
        for number in 0..10_000 {
            (0..20).for_each(|_| _ = counts.remove(number));
        }
        assert!(counts.bytes() <= empty + 3 * 16, "{} bytes", counts.bytes());
        assert_eq!(counts.listed_max, counts.high.iter().map(Vec::capacity).sum());
        assert!((0..10_000).all(|number| counts.get(number) == 0));
    }
}
