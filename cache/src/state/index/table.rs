//! A table of blocks by their number: entries of sixteen bytes and nothing beside them, with little room between.
//!
//! Robin Hood hashing (Celis, Larson and Munro, FOCS 1985): an entry lies at its home, the place that its hash selects, or behind it, and
//! entries further from home come first. So a search for an entry seldom visits more than a few places, even if nine of ten are taken. The
//! table is in parts, by hash. A part is rebuilt when more than 90 % of its places are taken, with 84 % taken then, and when less than 82 %
//! are, with 87 %: there is no pause in which all of millions of entries move, as when a table doubles, and no table that is half empty
//! after that.
//!
//! A guest that knows the places of blocks can choose blocks that fall into one cluster, where each search takes as long as the cluster:
//! hundreds of microseconds at a hundred thousand of them. So hashes are salted with a number unknown to guests.

use super::BlockSlot;
use crate::state::hash::hash;
use crate::state::learned::{Dice, History};

/// Value of a block in the table, in eight bytes.
pub(super) trait BlockValue: Copy {
    /// Value of an empty place.
    const NOTHING: Self;

    fn is_nothing(&self) -> bool;
}

/// Parts, as a power of two.
const PARTS_SHIFT: u32 = 6;
/// Parts of a table.
pub(crate) const PARTS: usize = 1 << PARTS_SHIFT;
/// Percentages of taken places: most and least, and after a rebuild because a part was full or empty.
const TAKEN_MAX: usize = 90;
const TAKEN_MIN: usize = 82;
const TAKEN_WHEN_GROWN: usize = 84;
const TAKEN_WHEN_SHRUNK: usize = 87;
/// Surplus places that are no reason to rebuild a part.
const SPARE: usize = 8;

/// A block, or an empty place.
#[derive(Clone, Copy)]
struct IndexEntry<S> {
    block: u32,
    history: History,
    value: S,
}

/// Blocks by their number.
pub(super) struct BlockTable<S> {
    parts: Box<[Part<S>]>,
    salt: u64,
    len: usize,
}

/// Those whose hashes begin with the same bits.
#[derive(Clone)]
struct Part<S> {
    places: Box<[IndexEntry<S>]>,
    salt: u64,
    len: usize,
}

impl<S: BlockValue> BlockTable<S> {
    const ENTRY_BYTES: () = assert!(size_of::<IndexEntry<S>>() == 16, "the memory budget counts on it");

    pub(super) fn new(salt: u64) -> Self {
        let () = Self::ENTRY_BYTES;
        let part = Part { places: Box::default(), salt, len: 0 };
        Self { parts: vec![part; PARTS].into_boxed_slice(), salt, len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the bytes of RAM taken, empty places included.
    pub(super) fn bytes(&self) -> u64 {
        let places = self.parts.iter().map(|part| size_of_val(&*part.places)).sum::<usize>();
        (places + size_of_val(&*self.parts)) as u64
    }

    pub(super) fn find(&self, block: u64) -> Option<BlockSlot> {
        let number = u32::try_from(block).ok()?;
        let mixed = mix(number, self.salt);
        let part = part_of(mixed);
        let place = self.parts[part].find(number, mixed)?;
        Some(BlockSlot { part: part as u32, place: place as u32 })
    }

    /// Returns the numbers of all blocks, in no order.
    pub(super) fn blocks(&self) -> impl Iterator<Item = u64> + '_ {
        let entries = self.parts.iter().flat_map(|part| &part.places).filter(|entry| !entry.is_empty());
        entries.map(|entry| u64::from(entry.block))
    }

    /// Returns the blocks of one part, by number, and how they were used.
    pub(super) fn histories(&self, part: usize) -> Vec<(u32, History)> {
        let entries = self.parts[part].places.iter().filter(|entry| !entry.is_empty());
        let mut histories: Vec<_> = entries.map(|entry| (entry.block, entry.history)).collect();
        histories.sort_unstable_by_key(|(block, _)| *block);
        histories
    }

    pub(super) fn block(&self, slot: BlockSlot) -> u32 {
        self.get(slot).block
    }

    pub(super) fn value(&self, slot: BlockSlot) -> S {
        self.get(slot).value
    }

    /// Replaces the value of a block. Returns the old one.
    pub(super) fn set_value(&mut self, slot: BlockSlot, value: S) -> S {
        assert!(!value.is_nothing(), "a block that is there has something");
        std::mem::replace(&mut self.get_mut(slot).value, value)
    }

    pub(super) fn history(&self, slot: BlockSlot) -> History {
        self.get(slot).history
    }

    pub(super) fn history_mut(&mut self, slot: BlockSlot) -> &mut History {
        &mut self.get_mut(slot).history
    }

    /// Enters a block that is not there.
    pub(super) fn insert(&mut self, block: u32, value: S) {
        assert!(!value.is_nothing(), "a block that is there has something");
        let entry = IndexEntry { block, history: History::default(), value };
        self.parts[part_of(mix(block, self.salt))].insert(entry);
        self.len += 1;
    }

    /// Takes a block out. Slots that were found before mean nothing any more.
    pub(super) fn remove(&mut self, slot: BlockSlot) -> S {
        let value = self.value(slot);
        self.parts[slot.part as usize].remove(slot.place as usize);
        self.len -= 1;
        value
    }

    /// Returns the history of a random block: the first at or behind a place that is drawn.
    pub(super) fn draw(&self, dice: &mut Dice) -> Option<History> {
        let part = &self.parts[dice.below(self.parts.len())];
        if part.len == 0 {
            return None;
        }
        let mut place = dice.below(part.places.len());
        while part.places[place].is_empty() {
            place = part.next(place);
        }
        Some(part.places[place].history)
    }

    fn get(&self, BlockSlot { part, place }: BlockSlot) -> &IndexEntry<S> {
        &self.parts[part as usize].places[place as usize]
    }

    fn get_mut(&mut self, BlockSlot { part, place }: BlockSlot) -> &mut IndexEntry<S> {
        &mut self.parts[part as usize].places[place as usize]
    }
}

fn mix(block: u32, salt: u64) -> u64 {
    hash(u64::from(block) ^ salt)
}

/// Returns the part of a hash, by its highest bits: homes are by others.
fn part_of(mixed: u64) -> usize {
    (mixed >> (u64::BITS - PARTS_SHIFT)) as usize
}

impl<S: BlockValue> IndexEntry<S> {
    fn nobody() -> Self {
        Self { block: 0, history: History::default(), value: S::NOTHING }
    }

