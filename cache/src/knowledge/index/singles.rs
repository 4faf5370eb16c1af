//! Blocks of one page: a table of entries of sixteen bytes and nothing beside them, with little room between.
//!
//! Robin Hood hashing (Celis, Larson and Munro, FOCS 1985): an entry lies at the place that its hash says, its home, or behind it, and who is
//! further from home comes first. So who would lie here if it were anywhere is seldom looked for in more than a few places, though seven of
//! eight are taken. The table is in parts, by hash. Each grows by an eighth when it is full and shrinks when a third of it is empty: there
//! is no pause in which all of millions of entries move, as when a table doubles, and never one that is half empty because it has.
//!
//! Whoever knows where blocks lie can choose those that lie in one heap, where each search takes as long as the heap: hundreds of microseconds
//! at a hundred thousand of them. So hashes are salted with what guests do not know.

use super::{Located, Slot};
use crate::knowledge::hash::hash;
use crate::knowledge::learned::{Dice, History};
use crate::words::units::FlashPage;

/// Parts, as a power of two.
const PARTS_SHIFT: u32 = 6;
/// Places of a part that has any, at least.
const PLACES_MIN: usize = 8;

/// A page on flash; or an empty place: nobody's data is at the very first page of flash, where a superblock is.
#[derive(Clone, Copy, Default)]
struct Single {
    block: u32,
    flash: u32,
    checksum: u32,
    history: History,
}

const _: () = assert!(size_of::<Single>() == 16, "the memory budget counts on it");

/// Blocks of one page by their number.
pub(super) struct Singles {
    parts: Box<[Part]>,
    salt: u64,
    len: usize,
}

/// Those whose hashes begin with the same bits.
#[derive(Clone)]
struct Part {
    places: Box<[Single]>,
    salt: u64,
    len: usize,
}

impl Singles {
    pub(super) fn new(salt: u64) -> Self {
        let part = Part { places: Box::default(), salt, len: 0 };
        Self { parts: vec![part; 1 << PARTS_SHIFT].into_boxed_slice(), salt, len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes of RAM taken, empty places included.
    pub(super) fn bytes(&self) -> u64 {
        let places = self.parts.iter().map(|part| size_of_val(&*part.places)).sum::<usize>();
        (places + size_of_val(&*self.parts)) as u64
    }

    pub(super) fn find(&self, block: u64) -> Option<Slot> {
        let number = u32::try_from(block).ok()?;
        let mixed = mix(number, self.salt);
        let part = part_of(mixed);
        let place = self.parts[part].find(number, mixed)?;
        Some(Slot { part: part as u32, place: place as u32 })
    }

    /// The numbers of all blocks, in no order.
    pub(super) fn blocks(&self) -> impl Iterator<Item = u64> + '_ {
        let entries = self.parts.iter().flat_map(|part| &part.places).filter(|single| !single.is_empty());
        entries.map(|single| u64::from(single.block))
    }

    pub(super) fn located(&self, slot: Slot) -> Located {
        let Single { flash, checksum, .. } = *self.get(slot);
        Located { flash: FlashPage(flash), checksum }
    }

    pub(super) fn history(&self, slot: Slot) -> History {
        self.get(slot).history
    }

    pub(super) fn history_mut(&mut self, slot: Slot) -> &mut History {
        &mut self.get_mut(slot).history
    }

    /// Moves a block on flash.
    pub(super) fn set_located(&mut self, slot: Slot, located: Located) {
        assert_ne!(located.flash.0, 0, "the first page of flash is a superblock's");
        let single = self.get_mut(slot);
        (single.flash, single.checksum) = (located.flash.0, located.checksum);
    }

    /// Enters a block that is not there.
    pub(super) fn insert(&mut self, block: u32, located: Located) {
        assert_ne!(located.flash.0, 0, "the first page of flash is a superblock's");
        let Located { flash, checksum } = located;
        let single = Single { block, flash: flash.0, checksum, history: History::default() };
        self.parts[part_of(mix(block, self.salt))].insert(single);
        self.len += 1;
    }

    /// Takes a block out. Slots that were found before mean nothing any more.
    pub(super) fn remove(&mut self, slot: Slot) -> Located {
        let located = self.located(slot);
        self.parts[slot.part as usize].remove(slot.place as usize);
        self.len -= 1;
        located
    }

    /// How some block was used, by chance: the first at or behind a place that is drawn.
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

    fn get(&self, Slot { part, place }: Slot) -> &Single {
        &self.parts[part as usize].places[place as usize]
    }

    fn get_mut(&mut self, Slot { part, place }: Slot) -> &mut Single {
        &mut self.parts[part as usize].places[place as usize]
    }
}

fn mix(block: u32, salt: u64) -> u64 {
    hash(u64::from(block) ^ salt)
}

/// By the highest bits: homes are by others.
fn part_of(mixed: u64) -> usize {
    (mixed >> (u64::BITS - PARTS_SHIFT)) as usize
}

impl Single {
    fn is_empty(&self) -> bool {
        self.flash == 0
    }
}

impl Part {
    /// Where a block is, whose hash is `mixed`.
    fn find(&self, block: u32, mixed: u64) -> Option<usize> {
        if self.places.is_empty() {
            return None;
        }
        let (mut place, mut distance) = (self.home(mixed), 0);
        // It ends: there is always an empty place.
        loop {
            let single = &self.places[place];
            if single.is_empty() {
                return None;
            }
            if single.block == block {
                return Some(place);
            }
            // It would come before this one.
            if self.distance(place) < distance {
                return None;
            }
            place = self.next(place);
            distance += 1;
        }
    }

