//! A little of the fuzzing in every build: the checks of the fuzz targets on seeded random input, and that it reaches what it is for.

use crate::fuzz_checks::{self, ENTRIES, Guest, MEMORY, Seen, choice};
use crate::random::Random;

const ROUNDS: u64 = 100;
/// Kinds of requests: reads more often than others, and one that there is not.
const KINDS: [u32; 10] = [0, 0, 0, 1, 1, 4, 8, 11, 13, 77];
const REQUESTS: u16 = ENTRIES / 3;

impl Random {
    /// Changes a few of the first bytes.
    fn damage(&mut self, bytes: &mut [u8]) {
        for _ in 0..self.below(4) {
            let at = self.below(bytes.len().min(0x900));
            bytes[at] = self.next() as u8;
        }
    }
}

/// Returns the sum of all rounds.
fn rounds(round: impl FnMut(u64) -> Seen) -> Seen {
    let seen = (1..=ROUNDS).map(round).fold(Seen::default(), Seen::and);
    println!("{seen:?}");
    seen
}

#[test]
fn no_ring_breaks_the_door() {
    rounds(|seed| {
        let mut random = Random::of(seed);
        // Small numbers are more likely to mean something: addresses, lengths, flags, and the next one.
        let mut bytes = vec![random.next() as u8, random.next() as u8, 0, 0];
        for _ in 0..64 {
            bytes.extend((random.below(0x1_0000) as u64).to_le_bytes());
            bytes.extend((random.below(2048) as u32).to_le_bytes());
            bytes.extend((random.below(8) as u16).to_le_bytes());
            bytes.extend((random.below(20) as u16).to_le_bytes());
        }
        // The available ring: flags, index, heads.
        bytes.extend([0, 0, random.below(20) as u8, 0]);
        bytes.extend((0..64).flat_map(|_| (random.below(17) as u16).to_le_bytes()));
        fuzz_checks::ring(&bytes)
    });
}

/// Behaviour of a guest and its front end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manners {
    Good,
    /// Data may lie in part outside of memory, and the record may be impossible.
    Bad,
}

/// Returns a guest with a few requests, some of them left to us by an earlier process, as an input.
fn some_guest(random: &mut Random, choices: u8, manners: Manners) -> Vec<u8> {
    let mut guest = Guest::new(random.next() as u16);
    for head in (0..REQUESTS).map(|request| 3 * request) {
        let kind = KINDS[random.below(KINDS.len())];
        let sectors = random.below(4) as u32;
        guest.put(head, kind, random.below(64) as u64, 512 * sectors);
        if manners == Manners::Bad && random.below(3) == 0 {
            // It begins in memory, and ends there or a little behind it.
            guest.put_data_at(head, MEMORY as u64 - 512 * u64::from(sectors) + 32 * random.below(32) as u64);
        }
        if choices & choice::RECORD != 0 && random.below(3) == 0 {
            guest.leave_in_flight(head);
        } else {
            guest.offer(head);
        }
    }
    if manners == Manners::Bad && random.below(2) == 0 {
        guest.claim_answered(random.below(4) as u16, random.below(32) as u16);
    }
    guest.into_input(choices, random.next() as u8)
}

/// Tests any input of guests, front ends and earlier processes: valid requests among it are done.
#[test]
fn a_guest_with_a_record_and_a_log_is_served_and_no_damage_to_what_it_says_breaks_the_door() {
    use choice::{EVENT_INDEX, LOG, RECORD, TWICE};
    let seen = rounds(|seed| {
        let mut random = Random::of(seed);
        let choices = random.next() as u8 & (EVENT_INDEX | RECORD | LOG | TWICE);
        fuzz_checks::ring(&some_guest(&mut random, choices, Manners::Good))
    });
    let all = ROUNDS * u64::from(REQUESTS);
    // Not all of them, if a queue is stopped in between.
    assert!(seen.answered > all / 2 && seen.done > all / 2, "{seen:?}");
    assert!(seen.at_hand > ROUNDS / 4 && seen.again > ROUNDS / 4 && seen.marked > ROUNDS / 4, "{seen:?}");
    let seen = rounds(|seed| {
        let mut random = Random::of(seed);
        let choices = random.next() as u8;
        let mut bytes = some_guest(&mut random, choices, Manners::Bad);
        random.damage(&mut bytes[2..]);
        fuzz_checks::ring(&bytes)
    });
    assert!(seen.done > 0 && seen.at_hand > 0 && seen.again > 0 && seen.marked > 0, "{seen:?}");
}

#[test]
fn no_message_breaks_the_door() {
    let seen = rounds(|seed| {
        let mut random = Random::of(seed);
        // At first what lets a queue begin, or not.
        let mut bytes = if random.below(2) == 0 { vec![200, 0, 0, 190, 0, 0] } else { Vec::new() };
        for _ in 0..20 {
            let length = random.below(48) as u8;
            bytes.extend([random.next() as u8, random.next() as u8, length]);
            bytes.extend((0..length).map(|_| random.next() as u8));
        }
        fuzz_checks::messages(&bytes)
    });
    assert!(seen.done > 0 && seen.at_hand > 0, "{seen:?}");
}
