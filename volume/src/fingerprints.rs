//! Fingerprints of content, and the bounded index of where content with a fingerprint lies. Pure.
//!
//! The index is a hint: an entry may name an object that is gone, and content may be stored that the index does not know. It is in RAM
//! alone, of a fixed size, and empty after an open: losing it loses savings.

use super::map::Location;

/// Entries of a set: a fingerprint can be in one set only, and the entry of it that was used longest ago makes room.
const WAYS: usize = 8;
/// Words of an entry: fingerprint, object, offset, and the rest of the location.
const WORDS: usize = 7;
const SET_WORDS: usize = WAYS * WORDS;

/// A fingerprint of a page's content: the first 128 bits of its BLAKE3 hash. Pages with the same one are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fingerprint([u32; 4]);

impl Fingerprint {
    pub(crate) fn of(content: &[u8]) -> Self {
        let hash = blake3::hash(content);
        let words = hash.as_bytes().as_chunks::<4>().0;
        Self([0, 1, 2, 3].map(|at| u32::from_le_bytes(words[at])))
    }
}

/// Where content lies, by its fingerprint: a table of sets, of a fixed size.
pub(crate) struct Fingerprints {
    /// Sets of entries, of each set the one first that was used last. An entry without pages is free.
    words: Vec<u32>,
}

impl Fingerprints {
    /// Creates an index of so many bytes at most; none if not even a set has room.
    pub(crate) fn new(bytes: u64) -> Option<Self> {
        let sets = bytes as usize / (SET_WORDS * size_of::<u32>());
        // Zeroes from the system: memory is taken as it is used.
        (sets > 0).then(|| Self { words: vec![0; sets * SET_WORDS] })
    }

    /// Returns the bytes of RAM that it takes when it is full.
    pub(crate) fn bytes(&self) -> u64 {
        (self.words.len() * size_of::<u32>()) as u64
    }

    fn set_of(&mut self, fingerprint: Fingerprint) -> &mut [[u32; WORDS]] {
        let sets = (self.words.len() / SET_WORDS) as u64;
        let [low, high, ..] = fingerprint.0.map(u64::from);
        // The high bits of a product: no division.
        let at = ((u128::from(low << 32 | high) * u128::from(sets)) >> 64) as usize;
        self.words[at * SET_WORDS..][..SET_WORDS].as_chunks_mut::<WORDS>().0
    }

    /// Returns where content with this fingerprint was, if that is known.
    pub(crate) fn find(&mut self, fingerprint: Fingerprint) -> Option<Location> {
        let set = self.set_of(fingerprint);
        let at = set.iter().position(|entry| entry[..4] == fingerprint.0 && entry[6] != 0)?;
        set[..=at].rotate_right(1);
        let [.., object, offset, rest] = set[0];
        let [low, high, index, pages] = rest.to_le_bytes();
        Some(Location { object, offset, stored: u16::from_le_bytes([low, high]), index, pages })
    }

    /// Records where content with this fingerprint is.
    pub(crate) fn insert(&mut self, fingerprint: Fingerprint, location: Location) {
        let [low, high] = location.stored.to_le_bytes();
        let rest = u32::from_le_bytes([low, high, location.index, location.pages]);
        let [a, b, c, d] = fingerprint.0;
        let set = self.set_of(fingerprint);
        let at = set.iter().position(|entry| entry[..4] == fingerprint.0).unwrap_or(WAYS - 1);
        set[..=at].rotate_right(1);
        set[0] = [a, b, c, d, location.object, location.offset, rest];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(at: u32) -> Location {
        Location { object: at, offset: 7 * at, stored: 90, index: (at % 8) as u8, pages: 8 }
    }

    fn fingerprint(value: u32) -> Fingerprint {
        Fingerprint::of(&value.to_le_bytes())
    }

    #[test]
    fn an_index_without_room_for_a_set_is_none() {
        assert!(Fingerprints::new(0).is_none() && Fingerprints::new(223).is_none());
        assert_eq!(Fingerprints::new(500).map(|index| index.bytes()), Some(448));
    }

    #[test]
    fn the_newest_place_of_content_is_found_and_what_was_used_longest_ago_makes_room() {
        // One set.
        let mut index = Fingerprints::new(224).expect("it has room");
        assert_eq!(index.find(fingerprint(1)), None);
        for value in 0..8 {
            index.insert(fingerprint(value), location(value));
        }
        index.insert(fingerprint(3), location(100));
        assert_eq!(index.find(fingerprint(3)), Some(location(100)));
        assert_eq!(index.find(fingerprint(0)), Some(location(0)));
        index.insert(fingerprint(8), location(8));
        assert_eq!(index.find(fingerprint(1)), None);
        for value in [0, 2, 4, 5, 6, 7, 8] {
            assert_eq!(index.find(fingerprint(value)), Some(location(value)), "{value}");
        }
    }

    #[test]
    fn most_of_what_fits_is_found() {
        let mut index = Fingerprints::new(28 * 10_000).expect("it has room");
        for value in 0..5_000 {
            index.insert(fingerprint(value), location(value));
        }
        let found = (0..5_000).filter(|value| index.find(fingerprint(*value)) == Some(location(*value)));
        let found = found.count();
        assert!(found > 4_700, "{found}");
    }
}
