//! The hash of page and block numbers: fixed, because one seed must be one schedule, and because numbers of a disk
//! are not chosen by an attacker who gains from collisions (a guest can only slow its own disk).

/// Hashes by the finaliser of `SplitMix64`: every input bit reaches every output bit.
pub(crate) fn hash(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