    /// Enters a block that is not there.
    fn insert(&mut self, single: Single) {
        if (self.len + 1) * 8 > self.places.len() * 7 {
            self.resize(self.places.len() + (self.places.len() / 8).max(PLACES_MIN));
        }
        self.put(single);
        self.len += 1;
    }

    /// Puts an entry where it belongs; from there on each goes one place further, up to the next empty one.
    fn put(&mut self, single: Single) {
        let (mut place, mut distance) = (self.home(mix(single.block, self.salt)), 0);
        while !self.places[place].is_empty() && self.distance(place) >= distance {
            place = self.next(place);
            distance += 1;
        }
        let mut moved = single;
        while !moved.is_empty() {
            moved = std::mem::replace(&mut self.places[place], moved);
            place = self.next(place);
        }
    }

    /// Takes an entry out; those behind it that are not at home come one place closer.
    fn remove(&mut self, place: usize) {
        let (mut hole, mut next) = (place, self.next(place));
        while !self.places[next].is_empty() && self.distance(next) > 0 {
            self.places[hole] = self.places[next];
            (hole, next) = (next, self.next(next));
        }
        self.places[hole] = Single::default();
        self.len -= 1;
        if self.len * 3 < self.places.len() * 2 && self.places.len() > PLACES_MIN {
            self.resize((self.len * 5 / 4).max(PLACES_MIN));
        }
    }

    /// Has so many places from now on, more than entries.
    fn resize(&mut self, places: usize) {
        let before = std::mem::replace(&mut self.places, vec![Single::default(); places].into_boxed_slice());
        before.into_iter().filter(|single| !single.is_empty()).for_each(|single| self.put(single));
    }

    fn next(&self, place: usize) -> usize {
        if place + 1 == self.places.len() { 0 } else { place + 1 }
    }

    fn home(&self, mixed: u64) -> usize {
        let low = mixed & u64::from(u32::MAX);
        ((low * self.places.len() as u64) >> u32::BITS) as usize
    }

