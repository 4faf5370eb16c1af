//! Places of the pages of one block on flash, packed.
//!
//! Pages that lie next to each other on the disk and on flash are a *run*, which costs one address. Where single pages that were written
//! together are overwritten, the rest is many runs; the most of these are the *chain* ([`chain`](super::chain)), which costs one address
//! too, and a bit for each page of the block.
//!
//! ```text
//! for each 16 pages, two bits each, the first in the low half of 32 bits, the second in the high half:
//!                        0 0   the page is not there
//!                        1 0   it is of the run of the page before it
//!                        1 1   it begins a run
//!                        0 1   it is of the chain
//! if there is a chain:   for each page, whether the chain is one further on flash behind it (1 bit)
//!                        the address of the first page of the chain
//! for each other run:    the address of its first page
//! for each page:         its checksum (32 bits)
//! ```
//!
//! All parts but addresses have a fixed size; the rest of the words is for addresses, in equal parts of up to 32 bits. A block takes as few
//! words as its highest address allows.

use smallvec::{SmallVec, smallvec};

use super::FlashLocation;
use super::chain::{IndexRun, chain_steps, mark_chain};
use crate::types::units::FlashPage;

/// Pages of the largest block: 1 MiB of 4 KiB pages.
pub(super) const BLOCK_PAGES_MAX: usize = 256;
/// Pages described by one head word.
const PAGES_PER_HEAD: usize = 16;
const HEAD_PAGES: u32 = (1 << PAGES_PER_HEAD) - 1;
const WORD_BITS: usize = u32::BITS as usize;

/// The unpacked form: one place per page of the block. Blocks of 64 KiB, which most have, need no memory of their own for it.
pub(super) type Places = SmallVec<[Option<FlashLocation>; 16]>;
/// The packed form. The largest packing of a block of 64 KiB, with no two neighbours, as random writes cause, fits.
pub(super) type Words = SmallVec<[u32; 64]>;

/// Packs the places of a block's pages.
pub(super) fn pack(places: &[Option<FlashLocation>]) -> Words {
    let mut runs = IndexRun::all_of(places);
    let highest = runs.iter().map(|run| run.flash).max().unwrap_or_default();
    let needed = (u32::BITS - highest.leading_zeros()).max(1) as usize;
    // All but one of its addresses are spared, for a bit a page.
    let worth_it = 2 + places.len() / needed;
    let chained = mark_chain(&mut runs, worth_it);
    let (step_bits, chains) = if chained > 0 { (places.len(), 1) } else { (0, 0) };

    let addresses = chains + runs.len() - chained;
    let room = (step_bits + addresses * needed).div_ceil(WORD_BITS);
    let width = width_of(room, step_bits, addresses);
    let mut words: Words = smallvec![0; heads_of(places.len()) + room];
    let (heads, bits) = words.split_at_mut(heads_of(places.len()));
    chain_steps(&runs, |page| set_bits(bits, page, 1));
    if let Some(first) = runs.iter().find(|run| run.is_chained) {
        set_bits(bits, step_bits, first.flash);
    }
    let mut next = step_bits + chains * width;
    for run in &runs {
        let shift = if run.is_chained { PAGES_PER_HEAD } else { 0 };
        run.own_pages().for_each(|page| heads[page / PAGES_PER_HEAD] |= first(page) << shift);
        if !run.is_chained {
            heads[run.page as usize / PAGES_PER_HEAD] |= second(run.page as usize);
            set_bits(bits, next, run.flash);
            next += width;
        }
    }
    words.extend(places.iter().flatten().map(|located| located.checksum));
    words
}

/// Packs a run of neighbours that begins at a page of a block of `pages`.
pub(super) fn pack_run(pages: usize, start: usize, flash: FlashPage, checksums: &[u32]) -> Words {
    let mut words: Words = smallvec![0; heads_of(pages)];
    for page in start..start + checksums.len() {
        words[page / PAGES_PER_HEAD] |= first(page);
    }
    words[start / PAGES_PER_HEAD] |= second(start);
    words.push(flash.0);
    words.extend_from_slice(checksums);
    words
}

