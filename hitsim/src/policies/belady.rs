//! Belady's MIN: what is used again last leaves. No policy without a bypass has fewer misses; it has to know the future.
//!
//! L. A. Belady: A Study of Replacement Algorithms for a Virtual-Storage Computer. IBM Systems Journal 5(2), 1966.

use std::collections::BinaryHeap;

use super::{Access, Policy};
use crate::rule::Effect;

/// Not used again.
const NEVER: u32 = u32::MAX;

/// For each access, when its block is read again: as a count of accesses from the first one on. A block that is replaced before it is
/// read has no next use. Accesses without an effect are reads.
pub fn next_uses(accesses: &[u32], effects: &[Effect], blocks: u32) -> Vec<u32> {
    let mut seen = vec![NEVER; blocks as usize];
    let mut next = vec![NEVER; accesses.len()];
    for (at, block) in accesses.iter().enumerate().rev() {
        let seen = &mut seen[*block as usize];
        next[at] = *seen;
        match effects.get(at).copied().unwrap_or_default() {
            Effect::Reads => *seen = at as u32,
            Effect::Replaces => *seen = NEVER,
            Effect::Patches => {}
        }
    }
    next
}

/// The best that is possible if what misses has to enter.
pub struct Belady<'a> {
    capacity: usize,
    next_uses: &'a [u32],
    /// Accesses so far.
    now: usize,
    /// Of each block when it is used again; none if it is not cached.
    cached: Vec<Option<u32>>,
    len: usize,
    /// Next uses with their blocks. Those that a later access replaced stay until they come to the top.
    heap: BinaryHeap<(u32, u32)>,
}

impl<'a> Belady<'a> {
    /// An empty cache of `capacity` blocks with numbers below `blocks`, for the accesses that [`next_uses`] was made of.
    pub fn new(capacity: usize, blocks: u32, next_uses: &'a [u32]) -> Self {
        let cached = vec![None; blocks as usize];
        Self { capacity, next_uses, now: 0, cached, len: 0, heap: BinaryHeap::new() }
    }

    fn evict(&mut self) {
        while let Some((next, block)) = self.heap.pop() {
            let slot = &mut self.cached[block as usize];
            if *slot == Some(next) {
                *slot = None;
                self.len -= 1;
                return;
            }
        }
    }
}

impl Policy for Belady<'_> {
    fn access(&mut self, block: u32) -> Access {
        let next = self.next_uses[self.now];
        self.now += 1;
        let hit = self.cached[block as usize].is_some();
        if !hit {
            if self.len == self.capacity {
                self.evict();
            }
            self.len += 1;
        }
        self.cached[block as usize] = Some(next);
        self.heap.push((next, block));
        // What was replaced would otherwise stay for as long as it is hot.
        if self.heap.len() > 4 * self.capacity + 64 {
            let cached = &self.cached;
            self.heap.retain(|(next, block)| cached[*block as usize] == Some(*next));
        }
        if hit { Access::Hit } else { Access::Miss }
    }

    fn holds(&self, block: u32) -> bool {
        self.cached[block as usize].is_some()
    }

    fn void(&mut self, block: u32) {
        self.now += 1;
        if self.cached[block as usize].take().is_some() {
            self.len -= 1;
        }
    }

    fn len(&self) -> usize {
        self.len
    }
}
