//! Sequential runs among misses. A run longer than the cutoff goes past the cache: a spinning array serves it well,
//! and it would wash out what is used again.

use block::ByteRange;

use crate::words::limits::STREAMS_MAX;

/// Watches the misses of one direction of one disk.
#[derive(Default)]
pub(crate) struct Sequential {
    streams: Vec<Stream>,
    clock: u64,
}

struct Stream {
    next: u64,
    length: u64,
    used: u64,
}

impl Sequential {
    /// Notes a miss and returns the length in bytes of the run that it belongs to, itself included.
    pub(crate) fn run_length(&mut self, miss: &ByteRange) -> u64 {
        self.clock += 1;
        let clock = self.clock;
        if let Some(stream) = self.streams.iter_mut().find(|stream| stream.next == miss.start) {
            *stream = Stream { next: miss.end, length: stream.length + miss.len(), used: clock };
            return stream.length;
        }
        let fresh = Stream { next: miss.end, length: miss.len(), used: clock };
        if self.streams.len() < STREAMS_MAX {
            self.streams.push(fresh);
        } else if let Some(oldest) = self.streams.iter_mut().min_by_key(|stream| stream.used) {
            *oldest = fresh;
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
    fn the_run_extended_longest_ago_is_forgotten() {
        let mut sequential = Sequential::default();
        for run in 0..=STREAMS_MAX as u64 {
            sequential.run_length(&ByteRange::at(run << 30, 4096));
        }
        assert_eq!(sequential.run_length(&ByteRange::at(4096, 4096)), 4096);
        assert_eq!(sequential.run_length(&ByteRange::at((2 << 30) + 4096, 4096)), 8192);
    }
}