/// Unpacks all places of a block of `pages`.
pub(super) fn unpack(words: &[u32], pages: usize) -> Places {
    let packed = Packed::of(words, pages);
    let mut checksums = packed.checksums.iter();
    let mut addresses = (0..packed.addresses).map(|at| packed.address(at));
    let has_chain = packed.has_chain();
    let mut chain = if has_chain { addresses.next().unwrap_or_default() } else { 0 };
    let mut run = 0;
    let mut places: Places = smallvec![None; pages];
    for (page, place) in places.iter_mut().enumerate() {
        let head = packed.heads[page / PAGES_PER_HEAD] >> (page % PAGES_PER_HEAD);
        let flash = match (head & 1 != 0, head >> PAGES_PER_HEAD & 1 != 0) {
            (false, false) => None,
            (true, false) => Some(run),
            (true, true) => addresses.next(),
            (false, true) => Some(chain),
        };
        if let (Some(flash), Some(checksum)) = (flash, flash.and_then(|_| checksums.next())) {
            *place = Some(FlashLocation { flash: FlashPage(flash), checksum: *checksum });
            run = flash.wrapping_add(1);
        }
        if has_chain {
            chain = chain.wrapping_add(packed.step(page));
        }
    }
    places
}

/// Returns the place of one page of a block of `pages`.
pub(super) fn get(words: &[u32], pages: usize, page: usize) -> Option<FlashLocation> {
    let (at, own) = (page / PAGES_PER_HEAD, first(page));
    let head = *words.get(at)?;
    if there(head) & own == 0 {
        return None;
    }
    let packed = Packed::of(words, pages);
    let (before, up_to) = (&packed.heads[..at], own | (own - 1));
    let (there_up_to, runs_up_to) = before
        .iter()
        .map(|head| there_and_begins(*head, HEAD_PAGES))
        .fold(there_and_begins(head, up_to), |(there, runs), (more, more_runs)| {
            (there + more, runs + more_runs)
        });
    let flash = if chained(head) & own != 0 {
        packed.address(0).wrapping_add(packed.steps_before(page))
    } else {
        // The run that it is in began here or before: with the last page up to its own that begins one.
        let begins_here = begins(head) & up_to;
        let (at, last) = if begins_here != 0 {
            (at, begins_here)
        } else {
            let at = before.iter().rposition(|head| begins(*head) != 0)?;
            (at, begins(before[at]))
        };
        let start = at * PAGES_PER_HEAD + last.ilog2() as usize;
        let address = packed.address(usize::from(packed.has_chain()) + runs_up_to - 1);
        address.wrapping_add((page - start) as u32)
    };
    Some(FlashLocation { flash: FlashPage(flash), checksum: *packed.checksums.get(there_up_to - 1)? })
}

/// Parts of the words of a block.
struct Packed<'a> {
    heads: &'a [u32],
    /// Steps of the chain, and addresses.
    bits: &'a [u32],
    checksums: &'a [u32],
    step_bits: usize,
    addresses: usize,
    width: usize,
}

impl<'a> Packed<'a> {
    /// Decodes the words of a block of `pages`.
    fn of(words: &'a [u32], pages: usize) -> Self {
        let (heads, rest) = words.split_at(heads_of(pages));
        let (mut all, mut runs, mut chain) = (0, 0, 0);
        for head in heads {
            let (there, begins) = there_and_begins(*head, HEAD_PAGES);
            (all, runs, chain) = (all + there, runs + begins, chain | chained(*head));
        }
        let (bits, checksums) = rest.split_at(rest.len() - all);
        let step_bits = if chain == 0 { 0 } else { pages };
        let addresses = usize::from(chain != 0) + runs;
        let width = width_of(bits.len(), step_bits, addresses);
        Self { heads, bits, checksums, step_bits, addresses, width }
    }

    fn has_chain(&self) -> bool {
        self.step_bits > 0
    }

    /// Returns an address; that of the chain is the first.
    fn address(&self, at: usize) -> u32 {
        get_bits(self.bits, self.step_bits + at * self.width, self.width)
    }

