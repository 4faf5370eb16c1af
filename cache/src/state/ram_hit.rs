//! A hit in RAM: the part of one cached page that a read wants. Every read that RAM answers, alone or with others, finds its pages and
//! counts their use here.

use block::ByteRange;

use super::learned::By;
use super::policy::Policy;
use super::ram::{Ram, Spot};
use crate::types::units::PageNumber;

/// The place of a page in RAM, and the bytes of it that a read wants. Valid until RAM changes.
#[derive(Clone, Copy)]
pub(crate) struct RamHit {
    spot: Spot,
    /// Bytes within the page.
    start: u16,
    end: u16,
}

impl RamHit {
    /// Returns the hit on a page for `range`, which has bytes of it or is empty; none if RAM lacks the page. Changes nothing.
    pub(crate) fn find(ram: &Ram, range: &ByteRange, page: PageNumber) -> Option<Self> {
        let spot = ram.find(page)?;
        let part = page.range().intersection(range);
        let (start, end) = ((part.start - page.offset()) as u16, (part.end - page.offset()) as u16);
        Some(Self { spot, start, end })
    }

    /// Copies the part of a page that a read of `range` wants to its place in the result. Returns false if RAM lacks the page.
    pub(crate) fn copy(
        ram: &mut Ram,
        policy: &Policy,
        range: &ByteRange,
        page: PageNumber,
        answer: &mut [u8],
    ) -> bool {
        let Some(hit) = Self::find(ram, range, page) else { return false };
        let to = (page.offset() + u64::from(hit.start) - range.start) as usize;
        let bytes = hit.read(ram, policy);
        answer[to..to + bytes.len()].copy_from_slice(bytes);
        true
    }

    /// Returns the bytes. The page becomes the most recently used.
    pub(crate) fn read<'a>(self, ram: &'a mut Ram, policy: &Policy) -> &'a [u8] {
        self.part_of(ram.read_at(self.spot, |history| policy.used(history, By::Read)))
    }

    /// Returns the bytes, and changes nothing.
    pub(crate) fn peek(self, ram: &Ram) -> &[u8] {
        self.part_of(ram.bytes_at(self.spot))
    }

    fn part_of(self, page: &[u8]) -> &[u8] {
        &page[usize::from(self.start)..usize::from(self.end)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::learned::History;
    use crate::state::ram::PromotionState;
    use crate::types::limits::PAGE_BYTES;
    use crate::types::settings::Admission;
    use crate::types::units::Sequence;

    #[test]
    fn a_hit_copies_the_part_that_was_asked_for_to_its_place_in_the_answer() {
        let mut ram = Ram::new(4);
        let policy = Policy::new(Admission::default(), 4);
        for page in 1..=2 {
            let bytes: Vec<u8> = (0..PAGE_BYTES).map(|at| (at / 512) as u8 + 8 * page as u8).collect();
            ram.insert(PageNumber(page), &bytes, Sequence(page), PromotionState::New, History::default());
        }
        // From the last two sectors of page 1 to the first of page 3.
        let range = ByteRange::new(2 * 4096 - 1024, 3 * 4096 + 512);
        let mut answer = vec![0; range.len() as usize];
        let found =
            [1, 2, 3].map(|page| RamHit::copy(&mut ram, &policy, &range, PageNumber(page), &mut answer));
        assert_eq!(found, [true, true, false]);
        let sectors: Vec<u8> = answer.iter().step_by(512).copied().collect();
        assert_eq!(sectors, [14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 0]);
    }
}
