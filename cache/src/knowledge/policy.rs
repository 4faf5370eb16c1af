//! What is worth keeping: who may enter flash, and what stays when a segment is reclaimed.
//!
//! The rule of this file is the simple one: while there is room everything enters; afterwards what was used twice,
//! once in RAM or once remembered as a ghost. Policies that learn take its place behind the same three questions.

use super::hash::hash;
use crate::words::settings::Admission;

/// Whether the disk can get more flash without giving up content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// There are free segments.
    Free,
    /// Something has to go.
    Full,
}

pub(crate) struct Policy {
    admission: Admission,
    ghosts: Ghosts,
}

impl Policy {
    /// A policy for a disk whose flash holds so many blocks.
    pub(crate) fn new(admission: Admission, blocks: u64) -> Self {
        Self { admission, ghosts: Ghosts::new(blocks) }
    }

    /// Changes what may enter; what was learned stays.
    pub(crate) fn set_admission(&mut self, admission: Admission) {
        self.admission = admission;
    }

    /// May a page of this block, used so often while in RAM, be written to flash?
    pub(crate) fn admits(&self, block: u64, touches: u8, room: Room) -> bool {
        let needed = match (room, self.admission) {
            (Room::Free, _) | (Room::Full, Admission::Always) => return true,
            (Room::Full, Admission::Adaptive) => 2,
            (Room::Full, Admission::Repeated(times)) => times,
        };
        u32::from(touches.saturating_add(self.ghosts.seen(block))) >= needed
    }

    /// Remembers a block of which pages were not admitted, used at most so often. Once for all pages that were judged
    /// together: each of them remembered by itself would count as a use of the next one.
    pub(crate) fn remember(&mut self, block: u64, touches: u8) {
        let seen = touches.saturating_add(self.ghosts.seen(block));
        self.ghosts.remember(block, seen);
    }

    /// Does a block of this heat stay when its segment is reclaimed?
    pub(crate) fn keeps(heat: u8) -> bool {
        heat > 0
    }

    /// Bytes of RAM taken.
    pub(crate) fn bytes(&self) -> u64 {
        (self.ghosts.marks.len() * size_of::<u16>()) as u64
    }
}

/// Blocks that left without entering flash: a twelve-bit fingerprint and a four-bit count in a table of one place per
/// block. A newcomer takes the place of whoever was there, so old ghosts fade by themselves.
struct Ghosts {
    marks: Box<[u16]>,
}

const COUNT_BITS: u32 = 4;
const COUNT_MAX: u16 = (1 << COUNT_BITS) - 1;

impl Ghosts {
    fn new(blocks: u64) -> Self {
        let places = blocks.clamp(64, 1 << 28).next_power_of_two() as usize;
        Self { marks: vec![0; places].into_boxed_slice() }
    }

    fn place(&self, block: u64) -> (usize, u16) {
        let hash = hash(block);
        let fingerprint = (hash >> 52) as u16;
        ((hash as usize) & (self.marks.len() - 1), fingerprint << COUNT_BITS)
    }

    fn seen(&self, block: u64) -> u8 {
        let (place, fingerprint) = self.place(block);
        let mark = self.marks[place];
        if mark & !COUNT_MAX == fingerprint { (mark & COUNT_MAX) as u8 } else { 0 }
    }

    fn remember(&mut self, block: u64, seen: u8) {
        let (place, fingerprint) = self.place(block);
        self.marks[place] = fingerprint | u16::from(seen).min(COUNT_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_enters_while_there_is_room() {
        let policy = Policy::new(Admission::Repeated(9), 1000);
        assert!(policy.admits(1, 1, Room::Free));
    }

    #[test]
    fn a_full_flash_takes_what_was_used_twice_in_ram_or_comes_back() {
        let mut policy = Policy::new(Admission::Adaptive, 1000);
        assert!(policy.admits(1, 2, Room::Full));
        assert!(!policy.admits(2, 1, Room::Full));
        assert!(!policy.admits(2, 1, Room::Full), "another page of the same visit");
        policy.remember(2, 1);
        assert!(policy.admits(2, 1, Room::Full), "remembered from the first time");
    }

    #[test]
    fn always_and_repeated_do_what_they_say() {
        let mut policy = Policy::new(Admission::Always, 1000);
        assert!(policy.admits(1, 1, Room::Full));
        policy.set_admission(Admission::Repeated(3));
        for _ in 0..2 {
            assert!(!policy.admits(2, 1, Room::Full));
            policy.remember(2, 1);
        }
        assert!(policy.admits(2, 1, Room::Full));
    }
}
