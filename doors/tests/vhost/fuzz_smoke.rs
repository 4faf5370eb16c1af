//! A little of the fuzzing in every build: the checks of the fuzz targets on seeded random input.

use crate::fuzz_checks;

const ROUNDS: u64 = 100;

/// Xorshift (Marsaglia, 2003): all that is needed here is that one seed is one sequence.
fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn no_ring_breaks_the_door() {
    for seed in 1..=ROUNDS {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // Small numbers are more likely to mean something: addresses, lengths, flags, and the next one.
        let mut bytes = vec![random(&mut state) as u8, 0, 0, 0];
        for _ in 0..64 {
            bytes.extend((random(&mut state) % 0x1_0000).to_le_bytes());
            bytes.extend(((random(&mut state) % 2048) as u32).to_le_bytes());
            bytes.extend(((random(&mut state) % 8) as u16).to_le_bytes());
            bytes.extend(((random(&mut state) % 20) as u16).to_le_bytes());
        }
        // The available ring: flags, index, heads.
        bytes.extend([0, 0, (random(&mut state) % 20) as u8, 0]);
        bytes.extend((0..64).flat_map(|_| ((random(&mut state) % 17) as u16).to_le_bytes()));
        fuzz_checks::ring(&bytes);
    }
}

#[test]
fn no_message_breaks_the_door() {
    for seed in 1..=ROUNDS {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bytes: Vec<u8> = (0..400).map(|_| random(&mut state) as u8).collect();
        fuzz_checks::messages(&bytes);
    }
}
