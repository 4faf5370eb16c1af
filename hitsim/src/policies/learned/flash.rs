//! The flash of the learned policy: a log of segments that are written front to back and reclaimed as a whole. What is promoted and
//! what stays when a segment is reclaimed go to segments of their own: the ones are young and die early, the others are old.

use super::Dice;

/// Segments that flash has at least, if it has room for so many blocks.
const SEGMENTS: usize = 512;
const SEGMENT_BLOCKS_MAX: usize = 256;
/// Segments that are kept free: one for each kind of what is written.
const FREE_MIN: usize = 2;
/// Segments of which one is chosen to be reclaimed, and blocks of each that are looked at.
const CANDIDATES: usize = 16;
const LOOKS: usize = 32;

const NOWHERE: u32 = u32::MAX;

/// Why a block is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Promotion,
    Survivor,
}

/// Which blocks are where.
pub(super) struct Flash {
    segment_blocks: usize,
    /// By place: the block that was written there. What has moved since is still named.
    blocks: Vec<u32>,
    /// By block.
    places: Vec<u32>,
    free: Vec<usize>,
    sealed: Vec<usize>,
    /// For each stream the segment, and how much of it is written.
    open: [Option<(usize, usize)>; 2],
    len: usize,
}

impl Flash {
    pub(super) fn new(capacity: usize, blocks: u32) -> Self {
        let segment_blocks = (capacity / SEGMENTS).clamp(1, SEGMENT_BLOCKS_MAX);
        let segments = capacity / segment_blocks;
        Self {
            segment_blocks,
            blocks: vec![NOWHERE; segments * segment_blocks],
            places: vec![NOWHERE; blocks as usize],
            free: (0..segments).collect(),
            sealed: Vec::new(),
            open: [None; 2],
            len: 0,
        }
    }

    pub(super) fn has(&self, block: u32) -> bool {
        self.places[block as usize] != NOWHERE
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn segment_blocks(&self) -> usize {
        self.segment_blocks
    }

    /// True if a segment has to be reclaimed before another block is promoted, and there is one.
    pub(super) fn wants_room(&self) -> bool {
        !self.has_open(Stream::Promotion) && self.free.len() <= FREE_MIN && !self.sealed.is_empty()
    }

    /// Writes a block that is not there. Says whether there was room.
    pub(super) fn append(&mut self, block: u32, stream: Stream) -> bool {
        if !self.has_open(stream) {
            let Some(segment) = self.free.pop() else { return false };
            if let Some((full, _)) = self.open[stream as usize].replace((segment, 0)) {
                self.sealed.push(full);
            }
        }
        let Some((segment, written)) = &mut self.open[stream as usize] else { return false };
        let place = *segment * self.segment_blocks + *written;
        *written += 1;
        self.blocks[place] = block;
        self.places[block as usize] = place as u32;
        self.len += 1;
        true
    }

    /// Some block that is there, or none if the place that was drawn has none.
    pub(super) fn draw(&self, dice: &mut Dice) -> Option<u32> {
        if self.blocks.is_empty() { None } else { self.block_at(dice.below(self.blocks.len())) }
    }

    /// Takes the blocks out of the segment that costs least, by the mean cost of some of its blocks; a place without one costs
    /// nothing. The segment is free then.
    pub(super) fn reclaim(&mut self, dice: &mut Dice, cost: impl Fn(u32) -> f32) -> Vec<u32> {
        let mut cheapest = (f32::INFINITY, 0);
        for _ in 0..CANDIDATES {
            let candidate = dice.below(self.sealed.len());
            let first = self.sealed[candidate] * self.segment_blocks;
            let looks = LOOKS.min(self.segment_blocks);
            let cost_of_one = |look: usize| {
                let within =
                    if looks == self.segment_blocks { look } else { dice.below(self.segment_blocks) };
                self.block_at(first + within).map_or(0.0, &cost)
            };
            #[expect(clippy::cast_precision_loss, reason = "a small number")]
            let mean = (0..looks).map(cost_of_one).sum::<f32>() / looks as f32;
            if mean < cheapest.0 {
                cheapest = (mean, candidate);
            }
        }
        let segment = self.sealed.swap_remove(cheapest.1);
        let places = segment * self.segment_blocks..(segment + 1) * self.segment_blocks;
        let blocks: Vec<u32> = places.filter_map(|place| self.block_at(place)).collect();
        for block in &blocks {
            self.places[*block as usize] = NOWHERE;
        }
        self.len -= blocks.len();
        self.free.push(segment);
        blocks
    }

    fn has_open(&self, stream: Stream) -> bool {
        self.open[stream as usize].is_some_and(|(_, written)| written < self.segment_blocks)
    }

    fn block_at(&self, place: usize) -> Option<u32> {
        let block = self.blocks[place];
        (block != NOWHERE && self.places[block as usize] == place as u32).then_some(block)
    }
}
