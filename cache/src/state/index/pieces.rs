//! Pieces of memory of some words each, with hardly any room between them, however their sizes change.
//!
//! Pieces of one size lie in a stack, in chunks; a removed piece is replaced by the last one. An allocator would keep eight to sixteen
//! bytes beside each piece, and, after many of one size were freed, their memory for others of that size.
//!
//! ```text
//!   stack of pieces of 18 words:  owner, 18 words │ owner, 18 words │ ... │ room for some more
//!   stack of pieces of 19 words:  ...
//! ```

/// Words of a chunk, or of one piece where that is larger.
const CHUNK_WORDS: usize = 512;
/// Bytes that the allocator keeps beside each chunk.
const ALLOCATION_OVERHEAD: usize = 16;

/// Place of a piece; valid until it is removed, or the last one of its size is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    place: u32,
    /// Above zero but for no piece.
    words: u32,
}

impl Piece {
    /// No piece.
    pub(super) const NONE: Self = Self { place: 0, words: 0 };

    pub(super) fn is_none(self) -> bool {
        self.words == 0
    }
}

/// All pieces, and whose they are.
pub(super) struct Pieces {
    /// By words.
    stacks: Vec<PieceStack>,
}

#[derive(Default)]
struct PieceStack {
    chunks: Vec<Box<[u32]>>,
    len: usize,
}

impl Pieces {
    pub(super) fn new() -> Self {
        Self { stacks: Vec::new() }
    }

    /// Returns the bytes of RAM taken, with unused room and what the allocator keeps beside it.
    pub(super) fn bytes(&self) -> u64 {
        let of = |(words, stack): (usize, &PieceStack)| {
            let chunk = per_chunk(words) * (1 + words) * size_of::<u32>() + ALLOCATION_OVERHEAD;
            stack.chunks.len() * chunk + stack.chunks.capacity() * size_of::<Box<[u32]>>()
        };
        let all = self.stacks.iter().enumerate().map(of).sum::<usize>();
        (all + self.stacks.capacity() * size_of::<PieceStack>()) as u64
    }

    pub(super) fn get(&self, piece: Piece) -> &[u32] {
        let (chunk, at) = place_of(piece);
        &self.stacks[piece.words as usize].chunks[chunk][at + 1..=at + piece.words as usize]
    }

    /// Keeps words, some at least, for an owner.
    pub(super) fn put(&mut self, owner: u32, words: &[u32]) -> Piece {
        assert!(!words.is_empty(), "who has none keeps none");
        if self.stacks.len() <= words.len() {
            self.stacks.resize_with(words.len() + 1, PieceStack::default);
        }
        let stack = &mut self.stacks[words.len()];
        let piece = Piece { place: stack.len as u32, words: words.len() as u32 };
        let (chunk, at) = place_of(piece);
        if chunk == stack.chunks.len() {
            stack.chunks.push(vec![0; per_chunk(words.len()) * (1 + words.len())].into_boxed_slice());
        }
        stack.chunks[chunk][at] = owner;
        stack.chunks[chunk][at + 1..=at + words.len()].copy_from_slice(words);
        stack.len += 1;
        piece
    }

    /// Replaces the words of a piece, if there are as many. Returns true if so.
    pub(super) fn replace(&mut self, piece: Piece, words: &[u32]) -> bool {
        let fits = words.len() == piece.words as usize;
        if fits {
            let (chunk, at) = place_of(piece);
            self.stacks[words.len()].chunks[chunk][at + 1..=at + words.len()].copy_from_slice(words);
        }
        fits
    }

    /// Takes a piece away. Returns the owner of the one that is in its place now, if one is.
    #[must_use]
    pub(super) fn take_away(&mut self, piece: Piece) -> Option<u32> {
        let words = piece.words as usize;
        let stack = &mut self.stacks[words];
        stack.len -= 1;
        let last = Piece { place: stack.len as u32, ..piece };
        let ((from_chunk, from), (chunk, at)) = (place_of(last), place_of(piece));
        let mut moved = None;
        if last != piece {
            moved = Some(stack.chunks[from_chunk][from]);
            if from_chunk == chunk {
                stack.chunks[chunk].copy_within(from..=from + words, at);
            } else {
                let two = stack.chunks.get_disjoint_mut([from_chunk, chunk]);
                let [from_chunk, chunk] = two.expect("two chunks that are there");
                chunk[at..=at + words].copy_from_slice(&from_chunk[from..=from + words]);
            }
        }
        stack.chunks.truncate(stack.len.div_ceil(per_chunk(words)));
        if stack.chunks.len() < stack.chunks.capacity() / 4 {
            stack.chunks.shrink_to(stack.chunks.len() * 2);
        }
        moved
    }

    /// Returns the owner of a piece.
    #[cfg(test)]
    pub(super) fn owner(&self, piece: Piece) -> u32 {
        let (chunk, at) = place_of(piece);
        self.stacks[piece.words as usize].chunks[chunk][at]
    }

    /// Returns the number of pieces.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.stacks.iter().map(|stack| stack.len).sum()
    }
}

/// Pieces in a chunk.
fn per_chunk(words: usize) -> usize {
    (CHUNK_WORDS / (1 + words)).max(1)
}

/// Returns the chunk of a piece in its stack, and the word in it where its owner stands.
fn place_of(Piece { place, words }: Piece) -> (usize, usize) {
    let (place, words) = (place as usize, words as usize);
    let per_chunk = per_chunk(words);
    (place / per_chunk, place % per_chunk * (1 + words))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn whatever_comes_changes_and_goes_each_owner_has_its_words_and_little_room_is_empty(
            steps in proptest::collection::vec((0..60_u32, 0..40_usize, any::<u32>()), 1..600),
        ) {
            let mut pieces = Pieces::new();
            let mut known: BTreeMap<u32, (Piece, Vec<u32>)> = BTreeMap::new();
            for (owner, words, content) in steps {
                // One of four is very long: a chunk of its own.
                let words = vec![content; if content % 4 == 0 { words * 20 } else { words }];
                if let Some((piece, before)) = known.remove(&owner) {
                    let fits = pieces.replace(piece, &words);
                    prop_assert_eq!(fits, before.len() == words.len());
                    if fits {
                        known.insert(owner, (piece, words));
                        continue;
                    }
                    if let Some(moved) = pieces.take_away(piece) {
                        known.get_mut(&moved).expect("it has a piece").0.place = piece.place;
                    }
                }
                if !words.is_empty() {
                    known.insert(owner, (pieces.put(owner, &words), words));
                }
                prop_assert_eq!(pieces.len(), known.len());
                for (owner, (piece, words)) in &known {
                    prop_assert_eq!((pieces.owner(*piece), pieces.get(*piece)), (*owner, &words[..]));
                }
            }
            for stack in &pieces.stacks {
                prop_assert!(stack.chunks.len() <= stack.len, "no chunk is empty");
            }
        }
    }

    #[test]
    fn pieces_that_grow_one_after_another_leave_nothing_behind() {
        let mut pieces = Pieces::new();
        let mut own: Vec<Piece> = (0..10_000).map(|owner| pieces.put(owner, &[7; 18])).collect();
        for words in 19..34 {
            for owner in 0..own.len() {
                let grown = pieces.put(owner as u32, &vec![7; words]);
                let before = std::mem::replace(&mut own[owner], grown);
                if let Some(moved) = pieces.take_away(before) {
                    own[moved as usize].place = before.place;
                }
            }
            let net = own.len() * (1 + words) * 4;
            assert!(pieces.bytes() as usize * 100 <= net * 107, "{} of {net}", pieces.bytes());
        }
    }
}
