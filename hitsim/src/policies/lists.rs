//! Doubly linked lists of blocks, all in one table, which most policies use.
//!
//! A block is in at most one list of a table, and moves between them in constant time. Nothing is allocated after the creation.

/// List of a [`Lists`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListId(pub(super) u8);

/// Number of no block.
const NONE: u32 = u32::MAX;
const NOWHERE: u8 = u8::MAX;

pub(super) struct Lists {
    places: Vec<Place>,
    ends: Vec<Ends>,
    /// Number of lists of cached blocks, which are the first ones.
    cached: u8,
}

#[derive(Clone, Copy)]
struct Place {
    /// Neighbour towards the front.
    newer: u32,
    older: u32,
    list: u8,
}

#[derive(Clone, Copy)]
struct Ends {
    front: u32,
    back: u32,
    len: usize,
}

impl Lists {
    /// Creates empty lists: `cached` of cached blocks, then `remembered` of ghosts, with numbers below `blocks`.
    pub(super) fn new(blocks: u32, cached: u8, remembered: u8) -> Self {
        let nowhere = Place { newer: NONE, older: NONE, list: NOWHERE };
        let empty = Ends { front: NONE, back: NONE, len: 0 };
        let ends = vec![empty; usize::from(cached + remembered)];
        Self { places: vec![nowhere; blocks as usize], ends, cached }
    }

    /// Returns true if a block is in a list of cached blocks.
    pub(super) fn holds(&self, block: u32) -> bool {
        self.places[block as usize].list < self.cached
    }

    /// Returns the number of blocks in lists of cached blocks.
    pub(super) fn cached(&self) -> usize {
        self.ends[..usize::from(self.cached)].iter().map(|ends| ends.len).sum()
    }

    /// Removes a block if it is cached; a ghost stays.
    pub(super) fn invalidate(&mut self, block: u32) {
        if self.holds(block) {
            self.remove(block);
        }
    }

    /// Returns the list of a block.
    pub(super) fn list_of(&self, block: u32) -> Option<ListId> {
        let list = self.places[block as usize].list;
        (list != NOWHERE).then_some(ListId(list))
    }

    pub(super) fn is_in(&self, list: ListId, block: u32) -> bool {
        self.places[block as usize].list == list.0
    }

    pub(super) fn len(&self, list: ListId) -> usize {
        self.ends[usize::from(list.0)].len
    }

    pub(super) fn back(&self, list: ListId) -> Option<u32> {
        known(self.ends[usize::from(list.0)].back)
    }

    /// Returns the neighbour of a block towards the front.
    pub(super) fn newer(&self, block: u32) -> Option<u32> {
        known(self.places[block as usize].newer)
    }

    /// Moves a block to the front of a list, from any list or none.
    pub(super) fn put_first(&mut self, list: ListId, block: u32) {
        self.remove(block);
        let ends = &mut self.ends[usize::from(list.0)];
        let second = std::mem::replace(&mut ends.front, block);
        ends.len += 1;
        if second == NONE {
            ends.back = block;
        } else {
            self.places[second as usize].newer = block;
        }
        self.places[block as usize] = Place { newer: NONE, older: second, list: list.0 };
    }

    /// Removes a block from its list, if it is in one.
    pub(super) fn remove(&mut self, block: u32) {
        let Place { newer, older, list } = self.places[block as usize];
        if list == NOWHERE {
            return;
        }
        let ends = &mut self.ends[usize::from(list)];
        ends.len -= 1;
        if newer == NONE {
            ends.front = older;
        }
        if older == NONE {
            ends.back = newer;
        }
        if newer != NONE {
            self.places[newer as usize].older = older;
        }
        if older != NONE {
            self.places[older as usize].newer = newer;
        }
        self.places[block as usize].list = NOWHERE;
    }

    /// Removes the last block of a list.
    pub(super) fn pop_back(&mut self, list: ListId) -> Option<u32> {
        let block = self.back(list)?;
        self.remove(block);
        Some(block)
    }
}

fn known(block: u32) -> Option<u32> {
    (block != NONE).then_some(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_move_between_lists_and_leave_in_order() {
        let (a, b) = (ListId(0), ListId(1));
        let mut lists = Lists::new(5, 2, 0);
        (0..5).for_each(|block| lists.put_first(a, block));
        lists.put_first(a, 1);
        lists.put_first(b, 3);
        lists.remove(2);
        lists.remove(2);
        assert_eq!((lists.len(a), lists.len(b), lists.list_of(2)), (3, 1, None));
        assert_eq!(lists.newer(0), Some(4));
        let all: Vec<u32> = std::iter::from_fn(|| lists.pop_back(a)).collect();
        assert_eq!(all, [0, 4, 1]);
        assert!(lists.is_in(b, 3));
        assert_eq!(lists.pop_back(b), Some(3));
        assert_eq!(lists.pop_back(b), None);
    }

    #[test]
    fn blocks_of_the_first_lists_are_cached_and_the_others_remembered() {
        let (one, other, remembered) = (ListId(0), ListId(1), ListId(2));
        let mut lists = Lists::new(5, 2, 1);
        for (list, block) in [(one, 0), (other, 1), (remembered, 2)] {
            lists.put_first(list, block);
        }
        assert_eq!([0, 1, 2, 3].map(|block| lists.holds(block)), [true, true, false, false]);
        assert_eq!(lists.cached(), 2);
        (0..4).for_each(|block| lists.invalidate(block));
        assert_eq!((lists.cached(), lists.list_of(2)), (0, Some(remembered)));
    }
}