    /// Returns by how much the address of the chain is higher behind a page than at it.
    fn step(&self, page: usize) -> u32 {
        self.bits[page / WORD_BITS] >> (page % WORD_BITS) & 1
    }

    /// Returns by how much the address of the chain is higher at a page than at its first one.
    fn steps_before(&self, page: usize) -> u32 {
        let (whole, rest) = self.bits.split_at(page / WORD_BITS);
        let below = (1 << (page % WORD_BITS)) - 1;
        whole.iter().map(|word| word.count_ones()).sum::<u32>() + (rest[0] & below).count_ones()
    }
}

/// Returns the first bit of a page in its head.
fn first(page: usize) -> u32 {
    1 << (page % PAGES_PER_HEAD)
}

fn second(page: usize) -> u32 {
    first(page) << PAGES_PER_HEAD
}

/// Returns the pages of a head that are there, a bit each.
fn there(head: u32) -> u32 {
    (head | head >> PAGES_PER_HEAD) & HEAD_PAGES
}

/// Returns those that begin a run.
fn begins(head: u32) -> u32 {
    head & (head >> PAGES_PER_HEAD)
}

/// Returns those of the chain.
fn chained(head: u32) -> u32 {
    !head & (head >> PAGES_PER_HEAD)
}

/// Returns how many of these pages of a head are there, and how many begin a run. Counts both at once, with the bit counting for processors
/// without an instruction for it (Warren, "Hacker's Delight", section 5-1), without adding the halves: this is called often.
fn there_and_begins(head: u32, pages: u32) -> (usize, usize) {
    let bits = there(head) & pages | (begins(head) & pages) << PAGES_PER_HEAD;
    let pairs = bits - (bits >> 1 & 0x5555_5555);
    let fours = (pairs & 0x3333_3333) + (pairs >> 2 & 0x3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f;
    let halves = bytes + (bytes >> 8);
    ((halves & 0xff) as usize, (halves >> PAGES_PER_HEAD & 0xff) as usize)
}

fn heads_of(pages: usize) -> usize {
    pages.div_ceil(PAGES_PER_HEAD)
}

/// Returns the bits of each address in `words` words; 0 if there is none.
fn width_of(words: usize, step_bits: usize, addresses: usize) -> usize {
    (words * WORD_BITS - step_bits).checked_div(addresses).map_or(0, |width| width.min(WORD_BITS))
}

/// Sets bits that are 0 so far.
fn set_bits(words: &mut [u32], at: usize, bits: u32) {
    let (word, shifted) = (at / WORD_BITS, u64::from(bits) << (at % WORD_BITS));
    words[word] |= shifted as u32;
    if let Some(next) = words.get_mut(word + 1) {
        *next |= (shifted >> WORD_BITS) as u32;
    }
}

/// Reads `width` bits, one at least.
fn get_bits(words: &[u32], at: usize, width: usize) -> u32 {
    let word = at / WORD_BITS;
    let next = words.get(word + 1).copied().unwrap_or_default();
    let both = u64::from(words[word]) | u64::from(next) << WORD_BITS;
    (both >> (at % WORD_BITS)) as u32 & (u32::MAX >> (WORD_BITS - width))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Event for some pages of a block.
    #[derive(Clone, Copy, Debug)]
    enum Change {
        Overwritten,
        Evicted,
        /// All that were written before are appended again, those that are there next to each other.
        AppendedAgain,
    }

    /// Returns a block whose pages were written together, after some events.
    fn changed() -> impl Strategy<Value = Places> {
        let change = prop_oneof![
            8 => Just(Change::Overwritten),
            2 => Just(Change::Evicted),
            1 => Just(Change::AppendedAgain),
        ];
        let changes = proptest::collection::vec((change, any::<prop::sample::Index>(), 1..5_usize), 0..60);
        // Also where addresses end.
        let flash = prop_oneof![1..u32::MAX / 2, u32::MAX - 12_000..=u32::MAX];
        (1..=BLOCK_PAGES_MAX, flash, changes).prop_map(|(pages, flash, changes)| {
            let at = |flash: u32| Some(FlashLocation { flash: FlashPage(flash), checksum: !flash });
            let from = |flash: u32| (0..).map(move |further| flash.wrapping_add(further));
            let mut places: Places = from(flash).take(pages).map(at).collect();
            let mut next = flash.wrapping_add(10_000);
            for (change, page, count) in changes {
                let start = page.index(pages);
                let some = start..(start + count).min(pages);
                next = next.wrapping_add(1_000);
                match change {
                    Change::Overwritten => {
                        places[some].iter_mut().zip(from(next)).for_each(|(place, flash)| *place = at(flash));
                    }
                    Change::Evicted => places[some].fill(None),
                    Change::AppendedAgain => {
                        let old = places.iter_mut().filter(|place| place.is_some());
                        old.zip(from(next)).for_each(|(place, flash)| *place = at(flash));
                    }
                }
            }
            places
        })
    }

    /// Addresses by chance, of which some are the same.
    fn by_chance() -> impl Strategy<Value = Places> {
        let place = prop_oneof![Just(None), (0..300u32).prop_map(Some), any::<u32>().prop_map(Some)];
        proptest::collection::vec(place, 1..=BLOCK_PAGES_MAX).prop_map(|drawn| {
            let located = |(at, flash)| FlashLocation { flash: FlashPage(flash), checksum: at as u32 * 7 };
            drawn.into_iter().enumerate().map(|(at, flash)| Some(located((at, flash?)))).collect()
        })
    }

    proptest! {
        #[test]
        fn packed_places_unpack_as_they_were(places in prop_oneof![changed(), by_chance()]) {
            let packed = pack(&places);
            prop_assert_eq!(&unpack(&packed, places.len()), &places);
            for (page, place) in places.iter().enumerate() {
                prop_assert_eq!(get(&packed, places.len(), page), *place);
            }
        }

        #[test]
        fn a_run_is_packed_as_its_places_are(pages in 1..=BLOCK_PAGES_MAX, from: usize, count: usize) {
            let first = from % pages;
            let count = 1 + count % (pages - first);
            let checksums: Vec<u32> = (0..count as u32).collect();
            let mut places: Places = smallvec![None; pages];
            for (at, place) in places[first..first + count].iter_mut().enumerate() {
                *place = Some(FlashLocation { flash: FlashPage(50 + at as u32), checksum: at as u32 });
            }
            prop_assert_eq!(pack_run(pages, first, FlashPage(50), &checksums), pack(&places));
        }
    }

    /// Returns the number of pages of a block of 64 KiB, and on flash.
    fn words_of(flash: [u32; 16]) -> usize {
        let place = |flash| Some(FlashLocation { flash: FlashPage(flash), checksum: 1 });
        pack(&flash.map(place)).len() - 16
    }

    #[test]
    fn a_whole_block_in_one_run_costs_one_address_and_pages_apart_one_each_of_as_many_bits_as_needed() {
        let apart = |from: u32, by: u32| std::array::from_fn(|page| from + page as u32 * by);
        assert_eq!(words_of(apart(u32::MAX - 100, 1)), 1 + 1);
        assert_eq!(words_of(apart(u32::MAX - 100, 5)), 1 + 16);
        // Of a pool of 1 TiB, and of 1 GiB.
        assert_eq!(words_of(apart((1 << 28) - 100, 5)), 1 + 14);
        assert_eq!(words_of(apart((1 << 18) - 100, 5)), 1 + 9);
    }

    #[test]
    fn what_is_left_of_an_overwritten_block_costs_one_address_with_holes_and_without() {
        let (old, new) = (1 << 27, 1 << 26);
        // Every other page is overwritten: nine addresses of 28 bits, and a bit a page.
        let chance = |page: usize| new + page as u32 * 77_773 % 1_000_003;
        let overwritten =
            std::array::from_fn(|page| if page % 2 == 0 { old + page as u32 } else { chance(page) });
        let appended_again =
            std::array::from_fn(|page| if page % 2 == 0 { old + page as u32 / 2 } else { chance(page) });
        assert_eq!(words_of(overwritten), 1 + (16_usize + 9 * 28).div_ceil(32));
        assert_eq!(words_of(appended_again), words_of(overwritten));
    }
}
