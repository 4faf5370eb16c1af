//! Belady's MIN: evicts the block whose next read is the latest; it has to know the future.
//!
//! No policy without a bypass has fewer read misses where all accesses read, or write whole blocks. With writes of parts of blocks, which
//! leave a block uncached, it is an estimate. It is no bound on misses of all accesses where some write: it keeps nothing for a write.
//!
//! L. A. Belady: A Study of Replacement Algorithms for a Virtual-Storage Computer. IBM Systems Journal 5(2), 1966.

use std::collections::BTreeSet;

use super::{Access, ReplacementPolicy};
use crate::rule::Effect;

/// No next use.
const NEVER: u32 = u32::MAX;

/// Returns for each access of all passes the next read of its block, as a count of accesses from the first one on. A block that is replaced
/// before it is read has no next use. Accesses without an effect are reads.
pub fn next_uses(accesses: &[u32], effects: &[Effect], blocks: u32, passes: u32) -> Vec<u32> {
    let mut seen = vec![NEVER; blocks as usize];
    let mut next = vec![NEVER; accesses.len() * passes as usize];
    for at in (0..next.len()).rev() {
        let in_pass = at % accesses.len();
        let seen = &mut seen[accesses[in_pass] as usize];
        next[at] = *seen;
        match effects.get(in_pass).copied().unwrap_or_default() {
            Effect::Reads => *seen = at as u32,
            Effect::Replaces => *seen = NEVER,
            Effect::Patches => {}
        }
    }
    next
}

/// Policy with the fewest possible read misses if every missed block enters.
pub struct Belady<'a> {
    capacity: usize,
    next_uses: &'a [u32],
    /// Number of accesses so far.
    now: usize,
    /// Next read of each block; none if it is not cached.
    cached: Vec<Option<u32>>,
    /// Next uses of cached blocks, with the blocks.
    queue: BTreeSet<(u32, u32)>,
}

impl<'a> Belady<'a> {
    /// Creates an empty cache of `capacity` blocks with numbers below `blocks`, for the accesses passed to [`next_uses`].
    pub fn new(capacity: usize, blocks: u32, next_uses: &'a [u32]) -> Self {
        let cached = vec![None; blocks as usize];
        Self { capacity, next_uses, now: 0, cached, queue: BTreeSet::new() }
    }

    /// Removes a block, if it is cached.
    fn remove(&mut self, block: u32) -> bool {
        let next = self.cached[block as usize].take();
        next.is_some_and(|next| self.queue.remove(&(next, block)))
    }
}

impl ReplacementPolicy for Belady<'_> {
    fn access(&mut self, block: u32) -> Access {
        let next = self.next_uses[self.now];
        self.now += 1;
        let is_hit = self.remove(block);
        if !is_hit
            && self.len() == self.capacity
            && let Some((_, last)) = self.queue.pop_last()
        {
            self.cached[last as usize] = None;
        }
        self.cached[block as usize] = Some(next);
        self.queue.insert((next, block));
        if is_hit { Access::Hit } else { Access::Miss }
    }

    fn holds(&self, block: u32) -> bool {
        self.cached[block as usize].is_some()
    }

    fn invalidate(&mut self, block: u32) {
        self.now += 1;
        self.remove(block);
    }

    fn len(&self) -> usize {
        self.queue.len()
    }
}
