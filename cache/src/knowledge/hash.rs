//! The hash of page and block numbers: fixed, because one seed must be one schedule, and because numbers of a disk
//! are not chosen by an attacker who gains from collisions (a guest can only slow its own disk).

use std::hash::{BuildHasherDefault, Hasher};

/// For maps whose keys are one number each. Never asks for chance, as the maps of the standard library do.
pub(crate) type Mixed = BuildHasherDefault<Mixer>;

/// Mixes the one number of a key.
#[derive(Default)]
pub(crate) struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = hash(self.0 ^ number);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The finaliser of `SplitMix64`: every input bit reaches every output bit.
pub(crate) fn hash(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