    fn is_empty(&self) -> bool {
        self.value.is_nothing()
    }
}

impl<S: BlockValue> Part<S> {
    /// Returns the place of a block whose hash is `mixed`.
    fn find(&self, block: u32, mixed: u64) -> Option<usize> {
        if self.places.is_empty() {
            return None;
        }
        let (mut place, mut distance) = (self.home(mixed), 0);
        // It ends: there is always an empty place.
        loop {
            let entry = &self.places[place];
            if entry.is_empty() {
                return None;
            }
            if entry.block == block {
                return Some(place);
            }
            // It would be before this one.
            if self.distance(place) < distance {
                return None;
            }
            place = self.next(place);
            distance += 1;
        }
    }

    /// Enters a block that is not there.
    fn insert(&mut self, entry: IndexEntry<S>) {
        let entries = self.len + 1;
        if entries * 100 > self.places.len() * TAKEN_MAX {
            self.resize((entries * 100 / TAKEN_WHEN_GROWN).max(entries + SPARE / 2));
        }
        self.put(entry);
        self.len += 1;
    }

    /// Puts an entry where it belongs; from there on each goes one place further, up to the next empty one, which is returned.
    fn put(&mut self, entry: IndexEntry<S>) -> usize {
        let (mut place, mut distance) = (self.home(mix(entry.block, self.salt)), 0);
        while !self.places[place].is_empty() && self.distance(place) >= distance {
            place = self.next(place);
            distance += 1;
        }
        let mut moved = entry;
        loop {
            moved = std::mem::replace(&mut self.places[place], moved);
            if moved.is_empty() {
                return place;
            }
            place = self.next(place);
        }
    }

    /// Removes an entry; those behind it that are not at home move one place closer.
    fn remove(&mut self, place: usize) {
        let (mut hole, mut next) = (place, self.next(place));
        while !self.places[next].is_empty() && self.distance(next) > 0 {
            self.places[hole] = self.places[next];
            (hole, next) = (next, self.next(next));
        }
        self.places[hole] = IndexEntry::nobody();
        self.len -= 1;
        if self.len * 100 < self.places.len() * TAKEN_MIN && self.places.len() - self.len > SPARE {
            self.resize((self.len * 100 / TAKEN_WHEN_SHRUNK).max(self.len + SPARE / 2));
        }
    }

