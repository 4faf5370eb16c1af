//! Data that the backing does not have yet: pages whose newest version is in the log only, ranges that guests made zeroes, and pages that
//! were damaged while dirty.
//!
//! The index has the place of a dirty page on flash, as of any other page. Pages are kept in the order of their addresses, because that is
//! the order in which destage takes them.

use std::collections::BTreeMap;
use std::ops::Range;

use block::Unmap;

use super::ranges::Ranges;

/// Pages of one group of bits.
const GROUP: u64 = 64;

/// A run of dirty pages of one sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DirtyRun {
    /// Pages whose content the index locates.
    Pages(Range<u64>),
    /// Zeroes, and whether their storage may be given back.
    Zeroes(Range<u64>, Unmap),
}

#[derive(Clone, Default)]
pub(crate) struct Dirty {
    /// Sixty-four pages each, by the number of the group.
    groups: BTreeMap<u64, u64>,
    count: u64,
    zeroes: Ranges,
    /// Those of the zeroes whose storage may be given back.
    unmappable: Ranges,
    lost: Ranges,
}

impl Dirty {
    /// Returns true if the backing has everything.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0 && self.zeroes.is_empty() && self.lost.is_empty()
    }

    /// Returns the number of pages with content.
    pub(crate) fn pages(&self) -> u64 {
        self.count
    }

    /// Returns the ranges of zeroes.
    pub(crate) fn zeroes(&self) -> &Ranges {
        &self.zeroes
    }

    /// Returns the zeroes among these pages, in order, each with whether its storage may be given back.
    pub(crate) fn zeroes_within(&self, pages: Range<u64>) -> impl Iterator<Item = (Range<u64>, Unmap)> + '_ {
        let mut from = pages.start;
        std::iter::from_fn(move || {
            let part = self.first_zeroes(from..pages.end)?;
            from = part.0.end;
            Some(part)
        })
    }

    /// Returns the first of these.
    fn first_zeroes(&self, pages: Range<u64>) -> Option<(Range<u64>, Unmap)> {
        if pages.is_empty() {
            return None;
        }
        let zeroes = self.zeroes.first_within(pages)?;
        Some(match self.unmappable.first_within(zeroes.clone()) {
            None => (zeroes, Unmap::Forbidden),
            Some(part) if part.start == zeroes.start => (part, Unmap::Allowed),
            Some(part) => (zeroes.start..part.start, Unmap::Forbidden),
        })
    }

    /// Returns the ranges that were damaged.
    pub(crate) fn lost(&self) -> &Ranges {
        &self.lost
    }

    /// Returns true if the newest version of a page is in the log only.
    pub(crate) fn has_page(&self, page: u64) -> bool {
        self.groups.get(&(page / GROUP)).is_some_and(|bits| bits >> (page % GROUP) & 1 == 1)
    }

    /// Returns true if a page is zeroes that the backing does not have.
    pub(crate) fn is_zeroes(&self, page: u64) -> bool {
        !self.zeroes.is_empty() && self.zeroes.contains(page)
    }

    /// Returns true if the content of a page was damaged before the backing had it.
    pub(crate) fn is_lost(&self, page: u64) -> bool {
        !self.lost.is_empty() && self.lost.contains(page)
    }

    /// Returns true if any of these pages is dirty, zeroed or lost.
    pub(crate) fn overlaps(&self, pages: &Range<u64>) -> bool {
        if self.is_empty() {
            return false;
        }
        self.zeroes.overlaps(pages) || self.lost.overlaps(pages) || self.next_page(pages.clone()).is_some()
    }

    /// Returns true if there is anything among these pages that destage can bring to the backing.
    pub(crate) fn can_be_destaged(&self, pages: Range<u64>) -> bool {
        self.zeroes.overlaps(&pages) || self.next_page(pages).is_some()
    }

    /// Records the newest version of a page.
    pub(crate) fn add_page(&mut self, page: u64) {
        let one = page..page + 1;
        if !self.zeroes.is_empty() {
            self.zeroes.remove(&one);
            self.unmappable.remove(&one);
        }
        if !self.lost.is_empty() {
            self.lost.remove(&one);
        }
        let bits = self.groups.entry(page / GROUP).or_default();
        let bit = 1 << (page % GROUP);
        self.count += u64::from(*bits & bit == 0);
        *bits |= bit;
    }

    /// Records that pages are zeroes, and whether their storage may be deallocated.
    pub(crate) fn add_zeroes(&mut self, pages: Range<u64>, unmap: Unmap) {
        self.remove(&pages);
        if unmap == Unmap::Allowed {
            self.unmappable.insert(pages.clone());
        }
        self.zeroes.insert(pages);
    }

    /// Records that pages were damaged.
    pub(crate) fn add_lost(&mut self, pages: Range<u64>) {
        self.remove(&pages);
        self.lost.insert(pages);
    }

    /// Removes pages, because the backing has them, or they are discarded.
    pub(crate) fn remove(&mut self, pages: &Range<u64>) {
        self.zeroes.remove(pages);
        self.unmappable.remove(pages);
        self.lost.remove(pages);
        let groups = pages.start / GROUP..pages.end.div_ceil(GROUP);
        let numbers: Vec<u64> = self.groups.range(groups).map(|(number, _)| *number).collect();
        for number in numbers {
            let bits = self.groups.get_mut(&number).expect("listed just now");
            let before = bits.count_ones();
            *bits &= !mask(number, pages);
            self.count -= u64::from(before - bits.count_ones());
            if *bits == 0 {
                self.groups.remove(&number);
            }
        }
    }

    /// Returns the first page with content among these.
    pub(crate) fn next_page(&self, pages: Range<u64>) -> Option<u64> {
        if pages.end.saturating_sub(pages.start) == 1 {
            // The most frequent size of writes. A search for one key is shorter than one for two.
            return Some(pages.start).filter(|page| self.has_page(*page));
        }
        let groups = pages.start / GROUP..pages.end.div_ceil(GROUP);
        self.groups.range(groups).find_map(|(number, bits)| {
            let inside = bits & mask(*number, &pages);
            (inside != 0).then(|| number * GROUP + u64::from(inside.trailing_zeros()))
        })
    }

    /// Returns the pages with content among these, in order.
    pub(crate) fn pages_within(&self, pages: Range<u64>) -> impl Iterator<Item = u64> + '_ {
        let mut from = pages.start;
        std::iter::from_fn(move || {
            let page = self.next_page(from..pages.end)?;
            from = page + 1;
            Some(page)
        })
    }

    /// Returns the pages among these that are dirty, zeroed or lost, in no order.
    pub(crate) fn all_within(&self, pages: &Range<u64>) -> impl Iterator<Item = u64> + '_ {
        let ranges = self.zeroes.within(pages.clone()).chain(self.lost.within(pages.clone())).flatten();
        self.pages_within(pages.clone()).chain(ranges)
    }

    /// Returns the ranges among these pages that are dirty, zeroed or lost: of each sort in order.
    pub(crate) fn all_ranges(&self, pages: &Range<u64>) -> impl Iterator<Item = Range<u64>> + '_ {
        let single = self.pages_within(pages.clone()).map(|page| page..page + 1);
        single.chain(self.zeroes.within(pages.clone())).chain(self.lost.within(pages.clone()))
    }

    /// Removes all pages that `other` has.
    pub(crate) fn remove_all(&mut self, other: &Self) {
        if !self.is_empty() {
            other.all_ranges(&(0..u64::MAX)).for_each(|range| self.remove(&range));
        }
    }

    /// Adds what `other` has of pages of which this has nothing.
    pub(crate) fn add_missing(&mut self, other: &Self) {
        let free = |ours: &Self, pages: Range<u64>| {
            let mut free = Ranges::default();
            free.insert(pages.clone());
            ours.all_ranges(&pages).for_each(|range| free.remove(&range));
            free
        };
        for page in other.pages_within(0..u64::MAX) {
            if !self.overlaps(&(page..page + 1)) {
                self.add_page(page);
            }
        }
        for (zeroes, unmap) in other.zeroes_within(0..u64::MAX) {
            free(self, zeroes).iter().for_each(|part| self.add_zeroes(part, unmap));
        }
        for lost in other.lost.iter() {
            free(self, lost).iter().for_each(|part| self.add_lost(part));
        }
    }

    /// Returns what there is of these pages.
    pub(crate) fn part(&self, pages: &Range<u64>) -> Self {
        let mut part = Self::default();
        self.pages_within(pages.clone()).for_each(|page| part.add_page(page));
        self.zeroes_within(pages.clone()).for_each(|(zeroes, unmap)| part.add_zeroes(zeroes, unmap));
        self.lost.within(pages.clone()).for_each(|lost| part.add_lost(lost));
        part
    }

    /// Returns the first run from `from` on to destage, of at most `most` pages with content, or of zeroes.
    pub(crate) fn next_run(&self, from: u64, most: u64) -> Option<DirtyRun> {
        let page = self.next_page(from..u64::MAX);
        let zeroes = self.first_zeroes(from..u64::MAX);
        match (page, zeroes) {
            (None, None) => None,
            (Some(page), Some((zeroes, unmap))) if page > zeroes.start => {
                Some(DirtyRun::Zeroes(zeroes, unmap))
            }
            (None, Some((zeroes, unmap))) => Some(DirtyRun::Zeroes(zeroes, unmap)),
            (Some(page), _) => {
                let end = (page + 1..page + most).find(|page| !self.has_page(*page)).unwrap_or(page + most);
                Some(DirtyRun::Pages(page..end))
            }
        }
    }

    /// Returns the bytes of RAM taken, about.
    pub(crate) fn bytes(&self) -> u64 {
        /// Key and value, and a third more for the room that nodes leave.
        const GROUP_BYTES: u64 = 22;
        (self.groups.len() + self.zeroes.len() + self.unmappable.len() + self.lost.len()) as u64 * GROUP_BYTES
    }
}

