//! Reference policies from papers, for comparison with the served one. Each has a file of its own, and works on numbers of blocks alone;
//! none does any I/O, and none is part of the code that serves disks.
//!
//! Blocks are numbered densely from 0, by [`Workload::accesses`](crate::Workload::accesses), so that tables replace maps.

mod arc;
mod belady;
mod clock;
mod clock_two_q_plus;
mod fifo;
mod gl_cache;
mod lirs;
mod lists;
mod lru;
mod s3_fifo;
mod sieve;
#[cfg(test)]
mod tests;
mod two_q;
mod w_tinylfu;

use std::fmt;
use std::str::FromStr;

pub use arc::Arc;
pub use belady::{Belady, next_uses};
pub use clock::Clock;
pub use clock_two_q_plus::ClockTwoQPlus;
pub use fifo::Fifo;
pub use gl_cache::GlCache;
pub use lirs::Lirs;
pub use lru::Lru;
pub use s3_fifo::S3Fifo;
pub use sieve::Sieve;
pub use two_q::TwoQ;
pub use w_tinylfu::WTinyLfu;

/// Result of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The block was cached.
    Hit,
    /// The block was not cached, and is now.
    Miss,
}

/// Policy of a cache with a capacity in blocks.
///
/// Guarantees: a block that misses enters; there are never more blocks than the capacity. Accesses of [`Belady`] are the ones that it was
/// made for, each as [`Self::access`] or [`Self::invalidate`].
pub trait ReplacementPolicy {
    /// Accesses a block, which is below the number of blocks that the policy was made for.
    fn access(&mut self, block: u32) -> Access;

    /// Returns the number of blocks that are cached now.
    fn len(&self) -> usize;

    /// Returns true if a block is cached. Changes nothing.
    fn holds(&self, block: u32) -> bool;

    /// Records an access that leaves the block uncached, whether it was cached or not.
    fn invalidate(&mut self, block: u32);

    /// Returns true if nothing is cached.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Reference policies by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reference {
    /// First in, first out.
    Fifo,
    /// Least recently used.
    Lru,
    /// Second chance.
    Clock,
    /// See [`Arc`].
    Arc,
    /// See [`Lirs`].
    Lirs,
    /// See [`TwoQ`].
    TwoQ,
    /// See [`S3Fifo`].
    S3Fifo,
    /// See [`ClockTwoQPlus`].
    ClockTwoQPlus,
    /// See [`Sieve`].
    Sieve,
    /// See [`WTinyLfu`]; its window in hundredths of the cache.
    WTinyLfu(u8),
    /// See [`GlCache`].
    GlCache,
    /// See [`Belady`].
    Belady,
}

/// Window of W-TinyLFU that its authors recommend, in hundredths.
const WINDOW_PERCENT: u8 = 1;

impl Reference {
    /// All of them; of W-TinyLFU the two windows that are compared most.
    pub const ALL: [Self; 13] = [
        Self::Fifo,
        Self::Lru,
        Self::Clock,
        Self::Arc,
        Self::Lirs,
        Self::TwoQ,
        Self::S3Fifo,
        Self::ClockTwoQPlus,
        Self::Sieve,
        Self::WTinyLfu(WINDOW_PERCENT),
        Self::WTinyLfu(20),
        Self::GlCache,
        Self::Belady,
    ];

    /// Creates an empty cache of `capacity` blocks for the accesses that follow, to blocks below `blocks`. Only Belady has to know them
    /// before.
    ///
    /// # Panics
    /// If the capacity is 0.
    pub fn make<'a>(
        self,
        capacity: usize,
        blocks: u32,
        next_uses: &'a [u32],
    ) -> Box<dyn ReplacementPolicy + 'a> {
        assert!(capacity > 0, "a cache holds at least one block");
        match self {
            Self::Fifo => Box::new(Fifo::new(capacity, blocks)),
            Self::Lru => Box::new(Lru::new(capacity, blocks)),
            Self::Clock => Box::new(Clock::new(capacity, blocks)),
            Self::Arc => Box::new(Arc::new(capacity, blocks)),
            Self::Lirs => Box::new(Lirs::new(capacity, blocks)),
            Self::TwoQ => Box::new(TwoQ::new(capacity, blocks)),
            Self::S3Fifo => Box::new(S3Fifo::new(capacity, blocks)),
            Self::ClockTwoQPlus => Box::new(ClockTwoQPlus::new(capacity, blocks)),
            Self::Sieve => Box::new(Sieve::new(capacity, blocks)),
            Self::WTinyLfu(window) => Box::new(WTinyLfu::new(capacity, blocks, window)),
            Self::GlCache => Box::new(GlCache::new(capacity, blocks)),
            Self::Belady => Box::new(Belady::new(capacity, blocks, next_uses)),
        }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fifo => "fifo",
            Self::Lru => "lru",
            Self::Clock => "clock",
            Self::Arc => "arc",
            Self::Lirs => "lirs",
            Self::TwoQ => "2q",
            Self::S3Fifo => "s3-fifo",
            Self::ClockTwoQPlus => "clock2q+",
            Self::Sieve => "sieve",
            Self::WTinyLfu(window) => return write!(f, "w-tinylfu:{window}"),
            Self::GlCache => "gl-cache",
            Self::Belady => "belady",
        })
    }
}

impl FromStr for Reference {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(known) = Self::ALL.into_iter().find(|known| known.to_string() == text) {
            return Ok(known);
        }
        if text == "w-tinylfu" {
            return Ok(Self::WTinyLfu(WINDOW_PERCENT));
        }
        let window = text.strip_prefix("w-tinylfu:").and_then(|window| window.parse().ok());
        match window {
            Some(window @ 1..=99) => Ok(Self::WTinyLfu(window)),
            _ => Err(format!(
                "Unknown policy '{text}': one of served, served:adaptive:hits, served:always, served:repeated:N, fifo, lru, clock, arc, \
                 lirs, 2q, s3-fifo, clock2q+, sieve, w-tinylfu:N with a window of N hundredths, gl-cache, belady"
            )),
        }
    }
}