    /// How far behind its home the entry at a place is.
    fn distance(&self, place: usize) -> usize {
        let home = self.home(mix(self.places[place].block, self.salt));
        if place >= home { place - home } else { place + self.places.len() - home }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const SALT: u64 = 0x5a17;

    /// Numbers by chance that repeat.
    fn chance(at: u64) -> u64 {
        hash(at ^ 0x5eed)
    }

    fn located(block: u32) -> Located {
        Located { flash: FlashPage(block | 1), checksum: !block }
    }

    /// Every entry is as far from home as the one in front of it at least allows, and is found; nothing else is.
    fn check(singles: &Singles, known: &BTreeMap<u32, u8>) {
        assert_eq!(singles.len(), known.len());
        for part in &singles.parts {
            let there = part.places.iter().filter(|single| !single.is_empty()).count();
            assert_eq!(there, part.len);
            assert!(part.places.is_empty() || there < part.places.len(), "an empty place ends each search");
            for (place, single) in part.places.iter().enumerate().filter(|(_, single)| !single.is_empty()) {
                let before = if place == 0 { part.places.len() - 1 } else { place - 1 };
                let distance = part.distance(place);
                let allowed = if part.places[before].is_empty() { 0 } else { part.distance(before) + 1 };
                assert!(distance <= allowed, "block {} is {distance} from home", single.block);
            }
        }
        for (&block, &heat) in known {
            let slot = singles.find(block.into()).expect("it was entered");
            assert_eq!((singles.located(slot), singles.history(slot).heat()), (located(block), heat));
        }
    }

    #[test]
    fn whatever_comes_and_goes_is_found_as_in_a_plain_map_and_histories_stay_with_their_blocks() {
        let (mut singles, mut known) = (Singles::new(SALT), BTreeMap::new());
        // Grows, is exchanged, and shrinks to nothing.
        for (round, grows) in [(0, 9), (1, 7), (2, 5), (3, 5), (4, 2), (5, 0), (6, 0)] {
            for at in 0..12_000_u64 {
                let drawn = chance(round << 32 | at);
                let block = (drawn >> 40) as u32 % 30_000;
                match (singles.find(block.into()), drawn % 10 < grows) {
                    (None, true) => {
                        singles.insert(block, located(block));
                        known.insert(block, 0);
                    }
                    (Some(slot), true) => {
                        let history = singles.history_mut(slot);
                        *history = history.warmer();
                        known.insert(block, history.heat());
                    }
                    (Some(slot), false) => {
                        assert_eq!(singles.remove(slot), located(block));
                        assert!(known.remove(&block).is_some());
                    }
                    (None, false) => assert!(!known.contains_key(&block)),
                }
            }
            check(&singles, &known);
            let mut blocks: Vec<u64> = singles.blocks().collect();
            blocks.sort_unstable();
            assert!(blocks.into_iter().eq(known.keys().map(|block| u64::from(*block))));
        }
        for block in std::mem::take(&mut known).into_keys() {
            let slot = singles.find(block.into()).expect("it was entered");
            singles.remove(slot);
        }
        check(&singles, &known);
        assert!(singles.bytes() <= 64 * (32 + 8 * 16), "what is empty takes next to nothing");
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
                part.put(Single { block: *block, flash: 1, ..Single::default() });
                part.len += 1;
            }
            let find = |part: &Part, block| part.find(block, mix(block, SALT));
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
    fn no_size_takes_much_more_than_another_whether_it_grew_or_shrank() {
        let mut singles = Singles::new(SALT);
        let mut each = Vec::new();
        for block in 0..400_000 {
            singles.insert(block, located(block));
            if block % 1_777 == 0 && block > 50_000 {
                each.push(singles.bytes() / singles.len() as u64);
            }
        }
        assert!(each.iter().all(|bytes| (18..=20).contains(bytes)), "{each:?}");
        for block in 0..350_000 {
            let slot = singles.find(block).expect("it was entered");
            singles.remove(slot);
            assert!(singles.bytes() <= 25 * singles.len() as u64, "{} of {}", singles.bytes(), singles.len());
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
            let mut singles = Singles::new(salt);
            for block in &chosen {
                singles.insert(*block, located(*block));
            }
            let of = |part: &Part| {
                let there = (0..part.places.len()).filter(|place| !part.places[*place].is_empty());
                there.map(|place| part.distance(place)).max()
            };
            singles.parts.iter().filter_map(of).max()
        };
        let [heap, spread] = [SALT, SALT + (1 << 40)].map(farthest);
        assert!(chosen.len() > 3_000 && heap > Some(1_000) && spread < Some(60), "{heap:?}, {spread:?}");
    }

    #[test]
    fn all_are_drawn_about_as_often() {
        let (mut singles, mut dice) = (Singles::new(SALT), Dice::new());
        assert!(singles.draw(&mut dice).is_none());
        for block in 0..3_000 {
            singles.insert(block, located(block));
            if block % 4 == 0 {
                let slot = singles.find(block.into()).expect("just entered");
                *singles.history_mut(slot) = History::default().with_heat(3);
            }
        }
        let drawn: Vec<_> = (0..20_000).filter_map(|_| singles.draw(&mut dice)).collect();
        let hot = drawn.iter().filter(|history| history.heat() == 3).count();
        assert!(drawn.len() == 20_000 && (4_500..5_500).contains(&hot), "{hot}");
    }
}
