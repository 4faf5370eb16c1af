//! The memory of the RAM tier: pages by number, in arenas of 2 MiB. It grows with the pages that are used.
//!
//! The next arena is asked for when the one before comes into use, and brought by somebody else meanwhile, in a large page of the
//! processor if there is one ([`block::Arena`]). Who is faster than that gets one that is made at once.

use std::cell::Cell;
use std::rc::Rc;

use block::Arena;

use crate::words::limits::PAGE_BYTES;

const ARENA_PAGES: usize = Arena::BYTES / PAGE_BYTES;

/// Pages from number 0 on.
pub(crate) struct Pages {
    /// The most pages that there may be.
    capacity: usize,
    arenas: Vec<Arena>,
    next: Rc<Cell<Next>>,
}

/// The arena that comes into use after those that there are.
#[derive(Default)]
enum Next {
    #[default]
    NotAskedFor,
    Coming,
    There(Arena),
}

/// Where an arena is wanted. It may not be any more when it comes.
pub(crate) struct Wanted(Rc<Cell<Next>>);

impl Wanted {
    /// Brings it: zeroes.
    pub(crate) fn bring(self, arena: Arena) {
        self.0.set(Next::There(arena));
    }
}

impl Drop for Wanted {
    /// Whoever was to bring it does not: another one may be asked.
    fn drop(&mut self) {
        if let there @ Next::There(_) = self.0.take() {
            self.0.set(there);
        }
    }
}

impl Pages {
    /// None yet, and at most so many.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { capacity, arenas: Vec::new(), next: Rc::default() }
    }

    /// Makes page `number` one of them, which is the one behind the last or there already.
    pub(crate) fn grow_to(&mut self, number: usize) {
        if number == self.arenas.len() * ARENA_PAGES {
            let next = match self.next.take() {
                Next::There(arena) => arena,
                next => {
                    self.next.set(next);
                    Arena::zeroed()
                }
            };
            self.arenas.push(next);
        }
    }

    /// Where an arena is wanted, if one is, and nobody was told: there will be a page in it some day, and memory of all of them is
    /// memory that may be used.
    pub(crate) fn wants_arena(&self) -> Option<Wanted> {
        if (self.arenas.len() + 1) * ARENA_PAGES > self.capacity {
            return None;
        }
        match self.next.take() {
            Next::NotAskedFor => {
                self.next.set(Next::Coming);
                Some(Wanted(Rc::clone(&self.next)))
            }
            next => {
                self.next.set(next);
                None
            }
        }
    }

    pub(crate) fn bytes(&self, number: usize) -> &[u8] {
        let at = number % ARENA_PAGES * PAGE_BYTES;
        &self.arenas[number / ARENA_PAGES][at..at + PAGE_BYTES]
    }

    pub(crate) fn bytes_mut(&mut self, number: usize) -> &mut [u8] {
        let at = number % ARENA_PAGES * PAGE_BYTES;
        &mut self.arenas[number / ARENA_PAGES][at..at + PAGE_BYTES]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(number: usize) -> u8 {
        (number % 251) as u8 + 1
    }

    /// Uses the page `number`.
    fn fill(pages: &mut Pages, number: usize) {
        pages.grow_to(number);
        pages.bytes_mut(number).fill(mark(number));
    }

    #[test]
    fn pages_keep_what_they_hold_whoever_brings_their_memory() {
        let mut pages = Pages::new(4 * ARENA_PAGES);
        let mut brought = Vec::new();
        for number in 0..4 * ARENA_PAGES {
            fill(&mut pages, number);
            // The second and the fourth come in time, the third when it is late.
            if let Some(wanted) = pages.wants_arena() {
                brought.push(wanted);
            }
            if number == ARENA_PAGES / 2 || number == 5 * ARENA_PAGES / 2 {
                let mut arena = Arena::zeroed();
                arena[0] = 77;
                brought.remove(0).bring(arena);
                assert!(pages.wants_arena().is_none(), "one is there");
            }
            assert!(brought.len() <= 1, "one is asked for at a time");
        }
        assert!(brought.is_empty() && pages.wants_arena().is_none(), "there will be no more");
        assert_eq!(pages.arenas[1][0], mark(ARENA_PAGES));
        for number in 0..4 * ARENA_PAGES {
            assert!(pages.bytes(number).iter().all(|&byte| byte == mark(number)), "{number}");
        }
    }

    #[test]
    fn what_is_brought_is_used_next() {
        let mut pages = Pages::new(2 * ARENA_PAGES);
        fill(&mut pages, 0);
        let arena = Arena::zeroed();
        let at = arena.as_ptr();
        pages.wants_arena().unwrap().bring(arena);
        (1..=ARENA_PAGES).for_each(|number| fill(&mut pages, number));
        assert_eq!(pages.bytes(ARENA_PAGES).as_ptr(), at);
    }

    #[test]
    fn an_arena_that_would_not_be_full_is_not_asked_for() {
        let mut pages = Pages::new(2 * ARENA_PAGES - 1);
        fill(&mut pages, 0);
        assert!(pages.wants_arena().is_none());
        assert!(Pages::new(ARENA_PAGES - 1).wants_arena().is_none());
    }

    #[test]
    fn one_that_does_not_come_is_asked_for_again_and_one_that_comes_too_late_is_given_back() {
        let pages = Pages::new(2 * ARENA_PAGES);
        drop(pages.wants_arena().unwrap());
        let wanted = pages.wants_arena().unwrap();
        assert!(pages.wants_arena().is_none());
        let next = Rc::downgrade(&pages.next);
        drop(pages);
        wanted.bring(Arena::zeroed());
        assert!(next.upgrade().is_none());
    }
}
