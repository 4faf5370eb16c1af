//! Many counts of which few are high: half a byte for each, and eight bytes more where it is 15 or higher.

use hashbrown::HashTable;

use super::hash::hash;

/// The highest count of half a byte. A place that has it is among those that may be higher.
const HALF_MAX: u8 = 15;
/// Those that have been higher are let go of in memory when so few are left.
const KEPT_PART: usize = 8;

/// Counts from 0 to 255 by their number. What reached 255 stays there.
pub(super) struct Counts {
    halves: Box<[u8]>,
    high: HashTable<High>,
}

/// What is above [`HALF_MAX`], at least one.
struct High {
    number: u32,
    above: u8,
}

/// Above [`HALF_MAX`] when a count is full.
const ABOVE_MAX: u8 = u8::MAX - HALF_MAX;

impl Counts {
    /// So many, an even number, all 0.
    pub(super) fn new(len: u64) -> Self {
        assert!(len.is_multiple_of(2) && len <= 1 << u32::BITS, "{len} counts");
        Self { halves: vec![0; (len / 2) as usize].into_boxed_slice(), high: HashTable::new() }
    }

    pub(super) fn len(&self) -> u64 {
        self.halves.len() as u64 * 2
    }

    pub(super) fn get(&self, number: u32) -> u8 {
        match self.half(number) {
            HALF_MAX => HALF_MAX + self.high.find(hashed(number), is_of(number)).map_or(0, |high| high.above),
            half => half,
        }
    }

    /// One more.
    pub(super) fn add(&mut self, number: u32) {
        if self.half(number) < HALF_MAX {
            self.halves[number as usize / 2] += 1 << shift(number);
            return;
        }
        let entry = self.high.entry(hashed(number), is_of(number), |high| hashed(high.number));
        let mut high = entry.or_insert(High { number, above: 0 });
        let above = &mut high.get_mut().above;
        *above = (*above + 1).min(ABOVE_MAX);
    }

    /// One less, unless it is full: how many that stands for is not known. Says whether there was one.
    pub(super) fn remove(&mut self, number: u32) -> bool {
        let half = self.half(number);
        if half == HALF_MAX
            && let Ok(mut high) = self.high.find_entry(hashed(number), is_of(number))
        {
            match high.get().above {
                ABOVE_MAX => {}
                1 => _ = high.remove(),
                _ => high.get_mut().above -= 1,
            }
            self.let_go();
        } else if half > 0 {
            self.halves[number as usize / 2] -= 1 << shift(number);
        }
        half > 0
    }

    /// Bytes of RAM taken.
    pub(super) fn bytes(&self) -> u64 {
        (self.halves.len() + self.high.allocation_size()) as u64
    }

    fn half(&self, number: u32) -> u8 {
        self.halves[number as usize / 2] >> shift(number) & HALF_MAX
    }

    fn let_go(&mut self) {
        if self.high.len() < self.high.capacity() / KEPT_PART {
            self.high.shrink_to(self.high.len() * 2, |high| hashed(high.number));
        }
    }
}

fn shift(number: u32) -> u32 {
    number % 2 * 4
}

fn hashed(number: u32) -> u64 {
    hash(u64::from(number))
}

fn is_of(number: u32) -> impl Fn(&High) -> bool {
    move |high| high.number == number
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn counts_are_as_those_of_a_byte_each(changes in prop::collection::vec((0_u32..6, 1..90_u32, any::<bool>()), 0..60)) {
            let mut counts = Counts::new(6);
            let mut bytes = [0_u8; 6];
            for (number, times, adds) in changes {
                for _ in 0..times {
                    let byte = &mut bytes[number as usize];
                    let there = *byte > 0;
                    if adds {
                        *byte = byte.saturating_add(1);
                        counts.add(number);
                    } else {
                        *byte = if *byte == u8::MAX { u8::MAX } else { byte.saturating_sub(1) };
                        prop_assert_eq!(counts.remove(number), there);
                    }
                }
                prop_assert_eq!(std::array::from_fn(|number| counts.get(number as u32)), bytes);
            }
        }
    }

    #[test]
    fn high_counts_that_are_low_again_leave_nothing_behind() {
        let mut counts = Counts::new(10_000);
        let empty = counts.bytes();
        assert_eq!(empty, 5_000);
        for number in 0..10_000 {
            (0..20).for_each(|_| counts.add(number));
        }
        assert!(counts.bytes() > 16 * 5_000);
        for number in 0..10_000 {
            (0..20).for_each(|_| _ = counts.remove(number));
        }
        assert!(counts.bytes() <= empty + 100, "{} bytes", counts.bytes());
        assert!((0..10_000).all(|number| counts.get(number) == 0));
    }
}
