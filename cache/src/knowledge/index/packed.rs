//! Where the pages of one block are on flash, packed: a run of pages that lie next to each other on flash costs one address, and
//! each page a checksum, four bytes each.
//!
//! ```text
//! for each 16 pages: which are there (low half of 32 bits), and which of these begin a run (high half)
//! for each run:      the address of its first page (32 bits)
//! for each page:     its checksum (32 bits)
//! ```

use smallvec::{SmallVec, smallvec};

use super::Located;
use crate::words::units::FlashPage;

/// Pages of the largest block: 1 MiB of 4 KiB pages.
pub(super) const BLOCK_PAGES_MAX: usize = 256;
/// Pages of which one word says whether they are there.
const PAGES_PER_WORD: usize = 16;

/// The unpacked form: one place per page of the block. Blocks of 64 KiB, which most have, need no memory of their own for it.
pub(super) type Places = SmallVec<[Option<Located>; 16]>;
/// The packed form. A block of 64 KiB whose pages are nobody's neighbours, which random writes make of it, fits.
pub(super) type Words = SmallVec<[u32; 64]>;

/// Packs the places of a block's pages.
pub(super) fn pack(places: &[Option<Located>]) -> Words {
    let mut words: Words = smallvec![0; heads_of(places.len())];
    let mut checksums = SmallVec::<[u32; PAGES_PER_WORD]>::new();
    let mut follows = None;
    for (page, place) in places.iter().enumerate() {
        if let Some(Located { flash, checksum }) = *place {
            let head = &mut words[page / PAGES_PER_WORD];
            *head |= there(page);
            if follows != Some(flash) {
                *head |= begins(page);
                words.push(flash.0);
            }
            checksums.push(checksum);
        }
        follows = place.map(|located| located.flash.plus(1));
    }
    words.extend_from_slice(&checksums);
    words
}

/// Packs a run of neighbours from a page of a block of so many on.
pub(super) fn pack_run(pages: usize, first: usize, flash: FlashPage, checksums: &[u32]) -> Words {
    let mut words: Words = smallvec![0; heads_of(pages)];
    for page in first..first + checksums.len() {
        words[page / PAGES_PER_WORD] |= there(page);
    }
    words[first / PAGES_PER_WORD] |= begins(first);
    words.push(flash.0);
    words.extend_from_slice(checksums);
    words
}

/// Unpacks all places of a block of so many pages.
pub(super) fn unpack(words: &[u32], pages: usize) -> Places {
    let (heads, rest) = words.split_at(heads_of(pages));
    let (mut runs, checksums) = rest.split_at(runs_of(heads));
    let mut checksums = checksums.iter();
    let mut flash = FlashPage(0);
    let place = |page: usize| {
        let head = heads[page / PAGES_PER_WORD];
        let checksum = if head & there(page) == 0 { None } else { checksums.next() };
        checksum.map(|checksum| {
            flash = match runs {
                [address, behind @ ..] if head & begins(page) != 0 => {
                    runs = behind;
                    FlashPage(*address)
                }
                _ => flash.plus(1),
            };
            Located { flash, checksum: *checksum }
        })
    };
    (0..pages).map(place).collect()
}

/// The place of one page of a block of so many.
pub(super) fn get(words: &[u32], pages: usize, page: usize) -> Option<Located> {
    let (heads, rest) = words.split_at(heads_of(pages));
    let (before, head) = (&heads[..page / PAGES_PER_WORD], heads[page / PAGES_PER_WORD]);
    if head & there(page) == 0 {
        return None;
    }
    let (checksums_before, runs_before) = before.iter().fold((0, 0), |(checksums, runs), head| {
        (checksums + (head & THERE).count_ones(), runs + (head & !THERE).count_ones())
    });
    let rank = checksums_before + (head & (there(page) - 1)).count_ones();
    // The run that it is in began here or before: the highest of the bits up to its own.
    let up_to = (begins(page) | (begins(page) - 1)) & !THERE;
    let run = runs_before + (head & up_to).count_ones();
    let start = if head & up_to != 0 {
        page / PAGES_PER_WORD * PAGES_PER_WORD + last_of(head & up_to)
    } else {
        let at = before.iter().rposition(|head| head & !THERE != 0)?;
        at * PAGES_PER_WORD + last_of(before[at])
    };
    let address = *rest.get((run as usize).checked_sub(1)?)?;
    let checksum = *rest.get(runs_of(heads) + rank as usize)?;
    Some(Located { flash: FlashPage(address).plus((page - start) as u32), checksum })
}

/// The bits that say which pages are there.
const THERE: u32 = 0xffff;

fn there(page: usize) -> u32 {
    1 << (page % PAGES_PER_WORD)
}

fn begins(page: usize) -> u32 {
    there(page) << PAGES_PER_WORD
}

/// The last page of a head that begins a run.
fn last_of(head: u32) -> usize {
    head.ilog2() as usize - PAGES_PER_WORD
}

fn heads_of(pages: usize) -> usize {
    pages.div_ceil(PAGES_PER_WORD)
}

fn runs_of(heads: &[u32]) -> usize {
    heads.iter().map(|head| (head & !THERE).count_ones() as usize).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn places() -> impl Strategy<Value = Places> {
        let place = prop_oneof![Just(None), (0..300u32).prop_map(Some)];
        (1..=BLOCK_PAGES_MAX, proptest::collection::vec(place, BLOCK_PAGES_MAX), any::<bool>()).prop_map(
            |(pages, drawn, runs)| {
                let mut places: Places = smallvec![None; pages];
                for (at, address) in drawn.iter().enumerate().take(pages) {
                    let address = address.map(|address| if runs { 1000 + at as u32 } else { address });
                    places[at] =
                        address.map(|flash| Located { flash: FlashPage(flash), checksum: at as u32 * 7 });
                }
                places
            },
        )
    }

    proptest! {
        #[test]
        fn packed_places_unpack_as_they_were(places in places()) {
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
                *place = Some(Located { flash: FlashPage(50 + at as u32), checksum: at as u32 });
            }
            prop_assert_eq!(pack_run(pages, first, FlashPage(50), &checksums), pack(&places));
        }
    }

    #[test]
    fn a_whole_block_in_one_run_costs_one_address_and_pages_apart_one_each() {
        let at = |flash: u32| Some(Located { flash: FlashPage(flash), checksum: 1 });
        let [together, apart] =
            [1, 2].map(|step| (0..16).map(|page| at(50 + step * page)).collect::<Places>());
        assert_eq!((pack(&together).len(), pack(&apart).len()), (1 + 1 + 16, 1 + 16 + 16));
    }
}
