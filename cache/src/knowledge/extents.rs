//! Where the pages of one block are on flash, packed: a run of pages that lie next to each other on flash costs one
//! address, and four bytes of checksum per page.
//!
//! ```text
//! extent:  first page in the block (8 bits) | pages - 1 (8 bits), address (32 bits), one checksum (32 bits) per page
//! ```

use smallvec::{SmallVec, smallvec};

use super::index::Located;
use crate::words::units::FlashPage;

/// Pages of the largest block: 1 MiB of 4 KiB pages.
pub(crate) const BLOCK_PAGES_MAX: usize = 256;

/// The unpacked form: one place per page of the block. Blocks of 64 KiB, which most have, need no memory of their own for it.
pub(crate) type Places = SmallVec<[Option<Located>; 16]>;

/// The packed places of a block's pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extents {
    words: Box<[u32]>,
}

struct Extent<'a> {
    first: usize,
    flash: FlashPage,
    checksums: &'a [u32],
}

impl Extents {
    /// Packs the places of a block's pages, instead of those that were packed here.
    pub(crate) fn replace(&mut self, places: &[Option<Located>]) {
        let pages = places.len();
        // Pages that are nobody's neighbours, which random writes make of a block of 64 KiB, fit.
        let mut words = SmallVec::<[u32; 64]>::new();
        let mut at = 0;
        while at < pages {
            let Some(first) = places[at] else {
                at += 1;
                continue;
            };
            let follows = |count: usize| {
                let next = places.get(at + count).copied().flatten();
                at + count < pages && next.is_some_and(|next| next.flash == first.flash.plus(count as u32))
            };
            let count = (1..pages - at).find(|&count| !follows(count)).unwrap_or(pages - at);
            words.push((at | (count - 1) << 8) as u32);
            words.push(first.flash.0);
            words.extend(places[at..at + count].iter().flatten().map(|place| place.checksum));
            at += count;
        }
        if words.len() == self.words.len() {
            self.words.copy_from_slice(&words);
        } else {
            self.words = Box::from(&*words);
        }
    }

    /// Packs the places of a block's pages.
    pub(crate) fn of(places: &[Option<Located>]) -> Self {
        let mut packed = Self::default();
        packed.replace(places);
        packed
    }

    /// Packs a run of neighbours from a page of the block on.
    pub(crate) fn of_run(first: usize, flash: FlashPage, checksums: &[u32]) -> Self {
        let mut words = Vec::with_capacity(2 + checksums.len());
        words.push((first | (checksums.len() - 1) << 8) as u32);
        words.push(flash.0);
        words.extend_from_slice(checksums);
        Self { words: words.into_boxed_slice() }
    }

    /// Unpacks all places of a block of so many pages.
    pub(crate) fn unpack(&self, pages: usize) -> Places {
        let mut places = smallvec![None; pages];
        for extent in self.extents() {
            for (count, &checksum) in extent.checksums.iter().enumerate() {
                let flash = extent.flash.plus(count as u32);
                places[extent.first + count] = Some(Located { flash, checksum });
            }
        }
        places
    }

    /// The place of one page.
    pub(crate) fn get(&self, page: usize) -> Option<Located> {
        self.extents().find_map(|extent| {
            let within = page.checked_sub(extent.first)?;
            let checksum = *extent.checksums.get(within)?;
            Some(Located { flash: extent.flash.plus(within as u32), checksum })
        })
    }

    /// Bytes of RAM behind the pointer.
    pub(crate) fn bytes(&self) -> u64 {
        size_of_val(&*self.words) as u64
    }

    fn extents(&self) -> impl Iterator<Item = Extent<'_>> {
        let mut rest = &*self.words;
        std::iter::from_fn(move || {
            let [head, flash, behind @ ..] = rest else { return None };
            let (first, count) = ((head & 0xff) as usize, (head >> 8 & 0xff) as usize + 1);
            let (checksums, after) = behind.split_at(count);
            rest = after;
            Some(Extent { first, flash: FlashPage(*flash), checksums })
        })
    }
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
        fn packed_places_unpack_as_they_were(all in proptest::collection::vec(places(), 1..4)) {
            let mut packed = Extents::default();
            for places in all {
                packed.replace(&places);
                prop_assert_eq!(&packed.unpack(places.len()), &places);
                for at in 0..BLOCK_PAGES_MAX {
                    prop_assert_eq!(packed.get(at), places.get(at).copied().flatten());
                }
            }
        }
    }

    #[test]
    fn a_whole_block_in_one_run_costs_one_address() {
        let mut places = [None; 16];
        for (at, place) in places.iter_mut().enumerate() {
            *place = Some(Located { flash: FlashPage(50 + at as u32), checksum: 1 });
        }
        let mut packed = Extents::default();
        packed.replace(&places);
        assert_eq!(packed.bytes(), 4 * (2 + 16));
        assert_eq!(packed, Extents::of_run(0, FlashPage(50), &[1; 16]));
    }
}
