//! Sequential runs among misses. A run longer than the cutoff bypasses the cache: a spinning array serves it well, and it would evict
//! blocks that are used again.

use block::ByteRange;

use crate::types::limits::STREAMS_MAX;
use crate::types::settings::SequentialCutoff;

/// Watches the misses of one direction of one disk.
#[derive(Default)]
pub(crate) struct Sequential {
    /// Address at which each stream would continue, apart from the rest: each miss compares all of them.
    nexts: Vec<u64>,
    lengths: Vec<u64>,
    /// The streams, from the one that was used longest ago to the last one.
    by_use: Vec<u8>,
    /// Those that go on with a long run, a bit each.
    long: u32,
}

/// Length in bytes from which on a run is long.
const LONG_BYTES: u64 = SequentialCutoff::AUTO_BYTES;

const _: () = assert!(STREAMS_MAX <= u32::BITS as usize, "a stream has a bit");

impl Sequential {
    /// Returns true if a miss from `start` on would continue a run of [`LONG_BYTES`] or more. Called for each read: it compares only long
    /// runs, and mostly there is none.
    pub(crate) fn goes_on_long(&self, start: u64) -> bool {
        self.long != 0
            && self.nexts.iter().zip(0..).any(|(next, stream)| *next == start && self.long >> stream & 1 != 0)
    }

    /// Records a miss and returns the length in bytes of the run that it belongs to, itself included.
    pub(crate) fn run_length(&mut self, miss: &ByteRange) -> u64 {
        if let Some(stream) = self.nexts.iter().position(|next| *next == miss.start) {
            let place = self.by_use.iter().position(|other| usize::from(*other) == stream);
            self.by_use[place.expect("each stream has a place")..].rotate_left(1);
            self.nexts[stream] = miss.end;
            self.lengths[stream] += miss.len();
            self.long |= u32::from(self.lengths[stream] >= LONG_BYTES) << stream;
            return self.lengths[stream];
        }
        if self.nexts.len() < STREAMS_MAX {
            self.by_use.push(self.nexts.len() as u8);
            self.nexts.push(miss.end);
            self.lengths.push(miss.len());
        } else {
            let oldest = usize::from(self.by_use[0]);
            self.by_use.rotate_left(1);
            self.long &= !(1 << oldest);
            (self.nexts[oldest], self.lengths[oldest]) = (miss.end, miss.len());
        }
        miss.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_long_from_its_first_miss_beyond_a_limit_until_it_is_forgotten() {
        let mut sequential = Sequential::default();
        let goes_on_long = |sequential: &Sequential| {
            [0, LONG_BYTES - 1, LONG_BYTES].map(|start| sequential.goes_on_long(start))
        };
        sequential.run_length(&ByteRange::at(0, LONG_BYTES - 4096));
        assert!(!sequential.goes_on_long(LONG_BYTES - 4096), "one page short of it");
        sequential.run_length(&ByteRange::at(LONG_BYTES - 4096, 4096));
        assert_eq!(goes_on_long(&sequential), [false, false, true]);
        let others =
            |range: std::ops::Range<usize>| range.map(|run| ByteRange::at((run as u64 + 1) << 30, 4096));
        others(1..STREAMS_MAX).for_each(|miss| _ = sequential.run_length(&miss));
        assert_eq!(goes_on_long(&sequential), [false, false, true], "each stream has its place");
        others(STREAMS_MAX..STREAMS_MAX + 1).for_each(|miss| _ = sequential.run_length(&miss));
        assert_eq!(goes_on_long(&sequential), [false; 3], "one too many");
        let last = others(STREAMS_MAX..STREAMS_MAX + 1).next().expect("one");
        assert!(!sequential.goes_on_long(last.end), "what came in its place is short");
    }

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
            let drawn = crate::state::hash::hash(at);
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
