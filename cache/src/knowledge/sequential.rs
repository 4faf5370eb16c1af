//! Sequential runs among misses. A run longer than the cutoff goes past the cache: a spinning array serves it well,
//! and it would wash out what is used again.

use block::ByteRange;

use crate::words::limits::STREAMS_MAX;

/// Watches the misses of one direction of one disk.
#[derive(Default)]
pub(crate) struct Sequential {
    /// Where each stream goes on, apart from the rest: each miss looks at all of them.
    nexts: Vec<u64>,
    lengths: Vec<u64>,
    /// The streams, from the one that was used longest ago to the last one.
    by_use: Vec<u8>,
}

const _: () = assert!(STREAMS_MAX <= u8::MAX as usize, "a stream has a number of eight bits");

impl Sequential {
    /// The length in bytes of the run that a miss from `start` on would go on with; 0 if there is none.
    pub(crate) fn length_before(&self, start: u64) -> u64 {
        self.nexts.iter().position(|next| *next == start).map_or(0, |stream| self.lengths[stream])
    }

    /// Notes a miss and returns the length in bytes of the run that it belongs to, itself included.
    pub(crate) fn run_length(&mut self, miss: &ByteRange) -> u64 {
        if let Some(stream) = self.nexts.iter().position(|next| *next == miss.start) {
            let place = self.by_use.iter().position(|other| usize::from(*other) == stream);
            self.by_use[place.expect("each stream has a place")..].rotate_left(1);
            self.nexts[stream] = miss.end;
            self.lengths[stream] += miss.len();
            return self.lengths[stream];
        }
        if self.nexts.len() < STREAMS_MAX {
            self.by_use.push(self.nexts.len() as u8);
            self.nexts.push(miss.end);
            self.lengths.push(miss.len());
        } else {
            let oldest = usize::from(self.by_use[0]);
            self.by_use.rotate_left(1);
            (self.nexts[oldest], self.lengths[oldest]) = (miss.end, miss.len());
        }
        miss.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_followed_among_others_and_random_misses_are_none() {
        let mut sequential = Sequential::default();
        for step in 0..16u64 {
            for run in 0..8u64 {
                let start = run * (1 << 30) + step * 4096;
                assert_eq!(sequential.run_length(&ByteRange::at(start, 4096)), (step + 1) * 4096);
            }
            let random = (step * 7919 % 100 + 20_000) << 30;
            assert_eq!(sequential.run_length(&ByteRange::at(random, 8192)), 8192);
        }
    }

    #[test]
    fn of_runs_that_meet_the_one_with_the_lower_number_goes_on_and_all_is_as_in_a_plain_list() {
        let mut sequential = Sequential::default();
        // Where each goes on, its length, when it was used.
        let mut plain: Vec<(u64, u64, u64)> = Vec::new();
        for at in 0..20_000_u64 {
            let drawn = crate::knowledge::hash::hash(at);
            let start = drawn % 90 * 4096;
            let miss = ByteRange::at(start, (drawn >> 32) % 4 * 4096 + 4096);
            let expected = if let Some(run) = plain.iter_mut().find(|(next, ..)| *next == start) {
                *run = (miss.end, run.1 + miss.len(), at);
                run.1
            } else {
                let fresh = (miss.end, miss.len(), at);
                if plain.len() < STREAMS_MAX {
                    plain.push(fresh);
                } else if let Some(oldest) = plain.iter_mut().min_by_key(|(.., used)| *used) {
                    *oldest = fresh;
                }
                miss.len()
            };
            assert_eq!(sequential.run_length(&miss), expected, "miss {at}");
        }
    }

    #[test]
    fn the_run_extended_longest_ago_is_forgotten() {
        let mut sequential = Sequential::default();
        for run in 0..=STREAMS_MAX as u64 {
            sequential.run_length(&ByteRange::at(run << 30, 4096));
        }
        assert_eq!(sequential.run_length(&ByteRange::at(4096, 4096)), 4096);
        assert_eq!(sequential.run_length(&ByteRange::at((2 << 30) + 4096, 4096)), 8192);
    }
}
