//! Counters and latencies of each request of a cached disk, recorded when it ends.

use block::{ByteRange, Host};

use super::disk::CachedDisk;
use crate::ops::read::Answer;
use crate::state::curve::Use;
use crate::state::read_balance::ReadSource;
use crate::types::env::Env;
use crate::types::stats::{Latency, count};
use crate::types::units::SECOND_NS;

/// Start and end of a request, by the clock of the shard: nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestTimes {
    /// Time of arrival.
    pub came: u64,
    /// Time of the answer or failure.
    pub ended: u64,
}

/// Returns the latency that a read counts for.
pub(super) fn latency_of(answer: Answer) -> Latency {
    match answer {
        Answer::Ram | Answer::Zeroes => Latency::ReadHitRam,
        Answer::Flash | Answer::Balanced => Latency::ReadHitFlash,
        Answer::Partial | Answer::Miss | Answer::Bypass => Latency::ReadMiss,
    }
}

impl<E: Env> CachedDisk<E> {
    /// Counts a read that was answered at about `now`, but for how long it took.
    pub(super) fn count_read(&self, range: &ByteRange, answer: Answer, now: u64) {
        let counters = &self.ctx.cache.counters;
        let counter = match answer {
            Answer::Ram | Answer::Zeroes => &counters.read_hits_ram,
            Answer::Flash | Answer::Balanced => &counters.read_hits_flash,
            Answer::Partial => &counters.read_partial_hits,
            Answer::Miss => &counters.read_misses,
            Answer::Bypass => &counters.reads_bypassed,
        };
        count(&counters.reads_balanced, u64::from(answer == Answer::Balanced));
        count(&counters.reads, 1);
        count(&counters.read_bytes, range.len());
        count(counter, 1);
        self.ctx.cache.requests.reads.succeed(range.len());
        let mode = self.ctx.cache.settings.borrow().mode.row();
        // In pass-through all requests bypass the cache, and the curve predicts what a cache would do.
        match answer {
            Answer::Bypass if mode.reads_hit => self.ctx.cache.curve.borrow_mut().pass_by(),
            // No cache has to be larger for it.
            Answer::Zeroes => {}
            _ => self.ctx.cache.curve.borrow_mut().observe(range, Use::Read, now),
        }
        self.note_active(now);
    }

    /// Records how long a read took that flash answered, or the backing.
    pub(super) fn balance_reads(
        &self,
        range: &ByteRange,
        answer: Answer,
        RequestTimes { came, ended }: RequestTimes,
    ) {
        let source = match answer {
            Answer::Flash => ReadSource::Flash,
            Answer::Miss | Answer::Bypass | Answer::Balanced => ReadSource::Backing,
            Answer::Ram | Answer::Zeroes | Answer::Partial => return,
        };
        self.ctx.cache.read_balance.borrow_mut().measure(source, range.len(), ended - came, ended);
    }

    /// Counts a write that was answered, and returns the time.
    pub(super) fn count_write(&self, range: &ByteRange, started: u64) -> u64 {
        count(&self.ctx.cache.counters.writes, 1);
        count(&self.ctx.cache.counters.write_bytes, range.len());
        self.ctx.cache.requests.writes.succeed(range.len());
        let now = self.record(Latency::Write, started);
        self.note_active(now);
        now
    }

    /// Records the latency of a request that ends now, and returns the current time.
    pub(super) fn record(&self, what: Latency, started: u64) -> u64 {
        let RequestTimes { came, ended } = self.end(started);
        self.ctx.cache.latencies.record(what, ended - came);
        ended
    }

    /// Records that a request that arrived at `started` ends now, successful or not.
    pub(super) fn end(&self, started: u64) -> RequestTimes {
        let times = RequestTimes { came: started, ended: self.ctx.cache.pool.host.now() };
        self.measured.set(times);
        times
    }

    /// Counts each second of the clock once.
    fn note_active(&self, now: u64) {
        if now >= self.active_until.get() {
            self.active_until.set((now / SECOND_NS + 1) * SECOND_NS);
            count(&self.ctx.cache.counters.active_seconds, 1);
        }
    }
}