    /// Sets the number of places, more than entries.
    fn resize(&mut self, places: usize) {
        let empty = vec![IndexEntry::nobody(); places].into_boxed_slice();
        let before = std::mem::replace(&mut self.places, empty);
        // Behind an empty place homes follow each other but for those that were one; so most belong behind all that have been put so far.
        let start = before.iter().position(IndexEntry::is_empty).unwrap_or(0);
        let in_order = before[start..].iter().chain(&before[..start]).filter(|entry| !entry.is_empty());
        let (mut last_home, mut behind) = (0, 0);
        for entry in in_order {
            let home = self.home(mix(entry.block, self.salt));
            let place = home.max(behind);
            if home >= last_home && place < places {
                self.places[place] = *entry;
                (last_home, behind) = (home, place + 1);
            } else {
                behind = behind.max(self.put(*entry) + 1);
            }
        }
    }

    fn next(&self, place: usize) -> usize {
        if place + 1 == self.places.len() { 0 } else { place + 1 }
    }

    fn home(&self, mixed: u64) -> usize {
        let low = mixed & u64::from(u32::MAX);
        ((low * self.places.len() as u64) >> u32::BITS) as usize
    }

    /// Returns how far behind its home the entry at a place is.
    fn distance(&self, place: usize) -> usize {
        let home = self.home(mix(self.places[place].block, self.salt));
        if place >= home { place - home } else { place + self.places.len() - home }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::state::index::FlashLocation;
    use crate::types::units::FlashPage;

    const SALT: u64 = 0x5a17;

    /// Numbers by chance that repeat.
    fn chance(at: u64) -> u64 {
        hash(at ^ 0x5eed)
    }

    fn located(block: u32) -> FlashLocation {
        FlashLocation { flash: FlashPage(block | 1), checksum: !block }
    }

    /// Checks that every entry is as far from home as the one in front of it at least allows, and is found; and that nothing else is.
    fn check(table: &BlockTable<FlashLocation>, known: &BTreeMap<u32, u8>) {
        assert_eq!(table.len(), known.len());
        for part in &table.parts {
            let there = part.places.iter().filter(|entry| !entry.is_empty()).count();
            assert_eq!(there, part.len);
            assert!(part.places.is_empty() || there < part.places.len(), "an empty place ends each search");
            for (place, entry) in part.places.iter().enumerate().filter(|(_, entry)| !entry.is_empty()) {
                let before = if place == 0 { part.places.len() - 1 } else { place - 1 };
                let distance = part.distance(place);
                let allowed = if part.places[before].is_empty() { 0 } else { part.distance(before) + 1 };
                assert!(distance <= allowed, "block {} is {distance} from home", entry.block);
            }
        }
        for (&block, &heat) in known {
            let slot = table.find(block.into()).expect("it was entered");
            assert_eq!((table.value(slot), table.history(slot).heat()), (located(block), heat));
        }
    }

    #[test]
    fn whatever_comes_and_goes_is_found_as_in_a_plain_map_and_histories_stay_with_their_blocks() {
        let (mut table, mut known) = (BlockTable::<FlashLocation>::new(SALT), BTreeMap::new());
        // Grows, is exchanged, and shrinks to nothing.
        for (round, grows) in [(0, 9), (1, 7), (2, 5), (3, 5), (4, 2), (5, 0), (6, 0)] {
            for at in 0..12_000_u64 {
                let drawn = chance(round << 32 | at);
                let block = (drawn >> 40) as u32 % 30_000;
                match (table.find(block.into()), drawn % 10 < grows) {
                    (None, true) => {
                        table.insert(block, located(block));
                        known.insert(block, 0);
                    }
                    (Some(slot), true) => {
                        let history = table.history_mut(slot);
                        *history = history.warmer();
                        known.insert(block, history.heat());
                    }
                    (Some(slot), false) => {
                        assert_eq!(table.remove(slot), located(block));
                        assert!(known.remove(&block).is_some());
                    }
                    (None, false) => assert!(!known.contains_key(&block)),
                }
            }
            check(&table, &known);
            let mut blocks: Vec<u64> = table.blocks().collect();
            blocks.sort_unstable();
            assert!(blocks.into_iter().eq(known.keys().map(|block| u64::from(*block))));
        }
        for block in std::mem::take(&mut known).into_keys() {
            let slot = table.find(block.into()).expect("it was entered");
            table.remove(slot);
        }
        check(&table, &known);
        assert!(table.bytes() <= 64 * (32 + 8 * 16), "what is empty takes next to nothing");
    }

    #[test]
    fn blocks_with_one_home_and_the_end_of_a_part_are_no_trouble() {
        let mut part = Part { places: Box::default(), salt: SALT, len: 0 };
        part.resize(64);
        // The last homes of the part, so that entries go on at its beginning; and then all again in another order.
        let near: Vec<u32> =
            (0..1_000_000).filter(|block| part.home(mix(*block, SALT)) >= 60).take(40).collect();
        for order in [near.clone(), near.iter().rev().copied().collect()] {
            for block in &order {
                part.put(IndexEntry { block: *block, history: History::default(), value: located(1) });
                part.len += 1;
            }
            let find = |part: &Part<FlashLocation>, block| part.find(block, mix(block, SALT));
            assert!(order.iter().all(|block| find(&part, *block).is_some()));
            for block in &order {
                let place = find(&part, *block).expect("it was put there");
                part.remove(place);
                assert_eq!(find(&part, *block), None);
            }
            assert_eq!(part.len, 0);
            part.resize(64);
        }
    }

    #[test]
    fn blocks_that_go_by_their_number_leave_no_heap_behind_and_those_that_go_by_their_place_would() {
        const BLOCKS: u32 = 100_000;
        let farthest_while_going = |order: &[u64]| {
            let mut table = BlockTable::<FlashLocation>::new(SALT);
            (0..BLOCKS).for_each(|block| table.insert(block, located(block)));
            let mut farthest = 0;
            for (at, block) in order.iter().enumerate() {
                let slot = table.find(*block).expect("it was entered");
                table.remove(slot);
                if at % 1_000 == 0 {
                    let parts = table.parts.iter();
                    let distances = parts.flat_map(|part| {
                        let taken = (0..part.places.len()).filter(|place| !part.places[*place].is_empty());
                        taken.map(|place| part.distance(place))
                    });
                    farthest = distances.max().unwrap_or(0).max(farthest);
                }
            }
            farthest
        };
        let by_number: Vec<u64> = (0..BLOCKS.into()).collect();
        let by_place: Vec<u64> = {
            let mut table = BlockTable::<FlashLocation>::new(SALT);
            (0..BLOCKS).for_each(|block| table.insert(block, located(block)));
            table.blocks().collect()
        };
        let [number, place] = [by_number, by_place].map(|order| farthest_while_going(&order));
        assert!(number < 200 && place > 5 * number, "{number} and {place} places from home");
    }

    #[test]
    fn no_size_takes_much_more_than_another_whether_it_grew_or_shrank() {
        let mut table = BlockTable::<FlashLocation>::new(SALT);
        let mut each = Vec::new();
        for block in 0..400_000 {
            table.insert(block, located(block));
            if block % 1_777 == 0 && block > 50_000 {
                each.push(table.bytes() / table.len() as u64);
            }
        }
        assert!(each.iter().all(|bytes| (17..=19).contains(bytes)), "{each:?}");
        for block in 0..350_000 {
            let slot = table.find(block).expect("it was entered");
            table.remove(slot);
            assert!(table.bytes() <= 20 * table.len() as u64, "{} of {}", table.bytes(), table.len());
        }
    }

    #[test]
    fn blocks_that_lie_in_a_heap_with_one_salt_do_not_with_another() {
        let chosen: Vec<u32> = (0..1 << 22)
            .filter(|block| {
                let mixed = mix(*block, SALT);
                part_of(mixed) == 0 && mixed as u32 >> 28 == 0
            })
            .collect();
        let farthest = |salt| {
            let mut table = BlockTable::<FlashLocation>::new(salt);
            for block in &chosen {
                table.insert(*block, located(*block));
            }
            let of = |part: &Part<FlashLocation>| {
                let there = (0..part.places.len()).filter(|place| !part.places[*place].is_empty());
                there.map(|place| part.distance(place)).max()
            };
            table.parts.iter().filter_map(of).max()
        };
        let [heap, spread] = [SALT, SALT + (1 << 40)].map(farthest);
        assert!(chosen.len() > 3_000 && heap > Some(1_000) && spread < Some(60), "{heap:?}, {spread:?}");
    }

    #[test]
    fn all_are_drawn_about_as_often() {
        let (mut table, mut dice) = (BlockTable::<FlashLocation>::new(SALT), Dice::new());
        assert!(table.draw(&mut dice).is_none());
        for block in 0..3_000 {
            table.insert(block, located(block));
            if block % 4 == 0 {
                let slot = table.find(block.into()).expect("just entered");
                *table.history_mut(slot) = History::default().with_heat(3);
            }
        }
        let drawn: Vec<_> = (0..20_000).filter_map(|_| table.draw(&mut dice)).collect();
        let hot = drawn.iter().filter(|history| history.heat() == 3).count();
        assert!(drawn.len() == 20_000 && (4_500..5_500).contains(&hot), "{hot}");
    }
}