/// Returns the bits of a group that stand for these pages.
fn mask(number: u64, pages: &Range<u64>) -> u64 {
    let first = number * GROUP;
    let start = pages.start.clamp(first, first + GROUP) - first;
    let end = pages.end.clamp(first, first + GROUP) - first;
    if start >= end { 0 } else { u64::MAX >> (GROUP - (end - start)) << start }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum ModelDirty {
        Nothing,
        Content,
        Zeroes(Unmap),
        Lost,
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_plain_array(
            ops in proptest::collection::vec((0..5u8, 0..300u64, 0..90u64), 1..60),
            from in 0..300u64,
        ) {
            let mut dirty = Dirty::default();
            let mut model = [ModelDirty::Nothing; 400];
            for (what, start, length) in ops {
                let pages = start..start + length;
                let holds = match what {
                    0 => { dirty.remove(&pages); ModelDirty::Nothing }
                    1 => { pages.clone().for_each(|page| dirty.add_page(page)); ModelDirty::Content }
                    2 | 3 => {
                        let unmap = if what == 2 { Unmap::Allowed } else { Unmap::Forbidden };
                        dirty.add_zeroes(pages.clone(), unmap);
                        ModelDirty::Zeroes(unmap)
                    }
                    _ => { dirty.add_lost(pages.clone()); ModelDirty::Lost }
                };
                model[pages.start as usize..pages.end as usize].fill(holds);
            }
            let count = |wanted| model.iter().filter(|holds| **holds == wanted).count() as u64;
            let zeroes = [Unmap::Allowed, Unmap::Forbidden].map(ModelDirty::Zeroes);
            prop_assert_eq!(dirty.pages(), count(ModelDirty::Content));
            prop_assert_eq!(dirty.zeroes().pages(), zeroes.map(count).iter().sum::<u64>());
            for (pages, unmap) in dirty.zeroes_within(from..400) {
                prop_assert!(pages.clone().all(|page| model[page as usize] == ModelDirty::Zeroes(unmap)));
            }
            let told: u64 = dirty.zeroes_within(0..400).map(|(pages, _)| pages.end - pages.start).sum();
            prop_assert_eq!(told, dirty.zeroes().pages());
            prop_assert_eq!(dirty.lost().pages(), count(ModelDirty::Lost));
            prop_assert_eq!(dirty.is_empty(), count(ModelDirty::Nothing) == 400);
            for (page, holds) in (0..).zip(model) {
                prop_assert_eq!(dirty.has_page(page), holds == ModelDirty::Content);
                prop_assert_eq!(dirty.is_zeroes(page), matches!(holds, ModelDirty::Zeroes(_)));
                prop_assert_eq!(dirty.is_lost(page), holds == ModelDirty::Lost);
                prop_assert_eq!(dirty.overlaps(&(page..page + 1)), holds != ModelDirty::Nothing);
            }
            let wanted = |holds: &ModelDirty| matches!(holds, ModelDirty::Content | ModelDirty::Zeroes(_));
            let first = (from..400).find(|page| wanted(&model[*page as usize]));
            let run = dirty.next_run(from, 8);
            prop_assert_eq!(run.is_some(), first.is_some());
            if let Some(DirtyRun::Pages(pages) | DirtyRun::Zeroes(pages, _)) = run {
                let first = first.unwrap();
                prop_assert_eq!(pages.start, first);
                prop_assert!(pages.clone().all(|page| model[page as usize] == model[first as usize]));
                let next = model.get(pages.end as usize);
                let full = model[first as usize] == ModelDirty::Content && pages.end - pages.start == 8;
                prop_assert!(full || next != Some(&model[first as usize]));
            }
        }
    }
}
